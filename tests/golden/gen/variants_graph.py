# SPDX-License-Identifier: BSD-3-Clause
"""Graph convolutions as random walks, on graphs that are given or learned; and layers along the nodes of
[B,N,T,D], computed as the same layers of [B,T,N,D]."""

import autograd.numpy as np
import numpy

from reference import bias_of, layer_norm, mha, softmax


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


def part_of(p, prefix):
    return {k[len(prefix) :]: v for k, v in p.items() if k.startswith(prefix)}


def time_space_cases(c):
    """Layers of attention along time, and behind each a graph convolution between the nodes; both end with a
    LayerNorm: h = norm(x + attention(x)), y = norm(h + gcn(h))."""

    def params(shape, layers, hops, learned):
        n, d = shape[1], shape[-1]
        p = {}
        for l in range(layers):
            time, space = "time.%d." % l, "space.%d." % l
            p[time + "blocks.0.in_proj_weight"] = c.weight(d, 3 * d, d)
            p[time + "blocks.0.in_proj_bias"] = c.draw(3 * d, scale=0.3)
            p[time + "blocks.0.out_proj.weight"] = c.weight(d, d, d)
            p[time + "blocks.0.out_proj.bias"] = c.draw(d, scale=0.3)
            p[space + "blocks.0.hop_weight"] = c.weight(d, hops, d, d)
            p[space + "blocks.0.back_weight"] = c.weight(d, hops, d, d)
            p[space + "blocks.0.bias"] = c.draw(d, scale=0.3)
            p[space + "blocks.0.source"] = c.draw(n, learned)
            p[space + "blocks.0.target"] = c.draw(n, learned)
            for part in (time, space):
                p[part + "norms.0.weight"] = 1 + c.draw(d, scale=0.2)
                p[part + "norms.0.bias"] = c.draw(d, scale=0.2)
        return p

    def case(name, shape, layers, heads, hops, learned, residual=True, penalty=0.0):
        t = shape[-2]
        bias = bias_of(t, t, penalty=penalty)

        def norm(x, p):
            return layer_norm(x, p["norms.0.weight"], p["norms.0.bias"])

        def run(i, p):
            x = i["input"]
            for l in range(layers):
                time, space = part_of(p, "time.%d." % l), part_of(p, "space.%d." % l)
                x = norm(residual * x + mha(x, x, part_of(time, "blocks.0."), heads, bias)[0], time)
                q = part_of(space, "blocks.0.")
                forward, backward = walks(shape[1], None, q)
                y = walk_sum(turned(x), forward, q["hop_weight"])
                y = y + walk_sum(turned(x), backward, q["back_weight"]) + q["bias"]
                x = norm(x + turned(y), space)
            return x

        c.write(
            "variant_time_space_" + name,
            "time_space",
            {
                "layers": layers,
                "heads": heads,
                "hops": hops,
                "learned": learned,
                "residual": residual,
                "diag_penalty": penalty,
            },
            run,
            {"input": c.draw(*shape)},
            params(shape, layers, hops, learned),
        )

    case("post_norm", (2, 5, 4, 6), 2, 2, 3, 2)
    case("post_norm_no_residual", (2, 3, 5, 4), 1, 2, 2, 3, residual=False)
    case("post_norm_penalty", (1, 4, 7, 8), 1, 4, 2, 2, penalty=-0.75)


def walk_cases(c):
    diffusion_cases(c)
    axis_cases(c)
