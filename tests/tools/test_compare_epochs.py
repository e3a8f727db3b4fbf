#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/compare_epochs.py on made texts: usage test_compare_epochs.py CLASSIFY TOOLS"""

import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tool_checks import check, failures, run_tool

WORDS = {1: ('ball', 'goal', 'team'), 2: ('bank', 'stock', 'price')}


def write_texts(path, count):
    made = random.Random(count)
    with gzip.open(path, 'wt') as texts:
        for i in range(count):
            words = [made.choice(WORDS[made.choice((1, 1 + i % 2, 1 + i % 2))]) for _ in range(6)]
            texts.write(f'"{1 + i % 2}","1st game","{" ".join(words)}"\n')


def check_same(tool, program, directory, one):
    """A run of all epochs without an interruption has the figures of the last one."""
    tool.first_texts(directory / tool.FILES[0], tool.TEXTS, directory / 'texts.csv')
    words = [program, '--train', directory / 'texts.csv', '--test', directory / tool.FILES[1],
             *one['options'].split(), '--threads', '1', '--json']
    whole = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL).stdout)
    check('all epochs at once', whole['test_accuracy'] == one['accuracies'][-1], one['accuracies'])
    check('their number', whole['epochs_run'] == tool.STOPS[-1] and whole['train_samples'] == tool.TEXTS)


def main():
    program, tools = Path(sys.argv[1]).resolve(), sys.argv[2]
    sys.path.insert(0, tools)
    import compare_epochs as tool
    tool.TEXTS, tool.STOPS, tool.SYSTEMS = 300, (2, 3, 5), ('transformer', 'fighter 2')
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        write_texts(directory / tool.FILES[0], 400)
        write_texts(directory / tool.FILES[1], 100)
        common = ['--build', program.parent.parent, '--data', directory,
                  '--results', directory / 'results.jsonl', '--seeds', '1']
        text, said = run_tool(tool, *common)
        results = [json.loads(line) for line in (directory / 'results.jsonl').read_text().splitlines()]
        check('two systems', len(results) == 2, said)
        for one in results:
            check('a figure for each stop', len(one['accuracies']) == len(one['attention']) == 3, one)
            check('a loss for each epoch, which falls', len(one['losses']) == 5
                  and one['losses'][4] < one['losses'][0], one['losses'])
            expected = one['attention'][0]['diagonal_expected']
            check('attention of 64 places', abs(expected - 1 / 64) < 1e-4, expected)
        check('four tables', text.count('| fighter 2 |') == 4 and '| accuracy | 2 epochs |' in text, text)
        check_same(tool, program, directory, results[1])
        again, said = run_tool(tool, *common)
        check('what is finished is not run again', again == text and said.count('done') == 2, said)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
