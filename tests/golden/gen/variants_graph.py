# SPDX-License-Identifier: BSD-3-Clause
"""Graph convolutions as random walks, on graphs that are given or learned; and layers along the nodes of
[B,N,T,D], computed as the same layers of [B,T,N,D]."""

import autograd.numpy as np
import numpy

from reference import bias_of, mha, softmax


def turned(x):
    return np.swapaxes(x, 1, 2)


def walks(n, a, p):
    """P_f and P_b: of the adjacency, or of the vectors of the nodes."""
    if a is not None:
        rows = lambda m: m / numpy.where(m.sum(1, keepdims=True) > 0, m.sum(1, keepdims=True), 1)
        return rows(a), rows(a.T)
    scores = np.dot(p["source"], p["target"].T)
    return softmax(np.maximum(scores, 0)), softmax(np.maximum(scores.T, 0))


def walk_sum(x, walk, w):
    """sum_i P^i x W_i over the axis before the last"""
    y = np.matmul(x, w[0])
    for i in range(1, w.shape[0]):
        x = np.matmul(walk, x)
        y = y + np.matmul(x, w[i])
    return y


def diffusion_cases(c):
    def case(name, shape, out, hops, learned=0, diffusion=True, bias=True, axis="time"):
        n, d = shape[1 if axis == "nodes" else -2], shape[-1]
        a = None if learned else numpy.where(c.rng.random((n, n)) < 0.3, abs(c.draw(n, n)), 0)
        p = {"hop_weight": c.weight(d, hops, d, out)}
        if diffusion:
            p["back_weight"] = c.weight(d, hops, d, out)
        if bias:
            p["bias"] = c.draw(out, scale=0.3)
        if learned:
            p.update({"source": c.draw(n, learned), "target": c.draw(n, learned)})

        def run(i, p):
            x = turned(i["input"]) if axis == "nodes" else i["input"]
            forward, backward = walks(n, a, p)
            y = walk_sum(x, forward, p["hop_weight"])
            if diffusion:
                y = y + walk_sum(x, backward, p["back_weight"])
            y = np.tanh(y + p.get("bias", 0))
            return turned(y) if axis == "nodes" else y

        c.write(
            "variant_diffusion_" + name,
            "diffusion_gcn",
            {"axis": axis, "learned": learned, "diffusion": diffusion, "activation": "tanh"},
            run,
            {"input": c.draw(*shape)},
            p,
            None if learned else {"adjacency": a},
            lambda i, p: {"walks": numpy.stack(walks(n, a, p)[: 1 + diffusion])},
        )

    case("given", (2, 9, 4), 5, 3)
    case("given_nodes", (2, 11, 3, 6), 4, 3, axis="nodes")
    case("learned", (2, 3, 7, 4), 4, 3, learned=3)
    case("learned_forward", (2, 8, 3), 9, 4, learned=5, diffusion=False, bias=False)
    case("learned_nodes", (2, 13, 5, 4), 4, 2, learned=10, axis="nodes")
    case("learned_nodes_wide", (3, 6, 2, 3), 8, 3, learned=2, axis="nodes")


def axis_cases(c):
    def attention(name, shape, heads, **conf):
        b, n, t, d = shape
        bias = bias_of(n, n, **conf)
        c.write(
            "variant_axis_attention_" + name,
            "attention_along_nodes",
            {"heads": heads, "causal": bool(conf.get("causal"))},
            lambda i, p: turned(mha(turned(i["input"]), turned(i["input"]), p, heads, bias)[0]),
            {"input": c.draw(*shape)},
            {
                "in_proj_weight": c.weight(d, 3 * d, d),
                "in_proj_bias": c.draw(3 * d, scale=0.3),
                "out_proj.weight": c.weight(d, d, d),
                "out_proj.bias": c.draw(d, scale=0.3),
            },
        )

    attention("heads", (2, 7, 3, 6), 2)
    attention("causal", (2, 19, 2, 8), 1, causal=True)
    for name, shape, out in (("narrow", (2, 6, 4, 5), 3), ("wide", (2, 17, 3, 4), 9)):
        p = {"hop_weight": c.weight(shape[-1], 3, shape[-1], out), "bias": c.draw(out, scale=0.3)}
        for key in ("q_proj", "k_proj"):
            p[key + ".weight"] = c.weight(shape[-1], shape[-1], shape[-1])
            p[key + ".bias"] = c.draw(shape[-1], scale=0.3)
        c.write(
            "variant_axis_fighter_" + name,
            "fighter_along_nodes",
            {"activation": "tanh"},
            fighter_along_nodes,
            {"input": c.draw(*shape)},
            p,
        )


def fighter_along_nodes(i, p):
    x = turned(i["input"])
    q = np.matmul(x, p["q_proj.weight"].T) + p["q_proj.bias"]
    k = np.matmul(x, p["k_proj.weight"].T) + p["k_proj.bias"]
    a = softmax(np.matmul(q, np.swapaxes(k, -1, -2)) / x.shape[-1] ** 0.5)
    return turned(np.tanh(walk_sum(x, a, p["hop_weight"]) + p["bias"]))


def walk_cases(c):
    diffusion_cases(c)
    axis_cases(c)
