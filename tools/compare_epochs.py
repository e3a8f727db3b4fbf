#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/results/papers.md by epoch: figure 4 and table 5 of the Fighter paper, again, on a
part of AG News.

One run of 100 epochs is interrupted after epochs 25, 50 and 75, measured on all test texts, and resumed,
which does not change it. Each result is kept as a line of JSON, so that what is finished is not run again."""

import csv
import gzip
import itertools
import json
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import marked
import record

TEXTS, STOPS = 5000, (25, 50, 75, 100)
FILES = 'ag_news_train_subset.csv.gz', 'ag_news_test.csv.gz'
SYSTEMS = ('transformer', *(f'fighter {k}' for k in (1, 2, 3, 4, 6, 8)))
ATTENTION = 'diagonal', 'diagonal_expected', 'distance', 'entropy_normalised', 'rank_one'
# As the paper's settings of compare_papers.py. Without validation the model is that of the last epoch.
OPTIONS = '--dim 64 --layers 1 --batch 32 --patience -1 --ngrams 1 --validation 0'


class Run(NamedTuple):
    """One training."""
    data: str
    system: str  # a block, and kappa of fighter
    options: str
    seed: int

    @property
    def label(self):
        return f'{self.data} {self.system}'


def runs(args):
    for seed, system in itertools.product(args.seeds, SYSTEMS):
        name, _, kappa = system.partition(' ')
        parts = ['--model', name, *(['--hops', kappa] if kappa else []), OPTIONS, f'--epochs {STOPS[-1]}']
        yield Run(f'AG News, {TEXTS:,} texts, by epoch', system, ' '.join(parts), seed)


# ---- running ----

def first_texts(path, count, to):
    with gzip.open(path, 'rt', encoding='utf-8') as texts:
        to.write_text(''.join(itertools.islice(texts, count)), encoding='utf-8')


def train_to(words, stop):
    """The JSON object of a run that ends after an epoch, and the training losses of the epochs it has run."""
    losses = []
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(words, stdout=out, stderr=subprocess.PIPE, text=True)
        said = []
        for line in child.stderr:
            said.append(line)
            epoch = re.search(r'epoch +(\d+)/(\d+)  loss (\S+)', line)
            if epoch:
                losses.append(float(epoch[3]))
            if epoch and int(epoch[1]) == stop < int(epoch[2]):
                child.send_signal(signal.SIGINT)
        if child.wait() not in (0, 128 + signal.SIGINT):
            sys.exit(f'{" ".join(words)}: status {child.returncode}\n{"".join(said)}')
        out.seek(0)
        return json.load(out), losses


def attention_of(args, model, texts):
    """Means of what examples/18_measures.c prints on the attention of 32 texts."""
    done = subprocess.run([record.example(args, 'measures'), model, texts], stdout=subprocess.PIPE, text=True,
                          check=True)
    return {row['statistic']: float(row['value']) for row in csv.DictReader(done.stdout.splitlines())
            if row['power'] == '1' and row['statistic'] in ATTENTION}


def perform(args, run):
    accuracies, attention, losses, data = [], [], [], Path(args.data)
    with tempfile.TemporaryDirectory() as name:
        texts, checkpoint, model = (Path(name) / file for file in ('texts.csv', 'checkpoint', 'model'))
        first_texts(data / FILES[0], TEXTS, texts)
        words = [record.program(args, 'classify'), '--train', str(texts), '--test', str(data / FILES[1]),
                 *run.options.split(), '--seed', str(run.seed), '--threads', str(args.threads), '--json',
                 '--checkpoint', str(checkpoint), '--save', str(model)]
        for stop in STOPS:
            resume = ['--resume', str(checkpoint)] if checkpoint.exists() else []
            got, more = train_to(words + resume, stop)
            losses += more[:stop - len(losses)]
            accuracies.append(got['test_accuracy'])
            attention.append(attention_of(args, model, data / FILES[1]))
            if got['epochs_run'] != stop or len(losses) != stop:
                sys.exit(f'{run.label}: {got["epochs_run"]} epochs and {len(losses)} losses, need {stop}')
    return {'accuracies': accuracies, 'attention': attention, 'losses': losses, 'seed': run.seed,
            'parameters': got['parameters']}


# ---- tables ----

def spread(values, digits):
    more = f' +- {statistics.stdev(values):.{digits}f}' if len(values) > 1 else ''
    return f'{statistics.mean(values):.{digits}f}{more}'


def by_epoch(systems, named, digits, value):
    """A table of one figure after each of the epochs: value(result, number of the epoch)."""
    head = [named, *(f'{stop} epochs' for stop in STOPS), 'seeds']
    return marked.table(head, [
        [system, *(spread([value(one, i) for one in ones], digits) for i in range(len(STOPS))),
         ', '.join(str(one['seed']) for one in ones)] for system, ones in systems.items()])


def tables(systems):
    yield from by_epoch(systems, 'accuracy', 4, lambda one, i: one['accuracies'][i])
    yield from by_epoch(systems, 'training loss', 3, lambda one, i: one['losses'][STOPS[i] - 1])
    yield from by_epoch(systems, 'diagonal of A', 2, lambda one, i: one['attention'][i]['diagonal']
                        / one['attention'][i]['diagonal_expected'])
    yield from by_epoch(systems, 'evenness of A', 3, lambda one, i: one['attention'][i]['entropy_normalised'])


BOTTOM = """    tools/compare_epochs.py --out docs/results/papers.md

The options are `{options}`. Threads: {threads}. Processor: {machine}. Source: {commit}."""


def write(args, found):
    systems = {}
    for run in runs(args):
        one = found.get(record.key(run, args.threads))
        if one:
            systems.setdefault(run.system, []).append(one)
    if not systems:
        return ''
    ones = [one for these in systems.values() for one in these]
    each = lambda key: ', '.join(sorted({str(one[key]) for one in ones}))
    text = [*tables(systems),
            BOTTOM.format(options=f'{OPTIONS} --epochs {STOPS[-1]}', threads=each('threads'),
                          machine=each('machine'), commit=each('commit'))]
    if args.out:
        marked.write(args.out, 'epochs', text)
    return '\n'.join(text)


def main(arguments=None):
    args = record.arguments(__doc__, 'docs/results/papers.jsonl', 'SET SYSTEM').parse_args(arguments)
    record.campaign(args, (run for run in runs(args) if re.search(args.only, run.label)), perform, write)


if __name__ == '__main__':
    main()
