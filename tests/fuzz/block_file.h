/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_BLOCK_FILE_H
#define FUZZ_BLOCK_FILE_H

/* Files of rows (data/store/block_index.h): hashes are made to fit, so that damaged numbers, values and texts
 * are looked at. */

#include "core/hash.h"
#include "data/store/block_write.h"

static inline void fuzz_put_u64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i));
}

/* The hash of each chunk, as far as the index describes chunks. */
static inline void fuzz_sign_chunks(uint8_t *data, size_t size)
{
    if (size < FGTI_MARK + FGTI_INDEX_END) return;
    const uint64_t bytes = fgti_get_u64(data + size - FGTI_INDEX_END);
    if (bytes < 32 || bytes > size - FGTI_MARK - FGTI_INDEX_END) return;
    uint8_t       *end = data + size - FGTI_INDEX_END, *x = end - bytes, *chunk = data + FGTI_MARK;
    const uint8_t *type = x + 32, *const blocks_end = x;
    const uint64_t columns = fgti_get_u64(x), blocks = fgti_get_u64(x + 8);
    if (columns > (bytes - 32) / 8) return;
    x += 32 + 8 * columns;
    for (uint64_t b = 0; b < blocks && end - x >= 8; b++) {
        const uint64_t rows = fgti_get_u64(x);
        x += 8;
        for (uint64_t c = 0; c < columns; c++) {
            const uint64_t kind = fgti_get_u64(type + 8 * c);
            const bool     text = kind == FGTI_CELLS_BYTES;
            const int64_t  more = 8 + (text ? 8 : kind == FGTI_CELLS_FLOATS ? 32 : 0);
            if (end - x < more) return;
            const uint64_t own = text ? fgti_get_u64(x + 8) : 0, left = (uint64_t)(blocks_end - chunk);
            if (rows > left / 4 || own > left - 4 * rows) return;
            fuzz_put_u64(x, fgti_block_hash(FGTI_HASH_START, chunk, (int64_t)(4 * rows + own)));
            chunk += 4 * rows + own;
            x += more;
        }
    }
}

static inline void fuzz_sign_index(uint8_t *data, size_t size)
{
    if (size < FGTI_INDEX_END) return;
    const uint64_t bytes = fgti_get_u64(data + size - FGTI_INDEX_END);
    if (bytes > size - FGTI_INDEX_END) return;
    fuzz_put_u64(data + size - 16,
                 fgti_hash(FGTI_HASH_START, data + size - FGTI_INDEX_END - bytes, (int64_t)bytes));
}

#endif
