/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/store.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/size.h"
#include "data/time/time.h"

#define MARK "fgtable2"

/* Rows of a block. A chunk should be long enough to be read at the speed of the disk. A block should be small
 * enough for a cache to hold many blocks. */
enum { LEAST_ROWS = 4096, MOST_ROWS = 65536, BLOCK_BYTES = 1 << 20 };

/* Places of the numbers in the index. */
enum { N_BLOCK, N_FLAGS, N_FIRST, N_MILLISECONDS, N_MONTHS, N_WEEKDAYS, N_DAY_ROWS, N_DAY_BEGIN, NUMBERS };

struct fgti_store {
    fgti_block_file file;
    fgti_store_head head; /* its names and moments are borrowed from the index of the file */
};

/* ---- writing ---- */

fgt_status fgti_store_begin(fgt_context *ctx, const char *path, const fgti_store_head *head,
                            fgti_store_writer *w)
{
    uint8_t *type;
    *w            = (fgti_store_writer){.out = {.ctx = ctx}, .head = *head};
    w->head.rows  = 0;
    w->head.block = LEAST_ROWS;
    while (w->head.block < MOST_ROWS && w->head.block < BLOCK_BYTES / 4 / w->head.columns) w->head.block *= 2;
    FGTI_TRY(FGTI_NEW(ctx, head->columns, "columns", &type));
    memset(type, FGTI_CELLS_FLOATS, (size_t)head->columns);
    const fgt_status s =
        fgti_block_writer_begin(ctx, path, MARK, type, head->columns, w->head.block, &w->out);
    fgti_free(ctx, type);
    return s;
}

fgt_status fgti_store_add(fgti_store_writer *w, const double *row, bool again)
{
    fgti_store_head   *h   = &w->head;
    fgti_block_writer *out = &w->out;
    char               show[FGTI_SHOW];
    if (!again && out->filled == h->block) FGTI_TRY(fgti_block_writer_flush(out));
    float *to = (float *)out->words + out->filled - again;
    for (int64_t c = 0; c < h->columns; c++) {
        if (fabs(row[c]) > (double)FLT_MAX)
            return fgti_fail(&out->ctx->error, FGT_E_DATA, "column \"%s\": %g is too large for float32",
                             fgti_show(fgti_strings_get(&h->names, h->has_times + c), show), row[c]);
        to[c * h->block] = (float)row[c];
    }
    out->filled += !again;
    h->rows += !again;
    return FGT_OK;
}

fgt_status fgti_store_end(fgti_store_writer *w)
{
    const fgti_store_head *h        = &w->head;
    const fgt_time_step   *s        = &h->step;
    const bool             some     = fgti_step_closes(s);
    const int64_t          number[] = {
                 [N_BLOCK]        = h->block,
                 [N_FLAGS]        = h->has_times,
                 [N_FIRST]        = h->first,
                 [N_MILLISECONDS] = s->milliseconds,
                 [N_MONTHS]       = s->months,
                 [N_WEEKDAYS]     = some ? s->weekdays : 0,
                 [N_DAY_ROWS]     = some ? s->day_rows : 0,
                 [N_DAY_BEGIN]    = some ? s->day_begin : 0,
    };
    FGTI_TRY(fgti_block_writer_end(&w->out, number, NUMBERS, (const fgti_strings *[]){&h->names}, 1));
    w->head.moments = w->out.index.moments;
    return FGT_OK;
}

void fgti_store_abandon(fgti_store_writer *w)
{
    if (!w->out.ctx) return;
    fgti_strings_done(w->out.ctx, &w->head.names);
    fgti_block_writer_abandon(&w->out);
}

/* ---- opening ---- */

static fgt_status store_damaged(const fgti_store *s, const char *what)
{
    return fgti_block_file_damaged(&s->file, what);
}

static bool store_is_power(int64_t n)
{
    return n > 0 && !(n & (n - 1));
}

/* Checks that all blocks but the last one have the same number of rows. */
static fgt_status check_blocks(const fgti_store *s)
{
    const fgti_block_index *x    = &s->file.index;
    bool                    good = store_is_power(s->head.block) && s->head.block >= s->file.most_rows;
    for (int64_t b = 0; good && b < x->blocks; b++) good = x->row[b] == b * s->head.block;
    for (int64_t c = 0; good && c < x->columns; c++) good = x->type[c] == FGTI_CELLS_FLOATS;
    return good ? FGT_OK : store_damaged(s, "its numbers of rows and columns");
}

static bool step_is_good(const fgti_store_head *h)
{
    const int64_t ms = h->step.milliseconds, months = h->step.months;
    const int64_t span = 9999LL * 366 * FGTI_DAY; /* longer than all years that times can have */
    if (h->rows == 1 ? ms || months : (ms > 0) == (months > 0) || ms < 0 || months < 0) return false;
    if (!fgti_time_in_range(h->first) || (ms && h->rows - 1 > span / ms) ||
        (months && h->rows - 1 > 9999 * 12 / months))
        return false;
    /* fgti_time_add() returns h->first if the sum is not in the years 1 to 9999 */
    const int64_t last = fgti_time_add(h->first, &h->step, h->rows - 1);
    return fgti_time_in_range(last) && (h->rows == 1 || last > h->first);
}

static fgt_status store_read_times(fgti_store *s, const int64_t *number)
{
    fgti_store_head *h = &s->head;
    if (number[N_FLAGS] & ~INT64_C(1)) return store_damaged(s, "its flags");
    h->has_times = number[N_FLAGS];
    h->first     = number[N_FIRST];
    h->step      = (fgt_time_step){.milliseconds = number[N_MILLISECONDS], .months = number[N_MONTHS]};
    if (number[N_WEEKDAYS] || number[N_DAY_ROWS] || number[N_DAY_BEGIN]) {
        for (int i = N_WEEKDAYS; i <= N_DAY_ROWS; i++)
            if (number[i] < 0 || number[i] > INT32_MAX) return store_damaged(s, "its times");
        h->step.weekdays  = (int32_t)number[N_WEEKDAYS];
        h->step.day_rows  = (int32_t)number[N_DAY_ROWS];
        h->step.day_begin = number[N_DAY_BEGIN];
        if (!fgti_step_closes(&h->step) || !fgti_step_valid(&h->step)) return store_damaged(s, "its times");
    }
    return !h->has_times || step_is_good(h) ? FGT_OK : store_damaged(s, "its times");
}

static fgt_status store_check_names(const fgti_store *s)
{
    const fgti_store_head *h = &s->head;
    int64_t                twice;
    if (h->names.count != h->has_times + h->columns) return store_damaged(s, "the names of its columns");
    FGTI_TRY(fgti_strings_find_double(s->file.ctx, &h->names, h->has_times, &twice));
    return twice < 0 ? FGT_OK : store_damaged(s, "two columns have one name");
}

static fgt_status store_open_file(fgt_context *ctx, fgti_store *s, const char *path)
{
    const fgti_block_index *x = &s->file.index;
    FGTI_TRY(fgti_block_file_open(ctx, path, MARK, "table file", &s->file));
    if (x->numbers != NUMBERS) return store_damaged(s, "its index has another size");
    s->head = (fgti_store_head){.rows    = x->rows,
                                .columns = x->columns,
                                .block   = x->number[N_BLOCK],
                                .names   = x->names,
                                .moments = x->moments};
    FGTI_TRY(check_blocks(s));
    FGTI_TRY(store_read_times(s, x->number));
    return store_check_names(s);
}

fgt_status fgti_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_store **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "table file", out));
    const fgt_status r    = store_open_file(ctx, *out, path);
    (*out)->file.resident = resident;
    if (r != FGT_OK) fgti_store_close(ctx, out);
    return r;
}

void fgti_store_close(fgt_context *ctx, fgti_store **store)
{
    if (!*store) return;
    fgti_block_file_close(&(*store)->file);
    fgti_free(ctx, *store);
    *store = NULL;
}

bool fgti_store_is(const char *path)
{
    return fgti_block_file_is(path, MARK);
}

const fgti_store_head *fgti_store_get_head(const fgti_store *store)
{
    return &store->head;
}

int64_t fgti_store_count_missing(const fgti_store_head *h)
{
    int64_t missing = h->rows * h->columns;
    for (int64_t i = 0; i < fgti_store_blocks(h) * h->columns; i++) missing -= h->moments[i].count;
    return missing;
}

uint64_t fgti_store_get_hash(const fgti_store *store)
{
    return store->file.hash;
}

int64_t fgti_store_get_resident(const fgti_store *store)
{
    return store->file.resident;
}

/* ---- reading ---- */

fgt_status fgti_store_read(const fgti_store *s, int64_t block, int64_t column, float *out)
{
    const fgti_store_head *h = &s->head;
    bool                   good;
    FGTI_TRY(fgti_block_file_read(&s->file, block, column, out, &good));
    return good ? FGT_OK
                : fgti_block_file_refuse(&s->file, block, fgti_strings_get(&h->names, h->has_times + column));
}

fgt_status fgti_store_moments(fgti_store *store, int64_t column, int64_t begin, int64_t end,
                              fgti_chunk_moments *moments)
{
    const fgti_store_head *h = &store->head;
    float                 *values;
    *moments = (fgti_chunk_moments){0};
    FGTI_TRY(fgti_alloc_dirty(store->file.ctx, fgti_store_longest(h), sizeof *values, "block of rows",
                              (void **)&values));
    fgt_status r = FGT_OK;
    for (int64_t b = begin / h->block; r == FGT_OK && b * h->block < end; b++) {
        const int64_t first = b * h->block, rows = fgti_store_rows_of(h, b);
        const int64_t from = begin > first ? begin - first : 0, to = end < first + rows ? end - first : rows;
        fgti_chunk_moments part = h->moments[b * h->columns + column];
        if (to - from < rows) { /* only a part of the block counts, so the block must be read */
            r = fgti_store_read(store, b, column, values);
            if (r == FGT_OK) fgti_chunk_measure(values + from, to - from, &part);
        }
        if (r == FGT_OK) fgti_chunk_merge(moments, &part);
    }
    fgti_free(store->file.ctx, values);
    return r;
}
