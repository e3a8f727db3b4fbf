/* SPDX-License-Identifier: BSD-3-Clause */
/* A forecaster of a table on disk is that of the same table in memory, but for the order of windows. */
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/search.h>
#include <fighter/experimental/table_file.h>
#include <fighter/time.h>

#include "../scaler_info.h"
#include "small_series.h"

/* So many columns that a block has 4096 rows; most are not used. */
enum { LONG = 12000, NARROW = 2, EXTRA = 1, COLUMNS_ALL = 80 };

/* A number in 0 .. 1 for each k. */
static double unit(int k)
{
    const uint64_t x = ((uint64_t)k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)((x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 40) / 16777216.0;
}

static const fgt_split cut = {0, 8000, 8000, 10000, 10000, LONG};

/* Hours with a daily rhythm; the third column is known in advance. Some values are missing. */
static fgt_table *new_hours(void)
{
    static const char *names[COLUMNS_ALL] = {"load", "heat", "price"};
    static char        other[COLUMNS_ALL][8];
    static double      v[LONG][COLUMNS_ALL];
    static int64_t     time[LONG];
    fgt_table         *t;
    for (int c = NARROW + EXTRA; c < COLUMNS_ALL; c++) {
        snprintf(other[c], sizeof other[c], "%d", c);
        names[c] = other[c];
    }
    for (int r = 0; r < LONG; r++) {
        v[r][0] = (double)(float)(10 + 3 * sin(r * 0.2618) + unit(r) * 0.5);
        v[r][1] = r % 700 == 3 ? NAN : (double)(float)(5 - cos(r * 0.2618) + unit(r + LONG) * 0.3);
        v[r][2] = (double)(float)(r % 24);
        time[r] = INT64_C(1451606400000) + r * INT64_C(3600000);
    }
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, LONG, COLUMNS_ALL), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, time, LONG), 0));
    return t;
}

static fgt_table *store(const fgt_table *loaded, int64_t resident)
{
    fgt_table *t;
    OK(fgt_table_save(loaded, in_directory("hours.fgt")));
    OK(fgt_table_open(ctx, in_directory("hours.fgt"), &FGT_OPTS(fgt_table_open_opts, .resident = resident),
                      &t));
    return t;
}

static const char *const targets[] = {"load", "heat"}, *const known[] = {"price"};

static fgt_forecaster *new_one(const fgt_table *t, fgt_forecaster_opts o)
{
    fgt_forecaster *f;
    o.size         = sizeof o;
    o.input_len    = 48;
    o.pred_len     = 12;
    o.tokens.dim          = 8;
    o.inputs.known        = known;
    o.inputs.known_count  = 1;
    o.inputs.targets      = targets;
    o.inputs.target_count = NARROW;
    o.seed         = 3;
    OK(fgt_forecaster_create(ctx, t, &cut, &o, &f));
    return f;
}

typedef struct sums {
    double  forecast, truth;
    int64_t windows;
} sums;

static fgt_status add_window(void *user, const fgt_forecast_window *w)
{
    sums *s = user;
    for (int64_t i = 0; i < 12 * NARROW; i++) {
        s->forecast += ((const double *)w->forecast.data)[i];
        if (!isnan(((const double *)w->truth.data)[i])) s->truth += ((const double *)w->truth.data)[i];
    }
    s->windows++;
    return FGT_OK;
}

static void expect_same_errors(fgt_forecaster *f, const fgt_table *stored, const fgt_table *loaded)
{
    fgt_metric          here = {0}, there = {0};
    sums                a = {0}, b = {0};
    fgt_forecast_metric x[NARROW], y[NARROW];
    OK(fgt_forecaster_compute_naive_errors(f, loaded, 10, 8000, 24, NULL, x));
    OK(fgt_forecaster_compute_naive_errors(f, stored, 10, 8000, 24, NULL, y));
    assert_memory_equal(x, y, sizeof x);
    OK(fgt_forecaster_evaluate(f, loaded, cut.test_begin, cut.test_end, &here));
    OK(fgt_forecaster_evaluate(f, stored, cut.test_begin, cut.test_end, &there));
    assert_true(!memcmp(&here, &there, sizeof here));
    here = there = (fgt_metric){0};
    OK(fgt_forecaster_evaluate_naive(f, loaded, cut.test_begin, cut.test_end, 24, &here));
    OK(fgt_forecaster_evaluate_naive(f, stored, cut.test_begin, cut.test_end, 24, &there));
    assert_true(!memcmp(&here, &there, sizeof here));
    OK(fgt_forecaster_visit(f, loaded, &FGT_OPTS(fgt_forecast_visit_opts, .begin = 11000, .stride = 7),
                            add_window, &a));
    OK(fgt_forecaster_visit(f, stored, &FGT_OPTS(fgt_forecast_visit_opts, .begin = 11900, .season = 24),
                            add_window, &b));
    b = (sums){0};
    OK(fgt_forecaster_visit(f, stored, &FGT_OPTS(fgt_forecast_visit_opts, .begin = 11000, .stride = 7),
                            add_window, &b));
    assert_true(a.windows > 100 && a.windows == b.windows && a.forecast == b.forecast && a.truth == b.truth);
}

/* Everything fits into the excerpt: scaler, calendar and linear part are those of a table in memory. */
static void test_create(void **state)
{
    (void)state;
    fgt_table      *loaded = new_hours(), *stored = store(loaded, 0);
    fgt_forecaster *a     = new_one(loaded, (fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}),
                   *b     = new_one(stored, (fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR});
    fgt_forecaster_info x = {.size = sizeof x}, y = {.size = sizeof y};
    OK(fgt_forecaster_get_info(a, &x));
    OK(fgt_forecaster_get_info(b, &y));
    assert_int_equal(x.calendar, y.calendar);
    assert_int_equal(x.linear, y.linear);
    assert_true(x.linear);
    for (int c = 0; c < NARROW + EXTRA; c++) {
        const double *m = scaler_mean(fgt_forecaster_get_scaler(a)).data;
        const double *n = scaler_mean(fgt_forecaster_get_scaler(b)).data;
        assert_true(fabs(m[c] - n[c]) < 1e-9 * fabs(m[c]));
    }
    fgt_metric m = {0}, n = {0};
    OK(fgt_forecaster_evaluate(a, loaded, cut.test_begin, cut.test_end, &m));
    OK(fgt_forecaster_evaluate(b, loaded, cut.test_begin, cut.test_end, &n));
    assert_true(fabs(m.square - n.square) < 1e-5 * m.square && m.count == n.count);
    expect_same_errors(b, stored, loaded);
    fgt_forecaster_destroy(&a);
    fgt_forecaster_destroy(&b);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

static uint64_t train(const fgt_table *t, fgt_forecaster_opts o, fgt_forecaster_fit_opts fit,
                      fgt_forecaster **out)
{
    fgt_fit_report r = {.size = sizeof r};
    fit.size         = sizeof fit;
    fit.training.epochs = 2;
    fit.training.seed   = 1;
    *out             = new_one(t, o);
    OK(fgt_forecaster_fit(*out, t, &cut, &fit, &r));
    assert_true(r.steps > 0 && r.best_loss < 1);
    return fgt_model_get_hash(fgt_forecaster_get_model(*out));
}

/* Trained through a small cache and a large one; the size of pools is a part of the order. */
static void test_fit(void **state)
{
    (void)state;
    static const fgt_forecaster_opts kinds[] = {
        {.block.kind = FGT_BLOCK_FIGHTER},
        {.block.kind = FGT_BLOCK_LSTM, .inputs.calendar = FGT_CALENDAR_DAY},
        {.inputs.mask = 1}};
    fgt_table *loaded = new_hours(), *stored = store(loaded, 1 << 20);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fgt_forecaster *f, *again;
        const uint64_t  hash = train(stored, kinds[i], (fgt_forecaster_fit_opts){.thin = 1}, &f);
        assert_true(train(stored, kinds[i], (fgt_forecaster_fit_opts){.thin = 1}, &again) == hash);
        fgt_forecaster_destroy(&again);
        assert_true(train(stored, kinds[i], (fgt_forecaster_fit_opts){.thin = 3}, &again) != hash);
        expect_same_errors(f, stored, loaded);
        fgt_forecaster_destroy(&f);
        fgt_forecaster_destroy(&again);
    }
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

/* A few rows of memory: the linear part comes from the last training rows. */
static void test_excerpt(void **state)
{
    (void)state;
    fgt_table      *loaded = new_hours(), *stored = store(loaded, 1 << 20);
    fgt_forecaster *f = new_one(stored, (fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR});
    fgt_metric      m = {0}, naive = {0};
    OK(fgt_forecaster_evaluate(f, stored, cut.test_begin, cut.test_end, &m));
    OK(fgt_forecaster_evaluate_naive(f, stored, cut.test_begin, cut.test_end, 24, &naive));
    assert_true(m.square < naive.square);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

/* Run after run, a checkpoint between them. */
static void test_resume(void **state)
{
    (void)state;
    fgt_table      *loaded = new_hours(), *stored = store(loaded, 1 << 20);
    fgt_forecaster *f, *g;
    char            path[256];
    snprintf(path, sizeof path, "%s/run", directory);
    const fgt_forecaster_opts o = {.block.kind = FGT_BLOCK_FIGHTER};
    const uint64_t hash = train(stored, o, (fgt_forecaster_fit_opts){.training.checkpoint = path}, &f);
    assert_true(train(stored, o, (fgt_forecaster_fit_opts){.training.resume = path}, &g) == hash);
    fgt_forecaster_destroy(&g);
    g = new_one(loaded, o);
    assert_int_equal(fgt_forecaster_fit(g, loaded, &cut,
                                        &FGT_OPTS(fgt_forecaster_fit_opts,
                                                  .training = {.epochs = 2, .seed = 1, .resume = path}),
                                        NULL),
                     FGT_E_FORMAT);
    fgt_forecaster_destroy(&f);
    fgt_forecaster_destroy(&g);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

/* The list of days is data, too, though the rows of the file are the same. */
static void test_resume_with_other_days(void **state)
{
    (void)state;
    static const int64_t first = INT64_C(1451606400000), day = INT64_C(86400000);
    fgt_table           *loaded = new_hours(), *stored = store(loaded, 1 << 20);
    const char          *path = in_directory("days");
    for (int i = 0; i < 3; i++) {
        fgt_days       *days;
        fgt_forecaster *f;
        const int64_t   times[] = {first + 20 * day, first + (i == 1 ? 70 : 50) * day};
        OK(fgt_days_create(ctx, times, NULL, 2, &days));
        f                               = new_one(stored, (fgt_forecaster_opts){.inputs.holidays = days});
        const fgt_forecaster_fit_opts o = {
            .size     = sizeof o,
            .training = {.epochs = 1, .seed = 1, .checkpoint = i ? NULL : path, .resume = i ? path : NULL}};
        if (i == 1)
            REFUSED(fgt_forecaster_fit(f, stored, &cut, &o, NULL), FGT_E_FORMAT, "other data");
        else
            OK(fgt_forecaster_fit(f, stored, &cut, &o, NULL));
        fgt_forecaster_destroy(&f);
        fgt_days_destroy(&days);
    }
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

static void test_refused(void **state)
{
    (void)state;
    static double   out[12 * NARROW];
    fgt_table      *loaded = new_hours(), *stored = store(loaded, 0);
    fgt_forecaster *f        = new_one(stored, (fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}), *g;
    const fgt_view  forecast = *FGT_VIEW_OF(FGT_DTYPE_F64, out, 12, NARROW);
    assert_int_equal(fgt_forecaster_find_row(f, stored), LONG);
    assert_int_equal(fgt_forecaster_predict_table(f, stored, -1, NULL, &forecast), FGT_E_UNSUPPORTED);
    assert_int_equal(fgt_forecaster_predict_table(f, loaded, 5000, stored, &forecast), FGT_E_UNSUPPORTED);
    assert_int_equal(fgt_forecaster_update(f, stored, -1, NULL, NULL), FGT_E_UNSUPPORTED);
    assert_int_equal(fgt_forecaster_search(ctx, stored, &cut, NULL, &g, NULL), FGT_E_UNSUPPORTED);
    fgt_calibration *c;
    OK(fgt_calibration_create(f, stored, 9000, &c));
    fgt_calibration_destroy(&c);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

/* A block that is damaged is found when training comes to it. */
static void test_damage(void **state)
{
    (void)state;
    fgt_table      *loaded = new_hours(), *stored;
    const char     *path   = in_directory("bad.fgt");
    fgt_forecaster *f;
    OK(fgt_table_save(loaded, path));
    FILE *file = fopen(path, "r+b");
    fseek(file, 8 + 4 * 100, SEEK_SET);
    fputc(77, file);
    fclose(file);
    OK(fgt_table_open(ctx, path, &FGT_OPTS(fgt_table_open_opts, .resident = 1 << 20), &stored));
    f = new_one(stored, (fgt_forecaster_opts){.block.kind = FGT_BLOCK_LSTM});
    assert_int_equal(fgt_forecaster_fit(f, stored, &cut, NULL, NULL), FGT_E_FORMAT);
    assert_non_null(strstr(fgt_context_get_error(ctx), "damaged: rows 0.."));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

/* Hidden patches of windows that are read from the disk, with what is known of their rows. */
static void hidden_patches_come_from_the_disk(void **state)
{
    (void)state;
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 1, .seed = 1}, .thin = 4};
    const fgt_forecaster_masked_opts o      = {.size = sizeof o, .fit = &fit};
    fgt_table                       *loaded = new_hours(), *stored = store(loaded, 0);
    fgt_fit_report                   here = {.size = sizeof here}, there = {.size = sizeof there};
    fgt_forecaster                  *f = new_one(loaded, (fgt_forecaster_opts){.output.no_linear = 1});
    fgt_forecaster                  *g = new_one(stored, (fgt_forecaster_opts){.output.no_linear = 1});
    OK(fgt_forecaster_fit_masked(f, loaded, &cut, &o, &here));
    OK(fgt_forecaster_fit_masked(g, stored, &cut, &o, &there));
    assert_true(here.epochs == 1 && there.epochs == 1 && here.samples > 0 && there.samples > 0);
    assert_true(fabs(here.best_loss - there.best_loss) < 0.2 * here.best_loss);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create), cmocka_unit_test(test_fit),     cmocka_unit_test(test_excerpt),
        cmocka_unit_test(test_resume), cmocka_unit_test(test_resume_with_other_days),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_damage),
        cmocka_unit_test(hidden_patches_come_from_the_disk),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
