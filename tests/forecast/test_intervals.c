/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals: quantiles of past errors, coverage of what follows. */
#include "../scaler_info.h"
#include "intervals.h"
#include "small_series.h"

#include <fighter/experimental/evaluate.h>

#include "data/table.h"
#include "forecast/predict/calibration.h"

enum { N = 2000, H = 4, L = 24, C = 2, BEGIN = 1200 };

static double          series[N][C];
static const fgt_split parts = {0, 900, 900, 1000, 1000, N};

/* A rhythm and noise, which becomes three times as loud in row 1400. */
static int fill(void **state)
{
    uint64_t s = 7;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++) {
            double noise = 0;
            for (int i = 0; i < 12; i++) {
                s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                noise += (double)(s >> 40) / (1 << 24) - 0.5;
            }
            series[r][c] = 50 + 4 * sin(r * 0.3 + c) + noise * (r < 1400 ? 1 : 3);
        }
    return set_up(state);
}

static fgt_table *table_of(int64_t rows)
{
    fgt_table *t;
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, series, rows, C), &t));
    return t;
}

static fgt_forecaster *trained(const fgt_table *t)
{
    const fgt_forecaster_opts o = {
        .size = sizeof o, .input_len = L, .pred_len = H, .seed = 1, .block.kind = FGT_BLOCK_LINEAR};
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 5, .lr = 0.01}};
    fgt_forecaster               *f;
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
    return f;
}

/* ---- quantiles ---- */

static void quantiles_are_order_statistics(void **state)
{
    (void)state;
    const float      errors[] = {3, -1, NAN, 4, -5, 9, -2, 6, 5, -3, 0, -10, 8, -4, 7, -9, 2, -8, 1, -6, -7};
    fgt_table       *t        = table_of(N);
    fgt_forecaster  *f        = trained(t);
    fgt_calibration *c;
    OK(fgti_calibration_new(f, 30, &c));
    for (int i = 0; i < 21; i++) {
        float cells[H * C] = {0};
        for (int k = 0; k < H * C; k++) cells[k] = errors[i] * (float)(k + 1);
        fgti_calibration_add(c, cells);
    }
    fgti_calibration_sort(c); /* -10, -9 ... 9 */
    assert_int_equal(c->count[0], 20);
    const struct {
        double q, error;
    } cases[] = {{0.5, 0},  {0.1, -9}, {0.19, -8}, {0.2, -7}, {0.8, 6},
                 {0.81, 7}, {0.9, 8},  {0.95, 9},  {1.0 / 21, -10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fgti_calibration_quantile(c, 0, cases[i].q) == cases[i].error);
        assert_true(fgti_calibration_quantile(c, 2, cases[i].q) == 3 * cases[i].error);
    }
    /* beyond the first and the last error nothing is known */
    assert_true(isnan(fgti_calibration_quantile(c, 0, 0.047)));
    assert_true(isnan(fgti_calibration_quantile(c, 0, 0.953)));
    c->count[0]--; /* one fewer says nothing */
    assert_true(isnan(fgti_calibration_quantile(c, 0, 0.5)));
    fgt_calibration_destroy(&c);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Errors that come one by one, the oldest of which go, are those that are sorted together. */
static void errors_are_replaced_in_order(void **state)
{
    (void)state;
    enum { ALL = 90, ROOM = 25 };
    static float     error[ALL][H * C];
    fgt_table       *t = table_of(N);
    fgt_forecaster  *f = trained(t);
    fgt_calibration *one, *all;
    OK(fgti_calibration_new(f, ROOM, &one));
    for (int w = 0; w < ALL; w++) {
        for (int i = 0; i < H * C; i++) error[w][i] = w * (i + 3) % 7 ? (float)(w * 37 % (11 + i)) : NAN;
        fgti_calibration_replace(one, w < ROOM ? NULL : error[w - ROOM], error[w]);
        OK(fgti_calibration_new(f, ROOM, &all));
        for (int k = w < ROOM ? 0 : w - ROOM + 1; k <= w; k++) fgti_calibration_add(all, error[k]);
        fgti_calibration_sort(all);
        for (int i = 0; i < H * C; i++) {
            assert_int_equal(one->count[i], all->count[i]);
            assert_memory_equal(one->error + i * ROOM, all->error + i * ROOM,
                                (size_t)one->count[i] * sizeof *one->error);
        }
        fgt_calibration_destroy(&all);
    }
    fgt_calibration_destroy(&one);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void quantiles_never_cross(void **state)
{
    (void)state;
    fgt_table       *t = table_of(N);
    fgt_forecaster  *f = trained(t);
    fgt_calibration *c;
    double           forecast[H * C], last[H * C], now[H * C];
    OK(fgt_calibration_create(f, t, BEGIN, &c));
    assert_int_equal(fgt_calibration_count_windows(c), 672);
    OK(fgt_forecaster_predict_table(f, t, BEGIN, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, forecast, H, C)));
    for (int i = 0; i < H * C; i++) last[i] = -1e9;
    for (int k = 1; k < 100; k++) {
        OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, forecast, H, C), k / 100.0,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, now, H, C)));
        for (int i = 0; i < H * C; i++) {
            assert_true(now[i] >= last[i]);
            last[i] = now[i];
        }
    }
    memcpy(now, forecast, sizeof now);
    OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, now, H, C), 0.99,
                                        FGT_VIEW_OF(FGT_DTYPE_F64, now, H, C)));
    assert_memory_equal(now, last, sizeof now);
    fgt_forecaster_destroy(&f); /* the calibration stands alone */
    OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, forecast, H, C), 0.5,
                                        FGT_VIEW_OF(FGT_DTYPE_F64, now, H, C)));
    REFUSED(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, forecast, H, C), 1,
                                             FGT_VIEW_OF(FGT_DTYPE_F64, now, H, C)),
            FGT_E_ARG, "q is out of range (got 1");
    REFUSED(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, forecast, 1, C), 0.5,
                                             FGT_VIEW_OF(FGT_DTYPE_F64, now, H, C)),
            FGT_E_SHAPE, "forecast");
    fgt_calibration_destroy(&c);
    fgt_calibration_destroy(&c);
    fgt_table_destroy(&t);
}

/* ---- coverage ---- */

static const double levels[] = {0.5, 0.8, 0.95};

static void intervals_hold_what_they_promise(void **state)
{
    (void)state;
    fgt_table          *t = table_of(N);
    fgt_forecaster     *f = trained(t);
    fgt_interval_metric m[3];
    double              by_step[3][H];
    /* before the noise becomes louder */
    OK(judge_intervals(f, t, 1000, 1400, levels, 3, m, FGT_VIEW_OF(FGT_DTYPE_F64, by_step, 3, H)));
    for (int i = 0; i < 3; i++) {
        const double share = (double)m[i].inside / (double)m[i].count;
        if (fabs(share - levels[i]) > 0.05) fail_msg("%g holds %g", levels[i], share);
        double mean = 0;
        for (int k = 0; k < H; k++) mean += by_step[i][k] / H;
        assert_true(fabs(mean - share) < 1e-9);
        assert_int_equal(m[i].count, (400 - H + 1) * H * C);
        assert_true(m[i].score >= m[i].width);
        if (i) assert_true(m[i].width > m[i - 1].width);
    }
    /* long after it */
    OK(judge_intervals(f, t, 1800, N, levels, 3, m, NULL));
    const double wide = m[1].width / (double)m[1].count, share = (double)m[1].inside / (double)m[1].count;
    OK(judge_intervals(f, t, 1200, 1400, levels + 1, 1, m, NULL));
    assert_true(wide > 1.5 * m[0].width / (double)m[0].count && share > 0.6);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Of 672 errors none says what 99.8 % of the values are; other levels do not mind. */
static void levels_need_errors(void **state)
{
    (void)state;
    const double        both[] = {0.998, 0.5};
    fgt_table          *t      = table_of(N);
    fgt_forecaster     *f      = trained(t);
    fgt_interval_metric m[2];
    double              by_step[2][H];
    OK(judge_intervals(f, t, BEGIN, BEGIN + 100, both, 2, m, FGT_VIEW_OF(FGT_DTYPE_F64, by_step, 2, H)));
    assert_true(m[0].count == 0 && m[0].inside == 0 && m[1].count == (100 - H + 1) * H * C);
    for (int h = 0; h < H; h++) assert_true(isnan(by_step[0][h]) && by_step[1][h] > 0.2);
    OK(judge_intervals(f, t, BEGIN, BEGIN + 100, both, 1, m, NULL));
    assert_int_equal(m[0].count, 0);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* By hand: a calibration at the first row of each day, asked for every window of it. */
static void each_interval_knows_only_the_past(void **state)
{
    (void)state;
    enum { END = BEGIN + 60 };
    fgt_table          *t = table_of(N);
    fgt_forecaster     *f = trained(t);
    fgt_interval_metric m;
    fgt_calibration    *c      = NULL;
    int64_t             inside = 0, count = 0;
    const double       *scale = scaler_scale(fgt_forecaster_get_scaler(f)).data;
    double              width = 0;
    OK(judge_intervals(f, t, BEGIN, END, levels + 1, 1, &m, NULL));
    for (int64_t r = BEGIN; r + H <= END; r++) {
        double y[H * C], low[H * C], high[H * C];
        if ((r - BEGIN) % 24 == 0) {
            fgt_calibration_destroy(&c);
            OK(fgt_calibration_create(f, t, r, &c));
        }
        OK(fgt_forecaster_predict_table(f, t, r, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C)));
        OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C), 0.1,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, low, H, C)));
        OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C), 0.9,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, high, H, C)));
        for (int i = 0; i < H * C; i++, count++) {
            const double v = series[r + i / C][i % C];
            inside += v >= low[i] && v <= high[i];
            width += (high[i] - low[i]) / scale[i % C];
        }
    }
    assert_int_equal(m.count, count);
    assert_true(llabs(m.inside - inside) <= 1); /* a value at the very edge may fall to either side */
    assert_true(fabs(m.width - width) < 1e-4 * width);
    fgt_calibration_destroy(&c);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- intervals of windows that are visited ---- */

typedef struct visited {
    fgt_forecaster  *f;
    const fgt_table *t;
    fgt_calibration *c;
    int64_t          windows, unknown, until;
} visited;

static fgt_status compare_ends(void *user, const fgt_forecast_window *w)
{
    visited *v = user;
    double   want[H * C];
    v->windows++;
    assert_int_equal(w->low.shape[0], 3);
    if (w->row < L + H + 19) { /* fewer than 20 windows end before it */
        v->unknown++;
        for (int i = 0; i < 3 * H * C; i++) assert_true(isnan(((const double *)w->low.data)[i]));
        return FGT_OK;
    }
    if (w->row >= v->until) {
        fgt_calibration_destroy(&v->c);
        v->until = w->row + 24;
        OK(fgt_calibration_create(v->f, v->t, w->row, &v->c));
    }
    for (int k = 0; k < 6; k++) {
        const fgt_view *ends = k % 2 ? &w->high : &w->low;
        const double   *got = (const double *)ends->data + k / 2 * H * C, level = levels[k / 2];
        OK(fgt_calibration_compute_quantile(v->c, &w->forecast, k % 2 ? (1 + level) / 2 : (1 - level) / 2,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, want, H, C)));
        for (int i = 0; i < H * C; i++)
            if (fabs(got[i] - want[i]) > 1e-4) fail_msg("row %d: %g, %g", (int)w->row, got[i], want[i]);
    }
    return FGT_OK;
}

static void visitors_are_told_intervals(void **state)
{
    (void)state;
    fgt_table      *t = table_of(N);
    fgt_forecaster *f = trained(t);
    visited         late = {.f = f, .t = t}, early = {.f = f, .t = t, .until = N};
    fgt_forecast_visit_opts o = {.size        = sizeof o,
                                 .begin       = BEGIN,
                                 .end         = BEGIN + 200,
                                 .stride      = 8,
                                 .levels      = levels,
                                 .level_count = 3};
    OK(fgt_forecaster_visit(f, t, &o, compare_ends, &late));
    assert_int_equal(late.windows, 25);
    fgt_calibration_destroy(&late.c);
    o.begin = L;
    o.end   = L + H + 2;
    OK(fgt_forecaster_visit(f, t, &o, compare_ends, &early));
    assert_true(early.windows == 1 && early.unknown == 1);
    o.season = 1;
    REFUSED(fgt_forecaster_visit(f, t, &o, compare_ends, &early), FGT_E_ARG, "have no intervals");
    o.season      = 0;
    o.level_count = 0;
    REFUSED(fgt_forecaster_visit(f, t, &o, compare_ends, &early), FGT_E_ARG, "got level_count 0");
    o.levels      = &(double){1};
    o.level_count = 1;
    REFUSED(fgt_forecaster_visit(f, t, &o, compare_ends, &early), FGT_E_ARG,
            "level 0 is out of range (got 1");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* With times, windows of the rows that the model was trained on do not count, unless others are too few. */
static void rows_of_training_do_not_calibrate(void **state)
{
    (void)state;
    static int64_t times[N];
    for (int64_t r = 0; r < N; r++) times[r] = r * 3600000;
    fgt_table *t = table_of(N), *old = table_of(950);
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, N), 0));
    OK(fgt_table_set_times(old, FGT_VIEW_OF(FGT_DTYPE_I64, times, 950), 0));
    fgt_forecaster     *f = trained(t);
    fgt_calibration    *c;
    fgt_forecaster_info info = {.size = sizeof info};
    fgt_interval_metric m;
    OK(fgt_forecaster_get_info(f, &info));
    assert_true(info.trained_last == times[899] && info.seen_last == times[999]);
    OK(fgt_calibration_create(f, t, BEGIN, &c));
    assert_int_equal(fgt_calibration_count_windows(c), 300 - H + 1);
    fgt_calibration_destroy(&c);
    OK(fgt_calibration_create(f, old, -1, &c));
    assert_int_equal(fgt_calibration_count_windows(c), 50 - H + 1);
    assert_int_equal(fgt_calibration_count_trained_windows(c), 0);
    fgt_calibration_destroy(&c);
    for (int fresh = 0; fresh < 20; fresh += 19) {
        OK(fgt_calibration_create(f, t, 900 + H - 1 + fresh, &c));
        assert_int_equal(fgt_calibration_count_windows(c), 20);
        assert_int_equal(fgt_calibration_count_trained_windows(c), 20 - fresh);
        fgt_calibration_destroy(&c);
    }
    assert_int_equal(fgt_calibration_count_trained_windows(NULL), 0);
    REFUSED(judge_intervals(f, t, 900, 920, levels, 1, &m, NULL), FGT_E_DATA, "no forecast before row 900");
    /* the window of row 923 is the first that has 20 before it */
    OK(judge_intervals(f, t, 905, 960, levels, 1, &m, NULL));
    assert_int_equal(m.count, (960 - 923 - H + 1) * H * C);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&old);
    fgt_table_destroy(&t);
}

typedef struct widths {
    int    windows, changes;
    double last;
} widths;

static fgt_status count_widths(void *user, const fgt_forecast_window *w)
{
    widths      *all = user;
    const double low = *(const double *)w->low.data, width = *(const double *)w->high.data - low;
    if (isnan(low)) return FGT_OK;
    all->windows++;
    all->changes += fabs(width - all->last) > 1e-9;
    all->last = width;
    return FGT_OK;
}

/* Rows of days and more are calibrated for each window, hours once a day, from the first window on that has
 * 20 before it. */
static void rows_of_days_are_calibrated_one_by_one(void **state)
{
    (void)state;
    static const int64_t steps[] = {3600000, INT64_C(86400000), 7 * INT64_C(86400000)};
    static int64_t       times[N];
    for (int i = 0; i < 3; i++) {
        for (int64_t r = 0; r < N; r++) times[r] = r * steps[i];
        fgt_table *t = table_of(N);
        OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, N), 0));
        fgt_forecaster *f   = trained(t);
        widths          all = {0};
        OK(fgt_forecaster_visit(f, t,
                                &FGT_OPTS(fgt_forecast_visit_opts, .begin = 900,
                                          .end = 900 + H + 19 + 240 + H - 1, .levels = levels,
                                          .level_count = 1),
                                count_widths, &all));
        assert_int_equal(all.windows, 240);
        if (i ? all.changes < 24 : all.changes > 10) fail_msg("step %d: %d widths", i, all.changes);
        fgt_forecaster_destroy(&f);
        fgt_table_destroy(&t);
    }
}

/* A target of which few values are known has intervals from the errors of all steps and targets, but none are
 * measured before it has 20 errors. */
static void few_errors_are_pooled(void **state)
{
    (void)state;
    fgt_table *t = table_of(N);
    for (int r = 0; r < N; r++) t->values[r * C + 1] = r % 20 ? NAN : series[r][1];
    fgt_forecaster     *f = trained(t);
    fgt_calibration    *c;
    fgt_interval_metric m;
    double              y[H * C], low[H * C];
    for (int64_t row = 1000; row <= 1400; row += 400) {
        OK(fgt_forecaster_predict_table(f, t, row, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C)));
        OK(fgt_calibration_create(f, t, row, &c)); /* of 672 rows, 33 values; of 300, 15 */
        OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C), 0.1,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, low, H, C)));
        assert_true(isfinite(low[0]) && isfinite(low[1]));
        fgt_calibration_destroy(&c);
    }
    OK(fgt_calibration_create(f, t, 320, &c));
    OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C), 0.1,
                                        FGT_VIEW_OF(FGT_DTYPE_F64, low, H, C)));
    for (int i = 0; i < H * C; i++) assert_true(low[i] < y[i] && low[i] > y[i] - 20);
    fgt_calibration_destroy(&c);
    OK(judge_intervals(f, t, 100, 320, levels, 1, &m, NULL));
    assert_int_equal(m.count, (320 - 100 - H + 1) * H); /* of the other target alone */
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Ends of wider intervals lie outside those of narrower ones, whatever they come from. Those of a few windows
 * hold about as many values as they promise. */
static void few_windows_have_intervals(void **state)
{
    (void)state;
    static const double q[] = {.005, .025, .1, .25, .75, .9, .975, .995};
    fgt_table          *t   = table_of(N);
    fgt_forecaster     *f   = trained(t);
    for (int64_t row = L + H + 2; row < L + H + 60; row += 19) {
        double           y[H * C], end[8][H * C];
        fgt_calibration *c;
        int64_t          inside = 0, all = 0;
        OK(fgt_calibration_create(f, t, row, &c));
        for (int64_t next = row; next < N - H; next += H) {
            OK(fgt_forecaster_predict_table(f, t, next, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C)));
            for (int k = 0; k < 8; k++)
                OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C), q[k],
                                                    FGT_VIEW_OF(FGT_DTYPE_F64, end[k], H, C)));
            for (int i = 0; i < H * C; i++) {
                const double v = series[next + i / C][i % C];
                for (int k = 1; k < 8; k++) assert_true(end[k - 1][i] <= end[k][i]);
                all++;
                inside += v >= end[2][i] && v <= end[5][i];
            }
        }
        assert_true(fabs((double)inside / (double)all - .8) < .15);
        fgt_calibration_destroy(&c);
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void calls_are_checked(void **state)
{
    (void)state;
    const double        one = 1;
    fgt_table          *t = table_of(N), *brief = table_of(46), *part;
    fgt_forecaster     *f = trained(t);
    fgt_calibration    *c;
    fgt_interval_metric m;
    OK(fgt_calibration_create(f, brief, 46, &c));
    assert_int_equal(fgt_calibration_count_windows(c), 19);
    fgt_calibration_destroy(&c);
    REFUSED(fgt_calibration_create(f, brief, L + H - 1, &c), FGT_E_DATA, "no window of 24 rows and 4");
    REFUSED(fgt_calibration_create(f, t, N + 1, &c), FGT_E_ARG, "row is out of range (got 2001");
    REFUSED(fgt_calibration_create(f, NULL, -1, &c), FGT_E_ARG, "NULL");
    OK(fgt_table_create_subset(t, (const int64_t[]){0}, 1, &part));
    REFUSED(fgt_calibration_create(f, part, -1, &c), FGT_E_NAME, "lacks a target");
    fgt_table_destroy(&part);
    assert_null(c);
    assert_int_equal(fgt_calibration_create(NULL, t, -1, &c), FGT_E_ARG);
    assert_int_equal(fgt_calibration_compute_quantile(NULL, NULL, 0.5, NULL), FGT_E_ARG);
    assert_int_equal(fgt_calibration_count_windows(NULL), 0);
    REFUSED(judge_intervals(f, t, BEGIN, N, &one, 1, &m, NULL), FGT_E_ARG, "level 0 is out of range (got 1");
    REFUSED(judge_intervals(f, t, BEGIN, N, levels, 0, &m, NULL), FGT_E_ARG, "count is below 1");
    REFUSED(judge_intervals(f, t, BEGIN, N + 1, levels, 1, &m, NULL), FGT_E_ARG, "2000 rows");
    double wrong[2];
    REFUSED(judge_intervals(f, t, BEGIN, N, levels, 1, &m, FGT_VIEW_OF(FGT_DTYPE_F64, wrong, 1, 2)),
            FGT_E_SHAPE, "by_step");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&brief);
    fgt_table_destroy(&t);
}

/* ---- each allocation fails once ---- */

static fgt_table      *sweep_table;
static fgt_forecaster *sweep_forecaster;

static fgt_status look(void *user, const fgt_forecast_window *w)
{
    (void)user, (void)w;
    return FGT_OK;
}

static fgt_status use_all(void)
{
    fgt_calibration    *c;
    fgt_interval_metric m[3];
    double              by_step[3][H];
    fgt_status          s = fgt_calibration_create(sweep_forecaster, sweep_table, BEGIN, &c);
    assert_true((s == FGT_OK) == (c != NULL));
    fgt_calibration_destroy(&c);
    if (s == FGT_OK)
        s = judge_intervals(sweep_forecaster, sweep_table, BEGIN, BEGIN + 40, levels, 3, m,
                            FGT_VIEW_OF(FGT_DTYPE_F64, by_step, 3, H));
    if (s == FGT_OK)
        s = fgt_forecaster_visit(sweep_forecaster, sweep_table,
                                 &FGT_OPTS(fgt_forecast_visit_opts, .begin = BEGIN, .end = BEGIN + 40,
                                           .levels = levels, .level_count = 3),
                                 look, NULL);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    sweep_table      = table_of(N);
    sweep_forecaster = trained(sweep_table);
    OK(use_all()); /* the model's workspace stays */
    SWEEP(&memory, s, 10, use_all()) NOTHING_LEAKS;
    fgt_forecaster_destroy(&sweep_forecaster);
    fgt_table_destroy(&sweep_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_order_statistics),
        cmocka_unit_test(errors_are_replaced_in_order),
        cmocka_unit_test(quantiles_never_cross),
        cmocka_unit_test(intervals_hold_what_they_promise),
        cmocka_unit_test(levels_need_errors),
        cmocka_unit_test(each_interval_knows_only_the_past),
        cmocka_unit_test(visitors_are_told_intervals),
        cmocka_unit_test(rows_of_training_do_not_calibrate),
        cmocka_unit_test(rows_of_days_are_calibrated_one_by_one),
        cmocka_unit_test(few_errors_are_pooled),
        cmocka_unit_test(few_windows_have_intervals),
        cmocka_unit_test(calls_are_checked),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
