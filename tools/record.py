# SPDX-License-Identifier: BSD-3-Clause
"""What the tools that measure share: finished runs, a line of JSON each, and where they were made."""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time


def machine():
    """The processor's name."""
    try:
        names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def processor():
    """Its name with the numbers of its family and model, which virtual machines leave out of the name."""
    try:
        found = dict(re.findall(r"^(cpu family|model)\s*: (\d+)$",
                                pathlib.Path("/proc/cpuinfo").read_text(), re.M))
    except OSError:
        found = {}
    if len(found) < 2:
        return machine()
    return f'{machine()}, family {found["cpu family"]}, model {found["model"]}'


def commit():
    """What the working tree is, "-dirty" behind it if something is changed."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


def read(path):
    """The runs in a file, if there is one; a line cut short by a crash is passed over."""
    path = pathlib.Path(path)
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def add(path, run):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(run) + "\n")


def replace(path, text):
    """Writes a file that is old or new at any time, never half of it."""
    temporary = pathlib.Path(f"{path}.part")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def numbers(text):
    """1..3 or 1,2,5"""
    first, dots, last = text.partition("..")
    return list(range(int(first), int(last) + 1)) if dots else [int(n) for n in text.split(",")]


# ---- many runs of the programs, which tables are made of ----
#
# A run has a label, data (the name of a set), options and a seed.

def key(run, threads):
    """What a finished run is known by."""
    return run.data, f"{run.options} --seed {run.seed}".strip(), threads


def arguments(doc, results, label):
    """A parser with the options that all of these tools have."""
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build", help="folder of the build")
    p.add_argument("--data", default="../shared/data", help="folder of the data sets")
    p.add_argument("--results", default=results, help="finished runs")
    p.add_argument("--out", help="file for the tables, which are printed in any case")
    p.add_argument("--only", default="", help=f'run only what matches in "{label}"; "^$": nothing, which '
                   "writes the tables of finished runs")
    p.add_argument("--seeds", type=numbers, default=[1, 2, 3], help="1..3 or 1,2,5; default: 1..3")
    p.add_argument("--threads", type=int, default=1, help="of each run; default: 1")
    p.add_argument("--list", action="store_true", help="print the runs and stop")
    return p


def program(args, name):
    """The path of fighter-forecast or fighter-classify."""
    return str(pathlib.Path(args.build) / "programs" / f"fighter-{name}")


def example(args, name):
    return str(pathlib.Path(args.build) / "examples" / name)


def execute(words):
    """The JSON object of a program that must succeed, the seconds of processor that it took, and its MB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(words, stdout=out, stderr=err)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, err):
            file.seek(0)
        if child.returncode:
            sys.exit(f'{" ".join(words)}: status {child.returncode}\n{err.read().decode()}')
        return json.loads(out.read()), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def campaign(args, runs, perform, write):
    """Performs what is not finished, one after another, and writes the tables behind each."""
    found = {(one["set"], one["options"], one["threads"]): one for one in read(args.results)}
    for run in runs:
        at = key(run, args.threads)
        print(f'{run.label}, seed {run.seed}: {"done" if at in found else run.options}', file=sys.stderr,
              flush=True)
        if at in found or args.list:
            continue
        begin = time.perf_counter()
        one = perform(args, run)
        if not one:
            continue
        found[at] = one | {"set": at[0], "options": at[1], "threads": at[2], "commit": commit(),
                           "machine": machine(), "seconds": time.perf_counter() - begin}
        add(args.results, found[at])
        write(args, found)
    if not args.list:
        print(write(args, found))
