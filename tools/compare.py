#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times bench, PyTorch and ONNX Runtime on the same cases side by side and prints the tables of ratios.

usage: tools/compare.py --peers FILE [--ort FILE] [--python PYTHON] [--bench build/bench/bench]
                        [--only CASE,...] [--modes eager,compile,onnxruntime] [--threads 1,2] [--rounds 3]
                        [--seconds 1] [--settings stock,...] [--prefix WORDS]
                        [--results build/compare.jsonl] [--markdown FILE] [--json FILE] [--report]

Every measurement is a process of its own; a round runs ours and then every mode (PyTorch eager and compiled,
each under every setting; ONNX Runtime, which only predicts) of one case before the next case. Variants far
behind after the first round are dropped. A figure is the median over the rounds; PyTorch's is that of its
fastest variant, figure by figure. Measurements are appended to --results, and what is there already is not
run again: a call that was stopped goes on where it was. --report prints the tables from that file alone, of
the --settings named; --markdown docs/performance.md puts them where they belong, under a heading of this
processor's; tables of other processors stay.
The cases of images are in tools/vision_peers.py, the others in the script of --peers.
The peers script takes --case, --threads, --seconds, --list and --compile, and prints one JSON object with
train_ms, infer_ms, infer1_ms, peak_rss_mb and version; that of --ort takes --case, --threads and --seconds
and prints infer_ms, infer1_ms and version. docs/performance.md says what is comparable."""
import argparse
import collections
import json
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys

import marked
import record

FIGURES = ["train_ms", "infer_ms", "infer1_ms"]
TARGETS = {  # PyTorch's time / ours: train, infer, infer of one sample
    "fighter-small": (4, 4, 6),
    "fighter-hops6": (3, 3, 4),
    "fighter-wide": (1.8, 1.8, 1.8),
    "fighter-long": (3, 3, 3),
    "transformer-wide": (1.5, 1.5, 1.5),
    "transformer-seed": (3, 3, 5),
    "rnn-seed": (2.5, 2.5, 3),
    "lstm-seed": (2.5, 2.5, 3),
    "s4-seed": (4, 4, 4),
    "s4-long": (4, 4, 4),
    "text-fighter": (3, 3, 4),
    "vit-small": (1.5, 1.5, 1.5),  # as transformer-wide
    "vit-wide": (1.5, 1.5, 1.5),
}
PEAK_TARGETS = {
    "fighter-small": 0.68,
    "fighter-hops6": 0.75,
    "fighter-wide": 0.78,
    "fighter-long": 0.6,
    "transformer-wide": 0.85,
    "transformer-seed": 0.55,
    "lstm-seed": 0.68,
    "text-fighter": 0.72,
}
MEMORY_TARGET = 5  # PyTorch's peak memory / ours
SCALING_TARGETS = dict.fromkeys(["fighter-wide", "transformer-wide", "fighter-small", "text-fighter"], 1.8)

# What a user of PyTorch could set, from outside, to make it faster.
SETTINGS = {
    "stock": {},
    # glibc keeps what is freed instead of giving it back to the system at every step
    "heap": {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "8589934592", "MALLOC_TOP_PAD_": "67108864"},
    # narrower vectors, where the processor clocks down for wide ones
    "avx2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"},
    # threads that stay where they are
    "bind": {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"},
}
OURS = "fighter"
ORT = "onnxruntime"
ORT_TARGET, ORT_MEAN_TARGET = 1.2, 2.0  # its time / ours: of every case, and their geometric mean
VISION = "vit-"  # how the names of cases begin that VISION_PEERS has
VISION_PEERS = str(pathlib.Path(__file__).with_name("vision_peers.py"))
FAR = 1.25  # a variant this much behind in every figure is not run again
TIMEOUT = 900


def arguments():
    p = argparse.ArgumentParser(description="Times bench, PyTorch and ONNX Runtime side by side.")
    p.add_argument("--bench", default="build/bench/bench")
    p.add_argument("--peers", default="../shared/peers/torch_peers.py", help="the PyTorch side's script")
    p.add_argument("--ort", default="../shared/peers/ort_peers.py", help="ONNX Runtime's")
    p.add_argument("--modes", default="eager,compile", help="of eager, compile, onnxruntime, or several")
    p.add_argument("--python", default=sys.executable, help="a Python that has torch, and onnxruntime")
    p.add_argument("--only", help="cases, with commas between them (default: all with targets)")
    p.add_argument("--threads", default="1", help="1 or 1,2 ...")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--settings", default="stock", help="of " + ", ".join(SETTINGS) + ", or several")
    p.add_argument("--prefix", default="",
                   help="words before every command, as in: taskset -c 1; {threads} is put in")
    p.add_argument("--results", default="build/compare.jsonl")
    p.add_argument("--markdown", help="write the tables here too, between its marks if it has them")
    p.add_argument("--json", help="write the medians and ratios here")
    p.add_argument("--report", action="store_true", help="run nothing")
    return p.parse_args()


class Results:
    """Measurements by (case, threads, variant), kept in a file line by line."""

    def __init__(self, path, settings):
        self.path = path
        self.settings = settings
        self.rows = collections.defaultdict(list)
        for row in record.read(path):
            self.rows[row["case"], row["threads"], row["variant"]].append(row)

    def add(self, row):
        self.rows[row["case"], row["threads"], row["variant"]].append(row)
        record.add(self.path, row)

    def median(self, key, figure):
        values = [row[figure] for row in self.rows.get(key, []) if figure in row]
        return statistics.median(values) if values else None

    def variants(self, case, threads):
        return [v for c, t, v in self.rows
                if (c, t) == (case, threads) and v not in (OURS, ORT) and v.split()[1] in self.settings]

    def best(self, case, threads, figure):
        """The fastest variant's median and its name, among those with most rounds."""
        found = {v: self.rows[case, threads, v] for v in self.variants(case, threads)}
        found = {v: rows for v, rows in found.items() if figure in rows[0]}
        if not found:
            return None, None
        most = max(map(len, found.values()))
        return min((self.median((case, threads, v), figure), v) for v in found if len(found[v]) == most)

    def far_behind(self, case, threads, variant):
        for figure in FIGURES:
            mine = self.median((case, threads, variant), figure)
            best = min(m for v in self.variants(case, threads)
                       if (m := self.median((case, threads, v), figure)) is not None) if mine else None
            if mine and mine <= FAR * best:
                return False
        return True


def measure(words, environment):
    """The command's one JSON object, or the reason why there is none."""
    try:
        done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {TIMEOUT} s"}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return {"failed": (done.stderr.strip().splitlines() or ["no output"])[-1][:200]}


def variants_of(a, case):
    """{name: (words, environment)} of the other side."""
    out, modes = {}, a.modes.split(",")
    vision = case.startswith(VISION)
    peers = VISION_PEERS if vision else a.peers
    for mode, words in ("eager", []), ("compile", ["--compile"]):
        for setting in a.settings.split(",") if mode in modes else []:
            out[f"{mode} {setting}"] = ([a.python, peers, *words], SETTINGS[setting])
    if ORT in modes and not vision:
        out[ORT] = ([a.python, a.ort], {})
    return out


def run_round(a, results, case, threads, index):
    common = ["--case", case, "--threads", str(threads), "--seconds", str(a.seconds)]
    todo = {OURS: ([a.bench, "--json"], {}), **variants_of(a, case)}
    for name, (words, environment) in todo.items():
        key = (case, threads, name)
        if len(results.rows[key]) > index:
            continue
        if name not in (OURS, ORT) and index > 0 and results.far_behind(*key):
            continue
        prefix = shlex.split(a.prefix.replace("{threads}", str(threads)))
        row = measure([*prefix, *words, *common], environment)
        if name == OURS:
            row["commit"] = record.commit()
        results.add({**row, "case": case, "threads": threads, "variant": name})
        print(f"round {index + 1}  {case:18s} {threads} thread(s)  {name:16s} "
              + (row.get("failed") or "  ".join(f"{f} {row[f]:9.3f}" for f in FIGURES if f in row)),
              flush=True)


def import_only(a, results):
    """Peak memory of a Python that has imported torch and done nothing."""
    if results.rows.get(("import", 0, "torch")):
        return
    code = "import resource, torch; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    done = subprocess.run([a.python, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        results.add({"case": "import", "threads": 0, "variant": "torch", "peak_rss_mb": float(done.stdout)})


# ---- tables ----

def against(value, target):
    """A ratio beside its target, with a word where it is missed."""
    if value is None:
        return "-"
    if target is None:
        return f"{value:.2f}"
    return f"{value:.2f} of {target:g}" if value >= target else f"**{value:.2f}** of {target:g}, missed"


def case_summary(results, case, threads):
    ours = (case, threads, OURS)
    row = {"case": case, "threads": threads}
    for i, figure in enumerate(FIGURES):
        mine, (peer, variant) = results.median(ours, figure), results.best(case, threads, figure)
        row[figure] = {"ours": mine, "peer": peer, "variant": variant,
                       "ratio": peer / mine if mine and peer else None,
                       "target": TARGETS.get(case, (None,) * 3)[i] if threads == 1 else None}
    mine = results.median(ours, "peak_rss_mb")
    peers = [m for v in results.variants(case, threads)
             if (m := results.median((case, threads, v), "peak_rss_mb")) is not None]
    peer = min(peers, default=None)
    row["memory"] = {"ours": mine, "peer": peer, "ratio": peer / mine if mine and peer else None,
                     "target": MEMORY_TARGET}
    row[ORT] = {figure: results.median((case, threads, ORT), figure) for figure in FIGURES[1:]}
    row["peak_fraction"] = results.median(ours, "peak_fraction")
    row["gflops"] = results.median(ours, "gflops")
    row["allocs_per_step"] = results.median(ours, "allocs_per_step")
    row["rounds"] = len(results.rows.get(ours, []))
    row["mode"] = next((r.get("mode") for r in results.rows.get(ours, [])), None)
    return row


def time_table(rows):
    heads = " | ".join(f"{f[:-3]} ms | PyTorch | ratio" for f in FIGURES)
    out = [f"| case | mode | {heads} |", "|---|---|" + "---|" * 9]
    for r in rows:
        cells = [r["case"], r["mode"] or "-"]
        for figure in FIGURES:
            f = r[figure]
            cells.append(f"{f['ours']:.3g}" if f["ours"] else "-")
            cells.append(f"{f['peer']:.3g} {f['variant']}" if f["peer"] else "-")
            cells.append(against(f["ratio"], f["target"]))
        out.append("| " + " | ".join(cells) + " |")
    return out


def resource_table(rows):
    out = ["| case | GFLOP/s | of the peak | PyTorch | peak MB | PyTorch | ratio | allocations a step |",
           "|---|" + "---|" * 7]
    for r in rows:
        m = r["memory"]
        target = PEAK_TARGETS.get(r["case"]) if r["threads"] == 1 else None
        fraction = against(r["peak_fraction"] or None, target)
        ratio = r["train_ms"]["ratio"]
        peer = f"{r['peak_fraction'] / ratio:.2f}" if ratio and r["peak_fraction"] else "-"
        out.append(f"| {r['case']} | {r['gflops'] or 0:.0f} | {fraction} | {peer} | "
                   f"{m['ours'] or 0:.0f} | {m['peer'] or 0:.0f} | {against(m['ratio'], m['target'])} | "
                   f"{r['allocs_per_step'] or 0:.0f} |")
    return out


def training_table(rows):
    """Ours alone."""
    out = ["Training:", "", "| case | mode | train ms | GFLOP/s | of the peak |", "|---|---|---|---|---|"]
    for r in rows:
        target = PEAK_TARGETS.get(r["case"]) if r["threads"] == 1 else None
        out.append(f"| {r['case']} | {r['mode'] or '-'} | {r['train_ms']['ours'] or 0:.3g} | "
                   f"{r['gflops'] or 0:.0f} | {against(r['peak_fraction'] or None, target)} |")
    return out


def scaling_table(results, cases, counts):
    out = ["| case | " + " | ".join(f"train ms, {n}" for n in counts) + " | speed-up |",
           "|---|" + "---|" * (len(counts) + 1)]
    for case in cases:
        ms = [results.median((case, n, OURS), "train_ms") for n in counts]
        if None in ms:
            continue
        target = SCALING_TARGETS.get(case) if counts[-1] == 2 else None
        times = " | ".join(f"{m:.3g}" for m in ms)
        out.append(f"| {case} | {times} | {against(ms[0] / ms[-1], target)} |")
    return out


def ort_table(rows):
    """Predictions beside ONNX Runtime's; empty: it has none."""
    out, ratios = [], {f: [] for f in FIGURES[1:]}
    for r in rows:
        if not any(r[ORT].values()):
            continue
        cells = [r["case"]]
        for figure in FIGURES[1:]:
            ours, peer = r[figure]["ours"], r[ORT][figure]
            ratio = peer / ours if ours and peer else None
            cells += [f"{v:.3g}" if v else "-" for v in (ours, peer)] + [against(ratio, ORT_TARGET)]
            ratios[figure] += [ratio] if ratio else []
        out.append("| " + " | ".join(cells) + " |")
    if not out:
        return []
    means = [against(statistics.geometric_mean(v) if v else None, ORT_MEAN_TARGET) for v in ratios.values()]
    heads = " | ".join(f"{f[:-3]} ms | ONNX Runtime | ratio" for f in FIGURES[1:])
    return ["Predictions, beside ONNX Runtime:", "", f"| case | {heads} |", "|---|" + "---|" * 6, *out,
            "| " + " | ".join(["geometric mean", "", "", means[0], "", "", means[1]]) + " |"]


def provenance(results):
    def some(fits):
        rows = [r for (_, _, v), group in results.rows.items() if fits(v) for r in group]
        return next((r for r in reversed(rows) if "version" in r), {})

    ours, torch = some(lambda v: v == OURS), some(lambda v: v not in (OURS, ORT))
    imported = results.median(("import", 0, "torch"), "peak_rss_mb")
    taken = f", {imported:.0f} MB after its import" if imported else ""
    others = [r["version"] + more for r, more in ((torch, taken), (some(lambda v: v == ORT), "")) if r]
    return (f"{record.machine()}, {os.cpu_count()} processors, Linux {platform.release().split('-')[0]}; "
            f"fighter {ours.get('commit')}, kernels {ours.get('blas')}, vectors {ours.get('vector')}, "
            f"{ours.get('peak_gflops')} GFLOP/s of multiply-adds on one thread; {'; '.join(others)}.")


def report(a, results, cases, counts):
    lines, summary = [provenance(results)], []
    for threads in counts:
        rows = [case_summary(results, c, threads) for c in cases if (c, threads, OURS) in results.rows]
        if not rows:
            continue
        summary += rows
        rounds = sorted({r["rounds"] for r in rows})
        lines += ["", f"{threads} thread(s), medians of {' to '.join(map(str, rounds))} rounds:", ""]
        if any(r[f]["peer"] for r in rows for f in FIGURES):
            lines += time_table(rows) + [""] + resource_table(rows) + [""]
        else:
            lines += training_table(rows) + [""]
        lines += ort_table(rows)
    if len(counts) > 1:
        lines += ["", "Training by threads:", ""] + scaling_table(results, cases, counts)
    print("\n".join(["", *lines]))
    if a.markdown:
        marked.write_part(a.markdown, "compare", record.processor(), lines)
    if a.json:
        pathlib.Path(a.json).write_text(json.dumps(summary, indent=1) + "\n")


def main():
    a = arguments()
    counts = [int(n) for n in a.threads.split(",")]
    results = Results(a.results, a.settings.split(","))
    cases = a.only.split(",") if a.only else list(TARGETS)
    if not a.report:
        import_only(a, results)
        for index in range(a.rounds):
            for case in cases:
                for threads in counts:
                    run_round(a, results, case, threads, index)
    report(a, results, cases, counts)


if __name__ == "__main__":
    main()
