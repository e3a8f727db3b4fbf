/* SPDX-License-Identifier: BSD-3-Clause */
/* States and their gradients between the calls of a host: set before backward, asked for at the wrong
 * moment, of layers that a backward pass leaves out, and after a backward pass that failed. */
#include <math.h>

#include <fighter/experimental/layer.h>
#include <fighter/fighter.h>

#include "../model_info.h"
#include "../one_context.h"
#include "model/pass/own_pass.h"

enum { B = 2, T = 3, D = 2, H = 4 };

static void fill(float *x, int n, double phase)
{
    for (int i = 0; i < n; i++) x[i] = (float)sin(i + phase);
}

static fgt_model *new_model(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 4), &m));
    return m;
}

static fgt_layer lstm(void)
{
    static const fgt_lstm_opts o = {.size = sizeof o, .hidden = H};
    return fgt_lstm(&o);
}

/* The gradients of a pass from h0, c0, with or without a state that is set before backward. */
static void gradients(fgt_model *m, int between, float *g, int64_t n)
{
    float    x[B * T * D], y[B * T * H], dy[B * T * H], h[B * H], c[B * H];
    fgt_view all;
    fill(x, B * T * D, 1);
    fill(dy, B * T * H, 2);
    fill(h, B * H, 3);
    fill(c, B * H, 4);
    OK(fgt_workspace_set_state(fgt_model_get_workspace(m), "a.h", FGT_VIEW(h, 1, B, H)));
    OK(fgt_workspace_set_state(fgt_model_get_workspace(m), "a.c", FGT_VIEW(c, 1, B, H)));
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
    if (between) OK(fgt_workspace_set_state(fgt_model_get_workspace(m), "a.h", FGT_VIEW(c, 1, B, H)));
    OK(fgt_model_clear_gradients(m));
    OK(fgt_backward(m, FGT_VIEW(dy, B, T, H), NULL));
    OK(fgt_model_get_gradients(m, &all));
    assert_int_equal(fgt_view_count(&all), n);
    memcpy(g, all.data, (size_t)n * sizeof *g);
}

/* States that the next pass starts from do not change the gradients of this one. */
static void set_before_backward(void **state)
{
    (void)state;
    enum { N = 4 * H * (D + H + 2) };
    float      plain[N], between[N];
    fgt_model *m = new_model();
    OK(fgt_model_add(m, fgt_named("a", lstm())));
    assert_int_equal(model_info(m).parameters, N);
    gradients(m, 0, plain, N);
    gradients(m, 1, between, N);
    assert_memory_equal(plain, between, sizeof plain);
    fgt_model_destroy(&m);
}

/* A branch that nothing came back to has no gradient, whatever an earlier pass left. */
static void left_out(void **state)
{
    (void)state;
    float      x[B * T * D], y[B * T], dy[B * T], aux[B * T * H], h[B * H], dh[B * H];
    fgt_view   got = *FGT_VIEW(dh, 1, B, H);
    fgt_model *m   = new_model();
    fill(x, B * T * D, 1);
    fill(dy, B * T, 2);
    fill(aux, B * T * H, 3);
    fill(h, B * H, 4);
    OK(fgt_model_add(m, fgt_named("aux", lstm())));
    OK(fgt_model_add_from(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))),
                          (const char *[]){""}, 1));
    for (int step = 0; step < 2; step++) {
        OK(fgt_workspace_set_state(fgt_model_get_workspace(m), "aux.h", FGT_VIEW(h, 1, B, H)));
        OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, 1)));
        if (!step) OK(fgt_model_add_gradient(m, "aux", FGT_VIEW(aux, B, T, H)));
        OK(fgt_backward(m, FGT_VIEW(dy, B, T, 1), NULL));
        OK(fgt_workspace_copy_state_gradient(fgt_model_get_workspace(m), "aux.h", &got));
        double sum = 0;
        for (int i = 0; i < B * H; i++) sum += fabs((double)dh[i]);
        if (step ? sum != 0 : !(sum > 0)) fail_msg("step %d: %g", step, sum);
    }
    fgt_model_destroy(&m);
}

/* A mask that is set ends the pass, but is no backward pass. */
static void asked_too_early(void **state)
{
    (void)state;
    float          x[B * T * D], y[B * T * H], dh[B * H];
    const int32_t  padding[B * T] = {0};
    fgt_view       got            = *FGT_VIEW(dh, 1, B, H);
    const fgt_view mask           = {(void *)padding, {B, T}, 2, FGT_DTYPE_I32};
    fgt_model     *m              = new_model();
    fill(x, B * T * D, 1);
    OK(fgt_model_add(m, fgt_named("a", lstm())));
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, &mask));
    REFUSED(fgt_workspace_copy_state_gradient(fgt_model_get_workspace(m), "a.h", &got), FGT_E_STATE,
            "no backward pass");
    fgt_model_destroy(&m);
}

/* A start from zero that nobody asked for has no gradient: some layers leave it out. Zeros that were set have
 * one. */
static void gradient_without_start(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const fgt_layer layer = i == 2 ? fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = H)) : lstm();
        const char     *name  = i == 2 ? "a.state" : "a.h";
        float           x[B * T * D], y[B * T * H], zero[B * D * H] = {0}, g[B * D * H] = {0};
        fgt_view        v, out;
        fgt_model      *m = new_model();
        fill(x, B * T * D, 1);
        fill(y, B * T * H, 2);
        OK(fgt_model_add(m, fgt_named("a", layer)));
        if (i == 1) OK(fgt_model_set_frozen(m, "*", 1));
        out      = model_info(m).output;
        out.data = y;
        for (int set = 0; set < 2; set++) {
            v = (fgt_view){0};
            if (set) OK(fgt_workspace_get_state_shape(fgt_model_get_workspace(m), name, &v));
            v.data = zero;
            if (set) OK(fgt_workspace_set_state(fgt_model_get_workspace(m), name, &v));
            OK(fgt_forward(m, FGT_VIEW(x, B, T, D), &out));
            OK(fgt_backward(m, &out, NULL));
            v.data = g;
            if (set)
                OK(fgt_workspace_copy_state_gradient(fgt_model_get_workspace(m), name, &v));
            else
                REFUSED(fgt_workspace_copy_state_gradient(fgt_model_get_workspace(m), name, &v), FGT_E_STATE,
                        "no state was set");
            assert_int_equal(g[0] != 0, set);
        }
        fgt_model_destroy(&m);
    }
}

/* A state that was set is not the one in which the last pass ended. With carry the states not set still
 * are. */
static void asked_after_set(void **state)
{
    (void)state;
    float           x[B * T * D], y[B * T * H], c[B * H], h[B * H] = {0}, got[B * H];
    const fgt_view *vh = FGT_VIEW(h, 1, B, H), *vg = FGT_VIEW(got, 1, B, H);
    fgt_view        v  = *vg;
    fgt_model      *m  = new_model();
    fill(x, B * T * D, 1);
    OK(fgt_model_add(m, fgt_named("a", lstm())));
    for (int carry = 0; carry < 2; carry++) {
        OK(fgt_workspace_set_stateful(fgt_model_get_workspace(m), carry));
        OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
        v.data = c;
        OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.c", &v));
        OK(fgt_workspace_set_state(fgt_model_get_workspace(m), "a.h", vh));
        v.data = got;
        if (carry) {
            OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.c", &v));
            assert_memory_equal(got, c, sizeof c);
            OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v));
            assert_memory_equal(got, h, sizeof h);
        } else {
            REFUSED(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.c", &v), FGT_E_STATE,
                    "new states were set");
            REFUSED(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v), FGT_E_STATE,
                    "new states were set");
            v.data = NULL;
            OK(fgt_workspace_get_state_shape(fgt_model_get_workspace(m), "a.c",
                                             &v)); /* the shape is still told */
        }
    }
    OK(fgt_workspace_begin_series(fgt_model_get_workspace(m), 0));
    v = *vg;
    OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.c", &v));
    assert_memory_equal(got, c, sizeof c);
    OK(fgti_model_prepare(m)); /* another workspace */
    memset(got, 0, sizeof got);
    OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.c", &v));
    assert_memory_equal(got, c, sizeof c);
    OK(fgt_workspace_set_state(fgt_model_get_workspace(m), "a.h", FGT_VIEW(h, 1, 1, H)));
    REFUSED(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.c", &v), FGT_E_STATE,
            "new states were set");
    fgt_model_destroy(&m);
}

/* ---- passes that are refused or fail ---- */

/* Where it was carried over, the state is that of before, to be read and to start from. Otherwise a pass that
 * failed has left zeros over a part of what the one before had left: nothing of it counts. */
static void failed_forward(void **state)
{
    (void)state;
    static const int64_t good[B * T] = {1, 2, 3, 4, 5, 6}, bad[B * T] = {1, 2, 99, 4, 5, 99};
    const fgt_view      *x = FGT_VIEW_OF(FGT_DTYPE_I64, good, B, T),
                   *wrong  = FGT_VIEW_OF(FGT_DTYPE_I64, bad, B, T);
    const fgt_view *few    = FGT_VIEW_OF(FGT_DTYPE_I64, bad, 1, T),
                   *other  = FGT_VIEW_OF(FGT_DTYPE_I64, good, 1, B, T);
    float            y[B * T * H], first[B * T * H], h[B * H], got[B * H];
    fgt_view         v = *FGT_VIEW(got, 1, B, H);
    fgt_model       *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .seed = 4), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 7, .out = D))));
    OK(fgt_model_add(m, fgt_named("a", lstm())));
    OK(fgt_predict(m, x, FGT_VIEW(first, B, T, H)));
    REFUSED(fgt_predict(m, few, FGT_VIEW(y, 1, T, H)), FGT_E_DATA, "");
    REFUSED(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v), FGT_E_STATE, "the pass failed");
    OK(fgt_workspace_set_stateful(fgt_model_get_workspace(m), 1));
    OK(fgt_predict(m, x, FGT_VIEW(y, B, T, H)));
    assert_memory_equal(y, first, sizeof y);
    v.data = h;
    OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v));
    v.data = got;
    REFUSED(fgt_predict(m, other, FGT_VIEW(y, B, T, H)), FGT_E_SHAPE, "");
    OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v));
    assert_memory_equal(got, h, sizeof h);
    REFUSED(fgt_predict(m, few, FGT_VIEW(y, 1, T, H)), FGT_E_STATE, "got 2 samples, need 1 as x");
    memset(got, 0, sizeof got);
    OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v));
    assert_memory_equal(got, h, sizeof h);
    REFUSED(fgt_forward(m, wrong, FGT_VIEW(y, B, T, H)), FGT_E_DATA, ""); /* in another workspace */
    memset(got, 0, sizeof got);
    OK(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v));
    assert_memory_equal(got, h, sizeof h);
    OK(fgt_predict(m, x, FGT_VIEW(y, B, T, H)));
    assert_memory_not_equal(y, first, sizeof y);
    OK(fgt_workspace_begin_series(fgt_model_get_workspace(m), 0));
    REFUSED(fgt_predict(m, wrong, FGT_VIEW(y, B, T, H)), FGT_E_DATA, "");
    REFUSED(fgt_workspace_copy_state(fgt_model_get_workspace(m), "a.h", &v), FGT_E_STATE, "the pass failed");
    OK(fgt_predict(m, x, FGT_VIEW(y, B, T, H)));
    assert_memory_equal(y, first, sizeof y);
    fgt_model_destroy(&m);
}

static int failures;

static fgt_status same_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    (void)plan, (void)opts, (void)user;
    return FGT_OK;
}

static fgt_status same_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    (void)opts, (void)user;
    memcpy(fgt_layer_pass_get_output(pass), fgt_layer_pass_get_input(pass, 0), B * T * D * sizeof(float));
    return FGT_OK;
}

static fgt_status same_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    (void)opts, (void)user;
    if (failures-- > 0) return fgt_layer_pass_fail(pass, FGT_E_NONFINITE, "not now");
    memcpy(fgt_layer_pass_get_input_gradient(pass, 0), fgt_layer_pass_get_output_gradient(pass),
           B * T * D * sizeof(float));
    return FGT_OK;
}

/* Layers behind the one that failed have overwritten what they kept: only a new forward pass helps. */
static void failed_backward(void **state)
{
    (void)state;
    const fgt_layer_class same = {.size     = sizeof same,
                                  .type     = "test.same",
                                  .plan     = same_plan,
                                  .forward  = same_forward,
                                  .backward = same_backward};
    float      x[B * T * D], y[B * T * H], dx[B * T * D];
    fgt_model *m;
    fill(x, B * T * D, 1);
    fill(y, B * T * H, 2);
    OK(fgt_context_add_layer(ctx, &same));
    m = new_model();
    OK(fgt_model_add(m, (fgt_layer){.type = "test.same"}));
    OK(fgt_model_add(m, lstm()));
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
    failures = 1;
    REFUSED(fgt_backward(m, FGT_VIEW(y, B, T, H), FGT_VIEW(dx, B, T, D)), FGT_E_NONFINITE, "not now");
    REFUSED(fgt_backward(m, FGT_VIEW(y, B, T, H), FGT_VIEW(dx, B, T, D)), FGT_E_STATE,
            "needs a new fgt_forward()");
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
    OK(fgt_backward(m, FGT_VIEW(y, B, T, H), FGT_VIEW(dx, B, T, D)));
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(set_before_backward),
        WITH_CONTEXT(left_out),
        WITH_CONTEXT(asked_too_early),
        WITH_CONTEXT(gradient_without_start),
        WITH_CONTEXT(asked_after_set),
        WITH_CONTEXT(failed_forward),
        WITH_CONTEXT(failed_backward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
