# SPDX-License-Identifier: BSD-3-Clause
"""Training of a model on arrays, by fgt_model_fit()."""

from __future__ import annotations

import ctypes as C
import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _api as api
from ._arrays import numpy_of, reals, wholes
from ._description import near
from ._library import Context, DataError, Handle, NameNotFoundError, StateError, lib, path_bytes, view
from ._progress import Progress as Bar
from ._train import Loss, Optimizer, Selector

Values = Optional[Mapping[str, ArrayLike]]
_DTYPES: dict[int, Any] = {api.FGT_DTYPE_F32: np.dtype('float32'), api.FGT_DTYPE_I32: np.dtype('int32'),
           api.FGT_DTYPE_I64: np.dtype('int64')}


@dataclass
class Progress:
    """Progress of a training, for a callback."""

    epoch: int #: from 1
    epochs: int
    sample: int #: samples of this epoch that are done
    samples: int
    step: int
    loss: float #: mean training loss of the epoch so far
    validation: float #: loss after the epoch; NaN within it
    best: float #: lowest validation loss so far
    lr: float
    seconds: float
    epoch_done: bool


@dataclass
class FitReport:
    """Course and end of a training."""

    epochs: int = 0 #: finished epochs
    best_epoch: int = 0 #: epoch whose weights were kept, from 1
    steps: int = 0
    samples: int = 0 #: samples that went through the backward pass
    train_loss: float = np.nan #: of the last epoch
    best_loss: float = np.nan #: validation loss of best_epoch
    seconds: float = 0.0
    cancelled: bool = False
    stopped_early: bool = False
    diverged: bool = False
    history: list[dict[str, Any]] = field(default_factory=list) #: for each epoch its number and losses


class Sizes(NamedTuple):
    """Numbers and shapes of a model."""

    layers: int
    tensors: int
    parameters: int
    input: tuple[int, ...] #: shape of the largest input
    output: tuple[int, ...]
    ids: bool #: the input is ids


class Source:
    """An fgt_source of arrays.

    Parameters
    ----------
    stops : bool
        True: each batch gives Python a turn, so that Ctrl-C ends the call. In a training the progress does so.
    """

    def __init__(self, model: Training, x: ArrayLike, y: ArrayLike, values: Values, classes: bool, hashed: bool,
                 stops: bool = False) -> None:
        sizes, context = model._info, model.context
        out = sizes.output[1:]
        given = _samples('x', x, sizes.ids, sizes.input[1:])
        target = _samples('y', y, classes, out[:-1] if classes else out)
        arrays = [given, target] # the library borrows their memory
        self._handle, self._arrays = Handle(context, 'fgt_arrays'), arrays
        if len(given) != len(target):
            raise DataError(f'y: as many samples as x (got {len(target)}, need {len(given)})')
        context.call('fgt_arrays_create', context.pointer, C.byref(view(given)), C.byref(view(target)),
                     self._handle.out)
        for name, value in values_of(model, values, len(given)).items():
            arrays.append(value)
            context.call('fgt_arrays_add_value', self._handle.pointer, name.encode(), C.byref(view(value)))
        kinds: Any = dict(api.fgt_source._fields_) # type: ignore[arg-type]
        copy, copy_value = lib.fgt_arrays_copy_samples, lib.fgt_arrays_copy_value
        self._get = kinds['get'](context.guard(lambda *batch: copy(*batch).value, api.FGT_E_CANCELLED)) if stops \
            else C.cast(copy, kinds['get'])
        self.struct: Any = api.fgt_source(count=len(given), user=self._handle.pointer, get=self._get)
        if values:
            self.struct.get_value = C.cast(copy_value, kinds['get_value'])
        if hashed:
            digest = hashlib.blake2b(digest_size=8)
            for array in arrays:
                digest.update(array.data.cast('B'))
            self.struct.fingerprint = int.from_bytes(digest.digest(), 'little') | 1


def values_of(model: Training, values: Values, samples: int) -> dict[str, NDArray[Any]]:
    """Values of layers for all samples, as the layers take them."""
    layers, values = model._value_layers if values else {}, values or {}
    for name in layers:
        if name not in values:
            raise DataError(f'values: the layer "{name}" has none (got {", ".join(values)})')
    for name in values:
        if name not in layers:
            raise NameNotFoundError(f'values: no layer "{name}"{near(name, layers)}')
    return {name: _of_layer(name, value, samples, layers[name]) for name, value in values.items()}


def _of_layer(name: str, value: ArrayLike, samples: int, output: Any) -> NDArray[Any]:
    """The values of a layer for all samples, with the type of its output."""
    plain = np.asarray(numpy_of(value))
    if not plain.ndim or len(plain) != samples:
        raise DataError(f'{name}: as many samples as x (got {len(plain) if plain.ndim else 1}, need {samples})')
    dtype = _DTYPES[output.dtype]
    array: NDArray[Any] = reals(name, plain) if dtype == np.float32 else wholes(name, plain, dtype)
    shape = tuple(output.shape[1:output.rank])
    if math.prod(array.shape[1:]) != math.prod(shape):
        raise DataError(f'{name}: samples have another shape (got {array.shape[1:]}, need {shape})')
    return array.reshape(samples, *shape)


def _samples(what: str, value: ArrayLike, whole: bool, shape: tuple[int, ...]) -> NDArray[Any]:
    """All samples as one array, each of a shape; axes of length 1 may be missing or more."""
    array: NDArray[Any] = wholes(what, value) if whole else reals(what, value)
    got = array.shape[1:]
    if [n for n in got if n != 1] != [n for n in shape if n != 1] or not array.ndim:
        raise DataError(f'{what}: samples have another shape (got {got}, need {shape})')
    return array.reshape(len(array), *shape)


class Training:
    """The part of a model that trains."""

    context: Context
    _handle: Handle

    @property
    def _info(self) -> Sizes:
        raise NotImplementedError

    @property
    def _value_layers(self) -> dict[str, Any]:
        raise NotImplementedError

    def fit(self, x: ArrayLike, y: ArrayLike, *, validation: Optional[tuple[Any, ...]] = None, epochs: int = 10,
            batch: int = 0, loss: Union[str, Loss] = 'mse', optimizer: Optional[Optimizer] = None, lr: float = 0.0,
            weight_decay: float = 0.0, warmup: float = 0.0, average: float = 0.0, patience: int = 3,
            selector: Optional[Selector] = None, values: Values = None, seed: int = 0, shuffle: bool = True,
            checkpoint: Union[None, str, os.PathLike[str]] = None,
            resume: Union[None, str, os.PathLike[str]] = None,
            progress: Union[None, bool, Callable[[Progress], Any]] = None) -> FitReport:
        """Trains the model.

        With validation data the weights of the best epoch are kept. Ctrl-C ends the training with
        KeyboardInterrupt; the model then has the weights of the best finished epoch.

        Parameters
        ----------
        x, y : array
            Samples and their targets. For the loss "cross_entropy" targets are numbers of classes.
        validation : tuple (x, y) or (x, y, values), optional
            Other samples, for the choice of the best epoch and an early end.
        epochs : int
            Most epochs.
        batch : int
            Samples in a step; 0: the batch of the model.
        loss : str or Loss
            Kind of a loss, or a loss with options.
        optimizer : Optimizer, optional
            One without a model, instead of lr, weight_decay and warmup. None: AdamW.
        lr : float
            Learning rate; 0: 0.001.
        weight_decay : float
            Decay of AdamW.
        warmup : float
            Share of the steps in which the learning rate grows.
        average : float
            Decay of a moving average of the weights, which is validated and kept; 0: no average.
        patience : int
            Epochs without a better validation loss after which the training ends; -1: no such end.
        selector : Selector, optional
            Chooses the samples of each epoch.
        values : mapping of str to array, optional
            Values of `Value` layers, one for each sample.
        seed : int
            Seed of the order of samples.
        shuffle : bool
            False: samples keep their order.
        checkpoint, resume : path, optional
            File to which the state of the training is written, and file of a training to continue.
        progress : bool or callable, optional
            Whether there is a bar; None: on a terminal and in a notebook. A callable is called with a `Progress`
            after each step; if it returns True, the training ends.
        """
        context = self.context
        loss = Loss(kind=loss) if isinstance(loss, str) else loss # type: ignore[arg-type]
        hashed = bool(checkpoint or resume)
        train = Source(self, x, y, values, loss.classes, hashed)
        held = None
        if validation is not None and values and len(validation) < 3:
            raise DataError('validation: the training has values of layers, so the validation needs them, too (got 2 '
                            'arrays, need x, y and values)')
        if validation is not None:
            if len(validation) not in (2, 3):
                raise ValueError(f'validation: it must be (x, y) or (x, y, values) (got {len(validation)} parts)')
            held = Source(self, validation[0], validation[1], validation[2] if len(validation) > 2 else None,
                          loss.classes, hashed, True)
        bar = Bar('samples', False if callable(progress) else progress)
        report, keep = FitReport(history=bar.history), [loss] # type: tuple[FitReport, list[Any]]
        opts = api.fgt_fit_opts(train=C.pointer(train.struct), target_dtype=api.FGT_DTYPE_I64 if loss.classes else 0,
                                no_shuffle=not shuffle)
        opts.loss = C.pointer(loss._make(context, keep))
        if held is not None:
            opts.validation = C.pointer(held.struct)
        if optimizer is not None:
            opts.optim = C.pointer(optimizer._make(context, keep))
        training = opts.training
        training.set(epochs=epochs, batch=batch, lr=lr, weight_decay=weight_decay, warmup=warmup, average=average,
                     patience=patience, seed=seed)
        training.checkpoint = path_bytes(checkpoint) if checkpoint is not None else None
        training.resume = path_bytes(resume) if resume is not None else None
        follow: Any = _follower(bar, progress) if callable(progress) else bar
        training.progress = api.fgt_progress_fn(context.guard(follow, 1))
        result = api.fgt_fit_report()
        try:
            with context.lock:
                if selector is not None:
                    training.selector = selector._begin_fit(context, train.struct.count, epochs).pointer
                context.call('fgt_model_fit', self._handle.pointer, C.byref(opts), C.byref(result))
        finally:
            bar.close()
        if selector is not None and not (result.steps or result.cancelled or selector._values['stop_below']):
            raise StateError('fit: nothing was trained, because the selector had no epoch left (got the state of one '
                             'that has ended); give a new Selector with the same options')
        for name in ('epochs', 'best_epoch', 'steps', 'samples', 'train_loss', 'best_loss', 'seconds'):
            setattr(report, name, getattr(result, name))
        for name in ('cancelled', 'stopped_early', 'diverged'):
            setattr(report, name, bool(getattr(result, name)))
        return report

    def evaluate(self, x: ArrayLike, y: ArrayLike, *, loss: Union[str, Loss] = 'mse',
                 values: Values = None) -> dict[str, float]:
        """Mean loss and metrics over samples, by name: loss, mse, mae, rmse, mape, smape, or loss, accuracy."""
        loss = Loss(kind=loss) if isinstance(loss, str) else loss # type: ignore[arg-type]
        source = Source(self, x, y, values, loss.classes, False, True)
        keep: list[Any] = []
        opts, value, metric = loss._make(self.context, keep), C.c_double(), api.fgt_metric()
        dtype = api.FGT_DTYPE_I64 if loss.classes else api.FGT_DTYPE_F32
        self.context.call('fgt_model_evaluate', self._handle.pointer, C.byref(source.struct), C.byref(opts), dtype,
                          C.byref(value), C.byref(metric))
        return {'loss': value.value, **measures(metric, loss.classes)}


def measures(metric: Any, classes: bool) -> dict[str, float]:
    """The values of an fgt_metric, by name."""
    kinds = {'accuracy': api.FGT_METRIC_ACCURACY} if classes else {
        'mse': api.FGT_METRIC_MSE, 'mae': api.FGT_METRIC_MAE, 'rmse': api.FGT_METRIC_RMSE,
        'mape': api.FGT_METRIC_MAPE, 'smape': api.FGT_METRIC_SMAPE}
    return {name: float(lib.fgt_metric_get(C.byref(metric), kind)) for name, kind in kinds.items()}


def _follower(bar: Bar, progress: Callable[[Progress], Any]) -> Callable[..., int]:
    """A progress callback that calls `progress`, besides the one that notes the losses."""
    names = list(Progress.__dataclass_fields__)

    def follow(user: Any, pointer: Any) -> int:
        bar(user, pointer)
        told = Progress(**{name: getattr(pointer.contents, name) for name in names})
        told.epoch_done = bool(told.epoch_done)
        return int(progress(told) is True)

    return follow
