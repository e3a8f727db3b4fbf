# SPDX-License-Identifier: BSD-3-Clause
"""Norms and shares of the terms A^i X' W_i of Fighter layers, and the importance of tokens: the gradient by
the queries, for which an offset of these is differentiated."""

import autograd.numpy as np
import numpy
from autograd import grad

from files import OWN
from reference import ACT, bias_of, heads_of, layer_norm, softmax
from tensor_file import save
from variants_fighter import params


def layer(x, p, offset, heads, act, first, residual, bias):
    """The layer's output, and its terms: a list of [B,T,H]."""
    get = lambda name: p.get(name, 0.0)
    h = layer_norm(x, p["norm.weight"], p["norm.bias"]) if "norm.weight" in p else x
    q = heads_of(np.matmul(h, p["q_proj.weight"].T) + get("q_proj.bias") + offset, heads)
    k = heads_of(np.matmul(h, p["k_proj.weight"].T) + get("k_proj.bias"), heads)
    a = softmax(np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1]) + bias)
    w, terms = p["hop_weight"], []
    n = w.shape[-1] // heads
    for i in range(first + len(w)):
        term = np.zeros(x.shape[:-1] + (w.shape[-1],))
        if i >= first:
            parts = []
            for j in range(heads):
                part = np.matmul(h, w[i - first][:, j * n : (j + 1) * n])
                for _ in range(i):
                    part = np.matmul(a[..., j, :, :], part)
                parts.append(part)
            term = np.concatenate(parts, -1)
        terms.append(term)
    y = sum(terms) + get("bias")
    if "out_proj.weight" in p:
        y = np.matmul(y, p["out_proj.weight"].T) + get("out_proj.bias")
    y = ACT[act](y)
    return y + x if residual and y.shape == x.shape else y, terms


def run(x, p, offsets, heads, acts, first, bias):
    seen = []
    for l, act in enumerate(acts):
        own = {key[len("layers.%d." % l) :]: w for key, w in p.items() if key.startswith("layers.%d." % l)}
        x, terms = layer(x, own, offsets[l], heads, act, first[l], True, bias)
        seen.append(terms)
    return x, seen


def case(c, name, shape, widths, hops, heads, attn, acts, first=None, project=False, **conf):
    first = first or [0] * len(hops)
    x, bias = c.draw(*shape, widths[0]), bias_of(shape[-1], shape[-1], **conf)
    p = params(c, widths, hops, first, attn, project)
    zero = [numpy.zeros(shape + (attn,)) for _ in hops]
    y, seen = run(x, p, zero, heads, acts, first, bias)
    dy = c.draw(*y.shape)
    omega = grad(lambda offsets: np.sum(run(x, p, offsets, heads, acts, first, bias)[0] * dy))(zero)
    tensors = {"input": x, "grad_output": dy, "output": y}
    tensors.update({"param." + key: w for key, w in p.items()})
    for l, terms in enumerate(seen):
        norms = numpy.stack([numpy.sqrt((term**2).sum((1, 2))) for term in terms], -1)
        tensors["norm.%d" % l] = norms
        tensors["share.%d" % l] = norms / norms.sum(-1, keepdims=True)
        tensors["vector.%d" % l] = omega[l]
        tensors["importance.%d" % l] = numpy.sqrt((omega[l] ** 2).sum(-1))
    meta = {"case": "variant_hops_" + name, "layer": "hops", "source": OWN}
    meta.update({"layers": len(hops), "heads": heads})
    meta.update({"first_hop": list(first), "activation": acts[0], "last_layer_activation": acts[-1]})
    meta.update({"norm": "pre", "residual": True, "causal": bool(conf.get("causal"))})
    save(c.directory / (meta["case"] + ".safetensors"), meta, tensors)


def hop_cases(c):
    """Stand last in the list of cases, as those of sensitivity do."""
    gelu = "gelu (exact, erf)"
    case(c, "one_layer", (2, 7), (5, 6), (3,), 2, 4, (gelu,))
    case(c, "two_layers", (2, 6), (6, 6, 6), (4, 2), 3, 6, (gelu, "none"), causal=True)
    case(c, "from_hop_1", (3, 5), (4, 8, 4), (3, 4), 2, 6, ("tanh", "none"), first=[1, 2], project=True)
