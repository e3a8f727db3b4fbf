#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the ctypes declarations of the library from its public headers: generate.py INCLUDE_DIR OUT.py

Every enumerator, constant, struct and function of include/fighter and include/fighter/experimental is
declared. A handle such as fgt_table is a void pointer.
"""

import re
import sys
from pathlib import Path

NUMBERS = {'void': None, 'char': 'C.c_char', 'int': 'C.c_int', 'size_t': 'C.c_size_t', 'float': 'C.c_float',
           'double': 'C.c_double', 'int32_t': 'C.c_int32', 'uint32_t': 'C.c_uint32', 'int64_t': 'C.c_int64',
           'uint64_t': 'C.c_uint64', 'uint8_t': 'C.c_uint8'}
ENUM = re.compile(r'\benum\s+\w+\s*\{(.*?)\}|\benum\s*\{(.*?)\}', re.S)
ENUM_NAME = re.compile(r'\btypedef\s+enum\s+(\w+)')
CONSTANT = re.compile(r'^#define\s+(FGT_\w+)\s+(-?\d+)\s*$', re.M)
ALIAS = re.compile(r'\btypedef\s+(?:struct\s+)?(\w+)\s+(\w+)\s*;')
STRUCT = re.compile(r'(?:typedef\s+)?\bstruct\s+(\w+)\s*\{(.*?)\}\s*(?:\w+\s*)?;', re.S)
CALLBACK = re.compile(r'\btypedef\s+([\w\s]+?[\s*]+)\(\*(\w+)\)\s*\(([^;]*)\)\s*;')
FUNCTION = re.compile(r'^FGT_API\s([^;]*?\b(fgt_\w+)\s*\((?:[^;]*)\))\s*;', re.M)

HEAD = '''# SPDX-License-Identifier: BSD-3-Clause
# Written by python/generate.py from the public headers; changes here are lost.
# mypy: ignore-errors
"""Constants, structs and functions of the library, for ctypes."""

import ctypes as C
from typing import Any


class Status(C.c_int):
    """The result of a call that can fail."""


class Struct(C.Structure):
    """A struct of the library. A size field is set, and all other fields are 0, which means the default."""

    def __init__(self, **fields: Any) -> None:
        if self._fields_ and self._fields_[0][0] == 'size':
            fields.setdefault('size', C.sizeof(self))
        self.set(**fields)

    def set(self, **fields: Any) -> None:
        """Sets fields. A whole number that a field cannot hold is refused; ctypes would cut it."""
        for name, value in fields.items():
            setattr(self, name, value)
            held, bits = getattr(self, name), 8 * getattr(type(self), name).size
            # An unsigned field takes -1, too, as the number with the same bits.
            if isinstance(held, int) and hasattr(value, '__index__') and held - int(value) not in (0, 1 << bits):
                raise OverflowError(f'{name}: is out of range (got {value}, need {bits} bits)')

'''


def split(text, mark=','):
    """The parts of a text between marks outside of brackets."""
    parts, depth, part = [], 0, ''
    for c in text:
        depth += (c in '([{') - (c in ')]}')
        if c == mark and not depth:
            parts.append(part.strip())
            part = ''
        else:
            part += c
    return [p for p in [*parts, part.strip()] if p]


class Headers:
    """The declarations of all headers."""

    def __init__(self, folder):
        # Text for C only: comments, the branches for C++ and the bodies of macros go.
        # mpi.h is about another library.
        paths = [p for p in sorted(folder.glob('**/*.h')) if p.name != 'mpi.h']
        texts = [self.for_c(path.read_text()) for path in paths]
        self.text = '\n'.join(texts)
        self.constants = {name: int(value) for name, value in CONSTANT.findall(self.text)}
        self.enums = set(ENUM_NAME.findall(self.text))
        for match in ENUM.finditer(self.text):
            self.add_enumerators(match[1] or match[2])
        self.code = re.sub(r'^#.*$', '', self.text, flags=re.M)
        self.callbacks = {name: (result, args) for result, name, args in CALLBACK.findall(self.code)}
        self.structs = {name: split(body, ';') for name, body in STRUCT.findall(self.code)}
        self.alias = {new: old for old, new in ALIAS.findall(self.code) if new != old and old in self.structs}

    @staticmethod
    def for_c(text):
        text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S).replace('\\\n', ' ')
        lines, skip, cpp = [], [], []
        for line in text.split('\n'):
            word = line.strip()
            if re.match(r'#\s*if', word):
                cpp.append('__cplusplus' in word)
                skip.append(cpp[-1])
            elif re.match(r'#\s*else', word):
                skip[-1] = cpp[-1] and not skip[-1]
            elif re.match(r'#\s*endif', word):
                skip.pop()
                cpp.pop()
            elif not any(skip):
                lines.append(line)
        return '\n'.join(lines)

    def add_enumerators(self, body):
        value = -1
        for word in split(body):
            name, _, given = (part.strip() for part in word.partition('='))
            value = int(given, 0) if given else value + 1
            self.constants[name] = value

    # ---- types ----

    def type_of(self, words):
        """The ctypes name of a type such as `const char *const *`, without the name of what has it."""
        pointers = words.count('*')
        name = re.sub(r'\b(const|struct|enum|FGT_MUST)\b|\*', ' ', words).split()[0]
        name = self.alias.get(name, name)
        if name in self.callbacks:
            kind = name
        elif name in NUMBERS:
            kind = NUMBERS[name]
        elif name in self.enums:
            kind = 'Status' if name == 'fgt_status' else 'C.c_int'
        elif name in self.structs:
            kind = name
        else: # a handle: a pointer to it is a number
            kind, pointers = 'C.c_void_p', pointers - 1
        if pointers and kind in (None, 'C.c_char'):
            kind, pointers = 'C.c_void_p' if kind is None else 'C.c_char_p', pointers - 1
        return 'C.POINTER(' * pointers + str(kind) + ')' * pointers

    def signature(self, result, args):
        types = [self.type_of(re.sub(r'(\w+)((?:\[[^\]]*\])*)$', lambda m: '*' * m[2].count('['), a)
                              if not a.endswith('*') else a) if '(*' not in a else self.pointer(a)
                 for a in split(args) if a != 'void']
        return [self.type_of(result), *types]

    def pointer(self, argument):
        """The type of an argument or field that is a pointer to a function."""
        result, _, args = re.match(r'^(.*?)\(\*(\w+)\)\s*\((.*)\)$', argument, re.S).groups()
        return self.callback(result, args)

    def callback(self, result, args):
        kind, *kinds = self.signature(result, args)
        return f'C.CFUNCTYPE({", ".join(["C.c_int" if kind == "Status" else kind, *kinds])})' # no subclass may return

    def fields(self, name):
        for declaration in self.structs[name]:
            declaration = ' '.join(declaration.split())
            if '(*' in declaration:
                yield re.search(r'\(\*(\w+)\)', declaration)[1], self.pointer(declaration)
                continue
            base, rest = re.match(r'^((?:const |struct |unsigned )*\w+(?: const)?)\s*(.*)$', declaration).groups()
            for word in split(rest):
                star, field, counts = re.match(r'^([*\s]*(?:const\s*\**\s*)*)(\w+)((?:\[\w+\])*)$', word).groups()
                kind = self.type_of(base + star)
                for count in reversed(re.findall(r'\[(\w+)\]', counts)):
                    kind = f'{kind} * {self.constants.get(count, count)}'
                yield field, kind

    # ---- output ----

    def order(self):
        """Structs, each after the structs that it has inside."""
        done = []

        def visit(name):
            if name in done:
                return
            for _, kind in self.fields(name):
                for inner in re.findall(r'\b\w+\b', kind):
                    if inner in self.structs and inner != name and f'POINTER({inner})' not in kind:
                        visit(inner)
            done.append(name)

        for name in self.structs:
            visit(name)
        return done

    def lines(self):
        yield from (f'{name} = {value}' for name, value in self.constants.items())
        yield ''
        for name in self.structs:
            yield f'class {name}(Struct):\n    pass\n\n'
        for name, (result, args) in self.callbacks.items():
            yield f'{name} = {self.callback(result, args)}'
        for name in self.order():
            inner = ''.join(f'\n    ({field!r}, {kind}),' for field, kind in self.fields(name))
            yield f'{name}._fields_ = [{inner}\n]'
        yield from (f'{new} = {old}' for new, old in self.alias.items())
        yield '\n#: name: type of the result, then the types of the arguments\nFUNCTIONS = {'
        for words, name in FUNCTION.findall(self.code):
            result, args = re.match(rf'^(.*?)\b{name}\s*\((.*)\)$', words, re.S).groups()
            kinds = self.signature(' '.join(result.split()), ' '.join(args.split()))
            yield f'    {name!r}: [{", ".join(kinds)}],'
        yield '}'


def main(include, out):
    Path(out).write_text(HEAD + '\n'.join(Headers(Path(include)).lines()) + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
