# SPDX-License-Identifier: BSD-3-Clause
"""Cases of the Transformer encoder for variants.py."""

import numpy
from reference import bias_of, encoder_layer, layer_norm


def encoder_cases(c):
    def params(d, ff, biases):
        b = lambda n: c.draw(n, scale=0.3)
        p = {
            "self_attn.in_proj_weight": c.weight(d, 3 * d, d),
            "self_attn.in_proj_bias": b(3 * d),
            "self_attn.out_proj.weight": c.weight(d, d, d),
            "self_attn.out_proj.bias": b(d),
            "linear1.weight": c.weight(d, ff, d),
            "linear1.bias": b(ff),
            "linear2.weight": c.weight(ff, d, ff),
            "linear2.bias": b(d),
            "norm1.weight": 1 + b(d),
            "norm1.bias": b(d),
            "norm2.weight": 1 + b(d),
            "norm2.bias": b(d),
        }
        return {k: v for k, v in p.items() if biases or not k.endswith("bias")}

    def case(
        name,
        shape,
        heads,
        ff,
        layers=1,
        act="gelu (exact, erf)",
        first=False,
        biases=True,
        final=False,
        eps=1e-5,
        masks=None,
        **conf
    ):
        d, stack = shape[-1], layers > 1 or final
        bias = bias_of(shape[-2], shape[-2], **conf)
        if bias.ndim == 4 and len(shape) == 4:
            bias = bias[:, None]
        p = {}
        for l in range(layers):
            p.update({("layers.%d." % l if stack else "") + k: v for k, v in params(d, ff, biases).items()})
        if final:
            p.update({"norm.weight": 1 + c.draw(d, scale=0.2), "norm.bias": c.draw(d, scale=0.2)})

        def run(i, p):
            x, seen = i["input"], []
            for l in range(layers):
                pre = "layers.%d." % l if stack else ""
                q = {k[len(pre) :]: v for k, v in p.items() if k.startswith(pre)}
                x, a = encoder_layer(x, q, heads, act, first, bias, eps)
                seen.append(a)
            return layer_norm(x, p["norm.weight"], p["norm.bias"], eps) if final else x, seen

        name_of = lambda l: "adjacency.%d" % l if stack else "attn_weights"
        c.write(
            "variant_encoder_" + name,
            "transformer_encoder" if stack else "transformer_encoder_layer",
            {
                "d_model": d,
                "heads": heads,
                "dim_feedforward": ff,
                "activation": act,
                "norm_first": first,
                "layers": layers,
                "final_norm": final,
                "layer_norm_eps": eps,
                "causal": conf.get("causal", False),
                "dropout": 0,
            },
            lambda i, p: run(i, p)[0],
            {"input": c.draw(*shape)},
            p,
            masks,
            lambda i, p: {name_of(l): a for l, a in enumerate(run(i, p)[1])},
        )

    pad = numpy.zeros((3, 17), numpy.int32)
    pad[0, 12:], pad[2, 3:8] = 1, 1
    late = pad * (numpy.arange(17) > 0).astype(numpy.int32)  # no query may end up without a key
    case("one_token", (1, 1, 6), 3, 5)
    case("narrow", (2, 7, 9), 9, 1, act="silu", eps=1e-2)
    case("no_bias", (2, 5, 14), 7, 31, act="relu", biases=False)
    case("nodes", (2, 3, 8, 10), 5, 12, first=True)
    case(
        "causal_padding",
        (3, 17, 8),
        2,
        33,
        first=True,
        causal=True,
        padding=late,
        masks={"key_padding_mask": late},
    )
    additive = c.draw(17, 17)
    case(
        "additive_padding",
        (3, 17, 12),
        4,
        7,
        act="tanh",
        additive=additive,
        padding=pad,
        masks={"attn_mask": additive, "key_padding_mask": pad},
    )
    case("3layer_post", (2, 5, 6), 3, 7, layers=3, act="elu")
    case("2layer_pre_causal", (1, 20, 8), 2, 11, layers=2, first=True, final=True, causal=True)
    case(
        "1layer_norm",
        (4, 6, 8),
        1,
        16,
        act="gelu (tanh approximation)",
        first=True,
        final=True,
        biases=False,
    )
