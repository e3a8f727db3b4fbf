/* SPDX-License-Identifier: BSD-3-Clause */
/* Several forecasters as one: it forecasts their mean, and is saved, updated and refused like any other. */
#include <fighter/experimental/ensemble.h>

#include "../model_info.h"
#include "small_series.h"

enum { L = 24, H = 8, ROW = 170, HOUR = 3600000 };

static fgt_table *table_of(int columns)
{
    static const char *const names[] = {"a", "b", "c"};
    static double            v[ROWS * COLUMNS];
    static int64_t           times[ROWS];
    fgt_table               *t;
    fill_values();
    for (int r = 0; r < ROWS; r++) {
        times[r] = (int64_t)r * HOUR;
        for (int c = 0; c < columns; c++) v[r * columns + c] = values[r][c] + sin(r * 0.2617994);
    }
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, ROWS, columns), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, ROWS), 0));
    return t;
}

/* Trained a little, so that it is more than the map that all have in common. */
static fgt_forecaster *member(fgt_forecaster_opts o, const fgt_table *t, uint64_t seed)
{
    fgt_forecaster *f;
    o.size      = sizeof o;
    o.input_len = o.input_len ? o.input_len : L;
    o.pred_len  = H;
    o.tokens.dim   = 8;
    o.tokens.patch = 8;
    o.seed      = seed;
    OK(fgt_forecaster_create(ctx, t, &split, &o, &f));
    OK(fgt_forecaster_fit(f, t, &(fgt_split){.train_end = 120}, /* the last weights */
                          &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 1, .seed = seed}), NULL));
    return f;
}

static fgt_forecaster *mean_of(fgt_forecaster *const *members, int64_t count)
{
    fgt_forecaster *f;
    OK(fgt_forecaster_create_mean(ctx, members, count, &f));
    return f;
}

static void predict(fgt_forecaster *f, const fgt_table *t, double y[H][COLUMNS])
{
    OK(fgt_forecaster_predict_table(f, t, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, f->info.columns)));
}

static const char *const known[]  = {"c"};
static const double      levels[] = {0.2, 0.5, 0.8};

/* Members that are allowed: alike, of other layers, with known columns, with quantiles, with graphs. */
static const fgt_forecaster_opts pairs[][2] = {
    {{.tokens.revin = 1}, {.tokens.revin = 1}},
    {{.block.kind = FGT_BLOCK_TRANSFORMER, .tokens.kind = FGT_TOKENS_VARIATE}, {.block.kind = FGT_BLOCK_GRU}},
    {{.inputs.known = known, .inputs.known_count = 1},
     {.inputs.known = known, .inputs.known_count = 1, .output.no_linear = 1}},
    {{.inputs.past = known, .inputs.past_count = 1, .inputs.mask = 1},
     {.inputs.past = known, .inputs.past_count = 1, .inputs.mask = 1}},
    {{.output.quantiles = levels, .output.quantile_count = 3},
     {.output.quantiles = levels, .output.quantile_count = 3, .tokens.revin = 1}},
    {{.block.kind = FGT_BLOCK_GCN, .tokens.kind = FGT_TOKENS_VARIATE}, {.block.kind = FGT_BLOCK_GCN}},
    {{.block.kind = FGT_BLOCK_LINEAR}, {.block.kind = FGT_BLOCK_LINEAR, .output.no_linear = 1}},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void it_forecasts_the_mean(void **state)
{
    (void)state;
    fgt_table *t = table_of(COLUMNS);
    for (int i = 0; i < PAIRS; i++) {
        fgt_forecaster *members[] = {member(pairs[i][0], t, 1), member(pairs[i][1], t, 2)};
        fgt_forecaster *f         = mean_of(members, 2), *g;
        double          y[4][H][COLUMNS];
        predict(members[0], t, y[0]);
        predict(members[1], t, y[1]);
        if (!memcmp(y[0], y[1], sizeof(double) * (size_t)(H * f->info.columns))) fail_msg("%d: alike", i);
        predict(f, t, y[2]);
        OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("mean"))));
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("mean")), NULL, &g));
        predict(g, t, y[3]);
        const double *one = *y[0], *two = *y[1], *mean = *y[2], *loaded = *y[3]; /* rows of their columns */
        for (int c = 0; c < H * f->info.columns; c++) {
            const double want = (one[c] + two[c]) / 2;
            if (fabs(mean[c] - want) > 1e-5 * (1 + fabs(want))) fail_msg("%d: not the mean", i);
            if (mean[c] != loaded[c]) fail_msg("%d: the file has another one", i);
        }
        fgt_forecaster_destroy(&members[0]);
        fgt_forecaster_destroy(&members[1]);
        fgt_forecaster_destroy(&f);
        fgt_forecaster_destroy(&g);
    }
    fgt_table_destroy(&t);
}

/* An update changes the layers of all members, and no map in closed form. */
static void an_update_trains_all(void **state)
{
    (void)state;
    fgt_table      *t         = table_of(COLUMNS);
    fgt_forecaster *members[] = {member(pairs[0][0], t, 1), member(pairs[0][0], t, 2)};
    fgt_forecaster *f         = mean_of(members, 2);
    fgt_model      *m         = fgt_forecaster_get_model(f);
    const char     *name;
    const int64_t   size = model_info(m).parameters;
    float          *before;
    fgt_view        all, w;
    assert_int_equal(size, 2 * model_info(fgt_forecaster_get_model(members[0])).parameters);
    before = malloc((size_t)size * sizeof *before);
    assert_non_null(before);
    OK(fgt_model_get_weights(m, &all));
    memcpy(before, all.data, (size_t)size * sizeof *before);
    OK(fgt_forecaster_update(f, t, 160, NULL, NULL));
    OK(fgt_model_get_weights(m, &all));
    const float *after = all.data;
    int64_t      at = 0, frozen = 0;
    for (int64_t i = 0; (name = parameter_name(m, i)); i++, at += fgt_view_count(&w)) {
        w = (fgt_view){0};
        OK(parameter_shape(m, name, &w));
        const bool same = !memcmp(before + at, after + at, (size_t)fgt_view_count(&w) * sizeof *before);
        frozen += parameter_frozen(m, parameter_name(m, i));
        if (same != (parameter_frozen(m, parameter_name(m, i)) != 0))
            fail_msg("%s: %s", name, same ? "stays" : "moves");
    }
    assert_true(at == size && frozen >= 4);
    free(before);
    fgt_forecaster_destroy(&members[0]);
    fgt_forecaster_destroy(&members[1]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void members_must_fit(void **state)
{
    (void)state;
    fgt_table      *t = table_of(COLUMNS), *less = table_of(2);
    fgt_forecaster *a = member(pairs[0][0], t, 1), *f = a;
    fgt_forecaster *bad[] = {
        member(pairs[0][0], less, 1),
        member((fgt_forecaster_opts){.input_len = 16}, t, 1),
        member((fgt_forecaster_opts){.inputs.calendar = FGT_CALENDAR_NONE}, t, 1),
        member((fgt_forecaster_opts){.inputs.mask = 1}, t, 1),
        member(pairs[4][0], t, 1),
        member((fgt_forecaster_opts){.tokens.revin = 1, .tokens.identity = 1}, t, 1),
    };
    static const char *const sentences[] = {"columns", "rows of input", "calendar",
                                            "mask",    "quantiles",     "identity"};
    for (int i = 0; i < 6; i++) {
        fgt_forecaster *const both[] = {a, bad[i]};
        REFUSED(fgt_forecaster_create_mean(ctx, both, 2, &f), FGT_E_ARG, sentences[i]);
        assert_null(f);
        fgt_forecaster_destroy(&bad[i]);
    }
    fgt_forecaster *const none[] = {a, NULL};
    REFUSED(fgt_forecaster_create_mean(ctx, none, 2, &f), FGT_E_ARG, "member 1 is NULL");
    fgt_context *const own = ctx;
    test_memory        memory_of_other;
    fgt_context       *other = ctx = test_context(&memory_of_other, 1);
    REFUSED(fgt_forecaster_create_mean(ctx, none, 1, &f), FGT_E_ARG, "member 0 is of another context");
    fgt_context_destroy(&other);
    ctx = own;
    REFUSED(fgt_forecaster_create_mean(ctx, none, 0, &f), FGT_E_ARG, "1 .. 16");
    REFUSED(fgt_forecaster_create_mean(ctx, none, FGT_SUM_MAX + 1, &f), FGT_E_ARG, "1 .. 16");
    REFUSED(fgt_forecaster_create_mean(ctx, NULL, 1, &f), FGT_E_ARG, "1 .. 16");
    assert_int_equal(fgt_forecaster_create_mean(NULL, none, 1, &f), FGT_E_ARG);
    fgt_forecaster_destroy(&a);
    fgt_table_destroy(&t);
    fgt_table_destroy(&less);
}

static fgt_forecaster *swept;

static fgt_status join_once(void)
{
    fgt_forecaster *const both[] = {swept, swept};
    fgt_forecaster       *f;
    const fgt_status      s = fgt_forecaster_create_mean(ctx, both, 2, &f);
    fgt_forecaster_destroy(&f);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    fgt_table *t = table_of(COLUMNS);
    swept        = member(pairs[0][0], t, 1);
    SWEEP(&memory, s, 30, join_once()) NOTHING_LEAKS;
    fgt_forecaster_destroy(&swept);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_forecasts_the_mean),
        cmocka_unit_test(an_update_trains_all),
        cmocka_unit_test(members_must_fit),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
