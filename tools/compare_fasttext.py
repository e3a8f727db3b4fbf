#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Classifies the same texts with fastText and with classify, and prints a table of both in Markdown.

usage: compare_fasttext.py CLASSIFY TRAIN TEST [--fasttext PROGRAM] [--seeds 1 2 3] [--threads N]
       [--only PATTERN]
       compare_fasttext.py TEXT TRAIN TEST --commands [--several] [--tuned "OPTIONS"] [--cutoff N] ...

TRAIN and TEST are CSV files of class, title, description, gzip-compressed or not. Both programs see the same
words: fastText gets texts that are normalised and cut into words as the library does it. Seconds are those
of the whole training command, reading included; one run after another.

With --commands the program is fighter-text, TRAIN and TEST may also be files of lines "__label__x text", and
both programs run the same commands on the same prepared texts: with their defaults, fastText also with
--tuned, and quantized with --cutoff. Seconds are processor time. With --several a text has several labels,
which are learned one-vs-all, and predicted from a probability of 0.5 on; the measures are their F1, precision
and recall.
"""

import argparse
import csv
import gzip
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

# Of epochs and rates from 3 to 5 and from 0.1 to 0.5 the best on a fifth of AG News's training rows.
FASTTEXT = '-wordNgrams 2 -dim 32 -epoch 5 -lr 0.25 -verbose 0'.split()
# The best of two dozen on fifths of the training rows; so it needs no share for stopping any more.
BEST = ('--dim 64 --punctuation --max-tokens 160 --buckets 0 --prefix 4 --pretrain 3 --dropout 0.7 '
        '--epochs 3 --validation 0').split()
CASES = [
    ('fastText, pairs of words', 'fasttext', []),
    ('fastText, pairs of words, punctuation', 'fasttext', ['--punctuation']),
    ('classify, defaults', 'classify', []),
    (f'classify {" ".join(BEST)}', 'classify', BEST),
    ('classify, the same and --members 3', 'classify', [*BEST, '--members', '3']),
]


def words(text, punctuation):
    """NFKC_Casefold but for its invisible characters, then runs of letters and digits."""
    text = re.sub(r'\\(n(?![a-z]))?', ' ', text)
    text = unicodedata.normalize('NFKC', unicodedata.normalize('NFKC', text).casefold())
    return re.findall(r'[^\W_]+|[^\w\s]|_' if punctuation else r'[^\W_]+', text)


def convert(source, target, punctuation):
    reader = gzip.open if source.suffix == '.gz' else open
    with reader(source, 'rt', encoding='utf-8', errors='replace', newline='') as rows, \
            open(target, 'w', encoding='utf-8') as out:
        for row in csv.reader(rows):
            print(f'__label__{row[0]}', *words(' '.join(row[1:]), punctuation), file=out)


def prepare(source, target):
    """Lines of labels, and of words that all programs see alike."""
    if source.suffix != '.gz' and source.read_text(encoding='utf-8').startswith('__label__'):
        with open(target, 'w', encoding='utf-8') as out:
            for line in source.read_text(encoding='utf-8').splitlines():
                labels = re.match(r'(__label__\S+\s+)+', line).group(0)
                print(*labels.split(), *words(line[len(labels):], True), file=out)
    else:
        convert(source, target, True)


def spent(command):
    """What a command prints, and the processor time that it takes."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    out, _ = timed(command)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, end.ru_utime - begin.ru_utime + end.ru_stime - begin.ru_stime


def measure_model(program, model, test, several):
    """The share of right labels, or F1, precision and recall of several, from the printed labels."""
    limits = [-1, 0.5] if several else []
    out, seconds = spent([program, 'predict', model, test, *limits])
    right = found = given = 0
    for predicted, line in zip(out.splitlines(), test.read_text(encoding='utf-8').splitlines()):
        truth = {word for word in line.split() if word.startswith('__label__')}
        got = predicted.split()
        right += len(truth.intersection(got))
        found += len(got)
        given += len(truth)
    measures = [2 * right / (found + given)] + ([right / found, right / given] if several else [])
    return *measures, seconds, model.stat().st_size


def run_commands(args, folder, title, program, options, small):
    loss = ['-loss', 'ova'] if args.several else []
    common = ['-input', folder / 'train', '-output', folder / 'model', '-thread', args.threads, '-verbose', 0]
    got, few = [], []
    for seed in args.seeds:
        _, seconds = spent([program, 'supervised', *common, '-seed', seed, *loss, *options])
        got.append((*measure_model(program, folder / 'model.bin', folder / 'test', args.several), seconds))
        if small and args.cutoff:
            _, more = spent([program, 'quantize', *common, '-cutoff', args.cutoff, '-retrain', *small])
            few.append((*measure_model(program, folder / 'model.ftz', folder / 'test', args.several),
                        seconds + more))
    print_commands(title, got)
    if few:
        print_commands(f'the same, quantized, cutoff {args.cutoff}', few)


def print_commands(title, got):
    *measures, predict, size, train = (sum(of) / len(got) for of in zip(*got))
    values = ' | '.join(f'{m:.4f}' for m in measures)
    print(f'| {title} | {values} | {train:.1f} | {predict:.2f} | {size / 1e6:.2f} |', flush=True)


def compare_commands(args):
    measures = ['F1', 'precision', 'recall'] if args.several else ['accuracy']
    print(f'| program | {" | ".join(measures)} | training, s | prediction, s | model, MB |')
    print('|---|' + '---:|' * (len(measures) + 3))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(args.train, folder / 'train')
        prepare(args.test, folder / 'test')
        run_commands(args, folder, 'fastText', args.fasttext, [], [])
        run_commands(args, folder, f'fastText {args.tuned}', args.fasttext, args.tuned.split(), ['-qnorm'])
        run_commands(args, folder, 'fighter-text', args.classify, [], ['-lr', 5e-4])


def timed(command):
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f'compare_fasttext: {command[0]}: status {done.returncode}: {done.stderr.strip()}')
    return done.stdout, time.monotonic() - begin


def run_fasttext(args, folder, options, seed):
    punctuation = '--punctuation' in options
    files = [folder / f'{name}-{punctuation}.txt' for name in ('train', 'test')]
    for source, target in zip((args.train, args.test), files):
        if not target.exists():
            convert(source, target, punctuation)
    _, seconds = timed([args.fasttext, 'supervised', '-input', files[0], '-output', folder / 'model',
                        *FASTTEXT, '-thread', args.threads, '-seed', seed])
    # its own summary has three digits
    labels, _ = timed([args.fasttext, 'predict', folder / 'model.bin', files[1]])
    truth = [line.split(' ', 1)[0].strip() for line in files[1].read_text(encoding='utf-8').splitlines()]
    return sum(a == b for a, b in zip(labels.split(), truth)) / len(truth), seconds


def run_classify(args, folder, options, seed):
    model = folder / 'model.safetensors'
    _, seconds = timed([args.classify, '--train', args.train, '--threads', args.threads, '--seed', seed,
                        *options, '--save', model, '--json'])
    measured, _ = timed([args.classify, '--load', model, '--test', args.test, '--json'])
    return json.loads(measured)['test_accuracy'], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('classify', type=lambda p: Path(p).resolve())
    parser.add_argument('train', type=Path)
    parser.add_argument('test', type=Path)
    parser.add_argument('--fasttext', default='fasttext', help='the program')
    parser.add_argument('--seeds', type=int, nargs='+', default=[1, 2, 3])
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--only', default='', metavar='PATTERN', help='rows whose name matches')
    parser.add_argument('--commands', action='store_true', help='compare fighter-text')
    parser.add_argument('--several', action='store_true', help='several labels a text')
    parser.add_argument('--tuned', default='-wordNgrams 2', metavar='OPTIONS', help="fastText's")
    parser.add_argument('--cutoff', type=int, default=13000, help='0: no quantized models')
    args = parser.parse_args()
    if args.commands:
        compare_commands(args)
        return
    print('| program | ' + ' | '.join(f'seed {seed}' for seed in args.seeds) + ' | mean | seconds |')
    print('|---|' + '---:|' * (len(args.seeds) + 2))
    with tempfile.TemporaryDirectory() as name:
        for title, program, options in CASES:
            if not re.search(args.only, title):
                continue
            run = run_fasttext if program == 'fasttext' else run_classify
            got = [run(args, Path(name), options, seed) for seed in args.seeds]
            cells = [f'{accuracy:.4f}' for accuracy, _ in got]
            cells.append(f'{sum(a for a, _ in got) / len(got):.4f}')
            cells.append(f'{sum(s for _, s in got) / len(got):.1f}')
            print(f'| {title} | ' + ' | '.join(cells) + ' |', flush=True)


if __name__ == '__main__':
    main()
