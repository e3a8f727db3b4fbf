# SPDX-License-Identifier: BSD-3-Clause
"""The times of rows: seasons, horizons, and the times after the last row."""

from __future__ import annotations

import ctypes as C
import datetime
import re
from typing import Any, Optional

import numpy as np

from . import _api as api
from ._library import DataError, lib

DAY = 86400000 # milliseconds
_UNITS = {'ms': 1, 's': 1000, 'min': 60000, 'h': 3600000, 'd': DAY}


def read_step(name: str, step: Any) -> int:
    """Milliseconds of a part of a day, such as ``'15min'`` or a timedelta; None: 0."""
    if step is None:
        return 0
    found = re.fullmatch(r'(\d{0,8}) ?(ms|s|min|h|d)', step.lower()) if isinstance(step, str) else None
    if found:
        size = int(found[1] or 1) * _UNITS[found[2]]
    elif isinstance(step, (datetime.timedelta, np.timedelta64)):
        size = int(np.timedelta64(step) // np.timedelta64(1, 'ms'))
    else:
        size = 0
    if size < 1 or DAY % size:
        raise DataError(f'{name}: no part of a day (got {step!r}, need such as "10s", "15min", "1h" or "1d")')
    return size


def step_key(step: Any) -> tuple[int, int, int, int, int]:
    """The fields of a step, to compare steps."""
    return (step.milliseconds, step.months, step.weekdays, step.day_rows, step.day_begin)


def is_local(step: Any) -> bool:
    """Whether rows with this step are days or longer, whose times are local times."""
    return bool(step.months or step.milliseconds >= DAY)


def _rows_of_days(step: Any, days: int) -> int:
    """Rows in a day or in whole weeks; 0: the step does not divide them."""
    per_week = bin(step.weekdays or 127).count('1')
    if step.day_rows:
        return int(step.day_rows * (days // 7 * per_week if days > 1 else 1))
    if step.weekdays:
        return int(days // 7 * per_week if days > 1 else 1)
    return 0 if days * DAY % step.milliseconds else int(days * DAY // step.milliseconds)


def find_seasons(step: Any) -> list[int]:
    """Rows in a day, a week and a year, as far as they are more than one."""
    months = step.months
    seasons = [12 // months] if months and months < 12 and 12 % months == 0 else []
    if step.milliseconds:
        seasons += [rows for rows in (_rows_of_days(step, d) for d in (1, 7, 364)) if rows > 1]
    return seasons


def find_horizon(step: Any, rows: int, share: int) -> int:
    """Rows to forecast by default: a year of months, 8 weeks, 14 days, 48 hours, at most rows / share; 0: unknown."""
    size = step.milliseconds
    if step.months:
        wanted = 12 // step.months
    elif size >= 7 * DAY:
        wanted = 8 * 7 * DAY // size
    elif size >= DAY:
        wanted = _rows_of_days(step, 14) if step.weekdays else 14 * DAY // size
    elif size >= DAY // 24:
        wanted = 2 * step.day_rows if step.day_rows else 2 * DAY // size
    else:
        return 0
    return int(max(min(max(wanted, 4), rows // share), 1))


def times_after(axis: Any, last: int, count: int) -> Optional[np.ndarray[Any, Any]]:
    """Times of the `count` rows after row `last`; None: rows have no times, or their step is not known."""
    times, step = axis.times, axis.info.step
    if times is None or not (step.milliseconds or step.months):
        return None
    anchor = last
    if step.months: # a last day of a month may stand for the 30th: count from a row that shows the day
        days = times[:last + 1].astype('datetime64[ms]')
        after = (days + np.timedelta64(1, 'D')).astype('datetime64[D]')
        inside = np.nonzero(after.astype('datetime64[M]').astype('datetime64[D]') != after)[0]
        anchor = int(inside[-1]) if len(inside) else last
    sums = np.empty(count, np.int64)
    out = C.c_int64()
    for k in range(count):
        if lib.fgt_time_add(int(times[anchor]), C.byref(step), last - anchor + k + 1, C.byref(out)).value != api.FGT_OK:
            return None
        sums[k] = out.value
    return sums.view('datetime64[ms]')
