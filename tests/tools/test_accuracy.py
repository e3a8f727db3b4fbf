#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the program promises on ETTh1 with its defaults: usage test_accuracy.py FORECAST DATA_FOLDER

FGT_DATA, if set, names the folder (or the file) instead. Exit status 77 (skipped) without the data.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

COMMAND = ('--split etth --input 96 --pred 96 --model fighter --hops 3 --tokens patch --revin --epochs 10 '
           '--seed 1 --json').split()
# Published at this look-back: iTransformer 0.386, PatchTST 0.414; repeating the last value has 1.295.
MSE, MAE, WINDOWS, NAIVE = 0.385, 0.405, 2785, 1.295
SECONDS = 180


def main(program, folder):
    place = Path(os.environ.get('FGT_DATA', folder))
    path = place if place.is_file() else place / 'ETTh1.csv'
    if not path.exists():
        print(f'SKIP: no {path} (FGT_DATA names the folder)')
        return 77
    done = subprocess.run([Path(program).resolve(), '--data', path, *COMMAND], capture_output=True, text=True,
                          timeout=SECONDS, check=True)
    got = json.loads(done.stdout)
    print(json.dumps(got))
    good = (got['test_mse'] <= MSE and got['test_mae'] <= MAE and got['test_windows'] == WINDOWS and
            abs(got['naive_mse'] - NAIVE) < 0.001 and got['test_mse'] < got['linear_mse'])
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
