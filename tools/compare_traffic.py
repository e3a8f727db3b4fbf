#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes docs/results/traffic.md: forecasts of METR-LA, 207 sensors of traffic on a graph.

Models that read along the graph, one that knows only sensors and times, a baseline, and the experiment of
"Stochastic Parroting in Temporal Attention" with its remedies. One run after another, because times would
mean nothing otherwise. Each result is kept as a line of JSON, so that what is finished is not run again; a
run is known by its set, options and threads, so remove the file of results after a change of the
programs."""

import csv
import io
import re
import statistics
import subprocess
from pathlib import Path
from typing import NamedTuple

import marked
import record

SERIES, GRAPH = 'metr_la.csv.gz', 'metr_la_adj.csv.gz'
# 34,249 windows, of which the last 6,850 are for the test and 3,425 before them for choices: as DCRNN splits.
PROTOCOL = ('--split rows:23986,3425,6861 --missing-value 0 --missing mask --blind --shared-scale '
            '--input 12 --pred 12 --loss mae')
SERIES_MODEL = '--tokens variate --model mlp --layers 3 --ff 128 --identity --dropout 0.1'
OURS = f'{SERIES_MODEL} --dim 64'
STACK = ('--tokens patch --patch 1 --stride 1 --places tape --model attention --heads 8 --dim 32 --layers 1 '
         '--graph learn')
PARROTING = f'{STACK} --calendar none --no-linear --dropout 0.1 --epochs 4'
TOLD = f'{STACK} --dropout 0.1 --epochs 6'
BOTH = f'{OURS} --graph {GRAPH} --learned 10'
HALF = '--ratio fixed --share 0.5'
SHORT = f'{OURS} --graph {GRAPH} --epochs 4'
MODELS = {
    'linear map': '--model linear',
    'identity, no graph': f'{SERIES_MODEL} --dim 128 --epochs 12',
    'given graph': f'{OURS} --graph {GRAPH} --epochs 12',
    'learned graph': f'{OURS} --graph learn --epochs 12',
    'both graphs': f'{BOTH} --epochs 12',
    'fighter over series': f'{OURS} --space and --space-model fighter --epochs 12',
    'fighter over time and series': '--tokens patch --patch 3 --stride 3 --model fighter --hops 2 --dim 32 '
                                    '--layers 1 --identity --dropout 0.1 --space and --space-model fighter '
                                    '--epochs 4',
    'given graph, 4 epochs of half': SHORT,
    'given graph, 4 epochs of all': f'{SHORT} --thin 1',
    'given graph, 4 epochs, soft half': f'{SHORT} --attent soft {HALF} --scores training --batch 16',
    '(a) no residual path': f'{PARROTING} --no-residual',
    '(b) no remedy': PARROTING,
    '(c) diagonal mask': f'{PARROTING} --diag-mask',
    '(d) diagonal dropout 0.2': f'{PARROTING} --diag-dropout 0.2',
    '(e) diagonal penalty -0.1': f'{PARROTING} --diag-penalty -0.1',
    'the stack of (d), told sensor and time': f'{TOLD} --diag-dropout 0.2 --identity',
}
# MAE at 15, 30 and 60 minutes.
PUBLISHED = {
    '(a) no residual path': (3.165, 3.671, 4.627), '(b) no remedy': (2.966, 3.443, 3.989),
    '(c) diagonal mask': (2.969, 3.447, 3.997), '(d) diagonal dropout 0.2': (2.959, 3.415, 3.940),
    '(e) diagonal penalty -0.1': (2.969, 3.436, 3.964),
}
# MAE / RMSE / MAPE at 15, 30 and 60 minutes, as published.
OTHERS = (
    ('DCRNN (Li et al. 2018)', '2.77 / 5.38 / 7.30', '3.15 / 6.45 / 8.80', '3.60 / 7.60 / 10.50'),
    ('Graph WaveNet (Wu et al. 2019)', '2.69 / 5.15 / 6.90', '3.07 / 6.22 / 8.37', '3.53 / 7.37 / 10.01'),
    ('MTGNN (Wu et al. 2020)', '2.69 / 5.18 / 6.86', '3.05 / 6.17 / 8.19', '3.49 / 7.23 / 9.87'),
    ('STAEformer (Liu et al. 2023)', '2.65 / 5.11 / 6.85', '2.97 / - / -', '3.34 / 7.02 / 9.70'),
    ('diagonal dropout (Hankemeier and Schilling 2026)', '2.96 / 5.85 / 7.83', '3.42 / 7.01 / 9.62',
     '3.94 / 8.34 / 11.57'),
)
STEPS = {3: '15 min', 6: '30 min', 12: '60 min'}
MEASURES = ('unit_mae', 'unit_rmse', 'mape')


class Run(NamedTuple):
    """One training."""
    data: str
    system: str
    options: str
    seed: int

    @property
    def label(self):
        return self.system


# ---- running ----

def runs(args, only=''):
    """Those whose name matches; by seed, so that a stop leaves whole seeds."""
    for seed in args.seeds:
        for system, options in MODELS.items():
            if re.search(only, system):
                yield Run('METR-LA', system, options, seed)


def command(args, run):
    folder = Path(args.data)
    options = [str(folder / GRAPH) if part == GRAPH else part for part in run.options.split()]
    kept = Path(args.keep) / f'{re.sub("[^a-z0-9]+", "-", run.system).strip("-")}-{run.seed}'
    return [record.program(args, 'forecast'), '--data', str(folder / SERIES), *PROTOCOL.split(), *options,
            '--no-baselines', '--holdout', '--seed', str(run.seed), '--threads', str(args.threads), '--json',
            '--save', f'{kept}.safetensors', '--report', f'{kept}.html']


def paths(args, model):
    """{path: [of a token by itself, by the others]} in the attention of a model that has it"""
    done = subprocess.run([record.example(args, 'paths'), model, str(Path(args.data) / SERIES), '0'],
                          capture_output=True, text=True, check=True)
    return {row[0]: [float(cell) for cell in row[1:] if cell] for row in list(csv.reader(
        io.StringIO(done.stdout)))[1:]}


def perform(args, run):
    words = command(args, run)
    got, processor, memory = record.execute(words)
    steps = {one['step']: [one[key] for key in MEASURES] for one in got['by_step']}
    kept = ('val_mae', 'train_seconds', 'epochs_run', 'parameters', 'predict_us', 'train_windows',
            'test_windows')
    return {k: got[k] for k in kept if k in got} | {
        'seed': run.seed, 'processor': processor, 'memory': memory,
        'errors': {str(step): steps[step] for step in STEPS},
        'average': [statistics.mean(one[i] for one in steps.values()) for i in range(len(MEASURES))],
        'paths': paths(args, words[words.index('--save') + 1]) if run.system in PUBLISHED else {}}


# ---- tables ----

def collect(args, found):
    """{system: [results of all seeds]} of what is finished"""
    systems = {}
    for run in runs(args):
        one = found.get(record.key(run, args.threads))
        if one:
            systems.setdefault(run.system, []).append(one)
    return systems


def spread(values, form):
    more = f' ± {format(statistics.stdev(values), form)}' if len(values) > 1 else ''
    return format(statistics.mean(values), form) + more


def errors(ones, pick):
    mae, rmse, mape = ([pick(one)[i] for one in ones] for i in range(len(MEASURES)))
    return f'{spread(mae, ".3f")} / {statistics.mean(rmse):.2f} / {100 * statistics.mean(mape):.2f}'


def rows_of(systems):
    for system, ones in systems.items():
        at = [errors(ones, lambda one, step=step: one['errors'][str(step)]) for step in STEPS]
        yield [system, *at, errors(ones, lambda one: one['average']),
               spread([one['val_mae'] for one in ones], '.4f'),
               f'{statistics.mean(one["train_seconds"] for one in ones):.0f}', f'{ones[0]["parameters"]:,}',
               f'{statistics.mean(one["predict_us"] for one in ones) / 1000:.1f}',
               f'{max(one["memory"] for one in ones):.0f}' if ones[-1]['memory'] else '-',
               ', '.join(str(one['seed']) for one in ones)]


def table(systems):
    head = ['model', *STEPS.values(), 'mean of 12 steps', 'validation', 'training, s', 'parameters', 'ms',
            'MB', 'seeds']
    return marked.table(head, rows_of(systems))


def published(systems):
    """Others, and our best one."""
    yield '| model | ' + ' | '.join(STEPS.values()) + ' |'
    yield '|---|' + '---:|' * len(STEPS)
    for row in OTHERS:
        yield '| ' + ' | '.join(row) + ' |'
    ones = systems.get('both graphs', [])
    if ones:
        at = [errors(ones, lambda one, step=step: one['errors'][str(step)]) for step in STEPS]
        yield '| ' + ' | '.join(['both graphs, here', *at]) + ' |'
    yield ''


def beside(systems):
    """The paper's errors, and ours."""
    steps = ' | '.join(STEPS.values())
    yield f'| model | the paper: {steps} | ours: {steps} |'
    yield '|---|' + '---:|' * (2 * len(STEPS))
    for system in (name for name in PUBLISHED if name in systems):
        ours = [spread([one['errors'][str(step)][0] for one in systems[system]], '.3f') for step in STEPS]
        yield '| ' + ' | '.join([system, *(f'{v:.3f}' for v in PUBLISHED[system]), *ours]) + ' |'
    yield ''


def path_rows(systems):
    """How attention depends on its tokens: by path, of a token by itself and by the others."""
    head = ['model', 'diagonal of A', 'value: own', 'others', 'key: own', 'others', 'query: own', 'all: own',
            'others']
    yield '| ' + ' | '.join(head) + ' |'
    yield '|---|' + '---:|' * (len(head) - 1)
    for system in (name for name in PUBLISHED if name in systems):
        of = lambda path, at: statistics.mean(one['paths'][path][at] for one in systems[system])
        numbers = [of('diagonal', 0), *(of(path, at) for path in ('value', 'key') for at in (0, 1)),
                   of('query', 0), of('total', 0), of('total', 1)]
        yield '| ' + ' | '.join([system, *(f'{v:.3g}' for v in numbers)]) + ' |'
    yield ''


def widest(errors, kept):
    """The largest difference between errors that agree in these parts of their keys."""
    groups = {}
    for key, error in errors.items():
        groups.setdefault(tuple(key[i] for i in kept), []).append(error)
    return max(max(group) - min(group) for group in groups.values())


def remedies(systems):
    """How far the remedies are apart, and how far the seeds are; keys are system, seed and step."""
    errors_of = {(system, one['seed'], step): one['errors'][str(step)][0]
                 for system in PUBLISHED if not system.startswith('(a)')
                 for one in systems.get(system, []) for step in STEPS}
    if not errors_of:
        return ''
    return ('With a residual path, MAE differs by at most '
            f'{widest(errors_of, (1, 2)):.3f} from remedy to remedy with the\n'
            f'same seed, and by up to {widest(errors_of, (0, 2)):.3f} from seed to seed.\n')


TOP = """# Traffic on a graph: METR-LA

Written by `tools/compare_traffic.py`; do not edit. METR-LA (Li et al. 2018) has the speeds at 207 sensors
on roads, in miles an hour, every five minutes for four months. Forecasts of 12 rows are made from 12
rows. Of the windows 70 % are for training, 10 % for choices, and the last 20 %, all 6,850, for the test.
A speed of 0 means a missing value: loss and errors leave it out. Sensors without any value in a window
are forecast and compared all the same.

Errors are MAE / RMSE / MAPE over all sensors, in miles an hour and per cent, of the forecasts 15, 30 and
60 minutes ahead and in the mean of all 12 steps. Validation is MAE in standard deviations. The number
after ± is the standard deviation over the seeds. "ms" is the time of a forecast of all sensors from raw
rows.

"""
BOTTOM = """## Published errors

All models but ours were trained on graphics processors:

{published}
## The graphs

The page of `--report` shows the graphs of the model with both graphs, after training (seed 2). The given
graph has weights that fall with the distance on the road. A cell, and a node on the right, is a group of
sensors:

![The given graph](../pictures/traffic-graph.png)

The learned graph of a layer has no diagonal. Some of its columns are dark in many rows at once: most
sensors read the same others, wherever they are. Head 1 is the walk along the edges, head 2 the walk
against them.

![The layers' graphs](../pictures/traffic-layers.png)

## The paper's experiment

"Stochastic Parroting in Temporal Attention" stacks attention along time, with 8 heads, and a graph
convolution on a learned adjacency. The table has the MAE of the paper's table 1 (150 epochs, four seeds)
and of a smaller stack here: one layer, width 32, a norm before the attention, no time of the day, 4
epochs of half of the windows. The authors' code has 12 layers, width 72, norms after the layers, and the
time of the day as an input:

{beside}
The next table has the norms of the blocks dh_i/dx_j of the trained heads, by the path through values,
keys or queries, for the token itself (own) and for each of the others, as `examples/19_paths.c` measures
them. They leave out the residual path:

{paths}
{remedies}
Without the mask the diagonal of A is about 1/13, as if all tokens were read alike (12 rows, and the last
one once more, as padding). After so few epochs there is no sink of the diagonal that a remedy could mend.
The paper trains for 150 epochs, and its sink may need them. [sink.md](sink.md) has 12 layers, with norms
after them and the time of the day, on 12 of the sensors, and the sensitivity of one layer over the length
of the window. The pictures show A of one window, the mean of its heads, after the first and the last
epoch (seed 2). Black is the largest weight of a matrix. All tokens read the last tokens most:

![A with each remedy](../pictures/traffic-remedies.svg)

## How to repeat it

    {command} [--only 'both graphs$'] [--seeds 1..3]

Every model has the options `{protocol}` and its own:

{options}
The given graph is from the authors of DCRNN, `metr_la_adj.csv.gz` in the folder of `--data`.{note}

Threads: {threads}. Processor: {machine}. Source: {commit}.
"""


def write(args, found):
    systems = collect(args, found)
    if not systems:
        return ''
    ones = [one for found in systems.values() for one in found]
    each = lambda key: ', '.join(sorted({str(one[key]) for one in ones}))
    options = ''.join(f'- {name}: `{MODELS[name]}`\n' for name in systems)
    text = TOP + '\n'.join(table(systems)) + '\n' + BOTTOM.format(
        published='\n'.join(published(systems)), beside='\n'.join(beside(systems)),
        paths='\n'.join(path_rows(systems)), remedies=remedies(systems),
        command='tools/compare_traffic.py', protocol=PROTOCOL,
        options=options, note=f' {args.note}' if args.note else '', threads=each('threads'),
        machine=each('machine'), commit=each('commit'))
    if args.out:
        record.replace(args.out, text)
    return text


def main(arguments=None):
    p = record.arguments(__doc__, 'docs/results/traffic.jsonl', 'MODEL')
    p.add_argument('--keep', default='.', help='folder for the models and their pages; default: this one')
    p.add_argument('--note', default='', help='a sentence that the tables end with')
    args = p.parse_args(arguments)
    record.campaign(args, runs(args, args.only), perform, write)


if __name__ == '__main__':
    main()
