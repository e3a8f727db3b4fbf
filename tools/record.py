# SPDX-License-Identifier: BSD-3-Clause
"""What the tools that measure share: finished runs, a line of JSON each, and where they were made."""
import json
import os
import pathlib
import platform
import re
import subprocess


def machine():
    """The processor's name."""
    try:
        names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        names = []
    return names[0] if names else platform.machine()


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
