# SPDX-License-Identifier: BSD-3-Clause
"""Something that only predicts, in several threads at the same time."""

from __future__ import annotations

import ctypes as C
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _api as api
from ._description import near
from ._library import Handle, lib, raise_error, view

if TYPE_CHECKING:
    from ._model import Model

_STORAGES = {'f32': api.FGT_STORAGE_F32, 'bf16': api.FGT_STORAGE_BF16}
_PRECISIONS = {'f32': api.FGT_PRECISION_F32, 'bf16': api.FGT_PRECISION_BF16}


class Predictor:
    """A model that only predicts: its weights do not change any more. `Model.predictor` makes one.

    Parameters
    ----------
    model : Model
        A model with all its layers. Later changes of its weights have no effect.
    storage : {'f32', 'bf16'}
        Form of large weights; "bf16" takes half the memory.
    precision : {'f32', 'bf16'}
        Precision of factors in large products.
    exact : bool
        True: the same bits as `Model.predict`. False: shortcuts that change the rounding are allowed.
    """

    def __init__(self, model: Model, storage: str, precision: str, exact: bool) -> None:
        for what, word, known in (('storage', storage, _STORAGES), ('precision', precision, _PRECISIONS)):
            if word not in known:
                raise ValueError(f'Predictor: no {what} "{word}"{near(word, known)}')
        opts = api.fgt_predictor_opts(storage=_STORAGES[storage], precision=_PRECISIONS[precision], exact=exact)
        self._model = model # for shapes
        self._handle = Handle(model.context, 'fgt_predictor')
        model.context.call('fgt_predictor_create', model._handle.pointer, C.byref(opts), self._handle.out)
        self._most = model.input_shape[0]
        self._own = threading.local()

    @property
    def nbytes(self) -> int:
        """Bytes of its weights."""
        return int(lib.fgt_predictor_get_bytes(self._handle.pointer))

    def _workspace(self) -> Any:
        """The workspace of this thread."""
        handle = getattr(self._own, 'handle', None)
        if handle is None:
            handle = Handle(self._handle.context, 'fgt_workspace', self._handle)
            opts = api.fgt_workspace_opts(batch=self._most, threads=1)
            self._handle.context.call('fgt_predictor_create_workspace', self._handle.pointer, C.byref(opts), handle.out)
            self._own.handle = handle
        return handle.pointer

    def predict(self, x: ArrayLike) -> NDArray[np.float32]:
        """Outputs for any number of samples, computed by the calling thread."""
        given, workspace = self._model._input(x), self._workspace()
        y = np.empty(self._model._shape(given), np.float32)
        for at in range(0, len(given), self._most):
            status = lib.fgt_workspace_predict(workspace, C.byref(view(given[at:at + self._most])),
                                               C.byref(view(y[at:at + self._most]))).value
            if status:
                raise_error(status, lib.fgt_workspace_get_error(workspace).decode('utf-8', 'replace'))
        return y
