#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The made data of docs/insight.md, as CSV: usage insight_data.py series|texts [COUNT [SEED]]

series: north and south wander; east is what north was 24 rows earlier, west what south was, with some noise;
noise follows nobody. texts: headlines of three classes, whose words belong to a class or to all of them.
"""

import random
import sys

LAG = 24
WORDS = {
    'sport': 'match goal team coach season striker cup final league referee',
    'markets': 'shares oil profit bank merger price quarter investors bonds rates',
    'science': 'telescope cell planet virus study orbit genome fossil climate probe',
}
COMMON = 'the a after before says new in of with on for big early late report week'.split()


def wander(draw, count):
    values = [0.0]
    while len(values) < count:
        values.append(0.97 * values[-1] + draw.gauss(0, 1))
    return values


def print_series(draw, count):
    north, south = wander(draw, count + LAG), wander(draw, count + LAG)
    print('north,south,east,west,noise')
    for t in range(LAG, count + LAG):
        row = (north[t], south[t], north[t - LAG] + draw.gauss(0, 0.3), south[t - LAG] + draw.gauss(0, 0.3),
               draw.gauss(0, 1))
        print(','.join(f'{v:.3f}' for v in row))


def print_texts(draw, count):
    print('label,text')
    for _ in range(count):
        kind = draw.choice(sorted(WORDS))
        own = WORDS[kind].split()
        stray = draw.choice(WORDS[draw.choice(sorted(WORDS))].split())
        words = draw.sample(own, 4) + draw.sample(COMMON, 8) + [stray]
        draw.shuffle(words)
        print(f'{kind},{" ".join(words)}')


def main(kind, count='4000', seed='1'):
    {'series': print_series, 'texts': print_texts}[kind](random.Random(int(seed)), int(count))


if __name__ == '__main__':
    if len(sys.argv) < 2 or sys.argv[1] not in ('series', 'texts'):
        sys.exit(__doc__)
    main(*sys.argv[1:])
