#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links of the documents name a file of the tree, and a heading of it if they have an anchor; pages that
sources name (docs/guide.md) exist, and so do the files that docs/hacking names (`train/loss/loss.c`). The
site has every page of docs (docs/site/contents.md).
usage: links.py SOURCE_ROOT"""

import re
import sys
from pathlib import Path

LINK = re.compile(r'!?\[[^\]]*\]\(([^)\s]+)\)')
NAMED = re.compile(r'(?<![\w/.])docs/[\w/-]+\.md')
SOURCES = ('include', 'lib', 'examples', 'programs', 'tests', 'bench', 'tools', 'docs')
ENDS = ('.c', '.h', '.in', '.py', '.sh', '.md', '.build')
FILE = re.compile(r'`((?:[\w-]+/)*[\w-]+\.(?:c|h|py|sh|map|build|md))`')
EXAMPLE = re.compile(r'(?:\b|_)foo\b|[A-Z]{3}')  # a new file, as in `lib/nn/basic/foo.c`
CODE = re.compile(r'```.*?```|`[^`\n]*`', re.S)


def anchors(path):
    """The anchors of a page's headings, as they are shown on the web: in lower case, without marks."""
    names, text = [], re.sub(r'```.*?```', '', path.read_text(encoding='utf-8'), flags=re.S)
    for heading in re.findall(r'^#+ +(.+)$', text, re.M):
        name = re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
        names.append(f'{name}-{names.count(name)}' if name in names else name)
    return names


def wrong(root, page):
    """The links of a page that lead nowhere."""
    text = page.read_text(encoding='utf-8')
    blank = CODE.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)
    for m in LINK.finditer(blank):
        target, _, anchor = m.group(1).partition('#')
        if re.match(r'[a-z]+:', target):
            continue
        to = (page.parent / target).resolve() if target else page
        line = blank.count('\n', 0, m.start()) + 1
        if not to.exists() or root not in to.parents:
            yield f'{page.relative_to(root)}:{line}: there is no {target}'
        elif anchor and anchor not in anchors(to):
            yield f'{page.relative_to(root)}:{line}: {to.name} has no heading #{anchor}'


def unknown(root, source):
    """The pages that a source names and that do not exist."""
    for number, line in enumerate(source.read_text(encoding='utf-8', errors='replace').splitlines(), 1):
        for name in NAMED.findall(line):
            if not (root / name).exists():
                yield f'{source.relative_to(root)}:{number}: there is no {name}'


def moved(root, page):
    """The files that a page of docs/hacking names, by the end of their path, and that do not exist."""
    here = [f'/{p.relative_to(root)}' for folder in SOURCES for p in (root / folder).rglob('*')]
    for number, line in enumerate(page.read_text(encoding='utf-8').splitlines(), 1):
        for name in FILE.findall(line):
            if not (EXAMPLE.search(name) or any(path.endswith(f'/{name}') for path in here)):
                yield f'{page.relative_to(root)}:{number}: there is no {name}'


def listed(root):
    """The pages of the site without `.md`, as docs/site/contents.md lists them."""
    text = (root / 'docs' / 'site' / 'contents.md').read_text(encoding='utf-8')
    lines = '\n'.join(re.findall(r'```\{toctree\}\n(.*?)```', text, re.S)).split('\n')
    return [line for line in lines if line and not line.startswith(':')]


def unlisted(root):
    """The pages of docs that the site lacks, and the pages that the site lists and that do not exist."""
    there = {str(p.relative_to(root).with_suffix('')) for p in (root / 'docs').rglob('*.md')}
    for name in sorted(there - {'docs/site/contents', *listed(root)}):
        yield f'docs/site/contents.md: there is no line {name}'
    for name in listed(root):
        if name != 'api/index' and not (root / f'{name}.md').exists():
            yield f'docs/site/contents.md: there is no {name}.md'


def main(root):
    root = Path(root).resolve()
    pages = [p for p in [*root.glob('*.md'), *(q for folder in ('docs', 'examples', 'tests', 'python')
                                         for q in (root / folder).rglob('*.md'))] if p.is_file()]
    sources = [p for folder in SOURCES for p in (root / folder).rglob('*')
               if p.suffix in ENDS and p.is_file()]
    found = [text for page in sorted(pages) for text in wrong(root, page)]
    found += [text for source in sorted({*pages, *sources}) for text in unknown(root, source)]
    found += [text for page in sorted((root / 'docs' / 'hacking').glob('*.md')) for text in moved(root, page)]
    found += unlisted(root)
    print(*found, sep='\n', end='\n' if found else '')
    return 1 if found or not pages else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
