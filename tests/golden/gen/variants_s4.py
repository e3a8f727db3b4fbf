# SPDX-License-Identifier: BSD-3-Clause
"""Cases of state spaces for variants.py. A pair of conjugate states is two real numbers, so that the matrices
are real: A = blocks (re -im; im re) - 2 p p', B = (re, im), and 2 Re C x = 2 (re, -im) x."""

import autograd.numpy as np
import numpy

from reference import ACT


def row(pairs):
    """[...,S/2,2] to [...,S]"""
    return pairs.reshape(pairs.shape[:-2] + (-1,))


def blocks(re, im):
    """Block-diagonal [D,S,S] of complex numbers [D,S/2]."""
    parts = ((re, [[1, 0], [0, 1]]), (im, [[0, -1], [1, 0]]))
    return sum(np.array([np.kron(np.diag(v), numpy.array(m)) for v in part]) for part, m in parts)


def kernels(p, length, zoh, minimal):
    """K [directions,D,length]."""
    names = ("log_dt", "log_A_real") if minimal else ("inv_dt", "A_real")
    dt = np.exp(p["kernel." + names[0]]).reshape(-1, 1, 1)
    re, im = -np.exp(p["kernel." + names[1]]), (1 if minimal else -1) * p["kernel.A_imag"]
    c = p["kernel.C"] if p["kernel.C"].ndim == 4 else p["kernel.C"][None]
    ones = numpy.stack([numpy.ones(re.shape), numpy.zeros(re.shape)], -1)
    b = row(p["kernel.B"][0] if "kernel.B" in p else ones)[..., None]
    a = blocks(re, im)
    if "kernel.P" in p:
        v = row(p["kernel.P"][0])
        a = a - 2 * v[:, :, None] * v[:, None, :]
    eye = numpy.eye(a.shape[-1])
    if zoh:
        size = np.exp(dt[:, :, 0] * re)
        da = blocks(size * np.cos(dt[:, :, 0] * im), size * np.sin(dt[:, :, 0] * im))
        x = np.matmul(np.linalg.inv(a), np.matmul(da - eye, b))
    else:
        left = np.linalg.inv(eye - dt / 2 * a)
        da, x = np.matmul(left, eye + dt / 2 * a), np.matmul(left, dt * b)
    read = 2 * row(c * numpy.array([1.0, -1.0]))
    k = []
    for _ in range(length):
        k.append(np.sum(read * x[None, :, :, 0], -1))
        x = np.matmul(da, x)
    return np.stack(k, -1)


def convolution(x, k, d):
    """x [...,T,D]: K0 * x and what K1 brings from behind, and D x."""
    time = x.shape[-2]
    lag = numpy.arange(time)[:, None] - numpy.arange(time)[None]
    y = np.einsum("htj,...jh->...th", k[0][:, numpy.maximum(lag, 0)] * (lag >= 0), x)
    if len(k) == 2:
        y = y + np.einsum("htj,...jh->...th", k[1][:, numpy.maximum(-lag - 1, 0)] * (lag < 0), x)
    return y + d.reshape(-1) * x


def block(v, p, d):
    g, w = ACT["gelu (exact, erf)"](v), p["output_linear.0.weight"].reshape(2 * d, d)
    u = np.matmul(g, w.T) + p["output_linear.0.bias"]
    return u[..., :d] / (1 + np.exp(-u[..., d:]))


def s4_cases(c):
    def params(d, state, dplr, both, minimal, full):
        pairs = state // 2
        p = {
            "D": c.draw(*((d,) if minimal else (1, d))),
            "kernel.log_dt" if minimal else "kernel.inv_dt": c.draw(*((d,) if minimal else (d, 1))) - 2.5,
            "kernel.C": c.draw(*((d, pairs, 2) if minimal else (1 + both, d, pairs, 2))),
            "kernel.log_A_real" if minimal else "kernel.A_real": c.draw(d, pairs, scale=0.5) - 0.7,
            "kernel.A_imag": numpy.abs(c.draw(d, pairs, scale=8)),
        }
        if not minimal:
            p["kernel.B"] = c.draw(1, d, pairs, 2)
        if dplr:
            p["kernel.P"] = c.draw(1, d, pairs, 2)
        p = {k: v.astype(numpy.float32).astype(float) for k, v in p.items()}
        if full or minimal:
            p["output_linear.0.weight"] = c.weight(d, *((2 * d, d, 1) if minimal else (2 * d, d)))
            p["output_linear.0.bias"] = c.draw(2 * d, scale=0.3)
        return p

    def case(name, shape, state, dplr=False, zoh=False, both=False, full=False, minimal=False):
        d, inner = shape[-1], "layer." if full else ""
        own = params(d, state, dplr, both, minimal, full)
        strip = lambda p: {k.replace("layer.", "", 1): v for k, v in p.items()}

        def run(i, p):
            p = strip(p)
            v = convolution(i["input"], kernels(p, shape[-2], zoh, minimal), p["D"])
            return block(v, p, d) if full or minimal else v

        def others(i, p):
            k = kernels(strip(p), shape[-2], zoh, minimal)
            return {"kernel": k if both else k[0]}

        c.write(
            "variant_s4_" + name,
            "s4_block" if full else "s4d_block" if minimal else "ssm_conv",
            {
                "kind": "S4 (DPLR)" if dplr else "S4D",
                "disc": "zoh" if zoh else "bilinear",
                "d_state": state,
                "channels": 1 + both,
                "bidirectional": both,
            },
            run,
            {"input": c.draw(*shape)},
            {(k if k.startswith("output") else inner + k): v for k, v in own.items()},
            None,
            others,
        )

    case("dplr_wide", (3, 40, 17), 16, dplr=True)
    case("dplr_one_pair", (2, 9, 3), 2, dplr=True)
    case("dplr_one_step", (4, 1, 5), 4, dplr=True)
    case("dplr_both", (2, 21, 9), 6, dplr=True, both=True)
    case("dplr_block_nodes", (2, 3, 7, 4), 6, dplr=True, full=True)
    case("dplr_long", (1, 131, 2), 4, dplr=True)
    case("zoh_wide", (3, 33, 12), 6, zoh=True)
    case("zoh_both_long", (1, 140, 2), 4, zoh=True, both=True)
    case("bilinear_one_channel", (5, 17, 1), 10)
    case("bilinear_both_one_step", (3, 1, 2), 4, both=True)
    case("zoh_block", (2, 11, 6), 8, zoh=True, full=True)
    case("minimal", (3, 19, 7), 12, zoh=True, minimal=True)
    case("minimal_bilinear", (2, 6, 8), 2, minimal=True)
