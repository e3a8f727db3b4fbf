/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions of a model that goes on living: the bits of a predictor of its weights as they are, and no
 * second copy of them. Meant to be run under ThreadSanitizer, too. */
#include <fighter/experimental/adapter.h>

#include "../model_info.h"
#include "model/predictor/passes.h"
#include "packed_models.h"

/* More features than the input has, so that a map is folded. */
static fgt_model *with_map(bool encoder)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 64))));
    OK(fgt_model_add(m, fgt_position(&FGT_OPTS(fgt_position_opts, .kind = FGT_POSITION_LEARNED))));
    if (encoder)
        OK(fgt_model_add(m, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .norm_first = 1))));
    else
        OK(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 3, .heads = 2, .norm = 1))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    return m;
}

enum { BLOCKS = 4, MODELS = 2 + LAYERS + WIDE + BLOCKS };

static fgt_model *model_of(int number)
{
    if (number < 2) return with_map(number);
    if (number < 2 + LAYERS) return with_layer(number - 2);
    if (number < 2 + LAYERS + WIDE) return with_wide_layer(number - 2 - LAYERS);
    return with_block(number - 2 - LAYERS - WIDE);
}

/* What a predictor of the weights as they are now gives. */
static void predict_anew(fgt_model *m, float *y)
{
    const fgt_view in = input(), out = output(y);
    fgt_predictor *p;
    fgt_workspace *ws;
    OK(fgt_predictor_create(m, NULL, &p));
    OK(fgt_predictor_create_workspace(p, NULL, &ws));
    OK(fgt_workspace_predict(ws, &in, &out));
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
}

static void test_weights_change(void **state)
{
    (void)state;
    static float   want[3][B * T * OUT], got[B * T * OUT];
    const fgt_view in = input(), out = output(got);
    draw_input();
    for (int k = 0; k < MODELS; k++) {
        fgt_model  *m = model_of(k);
        fgti_passes p = {0};
        OK(fgti_passes_need(&p, m));
        for (int i = 0; i < THREADS; i++) OK(fgti_passes_new(&p, m, i == 1, NULL, &lanes[i].ws));
        for (int round = 0; round < 3; round++) {
            predict_anew(m, want[round]);
            const int64_t calls = memory.calls;
            OK(fgt_workspace_predict(p.own, &in, &out));
            assert_int_equal(memory.calls, calls);
            assert_memory_equal(got, want[round], sizeof got);
            halve_weights(m);
        }
        assert_memory_not_equal(want[0], want[1], sizeof got);
        predict_anew(m, want[0]);
        const int64_t calls = memory.calls;
        predict_together(); /* all find the weights changed */
        assert_int_equal(memory.calls, calls);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(lanes[i].status, FGT_OK);
            if (i != 1) assert_memory_equal(lanes[i].y, want[0], sizeof got);
        }
        const fgt_view own = output(want[1]);
        OK(fgt_predict(m, &in, &own));
        assert_memory_equal(lanes[1].y, want[1], sizeof got); /* the exact one */
        for (int i = 0; i < THREADS; i++) fgti_passes_end(&p, &lanes[i].ws);
        fgti_passes_drop(&p);
        assert_null(p.predictor);
        fgt_model_destroy(&m);
    }
}

/* The predictor adds no copy of parameters that passes still read: an embedding is there once. */
static void test_one_copy(void **state)
{
    (void)state;
    enum { WORDS = 1000 };
    fgti_passes    p = {0};
    fgt_model     *m;
    const int64_t  id[T] = {3};
    float          y[OUT];
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = T), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = WORDS, .out = 64))));
    OK(fgt_model_add(m, fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_MEAN))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    const int64_t before = memory.bytes;
    OK(fgti_passes_need(&p, m));
    OK(fgt_workspace_predict(p.own, FGT_VIEW_OF(FGT_DTYPE_I64, id, 1, T), FGT_VIEW(y, 1, OUT)));
    assert_true(memory.bytes - before < WORDS * 64 * (int64_t)sizeof(float) / 2);
    fgti_passes_drop(&p);
    assert_int_equal(memory.bytes, before);
    fgt_model_destroy(&m);
}

/* W + s B A where the adapter is active, W where it no longer is. */
static void test_adapter(void **state)
{
    (void)state;
    static float   want[B * T * OUT], base[B * T * OUT], got[B * T * OUT];
    const fgt_view in = input(), out = output(got);
    draw_input();
    for (int k = 0; k < 2; k++) {
        fgti_passes p = {0};
        fgt_model  *m = with_map(k);
        OK(fgti_passes_need(&p, m));
        OK(fgt_workspace_predict(p.own, &in, &out));
        memcpy(base, got, sizeof got);
        OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .rank = 2)));
        OK(fgt_model_set_adapter(m, "a"));
        halve_weights(m); /* of the layers: B is still 0 */
        for (int64_t i = 0; i < model_info(m).tensors; i++) {
            const char *name = parameter_name(m, i);
            fgt_view    v    = {0};
            if (!strstr(name, "lora_B")) continue;
            OK(parameter_shape(m, name, &v));
            float *b = v.data = calloc((size_t)fgt_view_count(&v), sizeof *b);
            for (int64_t j = 0; j < fgt_view_count(&v); j++) b[j] = .1F;
            OK(fgt_model_set_parameter(m, name, &v));
            free(b);
        }
        predict_anew(m, want);
        OK(fgt_workspace_predict(p.own, &in, &out));
        assert_memory_equal(got, want, sizeof got);
        assert_memory_not_equal(got, base, sizeof got);
        OK(fgt_model_set_adapter(m, NULL));
        predict_anew(m, base);
        OK(fgt_workspace_predict(p.own, &in, &out));
        assert_memory_equal(got, base, sizeof got);
        assert_memory_not_equal(got, want, sizeof got);
        fgti_passes_drop(&p);
        fgt_model_destroy(&m);
    }
}

/* What was set for passes of the model is for no others. */
static void test_plain(void **state)
{
    (void)state;
    static const int32_t mask[B * T];
    fgt_model         *m = with_layer(2);
    assert_true(fgti_model_is_plain(m));
    OK(fgt_workspace_set_stateful(fgt_model_get_workspace(m), 1));
    assert_false(fgti_model_is_plain(m));
    OK(fgt_workspace_set_stateful(fgt_model_get_workspace(m), 0));
    assert_true(fgti_model_is_plain(m));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING,
                              FGT_VIEW_OF(FGT_DTYPE_I32, mask, B, T)));
    assert_false(fgti_model_is_plain(m));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, NULL));
    assert_true(fgti_model_is_plain(m));
    fgt_model_destroy(&m);
}

static fgt_model  *swept;
static fgti_passes swept_passes;

static fgt_status need_and_drop(void)
{
    fgt_workspace *ws = NULL;
    fgt_status     s  = fgti_passes_need(&swept_passes, swept);
    if (s == FGT_OK) s = fgti_passes_new(&swept_passes, swept, false, NULL, &ws);
    fgti_passes_end(&swept_passes, &ws);
    fgti_passes_drop(&swept_passes);
    return s;
}

static void test_failed_allocations(void **state)
{
    (void)state;
    fgt_status s;
    for (int k = 0; k < 2; k++) {
        swept = with_map(k);
        SWEEP(&memory, s, 20, need_and_drop()) NOTHING_LEAKS;
        fgt_model_destroy(&swept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_weights_change), WITH_CONTEXT(test_one_copy), WITH_CONTEXT(test_adapter),
        WITH_CONTEXT(test_plain),          WITH_CONTEXT(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
