/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a corpus file in memory. */
#include "core/context.h"
#include "core/size.h"
#include "data/store/block_slots.h"
#include "text/text_store.h"
#include "text/utf8.h"

enum { HEAD = 8 };

struct fgti_text_cache {
    const fgti_text_store *store;
    fgti_slots             slots;
    int64_t                words;   /* number of 4-byte words in a slot */
    int64_t                current; /* block of the row that was read last */
    uint32_t              *blocks;  /* [slots,words]: as in the file, but with the corpus's class numbers */
};

int64_t fgti_text_store_slots(const fgti_text_store *store, int64_t bytes)
{
    const int64_t each = store->longest + HEAD * store->most_rows;
    return bytes / each > 2 ? bytes / each : 2;
}

fgt_status fgti_text_cache_new(const fgti_text_store *store, int64_t slots, fgti_text_cache **out)
{
    fgt_context *ctx = store->ctx;
    FGTI_TRY(FGTI_NEW(ctx, 1, "cache", out));
    fgti_text_cache *c = *out;
    slots              = fgti_least(slots, store->blocks);
    *c           = (fgti_text_cache){.store = store, .words = fgti_parts(store->longest, 4)};
    fgt_status s = fgti_slots_init(ctx, slots, store->blocks, &c->slots);
    if (s == FGT_OK)
        s = fgti_alloc_dirty(ctx, fgti_mul(slots, c->words), sizeof *c->blocks, "cache", (void **)&c->blocks);
    if (s != FGT_OK) fgti_text_cache_done(out);
    return s;
}

void fgti_text_cache_done(fgti_text_cache **cache)
{
    fgti_text_cache *c = *cache;
    if (!c) return;
    fgt_context *ctx = c->store->ctx;
    fgti_slots_done(ctx, &c->slots);
    fgti_free(ctx, c->blocks);
    fgti_free(ctx, c);
    *cache = NULL;
}

/* ---- reading ---- */

static fgt_status text_block_damaged(const fgti_text_store *s, int64_t b)
{
    return fgti_fail(&s->ctx->error, FGT_E_FORMAT,
                     "%.300s: damaged: rows %lld..%lld are not what was written", s->file.path,
                     (long long)s->block[b].row, (long long)s->block[b + 1].row - 1);
}

/* Converts classes and ends to the byte order of this machine and checks them. False: a number is out of
 * range. */
static bool read_head(const fgti_text_store *s, uint32_t *head, int64_t n, int64_t bytes)
{
    const unsigned char *p   = (const unsigned char *)head;
    uint32_t             end = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t own = fgti_get_u32(p + 4 * i);
        if (s->unlabeled ? own != UINT32_MAX : own >= (uint64_t)s->classes) return false;
        head[i] = s->unlabeled ? UINT32_MAX : (uint32_t)s->class_of[own];
    }
    for (int64_t i = n; i < 2 * n; i++) {
        head[i] = fgti_get_u32(p + 4 * i);
        if (head[i] < end || head[i] > bytes) return false;
        end = head[i];
    }
    return end == bytes;
}

/* Whether each text is valid UTF-8 by itself: no character crosses from one text into the next. */
static bool check_texts(const uint32_t *end, int64_t n, const char *texts)
{
    bool valid = true;
    for (int64_t i = 0; i < n && valid; i++) {
        const uint32_t begin = i ? end[i - 1] : 0;
        valid                = fgti_utf8_is_text(texts + begin, end[i] - begin);
    }
    return valid;
}

static fgt_status text_block_load(const fgti_text_store *s, int64_t b, uint32_t *to)
{
    const fgti_text_block *x = &s->block[b];
    const int64_t bytes = x[1].begin - x->begin, n = x[1].row - x->row;
    FGTI_TRY(fgti_block_file_read(&s->file, FGTI_MARK + x->begin, bytes, to));
    const bool good = fgti_text_hash((const unsigned char *)to, bytes) == x->hash &&
                      read_head(s, to, n, bytes - HEAD * n) &&
                      check_texts(to + n, n, (const char *)(to + 2 * n));
    return good ? FGT_OK : text_block_damaged(s, b);
}

/* Finds the block of a row. The block of the previous row is tried first. */
static int64_t text_find_block(const fgti_text_store *s, int64_t row, int64_t current)
{
    for (int64_t b = current; b < current + 2 && b < s->blocks; b++)
        if (row >= s->block[b].row && row < s->block[b + 1].row) return b;
    int64_t first = 0, end = s->blocks;
    while (end - first > 1) {
        const int64_t middle = first + (end - first) / 2;
        if (s->block[middle].row <= row)
            first = middle;
        else
            end = middle;
    }
    return first;
}

fgt_status fgti_text_cache_get(fgti_text_cache *c, int64_t row, fgti_stored_text *out)
{
    const fgti_text_store *s = c->store;
    const int64_t          b = text_find_block(s, row, c->current);
    bool                   there;
    const int64_t          slot = fgti_slots_take(&c->slots, b, &there);
    uint32_t              *head = c->blocks + slot * c->words;
    if (!there) {
        FGTI_TRY(text_block_load(s, b, head));
        fgti_slots_fill(&c->slots, slot, b);
    }
    c->current             = b;
    const int64_t   n      = s->block[b + 1].row - s->block[b].row, i = row - s->block[b].row;
    const uint32_t *end    = head + n;
    const int64_t   before = i ? end[i - 1] : 0;
    *out = (fgti_stored_text){(const char *)(head + 2 * n) + before, end[i] - before, (int32_t)head[i]};
    return FGT_OK;
}

/* ---- capacity ---- */

/* Whether any `rows` consecutive rows are within `blocks` blocks. The worst case starts at the last row of a
 * block. */
static bool rows_fit_blocks(const fgti_text_store *s, int64_t rows, int64_t blocks)
{
    int64_t last = 0;
    for (int64_t b = 0; b < s->blocks; b++) {
        const int64_t end = fgti_least(s->block[b + 1].row - 1 + rows, s->rows);
        while (s->block[last + 1].row < end) last++;
        if (last - b + 1 > blocks) return false;
    }
    return true;
}

int64_t fgti_text_store_rows_in(const fgti_text_store *s, int64_t blocks)
{
    int64_t good = 1, bad = s->rows + 1;
    while (bad - good > 1) {
        const int64_t middle = good + (bad - good) / 2;
        if (rows_fit_blocks(s, middle, blocks))
            good = middle;
        else
            bad = middle;
    }
    return good;
}
