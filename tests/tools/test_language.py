#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program language from outside: usage test_language.py LANGUAGE
All models learn a text that is made here, and write it; characters and words, marked tokens, refusals."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = ['fighter', 'transformer', 'lstm', 's4']
WORDS = ['one', 'two', 'three', 'four', 'five', 'six']
SMALL = ['--width', 32, '--time', 32, '--batch', 8, '--layers', 1]

failures = []


def check(what, good, more=''):
    if not good:
        failures.append(what)
        print(f'FAIL {what} {more}')


def run(program, directory, *args):
    return subprocess.run([program, *map(str, args)], cwd=directory, capture_output=True, text=True,
                          timeout=300, check=False)


def perplexity(done):
    return {m: float(p) for m, p in re.findall(r'^(\w+): .* perplexity ([\d.]+)$', done.stdout, re.M)}


def counting(directory):
    """Each word follows the one before, so after a while there is nothing left to guess."""
    (directory / 'counting.txt').write_text(' '.join(WORDS[i % len(WORDS)] for i in range(3000)))


def quizzes(directory):
    """A letter that nobody can guess, and behind the mark the same one once more."""
    state, lines = 1, []
    for _ in range(3000):
        state = (state * 1103515245 + 12345) % 2**31
        letter = 'abcdefgh'[state >> 16 & 7]
        lines.append(f'{letter}={letter}\n')
    (directory / 'quizzes.txt').write_text(''.join(lines))


def test_all_models(program, here):
    done = run(program, here, '--data', 'counting.txt', '--steps', 120, *SMALL, '--prompt', 'three four',
               '--temperature', 0, '--length', 60, '--lr', 0.01)
    got = perplexity(done)
    check('all models', done.returncode == 0 and list(got) == MODELS, done.stdout + done.stderr)
    for model, p in got.items():
        check(f'{model} learns', 1 <= p < 1.3, p)
    for model in MODELS:
        written = re.search(rf'^{model}: .* perplexity.*\n(.*)\n{model}: .*a token that is written',
                            done.stdout, re.M)
        check(f'{model} writes', written and written[1].startswith('three four five six one two three'),
              done.stdout)
    again = run(program, here, '--data', 'counting.txt', '--steps', 120, *SMALL, '--threads', 2,
                '--length', 0, '--lr', 0.01)
    check('threads', perplexity(again) == got, again.stdout)


def test_words(program, here):
    done = run(program, here, '--data', 'counting.txt', '--words', '--steps', 60, *SMALL,
               '--model', 'fighter', '--prompt', 'two', '--length', 50, '--lr', 0.01, '--top-k', 1,
               '--temperature', 2)
    check('seven words', ', 7 different ones' in done.stdout, done.stdout)
    check('top 1 is the likeliest', 'two three four five six one two' in done.stdout, done.stdout)
    done = run(program, here, '--data', 'counting.txt', '--words', '--vocab', 4, '--steps', 1, *SMALL,
               '--model', 'lstm')
    check('rare words', ', 4 different ones' in done.stdout and '? ' in done.stdout, done.stdout)


def test_marked(program, here):
    args = ['--data', 'quizzes.txt', '--steps', 250, *SMALL, '--model', 'transformer', '--length', 0,
            '--lr', 0.01]
    whole, marked = run(program, here, *args), run(program, here, *args, '--after', '=')
    check('half of the letters cannot be guessed', perplexity(whole)['transformer'] > 1.5, whole.stdout)
    check('those behind the mark can', perplexity(marked)['transformer'] < 1.1, marked.stdout)


def test_refused(program, here):
    for args, words in [
        ([], '--data: is needed'),
        (['--data', 'nothing.txt'], 'nothing.txt: cannot be read'),
        (['--data', 'counting.txt', '--time', '1'], '--time: is out of range'),
        (['--data', 'counting.txt', '--steps', 'x'], '--steps: is out of range, or no number'),
        (['--data', 'counting.txt', '--time', '50000'], 'too short'),
        (['--data', 'counting.txt', '--model', 'rnn'], 'rnn: there is no such model'),
        (['--data', 'counting.txt', '--after', '='], 'no token of the text'),
        (['--data', 'counting.txt', '--width', '6', '--steps', '0'], 'fighter: '),
        (['--colour', 'red'], '--colour: unknown option'),
        (['--data'], 'needs a value'),
    ]:
        done = run(program, here, *args)
        check(f'refused {args}', done.returncode == 1 and words in done.stderr, done.stderr)
    check('help', run(program, here, '--help').returncode == 0)


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        counting(here)
        quizzes(here)
        for test in (test_all_models, test_words, test_marked, test_refused):
            test(program, here)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
