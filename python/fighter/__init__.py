# SPDX-License-Identifier: BSD-3-Clause
"""Sequence models on the CPU: forecasts of time series, classes of texts and images."""

from . import layers as layers, losses as losses
from ._classifier import ImageClassifier, TextClassifier
from ._estimator import NotFittedError
from ._fit import FitReport, Progress
from ._forecaster import Forecaster
from ._host_layer import HostLayer, LayerPass, LayerPlan
from ._library import (Context, DataError, FighterError, FighterWarning, FileError, NameNotFoundError,
                       NonfiniteError, OutOfMemoryError, StateError, UnsupportedError, get_version)
from ._matrices import Adjacency, edges_of, network, statistic
from ._model import Model
from ._options import Schedule
from ._predictor import Predictor, Stream
from ._report import Report
from ._train import Loss, Optimizer, Selector, Subset, load_checkpoint, save_checkpoint

__version__ = get_version()
__all__ = ['Adjacency', 'Context', 'DataError', 'FighterError', 'FighterWarning', 'FileError', 'FitReport',
           'Forecaster', 'HostLayer', 'ImageClassifier', 'LayerPass', 'LayerPlan', 'Loss', 'Model',
           'NameNotFoundError', 'NonfiniteError', 'NotFittedError', 'Optimizer', 'OutOfMemoryError', 'Predictor',
           'Progress', 'Report', 'Schedule', 'Selector', 'StateError', 'Stream', 'Subset', 'TextClassifier',
           'UnsupportedError', 'edges_of', 'layers', 'load_checkpoint', 'losses', 'network', 'save_checkpoint',
           'statistic']
