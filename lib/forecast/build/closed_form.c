/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/build/closed_form.h"

#include <math.h>
#include <string.h>

#include "blas/cholesky.h"
#include "data/table.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"
#include "forecast/rows/frame.h"

/* Ridge penalty, relative to the mean square of the known values. It is needed because hours, weekdays and
 * the mean are linearly dependent. */
#define EFFECT_PENALTY 1e-3

/* ---- the effect of the known values ---- */

/* Sums over the rows of one series, and the solution. A row has the vector v = (k, y) of its known values k
 * and the value y of the series. */
typedef struct effect {
    int64_t known;
    double *sum;    /* [K+1] */
    double *square; /* [K+1,K+1], the upper triangle */
    double *matrix; /* [K,K] */
    double *right;  /* [K] */
} effect;

static fgt_status effect_new(fgt_context *ctx, int64_t known, effect *e)
{
    *e = (effect){.known = known};
    FGTI_TRY(FGTI_NEW(ctx, known + 1, "effect", &e->sum));
    FGTI_TRY(FGTI_NEW(ctx, (known + 1) * (known + 1), "effect", &e->square));
    FGTI_TRY(FGTI_NEW(ctx, known * known, "effect", &e->matrix));
    return FGTI_NEW(ctx, known, "effect", &e->right);
}

static void effect_done(fgt_context *ctx, effect *e)
{
    fgti_free(ctx, e->sum);
    fgti_free(ctx, e->square);
    fgti_free(ctx, e->matrix);
    fgti_free(ctx, e->right);
}

/* Returns the number of rows that have a value. */
static int64_t effect_sum(effect *e, const fgti_frame *frame, int64_t begin, int64_t end, const float *series,
                          int64_t wide)
{
    const int64_t k    = e->known;
    int64_t       rows = 0;
    memset(e->sum, 0, (size_t)(k + 1) * sizeof *e->sum);
    memset(e->square, 0, (size_t)((k + 1) * (k + 1)) * sizeof *e->square);
    for (int64_t r = begin; r < end; r++) {
        const float *known = frame->known + r * k;
        const double value = (double)series[r * wide];
        if (isnan(value)) continue;
        rows++;
        for (int64_t i = 0; i < k; i++) {
            const double v = (double)known[i];
            e->sum[i] += v;
            if (v == 0) continue;
            for (int64_t j = i; j < k; j++) e->square[i * (k + 1) + j] += v * (double)known[j];
            e->square[i * (k + 1) + k] += v * value;
        }
        e->sum[k] += value;
    }
    return rows;
}

/* effect = (S + c I)^-1 s. S holds the co-moments of the known values, and s their co-moments with the
 * series. */
static void effect_solve(const fgti_vec *vec, effect *e, int64_t rows, double *weight, double *level)
{
    const int64_t k     = e->known;
    double        trace = 0, mean = e->sum[k] / (double)rows;
    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = i; j < k; j++)
            e->matrix[i * k + j] = e->square[i * (k + 1) + j] - e->sum[i] * e->sum[j] / (double)rows;
        e->right[i] = e->square[i * (k + 1) + k] - e->sum[i] * mean;
        trace += e->matrix[i * k + i];
    }
    *level = 0;
    for (int64_t i = 0; i < k; i++) e->matrix[i * k + i] += EFFECT_PENALTY * trace / (double)k;
    if (!fgti_cholesky(vec, e->matrix, k)) return; /* no known value ever changes */
    fgti_cholesky_solve(vec, e->matrix, k, e->right, 1);
    for (int64_t i = 0; i < k; i++) {
        weight[i] = e->right[i];
        *level -= e->right[i] * e->sum[i] / (double)rows;
    }
}

/* Finds the effect on each series in rows begin .. end-1, and computes e [rows,D], the effect at each row. */
static fgt_status find_effect(fgt_forecaster *f, int64_t begin, int64_t end, const fgti_frame *frame,
                              fgti_closed_form *c, float *at_rows)
{
    const int64_t    inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    effect           e;
    const fgt_status s = effect_new(f->ctx, k, &e);
    for (int64_t i = 0; s == FGT_OK && i < inputs; i++) {
        const float  *series = frame->series + i;
        double       *weight = c->effect + i * k;
        const int64_t rows   = effect_sum(&e, frame, begin, end, series, inputs);
        if (rows) effect_solve(f->ctx->vec, &e, rows, weight, &c->level[i]);
        for (int64_t r = 0; r < frame->rows; r++) {
            double sum = c->level[i];
            for (int64_t j = 0; j < k; j++) sum += weight[j] * (double)frame->known[r * k + j];
            at_rows[r * inputs + i] = (float)sum;
        }
    }
    effect_done(f->ctx, &e);
    return s;
}

/* ---- the map ---- */

/* Whether a share of the effect can be subtracted. This is so if the known values are only the calendar, and
 * the window holds each cycle of the calendar at least twice: then the map can read the cycles from the
 * window, and needs only a part of the effect. */
static bool is_divisible(const fgt_forecaster *f, const fgt_table *table)
{
    const int64_t others = fgti_forecaster_known(&f->info) - fgti_calendar_width(f->info.calendar);
    return !others && 2 * fgti_calendar_rows(f->info.calendar, &table->info.step) <= f->info.input_len;
}

/* Fits the map, and scales the effect by the share that is subtracted from the series before the map. */
static fgt_status closed_form_fit_map(fgt_forecaster *f, const fgti_linear_task *task, fgti_closed_form *c)
{
    const int64_t k = fgti_forecaster_known(&f->info);
    FGTI_TRY(fgti_linear_map_fit(f->ctx, task, &c->map));
    for (int64_t i = 0; c->map.maps && i < task->columns; i++) {
        for (int64_t j = 0; j < k; j++) c->effect[i * k + j] *= c->map.share[i];
        c->level[i] *= c->map.share[i];
    }
    return FGT_OK;
}

/* known [2,rows,D]: the effect fitted to the training rows, and the effect fitted to all rows. */
static fgt_status closed_form_fit(fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                                  int64_t end, const fgti_frame *frame, float *known, fgti_closed_form *c)
{
    const int64_t inputs = fgti_forecaster_inputs(f), begin = split->train_begin;
    float        *all    = known && end > split->train_end ? known + frame->rows * inputs : known;
    if (known) FGTI_TRY(find_effect(f, begin, split->train_end, frame, c, known));
    if (all != known) FGTI_TRY(find_effect(f, begin, end, frame, c, all));
    const fgti_linear_task task = {.series        = frame->series,
                                   .effect        = known,
                                   .effect_of_all = all,
                                   .divisible     = known && is_divisible(f, table),
                                   .rows          = frame->rows,
                                   .columns       = inputs,
                                   .targets       = f->info.columns,
                                   .wide          = inputs,
                                   .season        = fgti_calendar_season(&table->info.step),
                                   .lags          = f->info.input_len,
                                   .steps         = f->info.pred_len,
                                   .train_begin   = begin,
                                   .train_end     = split->train_end,
                                   .val_begin     = split->val_begin,
                                   .val_end       = split->val_end,
                                   .end           = end};
    return closed_form_fit_map(f, &task, c);
}

/* The table is in memory; fgti_forecaster_make() ensures that. */
fgt_status fgti_closed_form_fit(fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                                int64_t end, fgti_closed_form *c)
{
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    float        *known = NULL;
    fgti_frame    frame  = {0};
    *c                   = (fgti_closed_form){0};
    fgt_status s         = FGTI_NEW(f->ctx, inputs * k, "effect", &c->effect);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, inputs, "effect", &c->level);
    if (s == FGT_OK) s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK && k)
        s = FGTI_NEW(f->ctx, frame.rows * inputs * (1 + (end > split->train_end)), "effect", &known);
    if (s == FGT_OK) s = closed_form_fit(f, table, split, end, &frame, known, c);
    fgti_free(f->ctx, known);
    fgti_frame_done(f, &frame);
    return s;
}

void fgti_closed_form_done(fgt_context *ctx, fgti_closed_form *c)
{
    fgti_free(ctx, c->effect);
    fgti_free(ctx, c->level);
    fgti_linear_map_done(ctx, &c->map);
}
