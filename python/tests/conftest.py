# SPDX-License-Identifier: BSD-3-Clause
"""Data that several tests use."""

import numpy as np
import pytest


@pytest.fixture
def hourly():
    """A series of 900 hours with a daily season and noise: times and values."""
    t = np.arange(900)
    noise = np.random.default_rng(1).normal(size=900)
    values = 20 + 5 * np.sin(2 * np.pi * t / 24) + 2 * np.cos(2 * np.pi * t / 168) + noise
    return np.datetime64('2024-01-01T00', 'ms') + t * np.timedelta64(3600000, 'ms'), values
