#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which tests reach a source: runs each C test of a build by tools/coverage.sh, and writes a table.

A row has the tests that reach the most lines of a source, with the share of its lines that each reaches.
usage: reach.py [--most N] [--only NAME,...] BUILD [OUT]     BUILD is build-coverage, OUT tests/reach.md"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = '''# Which tests reach a source

`python3 tests/tools/reach.py build-coverage` writes this page. A row has the tests that reach the most lines
of a source, with the percentage of its lines that each one reaches. Scripts that run the programs reach more.

| source | lines | tests |
|---|---:|---|
'''


def tests_of(build, only):
    """(name, command, environment) of each C test of the suite "unit"."""
    told = subprocess.run(['meson', 'introspect', '--tests', str(build)], capture_output=True, check=True)
    for test in json.loads(told.stdout):
        program = Path(test['cmd'][0])
        unit = any(suite.endswith('unit') for suite in test['suite'])
        if unit and program.parent.name == 'tests' and (not only or test['name'] in only):
            yield test['name'], test['cmd'], test['env']


def lines_of(command, env, folder):
    """{source: (reached, lines)} of one test, and whether it passed."""
    profile = Path(folder) / 'profile'
    for old in profile.glob('*'):
        old.unlink()
    env = {**os.environ, **env, 'LLVM_PROFILE_FILE': f'{profile}/%m.profraw'}
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True)
    merged = Path(folder) / 'merged'
    subprocess.run(['llvm-profdata', 'merge', '-sparse', '-failure-mode=all', '-o', str(merged),
                    *map(str, profile.glob('*'))], check=True)
    told = subprocess.run(['llvm-cov', 'export', '-summary-only', '-instr-profile', str(merged), command[0]],
                          capture_output=True, check=True)
    found = {}
    for data in json.loads(told.stdout)['data']:
        for file in data['files']:
            source = re.search(r'/(lib/[\w/]+\.c)$', os.path.normpath(file['filename']))
            lines = file['summary']['lines']
            if source and lines['count']:
                found[source[1]] = (lines['covered'], lines['count'])
    return found, done.returncode in (0, 77)


def table(reached, counts, most):
    """The rows of the page; a source that no test reaches has an empty cell."""
    for source in sorted(counts):
        best = sorted(reached.get(source, []), key=lambda one: (-one[0], one[1]))[:most]
        cell = ', '.join(f'{name} {100 * lines // counts[source]}' for lines, name in best)
        yield f'| `{source}` | {counts[source]} | {cell} |'


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1])
    parser.add_argument('--most', type=int, default=4)
    parser.add_argument('--only', default='')
    parser.add_argument('build', type=Path)
    parser.add_argument('out', type=Path, nargs='?', default=ROOT / 'tests' / 'reach.md')
    args = parser.parse_args()
    reached, counts, bad = {}, {}, 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / 'profile').mkdir()
        for name, command, env in tests_of(args.build.resolve(), set(filter(None, args.only.split(',')))):
            found, passed = lines_of(command, env, folder)
            print(f'{name}: {sum(lines > 0 for lines, _ in found.values())} sources', file=sys.stderr)
            bad += not passed
            for source, (lines, count) in found.items():
                counts[source] = max(count, counts.get(source, 0))
                if lines:
                    reached.setdefault(source, []).append((lines, name))
    if not counts:
        sys.exit(f'{args.build}: no test of it has a profile; tools/coverage.sh makes such a build')
    args.out.write_text(HEAD + '\n'.join(table(reached, counts, args.most)) + '\n')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
