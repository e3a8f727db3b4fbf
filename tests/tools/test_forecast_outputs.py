#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the forecast program writes: usage test_forecast_outputs.py FORECAST

Numbers with all of their digits, names as texts, a word for what is not forecast, and files that one process
writes at a time.
"""

import csv
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

from file_events import Folder, has
from test_forecast import Forecast, check, failures

LINEAR = ['--model', 'linear', '--no-baselines', '--threads', 1]


def read(f, name):
    return list(csv.DictReader((f.directory / name).open(encoding='utf-8')))


def levels(step, level):
    """Small changes of a large number, as a file has them."""
    return [str(Decimal(level) + step * ((7 * i) % 11)) for i in range(200)]


def test_digits(f):
    for name, step, level in (('counter', 10000, '1707982927790'), ('cents', Decimal('.25'), '123456794.25'),
                              ('small', Decimal('1e-7'), '12.0000003'), ('large', 3 * 10**16, '1e17')):
        values = levels(step, level)
        (f.directory / 'y.csv').write_text('y\n' + '\n'.join(values) + '\n')
        done = f.run('--data', 'y.csv', *LINEAR, '--input', 22, '--pred', 2, '--predict', 'p.csv',
                     '--forecasts', 'f.csv', '--save', 'm.st', '--json')
        check(name, done.returncode == 0, done.stderr)
        for row in read(f, 'f.csv'):
            truth = values[int(row['time']) - 1]
            check(name, Decimal(row['truth']) == Decimal(truth), (row, truth))
        for row in read(f, 'p.csv') + read(f, 'f.csv'):
            text = row.get('y') or row['forecast']
            check(f'{name}: the shortest text', len(text) <= len(repr(float(text))) + 1, text)
        # the pattern goes on, and the digits of the forecast show it
        for i, row in enumerate(read(f, 'p.csv')):
            want = Decimal(level) + step * ((7 * (200 + i)) % 11)
            check(name, abs(Decimal(row['y']) - want) < Decimal('0.2') * step, (row, want))
        done = f.run('--load', 'm.st', '--data', 'y.csv', '--predict-all', 'all.csv')
        check(name, [row['y'] for row in read(f, 'all.csv')] == [row['y'] for row in read(f, 'p.csv')])


def write_counts(f, name, shift):
    values = [max(0, 200 - i) + shift + 2 * (i % 5 == 0) for i in range(260)]
    (f.directory / name).write_text('n\n' + '\n'.join(map(str, values)) + '\n')
    return values


def test_counts(f):
    """Whole numbers from 0 on have no negative forecasts, and that is said; others may. All outputs have the
    same forecasts, and errors are theirs."""
    for name, shift, more, floor in (('counts', 0, [], True), ('kept', 0, ['--allow-negative'], False),
                                     ('fractions', .5, [], False), ('below 0', -1, [], False)):
        values = write_counts(f, 'n.csv', shift)
        plain = ['--data', 'n.csv', '--time', 'none']
        done = f.run(*plain, *LINEAR, '--input', 22, '--pred', 12, *more, '--intervals', 80, '--predict',
                     'p.csv', '--forecasts', 'f.csv', '--save', 'n.st', '--json')
        check(name, done.returncode == 0, done.stderr)
        got, rows = json.loads(done.stdout), read(f, 'f.csv')
        check(f'{name}: the report', ('below 0 are written as 0' in done.stderr) == floor, done.stderr)
        check(f'{name}: the report', got['counts'] == floor, got['counts'])
        every = [float(row[k]) for row in rows for k in ('forecast', 'lo-80', 'hi-80') if row[k]]
        check(f'{name}: the forecasts', (min(every) == 0) == floor and (min(every) < 0) != floor, min(every))
        # the errors are measured with the forecasts that are written
        errors = [abs(float(row['forecast']) - float(row['truth'])) for row in rows]
        wape = sum(errors) / sum(abs(float(row['truth'])) for row in rows)
        check(f'{name}: the errors', abs(got['test_wape'] - wape) < 1e-6 * wape, (got['test_wape'], wape))
        # a loaded model and --predict-all forecast the same
        next_rows = [row['n'] for row in read(f, 'p.csv')]
        f.run(*plain, '--load', 'n.st', '--predict', 'q.csv')
        f.run(*plain, '--load', 'n.st', '--predict-all', 'all.csv')
        check(f'{name}: loaded', [row['n'] for row in read(f, 'q.csv')] == next_rows, next_rows)
        check(f'{name}: --predict-all', [row['n'] for row in read(f, 'all.csv')] == next_rows, next_rows)
    # one column of whole numbers among measurements is one of them
    for columns, want in ((2, 1), (3, 0)):
        rows = [[7 * i % 11] + [7 * i % 11 + .5 + k for k in range(1, columns)] for i in range(200)]
        (f.directory / 'c.csv').write_text(','.join('abc'[:columns]) + '\n' + '\n'.join(
            ','.join(map(str, row)) for row in rows) + '\n')
        done = f.run('--data', 'c.csv', '--time', 'none', *LINEAR, '--input', 22, '--pred', 2, '--json')
        check(f'{columns} columns', json.loads(done.stdout)['counts'] == want, done)
    # other options change nothing but the sign; a file with values below 0 is no file of counts
    write_counts(f, 'n.csv', 0)
    f.run('--data', 'n.csv', '--time', 'none', *LINEAR, '--input', 22, '--pred', 12, '--save', 'n.st')
    low = [('--allow-negative', 'n.csv', ['--allow-negative']), ('values below 0', 'm.csv', [])]
    write_counts(f, 'm.csv', -9)
    for name, data, more in low:
        f.run('--data', data, '--time', 'none', '--load', 'n.st', '--predict', 'q.csv', *more)
        least = min(float(row['n']) for row in read(f, 'q.csv'))
        check(name, least < 0, least)


def test_json(f):
    """No digit is lost, and none is made up: 0.7 is not 0.69999999999999996."""
    done = f.run('--data', 'y.csv', *LINEAR, '--input', 22, '--pred', 2, '--lr', 0.7, '--json')
    got = json.loads(done.stdout)
    check('options', '"lr": 0.7,' in done.stdout, done.stdout)
    check('numbers', all(repr(v) in done.stdout or '%.15g' % v in done.stdout for v in got.values()
                         if isinstance(v, float)), got)


# ---- how far ----

def dates(step, rows):
    if step < 0:  # months
        for i in range(rows):
            month = -step * i
            yield f'{1980 + month // 12}-{month % 12 + 1:02}-01'
    else:
        for i in range(rows):
            yield str(datetime(2015, 1, 1) + i * timedelta(minutes=step))


def test_horizons(f):
    """Without --pred the forecast is as long as the step of the rows suggests."""
    hour, day = 60, 1440
    for step, rows, want in ((-1, 400, 12), (-3, 100, 4), (-12, 40, 4), (-1, 60, 6), (7 * day, 400, 8),
                             (day, 400, 14), (hour, 500, 48), (hour, 300, 30), (6 * hour, 400, 8),
                             (15, 1000, 96), (2 * day, 400, 7)):
        lines = [f'{date},{(7 * i) % 11}' for i, date in enumerate(dates(step, rows))]
        (f.directory / 'h.csv').write_text('date,y\n' + '\n'.join(lines) + '\n')
        done = f.run('--data', 'h.csv', *LINEAR, '--input', 10, '--predict', 'p.csv')
        check(f'{step}', len(read(f, 'p.csv')) == want, done)
        said = f'without --pred the forecast has {want} rows, because the data has {rows} rows, '
        check(f'{step}', said in done.stdout, done)
    done = f.run('--data', 'h.csv', *LINEAR, '--input', 10, '--pred', 3)
    check('--pred', 'without --pred' not in done.stdout, done.stdout)


def test_search(f):
    """--backtest with --auto: each origin has the model that is best before it."""
    lines = [f'{date},{(7 * i) % 11 + i % 3}' for i, date in enumerate(dates(1440, 400))]
    (f.directory / 's.csv').write_text('date,y\n' + '\n'.join(lines) + '\n')
    for mode, trained in (('refit', 3), ('keep', 1)):
        done = f.run('--data', 's.csv', '--input', 28, '--pred', 7, '--auto', '--budget-epochs', 3,
                     '--backtest', 3, '--mode', mode, '--json')
        check(mode, done.returncode == 0, done.stderr)
        got = json.loads(done.stdout)
        origins = got['backtest']['origins']
        check(mode, len(origins) == 3 and sum(o['train_rows'] > 0 for o in origins) == trained, origins)
        check(mode, got['test_mse'] < got['naive_mse'], got)


# ---- names ----

def test_names(f):
    """Names of cells and files are texts: for the terminal, and with an option for spreadsheets."""
    names = ['=1+1', '-x', '@sum', '+2', 'plain', 'red\x1b[31m', 'c1\u009b']
    rows = [','.join(str((7 * i) % 11 + k) for k in range(len(names))) for i in range(100)]
    (f.directory / 'n\x07.csv').write_text(','.join(names) + '\n' + '\n'.join(rows) + '\n')
    plain = ['--data', 'n\x07.csv', *LINEAR, '--input', 22, '--pred', 2]
    done = f.run(*plain, '--predict', 'p.csv')
    check('as they are', list(read(f, 'p.csv')[0])[1:] == names, read(f, 'p.csv'))
    check('the terminal', '\x1b' not in done.stdout and '\x07' not in done.stdout, done.stdout)
    check('the terminal', 'red\\x1b[31m' in done.stdout and 'n\\x07' in done.stdout, done.stdout)
    check('the terminal', '\u009b' not in done.stdout and 'c1\\xc2\\x9b' in done.stdout, done.stdout)
    f.run(*plain, '--predict', 'p.csv', '--forecasts', 'f.csv', '--escape-formulas')
    want = ["'=1+1", "'-x", "'@sum", "'+2", *names[4:]]
    check('escaped', list(read(f, 'p.csv')[0])[1:] == want, read(f, 'p.csv'))
    check('rows are no formulas', read(f, 'p.csv')[0]['row'] == '+1', read(f, 'p.csv'))
    check('escaped', list(dict.fromkeys(row['series'] for row in read(f, 'f.csv'))) == want)
    done = f.run('--data', 'no\x1b[2J.csv')
    check('the terminal', '\x1b' not in done.stderr and 'no\\x1b[2J.csv' in done.stderr, done.stderr)


def write_long(f, name, series, days):
    """Series that end together; days[i] of the i-th."""
    rows = [f'{s},{datetime(2024, 1, 1) + timedelta(days=day):%Y-%m-%d},{(7 * day) % 11 + k}'
            for k, s in enumerate(series) for day in range(max(days) - days[k], max(days))]
    (f.directory / name).write_text('shop,date,y\n' + '\n'.join(rows) + '\n')


def test_series(f):
    """A series that is not forecast is named, with a way on."""
    write_long(f, 'two.csv', ['a', 'b'], [200, 200])
    write_long(f, 'four.csv', ['a', 'b', 'c', 'd'], [200, 200, 200, 150])
    write_long(f, 'late.csv', ['a', 'b', 'new'], [200, 200, 30])
    train = ['--long', 'shop,date,y', *LINEAR, '--input', 22, '--pred', 2, '--predict', 'p.csv', '--data']
    load = ['--long', 'shop,date,y', '--load', 'l.st', '--predict', 'p.csv', '--data']
    f.run(*train, 'two.csv', '--save', 'l.st')
    done = f.run(*load, 'four.csv')
    check('new series', '2 series are not forecast, because the model was trained without them; a model that '
          'is trained with them can forecast them: c, d' in done.stderr, done.stderr)
    done = f.run(*load, 'two.csv')
    check('no new series', 'series' not in done.stderr, done.stderr)
    done = f.run(*train, 'late.csv')
    check('a late series', '1 series is left out, because it has no value in the training rows; with --split '
          '1,0,0 all rows are for training: new' in done.stderr, done.stderr)
    check('a late series', {row['shop'] for row in read(f, 'p.csv')} == {'a', 'b'})
    done = f.run(*train, 'late.csv', '--split', '1,0,0')
    check('all rows', done.stderr == '' and len(read(f, 'p.csv')) == 6, done)


def test_files_of_many(f):
    """--predict-all names new series once for each file, and leaves nothing of a run that cannot go on."""
    train = ['--long', 'shop,date,y', '--data', 'two.csv']
    load = ['--long', 'shop,date,y', '--load', 'l.st', '--predict-all', 'all.csv', '--every', 50]
    part, state = f.directory / 'all.csv.part', f.directory / 'all.csv.state'
    done = f.run(*load, '--data', 'two.csv', '--data', 'four.csv', '--data', 'late.csv')
    check('files of many', done.returncode == 0, done)
    said = [line for line in done.stderr.splitlines() if 'not forecast' in line]
    check('new series', len(said) == 2 and 'four.csv: 2 series are not' in said[0] and 'c, d' in said[0]
          and 'late.csv: 1 series is not' in said[1], done.stderr)
    write_long(f, 'half.csv', ['a'], [200])
    done = f.run(*load, '--data', 'two.csv', '--data', 'half.csv')
    check('an absent series', done.returncode == 0 and
          'half.csv: 1 series of the model is absent, and not forecast: b' in done.stderr, done.stderr)
    write_long(f, 'one.csv', ['z'], [200])
    whole = (f.directory / 'all.csv').read_bytes()
    (f.directory / 'text.csv').write_text('shop,date,y\na,2024-01-01,1\na,2024-01-02,x\na,2024-01-03,2\n')
    (f.directory / 'short.csv').write_text('shop,date,y\na,2024-01-01,1\na,2024-01-01,2\n')
    (f.directory / 'folder').mkdir()
    for name in ('one.csv', 'text.csv', 'short.csv', 'folder', 'none.csv'):
        f.refused(name, [name], *load, *train[2:], '--data', name)
        check(f'{name}: nothing is left', not part.exists() and not state.exists())
    check('the file of before', (f.directory / 'all.csv').read_bytes() == whole)


def write_holes(f, name):
    """400 hours: 4 cells of a are empty, 1 of b, and 1 row is not there."""
    a, b = [43, 44, 45, 100], [9]
    rows = [f'{time},{"" if i in a else 7 * i % 11 + .5},{"" if i in b else 5 * i % 13},{i % 5}'
            for i, time in enumerate(dates(60, 400)) if i != 60]
    (f.directory / name).write_text('date,a,b,c\n' + '\n'.join(rows) + '\n')


def test_filled(f):
    """What --missing fill and --missing zero have made up is said."""
    write_holes(f, 'holes.csv')
    said = ('filled 8 of 1200 values in 3 columns: a (5, the first in line 45 (2015-01-02 19:00:00)), '
            'b (2, the first in line 11 (2015-01-01 09:00:00)), c (1, at 2015-01-03 12:00:00)\n')
    plain = ['--data', 'holes.csv', '--repair', 'gaps']
    train = [*plain, *LINEAR, '--input', 24, '--pred', 4]
    for how, filled in (('fill', True), ('zero', True), ('mask', False)):
        done = f.run(*train, '--missing', how, '--save', 'h.st')
        check(how, done.returncode == 0 and (said in done.stdout) == filled, done)
        check(how, '\n1 missing row was added\n' in done.stdout, done.stdout)
        got = json.loads(f.run(*train, '--missing', how, '--json').stdout)
        check(how, got['values_filled'] == 8 * filled, got)
        check(how, got['filled'] == ({'a': 5, 'b': 2, 'c': 1} if filled else {}), got['filled'])
        done = f.run(*plain, '--missing', how, '--load', 'h.st', '--predict-all', 'all.csv')
        check(how, done.returncode == 0 and ('holes.csv: ' + said in done.stdout) == filled, done)
        done = f.run(*plain, '--missing', how, '--convert', 'h.fgt', '--json')
        check(how, json.loads(done.stdout)['values_filled'] == 8 * filled, done)
        check(how, (', 1 row added, 8 values filled\n' in done.stderr) == filled, done.stderr)


# ---- one writer ----

def start(f, *args):
    return subprocess.Popen([f.program, *map(str, args)], cwd=f.directory, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def test_one_writer(f):
    """A second run of one --predict-all is refused; what the first one writes stays whole."""
    rows = [f'{7 * i % 11},{3 * i % 17}' for i in range(12000)]
    for name in ('one.csv', 'two.csv'):
        (f.directory / name).write_text('a,b\n' + '\n'.join(rows) + '\n')
    f.run('--data', 'one.csv', *LINEAR, '--input', 24, '--pred', 24, '--save', 'w.st')
    command = ['--load', 'w.st', '--data', 'one.csv', '--data', 'two.csv', '--every', 1, '--threads', 1,
               '--predict-all', 'all.csv']
    part, state = f.directory / 'all.csv.part', f.directory / 'all.csv.state'
    f.run(*command)
    whole = (f.directory / 'all.csv').read_bytes()
    with Folder(f.directory) as folder, start(f, *command) as first:
        check('it writes', folder.wait(first, has(part, 100000)))
        f.refused('a second run', ['all.csv.part', 'another process is writing it'], *command)
        check('the first run', first.wait() == 0)
    check('the result is whole', (f.directory / 'all.csv').read_bytes() == whole)
    check('nothing is left', not part.exists() and not state.exists())
    # goes on only with the same data, whatever the times of the file say
    with Folder(f.directory) as folder, start(f, *command) as first:
        check('it has begun', folder.wait(first, state.exists))
        first.send_signal(signal.SIGINT)
        check('interrupted', first.wait() == 130)
    data = f.directory / 'one.csv'
    before = data.stat()
    text = data.read_text()
    data.write_text(text.replace('10,', '11,'))
    os.utime(data, ns=(before.st_atime_ns, before.st_mtime_ns))
    f.refused('other data', ['all.csv.state', 'other files', 'remove it'], *command)


def test_targets(f):
    """What is no file is refused, a limit is said, and what a killed run left is used up."""
    pipe = f.directory / 'pipe.csv'
    os.mkfifo(pipe)
    for option in ('--predict', '--forecasts', '--save'):
        f.refused('a FIFO', ['pipe.csv', 'no regular file'], '--data', 'y.csv', *LINEAR, option, 'pipe.csv')
    os.rename(pipe, f.directory / 'p.csv.fighter-tmp')
    done = f.run('--data', 'y.csv', *LINEAR, '--input', 22, '--pred', 2, '--predict', 'p.csv')
    check('a FIFO', done.returncode == 1 and 'no regular file' in done.stderr, done.stderr)
    os.unlink(f.directory / 'p.csv.fighter-tmp')
    (f.directory / 'p.csv.fighter-tmp').write_text('left by a run that was killed' * 1000)
    f.run('--data', 'y.csv', *LINEAR, '--input', 22, '--pred', 2, '--predict', 'p.csv')
    check('a new file', len(read(f, 'p.csv')) == 2, (f.directory / 'p.csv').read_text())
    check('nothing is left', not (f.directory / 'p.csv.fighter-tmp').exists())
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    done = f.run('--data', 'one.csv', *LINEAR, '--input', 22, '--pred', 9, '--forecasts', 'f.csv')
    check('a limit', done.returncode == 1 and 'f.csv: cannot be written: File too large' in done.stderr, done)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    check('nothing is left', not (f.directory / 'f.csv.fighter-tmp').exists())


def test_layers(f):
    """What Fighter layers draw on is in the object as on the page, and of no other layers."""
    rows = [f'{(3 * i) % 17},{i % 24},{(5 * i) % 13 + i % 7}' for i in range(300)]
    (f.directory / 'l.csv').write_text('\n'.join(['a,b,c', *rows]) + '\n')
    fit = ['--data', 'l.csv', '--time', 'none', '--input', 24, '--pred', 6, '--dim', 8, '--epochs', 1,
           '--no-linear', '--no-baselines', '--threads', 1, '--json', '--report', 'l.html']
    for tokens, names, count in (('variate', ['a', 'b', 'c'], 3), ('time', None, 24)):
        done = f.run(*fit, '--tokens', tokens, '--hops', '3,1,2')
        check(tokens, done.returncode == 0, done.stderr)
        got, page = json.loads(done.stdout), (f.directory / 'l.html').read_text(encoding='utf-8')
        layers = got['fighter_layers']
        check(f'{tokens}: names', got['fighter_tokens'] == names, got['fighter_tokens'])
        check(f'{tokens}: layers of two hops or more', [len(one['hop_shares']) for one in layers] == [3, 2],
              layers)
        for one in layers:
            shares = ', '.join(f'A^{i} {share:.3f}' for i, share in enumerate(one['hop_shares']))
            check(f'{tokens}: shares of hops', shares in page, (one, shares))
            least = [norm / share for norm, share in zip(one['hop_norms'], one['hop_shares'])]
            check(f'{tokens}: norms', max(least) < 1 + 1e-9 + min(least), one)
            part = page.split("<details id='importance-")[1 + layers.index(one)]
            check(f'{tokens}: layer', f"<p>Layer {one['layer']}</p>" in part, part[:200])
            lines = re.findall(r'</th><td>([^<]*)</td>', part.split('</table>')[0])
            check(f'{tokens}: importance', len(lines) == count and abs(sum(one['importance']) - 1) < 1e-6 and
                  lines == [f'{share:.3g}' for share in one['importance']], (lines, one['importance']))
    for other in (['--model', 'transformer'], ['--hops', 1]):
        done = f.run(*fit, '--tokens', 'variate', *other)
        check('other layers', 'fighter_layers' not in json.loads(done.stdout), done.stdout)


# ---- nothing is lost in silence ----

def write_columns(f, name, columns, rows=200):
    cells = [','.join(str((7 * i) % 11 + k) for k in range(len(columns))) for i in range(rows)]
    (f.directory / name).write_text('\n'.join([','.join(columns), *cells]) + '\n')


def test_options(f):
    """An option without effect is refused, and so is a second value of one that has one value."""
    write_columns(f, 's.csv', ['a', 'b'])
    train = ['--data', 's.csv', *LINEAR, '--input', 22]
    f.run(*train, '--pred', 2, '--save', 's.st')
    for option in (['--pred', 2], ['--model', 'linear'], ['--lr', 0.1], ['--missing', 'mask'],
                   ['--quantiles', '0.1,0.9'], ['--split', 'etth'], ['--target', 'a']):
        f.refused('twice', [f'{option[0]} is given twice'], '--data', 's.csv', *option, *option)
    done = f.run(*train, '--pred', 2, '--no-baselines', '--missing-value', -9, '--missing-value', 'x')
    check('flags and lists', done.returncode == 0, done)
    for option in (['--seed', 2], ['--precision', 'bf16']):
        f.refused('no training', ['is not trained', option[0]], '--load', 's.st', '--data', 's.csv', *option)
    for split in ('0,0,0', '-1,1,1', '0,0.5,0.5'):
        f.refused('no training row', [f'--split {split}', 'need a share above 0'], *train, '--split', split)
    for option, words in (('--repair', 'order, repeats, gaps, all, ignore'),
                          ('--calendar', 'auto, none, day, week, month, year'),
                          ('--missing', 'refuse, mask, fill, zero')):
        f.refused('its words', [f'{option} ', f'the value is missing; it takes {words}'], *train, option)
    write_columns(f, 'two.csv', ['a', 'b'], 2)
    f.refused('two rows', ['got 2 rows, need 17)'], '--data', 'two.csv', '--model', 'linear', '--pred', 3)
    write_columns(f, 'two.csv', ['a', 'b'], 17)
    done = f.run('--data', 'two.csv', '--model', 'linear', '--pred', 3)
    check('as many rows as it needs', done.returncode == 0, done)


def test_fast_options(f):
    """Each option for reading data, for measuring and for outputs is for a forecast without training or for a
    model: a new one that is for neither by mistake would change how a short file is forecast."""
    models = """convert resident known past calendar holidays static split mode no-baselines exact precision
        describe save load holdout update moments predict-all future""".split()
    words = {'FORM': 'iso', 'HOW,...': 'order', 'WHAT': 'auto', 'WHAT,...': 'day', 'WHEN': 'keep',
             'ID,TIME,VALUE|auto|none': 'auto', 'N': 1, 'ROWS': 1, 'MIB': 1, '80,95': 80}
    for topic in ('data', 'measuring', 'output'):
        listed = re.findall(r'^  --(\S+)(?: (\S+))?  ', f.run('--help', topic).stdout, re.M)
        check(f'--help {topic}', len(listed) > 5, listed)
        for name, value in listed:
            if name in ('help', 'version', 'data'):
                continue
            own = {'missing': 'mask', 'split': 'etth', 'products': 'blis', 'precision': 'f32'}.get(name)
            given = [own or words.get(value, 'x')] if value else []
            done = f.run('--fast', '--data', 's.csv', f'--{name}', *given)
            refused = f'and --{name} is for a model' in done.stderr
            check(f'--fast with --{name}', refused == (name in models), done.stderr)


def test_same_names(f):
    """Two columns of one name are refused, before the training and with both names."""
    write_columns(f, 'n.csv', ['y', 'y-lo-80', 'y-q-0.1'])
    write_columns(f, 'row.csv', ['a', 'row'])
    train = ['--data', 'n.csv', '--time', 'none', *LINEAR, '--input', 22, '--pred', 2, '--predict', 'p.csv']
    (f.directory / 'p.csv').unlink(missing_ok=True)
    for more, name in ((['--intervals', 80], 'y-lo-80'), (['--quantiles', '0.1,0.9'], 'y-q-0.1')):
        for start in ([*train[:4], '--model', 'rnn', *train[6:]], [*train[:4], '--fast', *train[-4:]],
                      [*train[:4], '--model', 'rnn', *train[6:], '--backtest', 2]):
            if '--fast' not in start or name == 'y-lo-80':
                f.refused('a column twice', ['p.csv', f'called "{name}"', 'for "y"', 'rename'], *start, *more)
    check('nothing is written', not (f.directory / 'p.csv').exists())
    done = f.run(*train, '--intervals', 90)
    check('other names', done.returncode == 0, done)
    f.refused('a row', ['"row"', 'the rows'], '--data', 'row.csv', *train[2:])
    f.run('--data', 'row.csv', *train[2:-2], '--save', 'row.st')
    write_columns(f, 'step.csv', ['a', 'step'])
    f.run('--data', 'step.csv', *train[2:-2], '--save', 'step.st')
    f.refused('--predict-all', ['all.csv', '"step"', 'rename'], '--load', 'step.st', '--data', 'step.csv',
              '--predict-all', 'all.csv')


def test_none_of_many(f):
    """--predict-all that leaves out every forecast is an error; beside other forecasts it is a warning."""
    write_columns(f, 'few.csv', ['a', 'b'], 10)
    load = ['--load', 's.st', '--predict-all', 'none.csv', '--data', 'few.csv']
    f.refused('no forecast', ['none.csv', 'all forecasts are left out'], *load)
    check('why', 'few.csv: no forecast, because 10 rows stand before it' in f.run(*load).stderr)
    check('nothing is left', not list(f.directory.glob('none.csv*')))
    done = f.run(*load, '--data', 's.csv')
    check('one forecast', done.returncode == 0 and 'few.csv: no forecast' in done.stderr, done)


def test_once(f):
    """A warning about a file that is read twice is printed once."""
    rows = [f'{time},{7 * i % 11},{"xyz"[i % 2]}' for i, time in enumerate(dates(60, 200))]
    (f.directory / 'k.csv').write_text('\n'.join(['date,a,kind', *rows]) + '\n')
    later = [f'{time},,z' for time in list(dates(60, 210))[200:]]
    (f.directory / 'later.csv').write_text('\n'.join(['date,a,kind', *later]) + '\n')
    done = f.run('--data', 'k.csv', '--known', 'kind', *LINEAR, '--input', 22, '--pred', 2, '--future',
                 'later.csv', '--predict', 'p.csv')
    check('an unknown category', done.returncode == 0 and done.stderr.count('that is not known') == 1, done)


def test_precision(f):
    """--precision bf16: other bits where a weight has more than 32768 elements, and nowhere else."""
    rows = [f'{(3 * i) % 17},{i % 24},{(5 * i) % 13 + i % 7}' for i in range(300)]
    (f.directory / 'p.csv').write_text('\n'.join(['a,b,c', *rows]) + '\n')
    fit = ('--data', 'p.csv', '--time', 'none', '--model', 'transformer', '--no-linear', '--no-baselines')
    for dim, same in ((8, True), (256, False)):
        runs = [f.measured(*fit, '--dim', dim, '--precision', p) for p in ('f32', 'bf16')]
        f32, bf16 = (run['test_mse'] for run in runs)
        check(f'--precision, --dim {dim}', (f32 == bf16) == same and abs(f32 - bf16) < 0.02 * f32, runs)
    f.refused('other precision', ['--precision', 'f16', 'f32, bf16'], *fit, '--precision', 'f16')


def test_processors(f):
    """By default there are as many threads as processors that the process may use."""
    if not hasattr(os, 'sched_setaffinity'):
        return
    every = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(every)})
        got = f.measured('--data', 'p.csv', '--time', 'none', '--model', 'linear', '--no-baselines')
    finally:
        os.sched_setaffinity(0, every)
    check('one thread on one processor', got['threads'] == 1, got)


def test_full_disk(f):
    """If a write fails, the old file stays, also if only that of the model of all rows is too large."""
    start_at = datetime(2024, 1, 1)
    rows = ''.join(f'{start_at + timedelta(days=i):%Y-%m-%d},{i % 7 + i * 7919 % 13}\n' for i in range(240))
    (f.directory / 'disk.csv').write_text('date,y\n' + rows, encoding='utf-8')
    model, refused = f.directory / 'disk.st', 0
    f.measured('--data', 'disk.csv', *LINEAR, '--save', 'disk.st')
    old = model.read_bytes()
    for blocks in range(1, 60, 4):
        done = subprocess.run(['sh', '-c', f'trap "" XFSZ; ulimit -f {blocks}; exec "$@"', 'sh', f.program,
                               '--data', 'disk.csv', *map(str, LINEAR), '--save', 'disk.st'],
                              cwd=f.directory, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        refused += 1
        check('a full disk', 'disk.st' in done.stderr, (blocks, done.stderr))
        check('the old file stays whole', model.read_bytes() == old, blocks)
    check('disks were full, and then not', refused and done.returncode == 0, done)


def test_first_quantiles(f):
    """Quantiles differ even if the model is a linear map, because they begin with its errors."""
    lines = [f'{datetime(2023, 1, 1) + timedelta(days=i):%Y-%m-%d},{50 + i % 7 * 3 + i * 7919 % 13 / 10}'
             for i in range(300)]
    (f.directory / 'level.csv').write_text('date,y\n' + '\n'.join(lines) + '\n', encoding='utf-8')
    for more in ([], ['--model', 'linear']):
        done = f.run('--data', 'level.csv', '--pred', 7, '--quantiles', '0.1,0.9', '--predict', 'q.csv',
                     *more)
        rows = read(f, 'q.csv')
        check('quantiles differ',
              len(rows) == 7 and all(float(row['y-q-0.1']) < float(row['y-q-0.9']) for row in rows), done)


def main(program):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        test_digits(f)
        test_counts(f)
        test_json(f)
        test_horizons(f)
        test_search(f)
        test_names(f)
        test_series(f)
        test_files_of_many(f)
        test_filled(f)
        test_one_writer(f)
        test_targets(f)
        test_layers(f)
        test_options(f)
        test_fast_options(f)
        test_same_names(f)
        test_none_of_many(f)
        test_once(f)
        test_precision(f)
        test_processors(f)
        test_full_disk(f)
        test_first_quantiles(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
