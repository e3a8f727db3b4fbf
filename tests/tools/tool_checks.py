# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of tools/compare_*.py share."""

import contextlib
import io

failures = []


def check(what, good, got=None):
    if not good:
        failures.append(what)
        print(f'FAIL {what}: {got}')


def run_tool(tool, *options):
    """What a tool writes to its outputs."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        tool.main([str(o) for o in options])
    return out.getvalue(), err.getvalue()
