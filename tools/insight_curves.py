#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of layers over the depth, as curves: usage insight_curves.py OUT.svg NAME=FILE.csv ...

FILE is what examples/measures prints for a model whose layers have numbers in their names. A panel for each
statistic of the layers' outputs, a curve for each model. Needs matplotlib (Debian: python3-matplotlib).
"""

import csv
import sys

import plots

PANELS = {'mad': 'mean average distance', 'cosine': 'cosine of pairs of tokens', 'rank': 'effective rank',
          'dirichlet': 'Dirichlet energy'}
STYLES = ['-o', '--s', ':^', '-.D']


def read(path):
    """{statistic: its values, by layer} of what layers give."""
    found = {}
    with open(path, newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            if row['power'] == '0':
                found.setdefault(row['statistic'], []).append(float(row['value']))
    return found


def main(out, *models):
    pyplot = plots.pyplot()
    figure, axes = pyplot.subplots(1, len(PANELS), figsize=(9, 2.4))
    for model, style in zip(models, STYLES):
        name, path = model.split('=', 1)
        found = read(path)
        for panel, statistic in zip(axes, PANELS):
            values = found[statistic]
            panel.plot(range(1, len(values) + 1), values, style, label=name, markersize=4)
    for panel, title in zip(axes, PANELS.values()):
        panel.set_title(title, fontsize=9)
        panel.set_xlabel('layer')
        panel.set_xticks(range(1, len(panel.lines[0].get_xdata()) + 1))
        panel.set_ylim(bottom=0)
    axes[0].legend(frameon=False)
    plots.save(figure, out)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
