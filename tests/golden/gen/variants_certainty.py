# SPDX-License-Identifier: BSD-3-Clause
"""Softplus, quantiles in rising order, losses of counts, and maps of each token."""

import autograd.numpy as np
import numpy

from training import write


def softplus_case(c):
    c.write(
        "variant_act_softplus",
        "activation",
        {"kind": "softplus"},
        lambda i, p: np.logaddexp(0, i["input"]),
        {"input": 4 * c.draw(2, 1, 3, 53)},
        {},
    )


def quantile_layer_case(c):
    batch, count, steps, width = 3, 5, 4, 7
    x, dy = c.draw(batch, count * steps, width), c.draw(batch, steps, width, count)
    # [batch,count,steps,width] -> [batch,steps,width,count]
    apart = numpy.moveaxis(x.reshape(batch, count, steps, width), 1, -1)
    order = numpy.argsort(apart, -1)
    dx = numpy.zeros_like(apart)
    numpy.put_along_axis(dx, order, dy, -1)
    write(
        c,
        "quantiles",
        "quantiles",
        {
            "input": x,
            "output": numpy.take_along_axis(apart, order, -1),
            "grad_output": dy,
            "grad.input": numpy.moveaxis(dx, -1, 1).reshape(x.shape),
        },
        count=count,
    )


def count_loss(c, name, layer, f, slope, **meta):
    y, t, scale = abs(4 * c.draw(3, 5)) + 0.125, numpy.floor(abs(3 * c.draw(3, 5))), 0.625
    write(
        c,
        "loss_" + name,
        layer,
        {
            "input": y,
            "target": t,
            "output": numpy.float32(numpy.mean(f(y, t))),
            "grad_output": numpy.float32(scale),
            "grad.input": scale * slope(y, t) / y.size,
        },
        reduction="mean",
        **meta,
    )


def count_loss_cases(c):
    t_log = lambda y, t: numpy.where(t > 0, t * numpy.log(numpy.where(t > 0, t, 1) / y), 0)
    poisson = lambda y, t: y - t + t_log(y, t)
    count_loss(c, "poisson", "poisson_loss", poisson, lambda y, t: 1 - t / y)
    for name, a in (("", 1.0), ("_wide", 4.0), ("_narrow", 0.125)):
        count_loss(
            c,
            "negative_binomial" + name,
            "negative_binomial_loss",
            lambda y, t: t_log(y, t) - (t + 1 / a) * numpy.log((1 + a * t) / (1 + a * y)),
            lambda y, t: (y - t) / (y * (1 + a * y)),
            dispersion=a,
        )


def token_linear_case(c):
    c.write(
        "variant_token_linear",
        "token_linear",
        {},
        lambda i, p: np.einsum("bntd,thd->bnth", i["input"], p["weight"]) + p["bias"],
        {"input": c.draw(3, 2, 5, 7)},
        {"weight": c.draw(5, 4, 7), "bias": c.draw(5, 4)},
    )


def slice_case(c):
    c.write(
        "variant_slice",
        "slice",
        {"first": 2, "count": 3},
        lambda i, p: i["input"][:, :, 2:5],
        {"input": c.draw(3, 2, 7, 4)},
        {},
    )


def certainty_cases(c):
    """Stand behind the older cases: what is drawn here moves the numbers of none of them."""
    softplus_case(c)
    quantile_layer_case(c)
    count_loss_cases(c)
    token_linear_case(c)
    slice_case(c)
