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
from ._library import Handle, lib, raise_error, take_raised, view

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

    def _workspace(self, tokens: int = 0, batch: int = 0) -> Handle:
        handle = Handle(self._handle.context, 'fgt_workspace', self._handle)
        opts = api.fgt_workspace_opts(batch=batch or self._most, threads=1, tokens=tokens)
        self._handle.context.call('fgt_predictor_create_workspace', self._handle.pointer, C.byref(opts), handle.out)
        return handle

    def _run(self, workspace: Any, x: NDArray[Any], y: NDArray[np.float32]) -> None:
        context = self._handle.context
        with context.interrupts():
            status = lib.fgt_workspace_predict(workspace, C.byref(view(x)), C.byref(view(y))).value
        raised = take_raised() # of a layer in Python
        if raised is not None:
            raise raised
        if status:
            raise_error(status, lib.fgt_workspace_get_error(workspace).decode('utf-8', 'replace'))

    def predict(self, x: ArrayLike) -> NDArray[np.float32]:
        """Outputs for any number of samples, computed by the calling thread."""
        given, handle = self._model._input(x), getattr(self._own, 'handle', None)
        if handle is None: # the first prediction of this thread
            handle = self._own.handle = self._workspace()
        y = np.empty(self._model._shape(given), np.float32)
        for at in range(0, len(given), self._most):
            self._run(handle.pointer, given[at:at + self._most], y[at:at + self._most])
        return y

    def stream(self, tokens: int, batch: int = 1) -> Stream:
        """Streams through a causal model, which read token by token. See `Stream`."""
        return Stream(self, tokens, batch)


class Stream:
    """Streams of tokens through a causal model: each call reads the next tokens. `Predictor.stream` makes one.

    Parameters
    ----------
    predictor : Predictor
        Of a model whose layers are all causal.
    tokens : int
        Most tokens of a stream.
    batch : int
        Number of streams.

    Examples
    --------
    >>> stream = model.predictor().stream(512)
    >>> y = stream.next(prompt) # any number of tokens at a time
    >>> y = stream.next(token)
    >>> stream.begin() # new streams
    """

    def __init__(self, predictor: Predictor, tokens: int, batch: int) -> None:
        self._predictor, self._handle = predictor, predictor._workspace(tokens, batch)

    def __len__(self) -> int:
        return int(lib.fgt_workspace_get_tokens(self._handle.pointer))

    def next(self, x: ArrayLike) -> NDArray[np.float32]:
        """Outputs for the next tokens x [batch, T, D]: those of one pass over all tokens so far."""
        model = self._predictor._model
        given = model._input(x)
        y = np.empty(model._shape(given), np.float32)
        self._predictor._run(self._handle.pointer, given, y)
        return y

    def begin(self) -> None:
        """Begins new streams."""
        status = lib.fgt_workspace_begin_series(self._handle.pointer, 0).value
        if status:
            raise_error(status, lib.fgt_workspace_get_error(self._handle.pointer).decode('utf-8', 'replace'))
