#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Choosing samples by groups and by losses in excess of a reference, in both programs: usage
test_selection.py FORECAST SERIES.py [CLASSIFY]
"""

import math
import sys
import tempfile
from pathlib import Path

import test_classify
from test_classify import Classify, write_corpus
from test_forecast import ROWS, SMALL, Forecast, check, failures, write_series

HALF = ['--ratio', 'fixed', '--share', 0.5, '--interval', 'fixed']
MODEL = ['--input', 24, '--pred', 12]
TRAIN = 200


def test_reference_of_windows(f):
    """The mean reference is the error of the linear model, measured on the training windows as a test."""
    rest = (ROWS - TRAIN) // 2
    linear = ['--revin', '--calendar', 'none', '--allow-negative', '--no-baselines']
    split = ['--split', f'rows:{TRAIN},{rest},{rest}', '--allow-negative']
    f.measured(*MODEL, '--model', 'linear', *linear, *split, '--save', 'linear.st',
               '--holdout')
    train = f.measured('--load', 'linear.st', '--split', f'rows:{MODEL[1]},0,{TRAIN - MODEL[1]}',
                       '--no-baselines')
    got = f.measured('--attent', 'hard', '--excess', *HALF, *split)
    check('as many windows', train['test_windows'] == got['train_windows'], (train, got))
    check('the reference', abs(got['reference_loss'] / train['test_mse'] - 1) < 1e-5,
          (got['reference_loss'], train['test_mse']))


def test_excess_of_windows(f):
    """Other windows than by losses, the same ones for any number of threads; without the map, too."""
    epochs = ['--epochs', 3, '--patience', -1]
    for how in ('soft', 'hard', 'infobatch'):
        for more in ([], ['--no-linear']):
            options = ['--attent', how, *([] if how == 'infobatch' else HALF), *epochs, *more]
            plain, got = f.measured(*options), f.measured(*options, '--excess')
            check(f'--excess {how} {more}', got['weights_hash'] != plain['weights_hash'], got)
            check(f'--excess {how} {more}: told', got['reference_loss'] > 0 and
                  plain['reference_loss'] is None, got)
    one, two = (f.measured('--attent', 'soft', '--excess', *HALF, '--threads', n) for n in (1, 2))
    check('--excess: threads', one['weights_hash'] == two['weights_hash'] and
          one['reference_loss'] == two['reference_loss'], (one, two))


def test_series(f):
    """GradNorm by the series that varies most draws other windows than by each window."""
    epochs = ['--attent', 'gradnorm', *HALF, '--epochs', 3, '--patience', -1]
    plain, got = f.measured(*epochs), f.measured(*epochs, '--by-group')
    check('--by-group', got['by_group'] and not plain['by_group'] and
          got['weights_hash'] != plain['weights_hash'], got)
    check('--by-group', got['samples_backpropagated'] == plain['samples_backpropagated'], (got, plain))


def test_refused(f):
    data = ['--data', 'series.csv', *SMALL]
    soft = [*data, '--attent', 'soft', '--excess']
    for how in ('random', 'gradnorm', 'class-weight', 'none'):
        f.refused(f'--excess {how}', ['--excess', 'soft, hard and infobatch'], *data, '--attent', how,
                  '--excess')
    f.refused('--excess proportional', ['below 0', '--soft-weights'], *soft, '--soft-weights', 'proportional')
    f.refused('--excess of patches', ['--excess', 'pretraining'], *soft, '--pretrain-masked', 1,
              '--attent-in', 'pretraining')
    for more in (['--loss', 'mae'], ['--spectral', 0.5], ['--quantiles', '0.1,0.9']):
        f.refused(f'--excess {more}', ['--excess', '--loss mse'], *soft, *more)
    f.measured('--save', 'base.st')
    f.refused('--excess of a model', ['--excess', '--load'], '--data', 'series.csv', '--load', 'base.st',
              '--adapt', 'a.lora', '--attent', 'soft', '--excess')
    for how in ('soft', 'class-weight', 'none'):
        f.refused(f'--by-group {how}', ['--by-group', 'gradnorm'], *data, '--attent', how, '--by-group')
    f.refused('one series', ['--by-group', 'series.csv has one'], *data, '--attent', 'gradnorm', '--by-group',
              '--target', 'OT')


def test_texts(c):
    """Classes of equal size have equal references, which change nothing; others change the choice."""
    even, uneven = ['--validation', 0], ['--validation', 0, '--train', 'uneven.csv']
    lines = (c.directory / 'train.csv').read_text().splitlines(keepends=True)
    (c.directory / 'uneven.csv').write_text(''.join(
        line for i, line in enumerate(lines) if line.startswith('"1"') or i % 4 == 0))
    classes = [line.split('"')[1] for line in (c.directory / 'uneven.csv').read_text().splitlines()]
    share = [classes.count(k) / len(classes) for k in set(classes)]
    check('the classes are uneven', max(share) > 2 * min(share), share)
    for how in ('soft', 'hard'):
        options = ['--attent', how, *HALF, '--epochs', 3, '--patience', -1]
        plain, got = c.trained(*even, *options), c.trained(*even, *options, '--excess')
        check(f'--excess {how}: even', got['weights_hash'] == plain['weights_hash'], got)
        check(f'--excess {how}: even', abs(got['reference_loss'] - math.log(3)) < 1e-6, got)
        plain, got = c.trained(*uneven, *options), c.trained(*uneven, *options, '--excess')
        check(f'--excess {how}: uneven', got['weights_hash'] != plain['weights_hash'], got)
        check(f'--excess {how}: uneven', plain['reference_loss'] is None and
              abs(got['reference_loss'] + sum(p * math.log(p) for p in share)) < 1e-6, (got, share))
    options = [*uneven, '--attent', 'gradnorm', *HALF, '--epochs', 3, '--patience', -1]
    plain, got = c.trained(*options), c.trained(*options, '--by-group')
    check('--by-group', got['by_group'] and got['weights_hash'] != plain['weights_hash'], got)
    data = ['--train', 'train.csv', '--test', 'test.csv', *test_classify.SMALL]
    c.refused('--excess', ['--excess', 'soft, hard and infobatch'], *data, '--excess')
    c.refused('--excess of words', ['--excess', 'both'], *data, '--pretrain-masked', 1, '--attent', 'soft',
              '--excess', '--attent-in', 'both')
    c.refused('--by-group', ['--by-group', 'gradnorm'], *data, '--attent', 'hard', '--by-group')


def main(forecast, script, classify=None):
    with tempfile.TemporaryDirectory() as directory:
        f = Forecast(forecast, Path(directory))
        write_series(script, f.directory)
        test_reference_of_windows(f)
        test_excess_of_windows(f)
        test_series(f)
        test_refused(f)
        if classify:
            c = Classify(classify, Path(directory))
            write_corpus(c.directory)
            test_texts(c)
    failed = failures + test_classify.failures
    print(f'{len(failed)} failures')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
