#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A model that goes on with new rows, and forecasts of other lengths than the trained one: usage
test_forecast_update.py FORECAST SERIES.py
"""

import json
import sys
import tempfile
from pathlib import Path

from test_forecast import SMALL, Forecast, check, failures, write_series
from tool_checks import interrupt


def test_horizon(f):
    """The start of the model's forecast, and one that goes on from it."""
    f.measured('--save', 'h.st', '--predict', 'whole.csv', '--no-baselines')
    load = ['--load', 'h.st', '--no-baselines']
    whole = (f.directory / 'whole.csv').read_text().splitlines()
    for rows in (5, 12, 30):
        f.measured(*load, '--predict', 'other.csv', '--horizon', rows)
        other = (f.directory / 'other.csv').read_text().splitlines()
        check(f'--horizon {rows}', len(other) == rows + 1, other)
        check(f'--horizon {rows}', all(a == b for a, b in zip(whole, other)), (whole, other))
    options = ['--data', 'series.csv', '--load', 'h.st', '--horizon', 5]
    f.refused('--horizon alone', ['--predict'], *options)
    f.refused('--horizon and --intervals', ['--intervals'], *options, '--predict', 'x.csv', '--intervals', 80)
    f.refused('--horizon 0', ['--horizon', '0'], '--data', 'series.csv', '--predict', 'x.csv', '--horizon', 0)


def test_all_rows(f):
    """What is measured does not know the last rows, what forecasts and is saved does."""
    rows = (f.directory / 'series.csv').read_text().strip().split('\n')
    # all series rise by 50 when the test rows begin
    begin = 1 + 320
    for i in range(begin, len(rows)):
        label, *cells = rows[i].split(',')
        rows[i] = ','.join([label, *(str(float(cell) + 50) for cell in cells)])
    (f.directory / 'high.csv').write_text('\n'.join(rows) + '\n')
    for model in ('linear', 'fighter'):
        train = ['--data', 'high.csv', '--model', model, '--no-baselines', '--intervals', 80, '--threads', 1]
        plain = f.measured(*train)
        held = f.measured(*train, '--save', 'held.st', '--predict', 'held.csv', '--holdout')
        whole = f.measured(*train, '--save', 'whole.st', '--predict', 'whole.csv')
        for key in ('weights_hash', 'test_mse', 'val_mse', 'intervals'):
            check(f'{model}: {key} is measured before', plain[key] == held[key] == whole[key], key)
        check(f'{model}: --holdout', plain['refit'] is None and held['refit'] is None, held['refit'])
        check(f'{model}: all rows', whole['refit']['rows'] == 400 and
              whole['refit']['weights_hash'] != whole['weights_hash'], whole['refit'])
        text = {name: (f.directory / f'{name}.csv').read_text() for name in ('held', 'whole')}
        check(f'{model}: another forecast', text['held'] != text['whole'])
        seen = f.measured('--data', 'high.csv', '--load', 'whole.st', '--no-baselines', '--intervals', 80,
                          '--predict', 'loaded.csv')
        check(f'{model}: the saved model', seen['test_rows_seen'] == 80 and
              seen['weights_hash'] == whole['refit']['weights_hash'], seen)
        check(f'{model}: the saved model', (f.directory / 'loaded.csv').read_text() == text['whole'])
        check(f'{model}: held out', f.measured('--data', 'high.csv', '--load', 'held.st',
                                               '--no-baselines')['test_mse'] == held['test_mse'])
    two = f.measured('--data', 'high.csv', '--no-baselines', '--intervals', 80, '--threads', 2, '--save',
                     'two.st')
    check('threads', two['refit']['weights_hash'] == whole['refit']['weights_hash'], two['refit'])
    said = f.run('--data', 'high.csv', *SMALL, '--no-baselines', '--predict', 'x.csv').stdout
    check('it is said', 'fitted again to all 400 rows in ' in said and
          ', for --predict; the errors were measured before' in said, said)
    all_known = ['--data', 'high.csv', *SMALL, '--no-baselines', '--predict', 'x.csv', '--split', '1,0,0']
    said = f.run(*all_known).stdout
    check('nothing was held out', said and 'fitted again' not in said, said)
    mean = f.measured('--data', 'high.csv', '--no-baselines', '--members', 2, '--save', 'mean.st')
    check('members', mean['refit']['rows'] == 400, mean['refit'])
    f.refused('--holdout alone', ['--holdout'], '--data', 'high.csv', '--holdout')
    f.refused('--holdout and --load', ['--holdout'], '--data', 'high.csv', '--load', 'mean.st', '--predict',
              'x.csv', '--holdout')


def test_moments(f):
    """The optimiser of the training goes on, night after night; old.csv is there."""
    f.measured('--data', 'old.csv', '--save', 'run.st', '--checkpoint', 'run.ckpt', '--no-baselines',
               '--split', '0.9,0.1,0', '--holdout')
    update = ['--load', 'run.st', '--no-baselines', '--update']
    fresh = f.measured(*update, '--save', 'x.st')
    first = f.measured(*update, '--moments', 'run.ckpt', '--checkpoint', 'night.ckpt', '--save', 'night.st')
    check('--moments', first['weights_hash'] != fresh['weights_hash'], first)
    again = f.measured(*update, '--moments', 'run.ckpt', '--save', 'x.st')
    check('--moments again', again['weights_hash'] == first['weights_hash'], (first, again))
    done = f.run('--data', 'series.csv', *update, '--moments', 'night.ckpt', '--save', 'x.st')
    check('moments of other weights', done.returncode == 1 and
          'fighter-forecast: night.ckpt: its moments belong to another training' in done.stderr, done.stderr)
    f.refused('--moments without --update', ['--update'], '--data', 'series.csv', '--load', 'run.st',
              '--moments', 'run.ckpt')


def test_update(f):
    """Rows that are newer are learned once."""
    head, *rows = (f.directory / 'series.csv').read_text().strip().split('\n')
    (f.directory / 'old.csv').write_text('\n'.join([head, *rows[:300]]) + '\n')
    first = f.measured('--data', 'old.csv', '--save', 'old.st', '--no-baselines', '--split', '0.9,0.1,0')
    load = ['--load', 'old.st', '--no-baselines']
    new = f.measured(*load, '--update', '--save', 'new.st')
    check('--update', new['weights_hash'] != first['weights_hash'] and new['epochs_run'] == 1, new)
    seen = f.measured('--load', 'new.st', '--no-baselines')
    check('updated rows are no test', seen['test_rows_seen'] == 80, seen)
    check('--update before --save', seen['weights_hash'] == new['weights_hash'], (seen, new))
    done = f.run('--data', 'series.csv', '--load', 'new.st', '--update', '--save', 'x.st')
    check('nothing new', done.returncode == 1 and 'no target has a value after' in done.stderr, done)
    f.measured('--data', 'old.csv', '--save', 'linear.st', '--no-baselines', '--model', 'linear')
    done = f.run('--data', 'series.csv', '--load', 'linear.st', '--update', '--save', 'x.st')
    check('nothing to train', done.returncode == 1 and 'which is not trained' in done.stderr, done)
    test_moments(f)
    for option in (['--attent', 'hard'], ['--ratio', 'fixed'], ['--apart']):
        f.refused(f'--update {option[0]}', ['--update', option[0]], '--data', 'series.csv', '--load',
                  'old.st', '--update', *option)
    f.refused('--update without --save', ['--save', 'nothing keeps'], '--data', 'series.csv', '--load',
              'old.st', '--update')
    f.refused('--update without --load', ['--load'], '--data', 'series.csv', '--update')


def test_interrupt(f):
    """An update ends after the step, and leaves a model; old.st is there."""
    args = ['--data', 'series.csv', '--load', 'old.st', '--no-baselines', '--update', '--epochs', '1000000',
            '--json', '--save', 'i.st']
    status, out, err = interrupt([f.program, *args], f.directory, 'epoch  2/')
    got = json.loads(out) if out else {}
    check('^C ends the update', status == 130 and got.get('cancelled') and 'interrupted' in err, err)
    same = f.measured('--load', 'i.st', '--no-baselines')
    check('and leaves a model', same.get('weights_hash') == got.get('weights_hash'), same)


def main(program, script):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        write_series(script, f.directory)
        test_horizon(f)
        test_all_rows(f)
        test_update(f)
        test_interrupt(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
