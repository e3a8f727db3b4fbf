/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/rows/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/size.h"
#include "core/text.h"
#include "data/table.h"
#include "data/table_clock.h"
#include "data/time/time.h"
#include "forecast/forecaster.h"
#include "forecast/known/holidays.h"

/* The largest distance from the mean, in standard deviations. float can hold it, and products of it. A value
 * further away is not a measurement. */
#define FARTHEST 1e15

static fgt_status fail_far(const fgt_forecaster *f, fgti_error *err, const char *what, const fgt_table *table,
                           int64_t row, int64_t c, double v)
{
    char name[FGTI_SHOW], where[FGTI_ROW_TEXT] = "some row", value[FGTI_NUMBER_TEXT_MAX];
    if (row >= 0) fgti_table_row(table, row, where);
    return fgti_fail(err, FGT_E_DATA, "%s%s, column \"%s\": %s is too far from %g, the mean of training",
                     what, where, fgti_show(fgti_strings_get(&f->names, c), name), fgti_number_text(v, value),
                     f->scaler->mean[c]);
}

fgt_status fgti_standardise(const fgt_forecaster *f, fgti_error *err, const char *what,
                            const fgt_table *table, int64_t row, int64_t c, double v, float *out)
{
    const double z = (v - f->scaler->mean[c]) / f->scaler->scale[c];
    *out           = (float)z;
    if (isnan(v) || fabs(z) <= FARTHEST) return FGT_OK;
    return fail_far(f, err, what, table, row, c, v);
}

/* Fills rows before the beginning of a series. They get the value of one season later or, without it, the
 * first value of the series, because the mean may be far from the present level. If at most a season of rows
 * is missing there, these rows keep the mean, which is 0. */
static void fill_beginning(float *window, int64_t rows, int64_t columns, int64_t season)
{
    int64_t first = 0;
    while (first < rows && isnan(window[first * columns])) first++;
    if (first <= season || first == rows) return;
    for (int64_t r = first - 1; r >= 0; r--) {
        const bool    known = r + season < rows && !isnan(window[(r + season) * columns]);
        const int64_t later = known ? r + season : first;
        window[r * columns] = window[later * columns];
    }
}

void fgti_fill(float *window, int64_t rows, int64_t columns, int64_t season)
{
    for (int64_t c = 0; c < columns; c++) fill_beginning(window + c, rows, columns, season);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            float *v = &window[r * columns + c];
            if (!isnan(*v)) continue;
            const int64_t back = r >= season ? season : 1;
            *v                 = r ? v[-back * columns] : 0;
        }
}

void fgti_mark_missing(const float *window, int64_t count, float *missing)
{
    for (int64_t i = 0; i < count; i++) missing[i] = isnan(window[i]) ? 1.0f : 0.0f;
}

/* Standardises column c of the forecaster and writes it to `out`, whose rows are `wide` apart. */
static fgt_status frame_read_column(const fgt_forecaster *f, const fgt_table *table, int64_t c, bool filled,
                                    float *out, int64_t wide)
{
    const fgt_view values = fgt_table_get_values(table);
    int64_t        from;
    FGTI_TRY(fgti_table_find_part(&f->ctx->error, table, fgti_strings_get(&f->names, c), &from));
    const double *v = (const double *)values.data + from;
    for (int64_t r = 0; r < values.shape[0]; r++, v += values.shape[1], out += wide) {
        FGTI_TRY(fgti_standardise(f, &f->ctx->error, "", table, r, c, *v, out));
        if (filled && isnan(*v)) *out = 0; /* the mean */
    }
    return FGT_OK;
}

/* Whether all rows follow each other by the model's step. A few business days of one week look like daily
 * rows. */
static bool frame_follow(const fgt_time_step *step, const fgt_table *t)
{
    if (t->store || !fgti_step_closes(step)) return false;
    for (int64_t r = 1; r < t->rows; r++)
        if (fgti_step_count(step, t->times[r - 1], t->times[r]) != 1) return false;
    return true;
}

fgt_status fgti_forecaster_check_times(const fgt_forecaster *f, fgti_error *err, const fgt_table *table)
{
    const fgt_time_step *own = &f->info.step, *other = &table->info.step;
    char                 here[FGTI_STEP_TEXT], there[FGTI_STEP_TEXT];
    if (table->rows > 1 && fgti_table_has_times(table) && fgti_step_known(own) &&
        !fgti_step_same(own, other) && !frame_follow(own, table))
        return fgti_fail(err, FGT_E_DATA, "rows have the wrong step (got %s, need %s as in training)",
                         fgti_step_text(other, here), fgti_step_text(own, there));
    if (fgti_table_has_times(table) || !fgti_forecaster_needs_time(f)) return FGT_OK;
    return fgti_fail(err, FGT_E_DATA, "the model knows the calendar or holidays, but the rows have no times");
}

/* Does the check of fgti_check_sign() for a table on disk, from the moments of the blocks that have these
 * rows. */
static fgt_status check_stored_sign(const fgt_forecaster *f, const fgt_table *table, int64_t c,
                                    int64_t column, int64_t begin, int64_t end)
{
    fgti_chunk_moments ends;
    char       name[FGTI_SHOW];
    FGTI_TRY(fgti_store_moments(table->store, column, begin, end, &ends));
    if (ends.least >= 0) return FGT_OK;
    return fgti_fail(&f->ctx->error, FGT_E_DATA,
                     "rows %lld..%lld, column \"%s\": %g is negative, which `non_negative` rules out",
                     (long long)begin, (long long)end - 1, fgti_show(fgti_strings_get(&f->names, c), name),
                     (double)ends.least);
}

fgt_status fgti_check_sign(const fgt_forecaster *f, const fgt_table *table, int64_t begin, int64_t end)
{
    char    name[FGTI_SHOW], row[FGTI_ROW_TEXT];
    int64_t column;
    for (int64_t c = 0; f->info.non_negative && c < f->info.columns; c++) {
        FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, c), &column));
        if (table->store) {
            FGTI_TRY(check_stored_sign(f, table, c, column, begin, end));
            continue;
        }
        for (int64_t r = begin; r < end; r++) {
            const double v = table->values[r * table->columns + column];
            if (v < 0)
                return fgti_fail(&f->ctx->error, FGT_E_DATA,
                                 "%s, column \"%s\": %g is negative, which `non_negative` rules out",
                                 fgti_table_row(table, r, row),
                                 fgti_show(fgti_strings_get(&f->names, c), name), v);
        }
    }
    return FGT_OK;
}

static fgt_status fill_known(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame)
{
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    for (int64_t i = 0; i < f->info.known; i++)
        FGTI_TRY(frame_read_column(f, table, inputs + i, true, frame->known + i, k));
    for (int64_t r = 0; fgti_forecaster_needs_time(f) && r < frame->rows; r++)
        fgti_forecaster_write_time(f, fgti_table_clock(table, r), frame->known + r * k + f->info.known);
    return FGT_OK;
}

/* ---- a table on disk ---- */

/* Checks that no value is too far from the mean. The least and the largest value of each column suffice for
 * this. */
static fgt_status check_ends(const fgt_forecaster *f, const fgt_table *table, int64_t c, int64_t column)
{
    fgti_chunk_moments ends;
    float      z;
    FGTI_TRY(fgti_store_moments(table->store, column, 0, table->rows, &ends));
    FGTI_TRY(fgti_standardise(f, &f->ctx->error, "", NULL, -1, c, (double)ends.least, &z));
    return fgti_standardise(f, &f->ctx->error, "", NULL, -1, c, (double)ends.most, &z);
}

static fgt_status init_known(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame)
{
    const int64_t k = fgti_forecaster_known(&f->info);
    int64_t       rows, slots;
    slots = fgti_cache_slots(frame->cache);
    rows  = slots * fgti_store_longest(fgti_store_get_head(table->store));
    FGTI_TRY(
        fgti_alloc_dirty(f->ctx, rows * k, sizeof *frame->blocks, "known values", (void **)&frame->blocks));
    FGTI_TRY(FGTI_NEW(f->ctx, slots, "known values", &frame->block));
    for (int64_t i = 0; i < slots; i++) frame->block[i] = -1;
    return FGT_OK;
}

/* Number of blocks for raw rows. These rows are read as the truth of a window, and at two places a season
 * apart. */
enum { RAW_BLOCKS = 4 };

static fgt_status make_caches(const fgt_forecaster *f, const fgt_table *table, const int64_t *column,
                              fgti_frame *frame)
{
    const int64_t   known = fgti_forecaster_known(&f->info) * (int64_t)sizeof(float), wide = f->names.count;
    fgti_cache_opts o = {.count   = wide,
                         .columns = column,
                         .mean    = f->scaler->mean,
                         .scale   = f->scaler->scale,
                         .bytes   = fgti_store_get_resident(table->store),
                         .beside  = known + (int64_t)sizeof(int64_t)}; /* the number of a window */
    FGTI_TRY(fgti_cache_new(f->ctx, table->store, &o, &frame->cache));
    o = (fgti_cache_opts){.count = wide, .columns = column};
    const int64_t longest = fgti_store_longest(fgti_store_get_head(table->store));
    o.bytes               = RAW_BLOCKS * longest * wide * (int64_t)sizeof(float);
    return fgti_cache_new(f->ctx, table->store, &o, &frame->raw_cache);
}

static fgt_status init_stored(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame)
{
    const int64_t wide = f->names.count;
    int64_t      *column;
    frame->room = f->info.input_len + f->info.pred_len;
    FGTI_TRY(FGTI_NEW(f->ctx, wide, "columns", &column));
    fgt_status s = FGT_OK;
    for (int64_t c = 0; s == FGT_OK && c < wide; c++) {
        s = fgti_table_find_part(&f->ctx->error, table, fgti_strings_get(&f->names, c), &column[c]);
        if (s == FGT_OK) s = check_ends(f, table, c, column[c]);
    }
    if (s == FGT_OK) s = make_caches(f, table, column, frame);
    fgti_free(f->ctx, column);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, frame->room * wide, "rows", &frame->raw);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, frame->room * wide, "rows", &frame->window);
    if (s == FGT_OK)
        s = FGTI_NEW(f->ctx, frame->room * fgti_forecaster_known(&f->info), "rows", &frame->beside);
    return s == FGT_OK ? init_known(f, table, frame) : s;
}

fgt_status fgti_frame_get_raw(const fgti_frame *frame, int64_t row, int64_t count, const float **raw)
{
    return fgti_cache_see(frame->raw_cache, row, count, frame->raw, raw);
}

fgt_status fgti_frame_get_series(const fgti_frame *frame, int64_t row, int64_t count, const float **series)
{
    const fgt_forecaster *f      = frame->f;
    const int64_t         inputs = fgti_forecaster_inputs(f), wide = f->names.count;
    const float          *rows;
    if (frame->series) {
        *series = frame->series + row * inputs;
        return FGT_OK;
    }
    FGTI_TRY(fgti_cache_see(frame->cache, row, count, frame->window, &rows));
    *series = rows;
    if (!f->info.known) return FGT_OK;
    for (int64_t r = 0; r < count; r++)
        memmove(frame->window + r * inputs, rows + r * wide, (size_t)inputs * sizeof *rows);
    *series = frame->window;
    return FGT_OK;
}

/* Computes the known values of the rows of a block. The series of this block are in the cache. */
static fgt_status compute_known(const fgti_frame *frame, int64_t first, int64_t count, float *known)
{
    const fgt_forecaster *f      = frame->f;
    const int64_t         inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    const float          *rows;
    FGTI_TRY(fgti_cache_see(frame->cache, first, count, NULL, &rows));
    for (int64_t r = 0; r < count; r++, rows += f->names.count) {
        float *out = known + r * k;
        for (int64_t i = 0; i < f->info.known; i++)
            out[i] = isnan(rows[inputs + i]) ? 0 : rows[inputs + i]; /* 0: the mean */
        if (fgti_forecaster_needs_time(f))
            fgti_forecaster_write_time(f, fgti_table_clock(frame->table, first + r), out + f->info.known);
    }
    return FGT_OK;
}

/* Finds the known values of a row. They are kept as long as their block is in the cache, because calendars
 * take longer to compute than a small model takes to learn. */
static fgt_status frame_find_known(const fgti_frame *frame, int64_t row, const float **known)
{
    const fgti_store_head *h = fgti_store_get_head(frame->table->store);
    const int64_t          k = fgti_forecaster_known(&frame->f->info), block = row / h->block;
    int64_t                slot;
    FGTI_TRY(fgti_cache_find(frame->cache, row, &slot));
    float *own = frame->blocks + slot * fgti_store_longest(h) * k;
    if (frame->block[slot] != block) {
        frame->block[slot] = -1;
        FGTI_TRY(compute_known(frame, block * h->block, fgti_store_rows_of(h, block), own));
        frame->block[slot] = block;
    }
    *known = own + row % h->block * k;
    return FGT_OK;
}

fgt_status fgti_frame_get_known(const fgti_frame *frame, int64_t row, int64_t count, const float **known)
{
    const int64_t k = fgti_forecaster_known(&frame->f->info);
    *known          = frame->beside;
    if (frame->series) {
        *known = frame->known + row * k;
        return FGT_OK;
    }
    const int64_t size = fgti_store_get_head(frame->table->store)->block;
    if (row / size == (row + count - 1) / size) return frame_find_known(frame, row, known);
    for (int64_t r = row, n; r < row + count; r += n) {
        const float *from;
        n = fgti_least(size - r % size, row + count - r);
        FGTI_TRY(frame_find_known(frame, r, &from));
        memcpy(frame->beside + (r - row) * k, from, (size_t)(n * k) * sizeof *from);
    }
    return FGT_OK;
}

static uint64_t hash_floats(uint64_t hash, const float *v, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, v + i, sizeof bits);
        hash = fgti_hash_value(hash, bits);
    }
    return hash;
}

static uint64_t hash_doubles(uint64_t hash, const fgt_view *v)
{
    for (int64_t i = 0; i < v->shape[0]; i++) {
        uint64_t bits;
        memcpy(&bits, (const double *)v->data + i, sizeof bits);
        hash = fgti_hash_value(hash, bits);
    }
    return hash;
}

/* Adds the static features to the hash. Without static features the hash stays the same. */
static uint64_t hash_statics(uint64_t hash, const fgt_forecaster *f)
{
    for (int64_t i = 0; f->statics && i < f->info.columns * f->info.statics; i++) {
        const float v = (float)f->statics[i];
        hash          = hash_floats(hash, &v, 1);
    }
    return hash;
}

/* Adds the holidays to the hash. Without holidays the hash stays the same. A name enters the hash as its
 * number, because the model sees only this number. */
static uint64_t hash_days(uint64_t hash, const fgt_days *days)
{
    for (int64_t i = 0; days && i < days->count; i++) {
        hash = fgti_hash_value(hash, (uint64_t)days->entry[i].day);
        hash = fgti_hash_value(hash, (uint64_t)days->entry[i].name);
    }
    return hash;
}

uint64_t fgti_frame_hash(const fgti_frame *frame, int64_t begin, int64_t end)
{
    const fgt_forecaster *f      = frame->f;
    const int64_t         inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    uint64_t              hash   = hash_statics(FGTI_HASH_START, f);
    if (frame->series) {
        hash = hash_floats(hash, frame->series + begin * inputs, (end - begin) * inputs);
        return hash_floats(hash, frame->known + begin * k, (end - begin) * k);
    }
    const fgt_view mean  = fgti_scaler_view(f->scaler, f->scaler->mean),
                   scale = fgti_scaler_view(f->scaler, f->scaler->scale);
    hash = fgti_hash_value(hash, fgti_store_get_hash(frame->table->store));
    hash = fgti_hash_value(fgti_hash_value(hash, (uint64_t)begin), (uint64_t)end);
    return hash_days(hash_doubles(hash_doubles(hash, &mean), &scale), f->holidays);
}

/* ---- in memory or on disk ---- */

fgt_status fgti_frame_init(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame)
{
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    int64_t       count, known;
    *frame = (fgti_frame){.f = f, .table = table, .rows = table->rows};
    FGTI_TRY(fgti_forecaster_check_times(f, &f->ctx->error, table));
    if (table->store) return init_stored(f, table, frame);
    if (!fgti_size_mul(table->rows, inputs, &count) || !fgti_size_mul(table->rows, k, &known))
        return fgti_fail(&f->ctx->error, FGT_E_SIZE, "forecaster: too many rows (got %lld)",
                         (long long)table->rows);
    FGTI_TRY(FGTI_NEW(f->ctx, count, "standardised series", &frame->series));
    FGTI_TRY(FGTI_NEW(f->ctx, known, "known values", &frame->known));
    for (int64_t c = 0; c < inputs; c++)
        FGTI_TRY(frame_read_column(f, table, c, false, frame->series + c, inputs));
    return fill_known(f, table, frame);
}

bool fgti_frame_has_value(const fgt_forecaster *f, const float *before, int64_t rows, int64_t c)
{
    const int64_t inputs = fgti_forecaster_inputs(f);
    if (f->info.blind) return true;
    for (int64_t r = 0; r < rows; r++)
        if (!isnan(before[r * inputs + c])) return true;
    return false;
}

void fgti_frame_done(const fgt_forecaster *f, fgti_frame *frame)
{
    fgti_free(f->ctx, frame->series);
    fgti_free(f->ctx, frame->known);
    fgti_cache_done(&frame->cache);
    fgti_cache_done(&frame->raw_cache);
    fgti_free(f->ctx, frame->raw);
    fgti_free(f->ctx, frame->window);
    fgti_free(f->ctx, frame->beside);
    fgti_free(f->ctx, frame->blocks);
    fgti_free(f->ctx, frame->block);
    *frame = (fgti_frame){0};
}
