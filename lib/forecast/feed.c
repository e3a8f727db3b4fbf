/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/feed.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/size.h"
#include "forecast/calendar.h"
#include "forecast/statics.h"

/* The first row of window index[i] that is forecast. */
static int64_t row_of(const fgti_feed *d, const int64_t *index, int64_t i)
{
    return fgt_windows_get_row(d->windows, index[i]);
}

/* The H rows that are to be forecast, each value once for each quantile. */
static void put_target(const fgti_feed *d, int64_t row, float *out)
{
    const int64_t heads = fgti_forecaster_heads(d->f);
    const int64_t h = d->f->info.pred_len, c = d->f->info.columns, inputs = fgti_forecaster_inputs(d->f);
    for (int64_t k = 0; k < h; k++)
        memcpy(out + k * c, d->frame->series + (row + k) * inputs, (size_t)c * sizeof *out);
    for (int64_t i = 0; i < c; i++)
        if (!fgti_frame_has_value(d->f, d->frame, d->look_back, row, i))
            for (int64_t k = 0; k < h; k++) out[k * c + i] = NAN;
    for (int64_t i = h * c * heads - 1; heads > 1 && i >= 0; i--) out[i] = out[i / heads];
}

static fgt_status feed_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                           const fgt_view *target)
{
    const fgti_feed *d = user;
    const int64_t    l = d->f->info.input_len, inputs = fgti_forecaster_inputs(d->f);
    const int64_t    values = d->f->info.pred_len * d->f->info.columns * fgti_forecaster_heads(d->f);
    float           *in = x->data, *out = target->data;
    for (int64_t i = 0; i < n; i++, in += l * inputs, out += values) {
        const int64_t row = row_of(d, index, i);
        memcpy(in, d->frame->series + (row - l) * inputs, (size_t)(l * inputs) * sizeof *in);
        fgti_fill(in, l, inputs, d->f->season);
        put_target(d, row, out);
    }
    return FGT_OK;
}

static void feed_missing(const fgti_feed *d, const int64_t *index, int64_t n, float *out)
{
    const int64_t inputs = fgti_forecaster_inputs(d->f), count = d->f->info.input_len * inputs;
    for (int64_t i = 0; i < n; i++, out += count)
        fgti_mark_missing(d->frame->series + row_of(d, index, i) * inputs - count, count, out);
}

/* Of the last row before each forecast. */
static void feed_cycle(const fgti_feed *d, const int64_t *index, int64_t n, int32_t part, int64_t *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = fgti_cycle_id(&d->f->info.step, part, d->frame->times[row_of(d, index, i) - 1]);
}

static fgt_status feed_value(void *user, const int64_t *index, int64_t n, const char *layer,
                             const fgt_view *value)
{
    const fgti_feed *d = user;
    if (!strcmp(layer, FGTI_STATIC)) {
        fgti_statics_repeat(d->f, n, value->data);
        return FGT_OK;
    }
    const bool       day = !strcmp(layer, FGTI_TIME_OF_DAY), week = !strcmp(layer, FGTI_DAY_OF_WEEK);
    if (day || week) {
        feed_cycle(d, index, n, day ? FGT_CALENDAR_DAY : FGT_CALENDAR_WEEK, value->data);
        return FGT_OK;
    }
    const bool       past = !strcmp(layer, FGTI_KNOWN_BEFORE);
    const int64_t    k = fgti_forecaster_known(&d->f->info), l = d->f->info.input_len;
    const int64_t    rows = past ? l : d->f->info.pred_len;
    float           *out  = value->data;
    if (!strcmp(layer, FGTI_MISSING)) {
        feed_missing(d, index, n, out);
        return FGT_OK;
    }
    for (int64_t i = 0; i < n; i++, out += rows * k)
        memcpy(out, d->frame->known + (row_of(d, index, i) - (past ? l : 0)) * k,
               (size_t)(rows * k) * sizeof *out);
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

/* Of the rows that windows of this range see. */
static uint64_t hash_rows(const fgt_forecaster *f, const fgti_frame *frame, const fgt_windows_opts *o)
{
    const int64_t  inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    const int64_t  begin = o->begin - (o->reach_back ? fgti_least(o->begin, o->input_len) : 0);
    const int64_t  rows  = o->end - begin;
    const uint64_t hash  = hash_floats(FGTI_HASH_START, frame->series + begin * inputs, rows * inputs);
    return hash_floats(hash, frame->known + begin * k, rows * k);
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
        return fgti_fail(err, FGT_E_ARG, "%s: rows %lld..%lld are not a range of the table's %lld rows", what,
                         (long long)begin, (long long)end - 1, (long long)frame->rows);
    const fgt_status s = fgt_windows_create(
        f->ctx, FGT_VIEW(frame->series, frame->rows, fgti_forecaster_inputs(f)), &o, &d->windows);
    if (s != FGT_OK) {
        fgti_error_prefix(err, "%s", what);
        return s;
    }
    *source = (fgt_source){.size        = sizeof *source,
                           .count       = fgt_windows_count(d->windows),
                           .get         = feed_get,
                           .get_value   = feed_value,
                           .user        = d,
                           .fingerprint = hash_rows(f, frame, &o)};
    return FGT_OK;
}

void fgti_feed_done(fgti_feed *d)
{
    fgt_windows_destroy(&d->windows);
}
