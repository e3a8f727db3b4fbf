/* SPDX-License-Identifier: BSD-3-Clause */
/* Products in bf16, of predictors and of training: the bits of F32 with operands that were rounded before. */
#include <fighter/fighter.h>

#include "../model_info.h"
#include "../one_context.h"

#include "../directory.h"
#include "core/half.h"

enum { R = 21, D = 250, H = 160, T = 7, WIDE = 96 };

static const fgt_predictor_opts bf16 = {.size = sizeof bf16, .precision = FGT_PRECISION_BF16};

static void draw(float *x, int64_t n, uint32_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
}

static void round_all(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const uint32_t bits = fgti_bf16_bits(x[i]);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

static fgt_context *context(int32_t precision, int32_t threads)
{
    fgt_context           *c;
    const fgt_context_opts o = {.size = sizeof o, .precision = precision, .threads = threads};
    assert_int_equal(fgt_context_create(&o, &c), FGT_OK);
    return c;
}

/* One map, y = x W' + b, of more than 32768 weights; `rounds` rounds W. */
static fgt_model *one_map(fgt_context *c, bool rounds)
{
    static float   w[H * D];
    fgt_model     *m;
    const fgt_view view = *FGT_VIEW_OF(FGT_DTYPE_F32, w, H, D);
    assert_int_equal(fgt_model_create(c, &FGT_OPTS(fgt_model_opts, .batch = R, .time = 1, .features = D), &m),
                     FGT_OK);
    assert_int_equal(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H))), FGT_OK);
    draw(w, H * D, 5);
    if (rounds) round_all(w, H * D);
    assert_int_equal(fgt_model_set_parameter(m, parameter_name(m, 0), &view), FGT_OK);
    return m;
}

/* ---- predictors ---- */

static void predict(fgt_model *m, const fgt_predictor_opts *o, int32_t threads, const fgt_view *x,
                    fgt_view *y)
{
    fgt_predictor *p;
    fgt_workspace *ws;
    OK(fgt_predictor_create(m, o, &p));
    OK(fgt_predictor_create_workspace(p, &FGT_OPTS(fgt_workspace_opts, .threads = threads), &ws));
    OK(fgt_workspace_predict(ws, x, y));
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
}

static void test_predictor(void **state)
{
    (void)state;
    static float x[R * D], y[R * H], want[R * H];
    fgt_view     in = *FGT_VIEW_OF(FGT_DTYPE_F32, x, R, 1, D), out = *FGT_VIEW_OF(FGT_DTYPE_F32, y, R, 1, H);
    fgt_view     expected = *FGT_VIEW_OF(FGT_DTYPE_F32, want, R, 1, H);
    fgt_model   *m = one_map(ctx, false), *rounded = one_map(ctx, true);
    for (int64_t rows = 1; rows <= R; rows += 4) {
        in.shape[0] = out.shape[0] = expected.shape[0] = rows;
        draw(x, R * D, 9);
        for (int32_t threads = 1; threads < 4; threads++) {
            predict(m, &bf16, threads, &in, &out);
            memcpy(want, y, sizeof y);
            round_all(x, R * D);
            OK(fgt_predict(rounded, &in, &out));
            assert_memory_equal(want, y, (size_t)(rows * H) * sizeof *y);
            draw(x, R * D, 9);
        }
    }
    fgt_model_destroy(&m);
    fgt_model_destroy(&rounded);
}

/* Each operand is off by up to 2^-8 of its size, so an element of a product by up to 2^-7 of |A| |B|; errors
 * of both signs make the root of mean squares less than that for each product. A layer has 4 products one
 * after the other here, and softmax and norm may add as much again: at most 12 times 2^-7. */
static void check_near(fgt_layer layer, const char *what)
{
    enum { SIZE = 4 * T * WIDE };
    static float x[SIZE], exact[SIZE], y[SIZE];
    fgt_model   *m;
    fgt_view     in    = *FGT_VIEW_OF(FGT_DTYPE_F32, x, 4, T, WIDE),
             out       = *FGT_VIEW_OF(FGT_DTYPE_F32, y, 4, T, WIDE);
    double       error = 0, size = 0;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 4, .time = T, .features = WIDE), &m));
    OK(fgt_model_add(m, layer));
    draw(x, SIZE, 3);
    predict(m, NULL, 1, &in, &out);
    memcpy(exact, y, sizeof y);
    predict(m, &bf16, 1, &in, &out);
    for (int i = 0; i < SIZE; i++) {
        error += (double)(y[i] - exact[i]) * (y[i] - exact[i]);
        size += (double)exact[i] * exact[i];
    }
    error = sqrt(error / size);
    if (!(error > 1e-6 && error < 0.09)) fail_msg("%s: the error is %g of the size", what, error);
    memcpy(exact, y, sizeof y);
    predict(m, &bf16, 3, &in, &out);
    assert_memory_equal(exact, y, sizeof y);
    fgt_model_destroy(&m);
}

static void test_layers(void **state)
{
    (void)state;
    check_near(fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 200)), "transformer");
    check_near(fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 2)), "attention");
    check_near(fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .hops = 3, .out = WIDE, .project = 1)),
               "fighter");
}

static fgt_model *two_maps(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = R, .time = 1, .features = D), &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3))));
    return m;
}

/* Large weights take half of the memory; every allocation can fail; a file of other products is replaced. */
static void test_memory_and_files(void **state)
{
    (void)state;
    static float       x[R * D], y[R * 3], want[R * 3];
    fgt_view in = *FGT_VIEW_OF(FGT_DTYPE_F32, x, R, 1, D), out = *FGT_VIEW_OF(FGT_DTYPE_F32, y, R, 1, 3);
    fgt_model         *m      = two_maps();
    const char        *path   = in_directory("map");
    fgt_predictor_opts mapped = bf16;
    fgt_predictor     *p, *whole;
    fgt_status         s;
    mapped.map = path;
    draw(x, R * D, 11);
    OK(fgt_predictor_create(m, NULL, &whole));
    SWEEP(&memory, s, 3, fgt_predictor_create(m, &bf16, &p))
    assert_null(p);
    assert_true(fgt_predictor_get_bytes(p) < fgt_predictor_get_bytes(whole) * 3 / 5);
    fgt_predictor_destroy(&p);
    fgt_predictor_destroy(&whole);
    predict(m, &FGT_OPTS(fgt_predictor_opts, .map = path), 1, &in, &out);
    predict(m, &bf16, 1, &in, &out);
    memcpy(want, y, sizeof y);
    for (int i = 0; i < 2; i++) {
        predict(m, &mapped, 1, &in, &out);
        assert_memory_equal(want, y, sizeof y);
    }
    assert_int_equal(unlink(path), 0);
    REFUSED(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .precision = 2), &p), FGT_E_ARG,
            "predictor: precision is wrong (got 2, need an fgt_precision)");
    REFUSED(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .reserved = 4), &p), FGT_E_VERSION,
            "predictor: reserved is wrong (got 4, need 0)");
    fgt_model_destroy(&m);
}

/* ---- training ---- */

typedef struct pass {
    float x[R * D], y[R * H], dy[R * H], dx[R * D], dw[H * D];
} pass;

static void run_pass(fgt_context *c, bool rounds, pass *p)
{
    fgt_model     *m = one_map(c, rounds);
    const fgt_view x  = *FGT_VIEW_OF(FGT_DTYPE_F32, p->x, R, 1, D),
                   dy = *FGT_VIEW_OF(FGT_DTYPE_F32, p->dy, R, 1, H);
    fgt_view y = *FGT_VIEW_OF(FGT_DTYPE_F32, p->y, R, 1, H), dx = *FGT_VIEW_OF(FGT_DTYPE_F32, p->dx, R, 1, D);
    fgt_view dw = *FGT_VIEW_OF(FGT_DTYPE_F32, p->dw, H, D);
    draw(p->x, R * D, 21);
    draw(p->dy, R * H, 22);
    if (rounds) {
        round_all(p->x, R * D);
        round_all(p->dy, R * H);
    }
    assert_int_equal(fgt_forward(m, &x, &y), FGT_OK);
    assert_int_equal(fgt_backward(m, &dy, &dx), FGT_OK);
    assert_int_equal(fgt_model_copy_gradient(m, parameter_name(m, 0), &dw), FGT_OK);
    fgt_model_destroy(&m);
}

/* Forward and backward, on any threads; predictions of the same context stay F32. */
static void test_training(void **state)
{
    (void)state;
    static pass  want, got, exact;
    fgt_context *f32 = context(FGT_PRECISION_F32, 1);
    run_pass(f32, true, &want);
    run_pass(f32, false, &exact);
    for (int32_t threads = 1; threads < 4; threads++) {
        fgt_context *c = context(FGT_PRECISION_BF16, threads);
        run_pass(c, false, &got);
        assert_memory_equal(got.y, want.y, sizeof got.y);
        assert_memory_equal(got.dx, want.dx, sizeof got.dx);
        assert_memory_equal(got.dw, want.dw, sizeof got.dw);
        assert_memory_not_equal(got.y, exact.y, sizeof got.y);
        fgt_model     *m = one_map(c, false);
        const fgt_view x = *FGT_VIEW_OF(FGT_DTYPE_F32, got.x, R, 1, D),
                       y = *FGT_VIEW_OF(FGT_DTYPE_F32, got.y, R, 1, H);
        assert_int_equal(fgt_predict(m, &x, &y), FGT_OK);
        assert_memory_equal(got.y, exact.y, sizeof got.y);
        fgt_model_destroy(&m);
        fgt_context_destroy(&c);
    }
    fgt_context_destroy(&f32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_predictor),
        WITH_CONTEXT(test_layers),
        WITH_CONTEXT(test_memory_and_files),
        WITH_CONTEXT(test_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
