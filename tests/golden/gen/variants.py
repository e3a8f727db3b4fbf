#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden files of other shapes than the shared ones: variants.py DIRECTORY.

The reference is written from the equations in double precision; gradients come from the packages numpy and
autograd. Inputs and parameters are exact float32 values, results are rounded to float32."""

import sys

import autograd.numpy as np
import numpy

from files import Cases
from training import clip_cases, loss_cases, optimiser_cases, quantile_cases, schedule_cases
from reference import ACT, bias_of, fighter, layer_norm, mha, softmax
from variants_attenders import attender_cases
from variants_certainty import certainty_cases
from variants_conv import conv_cases
from variants_decoder import decoder_cases
from variants_edges import cross_cases, edge_cases
from variants_encoder import encoder_cases
from variants_fighter import fighter_option_cases
from variants_graph import time_space_cases, walk_cases
from variants_hops import hop_cases
from variants_sensitivity import sensitivity_cases
from variants_spectral import spectral_cases
from variants_statistics import statistic_cases
from variants_recurrent import recurrent_cases
from variants_s4 import s4_cases

# ---- attention and Fighter ---------------------------------------------------------------------


def mha_cases(c):
    def params(d, biases):
        p = {"in_proj_weight": c.weight(d, 3 * d, d), "out_proj.weight": c.weight(d, d, d)}
        if biases:
            p.update({"in_proj_bias": c.draw(3 * d, scale=0.3), "out_proj.bias": c.draw(d, scale=0.3)})
        return p

    def case(name, shape, heads, kv=None, biases=True, masks=None, meta=None, **conf):
        t, s = shape[-2], (kv or shape)[-2]
        inputs = {"input": c.draw(*shape)}
        if kv:
            inputs["input_kv"] = c.draw(*kv)
        bias = bias_of(t, s, **conf)
        if bias.ndim == 4 and len(shape) == 4:
            bias = bias[:, None]
        run = lambda i, p: mha(i["input"], i.get("input_kv", i["input"]), p, heads, bias)
        c.write(
            "variant_mha_" + name,
            "multihead_attention",
            {"d_model": shape[-1], "heads": heads, "bias": biases, **(meta or {})},
            lambda i, p: run(i, p)[0],
            inputs,
            params(shape[-1], biases),
            masks,
            lambda i, p: {"attn_weights": run(i, p)[1]},
        )

    pad = numpy.zeros((3, 17), numpy.int32)
    pad[0, 12:], pad[2, :5] = 1, 1
    additive = c.draw(17, 17)
    additive[c.rng.random((17, 17)) < 0.2] = -numpy.inf
    additive[numpy.arange(17), numpy.arange(17)] = 0.5
    case("one_token", (1, 1, 6), 3)
    case("wide_heads", (3, 17, 33), 1, padding=pad, masks={"key_padding_mask": pad})
    case(
        "additive_padding",
        (3, 17, 8),
        8,
        additive=additive,
        padding=pad,
        masks={"attn_mask": additive, "key_padding_mask": pad},
    )
    case("memory_of_one", (2, 7, 4), 2, kv=(2, 1, 4), biases=False)
    long = numpy.zeros((2, 40), numpy.int32)
    long[1, 3:37] = 1
    case("long_memory", (2, 3, 15), 5, kv=(2, 40, 15), padding=long, masks={"key_padding_mask": long})
    pad4 = numpy.array([[0, 0, 0, 0, 1], [0, 1, 0, 0, 0]], numpy.int32)
    blocked = numpy.triu(numpy.ones((5, 5), numpy.int32), 1)
    case(
        "nodes",
        (2, 3, 5, 14),
        2,
        blocked=blocked,
        padding=pad4,
        masks={"attn_mask": blocked, "key_padding_mask": pad4},
    )
    case("nodes_penalty", (1, 4, 6, 10), 5, penalty=0.75, meta={"regulariser": "diag_penalty=0.75"})


def fighter_cases(c):
    def params(widths, hops, attn, biases, norm):
        p = {}
        for l, k in enumerate(hops):
            d, h, pre = widths[l], widths[l + 1], "layers.%d." % l
            p[pre + "q_proj.weight"], p[pre + "k_proj.weight"] = c.weight(d, attn, d), c.weight(d, attn, d)
            p[pre + "hop_weight"] = c.weight(d, k, d, h)
            if biases:
                p.update(
                    {
                        pre + "q_proj.bias": c.draw(attn, scale=0.3),
                        pre + "k_proj.bias": c.draw(attn, scale=0.3),
                        pre + "bias": c.draw(h, scale=0.3),
                    }
                )
            if norm:
                p.update(
                    {pre + "norm.weight": 1 + c.draw(d, scale=0.2), pre + "norm.bias": c.draw(d, scale=0.2)}
                )
        return p

    def case(
        name,
        shape,
        widths,
        hops,
        heads,
        attn,
        act="gelu (exact, erf)",
        biases=True,
        norm=True,
        residual=True,
        masks=None,
        meta=None,
        keep=None,
        **conf
    ):
        t = shape[-1]
        x, bias = c.draw(*shape, widths[0]), bias_of(t, t, **conf)
        if bias.ndim == 4 and len(shape) == 3:
            bias = bias[:, None]
        run = lambda i, p: fighter(i["input"], p, heads, act, residual, bias, keep)
        adjacency = lambda i, p: {"adjacency.%d" % l: a for l, a in enumerate(run(i, p)[1])}
        c.write(
            "variant_fighter_" + name,
            "fighter",
            {
                "layers": len(hops),
                "hops": list(hops),
                "heads": heads,
                "activation": act,
                "last_layer_activation": "none",
                "norm": "pre, LayerNorm eps 1e-5" if norm else "none",
                "residual": residual,
                "bias": biases,
                "d_attn": attn,
                "causal": conf.get("causal", False),
                **(meta or {}),
            },
            lambda i, p: run(i, p)[0],
            {"input": x},
            params(widths, hops, attn, biases, norm),
            masks,
            adjacency,
        )

    pad = numpy.zeros((3, 9), numpy.int32)
    pad[0, 7:], pad[2, 0] = 1, 1
    case("one_token", (1, 1), (5, 5), (3,), 1, 4)
    case("propagate", (2, 11), (6, 35, 4), (4, 2), 1, 10, act="tanh", residual=False)
    case("propagate_heads", (2, 9), (3, 20, 20), (3, 1), 5, 15, act="silu")
    late = pad * numpy.array([1] * 7 + [0] * 2, numpy.int32)  # no query may end up without a key
    late[:, 0] = 0
    late[1, 3:6] = 1
    case(
        "propagate_masked",
        (3, 9),
        (4, 27),
        (5,),
        3,
        3,
        causal=True,
        padding=late,
        masks={"key_padding_mask": late},
    )
    case("heads_long", (1, 48), (32, 32), (2,), 8, 16, biases=False)
    case("nodes", (2, 3, 9), (7, 10), (3,), 2, 8, norm=False, act="relu")
    pad4 = numpy.array([[0] * 9, [0] * 5 + [1] * 4], numpy.int32)
    case(
        "nodes_padding", (2, 4, 9), (8, 8, 8), (2, 3), 4, 4, padding=pad4, masks={"key_padding_mask": pad4}
    )
    drop = numpy.array([1, 0, 0, 1, 1, 0, 0], numpy.int32)
    case("drop_causal_free", (2, 7), (10, 10), (3,), 5, 10, drop=drop, masks={"diag_drop_mask": drop})
    keep = (c.rng.random((2, 3, 8)) < 0.6).astype(numpy.int32)
    case(
        "keep_scaled",
        (2, 8),
        (9, 12, 9),
        (3, 4),
        3,
        6,
        keep=keep * 1.5,
        masks={"diag_keep_mask": keep},
        meta={"diag_dropout": "after the softmax: diag_keep_mask * 1.5"},
    )
    case("penalty", (2, 8), (9, 9), (6,), 3, 6, penalty=2.5, meta={"diag_penalty": 2.5})
    case("diag_mask", (2, 2), (4, 4), (3,), 2, 2, diag=True, meta={"diag_mask": True})


# ---- graphs ------------------------------------------------------------------------------------


def graph_cases(c):
    def case(name, shape, widths, hops, plain=False, density=0.3, biases=False):
        n = shape[-1]
        a = numpy.where(c.rng.random((n, n)) < density, c.draw(n, n), 0)
        p = {}
        for l, k in enumerate(hops):
            d, h, pre = widths[l], widths[l + 1], "layers.%d." % l
            p[pre + ("weight" if plain else "hop_weight")] = (
                c.weight(d, d, h) if plain else c.weight(d, k, d, h)
            )
            if biases:
                p[pre + "bias"] = c.draw(h)

        def run(i, p):
            x = i["input"]
            for l, k in enumerate(hops):
                pre = "layers.%d." % l
                if plain:
                    y = np.matmul(
                        np.matmul(numpy.linalg.matrix_power(a + numpy.eye(n), k), x), p[pre + "weight"]
                    )
                else:
                    y = sum(
                        np.matmul(np.matmul(numpy.linalg.matrix_power(a, i), x), p[pre + "hop_weight"][i])
                        for i in range(k)
                    )
                y = y + p.get(pre + "bias", 0.0)
                x = np.maximum(y, 0) if l < len(hops) - 1 else y
            return x

        c.write(
            "variant_gcn_" + name,
            "plain_gcn" if plain else "flexible_gcn",
            {
                "kappa" if plain else "hops": list(hops),
                "layers": len(hops),
                "bias": biases,
                "activation": "relu, not after the last layer",
            },
            run,
            {"input": c.draw(*shape, widths[0])},
            p,
            {"adjacency": a},
        )

    case("widening", (2, 9), (4, 13, 3), (3, 2))
    case("nodes", (2, 3, 8), (5, 6), (4,), biases=True)
    case("one_node", (3, 1), (4, 2), (2,), density=1.0)
    case("empty", (2, 6), (3, 5), (3,), density=0.0)
    case("plain_widening", (2, 9), (4, 13, 3), (3, 2), plain=True)
    case("plain_nodes", (2, 2, 7), (6, 3), (1,), plain=True, biases=True)


def equivalence_cases(c):
    b, t, d, dk, dv, h, out = 3, 8, 6, 4, 9, 11, 5
    p = {
        "wq": c.weight(d, d, dk),
        "wk": c.weight(d, d, dk),
        "wv": c.weight(d, d, dv),
        "w1": c.weight(dv, dv, h),
        "w2": c.weight(h, h, out),
    }
    a = lambda i, p: softmax(
        np.matmul(np.matmul(i["input"], p["wq"]), np.swapaxes(np.matmul(i["input"], p["wk"]), -1, -2))
        / np.sqrt(float(dk))
    )
    run = lambda i, p: np.matmul(
        np.maximum(np.matmul(np.matmul(np.matmul(a(i, p), i["input"]), p["wv"]), p["w1"]), 0), p["w2"]
    )
    c.write(
        "variant_equivalence",
        "equivalence",
        {"heads": 1, "norm": False, "residual": False, "bias": False},
        run,
        {"input": c.draw(b, t, d)},
        p,
        None,
        lambda i, p: {
            "adjacency": a(i, p),
            "gcn_weight": np.matmul(p["wv"], p["w1"]),
            "output_gcn": run(i, p),
        },
    )


# ---- rows, ids, positions ----------------------------------------------------------------------


def row_cases(c):
    linear = lambda i, p: np.matmul(i["input"], p["weight"].T) + p.get("bias", 0.0)
    c.write(
        "variant_linear_nodes",
        "linear",
        {},
        linear,
        {"input": c.draw(2, 3, 5, 7)},
        {"weight": c.weight(7, 1, 7), "bias": c.draw(1)},
    )
    c.write(
        "variant_linear_rows",
        "linear",
        {},
        linear,
        {"input": c.draw(70, 67)},
        {"weight": c.weight(67, 131, 67)},
    )
    norm = lambda i, p: layer_norm(i["input"], p["weight"], p["bias"], 1e-3)
    c.write(
        "variant_layernorm",
        "layer_norm",
        {"eps": "0.001"},
        norm,
        {"input": 5 + c.draw(2, 2, 3, 35)},
        {"weight": 1 + c.draw(35, scale=0.3), "bias": c.draw(35)},
    )
    for kind, f in ACT.items():
        c.write(
            "variant_act_" + "".join(x for x in kind if x.isalnum()),
            "activation",
            {"kind": kind},
            lambda i, p, f=f: f(i["input"]),
            {"input": 4 * c.draw(2, 1, 3, 53)},
            {},
        )
    ids = c.rng.integers(0, 9, (3, 1, 6))
    c.write(
        "variant_embedding",
        "embedding",
        {"padding_idx": "none"},
        lambda i, p: p["weight"][i["input"]],
        {"input": ids},
        {"weight": c.draw(9, 5)},
    )
    flat, mask = ids.reshape(3, 6), numpy.array(
        [[0] * 6, [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1]], numpy.int32
    )
    count = (mask == 0).sum(-1)[:, None]
    pooled = lambda i, p: np.sum(p["weight"][i["input"]] * (mask == 0)[..., None], 1) / count
    c.write(
        "variant_embedding_meanpool",
        "embedding_meanpool",
        {"padding_idx": "none"},
        pooled,
        {"input": flat},
        {"weight": c.draw(9, 5)},
        {"key_padding_mask": mask},
        lambda i, p: {"embedded": p["weight"][i["input"]]},
    )
    angle = numpy.arange(12)[:, None] * 10000.0 ** (-(numpy.arange(7) // 2 * 2) / 7)
    for name, formula, s in (("sinusoidal", "Vaswani", 1), ("tape", "tAPE", 7 / 12)):
        pe = numpy.where(numpy.arange(7) % 2, numpy.cos(angle * s), numpy.sin(angle * s))
        c.write(
            "variant_pos_" + name,
            "positional_encoding",
            {"formula": formula, "max_len": 12},
            lambda i, p, pe=pe: i["input"] + pe[:5],
            {"input": c.draw(2, 2, 5, 7)},
            {},
            {"pe": pe},
        )
    c.write(
        "variant_pos_learned",
        "positional_encoding",
        {"max_len": 5},
        lambda i, p: i["input"] + p["table"],
        {"input": c.draw(3, 2, 5, 7)},
        {"table": c.draw(5, 7)},
    )


def main():
    cases = Cases(sys.argv[1])
    for run in (
        mha_cases,
        fighter_cases,
        graph_cases,
        equivalence_cases,
        row_cases,
        loss_cases,
        optimiser_cases,
        schedule_cases,
        clip_cases,
        encoder_cases,
        recurrent_cases,
        s4_cases,
        quantile_cases,
        certainty_cases,
        statistic_cases,
        sensitivity_cases,
        conv_cases,
        spectral_cases,
        walk_cases,
        decoder_cases,
        fighter_option_cases,
        hop_cases,
        edge_cases,
        cross_cases,
        time_space_cases,
        attender_cases,
    ):
        if run is optimiser_cases:
            before = cases.rng.bit_generator.state
        run(cases)
    # their files are older than the cases of optimisers, and so are their numbers
    cases.rng.bit_generator.state = before
    encoder_cases(cases)
    recurrent_cases(cases)


if __name__ == "__main__":
    main()
