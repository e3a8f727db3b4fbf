# SPDX-License-Identifier: BSD-3-Clause
"""Convolutions and maxima over time, each window written out."""

import autograd.numpy as np


def windows(x, kernel, stride, padding):
    """[..,T,D] -> a list of windows, each a list of kernel tokens; None: a zero."""
    time = x.shape[-2]
    before = {"zeros": (kernel - 1) // 2, "circular": (kernel - 1) // 2, "causal": kernel - 1, "valid": 0}
    count = time - kernel + 1 if padding == "valid" else time
    for s in range(0, count, stride):
        tokens = range(s - before[padding], s - before[padding] + kernel)
        if padding == "circular":
            yield [x[..., t % time, :] for t in tokens]
        else:
            yield [x[..., t, :] if 0 <= t < time else None for t in tokens]


def conv(x, p, stride, padding):
    w = p["weight"]
    rows = []
    for window in windows(x, w.shape[2], stride, padding):
        y = sum(np.dot(token, w[:, :, j].T) for j, token in enumerate(window) if token is not None)
        rows.append(y + p.get("bias", 0))
    return np.stack(rows, axis=-2)


def max_pool(x, kernel, stride):
    rows = []
    for window in windows(x, kernel, stride, "zeros"):
        rows.append(np.max(np.stack([token for token in window if token is not None]), axis=0))
    return np.stack(rows, axis=-2)


def conv_cases(c):
    def case(name, shape, out, kernel, stride=1, padding="zeros", bias=True):
        p = {"weight": c.weight(shape[-1] * kernel, out, shape[-1], kernel)}
        if bias:
            p["bias"] = c.draw(out, scale=0.3)
        run = lambda i, p: conv(i["input"], p, stride, padding)
        c.write("variant_conv_" + name, "conv", {"stride": stride, "padding": padding},
                run, {"input": c.draw(*shape)}, p)

    case("zeros", (2, 9, 5), 4, 3)
    case("even_stride", (2, 11, 3), 6, 4, stride=3)
    case("circular", (3, 7, 4), 4, 3, padding="circular")
    case("circular_wide", (1, 3, 2), 5, 5, stride=2, padding="circular")
    case("causal_nodes", (2, 2, 8, 3), 4, 3, padding="causal")
    case("valid", (2, 9, 4), 17, 4, stride=2, padding="valid", bias=False)
    case("one", (2, 6, 5), 3, 1, padding="valid")
    for name, shape, kernel, stride in (("odd", (2, 9, 4), 3, 2), ("even", (2, 2, 8, 3), 4, 3)):
        c.write("variant_max_pool_" + name, "max_pool", {"kernel": kernel, "stride": stride},
                lambda i, p, k=kernel, s=stride: max_pool(i["input"], k, s), {"input": c.draw(*shape)}, {})
