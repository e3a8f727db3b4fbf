/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of models and forecasters: every block and kind of token, and what training is not to notice. */
#include "../forecast/small_series.h"
#include "../model_info.h"
#include "../scaler_info.h"
#include "forecast/forecaster_impl.h"
#include "page_text.h"
#include "report/report_data.h"
#include <fighter/analysis.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>
#include <fighter/experimental/hops.h>
#include <fighter/experimental/report.h>

static fgt_report *new_report(void)
{
    fgt_report *r;
    OK(fgt_report_create(ctx, NULL, &r));
    return r;
}

/* Models with neither attention nor a graph between series have only windows; no model is refused. */
static void test_all_blocks(void **state)
{
    (void)state;
    fgt_table *t = new_table();
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int32_t tokens = 0; tokens < FGTI_TOKENS_COUNT; tokens++) {
            if (!takes(block, tokens)) continue;
            const fgt_forecaster_opts o = {.block.kind = block, .tokens.kind = tokens};
            fgt_forecaster           *f = new_forecaster(o, t);
            fgt_report               *r = new_report();
            OK(fgt_report_add_forecast(r, f, t, 190, NULL));
            char *page = page_of(r);
            const bool graph = block == FGT_BLOCK_GCN && tokens == FGT_TOKENS_VARIATE;
            assert_int_equal(count(page, "\"planes\":") > 0, graph || attends(fgt_forecaster_get_model(f)));
            assert_int_equal(count(page, "{\"window\":"), COLUMNS);
            free(page);
            fgt_report_destroy(&r);
            fgt_forecaster_destroy(&f);
        }
    fgt_table_destroy(&t);
}

/* Patches of 8 rows, 4 apart, of 24: five in full, and one whose second half repeats the last value. */
static void test_patches(void **state)
{
    (void)state;
    fgt_table                *t        = new_table();
    fgt_forecaster           *f        = new_forecaster((fgt_forecaster_opts){0}, t);
    fgt_report               *r        = new_report();
    const char *const         series[] = {"\xc3\xb6l", "load"};
    const fgt_report_forecast o        = {.size = sizeof o, .series = series, .count = 2};
    OK(fgt_report_add_forecast(r, f, t, 196, &o));
    char *page = page_of(r);
    assert_non_null(strstr(page, "{\"count\":6,\"merged\":1,\"name\":\"\xc3\xb6l\",\"tokens\":[\"\xe2\x88\x92"
                                 "24\xe2\x80\xa6\xe2\x88\x92"
                                 "17\","));
    assert_non_null(strstr(page, "\"\xe2\x88\x92"
                                 "4\xe2\x80\xa6\xe2\x88\x92"
                                 "1\"]}"));
    assert_int_equal(count(page, "\"spans\":[0,7,4,11,8,15,12,19,16,23,20,23],"), 2);
    /* the truth is known for four of eight rows */
    assert_int_equal(count(page, "<td></td>"), 2 * 4);
    free(page);
    fgt_report_destroy(&r);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Each series reads the others: its own row of the matrix is shown below its curve. */
static void test_variates(void **state)
{
    (void)state;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.tokens.kind = FGT_TOKENS_VARIATE}, t);
    fgt_report     *r = new_report();
    OK(fgt_report_add_forecast(r, f, t, -1, NULL));
    char *page = page_of(r);
    assert_non_null(strstr(page, "\"tokens\":[\"load\",\"a,\\u0022b\\u0022\",\"\xc3\xb6l\"]"));
    for (int i = 0; i < COLUMNS; i++) {
        char row[40];
        snprintf(row, sizeof row, "\"subject\":0,\"row\":%d,", i);
        assert_int_equal(count(page, row), 1);
    }
    free(page);
    fgt_report_destroy(&r);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- sensitivity ---- */

enum { L = 24, H = 8, AT = 196 };

/* The sum over all steps of (dy_h / dx)^2, x the value of a cell of the table, by a central difference in
 * standard deviations. */
static double square_of(fgt_forecaster *f, int64_t c, int64_t row, int64_t column)
{
    const double *scale = scaler_scale(f->scaler).data, far = 0.02, was = values[row][column];
    double        y[2][H][COLUMNS], sum = 0;
    for (int k = 0; k < 2; k++) {
        values[row][column] = was + (k ? -far : far) * scale[column];
        fgt_table *t = new_table();
        OK(fgt_forecaster_predict_table(f, t, AT, NULL,
                                        FGT_VIEW_OF(FGT_DTYPE_F64, y[k], H, f->info.columns)));
        fgt_table_destroy(&t);
    }
    values[row][column] = was;
    for (int64_t h = 0; h < H; h++) {
        const double d = ((&y[0][0][0])[h * f->info.columns + c] - (&y[1][0][0])[h * f->info.columns + c]) /
                         (2 * far * scale[c]);
        sum += d * d;
    }
    return sum;
}

/* Against differences of forecasts: with layers alone, beside a linear map, of quantiles, with a past
 * column. */
static void test_sensitivity(void **state)
{
    (void)state;
    static const double      quantiles[] = {0.1, 0.5, 0.9};
    static const char *const load[] = {"load"}, *const past[] = {"a,\"b\""};
    const fgt_forecaster_opts opts[] = {
        {.tokens.kind = FGT_TOKENS_VARIATE, .output.no_linear = 1},
        {.tokens.kind = FGT_TOKENS_TIME},
        {.output.no_linear = 1, .output.quantiles = quantiles, .output.quantile_count = 3},
        {.tokens.kind         = FGT_TOKENS_TIME,
         .output.no_linear    = 1,
         .inputs.targets      = load,
         .inputs.target_count = 1,
         .inputs.past         = past,
         .inputs.past_count   = 1},
    };
    for (size_t k = 0; k < sizeof opts / sizeof *opts; k++) {
        fgt_table      *t = new_table();
        fgt_forecaster *f = new_forecaster(opts[k], t);
        const int64_t   columns = f->info.columns, inputs = fgti_forecaster_inputs(f), c = columns - 1;
        double          y[H * COLUMNS], row[L], series[COLUMNS], sum[COLUMNS] = {0};
        OK(fgt_forecaster_predict_table(f, t, AT, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, columns)));
        OK(fgti_report_sensitivity(f, c, row, series));
        assert_true(series[c] > 0.02); /* there is something to be compared */
        for (int64_t j = 0; j < L; j++) {
            double whole = 0;
            for (int64_t i = 0; i < inputs; i++) {
                const double square = square_of(f, c, AT - L + j, i) / H;
                whole += square;
                sum[i] += square;
            }
            if (fabs(sqrt(whole) - row[j]) > 2e-3 * (1 + row[j]))
                fail_msg("case %zu, row %lld: %g, by differences %g", k, (long long)j, row[j], sqrt(whole));
        }
        for (int64_t i = 0; i < inputs; i++)
            assert_true(fabs(sqrt(sum[i]) - series[i]) < 5e-3 * (1 + series[i]));
        fgt_forecaster_destroy(&f);
        fgt_table_destroy(&t);
    }
}

/* ---- importance ---- */

/* Lines of tables, one for each token, as a forecast's input gives them. */
static void find_lines(const char *page, fgt_forecaster *f, const char *layer, int64_t sample)
{
    fgt_model *m = fgt_forecaster_get_model(f);
    double     y[H * COLUMNS], norms[COLUMNS * L], sum = 0;
    fgt_view   v = {0};
    fgt_table *t = new_table();
    OK(fgt_forecaster_set_exact(f, 1)); /* the page is compared with the model's pass */
    OK(fgt_forecaster_predict_table(f, t, AT, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, f->info.columns)));
    OK(fgt_importance_get_shape(m, layer, NULL, &v));
    assert_true(fgt_view_count(&v) <= COLUMNS * L && sample < v.shape[0]);
    v.data = norms;
    OK(fgt_importance_compute(m, layer, NULL, NULL, &v, NULL));
    const double *row = norms + sample * v.shape[1];
    for (int64_t i = 0; i < v.shape[1]; i++) sum += row[i];
    assert_true(sum > 0);
    for (int64_t i = 0; i < v.shape[1]; i++) {
        char line[40];
        snprintf(line, sizeof line, "</th><td>%.3g</td></tr>", row[i] / sum);
        assert_non_null(strstr(page, line));
    }
    fgt_table_destroy(&t);
}

/* The parts of a page about importance: the data, and the tables. */
static char *importance_of(const fgt_report *r)
{
    char *page = page_of(r), *tables = strstr(page, "<details id='importance-0'"), *part;
    char *data = strstr(page, "\"importance\":[");
    assert_non_null(data);
    *strstr(data, ",\n\"subjects\"") = 0;
    if (tables) *strstr(tables, "<details id='matrix-") = 0;
    part = calloc(strlen(page) + strlen(data) + 1, 1);
    strcpy(part, data);
    if (tables) strcat(part, tables);
    free(page);
    return part;
}

/* Of each layer with two hops or more, and where tokens are patches of each series that is shown. Otherwise
 * the second forecast has the same tokens, whose importance takes the place of the first. */
static void test_importance(void **state)
{
    (void)state;
    static const double       quantiles[] = {0.1, 0.5, 0.9};
    static const int64_t      hops[]      = {3, 1, 2};
    static const char *const  series[]    = {"load", "\xc3\xb6l"};
    const fgt_forecaster_opts opts[]      = {
             {.tokens.kind            = FGT_TOKENS_VARIATE,
              .output.no_linear       = 1,
              .block.layer_hops       = hops,
              .block.layer_hops_count = 3},
             {.tokens.kind            = FGT_TOKENS_TIME,
              .output.no_linear       = 1,
              .block.layer_hops       = hops,
              .block.layer_hops_count = 3,
              .output.quantiles       = quantiles,
              .output.quantile_count  = 3},
             {.tokens.kind            = FGT_TOKENS_PATCH,
              .output.no_linear       = 1,
              .block.layer_hops       = hops,
              .block.layer_hops_count = 3},
    };
    for (size_t k = 0; k < sizeof opts / sizeof *opts; k++) {
        const bool      patches = opts[k].tokens.kind == FGT_TOKENS_PATCH;
        fgt_table      *t       = new_table();
        fgt_forecaster *f       = new_forecaster(opts[k], t);
        fgt_report     *r       = new_report();
        fgt_layer_info  info    = {.size = sizeof info};
        int64_t         layers  = 0;
        for (int i = 0; i < 2; i++) {
            const fgt_report_forecast o = {.size = sizeof o, .series = series + i, .count = 1};
            OK(fgt_report_add_forecast(r, f, t, AT, &o));
        }
        char *part = importance_of(r);
        for (int64_t i = 0; i < model_info(f->model).layers; i++) {
            OK(fgt_model_get_layer(f->model, i, &info));
            if (layer_hops(f->model, info.name) < 2) continue;
            for (int64_t c = 0; c < COLUMNS; c += 2) find_lines(part, f, info.name, patches ? c : 0);
            layers++;
        }
        assert_int_equal(layers, 2);
        assert_int_equal(count(part, "{\"layer\":"), patches ? 4 : 2);
        assert_int_equal(count(part, "\"shares\":["), patches ? 4 : 2);
        assert_int_equal(count(part, "numbers<span class='still'>: \xc3\xb6l</span>"), patches ? 2 : 0);
        free(part);
        fgt_report_destroy(&r);
        fgt_forecaster_destroy(&f);
        fgt_table_destroy(&t);
    }
}

/* Models without Fighter layers have no such part, nor have epochs; a layer that is refused is named. */
static void test_no_importance(void **state)
{
    (void)state;
    float                     scale[COLUMNS * 8];
    fgt_table                *t = new_table();
    const fgt_forecaster_opts transformer = {.tokens.kind = FGT_TOKENS_VARIATE,
                                             .block.kind  = FGT_BLOCK_TRANSFORMER},
                              fighter     = {
                                      .tokens.kind = FGT_TOKENS_VARIATE, .block.layers = 1, .block.heads = 1};
    for (int i = 0; i < COLUMNS; i++) scale[i] = 0.5f;
    for (int k = 0; k < 3; k++) {
        fgt_forecaster *f = new_forecaster(k ? fighter : transformer, t);
        fgt_report     *r = new_report();
        if (k == 2)
            OK(fgt_workspace_set_mask(fgt_model_get_workspace(f->model), FGT_MASK_DIAG_SCALE,
                                      FGT_VIEW(scale, 1, 1, COLUMNS)));
        OK(fgt_report_add_forecast(r, f, t, AT, &FGT_OPTS(fgt_report_forecast, .epoch = k == 1)));
        char *part = importance_of(r);
        assert_int_equal(count(part, "{\"layer\":"), k == 2);
        assert_int_equal(count(part, "\"shares\""), 0);
        assert_int_equal(count(part, "<table>"), 0);
        free(part);
        fgt_report_destroy(&r);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

typedef struct watched {
    fgt_report      *r;
    fgt_forecaster  *f;
    const fgt_table *t;
} watched;

static int watch(void *user, const fgt_progress *p)
{
    const watched            *w = user;
    const fgt_report_forecast o = {.size = sizeof o, .epoch = p->epoch};
    if (p->epoch_done) OK(fgt_report_add_forecast(w->r, w->f, w->t, 190, &o));
    return 0;
}

/* A recorded training gives the bits of one that nobody watches. */
static void test_recorded(void **state)
{
    (void)state;
    fgt_table *t = new_table();
    uint64_t   hash[2];
    for (int k = 0; k < 2; k++) {
        watched w = {new_report(), new_forecaster((fgt_forecaster_opts){0}, t), t};
        OK(fgt_forecaster_fit(w.f, t, &split,
                              &FGT_OPTS(fgt_forecaster_fit_opts,
                                        .training = {.epochs = 3, .progress = k ? watch : NULL, .user = &w}),
                              NULL));
        hash[k] = fgt_model_get_hash(fgt_forecaster_get_model(w.f));
        OK(fgt_report_add_forecast(w.r, w.f, t, 190, NULL));
        char *page = page_of(w.r);
        assert_int_equal(count(page, "\"planes\":"), (k ? 4 : 1) * COLUMNS);
        assert_int_equal(count(page, "{\"window\":"), COLUMNS); /* epochs add none */
        free(page);
        fgt_forecaster_destroy(&w.f);
        fgt_report_destroy(&w.r);
    }
    assert_true(hash[0] == hash[1]);
    fgt_table_destroy(&t);
}

static void test_refused(void **state)
{
    (void)state;
    fgt_table          *t        = new_table();
    fgt_forecaster     *f        = new_forecaster((fgt_forecaster_opts){0}, t);
    fgt_report         *r        = new_report();
    const char *const   series[] = {"no such"};
    fgt_report_forecast o        = {.size = sizeof o, .series = series, .count = 1};
    REFUSED(fgt_report_add_forecast(r, f, t, 190, &o), FGT_E_NAME, "no such");
    o.series = NULL;
    REFUSED(fgt_report_add_forecast(r, f, t, 190, &o), FGT_E_ARG, "series");
    REFUSED(fgt_report_add_forecast(r, f, t, 10, NULL), FGT_E_DATA,
            "too few rows before the forecast (got 10");
    REFUSED(fgt_report_add_forecast(r, f, NULL, 190, NULL), FGT_E_ARG, "table");
    REFUSED(fgt_report_add_model(r, fgt_forecaster_get_model(f), &FGT_OPTS(fgt_report_pass, .sample = -1)),
            FGT_E_ARG, "negative");
    OK(fgt_report_add_forecast(r, f, t, 190, NULL));
    REFUSED(fgt_report_add_forecast(r, f, t, 180, NULL), FGT_E_ARG, "need row 190");
    OK(fgt_report_add_forecast(r, f, t, 190, NULL)); /* the same attention */
    REFUSED(fgt_report_add_model(r, fgt_forecaster_get_model(f), &FGT_OPTS(fgt_report_pass, .sample = 3)),
            FGT_E_ARG, "sample 3");
    REFUSED(fgt_report_add_model(r, fgt_forecaster_get_model(f), &FGT_OPTS(fgt_report_pass, .count = 7)),
            FGT_E_ARG, "7 tokens");
    fgt_report_destroy(&r);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Windows of several rows, where no attention marks them. */
static void test_rows(void **state)
{
    (void)state;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LSTM}, t);
    fgt_report     *r = new_report();
    OK(fgt_report_add_forecast(r, f, t, 180, NULL));
    OK(fgt_report_add_forecast(r, f, t, 190, NULL));
    char *page = page_of(r);
    assert_int_equal(count(page, "{\"window\":"), 2 * COLUMNS);
    free(page);
    fgt_report_destroy(&r);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Graphs between series are shown with the names of the series. */
static void test_space(void **state)
{
    (void)state;
    static const char *const  names = "\"tokens\":[\"load\",\"a,\\u0022b\\u0022\",\"\xc3\xb6l\"]";
    fgt_table                *t       = new_table();
    const fgt_forecaster_opts cases[] = {
        {.space.kind      = FGT_FORECAST_SPACE_AND,
         .space.block     = FGT_BLOCK_GCN,
         .space.learned   = 2,
         .space.diffusion = 1},
        {.space.kind = FGT_FORECAST_SPACE_THEN, .space.block = FGT_BLOCK_FIGHTER},
        {.space.kind  = FGT_FORECAST_SPACE_AND,
         .space.block = FGT_BLOCK_ATTENTION,
         .block.kind  = FGT_BLOCK_LSTM},
        {.space.kind    = FGT_FORECAST_SPACE_AND,
         .space.block   = FGT_BLOCK_GCN,
         .space.learned = 2,
         .block.kind    = FGT_BLOCK_MLP,
         .tokens.kind   = FGT_TOKENS_VARIATE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_forecaster *f = new_forecaster(cases[i], t);
        fgt_report     *r = new_report();
        OK(fgt_report_add_forecast(r, f, t, 190, NULL));
        char *page = page_of(r);
        assert_true(count(page, "\"planes\":") > 0);
        assert_non_null(strstr(page, names));
        assert_non_null(strstr(page, "space.0.blocks.0"));
        assert_int_equal(count(page, "\"name\":\"all series\"") > 0,
                         cases[i].tokens.kind != FGT_TOKENS_VARIATE);
        free(page);
        fgt_report_destroy(&r);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* The layers of a decoder have tokens of their own, even if there are as many: 24 rows of the input, and 12
 * rows of it with 12 to forecast. */
static void test_decoder(void **state)
{
    (void)state;
    static const int32_t blocks[] = {FGT_BLOCK_TRANSFORMER, FGT_BLOCK_INFORMER, FGT_BLOCK_AUTOFORMER};
    fgt_table           *t        = new_table();
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const fgt_forecaster_opts o = {.size           = sizeof o,
                                       .block.kind     = blocks[i],
                                       .tokens.kind    = FGT_TOKENS_TIME,
                                       .tokens.dim     = 8,
                                       .output.decoder = 1,
                                       .input_len      = 24,
                                       .pred_len       = 12};
        fgt_forecaster           *f;
        OK(fgt_forecaster_create(ctx, t, &split, &o, &f));
        fgt_report *r = new_report();
        OK(fgt_report_add_forecast(r, f, t, 180, NULL));
        char *page = page_of(r);
        assert_int_equal(count(page, "\"planes\":"), 1);
        assert_non_null(strstr(page, "they have other tokens: decoder.0.self, decoder.0.cross.</p>"));
        free(page);
        fgt_report_destroy(&r);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static void test_failing(void **state)
{
    (void)state;
    fgt_table      *t = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.space.kind    = FGT_FORECAST_SPACE_AND,
                                                             .space.block   = FGT_BLOCK_GCN,
                                                             .space.learned = 2},
                                       t);
    fgt_report *r = new_report();
    fgt_status  s;
    SWEEP(&memory, s, 8, fgt_report_add_forecast(r, f, t, 190, NULL))
    {
        fgt_report_destroy(&r); /* parts of it may have been added */
        r = new_report();
    }
    fgt_report_destroy(&r);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_blocks),  cmocka_unit_test(test_patches),  cmocka_unit_test(test_variates),
        cmocka_unit_test(test_sensitivity), cmocka_unit_test(test_recorded), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_space),    cmocka_unit_test(test_decoder),
        cmocka_unit_test(test_failing),     cmocka_unit_test(test_importance),
        cmocka_unit_test(test_no_importance),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
