#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: test_measures.py MEASURES FORECAST SERIES.py [CLASSIFY TEXTS.py]

examples/measures prints what the attention of saved forecasters and classifiers does. Without the last two it
is tested with forecasters alone.
"""

import csv
import io
import math
import subprocess
import sys
import tempfile
from pathlib import Path

failures = 0


def check(what, good, details=''):
    global failures
    if not good:
        failures += 1
        print(f'FAILED: {what}: {details}')


def run(folder, *args):
    return subprocess.run([str(a) for a in args], cwd=folder, capture_output=True, text=True)


def measured(folder, *args):
    done = run(folder, *args)
    check('measures', done.returncode == 0, done.stderr)
    return {(r['layer'], int(r['power']), r['statistic']): float(r['value'])
            for r in csv.DictReader(io.StringIO(done.stdout))}


def test_forecaster(folder, measures, forecast, script):
    (folder / 's.csv').write_text(run(folder, sys.executable, script).stdout)
    common = [forecast, '--data', 's.csv', '--input', 48, '--pred', 12, '--epochs', 1, '--thin', 8,
              '--dim', 8, '--layers', 2, '--tokens', 'time', '--no-linear', '--no-baselines', '--threads', 1]
    for name, more in ('plain', []), ('masked', ['--diag-mask']):
        done = run(folder, *common, *more, '--save', name)
        check('forecast', done.returncode == 0, done.stderr)
        got = measured(folder, measures, name, 's.csv', 2)
        check('layers', {k[0] for k in got} == {'blocks.0', 'blocks.1'}, got)
        check('powers', {k[1] for k in got} == {0, 1, 2}, got)
        diagonal = got['blocks.0', 1, 'diagonal']
        check('the diagonal', diagonal == 0 if name == 'masked' else 0.001 < diagonal < 1, diagonal)
        check('what is expected of it', math.isclose(got['blocks.1', 1, 'diagonal_expected'],
                                                     0 if name == 'masked' else 1 / 48, abs_tol=1e-4), got)
        check('rank', 1 <= got['blocks.1', 0, 'rank'] <= 8, got)


def test_classifier(folder, measures, classify, script):
    for name, count in ('train.csv', 200), ('test.csv', 40):
        (folder / name).write_text(run(folder, sys.executable, script, 'texts', count).stdout)
    done = run(folder, classify, '--train', 'train.csv', '--test', 'test.csv', '--dim', 8, '--epochs', 1,
               '--threads', 1, '--save', 'c')
    check('classify', done.returncode == 0, done.stderr)
    got = measured(folder, measures, 'c', 'test.csv')
    even = got['blocks.0', 1, 'entropy_normalised']
    check('of texts', {k[1] for k in got} == {0, 1} and 0 < even <= 1, got)


def main(measures, forecast, series, classify=None, texts=None):
    paths = [p and Path(p).resolve() for p in (measures, forecast, series, classify, texts)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        test_forecaster(folder, *paths[:3])
        if classify:
            test_classifier(folder, paths[0], *paths[3:])
        wrong = run(folder, paths[0], 's.csv', 's.csv')
        check('no model', wrong.returncode == 1 and wrong.stderr.startswith('measures: '), wrong)
        usage = run(folder, paths[0])
        check('usage', usage.returncode == 0 and usage.stdout.startswith('usage: '), usage)
    print(f'{failures} failures')
    return failures > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
