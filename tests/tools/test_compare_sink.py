#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/compare_sink.py on made results: usage test_compare_sink.py TOOLS"""

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path

from tool_checks import check, failures

PAGE = 'before\n<!-- law -->\n<!-- /law -->\nbetween\n<!-- graphs -->\nold\n<!-- /graphs -->\nbehind\n'


def made(case, options, threads, t):
    """Norms of others that fall with 3/T^2, of a token by itself that do not fall."""
    path = {'diagonal': [1 / t]} | {name: [0.5, 3 / t ** 2] for name in (
        'value', 'key', 'query', 'total', 'equation 8', 'bound')}
    return {'set': case.data, 'options': options, 'threads': threads, 'seed': case.seed, 'val_mae': 0.25,
            'parameters': 1234, 'errors': {str(step): float(step) for step in case.steps}, 'mean': 2.0,
            'paths': [path] * (1 if case.depth == 1 else 2)}


def main():
    sys.path.insert(0, sys.argv[1])
    import compare_sink as tool
    import record
    c, p, off = tool.power([10, 20, 40], [5.0, 2.5, 1.25])
    check('a law that holds', abs(c - 50) < 1e-9 and abs(p - 1) < 1e-12 and off < 1e-12, (c, p, off))
    _, p, off = tool.power([10, 20, 40], [5.0, 2.5, 2.5])
    check('one that does not', 0.4 < p < 0.6 and off > 0.1, (p, off))
    graph = [[1, 0, .5, 0], [0, 1, 0, 0], [.9, 0, 1, 0], [0, .2, 0, 1]]
    check('sensors that are near', tool.nearest(graph, 2) == [0, 2], tool.nearest(graph, 2))
    with tempfile.TemporaryDirectory() as name:
        results, page = Path(name) / 'results.jsonl', Path(name) / 'page.md'
        page.write_text(PAGE)
        for data, system, options, steps, depth in tool.cases():
            case = tool.Case(data, system, options, 1, steps, depth)
            length = int(system.split()[-1]) if data == 'law' else 12
            _, words, threads = record.key(case, 1)
            if data in ('law', 'graphs') or system == tool.PLAIN and data == 'remedies':
                record.add(results, made(case, words, threads, length + 1))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            tool.main(['--results', str(results), '--only', '^$', '--seeds', '1', '--out', str(page)])
        text = page.read_text()
        check('every length', all(f'| trained, {t} | {t + 1} | {3 / (t + 1) ** 2:.3g} |' in text
                                  for t in tool.LENGTHS), text)
        check('the power', '| fresh: p of c/T^p |  | 2.00 (0 %) | 2.00 (0 %) | 2.00 (0 %) | ' in text, text)
        check('the factor', '| trained: c |  | 3 | 3 | 3 | 0.5 |' in text, text)
        check('graphs', all(f'| {system} | 3.000 | 6.000 | 12.000 | 2.000 | 0.2500 | 1,234 | 0.077 |' in text
                            for system in ['a learned graph', *tool.GRAPHS]), text)
        check('what stands between stays', 'between\n' in text and text.startswith('before\n') and
              text.endswith('behind\n') and 'old' not in text, text)
        check('printed, too', 'p of c/T^p' in out.getvalue(), out.getvalue())
        keys = [json.loads(line)['options'] for line in results.read_text().splitlines()]
        check('no two cases are one', len(set(keys)) == len(keys), keys)
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
