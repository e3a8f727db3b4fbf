#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Columns of texts given to the forecast program: usage test_forecast_text.py FORECAST

They are left out wherever they stand, or are categories of a known or past column.
"""

import random
import sys
import tempfile
from pathlib import Path

from test_forecast import Forecast, check, failures

EFFECT = {'none': 0, 'flyer': 3, 'radio': 6}
COLUMNS = ['shop', 'y', 'promo', 'date', 'weather', 'note']
OPTIONS = ['--target', 'y', '--epochs', 30, '--patience', -1, '--lr', 0.01, '--calendar', 'none']


def make_rows():
    draw, rows = random.Random(5), []
    for i in range(400):
        day, hour = divmod(i, 24)
        month, day = (1, day + 1) if day < 31 else (2, day - 30)
        promo = draw.choice(list(EFFECT))
        rows.append({'shop': 'Main Street', 'y': 10 + EFFECT[promo] + 0.01 * (i % 5), 'promo': promo,
                     'date': f'2023-{month:02}-{day:02} {hour:02}:00',
                     'weather': draw.choice(['rain', 'sun']), 'note': 'late' if i == 7 else ''})
    return rows


def write(f, name, rows, columns=COLUMNS, **other):
    lines = [','.join(columns)] + [','.join(str({**row, **other}[c]) for c in columns) for row in rows]
    (f.directory / name).write_text('\n'.join(lines) + '\n')


def test_ignored(f, rows):
    write(f, 'texts.csv', rows)
    write(f, 'numbers.csv', rows, ['date', 'y'])
    with_texts, without = (f.measured('--data', name) for name in ('texts.csv', 'numbers.csv'))
    check('texts are left out', with_texts['weights_hash'] == without['weights_hash'])
    check('and named', with_texts['columns_ignored'] == ['shop', 'promo', 'weather', 'note'], with_texts)
    said = f.run('--data', 'texts.csv', '--input', 24, '--pred', 12, '--epochs', 1).stdout
    check('and named', 'texts or the numbers of the rows: shop, promo, weather, note\n' in said, said)
    f.refused('a target of texts', ['"promo"', 'category'], '--data', 'texts.csv', '--target', 'promo')
    write(f, 'typing.csv', [{**rows[0], 'y': 'x'}, *rows[1:]])
    f.refused('a typing error', ['line 2', '"y"'], '--data', 'typing.csv')


def test_categories(f, rows):
    blind = f.measured('--data', 'texts.csv', *OPTIONS)
    knows = f.measured('--data', 'texts.csv', *OPTIONS, '--known', 'promo', '--past', 'weather', '--save',
                       'c.st', '--holdout')
    check('--known of texts', knows['test_mse'] < 0.05 * blind['test_mse'], (knows, blind))
    check('--known of texts', knows['columns_ignored'] == ['shop', 'note'], knows)
    load = ['--load', 'c.st']
    again = f.measured('--data', 'texts.csv', *load)
    check('loaded', again['test_mse'] == knows['test_mse'], (again, knows))
    # the file of a forecast need not have all values, nor the file of the future the past columns
    write(f, 'past.csv', [{**row, 'promo': 'radio'} for row in rows[300:380]])
    write(f, 'future.csv', rows[380:], ['promo', 'date'])
    done = f.measured('--data', 'past.csv', *load, '--future', 'future.csv', '--predict', 'p.csv')
    check('values that are known', done['categories_unseen'] == 0, done)
    write(f, 'past.csv', rows[300:380])
    f.measured('--data', 'past.csv', *load, '--future', 'future.csv', '--predict', 'p.csv')
    got = [float(line.split(',')[1]) for line in (f.directory / 'p.csv').read_text().splitlines()[1:]]
    check('the forecast', all(abs(y - row['y']) < 1 for y, row in zip(got, rows[380:])), (got, rows[380:]))
    write(f, 'new.csv', [*rows[:390], *({**row, 'promo': 'balloon'} for row in rows[390:])])
    done = f.run('--data', 'new.csv', *load)
    check('values that are not known', done.returncode == 0 and
          'new.csv: column "promo" has 10 cells with a category that is not known, the first "balloon" in '
          'line 392 (2023-01-17 06:00)' in done.stderr, done.stderr)
    test_future(f, rows, load)


def test_future(f, rows, load):
    """What is wrong in the future file is said of it, with time and column."""
    write(f, 'past.csv', rows[300:380], ['shop', 'y', 'promo', 'date', 'weather'])
    write(f, 'hole.csv', [{**row, 'promo': ''} if i == 3 else row for i, row in enumerate(rows[380:])],
          ['promo', 'date'])
    command = ['--data', 'past.csv', *load, '--predict', 'p.csv', '--future']
    for more in ([], ['--missing', 'mask']):
        words = ['hole.csv: line 5 (2023-01-16 23:00): column "promo" has no value', '--missing can']
        f.said('a hole in the future', words, *command, 'hole.csv', *more)
    done = f.run(*command, 'hole.csv', '--missing', 'fill')
    check('filled', done.returncode == 0, done.stderr)
    write(f, 'less.csv', rows[380:385], ['promo', 'date'])
    f.said('an end', ['less.csv: there is no row for 2023-01-17 01:00,', '"promo"'], *command,
           'less.csv')
    write(f, 'other.csv', rows[380:], ['y', 'date'])
    f.said('no column', ['other.csv: there is no column "promo"'], *command, 'other.csv')
    write(f, 'less.csv', rows, ['date', 'y', 'promo'])
    f.refused('no such column', ['no column "weather"; the columns are date, y, promo'], '--data', 'less.csv',
              *load)
    write(f, 'many.csv', [{**row, 'promo': f'no. {i}'} for i, row in enumerate(rows)])
    f.refused('too many values', ['"promo"', '64'], '--data', 'many.csv', '--target', 'y', '--known', 'promo')
    write(f, 'holes.csv', [{**rows[0], 'promo': ''}, *rows[1:]])
    f.refused('a missing category', ['line 2', '"promo"'], '--data', 'holes.csv', '--known', 'promo')


def main(program):
    with tempfile.TemporaryDirectory() as directory:
        f, rows = Forecast(program, Path(directory)), make_rows()
        test_ignored(f, rows)
        test_categories(f, rows)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
