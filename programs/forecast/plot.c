/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: a row of panels for each series, a column for each window. Panels of a row share their scale. */
#include <math.h>
#include <stdlib.h>

#include "columns.h"
#include "input.h"
#include "plot.h"
#include "plot_axis.h"
#include "plot_curves.h"
#include "plot_panel.h"
#include "predict.h"
#include "times.h"

#include "../common/blocks.h"
#include "../common/canvas.h"
#include "../common/output.h"
#include "../common/program.h"

#define TOP     104.0   /* title, second line, legend */
#define BOTTOM  56.0    /* labels and caption of the last row */
#define GAP_Y   46.0    /* it contains the heading of a panel */
#define CURVES  92.0    /* space between windows and curves */
#define WINDOWS 2       /* windows of the test rows; a further one is the forecast of --predict */
#define TALLEST 16000.0 /* cairo draws pictures of up to 32767 pixels, with two pixels per point */

static const colour horizon = {0.972, 0.976, 0.984};

typedef struct figure {
    run     *r;
    cairo_t *cr;
    int64_t  l, h, c;       /* rows of the input, rows of the forecast, series */
    int64_t *series, count; /* the series that are drawn */
    int64_t  windows;
    double  *values;   /* [windows,l+h,c], in units of the file */
    double  *forecast; /* [windows,planes,h,c] */
    int64_t  planes;
    int64_t *row;      /* [windows,c]: first row of the forecast; -1: no forecast */
    const fgt_table *const *axis; /* [c]: the tables that have these rows; NULL: the table of the run */
} figure;

static const fgt_table *axis_of(const figure *f, int64_t column)
{
    return f->axis ? f->axis[column] : f->r->table;
}

/* ---- panels ---- */

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
    for (int64_t i = 0; i < f->windows * f->planes * f->h; i++)
        widen(f->forecast[i * f->c + column], &low, &high);
    panel_scale(p, low, high);
}

static void draw_frame(const figure *f, const panel *p, bool leftmost)
{
    const double x0     = panel_x(p, (double)f->l);
    const double dash[] = {3, 3};
    canvas_pen(f->cr, horizon, 1);
    cairo_rectangle(f->cr, x0, p->y, p->x + p->w - x0, p->h);
    cairo_fill(f->cr);
    panel_grid(p, leftmost);
    canvas_pen(f->cr, plot_grey, 1);
    cairo_set_dash(f->cr, dash, 2, 0);
    cairo_move_to(f->cr, x0, p->y);
    cairo_line_to(f->cr, x0, p->y + p->h);
    cairo_stroke(f->cr);
    cairo_set_dash(f->cr, NULL, 0, 0);
}

/* Draws the times of the rows, or their distance from the start of the forecast. */
static void draw_axis(const figure *f, const panel *p, int64_t column, int64_t row)
{
    const fgt_table *table = axis_of(f, column);
    const fgt_view   times = fgt_table_get_times(table);
    fgt_table_info   info  = {.size = sizeof info};
    if (!times.shape[0] || row < f->l || fgt_table_get_info(table, &info) != FGT_OK)
        axis_numbers(p, -f->l);
    else
        axis_times(p, ((const int64_t *)times.data)[row - f->l], &info.step);
}

static void draw_heading(const figure *f, const panel *p, int64_t column, int64_t row)
{
    const fgt_table *table = axis_of(f, column);
    char             text[160], label[TIME_MAX];
    snprintf(label, sizeof label, "%lld", (long long)row + 1);
    if (row < fgt_table_count_rows(table))
        snprintf(text, sizeof text, "from %s%.100s",
                 fgt_table_get_name(table, FGT_TABLE_NAME_ROW, row) || fgt_table_get_times(table).shape[0]
                     ? ""
                     : "row ",
                 row_label_of(f->r->table, table, row, label));
    else
        snprintf(text, sizeof text, "what follows the data%s", f->r->blend ? ", by the blend" : "");
    panel_heading(p, run_name(f->r, column), row < 0 ? "no forecast" : text);
}

/* Finds the planes with the ends of band i: of an interval, or of two quantiles if there are no intervals.
 * Returns false if there is no such band. */
static bool find_band(const run *r, int64_t i, int64_t *low, int64_t *high)
{
    const int64_t q = r->info.quantile_count, n = r->o->interval_count;
    *low  = n ? 1 + q + 2 * i : 1 + i;
    *high = n ? *low + 1 : q - i;
    return n ? i < n : *low < *high;
}

static void draw_bands(const figure *f, const panel *p, int64_t column, const double *guess)
{
    const int64_t plane = f->h * f->c;
    int64_t       low, high;
    for (int64_t i = 0; find_band(f->r, i, &low, &high); i++)
        panel_band(p, plot_vermilion, guess + low * plane + column, guess + high * plane + column, f->c, f->l,
                   f->h);
}

static void draw_panel(const figure *f, const panel *p, int64_t column, int64_t window, bool leftmost)
{
    const double *v     = f->values + window * (f->l + f->h) * f->c + column;
    const double *guess = f->forecast + window * f->planes * f->h * f->c;
    draw_frame(f, p, leftmost);
    draw_heading(f, p, column, f->row[window * f->c + column]);
    cairo_save(f->cr);
    cairo_rectangle(f->cr, p->x, p->y, p->w, p->h);
    cairo_clip(f->cr);
    draw_bands(f, p, column, guess);
    /* the true values are drawn from the last known value on */
    panel_line(p, plot_blue, 1.6, v + (f->l - 1) * f->c, f->c, f->l - 1, f->h + 1);
    panel_line(p, plot_grey, 1.6, v, f->c, 0, f->l);
    panel_line(p, plot_vermilion, 2.2, guess + column, f->c, f->l, f->h);
    cairo_restore(f->cr);
}

/* ---- the page ---- */

static double curves_top(const figure *f)
{
    return TOP + (double)f->count * (PANEL_H + GAP_Y) - GAP_Y + CURVES;
}

static double page_height(const figure *f)
{
    return curves_top(f) + (curves_any(f->r) ? PANEL_H + BOTTOM : BOTTOM - CURVES);
}

/* Writes "80, 95 % intervals", or "quantiles from 0.1 to 0.9". */
static void name_bands(const run *r, char text[96])
{
    const int64_t q = r->info.quantile_count;
    int           n = 0;
    for (int64_t i = 0; i < r->o->interval_count && n < 64; i++)
        n += snprintf(text + n, 16, "%s%g", i ? ", " : "", 100 * r->o->interval[i]);
    if (n)
        snprintf(text + n, 24, " %% interval%s", r->o->interval_count > 1 ? "s" : "");
    else
        snprintf(text, 96, "quantiles from %g to %g", r->info.quantiles[0], r->info.quantiles[q - 1]);
}

/* Writes the name of the model and its errors. */
static void say_errors(const figure *f, char *text, size_t size)
{
    const run *r     = f->r;
    const bool model = r->forecaster, whole = r->test_windows && !r->o->backtest;
    int        n = snprintf(text, size, "%s%s; units of the file",
                     model ? block_names[r->info.block] : "forecast without training",
                     !r->blend         ? ""
                            : r->test_windows ? ", without the blend"
                                              : " in a blend");
    if (!isnan(r->test.mse) && r->o->backtest)
        n += snprintf(text + n, size - (size_t)n, ". On all %lld forecasts of the backtest",
                      (long long)r->test_windows);
    else if (!isnan(r->test.mse) && whole && model)
        n += snprintf(text + n, size - (size_t)n, ". On all %lld test windows", (long long)r->test_windows);
    else if (!isnan(r->test.mse) && whole)
        n += snprintf(text + n, size - (size_t)n, ". On the last rows of all series");
    if (!isnan(r->test.mse) && r->test_windows)
        n += snprintf(text + n, size - (size_t)n, ": MSE %.3f, MAE %.3f (standardised)", r->test.mse,
                      r->test.mae);
    if (model && whole)
        snprintf(text + n, size - (size_t)n, ". Drawn: %s of the test rows",
                 f->windows - (r->o->predict != NULL) > 1 ? "the windows at one and two thirds"
                                                          : "the window in the middle");
}

static void draw_head(const figure *f)
{
    const run *r  = f->r;
    cairo_t   *cr = f->cr;
    char       text[256], step[TIME_MAX];
    double     x = PAGE - RIGHT;
    const int  n = snprintf(text, sizeof text, "%s: %lld row%s ahead", r->dataset, (long long)f->h,
                            plural(f->h));
    if (r->forecaster) snprintf(text + n, sizeof text - (size_t)n, ", from the %lld before", (long long)f->l);
    canvas_text(cr, canvas_ink, 21, true, LEFT, 38, 0, text);
    say_errors(f, text, sizeof text);
    canvas_text(cr, canvas_pale, 13, false, LEFT, 60, 0, text);
    int64_t low, high;
    if (find_band(r, 0, &low, &high)) {
        name_bands(r, text);
        x = panel_key(cr, x, 38, plot_band, 9, text);
    }
    x = panel_key(cr, x, 38, plot_vermilion, 2.2, "forecast");
    x = panel_key(cr, x, 38, plot_blue, 1.6, "truth");
    panel_key(cr, x, 38, plot_grey, 1.6, "history");
    bool own = false;
    for (int64_t s = 0; s < f->count; s++) own |= axis_of(f, f->series[s]) != r->table;
    if (own)
        snprintf(text, sizeof text, "a row is a step of its series");
    else if (!time_step(r->table, step))
        snprintf(text, sizeof text, "rows from the start of the forecast");
    else
        snprintf(text, sizeof text, "a row is %s", step);
    canvas_text(cr, canvas_pale, 12, false, LEFT + (PAGE - LEFT - RIGHT) / 2,
                curves_top(f) - CURVES + BOTTOM - 16, 0.5, text);
}

/* Whether the panel of the series below has other times, or does not exist. */
static bool ends_axis(const figure *f, int64_t window, int64_t s)
{
    const int64_t *row = f->row + window * f->c, *series = f->series;
    return s + 1 == f->count || axis_of(f, series[s]) != axis_of(f, series[s + 1]) ||
           row[series[s]] != row[series[s + 1]];
}

static void draw_page(void *user, cairo_t *cr)
{
    figure      *f     = user;
    const double width = (PAGE - LEFT - RIGHT - (double)(f->windows - 1) * GAP_X) / (double)f->windows;
    f->cr              = cr;
    draw_head(f);
    for (int64_t s = 0; s < f->count; s++) {
        panel p = {.cr   = cr,
                   .w    = width,
                   .h    = PANEL_H,
                   .y    = TOP + (double)s * (PANEL_H + GAP_Y),
                   .last = (double)(f->l + f->h - 1)};
        fit_range(f, f->series[s], &p);
        for (int64_t w = 0; w < f->windows; w++) {
            p.x = LEFT + (double)w * (width + GAP_X);
            draw_panel(f, &p, f->series[s], w, w == 0);
            if (ends_axis(f, w, s)) draw_axis(f, &p, f->series[s], f->row[w * f->c + f->series[s]]);
        }
    }
    if (curves_any(f->r)) curves_draw(f->r, cr, curves_top(f));
}

/* ---- the data of the plot ---- */

/* Copies the values of the rows around a forecast; rows that the table does not have are missing. */
static void take_rows(const figure *f, const int64_t *columns, int64_t w)
{
    const fgt_view values = fgt_table_get_values(f->r->table);
    double        *out    = f->values + w * (f->l + f->h) * f->c;
    for (int64_t i = 0; i < (f->l + f->h) * f->c; i++) {
        const int64_t first = f->row[w * f->c + i % f->c], row = first - f->l + i / f->c;
        out[i] = first < f->l || row >= values.shape[0]
                     ? NAN
                     : ((const double *)values.data)[row * values.shape[1] + columns[i % f->c]];
    }
}

/* Takes the true values of the forecast, if --future contains the targets. */
static bool take_future(const figure *f, int64_t w)
{
    fgt_table *future;
    if (!input_load_future(f->r, &future)) return false;
    for (int64_t c = 0; future && c < f->c; c++) {
        const int64_t  first = f->row[w * f->c + c];
        const fgt_view v     = fgt_table_get_values(future);
        int64_t        from;
        if (first < f->l ||
            fgt_table_get_column(future, fgt_forecaster_get_name(f->r->forecaster, c), &from) != FGT_OK)
            continue;
        for (int64_t h = 0; h < f->h; h++) {
            const int64_t row = predict_find_future(f->r->table, future, first, h);
            double       *out = &f->values[(w * (f->l + f->h) + f->l + h) * f->c + c];
            if (row >= 0 && isnan(*out)) *out = ((const double *)v.data)[row * v.shape[1] + from];
        }
    }
    fgt_table_destroy(&future);
    return true;
}

static bool take_test_window(const figure *f, int64_t w, int64_t row)
{
    for (int64_t c = 0; c < f->c; c++) f->row[w * f->c + c] = row;
    return predict_known(f->r, f->forecast + w * f->planes * f->h * f->c, f->row + w * f->c);
}

static bool allocate(figure *f)
{
    const size_t windows = (size_t)f->windows, c = (size_t)f->c;
    f->values   = calloc(windows * (size_t)(f->l + f->h) * c, sizeof *f->values);
    f->forecast = calloc(windows * (size_t)(f->planes * f->h) * c, sizeof *f->forecast);
    f->row      = calloc(windows * c, sizeof *f->row);
    return (f->values && f->forecast && f->row) || complain("no memory");
}

/* Windows at one and two thirds of the test rows, and with --predict the rows after the data. */
static bool gather(figure *f)
{
    run          *r     = f->r;
    const int64_t first = r->split.test_begin > f->l ? r->split.test_begin : f->l;
    const int64_t count = r->o->backtest ? 1 : r->test_windows;
    const int64_t tests = count < WINDOWS ? count : WINDOWS;
    f->windows          = tests + (r->o->predict != NULL);
    f->planes           = predict_planes(r);
    if (!allocate(f)) return false;
    int64_t *columns = run_columns(r);
    bool     good    = columns != NULL;
    for (int64_t w = 0; good && w < tests; w++)
        good = take_test_window(f, w, first + (w + 1) * count / (tests + 1));
    if (good && r->o->predict)
        good = predict_values(r, f->forecast + tests * f->planes * f->h * f->c, f->row + tests * f->c);
    for (int64_t w = 0; good && w < f->windows; w++) take_rows(f, columns, w);
    if (good && r->o->predict) good = take_future(f, tests);
    free(columns);
    return good;
}

bool plot_check(const char *path)
{
    return canvas_named(path) || complain("--plot %s: the name must end with .svg or .png", path);
}

static bool draw_to(const char *path, figure *f, FILE *out)
{
    const double height = page_height(f);
    if (height > TALLEST)
        return complain("--plot %s: %lld series are too many for a picture; name some with --plot-series",
                        path, (long long)f->count);
    const char *bad = canvas_write(path, out, PAGE, height, draw_page, f);
    return !bad || complain("%s: cairo: %s", path, bad);
}

static bool draw(const char *path, figure *f)
{
    output out  = {0};
    bool   good = (f->series = columns_to_plot(f->r, &f->count)) && output_open(&out, path);
    if (good) good = draw_to(path, f, out.file);
    free(f->series);
    return output_close(&out, good) && good;
}

bool plot_draw(run *r, const char *path, const plot_data *d)
{
    figure f = {.r        = r,
                .l        = d->history,
                .h        = r->info.pred_len,
                .c        = r->info.columns,
                .windows  = d->windows,
                .values   = d->values,
                .forecast = d->forecast,
                .planes   = d->planes,
                .row      = d->row,
                .axis     = d->axis};
    return draw(path, &f);
}

bool plot_write(run *r, const char *path)
{
    figure     f    = {.r = r, .l = r->info.input_len, .h = r->info.pred_len, .c = r->info.columns};
    const bool good = gather(&f) && draw(path, &f);
    free(f.values);
    free(f.forecast);
    free(f.row);
    return good;
}
