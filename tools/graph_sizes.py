#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how time and memory of a training step grow with the nodes of a graph.

usage: tools/graph_sizes.py [--bench build/bench/bench] [--seconds 1] [--rounds 3] [--threads 1,2]
                            [--prefix WORDS] [--results build/graph_sizes.jsonl]
                            [--markdown docs/performance.md] [--report]

The cases graph (each node reads its 8 nearest ones) and graph-learned (dense) of the benchmark program. Of
the rounds the fastest one counts: other work on the machine only adds. Exponents are fits of constant *
nodes^exponent over all sizes, and over the last two. Measurements are appended to --results and not
repeated; --report measures nothing."""
import argparse
import json
import shlex
import subprocess

import marked
import record
from scaling import exponent

CASES = {"graph": [207, 2000, 20000], "graph-learned": [207, 2000]}
NAMES = {"graph": "given, sparse", "graph-learned": "learned, dense"}
TIMES = ("train_ms", "train_cpu_ms", "infer_ms")
FIELDS = {"train_ms": "a step", "train_cpu_ms": "a step, processor", "infer_ms": "a prediction",
          "took_mb": "memory"}


def arguments():
    p = argparse.ArgumentParser(description="Time and memory of a training step against the nodes.")
    p.add_argument("--bench", default="build/bench/bench")
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", default="1,2")
    p.add_argument("--prefix", default="", help="words before every command, as in: taskset -c 1")
    p.add_argument("--results", default="build/graph_sizes.jsonl")
    p.add_argument("--markdown", help="write the tables here too, between their marks if it has them")
    p.add_argument("--report", action="store_true")
    return p.parse_args()


def key(row):
    return row["case"], row["nodes"], row["threads"]


def measure(a):
    threads = [int(t) for t in a.threads.split(",")]
    for index in range(a.rounds):
        for wanted in [(c, n, t) for c, sizes in CASES.items() for n in sizes for t in threads]:
            if sum(key(r) == wanted for r in record.read(a.results)) > index:
                continue
            case, nodes, count = wanted
            words = [*shlex.split(a.prefix), a.bench, "--case", case, "--json", "--threads", str(count),
                     "--seconds", str(a.seconds), "--set", f"nodes={nodes}"]
            out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            row = {"nodes": nodes, **json.loads(out)}
            record.add(a.results, row)
            print(f"round {index + 1}  {case} {nodes} {count}: {row['train_ms']:.4g} ms", flush=True)


def best(rows):
    """{(case, nodes, threads): row} with the least time in any round."""
    out = {}
    for r in rows:
        b = out.setdefault(key(r), dict(r))
        for field in TIMES:
            b[field] = min(b[field], r[field])
    return out


def table(found):
    lines = ["| graph | nodes | threads | a step, ms | of processor | a prediction, ms | said, MB | took, MB "
             "| process, MB |", "|---|---|---|---|---|---|---|---|---|"]
    for (case, nodes, threads), r in sorted(found.items()):
        cells = [f"{r[field]:.4g}" for field in (*TIMES, "said_mb", "took_mb", "peak_rss_mb")]
        lines.append(f"| {NAMES[case]} | {nodes} | {threads} | {' | '.join(cells)} |")
    return lines


def exponents(found):
    lines = ["| graph | threads | of | exponent | of the last two sizes |", "|---|---|---|---|---|"]
    for case, sizes in CASES.items():
        for threads in sorted({t for c, _, t in found if c == case}):
            rows = [found[case, n, threads] for n in sizes if (case, n, threads) in found]
            for field, name in FIELDS.items():
                points = [(r["nodes"], r[field]) for r in rows]
                if len(points) < 2:
                    continue
                whole = f"{exponent(points):.2f}" if len(points) > 2 else ""
                last = f"{exponent(points[-2:]):.2f}"
                lines.append(f"| {NAMES[case]} | {threads} | {name} | {whole} | {last} |")
    return lines


def main():
    a = arguments()
    if not a.report:
        measure(a)
    found = best(record.read(a.results))
    lines = [*table(found), "", *exponents(found)]
    print("\n".join(["", *lines]))
    if a.markdown:
        marked.write(a.markdown, "graph-sizes", lines)


if __name__ == "__main__":
    main()
