#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws comments and header paragraphs at random, to be judged by a reader: "once" if one reading is enough.

usage: sample_prose.py SOURCE_ROOT [--seed N] [--comments FOLDER N] [--paragraphs FOLDER N]"""

import argparse
import random
import re
from pathlib import Path

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
LEAST = 5  # words; shorter ones are names and units
TITLE = re.compile(r'SPDX|-{4}|clang-format')


def comments(root, folder):
    """(file, line, text) of each comment of a folder that is a sentence."""
    for path in sorted(p for p in (root / folder).rglob('*') if p.suffix in ('.c', '.h')):
        text = path.read_text()
        for match in COMMENT.finditer(text):
            words = re.sub(r'\n\s*\*?|^/\*+<?|\*/$|^//+', ' ', match[0]).split()
            if len(words) >= LEAST and not TITLE.search(match[0]):
                yield path.relative_to(root), text.count('\n', 0, match.start()) + 1, ' '.join(words)


def paragraphs(root, folder):
    """The same of each paragraph of a folder's headers; fields such as "Errors" are paragraphs."""
    for path in sorted((root / folder).rglob('*.h')):
        text = path.read_text()
        for match in COMMENT.finditer(text):
            if TITLE.search(match[0]):
                continue
            at = 0
            for part in re.split(r'(\n \*\n|\n \*  (?=[A-Z][a-z]+   ))', match[0]):
                words = re.sub(r'\n\s*\*?|^/\*+<?|\*/$', ' ', part).split()
                if len(words) >= 2 * LEAST:
                    line = text.count('\n', 0, match.start() + at) + 1
                    yield path.relative_to(root), line, ' '.join(words)
                at += len(part)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1])
    parser.add_argument('root', type=Path)
    parser.add_argument('--seed', type=int, default=1)
    for kind in ('comments', 'paragraphs'):
        parser.add_argument(f'--{kind}', nargs=2, metavar=('FOLDER', 'N'))
    args = parser.parse_args()
    for kind, find in (('comments', comments), ('paragraphs', paragraphs)):
        folder, count = getattr(args, kind) or ('', 0)
        found = list(find(args.root, folder)) if folder else []
        for name, line, text in sorted(random.Random(args.seed).sample(found, min(int(count), len(found)))):
            print(f'{name}:{line}: {text}')


if __name__ == '__main__':
    main()
