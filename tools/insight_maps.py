#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of --report as one picture: usage insight_maps.py EPOCH,EPOCH,... NAME=PAGE.html ... > maps.svg

A row for each page, a column for each epoch: A of the first layer, the mean over its heads. Black is the
largest weight of a matrix, white is 0, and a quarter of the largest weight is half as dark. Only epochs that
a page has can be asked for.
"""

import base64
import html
import json
import re
import struct
import sys
import zlib

SIDE, GAP, LEFT, TOP = 120, 8, 150, 24


def png(rows):
    """Grey pixels, 0 .. 255, as a PNG."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    lines = b''.join(b'\0' + bytes(row) for row in rows)
    head = struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(lines, 9)) + \
        chunk(b'IEND', b'')


def maps(path):
    """The matrices of a page's first layer by epoch, as pixels. A cell of 255 is the largest weight, others
    are the roots of their shares of it."""
    with open(path, encoding='utf-8') as page:
        found = re.search(r"<script type='application/json' id='data'>(.*?)</script>", page.read(), re.S)
    data = json.loads(found[1])
    side = len(data['subjects'][0]['tokens'])
    out = {}
    for s in data['sets']:
        if s['subject'] or s['layer']:
            continue
        cells = base64.b64decode(s['cells'])[:side * side]
        out[s['epoch']] = [[255 - cells[i * side + j] for j in range(side)] for i in range(side)]
    return out


def main(epochs, *pages):
    epochs = [int(e) for e in epochs.split(',')]
    step = SIDE + GAP
    width, height = LEFT + step * len(epochs), TOP + step * len(pages)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
          f'height="{height}" font-family="sans-serif" font-size="13">')
    print(f'<rect width="{width}" height="{height}" fill="#fff"/>')
    for k, epoch in enumerate(epochs):
        print(f'<text x="{LEFT + k * step}" y="16">epoch {epoch}</text>')
    for i, page in enumerate(pages):
        name, path = page.split('=', 1)
        found = maps(path)
        print(f'<text x="4" y="{TOP + i * step + SIDE / 2}">{html.escape(name)}</text>')
        for k, epoch in enumerate(epochs):
            image = base64.b64encode(png(found[epoch])).decode()
            print(f'<image x="{LEFT + k * step}" y="{TOP + i * step}" width="{SIDE}" height="{SIDE}" '
                  f'style="image-rendering:pixelated" href="data:image/png;base64,{image}"/>')
    print('</svg>')


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
