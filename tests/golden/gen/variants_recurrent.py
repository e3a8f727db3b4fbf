# SPDX-License-Identifier: BSD-3-Clause
"""Cases of RNN, GRU and LSTM for variants.py."""

import autograd.numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cell(kind, x, h, c, w, relu):
    """One step: x W', h U' and biases to the next h and c; gates as in PyTorch."""
    a, u = x @ w["weight_ih"].T + w["bias_ih"], h @ w["weight_hh"].T + w["bias_hh"]
    n = h.shape[-1]
    g = [slice(i * n, (i + 1) * n) for i in range(4)]
    if kind == "rnn":
        return (np.maximum(a + u, 0) if relu else np.tanh(a + u)), c
    if kind == "gru":
        r, z = sigmoid(a[:, g[0]] + u[:, g[0]]), sigmoid(a[:, g[1]] + u[:, g[1]])
        m = np.tanh(a[:, g[2]] + r * u[:, g[2]])
        return (1 - z) * m + z * h, c
    i, f, o = (sigmoid(a[:, g[k]] + u[:, g[k]]) for k in (0, 1, 3))
    c = f * c + i * np.tanh(a[:, g[2]] + u[:, g[2]])
    return o * np.tanh(c), c


def stack(kind, x, h0, c0, p, layers, suffixes, relu):
    """All time steps [B,T,dirs H], final h and c [layers dirs,B,H]."""
    ends = []
    for l in range(layers):
        both = []
        for d, suffix in enumerate(suffixes):
            name = lambda part: "%s_l%d%s" % (part, l, suffix)
            w = {k: p.get(name(k), 0.0) for k in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
            h, c, seen = h0[l * len(suffixes) + d], c0[l * len(suffixes) + d], []
            times = range(x.shape[1])
            for t in reversed(times) if d else times:
                h, c = cell(kind, x[:, t], h, c, w, relu)
                seen.append(h)
            both.append(np.stack(seen[::-1] if d else seen, 1))
            ends.append((h, c))
        x = np.concatenate(both, -1)
    return x, np.stack([e[0] for e in ends]), np.stack([e[1] for e in ends])


def recurrent_cases(c):
    gates = {"rnn": 1, "gru": 3, "lstm": 4}

    def params(kind, d, h, layers, suffixes, biases):
        p = {}
        for l in range(layers):
            for suffix in suffixes:
                width, rows, end = d if l == 0 else h * len(suffixes), gates[kind] * h, "_l%d%s" % (l, suffix)
                p["weight_ih" + end] = c.weight(width, rows, width)
                p["weight_hh" + end] = c.weight(h, rows, h)
                if biases:
                    p["bias_ih" + end], p["bias_hh" + end] = c.draw(rows, scale=0.3), c.draw(rows, scale=0.3)
        return p

    def case(name, kind, shape, h, layers=1, both=False, biases=True, last=False, given=False, relu=False):
        suffixes = ("", "_reverse") if both else ("",)
        outer, batch = layers * len(suffixes), shape[0]
        zero = np.zeros((outer, batch, h))
        inputs = {"input": c.draw(*shape)}
        if given:
            inputs["h0"] = c.draw(outer, batch, h, scale=0.5)
            if kind == "lstm":
                inputs["c0"] = c.draw(outer, batch, h)

        def run(i, p):
            y, hn, cn = stack(
                kind, i["input"], i.get("h0", zero), i.get("c0", zero), p, layers, suffixes, relu
            )
            return y, np.concatenate(list(hn[-len(suffixes) :]), -1) if last else y, hn, cn

        def others(i, p):
            y, _, hn, cn = run(i, p)
            found = {"hidden": hn}
            if kind == "lstm":
                found["cell"] = cn
            if last:
                found["sequence"] = y
            return found

        c.write(
            "variant_%s_%s" % (kind, name),
            kind,
            {"nonlinearity": "relu" if relu else "tanh" if kind == "rnn" else "-", "bidirectional": both},
            lambda i, p: run(i, p)[1],
            inputs,
            params(kind, shape[-1], h, layers, suffixes, biases),
            None,
            others,
        )

    for kind in gates:
        case("both", kind, (3, 5, 4), 6, both=True)
        case("2layer_both_given", kind, (2, 6, 3), 4, layers=2, both=True, given=True)
        case("2layer_both_last", kind, (2, 4, 5), 3, layers=2, both=True, last=True)
        case("3layer_nobias_given", kind, (4, 5, 1), 7, layers=3, biases=False, given=True)
        case("one_step_given", kind, (5, 1, 6), 5, layers=2, given=True)
        case("one_unit", kind, (2, 7, 1), 1)
        case("many_rows_wide", kind, (29, 3, 2), 17)
    case("relu_both_given", "rnn", (3, 5, 4), 6, both=True, given=True, relu=True)
