# SPDX-License-Identifier: BSD-3-Clause
"""Jacobians of one head of attention by automatic differentiation, and their paths, in other shapes."""

import autograd.numpy as np
import numpy
from autograd import jacobian

from files import OWN
from tensor_file import save


def head(x, wq, wk, wv, mask, residual):
    s = (x @ wq) @ (x @ wk).T / np.sqrt(wq.shape[1]) + mask
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    a = e / np.sum(e, axis=-1, keepdims=True)
    return a @ (x @ wv) + (x if residual else 0), a


def paths(x, wq, wk, wv, a):
    q, k, v = x @ wq, x @ wk, x @ wv
    apart, scale = v[None] - (a @ v)[:, None], wq.shape[1] ** -0.5  # [i,j,o]
    query = scale * numpy.einsum("im,imo,mn->ion", a, apart, k @ wq.T)
    return {
        "value_path": numpy.einsum("ij,no->ijon", a, wv),
        "key_path": scale * numpy.einsum("ij,ijo,in->ijon", a, apart, q @ wk.T),
        "query_path": numpy.eye(len(x))[:, :, None, None] * query[:, None],
    }


def case(c, name, t, d, keys, values, causal=False, diag_mask=False, residual=False):
    x, wq, wk, wv = c.draw(t, d), c.weight(d, d, keys), c.weight(d, d, keys), c.weight(d, d, values)
    ahead, own = numpy.triu(numpy.ones((t, t)), 1), numpy.eye(t)
    mask = numpy.where(causal * ahead + diag_mask * own > 0, -numpy.inf, 0)
    y, a = head(x, wq, wk, wv, mask, residual)
    full = jacobian(lambda i: head(i, wq, wk, wv, mask, residual)[0])(x).transpose(0, 2, 1, 3)
    tensors = {"input": x, "param.wq": wq, "param.wk": wk, "param.wv": wv, "attention": a, "output": y}
    tensors["jacobian_spectral_norm"] = numpy.linalg.norm(full, 2, axis=(2, 3))
    for key, blocks in {"jacobian": full, **paths(x, wq, wk, wv, a)}.items():
        tensors[key] = blocks
        tensors[key + "_norm"] = numpy.linalg.norm(blocks, axis=(2, 3))
    meta = {"case": "variant_sensitivity_" + name, "layer": "sensitivity", "source": OWN}
    meta.update({"T": t, "residual": residual, "causal": causal, "diag_mask": diag_mask})
    save(c.directory / (meta["case"] + ".safetensors"), meta, tensors)


def sensitivity_cases(c):
    """Stand last in the list of cases: what is drawn here moves the numbers of nothing else."""
    case(c, "narrow_values", 5, 7, 3, 2)
    case(c, "wide_values", 4, 3, 6, 8, diag_mask=True)
    case(c, "causal_residual", 7, 4, 1, 4, causal=True, residual=True)
    case(c, "one_token", 1, 5, 2, 3)
