#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Long files and several files: usage test_forecast_long.py FORECAST

The same numbers from a long file as from a wide one, series of different length, each forecast from its own
last row, covariates, files that follow one another or stand side by side, and what is refused.
"""

import csv
import datetime
import json
import math
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tool_checks import defaults

SMALL = '--input 28 --pred 7 --dim 8 --epochs 2 --patch 7 --no-baselines --threads 1'.split()
ROWS, SERIES = 200, 4
DAYS = [(datetime.date(2021, 1, 1) + datetime.timedelta(days=k)).isoformat() for k in range(ROWS + 7)]

failures = []


def check(what, good, more=''):
    if not good:
        failures.append(what)
        print(f'FAIL {what} {more}')


def value(series, row):
    return 10 * (series + 1) + math.sin(0.9 * row + series) + (2 if row % 7 < 2 else 0)


def price(series, row):
    return round(1 + 0.1 * series + 0.5 * (row * 7919 % 13 < 4), 2)


# of a model of --load, which says itself what it is
LOADED = SMALL[:4] + SMALL[-3:]


class Forecast:
    def __init__(self, program, directory):
        self.program = str(Path(program).resolve())
        self.directory = directory

    def run(self, *args):
        return subprocess.run([self.program, *map(str, args)], cwd=self.directory, capture_output=True,
                              text=True, timeout=120, check=False)

    def measured(self, *args):
        done = self.run(*defaults(LOADED if '--load' in args else SMALL, args), *args, '--json')
        check(f'{args} succeeds', done.returncode == 0, done.stderr)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def said(self, *args):
        done = self.run(*args, *defaults(LOADED if '--load' in args else SMALL, args))
        return done.stderr if done.returncode else ''

    def rows(self, name):
        with open(self.directory / name, newline='', encoding='utf-8') as f:
            return list(csv.reader(f))

    def write(self, name, rows):
        with open(self.directory / name, 'w', newline='', encoding='utf-8') as f:
            csv.writer(f).writerows(rows)


def spans(ragged):
    """First and last row of each series."""
    return [(0, ROWS), (40, ROWS), (0, ROWS - 12), (0, ROWS)] if ragged else [(0, ROWS)] * SERIES


def write_data(f, ragged):
    span = spans(ragged)
    wide = [['ds', *(f's{i}' for i in range(SERIES))]]
    for k in range(ROWS):
        wide.append([DAYS[k], *(f'{value(i, k):.4f}' if span[i][0] <= k < span[i][1] else ''
                                for i in range(SERIES))])
    long = [['unique_id', 'ds', 'y']]
    for i in range(SERIES):
        long += [[f's{i}', DAYS[k], f'{value(i, k):.4f}'] for k in range(*span[i])]
    f.write('wide.csv', wide)
    f.write('long.csv', long)


def check_same(f):
    write_data(f, False)
    wide = f.measured('--data', 'wide.csv', '--predict', 'pw.csv', '--intervals', '80')
    long = f.measured('--data', 'long.csv', '--predict', 'pl.csv', '--intervals', '80')
    for key in ('weights_hash', 'test_mse', 'val_mse', 'missing'):
        check(f'{key} is the same in both forms', wide.get(key) == long.get(key), (wide, long))
    check('long is said', long.get('long') is True and wide.get('long') is False)
    w, l = f.rows('pw.csv'), f.rows('pl.csv')
    check('header of a long forecast', l[0] == ['unique_id', 'ds', 'y', 'y-lo-80', 'y-hi-80'], l[0])
    check('rows of a long forecast', len(l) == 1 + SERIES * 7, len(l))
    again = {(r[0], r[1]): r[2:] for r in l[1:]}
    check('the same forecast', all(again[f's{i}', r[0]] == r[1 + 3 * i:4 + 3 * i] for r in w[1:]
                                   for i in range(SERIES)))


def check_ragged(f):
    write_data(f, True)
    wide = f.measured('--data', 'wide.csv', '--missing', 'mask')
    long = f.measured('--data', 'long.csv', '--predict', 'p.csv', '--save', 'm.safetensors')
    check('ragged series train as masked ones', wide.get('weights_hash') == long.get('weights_hash'))
    check('rows outside are counted', long.get('outside') == 40 + 12 and long.get('missing') == 0, long)
    first = {}
    for name, day, _ in f.rows('p.csv')[1:]:
        first.setdefault(name, day)
    check('each series from its own last row',
          first == {'s0': DAYS[ROWS], 's1': DAYS[ROWS], 's2': DAYS[ROWS - 12], 's3': DAYS[ROWS]}, first)
    rows = [r for r in f.rows('long.csv') if r[0] != 's3'] + [['s3', DAYS[ROWS - 1], '5']]
    f.write('late.csv', rows)
    done = f.run('--data', 'late.csv', '--predict', 'p.csv', *SMALL)
    check('a series without training rows is left out',
          done.returncode == 0 and '1 series is left out' in done.stderr, done.stderr)
    done = f.run('--data', 'late.csv', '--load', 'm.safetensors', '--predict', 'p.csv', *LOADED)
    check('a model of it forecasts it all the same', done.returncode == 0 and len(f.rows('p.csv')) == 29,
          done.stderr)


def check_covariates(f):
    """Prices differ between series, the promotion is that of all."""
    def row(i, k, y):
        return [f's{i}', DAYS[k], y, price(i, k), k * 31 % 5 // 4]
    head = [['item_id', 'timestamp', 'target', 'price', 'promo']]
    past = [row(i, k, f'{value(i, k) - 3 * price(i, k):.4f}') for i in range(SERIES) for k in range(ROWS)]
    next_rows = [row(i, k, '') for i in range(SERIES) for k in range(ROWS, ROWS + 7)]
    f.write('cov.csv', head + past)
    f.write('all.csv', head + past + next_rows)
    f.write('next.csv', [r[:2] + r[3:] for r in head + next_rows])
    f.write('few.csv', [r[:2] + r[3:] for r in head + next_rows[:7]])
    f.write('hole.csv', [r[:2] + ['' if r[:2] == ['s1', DAYS[ROWS]] else 8, 0] for r in next_rows])
    f.write('hole.csv', [head[0][:2] + head[0][3:]] + f.rows('hole.csv'))
    same = '--known price,promo --split rows:140,20,40'.split()
    f.measured('--data', 'all.csv', *same, '--predict', 'q.csv')
    two = f.measured('--data', 'cov.csv', *same, '--future', 'next.csv', '--predict', 'p.csv')
    check('covariates are no targets', two.get('columns') == SERIES, two)
    check('future rows in the file or beside it', f.rows('p.csv') == f.rows('q.csv'))
    said = f.said('--data', 'cov.csv', *same, '--future', 'few.csv', '--predict', 'p.csv')
    check('a series without rows to come has no prices of others',
          'few.csv: there is no row of series "s1", whose column "price" the forecast needs' in said, said)
    said = f.said('--data', 'cov.csv', *same, '--future', 'hole.csv', '--predict', 'p.csv')
    check('a cell without a value has no price of others', 'column "price[s1]" has no value' in said, said)
    f.measured('--data', 'cov.csv', *same, '--save', 'k.st')
    same_price = [[*r[:3], 8, r[4]] for r in past + next_rows if DAYS.index(r[1]) >= ROWS - 60]
    f.write('equal.csv', head + same_price)
    done = f.run('--data', 'equal.csv', '--load', 'k.st', '--predict', 'p.csv', *LOADED)
    check('equal prices are those of each series', done.returncode == 0, done.stderr)
    f.write('equal.csv', head + [r for r in same_price if r[0] != 's1' or DAYS.index(r[1]) < ROWS])
    done = f.run('--data', 'equal.csv', '--load', 'k.st', '--predict', 'p.csv', *LOADED)
    check('also in the file of a loaded model', done.returncode == 1 and '"price[s1]"' in done.stderr,
          done.stderr)
    done = f.run('--data', 'cov.csv', *SMALL)
    check('a covariate without a role is named', 'price[s0]' in done.stderr and 'not used' in done.stderr,
          done.stderr)
    done = f.run('--data', 'cov.csv', '--fast', '--predict', 'p.csv')
    check('also without training', 'columns are not read' in done.stderr and 'price[s0]' in done.stderr,
          done.stderr)


def check_names(f):
    """Categories differ between series, and the names of series look like categories and parts."""
    rows = [['unique_id', 'ds', 'y', 'promo']]
    for i, name in enumerate(('shop=1', 'shop=1[x]')):
        for k in range(ROWS):
            promo = ('none', 'flyer', 'radio')[(k * 31 + i) * 7919 % 13 % 3]
            rows.append([name, DAYS[k], f'{1000 * i + len(promo) + 0.01 * (k % 5):.2f}', promo])
    f.write('names.csv', rows)
    made = f.measured('--data', 'names.csv', '--past', 'promo', '--predict', 'p.csv', '--save', 'n.st',
                      '--holdout')
    level = [float(r[2]) for r in f.rows('p.csv')[1:]]
    check('each series has its own values',
          all(y < 20 for y in level[:7]) and all(y > 900 for y in level[7:]), level)
    again = f.measured('--data', 'names.csv', '--load', 'n.st', '--predict', 'q.csv')
    check('a loaded model reads them in the same way', again.get('test_mse') == made.get('test_mse') and
          again.get('categories_unseen') == 0 and f.rows('p.csv') == f.rows('q.csv'), (made, again))


def check_files(f):
    write_data(f, False)
    rows = f.rows('wide.csv')
    f.write('one.csv', rows[:101])
    f.write('two.csv', rows[:1] + rows[101:])
    f.write('left.csv', [r[:3] for r in rows])
    f.write('right.csv', [r[:1] + r[3:] for r in rows])
    whole = f.measured('--data', 'wide.csv')
    after = f.measured('--data', 'two.csv', '--data', 'one.csv')
    beside = f.measured('--data', 'left.csv', '--data', 'right.csv')
    for name, found in (('one after the other', after), ('side by side', beside)):
        check(f'files {name} are one', found.get('weights_hash') == whole.get('weights_hash'))
    check('what was done is said', after.get('files_appended') == 1 and beside.get('files_joined') == 1)
    f.write('beside.csv', [['ds', 'warm']] + [[DAYS[k], k % 5] for k in range(ROWS + 7)])
    f.measured('--data', 'wide.csv', '--data', 'beside.csv', '--known', 'warm', '--split', 'rows:140,20,40',
               '--predict', 'p.csv')
    check('known rows beside the series', len(f.rows('p.csv')) == 8)
    check('no such column', 'no file has a column "cold"' in
          f.said('--data', 'wide.csv', '--data', 'beside.csv', '--known', 'cold'))
    check('overlap', 'two.csv: line 2 (' in f.said('--data', 'wide.csv', '--data', 'two.csv'))
    long = f.rows('long.csv')
    half = len(long) // 2
    f.write('a.csv', long[:half])
    f.write('b.csv', long[:1] + long[half:])
    check('long files are one', f.measured('--data', 'a.csv', '--data', 'b.csv').get('weights_hash') ==
          whole.get('weights_hash'))
    f.write('c.csv', long[:1] + long[half - 1:])
    check('a repeated row', 'c.csv: line 2 is of' in f.said('--data', 'a.csv', '--data', 'c.csv'))


def check_holidays(f):
    """Sales fall on holidays; the list makes that known."""
    days = sorted(set(range(3, ROWS, 17)) | {ROWS + 2, ROWS + 6})
    def fall(row):
        return -6 if row in days else 0
    rows = [['ds', 'a', 'b']]
    rows += [[DAYS[k], f'{value(0, k) + fall(k):.4f}', f'{value(1, k) + fall(k):.4f}'] for k in range(ROWS)]
    f.write('shop.csv', rows)
    f.write('days.csv', [['date', 'name']] + [[DAYS[k], 'x' if k % 2 else 'y'] for k in days])
    f.write('short.csv', [['date']] + [[DAYS[k]] for k in days[:-2]])
    plain = f.measured('--data', 'shop.csv', '--epochs', '20', '--save', 'plain.safetensors')
    known = f.measured('--data', 'shop.csv', '--holidays', 'days.csv', '--predict', 'q.csv', '--epochs', '20',
                       '--save', 'h.safetensors')
    check('holidays help', known.get('test_mse', 9) < 0.8 * plain.get('test_mse', 0), (known, plain))
    done = f.run('--data', 'shop.csv', '--load', 'h.safetensors', '--predict', 'r.csv', *LOADED)
    check('the model file keeps them', f.rows('q.csv') == f.rows('r.csv'), done.stderr)
    check('no warning', 'ends on' not in done.stderr, done.stderr)
    done = f.run('--data', 'shop.csv', '--load', 'h.safetensors', '--holidays', 'short.csv', '--predict',
                 'r.csv', *LOADED)
    check('a list that ends early', f'ends on {DAYS[days[-3]]}' in done.stderr, done.stderr)
    far = f.run('--data', 'shop.csv', '--load', 'h.safetensors', '--predict', 'r.csv', '--horizon', 40,
                *LOADED)
    check('a horizon beyond the list', f'ends on {DAYS[days[-1]]}' in far.stderr, far.stderr)
    check('another list, another forecast', f.rows('q.csv') != f.rows('r.csv'))
    f.write('none.csv', [['date'], ['soon']])
    check('no days', 'none.csv: there is no column of days' in
          f.said('--data', 'shop.csv', '--holidays', 'none.csv'))
    check('a model without', 'made without holidays' in
          f.said('--data', 'shop.csv', '--holidays', 'days.csv', '--load', 'plain.safetensors'))


def check_static(f):
    """What follows a flat window depends on the kind of the series alone."""
    rows = [['unique_id', 'ds', 'y']]
    for i in range(SERIES):
        rows += [[f's{i}', DAYS[k], f'{10 + (1 if i % 2 else -1) * (k % 35 == 0) + 0.001 * k:.4f}']
                 for k in range(ROWS)]
    f.write('kinds.csv', rows)
    f.write('features.csv', [['shop', 'size', 'kind']] +
            [[f's{i}', i, 'up' if i % 2 else 'down'] for i in (2, 0, 3, 1)])
    f.write('few.csv', [['shop', 'size']] + [[f's{i}', i] for i in range(SERIES - 1)])
    f.write('dated.csv', [['shop', 'opened', 'size', 'kind']] +
            [[f's{i}', '2015-03-01', i, 'up' if i % 2 else 'down'] for i in range(SERIES)])
    plain = f.measured('--data', 'kinds.csv')
    known = f.measured('--data', 'kinds.csv', '--static', 'features.csv', '--save', 's.safetensors',
                       '--predict', 'p.csv')
    check('a map of three features to tokens of 8',
          known.get('parameters', 0) == plain.get('parameters', 0) + 3 * 8)
    dated = f.measured('--data', 'kinds.csv', '--static', 'dated.csv')
    check('a day is a feature', dated.get('parameters', 0) == known.get('parameters', 0) + 8, dated)
    f.measured('--data', 'kinds.csv', '--load', 's.safetensors', '--predict', 'q.csv')
    check('the model file keeps them', f.rows('p.csv') == f.rows('q.csv'))
    check('a series without a row', 'series "s3" has no row' in
          f.said('--data', 'kinds.csv', '--static', 'few.csv'))
    check('tokens of time', 'static features are for' in
          f.said('--data', 'kinds.csv', '--static', 'features.csv', '--tokens', 'time'))


def check_panels(f):
    """A file that does not say that it is long: the option that the first sentence names reads it."""
    def rows(by_time):
        cells = [(i, k) for i in range(SERIES) for k in range(ROWS)]
        return sorted(cells, key=lambda c: c[1]) if by_time else cells
    heads = {'land,jahr,wert': lambda i, k: ['ABCD'[i], 1820 + k, f'{value(i, k):.4f}'],
             'year,land,wert': lambda i, k: [1820 + k, 'ABCD'[i], f'{value(i, k):.4f}'],
             'shop,date,sold': lambda i, k: [i + 1, DAYS[k], int(10 * value(i, k))],
             'shop name,date,sold,price': lambda i, k: ['ABCD'[i], DAYS[k], 5, price(i, k)],
             'date,sold,shop,item': lambda i, k: [DAYS[k], 7, i // 2, 'xy'[i % 2]]}
    for head, row in heads.items():
        for by_time in (False, True):
            for repair in ([], ['--repair', 'all']):
                f.write('panel.csv', [head.split(',')] + [row(i, k) for i, k in rows(by_time)])
                said = f.said('--data', 'panel.csv', *repair)
                found = re.search(r'--long (.*) \(id, time, value\)', said)
                check(f'{head}: an option is named', found, said)
                if not found:
                    continue
                option = shlex.split(found[1])
                made = f.measured('--data', 'panel.csv', '--long', *option, *repair, '--predict', 'p.csv')
                check(f'{head}: {option} reads it', made.get('columns') == SERIES and
                      len(f.rows('p.csv')) == 1 + 7 * SERIES, (made, said))
                keys = option[0].split(',')[0].split('+')
                check(f'{head}: its columns come back', f.rows('p.csv')[0][:len(keys)] == keys and
                      len({tuple(r[:len(keys)]) for r in f.rows('p.csv')[1:]}) == SERIES)


def check_keys(f):
    """Two columns name the series, also of coming rows and of a model that is loaded."""
    def row(i, k, y):
        return [f'S{i // 2}', 'x+' if i % 2 else 'x', DAYS[k], y, price(i, k)]
    head = [['store', 'item', 'date', 'n', 'price']]
    past = [row(i, k, f'{value(i, k):.4f}') for i in range(SERIES) for k in range(ROWS)]
    f.write('two.csv', head + past)
    f.write('next.csv', [r[:3] + r[4:] for r in head + [row(i, k, '') for i in range(SERIES)
                                                       for k in range(ROWS, ROWS + 7)]])
    f.write('more.csv', head + past + [['S7', *r[1:]] for r in past[:ROWS]])
    one = [[r[0] + '+' + r[1], *r[2:]] for r in head + past]
    f.write('one.csv', one)
    said = f.said('--data', 'two.csv', '--long', 'store,date,n')
    check('one column is too few', '--long store+item,date,n (id, time, value) names the' in said, said)
    how = ['--long', 'store+item,date,n', '--known', 'price', '--future', 'next.csv']
    made = f.measured('--data', 'two.csv', *how, '--predict', 'p.csv', '--save', 'k.st')
    same = f.measured('--data', 'one.csv', '--long', 'store+item,date,n', '--known', 'price')
    check('as one column', made.get('weights_hash') == same.get('weights_hash'), (made, same))
    check('both columns come back', f.rows('p.csv')[0] == ['store', 'item', 'date', 'n'] and
          [r[:2] for r in f.rows('p.csv')[1::7]] == [['S0', 'x'], ['S0', 'x+'], ['S1', 'x'], ['S1', 'x+']],
          f.rows('p.csv')[1::7])
    f.measured('--data', 'two.csv', '--load', 'k.st', *how[:2], *how[4:], '--predict', 'q.csv')
    check('a loaded model reads them', f.rows('p.csv') == f.rows('q.csv'))
    done = f.run('--data', 'more.csv', '--load', 'k.st', *how[:2], *how[4:], '--predict', 'q.csv', *LOADED)
    check('a new series is said', done.returncode == 0 and 'S7+x' in done.stderr and
          f.rows('p.csv') == f.rows('q.csv'), done.stderr)
    f.measured('--data', 'two.csv', '--load', 'k.st', *how[:2], '--every', 20, '--predict-all', 'r.csv')
    check('names of all forecasts', f.rows('r.csv')[0][2:4] == ['S0+x', 'S0+x+'], f.rows('r.csv')[0])


def check_kept(f):
    """The columns of --long go with the model: the same file, with other names, wide, and without them."""
    write_data(f, False)
    rows, wide = f.rows('long.csv'), f.rows('wide.csv')
    f.write('named.csv', [['shop', 'x', 'day', 'sales']] + [[a, 3, *r] for a, *r in rows[1:]])
    f.measured('--data', 'named.csv', '--long', 'shop,day,sales', '--save', 'n.st', '--predict', 'p.csv')
    f.measured('--data', 'named.csv', '--load', 'n.st', '--predict', 'q.csv')
    check('columns are kept', f.rows('q.csv') == f.rows('p.csv'), f.rows('q.csv')[:3])
    f.measured('--data', 'named.csv', '--load', 'n.st', '--predict-all', 'r.csv')
    check('also for all forecasts', f.rows('r.csv')[0][2:] == ['s0', 's1', 's2', 's3'], f.rows('r.csv')[0])
    f.write('other.csv', [['store', 'day', 'sales']] + rows[1:])
    said = f.said('--data', 'other.csv', '--load', 'n.st', '--predict', 'q.csv')
    check('a file without them', 'there is no column "shop"' in said and
          'was trained with --long shop,day,sales; --long can name' in said, said)
    done = f.run('--data', 'other.csv', '--load', 'n.st', '--long', 'store,day,sales', '--predict', 'q.csv',
                 *LOADED)
    check('another --long is said', done.returncode == 0 and
          'n.st was trained with --long shop,day,sales' in done.stderr, done.stderr)
    check('and holds', [r[2] for r in f.rows('q.csv')[1:]] == [r[2] for r in f.rows('p.csv')[1:]])
    done = f.run('--data', 'named.csv', '--load', 'n.st', '--long', 'shop,auto,sales', '--predict', 'q.csv',
                 *LOADED)
    check('the same --long is no news', done.returncode == 0 and '--long' not in done.stderr, done.stderr)
    f.measured('--data', 'wide.csv', '--load', 'n.st', '--predict', 'q.csv')
    check('a wide file of the same series', f.rows('q.csv')[0] == wide[0], f.rows('q.csv')[0])
    f.write('months.csv', [['shop', 'Year', 'Month', 'sold']] +
            [['ab'[i], 2000 + m // 12, 1 + m % 12, f'{value(i, m):.3f}'] for i in range(2)
             for m in range(200)])
    f.measured('--data', 'months.csv', '--long', 'shop,auto,sold', '--save', 'm.st', '--predict', 'p.csv')
    f.measured('--data', 'months.csv', '--load', 'm.st', '--predict', 'q.csv')
    check('times of several columns', f.rows('q.csv') == f.rows('p.csv'), f.rows('q.csv')[:2])


def check_absent(f):
    """Series of the model that a file lacks are said, and the others forecast; all together not."""
    write_data(f, False)
    f.write('three.csv', [r for r in f.rows('long.csv') if r[0] != 's1'])
    f.write('two.csv', [[r[0], r[2], r[4]] for r in f.rows('wide.csv')])
    f.write('none.csv', [['ds', 'other'], *([r[0], r[2]] for r in f.rows('wide.csv')[1:])])
    f.measured('--data', 'long.csv', '--save', 'a.st')
    f.measured('--data', 'long.csv', '--load', 'a.st', '--predict', 'p.csv', '--intervals', '80')
    how = ['--load', 'a.st', '--predict', 'q.csv', *LOADED]
    done = f.run('--data', 'three.csv', *how, '--intervals', '80', '--forecasts', 'f.csv', '--plot', 'p.svg')
    check('an absent series is said', done.returncode == 0 and
          'three.csv: 1 series of the model is absent, and not forecast: s1' in done.stderr, done.stderr)
    check('and only there', 's1' not in done.stdout, done.stdout)
    check('the others are forecast as ever', f.rows('q.csv') == [r for r in f.rows('p.csv') if r[0] != 's1'])
    check('no row of it', {r[0] for r in f.rows('f.csv')[1:]} == {'s0', 's2', 's3'})
    wide = {r[1]: r[2] for r in f.rows('p.csv') if r[0] == 's1'}
    done = f.run('--data', 'two.csv', *how)
    check('two of a wide file', done.returncode == 0 and
          '2 series of the model are absent, and not forecast: s0, s2' in done.stderr, done.stderr)
    check('a wide file has no column of them', f.rows('q.csv')[0] == ['ds', 's1', 's3'] and
          all(wide[r[0]] == r[1] for r in f.rows('q.csv')[1:]), f.rows('q.csv')[:2])
    f.measured('--data', 'two.csv', '--load', 'a.st', '--predict-all', 'r.csv', '--every', '60')
    check('all forecasts', all(r[2] == r[4] == '' and r[3] and r[5] for r in f.rows('r.csv')[1:]))
    said = f.said('--data', 'none.csv', '--load', 'a.st', '--predict', 'q.csv')
    check('none is there', 'there is no column "s0"; the columns are other' in said, said)
    f.measured('--data', 'long.csv', '--save', 't.st', '--tokens', 'time', '--no-linear')
    said = f.said('--data', 'three.csv', '--load', 't.st', '--predict', 'q.csv')
    check('a model of all together', "three.csv: 1 of the model's 4 series is absent: s1; the model looks at "
          'all series together' in said and 'trained without it' in said, said)


def check_constants(f):
    """The number of the only shop is no series, and a sensor that is stuck is said."""
    def write(**more):
        f.write('c.csv', [['date', *more, 'sold']] + [[DAYS[k], *more.values(), f'{value(0, k):.4f}']
                                                     for k in range(ROWS)])

    def forecast(*args):
        done = f.run('--data', 'c.csv', '--predict', 'p.csv', *SMALL, *args)
        check(f'constants {args}', done.returncode == 0, done.stderr)
        return done.stderr, f.rows('p.csv')[0][1:] if done.returncode == 0 else []
    for key in ('shop', 'Store_Nbr', 'itemId', 'PRODUCT-ID', 'filiale'):
        write(**{key: 7})
        said, names = forecast()
        check(f'{key} is left out', names == ['sold'] and f'key; --columns can name it: {key}' in said, said)
    said, names = forecast('--columns', 'filiale,sold')
    check('unless it is named', names == ['filiale', 'sold'] and 'has one value in all rows' in said, said)
    said, names = forecast('--backtest', '2')
    check('also of a backtest', names == ['sold'] and 'left out' in said, said)
    for name, cell in (('temp', 20.5), ('store_sales', 0), ('shop', 20.5), ('NO', 3)):
        write(**{name: cell})
        said, names = forecast()
        check(f'{name} stays', names == [name, 'sold'] and
              f'which is its forecast, too; --columns can leave it out: {name}' in said, said)
    f.write('c.csv', [['date', 'id'], *([day, 5] for day in DAYS)])
    said, names = forecast()
    check('the only column is data', names == ['id'] and 'one value' in said, said)
    write_data(f, False)
    f.measured('--data', 'wide.csv', '--save', 'v.st')
    f.write('more.csv', [[*r, 'new' if k == 0 else k] for k, r in enumerate(f.rows('wide.csv'))])
    done = f.run('--data', 'more.csv', '--load', 'v.st', '--predict', 'p.csv', *LOADED)
    check('a new column of a wide file', done.returncode == 0 and
          'the model was trained without it: new' in done.stderr, done.stderr)


def check_options(f):
    write_data(f, False)
    rows = f.rows('long.csv')
    f.write('named.csv', [['shop', 'day', 'sales']] + rows[1:])
    same = f.measured('--data', 'named.csv', '--long', 'shop,day,sales')
    check('named columns', same.get('weights_hash') == f.measured('--data', 'long.csv').get('weights_hash'))
    check('none', ', which comes before it' in f.said('--data', 'long.csv', '--long', 'none'))
    for bad in ('a', 'a,b', 'a,b,c,d', 'a,,c', ',b,c', 'a,b,'):
        check(f'--long {bad}', 'takes three names' in f.said('--data', 'long.csv', '--long', bad))
    check('two names of times',
          'so does --time' in f.said('--data', 'long.csv', '--long', 'a,b,c', '--time', 'ds'))
    check('the data stays', 'would be overwritten' in
          f.said('--data', 'wide.csv', '--data', 'long.csv', '--predict', 'long.csv'))
    f.write('future.csv', [['ds', 'a']])
    for kept in (['--future', 'future.csv', '--known', 'a'], ['--holidays', 'future.csv'],
                 ['--static', 'future.csv'], ['--graph', 'future.csv'], ['--load', 'future.csv']):
        check(f'{kept[0]} stays', 'future.csv is read, and would be overwritten' in
              f.said('--data', 'wide.csv', *kept, '--predict', './future.csv'))


def main():
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(sys.argv[1], Path(directory))
        check_same(f)
        check_ragged(f)
        check_covariates(f)
        check_names(f)
        check_files(f)
        check_holidays(f)
        check_static(f)
        check_panels(f)
        check_keys(f)
        check_kept(f)
        check_absent(f)
        check_constants(f)
        check_options(f)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
