#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes docs/results/forecasting.md: forecasters on the usual sets beside LightGBM and simple rules.

Cells are sets and numbers of steps. In each of them, the program forecast runs with its defaults, with chosen
options, and as a linear map in closed form with several look-backs; LightGBM runs beside it where Python has
it (pip install lightgbm). One run after another, because times would mean nothing otherwise. Each result is
kept as a line of JSON, so that what is finished is not run again; a run is known by its set, options and
threads, so remove the file of results after a change of the program."""

import importlib.util
import re
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

import marked
import record


def months(rows):
    """The split of the ETT sets: 12, 4 and 4 months, with so many rows in four of them."""
    return lambda _: (3 * rows, 4 * rows, 5 * rows)


def shares(rows):
    """The split of the program's default, 0.7, 0.1 and 0.2."""
    return int(0.7 * rows), rows - int(0.2 * rows), rows


# split: rows -> ends of training, validation and test
SETS = {
    'ETTh1': {'file': 'ETTh1.csv', 'options': '--split etth', 'split': months(2880)},
    'ETTh2': {'file': 'ETTh2.csv', 'options': '--split etth', 'split': months(2880)},
    'ETTm1': {'file': 'ETTm1.csv', 'options': '--split ettm', 'split': months(11520)},
    # -9999 stays a value there, as in what others publish
    'Weather': {'file': 'weather.csv.gz', 'options': '--repair all --missing mask', 'split': shares},
}
HORIZONS = (96, 192)
SHORT = 96  # the look-back that most published figures have
CLOSED = {f'closed form, {n} rows': f'--model linear --input {n}' for n in (SHORT, 336, 720)}
BASELINES = f'closed form, {SHORT} rows'  # the run that measures last value and seasonal value, too
DEFAULTS = 'defaults'
VARIATE = ('--tokens variate --model transformer --revin --dim 96 --ff 256 --layers 2 --lr 3e-4 '
           '--dropout 0.1 --epochs 2 --thin 1')
APART = '--tokens variate --model transformer --revin --apart'
# What depends on the seed. `fighter-forecast --help all` explains the options.
OURS = {
    DEFAULTS: '',
    f'defaults, {SHORT} rows': f'--input {SHORT}',
    f'series as tokens, {SHORT} rows': f'--input {SHORT} {VARIATE}',
    f'series as tokens, apart, {SHORT} rows': f'--input {SHORT} {APART}',
    f'series as tokens, {SHORT} of 720 rows': f'--input 720 --layer-input {SHORT} {VARIATE}',
}
BOOSTING = {f'LightGBM, {n} rows': n for n in (SHORT, 720)}

# MSE: with 96 rows of input and reversible instance normalisation, before maps in closed form; what was aimed
# at with 96 rows, and with any number
BEFORE = {('ETTh1', 96): 0.377, ('ETTh1', 192): 0.431, ('ETTh2', 96): 0.288, ('ETTh2', 192): 0.370,
          ('ETTm1', 96): 0.328, ('ETTm1', 192): 0.368, ('Weather', 96): 0.173}
TARGETS = {('ETTh1', 96): (0.366, 0.358), ('ETTh1', 192): (0.418, 0.392), ('ETTh2', 96): (0.280, 0.266),
           ('ETTh2', 192): (0.362, 0.326), ('ETTm1', 96): (0.308, 0.279), ('ETTm1', 192): (0.352, 0.322),
           ('Weather', 96): (0.152, 0.140), ('Weather', 192): (0.198, 0.182)}

KEPT = ('val_mse', 'test_mse', 'test_mae', 'naive_mse', 'naive_mae', 'seasonal_mse', 'seasonal_mae', 'season',
        'input_len', 'test_windows', 'train_seconds', 'predict_us', 'epochs_run', 'seed', 'threads')


class Run(NamedTuple):
    """One training; look: rows of look-back of LightGBM, 0 for runs of the program."""
    data: str
    horizon: int
    name: str
    options: str
    seed: int
    look: int

    @property
    def label(self):
        return f'{self.data} {self.horizon} {self.name}'


# ---- running ----

def runs(args, only=''):
    """Those whose "SET STEPS NAME" matches; by seed, so that a stop leaves whole seeds."""
    for seed in args.seeds:
        for data in SETS:
            for horizon in HORIZONS:
                for one in runs_of(args, data, horizon, seed):
                    if re.search(only, one.label):
                        yield one


def runs_of(args, data, horizon, seed):
    for name, own in {**CLOSED, **OURS}.items():
        if name in OURS or seed == args.seeds[0]:
            more = '' if name == BASELINES else '--no-baselines'
            yield Run(data, horizon, name, ' '.join(f'--pred {horizon} {own} {more}'.split()), seed, 0)
    for name, look in BOOSTING.items():
        if seed == args.seeds[0]:
            yield Run(data, horizon, name, f'LightGBM --pred {horizon} --input {look}', seed, look)


def command(args, run):
    what = SETS[run.data]
    return [record.program(args, 'forecast'), '--data', str(Path(args.data) / what['file']),
            *what['options'].split(), *run.options.split(), '--seed', str(run.seed), '--threads',
            str(args.threads), '--json']


def run_program(args, run):
    got, _, _ = record.execute(command(args, run))
    build = got['build']
    version = f'fighter {build["version"]}, BLIS {build["blas_version"]} ({build["blas_config"]})'
    return {k: got[k] for k in KEPT if k in got} | {'version': version}


def run_boosting(args, run):
    import boosting  # needs packages that not everybody has
    what = SETS[run.data]
    return boosting.run(Path(args.data) / what['file'], what['split'], run.look, run.horizon, run.seed,
                        args.threads)


def perform(args, run):
    if run.look and not args.can_boost:
        return None
    return run_boosting(args, run) if run.look else run_program(args, run)


# ---- tables ----

class Method(NamedTuple):
    """The results of one forecaster in one cell, of all seeds."""
    name: str
    ones: list

    def values(self, key):
        return [one[key] for one in self.ones]

    def mean(self, key):
        return statistics.mean(self.values(key))

    def spread(self, key):
        more = f' +- {statistics.stdev(self.values(key)):.4f}' if len(self.ones) > 1 else ''
        return f'{self.mean(key):.4f}{more}'


def collect(args, found):
    """{(set, horizon): {name: Method}} of what is finished"""
    cells = {}
    for run in runs(args):
        one = found.get(record.key(run, args.threads))
        if one:
            names = cells.setdefault((run.data, run.horizon), {})
            names.setdefault(run.name, Method(run.name, [])).ones.append(one)
    return cells


def check_protocol(cells):
    """The errors of the last value do not depend on who measures them."""
    for (data, horizon), names in cells.items():
        errors = [(m.name, m.ones[0]['naive_mse']) for m in names.values() if m.ones[0].get('naive_mse')]
        for name, error in errors:
            if abs(error - errors[0][1]) > 1e-3 * errors[0][1]:
                sys.exit(f'compare_forecasts: {data} {horizon}: MSE of the last value is {errors[0][1]} for '
                         f'{errors[0][0]}, {error} for {name}: they were not measured on the same values')


def best(names, of, short):
    """The one of these forecasters with the least error on validation rows; short: with 96 rows of input."""
    there = [names[n] for n in of if n in names]
    there = [m for m in there if not short or m.ones[0]['input_len'] == SHORT]
    return min(there, key=lambda m: m.mean('val_mse'), default=None)


def simple(names):
    """(name, MSE, MAE) of last value and seasonal value"""
    one = names[BASELINES].ones[0] if BASELINES in names else {}
    if one.get('naive_mse') is not None:
        yield 'last value', one['naive_mse'], one['naive_mae']
    if one.get('seasonal_mse') is not None:
        yield f'value {one["season"]} rows ago', one['seasonal_mse'], one['seasonal_mae']


def chosen(method):
    return f'{method.mean("test_mse"):.4f} ({method.name})' if method else '-'


def short_table(cells):
    head = ['MSE of', 'before', 'aim, 96 rows', 'here, 96 rows', 'LightGBM, 96 rows', 'aim', 'here',
            'LightGBM']
    ours, rows = [*CLOSED, *OURS], []
    for cell, names in cells.items():
        aims = [f'{aim:.3f}' for aim in TARGETS.get(cell, ())] or ['-', '-']
        before = f'{BEFORE[cell]:.3f}' if cell in BEFORE else '-'
        rows.append([f'{cell[0]} {cell[1]}', before, aims[0], chosen(best(names, ours, True)),
                     chosen(best(names, BOOSTING, True)), aims[1], chosen(best(names, ours, False)),
                     chosen(best(names, BOOSTING, False))])
    return marked.table(head, rows)


def defaults_table(cells):
    head = ['MSE of', 'defaults', 'here', 'defaults / here', 'best simple rule', 'defaults / simple rule']
    rows = []
    for cell, names in cells.items():
        if DEFAULTS not in names:
            continue
        mine = names[DEFAULTS].mean('test_mse')
        other = best(names, [*CLOSED, *OURS], False).mean('test_mse')
        rule = min((mse, name) for name, mse, _ in simple(names)) if BASELINES in names else None
        rows.append([f'{cell[0]} {cell[1]}', f'{mine:.4f}', f'{other:.4f}', f'{mine / other:.3f}',
                     f'{rule[0]:.4f} ({rule[1]})' if rule else '-', f'{mine / rule[0]:.3f}' if rule else '-'])
    return marked.table(head, rows)


def cell_table(names):
    head = ['forecaster', 'input', 'validation MSE', 'MSE', 'MAE', 'training, s', 'whole command, s',
            'window, us', 'seeds']
    rows = [[name, '-', '-', f'{mse:.4f}', f'{mae:.4f}', *('----')] for name, mse, mae in simple(names)]
    for m in names.values():
        seeds = ', '.join(str(seed) for seed in m.values('seed')) if m.name not in CLOSED else '-'
        rows.append([m.name, str(m.ones[0]['input_len']), m.spread('val_mse'), m.spread('test_mse'),
                     m.spread('test_mae'), f'{m.mean("train_seconds"):.1f}', f'{m.mean("seconds"):.1f}',
                     f'{m.mean("predict_us"):,.0f}', seeds])
    return marked.table(head, rows)


TOP = """# Forecasting results

Written by `tools/compare_forecasts.py`; do not edit. This page has the errors of the program
`fighter-forecast` on four public sets, 96 and 192 steps ahead. It compares them with LightGBM, a library
for boosted trees, and with simple rules.

All errors are over all test windows and all series, in standard deviations of the training rows. The ETT
sets are split into 12, 4 and 4 months, Weather into 0.7, 0.1 and 0.2 of its rows. In Weather, -9999 means
a missing value. Here it is left as a value, because published errors are measured in this way; with your
own data, use the program's option `--missing-value`. If a forecaster depends on a seed, errors are the
mean and, after +-, the standard deviation over the seeds.

## In short

"Before" are the errors of this library with 96 rows of input and reversible instance normalisation,
before it had maps in closed form. The aims are near the best published errors over all test windows.
"Here" is the configuration below with the least error on the validation rows, either among the
configurations with 96 rows of input or among all. The look-back of LightGBM is chosen in the same way.
"""
MIDDLE = """## Defaults

The program has these errors without options for the model. A simple rule repeats the last value, or the
value of a season ago.
"""
CELLS = """## All configurations

"Training" is the number of seconds in which layers are trained. The "whole command" reads the file,
solves for the map in closed form, trains, and measures all test windows; with 96 rows of input it
measures the simple rules, too. "Window" is the time of forecasting all series of a single window, in
microseconds.
"""
BOTTOM = """## How to repeat it

    {command} [--only 'ETTh1 96'] [--seeds 1..3]

The command of a row is

    fighter-forecast --data FILE OF THE SET --pred STEPS OPTIONS --seed SEED

with these options of the sets and of the rows:

{options}

`tools/boosting.py` has the features, parameters and samples of LightGBM, which has one model for all
series and steps of a cell. {note}

Threads: {threads}. Processor: {machine}. {versions}. Source: {commit}.
"""


def options_list():
    named = {name: what['options'] for name, what in SETS.items()} | CLOSED | OURS
    return [f'- {name}: ' + (f'`{options}`' if options else 'none') for name, options in named.items()]


def write(args, found):
    cells = collect(args, found)
    if not cells:
        return ''
    check_protocol(cells)
    ones = [one for names in cells.values() for m in names.values() for one in m.ones]
    each = lambda key: ', '.join(sorted({str(one[key]) for one in ones}))
    text = [TOP, *short_table(cells), MIDDLE, *defaults_table(cells), CELLS]
    for (data, horizon), names in cells.items():
        text += [f'### {data}, {horizon} steps', '', *cell_table(names)]
    text += [BOTTOM.format(command='tools/compare_forecasts.py', options='\n'.join(options_list()),
                           note=args.note, threads=each('threads'), machine=each('machine'),
                           versions=each('version'), commit=each('commit'))]
    text = '\n'.join(text)
    if args.out:
        record.replace(args.out, text)
    return text


def main(arguments=None):
    p = record.arguments(__doc__, 'docs/results/forecasting.jsonl', 'SET STEPS NAME')
    p.add_argument('--note', default='Nothing else ran beside the runs.',
                   help='what is to be said of the times')
    args = p.parse_args(arguments)
    args.can_boost = all(importlib.util.find_spec(package) for package in ('numpy', 'lightgbm'))
    if not args.can_boost:
        print('compare_forecasts: Python has no LightGBM, so it does not run', file=sys.stderr)
    record.campaign(args, runs(args, args.only), perform, write)


if __name__ == '__main__':
    main()
