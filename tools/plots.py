# SPDX-License-Identifier: BSD-3-Clause
"""What the tools that draw share: a figure of matplotlib, and its file."""
import os
import sys


def pyplot():
    """matplotlib's, set so that the same numbers make the same SVG file; ends the program without it."""
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"{os.path.basename(sys.argv[0])}: no matplotlib, so no plot (Debian: python3-matplotlib)")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "fighter", "font.size": 9})
    from matplotlib import pyplot as found
    return found


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
