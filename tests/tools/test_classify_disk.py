#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Corpus files, and the classes of many texts: usage test_classify_disk.py CLASSIFY
"""

import csv
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from file_events import Folder, has, has_new
from test_classify import SMALL, Classify, check, failures, write_corpus


def test_convert(c):
    """A corpus file gives what its CSV file gives, but for the order of texts."""
    done = c.run('--data', 'train.csv', '--convert', 'train.fgc')
    check('--convert', done.returncode == 0 and 'train.fgc: 360 texts, 3 classes' in done.stdout, done)
    plain = c.trained('--epochs', 10)
    disk = c.trained('--train', 'train.fgc', '--epochs', 10, '--save', 'disk.st')
    again = c.trained('--train', 'train.fgc', '--epochs', 10, '--resident', 1, '--threads', 1)
    samples = [(run['train_samples'], run['val_samples']) for run in (plain, disk)]
    check('a corpus file', samples[0] == samples[1] == (342, 18), samples)
    check('a corpus file', disk['test_accuracy'] > 0.9 and plain['test_accuracy'] > 0.9, (disk, plain))
    check('the name of the data', disk['dataset'] == 'train', disk)
    check('one MiB', again['test_accuracy'] > 0.9, again)
    whole = c.trained('--train', 'train.fgc', '--validation', 0)
    check('without validation', whole['train_samples'] == 360 and whole['val_samples'] == 0, whole)
    made = c.measured('--data', 'test.csv', '--convert', 'test.fgc')
    check('--convert --json', made == {'file': 'test.fgc', 'texts': 60, 'classes': 3}, made)
    for name in ('test.csv', 'test.fgc'):
        tested = c.measured('--load', 'disk.st', '--test', name)
        check(f'--test {name}', tested['test_accuracy'] == disk['test_accuracy'], (tested, disk))
    page = c.run('--train', 'train.fgc', '--test', 'test.fgc', *SMALL, '--report', 'page.html')
    check('--report', page.returncode == 0 and (c.directory / 'page.html').exists(), page)
    c.refused('a selector', ['stays on disk'], '--train', 'train.fgc', '--test', 'test.csv',
              '--attent', 'soft')
    c.refused('half for validation', ['at most 0.5'], '--train', 'train.fgc', '--test', 'test.csv',
              '--validation', 0.6)
    c.refused('--convert onto the data', ['overwritten'], '--data', 'train.csv', '--convert', 'train.csv')
    c.refused('--convert onto the data', ['overwritten'], '--data', 'train.csv', '--convert', './train.csv')
    c.refused('--predict-all onto the data', ['overwritten'], '--load', 'disk.st', '--data', 'test.csv',
              '--predict-all', './test.csv')
    c.refused('--convert without data', ['--data'], '--convert', 'x.fgc')
    c.refused('--convert and --train', ['--convert'], '--data', 'a', '--convert', 'x.fgc',
              '--train', 'train.csv')
    c.refused('--data alone', ['--data'], '--data', 'train.csv', '--train', 'train.csv', '--test', 'test.csv')


def test_killed(c):
    """A conversion that is killed leaves the old file, and the next one succeeds."""
    (c.directory / 'large.csv').write_text('class,text\n' + ''.join(
        f'{r % 3},{"some words of a text " * 20}{r}\n' for r in range(200000)))
    (c.directory / 'large.fgc').write_text('old')
    command = [c.program, '--data', 'large.csv', '--convert', 'large.fgc']
    for size in (-1, 1000000):
        with Folder(c.directory) as folder:
            part = has_new(c.directory, '*.fgt-tmp*', size)
            with subprocess.Popen(command, cwd=c.directory, stdout=subprocess.DEVNULL) as p:
                begun = folder.wait(p, part)
                p.kill()
        check('it had begun', begun, size)
        check('killed', p.returncode == 0 or (c.directory / 'large.fgc').read_text() == 'old')
    done = c.run(*command[1:])
    check('after a kill', done.returncode == 0 and '200000 texts' in done.stdout, done)
    with Folder(c.directory) as folder, \
            subprocess.Popen(command, cwd=c.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             text=True) as p:
        folder.wait(p, has_new(c.directory, '*.fgt-tmp*', -1))  # it catches signals by then
        p.send_signal(signal.SIGINT)
        said = p.communicate()[1]
    check('interrupted', p.returncode in (0, 130) and ('is not written' in said) == (p.returncode == 130),
          (p.returncode, said))
    check('no temporary file', not list(c.directory.glob('*.fgt-tmp*')), list(c.directory.glob('*')))
    (c.directory / 'large.csv').unlink()


def predicted(c, *options):
    done = c.run('--load', 'disk.st', *options, '--predict-all', 'all.csv')
    check('--predict-all', done.returncode == 0 and 'texts from' in done.stdout, done)
    return list(csv.reader((c.directory / 'all.csv').open()))


def test_all(c):
    """What is said of many texts is what is said of each."""
    said = [c.run('--load', 'disk.st', '--predict', f'test.{kind}').stdout.splitlines()
            for kind in ('csv', 'fgc')]
    one = said[0]
    rows = predicted(c, '--data', 'test.csv', '--data', 'test.fgc')
    check('the head', rows[0] == ['file', 'text', 'class', 'probability'], rows[0])
    check('the order', [r[:2] for r in rows[1:]] ==
          [[str(f), str(i + 1)] for f in (1, 2) for i in range(len(one))], rows[:3])
    for f in (0, 1):
        got = [f'{r[2]} {r[3]}' for r in rows[1 + f * len(one):1 + (f + 1) * len(one)]]
        check('the classes', [g.split()[0] for g in got] == [o.split()[0] for o in said[f]], got)
    single = predicted(c, '--data', 'test.fgc')
    check('one file', single[0] == rows[0][1:] and len(single) == len(one) + 1, single[:2])
    made = c.measured('--load', 'disk.st', '--data', 'test.fgc', '--predict-all', 'json.csv')
    check('--predict-all --json', (made['texts'], made['files']) == (len(one), 1), made)
    c.refused('--predict-all alone', ['--load'], '--data', 'test.csv', '--predict-all', 'x.csv')
    c.refused('--predict-all without data', ['--data'], '--load', 'disk.st', '--predict-all', 'x.csv')


def test_goes_on(c):
    """An interrupted run ends with the bytes of one that was not interrupted."""
    text = (c.directory / 'test.csv').read_text()
    (c.directory / 'long.csv').write_text(text * 150)
    options = ['--load', 'disk.st'] + ['--data', 'long.csv'] * 2
    done = c.run(*options, '--predict-all', 'whole.csv')
    check('whole', done.returncode == 0, done)
    part = c.directory / 'broken.csv.part'
    with Folder(c.directory) as folder, \
            subprocess.Popen([c.program, *options, '--predict-all', 'broken.csv'], cwd=c.directory,
                             stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as p:
        folder.wait(p, has(part, 30000))
        p.send_signal(signal.SIGINT)
        said = p.communicate()[1]
    check('interrupted', p.returncode == 130 and 'goes on with' in said, (p.returncode, said))
    with part.open('a') as more:
        more.write('what a kill may leave')
    c.refused('other files', ['another model'], *options[:4], '--predict-all', 'broken.csv')
    for more in (['--no-quotes'], ['--header', 'no'], ['--label', 0], ['--text', 1], ['--format', 'lines'],
                 ['--delimiter', 'comma'], ['--label-kind', 'name'], ['--products', 'blis'], ['--skip', 1],
                 ['--comment', '#']):
        c.refused(f'{more} now', ['another model'], *options, *more, '--predict-all', 'broken.csv')
    done = c.run(*options, '--predict-all', 'broken.csv')
    check('goes on', done.returncode == 0 and 'goes on after' in done.stderr, done)
    files = [(c.directory / name).read_bytes() for name in ('broken.csv', 'whole.csv')]
    check('the same bytes', files[0] == files[1], [len(b) for b in files])
    check('nothing is left', not part.exists() and not (c.directory / 'broken.csv.state').exists())


def test_refused_file(c):
    """What is done before a file that is refused goes, because the same command cannot go on with it."""
    (c.directory / 'ragged.csv').write_text('label,text\n' + 'a,so so\n' * 5000 + 'b,fine,more\n')
    c.refused('a line with three cells', ['ragged.csv', 'line 5002'], '--load', 'disk.st',
              '--data', 'test.csv', '--data', 'ragged.csv', '--predict-all', 'ragged.out')
    left = [p.name for p in c.directory.glob('ragged.out*')]
    check('nothing is left of it', not left, left)


def test_left_out(c):
    """A file with a title, comments and a line of Excel gives the classes of the file without them."""
    plain = (c.directory / 'test.csv').read_text()
    lines = plain.splitlines(keepends=True)
    (c.directory / 'title.csv').write_text('A title\nsep=,\n' + lines[0] + '# a, b\n' + ''.join(lines[1:]))
    want = predicted(c, '--data', 'test.csv')
    got = predicted(c, '--data', 'title.csv', '--skip', 1, '--comment', '#')
    check('--skip and --comment', got == want, got[:3])


def main(program):
    with tempfile.TemporaryDirectory() as directory:
        c = Classify(program, Path(directory))
        write_corpus(c.directory)
        test_convert(c)
        test_killed(c)
        test_all(c)
        test_goes_on(c)
        test_refused_file(c)
        test_left_out(c)
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
