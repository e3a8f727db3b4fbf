/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_FORECAST_PLOT_H
#define EXAMPLES_FORECAST_PLOT_H

/* Parts of the plot. A page has a row of panels for each series, a column for each window, and a last row for
 * errors by step and losses by epoch. Lengths are in points of a page that is 1200 wide. */

#include "forecast.h"

#include "../common/canvas.h"

#define PAGE    1200.0
#define LEFT    78.0 /* for the numbers of the first column */
#define RIGHT   28.0
#define GAP_X   26.0
#define PANEL_H 190.0

/* told apart in print and by the colour-blind: Okabe and Ito 2008 */
static const colour plot_blue = {0.0, 0.447, 0.698}, plot_vermilion = {0.835, 0.369, 0.0};
static const colour plot_green = {0.0, 0.62, 0.451}, plot_grey = {0.48, 0.53, 0.60};
static const colour plot_band = {0.97, 0.90, 0.84}; /* as a band of vermilion on white */

/* ---- plot_panel.c ---- */

typedef struct panel {
    cairo_t *cr;
    double   x, y, w, h; /* the frame */
    double   last;       /* places on the x axis are 0 .. last */
    double   low, high;  /* range of the values */
    ticks    ticks;
} panel;

/* Chooses a range that holds low .. high; low > high: there is no value. */
void   panel_scale(panel *p, double low, double high);
double panel_x(const panel *p, double place);
double panel_y(const panel *p, double value);
/* Lines of the grid, with their numbers where asked. */
void panel_grid(const panel *p, bool numbers);
void panel_heading(const panel *p, const char *left, const char *right);
/* Writes below the frame; share as for canvas_text(). */
void panel_below(const panel *p, double place, double share, const char *text);
/* Values `stride` apart, the first at `place`; a missing one is a gap. */
void panel_line(const panel *p, colour c, double width, const double *v, int64_t stride, int64_t place,
                int64_t count);
/* Shades what lies between two such rows of values. */
void panel_band(const panel *p, colour c, const double *low, const double *high, int64_t stride,
                int64_t place, int64_t count);
/* A sample of a line before its name; ends at `right`. Returns where the next one to the left may end. */
double panel_key(cairo_t *cr, double right, double y, colour c, double width, const char *text);

/* ---- plot_axis.c ---- */

/* Times below a panel whose place i is the time `first` + i steps. */
void axis_times(const panel *p, int64_t first, const fgt_time_step *step);
/* Whole numbers `from` .. below a panel. */
void axis_numbers(const panel *p, int64_t from);

/* ---- plot_curves.c ---- */

/* Errors by step and losses by epoch, the upper edge of their frames at y. */
void curves_draw(const run *r, cairo_t *cr, double y);
/* Whether there is one of them. */
bool curves_any(const run *r);

#endif
