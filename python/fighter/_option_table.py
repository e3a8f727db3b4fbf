# SPDX-License-Identifier: BSD-3-Clause
"""From parameters of an estimator to the options of the library, by the library's tables."""

from __future__ import annotations

import ctypes as C
import operator
from collections.abc import Iterator, Mapping
from typing import Any

from . import _api as api
from ._library import DataError, lib

_FIELDS: dict[int, Any] = {
    api.FGT_OPTION_I64: C.c_int64, api.FGT_OPTION_F32: C.c_float, api.FGT_OPTION_F64: C.c_double}


def block_names() -> list[str]:
    """Names of the blocks by their numbers."""
    names: list[str] = []
    while name := lib.fgt_block_get_name(len(names)):
        names.append(name.decode())
    return names


def table(name: str) -> Iterator[tuple[str, Any]]:
    """Parameters and options of a table of the library, such as fgt_classifier_get_option."""
    i = 0
    while option := getattr(lib, name)(i):
        if option.contents.word:
            yield option.contents.word.decode().replace('-', '_'), option.contents
        i += 1


def _words(option: Any) -> list[str]:
    words: list[str] = []
    while word := option.words[len(words)]:
        words.append(word.decode())
    return words


def _number(name: str, option: Any, value: Any) -> Any:
    """The number of a value in C."""
    if option.kind in (api.FGT_OPTION_WORD, api.FGT_OPTION_BLOCK):
        words = _words(option) if option.kind == api.FGT_OPTION_WORD else block_names()
        if value not in words or not value:
            raise ValueError(f'{name}: is no word of this option (got {value!r}, '
                             f'need {", ".join(w for w in words if w)})')
        return words.index(value)
    if option.kind == api.FGT_OPTION_BOOL:
        return bool(value)
    if isinstance(value, str):
        raise TypeError(f'{name}: is not a number (got {value!r})')
    number = operator.index(value) if option.kind == api.FGT_OPTION_I64 else float(value)
    if not option.min <= number <= option.max:
        raise ValueError(f'{name}: is out of range (got {number:g}, need {option.min:g} to {option.max:g})')
    return -1 if option.has_off and number == 0 else number


def fill(opts: Any, name: str, params: Mapping[str, Any]) -> Any:
    """Sets the options of a struct to the parameters that are not None, and returns it."""
    for word, option in table(name):
        value = params.get(word)
        if value is not None:
            field = _FIELDS.get(option.kind, C.c_int32)
            field.from_buffer(opts, option.offset).value = _number(word, option, value)
    return opts


def check_traits(name: str, params: Mapping[str, Any], block: int) -> None:
    """Refuses parameters that the block does not read."""
    blocks = block_names()
    for word, option in table(name):
        if params.get(word) and option.trait & ~lib.fgt_block_get_traits(block):
            which = [b for i, b in enumerate(blocks) if not option.trait & ~lib.fgt_block_get_traits(i)]
            raise ValueError(f'{word}: model {blocks[block]} has no such option (need {", ".join(which)})')


def check_rows(name: str, number: Any) -> None:
    """Refuses what is no number of rows; None is one."""
    if number is None:
        return
    if isinstance(number, (bool, str)) or not hasattr(number, '__index__'):
        raise TypeError(f'{name}: it is a number of rows (got {number!r})')
    if not 1 <= number <= 2 ** 40:
        raise DataError(f'{name}: it is a number of rows (got {number!r}, need 1 to 2**40)')
