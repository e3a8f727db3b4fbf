# SPDX-License-Identifier: BSD-3-Clause
"""A page that shows which tokens a model reads."""

from __future__ import annotations

import ctypes as C
import html
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _api as api
from ._arrays import numpy_of
from ._files import Output
from ._library import Handle, texts, view


def _encoded(word: Optional[str]) -> Optional[bytes]:
    return None if word is None else word.encode()


class Report:
    """A page of HTML with attention as matrices and graphs, windows of series, and curves. A notebook shows it.

    Parameters
    ----------
    owner : Model or another object with a context
        Object whose context makes the page.
    title, about : str, optional
        Title, and a paragraph below it.
    hops : int
        Highest power of attention matrices that is shown, at most 8; 0: 3.

    Examples
    --------
    >>> model.predict(x)
    >>> report = Report(model, title='Attention')
    >>> report.add_model(model)
    >>> report.save('attention.html')
    """

    def __init__(self, owner: Any, *, title: Optional[str] = None, about: Optional[str] = None, hops: int = 0) -> None:
        self._handle = Handle(owner.context, 'fgt_report')
        opts = api.fgt_report_opts(title=_encoded(title), about=_encoded(about), hops=hops)
        owner.context.call('fgt_report_create', owner.context.pointer, C.byref(opts), self._handle.out)

    def _call(self, name: str, *args: Any) -> None:
        self._handle.context.call(name, self._handle.pointer, *args)

    def add_fact(self, name: str, value: Any) -> None:
        """Adds a line to the table at the top of the page."""
        self._call('fgt_report_add_fact', name.encode(), str(value).encode())

    def add_curve(self, chart: str, curve: str, y: ArrayLike, x: Optional[ArrayLike] = None, *, axis: str = 'epoch',
                  about: Optional[str] = None, first: bool = False) -> None:
        """Adds points to a curve of a chart; x None: 1, 2, 3 and so on.

        Parameters
        ----------
        axis : str
            Unit of x.
        about : str, optional
            A sentence below the chart.
        first : bool
            True: the chart is at the top of the page.
        """
        values = np.asarray(y, np.float64).ravel()
        places = np.arange(1.0, values.size + 1) if x is None else np.asarray(x, np.float64).ravel()
        for at, value in zip(places.tolist(), values.tolist()):
            point = api.fgt_report_point(chart=chart.encode(), curve=curve.encode(), axis=axis.encode(),
                                         about=_encoded(about), x=at, y=value, first=first)
            self._call('fgt_report_add_point', C.byref(point))

    def add_matrix(self, layer: str, matrix: ArrayLike, *, tokens: Optional[Sequence[Any]] = None,
                   subject: Optional[str] = None, epoch: int = 0) -> None:
        """Adds attention matrices [heads, T, T] or [T, T] of a layer.

        Parameters
        ----------
        tokens : sequence, optional
            Names of the tokens.
        subject : str, optional
            What the tokens belong to, such as a series or a text.
        epoch : int
            Epoch of the matrices; 0: they are of the current model.
        """
        given = view(np.ascontiguousarray(numpy_of(matrix), np.float64))
        names = self._names(tokens, np.shape(matrix)[-1])
        entry = api.fgt_report_matrix(layer=layer.encode(), subject=_encoded(subject), a=C.pointer(given),
                                      tokens=names, epoch=epoch)
        self._call('fgt_report_add_matrix', C.byref(entry))

    @staticmethod
    def _names(tokens: Optional[Sequence[Any]], count: int) -> Any:
        if tokens is not None and len(tokens) != count:
            raise ValueError(f'Report: as many names as tokens (got {len(tokens)}, need {count})')
        return texts(tokens)

    def add_model(self, model: Any, *, layer: Optional[str] = None, sample: int = 0,
                  tokens: Optional[Sequence[Any]] = None, subject: Optional[str] = None, epoch: int = 0) -> None:
        """Adds the matrices of the last pass of a model of the same context; layer None: of all layers.

        Parameters
        ----------
        sample : int
            Number of the sample.
        tokens : sequence, optional
            Names of the tokens; if there are fewer than tokens, only the first tokens are shown.
        subject, epoch
            As in `add_matrix`.
        """
        opts = api.fgt_report_pass(subject=_encoded(subject), tokens=texts(tokens), sample=sample, epoch=epoch,
                                   count=0 if tokens is None else len(tokens), layer=_encoded(layer))
        self._call('fgt_report_add_model', model._handle.pointer, C.byref(opts))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to a file."""
        output = Output(path, self._handle.context)
        self._call('fgt_report_save', C.byref(output.struct))

    def to_html(self) -> str:
        """The page as text."""
        output = Output(None, self._handle.context)
        self._call('fgt_report_save', C.byref(output.struct))
        return output.data.decode()

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 800px; border: 0"></iframe>'
