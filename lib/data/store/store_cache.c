/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/store_cache.h"

#include <string.h>

#include "core/context.h"
#include "core/size.h"
#include "data/store/block_cache.h"

struct fgti_cache {
    fgt_context           *ctx;
    fgti_store            *store;
    const fgti_store_head *head;
    int64_t                count;
    int64_t               *column;       /* [count] */
    double                *mean, *scale; /* [count] */
    float                 *chunk;        /* values of one column in one block */
    fgti_block_cache       blocks;       /* each slot is [rows,count] */
};

/* Computes how many slots fit; more than one for each block are not needed. *size: number of values in a
 * slot. */
static fgt_status count_slots(const fgti_cache *c, const fgti_cache_opts *o, int64_t *slots, int64_t *size)
{
    const int64_t longest = fgti_store_longest(c->head);
    int64_t       bytes, more;
    if (!fgti_size_mul(longest, o->count, size) || !fgti_size_mul(*size, sizeof(float), &bytes) ||
        !fgti_size_mul(longest, o->beside, &more) || !fgti_size_add(bytes, more, &bytes))
        return fgti_fail(&c->ctx->error, FGT_E_SIZE, "cache: blocks of %lld columns are too large",
                         (long long)o->count);
    *slots = o->bytes / bytes > 2 ? o->bytes / bytes : 2;
    *slots = fgti_least(*slots, fgti_store_blocks(c->head));
    return FGT_OK;
}

static fgt_status cache_load_block(void *user, int64_t block, void *rows)
{
    const fgti_cache *c = user;
    const int64_t     n = fgti_store_rows_of(c->head, block), wide = c->count;
    float            *to = rows;
    for (int64_t i = 0; i < wide; i++) {
        const double mean = c->mean[i], scale = c->scale[i];
        FGTI_TRY(fgti_store_read(c->store, block, c->column[i], c->chunk));
        for (int64_t r = 0; r < n; r++) to[r * wide + i] = (float)(((double)c->chunk[r] - mean) / scale);
    }
    return FGT_OK;
}

static fgt_status cache_alloc(fgti_cache *c, const fgti_cache_opts *o)
{
    const size_t bytes = (size_t)o->count * sizeof(double);
    int64_t      slots = 0, size = 0;
    FGTI_TRY(count_slots(c, o, &slots, &size));
    FGTI_TRY(FGTI_NEW(c->ctx, o->count, "cache", &c->column));
    FGTI_TRY(FGTI_NEW(c->ctx, o->count, "cache", &c->mean));
    FGTI_TRY(FGTI_NEW(c->ctx, o->count, "cache", &c->scale));
    FGTI_TRY(
        fgti_alloc_dirty(c->ctx, fgti_store_longest(c->head), sizeof *c->chunk, "cache", (void **)&c->chunk));
    memcpy(c->column, o->columns, (size_t)o->count * sizeof *c->column);
    for (int64_t i = 0; i < o->count; i++) c->scale[i] = 1;
    if (o->mean) memcpy(c->mean, o->mean, bytes);
    if (o->mean) memcpy(c->scale, o->scale, bytes);
    return fgti_block_cache_init(c->ctx, slots, fgti_store_blocks(c->head), size, cache_load_block, c,
                                 &c->blocks);
}

fgt_status fgti_cache_new(fgt_context *ctx, fgti_store *store, const fgti_cache_opts *opts, fgti_cache **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "cache", out));
    **out =
        (fgti_cache){.ctx = ctx, .store = store, .head = fgti_store_get_head(store), .count = opts->count};
    const fgt_status s = cache_alloc(*out, opts);
    if (s != FGT_OK) fgti_cache_done(out);
    return s;
}

void fgti_cache_done(fgti_cache **cache)
{
    fgti_cache *c = *cache;
    if (!c) return;
    void *const part[] = {c->column, c->mean, c->scale, c->chunk};
    fgti_block_cache_done(&c->blocks);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) fgti_free(c->ctx, part[i]);
    fgti_free(c->ctx, c);
    *cache = NULL;
}

/* Finds the slot of the block that has a row. *rows: the row of the table inside that slot. */
static fgt_status cache_find_row(fgti_cache *c, int64_t row, int64_t *slot, const float **rows)
{
    const int64_t block = row / c->head->block;
    void         *at    = NULL;
    FGTI_TRY(fgti_block_cache_find(&c->blocks, block, slot, &at));
    *rows = (const float *)at + (row - block * c->head->block) * c->count;
    return FGT_OK;
}

fgt_status fgti_cache_get(fgti_cache *cache, int64_t begin, int64_t count, float *out)
{
    const int64_t size = cache->head->block, wide = cache->count;
    for (int64_t r = begin, n; r < begin + count; r += n, out += n * wide) {
        const float *rows;
        int64_t      slot;
        n = fgti_least(begin + count - r, size - r % size);
        FGTI_TRY(cache_find_row(cache, r, &slot, &rows));
        memcpy(out, rows, (size_t)(n * wide) * sizeof *out);
    }
    return FGT_OK;
}

fgt_status fgti_cache_see(fgti_cache *cache, int64_t begin, int64_t count, float *spare, const float **rows)
{
    int64_t slot;
    *rows = spare;
    if (begin % cache->head->block + count > cache->head->block)
        return fgti_cache_get(cache, begin, count, spare);
    return cache_find_row(cache, begin, &slot, rows);
}

fgt_status fgti_cache_find(fgti_cache *cache, int64_t row, int64_t *slot)
{
    const float *rows;
    return cache_find_row(cache, row, slot, &rows);
}

int64_t fgti_cache_slots(const fgti_cache *cache)
{
    return cache->blocks.slots.count;
}
