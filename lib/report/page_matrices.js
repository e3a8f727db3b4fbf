/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices as the reader chooses them: maps, graphs, and the weights of tokens. */
/* ---- matrices ---- */

const EDGE = 116, SQUARE = 320, NAMES = 22; /* of the large map: space for names, its side, most names */
const SMALL = 24, MAPS = 32;                /* most squares at the side of a small map; most maps */
const GRAPH_WIDTH = 500, GRAPH_HEIGHT = 340, RADIUS = 130, NODES = 24; /* NODES: all are drawn up to this */
const controls = ['subject', 'layer', 'head', 'row', 'hop', 'epoch', 'edges-shown'];
let view; /* the chosen matrix */

const setsOf = (subject, layer) => data.sets.filter(s => s.subject === subject && s.layer === layer);
const hasMatrix = subject => data.sets.some(s => s.subject === subject);

/* Epochs of a subject's layer in order; 0, the current model, is the last one. */
const epochsOf = (subject, layer) =>
    setsOf(subject, layer).map(s => s.epoch).sort((a, b) => (a || Infinity) - (b || Infinity));

/* The weights of a matrix. If the page lacks it, the last epoch and the nearest head are used. */
function open(subject, layer, head, hop, epoch) {
    const all = setsOf(subject, layer), set = all.find(s => s.epoch === epoch) || all[all.length - 1];
    if (!set) return null;
    set.bytes = set.bytes || Uint8Array.from(atob(set.cells), c => c.charCodeAt(0));
    const tokens = data.subjects[subject].tokens, n = tokens.length;
    const frame = Math.min(head, set.planes - 1) * data.hops + hop - 1, most = set.most[frame];
    const weights = Array.from(set.bytes.subarray(frame * n * n, (frame + 1) * n * n),
                               q => most * (q / 255) * (q / 255));
    return { n, set, tokens, weights, scale: scaleOf(weights), at: (i, j) => weights[i * n + j] };
}

/* Attention that the tokens receive from one row; row -1: the mean over all rows. */
function received(v, row) {
    const weight = new Array(v.n).fill(0);
    for (let j = 0; j < v.n; j++)
        if (row >= 0) weight[j] = v.at(row, j);
        else for (let i = 0; i < v.n; i++) weight[j] += v.at(i, j) / v.n;
    return weight;
}

/* The k strongest edges of one row; row -1: of all rows. */
function strongest(v, k, row) {
    const edges = [];
    for (let i = 0; i < v.n; i++)
        for (let j = 0; j < v.n; j++)
            if ((row < 0 || i === row) && i !== j && v.at(i, j) > 0)
                edges.push({ to: i, from: j, weight: v.at(i, j) });
    return edges.sort((a, b) => b.weight - a.weight || a.to - b.to || a.from - b.from).slice(0, k);
}

/* ---- maps ---- */

/* Draws the squares [n,n] of a map. Neighbours in a row with the same level become one shape. */
function drawSquares(parent, n, weights, scale) {
    const paths = new Array(LEVELS).fill(''), levels = weights.map(w => level(w, scale));
    paths[0] = `M0 0h${n}v${n}h-${n}z`;
    for (let i = 0; i < n; i++)
        for (let j = 0, end; j < n; j = end) {
            const l = levels[i * n + j];
            for (end = j + 1; end < n && levels[i * n + end] === l;) end++;
            if (l) paths[l] += `M${j} ${i}h${end - j}v1h-${end - j}z`;
        }
    paths.forEach((d, l) => draw(parent, 'path', { class: `q${l}`, d }));
}

function drawMap(row) {
    const size = SQUARE / view.n, every = Math.ceil(view.n / NAMES);
    const names = byId('map').querySelector('.names'), squares = byId('map').querySelector('.squares');
    names.replaceChildren();
    squares.replaceChildren();
    for (let i = 0; i < view.n; i += every) {
        const at = EDGE + size * (i + 0.5);
        draw(names, 'text', { class: 'row', x: EDGE - 6, y: at + 4 }, start(view.tokens[i]));
        const transform = `translate(${at + 3} ${EDGE - 6}) rotate(-60)`;
        draw(names, 'text', { class: 'column', transform }, start(view.tokens[i]));
    }
    squares.setAttribute('transform', `translate(${EDGE} ${EDGE}) scale(${size})`);
    drawSquares(squares, view.n, view.weights, view.scale);
    if (row >= 0) draw(squares, 'rect', { class: 'chosen', x: 0, y: row, width: view.n, height: 1 });
}

/* A matrix of at most SMALL squares at a side: the mean over rows, the sum over columns. */
function shrink(v) {
    const by = Math.ceil(v.n / SMALL), n = Math.ceil(v.n / by), weights = new Array(n * n).fill(0);
    for (let i = 0; i < v.n; i++)
        for (let j = 0; j < v.n; j++) {
            const row = Math.floor(i / by);
            weights[row * n + Math.floor(j / by)] += v.at(i, j) / Math.min(by, v.n - row * by);
        }
    return { n, weights };
}

/* A small map is a link to the large one. */
function drawSmall(list, subject, layer, head, hop) {
    const epochs = epochsOf(subject, layer), v = open(subject, layer, head, hop, epochs[epochs.length - 1]);
    const { n, weights } = shrink(v), one = v.set.planes > 1 ? `head ${head}` : 'head 1';
    const name = head || v.set.planes === 1 ? one : 'mean';
    const long = name === 'mean' ? 'mean of the heads' : name;
    const address = `#subject=${subject}&layer=${layer}&head=${head}&hop=${hop}&epoch=${epochs.length - 1}`;
    const a = add(add(list, 'li', {}), 'a', { href: address });
    const svg = draw(a, 'svg', {
        viewBox: `0 0 ${n} ${n}`, role: 'img',
        'aria-label': `layer ${data.layers[layer]}, ${long}, power ${hop}`
    });
    drawSquares(draw(svg, 'g', { class: 'squares' }), n, weights, scaleOf(weights));
    const text = add(a, 'span', {}, name);
    if (hop > 1) {
        text.append(', A');
        add(text, 'sup', {}, hop);
    }
}

/* The heads of each layer, and the powers of their mean. */
function drawSmallMaps(subject) {
    const maps = byId('small-maps'), name = data.subjects[subject].name || 'the input';
    let room = MAPS;
    if (maps.dataset.of === String(subject)) return;
    maps.dataset.of = subject;
    maps.replaceChildren();
    byId('small-of').textContent = data.subjects.length > 1 ? ` of ${name}` : '';
    data.layers.forEach((layer, i) => {
        const sets = setsOf(subject, i);
        if (!sets.length || !room) return;
        add(maps, 'h3', {}, `Layer ${layer}`);
        const list = add(maps, 'ul', { class: 'small' });
        const wanted = Array.from({ length: sets[0].planes }, (_, head) => [head, 1]);
        for (let hop = 2; hop <= data.hops; hop++) wanted.push([0, hop]);
        wanted.slice(0, room).forEach(([head, hop]) => drawSmall(list, subject, i, head, hop));
        room -= Math.min(room, wanted.length);
    });
    if (!room) add(maps, 'p', {}, `These are the first ${MAPS}. With the controls above all can be seen.`);
}

/* ---- edges ---- */

function drawGraph(edges) {
    const lines = byId('graph').querySelector('.edges'), nodes = byId('graph').querySelector('.nodes');
    const on = view.tokens.map((t, i) => i).filter(
        i => view.n <= NODES || edges.some(e => e.to === i || e.from === i));
    const turn = i => 2 * Math.PI * on.indexOf(i) / on.length;
    const x = (i, r) => place(GRAPH_WIDTH / 2 + r * Math.sin(turn(i)));
    const y = (i, r) => place(GRAPH_HEIGHT / 2 - r * Math.cos(turn(i)));
    lines.replaceChildren();
    nodes.replaceChildren();
    for (const e of edges) {
        const a = x(e.from, RADIUS), b = y(e.from, RADIUS);
        const c = x(e.to, RADIUS - 9), d = y(e.to, RADIUS - 9); /* before the node, for the arrowhead */
        const path = draw(lines, 'path', {
            class: 'edge', 'marker-end': 'url(#arrow)',
            'stroke-width': 1 + 4 * e.weight / edges[0].weight,
            d: `M${a} ${b}Q${(a + c) / 4 + GRAPH_WIDTH / 4} ${(b + d) / 4 + GRAPH_HEIGHT / 4} ${c} ${d}`
        });
        draw(path, 'title', {}, `${view.tokens[e.to]} reads ${view.tokens[e.from]}: ${show(e.weight)}`);
    }
    for (const i of on) {
        const u = x(i, RADIUS + 12), v = y(i, RADIUS + 12), middle = Math.abs(u - GRAPH_WIDTH / 2) < 20;
        draw(nodes, 'circle', { cx: x(i, RADIUS), cy: y(i, RADIUS), r: 5 });
        draw(nodes, 'text', {
            x: u, y: v + (middle ? (v < GRAPH_HEIGHT / 2 ? -2 : 10) : 4),
            'text-anchor': middle ? 'middle' : u < GRAPH_WIDTH / 2 ? 'end' : 'start'
        }, start(view.tokens[i]));
    }
}

function drawEdges(edges) {
    const body = byId('edges').tBodies[0];
    body.replaceChildren();
    for (const e of edges) {
        const line = add(body, 'tr', {});
        add(line, 'td', { class: 'name' }, view.tokens[e.to]);
        add(line, 'td', { class: 'name' }, view.tokens[e.from]);
        add(line, 'td', {}, show(e.weight));
    }
}

/* Colours the tokens below curves and in texts. A token in a group with data-row shows this row. A subject
 * without the chosen layer shows its first one. */
function drawMarks(s) {
    for (const group of document.querySelectorAll('[data-subject]')) {
        const subject = Number(group.dataset.subject);
        const layer = setsOf(subject, s.layer).length ? s.layer
            : Math.min(...data.sets.filter(t => t.subject === subject).map(t => t.layer));
        const v = open(subject, layer, s.head, s.hop, s.epoch);
        for (const mark of group.querySelectorAll('[data-token]')) {
            const own = mark.closest('[data-row]');
            const row = own ? Number(own.dataset.row) : subject === s.subject ? s.row : -1;
            v.got = v.gotRow === row && v.got ? v.got : received(v, row);
            v.gotRow = row;
            const weight = v.got[Number(mark.dataset.token)];
            if (mark.tagName === 'TD') {
                mark.textContent = show(weight);
                continue;
            }
            const class_ = mark.getAttribute('class').replace(/q\d/, 'q' + level(weight, scaleOf(v.got)));
            mark.setAttribute('class', class_);
            const title = mark.querySelector('title');
            if (title) title.textContent = `${v.tokens[Number(mark.dataset.token)]}: ${show(weight)}`;
            else mark.title = show(weight);
        }
    }
}

/* ---- controls ---- */

function fillList(id, entries) {
    const list = byId(id), was = list.value;
    list.replaceChildren();
    entries.forEach(([value, text]) => add(list, 'option', { value }, text));
    list.value = entries.some(e => String(e[0]) === was) ? was : String(entries[0][0]);
    list.parentElement.hidden = entries.length < 2;
}

/* The entries of a list depend on the choices in the lists before it. */
function fillAll() {
    fillList('subject', data.subjects.map((s, i) => [i, s.name || 'the input'])
        .filter(s => data.sets.some(t => t.subject === s[0]))); /* a page may lack some subjects */
    const subject = Number(byId('subject').value), sets = data.sets.filter(s => s.subject === subject);
    fillList('layer', data.layers.map((l, i) => [i, l]).filter(l => sets.some(s => s.layer === l[0])));
    const layer = Number(byId('layer').value), planes = sets.find(s => s.layer === layer).planes;
    fillList('head', Array.from({ length: planes }, (_, i) => [i, i ? `head ${i}` : 'mean of the heads']));
    const tokens = data.subjects[subject].tokens.map((t, i) => [i, t]);
    fillList('row', [[-1, 'all tokens, in the mean']].concat(tokens));
    const epochs = epochsOf(subject, layer), slider = byId('epoch');
    slider.max = epochs.length - 1;
    slider.parentElement.hidden = epochs.length < 2;
    byId('hop').parentElement.hidden = data.hops < 2;
    return epochs;
}

function read(epochs) {
    const number = id => Number(byId(id).value);
    return {
        subject: number('subject'), layer: number('layer'), head: number('head'), row: number('row'),
        hop: number('hop'), epoch: epochs[number('epoch')], edges: number('edges-shown')
    };
}

function say(s) {
    const one = s.head ? `head ${s.head}` : 'mean of the heads';
    const heads = view.set.planes > 1 ? one : 'its only head';
    const epoch = s.epoch ? `after epoch ${s.epoch}` : 'the model as it is';
    const { name, count, merged } = data.subjects[s.subject];
    byId('shown').textContent = (name ? name + ': layer ' : 'Layer ') +
        `${data.layers[s.layer]}, ${heads}, A to the power of ${s.hop}, ${epoch}` +
        (s.row < 0 ? '.' : `; what ${view.tokens[s.row]} reads.`);
    byId('merged').textContent = merged < 2 ? ''
        : `These are ${count} tokens. Up to ${merged} neighbours are put together in a square.`;
    byId('hop-is').textContent = s.hop;
    byId('epoch-is').textContent = s.epoch || 'final';
    byId('edges-are').textContent = s.edges;
    byId('least').textContent = show(view.scale.base);
    byId('most').textContent = show(view.scale.most);
}

function update() {
    const s = read(fillAll());
    view = open(s.subject, s.layer, s.head, s.hop, s.epoch);
    if (!view) return;
    const edges = strongest(view, s.edges, s.row);
    say(s);
    drawMap(s.row);
    drawGraph(edges);
    drawEdges(edges);
    drawSmallMaps(s.subject);
    drawMarks(s);
}

/* Keeps the choice in the address, after the #, so that it can be shared. */
function remember() {
    const all = controls.map(id => `${id}=${byId(id).value}`).join('&');
    history.replaceState(null, '', '#' + all);
}

function recall() {
    const all = new URLSearchParams(location.hash.slice(1));
    for (const id of controls) { /* in order, because each list depends on the lists before it */
        fillAll();
        if (all.has(id)) byId(id).value = all.get(id);
    }
    update();
}

/* ---- pointing ---- */

function square(event) {
    const box = byId('map').querySelector('.squares').getBoundingClientRect();
    const j = Math.floor((event.clientX - box.left) / box.width * view.n);
    const i = Math.floor((event.clientY - box.top) / box.height * view.n);
    return i >= 0 && j >= 0 && i < view.n && j < view.n ? [i, j] : null;
}

function point(event) {
    const at = square(event);
    if (at) byId('square').textContent =
        `${view.tokens[at[0]]} reads ${view.tokens[at[1]]}: ${show(view.at(at[0], at[1]))}`;
}

function choose(event) {
    const at = square(event);
    if (!at) return;
    byId('row').value = byId('row').value === String(at[0]) ? '-1' : String(at[0]);
    update();
    remember();
}

function startMatrices() {
    for (const id of ['controls', 'attention', 'small']) section(id);
    byId('merged').after(byId('notes'));
    byId('hop').max = data.hops;
    byId('epoch').max = Math.max(0, ...data.sets.map(s => epochsOf(s.subject, s.layer).length - 1));
    byId('epoch').value = byId('epoch').max;
    recall();
    byId('controls').addEventListener('input', () => { update(); remember(); });
    byId('controls').addEventListener('submit', event => event.preventDefault());
    window.addEventListener('hashchange', recall);
    byId('map').addEventListener('mousemove', point);
    byId('map').addEventListener('click', choose);
}

data.charts.forEach(drawChart);
addWindows();
byId('texts').querySelector('.of-attention').hidden = !data.sets.length;
byId('texts').querySelector('.no-attention').hidden = data.sets.length;
data.texts.forEach(addText);
data.importance.forEach(addImportance);
if (data.sets.length) startMatrices();
