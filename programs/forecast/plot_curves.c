/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors by step of the horizon, and losses by epoch. */
#include <math.h>
#include <stdlib.h>

#include "plot_axis.h"
#include "plot_curves.h"
#include "plot_panel.h"
#include "scores.h"

#include "../common/canvas.h"

typedef struct line {
    const char   *name;
    colour        colour;
    double        width;
    const double *value; /* [last + 1] */
} line;

static void draw_lines(panel *p, const line *lines, int count, int64_t from, const char *title)
{
    double       low = INFINITY, high = -INFINITY, right = p->x + p->w;
    const double last = p->last;
    for (int i = 0; i < count; i++)
        for (int64_t k = 0; k <= (int64_t)last; k++) {
            low  = fmin(low, lines[i].value[k]);
            high = fmax(high, lines[i].value[k]);
        }
    panel_scale(p, low, high);
    panel_grid(p, true);
    axis_numbers(p, from);
    canvas_text(p->cr, canvas_ink, 14, true, p->x, p->y - 31, 0, title); /* above the names of the lines */
    for (int i = count; i-- > 0;) {
        panel_line(p, lines[i].colour, lines[i].width, lines[i].value, 1, 0, (int64_t)last + 1);
        right = panel_key(p->cr, right, p->y - 11, lines[i].colour, lines[i].width, lines[i].name);
    }
}

/* ---- errors by step ---- */

static void add_steps(const scores *s, const char *name, colour c, double width, double *value, line *lines,
                      int *count)
{
    if (!s->cell) return;
    for (int64_t h = 0; h < s->steps; h++) value[h] = scores_errors(s, h, 1).mae;
    lines[(*count)++] = (line){name, c, width, value};
}

static void draw_steps(const run *r, panel *p)
{
    const int64_t steps = r->scores.steps;
    double       *value = malloc((size_t)(4 * steps) * sizeof *value);
    line          lines[4];
    int           count = 0;
    if (!value) return;
    add_steps(&r->naive_scores, "last value", plot_grey, 1.4, value, lines, &count);
    add_steps(&r->seasonal_scores, "a season ago", plot_green, 1.4, value + steps, lines, &count);
    add_steps(&r->linear_scores, "linear baseline", plot_blue, 1.4, value + 2 * steps, lines, &count);
    add_steps(&r->scores, run_model_name(r), plot_vermilion, 2.2, value + 3 * steps, lines, &count);
    p->last = (double)(steps - 1);
    draw_lines(p, lines, count, 1, "MAE by step, standardised");
    free(value);
}

/* ---- losses by epoch ---- */

static void draw_losses(const run *r, panel *p)
{
    const curve *c       = &r->curve;
    const line   lines[] = {{"training loss", plot_grey, 1.6, c->loss},
                            {"validation loss", plot_vermilion, 2.2, c->validation}};
    p->last              = (double)(c->epochs - 1);
    draw_lines(p, lines, c->has_validation ? 2 : 1, 1, "loss by epoch");
}

bool curves_any(const run *r)
{
    return r->test_windows > 0 || r->curve.epochs;
}

void curves_draw(const run *r, cairo_t *cr, double y)
{
    const bool   steps = r->test_windows > 0, losses = r->curve.epochs > 0;
    const double width = (PAGE - LEFT - RIGHT) / 2 - LEFT / 2;
    panel        p     = {.cr = cr, .x = LEFT, .y = y, .w = width, .h = PANEL_H};
    if (steps) {
        draw_steps(r, &p);
        p.x += width + LEFT;
    }
    if (losses) draw_losses(r, &p);
}
