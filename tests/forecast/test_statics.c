/* SPDX-License-Identifier: BSD-3-Clause */
/* Static features: they tell series apart that look alike, stay with the model, and are refused where they do
 * not fit. */
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/table_file.h>

#include "small_series.h"

enum { AHEAD = 8, SERIES = 4 };

/* Series that are alike but for what follows every 20th row: a step up or down, by the kind of the series. */
static fgt_table *new_series(void)
{
    static double            v[ROWS][SERIES];
    static const char *const names[] = {"a", "b", "c", "d"};
    fgt_table               *t;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < SERIES; c++) v[r][c] = sin(r * 0.3) + (c % 2 ? 1 : -1) * (r / 10 % 2);
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, ROWS, SERIES), &t));
    return t;
}

/* The rows in another order than the series; the kind is that of the numbers. */
static fgt_table *load_features(const char *text)
{
    fgt_table *t;
    test_write(in_directory("s.csv"), text, strlen(text));
    OK(fgt_table_load(ctx, in_directory("s.csv"), &FGT_OPTS(fgt_csv_opts, .date = FGT_TABLE_DATE_LABELS),
                      &t));
    return t;
}

static const char *const good = "id,kind,same\nd,1,5\nb,1,5\na,0,5\nc,0,5\nz,9,5\n";

static void test_model(void **state)
{
    (void)state;
    static const int32_t tokens[] = {FGT_TOKENS_PATCH, FGT_TOKENS_VARIATE};
    fgt_table           *t = new_series(), *features = load_features(good);
    for (int i = 0; i < 2; i++) {
        fgt_forecaster *f =
            new_forecaster((fgt_forecaster_opts){.inputs.features = features, .tokens.kind = tokens[i]}, t);
        fgt_forecaster *g;
        double          a[AHEAD][SERIES], b[AHEAD][SERIES];
        assert_int_equal(f->info.statics, 2);
        for (int c = 0; c < SERIES; c++) {
            assert_true(fabsf(f->statics[2 * c] - (c % 2 ? 1 : -1)) < 1e-6f);
            assert_true(f->statics[2 * c + 1] == 0); /* the same for all */
        }
        OK(fgt_forecaster_fit(f, t, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 2), NULL));
        OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("f"))));
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &g));
        OK(fgt_forecaster_predict_table(f, t, 190, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, a, AHEAD, SERIES)));
        OK(fgt_forecaster_predict_table(g, t, 190, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, b, AHEAD, SERIES)));
        assert_memory_equal(a, b, sizeof a);
        fgt_forecaster_destroy(&g);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&features);
    fgt_table_destroy(&t);
}

/* A checkpoint is of these features. */
static void test_resume(void **state)
{
    (void)state;
    fgt_table      *t = new_series(), *features = load_features(good);
    fgt_table      *others = load_features("id,kind,same\nd,0,5\nb,1,5\na,0,5\nc,1,5\n");
    fgt_forecaster *f      = new_forecaster((fgt_forecaster_opts){.inputs.features = features}, t);
    fgt_forecaster *g      = new_forecaster((fgt_forecaster_opts){.inputs.features = others}, t);
    const char     *path = in_directory("run");
    OK(fgt_forecaster_fit(f, t, &split,
                          &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 1, .checkpoint = path}),
                          NULL));
    const fgt_forecaster_fit_opts again = {.size = sizeof again, .training = {.epochs = 1, .resume = path}};
    REFUSED(fgt_forecaster_fit(g, t, &split, &again, NULL), FGT_E_FORMAT, "other data");
    OK(fgt_forecaster_fit(f, t, &split, &again, NULL));
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&others);
    fgt_table_destroy(&features);
    fgt_table_destroy(&t);
}

/* Features are read from memory. */
static void test_stored(void **state)
{
    (void)state;
    static const int64_t times[] = {0, 3600000, 7200000, 10800000, 14400000};
    fgt_table           *t = new_series(), *features = load_features(good), *stored;
    fgt_forecaster      *f;
    OK(fgt_table_set_times(features, FGT_VIEW_OF(FGT_DTYPE_I64, times, 5), 0));
    OK(fgt_table_save(features, in_directory("features.fgt")));
    OK(fgt_table_open(ctx, in_directory("features.fgt"), NULL, &stored));
    const fgt_forecaster_opts o = {
        .size = sizeof o, .inputs.features = stored, .input_len = 24, .pred_len = AHEAD};
    REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), FGT_E_UNSUPPORTED, "static features");
    fgt_table_destroy(&stored);
    fgt_table_destroy(&features);
    fgt_table_destroy(&t);
}

/* Forecasters of patches and of variates take static features in one form, so they have a mean. */
static void test_mean(void **state)
{
    (void)state;
    fgt_table      *t = new_series(), *features = load_features(good);
    fgt_forecaster *member[2], *mean, *loaded;
    double          y[4][AHEAD][SERIES];
    for (int i = 0; i < 2; i++) {
        member[i] = new_forecaster(
            (fgt_forecaster_opts){.inputs.features  = features,
                                  .output.no_linear = 1, /* or untrained layers have no effect */
                                  .tokens.kind      = i ? FGT_TOKENS_VARIATE : FGT_TOKENS_PATCH},
            t);
        OK(fgt_forecaster_predict_table(member[i], t, 190, NULL,
                                        FGT_VIEW_OF(FGT_DTYPE_F64, y[i], AHEAD, SERIES)));
    }
    OK(fgt_forecaster_create_mean(ctx, member, 2, &mean));
    OK(fgt_forecaster_predict_table(mean, t, 190, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[2], AHEAD, SERIES)));
    OK(fgt_forecaster_save(mean, FGT_TO_FILE(in_directory("f"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &loaded));
    OK(fgt_forecaster_predict_table(loaded, t, 190, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[3], AHEAD, SERIES)));
    for (int h = 0; h < AHEAD; h++)
        for (int c = 0; c < SERIES; c++)
            assert_true(fabs(y[0][h][c] + y[1][h][c] - 2 * y[2][h][c]) < 1e-5);
    assert_memory_equal(y[2], y[3], sizeof y[2]);
    fgt_forecaster_destroy(&loaded);
    fgt_forecaster_destroy(&mean);
    for (int i = 0; i < 2; i++) fgt_forecaster_destroy(&member[i]);
    fgt_table_destroy(&features);
    fgt_table_destroy(&t);
}

static double error_of(const fgt_table *t, const fgt_table *features)
{
    fgt_forecaster *f = new_forecaster(
        (fgt_forecaster_opts){.inputs.features = features, .block.dropout = -1, .output.no_linear = 1}, t);
    fgt_metric      m = {0};
    OK(fgt_forecaster_fit(f, t, &split,
                          &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 30, .lr = 0.01}), NULL));
    OK(fgt_forecaster_evaluate(f, t, 160, 200, &m));
    fgt_forecaster_destroy(&f);
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

static void test_gain(void **state)
{
    (void)state;
    fgt_table   *t = new_series(), *features = load_features(good);
    const double without = error_of(t, NULL), with = error_of(t, features);
    print_message("error %.4f without static features, %.4f with them\n", without, with);
    assert_true(with < without);
    fgt_table_destroy(&features);
    fgt_table_destroy(&t);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        {"id,kind\na,1\nb,1\nc,1\n", "series \"d\" has no row"},
        {"id,kind\na,1\nb,1\nc,1\na,2\nd,1\n", "line 5 is of \"a\", and so is line 2"},
    };
    fgt_table          *t = new_series(), *features;
    fgt_forecaster     *f;
    fgt_forecaster_opts o = {.size = sizeof o, .input_len = 24, .pred_len = 8};
    for (size_t i = 0; i < 2; i++) {
        o.inputs.features = features = load_features(bad[i].text);
        REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), FGT_E_DATA, bad[i].sentence);
        assert_null(f);
        fgt_table_destroy(&features);
    }
    o.inputs.features = t;
    REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), FGT_E_DATA, "the rows have no labels");
    o.tokens.kind = FGT_TOKENS_TIME;
    REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), FGT_E_ARG, "tokens of single series");
    o = (fgt_forecaster_opts){.size = sizeof o, .inputs.features = t, .block.kind = FGT_BLOCK_LINEAR};
    REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), FGT_E_ARG, "tokens of single series");
    fgt_table_destroy(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    fgt_table                *t = new_series(), *features = load_features(good);
    fgt_forecaster           *f;
    fgt_status                s;
    double                    y[AHEAD * SERIES];
    const fgt_forecaster_opts o = {.size            = sizeof o,
                                   .input_len       = 24,
                                   .pred_len        = 8,
                                   .tokens.dim      = 8,
                                   .tokens.patch    = 8,
                                   .inputs.features = features};
    SWEEP(&memory, s, 10, fgt_forecaster_create(ctx, t, &split, &o, &f)) assert_null(f);
    SWEEP(&memory, s, 3,
          fgt_forecaster_predict_table(f, t, 190, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, AHEAD, SERIES)));
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("f"))));
    fgt_forecaster_destroy(&f);
    SWEEP(&memory, s, 10, fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &f))
    assert_null(f);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&features);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_resume), cmocka_unit_test(test_mean), cmocka_unit_test(test_stored),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
