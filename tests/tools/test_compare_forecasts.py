#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/compare_forecasts.py and the features of tools/boosting.py on a small made series: usage
test_compare_forecasts.py FORECAST TOOLS"""

import json
import math
import os
import random
import statistics
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from tool_checks import check, failures, run_tool

SKIP = 77
ROWS, ENDS, STEPS = 700, (400, 500, 700), (12, 24)
SIMPLE = 'naive_mse'


def write_rows(path):
    """Two series with a rhythm of the day; two rows are out of order, one is missing, one repeated."""
    random.seed(4)
    start, level, lines = datetime(2024, 1, 1), [0.0, 5.0], []
    for r in range(ROWS):
        level = [0.9 * v + random.gauss(0, 0.3) for v in level]
        cells = [f'{v + (2 - c) * math.sin(r * math.pi / 12):.4f}' for c, v in enumerate(level)]
        lines.append(f'{start + timedelta(hours=r)},{",".join(cells)}\n')
    lines[300:302] = [lines[301], lines[300]]
    del lines[600]
    lines.insert(350, lines[349].replace(',', ',9', 1))
    path.write_text('date,a,b\n' + ''.join(lines))


def made_set():
    return {'Made': {'file': 'made.csv',
                     'options': '--split rows:400,100,200 --repair all --missing mask --keep-outliers',
                     'split': lambda rows: ENDS}}


def check_tables(text, results):
    """Every error is in the page, as the mean of its seeds, and the page says how it was made."""
    runs = {}
    for one in results:
        for key in ('test_mse', 'test_mae', SIMPLE):
            if one.get(key) is not None:
                runs.setdefault((key, one['options'].partition(' --seed')[0]), []).append(one[key])
    for (key, options), values in runs.items():
        mean, most = statistics.mean(values), len(values) > 1
        want = f'| {mean:.4f} +- {statistics.stdev(values):.4f} |' if most else f'| {mean:.4f} |'
        check(f'{key} of {options} is in the page', want in text, want)
    for words in ('Made 12', 'Made, 24 steps', 'closed form, 24 rows', '--epochs 1', 'last value'):
        check(f'"{words}" is in the page', words in text)


def check_runs(tool, directory, common):
    """What is finished is not run again, and a line that a crash cut short is."""
    results = directory / 'results.jsonl'
    listed, said = run_tool(tool, *common, '--list')
    check('--list runs nothing', not results.exists() and not listed)
    check('--list names the runs', 'Made 24 quick, seed 2' in said, said)
    text, _ = run_tool(tool, *common, '--only', 'closed|quick')
    lines = results.read_text().splitlines()
    check('runs', len(lines) == 2 * (2 + 2), len(lines))
    check('the page is what is printed', (directory / 'page.md').read_text() + '\n' == text)
    check_tables(text, [json.loads(line) for line in lines])
    results.write_text('\n'.join(lines[:-1] + [lines[-1][:40]]) + '\n')
    run_tool(tool, *common, '--only', 'closed|quick')
    again = results.read_text().splitlines()
    check('one run was missing', again[:len(lines) - 1] == lines[:-1] and len(again) == len(lines) + 1, again)
    return [json.loads(line) for line in lines]


def check_protocol(tool):
    """Two programs that disagree on the last value have not measured the same thing."""
    cell = {name: tool.Method(name, [{SIMPLE: mse}]) for name, mse in (('a', 1.0), ('b', 1.01))}
    try:
        tool.check_protocol({('Made', 12): cell})
    except SystemExit as refused:
        check('the refusal says what is wrong', '1.01 for b' in str(refused), refused)
    else:
        check('another error of the last value is refused', False)


class LastValue:
    """In place of a model: it adds nothing to the reference."""

    @staticmethod
    def predict(x):
        return [0.0] * len(x)


def check_boosting(boosting, directory, results):
    """Errors of the last value as the program has them; features from the look-back and nothing after it."""
    import numpy as np
    data = boosting.Data(directory / 'made.csv', made_set()['Made']['split'])
    for steps in STEPS:
        want = next(one for one in results if one.get(SIMPLE) and f'--pred {steps} ' in one['options'])
        got = boosting.measure(LastValue, data, 24, steps, 'last')
        for key in ('naive_mse', 'naive_mae', 'test_windows'):
            check(f'{key} of {steps} steps', math.isclose(got[key], want[key], rel_tol=1e-5), (got, want))
        check('a model that adds nothing', got['test_mse'] == got['naive_mse'], got)
    at = boosting.windows(1, np.array([550]), STEPS[1])
    for look in (24, 100):
        before = boosting.features(data, look, at), boosting.reference(data, look, 'days', at)
        other = boosting.Data(directory / 'made.csv', made_set()['Made']['split'])
        other.x[550:] = 99
        other.x[:550 - look] = 99
        for name, power in (('sum', 1), ('squares', 2)):
            getattr(other, name)[1:] = np.cumsum(other.x ** power, axis=0)
        after = boosting.features(other, look, at), boosting.reference(other, look, 'days', at)
        for a, b in zip(before, after):
            check(f'look-back {look}', np.allclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True))


def main():
    program, tools = Path(sys.argv[1]).resolve(), sys.argv[2]
    sys.path.insert(0, tools)
    try:
        import numpy
    except ImportError:
        print('SKIP numpy is missing')
        return SKIP
    import boosting
    import compare_forecasts as tool
    del numpy
    tool.SETS, tool.HORIZONS, tool.SHORT = made_set(), STEPS, 24
    tool.CLOSED = {f'closed form, {n} rows': f'--model linear --input {n}' for n in (24, 48)}
    tool.BASELINES, tool.OURS = 'closed form, 24 rows', {'quick': '--epochs 1 --input 24'}
    tool.BOOSTING = {'LightGBM, 24 rows': 24}
    boosting.TRAIN = boosting.VALIDATION = 3000
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        write_rows(directory / 'made.csv')
        common = ['--build', program.parent.parent, '--data', directory,
                  '--results', directory / 'results.jsonl', '--out', directory / 'page.md', '--seeds', '1..2']
        results = check_runs(tool, directory, common)
        check_protocol(tool)
        check_boosting(boosting, directory, results)
        text, said = run_tool(tool, *common)
        if 'no LightGBM' in said:
            print('SKIP LightGBM is missing; all else was tested')
        else:
            check('LightGBM is in the page', 'LightGBM, 24 rows | 24' in text, text)
    return 1 if failures else 0


if __name__ == '__main__':
    os.environ['OMP_NUM_THREADS'] = '1'
    sys.exit(main())
