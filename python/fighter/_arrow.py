# SPDX-License-Identifier: BSD-3-Clause
"""Data frames as Arrow structs: by the PyCapsule interface, or made here from columns, without a copy of numbers."""

from __future__ import annotations

import ctypes as C
from typing import Any, Iterator, Optional

import numpy as np

from . import _api as api
from ._library import DataError, warn

_RELEASE_SCHEMA = type(api.ArrowSchema().release)
_RELEASE_ARRAY = type(api.ArrowArray().release)
_keep_schema = _RELEASE_SCHEMA(lambda schema: None) # nothing is to be released: the frame owns its memory
_keep_array = _RELEASE_ARRAY(lambda array: None)


class _Stream(C.Structure):
    pass


_Stream._fields_ = [
    ('get_schema', C.CFUNCTYPE(C.c_int, C.POINTER(_Stream), C.POINTER(api.ArrowSchema))),
    ('get_next', C.CFUNCTYPE(C.c_int, C.POINTER(_Stream), C.POINTER(api.ArrowArray))),
    ('get_last_error', C.CFUNCTYPE(C.c_char_p, C.POINTER(_Stream))),
    ('release', C.CFUNCTYPE(None, C.POINTER(_Stream))),
    ('private_data', C.c_void_p),
]

_NUMBERS = {'i1': b'c', 'u1': b'C', 'i2': b's', 'u2': b'S', 'i4': b'i', 'u4': b'I', 'i8': b'l', 'u8': b'L',
            'f2': b'e', 'f4': b'f', 'f8': b'g', 'b1': b'C'}
_UNITS = {'s': b'tss:', 'ms': b'tsm:', 'us': b'tsu:', 'ns': b'tsn:'}


class ArrowFrame:
    """The two structs of a frame, and the memory that they point into."""

    def __init__(self, rows: int) -> None:
        self.schema = api.ArrowSchema(format=b'+s', release=_keep_schema)
        self.array = api.ArrowArray(length=rows, n_buffers=1, release=_keep_array)
        self._keep: list[Any] = []
        self._columns: list[tuple[Any, Any]] = []
        self._root = (C.c_void_p * 1)()
        self.array.buffers = C.cast(self._root, type(self.array.buffers))

    def add(self, name: str, format: bytes, *buffers: Optional[np.ndarray[Any, Any]]) -> None:
        """Adds a column with its validity bitmap (None: no value is missing) and further buffers."""
        if '\0' in name:
            raise ValueError(f'column {name!r}: a name cannot have the character NUL')
        places = (C.c_void_p * len(buffers))(*(None if b is None else b.ctypes.data for b in buffers))
        schema = api.ArrowSchema(format=format, name=name.encode(), release=_keep_schema)
        array = api.ArrowArray(length=self.array.length, null_count=0 if buffers[0] is None else -1,
                               n_buffers=len(buffers), release=_keep_array)
        array.buffers = C.cast(places, type(array.buffers))
        self._keep += [places, *buffers]
        self._columns.append((schema, array))

    def finish(self) -> ArrowFrame:
        """Makes the lists of columns, after the last column."""
        count = len(self._columns)
        schemas = (C.POINTER(api.ArrowSchema) * count)(*(C.pointer(s) for s, _ in self._columns))
        arrays = (C.POINTER(api.ArrowArray) * count)(*(C.pointer(a) for _, a in self._columns))
        self._keep += [schemas, arrays]
        self.schema.n_children = self.array.n_children = count
        self.schema.children = C.cast(schemas, type(self.schema.children))
        self.array.children = C.cast(arrays, type(self.array.children))
        return self


def _bitmap(valid: np.ndarray[Any, Any]) -> Optional[np.ndarray[Any, Any]]:
    return None if valid.all() else np.packbits(valid, bitorder='little')


def add_column(frame: ArrowFrame, name: str, values: np.ndarray[Any, Any]) -> None:
    """Adds a column of numbers, booleans, times or texts."""
    kind = values.dtype.kind
    if kind == 'M':
        unit = np.datetime_data(values.dtype)[0]
        if unit not in _UNITS: # days, months, years
            values, unit = values.astype('datetime64[ms]'), 'ms'
        frame.add(name, _UNITS[unit], _bitmap(~np.isnat(values)), np.ascontiguousarray(values))
    elif values.dtype.str[1:] in _NUMBERS:
        native = values.astype(values.dtype.newbyteorder('='), copy=False)
        frame.add(name, _NUMBERS[values.dtype.str[1:]], None, np.ascontiguousarray(native))
    elif kind in 'OUS' or kind == 'T':
        _add_texts(frame, name, values)
    else:
        raise TypeError(f'column {name!r}: values of type {values.dtype} cannot be read '
                        '(need numbers, booleans, times or texts)')


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ('NAType', 'NaTType') or \
        isinstance(value, (float, np.floating)) and bool(value != value)


def _add_texts(frame: ArrowFrame, name: str, values: np.ndarray[Any, Any]) -> None:
    """Adds a column of Python objects, which are texts, or numbers if all are."""
    listed = values.tolist()
    missing = [_is_missing(v) for v in listed]
    present = [v for v, gone in zip(listed, missing) if not gone]
    if present and all(isinstance(v, (int, float, np.number)) for v in present):
        numbers = np.array([np.nan if gone else float(v) for v, gone in zip(listed, missing)])
        frame.add(name, b'g', None, numbers)
        return
    for row, (v, gone) in enumerate(zip(listed, missing)):
        if not gone and not isinstance(v, str):
            if isinstance(v, (int, float, np.number)) and not isinstance(v, bool):
                raise TypeError(f'column {name!r}: it has texts and numbers (row {row} has {v!r}); '
                                'astype(str) makes texts of them, pandas.to_numeric(errors="coerce") numbers')
            raise TypeError(f'column {name!r}: row {row} has {v!r} of type {type(v).__name__} '
                            '(need numbers, times or texts)')
    encoded = [b'' if gone else v.encode() for v, gone in zip(listed, missing)]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(e) for e in encoded], out=offsets[1:])
    data = np.frombuffer(b''.join(encoded) or b'\0', np.uint8)
    frame.add(name, b'U', _bitmap(~np.array(missing, bool)), offsets, data)


def from_columns(columns: list[tuple[str, np.ndarray[Any, Any]]], rows: int,
                 wanted: Optional[set[Optional[str]]] = None) -> ArrowFrame:
    """A frame of named columns; those that cannot be read are left out, with a warning, unless they are wanted."""
    frame = ArrowFrame(rows)
    for name, values in columns:
        try:
            add_column(frame, name, values)
        except TypeError as error:
            if wanted is None or name in wanted:
                raise
            warn(f'{error}; the column is left out')
    return frame.finish()


class Capsule:
    """A frame that another library exports by the PyCapsule interface; it is released with this object."""

    def __init__(self, exported: Any) -> None:
        self._keep = [exported]
        if hasattr(exported, '__arrow_c_stream__'):
            self.schema, self.array = self._read(exported.__arrow_c_stream__())
        else:
            schema, array = exported.__arrow_c_array__()
            self._keep += [schema, array]
            self.schema = api.ArrowSchema.from_address(_pointer(schema, b'arrow_schema'))
            self.array = api.ArrowArray.from_address(_pointer(array, b'arrow_array'))

    def _read(self, capsule: Any) -> tuple[Any, Any]:
        stream = _Stream.from_address(_pointer(capsule, b'arrow_array_stream'))
        schema = api.ArrowSchema()
        self._keep += [capsule, _Owned(schema)]
        if not stream.release:
            raise DataError('data frame: its stream was read already; a stream can be read once')
        self._check(stream, stream.get_schema(C.byref(stream), C.byref(schema)))
        found = list(self._chunks(stream))
        if not found:
            raise DataError('data frame: it has no rows')
        if len(found) != 1:
            raise DataError(f'data frame: its rows are in several pieces (got {len(found)}, need 1); '
                            'rechunk() of polars or combine_chunks() of pyarrow joins them')
        return schema, found[0]

    def _chunks(self, stream: Any) -> Iterator[Any]:
        while True:
            array = api.ArrowArray()
            self._check(stream, stream.get_next(C.byref(stream), C.byref(array)))
            if not array.release:
                return
            self._keep.append(_Owned(array))
            if array.length:
                yield array

    @staticmethod
    def _check(stream: Any, status: int) -> None:
        if status:
            why = stream.get_last_error(C.byref(stream)) or b'no reason is given'
            raise DataError(f'data frame: {why.decode("utf-8", "replace")}')


class _Owned:
    """A struct that is released at the end."""

    def __init__(self, struct: Any) -> None:
        self._struct = struct

    def __del__(self) -> None:
        if self._struct.release:
            self._struct.release(C.byref(self._struct))


def _pointer(capsule: Any, name: bytes) -> int:
    get = C.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = C.c_void_p, [C.py_object, C.c_char_p]
    return int(get(capsule, name))
