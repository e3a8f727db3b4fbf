/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of targets that cannot be negative are limited to 0 and more: if the host says so, or if a target
 * has only whole, non-negative training values (a count). */
#include "forecast/known/counts.h"

#include <math.h>
#include <string.h>

#include "data/table.h"

/* Limit below which a value counts as negative. A negative whole number is at most -1, so a value above this
 * limit was 0 before rounding. */
#define BELOW (-0.5)

static double counts_standardise(const fgt_forecaster *f, int64_t c, double v)
{
    return (v - f->scaler->mean[c]) / f->scaler->scale[c];
}

/* The result is computed in the model's arithmetic, so that a limited forecast is exactly 0. */
double fgti_forecaster_least(const fgt_forecaster *f, int64_t target)
{
    const bool bounded = f->info.non_negative || (f->counts && f->counts[target]);
    return bounded ? (double)(float)counts_standardise(f, target, 0) : -INFINITY;
}

static bool goes_below(const fgt_forecaster *f, const float *x, int64_t c)
{
    const int64_t inputs = fgti_forecaster_inputs(f);
    const float   below  = (float)counts_standardise(f, c, BELOW);
    int64_t       r      = 0;
    while (r < f->info.input_len && !(x[r * inputs + c] < below)) r++;
    return r < f->info.input_len;
}

void fgti_forecast_raise(const fgt_forecaster *f, const float *x, float *y, int64_t windows)
{
    const int64_t c = f->info.columns, h = f->info.pred_len, heads = fgti_forecaster_heads(f);
    const int64_t size = f->info.input_len * fgti_forecaster_inputs(f);
    for (int64_t i = 0; (f->counts || f->info.non_negative) && i < windows * c; i++) {
        const float least = (float)fgti_forecaster_least(f, i % c);
        if (isinf(least) || (!f->info.non_negative && goes_below(f, x + i / c * size, i % c))) continue;
        for (int64_t k = 0; k < h * heads; k++) {
            float *v = &y[((i / c * h + k / heads) * c + i % c) * heads + k % heads];
            if (*v < least) *v = least;
        }
    }
}

/* ---- which targets ---- */

static bool column_is_count(const fgt_table *t, int64_t column)
{
    int64_t some = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        const double v = t->values[r * t->columns + column];
        if (isnan(v)) continue;
        if (v < 0 || v != floor(v)) return false;
        some++;
    }
    return some > 0;
}

/* Stores the marks in the forecaster if any target is a count. */
static void counts_take(fgt_forecaster *f, int64_t *counts)
{
    int64_t some = 0;
    for (int64_t c = 0; counts && c < f->info.columns; c++) some += counts[c];
    fgti_free(f->ctx, f->counts);
    f->counts      = some ? counts : NULL;
    f->info.counts = some;
    if (!some) fgti_free(f->ctx, counts);
}

/* If counts are fewer than half of the targets, none is a count. A column of whole numbers among many
 * measurements is a measurement, too, such as seconds of rain in ten minutes. */
static fgt_status known_counts_find(const fgt_forecaster *f, const fgt_table *table, int64_t *counts)
{
    int64_t some = 0;
    for (int64_t c = 0; c < f->info.columns; c++) {
        int64_t column;
        FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, c), &column));
        counts[c] = column_is_count(table, column);
        some += counts[c];
    }
    for (int64_t c = 0; 2 * some < f->info.columns && c < f->info.columns; c++) counts[c] = 0;
    return FGT_OK;
}

fgt_status fgt_forecaster_set_counts(fgt_forecaster *forecaster, const fgt_table *table)
{
    fgt_forecaster *f      = forecaster;
    int64_t        *counts = NULL;
    if (!f) return FGT_E_ARG;
    if (table) {
        FGTI_TRY(fgti_table_check_loaded(&f->ctx->error, "counts", table));
        FGTI_TRY(FGTI_NEW(f->ctx, f->info.columns, "counts", &counts));
        const fgt_status s = known_counts_find(f, table, counts);
        if (s != FGT_OK) {
            fgti_free(f->ctx, counts);
            return s;
        }
    }
    counts_take(f, counts);
    return FGT_OK;
}

fgt_status fgti_counts_share(const fgt_forecaster *from, fgt_forecaster *to)
{
    int64_t *counts = NULL;
    if (from->counts) {
        FGTI_TRY(FGTI_NEW(to->ctx, to->info.columns, "counts", &counts));
        memcpy(counts, from->counts, (size_t)to->info.columns * sizeof *counts);
    }
    counts_take(to, counts);
    return FGT_OK;
}
