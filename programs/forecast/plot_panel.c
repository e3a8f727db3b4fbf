/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "plot_panel.h"

void panel_scale(panel *p, double low, double high)
{
    if (!(low <= high)) low = 0, high = 1;
    if (high - low < 1e-9 * fmax(fabs(low), 1)) low -= 0.5, high += 0.5;
    const double margin = 0.06 * (high - low);
    p->low              = low - margin;
    p->high             = high + margin;
    p->ticks            = canvas_ticks(p->low, p->high, 4);
}

double panel_x(const panel *p, double place)
{
    return p->x + (p->last > 0 ? p->w * place / p->last : p->w / 2);
}

static double panel_y(const panel *p, double value)
{
    return p->y + p->h * (p->high - value) / (p->high - p->low);
}

void panel_grid(const panel *p, bool numbers)
{
    char text[32];
    for (int k = 0; p->ticks.first + k * p->ticks.step <= p->high; k++) {
        const double v = p->ticks.first + k * p->ticks.step, y = panel_y(p, v);
        canvas_pen(p->cr, canvas_grid, 1);
        cairo_move_to(p->cr, p->x, y);
        cairo_line_to(p->cr, p->x + p->w, y);
        cairo_stroke(p->cr);
        snprintf(text, sizeof text, "%.6g", fabs(v) < 1e-9 * p->ticks.step ? 0 : v);
        if (numbers) canvas_text(p->cr, canvas_pale, 12, false, p->x - 9, y + 4, 1, text);
    }
}

void panel_heading(const panel *p, const char *left, const char *right)
{
    canvas_text(p->cr, canvas_ink, 14, true, p->x, p->y - 11, 0, left);
    canvas_text(p->cr, canvas_pale, 12, false, p->x + p->w, p->y - 11, 1, right);
}

void panel_below(const panel *p, double place, double share, const char *text)
{
    canvas_text(p->cr, canvas_pale, 12, false, panel_x(p, place), p->y + p->h + 18, share, text);
}

void panel_line(const panel *p, colour c, double width, const double *v, int64_t stride, int64_t place,
                int64_t count)
{
    bool drawing = false;
    canvas_pen(p->cr, c, width);
    for (int64_t i = 0; i < count; i++, v += stride) {
        if (!isfinite(*v)) {
            drawing = false;
            continue;
        }
        const double x = panel_x(p, (double)(place + i)), y = panel_y(p, *v);
        if (!drawing) cairo_move_to(p->cr, x, y);
        cairo_line_to(p->cr, x, y); /* a single value becomes a dot, because of the round caps */
        drawing = true;
    }
    cairo_stroke(p->cr);
}

void panel_band(const panel *p, colour c, const double *low, const double *high, int64_t stride,
                int64_t place, int64_t count)
{
    cairo_set_source_rgba(p->cr, c.r, c.g, c.b, 0.16);
    for (int64_t first = 0, i = 0; first < count; first = i + 1) {
        for (i = first; i < count && isfinite(low[i * stride]) && isfinite(high[i * stride]); i++)
            cairo_line_to(p->cr, panel_x(p, (double)(place + i)), panel_y(p, low[i * stride]));
        for (int64_t k = i - 1; k >= first; k--)
            cairo_line_to(p->cr, panel_x(p, (double)(place + k)), panel_y(p, high[k * stride]));
        cairo_fill(p->cr);
    }
}

double panel_key(cairo_t *cr, double right, double y, colour c, double width, const char *text)
{
    const double x = right - canvas_text(cr, canvas_ink, 13, false, right, y, 1, text) - 34;
    canvas_pen(cr, c, width);
    cairo_move_to(cr, x, y - 4);
    cairo_line_to(cr, x + 26, y - 4);
    cairo_stroke(cr);
    return x - 26;
}
