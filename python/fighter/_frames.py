# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts as data frames of the kind that the host gave, in the form that it had."""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

from . import _api as api, _pandas
from ._axis import times_after
from ._library import DataError
from ._local import Planes
from ._table import Table

_Array = np.ndarray[Any, Any]


def kind_of(data: Any) -> str:
    """The library of a frame, which forecasts come back in."""
    module = type(data).__module__.split('.')[0]
    return module if module in ('pandas', 'polars', 'pyarrow') else 'numpy' if isinstance(
        data, (np.ndarray, list, tuple)) else 'pandas' if 'pandas' in sys.modules else 'dict'


def _ends(planes: Planes, quantiles: list[float], intervals: list[float]) -> list[tuple[str, _Array]]:
    """The ends of names of columns, and their values [C, H]."""
    out = [('', planes.mean)]
    out += [(f'-q-{q:g}', planes.quantiles[q]) for q in quantiles]
    for level in intervals:
        low, high = interval_levels(level)
        out += [(f'-lo-{level:g}', planes.quantiles[low]), (f'-hi-{level:g}', planes.quantiles[high])]
    return out


def interval_levels(level: float) -> tuple[float, float]:
    """The quantiles at the ends of an interval of `level` percent."""
    share = level / 100
    return (1 - share) / 2, (1 + share) / 2


def make(planes: Planes, table: Table, kind: str, quantiles: list[float], intervals: list[float]) -> Any:
    """A frame with a row for each time (wide form), or for each time of each series (long form)."""
    ends = _ends(planes, quantiles, intervals)
    steps = planes.mean.shape[1]
    kept = [i for i, row in enumerate(planes.rows) if row >= 0]
    times: dict[tuple[int, int], Optional[_Array]] = {}
    for i in kept:
        key = (id(planes.axes[i]), planes.rows[i])
        if key not in times:
            times[key] = times_after(planes.axes[i], planes.rows[i] - 1, steps)
    time_of = [times[id(planes.axes[i]), planes.rows[i]] for i in kept]
    label = table.name(api.FGT_TABLE_NAME_LABELS) or table.time_name or 'row'
    if kind == 'numpy':
        stacked = np.stack([values[kept].T for _, values in ends], axis=-1)
        if table.flat:
            stacked = stacked[:, 0]
        return stacked[..., 0] if len(ends) == 1 else stacked
    columns: dict[str, Any] = {}
    if table.is_long:
        ids = np.repeat([planes.names[i] for i in kept], steps)
        columns[str(table.name(api.FGT_TABLE_NAME_ID))] = ids.astype(np.int64) if table.whole_ids else ids
        _add_times(columns, label, time_of, steps)
        value = table.name(api.FGT_TABLE_NAME_VALUE) or 'y'
        for end, values in ends:
            _add(columns, value + end, values[kept].reshape(-1))
    else:
        _add_times(columns, label, time_of[:1], steps)
        for i in kept:
            for end, values in ends:
                _add(columns, planes.names[i] + end, values[i].copy())
    return to_frame(columns, kind, label, table)


def _add(columns: dict[str, Any], name: str, values: _Array) -> None:
    """Adds a column, whose name must be new."""
    if name in columns:
        raise DataError(f'forecast: two columns would be named {name!r}; other names of the columns of the data avoid '
                        'this')
    columns[name] = values


def _add_times(columns: dict[str, Any], label: str, times: list[Optional[_Array]], steps: int) -> None:
    """Adds a column of times, or of the numbers of rows after the last one."""
    known = [t for t in times if t is not None]
    if len(known) == len(times) and known:
        columns[label] = np.concatenate(known)
    else:
        columns[label] = np.tile(np.arange(1, steps + 1), len(times))


def to_frame(columns: dict[str, Any], kind: str, label: str = '', table: Optional[Table] = None) -> Any:
    """Named columns as a frame of this library; a dict without a library.

    The times of column `label` get the zone of the table, and become the index if they were the index.
    """
    zone = table.zone if table is not None and columns[label].dtype.kind == 'M' else None
    if kind == 'pandas':
        import pandas
        if zone is not None:
            columns[label] = _pandas.in_zone(columns[label], zone)
        frame = pandas.DataFrame(columns)
        names = [name for name in (table.name(api.FGT_TABLE_NAME_ID), label) if name in columns] if table else []
        return frame.set_index(names) if table is not None and table.indexed else frame
    if kind == 'polars':
        import polars
        frame = polars.DataFrame(columns)
        if zone is not None:
            times = polars.col(label).dt.replace_time_zone('UTC').dt.convert_time_zone(str(zone.name))
            frame = frame.with_columns(times)
        return frame
    if kind == 'pyarrow':
        import pyarrow
        if zone is not None:
            columns[label] = pyarrow.array(columns[label]).cast(pyarrow.timestamp('ms', str(zone.name)))
        return pyarrow.table(columns)
    return columns
