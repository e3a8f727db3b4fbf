#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes Python classes of the options structs in the public headers: generate_layers.py INCLUDE_DIR KIND OUT.py

KIND is "layers" (a class for each function that describes a layer, and for blocks) or "options" (losses,
optimisers, schedules, selectors). Keywords are the fields of the struct, and docstrings its comments.
"""

import re
import sys
import textwrap
from pathlib import Path

from generate import Headers, split

#: fields that a caller does not see
HIDDEN = {'size', 'reserved', 'log', 'log_user', 'log_indices', 'replay', 'replay_bytes'}
#: array: field with its length, which is set by the array
COUNTS = {'class_weights': 'class_count', 'class_priors': 'class_count', 'layer_hops': 'layer_hops_count',
          'quantiles': 'quantile_count', 'group_weight': 'group_count'}
#: functions of C: their names here
SPELLED = {'gru': 'GRU', 'lstm': 'LSTM', 'rnn': 'RNN', 'gcn': 'GCN', 'revin': 'RevIN', 'revin_inverse': 'RevINInverse'}
CALLS = {'model_add': 'Model.add', 'model_add_from': 'Model.add', 'forward': 'Model.forward',
         'backward': 'Model.backward', 'predict': 'Model.predict', 'model_fit': 'Model.fit',
         'model_get_adjacency': 'Model.adjacency', 'shared': 'Shared', 'loss_compute': 'Loss',
         'workspace_set_value': 'Model.set_value', 'workspace_set_state': 'Model.set_state',
         'workspace_set_stateful': 'Model.set_stateful', 'attent_get_weights': 'Selector.weights',
         'attent_get_due': 'Selector.due', 'model_set_frozen': 'Model.freeze'}
#: class: struct, what it is
OPTIONS = {
    'LossOptions': ('fgt_loss_opts', 'Options of a loss.'),
    'Schedule': ('fgt_schedule_opts', 'A schedule of the learning rate.'),
    'OptimizerOptions': ('fgt_optim_opts', 'Options of an optimizer.'),
    'SelectorOptions': ('fgt_attent_opts', 'Options of a selector.'),
}
COMMENTED = re.compile(r'/\*\*((?:(?!\*/).)*?)\*/\s*FGT_API(?: FGT_MUST)? \w+ (fgt_\w+)\(', re.S)
BODY = re.compile(r'typedef struct (\w+) \{(.*?)\n\} \1;', re.S)
FIELD = re.compile(r'(?:/\*\*(?!<)((?:(?!\*/).)*)\*/\s*)?([^;/]+);[ \t]*(?:/\*\*<((?:(?!\*/).)*)\*/)?', re.S)
#: types as docstrings name them
TYPES = {'Any': 'array', 'Optional[str]': 'str, optional', 'Optional[Schedule]': 'Schedule, optional',
         'Optional[Sequence[float]]': 'sequence of float, optional',
         'Optional[Sequence[int]]': 'sequence of int, optional'}
HEAD = '''# SPDX-License-Identifier: BSD-3-Clause
# Written by python/generate_layers.py from the public headers; changes here are lost.
"""{about}"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Optional

from ._description import {base}
'''


def camel(name):
    return SPELLED.get(name) or ''.join(part.capitalize() for part in name.split('_'))


class Classes:
    """Classes written from the headers."""

    def __init__(self, folder):
        self.headers = Headers(folder)
        raw = '\n'.join(p.read_text() for p in sorted(folder.glob('**/*.h')) if p.name != 'mpi.h')
        self.about = {name: text for text, name in COMMENTED.findall(raw)}
        self.bodies = dict(BODY.findall(raw))
        self.layers = re.findall(r'^FGT_API fgt_layer fgt_(\w+)\(const fgt_\w+_opts \*opts\);', raw, re.M)
        self.choices = {m[1]: self.names(m[1], m[2]) for m in
                        re.finditer(r'typedef enum (\w+) \{(.*?)\} \1;', Headers.for_c(raw), re.S)}
        self.short = {full: f'"{short}"' for enum, names in self.choices.items() if enum != 'fgt_status'
                      for short, full in names.items()}

    def names(self, enum, body):
        """The enumerators of an enum: name for Python, constant."""
        full = [word.split('=')[0].strip() for word in split(body)]
        own = enum.upper() + '_'
        shared = own.rsplit('_', 2)[0] + '_'
        short = [(w[len(own):] if w.startswith(own) else w[len(shared):]).lower() for w in full]
        return dict(zip(short, full))

    # ---- texts ----

    def prose(self, text):
        """A comment without its stars, with names of Python."""
        lines = [re.sub(r'^ ?\* ? ?', '', line.strip()) for line in text.strip().split('\n')]
        text = re.sub(r'\bfgt_(\w+)\(\)', self.call, '\n'.join(lines))
        text = re.sub(r'\bFGT_\w+', lambda m: self.short.get(m[0], m[0]), text)
        return text.replace('NULL', 'None').replace('\\', '\\\\')

    def call(self, match):
        if match[1] in CALLS:
            return CALLS[match[1]] + '()'
        return camel(match[1]) if match[1] in self.layers else match[0]

    # ---- fields ----

    def fields(self, struct):
        """Fields of a struct: (name, type, default, comment, enum)."""
        struct = self.headers.alias.get(struct, struct)
        for before, code, after in FIELD.findall(self.bodies[struct]):
            base, rest = re.match(r'^\s*(const \w+|\w+)\s+(.*)$', code, re.S).groups()
            comment = ' '.join(self.prose(before or after).split())
            for word in split(rest):
                name = re.search(r'(\w+)(\[\w+\])?$', word)
                if name[1] in HIDDEN or name[1] in COUNTS.values():
                    continue
                kind = base.split()[-1]
                if kind in ('fgt_attention_rule', 'fgt_block_layers'):
                    yield from self.fields(kind)
                else:
                    yield self.field(name[1], kind, '*' in word, bool(name[2]), comment,
                                     re.search(r'\ban (fgt_\w+)', before + after))

    def field(self, name, kind, pointer, array, comment, enum):
        enum = enum[1] if enum and kind == 'int32_t' else None
        if enum:
            names = list(self.choices[enum])
            return name, f'Literal[{", ".join(map(repr, names))}]', repr(names[0]), comment, enum
        if kind == 'char':
            return name, 'Optional[str]', 'None', comment, None
        if kind == 'fgt_schedule_opts':
            return name, 'Optional[Schedule]', 'None', comment, None
        if pointer or array:
            number = 'int' if kind == 'int64_t' else 'float'
            return name, 'Any' if kind[:4] == 'fgt_' else f'Optional[Sequence[{number}]]', 'None', comment, None
        if kind in ('float', 'double'):
            return name, 'float', '0.0', comment, None
        flag = kind == 'int32_t' and (not comment or re.search(r'(?<!0: )\b1[:,] ', comment))
        needed = 'no default' in comment and not re.match(r'\w+: ', comment) and name != 'samples' # of a fit
        if flag:
            return name, 'bool', 'False', re.sub(r'\b1([:,]) ', r'True\1 ', comment), None
        return name, 'int', '' if needed else '0', comment, None

    # ---- output ----

    def write(self, name, base, code, about, struct, extra, lead=()):
        fields = [*self.fields(struct), *extra]
        words = [f'{f}: {kind}' + (f' = {default}' if default else '') for f, kind, default, _, _ in fields]
        words = [*lead, '*', *words]
        words = [re.sub(r'(?<!,) ', '~', word) for word in words] # a line breaks after a comma
        head = textwrap.wrap(', '.join(['self', *words]), 94, break_long_words=False)
        yield f'\n\nclass {name}({base}):'
        yield textwrap.indent(f'"""{about}\n"""\n', '    ') if '\n' in about else f'    """{about}"""\n'
        chosen = ', '.join(f'{f!r}: {self.constant(enum)}' for f, _, _, _, enum in fields if enum)
        chosen = textwrap.fill(chosen, 96, subsequent_indent=' ' * 16)
        yield f'    _code = {code!r}\n    _struct = {struct!r}\n    _choices = {{{chosen}}}'
        yield '\n    def __init__(' + ('\n' + ' ' * 17).join(head).replace('~', ' ') + ') -> None:'
        yield from self.parameters(fields, lead)
        given = textwrap.wrap(', '.join(f'{f}={f}' for f, *_ in fields), 90)
        yield '        super().__init__(' + ('\n' + ' ' * 25).join(given) + ')'
        if lead:
            yield '        self._begin(model)'

    @staticmethod
    def constant(enum):
        return enum[3:].upper()

    def enums(self, structs):
        """The choices of the enums that structs use."""
        for enum in sorted({f[4] for s in structs for f in self.fields(s) if f[4]} | {'fgt_axis'}):
            inner = ', '.join(f'{k!r}: {self.headers.constants[v]}' for k, v in self.choices[enum].items())
            text = f'{self.constant(enum)}: dict[str, int] = {{{inner}}}'
            yield '\n'.join(textwrap.wrap(text, 110, subsequent_indent='    '))

    def parameters(self, fields, lead):
        yield '        """\n        Parameters\n        ----------'
        if lead:
            yield '        model : Model, optional\n            None: only options, for `Model.fit`'
        for name, kind, _, comment, enum in fields:
            if enum:
                comment = re.sub(r'^an fgt_\w+( \([\w.]+\))?(?=[:;.]|$)[:;.]?\s*', '', comment)
                kind = '{' + ', '.join(map(repr, self.choices[enum])) + '}'
            kind = TYPES.get(kind, kind)
            yield from textwrap.wrap(f'{name} : {kind}', 108, initial_indent=' ' * 8, subsequent_indent=' ' * 12)
            yield from textwrap.wrap(comment, 108, initial_indent=' ' * 12, subsequent_indent=' ' * 12)
        yield '        """'

    def module(self, what):
        if what == 'options':
            yield HEAD.format(about='Options of losses, optimizers, schedules and selectors.', base='Description')
            yield from self.enums([struct for struct, _ in OPTIONS.values()])
            for name, (struct, about) in OPTIONS.items():
                lead = ['model: Any = None'] if name == 'OptimizerOptions' else []
                yield from self.write(name, 'Description', '', about, struct, [], lead)
            return
        yield HEAD.format(about='The layers of a model. Options that are left out have their defaults.',
                          base='Layer as Layer, Shared as Shared')
        yield from self.enums([f'fgt_{layer}_opts' for layer in self.layers] + ['fgt_block_opts'])
        extra = [('name', 'Optional[str]', 'None', 'Prefix of the names of its parameters; None: its number in '
                  'the model.', None),
                 ('axis', "Literal['time', 'nodes']", "'time'", 'Axis of its sequences: the tokens of each '
                  'node, or the nodes of each token.', 'fgt_axis')]
        for layer in self.layers:
            yield from self.write(camel(layer), 'Layer', layer, self.prose(self.about['fgt_' + layer]),
                                  f'fgt_{layer}_opts', extra)
        yield from self.write('Block', 'Layer', '', self.prose(self.about['fgt_block_add']), 'fgt_block_opts', [])
        names = sorted([*map(camel, self.layers), 'Block', 'Layer', 'Shared'])
        yield '\n\n' + '\n'.join(textwrap.wrap(f'__all__ = {names}', 110, subsequent_indent=' ' * 11))


def main(include, what, out):
    Path(out).write_text('\n'.join(line.rstrip() for line in '\n'.join(
        Classes(Path(include)).module(what)).split('\n')) + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
