#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/results/sink.md: the stack of "Stochastic Parroting in Temporal Attention" at its
depth, in small.

The runs have few sensors, which are near each other on the roads of METR-LA, few windows and few epochs; the
page says how many. They measure the sensitivity to other tokens over the length of the window, the remedies,
graphs between the sensors, and forecasts of 36 rows from 36. Finished runs are kept as in
compare_traffic.py."""

import csv
import gzip
import io
import math
import re
import statistics
import subprocess
from pathlib import Path
from typing import NamedTuple

import marked
import record
from compare_traffic import GRAPH, SERIES

SENSORS = 12
SPLIT = '4000,400,600'
PROTOCOL = (f'--split rows:{SPLIT} --missing-value 0 --missing mask --blind --shared-scale --loss mae '
            '--holdout')
STACK = ('--tokens patch --patch 1 --stride 1 --places tape --model attention --heads 8 --post-norm '
         '--calendar day --known-channel --no-linear --dropout 0.1 --weight-decay 0.01 '
         '--warmup 0.1 --patience -1')
DEPTH = 12
DEEP = f'{STACK} --dim 32 --layers {DEPTH} --batch 8 --thin 4 --epochs 6 --lr 0.001'
LONG = f'{STACK} --dim 32 --layers {DEPTH} --batch 8 --thin 8 --epochs 4 --lr 0.001'
LEARNED = '--graph learn --space-hops 3'
SHORT = '--input 12 --pred 12'
REMEDIES = {'(a) no residual path': '--no-residual', '(b) no remedy': '',
            '(c) diagonal mask': '--diag-mask', '(d) diagonal dropout 0.2': '--diag-dropout 0.2',
            '(e) diagonal penalty -0.1': '--diag-penalty -0.1'}
PLAIN = '(b) no remedy'
# Beside the plain model, whose graph is learned.
GRAPHS = {'a graph of only its diagonal': '--graph SELF --space-hops 3', 'no graph, no convolution': ''}
LENGTHS = (12, 24, 48, 96)
LAW = f'{STACK} --dim 32 --layers 1 --batch 8 {LEARNED} --pred 12'
WEIGHTS = {'fresh': '--thin 64 --epochs 1 --lr 1e-12', # too little to move them
           'trained': '--thin 8 --epochs 3 --lr 0.001'}


class Case(NamedTuple):
    """One training."""
    data: str
    system: str
    options: str
    seed: int
    steps: tuple
    depth: int

    @property
    def label(self):
        return f'{self.data}: {self.system}'


def cases():
    for name, more in WEIGHTS.items():
        for length in LENGTHS:
            yield 'law', f'{name} {length}', f'{LAW} --input {length} {more}', (12,), 1
    for name, more in REMEDIES.items():
        yield 'remedies', name, f'{DEEP} {LEARNED} {SHORT} {more}'.strip(), (3, 6, 12), DEPTH
    for name, more in GRAPHS.items():
        yield 'graphs', name, f'{DEEP} {more} {SHORT}', (3, 6, 12), DEPTH
    for name in (PLAIN, '(d) diagonal dropout 0.2', '(e) diagonal penalty -0.1'):
        yield 'long', name, f'{LONG} {LEARNED} --input 36 --pred 36 {REMEDIES[name]}'.strip(), (24, 36), DEPTH


def runs(args):
    """By seed, so that a stop leaves whole seeds."""
    for seed in args.seeds:
        for data, system, options, steps, depth in cases():
            one = Case(data, system, options, seed, steps, depth)
            if re.search(args.only, one.label):
                yield one


# ---- the sensors ----

def nearest(graph, count):
    """From the sensor with the largest sum of weights on, the one with the largest sum to those so far."""
    pair = lambda i, j: graph[i][j] + graph[j][i]
    chosen = [max(range(len(graph)), key=lambda i: sum(graph[i]))]
    while len(chosen) < count:
        chosen.append(max((i for i in range(len(graph)) if i not in chosen),
                          key=lambda i: sum(pair(i, j) for j in chosen)))
    return sorted(chosen)


def sensors(args):
    """The files of the sensors' speeds, and of a graph in which each sensor reads only itself."""
    speeds, alone = (Path(args.keep) / f'{name}-{SENSORS}.csv' for name in ('near', 'self'))
    if speeds.exists() and alone.exists():
        return speeds, alone
    rows_of = lambda name: csv.reader(gzip.open(Path(args.data) / name, 'rt'))
    chosen = nearest([[float(cell) for cell in row] for row in rows_of(GRAPH)], SENSORS)
    lines = [','.join([row[0]] + [row[1 + i] for i in chosen]) for row in rows_of(SERIES)]
    rows = [['1' if i == j else '0' for j in chosen] for i in chosen]
    rows[0][1] = '1e-9' # a file without any edge from one to another is refused
    record.replace(alone, ''.join(','.join(row) + '\n' for row in rows))
    record.replace(speeds, '\n'.join(lines) + '\n')
    return speeds, alone


# ---- running ----

def layers_of(run):
    """The first layer of attention and the last, with what they read."""
    spaced = '--graph' in run.options
    last = run.depth - 1
    names = [('time.0.blocks.0', 'position')] if spaced else [('blocks.0', 'position')]
    if last:
        names.append((f'time.{last}.blocks.0', f'space.{last - 1}.norms.0') if spaced
                     else (f'blocks.{last}', f'norms.{last - 1}'))
    return names


def paths(args, model, speeds, layer, source):
    """{path: [of a token by itself, by the others]}"""
    done = subprocess.run([record.example(args, 'paths'), model, str(speeds), '0', layer, source],
                          capture_output=True, text=True, check=True)
    return {row[0]: [float(cell) for cell in row[1:] if cell] for row in list(csv.reader(
        io.StringIO(done.stdout)))[1:]}


def perform(args, run):
    speeds, alone = sensors(args)
    kept = Path(args.keep) / f'{re.sub("[^a-z0-9]+", "-", run.label).strip("-")}-{run.seed}.safetensors'
    options = run.options.replace('SELF', str(alone)).split()
    got, processor, memory = record.execute(
        [record.program(args, 'forecast'), '--data', str(speeds), *PROTOCOL.split(), *options,
         '--no-baselines', '--seed', str(run.seed), '--threads', str(args.threads), '--json', '--save',
         str(kept)])
    steps = {one['step']: one['unit_mae'] for one in got['by_step']}
    return {k: got[k] for k in ('val_mae', 'parameters', 'train_windows', 'test_windows')} | {
        'seed': run.seed, 'processor': processor, 'memory': memory,
        'errors': {str(step): steps[step] for step in run.steps}, 'mean': statistics.mean(steps.values()),
        'paths': [paths(args, str(kept), speeds, *layer) for layer in layers_of(run)]}


# ---- tables ----

def collect(found, args):
    """{set: {system: [results of all seeds]}} of what is finished"""
    sets = {}
    for seed in args.seeds:
        for data, system, options, steps, depth in cases():
            one = found.get(record.key(Case(data, system, options, seed, steps, depth), args.threads))
            if one:
                sets.setdefault(data, {}).setdefault(system, []).append(one)
    return sets


def power(lengths, values):
    """c and p of c / T^p, by least squares in logarithms, and the largest relative distance from it."""
    x, y = [math.log(t) for t in lengths], [math.log(v) for v in values]
    slope, level = statistics.linear_regression(x, y)
    return math.exp(level), -slope, max(abs(v / math.exp(level + slope * t) - 1) for t, v in zip(x, values))


PATHS = (('value', 1), ('key', 1), ('total', 1), ('total', 0), ('equation 8', 1), ('bound', 1))


def law(systems):
    """Tokens are one more than rows: the last row stands there twice, as padding."""
    head = ['weights, rows', 'tokens T', 'value: others', 'key: others', 'all: others', 'all: own',
            'equation 8: others', 'its bound', 'T times the diagonal of A']
    for name in WEIGHTS:
        rows, series = [], []
        for length in LENGTHS:
            ones = systems.get(f'{name} {length}')
            if not ones:
                continue
            at = lambda path, side: statistics.mean(one['paths'][0][path][side] for one in ones)
            values = [at(*path) for path in PATHS]
            series.append((length + 1, values))
            rows.append([f'{name}, {length}', str(length + 1), *(f'{v:.3g}' for v in values),
                         f'{(length + 1) * at("diagonal", 0):.2f}'])
        if len(series) > 2:
            fits = [power([t for t, _ in series], column) for column in zip(*(v for _, v in series))]
            rows.append([f'{name}: p of c/T^p', '', *(f'{p:.2f} ({100 * off:.0f} %)' for _, p, off in fits),
                         ''])
            rows.append([f'{name}: c', '', *(f'{c:.3g}' for c, _, _ in fits), ''])
        if rows:
            yield from marked.table(head, rows)


def spread(values, form):
    more = f' ± {format(statistics.stdev(values), form)}' if len(values) > 1 else ''
    return format(statistics.mean(values), form) + more


def models(systems, steps):
    head = ['model', *(f'{5 * step} min' for step in steps), 'mean of the steps', 'validation', 'parameters',
            'diagonal of A, first layer', 'last', 'others, first layer', 'last', 'seeds']
    rows = []
    for system, ones in systems.items():
        of = lambda layer, path, side: statistics.mean(one['paths'][layer][path][side] for one in ones)
        rows.append([system, *(spread([one['errors'][str(step)] for one in ones], '.3f') for step in steps),
                     spread([one['mean'] for one in ones], '.3f'),
                     spread([one['val_mae'] for one in ones], '.4f'), f'{ones[0]["parameters"]:,}',
                     *(f'{of(layer, "diagonal", 0):.3f}' for layer in (0, -1)),
                     *(f'{of(layer, "total", 1):.3g}' for layer in (0, -1)),
                     ', '.join(str(one['seed']) for one in ones)])
    return marked.table(head, rows)


TABLES = {'law': law, 'remedies': lambda found: models(found, (3, 6, 12)),
          'graphs': lambda found: models(found, (3, 6, 12)), 'long': lambda found: models(found, (24, 36))}


def write(args, found):
    """Each table stands between its marks on the page, if these are there."""
    sets = collect(found, args)
    if 'graphs' in sets and PLAIN in sets.get('remedies', {}):
        sets['graphs'] = {'a learned graph': sets['remedies'][PLAIN], **sets['graphs']}
    page, lines = Path(args.out).read_text() if args.out else '', []
    for data, make in TABLES.items():
        if data not in sets:
            continue
        table = list(make(sets[data]))
        lines += [data, '', *table]
        if f'<!-- {data} -->\n' in page:
            marked.write(args.out, data, table[:-1])
    return '\n'.join(lines)


def main(arguments=None):
    p = record.arguments(__doc__, 'docs/results/sink.jsonl', 'SET: MODEL')
    p.add_argument('--keep', default='.', help='folder for the models and the sensors; default: this one')
    args = p.parse_args(arguments)
    if args.out and not Path(args.out).exists():
        p.error(f'{args.out}: a page with the marks of the tables is needed')
    record.campaign(args, runs(args), perform, write)


if __name__ == '__main__':
    main()
