/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "data/store/store.h"

struct fgti_store {
    fgt_context    *ctx;
    fgti_block_file file;
    fgti_store_head head;
    int64_t         resident;
};

static double get_double(const unsigned char *p)
{
    const uint64_t bits = fgti_get_u64(p);
    double         v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static float float_of(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float          v;
    memcpy(&v, &low, sizeof v);
    return v;
}

static fgt_status store_damaged(const fgti_store *s, const char *what)
{
    return fgti_block_file_damaged(&s->file, what);
}

/* ---- opening ---- */

static bool is_power(int64_t n)
{
    return n > 0 && !(n & (n - 1));
}

static fgt_status read_number(const fgti_store *s, fgti_index *x, int64_t *number)
{
    uint64_t v;
    if (!fgti_index_get(x, &v)) return store_damaged(s, "the size of its index");
    *number = (int64_t)v;
    return FGT_OK;
}

/* Reads the days and hours that have rows. */
static fgt_status read_days(fgti_store *s, fgti_index *x)
{
    fgt_time_step *step = &s->head.step;
    int64_t        number[FGTI_STORE_DAYS];
    for (int i = 0; i < FGTI_STORE_DAYS; i++) FGTI_TRY(read_number(s, x, &number[i]));
    if (number[0] < 0 || number[0] > INT32_MAX || number[1] < 0 || number[1] > INT32_MAX)
        return store_damaged(s, "its times");
    step->weekdays  = (int32_t)number[0];
    step->day_rows  = (int32_t)number[1];
    step->day_begin = number[2];
    return fgti_step_closes(step) && fgti_step_valid(step) ? FGT_OK : store_damaged(s, "its times");
}

/* Checks every number. The hash only detects accidental damage, not a malicious file. */
static fgt_status store_read_numbers(fgti_store *s, fgti_index *x)
{
    fgti_store_head *h    = &s->head;
    const int64_t    data = s->file.data;
    int64_t          number[FGTI_STORE_NUMBERS], values, chunks;
    for (int i = 0; i < FGTI_STORE_NUMBERS; i++) FGTI_TRY(read_number(s, x, &number[i]));
    h->rows    = number[0];
    h->columns = number[1];
    h->block   = number[2];
    h->first   = number[4];
    h->step    = (fgt_time_step){.milliseconds = number[5], .months = number[6]};
    if (h->rows < 1 || h->columns < 1 || !is_power(h->block) || number[3] < 0 || number[3] > 3 ||
        number[3] == 2)
        return store_damaged(s, "its numbers of rows and columns");
    h->has_times = number[3] & 1;
    if (!fgti_size_mul(h->rows, h->columns, &values) || values != data / 4 || data % 4)
        return store_damaged(s, "its rows and columns do not fit its size");
    if (!fgti_size_mul(fgti_store_blocks(h), h->columns, &chunks) ||
        chunks > s->file.index_bytes / FGTI_STORE_CHUNK)
        return store_damaged(s, "its blocks do not fit its index");
    return number[3] & 2 ? read_days(s, x) : FGT_OK;
}

static fgt_status check_times(const fgti_store *s)
{
    const fgti_store_head *h = &s->head;
    if (!h->has_times) return FGT_OK;
    const int64_t ms = h->step.milliseconds, months = h->step.months;
    const bool    steps = h->rows == 1 ? !ms && !months : (ms > 0) != (months > 0) && ms >= 0 && months >= 0;
    const int64_t span  = 9999LL * 366 * FGTI_DAY; /* more than all years have */
    if (!steps || !fgti_time_in_range(h->first) || (ms && h->rows - 1 > span / ms) ||
        (months && h->rows - 1 > 9999 * 12 / months))
        return store_damaged(s, "its times");
    /* fgti_time_add() returns the first time if the months lead beyond the years */
    const int64_t last = fgti_time_add(h->first, &h->step, h->rows - 1);
    if (!fgti_time_in_range(last) || (h->rows > 1 && last <= h->first)) return store_damaged(s, "its times");
    return FGT_OK;
}

static fgt_status store_read_names(fgti_store *s, fgti_index *x)
{
    fgti_store_head *h = &s->head;
    const char      *name;
    int64_t          size, twice;
    for (int64_t i = 0; i < h->has_times + h->columns; i++) {
        if (!fgti_index_get_name(x, &name, &size)) return store_damaged(s, "the names of its columns");
        FGTI_TRY(fgti_strings_add(s->ctx, &h->names, name, size));
    }
    FGTI_TRY(fgti_strings_find_double(s->ctx, &h->names, h->has_times, &twice));
    return twice < 0 ? FGT_OK : store_damaged(s, "two columns have one name");
}

static fgt_status read_chunks(fgti_store *s, const fgti_index *x)
{
    fgti_store_head     *h      = &s->head;
    const int64_t        chunks = fgti_store_blocks(h) * h->columns;
    const unsigned char *p      = x->next;
    if (x->end - p != chunks * FGTI_STORE_CHUNK) return store_damaged(s, "its index has another size");
    FGTI_TRY(FGTI_NEW(s->ctx, chunks, "index of blocks", &h->chunk));
    for (int64_t i = 0; i < chunks; i++, p += FGTI_STORE_CHUNK) {
        fgti_chunk    *c      = &h->chunk[i];
        const uint64_t bounds = fgti_get_u64(p + 32);
        *c                    = (fgti_chunk){fgti_get_u64(p),         get_double(p + 8),
                                             get_double(p + 16), (int64_t)fgti_get_u64(p + 24),
                                             float_of(bounds),   float_of(bounds >> 32)};
        if (c->count < 0 || c->count > fgti_store_rows_of(h, i / h->columns) || !isfinite(c->mean) ||
            !(c->square >= 0) || isinf(c->square) || !isfinite(c->least) || !isfinite(c->most))
            return store_damaged(s, "the moments of a block");
    }
    return FGT_OK;
}

static fgt_status store_open_file(fgti_store *s, const char *path)
{
    FGTI_TRY(fgti_block_file_open(s->ctx, path, FGTI_STORE_MARK, "table file", &s->file));
    fgti_index x = {s->file.index, s->file.index + s->file.index_bytes};
    FGTI_TRY(store_read_numbers(s, &x));
    FGTI_TRY(check_times(s));
    FGTI_TRY(store_read_names(s, &x));
    FGTI_TRY(read_chunks(s, &x));
    fgti_block_file_forget(&s->file);
    return FGT_OK;
}

fgt_status fgti_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_store **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "table file", out));
    **out              = (fgti_store){.ctx = ctx, .resident = resident};
    const fgt_status r = store_open_file(*out, path);
    if (r != FGT_OK) fgti_store_close(ctx, out);
    return r;
}

void fgti_store_close(fgt_context *ctx, fgti_store **store)
{
    fgti_store *s = *store;
    if (!s) return;
    fgti_strings_done(ctx, &s->head.names);
    fgti_free(ctx, s->head.chunk);
    fgti_block_file_close(&s->file);
    fgti_free(ctx, s);
    *store = NULL;
}

bool fgti_store_is(const char *path)
{
    return fgti_block_file_is(path, FGTI_STORE_MARK);
}

const fgti_store_head *fgti_store_get_head(const fgti_store *store)
{
    return &store->head;
}

int64_t fgti_store_count_missing(const fgti_store *store)
{
    const fgti_store_head *h       = &store->head;
    int64_t                missing = h->rows * h->columns;
    for (int64_t i = 0; i < fgti_store_blocks(h) * h->columns; i++) missing -= h->chunk[i].count;
    return missing;
}

uint64_t fgti_store_get_hash(const fgti_store *store)
{
    return store->file.hash;
}

/* ---- blocks ---- */

/* Whether the count and the bounds of the index are true for these values. Callers rely on the bounds without
 * reading the values. */
static bool is_bounded(const fgti_chunk *c, const float *v, int64_t rows)
{
    int64_t count = 0;
    bool    good  = true;
    for (int64_t i = 0; i < rows; i++) {
        if (isnan(v[i])) continue;
        good &= v[i] >= c->least && v[i] <= c->most;
        count++;
    }
    return good && count == c->count;
}

fgt_status fgti_store_read(const fgti_store *s, int64_t block, int64_t column, float *out)
{
    const fgti_store_head *h    = &s->head;
    const int64_t          rows = fgti_store_rows_of(h, block);
    uint64_t               hash = FGTI_HASH_START;
    const int64_t          from = block * h->block * h->columns + column * rows;
    FGTI_TRY(fgti_block_file_read(&s->file, FGTI_MARK + 4 * from, 4 * rows, out));
    const unsigned char *p = (const unsigned char *)out;
    for (int64_t i = 0; i < rows; i++, p += 4) {
        const uint32_t v = fgti_get_u32(p);
        hash             = fgti_hash_value(hash, v);
        out[i]           = float_of(v);
    }
    const fgti_chunk *c = &h->chunk[block * h->columns + column];
    if (hash == c->hash && is_bounded(c, out, rows)) return FGT_OK;
    char show[FGTI_SHOW];
    return fgti_fail(&s->ctx->error, FGT_E_FORMAT,
                     "%.300s: damaged: rows %lld..%lld of column \"%s\" are not what was written",
                     s->file.path, (long long)(block * h->block), (long long)(block * h->block + rows - 1),
                     fgti_show(fgti_strings_get(&h->names, h->has_times + column), show));
}

int64_t fgti_store_get_resident(const fgti_store *store)
{
    return store->resident;
}

/* ---- moments ---- */

void fgti_chunk_merge(fgti_chunk *a, const fgti_chunk *b)
{
    if (!b->count) return;
    const double n = (double)a->count, m = (double)b->count, d = b->mean - a->mean;
    if (!a->count || b->least < a->least) a->least = b->least;
    if (!a->count || b->most > a->most) a->most = b->most;
    a->mean += d * m / (n + m);
    a->square += b->square + d * d * n * m / (n + m);
    a->count += b->count;
}

fgt_status fgti_store_moments(fgti_store *store, int64_t column, int64_t begin, int64_t end,
                              fgti_chunk *moments)
{
    const fgti_store_head *h = &store->head;
    float                 *values;
    *moments = (fgti_chunk){0};
    FGTI_TRY(fgti_alloc_dirty(store->ctx, fgti_store_longest(h), sizeof *values, "block of rows",
                              (void **)&values));
    fgt_status r = FGT_OK;
    for (int64_t b = begin / h->block; r == FGT_OK && b * h->block < end; b++) {
        const int64_t first = b * h->block, rows = fgti_store_rows_of(h, b);
        const int64_t from = begin > first ? begin - first : 0, to = end < first + rows ? end - first : rows;
        fgti_chunk    part = h->chunk[b * h->columns + column];
        if (to - from < rows) { /* only a part of the block counts, so it must be read */
            r = fgti_store_read(store, b, column, values);
            if (r == FGT_OK) fgti_chunk_measure(values + from, to - from, &part);
        }
        if (r == FGT_OK) fgti_chunk_merge(moments, &part);
    }
    fgti_free(store->ctx, values);
    return r;
}
