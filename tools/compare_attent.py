#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of AtteNT: which samples, how many, for how long, and what that saves.

AG News with the classify program and ETTm1, 96 rows to 96, with forecast: all samples, then every strategy
with every ratio and interval schedule of the library's own (not those of the paper's authors, which see more
samples), the methods that it is compared with, and soft selection by the losses of the training passes; on
6000 texts and four months, the schedule of the authors' program (table 3 of the paper), fixed shares (table
7) and the methods of table 8, beside all samples in as many passes; once more, on ETTm1, all samples
beside the soft selection that other seeds chose on validation samples; on ETTm1 and Weather, all windows
beside a random half and thinned epochs; on MNIST, pre-training by hidden patches, and fine-tuning of all
weights and of adapters. One process a run, one after another, because times would mean nothing otherwise.
Each result is kept as a line of JSON, so that what is finished is not run again; a run is known by its set,
options and threads.

Runs have a fixed number of epochs, so that every schedule runs to its end, and keep the weights of the epoch
that is best on validation samples; beside them stands the training with all samples as the programs do it,
with their numbers of epochs and their early end. Seconds are those of training, scoring and validation
included."""

import argparse
import gzip
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import record

STRATEGIES = ('random', 'hard', 'soft')
INTERVALS = ('fixed', 'incremental')
# 70 % of the samples, as in table 8 of the paper; easy groups weigh half as much as others
BUDGET = '--ratio fixed --interval fixed'
# AG News: world, sports, business, science; sports is the easy one. Windows: calm, middling, lively
WEIGHTS = {'AG News': '2,1,2,2', 'ETTm1': '1,2,2'}

ETTM1 = {
    'program': 'forecast',
    'data': '--data {data}/ETTm1.csv --split ettm',
    # only the layers, without the other parts of a forecaster
    'options': '--input 96 --pred 96 --revin --calendar none --no-linear --average 0 --no-baselines '
               '--epochs {epochs} --patience -1',
    'epochs': 5,
    'all': '--attent none --thin 1',
    'default': '--epochs 10 --patience 3',
    'figure': 'test_mse', 'name': 'test MSE', 'digits': 4,
}

# chosen: the schedule that kept the figure on validation samples at the least time; mild: the soft selection
# with the lowest loss on validation samples of those that take 0.72 of the time of all samples:
# docs/results/programs.md
SETS = {
    'AG News': {
        'program': 'classify',
        'data': '--train {data}/ag_news_train_subset.csv.gz --test {data}/ag_news_test.csv.gz',
        'options': '--dim 64 --buckets 65536 --epochs {epochs} --patience -1', 'epochs': 3,
        'default': '--epochs 2 --patience 2',
        'chosen': ('simple to 0.4, 2 epochs', '--ratio simple --share 0.4 --epochs 2'),
        'figure': 'test_accuracy', 'name': 'test accuracy', 'digits': 4,
    },
    'ETTm1': {**ETTM1, 'chosen': ('0.3 to 0.9', '--share-start 0.3 --share-end 0.9')},
    'ETTm1, chosen': {
        **ETTM1,
        'mild': (('soft, temperature 4, scores of training', 'fixed at 0.55, 6 epochs', 'fixed'),
                 '--ratio fixed --share 0.55 --temperature 4 --epochs 6'),
    },
}

# Windows of series overlap: a random half of them, and one in four in batches of a quarter of the size
HALF = '--attent random --ratio fixed --share 0.5 --interval fixed'
ALONE = {
    **ETTM1,
    'options': ETTM1['options'].replace('--no-linear', '--no-linear --no-profile'),
    'seconds': 'train_cpu_seconds',
    'rows': ((('all samples', '-', '-'), '--thin 1'), (('random', '0.5', 'fixed'), HALF),
             (('one in four, small batches', '0.25, 10 epochs', 'fixed'), '--thin 4 --epochs 10')),
}
USUAL = {
    **ALONE,
    'options': '--input 96 --pred 96 --no-baselines', 'epochs': 10,
    'rows': ((('all samples', '-', '-'), '--thin 1'), (('random', '0.5', 'fixed'), HALF),
             (('one in four, small batches', '0.25', 'fixed'), '--thin 4')),
}
WEATHER = {'data': '--data {data}/weather.csv.gz --repair all --missing-value -9999 --missing mask'}
SETS |= {'ETTm1, thinned': ALONE, 'Weather, thinned': {**ALONE, **WEATHER},
         'ETTm1, thinned, by default': USUAL, 'Weather, thinned, by default': {**USUAL, **WEATHER}}

# The schedule of the authors' program (attent.h) for few epochs: one of all samples, then five parts of two,
# each of which begins with an interval of chosen samples. Its soft selection draws and scores anew in every
# epoch. "fixed": all intervals have one epoch; "incremental": they grow from one to two.
CYCLES = '--interval cycles --cycles 5 --interval-epochs 1 --interval-end {end}'
LENGTHS = {'fixed': 1, 'incremental': 2}
FRESH = {'soft': '--redraw --rescore', 'hard': '', 'random': '--redraw'}
FEWER = (('all samples', '{} epochs', '-'), '--epochs {}')


def cyclic(how, ratio, interval):
    return ((how, ratio, f'cycles, {interval}'),
            f'--attent {how} --ratio {ratio} {CYCLES.format(end=LENGTHS[interval])} {FRESH[how]}')


def fewer(epochs):
    """All samples in fewer epochs: a measure for those that leave out samples in each."""
    return tuple(text.format(epochs) for text in FEWER[0]), FEWER[1].format(epochs)


def budgets(groups, weights):
    """Tables 3, 7 and 8 of the paper, each beside all samples in as many passes."""
    yield ('all samples', '-', '-'), ''
    for epochs in (8, 5, 4):
        yield fewer(epochs)
    for ratio, interval in itertools.product(('cosine', 'incremental'), INTERVALS):
        for how in STRATEGIES:
            yield cyclic(how, ratio, interval)
    for how in STRATEGIES:
        yield (how, 'incremental', 'incremental'), f'--attent {how}'
    for share, how in itertools.product((0.7, 0.4), STRATEGIES):
        yield (how, f'{share}', 'fixed'), f'--attent {how} {BUDGET} --share {share}'
    yield ('soft, scores of training', '0.7', 'fixed'), f'--attent soft {BUDGET} --scores training'
    yield ('class-weight', '0.7', 'fixed'), f'--attent class-weight {BUDGET}'
    yield ('fixed-weight', '0.7', 'fixed'), f'--attent fixed-weight --group-weights {weights} {BUDGET}'
    yield ('gradnorm', '0.7', 'fixed'), f'--attent gradnorm {BUDGET}'
    yield (f'gradnorm, by {groups}', '0.7', 'fixed'), f'--attent gradnorm --by-group {BUDGET}'
    yield ('infobatch', 'own', 'every epoch'), '--attent infobatch'
    for how in ('soft', 'hard'):
        yield (f'{how}, by excess', '0.7', 'fixed'), f'--attent {how} --excess {BUDGET}'
        row, options = cyclic(how, 'incremental', 'incremental')
        yield (f'{how}, by excess', *row[1:]), f'{options} --excess'
    yield (('hard, by excess, scores of training', '0.7', 'fixed'),
           f'--attent hard --excess {BUDGET} --scores training')


SETS |= {
    'AG News, 6000 texts': {
        **SETS['AG News'],
        'head': ('ag_news_train_subset.csv.gz', 6000),
        'data': '--train {head} --test {data}/ag_news_test.csv.gz',
        'options': '--dim 64 --epochs {epochs} --patience -1',
        'epochs': 11, 'loss': None, 'seconds': 'train_cpu_seconds', 'least': True,
        'rows': tuple(budgets('class', WEIGHTS['AG News'])),
    },
    'ETTm1, four months': {
        **ALONE,
        'data': '--data {data}/ETTm1.csv --split rows:11520,3840,3840',
        'epochs': 11, 'least': True,
        'rows': tuple((row, f'--thin 1 {more}' if row[0] == 'all samples' else more)
                      for row, more in budgets('series', WEIGHTS['ETTm1'])),
    },
}

# Images: which of them an epoch of pre-training has, measured by what 500 classes then teach (docs/vision.md
# has the setting). Schedules of the library's own, and as a measure all images in two thirds of the epochs;
# and the schedule of the paper's authors.
CHOSEN = '--attent-in pretraining'
MASKED = [
    (('all samples', '-', '-'), '--pretrain-masked {epochs}'),
    (('all samples', '10 epochs', '-'), '--pretrain-masked 10'),
    *(((how, ratio, interval), f'{CHOSEN} --attent {how} --ratio {ratio} --interval {interval} '
                               '--pretrain-masked {epochs}')
      for how, ratio, interval in (
          ('soft', 'incremental', 'incremental'), ('random', 'cosine', 'incremental'),
          ('soft', 'cosine', 'incremental'), ('hard', 'incremental', 'incremental'),
          ('soft', 'incremental', 'fixed'))),
    *(((f'{how}, scores of training', '0.65', 'fixed'),
       f'{CHOSEN} --attent {how} --ratio fixed --share 0.65 --interval fixed --scores training '
       '--pretrain-masked {epochs}') for how in ('soft', 'gradnorm')),
    (('random', '0.65', 'fixed'), f'{CHOSEN} --attent random --ratio fixed --share 0.65 --interval fixed '
                                  '--pretrain-masked {epochs}'),
    (('infobatch', 'own', 'every epoch'), f'{CHOSEN} --attent infobatch --pretrain-masked {{epochs}}'),
]

# Fine-tuning of an encoder that was made so, with 2,000 classes, all weights or an adapter: the
# paper's variant for it (appendix C.1), all samples in the first epoch and then 70 %, and others.
SIMPLE = '--ratio simple --interval fixed --scores training'
TUNED = [
    (('all samples', '-', '-'), ''),
    *(((how, 'simple', 'fixed'), f'--attent {how} {SIMPLE}') for how in ('random', 'hard', 'soft')),
    (('class-weight', 'fixed', 'fixed'), f'--attent class-weight {BUDGET}'),
    (('fixed-weight', 'fixed', 'fixed'),
     f'--attent fixed-weight --group-weights 1,1,2,2,2,2,2,2,2,2 {BUDGET}'),
    (('gradnorm', 'simple', 'fixed'), f'--attent gradnorm {SIMPLE}'),
    (('infobatch', 'own', 'every epoch'), '--attent infobatch'),
]
MNIST = {
    'program': 'classify',
    'data': '--images {data}/mnist_10k_images.idx3.gz --labels {data}/mnist_10k_labels.idx1.gz '
            '--split 0.2',
    'figure': 'test_accuracy', 'name': 'test accuracy', 'digits': 4,
}
FEW = '--labelled 500 --dim 32 --layers 2 --batch 32 --lr 0.003 --epochs 60'
FINE = {**MNIST, 'epochs': 4, 'rows': TUNED, 'loss': None, 'seconds': 'train_cpu_seconds',
        'base': '--labelled 500 --dim 32 --layers 2 --batch 32 --lr 0.003 --epochs 20 --pretrain-masked 5'}
PRETRAINING = {**MNIST, 'options': FEW, 'epochs': 15, 'rows': MASKED, 'phase': 'pretraining_',
               'loss': ('pre-training loss', 'pretraining_train_loss'), 'seconds': 'pretraining_cpu_seconds'}
CYCLED = [
    (('all samples', '-', '-'), '--pretrain-masked {epochs}'),
    (('all samples', '12 epochs', '-'), '--pretrain-masked 12'),
    *((row, f'{CHOSEN} {options} --pretrain-masked {{epochs}}')
      for row, options in (cyclic(how, 'incremental', 'incremental') for how in STRATEGIES)),
]
LONGER = [
    (('all samples', '-', '-'), '--pretrain-masked {epochs}'),
    (('all samples', '24 epochs', '-'), '--pretrain-masked 24'),
    (('soft, scores of training', '0.6', 'fixed'),
     f'{CHOSEN} --attent soft --ratio fixed --share 0.6 --interval fixed --scores training '
     '--pretrain-masked {epochs}'),
]
SETS |= {
    'MNIST, pre-training': PRETRAINING,
    'MNIST, cycles': {**PRETRAINING, 'rows': CYCLED, 'least': True},
    'MNIST, longer pre-training': {**PRETRAINING, 'epochs': 40, 'rows': LONGER},
    'MNIST, fine-tuning': {**FINE, 'options': '--labelled 2000 --epochs {epochs} --batch 32 '
                                              '--pretrained {{base}}'},
    'MNIST, adapters': {**FINE, 'options': '--labelled 2000 --epochs {epochs} --lr 0.006 --load {{base}} '
                                           '--adapt {{base}}.lora'},
}

TOP = """# AtteNT compared

Written by `tools/compare_attent.py`. Mean and, behind +-, standard deviation over seeds {seeds}.
Seconds include training, scoring and validation; "of all" and "of default" are their shares of
the seconds with all samples in as many epochs, and with the programs' own number of epochs and early end.
"CPU seconds" are the time that the training had of the processors, whatever else ran; on 6000 texts, four
months and images in cycles the least of the seeds.
"backward" counts the samples that went through the backward pass, "spent" is their share. Models are measured
after the epoch with the lowest validation loss, or, without validation, after the last. {threads},
{machine}. {note}
"""


def settings(name):
    """(row of the table: strategy, ratio, interval; options); what the paper has comes first"""
    if 'rows' in SETS[name]:
        yield from SETS[name]['rows']
        return
    everything = SETS[name].get('all', '--attent none')
    yield ('all samples', '-', '-'), everything
    yield ('all, as by default', '-', '-'), f'{everything} {SETS[name]["default"]}'
    free = '--attent soft --interval fixed --scores training'
    if 'mild' in SETS[name]:
        row, more = SETS[name]['mild']
        yield row, f'{free} {more}'
        return
    for ratio, interval, strategy in itertools.product(('cosine', 'incremental'), INTERVALS, STRATEGIES):
        yield (strategy, ratio, interval), f'--attent {strategy} --ratio {ratio} --interval {interval}'
    yield ('class-weight', 'fixed', 'fixed'), f'--attent class-weight {BUDGET}'
    weights = f'--group-weights {WEIGHTS[name]}'
    yield ('fixed-weight', 'fixed', 'fixed'), f'--attent fixed-weight {weights} {BUDGET}'
    yield ('gradnorm', 'fixed', 'fixed'), f'--attent gradnorm {BUDGET}'
    yield ('infobatch', 'own', 'every epoch'), '--attent infobatch'
    ratio, more = SETS[name]['chosen']
    yield ('soft, scores of training', ratio, 'fixed'), f'{free} {more}'
    for ratio in ('cosine', 'incremental', 'fixed', 'simple'):
        yield ('soft, scores of training', ratio, 'fixed'), f'{free} --ratio {ratio}'
    mild = '--ratio fixed --temperature 4'
    yield ('soft, temperature 4, scores of training', 'fixed', 'fixed'), f'{free} {mild}'
    for ratio, interval, strategy in itertools.product(('fixed', 'simple'), INTERVALS, STRATEGIES):
        yield (strategy, ratio, interval), f'--attent {strategy} --ratio {ratio} --interval {interval}'


def runs(args):
    """(set, row, seed, options), by seed, so that a stop leaves whole seeds"""
    for seed in args.seeds:
        for name, what in SETS.items():
            epochs = args.epochs or what['epochs']
            for row, options in settings(name):
                if re.search(args.only, f'{name} {" ".join(row)}'):
                    line = f'{what["options"]} {options} --seed {seed}'.format(epochs=epochs)
                    yield name, row, seed, ' '.join(line.split())


def head(args, what):
    """The file of the first lines of a file of texts, which is made when it is not there."""
    name, lines = what['head']
    made = Path(f'{args.results}.head-{lines}.csv')
    if not made.exists():
        with gzip.open(Path(args.data) / name, 'rt') as whole:
            made.write_text(''.join(itertools.islice(whole, lines)))
    return made


def call(args, what, options):
    data = what['data'].format(data=args.data, head=head(args, what) if 'head' in what else None)
    return [record.program(args, what['program']), *data.split(), *options.split(), *args.more.split(),
            '--threads', str(args.threads), '--json']


def base(args, name, seed):
    """The file that a run begins with, which is made when it is not there."""
    made = Path(f'{args.results}.base-{seed}')
    if not made.exists():
        subprocess.run(call(args, SETS[name], f'{SETS[name]["base"]} --seed {seed} --save {made}'),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return made


def command(args, name, options):
    if 'base' in SETS[name]:
        options = options.format(base=base(args, name, options.split()[-1]))
    return call(args, SETS[name], options)


def key(args, name, options):
    return name, f'{options} {args.more}'.strip(), args.threads


def run(args, name, options):
    done = subprocess.run(command(args, name, options), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        sys.exit(f'compare_attent: {name} {options}: status {done.returncode}\n{done.stderr}')
    got = json.loads(done.stdout)
    got.pop('classes', None)
    got |= {f'pretraining_{k}': v for k, v in got.pop('pretraining', {}).items()}
    _, options, threads = key(args, name, options)
    one = {**got, 'set': name, 'options': options, 'threads': threads, 'commit': record.commit(),
           'machine': record.machine()}
    record.add(args.results, one)
    return one


def spread(values, digits):
    if None in values:
        return '-'
    mean = f'{statistics.mean(values):.{digits}f}'
    return f'{mean} +- {statistics.stdev(values):.{digits}f}' if len(values) > 1 else mean


def share(ones, base, k, middle=statistics.mean):
    """Of the mean of other runs, if those have the same seeds; both by seed."""
    if not all(seed in base and base[seed].get(k) and k in ones[seed] for seed in ones):
        return '-'
    mean = lambda of: middle(of[seed][k] for seed in ones)
    return f'{mean(ones) / mean(base):.2f}'


VALIDATION = ('validation loss', 'val_loss')


def line(what, row, ones, every, usual):
    """A row of the table; every, usual: the runs of all samples, and those with the programs' defaults."""
    of = lambda k: [one.get(k) for one in ones.values()]
    seconds = what.get('seconds', 'train_seconds')
    loss, backward = what.get('loss', VALIDATION), what.get('phase', '') + 'samples_backpropagated'
    losses = [spread(of(loss[1]), 4)] if loss else []
    # the seeds are three tries at as much work, of which other programs have slowed some more than others
    least = what.get('least')
    took = f'{min(of(seconds)):.1f}' if least else spread(of(seconds), 1)
    middle = min if least else statistics.mean
    return [*row, spread(of(what['figure']), what['digits']), *losses, took,
            share(ones, every, seconds, middle), share(ones, usual, seconds, middle),
            f'{statistics.mean(one.get(backward, 0) for one in ones.values()):,.0f}',
            share(ones, every, backward), str(len(ones))]


def table(args, found, name):
    what = SETS[name]
    rows = {}
    for at, row, seed, options in runs(args):
        one = found.get(key(args, at, options))
        if at == name and one:
            rows.setdefault(row, {})[seed] = one
    if not rows:
        return
    every, usual = rows.get(('all samples', '-', '-'), {}), rows.get(('all, as by default', '-', '-'), {})
    loss = what.get('loss', VALIDATION)
    head = ['samples', 'ratio', 'interval', what['name'], *(loss[:1] if loss else ()),
            'CPU seconds' if 'seconds' in what else 'seconds', 'of all',
            'of default', 'backward', 'spent', 'seeds']
    yield f'## {name}'
    yield ''
    if 'base' in what:
        yield f'    {what["program"]} {what["base"]} --save BASE'
    options = what['options'].format(epochs=args.epochs or what['epochs']).format(base='BASE')
    yield f'    {what["program"]} {options} {args.more}'
    yield ''
    yield '| ' + ' | '.join(head) + ' |'
    yield '|---|---|---' + '|---:' * (len(head) - 3) + '|'
    for row, ones in rows.items():
        yield '| ' + ' | '.join(line(what, row, ones, every, usual)) + ' |'
    yield ''


def write(args, found):
    tables = [text for name in SETS for text in table(args, found, name)]
    if not tables:
        return ''
    ours = [found[k] for k in (key(args, n, o) for n, _, _, o in runs(args)) if k in found]
    each = lambda k: ', '.join(sorted({str(one[k]) for one in ours}))
    text = '\n'.join([TOP.format(seeds=each('seed'), threads=f'Threads: {each("threads")}',
                                 machine=each('machine'), note=args.note),
                      *tables, f'Source: {each("commit")}; BLIS {each("blis_config")}.', ''])
    if args.out:
        record.replace(args.out, text)
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default='build', help='folder of the build')
    p.add_argument('--data', default='../shared/data', help='folder of the data sets')
    p.add_argument('--results', default='docs/results/attent.jsonl', help='finished runs')
    p.add_argument('--out', help='file for the tables, which are printed in any case')
    p.add_argument('--only', default='', help='rows whose "SET STRATEGY RATIO INTERVAL" matches it')
    p.add_argument('--seeds', type=record.numbers, default=[1, 2, 3], help='1..3 or 1,2,5; default: 1..3')
    p.add_argument('--epochs', type=int, help='of all runs; default: ' +
                   ', '.join(f'{what["epochs"]} of {name}' for name, what in SETS.items()))
    p.add_argument('--threads', type=int, default=os.cpu_count())
    p.add_argument('--more', default='', help='options for the programs, in all runs')
    p.add_argument('--note', default='Nothing else ran beside them.', help='what is to be said of the times')
    p.add_argument('--list', action='store_true', help='print the runs and stop')
    args = p.parse_args()
    found = {(one['set'], one['options'], one['threads']): one for one in record.read(args.results)}
    for name, row, _, options in runs(args):
        done = key(args, name, options) in found
        print(f'{name} {" ".join(row)}: {"done" if done else options}', file=sys.stderr, flush=True)
        if done or args.list:
            continue
        found[key(args, name, options)] = run(args, name, options)
        write(args, found)
    if not args.list:
        print(write(args, found))


if __name__ == '__main__':
    main()
