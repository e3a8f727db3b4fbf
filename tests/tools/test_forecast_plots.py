#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the plots of the forecast program show, as far as an SVG file says it: usage test_forecast_plots.py
FORECAST SERIES.py

Texts are drawn as glyphs, so lines are told by their colours and counted by their points.
"""

import re
import sys
import tempfile
from pathlib import Path

from test_forecast import Forecast, SMALL, check, failures, write_series

BLUE, VERMILION, GREEN, GREY = 'rgb(0%,44', 'rgb(83', 'rgb(0%,6', ('rgb(48', 'rgb(47')
# cairo writes the colour as an attribute or, before 1.17.6, in a style
STROKE = re.compile(r'stroke[:=]"?(rgb[^;"]*)')
POINTS = re.compile(r' d="([^"]*)"')


def lines(f, name):
    """(colour, number of points) of all lines."""
    found = []
    for path in re.findall('<path [^>]*>', (f.directory / name).read_text()):
        stroke = STROKE.search(path)
        if stroke:
            found.append((stroke[1].replace(' ', ''), len(re.findall('[ML]', POINTS.search(path)[1]))))
    return found


def count(drawn, colour, points):
    return sum(1 for c, n in drawn if c.startswith(colour) and n == points)


def plot(f, *args):
    f.measured('--plot', 'p.svg', *args)
    return lines(f, 'p.svg')


def test_series(f):
    for names, panels in (('OT', 1), ('OT,HUFL', 2), ('all', 7), (None, 3)):
        drawn = plot(f, '--no-baselines', *(['--plot-series', names] if names else []))
        # two windows of 24 and 12 rows for each series; the forecast's line has 12 points
        check(f'--plot-series {names}', count(drawn, GREY, 24) == 2 * panels, drawn)
        check(f'--plot-series {names}', count(drawn, BLUE, 13) == 2 * panels, drawn)
        check(f'--plot-series {names}', count(drawn, VERMILION, 12) == 2 * panels + 1, drawn)
    f.refused('no such series', ['--plot-series', 'nobody'], '--data', 'series.csv', *SMALL, '--plot',
              'p.svg', '--plot-series', 'OT,nobody')
    f.refused('no plot', ['--plot'], '--data', 'series.csv', '--plot-series', 'OT')


def test_curves(f):
    """Lines by step have 12 points, in other colours than the windows; those by epoch one for each epoch."""
    drawn = plot(f, '--plot-series', 'OT', '--epochs', 5, '--patience', -1)
    check('errors of the baselines by step', count(drawn, GREEN, 12) == count(drawn, BLUE, 12) == 1 and
          count(drawn, GREY, 12) == 1, drawn)
    check('losses by epoch', count(drawn, GREY, 5) == count(drawn, VERMILION, 5) == 1, drawn)
    f.measured('--save', 'm.safetensors')
    drawn = plot(f, '--plot-series', 'OT', '--load', 'm.safetensors')
    check('a loaded model has no losses', not count(drawn, VERMILION, 5), drawn)
    drawn = plot(f, '--plot-series', 'OT', '--backtest', 3)
    check('a backtest', count(drawn, VERMILION, 12) == 2 and count(drawn, GREEN, 12) == 1, drawn)


def test_next(f):
    """With --predict a third window follows the data; rows that are known are drawn there."""
    f.measured('--save', 'm.safetensors')
    drawn = plot(f, '--load', 'm.safetensors', '--plot-series', 'OT', '--predict', 'next.csv')
    check('three windows', count(drawn, GREY, 24) == 3 and count(drawn, BLUE, 13) == 2, drawn)
    done = f.run('--data', 'short.csv', '--load', 'm.safetensors', '--predict', 'n.csv', '--plot', 'p.svg')
    check('without test rows', done.returncode == 0 and count(lines(f, 'p.svg'), VERMILION, 12) == 3, done)


def test_future(f):
    """Targets that --future has are the truth of the third window, wherever they stand in that file."""
    lines_of = (f.directory / 'series.csv').read_text().splitlines()
    (f.directory / 'begin.csv').write_text('\n'.join(lines_of[:361]) + '\n')
    (f.directory / 'rest.csv').write_text('\n'.join(lines_of[:1] + lines_of[355:]) + '\n')
    args = ['--data', 'begin.csv', '--plot-series', 'OT', '--predict', 'next.csv']
    before, after = plot(f, *args), plot(f, *args, '--future', 'rest.csv')
    check('without the future', count(before, BLUE, 13) == 2, before)
    check('with the future', count(after, BLUE, 13) == 3, after)


def test_untrained(f):
    """Without training: the last 12 rows and what follows, each after two days, and two baselines by step. A
    point on the line of its neighbours may be left out."""
    def near(drawn, colour, points):
        return count(drawn, colour, points) + count(drawn, colour, points - 1)
    args = ['--fast', '--data', 'series.csv', '--pred', '12', '--plot', 'p.svg', '--plot-series']
    done = f.run(*args, 'OT,HUFL')
    drawn = lines(f, 'p.svg')
    check('without training', done.returncode == 0 and near(drawn, GREY, 48) == 4 and
          near(drawn, BLUE, 13) == 2 and near(drawn, VERMILION, 12) == 5, drawn)
    check('baselines by step', count(drawn, GREEN, 12) == count(drawn, GREY, 12) == 1, drawn)
    f.refused('no such series', ['--plot-series', 'nobody'], *args, 'OT,nobody')
    (f.directory / 'few.csv').write_text('ds,y\n2020-01-01,1\n2020-02-01,2\n2020-03-01,4\n')
    done = f.run('--data', 'few.csv', '--pred', '12', '--plot', 'p.svg')
    drawn = lines(f, 'p.svg')
    check('too short for errors', done.returncode == 0 and
          sum(c.startswith(VERMILION) and n > 2 for c, n in drawn) == 1, drawn)


def main(program, script):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(program, Path(directory))
        write_series(script, f.directory)
        test_series(f)
        test_curves(f)
        test_next(f)
        test_future(f)
        test_untrained(f)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
