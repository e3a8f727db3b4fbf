#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program with fastText's commands: usage test_text.py TEXT CLASSIFY

Trains on small generated texts, compares the printed measures with the printed labels, and for each kind of
bad input looks for a sentence and the exit status 1.
"""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from test_classify_files import make_rows
from tool_checks import check, failures

HASHED = '-wordNgrams 1 -minn 3 -maxn 6 -bucket 4000'.split()
SMALL = '-dim 8 -tokens 16 -epoch 20 -lr 0.01 -thread 1 -verbose 0'.split()


class Text:
    """Runs the program in a directory of its own."""

    def __init__(self, program, directory):
        self.program = str(Path(program).resolve())
        self.directory = Path(directory)

    def run(self, *args, text=''):
        return subprocess.run([self.program, *map(str, args)], cwd=self.directory, input=text,
                              capture_output=True, encoding='utf-8', timeout=120, check=False)

    def lines(self, *args, text=''):
        """The lines that a run prints that must succeed."""
        done = self.run(*args, text=text)
        check(' '.join(map(str, args)), done.returncode == 0, done.stderr)
        return done.stdout.splitlines()

    def refused(self, words, *args, text=''):
        done = self.run(*args, text=text)
        last = done.stderr.strip().split('\n')[-1]
        check(args, done.returncode == 1 and done.stdout == '', done)
        check(args, last.startswith('fighter-text: ') and words in last, last)


def read_measures(lines):
    return {line.split('\t')[0]: float(line.split('\t')[1]) for line in lines}


def test_one_label(t, classify):
    rows = make_rows(150)
    (t.directory / 'train.txt').write_text(''.join(f'__label__{n} {a} {b}\n' for n, a, b in rows[:120]))
    (t.directory / 'test.txt').write_text(''.join(f'__label__{n} {a} {b}\n' for n, a, b in rows[120:]))
    (t.directory / 'plain.txt').write_text(''.join(f'{a} {b}\n' for _, a, b in rows[120:]))
    check('nothing is printed', t.lines('supervised', '-input', 'train.txt', '-output', 'm', *SMALL) == [])
    check('only the model is written', {p.name for p in t.directory.iterdir()} ==
          {'train.txt', 'test.txt', 'plain.txt', 'm.bin'})

    truth = [f'__label__{n}' for n, _, _ in rows[120:]]
    found = t.lines('predict', 'm.bin', 'plain.txt')
    check('the texts are learned', found == truth, found)
    check('a line with labels', t.lines('predict', 'm.bin', 'test.txt') == found)
    check('the standard input', t.lines('predict', 'm.bin', '-',
                                        text=(t.directory / 'test.txt').read_text()) == found)
    both = [line.split() for line in t.lines('predict-prob', 'm.bin', 'plain.txt', 2)]
    check('two labels', all(len(b) == 4 and b[0] == f for b, f in zip(both, found)), both)
    check('probabilities fall', all(float(b[1]) >= float(b[3]) for b in both), both)
    every = [line.split() for line in t.lines('predict-prob', 'm.bin', 'plain.txt', -1)]
    check('probabilities sum to 1', all(abs(sum(map(float, e[1::2])) - 1) < 1e-4 for e in every), every)
    high = [line.split() for line in t.lines('predict-prob', 'm.bin', 'plain.txt', -1, 0.5)]
    check('a threshold', high == [[w for k in range(0, 6, 2) if float(e[k + 1]) >= 0.5 for w in e[k:k + 2]]
                                  for e in every], high)

    got = read_measures(t.lines('test', 'm.bin', 'test.txt', 2))
    check('measures', got == {'N': 30, 'P@2': 0.5, 'R@2': 1}, got)
    by_label = t.lines('test-label', 'm.bin', 'test.txt')
    form = re.compile(r'F1-Score : 1\.000000  Precision : 1\.000000  Recall : 1\.000000   __label__[123]')
    check('measures of labels', len(by_label) == 6 and all(map(form.fullmatch, by_label[:3])), by_label)
    check('measures of all', by_label[3:] == ['N\t30', 'P@1\t1.000', 'R@1\t1.000'], by_label)

    done = subprocess.run([classify, '--load', 'm.bin', '--test', 'test.txt', '--json'], cwd=t.directory,
                          capture_output=True, encoding='utf-8', check=True)
    check('fighter-classify reads the model', json.loads(done.stdout)['test_accuracy'] == 1, done)


def test_input(t):
    """The standard input may be long, may end without a line end, and its lines are answered at once."""
    lines = (t.directory / 'plain.txt').read_text().splitlines() * 20
    (t.directory / 'long.txt').write_text('\n'.join(lines) + '\n')
    found = t.lines('predict-prob', 'm.bin', 'long.txt', 2)
    check('a long file', len(found) == 600 and found == found[:30] * 20, len(found))
    check('a long input', t.lines('predict-prob', 'm.bin', '-', 2, text='\n'.join(lines)) == found)
    check('a long line', len(t.lines('predict', 'm.bin', '-', text='treaty ' * 20000 + '\n\nborder')) == 3)
    with subprocess.Popen([t.program, 'predict-prob', 'm.bin', '-', '2'], cwd=t.directory, encoding='utf-8',
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as p:
        for line, want in zip(lines[:3], found):
            p.stdin.write(line + '\n')
            p.stdin.flush()
            check('an answer at once', p.stdout.readline() == want + '\n')
        p.stdin.close()
        check('no more answers', p.stdout.read() == '')


def test_several_labels(t):
    rows = [('1' if i % 3 != 1 else '', '2' if i % 3 else '', i) for i in range(90)]
    words = {'1': ['treaty', 'border', 'war'], '2': ['goal', 'coach', 'league']}
    (t.directory / 'labels.txt').write_text(''.join(
        ''.join(f'__label__{k} ' for k in (a, b) if k)
        + ' '.join(words[k][i // 3 % 3] for k in (a, b) if k) + ' the day\n' for a, b, i in rows))
    t.lines('supervised', '-input', 'labels.txt', '-output', 'several', '-loss', 'ova', *SMALL)
    got = read_measures(t.lines('test', 'several.bin', 'labels.txt', -1, 0.5))
    check('several labels', got == {'N': 90, 'P@-1': 1, 'R@-1': 1}, got)
    got = read_measures(t.lines('test', 'several.bin', 'labels.txt'))
    check('one label of several', got == {'N': 90, 'P@1': 1, 'R@1': 0.75}, got)
    found = [line.split() for line in t.lines('predict', 'several.bin', 'labels.txt', -1, 0.5)]
    check('all labels', [sorted(f) for f in found] ==
          [[f'__label__{k}' for k in (a, b) if k] for a, b, _ in rows], found[:3])
    every = [line.split() for line in t.lines('predict-prob', 'several.bin', 'labels.txt', -1)]
    check('probabilities of their own', any(sum(map(float, e[1::2])) > 1.2 for e in every), every[:3])


def test_quantize(t):
    t.lines('quantize', '-output', 'm')
    check('half of the bytes', 0.45 < (t.directory / 'm.ftz').stat().st_size
          / (t.directory / 'm.bin').stat().st_size < 0.9)
    small, whole = (t.lines('predict', f'm.{ending}', 'plain.txt') for ending in ('ftz', 'bin'))
    check('the same labels', small == whole, small)
    t.lines('quantize', '-output', 'm', '-cutoff', 8)
    few = (t.directory / 'm.ftz').read_bytes()
    t.lines('quantize', '-output', 'm', '-cutoff', 8, '-input', 'train.txt', '-retrain', '-epoch', 20,
            '-lr', 0.01, '-verbose', 0)
    again = (t.directory / 'm.ftz').read_bytes()
    check('trained once more', len(again) == len(few) and again != few)
    t.lines('quantize', '-output', 'several', '-cutoff', 5, '-input', 'labels.txt', '-retrain', '-verbose', 0)
    t.refused('not for quantize', 'quantize', '-output', 'm', '-dim', 3)
    t.refused('needs -input', 'quantize', '-output', 'm', '-retrain')
    t.refused('none.bin', 'quantize', '-output', 'none')
    t.refused('for quantize', 'supervised', '-input', 'train.txt', '-output', 'x', '-cutoff', 3)


def misspell(text):
    """Each word without its third letter."""
    return ' '.join(word[:2] + word[3:] for word in text.split())


def test_letters(t):
    """Runs of letters label texts whose words are all misspelt."""
    rows = make_rows(150)[120:]
    (t.directory / 'wrong.txt').write_text(
        ''.join(f'__label__{n} {misspell(f"{a} {b}")}\n' for n, a, b in rows))
    right = {}
    for name, options in {'whole': ['-maxn', 0], 'hashed': HASHED}.items():
        t.lines('supervised', '-input', 'train.txt', '-output', name, *SMALL, *options)
        right[name] = read_measures(t.lines('test', f'{name}.bin', 'wrong.txt'))['P@1']
    check('misspelt words', right['hashed'] > right['whole'] + 0.3, right)
    t.lines('quantize', '-output', 'hashed', '-cutoff', 5, '-input', 'train.txt', '-retrain', '-verbose', 0)
    small = read_measures(t.lines('test', 'hashed.ftz', 'wrong.txt'))['P@1']
    check('misspelt words, small', small > right['whole'] + 0.3, small)


def test_options(t):
    rows = make_rows(60)
    with gzip.open(t.directory / 'train.txt.gz', 'wt') as out:
        out.writelines(f'__label__{n} {a} {b}\n' for n, a, b in rows)
    train = ['supervised', '-input', 'train.txt.gz', *SMALL]
    weights = {}
    for name, options in {'again': [], 'dashes': ['--seed', 1], 'seed': ['-seed=2'], 'maxn': ['-maxn', 3],
                          'minn': ['-minn', 2, '-maxn', 3],
                          'words': ['-wordNgrams', 1], 'bucket': ['-bucket', 64], 'count': ['-minCount', 1],
                          'letters': ['-maxn', 3, '-bucket', 64],
                          'part': ['-validation', 0.2]}.items():
        t.lines(*train, '-output', name, *options)
        weights[name] = (t.directory / f'{name}.bin').read_bytes()
    check('one dash or two', weights['again'] == weights['dashes'])
    check('options change the model', len(set(weights.values())) == len(weights) - 1)
    shown = t.run(*train[:3], '-output', 'm2', *SMALL[:-2])
    check('progress', shown.returncode == 0 and 'epoch 20/20' in shown.stderr, shown)


def test_refusals(t):
    (t.directory / 'unknown.txt').write_text('__label__9 treaty border\n')
    (t.directory / 'mixed.txt').write_text('__label__9 treaty border\n__label__2 goal coach league match\n')
    train = ['supervised', '-input', 'train.txt', '-output', 'x']
    t.refused('a command is missing')
    t.refused('a command is missing', '--seed', 1)
    t.refused('is not a command', 'train')
    t.refused('word vectors', 'skipgram', '-input', 'train.txt')
    t.refused('-input FILE is missing', 'supervised', '-output', 'x')
    t.refused('-output NAME is missing', 'supervised', '-input', 'train.txt')
    t.refused('did you mean --epoch', *train, '-epohc', 3)
    t.refused('leave it out', *train, '-autotune-validation', 'test.txt')
    t.refused('leave it out', *train, '--lrUpdateRate', 3)
    t.refused('another method', *train, '-lr', 0.5)
    t.refused('must be one of', *train, '-loss', 'hs')
    t.refused('-wordNgrams 2', *train, '-wordNgrams', 1, '-bucket', 100)
    t.refused('more than -maxn 2', *train, '-minn', 3, '-maxn', 2)
    t.refused('-loss ova', 'supervised', '-input', 'labels.txt', '-output', 'x')
    t.refused('none.txt', 'supervised', '-input', 'none.txt', '-output', 'x')
    t.refused('trained anew', 'predict', 'train.txt', 'test.txt')
    t.refused('none.bin', 'test', 'none.bin', 'test.txt')
    t.refused('none.txt', 'test', 'm.bin', 'none.txt')
    t.refused('none.txt', 'predict', 'm.bin', 'none.txt')
    t.refused('need 2 to 4', 'test', 'm.bin')
    t.refused('K is a number', 'test', 'm.bin', 'test.txt', 0)
    t.refused('THRESHOLD is', 'test', 'm.bin', 'test.txt', 1, 2)
    t.refused('no text has a label', 'test', 'm.bin', 'unknown.txt')
    done = t.run('test', 'm.bin', 'mixed.txt')
    check('unknown labels', done.stdout.startswith('N\t1\n') and '1 text is not counted' in done.stderr, done)
    check('help', '--wordNgrams N' in t.run('--help').stdout)
    check('help of an option', 'AdamW' in t.run('supervised', '-help', 'lr').stdout)
    check('version', t.run('--version').stdout.startswith('fighter-text '))


def main():
    program, classify = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        t = Text(program, directory)
        test_one_label(t, str(Path(classify).resolve()))
        test_input(t)
        test_several_labels(t)
        test_quantize(t)
        test_letters(t)
        test_options(t)
        test_refusals(t)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
