/* SPDX-License-Identifier: BSD-3-Clause */
/* A further input that says which values of a window were missing: all tokens read it, in training and in
 * every kind of forecast, and files keep it. */
#include <fighter/experimental/evaluate.h>

#include "../model_info.h"
#include "small_series.h"

enum { L = 24, H = 8, ROW = 150, GAP = 3, LONG = H + 5 };

static const struct {
    const char *name;
    int32_t     block, tokens;
} kinds[] = {
    {"patch", FGT_BLOCK_FIGHTER, FGT_TOKENS_PATCH},
    {"time", FGT_BLOCK_FIGHTER, FGT_TOKENS_TIME},
    {"variate", FGT_BLOCK_FIGHTER, FGT_TOKENS_VARIATE},
    {"linear", FGT_BLOCK_LINEAR, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static fgt_forecaster *with_mask(int kind, const fgt_table *table)
{
    return new_forecaster((fgt_forecaster_opts){.block.kind       = kinds[kind].block,
                                                .tokens.kind      = kinds[kind].tokens,
                                                .inputs.mask      = 1,
                                                .output.no_linear = 1},
                          table);
}

/* The last rows before ROW have no value in column 1; filled: the value that the library puts there. */
static fgt_table *table_of(bool filled)
{
    fill_values();
    for (int r = ROW - GAP; r < ROW; r++) values[r][1] = filled ? values[ROW - GAP - 1][1] : NAN;
    return new_table();
}

static void predict(fgt_forecaster *f, const fgt_table *table, double out[H][COLUMNS])
{
    OK(fgt_forecaster_predict_table(f, table, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, out, H, COLUMNS)));
}

/* Gives the mask an effect, as training does. */
static void learn(fgt_forecaster *f)
{
    fgt_model *m = fgt_forecaster_get_model(f);
    fgt_view   v = {0};
    OK(parameter_shape(m, "missing_map.weight", &v));
    const int64_t n = fgt_view_count(&v);
    float         w[2048];
    assert_true(n <= 2048);
    for (int64_t i = 0; i < n; i++) w[i] = (float)(i % 7) - 2;
    v.data = w;
    OK(fgt_model_set_parameter(m, "missing_map.weight", &v));
}

static void test_effect(void **state)
{
    (void)state;
    fgt_table *gap = table_of(false), *filled = table_of(true);
    for (int k = 0; k < KINDS; k++) {
        double          a[H][COLUMNS], b[H][COLUMNS];
        fgt_forecaster *f = with_mask(k, filled);
        predict(f, gap, a);
        predict(f, filled, b);
        if (memcmp(a, b, sizeof a)) fail_msg("%s: the mask has an effect before training", kinds[k].name);
        learn(f);
        predict(f, gap, a);
        if (!memcmp(a, b, sizeof a)) fail_msg("%s: the mask has no effect", kinds[k].name);
        predict(f, filled, a);
        if (memcmp(a, b, sizeof a)) fail_msg("%s: the mask has an effect where none is", kinds[k].name);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&gap);
    fgt_table_destroy(&filled);
}

static fgt_status keep(void *user, const fgt_forecast_window *w)
{
    memcpy(user, w->forecast.data, sizeof(double[H][COLUMNS]));
    return FGT_OK;
}

/* Training and measuring see what a forecast sees; raw rows and workspaces, too. */
static void test_ways(void **state)
{
    (void)state;
    fgt_table *gap = table_of(false);
    for (int k = 0; k < KINDS; k++) {
        double                  want[H][COLUMNS], got[H][COLUMNS];
        const fgt_view            out = *FGT_VIEW_OF(FGT_DTYPE_F64, got, H, COLUMNS);
        fgt_forecaster         *f   = with_mask(k, gap);
        fgt_forecaster_workspace *w;
        learn(f);
        predict(f, gap, want);
        OK(fgt_forecaster_visit(f, gap, &FGT_OPTS(fgt_forecast_visit_opts, .begin = ROW, .end = ROW + H),
                                keep, got));
        for (int i = 0; i < H * COLUMNS; i++) {
            const double a = got[i / COLUMNS][i % COLUMNS], b = want[i / COLUMNS][i % COLUMNS];
            assert_true(fabs(a - b) <= 1e-5 * fabs(b));
        }
        OK(fgt_forecaster_workspace_predict_rows(
            fgt_forecaster_get_workspace(f),
            &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values[ROW - L], L, COLUMNS)),
            &out));
        assert_memory_equal(got, want, sizeof got);
        OK(fgt_forecaster_create_workspace(f, NULL, &w));
        memset(got, 0, sizeof got);
        OK(fgt_forecaster_workspace_predict_windows(w, gap, (int64_t[]){ROW}, 1, NULL,
                                                    FGT_VIEW_OF(FGT_DTYPE_F64, got, 1, H, COLUMNS)));
        assert_memory_equal(got, want, sizeof got);
        OK(fgt_forecaster_predict_table(f, gap, -1, NULL, &out));
        memcpy(want, got, sizeof want);
        memset(got, 0, sizeof got);
        OK(fgt_forecaster_workspace_predict_windows(w, gap, (int64_t[]){-1}, 1, NULL,
                                                    FGT_VIEW_OF(FGT_DTYPE_F64, got, 1, H, COLUMNS)));
        assert_memory_equal(got, want, sizeof got);
        fgt_forecaster_workspace_destroy(&w);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&gap);
}

/* Forecasts that become input are not missing; the gap moves back in the window. */
static void test_recursion(void **state)
{
    (void)state;
    double          want[LONG][COLUMNS], got[LONG][COLUMNS];
    fgt_table      *gap = table_of(false);
    fgt_forecaster *f   = with_mask(0, gap);
    learn(f);
    predict(f, gap, want);
    for (int r = 0; r < LONG - H; r++) memcpy(values[ROW + r], want[r], sizeof values[ROW + r]);
    const double(*from)[COLUMNS] = &values[ROW + LONG - H - L];
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f),
        &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, (void *)from, L, COLUMNS)),
        FGT_VIEW_OF(FGT_DTYPE_F64, want[LONG - H], H, COLUMNS)));
    OK(fgt_forecaster_predict_table(f, gap, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, LONG, COLUMNS)));
    for (int r = H; r < LONG; r++)
        for (int c = 0; c < COLUMNS; c++)
            if (!(fabs(got[r][c] - want[r][c]) <= 1e-4 * fabs(want[r][c])))
                fail_msg("%d %d: %g %g", r, c, got[r][c], want[r][c]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&gap);
}

static fgt_status create_and_use(const fgt_table *table)
{
    double                        out[H][COLUMNS];
    fgt_forecaster               *f;
    const fgt_forecaster_opts     o    = {.size = sizeof o, .input_len = L, .pred_len = H, .inputs.mask = 1};
    const fgt_forecaster_fit_opts once = {.size = sizeof once, .training.epochs = 1};
    fgt_status                    s    = fgt_forecaster_create(ctx, table, &split, &o, &f);
    if (s == FGT_OK) s = fgt_forecaster_fit(f, table, &split, &once, NULL);
    if (s == FGT_OK)
        s = fgt_forecaster_predict_table(f, table, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, out, H, COLUMNS));
    fgt_forecaster_destroy(&f);
    return s;
}

static void test_memory_failures(void **state)
{
    (void)state;
    fgt_table *gap = table_of(false);
    fgt_status s;
    OK(create_and_use(gap)); /* what the context keeps */
    SWEEP(&memory, s, 20, create_and_use(gap)) NOTHING_LEAKS;
    fgt_table_destroy(&gap);
}

/* Training changes the map of the mask, and a file keeps it. */
static void test_file(void **state)
{
    (void)state;
    double                        want[H][COLUMNS], got[H][COLUMNS];
    const fgt_forecaster_fit_opts once = {.size = sizeof once, .training.epochs = 1};
    fgt_forecaster_info           info = {.size = sizeof info};
    fgt_forecaster               *f, *loaded;
    fill_values();
    for (int r = 5; r < ROWS; r += 7) values[r][1] = NAN;
    fgt_table *table = new_table();
    f                = with_mask(0, table);
    OK(fgt_forecaster_fit(f, table, &split, &once, NULL));
    predict(f, table, want);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("mask.safetensors"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("mask.safetensors")), NULL, &loaded));
    OK(fgt_forecaster_get_info(loaded, &info));
    assert_int_equal(info.mask, 1);
    predict(loaded, table, got);
    assert_memory_equal(got, want, sizeof got);
    learn(loaded);
    predict(loaded, table, got);
    assert_memory_not_equal(got, want, sizeof got);
    fgt_forecaster_destroy(&loaded);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_effect, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_recursion, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_failures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
