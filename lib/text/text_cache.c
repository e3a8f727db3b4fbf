/* SPDX-License-Identifier: BSD-3-Clause */
#include "text/text_cache.h"

#include "core/context.h"
#include "core/size.h"
#include "data/store/block_cache.h"
#include "text/utf8.h"

enum { LABELS, TEXTS, ROW_BYTES = 8 };

struct fgti_text_cache {
    const fgti_text_store *store;
    int64_t                current; /* block of the row that was read last */
    fgti_block_cache       blocks;  /* a slot: classes of the corpus, ends of the texts, texts */
};

int64_t fgti_text_store_slots(const fgti_text_store *store, int64_t bytes)
{
    const int64_t each = store->file.longest + ROW_BYTES * store->file.most_rows;
    return bytes / each > 2 ? bytes / each : 2;
}

/* Replaces class numbers of the file by class numbers of the corpus. Returns false if a number is out of
 * range. */
static bool text_cache_read_labels(const fgti_text_store *s, uint32_t *label, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (s->unlabeled ? label[i] != UINT32_MAX : label[i] >= (uint64_t)s->classes) return false;
        if (!s->unlabeled) label[i] = (uint32_t)s->class_of[label[i]];
    }
    return true;
}

/* Whether each text by itself is valid UTF-8, so that no character crosses from one text into the next. */
static bool text_cache_check(const uint32_t *end, int64_t n, const char *texts)
{
    bool valid = true;
    for (int64_t i = 0; i < n && valid; i++) {
        const uint32_t begin = i ? end[i - 1] : 0;
        valid                = fgti_utf8_is_text(texts + begin, end[i] - begin);
    }
    return valid;
}

static fgt_status text_load_block(void *user, int64_t b, void *to)
{
    const fgti_text_store *s     = user;
    const int64_t          n     = fgti_block_file_rows(&s->file, b);
    uint32_t              *label = to, *end = label + n;
    bool                   good, fits;
    FGTI_TRY(fgti_block_file_read(&s->file, b, LABELS, label, &good));
    FGTI_TRY(fgti_block_file_read(&s->file, b, TEXTS, end, &fits));
    good = good && fits && text_cache_read_labels(s, label, n) &&
           text_cache_check(end, n, (const char *)(end + n));
    return good ? FGT_OK : fgti_block_file_refuse(&s->file, b, NULL);
}

fgt_status fgti_text_cache_new(const fgti_text_store *store, int64_t slots, fgti_text_cache **out)
{
    fgt_context  *ctx    = store->file.ctx;
    const int64_t blocks = store->file.index.blocks, words = fgti_parts(store->file.longest, 4);
    FGTI_TRY(FGTI_NEW(ctx, 1, "cache", out));
    (*out)->store      = store;
    const fgt_status s = fgti_block_cache_init(ctx, fgti_least(slots, blocks), blocks, words, text_load_block,
                                               (void *)store, &(*out)->blocks);
    if (s != FGT_OK) fgti_text_cache_done(out);
    return s;
}

void fgti_text_cache_done(fgti_text_cache **cache)
{
    fgti_text_cache *c = *cache;
    if (!c) return;
    fgti_block_cache_done(&c->blocks);
    fgti_free(c->store->file.ctx, c);
    *cache = NULL;
}

/* ---- rows ---- */

/* Finds the block of a row. The block of the previous row is tried first. */
static int64_t text_find_block(const fgti_block_index *x, int64_t row, int64_t current)
{
    for (int64_t b = current; b < current + 2 && b < x->blocks; b++)
        if (row >= x->row[b] && row < x->row[b + 1]) return b;
    int64_t first = 0, end = x->blocks;
    while (end - first > 1) {
        const int64_t middle = first + (end - first) / 2;
        if (x->row[middle] <= row)
            first = middle;
        else
            end = middle;
    }
    return first;
}

fgt_status fgti_text_cache_get(fgti_text_cache *c, int64_t row, fgti_stored_text *out)
{
    const fgti_block_index *x = &c->store->file.index;
    const int64_t           b = text_find_block(x, row, c->current);
    int64_t                 slot;
    void                   *at = NULL;
    FGTI_TRY(fgti_block_cache_find(&c->blocks, b, &slot, &at));
    c->current        = b;
    const int64_t   n = x->row[b + 1] - x->row[b], i = row - x->row[b];
    const uint32_t *label = at, *end = label + n;
    const int64_t   before = i ? end[i - 1] : 0;
    *out = (fgti_stored_text){(const char *)(end + n) + before, end[i] - before, (int32_t)label[i]};
    return FGT_OK;
}

/* ---- capacity ---- */

/* Whether every run of `rows` consecutive rows lies within `blocks` blocks. The worst runs begin at the last
 * row of a block. */
static bool rows_fit_blocks(const fgti_block_index *x, int64_t rows, int64_t blocks)
{
    int64_t last = 0;
    for (int64_t b = 0; b < x->blocks; b++) {
        const int64_t end = fgti_least(x->row[b + 1] - 1 + rows, x->rows);
        while (x->row[last + 1] < end) last++;
        if (last - b + 1 > blocks) return false;
    }
    return true;
}

int64_t fgti_text_store_rows_in(const fgti_text_store *s, int64_t blocks)
{
    int64_t good = 1, bad = s->file.index.rows + 1;
    while (bad - good > 1) {
        const int64_t middle = good + (bad - good) / 2;
        if (rows_fit_blocks(&s->file.index, middle, blocks))
            good = middle;
        else
            bad = middle;
    }
    return good;
}
