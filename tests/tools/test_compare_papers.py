#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/compare_papers.py on a small made series: usage test_compare_papers.py FORECAST TOOLS"""

import json
import math
import re
import sys
import tempfile
from pathlib import Path

from tool_checks import check, failures, run_tool

ROWS = 400


def write_rows(path):
    """A rhythm that goes from -1 to 1, ten times as large in the second series."""
    lines = [f'{r},{math.sin(r / 4):.5f},{10 * math.cos(r / 5):.5f}\n' for r in range(ROWS)]
    path.write_text('date,a,b\n' + ''.join(lines))


def check_units(results):
    """The deviation of a sine is 0.71 and its span is 2, so errors differ by their ratio."""
    for one in results:
        ratio = math.sqrt(one['span_mse'] / one['test_mse'])
        check('errors in spans', abs(ratio - math.sqrt(0.5) / 2) < 0.01, ratio)


def check_verdict(tool):
    """Better means by more than two standard errors."""
    systems = {'a': [{'e': 1.0}, {'e': 1.1}], 'b': [{'e': 1.1}, {'e': 1.2}], 'c': [{'e': 2.0}, {'e': 2.1}],
               'd': [{'e': 0.5}]}
    for one, other, want in (('a', 'b', 'no clear difference'), ('a', 'c', 'better'), ('c', 'a', 'worse'),
                             ('d', 'a', 'better, in single runs'), (None, 'a', '-')):
        got = tool.verdict(systems, one, other, 'e')
        check(f'{one} and {other}', got == want, got)
    check('the least error', tool.best(systems, ('a', 'c', 'none'), 'e') == 'a')


def check_kappa(tool):
    """Percent of an error, or points of an accuracy; bold if larger than two standard errors."""
    seeds = {'transformer': ((1.99, 0.9), (2.01, 0.9)), 'clear': ((1.5, 0.92), (1.6, 0.93)),
             'unclear': ((1.9, 0.8), (2.3, 0.96)), 'single': ((1.0, 0.95),)}
    systems = {name: [{'test_mse': mse, 'test_accuracy': accuracy} for mse, accuracy in pairs]
               for name, pairs in seeds.items()}
    for name, key, want in (('clear', 'test_mse', '**+22.5**'), ('unclear', 'test_mse', '-5.0'),
                            ('clear', 'test_accuracy', '**+2.5**'), ('unclear', 'test_accuracy', '-2.0'),
                            ('single', 'test_mse', '+50.0'), ('transformer', 'test_mse', '0.0'),
                            ('none', 'test_mse', '-')):
        got = tool.beside_transformer(systems, name, key)
        check(f'{name} beside the transformer', got == want, got)


def check_decoder(tool, common, results):
    """A baseline with a decoder has more weights, and stands beside the one without."""
    tool.WITH_DECODER = {'Made 4': ('transformer',)}
    before = results.read_text().splitlines()
    text, said = run_tool(tool, *common, '--only', 'with a decoder')
    made = [json.loads(line) for line in results.read_text().splitlines()[len(before):]]
    plain = [json.loads(line) for line in before if '--model transformer ' in line]
    check('a decoder, two seeds', [one['seed'] for one in made] == [1, 2], said)
    check('its weights', made[0]['parameters'] > plain[0]['parameters'], made[0]['parameters'])
    rows = [line for line in text.splitlines() if line.startswith('| Made 4, transformer |')]
    check('encoder and decoder in one row', len(rows) == 1 and rows[0].endswith('| 1, 2 |'), rows)


def check_short(tool, directory):
    """A set may have fewer epochs and fewer kappas, and a value that stands for a missing one."""
    tool.SETS['Short'] = {'file': 'made.csv', 'options': '', 'epochs': 2, 'kappas': (1,)}
    check('kappas of a set', ('fighter 2', tool.PAPER) not in list(tool.rows_to_run('Short'))
          and ('fighter 1', tool.PAPER) in list(tool.rows_to_run('Short')))
    for settings in (tool.PAPER, tool.OURS):
        said = tool.options_of('Short', 'fighter 1', settings)
        check('epochs of a set', re.findall(r'--epochs (\d+)', said) == ['2'], said)
    (directory / 'zeros.csv').write_text('date,a,b\n0,0,5\n1,2,0\n2,7,9\n')
    for missing, want in ((None, {'a': 7, 'b': 9}), (0, {'a': 5, 'b': 4})):
        got = tool.spans(directory / 'zeros.csv', 3, missing)
        check(f'spans without {missing}', got == want, got)


def check_relu(tool, common, results):
    """Runs with an activation stand beside those without, and in no other table."""
    tool.WITH_RELU = {'Made 4': (2,)}
    before = results.read_text().splitlines()
    text, said = run_tool(tool, *common, '--only', 'with ReLU')
    made = [json.loads(line) for line in results.read_text().splitlines()[len(before):]]
    check('one kappa, two seeds', [one['seed'] for one in made] == [1, 2], said)
    check('with an activation', all('--hops 2 ' in one['options'] and '--act relu' in one['options']
                                    for one in made))
    plain = [json.loads(line) for line in before if '--hops 2 ' in line]
    mean = lambda ones: f"{sum(one['test_mse'] for one in ones) / len(ones):.4f}"
    rows = [line for line in text.splitlines() if line.startswith('| Made 4, kappa 2 |')]
    check('both means in one row', len(rows) == 1 and f'| {mean(plain)} +-' in rows[0]
          and f'| {mean(made)} +-' in rows[0] and mean(plain) != mean(made), rows)
    check('no table of their own', 'settings with ReLU' not in text, text)


def main():
    program, tools = Path(sys.argv[1]).resolve(), sys.argv[2]
    sys.path.insert(0, tools)
    import compare_papers as tool
    tool.SETS = {'Made 4': {'file': 'made.csv', 'options': '--pred 4 --split 0.7,0.15,0.15'}}
    tool.BASELINES, tool.KAPPAS, tool.WITH_RELU = ('transformer',), (1, 2), {}
    tool.WITH_DECODER, tool.WITH_MAE = {}, ('Made 4',)
    tool.SERIES_PAPER = tool.SERIES_PAPER.replace('96', '8').replace('--epochs 25', '--epochs 1')
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        write_rows(directory / 'made.csv')
        common = ['--build', program.parent.parent, '--data', directory,
                  '--results', directory / 'results.jsonl', '--out', directory / 'page.md', '--seeds', '1..2']
        text, said = run_tool(tool, *common, '--only', "paper's")
        results = [json.loads(line) for line in (directory / 'results.jsonl').read_text().splitlines()]
        check('three systems, two seeds', len(results) == 6 == len(re.findall('seed [12]: ', said)), said)
        check('all trained for one epoch', all(one['epochs_run'] == 1 for one in results))
        check('the page is what is printed', (directory / 'page.md').read_text() == text.rstrip('\n') + '\n')
        check('rows of the table', text.count('| 1, 2 |') == 3 and '| fighter 2 | - |' in text, text)
        check_units(results)
        check_verdict(tool)
        check_kappa(tool)
        check('errors over kappa', '| kappa 1 | kappa 2 | is 8' in text, text)
        check('MAE over kappa', text.count('| Made 4, MAE, ') == 1, text)
        again, said = run_tool(tool, *common, '--only', "paper's")
        check('what is finished is not run again', again == text and said.count('done') == 6, said)
        check('no table of ReLU without its runs', 'with ReLU' not in text, text)
        check('nor of decoders', 'decoder' not in text, text)
        check_relu(tool, common, directory / 'results.jsonl')
        check_decoder(tool, common, directory / 'results.jsonl')
        check_short(tool, directory)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
