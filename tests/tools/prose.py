#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Words that make a reader go back: names the file and the line of each in comments, messages and documents.

usage: prose.py SOURCE_ROOT"""

import re
import sys
from pathlib import Path

RIDDLES = {
    'name the thing instead of "that of", "those of"': re.compile(r'\b(?:that|those)\s+of\b', re.I),
    'say "no ..." or "if not given" instead of "is none"': re.compile(r'\b(?:is|are)\s+none\b', re.I),
    'say "only" instead of "alone"': re.compile(r'(?<![-\w])alone\b', re.I),
    'say "after" instead of "behind"': re.compile(r'\bbehind\b', re.I),
    'begin the sentence with its subject, not with "What"':
        re.compile(r'(?:\A|\n\s*\n|\n\s*[-*] |[.!?:]\s+|\|\s*)What(?:ever)?\s(?![^.]*\?)'),
}

C_PROSE = re.compile(r'/\*.*?\*/|//[^\n]*|(?:"(?:\\.|[^"\\\n])*"\s*)+|\'(?:\\.|[^\'\\\n])+\'', re.S)
MD_CODE = re.compile(r'^```.*?^```|^#.*?$|`[^`\n]*`', re.S | re.M)


def blank(match):
    """As many characters and lines, and no words."""
    return re.sub(r'[^\n]', '_', match[0])


def passages(path, text):
    """(offset, prose) of each comment and message of a C file; a document is one passage. Marks of comments
    become blanks, so offsets stay."""
    if path.suffix == '.md':
        yield 0, MD_CODE.sub(blank, text)
        return
    for match in C_PROSE.finditer(text):
        prose = match[0]
        if prose.startswith('"'):
            if ' ' not in prose.strip():
                continue  # a name
            prose = re.sub(r'"(\s*)"', lambda m: ' ' + m[1] + ' ', prose)
        start = len(prose) - len(prose.lstrip('/*!<" '))
        yield match.start() + start, re.sub(r'(?<=\n)(\s*)\*', r'\1 ', prose[start:])


def riddles(path):
    """(line, advice) of each."""
    text = path.read_text()
    for offset, prose in passages(path, text):
        for advice, pattern in RIDDLES.items():
            for match in pattern.finditer(prose):
                word = match.start() + len(match[0]) - len(match[0].lstrip('\n\r -*.!?:|'))
                yield text.count('\n', 0, offset + word) + 1, advice


def files(root):
    yield from sorted(root.glob('*.md'))
    yield from sorted((root / 'tests').glob('*.md'))
    for folder in ('include', 'lib', 'docs', 'examples', 'programs'):
        yield from sorted(p for p in (root / folder).rglob('*') if p.suffix in ('.c', '.h', '.md'))


def main(root):
    bad = 0
    for path in files(Path(root)):
        for line, advice in riddles(path):
            print(f'{path.relative_to(root)}:{line}: {advice}')
            bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
