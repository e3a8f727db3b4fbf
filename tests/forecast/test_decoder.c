/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasters with encoder and decoder. */
enum { N = 400 };
#include "../model_info.h"
#include "hourly.h"

#include <fighter/blocks.h>

enum { L = 12, H = 5 };

static const fgt_split parts = {0, 250, 250, 320, 320, N};

static const int32_t blocks[] = {FGT_BLOCK_TRANSFORMER, FGT_BLOCK_INFORMER, FGT_BLOCK_AUTOFORMER};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static int fill(void **state)
{
    fill_rhythms(5);
    return set_up(state);
}

static fgt_forecaster_opts opts_of(int32_t block)
{
    return (fgt_forecaster_opts){.size            = sizeof(fgt_forecaster_opts),
                                 .input_len       = L,
                                 .pred_len        = H,
                                 .tokens.dim      = 8,
                                 .block.layers    = 2,
                                 .output.decoder  = 2,
                                 .block.kind      = block,
                                 .tokens.kind     = FGT_TOKENS_TIME,
                                 .inputs.calendar = FGT_CALENDAR_DAY};
}

static fgt_forecaster *make(const fgt_forecaster_opts *o, const fgt_table *t)
{
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &parts, o, &f));
    return f;
}

static double error_of(fgt_forecaster *f, const fgt_table *t)
{
    fgt_metric m = {0};
    OK(fgt_forecaster_evaluate(f, t, parts.test_begin, parts.test_end, &m));
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

/* Beside a map in closed form, a new forecaster is that map alone. */
static void begins_as_the_map(void **state)
{
    (void)state;
    fgt_table          *t   = table_of();
    fgt_forecaster_opts map = {.size            = sizeof map,
                               .input_len       = L,
                               .pred_len        = H,
                               .block.kind      = FGT_BLOCK_LINEAR,
                               .inputs.calendar = FGT_CALENDAR_DAY};
    fgt_forecaster     *f   = make(&map, t);
    const double        mse = error_of(f, t);
    fgt_forecaster_destroy(&f);
    for (int i = 0; i < 2 * BLOCKS; i++) {
        fgt_forecaster_opts o = opts_of(blocks[i / 2]);
        o.tokens.revin        = i % 2;
        f                     = make(&o, t);
        assert_true(fabs(error_of(f, t) - mse) < 1e-5 * mse);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* Without a map in closed form all of it is learned; saved, loaded and trained further it goes on. */
static void learns_and_is_saved(void **state)
{
    (void)state;
    const char *path = in_directory("decoder");
    fgt_table  *t    = table_of();
    for (int i = 0; i < BLOCKS; i++) {
        fgt_forecaster_opts     o   = opts_of(blocks[i]);
        fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 3, .lr = 3e-3}};
        fgt_forecaster         *f, *g;
        o.output.no_linear  = 1;
        o.inputs.mask       = i == 1;
        o.block.dropout     = 0.05f;
        f                   = make(&o, t);
        const double before = error_of(f, t);
        OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
        const double after = error_of(f, t);
        if (!(after < 0.7 * before))
            fail_msg("%s: %g, before training %g", fgt_block_get_name(blocks[i]), after, before);
        OK(fgt_forecaster_save(f, FGT_TO_FILE(path)));
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(path), NULL, &g));
        assert_true(error_of(g, t) == after);
        OK(fgt_forecaster_fit(g, t, &parts, &fit, NULL));
        fgt_forecaster_destroy(&f);
        fgt_forecaster_destroy(&g);
    }
    fgt_table_destroy(&t);
}

/* The decoder looks at the calendar of the rows to forecast. */
static void sees_what_is_known(void **state)
{
    (void)state;
    fgt_table          *t = table_of();
    fgt_forecaster_opts o = opts_of(FGT_BLOCK_INFORMER);
    o.output.no_linear    = 1;
    fgt_forecaster *f     = make(&o, t);
    fgt_view        v     = {0};
    OK(parameter_shape(fgt_forecaster_get_model(f), "decoder.known.weight", &v));
    assert_int_equal(v.shape[0], 8);
    double         before = error_of(f, t);
    static float   zeros[8 * 16]; /* more than it has */
    const fgt_view none = {
        .data = zeros, .rank = 2, .shape = {v.shape[0], v.shape[1]}, .dtype = FGT_DTYPE_F32};
    OK(fgt_model_set_parameter(fgt_forecaster_get_model(f), "decoder.known.weight", &none));
    assert_true(error_of(f, t) != before);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void refuse(fgt_forecaster_opts o, const char *why)
{
    fgt_table      *t = table_of();
    fgt_forecaster *f;
    REFUSED(fgt_forecaster_create(ctx, t, &parts, &o, &f), FGT_E_ARG, why);
    assert_null(f);
    fgt_table_destroy(&t);
}

static void says_where_there_is_none(void **state)
{
    (void)state;
    static const double quantiles[] = {0.1, 0.9};
    fgt_forecaster_opts o           = opts_of(FGT_BLOCK_FIGHTER);
    refuse(o, "fighter has no decoder");
    o        = opts_of(FGT_BLOCK_INFORMER);
    o.tokens.kind = FGT_TOKENS_PATCH;
    refuse(o, "time steps");
    o                = opts_of(FGT_BLOCK_INFORMER);
    o.output.quantiles      = quantiles;
    o.output.quantile_count = 2;
    refuse(o, "quantiles");
    o         = opts_of(FGT_BLOCK_INFORMER);
    o.output.decoder = -1;
    refuse(o, "decoder");
    o         = opts_of(FGT_BLOCK_INFORMER);
    o.output.decoder = 65;
    refuse(o, "layers");
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int i = 0; i < BLOCKS; i++) {
        fgt_forecaster_opts o = opts_of(blocks[i]);
        fgt_forecaster     *f = NULL;
        fgt_status          s;
        o.output.no_linear = 1;
        o.block.layers = o.output.decoder = 1;
        SWEEP(&memory, s, 20, fgt_forecaster_create(ctx, t, &parts, &o, &f)) assert_null(f);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_as_the_map),
        cmocka_unit_test(learns_and_is_saved),
        cmocka_unit_test(sees_what_is_known),
        cmocka_unit_test(says_where_there_is_none),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
