#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the program `forecast` on made series beside those of four simple rules: the last value, the
value of a period ago, a ridge regression of all series, and a map between whole periods.
docs/results/programs.md has what it printed. Needs numpy."""
import argparse
import datetime
import os
import re
import sys
import tempfile
from typing import Callable, NamedTuple

import numpy as np

import record

STEPS = {'hour': datetime.timedelta(hours=1), 'day': datetime.timedelta(days=1),
         'week': datetime.timedelta(weeks=1)}
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1, 10)


# ---- series ----

def walks(g, n):
    return g.normal(size=(n, 3)).cumsum(0)


def rates(g, n):
    """Eight exchange rates: what all have in common, and heavier tails of their own."""
    steps = 0.5 * g.normal(size=(n, 1)) + g.standard_t(5, size=(n, 8)) / 1.3
    return 100 * np.exp(0.006 * steps.cumsum(0))


def remembering(noise):
    """x_t = 0.9 x_{t-1} + e_t"""
    x = noise.copy()
    for i in range(1, len(x)):
        x[i] = 0.9 * x[i - 1] + noise[i]
    return x


def autoregression(g, n):
    return remembering(g.normal(size=(n, 3)))


def noise(g, n):
    return g.normal(size=(n, 3))


def shifts(g, n):
    """A day, lower weekends, levels that jump every 25 days."""
    t = np.arange(n)[:, None]
    day = wave(g, t, 24) - 1.5 * (t // 24 % 7 >= 5)
    jumps = (g.uniform(size=(n, 3)) < 1 / 600) * g.normal(0, 2, size=(n, 3))
    return day + jumps.cumsum(0) + 0.5 * g.normal(size=(n, 3))


def counts(g, n):
    t = np.arange(n)[:, None]
    return g.poisson(np.exp(1 + wave(g, t, 24) + 0.4 * (t // 24 % 7 >= 5))).astype(float)


def waves(g, n):
    """Sharp yearly waves, each of another height, as of influenza."""
    t = np.arange(n)
    height = np.exp(g.normal(0, 0.3, size=(n // 52 + 2, 3)))[t // 52]
    x = height * np.exp(2 * wave(g, t[:, None], 365.25 / 7))
    return x * np.exp(remembering(g.normal(0, 0.1, size=(n, 3))))


def weeks(g, n):
    return 2 * wave(g, np.arange(n)[:, None], 7) + 0.3 * walks(g, n) + 0.5 * g.normal(size=(n, 3))


def years(g, n):
    t = np.arange(n)[:, None]
    return wave(g, t, 7) + 2 * wave(g, t, 365.25) + 0.05 * walks(g, n) + 0.5 * g.normal(size=(n, 3))


def wave(g, t, period, series=3):
    return np.sin(2 * np.pi * t / period + g.uniform(0, 6, series))


# ---- series of other hands, as it were ----

def walk(g, n):
    return g.normal(size=(n, 1)).cumsum(0)


def noisy_walks(g, n):
    return walks(g, n) + 2 * g.normal(size=(n, 3))


def walks_and_week(g, n):
    t = np.arange(n)[:, None]
    return g.normal(size=(n, 4)).cumsum(0) + wave(g, t, 7, 4)


def rates_in_bursts(g, n):
    """Eight exchange rates whose steps are correlated, and calm or lively for a while (GARCH)."""
    common = g.normal(size=(n, 1))
    z = 0.6 * common + 0.8 * g.standard_t(6, size=(n, 8)) / np.sqrt(1.5)
    steps, variance = np.empty((n, 8)), np.ones(8)
    for i in range(n):
        steps[i] = np.sqrt(variance) * z[i]
        variance = 0.03 + 0.06 * steps[i] ** 2 + 0.91 * variance
    return 100 * np.exp(0.006 * steps.cumsum(0))


def noisy_rates(g, n):
    x = np.log(rates_in_bursts(g, n))
    return x + 0.006 * g.normal(size=x.shape)


def influenza(g, n):
    """Waves whose heights and weeks differ from year to year, less so among seven regions."""
    t, k, year = np.arange(n), 7, 365.25 / 7
    season = (t / year).astype(int)
    years = season.max() + 1
    height = np.exp(g.normal(0, 0.5, size=(years, 1)) + g.normal(0, 0.25, size=(years, k)))
    late = g.normal(0, 3, size=(years, 1)) + g.normal(0, 1, size=(years, k))
    weeks_off = (t % year)[:, None] - 26 - late[season]
    x = 0.8 + height[season] * np.exp(-0.5 * (weeks_off / 5) ** 2) * 3
    x = x + 0.3 * np.cos(2 * np.pi * t[:, None] / 52.18)
    noise = np.apply_along_axis(lambda c: remembering(c[:, None])[:, 0], 0, g.normal(0, 0.05, size=(n, k)))
    return x * (1 + 0.3 * (t / n)[:, None]) * np.exp(noise)


def few_counts(g, n):
    """Ten articles, some sold once a week, with a week and a year."""
    t = np.arange(n)[:, None]
    level = np.exp(g.normal(-0.8, 0.8, size=(1, 10)))
    return g.poisson(level * np.exp(0.5 * np.sin(2 * np.pi * (t + 2) / 7))
                     * np.exp(0.3 * np.sin(2 * np.pi * t / 365.25))).astype(float)


def daily_shifts(g, n):
    """A week, levels that jump every 150 days."""
    t = np.arange(n)[:, None]
    jumps = (g.uniform(size=(n, 5)) < 1 / 150) * g.normal(0, 2, size=(n, 5))
    return jumps.cumsum(0) + 0.7 * wave(g, t, 7, 5) + 0.5 * g.normal(size=(n, 5))


def short(series):
    def make(g, n):
        t = np.arange(n)[:, None]
        return wave(g, t, 7, series) + remembering(g.normal(size=(n, series)))
    return make


def trends(g, n):
    t = np.arange(n)[:, None]
    return (3 * t / n * g.uniform(0.5, 1.5, 4) + wave(g, t, 24, 4) * g.uniform(0.5, 1.5, 4)
            + 0.25 * remembering(g.normal(size=(n, 4))))


def one_noise(g, n):
    return g.normal(size=(n, 1))


def momentum(g, n):
    """Steps remember those before them."""
    steps, e = np.zeros((n, 3)), g.normal(size=(n, 3))
    for i in range(1, n):
        steps[i] = 0.98 * steps[i - 1] + 0.1 * e[i]
    return steps.cumsum(0) + 0.3 * g.normal(size=(n, 3))


def days_and_memory(g, n):
    t = np.arange(n)[:, None]
    return wave(g, t, 24) + remembering(g.normal(size=(n, 3)))


class Made(NamedTuple):
    name: str
    make: Callable
    rows: int
    step: str
    period: int
    horizon: int
    look: int  # of the ridge regression


# A draw depends on the place in this list.
SETS = [
    Made('random walks, 300', walks, 300, 'day', 7, 14, 48),
    Made('random walks, 3000', walks, 3000, 'day', 7, 96, 96),
    Made('random walks, 6000', walks, 6000, 'hour', 24, 96, 96),
    Made('x_t = 0.9 x_{t-1} + noise', autoregression, 4000, 'hour', 24, 48, 96),
    Made('noise', noise, 2000, 'hour', 24, 24, 96),
    Made('days, weekends and shifts of the level', shifts, 6000, 'hour', 24, 96, 96),
    Made('counts', counts, 6000, 'hour', 24, 96, 96),
    Made('exchange rates', rates, 3000, 'day', 7, 96, 96),
    Made('yearly waves', waves, 966, 'week', 52, 24, 96),
    Made('weeks and a walk', weeks, 300, 'day', 7, 14, 48),
    Made('weeks, years and a walk', years, 1500, 'day', 7, 28, 96),
    Made('rates in bursts, 7588', rates_in_bursts, 7588, 'day', 7, 96, 96),
    Made('rates in bursts, 2000', rates_in_bursts, 2000, 'day', 7, 96, 96),
    Made('influenza, 24', influenza, 900, 'week', 52, 24, 96),
    Made('influenza, 36', influenza, 900, 'week', 52, 36, 96),
    Made('influenza, 60', influenza, 900, 'week', 52, 60, 96),
    Made('counts, most of them 0', few_counts, 730, 'day', 7, 28, 56),
    Made('weeks and shifts of the level', daily_shifts, 1500, 'day', 7, 30, 96),
    Made('one series, 300', short(1), 300, 'day', 7, 14, 48),
    Made('eight series, 300', short(8), 300, 'day', 7, 14, 48),
    Made('days and trends', trends, 5000, 'hour', 24, 48, 96),
    Made('walks and a week', walks_and_week, 2000, 'day', 7, 28, 96),
    Made('one walk, 300', walk, 300, 'day', 7, 14, 48),
    Made('one walk, 1000', walk, 1000, 'hour', 24, 24, 96),
    Made('one noise, 300', one_noise, 300, 'day', 7, 14, 48),
    Made('momentum', momentum, 1500, 'hour', 24, 24, 96),
    Made('random walks, 2000', walks, 2000, 'hour', 24, 96, 96),
    Made('random walks, 12000', walks, 12000, 'hour', 24, 96, 96),
    Made('days and memory', days_and_memory, 3000, 'hour', 24, 24, 96),
    Made('rates in bursts, 24', rates_in_bursts, 2000, 'day', 7, 24, 96),
    Made('noisy walks, 6000', noisy_walks, 6000, 'hour', 24, 96, 96),
    Made('noisy walks, 1000', noisy_walks, 1000, 'day', 7, 28, 96),
    Made('noisy rates in bursts', noisy_rates, 3000, 'day', 7, 48, 96),
]


def write_csv(path, x, step):
    at = datetime.datetime(2001, 1, 1)
    with open(path, 'w', encoding='utf-8') as out:
        out.write('date,' + ','.join(f's{i}' for i in range(x.shape[1])) + '\n')
        for row in x:
            out.write(f'{at:%Y-%m-%d %H:%M:%S},' + ','.join(f'{v:.6g}' for v in row) + '\n')
            at += STEPS[step]


# ---- rules ----

def windows(z, begin, end, look, horizon):
    """Inputs [n,C,look] and targets [n,C,horizon], the latter within rows begin .. end-1."""
    rows = range(max(begin, look), end - horizon + 1)
    return np.stack([z[i - look:i].T for i in rows]), np.stack([z[i:i + horizon].T for i in rows])


def solve(x, y, penalty):
    """Ridge regression with a constant of rows x [n,L], y [n,H]."""
    m, q = x.mean(0), y.mean(0)
    weight = np.linalg.solve((x - m).T @ (x - m) + penalty * len(x) * np.eye(x.shape[1]), (x - m).T @ (y - q))
    return weight, q - m @ weight


def ridge(train, val, test):
    """The penalty is that with the least error on the validation rows."""
    flat = [a.reshape(-1, a.shape[-1]) for a in train]
    maps = [solve(*flat, penalty) for penalty in PENALTIES]
    weight, bias = min(maps, key=lambda m: ((val[1] - val[0] @ m[0] - m[1]) ** 2).mean())
    return test[0] @ weight + bias


def periods(train, test, period):
    """Values of one phase from those of the periods before, the same for all phases and series."""
    look, horizon = train[0].shape[-1] // period, train[1].shape[-1]
    after = -(-horizon // period)
    fold = lambda x: x[..., -look * period:].reshape(*x.shape[:2], look, period).swapaxes(2, 3)
    gap = np.full((*train[1].shape[:2], after * period - horizon), np.nan)
    y = np.concatenate([train[1], gap], -1).reshape(*gap.shape[:2], after, period).swapaxes(2, 3)
    x, y = fold(train[0]).reshape(-1, look), y.reshape(-1, after)
    out = np.empty((*fold(test[0]).shape[:3], after))
    for k in range(after):
        there = ~np.isnan(y[:, k])
        weight, bias = solve(x[there], y[there, k:k + 1], 1e-3)
        out[..., k:k + 1] = fold(test[0]) @ weight + bias
    return out.swapaxes(2, 3).reshape(*out.shape[:2], -1)[..., :horizon]


def errors_of_rules(made, x):
    """{rule: MSE in standard deviations of the training rows}"""
    n, h, p = made.rows, made.horizon, made.period
    train_end, test_begin = int(0.7 * n), n - int(0.2 * n)
    z = (x - x[:train_end].mean(0)) / x[:train_end].std(0)
    ends = [(made.look, train_end), (train_end, test_begin), (test_begin, n)]
    train, val, test = (windows(z, *rows, made.look, h) for rows in ends)
    back = [made.look - p + k % p for k in range(h)]
    found = {'last value': test[0][..., -1:], 'value of a period ago': test[0][..., back],
             'ridge regression': ridge(train, val, test), 'map between periods': periods(train, test, p)}
    return {name: ((test[1] - y) ** 2).mean() for name, y in found.items()}


# ---- the program ----

def draw(args, made, number, folder):
    """(error of the program, errors of the rules)"""
    x = made.make(np.random.default_rng([number, SETS.index(made)]), made.rows)
    path = os.path.join(folder, 'made.csv')
    write_csv(path, x, made.step)
    words = [record.program(args, 'forecast'), '--data', path, '--pred', str(made.horizon),
             '--threads', '1', '--no-baselines', '--json', *args.options.split()]
    return record.execute(words)[0]['test_mse'], errors_of_rules(made, x)


def percent(ratio):
    return f'{100 * (ratio - 1):+.1f} %'


def mean(ratios):
    return np.exp(np.log(ratios).mean())


def row_of(made, draws):
    ours = np.array([error for error, _ in draws])
    rules = {name: np.array([found[name] for _, found in draws]) for name in draws[0][1]}
    best = np.min(list(rules.values()), axis=0)
    fixed = min(rules, key=lambda name: mean(rules[name] / best))
    ratios = ours / rules[fixed], ours / best
    return [made.name, str(made.rows), made.step, str(made.horizon), fixed,
            *(percent(of(r)) for r in ratios for of in (mean, max))]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--build', default='build', help='folder of the build')
    p.add_argument('--draws', type=record.numbers, default=record.numbers('1..12'))
    p.add_argument('--only', default='', help='sets whose name matches')
    p.add_argument('--options', default='', help='of the program, such as "--model linear"')
    args = p.parse_args()
    print('| series | rows | step | to forecast | best rule | mean | worst | of each draw: mean | worst |\n'
          '|---|---:|---|---:|---|---:|---:|---:|---:|')
    with tempfile.TemporaryDirectory() as folder:
        for made in SETS:
            if re.search(args.only, made.name):
                draws = [draw(args, made, number, folder) for number in args.draws]
                print('| ' + ' | '.join(row_of(made, draws)) + ' |', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
