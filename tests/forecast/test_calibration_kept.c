/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that go with a forecaster: through files, and through updates. */
#include <math.h>

#include <fighter/experimental/evaluate.h>

#include "small_series.h"

enum { L = 24, H = 4, OLD = 1000, STEP = 168, UPDATES = 24, N = OLD + (UPDATES + 1) * STEP, HOUR = 3600000 };

static double          load[N][1];
static int64_t         times[N];
static const fgt_split parts = {0, OLD - 300, OLD - 300, OLD, OLD, OLD};

static int fill(void **state)
{
    uint64_t seed = 12345;
    for (int r = 0; r < N; r++) {
        double sum = -6; /* nearly normal noise */
        for (int k = 0; k < 12; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            sum += (double)(seed >> 40) / (1 << 24);
        }
        times[r]   = INT64_C(1467331200000) + (int64_t)r * HOUR;
        load[r][0] = 100 + 3 * sin(6.283185307179586 * r / 24) + sum;
    }
    return set_up(state);
}

static fgt_table *rows_of(int64_t begin, int64_t end)
{
    static const char *const name[] = {"load"};
    fgt_table               *t;
    OK(fgt_table_create(ctx, name, FGT_VIEW_OF(FGT_DTYPE_F64, load[begin], end - begin, 1), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times + begin, end - begin), 0));
    return t;
}

static fgt_forecaster *trained(void)
{
    const fgt_forecaster_opts o = {.size             = sizeof o,
                                   .input_len        = L,
                                   .pred_len         = H,
                                   .tokens.dim       = 16,
                                   .tokens.patch     = 4,
                                   .output.no_linear = 1,
                                   .inputs.calendar  = FGT_CALENDAR_NONE};
    fgt_table      *t = rows_of(0, OLD);
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    OK(fgt_forecaster_fit(f, t, &parts,
                          &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 3, .lr = 2e-3}), NULL));
    fgt_table_destroy(&t);
    return f;
}

/* The ends of 80 % of the forecast after row end-1, by rows begin .. end-1. */
static void interval(fgt_forecaster *f, int64_t begin, int64_t end, double low[H], double high[H])
{
    double           next[H];
    fgt_table       *t = rows_of(begin, end);
    fgt_calibration *c;
    const fgt_view   y = *FGT_VIEW_OF(FGT_DTYPE_F64, next, H, 1);
    OK(fgt_forecaster_predict_table(f, t, -1, NULL, &y));
    OK(fgt_calibration_create(f, t, -1, &c));
    OK(fgt_calibration_compute_quantile(c, &y, 0.1, FGT_VIEW_OF(FGT_DTYPE_F64, low, H, 1)));
    OK(fgt_calibration_compute_quantile(c, &y, 0.9, FGT_VIEW_OF(FGT_DTYPE_F64, high, H, 1)));
    fgt_calibration_destroy(&c);
    fgt_table_destroy(&t);
}

static fgt_status keep_errors(fgt_forecaster *f, const fgt_table *t)
{
    fgt_calibration *c;
    FGTI_TRY(fgt_calibration_create(f, t, -1, &c));
    const fgt_status s = fgt_forecaster_set_calibration(f, c);
    fgt_calibration_destroy(&c);
    return s;
}

static void a_loaded_model_needs_the_last_rows_only(void **state)
{
    (void)state;
    double           want[2][H], got[2][H];
    fgt_forecaster  *f = trained(), *g;
    fgt_table       *all = rows_of(0, OLD), *few = rows_of(OLD - L, OLD);
    fgt_calibration *c;
    assert_null(fgt_forecaster_get_calibration(f));
    REFUSED(fgt_calibration_create(f, few, -1, &c), FGT_E_DATA, "no window");
    interval(f, 0, OLD, want[0], want[1]);
    OK(keep_errors(f, all));
    OK(fgt_forecaster_set_calibration(f, NULL));
    assert_null(fgt_forecaster_get_calibration(f));
    OK(keep_errors(f, all));
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("kept"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("kept")), NULL, &g));
    interval(g, OLD - L, OLD, got[0], got[1]);
    assert_memory_equal(want, got, sizeof want); /* 20 of 200 and 30 of 300 are the same */
    assert_int_equal(fgt_calibration_count_windows(fgt_forecaster_get_calibration(g)),
                     fgt_calibration_count_windows(fgt_forecaster_get_calibration(f)));
    /* with all rows at hand those of the model itself */
    interval(g, 0, OLD, got[0], got[1]);
    assert_memory_equal(want, got, sizeof want);
    /* what is forgotten is no longer in the file */
    OK(fgt_forecaster_fit(g, all, &parts, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1), NULL));
    assert_null(fgt_forecaster_get_calibration(g));
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&few);
    fgt_table_destroy(&all);
}

/* Updates that learn their rows by heart: 80 % hold 80 % nevertheless. Values are noise, and forecasts H rows
 * apart have none in common. */
static void updates_keep_their_promise(void **state)
{
    (void)state;
    const fgt_forecaster_fit_opts o      = {.size = sizeof o, .training = {.epochs = 20, .lr = 3e-3}};
    fgt_forecaster *f = trained();
    int             inside = 0, all = 0;
    for (int64_t end = OLD + STEP; end < N; end += STEP) {
        fgt_table *t = rows_of(end - 1000, end);
        double     low[H], high[H];
        OK(fgt_forecaster_update(f, t, -1, &o, NULL));
        fgt_table_destroy(&t);
        for (int64_t at = end; at + H <= end + STEP && at + H <= N; at += H) {
            interval(f, at - L, at, low, high);
            for (int h = 0; h < H; h++, all++)
                inside += load[at + h][0] >= low[h] && load[at + h][0] <= high[h];
        }
    }
    const double share = (double)inside / all, error = sqrt(0.16 / all);
    print_message("80 %% hold %.1f %% of %d values\n", 100 * share, all);
    assert_true(fabs(share - 0.8) <= 3 * error);
    fgt_forecaster_destroy(&f);
}

static fgt_status keep(fgt_forecaster *f, const fgt_table *t)
{
    fgt_forecaster *g;
    FGTI_TRY(keep_errors(f, t));
    FGTI_TRY(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("sweep"))));
    FGTI_TRY(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("sweep")), NULL, &g));
    fgt_forecaster_destroy(&g);
    return FGT_OK;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status      s;
    fgt_forecaster *f   = trained();
    fgt_table      *all = rows_of(0, OLD);
    OK(keep(f, all));
    SWEEP(&memory, s, 10, keep(f, all)) NOTHING_LEAKS;
    fgt_table_destroy(&all);
    fgt_forecaster_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_model_needs_the_last_rows_only),
        cmocka_unit_test(updates_keep_their_promise),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
