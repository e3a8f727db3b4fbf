/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "forecast.h"

/* The groups of windows, for strategies that weigh groups: how lively the rows looked at are, as the mean
 * over the series of their standard deviation in the window by that in the training rows. Windows that move
 * more are harder to forecast. */
#define CALM   0.5
#define LIVELY 1.0

/* Running sums of one series, s[k] over its first k rows. */
typedef struct sums {
    double *value, *square;
} sums;

static void add_up(const run *r, int64_t column, double mean, const sums *s)
{
    const fgt_view values = fgt_table_get_values(r->table);
    const int64_t  begin = r->split.train_begin, rows = r->split.train_end - begin;
    s->value[0] = s->square[0] = 0;
    for (int64_t k = 0; k < rows; k++) {
        const double v = ((const double *)values.data)[(begin + k) * values.shape[1] + column];
        const double e = isnan(v) ? 0 : v - mean;
        s->value[k + 1]  = s->value[k] + e;
        s->square[k + 1] = s->square[k] + e * e;
    }
}

/* Adds each window's relative deviation of one series. */
static void add_deviations(const run *r, double scale, const sums *s, double *deviation)
{
    const int64_t l = r->info.input_len;
    for (int64_t i = 0; i < r->train_windows; i++) {
        const double mean     = (s->value[i + l] - s->value[i]) / (double)l;
        const double variance = (s->square[i + l] - s->square[i]) / (double)l - mean * mean;
        if (variance > 0 && scale > 0) deviation[i] += sqrt(variance) / scale;
    }
}

static void measure(const run *r, const int64_t *columns, const sums *s, double *deviation)
{
    const fgt_scaler *scaler = fgt_forecaster_get_scaler(r->forecaster);
    const double     *mean   = fgt_scaler_get_mean(scaler).data, *scale = fgt_scaler_get_scale(scaler).data;
    for (int64_t c = 0; c < r->info.columns; c++) {
        add_up(r, columns[c], mean[c], s);
        add_deviations(r, scale[c], s, deviation);
    }
}

int64_t *groups_of_windows(const run *r)
{
    const size_t rows      = (size_t)(r->split.train_end - r->split.train_begin) + 1;
    int64_t     *columns   = run_columns(r);
    int64_t     *group     = malloc((size_t)r->train_windows * sizeof *group);
    double      *deviation = calloc((size_t)r->train_windows, sizeof *deviation);
    const sums   s         = {malloc(rows * sizeof(double)), malloc(rows * sizeof(double))};
    const bool   good      = columns && group && deviation && s.value && s.square;
    if (good) {
        measure(r, columns, &s, deviation);
        for (int64_t i = 0; i < r->train_windows; i++) {
            const double d = deviation[i] / (double)r->info.columns;
            group[i]       = d < CALM ? 0 : d < LIVELY ? 1 : 2;
        }
    } else {
        free(group);
        group = NULL;
        if (columns) complain("no memory");
    }
    free(s.square);
    free(s.value);
    free(deviation);
    free(columns);
    return group;
}
