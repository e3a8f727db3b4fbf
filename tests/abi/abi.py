#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds a shared library to the ABI that was accepted last, with libabigail.

usage: abi.py compare ACCEPTED LIBRARY HEADERS
       abi.py accept [--unreleased] ACCEPTED LIBRARY HEADERS NEWS

`compare` prints what is new and fails on what a compiled program would not survive. `accept` writes
ACCEPTED anew, but refuses the same changes, unless the soname is a new one and NEWS names it, or --unreleased
says that no release has the old state. HEADERS is the folder of the public headers. The rules are in
docs/abi.md.
"""

import argparse
import copy
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

SKIPPED = 77
# Names in these nodes are not promised (docs/abi.md).
UNPROMISED = re.compile(r'FIGHTER\w*_EXPERIMENTAL|FIGHTER_PRIVATE_[\w.]+')
# Nothing that differs from machine to machine, or that no compiled program depends on.
ABIDW = ['abidw', '--drop-private-types', '--drop-undefined-syms', '--no-corpus-path', '--no-comp-dir-path',
         '--no-elf-needed', '--no-parameter-names', '--no-show-locs', '--type-id-style', 'hash']
ADVICE = '''
This breaks programs that are compiled already. Keep what was there and add to it. If it must break and a
release has it: put a new number into `soversion` (meson.build) and into the nodes of lib/*.map, write a
line under "ABI" in NEWS.md that names the new soname and says what broke, and run tools/accept_abi.sh. If no
release has it: tools/accept_abi.sh --unreleased. docs/abi.md has the rules.'''


def dump(library, headers):
    """What a library promises: abidw's description, without other names and without this machine."""
    done = subprocess.run([*ABIDW, '--headers-dir', headers, library], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'abidw: {done.stderr}')
    abi = xml.fromstring(done.stdout)
    for unit in abi.iter('abi-instr'):
        unit.set('path', Path(unit.get('path')).name)
    for parent in list(abi.iter()):
        for child in list(parent):
            version = child.get('version', '') if child.tag == 'elf-symbol' else \
                child.get('elf-symbol-id', '').rpartition('@')[2]
            if UNPROMISED.fullmatch(version):
                parent.remove(child)
    return hide_handles(abi, headers)


def read_accepted(args):
    return hide_handles(xml.parse(args.accepted).getroot(), args.headers)


def hide_handles(abi, headers):
    """Drops the fields of structs that the headers do not define. abidw knows headers only by their last
    name, so it also describes structs that an inner header of the same name defines."""
    text = '\n'.join(path.read_text() for path in Path(headers).rglob('*.h'))
    handles = set(re.findall(r'typedef struct (\w+) \1;', text))
    handles -= set(re.findall(r'struct (\w+)\s*{', text))
    for struct in abi.iter('class-decl'):
        if struct.get('name') in handles and struct.attrib.pop('size-in-bits', None):
            struct.set('is-declaration-only', 'yes')
            for child in list(struct):
                struct.remove(child)
    return abi


def has_types(abi):
    return abi.find('.//function-decl') is not None


def functions(abi):
    return {symbol.get('name') for symbol in abi.iterfind('elf-function-symbols/elf-symbol')}


def structs(abi):
    """Every definition of a struct by its name; a type occurs once for each file that uses it."""
    found = {}
    for struct in abi.iter('class-decl'):
        if struct.get('size-in-bits'):
            found.setdefault(struct.get('name'), []).append(struct)
    return found


def grows(struct):
    """Structs that begin with `size` may grow at their end, because the library reads their length."""
    first = struct.find('data-member/var-decl')
    return first is not None and first.get('name') == 'size'


def members(struct):
    """Offset, name and element of each field."""
    for member in struct.findall('data-member'):
        yield int(member.get('layout-offset-in-bits')), member.find('var-decl').get('name'), member


def free_places(struct):
    """Where a new field may stand: from the end on, and in the ranges of fields that are reserved."""
    size = int(struct.get('size-in-bits'))
    fields = list(members(struct))
    after = [offset for offset, _, _ in fields[1:]] + [size]
    reserved = [(offset, end) for (offset, name, _), end in zip(fields, after) if name.startswith('reserved')]
    return {size} if grows(struct) else set(), reserved


def cut_struct(struct, ends, reserved):
    """Removes the fields in these places; returns the names of those that are gone."""
    gone = []
    for offset, name, member in members(struct):
        if any(first <= offset < end for first, end in reserved) or any(offset >= end for end in ends):
            struct.remove(member)
            gone.append(name)
    for end in ends:
        struct.set('size-in-bits', str(min(end, int(struct.get('size-in-bits')))))
    return [name for name in gone if not name.startswith('reserved')]


def cut(old, new):
    """Takes from both descriptions what may differ in structs. Returns in words what is new, and the fields
    that have another name: abidiff takes them for the same."""
    gained, renamed, now = set(), set(), structs(new)
    for name, found in structs(old).items():
        if name.startswith('fgti_'):
            continue
        ends, reserved = free_places(found[0])
        for struct in now.get(name, []):
            fields = cut_struct(struct, ends, reserved)
            gained |= {f'{name} has gained {", ".join(fields)}'} if fields else set()
        for struct in found:
            cut_struct(struct, ends, reserved)
        after = {offset: field for offset, field, _ in members(now.get(name, found)[0])}
        for offset, field, _ in members(found[0]):
            if after.get(offset, field) != field:
                renamed.add(f'{name}: {after[offset]} stands where {field} was')
    return sorted(gained), sorted(renamed)


def incompatible(old, new):
    """A report of the changes that are not additions, '' if there are none; and the additions."""
    added = [f'{name}() is new' for name in sorted(functions(new) - functions(old))]
    old, new = copy.deepcopy(old), copy.deepcopy(new)
    gained, renamed = cut(old, new)
    with tempfile.TemporaryDirectory() as work:
        paths = [f'{work}/accepted', f'{work}/now']
        for path, abi in zip(paths, (old, new)):
            xml.ElementTree(abi).write(path)
        done = subprocess.run(['abidiff', '--no-added-syms', '--show-bytes', *paths],
                              capture_output=True, text=True)
    if done.returncode & 3:
        sys.exit(f'abidiff: {done.stdout}{done.stderr}')
    report = [done.stdout] if done.returncode else []
    return '\n'.join(report + renamed), added + gained


def released(news, soname):
    """Whether a release that is out has the soname: a section of the news names it and has a date."""
    name = re.compile(re.escape(soname) + r'(?!\.?\d)')
    sections = re.findall(r'^## ([^\n]*)\n(.*?)(?=^## |\Z)', news, re.M | re.S)
    return any(name.search(text) and 'not released yet' not in heading for heading, text in sections)


def why_not(old, new, news, unreleased):
    """Why an incompatible state cannot be accepted; None if it can."""
    before, now = old.get('soname'), new.get('soname')
    if unreleased:
        return f'{before} is released, as NEWS.md says: --unreleased is not true' \
            if released(news, before) else None
    if before == now:
        return f'the soname is still {now}'
    lines = re.findall(r'^### ABI$(.*?)(?=^##|\Z)', news, re.M | re.S)
    return None if any(now in text for text in lines) else f'no line under "ABI" in NEWS.md names {now}'


def compare(args):
    new = dump(args.library, args.headers)
    if not has_types(new):
        print(f'SKIP abi: {args.library} has no debug information (meson setup -Ddebug=true)')
        return SKIPPED
    report, added = incompatible(read_accepted(args), new)
    print(*added, sep='\n', end='\n' if added else '')
    if report:
        print(report, ADVICE)
    return 1 if report else 0


def accept(args):
    new = dump(args.library, args.headers)
    if not has_types(new):
        sys.exit(f'{args.library} has no debug information')
    if args.accepted.exists():
        old = read_accepted(args)
        report, added = incompatible(old, new)
        print(*added, sep='\n', end='\n' if added else '')
        reason = why_not(old, new, args.news.read_text(), args.unreleased) if report else None
        if report:
            print(report)
        if reason:
            print(f'Not accepted: {reason}.{ADVICE}')
            return 1
    args.accepted.write_text(xml.tostring(new, encoding='unicode') + '\n')
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n\n')[0])
    parser.add_argument('what', choices=['compare', 'accept'])
    parser.add_argument('--unreleased', action='store_true')
    parser.add_argument('accepted', type=Path)
    parser.add_argument('library')
    parser.add_argument('headers')
    parser.add_argument('news', type=Path, nargs='?')
    args = parser.parse_args()
    if (args.what == 'accept') != bool(args.news) or args.unreleased and args.what != 'accept':
        parser.error('see above')
    if not (shutil.which('abidw') and shutil.which('abidiff')):
        print('SKIP abi: no abidiff here (Debian: abigail-tools)')
        return SKIPPED
    return compare(args) if args.what == 'compare' else accept(args)


if __name__ == '__main__':
    sys.exit(main())
