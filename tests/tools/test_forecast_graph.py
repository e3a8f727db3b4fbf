#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The forecast program on series that read each other along a graph: usage test_forecast_graph.py
FORECAST [PATHS]
"""

import csv
import datetime
import io
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from test_forecast import Forecast, check, failures
from tool_checks import defaults

ROWS, STEPS, NODES = 600, 4, 4
NAMES = [f's{i}' for i in range(NODES)]


def write_wanderers(path):
    """s0 wanders, and each other series repeats the one before it after 4 rows: whoever reads it knows the
    next 4 rows. A few values are missing, for which 0 stands."""
    draw = random.Random(1)
    values = [[0.0] * NODES]
    for r in range(1, ROWS):
        row = [0.9 * values[-1][0] + draw.gauss(0, 1)]
        row += [values[r - STEPS][i - 1] if r >= STEPS else draw.gauss(0, 1) for i in range(1, NODES)]
        values.append(row)
    start = datetime.datetime(2020, 1, 1)
    lines = ['date,' + ','.join(NAMES)]
    for r, row in enumerate(values):
        cells = ['0' if draw.random() < 0.02 else f'{50 + 3 * v:.4f}' for v in row]
        lines.append(f'{start + datetime.timedelta(hours=r)},' + ','.join(cells))
    path.write_text('\n'.join(lines) + '\n')


def options(*args):
    usual = ['--data', 'graph.csv', '--input', 12, '--pred', STEPS, '--missing-value', 0, '--missing', 'mask',
             '--model', 'mlp', '--tokens', 'variate', '--dim', 16, '--dropout', 0, '--batch', 8,
             '--epochs', 12, '--lr', 0.01, '--shared-scale', '--blind', '--no-baselines']
    return [*defaults(usual, args), *args]


def measured(f, *args):
    return f.measured(*options('--patch', 3, '--stride', 3, *args))


def test_graphs(f):
    rows = [','.join('1' if j == i - 1 else '0' for j in range(NODES)) for i in range(NODES)]
    (f.directory / 'g.csv').write_text('\n'.join(rows) + '\n')
    alone = measured(f)
    error = lambda got: sum(step['unit_mae'] for step in got['by_step']) / STEPS
    runs = {'a given graph': ['--graph', 'g.csv'], 'a learned one': ['--graph', 'learn'],
            'both': ['--graph', 'g.csv', '--learned', 4],
            'after all layers': ['--graph', 'g.csv', '--space', 'then'],
            'fighter': ['--space', 'and', '--space-model', 'fighter', '--identity'],
            'patches': ['--graph', 'g.csv', '--tokens', 'patch'],
            'fighter along edges': ['--graph', 'g.csv', '--space-model', 'fighter'],
            'transformer of patches along edges':
                ['--graph', 'g.csv', '--space-model', 'transformer', '--tokens', 'patch']}
    for what, args in runs.items():
        got = measured(f, *args)
        check(f'{what}: better than each series alone', error(got) < 0.9 * error(alone),
              (error(got), error(alone)))
        check(f'{what}: settings', got['settings']['space'] == ('then' if 'then' in args else 'and'), args)


def test_variates_attend(f):
    """Whole series attend to each other along the edges alone. What the series after it did tells nothing."""
    rows = [','.join('1' if j == i + 1 else '0' for j in range(NODES)) for i in range(NODES)]
    (f.directory / 'back.csv').write_text('\n'.join(rows) + '\n')
    for model in 'fighter', 'transformer', 'attention':
        got = {name: measured(f, '--graph', f'{name}.csv', '--model', model, '--epochs', 8)
               for name in ('g', 'back')}
        error = {name: sum(step['unit_mae'] for step in one['by_step']) for name, one in got.items()}
        check(f'{model}: edges help', error['g'] < 0.9 * error['back'], error)
        check(f'{model}: no layer between series', got['g']['settings']['space'] == 'none')


def test_files(f):
    args = ['--graph', 'learn', '--identity', '--epochs', 1]
    made = measured(f, *args, '--threads', 1, '--save', 'm.safetensors', '--predict', 'a.csv')
    again = measured(f, *args, '--threads', 2)
    check('the same bits on two threads', made['weights_hash'] == again['weights_hash'])
    back = measured(f, '--graph', 'g.csv', '--backtest', 2, '--epochs', 1)
    check('a graph in a backtest', back['settings']['backtest'] == 2, back)
    done = f.run('--load', 'm.safetensors', '--data', 'graph.csv', '--missing-value', 0, '--missing', 'mask',
                 '--predict', 'b.csv', '--no-baselines')
    check('a loaded model', done.returncode == 0, done.stderr)
    check('forecasts of a loaded model', (f.directory / 'a.csv').read_text() ==
          (f.directory / 'b.csv').read_text())


def test_names(f):
    """Matrix, matrix with names and list of edges are one graph, whatever the order of the lines."""
    reads = [(1, 0), (2, 1), (3, 2)]
    back = list(reversed(range(NODES)))
    weight = lambda i, j: '1' if (i, j) in reads else '0'
    files = {'plain': [','.join(weight(i, j) for j in range(NODES)) for i in range(NODES)],
             'named': ['id,' + ','.join(NAMES[j] for j in back)] +
                      [','.join([NAMES[i]] + [weight(i, j) for j in back]) for i in (2, 0, 3, 1)],
             'list': ['target,source'] + [f'{NAMES[j]},{NAMES[i]}' for i, j in reversed(reads)]}
    hashes = {}
    for name, lines in files.items():
        (f.directory / f'{name}.csv').write_text('\n'.join(lines) + '\n')
        hashes[name] = measured(f, '--graph', f'{name}.csv', '--epochs', 1)['weights_hash']
    check('the same bits from all forms of a graph', len(set(hashes.values())) == 1, hashes)
    said = f.run(*options('--graph', 'list.csv', '--epochs', 1, '--model', 'gcn', '--tokens', 'variate'))
    check('variates have names, too', said.returncode == 0, said.stderr)


def test_printed(f):
    said = f.run(*options('--graph', 'learn', '--epochs', 1)).stdout
    check('errors in the common unit', 'all series by step, in units of the file' in said, said)


def test_refused(f):
    refused = lambda what, words, *args: f.refused(what, words, *options(*args))
    refused('a graph between steps', ['--tokens patch or variate'], '--graph', 'g.csv', '--tokens', 'time')
    refused('a fighter between steps', ['--graph: ', '--tokens patch or variate'], '--graph', 'g.csv',
            '--tokens', 'time', '--model', 'fighter')
    for where in ('none', 'and'):
        refused(f'--space {where} between steps', ['--graph: ', '(got --tokens time, need --tokens patch'],
                '--graph', 'g.csv', '--tokens', 'time', '--space', where)
    refused('no graph', ['needs --graph FILE or learn'], '--space', 'and', '--space-model', 'gcn')
    refused('in order', ['lstm', 'between series'], '--space', 'and', '--space-model', 'lstm')
    refused('fighter has no learned graph', ['fighter reads no graph that is learned'], '--graph', 'learn',
            '--space-model', 'fighter')
    refused('lstm has no graph', ['--graph', 'fighter', 'lstm'], '--graph', 'g.csv', '--space', 'none',
            '--tokens', 'patch', '--model', 'lstm')
    refused('learned for nobody', ['--learned needs --graph'], '--learned', 3)
    refused('nowhere', ['need --space'], '--space-model', 'gcn')
    refused('a residual path', ['--model attention'], '--no-residual')
    refused('no layer with such a norm', ['attention and gcn'], '--post-norm', '--model', 'mlp', '--tokens',
            'patch')
    refused('a channel of patches', ['--tokens patch'], '--known-channel', '--tokens', 'variate')
    (f.directory / 'small.csv').write_text('1,0\n0,1\n')
    refused('a graph of another size', ['wrong number of nodes (got 2, need 4)'], '--graph', 'small.csv')
    (f.directory / 'negative.csv').write_text('0,-1,0,0\n' + '0,0,0,0\n' * 3)
    refused('a negative weight', ['line 1', '"s0" to "s1"', '-1'], '--graph', 'negative.csv')
    (f.directory / 'unknown.csv').write_text('from,to\ns0,s1\ns2,x3\n')
    refused('a node that is no series', ['line 3', 'column 2', '"x3"'], '--graph', 'unknown.csv')
    (f.directory / 'three.csv').write_text('from,to\ns0,s1\ns2,s1\n')
    refused('a series that the graph does not name', ['"s3"'], '--graph', 'three.csv')
    text = (f.directory / 'graph.csv').read_text().split('\n')
    dead = [text[0]] + [','.join(line.split(',')[:4] + ['0']) for line in text[1:] if line]
    (f.directory / 'dead.csv').write_text('\n'.join(dead) + '\n')
    said = f.run(*options('--graph', 'learn', '--data', 'dead.csv')[2:]).stderr
    check('a sensor without a value', '1 series is left out, because it has no value: s3' in said, said)


def test_paths(f, program):
    """examples/paths tells how a token depends on itself and on the others."""
    made = {}
    for name, more in ('plain', []), ('masked', ['--diag-mask']):
        done = f.run(*options('--tokens', 'patch', '--patch', 1, '--stride', 1, '--model', 'attention',
                              '--graph', 'learn', '--heads', 2, '--epochs', 1, '--save', name, *more))
        check(f'{name}: trained', done.returncode == 0, done.stderr)
        done = subprocess.run([Path(program).resolve(), name, 'graph.csv', '0'], cwd=f.directory,
                              capture_output=True, text=True, check=False)
        check(f'{name}: paths', done.returncode == 0, done.stderr)
        made[name] = {row[0]: row[1:] for row in csv.reader(io.StringIO(done.stdout))}
    number = lambda name, path, at: float(made[name][path][at])
    check('the query path is of the token itself',
          number('plain', 'query', 1) == 0 < number('plain', 'query', 0))
    check('a masked token reads no value of itself', number('masked', 'value', 0) == 0 <
          number('masked', 'value', 1), made['masked'])
    for name in made:
        check(f'{name}: sure bounds', all(0 < number(name, 'equation 8', at) <= number(name, 'sure bound', at)
                                          for at in (0, 1)), made[name])
    check('the diagonal', number('masked', 'diagonal', 0) == 0 < number('plain', 'diagonal', 0) < 1, made)


def main(program, paths=None):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        write_wanderers(f.directory / 'graph.csv')
        for test in (test_graphs, test_variates_attend, test_files, test_names, test_printed, test_refused):
            test(f)
        if paths:
            test_paths(f, paths)
    print('FAILED' if failures else 'passed')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
