#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts without training: usage test_forecast_fast.py FORECAST

What is measured, written and drawn, and what is refused.
"""

import json
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
    check('an outlier', f'long.csv: "B" is 900 at {DAYS[40]}, far from all rows around it' in said(rows))
    rows[ROWS + 20][2] = '-3e160'
    check('a large value', f'long.csv: "B": -3e+160 at {DAYS[20]} is too large' in said(rows))
    f.write('wide.csv', [['ds', 'y']] + [[DAYS[k], '1e200' if k == 150 else k % 9] for k in range(ROWS)])
    check('its line', f'wide.csv: "y": 1e+200 in line 152 ({DAYS[150]}) is too large' in
          f.run('--fast', '--data', 'wide.csv').stderr)


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
    check('noise of deviation 1', all(r['count'] == 7 and .3 < r['mae'] < 2 for r in series[1:]), series)
    check('they are the mean', abs(sum(r['mase'] for r in series[1:]) / 29 - found['test_mase']) < 1e-9)
    for interval, least, most in zip(found['intervals'], (.7, .88), (.9, .995)):
        check(f'share within {interval["level"]}', least < interval['coverage'] < most and
              len(interval['coverage_by_step']) == 7, interval)
    check('quantiles', all(abs(q['below'] - q['quantile']) < .12 for q in found['quantiles']) and
          found['crps'] > 0, found['quantiles'])
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
        check('their errors are those of --json', abs(mae - found['mae']) < 1e-9, (mae, found))
    check('ends around them', all(float(r[7]) <= float(r[4]) <= float(r[8]) for r in rows[1:]))


def check_fast_horizon(f):
    write_series(f, 'long.csv', 2)
    for name, option in (('p.csv', '--pred'), ('q.csv', '--horizon')):
        done = f.run('--data', 'long.csv', option, 40, '--predict', name, '--intervals', 80)
        check(option, done.returncode == 0 and len(f.rows(name)) == 81, done.stderr)
    check('--horizon is --pred', f.rows('p.csv') == f.rows('q.csv'))
    said = f.run('--data', 'long.csv', '--horizon', 40, '--predict', 'q.csv', '--intervals', 80, '--dim', 8)
    check('a model has no intervals there', 'forecasts of --horizon rows have none' in said.stderr,
          said.stderr)


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
    rows = f.rows('f.csv')
    for back in (8, 4, 0):
        write_series(f, 'cut.csv', 3, ROWS - 6 - back)
        f.run('--data', 'cut.csv', '--pred', 6, '--predict', 'p.csv', '--intervals', 80)
        check('as from a file that ends there', [[r[0], r[3], r[4], *r[6:]] for r in rows[1:]
                                                 if r[1] == DAYS[ROWS - 7 - back]] == f.rows('p.csv')[1:])
    said = f.run('--data', 'long.csv', '--pred', 6, '--backtest', 50, '--every', 4).stderr
    check('too many origins', '--backtest 50: so many origins, 4 rows apart, need 206 rows, and long.csv has '
          '200' in said, said)


def main():
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(sys.argv[1], Path(directory))
        check_fast(f)
        check_fast_json(f)
        check_fast_forecasts(f)
        check_fast_horizon(f)
        check_fast_backtest(f)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
