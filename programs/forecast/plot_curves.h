/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PLOT_CURVES_H
#define PROGRAMS_FORECAST_PLOT_CURVES_H

/* Errors by step and losses by epoch in the plot. */

#include "run.h"

#include "../common/canvas.h"

/* Draws errors by step and losses by epoch; y: upper edge of their frames. */
void curves_draw(const run *r, cairo_t *cr, double y);
/* Whether any of these curves exists. */
bool curves_any(const run *r);

#endif
