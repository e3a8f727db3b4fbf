#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cycles of AtteNT beside a reference: usage test_attent_cycles.py ATTENT_EPOCHS.

The reference is the schedule of the authors' program as the header has it. Sets of hard selection must be
equal, by scores and by what they have in excess of others; of soft selection their sizes, and when scores are
due. The residual is the root of all squares."""

import math
import subprocess
import sys
from fractions import Fraction

from tool_checks import check, failures


def plan(epochs, cycles, first, last, cosine):
    """For each epoch: None (all samples), or the share of samples and whether the interval begins."""
    table = [None] * (epochs + 1)
    begin = [2 + c * (epochs - 1) // cycles for c in range(cycles + 1)]
    for c in range(cycles):
        u = Fraction(c, cycles - 1) if cycles > 1 else Fraction(1)
        ratio = 0.2 + (0.8 - 0.2) * float(u)
        if cosine:
            ratio = 0.8 - (0.8 - 0.2) * (1 + math.cos(math.pi * float(u))) / 2
        length = first + math.floor((last - first) * Fraction(c, max(cycles - 1, 1)))
        for t in range(begin[c], min(begin[c] + length, begin[c + 1])):
            table[t] = (ratio, t == begin[c])
    return table


def score(i, t):
    return (7919 * i + 104729 * t) % 1009


def rule(i):
    return 613 * i % 499


def largest(samples, m, t, excess):
    order = sorted(range(samples), key=lambda i: (excess * rule(i) - score(i, t), i))
    return sorted(order[:m])


def distance(samples, t):
    """|f - f*| by the scores before epoch t, of three elements each; None: there are none."""
    return math.sqrt(sum(3 * score(i, t) for i in range(samples))) if t else math.nan


def run(program, *numbers):
    out = subprocess.run([program, *map(str, numbers)], capture_output=True, text=True, check=True).stdout
    return [(int(t), int(due), float(residual), *map(int, index))
            for t, due, residual, *index in (line.split() for line in out.splitlines())]


def compare(program, samples, epochs, cycles, first, last, cosine, soft, excess=0):
    name = f'{samples} {epochs} {cycles} {first} {last} {cosine} {soft} {excess}'
    lines = run(program, samples, epochs, cycles, first, last, cosine, soft, excess)
    table = plan(epochs, cycles, first, last, cosine)
    check(f'{name}: epochs', [line[0] for line in lines] == list(range(1, epochs + 1)), len(lines))
    chosen, before, last_scored = None, None, 0
    for t, due, residual, *index in lines:
        if table[t] is None:
            want, scored = list(range(samples)), 0
        else:
            m = max(1, math.floor(table[t][0] * samples + 0.5))
            scored = int(soft or table[t][1])
            if scored:
                chosen, last_scored = largest(samples, m, t, excess), t
            want = chosen
        check(f'{name}: scores are due before epoch {t}', due == scored, due)
        norm = distance(samples, last_scored)
        check(f'{name}: residual of epoch {t}', math.isclose(residual, norm, rel_tol=1e-8) or
              math.isnan(residual) and math.isnan(norm), (residual, norm))
        if table[t] is None or not soft:
            check(f'{name}: samples of epoch {t}', index == want, index)
            continue
        check(f'{name}: size of epoch {t}', len(set(index)) == len(index) == len(want), len(index))
        if not table[t][1]:
            check(f'{name}: epoch {t} is drawn anew', index != before)
        before = index
    return sum(len(line) - 3 for line in lines) / samples / epochs


def main():
    program = sys.argv[1]
    for soft in (0, 1):
        for cosine in (0, 1):
            compare(program, 50, 41, 4, 2, 6, cosine, soft)
            compare(program, 50, 41, 4, 2, 6, cosine, soft, 1)
            compare(program, 37, 30, 3, 5, 20, cosine, soft)  # intervals as long as their cycles
            compare(program, 10, 4, 3, 1, 1, cosine, soft)
            compare(program, 20, 12, 1, 3, 5, cosine, soft)
    for last, want in ((10, 0.96), (50, 0.86)):
        seen = compare(program, 1000, 800, 10, 5, last, 0, 0)
        check(f'800 epochs, 5 to {last}: share of the samples', round(seen, 2) == want, seen)
    if failures:
        sys.exit(1)
    print('the epochs are those of the reference')


main()
