/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/store_cache.h"

#include <string.h>

#include "core/context.h"
#include "data/store/block_slots.h"

struct fgti_cache {
    fgt_context           *ctx;
    fgti_store            *store;
    const fgti_store_head *head;
    int64_t                count;
    int64_t               *column;       /* [count] */
    double                *mean, *scale; /* [count] */
    fgti_slots             slots;
    int64_t                size;  /* values in a slot */
    float                 *rows;  /* [slots,size] */
    float                 *chunk; /* values of one column */
};

/* The number of slots that fit, at most one for each block; *rows: values of all slots. */
static fgt_status count_slots(fgti_cache *c, const fgti_cache_opts *o, int64_t *slots, int64_t *rows)
{
    const int64_t longest = fgti_store_longest(c->head), blocks = fgti_store_blocks(c->head);
    int64_t       bytes, more;
    if (!fgti_size_mul(longest, o->count, &c->size) || !fgti_size_mul(c->size, sizeof(float), &bytes) ||
        !fgti_size_mul(longest, o->beside, &more) || !fgti_size_add(bytes, more, &bytes))
        return fgti_fail(&c->ctx->error, FGT_E_SIZE, "cache: blocks of %lld columns are too large",
                         (long long)o->count);
    *slots = o->bytes / bytes > 2 ? o->bytes / bytes : 2;
    if (*slots > blocks) *slots = blocks;
    if (fgti_size_mul(*slots, c->size, rows)) return FGT_OK;
    return fgti_fail(&c->ctx->error, FGT_E_SIZE, "cache: %lld blocks are too many", (long long)*slots);
}

static fgt_status cache_alloc(fgti_cache *c, const fgti_cache_opts *o)
{
    const size_t bytes = (size_t)o->count * sizeof(double);
    int64_t      slots = 0, all = 0;
    FGTI_TRY(count_slots(c, o, &slots, &all));
    FGTI_TRY(fgti_slots_init(c->ctx, slots, fgti_store_blocks(c->head), &c->slots));
    FGTI_TRY(FGTI_NEW(c->ctx, o->count, "cache", &c->column));
    FGTI_TRY(FGTI_NEW(c->ctx, o->count, "cache", &c->mean));
    FGTI_TRY(FGTI_NEW(c->ctx, o->count, "cache", &c->scale));
    FGTI_TRY(
        fgti_alloc_dirty(c->ctx, fgti_store_longest(c->head), sizeof *c->chunk, "cache", (void **)&c->chunk));
    FGTI_TRY(fgti_alloc_dirty(c->ctx, all, sizeof *c->rows, "cache", (void **)&c->rows));
    memcpy(c->column, o->columns, (size_t)o->count * sizeof *c->column);
    for (int64_t i = 0; i < o->count; i++) c->scale[i] = 1;
    if (o->mean) memcpy(c->mean, o->mean, bytes);
    if (o->mean) memcpy(c->scale, o->scale, bytes);
    return FGT_OK;
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
    void *const part[] = {c->column, c->mean, c->scale, c->rows, c->chunk};
    fgti_slots_done(c->ctx, &c->slots);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) fgti_free(c->ctx, part[i]);
    fgti_free(c->ctx, c);
    *cache = NULL;
}

static fgt_status cache_load_block(fgti_cache *c, int64_t block, float *to)
{
    const int64_t rows = fgti_store_rows_of(c->head, block), wide = c->count;
    for (int64_t i = 0; i < wide; i++) {
        const double mean = c->mean[i], scale = c->scale[i];
        FGTI_TRY(fgti_store_read(c->store, block, c->column[i], c->chunk));
        for (int64_t r = 0; r < rows; r++)
            to[r * wide + i] = (float)(((double)c->chunk[r] - mean) / scale);
    }
    return FGT_OK;
}

static fgt_status cache_find_block(fgti_cache *c, int64_t block, int64_t *slot)
{
    bool there;
    *slot = fgti_slots_take(&c->slots, block, &there);
    if (there) return FGT_OK;
    FGTI_TRY(cache_load_block(c, block, c->rows + *slot * c->size));
    fgti_slots_fill(&c->slots, *slot, block);
    return FGT_OK;
}

fgt_status fgti_cache_get(fgti_cache *cache, int64_t begin, int64_t count, float *out)
{
    const int64_t size = cache->head->block, wide = cache->count;
    for (int64_t r = begin, n; r < begin + count; r += n, out += n * wide) {
        const int64_t at = r % size;
        int64_t       slot;
        n = begin + count - r < size - at ? begin + count - r : size - at;
        FGTI_TRY(cache_find_block(cache, r / size, &slot));
        memcpy(out, cache->rows + slot * cache->size + at * wide, (size_t)(n * wide) * sizeof *out);
    }
    return FGT_OK;
}

fgt_status fgti_cache_see(fgti_cache *cache, int64_t begin, int64_t count, float *spare, const float **rows)
{
    const int64_t size = cache->head->block, at = begin % size;
    int64_t       slot;
    *rows = spare;
    if (at + count > size) return fgti_cache_get(cache, begin, count, spare);
    FGTI_TRY(cache_find_block(cache, begin / size, &slot));
    *rows = cache->rows + slot * cache->size + at * cache->count;
    return FGT_OK;
}

fgt_status fgti_cache_find(fgti_cache *cache, int64_t row, int64_t *slot)
{
    return cache_find_block(cache, row / cache->head->block, slot);
}

int64_t fgti_cache_slots(const fgti_cache *cache)
{
    return cache->slots.count;
}
