# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of attention and of graphs, and their edges."""

from __future__ import annotations

import ctypes as C
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _api as api
from ._arrays import numpy_of
from ._description import near
from ._library import Context, Handle, array_of, lib, text, view
from ._train import shared_context

if TYPE_CHECKING:
    from ._model import Model

_EDGE = np.dtype([('from', np.int64), ('to', np.int64), ('weight', np.float64)])


class Matrices:
    """The part of a model that shows which tokens its layers read."""

    context: Context
    _handle: Handle

    def adjacency(self, layer: str) -> NDArray[np.float32]:
        """Matrices of a layer in the last pass, a copy [samples, heads, T, T]; row t shows what token t reads.

        Parameters
        ----------
        layer : str
            A layer with attention or a graph. A graph has one sample.
        """
        out = api.fgt_view()
        with self.context.lock:
            self.context.call('fgt_model_get_adjacency', self._handle.pointer, layer.encode(), C.byref(out))
            return array_of(out, self._handle).copy()

    def edges(self, layer: str, *, sample: int = 0, head: int = 0, count: int = 100,
              diagonal: bool = True) -> NDArray[Any]:
        """The strongest edges of one matrix in the last pass, sorted by falling weight.

        Returns
        -------
        array
            Records with the fields "from", "to" and "weight": token `to` reads token `from`.
        """
        opts = api.fgt_edges_opts(sample=sample, head=head, no_diagonal=not diagonal)
        edges, found = np.empty(max(count, 1), _EDGE), C.c_int64()
        self.context.call('fgt_model_get_edges', self._handle.pointer, layer.encode(), C.byref(opts),
                          edges.ctypes.data_as(C.POINTER(api.fgt_edge)), count, C.byref(found))
        return edges[:found.value]

    def graph(self, layer: str, *, names: Optional[Sequence[Any]] = None, sample: int = 0, head: int = 0,
              count: int = 100, diagonal: bool = True) -> Any:
        """The edges of `edges` as a directed graph of NetworkX, with all tokens as nodes.

        Parameters
        ----------
        names : sequence, optional
            Names of the tokens; None: their numbers.
        """
        size = self.adjacency(layer).shape[-1]
        return network(self.edges(layer, sample=sample, head=head, count=count, diagonal=diagonal), size, names)


class Adjacency:
    """Means of the powers of a layer's matrices over many passes.

    Parameters
    ----------
    model : Model
        A model.
    layer : str
        A layer with attention or a graph.
    powers : int
        Highest power. A layer with `hops` mixes tokens by powers up to hops - 1.

    Examples
    --------
    >>> mean = Adjacency(model, '1', powers=2)
    >>> for batch in batches:
    ...     model.predict(batch)
    ...     mean.add()
    >>> mean.mean(power=2)
    """

    def __init__(self, model: Model, layer: str, powers: int = 1) -> None:
        self._handle = Handle(model.context, 'fgt_adjacency', model._handle)
        model.context.call('fgt_adjacency_create', model._handle.pointer, layer.encode(), powers, self._handle.out)

    def add(self, begin: int = 0, end: int = 0) -> None:
        """Adds the matrices of samples begin .. end - 1 of the last pass; without numbers of all samples."""
        self._handle.context.call('fgt_adjacency_add', self._handle.pointer, begin, end)

    def __len__(self) -> int:
        return int(lib.fgt_adjacency_count_samples(self._handle.pointer))

    def mean(self, *, head: Optional[int] = None, power: int = 1) -> NDArray[np.float64]:
        """Mean of a power over the samples, and without `head` over the heads."""
        out, context = api.fgt_view(), self._handle.context
        with context.lock:
            context.call('fgt_adjacency_get_mean', self._handle.pointer, -1 if head is None else head, power,
                         C.byref(out))
            return array_of(out, self._handle).copy()


def edges_of(matrix: ArrayLike, *, threshold: float = 0.0, per_node: int = 0, diagonal: bool = True) -> NDArray[Any]:
    """The edges of a matrix, sorted by falling weight, as records "from", "to", "weight".

    Parameters
    ----------
    matrix : array [T, T']
        Row t shows what token t reads.
    threshold : float
        Least weight; 0: all but 0.
    per_node : int
        Only so many edges of each row, the strongest ones; 0: all.
    diagonal : bool
        False: without the edges from a token to itself.
    """
    context, given = shared_context(), np.ascontiguousarray(numpy_of(matrix), np.float64)
    rule = api.fgt_edge_rule(threshold=threshold, per_node=per_node, no_diagonal=not diagonal)
    found = C.c_int64()
    context.call('fgt_edges_select', context.pointer, C.byref(view(given)), C.byref(rule), None, 0, C.byref(found))
    edges = np.empty(found.value, _EDGE)
    if found.value:
        context.call('fgt_edges_select', context.pointer, C.byref(view(given)), C.byref(rule),
                     edges.ctypes.data_as(C.POINTER(api.fgt_edge)), found, C.byref(found))
    return edges


def network(edges: NDArray[Any], size: int, names: Optional[Sequence[Any]] = None) -> Any:
    """A directed graph of NetworkX; arrows go from the token that is read to the token that reads."""
    import networkx

    graph = networkx.DiGraph()
    labels = list(range(size)) if names is None else list(names)
    graph.add_nodes_from(labels)
    graph.add_weighted_edges_from((labels[e['from']], labels[e['to']], float(e['weight'])) for e in edges)
    return graph


def statistic(name: str, x: ArrayLike) -> NDArray[np.float64]:
    """A statistic of each matrix of x [.., T, T'], such as "entropy" of attention or "rank" of values.

    Parameters
    ----------
    name : str
        "diagonal", "entropy", "distance", "mad", "cosine", "rank" ...; an unknown name lists all.
    x : array
        Attention matrices, or values [.., T, D].
    """
    known = {str(text(lib.fgt_statistic_get_name(i))): i for i in range(api.FGT_STATISTIC_COUNT)}
    if name not in known:
        raise ValueError(f'statistic: there is no "{name}"{near(name, known)}')
    context, given = shared_context(), np.ascontiguousarray(numpy_of(x), np.float64)
    out = np.empty(given.shape[:-2], np.float64)
    context.call('fgt_statistic_compute', context.pointer, known[name], None, C.byref(view(given)),
                 out.ctypes.data_as(C.POINTER(C.c_double)))
    return out
