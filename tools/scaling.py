#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how the time of a training step grows with each size of a Fighter model, and plots it.

usage: tools/scaling.py [--bench build/bench/bench] [--seconds 1] [--rounds 3] [--prefix WORDS]
                        [--results build/scaling.jsonl] [--plot docs/performance-scaling.svg]
                        [--markdown docs/performance.md] [--report]

One size of the case fighter-small varies at a time; a step is fitted as time = constant * size^exponent over
the larger half of the sizes, where constants no longer count, and the same is done with the formula for its
matrix flops, which is what the exponent should come near to. Measurements are appended to --results and not
repeated. Needs matplotlib for the plot (Debian: python3-matplotlib); --report measures nothing."""
import argparse
import json
import math
import shlex
import statistics
import subprocess

import marked
import plots
import record

CASE = "fighter-small"
SIZES = {  # the values that each size takes; the other sizes are the case's
    "batch": [8, 16, 32, 64, 128],
    "time": [48, 96, 192, 384, 768, 1536],
    "dim": [32, 64, 128, 256, 512],
    "hops": [2, 4, 8, 16],
    "layers": [1, 2, 4, 8],
}
NAMES = {"batch": "B, samples", "time": "T, tokens", "dim": "d, width", "hops": "kappa", "layers": "layers"}


def arguments():
    p = argparse.ArgumentParser(description="Time of a training step against the sizes.")
    p.add_argument("--bench", default="build/bench/bench")
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--prefix", default="", help="words before every command, as in: taskset -c 1")
    p.add_argument("--results", default="build/scaling.jsonl")
    p.add_argument("--plot", default="docs/performance-scaling.svg")
    p.add_argument("--markdown", help="write the table here too, between its marks if it has them")
    p.add_argument("--report", action="store_true")
    return p.parse_args()


def measure(a):
    for index in range(a.rounds):
        for size, values in SIZES.items():
            for value in values:
                done = [r for r in record.read(a.results) if (r["size"], r["value"]) == (size, value)]
                if len(done) > index:
                    continue
                words = [*shlex.split(a.prefix), a.bench, "--case", CASE, "--json",
                         "--seconds", str(a.seconds), "--set", f"{size}={value}"]
                out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
                row = {"size": size, "value": value, **json.loads(out)}
                record.add(a.results, row)
                print(f"round {index + 1}  {size} {value}: {row['train_ms']:.3f} ms", flush=True)


def exponent(points):
    """Slope of log y against log x by least squares, over the larger half of the points, three at least."""
    points = points[-max(3, (len(points) + 1) // 2):]
    xs, ys = zip(*((math.log(x), math.log(y)) for x, y in points))
    mx, my = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def curves(rows):
    """{size: ([(value, ms)], [(value, flops)])}"""
    out = {}
    for size, values in SIZES.items():
        ms, flops = [], []
        for value in values:
            found = [r for r in rows if (r["size"], r["value"]) == (size, value)]
            if found:
                ms.append((value, statistics.median(r["train_ms"] for r in found)))
                flops.append((value, statistics.median(r["gflops"] * r["train_ms"] for r in found)))
        if len(ms) > 2:
            out[size] = ms, flops
    return out


def report(found, page):
    lines = ["| size | values | train ms | exponent | of the flops |", "|---|---|---|---|---|"]
    for size, (ms, flops) in found.items():
        values = ", ".join(str(v) for v, _ in ms)
        times = ", ".join(f"{t:.3g}" for _, t in ms)
        lines.append(f"| {NAMES[size]} | {values} | {times} | {exponent(ms):.2f} | {exponent(flops):.2f} |")
    print("\n".join(["", *lines]))
    if page:
        marked.write(page, "scaling", lines)


def plot(found, path):
    figure, axes = plots.pyplot().subplots(1, len(found), figsize=(2.4 * len(found), 2.6), sharey=True,
                                           squeeze=False)
    for axis, (size, (ms, flops)) in zip(axes[0], found.items()):
        xs, ys = zip(*ms)
        scale = ys[-1] / flops[-1][1]
        axis.loglog(*zip(*((x, f * scale) for x, f in flops)), color="0.7", label="flops")
        axis.loglog(xs, ys, "o-", markersize=3, color="C0", label="measured")
        axis.set_title(f"{NAMES[size]}: {exponent(ms):.2f}", fontsize=9)
        axis.set_xticks(xs, [str(x) for x in xs])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("training step, ms")
    axes[0][0].legend(frameon=False, fontsize=8)
    plots.save(figure, path)


def main():
    a = arguments()
    if not a.report:
        measure(a)
    found = curves(record.read(a.results))
    report(found, a.markdown)
    if found:
        plot(found, a.plot)


if __name__ == "__main__":
    main()
