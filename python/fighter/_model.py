# SPDX-License-Identifier: BSD-3-Clause
"""A model: layers, parameters, passes."""

from __future__ import annotations

import ctypes as C
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _api as api
from ._arrays import numpy_of, reals, wholes
from ._description import Layer, near
from ._files import Input, Output
from ._fit import Sizes, Training, Values, values_of
from ._host_layer import HostLayer, register, registered
from ._library import Context, DataError, Handle, NameNotFoundError, StateError, array_of, lib, text, texts, view
from ._matrices import Matrices
from ._predictor import Predictor

Reals = NDArray[np.float32]
Path = Union[str, 'os.PathLike[str]']
_MASKS = {'key_padding': api.FGT_MASK_KEY_PADDING, 'attention': api.FGT_MASK_ATTENTION,
          'diag_drop': api.FGT_MASK_DIAG_DROP, 'diag_scale': api.FGT_MASK_DIAG_SCALE,
          'sampled_keys': api.FGT_MASK_SAMPLED_KEYS, 'rotations': api.FGT_MASK_ROTATIONS}


class Model(Training, Matrices):
    """Layers that read each other's outputs, with their parameters.

    A pass takes x [B, N, T, D]: samples, nodes, time steps, features. An axis N or T of length 1 may be left
    out. Layers compute in float32: float64 is rounded, whole numbers are converted.

    Parameters
    ----------
    *layers : fighter.layers.Layer
        First layers, each of which reads the layer before; `add` adds further ones.
    time : int
        Most time steps of a pass.
    features : int
        Features of a time step; 0: the input is ids, for an `Embedding`.
    nodes : int
        Nodes, for example series that share the weights.
    batch : int
        Most samples of a training pass. `predict` and `fit` take any number of samples.
    seed : int
        Seed of the initial weights and of dropout.
    threads : int
        Number of threads; 0: one for each processor. Results do not depend on it.

    Examples
    --------
    >>> from fighter import Model, layers
    >>> model = Model(layers.Linear(out=32), layers.Fighter(heads=4), layers.Pool(), layers.Linear(out=1),
    ...               time=24, features=7)
    >>> model.predict(np.zeros((100, 24, 7))).shape
    (100, 1)

    Notes
    -----
    Calls of several threads wait for each other; `predictor` makes something that predicts in parallel. A
    model can be pickled and copied: weights and layers, but no gradients, masks and states.
    """

    def __init__(self, *layers: Layer, time: int = 1, features: int = 0, nodes: int = 1, batch: int = 32,
                 seed: int = 0, threads: int = 0) -> None:
        self._begin(Context(threads))
        opts = api.fgt_model_opts(batch=batch, time=time, features=features, nodes=nodes, seed=seed)
        self.context.call('fgt_model_create', self.context.pointer, C.byref(opts), self._handle.out)
        for layer in layers:
            self.add(layer)

    def _begin(self, context: Context) -> None:
        self.context = context
        self._handle = Handle(context, 'fgt_model')
        self._sizes: Optional[Sizes] = None
        self._viewed = False # arrays on the weights exist
        self._borrowed: dict[str, Any] = {}
        self._passed: tuple[int, ...] = ()

    def _call(self, name: str, *args: Any) -> None:
        self.context.call(name, self._handle.pointer, *args)

    @property
    def _info(self) -> Sizes:
        if self._sizes is None:
            info = api.fgt_model_info()
            self._call('fgt_model_get_info', C.byref(info))
            self._sizes = Sizes(info.layers, info.tensors, info.parameters,
                                tuple(info.input.shape[:info.input.rank]),
                                tuple(info.output.shape[:info.output.rank]), info.input.dtype == api.FGT_DTYPE_I64)
        return self._sizes

    @property
    def _own(self) -> Any:
        return lib.fgt_model_get_workspace(self._handle.pointer)

    # ---- layers ----

    def add(self, layer: Layer, inputs: Optional[Sequence[str]] = None) -> str:
        """Adds a layer, or a block of layers.

        Parameters
        ----------
        layer : fighter.layers.Layer
            For example ``fighter.layers.Linear(out=64)``.
        inputs : sequence of str, optional
            Names of the layers that it reads; "" is the input of the model. None: the layer before.

        Returns
        -------
        str
            Name of the layer, for `inputs` of later layers.
        """
        if not isinstance(layer, Layer):
            raise TypeError(f'Model.add: no layer (got {type(layer).__name__}, need one of fighter.layers)')
        if isinstance(inputs, str):
            raise TypeError(f'Model.add: inputs must be a list of names (got "{inputs}", need ["{inputs}"])')
        if self._viewed:
            raise StateError('Model.add: arrays of parameters() refer to the weights, which would move; '
                             'add all layers before, or take the copies of state_dict()')
        count = -1 if inputs is None else len(inputs)
        layer._add(self.context, self._handle.pointer, texts(inputs), count)
        self._sizes = None
        return self.layers[-1]

    def _layer(self, index: int) -> Any:
        info = api.fgt_layer_info()
        self._call('fgt_model_get_layer', index, C.byref(info))
        return info

    @property
    def _value_layers(self) -> dict[str, Any]:
        """Shapes and types of the `Value` layers that may have a value for each sample, by name."""
        infos = [self._layer(i) for i in range(self._info.layers)]
        return {str(text(i.name)): i.output for i in infos if i.type == b'value' and i.output.rank}

    @property
    def layers(self) -> list[str]:
        """Names of the layers."""
        return [str(text(self._layer(i).name)) for i in range(self._info.layers)]

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Shape of the largest input, with the largest batch."""
        return self._info.input

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the largest output, with the largest batch."""
        return self._info.output

    def describe(self) -> str:
        """A table of all layers, with shapes, parameters, memory and cost."""
        size = C.c_int64()
        self._call('fgt_model_describe', None, 0, C.byref(size))
        buffer = C.create_string_buffer(size.value)
        self._call('fgt_model_describe', buffer, size, C.byref(size))
        return buffer.value.decode()

    def __repr__(self) -> str:
        return (f'Model({self._info.layers} layers, {self._info.parameters} parameters, '
                f'{list(self.input_shape)} -> {list(self.output_shape)})')

    # ---- passes ----

    def _input(self, x: ArrayLike) -> NDArray[Any]:
        read: Any = wholes if self._info.ids else reals
        array: NDArray[Any] = read('x', x)
        if not array.ndim:
            raise DataError('x: it must have an axis of samples (got a single number)')
        return array

    def _shape(self, x: NDArray[Any]) -> tuple[int, ...]:
        """Shape of the outputs for x, which may have fewer time steps than planned."""
        planned, out = self._info.input, self._info.output
        given = x.shape[1:]
        if given == planned[1:] or math.prod(given) == math.prod(planned[1:]):
            return (len(x), *out[1:])
        ids = self._info.ids
        if len(given) != len(planned) - 1 or len(given) + ids < 2:
            return (len(x), *out[1:]) # the library refuses x
        most, now = (planned[-1], given[-1]) if ids else (planned[-2], given[-2])
        middle = list(out[1:-1])
        if middle and middle[-1] == most:
            middle[-1] = now
        return (len(x), *middle, *out[-1:])

    def forward(self, x: ArrayLike) -> Reals:
        """Training pass over at most `batch` samples: dropout is on, and `backward` may follow."""
        given = self._input(x)
        y = np.empty(self._shape(given), np.float32)
        self._call('fgt_forward', C.byref(view(given)), C.byref(view(y)))
        self._passed = given.shape
        return y

    def backward(self, dy: Optional[ArrayLike] = None, input_gradient: bool = False) -> Optional[Reals]:
        """Adds the gradients of the last `forward` to the gradients of the parameters.

        Parameters
        ----------
        dy : array, optional
            Gradient of the loss at the output; None: all gradients come from `add_gradient`.
        input_gradient : bool
            True: the gradient at the input is computed and returned.
        """
        dx = np.empty(self._passed, np.float32) if input_gradient else None
        given = None if dy is None else reals('dy', dy)
        self._call('fgt_backward', None if given is None else C.byref(view(given)),
                   None if dx is None else C.byref(view(dx)))
        return dx

    def check_gradient(self, x: ArrayLike, *, directions: int = 0, seed: int = 0) -> tuple[float, str]:
        """Compares `backward` with differences of `forward`, along some directions for each parameter and for x.

        Returns
        -------
        error, worst : float, str
            Largest relative error, about 0.001 if gradients are right, and the parameter with it, or "x".
        """
        given, report = self._input(x), api.fgt_gradient_report()
        opts = api.fgt_gradient_opts(seed=seed, directions=directions)
        self._call('fgt_model_check_gradient', C.byref(view(given)), C.byref(opts), C.byref(report))
        return report.error, str(text(report.worst))

    def predict(self, x: ArrayLike, values: Values = None) -> Reals:
        """Outputs for any number of samples; dropout is off.

        Parameters
        ----------
        x : array
            Samples.
        values : dict of str to array, optional
            Values of `Value` layers for each sample, as in `fit`. None: those of `set_value`.
        """
        given = self._input(x)
        y = np.empty(self._shape(given), np.float32)
        size, most = len(given), self._info.input[0]
        if values:
            return self._predict_with(given, values_of(self, values, size), y)
        if 0 < size <= most:
            self._call('fgt_predict', C.byref(view(given)), C.byref(view(y)))
            return y
        for at in range(0, size, most):
            self._call('fgt_predict', C.byref(view(given[at:at + most])), C.byref(view(y[at:at + most])))
        return y

    def _predict_with(self, x: NDArray[Any], values: dict[str, NDArray[Any]], y: Reals) -> Reals:
        """Predicts with these values of layers; then the values of `set_value` are back."""
        before = {name: self._borrowed.get('value ' + name) or (None, None) for name in values}
        with self.context.lock:
            try:
                for at in range(0, len(x), self._info.input[0]):
                    rows = slice(at, at + self._info.input[0])
                    for name, value in values.items():
                        self._point(name, value[rows], None)
                    self._call('fgt_predict', C.byref(view(x[rows])), C.byref(view(y[rows])))
            finally:
                for name, (own, gradient) in before.items():
                    self._point(name, own, gradient)
        return y

    def _point(self, layer: str, value: Optional[NDArray[Any]], gradient: Optional[Reals]) -> None:
        """Lets a layer read a value, whose memory must stay."""
        self.context.call('fgt_workspace_set_value', self._own, layer.encode(),
                          None if value is None else C.byref(view(value)),
                          None if gradient is None else C.byref(view(gradient)))

    def predictor(self, storage: str = 'f32', precision: str = 'f32', exact: bool = False) -> Predictor:
        """Something that only predicts, faster, and in several threads at the same time. See `Predictor`."""
        return Predictor(self, storage, precision, exact)

    # ---- further inputs and outputs ----

    def set_value(self, layer: str, value: Optional[ArrayLike], gradient: bool = False) -> Optional[Reals]:
        """Sets the value of a `Value` layer for the passes to come; None removes it.

        Returns
        -------
        array, optional
            With `gradient`, an array that each `backward` fills with the gradient of the value.
        """
        array: Optional[NDArray[Any]] = None
        if value is not None:
            plain = np.asarray(numpy_of(value))
            array = (reals(layer, plain) if plain.dtype.kind == 'f' else wholes(layer, plain, np.int32)).copy()
        filled = np.zeros(np.shape(array), np.float32) if gradient and array is not None else None
        with self.context.lock: # the library keeps pointers to the arrays
            self._point(layer, array, filled)
            self._borrowed['value ' + layer] = array, filled
        return filled

    def set_mask(self, mask: str, value: Optional[ArrayLike]) -> None:
        """Sets a mask for the passes to come; None removes it.

        Parameters
        ----------
        mask : {'key_padding', 'attention', 'diag_drop', 'diag_scale', 'sampled_keys', 'rotations'}
            See fgt_mask in fighter/model.h.
        value : array, optional
            Booleans or whole numbers, or for attention, diag_scale and rotations real numbers.
        """
        if mask not in _MASKS:
            raise NameNotFoundError(f'Model.set_mask: no mask "{mask}"{near(mask, _MASKS)}')
        array: Optional[NDArray[Any]] = None
        if value is not None:
            plain = np.asarray(numpy_of(value))
            array = (reals(mask, plain) if plain.dtype.kind == 'f' else wholes(mask, plain, np.int32)).copy()
        with self.context.lock: # the library keeps a pointer to the array
            self.context.call('fgt_workspace_set_mask', self._own, _MASKS[mask],
                              None if array is None else C.byref(view(array)))
            self._borrowed['mask ' + mask] = array

    def output(self, layer: str) -> Reals:
        """Output of a layer in the last pass, a copy."""
        out = api.fgt_view()
        with self.context.lock:
            self.context.call('fgt_workspace_get_value', self._own, layer.encode(), C.byref(out))
            return array_of(out, self._handle).copy()

    def add_gradient(self, layer: str, gradient: ArrayLike) -> None:
        """Adds a gradient at the output of a layer, for the next `backward`: for models with several outputs."""
        array = reals(layer, gradient).copy()
        with self.context.lock: # the library keeps a pointer to the array
            self._call('fgt_model_add_gradient', layer.encode(), C.byref(view(array)))
            self._borrowed['gradient ' + layer] = array

    def set_stateful(self, stateful: bool) -> None:
        """Passes begin in the states in which the last pass ended, or from zero."""
        self.context.call('fgt_workspace_set_stateful', self._own, stateful)

    def begin_series(self) -> None:
        """All states of recurrent layers are zero again."""
        self.context.call('fgt_workspace_begin_series', self._own, 0)

    def state(self, name: str) -> Reals:
        """The state, such as "0.h", in which the last pass ended."""
        shape = api.fgt_view()
        with self.context.lock:
            self.context.call('fgt_workspace_get_state_shape', self._own, name.encode(), C.byref(shape))
            out = np.empty(tuple(shape.shape[:shape.rank]), np.float32)
            self.context.call('fgt_workspace_copy_state', self._own, name.encode(), C.byref(view(out)))
        return out

    def set_state(self, name: str, value: ArrayLike) -> None:
        """Sets the state from which the next pass starts."""
        array = reals(name, value)
        self.context.call('fgt_workspace_set_state', self._own, name.encode(), C.byref(view(array)))

    # ---- parameters ----

    def _tensors(self) -> Iterator[tuple[str, tuple[int, ...], int]]:
        """Name, shape and first element of each parameter."""
        at = 0
        for i in range(self._info.tensors):
            info = api.fgt_parameter_info()
            self._call('fgt_model_get_parameter_info', None, i, C.byref(info))
            shape = tuple(info.shape.shape[:info.shape.rank])
            yield str(text(info.name)), shape, at
            at += math.prod(shape)

    def _split(self, function: str) -> dict[str, Reals]:
        whole = api.fgt_view()
        tensors = list(self._tensors())
        if not tensors:
            return {}
        self._call(function, C.byref(whole))
        flat = array_of(whole, self._handle)
        return {name: flat[at:at + math.prod(shape)].reshape(shape) for name, shape, at in tensors}

    def parameters(self) -> dict[str, Reals]:
        """Arrays on the weights, without copies: they show later weights, too, and live as long as you like.

        The arrays are to be read only; `load_state_dict` changes weights. The model then takes no more layers.
        """
        self._viewed = True
        return self._split('fgt_model_get_weights')

    def gradients(self) -> dict[str, Reals]:
        """Arrays on the gradients, without copies, to be read only. The model takes no more layers."""
        self._viewed = True
        return self._split('fgt_model_get_gradients')

    def set_gradient(self, name: str, value: ArrayLike) -> None:
        """Replaces the gradient of a parameter."""
        array = reals(name, value)
        self._call('fgt_model_set_gradient', name.encode(), C.byref(view(array)))

    def clear_gradients(self) -> None:
        """Sets all gradients to zero, which `Optimizer.step` also does."""
        self._call('fgt_model_clear_gradients')

    def freeze(self, pattern: str, frozen: bool = True) -> None:
        """Freezes parameters, so that no step changes them: a name, a prefix with a dot, or with stars."""
        self._call('fgt_model_set_frozen', pattern.encode(), frozen)

    def state_dict(self, tensors: bool = False) -> dict[str, Any]:
        """Copies of all parameters, by name.

        Parameters
        ----------
        tensors : bool
            True: tensors of PyTorch instead of arrays, for ``module.load_state_dict()``. docs/pytorch.md says
            which names agree.
        """
        copies: dict[str, Any] = {name: array.copy() for name, array in self._split('fgt_model_get_weights').items()}
        if tensors:
            import torch

            return {name: torch.from_numpy(array) for name, array in copies.items()}
        return copies

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Replaces parameters by arrays or by tensors of PyTorch with the same names and shapes.

        All or nothing: on an error the model is as before.

        Parameters
        ----------
        state : mapping of str to array
            Values of any real type.
        strict : bool
            True: all names must agree. False: parameters that `state` lacks stay, and other names are left
            out.
        """
        tensors = list(self._tensors())
        known = [name for name, _, _ in tensors]
        missing, other = [n for n in known if n not in state], [n for n in state if n not in known]
        if strict and missing:
            raise NameNotFoundError(f'load_state_dict: no "{missing[0]}" (of {len(missing)} missing names)')
        if strict and other:
            raise NameNotFoundError(f'load_state_dict: the model has no "{other[0]}"{near(other[0], known)}')
        if not tensors:
            return
        flat = np.concatenate([a.ravel() for a in self._split('fgt_model_get_weights').values()])
        for name, shape, at in tensors:
            if name in state:
                value = reals(name, state[name])
                if value.shape != shape:
                    raise DataError(f'load_state_dict: {name} has another shape (got {value.shape}, need {shape})')
                flat[at:at + value.size] = value.ravel()
        self._call('fgt_model_set_weights', C.byref(view(flat)))

    # ---- files ----

    def save(self, path: Path) -> None:
        """Writes layers and weights as a safetensors file."""
        output = Output(path, self.context)
        self._call('fgt_model_save', C.byref(output.struct))

    @classmethod
    def load(cls, path: Path, *, batch: int = 0, time: int = 0, threads: int = 0,
             host_layers: Sequence[type[HostLayer]] = ()) -> Model:
        """Makes the model of a file of `save`, or of a checkpoint.

        Parameters
        ----------
        path : str or path
            A file.
        batch, time : int
            Most samples and time steps of a pass; 0: as in the file.
        threads : int
            As in `Model`.
        host_layers : sequence of classes
            Classes of the layers in the file that are written in Python.
        """
        return cls._load(Input(path), batch, time, threads, host_layers)

    @classmethod
    def _load(cls, source: Input, batch: int, time: int, threads: int, host_layers: Sequence[type[HostLayer]]) -> Model:
        model = cls.__new__(cls)
        model._begin(Context(threads))
        for kind in host_layers:
            register(model.context, kind)
        opts = api.fgt_load_opts(batch=batch, time=time)
        model.context.call('fgt_model_load', model.context.pointer, C.byref(source.struct), C.byref(opts),
                           model._handle.out)
        return model

    def load_weights(self, path: Path) -> None:
        """Reads all weights by name from a safetensors file, also of another program such as PyTorch."""
        source = Input(path)
        self._call('fgt_model_load_weights', C.byref(source.struct))

    def __reduce__(self) -> Any:
        output = Output(None, self.context)
        self._call('fgt_model_save', C.byref(output.struct))
        return _restore, (type(self), output.data, self.context.threads, registered(self.context))


def _restore(kind: type[Model], data: bytes, threads: int, host_layers: Sequence[type[HostLayer]]) -> Model:
    return kind._load(Input(data), 0, 0, threads, host_layers)
