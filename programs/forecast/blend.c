/* SPDX-License-Identifier: BSD-3-Clause */
/* The forecast of --predict as a blend of the trained model and local forecasters. */
#include <math.h>
#include <stdlib.h>

#include "blend.h"
#include "blend_report.h"
#include "fast.h"
#include "fast_choice.h"
#include "fast_measure.h"
#include "fast_outliers.h"
#include "input.h"
#include "scores.h"
#include "times.h"

#include "../common/program.h"

/* Whether a target has no value in the last rows, those that a blend would be measured on. */
static bool ends_early(const run *r)
{
    const fgt_view v    = fgt_table_get_values(r->table);
    const int64_t  end  = fgt_forecaster_find_row(r->forecaster, r->table);
    const int64_t  last = end > r->info.pred_len ? end - r->info.pred_len : 0;
    int64_t       *column = run_columns(r);
    bool           early  = !column;
    for (int64_t c = 0; column && !early && c < r->info.columns; c++) {
        int64_t row = end - 1;
        while (row >= last && isnan(((const double *)v.data)[row * v.shape[1] + column[c]])) row--;
        early = row < last;
    }
    free(column);
    return early;
}

/* Whether the forecast is blended. A model that an option asks for is not blended. */
static bool is_wanted(const run *r)
{
    return r->whole && fast_beside() && !r->o->backtest && !r->o->quantile_count && !r->tail &&
           !table_is_stored(r->table) && !fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0) &&
           !ends_early(r);
}

/* ---- measuring the blend ---- */

/* Errors of the forecasts by which the model is judged. sum [3,C,H] has the sums of errors of the model, of
 * the local forecasters and of the blend. */
typedef struct judge {
    run                 *r;
    int64_t              steps, *column, *count; /* [C]; count: number of forecasts */
    fgt_forecast_metric *sum;
    bool                 good;
} judge;

static bool judge_new(run *r, int64_t steps, judge *j)
{
    const size_t c = (size_t)r->info.columns;
    *j             = (judge){.r      = r,
                             .steps  = steps,
                             .column = run_columns(r),
                             .count  = calloc(c, sizeof *j->count),
                             .sum    = calloc(3 * c * (size_t)steps, sizeof *j->sum),
                             .good   = true};
    return j->column && ((j->count && j->sum) || complain("no memory"));
}

static void judge_done(judge *j)
{
    free(j->column);
    free(j->count);
    free(j->sum);
}

/* Adds the errors of one forecast; f [3,H] has the forecasts of model, local forecasters and blend. */
static fgt_status take_judged(void *user, int64_t series, int64_t rows, const double *f)
{
    judge         *j = user;
    const int64_t  h = j->steps, c = j->r->info.columns;
    const fgt_view v = fgt_table_get_values(j->r->table);
    double         pair[2] = {0}; /* a forecast and the true value */
    const fgt_view one     = *FGT_VIEW_OF(FGT_DTYPE_F64, pair, 1, 1),
                   truth   = *FGT_VIEW_OF(FGT_DTYPE_F64, pair + 1, 1, 1);
    j->count[series]++;
    for (int64_t k = 0; j->good && k < 3 * h; k++) {
        const bool cut = j->r->o->model.output.non_negative && f[k] < 0;
        pair[0]        = cut ? 0 : f[k];
        pair[1]        = ((const double *)v.data)[(rows + k % h) * v.shape[1] + j->column[series]];
        j->good        = fgt_forecast_metric_add(j->r->ctx, &one, &truth,
                                                 &j->sum[(k / h * c + series) * h + k % h]) == FGT_OK;
    }
    return j->good ? FGT_OK : FGT_E_CANCELLED;
}

/* Computes the errors from the sums. Their units are standard deviations and naive errors of the training
 * rows, as for the errors of the model on the test rows. */
static bool find_errors(const judge *j, blend_quality *q)
{
    const int64_t h = j->steps, c = j->r->info.columns;
    errors *const out[] = {&q->model, &q->local, &q->blend};
    scores        s     = {0};
    bool          good  = scores_init(&s, j->r, j->r->season ? j->r->season : 1,
                                      j->r->test_windows ? &j->r->scores : NULL);
    free(s.cell);
    s.steps = h;
    s.cell  = good ? malloc((size_t)(h * c) * sizeof *s.cell) : NULL;
    good    = good && (s.cell || complain("no memory"));
    for (int64_t k = 0; good && k < 3; k++) {
        for (int64_t at = 0; at < h * c; at++) s.cell[at] = j->sum[(k * c + at % c) * h + at / c];
        *out[k] = scores_errors(&s, 0, h);
    }
    for (int64_t i = 0; i < c; i++) q->origins = j->count[i] > q->origins ? j->count[i] : q->origins;
    scores_done(&s);
    return good;
}

/* Finds how many of the last rows lie in their intervals, which are forecast from the rows before. A series
 * without a value just before the last rows is left out. Its gap was filled by a straight line to a later
 * value, which is not known when the forecast is made. */
static void find_coverage(const fast *f, const judge *j, blend_quality *q)
{
    const options *o    = f->r->o;
    const fgt_view v    = fgt_table_get_values(f->r->table);
    const double  *y    = v.data;
    const int64_t  from = fgt_forecaster_find_row(f->r->forecaster, f->r->table) - f->steps;
    for (int64_t k = 0; from > 0 && k < f->count * f->steps; k++) {
        const int64_t column = j->column[k / f->steps];
        const double  truth  = y[(from + k % f->steps) * v.shape[1] + column];
        const double *levels = f->last.quantiles + k * f->levels;
        if (isnan(f->last.mean[k]) || isnan(truth) || isnan(y[(from - 1) * v.shape[1] + column])) continue;
        for (int64_t i = 0; i < o->interval_count; i++) {
            const double low  = levels[fast_find_level(f, (1 - o->interval[i]) / 2)];
            const double high = levels[fast_find_level(f, (1 + o->interval[i]) / 2)];
            q->values[i] += !isnan(low);
            q->inside[i] += truth >= low && truth <= high;
        }
    }
}

/* ---- the forecast ---- */

static bool call(fast *f, judge *j)
{
    run         *r = f->r;
    fgt_table   *future;
    int64_t      seasons[FGT_SEASONS] = {r->o->season};
    if (!r->o->season) fgt_table_find_seasons(r->table, seasons);
    fgt_local_opts opts = fast_opts(f, seasons, &f->next);
    opts.weights        = f->weights;
    opts.member_count   = FGT_LOCAL_MEMBERS;
    opts.shifted        = f->shifted;
    opts.stuck          = f->stuck;
    opts.judged         = take_judged;
    opts.judged_user    = j;
    if (r->o->interval_count) opts.hindcast = f->last.mean;
    if (r->o->interval_count) opts.hindcast_quantiles = f->last.quantiles;
    if (!input_read_future(r, &future)) return false;
    const fgt_status s = fgt_forecaster_predict_blend(r->forecaster, r->whole, r->table, r->split.train_end,
                                                      future, &opts);
    fgt_table_destroy(&future);
    if (s == FGT_E_CANCELLED) return complain("interrupted; nothing was written");
    return (s == FGT_OK && j->good) || run_failed(r, r->o->data);
}

static bool compute(fast *f)
{
    judge j;
    f->weights = malloc((size_t)(f->count * FGT_LOCAL_MEMBERS) * sizeof *f->weights);
    f->shifted = malloc((size_t)f->count * sizeof *f->shifted);
    f->stuck   = malloc((size_t)f->count * sizeof *f->stuck);
    bool good  = judge_new(f->r, f->steps, &j) &&
                 ((f->weights && f->shifted && f->stuck) || complain("no memory")) &&
                 fast_new_forecast(f, &f->next) && fast_new_forecast(f, &f->last) && call(f, &j) &&
                 find_errors(&j, &f->r->judged);
    if (good) find_coverage(f, &j, &f->r->judged);
    judge_done(&j);
    return good;
}

bool blend_find(run *r, FILE *out)
{
    fast f = {.r = r, .count = r->info.columns, .steps = r->o->horizon ? r->o->horizon : r->info.pred_len};
    if (!is_wanted(r)) return true;
    fast_find_levels(&f);
    bool good  = compute(&f);
    r->weights = f.weights;
    r->shifted = f.shifted;
    r->stuck   = f.stuck;
    if (good) fast_warn_of_last_rows(&f);
    if (good) r->blend = fast_planes(&f, &f.next, false);
    good = good && r->blend;
    if (good) blend_print(r, out);
    fast_free_forecast(&f.next);
    fast_free_forecast(&f.last);
    return good;
}
