/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash in checkpoints that shows damage. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "train/checkpoint.h"

/* Element i as the file has it, from there (little-endian) or from memory. */
static uint64_t element(const unsigned char *data, int64_t i, size_t size, bool little)
{
    uint64_t v = 0;
    data += (size_t)i * size;
    for (size_t k = 0; k < size; k++) v |= (uint64_t)data[little ? k : size - 1 - k] << 8 * k;
    return v;
}

static uint64_t hash_name(const char *name)
{
    return fgti_hash(FGTI_HASH_START, name, (int64_t)strlen(name));
}

static uint64_t hash_elements(uint64_t h, const void *data, int64_t count, size_t size, bool little)
{
    for (int64_t i = 0; i < count; i++) h = fgti_hash_value(h, element(data, i, size, little));
    return h;
}

/* Of the name's bytes and the elements; tensors may come in any order. */
static uint64_t hash_tensor(const fgti_st_tensor *t, bool little)
{
    int64_t count = 1;
    for (int32_t i = 0; i < t->rank; i++) count *= t->shape[i];
    return hash_elements(hash_name(t->name), t->data, count, fgti_st_dtype_size(t->dtype), little);
}

uint64_t fgti_hash_tensors(const fgti_st_tensor *tensor, int64_t count)
{
    const bool little = fgti_st_host_little();
    uint64_t   sum    = 0;
    for (int64_t i = 0; i < count; i++) sum += hash_tensor(&tensor[i], little);
    return sum;
}

/* The same of a tensor in a file. */
static fgt_status hash_stored(const fgti_st *st, const fgti_st_tensor *t, uint64_t *hash)
{
    unsigned char piece[4096]; /* a multiple of every element's size */
    const size_t  size = fgti_st_dtype_size(t->dtype);
    *hash              = hash_name(t->name);
    for (int64_t at = 0, n; at < t->bytes; at += n) {
        n = t->bytes - at < (int64_t)sizeof piece ? t->bytes - at : (int64_t)sizeof piece;
        FGTI_TRY(fgti_st_read_bytes(st, t, at, n, piece));
        *hash = hash_elements(*hash, piece, n / (int64_t)size, size, true);
    }
    return FGT_OK;
}

uint64_t fgti_hash_weights(const fgt_model *m)
{
    const fgti_real  *weights;
    const fgti_param *p;
    uint64_t          sum = 0;
    for (int64_t i = 0; (p = fgti_model_stored(m, i, &weights)); i++) {
        fgti_st_tensor t = {
            .name = p->full_name, .dtype = FGTI_ST_REAL, .rank = p->rank, .data = weights + p->offset};
        memcpy(t.shape, p->shape, (size_t)p->rank * sizeof *p->shape);
        sum += hash_tensor(&t, fgti_st_host_little());
    }
    return sum;
}

/* The tensors besides the model's own, by the beginnings of their names. The graph of a layer called "train"
 * is the model's. */
static bool is_extra(const fgt_model *m, const char *name)
{
    return (!strncmp(name, "train.", 6) || !strncmp(name, "fit.", 4)) && !fgti_model_has_graph(m, name);
}

/* hashed [st->count]: whether train.hash is of that tensor, too */
static void find_hashed(const fgt_model *m, const fgti_st *st, bool *hashed)
{
    const fgti_real  *weights;
    const fgti_param *p;
    for (int64_t i = 0; i < st->count; i++) hashed[i] = is_extra(m, st->tensors[i].name);
    for (int64_t i = 0; (p = fgti_model_stored(m, i, &weights)); i++) {
        const fgti_st_tensor *t = fgti_st_find(st, p->full_name);
        if (t) hashed[t - st->tensors] = true;
    }
}

static fgt_status sum_hashes(const fgti_st *st, const bool *hashed, uint64_t *sum)
{
    uint64_t hash;
    for (int64_t i = 0; i < st->count; i++) {
        if (!hashed[i]) continue;
        FGTI_TRY(hash_stored(st, &st->tensors[i], &hash));
        *sum += hash;
    }
    return FGT_OK;
}

fgt_status fgti_checkpoint_check_hash(const fgt_model *m, const fgti_st *st)
{
    fgt_context *ctx = fgti_model_context(m);
    char         text[FGTI_HASH_TEXT];
    bool        *hashed;
    uint64_t     sum = 0;
    FGTI_TRY(FGTI_NEW(ctx, st->count, "checkpoint", &hashed));
    find_hashed(m, st, hashed);
    const fgt_status s = sum_hashes(st, hashed, &sum);
    fgti_free(ctx, hashed);
    if (s != FGT_OK) return s;
    snprintf(text, sizeof text, "%016" PRIx64, sum);
    return fgti_checkpoint_expect(ctx, st, "train.hash", text);
}
