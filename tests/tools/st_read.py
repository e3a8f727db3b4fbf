#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second reader of safetensors, with nothing but numpy, to check ours against: usage st_read.py FILE.
Prints "key=value" for the metadata, then "name dtype [shape] values" for each tensor in file order.
Exit status 77 when there is no numpy, 1 when the file breaks the layout."""

import json
import struct
import sys

try:
    import numpy
except ImportError:
    sys.exit(77)

TYPES = {'F64': '<f8', 'F32': '<f4', 'F16': '<f2', 'BF16': '<u2', 'I64': '<i8', 'I32': '<i4', 'I16': '<i2',
         'I8': 'i1', 'U64': '<u8', 'U32': '<u4', 'U16': '<u2', 'U8': 'u1', 'BOOL': '?'}


def values(dtype, raw):
    data = numpy.frombuffer(raw, TYPES[dtype])
    if dtype == 'BF16':
        data = (data.astype('<u4') << 16).view('<f4')
    return data


def main(path):
    with open(path, 'rb') as file:
        content = file.read()
    size, = struct.unpack_from('<Q', content)
    header = json.loads(content[8:8 + size].decode('utf-8'))
    data = content[8 + size:]
    if size % 8:
        return 'the data are not aligned'
    for key, value in header.pop('__metadata__', {}).items():
        print(f'{key}={value}')
    end = 0
    for name, tensor in header.items():
        begin, stop = tensor['data_offsets']
        if begin != end:
            return f'{name}: begins at {begin}, not {end}'
        end = stop
        array = values(tensor['dtype'], data[begin:stop]).reshape(tensor['shape'])
        form = '.17g' if array.dtype.kind == 'f' else 'd'
        numbers = ' '.join(format(v.item(), form) for v in array.reshape(-1))
        print(f'{name} {tensor["dtype"]} {list(array.shape)} {numbers}'.rstrip())
    return None if end == len(data) else 'bytes are left over'


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
