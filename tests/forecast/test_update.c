/* SPDX-License-Identifier: BSD-3-Clause */
/* Going on with new rows: what it is good for, what it remembers, what it refuses. */
#include "../scaler_info.h"
#include "small_series.h"

enum { N = 24 * 7 * 14, OLD = 24 * 7 * 8, WEEKS = 24 * 7 * 12, L = 48, H = 12, HOUR = 3600000 };

static double          load[N][1];
static int64_t         times[N];
static const fgt_split parts = {0, OLD - 300, OLD - 300, OLD, OLD, OLD};

/* A day's rhythm whose height and shape change after the rows of training. */
static int fill(void **state)
{
    for (int r = 0; r < N; r++) {
        const double day = 6.283185307179586 * r / 24;
        times[r]         = INT64_C(1467331200000) + (int64_t)r * HOUR;
        load[r][0]       = 100 + 10 * sin(day) + 0.3 * (r * 7919 % 17);
        if (r >= OLD) load[r][0] = 120 + 6 * sin(day) + 5 * cos(2 * day) + 0.3 * (r * 7919 % 17);
    }
    return set_up(state);
}

static fgt_table *rows_of(int64_t begin, int64_t end, bool timed)
{
    static const char *const name[] = {"load"};
    fgt_table               *t;
    OK(fgt_table_create(ctx, name, FGT_VIEW_OF(FGT_DTYPE_F64, load[begin], end - begin, 1), &t));
    if (timed) OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times + begin, end - begin), 0));
    return t;
}

static fgt_forecaster *made(const fgt_table *t)
{
    const fgt_forecaster_opts o = {.size            = sizeof o,
                                   .input_len       = L,
                                   .pred_len        = H,
                                   .tokens.dim      = 8,
                                   .tokens.patch    = 12,
                                   .inputs.calendar = FGT_CALENDAR_DAY};
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    return f;
}

static fgt_forecaster *trained(const fgt_table *t)
{
    const fgt_forecaster_fit_opts o = {.size = sizeof o, .training = {.epochs = 6, .lr = 5e-3}};
    fgt_forecaster               *f = made(t);
    OK(fgt_forecaster_fit(f, t, &parts, &o, NULL));
    return f;
}

static double error_of(fgt_forecaster *f, const fgt_table *t)
{
    fgt_metric m = {0};
    OK(fgt_forecaster_evaluate(f, t, WEEKS, N, &m));
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

static fgt_forecaster_info info_of(const fgt_forecaster *f)
{
    fgt_forecaster_info info = {.size = sizeof info};
    OK(fgt_forecaster_get_info(f, &info));
    return info;
}

/* After an update with four new weeks, the weeks behind them are forecast better; the scaler stays. */
static void new_rows_are_learned(void **state)
{
    (void)state;
    fgt_table      *all = rows_of(0, N, true), *some = rows_of(1000, WEEKS, true);
    fgt_forecaster *f      = trained(all);
    const double    before = error_of(f, all);
    const double    mean   = *(const double *)scaler_mean(fgt_forecaster_get_scaler(f)).data;
    fgt_fit_report  report = {.size = sizeof report};
    OK(fgt_forecaster_update(f, some, -1, NULL, &report));
    const double after = error_of(f, all);
    if (!(after < 0.7 * before)) fail_msg("before %g, after %g", before, after);
    assert_int_equal(report.epochs, 3);
    assert_true(mean == *(const double *)scaler_mean(fgt_forecaster_get_scaler(f)).data);
    const fgt_forecaster_info info = info_of(f);
    assert_int_equal(info.seen_rows, WEEKS);
    assert_true(info.seen_first == times[0] && info.seen_last == times[WEEKS - 1]);
    assert_true(info.trained_last == times[WEEKS - 1]);
    REFUSED(fgt_forecaster_update(f, some, -1, NULL, NULL), FGT_E_DATA, "no target has a value after 2016-");
    REFUSED(fgt_forecaster_update(f, all, WEEKS - 1, NULL, NULL), FGT_E_DATA, "is not newer than 2016-");
    OK(fgt_forecaster_update(f, all, -1, NULL, NULL));
    assert_int_equal(info_of(f).seen_rows, N);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&some);
    fgt_table_destroy(&all);
}

/* The same rows by their times and by their number: the same bits. */
static void updates_are_repeatable(void **state)
{
    (void)state;
    fgt_table      *all = rows_of(0, N, true), *known = rows_of(0, WEEKS, true);
    fgt_forecaster *f = trained(all), *g;
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("m"))));
    fgt_forecaster_destroy(&f);
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &f));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &g));
    OK(fgt_forecaster_update(f, known, -1, NULL, NULL));
    OK(fgt_forecaster_update(g, known, OLD, NULL, NULL));
    assert_int_equal(fgt_model_get_hash(fgt_forecaster_get_model(f)),
                     fgt_model_get_hash(fgt_forecaster_get_model(g)));
    OK(fgt_forecaster_save(g, FGT_TO_FILE(in_directory("m"))));
    fgt_forecaster_destroy(&g);
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &g));
    assert_int_equal(info_of(g).seen_rows, WEEKS);
    assert_true(info_of(g).seen_last == times[WEEKS - 1]);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&known);
    fgt_table_destroy(&all);
}

static void update(fgt_forecaster *f, const fgt_table *t, const char *moments, const char *checkpoint)
{
    OK(fgt_forecaster_update(
        f, t, -1,
        &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.moments = moments, .checkpoint = checkpoint}),
        NULL));
}

static uint64_t hash_of(fgt_forecaster *f)
{
    return fgt_model_get_hash(fgt_forecaster_get_model(f));
}

/* A forecaster from its file goes on with the optimiser as the one that is still in memory does, whose
 * dropout has seen the same passes; a second update goes on from the first. */
static void the_optimiser_goes_on(void **state)
{
    (void)state;
    char            run[64], night[64];
    fgt_table      *all = rows_of(0, N, true), *known = rows_of(0, WEEKS, true);
    fgt_forecaster *f = made(all), *g, *fresh;
    snprintf(run, sizeof run, "%s", in_directory("run"));
    snprintf(night, sizeof night, "%s", in_directory("night"));
    OK(fgt_forecaster_fit(
        f, all, &parts,
        &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 6, .lr = 5e-3, .checkpoint = run}), NULL));
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("m"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &g));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &fresh));
    update(fresh, known, NULL, NULL);
    update(f, known, run, NULL);
    update(g, known, run, night);
    assert_true(hash_of(f) == hash_of(g) && hash_of(f) != hash_of(fresh));
    update(fresh, all, NULL, NULL);
    update(f, all, night, NULL);
    update(g, all, night, night);
    assert_true(hash_of(f) == hash_of(g) && hash_of(f) != hash_of(fresh));
    fgt_forecaster_destroy(&fresh);
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &fresh));
    REFUSED(fgt_forecaster_update(fresh, known, -1,
                                  &FGT_OPTS(fgt_forecaster_fit_opts, .training.moments = night), NULL),
            FGT_E_FORMAT, "its moments belong to another training");
    assert_int_equal(info_of(fresh).seen_rows, OLD);
    fgt_forecaster_destroy(&fresh);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&known);
    fgt_table_destroy(&all);
}

static void what_cannot_be_new_is_refused(void **state)
{
    (void)state;
    fgt_table      *all = rows_of(0, N, true), *short_one = rows_of(WEEKS, WEEKS + L, true), *other;
    fgt_forecaster *f = trained(all), *fresh = made(all);
    const uint64_t  hash                = fgt_model_get_hash(fgt_forecaster_get_model(f));
    const fgt_forecaster_fit_opts wrong               = {.size = sizeof wrong, .training.lr = -1};
    REFUSED(fgt_forecaster_update(f, all, N, NULL, NULL), FGT_E_ARG, "got 2352, need -1 .. 2351");
    REFUSED(fgt_forecaster_update(f, all, -2, NULL, NULL), FGT_E_ARG, "got -2");
    REFUSED(fgt_forecaster_update(f, NULL, -1, NULL, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_forecaster_update(f, all, -1, &wrong, NULL), FGT_E_ARG, "lr is out of range (got -1");
    REFUSED(fgt_forecaster_update(f, short_one, -1, NULL, NULL), FGT_E_DATA, "update");
    REFUSED(fgt_forecaster_update(fresh, all, -1, NULL, NULL), FGT_E_ARG, "have no times");
    assert_int_equal(fgt_forecaster_update(NULL, all, -1, NULL, NULL), FGT_E_ARG);
    static const char *const name[] = {"other"};
    OK(fgt_table_create(ctx, name, FGT_VIEW_OF(FGT_DTYPE_F64, load, N, 1), &other));
    REFUSED(fgt_forecaster_update(f, other, OLD, NULL, NULL), FGT_E_NAME, "lacks a target");
    assert_int_equal(fgt_model_get_hash(fgt_forecaster_get_model(f)), hash);
    assert_int_equal(info_of(f).seen_rows, OLD);
    fgt_table_destroy(&other);
    fgt_forecaster_destroy(&fresh);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&short_one);
    fgt_table_destroy(&all);
}

/* There is nothing to go on with: the map in closed form is that of the rows of training. */
static void a_map_in_closed_form_is_refused(void **state)
{
    (void)state;
    const fgt_forecaster_opts o = {
        .size = sizeof o, .input_len = L, .pred_len = H, .block.kind = FGT_BLOCK_LINEAR};
    fgt_table      *all = rows_of(0, N, true);
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, all, &parts, &o, &f));
    OK(fgt_forecaster_fit(f, all, &parts, NULL, NULL));
    assert_int_equal(info_of(f).linear, 1);
    REFUSED(fgt_forecaster_update(f, all, -1, NULL, NULL), FGT_E_STATE, "which is not trained");
    assert_int_equal(info_of(f).seen_rows, OLD);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&all);
}

static fgt_table *sweep_table;

static fgt_status load_and_update(void)
{
    fgt_forecaster               *f;
    const fgt_forecaster_fit_opts o = {.size = sizeof o, .training.epochs = 1};
    fgt_status s = fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("sweep")), NULL, &f);
    if (s == FGT_OK) s = fgt_forecaster_update(f, sweep_table, -1, &o, NULL);
    fgt_forecaster_destroy(&f);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status      s;
    fgt_table      *all = rows_of(0, N, true);
    fgt_forecaster *f   = trained(all);
    sweep_table         = rows_of(OLD - L, OLD + 40, true);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("sweep"))));
    fgt_forecaster_destroy(&f);
    SWEEP(&memory, s, 10, load_and_update()) NOTHING_LEAKS;
    fgt_table_destroy(&sweep_table);
    fgt_table_destroy(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_rows_are_learned),
        cmocka_unit_test(updates_are_repeatable),
        cmocka_unit_test(the_optimiser_goes_on),
        cmocka_unit_test(what_cannot_be_new_is_refused),
        cmocka_unit_test(a_map_in_closed_form_is_refused),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
