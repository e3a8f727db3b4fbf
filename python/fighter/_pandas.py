# SPDX-License-Identifier: BSD-3-Clause
"""Data frames of pandas as named arrays."""

from __future__ import annotations

import datetime
import sys
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ._library import DataError, warn

_Array = np.ndarray[Any, Any]
ID_NAMES = ('unique_id', 'item_id')
TIME_NAMES = ('ds', 'timestamp', 'date', 'time', 'datetime')


@dataclass
class Zone:
    """The time zone of a column.

    Attributes
    ----------
    name : a zone of pandas, or its name
    local : bool
        Whether the library has local times, which it needs for days, because not all of them have 24 hours. Otherwise
        it has times in UTC.
    """

    name: Any
    local: bool


class Frame:
    """The columns of a frame, and of its index if this has times or names of series.

    Parameters
    ----------
    data : DataFrame or Series
    local : bool, optional
        Whether times with a zone are read as local times; None: if all have the same time of the day.
    wanted : set of str, optional
        Columns that must be read; None: all.
    round : int
        Milliseconds to whose multiples, on the clock of their zone, times with a zone are rounded; 0: they are not.
    """

    def __init__(self, data: Any, local: Optional[bool], wanted: Optional[set[Optional[str]]] = None,
                 round: int = 0) -> None:
        pandas = sys.modules['pandas']
        if isinstance(data, pandas.Series):
            data = data.to_frame(data.name if data.name is not None else 'y')
        elif not isinstance(data, pandas.DataFrame):
            raise TypeError(f'data: a {type(data).__name__} is no table (need a data frame or a series)')
        if isinstance(data.columns, pandas.MultiIndex):
            raise DataError('data: columns with several levels are not read; join their names, or stack() them')
        self.zones: dict[str, Zone] = {}
        self.indexed = False
        self._local, self._round = local, round
        own = []
        for i, name in enumerate(data.columns):
            try:
                own.append((str(name), self._column(str(name), data.iloc[:, i])))
            except TypeError as error:
                if wanted is None or str(name) in wanted:
                    raise
                warn(f'{error}; the column is left out')
        self.columns = self._index(pandas, data.index, [name for name, _ in own]) + own

    def is_whole(self, name: Optional[str]) -> bool:
        """Whether a column has integers."""
        return any(values.dtype.kind in 'iu' for own, values in self.columns if own == name)

    def _index(self, pandas: Any, index: Any, taken: list[str]) -> list[tuple[str, _Array]]:
        """The index as columns: times, and names of series. Other numbers of rows are no data."""
        levels = [index.get_level_values(i) for i in range(index.nlevels)]
        columns = []
        for level in levels:
            timed = isinstance(level, (pandas.DatetimeIndex, pandas.PeriodIndex)) or _has_dates(level)
            if not timed and level.dtype.kind not in 'iufb':
                _refuse_times(level)
            if not timed and len(levels) == 1 and level.name not in ID_NAMES + TIME_NAMES:
                continue
            name = str(level.name) if level.name is not None else 'ds' if timed else ID_NAMES[0]
            if name in taken:
                raise DataError(f'data: the index and a column are both named {name!r}; reset_index(drop=True) or '
                                'rename_axis() makes the name unique')
            self.indexed = self.indexed or timed
            columns.append((name, self._column(name, level.to_series())))
        return columns

    def _column(self, name: str, series: Any) -> _Array:
        """The values of a column."""
        kind, dtype = str(series.dtype), series.dtype
        if kind.startswith('period'):
            return np.asarray(series.dt.to_timestamp())
        zone = getattr(dtype, 'tz', None) or (series.dt.tz if kind.startswith('timestamp') else None)
        if zone is not None:
            return self._zoned(name, series, zone)
        if kind.startswith('timestamp'): # of Arrow
            return np.asarray(series.to_numpy('datetime64[ns]'))
        if _has_dates(series):
            return np.array(series.tolist(), 'datetime64[ms]')
        if isinstance(dtype, np.dtype):
            return np.asarray(series.to_numpy())
        if kind == 'category' or kind.startswith(('string', 'str', 'large_string')):
            return np.asarray(series.astype(object).to_numpy(), object)
        try: # numbers that may be missing
            return np.asarray(series.to_numpy(dtype='float64', na_value=np.nan))
        except (TypeError, ValueError):
            raise TypeError(f'column {name!r}: values of type {kind} cannot be read (need numbers, booleans, times or '
                            'texts)') from None

    def _zoned(self, name: str, series: Any, zone: Any) -> _Array:
        """Times with a zone: local ones of days, months and years, others in UTC."""
        here = series.dt.tz_localize(None)
        moved = here.dt.round(f'{self._round}ms') - here if self._round else None
        if moved is not None: # the offsets of the zone stay: the clock may change before the rounded time
            series, here = series + moved, here + moved
        local = self._local
        if local is None:
            local = bool(((here - here.dt.normalize()).dropna().nunique()) <= 1)
        self.zones[name] = Zone(zone, local)
        chosen = here if local else series.dt.tz_convert('UTC').dt.tz_localize(None)
        return np.asarray(chosen.to_numpy('datetime64[ns]'))


def _has_dates(series: Any) -> bool:
    """Whether Python's own dates are in a column or an index."""
    return series.dtype == object and len(series) > 0 and all(isinstance(v, datetime.date) and
                                                              getattr(v, 'tzinfo', None) is None for v in series)


def _refuse_times(level: Any) -> None:
    """Refuses an index of texts that are times, because they would be lost."""
    first = next(iter(level), None)
    try:
        np.datetime64(first if isinstance(first, str) else 'none')
    except ValueError:
        return
    raise DataError(f'data: the index has texts, such as {first!r} (need times); pandas.to_datetime() makes times of '
                    'them')


def in_zone(times: _Array, zone: Optional[Zone]) -> Any:
    """Times of the library as times of a zone."""
    pandas = sys.modules['pandas']
    series = pandas.Series(times)
    if zone is None:
        return series
    if zone.local:
        return series.dt.tz_localize(zone.name, ambiguous=np.ones(len(times), bool), nonexistent='shift_forward')
    return series.dt.tz_localize('UTC').dt.tz_convert(zone.name)
