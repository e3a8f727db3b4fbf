/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PLOT_H
#define PROGRAMS_FORECAST_PLOT_H

/* The picture of --plot. Without cairo no_plot.c refuses it. */

#include "run.h"

/* Checks that a plot can be written to this path. On error prints a message and returns false. */
bool plot_check(const char *path);
/* Draws the windows of a model. */
bool plot_write(run *r, const char *path);

/* Windows of H = info.pred_len rows and of the history before them, for C = info.columns series. */
typedef struct plot_data {
    int64_t                 history, windows, planes;
    double                 *values;   /* [windows,history+H,C], as in the file; NaN: not known */
    double                 *forecast; /* [windows,planes,H,C], planes as in predict_planes() */
    int64_t                *row;      /* [windows,C]: first row of the forecast; -1: no forecast */
    const fgt_table *const *axis;     /* [C]: the tables that have these rows; NULL: the table of the run */
} plot_data;

/* Draws the series of --plot-series. */
bool plot_draw(run *r, const char *path, const plot_data *data);

#endif
