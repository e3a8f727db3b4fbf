/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash in the metadata of our files, which detects damage. */
#include "model/files/safetensors_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/keyed_hash.h"
#include "model/files/safetensors.h"

/* Number of bytes that are hashed at a time. Another number would give other hashes, so it belongs to the
 * file format. */
#define BLOCK 16384

static uint64_t hash_description(const fgti_st_tensor *t)
{
    uint64_t h = fgti_hash_text(fgti_hash_text(FGTI_HASH_START, t->name), fgti_st_dtype_name(t->dtype));
    h          = fgti_hash_value(h, (uint64_t)t->rank);
    for (int32_t i = 0; i < t->rank; i++) h = fgti_hash_value(h, (uint64_t)t->shape[i]);
    return h;
}

/* Adds the hash of a tensor to *sum. The key for each block is the hash of everything before the block. st
 * NULL: the data are in memory. */
static fgt_status add_tensor(const fgti_st *st, const fgti_st_tensor *t, uint64_t *sum)
{
    char     block[BLOCK];
    int64_t  bytes = 0;
    uint64_t h     = hash_description(t);
    fgti_st_bytes(t->dtype, t->rank, t->shape, &bytes); /* cannot fail, because it was checked when the file
                                                         * was opened */
    for (int64_t at = 0; at < bytes; at += BLOCK) {
        const int64_t n    = bytes - at < BLOCK ? bytes - at : BLOCK;
        const void   *data = block;
        if (st)
            FGTI_TRY(fgti_st_read_bytes(st, t, at, n, block));
        else
            data = fgti_st_to_file(t, at, n, block);
        h = fgti_keyed_hash(&(fgti_hash_key){{h, 0}}, data, n);
    }
    *sum += h;
    return FGT_OK;
}

fgt_status fgti_st_hash(const fgti_st *st, int64_t count, const fgti_st_tensor *tensors, int64_t meta_count,
                        const fgti_st_pair *meta, char text[FGTI_ST_HASH_TEXT])
{
    uint64_t sum = 0; /* it is a sum, so that the order of the parts does not matter */
    for (int64_t i = 0; i < meta_count; i++)
        if (strcmp(meta[i].key, FGTI_ST_HASH) != 0)
            sum += fgti_hash_text(fgti_hash_text(FGTI_HASH_START, meta[i].key), meta[i].value);
    for (int64_t i = 0; i < count; i++) FGTI_TRY(add_tensor(st, &tensors[i], &sum));
    snprintf(text, FGTI_ST_HASH_TEXT, "%016" PRIx64, sum);
    return FGT_OK;
}

fgt_status fgti_st_verify(fgt_context *ctx, const fgti_st *st)
{
    const char *said = fgti_st_meta(st, FGTI_ST_HASH);
    char        found[FGTI_ST_HASH_TEXT], label[FGTI_ST_LABEL];
    if (!said) return FGT_OK;
    FGTI_TRY(fgti_st_hash(st, st->count, st->tensors, st->meta_count, st->meta, found));
    if (!strcmp(said, found)) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT,
                     "%.120s: the file is damaged, or another program changed it: its contents do not match "
                     "\"" FGTI_ST_HASH "\" (got %s, need %s)",
                     st->path, found, fgti_st_label(said, label));
}
