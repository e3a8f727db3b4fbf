# SPDX-License-Identifier: BSD-3-Clause
"""Losses with a share of the differences' Fourier transform along axis 1."""

import autograd.numpy as np
import numpy
from autograd import grad

from training import write


def spectral(y, t, share, base):
    e = y - t
    frequencies = np.fft.fft(e, axis=1)[:, : e.shape[1] // 2 + 1]
    return (1 - share) * np.mean(base(e)) + share * np.mean(np.abs(frequencies))


def spectral_cases(c):
    """Stand behind the older cases: what is drawn here moves the numbers of none of them."""
    square, absolute = lambda e: e * e, np.abs
    for name, layer, base, share, shape in (
        ("even", "mse_loss", square, 0.5, (3, 12, 2)),
        ("odd", "l1_loss", absolute, 0.25, (2, 15, 3)),
        ("prime", "mse_loss", square, 1.0, (2, 7, 1)),
        ("wide", "mse_loss", square, 0.125, (2, 6, 37)),
        ("matrix", "l1_loss", absolute, 0.75, (5, 18)),
        ("nodes", "mse_loss", square, 0.5, (2, 5, 3, 2)),
        ("one", "mse_loss", square, 0.5, (4, 1, 3)),
    ):
        y, t, scale = 3 * c.draw(*shape), c.draw(*shape), 0.625
        f = lambda y: spectral(y, t, share, base)
        write(
            c,
            "loss_spectral_" + name,
            layer,
            {
                "input": y,
                "target": t,
                "output": numpy.float32(f(y)),
                "grad_output": numpy.float32(scale),
                "grad.input": scale * grad(f)(y),
            },
            reduction="mean",
            spectral=share,
        )
