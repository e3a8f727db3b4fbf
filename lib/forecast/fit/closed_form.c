/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/fit/closed_form.h"

#include <math.h>
#include <string.h>

#include "blas/cholesky.h"
#include "data/table.h"
#include "forecast/known/calendar.h"

/* Of the mean square of what is known: hours, weekdays and the mean are not independent. */
#define EFFECT_PENALTY 1e-3

/* ---- what is known of a row ---- */

/* Sums over rows of v = (k, series), and the solution. */
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

/* Returns how many of the rows have a value. */
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

/* effect = (S + c I)^-1 s, from co-moments S of what is known and s of that with the series */
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
    if (!fgti_cholesky(vec, e->matrix, k)) return; /* nothing that is known ever changes */
    fgti_cholesky_solve(vec, e->matrix, k, e->right, 1);
    for (int64_t i = 0; i < k; i++) {
        weight[i] = e->right[i];
        *level -= e->right[i] * e->sum[i] / (double)rows;
    }
}

/* Finds the effect on each series in rows begin .. end-1 and takes it off the frame. */
static fgt_status take_effect_off(fgt_forecaster *f, int64_t begin, int64_t end, fgti_frame *frame,
                                  fgti_closed_form *c)
{
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    effect        e;
    if (!k) return FGT_OK;
    const fgt_status s = effect_new(f->ctx, k, &e);
    for (int64_t i = 0; s == FGT_OK && i < inputs; i++) {
        float        *series = frame->series + i;
        double       *weight = c->effect + i * k;
        const int64_t rows   = effect_sum(&e, frame, begin, end, series, inputs);
        if (rows) effect_solve(f->ctx->vec, &e, rows, weight, &c->level[i]);
        for (int64_t r = 0; r < frame->rows; r++) {
            double sum = c->level[i];
            for (int64_t j = 0; j < k; j++) sum += weight[j] * (double)frame->known[r * k + j];
            series[r * inputs] -= (float)sum;
        }
    }
    effect_done(f->ctx, &e);
    return s;
}

/* ---- the map ---- */

/* The series without the effect that rows begin .. end-1 show. The table is in memory: fgti_forecaster_make()
 * sees to it. */
static fgt_status init_frame(fgt_forecaster *f, const fgt_table *table, int64_t begin, int64_t end,
                             fgti_frame *frame, fgti_closed_form *c)
{
    FGTI_TRY(fgti_frame_init(f, table, frame));
    return take_effect_off(f, begin, end, frame, c);
}

fgt_status fgti_closed_form_fit_all(fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                                    int64_t end, fgti_closed_form *c)
{
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    fgti_frame    frame = {0}, all = {0};
    *c           = (fgti_closed_form){0};
    fgt_status s = FGTI_NEW(f->ctx, inputs * k, "effect", &c->effect);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, inputs, "effect", &c->level);
    if (s == FGT_OK) s = init_frame(f, table, split->train_begin, split->train_end, &frame, c);
    if (s == FGT_OK && end > split->train_end) s = init_frame(f, table, split->train_begin, end, &all, c);
    if (s == FGT_OK) {
        const fgti_linear_task task = {.series      = frame.series,
                                       .rows        = frame.rows,
                                       .columns     = inputs,
                                       .wide        = inputs,
                                       .season      = fgti_calendar_season(&table->info.step),
                                       .lags        = f->info.input_len,
                                       .steps       = f->info.pred_len,
                                       .train_begin = split->train_begin,
                                       .train_end   = split->train_end,
                                       .val_begin   = split->val_begin,
                                       .val_end     = split->val_end,
                                       .period      = fgti_calendar_season(&table->info.step),
                                       .all         = all.series,
                                       .all_end     = end};
        s                           = fgti_linear_map_fit(f->ctx, &task, &c->map);
    }
    fgti_frame_done(f, &all);
    fgti_frame_done(f, &frame);
    return s;
}

fgt_status fgti_closed_form_fit(fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                                fgti_closed_form *c)
{
    return fgti_closed_form_fit_all(f, table, split, split->train_end, c);
}

void fgti_closed_form_done(fgt_context *ctx, fgti_closed_form *c)
{
    fgti_free(ctx, c->effect);
    fgti_free(ctx, c->level);
    fgti_linear_map_done(ctx, &c->map);
}
