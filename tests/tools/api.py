#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the public headers to the rules of docs/abi.md that a script can see: usage api.py SOURCE_ROOT."""

import re
import sys
from pathlib import Path

from pin import CALLBACK, ENUM, FUNCTION, MEMBER, STRUCT, clean, split

MOST_PARAMETERS = 7
# A host compares statuses by their short names, and passes them as they are.
SHORT = {'fgt_status': ('FGT_OK', 'FGT_E_')}
# What each header may still break. The numbers only go down.
MOST = {
    'experimental/convert.h': 1,
}


def parts_of(declaration):
    """Type and name of a parameter or field."""
    function = re.match(r'^(.*\(\*)(\w+)(\).*)$', declaration)
    if function:
        return function[1] + function[3], function[2]
    kind, word = re.match(r'^(.*?)(\w+)\s*(?:\[\w*\])?$', declaration).groups()
    return kind.strip(), word


def of_functions(text, enums):
    for match in FUNCTION.finditer(text):
        words = ' '.join(match[1].replace('FGT_MUST', '').split())
        result, name, args = re.match(r'^(.*?[\s*])(fgt_\w+)\s*\((.*)\)$', words).groups()
        args = split(args)
        if len(args) > MOST_PARAMETERS:
            yield f'{name}: {len(args)} parameters, more than {MOST_PARAMETERS}; take a struct'
        if re.search('normaliz', name):
            yield f'{name}: normalise is the spelling'
        for at, arg in enumerate(args):
            kind, word = parts_of(arg)
            if kind == 'fgt_view *' and not re.search(r'_get(_|$)', name):
                yield f'{name}: {word} is filled with a view, so the name needs get; copies take a const one'
            if kind in enums and kind not in SHORT:
                yield f'{name}: {word} is an enum; parameters are int32_t'
            if word in ('n', 'k', 'num'):
                yield f'{name}: a count is called count, not {word}'
            before = args[at - 1] if at else ''
            if word == 'count' and '*' not in arg and not re.search(r'[*\]]', before):
                yield f'{name}: count is not after its array'
        copies = re.search(r'_copy_(?!parameters)', name)
        if copies and not any(a.startswith('const fgt_view *') for a in args):
            yield f'{name}: copy needs the caller\'s memory, a const fgt_view *'


def of_callbacks(text):
    found = [(name, result, args) for result, name, args in CALLBACK.findall(text)]
    for struct, body in STRUCT.findall(text):
        found += [(f'{struct}.{member}', result, args) for result, member, args in MEMBER.findall(body)]
    for name, _, args in found:
        if not split(args) or not re.match(r'(const )?void \*user$', split(args)[0]):
            yield f'{name}: the first parameter of a callback is void *user'


def of_enums(text):
    for name, body in ENUM.findall(text):
        prefixes = SHORT.get(name) or (name.upper().removesuffix('_KIND') + '_',)
        for constant in re.findall(r'\b(FGT_\w+)\s*(?:=|,|$)', body):
            if not constant.startswith(prefixes):
                yield f'{name}: {constant} does not begin with {prefixes[0]}'


def of_structs(text, enums):
    for name, body in STRUCT.findall(text):
        fields = [' '.join(f.split()) for f in MEMBER.sub('', body).split(';') if f.strip()]
        for kind, word in map(parts_of, fields):
            if kind in enums and kind not in SHORT:
                yield f'{name}.{word} is an enum; fields are int32_t'
            if word in ('ms', 'time_ms') or re.search(r'(^|_)(duration|elapsed)$', word):
                yield f'{name}.{word}: the unit is not in the name'


def main(root):
    include = Path(root) / 'include' / 'fighter'
    headers = sorted(include.rglob('*.h'))
    texts = {h: clean(h) for h in headers}
    enums = {name for t in texts.values() for name, _ in ENUM.findall(t)}
    bad = 0
    for header, text in texts.items():
        wrong = [*of_functions(text, enums), *of_callbacks(text), *of_enums(text), *of_structs(text, enums)]
        if header.parent == include and 'fighter/experimental/' in text:
            wrong.append('includes a header without a promise')
        name = str(header.relative_to(include))
        if len(wrong) != MOST.get(name, 0):
            print(*(f'{name}: {line}' for line in wrong), sep='\n')
            print(f'{name}: {len(wrong)} exceptions in place of {MOST.get(name, 0)}, which api.py has')
            bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
