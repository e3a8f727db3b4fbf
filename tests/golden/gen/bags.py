#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden files of tokens that are bags of ids, a word and its letters: bags.py DIRECTORY.

The sum over the bag, the mean over the tokens, a map to classes, and their gradients, written out row by row
in double. Parameters are exact float32 values, results are rounded to float32."""

import sys
from pathlib import Path

import numpy as np

from tensor_file import save

OWN = "bags.py (double, gradients written out)"


def draw(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32).astype(float)


def draw_ids(rng, texts, tokens, bag, vocab, padding):
    """[texts, tokens bag]: bags of one id to `bag` ids, some of them twice, and texts of one token to
    `tokens`, where there is padding; else all places have an id"""
    ids = rng.integers(1 if padding == 0 else 0, vocab, (texts, tokens, bag))
    if padding is not None:
        for b in range(texts):
            for t in range(tokens):
                ids[b, t, rng.integers(1, bag + 1) :] = padding
            ids[b, 1 + (b + tokens - 1) % tokens :] = padding
    return ids.reshape(texts, -1)


def lookup(weight, ids, bag, padding):
    """[B,T,H]: the sum of the rows of a bag, without those of padding"""
    texts, n = ids.shape
    y = np.zeros((texts, n // bag, weight.shape[1]))
    for b in range(texts):
        for i in range(n):
            if ids[b, i] != padding:
                y[b, i // bag] += weight[ids[b, i]]
    return y


def lookup_grad(weight, ids, bag, padding, dy):
    dw = np.zeros_like(weight)
    for b in range(ids.shape[0]):
        for i in range(ids.shape[1]):
            if ids[b, i] != padding:
                dw[ids[b, i]] += dy[b, i // bag]
    return dw


def norm(*gradients):
    return np.array([np.sqrt(sum(np.sum(g * g) for g in gradients))])


def parameters(rng, vocab, width, padding):
    weight = draw(rng, vocab, width)
    if padding is not None:
        weight[padding] = 0
    return weight


def write(directory, case, bag, padding, tensors):
    meta = {"case": case, "layer": "bag", "source": OWN, "bag": bag}
    meta["padding_idx"] = "none" if padding is None else padding
    save(directory / (case + ".safetensors"), meta, tensors)


def sum_case(directory, rng, name, texts, tokens, bag, vocab, width, padding=None):
    """The embedding alone."""
    weight = parameters(rng, vocab, width, padding)
    ids = draw_ids(rng, texts, tokens, bag, vocab, padding)
    y = lookup(weight, ids, bag, padding)
    dy = draw(rng, *y.shape)
    dw = lookup_grad(weight, ids, bag, padding, dy)
    tensors = {"input": ids, "param.weight": weight, "output": y, "grad_output": dy}
    write(directory, "bag_" + name, bag, padding, {**tensors, "grad.param.weight": dw, "grad_norm": norm(dw)})


def classes_case(directory, rng, name, texts, tokens, bag, vocab, width, classes):
    """y = head(mean over the tokens of a text of the sum over a token's bag); a token is padding if its first
    id is"""
    weight, padding = parameters(rng, vocab, width, 0), 0
    head, bias = draw(rng, classes, width), draw(rng, classes)
    ids = draw_ids(rng, texts, tokens, bag, vocab, padding)
    here = ids[:, ::bag] != padding
    share = here / here.sum(1, keepdims=True)
    mean = np.einsum("bt,bth->bh", share, lookup(weight, ids, bag, padding))
    y = mean @ head.T + bias
    dy = draw(rng, *y.shape)
    dw = lookup_grad(weight, ids, bag, padding, share[:, :, None] * (dy @ head)[:, None])
    gradients = {"weight": dw, "head.weight": dy.T @ mean, "head.bias": dy.sum(0)}
    tensors = {"input": ids, "param.weight": weight, "param.head.weight": head, "param.head.bias": bias}
    tensors |= {"output": y, "grad_output": dy, "grad_norm": norm(*gradients.values())}
    tensors |= {"grad.param." + k: v for k, v in gradients.items()}
    write(directory, "bag_" + name, bag, padding, tensors)


def main():
    directory, rng = Path(sys.argv[1]), np.random.default_rng(31)
    sum_case(directory, rng, "sum", 3, 4, 3, 11, 5)
    sum_case(directory, rng, "sum_padding", 4, 5, 4, 13, 7, padding=0)
    sum_case(directory, rng, "sum_padding_last", 2, 3, 2, 6, 9, padding=5)
    sum_case(directory, rng, "sum_wide", 2, 3, 17, 20, 33, padding=0)
    classes_case(directory, rng, "classes", 5, 6, 4, 23, 8, 3)
    classes_case(directory, rng, "classes_one_text", 1, 1, 5, 9, 6, 2)


if __name__ == "__main__":
    main()
