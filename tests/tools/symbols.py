#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the built libraries export and call, against symbols.map and the rules for a guest library.

usage: symbols.py --nm NM --map SYMBOLS_MAP [--shared SO] [--archive A] HEADER...
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


# The node of names without a promise, which the headers in this folder declare.
EXPERIMENTAL, FOLDER = 'FIGHTER_EXPERIMENTAL', 'experimental'


def read_map(path):
    """The node of every exported name, and what is wrong with the file."""
    text = re.sub(r'/\*.*?\*/|#[^\n]*', '', Path(path).read_text(), flags=re.S)
    nodes, wrong = {}, []
    for node, body in re.findall(r'([\w.]+)\s*\{(.*?)\}', text, re.S):
        here = re.findall(r'^\s*(\w+);\s*$', body.split('local:')[0].split('global:')[-1], re.M)
        wrong += [f'{path}: node {node} is not sorted'] if here != sorted(here) else []
        for name in here:
            wrong += [f'{path}: {name} is listed twice'] if name in nodes else []
            wrong += [] if name.startswith('fgt_') else [f'{path}: {name} does not begin with fgt_']
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
    args.add_argument('headers', nargs='+')
    args = args.parse_args()

    nodes, wrong = read_map(args.map)
    names, experimental = declared(args.headers)
    wrong += compare('the public headers, against symbols.map', names, nodes.keys())
    promised = {n for n in nodes if nodes[n] != EXPERIMENTAL}
    wrong += compare(f'{args.map}, but for {EXPERIMENTAL}', promised, nodes.keys() - experimental)
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
