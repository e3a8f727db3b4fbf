#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The files that the classify program reads: usage test_classify_files.py CLASSIFY

The same texts in many forms give the same weights: headers, columns in any order, delimiters, names of
classes. Texts without classes are classified.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from test_classify import COMMON, SMALL, TOPICS, Classify, check, failures

NAMES = {'1': 'politics', '2': 'sport', '3': 'trade'}


def make_rows(count):
    draw, rows = random.Random(2), []
    for i in range(count):
        name = str(i % 3 + 1)
        words = draw.sample(TOPICS[name].split(), 3) + draw.sample(COMMON.split(), 3)
        draw.shuffle(words)
        rows.append((name, ' '.join(words[:2]), ' '.join(words[2:])))
    return rows


def write(c, name, rows, line, first=''):
    (c.directory / name).write_text(first + ''.join(line(*row) + '\n' for row in rows))


def test_forms(c, rows):
    """Each form of the same texts, and the options that it needs."""
    forms = {
        'header.csv': ('label,text\n', '{0},{1} {2}', []),
        'text_first.csv': ('text,label\n', '{1} {2},{0}', []),
        'quoted.csv': ('', '"{0}","{1}","{2}"', []),
        'lines_in_cells.csv': ('Class Index,Title,Description\n', '"{0}","{1}\n{2}",""', []),
        'last.csv': ('', '{1} {2},{0}', []),
        'tabs.tsv': ('', '{0}\t{1}, {2}', []),
        'semicolons.csv': ('', '{0};{1}, {2}', ['--delimiter', 'semicolon']),
        'bars.csv': ('', '{0}|{1}|{2}', []),
        'marks.tsv': ('', '{0}\t"{1}" {2}', []),
        'open.tsv': ('', '{0}\t"{1} {2}', []),
        'many.csv': ('id,body,kind,title\n', '7,{2},{0},{1}', ['--label', 'kind', '--text', 'title,body']),
        'numbers.csv': ('', '7,{2},{0},{1}', ['--label', 2, '--text', '3,1']),
        'no_header.csv': ('', '{1} {2},0,{0}', ['--label', 2, '--text', 0, '--header', 'no']),
        'names_above.csv': ('what,words\n', '{0},{1} {2}', []),
        'unusual.csv': ('"9","words"\n', '"{0}","{1} {2}"', ['--header', 'yes']),
        'lines.txt': ('', '__label__{0} {1} {2}', []),
    }
    want = None
    for name, (first, line, options) in forms.items():
        write(c, name, rows, line.format, first)
        got = c.measured('--train', name, '--test', name, *SMALL, *options)
        want = want or got
        check(name, got['weights_hash'] == want['weights_hash'], got)
        check(name, got['test_samples'] == len(rows), got)
    write(c, 'names.csv', rows, lambda n, a, b: f'{NAMES[n]},{a} {b}', 'category,text\n')
    got = c.measured('--train', 'names.csv', '--test', 'names.csv', *SMALL)
    done = c.run('--train', 'names.csv', '--test', 'names.csv', *SMALL)
    check('the test texts are the training texts', 'names.csv: the test texts are' in done.stderr, done)
    check('names of classes', [k['class'] for k in got['classes']] == sorted(NAMES.values()), got)
    check('names of classes', got['weights_hash'] == want['weights_hash'], got)
    got = c.measured('--train', 'header.csv', '--test', 'header.csv', '--label-kind', 'name', *SMALL)
    check('--label-kind', got['weights_hash'] == want['weights_hash'], got)


def test_predict(c, rows):
    c.measured('--train', 'names.csv', '--save', 'names.st', '--dim', 8, '--epochs', 30, '--lr', 0.01,
               '--dropout', 0)
    truth = [NAMES[row[0]] for row in rows[:9]]
    forms = {
        'plain.txt': ('', '{1}, {2}', []),
        'one_column.csv': ('text\n', '"{1}, {2}"', []),
        'two_columns.csv': ('title,body\n', '{1},"{2}"', ['--text', 'title,body']),
        'numbered.csv': ('id,text\n', '7,{1} {2}', []),
        'turned.csv': ('date,text,category\n', 'goal,{1} {2},9', []),
        'with_classes.csv': ('label,text\n', '{0},{1} {2}', []),
        'labels.txt': ('', '__label__x {1} {2}', []),
        'more.csv': ('id,text\n', '7,"{1}\n{2}"', ['--text', 'text']),
    }
    for name, (first, line, options) in forms.items():
        write(c, name, rows[:9], line.format, first)
        done = c.run('--load', 'names.st', '--predict', name, *options)
        got = [row.split()[0] for row in done.stdout.splitlines()]
        check(f'--predict {name}', done.returncode == 0 and got == truth, (done, truth))
    forms = {
        'rated.csv': ('rating,words\n', '{0},{1} {2}', ['--label', 'rating', '--text', 'words']),
        'numbers.csv': ('', '{0},{1} {2}', ['--label', 0]),
        'doubled.csv': ('"title","description"\n', '"{1} ""a, b""","{2}"', ['--text', 'title,description']),
    }
    for name, (first, line, options) in forms.items():
        write(c, name, rows[:9], line.format, first)
        done = c.run('--load', 'names.st', '--predict', name, *options)
        check(f'--predict {name}', done.returncode == 0 and len(done.stdout.splitlines()) == 9, done)
    write(c, 'bare.csv', rows[:9], '{1} {2}'.format, 'text\n')
    want = c.run('--load', 'names.st', '--predict', 'bare.csv')
    for name in ('numbered.csv', 'turned.csv'):
        done = c.run('--load', 'names.st', '--predict', name)
        check(f'only the columns of the training: {name}', done.stdout == want.stdout, (done, want))
    done = c.run('--load', 'names.st', '--predict', 'numbered.csv')
    check('a column is left out', 'numbered.csv: column "id" is left out of the texts, as in training' in
          done.stderr, done)
    c.refused('no column of the training', ['two_columns.csv: line 1', '"text"', '--text'], '--load',
              'names.st', '--predict', 'two_columns.csv')
    c.refused('no class of the training', ['header.csv: line 1', '"category"', '--label'], '--load',
              'names.st', '--test', 'header.csv')
    done = c.run('--load', 'names.st', '--test', 'names.csv')
    check('--test', done.returncode == 0 and 'accuracy on test texts' in done.stdout, done)
    got = c.measured('--load', 'names.st', '--predict', 'plain.txt')
    check('in JSON', [p['class'] for p in got['predictions']] == truth, got)
    (c.directory / 'blank.txt').write_text('goal match\n\ngoal\n')
    check('an empty text', len(c.run('--load', 'names.st', '--predict=blank.txt').stdout.splitlines()) == 3)
    text = (c.directory / 'plain.txt').read_text()
    check('the standard input', c.run('--load', 'names.st', '--predict', text=text).stdout ==
          c.run('--load', 'names.st', '--predict', 'plain.txt').stdout)
    folder = os.open(c.directory, os.O_RDONLY)
    done = subprocess.run([c.program, '--load', 'names.st', '--predict'], cwd=c.directory, stdin=folder,
                          capture_output=True, text=True)
    os.close(folder)
    check('an input that cannot be read', done.returncode == 1 and
          'the standard input cannot be read: Is a directory' in done.stderr, done)


def test_classes(c):
    """Codes are not merged, and no order of rows changes what a class is."""
    def names(rows, *options):
        write(c, 'kinds.csv', rows * 20, '{0},{1} {2}'.format, 'label,text\n')
        got = c.measured('--train', 'kinds.csv', '--test', 'kinds.csv', *SMALL, *options)
        return [k['class'] for k in got['classes']]

    rows = [('01', 'goal', 'match'), ('1', 'vote', 'law')]
    check('codes', names(rows) == names(rows[::-1]) == ['01', '1'], names(rows))
    rows = [('-1', 'goal', 'match'), ('1', 'vote', 'law'), ('10', 'a', 'b'), ('9', 'c', 'd')]
    check('signs', names(rows) == names(rows[::-1]) == ['-1', '1', '9', '10'], names(rows))
    rows = [('2', 'goal', 'match'), ('x', 'vote', 'law')]
    check('numbers and names', names(rows) == names(rows[::-1]) == ['2', 'x'], names(rows))
    rows = [('01', 'goal', 'match'), ('1', 'vote', 'law'), ('2', 'a', 'b')]
    check('numbers', names(rows, '--label-kind', 'number') == ['1', '2'])
    write(c, 'rare.csv', [('often', 'goal', 'match')] * 39 + [('rare', 'goal', 'match')],
          '{0},{1} {2}'.format, 'label,text\n')
    done = c.run('--train', 'rare.csv', '--test', 'rare.csv', *SMALL)
    check('a class that is never found', 'nan' not in done.stdout and ' -' in done.stdout, done)
    smile, tear = '\U0001f600', '\U0001f622'
    write(c, 'emoji.csv', [('happy', smile, smile), ('sad', tear, tear)] * 20, '{0},{1}{2}'.format,
          'label,text\n')
    got = c.measured('--train', 'emoji.csv', '--test', 'emoji.csv', '--dim', 8, '--epochs', 10, '--lr', 0.01,
                     '--dropout', 0)
    check('emoji', got['test_accuracy'] == 1, got)


def test_refused(c):
    def refused(what, words, *options):
        c.refused(what, words, '--train', *options, '--test', 'header.csv')

    refused('no such column', ['many.csv: line 1', '"sort"', 'id, body, kind, title'], 'many.csv', '--label',
            'sort')
    refused('no such text', ['many.csv: line 1', '"headline"'], 'many.csv', '--text', 'headline,body')
    refused('no such number', ['quoted.csv: line 1', '"3"', '3 cells'], 'quoted.csv', '--label', 3)
    refused('texts as classes', ['names_last.csv', '60 classes', '--label'], 'names_last.csv')
    refused('another header', ['"perhaps"', 'auto, yes, no'], 'many.csv', '--header', 'perhaps')
    refused('another delimiter', ['comma'], 'many.csv', '--delimiter', 'dot')
    write(c, 'marks.csv', [('1', 'goal', 'match')] * 9, '{0},"{1}" {2}'.format)
    refused('quotations', ['marks.csv: line 1', '--no-quotes'], 'marks.csv')
    write(c, 'glued.txt', [('1', 'goal', 'match'), ('2', 'vote', 'law')] * 9, '__label__{0},{1} {2}'.format)
    refused('no blank after the class', ['glued.txt: line 1', '","', '--format'], 'glued.txt')
    write(c, 'hole.csv', [('1', 'goal', 'match'), ('n/a', 'vote', 'law'), ('2', 'a', 'b')] * 9,
          '{0},{1} {2}'.format)
    refused('a missing class', ['hole.csv: line 2', '"n/a"', '--label-kind'], 'hole.csv')
    c.refused('no file to predict', ['nowhere.csv'], '--load', 'names.st', '--predict', 'nowhere.csv')
    c.refused('no such text to predict', ['plain.txt', '"text"'], '--load', 'names.st', '--predict',
              'plain.txt', '--text', 'text')


def test_columns(c, rows):
    """One column as class and text, and names of two columns, are refused; numbers say which is meant."""
    write(c, 'twice.csv', rows, '{0},{0},{1} {2}'.format, 'label,label,text\n')
    write(c, 'texts.csv', rows, '{0},{1},{2}'.format, 'label,text,text\n')
    both = ['of the class and of the text', '--label and --text']
    c.refused('class and text', ['header.csv: line 1', '"text"', *both], '--train', 'header.csv', '--label',
              'text', '--text', 'text', '--save', 't.st')
    c.refused('class and text', ['quoted.csv: line 1', '"0"', *both], '--train', 'quoted.csv', '--label', 0,
              '--text', 0, '--save', 't.st')
    for name, option in (('twice.csv', 'label'), ('texts.csv', 'text')):
        c.refused(name, [f'{name}: line 1', f'got 2 called "{option}"', f'--{option}'], '--train', name,
                  '--save', 't.st')
    want = c.measured('--train', 'header.csv', '--test', 'header.csv', *SMALL)
    got = c.measured('--train', 'twice.csv', '--test', 'twice.csv', *SMALL, '--label', 0, '--text', 2)
    check('numbers', got['weights_hash'] == want['weights_hash'], got)
    c.refused('no training', ['is not trained', '--seed'], '--load', 'names.st', '--test', 'names.csv',
              '--seed', 2)
    c.refused('twice', ['--label is given twice'], '--train', 'header.csv', '--label', 0, '--label', 1)
    c.refused('twice', ['--dim is given twice'], '--train', 'header.csv', '--dim', 8, '--dim', 8)


def test_bytes(c):
    """Characters that are not UTF-8 are counted, in a file and on the standard input."""
    (c.directory / 'latin.txt').write_bytes(b'goal\nmatch\xff\nlaw \xfe\xff\n')
    done = c.run('--load', 'names.st', '--predict', 'latin.txt')
    said = '3 characters are not UTF-8 and were replaced by U+FFFD, in 2 of 3 rows; the first is in line 2'
    check('a file', f'latin.txt: {said}' in done.stderr, done)
    with (c.directory / 'latin.txt').open('rb') as text:
        other = subprocess.run([c.program, '--load', 'names.st', '--predict'], cwd=c.directory, stdin=text,
                               capture_output=True, encoding='utf-8', timeout=300, check=False)
    check('the standard input', f'the standard input: {said}'.replace('rows', 'lines') in other.stderr, other)
    check('the same classes', other.returncode == 0 and other.stdout == done.stdout, (other, done))


def main(program):
    with tempfile.TemporaryDirectory() as name:
        c, rows = Classify(program, Path(name)), make_rows(120)
        test_forms(c, rows)
        test_predict(c, rows)
        test_classes(c)
        write(c, 'names_last.csv', [(str(i), 'goal', 'sport') for i in range(60)], '{1} {0},{2}'.format)
        test_refused(c)
        test_columns(c, rows)
        test_bytes(c)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
