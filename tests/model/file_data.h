/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_FILE_DATA_H
#define TESTS_MODEL_FILE_DATA_H

#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"
#include "model/files/safetensors_write.h"

/* The bytes of tensors as fgti_st_save() takes them: files are little-endian, memory need not be. */

#include "../helper.h"

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

/* A file to be changed and written again. */
typedef struct file_copy {
    fgti_st       *st;
    fgti_st_tensor tensor[64];
    fgti_st_pair   pair[64];
    char          *data;
} file_copy;

static inline void copy_open(fgt_context *owner, const char *path, file_copy *c)
{
    assert_int_equal(fgti_st_open(owner, path, &c->st), FGT_OK);
    assert_true(c->st->count <= 64 && c->st->meta_count <= 64);
    c->data = read_tensors(c->st, c->tensor);
    assert_non_null(c->data);
    for (int64_t i = 0; i < c->st->meta_count; i++)
        c->pair[i] = (fgti_st_pair){c->st->meta[i].key, c->st->meta[i].value};
}

static inline void copy_set(file_copy *c, const char *key, const char *value)
{
    for (int64_t i = 0; i < c->st->meta_count; i++)
        if (!strcmp(c->pair[i].key, key)) c->pair[i].value = value;
}

static inline fgti_st_tensor *copy_find(file_copy *c, const char *name)
{
    for (int64_t i = 0; i < c->st->count; i++)
        if (!strcmp(c->tensor[i].name, name)) return &c->tensor[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

static inline void copy_save(fgt_context *owner, file_copy *c, const char *path)
{
    assert_int_equal(fgti_st_save(owner, path, c->st->count, c->tensor, c->st->meta_count, c->pair), FGT_OK);
    free(c->data);
    fgti_st_close(owner, &c->st);
}

#endif
