/* SPDX-License-Identifier: BSD-3-Clause */
/* Means and deviations of the columns, from the training rows. */
#include "forecast/rows/scale.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "data/table.h"
#include "forecast/rows/frame.h"

/* Computes one mean and deviation for all targets from all their values. (Deviations cannot be averaged,
 * because a series that never changes has deviation 1.) If all values are equal, each column keeps its own
 * mean and deviation, because a common deviation would only come from rounding. */
static void share_scale(const fgt_forecaster *f, const fgt_table *table, const fgt_split *split, double *mean,
                        double *scale)
{
    double  sum = 0, square = 0, least = INFINITY, most = -INFINITY;
    int64_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t r = split->train_begin; r < split->train_end; r++)
            for (int64_t c = 0; c < f->info.columns; c++) {
                const double v = table->values[r * table->columns + c];
                if (isnan(v)) continue;
                if (pass) square += (v - sum / (double)count) * (v - sum / (double)count);
                else sum += v, count++;
                least = fmin(least, v);
                most  = fmax(most, v);
            }
    for (int64_t c = 0; least < most && c < f->info.columns; c++) {
        mean[c] = sum / (double)count;
        if (square > 0) scale[c] = sqrt(square / (double)count);
    }
}

/* A scale of 1 stands for a column without deviation. */
static bool has_deviation(double scale)
{
    return scale != 1;
}

/* Raises the deviations of targets with few values, which are too small or missing. The usual ratio of
 * deviation to mean is the median over the targets with enough values; deviations are raised to this
 * ratio. */
static fgt_status fill_scale(const fgt_forecaster *f, const int64_t *count, const double *mean, double *scale)
{
    enum { ENOUGH = 24 };
    const int64_t targets = f->info.columns;
    double       *share;
    int64_t       known = 0, few = 0;
    for (int64_t c = 0; c < targets; c++) few += count[c] < ENOUGH;
    if (!few || few == targets) return FGT_OK;
    FGTI_TRY(FGTI_NEW(f->ctx, targets, "scaler", &share));
    for (int64_t c = 0; c < targets; c++)
        if (count[c] >= ENOUGH && mean[c] != 0 && has_deviation(scale[c]))
            share[known++] = scale[c] / fabs(mean[c]);
    fgti_sort_doubles(share, known);
    for (int64_t c = 0; known && c < targets; c++)
        if (count[c] < ENOUGH && mean[c] != 0)
            scale[c] = fmax(has_deviation(scale[c]) ? scale[c] : DBL_MIN, share[known / 2] * fabs(mean[c]));
    fgti_free(f->ctx, share);
    return FGT_OK;
}

static fgt_status refuse_empty(const fgt_forecaster *f, int64_t c, const fgt_split *split)
{
    char show[FGTI_SHOW];
    return fgti_fail(&f->ctx->error, FGT_E_DATA,
                     "forecaster: column %lld (\"%s\") has no value in the training rows %lld..%lld",
                     (long long)c, fgti_show(fgti_strings_get(&f->names, c), show),
                     (long long)split->train_begin, (long long)split->train_end - 1);
}

static fgt_status fit_loaded(fgt_forecaster *f, bool shared, const fgt_table *table, const fgt_split *split,
                             int64_t *count, double *mean, double *scale)
{
    const fgt_view values = fgt_table_get_values(table);
    const size_t   bytes  = (size_t)f->names.count * sizeof *mean;
    for (int64_t c = 0; c < f->names.count; c++) {
        for (int64_t r = split->train_begin; r < split->train_end; r++)
            count[c] += !isnan(table->values[r * table->columns + c]);
        if (!count[c]) return refuse_empty(f, c, split);
    }
    FGTI_TRY(fgti_scaler_fit(f->scaler, &values, split->train_begin, split->train_end, table));
    memcpy(mean, f->scaler->mean, bytes);
    memcpy(scale, f->scaler->scale, bytes);
    if (shared) share_scale(f, table, split, mean, scale);
    return FGT_OK;
}

/* Finds means and deviations from the moments of the blocks of a table on disk. */
static fgt_status fit_stored(fgt_forecaster *f, bool shared, const fgt_table *table, const fgt_split *split,
                             const int64_t *index, int64_t *count, double *mean, double *scale)
{
    fgti_chunk_moments all = {0}, own;
    for (int64_t c = 0; c < f->names.count; c++) {
        FGTI_TRY(fgti_store_moments(table->store, index[c], split->train_begin, split->train_end, &own));
        if (!own.count) return refuse_empty(f, c, split);
        count[c] = own.count;
        mean[c]  = own.square > 0 ? own.mean : (double)own.least;
        scale[c] = own.square > 0 ? sqrt(own.square / (double)own.count) : 1;
        if (c < f->info.columns) fgti_chunk_merge(&all, &own);
    }
    for (int64_t c = 0; shared && c < f->info.columns; c++) {
        mean[c] = all.mean;
        if (all.square > 0) scale[c] = sqrt(all.square / (double)all.count);
    }
    return FGT_OK;
}

bool fgti_forecaster_keeps_0(const fgt_forecaster *f)
{
    const double *mean = f->scaler->mean;
    int64_t       c    = 0;
    while (c < f->info.columns && mean[c] == 0) c++;
    return f->info.non_negative && c == f->info.columns;
}

static fgt_status scale_set(fgt_forecaster *f, bool keeps_0, double *mean, const double *scale)
{
    for (int64_t c = 0; keeps_0 && c < f->info.columns; c++) mean[c] = 0;
    return fgt_scaler_set_moments(f->scaler, FGT_VIEW_OF(FGT_DTYPE_F64, mean, f->names.count),
                                  FGT_VIEW_OF(FGT_DTYPE_F64, scale, f->names.count));
}

fgt_status fgti_forecaster_fit_scaler(fgt_forecaster *f, fgti_scaling scaling, const fgt_table *table,
                                      const fgt_split *split, const int64_t *index)
{
    double  *mean;
    int64_t *count;
    FGTI_TRY(FGTI_NEW(f->ctx, 2 * f->names.count, "scaler", &mean));
    double    *scale = mean + f->names.count;
    fgt_status s     = FGTI_NEW(f->ctx, f->names.count, "scaler", &count);
    if (s == FGT_OK)
        s = table->store ? fit_stored(f, scaling.shared, table, split, index, count, mean, scale)
                         : fit_loaded(f, scaling.shared, table, split, count, mean, scale);
    if (s == FGT_OK && !scaling.shared) s = fill_scale(f, count, mean, scale);
    if (s == FGT_OK) s = fgti_check_sign(f, table, split->train_begin, split->train_end);
    if (s == FGT_OK) s = scale_set(f, scaling.keeps_0, mean, scale);
    fgti_free(f->ctx, count);
    fgti_free(f->ctx, mean);
    return s;
}
