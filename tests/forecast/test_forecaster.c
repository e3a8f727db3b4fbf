/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/experimental/evaluate.h>
#include <fighter/graph.h>

#include "../scaler_info.h"
#include "small_series.h"

static const fgt_forecaster_fit_opts brief = {.size = sizeof brief, .training = {.epochs = 2, .seed = 1}};

static void get_info(const fgt_forecaster *f, fgt_forecaster_info *info)
{
    info->size = sizeof *info;
    OK(fgt_forecaster_get_info(f, info));
}

/* ---- making ---- */

static void scaler_sees_training_rows_alone(void **state)
{
    (void)state;
    fgt_table *table = new_table();
    for (int r = 120; r < ROWS; r++) values[r][0] = 1e6;
    fgt_table        *other = new_table();
    fgt_forecaster   *f     = new_forecaster((fgt_forecaster_opts){0}, table);
    fgt_forecaster   *g     = new_forecaster((fgt_forecaster_opts){0}, other);
    const fgt_scaler *a = fgt_forecaster_get_scaler(f), *b = fgt_forecaster_get_scaler(g);
    assert_memory_equal(scaler_mean(a).data, scaler_mean(b).data, COLUMNS * sizeof(double));
    assert_memory_equal(scaler_scale(a).data, scaler_scale(b).data, COLUMNS * sizeof(double));
    assert_true(fabs(((const double *)scaler_mean(a).data)[0] - 10) < 0.5);
    /* nor does fitting change it */
    const double before = ((const double *)scaler_mean(a).data)[0];
    OK(fgt_forecaster_fit(f, table, &split, &brief, NULL));
    assert_true(before == ((const double *)scaler_mean(a).data)[0]);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&other);
    fgt_table_destroy(&table);
    fill_values();
}

static void columns_are_chosen_by_name(void **state)
{
    (void)state;
    static const char *const two[] = {"\xc3\xb6l", "load"}, *const none[] = {"nobody"};
    fgt_table          *table = new_table();
    fgt_forecaster_info info;
    fgt_forecaster     *f =
        new_forecaster((fgt_forecaster_opts){.inputs.targets = two, .inputs.target_count = 2}, table);
    get_info(f, &info);
    assert_int_equal(info.columns, 2);
    assert_string_equal(fgt_forecaster_get_name(f, 0), two[0]);
    assert_string_equal(fgt_forecaster_get_name(f, 1), two[1]);
    assert_null(fgt_forecaster_get_name(f, 2));
    assert_null(fgt_forecaster_get_name(f, -1));
    assert_true(((const double *)scaler_mean(fgt_forecaster_get_scaler(f)).data)[0] > 1e4);
    fgt_forecaster_destroy(&f);
    REFUSED(fgt_forecaster_create(
                ctx, table, &split,
                &FGT_OPTS(fgt_forecaster_opts, .inputs.targets = none, .inputs.target_count = 1), &f),
            FGT_E_NAME, "nobody");
    assert_null(f);
    fgt_table_destroy(&table);
}

static void refuse(fgt_forecaster_opts o, fgt_status status, const char *words)
{
    fgt_table      *table = new_table();
    fgt_forecaster *f     = (fgt_forecaster *)&o; /* anything */
    o.size                = sizeof o;
    REFUSED(fgt_forecaster_create(ctx, table, &split, &o, &f), status, words);
    assert_null(f);
    fgt_table_destroy(&table);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const int64_t zero[] = {0}, two[] = {3, 2};
    refuse((fgt_forecaster_opts){.block.layer_hops = zero, .block.layer_hops_count = 1}, FGT_E_ARG, "hops");
    refuse((fgt_forecaster_opts){.block.layer_hops = two}, FGT_E_ARG, "layer_hops_count");
    refuse((fgt_forecaster_opts){.block.layer_hops = two, .block.layer_hops_count = 2, .block.layers = 3},
           FGT_E_ARG, "layer_hops has the wrong count (got 2, need 1 or 3");
    refuse((fgt_forecaster_opts){.block.layer_hops       = two,
                                 .block.layer_hops_count = 2,
                                 .block.layers           = 3,
                                 .space.kind             = FGT_FORECAST_SPACE_AND},
           FGT_E_ARG, "got 2, need 3");
    refuse((fgt_forecaster_opts){.block.heads = 5}, FGT_E_ARG, "heads");
    refuse((fgt_forecaster_opts){.block.heads = -1}, FGT_E_ARG, "heads");
    refuse((fgt_forecaster_opts){.input_len = 12, .tokens.patch = 13}, FGT_E_SHAPE, "a patch is too long");
    refuse((fgt_forecaster_opts){.input_len = -1}, FGT_E_ARG, "input_len");
    refuse((fgt_forecaster_opts){.block.kind = 1000}, FGT_E_ARG, "unknown block (got 1000");
    refuse((fgt_forecaster_opts){.block.kind = FGT_BLOCK_GRU, .tokens.kind = FGT_TOKENS_VARIATE}, FGT_E_ARG,
           "order");
    refuse((fgt_forecaster_opts){.block.kind = FGT_BLOCK_TRANSFORMER, .block.ff = -1}, FGT_E_ARG, "ff");
    refuse((fgt_forecaster_opts){.tokens.kind = 3}, FGT_E_ARG, "tokens");
    refuse((fgt_forecaster_opts){.block.dropout = 1}, FGT_E_ARG, "dropout");
    refuse((fgt_forecaster_opts){.block.dropout = NAN}, FGT_E_ARG, "dropout");
    refuse(
        (fgt_forecaster_opts){.input_len = INT64_C(1) << 40, .pred_len = 1, .block.kind = FGT_BLOCK_LINEAR},
        sizeof(size_t) < 8 ? FGT_E_SIZE : FGT_E_NOMEM, "");
    fgt_graph *small;
    OK(fgt_graph_create_dense(ctx, FGT_VIEW(((float[]){1, 0, 0, 1}), 2, 2), &small));
    refuse((fgt_forecaster_opts){.block.kind  = FGT_BLOCK_GCN,
                                 .tokens.kind = FGT_TOKENS_VARIATE,
                                 .space.graph = small},
           FGT_E_SHAPE, "nodes");
    fgt_graph_destroy(&small);
    assert_int_equal(fgt_forecaster_create(NULL, NULL, NULL, NULL, NULL), FGT_E_ARG);
}

/* ---- training and comparing ---- */

static void every_recipe_trains(void **state)
{
    (void)state;
    fgt_table *table = new_table();
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int32_t tokens = 0; tokens < FGTI_TOKENS_COUNT; tokens++)
            for (int32_t revin = 0; revin < 2 && takes(block, tokens); revin++) {
                static const int64_t      hops[] = {3, 2};
                const fgt_forecaster_opts o      = {.block.kind             = block,
                                                    .tokens.kind            = tokens,
                                                    .tokens.revin           = revin,
                                                    .block.layer_hops       = hops,
                                                    .block.layer_hops_count = 2,
                                                    .output.no_linear       = 1};
                fgt_forecaster *f      = new_forecaster(o, table);
                fgt_fit_report  report = {.size = sizeof report};
                fgt_metric      before = {0}, after = {0};
                OK(fgt_forecaster_evaluate(f, table, 0, 120, &before));
                OK(fgt_forecaster_fit(f, table, &split, &brief, &report));
                OK(fgt_forecaster_evaluate(f, table, 0, 120, &after));
                assert_int_equal(report.epochs, 2);
                assert_true(fgt_metric_get(&after, FGT_METRIC_MSE) < fgt_metric_get(&before, FGT_METRIC_MSE));
                fgt_forecaster_destroy(&f);
            }
    fgt_table_destroy(&table);
}

static void every_window_is_compared(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.batch = 7}, table);
    fgt_metric      m = {0}, naive = {0};
    assert_int_equal(fgt_forecaster_count_windows(f, 0, 120, 1), 120 - 24 - 8 + 1);
    assert_int_equal(fgt_forecaster_count_windows(f, 160, 200, 0), 40 - 8 + 1);
    assert_int_equal(fgt_forecaster_count_windows(f, 0, 40, 0), 40 - 24 - 8 + 1);
    assert_int_equal(fgt_forecaster_count_windows(f, 0, 31, 0), 0);
    OK(fgt_forecaster_evaluate(f, table, 160, 200, &m));
    OK(fgt_forecaster_evaluate_naive(f, table, 160, 200, 1, &naive));
    assert_int_equal(m.count, 33 * 8 * COLUMNS);
    assert_int_equal(naive.count, 33 * 8 * COLUMNS);
    REFUSED(fgt_forecaster_evaluate(f, table, 160, 167, &m), FGT_E_DATA, "windows");
    REFUSED(fgt_forecaster_evaluate(f, table, 160, 201, &m), FGT_E_ARG, "200 rows");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Against sums done by hand: column 2 has a season of 7 rows, and a gap is bridged by one season more. */
static void naive_is_the_last_season(void **state)
{
    (void)state;
    fgt_table      *whole = new_table();
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){0}, whole);
    const double   *scale = scaler_scale(fgt_forecaster_get_scaler(f)).data;
    for (int r = 100; r < 150; r++) values[r][0] = values[r][1] = 0;
    values[130][2]   = NAN;
    fgt_table *table = new_table();
    fgt_metric last = {0}, season = {0};
    /* one window: inputs 109 .. 132, targets 133 .. 140 */
    OK(fgt_forecaster_evaluate_naive(f, table, 133, 141, 1, &last));
    OK(fgt_forecaster_evaluate_naive(f, table, 133, 141, 7, &season));
    assert_true(season.absolute == 0 && season.count == 8 * COLUMNS);
    double sum = 0;
    for (int r = 133; r < 141; r++) sum += fabs(values[r][2] - values[132][2]) / scale[2];
    assert_true(fabs(last.absolute - sum) < 1e-4);
    REFUSED(fgt_forecaster_evaluate_naive(f, table, 133, 141, 0, &last), FGT_E_ARG, "season");
    REFUSED(fgt_forecaster_evaluate_naive(f, table, 133, 141, 134, &last), FGT_E_ARG,
            "season is out of range (got 134");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
    fgt_table_destroy(&whole);
    fill_values();
}

static void gaps_are_left_out(void **state)
{
    (void)state;
    values[50][1] = values[130][0] = values[170][2] = NAN;
    fgt_table      *table                           = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.tokens.revin = 1}, table);
    fgt_metric      m = {0};
    double          out[8 * COLUMNS];
    OK(fgt_forecaster_fit(f, table, &split, &brief, NULL));
    OK(fgt_forecaster_evaluate(f, table, 160, 200, &m));
    assert_int_equal(m.count, 33 * 8 * COLUMNS - 8); /* row 170 is a target of 8 windows */
    assert_true(isfinite(m.square));
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f),
        &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values[150], 24, COLUMNS)),
        FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, COLUMNS)));
    for (int i = 0; i < 8 * COLUMNS; i++) assert_true(isfinite(out[i]));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
    fill_values();
}

static void fit_is_checked(void **state)
{
    (void)state;
    fgt_table              *table = new_table();
    fgt_forecaster         *f     = new_forecaster((fgt_forecaster_opts){.batch = 16}, table);
    const fgt_split         tight = {0, 31, 31, 60, 60, 200}, gap = {0, 120, 120, 127, 127, 200};
    const fgt_split         beyond = {0, 120, 120, 160, 160, 201};
    fgt_forecaster_fit_opts o      = brief;
    REFUSED(fgt_forecaster_fit(f, table, &tight, &brief, NULL), FGT_E_DATA, "training");
    REFUSED(fgt_forecaster_fit(f, table, &gap, &brief, NULL), FGT_E_DATA, "validation");
    OK(fgt_forecaster_fit(f, table, &beyond, &brief, NULL)); /* test rows are not looked at */
    o.training.batch = 17;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "16");
    o = brief, o.training.weight_decay = -2;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "weight_decay");
    o = brief, o.training.lr = -1;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "lr");
    o = brief, o.loss = FGT_LOSS_CROSS_ENTROPY;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "got 4, cross entropy");
    o.loss = FGT_LOSS_BCE;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "got 5, bce");
    o.loss = -1;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "got -1, unknown");
    o.loss = FGT_LOSS_QUANTILE, o.quantile = 1.5f;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "quantile");
    fgt_table *subset;
    OK(fgt_table_create_subset(table, (const int64_t[]){0, 1}, 2, &subset));
    REFUSED(fgt_forecaster_fit(f, subset, &split, &brief, NULL), FGT_E_NAME, "\xc3\xb6l");
    fgt_table_destroy(&subset);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Rows that the table has, and validation rows that end before they begin are none, wherever that is. */
static void splits_are_of_the_table(void **state)
{
    (void)state;
    static const struct {
        fgt_split   split;
        const char *sentence;
    } bad[] = {
        {{0, ROWS + 1, 0, 0, 0, 0}, "training rows 0..200 are not a range of 200 rows"},
        {{0, 120, 120, 100000, 0, 0}, "validation rows 120..99999 are not a range of 200 rows"},
        {{0, 120, -500, 160, 0, 0}, "validation rows -500..159 are not a range of 200 rows"},
    };
    static const fgt_split none[] = {{50, 120, 0, 0, 0, 0},
                                     {50, 120, 400, 0, 0, 0},
                                     {50, 120, INT64_MAX, INT64_MIN, 0, 0}};
    fgt_table                *table = new_table();
    fgt_forecaster           *f;
    double                    y[3][8][COLUMNS];
    const fgt_forecaster_opts o = {
        .size = sizeof o, .input_len = 24, .pred_len = 8, .block.kind = FGT_BLOCK_LINEAR};
    for (int i = 0; i < 3; i++) {
        REFUSED(fgt_forecaster_create(ctx, table, &bad[i].split, &o, &f), FGT_E_ARG, bad[i].sentence);
        assert_null(f);
        OK(fgt_forecaster_create(ctx, table, &none[i], &o, &f));
        OK(fgt_forecaster_predict_table(f, table, 150, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[i], 8, COLUMNS)));
        assert_memory_equal(y[0], y[i], sizeof y[0]);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&table);
}

static double sum_of_squares(double weight_decay)
{
    fgt_table              *table = new_table();
    fgt_forecaster         *f     = new_forecaster((fgt_forecaster_opts){0}, table);
    fgt_forecaster_fit_opts o     = brief;
    float                   weight[8 * 8];
    double                  sum = 0;
    o.training.weight_decay     = weight_decay;
    o.training.average          = -1;
    const fgt_split all         = {split.train_begin, split.train_end, 0, 0, 0, 0};
    OK(fgt_forecaster_fit(f, table, &all, &o, NULL)); /* the last weights stay */
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(f), "embed.weight", FGT_VIEW(weight, 8, 8)));
    for (int i = 0; i < 8 * 8; i++) sum += (double)(weight[i] * weight[i]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
    return sum;
}

static void weights_decay(void **state)
{
    (void)state;
    assert_true(sum_of_squares(100) < 0.9 * sum_of_squares(0));
}

/* Windows by number, and a run that goes on where its checkpoint was written. */
static void fit_selects_and_resumes(void **state)
{
    (void)state;
    fgt_table      *table  = new_table();
    fgt_forecaster *f      = new_forecaster((fgt_forecaster_opts){0}, table);
    fgt_forecaster *g      = new_forecaster((fgt_forecaster_opts){0}, table);
    fgt_fit_report  report = {.size = sizeof report}, again = report;
    fgt_attent     *a, *b, *wrong;
    const int64_t   n  = fgt_forecaster_count_windows(f, split.train_begin, split.train_end, 1);
    fgt_attent_opts ao = {.size = sizeof ao, .samples = n, .count = 10,
                          .ratio_schedule = FGT_ATTENT_RATIO_FIXED};
    OK(fgt_attent_create(ctx, &ao, &a));
    OK(fgt_attent_create(ctx, &ao, &b));
    ao.samples++;
    OK(fgt_attent_create(ctx, &ao, &wrong));
    fgt_forecaster_fit_opts o = brief;
    o.training.selector       = wrong;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "the selector has the wrong size");
    fgt_attent_destroy(&wrong);
    ao.samples--;
    ao.elements = 1; /* a window has H C of them */
    OK(fgt_attent_create(ctx, &ao, &wrong));
    o.training.selector = wrong;
    REFUSED(fgt_forecaster_fit(f, table, &split, &o, NULL), FGT_E_ARG, "option elements is wrong (got 1");
    o.training.selector   = a;
    o.training.checkpoint = in_directory("run");
    OK(fgt_forecaster_fit(f, table, &split, &o, &report));
    assert_true(report.samples == 2 * 10 && report.epochs == 2);
    fgt_attent_subset subset = {.size = sizeof subset};
    OK(fgt_attent_get_subset(a, &subset));
    assert_true(isfinite(subset.residual));
    o.training.selector   = b;
    o.training.resume     = o.training.checkpoint;
    o.training.checkpoint = NULL;
    OK(fgt_forecaster_fit(g, table, &split, &o, &again));
    assert_true(again.samples == report.samples && again.best_loss == report.best_loss);
    assert_true(fgt_model_get_hash(fgt_forecaster_get_model(f)) ==
                fgt_model_get_hash(fgt_forecaster_get_model(g)));
    values[1][2] += 0.5;
    fgt_table *changed = new_table();
    REFUSED(fgt_forecaster_fit(g, changed, &split, &o, NULL), FGT_E_FORMAT, "training with other data");
    values[1][2] -= 0.5;
    fgt_table_destroy(&changed);
    unlink(o.training.resume);
    fgt_attent_destroy(&wrong);
    fgt_attent_destroy(&b);
    fgt_attent_destroy(&a);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static int stop_at_once(void *user, const fgt_progress *p)
{
    (void)p;
    return ++*(int *)user;
}

static void cancelling_leaves_a_model(void **state)
{
    (void)state;
    fgt_table              *table  = new_table();
    fgt_forecaster         *f      = new_forecaster((fgt_forecaster_opts){0}, table);
    int                     calls  = 0;
    fgt_fit_report          report = {.size = sizeof report};
    fgt_forecaster_fit_opts o      = brief;
    fgt_metric              m      = {0};
    o.training.progress            = stop_at_once;
    o.training.user                = &calls;
    OK(fgt_forecaster_fit(f, table, &split, &o, &report));
    assert_int_equal(calls, 1);
    assert_true(report.cancelled);
    OK(fgt_forecaster_evaluate(f, table, 160, 200, &m));
    assert_true(isfinite(m.square));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* ---- predicting ---- */

/* Predictions from raw rows are the ones that apply measures on windows. */
static void predict_is_in_raw_units(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.tokens.revin = 1}, table);
    const double   *scale = scaler_scale(fgt_forecaster_get_scaler(f)).data;
    fgt_metric      m     = {0};
    double          out[8][COLUMNS], sum = 0;
    float           rows[100][COLUMNS], small[8][COLUMNS];
    OK(fgt_forecaster_fit(f, table, &split, &brief, NULL));
    OK(fgt_forecaster_evaluate(f, table, 192, 200, &m)); /* one window */
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f),
        &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, 192, COLUMNS)),
        FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, COLUMNS)));
    for (int h = 0; h < 8; h++)
        for (int c = 0; c < COLUMNS; c++) sum += fabs(out[h][c] - values[192 + h][c]) / scale[c];
    assert_true(fabs(sum - m.absolute) < 1e-4 * sum);
    for (int r = 0; r < 100; r++)
        for (int c = 0; c < COLUMNS; c++) rows[r][c] = (float)values[92 + r][c];
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f), &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW(rows, 100, COLUMNS)),
        FGT_VIEW(small, 8, COLUMNS)));
    for (int h = 0; h < 8; h++)
        for (int c = 0; c < COLUMNS; c++) assert_true(fabs(out[h][c] - small[h][c]) < 1e-3 * scale[c]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static void predict_checks_its_rows(void **state)
{
    (void)state;
    fgt_table      *table            = new_table();
    fgt_forecaster *f                = new_forecaster((fgt_forecaster_opts){0}, table);
    double          out[8 * COLUMNS] = {42};
    fgt_view        place            = *FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, COLUMNS);
    REFUSED(fgt_forecaster_workspace_predict_rows(
                fgt_forecaster_get_workspace(f),
                &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, 23, COLUMNS)),
                &place),
            FGT_E_DATA, "24");
    REFUSED(fgt_forecaster_workspace_predict_rows(
                fgt_forecaster_get_workspace(f),
                &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, 24, 2)), &place),
            FGT_E_SHAPE, "rows");
    REFUSED(fgt_forecaster_workspace_predict_rows(
                fgt_forecaster_get_workspace(f),
                &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, 24, COLUMNS)),
                FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, 2)),
            FGT_E_SHAPE, "forecast");
    values[20][1] = INFINITY;
    REFUSED(fgt_forecaster_workspace_predict_rows(
                fgt_forecaster_get_workspace(f),
                &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, 24, COLUMNS)),
                &place),
            FGT_E_DATA, "row 20, column \"a,");
    values[20][1] = 0;
    assert_true(out[0] == 42);
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f),
        &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, 24, COLUMNS)), &place));
    const int64_t live = memory.live;
    memory.countdown   = 1; /* the next allocation would fail */
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f),
        &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, 24, COLUMNS)), &place));
    memory.countdown = 0;
    assert_int_equal(memory.live, live);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
    fill_values();
}

static fgt_status count_kept(void *user, const fgt_forecast_window *w)
{
    int64_t *kept = user;
    for (int64_t h = 0; h < 8; h++) *kept += ((const double *)w->forecast.data)[h * COLUMNS + 1] == 7;
    return FGT_OK;
}

/* A series that was 7 in all training rows, and is in the window, is forecast as 7 by every model, whatever
 * the other series do. One that has begun to move is not held. */
static void constants_stay(void **state)
{
    (void)state;
    double  out[8][COLUMNS];
    int64_t kept = 0;
    for (int r = 0; r < ROWS; r++) values[r][1] = 7;
    fgt_table     *table = new_table();
    const fgt_view place = *FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, COLUMNS);
    for (int bare = 0; bare < 2; bare++) {
        fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.output.no_linear = bare}, table);
        OK(fgt_forecaster_fit(f, table, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1),
                              NULL));
        OK(fgt_forecaster_predict_table(f, table, -1, NULL, &place));
        for (int h = 0; h < 8; h++) assert_true(out[h][1] == 7 && out[h][0] != 7);
        kept = 0;
        OK(fgt_forecaster_visit(f, table, &FGT_OPTS(fgt_forecast_visit_opts, .begin = 160, .end = 200),
                                count_kept, &kept));
        assert_int_equal(kept, 8 * 33);
        values[33][1] = 9;
        OK(fgt_forecaster_workspace_predict_rows(
            fgt_forecaster_get_workspace(f),
            &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values + 10, 24, COLUMNS)),
            &place));
        assert_true(out[0][1] != 7 && isfinite(out[0][1]));
        values[33][1] = 7;
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&table);
    fill_values();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaler_sees_training_rows_alone),
        cmocka_unit_test(columns_are_chosen_by_name),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(every_recipe_trains),
        cmocka_unit_test(every_window_is_compared),
        cmocka_unit_test(naive_is_the_last_season),
        cmocka_unit_test(gaps_are_left_out),
        cmocka_unit_test(fit_is_checked),
        cmocka_unit_test(splits_are_of_the_table),
        cmocka_unit_test(weights_decay),
        cmocka_unit_test(fit_selects_and_resumes),
        cmocka_unit_test(cancelling_leaves_a_model),
        cmocka_unit_test(predict_is_in_raw_units),
        cmocka_unit_test(predict_checks_its_rows),
        cmocka_unit_test(constants_stay),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
