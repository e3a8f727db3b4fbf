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

from test_forecast_long import DAYS, ROWS, Forecast, check, failures


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


def main():
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(sys.argv[1], Path(directory))
        check_fast(f)
        check_fast_json(f)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
