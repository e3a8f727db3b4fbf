/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <strings.h>

#include <cairo-svg.h>

#include "canvas.h"

#define PIXELS 2.0 /* pixels of a .png per point; 2 makes the picture sharp on dense screens */

void canvas_pen(cairo_t *cr, colour c, double width)
{
    cairo_set_source_rgb(cr, c.r, c.g, c.b);
    cairo_set_line_width(cr, width);
}

double canvas_text(cairo_t *cr, colour c, double size, bool bold, double x, double y, double share,
                   const char *text)
{
    cairo_text_extents_t e;
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
    cairo_text_extents(cr, text, &e);
    canvas_pen(cr, c, 1);
    cairo_move_to(cr, x - share * e.x_advance, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr); /* because writing a text leaves a current point */
    return e.x_advance;
}

ticks canvas_ticks(double low, double high, int count)
{
    const double raw = (high - low) / count, unit = pow(10, floor(log10(raw)));
    ticks        t;
    t.step  = raw < 1.5 * unit ? unit : raw < 3.5 * unit ? 2 * unit : raw < 7.5 * unit ? 5 * unit : 10 * unit;
    t.first = ceil(low / t.step) * t.step;
    return t;
}

static bool ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && !strcasecmp(path + n - m, end);
}

bool canvas_named(const char *path)
{
    return ends_with(path, ".svg") || ends_with(path, ".png");
}

static cairo_status_t collect(void *to, const unsigned char *bytes, unsigned size)
{
    return fwrite(bytes, 1, size, to) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

const char *canvas_write(const char *path, FILE *out, double width, double height,
                         void (*draw)(void *user, cairo_t *cr), void *user)
{
    const bool       png     = ends_with(path, ".png");
    cairo_surface_t *surface = png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * PIXELS),
                                                                (int)(height * PIXELS))
                                   : cairo_svg_surface_create_for_stream(collect, out, width, height);
    cairo_t         *cr      = cairo_create(surface);
    if (png) cairo_scale(cr, PIXELS, PIXELS);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    draw(user, cr);
    cairo_status_t s = cairo_status(cr);
    cairo_destroy(cr);
    if (s == CAIRO_STATUS_SUCCESS && png) s = cairo_surface_write_to_png_stream(surface, collect, out);
    cairo_surface_finish(surface);
    if (s == CAIRO_STATUS_SUCCESS) s = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return s == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(s);
}
