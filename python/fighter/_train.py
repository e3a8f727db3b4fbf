# SPDX-License-Identifier: BSD-3-Clause
"""Losses, optimizers, selectors, checkpoints."""

from __future__ import annotations

import ctypes as C
import os
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _api as api
from ._arrays import reals, wholes
from ._library import Context, Handle, StateError, lib, path_bytes, view
from ._options import LossOptions, OptimizerOptions, SelectorOptions

_contexts: list[Context] = []


def shared_context() -> Context:
    """The context of losses and selectors that belong to no model."""
    if not _contexts or _contexts[-1].broken: # without a lock, which a child of fork() could find held
        _contexts.append(Context())
    return _contexts[-1]


class Loss(LossOptions):
    """A loss: a function of outputs and targets, also for `Model.fit`.

    ``loss(y, target)`` returns the loss and its gradient at y. For most kinds the targets have the shape of
    the outputs. For "cross_entropy" they are the numbers of classes, without the last axis of y; class -1
    does not count, with `skip_nan`.

    Examples
    --------
    >>> value, gradient = Loss(kind='huber', beta=0.5)(model.forward(x), target)
    >>> model.backward(gradient)
    """

    def __call__(self, y: ArrayLike, target: ArrayLike) -> tuple[float, NDArray[np.float32]]:
        value, gradient, _ = self._compute(y, target, None, False)
        return value, gradient

    def each(self, y: ArrayLike, target: ArrayLike,
             weight: Optional[ArrayLike] = None) -> tuple[float, NDArray[np.float32], NDArray[np.float32]]:
        """Loss, gradient, and the losses of the samples; `weight` has a factor for each sample."""
        return self._compute(y, target, weight, True)

    @property
    def classes(self) -> bool:
        """Whether targets are classes."""
        return bool(self._values['kind'] == 'cross_entropy')

    def _compute(self, y: ArrayLike, target: ArrayLike, weight: Optional[ArrayLike],
                 each: bool) -> tuple[float, NDArray[np.float32], NDArray[np.float32]]:
        context, keep, value = shared_context(), [], C.c_double() # type: tuple[Context, list[Any], Any]
        given = reals('y', y)
        true = wholes('target', target) if self.classes else reals('target', target)
        gradient = np.empty(given.shape, np.float32)
        losses = np.zeros(given.shape[:1] if each else 0, np.float32)
        samples = api.fgt_loss_samples(loss=losses.ctypes.data_as(C.POINTER(C.c_float)))
        if weight is not None:
            keep.append(reals('weight', np.broadcast_to(np.asarray(weight), given.shape[:1])))
            samples.weight = keep[0].ctypes.data_as(C.POINTER(C.c_float))
        opts = self._make(context, keep)
        context.call('fgt_loss_compute', context.pointer, C.byref(view(given)), C.byref(view(true)), C.byref(opts),
                     C.byref(samples) if each else None, C.byref(value), C.byref(view(gradient)))
        return value.value, gradient, losses


class Optimizer(OptimizerOptions):
    """Updates the parameters of a model from their gradients.

    Without a model it is a description, for `Model.fit`. The model must have all its layers.

    Examples
    --------
    >>> optimizer = Optimizer(model, kind='adamw', lr=3e-3, clip=1)
    >>> loss, dy = fighter.losses.mse(model.forward(x), target)
    >>> model.backward(dy)
    >>> optimizer.step()
    """

    def _begin(self, model: Any) -> None:
        self._handle: Optional[Handle] = None
        if model is not None:
            keep: list[Any] = []
            context, opts = model.context, self._make(model.context, keep)
            self._handle = Handle(context, 'fgt_optim', model._handle)
            context.call('fgt_optim_create', model._handle.pointer, C.byref(opts), self._handle.out)

    @property
    def _made(self) -> Handle:
        if self._handle is None:
            raise StateError('Optimizer: it has no model; begin with Optimizer(model, ...)')
        return self._handle

    def step(self) -> None:
        """Updates all parameters that are not frozen, and sets the gradients to zero."""
        self._made.context.call('fgt_step', self._made.pointer)

    def settle(self) -> None:
        """Brings rows of embeddings that no late step changed up to date; call it after the last step."""
        self._made.context.call('fgt_optim_settle', self._made.pointer)

    @property
    def lr(self) -> float:
        """Learning rate of the next step."""
        return float(lib.fgt_optim_get_lr(self._made.pointer))

    @lr.setter
    def lr(self, value: float) -> None:
        self._made.context.call('fgt_optim_set_lr', self._made.pointer, value)

    @property
    def norm(self) -> float:
        """Norm of the gradients in the last step, before clipping."""
        return float(lib.fgt_optim_get_norm(self._made.pointer))


@dataclass(frozen=True)
class Subset:
    """The samples of an epoch, as a selector chose them."""

    index: NDArray[np.int64] #: samples, in the order of training
    epoch: int #: number of the epoch, from 1
    interval: int #: epochs with this subset
    ratio: float #: share of all samples
    score: float #: mean score of the subset; NaN: not known
    residual: float #: distance of outputs and targets by the scores; NaN: not known
    fresh: bool #: the subset is new
    stop: bool #: no epoch begins


class Selector(SelectorOptions):
    """AtteNT: selects the samples that are worth a training step, for any model, also of another library.

    ``model.fit(x, y, selector=Selector())`` does everything itself; another fit with it begins anew, and one after
    a loop of your own, or after `state` was set, continues there. In a loop of your own::

        selector = Selector(samples=len(x), epochs=20)
        while True:
            if selector.due: # scores of all samples are needed
                selector.add(np.arange(len(x)), losses_of(x))
            subset = selector.begin_epoch()
            if subset.stop:
                break
            for index in np.array_split(subset.index, len(subset.index) // 32 + 1):
                losses = train(x[index], selector.weights(index))
                selector.add(index, losses)
    """

    _context: Optional[Context] = None
    _handle: Optional[Handle] = None

    def _bind(self, context: Context) -> Handle:
        """The selector of a context. One that was used elsewhere continues there."""
        if self._handle is None or self._context is not context:
            state, keep = self._state if self._handle is None else self.state, [] # type: tuple[Any, list[Any]]
            opts = self._make(context, keep)
            handle = Handle(context, 'fgt_attent')
            context.call('fgt_attent_create', context.pointer, C.byref(opts), handle.out)
            if state is not None:
                context.call('fgt_attent_set_state', handle.pointer, state, len(state))
            self._context, self._handle, self._state = context, handle, None
        return self._handle

    _state: Optional[bytes] = None
    _own: Optional[dict[str, Any]] = None # options before a fit added samples and epochs; None: no fit has used them

    def _begin_fit(self, context: Context, samples: int, epochs: int) -> Handle:
        """The selector for a fit. After another fit it begins anew; otherwise it continues where it is."""
        if self._own is not None:
            self._values, self._handle, self._state = self._own, None, None
        self._own = values = self._values
        self._values = {**values, 'samples': values['samples'] or samples, 'epochs': values['epochs'] or epochs}
        return self._bind(context)

    def _call(self, name: str, *args: Any) -> None:
        handle = self._handle or self._bind(shared_context())
        handle.context.call(name, handle.pointer, *args)

    @property
    def due(self) -> bool:
        """Whether the next epoch needs new scores of all samples."""
        handle = self._handle or self._bind(shared_context())
        return bool(lib.fgt_attent_get_due(handle.pointer))

    def add(self, index: ArrayLike, score: ArrayLike) -> None:
        """Reports scores, such as losses, of samples."""
        samples, scores = wholes('index', index).ravel(), reals('score', score).ravel()
        if samples.size != scores.size:
            raise ValueError(f'Selector.add: as many scores as samples (got {scores.size}, need {samples.size})')
        self._call('fgt_attent_add', samples.ctypes.data_as(C.POINTER(C.c_int64)), samples.size,
                   scores.ctypes.data_as(C.POINTER(C.c_float)))

    def begin_epoch(self) -> Subset:
        """Begins the next epoch and returns its samples."""
        return self._subset('fgt_attent_begin_epoch')

    @property
    def subset(self) -> Subset:
        """The samples of this epoch."""
        return self._subset('fgt_attent_get_subset')

    def _subset(self, function: str) -> Subset:
        s = api.fgt_attent_subset()
        self._call(function, C.byref(s))
        index = np.ctypeslib.as_array(s.index, (s.count,)).copy() if s.count else np.empty(0, np.int64)
        return Subset(index, s.epoch, s.interval, s.ratio, s.score, s.residual, bool(s.fresh), bool(s.stop))

    def weights(self, index: ArrayLike) -> NDArray[np.float32]:
        """Factors for the gradients of samples of the subset; 1 unless the strategy is "infobatch"."""
        samples = wholes('index', index).ravel()
        out = np.empty(samples.size, np.float32)
        self._call('fgt_attent_get_weights', samples.ctypes.data_as(C.POINTER(C.c_int64)), samples.size,
                   out.ctypes.data_as(C.POINTER(C.c_float)))
        return out

    @property
    def state(self) -> bytes:
        """Scores, subset and place in the schedules; set it to continue there."""
        size = C.c_int64()
        self._call('fgt_attent_get_state', None, 0, C.byref(size))
        buffer = C.create_string_buffer(size.value)
        self._call('fgt_attent_get_state', buffer, size, C.byref(size))
        return buffer.raw

    @state.setter
    def state(self, data: bytes) -> None:
        self._call('fgt_attent_set_state', data, len(data))
        self._own = None

    def __getstate__(self) -> dict[str, Any]:
        return {'_values': self._values, '_own': self._own,
                '_state': self._state if self._handle is None else self.state}


def _checkpoint(optimizer: Optimizer, selector: Optional[Selector]) -> Any:
    context = optimizer._made.context
    chosen = selector._bind(context).pointer if selector is not None else None
    return api.fgt_checkpoint(optim=optimizer._made.pointer, selector=chosen)


def save_checkpoint(path: Union[str, os.PathLike[str]], optimizer: Optimizer,
                    selector: Optional[Selector] = None) -> None:
    """Writes weights, state of the optimizer and of the selector to a file, between two steps."""
    checkpoint = _checkpoint(optimizer, selector)
    optimizer._made.context.call('fgt_checkpoint_save', C.byref(checkpoint), path_bytes(path))


def load_checkpoint(path: Union[str, os.PathLike[str]], optimizer: Optimizer,
                    selector: Optional[Selector] = None) -> None:
    """Continues from a file of `save_checkpoint`; model, optimizer and selector have the same options."""
    checkpoint = _checkpoint(optimizer, selector)
    optimizer._made.context.call('fgt_checkpoint_load', C.byref(checkpoint), path_bytes(path))
