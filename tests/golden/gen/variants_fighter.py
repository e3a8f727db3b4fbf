# SPDX-License-Identifier: BSD-3-Clause
"""Algorithm 1 of the Fighter paper with its optional lines, as it stands there: the powers of A are formed
and joined, and the features are repeated as a block-diagonal matrix. And the scale of other layers."""

import autograd.numpy as np
import numpy

from reference import ACT, bias_of, encoder_layer, heads_of, layer_norm, mha, softmax


def powers_of(a, first, hops):
    """[A^first, .., A^(hops-1)] side by side, (...,T,(hops-first)T)"""
    power, all_powers = np.zeros(a.shape) + numpy.eye(a.shape[-1]), []
    for i in range(hops):
        if i >= first:
            all_powers.append(power)
        power = np.matmul(power, a)
    return np.concatenate(all_powers, -1)


def repeated(x, times):
    """blkdiag(x; times), (...,times T,times D)"""
    zero = np.zeros(x.shape)
    rows = [np.concatenate([x if i == j else zero for j in range(times)], -1) for i in range(times)]
    return np.concatenate(rows, -2)


def algorithm_1(x, p, heads, acts, hops, first, width, normed, bias):
    """Lines 5 to 14 for each layer; acts, hops and first have one entry a layer. width: of the scale."""
    seen = []
    for l, act in enumerate(acts):
        get = lambda name, otherwise=0.0: p.get("layers.%d.%s" % (l, name), otherwise)
        h = layer_norm(x, get("norm.weight"), get("norm.bias")) if "layers.%d.norm.weight" % l in p else x
        q = heads_of(np.matmul(h, get("q_proj.weight").T) + get("q_proj.bias"), heads)
        k = heads_of(np.matmul(h, get("k_proj.weight").T) + get("k_proj.bias"), heads)
        a = softmax(np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(width or q.shape[-1]) + bias)
        seen.append(a)
        w, blocks = get("hop_weight"), hops[l] - first[l]
        n, columns = w.shape[-1] // heads, []
        for j in range(heads):
            weight = np.reshape(w[..., j * n : (j + 1) * n], (blocks * x.shape[-1], n))
            powers = powers_of(a[..., j, :, :], first[l], hops[l])
            columns.append(np.matmul(powers, np.matmul(repeated(h, blocks), weight)))
        y = np.concatenate(columns, -1) + get("bias")
        if "layers.%d.out_proj.weight" % l in p:
            y = np.matmul(y, get("out_proj.weight").T) + get("out_proj.bias")
        y = ACT[act](y)
        if x.shape == y.shape:
            y = y + (h if normed else x)
        x = y
    return x, seen


def params(c, widths, hops, first, attn, project):
    p = {}
    for l in range(len(hops)):
        d, h, pre = widths[l], widths[l + 1], "layers.%d." % l
        for key in ("q_proj", "k_proj"):
            p[pre + key + ".weight"] = c.weight(d, attn, d)
            p[pre + key + ".bias"] = c.draw(attn, scale=0.3)
        p[pre + "hop_weight"] = c.weight(d, hops[l] - first[l], d, h)
        p[pre + "bias"] = c.draw(h, scale=0.3)
        p[pre + "norm.weight"] = 1 + c.draw(d, scale=0.2)
        p[pre + "norm.bias"] = c.draw(d, scale=0.2)
        if project:
            p[pre + "out_proj.weight"] = c.weight(h, h, h)
            p[pre + "out_proj.bias"] = c.draw(h, scale=0.3)
    return p


def case(c, name, shape, widths, hops, heads, attn, acts, first=None, width=0, normed=False, project=False,
         **conf):
    first = first or [0] * len(hops)
    x, bias = c.draw(*shape, widths[0]), bias_of(shape[-1], shape[-1], **conf)
    run = lambda i, p: algorithm_1(i["input"], p, heads, acts, hops, first, width, normed, bias)
    c.write(
        "variant_algorithm1_" + name,
        "fighter",
        {
            "layers": len(hops),
            "hops": list(hops),
            "first_hop": list(first),
            "heads": heads,
            "activation": acts[0],
            "last_layer_activation": acts[-1],
            "norm": "pre",
            "residual": True,
            "norm_residual": normed,
            "scale": "width" if width else "head",
            "causal": bool(conf.get("causal")),
        },
        lambda i, p: run(i, p)[0],
        {"input": x},
        params(c, widths, hops, first, attn, project),
        None,
        lambda i, p: {"adjacency.%d" % l: a for l, a in enumerate(run(i, p)[1])},
    )


def fighter_option_cases(c):
    gelu = "gelu (exact, erf)"
    case(c, "letter", (2, 9), (8, 8, 8), (3, 3), 1, 8, (gelu, "none"), width=8, normed=True)
    case(c, "letter_heads", (2, 3, 7), (12, 12), (3,), 4, 12, ("none",), width=12, normed=True, project=True)
    case(c, "one_layer_relu", (2, 11), (6, 6), (3,), 2, 6, ("relu",), normed=True)
    case(c, "one_hop", (2, 9), (6, 6), (1,), 2, 6, ("tanh",), width=6, normed=True, project=True)
    case(c, "scale", (2, 19), (10, 10), (4,), 5, 15, (gelu,), width=10, causal=True)
    case(c, "joined", (2, 13), (6, 9), (3,), 3, 6, (gelu,), project=True)
    case(c, "joined_wide", (2, 13), (3, 8), (3,), 2, 4, (gelu,), project=True)
    case(c, "without_itself", (2, 17), (8, 8), (2,), 2, 8, (gelu,), first=[1])
    case(c, "from_hop_2", (3, 9), (6, 6, 6), (4, 3), 3, 6, (gelu, "tanh"), first=[2, 1], normed=True)
    case(c, "from_hop_1_wide", (2, 8), (3, 7), (3,), 1, 4, (gelu,), first=[1])
    case(c, "from_hop_2_wide", (2, 8), (3, 12), (4,), 3, 6, (gelu,), first=[2])
    scale_cases(c)
    equation_2_cases(c)
    vit_cases(c)


def scale_cases(c):
    attention = lambda d: {
        "in_proj_weight": c.weight(d, 3 * d, d),
        "in_proj_bias": c.draw(3 * d, scale=0.3),
        "out_proj.weight": c.weight(d, d, d),
        "out_proj.bias": c.draw(d, scale=0.3),
    }
    run = lambda i, p: mha(i["input"], i["input"], p, 3, bias_of(9, 9), width=12)
    c.write("variant_mha_scale", "multihead_attention", {"d_model": 12, "heads": 3, "bias": True,
            "scale": "width"}, lambda i, p: run(i, p)[0], {"input": c.draw(2, 9, 12)}, attention(12), None,
            lambda i, p: {"attn_weights": run(i, p)[1]})
    p = {"self_attn." + key: w for key, w in attention(8).items()}
    for i, (rows, columns) in enumerate(((20, 8), (8, 20))):
        p["linear%d.weight" % (i + 1)] = c.weight(columns, rows, columns)
        p["linear%d.bias" % (i + 1)] = c.draw(rows, scale=0.3)
        p["norm%d.weight" % (i + 1)] = 1 + c.draw(8, scale=0.2)
        p["norm%d.bias" % (i + 1)] = c.draw(8, scale=0.2)
    layer = lambda i, p: encoder_layer(i["input"], p, 4, "gelu (exact, erf)", True, bias_of(7, 7), width=8)
    c.write("variant_encoder_layer_scale", "transformer_encoder_layer", {"d_model": 8, "heads": 4,
            "activation": "gelu (exact, erf)", "norm_first": True, "scale": "width"},
            lambda i, p: layer(i, p)[0], {"input": c.draw(3, 7, 8)}, p, None,
            lambda i, p: {"attn_weights": layer(i, p)[1]})


def equation_2(x, memory, p, heads, values, width):
    """softmax(Q K'/sqrt(width)) V of the AtteNT paper, with a memory its equation 23; heads side by side"""
    d = x.shape[-1]
    w, b = p["in_proj_weight"], p.get("in_proj_bias", numpy.zeros(2 * d + values))
    q = heads_of(np.matmul(x, w[:d].T) + b[:d], heads)
    k = heads_of(np.matmul(memory, w[d : 2 * d].T) + b[d : 2 * d], heads)
    v = heads_of(np.matmul(memory, w[2 * d :].T) + b[2 * d :], heads)
    a = softmax(np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(width))
    y = np.swapaxes(np.matmul(a, v), -2, -3)
    y = np.reshape(y, y.shape[:-2] + (values,))
    if "out_proj.weight" in p:
        y = np.matmul(y, p["out_proj.weight"].T) + p["out_proj.bias"]
    return y, a


def equation_2_cases(c):
    def case(name, shape, heads, values, width, memory=None, out=False, biases=False):
        d = shape[-1]
        inputs = {"input": c.draw(*shape)}
        if memory:
            inputs["input_kv"] = c.draw(*memory)
        p = {"in_proj_weight": c.weight(d, 2 * d + values, d)}
        if biases:
            p["in_proj_bias"] = c.draw(2 * d + values, scale=0.3)
        if out:
            p["out_proj.weight"], p["out_proj.bias"] = c.weight(values, d, values), c.draw(d, scale=0.3)
        meta = {"d_model": d, "heads": heads, "bias": biases, "values": values, "no_out": not out,
                "scale": "width" if width == d else "head"}
        run = lambda i, p: equation_2(i["input"], i.get("input_kv", i["input"]), p, heads, values, width)
        c.write("variant_mha_values_" + name, "multihead_attention", meta, lambda i, p: run(i, p)[0], inputs,
                p, None, lambda i, p: {"attn_weights": run(i, p)[1]})

    case("narrow", (3, 11, 8), 1, 3, 8)
    case("wide", (2, 9, 6), 1, 20, 6)
    case("heads", (2, 13, 12), 4, 8, 12, biases=True)
    case("cross", (2, 5, 6), 2, 10, 3, memory=(2, 8, 6), biases=True)
    case("out", (2, 7, 6), 3, 15, 2, out=True, biases=True)


def patches_of(x, kh, kw):
    """(B,H,W,C) -> (B,P,kh kw C)"""
    b, h, w, c = x.shape
    x = np.transpose(np.reshape(x, (b, h // kh, kh, w // kw, kw, c)), (0, 1, 3, 2, 4, 5))
    return np.reshape(x, (b, h // kh * (w // kw), kh * kw * c))


def feed_forward(x, p, pre):
    """x + down(gelu(up(norm(x))))"""
    h = layer_norm(x, p[pre + "norm.weight"], p[pre + "norm.bias"])
    h = ACT["gelu (exact, erf)"](np.matmul(h, p[pre + "up.weight"].T) + p[pre + "up.bias"])
    return x + np.matmul(h, p[pre + "down.weight"].T) + p[pre + "down.bias"]


def vit(x, p, patch, heads, hops, acts, whole, class_token):
    """Fighter in the place of attention, or of whole encoder layers."""
    get = lambda name: p["encoder." + name]
    z = np.matmul(patches_of(x, *patch), get("embedding.weight").T) + get("embedding.bias")
    if class_token:
        z = np.concatenate([np.zeros((len(z), 1, z.shape[-1])) + get("class_token.weight"), z], -2)
    z = z + get("position.table")
    for l, act in enumerate(acts):
        pre = "encoder.layers.%d." % l
        own = pre if whole else pre + "fighter."
        q = {"layers.0." + k[len(own) :]: v for k, v in p.items() if k.startswith(own)}
        z = algorithm_1(z, q, heads, (act,), (hops,), (0,), 0, False, 0.0)[0]
        z = z if whole else feed_forward(z, p, pre)
    z = layer_norm(z, get("norm.weight"), get("norm.bias"))
    return z[:, 0] if class_token else np.mean(z, 1)


def vit_cases(c):
    def case(name, shape, patch, dim, heads, hops, acts, whole, class_token, act=None, ff=7):
        tokens = shape[1] // patch[0] * (shape[2] // patch[1]) + class_token
        pixels = patch[0] * patch[1] * shape[3]
        p = {"embedding.weight": c.weight(pixels, dim, pixels),
             "embedding.bias": c.draw(dim, scale=0.3), "position.table": c.draw(tokens, dim, scale=0.5),
             "norm.weight": 1 + c.draw(dim, scale=0.2), "norm.bias": c.draw(dim, scale=0.2)}
        if class_token:
            p["class_token.weight"] = c.draw(1, dim)
        for l in range(len(acts)):
            pre = "layers.%d." % l
            own = params(c, (dim, dim), (hops,), (0,), dim, False)
            p.update({pre + ("" if whole else "fighter.") + k[len("layers.0.") :]: v for k, v in own.items()})
            if not whole:
                p.update({pre + "norm.weight": 1 + c.draw(dim, scale=0.2), pre + "norm.bias": c.draw(dim),
                          pre + "up.weight": c.weight(dim, ff, dim), pre + "up.bias": c.draw(ff, scale=0.3),
                          pre + "down.weight": c.weight(ff, dim, ff), pre + "down.bias": c.draw(dim)})
        meta = {"patch_height": patch[0], "patch_width": patch[1], "dim": dim, "heads": heads, "ff": ff,
                "layers": len(acts), "hops": hops, "fighter": 2 if whole else 1, "class_token": class_token,
                "pool": "class_token" if class_token else "mean", "learned_position": True}
        if act:
            meta["act"] = act
        c.write("variant_vit_fighter_" + name, "vit", meta,
                lambda i, p: vit(i["input"], p, patch, heads, hops, acts, whole, class_token),
                {"input": c.draw(*shape)}, {"encoder." + k: v for k, v in p.items()})

    gelu = "gelu (exact, erf)"
    case("whole", (2, 6, 8, 2), (3, 2), 8, 2, 3, (gelu, gelu, "none"), True, True)
    case("whole_relu", (2, 4, 6, 3), (2, 3), 6, 3, 2, ("relu", "relu"), True, False, act="relu")
    case("mixes", (2, 6, 8, 2), (3, 2), 8, 2, 3, ("none", "none"), False, True)
