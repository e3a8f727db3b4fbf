#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""forecast --backtest against models that are trained one by one: usage test_backtest.py FORECAST
SERIES.py"""

import csv
import sys
import tempfile
from pathlib import Path

from test_forecast import Forecast, SMALL, check, failures, write_series
from test_forecast_errors import (MEASURES, STEPS, deviation, measures, mean, naive_errors, near, overall,
                                  read_data, read_forecasts)

ROWS, COUNT, EVERY = 400, 4, 30
ORIGINS = [ROWS - STEPS - (COUNT - 1 - i) * EVERY for i in range(COUNT)]
SEASON = ['--season', 24]
SOME = ['--columns', 'OT,HUFL', *SEASON]


def cut(f, name, rows):
    """A file with the first rows of the series."""
    lines = (f.directory / 'series.csv').read_text().splitlines(keepends=True)
    (f.directory / name).write_text(''.join(lines[:rows + 1]))


def validation(row):
    """Rows of the last eighth, as in the split of 0.7, 0.1 and 0.2, and at least one window."""
    return max(int(row / 8 + 0.5), STEPS)


def alone(f, row, *more):
    """The forecast from one origin, by a run of its own, and the model of it."""
    cut(f, 'cut.csv', row + STEPS)
    split = f'rows:{row - validation(row)},{validation(row)},{STEPS}'
    f.measured('--data', 'cut.csv', *SOME, '--split', split, '--no-baselines', '--forecasts', 'alone.csv',
               '--save', f'{row}.safetensors', '--holdout', *more)
    return read_forecasts(f.directory / 'alone.csv')


def values(forecasts, origin):
    return {name: [forecast for at, _, _, forecast, _ in rows if at == origin]
            for name, rows in forecasts.items()}


def check_report(what, f, got, forecasts):
    """All figures once more, from the forecasts; the rows before the first origin give the scales."""
    labels, series = read_data(f.directory / 'series.csv')
    series = {name: series[name] for name in ('OT', 'HUFL')}
    first = ORIGINS[0] - validation(ORIGINS[0])
    want = overall(forecasts, series, 24, train=first)
    for key, value in want.items():
        check(f'{what}: test_{key}', near(got[f'test_{key}'], value), (got[f'test_{key}'], value))
    origins = got['backtest']['origins']
    check(f'{what}: origins', [(o['row'], o['time']) for o in origins] == [(o, labels[o]) for o in ORIGINS])
    for one in origins:
        row = one['row']
        part = {name: [r for r in rows if r[0] == labels[row - 1]] for name, rows in forecasts.items()}
        for key, value in overall(part, series, 24, train=first).items():
            check(f'{what}: {key} from {row}', near(one[f'model_{key}'], value), (one, value))
        for name, season in (('naive', 1), ('seasonal', 24)):
            each = [measures([(v[row - season + k % season], v[row + k]) for k in range(STEPS)],
                             naive_errors(v, 24, first)) for v in series.values()]
            for key in MEASURES[2:]:
                value = mean(e[key] for e in each)
                check(f'{what}: {name} {key} from {row}', near(one[f'{name}_{key}'], value), (one, value))


def test_refit(f):
    labels = read_data(f.directory / 'series.csv')[0]
    got = f.measured(*SOME, '--backtest', COUNT, '--every', EVERY, '--forecasts', 'all.csv')
    forecasts = read_forecasts(f.directory / 'all.csv')
    check('as many forecasts', all(len(rows) == COUNT * STEPS for rows in forecasts.values()))
    for row in ORIGINS:
        at = labels[row - 1]
        check(f'the forecast from {at} is that of a run of its own',
              values(forecasts, at) == values(alone(f, row), at))
    check('refit is the default', got['backtest']['mode'] == 'refit' and got['test_windows'] == COUNT, got)
    check('all rows before', [o['train_rows'] for o in got['backtest']['origins']] == ORIGINS, got)
    check_report('refit', f, got, forecasts)
    next_to = f.measured(*SOME, '--backtest', 3, '--forecasts', 'all.csv')
    check('--every is the horizon', [o['row'] for o in next_to['backtest']['origins']] ==
          [ROWS - 3 * STEPS, ROWS - 2 * STEPS, ROWS - STEPS], next_to['backtest'])


def test_keep(f):
    labels = read_data(f.directory / 'series.csv')[0]
    args = [*SEASON, '--backtest', COUNT, '--every', EVERY, '--mode', 'keep']
    got = f.measured(*SOME[:2], *args, '--forecasts', 'kept.csv')
    forecasts = read_forecasts(f.directory / 'kept.csv')
    first = labels[ORIGINS[0] - 1]
    check('keep: the first model', values(forecasts, first) == values(alone(f, ORIGINS[0]), first))
    check('keep: one training', [o['train_rows'] for o in got['backtest']['origins']] ==
          [ORIGINS[0]] + [0] * (COUNT - 1), got)
    check_report('keep', f, got, forecasts)
    loaded = f.measured(*args, '--load', f'{ORIGINS[0]}.safetensors', '--forecasts', 'loaded.csv')
    check('keep: a loaded model', (f.directory / 'loaded.csv').read_text() ==
          (f.directory / 'kept.csv').read_text())
    check('no row was seen', loaded['test_rows_seen'] == 0, loaded)
    own = [a for a in args if a not in SEASON]
    made = f.measured(*own, '--save', 'season.safetensors')
    loaded = f.measured(*own, '--load', 'season.safetensors')
    check('keep: the season of a loaded model', (loaded['season'], loaded['scale_season']) ==
          (made['season'], made['scale_season']), (loaded, made))
    last = f.measured(*args, '--load', f'{ORIGINS[-1]}.safetensors')
    check('rows that were seen', last['test_rows_seen'] == ORIGINS[-1] - ORIGINS[0], last)


def test_update(f):
    """Each further origin: the model of the one before, updated with the rows that are new then."""
    labels = read_data(f.directory / 'series.csv')[0]
    plain = ['--dropout', 0]  # a model that was loaded draws other numbers than one that goes on
    args = [*SOME, *plain, '--backtest', COUNT, '--every', EVERY, '--mode', 'update']
    got = f.measured(*args, '--forecasts', 'updated.csv')
    forecasts = read_forecasts(f.directory / 'updated.csv')
    first, second = (labels[row - 1] for row in ORIGINS[:2])
    check('update: the first model', values(forecasts, first) == values(alone(f, ORIGINS[0], *plain), first))
    cut(f, 'new.csv', ORIGINS[1])
    f.measured('--data', 'new.csv', '--load', f'{ORIGINS[0]}.safetensors', '--update', '--epochs', 3,
               '--save', 'second.safetensors', '--no-baselines')
    cut(f, 'cut.csv', ORIGINS[1] + STEPS)
    f.measured('--data', 'cut.csv', *SEASON, '--split', f'rows:300,{ORIGINS[1] - 300},{STEPS}', '--load',
               'second.safetensors', '--forecasts', 'alone.csv')
    want = values(read_forecasts(f.directory / 'alone.csv'), second)
    check('update: the second model', values(forecasts, second) == want, (want, values(forecasts, second)))
    check('update: new rows', [o['train_rows'] for o in got['backtest']['origins']] ==
          [ORIGINS[0]] + [EVERY] * (COUNT - 1), got['backtest'])
    check_report('update', f, got, forecasts)


def test_after(f):
    """The model that was trained last is the one that is saved and forecasts."""
    f.measured(*SOME, '--backtest', 2, '--save', 'b.safetensors', '--predict', 'b.csv', '--holdout')
    f.measured(*SEASON, '--load', 'b.safetensors', '--predict', 'c.csv')
    check('the last model', (f.directory / 'b.csv').read_text() == (f.directory / 'c.csv').read_text())
    alone(f, ORIGINS[-1])
    f.measured(*SEASON, '--load', f'{ORIGINS[-1]}.safetensors', '--predict', 'c.csv')
    check('the last model', (f.directory / 'b.csv').read_text() == (f.directory / 'c.csv').read_text())
    whole = f.measured(*SOME, '--backtest', 2, '--predict', 'd.csv')
    check('the last model, of all rows', whole['refit']['rows'] == ROWS and
          (f.directory / 'b.csv').read_text() != (f.directory / 'd.csv').read_text(), whole['refit'])
    done = f.run('--data', 'series.csv', *SMALL, *SOME, '--backtest', 2)
    check('a table', 'by origin' in done.stdout and '2 forecasts, 12 rows apart' in done.stdout, done.stdout)


def test_refused(f):
    data = ['--data', 'series.csv', *SMALL]
    f.refused('too many', ['--backtest 40', '12 rows apart', 'need 504 rows', 'series.csv has 400'], *data,
              '--backtest', 40)
    f.refused('far too many', ['smaller --every'], *data, '--backtest', 10**15, '--every', 10**15)
    f.refused('no backtest', ['--backtest'], *data, '--mode', 'keep')
    f.refused('no backtest', ['--backtest'], *data, '--every', 5)
    f.refused('nothing to train', ['--mode update', 'refit'], *data, '--backtest', 2, '--mode', 'update',
              '--model', 'linear')
    f.refused('a loaded model', ['--mode keep'], *data[:2], '--backtest', 2, '--load', 'b.safetensors')
    f.refused('checkpoints', ['--checkpoint'], *data, '--backtest', 2, '--checkpoint', 'c')
    f.refused('another mode', ['refit, keep, update'], *data, '--backtest', 2, '--mode', 'never')


def test_intervals(f):
    """Coverage and width once more, from the ends that are written; nothing before the errors are known."""
    got = f.measured(*SOME, '--backtest', COUNT, '--every', EVERY, '--no-baselines', '--intervals', '50,90',
                     '--forecasts', 'ends.csv')
    _, series = read_data(f.directory / 'series.csv')
    first = ORIGINS[0] - validation(ORIGINS[0])
    with (f.directory / 'ends.csv').open() as file:
        rows = list(csv.DictReader(file))
    for interval, level in zip(got['intervals'], (50, 90)):
        ends = [(r['series'], *(float(r[key]) for key in ('truth', f'lo-{level}', f'hi-{level}')))
                for r in rows]
        inside = sum(low <= truth <= high for _, truth, low, high in ends) / len(ends)
        scale = {name: deviation(series[name][:first]) for name in ('OT', 'HUFL')}
        width = sum((high - low) / scale[name] for name, _, low, high in ends) / len(ends)
        check(f'backtest: coverage of {level}', near(interval['coverage'], inside), (interval, inside))
        check(f'backtest: width of {level}', near(interval['width'], width), (interval, width))
    # where the first step has no truth, the others are said all the same
    lines = (f.directory / 'series.csv').read_text().splitlines()
    at = len(lines) - STEPS
    lines[at] = lines[at].split(',')[0] + ',' * lines[at].count(',')
    (f.directory / 'hole.csv').write_text('\n'.join(lines) + '\n')
    hole = f.measured('--data', 'hole.csv', '--missing', 'mask', *SOME, '--backtest', 1, '--intervals', 80)
    one = (hole['intervals'] or [{'coverage_by_step': [0]}])[0]
    check('a step without truth', one['coverage_by_step'][0] is None and one['least_coverage'] is not None,
          one)
    few = f.run('--data', 'series.csv', *SMALL, *SOME, '--backtest', 1, '--intervals', 80, '--split',
                '0.9,0.02,0.08')
    check('too few errors', few.returncode == 0 and 'intervals were not measured' in few.stdout, few)


def main(program, script):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        write_series(script, f.directory)
        test_refit(f)
        test_keep(f)
        test_update(f)
        test_after(f)
        test_intervals(f)
        test_refused(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
