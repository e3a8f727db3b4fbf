/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, elements and axes. The three scripts page_*.js are one in the page: together they read the object
 * #data, fill the sections of page.html, and move the tables of #numbers below their pictures. */
const data = JSON.parse(document.getElementById('data').textContent);
const LEVELS = 9;    /* of a scale of colours */
const LETTERS = 15;  /* most letters of a name in a picture */
const POINTS = 600;  /* most points of a line: more than a picture has pixels */
const byId = id => document.getElementById(id);

/* ---- numbers and names ---- */

function show(v) {
    const size = Math.abs(v);
    return size >= 100 && size < 1e6 ? String(Math.round(v)) : String(Number(v.toPrecision(3)));
}

const place = v => Math.round(v * 10) / 10; /* of a point in a picture */

function start(name, most = LETTERS) {
    const letters = Array.from(name);
    return letters.length > most ? letters.slice(0, most).join('') + '\u2026' : name;
}

/* The least and the largest finite number of several lists. */
function ends(...lists) {
    let low = Infinity, high = -Infinity;
    for (const list of lists)
        for (const v of list)
            if (Number.isFinite(v)) {
                low = Math.min(low, v);
                high = Math.max(high, v);
            }
    return low <= high ? [low, high] : [0, 0];
}

/* Colours stand for the weights from base to most. If all weights are nearly equal, base is below the
 * least weight, so that small differences do not look large. */
function scaleOf(weights) {
    const [least, most] = ends(weights);
    return { base: Math.min(least, 0.8 * most), most };
}

const level = (v, s) => s.most > s.base && v > s.base
    ? Math.round(Math.sqrt((v - s.base) / (s.most - s.base)) * (LEVELS - 1)) : 0;

/* ---- elements ---- */

function fill(parent, e, attributes, text) {
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
}

const add = (parent, name, attributes, text) =>
    fill(parent, document.createElement(name), attributes, text);
const draw = (parent, name, attributes, text) =>
    fill(parent, document.createElementNS('http://www.w3.org/2000/svg', name), attributes, text);

let pictures = 0;
function picture(parent, width, height, title) {
    const id = `picture-${pictures++}`;
    const e = draw(parent, 'svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-labelledby': id });
    draw(e, 'title', { id }, title);
    return e;
}

/* The list `inside` of a section, which is shown from now on. */
function section(id, inside) {
    byId(id).hidden = false;
    return inside ? byId(id).querySelector(inside) : byId(id);
}

/* Moves tables from the end of the page. */
function moveTables(parent, id) {
    const tables = byId(id);
    if (tables) parent.append(tables);
}

/* Adds a table with a line for each name, and a cell for the weight of its token, which drawMarks() fills. */
function addWeights(parent, head, names) {
    const details = add(parent, 'details', {});
    add(details, 'summary', {}, 'The attention in numbers');
    const table = add(add(details, 'div', { class: 'scroll', tabindex: 0 }), 'table', {});
    const top = add(add(table, 'thead', {}), 'tr', {}), body = add(table, 'tbody', {});
    for (const text of ['token', head]) add(top, 'th', { scope: 'col' }, text);
    names.forEach((name, i) => {
        const line = add(body, 'tr', {});
        add(line, 'th', { scope: 'row' }, name);
        add(line, 'td', { 'data-token': i });
    });
    return details;
}

/* ---- axes and lines ---- */

/* An axis on which low is at `from` and high at `to`, with about `count` round marks. */
function axis([low, high], count, from, to) {
    if (high - low < Math.abs(low) * 1e-9 + 1e-30) { /* smaller differences cannot be drawn */
        const room = low ? Math.abs(low) * 0.1 : 1;
        low -= room;
        high += room;
    }
    const least = (high - low) / count, ten = 10 ** Math.floor(Math.log10(least));
    const step = ten * ([1, 2, 5].find(k => least <= k * ten) || 10);
    const first = Math.ceil(low / step - 1e-9) * step, marks = [];
    for (let i = 0; first + i * step <= high + step * 1e-6 && i < 20; i++) {
        const mark = first + i * step;
        marks.push(Math.abs(mark) < step * 1e-6 ? 0 : mark); /* without an error of rounding at 0 */
    }
    return { from, to, step, marks, at: v => place(from + (v - low) / (high - low) * (to - from)) };
}

/* Enough digits that the marks of an axis differ. */
function markText(mark, step) {
    const digits = mark ? Math.floor(Math.log10(Math.abs(mark) / step)) + 2 : 3;
    return String(Number(mark.toPrecision(Math.min(Math.max(digits, 3), 15))));
}

/* The commands of a line, with a gap where y is not known. A point by itself is a dash, because a line of
 * no length is not painted. */
function line(h, v, x, y) {
    const every = Math.ceil(y.length / POINTS);
    let d = '', pen = false;
    for (let i = 0; i < y.length; i += every) {
        const known = y[i] !== null, next = i + every < y.length && y[i + every] !== null;
        if (known && !pen && !next) d += `M${place(h.at(x[i]) - 1.5)} ${v.at(y[i])}h3`;
        else if (known) d += `${pen ? 'L' : 'M'}${h.at(x[i])} ${v.at(y[i])}`;
        pen = known;
    }
    return d;
}

/* The area between two lines, with gaps where an end is not known. */
function area(h, v, x, low, high) {
    const every = Math.ceil(low.length / POINTS);
    let d = '', above = [], below = [];
    for (let i = 0; i < low.length + every; i += every)
        if (i < low.length && low[i] !== null && high[i] !== null) {
            above.push(`${h.at(x[i])} ${v.at(high[i])}`);
            below.unshift(`${h.at(x[i])} ${v.at(low[i])}`);
        } else if (above.length) {
            d += `M${above.concat(below).join('L')}Z`;
            above = [];
            below = [];
        }
    return d;
}

function drawGrid(svg, v, left, right) {
    for (const mark of v.marks) {
        draw(svg, 'path', { class: 'grid', d: `M${left} ${v.at(mark)}H${right}` });
        draw(svg, 'text', { class: 'mark', x: left - 5, y: v.at(mark) + 4 }, markText(mark, v.step));
    }
}
