#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Words that make a reader go back: names the file and the line of each in comments, messages and documents.

A folder may have as many as MOST says and no more. The numbers only go down: who rewrites a sentence lowers
the number of its folder. usage: prose.py SOURCE_ROOT [--list FOLDER_OR_FILE | --counts]"""

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

# The most that a folder may have; a file belongs to the longest name that its path begins with.
MOST = {
    'README.md': 0,
    'docs': 0,
    'docs/results': 0,
    'examples': 0,
    'programs/classify': 0,
    'programs/common': 0,
    'programs/forecast': 0,
    'programs/language': 0,
    'examples/walkthrough': 0,
    'include/fighter': 0,
    'lib/analysis': 0,
    'lib/attent': 0,
    'lib/blas': 0,
    'lib/blocks': 0,
    'lib/classify': 0,
    'lib/core': 0,
    'lib/core/strings': 0,
    'lib/core/vec': 0,
    'lib/data': 0,
    'lib/data/arrow': 0,
    'lib/data/csv': 0,
    'lib/data/graph': 0,
    'lib/data/store': 0,
    'lib/data/time': 0,
    'lib/forecast': 0,
    'lib/forecast/fit': 0,
    'lib/forecast/known': 0,
    'lib/forecast/linear': 0,
    'lib/forecast/local': 0,
    'lib/forecast/predict': 0,
    'lib/forecast/search': 0,
    'lib/image': 0,
    'lib/model': 0,
    'lib/model/files': 0,
    'lib/mpi': 0,
    'lib/nn': 0,
    'lib/nn/attention': 0,
    'lib/nn/basic': 0,
    'lib/nn/graph': 0,
    'lib/nn/recurrent': 0,
    'lib/nn/ssm': 0,
    'lib/nn/vision': 0,
    'lib/ranks': 0,
    'lib/report': 0,
    'lib/text': 0,
    'lib/train': 0,
    'lib/vision': 0,
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


def folder_of(name):
    """The folder that counts a file; none: its own, which may have none."""
    mine = [folder for folder in MOST if name == folder or name.startswith(folder + '/')]
    return max(mine, key=len) if mine else name.rpartition('/')[0] or name


def files(root):
    yield from sorted(root.glob('*.md'))
    yield from sorted((root / 'tests').glob('*.md'))
    for folder in ('include', 'lib', 'docs', 'examples', 'programs'):
        yield from sorted(p for p in (root / folder).rglob('*') if p.suffix in ('.c', '.h', '.md'))


def main(root, *options):
    found = {folder: [] for folder in MOST}
    for path in files(Path(root)):
        name = path.relative_to(root).as_posix()
        lines = found.setdefault(folder_of(name), [])
        lines += [f'{name}:{line}: {advice}' for line, advice in riddles(path)]
    if options[:1] == ('--counts',):
        for folder, lines in found.items():
            print(f"    '{folder}': {len(lines)},")
        return 0
    if options[:1] == ('--list',):
        print('\n'.join(line for lines in found.values() for line in lines if line.startswith(options[1])))
        return 0
    bad = 0
    for folder, lines in found.items():
        most = MOST.get(folder, 0)
        if len(lines) > most:
            print('\n'.join(lines))
            print(f'{folder}: {len(lines)} of these, most {most}: write the new one in other words')
        elif len(lines) < most:
            print(f"{folder}: only {len(lines)} left: write '{folder}': {len(lines)} in tests/tools/prose.py")
        bad += len(lines) != most
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
