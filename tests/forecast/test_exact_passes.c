/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts through predictors and, with `exact`, through the model's own passes. */
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>

#include "../scaler_info.h"
#include "forecast/forecaster.h"
#include "forecast/predict/predict.h"
#include "roles.h"

enum { WINDOWS = 5, BLOCKS = 3 };

static const int64_t first[WINDOWS] = {900, L, 500, 501, 850};
static const int32_t blocks[BLOCKS] = {FGT_BLOCK_FIGHTER, FGT_BLOCK_TRANSFORMER, FGT_BLOCK_LINEAR};
static fgt_table    *table;

/* Without rows of validation, so that the last weights are kept. */
static void fit(fgt_forecaster *f, double lr)
{
    const fgt_split               blind = {.train_end = 700};
    const fgt_forecaster_fit_opts once  = {.size = sizeof once, .training = {.epochs = 1, .lr = lr}};
    OK(fgt_forecaster_fit(f, table, &blind, &once, NULL));
}

/* Wide enough for maps to be folded. */
static fgt_forecaster *trained(int32_t block)
{
    fgt_forecaster *f;
    const char *const targets[] = {"a", "b"};
    fgt_forecaster_opts o         = {.size                = sizeof o,
                                     .inputs.targets      = targets,
                                     .inputs.target_count = 2,
                                     .inputs.known        = k_name,
                                     .inputs.known_count  = 1,
                                     .block.kind          = block,
                                     .tokens.kind         = FGT_TOKENS_TIME,
                                     .input_len           = L,
                                     .pred_len            = H,
                                     .tokens.dim          = 48,
                                     .block.heads         = 2,
                                     .batch               = 3,
                                     .seed                = 1};
    OK(fgt_forecaster_create(ctx, table, &parts, &o, &f));
    fit(f, 1e-3);
    return f;
}

static void predict(fgt_forecaster *f, double out[WINDOWS][H][2])
{
    memset(out, 0, WINDOWS * sizeof *out);
    OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, first, WINDOWS, NULL,
                                                FGT_VIEW_OF(FGT_DTYPE_F64, out, WINDOWS, H, 2)));
}

static double distance(double a[WINDOWS][H][2], double b[WINDOWS][H][2])
{
    double most = 0;
    for (int i = 0; i < WINDOWS * H * 2; i++) most = fmax(most, fabs((&a[0][0][0])[i] - (&b[0][0][0])[i]));
    return most;
}

static void both_ways_are_close(void **state)
{
    (void)state;
    double quick[WINDOWS][H][2], exact[WINDOWS][H][2], again[WINDOWS][H][2];
    for (int i = 0; i < BLOCKS; i++) {
        fgt_forecaster     *f = trained(blocks[i]);
        fgt_metric          m[2] = {0};
        predict(f, quick);
        assert_non_null(f->passes.own);
        OK(fgt_forecaster_evaluate(f, table, parts.test_begin, parts.test_end, &m[0]));
        OK(fgt_forecaster_set_exact(f, 1));
        assert_null(f->passes.predictor);
        predict(f, exact);
        assert_null(f->passes.predictor);
        OK(fgt_forecaster_evaluate(f, table, parts.test_begin, parts.test_end, &m[1]));
        assert_true(distance(quick, exact) < 1e-4); /* of numbers about 100 */
        assert_true(fabs(m[0].square - m[1].square) < 1e-5 * m[1].square);
        assert_true(m[0].count == m[1].count);
        OK(fgt_forecaster_set_exact(f, 0));
        predict(f, again);
        assert_memory_equal(quick, again, sizeof quick);
        fgt_forecaster_destroy(&f);
    }
}

/* The bits of fgt_predict(), and only then matrices of the model's own. */
static void exact_is_the_model(void **state)
{
    (void)state;
    double              out[WINDOWS][H][2];
    float               y[H][2];
    fgt_forecaster     *f = trained(FGT_BLOCK_FIGHTER);
    fgt_model          *m = fgt_forecaster_get_model(f);
    const char         *layer = NULL;
    fgt_layer_info      info  = {.size = sizeof info};
    for (int64_t i = 0; !layer && fgt_model_get_layer(m, i, &info) == FGT_OK; i++)
        if (info.adjacency == FGT_ADJACENCY_ATTENTION) layer = info.name;
    assert_non_null(layer);
    predict(f, out);
    fgt_view a = {0};
    REFUSED(fgt_model_get_adjacency(m, layer, &a), FGT_E_STATE, "no pass");
    OK(fgt_forecaster_set_exact(f, 1));
    OK(fgt_forecaster_predict_table(f, table, 900, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, out, H, 2)));
    OK(fgt_model_get_adjacency(m, layer, &a));
    OK(fgt_predict(m, FGT_VIEW(f->own->x, 1, L, 2), FGT_VIEW(y, 1, H, 2)));
    const double *mean = scaler_mean(f->scaler).data, *scale = scaler_scale(f->scaler).data;
    for (int h = 0; h < H; h++)
        for (int c = 0; c < 2; c++) assert_true(out[0][h][c] == y[h][c] * scale[c] + mean[c]);
    REFUSED(fgt_forecaster_set_exact(f, 2), FGT_E_ARG, "exact is wrong (got 2");
    REFUSED(fgt_forecaster_set_exact(f, -1), FGT_E_ARG, "exact is wrong (got -1");
    assert_int_equal(fgt_forecaster_set_exact(NULL, 1), FGT_E_ARG);
    fgt_forecaster_destroy(&f);
}

static fgt_forecaster *reloaded(const fgt_forecaster *f)
{
    fgt_forecaster   *g;
    const char *const path = in_directory("exact");
    OK(fgt_forecaster_save(f, FGT_TO_FILE(path)));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(path), NULL, &g));
    return g;
}

/* Forecasts follow a training, also in workspaces that are older; and are those of the file. */
static void training_goes_on(void **state)
{
    (void)state;
    double         before[WINDOWS][H][2], after[WINDOWS][H][2], got[WINDOWS][H][2];
    const fgt_view out = *FGT_VIEW_OF(FGT_DTYPE_F64, got, WINDOWS, H, 2);
    for (int i = 0; i < BLOCKS; i++) {
        fgt_forecaster_workspace *w;
        fgt_forecaster         *f = trained(blocks[i]);
        predict(f, before);
        OK(fgt_forecaster_create_workspace(f, &FGT_OPTS(fgt_workspace_opts, .batch = 2), &w));
        OK(fgt_forecaster_workspace_predict_windows(w, table, first, WINDOWS, NULL, &out));
        assert_memory_equal(got, before, sizeof got);
        fit(f, 1e-2);
        assert_null(f->passes.own);
        predict(f, after);
        assert_true(blocks[i] == FGT_BLOCK_LINEAR || memcmp(before, after, sizeof after) != 0);
        OK(fgt_forecaster_workspace_predict_windows(w, table, first, WINDOWS, NULL, &out));
        assert_memory_equal(got, after, sizeof got);
        fgt_forecaster *g = reloaded(f);
        predict(g, got);
        assert_memory_equal(got, after, sizeof got);
        fgt_forecaster_workspace_destroy(&w);
        fgt_forecaster_destroy(&g);
        fgt_forecaster_destroy(&f);
    }
}

/* Trained, forecast and trained on is what training alone is. */
static void forecasts_do_not_disturb(void **state)
{
    (void)state;
    double out[WINDOWS][H][2];
    fgt_forecaster *a = trained(FGT_BLOCK_FIGHTER), *b = trained(FGT_BLOCK_FIGHTER);
    predict(a, out);
    fit(a, 1e-3);
    fit(b, 1e-3);
    assert_true(fgt_model_get_hash(fgt_forecaster_get_model(a)) ==
                fgt_model_get_hash(fgt_forecaster_get_model(b)));
    fgt_forecaster_destroy(&a);
    fgt_forecaster_destroy(&b);
}

/* A mask of the model's own works on forecasts, as before. */
static void masks_are_heeded(void **state)
{
    (void)state;
    static float    mask[L][L];
    double          plain[WINDOWS][H][2], masked[WINDOWS][H][2], again[WINDOWS][H][2];
    fgt_forecaster *f = trained(FGT_BLOCK_TRANSFORMER);
    fgt_model      *m = fgt_forecaster_get_model(f);
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L; j++) mask[i][j] = j > i ? -INFINITY : 0;
    predict(f, plain);
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, FGT_VIEW(mask, L, L)));
    predict(f, masked);
    assert_true(distance(plain, masked) > 1e-3);
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, NULL));
    predict(f, again);
    assert_memory_equal(plain, again, sizeof plain);
    fgt_forecaster_destroy(&f);
}

static void means_and_refits_take_it_over(void **state)
{
    (void)state;
    double          got[WINDOWS][H][2];
    fgt_forecaster *f[2] = {trained(FGT_BLOCK_FIGHTER), trained(FGT_BLOCK_FIGHTER)}, *g;
    for (int exact = 0; exact < 2; exact++) {
        OK(fgt_forecaster_set_exact(f[0], exact));
        OK(fgt_forecaster_create_mean(ctx, f, 2, &g));
        predict(g, got);
        assert_int_equal(g->passes.own != NULL, !exact);
        fgt_forecaster_destroy(&g);
    }
    const fgt_forecaster_fit_opts once = {.size = sizeof once, .training.epochs = 1};
    OK(fgt_forecaster_create_refit(f[0], table, &parts, &once, NULL, &g));
    assert_true(g->exact);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f[0]);
    fgt_forecaster_destroy(&f[1]);
}

static fgt_forecaster *swept;

static fgt_status predict_swept(void)
{
    double           out[H][2];
    const fgt_status s =
        fgt_forecaster_predict_table(swept, table, 700, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, out, H, 2));
    if (s == FGT_OK) fgti_forecaster_drop_passes(swept);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    double     want[WINDOWS][H][2], got[WINDOWS][H][2];
    swept = trained(FGT_BLOCK_FIGHTER);
    predict(swept, want);
    fgti_forecaster_drop_passes(swept);
    SWEEP(&memory, s, 20, predict_swept()) NOTHING_LEAKS;
    predict(swept, got);
    assert_memory_equal(want, got, sizeof want);
    fgt_forecaster_destroy(&swept);
}

static int begin(void **state)
{
    if (fill(state)) return 1;
    table = whole();
    return 0;
}

static int end(void **state)
{
    fgt_table_destroy(&table);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_are_close),
        cmocka_unit_test(exact_is_the_model),
        cmocka_unit_test(training_goes_on),
        cmocka_unit_test(forecasts_do_not_disturb),
        cmocka_unit_test(masks_are_heeded),
        cmocka_unit_test(means_and_refits_take_it_over),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
