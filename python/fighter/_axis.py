# SPDX-License-Identifier: BSD-3-Clause
"""The times of rows: seasons, and the times after the last row."""

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
        try:
            size = int(np.timedelta64(step) // np.timedelta64(1, 'ms'))
        except TypeError: # months and years
            size = 0
    else:
        size = 0
    if size < 1 or DAY % size:
        raise DataError(f'{name}: no part of a day (got {step!r}, need such as "10s", "15min", "1h" or "1d")')
    return size


def is_local(step: Any) -> bool:
    """Whether rows with this step are days or longer, whose times are local times."""
    return bool(step.months or step.milliseconds >= DAY)


def find_seasons(table: Any) -> list[int]:
    """Rows in a day, a week and a year, as far as they are more than one."""
    seasons = (C.c_int64 * api.FGT_SEASONS)()
    return seasons[:lib.fgt_table_find_seasons(table.pointer, seasons)]


def times_after(axis: Any, last: int, count: int) -> Optional[np.ndarray[Any, Any]]:
    """Times of the `count` rows after row `last`; None: rows have no times, or their step is not known."""
    sums = np.empty(count, np.int64)
    out = C.c_int64()
    for k in range(count):
        if lib.fgt_table_compute_time(axis.pointer, last, k + 1, C.byref(out)).value != api.FGT_OK:
            return None
        sums[k] = out.value
    return sums.view('datetime64[ms]')
