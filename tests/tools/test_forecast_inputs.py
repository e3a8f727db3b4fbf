#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files and options that are not what they were meant to be: usage test_forecast_inputs.py FORECAST CLASSIFY

Each sentence says what is there, what is needed, and a remedy that works here.
"""

import struct
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

from test_forecast import Forecast, check, failures

LINEAR = ['--model', 'linear', '--no-baselines', '--threads', 1, '--input', 24, '--pred', 4]
ROWS = 300


def day(i):
    return str(date(2024, 1, 1) + timedelta(days=i))


def write_days(f, name, rows, labels=None):
    """Days with a series y and a column k that is known in advance; labels: {row: its label}."""
    lines = [f'{(labels or {}).get(i, day(i))},{(7 * i) % 11 + i % 7 + .5},{i % 5}' for i in rows]
    (f.directory / name).write_text('date,y,k\n' + '\n'.join(lines) + '\n')


def test_no_model(f, c):
    """What is no model is said to be what it is."""
    write_days(f, 'days.csv', range(ROWS))
    done = f.run('--data', 'days.csv', *LINEAR, '--known', 'k', '--save', 'm.st')
    check('a model', done.returncode == 0, done)
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    (f.directory / 'adapter').mkdir()
    (f.directory / 'adapter' / 'adapter_config.json').write_text('{"r":1}')
    files = {'empty.st': (b'', 'an empty file'), 'x': (b'abc', 'text, such as CSV'),
             'a.png': (b'\x89PNG\r\n\x1a\n0000', 'a picture (PNG)'),
             'a.jpg': (b'\xff\xd8\xff\xe0' + bytes(60), 'a picture (JPEG)'),
             'a.zip': (b'PK\3\4' + bytes(60), 'a workbook (xlsx, ods) or another zip archive'),
             'a.html': (b'<html><body>no</body></html>', 'a page of HTML or XML'),
             'a.json': (b'{"a": 1}', 'JSON'), 'a.gz': (b'\x1f\x8b' + bytes(60), 'gzip-compressed'),
             'u.csv': ('größe,y\n1,2\n'.encode(), 'text, such as CSV'),
             'cut.st': ((f.directory / 'm.st').read_bytes()[:300], 'byte 0: truncated'),
             'pt.safetensors': (struct.pack('<Q', len(header)) + header + bytes(8), 'of another program')}
    for name, (content, word) in files.items():
        (f.directory / name).write_bytes(content)
        f.refused(name, [f'{name}: ', word, '; --load takes a file that --save has written'], '--load', name,
                  '--data', 'days.csv', '--predict', 'p.csv')
        if name != 'cut.st':
            c.said(name, [f'{name}: ', word, '; --load takes a file that --save has written'], '--load',
                      name, '--predict', 'days.csv')
    f.refused('a folder', ['--load adapter: it is a folder of an adapter, which --adapter takes'], '--load',
              'adapter', '--data', 'days.csv', '--predict', 'p.csv')
    for name, word in (('m.st', 'got a model (safetensors), need a CSV file'),
                       ('a.png', 'got a picture (PNG), need a CSV file')):
        f.refused(f'{name} as data', [name, word], '--data', name, *LINEAR)
    for output in '--predict', '--predict-all':
        f.refused('exchanged', ['--load days.csv is no model, and --data m.st is one; exchange'], '--load',
                  'days.csv', '--data', 'm.st', output, 'p.csv')
    c.said('a forecaster', ['m.st: the file is a forecaster, not a classifier'], '--load', 'm.st',
              '--predict', 'days.csv')


def test_future(f):
    """A file of known columns that does not fit: which rows are needed, and which are there."""
    takes = 'the forecast takes 4 rows from 2024-10-27 on, and the rows here are of '
    load = ['--load', 'm.st', '--data', 'days.csv', '--predict', 'p.csv', '--future', 'next.csv']
    for name, rows, lacks in (('short', range(300, 302), 302), ('late', range(305, 320), 300),
                              ('early', range(290, 302), 302), ('past', range(100, 110), 300)):
        write_days(f, 'next.csv', rows)
        f.said(name, [f'next.csv: there is no row for {day(lacks)},', takes +
                         f'{day(rows[0])} to {day(rows[-1])}'], *load)
    write_days(f, 'next.csv', range(300, 314))
    f.said('far', ['20 rows from', '--horizon of 14 rows needs no more'], *load, '--horizon', 20)
    for more in ([], ['--horizon', 14]):
        check('enough', f.run(*load, *more).returncode == 0)
    # a short forecast of a linear map needs no rows after it, and is the beginning of a longer one
    f.run(*load)
    whole = (f.directory / 'p.csv').read_text().splitlines()
    write_days(f, 'next.csv', range(300, 302))
    f.said('long', ['--horizon of 2 rows needs no more'], *load)
    done = f.run(*load, '--horizon', 2)
    part = (f.directory / 'p.csv').read_text().splitlines()
    check('few rows', done.returncode == 0 and part == whole[:3], (done, part))


def test_slips(f):
    """One label that is wrong: no remedy that would move the row, or add rows up to it."""
    for row, label in ((299, '2204-10-26'), (299, '2025-10-26'), (299, '2023-10-26'), (299, '2024-01-10'),
                       (0, '2042-01-01'), (0, '2023-01-01'), (150, '2204-05-30'), (150, '2024-05-20'),
                       (150, '2023-05-30'), (150, '2024-05-29'), (299, '2024-10-25')):
        write_days(f, 'slip.csv', range(ROWS), {row: label})
        done = f.run('--data', 'slip.csv', *LINEAR)
        check(label, done.returncode == 1 and f'the label of line {row + 2} ({label}) may be wrong: '
              f'{day(row)} 00:00:00 would fit there' in done.stderr, done.stderr)
        check(label, 'in order' not in done.stderr and 'remove' not in done.stderr, done.stderr)
    # rows that only stand in the wrong place, and gaps, keep their remedies
    for labels, word in (({10: day(11), 11: day(10)}, '--repair order can put the rows in order'),
                         ({i: day(i + 9) for i in range(150, ROWS)}, '--repair gaps can add them')):
        write_days(f, 'slip.csv', range(ROWS), labels)
        f.refused(word, [word], '--data', 'slip.csv', *LINEAR)


def test_names(f, c):
    """A name that is mistyped: which one may be meant."""
    data = ['--data', 'days.csv', *LINEAR]
    for wrong, meant in (('--horizont', '--horizon'), ('--predict_all', '--predict-all'),
                         ('-data', '--data'), ('--intervalls=80', '--intervals'), ('--epoch', '--epochs'),
                         ('--thraeds', '--threads'),
                         ('target', '--target')):
        f.refused(wrong, [wrong, f'; did you mean {meant}?'], *data, wrong, 3)
    c.said('--trian', ['unknown option --trian; did you mean --train?'], '--trian', 'x.csv')
    f.refused('another', ['unknown option --frobnicate; see --help'], *data, '--frobnicate')
    f.refused('a word', ['--model is "liner"', 'did you mean linear?'], *data[:2], '--model', 'liner')
    write_days(f, 'named.csv', range(ROWS))
    text = (f.directory / 'named.csv').read_text().replace('date,y,k', 'date,sales,price')
    (f.directory / 'named.csv').write_text(text)
    named = ['--data', 'named.csv', *LINEAR]
    for options, meant in ((['--target', 'salse'], 'sales'), (['--known', 'pricee'], 'price'),
                           (['--past', 'Prize'], 'price'), (['--columns', 'sale,price'], 'sales'),
                           (['--time', 'dat'], 'date')):
        f.refused(options, ['named.csv: ', 'there is no column', f'did you mean {meant}?'], *named, *options)
    f.refused('--plot-series', ['"sale" is no target; did you mean sales?'], *named, '--plot', 'p.svg',
              '--plot-series', 'sale')
    done = f.run(*named, '--target', 'temperature')
    check('far', done.returncode == 1 and 'did you mean' not in done.stderr, done.stderr)
    # names that do not go together
    for options, words in ((['--target', 'sales', '--known', 'sales'], 'both name "sales"; a column has one'),
                           (['--past', 'price', '--known', 'price'], 'both name "price"; a column has one'),
                           (['--target', 'sales,sales'], '--target names "sales" twice'),
                           (['--known', 'sales,price'], '--known: no column is left to forecast'),
                           (['--known', 'sales', '--past', 'price'], '--known and --past: no column is')):
        f.refused(options, [words], *named, *options)
    write_days(f, 'below.csv', range(ROWS))
    text = (f.directory / 'below.csv').read_text().replace(f'{day(9)},', f'{day(9)},-')
    (f.directory / 'below.csv').write_text(text)
    f.refused('below 0', ['below.csv', '"y"', 'is negative, which --non-negative rules out'], '--data',
              'below.csv', *LINEAR, '--target', 'y', '--non-negative')


def test_dialects(f):
    """Thousands with points, files without a header or with a footer, and future files written otherwise."""
    text = ''.join(f'{day(i)};{(f"{900 + 7 * i:,}").replace(",", ".")}\n' for i in range(ROWS))
    (f.directory / 'german.csv').write_text('Datum;Umsatz\n' + text)
    words = ['german.csv: line 17: column "Umsatz": the point of "1.005" seems to separate thousands',
             '--decimal-comma and --spreadsheet read thousands, --decimal-point reads fractions']
    f.refused('thousands', words, '--data', 'german.csv', *LINEAR)
    for options, value in ((['--decimal-comma', '--spreadsheet'], '2993'), (['--decimal-point'], '2.993')):
        done = f.run('--data', 'german.csv', *LINEAR, *options, '--predict', 'p.csv')
        check(value, done.returncode == 0, done.stderr)
    (f.directory / 'bare.csv').write_text(text.replace(';', ',').replace('.', ''))
    f.refused('no header', ['bare.csv: line 1: the line is taken for the header, but "2024-01-01" is a value',
                            '--no-header says so'], '--data', 'bare.csv', *LINEAR)
    done = f.run('--data', 'bare.csv', *LINEAR, '--no-header', '--target', '0', '--predict', 'p.csv')
    check('no header', done.returncode == 0 and (f.directory / 'p.csv').read_text().startswith('date,0'),
          done.stderr)
    write_days(f, 'notes.csv', range(ROWS))
    with (f.directory / 'notes.csv').open('a') as out:
        out.write('\nSource: an office\n(c) the office\n')
    f.refused('notes', ['notes.csv: line 303: wrong number of cells (got 1, need 3)',
                        '--max-rows 300 reads the rows before it'], '--data', 'notes.csv', *LINEAR)
    check('notes', f.run('--data', 'notes.csv', *LINEAR, '--max-rows', 300).returncode == 0)
    load = ['--load', 'm.st', '--data', 'days.csv', '--predict', 'p.csv', '--future', 'next.csv']
    for text, words in (('{};1,5', '"1,5" is not a number; if its comma is a decimal point, --decimal-comma'),
                        ('{};1.500', '--decimal-comma and --spreadsheet read thousands')):
        rows = ''.join(text.format(day(i)) + '\n' for i in range(ROWS, ROWS + 4))
        (f.directory / 'next.csv').write_text('date;k\n' + rows)
        f.said(text, ['next.csv: ', words, 'are read with the same options, so write their numbers alike'],
               *load)
    (f.directory / 'next.csv').write_text((f.directory / 'next.csv').read_text().replace('.500', ''))
    check('another delimiter', f.run(*load).returncode == 0)
    f.said('a delimiter', ['next.csv: line 1: the cells seem to be separated by ";"',
                           '--delimiter asks for ","'], *load, '--delimiter', 'comma')


def test_holidays(f):
    """A file of data is no list of holidays."""
    command = ['--data', 'days.csv', *LINEAR, '--holidays', 'h.csv']
    only = '--holidays takes a file with only the days that are not like others'
    write_days(f, 'h.csv', range(ROWS))
    f.refused('data', ['h.csv: it has 2 columns of numbers and rows 1 d apart', only], *command)
    (f.directory / 'h.csv').write_text('date,y\n' + '\n'.join(f'{2015 + i // 12}-{i % 12 + 1:02}-01,{i}'
                                                             for i in range(100)) + '\n')
    f.refused('months', ['h.csv: it has 1 column of numbers and rows 1 month apart', only], *command)
    for step, share in ((1, 300), (2, 150), (3, 100), (5, 60), (30, 10)):
        rows = [f'{day(i)},holiday' for i in range(0, ROWS, step)]
        (f.directory / 'h.csv').write_text('day,name\n' + '\n'.join(rows) + '\n')
        done = f.run(*command)
        said = f'h.csv: {share} of the 300 days of the data are in it; ' + only
        check(f'every {step} days', (done.returncode == 1) == (step < 2), done)
        check(f'every {step} days', (said in done.stderr) == (step < 4), done.stderr)


def test_scale(f):
    """Values of another scale than those of training are said; ordinary later values are not."""
    def write(name, of, rows=range(ROWS)):
        lines = [f'{day(i)},{of(i)},{i % 5}' for i in rows]
        (f.directory / name).write_text('date,y,k\n' + '\n'.join(lines) + '\n')

    def level(i):
        return 10 + (7 * i) % 11 / 2 + i % 7 / 10
    write('s.csv', level)
    f.run('--data', 's.csv', *LINEAR, '--target', 'y', '--known', 'k', '--save', 's.st')
    kinds = [('the same', level, False), ('later', lambda i: level(i) + i / 30, False),
             ('more', lambda i: 2 * level(i), False), ('grams', lambda i: 1000 * level(i), True),
             ('tons', lambda i: level(i) / 1000, True), ('10,000', lambda i: 10000 + level(i), True),
             ('below 0', lambda i: -level(i) * 10, True), ('wide', lambda i: 800 * (i % 3 - 1), True)]
    for name, of, far in kinds:
        write('far.csv', of)
        with_future = ['--load', 's.st', '--data', 'far.csv', '--predict', 'p.csv', '--future', 'fut.csv']
        write_days(f, 'fut.csv', range(ROWS, ROWS + 4))
        done = f.run(*with_future)
        said = 'far.csv: "y" lies from ' in done.stderr and 'in the training of the model it lay from' in \
            done.stderr
        check(name, done.returncode == 0 and said == far and '"k" lies' not in done.stderr, done)
        done = f.run(*with_future[:4], '--predict-all', 'all.csv', '--every', 50)
        check(f'{name}: --predict-all', ('far.csv: "y" lies from ' in done.stderr) == far, done)


def test_ended(f):
    """A column that ended too long ago is said before the training, with those that can be forecast."""
    rows = [f'{day(i)},{i % 7 + .5 if i < 240 else ""},{i % 5},{i % 3}' for i in range(ROWS)]
    (f.directory / 'ended.csv').write_text('date,old,new one,b\n' + '\n'.join(rows) + '\n')
    known = ['--data', 'ended.csv', *LINEAR, '--missing', 'mask', '--predict', 'p.csv', '--save', 'e.st']
    done = f.run(*known)
    check('a column that ended is refused', done.returncode == 1 and done.stdout == '' and
          '"old" has no value in the 24 rows before the forecast, and its last one is in line 241 '
          "(2024-08-27); --columns 'new one,b' forecasts the other columns" in done.stderr, done)
    check('before the training', not (f.directory / 'e.st').exists())
    check('the remedy works', f.run(*known, '--columns', 'new one,b').returncode == 0)
    done = f.run(*known, '--target', 'b,old')
    check('of targets', '--target b forecasts the other columns' in done.stderr, done)


def main(forecast, classify):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(forecast, Path(directory))
        c = Forecast(classify, Path(directory))
        test_no_model(f, c)
        test_future(f)
        test_slips(f)
        test_names(f, c)
        test_holidays(f)
        test_scale(f)
        test_ended(f)
        test_dialects(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
