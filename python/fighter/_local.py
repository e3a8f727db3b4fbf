# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts of each series by itself, without training."""

from __future__ import annotations

import ctypes as C
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import _api as api
from ._axis import find_horizon, find_seasons, step_key
from ._library import Context, DataError, view, warn
from ._table import Table

_Array = np.ndarray[Any, Any]
_LARGEST = 1e150
_P64 = C.POINTER(C.c_double)


@dataclass
class Series:
    """One series: its rows up to its own end, on its axis of times."""

    name: str
    axis: Table
    end: int
    values: _Array


@dataclass
class Planes:
    """Forecasts: for each of C series, H rows from `row` of its axis on.

    Attributes
    ----------
    mean : array [C, H]
    quantiles : dict of level to array [C, H]
    """

    names: list[str]
    axes: list[Table]
    rows: list[int]
    mean: _Array
    quantiles: dict[float, _Array] = field(default_factory=dict)


def find_series(context: Context, table: Table, targets: list[str], said: bool = False) -> list[Series]:
    """The targets with a value. In long form each ends with its own last row, otherwise all end together.

    said: whether a warning names targets without a value.
    """
    found = []
    for name in targets:
        column = table.values[:, table.find(name)]
        present = np.nonzero(~np.isnan(column))[0]
        if len(present):
            found.append((name, column, int(present[0]), int(present[-1]) + 1))
    if not found:
        raise DataError('data: no series has a value')
    empty = [name for name in targets if name not in {f[0] for f in found}]
    if empty and said:
        warn(f'{", ".join(map(repr, empty[:8]))}{" and more" if len(empty) > 8 else ""}: not forecast, because there '
             'is no value')
    last = max(end for *_, end in found)
    series = []
    for name, column, begin, end in found:
        own = _own_step(context, table, column) if table.is_long else None
        if own is not None:
            series.append(Series(name, own, len(own.values), np.ascontiguousarray(own.values[:, 0])))
            continue
        end = end if table.is_long else last
        series.append(Series(name, table, end, np.ascontiguousarray(column[begin:end])))
    for s in series:
        if (np.abs(s.values) > _LARGEST).any():
            raise DataError(f'data: {s.name!r} has a value beyond 1e150, which is too large')
    return series


def _own_step(context: Context, table: Table, column: _Array) -> Optional[Table]:
    """The axis of a series with a longer step than the table, such as months among days."""
    rows = np.nonzero(~np.isnan(column))[0]
    if table.times is None or len(rows) < 4 or (np.diff(rows) == 1).any():
        return None
    axis = Table(context)
    values, times = np.ascontiguousarray(column[rows])[:, None], np.ascontiguousarray(table.times[rows])
    context.call('fgt_table_create', context.pointer, None, C.byref(view(values)), axis.out)
    try:
        context.call('fgt_table_set_times', axis.pointer, C.byref(view(times)), api.FGT_TABLE_REPAIR_GAPS)
    except DataError:
        return None
    info = axis.info
    if 5 * info.gaps > info.rows or step_key(info.step) == step_key(table.info.step):
        return None
    return axis


def choose_horizon(series: list[Series]) -> int:
    """The usual number of rows for the step that most series have."""
    groups: dict[Any, list[Series]] = {}
    for s in series:
        groups.setdefault(step_key(s.axis.info.step), []).append(s)
    axis = max(groups.values(), key=len)[0].axis
    info = axis.info
    return find_horizon(info.step, info.rows, 2) or info.rows // 10 or 1


def forecast(context: Context, series: list[Series], steps: int, levels: list[float], season: Optional[int],
             keep_outliers: bool, floor: bool, said: bool = False) -> Planes:
    """Forecasts all series; those of one step together.

    floor: forecasts below 0 become 0; said: whether warnings name values that count as missing.
    """
    mean = np.full((len(series), steps), np.nan)
    quantiles = np.full((len(series), steps, len(levels)), np.nan)
    groups: dict[Any, list[int]] = {}
    for i, s in enumerate(series):
        groups.setdefault(step_key(s.axis.info.step), []).append(i)
    for members in groups.values():
        seasons = find_seasons(series[members[0]].axis.info.step)
        opts = local_opts(context, steps, levels, [season] if season else seasons, keep_outliers)
        own, bands = np.empty((len(members), steps)), np.empty((len(members), steps, len(levels)))
        opts.forecast = own.ctypes.data_as(_P64)
        opts.quantiles = bands.ctypes.data_as(_P64) if levels else None
        values = (_P64 * len(members))(*(series[i].values.ctypes.data_as(_P64) for i in members))
        rows = (C.c_int64 * len(members))(*(len(series[i].values) for i in members))
        left_out = np.full((len(members), api.FGT_LEFT_OUT), -1, np.int64)
        opts.left_out = left_out.ctypes.data_as(C.POINTER(C.c_int64))
        context.call('fgt_forecast_local', context.pointer, values, rows, len(members), C.byref(opts))
        mean[members], quantiles[members] = own, bands
        if said:
            _warn_of_left_out([series[i] for i in members], left_out)
    if floor:
        mean[mean < 0] = quantiles[quantiles < 0] = 0
    return Planes([s.name for s in series], [s.axis for s in series], [s.end for s in series], mean,
                  {level: quantiles[:, :, i] for i, level in enumerate(levels)})


def _warn_of_left_out(series: list[Series], left_out: _Array) -> None:
    for s, rows in zip(series, left_out):
        for row in rows[rows >= 0].tolist():
            warn(f'{s.name!r}: {s.values[row]:g} in row {row} counts as missing, because it is far from the values '
                 'around it; keep_outliers=True keeps it')


def local_opts(context: Context, steps: int, levels: list[float], seasons: list[int], keep_outliers: bool) -> Any:
    """The options of a call, without its outputs. The caller keeps the object until the call returns."""
    season = seasons + [0, 0]
    opts = api.fgt_local_opts(horizon=steps, season=season[0], long_season=season[1], level_count=len(levels),
                              keep_outliers=keep_outliers)
    if levels:
        opts.levels = (C.c_double * len(levels))(*levels)
    # Python handles Ctrl-C within the callback.
    opts.progress = api.fgt_local_progress_fn(context.guard(lambda user, done, all: api.FGT_OK, api.FGT_E_CANCELLED))
    return opts
