/* SPDX-License-Identifier: BSD-3-Clause */
/* A forecaster that is fitted again to all rows: what is new, what stays, what it remembers. */
#include <fighter/experimental/adapter.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/table_file.h>

#include <string.h>

#include "../model_info.h"
#include "../scaler_info.h"
#include "forecast/build/closed_form.h"
#include "small_series.h"

enum { N = 1000, L = 24, H = 4, HOUR = 3600000 };

static double          load[N + H][2], chaos[N][2];
static int64_t         times[N + H];
static const fgt_split parts = {0, 700, 700, 800, 800, N};

/* After the rows of training the daily rhythm of the first series has another shape, which only later rows
 * show; the second one is a chain of numbers that are no line of each other. */
static int fill(void **state)
{
    load[0][1] = 0.3;
    for (int r = 0; r < N + H; r++) {
        const double day = 6.283185307179586 * r / 24, noise = 0.2 * (r * 7919 % 17) / 17;
        times[r]         = INT64_C(1467331200000) + (int64_t)r * HOUR;
        load[r][0]       = r < 700 ? 10 + 3 * sin(day) + noise : 14 + 3 * cos(2 * day) + noise;
        if (r) load[r][1] = 1 - fabs(1 - 1.9 * load[r - 1][1]);
    }
    for (int r = 0; r < N; r++) chaos[r][0] = load[r][1], chaos[r][1] = -0.9 * load[r][1];
    return set_up(state);
}

static fgt_table *rows_of(double (*rows)[2], bool timed)
{
    static const char *const names[] = {"load", "chaos"};
    fgt_table               *t;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, rows, N, 2), &t));
    if (timed) OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, N), 0));
    return t;
}

static fgt_table *table_of(bool timed)
{
    return rows_of(load, timed);
}

static fgt_forecaster *made(const fgt_table *t, fgt_forecaster_opts o)
{
    fgt_forecaster *f;
    o.size      = sizeof o;
    o.input_len = L;
    o.pred_len  = H;
    o.tokens.dim   = 8;
    o.tokens.patch = 12;
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    return f;
}

static fgt_forecaster *trained(const fgt_table *t, fgt_forecaster_opts o, int32_t apart)
{
    fgt_forecaster *f = made(t, o);
    OK(fgt_forecaster_fit(f, t, &parts,
                          &FGT_OPTS(fgt_forecaster_fit_opts,
                                    .training = {.epochs = 30, .lr = 0.02, .patience = -1}, .apart = apart),
                          NULL));
    return f;
}

static fgt_forecaster *refitted(fgt_forecaster *f, const fgt_table *t)
{
    fgt_forecaster *g;
    OK(fgt_forecaster_create_refit(f, t, &parts, NULL, NULL, &g));
    return g;
}

static uint64_t hash_of(fgt_forecaster *f)
{
    return fgt_model_get_hash(fgt_forecaster_get_model(f));
}

static fgt_forecaster_info info_of(const fgt_forecaster *f)
{
    fgt_forecaster_info info = {.size = sizeof info};
    OK(fgt_forecaster_get_info(f, &info));
    return info;
}

/* The mean squared error of what follows the table. */
static double error_of(fgt_forecaster *f, const fgt_table *t)
{
    double next[H][2], sum = 0;
    OK(fgt_forecaster_predict_table(f, t, -1, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, next, H, 2)));
    for (int h = 0; h < H; h++) sum += (next[h][0] - load[N + h][0]) * (next[h][0] - load[N + h][0]);
    return sum / H;
}

static const fgt_forecaster_opts map_alone = {.block.kind = FGT_BLOCK_LINEAR};

/* The map of all rows has learned what only the last rows show; the forecaster that it comes from stays, and
 * the next one remembers all rows, in its file as well. */
static void all_rows_are_learned(void **state)
{
    (void)state;
    fgt_table      *t = table_of(true);
    fgt_forecaster *f = trained(t, map_alone, 0), *g;
    const uint64_t  hash   = hash_of(f);
    fgt_fit_report  report = {.size = sizeof report};
    OK(fgt_forecaster_create_refit(f, t, &parts, NULL, &report, &g));
    const double before = error_of(f, t), after = error_of(g, t);
    if (!(after < 0.5 * before)) fail_msg("before %g, after %g", before, after);
    assert_true(hash_of(f) == hash && hash_of(g) != hash && report.epochs == 0);
    assert_true(info_of(f).seen_rows == 800 && info_of(f).trained_last == times[699]);
    OK(fgt_forecaster_save(g, FGT_TO_FILE(in_directory("m"))));
    fgt_forecaster_destroy(&f);
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &f));
    const fgt_forecaster_info info = info_of(f);
    assert_true(info.seen_rows == N && info.seen_first == times[0] && info.linear == 1);
    assert_true(info.seen_last == times[N - 1] && info.trained_last == times[N - 1]);
    assert_true(hash_of(f) == hash_of(g) && error_of(f, t) == after);
    fgt_forecaster_destroy(&f);
    fgt_forecaster_destroy(&g);
    fgt_table_destroy(&t);
}

static void check_scaler(const fgt_forecaster *f)
{
    const fgt_scaler *s     = fgt_forecaster_get_scaler(f);
    const double     *mean = scaler_mean(s).data, *scale = scaler_scale(s).data;
    for (int c = 0; c < 2; c++) {
        double sum = 0, square = 0;
        for (int r = 0; r < N; r++) sum += load[r][c];
        for (int r = 0; r < N; r++) square += (load[r][c] - sum / N) * (load[r][c] - sum / N);
        assert_true(fabs(mean[c] - sum / N) < 1e-9 && fabs(scale[c] - sqrt(square / N)) < 1e-9);
    }
}

/* The regressions of the map are those of all rows, in the mean that the validation rows have chosen. */
static void the_map_is_that_of_all_rows(void **state)
{
    (void)state;
    static float     w[2 * H * L];
    fgt_table       *t = table_of(true);
    fgt_forecaster  *f = trained(t, map_alone, 0), *g = refitted(f, t);
    fgti_closed_form c;
    check_scaler(g);
    OK(fgti_closed_form_fit(g, t, &parts, N, &c));
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(g), "skip.weight",
                                FGT_VIEW_OF(FGT_DTYPE_F32, w, 2, H, L)));
    for (int i = 0; i < 2 * H * L; i++) assert_true(w[i] == (float)c.map.weight[i]);
    fgti_closed_form_done(ctx, &c);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static double sum_of_last_map(fgt_forecaster *f)
{
    static float w[1 << 16];
    fgt_view     v = {0};
    double       sum = 0;
    OK(parameter_shape(fgt_forecaster_get_model(f), "head.weight", &v));
    assert_true(fgt_view_count(&v) < 1 << 16);
    v.data = w;
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(f), "head.weight", &v));
    for (int64_t i = 0; i < fgt_view_count(&v); i++) sum += fabs((double)w[i]);
    return sum;
}

/* Layers that have no share stay without; others go on. */
static void layers_go_on(void **state)
{
    (void)state;
    fgt_table      *t     = rows_of(chaos, true);
    fgt_forecaster *fresh = made(t, (fgt_forecaster_opts){0}), *f = trained(t, (fgt_forecaster_opts){0}, 0);
    fgt_forecaster *a = refitted(fresh, t), *b, *again = refitted(f, t);
    fgt_fit_report  report = {.size = sizeof report};
    OK(fgt_forecaster_create_refit(f, t, &parts, NULL, &report, &b));
    assert_true(sum_of_last_map(fresh) == 0 && sum_of_last_map(a) == 0 && hash_of(a) != hash_of(fresh));
    assert_true(sum_of_last_map(f) > 0 && sum_of_last_map(b) != sum_of_last_map(f));
    assert_true(report.epochs == 3 && hash_of(b) == hash_of(again));
    fgt_forecaster_destroy(&again);
    fgt_forecaster_destroy(&b);
    fgt_forecaster_destroy(&a);
    fgt_forecaster_destroy(&f);
    fgt_forecaster_destroy(&fresh);
    fgt_table_destroy(&t);
}

/* What the map of g is: s of the last value, and 1 - s of c. */
static double share_in(fgt_forecaster *g, const fgti_closed_form *c)
{
    static float w[2 * H * L];
    double       up = 0, down = 0;
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(g), "skip.weight",
                                FGT_VIEW_OF(FGT_DTYPE_F32, w, 2, H, L)));
    for (int i = 0; i < 2 * H * L; i++) {
        const double toward = (i % L == L - 1) - c->map.weight[i];
        up += ((double)w[i] - c->map.weight[i]) * toward;
        down += toward * toward;
    }
    for (int i = 0; i < 2 * H * L; i++) {
        const double last = i % L == L - 1, s = up / down;
        assert_true(fabs((double)w[i] - s * last - (1 - s) * c->map.weight[i]) < 1e-5);
    }
    return up / down;
}

/* The share of layers that were trained apart is in the map, too. */
static void a_share_of_the_last_value_stays(void **state)
{
    (void)state;
    fgt_table       *t = rows_of(chaos, true);
    fgt_forecaster  *f = trained(t, (fgt_forecaster_opts){0}, 1), *g = refitted(f, t);
    fgti_closed_form old, next;
    OK(fgti_closed_form_fit(f, t, &parts, parts.train_end, &old));
    OK(fgti_closed_form_fit(g, t, &parts, N, &next));
    const double s = share_in(f, &old);
    assert_true(s > 0.01 && fabs(share_in(g, &next) - s) < 1e-4);
    fgti_closed_form_done(ctx, &next);
    fgti_closed_form_done(ctx, &old);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* All members have the map of all rows. */
static void members_are_fitted_again(void **state)
{
    (void)state;
    static float    w[2][2 * H * L];
    fgt_table      *t          = table_of(true);
    fgt_forecaster *members[2] = {made(t, (fgt_forecaster_opts){.seed = 1}),
                                  made(t, (fgt_forecaster_opts){.seed = 2})};
    fgt_forecaster *mean, *alone = refitted(members[0], t), *g;
    OK(fgt_forecaster_create_mean(ctx, members, 2, &mean));
    g = refitted(mean, t);
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(alone), "skip.weight",
                                FGT_VIEW_OF(FGT_DTYPE_F32, w[0], 2, H, L)));
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(g), "member1.skip.weight",
                                FGT_VIEW_OF(FGT_DTYPE_F32, w[1], 2, H, L)));
    assert_memory_equal(w[0], w[1], sizeof w[0]);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&mean);
    fgt_forecaster_destroy(&alone);
    for (int i = 0; i < 2; i++) fgt_forecaster_destroy(&members[i]);
    fgt_table_destroy(&t);
}

/* The upper end of an interval of 80 %, less the forecast, in units of the table. */
static double width_of(fgt_forecaster *f, const fgt_table *t)
{
    double           next[H][2], up[H][2];
    fgt_calibration *c;
    OK(fgt_forecaster_predict_table(f, t, -1, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, next, H, 2)));
    OK(fgt_calibration_create(f, t, -1, &c));
    OK(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, next, H, 2), 0.9,
                                        FGT_VIEW_OF(FGT_DTYPE_F64, up, H, 2)));
    fgt_calibration_destroy(&c);
    return up[H - 1][1] - next[H - 1][1];
}

/* Rows that it was fitted to are no test: its intervals come from the errors of the forecaster before. */
static void intervals_come_from_errors_before(void **state)
{
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        fgt_table      *t = table_of(timed);
        fgt_forecaster *f = trained(t, map_alone, 0), *g = refitted(f, t);
        if (timed) assert_true(fabs(width_of(g, t) / width_of(f, t) - 1) < 0.05);
        assert_non_null(fgt_forecaster_get_calibration(g));
        const double now = width_of(g, t);
        OK(fgt_forecaster_save(g, FGT_TO_FILE(in_directory("m"))));
        fgt_forecaster_destroy(&g);
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m")), NULL, &g));
        assert_true(fabs(width_of(g, t) / now - 1) < 1e-6);
        fgt_forecaster_destroy(&g);
        fgt_forecaster_destroy(&f);
        fgt_table_destroy(&t);
    }
}

static void without_a_map_all_layers_go_on(void **state)
{
    (void)state;
    fgt_table      *t = table_of(true);
    fgt_forecaster *f = trained(t, (fgt_forecaster_opts){.output.non_negative = 1, .output.no_linear = 1}, 0);
    fgt_forecaster *g = refitted(f, t);
    assert_true(!info_of(g).linear && info_of(g).seen_rows == N && hash_of(f) != hash_of(g));
    assert_true(*(const double *)scaler_mean(fgt_forecaster_get_scaler(g)).data == 0);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Rows after the last value of a target are no rows of training. Of a table on disk all are. */
static void of_a_table_on_disk(void **state)
{
    (void)state;
    static const char *const known[] = {"chaos"};
    fgt_table               *t, *stored;
    fgt_forecaster          *f, *g, *h;
    for (int r = N - 20; r < N; r++) load[r][0] = NAN;
    t = table_of(true);
    OK(fgt_table_save(t, in_directory("t.fgt")));
    OK(fgt_table_open(ctx, in_directory("t.fgt"), NULL, &stored));
    f = trained(
        t,
        (fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR, .inputs.known = known, .inputs.known_count = 1},
        0);
    OK(fgt_forecaster_create_refit(f, t, &parts, NULL, NULL, &g));
    OK(fgt_forecaster_create_refit(f, stored, &parts, NULL, NULL, &h));
    assert_true(info_of(g).seen_rows == N - 20 && info_of(h).seen_rows == N);
    assert_true(info_of(g).seen_last == times[N - 21] && hash_of(h) != hash_of(f));
    fgt_forecaster_destroy(&h);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&t);
    fill_values();
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    fgt_table                    *t     = table_of(true), *other;
    fgt_forecaster               *f     = made(t, (fgt_forecaster_opts){0}), *g = f;
    const fgt_split               wrong = {0, N + 1, 0, 0, 0, 0};
    static const char *const      name[] = {"other"};
    OK(fgt_table_create(ctx, name, FGT_VIEW_OF(FGT_DTYPE_F64, load, N, 1), &other));
    assert_int_equal(fgt_forecaster_create_refit(NULL, t, &parts, NULL, NULL, &g), FGT_E_ARG);
    assert_null(g);
    REFUSED(fgt_forecaster_create_refit(f, NULL, &parts, NULL, NULL, &g), FGT_E_ARG, "NULL");
    REFUSED(fgt_forecaster_create_refit(f, t, NULL, NULL, NULL, &g), FGT_E_ARG, "NULL");
    REFUSED(fgt_forecaster_create_refit(f, t, &parts, NULL, NULL, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_forecaster_create_refit(f, t, &wrong, NULL, NULL, &g), FGT_E_ARG, "rows 0..1000");
    REFUSED(fgt_forecaster_create_refit(f, other, &parts, NULL, NULL, &g), FGT_E_NAME, "lacks a target");
    const fgt_forecaster_fit_opts bad = {.size = sizeof bad, .training.lr = -1};
    REFUSED(fgt_forecaster_create_refit(f, t, &parts, &bad, NULL, &g), FGT_E_ARG,
            "lr is out of range (got -1");
    OK(fgt_model_add_adapter(fgt_forecaster_get_model(f), &FGT_OPTS(fgt_adapter_opts, .name = "a")));
    OK(fgt_model_set_adapter(fgt_forecaster_get_model(f), "a"));
    REFUSED(fgt_forecaster_create_refit(f, t, &parts, NULL, NULL, &g), FGT_E_STATE, "adapter");
    assert_null(g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&other);
    fgt_table_destroy(&t);
}

static fgt_forecaster *sweep_from;
static fgt_table      *sweep_table;

static fgt_status sweep(void)
{
    fgt_forecaster               *g;
    const fgt_forecaster_fit_opts o = {.size = sizeof o, .training.epochs = 1};
    const fgt_status s = fgt_forecaster_create_refit(sweep_from, sweep_table, &parts, &o, NULL, &g);
    assert_true((s == FGT_OK) == (g != NULL));
    fgt_forecaster_destroy(&g);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    sweep_table         = table_of(true);
    sweep_from          = trained(sweep_table, (fgt_forecaster_opts){0}, 0);
    const uint64_t hash = hash_of(sweep_from);
    OK(sweep()); /* makes the workspace of its forecasts */
    SWEEP(&memory, s, 10, sweep()) NOTHING_LEAKS;
    assert_int_equal(hash_of(sweep_from), hash);
    fgt_forecaster_destroy(&sweep_from);
    fgt_table_destroy(&sweep_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows_are_learned),
        cmocka_unit_test(the_map_is_that_of_all_rows),
        cmocka_unit_test(layers_go_on),
        cmocka_unit_test(a_share_of_the_last_value_stays),
        cmocka_unit_test(members_are_fitted_again),
        cmocka_unit_test(intervals_come_from_errors_before),
        cmocka_unit_test(without_a_map_all_layers_go_on),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(each_failed_allocation_is_reported),
        cmocka_unit_test(of_a_table_on_disk),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
