/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CANVAS_H
#define CANVAS_H

/* Drawing functions that the plots of all programs share: pens, text, ticks, files. Lengths are in points. */

#include <cairo.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct colour {
    double r, g, b;
} colour;

static const colour canvas_ink = {0.13, 0.16, 0.21}, canvas_pale = {0.42, 0.46, 0.53};
static const colour canvas_grid = {0.89, 0.91, 0.93};

void canvas_pen(cairo_t *cr, colour c, double width);
/* Writes a text. share 0: the text begins at x; 0.5: it is centred at x; 1: it ends at x. Returns the width
 * of the text. */
double canvas_text(cairo_t *cr, colour c, double size, bool bold, double x, double y, double share,
                   const char *text);

typedef struct ticks {
    double first, step;
} ticks;

/* Chooses about `count` ticks in low .. high, where low < high. The distance of ticks is 1, 2 or 5 times a
 * power of ten. */
ticks canvas_ticks(double low, double high, int count);

/* Whether the name ends in .svg or .png. */
bool canvas_named(const char *path);
/* Draws a white page and writes it to `out`. The suffix of the path chooses the format. Returns NULL, or the
 * text of an error. */
const char *canvas_write(const char *path, FILE *out, double width, double height,
                         void (*draw)(void *user, cairo_t *cr), void *user);

#endif
