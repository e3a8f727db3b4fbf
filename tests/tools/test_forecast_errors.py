#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors that the forecast program reports, computed once more from the forecasts that it writes: usage
test_forecast_errors.py FORECAST SERIES.py
"""

import csv
import json
import math
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from test_forecast import Forecast, SMALL, check, failures, write_series

TRAIN, TEST, ROWS, STEPS = 280, 320, 400, 12
HEAD = ['series', 'origin', 'step', 'time', 'forecast', 'truth']
MEASURES = ['mse', 'mae', 'mase', 'rmsse', 'wape', 'smape']


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def read_data(path):
    """Labels, and the values of each series; None is a missing one."""
    head, *rows = list(csv.reader(path.open()))
    series = {name: [float(r[i]) if r[i] else None for r in rows] for i, name in enumerate(head) if i}
    return [r[0] for r in rows], series


def read_forecasts(path):
    """{series: [(origin, step, time, forecast, truth)]}"""
    head, *rows = list(csv.reader(path.open()))
    check('the head of --forecasts', head == HEAD, head)
    forecasts = defaultdict(list)
    for name, origin, step, at, forecast, truth in rows:
        forecasts[name].append((origin, int(step), at, float(forecast), float(truth) if truth else None))
    return forecasts


def deviation(values):
    values = [v for v in values if v is not None]
    return math.sqrt(mean(v * v for v in values) - mean(values) ** 2)


def measures(pairs, naive):
    """Of (forecast, truth) of one series; naive: its seasonal errors in the training rows."""
    errors = [f - t for f, t in pairs]
    scale, square = mean(abs(e) for e in naive), mean(e * e for e in naive)
    truth = sum(abs(t) for _, t in pairs)
    rmse = math.sqrt(mean(e * e for e in errors))
    mae = mean(abs(e) for e in errors)
    return {'rmse': rmse, 'mae': mae, 'bias': mean(errors), 'mase': mae / scale if scale else None,
            'rmsse': rmse / math.sqrt(square) if square else None,
            'wape': sum(map(abs, errors)) / truth if truth else None,
            'mape': mean(abs((f - t) / t) for f, t in pairs if t),
            'smape': mean(2 * abs(f - t) / (abs(f) + abs(t)) if f or t else 0 for f, t in pairs)}


def naive_errors(values, season, end=TRAIN):
    pairs = ((values[r + season], values[r]) for r in range(end - season))
    return [a - b for a, b in pairs if a is not None and b is not None]


def near(a, b, share=1e-5):
    if a is None or b is None:
        return a is b
    return abs(a - b) <= share * (1 + abs(b))


def known(forecasts, step=None):
    return [(f, t) for _, s, _, f, t in forecasts if t is not None and step in (None, s)]


def overall(forecasts, series, season, step=None, train=TRAIN):
    """Of all series: MSE and MAE in deviations of the training rows, the others as means of the series."""
    scales = {name: deviation(values[:train]) for name, values in series.items()}
    errors = [(f - t) / scales[name] for name in series for f, t in known(forecasts[name], step)]
    each = [measures(known(forecasts[name], step), naive_errors(series[name], season, train))
            for name in series]
    out = {'mse': mean(e * e for e in errors), 'mae': mean(map(abs, errors))}
    for key in MEASURES[2:]:
        out[key] = mean(e[key] for e in each if e[key] is not None)
    return out


def check_report(what, got, labels, series, forecasts):
    season = got['scale_season']
    for name in series:
        check(f'{what}: a line for each forecast', len(forecasts[name]) == STEPS * got['test_windows'])
        for origin, step, at, _, truth in forecasts[name]:
            row = labels.index(origin) + step
            if labels[row] != at or (truth is None) != (series[name][row] is None) or not near(
                    truth, series[name][row], 1e-8):
                check(f'{what}: {name} {origin} +{step}', False, (at, truth, series[name][row]))
                break
    for key, value in overall(forecasts, series, season).items():
        check(f'{what}: test_{key}', near(got[f'test_{key}'], value), (got[f'test_{key}'], value))
    check(f'{what}: all steps', [s['step'] for s in got['by_step']] == list(range(1, STEPS + 1)))
    for one in got['by_step']:
        for key, value in overall(forecasts, series, season, one['step']).items():
            check(f'{what}: {key} of step {one["step"]}', near(one[key], value), (one[key], value))
        pairs = [pair for name in series for pair in known(forecasts[name], one['step'])]
        for key, value in measures(pairs, [1]).items():
            own = {'mae': 'unit_mae', 'rmse': 'unit_rmse', 'mape': 'mape'}.get(key)
            if own:
                check(f'{what}: {own} of step {one["step"]}', near(one[own], value), (one[own], value))
    check(f'{what}: all series', [s['series'] for s in got['by_series']] == list(series))
    for one in got['by_series']:
        pairs = known(forecasts[one['series']])
        check(f'{what}: count', one['count'] == len(pairs), one)
        for key, value in measures(pairs, naive_errors(series[one['series']], season)).items():
            check(f'{what}: {key} of {one["series"]}', near(one[key], value), (one[key], value))


def naive_forecasts(series, season):
    """As read_forecasts(), with the value of a season before the forecast's first row."""
    forecasts = defaultdict(list)
    for name, v in series.items():
        for row in range(TEST, ROWS - STEPS + 1):
            forecasts[name] += [('', k + 1, '', v[row - season + k % season], v[row + k])
                                for k in range(STEPS)]
    return forecasts


def test_errors(f):
    path = f.directory / 'f.csv'
    got = f.measured('--forecasts', path.name)
    labels, series = read_data(f.directory / 'series.csv')
    check_report('all windows', got, labels, series, read_forecasts(path))
    check('the season of the baseline is that of MASE', got['scale_season'] == got['season'], got['season'])
    for name, season in (('naive', 1), ('seasonal', got['season'])):
        for key, value in overall(naive_forecasts(series, season), series, got['scale_season']).items():
            check(f'{name}_{key}', near(got[f'{name}_{key}'], value), (got[f'{name}_{key}'], value))
    check('the linear baseline, too', got['linear_mase'] > 0 and got['linear_smape'] > 0, got)
    day = f.measured('--season', 24, '--no-baselines', '--forecasts', path.name)
    check('--season', day['scale_season'] == 24 and day['naive_mase'] is None, day)
    check_report('--season', day, labels, series, read_forecasts(path))
    f.measured('--save', 'm.safetensors', '--holdout', '--forecasts', 'made.csv')
    f.measured('--load', 'm.safetensors', '--forecasts', path.name)
    check('a loaded model forecasts the same', path.read_text() == (f.directory / 'made.csv').read_text())


def test_awkward(f):
    """Missing values do not count; what cannot be divided by is said."""
    head, *rows = list(csv.reader((f.directory / 'series.csv').open()))
    flat, zero, path = head.index('HULL'), head.index('MULL'), f.directory / 'f.csv'
    for i, row in enumerate(rows):
        row[flat] = '1' if i < TRAIN else row[flat]
        row[zero] = row[zero] if i < TEST else '0'
        if i % 7 == 3:
            row[head.index('OT')] = ''
    with (f.directory / 'awkward.csv').open('w') as out:
        csv.writer(out, lineterminator='\n').writerows([head, *rows])
    args = ['--data', 'awkward.csv', '--missing', 'mask', '--no-baselines', '--forecasts', path.name]
    labels, series = read_data(f.directory / 'awkward.csv')
    got = f.measured(*args)
    by_name = {s['series']: s for s in got['by_series']}
    check('no MASE', by_name['HULL']['mase'] is None and by_name['HULL']['rmsse'] is None, by_name['HULL'])
    check('no WAPE', by_name['MULL']['wape'] is None and by_name['MULL']['smape'] == 2, by_name['MULL'])
    check('missing values', by_name['OT']['count'] < by_name['LUFL']['count'], by_name['OT'])
    # HULL has no deviation to speak of, so errors in units of it are compared for the others
    forecasts = read_forecasts(path)
    for one in got['by_series']:
        want = measures(known(forecasts[one['series']]), naive_errors(series[one['series']],
                                                                      got['scale_season']))
        for key, value in want.items():
            check(f'{key} of {one["series"]}', near(one[key], value), (one[key], value))
    said = f.run(*args, *SMALL).stdout
    check('zeros are said', 'no MASE of HULL' in said and 'no WAPE of MULL' in said, said)
    check('labels', all(o in labels for o, *_ in forecasts['OT']))


def test_gap(f):
    """A window without a value of a target cannot be forecast, but the others are measured."""
    head, *rows = list(csv.reader((f.directory / 'series.csv').open()))
    for row in rows[TEST - 30:TEST]:
        row[head.index('HULL')] = ''
    with (f.directory / 'gap.csv').open('w') as out:
        csv.writer(out, lineterminator='\n').writerows([head, *rows])
    got = f.measured('--data', 'gap.csv', '--missing', 'mask', '--no-baselines')
    check('a gap before the test', got.get('test_mse', 0) > 0 and got['predict_us'] is None, got)


def test_files(f):
    """Without times rows are counted; a file is whole or as it was."""
    path = f.directory / 'f.csv'
    lines = (f.directory / 'series.csv').read_text().splitlines()
    (f.directory / 'plain.csv').write_text('\n'.join(line.split(',')[-1] for line in lines) + '\n')
    f.measured('--data', 'plain.csv', '--time', 'none', '--no-baselines', '--forecasts', path.name)
    first = read_forecasts(path)['OT'][0]
    check('numbers of rows', first[0] == str(TEST) and first[2] == str(TEST + 1), first)
    path.write_text('old')
    f.refused('no test rows', ['--forecasts f.csv'], '--data', 'series.csv', *SMALL, '--split',
              'rows:300,100,0', '--forecasts', path.name)
    check('the old file stays', path.read_text() == 'old')
    f.refused('two outputs', ['same file'], '--data', 'series.csv', '--forecasts', 'a', '--save', 'a')
    f.refused('nowhere', ['nowhere/f.csv'], '--data', 'series.csv', '--forecasts', 'nowhere/f.csv')


def test_quantiles(f):
    """Columns of quantiles: they rise, and loss and share below are those of the report."""
    got = f.measured('--quantiles', '0.1,0.5,0.9', '--no-baselines', '--forecasts', 'q.csv')
    head, *rows = list(csv.reader((f.directory / 'q.csv').open()))
    check('a column for each quantile', head == [*HEAD, 'q0.1', 'q0.5', 'q0.9'], head)
    rows = [(r[0], *map(float, r[4:])) for r in rows]
    check('they rise, and the middle one is the forecast',
          all(low <= mid <= high and mid == point for _, point, _, low, mid, high in rows))
    series = read_data(f.directory / 'series.csv')[1]
    scale = {name: deviation(values[:TRAIN]) for name, values in series.items()}
    for i, one in enumerate(got['quantiles']):
        q, errors = one['quantile'], [(r[2] - r[3 + i]) / scale[r[0]] for r in rows]
        check(f'below {q}', abs(one['below'] - mean(e <= 0 for e in errors)) < 1e-3, one)
        check(f'pinball of {q}', near(one['pinball'], mean(max(q * e, (q - 1) * e) for e in errors)), one)


def test_settings(f):
    """Settings tell runs apart that differ, and are equal where only their words differ."""
    got = f.measured()
    said = got['settings']
    check('defaults are filled in', (said['heads'], said['ff'], said['hops'], said['lr'], said['patience']) ==
          (4, None, [3], 0.001, 3) and said['split'] == [280, 40, 80], said)
    check('names', said['target'] == [s['series'] for s in got['by_series']] and said['known'] == [], said)
    same = f.measured('--heads', 4, '--hops', 3, '--lr', '1e-3', '--patience', 3, '--batch', 32, '--season',
                      got['season'], '--dropout', 0.2)
    check('the same in other words', same['settings'] == said, (same['settings'], said))
    other = f.measured('--dropout', 0, '--seed', 5, '--model', 'transformer')['settings']
    check('what differs', {k for k in said if said[k] != other[k]} ==
          {'dropout', 'seed', 'model', 'hops', 'ff'}, other)
    packed, cut = f.measured('--data', 'packed.csv.gz')['data'], f.measured('--columns', 'OT')['data']
    check('the fingerprint is that of the table', packed['fingerprint'] == got['data']['fingerprint'] ==
          cut['fingerprint'], (packed, got['data']))
    lines = (f.directory / 'series.csv').read_text().splitlines()
    lines[200] = lines[200][:-1] + ('1' if lines[200][-1] != '1' else '2')
    (f.directory / 'changed.csv').write_text('\n'.join(lines) + '\n')
    changed = f.measured('--data', 'changed.csv')['data']
    check('one digit', changed['fingerprint'] != got['data']['fingerprint'], changed)
    check('the table', (changed['rows'], changed['first'], changed['last'], changed['step']) ==
          (ROWS, '2016-07-01 00:00:00', '2016-07-17 15:00:00', '1 h'), changed)
    check('the build', got['build']['version'].count('.') == 2 and got['build']['blas'], got['build'])
    f.measured('--save', 'm.safetensors')
    loaded = f.measured('--load', 'm.safetensors')['settings']
    check('a loaded model', (loaded['input'], loaded['lr'], loaded['model']) == (24, None, 'fighter'), loaded)


def test_bytes(f):
    """Names and labels that are not UTF-8 are in the JSON object with question marks."""
    name = os.fsdecode(b'mod\xe8le.st')
    got = f.measured('--save', name)
    check('the name of a model', got['settings']['save'] == 'mod?le.st' and (f.directory / name).exists(),
          got['settings'])
    name = os.fsdecode(b't\xe8.fgt')
    done = f.run('--data', 'series.csv', '--convert', name, '--json')
    check('the name of a table', done.returncode == 0 and json.loads(done.stdout)['file'] == 't?.fgt', done)
    text = (f.directory / 'series.csv').read_bytes().split(b'\n')
    for i in range(1, 401):
        text[i] = b'd\xe9c ' + text[i]
    (f.directory / 'labels.csv').write_bytes(b'\n'.join(text))
    got = f.measured('--data', 'labels.csv', '--repair', 'ignore')
    check('labels', got['data']['first'].startswith('d?c 2016-07-01'), got['data'])


def main(program, script):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        write_series(script, f.directory)
        test_errors(f)
        test_awkward(f)
        test_gap(f)
        test_files(f)
        test_quantiles(f)
        test_settings(f)
        test_bytes(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
