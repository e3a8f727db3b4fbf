/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "canvas.h"
#include "ntk_track.h"
#include "output.h"
#include "program.h"

/* The plot follows figures 5 and 6 of Zhang et al., "Nonparametric Teaching of Attention Learners". A chart
 * at the top shows the distance of each kernel from the last kernel and from the previous one. Below it are
 * some of the kernels as maps. Lengths are in points. */

#define PAGE_W  1200.0
#define PAGE_H  640.0
#define LEFT    70.0
#define RIGHT   24.0
#define TOP     92.0
#define CHART_H 240.0
#define MAPS    5
#define MAP     190.0
#define MAP_Y   410.0

/* Vermilion and blue, which differ in print and for the colour-blind (Okabe and Ito 2008). */
static const colour far_colour = {0.835, 0.369, 0.0}, step_colour = {0.0, 0.447, 0.698};

typedef struct page {
    const ntk_track *t;
    const char      *title;
    double           high; /* largest value of the chart */
} page;

static double place_x(const page *p, int64_t epoch)
{
    const int64_t last = p->t->count - 1;
    return LEFT + (PAGE_W - LEFT - RIGHT) * (last ? (double)epoch / (double)last : 0.5);
}

static double place_y(const page *p, double v)
{
    return TOP + CHART_H * (1 - v / p->high);
}

/* ---- the chart ---- */

/* The distance of kernel i from kernel i - back. back 0 means the distance from the last kernel. */
static double value(const page *p, int64_t i, int64_t back)
{
    return ntk_track_distance(p->t, i, back ? i - back : p->t->count - 1);
}

static double draw_curve(const page *p, cairo_t *cr, colour c, int64_t back, double key, const char *name)
{
    canvas_pen(cr, c, 2);
    for (int64_t i = back; i < p->t->count; i++)
        cairo_line_to(cr, place_x(p, i), place_y(p, value(p, i, back)));
    cairo_stroke(cr);
    cairo_move_to(cr, key, 66);
    cairo_line_to(cr, key + 26, 66);
    cairo_stroke(cr);
    return key + 60 + canvas_text(cr, canvas_ink, 13, false, key + 34, 70, 0, name);
}

static void draw_axes(const page *p, cairo_t *cr)
{
    const int64_t last = p->t->count - 1, every = (last + 19) / 20;
    const ticks   y    = canvas_ticks(0, p->high, 5);
    char          text[32];
    for (int k = 0; k * y.step <= p->high; k++) {
        const double at = place_y(p, k * y.step);
        canvas_pen(cr, canvas_grid, 1);
        cairo_move_to(cr, LEFT, at);
        cairo_line_to(cr, PAGE_W - RIGHT, at);
        cairo_stroke(cr);
        snprintf(text, sizeof text, "%.6g", k * y.step);
        canvas_text(cr, canvas_pale, 12, false, LEFT - 9, at + 4, 1, text);
    }
    for (int64_t i = 0; i <= last; i += every ? every : 1) {
        snprintf(text, sizeof text, "%lld", (long long)i);
        canvas_text(cr, canvas_pale, 12, false, place_x(p, i), TOP + CHART_H + 18, 0.5, text);
    }
    canvas_text(cr, canvas_pale, 12, false, (LEFT + PAGE_W - RIGHT) / 2, TOP + CHART_H + 36, 0.5, "epochs");
}

/* ---- the kernels ---- */

/* The colour of an entry v of a kernel, divided by the largest entry: from white at 0 to blue at 1, and to
 * vermilion at -1. */
static colour shade(double v)
{
    const colour to = v < 0 ? far_colour : step_colour;
    const double s  = fmin(fabs(v), 1);
    return (colour){1 - s * (1 - to.r), 1 - s * (1 - to.g), 1 - s * (1 - to.b)};
}

static void draw_map(const page *p, cairo_t *cr, int64_t i, double x, double most)
{
    const int64_t m    = p->t->inputs;
    const double *k    = p->t->kernels + i * m * m;
    const double  cell = MAP / (double)m;
    char          text[48];
    snprintf(text, sizeof text, i ? "epoch %lld" : "before the training", (long long)i);
    canvas_text(cr, canvas_ink, 13, true, x, MAP_Y - 10, 0, text);
    for (int64_t r = 0; r < m; r++)
        for (int64_t c = 0; c < m; c++) {
            canvas_pen(cr, shade(most > 0 ? k[r * m + c] / most : 0), 1);
            cairo_rectangle(cr, x + (double)c * cell, MAP_Y + (double)r * cell, cell, cell);
            cairo_fill(cr);
        }
    canvas_pen(cr, canvas_pale, 1);
    cairo_rectangle(cr, x, MAP_Y, MAP, MAP);
    cairo_stroke(cr);
}

static void draw_maps(const page *p, cairo_t *cr)
{
    const int64_t last = p->t->count - 1, all = p->t->count * p->t->inputs * p->t->inputs;
    const int64_t maps = p->t->count < MAPS ? p->t->count : MAPS;
    const double  step = (PAGE_W - LEFT - RIGHT - MAP) / (MAPS - 1);
    double        most = 0;
    for (int64_t i = 0; i < all; i++)
        if (fabs(p->t->kernels[i]) > most) most = fabs(p->t->kernels[i]);
    for (int64_t i = 0; i < maps; i++)
        draw_map(p, cr, maps > 1 ? i * last / (maps - 1) : 0, LEFT + (double)i * step, most);
}

/* ---- the page ---- */

static void draw_page(void *user, cairo_t *cr)
{
    page *p = user;
    canvas_text(cr, canvas_ink, 21, true, LEFT, 38, 0, p->title);
    for (int64_t i = 0; i < p->t->count; i++)
        for (int64_t back = 0; back < 2; back++)
            if (i >= back) p->high = fmax(p->high, 1.06 * value(p, i, back));
    if (!(p->high > 1e-12 && isfinite(p->high))) p->high = 1;
    draw_axes(p, cr);
    const double key = draw_curve(p, cr, far_colour, 0, LEFT, "from the last kernel, |K - L| / |L|");
    draw_curve(p, cr, step_colour, 1, key, "from the epoch before");
    draw_maps(p, cr);
}

/* Checks the path before the training, so that a long training does not end with this error. */
bool ntk_plot_check(const char *path)
{
    if (!canvas_named(path))
        return complain("--ntk-plot %s: the name must end with .svg or .png", path);
    return output_check(path);
}

bool ntk_plot_write(const ntk_track *t, const char *title, const char *path)
{
    page   p = {.t = t, .title = title};
    output out;
    if (!output_open(&out, path)) return false;
    const char *bad  = canvas_write(path, out.file, PAGE_W, PAGE_H, draw_page, &p);
    const bool  good = !bad || complain("%s: cairo: %s", path, bad);
    return output_close(&out, good) && good;
}
