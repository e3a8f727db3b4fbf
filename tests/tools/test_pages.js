/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs at the end of a page of --report, in a copy of it. Uses every control as a reader would, and leaves
 * what it found in the element #findings. test_pages.py puts it there. */
'use strict';
(function () {
    const findings = [];
    const byId = id => document.getElementById(id);
    const check = (what, good) => { if (!good) findings.push(what); };
    const numbers = () => Array.from(document.querySelectorAll('td[data-token]'), e => e.textContent).join();
    const picture = () => ['map', 'graph', 'edges'].map(id => byId(id).innerHTML).join('') +
        Array.from(document.querySelectorAll('[data-token]'), e => e.getAttribute('class')).join() +
        numbers();

    /* Each control that is shown changes a picture, and says so to those who do not see it. */
    function testControls() {
        for (const control of byId('controls').elements) {
            if (control.tagName === 'OUTPUT' || control.parentElement.hidden) continue;
            const before = picture(), was = control.value;
            check(`${control.id} has no label`, control.labels.length === 1);
            control.focus();
            check(`${control.id} takes no focus`, document.activeElement === control);
            const other = control.type === 'range' ? (was === control.min ? control.max : control.min)
                                                   : control.options[control.options.length - 1].value;
            control.value = other;
            control.dispatchEvent(new Event('input', { bubbles: true }));
            check(`${control.id} changes nothing`, picture() !== before);
            check(`${control.id} is not in the address`, location.hash.includes(`${control.id}=${other}`));
            control.value = was;
            control.dispatchEvent(new Event('input', { bubbles: true }));
            check(`${control.id} does not change back`, picture() === before);
        }
    }

    /* Each picture has its table, with the same numbers. The script leaves only the tables of matrices,
     * which the map shows. */
    function testTables() {
        for (const e of document.querySelectorAll('.window, .chart, .words'))
            check(`no table below ${e.className}`, e.querySelector('details table'));
        check('tables are left over', !document.querySelector("#numbers details:not([id^='matrix-'])"));
        check('tables are shown twice', getComputedStyle(byId('numbers')).display === 'none');
        const cells = (e, n) => Array.from(e.querySelector('table').tBodies[0].rows,
                                           row => row.cells[n].textContent);
        for (const e of document.querySelectorAll('.chart')) {
            const points = Array.from(e.querySelectorAll('circle title'), t => t.textContent).join();
            const lines = cells(e, 0).map((name, i) => `${name}, ${cells(e, 1)[i]}: ${cells(e, 2)[i]}`);
            check('other numbers in a chart', !points || points === lines.join());
        }
        for (const e of document.querySelectorAll('.words')) {
            const words = Array.from(e.querySelectorAll('.word[data-token]'));
            check('other words', words.map(w => w.textContent).join() === cells(e, 1).join());
            check('other weights', words.map(w => w.title).join() === cells(e, 2).join());
            const last = Array.from(e.querySelectorAll('.text:last-of-type .word'), w => w.title);
            check('other sensitivities', last.join() === cells(e, 3).slice(0, last.length).join());
        }
        for (const e of document.querySelectorAll('#importance > div')) {
            const words = Array.from(e.querySelectorAll('.word'));
            check('other shares', words.map(w => w.title).join() === cells(e, 1).join());
        }
        for (const e of document.querySelectorAll('path.line, path.bars, path.band'))
            check('a picture without a line', !/NaN|null|undefined/.test(e.getAttribute('d')));
        check('a line is empty', Array.from(document.querySelectorAll('path.guess'))
            .every(e => e.getAttribute('d').length > 20));
    }

    /* The matrix that the table has is the one that the map shows first. */
    function testMatrix() {
        const cell = byId('matrix-0').querySelector('tbody').rows[0].cells[1].textContent;
        const box = byId('map').querySelector('.squares').getBoundingClientRect();
        const at = { bubbles: true, clientX: box.left + 2, clientY: box.top + 2 };
        byId('map').dispatchEvent(new MouseEvent('mousemove', at));
        check('other weights in the map', byId('square').textContent.endsWith(`: ${cell}`));
        check('no small maps', document.querySelectorAll("#small a[href^='#subject=']").length > 1);
    }

    /* A table has the numbers of the colours, and a sentence says of which row they are. */
    function testNumbers() {
        for (const group of document.querySelectorAll('[data-subject]'))
            check('colours without numbers', group.querySelector('td[data-token]'));
        const row = byId('row'), was = row.value, before = numbers(), said = byId('shown').textContent;
        row.value = '0';
        row.dispatchEvent(new Event('input', { bubbles: true }));
        const name = row.options[row.selectedIndex].textContent;
        check('the chosen row is not named', byId('shown').textContent.includes(`what ${name} reads`));
        check('edges of other rows', Array.from(byId('edges').tBodies[0].rows)
            .every(r => r.cells[0].textContent === name));
        check('numbers of another row', numbers() !== before || !document.querySelector('.words, .span'));
        row.value = was;
        row.dispatchEvent(new Event('input', { bubbles: true }));
        check('the sentence does not change back', byId('shown').textContent === said);
        for (const box of document.querySelectorAll('.scroll'))
            check('a box that scrolls takes no focus', box.tabIndex === 0);
    }

    /* The square under the pointer is read out; a click chooses its row. */
    function testPointing() {
        const box = byId('map').querySelector('.squares').getBoundingClientRect();
        const at = { bubbles: true, clientX: box.left + 2, clientY: box.top + 2 };
        byId('map').dispatchEvent(new MouseEvent('mousemove', at));
        check('pointing reads no weight', / reads .*: [0-9.e-]+$/.test(byId('square').textContent));
        byId('map').dispatchEvent(new MouseEvent('click', at));
        check('a click chooses no row', byId('row').value === '0' && document.querySelector('.chosen'));
        byId('map').dispatchEvent(new MouseEvent('click', at));
    }

    /* ---- what can be read ---- */

    function light(colour) {
        const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map(c => c / 255)
            .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }

    /* WCAG 2.1, contrast (minimum). */
    function contrast(a, b) {
        const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
    }

    function background(element) {
        for (let e = element; e; e = e.parentElement) {
            const colour = getComputedStyle(e).backgroundColor;
            if (colour !== 'rgba(0, 0, 0, 0)') return colour;
        }
        return getComputedStyle(document.body).backgroundColor;
    }

    function testContrast() {
        const sample = document.createElement('p');
        for (let i = 0; i < 9; i++) sample.innerHTML += `<span class='word q${i}'>word</span>`;
        document.body.append(sample);
        for (const e of document.querySelectorAll('p, h2, h3, h4, dt, dd, td, th, summary, .word')) {
            const ratio = contrast(getComputedStyle(e).color, background(e));
            check(`contrast ${ratio.toFixed(2)} of ${e.tagName}.${e.className}`, ratio >= 4.5);
        }
        sample.remove();
        const paper = getComputedStyle(document.body).backgroundColor;
        for (const e of document.querySelectorAll('.line')) /* graphical objects need 3 */
            check(`contrast of a line ${e.getAttribute('class')}`,
                  contrast(getComputedStyle(e).stroke, paper) >= 3);
        if (byId('controls').hidden) return;
        const fills = Array.from({ length: 9 }, (_, i) => {
            const e = document.querySelector('.legend .q' + i);
            return light(getComputedStyle(e).backgroundColor);
        });
        const steps = fills.slice(1).map((v, i) => Math.sign(v - fills[i]));
        check('the scale is not in order', steps.every(s => s && s === steps[0]));
    }

    /* Bars are drawn, are seen on their ground, and have their numbers in a table. */
    function testBars() {
        const paper = getComputedStyle(document.body).backgroundColor;
        for (const bars of document.querySelectorAll('.bars')) {
            check('bars without height', bars.getBBox().height > 20);
            check('contrast of bars', contrast(getComputedStyle(bars).fill, paper) >= 3);
            const tables = bars.closest('.window').querySelectorAll('details table');
            check('bars without numbers', tables.length >= 2 && tables[tables.length - 1].rows.length > 90);
        }
    }

    function testNames() {
        for (const e of document.querySelectorAll("[role='img'], select, input, form, section")) {
            const by = e.getAttribute('aria-labelledby');
            const name = e.getAttribute('aria-label') || (by && byId(by) && byId(by).textContent) ||
                (e.labels && e.labels.length && e.labels[0].textContent);
            check(`${e.tagName} ${e.id} has no name`, name);
        }
        const ids = Array.from(document.querySelectorAll('[id]'), e => e.id);
        check('an id occurs twice', new Set(ids).size === ids.length);
        check('the page is wider than the window',
              document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    }

    try {
        testTables();
        if (!byId('controls').hidden) {
            testMatrix();
            testControls();
            testNumbers();
            testPointing();
        }
        testContrast();
        testBars();
        testNames();
    } catch (error) {
        findings.push(String(error.stack));
    }
    const out = document.createElement('pre');
    out.id = 'findings';
    out.textContent = JSON.stringify(findings);
    document.body.append(out);
}());
