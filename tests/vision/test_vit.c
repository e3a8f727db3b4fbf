/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <fighter/experimental/vit.h>

#include "../model_info.h"
#include "../one_context.h"

#define B 3
#define H 6
#define W 8
#define C 2

static fgt_model *new_model(void)
{
    fgt_model           *m;
    const fgt_model_opts o = {.size = sizeof o, .batch = B, .nodes = H, .time = W, .features = C, .seed = 7};
    OK(fgt_model_create(ctx, &o, &m));
    return m;
}

static void check_output(fgt_model *m, int32_t rank, const int64_t *shape)
{
    fgt_view y = {0};
    y          = model_info(m).output;
    assert_int_equal(y.rank, rank);
    for (int32_t i = 0; i < rank; i++) assert_int_equal(y.shape[i], shape[i]);
}

static void pools_have_the_shapes_of_the_header(void **state)
{
    (void)state;
    static const int64_t shape[3][3] = {{B, 16}, {B, 16}, {B, 8, 16}};
    for (int32_t pool = 0; pool < 3; pool++)
        for (int32_t fighter = 0; fighter < 3; fighter++) {
            fgt_model *m = new_model();
            OK(fgt_vit_add(m, &FGT_OPTS(fgt_vit_opts, .patch_height = 3, .patch_width = 2, .dim = 16,
                                        .layers = 2, .pool = pool, .fighter = fighter)));
            check_output(m, pool == FGT_VIT_POOL_TOKENS ? 3 : 2, shape[pool]);
            fgt_model_destroy(&m);
        }
}

static bool has_parameter(const fgt_model *m, const char *name)
{
    for (int64_t i = 0; i < model_info(m).tensors; i++)
        if (!strcmp(parameter_name(m, i), name)) return true;
    return false;
}

static void parameters_have_the_names_of_the_header(void **state)
{
    (void)state;
    static const char *const plain[] = {
        "encoder.embedding.weight", "encoder.embedding.bias", "encoder.class_token.weight",
        "encoder.layers.0.self_attn.in_proj_weight", "encoder.layers.3.norm2.bias", "encoder.norm.weight"};
    static const char *const fighter[] = {"v.position.table", "v.layers.1.fighter.hop_weight",
                                          "v.layers.1.norm.weight", "v.layers.1.up.weight",
                                          "v.layers.1.down.bias", "v.norm.bias"};
    static const char *const whole[]   = {"layers.0.hop_weight", "layers.1.norm.bias", "norm.weight"};
    fgt_model *m = new_model();
    OK(fgt_vit_add(m, &FGT_OPTS(fgt_vit_opts, .patch_height = 2)));
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) assert_true(has_parameter(m, plain[i]));
    assert_false(has_parameter(m, "encoder.position.table"));
    fgt_model_destroy(&m);
    m = new_model();
    OK(fgt_vit_add(m, &FGT_OPTS(fgt_vit_opts, .patch_height = 2, .layers = 2, .fighter = 1, .prefix = "v.",
                                .learned_position = 1)));
    for (size_t i = 0; i < sizeof fighter / sizeof *fighter; i++) assert_true(has_parameter(m, fighter[i]));
    fgt_model_destroy(&m);
    m = new_model();
    OK(fgt_vit_add(m, &FGT_OPTS(fgt_vit_opts, .patch_height = 2, .layers = 2, .prefix = "",
                                .fighter = FGT_VIT_FIGHTER_WHOLE)));
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) assert_true(has_parameter(m, whole[i]));
    assert_false(has_parameter(m, "layers.1.up.weight"));
    fgt_model_destroy(&m);
}

/* Samples that are dropped from all residual paths give what no layer has changed. */
static void drop_path_acts_in_training_alone(void **state)
{
    (void)state;
    static float x[B * H * W * C], y[2][B][16];
    for (int i = 0; i < B * H * W * C; i++) x[i] = sinf((float)i);
    for (int32_t fighter = 0; fighter < 3; fighter++) {
        fgt_model *m[2];
        for (int k = 0; k < 2; k++) {
            m[k] = new_model();
            OK(fgt_vit_add(m[k], &FGT_OPTS(fgt_vit_opts, .patch_height = 2, .dim = 16, .fighter = fighter,
                                           .layers = 2, .drop_path = k ? 0.9f : 0)));
            OK(fgt_predict(m[k], FGT_VIEW(x, B, H, W, C), FGT_VIEW(y[k], B, 16)));
        }
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        for (int k = 0; k < 2; k++)
            OK(fgt_forward(m[k], FGT_VIEW(x, B, H, W, C), FGT_VIEW(y[k], B, 16)));
        assert_memory_not_equal(y[0], y[1], sizeof y[0]);
        for (int k = 0; k < 2; k++) fgt_model_destroy(&m[k]);
    }
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        fgt_vit_opts opts;
        fgt_status   status;
        const char  *words;
    } cases[] = {
        {{.patch_height = 4}, FGT_E_SHAPE, "patches of 4 x 4 do not divide an image of 6 x 8"},
        {{.patch_height = 2, .dim = 6},
         FGT_E_SHAPE,
         "positions in a grid: wrong number of features (got 6, need a multiple of 4)"},
        {{.patch_height = 2, .heads = 5}, FGT_E_ARG, "heads is wrong (got 5"},
        {{.patch_height = 2, .layers = 65}, FGT_E_ARG, "layers"},
        {{.patch_height = 2, .pool = 3}, FGT_E_ARG, "pool"},
        {{.patch_height = 2, .drop_path = 1}, FGT_E_ARG, "drop_path"},
        {{.patch_height = -2}, FGT_E_ARG, "patch_height"},
        {{.patch_height = 2, .fighter = 3}, FGT_E_ARG, "fighter"},
        {{.patch_height = 2, .fighter = 2, .act = 10}, FGT_E_ARG, "act"},
        {{.patch_height = 2, .fighter = 1, .act = 2}, FGT_E_ARG, "act is for FGT_VIT_FIGHTER_WHOLE (got"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_model   *m = new_model();
        fgt_vit_opts o = cases[i].opts;
        o.size         = sizeof o;
        REFUSED(fgt_vit_add(m, &o), cases[i].status, cases[i].words);
        fgt_model_destroy(&m);
    }
    assert_int_equal(fgt_vit_add(NULL, NULL), FGT_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_have_the_shapes_of_the_header),
        cmocka_unit_test(parameters_have_the_names_of_the_header),
        cmocka_unit_test(drop_path_acts_in_training_alone),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
