# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the library from data frames, arrays and files."""

from __future__ import annotations

import ctypes as C
import os
from dataclasses import dataclass, field, replace
from typing import Any, Optional

import numpy as np

from . import _api as api, _pandas
from ._axis import DAY
from ._arrow import Capsule, from_columns
from ._library import Context, DataError, Handle, array_of, lib, path_bytes, text, texts, warn

#: Columns that these names have are found without being named, as in files.
ID_NAMES, TIME_NAMES = _pandas.ID_NAMES, _pandas.TIME_NAMES
VALUE_NAMES = ('y', 'target')
MISSING = {None: api.FGT_TABLE_MISSING_REFUSE, 'mask': api.FGT_TABLE_MISSING_MASK,
           'ffill': api.FGT_TABLE_MISSING_FORWARD_FILL, 'zero': api.FGT_TABLE_MISSING_ZERO}


@dataclass
class Reading:
    """How rows are read.

    Attributes
    ----------
    time, id, value : str, optional
        Names of the columns of times, of series (long form) and of values (long form).
    missing : str, optional
        A word of MISSING.
    repair : bool
        Whether rows that go back, repeat a time or leave a gap are mended.
    round : int
        Milliseconds to whose multiples times are rounded; 0: they are not.
    categories : list of str
        Columns that may have texts.
    apart : list of str
        Columns that must not be merged, as ``apart`` of ``fgt_csv_opts``.
    step : struct, optional
        The step of the rows, if it is known.
    local : bool, optional
        Whether times with a zone are read as local times, as days are, or in UTC. None: as the rows show.
    wanted : set of str, optional
        Columns that must be read. Others are left out if they cannot be. None: all columns must be.
    """

    time: Optional[str] = None
    id: Optional[str] = None
    value: Optional[str] = None
    missing: Optional[str] = None
    repair: bool = False
    round: int = 0
    categories: list[str] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)
    step: Any = None
    local: Optional[bool] = None
    wanted: Optional[set[Optional[str]]] = None


class Table(Handle):
    """Rows of numbers, and the names of their columns."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, 'fgt_table')
        self.time_name: Optional[str] = None # column of times of a data frame
        self.zone: Optional[_pandas.Zone] = None
        self.indexed = False # whether the index of the frame has the times
        self.whole_ids = False # whether series are named by integers
        self.flat = False # whether the data are an array of one axis
        self.owner: Optional[Handle] = None # that the table belongs to, if it is not its own

    @property
    def values(self) -> np.ndarray[Any, Any]:
        """The values [rows, columns], without a copy."""
        return array_of(lib.fgt_table_get_values(self.pointer), self)

    @property
    def times(self) -> Optional[np.ndarray[Any, Any]]:
        """The times of the rows in milliseconds since 1970; None: rows have no times."""
        times = array_of(lib.fgt_table_get_times(self.pointer), self)
        return times if len(times) else None

    def name(self, kind: int, index: int = 0) -> Optional[str]:
        """A name of the table, of a column or of a row."""
        return text(lib.fgt_table_get_name(self.pointer, kind, index))

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        count = lib.fgt_table_count_columns(self.pointer)
        return [str(self.name(api.FGT_TABLE_NAME_COLUMN, i)) for i in range(count)]

    @property
    def is_long(self) -> bool:
        """Whether the rows were in long form."""
        return self.name(api.FGT_TABLE_NAME_ID) is not None

    @property
    def info(self) -> Any:
        """The struct of facts about rows and repairs."""
        info = api.fgt_table_info()
        self.context.call('fgt_table_get_info', self.pointer, C.byref(info))
        return info

    def equals(self, other: Table) -> bool:
        """Whether names, times and values are the same."""
        own, theirs = (t if t is not None else np.empty(0) for t in (self.times, other.times))
        return self.columns == other.columns and np.array_equal(own, theirs) and \
            np.array_equal(self.values, other.values, equal_nan=True)

    def find(self, name: str) -> int:
        """Number of a column."""
        column = C.c_int64()
        self.context.call('fgt_table_get_column', self.pointer, name.encode(), C.byref(column))
        return column.value


def read(context: Context, data: Any, how: Reading) -> Table:
    """Makes a table of a data frame, an array or a file. A warning names columns that are left out."""
    table = _read(context, data, how)
    left_out = [str(table.name(api.FGT_TABLE_NAME_IGNORED, i)) for i in range(table.info.ignored)]
    if left_out:
        warn(f'columns {", ".join(map(repr, left_out))} are left out, because they have no numbers; named by `known` '
             'or `past`, columns of texts are read as categories')
    return table


def _read(context: Context, data: Any, how: Reading) -> Table:
    if isinstance(data, (str, os.PathLike)):
        return _read_file(context, os.fspath(data), how)
    if isinstance(data, np.ndarray):
        return _read_array(context, data, how)
    kind = type(data)
    if kind.__module__.split('.')[0] == 'pandas':
        frame = _pandas.Frame(data, True if how.round == DAY else how.local, how.wanted, how.round)
        names = [name for name, _ in frame.columns]
        columns = from_columns(frame.columns, len(data), how.wanted)
        if (how.time or _first_time(columns)) in frame.zones: # which the frame has rounded
            how = replace(how, round=0)
        table = _read_arrow(context, columns, names, how)
        table.zone, table.indexed = frame.zones.get(table.time_name or ''), frame.indexed
        table.whole_ids = frame.is_whole(table.name(api.FGT_TABLE_NAME_ID))
        return table
    if kind.__module__.startswith('polars') and kind.__name__ == 'Series':
        data = data.to_frame(data.name or 'y')
    if hasattr(kind, '__arrow_c_stream__') or hasattr(kind, '__arrow_c_array__'):
        if hasattr(data, 'rechunk'): # polars
            data = data.rechunk()
        elif hasattr(data, 'combine_chunks'): # pyarrow
            data = data.combine_chunks()
        capsule = Capsule(data)
        return _read_arrow(context, capsule, [name for name, _ in _columns(capsule)], how)
    if isinstance(data, (list, tuple)):
        return _read_array(context, np.asarray(data), how)
    raise TypeError(f'data: a {kind.__name__} is no table (need a pandas, polars or Arrow data frame, an array, '
                    'or the path of a CSV file)')


def _read_file(context: Context, path: str, how: Reading) -> Table:
    opts = api.fgt_csv_opts(
        time=_bytes(how.time), id=_bytes(how.id), value=_bytes(how.value),
        missing=_missing(how), repair=api.FGT_TABLE_REPAIR_ALL if how.repair else 0, round=how.round)
    if how.id:
        opts.form = api.FGT_TABLE_FORM_LONG
    opts.categories, opts.category_count = texts(how.categories), len(how.categories)
    opts.apart, opts.apart_count = texts(how.apart), len(how.apart)
    if how.step is not None:
        opts.step = C.pointer(how.step)
    table = Table(context)
    context.call('fgt_table_load', context.pointer, path_bytes(path), C.byref(opts), table.out)
    return table


def _bytes(name: Optional[str]) -> Optional[bytes]:
    return None if name is None else name.encode()


def _missing(how: Reading) -> int:
    if how.missing not in MISSING:
        raise DataError(f'missing: there is no such word (got {how.missing!r}, need None, "mask", "ffill" or "zero")')
    return MISSING[how.missing]


def _read_array(context: Context, data: np.ndarray[Any, Any], how: Reading) -> Table:
    """Rows without times, whose columns are numbered."""
    if data.ndim not in (1, 2):
        raise DataError(f'data: an array of this shape is no table (got {data.shape}, need rows or rows and columns)')
    if isinstance(data, np.ma.MaskedArray):
        masked: Any = np.ma
        data = masked.filled(data.astype(float), np.nan)
    rows = np.ascontiguousarray(data[:, None] if data.ndim == 1 else data)
    names = [str(i) for i in range(rows.shape[1])]
    frame = from_columns(list(zip(names, (np.ascontiguousarray(c) for c in rows.T))), len(rows))
    table = _read_arrow(context, frame, names, how)
    table.flat = data.ndim == 1
    return table


# ---- columns and their roles ----


def _read_arrow(context: Context, frame: Any, names: list[str], how: Reading) -> Table:
    opts = api.fgt_arrow_opts(missing=_missing(how), repair=api.FGT_TABLE_REPAIR_ALL if how.repair else 0,
                              round=how.round)
    series = how.id or _first(names, ID_NAMES)
    for given in (how.time, how.id, how.value):
        if given is not None and given not in names:
            context.call('fgt_table_create_arrow', context.pointer, C.byref(frame.schema), C.byref(frame.array),
                         C.byref(api.fgt_arrow_opts(time=given.encode())), Table(context).out)
    if series is not None:
        value = how.value or _first(names, VALUE_NAMES)
        opts.id, opts.value = series.encode(), value and value.encode()
    time = how.time or _first_time(frame)
    if time is None:
        _refuse_texts(frame)
        if series is not None:
            raise DataError(f'data: series of column {series!r} need times, and no column has any; '
                            'pandas.to_datetime() makes times, and the parameter `time` names their column')
    zone = next((kind[4:] for name, kind in _columns(frame) if name == time and kind.startswith('ts')), '')
    if how.round and zone not in ('', 'UTC', 'Etc/UTC', 'Z', '+00:00'):
        raise DataError(f'round: times with a zone are rounded on its clock, in frames of pandas only (got {zone} in an '
                        'Arrow or polars frame); to_pandas() makes one')
    opts.time, opts.no_times = time and time.encode(), time is None
    found = [c for c in how.categories if c in names or c.rpartition('=')[0] in names]
    opts.categories, opts.category_count = texts(found), len(found)
    table = Table(context)
    try:
        context.call('fgt_table_create_arrow', context.pointer, C.byref(frame.schema), C.byref(frame.array),
                     C.byref(opts), table.out)
    except DataError as error:
        keys = [name for name, kind in _columns(frame) if kind in ('u', 'U', 'vu')]
        if series is None and time is not None and keys and 'row' in str(error) and error.status == 'FGT_E_DATA':
            error.args = (f'{error}; if column {keys[0]!r} names series, the parameter id={keys[0]!r} says so, and '
                          '`value` names the column of their values',)
        raise
    table.time_name = time
    table.zone = _pandas.Zone(zone, False) if zone else None
    return table


def _first(names: list[str], wanted: tuple[str, ...]) -> Optional[str]:
    return next((w for w in wanted if w in names), None)


def _columns(frame: Any) -> list[tuple[str, str]]:
    children = [frame.schema.children[i].contents for i in range(frame.schema.n_children)]
    return [((c.name or b'').decode(), (c.format or b'').decode()) for c in children]


def _first_time(frame: Any) -> Optional[str]:
    return next((name for name, kind in _columns(frame) if kind.startswith(('ts', 'td'))), None)


def _refuse_texts(frame: Any) -> None:
    """Refuses texts and years that are times: without a column of times they would be lost, or forecast."""
    for name, kind in _columns(frame):
        if name.lower() in TIME_NAMES and kind in ('u', 'U', 'vu'):
            raise DataError(f'column {name!r}: it has texts (need times); pandas.to_datetime() or '
                            'str.to_datetime() of polars makes times of them')
        if name.lower() == 'year' and kind in ('i', 'l', 's'):
            raise DataError(f'column {name!r}: it has integers (need times); pandas.to_datetime(..., format="%Y") '
                            'makes times of years')
