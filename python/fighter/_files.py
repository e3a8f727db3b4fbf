# SPDX-License-Identifier: BSD-3-Clause
"""Files, and bytes in the place of files."""

from __future__ import annotations

import ctypes as C
import os
from typing import Any, Union

from . import _api as api
from ._library import Context, path_bytes


class Input:
    """An fgt_input of a path, or of bytes, which it keeps."""

    def __init__(self, source: Union[str, bytes, os.PathLike[str]]) -> None:
        self._source: Any = source if isinstance(source, bytes) else path_bytes(source)
        if isinstance(source, bytes):
            self.struct = api.fgt_input(data=C.cast(C.c_char_p(source), C.c_void_p), bytes=len(source))
        else:
            self.struct = api.fgt_input(path=self._source)


class Output:
    """An fgt_output to a path, or with None to bytes."""

    def __init__(self, path: Union[None, str, os.PathLike[str]], context: Context) -> None:
        self._blocks: list[bytes] = []
        if path is not None:
            self._path = path_bytes(path)
            self.struct = api.fgt_output(path=self._path)
            return
        blocks = self._blocks

        def write(user: Any, data: int, size: int) -> int:
            blocks.append(C.string_at(data, size))
            return int(api.FGT_OK)

        kinds: Any = dict(api.fgt_writer._fields_) # type: ignore[arg-type]
        self._writer = api.fgt_writer(write=kinds['write'](context.guard(write, api.FGT_E_IO)))
        self.struct = api.fgt_output(writer=C.pointer(self._writer))

    @property
    def data(self) -> bytes:
        """The bytes that were written."""
        return b''.join(self._blocks)
