#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Copies the pages into one folder for Sphinx: the README with the list of pages as the first page, the pages
that the list names, the files that their links name, and a page for each program of the gallery and each
public header.
usage: stage.py SOURCE_ROOT FOLDER"""

import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'tests' / 'tools'))
from links import LINK, listed  # pylint: disable=wrong-import-position

BRIEF = re.compile(r'/\*\* @file \S+\s+(?:\*\s+)?(.*?)(?:\n \*\s*\n|\*/|\.\s)', re.S)


def copy_page(root, folder, name):
    """A page, and the files that are no pages and that its links name. A link whose text is the name of a
    page gets the page's title."""
    source = root / f'{name}.md'
    text = source.read_text(encoding='utf-8')
    depth = name.count('/')
    text = re.sub(r'\]\((?:\.\./){%d}README\.md' % depth, f']({"../" * depth}index.md', text)
    text = re.sub(r'(?<!!)\[[\w./-]+\.md\](?=\([\w./#-]+\))', '[]', text)
    target = folder / f'{name}.md'
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding='utf-8')
    for link in LINK.findall(text):
        file = (source.parent / link.partition('#')[0]).resolve()
        if file.is_file() and file.suffix != '.md':
            copy = folder / file.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def write_gallery(root, folder):
    """A page for each program of the gallery: its picture and its source."""
    gallery = folder / 'docs' / 'gallery'
    names = sorted(p.stem for p in (root / 'docs' / 'gallery').glob('*.py'))
    for name in names:
        (gallery / f'{name}.md').write_text(
            f'# {name}.py\n\n![the picture that it draws]({name}.svg)\n\n'
            f'```{{literalinclude}} {name}.py\n:language: python\n```\n')
    text = (gallery / 'README.md').read_text(encoding='utf-8')
    text = re.sub(r'\[(\w+)\.py\]\(\w+\.py\)', r'[](\1.md)', text)
    text += '\n```{toctree}\n:hidden:\n\n' + '\n'.join(names) + '\n```\n'
    (gallery / 'README.md').write_text(text, encoding='utf-8')


def headers(root):
    """The lists of headers of each library: (title, [(path below include/fighter, first sentence)])."""
    include = root / 'include' / 'fighter'
    tasks = {'tasks.h', *re.findall(r'<fighter/(\S+\.h)>', (include / 'tasks.h').read_text())}
    stable = sorted(p.name for p in include.glob('*.h'))
    yield 'The library fighter', [name for name in stable if name not in tasks]
    yield 'The library fighter-tasks', [name for name in stable if name in tasks]
    yield 'Experimental headers', sorted(f'experimental/{p.name}' for p in include.glob('experimental/*.h'))


def write_api(root, folder):
    api = folder / 'api'
    (api / 'experimental').mkdir(parents=True)
    index = ['# Headers', '', 'Each page shows one public header, which has the same text.', '']
    for title, names in headers(root):
        index += [f'## {title}', '', '| header | contents |', '|---|---|']
        for name in names:
            text = (root / 'include' / 'fighter' / name).read_text(encoding='utf-8')
            brief = re.sub(r'\s*\n \*\s*', ' ', BRIEF.search(text)[1]).strip()
            index.append(f'| [{name}]({name[:-2]}.md) | {brief} |')
            (api / f'{name[:-2]}.md').write_text(
                f'# {name}\n\n    #include <fighter/{name}>\n\n```{{doxygenfile}} {Path(name).name}\n```\n')
        index += ['', '```{toctree}', ':hidden:', '', *(name[:-2] for name in names), '```', '']
    (api / 'index.md').write_text('\n'.join(index), encoding='utf-8')


def main(root, folder):
    root, folder = Path(root).resolve(), Path(folder)
    site = root / 'docs' / 'site'
    shutil.rmtree(folder, ignore_errors=True)
    contents = (site / 'contents.md').read_text(encoding='utf-8')
    for name in ['README', *listed(root)]:
        if name != 'api/index':
            copy_page(root, folder, name)
    page = (folder / 'README.md').rename(folder / 'index.md')
    page.write_text(page.read_text(encoding='utf-8') + '\n' + contents.split('-->\n', 1)[1], encoding='utf-8')
    write_gallery(root, folder)
    write_api(root, folder)
    shutil.copyfile(site / 'conf.py', folder / 'conf.py')
    (folder / '_static').mkdir()
    shutil.copyfile(site / 'site.css', folder / '_static' / 'site.css')


if __name__ == '__main__':
    main(*sys.argv[1:])
