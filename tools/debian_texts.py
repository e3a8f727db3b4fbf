#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes texts with labels from an index of Debian packages: their short descriptions.

usage: apt-cache dumpavail | debian_texts.py FOLDER

Writes sections.train and sections.test, where a text has the label of its package's section, and tags.train
and tags.test, where it has the labels of all its tags (debtags) that at least 50 packages have. A fifth of
the source packages, drawn by the hash of their names, is for the tests, and so are all binary packages of
them. Of packages with the same description only the first one is used.
"""

import hashlib
import re
import sys
from collections import Counter
from pathlib import Path

LEAST = 50


def read(lines):
    """The fields of each package, whose continuation lines are joined."""
    package, last = {}, None
    for line in lines:
        if not line.strip():
            if package:
                yield package
            package = {}
        elif line[0] == ' ':
            if last != 'Description':  # only its first line
                package[last] += line.strip()
        else:
            last, value = line.split(':', 1)
            package[last] = value.strip()
    if package:
        yield package


def is_test(package):
    source = package.get('Source', package['Package']).split(' ')[0]
    return hashlib.sha256(source.encode()).digest()[0] < 51


def unique(packages):
    seen = set()
    for p in packages:
        text = p.get('Description')
        if text and text not in seen:
            seen.add(text)
            yield p, text


def write(folder, name, rows):
    for part, test in ('train', False), ('test', True):
        lines = [f'{" ".join("__label__" + label for label in labels)} {text}\n'
                 for p, labels, text in rows if labels and is_test(p) == test]
        (folder / f'{name}.{part}').write_text(''.join(lines), encoding='utf-8')
        print(f'{name}.{part}: {len(lines)} texts')


def main():
    folder = Path(sys.argv[1])
    packages = list(unique(read(sys.stdin)))
    tags = {p['Package']: [t for t in re.split(r',\s*', p['Tag']) if t] for p, _ in packages if 'Tag' in p}
    count = Counter(t for of in tags.values() for t in of)
    write(folder, 'sections', [(p, [p['Section'].split('/')[-1]], text) for p, text in packages])
    write(folder, 'tags', [(p, [t for t in tags.get(p['Package'], []) if count[t] >= LEAST], text)
                           for p, text in packages])


if __name__ == '__main__':
    main()
