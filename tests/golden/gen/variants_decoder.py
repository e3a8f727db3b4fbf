# SPDX-License-Identifier: BSD-3-Clause
"""Decoders of the Informer and of the Autoformer, with the start of their tokens and their last maps."""

import math

import autograd.numpy as np
import numpy
from reference import ACT, bias_of, layer_norm, mha
from variants_conv import conv

GELU = ACT["gelu (exact, erf)"]
WINDOW = 25


def part_of(p, prefix):
    return {k[len(prefix) :]: v for k, v in p.items() if k.startswith(prefix)}


def circular(x, w):
    return conv(x, {"weight": w}, 1, "circular")


def with_places(x, ahead):
    return np.concatenate([x, numpy.zeros(x.shape[:-2] + (ahead, x.shape[-1]))], axis=-2)


def feed(x, p):
    h = GELU(np.matmul(x, p["up.weight"].T) + p.get("up.bias", 0))
    return np.matmul(h, p["down.weight"].T) + p.get("down.bias", 0)


def positions(time, width):
    angle = numpy.arange(time)[:, None] / 10000 ** (2 * (numpy.arange(width) // 2) / width)
    return numpy.where(numpy.arange(width) % 2, numpy.cos(angle), numpy.sin(angle))


def trend_of(x):
    """A moving average whose ends are repeated."""
    time, half = x.shape[-2], WINDOW // 2
    mean = numpy.zeros((time, time))
    for t in range(time):
        for j in range(t - half, t + half + 1):
            mean[t, min(max(j, 0), time - 1)] += 1 / WINDOW
    return np.matmul(mean, x)


def correlation(x, kv, p):
    """Auto-correlation of one sample, whose delays are the same in training and in prediction. Of keys and
    values the first T count, and zeros follow if there are fewer."""
    d, time = x.shape[-1], x.shape[-2]
    w, b = p["in_proj_weight"], p["in_proj_bias"]
    fit = lambda z: with_places(z[:, :time], max(0, time - z.shape[1]))
    q = np.matmul(x, w[:d].T) + b[:d]
    k = fit(np.matmul(kv, w[d : 2 * d].T) + b[d : 2 * d])
    v = fit(np.matmul(kv, w[2 * d :].T) + b[2 * d :])
    r = np.stack([np.sum(np.roll(q, -s, axis=1) * k) / d for s in range(time)])
    values = getattr(r, "_value", r)  # the choice has no gradient
    delays = numpy.argsort(-values)[: max(1, int(math.log(time)))]
    e = np.exp(r[delays] - r[delays[0]])
    y = sum(e[i] / np.sum(e) * np.roll(v, -s, axis=1) for i, s in enumerate(delays))
    return np.matmul(y, p["out_proj.weight"].T) + p["out_proj.bias"]


def informer(i, p, layers, heads, label, ahead, norm_first):
    """With at most 5 log T tokens ProbSparse attention chooses all queries, and is full attention."""
    x = circular(with_places(i["input"][:, -label:], ahead), p["decoder.embed.weight"])
    x = x + positions(x.shape[-2], x.shape[-1])
    for l in range(layers):
        q = part_of(p, "decoder.%d." % l)
        norm = lambda z, n: layer_norm(z, q["norm%d.weight" % n], q["norm%d.bias" % n])
        t = x.shape[-2]
        cores = (
            lambda z: mha(z, z, part_of(q, "self."), heads, bias_of(t, t, causal=True))[0],
            lambda z: mha(z, i["memory"], part_of(q, "cross."), heads, 0)[0],
            lambda z: feed(z, q),
        )
        for n, core in enumerate(cores, 1):
            x = x + core(norm(x, n)) if norm_first else norm(x + core(x), n)
    x = layer_norm(x, p["decoder.norm.weight"], p["decoder.norm.bias"])
    return np.matmul(x, p["decoder.head.weight"].T) + p["decoder.head.bias"]


def autoformer(i, p, layers, label, ahead):
    window = i["input"]
    mean = np.mean(window, axis=1, keepdims=True) * numpy.ones((1, ahead, 1))
    trend = np.concatenate([trend_of(window)[:, -label:], mean], axis=1)
    x = circular(with_places((window - trend_of(window))[:, -label:], ahead), p["decoder.embed.weight"])
    for l in range(layers):
        q = part_of(p, "decoder.%d." % l)
        taken = 0
        for core in (
            lambda z: correlation(z, z, part_of(q, "self.")),
            lambda z: correlation(z, i["memory"], part_of(q, "cross.")),
            lambda z: feed(z, q),
        ):
            x = x + core(x)
            taken = taken + trend_of(x)
            x = x - trend_of(x)
        trend = trend + circular(taken, q["trend.weight"])
    x = layer_norm(x, p["decoder.norm.weight"], p["decoder.norm.bias"])
    x = x - np.mean(x, axis=1, keepdims=True)
    return trend + np.matmul(x, p["decoder.head.weight"].T) + p["decoder.head.bias"]


def decoder_cases(c):
    def attention(d, name):
        return {
            name + ".in_proj_weight": c.weight(d, 3 * d, d),
            name + ".in_proj_bias": c.draw(3 * d, scale=0.3),
            name + ".out_proj.weight": c.weight(d, d, d),
            name + ".out_proj.bias": c.draw(d, scale=0.3),
        }

    def norm(d, name):
        return {name + ".weight": 1 + c.draw(d, scale=0.2), name + ".bias": c.draw(d, scale=0.2)}

    def params(block, layers, columns, d, ff):
        p = {"decoder.embed.weight": c.weight(3 * columns, d, columns, 3)}
        for l in range(layers):
            q = {**attention(d, "self"), **attention(d, "cross")}
            q.update({"up.weight": c.weight(d, ff, d), "down.weight": c.weight(ff, d, ff)})
            if block == "autoformer":
                q["trend.weight"] = c.weight(3 * d, columns, d, 3)
            else:
                q.update({"up.bias": c.draw(ff, scale=0.3), "down.bias": c.draw(d, scale=0.3)})
                for n in (1, 2, 3):
                    q.update(norm(d, "norm%d" % n))
            p.update({"decoder.%d.%s" % (l, k): v for k, v in q.items()})
        p.update(norm(d, "decoder.norm"))
        p["decoder.head.weight"] = c.weight(d, columns, d)
        p["decoder.head.bias"] = c.draw(columns, scale=0.3)
        return p

    def case(name, block, shape, memory, d, ff, layers, label, ahead, heads=1):
        if block == "autoformer":
            run = lambda i, p: autoformer(i, p, layers, label, ahead)
        else:
            run = lambda i, p: informer(i, p, layers, heads, label, ahead, block == "transformer")
        meta = {"block": block, "layers": layers, "heads": heads, "dim_feedforward": ff, "label": label}
        inputs = {"input": c.draw(*shape), "memory": c.draw(shape[0], memory, d)}
        c.write("variant_decoder_" + name, "decoder", meta, run, inputs,
                params(block, layers, shape[-1], d, ff))

    case("informer", "informer", (2, 9, 3), 5, 8, 12, 1, 5, 4, heads=2)
    case("informer_2layer", "informer", (3, 6, 2), 11, 6, 7, 2, 3, 7, heads=3)
    case("transformer", "transformer", (2, 8, 4), 8, 6, 9, 2, 4, 6, heads=2)
    case("autoformer", "autoformer", (1, 12, 3), 12, 8, 10, 1, 6, 9)
    case("autoformer_short_memory", "autoformer", (1, 40, 2), 6, 5, 8, 2, 20, 11)
