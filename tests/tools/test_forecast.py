#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The forecast program from outside: usage test_forecast.py FORECAST SERIES.py plots|no-plots

Every model on a generated series, the same weights for any number of threads, files written whole or not
at all, and for each kind of bad input a sentence that names it and the exit status 1.
"""

import csv
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from file_events import Folder
from tool_checks import defaults, interrupt

KEYS = """dataset model parameters input_len pred_len train_windows val_windows test_windows epochs_run
    best_epoch train_seconds samples_backpropagated test_mse test_mae naive_mse naive_mae linear_mse
    linear_mae seed threads blis_config weights_hash""".split()
SMALL = '--input 24 --pred 12 --dim 8 --patch 8 --stride 8 --epochs 1'.split()
ROWS = 400
IN_ORDER = ['rnn', 'gru', 'lstm', 's4', 's4d', 'autoformer']
OWN = {'fighter': ['--hops', '3,2'], 'gcn': ['--hops', '3,2'], 'linear': [],
       'transformer': ['--layers', 2, '--heads', 2, '--ff', 24], 'mlp': ['--layers', 2, '--ff', 24]}

failures = []


def check(what, good, more=''):
    if not good:
        failures.append(what)
        print(f'FAIL {what} {more}')


def options_of(args):
    """SMALL, but what args give, what a model of --load says itself, and what only a training needs."""
    trained = SMALL[-2:] if '--update' in args or '--adapt' in args else []
    return defaults(SMALL[:4] + trained if '--load' in args else SMALL, args)


class Forecast:
    """Runs the program in a directory of its own."""

    def __init__(self, program, directory):
        self.program = str(Path(program).resolve())
        self.directory = directory
        # fonts that are still cached at the end are no leak of ours
        (directory / 'leaks').write_text('leak:libfontconfig\n')
        self.env = dict(os.environ, LSAN_OPTIONS=f'suppressions={directory}/leaks:print_suppressions=0')

    def run(self, *args):
        return subprocess.run([self.program, *map(str, args)], cwd=self.directory, env=self.env,
                              capture_output=True, text=True, errors='replace', timeout=300,
                              check=False)

    def models(self):
        """What --model takes, as the sentence says that refuses another name."""
        said = self.run('--data', 'series.csv', '--model', '?').stderr.strip()
        return said.split('must be one of ')[-1].split(', ')

    def measured(self, *args):
        """The JSON object of a run that must succeed."""
        data = [] if '--data' in args else ['--data', 'series.csv']
        done = self.run(*data, *options_of(args), '--json', *args)
        name = ' '.join(map(str, args))
        check(name, done.returncode == 0, done.stderr)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            check(f'{name}: one JSON object', False, done.stdout)
            return {}

    def said(self, what, words, *args):
        """Exit status 1, and a last sentence with these words, perhaps after a report."""
        done = self.run(*args)
        last = done.stderr.strip().split('\n')[-1]
        check(what, done.returncode == 1, f'status {done.returncode}, {done.stdout!r}')
        for word in words:
            check(what, word in last, f'"{word}" is not in "{last}"')

    def refused(self, what, words, *args):
        """Exit status 1, nothing on the output, one sentence with these words last."""
        done = self.run(*args)
        last = done.stderr.strip().split('\n')[-1]
        check(what, done.returncode == 1 and done.stdout == '', f'status {done.returncode}, {done.stdout!r}')
        for word in words:
            check(what, word in last, f'"{word}" is not in "{last}"')
        check(what, last.startswith('fighter-forecast: '), last)


def write_series(script, directory):
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = made.stdout.split('\n')
    text = '\n'.join(lines[:ROWS + 1]) + '\n'
    (directory / 'series.csv').write_text(text)
    (directory / 'short.csv').write_text('\n'.join(lines[:31]) + '\n')
    (directory / 'packed.csv.gz').write_bytes(gzip.compress(text.encode()))
    (directory / 'crlf.csv').write_bytes(text.replace('\n', '\r\n').encode())
    return lines


def test_models(f):
    for model in f.models():
        for tokens in ('patch', 'time') if model in IN_ORDER else ('patch', 'time', 'variate'):
            for more in ([], ['--revin']):
                own = OWN.get(model, ['--layers', 2])
                got = f.measured('--model', model, '--tokens', tokens, *own, *more)
                name = f'{model} {tokens} {more}'
                check(name, all(k in got for k in KEYS), got)
                check(name, got.get('model') == model and got.get('dataset') == 'series', got)
                check(name, (got['train_windows'], got['val_windows'], got['test_windows']) ==
                      (280 - 36 + 1, 40 - 12 + 1, 80 - 12 + 1), got)
                check(name, 0 < got['test_mse'] < 10 and 0 < got['linear_mse'] < 10, got)
                check(name, got['predict_us'] > 0, got)
                check(name, got['naive_mse'] > 0 and got['seasonal_mse'] > 0, got)
                check(name, got['season'] in (24, 168), got)


def test_choices(f):
    whole = f.measured()
    check('a mask channel', f.measured('--mask-channel')['settings']['mask_channel'] is True)
    check('the default is fighter on patches', (whole['model'], whole['tokens']) == ('fighter', 'patch'))
    plain = f.measured('--no-linear')
    check('--no-linear', (whole['linear_map'], plain['linear_map']) == (True, False), (whole, plain))
    check('--no-linear', plain['linear_mse'] == whole['linear_mse'] and
          plain['test_mse'] != whole['test_mse'], (whole, plain))
    three = f.measured('--members', 3)
    check('--members', three['settings']['members'] == 3 and three['test_mse'] != whole['test_mse'], three)
    for key in 'parameters', 'samples_backpropagated':
        check(f'{key} of --members', three[key] == 3 * whole[key], (three, whole))
    f.refused('members, file', ['--members'], '--data', 'series.csv', '--load', 'm', '--members', 2)
    f.refused('members, samples', ['--members'], '--data', 'series.csv', '--members', 2, '--attent', 'soft')
    for diagonal in (['--diag-mask'], ['--diag-penalty', -1], ['--diag-dropout', 0.5]):
        got, name = f.measured(*diagonal), diagonal[0]
        check(name, got['settings'][name[2:]] == (diagonal + [True])[1], got)
        check(name, got['test_mse'] != whole['test_mse'], (whole, got))
        f.refused(name, [name, 'is for --model fighter'], '--data', 'series.csv', '--model', 'lstm',
                  *diagonal)
    for act, same in ('relu', False), ('none', True):
        got = f.measured('--act', act)
        check('--act', (got['settings']['act'], got['test_mse'] == whole['test_mse']) == (act, same), got)
    decoded = f.measured('--model', 'informer', '--tokens', 'time', '--decoder', 1)
    check('--decoder', decoded['settings']['decoder'] == 1 and decoded['test_mse'] > 0, decoded)
    for o in ('--decoder', 1), ('--act', 'relu'):
        f.refused(o[0], [f'{o[0]} is for', 'lstm'], '--data', 'series.csv', '--model', 'lstm', *o)
    f.refused('decoder of patches', ['--tokens time'], '--data', 'series.csv', '--model', 'informer',
              '--decoder', 1)
    f.refused('quantiles', ['--quantiles'], '--data', 'series.csv', '--model', 'informer', '--tokens', 'time',
              '--decoder', 1, '--quantiles', '0.1,0.9')
    plain = f.measured('--no-profile')
    check('--no-profile', plain['parameters'] < whole['parameters'], (whole, plain))
    for model, words in (('fighter', 'on patch tokens beside a linear map in closed form:'),
                         ('linear', 'linear in closed form:')):
        said = f.run('--data', 'series.csv', *SMALL, '--model', model, '--no-baselines').stdout
        check(f'the report of {model}', words in said, said)
    one = f.measured('--target', 'OT')
    check('--target', one['columns'] == 1 and one['test_mse'] != whole['test_mse'], one)
    some = f.measured('--columns', 'OT,HUFL')
    check('--columns', some['columns'] == 2, some)
    rows = f.measured('--split', 'rows:200,100,100')
    check('--split rows', (rows['train_windows'], rows['test_windows']) == (165, 89), rows)
    for loss in ('mse', 'mae', 'smooth-l1', 'huber', 'quantile'):
        check(f'--loss {loss}', f.measured('--loss', loss)['test_mse'] > 0)
    for q, path in ((0.1, 'low.csv'), (0.9, 'high.csv')):
        f.measured('--loss', 'quantile', '--quantile', q, '--predict', path, '--no-baselines')
    low, high = (sum(float(x) for r in list(csv.reader((f.directory / path).open()))[1:] for x in r[1:])
                 for path in ('low.csv', 'high.csv'))
    check('--quantile', low < high, (low, high))
    other = f.measured('--seed', 2)
    check('--seed', other['weights_hash'] != whole['weights_hash'] and other['seed'] == 2, other)
    for path in ('packed.csv.gz', 'crlf.csv'):
        same = f.measured('--data', path)
        check(path, same['weights_hash'] == whole['weights_hash'], same)
    alone = f.measured('--no-baselines')
    check('--no-baselines', alone['linear_mse'] is None and alone['naive_mse'] is None, alone)
    check('--no-baselines', alone['test_mse'] == whole['test_mse'], alone)
    none = f.measured('--split', 'rows:300,100,0')
    check('no test rows', none['test_windows'] == 0 and none['test_mse'] is None, none)


def test_threads(f):
    for args in (['--revin'], ['--tokens', 'time'], ['--tokens', 'variate', '--hops', '3,2'],
                 ['--model', 'gcn'], *(['--model', model] for model in f.models()[3:])):
        hashes = {f.measured(*args, '--threads', n)['weights_hash'] for n in (1, 2, 3)}
        check(f'same weights for any number of threads {args}', len(hashes) == 1, hashes)


def test_pretraining(f):
    """Patches that are hidden in the training windows."""
    plain = f.measured('--no-linear')
    hashes = {f.measured('--no-linear', '--pretrain-masked', 2, '--threads', n)['weights_hash']
              for n in (1, 2)}
    check('--pretrain-masked: threads', len(hashes) == 1 and plain['weights_hash'] not in hashes, hashes)
    got = f.measured('--pretrain-masked', 2, '--mask-share', 0.5, '--probe', '--model', 'gru')
    check('--probe', got['pretraining']['epochs_run'] == 2 and got['pretraining']['probe'], got)
    for how in 'soft', 'class-weight':
        got = f.measured('--pretrain-masked', 2, '--attent', how, '--ratio', 'fixed', '--share', 0.2,
                         '--attent-in', 'pretraining')
        check(f'--attent-in: {how}', got['pretraining']['samples_backpropagated'] == 2 * 49 and
              got['samples_backpropagated'] == plain['samples_backpropagated'], got)
    data = ['--data', 'series.csv', *SMALL]
    f.refused('no pre-training', ['--pretrain-masked'], *data, '--attent', 'soft', '--attent-in', 'both')
    f.refused('no patches', ['--tokens patch'], *data, '--pretrain-masked', 1, '--tokens', 'time')
    f.refused('nothing is hidden', ['--pretrain-masked'], *data, '--mask-share', 0.2)
    f.refused('several models', ['--auto'], *data, '--auto', '--pretrain-masked', 1)
    f.refused('a patch alone', ['mlp'], *data, '--pretrain-masked', 1, '--model', 'mlp')


def test_adapters(f):
    """An adapter is trained and used again; the model's file stays as it is."""
    f.measured('--save', 'base.st', '--model', 'transformer')
    model, task = (f.directory / 'base.st').read_bytes(), ['--load', 'base.st', '--predict']
    base = f.measured(*task, 'base.csv')
    adapt = ['--adapt', 'a.lora', '--adapt-rank', 2, '--epochs', 2]
    adapted = f.measured(*task, 'a.csv', *adapt)
    used = f.measured(*task, 'b.csv', '--adapter', 'a.lora')
    for key in ('weights_hash', 'test_mse', 'parameters'):
        same = adapted[key] == used[key] != base[key]
        check(f'--adapter: {key}', same, (base, adapted, used))
    check('--adapt trains', adapted['epochs_run'] == 2 and used['epochs_run'] == 0, (adapted, used))
    check('--adapt: the model', (f.directory / 'base.st').read_bytes() == model)
    a, b, c = ((f.directory / n).read_text() for n in ('a.csv', 'b.csv', 'base.csv'))
    check('--adapter: the forecast', a == b != c)
    again = f.measured(*task, 'a.csv', *adapt, '--adapt-whole', 'head.', '--threads', 2)
    check('--adapt replaces', again['parameters'] > used['parameters'], again)
    loaded = ['--data', 'series.csv', '--load', 'base.st']
    f.refused('adapt nothing', ['--load'], '--data', 'series.csv', '--adapt', 'b.lora')
    f.refused('no adapter', ['nowhere'], *loaded, '--adapter', 'nowhere')
    f.refused('no such map', ['nothing'], *loaded, '--adapt', 'b.lora', '--adapt-maps', 'nothing')
    f.refused('two ways', ['--update'], *loaded, '--adapt', 'b.lora', '--update')
    f.refused('a rank alone', ['--adapt FOLDER'], *loaded, '--adapt-rank', 2)


def test_selection(f):
    """245 windows; the shares of three epochs are those of the schedules."""
    three = ['--epochs', 3, '--patience', -1]
    check('all windows', f.measured(*three)['samples_backpropagated'] == 3 * 245)
    for how in ('soft', 'hard', 'random', 'class-weight', 'fixed-weight', 'gradnorm'):
        more = ['--group-weights', '1,2,2'] if how == 'fixed-weight' else []
        got = f.measured('--attent', how, '--interval', 'fixed', *more, *three)
        check(f'--attent {how}', got['samples_backpropagated'] == 49 + 123 + 196, got)
        check(f'--attent {how}', (got['attent'], got['ratio'], got['interval']) ==
              (how, 'incremental', 'fixed'), got)
    pruned = f.measured('--attent', 'infobatch', *three)
    check('--attent infobatch', 245 < pruned['samples_backpropagated'] < 3 * 245, pruned)
    for schedule, count in (('cosine', 49 + 123 + 196), ('fixed', 3 * 172), ('simple', 245 + 2 * 172)):
        for scores in ('pass', 'training'):
            got = f.measured('--attent', 'soft', '--ratio', schedule, '--interval', 'fixed', '--scores',
                             scores, *three)
            check(f'{schedule} {scores}', got['samples_backpropagated'] == count, got)
    kept = f.measured('--attent', 'soft', *three)
    check('incremental interval', kept['samples_backpropagated'] == 49 + 123 + 123, kept)
    half = f.measured('--attent', 'soft', '--ratio', 'fixed', '--share', 0.5, *three)
    check('--share', half['samples_backpropagated'] == 3 * 123, half)
    hashes = {f.measured('--attent', 'soft', *three, *more, '--threads', n)['weights_hash']
              for n in (1, 2) for more in ([], ['--temperature', 0.5], ['--soft-weights', 'proportional'])}
    check('three ways to draw, whatever the threads', len(hashes) == 3, hashes)
    cycles = ('--attent', 'hard', '--interval', 'cycles')
    whole = f.measured(*cycles, '--cycles', 1, '--interval-epochs', 1, '--interval-end', 1, *three)
    check('cycles', whole['samples_backpropagated'] == 245 + 196 + 245, whole['samples_backpropagated'])
    f.refused('cycles of three epochs', ['10 cycles', '--epochs 11', '--cycles'], '--data', 'series.csv',
              *cycles, *three, *SMALL[:-2])
    f.refused('--rescore', ['--redraw'], '--data', 'series.csv', '--attent', 'soft', '--rescore')
    thin = f.measured('--thin', 4, *three)
    check('--thin', (thin['samples_backpropagated'], thin['settings']['thin'], thin['settings']['batch'],
                     thin['settings']['patience']) == (3 * 61, 4, 8, -1), thin)
    spectral = f.measured('--spectral', 0.5, *three)
    check('--spectral', spectral['settings']['spectral'] == 0.5 and
          spectral['weights_hash'] != f.measured(*three)['weights_hash'], spectral)
    apart = f.measured('--apart', *three)
    check('--apart', apart['settings']['apart'] and
          apart['weights_hash'] != f.measured(*three)['weights_hash'], apart)
    f.refused('layers apart from no map', ['--apart', '--no-linear'], '--data', 'series.csv', '--apart',
              '--no-linear')
    f.refused('a spectral part of a quantile', ['--spectral', 'mae'], '--data', 'series.csv', '--spectral',
              0.5, '--loss', 'quantile')
    check('processor time', 0 < thin['train_cpu_seconds'] < 60, thin)
    f.refused('two selections', ['--thin', '--attent'], '--data', 'series.csv', '--thin', 2, '--attent',
              'random')
    f.refused('--thin 0', ['--thin'], '--data', 'series.csv', '--thin', 0)
    f.refused('no weights', ['--group-weights'], '--data', 'series.csv', '--attent', 'fixed-weight')
    f.refused('weights of others', ['fixed-weight'], '--data', 'series.csv', '--group-weights', '1,2,2')
    f.refused('two weights', ['2', '3'], '--data', 'series.csv', *SMALL, '--attent', 'fixed-weight',
              '--group-weights', '1,2')
    f.refused('no weight', ['1,x'], '--data', 'series.csv', '--group-weights', '1,x')


def test_table(f):
    """--describe: a line for each layer, with its route, which --products changes."""
    routes = {}
    for products in ('auto', 'blis'):
        done = f.run('--data', 'series.csv', *SMALL, '--no-baselines', '--describe', '--products', products)
        lines = done.stdout.splitlines()
        first = next((i for i, line in enumerate(lines) if line.startswith('layer ')), None)
        check('--describe', done.returncode == 0 and first is not None, done)
        if first is None:
            return
        last = next(i for i, line in enumerate(lines) if ' parameters; a forward pass of ' in line)
        names = [line.split()[0] for line in lines[first + 1:last]]
        check('--describe', 'patch' in names and 'blocks.0' in names and 'head' in names, names)
        routes[products] = lines[first + 1 + names.index('blocks.0')].split('  ')[-1].strip()
    check('--products', routes == {'auto': 'short', 'blis': 'over outputs, held'}, routes)
    auto, blis = (f.measured('--no-baselines', '--describe', '--products', p) for p in routes)
    check('--products blis', abs(auto['test_mse'] - blis['test_mse']) < 1e-3 * auto['test_mse'], (auto, blis))
    for model in f.models():
        got = f.measured('--model', model, '--products', 'blis', '--no-baselines')
        check(f'--products blis {model}', 0 < got['test_mse'] < 10, got)
    f.refused('other products', ['--products', 'mkl', 'auto, blis'], '--data', 'series.csv', '--products',
              'mkl')


def test_checkpoint(f):
    """Killed after the first checkpoint, and resumed: the weights of a run that was not."""
    name = f.directory / 'run.checkpoint'
    for more in ([], ['--attent', 'soft']):
        long = ['--data', 'series.csv', *SMALL[:-2], '--epochs', 40, '--patience', -1, '--json', *more]
        whole = f.measured(*long)
        name.unlink(missing_ok=True)
        with Folder(f.directory) as folder, \
                subprocess.Popen([f.program, *map(str, long), '--checkpoint', name.name], cwd=f.directory,
                                 env=f.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            check('a checkpoint', folder.wait(first, name.exists))
            first.kill()
        got = f.measured(*long, '--resume', name.name, '--checkpoint', name.name)
        for key in ('weights_hash', 'test_mse', 'epochs_run', 'best_epoch', 'samples_backpropagated'):
            check(f'resumed {more}: {key}', got[key] == whole[key], (got[key], whole[key]))
    f.refused('another run', ['run.checkpoint', 'train.optim'], *map(str, long), '--lr', 0.1, '--resume',
              name.name)
    f.refused('no checkpoint', ['series.csv'], *map(str, long), '--resume', 'series.csv')
    f.refused('no such checkpoint', ['nowhere'], *map(str, long), '--resume', 'nowhere')
    f.refused('nowhere to write', ['nowhere'], *map(str, long), '--checkpoint', 'nowhere/c')
    f.refused('every', ['--checkpoint'], *map(str, long), '--checkpoint-every', 2)
    f.refused('loaded', ['--load'], '--data', 'series.csv', '--load', 'm.safetensors', '--resume', name.name)


def test_files(f):
    here = f.directory
    made = f.measured('--revin', '--save', 'm.safetensors', '--predict', 'a.csv', '--holdout')
    loaded = f.measured('--load', 'm.safetensors', '--predict', 'b.csv')
    for key in ('weights_hash', 'test_mse', 'test_mae', 'parameters', 'revin', 'seed'):
        check(f'loaded: {key}', made[key] == loaded[key], (made[key], loaded[key]))
    a, b = (here / 'a.csv').read_text(), (here / 'b.csv').read_text()
    check('saved and loaded forecast the same', a == b and a)
    rows = list(csv.reader(a.splitlines()))
    series = list(csv.reader((here / 'series.csv').read_text().splitlines()))
    check('the header is that of the data', rows[0] == series[0], rows[0])
    check('a row for each step', len(rows) == 1 + 12 and all(len(r) == 8 for r in rows), rows)
    check('labels go on', rows[1][0] == '2016-07-17 16:00:00' and rows[12][0] == '2016-07-18 03:00:00', rows)
    check('raw units', all(-50 < float(x) < 100 for r in rows[1:] for x in r[1:]), rows)
    for model in f.models():
        made = f.measured('--model', model, '--save', 'k.safetensors', '--predict', 'c.csv', '--holdout')
        loaded = f.measured('--load', 'k.safetensors', '--predict', 'd.csv')
        check(f'{model} loaded', (made['weights_hash'], made['test_mse'], made['model']) ==
              (loaded['weights_hash'], loaded['test_mse'], loaded['model']), (made, loaded))
        check(f'{model} loaded', (here / 'c.csv').read_text() == (here / 'd.csv').read_text())
    (here / 'c.csv').unlink()
    done = f.run('--data', 'short.csv', '--load', 'm.safetensors', '--predict', 'c.csv')
    check('a short table is enough', done.returncode == 0 and (here / 'c.csv').exists(), done.stderr)
    # long enough for a window, but not for one of test rows
    (here / 'brief.csv').write_text(''.join((here / 'series.csv').read_text().splitlines(True)[:41]))
    brief = f.measured('--data', 'brief.csv', '--load', 'm.safetensors', '--predict', 'd.csv')
    check('without a test', brief['test_windows'] == 0 and (here / 'd.csv').exists(), brief)
    f.refused('a test that is asked for', ['8 test rows are too few'], '--data', 'brief.csv', '--load',
              'm.safetensors', '--predict', 'd.csv', '--split', '0.7,0.1,0.2')
    check('no temporary file is left', not any(name.startswith('.') for name in os.listdir(here)))


def test_labels(f):
    cases = [
        (['2024-01-31', '2024-02-01', '2024-02-02'], '2024-02-03'),
        (['2023-11-01', '2023-12-01', '2024-01-01'], '2024-02-01'),
        (['2022-12-28', '2023-01-28', '2023-02-28'], '2023-03-28'),
        (['2024-02-28 23:00', '2024-02-28 23:30', '2024-02-29 00:00'], '2024-02-29 00:30'),
        (['31.12.2023 23:40:00', '31.12.2023 23:50:00', '01.01.2024 00:00:00'], '01.01.2024 00:10:00'),
        (['2024/2/28 9:00', '2024/2/28 10:00', '2024/2/28 11:00'], '2024/2/28 12:00'),
        (['1999-12-31T22:00Z', '1999-12-31T23:00Z', '2000-01-01T00:00Z'], '2000-01-01T01:00Z'),
        (['1467331200', '1467334800', '1467338400'], '1467342000'),
        (['20160630', '20160701', '20160702'], '20160703'),
        (['2016-07-01T00:00+02:00', '2016-07-01T01:00+02:00', '2016-07-01T02:00+02:00'],
         '2016-07-01T03:00+02:00'),
        (['Oct 2016', 'Nov 2016', 'Dec 2016'], 'Jan 2017'),
        (['2016Q2', '2016Q3', '2016Q4'], '2017Q1'),
        (['2020-W51', '2020-W52', '2020-W53'], '2021-W01'),
        (['30/Jan/2024:00:00:00 +0100', '31/Jan/2024:00:00:00 +0100', '01/Feb/2024:00:00:00 +0100'],
         '02/Feb/2024:00:00:00 +0100'),
        (['20240130000000', '20240131000000', '20240201000000'], '20240202000000'),
        (['7/13/2016 9:00 p.m.', '7/13/2016 10:00 p.m.', '7/13/2016 11:00 p.m.'], '7/14/2016 12:00 a.m.'),
        (['7/11/2016 9:00', '7/12/2016 9:00', '7/13/2016 9:00'], '7/14/2016 9:00'),
        (['12/30/2016', '12/31/2016', '01/01/2017'], '01/02/2017'),
        (['6/17/2016', '6/27/2016', '7/7/2016'], '7/17/2016'),
        (['17.6.2016', '27.6.2016', '7.7.2016'], '17.7.2016'),
        (['20160713T09:00:00', '20160713T10:00:00', '20160713T11:00:00'], '20160713T12:00:00'),
        (['1468400400.0', '1468404000.0', '1468407600.0'], '1468411200.0'),
        (['999999998.5', '999999999.25', '1000000000.00'], '1000000000.75'),
        (['1468400400000', '1468404000000', '1468407600000'], '1468411200000'),
        (['1468400400000000', '1468404000000000', '1468407600000000'], '1468411200000000'),
        (['1468400400000000000', '1468404000000000000', '1468407600000000000'], '1468411200000000000'),
        # a label without seconds cannot say what follows
        (['2016-07-13 11:00:00', '2016-07-13 11:00:30', '2016-07-13 11:01'], '2016-07-13 11:01:30'),
        (['a', 'b', 'c'], '+1'),
    ]
    model = ['--model', 'linear', '--input', '2', '--pred', '1', '--epochs', '1', '--split', 'rows:3,0,0']
    for labels, after in cases:
        lines = ['date,x'] + [f'{label},{i * i}' for i, label in enumerate(labels)]
        (f.directory / 'dates.csv').write_text('\n'.join(lines) + '\n')
        done = f.run('--data', 'dates.csv', *model, '--predict', 'next.csv')
        check(f'after {labels}', done.returncode == 0, done.stderr)
        got = (f.directory / 'next.csv').read_text().split('\n')[1].split(',')[0]
        check(f'after {labels}', got == after, got)


def test_times(f):
    """Rows that are not one step apart are named and refused, and repaired on demand."""
    head, *rows = (f.directory / 'series.csv').read_text().strip().split('\n')
    alone = '--no-baselines'

    def write(name, lines):
        (f.directory / name).write_text('\n'.join(lines) + '\n')

    whole = f.measured(alone)
    write('newest.csv', [head, *rows[::-1]])
    write('gap.csv', [head, *rows[:200], *rows[230:]])
    write('repeated.csv', [head, *rows[:100], rows[99], *rows[100:]])
    write('seventh.csv', [head, *(r for i, r in enumerate(rows) if i % 7)])
    for name, words, how in (('newest.csv', ['newest row comes first'], 'order'),
                             ('gap.csv', ['line 201', 'line 202', '30 rows in 1 place'], 'gaps'),
                             ('repeated.csv', ['line 102', '1 such row'], 'repeats'),
                             ('seventh.csv', ['56 rows in 56 places', 'line 7'], 'gaps')):
        f.refused(name, [name, 'repair', *words], '--data', name)
        got = f.measured('--data', name, '--repair', how, '--missing', 'mask', alone)
        check(f'{name} --repair {how}', 0 < got['test_mse'] < 10, got)
        check(f'{name}: what was done', (got['rows_removed'], got['rows_added']) ==
              (how == 'repeats', {'gap.csv': 30, 'seventh.csv': 56}.get(name, 0)), got)
        check(f'{name}: what is missing', got['missing'] == 7 * got['rows_added'], got)
        if how != 'gaps':
            check(f'{name} is as it was', got['weights_hash'] == whole['weights_hash'], got)
        taken = f.measured('--data', name, '--repair', 'ignore', alone)
        check(f'{name} --repair ignore', taken['test_mse'] > 0, taken)

    cells = [r.split(',', 1)[1] for r in rows]
    first = head.split(',', 1)[1]
    for name, title, label in (('unix.csv', 'when', lambda i: 1467331200 + 3600 * i), ('index.csv', '', int),
                               ('date.csv', 'date', lambda i: 5000 + i)):
        write(name, [f'{title},{first}', *(f'{label(i)},{r}' for i, r in enumerate(cells))])
        got = f.measured('--data', name, alone)
        check(f'{name}: the numbers are no series', got['columns'] == whole['columns'], got)
    none = f.measured('--data', 'unix.csv', '--time', 'none', alone)
    check('--time none', none['columns'] == whole['columns'] + 1, none)
    write('behind.csv', [first + ',at', *(f'{r},{row.split(",")[0]}' for r, row in zip(cells, rows))])
    for more in ([], ['--time', 'at']):
        got = f.measured('--data', 'behind.csv', *more, alone)
        check(f'times in the last column {more}', got['weights_hash'] == whole['weights_hash'], got)
    europe = [r.split(',', 1) for r in rows]
    europe = ['{2}/{1}/{0} {3};{4}'.format(*t.split(' ')[0].split('-'), t.split(' ')[1], v.replace(',', ';')
                                           .replace('.', ',')) for t, v in europe]
    write('europe.csv', [head.replace(',', ';'), *europe])
    got = f.measured('--data', 'europe.csv', '--decimal-comma', alone)
    check('semicolons and decimal commas', got['weights_hash'] == whole['weights_hash'], got)
    f.refused('no decimal commas', ['decimal'], '--data', 'europe.csv')
    f.refused('no such column', ['nothing'], '--data', 'series.csv', '--time', 'nothing')
    f.refused('another form', ['time stamp'], '--data', 'series.csv', '--time-form', 'dmy')
    f.refused('another repair', ['--repair', 'all'], '--data', 'series.csv', '--repair', 'order,some')
    f.refused('rows twice', ['short.csv', 'line 2'], '--data', 'series.csv', '--data', 'short.csv')
    f.refused('an empty name', ['OT,,HUFL'], '--data', 'series.csv', '--columns', 'OT,,HUFL')


def test_roles(f):
    """A column that is known in advance, and columns found by their names in other files."""
    rows, draw = [], random.Random(3)
    for i in range(400):
        known = draw.randrange(2)
        day, hour = divmod(i, 24)
        day += 1
        month, day = (1, day) if day <= 31 else (2, day - 31)
        rows.append([f'2023-{month:02}-{day:02} {hour:02}:00', 10 + 3 * known + 0.01 * (i % 5), known, i % 7])

    def write(name, columns, some, cells=lambda r: r):
        index = ['date', 'y', 'known', 'past'].index
        lines = [','.join(columns)] + [','.join(str(cells(r)[index(c)]) for c in columns) for r in some]
        (f.directory / name).write_text('\n'.join(lines) + '\n')

    columns = ['date', 'y', 'known', 'past']
    write('roles.csv', columns, rows)
    options = ['--data', 'roles.csv', '--target', 'y', '--epochs', 30, '--patience', -1, '--lr', 0.01]
    blind = f.measured(*options, '--calendar', 'none')
    knows = f.measured(*options, '--known', 'known', '--save', 'roles.st', '--holdout')
    check('--known', knows['test_mse'] < 0.1 * blind['test_mse'], (knows, blind))
    check('--target', knows['columns'] == 1, knows)
    load = ['--load', 'roles.st']
    write('past.csv', columns[::-1], rows[:380])
    write('future.csv', ['known', 'date'], rows[370:])
    write('holes.csv', columns, rows, lambda r: [r[0], '' if r in rows[380:] else r[1], *r[2:]])
    f.measured('--data', 'past.csv', *load, '--future', 'future.csv', '--predict', 'a.csv')
    f.measured('--data', 'holes.csv', *load, '--missing', 'mask', '--predict', 'b.csv')
    a, b = ((f.directory / name).read_text() for name in ('a.csv', 'b.csv'))
    check('--future, or the same file', a == b, (a, b))
    lines = list(csv.reader(a.splitlines()))
    check('the forecast', lines[0] == ['date', 'y'] and lines[1][0] == rows[380][0], lines[:2])
    check('the forecast', all(abs(float(got[1]) - row[1]) < 0.7
                              for got, row in zip(lines[1:], rows[380:])), lines)
    done = f.run('--data', 'past.csv', *load, '--predict', 'c.csv')
    check('no future', done.returncode == 1 and 'column "known"; the forecast takes' in done.stderr
          and '; --future can have it' in done.stderr, done)
    done = f.run('--data', 'roles.csv', *load, '--split', 'rows:200,50,150')
    check('rows of training are no test', 'warning' in done.stderr and '70 of 150 test rows' in done.stderr
          and '2023-01-01' in done.stderr, done.stderr)
    check('rows of training are no test', f.measured('--data', 'roles.csv', *load)['test_rows_seen'] == 0)
    f.refused('another role', ['both name "known"'], '--data', 'roles.csv', '--target', 'known', '--known',
              'known')
    f.refused('a future for nothing', ['--predict'], '--data', 'roles.csv', *load, '--future', 'future.csv')
    f.refused('two calendars', ['none cannot be combined'], '--data', 'roles.csv', '--calendar', 'none,day')
    f.refused('another calendar', ['day, week'], '--data', 'roles.csv', '--calendar', 'hours')


def test_quantiles(f):
    """Outputs for several quantiles: measured, written, and the ground of intervals."""
    data = ['--data', 'series.csv']
    plain = f.measured('--intervals', '80', '--no-baselines')
    got = f.measured('--quantiles', '0.1,0.5,0.9', '--intervals', '80', '--predict', 'q.csv', '--save',
                     'q.st', '--no-baselines')
    check('--quantiles', [q['quantile'] for q in got['quantiles']] == [0.1, 0.5, 0.9], got['quantiles'])
    check('pinball', all(len(q['pinball_by_step']) == got['pred_len'] for q in got['quantiles']), got)
    below = [q['below'] for q in got['quantiles']]
    check('below', below == sorted(below), below)
    check('CRPS', 0 < got['crps'] < got['test_mae'], (got['crps'], got['test_mae']))
    check('CRPS by step', len(got['crps_by_step']) == got['pred_len'], got)
    check('the median', abs(2 * got['quantiles'][1]['pinball'] - got['test_mae']) < 1e-5, got)
    check('settings', got['settings']['quantiles'] == [0.1, 0.5, 0.9], got['settings'])
    check('coverage', len(got['intervals'][0]['coverage_by_step']) == got['pred_len'], got['intervals'])
    check('intervals of quantiles', got['intervals'][0]['width'] != plain['intervals'][0]['width'], got)
    rows = [r.split(',') for r in (f.directory / 'q.csv').read_text().strip().split('\n')]
    name = rows[0][1]
    want = [name] + [f'{name}-{end}' for end in ('q-0.1', 'q-0.5', 'q-0.9', 'lo-80', 'hi-80')]
    check('columns of quantiles', rows[0][1:7] == want, rows[0])
    for row in rows[1:]:
        point, low, middle, high = (float(x) for x in row[1:5])
        check('quantiles do not cross', low <= middle <= high and point == middle, row)
    done = f.run('--load', 'q.st', *data, '--predict', 'again.csv', '--intervals', '80')
    check('--load', done.returncode == 0, done.stderr)
    first, again = ((f.directory / name).read_text() for name in ('q.csv', 'again.csv'))
    check('the same forecast', first == again, again)
    f.refused('other quantiles', ['--quantiles'], '--load', 'q.st', *data, '--quantiles', '0.5')
    for bad in ('', '0.5,0.5', '0.9,0.1', '0', '1', '0.5,', 'x'):
        f.refused(f'--quantiles {bad}', ['--quantiles', 'rising'], *data, '--quantiles', bad)
    f.refused('another loss', ['--quantiles', 'mae'], *data, '--quantiles', '0.5', '--loss', 'mae')


def test_non_negative(f):
    """Counts, most of them 0: no forecast and no end of an interval is below."""
    lines = ['a,b'] + [f'{max(0, i % 7 - 3)},{(i * i) % 5 // 3}' for i in range(400)]
    (f.directory / 'counts.csv').write_text('\n'.join(lines) + '\n')
    model = ['--data', 'counts.csv', '--input', 14, '--pred', 7, '--no-baselines', '--non-negative']
    for more in ([], ['--loss', 'poisson'], ['--loss', 'negative-binomial'], ['--quantiles', '0.1,0.9']):
        got = f.measured(*model, *more, '--intervals', '80,95', '--predict', 'n.csv')
        check(f'--non-negative {more}', got['test_mse'] < 2 and got['settings']['non-negative'], got)
        rows = (f.directory / 'n.csv').read_text().strip().split('\n')[1:]
        check(f'no value below 0 {more}', all(float(x) >= 0 for r in rows for x in r.split(',')[1:]), rows)
    (f.directory / 'below.csv').write_text('\n'.join([*lines[:10], '-1,0', *lines[11:]]) + '\n')
    f.refused('a negative value', ['line 11', '"a"', '-1'], *model[2:], '--data', 'below.csv')
    f.refused('counts', ['--non-negative'], *model[:-1], '--loss', 'poisson')


def test_intervals(f):
    got = f.measured('--intervals', '50,90', '--predict', 'i.csv', '--no-baselines', '--forecasts', 'e.csv')
    with (f.directory / 'e.csv').open() as file:
        ends = [[float(r[key]) for key in ('lo-90', 'truth', 'hi-90')] for r in csv.DictReader(file)
                if r['lo-90']]
    inside = sum(low <= truth <= high for low, truth, high in ends) / len(ends)
    check('--forecasts with --intervals', abs(inside - got['intervals'][1]['coverage']) < 0.001, inside)
    for interval, level in zip(got['intervals'], (0.5, 0.9)):
        check('--intervals', interval['level'] == level and 0 < interval['coverage'] <= 1, interval)
        check('--intervals', interval['least_coverage'] <= interval['coverage'] <= interval['most_coverage'],
              interval)
    check('wider intervals', got['intervals'][0]['width'] < got['intervals'][1]['width'], got['intervals'])
    rows = list(csv.DictReader((f.directory / 'i.csv').open()))
    names = [n[:-6] for n in rows[0] if n.endswith('-lo-90')]
    check('columns of intervals', len(names) == 7 and f'{names[0]}-hi-50' in rows[0], rows[0])
    for row in rows:
        ends = [float(row[names[0] + end]) for end in ('-lo-90', '-lo-50', '-hi-50', '-hi-90')]
        check('ends of intervals', ends == sorted(ends), row)
    few = f.run('--data', 'series.csv', *SMALL, '--no-baselines', '--intervals', '80,99.8', '--predict',
                'few.csv')
    check('a level that takes more errors', few.returncode == 0 and 'intervals of 80 % hold' in few.stdout and
          'intervals of 99.8 % were not measured: they need the errors of 999 forecasts' in few.stdout and
          'intervals of 99.8 % come from the errors of all steps and series together' in few.stderr, few)
    rows = list(csv.DictReader((f.directory / 'few.csv').open()))
    check('they lie outside', all(float(row[name[:-2] + '99.8']) <= float(row[name]) for row in rows
                                  for name in row if name.endswith('-lo-80')), rows[0])
    for bad in ('80,', '0.5', '80;95', '99.9'):
        f.refused(f'--intervals {bad}', ['--intervals', '1 to 99.8'], '--data', 'series.csv', '--intervals',
                  bad)


def test_missing(f):
    text = (f.directory / 'series.csv').read_text().split('\n')
    for row, cell in ((50, ''), (120, 'NaN'), (330, '-9999')):
        cells = text[row].split(',')
        cells[2] = cell
        text[row] = ','.join(cells)
    (f.directory / 'gaps.csv').write_text('\n'.join(text))
    gaps = ['--data', 'gaps.csv', '--missing-value', '-9999']
    f.refused('missing value', ['gaps.csv', 'line 51', 'HULL'], *gaps, *SMALL)
    for how in ('mask', 'fill'):
        got = f.measured(*gaps, '--missing', how)
        check(f'--missing {how}', 0 < got['test_mse'] < 10, got)
    told, untold, kept = (f.run(*options, '--missing', 'mask', *SMALL).stderr
                          for options in (gaps, gaps[:2], [*gaps[:2], '--keep-outliers']))
    check('a marker that is named', 'warning' not in told, told)
    check('a marker that is not', '"HULL" is -9999 in line 331' in untold and untold.count('warning') == 1
          and 'it counts as missing' in untold, untold)
    check('a marker that is kept', '"HULL" is -9999 in 1 row, first in line 331' in kept
          and kept.count('warning') == 1 and 'give --missing-value -9999' in kept, kept)
    flat = [f'{i},{-9999 if i == 50 else 5},{i % 7}' for i in range(400)]
    (f.directory / 'flat.csv').write_text('\n'.join(['index,still,y', *flat]) + '\n')
    said = f.run('--data', 'flat.csv', '--keep-outliers', *SMALL).stderr
    check('a marker among equal values', '"still" is -9999' in said and said.count('warning') == 1, said)


def test_bad_files(f):
    here = f.directory
    (here / 'empty.csv').write_text('')
    (here / 'ragged.csv').write_text('date,a,b\nx,1,2\ny,3\n')
    (here / 'text.csv').write_text('date,a,b\nx,1,2\ny,3,four\n')
    f.refused('no such file', ['absent.csv'], '--data', 'absent.csv')
    f.refused('a directory', [str(here)], '--data', here)
    f.refused('an empty file', ['empty.csv'], '--data', 'empty.csv')
    f.refused('a ragged row', ['ragged.csv', 'line 3'], '--data', 'ragged.csv')
    f.refused('text in a number', ['text.csv', 'line 3', 'b', 'four'], '--data', 'text.csv')
    f.refused('a window longer than the series', ['short.csv', '96', 'smaller --pred'], '--data', 'short.csv',
              '--pred', 96, '--model', 'fighter')
    f.refused('a split longer than the series', ['series.csv', '8640'], '--data', 'series.csv', '--split',
              'etth')
    f.refused('no room for a test window', ['series.csv', 'test', 'smaller --pred'], '--data', 'series.csv',
              *SMALL, '--split', 'rows:300,50,5')
    f.refused('no times', ['"date" has times, but --time names "OT"'], '--data', 'series.csv', '--time', 'OT')


def test_bad_options(f):
    data = ['--data', 'series.csv', *SMALL]
    f.refused('no data', ['--data'])
    f.refused('hops 0', ['--hops', '0'], *data, '--hops', 0)
    f.refused('hops as text', ['--hops', '3,x'], *data, '--hops', '3,x')
    f.refused('hops for other layers', ['2', '3'], *data, '--hops', '3,2', '--layers', 3)
    f.refused('heads that do not divide', ['heads', '3', '8'], *data, '--heads', 3)
    f.refused('an unknown option', ['--hop'], *data, '--hop', 3)
    f.refused('a word', ['word'], 'word')
    f.refused('no value', ['--data'], '--data')
    f.refused('a number as text', ['--epochs', 'ten'], *data[:-2], '--epochs', 'ten')
    f.refused('patience 0', ['--patience 0'], *data, '--patience', 0)
    f.refused('a repair and none', ['gaps,ignore', 'cannot be combined'], *data, '--repair', 'gaps,ignore')
    f.refused('epochs 0', ['--epochs', '1 or more'], *data[:-2], '--epochs', 0)
    f.refused('an unknown model', ['--model', 'gpu', 'fighter'], *data, '--model', 'gpu')
    f.refused('hops without a graph', ['--hops', 'gru'], *data, '--model', 'gru', '--hops', 2)
    f.refused('heads without attention', ['--heads', 's4'], *data, '--model', 's4', '--heads', 2)
    f.refused('a quantile of another loss', ['--quantile', 'huber'], *data, '--loss', 'huber', '--quantile',
              0.9)
    f.refused('a quantile of 1', ['--quantile', '0.999'], *data, '--loss', 'quantile', '--quantile', 1)
    f.refused('no feed-forward block', ['--ff', 'fighter'], *data, '--ff', 8)
    f.refused('series in order', ['variate', 'lstm'], *data, '--model', 'lstm', '--tokens', 'variate')
    f.refused('heads of a transformer', ['heads', '3', '8'], *data, '--model', 'transformer', '--heads', 3)
    f.refused('an unknown column', ['XX', 'OT'], *data, '--target', 'XX')
    f.refused('a split of three thirds', ['split'], *data, '--split', '0.5,0.4,0.3')
    f.refused('a split of words', ['--split', 'half'], *data, '--split', 'half')
    f.refused('patches longer than the input', ['a patch is too long', '24'], *data[:6], '--patch', 25)
    f.refused('a season beyond the table', ['season', '321'], *data, '--season', 321)
    f.refused('a graph for the wrong model', ['--graph'], *data, '--graph', 'g.csv', '--model', 'linear')
    (f.directory / 'g.csv').write_text('1,0\n0,1\n')
    f.refused('a graph of another size', ['nodes', 'got 2, need 7'], *data, '--graph', 'g.csv',
              '--model', 'gcn', '--tokens', 'variate')


def test_bad_models(f):
    here = f.directory
    whole = (here / 'm.safetensors').read_bytes()
    (here / 'cut.safetensors').write_bytes(whole[:len(whole) - 10])
    (here / 'noise.safetensors').write_bytes(bytes(range(256)) * 8)
    (here / 'other.safetensors').write_bytes(b'\x02\0\0\0\0\0\0\0{}')
    for name in ('absent', 'cut', 'noise', 'other'):
        f.refused(f'{name} model', [f'{name}.safetensors'], '--data', 'series.csv', '--load',
                  f'{name}.safetensors')
    load = ['--load', 'm.safetensors', '--data']
    f.refused('a table without the columns', ['HUFL'], *load, 'g.csv')
    f.refused('another window', ['--input', '--horizon'], *load, 'series.csv', '--input', 48)
    f.refused('another model', ['--model'], *load, 'series.csv', '--model', 'gcn')
    for option in ('--target FOO', '--known OT', '--past OT', '--columns OT', '--revin', '--calendar none',
                   '--dim 8', '--hops 2', '--graph learn', '--probe'):
        f.refused(f'{option} and --load', ['m.safetensors says', option.split()[0]], *load, 'series.csv',
                  '--update', *option.split())
    for option in ('--lr 1', '--loss mae', '--thin 2', '--epochs 4', '--apart', '--attent soft',
                   '--shards 2'):
        f.refused(f'{option} and --load', ['is not trained', option.split()[0]], *load, 'series.csv',
                  *option.split())
    future = ['--predict', 'n.csv', '--future', 'series.csv']
    f.refused('a future that nobody reads', ['m.safetensors', '--future'], *load, 'series.csv', *future)
    f.refused('a future without --known', ['--known', '--future'], '--data', 'series.csv', *future)


def test_bad_outputs(f):
    here = f.directory
    data = ['--data', 'series.csv', '--load', 'm.safetensors']
    (here / 'folder').mkdir()
    for option in ('--save', '--predict'):
        f.refused(f'{option} nowhere', ['none/out'], *data, option, 'none/out')
        f.refused(f'{option} on a directory', ['folder'], *data, option, 'folder')
        f.refused(f'{option} on a device', ['/dev/full'], *data, option, '/dev/full')
    f.refused('the data as output', ['series.csv'], *data, '--predict', 'series.csv')
    f.refused('one file for two', ['same'], *data, '--predict', 'same', '--save', 'same')
    old = (here / 'm.safetensors').read_bytes()
    # a limit on the size of files fails the write in its midst
    done = subprocess.run(['sh', '-c', 'trap "" XFSZ; ulimit -f 1; exec "$@"', 'sh', f.program, *data,
                           '--save', 'm.safetensors'], cwd=here, capture_output=True, text=True, check=False)
    check('a full disk', done.returncode == 1 and 'm.safetensors' in done.stderr, done.stderr)
    check('the old file stays whole', (here / 'm.safetensors').read_bytes() == old)


def test_plots(f, plots):
    if not plots:
        f.refused('no cairo', ['--plot', 'cairo'], '--data', 'series.csv', '--plot', 'p.svg')
        return
    for name, start in (('p.svg', b'<?xml'), ('p.png', b'\x89PNG')):
        f.measured('--load', 'm.safetensors', '--plot', name)
        picture = (f.directory / name).read_bytes()
        check(name, picture.startswith(start) and len(picture) > 10000, picture[:20])
    for more in (['--intervals', '80,95'], ['--quantiles', '0.1,0.5,0.9']):
        f.measured(*more, '--plot', 'b.svg', '--no-baselines')
        bands = (f.directory / 'b.svg').read_text().count('fill-opacity:0.16;')
        check(f'bands {more}', bands >= 6, bands)
    check('the picture is whole', (f.directory / 'p.svg').read_text().rstrip().endswith('</svg>'))
    f.refused('nothing to draw', ['p.svg', 'test window'], '--data', 'series.csv', *SMALL, '--split',
              'rows:300,100,0', '--plot', 'p.svg')
    f.refused('another format', ['.svg', 'p.gif'], '--data', 'series.csv', '--plot', 'p.gif')


def test_interrupt(f):
    args = ['--data', 'series.csv', *SMALL[:-2], '--epochs', '1000000', '--patience', '-1',
            '--json', '--save', 'i.safetensors']
    status, out, err = interrupt([f.program, *args], f.directory, 'epoch  2/')
    got = json.loads(out)
    check('^C ends the training', status == 130 and got['cancelled'] and got['test_mse'] > 0, err)
    same = f.measured('--load', 'i.safetensors')
    check('and leaves a model', same['weights_hash'] == got['weights_hash'], same)


def test_interrupted_member(f):
    """The second of two members is left out of the mean."""
    args = ['--data', 'series.csv', *SMALL[:-2], '--epochs', '60', '--patience', '-1',
            '--no-linear', '--no-baselines', '--json']
    status, out, err = interrupt([f.program, *args, '--members', '2'], f.directory, 'epoch  1/', 2)
    got, first = json.loads(out), json.loads(f.run(*args).stdout)
    check('^C in the second member', status == 130 and got['cancelled'], err)
    check('the first one is the model', got['weights_hash'] == first['weights_hash'], (got, first))


def main(program, script, plots):
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        write_series(script, f.directory)
        helped = f.run('--help', 'all')
        check('--help all', helped.returncode == 0 and '--tokens' in helped.stdout, helped)
        check('--help', '--pred' in f.run('--help').stdout and '--tokens' not in f.run('--help').stdout)
        check('--help TOPIC', '--missing' in f.run('--help', 'data').stdout and
              f.run('--help', 'hops').stdout.startswith('  --hops') and f.run('--help', 'x').returncode == 1)
        check('the first model', f.models()[0] == 'fighter' and set(IN_ORDER) < set(f.models()), f.models())
        test_models(f)
        test_choices(f)
        test_threads(f)
        test_pretraining(f)
        test_adapters(f)
        test_files(f)
        test_selection(f)
        test_table(f)
        test_checkpoint(f)
        test_labels(f)
        test_times(f)
        test_roles(f)
        test_intervals(f)
        test_quantiles(f)
        test_non_negative(f)
        test_missing(f)
        test_bad_files(f)
        test_bad_options(f)
        test_bad_models(f)
        test_bad_outputs(f)
        test_plots(f, plots == 'plots')
        test_interrupt(f)
        test_interrupted_member(f)
    print(f'{len(failures)} failures, {time.monotonic() - start:.1f} s')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
