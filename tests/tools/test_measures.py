#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: test_measures.py MEASURES FORECAST SERIES.py [CLASSIFY TEXTS.py]

examples/measures prints what the attention of saved forecasters and classifiers does, and
examples/model_graph, beside it, writes it as a graph. Without the last two they are tested with forecasters
alone.
"""

import csv
import io
import math
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

failures = 0


def check(what, good, details=''):
    global failures
    if not good:
        failures += 1
        print(f'FAILED: {what}: {details}')


def run(folder, *args):
    return subprocess.run([str(a) for a in args], cwd=folder, capture_output=True, text=True)


def measured(folder, *args):
    done = run(folder, *args)
    check('measures', done.returncode == 0, done.stderr)
    return {(r['layer'], int(r['power']), r['statistic']): float(r['value'])
            for r in csv.DictReader(io.StringIO(done.stdout))}


def graph(folder, measures, model, data):
    """{(token that is read, token that reads): weight} by names, with 3 edges of each token"""
    done = run(folder, measures.with_name('model_graph'), model, data, 'graph', 3)
    check('model_graph', done.returncode == 0, done.stderr)
    check('DOT', (folder / 'graph.dot').read_text().startswith('digraph'))
    nodes = [e for e in xml.parse(folder / 'graph.graphml').iter() if e.tag.endswith('}node')]
    with open(folder / 'graph.csv', newline='', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    check('edges', len(rows) == 3 * len(nodes), (len(rows), len(nodes)))
    check('the strongest first', rows == sorted(rows, key=lambda r: -float(r['Weight'])), rows[:3])
    return {row[end] for row in rows for end in ('SourceName', 'TargetName')}


def test_forecaster(folder, measures, forecast, script):
    (folder / 's.csv').write_text(run(folder, sys.executable, script).stdout)
    common = [forecast, '--data', 's.csv', '--input', 48, '--pred', 12, '--epochs', 1, '--thin', 8,
              '--dim', 8, '--layers', 2, '--tokens', 'time', '--no-linear', '--no-baselines', '--threads', 1]
    for name, more in ('plain', []), ('masked', ['--diag-mask']):
        done = run(folder, *common, *more, '--save', name)
        check('forecast', done.returncode == 0, done.stderr)
        got = measured(folder, measures, name, 's.csv', 2)
        check('layers', {k[0] for k in got} == {'blocks.0', 'blocks.1'}, got)
        check('powers', {k[1] for k in got} == {0, 1, 2}, got)
        diagonal = got['blocks.0', 1, 'diagonal']
        check('the diagonal', diagonal == 0 if name == 'masked' else 0.001 < diagonal < 1, diagonal)
        check('what is expected of it', math.isclose(got['blocks.1', 1, 'diagonal_expected'],
                                                     0 if name == 'masked' else 1 / 48, abs_tol=1e-4), got)
        check('rank', 1 <= got['blocks.1', 0, 'rank'] <= 8, got)
    dates = {line.split(',')[0] for line in (folder / 's.csv').read_text().splitlines()[-48:]}
    names = graph(folder, measures, 'plain', 's.csv')
    check('dates as names', names and names <= dates, names)


def test_classifier(folder, measures, classify, script):
    for name, count in ('train.csv', 200), ('test.csv', 40):
        (folder / name).write_text(run(folder, sys.executable, script, 'texts', count).stdout)
    done = run(folder, classify, '--train', 'train.csv', '--test', 'test.csv', '--dim', 8, '--epochs', 1,
               '--threads', 1, '--save', 'c')
    check('classify', done.returncode == 0, done.stderr)
    got = measured(folder, measures, 'c', 'test.csv')
    even = got['blocks.0', 1, 'entropy_normalised']
    hops = {k[1]: v for k, v in got.items() if k[2] == 'hop_share'}
    check('of texts', {k[1] for k in got if not k[2].startswith('hop_')} == {0, 1} and 0 < even <= 1, got)
    check('hops', set(hops) == {0, 1, 2} and abs(sum(hops.values()) - 1) < 1e-3, got)
    done = run(folder, classify, '--train', 'train.csv', '--test', 'test.csv', '--dim', 8, '--epochs', 1,
               '--threads', 1, '--ngrams', 1, '--save', 'w')
    check('classify words', done.returncode == 0, done.stderr)
    text = (folder / 'test.csv').read_text().splitlines()[1].split(',', 1)[1].lower()
    names = graph(folder, measures, 'w', 'test.csv')
    check('words as names', all(name in text for name in names), (text, names))


def main(measures, forecast, series, classify=None, texts=None):
    paths = [p and Path(p).resolve() for p in (measures, forecast, series, classify, texts)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        test_forecaster(folder, *paths[:3])
        if classify:
            test_classifier(folder, paths[0], *paths[3:])
        wrong = run(folder, paths[0], 's.csv', 's.csv')
        check('no model', wrong.returncode == 1 and wrong.stderr.startswith('measures: '), wrong)
        usage = run(folder, paths[0])
        check('usage', usage.returncode == 0 and usage.stdout.startswith('usage: '), usage)
    print(f'{failures} failures')
    return failures > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
