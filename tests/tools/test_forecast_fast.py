#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts without training: usage test_forecast_fast.py FORECAST

Errors, files, pictures and pages, steps and holes of series, and refusals.
"""

import csv
import datetime
import json
import math
import random
import sys
import tempfile
from pathlib import Path

from test_forecast_long import DAYS, ROWS, Forecast, check, failures, value


def output(v):
    """A number as the files of the program have it."""
    return repr(float(f'{v:.4f}')).removesuffix('.0')


def check_fast(f):
    """Without training: values that are too large have a place, and series without errors are not short."""
    def said(rows, *args):
        f.write('long.csv', [['unique_id', 'ds', 'y']] + rows)
        done = f.run('--fast', '--data', 'long.csv', *args)
        return done.stdout + done.stderr
    rows = [['AB'[i], DAYS[k], k % 7] for i in range(2) for k in range(ROWS)]
    check('nothing changes', 'no MASE of A: in the rows before it is what it was a season before' in
          said(rows))
    check('a season of more rows', 'no two values are a season apart' in said(rows, '--season', 300))
    check('a short series', 'no errors of 1 of 1 series: it is too short to forecast 7 rows that are known' in
          said(rows[:9], '--pred', 7))
    check('nothing far', 'far from' not in said(rows))
    rows[ROWS + 40][2] = 900
    check('an outlier', f'long.csv: "B" is 900 at {DAYS[40]}, far from all rows around it and from other '
          'seasons; it counts as missing' in said(rows))
    rows[ROWS + 40][2] = 200
    check('one that is followed', f'long.csv: "B" is 200 at {DAYS[40]}, far from all rows around it; '
          'the forecast follows it' in said(rows, '--season', 300))
    rows[ROWS + 20][2] = '-3e160'
    check('a large value', f'long.csv: "B": -3e+160 in row 20 ({DAYS[20]}) is too large' in said(rows))
    f.write('wide.csv', [['ds', 'y']] + [[DAYS[k], '1e200' if k == 150 else k % 9] for k in range(ROWS)])
    check('its line', f'wide.csv: "y": 1e+200 in line 152 ({DAYS[150]}) is too large' in
          f.run('--fast', '--data', 'wide.csv').stderr)


def check_zeros(f):
    """Zeros before a launch do not count, which is said."""
    noise = random.Random(4)
    months = [f'{2015 + k // 12}-{k % 12 + 1:02}-01' for k in range(60)]
    rows = [[months[k], round(200 + noise.gauss(0, 10)), k // 36 * round(200 + noise.gauss(0, 10))]
            for k in range(60)]
    f.write('launch.csv', [['month', 'old', 'new'], *rows])
    done = f.run('--fast', '--data', 'launch.csv', '--pred', 12, '--predict', 'out.csv')
    check('zeros before a launch', 'launch.csv: 1 series begins after zeros, which do not count: "new" in '
          f'line 38 ({months[36]})' in done.stderr)
    check('the launched product', all(150 < float(row[2]) < 250 for row in f.rows('out.csv')[1:]))


def check_last_rows(f):
    """Warnings of the last rows say only what is true, and once; reports have them, too."""
    noise = random.Random(5)

    def said(rows, size, *args, value=None):
        f.write('shift.csv', [['ds', 'y', 'z']] + [
            [DAYS[k], 50 + noise.gauss(0, 1) + size * (k >= 200 - rows) if value is None or k < 200 - rows
             else value, 20 + noise.gauss(0, 1)] for k in range(200)])
        done = f.run('--fast', '--data', 'shift.csv', '--pred', 14, '--json', *args)
        check('it runs', done.returncode == 0, done.stderr)
        return done.stderr, json.loads(done.stdout) if done.returncode == 0 else {}
    both, neither = ', and intervals hold both levels', ', and intervals do not hold the level before'
    for rows, args, end in ((4, [], ''), (8, ['80'], both), (9, ['80'], neither),
                            (9, ['80,95'], ', and some intervals hold both levels')):
        text, found = said(rows, 40, *(['--intervals', *args] if args else []))
        check(f'{rows} rows {args}', f'begins: "y" in line {202 - rows} ({DAYS[200 - rows]}); the forecast '
              f'follows it{end}\n' in text, text)
        check(f'{rows} rows in the report', found.get('shifted') == [{'series': 'y', 'rows': rows}] and
              found.get('stuck') == [], found)
    text, _ = said(1, 12)
    check('one row', 'the last row is far from the level before: "y" in line 201' in text and
          'so the forecast does not move to it\n' in text and 'begins' not in text, text)
    text, _ = said(1, 40)
    check('one row that is left out', 'it counts as missing' in text and 'level before' not in text, text)
    text, found = said(9, 0, value=0)
    check('one event', 'a value stays as it is' in text and 'begins' not in text and
          found.get('stuck') == [{'series': 'y', 'rows': 9}], text)
    check('its end', 'and in all later rows with a value;' in text, text)


def check_outliers(f):
    """Wild values count neither in forecasts nor in errors, with training and without."""
    def said(wild, *args):
        noise = random.Random(2)
        rows = [[str(datetime.datetime(2021, 1, 1) + datetime.timedelta(hours=k)),
                 f'{100 + 20 * math.sin(k / 24 * 2 * math.pi) + noise.gauss(0, 2):.3f}', k % 24 // 12]
                for k in range(900)]
        for row, v in wild:
            rows[row][1] = v
        rows[300][2] = 1000
        f.write('hours.csv', [['time', 'load', 'promo'], *rows])
        done = f.run('--data', 'hours.csv', '--known', 'promo', '--no-baselines', '--threads', 1,
                     '--pred', 12, '--predict', 'p.csv', '--future', 'future.csv', '--json', *args)
        check(f'{wild} {args} succeeds', done.returncode == 0, done.stderr)
        found = json.loads(done.stdout) if done.returncode == 0 else {}
        return done.stderr, found.get('test_mae'), [float(r[1]) for r in f.rows('p.csv')[1:]]
    future = [str(datetime.datetime(2021, 1, 1) + datetime.timedelta(hours=k)) for k in range(900, 912)]
    f.write('future.csv', [['time', 'promo'], *([t, 0] for t in future)])
    for way in (['--model', 'linear'], ['--model', 'linear', '--non-negative']):
        text, mae, forecast = said([], *way)
        check('regular values and known columns stay', 'far from' not in text, text)
        for wild in ([(400, 99999)], [(870, -99999), (650, 4000)], [(30, 1e9), (420, 99999), (899, 70000)]):
            if '--non-negative' in way and wild[0][1] < 0:
                continue
            text, other, moved = said(wild, *way)
            check('wild values are named', f'in line {wild[0][0] + 2} (2021-' in text and
                  (len(wild) == 1 or f'{len(wild)} values are far from all rows around them' in text) and
                  'give --missing-value' not in text, text)
            check('the forecast does not follow them', max(abs(a - b) for a, b in zip(forecast, moved)) < 4,
                  (forecast, moved))
            check('nor do errors', abs(other - mae) < .02, (mae, other))
    text, other, _ = said([(400, 99999)], '--model', 'linear', '--keep-outliers')
    check('unless an option keeps them', 'far from' not in text and '--missing-value 99999' in text and
          other < mae / 2, (text, other))
    rows = [[DAYS[k], value(1, k)] for k in range(150)]
    for row in (40, 80, 120):
        rows[row][1] = 3000
    f.write('days.csv', [['ds', 'y'], *rows])
    text = f.run('--data', 'days.csv', '--fast').stderr
    check('three of a short series are named', f'days.csv: 3 values are far from all rows around them'
          in text and f'"y" is 3000 in line 42 ({DAYS[40]}), "y" is 3000 in line 82' in text, text)
    rows[130][1] = rows[137][1] = -1e6
    f.write('days.csv', [['ds', 'y'], *rows])
    text = f.run('--data', 'days.csv', '--fast').stderr
    check('all of several sizes', all(f'in line {row + 2} ' in text for row in (40, 80, 120, 130, 137)), text)
    many = [[DAYS[k], 1e6 * (1 + k) if k % 11 == 4 else value(1, k)] for k in range(200)]
    f.write('many.csv', [['ds', 'y'], *many])
    text = f.run('--data', 'many.csv', '--fast').stderr
    check('more than can be left out are named', 'values are far from all rows around them' in text, text)
    done = f.run('--data', 'days.csv', '--fast', '--non-negative')
    check('values that are left out may be negative', done.returncode == 0, done.stderr)
    for model in (['--fast'], ['--model', 'linear']):
        f.write('below.csv', [['ds', 'y'], *([DAYS[k], k % 7 - 5 * (k == 60)] for k in range(150))])
        done = f.run('--data', 'below.csv', '--non-negative', *model)
        check('others may not', done.returncode == 1 and f'line 62 ({DAYS[60]})' in done.stderr and
              'is negative, which --non-negative rules out' in done.stderr, done.stderr)


def check_unmeasured(f):
    """Series and intervals without errors are said, and what is known ahead is looked at before training."""
    f.write('two.csv', [['ds', 'a', 'b'], *([DAYS[k], value(0, k) if k < 100 else '', value(1, k)]
                                          for k in range(114))])
    check('a series without the last rows', 'no errors of 1 of 2 series (a): it has no value in the last '
          '14 rows' in f.run('--data', 'two.csv', '--fast', '--pred', 14).stdout)
    for rows, sentence in ((1, 'no intervals or quantiles of 1 of 1 series (y): it has one value, and'),
                           (5, 'intervals and quantiles were not measured: no series is long enough')):
        f.write('short.csv', [['ds', 'y'], *([DAYS[k], value(1, k)] for k in range(rows))])
        done = f.run('--data', 'short.csv', '--pred', 6, '--intervals', 80)
        check(f'intervals of {rows} rows', sentence in done.stdout, done.stdout + done.stderr)
    rows = [[DAYS[k], value(1, k) + 3 * (k % 5), k % 5 + 1] for k in range(150)]
    how = ['--data', 'known.csv', '--known', 'price', '--pred', 7, '--input', 14, '--model', 'linear',
           '--predict', 'p.csv', '--future', 'ahead.csv']
    f.write('known.csv', [['ds', 'y', 'price'], *rows])
    for days, fine in ((range(150, 157), True), (range(150, 154), False), (range(151, 160), False)):
        f.write('ahead.csv', [['ds', 'price'], *([DAYS[k], 2] for k in days)])
        done = f.run(*how)
        missing, first, last = DAYS[154] if days[0] == 150 else DAYS[150], DAYS[days[0]], DAYS[days[-1]]
        check('what is known ahead', done.returncode == 0 if fine else
              done.returncode == 1 and 'training' not in done.stdout and
              f'ahead.csv: "price" has no value at {missing}, where the forecast of 7 rows needs it; the '
              f'rows here are of {first} to {last}' in done.stderr, done.stdout + done.stderr)
    f.write('ahead.csv', [['ds', 'price'], *([DAYS[k], 2] for k in range(150, 157))])
    check('known values', 'far from' not in f.run(*how).stderr)
    rows[60][2] = 12345
    f.write('known.csv', [['ds', 'y', 'price'], *rows])
    text = f.run(*how).stderr
    check('a wrong one is named', f'"price" is 12345 in line 62 ({DAYS[60]}), far from all rows around it; '
          'the model reads it' in text and 'an empty cell and --missing mask are better' in text, text)
    rows[60][2] = ''
    f.write('known.csv', [['ds', 'y', 'price'], *rows])
    done = f.run(*how, '--missing', 'mask')
    check('an empty cell', done.returncode == 0 and 'far from' not in done.stderr, done.stderr)


def check_fast_json(f):
    """Errors of each series and shares within intervals have the names that a trained model gives them."""
    noise = random.Random(4)
    rows = [[f's{i}', DAYS[k], f'{10 * (i + 1) + noise.gauss(0, 1):.4f}'] for i in range(30)
            for k in range(0 if i else ROWS - 9, ROWS)]
    f.write('noise.csv', [['unique_id', 'ds', 'y'], *rows])
    how = ['--data', 'noise.csv', '--intervals', '80,95', '--quantiles', '0.1,0.5,0.9', '--pred', 7]
    done = f.run(*how, '--json')
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    trained = f.measured(*how, '--input', 28)
    for key in ('by_series', 'by_step', 'intervals', 'quantiles'):
        check(f'{key} as of a trained model', found.get(key) and
              found[key][1].keys() == trained[key][1].keys(), found.get(key))
    series = found['by_series']
    check('a short series has no errors', series[0]['count'] == 0 and series[0]['mae'] is None and
          found['measured_series'] == 29, series[0])
    mean = sum(r['mae'] for r in series[1:]) / 29
    check('noise of deviation 1', all(r['count'] == 7 and .2 < r['mae'] < 2 for r in series[1:]) and
          .7 < mean < .9, mean)
    check('they are the mean', abs(sum(r['mase'] for r in series[1:]) / 29 - found['test_mase']) < 1e-9)
    for interval, least, most in zip(found['intervals'], (.7, .88), (.94, 1.001)):
        check(f'share within {interval["level"]}', least < interval['coverage'] < most and
              len(interval['coverage_by_step']) == 7, interval)
    check('quantiles', all(abs(q['below'] - q['quantile']) < .12 for q in found['quantiles']) and
          found['crps'] > 0, found['quantiles'])
    check('settings, data and build', found['settings']['pred'] == 7 and 'dim' not in found['settings'] and
          found['settings']['intervals'] == [80, 95] and found['settings']['target'][1] == 's1' and
          found['data'] == trained['data'] and found['build'] == trained['build'], found['settings'])
    check('they are printed, too', 'intervals of 80 % hold' in done.stderr and
          'and 21 more, which' in done.stderr, done.stderr)


def write_series(f, name, series, end=ROWS):
    f.write(name, [['unique_id', 'ds', 'y'], *([f's{i}', DAYS[k], f'{value(i, k):.4f}'] for i in range(series)
                                             for k in range(end))])


def check_fast_forecasts(f):
    """Each forecast of the last rows beside the truth."""
    write_series(f, 'long.csv', 3)
    done = f.run('--data', 'long.csv', '--pred', 5, '--forecasts', 'f.csv', '--intervals', 80, '--quantiles',
                 '0.5', '--json')
    check('forecasts without training', done.returncode == 0 and 'a model is trained' not in done.stderr,
          done.stderr)
    rows = f.rows('f.csv')
    check('columns of forecasts', rows[0] ==
          'series,origin,step,time,forecast,truth,q0.5,lo-80,hi-80'.split(','), rows[0])
    check('each row beside its truth', [(r[:4], r[5]) for r in rows[1:]] == [
        ([f's{i}', DAYS[ROWS - 6], str(h + 1), DAYS[ROWS - 5 + h]], output(value(i, ROWS - 5 + h)))
        for i in range(3) for h in range(5)], rows)
    for i, found in enumerate(json.loads(done.stdout)['by_series']):
        mae = sum(abs(float(r[4]) - float(r[5])) for r in rows[1 + 5 * i:6 + 5 * i]) / 5
        check('their errors are in --json', abs(mae - found['mae']) < 1e-9, (mae, found))
    check('ends around them', all(float(r[7]) <= float(r[4]) <= float(r[8]) for r in rows[1:]))


def check_fast_short(f):
    """Intervals of series that have no errors before the last rows."""
    f.write('few.csv', [['unique_id', 'ds', 'y'], *(
        [f's{i}', month(k), f'{value(i, 3 * k):.4f}'] for i in range(5) for k in range(22))])
    how = ['--data', 'few.csv', '--pred', 12, '--intervals', 80, '--quantiles', '0.1,0.9']
    done = f.run(*how, '--json', '--predict', 'p.csv')
    found = json.loads(done.stdout)
    check('they are not measured', found['intervals'] == [] and found['test_mae'] is not None and
          'no series is long enough for errors before the last rows; --backtest 1 measures' in done.stderr,
          done.stderr)
    check('they have a width', all(float(r[6]) > float(r[5]) for r in f.rows('p.csv')[1:]), f.rows('p.csv'))
    found = json.loads(f.run(*how, '--json', '--backtest', 1).stdout)
    check('a backtest measures them', found['intervals'][0]['coverage'] > .5, found)


def check_fast_horizon(f):
    write_series(f, 'long.csv', 2)
    for name, option in (('p.csv', '--pred'), ('q.csv', '--horizon')):
        done = f.run('--data', 'long.csv', option, 40, '--predict', name, '--intervals', 80)
        check(option, done.returncode == 0 and len(f.rows(name)) == 81, done.stderr)
    check('--horizon is --pred', f.rows('p.csv') == f.rows('q.csv'))
    said = f.run('--data', 'long.csv', '--horizon', 40, '--predict', 'q.csv', '--intervals', 80, '--dim', 8)
    check('a model has no intervals there', 'forecasts of --horizon rows have none; --pred 40 in place of '
          '--horizon has them' in said.stderr, said.stderr)
    done = f.run('--data', 'long.csv', '--pred', 8, '--predict', 'q.csv', '--intervals', 80, '--dim', 8,
                 '--epochs', 1, '--save', 'm.st')
    check('the remedy', done.returncode == 0 and f.rows('q.csv')[0][-1].endswith('-hi-80'), done.stderr)
    how = ['--data', 'long.csv', '--horizon', 40, '--predict', 'q.csv', '--intervals', 80]
    check('of a model file', 'trained with --pred 40 has them, and so has --fast without --load'
          in f.run(*how, '--load', 'm.st').stderr)
    check('its remedy', f.run(*how, '--fast').returncode == 0)


def check_fast_backtest(f):
    """Each origin has the forecast of a file that ends there."""
    write_series(f, 'long.csv', 3)
    done = f.run('--data', 'long.csv', '--pred', 6, '--backtest', 3, '--every', 4, '--forecasts', 'f.csv',
                 '--intervals', 80, '--json')
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    check('three origins', [o['time'] for o in found['backtest']['origins']] ==
          [DAYS[ROWS - 6 - back] for back in (8, 4, 0)] and found['test_windows'] == 3, done.stderr)
    check('MASE of each is printed', 'by origin: MASE of the forecast' in done.stderr and
          found['by_series'][0]['count'] == 18 and found['intervals'][0]['coverage'] is not None, done.stderr)
    check('their weights are not the printed ones', 'have weights of their own' in done.stderr and
          'have weights of their own' not in f.run('--data', 'long.csv', '--pred', 6).stdout, done.stderr)
    rows = f.rows('f.csv')
    for back in (8, 4, 0):
        write_series(f, 'cut.csv', 3, ROWS - 6 - back)
        f.run('--data', 'cut.csv', '--pred', 6, '--predict', 'p.csv', '--intervals', 80)
        check('as from a file that ends there', [[r[0], r[3], r[4], *r[6:]] for r in rows[1:]
                                                 if r[1] == DAYS[ROWS - 7 - back]] == f.rows('p.csv')[1:])
    said = f.run('--data', 'long.csv', '--pred', 6, '--backtest', 50, '--every', 4).stderr
    check('too many origins', '--backtest 50: so many origins, 4 rows apart, need 206 rows, and long.csv has '
          '200' in said, said)


def month(k, day=1):
    """Day `day` of month k of 2020; 0: the last day of the month before."""
    return (datetime.date(2020 + k // 12, k % 12 + 1, 1) + datetime.timedelta(days=day - 1)).isoformat()


def check_fast_steps(f):
    """Series of months, of their last days and of weeks in a file of days: each has its own rows to come."""
    week = [f'{datetime.date(2020, 1, 1) + datetime.timedelta(days=7 * k)}' for k in range(60)]
    series = {'months': ([month(k) for k in range(40)], ['2023-05-01', '2023-06-01']),
              'ends': ([month(k + 1, 0) for k in range(37)], ['2023-02-28', '2023-03-31']),
              'weeks': (week[:50], week[50:52])}
    series = {name: ([[t, f'{value(2, k):.4f}'] for k, t in enumerate(times)], after)
              for name, (times, after) in series.items()}
    daily = [[f'day{i}', DAYS[k], f'{value(i, k):.4f}'] for i in range(4) for k in range(ROWS)]
    f.write('mixed.csv', [['id', 'ds', 'y'], *daily,
                          *([name, *r] for name in series for r in series[name][0])])
    how = ['--pred', 2, '--intervals', 80]
    data = ['--data', 'mixed.csv', '--long', 'id,ds,y', '--predict', 'p.csv', *how]
    done = f.run(*data, '--forecasts', 'f.csv')
    check('own steps are said', done.returncode == 0 and
          '3 of 7 series have rows further apart than the file (months: 1 month); each is forecast in its '
          'own step' in done.stdout, done.stdout + done.stderr)
    for name, (rows, after) in series.items():
        found = [r[1:] for r in f.rows('p.csv') if r[0] == name]
        check(f'{name} to come', [r[0] for r in found] == after, found)
        known = [[r[1], r[3], float(r[5])] for r in f.rows('f.csv') if r[0] == name]
        check(f'{name} that are known', known == [[rows[-3][0], t, float(y)] for t, y in rows[-2:]], known)
        f.write('one.csv', [['ds', 'y'], *rows])
        alone = f.run('--data', 'one.csv', *how, '--predict', 'q.csv')
        check(f'{name} alone', alone.returncode == 0 and
              (name != 'weeks' or f.rows('q.csv')[1:] == found), f.rows('q.csv'))
    f.write('weeks.csv', [['id', 'ds', 'y'], *(
        [f's{i}', str(datetime.date(2021, 1, 4 + i) + datetime.timedelta(days=7 * k)), f'{value(i, k):.4f}']
        for i in range(3) for k in range(40))])
    done = f.run('--data', 'weeks.csv', '--long', 'id,ds,y', '--pred', 2, '--backtest', 2, '--json')
    check('origins of weeks', [o['time'] for o in json.loads(done.stdout)['backtest']['origins']] ==
          ['2021-09-15', '2021-09-29'], done.stderr)
    check('MAE without a season', 'by origin: MAE of the forecast' in done.stderr, done.stderr)
    check('days', [r[1] for r in f.rows('p.csv') if r[0] == 'day0'] == DAYS[ROWS:ROWS + 2])
    holes = [r for k, r in enumerate(series['months'][0]) if 9 <= k < 23 and k not in (14, 17)]
    f.write('mixed.csv', [['id', 'ds', 'y'], *daily, *(['months', *r] for r in holes)])
    done = f.run(*data)
    check('months that are missing', '2 rows of 1 series have no value; straight lines between the neighbours'
          ' fill them (the first of months at 2021-03-01)' in done.stdout, done.stdout + done.stderr)
    check('their times', [r[1] for r in f.rows('p.csv') if r[0] == 'months'] == [month(23), month(24)])
    for more in (['--model', 'linear'], ['--missing', 'mask', '--repair', 'gaps', '--save', 'm.st']):
        done = f.run(*data, *more)
        check('a model has one step', done.returncode == 1 and 'mixed.csv: 1 of 5 series has rows further '
              'apart than the file, as "months" (got 1 month, need 1 d): a model has one step; put series of '
              f'one step into a file of their own, or leave out options of a model ({more[-2]})'
              in done.stderr, done.stderr)
    rare = [['rare', DAYS[k], k] for k in (0, 5, 8, 40, 61, 70, 110)]
    f.write('mixed.csv', [['id', 'ds', 'y'], *daily, *rare])
    done = f.run(*data)
    check('values now and then', '1 of 5 series has more rows without a value than with one: rare lacks 104 '
          'of 111' in done.stderr, done.stderr)
    check('days of it', [r[1] for r in f.rows('p.csv') if r[0] == 'rare'] == DAYS[111:113])
    for names in (['months', 'weeks'], ['ends', 'weeks', 'months']):
        f.write('mixed.csv', [['unique_id', 'ds', 'y'], *([n, *r] for n in names for r in series[n][0])])
        done = f.run('--data', 'mixed.csv', '--predict', 'p.csv', *how)
        check('no step in common', done.returncode == 0, done.stderr)
        for name in names if done.returncode == 0 else []:
            found = [r[1] for r in f.rows('p.csv') if r[0] == name]
            check(f'{name} beside {names[0]}', found == series[name][1], found)


def check_fast_holes(f):
    """Holes of a wide table are filled and said, as in a long file; columns that are over are refused."""
    def write(b_end, holes=(7, 8, 30)):
        f.write('wide.csv', [['ds', 'a', 'b'], *(
            [DAYS[k], '' if k in holes else f'{value(0, k):.4f}', f'{value(1, k):.4f}' if k < b_end else '']
            for k in range(60))])
    write(60)
    done = f.run('--data', 'wide.csv', '--pred', 7, '--predict', 'p.csv', '--json')
    check('holes are said', done.returncode == 0 and '3 rows of 1 series have no value; straight lines '
          f'between the neighbours fill them (the first of a in line 9 ({DAYS[7]}))' in done.stderr and
          json.loads(done.stdout)['holes'] == 3, done.stderr)
    write(60, (7,))
    done = f.run('--data', 'wide.csv', '--pred', 7)
    check('one hole', '1 row of 1 series has no value; straight lines between the neighbours fill it (a in '
          f'line 9 ({DAYS[7]}))' in done.stdout, done.stdout)
    write(60, (51, 52, 53))
    f.run('--data', 'wide.csv', '--pred', 7, '--forecasts', 'f.csv')
    known = [r[4] for r in f.rows('f.csv') if r[0] == 'a']
    f.write('wide.csv', f.rows('wide.csv')[:54])
    f.run('--data', 'wide.csv', '--pred', 7, '--predict', 'p.csv')
    check('a line over the origin tells nothing', known == [r[1] for r in f.rows('p.csv')[1:]], known)
    write(57)
    done = f.run('--data', 'wide.csv', '--pred', 7)
    check('a column that ends early', done.returncode == 0 and '1 of 2 columns ends before the last row: '
          f'b in line 58 ({DAYS[56]}); the last value of each column stands in the rows after it' in
          done.stderr and '3 rows of 1 series have no value' in done.stdout, done.stdout + done.stderr)
    write(50)
    done = f.run('--data', 'wide.csv', '--pred', 7)
    check('a column that is over', done.returncode == 1 and '"b" has no value in the 10 rows before the '
          f'forecast, and its last one is in line 51 ({DAYS[49]}); --columns a forecasts the other' in
          done.stderr, done.stderr)
    done = f.run('--data', 'wide.csv', '--model', 'linear', '--pred', 7)
    check('a model asks for --missing', done.returncode == 1 and '--missing' in done.stderr, done.stderr)


def check_fast_report(f):
    write_series(f, 'long.csv', 5)
    done = f.run('--data', 'long.csv', '--pred', 6, '--report', 'r.html', '--plot-series', 's1')
    check('--plot-series is for --plot', done.returncode == 1)
    done = f.run('--data', 'long.csv', '--pred', 6, '--report', 'r.html', '--intervals', 90)
    page = (f.directory / 'r.html').read_text() if done.returncode == 0 else ''
    for part in ('long, forecast without training', 'better than repeating a value?', 'weighted mean of',
                 'error on the last rows', 'of 90 %: holds', '90 % interval', 'Error by step, MASE',
                 f'The forecast begins at {DAYS[ROWS - 6]}', f'The forecast begins at {DAYS[ROWS]}'):
        check(f'the page has {part}', part in page, done.stderr)
    check('three series, two windows each', page.count('<p>The forecast begins at') == 6)


def check_blend_errors(report, said):
    """Errors of a blend stand beside the model's and the local ones', and never far above the better one."""
    blend = report.get('blend', {})
    check('origins', blend.get('origins', 0) > 5, blend)
    for measure in ('mse', 'mae', 'mase', 'rmsse'):
        own, *parts = [blend.get(part, {}).get(measure, math.inf) for part in ('blend', 'model', 'local')]
        check(f'{measure} of a blend', 0 < own < 1.05 * min(parts) and max(parts) < 2, blend)
        check(f'{measure} of its parts', parts[0] != parts[1] and report[f'test_{measure}'] not in parts,
              blend)
    [interval] = blend.get('intervals', [{}])
    check('its coverage', interval.get('values') == 48 and .4 < interval.get('coverage', 0) <= 1, interval)
    lines = [line.split() for line in said.splitlines()]
    for name, part in (('blend', 'blend'), ('only fighter', 'model'), ('only local forecasters', 'local')):
        words = name.split() + [f'{blend[part]["mse"]:.4f}', f'{blend[part]["mae"]:.4f}']
        check(f'a line of {name}', any(line[:len(words)] == words for line in lines), said)
    check('its intervals are said', 'of the blend hold ' in said, said)


def check_late_column(f, rows):
    """A column that ends early is named where a model forecasts, too."""
    f.write('late.csv', [['ds', 'a', 'b']] + rows[:-3] + [[row[0], row[1], ''] for row in rows[-3:]])
    done = f.run('--data', 'late.csv', '--pred', 24, '--missing', 'mask', '--model', 'linear', '--predict',
                 'next.csv')
    check('a late column', done.returncode == 0 and '1 of 2 columns ends before the last row: b in line '
          f'{len(rows) - 2} ({rows[-4][0]}); the rows after it count as missing' in done.stderr, done.stderr)
    done = f.run('--data', 'hours.csv', '--pred', 24, '--model', 'linear', '--predict', 'next.csv')
    check('no late column', done.returncode == 0 and 'before the last row' not in done.stderr, done.stderr)


def check_decimal_comma(f):
    """Files of forecasts have the decimal comma of the data, and are read by the same options."""
    def words(name, swap):
        text = (f.directory / name).read_text()
        return text.translate(str.maketrans(',.', ';,')) if swap else text
    how = ['--pred', 24, '--intervals', 80]
    for name, text in (('points', words('hours.csv', False)), ('commas', words('hours.csv', True))):
        (f.directory / 'in.csv').write_text(text)
        comma = ['--decimal-comma'] if name == 'commas' else []
        for fast in ([], ['--fast']):
            done = f.run('--data', 'in.csv', *how, *fast, *comma, '--predict', f'{name}{len(fast)}.csv',
                         '--forecasts', f'{name}{len(fast)}.f.csv')
            check(f'{name} {fast}', done.returncode == 0, done.stderr)
    for part in ('0.csv', '1.csv', '0.f.csv', '1.f.csv'):
        check(f'commas in {part}', words('commas' + part, False) == words('points' + part, True))
    done = f.run('--data', 'commas1.csv', '--decimal-comma', '--fast', '--pred', 2, '--predict', 'q.csv')
    check('it is read again', done.returncode == 0 and
          (f.directory / 'q.csv').read_text().startswith('ds;a;'), done.stderr)


def check_blend_page(f):
    """The page and the picture call the blend by its name, and errors of the model the model's."""
    done = f.run('--data', 'hours.csv', '--pred', 24, '--predict', 'next.csv', '--report', 'page.html')
    page = (f.directory / 'page.html').read_text() if done.returncode == 0 else ''
    for part in ('without the blend it has a MASE of', 'error on the test rows, without the blend',
                 'a blend, the weighted mean of trained model', 'errors of the blend', 'a, blend',
                 'b, blend'):
        check(f'the page has {part}', part in page, done.stderr)


def check_blend(f):
    """A trained model is a member beside local forecasters, unless it is asked for by name."""
    draw = random.Random(4)
    begin = datetime.datetime(2024, 1, 1)
    made = [[begin + datetime.timedelta(hours=t), 20 + 5 * math.sin(t * math.pi / 12) + draw.gauss(0, 1),
             9 + draw.gauss(0, 1)] for t in range(900)]
    f.write('hours.csv', [['ds', 'a', 'b']] + made)

    def forecast(*args):
        how = ['--data', 'hours.csv', '--pred', 24, '--intervals', 80, '--predict', 'next.csv', '--json']
        done = f.run(*how, *args)
        with open(f.directory / 'next.csv') as file:
            return json.loads(done.stdout), done.stderr, list(csv.reader(file))
    report, said, rows = forecast()
    members = report.get('members', {})
    check('a blend', 'trained model' in members and len(members) > 3, members)
    check('weights', abs(sum(members.values()) - 1) < 1e-6 and min(members.values()) > 0, members)
    check('it is said', 'weighted mean: ' in said and
          'the errors and intervals above belong to the model without the blend' in said, said)
    check('its file', len(rows) == 25 and
          rows[0][1:] == ['a', 'a-lo-80', 'a-hi-80', 'b', 'b-lo-80', 'b-hi-80'], rows[0])
    for row in rows[1:]:
        for k in (1, 4):
            at, low, high = map(float, row[k:k + 3])
            check('an interval', low < at < high and high - low < 12, row)
    check_blend_errors(report, said)
    check('no last rows of their own', report.get('shifted') == report.get('stuck') == [], report)
    f.write('level.csv', [['ds', 'a', 'b']] + made[:-6] + [[t, a + 60, b] for t, a, b in made[-6:]])
    done = f.run('--data', 'level.csv', '--pred', 24, '--predict', 'next.csv', '--json')
    check('a level', done.returncode == 0 and json.loads(done.stdout).get('shifted') ==
          [{'series': 'a', 'rows': 6}] and 'the forecast follows it\n' in done.stderr, done.stderr)
    check_late_column(f, made)
    alone, said, other = forecast('--model', 'linear')
    check('alone', not {'members', 'blend'} & set(alone) and 'weighted mean' not in said, said)
    check('other forecasts', [r[1] for r in other[1:]] != [r[1] for r in rows[1:]])
    check('the same times', [r[0] for r in other] == [r[0] for r in rows])


def main():
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(sys.argv[1], Path(directory))
        check_fast(f)
        check_zeros(f)
        check_last_rows(f)
        check_outliers(f)
        check_unmeasured(f)
        check_fast_json(f)
        check_fast_forecasts(f)
        check_fast_short(f)
        check_fast_horizon(f)
        check_fast_backtest(f)
        check_fast_steps(f)
        check_fast_report(f)
        check_fast_holes(f)
        check_blend(f)
        check_blend_page(f)
        check_decimal_comma(f)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
