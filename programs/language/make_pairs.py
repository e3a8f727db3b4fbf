#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes prompts and responses for the program language from the words of a text:
    make_pairs.py TEXT [SEED] > pairs.tsv
Each word gets two of five tasks at random. All words follow the rules of regular spelling, so "make" becomes
"maked"."""

import random
import re
import sys

VOWELS = 'aeiou'


def short(word):
    """Whether the last letter is doubled: one syllable, one vowel before it."""
    return re.fullmatch(f'[^{VOWELS}]*[{VOWELS}][^{VOWELS}wxy]', word) is not None


def plural(word):
    if re.search(f'[^{VOWELS}]y$', word):
        return word[:-1] + 'ies'
    return word + ('es' if re.search('(s|x|z|ch|sh)$', word) else 's')


def past(word):
    if re.search(f'[^{VOWELS}]y$', word):
        return word[:-1] + 'ied'
    return word + ('d' if word.endswith('e') else word[-1] + 'ed' if short(word) else 'ed')


def going(word):
    if re.search('[^eoy]e$', word):
        return word[:-1] + 'ing'
    return word + (word[-1] if short(word) else '') + 'ing'


TASKS = {'plural': plural, 'past': past, 'ing': going, 'capitals': str.upper, 'backwards': lambda w: w[::-1]}


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        words = sorted(set(re.findall(r'\b[a-z]{3,10}\b', file.read())))
    draw = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    pairs = [f'{task} of {word}\t{TASKS[task](word)}'
             for word in words for task in draw.sample(list(TASKS), 2)]
    draw.shuffle(pairs)
    print('\n'.join(pairs))


if __name__ == '__main__':
    main()
