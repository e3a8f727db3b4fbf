#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/results/papers.md: table 1 and figures 3 and 4 of the Fighter paper, again.

The same systems are trained on Weather, ETTh1, ETTm1, METR-LA and AG News with the paper's settings, and
with the defaults of the programs. One run after another, because times would mean nothing otherwise. Each
result is kept as a line of JSON, so that what is finished is not run again; a run is known by its set,
options and threads, so remove the file of results after a change of the programs."""

import csv
import gzip
import itertools
import math
import os
import re
import statistics
from pathlib import Path
from typing import NamedTuple

import marked
import plots
import record

BASELINES = ('autoformer', 'informer', 'reformer', 'transformer')
KAPPAS = range(1, 9)
PAPER, OURS = "the paper's settings", 'defaults'
RELU, DECODER = f'{PAPER} with ReLU', f'{PAPER} with a decoder'

# The paper does not say how wide the layers are, nor what the learning rate is.
SERIES_PAPER = ('--tokens time --input 96 --dim 64 --layers 1 --batch 32 --epochs 25 --patience -1 '
                '--dropout 0.1 --no-linear --calendar none --average 0')
TEXTS_PAPER = '--dim 64 --layers 1 --batch 32 --epochs 25 --patience -1 --ngrams 1'
SETS = {
    'Weather 96': {'file': 'weather.csv.gz',
                   'options': '--pred 96 --split 0.7,0.15,0.15 --repair all --missing mask'},
    'Weather 192': {'file': 'weather.csv.gz',
                    'options': '--pred 192 --split 0.7,0.15,0.15 --repair all --missing mask'},
    'ETTh1 96': {'file': 'ETTh1.csv', 'options': '--pred 96 --split etth'},
    'ETTm1 96': {'file': 'ETTm1.csv', 'options': '--pred 96 --split ettm'},
    'ETTh1 96, 3 epochs': {'file': 'ETTh1.csv', 'epochs': 3, 'kappas': (),
                           'options': '--pred 96 --split etth'},
    # In the place of Electricity, with fewer epochs than the others; 0 stands for a missing value.
    'METR-LA 96, 2 epochs': {'file': 'metr_la.csv.gz', 'epochs': 2, 'missing': 0, 'kappas': (1, 2, 3, 6),
                             'options': '--pred 96 --split 0.7,0.15,0.15 --missing-value 0 --missing mask'},
    'AG News': {'file': 'ag_news_train_subset.csv.gz', 'test': 'ag_news_test.csv.gz', 'options': ''},
}
# A model of one layer is the last layer of algorithm 1, which has no activation; here it has one.
WITH_RELU = {'ETTh1 96': (1, 2, 3, 6), 'AG News': (1, 2, 3)}
WITH_DECODER = {'ETTh1 96, 3 epochs': ('autoformer', 'informer', 'transformer')}
WITH_MAE = ('Weather 96', 'Weather 192')  # figure 3b
# Table 1: MSE and MAE, or accuracy.
PUBLISHED = {
    ('Weather 96', 'autoformer'): (0.676, 0.503), ('Weather 96', 'informer'): (0.804, 0.654),
    ('Weather 96', 'reformer'): (1.090, 0.816), ('Weather 96', 'transformer'): (0.575, 0.556),
    ('Weather 96', 'fighter 3'): (0.007, 0.052),
    ('Weather 192', 'autoformer'): (1.393, 0.602), ('Weather 192', 'informer'): (0.980, 0.769),
    ('Weather 192', 'reformer'): (0.980, 0.769), ('Weather 192', 'transformer'): (0.525, 0.511),
    ('Weather 192', 'fighter 3'): (0.008, 0.057),
    ('AG News', 'autoformer'): (0.876,), ('AG News', 'informer'): (0.831,),
    ('AG News', 'reformer'): (0.820,), ('AG News', 'transformer'): (0.864,),
    ('AG News', 'fighter 3'): (0.898,),
}


class Run(NamedTuple):
    """One training."""
    data: str
    system: str  # a block, and kappa of fighter
    settings: str
    options: str
    seed: int

    @property
    def label(self):
        return f'{self.data} {self.system} {self.settings}'


# ---- running ----

def rows_to_run(data):
    """(system, settings) of a set"""
    fighters = (f'fighter {k}' for k in SETS[data].get('kappas', KAPPAS))
    yield from itertools.product((*BASELINES, *fighters), (PAPER, OURS))
    yield from ((f'fighter {k}', RELU) for k in WITH_RELU.get(data, ()))
    yield from ((name, DECODER) for name in WITH_DECODER.get(data, ()))


def runs(args, only=''):
    """Those whose "SET SYSTEM SETTINGS" matches; by seed, so that a stop leaves whole seeds."""
    for seed, data in itertools.product(args.seeds, SETS):
        for system, settings in rows_to_run(data):
            one = Run(data, system, settings, options_of(data, system, settings), seed)
            if re.search(only, one.label):
                yield one


def options_of(data, system, settings):
    name, _, kappa = system.partition(' ')
    paper, epochs = TEXTS_PAPER if 'test' in SETS[data] else SERIES_PAPER, SETS[data].get('epochs')
    parts = [SETS[data]['options'], f'--model {name}', f'--hops {kappa}' if kappa else '',
             paper if settings != OURS else '--epochs 25' if epochs else '',
             {RELU: '--act relu', DECODER: '--decoder 1'}.get(settings, '')]
    text = ' '.join(' '.join(parts).split())
    return re.sub(r'--epochs \d+', f'--epochs {epochs}', text) if epochs else text


def command(args, run):
    what, folder = SETS[run.data], Path(args.data)
    program = record.program(args, 'classify' if 'test' in what else 'forecast')
    files = (['--train', str(folder / what['file']), '--test', str(folder / what['test'])] if 'test' in what
             else ['--data', str(folder / what['file']), '--no-baselines'])
    return [program, *files, *run.options.split(), '--seed', str(run.seed),
            '--threads', str(args.threads), '--json']


def spans(path, end, missing=None):
    """Largest minus smallest value of each column in the first rows, but for a value that stands for none."""
    opened = gzip.open if path.suffix == '.gz' else open
    with opened(path, 'rt', newline='') as file:
        reader = csv.reader(file)
        names, low, high = next(reader)[1:], {}, {}
        for _, row in zip(range(end), reader):
            for name, cell in zip(names, row[1:]):
                value = float(cell)
                if value == missing:
                    continue
                low[name], high[name] = min(low.get(name, value), value), max(high.get(name, value), value)
    return {name: high[name] - low[name] for name in names if name in low}


def in_spans(args, run, got):
    """MSE and MAE in spans of the training rows: the errors of a model whose input was scaled to 0 .. 1."""
    what = SETS[run.data]
    span = spans(Path(args.data) / what['file'], got['settings']['split'][0], what.get('missing'))
    series = [one for one in got['by_series'] if span.get(one['series'], 0) > 0]
    return {'span_mse': statistics.mean((one['rmse'] / span[one['series']]) ** 2 for one in series),
            'span_mae': statistics.mean(one['mae'] / span[one['series']] for one in series)}


def perform(args, run):
    got, processor, memory = record.execute(command(args, run))
    kept = ('test_mse', 'test_mae', 'test_accuracy', 'accuracy', 'train_seconds', 'epochs_run', 'parameters')
    one = {k: got[k] for k in kept if k in got} | {'seed': run.seed, 'processor': processor, 'memory': memory}
    return one | (in_spans(args, run, got) if 'by_series' in got else {})


# ---- tables ----

def collect(args, found, settings):
    """{(set, settings): {system: [results of all seeds]}} of what is finished"""
    cells = {}
    for run in runs(args):
        one = found.get(record.key(run, args.threads))
        if one and run.settings in settings:
            cells.setdefault((run.data, run.settings), {}).setdefault(run.system, []).append(one)
    return cells


def key_of(data):
    return 'test_accuracy' if 'test' in SETS[data] else 'test_mse'


def spread(ones, key):
    values = [one[key] for one in ones]
    more = f' +- {statistics.stdev(values):.4f}' if len(values) > 1 else ''
    return f'{statistics.mean(values):.4f}{more}'


def per_epoch(ones):
    return statistics.mean(one['processor'] / max(one['epochs_run'], 1) for one in ones)


def rows_of(data, systems):
    texts = 'test' in SETS[data]
    for system, ones in systems.items():
        published = PUBLISHED.get((data, system))
        said = ' / '.join(f'{value:.3f}' for value in published) if published else '-'
        errors = ([spread(ones, 'test_accuracy')] if texts else
                  [spread(ones, 'test_mse'), spread(ones, 'test_mae'), spread(ones, 'span_mse'),
                   spread(ones, 'span_mae')])
        yield [system, said, *errors, f'{per_epoch(ones):.1f}', f'{ones[0]["parameters"]:,}',
               f'{max(one["memory"] for one in ones):.0f}', ', '.join(str(one['seed']) for one in ones)]


def table(data, systems):
    errors = (['accuracy'] if 'test' in SETS[data] else
              ['MSE, z-score', 'MAE, z-score', 'MSE, min-max', 'MAE, min-max'])
    return marked.table(['system', 'the paper', *errors, 's an epoch', 'parameters', 'MB', 'seeds'],
                        rows_of(data, systems))


def best(systems, of, key):
    """The one of these systems with the least MSE or the largest accuracy."""
    there = [name for name in of if name in systems]
    means = {name: statistics.mean(one[key] for one in systems[name]) for name in there}
    return (max if key == 'test_accuracy' else min)(there, key=means.get, default=None)


def difference(systems, one, other, key):
    """By how much one system is better than another in the mean, and twice the standard error of that, or
    None for single runs."""
    a, b = ([run[key] for run in systems[name]] for name in (one, other))
    gain = statistics.mean(a) - statistics.mean(b)
    if min(len(a), len(b)) < 2:
        error = None
    else:
        error = 2 * math.sqrt(statistics.variance(a) / len(a) + statistics.variance(b) / len(b))
    return gain if key == 'test_accuracy' else -gain, error


def verdict(systems, one, other, key):
    """Whether one system is better than another, by more than two standard errors of the difference."""
    if one not in systems or other not in systems:
        return '-'
    gain, error = difference(systems, one, other, key)
    if error is None:
        return f'{"better" if gain > 0 else "worse"}, in single runs'
    return 'no clear difference' if abs(gain) < error else 'better' if gain > 0 else 'worse'


def short_table(cells):
    """What the paper claims: fighter with kappa = 3 is better than the other systems."""
    head = ['set and settings', 'best other system', 'fighter 3', 'is fighter 3 better?', 'best fighter']
    rows = []
    for (data, settings), systems in cells.items():
        key = key_of(data)
        three = 'fighter 3' if 'fighter 3' in systems else None
        others, most = (best(systems, of, key) for of in (BASELINES, [f'fighter {k}' for k in KAPPAS]))
        said = lambda name: f'{spread(systems[name], key)} ({name})' if name else '-'
        rows.append([f'{data}, {settings}', said(others), said(three), verdict(systems, three, others, key),
                     said(most)])
    return marked.table(head, rows)


def beside_transformer(systems, name, key):
    """By how many percent of MSE or points of accuracy it is better; bold if that is not chance."""
    if name not in systems or 'transformer' not in systems:
        return '-'
    gain, error = difference(systems, name, 'transformer', key)
    unit = 1 if key == 'test_accuracy' else statistics.mean(run[key] for run in systems['transformer'])
    said = f'{100 * gain / unit:+.1f}'
    if float(said) == 0:
        return '0.0'
    return f'**{said}**' if error is not None and abs(gain) >= error else said


def kappa_table(cells):
    """What figures 3 and 4 show: fighter beside the transformer, over kappa."""
    head = ['set and settings', *(f'kappa {k}' for k in KAPPAS), 'is 8 better than 6?']
    rows = [(f'{data}, {settings}', systems, key_of(data)) for (data, settings), systems in cells.items()]
    rows += [(f'{data}, MAE, {settings}', systems, 'test_mae') for (data, settings), systems in cells.items()
             if data in WITH_MAE]
    return marked.table(head, [
        [said, *(beside_transformer(systems, f'fighter {k}', key) for k in KAPPAS),
         verdict(systems, 'fighter 8', 'fighter 6', key)] for said, systems, key in rows])


def change_table(head, cells, changed):
    """Systems with the paper's settings, and what a change makes of them; of the same seeds."""
    rows = []
    for (data, _), systems in changed.items():
        key = key_of(data)
        for name, ones in systems.items():
            seeds = [one['seed'] for one in ones]
            plain = [one for one in cells.get((data, PAPER), {}).get(name, ()) if one['seed'] in seeds]
            rows.append([f'{data}, {name.replace("fighter", "kappa")}', spread(plain, key) if plain else '-',
                         spread(ones, key),
                         verdict({'new': ones} | ({'plain': plain} if plain else {}), 'new', 'plain', key),
                         ', '.join(map(str, seeds))])
    return marked.table(head, rows)


RELU_HEAD = ['set and kappa', 'no activation', 'ReLU', 'is it better with ReLU?', 'seeds']
DECODER_HEAD = ['set and system', 'encoder only', 'with a decoder', 'is it better with a decoder?', 'seeds']


def curve(axis, systems, key):
    """Means over kappa with their standard deviations, and the transformer's as a line."""
    def figure(name):
        values = [run[key] for run in systems[name]]
        return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0
    there = [k for k in KAPPAS if f'fighter {k}' in systems]
    if there:
        means, deviations = zip(*(figure(f'fighter {k}') for k in there))
        axis.errorbar(there, means, deviations, marker='o', markersize=3, capsize=2, label='fighter')
    if 'transformer' in systems:
        mean, deviation = figure('transformer')
        axis.axhline(mean, color='C1', label='transformer')
        axis.axhspan(mean - deviation, mean + deviation, color='C1', alpha=0.2, linewidth=0)
    axis.set_xticks(list(KAPPAS))
    axis.grid(alpha=0.3)


def plot(cells, path):
    sets = list(dict.fromkeys(data for data, _ in cells))
    figure, axes = plots.pyplot().subplots(2, len(sets), figsize=(2.3 * len(sets), 4.4), squeeze=False)
    for axis in axes.flat:
        axis.set_visible(False)
    for (data, settings), systems in cells.items():
        row = (PAPER, OURS).index(settings)
        axis = axes[row][sets.index(data)]
        axis.set_visible(True)
        curve(axis, systems, key_of(data))
        axis.set_title(f'{data},\n{settings}', fontsize=8)
        axis.set_ylabel('accuracy' if 'test' in SETS[data] else 'MSE', fontsize=8)
        if row:
            axis.set_xlabel('kappa', fontsize=8)
    axes[0][0].legend(frameon=False, fontsize=7)
    plots.save(figure, path)


IN_SHORT = """## In short

In the paper, fighter with kappa = 3 is better than the other systems on Weather and AG News. This table
has the MSE under z-score, or the accuracy. "Better" and "worse" mean by more than two standard errors of
the difference. With three seeds this is a weak test: between equal systems, chance finds such a
difference in 12 to 18 % of cases. An accuracy near 0.9 on the 7,600 test texts of AG News has a standard
error of 0.0034, so a difference below 0.01 between two single runs may be chance.
"""
KAPPA = """## Effect of kappa

Figures 3 and 4 of the paper have the errors and accuracies of fighter over kappa, and of the transformer.
This table says by how much fighter is better: in percent of the transformer's MSE or, for figure 3b, of
its MAE, under z-score, or in points of accuracy. A difference of more than two standard errors is bold.
"""
PICTURE = """![Error or accuracy over kappa, and of the transformer, for each set and settings]({path})

Bars are standard deviations over the seeds. The band around the transformer is one standard deviation up
and down. The axes do not begin at 0.
"""
WITHOUT = """## One block with ReLU

The last layer of the paper's algorithm 1 has no activation (lines 16 to 24), so a model of one block has no
activation. This table compares it with the same block with ReLU (`--act relu`). The settings are the paper's,
and the errors are MSE under z-score, or accuracies.
"""
DECODERS = """## Baselines with a decoder

This table compares one block of the encoder with the same block and one block of a decoder (`--decoder
1`), which gives the whole forecast in one pass. Otherwise the settings are the paper's. The errors are
MSE under z-score.
"""
BOTTOM = """## How to repeat it

    tools/compare_papers.py --out docs/results/papers.md --plot docs/pictures/papers-kappa.svg

`--only 'Weather 96 fighter 3'` and `--seeds 1` choose a part of the runs.

The options of the paper's settings are `{series}` for series and `{texts}` for texts.

Threads: {threads}. Processor: {machine}. Source: {commit}."""


def write(args, found):
    cells, relu, decoders = (collect(args, found, of) for of in ((PAPER, OURS), (RELU,), (DECODER,)))
    if not cells:
        return ''
    ones = [one for systems in (cells | relu | decoders).values() for of in systems.values() for one in of]
    each = lambda key: ', '.join(sorted({str(one[key]) for one in ones}))
    fighters = {at: systems for at, systems in cells.items() if any('fighter' in name for name in systems)}
    text = [IN_SHORT, *short_table(fighters), KAPPA, *kappa_table(fighters)]
    if args.plot:
        plot(fighters, args.plot)
        text.append(PICTURE.format(path=os.path.relpath(args.plot, Path(args.out or '.').parent)))
    if relu:
        text += [WITHOUT, *change_table(RELU_HEAD, cells, relu)]
    if decoders:
        text += [DECODERS, *change_table(DECODER_HEAD, cells, decoders)]
    for (data, settings), systems in cells.items():
        text += [f'## {data}, {settings}', '', *table(data, systems)]
    text.append(BOTTOM.format(series=SERIES_PAPER, texts=TEXTS_PAPER,
                              threads=each('threads'), machine=each('machine'), commit=each('commit')))
    if args.out:
        marked.write(args.out, 'papers', text)
    return '\n'.join(text)


def main(arguments=None):
    p = record.arguments(__doc__, 'docs/results/papers.jsonl', 'SET SYSTEM SETTINGS')
    p.add_argument('--plot', help='SVG file for a picture of errors over kappa; needs matplotlib')
    args = p.parse_args(arguments)
    if args.plot:
        plots.pyplot()  # ends here without matplotlib, not after the first run
    record.campaign(args, runs(args, args.only), perform, write)


if __name__ == '__main__':
    main()
