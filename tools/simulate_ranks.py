#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulates a training step of many ranks, as lib/train/reduction/reduction.c exchanges gradients, and plots
how the efficiency falls: docs/scale.md.

usage: tools/simulate_ranks.py [--plot docs/scale.svg] [--markdown docs/scale.md]

A step is forward (a third of the computation) and backward, in which buckets of gradients become ready from
the last parameters to the first. Segments of each bucket go to their owners, over a network on which a rank
handles one message after another. When all have told their losses and norms, each rank updates its segment of
one bucket after another, and sends the weights to all while it updates the next one. Each rank's computation
varies from step to step, and all wait for the slowest. Needs matplotlib for the plot (Debian:
python3-matplotlib)."""
import argparse
import math
import random

import marked
import plots

RANKS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
BUCKET, SEGMENT, GRAIN = 1 << 20, 1 << 14, 1 << 12  # bytes, as in segments.c
STEPS = 60
# name: seconds of computation a sample, of an update, bytes of dense gradients: measured on an Ice Lake Xeon
MODELS = {
    "fighter-wide": (9.7e-3, 5e-3, 5.38e6),
    "a model of 100 MB": (60e-3, 90e-3, 100e6),
}
# name: seconds of latency, of a message, bytes a second
NETWORKS = {
    "1 Gbit/s Ethernet": (30e-6, 5e-6, 0.117e9),
    "25 Gbit/s Ethernet": (10e-6, 2e-6, 2.9e9),
    "InfiniBand, 100 Gbit/s": (1.5e-6, 0.5e-6, 11.5e9),
}


def bucket_ends(gradient, ranks):
    """Bytes of each bucket, in the order in which they become ready."""
    size = BUCKET
    while size < ranks * SEGMENT:
        size *= 2
    full, rest = divmod(int(gradient), size)
    return [size] * full + ([rest] if rest else [])


def owned(ranks, size):
    """Bytes of the largest segment of a bucket: whole grains."""
    return min(size, math.ceil(math.ceil(size / GRAIN) / ranks) * GRAIN)


def exchange(network, ranks, size):
    """Seconds for which an exchange of segments, or of what all have, holds the network of the rank that has
    most."""
    latency, message, rate = network
    return latency + (ranks - 1) * message + size * (ranks - 1) / rate


def step(model, network, ranks, samples, jitter, overlap, rng):
    """Seconds of one step."""
    compute, update, gradient = model
    slowest = max(1 + jitter * abs(rng.gauss(0, 1)) for _ in range(ranks))
    work = compute * samples * slowest
    if ranks == 1:
        return work + update
    free, ready = 0, work / 3
    buckets = bucket_ends(gradient, ranks)
    for size in buckets:
        ready += 2 / 3 * work * size / gradient
        free = max(free, ready if overlap else work) + exchange(network, ranks, owned(ranks, size))
    squares = 8 * math.ceil(gradient / GRAIN / ranks)  # with losses and states of all ranks
    free = updated = max(free, work) + exchange(network, ranks, 48 + squares)
    for size in buckets:
        updated += update * owned(ranks, size) / gradient
        free = max(free, updated) + exchange(network, ranks, owned(ranks, size))
    return free


def efficiency(model, network, samples, jitter=0.02, overlap=True, strong=0):
    """Work done by all in the time of one rank, by the number of ranks; strong: samples of all together."""
    rng, found = random.Random(1), []
    for ranks in RANKS:
        mine = strong / ranks if strong else samples
        steps = [step(model, network, ranks, mine, jitter, overlap, rng) for _ in range(STEPS)]
        seconds = sum(steps) / STEPS
        if ranks == 1:
            first = seconds
        found.append(first / seconds / (ranks if strong else 1))
    return found


def falls_below(found, bound=0.9):
    """The first number of ranks, between those simulated, at which the efficiency is below the bound."""
    for i, e in enumerate(found):
        if e < bound:
            if not i:
                return "1"
            share = (found[i - 1] - bound) / (found[i - 1] - e)
            return str(math.ceil(RANKS[i - 1] * 2 ** (share * math.log2(RANKS[i] / RANKS[i - 1]))))
    return f"above {RANKS[-1]}"


CASES = [("8 samples a rank", {"samples": 8}), ("32 samples a rank", {"samples": 32}),
         ("32 samples a rank, nothing overlaps", {"samples": 32, "overlap": False}),
         ("32 samples a rank, no jitter", {"samples": 32, "jitter": 0}),
         ("batches of 1,024 in all", {"samples": 0, "strong": 1024})]


def table():
    lines = ["| model | batch | " + " | ".join(NETWORKS) + " |", "|---|---" + "|---" * len(NETWORKS) + "|"]
    for name, model in MODELS.items():
        for what, more in CASES:
            cells = []
            for network in NETWORKS.values():
                found = efficiency(model, network, **more)
                cells.append(f"{falls_below(found)} ({found[-1]:.2f})")
            lines.append(f"| {name} | {what} | " + " | ".join(cells) + " |")
    return lines


def plot(path):
    figure, axes = plots.pyplot().subplots(1, len(MODELS), figsize=(8, 3), sharey=True)
    for axis, (name, model) in zip(axes, MODELS.items()):
        for i, (wire, network) in enumerate(NETWORKS.items()):
            axis.semilogx(RANKS, efficiency(model, network, 32), color=f"C{i}", label=wire)
            axis.semilogx(RANKS, efficiency(model, network, 0, strong=1024), "--", color=f"C{i}")
        axis.axhline(0.9, color="0.7", linewidth=0.8)
        axis.set_title(f"{name}: 32 samples a rank (dashed: 1,024 in all)", fontsize=8)
        axis.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1024"])
        axis.minorticks_off()
        axis.set_xlabel("ranks")
        axis.set_ylim(0, 1.15)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("efficiency")
    axes[0].legend(frameon=False, fontsize=8)
    plots.save(figure, path)


def main():
    p = argparse.ArgumentParser(description="Efficiency of training by many ranks, simulated.")
    p.add_argument("--plot")
    p.add_argument("--markdown", help="write the table here too, between its marks")
    a = p.parse_args()
    lines = table()
    print("\n".join(lines))
    if a.markdown:
        marked.write(a.markdown, "simulation", lines)
    if a.plot:
        plot(a.plot)


if __name__ == "__main__":
    main()
