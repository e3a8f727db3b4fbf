#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of lib/core/vec/vec_math.h: prints C tables and the relative error of each in double.

Every fit is linear least squares over a fixed grid with Lawson's weights, which move it towards the
minimax one; a rational p/q is made linear by the last q (Sanathanan and Koerner 1963). Standard library
alone.
"""
import math
import struct


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def least_squares(rows, rhs):
    """Householder QR; rows is changed."""
    m, n = len(rows), len(rows[0])
    a = [row + [b] for row, b in zip(rows, rhs)]
    for k in range(n):
        alpha = -math.copysign(math.sqrt(sum(a[i][k] ** 2 for i in range(k, m))), a[k][k])
        v = [a[i][k] for i in range(k, m)]
        v[0] -= alpha
        vv = sum(t * t for t in v)
        for j in range(k, n + 1):
            f = 2 * sum(v[i] * a[k + i][j] for i in range(m - k)) / vv
            for i in range(m - k):
                a[k + i][j] -= f * v[i]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (a[k][n] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return x


def horner(c, z):
    y = 0.0
    for t in reversed(c):
        y = y * z + t
    return y


def fit(f, weight, points, np, nq, rounds=60):
    """f(z) ~ p(z)/q(z), q(0) = 1, degrees np and nq, error times weight(z) made small everywhere."""
    scale = max(abs(z) for z in points)
    w, q, best = [1.0] * len(points), [1.0], (math.inf, None, None)
    for _ in range(rounds):
        rows, rhs = [], []
        for z, wi in zip(points, w):
            g = math.sqrt(wi) * weight(z) / horner(q, z / scale)
            t = z / scale
            rows.append([g * t**i for i in range(np + 1)] + [-g * f(z) * t**i for i in range(1, nq + 1)])
            rhs.append(g * f(z))
        x = least_squares(rows, rhs)
        p, q = x[: np + 1], [1.0] + x[np + 1:]
        err = [abs(horner(p, z / scale) / horner(q, z / scale) - f(z)) * weight(z) for z in points]
        if max(err) < best[0]:
            best = max(err), [c / scale**i for i, c in enumerate(p)], [c / scale**i for i, c in enumerate(q)]
        mean = sum(wi * e for wi, e in zip(w, err)) / sum(w)
        w = [wi * (0.02 + e / mean) for wi, e in zip(w, err)]
    return best


def chebyshev(lo, hi, n):
    return [(lo + hi) / 2 + (hi - lo) / 2 * math.cos(math.pi * (i + 0.5) / n) for i in range(n)]


def show(name, result):
    err, p, q = result
    print(f"/* {name}: relative error {err:.1e} */")
    for label, c in (("p", p), ("q", q)):
        if len(c) > 1:
            print(f"  {label}: " + ", ".join(f"{float32(t):.9g}f" for t in c))


def exp_rest(r):
    """(exp(r) - 1 - r) / r^2 by its series: |r| < 0.35 needs 16 terms for double."""
    return sum(r**i / math.factorial(i + 2) for i in range(17))


def main():
    half = 0.5 * math.log(2) * 1.0001  # the reduction may round n the other way
    points = chebyshev(-half, half, 201)
    show("2 exp(r) = 2 + 2 r + r^2 p(r)",
         fit(lambda r: 2 * exp_rest(r), lambda r: r * r / (2 * math.exp(r)), points, 4, 0))
    show("2^r = 1 + r - r (1 - r) p(r), 0 <= r <= 1",
         fit(lambda r: (1 + r - 2**r) / (r * (1 - r)), lambda r: r * (1 - r) / 2**r,
             chebyshev(0, 1, 201), 3, 0))
    tanh_z = [x * x for x in chebyshev(1e-3, 9.02, 301)]  # float rounds tanh(9.02) to 1
    tanh_odd = lambda z: math.tanh(math.sqrt(z)) / math.sqrt(z)
    show("tanh(x) = x p(x^2)/q(x^2)", fit(tanh_odd, lambda z: 1 / tanh_odd(z), tanh_z, 4, 4))
    # exp(-13.2^2/2) is where exp_real ends; more points near 0, where the ratio bends
    tail = [13.2 * (a / 13.2) ** 1.5 for a in chebyshev(0, 13.2, 301)]
    mills = lambda a: 0.5 * math.erfc(a / math.sqrt(2)) * math.exp(a * a / 2)
    show("Phi(-a) exp(a^2/2) = p(a)/q(a)", fit(mills, lambda a: 1 / mills(a), tail, 4, 5))


if __name__ == "__main__":
    main()
