#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The classify program from outside: usage test_classify.py CLASSIFY plots|no-plots

Every model on a small generated corpus, the same weights for any number of threads, saved and loaded
models, predictions line by line, and for each kind of bad input a sentence and the exit status 1.
"""

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tool_checks import defaults, interrupt

KEYS = """dataset model parameters train_samples test_samples epochs_run train_seconds test_accuracy
    samples_backpropagated seed threads weights_hash""".split()
SMALL = '--dim 8 --max-tokens 16 --buckets 512 --validation 0.05 --epochs 1'.split()
TOPICS = {'1': 'minister treaty border war', '2': 'match goal coach league', '3': 'shares profit oil bank'}
COMMON = 'the a said on in new after with'

failures = []


def check(what, good, more=''):
    if not good:
        failures.append(what)
        print(f'FAIL {what} {more}')


class Classify:
    """Runs the program in a directory of its own."""

    def __init__(self, program, directory):
        self.program = str(Path(program).resolve())
        self.directory = directory

    def run(self, *args, text=''):
        return subprocess.run([self.program, *map(str, args)], cwd=self.directory, input=text,
                              capture_output=True, encoding='utf-8', timeout=300, check=False)

    def models(self):
        """What --model takes, as the sentence says that refuses another name."""
        said = self.run('--train', 'train.csv', '--model', '?').stderr.strip()
        return said.split('must be one of ')[-1].split(', ')

    def measured(self, *args):
        """The JSON object of a run that must succeed."""
        done = self.run(*args, '--json')
        name = ' '.join(map(str, args))
        check(name, done.returncode == 0, done.stderr)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            check(f'{name}: one JSON object', False, done.stdout)
            return {}

    def trained(self, *args):
        train = [] if '--train' in args else ['--train', 'train.csv']
        return self.measured(*train, '--test', 'test.csv', *defaults(SMALL, args), *args)

    def refused(self, what, words, *args):
        """Exit status 1, nothing on the output, one sentence with these words last."""
        done = self.run(*args)
        last = done.stderr.strip().split('\n')[-1]
        check(what, done.returncode == 1 and done.stdout == '', f'status {done.returncode}, {done.stdout!r}')
        for word in words:
            check(what, word in last, f'"{word}" is not in "{last}"')
        check(what, last.startswith('fighter-classify: '), last)


def write_corpus(directory):
    draw = random.Random(1)

    def rows(count):
        made = []
        for i in range(count):
            name = str(i % 3 + 1)
            words = draw.sample(TOPICS[name].split(), 2) + draw.sample(COMMON.split(), 4)
            draw.shuffle(words)
            made.append((name, ' '.join(words)))
        return made

    def csv(some):
        return ''.join('"{}","{}","{}"\n'.format(name, *text.split(' ', 1)) for name, text in some)

    train, test = rows(360), rows(60)
    (directory / 'train.csv').write_text(csv(train))
    (directory / 'test.csv').write_text(csv(test))
    (directory / 'marks.csv').write_text(csv([(name, text + '!') for name, text in train]))
    (directory / 'train.csv.gz').write_bytes(gzip.compress(csv(train).encode()))
    (directory / 'train.txt').write_text(''.join(f'__label__c{n} {t}\n' for n, t in train))
    (directory / 'test.txt').write_text(''.join(f'__label__c{n} {t}\n' for n, t in test))
    (directory / 'unseen.csv').write_text('"9","a","goal"\n')
    (directory / 'broken.csv').write_text('"1","a","goal"\n"2","b"\n')
    (directory / 'empty.csv').write_text('')
    (directory / 'blank.csv').write_text('"1","a","goal"\n"2","",""\n')
    (directory / 'one.csv').write_text('"1","a","goal"\n' * 40)
    (directory / 'latin.csv').write_bytes(csv(test).encode() + b'"1","\xff\xfe","goal"\n')


def test_models(c):
    for model in c.models():
        got = c.trained('--model', model, '--save', f'{model}.st')
        check(model, all(k in got for k in KEYS), got)
        check(model, (got['model'], got['dataset']) == (model, 'train'), got)
        check(model, (got['train_samples'], got['val_samples'], got['test_samples']) == (342, 18, 60), got)
        check(model, got['samples_backpropagated'] == 342 and got['epochs_run'] == 1, got)
        check(model, sum(k['texts'] for k in got['classes']) == 60, got)
        two = c.trained('--model', model, '--threads', 2)
        one = c.trained('--model', model, '--threads', 1)
        check(f'{model}: threads', got['weights_hash'] == one['weights_hash'] == two['weights_hash'])
        loaded = c.measured('--load', f'{model}.st', '--test', 'test.csv')
        for key in ('weights_hash', 'test_accuracy', 'model', 'parameters', 'seed'):
            check(f'{model} loaded: {key}', got[key] == loaded[key], (got[key], loaded[key]))
        check(f'{model} loaded', loaded['epochs_run'] == 0 and loaded['test_samples'] == 60, loaded)


def test_choices(c):
    same = c.trained()
    good = c.trained('--epochs', 30, '--lr', 0.01, '--dropout', 0, '--save', 'good.st')
    check('it learns', good['test_accuracy'] > 0.95, good)
    check('--seed', c.trained('--seed', 2)['weights_hash'] != same['weights_hash'])
    packed = c.measured('--train', 'train.csv.gz', '--test', 'test.csv', *SMALL)
    check('gzip', packed['weights_hash'] == same['weights_hash'], packed)
    lines = c.measured('--train', 'train.txt', '--test', 'test.txt', *SMALL)
    check('lines', lines['weights_hash'] == same['weights_hash'], lines)
    check('lines', lines['classes'][0]['class'] == 'c1', lines)
    for how in ('random', 'hard', 'soft', 'class-weight', 'gradnorm', 'infobatch'):
        got = c.trained('--attent', how, '--epochs', 3, '--patience', -1)
        check(f'--attent {how}', got['epochs_run'] == 3 and got['samples_backpropagated'] < 3 * 342, got)
        check(f'--attent {how}', got['attent'] == how, got)
    got = c.trained('--attent', 'fixed-weight', '--group-weights', '1,2,2', '--ratio', 'fixed', '--share',
                    0.5)
    check('--attent fixed-weight', got['samples_backpropagated'] == 171, got)
    marks = c.trained('--train', 'marks.csv', '--punctuation', '--save', 'marks.st')
    check('--punctuation', c.trained('--train', 'marks.csv')['weights_hash'] == same['weights_hash'])
    check('--punctuation', marks['weights_hash'] != same['weights_hash'], marks)
    again = c.measured('--load', 'marks.st', '--test', 'test.csv')
    check('--punctuation loaded', again['test_accuracy'] == marks['test_accuracy'], again)
    runs = c.trained('--buckets', 0, '--save', 'runs.st')
    check('--buckets 0', runs['weights_hash'] != same['weights_hash'], runs)
    again = c.measured('--load', 'runs.st', '--test', 'test.csv')
    check('--buckets 0, loaded', again['test_accuracy'] == runs['test_accuracy'], again)
    stems = c.trained('--prefix', 3, '--save', 'stems.st')
    check('--prefix', stems['weights_hash'] != same['weights_hash'], stems)
    again = c.measured('--load', 'stems.st', '--test', 'test.csv')
    check('--prefix, loaded', again['test_accuracy'] == stems['test_accuracy'], again)
    first = c.trained('--buckets', 0, '--pretrain', 3, '--threads', 2)
    check('--pretrain', first['weights_hash'] != runs['weights_hash'], first)
    one = c.trained('--buckets', 0, '--pretrain', 3, '--threads', 1)
    check('--pretrain: threads', first['weights_hash'] == one['weights_hash'])
    paper = c.trained('--validation', 0.1, '--hops', 3, '--layers', 1, '--epochs', 25, '--batch', 32,
                      '--patience', -1)
    check("the paper's setting", (paper['val_samples'], paper['epochs_run']) == (36, 25), paper)
    check("the paper's setting", paper['samples_backpropagated'] == 25 * 324, paper)
    few = c.measured('--train', 'train.csv', '--test', 'test.csv', '--dim', 8, '--epochs', 1)
    check('few texts are all trained on', (few['val_samples'], few['val_accuracy']) == (0, None), few)
    none = c.trained('--validation', 0)
    check('no validation', (none['val_samples'], none['train_samples']) == (0, 360), none)
    latin = c.run('--load', 'good.st', '--test', 'latin.csv')
    check('invalid UTF-8', latin.returncode == 0 and 'UTF-8' in latin.stderr, latin.stderr)
    check('confusion', 'precision' in latin.stdout and 'recall' in latin.stdout, latin.stdout)


def test_scores(c):
    """F1 of each class, and its mean over the classes that the test has; no nan where one has no texts."""
    some = [line for line in (c.directory / 'test.csv').read_text().split('\n') if not line.startswith('"3"')]
    (c.directory / 'some.csv').write_text('\n'.join(some))
    c.trained('--save', 'scores.st')
    said = c.run('--load', 'scores.st', '--test', 'some.csv').stdout
    check('no nan', 'nan' not in said and 'macro F1' in said, said)
    empty = [row.split()[-1] for row in said.split('\n') if row.startswith('  3 ')]
    check('a class without texts', empty == ['-'], said)
    got = c.measured('--load', 'scores.st', '--test', 'some.csv')
    rows = got['classes']
    check('null', rows[2]['f1'] is None and rows[2]['recall'] is None, rows)
    want = [2 * r['precision'] * r['recall'] / (r['precision'] + r['recall']) for r in rows[:2]]
    check('f1', all(abs(r['f1'] - w) < 1e-9 for r, w in zip(rows, want)), rows)
    check('macro F1', abs(got['test_macro_f1'] - sum(want) / 2) < 1e-9, got)


def test_layers(c):
    """Fighter layers of the texts of a page are in the object, too. Several words have no name."""
    page = c.directory / 'layers.html'
    for more in ([], ['--letters', 3, '--ngrams', 1]):
        got = c.trained('--threads', 1, '--report', page.name, *more)['fighter_texts']
        parts = page.read_text(encoding='utf-8').split("<details id='importance-")[1:]
        check('layers', len(got) == 4 and len(parts) == sum(len(text['layers']) for text in got), got)
        for text, part in zip(got, parts):
            one = text['layers'][0]
            check('layer', f"<p>Layer {one['layer']}</p>" in part, part[:200])
            cells = r"<th scope='row' class='name'>([^<]*)</th><td>([^<]*)</td>"
            lines = re.findall(cells, part.split('</table>')[0])
            check('words', len(lines) == len(text['words']) == len(one['importance']), (lines, text))
            for word, share, (name, number) in zip(text['words'], one['importance'], lines):
                check('importance', number == f'{share:.3g}' and (not word or name.split(' (')[0] == word),
                      (word, share, name, number))
            check('sums', all(abs(sum(one[name]) - 1) < 1e-6 for name in ('importance', 'hop_shares')), one)
    check('other layers', c.trained('--model', 'gru')['fighter_texts'][0]['layers'] == [])


def test_rare(c):
    """A class of few texts is found if it counts as if it had more, and the report says where it is not."""
    words = ['red'] * 20 + ['blue'] * 180
    (c.directory / 'rare.csv').write_text(''.join(f'{2 if i < 20 and i % 2 else 1},{word} {"fgh"[i % 3]}\n'
                                                  for i, word in enumerate(words)))
    options = ['--train', 'rare.csv', '--test', 'rare.csv', '--dim', 8, '--epochs', 20, '--balance']
    said = [c.run(*options, b).stdout for b in (0, 1)]
    check('missed', 'hardly ever found: 2 (0 of 10) test texts; they need more training samples, or '
                    '--balance 1\n' in said[0], said[0])
    check('found', 'hardly ever' not in said[1], said[1])
    said = c.run(*options[:2], *options[4:], 0, '--validation', 0.5, '--save', 'rare.st').stdout
    check('missed in the validation', 'found: 2 (0 of ' in said and ') validation texts' in said, said)
    c.refused('--balance', ['balance'], '--train', 'train.csv', '--test', 'test.csv', '--balance', '2')
    c.refused('--load', ['balance'], '--load', 'scores.st', '--test', 'test.csv', '--balance', '1')


def test_letters(c):
    """Words that no training text has, but whose letters are those of a class."""
    ends = {'it': 'zione', 'no': 'kning'}
    draw = random.Random(3)

    def rows(count):
        made = []
        for i in range(count):
            name = sorted(ends)[i % 2]
            made.append(f'{name},{"".join(draw.choices("bcdfgl", k=4))}{ends[name]}')
        return 'label,text\n' + '\n'.join(made) + '\n'

    (c.directory / 'ends.csv').write_text(rows(200))
    (c.directory / 'other.csv').write_text(rows(60))
    files = ['--train', 'ends.csv', '--test', 'other.csv', '--dim', 8]
    got = c.measured(*files, '--save', 'ends.st')
    check('letters', got.get('test_accuracy') == 1, got)
    again = c.measured('--load', 'ends.st', '--test', 'other.csv')
    check('loaded', again.get('weights_hash') == got.get('weights_hash') and again['test_accuracy'] == 1,
          again)
    check('size', (c.directory / 'ends.st').stat().st_size < 100000, (c.directory / 'ends.st').stat())
    c.refused('hidden words', ['--letters'], *files, '--pretrain-masked', 1, '--letters', 3)


def test_table(c):
    """--describe: a line for each layer, with its route, which --products changes."""
    both, routes = ['--train', 'train.csv', '--test', 'test.csv', *SMALL, '--describe'], {}
    for products in ('auto', 'blis'):
        done = c.run(*both, '--products', products)
        lines = done.stdout.splitlines()
        check('--describe', done.returncode == 0 and any(line.startswith('layer ') for line in lines), done)
        check('--describe', any(' parameters; a forward pass of ' in line for line in lines), lines)
        routes[products] = [line.split('  ')[-1].strip() for line in lines if line.startswith('blocks.0 ')]
    check('--products', routes == {'auto': ['short'], 'blis': ['over outputs, held']}, routes)
    auto, blis = (c.trained('--describe', '--validation', 0.2, '--products', products) for products in routes)
    check('--products blis', abs(auto['val_loss'] - blis['val_loss']) < 1e-3 * auto['val_loss'], (auto, blis))
    c.refused('other products', ['--products', 'mkl', 'auto, blis'], *both, '--products', 'mkl')


def test_checkpoint(c):
    """A finished run is resumed at its end; another one is not."""
    options = ['--epochs', 3, '--patience', -1]
    whole = c.trained(*options, '--checkpoint', 'run.checkpoint', '--checkpoint-every', 2)
    again = c.trained(*options, '--resume', 'run.checkpoint')
    for key in ('weights_hash', 'epochs_run', 'samples_backpropagated', 'test_accuracy', 'val_loss'):
        check(f'resumed: {key}', whole[key] == again[key], (whole[key], again[key]))
    both = ['--train', 'train.csv', '--test', 'test.csv', *SMALL[:-2], '--json']
    c.refused('another seed', ['run.checkpoint', 'seed'], *both, *options, '--seed', 2, '--resume',
              'run.checkpoint')
    text = (c.directory / 'train.csv').read_text()
    (c.directory / 'other.csv').write_text(text[:text.rindex(' ')] + ' other"\n')
    c.refused('other texts', ['run.checkpoint', 'with other data'], '--train', 'other.csv', *both[2:],
              *options, '--resume', 'run.checkpoint')
    c.refused('another run', ['run.checkpoint'], *both, '--epochs', 2, '--resume', 'run.checkpoint')
    c.refused('nowhere to write', ['nowhere/c: cannot be written'], *both, '--checkpoint', 'nowhere/c')


def test_interrupt(c):
    args = ['--train', 'train.csv', '--test', 'test.csv', *SMALL[:-2], '--epochs',
            '1000000', '--patience', '-1', '--json', '--save', 'i.st']
    status, out, err = interrupt([c.program, *args], c.directory, 'epoch  2/')
    got = json.loads(out)
    check('^C ends the training', status == 130 and got['cancelled'] and got['test_accuracy'] > 0, err)
    same = c.measured('--load', 'i.st', '--test', 'test.csv')
    check('and leaves a model', same['weights_hash'] == got['weights_hash'] and not same['cancelled'], same)


def wait_until_asleep(process):
    """Until it waits for something, at most ten seconds."""
    stat = Path(f'/proc/{process.pid}/stat')
    for _ in range(1000):
        time.sleep(0.01)
        if stat.read_text().rsplit(')', 1)[1].split()[0] == 'S':
            break


def test_interrupted_lines(c):
    """^C where a line of the standard input is awaited, after a training, is no error of reading."""
    with subprocess.Popen([c.program, '--train', 'train.csv', *SMALL, '--predict'], cwd=c.directory,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as p:
        p.stdin.write('the minister\n')
        p.stdin.flush()
        line = p.stdout.readline()
        wait_until_asleep(p)  # it reads again
        p.send_signal(signal.SIGINT)
        p.wait(timeout=60)
        err = p.stderr.read()
    check('^C at the next line', line[:1] in '123' and p.returncode == 130 and 'cannot be read' not in err,
          (p.returncode, err))


def test_full_disk(c):
    """What cannot be written is no success."""
    if not os.path.exists('/dev/full'):
        return
    c.trained('--save', 'full.st')
    load = [c.program, '--load', 'full.st']
    for args in ([*load, '--predict', 'test.csv'], [*load, '--test', 'test.csv'], [c.program, '--help'],
                 [c.program, '--version']):
        with open('/dev/full', 'wb') as full:
            done = subprocess.run(args, cwd=c.directory, stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        check(f'a full disk: {args[1:]}', done.returncode == 1 and done.stderr.count('standard output') == 1,
              done)


def test_members(c):
    options = ['--members', 3, '--validation', 0, '--epochs', 2, '--attent', 'soft']
    whole = c.trained(*options, '--save', 'members.st', '--checkpoint', 'm.checkpoint', '--threads', 2)
    first = c.trained('--members', 1, *options[2:])
    check('--members', (whole['members'], first['members']) == (3, 1), (whole, first))
    check('--members', whole['parameters'] == 3 * first['parameters'], whole)
    check('--members', whole['samples_backpropagated'] > 2 * first['samples_backpropagated'], whole)
    check('--members: threads', c.trained(*options, '--threads', 1)['weights_hash'] == whole['weights_hash'])
    one = c.trained(*options[2:], '--resume', 'm.checkpoint')
    check('the first of them', one['weights_hash'] == first['weights_hash'], one)
    loaded = c.measured('--load', 'members.st', '--test', 'test.csv')
    for key in ('members', 'weights_hash', 'test_accuracy', 'parameters', 'seed'):
        check(f'members loaded: {key}', whole[key] == loaded[key], (whole[key], loaded[key]))
    (c.directory / 'm.checkpoint.2').unlink()  # as after an interruption between two members
    again = c.trained(*options, '--resume', 'm.checkpoint', '--checkpoint', 'm.checkpoint')
    for key in ('weights_hash', 'epochs_run', 'samples_backpropagated', 'test_accuracy'):
        check(f'members resumed: {key}', whole[key] == again[key], (whole[key], again[key]))
    both = ['--train', 'train.csv', '--test', 'test.csv', *defaults(SMALL, options)]
    c.refused('a run that is not there', ['--resume nothing', 'No such file'], *both, '--members', 3,
              '--checkpoint', 'm.checkpoint', '--resume', 'nothing')
    # a member's file is read, not removed and made anew, so another member's is refused
    (c.directory / 'm.checkpoint.1').write_bytes((c.directory / 'm.checkpoint.2').read_bytes())
    c.refused('the file of another member', ['m.checkpoint.1', 'seed'], *both, *options, '--checkpoint',
              './m.checkpoint', '--resume', 'm.checkpoint', '--json')
    texts = (c.directory / 'train.csv').read_bytes()
    (c.directory / 'd.1').write_bytes(texts)
    two = ['--test', 'test.csv', *SMALL, '--members', 2]
    c.refused("a member's checkpoint on the data", ['d.1', 'overwritten'], '--train', 'd.1', *two,
              '--checkpoint', 'd')
    check('the data stay', (c.directory / 'd.1').read_bytes() == texts)
    old = (c.directory / 'm.checkpoint').read_bytes()
    (c.directory / 'r.1').write_bytes(old)
    c.refused("a checkpoint on another member's", ['r.1', 'overwritten'], *both[:2], *two, '--resume', 'r.1',
              '--checkpoint', 'r')
    check('the checkpoint stays', (c.directory / 'r.1').read_bytes() == old)
    (c.directory / 'r').write_bytes(old)
    c.refused("a checkpoint on another member's", ['r.1', 'overwritten'], *both[:2], *two, '--resume', 'r',
              '--checkpoint', 'r.1')
    c.refused('two outputs, one of a member', ['two outputs'], *both[:2], *two, '--save', 'z.1',
              '--checkpoint', 'z')
    c.refused('--ntk-plot of members', ['(got --members 2, need 1)'], *both, '--members', 2, '--ntk-plot',
              'k.svg')
    c.refused('no members', ['--members'], *both, '--members', 0)


def test_ntk(c, plots):
    if plots != 'plots':
        c.refused('--ntk-plot', ['without cairo'], '--train', 'train.csv', '--test', 'test.csv', '--ntk-plot',
                  'k.svg')
        return
    same = c.trained('--epochs', 3, '--patience', -1)
    got = c.trained('--epochs', 3, '--patience', -1, '--ntk-plot', 'k.svg')
    check('--ntk-plot changes no weight', got['weights_hash'] == same['weights_hash'] and 'ntk' not in same)
    kernels = got['ntk']
    check('--ntk-plot', [k['epoch'] for k in kernels] == [0, 1, 2, 3], kernels)
    check('--ntk-plot', all(k['norm'] > 0 for k in kernels) and kernels[0]['change'] is None, kernels)
    # |K_2 - K_3| over |K_3|, and over |K_2|
    ratio = kernels[2]['from_last'] * kernels[3]['norm'] / (kernels[3]['change'] * kernels[2]['norm'])
    check('--ntk-plot bounds', all(0 < k['rate_bound'] < 1e3 for k in kernels), kernels)
    check('--ntk-plot', kernels[3]['from_last'] == 0 and abs(ratio - 1) < 1e-6, kernels)
    drawn = (c.directory / 'k.svg').read_text()
    check('--ntk-plot', drawn.startswith('<?xml') and drawn.rstrip().endswith('</svg>'))
    c.trained('--ntk-plot', 'k.png', '--batch', 4)
    check('--ntk-plot .png', (c.directory / 'k.png').read_bytes().startswith(b'\x89PNG'))
    c.refused('--ntk-plot name', ['.svg'], '--train', 'train.csv', '--test', 'test.csv', '--ntk-plot',
              'k.pdf')
    c.refused('nothing to draw', ['none.csv'], '--train', 'none.csv', '--save', 'x.st', '--ntk-plot', 'n.svg')
    check('no empty plot', not (c.directory / 'n.svg').exists())
    c.refused('--ntk-plot loaded', ['--load'], '--load', 'good.st', '--test', 'test.csv', '--ntk-plot',
              'k.svg')


def test_predict(c):
    text = 'the coach said goal\n\nshares profit \u00e9\r\nminister treaty border war ' + 'war ' * 500
    done = c.run('--load', 'good.st', '--predict', text=text)
    rows = [line.split() for line in done.stdout.splitlines()]
    check('predict', done.returncode == 0 and len(rows) == 4, done)
    check('predict', [rows[i][0] for i in (0, 2, 3)] == ['2', '3', '1'], rows)
    check('predict', all(1 / 3 < float(p) <= 1 for _, p in rows), rows)
    done = json.loads(c.run('--load', 'good.st', '--predict', '--json', text=text).stdout)
    check('predict, in JSON', [p['class'] for p in done['predictions']] == [row[0] for row in rows], done)
    check('predict, in JSON', all(abs(p['probability'] - float(row[1])) < 1e-4
                                  for p, row in zip(done['predictions'], rows)), done)
    done = c.run('--load', 'good.st', '--predict')
    check('predict nothing', done.returncode == 0 and done.stdout == '', done)
    text = '__label__1 coach\\ngoal\n  shares\\nprofit oil\n\nthe war, "a treaty"\n'
    (c.directory / 'lines.txt').write_text(text)
    done = c.run('--load', 'good.st', '--predict', text=text)
    check('predict lines', done.stdout == c.run('--load', 'good.st', '--predict', 'lines.txt').stdout, done)
    done = c.run('--load', 'good.st', '--predict', text='the war\n\0\nprofit\n')
    check('predict a zero byte', done.returncode == 1 and done.stdout.count('\n') == 1 and
          'line 2 of the standard input contains a zero byte' in done.stderr, done)
    check('--help', '--max-tokens' in c.run('--help', 'all').stdout)


def test_dataset(c):
    """A file's name in the JSON object is text, whatever bytes it has."""
    name = os.fsdecode(b'\xe9' + 90 * '\u00e9'.encode() + b'.csv')
    try:
        (c.directory / name).write_bytes((c.directory / 'test.csv').read_bytes())
    except OSError:
        return  # a file system with names in UTF-8 alone
    got = c.measured('--load', 'good.st', '--test', name)
    check('dataset', got['dataset'] == '?' + 63 * '\u00e9', got)


def test_adapters(c):
    """An adapter is trained and used again; the model's file stays as it is."""
    model = (c.directory / 'good.st').read_bytes()
    task = ['--load', 'good.st', '--test', 'test.csv']
    base = c.measured(*task)
    adapted = c.measured(*task, '--train', 'train.csv', '--adapt', 'a.lora/', '--adapt-rank', 2,
                         '--epochs', 2)
    used = c.measured(*task, '--adapter', 'a.lora')
    for key in ('weights_hash', 'test_accuracy', 'parameters'):
        check(f'--adapter: {key}', adapted[key] == used[key], (adapted[key], used[key]))
    check('--adapt', adapted['parameters'] < base['parameters'], (adapted, base))
    check('--adapt', adapted['weights_hash'] != base['weights_hash'], adapted)
    check('--adapt: the model', (c.directory / 'good.st').read_bytes() == model)
    c.refused('adapt nothing', ['--load'], '--train', 'train.csv', '--adapt', 'a.lora')
    more = c.measured(*task, '--train', 'train.csv', '--adapt', 'a.lora', '--adapt-rank', 2, '--epochs', 1,
                      '--adapt-maps', '*', '--adapt-whole', 'head.')
    check('--adapt: tables and a whole head', more['parameters'] > adapted['parameters'], more)
    members = ['--load', 'members.st', '--test', 'test.csv']
    c.refused('another model', ['members.st: ', '(got --model gru, need fighter)'], *members, '--model',
              'gru')
    c.refused('adapter of members', ['(got a classifier of 3 members, need 1)'], *members, '--adapter',
              'a.lora')
    c.refused('no adapter', ['nowhere'], *task, '--adapter', 'nowhere')
    adapt = [*task, '--train', 'train.csv', '--adapt', 'b.lora']
    c.refused('no such map', ['nothing'], *adapt, '--adapt-maps', 'nothing')
    c.refused('adapt with images', ['of texts, so --adapt needs --train'], '--load', 'good.st', '--images',
              'none', '--adapt', 'b.lora')
    c.refused('adapt to a file', ['train.csv: it is not a folder'], *task, '--train', 'train.csv', '--adapt',
              'train.csv')


def test_pretraining(c):
    """Words that are hidden in texts without classes; the classes come after."""
    texts = ['--pretrain-texts', 'test.csv', '--pretrain-masked', 2]
    plain = c.trained('--ngrams', 1)
    hashes = {c.trained(*texts, '--threads', n)['weights_hash'] for n in (1, 2)}
    got = c.trained('--pretrain-masked', 2, '--mask-share', 0.3, '--model', 'gru')
    check('--pretrain-masked', got['pretraining']['epochs_run'] == 2 and got['epochs_run'] == 1, got)
    check('--pretrain-masked: threads', len(hashes) == 1 and plain['weights_hash'] not in hashes, hashes)
    chosen = ['--pretrain-masked', 2, '--attent', 'soft', '--ratio', 'fixed', '--share', 0.5]
    got = c.trained(*chosen, '--attent-in', 'pretraining')
    check('--attent-in pretraining', got['pretraining']['samples_backpropagated'] == 342 ==
          got['samples_backpropagated'], got)
    got = c.trained('--pretrain-masked', 2, '--attent', 'class-weight', '--ratio', 'fixed', '--attent-in',
                    'both')
    check('--attent-in both',
          2 * got['samples_backpropagated'] == got['pretraining']['samples_backpropagated'], got)
    both = ['--train', 'train.csv', '--test', 'test.csv', *SMALL]
    c.refused('classes of others', ['look'], *both, *texts, '--attent', 'class-weight', '--attent-in', 'both')
    c.refused('hidden n-grams', ['--ngrams 1'], *both, '--pretrain-masked', 1, '--ngrams', 2)
    c.refused('words alone', ['mlp'], *both, '--pretrain-masked', 1, '--model', 'mlp')
    c.refused('nothing is hidden', ['--pretrain-masked'], *both, '--mask-share', 0.2)
    c.refused('it is trained', ['--load'], '--load', 'good.st', '--predict', '--pretrain-masked', 1)


def test_bad_input(c):
    train, both = ['--train', 'train.csv'], ['--train', 'train.csv', '--test', 'test.csv', *SMALL]
    c.refused('no option', ['--train'])
    c.refused('no test', ['--test'], *train)
    c.refused('unknown option', ['--what'], '--what')
    c.refused('no value', ['--dim'], '--dim')
    c.refused('bad number', ['--dim', '"x"'], *both[:4], '--dim', 'x')
    c.refused('bad model', ['linears', 'fighter'], *both, '--model', 'linears')
    c.refused('hops', ['--hops', 'gru'], *both, '--model', 'gru', '--hops', 2)
    c.refused('heads', ['3', '8'], *both, '--heads', 3)
    c.refused('the diagonal', ['--diag-dropout', 'fighter'], *both, '--model', 'gru', '--diag-dropout', 0.2)
    c.refused('the activation', ['--act', 'fighter'], *both, '--model', 'gru', '--act', 'relu')
    c.refused('train and load', ['--load'], *train, '--load', 'good.st')
    c.refused('load for nothing', ['--predict'], '--load', 'good.st')
    c.refused('another model', ['fighter'], '--load', 'good.st', '--predict', '--model', 'rnn')
    c.refused('no file', ['nowhere.csv'], '--train', 'nowhere.csv', '--test', 'test.csv')
    c.refused('unseen class', ['9'], *both[:2], '--test', 'unseen.csv')
    c.refused('unseen class, loaded', ['9'], '--load', 'good.st', '--test', 'unseen.csv', '--json')
    c.refused('missing cell', ['broken.csv', 'line 2'], '--train', 'broken.csv', '--test', 'test.csv')
    c.refused('empty file', ['empty.csv'], '--train', 'empty.csv', '--test', 'test.csv')
    c.refused('empty text', ['blank.csv', 'line 2'], '--train', 'blank.csv', '--test', 'test.csv')
    c.refused('one class', ['one.csv'], '--train', 'one.csv', '--test', 'one.csv')
    c.refused('not a classifier', ['test.csv'], '--load', 'test.csv', '--predict')
    c.refused('not to be written', ['nowhere'], *both, '--save', 'nowhere/m.st')
    c.refused('nothing to predict', ['nowhere.txt: cannot be read'], *train, '--predict', 'nowhere.txt')
    (c.directory / 'link.csv').symlink_to('train.csv')
    for option in ('--save', '--report', '--checkpoint'):
        c.refused(f'{option} on the data', ['train.csv', 'overwritten'], *both, option, './train.csv')
        c.refused(f'{option} on the data', ['train.csv', 'overwritten'], *both, option, 'link.csv')
    c.refused('--checkpoint on the model', ['good.st', 'overwritten'], '--load', 'good.st', *train, '--adapt',
              'b.lora', '--checkpoint', './good.st')
    c.refused('patience 0', ['--patience 0'], *both, '--patience', 0)
    c.refused('two outputs', ['two outputs'], *both, '--save', 'm.st', '--report', 'm.st')
    c.refused('two outputs', ['two outputs'], *both, '--save', 'new.st', '--report', './new.st')
    check('the data stay', (c.directory / 'train.csv').read_text().startswith('"1",'))
    (c.directory / 'folder').mkdir()
    for option in ('--save', '--report', '--checkpoint'):
        c.refused(f'{option} on a folder', ['folder: ', 'directory'], *both, option, 'folder')
    c.refused('--predict-all on a folder', ['folder: ', 'directory'], '--load', 'good.st', '--data',
              'test.csv', '--predict-all', 'folder')
    load = ['--load', 'good.st', '--test', 'test.csv']
    for option in ('--dim 4', '--hops 2', '--batch 8', '--members 2', '--ngrams 1'):
        c.refused(f'{option} and --load', ['good.st says', option.split()[0]], *load, *option.split())
    for option in ('--epochs 4', '--lr 1', '--validation 0.1', '--attent soft'):
        c.refused(f'{option} and --load', ['is not trained', option.split()[0]], *load, *option.split())


def main(program, plots):
    with tempfile.TemporaryDirectory() as name:
        c = Classify(program, Path(name))
        write_corpus(Path(name))
        check('the first model', c.models()[0] == 'fighter' and 'lstm' in c.models(), c.models())
        test_models(c)
        test_choices(c)
        test_scores(c)
        test_layers(c)
        test_rare(c)
        test_letters(c)
        test_table(c)
        test_checkpoint(c)
        test_interrupt(c)
        test_interrupted_lines(c)
        test_full_disk(c)
        test_members(c)
        test_adapters(c)
        test_predict(c)
        test_dataset(c)
        test_ntk(c, plots)
        test_pretraining(c)
        test_bad_input(c)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
