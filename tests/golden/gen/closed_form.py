#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden files of linear maps in closed form: closed_form.py DIRECTORY.

Least squares over all windows, written out, in double; a penalty is a row of the equations. Series are exact
float32 values, results are rounded to float32."""

import sys
from pathlib import Path

import numpy as np

from tensor_file import save

OWN = "closed_form.py (double, least squares over all windows)"
HOURS, HARMONICS, EFFECT_PENALTY, PERIOD_PENALTY = 24, 4, 1e-3, 1e-3


def made_series(rng, rows, columns):
    """A memory of the row before, rhythms of 6 and 24 rows, another level for each column."""
    noise, r = rng.standard_normal((rows, columns)), np.arange(rows)[:, None]
    x = np.zeros((rows, columns))
    for t in range(1, rows):
        x[t] = (0.5 + 0.1 * np.arange(columns)) * x[t - 1] + noise[t]
    x += 2 * np.sin(2 * np.pi * r / 6) + 1.5 * np.cos(2 * np.pi * r / 24 + np.arange(columns))
    return (x + 3 * np.arange(columns)).astype(np.float32)


def least_squares(x, y, penalty):
    """argmin |y - x w|^2 + c |w|^2, c the penalty times the mean square of a column of x"""
    width = x.shape[1]
    root = np.sqrt(penalty * np.sum(x * x) / width)
    rows = np.concatenate([x, root * np.eye(width)])
    return np.linalg.lstsq(rows, np.concatenate([y, np.zeros((width, y.shape[1]))]), rcond=None)[0]


def seasonal(x, y, period):
    """w [L,H] with w[first + d P + p, k P + p] = s[d,k] for all phases p; first: the rows before the D whole
    periods that end the window"""
    lags, steps = x.shape[1], y.shape[1]
    days = lags // period
    first, w = lags - days * period, np.zeros((lags, steps))
    for k in range(-(-steps // period)):
        phases = range(min(period, steps - k * period))
        # the windows of one phase after the other
        inputs = np.concatenate([x[:, first + p :: period][:, :days] for p in phases])
        targets = np.concatenate([y[:, k * period + p] for p in phases])
        s = least_squares(inputs, targets[:, None], PERIOD_PENALTY)[:, 0]
        for p in phases:
            w[first + p + period * np.arange(days), k * period + p] = s
    return w


def ridge(windows, lags, last, period, penalty):
    """weight [H,L] and bias [H] of the best map of the rows, or of that between whole periods"""
    v = windows - windows[:, lags - 1 : lags] if last else windows
    w = seasonal(v[:, :lags], v[:, lags:], period) if period else np.zeros((lags, v.shape[1] - lags))
    mean = np.zeros(v.shape[1]) if last else v.mean(0)
    x, y = (v - mean)[:, :lags], (v - mean)[:, lags:]
    if np.isfinite(penalty):
        w = least_squares(x, y, penalty)
    bias = mean[lags:] - mean[:lags] @ w
    if last:
        w[-1] = 1 - w[:-1].sum(0)
    return w.T, bias


def solve(series, lags, steps, each, last, period, penalty):
    """weight [maps,H,L], bias [maps,H], and the forecast [H,C] of the rows after the last"""
    windows = np.lib.stride_tricks.sliding_window_view(series, lags + steps, axis=0)
    sets = [windows[:, c] for c in range(series.shape[1])]
    if not each:
        sets = [np.concatenate(sets)]
    maps = [ridge(v, lags, last, period, penalty) for v in sets]
    of = [maps[c if each else 0] for c in range(series.shape[1])]
    forecast = [w @ series[-lags:, c] + b for c, (w, b) in enumerate(of)]
    return {
        "weight": np.array([w for w, _ in maps]),
        "bias": np.array([b for _, b in maps]),
        "forecast": np.array(forecast).T,
    }


def ridge_case(directory, rng, name, columns, lags, steps, each=0, last=0, period=0, penalty=0.01):
    series = made_series(rng, 300, columns)
    meta = {"lags": lags, "steps": steps, "each": each, "last": last, "period": period, "penalty": penalty}
    case = "closed_form_" + name
    save(
        directory / (case + ".safetensors"),
        {"case": case, "layer": "ridge", "source": OWN, **meta},
        {"series": series, **solve(series.astype(float), **meta)},
    )


def course_of(x):
    """[24,C]: the mean course of the day of series whose first row is at midnight, less their level, as the
    first harmonics, which the library rounds to float32"""
    share = 2 * np.pi * (np.arange(len(x)) % HOURS)[:, None] / HOURS * np.arange(1, HARMONICS + 1)
    known = np.concatenate([np.sin(share), np.cos(share)], 1).astype(np.float32).astype(float)
    mean = known.mean(0)
    w = least_squares(known - mean, x - x.mean(0), EFFECT_PENALTY)
    return (known[:HOURS] - mean) @ w


def course_case(directory, rng):
    """Rows of which the first are those of training; the map is that of the series less their course."""
    rows, columns, conf = 310, 3, {"each": 1, "last": 1, "period": 0, "penalty": 0.1}
    series, lags, steps = made_series(rng, 400, columns), 30, 12
    train = series[:rows].astype(float)
    x = ((train - train.mean(0)) / train.std(0)).astype(np.float32).astype(float)
    course = course_of(x)
    then = course[(rows + np.arange(steps)) % HOURS]
    out = solve(x - course[np.arange(rows) % HOURS], lags, steps, **conf)
    out["forecast"] = out["forecast"] + then
    save(
        directory / "closed_form_course.safetensors",
        {"case": "closed_form_course", "layer": "course", "source": OWN, "lags": lags, "steps": steps}
        | {"train": rows, **conf},
        {"series": series, "course": course, **out},
    )


def main():
    directory, rng = Path(sys.argv[1]), np.random.default_rng(14)
    ridge_case(directory, rng, "level", 3, 24, 8)
    ridge_case(directory, rng, "level_each", 3, 13, 5, each=1, penalty=1.0)
    ridge_case(directory, rng, "last", 3, 24, 8, last=1, penalty=0.001)
    ridge_case(directory, rng, "last_each", 2, 7, 30, each=1, last=1, penalty=0.1)
    ridge_case(directory, rng, "periods", 2, 26, 15, period=6, penalty=np.inf)
    ridge_case(directory, rng, "periods_last", 2, 24, 12, last=1, period=6, penalty=np.inf)
    course_case(directory, rng)


if __name__ == "__main__":
    main()
