# SPDX-License-Identifier: BSD-3-Clause
"""Fighter layers on ProbSparse attention, auto-correlation and LSH attention: A is formed as a matrix by the
definition of each in attention.h, and so are its powers."""

import math

import autograd.numpy as np
import numpy

from reference import ACT, heads_of, softmax


def value(x):
    """Without the gradient: choices have none."""
    while hasattr(x, "_value"):
        x = x._value
    return numpy.asarray(x)


def few(n, factor):
    return min(n, factor * math.ceil(math.log(n)))


def prob(q, k, sampled, factor):
    """(B,H,T,T); sampled (T,U)"""
    t = q.shape[-2]
    scores = np.matmul(q, np.swapaxes(k, -1, -2))
    keys = numpy.broadcast_to(sampled, q.shape[:2] + sampled.shape)
    picked = numpy.take_along_axis(value(scores), keys, -1)
    order = numpy.argsort(-(picked.max(-1) - picked.sum(-1) / t), -1, kind="stable")
    chosen = numpy.zeros(q.shape[:3] + (1,), bool)
    numpy.put_along_axis(chosen[..., 0], order[..., : few(t, factor)], True, -1)
    return np.where(chosen, softmax(scores / math.sqrt(q.shape[-1])), 1.0 / t)


def correlation(q, k, factor):
    """(B,1,T,T), alike for all heads; q and k (B,T,width)"""
    b, t, width = q.shape
    r = np.stack([np.sum(np.roll(q, -d, 1) * k, (1, 2)) / width for d in range(t)], -1)
    count, rows = max(1, min(t, int(factor * math.log(t)))), []
    for sample in range(b):
        delays = numpy.argsort(-value(r)[sample], kind="stable")[:count]
        w = softmax(r[sample][delays])
        rows.append(sum(w[i] * numpy.roll(numpy.eye(t), d, 1) for i, d in enumerate(delays)))
    return np.stack(rows)[:, None]


def lsh(q, rotations, m, causal):
    """(B,H,T,T); rotations (width,rounds,columns); T is a multiple of 2 m"""
    b, heads, t, width = q.shape
    k = q / np.sqrt(np.sum(q * q, -1, keepdims=True))
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) / math.sqrt(width)
    counts = numpy.zeros((b, heads, t, t))  # how often j is in C(i)
    for g in range(b):
        for h in range(heads):
            order = []
            for r in range(rotations.shape[1]):
                turned = value(q)[g, h] @ rotations[:, r]
                bucket = numpy.concatenate([turned, -turned], -1).argmax(-1)
                order.extend(sorted(range(t), key=lambda i: (bucket[i], i)))
            chunks = [order[i : i + m] for i in range(0, len(order), m)]
            for i, chunk in enumerate(chunks):
                for query in chunk:
                    for key in chunk + chunks[i - 1]:
                        counts[g, h, query, key] += 1
    if causal:
        counts = counts * numpy.tril(numpy.ones((t, t)))
    others = counts * (1 - numpy.eye(t))
    alone = others.sum(-1, keepdims=True) == 0
    weights = np.exp(scores - np.max(scores, -1, keepdims=True)) * others
    total = np.sum(weights, -1, keepdims=True)
    return np.where(alone, numpy.eye(t), weights / np.where(alone, 1.0, total))


def fighter_of(x, a, p, heads, act):
    """a (B,H or 1,T,T)"""
    w, columns = p["hop_weight"], []
    n = w.shape[-1] // heads
    for j in range(heads):
        one, power, y = a[:, j % a.shape[1]], np.zeros(a[:, 0].shape) + numpy.eye(a.shape[-1]), 0.0
        for i in range(w.shape[0]):
            y = y + np.matmul(power, np.matmul(x, w[i][:, j * n : (j + 1) * n]))
            power = np.matmul(power, one)
        columns.append(y)
    return ACT[act](np.concatenate(columns, -1) + p["bias"])


def attender_cases(c):
    def case(name, attender, shape, attn, out, hops, heads, make, meta, masks=None):
        d, pre = shape[-1], "layers.0."
        p = {"hop_weight": c.weight(d, hops, d, out), "bias": c.draw(out, scale=0.3),
             "q_proj.weight": c.weight(d, attn, d), "q_proj.bias": c.draw(attn, scale=0.3)}
        if attender != "lsh":
            p.update({"k_proj.weight": c.weight(d, attn, d), "k_proj.bias": c.draw(attn, scale=0.3)})

        def run(i, p):
            p = {k[len(pre) :]: v for k, v in p.items()}
            project = lambda key: np.matmul(i["input"], p[key + ".weight"].T) + p[key + ".bias"]
            a = make(project("q_proj"), project("k_proj") if "k_proj.weight" in p else None)
            return fighter_of(i["input"], a, p, heads, "tanh"), a

        c.write("variant_attender_" + name, "fighter",
                {"layers": 1, "hops": [hops], "heads": heads, "activation": "tanh",
                 "last_layer_activation": "tanh", "norm": "none", "residual": False, "attender": attender,
                 **meta},
                lambda i, p: run(i, p)[0], {"input": c.draw(*shape)}, {pre + k: v for k, v in p.items()},
                masks, lambda i, p: {"adjacency.0": numpy.repeat(value(run(i, p)[1]), heads, 1)
                                     if attender == "correlation" else run(i, p)[1]})

    for name, shape, attn, out, hops, heads, factor in (
        ("prob", (2, 23, 8), 8, 8, 4, 2, 1),
        ("prob_wide", (3, 40, 4), 6, 12, 3, 3, 2),
    ):
        t = shape[1]
        keys = c.rng.integers(0, t, (t, few(t, factor)))
        case(name, "prob", shape, attn, out, hops, heads,
             lambda q, k, h=heads, s=keys, f=factor: prob(heads_of(q, h), heads_of(k, h), s, f),
             {"factor": factor}, {"sample_idx": keys})
    for name, shape, attn, out, hops, heads, factor in (
        ("correlation", (2, 21, 6), 6, 6, 4, 2, 1),
        ("correlation_wide", (3, 16, 5), 8, 12, 3, 4, 2),
    ):
        case(name, "correlation", shape, attn, out, hops, heads,
             lambda q, k, f=factor: correlation(q, k, f), {"factor": factor, "own_delays": True})
    for name, shape, attn, out, hops, heads, m, rounds, causal in (
        ("lsh", (2, 24, 8), 8, 8, 4, 2, 3, 2, False),
        ("lsh_causal_wide", (2, 16, 6), 4, 18, 3, 2, 4, 3, True),
    ):
        rotations = c.draw(attn // heads, rounds, shape[1] // m // 2)
        case(name, "lsh", shape, attn, out, hops, heads,
             lambda q, k, h=heads, r=rotations, m=m, s=causal: lsh(heads_of(q, h), r, m, s),
             {"bucket_size": m, "n_hashes": rounds, "causal": causal}, {"rotations": rotations[None]})
