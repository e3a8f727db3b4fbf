# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of callers as the library takes them: contiguous, of one of its types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_EXACT = 2**24 # all whole numbers up to it are floats


def numpy_of(value: Any) -> Any:
    """An array of a tensor of PyTorch, or `value` itself."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError('array: a masked array cannot be read, because its mask would be lost; filled() makes an array '
                        'without a mask')
    if hasattr(value, 'detach') and hasattr(value, 'cpu'):
        value = value.detach().cpu()
        return (value.float() if value.is_floating_point() else value).numpy()
    return value


def reals(what: str, value: ArrayLike) -> NDArray[np.float32]:
    """A contiguous array of float32; one that is so already is not copied.

    Layers compute in float32. So float64 is rounded, and a number beyond the range of float32 is refused.
    Whole numbers are taken up to 2**24, because larger ones would change. Text, dates and complex numbers are
    refused.
    """
    array = np.asarray(numpy_of(value))
    if array.dtype == np.float32:
        return np.ascontiguousarray(array) if not array.flags.c_contiguous else array
    if array.dtype.kind in 'iu' and array.size and max(int(array.max()), -int(array.min())) > _EXACT:
        raise ValueError(f'{what}: whole numbers beyond 2**24 are not exact in float32 '
                         f'(got {array.min()} .. {array.max()}); scale them first')
    if array.dtype.kind not in 'fiub':
        raise TypeError(f'{what}: it must have numbers (got {array.dtype}, need float32)')
    with np.errstate(over='ignore'):
        out = np.ascontiguousarray(array, np.float32)
    if array.dtype.kind == 'f' and array.itemsize > 4 and (np.isinf(out) & np.isfinite(array)).any():
        raise ValueError(f'{what}: a number is beyond the range of float32 (got {np.nanmax(np.abs(array))}, '
                         'need at most 3.4e38); scale them first')
    return out


def wholes(what: str, value: ArrayLike, dtype: Any = np.int64) -> NDArray[Any]:
    """A contiguous array of whole numbers, such as ids or classes; other numbers are refused."""
    array = np.asarray(numpy_of(value))
    if array.dtype.kind not in 'iub':
        raise TypeError(f'{what}: it must have whole numbers (got {array.dtype}, need int64)')
    for number in () if np.can_cast(array.dtype, dtype) or not array.size else (array.min(), array.max()):
        if not np.iinfo(dtype).min <= int(number) <= np.iinfo(dtype).max:
            raise ValueError(f'{what}: a number is too large (got {number}, need {np.dtype(dtype)})')
    return np.ascontiguousarray(array, dtype)
