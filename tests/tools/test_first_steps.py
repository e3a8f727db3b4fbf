#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The three commands with which README and series.md begin, as written there, with one epoch of training:
usage test_first_steps.py FORECAST SOURCE_DIR
"""

import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

failures = []


def check(name, good, detail=''):
    if not good:
        failures.append(name)
        print(f'FAIL {name}: {detail}')


def commands(page, program, source):
    """The lines of the block that follows "in three commands", for a shell."""
    text = page.read_text().split('three commands', 1)[1]
    block = re.search(r'\n\n((?:    .*\n)+)', text).group(1)
    block = re.sub(r'^    (build/programs/)?fighter-forecast ', f'{program} ', block, flags=re.M)
    return block.replace('tools/', f'{source}/tools/').replace('--pred 48', '--pred 48 --epochs 1')


def check_forecast(name, path):
    with open(path, newline='', encoding='ascii') as file:
        rows = list(csv.DictReader(file))
    check(name, len(rows) == 48, f'{len(rows)} rows')
    check(name, [rows[0]['time'], rows[-1]['time']] == ['2025-12-29 00:00', '2025-12-30 23:00'], rows[0])
    for row in rows:
        low, wide_low = float(row['sales-lo-80']), float(row['sales-lo-95'])
        high, wide_high = float(row['sales-hi-80']), float(row['sales-hi-95'])
        check(name, wide_low <= low <= high <= wide_high, row)


def main(program, source):
    for page in ('README.md', 'docs/series.md'):
        lines = commands(Path(source) / page, Path(program).resolve(), source)
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run(['sh', '-euc', lines], cwd=directory, capture_output=True, text=True,
                                  timeout=280, check=False)
            check(page, done.returncode == 0, done.stderr)
            check(page, 'the model knows the time of the day, day of the week' in done.stdout, done.stdout)
            if done.returncode == 0:
                check_forecast(page, Path(directory) / 'next.csv')
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
