/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts, windows, texts, and the importance of tokens. */
/* ---- charts ---- */

function drawChart(c, number) {
    const LEFT = 52, RIGHT = 350, TOP = 10, BOTTOM = 170;
    const figure = add(section(c.section, '.charts'), 'figure', { class: 'chart' });
    const caption = add(figure, 'figcaption', {});
    add(caption, 'h3', {}, c.title);
    const key = add(caption, 'p', { class: 'key' });
    c.curves.forEach((curve, i) => key.append(add(key, 'span', { class: `c${i}` }, curve.curve), ' '));
    const svg = picture(figure, 360, BOTTOM + 38,
                        `${c.title} by ${c.axis}. The numbers are in the table below.`);
    const x = ends(...c.curves.map(curve => curve.x)), span = x[1] - x[0];
    /* fewer marks, because epochs are whole numbers */
    const h = axis(x, span >= 1 && span < 6 ? Math.floor(span) : 6, LEFT, RIGHT);
    const v = axis(ends(...c.curves.map(curve => curve.y)), 4, BOTTOM, TOP);
    drawGrid(svg, v, LEFT, RIGHT);
    for (const mark of h.marks)
        draw(svg, 'text', { class: 'mark across', x: h.at(mark), y: BOTTOM + 16 }, show(mark));
    draw(svg, 'text', { class: 'mark across', x: (LEFT + RIGHT) / 2, y: BOTTOM + 33 }, c.axis);
    c.curves.forEach((curve, i) => {
        draw(svg, 'path', { class: `line c${i}`, d: line(h, v, curve.x, curve.y) });
        for (let k = 0; k < curve.x.length && curve.x.length <= 40; k++) {
            const point = { class: `c${i}`, cx: h.at(curve.x[k]), cy: v.at(curve.y[k]), r: 3 };
            const text = `${curve.curve}, ${show(curve.x[k])}: ${show(curve.y[k])}`;
            draw(draw(svg, 'circle', point), 'title', {}, text);
        }
    });
    if (c.about) add(figure, 'p', {}, c.about);
    moveTables(figure, `chart-${number}`);
}

/* ---- windows ---- */

/* The square of the token that is the series of a window; -1: it is no token. */
function rowOf(w) {
    const subject = hasMatrix(w.subject) ? data.subjects[w.subject] : { count: 0, merged: 1 };
    return w.row < subject.count ? Math.floor(w.row / subject.merged) : -1;
}

const WIDTH = 500, LEFT = 46, RIGHT = 494, TOP = 10, BOTTOM = 190; /* of a window */
const LABEL = 22, LANE = 13, LANES = 4, BARS = 48; /* heights of a label, a row of marks, all bars */

/* The number of rows of marks: overlapping spans are in different rows. */
function countLanes(spans) {
    let lanes = 1;
    for (let i = 0; i < spans.length; i += 2) {
        let k = i + 2;
        while (k < spans.length && spans[k] > spans[i] && spans[k] <= spans[i + 1]) k += 2;
        lanes = Math.max(lanes, (k - i) / 2);
    }
    return Math.min(lanes, LANES);
}

function drawLabel(svg, y, measure, what) {
    draw(svg, 'text', { class: 'under', x: LEFT, y: y + LABEL - 6 }, start(measure, 50) + what);
}

/* Draws a mark for each token below its rows. */
function drawSpans(svg, w, h, lanes) {
    const subject = data.subjects[w.subject], count = w.spans.length / 2;
    drawLabel(svg, BOTTOM, 'attention', ' that each token gets');
    for (let i = 0; i < subject.tokens.length && i * subject.merged < count; i++) {
        const last = Math.min((i + 1) * subject.merged, count) - 1;
        const x = h.at(w.spans[2 * i * subject.merged] - 0.5);
        const mark = draw(svg, 'rect', {
            class: 'span q0', 'data-token': i, x, y: BOTTOM + LABEL + LANE * (i % lanes),
            width: place(h.at(w.spans[2 * last + 1] + 0.5) - x), height: LANE - 2
        });
        draw(mark, 'title', {});
    }
}

function drawBars(svg, w, h, top, bottom) {
    const most = ends(w.bars)[1], v = axis([0, most], 1, bottom, top);
    let d = '';
    w.bars.forEach((value, i) => {
        const end = Math.min((i + 1) * w.bar, w.input.length);
        d += `M${h.at(i * w.bar - 0.5)} ${bottom}V${v.at(value)}H${h.at(end - 0.5)}V${bottom}z`;
    });
    draw(svg, 'path', { class: 'bars', d: most > 0 ? d : '' });
    draw(svg, 'path', { class: 'grid', d: `M${h.from} ${bottom}H${h.at(w.input.length - 0.5)}` });
    draw(svg, 'text', { class: 'mark', x: h.from - 5, y: top + 9 }, show(most));
}

function drawWindow(figure, w, attends) {
    const rows = w.input.length, steps = w.forecast.length, marked = attends && w.spans.length;
    const lanes = countLanes(w.spans), marks = BOTTOM + (marked ? LABEL + LANE * lanes : 0);
    const end = marks + (w.bars ? LABEL + BARS : 0);
    const svg = picture(figure, WIDTH, end + 20,
                        `${w.window}: ${rows} rows of input, then the forecast of ${steps} rows`);
    const h = axis([0, rows + steps - 1], 6, LEFT, RIGHT), now = h.at(rows - 0.5);
    const v = axis(ends(w.input, w.forecast, w.truth, w.low || [], w.high || []), 4, BOTTOM, TOP);
    const past = w.input.map((_, i) => i), future = w.forecast.map((_, i) => rows + i);
    draw(svg, 'rect', { class: 'future', x: now, y: TOP, width: place(RIGHT - now), height: BOTTOM - TOP });
    if (w.band) draw(svg, 'path', { class: 'band', d: area(h, v, future, w.low, w.high) });
    drawGrid(svg, v, LEFT, RIGHT);
    draw(svg, 'path', { class: 'line past', d: line(h, v, past, w.input) });
    draw(svg, 'path', { class: 'line truth', d: line(h, v, future, w.truth) });
    draw(svg, 'path', { class: 'line guess', d: line(h, v, future, w.forecast) });
    if (marked) drawSpans(svg, w, h, lanes);
    if (w.bars) {
        drawLabel(svg, marks, w.measure, ', by row of the input');
        drawBars(svg, w, h, marks + LABEL, end);
    }
    draw(svg, 'text', { class: 'under', x: LEFT, y: end + 15 }, w.begin || 'input');
    draw(svg, 'text', { class: 'under end', x: RIGHT, y: end + 15 }, 'forecast');
}

/* Adds names in the colours of their values. */
function addColours(parent, class_, names, values) {
    const p = add(parent, 'p', { class: class_ }), scale = scaleOf(values);
    names.forEach((name, i) => {
        add(p, 'span', { class: `word q${level(values[i], scale)}`, title: show(values[i]) }, name);
        p.append(' ');
    });
}

/* Adds names that drawMarks() colours. tokens: number of the token of each name. */
function addMarked(p, names, tokens) {
    names.forEach((name, i) => {
        add(p, 'span', { class: 'word q0', 'data-token': tokens[i] }, name);
        p.append(' ');
    });
}

function addWindow(w, number) {
    const figure = add(section('windows', '.windows'), 'figure', { class: 'window' });
    const caption = add(figure, 'figcaption', {}), attends = hasMatrix(w.subject);
    const tokens = attends ? data.subjects[w.subject].tokens : [], row = rowOf(w);
    if (attends) figure.dataset.subject = w.subject;
    add(caption, 'h3', {}, w.window);
    if (w.from) add(caption, 'p', {}, `The forecast begins at ${w.from}.`);
    drawWindow(figure, w, attends);
    if (row >= 0) {
        add(figure, 'h4', {}, 'By attention');
        addMarked(add(figure, 'p', { class: 'reads', 'data-row': row }), tokens, tokens.map((_, i) => i));
    }
    if (w.values) {
        add(figure, 'h4', {}, `By ${w.measure}`);
        addColours(figure, 'reads', data.subjects[w.subject].tokens, w.values);
    }
    moveTables(figure, `forecast-${number}`);
    if (row >= 0)
        addWeights(figure, 'what this series reads of it', tokens).dataset.row = row;
    else if (attends && w.spans.length)
        addWeights(figure, 'what it gets', tokens);
    moveTables(figure, `measure-${number}`);
}

/* Shows a sentence above the windows. */
function sayOfWindows(class_, shown, text) {
    const e = byId('windows').querySelector(class_);
    e.hidden = !shown;
    if (text) e.textContent = text;
}

function addWindows() {
    data.windows.forEach(addWindow);
    const band = data.windows.find(w => w.band), about = data.windows.find(w => w.about);
    sayOfWindows('.band', band, band && band.band);
    sayOfWindows('.of-measure', about, about && about.about);
    sayOfWindows('.of-spans', data.windows.some(w => w.spans.length && hasMatrix(w.subject)));
    sayOfWindows('.of-series', data.windows.some(w => rowOf(w) >= 0));
}

/* ---- texts, and the importance of tokens ---- */

/* Adds a column for the attention to the table of the words. */
function widen(table, tokens) {
    const before = (line, name, text) => {
        const cell = add(line, name, {}, text);
        line.insertBefore(cell, line.cells[2]);
        return cell;
    };
    before(table.tHead.rows[0], 'th', 'attention').scope = 'col';
    Array.from(table.tBodies[0].rows, (line, i) => { before(line, 'td', '').dataset.token = tokens[i]; });
}

function addText(t, number) {
    const article = add(section('texts'), 'article', { class: 'words', 'data-subject': t.subject });
    const tokens = t.words.map((_, i) => Math.floor(i / data.subjects[t.subject].merged));
    const attends = hasMatrix(t.subject);
    if (t.text) add(article, 'h3', {}, t.text);
    if (attends) {
        add(article, 'h4', {}, 'By attention: how much the tokens read of a word');
        addMarked(add(article, 'p', { class: 'text' }), t.words.slice(0, t.count), tokens);
    }
    if (attends && t.count < t.words.length)
        addMarked(add(article, 'p', { class: 'more' }, 'Tokens of several words: '), t.words.slice(t.count),
                  tokens.slice(t.count));
    if (t.values) {
        add(article, 'h4', {}, `By ${t.measure}`);
        addColours(article, 'text', t.words.slice(0, t.count), t.values);
    }
    moveTables(article, `words-${number}`);
    if (attends) widen(article.querySelector('table'), tokens);
}

function addImportance(t, number) {
    const div = add(section('importance'), 'div', {}), subject = data.subjects[t.subject];
    add(div, 'h3', {}, `Layer ${t.layer}` + (subject.name && `, ${subject.name}`));
    if (t.shares) addColours(div, 'reads', subject.tokens, t.shares);
    else add(div, 'p', {},
             'It cannot be computed: the A of this layer is not a softmax over all scores of a row.');
    moveTables(div, `importance-${number}`);
}
