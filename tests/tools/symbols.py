#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a built library exports and calls, against its map of symbols and the rules for a guest library.

usage: symbols.py --nm NM --map MAP [--shared SO] [--archive A] [--user A --version V] HEADER...
       symbols.py --nm NM --map lib/symbols.map --user A --write

--user is the archive of the objects of fighter-tasks: the inner names of the engine that they use, and only
these, stand in the node FIGHTER_PRIVATE_VERSION. --write puts them there.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

# A library does not end its host, print, or change the process around it ...
FORBIDDEN = re.compile(
    r'^(abort|_?exit|_Exit|quick_exit|raise|kill|signal|sigaction|atexit|setlocale|stdin|stdout|stderr'
    r'|_*v?printf(_chk)?|puts|putchar|perror|psignal|system|fesetround|fesetenv|srand|rand|srandom|random)$')
# ... with these exceptions: names and the objects that may call them (Meson: module_file.c.o).
ONLY = {
    re.compile(r'^(setenv|unsetenv|putenv|clearenv)$'): re.compile(r'^blas_'),
    re.compile(r'^(malloc|calloc|realloc|free|posix_memalign|aligned_alloc|v?asprintf|strn?dup|getline)$'):
        re.compile(r'^core_alloc\.'),
}


# Nodes of names without a promise, which the headers in this folder declare.
EXPERIMENTAL, FOLDER = '_EXPERIMENTAL', 'experimental'
# The node of inner names that the tasks of the same version use.
PRIVATE = 'FIGHTER_PRIVATE_'


def read_map(path):
    """The node of every exported name, and what is wrong with the file."""
    text = re.sub(r'/\*.*?\*/|#[^\n]*', '', Path(path).read_text(), flags=re.S)
    nodes, wrong = {}, []
    for node, body in re.findall(r'([\w.@]+)\s*\{(.*?)\}', text, re.S):
        here = re.findall(r'^\s*(\w+);\s*$', body.split('local:')[0].split('global:')[-1], re.M)
        wrong += [f'{path}: node {node} is not sorted'] if here != sorted(here) else []
        for name in here:
            wrong += [f'{path}: {name} is listed twice'] if name in nodes else []
            prefix = 'fgti_' if node.startswith(PRIVATE) else 'fgt_'
            wrong += [] if name.startswith(prefix) else [f'{path}: {name} does not begin with {prefix}']
            nodes[name] = node
    return nodes, wrong


def declared(headers):
    """The functions that the headers declare, and which of them without a promise."""
    names, experimental = set(), set()
    for header in headers:
        text = re.sub(r'/\*.*?\*/', '', Path(header).read_text(), flags=re.S)
        for statement in re.findall(r'^FGT_API\b([^;]*);', text, re.M):
            here = re.findall(r'\b(fgt_\w+)\s*\(', statement)[:1]
            names.update(here)
            experimental.update(here if Path(header).parent.name == FOLDER else [])
    return names, experimental


def compare(what, have, want):
    return [f'{what}: {n} is missing' for n in sorted(want - have)] + \
           [f'{what}: {n} is too much' for n in sorted(have - want)]


def nm(tool, *args):
    out = subprocess.run([*tool, *args], check=True, capture_output=True, text=True).stdout
    return out.splitlines()


def shared_names(tool, path):
    """Dynamic definitions and their nodes, without the nodes themselves (type A)."""
    names = {}
    for line in nm(tool, '-D', '--defined-only', '-P', path):
        name, kind = line.split()[:2]
        if kind != 'A':
            names[name.split('@')[0]] = name.split('@')[-1]
    return names


def inner_names(tool, path):
    """The names fgti_... that an archive uses and does not define."""
    defined, used = set(), set()
    for line in nm(tool, '-g', '-P', path):
        fields = line.split()
        if len(fields) > 1 and fields[0].startswith('fgti_'):
            (used if fields[1] in 'Uwv' else defined).add(fields[0])
    return used - defined


def write_private(path, names):
    """Replaces the names of the private node in lib/symbols.map."""
    lines = ''.join(f'        {name};\n' for name in sorted(names))
    text = re.sub(rf'({PRIVATE}\S+ {{\n    global:\n).*?(}};)', rf'\g<1>{lines}\g<2>', Path(path).read_text(),
                  flags=re.S)
    Path(path).write_text(text)


def private_complaints(nodes, used, version):
    private = {name for name in nodes if nodes[name].startswith(PRIVATE)}
    yield from compare(f'{PRIVATE}{version}, against what fighter-tasks uses', private, used)
    for node in {nodes[name] for name in private} - {PRIVATE + version}:
        yield f'{node} should be {PRIVATE}{version}'


def archive_complaints(tool, path):
    member = ''
    for line in nm(tool, '-g', '-P', path):
        header = re.match(r'^.*\[(.*)\]:$', line)
        if header:
            member = header[1]
            continue
        fields = line.split()
        if len(fields) < 2:
            continue
        name, undefined = fields[0], fields[1] in 'Uwv'
        if not undefined:
            # GCC's address sanitiser defines one indicator per global
            if not name.removeprefix('__odr_asan.').startswith('fgt'):
                yield f'{path}: {member} defines {name}'
        elif FORBIDDEN.match(name):
            yield f'{path}: {member} uses {name}'
        else:
            for names, members in ONLY.items():
                if names.match(name) and not members.match(member):
                    yield f'{path}: {member} uses {name}'


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--nm', required=True)
    args.add_argument('--map', required=True)
    args.add_argument('--shared')
    args.add_argument('--archive')
    args.add_argument('--user')
    args.add_argument('--version')
    args.add_argument('--write', action='store_true')
    args.add_argument('headers', nargs='*')
    args = args.parse_args()

    used = inner_names(args.nm.split(), args.user) if args.user else set()
    if args.write:
        return write_private(args.map, used)
    nodes, wrong = read_map(args.map)
    wrong += private_complaints(nodes, used, args.version) if args.user else []
    public = {n: nodes[n] for n in nodes if not nodes[n].startswith(PRIVATE)}
    names, experimental = declared(args.headers)
    wrong += compare(f'the public headers, against {args.map}', names, public.keys())
    promised = {n for n in public if not public[n].endswith(EXPERIMENTAL)}
    wrong += compare(f'{args.map}, but for {EXPERIMENTAL}', promised, public.keys() - experimental)
    if args.shared:
        found = shared_names(args.nm.split(), args.shared)
        wrong += compare(args.shared, found.keys(), nodes.keys())
        wrong += [f'{args.shared}: {n} stands in node {found[n]}, not {nodes[n]}'
                  for n in sorted(found) if n in nodes and found[n] not in (n, nodes[n])]
    if args.archive:
        wrong += archive_complaints(args.nm.split(), args.archive)
    print(*wrong, sep='\n', end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
