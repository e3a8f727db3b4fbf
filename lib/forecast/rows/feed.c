/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/rows/feed.h"

#include <math.h>
#include <string.h>

#include "core/size.h"
#include "data/table.h"
#include "data/table_clock.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"
#include "forecast/known/statics.h"
#include "forecast/rows/frame.h"

/* Returns the first row to forecast in window index[i]. */
static int64_t feed_row_of(const fgti_feed *d, const int64_t *index, int64_t i)
{
    return fgti_windows_row(d->windows, index[i]);
}

/* Writes the H rows to forecast, and repeats each value for each quantile. rows: the rows of the window, [L +
 * H,D]. */
static void feed_put_target(const fgti_feed *d, const float *rows, float *out)
{
    const int64_t heads = fgti_forecaster_heads(d->f), l = d->f->info.input_len;
    const int64_t h = d->f->info.pred_len, c = d->f->info.columns, inputs = fgti_forecaster_inputs(d->f);
    const float  *before = rows + (l - d->look_back) * inputs;
    for (int64_t k = 0; k < h; k++) memcpy(out + k * c, rows + (l + k) * inputs, (size_t)c * sizeof *out);
    for (int64_t i = 0; i < c; i++)
        if (!fgti_frame_has_value(d->f, before, d->look_back, i))
            for (int64_t k = 0; k < h; k++) out[k * c + i] = NAN;
    for (int64_t i = h * c * heads - 1; heads > 1 && i >= 0; i--) out[i] = out[i / heads];
}

/* Writes the rows [L,D] of a window, in the order of the clock at the end of the window. */
static void put_input(const fgti_feed *d, int64_t row, const float *rows, float *out)
{
    const int64_t l = d->f->info.input_len, inputs = fgti_forecaster_inputs(d->f), begin = row - l;
    for (int64_t r = begin; r < row; r++, out += inputs) {
        const int64_t at = fgti_table_row_by_clock(d->frame->table, begin, row, r) - begin;
        memcpy(out, rows + at * inputs, (size_t)inputs * sizeof *out);
    }
}

static fgt_status feed_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                           const fgt_view *target)
{
    const fgti_feed *d = user;
    const int64_t    l = d->f->info.input_len, inputs = fgti_forecaster_inputs(d->f);
    const int64_t    values = d->f->info.pred_len * d->f->info.columns * fgti_forecaster_heads(d->f);
    float           *in = x->data, *out = target->data;
    const float     *rows;
    for (int64_t i = 0; i < n; i++, in += l * inputs, out += values) {
        FGTI_TRY(
            fgti_frame_get_series(d->frame, feed_row_of(d, index, i) - l, l + d->f->info.pred_len, &rows));
        put_input(d, feed_row_of(d, index, i), rows, in);
        fgti_fill(in, l, inputs, d->f->season);
        feed_put_target(d, rows, out);
    }
    return FGT_OK;
}

static fgt_status feed_missing(const fgti_feed *d, const int64_t *index, int64_t n, float *out)
{
    const int64_t l = d->f->info.input_len, count = l * fgti_forecaster_inputs(d->f);
    const float  *rows;
    for (int64_t i = 0; i < n; i++, out += count) {
        FGTI_TRY(fgti_frame_get_series(d->frame, feed_row_of(d, index, i) - l, l, &rows));
        put_input(d, feed_row_of(d, index, i), rows, out);
        fgti_mark_missing(out, count, out);
    }
    return FGT_OK;
}

/* Writes the ids of a cycle (time of day or day of week) for each window. The id belongs to the last row
 * before the forecast. */
static void feed_cycle(const fgti_feed *d, const int64_t *index, int64_t n, int32_t part, int64_t *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = fgti_cycle_id(&d->f->info.step, part,
                               fgti_table_clock(d->frame->table, feed_row_of(d, index, i) - 1));
}

static fgt_status feed_known(const fgti_feed *d, const int64_t *index, int64_t n, bool past, float *out)
{
    const int64_t k = fgti_forecaster_known(&d->f->info), l = d->f->info.input_len;
    const int64_t rows = past ? l : d->f->info.pred_len;
    const float  *known;
    for (int64_t i = 0; i < n; i++, out += rows * k) {
        FGTI_TRY(fgti_frame_get_known(d->frame, feed_row_of(d, index, i) - (past ? l : 0), rows, &known));
        memcpy(out, known, (size_t)(rows * k) * sizeof *out);
    }
    return FGT_OK;
}

static fgt_status feed_value(void *user, const int64_t *index, int64_t n, const char *layer,
                             const fgt_view *value)
{
    const fgti_feed *d   = user;
    const bool       day = !strcmp(layer, FGTI_TIME_OF_DAY), week = !strcmp(layer, FGTI_DAY_OF_WEEK);
    if (!strcmp(layer, FGTI_MISSING)) return feed_missing(d, index, n, value->data);
    if (!strcmp(layer, FGTI_STATIC))
        fgti_statics_repeat(d->f, n, value->data);
    else if (day || week)
        feed_cycle(d, index, n, day ? FGT_CALENDAR_DAY : FGT_CALENDAR_WEEK, value->data);
    else
        return feed_known(d, index, n, !strcmp(layer, FGTI_KNOWN_BEFORE), value->data);
    return FGT_OK;
}

/* TOGETHER: number of chunks of a table on disk that are mixed in training. ENDS: further blocks that each
 * chunk needs, one at each end. */
enum { TOGETHER = 8, ENDS = 2 };

/* Sets the size and number of chunks of windows that fit into the cache. */
static void feed_cut(const fgti_feed *d, int64_t stride, fgt_source *source)
{
    const int64_t blocks = fgti_cache_slots(d->frame->cache);
    const int64_t block  = fgti_store_longest(fgti_store_get_head(d->frame->table->store));
    const int64_t pool   = blocks / (1 + ENDS) < TOGETHER ? blocks / (1 + ENDS) : TOGETHER;
    source->pool        = pool > 1 ? pool : 1;
    const int64_t own   = blocks / source->pool - ENDS;
    source->chunk       = fgti_parts((own > 1 ? own : 1) * block, stride ? stride : 1);
}

fgt_status fgti_feed_init(fgti_feed *d, const fgt_forecaster *f, const fgti_frame *frame, const char *what,
                          int64_t begin, int64_t end, int64_t stride, int32_t reach_back, fgt_source *source)
{
    const fgt_windows_opts o   = {.size       = sizeof o,
                                  .input_len  = f->info.input_len,
                                  .pred_len   = f->info.pred_len,
                                  .begin      = begin,
                                  .end        = end,
                                  .stride     = stride,
                                  .reach_back = reach_back};
    fgti_error            *err = &f->ctx->error;
    *d                         = (fgti_feed){.f = f, .frame = frame, .look_back = f->info.input_len};
    if (begin < 0 || begin >= end || end > frame->rows)
        return fgti_fail(err, FGT_E_ARG, "%s: rows are out of range (got %lld..%lld of %lld rows)", what,
                         (long long)begin, (long long)end - 1, (long long)frame->rows);
    const fgt_status s = fgti_windows_place(f->ctx, frame->rows, &o, &d->windows);
    if (s != FGT_OK) {
        fgti_error_prefix(err, "%s", what);
        return s;
    }
    const int64_t seen = begin - (reach_back ? fgti_least(begin, o.input_len) : 0);
    *source            = (fgt_source){.size        = sizeof *source,
                                      .count       = fgt_windows_count_samples(d->windows),
                                      .get         = feed_get,
                                      .get_value   = feed_value,
                                      .user        = d,
                                      .fingerprint = fgti_frame_hash(frame, seen, end)};
    if (frame->table->store) feed_cut(d, stride, source);
    return FGT_OK;
}

void fgti_feed_done(fgti_feed *d)
{
    fgt_windows_destroy(&d->windows);
}
