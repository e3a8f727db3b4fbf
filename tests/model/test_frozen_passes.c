/* SPDX-License-Identifier: BSD-3-Clause */
/* Backward passes of a model with frozen parameters: layers that nobody needs do not run, and all others
 * give the bits of a model in which nothing is frozen. */
#include <fighter/experimental/layer.h>

#include "../model_info.h"
#include "branches.h"
#include "model/params.h"

/* ---- which layers run: a layer of the host's counts ---- */

static int forward_calls, backward_calls;

static fgt_status count_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    (void)plan, (void)opts, (void)user;
    return FGT_OK;
}

static int64_t numbers(const fgt_layer_pass *pass)
{
    int64_t s[4];
    fgt_layer_pass_get_shape(pass, 0, s);
    return s[0] * s[1] * s[2] * s[3];
}

static fgt_status count_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    (void)opts, (void)user;
    forward_calls++;
    memcpy(fgt_layer_pass_get_output(pass), fgt_layer_pass_get_input(pass, 0),
           (size_t)numbers(pass) * sizeof(float));
    return FGT_OK;
}

static fgt_status count_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    float *dx = fgt_layer_pass_get_input_gradient(pass, 0);
    (void)opts, (void)user;
    backward_calls++;
    if (dx) memcpy(dx, fgt_layer_pass_get_output_gradient(pass), (size_t)numbers(pass) * sizeof(float));
    return FGT_OK;
}

static void add_counter(fgt_model *m)
{
    const fgt_layer_class c = {.size = sizeof c, .type = "test.count", .plan = count_plan,
                               .forward = count_forward, .backward = count_backward};
    OK(fgt_context_add_layer(ctx, &c));
    OK(fgt_model_add(m, (fgt_layer){.type = "test.count"}));
    forward_calls = backward_calls = 0;
}

/* How often the counter runs backward in one pass. */
static int calls_of(fgt_model *m, bool with_dx)
{
    float x[B * T * D], y[B * T * D], dx[B * T * D];
    fill(x, B * T * D, 1);
    forward_calls = backward_calls = 0;
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    OK(fgt_backward(m, FGT_VIEW(x, B, T, D), with_dx ? FGT_VIEW(dx, B, T, D) : NULL));
    assert_int_equal(forward_calls, 1);
    return backward_calls;
}

/* x -> trunk -> counter -> head */
static void a_frozen_trunk_is_left_out(void **state)
{
    fgt_model *m = new_model(1, D);
    (void)state;
    ADD(m, NAMED("trunk", linear, .out = D));
    add_counter(m);
    ADD(m, NAMED("head", linear, .out = D));
    assert_int_equal(calls_of(m, false), 1);
    OK(fgt_model_set_frozen(m, "trunk.", 1));
    assert_int_equal(calls_of(m, false), 0);
    assert_int_equal(calls_of(m, true), 1);
    OK(fgt_model_set_frozen(m, "trunk.bias", 0)); /* one parameter that learns is enough */
    assert_int_equal(calls_of(m, false), 1);
    OK(fgt_model_set_frozen(m, "*", 1));
    assert_int_equal(calls_of(m, false), 0);
    assert_int_equal(calls_of(m, true), 1);
    OK(fgt_model_set_frozen(m, "head.", 0));
    assert_int_equal(calls_of(m, false), 0);
    OK(fgt_model_set_frozen(m, "*", 0));
    assert_int_equal(calls_of(m, false), 1);
    fgt_model_destroy(&m);
}

/* The counter reads a layer that shares weights: it is frozen with the layer that owns them. */
static void what_shares_is_frozen_too(void **state)
{
    fgt_model *m = new_model(1, D);
    (void)state;
    ADD(m, NAMED("a", linear, .out = D));
    FROM(m, fgt_named("again", fgt_shared("a")), "");
    add_counter(m);
    FROM(m, fgt_named("join", fgt_sum(NULL)), "a", "2");
    assert_int_equal(calls_of(m, false), 1);
    OK(fgt_model_set_frozen(m, "a.", 1));
    assert_int_equal(calls_of(m, false), 0);
    assert_int_equal(calls_of(m, true), 1);
    fgt_model_destroy(&m);
}

/* A value's gradient is asked for, so that what lies between it and the losses runs. */
static void a_value_keeps_its_branch_awake(void **state)
{
    fgt_model *m = new_model(1, D);
    float      v[B * T * D], dv[B * T * D];
    (void)state;
    fill(v, B * T * D, 2);
    ADD(m, VALUE("v", .time = T, .features = D));
    FROM(m, NAMED("map", linear, .out = D), "v");
    add_counter(m);
    FROM(m, fgt_named("join", fgt_sum(NULL)), "2", "");
    OK(fgt_model_set_frozen(m, "*", 1));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "v", FGT_VIEW(v, B, T, D), FGT_VIEW(dv, B, T, D)));
    assert_int_equal(calls_of(m, false), 1);
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "v", FGT_VIEW(v, B, T, D), NULL));
    assert_int_equal(calls_of(m, false), 0);
    assert_int_equal(calls_of(m, true), 0); /* dx takes the other way */
    fgt_model_destroy(&m);
}

/* ---- the others' gradients ---- */

static void same_where_not_frozen(const fgt_model *m, const float *got, const float *want)
{
    const fgti_layer *l;
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_param_at(m, i, &l)); i++)
        if (!p->frozen) same_bits(p->full_name, p->count, got + p->offset, want + p->offset);
}

/* Every part of the model with all kinds of edges, alone and with others. */
static void other_gradients_are_as_before(void **state)
{
    static const char *const frozen[][3] = {{"trunk."}, {"deep."}, {"class."}, {"cross."}, {"wide."},
                                            {"trunk.", "deep."}, {"trunk.", "wide.", "class."},
                                            {"*.bias"}, {"*weight*"}, {"*"}};
    host       free_host = {0};
    fgt_model *m;
    (void)state;
    OK(make_graph(ctx, &m));
    draw(&free_host);
    OK(give(m, &free_host));
    OK(learn(m, &free_host, LOSS_Y | LOSS_CLASS | LOSS_PRICE));
    float want[MOST];
    memcpy(want, gradients_of(m), (size_t)model_info(m).parameters * sizeof *want);
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        host h = {0};
        draw(&h);
        for (int k = 0; k < 3 && frozen[i][k]; k++) OK(fgt_model_set_frozen(m, frozen[i][k], 1));
        OK(fgt_model_clear_gradients(m));
        OK(give(m, &h));
        OK(learn(m, &h, LOSS_Y | LOSS_CLASS | LOSS_PRICE));
        same_where_not_frozen(m, gradients_of(m), want);
        same_bits("y", B * T * 2, h.y, free_host.y);
        same_bits("dx", B * T * D, h.dx, free_host.dx);
        same_bits("gradient of the value", B * KNOWN * 2, h.dknown, free_host.dknown);
        OK(fgt_model_set_frozen(m, "*", 0));
    }
    fgt_model_destroy(&m);
}

/* The layer that revin_inverse undoes gets gradients from it, and gives some, frozen or not. */
static void a_frozen_peer_still_leads_to_x(void **state)
{
    static const char *const frozen[] = {"r.", "map.", "*", "r.bias"};
    float                    x[B * T * D], y[B * T * D], dx[2][B * T * D], *g[2];
    fgt_model               *m = new_model(1, D);
    (void)state;
    fill(x, B * T * D, 1);
    ADD(m, NAMED("r", revin, .eps = 0));
    ADD(m, NAMED("map", linear, .out = D));
    ADD(m, LAYER(revin_inverse, .reserved = 0));
    for (size_t i = 0; i <= sizeof frozen / sizeof *frozen; i++) {
        const int k = i > 0;
        if (i) OK(fgt_model_clear_gradients(m));
        if (i) OK(fgt_model_set_frozen(m, frozen[i - 1], 1));
        for (int with_dx = 0; with_dx < 2; with_dx++) { /* without dx r may have no place for gradients */
            if (with_dx) OK(fgt_model_clear_gradients(m));
            OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
            OK(fgt_backward(m, FGT_VIEW(x, B, T, D), with_dx ? FGT_VIEW(dx[k], B, T, D) : NULL));
            g[k] = gradients_of(m);
            if (i) same_where_not_frozen(m, g[1], g[0]);
        }
        if (i) same_bits("dx", B * T * D, dx[1], dx[0]);
        OK(fgt_model_set_frozen(m, "*", 0));
    }
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOTH(a_frozen_trunk_is_left_out),
        WITH_BOTH(what_shares_is_frozen_too),
        WITH_BOTH(a_value_keeps_its_branch_awake),
        WITH_BOTH(other_gradients_are_as_before),
        WITH_BOTH(a_frozen_peer_still_leads_to_x),
    };
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
