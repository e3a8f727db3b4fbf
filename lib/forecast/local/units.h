/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNITS_H
#define FGTI_UNITS_H

/* The unit of the errors of each series, now and at earlier origins. Errors of a series that grows by shares
 * of its level grow with it. */

#include <stdbool.h>

#include "forecast/local/shared.h"

typedef struct fgti_units {
    double *now;   /* [count]: the mean change from row to row in the last seasons; with fewer than 4 changes,
                      together with two more changes of the usual size relative to the level */
    double *power; /* [count]: p */
    bool    usual; /* some series show how large a change is relative to the level */
} fgti_units;

/* With L the mean of a season of rows (of 4 rows, if it has fewer) and A the mean change from row to row in
 * them, p is the slope of log A on log L over the seasons of a series: 0 if changes do not depend on the
 * level, 1 if they are proportional to it. It is limited to 0 .. 1, and shrunk towards the p of all series
 * together, which is shrunk towards 0. Series with values of 0 or less have p = 0.
 * Call fgti_units_done() even after an error. FGT_E_NOMEM. */
fgt_status fgti_units_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                          fgti_units *units);
void       fgti_units_done(fgt_context *ctx, fgti_units *units);

/* The unit of a series `rows` after its first n rows: now (max(L_n / L, .02))^p, L_n and L the means of the
 * last season of the n rows, and of all rows. */
double fgti_units_at(const fgti_units *units, const fgti_rows *rows, int64_t series, int64_t period,
                     int64_t n);

/* The mean |y_t|, and the mean |y_t - y_(t-step)|, of rows from .. to - 1. 0: no such rows. */
double fgti_mean_size(const double *y, int64_t from, int64_t to);
double fgti_mean_change(const double *y, int64_t from, int64_t to, int64_t step);

#endif
