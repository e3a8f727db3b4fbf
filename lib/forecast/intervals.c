/* SPDX-License-Identifier: BSD-3-Clause */
/* How good intervals are: each is made from the errors that were known when it was needed. */
#include <math.h>
#include <string.h>

#include "core/size.h"
#include "data/table.h"
#include "data/time.h"
#include "forecast/calibration.h"
#include "forecast/feed.h"
#include "forecast/visit.h"

/* Intervals are made anew once a day, or for every window where a row is longer. */
static int64_t rows_between(const fgt_forecaster *f)
{
    const int64_t ms = f->info.step.milliseconds;
    return ms && ms < FGTI_DAY ? FGTI_DAY / ms : f->info.step.months ? 1 : 24;
}

/* The first rows of errors from which the ends of an interval are reckoned. */
typedef struct ends {
    int64_t low, high;
} ends;

typedef struct judge {
    fgt_forecaster      *f;
    const double        *level; /* [levels], shares */
    int64_t              levels, cells;
    fgt_interval_metric *metric;           /* [levels] */
    double              *inside, *counted; /* [levels,H] and [H] */
    fgt_calibration     *now;
    ends                *from;       /* [levels] */
    double              *low, *high; /* [levels,cells], of `now`: from the model's quantile to the end */
    float               *past;       /* [windows,heads,cells]: errors of windows that calibrate */
    int64_t first, stride; /* of those windows: the first row that they forecast, and their distance */
    int64_t windows;
} judge;

/* ---- windows that calibrate ---- */

static void keep(void *user, int64_t window, const float *error, const float *truth)
{
    judge        *j    = user;
    const int64_t rows = j->now->heads * j->cells;
    (void)truth;
    memcpy(j->past + window * rows, error, (size_t)rows * sizeof *error);
}

/* Windows whose targets were known before `row`, not more than calibration looks back over. */
static fgt_status recalibrate(judge *j, int64_t row)
{
    const fgt_forecaster *f    = j->f;
    const int64_t         last = row - f->info.pred_len - j->first;
    const int64_t         most = j->now->windows;
    const int64_t         end  = last < 0 ? 0 : fgti_least(last / j->stride + 1, j->windows);
    fgti_calibration_clear(j->now);
    for (int64_t w = end > most ? end - most : 0; end >= FGTI_CALIBRATION_LEAST && w < end; w++)
        fgti_calibration_add(j->now, j->past + w * j->now->heads * j->cells);
    fgti_calibration_sort(j->now);
    for (int64_t k = 0; k < j->levels; k++) {
        const ends e = j->from[k];
        for (int64_t i = 0; i < j->cells; i++) {
            j->low[k * j->cells + i]  = fgti_calibration_quantile(j->now, e.low + i, (1 - j->level[k]) / 2);
            j->high[k * j->cells + i] = fgti_calibration_quantile(j->now, e.high + i, (1 + j->level[k]) / 2);
        }
    }
    return FGT_OK;
}

/* ---- windows that are judged ---- */

/* The interval score of Gneiting and Raftery 2007: its width, and a penalty for each value outside. low and
 * high are its ends, reckoned from the value. */
static void judge_cell(judge *j, int64_t k, int64_t cell, double low, double high)
{
    const bool           inside = low <= 0 && high >= 0;
    fgt_interval_metric *m      = &j->metric[k];
    const double         alpha  = 1 - j->level[k];
    m->count++;
    m->inside += inside;
    m->width += high - low;
    m->score += high - low + 2 / alpha * (low > 0 ? low : high < 0 ? -high : 0);
    if (j->inside) j->inside[k * j->f->info.pred_len + cell / j->f->info.columns] += inside;
}

static void judge_window(void *user, int64_t window, const float *error, const float *truth)
{
    judge *j = user;
    (void)window;
    for (int64_t i = 0; i < j->cells; i++) {
        if (isnan(error[i]) || isnan(j->low[i])) continue;
        for (int64_t k = 0; k < j->levels; k++) {
            const ends   e   = j->from[k];
            const double low  = j->low[k * j->cells + i] - (double)error[e.low + i],
                         high = j->high[k * j->cells + i] - (double)error[e.high + i];
            const double zero = j->now->non_negative ? -(double)truth[i] : -INFINITY;
            judge_cell(j, k, i, low > zero ? low : zero, high > zero ? high : zero);
        }
        if (j->counted) j->counted[i / j->f->info.columns]++;
    }
}

/* ---- all of it ---- */

static fgt_status collect_past(judge *j, const fgti_frame *frame, int64_t first, int64_t begin, int64_t end)
{
    const int64_t l = j->f->info.input_len, h = j->f->info.pred_len;
    const int64_t recent = begin - h - fgti_calibration_rows(j->f), back = recent > first ? recent : first;
    fgti_feed     d    = {0};
    fgt_source    source;
    int64_t       count;
    j->first     = back > l ? back : l;
    j->stride    = fgti_calibration_stride(j->f);
    fgt_status s = fgti_feed_init(&d, j->f, frame, "calibration", j->first, end, j->stride, 1, &source);
    if (s == FGT_OK && !fgti_size_mul(source.count, j->now->heads * j->cells, &count))
        s = fgti_fail(&j->f->ctx->error, FGT_E_SIZE, "calibration: too large");
    if (s == FGT_OK) s = FGTI_NEW(j->f->ctx, count, "calibration", &j->past);
    if (s == FGT_OK) {
        j->windows = source.count;
        s          = fgti_collect_errors(j->f, &source, 0, source.count, keep, j);
    }
    fgti_feed_done(&d);
    return s;
}

static fgt_status judge_all(judge *j, const fgti_frame *frame, int64_t begin, int64_t end)
{
    const int64_t every = rows_between(j->f);
    fgti_feed     d     = {0};
    fgt_source    source;
    fgt_status    s = fgti_feed_init(&d, j->f, frame, "windows", begin, end, 1, 1, &source);
    for (int64_t at = 0; s == FGT_OK && at < source.count; at += every) {
        s = recalibrate(j, fgt_windows_get_row(d.windows, at));
        if (s == FGT_OK)
            s = fgti_collect_errors(j->f, &source, at, fgti_least(at + every, source.count), judge_window, j);
    }
    fgti_feed_done(&d);
    return s;
}

static fgt_status allocate(judge *j, const fgt_view *by_step)
{
    fgt_context  *ctx   = j->f->ctx;
    const int64_t most  = fgti_calibration_rows(j->f) / fgti_calibration_stride(j->f);
    const int64_t steps = j->f->info.pred_len;
    FGTI_TRY(fgti_calibration_new(j->f, most, &j->now));
    FGTI_TRY(FGTI_NEW(ctx, j->levels, "calibration", &j->from));
    for (int64_t k = 0; k < j->levels; k++)
        j->from[k] = (ends){fgti_calibration_head(j->now, (1 - j->level[k]) / 2) * j->cells,
                            fgti_calibration_head(j->now, (1 + j->level[k]) / 2) * j->cells};
    FGTI_TRY(FGTI_NEW(ctx, j->levels * j->cells, "calibration", &j->low));
    FGTI_TRY(FGTI_NEW(ctx, j->levels * j->cells, "calibration", &j->high));
    if (!by_step) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, j->levels * steps, "calibration", &j->inside));
    return FGTI_NEW(ctx, steps, "calibration", &j->counted);
}

static void put_steps(const judge *j, const fgt_view *by_step)
{
    const int64_t steps = j->f->info.pred_len;
    for (int64_t i = 0; by_step && i < j->levels * steps; i++)
        fgti_view_set(by_step, i, j->inside[i] / j->counted[i % steps]);
}

static void release(judge *j)
{
    fgt_context *ctx = j->f->ctx;
    fgt_calibration_destroy(&j->now);
    fgti_free(ctx, j->from);
    fgti_free(ctx, j->low);
    fgti_free(ctx, j->high);
    fgti_free(ctx, j->inside);
    fgti_free(ctx, j->counted);
    fgti_free(ctx, j->past);
}

static fgt_status check_call(const fgt_forecaster *f, const fgt_table *table, const double *levels,
                             int64_t count, const fgt_interval_metric *metrics, const fgt_view *by_step)
{
    fgti_error *err = &f->ctx->error;
    if (!table || !levels || !metrics || count < 1)
        return fgti_fail(err, FGT_E_ARG, "intervals: table, levels or metrics is NULL, or there are none");
    for (int64_t i = 0; i < count; i++)
        if (!(levels[i] > 0 && levels[i] < 1))
            return fgti_fail(err, FGT_E_ARG, "intervals: level %lld is %g, must lie between 0 and 1",
                             (long long)i, levels[i]);
    if (!by_step) return FGT_OK;
    return fgti_view_check_number(err, "by_step", by_step, 2, (const int64_t[]){count, f->info.pred_len});
}

fgt_status fgt_forecaster_evaluate_intervals(fgt_forecaster *forecaster, const fgt_table *table,
                                             int64_t begin, int64_t end, const double *levels, int64_t count,
                                             fgt_interval_metric *metrics, const fgt_view *by_step)
{
    fgt_forecaster *f = forecaster;
    fgti_frame      frame;
    if (!f) return FGT_E_ARG;
    FGTI_TRY(check_call(f, table, levels, count, metrics, by_step));
    judge      j = {.f      = f,
                    .level  = levels,
                    .levels = count,
                    .metric = metrics,
                    .cells  = f->info.pred_len * f->info.columns};
    fgt_status s = fgti_frame_init(f, table, &frame);
    for (int64_t i = 0; i < count; i++) metrics[i] = (fgt_interval_metric){0};
    if (s == FGT_OK) s = allocate(&j, by_step);
    if (s == FGT_OK) s = collect_past(&j, &frame, fgti_calibration_first(f, table), begin, end);
    if (s == FGT_OK) s = judge_all(&j, &frame, begin, end);
    if (s == FGT_OK && !metrics[0].count)
        s = fgti_fail(&f->ctx->error, FGT_E_DATA, "intervals: no forecast before row %lld can be compared",
                      (long long)begin);
    if (s == FGT_OK) put_steps(&j, by_step);
    release(&j);
    fgti_frame_done(f, &frame);
    return s;
}
