# SPDX-License-Identifier: BSD-3-Clause
"""Errors of forecasts from past origins."""

from __future__ import annotations

import ctypes as C
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Optional

import numpy as np

from . import _api as api
from . import _frames, _local, _roles, _training
from ._library import DataError, view
from ._table import Table

if TYPE_CHECKING:
    from ._forecaster import Forecaster

_Array = np.ndarray[Any, Any]
_LEAST = 4 # fewest rows that a series needs before an origin


@dataclass
class Backtest:
    """Forecasts from past origins, beside the true values.

    Attributes
    ----------
    frame : data frame
        A row for each origin, series and time: ``series``, ``origin`` (the last known time), ``time``, ``forecast``,
        ``truth``.
    errors : dict of str to dict
        For each series ``mae``, ``rmse``, ``bias``, ``wape`` and ``smape``.
    overall : dict
        The same for all series together.
    """

    frame: Any
    errors: dict[str, dict[str, float]]
    overall: dict[str, float]


def run(model: Forecaster, data: Any, origins: int, every: Optional[int]) -> Backtest:
    """Forecasts from `origins` rows, `every` rows apart."""
    if origins < 1 or (every is not None and every < 1):
        raise DataError(f'backtest: origins and the rows between them are counted from 1 (got {origins} and {every})')
    own = type(model)(**model.get_params())
    table, fast = own._read(data)
    parts = list((_without_model if fast else _with_model)(own, table, origins, every))
    columns = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
    return Backtest(_frames.to_frame(columns, _frames.kind_of(data)), *_measure(columns))


def _refuse_short(rows: int, need: int, origins: int, apart: int) -> None:
    if rows < need:
        raise DataError(f'data: it is too short for {origins} origins, {apart} rows apart (got {rows} rows, need '
                        f'{need}); fewer origins, a smaller `every` or a smaller `pred_len` need less')


def _part(name: str, axis: Table, row: int, forecast: _Array, truth: _Array) -> dict[str, _Array]:
    steps, times = len(forecast), axis.times
    labels = np.arange(row - 1, row + steps) if times is None else times[row - 1:row + steps].view('datetime64[ms]')
    return {'series': np.repeat(name, steps), 'origin': np.repeat(labels[:1], steps), 'time': labels[1:].copy(),
            'forecast': forecast.copy(), 'truth': truth.copy()}


def _without_model(own: Forecaster, table: Table, origins: int, every: Optional[int]) -> Iterator[dict[str, _Array]]:
    """Each series from the same distances before its own end; a series that is too short is left out."""
    roles = _roles.find(table, own.target, None, None, None)
    series = _local.Series(table, roles.target)
    steps = own.pred_len or series.choose_horizon()
    apart = every or steps
    _refuse_short(max(info.rows for info in series.infos), steps + (origins - 1) * apart + _LEAST, origins, apart)
    for k in range(origins):
        back = steps + (origins - 1 - k) * apart
        planes = _local.forecast(series, steps, [], own.season, own.keep_outliers, own.non_negative, back)
        for i, info in enumerate(series.infos):
            first = info.rows - back
            if first >= _LEAST:
                yield _part(planes.names[i], planes.axes[i], planes.rows[i], planes.mean[i],
                            series.values(i)[first:first + steps])


def _with_model(own: Forecaster, table: Table, origins: int, every: Optional[int]) -> Iterator[dict[str, _Array]]:
    """A model for each origin, trained on the rows before it in the proportions of `split`."""
    context, options = table.context, own._check()
    whole = _training.split_rows(context, table.info.rows, own.split)
    roles = _roles.find(table, own.target, own.past, own.known, whole.train_end)
    if not own.keep_outliers:
        _roles.leave_out(context, table, roles.target + roles.past, own.season)

    def make(split: Any) -> _training.Trained:
        return _training.create(context, table, split, roles, own.pred_len, own._own_quantiles(), own.holidays, options,
                                own._seed(), own.allow_negative)

    first = make(whole)
    end, info = first.find_row(table), first.info
    steps, apart = info.pred_len, every or info.pred_len
    _refuse_short(end, info.input_len + steps + (origins - 1) * apart, origins, apart)
    for k in range(origins):
        row = end - steps - (origins - 1 - k) * apart
        split = _split_before(whole, row, steps)
        trained, mean = make(split), np.empty((steps, info.columns))
        _training.fit(trained, table, split, options, own._seed(), own.verbose)
        context.call('fgt_forecaster_predict_table', trained.pointer, table.pointer, row, None, C.byref(view(mean)))
        for i, name in enumerate(trained.names[:info.columns]):
            yield _part(name, table, row, mean[:, i], table.values[row:row + steps, table.find(name)])


def _split_before(whole: Any, row: int, steps: int) -> Any:
    """All rows before `row` for training and validation, in the proportions of the whole split."""
    train, val = whole.train_end - whole.train_begin, whole.val_end - whole.val_begin
    rows = max(int(np.floor(row * val / (train + val) + 0.5)), steps) if val else 0
    begin = max(row - rows, 0)
    return api.fgt_split(train_end=begin, val_begin=begin, val_end=row, test_begin=row, test_end=row + steps)


def _measure(columns: dict[str, _Array]) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Errors of each series, and of all together."""
    known = ~np.isnan(columns['truth']) & ~np.isnan(columns['forecast'])
    out = {}
    for name in dict.fromkeys(columns['series'].tolist()):
        of = known & (columns['series'] == name)
        out[str(name)] = _errors(columns['forecast'][of], columns['truth'][of])
    return out, _errors(columns['forecast'][known], columns['truth'][known])


def _errors(forecast: _Array, truth: _Array) -> dict[str, float]:
    if not len(truth):
        return dict.fromkeys(('mae', 'rmse', 'bias', 'wape', 'smape'), float('nan'))
    error, both = forecast - truth, np.abs(forecast) + np.abs(truth)
    size = float(np.abs(truth).sum())
    return {'mae': float(np.abs(error).mean()), 'rmse': float(np.sqrt((error ** 2).mean())),
            'bias': float(error.mean()), 'wape': float(np.abs(error).sum()) / size if size else float('nan'),
            'smape': float(np.where(both > 0, 2 * np.abs(error) / np.where(both > 0, both, 1), 0).mean())}
