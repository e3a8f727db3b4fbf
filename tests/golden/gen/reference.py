# SPDX-License-Identifier: BSD-3-Clause
"""Layers written from their equations in double precision, differentiable by the package autograd."""

import math

import autograd.numpy as np
import numpy
from autograd.extend import defvjp, primitive

erf = primitive(numpy.vectorize(math.erf, otypes=[float]))
defvjp(erf, lambda y, x: lambda g: g * 2 / math.sqrt(math.pi) * np.exp(-x * x))


def softmax(s):
    e = np.exp(s - np.max(s, -1, keepdims=True))
    return e / np.sum(e, -1, keepdims=True)


def heads_of(x, heads):
    """(...,T,D) -> (...,H,T,D/H)"""
    x = np.reshape(x, x.shape[:-1] + (heads, x.shape[-1] // heads))
    return np.swapaxes(x, -2, -3)


def bias_of(
    t, s, causal=False, padding=None, blocked=None, additive=None, drop=None, diag=None, penalty=0.0
):
    """What is added to the scaled scores: (1 or B,[1,]1,T,S); padding (B,S) or (B,1,S)."""
    b = numpy.zeros((t, s))
    if causal:
        b[numpy.triu_indices(t, 1, s)] = -numpy.inf
    if blocked is not None:
        b[blocked != 0] = -numpy.inf
    if additive is not None:
        b = b + additive
    b = b + penalty * numpy.eye(t, s)
    if diag:
        b[numpy.eye(t, s) > 0] = -numpy.inf
    if drop is not None:
        b[numpy.diag(drop) != 0] = -numpy.inf
    if padding is not None:
        b = b + numpy.where(padding != 0, -numpy.inf, 0.0)[..., None, None, :]
    return b


def attend(q, k, heads, bias, keep=None, width=0):
    """width: of the scale; 0: that of a head"""
    q, k = heads_of(q, heads), heads_of(k, heads)
    a = softmax(np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(width or q.shape[-1]) + bias)
    if keep is not None:
        eye = numpy.eye(a.shape[-1])
        a = a * (1 - eye) + a * eye * keep[..., None]
    return a


def mha(x, kv, p, heads, bias, width=0):
    d = x.shape[-1]
    w, b = p["in_proj_weight"], p.get("in_proj_bias", numpy.zeros(3 * d))
    q = np.matmul(x, w[:d].T) + b[:d]
    k = np.matmul(kv, w[d : 2 * d].T) + b[d : 2 * d]
    v = heads_of(np.matmul(kv, w[2 * d :].T) + b[2 * d :], heads)
    a = attend(q, k, heads, bias, width=width)
    y = np.swapaxes(np.matmul(a, v), -2, -3)
    y = np.matmul(np.reshape(y, x.shape), p["out_proj.weight"].T)
    return y + p["out_proj.bias"] if "out_proj.bias" in p else y, a


ACT = {
    "relu": lambda x: np.maximum(x, 0),
    "none": lambda x: x,
    "tanh": np.tanh,
    "gelu (exact, erf)": lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2.0))),
    "gelu (tanh approximation)": lambda x: 0.5
    * x
    * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "elu": lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1),
}


def layer_norm(x, w, b, eps=1e-5):
    m = np.mean(x, -1, keepdims=True)
    v = np.mean((x - m) ** 2, -1, keepdims=True)
    return (x - m) / np.sqrt(v + eps) * w + b


def fighter(x, p, heads, act, residual, bias, keep=None):
    layers, seen = sum(k.endswith("hop_weight") for k in p), []
    for l in range(layers):
        get = lambda name, otherwise=0.0: p.get("layers.%d.%s" % (l, name), otherwise)
        w = get("hop_weight")
        h = layer_norm(x, get("norm.weight"), get("norm.bias")) if "layers.%d.norm.weight" % l in p else x
        q = np.matmul(h, get("q_proj.weight").T) + get("q_proj.bias")
        k = np.matmul(h, get("k_proj.weight").T) + get("k_proj.bias")
        a = attend(q, k, heads, bias, keep)
        seen.append(a)
        n, columns = w.shape[-1] // heads, []
        for j in range(heads):
            power, y = h, 0.0
            for i in range(w.shape[0]):
                y = y + np.matmul(power, w[i][:, j * n : (j + 1) * n])
                power = np.matmul(a[..., j, :, :], power)
            columns.append(y)
        y = np.concatenate(columns, -1) + get("bias")
        y = ACT[act](y) if l < layers - 1 else y
        x = x + y if residual and x.shape == y.shape else y
    return x, seen


def encoder_layer(x, p, heads, act, norm_first, bias, eps=1e-5, width=0):
    """torch.nn.TransformerEncoderLayer; biases may be missing. Returns the attention matrices too."""
    norm = lambda x, i: layer_norm(x, p["norm%d.weight" % i], p.get("norm%d.bias" % i, 0.0), eps)
    attn = {k[len("self_attn.") :]: v for k, v in p.items() if k.startswith("self_attn.")}

    def feed(x):
        v = ACT[act](np.matmul(x, p["linear1.weight"].T) + p.get("linear1.bias", 0.0))
        return np.matmul(v, p["linear2.weight"].T) + p.get("linear2.bias", 0.0)

    if norm_first:
        z = norm(x, 1)
        y, a = mha(z, z, attn, heads, bias, width)
        x = x + y
        return x + feed(norm(x, 2)), a
    y, a = mha(x, x, attn, heads, bias, width)
    x = norm(x + y, 1)
    return norm(x + feed(x), 2), a
