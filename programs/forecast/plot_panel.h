/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PLOT_PANEL_H
#define PROGRAMS_FORECAST_PLOT_PANEL_H

/* Panels of the plot. A page has a row of panels for each series, a column for each window, and a last row
 * for errors by step and losses by epoch. Lengths are in points of a page that is 1200 wide. */

#include <stdint.h>

#include "../common/canvas.h"

#define PAGE    1200.0
#define LEFT    78.0 /* space for the numbers of the first column */
#define RIGHT   28.0
#define GAP_X   26.0
#define PANEL_H 190.0
/* these colours differ in print and for the colour-blind: Okabe and Ito 2008 */
static const colour plot_blue = {0.0, 0.447, 0.698}, plot_vermilion = {0.835, 0.369, 0.0};
static const colour plot_green = {0.0, 0.62, 0.451}, plot_grey = {0.48, 0.53, 0.60};
static const colour plot_band = {0.97, 0.90, 0.84}; /* vermilion at low opacity on white */

typedef struct panel {
    cairo_t *cr;
    double   x, y, w, h; /* the frame */
    double   last;       /* positions on the x axis are 0 .. last */
    double   low, high;  /* range of the values */
    ticks    ticks;
} panel;

/* Chooses a range that contains low .. high; low > high: there are no values. */
void   panel_scale(panel *p, double low, double high);
double panel_x(const panel *p, double place);
/* Draws the lines of the grid, with numbers if `numbers` is set. */
void panel_grid(const panel *p, bool numbers);
void panel_heading(const panel *p, const char *left, const char *right);
/* Writes below the frame; share as for canvas_text(). */
void panel_below(const panel *p, double place, double share, const char *text);
/* Draws values `stride` apart, the first at `place`; missing values are gaps. */
void panel_line(const panel *p, colour c, double width, const double *v, int64_t stride, int64_t place,
                int64_t count);
/* Shades the area between two rows of values, which are as for panel_line(). */
void panel_band(const panel *p, colour c, const double *low, const double *high, int64_t stride,
                int64_t place, int64_t count);
/* Draws a sample of a line and its name, ending at `right`. Returns the right end for the next key to the
 * left. */
double panel_key(cairo_t *cr, double right, double y, colour c, double width, const char *text);

#endif
