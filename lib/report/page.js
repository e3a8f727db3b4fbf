/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the matrix that the reader chooses. The page itself contains the drawing of the first choice. */
'use strict';
(function () {
    const data = JSON.parse(document.getElementById('data').textContent);
    const LEVELS = 9, EDGE = 116, SQUARE = 320, NAMES = 22, LETTERS = 15; /* as in page_map.c */
    const WIDTH = 500, HEIGHT = 340, RADIUS = 130, NODES = 24;            /* as in page_graph.c */
    const byId = id => document.getElementById(id);
    const controls = ['subject', 'layer', 'head', 'row', 'hop', 'epoch', 'edges-shown'];
    let view; /* the chosen matrix */

    /* ---- numbers ---- */

    function show(v) {
        const size = Math.abs(v);
        return size >= 100 && size < 1e6 ? String(Math.round(v)) : String(Number(v.toPrecision(3)));
    }

    function start(name) {
        const letters = Array.from(name);
        return letters.length > LETTERS ? letters.slice(0, LETTERS).join('') + '\u2026' : name;
    }

    /* The scale of colours is from base to most; see page_weights.c. */
    function scaleOf(weights) {
        const most = Math.max(...weights);
        return { base: Math.min(Math.min(...weights), 0.8 * most), most };
    }

    const level = (v, s) => s.most > s.base && v > s.base
        ? Math.round(Math.sqrt((v - s.base) / (s.most - s.base)) * (LEVELS - 1)) : 0;

    /* Epochs of a subject's layer in order; 0, the current model, is the last one. */
    function epochsOf(subject, layer) {
        const found = data.sets.filter(s => s.subject === subject && s.layer === layer).map(s => s.epoch);
        return found.sort((a, b) => (a || Infinity) - (b || Infinity));
    }

    /* The weights of a matrix. If the page lacks it, the last epoch and the nearest head are used. */
    function open(subject, layer, head, hop, epoch) {
        const all = data.sets.filter(s => s.subject === subject && s.layer === layer);
        const set = all.find(s => s.epoch === epoch) || all[all.length - 1];
        if (!set) return null;
        set.bytes = set.bytes || Uint8Array.from(atob(set.cells), c => c.charCodeAt(0));
        const n = data.subjects[subject].tokens.length;
        const frame = Math.min(head, set.planes - 1) * data.hops + hop - 1, most = set.most[frame];
        const weights = Array.from(set.bytes.subarray(frame * n * n, (frame + 1) * n * n),
                                   q => most * (q / 255) * (q / 255));
        return {
            n, set, tokens: data.subjects[subject].tokens, scale: scaleOf(weights),
            at: (i, j) => weights[i * n + j]
        };
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

    /* ---- pictures ---- */

    function make(parent, name, attributes, text) {
        const html = ['tr', 'td', 'option'].includes(name);
        const e = html ? document.createElement(name)
                       : document.createElementNS('http://www.w3.org/2000/svg', name);
        for (const key in attributes) e.setAttribute(key, attributes[key]);
        if (text !== undefined) e.textContent = text;
        return parent.appendChild(e);
    }

    function drawMap(row) {
        const size = SQUARE / view.n, every = Math.ceil(view.n / NAMES);
        const names = byId('map').querySelector('.names'), squares = byId('map').querySelector('.squares');
        names.replaceChildren();
        squares.replaceChildren();
        for (let i = 0; i < view.n; i += every) {
            const at = EDGE + size * (i + 0.5);
            make(names, 'text', { class: 'row', x: EDGE - 6, y: at + 4 }, start(view.tokens[i]));
            const transform = `translate(${at + 3} ${EDGE - 6}) rotate(-60)`;
            make(names, 'text', { class: 'column', transform }, start(view.tokens[i]));
        }
        const paths = new Array(LEVELS).fill('');
        paths[0] = `M0 0h${view.n}v${view.n}h-${view.n}z`;
        for (let i = 0; i < view.n; i++)
            for (let j = 0; j < view.n; j++) {
                const l = level(view.at(i, j), view.scale);
                if (l) paths[l] += `M${j} ${i}h1v1h-1z`;
            }
        squares.setAttribute('transform', `translate(${EDGE} ${EDGE}) scale(${size})`);
        paths.forEach((d, l) => make(squares, 'path', { class: 'q' + l, d }));
        if (row >= 0) make(squares, 'rect', { class: 'chosen', x: 0, y: row, width: view.n, height: 1 });
    }

    function drawGraph(edges) {
        const lines = byId('graph').querySelector('.edges'), nodes = byId('graph').querySelector('.nodes');
        const on = view.tokens.map((t, i) => i).filter(
            i => view.n <= NODES || edges.some(e => e.to === i || e.from === i));
        const turn = i => 2 * Math.PI * on.indexOf(i) / on.length;
        const x = (i, r) => WIDTH / 2 + r * Math.sin(turn(i));
        const y = (i, r) => HEIGHT / 2 - r * Math.cos(turn(i));
        lines.replaceChildren();
        nodes.replaceChildren();
        for (const e of edges) {
            const a = x(e.from, RADIUS), b = y(e.from, RADIUS);
            const c = x(e.to, RADIUS - 9), d = y(e.to, RADIUS - 9); /* before the node, for the arrowhead */
            const path = make(lines, 'path', {
                class: 'edge', 'marker-end': 'url(#arrow)',
                'stroke-width': 1 + 4 * e.weight / edges[0].weight,
                d: `M${a} ${b}Q${(a + c) / 4 + WIDTH / 4} ${(b + d) / 4 + HEIGHT / 4} ${c} ${d}`
            });
            make(path, 'title', {}, `${view.tokens[e.to]} reads ${view.tokens[e.from]}: ${show(e.weight)}`);
        }
        for (const i of on) {
            const u = x(i, RADIUS + 12), v = y(i, RADIUS + 12), middle = Math.abs(u - WIDTH / 2) < 20;
            make(nodes, 'circle', { cx: x(i, RADIUS), cy: y(i, RADIUS), r: 5 });
            make(nodes, 'text', {
                x: u, y: v + (middle ? (v < HEIGHT / 2 ? -2 : 10) : 4),
                'text-anchor': middle ? 'middle' : u < WIDTH / 2 ? 'end' : 'start'
            }, start(view.tokens[i]));
        }
    }

    function drawEdges(edges) {
        const body = byId('edges').tBodies[0];
        body.replaceChildren();
        for (const e of edges) {
            const tr = make(body, 'tr', {});
            make(tr, 'td', { class: 'name' }, view.tokens[e.to]);
            make(tr, 'td', { class: 'name' }, view.tokens[e.from]);
            make(tr, 'td', {}, show(e.weight));
        }
    }

    /* Colours the tokens below curves and in texts. A token in a group with data-row shows this row. */
    function drawMarks(s) {
        for (const group of document.querySelectorAll('[data-subject]')) {
            const subject = Number(group.dataset.subject);
            const v = open(subject, s.layer, s.head, s.hop, s.epoch);
            for (const mark of v ? group.querySelectorAll('[data-token]') : []) {
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

    function fill(id, entries) {
        const list = byId(id), was = list.value;
        list.replaceChildren();
        entries.forEach(([value, text]) => make(list, 'option', { value }, text));
        list.value = entries.some(e => String(e[0]) === was) ? was : String(entries[0][0]);
        list.parentElement.hidden = entries.length < 2;
    }

    /* The entries of a list depend on the choices in the lists before it. */
    function fillAll() {
        fill('subject', data.subjects.map((s, i) => [i, s.name || 'the input'])
            .filter(s => data.sets.some(t => t.subject === s[0]))); /* a page may lack some subjects */
        const subject = Number(byId('subject').value), sets = data.sets.filter(s => s.subject === subject);
        fill('layer', data.layers.map((l, i) => [i, l]).filter(l => sets.some(s => s.layer === l[0])));
        const layer = Number(byId('layer').value), planes = sets.find(s => s.layer === layer).planes;
        fill('head', Array.from({ length: planes }, (_, i) => [i, i ? `head ${i}` : 'mean of the heads']));
        const tokens = data.subjects[subject].tokens.map((t, i) => [i, t]);
        fill('row', [[-1, 'all tokens, in the mean']].concat(tokens));
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
        const name = data.subjects[s.subject].name;
        byId('shown').textContent = (name ? name + ': layer ' : 'Layer ') +
            `${data.layers[s.layer]}, ${heads}, A to the power of ${s.hop}, ${epoch}` +
            (s.row < 0 ? '.' : `; what ${view.tokens[s.row]} reads.`);
        byId('hop-is').textContent = s.hop;
        byId('epoch-is').textContent = s.epoch || 'final';
        byId('edges-are').textContent = s.edges;
        byId('least').textContent = show(view.scale.base);
        byId('most').textContent = show(view.scale.most);
    }

    function draw() {
        const s = read(fillAll());
        view = open(s.subject, s.layer, s.head, s.hop, s.epoch);
        if (!view) return;
        const edges = strongest(view, s.edges, s.row);
        say(s);
        drawMap(s.row);
        drawGraph(edges);
        drawEdges(edges);
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
        draw();
    }

    /* ---- pointing ---- */

    function square(event) {
        const box = byId('map').querySelector('.squares').getBoundingClientRect();
        const j = Math.floor((event.clientX - box.left) / box.width * view.n);
        const i = Math.floor((event.clientY - box.top) / box.height * view.n);
        return i >= 0 && j >= 0 && i < view.n && j < view.n ? [i, j] : null;
    }

    document.documentElement.classList.add('script');
    byId('epoch').max = Math.max(0, ...data.sets.map(s => epochsOf(s.subject, s.layer).length - 1));
    byId('epoch').value = byId('epoch').max;
    recall();
    byId('controls').addEventListener('input', () => { draw(); remember(); });
    byId('controls').addEventListener('submit', event => event.preventDefault());
    window.addEventListener('hashchange', recall);
    byId('map').addEventListener('mousemove', event => {
        const at = square(event);
        if (at) byId('square').textContent =
            `${view.tokens[at[0]]} reads ${view.tokens[at[1]]}: ${show(view.at(at[0], at[1]))}`;
    });
    byId('map').addEventListener('click', event => {
        const at = square(event);
        if (!at) return;
        byId('row').value = byId('row').value === String(at[0]) ? '-1' : String(at[0]);
        draw();
        remember();
    });
}());
