#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Table files, and forecasts of many files: usage test_forecast_disk.py FORECAST SERIES.py
"""

import csv
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from file_events import Folder, has, has_new
from test_forecast import SMALL, Forecast, check, failures, write_series

LINEAR = ['--model', 'linear', '--no-baselines']


def close(a, b, most=1e-4):
    return a is not None and b is not None and abs(a - b) <= most * abs(b)


def alike(a, b):
    """Two cells of forecasts. One may be so near 0 that nothing is left of it but rounding."""
    return abs(float(a) - float(b)) <= 1e-4 * abs(float(b)) + 1e-6


def test_convert(f):
    """A table file gives what its CSV file gives."""
    done = f.run('--data', 'series.csv', '--convert', 'series.fgt')
    check('--convert', done.returncode == 0 and '400 rows, 7 columns, 0 missing values' in done.stdout, done)
    plain = f.measured(*LINEAR, '--predict', 'plain.csv', '--intervals', 80)
    disk = f.measured('--data', 'series.fgt', *LINEAR, '--predict', 'disk.csv', '--intervals', 80,
                      '--save', 'disk.st')
    for key in ('test_mse', 'val_mse', 'test_mase', 'train_windows', 'test_windows'):
        check(f'a table file: {key}', close(disk[key], plain[key]), (disk[key], plain[key]))
    rows = [list(csv.reader((f.directory / name).open())) for name in ('plain.csv', 'disk.csv')]
    check('--predict from a table file', [r[0] for r in rows[0]] == [r[0] for r in rows[1]], rows)
    check('--predict from a table file', all(alike(a, b)
          for p, q in zip(rows[0][1:], rows[1][1:]) for a, b in zip(p[1:], q[1:])), rows)
    check('the data of a report', (disk['data']['first'], disk['data']['rows']) ==
          ('2016-07-01 00:00:00', 400), disk)
    trained = f.measured('--data', 'series.fgt', '--no-baselines', '--resident', 1)
    again = f.measured('--data', 'series.fgt', '--no-baselines', '--resident', 1)
    check('the same weights', trained['weights_hash'] == again['weights_hash'], (trained, again))
    for option in (['--plot', 'x.svg'], ['--backtest', 2], ['--auto'], ['--report', 'x.html']):
        f.refused(f'{option} of a table file', [option[0], 'stays on disk'], '--data', 'series.fgt', *option)
    f.refused('two table files', ['cannot be joined'], '--data', 'series.fgt', '--data', 'series.csv')
    f.refused('--convert and --load', ['--convert'], '--data', 'series.csv', '--convert', 'x.fgt',
              '--load', 'disk.st')
    for more in (['--save', 'x.st'], ['--predict', 'x.csv'], ['--backtest', 2], ['--auto'], ['--resume', 'c'],
                 ['--static', 's.csv'], ['--holidays', 'h.csv']):
        f.refused(f'--convert and {more[0]}', ['--convert', more[0]], '--data', 'series.csv', '--convert',
                  'x.fgt', *more)
    f.refused('--convert onto the data', ['overwritten'], '--data', 'series.csv', '--convert', 'series.csv')


def test_reading(f):
    """How a table file was read is settled: what says it otherwise is refused, and doubts are said."""
    data = ['--data', 'series.fgt']
    for option in (['--missing-value', -9999], ['--missing', 'fill'], ['--repair', 'ignore'],
                   ['--time', 'none'], ['--time-form', 'iso'], ['--delimiter', 'comma'], ['--decimal-comma'],
                   ['--long', 'none']):
        f.refused(f'{option} of a table file', ['series.fgt: ', option[0], '--convert'], *data, *option)
        f.refused(f'{option} of a table file', ['series.fgt: ', option[0]], *data, *option, '--load',
                  'disk.st', '--predict-all', 'x.csv')
    f.measured(*data, *LINEAR, '--missing', 'mask')
    head, *rows = (f.directory / 'series.csv').read_text().strip().split('\n')
    for i in range(80, 90):
        rows[i] = rows[i].rsplit(',', 1)[0] + ',-9999'
    (f.directory / 'nines.csv').write_text('\n'.join([head, *rows]) + '\n')
    seen = 'nines.csv: "OT" is -9999 in 10 rows, first at 2016-07-04 08:00:00'
    done = f.run('--data', 'nines.csv', '--convert', 'nines.fgt')
    check('-9999', seen in done.stderr and 'convert the data with --missing-value -9999' in done.stderr, done)
    done = f.run('--data', 'nines.fgt', *LINEAR, *SMALL)
    check('-9999', seen.replace('csv', 'fgt') in done.stderr, done)
    done = f.run('--data', 'nines.csv', '--missing-value', -9999, '--missing', 'mask', '--convert', 'n.fgt')
    check('-9999', done.stderr == '' and ' 10 missing values' in done.stdout, done)


def test_long(f):
    """Files that cannot be read row by row are converted in memory."""
    rows = [f'{name},2016-07-{day:02},{day}' for name in 'ab' for day in range(1, 29)]
    (f.directory / 'long.csv').write_text('\n'.join(['unique_id,ds,y', *rows]) + '\n')
    done = f.run('--data', 'long.csv', '--convert', 'long.fgt')
    check('a long file', done.returncode == 0 and '28 rows, 2 columns' in done.stdout, done)


def test_killed(f, lines):
    """A conversion that is killed leaves the old file, and the next one succeeds."""
    (f.directory / 'large.csv').write_text('\n'.join(lines[:1] + [
        f'{r},' + ','.join(['1.5'] * (lines[0].count(','))) for r in range(400000)]) + '\n')
    (f.directory / 'large.fgt').write_text('old')
    command = [f.program, '--data', 'large.csv', '--time', 'none', '--convert', 'large.fgt']
    for size in (-1, 1000000):
        with Folder(f.directory) as folder:
            part = has_new(f.directory, '*.fgt-tmp*', size)
            with subprocess.Popen(command, cwd=f.directory, env=f.env, stdout=subprocess.DEVNULL) as p:
                begun = folder.wait(p, part)
                p.kill()
        check('it had begun', begun, size)
        check('killed', p.returncode == 0 or (f.directory / 'large.fgt').read_text() == 'old')
    done = f.run(*command[1:])
    check('after a kill', done.returncode == 0 and '400000 rows' in done.stdout, done)
    check('no temporary file', not list(f.directory.glob('*.fgt-tmp*')), list(f.directory.glob('*')))


def test_all(f):
    """What many files give is what each of them gives."""
    load = ['--load', 'disk.st']
    series = (f.directory / 'series.csv').read_text().split('\n')
    (f.directory / 'other.csv').write_text('\n'.join(series[:301]) + '\n')
    done = f.run(*load, '--data', 'series.csv', '--data', 'other.csv', '--predict-all', 'all.csv')
    check('--predict-all', done.returncode == 0 and '2 forecasts from 2 files' in done.stdout, done)
    rows = list(csv.reader((f.directory / 'all.csv').open()))
    check('--predict-all', rows[0][:3] == ['file', 'origin', 'step'] and len(rows) == 25, rows[:3])
    check('the order of files', [r[0] for r in rows[1:]] == ['1'] * 12 + ['2'] * 12, rows)
    one = list(csv.reader((f.directory / 'plain.csv').open()))
    check('its first forecast', all(alike(a, b)
          for p, q in zip(rows[1:13], one[1:]) for a, b in zip(p[3:], q[1::3])), (rows[1], one[1]))
    texts = []
    for data in ('series.csv', 'series.fgt'):
        done = f.run(*load, '--data', data, '--every', 7, '--predict-all', 'every.csv')
        check('--every', done.returncode == 0 and 'forecasts from 1 file in' in done.stdout, done)
        texts.append(list(csv.reader((f.directory / 'every.csv').open())))
    check('from a table file', [r[:2] for r in texts[0]] == [r[:2] for r in texts[1]], texts[1][:2])
    check('from a table file', all(alike(a, b)
          for p, q in zip(texts[0][1:], texts[1][1:]) for a, b in zip(p[2:], q[2:])), texts[1][:2])
    made = f.measured('--data', 'series.csv', '--convert', 'json.fgt')
    check('--convert --json', made == {'file': 'json.fgt', 'rows': 400, 'columns': 7, 'missing': 0,
                                       'values_filled': 0, 'rows_added': 0, 'rows_removed': 0,
                                       'rows_in_conflict': 0}, made)
    made = f.measured('--data', 'series.csv', *load, '--predict-all', 'json.csv')
    check('--predict-all --json', (made['forecasts'], made['files']) == (1, 1) and made['seconds'] > 0, made)
    f.refused('--predict-all alone', ['--load'], '--data', 'series.csv', '--predict-all', 'x.csv')
    f.refused('--predict-all and --predict', ['--predict-all'], *load, '--data', 'series.csv',
              '--predict-all', 'x.csv', '--predict', 'y.csv')


def test_labels(f):
    """A label of any length and with any character is a cell of --predict-all."""
    head, *rows = (f.directory / 'series.csv').read_text().strip().split('\n')
    labels = [f'{"long " * 80}"{i}", text' for i in range(len(rows))]
    with (f.directory / 'labels.csv').open('w') as out:
        csv.writer(out, lineterminator='\n').writerows(
            [head.split(','), *([label, *row.split(',')[1:]] for label, row in zip(labels, rows))])
    ignore = ['--data', 'labels.csv', '--repair', 'ignore']
    f.measured(*ignore, *LINEAR, '--save', 'labels.st')
    done = f.run(*ignore, '--load', 'labels.st', '--every', 50, '--predict-all', 'all.csv')
    check('labels', done.returncode == 0, done)
    got = list(csv.reader((f.directory / 'all.csv').open()))
    check('labels', [(r[0], len(r)) for r in got[1:]] ==
          [(labels[i - 1], 9) for i in range(24, len(rows), 50) for _ in range(12)], got[1])


def test_left_out(f):
    """Forecasts from nothing are left out and counted; a file of other rows is refused."""
    head, *rows = (f.directory / 'series.csv').read_text().strip().split('\n')

    def run(name, lines, *more):
        (f.directory / name).write_text('\n'.join([head, *lines]) + '\n')
        # what was done before a file is refused stays, for a run that goes on
        for old in f.directory.glob('x.csv*'):
            old.unlink()
        return ['--load', 'disk.st', '--data', 'series.csv', '--data', name, '--predict-all', 'x.csv', *more]

    days = [f'2016-{1 + i // 28:02}-{1 + i % 28:02},{row.split(",", 1)[1]}' for i, row in enumerate(rows)]
    for every in ([], ['--every', 7]):
        f.refused('a daily file', ['day.csv: ', 'got 1 day, need 1 hour'], *run('day.csv', days[:28], *every))
    empty = [','.join(['', *row.split(',')[2:]]) for row in rows]
    gap = [f'{row.split(",")[0]},{empty[i]}' if 100 <= i < 130 else row for i, row in enumerate(rows)]
    done = f.run(*run('gap.csv', gap, '--missing', 'mask', '--every', 1))
    check('no value', done.returncode == 0 and '747 forecasts from 2 files' in done.stdout, done)
    check('no value', 'gap.csv: 7 forecasts left out, the first because "HUFL" has no value' in done.stderr,
          done)
    done = f.run(*run('few.csv', rows[:20]))
    check('few rows', done.returncode == 0 and '1 forecasts from 2 files' in done.stdout, done)
    check('few rows', 'few.csv: no forecast, because 20 rows' in done.stderr, done)
    (f.directory / 'names.csv').write_text('\n'.join([head.replace(',', ',other '), *rows]) + '\n')
    f.refused('no such column', ['names.csv: ', '"HUFL"'], '--load', 'disk.st', '--data', 'names.csv',
              '--predict-all', 'x.csv')


def test_without_effect(f):
    """Options that --predict-all would ignore."""
    for more in (['--static', 's.csv'], ['--season', 24], ['--split', '0.7,0.1,0.2'], ['--describe']):
        f.refused(f'--predict-all and {more[0]}', [more[0], 'not for it'], '--load', 'disk.st', '--data',
                  'series.csv', '--predict-all', 'y.csv', *more)


def test_spared(f):
    """What --predict-all writes beside its file is not its data."""
    for name in ('y.csv.part', 'y.csv.state'):
        (f.directory / name).write_bytes((f.directory / 'series.csv').read_bytes())
        f.refused(name, [name, 'overwritten'], '--load', 'disk.st', '--data', name, '--predict-all', 'y.csv')
        check(f'{name} stays', (f.directory / name).read_bytes() == (f.directory / 'series.csv').read_bytes())
        (f.directory / name).unlink()


def test_long_input(f):
    """The rows at the end that are in memory are as many as a window has."""
    rows = [f'{1 + i % 24 + i % 7}' for i in range(20100)]
    (f.directory / 'tall.csv').write_text('\n'.join(['a', *rows]) + '\n')
    done = f.run('--data', 'tall.csv', '--time', 'none', '--convert', 'tall.fgt')
    check('a tall file', done.returncode == 0, done)
    done = f.run('--data', 'tall.fgt', '--split', 'rows:20040,30,30', '--input', 20010, '--pred', 12, '--dim',
                 8, '--epochs', 1, '--no-baselines', '--predict', 'tall_next.csv')
    check('a window longer than the tail', done.returncode == 0 and (f.directory / 'tall_next.csv').exists(),
          done.stderr)


def interrupt(f, options, name):
    """Begins to write a file, and is interrupted; returns the exit status and what is said."""
    part = f.directory / f'{name}.part'
    with Folder(f.directory) as folder, \
            subprocess.Popen([f.program, *map(str, options), '--predict-all', name], cwd=f.directory,
                             env=f.env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             text=True) as p:
        folder.wait(p, has(part, 100000))
        p.send_signal(signal.SIGINT)
        said = p.communicate()[1]
    return p.returncode, said


def test_goes_on(f, lines):
    """An interrupted run ends with the bytes of one that was not interrupted."""
    (f.directory / 'full.csv').write_text('\n'.join(lines))
    options = ['--load', 'disk.st', '--every', 1] + ['--data', 'full.csv'] * 6
    done = f.run(*options, '--predict-all', 'whole.csv')
    check('whole', done.returncode == 0, done)
    part = f.directory / 'broken.csv.part'
    status, said = interrupt(f, options, 'broken.csv')
    check('interrupted', status == 130 and 'goes on with' in said, (status, said))
    check('interrupted', part.exists() and not (f.directory / 'broken.csv').exists())
    with part.open('a') as more:
        more.write('what a kill may leave')
    f.refused('other options', ['another model'], *options[:2], '--every', 2, *options[4:],
              '--predict-all', 'broken.csv')
    for more in (['--missing', 'mask'], ['--missing-value', -9999], ['--repair', 'all'], ['--time', 'date'],
                 ['--time-form', 'iso'], ['--delimiter', 'comma'], ['--decimal-comma'], ['--long', 'none'],
                 ['--long', 'a,b,c'], ['--products', 'blis']):
        f.refused(f'{more} now', ['another model'], *options, *more, '--predict-all', 'broken.csv')
    done = f.run(*options, '--predict-all', 'broken.csv')
    check('goes on', done.returncode == 0 and 'goes on after' in done.stderr, done)
    files = [(f.directory / name).read_bytes() for name in ('broken.csv', 'whole.csv')]
    check('the same bytes', files[0] == files[1], [len(b) for b in files])
    check('nothing is left', not part.exists() and not (f.directory / 'broken.csv.state').exists())


def test_other_holidays(f):
    """A run goes on only with the model that it began with, of which the weights are a part."""
    head, *rows = (f.directory / 'series.csv').read_text().strip().split('\n')
    (f.directory / 'day.csv').write_text('\n'.join(
        [head, *(f'2016-01-{1 + i:02},{row.split(",", 1)[1]}' for i, row in enumerate(rows[:28]))]) + '\n')
    for name, day in ('one.csv', '2016-07-05'), ('two.csv', '2016-07-09'):
        (f.directory / name).write_text(f'day\n{day}\n2016-07-14\n')
    f.measured('--data', 'series.csv', '--no-baselines', *SMALL, '--holidays', 'one.csv', '--save', 'h.st')
    begun = ['--load', 'h.st', '--data', 'series.csv', '--data', 'day.csv', '--predict-all', 'h.csv']
    f.refused('a daily file', ['day.csv: '], *begun)
    check('nothing is left', not list(f.directory.glob('h.csv.*')))
    begun = ['--load', 'h.st', '--every', 1, *['--data', 'full.csv'] * 6]
    check('interrupted', interrupt(f, begun, 'h.csv')[0] == 130)
    begun += ['--predict-all', 'h.csv']
    state = f.directory / 'h.csv.state'
    key, *numbers = state.read_text().split()
    for first in '-100000', '7':
        state.write_text(' '.join([key, first, *numbers[1:]]))
        f.refused('a damaged state', ['h.csv.state is damaged'], *begun)
        check('a damaged state', not (f.directory / 'h.csv').exists())
    state.write_text(' '.join([key, *numbers]))
    done = f.run('--load', 'h.st', '--data', 'series.csv', '--holidays', 'two.csv', '--save', 'h.st')
    check('other holidays', done.returncode == 0, done)
    f.refused('other holidays', ['another model'], *begun)


def main(program, script):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        lines = write_series(script, f.directory)
        test_convert(f)
        test_reading(f)
        test_long(f)
        test_killed(f, lines)
        test_all(f)
        test_labels(f)
        test_left_out(f)
        test_without_effect(f)
        test_spared(f)
        test_long_input(f)
        test_goes_on(f, lines)
        test_other_holidays(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
