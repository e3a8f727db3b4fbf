/* SPDX-License-Identifier: BSD-3-Clause */
/* Options whose defaults are filled in make the same forecaster, and train it in the same way. */
#include "small_series.h"

#include <fighter/blocks.h>
#include <fighter/experimental/defaults.h>

static uint64_t hash_of(fgt_forecaster_opts o, const fgt_forecaster_fit_opts *fit)
{
    fgt_table      *t = new_table();
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &split, &o, &f));
    OK(fgt_forecaster_fit(f, t, &split, fit, NULL));
    const uint64_t hash = fgt_model_get_hash(fgt_forecaster_get_model(f));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    return hash;
}

static void filled_in_they_mean_the_same(void **state)
{
    (void)state;
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training.epochs = 1};
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int odd = 0; odd < 2; odd++) {
            const fgt_forecaster_opts o    = {.size          = sizeof o,
                                              .input_len     = 24,
                                              .pred_len      = 8,
                                              .tokens.dim    = odd ? 6 : 8,
                                              .block.dropout = odd ? -1 : 0,
                                              .block.kind    = block};
            fgt_forecaster_opts       full = {.size = sizeof full};
            OK(fgt_forecaster_opts_init(ctx, NULL, &o, &full));
            assert_true(full.block.layers == 1 && full.block.hops == 3 && !full.block.layer_hops &&
                        !full.block.layer_hops_count && full.batch == 32);
            assert_true(full.block.heads == (odd ? 1 : 4) && full.block.ff == 4 * full.tokens.dim &&
                        full.tokens.stride == 12);
            assert_true(hash_of(full, &fit) == hash_of(o, &fit));
        }
}

static void so_do_those_of_training(void **state)
{
    (void)state;
    const fgt_forecaster_opts o = {
        .size = sizeof o, .input_len = 24, .pred_len = 8, .block.kind = FGT_BLOCK_LINEAR};
    fgt_forecaster_fit_opts full = {.size = sizeof full};
    fgt_table              *t    = new_table();
    fgt_forecaster         *f    = new_forecaster((fgt_forecaster_opts){.batch = 5}, t);
    OK(fgt_forecaster_fit_opts_init(f, 100, &FGT_OPTS(fgt_forecaster_fit_opts, .training.seed = 3), &full));
    assert_true(full.training.epochs == 10 && full.training.patience == 3 && full.training.lr == 1e-3 &&
                full.training.batch == 5 && full.training.seed == 3);
    full.training.batch = 0;
    assert_true(hash_of(o, &full) == hash_of(o, &FGT_OPTS(fgt_forecaster_fit_opts, .training.seed = 3)));
    REFUSED(fgt_forecaster_fit_opts_init(f, 100, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = -1),
                                         &full),
            FGT_E_ARG, "epochs");
    REFUSED(fgt_forecaster_fit_opts_init(f, 100, NULL, NULL), FGT_E_ARG, "pointer to the options is NULL");
    assert_int_equal(fgt_forecaster_fit_opts_init(NULL, 100, NULL, &full), FGT_E_ARG);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void bad_options_stay_outside(void **state)
{
    (void)state;
    fgt_forecaster_opts full = {.size = sizeof full, .tokens.dim = 77};
    REFUSED(fgt_forecaster_opts_init(ctx, NULL, &FGT_OPTS(fgt_forecaster_opts, .pred_len = -1), &full),
            FGT_E_ARG, "pred_len");
    assert_int_equal(full.tokens.dim, 77);
    full.size = 3;
    REFUSED(fgt_forecaster_opts_init(ctx, NULL, NULL, &full), FGT_E_VERSION, "size");
    REFUSED(fgt_forecaster_opts_init(ctx, NULL, NULL, NULL), FGT_E_ARG, "pointer to the options is NULL");
    assert_int_equal(fgt_forecaster_opts_init(NULL, NULL, NULL, &full), FGT_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filled_in_they_mean_the_same),
        cmocka_unit_test(so_do_those_of_training),
        cmocka_unit_test(bad_options_stay_outside),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
