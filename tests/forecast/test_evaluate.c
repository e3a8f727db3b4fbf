/* SPDX-License-Identifier: BSD-3-Clause */
/* Every forecast of the test rows, and errors by series and step. */
#include "../scaler_info.h"
#include "small_series.h"

#include <fighter/experimental/evaluate.h>

enum { H = 8, L = 24 };

typedef struct visits {
    fgt_context        *ctx;
    int64_t             count, rows[ROWS], stop;
    fgt_status          with; /* returned at window `stop` */
    double              forecast[ROWS][H][COLUMNS], truth[ROWS][H][COLUMNS];
    fgt_forecast_metric metric[H][COLUMNS];
} visits;

static visits seen;

static fgt_status take(void *user, const fgt_forecast_window *w)
{
    visits *v = user;
    assert_int_equal(w->size, sizeof *w);
    assert_int_equal(w->window, v->count);
    assert_int_equal(w->forecast.dtype, FGT_DTYPE_F64);
    assert_int_equal(w->truth.shape[0], H);
    assert_int_equal(w->truth.shape[1], COLUMNS);
    memcpy(v->forecast[v->count], w->forecast.data, sizeof v->forecast[0]);
    memcpy(v->truth[v->count], w->truth.data, sizeof v->truth[0]);
    v->rows[v->count++] = w->row;
    OK(fgt_forecast_metric_add(v->ctx, &w->forecast, &w->truth, v->metric[0]));
    return v->count == v->stop ? v->with : FGT_OK;
}

static void visit(fgt_forecaster *f, const fgt_table *t, fgt_forecast_visit_opts o)
{
    seen   = (visits){.ctx = ctx};
    o.size = sizeof o;
    OK(fgt_forecaster_visit(f, t, &o, take, &seen));
}

/* ---- windows ---- */

static void every_window_comes_with_the_truth(void **state)
{
    (void)state;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.batch = 4}, t);
    visit(f, t, (fgt_forecast_visit_opts){.begin = 150, .stride = 3});
    assert_int_equal(seen.count, (50 - H) / 3 + 1);
    for (int64_t i = 0; i < seen.count; i++) {
        double alone[H][COLUMNS];
        assert_int_equal(seen.rows[i], 150 + 3 * i);
        assert_memory_equal(seen.truth[i], values[seen.rows[i]], sizeof seen.truth[i]);
        OK(fgt_forecaster_predict_table(f, t, seen.rows[i], NULL,
                                        FGT_VIEW_OF(FGT_DTYPE_F64, alone, H, COLUMNS)));
        for (int k = 0; k < H * COLUMNS; k++) {
            const double want = alone[k / COLUMNS][k % COLUMNS];
            assert_true(fabs(seen.forecast[i][k / COLUMNS][k % COLUMNS] - want) < 1e-4 * (1 + fabs(want)));
        }
    }
    visit(f, t, (fgt_forecast_visit_opts){.end = 40});
    assert_int_equal(seen.count, 40 - L - H + 1);
    assert_int_equal(seen.rows[0], L);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void naive_forecasts_are_those_of_the_baseline(void **state)
{
    (void)state;
    fgt_table      *t      = new_table();
    fgt_forecaster *f      = new_forecaster((fgt_forecaster_opts){0}, t);
    fgt_metric      metric = {0};
    const double   *scale  = scaler_scale(fgt_forecaster_get_scaler(f)).data;
    double          square = 0;
    visit(f, t, (fgt_forecast_visit_opts){.begin = 160, .season = 7});
    for (int64_t i = 0; i < seen.count; i++)
        for (int h = 0; h < H; h++)
            for (int c = 0; c < COLUMNS; c++) {
                const double want = values[seen.rows[i] - 7 + h % 7][c], got = seen.forecast[i][h][c];
                const double e = (got - seen.truth[i][h][c]) / scale[c];
                assert_true(fabs(got - want) < 1e-5 * fabs(want));
                square += e * e;
            }
    OK(fgt_forecaster_evaluate_naive(f, t, 160, ROWS, 7, &metric));
    assert_int_equal(metric.count, seen.count * H * COLUMNS);
    assert_true(fabs(metric.square - square) < 1e-4 * (1 + square));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void a_missing_truth_does_not_count(void **state)
{
    (void)state;
    values[180][1]    = NAN;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){0}, t);
    visit(f, t, (fgt_forecast_visit_opts){.begin = 160});
    fgt_forecast_metric whole, gap;
    fgt_forecast_metric_sum(seen.metric[0], H, COLUMNS, &whole);
    fgt_forecast_metric_sum(seen.metric[0] + 1, H, COLUMNS, &gap);
    assert_int_equal(whole.count, seen.count * H);
    assert_int_equal(gap.count, (seen.count - 1) * H);
    assert_true(isfinite(gap.square) && isnan(seen.truth[20][0][1]));
    fill_values();
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void a_visitor_can_stop(void **state)
{
    (void)state;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.batch = 4}, t);
    seen              = (visits){.ctx = ctx, .stop = 6, .with = FGT_E_CANCELLED};
    REFUSED(fgt_forecaster_visit(f, t, NULL, take, &seen), FGT_E_CANCELLED, "row 29");
    assert_int_equal(seen.count, 6);
    seen = (visits){.ctx = ctx, .stop = 6, .with = FGT_E_IO};
    REFUSED(fgt_forecaster_visit(f, t, NULL, take, &seen), FGT_E_IO, "the visitor failed");
    assert_int_equal(seen.count, 6);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- quantiles ---- */

static double quantiles_seen[ROWS][2][H][COLUMNS];

static fgt_status take_quantiles(void *user, const fgt_forecast_window *w)
{
    (void)user;
    assert_int_equal(w->quantiles.shape[0], 2);
    memcpy(quantiles_seen[w->row], w->quantiles.data, sizeof quantiles_seen[0]);
    return FGT_OK;
}

static int take_none(void *user, const fgt_forecast_window *w)
{
    (void)user;
    return w->quantiles.data != NULL;
}

static void quantiles_come_with_the_forecast(void **state)
{
    (void)state;
    static const double levels[] = {0.1, 0.9};
    fgt_table          *t        = new_table();
    fgt_forecaster     *f =
        new_forecaster((fgt_forecaster_opts){.output.quantiles = levels, .output.quantile_count = 2}, t);
    OK(fgt_forecaster_visit(f, t, &FGT_OPTS(fgt_forecast_visit_opts, .begin = 180), take_quantiles, NULL));
    for (int64_t row = 180; row + H <= ROWS; row++) {
        double alone[2][H][COLUMNS];
        OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, row, NULL,
                                                      FGT_VIEW_OF(FGT_DTYPE_F64, alone, 2, H, COLUMNS)));
        for (int q = 0; q < 2; q++)
            for (int i = 0; i < H * COLUMNS; i++) {
                const double want = alone[q][i / COLUMNS][i % COLUMNS];
                assert_true(fabs(quantiles_seen[row][q][i / COLUMNS][i % COLUMNS] - want) <=
                            1e-5 * (1 + fabs(want)));
            }
    }
    OK(fgt_forecaster_visit(f, t, &FGT_OPTS(fgt_forecast_visit_opts, .begin = 180, .season = 7), take_none,
                            NULL));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- measures ---- */

/* By hand: e = 1, -2, 0 and one value that is missing. */
static void measures_are_those_of_their_equations(void **state)
{
    (void)state;
    double              forecast[4][1] = {{3}, {2}, {0}, {9}}, truth[4][1] = {{2}, {4}, {0}, {NAN}};
    fgt_forecast_metric m[4] = {{0}}, naive = {.count = 2, .absolute = 4, .square = 10};
    OK(fgt_forecast_metric_add(ctx, FGT_VIEW_OF(FGT_DTYPE_F64, forecast, 4, 1),
                               FGT_VIEW_OF(FGT_DTYPE_F64, truth, 4, 1), m));
    fgt_forecast_metric all, part[3];
    fgt_forecast_metric_sum(m, 4, 1, &all);
    const struct {
        int32_t measure;
        double  value;
    } cases[] = {
        {FGT_FORECAST_MEASURE_MSE, 5.0 / 3}, {FGT_FORECAST_MEASURE_RMSE, sqrt(5.0 / 3)},
        {FGT_FORECAST_MEASURE_MAE, 1},       {FGT_FORECAST_MEASURE_BIAS, -1.0 / 3},
        {FGT_FORECAST_MEASURE_WAPE, 0.5},    {FGT_FORECAST_MEASURE_SMAPE, (2.0 / 5 + 4.0 / 6) / 3},
        {FGT_FORECAST_MEASURE_MASE, 0.5},    {FGT_FORECAST_MEASURE_RMSSE, sqrt(5.0 / 3 / 5)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(fabs(fgt_forecast_metric_get_measure(&all, cases[i].measure, &naive) - cases[i].value) <
                    1e-15);
    fgt_forecast_metric_sum(m, 2, 2, &part[0]);
    fgt_forecast_metric_sum(m + 1, 2, 2, &part[1]);
    fgt_forecast_metric_sum(NULL, 2, 2, &part[2]);
    for (int i = 0; i < 3; i++) assert_int_equal(part[i].count, 2 - i);
}

/* No number rather than a division by zero. */
static void what_has_no_denominator_has_no_value(void **state)
{
    (void)state;
    const fgt_forecast_metric none = {0}, zeros = {.count = 3, .absolute = 1, .square = 1};
    for (int32_t k = FGT_FORECAST_MEASURE_MSE; k <= FGT_FORECAST_MEASURE_RMSSE; k++) {
        assert_true(isnan(fgt_forecast_metric_get_measure(&none, k, &zeros)));
        assert_true(isnan(fgt_forecast_metric_get_measure(NULL, k, NULL)));
    }
    assert_true(isnan(fgt_forecast_metric_get_measure(&zeros, FGT_FORECAST_MEASURE_WAPE, NULL)));
    assert_true(isnan(fgt_forecast_metric_get_measure(&zeros, FGT_FORECAST_MEASURE_MASE, NULL)));
    assert_true(isnan(fgt_forecast_metric_get_measure(&zeros, FGT_FORECAST_MEASURE_RMSSE, &none)));
    assert_true(isnan(fgt_forecast_metric_get_measure(&zeros, FGT_FORECAST_MEASURE_RMSSE + 1, &zeros)));
    assert_true(isnan(fgt_forecast_metric_get_measure(&zeros, -1, &zeros)));
}

static void naive_errors_are_those_of_pairs(void **state)
{
    (void)state;
    values[50][1]     = NAN;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){0}, t);
    for (int64_t season = 1; season <= 120; season += 17) {
        fgt_forecast_metric naive[COLUMNS];
        OK(fgt_forecaster_compute_naive_errors(f, t, 10, 120, season, NULL, naive));
        for (int c = 0; c < COLUMNS; c++) {
            int64_t count    = 0;
            double  absolute = 0, square = 0;
            for (int64_t r = 10; r + season < 120; r++) {
                const double e = values[r + season][c] - values[r][c];
                if (isnan(e)) continue;
                count++;
                absolute += fabs(e);
                square += e * e;
            }
            assert_int_equal(naive[c].count, count);
            assert_true(fabs(naive[c].absolute - absolute) <= 1e-9 * absolute);
            assert_true(fabs(naive[c].square - square) <= 1e-9 * square);
        }
    }
    fill_values();
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- what is refused ---- */

static void calls_are_checked(void **state)
{
    (void)state;
    double              y[H][COLUMNS];
    fgt_forecast_metric m[H * COLUMNS];
    fgt_table          *t = new_table();
    fgt_forecaster     *f = new_forecaster((fgt_forecaster_opts){0}, t);
    const fgt_view     *v = FGT_VIEW_OF(FGT_DTYPE_F64, y, H, COLUMNS);
#define VISIT(...) fgt_forecaster_visit(f, t, &FGT_OPTS(fgt_forecast_visit_opts, __VA_ARGS__), take, &seen)
    seen = (visits){.ctx = ctx};
    REFUSED(VISIT(.begin = 195), FGT_E_DATA, "rows 195..199");
    REFUSED(VISIT(.begin = -1), FGT_E_ARG, "-1");
    REFUSED(VISIT(.end = ROWS + 1), FGT_E_ARG, "200 rows");
    REFUSED(VISIT(.stride = -1), FGT_E_ARG, "-1");
    REFUSED(VISIT(.begin = 160, .season = 161), FGT_E_ARG, "season is out of range (got 161, need 1 .. 160");
    REFUSED(VISIT(.begin = 160, .season = -1), FGT_E_ARG, "season is out of range (got -1");
    REFUSED(fgt_forecaster_visit(f, NULL, NULL, take, &seen), FGT_E_ARG, "NULL");
    REFUSED(fgt_forecaster_visit(f, t, NULL, NULL, &seen), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_forecaster_visit(NULL, t, NULL, take, &seen), FGT_E_ARG);
    assert_int_equal(seen.count, 0);
    REFUSED(fgt_forecaster_compute_naive_errors(f, t, 0, ROWS + 1, 1, NULL, m), FGT_E_ARG,
            "rows 0..201 of 200");
    REFUSED(fgt_forecaster_compute_naive_errors(f, t, 5, 4, 1, NULL, m), FGT_E_ARG, "5..4");
    REFUSED(fgt_forecaster_compute_naive_errors(f, t, 0, 4, 0, NULL, m), FGT_E_ARG, "season 0");
    REFUSED(fgt_forecaster_compute_naive_errors(f, t, 0, 4, 1, NULL, NULL), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_forecaster_compute_naive_errors(NULL, t, 0, 4, 1, NULL, m), FGT_E_ARG);
    REFUSED(fgt_forecast_metric_add(ctx, v, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, COLUMNS - 1), m), FGT_E_SHAPE,
            "truth");
    REFUSED(fgt_forecast_metric_add(ctx, v, v, NULL), FGT_E_ARG, "no place");
    REFUSED(fgt_forecast_metric_add(ctx, NULL, v, m), FGT_E_ARG, "forecast");
    assert_int_equal(fgt_forecast_metric_add(NULL, v, v, m), FGT_E_ARG);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status      s;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){0}, t);
    visit(f, t, (fgt_forecast_visit_opts){.begin = 160}); /* the model's workspace stays */
    SWEEP(&memory, s, 6, (seen = (visits){.ctx = ctx}, VISIT(.begin = 160))) NOTHING_LEAKS;
    SWEEP(&memory, s, 6, (seen = (visits){.ctx = ctx}, VISIT(.begin = 160, .season = 7))) NOTHING_LEAKS;
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_comes_with_the_truth),
        cmocka_unit_test(naive_forecasts_are_those_of_the_baseline),
        cmocka_unit_test(a_missing_truth_does_not_count),
        cmocka_unit_test(a_visitor_can_stop),
        cmocka_unit_test(quantiles_come_with_the_forecast),
        cmocka_unit_test(measures_are_those_of_their_equations),
        cmocka_unit_test(what_has_no_denominator_has_no_value),
        cmocka_unit_test(naive_errors_are_those_of_pairs),
        cmocka_unit_test(calls_are_checked),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
