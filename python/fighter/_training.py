# SPDX-License-Identifier: BSD-3-Clause
"""A trained forecaster of the library: making, training, fitting again, forecasting."""

from __future__ import annotations

import ctypes as C
import os
from typing import Any, Optional

import numpy as np

from . import _api as api
from ._axis import find_seasons
from ._library import Context, DataError, Handle, StateError, lib, path_bytes, text, texts, view
from ._local import Planes, local_opts
from ._option_table import fill, table as option_table
from ._progress import Progress
from ._roles import Roles
from ._table import Table

_MODEL, _FIT = 'fgt_forecaster_get_option', 'fgt_forecaster_get_fit_option'
_P64 = C.POINTER(C.c_double)


def option_names() -> list[str]:
    """Names of the options of models and training."""
    return [name for options in (_MODEL, _FIT) for name, _ in option_table(options)]


class Trained(Handle):
    """A forecaster of the library."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, 'fgt_forecaster')
        self._shape: Optional[tuple[int, int]] = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a forecast."""
        if self._shape is None:
            info = self.info
            self._shape = (info.pred_len, info.columns)
        return self._shape

    @property
    def info(self) -> Any:
        """The struct of properties."""
        info = api.fgt_forecaster_info()
        self.context.call('fgt_forecaster_get_info', self.pointer, C.byref(info))
        return info

    @property
    def names(self) -> list[str]:
        """Names of the targets, the past columns and the known columns."""
        info = self.info
        count = info.columns + info.past + info.known
        return [str(text(lib.fgt_forecaster_get_name(self.pointer, i))) for i in range(count)]

    def find_row(self, table: Table) -> int:
        """The row after the last row with a target value."""
        return int(lib.fgt_forecaster_find_row(self.pointer, table.pointer))


def from_bytes(context: Context, data: bytes) -> Trained:
    """The model of a file."""
    made, source = Trained(context), api.fgt_input(data=C.cast(C.c_char_p(data), C.c_void_p), bytes=len(data))
    context.call('fgt_forecaster_load', context.pointer, C.byref(source), None, made.out)
    return made


def split_rows(context: Context, rows: int, shares: Any) -> Any:
    """The rows for training, validation and test."""
    split, opts = api.fgt_split(), api.fgt_split_opts()
    if isinstance(shares, str) and shares in ('etth', 'ettm'):
        opts.kind = api.FGT_SPLIT_KIND_ETTH if shares == 'etth' else api.FGT_SPLIT_KIND_ETTM
    elif shares is not None:
        if isinstance(shares, str) or len(shares) != 3:
            raise DataError(f'split: three shares or numbers of rows are needed (got {shares!r})')
        whole = all(isinstance(s, (int, np.integer)) for s in shares) and sum(shares) != 1
        if whole and max(abs(int(s)) for s in shares) >= 2**63: # ctypes would cut it
            raise DataError(f'split: numbers of rows are out of range (got {shares!r}, need 64 bits)')
        opts.kind = api.FGT_SPLIT_KIND_ROWS if whole else api.FGT_SPLIT_KIND_RATIO
        (opts.rows if whole else opts.ratio)[:] = shares
    context.call('fgt_split_compute', context.pointer, rows, C.byref(opts), C.byref(split))
    return split


def default_pred(table: Table, split: Any) -> int:
    """Rows of a forecast by the step of the rows; 0: the library's default."""
    usual = int(lib.fgt_table_find_horizon(table.pointer, 10))
    rows = split.val_end - split.val_begin
    return usual or (0 if rows < 2 or rows >= 96 else rows // 2)


def create(context: Context, table: Table, split: Any, roles: Roles, pred_len: Optional[int],
           quantiles: list[float], holidays: Any, options: dict[str, Any], seed: int,
           allow_negative: bool) -> Trained:
    """Makes an untrained forecaster."""
    opts = api.fgt_forecaster_opts(pred_len=pred_len or default_pred(table, split), seed=seed)
    hops = options.get('hops')
    fill(opts, _MODEL, options)
    if hops is not None:
        listed = [int(k) for k in np.atleast_1d(hops)]
        opts.block.layer_hops, opts.block.layer_hops_count = (C.c_int64 * len(listed))(*listed), len(listed)
    opts.batch = options.get('batch') or 0
    opts.space.diffusion = opts.space.kind != api.FGT_FORECAST_SPACE_NONE
    for field, names in (('target', roles.target), ('past', roles.past), ('known', roles.known)):
        setattr(opts.inputs, {'target': 'targets'}.get(field, field), texts(names))
        setattr(opts.inputs, field + '_count', len(names))
    days = make_days(context, holidays)
    if days is not None:
        opts.inputs.holidays = days.pointer
    if quantiles:
        opts.output.quantiles, opts.output.quantile_count = (C.c_double * len(quantiles))(*quantiles), len(quantiles)
    made = Trained(context)
    context.call('fgt_forecaster_create', context.pointer, table.pointer, C.byref(split), C.byref(opts), made.out)
    if not allow_negative:
        context.call('fgt_forecaster_set_counts', made.pointer, table.pointer)
    return made


def _fit_opts(options: dict[str, Any], seed: int) -> Any:
    opts = fill(api.fgt_forecaster_fit_opts(), _FIT, options)
    opts.training.seed = seed
    return opts


def _train(context: Context, opts: Any, shown: Optional[bool], name: str, *args: Any) -> Any:
    """Calls a function that trains, with a bar; returns the struct of the report."""
    progress, report = Progress('windows', shown), api.fgt_fit_report()
    opts.training.progress = api.fgt_progress_fn(context.guard(progress, 1))
    try:
        context.call(name, *(C.byref(report) if a is Progress else C.byref(opts) if a is opts else a for a in args))
    finally:
        progress.close()
    return report


def fit(model: Trained, table: Table, split: Any, options: dict[str, Any], seed: int, shown: Optional[bool]) -> Any:
    """Trains; returns the struct of the report."""
    opts = _fit_opts(options, seed)
    return _train(model.context, opts, shown, 'fgt_forecaster_fit', model.pointer, table.pointer, C.byref(split), opts,
                  Progress)


def refit(model: Trained, table: Table, split: Any, options: dict[str, Any], seed: int,
          shown: Optional[bool]) -> Optional[Trained]:
    """A second forecaster that has learned from all rows; None: the first one has."""
    if split.train_end >= model.find_row(table):
        return None
    opts, made = _fit_opts(options, seed), Trained(model.context)
    opts.training.epochs = 0
    opts.training.lr /= 5
    _train(model.context, opts, shown, 'fgt_forecaster_create_refit', model.pointer, table.pointer, C.byref(split),
           opts, Progress, made.out)
    return made


def update(model: Trained, table: Table, options: dict[str, Any], seed: int, shown: Optional[bool]) -> Any:
    """Trains further with rows that are newer than the rows seen."""
    opts = _fit_opts(options, seed)
    return _train(model.context, opts, shown, 'fgt_forecaster_update', model.pointer, table.pointer, -1, opts, Progress)


def make_days(context: Context, holidays: Any) -> Optional[Handle]:
    """A list of special days: from times, from a mapping of times to names, or from a file."""
    if holidays is None:
        return None
    days = Handle(context, 'fgt_days')
    if isinstance(holidays, (str, os.PathLike)):
        context.call('fgt_days_load', context.pointer, path_bytes(holidays), 0, days.out)
        return days
    named = holidays if hasattr(holidays, 'items') else dict.fromkeys(holidays, '')
    times = np.array([np.datetime64(t) for t in named], 'datetime64[ms]').astype(np.int64)
    names = texts(named.values())
    context.call('fgt_days_create', context.pointer, times.ctypes.data_as(C.POINTER(C.c_int64)), names,
                 len(times), days.out)
    return days


# ---- forecasts ----


def ends_early(model: Trained, table: Table) -> bool:
    """Whether a target has no value in the last rows, on which a blend would be measured."""
    end, info = model.find_row(table), model.info
    last = max(end - info.pred_len, 0)
    return any(np.isnan(table.values[last:end, table.find(n)]).all() for n in model.names[:info.columns])


def predict_blend(model: Trained, whole: Trained, table: Table, seen: int, future: Optional[Table], steps: int,
                  levels: list[float], season: Optional[int], keep_outliers: bool, floor: bool) -> Planes:
    """Forecasts by the trained model and the forecasters of each series together."""
    context, names = model.context, model.names[:model.info.columns]
    seasons = [season] if season else find_seasons(table)
    opts = local_opts(context, steps, levels, seasons, keep_outliers)
    mean, bands = np.empty((len(names), steps)), np.empty((len(names), steps, len(levels)))
    opts.forecast = mean.ctypes.data_as(_P64)
    opts.quantiles = bands.ctypes.data_as(_P64) if levels else None
    context.call('fgt_forecaster_predict_blend', model.pointer, whole.pointer, table.pointer, seen,
                 future and future.pointer, C.byref(opts))
    if floor:
        mean, bands = np.where(mean < 0, 0, mean), np.where(bands < 0, 0, bands)
    row = whole.find_row(table)
    return Planes(names, [table] * len(names), [row] * len(names), mean,
                  {level: bands[:, :, i] for i, level in enumerate(levels)})


def predict(model: Trained, table: Table, future: Optional[Table], steps: int, levels: list[float]) -> Planes:
    """Forecasts by a trained model; of series in long form each from its own last row."""
    context, info = model.context, model.info
    count = info.columns
    mean, rows = np.empty((steps, count)), np.empty(count, np.int64)
    after = future and future.pointer
    if table.is_long:
        _call(model, 'predict_each', table.pointer, after, C.byref(view(mean)), C.byref(view(rows)))
    else:
        context.call('fgt_forecaster_predict_table', model.pointer, table.pointer, -1, after, C.byref(view(mean)))
        rows[:] = model.find_row(table)
    planes = Planes(model.names[:count], [table] * count, rows.tolist(), np.ascontiguousarray(mean.T))
    own_levels = list(info.quantiles[:info.quantile_count]) if steps == info.pred_len else []
    raw = _predict_quantiles(model, table, after, rows, steps, len(own_levels)) if own_levels else None
    for i, level in enumerate(own_levels):
        if raw is not None:
            planes.quantiles[level] = np.ascontiguousarray(raw[i].T)
    if levels:
        planes.quantiles.update(_predict_ends(model, table, raw if raw is not None else mean, levels))
    return planes


def _call(model: Trained, name: str, *args: Any) -> None:
    """Calls a function of the forecaster's own workspace, which keeps its errors."""
    with model.context.lock:
        own = lib.fgt_forecaster_get_workspace(model.pointer)
        status = getattr(lib, f'fgt_forecaster_workspace_{name}')(own, *args).value
        sentence = lib.fgt_forecaster_workspace_get_error(own) if status else b''
    if status:
        model.context.fail(status, sentence)


def _predict_quantiles(model: Trained, table: Table, after: Any, rows: np.ndarray[Any, Any], steps: int,
                       count: int) -> np.ndarray[Any, Any]:
    """The model's own quantiles [Q, H, C]; targets that begin in the same row are forecast together."""
    columns = len(rows)
    out, part = np.full((count, steps, columns), np.nan), np.empty((count, steps, columns))
    for row in sorted(set(rows.tolist()) - {-1}):
        _call(model, 'predict_quantiles', table.pointer, row, after, C.byref(view(part)))
        out[:, :, rows == row] = part[:, :, rows == row]
    return out


def _predict_ends(model: Trained, table: Table, raw: np.ndarray[Any, Any],
                  levels: list[float]) -> dict[float, np.ndarray[Any, Any]]:
    """Ends of intervals from past errors; NaN: no errors are known."""
    context, calibration = model.context, Handle(model.context, 'fgt_calibration')
    if raw.shape[-2] != model.info.pred_len:
        raise StateError(f'intervals: they are known for forecasts of the length of the training (got '
                         f'{raw.shape[-2]} rows, need {model.info.pred_len})')
    out = {}
    try:
        context.call('fgt_calibration_create', model.pointer, table.pointer, -1, calibration.out)
    except DataError as error:
        if error.status != 'FGT_E_DATA':
            raise
        return {level: np.full(raw.shape[:-3:-1], np.nan) for level in levels}
    for level in levels:
        end = np.empty(raw.shape[-2:])
        context.call('fgt_calibration_compute_quantile', calibration.pointer, C.byref(view(raw)), level,
                     C.byref(view(end)))
        out[level] = np.ascontiguousarray(end.T)
    return out


def predict_rows(model: Trained, rows: np.ndarray[Any, Any], known: Optional[np.ndarray[Any, Any]],
                 time: Any) -> np.ndarray[Any, Any]:
    """Forecasts of windows that come as arrays."""
    rows, given = _floats(rows), api.fgt_forecast_rows()
    out = np.empty((*rows.shape[:-2], *model.shape), rows.dtype)
    window = view(rows)
    given.rows = C.pointer(window)
    if known is not None:
        known = _floats(known)
        ahead = view(known)
        given.known = C.pointer(ahead)
    if time is not None:
        times = np.atleast_1d(np.asarray(time, 'datetime64[ms]')).astype(np.int64)
        if times.size != (len(rows) if rows.ndim == 3 else 1):
            raise DataError(f'time: one time for each window is needed (got {times.size}, need '
                            f'{len(rows) if rows.ndim == 3 else 1})')
        given.time = times.ctypes.data_as(C.POINTER(C.c_int64))
    _call(model, 'predict_rows', C.byref(given), C.byref(view(out)))
    return out


def _floats(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array itself if it holds contiguous floats, otherwise a copy. A masked value is missing."""
    if isinstance(values, np.ma.MaskedArray):
        masked: Any = np.ma
        values = masked.filled(values.astype(float), np.nan)
    if np.iscomplexobj(values):
        raise TypeError(f'array: it must have real numbers (got {values.dtype})')
    if isinstance(values, np.ndarray) and values.dtype in (np.float32, np.float64) and values.flags.c_contiguous:
        return values
    return np.ascontiguousarray(values, np.float64)
