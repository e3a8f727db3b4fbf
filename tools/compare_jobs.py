#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whole jobs of the programs beside those of other libraries, as a table in Markdown.

usage: compare_jobs.py [--build build] [--folder DIR] [--python ENV/bin/python] [--only PATTERN]
                       [--out docs/results/jobs.md]

`bench --case jobs` does our side and makes the files; job_peers.py does the other with the same files, in a
Python that has lightgbm, statsforecast, fasttext-wheel, duckdb and pandas. One process after the other, one
thread each. Seconds are processor time of the whole process, its start and, of Python, all imports included.
"""

import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import job_peers

TITLES = {
    'job-etth1-96': 'ETTh1, 96 rows ahead', 'job-ettm1-192': 'ETTm1, 192 rows ahead',
    'job-weather-192': 'Weather, 192 rows ahead', 'job-stores': '200 stores, 28 days ahead',
    'job-monthly': '1,000 monthly series, 12 ahead',
    'job-news': 'AG News: train on 30,034 texts, test on 7,600',
    'job-spam': '5,574 short messages: train, test on as many', 'job-texts': '1,000,000 texts classified',
    'job-windows': '1,000,000 windows of 7 series, 4 rows ahead',
    'job-convert': '10 GB of CSV converted',
}
BEGIN, END = '<!-- jobs -->', '<!-- /jobs -->'


def error_of(job, folder):
    """The figure of our side, with the meaning of job_peers.py."""
    got = json.loads((folder / f'{job}.json').read_text(encoding='utf-8'))
    if job in job_peers.SERIES:
        return 'error', got['test_mse']
    if job in ('job-news', 'job-spam'):
        return 'accuracy', got['test_accuracy']
    if job not in job_peers.PANELS:
        return None
    name, key, when, value = job_peers.PANELS[job][:4]
    tables = []
    for part in ('truth', 'forecast'):
        with open(folder / f'{name}-{part}.csv', encoding='utf-8', newline='') as file:
            tables.append({(row[key], row[when]): float(row[value]) for row in csv.DictReader(file)})
    truth, forecast = tables
    return 'error', sum(abs(forecast[k] - truth[k]) for k in truth) / sum(truth.values())


def ours(args, folder, job):
    command = [str(Path(args.build) / 'bench' / 'bench'), '--case', job, '--folder', str(folder), '--json']
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=os.environ | {'FGT_DATA': args.data})
    if done.returncode:
        sys.exit(f'compare_jobs: {job}: {done.stderr.strip()}')
    got = json.loads(done.stdout)
    return {'who': 'fighter', 'seconds': got['cpu_s'], 'mb': got['peak_rss_mb'],
            'figure': error_of(job, folder)}


def theirs(args, folder, job, peer):
    command = [args.python, str(Path(__file__).with_name('job_peers.py')), peer, job, str(folder), args.data]
    one = {'OMP_NUM_THREADS': '1', 'NUMBA_NUM_THREADS': '1'}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | one)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(f'compare_jobs: {peer}, {job}: {done.stderr.strip()[-300:]}', file=sys.stderr)
        return None
    got = json.loads(done.stdout.splitlines()[-1])
    figure = next(((k, got[k]) for k in ('error', 'accuracy') if k in got), None)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {'who': got['version'], 'seconds': seconds, 'mb': None, 'figure': figure}


def row(title, got, base):
    figure = f'{got["figure"][0]} {got["figure"][1]:.4f}' if got['figure'] else ''
    memory = f'{got["mb"]:.0f}' if got['mb'] else ''
    ratio = f'{got["seconds"] / base["seconds"]:.2f}' if got is not base else '1'
    return f'| {title} | {got["who"]} | {got["seconds"]:.1f} | {ratio} | {memory} | {figure} |'


def kept(args):
    """The rows of the table that is there, by the titles of their jobs."""
    rows, title = {}, ''
    if args.out:
        table = Path(args.out).read_text(encoding='utf-8').split(BEGIN, 1)[1].split(END, 1)[0]
        for line in table.splitlines():
            if line.startswith('|'):
                title = line.split('|')[1].strip() or title
                rows.setdefault(title, []).append(line)
    return rows


def tables(args, folder):
    yield '| job | by | CPU seconds | times ours | peak MB | figure |'
    yield '|---|---|---:|---:|---:|---|'
    before = kept(args)
    for job, title in TITLES.items():
        if not re.search(args.only, job):
            yield from before.get(title, [])
            continue
        base = ours(args, folder, job)
        yield row(title, base, base)
        for peer, (_, jobs) in job_peers.PEERS.items():
            got = theirs(args, folder, job, peer) if args.python and job in jobs else None
            if got:
                yield row('', got, base)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--build', default='build', help='folder of the benchmark and the programs')
    parser.add_argument('--data', default=os.environ.get('FGT_DATA', '../shared/data'), help='public sets')
    parser.add_argument('--folder', help='of the files, which are kept; default: one that is removed')
    parser.add_argument('--python',
                        help='an interpreter with the packages of job_peers.py; default: ours alone')
    parser.add_argument('--only', default='', metavar='PATTERN',
                        help='jobs whose name matches; the table keeps its other rows')
    parser.add_argument('--out', help=f'file whose part between {BEGIN} and {END} becomes the table')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        lines = []
        for line in tables(args, Path(args.folder or made)):
            print(line, flush=True)
            lines.append(line)
    if args.out:
        text = Path(args.out).read_text(encoding='utf-8')
        head, rest = text.split(BEGIN, 1)
        tail = rest.split(END, 1)[1]
        table = '\n'.join(['', '', *lines, '', ''])
        Path(args.out).write_text(head + BEGIN + table + END + tail, encoding='utf-8')


if __name__ == '__main__':
    main()
