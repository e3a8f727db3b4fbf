#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program language from outside: usage test_language.py LANGUAGE
All models learn a text that is made here, and write it, with characters and words and with marked tokens.
A saved model, or an adapter of it, learns to respond. Pairs are made from a text, and wrong
calls are refused."""

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
        written = re.search(rf'^{model}: .* perplexity.*\n(.*)\n{model}: .*us for each token that is written',
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


def letters(directory):
    """A text of letters in lines; and prompts that nobody can guess, each with the letter after its last."""
    state, lines, pairs = 1, [], []
    for _ in range(2000):
        state = (state * 1103515245 + 12345) % 2**31
        word = ''.join('abcdefgh'[state >> (8 + 3 * i) & 7] for i in range(3))
        lines.append(f'{word}\n')
        pairs.append(f'{word}\t{chr(ord(word[-1]) + 1) if word[-1] < "h" else "a"}\n')
    (directory / 'letters.txt').write_text(''.join(lines))
    (directory / 'pairs.tsv').write_text(''.join(pairs[:400]))
    (directory / 'long.tsv').write_text('abc\tb\n' * 11 + 'abcdefgh' * 4 + '\ta\n')


def held_out(done):
    return re.search(r'held out: perplexity of responses ([\d.]+), (\d+) of 40 exact', done.stdout)


def answer(program, here, *args):
    done = run(program, here, *args, '--ask', 'hag', '--temperature', 0)
    return done.stdout.splitlines()[0] if done.returncode == 0 else done.stderr


def test_tuned(program, here):
    done = run(program, here, '--data', 'letters.txt', '--steps', 60, *SMALL, '--model', 'transformer',
               '--save', 'base.st', '--length', 0)
    check('a base is saved', done.returncode == 0 and (here / 'base.st.tokens').exists(), done.stderr)
    for name in ('base.st', 'pairs.tsv'):
        kept = (here / name).read_bytes()
        done = run(program, here, '--init', 'base.st', '--pairs', 'pairs.tsv', '--save', name)
        check(f'{name} is kept', done.returncode != 0 and 'would be overwritten' in done.stderr and
              kept == (here / name).read_bytes(), done.stderr)
    done = run(program, here, '--init', 'base.st', '--pairs', 'pairs.tsv', '--save', 'nowhere/tuned')
    check('a folder that is not there', done.returncode != 0 and not done.stdout and
          'nowhere/tuned: cannot be written: No such file' in done.stderr, (done.stdout, done.stderr))
    tune = ['--init', 'base.st', '--pairs', 'pairs.tsv', '--batch', 8, '--lr', 0.01]
    before = run(program, here, *tune, '--epochs', 0)
    check('before', held_out(before) and float(held_out(before)[1]) > 3, before.stdout + before.stderr)
    for name, more, loads in [('all weights', [], ['--init', 'tuned']),
                              ('adapter', ['--lora', 4], ['--init', 'base.st', '--adapter', 'tuned'])]:
        done = run(program, here, *tune, '--epochs', 6, *more, '--save', 'tuned')
        after = held_out(done)
        check(f'{name} learn', after and float(after[1]) < 1.1 and int(after[2]) >= 38,
              done.stdout + done.stderr)
        again = run(program, here, *loads, '--pairs', 'pairs.tsv', '--epochs', 0, '--batch', 8)
        check(f'{name} are saved', after and held_out(again) and after[0] == held_out(again)[0], again.stdout)
        check(f'{name} answer', answer(program, here, *loads) == 'h', answer(program, here, *loads))
        if not more:
            (here / 'tuned').unlink()
    run(program, here, *tune, '--lora', 4, '--epochs', 1, '--save', 'short')
    more = run(program, here, *tune, '--adapter', 'short', '--epochs', 3, '--save', 'longer')
    again = run(program, here, *tune, '--adapter', 'longer', '--epochs', 0)
    check('an adapter goes on', held_out(more) and float(held_out(more)[1]) < 1.1
          and held_out(again)[0] == held_out(more)[0], more.stdout + more.stderr + again.stdout)
    few = re.search(r'tuned: (\d+) parameters of an adapter \(the model has (\d+)\), 1080 passes',
                    more.stdout)
    check('an adapter is smaller', few and 3 * int(few[1]) < int(few[2]), done.stdout)
    again = run(program, here, *tune, '--epochs', 0)
    check('the base is what it was', held_out(again)[0] == held_out(before)[0], again.stdout)


def test_selection(program, here):
    simple = ['--ratio', 'simple', '--interval', 'fixed', '--interval-epochs', 6]
    runs = [('hard', [*simple, '--scores', 'training'], 360 + 5 * 252), ('random', simple, 360 + 5 * 252),
            ('soft', ['--interval', 'cycles', '--cycles', 5, '--interval-epochs', 1, '--interval-end', 1,
                      '--redraw', '--rescore'], 360 + 72 + 126 + 180 + 234 + 288),
            ('hard', ['--ratio', 'fixed', '--share', 0.5], 6 * 180)]
    for strategy, more, passes in runs:
        done = run(program, here, '--init', 'base.st', '--pairs', 'pairs.tsv', '--epochs', 6, '--attent',
                   strategy, *more)
        check(f'{strategy} {more}', f' {passes} passes' in done.stdout, done.stdout + done.stderr)


def test_make_pairs(_, here):
    (here / 'words.txt').write_text('A city must stop the boxes; make fox play.')
    maker = Path(__file__).parents[2] / 'programs' / 'language' / 'make_pairs.py'
    made = {seed: subprocess.run([sys.executable, maker, 'words.txt', seed], cwd=here, capture_output=True,
                                 text=True, check=True).stdout.splitlines() for seed in '1234'}
    got = dict(line.split('\t') for lines in made.values() for line in lines)
    for prompt, response in [
        ('plural of city', 'cities'), ('plural of fox', 'foxes'), ('plural of play', 'plays'),
        ('past of city', 'citied'), ('past of stop', 'stopped'), ('past of make', 'maked'),
        ('past of fox', 'foxed'), ('ing of make', 'making'), ('ing of stop', 'stopping'),
        ('ing of city', 'citying'), ('capitals of must', 'MUST'), ('backwards of boxes', 'sexob'),
    ]:
        check(prompt, got.get(prompt, response) == response, got.get(prompt))
    check('two of a word', all(len(lines) == 16 for lines in made.values()), made)
    tasks = {'plural', 'past', 'ing', 'capitals', 'backwards'}
    check('all tasks', {line.split()[0] for line in got} == tasks)
    check('other seeds', made['1'] != made['2'])


def test_pairs_refused(program, here):
    saved = (here / 'base.st.tokens').read_text()
    for text, words in [
        ('abc\tb\nabc b\n', 'bad.tsv:2: is not a prompt, a tab and a response (got no tab)'),
        ('abc\tb\n\nabc\tb\n', 'bad.tsv:2: is not a prompt, a tab and a response (got a blank line)'),
        ('abc\tb\r\n\r\n', 'bad.tsv:2: is not a prompt, a tab and a response (got a blank line)'),
        ('abc\t\n', 'bad.tsv:1: is not a prompt, a tab and a response (got an empty response)'),
        ('\tb\n', 'bad.tsv:1: is not a prompt, a tab and a response (got an empty prompt)'),
        ('abc\tb\tc', 'bad.tsv:1: is not a prompt, a tab and a response (got more than one tab)'),
        ('abc\tb\na\0c\tb\n', 'bad.tsv:2: has a zero byte, so it is not a text'),
        ('abc\tb\nabc\tz\n', 'bad.tsv:2: the response has a token that the model does not know (got "z")'),
        ('abc\tb\nazc\tb\n', 'bad.tsv:2: the prompt has a token that the model does not know (got "z")'),
        ((here / 'long.tsv').read_text(),
         'bad.tsv:12: is longer than the model sees (got 34 tokens, need 32 at most; --time'),
        ('abc\tb\n', 'bad.tsv: has too few pairs, of which the last tenth is held out (got 1, need 10)'),
    ]:
        (here / 'bad.tsv').write_bytes(text.encode())
        done = run(program, here, '--init', 'base.st', '--pairs', 'bad.tsv')
        check(f'refused {text[:20]!r}', done.returncode == 1 and words in done.stderr, done.stderr)
    for text in ['', 'bytes 3\n', saved[:-3], saved.replace('bytes', 'bits'), saved + '1 z\n',
                 saved.replace('1 a\n1 b\n', '1 b\n1 a\n'), 'bytes 99999999\n',
                 saved.replace('1 a', '9 a')]:
        (here / 'base.st.tokens').write_text(text)
        done = run(program, here, '--init', 'base.st')
        check(f'refused tokens {text[:20]!r}', done.returncode == 1 and 'is no vocabulary' in done.stderr,
              done.stderr)
    (here / 'base.st.tokens').write_text(saved)


def test_refused(program, here):
    for args, words in [
        ([], '--data: is needed'),
        (['--data', 'nothing.txt'], 'nothing.txt: cannot be read'),
        (['--data', 'zero.txt'], 'zero.txt:2: has a zero byte'),
        (['--data', 'counting.txt', '--time', '1'],
         '--time takes a whole number from 2 to 100000, not "1"'),
        (['--data', 'counting.txt', '--steps', 'x'],
         '--steps takes a whole number from 0 to 1000000000, not "x"'),
        (['--data', 'counting.txt', '--time', '50000'], 'than --time (got 1399, need 50001)'),
        (['--data', 'counting.txt', '--model', 'rnn'],
         '--model is "rnn", must be one of all, fighter, transformer, lstm, s4'),
        (['--data', 'counting.txt', '--after', '='], 'no token of the text'),
        (['--data', 'counting.txt', '--width', '6', '--steps', '0'], 'fighter: '),
        (['--colour', 'red'], 'unknown option --colour'),
        (['--data'], '--data FILE: the value is missing'),
        (['--data', 'counting.txt', '--pairs', 'pairs.tsv'], '--pairs: needs --init'),
        (['--data', 'counting.txt', '--save', 'x'], '--save: needs --model'),
        (['--data', 'counting.txt', '--init', 'base.st'], '--init: has learned a text'),
        (['--init', 'nothing.st'], 'nothing.st.tokens: cannot be read'),
        (['--init', 'base.st', '--lora', '4'], '--lora: needs --pairs'),
        (['--init', 'base.st', '--attent', 'hard'], '--attent: needs --pairs'),
        (['--init', 'base.st', '--save', 'x'], '--save: needs something to train'),
        (['--init', 'base.st', '--adapter', 'none.lora'],
         'language: none.lora/adapter_config.json: cannot open'),
        (['--init', 'base.st', '--pairs', 'pairs.tsv', '--attent', 'most'],
         '--attent is "most", must be one of none, soft, hard, random'),
        (['--init', 'base.st', '--pairs', 'pairs.tsv', '--attent', 'hard', '--interval', 'cycles'],
         'pairs.tsv: attent: 10 cycles'),
        (['--init', 'base.st', '--ask', 'abcdefgh' * 5],
         '--ask: is longer than the model sees (got 40 tokens, need 30 at most)'),
        (['--init', 'base.st', '--prompt', 'abcdefgh' * 4],
         '--prompt: is longer than the model sees (got 32 tokens, need 31 at most)'),
        (['--init', 'base.st', '--ask', 'abz'],
         '--ask: the prompt has a token that the model does not know (got "z")'),
        (['--init', 'base.st', '--prompt', 'abz'],
         '--prompt: the text has a token that the model does not know (got "z")'),
        (['--init', 'base.st', '--time', '64'], 'language: base.st: layer 1 (position)'),
        (['--init', 'base.st', '--save', 'x', '--pairs', 'none.tsv'], 'none.tsv: cannot be read'),
        (['--init', 'base.st', '--save', 'base.st.tokens', '--pairs', 'pairs.tsv'], 'would be overwritten'),
    ]:
        done = run(program, here, *args)
        check(f'refused {args}', done.returncode == 1 and words in done.stderr, done.stderr)
        check(f'one message for {args}', done.stderr.count('\n') == 1 and done.stderr.count('base.st: ') < 2,
              done.stderr)
    check('help', run(program, here, '--help').returncode == 0)


def test_without_effect(program, here):
    """An option that would do nothing is refused by its name."""
    init, tune = ['--init', 'base.st'], ['--init', 'base.st', '--pairs', 'pairs.tsv']
    data, hard = ['--data', 'counting.txt'], ['--init', 'base.st', '--pairs', 'pairs.tsv', '--attent', 'hard']
    for args, words in [
        *(([*init, f'--{name}', value], 'is for new models') for name, value in [
            ('model', 's4'), ('vocab', 9), ('after', '='), ('steps', 9), ('width', 9), ('layers', 1),
            ('heads', 1), ('hops', 1), ('dropout', 0)]),
        ([*init, '--words'], 'is for new models (got --init, need --data)'),
        *(([*init, f'--{name}', 1], 'needs --pairs') for name in ('lora', 'epochs')),
        *(([*init, f'--{name}', 1], 'needs something to train: --pairs') for name in ('lr', 'batch')),
        *(([*tune, f'--{name}', value], 'needs --attent') for name, value in [
            ('ratio', 'fixed'), ('share', 0.5), ('interval', 'cycles'), ('interval-epochs', 2),
            ('interval-end', 2), ('cycles', 2), ('scores', 'pass')]),
        *(([*tune, '--attent', 'none', f'--{name}'], 'needs --attent') for name in ('redraw', 'rescore')),
        ([*hard, '--share', 0.5], 'needs --ratio fixed or simple'),
        ([*hard, '--cycles', 2], 'needs --interval cycles'),
        ([*hard, '--interval-end', 2], 'needs --interval cycles'),
        ([*hard, '--rescore'], 'needs --redraw'),
        *(([*tune, f'--{name}', 1], 'with --pairs nothing is written') for name in (
            'prompt', 'length', 'temperature', 'top-k')),
        ([*init, '--ask', 'abc', '--prompt', 'abc'], 'than --ask'),
        *(([*tune, '--epochs', 0, f'--{name}', value], '(got --epochs 0, need 1 or more)') for name, value in
          [('lora', 4), ('attent', 'hard'), ('save', 'x')]),
        *(([*source, '--length', 0, f'--{name}', 1], '(got --length 0, need 1 or more)') for source, name in
          [(init, 'prompt'), (init, 'ask'), (data, 'prompt'), (data, 'temperature'), (data, 'top-k')]),
        ([*init, '--temperature', 0, '--top-k', 5], '(got --temperature 0, need more than 0)'),
        *(([*data, f'--{name}', 'abc'], 'needs --init') for name in ('pairs', 'adapter', 'ask')),
        ([*data, '--vocab', 9], 'needs --words'),
        ([*data, '--model', 'lstm', '--heads', 2], 'is for fighter and transformer (got --model lstm)'),
        ([*data, '--model', 's4', '--hops', 2], 'is for fighter (got --model s4)'),
    ]:
        done = run(program, here, *args)
        name = [one for one in args if str(one).startswith('--')][-1]
        check(f'no effect: {args}', done.returncode == 1 and f'language: {name}: ' in done.stderr and
              words in done.stderr and not done.stdout, done.stderr)


def test_line_ends(program, here):
    """Pairs with CR LF are those with LF."""
    (here / 'dos.tsv').write_bytes((here / 'pairs.tsv').read_bytes().replace(b'\n', b'\r\n'))
    got = [held_out(run(program, here, '--init', 'base.st', '--pairs', name, '--epochs', 1))
           for name in ('pairs.tsv', 'dos.tsv')]
    check('CR LF', all(got) and got[0][0] == got[1][0], got)


def test_rare_words(program, here):
    """A model of words reads a rare one as "?", and refuses to learn to write it."""
    (here / 'lines.txt').write_text('one two three\n' * 400)
    run(program, here, '--data', 'lines.txt', '--words', '--steps', 5, *SMALL, '--model', 'lstm', '--save',
        'words.st', '--length', 0)
    done = run(program, here, '--init', 'words.st', '--ask', 'nine')
    check('a rare word is asked', done.returncode == 0, done.stderr)
    for pair, good in [('nine\tone', True), ('one\tnine', False)]:
        (here / 'words.tsv').write_text(f'{pair}\n' * 10)
        done = run(program, here, '--init', 'words.st', '--pairs', 'words.tsv', '--epochs', 0)
        check(pair, good == (done.returncode == 0) and
              good != ('words.tsv:1: the response has a token that the model does not know (got "nine")'
                       in done.stderr), done.stderr)


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        counting(here)
        quizzes(here)
        letters(here)
        (here / 'zero.txt').write_bytes(b'one\ntwo\0three')
        for test in (test_all_models, test_words, test_marked, test_tuned, test_selection, test_make_pairs,
                     test_pairs_refused, test_refused, test_without_effect, test_line_ends,
                     test_rare_words):
            test(program, here)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
