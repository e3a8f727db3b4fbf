# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts of time series, from data frames to data frames."""

from __future__ import annotations

import ctypes as C
import difflib
import inspect
import warnings
from dataclasses import replace
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _api as api
from . import _backtest, _frames, _local, _roles, _table, _training
from ._axis import is_local, read_step
from ._estimator import NotFittedError, count_threads, draw_seed, save_to_bytes
from ._backtest import Backtest
from ._library import Context, DataError, Handle, StateError, lib, path_bytes, warn
from ._local import Planes
from ._option_table import check_rows
from ._table import Reading, Table

_FEW = 500 # a model that is trained on fewer rows is less accurate
Names = Union[str, Sequence[str], None]


class Forecaster:
    """Forecasts the rows after the last one, by trained layers, closed forms and simple rules.

    A frame of fewer than 500 rows, and one in long form, is forecast without training: each series by the mean of
    simple forecasters, weighted by their errors. Other frames train a model, which is fitted again to all rows and
    blended with the simple forecasters. ``fighter-forecast`` gives the same numbers for a file with the same rows.

    Parameters
    ----------
    target, past, known : str or list of str, optional
        Columns that are forecast (default: all of numbers), that are read, and whose values are known in advance.
    pred_len : int, optional
        Rows to forecast; default: 48 hours, 14 days, 8 weeks or a year, by the step of the rows.
    input_len : int, optional
        Rows that a model reads.
    model : str, optional
        A block such as ``"fighter"``, ``"transformer"``, ``"lstm"`` or ``"linear"``.
    fast : bool, optional
        True: no model is trained; False: one is; None: as the rows allow.
    quantiles : list of float, optional
        Quantiles that a model learns.
    holidays : sequence of times, mapping of times to names, or path, optional
        Special days.
    season : int, optional
        Rows in a season; default: by the step of the rows.
    missing : {None, "mask", "ffill", "zero"}
        Treatment of missing values. None: a model refuses them; without a model straight lines fill them.
    repair : bool
        Whether rows out of order, repeated rows and missing rows are mended, not refused.
    round : str or timedelta, optional
        Part of a day, such as ``"15min"``, to whose multiples times of clocks with jitter are rounded.
    keep_outliers : bool
        Whether single values that must be wrong are kept.
    non_negative : bool
        Whether forecasts below 0 become 0; for counts they do so by themselves.
    allow_negative : bool
        Whether forecasts of counts, too, may be below 0.
    split : tuple of three numbers or str, optional
        Shares or numbers of rows for training, validation and test; default 0.7, 0.1, 0.2.
    refit : bool
        Whether a model is fitted again to all rows.
    time, id, value : str, optional
        Columns of times, of series and of their values (long form). Found by themselves: times by their type, series
        named ``unique_id`` or ``item_id``, values named ``y`` or ``target``.
    random_state : int
        Seed.
    n_jobs : int, optional
        Threads; default: all processors. Results do not depend on it.
    verbose : bool, optional
        Whether a line shows the progress; default: on a terminal and in a notebook.
    **options
        Further options of models and their training, named as those of ``fighter-forecast``: ``dim``, ``layers``,
        ``heads``, ``hops``, ``epochs``, ``batch``, ``lr`` and so on.

    Examples
    --------
    >>> import pandas as pd
    >>> from fighter import Forecaster
    >>> sales = pd.read_csv('sales.csv', parse_dates=['date'])            # doctest: +SKIP
    >>> model = Forecaster(target='sales', known=['price', 'holiday'])    # doctest: +SKIP
    >>> model.fit(sales).predict_intervals(levels=[80, 95])               # doctest: +SKIP
    """

    _NAMES = ('target', 'past', 'known', 'pred_len', 'input_len', 'model', 'fast', 'quantiles', 'holidays', 'season',
              'missing', 'repair', 'round', 'keep_outliers', 'non_negative', 'allow_negative', 'split', 'refit', 'time',
              'id', 'value', 'random_state', 'n_jobs', 'verbose')
    _FITTED = ('_context', '_table', '_kind', '_roles', '_model', '_whole', '_split', '_data', '_params', '_report')

    _passed: set[str] # keywords that the constructor got

    def __init__(self, target: Names = None, *, past: Names = None, known: Names = None,
                 pred_len: Optional[int] = None, input_len: Optional[int] = None, model: Optional[str] = None,
                 fast: Optional[bool] = None, quantiles: Optional[Sequence[float]] = None, holidays: Any = None,
                 season: Optional[int] = None, missing: Optional[str] = None, repair: bool = False, round: Any = None,
                 keep_outliers: bool = False, non_negative: bool = False, allow_negative: bool = False,
                 split: Any = None, refit: bool = True, time: Optional[str] = None, id: Optional[str] = None,
                 value: Optional[str] = None, random_state: int = 1, n_jobs: Optional[int] = None,
                 verbose: Optional[bool] = None, **options: Any) -> None:
        self.target = target
        self.past = past
        self.known = known
        self.pred_len = pred_len
        self.input_len = input_len
        self.model = model
        self.fast = fast
        self.quantiles = quantiles
        self.holidays = holidays
        self.season = season
        self.missing = missing
        self.repair = repair
        self.round = round
        self.keep_outliers = keep_outliers
        self.non_negative = non_negative
        self.allow_negative = allow_negative
        self.split = split
        self.refit = refit
        self.time = time
        self.id = id
        self.value = value
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.options = options
        self._table: Optional[Table] = None
        self._model: Optional[_training.Trained] = None
        self._whole: Optional[_training.Trained] = None
        self._split: Any = None
        self._params: dict[str, Any] = {}

    # ---- parameters ----

    def _settings(self) -> dict[str, Any]:
        """The parameters of this class, also in a derived class whose constructor has others."""
        return {**{name: getattr(self, name) for name in self._NAMES}, **self.options}

    def __new__(cls, *args: Any, **params: Any) -> Forecaster:
        made = super().__new__(cls)
        made._passed = set(params)
        return made

    def _own(self) -> dict[str, Any]:
        """Parameters of the constructor and their defaults, without `**params`."""
        given = list(inspect.signature(type(self).__init__).parameters.values())[1:]
        return {p.name: p.default for p in given if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name; in a derived class those of its constructor, and those that were given besides."""
        if type(self).__init__ is Forecaster.__init__:
            return self._settings()
        own = {name: getattr(self, name) for name in self._own()}
        return {**{k: v for k, v in self._settings().items() if k in self._passed}, **own}

    def set_params(self, **params: Any) -> Forecaster:
        """Changes parameters; a fitted model stays as it is until the next fit."""
        own = self._own()
        for name, value in params.items():
            if name in self._NAMES or name in own:
                setattr(self, name, value)
            else:
                self.options[name] = value
        self._passed.update(params)
        return self

    def __repr__(self) -> str:
        default = {**Forecaster()._settings(), **self._own()}
        given = [f'{k}={v!r}' for k, v in self.get_params().items() if k not in default or repr(default[k]) != repr(v)]
        return f'{type(self).__name__}({", ".join(given)})'

    def _check(self) -> dict[str, Any]:
        """The options of model and training; unknown ones are refused."""
        taken = {'pred': 'pred_len', 'input': 'input_len', 'model': 'model', 'non_negative': 'non_negative'}
        known = [n for n in (*_training.option_names(), 'hops') if n not in taken]
        for name in self.options:
            if name not in known:
                near = taken.get(name) or next(iter(difflib.get_close_matches(name, [*known, *self._NAMES], 1)), None)
                raise TypeError(f'Forecaster: there is no parameter {name!r}' + (f'; {near!r} is near' if near else ''))
        for name in ('pred_len', 'input_len', 'season'):
            check_rows(name, getattr(self, name))
        return {**self.options, 'model': self.model, 'input': self.input_len, 'non_negative': self.non_negative}

    # ---- fitting ----

    def fit(self, data: Any, y: Any = None) -> Forecaster:
        """Learns from a data frame, an array or the path of a CSV file.

        With ``missing='mask'`` rows after the last target value may have values of known columns, which the forecast
        then reads.

        Parameters
        ----------
        data : data frame, array or path
            A row for each time, or for each time of each series (long form).
        y : ignored
        """
        options = self._check()
        table, fast = self._read(data)
        self._fit_table(table, data, fast, options)
        return self

    def _read(self, data: Any) -> tuple[Table, bool]:
        """The table of data, and whether it is forecast without a model."""
        context, how = Context(count_threads(self.n_jobs)), self._reading()
        asked = self._needs_model()
        if self.fast and asked:
            raise DataError(f'fast: {asked} is for a model (got fast=True, need fast=None or False)')
        if self.fast is False or asked:
            return _table.read(context, data, how), False
        table = _table.read(context, data, replace(how, missing=how.missing or 'mask'))
        if self.fast or table.is_long or table.info.rows < _FEW:
            return table, True
        # A model refuses gaps: this names the first one.
        return (_table.read(context, data, how) if table.info.missing and how.missing is None else table), False

    def _reading(self) -> Reading:
        roles = [_roles.as_list(n, r) for n, r in ((self.target, 'target'), (self.past, 'past'), (self.known, 'known'))]
        wanted = None if roles[0] is None else {*(n for r in roles for n in r or []), self.time, self.id, self.value}
        categories = [*(_roles.as_list(self.known, 'known') or []), *(_roles.as_list(self.past, 'past') or [])]
        return Reading(self.time, self.id, self.value, self.missing, self.repair, read_step('round', self.round),
                       categories, wanted=wanted)

    def _needs_model(self) -> Optional[str]:
        """The parameter that only a model has."""
        for name in ('past', 'known', 'input_len', 'model', 'holidays', 'split'):
            if getattr(self, name) is not None:
                return name
        if self.allow_negative or not self.refit:
            return 'allow_negative' if self.allow_negative else 'refit'
        return next(iter(self.options), None)

    def _fit_table(self, table: Table, data: Any, fast: bool, options: dict[str, Any]) -> None:
        context = table.context
        model = whole = split = report = None
        seed = self._seed()
        levels = self._own_quantiles()
        if levels and not fast and 0.5 not in levels:
            nearest = min(levels, key=lambda level: abs(level - 0.5))
            warn(f'quantiles: 0.5 is not among them, so the forecast is the quantile {nearest:g}')
        if fast:
            roles = _roles.find(table, self.target, None, None, None)
        else:
            split = _training.split_rows(context, table.info.rows, self.split)
            roles = _roles.find(table, self.target, self.past, self.known, split.train_end)
            if not self.keep_outliers:
                _roles.leave_out(context, table, roles.target + roles.past, self.season)
            model = _training.create(context, table, split, roles, self.pred_len, levels, self.holidays, options, seed,
                                     self.allow_negative)
            report = _training.fit(model, table, split, options, seed, self.verbose)
            if self.refit:
                whole = _training.refit(model, table, split, options, seed, self.verbose)
        self._keep(_context=context, _table=table, _kind=_frames.kind_of(data), _roles=roles, _model=model,
                   _whole=whole, _split=split, _data=data, _params=self._settings(), _report=report)

    def _keep(self, **fitted: Any) -> None:
        """Takes over the results of a fit at once, while other threads may forecast."""
        self.__dict__.update(fitted)

    def _as_fitted(self) -> Forecaster:
        """A forecaster with the parameters and the results of the last fit, which stay as they are."""
        own = type(self).__new__(type(self))
        own.__dict__.update(self.__dict__)
        own.options = {k: v for k, v in own._params.items() if k not in self._NAMES}
        own.__dict__.update((k, v) for k, v in own._params.items() if k in self._NAMES)
        return own

    def _seed(self) -> int:
        return 1 if self.random_state is None else draw_seed(self.random_state)

    def _own_quantiles(self) -> list[float]:
        return [float(q) for q in self.quantiles] if self.quantiles is not None else []

    # ---- forecasts ----

    def predict(self, h: Optional[int] = None, future: Any = None, *, data: Any = None) -> Any:
        """Forecasts the rows after the last one with a target value.

        Parameters
        ----------
        h : int, optional
            Rows; default: `pred_len`.
        future : data frame, optional
            Known columns of the rows of the forecast.
        data : data frame, optional
            Rows to forecast from, in place of those of the fit. Then the model forecasts without a blend.

        Returns
        -------
        data frame or array
            As the data of the fit: wide form has a column for each target, long form a row for each time of each
            series.
        """
        return _frames.make(*self._as_fitted()._planes(h, future, data, []), [], [])

    def predict_intervals(self, h: Optional[int] = None, future: Any = None, *, levels: Sequence[float] = (80, 95),
                          data: Any = None) -> Any:
        """As `predict`, with columns ``-lo-80`` and ``-hi-80`` for an interval that holds 80 % of the values."""
        levels = [float(level) for level in np.atleast_1d(levels)]
        for level in levels:
            if not 1 <= level < 100:
                raise DataError(f'levels: they are percent, such as 80 (got {level!r}, need at least 1 and less than '
                                '100)')
        ends = sorted({e for level in levels for e in _frames.interval_levels(level)})
        return _frames.make(*self._as_fitted()._planes(h, future, data, ends), [], list(levels))

    def predict_quantiles(self, h: Optional[int] = None, future: Any = None, *,
                          quantiles: Optional[Sequence[float]] = None, data: Any = None) -> Any:
        """As `predict`, with a column ``-q-0.1`` for each quantile; default: the parameter `quantiles`."""
        own = self._as_fitted()
        wanted = [float(q) for q in quantiles] if quantiles is not None else own._own_quantiles()
        if not wanted:
            raise DataError('quantiles: none is given; predict_quantiles(quantiles=[0.1, 0.5, 0.9]) gives three')
        if not all(0 < q < 1 for q in wanted) or sorted(set(wanted)) != wanted:
            raise DataError(f'quantiles: they rise between 0 and 1 (got {wanted!r})')
        others = [q for q in wanted if q not in own._model_quantiles()]
        return _frames.make(*own._planes(h, future, data, others), wanted, [])

    def predict_rows(self, rows: np.ndarray[Any, Any], known: Optional[np.ndarray[Any, Any]] = None,
                     time: Any = None) -> np.ndarray[Any, Any]:
        """Forecasts by the trained model from arrays, for services that make many forecasts.

        Parameters
        ----------
        rows : array [R, columns] or [n, R, columns]
            The last rows, at least as many as the model reads: targets, then past columns, in the order of
            `columns`. NaN is a missing value.
        known : array [R + H, known] or [n, R + H, known], optional
            Known columns of these rows and of the H rows of the forecast.
        time : datetime64 or array of n, optional
            Time of the last row, if the model reads the calendar or holidays.

        Returns
        -------
        array [H, targets] or [n, H, targets]
        """
        own = self.__dict__.copy()
        model = own['_whole'] or own['_model']
        if model is None:
            self._fitted()
            raise StateError('predict_rows: nothing was trained; Forecaster(fast=False) trains a model')
        return _training.predict_rows(model, rows, known, time)

    @property
    def columns(self) -> list[str]:
        """Names of the targets, then of the past columns, then of the known columns."""
        self._fitted()
        return self._model.names if self._model is not None else list(self._roles.target)

    def _model_quantiles(self) -> list[float]:
        if self._model is None:
            return []
        info = self._model.info
        return list(info.quantiles[:info.quantile_count])

    def _planes(self, h: Optional[int], future: Any, data: Any, levels: list[float]) -> tuple[Planes, Table, str]:
        """The forecast, the table that it follows, and the kind of its frame."""
        self._fitted()
        table, kind = self._table, self._kind
        if data is not None:
            table, kind = self._read_like_training(data), _frames.kind_of(data)
        if table is None:
            raise StateError('predict: a loaded forecaster has no rows; predict(data=...) gives them')
        check_rows('h', h)
        if self._model is None and future is not None:
            raise DataError('future: without a model no known columns are read; name them by `known`')
        steps = int(h) if h is not None else self._count_steps(table, self._model is None)
        return self._planes_of(table, self._read_future(future), steps, levels, data is None), table, kind

    def _count_steps(self, table: Table, fast: bool) -> int:
        """Rows of a forecast."""
        if self._model is not None and not fast:
            return int(self._model.info.pred_len)
        if self.pred_len:
            return int(self.pred_len)
        if fast:
            roles = _roles.find(table, self.target, None, None, None)
            return _local.Series(table, roles.target).choose_horizon()
        return _training.default_pred(table, _training.split_rows(table.context, table.info.rows, self.split)) or 96

    def _planes_of(self, table: Table, after: Optional[Table], steps: int, levels: list[float],
                   learned: bool = True) -> Planes:
        """The forecast after the last row of a table; learned: of the table of the fit."""
        model, whole = self._model, self._whole
        if model is None:
            return _local.forecast(_local.Series(table, self._roles.target), steps, levels, self.season,
                                   self.keep_outliers, self.non_negative)
        if levels and steps != model.info.pred_len:
            raise StateError(f'intervals: they are known for forecasts of the length of the training (got {steps} '
                             f'rows, need {model.info.pred_len})')
        if learned and whole is not None and self._blends(table):
            return _training.predict_blend(model, whole, table, self._split.train_end, after, steps, levels,
                                           self.season, self.keep_outliers, self.non_negative)
        return _training.predict(whole or model, table, after, steps, levels)

    def _fitted(self) -> Context:
        if self._table is None and self._model is None:
            raise NotFittedError('forecaster: it has learned nothing yet; call fit() or load() first')
        return self._context

    def _blends(self, table: Table) -> bool:
        """Whether the forecast is blended; a model that a parameter asks for is not."""
        asked = self.model or self.input_len or self.options or self.split is not None or self.allow_negative
        return not asked and not self._own_quantiles() and not table.is_long and \
            self._model is not None and not _training.ends_early(self._model, table)

    def _read_future(self, future: Any) -> Optional[Table]:
        if future is None:
            return None
        assert self._model is not None
        info = self._model.info
        names = self._model.names[info.columns + info.past:]
        how = self._reading()
        how.missing, how.step, how.apart = how.missing or 'mask', info.step, names
        how.local, how.value = is_local(info.step), None # values of the series may be left out
        how.categories = [n for n in names if '=' in n]
        return _table.read(self._context, future, how)

    def _read_like_training(self, data: Any) -> Table:
        """Reads rows with the columns of the training."""
        context = self._fitted()
        how = self._reading()
        if self._model is None:
            how.missing = how.missing or 'mask'
            return _table.read(context, data, how)
        info, names = self._model.info, self._model.names
        how.step, how.apart, how.local = info.step, names[info.columns:], is_local(info.step)
        how.categories = [n for n in names[info.columns:] if '=' in n]
        table = _table.read(context, data, how)
        added = C.c_int64()
        context.call('fgt_forecaster_add_absent', self._model.pointer, table.pointer, C.byref(added))
        if not self.keep_outliers:
            _roles.leave_out(context, table, names[:info.columns + info.past], self.season)
        return table

    # ---- errors on known rows ----

    def backtest(self, data: Any, origins: int = 5, every: Optional[int] = None) -> Backtest:
        """Measures how good forecasts from `origins` rows of the past would have been.

        At each origin a forecaster learns from the rows before it only, and forecasts the `pred_len` rows after it. A
        model keeps the share of validation rows of `split` and is neither fitted again nor blended, so `predict` after
        a `fit` with the same rows differs a little.

        Parameters
        ----------
        data : data frame, array or path
            As for `fit`.
        origins : int
            Number of origins; the last one is `pred_len` rows before the end.
        every : int, optional
            Rows from one origin to the next; default: `pred_len`.
        """
        return _backtest.run(self, data, origins, every)

    # ---- further rows, files ----

    def update(self, data: Any) -> Forecaster:
        """Learns from newer rows: `data` has the new rows, and rows before them that a forecast reads."""
        self._fitted()
        own = self._as_fitted()
        if own._model is None:
            return self.fit(data)
        table, model = own._read_like_training(data), own._whole or own._model
        data_of = save_to_bytes(model.context, 'fgt_forecaster_save', model.pointer)
        trained = _training.from_bytes(model.context, data_of)
        _training.update(trained, table, own._check(), own._seed(), self.verbose)
        self._keep(_table=table, _model=trained, _whole=None, _data=data, _kind=_frames.kind_of(data))
        return self

    def save(self, path: Any) -> None:
        """Writes the model to a file, which ``fighter-forecast --load`` reads, too.

        The file has the model alone, without the simple forecasters that `predict` may blend with it. So its forecasts
        and intervals differ a little from those after `fit`, as do those of `predict(data=...)`.
        """
        self._fitted()
        if self._model is None:
            raise StateError('save: nothing was trained, so there is no model to save; Forecaster(fast=False) trains '
                             'one')
        model = self._whole or self._model
        self._keep_errors(model)
        to = api.fgt_output(path=path_bytes(path))
        self._context.call('fgt_forecaster_save', model.pointer, C.byref(to))

    def _keep_errors(self, model: _training.Trained) -> None:
        """Keeps errors in the model, so that it has intervals after it is loaded; without enough rows it has none."""
        if self._table is None or lib.fgt_forecaster_get_calibration(model.pointer):
            return
        calibration = Handle(self._context, 'fgt_calibration')
        try:
            self._context.call('fgt_calibration_create', model.pointer, self._table.pointer, -1, calibration.out)
        except DataError as error:
            if error.status != 'FGT_E_DATA':
                raise
            return
        self._context.call('fgt_forecaster_set_calibration', model.pointer, calibration.pointer)

    @classmethod
    def load(cls, path: Any, **params: Any) -> Forecaster:
        """A forecaster from a file of `save` or of ``fighter-forecast --save``; `predict` then needs `data`.

        Parameters
        ----------
        path : str or path
            The file.
        **params
            How data are read: `missing`, `round`, `time`, `id` and so on, as for the constructor. The file does not
            have them.
        """
        made = cls(**params)
        made._context = Context(count_threads(made.n_jobs))
        made._model = _training.Trained(made._context)
        source = api.fgt_input(path=path_bytes(path))
        made._context.call('fgt_forecaster_load', made._context.pointer, C.byref(source), None, made._model.out)
        info, names = made._model.info, made._model.names
        targets, past = names[:info.columns], names[info.columns:info.columns + info.past]
        made._roles = _roles.Roles(targets, past, names[info.columns + info.past:])
        made._keep(_kind='dict', _split=None, _report=None, _data=None, _params=made._settings())
        return made

    def __getstate__(self) -> dict[str, Any]:
        """The parameters, the models as bytes, and the data of the fit, which is read again."""
        ours = {*self._NAMES, 'options', *self._FITTED}
        state: dict[str, Any] = {'params': self._settings(),
                                 'derived': {k: v for k, v in vars(self).items() if k not in ours}}
        if self._table is None and self._model is None:
            return state
        own = self._as_fitted()
        if own._table is not None and not own._read_again(Context(1)).equals(own._table):
            raise StateError('forecaster: the data has changed since the fit, so it cannot be pickled with it')
        return {**state, 'data': own._data if own._table is not None else None, 'kind': own._kind,
                'fitted': own._params, 'split': None if own._split is None else bytes(own._split), 'roles': own._roles,
                'models': [m and save_to_bytes(m.context, 'fgt_forecaster_save', m.pointer)
                                                      for m in (own._model, own._whole)]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Forecaster.__init__(self, **state['params']) # a derived class has other parameters
        vars(self).update(state.get('derived', {}))
        if 'models' not in state:
            return
        self._context = Context(count_threads(self.n_jobs))
        self._kind, self._roles, self._data, self._report = state['kind'], state['roles'], state['data'], None
        self._split = state['split'] and api.fgt_split.from_buffer_copy(state['split'])
        self._model, self._whole = (m and _training.from_bytes(self._context, m) for m in state['models'])
        self._params = state['fitted']
        self._table = None if self._data is None else self._as_fitted()._read_again(self._context)

    def _read_again(self, context: Context) -> Table:
        """The table of the fit."""
        how = self._reading()
        if self._model is None:
            how.missing = how.missing or 'mask'
        with warnings.catch_warnings(): # they were said at the fit
            warnings.simplefilter('ignore')
            table = _table.read(context, self._data, how)
            if self._model is not None and not self.keep_outliers:
                _roles.leave_out(context, table, self._roles.target + self._roles.past, self.season)
        return table
