/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/scaler.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "data/table.h"

static double first_value(const fgt_view *v, int64_t begin, int64_t c)
{
    int64_t r = begin;
    while (isnan(fgti_view_get(v, r * v->shape[1] + c))) r++;
    return fgti_view_get(v, r * v->shape[1] + c);
}

static bool scaler_is_constant(const fgt_view *v, int64_t begin, int64_t end, int64_t c)
{
    const double first = first_value(v, begin, c);
    for (int64_t r = begin; r < end; r++) {
        const double x = fgti_view_get(v, r * v->shape[1] + c);
        if (!isnan(x) && x != first) return false;
    }
    return true;
}

/* Writes "column 3" or, if there is a table, "column \"y\"". */
static const char *show_column(const fgt_table *t, int64_t c, char buf[FGTI_SHOW + 16])
{
    char show[FGTI_SHOW];
    if (t)
        snprintf(buf, FGTI_SHOW + 16, "column \"%s\"",
                 fgti_show(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, c), show));
    else
        snprintf(buf, FGTI_SHOW + 16, "column %lld", (long long)c);
    return buf;
}

static fgt_status refuse_large(fgti_error *err, const fgt_view *v, int64_t begin, int64_t end, int64_t c,
                               const fgt_table *table)
{
    const int64_t columns = v->shape[1];
    int64_t       most    = begin;
    char          column[FGTI_SHOW + 16], row[FGTI_ROW_TEXT];
    for (int64_t r = begin; r < end; r++) {
        const double x = fabs(fgti_view_get(v, r * columns + c));
        if (!isnan(x) && !(x <= fabs(fgti_view_get(v, most * columns + c)))) most = r;
    }
    return fgti_fail(
        err, FGT_E_DATA, "scaler: %s, %s: %g is too large for a mean and a deviation of the column%s",
        fgti_table_row(table, most, row), show_column(table, c, column), fgti_view_get(v, most * columns + c),
        table ? "; if it stands for a missing value, the option `marker` says so" : "");
}

/* mean = sum / count; dev = sqrt(sum (x - mean)^2 / count). A second pass computes dev, because a difference
 * of sums of squares loses digits by cancellation. */
static fgt_status scaler_fit(fgti_error *err, const fgt_view *v, int64_t begin, int64_t end,
                             const fgt_table *table, double *mean, double *dev, int64_t *count)
{
    const int64_t columns = v->shape[1];
    char          column[FGTI_SHOW + 16], row[FGTI_ROW_TEXT];
    for (int64_t r = begin; r < end; r++) {
        for (int64_t c = 0; c < columns; c++) {
            const double x = fgti_view_get(v, r * columns + c);
            if (isinf(x))
                return fgti_fail(err, FGT_E_DATA, "scaler: %s, %s is not finite",
                                 fgti_table_row(table, r, row), show_column(table, c, column));
            if (isnan(x)) continue;
            mean[c] += x;
            count[c]++;
        }
    }
    for (int64_t c = 0; c < columns; c++) {
        if (!count[c])
            return fgti_fail(err, FGT_E_DATA, "scaler: %s has no value in rows %lld .. %lld",
                             show_column(table, c, column), (long long)begin, (long long)end - 1);
        mean[c] /= (double)count[c];
    }
    for (int64_t r = begin; r < end; r++) {
        for (int64_t c = 0; c < columns; c++) {
            const double d = fgti_view_get(v, r * columns + c) - mean[c];
            if (!isnan(d)) dev[c] += d * d;
        }
    }
    for (int64_t c = 0; c < columns; c++) {
        const double n = (double)count[c], variance = dev[c] / n;
        if (!isfinite(variance) && !scaler_is_constant(v, begin, end, c))
            return refuse_large(err, v, begin, end, c, table);
        /* the variance that rounding can give a constant column; scikit-learn's StandardScaler has the same
         * bound */
        const double noise = n * mean[c] * DBL_EPSILON;
        dev[c]             = variance <= n * DBL_EPSILON * variance + noise * noise ? 0 : sqrt(variance);
        /* the mean of a large constant has a rounding error, which may exceed the values of other columns */
        if (dev[c] == 0 && scaler_is_constant(v, begin, end, c)) mean[c] = first_value(v, begin, c);
    }
    return FGT_OK;
}

fgt_status fgti_columns_fit(fgt_context *ctx, const fgt_view *values, int64_t begin, int64_t end,
                            const fgt_table *table, double *mean, double *dev)
{
    const size_t bytes = (size_t)values->shape[1] * sizeof *mean;
    int64_t     *count;
    memset(mean, 0, bytes);
    memset(dev, 0, bytes);
    FGTI_TRY(FGTI_NEW(ctx, values->shape[1], "scaler", &count));
    const fgt_status s = scaler_fit(&ctx->error, values, begin, end, table, mean, dev, count);
    fgti_free(ctx, count);
    return s;
}

static fgt_status new_block(fgt_context *ctx, int64_t columns, double **mean, double **scale)
{
    int64_t both;
    if (!fgti_size_mul(columns, 2, &both))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "scaler: too many columns");
    FGTI_TRY(FGTI_NEW(ctx, both, "scaler", mean));
    *scale = *mean + columns;
    return FGT_OK;
}

fgt_status fgt_scaler_create(fgt_context *ctx, int64_t columns, fgt_scaler **scaler)
{
    if (scaler) *scaler = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!scaler || columns < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "scaler: the number of columns is below 1, or a pointer is NULL");
    FGTI_TRY(FGTI_NEW(ctx, 1, "scaler", scaler));
    (*scaler)->ctx     = ctx;
    (*scaler)->columns = columns;
    const fgt_status s = new_block(ctx, columns, &(*scaler)->mean, &(*scaler)->scale);
    if (s != FGT_OK) {
        fgt_scaler_destroy(scaler);
        return s;
    }
    for (int64_t c = 0; c < columns; c++) (*scaler)->scale[c] = 1;
    return FGT_OK;
}

void fgt_scaler_destroy(fgt_scaler **scaler)
{
    if (!scaler || !*scaler) return;
    fgt_context *ctx = (*scaler)->ctx;
    fgti_free(ctx, (*scaler)->mean);
    fgti_free(ctx, *scaler);
    *scaler = NULL;
}

/* Replaces the scaler's memory by a new block. Called after everything has succeeded. */
static void adopt(fgt_scaler *scaler, double *mean, double *scale)
{
    fgti_free(scaler->ctx, scaler->mean);
    scaler->mean  = mean;
    scaler->scale = scale;
}

fgt_status fgt_scaler_fit(fgt_scaler *scaler, const fgt_view *values, int64_t begin, int64_t end)
{
    return fgti_scaler_fit(scaler, values, begin, end, NULL);
}

fgt_status fgti_scaler_fit(fgt_scaler *scaler, const fgt_view *values, int64_t begin, int64_t end,
                           const fgt_table *table)
{
    double *mean = NULL, *scale = NULL;
    if (!scaler) return FGT_E_ARG;
    fgti_error *err = &scaler->ctx->error;
    FGTI_TRY(fgti_view_check_rows(err, "values", values, begin, end));
    FGTI_TRY(fgti_view_check_number(err, "values", values, 2, (const int64_t[]){-1, scaler->columns}));
    FGTI_TRY(new_block(scaler->ctx, scaler->columns, &mean, &scale));
    const fgt_status s = fgti_columns_fit(scaler->ctx, values, begin, end, table, mean, scale);
    if (s != FGT_OK) {
        fgti_free(scaler->ctx, mean);
        return s;
    }
    for (int64_t c = 0; c < scaler->columns; c++)
        if (scale[c] == 0) scale[c] = 1;
    adopt(scaler, mean, scale);
    return FGT_OK;
}

static fgt_status check_pair(const fgt_scaler *scaler, const fgt_view *in, const fgt_view *out)
{
    fgti_error *err = &scaler->ctx->error;
    FGTI_TRY(fgti_view_check_number(err, "in", in, in ? in->rank : 0, in ? in->shape : NULL));
    FGTI_TRY(fgti_view_check_number(err, "out", out, in->rank, in->shape));
    if (in->rank < 1 || in->shape[in->rank - 1] != scaler->columns) {
        char have[FGTI_SHAPE_TEXT];
        return fgti_fail(err, FGT_E_SHAPE, "scaler: in has the wrong shape (got %s, need %lld columns)",
                         fgti_shape_text(in->rank, in->shape, have), (long long)scaler->columns);
    }
    return FGT_OK;
}

fgt_status fgt_scaler_transform(const fgt_scaler *scaler, const fgt_view *in, const fgt_view *out)
{
    if (!scaler) return FGT_E_ARG;
    FGTI_TRY(check_pair(scaler, in, out));
    const int64_t columns = scaler->columns, rows = fgt_view_count(in) / columns;
    for (int64_t r = 0, i = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++, i++)
            fgti_view_set(out, i, (fgti_view_get(in, i) - scaler->mean[c]) / scaler->scale[c]);
    return FGT_OK;
}

fgt_status fgt_scaler_inverse_transform(const fgt_scaler *scaler, const fgt_view *in, const fgt_view *out)
{
    if (!scaler) return FGT_E_ARG;
    FGTI_TRY(check_pair(scaler, in, out));
    const int64_t columns = scaler->columns, rows = fgt_view_count(in) / columns;
    for (int64_t r = 0, i = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++, i++)
            fgti_view_set(out, i, fgti_view_get(in, i) * scaler->scale[c] + scaler->mean[c]);
    return FGT_OK;
}

fgt_status fgt_scaler_get_moments(const fgt_scaler *scaler, fgt_view *mean, fgt_view *scale)
{
    if (!scaler) return FGT_E_ARG;
    if (mean) *mean = fgti_scaler_view(scaler, scaler->mean);
    if (scale) *scale = fgti_scaler_view(scaler, scaler->scale);
    return FGT_OK;
}

fgt_status fgt_scaler_set_moments(fgt_scaler *scaler, const fgt_view *mean, const fgt_view *scale)
{
    if (!scaler) return FGT_E_ARG;
    fgti_error *err = &scaler->ctx->error;
    FGTI_TRY(fgti_view_check_number(err, "mean", mean, 1, &scaler->columns));
    FGTI_TRY(fgti_view_check_number(err, "scale", scale, 1, &scaler->columns));
    for (int64_t c = 0; c < scaler->columns; c++) {
        const double m = fgti_view_get(mean, c), s = fgti_view_get(scale, c);
        if (!isfinite(m) || !isfinite(s) || s <= 0)
            return fgti_fail(
                err, FGT_E_DATA,
                "scaler: column %lld is wrong (got mean %g and scale %g, need finite, the scale above 0)",
                (long long)c, m, s);
    }
    for (int64_t c = 0; c < scaler->columns; c++) {
        scaler->mean[c]  = fgti_view_get(mean, c);
        scaler->scale[c] = fgti_view_get(scale, c);
    }
    return FGT_OK;
}
