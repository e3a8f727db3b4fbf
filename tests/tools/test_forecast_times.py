#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times in the forecast program: usage test_forecast_times.py FORECAST

Whatever form they have, the same numbers have the same forecast, and all outputs have the form of the data.
"""

import csv
import sys
import tempfile
from datetime import date, datetime, timedelta
from pathlib import Path

from test_forecast import Forecast, check, failures

LINEAR = ['--model', 'linear', '--no-baselines', '--threads', 1]
MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()
DAYS = 'Mon Tue Wed Thu Fri Sat Sun'.split()


def write(f, name, head, rows):
    with open(f.directory / name, 'w', newline='', encoding='utf-8') as out:
        csv.writer(out).writerows([head, *rows])


def read(f, name):
    with open(f.directory / name, newline='', encoding='utf-8') as file:
        return list(csv.reader(file))


def months(count):
    return [date(2012 + i // 12, i % 12 + 1, 1) for i in range(count)]


def level(i, season):
    return 100 + 20 * ((5 * i) % season) / season + 0.1 * (i % 3)


# how a time is written, and the column's name
MONTHLY = [
    ('period', lambda t: f'{t:%Y-%m}'), ('period', lambda t: f'{MONTHS[t.month - 1]} {t.year}'),
    ('m', lambda t: f'{MONTHS[t.month - 1]}-{t:%y}'), ('m', lambda t: f'01-{MONTHS[t.month - 1]}-{t.year}'),
    ('m', lambda t: f'01-{MONTHS[t.month - 1]}-{t:%y}'), ('m', lambda t: f'{t:%Y/%m}'),
    ('m', lambda t: f'{t:%m/%Y}'), ('m', lambda t: f'{t:%Y}M{t:%m}'), ('period', lambda t: f'{t:%Y%m}'),
    ('m', lambda t: f'{t:%d.%m.%Y}'), ('m', lambda t: f'{MONTHS[t.month - 1]} 1, {t.year}'),
]
HOURLY = [
    lambda t: f'{t:%Y-%m-%d %H:%M}', lambda t: f'{t:%Y%m%d%H}', lambda t: f'{t:%Y%m%d%H%M}',
    lambda t: f'{t:%Y%m%d%H%M%S}', lambda t: f'{t:%Y%m%dT%H%M%S}', lambda t: f'{t:%Y-%m-%d-%H-%M}',
    lambda t: f'{DAYS[t.weekday()]}, {t:%d} {MONTHS[t.month - 1]} {t:%Y %H:%M:%S}',
    lambda t: f'{DAYS[t.weekday()]} {MONTHS[t.month - 1]} {t:%d %H:%M:%S %Y}',
    lambda t: f'{t:%d}/{MONTHS[t.month - 1]}/{t:%Y:%H:%M:%S} +0000',
    lambda t: f'{t:%d/%m/%Y} {t.hour % 12 or 12}:{t:%M} {"ap"[t.hour > 11]}.m.',
    lambda t: f'{t:%Y-%m-%d %H:%M:%S}', lambda t: f'{t:%Y}-{t:%j} {t:%H:%M}',
    lambda t: str(int((t - datetime(1970, 1, 1)).total_seconds())),
]


def forecast(f, args, season, rows):
    options = [*LINEAR, '--input', 2 * season, '--pred', 3, *args]
    done = f.run('--data', 'd.csv', *options, '--predict', 'p.csv', '--forecasts', 'f.csv', '--save', 'm.st')
    check(f'{args} {rows[0]}', done.returncode == 0, done.stderr)
    f.run('--load', 'm.st', '--data', 'd.csv', *args, '--predict-all', 'all.csv', '--every', 7)
    return [row[-1] for row in read(f, 'p.csv')[1:]], [row[0] for row in read(f, 'p.csv')[1:]]


def test_forms(f):
    first = None
    for name, form in MONTHLY:
        times = months(99)
        write(f, 'd.csv', [name, 'y'], [[form(t), level(i, 12)] for i, t in enumerate(times[:96])])
        got, labels = forecast(f, [], 12, [form(times[0])])
        first = first or got
        check(form(times[0]), got == first, (got, first))
        check(form(times[0]), labels == [form(t) for t in times[96:]], labels)
        known = {form(t) for t in times}
        for file in ('f.csv', 'all.csv'):
            head, *rows = read(f, file)
            column = head.index('time' if 'time' in head else 'origin')
            check(f'{form(times[0])} {file}', rows and {row[column] for row in rows} <= known, rows[:3])
    first = None
    for form in HOURLY:
        times = [datetime(2024, 1, 1) + timedelta(hours=i) for i in range(24 * 14 + 3)]
        write(f, 'd.csv', ['time', 'y'], [[form(t), level(i, 24)] for i, t in enumerate(times[:-3])])
        got, labels = forecast(f, [], 24, [form(times[0])])
        first = first or got
        check(form(times[0]), got == first, (got, first))
        check(form(times[0]), labels == [form(t) for t in times[-3:]], labels)


def test_other_columns(f):
    """Times in several columns, years, and years of two digits by option."""
    times = months(99)
    rows = [[t.year, t.month, level(i, 12)] for i, t in enumerate(times[:96])]
    write(f, 'd.csv', ['Year', 'Month', 'y'], rows)
    got, labels = forecast(f, [], 12, ['Year, Month'])
    check('Year, Month', read(f, 'p.csv')[0] == ['Year-Month', 'y'] and labels[0] == '2020-1', labels)
    f.run('--data', 'd.csv', '--convert', 'd.fgt')
    done = f.run('--data', 'd.fgt', *LINEAR, '--input', 24, '--pred', 3, '--predict', 'q.csv')
    other = [float(row[1]) for row in read(f, 'q.csv')[1:]]
    near = all(abs(a - float(b)) < 1e-3 for a, b in zip(other, got))
    check('a table file of them', near and other, done.stderr)
    days = [date(2022, 1, 1) + timedelta(days=i) for i in range(203)]
    write(f, 'd.csv', ['date', 'y'], [[f'{t:%d/%m/%y}', level(i, 7)] for i, t in enumerate(days[:200])])
    got, labels = forecast(f, ['--time-form', 'dmy'], 7, ['two digits'])
    check('two digits', labels == [f'{t:%d/%m/%y}' for t in days[200:]], labels)
    f.refused('two digits', ['line 2', '01/01/22', '--time-form'], '--data', 'd.csv', *LINEAR)


def test_no_times(f):
    times = months(96)
    write(f, 'd.csv', ['m', 'y'], [[f'month {i}', level(i, 12)] for i in range(96)])
    done = f.run('--data', 'd.csv', *LINEAR, '--input', 24, '--pred', 3)
    warned = 'warning: d.csv: labels of column "m" are not read' in done.stderr
    check('labels that are no times', warned, done)
    halves = [[f'H{i % 2 + 1} {1990 + i // 2}', level(i, 2)] for i in range(40)]
    write(f, 'd.csv', ['period', 'y'], halves)
    done = f.run('--data', 'd.csv', *LINEAR)
    check('half of the validation rows', 'without --pred the forecast has 2 rows' in done.stdout and
          'labels of column "period" are not read' in done.stderr, done)
    rows = [[f'{MONTHS[t.month - 1]} {t.year}', level(i, 12)] for i, t in enumerate(times)]
    write(f, 'd.csv', ['m', 'y'], rows[::-1])
    f.refused('the newest row first', ['the newest row comes first'], '--data', 'd.csv', *LINEAR)
    write(f, 'd.csv', ['m', 'y'], [['Jam 2012', 1], *rows[1:]])
    f.refused('an error in the first row', ['line 2', 'Jam 2012'], '--data', 'd.csv', *LINEAR)
    write(f, 'd.csv', ['date', 'y'], [['', 1], *rows[1:]])
    f.refused('no time in the first row', ['line 2', '""'], '--data', 'd.csv', *LINEAR)


def refused(f, what, words, *args):
    """Data is refused after the training, too."""
    done = f.run(*args)
    last = done.stderr.strip().split('\n')[-1]
    check(what, done.returncode == 1 and all(word in last for word in words), done.stderr)


def test_future(f):
    """Rows of a future file are matched by time, or refused, and never taken by position."""
    days = [date(2023, 1, 2) + timedelta(days=i) for i in range(207)]
    label = [f'{MONTHS[t.month - 1]} {t:%d %Y}' for t in days]
    price = [100 + 10 * ((3 * i) % 7) for i in range(207)]
    write(f, 'd.csv', ['date', 'price', 'y'], [[label[i], price[i], 5 * price[i]] for i in range(200)])
    future = [[label[i], price[i]] for i in range(200, 207)]
    args = ['--data', 'd.csv', *LINEAR, '--input', 7, '--pred', 7, '--known', 'price', '--predict', 'p.csv',
            '--future', 'n.csv']
    write(f, 'n.csv', ['date', 'price'], future)
    f.measured(*args)
    got = read(f, 'p.csv')
    check('by time', all(abs(float(row[1]) - 5 * price[200 + i]) < 1 for i, row in enumerate(got[1:])), got)
    write(f, 'n.csv', ['date', 'price'], future[::-1])
    refused(f, 'in reverse', ['n.csv', 'the newest row comes first'], *args)
    f.measured(*args, '--repair', 'order')
    check('in reverse, repaired', read(f, 'p.csv') == got)
    write(f, 'n.csv', ['date', 'price'], [[a.replace('2023', '2025'), b] for a, b in future])
    refused(f, 'two years later', ['n.csv', 'no row for Jul 21 2023', 'price'], *args)
    write(f, 'n.csv', ['date', 'price'], [[f'day {i}', b] for i, (_, b) in enumerate(future)])
    refused(f, 'without times', ['n.csv', 'labels of "date" are not times', '--time none'], *args)
    write(f, 'n.csv', ['price'], [[b] for _, b in future])
    f.measured(*args)
    check('by position where there are no labels', read(f, 'p.csv') == got)


def test_jitter(f):
    """Times that are a little off are refused with the step that would fit, and rounded to it."""
    times = [datetime(2023, 4, 1) + timedelta(hours=i) for i in range(24 * 14)]
    write(f, 'even.csv', ['time', 'y'], [[t, level(i, 24)] for i, t in enumerate(times)])
    off = [[t + timedelta(seconds=(7 * i) % 41 - 20), level(i, 24)] for i, t in enumerate(times)]
    write(f, 'off.csv', ['time', 'y'], off)
    args = [*LINEAR, '--input', 48, '--pred', 3, '--predict', 'p.csv']
    args = ['--data', 'off.csv', *args]
    f.refused('jitter', ['off.csv', 'not a whole number of steps', '--round 1h can'], *args)
    f.refused('a wrong step', ['--round', '7h'], *args, '--round', '7h')
    f.refused('two rows', ['line 2', 'line 3', 'one time', '--round'], *args, '--round', '2h')
    f.run('--data', 'even.csv', *args[2:])
    got = read(f, 'p.csv')
    f.run(*args, '--round', '1h')
    check('rounded', read(f, 'p.csv') == got)


def test_offsets(f):
    """Offsets that come and go are refused unless a zone is named; labels have the last row's offset."""
    utc = [datetime(2023, 4, 1) + timedelta(hours=i) for i in range(24 * 14)]
    rows = [[f'{t + timedelta(hours=i % 2):%Y-%m-%d %H:%M}{"+01:00" if i % 2 else "Z"}', level(i, 24)]
            for i, t in enumerate(utc)]
    write(f, 'd.csv', ['time', 'y'], rows)
    args = ['--data', 'd.csv', *LINEAR, '--input', 48, '--pred', 3, '--predict', 'p.csv']
    words = ['d.csv', 'column "time"', 'line 4', 'no clock changes back',
             'got 2023-04-01 02:00Z, need e.g. 2023-04-01 03:00+01:00', '--zone']
    f.refused('offsets that come and go', words, *args)
    zone = f.run(*args, '--zone', 'Europe/Berlin')
    got = [row[1] for row in read(f, 'p.csv')[1:]]
    write(f, 'd.csv', ['time', 'y'], [[f'{t:%Y-%m-%d %H:%M}Z', row[1]] for t, row in zip(utc, rows)])
    f.measured(*args, '--zone', 'Europe/Berlin')
    check('with a zone', got == [row[1] for row in read(f, 'p.csv')[1:]], zone.stderr)
    summer = datetime(2023, 3, 26, 1)
    rows = []
    for i, t in enumerate(utc):
        late = t - timedelta(days=8) >= summer
        clock = t - timedelta(days=8, hours=-1 - late)
        rows.append([f'{clock:%Y-%m-%d %H:%M} {"CEST" if late else "CET"}', level(i, 24)])
    write(f, 'd.csv', ['time', 'y'], rows)
    f.measured(*args)
    labels = [row[0] for row in read(f, 'p.csv')[1:]]
    check('names of offsets', labels == [f'2023-04-07 {h:02}:00 CEST' for h in (2, 3, 4)], labels)


def main(program):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        test_forms(f)
        test_other_columns(f)
        test_no_times(f)
        test_future(f)
        test_jitter(f)
        test_offsets(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
