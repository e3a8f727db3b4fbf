#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/routes.md has the routes of lib/nn/route.c: for each layer the same names in the same
order, which is that of the conditions. usage: routes.py SOURCE_ROOT"""

import re
import sys
from pathlib import Path

# [FGTI_ROUTE_FIGHTER_SHORT] = {"short", ...
ROW = re.compile(r'\[FGTI_ROUTE_([A-Z]+)_\w+\] = \{"([^"]+)"')


def of_source(text):
    """Names by layer; FGTI_ROUTE_ONLY, which belongs to no layer, has no further word and does not match."""
    routes = {}
    for layer, name in ROW.findall(text):
        routes.setdefault(layer.lower(), []).append(name)
    return routes


def of_page(text):
    """Names by layer, from the rows after the head; an empty first cell means the layer above."""
    routes, layer = {}, None
    table = text.split('| layer | route | condition |', 1)[-1].split('\n\n', 1)[0]
    for line in table.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        layer = cells[0] or layer
        routes.setdefault(layer, []).append(cells[1])
    return routes


def main(root):
    source = of_source((Path(root) / 'lib/nn/route.c').read_text())
    page = of_page((Path(root) / 'docs/routes.md').read_text())
    bad = [f'{layer}: docs/routes.md has {page.get(layer)}, lib/nn/route.c {source.get(layer)}'
           for layer in sorted(source.keys() | page.keys()) if source.get(layer) != page.get(layer)]
    bad += [] if source else ['lib/nn/route.c: no routes found']
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
