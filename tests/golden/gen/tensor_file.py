# SPDX-License-Identifier: BSD-3-Clause
"""A safetensors writer."""

import json
import struct

import numpy


def save(path, meta, tensors):
    kinds = {"f": ("F32", "<f4"), "i": ("I32", "<i4"), "l": ("I64", "<i8")}
    header, data = {"__metadata__": {k: str(v) for k, v in meta.items()}}, b""
    for name, value in tensors.items():
        a = numpy.asarray(value)
        kind, dtype = kinds["f" if a.dtype.kind == "f" else "l" if a.dtype == numpy.int64 else "i"]
        raw = a.astype(dtype).tobytes()
        header[name] = {
            "dtype": kind,
            "shape": list(a.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
