/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs of one window in k. */
#include <fighter/experimental/defaults.h>
#include <fighter/experimental/evaluate.h>

#include "small_series.h"

enum { EPOCHS = 3, THIN = 4 };

/* Without a map in closed form every epoch is validated, and there is no epoch 0. */
static fgt_forecaster *new_layers(const fgt_table *table)
{
    return new_forecaster((fgt_forecaster_opts){.output.no_linear = 1}, table);
}

static int64_t count(const fgt_forecaster *f)
{
    return fgt_forecaster_count_windows(f, split.train_begin, split.train_end, 1);
}

static uint64_t hash_after(const fgt_table *table, const fgt_forecaster_fit_opts *o, fgt_fit_report *report)
{
    fgt_forecaster *f = new_layers(table);
    OK(fgt_forecaster_fit(f, table, &split, o, report));
    const uint64_t hash = fgt_model_get_hash(fgt_forecaster_get_model(f));
    fgt_forecaster_destroy(&f);
    return hash;
}

static void defaults_follow(void **state)
{
    (void)state;
    fgt_table              *t    = new_table();
    fgt_forecaster         *f    = new_forecaster((fgt_forecaster_opts){.batch = 10}, t);
    fgt_forecaster_fit_opts full = {.size = sizeof full};
    OK(fgt_forecaster_fit_opts_init(f, count(f), NULL, &full));
    assert_true(full.thin == 1 && full.training.batch == 10 && full.training.patience == 3 &&
                full.training.epochs == 10);
    OK(fgt_forecaster_fit_opts_init(f, 7, &FGT_OPTS(fgt_forecaster_fit_opts, .thin = 4), &full));
    assert_true(full.thin == 4 && full.training.batch == 2 && full.training.patience == 12 &&
                full.training.epochs == 10);
    OK(fgt_forecaster_fit_opts_init(f, 7, &FGT_OPTS(fgt_forecaster_fit_opts, .thin = 11), &full));
    assert_true(full.training.batch == 1);
    OK(fgt_forecaster_fit_opts_init(
        f, 7, &FGT_OPTS(fgt_forecaster_fit_opts, .thin = 4, .training = {.batch = 7, .patience = -1}),
        &full));
    assert_true(full.training.batch == 7 && full.training.patience == -1);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static int64_t thin_of(const fgt_forecaster *f, fgt_forecaster_fit_opts o, int64_t windows)
{
    fgt_forecaster_fit_opts full = {.size = sizeof full};
    o.size                       = sizeof o;
    OK(fgt_forecaster_fit_opts_init(f, windows, &o, &full));
    return full.thin;
}

/* Long series are thinned unless something else says what an epoch has. */
static void default_follows_from_the_windows(void **state)
{
    (void)state;
    static const int64_t windows[][2] = {{0, 1},     {7826, 1},  {15999, 1}, {16000, 2},
                                         {31999, 3}, {33745, 4}, {1 << 30, 4}};
    fgt_table              *t         = new_table();
    fgt_forecaster         *f = new_layers(t), *closed;
    fgt_attent             *a;
    fgt_forecaster_fit_opts full = {.size = sizeof full};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        assert_int_equal(thin_of(f, (fgt_forecaster_fit_opts){.training.epochs = 3}, windows[i][0]),
                         windows[i][1]);
    OK(fgt_forecaster_fit_opts_init(f, 40000, NULL, &full));
    assert_true(full.thin == 4 && full.training.batch == 8 && full.training.patience == 12);
    assert_int_equal(thin_of(f, (fgt_forecaster_fit_opts){.training.batch = 20}, 40000), 1);
    assert_int_equal(thin_of(f, (fgt_forecaster_fit_opts){.thin = 1}, 40000), 1);
    OK(fgt_attent_create(ctx, &FGT_OPTS(fgt_attent_opts, .samples = 40000, .epochs = 1), &a));
    assert_int_equal(thin_of(f, (fgt_forecaster_fit_opts){.training.selector = a}, 40000), 1);
    closed = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, t);
    assert_int_equal(thin_of(closed, (fgt_forecaster_fit_opts){.training.epochs = 3}, 40000), 1);
    REFUSED(fgt_forecaster_fit_opts_init(f, -1, NULL, &full), FGT_E_ARG, "got -1");
    fgt_attent_destroy(&a);
    fgt_forecaster_destroy(&closed);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* One series of so many windows that an epoch takes half of them. */
static void long_series_are_thinned(void **state)
{
    (void)state;
    enum { LONG = 16500 };
    static double     y[LONG];
    const char *const name[] = {"y"};
    const fgt_split   part   = {0, 16200, 16200, 16300, 16300, LONG};
    fgt_table        *t;
    fgt_forecaster   *f;
    fgt_fit_report    report = {.size = sizeof report};
    for (int i = 0; i < LONG; i++) y[i] = sin(i * 0.5);
    OK(fgt_table_create(ctx, name, FGT_VIEW_OF(FGT_DTYPE_F64, y, LONG, 1), &t));
    OK(fgt_forecaster_create(ctx, t, &part,
                             &FGT_OPTS(fgt_forecaster_opts, .input_len = 8, .pred_len = 2, .tokens.dim = 4,
                                       .tokens.patch = 4, .output.no_linear = 1,
                                       .block.kind = FGT_BLOCK_LINEAR),
                             &f));
    const int64_t n = fgt_forecaster_count_windows(f, 0, 16200, 1);
    OK(fgt_forecaster_fit(f, t, &part, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1), &report));
    assert_true(report.samples == (n + 1) / 2 && report.steps == (report.samples - 1) / 16 + 1);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void epochs_have_a_share(void **state)
{
    (void)state;
    fgt_table              *t      = new_table();
    fgt_forecaster         *f      = new_layers(t);
    fgt_fit_report          report = {.size = sizeof report};
    fgt_forecaster_fit_opts o      = {
             .size = sizeof o, .training.epochs = EPOCHS, .thin = THIN, .training.patience = -1};
    const int64_t           n = count(f), share = (n + THIN / 2) / THIN;
    OK(fgt_forecaster_fit(f, t, &split, &o, &report));
    assert_int_equal(report.samples, EPOCHS * share);
    assert_int_equal(report.steps, EPOCHS * ((share - 1) / (32 / THIN) + 1));
    /* the least share is a window */
    o.thin = 1000;
    OK(fgt_forecaster_fit(f, t, &split, &o, &report));
    assert_true(report.samples == EPOCHS && report.steps == EPOCHS);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* The mean over every k-th window is what the run reports. */
static void validation_has_every_kth_window(void **state)
{
    (void)state;
    enum { H = 8 };
    fgt_table                    *t      = new_table();
    fgt_forecaster               *f      = new_layers(t);
    fgt_fit_report                report = {.size = sizeof report};
    const fgt_forecaster_fit_opts o      = {.size = sizeof o, .training.epochs = EPOCHS, .thin = THIN};
    fgt_metric                    some = {0}, all = {0};
    OK(fgt_forecaster_fit(f, t, &split, &o, &report));
    for (int64_t row = split.val_begin; row + H <= split.val_end; row += THIN)
        OK(fgt_forecaster_evaluate(f, t, row, row + H, &some));
    OK(fgt_forecaster_evaluate(f, t, split.val_begin, split.val_end, &all));
    const double loss = fgt_metric_get(&some, FGT_METRIC_MSE);
    assert_true(fabs(loss - report.best_loss) < 1e-5 * loss);
    assert_true(fabs(loss - fgt_metric_get(&all, FGT_METRIC_MSE)) > 1e-5 * loss);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* The mean over windows that begin so many rows apart is what the run reports. */
static void assert_apart(const fgt_table *t, int64_t thin, int64_t rows)
{
    enum { AHEAD = 64 };
    const fgt_split part   = {0, 1500, 1500, 2950, 2950, 3000};
    fgt_fit_report  report = {.size = sizeof report};
    fgt_metric      some   = {0};
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &part,
                             &FGT_OPTS(fgt_forecaster_opts, .input_len = 8, .pred_len = AHEAD,
                                       .tokens.dim = 4, .tokens.patch = 4, .output.no_linear = 1,
                                       .block.kind = FGT_BLOCK_LINEAR),
                             &f));
    OK(fgt_forecaster_fit(f, t, &part, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1, .thin = thin),
                          &report));
    for (int64_t row = part.val_begin; row + AHEAD <= part.val_end; row += rows)
        OK(fgt_forecaster_evaluate(f, t, row, row + AHEAD, &some));
    const double loss = fgt_metric_get(&some, FGT_METRIC_MSE);
    assert_true(fabs(loss - report.best_loss) < 1e-6 * loss);
    fgt_forecaster_destroy(&f);
}

/* A 16th of the horizon, or more: all times of a day have their windows, and thinned epochs as many fewer. */
static void validation_windows_are_apart(void **state)
{
    (void)state;
    enum { EACH = 3000, HOUR = 3600000 };
    static double     y[EACH];
    static int64_t    times[EACH];
    const char *const name[] = {"y"};
    fgt_table        *t;
    for (int r = 0; r < EACH; r++) y[r] = sin(r * 0.5) + sin(0.7 * r * r);
    for (int r = 0; r < EACH; r++) times[r] = (int64_t)r * HOUR;
    OK(fgt_table_create(ctx, name, FGT_VIEW_OF(FGT_DTYPE_F64, y, EACH, 1), &t));
    assert_apart(t, 1, 4);
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, EACH), 0));
    assert_apart(t, 1, 5);
    assert_apart(t, 6, 6);
    fgt_table_destroy(&t);
}

/* All windows are those of a forecaster without the option; other seeds draw others. */
static void draws_depend_on_the_seed(void **state)
{
    (void)state;
    fgt_table              *t   = new_table();
    fgt_forecaster_fit_opts o   = {.size = sizeof o, .training.epochs = EPOCHS};
    const uint64_t          all = hash_after(t, &o, NULL);
    o.thin                      = 1;
    assert_true(hash_after(t, &o, NULL) == all);
    o.thin              = THIN;
    const uint64_t some = hash_after(t, &o, NULL);
    assert_true(some != all && hash_after(t, &o, NULL) == some);
    o.training.seed = 5;
    assert_true(hash_after(t, &o, NULL) != some);
    fgt_table_destroy(&t);
}

static int stop_after_two(void *user, const fgt_progress *p)
{
    (void)user;
    return p->epoch_done && p->epoch == 2;
}

static void run_is_resumed(void **state)
{
    (void)state;
    fgt_table              *t      = new_table();
    fgt_fit_report          report = {.size = sizeof report}, again = report;
    fgt_forecaster_fit_opts o     = {.size = sizeof o, .training.epochs = EPOCHS, .thin = THIN};
    const uint64_t          whole = hash_after(t, &o, &report);
    o.training.checkpoint         = in_directory("run");
    o.training.progress           = stop_after_two;
    hash_after(t, &o, &again);
    assert_true(again.cancelled && again.epochs == 2);
    o.training.progress   = NULL;
    o.training.resume     = o.training.checkpoint;
    o.training.checkpoint = NULL;
    assert_true(hash_after(t, &o, &again) == whole);
    assert_true(again.samples == report.samples && again.best_loss == report.best_loss);
    fgt_forecaster *f = new_layers(t);
    o.thin            = 2;
    REFUSED(fgt_forecaster_fit(f, t, &split, &o, NULL), FGT_E_FORMAT, "batch");
    unlink(o.training.resume);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void bad_ones_are_refused(void **state)
{
    (void)state;
    fgt_table              *t = new_table();
    fgt_forecaster         *f = new_layers(t);
    fgt_attent             *a;
    fgt_forecaster_fit_opts o = {.size = sizeof o, .training.epochs = 1, .thin = -1};
    REFUSED(fgt_forecaster_fit(f, t, &split, &o, NULL), FGT_E_ARG, "thin");
    OK(fgt_attent_create(ctx, &FGT_OPTS(fgt_attent_opts, .samples = count(f), .epochs = 1), &a));
    o.training.selector = a;
    o.thin     = 2;
    REFUSED(fgt_forecaster_fit(f, t, &split, &o, NULL), FGT_E_ARG, "selector (got thin 2, need 1)");
    o.thin = 1;
    OK(fgt_forecaster_fit(f, t, &split, &o, NULL));
    fgt_attent_destroy(&a);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- each allocation fails once ---- */

static fgt_forecaster *swept;
static fgt_table      *swept_table;

static fgt_status fit_once(void)
{
    return fgt_forecaster_fit(swept, swept_table, &split,
                              &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1, .thin = THIN), NULL);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    fgt_status s;
    swept_table = new_table();
    swept       = new_layers(swept_table);
    OK(fit_once()); /* what the model keeps from now on is there */
    const int64_t live = memory.live;
    SWEEP(&memory, s, 5, fit_once()) NOTHING_LEAKS;
    assert_int_equal(memory.live, live);
    fgt_forecaster_destroy(&swept);
    fgt_table_destroy(&swept_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_follow),
        cmocka_unit_test(default_follows_from_the_windows),
        cmocka_unit_test(long_series_are_thinned),
        cmocka_unit_test(epochs_have_a_share),
        cmocka_unit_test(validation_has_every_kth_window),
        cmocka_unit_test(validation_windows_are_apart),
        cmocka_unit_test(draws_depend_on_the_seed),
        cmocka_unit_test(run_is_resumed),
        cmocka_unit_test(bad_ones_are_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
