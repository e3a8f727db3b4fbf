# SPDX-License-Identifier: BSD-3-Clause
"""The checks of scikit-learn, on classifiers that make texts and images of rows of numbers."""

import numpy as np
import pytest

from fighter import ImageClassifier, TextClassifier

pytest.importorskip('sklearn')
from sklearn.exceptions import SkipTestWarning  # noqa: E402
from sklearn.utils import check_array, estimator_checks  # noqa: E402

# Checks that do not apply, and why.
NOT = {
    'check_fit2d_1sample': 'the sentence of the library says that all samples are of one class',
    'check_array_api_input': 'skipped by scikit-learn, which needs a variable of the environment for it',
}


class Rows:
    """Rows of numbers become samples, and keep the number of columns, which texts do not have."""

    def fit(self, X, y):
        vars(self).pop('n_features_in_', None)
        super().fit(X, y)
        self.n_features_in_ = self._columns
        del self._columns
        return self

    def _read(self, X):
        X = check_array(X)
        need = vars(self).get('n_features_in_')
        if need is None:
            self._columns = X.shape[1]
        elif X.shape[1] != need:
            raise ValueError(f'X has {X.shape[1]} features, but {type(self).__name__} is expecting {need} features '
                             'as input')
        return super()._read(self.samples_of(X))

    def _more_tags(self):
        return {'requires_y': True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


class RowsAsTexts(Rows, TextClassifier):
    """Each number becomes a word, the same for similar numbers."""

    def samples_of(self, X):
        return [' '.join(f'c{j}v{int(np.rint(2 * x)) + 1000}' for j, x in enumerate(row)) for row in X]


class RowsAsImages(Rows, ImageClassifier):
    """Each number becomes a rectangle."""

    def samples_of(self, X):
        return np.kron(np.clip(np.rint(128 + 20 * X), 0, 255)[:, None], np.ones((1, 4, 8)))


def checks_of(estimator):
    if hasattr(estimator_checks, 'estimator_checks_generator'): # since 1.6
        return estimator_checks.estimator_checks_generator(estimator, legacy=True)
    return estimator_checks.check_estimator(estimator, generate_only=True)


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('estimator', [RowsAsTexts(epochs=15),
                                       RowsAsImages(epochs=8, dim=16, layers=1, lr=0.01)])
def test_checks_of_scikit_learn(estimator):
    failed, count = {}, 0
    for made, check in checks_of(estimator):
        count += 1
        try:
            check(made)
        except BaseException as error:
            failed[check.func.__name__] = error
    assert count > 35
    assert {name: error for name, error in failed.items() if name not in NOT} == {}


@pytest.mark.filterwarnings('ignore:Estimator')
@pytest.mark.parametrize('estimator', [TextClassifier(), ImageClassifier()])
def test_tags_say_that_samples_are_not_rows(estimator):
    with pytest.warns(SkipTestWarning, match="Can't test"):
        estimator_checks.check_estimator(estimator)
