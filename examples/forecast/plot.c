/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast.h"

#include "../common/canvas.h"

/* A grid of panels: a row of them for each of some series, a column for each of some test windows. Panels
 * of a row share their scale. Lengths are in points of a page that is 1200 wide. */

#define PAGE      1200.0
#define LEFT      78.0 /* for the numbers of the first column */
#define RIGHT     28.0
#define TOP       104.0 /* title, second line, legend */
#define BOTTOM    56.0  /* numbers and caption of the last row */
#define GAP_X     26.0
#define GAP_Y     46.0 /* a panel's heading stands in it */
#define PANEL_H   190.0
#define SERIES    3
#define WINDOWS   2

static const colour horizon = {0.972, 0.976, 0.984};
/* told apart in print and by the colour-blind: Okabe and Ito 2008, blue and vermilion */
static const colour past = {0.48, 0.53, 0.60}, truth = {0.0, 0.447, 0.698}, guess = {0.835, 0.369, 0.0};

typedef struct panel {
    double x, y, w, h;       /* the frame */
    double low, high;        /* range of the values */
    ticks  ticks;
} panel;

typedef struct figure {
    run     *r;
    cairo_t *cr;
    int64_t  l, h, c; /* rows in, rows forecast, series */
    int64_t  series, windows;
    double  *values;       /* [windows,l+h,c], raw */
    double  *forecast;     /* [windows,h,c] */
    int64_t  row[WINDOWS]; /* first row that each window forecasts */
} figure;

/* ---- scales ---- */

static void choose_ticks(panel *p, double low, double high)
{
    if (!(low <= high)) low = 0, high = 1; /* nothing but missing values */
    if (high - low < 1e-9 * fmax(fabs(low), 1)) low -= 0.5, high += 0.5;
    const double margin = 0.06 * (high - low);
    p->low              = low - margin;
    p->high             = high + margin;
    p->ticks = canvas_ticks(p->low, p->high, 4);
}

static void widen(double v, double *low, double *high)
{
    if (!isfinite(v)) return;
    if (v < *low) *low = v;
    if (v > *high) *high = v;
}

static void fit_range(const figure *f, int64_t column, panel *p)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < f->windows * (f->l + f->h); i++) widen(f->values[i * f->c + column], &low, &high);
    for (int64_t i = 0; i < f->windows * f->h; i++) widen(f->forecast[i * f->c + column], &low, &high);
    choose_ticks(p, low, high);
}

static double place_x(const figure *f, const panel *p, int64_t i)
{
    return p->x + p->w * (double)i / (double)(f->l + f->h - 1);
}

static double place_y(const panel *p, double v)
{
    return p->y + p->h * (p->high - v) / (p->high - p->low);
}

/* ---- panels ---- */

static void draw_frame(const figure *f, const panel *p, bool leftmost, bool lowest)
{
    cairo_t     *cr = f->cr;
    const double x0 = place_x(f, p, f->l);
    char         text[32];
    canvas_pen(cr, horizon, 1);
    cairo_rectangle(cr, x0, p->y, p->x + p->w - x0, p->h);
    cairo_fill(cr);
    for (int k = 0; p->ticks.first + k * p->ticks.step <= p->high; k++) {
        const double v = p->ticks.first + k * p->ticks.step, y = place_y(p, v);
        canvas_pen(cr, canvas_grid, 1);
        cairo_move_to(cr, p->x, y);
        cairo_line_to(cr, p->x + p->w, y);
        cairo_stroke(cr);
        snprintf(text, sizeof text, "%.6g", fabs(v) < 1e-9 * p->ticks.step ? 0 : v);
        if (leftmost) canvas_text(cr, canvas_pale, 12, false, p->x - 9, y + 4, 1, text);
    }
    const double dash[] = {3, 3};
    canvas_pen(cr, past, 1);
    cairo_set_dash(cr, dash, 2, 0);
    cairo_move_to(cr, x0, p->y);
    cairo_line_to(cr, x0, p->y + p->h);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    const int64_t at[] = {0, f->l / 2, f->l, f->l + f->h / 2, f->l + f->h - 1};
    for (int i = 0; lowest && i < 5; i++) {
        if (i && at[i] == at[i - 1]) continue;
        snprintf(text, sizeof text, at[i] > f->l ? "+%lld" : "%lld", (long long)(at[i] - f->l));
        /* the outer ones end with the frame, clear of the next panel's */
        const double share = i == 0 ? 0 : i == 4 ? 1 : 0.5;
        canvas_text(cr, canvas_pale, 12, false, place_x(f, p, at[i]), p->y + p->h + 18, share, text);
    }
}

/* count values from row `begin` of the window on; a missing one is a gap */
static void draw_line(const figure *f, const panel *p, colour c, double width, const double *v, int64_t begin,
                      int64_t count)
{
    bool drawing = false;
    canvas_pen(f->cr, c, width);
    for (int64_t i = 0; i < count; i++, v += f->c) {
        if (!isfinite(*v)) {
            drawing = false;
            continue;
        }
        const double x = place_x(f, p, begin + i), y = place_y(p, *v);
        if (!drawing) cairo_move_to(f->cr, x, y);
        cairo_line_to(f->cr, x, y); /* one value alone is a dot, by its round caps */
        drawing = true;
    }
    cairo_stroke(f->cr);
}

static void draw_heading(const figure *f, const panel *p, int64_t column, int64_t window)
{
    const char *name = fgt_forecaster_get_name(f->r->forecaster, column);
    const char *date = fgt_table_get_date(f->r->table, f->row[window]);
    char        text[160];
    if (date)
        snprintf(text, sizeof text, "from %.100s", date);
    else
        snprintf(text, sizeof text, "from row %lld", (long long)f->row[window] + 1);
    canvas_text(f->cr, canvas_ink, 14, true, p->x, p->y - 11, 0, name);
    canvas_text(f->cr, canvas_pale, 12, false, p->x + p->w, p->y - 11, 1, text);
}

static void draw_panel(const figure *f, const panel *p, int64_t column, int64_t window, bool leftmost,
                       bool lowest)
{
    const double *v        = f->values + window * (f->l + f->h) * f->c + column;
    const double *guess_at = f->forecast + window * f->h * f->c + column;
    draw_frame(f, p, leftmost, lowest);
    draw_heading(f, p, column, window);
    cairo_save(f->cr);
    cairo_rectangle(f->cr, p->x, p->y, p->w, p->h);
    cairo_clip(f->cr);
    /* the truth goes on from the last value that is known */
    draw_line(f, p, truth, 1.6, v + (f->l - 1) * f->c, f->l - 1, f->h + 1);
    draw_line(f, p, past, 1.6, v, 0, f->l);
    draw_line(f, p, guess, 2.2, guess_at, f->l, f->h);
    cairo_restore(f->cr);
}

/* ---- the page ---- */

static double page_height(const figure *f)
{
    return TOP + (double)f->series * PANEL_H + (double)(f->series - 1) * GAP_Y + BOTTOM;
}

/* A sample of the line before its name; ends at `right`. Returns where the next one to the left may end. */
static double draw_key(cairo_t *cr, double right, double y, colour c, double width, const char *text)
{
    const double x = right - canvas_text(cr, canvas_ink, 13, false, right, y, 1, text) - 34;
    canvas_pen(cr, c, width);
    cairo_move_to(cr, x, y - 4);
    cairo_line_to(cr, x + 26, y - 4);
    cairo_stroke(cr);
    return x - 26;
}

static void draw_head(const figure *f)
{
    const run *r  = f->r;
    cairo_t   *cr = f->cr;
    char       text[256], step[TIME_MAX];
    double     x = PAGE - RIGHT;
    snprintf(text, sizeof text, "%s: %lld rows ahead, from the %lld before", r->dataset, (long long)f->h,
             (long long)f->l);
    canvas_text(cr, canvas_ink, 21, true, LEFT, 38, 0, text);
    if (isnan(r->test.mse))
        snprintf(text, sizeof text, "%s model; units of the file", block_names[r->info.block]);
    else
        snprintf(text, sizeof text,
                 "%s model; units of the file. On all %lld test windows: MSE %.3f, MAE %.3f (standardised)",
                 block_names[r->info.block], (long long)r->test_windows, r->test.mse, r->test.mae);
    canvas_text(cr, canvas_pale, 13, false, LEFT, 60, 0, text);
    x = draw_key(cr, x, 38, guess, 2.2, "forecast");
    x = draw_key(cr, x, 38, truth, 1.6, "truth");
    draw_key(cr, x, 38, past, 1.6, "history");
    snprintf(text, sizeof text, "rows from the start of the forecast%s%s",
             time_step(r->table, step) ? ", each " : "", time_step(r->table, step) ? step : "");
    canvas_text(cr, canvas_pale, 12, false, LEFT + (PAGE - LEFT - RIGHT) / 2, page_height(f) - 14, 0.5, text);
}

static void draw_page(void *user, cairo_t *cr)
{
    figure *f = user;
    const double width = (PAGE - LEFT - RIGHT - (double)(f->windows - 1) * GAP_X) / (double)f->windows;
    f->cr = cr;
    draw_head(f);
    for (int64_t s = 0; s < f->series; s++) {
        /* the first, the last (in many files the usual target) and what lies in the middle */
        const int64_t column = f->series > 1 ? s * (f->c - 1) / (f->series - 1) : 0;
        panel         p      = {.w = width, .h = PANEL_H, .y = TOP + (double)s * (PANEL_H + GAP_Y)};
        fit_range(f, column, &p);
        for (int64_t w = 0; w < f->windows; w++) {
            p.x = LEFT + (double)w * (width + GAP_X);
            draw_panel(f, &p, column, w, w == 0, s + 1 == f->series);
        }
    }
}

/* ---- what is drawn ---- */

/* Windows at one and two thirds of the test rows. */
static bool gather(figure *f)
{
    run          *r     = f->r;
    const int64_t first = r->split.test_begin > f->l ? r->split.test_begin : f->l;
    f->windows          = r->test_windows < WINDOWS ? r->test_windows : WINDOWS;
    f->series           = f->c < SERIES ? f->c : SERIES;
    f->values           = calloc((size_t)(WINDOWS * (f->l + f->h) * f->c), sizeof *f->values);
    f->forecast         = calloc((size_t)(WINDOWS * f->h * f->c), sizeof *f->forecast);
    if (!f->values || !f->forecast) return complain("no memory");
    int64_t *columns = run_columns(r);
    bool     good    = columns != NULL;
    for (int64_t w = 0; good && w < f->windows; w++) {
        double *rows = f->values + w * (f->l + f->h) * f->c;
        f->row[w]    = first + (w + 1) * r->test_windows / (f->windows + 1);
        run_rows(r, columns, f->row[w] - f->l, f->row[w] + f->h, rows);
        const fgt_view next = *FGT_VIEW_OF(FGT_F64, f->forecast + w * f->h * f->c, f->h, f->c);
        good = fgt_forecaster_predict_table(r->forecaster, r->table, f->row[w], NULL, &next) == FGT_OK ||
               complain("%s", fgt_context_error(r->ctx));
    }
    free(columns);
    return good;
}

bool plot_check(const char *path)
{
    return canvas_named(path) || complain("--plot %s: the name must end with .svg or .png", path);
}

bool plot_write(run *r, const char *path)
{
    figure f    = {.r = r, .l = r->info.input_len, .h = r->info.pred_len, .c = r->info.columns};
    char  *text = NULL;
    size_t size = 0;
    bool  good = gather(&f);
    FILE *out  = good ? open_memstream(&text, &size) : NULL;
    if (out) {
        const char *bad = canvas_write(path, out, PAGE, page_height(&f), draw_page, &f);
        good            = !bad || complain("%s: cairo: %s", path, bad);
        if (fclose(out)) good = false;
    }
    if (good && (!out || !text)) good = complain("no memory");
    if (good) good = output_write(path, text, size);
    free(text);
    free(f.values);
    free(f.forecast);
    return good;
}
