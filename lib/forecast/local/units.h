/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNITS_H
#define FGTI_UNITS_H

/* The unit of the errors of each series, now and at earlier origins. If a series grows by shares of its
 * level, its errors grow with the level. */

#include <stdbool.h>

#include "forecast/local/shared.h"

typedef struct fgti_units {
    double *now;   /* [count]: the mean change from row to row in the last seasons. If a series has fewer than
                      4 changes, two more changes of the usual size relative to the level are added */
    double *power; /* [count]: p */
    bool    usual; /* some series show how large changes are relative to the level */
} fgti_units;

/* Finds the units. p is the power of the level with which the errors of a series grow. L is the mean of a
 * season of rows (of 4 rows if the season has fewer), and A the mean change from row to row in these rows. p
 * is the slope of log A on log L over the seasons of a series: 0 if changes do not depend on the level, 1 if
 * changes are proportional to it. p is limited to 0 .. 1. It is shrunk towards the p of all series together,
 * which is itself shrunk towards 0. A series with values of 0 or less has p = 0. Call fgti_units_done() even
 * after an error. FGT_E_NOMEM. */
fgt_status fgti_units_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                          fgti_units *units);
void       fgti_units_done(fgt_context *ctx, fgti_units *units);

/* Returns the unit of a series after its first n rows: now (max(L_n / L, .02))^p. L_n is the mean |y_t| in
 * the last season of the n rows, and L the mean |y_t| in the last season of the series. */
double fgti_units_at(const fgti_units *units, const fgti_rows *rows, int64_t series, int64_t period,
                     int64_t n);

/* Return the mean |y_t|, and the mean |y_t - y_(t-step)|, of rows from .. to - 1; 0: there are no such
 * rows. */
double fgti_mean_size(const double *y, int64_t from, int64_t to);
double fgti_mean_change(const double *y, int64_t from, int64_t to, int64_t step);

#endif
