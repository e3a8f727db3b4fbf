/* SPDX-License-Identifier: BSD-3-Clause */
/* Series that read each other along a graph, vectors of series and times, one scale for all targets, and
 * targets without a value in the window. */
#include "../model_info.h"
#include "../scaler_info.h"
#include "small_series.h"

#include <fighter/experimental/evaluate.h>
#include <fighter/graph.h>

#include "data/table.h"

enum { LENGTH = 24, AHEAD = 8, SERIES = 3 };

#define HOUR INT64_C(3600000)

static const char *const names[] = {"a", "b", "c"};

static fgt_table *new_hours(double v[ROWS][SERIES])
{
    static int64_t times[ROWS];
    fgt_table     *t;
    for (int r = 0; r < ROWS; r++) times[r] = r * HOUR;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, ROWS, SERIES), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, ROWS), 0));
    return t;
}

/* Series that wander; b repeats a after 8 rows, so that who reads a can forecast b. */
static fgt_table *new_followers(void)
{
    static double v[ROWS][SERIES];
    uint32_t      seed = 1;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < SERIES; c++) {
            seed    = seed * 1664525u + 1013904223u;
            v[r][c] = (double)(seed >> 8) / (1 << 24) - 0.5 + (r ? 0.9 * v[r - 1][c] : 0);
            if (c == 1 && r >= AHEAD) v[r][c] = v[r - AHEAD][0];
        }
    return new_hours(v);
}

/* b reads a. */
static fgt_graph *new_graph(void)
{
    static const float weights[SERIES][SERIES] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    fgt_graph         *graph;
    OK(fgt_graph_create_dense(ctx, FGT_VIEW((float *)weights, SERIES, SERIES), &graph));
    return graph;
}

static void predict(fgt_forecaster *f, const fgt_table *t, double y[AHEAD][SERIES])
{
    OK(fgt_forecaster_predict_table(f, t, 190, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, AHEAD, SERIES)));
}

static const fgt_forecaster_opts kinds[] = {
    {.space.kind      = FGT_FORECAST_SPACE_AND,
     .space.block     = FGT_BLOCK_GCN,
     .space.learned   = 2,
     .space.diffusion = 1},
    {.space.kind    = FGT_FORECAST_SPACE_THEN,
     .space.block   = FGT_BLOCK_GCN,
     .space.learned = 2,
     .block.layers  = 2},
    {.space.kind      = FGT_FORECAST_SPACE_AND,
     .space.block     = FGT_BLOCK_FIGHTER,
     .block.layers    = 2,
     .tokens.identity = 1},
    {.space.kind      = FGT_FORECAST_SPACE_AND,
     .space.block     = FGT_BLOCK_ATTENTION,
     .block.kind      = FGT_BLOCK_MLP,
     .tokens.identity = 1},
    {.space.kind        = FGT_FORECAST_SPACE_THEN,
     .space.block       = FGT_BLOCK_TRANSFORMER,
     .block.kind        = FGT_BLOCK_ATTENTION,
     .block.no_residual = 1,
     .inputs.blind      = 1},
    {.tokens.identity = 1, .block.kind = FGT_BLOCK_MLP, .inputs.shared_scale = 1, .inputs.mask = 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A file has all of a model, on any number of threads the same bits, and a workspace its forecasts. */
static void test_files(void **state)
{
    (void)state;
    fgt_table *t = new_followers();
    for (int i = 0; i < 2 * KINDS; i++) {
        fgt_forecaster_opts     o = kinds[i / 2];
        fgt_forecaster         *f, *g;
        fgt_forecaster_workspace *ws;
        double                  a[AHEAD][SERIES], b[AHEAD][SERIES];
        o.tokens.kind = i % 2 ? FGT_TOKENS_VARIATE : FGT_TOKENS_PATCH;
        f        = new_forecaster(o, t);
        OK(fgt_forecaster_fit(f, t, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 2), NULL));
        OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("f"))));
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &g));
        assert_int_equal(g->info.identity, o.tokens.identity);
        assert_int_equal(g->info.cycles, o.tokens.identity ? FGT_CALENDAR_DAY : 0); /* 5 days show no weeks */
        assert_int_equal(g->info.blind, o.inputs.blind);
        predict(f, t, a);
        predict(g, t, b);
        assert_memory_equal(a, b, sizeof a);
        OK(fgt_forecaster_create_workspace(g, NULL, &ws));
        OK(fgt_forecaster_workspace_predict_windows(ws, t, (const int64_t[]){190}, 1, NULL,
                                                    FGT_VIEW_OF(FGT_DTYPE_F64, b, 1, AHEAD, SERIES)));
        assert_memory_equal(a, b, sizeof a);
        fgt_forecaster_workspace_destroy(&ws);
        fgt_forecaster_destroy(&g);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static double error_of(const fgt_table *t, fgt_forecaster_opts o)
{
    fgt_forecaster *f;
    fgt_metric      m = {0};
    o.size            = sizeof o;
    o.pred_len        = AHEAD;
    o.tokens.dim = o.tokens.patch = 8;
    o.block.dropout               = -1;
    OK(fgt_forecaster_create(ctx, t, &split, &o, &f));
    OK(fgt_forecaster_fit(f, t, &split,
                          &FGT_OPTS(fgt_forecaster_fit_opts,
                                    .training = {.epochs = 30, .batch = 8, .lr = 0.01, .patience = -1}),
                          NULL));
    OK(fgt_forecaster_evaluate(f, t, 160, 200, &m));
    fgt_forecaster_destroy(&f);
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

/* Along the edge b learns what a was; a, which reads nobody, does not depend on b. */
static void test_edges(void **state)
{
    (void)state;
    static const int32_t tokens[] = {FGT_TOKENS_PATCH, FGT_TOKENS_VARIATE};
    fgt_graph           *graph    = new_graph();
    for (int i = 0; i < 4; i++) {
        fgt_table          *t = new_followers();
        fgt_forecaster_opts o = {
            .tokens.kind = tokens[i / 2], .block.kind = FGT_BLOCK_MLP, .input_len = LENGTH};
        double              before[AHEAD][SERIES], after[AHEAD][SERIES];
        fgt_forecaster     *f;
        const double        without = error_of(t, o);
        o.space.kind                = i % 2 ? FGT_FORECAST_SPACE_THEN : FGT_FORECAST_SPACE_AND;
        o.space.block               = FGT_BLOCK_GCN;
        o.space.graph               = graph;
        const double with           = error_of(t, o);
        print_message("error %.3f alone, %.3f along the edge\n", without, with);
        assert_true(with < 0.9 * without); /* b is a third of all values: 3/10 of its error */
        o.output.no_linear = 1;
        f           = new_forecaster(o, t);
        predict(f, t, before);
        t->values[189 * SERIES + 1] += 1; /* b */
        predict(f, t, after);
        for (int h = 0; h < AHEAD; h++) {
            assert_true(before[h][0] == after[h][0] && before[h][2] == after[h][2]);
            assert_true(before[h][1] != after[h][1]);
        }
        t->values[189 * SERIES] += 1; /* a */
        predict(f, t, before);
        assert_true(before[0][1] != after[0][1] && before[0][2] == after[0][2]);
        fgt_forecaster_destroy(&f);
        fgt_table_destroy(&t);
    }
    fgt_graph_destroy(&graph);
}

/* The same values in every window and series: only vectors of series and of times can tell forecasts apart.
 * The first row differs, because a series that is constant in all training rows stays constant. */
static void test_identity(void **state)
{
    (void)state;
    static const int32_t tokens[] = {FGT_TOKENS_PATCH, FGT_TOKENS_VARIATE};
    static double        v[ROWS][SERIES];
    for (int c = 0; c < SERIES; c++) v[0][c] = 1;
    fgt_table *t = new_hours(v);
    for (int i = 0; i < 4; i++) {
        const bool      own = i % 2;
        fgt_forecaster *f   = new_forecaster((fgt_forecaster_opts){.tokens.kind      = tokens[i / 2],
                                                                   .block.kind       = FGT_BLOCK_MLP,
                                                                   .output.no_linear = 1,
                                                                   .tokens.identity  = own},
                                             t);
        double y[3][AHEAD][SERIES];
        for (int k = 0; k < 3; k++) /* rows 150 and 151 at other hours, 174 at the hour of 150 */
            OK(fgt_forecaster_predict_table(f, t, (int[]){150, 151, 174}[k], NULL,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, y[k], AHEAD, SERIES)));
        for (int h = 0; h < AHEAD; h++) {
            assert_int_equal(y[0][h][0] != y[0][h][1], own);
            assert_int_equal(y[0][h][0] != y[1][h][0], own);
            assert_true(y[0][h][0] == y[2][h][0]);
        }
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* The same values in every window: only the clock can tell forecasts apart, through the tokens alone. A layer
 * that sees the rows of the window knows their hours, so an hour later the forecast is another one, and a day
 * later the same. */
static void test_known_channel(void **state)
{
    (void)state;
    static double v[ROWS][SERIES];
    for (int c = 0; c < SERIES; c++) v[0][c] = 1;
    fgt_table *t = new_hours(v);
    for (int i = 0; i < 4; i++) {
        const bool          told = i % 2;
        fgt_forecaster_opts o    = {.block.kind           = FGT_BLOCK_ATTENTION,
                                    .output.no_linear     = i < 2,
                                    .tokens.no_profile    = 1,
                                    .block.post_norm      = 1,
                                    .tokens.known_channel = 1,
                                    .inputs.calendar      = told ? FGT_CALENDAR_DAY : FGT_CALENDAR_NONE};
        fgt_forecaster     *f    = new_forecaster(o, t), *g;
        fgt_view            w    = {0};
        double              y[4][AHEAD][SERIES];
        assert_int_equal(parameter_shape(fgt_forecaster_get_model(f), "known_embed.weight", &w) == FGT_OK,
                         told);
        w = (fgt_view){0};
        assert_int_equal(parameter_shape(fgt_forecaster_get_model(f), "effect_in.weight", &w), FGT_E_NAME);
        if (told) { /* of a patch of 8 rows, each with a sine and a cosine of 4 frequencies */
            OK(parameter_shape(fgt_forecaster_get_model(f), "known_embed.weight", &w));
            assert_int_equal(fgt_view_count(&w), 8 * 8 * 2 * 4);
        }
        OK(fgt_forecaster_fit(f, t, &split,
                              &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 1, .warmup = 0.5}),
                              NULL));
        OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("f"))));
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &g));
        for (int k = 0; k < 4; k++) /* rows 150 and 151 at other hours, 174 at the hour of 150 */
            OK(fgt_forecaster_predict_table(k < 3 ? f : g, t, (int[]){150, 151, 174, 150}[k], NULL,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, y[k], AHEAD, SERIES)));
        if (i < 2) assert_int_equal(memcmp(y[0], y[1], sizeof *y) != 0, told);
        for (int h = 0; h < AHEAD; h++) assert_true(fabs(y[0][h][0] - y[2][h][0]) < 1e-6);
        assert_memory_equal(y[0], y[3], sizeof *y);
        fgt_forecaster_destroy(&g);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static void test_shared_scale(void **state)
{
    (void)state;
    fgt_table      *t   = new_table();
    double          sum = 0, square = 0;
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.inputs.shared_scale = 1}, t);
    const double   *mean  = scaler_mean(fgt_forecaster_get_scaler(f)).data;
    const double   *scale = scaler_scale(fgt_forecaster_get_scaler(f)).data;
    for (int r = 0; r < 120; r++)
        for (int c = 0; c < COLUMNS; c++) sum += values[r][c] / (120 * COLUMNS);
    for (int r = 0; r < 120; r++)
        for (int c = 0; c < COLUMNS; c++)
            square += (values[r][c] - sum) * (values[r][c] - sum) / (120 * COLUMNS);
    for (int c = 0; c < COLUMNS; c++) {
        assert_true(fabs(mean[c] - sum) < 1e-9 * fabs(sum));
        assert_true(fabs(scale[c] - sqrt(square)) < 1e-9 * sqrt(square));
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* The mean of 120 values of 0.1 is rounded, and their deviation is what that makes of it. */
static void test_shared_scale_of_constants(void **state)
{
    (void)state;
    fgt_table *t = new_table();
    for (int i = 0; i < 120 * COLUMNS; i++) t->values[i] = 0.1;
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.inputs.shared_scale = 1}, t);
    const double   *mean  = scaler_mean(fgt_forecaster_get_scaler(f)).data;
    const double   *scale = scaler_scale(fgt_forecaster_get_scaler(f)).data;
    for (int c = 0; c < COLUMNS; c++) assert_true(mean[c] == 0.1 && scale[c] == 1);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static fgt_status add_errors(void *user, const fgt_forecast_window *w)
{
    return fgt_forecast_metric_add(ctx, &w->forecast, &w->truth, user);
}

/* A window in which a has no value is left out, unless the forecaster is blind. */
static void test_blind(void **state)
{
    (void)state;
    fgt_table *t = new_followers();
    for (int r = 166; r < 190; r++) t->values[r * SERIES] = NAN;
    for (int32_t blind = 0; blind < 2; blind++) {
        fgt_forecaster     *f = new_forecaster((fgt_forecaster_opts){.inputs.blind = blind}, t);
        fgt_forecast_metric m[AHEAD * SERIES] = {0};
        double              y[AHEAD][SERIES];
        const fgt_view      out = *FGT_VIEW_OF(FGT_DTYPE_F64, y, AHEAD, SERIES);
        OK(fgt_forecaster_visit(f, t, &FGT_OPTS(fgt_forecast_visit_opts, .begin = 190), add_errors, m));
        assert_int_equal(m[0].count, blind ? 3 : 2); /* windows from rows 190, 191 and 192 on */
        if (blind) {
            OK(fgt_forecaster_predict_table(f, t, 190, NULL, &out));
            assert_true(isfinite(y[0][0]));
        } else {
            REFUSED(fgt_forecaster_predict_table(f, t, 190, NULL, &out), FGT_E_DATA,
                    "\"a\" has no value in the 24 rows");
        }
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* A target without a value has quantiles, too, if the forecaster is blind. */
static void test_blind_quantiles(void **state)
{
    (void)state;
    enum { Q = 2 };
    static const double shares[Q] = {0.2, 0.5};
    fgt_table          *t = new_followers();
    for (int r = 166; r < 190; r++) t->values[r * SERIES] = NAN;
    for (int32_t blind = 0; blind < 2; blind++) {
        fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.inputs.blind          = blind,
                                                                 .output.quantiles      = shares,
                                                                 .output.quantile_count = Q},
                                           t);
        double y[Q][AHEAD][SERIES], median[AHEAD][SERIES];
        OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 190, NULL,
                                                      FGT_VIEW_OF(FGT_DTYPE_F64, y, Q, AHEAD, SERIES)));
        assert_true(isfinite(y[0][0][1]));
        assert_int_equal(isfinite(y[0][0][0]) != 0, blind);
        if (blind) {
            const fgt_view out = *FGT_VIEW_OF(FGT_DTYPE_F64, median, AHEAD, SERIES);
            OK(fgt_forecaster_predict_table(f, t, 190, NULL, &out));
            assert_memory_equal(y[1], median, sizeof median);
        }
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* Forecasts differ by what positions are, and a place that is not told is no layer. */
static void test_places(void **state)
{
    (void)state;
    fgt_table *t = new_followers();
    double     y[FGT_FORECAST_POSITIONS_TAPE + 1][AHEAD][SERIES];
    for (int32_t i = 0; i <= FGT_FORECAST_POSITIONS_TAPE; i++) {
        fgt_forecaster *f =
            new_forecaster((fgt_forecaster_opts){.tokens.positions = i, .output.no_linear = 1}, t);
        fgt_view        v = {0};
        predict(f, t, y[i]);
        assert_int_equal(parameter_shape(fgt_forecaster_get_model(f), "position.table", &v) == FGT_OK,
                         i == FGT_FORECAST_POSITIONS_AUTO || i == FGT_FORECAST_POSITIONS_LEARNED);
        fgt_forecaster_destroy(&f);
        for (int32_t k = 0; k < i; k++)
            assert_int_equal(!memcmp(y[i], y[k], sizeof y[i]),
                             k == FGT_FORECAST_POSITIONS_AUTO && i == FGT_FORECAST_POSITIONS_LEARNED);
    }
    fgt_table_destroy(&t);
}

static void test_refused(void **state)
{
    (void)state;
    fgt_graph *graph = new_graph();
    const struct {
        fgt_forecaster_opts o;
        fgt_status          status;
        const char         *sentence;
    } bad[] = {
        {{.space.kind = 3}, FGT_E_ARG, "space"},
        {{.space.kind = FGT_FORECAST_SPACE_AND, .tokens.kind = FGT_TOKENS_TIME},
         FGT_E_ARG,
         "tokens of single series"},
        {{.tokens.identity = 1, .block.kind = FGT_BLOCK_LINEAR}, FGT_E_ARG, "tokens of single series"},
        {{.space.kind = FGT_FORECAST_SPACE_AND, .space.block = FGT_BLOCK_LSTM},
         FGT_E_ARG,
         "lstm works only along time"},
        {{.space.kind = FGT_FORECAST_SPACE_AND, .space.block = 99}, FGT_E_ARG, "space.block"},
        {{.space.kind = FGT_FORECAST_SPACE_AND, .space.block = FGT_BLOCK_GCN},
         FGT_E_ARG,
         "no graph between the series"},
        {{.block.kind = FGT_BLOCK_MLP, .space.graph = graph}, FGT_E_ARG, "mlp reads no graph"},
        {{.space.learned = 3}, FGT_E_ARG, "fighter reads no graph that is learned"},
        {{.space.kind = FGT_FORECAST_SPACE_AND, .space.learned = 3},
         FGT_E_ARG,
         "fighter reads no graph that is learned"},
        {{.tokens.positions = FGT_FORECAST_POSITIONS_TAPE, .tokens.kind = FGT_TOKENS_VARIATE},
         FGT_E_ARG,
         "positions are for"},
        {{.tokens.positions = 5}, FGT_E_ARG, "positions"},
        {{.tokens.known_channel = 1, .tokens.kind = FGT_TOKENS_VARIATE},
         FGT_E_ARG,
         "known_channel is for tokens"},
        {{.tokens.known_channel = 1, .block.kind = FGT_BLOCK_LINEAR},
         FGT_E_ARG,
         "known_channel is for tokens"},
        {{.block.post_norm = 2}, FGT_E_ARG, "post_norm"},
    };
    fgt_table      *t = new_followers(), *two;
    fgt_forecaster *f;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fgt_forecaster_opts o = bad[i].o;
        o.size                = sizeof o;
        o.input_len           = LENGTH;
        o.pred_len            = AHEAD;
        REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), bad[i].status, bad[i].sentence);
        assert_null(f);
    }
    OK(fgt_table_create_subset(t, (const int64_t[]){0, 1}, 2, &two));
    REFUSED(fgt_forecaster_create(ctx, two, &split,
                                  &FGT_OPTS(fgt_forecaster_opts, .input_len = LENGTH, .pred_len = AHEAD,
                                            .space.kind  = FGT_FORECAST_SPACE_AND,
                                            .space.block = FGT_BLOCK_GCN, .space.graph = graph),
                                  &f),
            FGT_E_SHAPE, "one node a series (got 3, need 2)");
    fgt_table_destroy(&two);
    fgt_table_destroy(&t);
    fgt_graph_destroy(&graph);
}

/* Times of the day are needed, too. */
static void test_rows_alone(void **state)
{
    (void)state;
    fgt_table      *t = new_followers();
    fgt_forecaster *f =
        new_forecaster((fgt_forecaster_opts){.tokens.identity = 1, .inputs.calendar = FGT_CALENDAR_NONE}, t);
    double            x[LENGTH][SERIES] = {{0}}, y[AHEAD][SERIES];
    fgt_forecast_rows in  = {.size = sizeof in, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, x, LENGTH, SERIES)};
    const fgt_view    out = *FGT_VIEW_OF(FGT_DTYPE_F64, y, AHEAD, SERIES);
    REFUSED(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f), &in, &out), FGT_E_ARG,
            "times of the day");
    in.time = &(int64_t){0};
    OK(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f), &in, &out));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    fgt_table                *t     = new_followers();
    fgt_graph                *graph = new_graph();
    fgt_forecaster           *f;
    fgt_status                s;
    double                    y[AHEAD][SERIES];
    const fgt_forecaster_opts o = {.size                 = sizeof o,
                                   .inputs.calendar      = FGT_CALENDAR_DAY,
                                   .tokens.known_channel = 1,
                                   .block.post_norm      = 1,
                                   .input_len            = LENGTH,
                                   .pred_len             = AHEAD,
                                   .tokens.dim           = 8,
                                   .tokens.patch         = 8,
                                   .tokens.identity      = 1,
                                   .inputs.shared_scale  = 1,
                                   .space.kind           = FGT_FORECAST_SPACE_AND,
                                   .space.block          = FGT_BLOCK_GCN,
                                   .space.graph          = graph,
                                   .space.learned        = 2,
                                   .space.diffusion      = 1};
    SWEEP(&memory, s, 10, fgt_forecaster_create(ctx, t, &split, &o, &f)) assert_null(f);
    predict(f, t, y);
    memory.countdown = 1; /* the next allocation would fail, and there is none */
    predict(f, t, y);
    memory.countdown = 0;
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("f"))));
    fgt_forecaster_destroy(&f);
    SWEEP(&memory, s, 10, fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &f))
    assert_null(f);
    fgt_forecaster_destroy(&f);
    fgt_graph_destroy(&graph);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),    cmocka_unit_test(test_edges),
        cmocka_unit_test(test_identity), cmocka_unit_test(test_known_channel),
        cmocka_unit_test(test_shared_scale),
        cmocka_unit_test(test_shared_scale_of_constants),
        cmocka_unit_test(test_blind),    cmocka_unit_test(test_blind_quantiles),
        cmocka_unit_test(test_places),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_rows_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
