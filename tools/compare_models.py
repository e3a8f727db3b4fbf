#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the table of docs/results/models.md: each kind of model on ETTh1 and ETTm1, 96 rows to 96 and to 192.

Runs the forecast program once a row and keeps each result as a line of JSON, so that what is finished is not
run again; a run is known by its data and options. One row after another, because times would mean nothing
otherwise."""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import record

SETS = {'ETTh1': 'etth', 'ETTm1': 'ettm'}
HORIZONS = (96, 192)
ERRORS = ('test_mse', 'test_mae')
MODELS = {f'fighter {k}': f'--model fighter --hops {k}' for k in range(1, 7)}
MODELS |= {kind: f'--model {kind}' for kind in 'transformer linear rnn lstm gru s4d s4'.split()}

TOP = """# Models compared

Written by `tools/compare_models.py`; do not edit. Every model has one layer, with its defaults, between
the same tokens (patches of 24 steps, stride 12, width 32) and the same head, inside reversible instance
normalisation. Only the linear map has no tokens. Windows have 96 rows. Errors are over all test windows,
in standard deviations of the training rows. Models are trained with AdamW and stop early by the
validation rows. There is one seed, so small differences mean little. The number after fighter is `hops`;
"us" is the time of a forecast of one window, in microseconds.

Times: {threads}, {machine}. {note}

    {program} --data SET.csv {common}

with the options in the last column added. Lowest errors are bold.
"""


def rows(args):
    """(set, horizon, model, options of the row, all options but --data)"""
    for name, split in SETS.items():
        for horizon in HORIZONS:
            for model, own in MODELS.items():
                if re.search(args.only, f'{name} {horizon} {model}'):
                    row = f'{own} --pred {horizon}'
                    yield name, horizon, model, row, f'--split {split} {row} {common(args)}'


def common(args):
    # only the layers, without the other parts of a forecaster
    options = '--input 96 --tokens patch --revin --calendar none --no-linear --average 0 --thin 1 --json'
    return f'{options} --epochs {args.epochs} --seed {args.seed}'


def run(args, name, options):
    data = Path(args.data) / f'{name}.csv'
    threads = ['--threads', str(args.threads)]
    done = subprocess.run([args.forecast, '--data', data, *options.split(), *threads], stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        sys.exit(f'compare_models: {name} {options}: status {done.returncode}')
    one = {'set': name, 'options': options, 'commit': record.commit(), 'machine': record.machine(),
           **json.loads(done.stdout)}
    record.add(args.results, one)
    return one


def cells(model, row, one, best):
    values = [f'{one[key]:.4f}' for key in ERRORS]
    errors = [f'**{v}**' if v == b else v for v, b in zip(values, best)]
    return [model, *errors, f'{one["parameters"]:,}', f'{one["train_seconds"]:.1f}', str(one['epochs_run']),
            f'{one["predict_us"]:.0f}', str(one['seed']), f'`{row}`']


def table(lines):
    """lines: (model, options of the row, result)"""
    best = [f'{min(one[key] for _, _, one in lines):.4f}' for key in ERRORS]
    head = ['model', 'MSE', 'MAE', 'parameters', 'training, s', 'epochs', 'us', 'seed', 'options']
    yield '| ' + ' | '.join(head) + ' |'
    yield '|---|' + '---:|' * 7 + '---|'
    for model, row, one in lines:
        yield '| ' + ' | '.join(cells(model, row, one, best)) + ' |'


def write(args, found):
    groups = {}
    for name, horizon, model, row, options in rows(args):
        one = found.get((name, options))
        if one:
            groups.setdefault((name, horizon), []).append((model, row, one))
    if not groups:
        return
    all_of = [one for lines in groups.values() for _, _, one in lines]
    each = lambda key: ', '.join(sorted({str(one[key]) for one in all_of}))
    text = [TOP.format(threads=f'threads: {each("threads")}', machine=each('machine'), note=args.note,
                       program=args.forecast, common=common(args) + ' --split etth|ettm')]
    for (name, horizon), lines in groups.items():
        text += [f'## {name}, 96 to {horizon}', '', *table(lines), '']
        text += [f'For comparison: {baselines(lines[0][2])}.', '']
    text += [f'Source: {each("commit")}; BLIS {each("blis_config")}.', '']
    record.replace(args.out, '\n'.join(text))


def baselines(one):
    parts = [f'the last value has MSE {one["naive_mse"]:.4f}, MAE {one["naive_mae"]:.4f}']
    if one['seasonal_mse'] is not None:
        parts.append(f'the value {one["season"]} rows ago {one["seasonal_mse"]:.4f}, '
                     f'{one["seasonal_mae"]:.4f}')
    return ', '.join(parts)


def main():
    root = Path(__file__).resolve().parent.parent
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--forecast', default='build/programs/fighter-forecast', help='the program')
    p.add_argument('--data', default='../shared/data', help='folder of the CSV files')
    p.add_argument('--results', default='docs/results/models.jsonl', help='finished runs')
    p.add_argument('--out', default='docs/results/models.md', help='the table')
    p.add_argument('--only', default='', help='rows whose "SET HORIZON MODEL" matches this expression')
    p.add_argument('--epochs', type=int, default=10)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--threads', type=int, default=os.cpu_count())
    p.add_argument('--note', default='Nothing else ran at the same time.',
                   help='what is to be said of the times')
    p.add_argument('--list', action='store_true', help='print the rows and stop')
    args = p.parse_args()
    os.chdir(root)
    found = {(one['set'], one['options']): one for one in record.read(args.results)}
    for name, horizon, model, _, options in rows(args):
        done = (name, options) in found
        print(f'{name} {horizon} {model}: {"done" if done else options}', flush=True)
        if done or args.list:
            continue
        found[name, options] = run(args, name, options)
        write(args, found)
    if not args.list:
        write(args, found)


if __name__ == '__main__':
    main()
