#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the errors of the map in closed form of the program `forecast` are made of, and what was to be
gained by choosing better, over all test windows. Errors are mean squared, of values in standard deviations of
the training rows; parts are shares of them. docs/results/programs.md has what it printed. Needs numpy.

- bias: the mean error of each series and step.
- level: the mean error of each window and series; days: that of each day of it.
- a quarter: the error of the first, second, ... quarter of the steps.
- hindsight: the look-back that is best on the test rows, one for all, for each series, for each series and
  step, and the best mean of all of them for each series.
- one regression: a ridge regression of each series above the mean of its last day, learned from all rows
  before the test rows, and from these and three of four equal parts of the test rows, while the fourth is the
  test. So the second one knows the season that is foretold. The penalty is chosen in hindsight."""
import argparse
import csv
import itertools
import os
import sys
import tempfile

import numpy as np

import record

PENALTIES = (1e-3, 1e-2, 1e-1, 1)


def read(args):
    """The rows up to the end of the test rows, standardised, and the deviations of the training rows."""
    with open(args.data, newline='', encoding='utf-8') as file:
        rows = csv.reader(file)
        next(rows)
        x = np.array([[float(v) for v in row[1:]] for row in itertools.islice(rows, sum(args.rows))])
    train = x[:args.rows[0]]
    return (x - train.mean(0)) / train.std(0), train.std(0)


def errors_of(args, look, scale, folder):
    """truth - forecast [windows,C,H] of a look-back."""
    path = os.path.join(folder, 'forecasts.csv')
    words = [record.program(args, 'forecast'), '--data', args.data, '--split',
             'rows:' + ','.join(str(n) for n in args.rows), '--pred', str(args.pred), '--input', str(look),
             '--model', 'linear', '--threads', '1', '--no-baselines', '--json', '--forecasts', path]
    record.execute(words)
    with open(path, encoding='utf-8') as file:
        names = next(file).strip().split(',')
        values = np.loadtxt(file, delimiter=',', usecols=(names.index('forecast'), names.index('truth')))
    os.remove(path)
    e = (values[:, 1] - values[:, 0]).reshape(-1, len(scale), args.pred)
    return e / scale[:, None]


# ---- what an error is made of ----

def parts(e, day):
    total = (e ** 2).mean()
    days = e[..., :e.shape[-1] // day * day].reshape(*e.shape[:2], -1, day).mean(-1)
    shares = [(e.mean(0) ** 2).mean(), (e.mean(-1) ** 2).mean(), (days ** 2).mean()]
    steps = [(q ** 2).mean() for q in np.array_split(e, 4, axis=-1)]
    return [f'{total:.4f}', *(f'{s / total:.2f}' for s in shares), *(f'{s:.3f}' for s in steps)]


# ---- what was to be gained by choosing ----

def best_mean(e):
    """The least error of a mean of the forecasts, weights not negative; e [forecasts,windows,H]."""
    product = np.einsum('iwh,jwh->ij', e, e) / e[0].size
    steps = np.linspace(0, 1, 21)
    grids = itertools.product(steps, repeat=len(e) - 1)
    weights = [np.array([*g, 1 - sum(g)]) for g in grids if sum(g) <= 1]
    return min(w @ product @ w for w in weights)


def hindsight(e):
    """e [look-backs,windows,C,H]"""
    squares = (e ** 2).mean(1)
    return [squares.mean((1, 2)).min(), squares.mean(2).min(0).mean(), squares.min(0).mean(),
            np.mean([best_mean(e[:, :, c]) for c in range(e.shape[2])])]


# ---- what the same months teach ----

class Regression:
    """Of the h rows behind a window on the window, in one series."""

    def __init__(self, args, s, first):
        self.look, self.h, self.day = args.same, args.pred, args.day
        self.s, self.first = s, first
        self.before = self.moments(np.arange(self.look, first - self.h + 1))

    def windows(self, at):
        x = np.stack([self.s[i - self.look:i] for i in at])
        level = x[:, -self.day:].mean(1, keepdims=True)
        return x - level, np.stack([self.s[i:i + self.h] for i in at]) - level

    def moments(self, at):
        x, y = self.windows(at)
        return x.T @ x, x.T @ y

    def squares(self, test, more):
        """Sums over the windows `test`, for each penalty, learned from those `more` as well."""
        g, m = self.before
        if len(more):
            g, m = g + self.moments(more)[0], m + self.moments(more)[1]
        x, y = self.windows(test)
        ridge = np.trace(g) / self.look * np.eye(self.look)
        return np.array([((y - x @ np.linalg.solve(g + p * ridge, m)) ** 2).sum() for p in PENALTIES])


def regressions(args, z):
    """Errors of that of the rows before, and of that which has seen the other months."""
    first, h = sum(args.rows[:2]), args.pred
    at = np.arange(first, len(z) - h + 1)
    sums = np.zeros((2, len(PENALTIES)))
    for s in z.T:
        one = Regression(args, s, first)
        for test in np.array_split(at, 4):
            apart = at[(at + h <= test[0]) | (at >= test[-1] + h)]  # no row is foretold in both
            sums += one.squares(test, []), one.squares(test, apart)
    return sums.min(1) / (len(at) * z.shape[1] * h)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', help='folder of the build')
    p.add_argument('--data', required=True, help='CSV file: times, then series')
    p.add_argument('--rows', type=record.numbers, default=[8640, 2880, 2880],
                   help='training, validation, test; default: %(default)s, those of ETTh')
    p.add_argument('--pred', type=int, default=96)
    p.add_argument('--day', type=int, default=24, help='rows of a day')
    p.add_argument('--inputs', type=record.numbers, default=[96, 336, 720], help='look-backs')
    p.add_argument('--same', type=int, default=336, help='look-back of the one regression')
    args = p.parse_args()
    z, scale = read(args)
    with tempfile.TemporaryDirectory() as folder:
        e = np.stack([errors_of(args, look, scale, folder) for look in args.inputs])
    print('| look-back | MSE | bias | level | days | quarters of the steps | | | |\n'
          '|---:|---:|---:|---:|---:|---:|---:|---:|---:|')
    for look, one in zip(args.inputs, e):
        print('| ' + ' | '.join([str(look), *parts(one, args.day)]) + ' |')
    print('hindsight: for all {:.4f}, each series {:.4f}, each series and step {:.4f}, best mean {:.4f}'
          .format(*hindsight(e)))
    print('one regression: of the rows before {:.4f}, with the other months {:.4f}'
          .format(*regressions(args, z)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
