# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of attention matrices and of values, from their definitions with numpy in double."""

import numpy

from files import OWN
from tensor_file import save

# ---- of one attention matrix -------------------------------------------------------------------


def row_statistics(a, first):
    rows = a[a.sum(-1) > 0]
    kept = numpy.flatnonzero(a.sum(-1) > 0)
    p = rows / rows.sum(-1, keepdims=True)
    logs = numpy.log(numpy.where(p > 0, p, 1))
    entropy = (-p * logs).sum(-1).mean()
    found = {
        "entropy": entropy,
        "entropy_normalised": entropy / numpy.log(a.shape[-1]),
        "first": p[:, :first].sum(-1).mean(),
    }
    if a.shape[0] == a.shape[1]:
        own = p[numpy.arange(len(kept)), kept]
        away = abs(kept[:, None] - numpy.arange(a.shape[1])[None])
        found["diagonal"] = own.mean()
        found["diagonal_expected"] = ((own > 0) / (p > 0).sum(-1)).mean()
        found["distance"] = (p * away).sum(-1).mean()
    return found


# ---- of any matrix -----------------------------------------------------------------------------


def rank_statistics(x):
    q = numpy.linalg.svd(x, compute_uv=False)
    q = q / q.sum()
    q = q[q > 0]
    return {
        "rank": numpy.exp(-(q * numpy.log(q)).sum()),
        "rank_one": numpy.linalg.norm(x - x.mean(0)) / numpy.linalg.norm(x),
    }


def value_statistics(x, graph):
    t = len(x)
    g = numpy.full((t, t), 1 / t) if graph is None else graph
    apart = ((x[:, None] - x[None]) ** 2).sum(-1)
    length = numpy.linalg.norm(x, axis=-1, keepdims=True)
    u = numpy.where(length > 0, x / numpy.where(length > 0, length, 1), 0)
    cosine, others = u @ u.T, 1 - numpy.eye(t)
    weights = g * others
    far, sums = (weights * (1 - cosine)).sum(-1), weights.sum(-1)
    return {
        "dirichlet": (g * apart).sum() / (2 * t),
        "mad": (far[sums > 0] / sums[sums > 0]).mean(),
        "cosine": (cosine * others).sum() / others.sum(),
        **rank_statistics(x),
    }


# ---- cases -------------------------------------------------------------------------------------


def exact(x):
    return numpy.asarray(x, numpy.float32).astype(float)


def softmax(s):
    e = numpy.exp(s - s.max(-1, keepdims=True))
    return exact(e / e.sum(-1, keepdims=True))


def write(c, name, x, of_one, tensors=None, **meta):
    lead = x.shape[:-2]
    found = [of_one(m) for m in x.reshape(-1, *x.shape[-2:])]
    out = {"statistic." + k: numpy.reshape([f[k] for f in found], lead) for k in found[0]}
    save(
        c.directory / ("statistics_" + name + ".safetensors"),
        {"case": "statistics_" + name, "layer": "statistics", "source": OWN, **meta},
        {"input": x, **(tensors or {}), **out},
    )


def attention_cases(c):
    def case(name, a, first):
        write(c, name, a, lambda m: {**row_statistics(m, first), **rank_statistics(m)}, first=first)

    t = 23
    causal = numpy.where(numpy.triu(numpy.ones((t, t)), 1) > 0, -numpy.inf, 0)
    case("attention", softmax(2 * c.draw(2, 3, 17, 17)), 1)
    case("causal", softmax(c.draw(2, t, t) + causal), 4)
    case("memory", softmax(3 * c.draw(2, 2, 5, 12)), 2)
    no_key = softmax(c.draw(1, 9, 9))
    no_key[0, 4] = 0
    case("no_key", no_key, 3)
    sharp = softmax(40 * c.draw(2, 31, 31))
    case("sharp", sharp, 1)
    power = softmax(c.draw(1, 40, 40))
    case("powers", numpy.stack([exact(numpy.linalg.matrix_power(power[0], i)) for i in (1, 2, 3, 6)]), 1)


def value_cases(c):
    def case(name, x, graph=None):
        of_one = lambda m: value_statistics(m, graph)
        write(c, name, x, of_one, {} if graph is None else {"graph": graph})

    case("values", c.draw(2, 3, 11, 6))
    case("wide_values", c.draw(3, 7, 19))
    case("values_graph", c.draw(2, 13, 5), softmax(2 * c.draw(13, 13)))
    alike = exact(c.draw(1, 1, 8) + 1e-4 * c.draw(2, 30, 8))
    case("values_alike", alike)
    some_zero = c.draw(2, 9, 4)
    some_zero[0, 3] = 0
    sparse = numpy.where(c.rng.random((9, 9)) < 0.3, 1.0, 0.0)
    sparse[5] = 0
    case("values_zero_row", some_zero, sparse)
    two = exact(c.draw(24, 2) @ c.draw(2, 15))
    case("values_rank_two", two[None])


def statistic_cases(c):
    """Stand behind the older cases: what is drawn here moves the numbers of none of them."""
    attention_cases(c)
    value_cases(c)
