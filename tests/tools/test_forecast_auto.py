#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The search for a model, --auto: usage test_forecast_auto.py FORECAST SERIES.py

Budgets, the table of what was tried, the model that is saved, and options that narrow the search or do not go
together with it.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

from test_forecast import Forecast, check, failures, write_series
from tool_checks import defaults

FIXED = '--input 24 --pred 12 --dim 8'.split()


def search(f, *args):
    """The JSON object of a search that must succeed, and what it printed."""
    done = f.run('--data', 'series.csv', *defaults(['--pred', 12], args), '--auto', '--no-baselines',
                 '--json', *args)
    check(f'--auto {args}', done.returncode == 0, done.stderr)
    return json.loads(done.stdout or '{}'), done.stderr


def test_budgets(f):
    """Epochs are counted, and what is found does not depend on threads."""
    one, said = search(f, '--budget-epochs', 4, '--threads', 1, '--save', 'auto.st', '--holdout')
    auto = one['auto']
    trials = auto['trials']
    check('epochs', 0 < auto['epochs'] <= 4 and one['train_seconds'] > 0, auto)
    check('every trial is printed', len(re.findall(r'^ +\d+  \w', said, re.M)) >= len(trials), said)
    check('look-backs', len({t['input'] for t in trials if t['model'] == 'linear'}) > 1, trials)
    check('the best stays', auto['val'] <= auto['linear_val'] and
          abs(auto['val'] - one['val_mse']) < 1e-5, (auto, one['val_mse']))
    best = [t for t in trials if t['candidate'] == auto['best'] and t['best']][-1]
    check('settings', best['input'] == one['input_len'] == one['settings']['input'] and
          best['model'] == one['model'] and best['dim'] == one['settings']['dim'], (best, one['settings']))
    check('settings have the loss', best['loss'] == one['settings']['loss'], one['settings'])
    two, _ = search(f, '--budget-epochs', 4, '--threads', 2)
    check('threads', two['weights_hash'] == one['weights_hash'])
    loaded = f.run('--data', 'series.csv', '--load', 'auto.st', '--json', '--no-baselines')
    check('--load', json.loads(loaded.stdout)['test_mse'] == one['test_mse'], loaded.stdout)
    none, _ = search(f, '--budget', 0)
    check('no budget', none['model'] == 'linear' and none['auto']['epochs'] == 0, none['auto'])


def test_narrower(f):
    """Options that are given stay."""
    for option, value, key in (('--model', 'gru', 'model'), ('--tokens', 'time', 'tokens'),
                               ('--input', 36, 'input'), ('--loss', 'mae', 'loss'), ('--dim', 12, 'dim'),
                               ('--calendar', 'none', 'calendar')):
        found, _ = search(f, option, value, '--budget-epochs', 2)
        layers = [t for t in found['auto']['trials'] if t['model'] != 'linear']
        check(f'{option} stays', layers and all(t[key] == value for t in layers), layers)
    found, _ = search(f, '--model', 'linear', '--budget-epochs', 2)
    check('--model linear', all(t['model'] == 'linear' for t in found['auto']['trials']), found['auto'])
    search(f, *FIXED, '--quantiles', '0.1,0.5,0.9', '--budget-epochs', 2)
    search(f, *FIXED, '--no-linear', '--budget', 0)
    search(f, '--layer-input', 24, '--budget-epochs', 1)


def test_refused(f):
    """A sentence for what does not go together."""
    for option in (['--load', 'x.st'], ['--checkpoint', 'x.ckpt'], ['--attent', 'random']):
        f.refused(f'--auto {option[0]}', [option[0], '--auto'], '--data', 'series.csv', '--auto', *option)
    f.refused('--budget alone', ['--auto'], '--data', 'series.csv', '--budget', 9)
    f.refused('no validation rows', ['no validation rows'], '--data', 'series.csv', '--input', 24,
              '--pred', 12, '--auto', '--split', '0.8,0,0.2')
    f.refused('a wrong column', ['there is no column'], '--data', 'series.csv', '--auto', '--target', 'x')


def main(program, script):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        write_series(script, f.directory)
        test_budgets(f)
        test_narrower(f)
        test_refused(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
