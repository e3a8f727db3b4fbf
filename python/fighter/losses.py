# SPDX-License-Identifier: BSD-3-Clause
"""Losses: functions of outputs and targets that return the loss and its gradient at the outputs.

`fighter.Loss` has the same losses with all their options, also for `Model.fit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._train import Loss

Result = tuple[float, NDArray[np.float32]]


def mse(y: ArrayLike, target: ArrayLike, *, skip_nan: bool = False) -> Result:
    """Mean of (y - t)^2. With `skip_nan` elements with a NaN target do not count."""
    return Loss(kind='mse', skip_nan=skip_nan)(y, target)


def l1(y: ArrayLike, target: ArrayLike, *, skip_nan: bool = False) -> Result:
    """Mean of |y - t|."""
    return Loss(kind='l1', skip_nan=skip_nan)(y, target)


def smooth_l1(y: ArrayLike, target: ArrayLike, *, beta: float = 1.0, skip_nan: bool = False) -> Result:
    """With e = |y - t|: mean of e^2 / (2 beta) if e < beta, else e - beta/2."""
    return Loss(kind='smooth_l1', beta=beta, skip_nan=skip_nan)(y, target)


def huber(y: ArrayLike, target: ArrayLike, *, beta: float = 1.0, skip_nan: bool = False) -> Result:
    """With e = |y - t|: mean of e^2 / 2 if e < beta, else beta (e - beta/2)."""
    return Loss(kind='huber', beta=beta, skip_nan=skip_nan)(y, target)


def cross_entropy(y: ArrayLike, target: ArrayLike, *, label_smoothing: float = 0.0,
                  class_weights: Optional[Sequence[float]] = None,
                  class_priors: Optional[Sequence[float]] = None, skip_nan: bool = False) -> Result:
    """Cross entropy of rows of logits y and numbers of classes; with `skip_nan` class -1 does not count."""
    return Loss(kind='cross_entropy', label_smoothing=label_smoothing, class_weights=class_weights,
                class_priors=class_priors, skip_nan=skip_nan)(y, target)


def bce(y: ArrayLike, target: ArrayLike, *, skip_nan: bool = False) -> Result:
    """Binary cross entropy of logits y and targets in 0 .. 1."""
    return Loss(kind='bce', skip_nan=skip_nan)(y, target)


def quantile(y: ArrayLike, target: ArrayLike, quantiles: Sequence[float] = (0.5,), *,
             skip_nan: bool = False) -> Result:
    """With e = t - y: mean of max(q e, (q-1) e). Element i of y is an estimate of quantiles[i mod n]."""
    return Loss(kind='quantile', quantiles=quantiles, skip_nan=skip_nan)(y, target)


def poisson(y: ArrayLike, target: ArrayLike, *, skip_nan: bool = False) -> Result:
    """Half of the deviance of counts with mean and variance y >= 0."""
    return Loss(kind='poisson', skip_nan=skip_nan)(y, target)


def negative_binomial(y: ArrayLike, target: ArrayLike, *, dispersion: float = 1.0, skip_nan: bool = False) -> Result:
    """Half of the deviance of counts with mean y >= 0 and variance y + dispersion y^2."""
    return Loss(kind='negative_binomial', dispersion=dispersion, skip_nan=skip_nan)(y, target)
