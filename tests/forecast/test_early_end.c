/* SPDX-License-Identifier: BSD-3-Clause */
/* Training ends soon where the layers do not beat the map. */
#include <fighter/experimental/defaults.h>
#include <fighter/experimental/evaluate.h>

#include "small_series.h"

/* Each value follows from the last one, by no line. Turned: the rows after the training follow the opposite
 * rule, so that all that layers learn makes their forecasts worse. */
static fgt_table *table_of(bool turned)
{
    for (int c = 0; c < COLUMNS; c++) values[0][c] = 0.3 + 0.1 * c;
    for (int r = 1; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            const double next = (1 - fabs(1 - 1.9 * values[r - 1][c])) * (c == 1 ? 0.9 : 1);
            values[r][c]      = turned && r >= split.train_end ? 1 - next : next;
        }
    return new_table();
}

static uint64_t trained(const fgt_table *t, fgt_forecaster_fit_opts o, fgt_fit_report *report)
{
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.batch = 4}, t);
    o.size            = sizeof o;
    o.training.lr     = 0.01;
    *report           = (fgt_fit_report){.size = sizeof *report};
    OK(fgt_forecaster_fit(f, t, &split, &o, report));
    const uint64_t hash = fgt_model_get_hash(fgt_forecaster_get_model(f));
    fgt_forecaster_destroy(&f);
    return hash;
}

/* Within the first epoch, or after it; what stays is the map. */
static void hopeless_layers_end(void **state)
{
    (void)state;
    fgt_table      *t = table_of(true);
    fgt_fit_report  long_one, report;
    fgt_forecaster *fresh  = new_forecaster((fgt_forecaster_opts){.batch = 4}, t);
    const uint64_t  start  = fgt_model_get_hash(fgt_forecaster_get_model(fresh));
    const int64_t   windows = fgt_forecaster_count_windows(fresh, split.train_begin, split.train_end, 1);
    assert_true(trained(t, (fgt_forecaster_fit_opts){.start_patience = -1}, &long_one) == start);
    assert_true(long_one.epochs == 3 && long_one.best_epoch == 0 && long_one.samples == 3 * windows);
    const fgt_forecaster_fit_opts within = {.start_patience = windows / 2};
    assert_true(trained(t, within, &report) == start);
    assert_true(report.epochs == 0 && report.best_epoch == 0 && report.stopped_early && !report.cancelled);
    assert_true(report.samples >= windows / 2 && report.samples < windows / 2 + 4);
    assert_true(report.best_loss == long_one.best_loss);
    assert_true(trained(t, (fgt_forecaster_fit_opts){.start_patience = windows}, &report) == start);
    assert_true(report.epochs == 1 && report.samples == windows && report.stopped_early);
    const fgt_forecaster_fit_opts thin = {.start_patience = windows / 4, .thin = 2};
    assert_true(trained(t, thin, &report) == start && report.share == 0);
    assert_true(report.epochs == 1 && report.best_epoch == 0 && report.stopped_early);
    fgt_forecaster_destroy(&fresh);
    fgt_table_destroy(&t);
}

/* Layers that win are trained as ever. */
static void layers_that_win_stay(void **state)
{
    (void)state;
    fgt_table     *t = table_of(false);
    fgt_fit_report one, two;
    const uint64_t plain =
        trained(t, (fgt_forecaster_fit_opts){.training = {.epochs = 6, .patience = -1}}, &one);
    assert_true(one.best_epoch > 0);
    const fgt_forecaster_fit_opts looked = {.training = {.epochs = 6, .patience = -1}, .start_patience = 400};
    assert_true(trained(t, looked, &two) == plain);
    assert_true(two.epochs == one.epochs && two.best_epoch == one.best_epoch);
    fgt_table_destroy(&t);
}

/* Training ends after a gain that may be chance; how much of the layers is kept is another question. */
static void a_gain_of_little_ends_it(void **state)
{
    (void)state;
    fgt_table     *t = table_of(false);
    fgt_fit_report one, two;
    trained(t, (fgt_forecaster_fit_opts){.training = {.epochs = 3, .patience = -1}}, &one);
    trained(t, (fgt_forecaster_fit_opts){.training.epochs = 3, .start_patience = 100}, &two);
    assert_true(one.best_epoch == 3 && one.epochs == 3);
    assert_true(two.stopped_early && two.epochs < 3 && two.best_loss < 1.01 * one.best_loss);
    fgt_table_destroy(&t);
}

static void an_end_is_resumed_as_it_is(void **state)
{
    (void)state;
    char           file[64];
    fgt_table     *t = table_of(true);
    fgt_fit_report one, two;
    snprintf(file, sizeof file, "%s", in_directory("end"));
    const uint64_t hash =
        trained(t, (fgt_forecaster_fit_opts){.start_patience = 20, .training.checkpoint = file}, &one);
    const fgt_forecaster_fit_opts again = {.start_patience = 20, .training.resume = file};
    assert_true(trained(t, again, &two) == hash);
    assert_true(one.epochs == 0 && two.samples == one.samples && two.stopped_early);
    fgt_table_destroy(&t);
}

static void defaults(void **state)
{
    (void)state;
    fgt_table              *t    = table_of(true);
    fgt_forecaster         *f    = new_forecaster((fgt_forecaster_opts){.batch = 32}, t);
    fgt_forecaster_fit_opts full = {.size = sizeof full};
    OK(fgt_forecaster_fit_opts_init(f, 12000, NULL, &full));
    assert_true(full.thin == 1 && full.start_patience == 12000 / 2 - 32);
    OK(fgt_forecaster_fit_opts_init(f, 1000, NULL, &full));
    assert_true(full.start_patience == 150 * 32);
    OK(fgt_forecaster_fit_opts_init(f, 40000, NULL, &full));
    assert_true(full.thin == 4 && full.training.batch == 8 && full.start_patience == 40000 / 2 - 8);
    OK(fgt_forecaster_fit_opts_init(f, 12000, &FGT_OPTS(fgt_forecaster_fit_opts, .training.patience = 2),
                                    &full));
    assert_true(full.start_patience == -1);
    const fgt_forecaster_fit_opts bad = {.size = sizeof bad, .start_patience = -2};
    REFUSED(fgt_forecaster_fit_opts_init(f, 1, &bad, &full), FGT_E_ARG, "start_patience");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hopeless_layers_end),
        cmocka_unit_test(layers_that_win_stay),
        cmocka_unit_test(a_gain_of_little_ends_it),
        cmocka_unit_test(an_end_is_resumed_as_it_is),
        cmocka_unit_test(defaults),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
