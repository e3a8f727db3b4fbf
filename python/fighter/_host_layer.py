# SPDX-License-Identifier: BSD-3-Clause
"""Layers that are written in Python."""

from __future__ import annotations

import ctypes as C
import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _api as api
from ._description import Layer, add_layer, near
from ._library import Context, DataError, NameNotFoundError, StateError, lib

Reals = NDArray[np.float32]
_INITS = {'zero': api.FGT_LAYER_INIT_ZERO, 'one': api.FGT_LAYER_INIT_ONE, 'uniform': api.FGT_LAYER_INIT_UNIFORM,
          'normal': api.FGT_LAYER_INIT_NORMAL, 'value': api.FGT_LAYER_INIT_VALUE}
_classes: weakref.WeakKeyDictionary[Context, dict[str, type[HostLayer]]] = weakref.WeakKeyDictionary()


def _alive(pointer: int) -> int:
    """The pointer of a plan or a pass; it is 0 after the call."""
    if not pointer:
        raise StateError('layer: its plan and its pass can be used only within the call that gets them')
    return pointer


class LayerPlan:
    """A layer while it is added to a model."""

    def __init__(self, context: Context, pointer: int) -> None:
        self._context, self._pointer = context, pointer
        self._first = 0, 0, 0 # shape of the first input
        self._output: Optional[tuple[int, int, int]] = None
        self._sizes: list[int] = [] # numbers in each parameter

    def input(self, number: int = 0) -> tuple[int, int, int]:
        """Shape (N, T, D) of an input, the largest that will come."""
        shape = (C.c_int64 * 3)()
        lib.fgt_layer_plan_get_input(_alive(self._pointer), number, shape)
        return shape[0], shape[1], shape[2]

    def set_output(self, nodes: int, time: int, width: int) -> None:
        """Sets the shape of the output; without this call it has the shape of the input."""
        self._context.call('fgt_layer_plan_set_output', _alive(self._pointer), nodes, time, width)
        self._output = nodes, time, width

    def add_parameter(self, name: str, shape: Sequence[int], init: str = 'zero', scale: float = 0.0) -> None:
        """Declares a parameter; the first one is number 0.

        Parameters
        ----------
        init : {'zero', 'one', 'uniform', 'normal', 'value'}
            Initial values; "uniform" in +-scale, "normal" with standard deviation scale, "value": all are scale.
        """
        if init not in _INITS:
            raise NameNotFoundError(f'add_parameter: no init "{init}"{near(init, _INITS)}')
        self._context.call('fgt_layer_plan_add_parameter', _alive(self._pointer), name.encode(), len(shape),
                           (C.c_int64 * len(shape))(*shape), _INITS[init], scale)
        self._sizes.append(math.prod(shape))

    def _end(self) -> None:
        self._pointer = 0


class LayerPass:
    """A layer in a pass. Arrays are the memory of the library, and valid only during the call."""

    def __init__(self, pointer: int, plans: list[LayerPlan], cache_size: Callable[[Any], int]) -> None:
        self._pointer, self._plans, self._cache_size = pointer, plans, cache_size

    def _end(self) -> None:
        self._pointer = 0

    def _output_shape(self) -> tuple[int, int, int, int]:
        """Shape of the output: of the plan for inputs of this width."""
        batch, nodes, time, width = self.shape()
        for plan in self._plans:
            if plan._first[0] == nodes and plan._first[2] == width and plan._output is not None:
                n, t, d = plan._output
                return batch, n, time if t == plan._first[1] else t, d
        return batch, nodes, time, width

    def _array(self, name: str, shape: Sequence[int], *args: int, most: Optional[int] = None,
               writeable: bool = True) -> Any:
        if most is not None and not 0 <= math.prod(shape) <= most:
            raise DataError(f'{name[15:]}: the shape is too large (got {list(shape)}, need {most} numbers)')
        pointer = getattr(lib, name)(_alive(self._pointer), *args)
        if not pointer:
            return None
        array = np.ctypeslib.as_array(pointer, tuple(shape))
        array.flags.writeable = writeable
        return array

    def shape(self, number: int = 0) -> tuple[int, int, int, int]:
        """Shape (B, N, T, D) of an input in this pass."""
        shape = (C.c_int64 * 4)()
        lib.fgt_layer_pass_get_shape(_alive(self._pointer), number, shape)
        return shape[0], shape[1], shape[2], shape[3]

    @property
    def training(self) -> bool:
        """Whether dropout and the like are on."""
        return bool(lib.fgt_layer_pass_is_training(_alive(self._pointer)))

    def input(self, number: int = 0) -> Reals:
        """An input [B, N, T, D]."""
        array: Reals = self._array('fgt_layer_pass_get_input', self.shape(number), number, writeable=False)
        return array

    def output(self, shape: Optional[Sequence[int]] = None) -> Reals:
        """The output [B, N, T, D], to be filled in `forward`."""
        own = self._output_shape()
        array: Reals = self._array('fgt_layer_pass_get_output', shape or own, most=math.prod(own))
        return array

    def output_gradient(self, shape: Optional[Sequence[int]] = None) -> Reals:
        """Gradient of the output, in `backward`."""
        own = self._output_shape()
        array: Reals = self._array('fgt_layer_pass_get_output_gradient', shape or own, most=math.prod(own))
        return array

    def input_gradient(self, number: int = 0) -> Optional[Reals]:
        """Gradient of an input, to be overwritten in `backward`; None: it is not needed."""
        array: Optional[Reals] = self._array('fgt_layer_pass_get_input_gradient', self.shape(number), number)
        return array

    def parameter(self, number: int, shape: Sequence[int]) -> Reals:
        """A parameter, in its shape."""
        array: Reals = self._array('fgt_layer_pass_get_parameter', shape, number, most=self._size(number),
                                   writeable=False)
        return array

    def parameter_gradient(self, number: int, shape: Sequence[int]) -> Reals:
        """Gradient of a parameter, to which `backward` adds."""
        array: Reals = self._array('fgt_layer_pass_get_parameter_gradient', shape, number, most=self._size(number))
        return array

    def cache(self, shape: Sequence[int]) -> Reals:
        """Numbers that `forward` leaves for `backward`; `cache_size` says how many."""
        array: Reals = self._array('fgt_layer_pass_get_cache', shape, most=self._cache_size(self.shape()))
        return array

    def random(self, count: int) -> NDArray[np.float64]:
        """Random numbers in [0, 1), the same in `forward` and `backward`."""
        return np.array([lib.fgt_layer_pass_get_random(_alive(self._pointer), i) for i in range(count)])

    def _size(self, number: int) -> int:
        """Numbers in a parameter."""
        _, nodes, _, width = self.shape()
        fit = [p for p in self._plans if p._first[0] == nodes and p._first[2] == width] or self._plans
        if not 0 <= number < len(fit[0]._sizes):
            raise IndexError(f'parameter {number}: there is none (the layer has {len(fit[0]._sizes)})')
        return fit[0]._sizes[number]


class HostLayer(Layer):
    """A layer that is written in Python: derive a class from this one.

    `type` is the name of the type, with a dot. `options` has the numbers with which a layer is made; an option
    that is 0 has the default. They are attributes of the layer, and model files keep them. `Model.load` needs
    the class of each such layer in a file.

    Examples
    --------
    >>> class PReLU(fighter.HostLayer):
    ...     type, options = 'acme.prelu', {'slope': 0.25}
    ...
    ...     def plan(self, plan):
    ...         plan.add_parameter('slope', plan.input()[2:], 'value', self.slope)
    ...
    ...     def forward(self, p):
    ...         x, a = p.input(), p.parameter(0, p.shape()[3:])
    ...         p.output()[...] = np.where(x > 0, x, a * x)
    ...
    ...     def backward(self, p):
    ...         x, dy, a = p.input(), p.output_gradient(), p.parameter(0, p.shape()[3:])
    ...         p.parameter_gradient(0, a.shape)[...] += np.where(x > 0, 0, dy * x).sum((0, 1, 2))
    ...         if p.input_gradient() is not None:
    ...             p.input_gradient()[...] = np.where(x > 0, dy, a * dy)
    >>> model = Model(fighter.layers.Linear(out=8), PReLU(slope=0.1), time=6, features=4)
    >>> model.check_gradient(x) # is backward right?
    """

    type = ''
    options: dict[str, Union[int, float]] = {}
    _opts: Any = None
    more_inputs = 0 #: inputs besides the first one, at most 15
    _choices = {'axis': {'time': api.FGT_AXIS_TIME, 'nodes': api.FGT_AXIS_NODES}}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._keywords = ('name', 'axis', *cls.options)
        fields = [(name, C.c_int64 if isinstance(value, int) else C.c_double) for name, value in cls.options.items()]
        cls._opts = type('Opts', (api.Struct,), {'_fields_': [('size', C.c_size_t), *fields]})

    def __init__(self, *, name: Optional[str] = None, axis: str = 'time', **options: float) -> None:
        super().__init__(name=name, axis=axis, **options)
        self.__dict__.update({**self.options, **{k: v for k, v in options.items() if v}})

    # ---- for derived classes ----

    def plan(self, plan: LayerPlan) -> None:
        """Sets the shape of the output and declares parameters."""

    def forward(self, p: LayerPass) -> None:
        """Fills the output."""
        raise NotImplementedError(f'{type(self).__name__}: it has no forward')

    def backward(self, p: LayerPass) -> None:
        """Fills the gradients of inputs, and adds to the gradients of parameters."""
        raise NotImplementedError(f'{type(self).__name__}: it has no backward')

    def cache_size(self, shape: tuple[int, int, int, int]) -> int:
        """Count of numbers that `forward` leaves for `backward`, for an input [B, N, T, D]."""
        return 0

    # ---- registration ----

    def _add(self, context: Context, model: Any, inputs: Any, count: int) -> None:
        register(context, type(self))
        values = {k: v for k, v in self._values.items() if k not in ('name', 'axis')}
        opts = self._opts(**values)
        layer = api.fgt_layer(type=self.type.encode(), axis=self._choices['axis'][self._values['axis']])
        if self.options:
            layer.opts = C.addressof(opts)
        if self._values['name'] is not None:
            layer.name = self._values['name'].encode()
        add_layer(context, model, layer, inputs, count)


def registered(context: Context) -> list[type[HostLayer]]:
    """The classes of layers of a context."""
    return list(_classes.get(context, {}).values())


def register(context: Context, cls: type[HostLayer]) -> None:
    """Makes a class known to a context."""
    known = _classes.setdefault(context, {})
    if known.get(cls.type) is cls:
        return
    layers: dict[bytes, HostLayer] = {}
    plans: dict[int, list[LayerPlan]] = {} # of the layers with the same options

    def layer_of(opts: Optional[int]) -> HostLayer:
        """The layer with the options at an address."""
        key = C.string_at(opts, C.sizeof(cls._opts)) if opts else b''
        if key not in layers:
            given = cls._opts.from_buffer_copy(key) if key else None
            layers[key] = cls(**{name: getattr(given, name) for name in cls.options})
        return layers[key]

    def plan(user: Any, pointer: int, opts: Optional[int]) -> int:
        layer, own = layer_of(opts), LayerPlan(context, pointer)
        own._first = own.input()
        try:
            layer.plan(own)
        finally:
            own._end()
        plans.setdefault(id(layer), []).insert(0, own)
        return 0

    def run(method: str, pointer: int, opts: Optional[int]) -> int:
        layer = layer_of(opts)
        own = LayerPass(pointer, plans[id(layer)], layer.cache_size)
        try:
            getattr(layer, method)(own)
        finally:
            own._end()
        return 0

    def forward(user: Any, pointer: int, opts: Optional[int]) -> int:
        return run('forward', pointer, opts)

    def backward(user: Any, pointer: int, opts: Optional[int]) -> int:
        return run('backward', pointer, opts)

    def memory(user: Any, shape: Any, opts: Optional[int], cache: Any, scratch: Any) -> None:
        cache[0] = layer_of(opts).cache_size((shape[0], shape[1], shape[2], shape[3]))
        scratch[0] = 0

    kinds: Any = dict(api.fgt_layer_class._fields_) # type: ignore[arg-type]
    functions: Any = ((plan, api.FGT_E_CANCELLED), (forward, api.FGT_E_CANCELLED), (backward, api.FGT_E_CANCELLED),
                      (memory, None))
    calls = {f.__name__: kinds[f.__name__](context.guard(f, stop)) for f, stop in functions}
    fields = (api.fgt_layer_field * max(1, len(cls.options)))()
    for field, (name, value) in zip(fields, cls.options.items()):
        field.name, field.offset, field.standard = name.encode(), getattr(cls._opts, name).offset, value
        field.min, field.max = -1e300, 1e300
        field.kind = api.FGT_LAYER_FIELD_I64 if isinstance(value, int) else api.FGT_LAYER_FIELD_F64
    size = C.sizeof(cls._opts) if cls.options else 0
    described = api.fgt_layer_class(type=cls.type.encode(), opts_size=size, fields=fields,
                                    field_count=len(cls.options), more_inputs=cls.more_inputs, **calls)
    context.call('fgt_context_add_layer', context.pointer, C.byref(described))
    context.kept.append(calls)
    known[cls.type] = cls
