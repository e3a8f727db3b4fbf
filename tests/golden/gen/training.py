# SPDX-License-Identifier: BSD-3-Clause
"""Losses, optimisers, schedules and clipping, from their formulae."""

import autograd.numpy as np
import numpy
from autograd import grad

from files import OWN, save


def loss_cases(c):
    def case(name, layer, f, x, target, **meta):
        scale = 0.625  # a gradient from above that is not 1
        save(
            c.directory / ("variant_" + name + ".safetensors"),
            {"case": "variant_" + name, "layer": layer, "reduction": "mean", "source": OWN, **meta},
            {
                "input": x,
                "target": target,
                "output": numpy.float32(f(x)),
                "grad_output": numpy.float32(scale),
                "grad.input": scale * grad(f)(x),
            },
        )

    x, t = 3 * c.draw(5, 2, 3, 7), c.draw(5, 2, 3, 7)
    e = lambda x: np.abs(x - t)
    case(
        "loss_smooth_l1",
        "smooth_l1_loss",
        lambda x: np.mean(np.where(e(x) < 2.5, e(x) ** 2 / 5, e(x) - 1.25)),
        x,
        t,
        beta=2.5,
    )
    case(
        "loss_huber",
        "huber_loss",
        lambda x: np.mean(np.where(e(x) < 0.5, e(x) ** 2 / 2, 0.5 * (e(x) - 0.25))),
        x,
        t,
        delta=0.5,
    )
    p = c.rng.random((4, 9))
    p = p.astype(numpy.float32).astype(float)
    z = 20 * c.draw(4, 9)
    case(
        "loss_bce",
        "bce_with_logits",
        lambda x: np.mean(np.maximum(x, 0) - p * x + np.log(1 + np.exp(-np.abs(x)))),
        z,
        p,
    )
    ids = c.rng.integers(0, 11, (3, 4))
    logits = 6 * c.draw(3, 4, 11)

    def cross(x, s=0.25):
        m = np.max(x, -1, keepdims=True)
        logp = x - m - np.log(np.sum(np.exp(x - m), -1, keepdims=True))
        nll = -np.sum(logp * numpy.eye(11)[ids], -1)
        return np.mean((1 - s) * nll - s * np.mean(logp, -1))

    case("loss_cross_entropy", "cross_entropy", cross, logits, ids, label_smoothing=0.25)


def quantile_cases(c):
    """Stands last in the list of cases: what is drawn here moves the numbers of nothing else."""
    for name, shape, q in (("median", (4, 3), 0.5), ("low", (5, 2, 3, 7), 0.05), ("high", (2, 31), 0.9)):
        y, t = 3 * c.draw(*shape), c.draw(*shape)
        y.flat[1] = t.flat[1]  # on the corner, where the derivative is 0 by definition
        e, scale = t - y, 0.625
        slope = numpy.where(e > 0, -q, numpy.where(e < 0, 1 - q, 0)) / e.size
        save(
            c.directory / ("variant_loss_quantile_%s.safetensors" % name),
            {
                "case": "variant_loss_quantile_" + name,
                "layer": "quantile_loss",
                "reduction": "mean",
                "source": "variants.py (double, from the formula)",
                "quantile": q,
            },
            {
                "input": y,
                "target": t,
                "output": numpy.float32(numpy.mean(numpy.maximum(q * e, (q - 1) * e))),
                "grad_output": numpy.float32(scale),
                "grad.input": scale * slope,
            },
        )


def write(c, name, layer, tensors, **meta):
    case = "variant_" + name
    save(
        c.directory / (case + ".safetensors"),
        {"case": case, "layer": layer, "source": OWN, **meta},
        tensors,
    )


def sgd(w, grads, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    v = None
    for g in grads:
        g = g + weight_decay * w
        v = g if v is None else momentum * v + g
        w = w - lr * (g + momentum * v if nesterov else v)
        yield w


def adam(w, grads, lr, betas, eps, weight_decay=0.0, decoupled=False):
    m = v = 0
    for t, g in enumerate(grads, 1):
        if decoupled:
            w = w - lr * weight_decay * w
        else:
            g = g + weight_decay * w
        m, v = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g * g
        w = w - lr * (m / (1 - betas[0] ** t)) / (numpy.sqrt(v / (1 - betas[1] ** t)) + eps)
        yield w


def optimiser_cases(c):
    def case(name, kind, f, n, steps, **meta):
        w, grads = c.draw(n), c.draw(steps, n)
        write(
            c,
            "opt_" + name,
            "optimiser",
            {"param_initial": w, "grads": grads, "trajectory": numpy.array(list(f(w, grads)))},
            source="torch.optim." + kind,
            **meta,
        )

    case("one", "SGD", lambda w, g: sgd(w, g, 0.3), 1, 3, lr=0.3)
    case(
        "nesterov_decay",
        "SGD",
        lambda w, g: sgd(w, g, 0.01, 0.8, True, 0.1),
        131,
        7,
        lr=0.01,
        momentum=0.8,
        nesterov=True,
        weight_decay=0.1,
    )
    case(
        "adam_long",
        "Adam",
        lambda w, g: adam(w, g, 0.002, (0.8, 0.95), 1e-6, 0.3),
        67,
        40,
        lr=0.002,
        betas=(0.8, 0.95),
        eps=1e-6,
        weight_decay=0.3,
    )
    case(
        "adamw_default",
        "AdamW",
        lambda w, g: adam(w, g, 0.1, (0.9, 0.999), 1e-8, 0.01, True),
        5,
        12,
        lr=0.1,
        betas=(0.9, 0.999),
        eps=1e-8,
    )


def schedule_cases(c):
    def case(name, base, w, total, low, linear):
        t = numpy.arange(total + 1)
        start = 1 / w if linear and w else 0
        warm = base * (start + (1 - start) * t / max(w, 1))
        cosine = low + (base - low) * 0.5 * (1 + numpy.cos(numpy.pi * (t - w) / (total - w)))
        factor = "base_lr*(1/W+(1-1/W)*t/W)" if linear else "base_lr*t/W"
        meta = {"formula": "lr[t] = %s for t < W, else cosine" % factor}
        write(
            c,
            "schedule_" + name,
            "lr_schedule",
            {"lr": numpy.where(t < w, warm, cosine)},
            base_lr=base,
            warmup_steps=w,
            total_steps=total,
            eta_min=low,
            **meta,
        )

    case("no_warmup", 0.5, 0, 9, 0.0, False)
    case("warmup_of_one", 1e-4, 1, 2, 1e-6, True)
    case("long", 3.0, 50, 333, 0.25, True)


def clip_cases(c):
    grads = [c.draw(3, 1, 2, 2), c.draw(1), 30 * c.draw(129)]
    norm = numpy.sqrt(sum((g * g).sum() for g in grads))
    for name, most in (("active", 0.01), ("inactive", 1e9)):
        scale = min(1, most / (norm + 1e-6))
        tensors = {"grad_in.%d" % i: g for i, g in enumerate(grads)}
        tensors.update({"grad_out.%d" % i: scale * g for i, g in enumerate(grads)})
        tensors["total_norm"] = numpy.float32(norm)
        write(c, "clip_" + name, "clip_grad_norm", tensors, max_norm=most)
