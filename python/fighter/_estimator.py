# SPDX-License-Identifier: BSD-3-Clause
"""What scikit-learn expects of an estimator, without scikit-learn."""

from __future__ import annotations

import ctypes as C
import inspect
import os
import sys
from typing import Any, Optional, TypeVar

import numpy as np

from . import _api as api
from ._library import Context, StateError

Self = TypeVar('Self', bound='Estimator')


class NotFittedError(StateError, ValueError, AttributeError):
    """An estimator that was not fitted yet. It is scikit-learn's NotFittedError, too, if that is loaded."""


def from_sklearn(name: str, own: type[Any]) -> type[Any]:
    """A class that is also the class `name` of sklearn.exceptions, if that is loaded."""
    theirs = getattr(sys.modules.get('sklearn.exceptions'), name, None)
    return type(name, (own, theirs), {}) if theirs else own


def count_threads(n_jobs: Optional[int]) -> int:
    """Number of threads. -1 is all processors that this process may use.

    None is the same, but at most OMP_NUM_THREADS, which joblib sets in its workers.
    """
    processors = len(os.sched_getaffinity(0))
    if n_jobs is None:
        limit = os.environ.get('OMP_NUM_THREADS', '')
        return min(processors, int(limit)) if limit.isdigit() and int(limit) else processors
    if n_jobs == 0:
        raise ValueError('n_jobs: is 0 (need a number of threads, or -1 for all processors)')
    return n_jobs if n_jobs > 0 else max(1, processors + 1 + n_jobs)


def draw_seed(random_state: Any) -> int:
    """Seed of a random_state of scikit-learn: a number, a generator of numpy, or None."""
    if random_state is None:
        return int(np.random.default_rng().integers(1 << 31))
    if hasattr(random_state, 'integers') or hasattr(random_state, 'randint'):
        draw = getattr(random_state, 'integers', None) or random_state.randint
        return int(draw(np.iinfo(np.int32).max))
    if not 0 <= int(random_state) < 1 << 63:
        raise ValueError(f'random_state: is out of range (got {random_state}, need 0 or more)')
    return int(random_state)


def save_to_bytes(context: Context, name: str, pointer: Any) -> bytes:
    """The file that a function such as fgt_classifier_save writes."""
    size = C.c_int64()
    context.call(name, pointer, C.byref(api.fgt_output(bytes=C.pointer(size))))
    buffer = C.create_string_buffer(size.value)
    out = api.fgt_output(buffer=C.addressof(buffer), capacity=size.value, bytes=C.pointer(size))
    context.call(name, pointer, C.byref(out))
    return buffer.raw


class Estimator:
    """Parameters by the names of the constructor, as scikit-learn's clone() and searches need them."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(p for p in inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the constructor.

        Parameters
        ----------
        deep : bool
            No effect: no parameter is an estimator.
        """
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Sets parameters of the constructor. They count from the next fit on."""
        names = self._get_param_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f'{type(self).__name__}: has no parameter {name!r} (it has {", ".join(names)})')
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        standard = inspect.signature(type(self)).parameters
        given = [f'{k}={v!r}' for k, v in self.get_params().items() if v is not standard[k].default]
        return f'{type(self).__name__}({", ".join(given)})'
