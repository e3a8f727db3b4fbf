/* SPDX-License-Identifier: BSD-3-Clause */
/* Coverage and scores of intervals. Each interval is made from the errors that were known at its time. */
#include <math.h>

#include "data/table.h"
#include "forecast/known/counts.h"
#include "forecast/predict/known_errors.h"
#include "forecast/predict/visit.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"

typedef struct judge {
    fgti_known_errors    known;
    const fgt_windows   *windows;
    fgt_interval_metric *metric;           /* [levels] */
    double              *inside, *counted; /* [levels,H]; NULL: not wanted */
} judge;

/* Adds the interval score of Gneiting and Raftery 2007: the width of the interval, plus a penalty if the
 * value is outside. low and high are the ends minus the value. */
static void judge_cell(judge *j, int64_t k, int64_t cell, double low, double high)
{
    const bool           inside = low <= 0 && high >= 0;
    fgt_interval_metric *m      = &j->metric[k];
    const double         alpha  = 1 - j->known.level[k];
    m->count++;
    m->inside += inside;
    m->width += high - low;
    m->score += high - low + 2 / alpha * (low > 0 ? low : high < 0 ? -high : 0);
    if (!j->inside) return;
    const int64_t at = k * j->known.f->info.pred_len + cell / j->known.f->info.columns;
    j->inside[at] += inside;
    j->counted[at]++;
}

static void judge_window(void *user, int64_t window, const float *error, const float *truth)
{
    judge *j = user;
    fgti_known_errors_at(&j->known, fgti_windows_row(j->windows, window));
    for (int64_t i = 0; i < j->known.cells; i++) {
        if (isnan(error[i])) continue;
        for (int64_t k = 0; k < j->known.levels; k++) {
            const fgti_ends e = j->known.from[k];
            const double low  = j->known.low[k * j->known.cells + i] - (double)error[e.low + i],
                         high = j->known.high[k * j->known.cells + i] - (double)error[e.high + i];
            if (isnan(low) || isnan(high)) continue;
            const double least = fgti_forecaster_least(j->known.f, i % j->known.f->info.columns);
            const double zero  = least - (double)truth[i];
            judge_cell(j, k, i, low > zero ? low : zero, high > zero ? high : zero);
        }
    }
}

/* ---- all of it ---- */

static fgt_status judge_all(judge *j, const fgti_frame *frame, int64_t begin, int64_t end)
{
    fgti_feed  d = {0};
    fgt_source source;
    fgt_status s = fgti_feed_init(&d, j->known.f, frame, "windows", begin, end, 1, 1, &source);
    j->windows   = d.windows;
    if (s == FGT_OK) s = fgti_collect_errors(j->known.f, &source, 0, source.count, judge_window, j);
    fgti_feed_done(&d);
    return s;
}

static fgt_status intervals_allocate(judge *j)
{
    fgt_context  *ctx   = j->known.f->ctx;
    const int64_t count = j->known.levels * j->known.f->info.pred_len;
    FGTI_TRY(FGTI_NEW(ctx, count, "calibration", &j->inside));
    return FGTI_NEW(ctx, count, "calibration", &j->counted);
}

static void put_steps(const judge *j, const fgt_view *by_step)
{
    const int64_t count = j->known.levels * j->known.f->info.pred_len;
    for (int64_t i = 0; by_step && i < count; i++) fgti_view_set(by_step, i, j->inside[i] / j->counted[i]);
}

static fgt_status intervals_read_opts(const fgt_forecaster *f, const fgt_table *table,
                                      const fgt_forecast_interval_opts *opts, fgt_forecast_interval_opts *o)
{
    fgti_error *err = &f->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_forecast_interval_opts", opts, o, sizeof *o));
    if (!table || !o->levels || o->level_count < 1)
        return fgti_fail(err, FGT_E_ARG, "intervals: table or levels is NULL, or level_count is below 1");
    if (!o->end) o->end = table->rows;
    return fgti_levels_check(err, o->levels, o->level_count);
}

static fgt_status intervals_check_results(const fgt_forecaster *f, int64_t levels,
                                          const fgt_interval_metric *metrics, const fgt_view *by_step)
{
    fgti_error *err = &f->ctx->error;
    if (!metrics) return fgti_fail(err, FGT_E_ARG, "intervals: metrics is NULL");
    if (!by_step) return FGT_OK;
    return fgti_view_check_number(err, "by_step", by_step, 2, (const int64_t[]){levels, f->info.pred_len});
}

fgt_status fgt_forecaster_evaluate_intervals(fgt_forecaster *forecaster, const fgt_table *table,
                                             const fgt_forecast_interval_opts *opts,
                                             fgt_interval_metric *metrics, const fgt_view *by_step)
{
    fgt_forecaster            *f = forecaster;
    fgt_forecast_interval_opts o;
    fgti_frame                 frame;
    if (!f) return FGT_E_ARG;
    FGTI_TRY(intervals_read_opts(f, table, opts, &o));
    FGTI_TRY(intervals_check_results(f, o.level_count, metrics, by_step));
    judge      j = {.metric = metrics};
    fgt_status s = fgti_frame_init(f, table, &frame);
    for (int64_t i = 0; i < o.level_count; i++) metrics[i] = (fgt_interval_metric){0};
    if (s == FGT_OK)
        s = fgti_known_errors_init(&j.known, f, table, &frame, o.levels, o.level_count, o.begin, o.end);
    if (s == FGT_OK && by_step) s = intervals_allocate(&j);
    if (s == FGT_OK) s = judge_all(&j, &frame, o.begin, o.end);
    if (s == FGT_OK && !j.known.end)
        s = fgti_fail(&f->ctx->error, FGT_E_DATA, "intervals: no forecast before row %lld can be compared",
                      (long long)o.begin);
    if (s == FGT_OK) put_steps(&j, by_step);
    fgti_known_errors_done(&j.known);
    fgti_free(f->ctx, j.inside);
    fgti_free(f->ctx, j.counted);
    fgti_frame_done(f, &frame);
    return s;
}
