/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_BLOCK_FILE_H
#define FUZZ_BLOCK_FILE_H

/* Files of blocks (data/store/block_file.h): the hash of the index is made to fit, so that damaged numbers
 * are looked at. */

#include "core/hash.h"
#include "data/store/block_file.h"

static inline void fuzz_sign_index(uint8_t *data, size_t size)
{
    enum { END = 24 };
    if (size < END) return;
    const uint64_t bytes = fgti_get_u64(data + size - END);
    if (bytes > size - END) return;
    const uint64_t hash = fgti_hash(FGTI_HASH_START, data + size - END - bytes, (int64_t)bytes);
    for (int i = 0; i < 8; i++) data[size - 16 + (size_t)i] = (uint8_t)(hash >> (8 * i));
}

#endif
