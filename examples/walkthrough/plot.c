/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <cairo-svg.h>
#include <cairo.h>

#include "walkthrough.h"

/* One panel: the truth, and over it what each model said one hour before. Lengths are in points. */

#define PAGE_W 1200.0
#define PAGE_H 520.0
#define LEFT   70.0
#define RIGHT  24.0
#define TOP    92.0
#define BOTTOM 52.0
#define PIXELS 2.0 /* of a .png, a point: sharp on dense screens */

typedef struct colour {
    double r, g, b;
} colour;

static const colour ink = {0.13, 0.16, 0.21}, pale = {0.42, 0.46, 0.53}, grid = {0.89, 0.91, 0.93};
/* told apart in print and by the colour-blind: Okabe and Ito 2008 */
static const colour guess[MODELS] = {
    {0.902, 0.624, 0.0}, {0.0, 0.447, 0.698}, {0.0, 0.62, 0.451}, {0.835, 0.369, 0.0}};

typedef struct scale {
    double low, high, first, step; /* range of the values; first tick, from tick to tick */
    double hour;                   /* width of one */
} scale;

static void pen(cairo_t *cr, colour c, double width)
{
    cairo_set_source_rgb(cr, c.r, c.g, c.b);
    cairo_set_line_width(cr, width);
}

/* share: 0 begins at x, 0.5 is centred, 1 ends there. Returns the width. */
static double write_text(cairo_t *cr, colour c, double size, bool bold, double x, double y, double share,
                         const char *text)
{
    cairo_text_extents_t e;
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
    cairo_text_extents(cr, text, &e);
    pen(cr, c, 1);
    cairo_move_to(cr, x - share * e.x_advance, y);
    cairo_show_text(cr, text);
    return e.x_advance;
}

/* Ticks at 1, 2 or 5 times a power of ten, about five of them. */
static scale choose_scale(const curves *c)
{
    scale s = {.low = INFINITY, .high = -INFINITY, .hour = PAGE_W - LEFT - RIGHT};
    for (int64_t i = 0; i < c->count; i++)
        for (int m = -1; m < MODELS; m++) {
            const double v = m < 0 ? c->truth[i] : c->guess[m][i];
            if (v < s.low) s.low = v;
            if (v > s.high) s.high = v;
        }
    if (!(s.high - s.low > 1e-9 * fmax(fabs(s.low), 1))) s.high = s.low + 1;
    const double raw = (s.high - s.low) / 5, unit = pow(10, floor(log10(raw)));
    s.step = raw < 1.5 * unit ? unit : raw < 3.5 * unit ? 2 * unit : raw < 7.5 * unit ? 5 * unit : 10 * unit;
    s.low -= 0.3 * raw;
    s.high += 0.3 * raw;
    s.first = ceil(s.low / s.step) * s.step;
    if (c->count > 1) s.hour /= (double)(c->count - 1);
    return s;
}

static double place_y(const scale *s, double v)
{
    return TOP + (PAGE_H - TOP - BOTTOM) * (s->high - v) / (s->high - s->low);
}

static void draw_grid(cairo_t *cr, const scale *s, int64_t count)
{
    char text[32];
    for (int k = 0; s->first + k * s->step <= s->high; k++) {
        const double v = s->first + k * s->step, y = place_y(s, v);
        pen(cr, grid, 1);
        cairo_move_to(cr, LEFT, y);
        cairo_line_to(cr, PAGE_W - RIGHT, y);
        cairo_stroke(cr);
        snprintf(text, sizeof text, "%.6g", fabs(v) < 1e-9 * s->step ? 0 : v);
        write_text(cr, pale, 12, false, LEFT - 9, y + 4, 1, text);
    }
    for (int64_t i = 0; i < count; i += 24) {
        snprintf(text, sizeof text, "+%lld", (long long)i);
        write_text(cr, pale, 12, false, LEFT + s->hour * (double)i, PAGE_H - BOTTOM + 18, 0.5, text);
    }
    write_text(cr, pale, 12, false, (LEFT + PAGE_W - RIGHT) / 2, PAGE_H - 12, 0.5, "hours");
}

static void draw_line(cairo_t *cr, const scale *s, colour c, double width, const double *v, int64_t count)
{
    pen(cr, c, width);
    cairo_new_path(cr); /* writing leaves a point behind */
    for (int64_t i = 0; i < count; i++) cairo_line_to(cr, LEFT + s->hour * (double)i, place_y(s, v[i]));
    cairo_stroke(cr);
}

static double draw_key(cairo_t *cr, double x, colour c, double width, const char *name)
{
    pen(cr, c, width);
    cairo_move_to(cr, x, 70);
    cairo_line_to(cr, x + 26, 70);
    cairo_stroke(cr);
    return x + 34 + write_text(cr, ink, 13, false, x + 34, 74, 0, name) + 26;
}

static void draw_page(cairo_t *cr, const curves *c)
{
    const scale s = choose_scale(c);
    char        text[160];
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    write_text(cr, ink, 21, true, LEFT, 38, 0, c->title);
    if (c->from) {
        snprintf(text, sizeof text, "from %.100s", c->from);
        write_text(cr, pale, 13, false, PAGE_W - RIGHT, 38, 1, text);
    }
    draw_grid(cr, &s, c->count);
    double x = draw_key(cr, LEFT, ink, 2.4, "truth");
    draw_line(cr, &s, ink, 2.4, c->truth, c->count);
    for (int m = 0; m < MODELS; m++) {
        draw_line(cr, &s, guess[m], 1.3, c->guess[m], c->count);
        x = draw_key(cr, x, guess[m], 2, model_names[m]);
    }
}

static bool ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

/* Said before the training, not after it. */
bool plot_check(const char *path)
{
    if (!ends_with(path, ".svg") && !ends_with(path, ".png"))
        return complain("--plot %s: the name must end with .svg or .png", path);
    FILE *f = fopen(path, "ab");
    if (!f) return complain("--plot %s: %s", path, strerror(errno));
    fclose(f);
    return true;
}

bool plot_write(const curves *c, const char *path)
{
    const bool       png = ends_with(path, ".png");
    cairo_surface_t *surface =
        png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(PAGE_W * PIXELS), (int)(PAGE_H * PIXELS))
            : cairo_svg_surface_create(path, PAGE_W, PAGE_H);
    cairo_t *cr = cairo_create(surface);
    if (png) cairo_scale(cr, PIXELS, PIXELS);
    draw_page(cr, c);
    cairo_status_t s = cairo_status(cr);
    cairo_destroy(cr);
    if (s == CAIRO_STATUS_SUCCESS && png) s = cairo_surface_write_to_png(surface, path);
    cairo_surface_finish(surface);
    if (s == CAIRO_STATUS_SUCCESS) s = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return s == CAIRO_STATUS_SUCCESS || complain("%s: cairo: %s", path, cairo_status_to_string(s));
}
