#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""abi.py itself: a toy library is changed in every way that must pass, and in every way that must not.

usage: test_gate.py COMPILER...
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ABI = Path(__file__).parent / 'abi.py'
HEADER = '''
#include <stddef.h>
#include <stdint.h>
typedef enum fgt_status { FGT_OK = 0, FGT_E_ARG = -1, FGT_E_IO = -2 } fgt_status;
typedef struct fgt_view { void *data; int64_t rows; } fgt_view;
typedef struct fgt_toy_part { int64_t seed; int64_t reserved[2]; } fgt_toy_part;
typedef struct fgt_toy_opts {
    size_t size; int32_t width; int32_t depth; fgt_toy_part part; double rate; int32_t kind; int32_t reserved;
} fgt_toy_opts;
typedef struct fgt_toy_report { size_t size; int64_t steps; int64_t rows; } fgt_toy_report;
typedef struct fgt_toy_holder { size_t size; fgt_toy_report report; int64_t last; } fgt_toy_holder;
typedef int32_t (*fgt_toy_fn)(void *user, const fgt_view *view);
typedef struct fgt_toy fgt_toy;
fgt_status fgt_toy_create(const fgt_toy_opts *opts, fgt_toy **toy);
fgt_status fgt_toy_run(fgt_toy *toy, fgt_view view, fgt_toy_fn fn, void *user);
fgt_status fgt_toy_get(const fgt_toy *toy, int64_t row, fgt_toy_holder *holder);
fgt_status fgt_toy_try(fgt_toy *toy, uint32_t flags);
'''
SOURCE = '''
#include "toy.h"
#line 1 "inner/toy.h"
struct fgt_toy { int64_t rows; };
fgt_status fgt_toy_create(const fgt_toy_opts *opts, fgt_toy **toy) { return opts ? FGT_OK : FGT_E_ARG; }
fgt_status fgt_toy_run(fgt_toy *toy, fgt_view view, fgt_toy_fn fn, void *user) { return fn(user, &view); }
fgt_status fgt_toy_get(const fgt_toy *toy, int64_t row, fgt_toy_holder *holder) { return FGT_E_IO; }
fgt_status fgt_toy_try(fgt_toy *toy, uint32_t flags) { return FGT_OK; }
'''
MAP = '''
FIGHTER_0.1 { global: fgt_toy_create; fgt_toy_run; fgt_toy_get; local: *; };
FIGHTER_EXPERIMENTAL { global: fgt_toy_try; };
'''
NEWS = '''
## 0.1.0, not released yet

### ABI

- The soname is `libtoy.so.0.1`.
'''

# What is replaced, in every file that has it. The part of the report that must then be printed.
PASS = {
    'nothing': ([], ''),
    'a new function': ([
        ('typedef struct fgt_toy fgt_toy;', 'typedef struct fgt_toy fgt_toy;\nint fgt_toy_new(int x);'),
        ('#include "toy.h"', '#include "toy.h"\nint fgt_toy_new(int x) { return x; }'),
        ('fgt_toy_run;', 'fgt_toy_new; fgt_toy_run;'),
    ], 'fgt_toy_new() is new'),
    'a new field at the end of options': (
        [('reserved;', 'reserved; int64_t seed;')], 'fgt_toy_opts has gained seed'),
    'a new field in a reserved place': (
        [('int32_t reserved;', 'float decay; int64_t seed;')], 'fgt_toy_opts has gained decay, seed'),
    'a new field in a reserved array of a struct inside another': (
        [('int64_t reserved[2];', 'int64_t more; int64_t reserved[1];')], 'fgt_toy_part has gained more'),
    'a new enumerator at the end': ([('FGT_E_IO = -2 }', 'FGT_E_IO = -2, FGT_E_DATA = -3 }')], ''),
    'another argument of an experimental function': ([('uint32_t flags', 'double flags')], ''),
    'an experimental function removed': ([(' global: fgt_toy_try; };', ' local: fgt_toy_try; };')], ''),
    'an opaque struct': ([('struct fgt_toy { int64_t rows; };', 'struct fgt_toy { double rows[8]; };')], ''),
}
REFUSE = {
    'two fields swapped': ([('int32_t width; int32_t depth;', 'int32_t depth; int32_t width;')], 'width'),
    'a field moved to the end': (
        [('int32_t width; int32_t depth;', 'int32_t depth;'), ('kind;', 'kind; int32_t width;')], 'width'),
    'a field wider, and a new one': ([('double rate;', 'float rate; float decay; int64_t seed;')], 'rate'),
    'a field of another type': ([('double rate;', 'int64_t rate;')], 'rate'),
    'a field signed otherwise': ([('int32_t width;', 'uint32_t width;')], 'width'),
    'a field in the middle': ([('double rate;', 'double decay; double rate;')], 'decay'),
    'a field in place of another': ([('double rate;', 'double decay;')], 'decay stands where rate was'),
    'a reserved field gone': ([('int32_t kind; int32_t reserved;', 'int64_t kind;')], 'kind'),
    'a reserved array shorter': ([('int64_t reserved[2];', 'int64_t reserved[1];')], 'fgt_toy_part'),
    'options shortened': ([('int32_t kind; int32_t reserved;', '')], 'kind'),
    'a frozen struct longer': ([('int64_t rows; } fgt_view;', 'int64_t rows; int64_t n; } fgt_view;')], 'n'),
    'a struct longer inside another': (
        [('int64_t rows; } fgt_toy_report;', 'int64_t rows; int64_t n; } fgt_toy_report;')], 'last'),
    'an argument narrower': ([('int64_t row,', 'int32_t row,')], 'fgt_toy_get'),
    'an argument more': ([('int64_t row,', 'int64_t row, int64_t column,')], 'fgt_toy_get'),
    'another result': ([('fgt_status fgt_toy_get', 'int64_t fgt_toy_get')], 'fgt_toy_get'),
    'another callback': ([('int32_t (*fgt_toy_fn)', 'int64_t (*fgt_toy_fn)')], 'fgt_toy_fn'),
    'enumerators swapped': ([('FGT_E_ARG = -1, FGT_E_IO = -2', 'FGT_E_IO = -1, FGT_E_ARG = -2')], 'FGT_E_'),
    'a function removed': ([(' fgt_toy_get;', '')], 'fgt_toy_get'),
    'another node': ([('FIGHTER_0.1', 'FIGHTER_0.2')], 'FIGHTER_0.1'),
    'another soname': ([('libtoy.so.0.1', 'libtoy.so.0.2')], 'libtoy.so.0.2'),
}


class Toy:
    def __init__(self, compiler, work):
        self.compiler, self.work, self.accepted = compiler, work, work / 'toy.abi'
        self.library, self.news = work / 'libtoy.so', work / 'NEWS.md'

    def build(self, changes):
        texts = {'toy.h': HEADER, 'toy.c': SOURCE, 'toy.map': MAP, 'soname': 'libtoy.so.0.1'}
        for old, new in changes:
            if not any(old in text for text in texts.values()):
                sys.exit(f'the toy has no "{old}"')
            texts = {name: text.replace(old, new) for name, text in texts.items()}
        for name, text in texts.items():
            (self.work / name).write_text(text)
        # clang's DWARF 5 has a file number 0, which libabigail 2.2 does not know
        subprocess.run([*self.compiler, '-gdwarf-4', '-shared', '-fPIC', '-w', 'toy.c', '-o', self.library,
                        '-Wl,--version-script,toy.map', f'-Wl,-soname,{texts["soname"]}'],
                       cwd=self.work, check=True)

    def ask(self, *what):
        """Exit status and output of abi.py."""
        done = subprocess.run([sys.executable, ABI, *what], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def compare(self):
        return self.ask('compare', self.accepted, self.library, self.work)

    def accept(self, news, *options):
        self.news.write_text(news)
        return self.ask('accept', *options, self.accepted, self.library, self.work, self.news)


def expect(what, answer, status, text):
    if answer[0] == status and text in answer[1]:
        return 0
    print(f'{what}: gave {answer[0]}, expected {status} and "{text}":\n{answer[1]}')
    return 1


def compared(toy):
    bad = 0
    for status, changes in ((0, PASS), (1, REFUSE)):
        for what, (change, text) in changes.items():
            toy.build(change)
            answer = toy.compare()
            bad += expect(what, answer, status, text)
            bad += expect(f'{what}, advice', answer, status, 'under "ABI" in NEWS.md' if status else '')
    return bad


def accepted(toy):
    """A change that is refused is accepted only with a true reason, and then passes."""
    broken = REFUSE['two fields swapped'][0]
    out = '## 0.1.1, not released yet\n' + NEWS.replace(', not released yet', ', 2026-12-01')
    before = toy.accepted.read_text()
    toy.build(broken)
    bad = expect('no reason', toy.accept(NEWS), 1, 'the soname is still')
    bad += expect('a release that is out', toy.accept(out, '--unreleased'), 1, 'is released')
    toy.build(broken + [('libtoy.so.0.1', 'libtoy.so.0.2')])
    bad += expect('a soname without news', toy.accept(out), 1, 'no line under "ABI"')
    if toy.accepted.read_text() != before:
        print('a state that was not accepted was written')
        bad += 1
    bad += expect('a soname with news', toy.accept(out + '- The soname is libtoy.so.0.2\n'), 0, 'width')
    bad += expect('what was accepted', toy.compare(), 0, '')
    toy.build([('libtoy.so.0.1', 'libtoy.so.0.2')])
    late = NEWS.replace('0.1', '0.2')
    bad += expect('a state that is not released', toy.accept(late, '--unreleased'), 0, 'width')
    return bad


def main(compiler):
    with tempfile.TemporaryDirectory() as work:
        toy = Toy(compiler, Path(work))
        toy.build([])
        status, text = toy.accept(NEWS)
        if status:
            print(text)
            return status
        return 1 if compared(toy) + accepted(toy) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
