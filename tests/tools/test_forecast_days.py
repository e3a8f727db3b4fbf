#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Closed days, zones of time and repeated rows given to the forecast program: usage
test_forecast_days.py FORECAST
"""

import random
import sys
import tempfile
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

from test_forecast import Forecast, check, failures

LINEAR = ['--model', 'linear', '--threads', 1]
WEEK = [10, 20, 5, 0, -8, 30, 7]


def write(f, name, rows, head='date,y'):
    (f.directory / name).write_text('\n'.join([head, *rows]) + '\n')


def predicted(f, name, *args):
    done = f.run('--data', name, *args, '--predict', 'p.csv')
    check(f'{name}: {args}', done.returncode == 0, done.stderr)
    return [line.split(',') for line in (f.directory / 'p.csv').read_text().splitlines()[1:]]


def make_days(weekdays, count, holidays=()):
    draw, day = random.Random(3), datetime(2021, 1, 4)
    rows = [(day + timedelta(i), 50 + WEEK[i % 7] + draw.gauss(0, 1)) for i in range(count)
            if i % 7 in weekdays and i not in holidays]
    return [f'{t:%Y-%m-%d},{y:.3f}' for t, y in rows]


def test_days(f):
    for name, weekdays in (('mon-fri', range(5)), ('mon-sat', range(6)), ('some', (0, 2, 5))):
        write(f, 'days.csv', make_days(weekdays, 600))
        got = f.measured('--data', 'days.csv', *LINEAR, '--input', 30, '--pred', 6, '--save', 'days.st')
        check(f'{name}: not above the naive rule', got['test_mse'] <= got['seasonal_mse'], got)
        check(f'{name}: the season', got['season'] % len(weekdays) == 0, got['season'])
        days = [datetime.fromisoformat(time) for time, _ in predicted(f, 'days.csv', '--load', 'days.st')]
        check(f'{name}: no closed day', all(d.weekday() in weekdays for d in days), days)
        check(f'{name}: the next day', 0 < (days[0] - datetime(2021, 1, 4)).days - 599 <= 3, days)
    # few rows, of which nobody could tell
    write(f, 'days.csv', make_days(range(5), 600))
    f.measured('--data', 'days.csv', *LINEAR, '--input', 10, '--pred', 5, '--save', 'days.st')
    lines = (f.directory / 'days.csv').read_text().splitlines()
    write(f, 'last.csv', lines[-10:])
    long, short = (predicted(f, name, '--load', 'days.st') for name in ('days.csv', 'last.csv'))
    check('ten rows', long == short, (long, short))
    write(f, 'holiday.csv', make_days(range(5), 600, [0, 21, 200, 350]))
    f.refused('holidays', ['2021-01-22', '1 business day (3 rows in 3 places)', '--repair', '--missing'],
              '--data', 'holiday.csv', *LINEAR)
    got = f.measured('--data', 'holiday.csv', *LINEAR, '--input', 30, '--pred', 6, '--repair', 'gaps',
                     '--missing', 'fill')
    check('holidays are filled', got['test_mse'] <= got['seasonal_mse'], got)


def test_hours(f):
    draw, first = random.Random(4), datetime(2021, 1, 4)
    times = [first + timedelta(hours=i) for i in range(150 * 24)]
    rows = [f'{t},{20 + t.hour + 3 * t.weekday() + draw.gauss(0, .5):.3f}' for t in times
            if t.weekday() < 5 and 9 <= t.hour <= 17]
    write(f, 'hours.csv', rows)
    got = predicted(f, 'hours.csv', *LINEAR, '--input', 45, '--pred', 9)
    check('business hours', [datetime.fromisoformat(t).hour for t, _ in got] == list(range(9, 18)), got)


def test_month_ends(f):
    """Forecasts of last business days are on last business days."""
    firsts = [date(2012 + i // 12, i % 12 + 1, 1) for i in range(1, 124)]
    ends = [first - timedelta(days={0: 3, 6: 2}.get(first.weekday(), 1)) for first in firsts]
    write(f, 'ends.csv', [f'{t},{20 + i % 12 + 0.1 * (i % 3):.3f}' for i, t in enumerate(ends[:120])])
    got = predicted(f, 'ends.csv', *LINEAR, '--input', 12, '--pred', 3)
    check('business month ends', [t for t, _ in got] == [str(t) for t in ends[120:]], got)


def load_of(clock, peak):
    return 100 if clock.hour == peak else 10 + clock.hour / 24


def test_zone(f):
    """Hours of UTC from 2024-02-01 on; the clock goes an hour ahead on 31 March at 01:00."""
    first, change = datetime(2024, 2, 1, tzinfo=timezone.utc), datetime(2024, 3, 31, 1, tzinfo=timezone.utc)
    rows = []
    for i in range(24 * 62 - 1):
        t = first + timedelta(hours=i)
        clock = t.astimezone(timezone(timedelta(hours=2 if t >= change else 1)))
        rows.append(f'{clock.isoformat()},{load_of(clock, 8):.4f}')
    for cut in (24 * 60 - 1, 24 * 62 - 1):
        write(f, 'zone.csv', rows[:cut])
        got = predicted(f, 'zone.csv', *LINEAR, '--input', 168, '--pred', 24)
        best = max(got, key=lambda row: float(row[1]))[0]
        check('the peak of the clock', best.endswith('T08:00:00+02:00'), (best, got))
    write(f, 'utc.csv', [f'{first + timedelta(hours=i):%Y-%m-%dT%H:%M:%SZ},{i % 24}' for i in range(500)])
    check('Z stays Z',
          predicted(f, 'utc.csv', *LINEAR, '--input', 48, '--pred', 2)[0][0] == '2024-02-21T20:00:00Z')
    write(f, 'local.csv', [row[:10] + ' ' + row[11:19] + row[25:] for row in rows])
    f.refused('local times', ['2024-03-31', '--zone'], '--data', 'local.csv', *LINEAR)
    f.refused('no such zone', ['zone', 'Mars/North', 'Europe/Berlin'], '--data', 'local.csv', '--zone',
              'Mars/North', *LINEAR)
    if Path('/usr/share/zoneinfo/Europe/Berlin').exists():
        got = predicted(f, 'local.csv', *LINEAR, '--zone', 'Europe/Berlin', '--input', 168, '--pred', 24)
        check('local times', max(got, key=lambda row: float(row[1]))[0] == '2024-04-03 08:00:00', got)
        lines = (f.directory / 'local.csv').read_text().splitlines()
        write(f, 'eve.csv', lines[1:24 * 59])  # up to 22:00 on the day before the change
        got = predicted(f, 'eve.csv', *LINEAR, '--zone', 'Europe/Berlin', '--input', 168, '--pred', 24)
        check('over the change', max(got, key=lambda row: float(row[1]))[0] == '2024-03-31 08:00:00', got)
        check('no hour that is left out', not any('31 02:' in row[0] for row in got), got)


def test_repeats(f):
    rows = make_days(range(7), 300)
    write(f, 'twice.csv', [*rows[:100], rows[99][:11] + '7.5', *rows[100:]])
    done = f.run('--data', 'twice.csv', *LINEAR, '--repair', 'repeats')
    check('a repeat', '1 repeated row was removed, 1 of them with other values, the first in line 101, time '
          f'2021-04-13, y: 7.5 kept, {float(rows[99][11:])} dropped' in done.stdout, done.stdout)
    write(f, 'panel.csv', [f's{k},{row}' for row in rows for k in range(3)], 'store,date,sales')
    rows = [row.split(',') for row in rows]
    write(f, 'panel.csv', [f's{k},{t},{float(y) + k}' for t, y in rows for k in range(3)], 'store,date,sales')
    for repair in ([], ['--repair', 'repeats']):
        f.refused('a panel', ['--long store,date,sales'], '--data', 'panel.csv', *LINEAR, *repair)


def main(program):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        test_days(f)
        test_hours(f)
        test_month_ends(f)
        test_zone(f)
        test_repeats(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
