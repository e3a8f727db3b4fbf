# SPDX-License-Identifier: BSD-3-Clause
"""Attention along the edges of a graph, token by token from lists of neighbours: no matrix is masked."""

import autograd.numpy as np
import numpy

from reference import ACT, fighter, heads_of, layer_norm, softmax


def neighbours(graph, causal, diag):
    """The tokens that each token sees: those to which it has an edge, and itself unless diag."""
    lists = []
    for t in range(len(graph)):
        seen = [j for j in range(len(graph)) if (graph[t, j] != 0 or j == t) and not (diag and j == t)]
        lists.append([j for j in seen if j <= t or not causal])
    return lists


def rows_of_a(q, k, lists):
    """For each token the weights of its neighbours, (...,H,neighbours); heads are split already"""
    return [
        softmax(np.sum(q[..., t : t + 1, :] * k[..., seen, :], -1) / q.shape[-1] ** 0.5) if seen else None
        for t, seen in enumerate(lists)
    ]


def walk(rows, lists, x):
    """A x, from the neighbours"""
    zero = np.zeros(x[..., 0, :].shape)
    y = [np.sum(r[..., None] * x[..., s, :], -2) if s else zero for r, s in zip(rows, lists)]
    return np.stack(y, -2)


def matrix(rows, lists):
    a = numpy.zeros(next(r for r in rows if r is not None).shape[:-1] + (len(lists), len(lists)))
    for t, seen in enumerate(lists):
        if seen:
            a[..., t, seen] = rows[t]
    return a


def joined(x):
    x = np.swapaxes(x, -2, -3)
    return np.reshape(x, x.shape[:-2] + (x.shape[-2] * x.shape[-1],))


def attention(x, p, heads, lists):
    d = x.shape[-1]
    q, k, v = (
        heads_of(np.matmul(x, p["in_proj_weight"][i * d : (i + 1) * d].T)
                 + p["in_proj_bias"][i * d : (i + 1) * d], heads) for i in range(3)
    )
    rows = rows_of_a(q, k, lists)
    return np.matmul(joined(walk(rows, lists, v)), p["out_proj.weight"].T) + p["out_proj.bias"], rows


def fighter_layer(x, p, heads, act, residual, lists):
    h = layer_norm(x, p["norm.weight"], p["norm.bias"])
    q = heads_of(np.matmul(h, p["q_proj.weight"].T) + p["q_proj.bias"], heads)
    k = heads_of(np.matmul(h, p["k_proj.weight"].T) + p["k_proj.bias"], heads)
    rows, w = rows_of_a(q, k, lists), p["hop_weight"]
    z, y = np.stack([h] * heads, -3), 0.0  # every head walks over all features
    for i in range(w.shape[0]):
        weights = np.swapaxes(np.reshape(w[i], (w.shape[1], heads, -1)), 0, 1)
        y = y + np.matmul(z, weights)
        z = walk(rows, lists, z)
    y = ACT[act](joined(y) + p["bias"])
    return x + y if residual else y, rows


def encoder(x, p, heads, act, lists):
    """Pre-norm"""
    attn = {k[len("self_attn.") :]: v for k, v in p.items() if k.startswith("self_attn.")}
    y, rows = attention(layer_norm(x, p["norm1.weight"], p["norm1.bias"]), attn, heads, lists)
    h = x + y
    u = np.matmul(layer_norm(h, p["norm2.weight"], p["norm2.bias"]), p["linear1.weight"].T)
    v = ACT[act](u + p["linear1.bias"])
    return h + np.matmul(v, p["linear2.weight"].T) + p["linear2.bias"], rows


def draw_graph(c, n, share):
    return numpy.where(c.rng.random((n, n)) < share, c.draw(n, n), 0)


def attention_params(c, d):
    return {
        "in_proj_weight": c.weight(d, 3 * d, d),
        "in_proj_bias": c.draw(3 * d, scale=0.3),
        "out_proj.weight": c.weight(d, d, d),
        "out_proj.bias": c.draw(d, scale=0.3),
    }


def edge_cases(c):
    gelu = "gelu (exact, erf)"

    def write(name, layer, meta, run, shape, p, graph, lists, seen):
        c.write("variant_edges_" + name, layer, meta, lambda i, p: run(i["input"], p)[0],
                {"input": c.draw(*shape)}, p, {"graph": graph},
                lambda i, p: {seen: matrix(run(i["input"], p)[1], lists)})

    for name, shape, heads, share, causal, diag in (
        ("attention", (2, 11, 8), 2, 0.2, False, False),
        ("attention_causal", (3, 9, 6), 1, 0.5, True, False),
        ("attention_others", (2, 2, 10, 6), 3, 0.15, False, True),
        ("attention_alone", (2, 5, 4), 2, 0.0, False, False),
    ):
        graph = draw_graph(c, shape[-2], share)
        lists = neighbours(graph, causal, diag)
        write(name, "multihead_attention",
              {"d_model": shape[-1], "heads": heads, "bias": True, "causal": causal, "diag_mask": diag},
              lambda x, p, h=heads, s=lists: attention(x, p, h, s), shape, attention_params(c, shape[-1]),
              graph, lists, "attn_weights")
    for name, shape, out, hops, heads, act, share, causal in (
        ("fighter", (2, 12, 8), 8, 4, 2, gelu, 0.15, False),
        ("fighter_wide", (2, 9, 4), 12, 3, 3, "tanh", 0.3, False),
        ("fighter_causal", (3, 2, 7, 6), 6, 3, 1, "tanh", 0.4, True),
    ):
        d, graph = shape[-1], draw_graph(c, shape[-2], share)
        lists = neighbours(graph, causal, False)
        p = {"hop_weight": c.weight(d, hops, d, out), "bias": c.draw(out, scale=0.3),
             "norm.weight": 1 + c.draw(d, scale=0.2), "norm.bias": c.draw(d, scale=0.2)}
        for key in ("q_proj", "k_proj"):
            p[key + ".weight"], p[key + ".bias"] = c.weight(d, 6, d), c.draw(6, scale=0.3)
        run = lambda x, p, h=heads, a=act, r=d == out, s=lists: fighter_layer(
            x, {k[len("layers.0.") :]: v for k, v in p.items()}, h, a, r, s)
        write(name, "fighter",
              {"layers": 1, "hops": [hops], "heads": heads, "activation": act, "last_layer_activation": act,
               "norm": "pre", "residual": d == out, "causal": causal},
              run, shape, {"layers.0." + k: v for k, v in p.items()}, graph, lists, "adjacency.0")
    graph, p = draw_graph(c, 13, 0.2), {"self_attn." + k: v for k, v in attention_params(c, 8).items()}
    lists = neighbours(graph, False, False)
    for i, (rows, columns) in enumerate(((20, 8), (8, 20))):
        p["linear%d.weight" % (i + 1)] = c.weight(columns, rows, columns)
        p["linear%d.bias" % (i + 1)] = c.draw(rows, scale=0.3)
        p["norm%d.weight" % (i + 1)] = 1 + c.draw(8, scale=0.2)
        p["norm%d.bias" % (i + 1)] = c.draw(8, scale=0.2)
    write("encoder_layer", "transformer_encoder_layer",
          {"d_model": 8, "heads": 4, "activation": gelu, "norm_first": True},
          lambda x, p: encoder(x, p, 4, gelu, lists), (3, 13, 8), p, graph, lists, "attn_weights")


def cross_cases(c):
    """Hops 0 and 1 from the tokens of x to those of a memory, whose own hops come first if there are any."""
    def run(i, p, heads, act):
        x, m, d = i["input"], i["input_kv"], i["input"].shape[-1]
        source = {k.replace("source.", "layers.0."): v for k, v in p.items() if k.startswith("source.")}
        if source:
            m = fighter(m, source, 1, "none", False, numpy.zeros((m.shape[-2], m.shape[-2])))[0]
        w, b, columns = p["cross.in_proj_weight"], p["cross.in_proj_bias"], []
        q = heads_of(np.matmul(x, w[:d].T) + b[:d], heads)
        k = heads_of(np.matmul(m, w[d : 2 * d].T) + b[d : 2 * d], heads)
        a = softmax(np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(d / heads))
        n = (len(w) - 2 * d) // heads
        for h in range(heads):
            hop = w[2 * d + h * n : 2 * d + (h + 1) * n]
            values = np.matmul(m, hop.T) + b[2 * d + h * n : 2 * d + (h + 1) * n]
            columns.append(np.matmul(a[..., h, :, :], values))
        u = np.matmul(x, p["own.weight"].T) + p["own.bias"] + np.concatenate(columns, -1)
        return ACT[act](u)

    for name, shape, tokens, out, heads, act, hops in (
        ("two_hops", (2, 7, 6), 11, 8, 2, "tanh", 0),
        ("source_hops", (3, 9, 4), 5, 6, 1, "gelu (exact, erf)", 3),
    ):
        d = shape[-1]
        p = {"own.weight": c.weight(d, out, d), "own.bias": c.draw(out, scale=0.3),
             "cross.in_proj_weight": c.weight(d, 2 * d + out, d),
             "cross.in_proj_bias": c.draw(2 * d + out, scale=0.3)}
        if hops:
            p["source.hop_weight"], p["source.bias"] = c.weight(d, hops, d, d), c.draw(d, scale=0.3)
            for key in ("q_proj", "k_proj"):
                p["source." + key + ".weight"] = c.weight(d, d, d)
                p["source." + key + ".bias"] = c.draw(d, scale=0.3)
        c.write("variant_cross_fighter_" + name, "fighter_cross",
                {"heads": heads, "activation": act},
                lambda i, p, h=heads, a=act: run(i, p, h, a),
                {"input": c.draw(*shape), "input_kv": c.draw(shape[0], tokens, d)}, p)
