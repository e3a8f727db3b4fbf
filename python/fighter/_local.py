# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts of each series by itself, without training."""

from __future__ import annotations

import ctypes as C
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import _api as api
from ._library import Context, DataError, Handle, lib, text, warn
from ._table import Table

_Array = np.ndarray[Any, Any]
_P64 = C.POINTER(C.c_double)


class Series(Handle):
    """Columns of a table as series: in long form each with its own end and step, otherwise with one end.

    Attributes
    ----------
    infos : list of struct
        Properties of each series.
    """

    def __init__(self, table: Table, targets: list[str]) -> None:
        super().__init__(table.context, 'fgt_series', table)
        self.table, self.targets = table, targets
        columns = [table.find(name) for name in targets]
        numbers = (C.c_int64 * len(columns))(*columns)
        self.context.call('fgt_series_create', table.pointer, numbers, len(columns), self.out)
        self.infos = [self._get(api.fgt_series_info(), 'fgt_series_get_info', i)
                      for i in range(lib.fgt_series_count(self.pointer))]
        self.names = [str(text(info.name)) for info in self.infos]

    def _get(self, struct: Any, name: str, index: int) -> Any:
        self.context.call(name, self.pointer, index, C.byref(struct))
        return struct

    def _axis(self, pointer: int) -> Table:
        if pointer == self.table.pointer.value:
            return self.table
        axis = Table(self.context)
        axis.pointer, axis.owner = C.c_void_p(pointer), self
        return axis

    def axes(self) -> list[Table]:
        """The tables with the times of the rows. They keep the series alive, so the series does not keep them."""
        return [self._axis(info.axis) for info in self.infos]

    def values(self, index: int) -> _Array:
        """The rows of a series."""
        info = self.infos[index]
        return np.ctypeslib.as_array(info.values, (info.rows,))

    def choose_horizon(self) -> int:
        """The usual number of rows for the step that most series have."""
        axis = self._axis(self._get(api.fgt_series_group(), 'fgt_series_get_group', -1).axis)
        return int(lib.fgt_table_find_horizon(axis.pointer, 2)) or axis.info.rows // 10 or 1


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


def forecast(series: Series, steps: int, levels: list[float], season: Optional[int], keep_outliers: bool,
             floor: bool, back: int = 0) -> Planes:
    """Forecasts all series, which end `back` rows before their last one.

    floor: forecasts below 0 become 0.
    """
    if not back:
        _check_ends(series, steps)
    count = len(series.infos)
    mean, bands = np.empty((count, steps)), np.empty((count, steps, len(levels)))
    left_out = np.empty((count, api.FGT_LEFT_OUT), np.int64)
    opts = local_opts(series.context, steps, levels, [season or 0], keep_outliers)
    opts.forecast = mean.ctypes.data_as(_P64)
    opts.quantiles = bands.ctypes.data_as(_P64) if levels else None
    opts.left_out = left_out.ctypes.data_as(C.POINTER(C.c_int64))
    series.context.call('fgt_series_forecast', series.pointer, back, C.byref(opts))
    if not back:
        _warn(series, left_out)
    if floor:
        mean[mean < 0] = bands[bands < 0] = 0
    return Planes(series.names, series.axes(), [info.end - back for info in series.infos], mean,
                  {level: bands[:, :, i] for i, level in enumerate(levels)})


def _check_ends(series: Series, steps: int) -> None:
    """Refuses columns of a wide table that end so early that the other columns would stand for them."""
    for name, info in zip(series.names, series.infos):
        if info.late > steps:
            raise DataError(f'column {name!r}: no value in the {info.late} rows before the forecast (got more than the '
                            f'{steps} rows of a forecast); `target` can name the other columns')


def _warn(series: Series, left_out: _Array) -> None:
    """Names targets without a value, and values that count as missing."""
    empty = [name for name in series.targets if name not in series.names]
    if empty:
        warn(f'{", ".join(map(repr, empty[:8]))}{" and more" if len(empty) > 8 else ""}: not forecast, because there '
             'is no value')
    for i, rows in enumerate(left_out):
        for row in rows[rows >= 0].tolist():
            warn(f'{series.names[i]!r}: {series.values(i)[row]:g} in row {row} counts as missing, because it is far '
                 'from the values around it; keep_outliers=True keeps it')


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
