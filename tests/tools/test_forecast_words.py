#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the program forecast says of its results: usage test_forecast_words.py FORECAST

Sentences that follow from what was done, and none that contradict it: baselines that are better, maps that
are exact, models that know the test rows, values that are left out, peaks that come back, mistyped options.
"""

import datetime
import json
import math
import random
import sys
import tempfile
from pathlib import Path

from test_forecast_long import Forecast, check, failures

DAYS = [(datetime.date(2020, 1, 1) + datetime.timedelta(days=k)).isoformat() for k in range(1500)]
FAST = ['--threads', 1]
LINEAR = ['--model', 'linear', '--threads', 1]


def months(n):
    return [f'{2015 + k // 12}-{k % 12 + 1:02d}-01' for k in range(n)]


def said(done):
    return done.stdout + done.stderr


def write_column(f, name, times, values):
    f.write(name, [['ds', 'y'], *([t, f'{v:.6f}'] for t, v in zip(times, values))])


def write_walk(f, rows):
    """The last value is the best forecast of a walk."""
    draw, level, values = random.Random(4), 100, []
    for _ in range(rows):
        level += draw.gauss(0, 1)
        values.append(level)
    write_column(f, 'walk.csv', DAYS, values)


def check_markers(f):
    """A number that one column has too often to be left out is left out nowhere; a single one is."""
    times = [f'{d} {h:02d}:00:00' for d in DAYS[:40] for h in range(24)]
    rows = [[t, f'{math.sin(k / 4) + k % 7 * .01:.4f}', f'{math.cos(k / 4):.4f}']
            for k, t in enumerate(times)]
    rows[300][1] = -9999
    f.write('one.csv', [['ds', 'a', 'b'], *rows])
    one = said(f.run('--data', 'one.csv', *LINEAR))
    check('a single marker is left out', '"a" is -9999 in line 302 ' in one and
          'counts as missing' in one, one)
    for k in range(20, 520, 25):
        rows[k][2] = -9999
    f.write('many.csv', [['ds', 'a', 'b'], *rows])
    many = said(f.run('--data', 'many.csv', *LINEAR))
    check('a marker stays everywhere', '"a" is -9999 in 1 row' in many and
          '"b" is -9999 in 20 rows' in many and 'counts as missing' not in many, many)


def check_better(f):
    """A baseline that is better is named, with what can be tried; in JSON, too."""
    write_walk(f, 300)
    done = f.run('--data', 'walk.csv', '--backtest', 5, '--json', *FAST)
    found = json.loads(done.stdout)
    better = found['better_baseline']
    check('the last value is better', better['baseline'] == 'naive' and
          abs(better['lower_by']['mae'] - 1 + found['naive_mae'] / found['test_mae']) < 1e-9, better)
    mse = 100 * better['lower_by']['mse']
    check('it is said', f'the last value is better than the forecast: MSE {mse:.0f} %, ' in done.stderr and
          'compare a trained model' in done.stderr, done.stderr)
    for seed in range(8):
        draw = random.Random(seed)
        write_column(f, 'rain.csv', DAYS[:420], [draw.expovariate(1) for _ in range(420)])
        found = json.loads(f.run('--data', 'rain.csv', '--pred', 14, '--json', *FAST).stdout)
        for name in ('naive', 'seasonal'):
            told = found['better_baseline'] and found['better_baseline']['baseline'] == name
            ratio = [found[f'{name}_{m}'] / found[f'test_{m}'] for m in ('mse', 'mae', 'mase', 'rmsse')]
            check(f'a better {name} is worse in no measure', not told or max(ratio) < 1.01, ratio)
    told = []
    for rows in range(200, 300, 10):
        write_walk(f, rows)
        out = f.run('--data', 'walk.csv', *FAST).stdout
        told += [out] if 'the last value is better' in out else []
    check('one origin', told and all('one origin may be chance, and --backtest 5 measures more' in out
                                for out in told), told)
    write_column(f, 'weeks.csv', DAYS[:300], [10 + 5 * math.sin(k * 2 * math.pi / 7) for k in range(300)])
    done = f.run('--data', 'weeks.csv', '--json', *FAST)
    check('none is better', json.loads(done.stdout)['better_baseline'] is None and 'is better than' not in
          done.stderr, done.stderr)
    draw = random.Random(3)
    values = [100 + (300 if k % 12 == 11 else 0) + draw.gauss(0, 1) for k in range(60)]
    write_column(f, 'year.csv', months(60), values)
    done = f.run('--data', 'year.csv', '--pred', 2, '--calendar', 'none', '--input', 6, *LINEAR)
    check('a season is better', 'the value 12 rows ago is better than the model' in done.stdout and
          'compare --fast --backtest 5' in done.stdout, said(done))


def check_linear(f):
    """Why the linear baseline differs from a model that is a linear map; no alarm of a map that is exact."""
    write_column(f, 'exact.csv', DAYS[:900], [[10, 20, 30, 25, 15, 5, 1][k % 7] for k in range(900)])
    done = f.run('--data', 'exact.csv', '--threads', 1)
    check('an exact map has not diverged', done.returncode == 0 and 'diverged' not in said(done), said(done))
    check('the model is the map', 'the model is this map, without layers' in done.stdout and
          "the linear baseline is a map of each target's own rows, and the model also knows the calendar" in
          done.stdout, done.stdout)
    done = f.run('--data', 'exact.csv', '--epochs', 1, '--threads', 1, '--report', 'x.html')
    page = (f.directory / 'x.html').read_text()
    check('no best epoch has number 0', 'number 0' not in said(done) + page and
          'the model is this map' in done.stdout, said(done))
    write_walk(f, 700)
    done = f.run('--data', 'walk.csv', '--calendar', 'none', *LINEAR)
    check('the same map is not explained', 'the linear baseline is a map' not in done.stdout and
          'found in closed form, in one step' in done.stdout, done.stdout)


def check_saved(f):
    """A model that was fitted to all rows has intervals; why they cannot be measured is true."""
    draw = random.Random(2)
    values = [10 + 3 * math.sin(k * 2 * math.pi / 7) + draw.gauss(0, 1) for k in range(900)]
    write_column(f, 'days.csv', DAYS[:600], values[:600])
    how = ['--intervals', 80, '--predict', 'p.csv', '--threads', 1]
    f.run('--data', 'days.csv', '--pred', 7, '--save', 'm.st', *LINEAR)
    done = f.run('--data', 'days.csv', '--load', 'm.st', *how)
    check('test rows that are known', 'intervals were not measured: the model was trained on 120 of the test '
          f'rows; rows after {DAYS[599]} measure them. The intervals of --predict come from errors '
          'that were measured before' in done.stdout, said(done))
    rows = f.rows('p.csv')
    check('intervals all the same', all(float(r[2]) < float(r[1]) < float(r[3]) for r in rows[1:]), rows)
    write_column(f, 'new.csv', DAYS[600:], values[600:720])
    done = f.run('--data', 'new.csv', '--load', 'm.st', *how)
    check('a short new file', done.returncode == 0 and f.rows('p.csv')[1][2] and
          ('intervals of 80 % hold' in done.stdout or 'before no test window' in done.stdout), said(done))
    write_column(f, 'few.csv', DAYS[:40], values[:40])
    done = f.run('--data', 'few.csv', '--pred', 2, *how, *LINEAR[:2])
    check('few rows', done.returncode == 0 and 'intervals may be too narrow' in done.stderr and
          'before no test window' in done.stdout and f.rows('p.csv')[1][2], said(done))


def check_names(f):
    """Files that cannot be written as they are called, and options that are nearly right."""
    write_walk(f, 60)
    for name in ('x.pdf', 'x.png', 'x.md', 'html'):
        done = f.run('--data', 'walk.csv', '--report', name)
        check(f'--report {name}', done.returncode == 1 and 'must end with .html or .htm' in done.stderr and
              not (f.directory / name).exists(), done.stderr)
    for name in ('x.html', 'x.HTM'):
        check(f'--report {name}', f.run('--data', 'walk.csv', '--report', name).returncode == 0)
    for args, meant in ((['--interval', 80], '--intervals 80?'), (['--interval', 'fixd'], 'fixed?'),
                        (['--quantile', '0.1,0.9'], '--quantiles 0.1,0.9?'),
                        (['--quantile', 0.5], '--quantiles 0.5?'), (['--intervals', 0.8], '80, in per cent?'),
                        (['--colums', 'y'], '--columns?'), (['--horizons', 3], '--horizon?')):
        done = f.run('--data', 'walk.csv', *args)
        check(f'{args}', done.returncode == 1 and f'did you mean {meant}' in done.stderr, done.stderr)
    done = f.run('walk.csv')
    check('a file without its option', 'did you mean --data walk.csv?' in done.stderr, done.stderr)
    done = f.run('--data', 'walk.csv', '--intervals', '80,95,80')
    check('an interval that comes twice', '--intervals names 80 twice' in done.stderr, done.stderr)
    done = f.run('--data', 'walk.csv', '--season', 60)
    check('a long season', done.returncode == 0 and '--season 60: no series has more than 60 rows' in
          done.stderr, done.stderr)
    done = f.run('--data', 'walk.csv', '--freq', 'D')
    check('a word that is no option', 'unknown option --freq; see --help' in done.stderr, done.stderr)
    done = f.run('--data', 'walk.csv', '--forecasts', '--json')
    check('an option is not a file', '--forecasts FILE: the value is missing' in done.stderr, done.stderr)


def check_origins(f):
    write_walk(f, 100)
    done = f.run('--data', 'walk.csv', '--pred', 10, '--backtest', 50)
    check('how many fit', 'enough for 9; take --backtest 9' in done.stderr, done.stderr)
    done = f.run('--data', 'walk.csv', '--pred', 10, '--backtest', 9)
    check('so many fit', done.returncode == 0 and 'errors of 9 forecasts' in done.stdout, said(done))
    done = f.run('--data', 'walk.csv', '--pred', 98, '--backtest', 2)
    check('none fits', 'one origin needs 102 rows' in done.stderr, done.stderr)
    f.write('long.csv', [['unique_id', 'ds', 'y'], *([name, DAYS[k], k % 7 + k % 3] for name, rows in
                                                     (('a', 60), ('b', 60), ('c', 20)) for k in range(rows))])
    done = f.run('--data', 'long.csv', '--pred', 10, '--backtest', 3, '--json')
    series = [o['series'] for o in json.loads(done.stdout)['backtest']['origins']]
    check('series of an origin', series == [2, 2, 3] and
          'from the first origin 2 of 3 series are forecast, from the last 3; others are too short' in
          done.stderr, done.stderr)


def check_peaks(f):
    """A peak that comes every year is not unusual; one that does not is."""
    for rows in (24, 27, 36, 41):
        for growth in (1, 1.2, 2):
            draw = random.Random(rows)
            values = [100 + draw.gauss(0, 2) + (300 * growth ** (k // 12) if k % 12 == 11 else 0)
                      for k in range(rows)]
            write_column(f, 'peaks.csv', months(rows), values)
            done = f.run('--data', 'peaks.csv')
            check(f'{rows} rows', done.returncode == 0 and 'far from' not in done.stderr, done.stderr)
    values[20] += 5000
    write_column(f, 'peaks.csv', months(41), values)
    done = f.run('--data', 'peaks.csv')
    check('one that stands alone', 'line 22 (2016-09-01), far from all rows around it' in done.stderr,
          done.stderr)


def check_left_out(f):
    """A value that counts as missing is not compared; members without a weight are not listed."""
    draw = random.Random(5)
    values = [10 + 3 * math.sin(k * 2 * math.pi / 7) + draw.gauss(0, .3) for k in range(200)]
    write_column(f, 'wild.csv', DAYS[:200], values)
    plain = json.loads(f.run('--data', 'wild.csv', '--pred', 7, '--json').stdout)
    values[195] = 9000
    write_column(f, 'wild.csv', DAYS[:200], values)
    done = f.run('--data', 'wild.csv', '--pred', 7, '--json')
    found = json.loads(done.stdout)
    check('it counts as missing', found['values_left_out'] == 1 and
          'it counts as missing, also where errors are measured' in done.stderr, done.stderr)
    check('it is said once', done.stderr.count('9000') == 1, done.stderr)
    f.write('nines.csv', [['ds', 'still', 'y'], *([DAYS[k], -9999 if k == 50 else 5, k % 7]
                                                  for k in range(200))])
    done = f.run('--data', 'nines.csv')
    check('a marker that is left out', done.stderr.count('-9999') == 1, done.stderr)
    check('errors without it', found['by_series'][0]['count'] == 6 and
          abs(found['test_mae'] - plain['test_mae']) < .2, (found['test_mae'], plain['test_mae']))
    found = json.loads(f.run('--data', 'wild.csv', '--pred', 7, '--json', '--backtest', 3).stdout)
    check('in a backtest', found['values_left_out'] == 1 and found['by_series'][0]['count'] == 20)
    check('members that are used', found['members'] and all(v > 0 for v in found['members'].values()) and
          not any('long map' in name or name == 'rate' for name in found['members']), found['members'])


def check_columns(f):
    """Each column that is not forecast is named once, with a reason; also without training."""
    draw = random.Random(6)
    f.write('shop.csv', [['ds', 'store', 'sales', 'flag', 'sensor', 'dead'], *(
        [DAYS[k], 3, f'{10 + draw.gauss(0, 1):.3f}', 1, k % 5 if k >= 170 else '', ''] for k in range(200))])
    done = f.run('--data', 'shop.csv', '--pred', 7)
    for words in ('because it has one value in all rows and the name of a key; --columns can name it: store',
                  'one value in all rows, which is its forecast, too; --columns can leave it out: flag',
                  'dead is not forecast: it has no value'):
        check('without training', done.stderr.count(words) == 1, done.stderr)
    done = f.run('--data', 'shop.csv', '--target', 'sales', '--pred', 7)
    check('--target', '4 columns are not read, because without training' in done.stderr and
          'store, flag, sensor, dead' in done.stderr, done.stderr)
    done = f.run('--data', 'shop.csv', '--pred', 7, '--missing', 'mask', '--predict', 'p.csv', *LINEAR)
    check('late columns', done.returncode == 0 and f.rows('p.csv')[0] == ['ds', 'sales', 'flag'], said(done))
    for words in ('1 series is left out, because it has no value: dead',
                  'no value in the training rows; with --split 1,0,0 all rows are for training: sensor'):
        check('they are said', words in done.stderr, done.stderr)
    done = f.run('--data', 'shop.csv', '--pred', 7, '--missing', 'mask', '--columns', 'sales,sensor', *LINEAR)
    check('a late column that is named', done.returncode == 1 and '"sensor" has no value in the training '
          f'rows, its first one is in line 172 ({DAYS[170]})' in done.stderr, done.stderr)
    f.write('long.csv', [['unique_id', 'ds', 'y', 'price'], *([i, DAYS[k], k % 7, k % 3] for i in 'ab'
                                                              for k in range(50))])
    done = f.run('--data', 'long.csv')
    check('a covariate', done.stderr.count('price') == 1 and '1 column is not read' in done.stderr,
          done.stderr)
    f.write('known.csv', [['ds', 'y', 'price'], *([DAYS[k], k % 7, k % 3] for k in range(100))])
    done = f.run('--data', 'known.csv', '--known', 'price', '--pred', 7, '--predict', 'p.csv')
    check('a future that is missing is said before training', done.returncode == 1 and done.stdout == '' and
          'the known columns of the 7 rows after the last target' in done.stderr, said(done))


def check_short(f):
    """A default that fits the file, and sentences about what was measured on a few values."""
    times = [datetime.datetime(2024, 1, 1) + datetime.timedelta(minutes=15 * k) for k in range(700)]
    write_column(f, 'quarters.csv', times, [50 + 9 * math.sin(k * 2 * math.pi / 96) for k in range(700)])
    done = f.run('--data', 'quarters.csv', *LINEAR)
    check('--pred fits', done.returncode == 0 and 'without --pred the forecast has 35 rows, because the data '
          'has 700 rows, 15 min apart' in done.stdout, said(done))
    write_walk(f, 60)
    done = f.run('--data', 'walk.csv', '--pred', 4, '--intervals', 80)
    check('of 4 values', '% of 4 values (' in done.stdout, done.stdout)
    write_walk(f, 1)
    done = f.run('--data', 'walk.csv')
    check('one row', 'the forecast is the plain mean of all members' in done.stdout, done.stdout)


def main():
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(sys.argv[1], Path(directory))
        check_better(f)
        check_markers(f)
        check_linear(f)
        check_saved(f)
        check_names(f)
        check_origins(f)
        check_peaks(f)
        check_left_out(f)
        check_columns(f)
        check_short(f)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
