# SPDX-License-Identifier: BSD-3-Clause
"""The columns that are forecast, read, or known in advance, and values in them that must be wrong."""

from __future__ import annotations

import ctypes as C
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np

from . import _api as api
from ._axis import find_seasons
from ._library import Context, DataError, lib, warn
from ._table import Table

_NINES = [sign * float('9' * n) for n in (3, 4, 5, 6) for sign in (-1, 1)]


@dataclass
class Roles:
    """Names of the targets, the past columns and the known columns."""

    target: list[str]
    past: list[str]
    known: list[str]


def as_list(names: Any, role: str) -> Optional[list[str]]:
    """A name or a list of names as a list."""
    if names is None:
        return None
    listed = [names] if isinstance(names, (str, int, np.integer)) else list(names)
    if len(set(listed)) < len(listed):
        raise DataError(f'{role}: a column is named twice (got {listed})')
    return [str(n) for n in listed]


def find(table: Table, target: Any, past: Any, known: Any, train_end: Optional[int]) -> Roles:
    """Finds the columns of each role; train_end: the end of the training rows; None: nothing is trained."""
    columns = table.columns
    listed, read, ahead = as_list(target, 'target'), as_list(past, 'past'), as_list(known, 'known')
    ahead = _expand(table, ahead or [])
    read = _expand(table, read) if read is not None else None
    rest_of = [c for c in columns if c not in ahead]
    if listed is None:
        listed = [c for c in _rest(table, rest_of, train_end) if c not in (read or [])]
        read = read or []
    else:
        for name in listed:
            table.find(name)
        if read is None:
            read = [c for c in _rest(table, rest_of, train_end) if c not in listed]
    for a, b, both in (('target', 'past', set(listed) & set(read)), ('target', 'known', set(listed) & set(ahead)),
                       ('past', 'known', set(read) & set(ahead))):
        if both:
            raise DataError(f'{a} and {b} both name {sorted(both)[0]!r}; a column has one role')
    if not listed:
        raise DataError('data: no column is left to forecast')
    return Roles(listed, read, ahead)


def _expand(table: Table, names: list[str]) -> list[str]:
    """Replaces the name of a category by the columns of its values."""
    columns, out = table.columns, []
    for name in names:
        parts = [c for c in columns if c.startswith(name + '=')] if name not in columns else []
        out += parts or [name]
    return out


def _rest(table: Table, columns: list[str], train_end: Optional[int]) -> list[str]:
    """Columns that get a role without being named: no covariates of series, no keys, none that begins too late."""
    values, everything = table.values, table.columns
    series = table.info.series if table.is_long else len(everything)
    wanted = [c for c in columns if everything.index(c) < series]
    keys = {c for i, c in enumerate(everything) if lib.fgt_table_is_key(table.pointer, i)}
    if len(keys) < len(everything):
        wanted = [c for c in wanted if c not in keys]
    if train_end is not None:
        wanted = [c for c in wanted if not np.isnan(values[:train_end, everything.index(c)]).all()]
    return wanted


def leave_out(context: Context, table: Table, names: Sequence[str], season: Optional[int]) -> None:
    """Makes single wrong values of targets and past columns missing, and warns of each."""
    seasons = ([season, 0] if season else [*find_seasons(table), 0, 0])[:2]
    marked = _marked(table)
    rows, values = (C.c_int64 * api.FGT_LEFT_OUT)(), (C.c_double * api.FGT_LEFT_OUT)()
    count = C.c_int64()
    columns = table.columns
    for name in names:
        if name not in columns: # a covariate with a column for each series, or a name that is refused later
            continue
        column = columns.index(name)
        if marked[column]:
            continue
        context.call('fgt_table_leave_out', table.pointer, column, *seasons, rows, values, C.byref(count))
        for i in range(count.value):
            warn(f'column {name!r}: {values[i]:g} in row {rows[i]} counts as missing, because it is far from the '
                 'values around it; keep_outliers=True keeps it')


def _marked(table: Table) -> np.ndarray[Any, Any]:
    """Which columns have a number such as -9999 that another column has too often to be single."""
    values = table.values
    plain = np.where(np.isin(values, _NINES), np.nan, values)
    with np.errstate(all='ignore'):
        low = np.nanmin(np.where(np.isnan(plain), np.inf, plain), axis=0)
        high = np.nanmax(np.where(np.isnan(plain), -np.inf, plain), axis=0)
    marked = np.zeros(values.shape[1], bool)
    for nine in _NINES:
        cells = (values == nine).sum(axis=0)
        far = (high >= low) & (np.maximum(nine - high, low - nine) > 3 * (high - low))
        if ((cells > api.FGT_LEFT_OUT) & far).any():
            marked |= cells > 0
        for column in np.nonzero((cells > 0) & far)[0]:
            warn(f'column {table.columns[column]!r}: it is {nine:g} in {cells[column]} rows, and from '
                 f'{low[column]:g} to {high[column]:g} elsewhere; if values are missing there, replace them by NaN')
    return marked
