/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_FILE_DATA_H
#define TESTS_MODEL_FILE_DATA_H

/* The bytes of tensors as fgti_st_save() takes them: files are little-endian, memory need not be. */

#include "../helper.h"
#include "model/files/safetensors.h"

static inline void swap_to_host(char *data, int64_t bytes, size_t width)
{
    if (fgti_st_host_little()) return;
    for (int64_t i = 0; i < bytes; i += (int64_t)width)
        for (int64_t low = i, high = i + (int64_t)width - 1; low < high; low++, high--) {
            const char c = data[low];
            data[low]    = data[high];
            data[high]   = c;
        }
}

/* The tensors of a file with their data, in a block that the caller frees; NULL: it cannot be read. */
static inline char *read_tensors(const fgti_st *st, fgti_st_tensor *out)
{
    char *data = malloc((size_t)st->size);
    for (int64_t i = 0; data && i < st->count; i++) {
        const fgti_st_tensor *t = &st->tensors[i];
        out[i]                  = *t;
        out[i].data             = data + t->offset;
        if (fgti_st_read_bytes(st, t, 0, t->bytes, data + t->offset)) {
            free(data);
            return NULL;
        }
        swap_to_host(data + t->offset, t->bytes, fgti_st_dtype_size(t->dtype));
    }
    return data;
}

#endif
