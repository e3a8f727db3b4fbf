#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes test_enums.c, test_signatures.c and test_layouts.c in tests/abi from the public headers without
experimental/: usage pin.py SOURCE_ROOT.

They pin what a compiled program has in it: the number of every enumerator, the type of every function and
callback, the place of every field. So they are written anew only while nothing is released, or to add what
is new: `git diff` must then
show no line that goes. With --check nothing is written; what the files lack or have too much is named.
"""

import re
import sys
from pathlib import Path

ENUM = re.compile(r'typedef\s+enum\s+(fgt_\w+)\s*\{(.*?)\}\s*\w+\s*;', re.S)
COUNT = re.compile(r'^#define\s+(FGT_\w+)\s+(-?\d+)\s*$', re.M)
FUNCTION = re.compile(r'^FGT_API\b([^;]*);', re.M)
CALLBACK = re.compile(r'^typedef\s+([\w\s]+?[\s*])\(\*(fgt_\w+)\)\s*\(([^;]*)\);', re.M)
STRUCT = re.compile(r'typedef\s+struct\s+(fgt_\w+)\s*\{(.*?)\}\s*\w+\s*;', re.S)
MEMBER = re.compile(r'([\w\s]+?[\s*])\(\*(\w+)\)\s*\(((?:[^()]|\([^()]*\))*)\)\s*;')

# Sizes of the types of fields where pointers have 64 bits.
SIZES = {'*': 8, 'size_t': 8, 'int64_t': 8, 'uint64_t': 8, 'double': 8, 'int32_t': 4, 'float': 4}

HEAD = '''/* SPDX-License-Identifier: BSD-3-Clause */
/* {what}
 * Written by tests/tools/pin.py; lines are added, never changed. */
#include <stddef.h>

#include <fighter/fighter.h>
#include <fighter/tasks.h>

{macro}

'''
TAIL = '''
int main(void)
{
    return 0; /* it is the compiler that complains */
}
'''


def clean(header):
    text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', header.read_text(), flags=re.S)
    return re.sub(r'\\\n', ' ', text)


def split(args):
    """The arguments, at commas outside of brackets."""
    parts, depth, part = [], 0, ''
    for c in args:
        depth += (c == '(') - (c == ')')
        if c == ',' and not depth:
            parts.append(part)
            part = ''
        else:
            part += c
    return [' '.join(p.split()) for p in [*parts, part]]


def type_of(arg):
    """An argument without its name."""
    function = re.match(r'^(.*\(\*)\w+(\).*)$', arg)
    if function:
        return function[1] + function[2]
    named = re.match(r'^(.*[\s*])\w+((?:\[[^\]]*\])?)$', arg)
    if not named or arg == 'void':
        return arg
    return named[1].strip() + (' *' if named[2] else '')


def pointer(result, args):
    result = ' '.join(result.split())
    return f'{result}{"" if result.endswith("*") else " "}(*)({", ".join(type_of(a) for a in split(args))})'


def enums(text):
    for match in ENUM.finditer(text):
        yield f'/* {match[1]} */'
        for name, number in re.findall(r'(FGT_\w+)\s*(?:=\s*(-?\d+))?\s*(?:,|$)', match[2].strip()):
            if not number:
                sys.exit(f'{match[1]}: {name} has no number in the header')
            yield f'E({name}, {number});'


def signatures(text):
    for match in FUNCTION.finditer(text):
        words = ' '.join(match[1].replace('FGT_MUST', '').split())
        result, name, args = re.match(r'^(.*?[\s*])(fgt_\w+)\s*\((.*)\)$', words).groups()
        yield f'F({name}, {pointer(result, args)});'
    for result, name, args in CALLBACK.findall(text):
        yield f'F((({name})0), {pointer(result, args)});'
    for name, body in STRUCT.findall(text):
        for result, member, args in MEMBER.findall(body):
            yield f'F(((({name} *)0)->{member}), {pointer(result, args)});'


def fields(body):
    """Type, name and number of each field of a struct without callbacks; pointers have the type '*'."""
    for declaration in filter(None, (' '.join(d.split()) for d in body.split(';'))):
        kind, names = re.match(r'^(?:const )?(?:struct )?(\w+)(?: const)?\b\s*(.*)$', declaration).groups()
        for name in names.split(','):
            star, word, count = re.match(r'^\s*((?:\*|const|\s)*)(\w+)\s*(?:\[(\w+)\])?$', name).groups()
            yield '*' if '*' in star or kind.endswith('_fn') else kind, word, count or 1


class Structs:
    """All public structs, and where their fields are."""

    def __init__(self, texts):
        self.bodies = {name: body for t in texts for name, body in STRUCT.findall(t)}
        self.constants = dict(pair for t in texts for pair in COUNT.findall(t))

    def walk(self, name):
        """Each field with its offset; at the end None with the size."""
        at, body = 0, MEMBER.sub(r' void *\2;', self.bodies[name])
        for kind, field, count in fields(body):
            yield field, at
            at += self.size(kind) * int(self.constants.get(count, count))
        yield None, at

    def size(self, kind):
        return SIZES[kind] if kind in SIZES else dict(self.walk(kind))[None]

    def lines(self):
        for name in self.bodies:
            line = ''
            for field, at in self.walk(name):
                word = f'S({name}, {field}, {at});' if field else f'Z({name}, {at});'
                if len(line) + len(word) > 109:
                    yield line
                    line = ''
                line += ' ' * bool(line) + word
            yield line


def wrap(line):
    """Lines of at most 110 columns, broken after a comma."""
    out = []
    while len(line) > 110:
        cut = line.rfind(', ', 0, 109) + 1
        out.append(line[:cut])
        line = '    ' + line[cut + 1:]
    return [*out, line]


def text_of(what, macro, lines):
    body = [w for line in lines for w in wrap(line)]
    return HEAD.format(what=what, macro=macro) + '\n'.join(body) + '\n' + TAIL


def main(root, check):
    headers = sorted((root / 'include' / 'fighter').glob('*.h'))
    texts = [clean(h) for h in headers]
    files = {
        'test_enums.c': text_of(
            'The number of every public enumerator, which is what a compiled program has in it.',
            '#define E(name, number) _Static_assert((name) == (number), #name)',
            [line for t in texts for line in enums(t)]),
        'test_signatures.c': text_of(
            'The type of every public function and callback, which is how a compiled program calls it.',
            '#define F(name, ...) _Static_assert(_Generic(&*(name), __VA_ARGS__ : 1, default : 0), #name)',
            [line for t in texts for line in signatures(t)]),
        'test_layouts.c': text_of(
            'Where each field of each public struct is, for pointers of 64 bits.',
            '#define S(type, field, at) \\\n'
            '    _Static_assert(sizeof(void *) != 8 || offsetof(type, field) == (at), #type "." #field)\n'
            '/* no padding at the end, which nobody would write */\n'
            '#define Z(type, bytes) _Static_assert(sizeof(void *) != 8 || sizeof(type) == (bytes), #type)',
            list(Structs(texts).lines())),
    }
    bad = 0
    for name, text in files.items():
        path = root / 'tests' / 'abi' / name
        if not check:
            path.write_text(text)
            continue
        have, want = (re.sub(r'\s+', ' ', t).split(';') for t in (path.read_text(), text))
        for line in sorted(set(want) ^ set(have)):
            print(f'{path}: {"lacks" if line in want else "has too much"}:{line};')
            bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1]), '--check' in sys.argv[2:]))
