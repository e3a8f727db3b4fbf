# SPDX-License-Identifier: BSD-3-Clause
"""Options by keywords, which become structs of the library."""

from __future__ import annotations

import ctypes as C
import difflib
import inspect
import operator
from collections.abc import Iterable
from typing import Any, Optional

import numpy as np

from . import _api as api
from ._library import Context, FighterError, Handle, view

# array: field with its length
_COUNTS = {'class_weights': 'class_count', 'class_priors': 'class_count', 'layer_hops': 'layer_hops_count',
           'quantiles': 'quantile_count', 'group_weight': 'group_count'}
_NUMBERS = {C.POINTER(C.c_float): np.float32, C.POINTER(C.c_double): np.float64, C.POINTER(C.c_int64): np.int64}


def near(word: str, words: Iterable[str]) -> str:
    """The end of a sentence that refuses a word: a similar word that exists, or all words."""
    known = [w for w in words if w]
    close = difflib.get_close_matches(word, known, 1, 0.5)
    return f'; did you mean "{close[0]}"?' if close else f' (known: {", ".join(known)})'


class Description:
    """Options of something that the library makes. Nothing is made before a model or a call uses them."""

    _code = ''
    _struct = ''
    _choices: dict[str, dict[str, int]] = {}
    _keywords: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        signature = inspect.signature(cls.__init__)
        own = [p for p in signature.parameters.values() if p.name != 'self']
        cls._keywords = tuple(p.name for p in own)
        cls.__signature__ = signature.replace(parameters=own) # type: ignore[attr-defined]

    def __new__(cls, *args: Any, **given: Any) -> Any:
        for word in given:
            if cls._keywords and word not in cls._keywords:
                raise TypeError(f'{cls.__name__}: no option "{word}"{near(word, cls._keywords)}')
        return super().__new__(cls)

    def __init__(self, **values: Any) -> None:
        self._values = values
        for name, choices in self._choices.items():
            if values[name] not in choices:
                raise ValueError(f'{type(self).__name__}: no {name} "{values[name]}"'
                                 f'{near(str(values[name]), choices)}')

    def _begin(self, model: Any) -> None:
        """Begins with the model that was given before the options."""

    def __repr__(self) -> str:
        first = {p.name: p.default for p in inspect.signature(type(self)).parameters.values()}
        given = [f'{k}={v!r}' for k, v in self._values.items() if isinstance(v, np.ndarray) or v != first.get(k)]
        return f'{type(self).__name__}({", ".join(given)})'

    def _make(self, context: Context, keep: list[Any]) -> Any:
        """The struct. `keep` gets whatever must live as long as it."""
        struct = getattr(api, self._struct)()
        for name, value in self._values.items():
            place, kind = _find(struct, name)
            if value is None or kind is None:
                continue
            if name in self._choices:
                value = self._choices[name][value]
            try:
                _fill(context, keep, place, name, kind, value)
            except FighterError:
                raise
            except (TypeError, ValueError, OverflowError) as error:
                raise type(error)(f'{type(self).__name__}: {name}: {error}') from None
        return struct


def _find(struct: Any, name: str) -> tuple[Any, Any]:
    """The struct inside of `struct` that has a field, and the type of the field; None: there is none."""
    kinds = dict(type(struct)._fields_)
    if name in kinds:
        return struct, kinds[name]
    for inner in ('attention', 'block'):
        if inner in kinds and issubclass(kinds[inner], C.Structure):
            return _find(getattr(struct, inner), name)
    return struct, None


def _fill(context: Context, keep: list[Any], place: Any, name: str, kind: Any, value: Any) -> None:
    if name == 'graph':
        keep.append(make_graph(context, value))
        place.graph = keep[-1].pointer
    elif kind is C.c_char_p:
        place.__setattr__(name, str(value).encode())
    elif kind in _NUMBERS or hasattr(kind, '_length_'):
        array = np.ascontiguousarray(value, _NUMBERS.get(kind, np.float32)).ravel()
        if name in _COUNTS:
            setattr(place, _COUNTS[name], array.size)
        if kind in _NUMBERS:
            keep.append(array)
            setattr(place, name, array.ctypes.data_as(kind))
        elif array.size > kind._length_:
            raise ValueError(f'too many numbers (got {array.size}, need at most {kind._length_})')
        else:
            getattr(place, name)[:array.size] = array.tolist()
    elif kind is C.POINTER(api.fgt_view):
        ids = np.ascontiguousarray(value, np.int64)
        place.group_count = place.group_count or int(ids.max(initial=-1)) + 1
        keep += [ids, view(ids)]
        setattr(place, name, C.pointer(keep[-1]))
    elif isinstance(value, Description):
        keep.append(value._make(context, keep))
        setattr(place, name, C.pointer(keep[-1]))
    elif kind in (C.c_float, C.c_double):
        setattr(place, name, float(value))
    else:
        number = int(value) if isinstance(value, np.bool_) else operator.index(value)
        setattr(place, name, number)
        if getattr(place, name) != number:
            raise OverflowError(f'{number} is out of range')


def make_graph(context: Context, graph: Any) -> Handle:
    """The library's graph of a square array, of a sparse matrix of SciPy, or of a graph of NetworkX.

    Entry (i, j) of the matrix is the weight with which node i reads node j.
    """
    if hasattr(graph, 'nodes') and hasattr(graph, 'edges'):
        import networkx

        # an edge goes from the node that is read to the node that reads
        matrix = networkx.to_scipy_sparse_array(graph, dtype=np.float64)
        graph = matrix.T if graph.is_directed() else matrix
    made = Handle(context, 'fgt_graph')
    if hasattr(graph, 'tocsr'):
        rows = graph.tocsr()
        rows.sum_duplicates()
        parts = [np.ascontiguousarray(rows.indptr, np.int64), np.ascontiguousarray(rows.indices, np.int64),
                 np.ascontiguousarray(rows.data, np.float64)]
        context.call('fgt_graph_create_csr', context.pointer, *(C.byref(view(p)) for p in parts), made.out)
    else:
        dense = np.ascontiguousarray(graph, np.float64)
        context.call('fgt_graph_create_dense', context.pointer, C.byref(view(dense)), made.out)
    return made


class Layer(Description):
    """Description of a layer or of a block of layers, for `Model.add`. See `fighter.layers`."""

    def _add(self, context: Context, model: Any, inputs: Any, count: int) -> None:
        keep: list[Any] = []
        opts = self._make(context, keep)
        if not self._code: # a block
            if count >= 0:
                raise TypeError('Model.add: a block reads the layer before; it takes no inputs')
            context.call('fgt_block_add', model, C.byref(opts))
            return
        pointer = C.cast(C.pointer(opts), C.c_void_p)
        layer = api.fgt_layer(type=self._code.encode(), opts=pointer, axis=self._choices['axis'][self._values['axis']])
        if self._values['name'] is not None:
            layer.name = self._values['name'].encode()
        add_layer(context, model, layer, inputs, count)


class Shared(Layer):
    """A layer with the type, options and parameters of an earlier layer (tied weights).

    Parameters
    ----------
    layer : str
        Name of the earlier layer.
    name : str, optional
        Name of this layer; None: its number in the model.
    axis : {'time', 'nodes'}
        Axis of its sequences.
    """

    _choices = {'axis': {'time': api.FGT_AXIS_TIME, 'nodes': api.FGT_AXIS_NODES}}

    def __init__(self, layer: str, *, name: Optional[str] = None, axis: str = 'time') -> None:
        super().__init__(layer=layer, name=name, axis=axis)

    def _add(self, context: Context, model: Any, inputs: Any, count: int) -> None:
        from ._library import lib

        source = self._values['layer'].encode()
        layer = lib.fgt_shared(source)
        if self._values['name'] is not None:
            layer.name = self._values['name'].encode()
        layer.axis = self._choices['axis'][self._values['axis']]
        add_layer(context, model, layer, inputs, count)


def add_layer(context: Context, model: Any, layer: Any, inputs: Any, count: int) -> None:
    """Adds a layer after the last one, or with inputs."""
    if count < 0:
        context.call('fgt_model_add', model, layer)
    else:
        context.call('fgt_model_add_from', model, layer, inputs, count)
