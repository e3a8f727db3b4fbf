#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns the doc blocks of the public headers into Doxygen's commands: usage doxygen_filter.py HEADER|PAGE.

In headers, fields ("Shapes   x [B,T] -> y") become titled paragraphs, without those that say none; lines
that stand four columns in are set as they are. The headers stay readable without any of that. In pages,
pictures lose the `../` before their path, because Doxygen finds a picture only by the end of its path.
"""

import re
import sys
from pathlib import Path

FIELD = re.compile(r'^(Source|Shapes|Params|Units|Cost|Owner|Errors|Threads|Since) {2,}(\S.*)$')
BLOCK = re.compile(r'/\*\*(?!<)(.*?)\*/', re.S)
# What Doxygen would read as markup and is none here.
SPECIAL = re.compile(r'([<>&*#`|%@])')


def plain(text):
    return SPECIAL.sub(r'\\\1', text.replace('\\', '\\\\')).replace('\\*', '&lowast;').replace('\\`', '&#96;')


def block(match):
    """One doc block, line by line."""
    lines = [re.sub(r'^ \* ?', '', line) for line in match[1].rstrip().split('\n')]
    out, literal, field = [], False, False
    for number, line in enumerate(lines):
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        is_field = FIELD.match(text) if indent <= 1 else None
        wants_literal = number > 0 and text and indent >= 3 and not field and not is_field
        if literal and not wants_literal and text:
            while not out[-1]:
                out.pop()
            out.append('@endverbatim')
            literal = False
        if is_field:
            field = True
            said = is_field[2] not in ('none', '-')
            out += ['', f'@par {is_field[1]}', plain(is_field[2])] if said else []
        elif wants_literal:
            if not literal:
                out.append('@verbatim')
                literal = True
            out.append('  ' + line[3:])
        else:
            out.append(text if text.startswith('@') or literal else plain(text))
    if literal:
        out.append('@endverbatim')
    return '/**' + '\n'.join(f' {line}' if line else '' for line in out) + ' */'


def filtered(path):
    text = path.read_text()
    if path.suffix != '.md':
        return BLOCK.sub(block, text)
    return re.sub(r'\]\(([\w./-]+\.md)#[\w-]+\)', r'](\1)', text.replace('](../pictures/', '](pictures/'))


if __name__ == '__main__':
    print(filtered(Path(sys.argv[1])), end='')
