/* SPDX-License-Identifier: BSD-3-Clause */
/* plan() and memory() of a layer that use the model which the layer is part of, passes that are refused, and
 * models of many layers. */
#include <fighter/experimental/layer.h>
#include <fighter/predictor.h>
#include <fighter/train.h>

#include "../model_info.h"
#include "one_context.h"

static fgt_model *model;
static int        refused, calls;

static void say(fgt_status s)
{
    calls++;
    if (s == FGT_E_STATE)
        refused++;
    else
        print_error("call %d: %s: %s\n", calls, fgt_status_get_name(s), fgt_context_get_error(ctx));
}

/* Whatever changes or uses the model. */
static void use_model(void)
{
    float           x[4] = {1, 2, 3, 4}, y[4];
    fgt_view        v;
    fgt_workspace  *ws;
    fgt_optim      *optim;
    fgt_predictor  *predictor;
    const fgt_layer l = fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4));
    calls = refused = 0;
    say(fgt_model_add(model, l));
    say(fgt_model_add_from(model, l, (const char *const[]){""}, 1));
    say(fgt_model_create_workspace(model, NULL, &ws));
    say(fgt_optim_create(model, NULL, &optim));
    say(fgt_predictor_create(model, NULL, &predictor));
    say(fgt_forward(model, FGT_VIEW(x, 1, 4), FGT_VIEW(y, 1, 4)));
    say(fgt_predict(model, FGT_VIEW(x, 1, 4), FGT_VIEW(y, 1, 4)));
    say(fgt_workspace_set_stateful(fgt_model_get_workspace(model), 1));
    say(fgt_workspace_begin_series(fgt_model_get_workspace(model), 0));
    say(fgt_workspace_set_mask(fgt_model_get_workspace(model), FGT_MASK_KEY_PADDING, NULL));
    say(fgt_model_clear_gradients(model));
    say(fgt_model_get_weights(model, &v));
    say(fgt_model_set_parameter(model, "first.weight", FGT_VIEW(x, 2, 2)));
    say(fgt_model_set_frozen(model, "*", 1));
    say(fgt_model_copy_parameters(model, model, "*"));
    assert_true(fgt_model_get_training_bytes(model) == -1);
    fgt_model *same = model;
    fgt_model_destroy(&same);
    assert_ptr_equal(same, model);
}

static bool in_memory;

static fgt_status plan(void *user, fgt_layer_plan *p, const void *opts)
{
    (void)opts;
    (void)user;
    if (!in_memory) use_model();
    return fgt_layer_plan_add_parameter(p, "w", 1, (int64_t[]){512}, FGT_LAYER_INIT_NORMAL, 1);
}

static void need(void *user, const int64_t shape[4], const void *opts, int64_t *cache, int64_t *scratch)
{
    (void)shape;
    (void)opts;
    (void)user;
    *cache = *scratch = 1;
    if (in_memory) use_model();
    in_memory = false;
}

static fgt_status pass(void *user, fgt_layer_pass *p, const void *opts)
{
    int64_t s[4];
    (void)opts;
    (void)user;
    fgt_layer_pass_get_shape(p, 0, s);
    if (fgt_layer_pass_get_output(p))
        memcpy(fgt_layer_pass_get_output(p), fgt_layer_pass_get_input(p, 0),
               (size_t)(s[0] * s[1] * s[2] * s[3]) * 4);
    return FGT_OK;
}

static void begin(bool memory_asks)
{
    const fgt_layer_class c = {.size = sizeof c, .type = "test.asks", .plan = plan, .memory = need,
                               .forward = pass, .backward = pass};
    in_memory = memory_asks;
    OK(fgt_context_add_layer(ctx, &c));
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 1, .features = 4), &model));
    OK(fgt_model_add(model, fgt_named("first", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)))));
    OK(fgt_model_add(model, (fgt_layer){.type = "test.asks"}));
}

static void test_plan(void **state)
{
    (void)state;
    float x[4] = {1, 2, 3, 4}, y[4];
    begin(false);
    assert_int_equal(calls, 15);
    assert_int_equal(refused, calls);
    in_memory = true;
    OK(fgt_forward(model, FGT_VIEW(x, 1, 4), FGT_VIEW(y, 1, 4)));
    assert_int_equal(refused, calls);
    assert_int_equal(model_info(model).layers, 2);
    fgt_model_destroy(&model);
}

/* The model that a predictor is made of stays as it is while the layers of the copy are planned. */
static void test_copies(void **state)
{
    (void)state;
    fgt_predictor *p;
    begin(true);
    in_memory = false;
    OK(fgt_predictor_create(model, NULL, &p));
    assert_int_equal(calls, 15);
    assert_int_equal(refused, calls);
    assert_int_equal(model_info(model).layers, 2);
    fgt_predictor_destroy(&p);
    fgt_model_destroy(&model);
}

/* Layers can be added until a pass was made. */
static void test_refused_pass(void **state)
{
    (void)state;
    float           x[5] = {1, 2, 3, 4, 5}, y[4];
    const fgt_layer l    = fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4));
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 1, .features = 4), &model));
    OK(fgt_model_add(model, l));
    REFUSED(fgt_forward(model, FGT_VIEW(x, 1, 5), FGT_VIEW(y, 1, 4)), FGT_E_SHAPE, "x");
    OK(fgt_model_add(model, l));
    REFUSED(fgt_predict(model, FGT_VIEW(x, 1, 4), FGT_VIEW(y, 1, 3)), FGT_E_SHAPE, "y");
    OK(fgt_model_add(model, l));
    OK(fgt_forward(model, FGT_VIEW(x, 1, 4), FGT_VIEW(y, 1, 4)));
    OK(fgt_backward(model, FGT_VIEW(y, 1, 4), NULL));
    REFUSED(fgt_model_add(model, l), FGT_E_STATE, "after the first pass");
    assert_int_equal(model_info(model).layers, 3);
    fgt_model_destroy(&model);
}

/* Bytes that were asked for in all. */
static int64_t asked;

static void *counting_alloc(void *user, size_t size, size_t align)
{
    asked += (int64_t)size;
    return fgti_libc_alloc(user, size, align);
}

static int64_t bytes_for(int layers)
{
    const fgt_allocator    a = {sizeof a, NULL, counting_alloc, fgti_libc_release};
    const fgt_context_opts o = {.size = sizeof o, .allocator = &a, .threads = 1};
    fgt_context           *c;
    fgt_model             *m;
    char                   name[32], before[32] = "";
    assert_int_equal(fgt_context_create(&o, &c), FGT_OK);
    OK_OF(c, fgt_model_create(c, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 1, .features = 2), &m));
    asked = 0;
    for (int i = 0; i < layers; i++) {
        snprintf(name, sizeof name, "layer_%d", i);
        OK_OF(c, fgt_model_add_from(m, fgt_named(name, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2))),
                                    (const char *const[]){before}, 1));
        memcpy(before, name, sizeof before);
    }
    const int64_t bytes = asked;
    fgt_view      v     = {0};
    OK_OF(c, parameter_shape(m, "layer_7.weight", &v));
    REFUSED_OF(c, fgt_model_add(m, fgt_named("layer_7", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2)))),
               FGT_E_NAME, "the name \"layer_7\" is taken by layer 7");
    fgt_model_destroy(&m);
    fgt_context_destroy(&c);
    return bytes;
}

/* Bytes that are copied for a layer do not grow with the number of layers. */
static void test_many_layers(void **state)
{
    (void)state;
    assert_true(bytes_for(20000) < 12 * bytes_for(2000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_plan),
        WITH_CONTEXT(test_copies),
        WITH_CONTEXT(test_refused_pass),
        WITH_CONTEXT(test_many_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
