#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the programs promise with their defaults: usage test_accuracy.py PROGRAM DATA_FOLDER

forecast on ETTh1, classify on AG News, by the name of the program. FGT_DATA, if set, names the folder
instead. Exit status 77 (skipped) without the data.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FORECAST = ('--split etth --input 96 --pred 96 --model fighter --hops 3 --tokens patch --revin --epochs 10 '
            '--seed 1 --json').split()
CLASSIFY = '--seed 1 --json'.split()
# Published at this look-back: iTransformer 0.386, PatchTST 0.414; repeating the last value has 1.295.
MSE, MAE, WINDOWS, NAIVE = 0.385, 0.405, 2785, 1.295
# fastText with pairs of words: 0.904. A seed more or less moves the accuracy by 0.001.
ACCURACY, TEXTS = 0.903, 7600
SECONDS = 180


def good_forecast(got):
    return (got['test_mse'] <= MSE and got['test_mae'] <= MAE and got['test_windows'] == WINDOWS and
            abs(got['naive_mse'] - NAIVE) < 0.001 and got['test_mse'] < got['linear_mse'])


def good_classify(got):
    return got['test_accuracy'] >= ACCURACY and got['test_samples'] == TEXTS


# options that take the files; the files; further options; what must hold
PROMISES = {
    'forecast': (['--data'], ['ETTh1.csv'], FORECAST, good_forecast),
    'classify': (['--train', '--test'], ['ag_news_train_subset.csv.gz', 'ag_news_test.csv.gz'], CLASSIFY,
                 good_classify),
}


def main(program, folder):
    program = Path(program).resolve()
    names, files, options, good = PROMISES[program.stem.removeprefix('fighter-')]
    place = Path(os.environ.get('FGT_DATA', folder))
    command = [program, *options]
    for name, file in zip(names, files):
        path = place / file
        if not path.exists():
            print(f'SKIP: no {path} (FGT_DATA names the folder)')
            return 77
        command += [name, path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    got = json.loads(done.stdout)
    print(json.dumps(got))
    return 0 if good(got) else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
