# SPDX-License-Identifier: BSD-3-Clause
"""sktime's own checks of forecasters."""

import pytest


def test_checks_of_sktime_pass():
    pytest.importorskip('sktime')
    from sktime.utils.estimator_checks import check_estimator

    from fighter.sktime import FighterForecaster
    results = check_estimator(FighterForecaster, raise_exceptions=False, verbose=False)
    assert len(results) > 300
    assert {name: result for name, result in results.items() if result != 'PASSED'} == {}
