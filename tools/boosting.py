# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts with LightGBM as its users make them, for compare_forecasts.py.

One model forecasts all series and all steps of a set. A row of its training is one step of one forecast of
one series; rows are drawn from all windows of the training rows, and as many trees are kept as are best on
rows drawn from the validation windows. What it knows, all of it from the look-back or known in advance:

- the step, the time of day and the weekday of the step, the series;
- the last value, and other values of the look-back less the last one;
- means and deviations over the last hours and days;
- the values at the same time of the days before, and their means;
- the mean course of the day in the training rows.

Its target is the value less a reference, the last value or the mean at the same time of the days before,
whichever is better on validation rows. LightGBM itself knows what to do where a feature is missing."""
import csv
import datetime
import gzip
import platform
import statistics
import time

import numpy as np

REFERENCES = ('last', 'days')
LAGS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 36, 48, 72, 95)  # rows before the last one
ROWS = (4, 12, 24, 48, 96)  # that means are taken of, besides days
DAYS = 14                   # whose values at the same time are looked at, at most
TRAIN, VALIDATION = 400_000, 150_000
# at most, and without progress; with up to 1000 trees, ETTm1 96 steps ahead from 96 rows of input keeps 469
# and has an error of 0.3051 in place of 0.3056
TREES, PATIENCE = 300, 30
PARAMETERS = {'objective': 'regression', 'learning_rate': 0.05, 'num_leaves': 31, 'min_data_in_leaf': 200,
              'feature_fraction': 0.7, 'bagging_fraction': 0.8, 'bagging_freq': 1, 'lambda_l2': 1.0,
              'verbosity': -1, 'deterministic': True, 'force_row_wise': True}
WINDOWS = 256  # forecast at a time
TIMES = 31     # forecasts of one window that are timed; the median is kept


# ---- the set ----

def read(path):
    """Times and numbers of a CSV file whose first column is the time."""
    times, values = [], []
    opened = gzip.open if str(path).endswith('.gz') else open
    with opened(path, 'rt', encoding='utf-8', errors='replace') as file:
        lines = csv.reader(file)
        next(lines)
        for line in lines:
            times.append(datetime.datetime.fromisoformat(line[0]))
            values.append([float(cell) for cell in line[1:]])
    return times, np.array(values)


def repair(times, values):
    """What --repair all does: rows in the order of their times, the last of repeats, missing rows added."""
    step = min(after - before for before, after in zip(times, times[1:]) if after > before)
    first = min(times)
    count = round((max(times) - first) / step) + 1
    full = np.full((count, values.shape[1]), np.nan)
    for when, row in zip(times, values):
        full[round((when - first) / step)] = row
    return [first + k * step for k in range(count)], full, step


def fill(x):
    """A missing value becomes the last one before it, or the mean where there is none."""
    at = np.where(np.isnan(x), 0, np.arange(len(x))[:, None])
    return np.nan_to_num(np.take_along_axis(x, np.maximum.accumulate(at, axis=0), axis=0))


class Data:
    """A set in standard deviations of its training rows; split: rows -> ends of training, validation and
    test."""

    def __init__(self, path, split):
        times, values, step = repair(*read(path))
        self.train, self.val, self.test = split(len(values))
        known = values[:self.train]
        self.truth = (values - np.nanmean(known, axis=0)) / np.nanstd(known, axis=0)
        self.x = fill(self.truth)
        self.series = values.shape[1]
        self.day = round(datetime.timedelta(days=1) / step)
        self.phase = np.array([(t.hour * 60 + t.minute) * self.day // 1440 for t in times])
        self.weekday = np.array([t.weekday() for t in times])
        nothing = np.zeros((1, self.series))
        self.sum = np.concatenate([nothing, np.cumsum(self.x, axis=0)])
        self.squares = np.concatenate([nothing, np.cumsum(self.x ** 2, axis=0)])
        phases = self.phase[:self.train]
        self.course = np.array([np.nanmean(self.truth[:self.train][phases == p], axis=0)
                                for p in range(self.day)])

    def mean(self, c, t, rows):
        return (self.sum[t, c] - self.sum[t - rows, c]) / rows

    def deviation(self, c, t, rows):
        square = (self.squares[t, c] - self.squares[t - rows, c]) / rows
        return np.sqrt(np.maximum(square - self.mean(c, t, rows) ** 2, 0))


# ---- features ----
# look: rows of look-back; c, t, h: arrays of series, of first rows to forecast, and of steps from 0

def same_time(data, look, c, t, h):
    """Values a whole number of days before a step, the newest first; NaN: before the look-back."""
    for d in range(min(DAYS, -(-look // data.day))):
        at = t + h - data.day * (h // data.day + 1 + d)
        yield np.where(at >= t - look, data.x[np.maximum(at, 0), c], np.nan)


def mean_of(columns, other):
    """The mean of those that are not NaN; `other` where all are."""
    total, count = np.zeros(len(other)), np.zeros(len(other))
    for column in columns:
        known = ~np.isnan(column)
        total[known] += column[known]
        count += known
    return np.where(count > 0, total / np.maximum(count, 1), other)


def reference(data, look, how, at):
    c, t, _ = at
    if how == 'last':
        return data.x[t - 1, c]
    days = list(same_time(data, look, *at))
    return mean_of(days[:7], data.mean(c, t, min(data.day, look)))


def features(data, look, at):
    c, t, h = at
    last, then, now = data.x[t - 1, c], data.phase[t + h], data.phase[t - 1]
    columns = [c, h, then, data.weekday[t + h], last, data.course[then, c],
               data.course[then, c] - data.course[now, c]]
    columns += [data.x[t - 1 - lag, c] - last for lag in LAGS if lag < look]
    for rows in sorted({*ROWS, *(data.day * n for n in (1, 2, 3, 7, 14))}):
        if rows <= look:
            columns += [data.mean(c, t, rows) - last, data.deviation(c, t, rows)]
    days = list(same_time(data, look, *at))
    columns += [day - last for day in days[:7]]
    columns += [mean_of(days[:n], last * np.nan) - last for n in (3, 7, 14) if n <= len(days)]
    return np.column_stack(columns).astype(np.float32)


# ---- training and measuring ----

def draw(data, look, horizon, begin, end, count, rng):
    """Steps of forecasts whose rows lie between begin and end, and whose truth is known."""
    t = rng.integers(max(begin, look), end - horizon + 1, count)
    c, h = rng.integers(0, data.series, count), rng.integers(0, horizon, count)
    known = ~np.isnan(data.truth[t + h, c])
    return c[known], t[known], h[known]


def train(lightgbm, data, look, horizon, how, seed, threads):
    """The model, and its mean squared error on the validation rows."""
    rng = np.random.default_rng(seed)
    sets = []
    for begin, end, count in ((0, data.train, TRAIN), (data.train, data.val, VALIDATION)):
        at = draw(data, look, horizon, begin, end, count, rng)
        target = data.truth[at[1] + at[2], at[0]] - reference(data, look, how, at)
        sets.append(lightgbm.Dataset(features(data, look, at), target, categorical_feature=[0],
                                     reference=sets[0] if sets else None))
    model = lightgbm.train(PARAMETERS | {'seed': seed, 'num_threads': threads}, sets[0], TREES,
                           valid_sets=[sets[1]],
                           callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)])
    return model, model.best_score['valid_0']['l2']


def forecast(model, data, look, how, at):
    return model.predict(features(data, look, at)) + reference(data, look, how, at)


def windows(c, t, horizon):
    """All steps of the windows of series c that begin in rows t."""
    return np.full(len(t) * horizon, c), np.repeat(t, horizon), np.tile(np.arange(horizon), len(t))


def measure(model, data, look, horizon, how):
    """Errors on all test windows, those of the last value beside them."""
    error, naive = [], []
    first = np.arange(data.val, data.test - horizon + 1)
    begin = time.perf_counter()
    for c in range(data.series):
        for t in np.array_split(first, -(-len(first) // WINDOWS)):
            at = windows(c, t, horizon)
            truth = data.truth[at[1] + at[2], c]
            known = ~np.isnan(truth)
            for e, y in ((error, forecast(model, data, look, how, at)), (naive, data.x[at[1] - 1, c])):
                e.append([np.sum(known), np.sum((y - truth)[known] ** 2), np.sum(np.abs(y - truth)[known])])
    seconds = time.perf_counter() - begin
    count, square, absolute = np.sum(error, axis=0)
    _, naive_square, naive_absolute = np.sum(naive, axis=0)
    return {'test_mse': square / count, 'test_mae': absolute / count, 'naive_mse': naive_square / count,
            'naive_mae': naive_absolute / count, 'test_windows': len(first),
            'batch_us': 1e6 * seconds / len(first)}


def time_one(model, data, look, horizon, how):
    """Microseconds of the forecast of all series in one window; the median."""
    series = [windows(c, np.array([data.val]), horizon) for c in range(data.series)]
    at = [np.concatenate(part) for part in zip(*series)]
    took = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        forecast(model, data, look, how, at)
        took.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(took)


def run(path, split, look, horizon, seed, threads):
    """Trains, chooses on validation rows, and measures on all test windows."""
    import lightgbm  # not everybody has it, and the rest of this file does without it
    data = Data(path, split)
    begin = time.perf_counter()
    tried = [(*train(lightgbm, data, look, horizon, how, seed, threads), how) for how in REFERENCES]
    seconds = time.perf_counter() - begin
    model, error, how = min(tried, key=lambda one: one[1])
    model.params['num_threads'] = threads
    versions = f'LightGBM {lightgbm.__version__}, numpy {np.__version__}, Python {platform.python_version()}'
    return {'val_mse': error, 'reference': how, 'trees': model.best_iteration, 'input_len': look,
            'seed': seed, 'train_seconds': seconds, 'version': versions,
            'predict_us': time_one(model, data, look, horizon, how),
            **measure(model, data, look, horizon, how)}
