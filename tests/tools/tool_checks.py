# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of tools/compare_*.py share, and those of the programs."""

import contextlib
import io
import signal
import subprocess

failures = []


def check(what, good, got=None):
    if not good:
        failures.append(what)
        print(f'FAIL {what}: {got}')


def defaults(options, args):
    """The options that args do not give themselves, with their values."""
    kept, keep = [], True
    for word in options:
        if str(word).startswith('--'):
            keep = word not in args
        kept += [word] if keep else []
    return kept


def interrupt(command, directory, words, times=1):
    """Sends SIGINT when a line of the standard error has the words for the n-th time. What came of it: the
    status and both outputs, the second one from there on."""
    with subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as p:
        for line in p.stderr:
            times -= words in line
            if not times:
                break
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
    return p.returncode, out, err


def run_tool(tool, *options):
    """What a tool writes to its outputs."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        tool.main([str(o) for o in options])
    return out.getvalue(), err.getvalue()
