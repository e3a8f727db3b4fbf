/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear maps in closed form, and the course of the day that is taken off before them. */
#include <fighter/forecast.h>

#include "forecast/build/closed_form.h"
#include "forecast/forecaster.h"
#include "forecast/linear/ridge.h"
#include "forecast/rows/frame.h"
#include "golden.h"

/* A file under test, and what the library makes of it. */
typedef struct maps {
    golden            *g;
    fgti_linear_choice choice;
    int64_t            rows, columns, lags, steps;
    double            *series; /* [rows,C], of which the maps are */
    int64_t            count;  /* 1, or C */
    double            *weight; /* [count,H,L] */
    double            *bias;   /* [count,H] */
} maps;

static maps read_settings(golden *g)
{
    const fgti_st_tensor *t = golden_need(g, "series");
    maps m  = {.g = g, .rows = t->shape[0], .columns = t->shape[1], .series = golden_doubles(g, "series")};
    m.lags  = (int64_t)golden_number(g, "lags", 0);
    m.steps = (int64_t)golden_number(g, "steps", 0);
    m.choice.lags    = m.lags;
    m.choice.each    = golden_number(g, "each", 0) != 0;
    m.choice.last    = golden_number(g, "last", 0) != 0;
    m.choice.period  = (int64_t)golden_number(g, "period", 0);
    m.choice.penalty = golden_number(g, "penalty", 0);
    m.count          = m.choice.each ? m.columns : 1;
    m.weight         = golden_memory(g, m.count * m.steps * m.lags, sizeof *m.weight);
    m.bias           = golden_memory(g, m.count * m.steps, sizeof *m.bias);
    return m;
}

/* Adds the windows of series c to the moments. */
static void add_column(const maps *m, int64_t c, fgti_moments *moments)
{
    double *column = golden_memory(m->g, m->rows + FGTI_MOMENTS_MORE, sizeof *column);
    for (int64_t r = 0; r < m->rows; r++) column[r] = m->series[r * m->columns + c];
    fgti_moments_add_series(moments, column, m->rows);
}

static bool solve_with(maps *m, fgti_ridge *ridge, fgti_moments *moments)
{
    for (int64_t i = 0; i < m->count; i++) {
        fgti_moments_clear(moments);
        for (int64_t c = 0; c < m->columns; c++)
            if (!m->choice.each || c == i) add_column(m, c, moments);
        if (!fgti_ridge_solve(ridge, moments, &m->choice)) return false;
        fgti_ridge_write(ridge, m->weight + i * m->steps * m->lags, m->bias + i * m->steps);
    }
    return true;
}

static void solve(maps *m)
{
    fgt_context *ctx = m->g->ctx;
    fgti_ridge   ridge;
    fgti_moments moments = {0};
    bool         solved  = false;
    fgt_status   s       = fgti_ridge_new(ctx, m->lags, m->steps, &ridge);
    if (s == FGT_OK) s = fgti_moments_new(ctx, m->lags + m->steps, &moments);
    if (s == FGT_OK) solved = solve_with(m, &ridge, &moments);
    fgti_moments_done(ctx, &moments);
    fgti_ridge_done(ctx, &ridge);
    golden_ok(m->g, s);
    if (!solved) golden_fail(m->g, "the equations have no solution");
}

static void compare(golden *g, const char *tensor, int64_t count, const double *got)
{
    float *f = golden_memory(g, count, sizeof *f);
    for (int64_t i = 0; i < count; i++) f[i] = (float)got[i];
    golden_forward_is(g, tensor, count, f);
}

/* Weights, and the forecast of the rows after the last; course [24,C] is added to it, NULL: nothing. */
static void compare_all(const maps *m, const double *course)
{
    const int64_t l = m->lags, h = m->steps, c = m->columns;
    double       *y = golden_memory(m->g, h * c, sizeof *y);
    for (int64_t k = 0; k < h; k++)
        for (int64_t i = 0; i < c; i++) {
            const int64_t map = m->count > 1 ? i : 0;
            double        sum = m->bias[map * h + k] + (course ? course[(m->rows + k) % 24 * c + i] : 0);
            for (int64_t j = 0; j < l; j++)
                sum += m->weight[(map * h + k) * l + j] * m->series[(m->rows - l + j) * c + i];
            y[k * c + i] = sum;
        }
    compare(m->g, "weight", m->count * h * l, m->weight);
    compare(m->g, "bias", m->count * h, m->bias);
    compare(m->g, "forecast", h * c, y);
}

void golden_ridge(golden *g)
{
    maps m = read_settings(g);
    solve(&m);
    compare_all(&m, NULL);
}

/* ---- the course of the day ---- */

/* The course of the day [24,C] that a forecaster of these rows knows, of which the first are for training,
 * and the standardised rows less that. */
static fgt_status take_course_off(maps *m, fgt_table *table, const fgt_split *split, double *course)
{
    const fgt_forecaster_opts o     = {.size            = sizeof o,
                                       .input_len       = m->lags,
                                       .pred_len        = m->steps,
                                       .block.kind      = FGT_BLOCK_LINEAR,
                                       .inputs.calendar = FGT_CALENDAR_DAY};
    fgt_forecaster           *f     = NULL;
    fgti_closed_form          c     = {0};
    fgti_frame                frame = {0};
    fgt_status                s     = fgt_forecaster_create(m->g->ctx, table, split, &o, &f);
    if (s == FGT_OK) s = fgti_closed_form_fit(f, table, split, split->train_end, &c);
    if (s == FGT_OK) s = fgti_frame_init(f, table, &frame);
    for (int64_t r = 0; s == FGT_OK && r < m->rows; r++)
        for (int64_t i = 0; i < m->columns; i++) {
            const int64_t known = fgti_forecaster_known(&f->info);
            double        sum   = c.level[i];
            for (int64_t j = 0; j < known; j++)
                sum += c.effect[i * known + j] * (double)frame.known[r * known + j];
            if (r < 24) course[r * m->columns + i] = sum;
            m->series[r * m->columns + i] = (double)frame.series[r * m->columns + i] - sum;
        }
    if (f) fgti_frame_done(f, &frame);
    fgti_closed_form_done(m->g->ctx, &c);
    fgt_forecaster_destroy(&f);
    return s;
}

void golden_course(golden *g)
{
    maps            m      = read_settings(g);
    const int64_t   train  = (int64_t)golden_number(g, "train", 0);
    double         *course = golden_memory(g, 24 * m.columns, sizeof *course);
    int64_t        *times  = golden_memory(g, m.rows, sizeof *times);
    fgt_table      *table  = NULL;
    const fgt_split split  = {0, train, train, m.rows, m.rows, m.rows};
    for (int64_t r = 0; r < m.rows; r++) times[r] = r * 3600000;
    fgt_status s =
        fgt_table_create(g->ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, m.series, m.rows, m.columns), &table);
    if (s == FGT_OK) s = fgt_table_set_times(table, FGT_VIEW_OF(FGT_DTYPE_I64, times, m.rows), 0);
    m.rows = train;
    if (s == FGT_OK) s = take_course_off(&m, table, &split, course);
    fgt_table_destroy(&table);
    golden_ok(g, s);
    solve(&m);
    compare(g, "course", 24 * m.columns, course);
    compare_all(&m, course);
}
