#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/compare.py on made measurements: usage test_compare.py TOOLS"""

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path

from tool_checks import check, failures

PAGE = '''before
<!-- compare -->

#### Another processor

its table

<!-- /compare -->
behind
'''


def write_results(path):
    """Two cases, two rounds: ours, PyTorch eager, and ONNX Runtime, which fails in one of them."""
    lines = []
    for ms in (1.0, 3.0):
        for case in ('rnn-seed', 's4-seed'):
            common = {'case': case, 'threads': 1}
            lines.append({**common, 'variant': 'fighter', 'train_ms': ms, 'infer_ms': ms, 'infer1_ms': ms})
            lines.append({**common, 'variant': 'eager stock', 'train_ms': 8, 'infer_ms': 6, 'infer1_ms': 4,
                          'version': 'torch 1'})
        lines.append({'case': 'rnn-seed', 'threads': 1, 'variant': 'onnxruntime', 'infer_ms': 2.2,
                      'infer1_ms': 8.0, 'version': 'onnxruntime 1'})
        lines.append({'case': 's4-seed', 'threads': 1, 'variant': 'onnxruntime', 'failed': 'no'})
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines))


def report(tool, *options):
    out, sys.argv = io.StringIO(), ['compare.py', '--report', *map(str, options)]
    with contextlib.redirect_stdout(out):
        tool.main()
    return out.getvalue()


def main():
    sys.path.insert(0, sys.argv[1])
    import compare as tool
    with tempfile.TemporaryDirectory() as name:
        results, page = Path(name) / 'results.jsonl', Path(name) / 'page.md'
        write_results(results)
        page.write_text(PAGE)
        common = ['--results', results, '--only', 'rnn-seed,s4-seed', '--markdown', page]
        text = report(tool, *common)
        check('medians and ratios', '| 2 | 8 eager stock | 4.00 of 2.5 |' in text, text)
        beside = '| rnn-seed | 2 | 2.2 | **1.10** of 1.2, missed | 2 | 8 | 4.00 of 1.2 |'
        check('ONNX Runtime', beside in text, text)
        check('means', '| geometric mean |  |  | **1.10** of 2, missed |  |  | 4.00 of 2 |' in text, text)
        check('a case that failed has no row', text.count('| s4-seed |') == 2, text)
        check('both versions', 'torch 1; onnxruntime 1' in text, text)
        once = page.read_text()
        check('other processors stay', '#### Another processor\n\nits table\n' in once, once)
        check('the rest of the page stays', once.startswith('before\n') and once.endswith('behind\n'), once)
        report(tool, *common)
        check('the same table is replaced', page.read_text() == once, page.read_text())
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
