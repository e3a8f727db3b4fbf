#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The walkthrough program from outside: usage test_walkthrough.py WALKTHROUGH SERIES.py plots|no-plots
One epoch on a generated series, the same table for any number of threads, and for bad input a sentence."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = 400
MODELS = ['last value', 'RNN', 'Transformer', 'S4', 'Fighter']

failures = []


def check(what, good, more=''):
    if not good:
        failures.append(what)
        print(f'FAIL {what} {more}')


def run(program, directory, *args):
    # fonts that are still cached at the end are no leak of ours
    env = dict(os.environ, LSAN_OPTIONS=f'suppressions={directory}/leaks:print_suppressions=0')
    return subprocess.run([program, *map(str, args)], cwd=directory, env=env, capture_output=True, text=True,
                          timeout=300, check=False)


def table(done):
    """Name to (MSE, MAE, parameters), without the seconds."""
    rows = [line for line in done.stdout.splitlines() if line.startswith(tuple(MODELS))]
    return {r[:12].strip(): (float(r.split()[-4]), float(r.split()[-3]), int(r.split()[-2])) for r in rows}


def test_table(program, here, plots):
    plot = ['--plot', 'p.svg'] if plots else []
    done = run(program, here, '--data', 'series.csv', '--epochs', 1, '--threads', 1, *plot)
    got = table(done)
    check('it runs', done.returncode == 0, done.stderr)
    check('a row each', list(got) == MODELS, done.stdout)
    check('errors', all(0 < mse < 10 and 0 < mae < 10 for mse, mae, _ in got.values()), got)
    check('windows', '270 training windows, 80 test windows' in done.stdout, done.stdout)
    check('about equal', 0.9 < got['Fighter'][2] / got['Transformer'][2] < 1.1, got)
    again = run(program, here, '--data', 'series.csv', '--epochs', 1, '--threads', 2)
    check('the same for two threads', table(again) == got, again.stdout)
    if plots:
        picture = (here / 'p.svg').read_text()
        check('the picture is whole', picture.rstrip().endswith('</svg>') and len(picture) > 10000)


def refused(program, here, words, *args):
    done = run(program, here, *args)
    last = done.stderr.strip().split('\n')[-1]
    check(args, done.returncode == 1 and last.startswith('walkthrough: '), (done.returncode, last))
    for word in words:
        check(args, word in last, f'"{word}" is not in "{last}"')


def test_refused(program, here, plots):
    (here / 'other.csv').write_text('date,A\n' + 'x,1\n' * 99)
    (here / 'short.csv').write_text('date,OT\n' + ''.join(f'x,{i}\n' for i in range(40)))
    data = ['--data', 'series.csv']
    for words, args in ((['--data'], []), (['absent.csv'], ['--data', 'absent.csv']),
                        (['other.csv', 'OT'], ['--data', 'other.csv']),
                        (['short.csv'], ['--data', 'short.csv']),
                        (['--epochs', 'ten'], [*data, '--epochs', 'ten']),
                        (['--epochs'], [*data, '--epochs', 0]),
                        (['--seed'], [*data, '--seed']), (['--sed'], [*data, '--sed', 1]),
                        (['--plot', '.svg' if plots else 'cairo'], [*data, '--plot', 'p.gif'])):
        refused(program, here, words, *args)
    if plots:
        refused(program, here, ['none/p.svg'], *data, '--plot', 'none/p.svg')


def main(program, script, plots):
    program = str(Path(program).resolve())
    with tempfile.TemporaryDirectory() as directory:
        here = Path(directory)
        (here / 'leaks').write_text('leak:libfontconfig\n')
        made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
        (here / 'series.csv').write_text('\n'.join(made.stdout.split('\n')[:ROWS + 1]) + '\n')
        helped = run(program, here, '--help')
        check('--help', helped.returncode == 0 and '--plot' in helped.stdout, helped)
        test_table(program, here, plots == 'plots')
        test_refused(program, here, plots == 'plots')
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
