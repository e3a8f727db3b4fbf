# SPDX-License-Identifier: BSD-3-Clause
"""Sequence models on the CPU: forecasts of time series, classes of texts and images."""

from ._classifier import ImageClassifier, TextClassifier
from ._estimator import NotFittedError
from ._library import (Context, DataError, FighterError, FighterWarning, FileError, NameNotFoundError,
                       NonfiniteError, OutOfMemoryError, StateError, UnsupportedError, get_version)

__version__ = get_version()
__all__ = ['Context', 'DataError', 'FighterError', 'FighterWarning', 'FileError', 'ImageClassifier',
           'NameNotFoundError', 'NonfiniteError', 'NotFittedError', 'OutOfMemoryError', 'StateError', 'TextClassifier',
           'UnsupportedError']
