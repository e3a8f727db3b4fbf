# SPDX-License-Identifier: BSD-3-Clause
"""Samples and labels of a classifier, checked."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._arrays import numpy_of
from ._estimator import from_sklearn
from ._library import DataError, FighterWarning

Array = np.ndarray[Any, Any]


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT."""
    return value is None or type(value).__name__ in ('NAType', 'NaTType') or \
        isinstance(value, (float, np.floating)) and value != value


def read_texts(X: Any) -> list[bytes]:
    """Texts of a list, an array or a Series, as the library reads them."""
    if isinstance(X, (str, bytes)):
        raise DataError('X: is one text (need a list of texts)')
    if not isinstance(X, list):
        array = np.asarray(X, object)
        if array.ndim != 1 and not (array.ndim == 2 and array.shape[1] == 1):
            raise DataError(f'X: is not a list of texts (got shape {list(array.shape)}, need [n]; of a table '
                            "give one column, such as X['text'])")
        X = array.ravel().tolist()
    if not X:
        raise DataError('X: has no text (got 0 samples, need 1 or more)')
    try: # a lone surrogate is not UTF-8, and the library replaces it; no text of C has a zero byte inside
        return [str.encode(x, 'utf-8', 'surrogatepass').replace(b'\0', b' ') for x in X]
    except TypeError:
        i, x = next((i, x) for i, x in enumerate(X) if not isinstance(x, str))
        if is_missing(x):
            raise DataError(f'X: text {i} is missing (got {x}, need a str); leave the row out, '
                            "or give ''") from None
        raise TypeError(f'X: text {i} is not a text (got {type(x).__name__}, need str)') from None


def read_images(X: Any) -> Array:
    """Images of an array, as the library reads them: float32 [n,H,W,C]."""
    array = np.asarray(numpy_of(X))
    if array.ndim == 2:
        raise DataError(f'X: are rows of numbers, not images (got shape {list(array.shape)}, need [n, rows, columns] '
                        'or [n, rows, columns, channels]); X.reshape(n, rows, columns) makes images of them')
    if array.ndim not in (3, 4):
        raise DataError(f'X: is no array of images (got shape {list(array.shape)}, need [n, rows, columns] or '
                        '[n, rows, columns, channels])')
    if array.dtype.kind not in 'buif':
        raise TypeError(f'X: pixels are not numbers (got {array.dtype}, need uint8 or float)')
    if not array.size:
        raise DataError(f'X: has no image (got shape {list(array.shape)}, need 1 or more samples)')
    if array.dtype != np.uint8:
        wrong = ~((array >= 0) & (array <= 255) & (array == np.floor(array)))
        if wrong.any():
            i = int(np.argmax(wrong.reshape(len(array), -1).any(1)))
            raise DataError(f'X: image {i} has a wrong pixel (got {array[i][wrong[i]][0]}, need a whole number from 0 '
                            'to 255; of pixels 0 to 1 give np.rint(255 * X))')
    return np.ascontiguousarray(array if array.ndim == 4 else array[..., None], np.float32)


def read_labels(y: Any, n: int) -> tuple[Array, Array]:
    """The classes, sorted, and the number of the class of each sample."""
    if y is None:
        raise DataError('y: is None; a classifier requires y to be passed, but the target y is None')
    array = np.asarray(numpy_of(y))
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn('A column-vector y was passed when a 1d array was expected; it is read as y.ravel()',
                      from_sklearn('DataConversionWarning', FighterWarning), stacklevel=3)
        array = array.ravel()
    if array.ndim != 1:
        raise DataError(f'y: should be a 1d array (got an array of shape {list(array.shape)})')
    if len(array) != n:
        raise DataError(f'X and y have inconsistent numbers of samples (got {n} and {len(array)})')
    if array.dtype.kind in 'mM' and np.isnat(array).any():
        raise DataError('y: the class of a sample is missing (got NaT)')
    if array.dtype.kind in 'fc':
        if not np.isfinite(array).all():
            raise DataError('y: Input y contains NaN or infinity, so a class is missing')
        if (array != np.floor(array)).any():
            raise DataError('y: Unknown label type: continuous; a class is a whole number or a word')
    elif array.dtype == object:
        missing = [i for i, c in enumerate(array.tolist()) if is_missing(c)]
        if missing:
            raise DataError(f'y: the class of sample {missing[0]} is missing')
    try:
        classes, codes = np.unique(array, return_inverse=True)
    except TypeError:
        kinds = sorted({type(c).__name__ for c in array.tolist()})
        raise DataError(f'y: classes of different types cannot be sorted (got {", ".join(kinds)})') from None
    if n >= 20 and len(classes) > n // 2:
        raise DataError(f'y: {n} samples have {len(classes)} classes, such as {classes[0]!r} (Unknown label type: '
                        'need classes with two samples or more)')
    return classes, codes.ravel()


def split_rows(n: int, share: float, seed: int) -> tuple[Array, Array]:
    """Rows for validation and for training, in the order of the program fighter-classify."""
    with np.errstate(over='ignore'): # splitmix64 (Steele, Lea, Flood 2014)
        z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9e3779b97f4a7c15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        z ^= z >> np.uint64(31)
    row = [0] * n
    for i, k in enumerate((z % np.arange(1, n + 1, dtype=np.uint64)).tolist()):
        row[i] = row[k]
        row[k] = i
    keep = int(share * n)
    return np.array(row[:keep], np.int64), np.array(row[keep:], np.int64)
