#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the forecast program writes: usage test_forecast_outputs.py FORECAST

Numbers with all of their digits.
"""

import csv
import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

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


def test_json(f):
    """No digit is lost, and none is made up: 0.7 is not 0.69999999999999996."""
    done = f.run('--data', 'y.csv', *LINEAR, '--input', 22, '--pred', 2, '--lr', 0.7, '--json')
    got = json.loads(done.stdout)
    check('options', '"lr": 0.7,' in done.stdout, done.stdout)
    check('numbers', all(repr(v) in done.stdout or '%.15g' % v in done.stdout for v in got.values()
                         if isinstance(v, float)), got)


def main(program):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        test_digits(f)
        test_json(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
