/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "data/store/store.h"

/* Rows of a block: chunks are long enough to be read at the speed of the disk, and blocks are small enough
 * for a cache with many of them. */
enum { LEAST_ROWS = 4096, MOST_ROWS = 65536, BLOCK_BYTES = 1 << 20 };

/* Values that are converted at a time, and columns that are measured together. */
enum { PIECE = 1024, TOGETHER = 4 };

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Measures the chunks of `columns` columns, up to TOGETHER, which begin `stride` values apart. Within a
 * column each value depends on the previous one through hash and sums, so several columns take hardly longer
 * than one. */
static inline void measure_columns(const float *value, int64_t stride, int64_t n, int columns,
                                   fgti_chunk *chunk)
{
    uint64_t hash[TOGETHER];
    double   sum[TOGETHER] = {0}, mean[TOGETHER], square[TOGETHER] = {0};
    float    least[TOGETHER], most[TOGETHER];
    int64_t  count[TOGETHER] = {0};
    for (int k = 0; k < columns; k++) {
        hash[k]  = FGTI_HASH_START;
        least[k] = HUGE_VALF;
        most[k]  = -HUGE_VALF;
    }
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < columns; k++) {
            const float v = value[k * stride + i];
            hash[k]       = fgti_hash_value(hash[k], bits_of(v));
            least[k]      = v < least[k] ? v : least[k];
            most[k]       = v > most[k] ? v : most[k];
            sum[k] += isnan(v) ? 0 : (double)v;
            count[k] += !isnan(v);
        }
    for (int k = 0; k < columns; k++) mean[k] = count[k] ? sum[k] / (double)count[k] : 0;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < columns; k++) {
            const double d = (double)value[k * stride + i] - mean[k];
            square[k] += isnan(d) ? 0 : d * d;
        }
    for (int k = 0; k < columns; k++)
        chunk[k] = count[k] ? (fgti_chunk){hash[k], mean[k], square[k], count[k], least[k], most[k]}
                            : (fgti_chunk){.hash = hash[k]};
}

void fgti_chunk_measure(const float *value, int64_t n, fgti_chunk *c)
{
    measure_columns(value, 0, n, 1, c);
}

static fgt_status write_values(fgti_atomic *f, const float *value, int64_t n)
{
    unsigned char bytes[4 * PIECE];
    for (int64_t i = 0, m; i < n; i += m) {
        m = n - i < PIECE ? n - i : PIECE;
        for (int64_t k = 0; k < m; k++) fgti_put_u32(bytes + 4 * k, bits_of(value[i + k]));
        FGTI_TRY(fgti_atomic_write(f, bytes, (size_t)(4 * m)));
    }
    return FGT_OK;
}

/* ---- blocks ---- */

fgt_status fgti_store_begin(fgt_context *ctx, const char *path, const fgti_store_head *head,
                            fgti_store_writer *w)
{
    int64_t values;
    *w            = (fgti_store_writer){.ctx = ctx, .head = *head};
    w->head.rows  = 0;
    w->head.chunk = NULL;
    for (w->head.block = LEAST_ROWS;
         w->head.block < MOST_ROWS && w->head.block < BLOCK_BYTES / 4 / w->head.columns;)
        w->head.block *= 2;
    if (!fgti_size_mul(w->head.block, w->head.columns, &values))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "%.300s: too many columns", path);
    FGTI_TRY(FGTI_NEW(ctx, values, "block of rows", &w->values));
    return fgti_block_writer_begin(ctx, path, FGTI_STORE_MARK, &w->out);
}

static fgt_status store_write_block(fgti_store_writer *w)
{
    fgti_store_head *h    = &w->head;
    const int64_t    used = (h->rows - w->filled) / h->block * h->columns;
    FGTI_TRY(fgti_grow(w->ctx, "index of blocks", sizeof *h->chunk, used, used + h->columns, 2 * used,
                       &w->capacity, (void **)&h->chunk));
    int64_t c = 0;
    for (; c + TOGETHER <= h->columns; c += TOGETHER)
        measure_columns(w->values + c * h->block, h->block, w->filled, TOGETHER, &h->chunk[used + c]);
    for (; c < h->columns; c++) fgti_chunk_measure(w->values + c * h->block, w->filled, &h->chunk[used + c]);
    for (c = 0; c < h->columns; c++)
        FGTI_TRY(write_values(&w->out.file, w->values + c * h->block, w->filled));
    w->filled = 0;
    return FGT_OK;
}

fgt_status fgti_store_add(fgti_store_writer *w, const double *row, bool again)
{
    fgti_store_head *h = &w->head;
    char             show[FGTI_SHOW];
    if (!again && w->filled == h->block) FGTI_TRY(store_write_block(w));
    const int64_t at = w->filled - again;
    for (int64_t c = 0; c < h->columns; c++) {
        if (fabs(row[c]) > (double)FLT_MAX)
            return fgti_fail(&w->ctx->error, FGT_E_DATA, "column \"%s\": %g is too large for float32",
                             fgti_show(fgti_strings_get(&h->names, h->has_times + c), show), row[c]);
        w->values[c * h->block + at] = (float)row[c];
    }
    w->filled += !again;
    h->rows += !again;
    return FGT_OK;
}

/* ---- the index ---- */

static uint64_t bits_of_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static fgt_status add_chunk(fgti_block_writer *out, const fgti_chunk *c)
{
    FGTI_TRY(fgti_index_add(out, c->hash));
    FGTI_TRY(fgti_index_add(out, bits_of_double(c->mean)));
    FGTI_TRY(fgti_index_add(out, bits_of_double(c->square)));
    FGTI_TRY(fgti_index_add(out, (uint64_t)c->count));
    return fgti_index_add(out, bits_of(c->least) | (uint64_t)bits_of(c->most) << 32);
}

fgt_status fgti_store_end(fgti_store_writer *w)
{
    fgti_store_head   *h   = &w->head;
    fgti_block_writer *out = &w->out;
    if (w->filled) FGTI_TRY(store_write_block(w));
    const fgt_time_step *s    = &h->step;
    const bool           some = fgti_step_closes(s);
    const int64_t number[FGTI_STORE_NUMBERS + FGTI_STORE_DAYS] = {h->rows,
                                                                  h->columns,
                                                                  h->block,
                                                                  h->has_times | some << 1,
                                                                  h->first,
                                                                  s->milliseconds,
                                                                  s->months,
                                                                  s->weekdays,
                                                                  s->day_rows,
                                                                  s->day_begin};
    for (int i = 0; i < FGTI_STORE_NUMBERS + (some ? FGTI_STORE_DAYS : 0); i++)
        FGTI_TRY(fgti_index_add(out, (uint64_t)number[i]));
    for (int64_t i = 0; i < h->names.count; i++)
        FGTI_TRY(fgti_index_add_name(out, fgti_strings_get(&h->names, i), fgti_strings_size(&h->names, i)));
    for (int64_t i = 0; i < fgti_store_blocks(h) * h->columns; i++) FGTI_TRY(add_chunk(out, &h->chunk[i]));
    return fgti_block_writer_end(out);
}

void fgti_store_abandon(fgti_store_writer *w)
{
    fgti_block_writer_abandon(&w->out);
    fgti_strings_done(w->ctx, &w->head.names);
    fgti_free(w->ctx, w->head.chunk);
    fgti_free(w->ctx, w->values);
    w->head.chunk = NULL;
    w->values     = NULL;
}
