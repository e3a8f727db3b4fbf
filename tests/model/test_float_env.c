/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's floating-point environment: it may trap exceptions or round in another direction, no thread
 * differs from another, and it is as before after every call. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fighter/fighter.h>

enum { B = 4, T = 21, D = 6, N = B * T * D, LAYERS = 9 };

static float x[N], dy[N];

static fgt_status add(fgt_model *m, int k)
{
    switch (k) {
    case 0:
        return fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .norm = 1,
                                                      .attention.attn_dropout = 0.1f)));
    case 1:
        return fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .attention.causal = 1,
                                                      .attention.mode = FGT_ATTN_MODE_STREAM)));
    case 2: return fgt_model_add(m, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2)));
    case 3:
        return fgt_model_add(m, fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.causal = 1,
                                                        .attention.mode = FGT_ATTN_MODE_KEEP)));
    case 4:
        return fgt_model_add(
            m, fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.attender = FGT_ATTENDER_PROB)));
    case 5: return fgt_model_add(m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 3, .bidirectional = 1)));
    case 6: return fgt_model_add(m, fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = D, .layers = 2)));
    case 7: return fgt_model_add(m, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 8)));
    default: return fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)));
    }
}

static void ok(fgt_context *ctx, fgt_status s)
{
    if (s != FGT_OK) fail_msg("%s: %s", fgt_status_get_name(s), fgt_context_get_error(ctx));
}

/* Two steps and a prediction; key padding hides the second half of each series. */
static uint64_t train(int32_t threads, int k, void (*change)(void))
{
    int32_t        hidden[B * T], mode = fegetround();
    float          y[N];
    const fgt_view padding = {hidden, {B, T}, 2, FGT_DTYPE_I32};
    const bool     masked  = k < 4;
    fgt_context   *ctx;
    fgt_model     *m;
    fgt_optim     *optim;
    for (int i = 0; i < B * T; i++) hidden[i] = i % T > T / 2;
    assert_int_equal(fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = threads), &ctx), FGT_OK);
    if (change) {
        change();
        mode = fegetround();
    }
    const fgt_model_opts o = {.size = sizeof o, .batch = B, .time = T, .features = D, .seed = 2};
    ok(ctx, fgt_model_create(ctx, &o, &m));
    ok(ctx, add(m, k));
    ok(ctx, fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .lr = 0.01), &optim));
    if (masked) ok(ctx, fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, &padding));
    for (int step = 0; step < 2; step++) {
        feclearexcept(FE_ALL_EXCEPT);
        ok(ctx, fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
        ok(ctx, fgt_backward(m, FGT_VIEW(dy, B, T, D), NULL));
        assert_int_equal(fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0);
        ok(ctx, fgt_step(optim));
    }
    ok(ctx, fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    const uint64_t hash = fgt_model_get_hash(m);
    assert_int_equal(fegetround(), mode);
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
    fgt_context_destroy(&ctx);
    return hash;
}

/* A trap would end the program by SIGFPE. */
static void test_traps(void **state)
{
    (void)state;
    for (int k = 0; k < LAYERS; k++)
        for (int32_t threads = 1; threads < 4; threads += 2) {
            const int traps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;
            feclearexcept(FE_ALL_EXCEPT);
            if (feenableexcept(traps) < 0) skip(); /* no traps on this processor */
            train(threads, k, NULL);
            assert_int_equal(fegetexcept() & traps, traps);
            fedisableexcept(traps);
        }
}

static void upward(void)
{
    fesetround(FE_UPWARD);
}

/* Set before the context was made, or after: no thread differs. */
static void test_rounding(void **state)
{
    (void)state;
    for (int k = 0; k < LAYERS; k++) {
        uint64_t hash[4];
        for (int i = 0; i < 4; i++) {
            if (i < 2) upward();
            hash[i] = train(i % 2 ? 4 : 1, k, i < 2 ? NULL : upward);
            fesetround(FE_TONEAREST);
            assert_true(hash[i] == hash[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_traps), cmocka_unit_test(test_rounding)};
    for (int i = 0; i < N; i++) x[i] = (float)sin(i), dy[i] = (float)cos(i);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
