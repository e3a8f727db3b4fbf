#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The programs with --mpi: usage test_mpi.py MPIRUN FORECAST CLASSIFY

The weights are the same for any number of processes; a run goes on after kill -9 of all of them; a process
that differs, fails, dies or is silent ends all, with one sentence."""

import contextlib
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / 'tools'))
from tool_checks import defaults  # noqa: E402

failures = []
TOPICS = ['minister treaty border war', 'match goal coach league', 'shares profit oil bank']


def check(what, good, more=''):
    if not good:
        failures.append(what)
        print(f'FAIL {what} {more}')


def write_series(path):
    rng = random.Random(3)
    with open(path, 'w', encoding='ascii') as f:
        f.write('date,a,b\n')
        for i in range(700):
            day, hour = divmod(i, 24)
            wave = math.sin(i / 24 * 2 * math.pi)
            f.write(f'2020-01-{day + 1:02} {hour:02}:00:00,{wave + rng.gauss(0, .3):.3f},'
                    f'{2 * wave + rng.gauss(0, .5):.3f}\n')


def write_texts(path):
    rng = random.Random(5)
    with open(path, 'w', encoding='ascii') as f:
        for _ in range(400):
            topic = rng.randrange(3)
            words = rng.choices(TOPICS[topic].split(), k=3) + rng.choices('the a said on in new'.split(), k=6)
            rng.shuffle(words)
            f.write(f'{topic + 1},{" ".join(words)}\n')


class Programs:
    """Runs them in a directory of its own."""

    def __init__(self, mpirun, programs, directory):
        self.mpirun, self.directory = mpirun, directory
        self.path = {Path(p).name.removeprefix('fighter-'): str(Path(p).resolve()) for p in programs}
        write_series(Path(directory) / 'series.csv')
        write_texts(Path(directory) / 'texts.csv')
        threads = ['--mpi', '--threads', '1', '--json']
        self.args = {
            'forecast': ['--data', 'series.csv', '--input', 48, '--pred', 12, '--epochs', 3, '--batch', 16,
                         '--dim', 16, *threads],
            'classify': ['--train', 'texts.csv', '--test', 'texts.csv', '--dim', 16, '--max-tokens', 16,
                         '--buckets', 512, '--batch', 16, '--epochs', 4, *threads],
        }

    def command(self, name, *more):
        return [self.path[name], *map(str, defaults(self.args[name], more)), *map(str, more)]

    def start(self, command, ranks=0):
        """The processes of a command, or of commands that are joined by ':'."""
        launch = [self.mpirun, '-n', str(ranks), *command] if ranks else [self.mpirun, *command]
        return subprocess.Popen(launch, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                encoding='utf-8', start_new_session=True)

    def run(self, command, ranks=0):
        process = self.start(command, ranks)
        try:
            out, said = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.kill_all()
            os.killpg(process.pid, signal.SIGKILL)
            out, said = process.communicate()
            said += ' (120 s are over)'
        return process.returncode, out, said

    def measured(self, name, ranks, *more):
        code, out, said = self.run(self.command(name, *more), ranks)
        what = f'{name} by {ranks}: {" ".join(map(str, more))}'
        check(what, code == 0, said)
        try:
            return json.loads(out)
        except json.JSONDecodeError:
            check(f'{what}: one JSON object', False, out + said)
            return {}

    def ranks(self):
        """Processes that train here."""
        found = []
        for entry in Path('/proc').glob('[0-9]*'):
            try:
                here = os.readlink(entry / 'cwd') == os.path.realpath(self.directory)
                program = os.readlink(entry / 'exe') in self.path.values()
            except OSError:
                continue
            if here and program:
                found.append(int(entry.name))
        return found

    def kill_all(self):
        for pid in self.ranks():
            with contextlib.suppress(ProcessLookupError):  # mpirun ends the others when one is killed
                os.kill(pid, signal.SIGKILL)


def wait_for(condition):
    end = time.time() + 60
    while not condition() and time.time() < end:
        time.sleep(0.02)
    return condition()


def test_hashes(p):
    for name, sets in {'forecast': [[], ['--model', 'lstm'], ['--attent', 'soft']],
                       'classify': [[], ['--attent', 'soft']]}.items():
        for more in sets:
            one = p.measured(name, 1, *more)
            for ranks in (2, 3, 4):
                other = p.measured(name, ranks, *more)
                check(f'{name} {more}: same weights by {ranks}',
                      one.get('weights_hash') and one['weights_hash'] == other.get('weights_hash'))
    alone = [*p.command('forecast', '--shards', 8)]
    alone.remove('--mpi')
    done = subprocess.run(alone, cwd=p.directory, capture_output=True, encoding='utf-8', check=False)
    two = p.measured('forecast', 2).get('weights_hash')
    check('alone with --shards', json.loads(done.stdout).get('weights_hash') == two, done.stderr)


def test_disk(p):
    """A table that stays on disk, of which each process reads a part."""
    command = [p.path['forecast'], '--data', 'series.csv', '--convert', 'series.fgt']
    done = subprocess.run(command, cwd=p.directory, capture_output=True, encoding='utf-8', check=False)
    check('--convert', done.returncode == 0, done.stderr)
    at = p.args['forecast'].index('series.csv')
    p.args['forecast'][at] = 'series.fgt'
    one = p.measured('forecast', 1)
    for ranks in (2, 3, 4, 8):
        other = p.measured('forecast', ranks)
        check(f'a table file: same weights by {ranks}',
              one.get('weights_hash') and one['weights_hash'] == other.get('weights_hash'))
        check(f'a table file: same errors by {ranks}',
              one.get('test_mase') and one['test_mase'] == other.get('test_mase'))
    code, _, said = p.run(p.command('forecast', '--batch', 15), 2)
    check('shards of one size', code != 0 and 'need a multiple of the 8 shards' in said, said)
    p.args['forecast'][at] = 'series.csv'


def test_files(p):
    for ranks in (1, 3):
        p.measured('forecast', ranks, '--save', f'{ranks}.st')
    one, three = (Path(p.directory, f'{r}.st').read_bytes() for r in (1, 3))
    check('the same file', one == three)


def test_resume(p):
    long = ['--epochs', 30, '--patience', -1]
    for name in ('forecast', 'classify'):
        whole = p.measured(name, 2, *long)
        path = Path(p.directory) / f'{name}.checkpoint'
        process = p.start(p.command(name, *long, '--checkpoint', path.name), 2)
        check(f'{name}: a checkpoint', wait_for(path.exists))
        p.kill_all()
        process.communicate()
        check(f'{name}: killed', process.returncode != 0)
        again = p.measured(name, 4, *long, '--resume', path.name)
        check(f'{name}: resumed', again.get('weights_hash') == whole.get('weights_hash'))


def complaints(said, program):
    return [line for line in said.splitlines() if line.startswith(f'fighter-{program}: ')]


def test_refused(p):
    forecast = p.command('forecast')
    cases = {
        'other options': (['-n', '1', *forecast, ':', '-n', '1', *p.command('forecast', '--lr', '0.5')],
                          'the ranks differ in the optimiser'),
        'other models': (['-n', '2', *forecast, ':', '-n', '1', *p.command('forecast', '--dim', 8)],
                         'rank 2 has'),
        'a missing file': (['-n', '3', *p.command('forecast', '--data', 'none.csv')], 'none.csv'),
        'a file that one lacks': (['-n', '1', *forecast, ':', '-n', '1',
                                   *p.command('forecast', '--data', 'none.csv')], 'rank 1: none.csv'),
        'too many': (['-n', '3', *p.command('forecast', '--shards', 2)],
                     '2 shards is too small for 3 ranks'),
        'an option': (['-n', '3', *p.command('forecast', '--shards', 'x')], '--shards'),
        'auto': (['-n', '2', *p.command('forecast', '--auto')], '--mpi is for one model'),
    }
    for what, (command, words) in cases.items():
        code, out, said = p.run(command)
        lines = complaints(said, 'forecast')
        check(f'{what}: refused', code != 0 and not out, f'{code} {out}')
        check(f'{what}: one sentence', len(lines) == 1 and words in lines[0], said)


def test_silent(p):
    """One process dies, or stops."""
    for what, kill in {'killed': signal.SIGKILL, 'stopped': signal.SIGSTOP}.items():
        path = Path(p.directory) / f'{what}.checkpoint'
        command = p.command('forecast', '--epochs', 500, '--patience', -1, '--mpi-timeout', 2, '--checkpoint',
                            path.name)
        process = p.start(command, 2)
        check(f'{what}: it runs', wait_for(path.exists))
        os.kill(max(p.ranks()), kill)
        begin = time.time()
        try:
            _, said = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            said = 'nothing happens'
            p.kill_all()
        p.kill_all()
        process.wait()
        check(f'{what}: all end', process.returncode != 0 and time.time() - begin < 30, said)
        if kill == signal.SIGSTOP:
            check('stopped: said so', re.search(r'mpi: no message from rank [01] for 2 s', said), said)


def main():
    with tempfile.TemporaryDirectory() as directory:
        p = Programs(sys.argv[1], sys.argv[2:], directory)
        for test in (test_hashes, test_disk, test_files, test_resume, test_refused, test_silent):
            begin = time.time()
            test(p)
            print(f'{test.__name__}: {time.time() - begin:.1f} s')
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
