#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every exported function has a doc block: a sentence, then the fields that say what is special about it, in
order. What holds for most functions is said once, in the @file block, which must say it: who owns what, and
which threads may call. usage: docs.py HEADER..."""

import re
import sys
from pathlib import Path

ORDER = ['Source', 'Shapes', 'Params', 'Units', 'Cost', 'Owner', 'Errors', 'Threads', 'Since']
LAYER = {'Shapes', 'Params', 'Cost'}
# What the @file blocks say, so that no function repeats it.
STANDARD = {
    'Source': {'-'}, 'Shapes': {'none'}, 'Units': {'none'}, 'Owner': {'none'}, 'Errors': {'none'},
    'Threads': {'one at a time per context'}, 'Since': {'0.1'},
}

# A doc block and what follows it up to the end of the declaration.
DECLARATION = re.compile(r'(?:/\*\*(?P<doc>(?:(?!\*/).)*)\*/\s*)?^FGT_API\b(?P<decl>[^;]*);', re.S | re.M)
# The headers of layers.
LAYERS = {'nn.h', 'attention.h', 'graph.h', 'recurrent.h', 'vision.h'}
# A layer's descriptor takes its options, by name.
LAYER_DECL = re.compile(r'\s*fgt_layer\s+(fgt_\w+)\s*\(\s*const \1_opts\b')
NAME = re.compile(r'\b(fgt_\w+)\s*\(')
FIELD = re.compile(r'^ \*  (' + '|'.join(ORDER) + r')\s+(\S.*)$', re.M)


# The @file block of a header, and its sentence on all that follows.
FILE = re.compile(r'/\*\* @file (?P<name>\S+)(?P<doc>(?:(?!\*/).)*)\*/', re.S)
REST = re.compile(r'Unless a \w+ says otherwise: .*\b(owns|borrowed)\b.*\bthread\b', re.S)


def complaints_of_file(text, header):
    """What the @file block of a header lacks; one that declares nothing need only be there."""
    block = FILE.search(text)
    if not block or block['name'] != header:
        yield f'no block of @file {header}'
    elif DECLARATION.search(text) and not REST.search(block['doc']):
        yield 'the @file block does not say what holds unless a function says otherwise: owners, threads'


def complaints(doc, decl, header):
    """What the doc block of one declaration lacks."""
    if doc is None:
        yield 'no doc block'
        return
    first = doc.strip().lstrip('*').strip().split('\n')[0]
    if not first or FIELD.match(f' *  {first}'):
        yield 'the block does not begin with a sentence'
    found = [m[1] for m in FIELD.finditer(doc)]
    layer = header in LAYERS and LAYER_DECL.match(decl)
    needed = LAYER if layer else {'Errors'} if re.search(r'\bfgt_status\s+fgt_\w+\s*\(', decl) else set()
    for field in sorted(needed - set(found), key=ORDER.index):
        yield f'field {field} is missing'
    for match in FIELD.finditer(doc):
        if match[2].strip() in STANDARD.get(match[1], ()):
            yield f'field {match[1]} says what holds unless it says otherwise'
    for field in sorted({f for f in found if found.count(f) > 1}):
        yield f'field {field} occurs twice'
    if found != sorted(found, key=ORDER.index):
        yield 'fields are out of order: ' + ' '.join(found)


def main(paths):
    bad = 0
    for path in map(Path, paths):
        text = path.read_text()
        for wrong in complaints_of_file(text, path.name):
            print(f'{path}:1: {wrong}')
            bad += 1
        for match in DECLARATION.finditer(text):
            name = NAME.search(match['decl'])
            if not name:
                continue
            line = text.count('\n', 0, match.start('decl')) + 1
            for wrong in complaints(match['doc'], match['decl'], path.name):
                print(f'{path}:{line}: {name[1]}: {wrong}')
                bad += 1
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
