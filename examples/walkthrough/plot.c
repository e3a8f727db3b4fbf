/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "walkthrough.h"

#include "../../programs/common/canvas.h"

/* One panel: the true values, and each model's forecast from one hour before. Lengths are in points. */

#define PAGE_W 1200.0
#define PAGE_H 520.0
#define LEFT   70.0
#define RIGHT  24.0
#define TOP    92.0
#define BOTTOM 52.0

/* these colours differ in print and for the colour-blind: Okabe and Ito 2008 */
static const colour guess[MODELS] = {
    {0.902, 0.624, 0.0}, {0.0, 0.447, 0.698}, {0.0, 0.62, 0.451}, {0.835, 0.369, 0.0}};

typedef struct scale {
    double low, high; /* range of the values */
    ticks  ticks;
    double hour; /* width of one hour */
} scale;

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
    const double margin = 0.06 * (s.high - s.low);
    s.ticks             = canvas_ticks(s.low - margin, s.high + margin, 5);
    s.low -= margin;
    s.high += margin;
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
    for (int k = 0; s->ticks.first + k * s->ticks.step <= s->high; k++) {
        const double v = s->ticks.first + k * s->ticks.step, y = place_y(s, v);
        canvas_pen(cr, canvas_grid, 1);
        cairo_move_to(cr, LEFT, y);
        cairo_line_to(cr, PAGE_W - RIGHT, y);
        cairo_stroke(cr);
        snprintf(text, sizeof text, "%.6g", fabs(v) < 1e-9 * s->ticks.step ? 0 : v);
        canvas_text(cr, canvas_pale, 12, false, LEFT - 9, y + 4, 1, text);
    }
    for (int64_t i = 0; i < count; i += 24) {
        snprintf(text, sizeof text, "+%lld", (long long)i);
        canvas_text(cr, canvas_pale, 12, false, LEFT + s->hour * (double)i, PAGE_H - BOTTOM + 18, 0.5, text);
    }
    canvas_text(cr, canvas_pale, 12, false, (LEFT + PAGE_W - RIGHT) / 2, PAGE_H - 12, 0.5, "hours");
}

static void draw_line(cairo_t *cr, const scale *s, colour c, double width, const double *v, int64_t count)
{
    canvas_pen(cr, c, width);
    for (int64_t i = 0; i < count; i++) cairo_line_to(cr, LEFT + s->hour * (double)i, place_y(s, v[i]));
    cairo_stroke(cr);
}

static double draw_key(cairo_t *cr, double x, colour c, double width, const char *name)
{
    canvas_pen(cr, c, width);
    cairo_move_to(cr, x, 70);
    cairo_line_to(cr, x + 26, 70);
    cairo_stroke(cr);
    return x + 34 + canvas_text(cr, canvas_ink, 13, false, x + 34, 74, 0, name) + 26;
}

static void draw_page(void *user, cairo_t *cr)
{
    const curves *c = user;
    const scale s = choose_scale(c);
    char        text[160];
    canvas_text(cr, canvas_ink, 21, true, LEFT, 38, 0, c->title);
    if (c->from) {
        snprintf(text, sizeof text, "from %.100s", c->from);
        canvas_text(cr, canvas_pale, 13, false, PAGE_W - RIGHT, 38, 1, text);
    }
    draw_grid(cr, &s, c->count);
    double x = draw_key(cr, LEFT, canvas_ink, 2.4, "truth");
    draw_line(cr, &s, canvas_ink, 2.4, c->truth, c->count);
    for (int m = 0; m < MODELS; m++) {
        draw_line(cr, &s, guess[m], 1.3, c->guess[m], c->count);
        x = draw_key(cr, x, guess[m], 2, model_names[m]);
    }
}

/* Checked before the training, not after it. */
bool plot_check(const char *path)
{
    if (!canvas_named(path))
        return complain("--plot %s: the name must end with .svg or .png", path);
    FILE *f = fopen(path, "ab");
    if (!f) return complain("--plot %s: %s", path, strerror(errno));
    fclose(f);
    return true;
}

bool plot_write(const curves *c, const char *path)
{
    curves      copy = *c; /* the drawing function needs a copy that is not const */
    FILE       *out  = fopen(path, "wb");
    const char *bad  = out ? canvas_write(path, out, PAGE_W, PAGE_H, draw_page, &copy) : strerror(errno);
    if (out && fclose(out) && !bad) bad = strerror(errno);
    return !bad || complain("%s: %s", path, bad);
}
