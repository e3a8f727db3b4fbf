/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FORECAST_HOURLY_H
#define TESTS_FORECAST_HOURLY_H

/* Two hourly series, "a" and "b". The program that includes this says before how many rows there are: N. */

#include "small_series.h"

enum { C = 2 };

static double series[N][C];

/* A rhythm of the day around a level, and one that is faster from row to row. */
static inline void fill_rhythms(double level)
{
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++)
            series[r][c] = level + sin(6.2831853 * r / 24 + c) + 0.3 * sin(0.7 * r * r);
}

static fgt_table *table_of(void)
{
    enum { HOUR = 3600000 };
    static const char *const names[] = {"a", "b"};
    static int64_t           times[N];
    fgt_table               *t;
    for (int r = 0; r < N; r++) times[r] = (int64_t)r * HOUR;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, series, N, C), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, N), 0));
    return t;
}

#endif
