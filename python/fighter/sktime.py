# SPDX-License-Identifier: BSD-3-Clause
"""The forecaster in sktime's manner: ``from fighter.sktime import FighterForecaster``. It needs sktime."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pandas as pd
from sktime.forecasting.base import BaseForecaster, ForecastingHorizon

from ._forecaster import Forecaster


class FighterForecaster(BaseForecaster): # type: ignore[misc]
    """Forecasts by ``fighter.Forecaster``.

    Parameters
    ----------
    pred_len : int, optional
        Rows that a model learns to forecast; default: the largest step of ``fh`` in ``fit``, or ``fighter``'s own.
    model : str, optional
        A block such as ``"fighter"`` or ``"linear"``; default: simple forecasters, or a model where the rows are many.
    season : int, optional
        Rows in a season; default: by the index.
    random_state : int
        Seed.
    options : dict, optional
        Further parameters of ``fighter.Forecaster``.

    Examples
    --------
    >>> from sktime.datasets import load_airline
    >>> from fighter.sktime import FighterForecaster
    >>> forecast = FighterForecaster().fit(load_airline(), fh=[1, 2, 3]).predict()
    >>> len(forecast)
    3
    """

    _tags = {
        'authors': ['fighter'], 'maintainers': ['fighter'], 'python_dependencies': None,
        'scitype:y': 'both', 'y_inner_mtype': 'pd.DataFrame', 'X_inner_mtype': 'pd.DataFrame',
        'capability:exogenous': True, 'requires-fh-in-fit': False,
        'X-y-must-have-same-index': False, 'enforce_index_type': None,
        'capability:missing_values': True, 'capability:insample': False, 'capability:pred_int': True,
        'capability:pred_int:insample': False, 'capability:random_state': True,
    }

    def __init__(self, pred_len: Optional[int] = None, model: Optional[str] = None, season: Optional[int] = None,
                 random_state: int = 1, options: Optional[dict[str, Any]] = None) -> None:
        self.pred_len, self.model, self.season = pred_len, model, season
        self.random_state, self.options = random_state, options
        super().__init__()

    def _fit(self, y: Any, X: Any, fh: Any) -> FighterForecaster:
        steps = self.pred_len
        if steps is None and fh is not None:
            steps = max(int(np.max(fh.to_relative(self.cutoff).to_numpy())), 1)
        options: dict[str, Any] = {'missing': 'mask', **(self.options or {})}
        known = [f'x{i}' for i in range(X.shape[1])] if X is not None else None
        if known and steps is not None and len(y) < 10 * steps: # a tenth of the rows validates a model by default
            options.setdefault('split', (1.0, 0.0, 0.0))
        self._names = [f'y{i}' for i in range(y.shape[1])]
        self._own = Forecaster(self._names, known=known, past=None if known is None else [], pred_len=steps,
                               model=self.model, season=self.season, random_state=self.random_state, n_jobs=1,
                               verbose=False, **options)
        self._own.fit(self._frame(y, X))
        return self

    def _frame(self, y: Any, X: Any) -> Any:
        """Rows with plain names of columns, and with times if the index has them."""
        parts = [pd.DataFrame(part.to_numpy(dtype='float64'), index=part.index, columns=[f'{letter}{i}' for i in
                              range(part.shape[1])]) for letter, part in (('y', y), ('x', X)) if part is not None]
        frame = parts[0] if len(parts) == 1 else parts[0].join(parts[1])
        return frame.rename_axis(None)

    def _steps(self, fh: Any) -> Any:
        return fh.to_relative(self.cutoff).to_numpy().astype(int)

    def _future(self, X: Any, count: int) -> Any:
        """The rows of X for the next `count` steps. A step between those of `fh` repeats the row before."""
        if X is None or self._own.known is None:
            return None
        steps = ForecastingHorizon(np.arange(1, count + 1), is_relative=True, freq=self._y.index)
        every = steps.to_absolute_index(self.cutoff)
        return self._frame(None, X.reindex(every).ffill().bfill())

    def _index(self, fh: Any) -> Any:
        return fh.to_absolute_index(self.cutoff)

    def _predict(self, fh: Any, X: Any) -> Any:
        steps = self._steps(fh)
        out = self._own.predict(int(steps.max()), future=self._future(X, int(steps.max())))
        return pd.DataFrame(out[self._names].to_numpy()[steps - 1], index=self._index(fh), columns=self._target_names())

    def _target_names(self) -> Any:
        return self._y.columns

    def _predict_interval(self, fh: Any, X: Any, coverage: Any) -> Any:
        steps, levels = self._steps(fh), [100 * c for c in coverage]
        out = self._own.predict_intervals(int(steps.max()), future=self._future(X, int(steps.max())), levels=levels)
        columns = pd.MultiIndex.from_product([self._target_names(), coverage, ['lower', 'upper']])
        values = [out[f'{name}-{end}-{100 * c:g}'].to_numpy()[steps - 1] for name in self._names for c in coverage
                  for end in ('lo', 'hi')]
        return pd.DataFrame(np.column_stack(values), index=self._index(fh), columns=columns)

    @classmethod
    def get_test_params(cls, parameter_set: str = 'default') -> list[dict[str, Any]]:
        """Parameters for sktime's checks."""
        return [{}, {'season': 12, 'options': {'keep_outliers': True}}]
