/* SPDX-License-Identifier: BSD-3-Clause */
/* The workspace that a model lends: one handle for all its passes, with and without memory. */
#include "branches.h"

static void test_before_layers(void **state)
{
    (void)state;
    const int32_t  padding[B * T] = {0};
    const fgt_view mask           = {(void *)padding, {B, T}, 2, FGT_DTYPE_I32};
    fgt_view       v              = {0};
    fgt_model     *m              = new_model(1, D);
    fgt_workspace *own            = fgt_model_get_workspace(m);
    assert_null(fgt_model_get_workspace(NULL));
    REFUSED(fgt_workspace_set_mask(own, FGT_MASK_KEY_PADDING, &mask), FGT_E_STATE, "no layers");
    REFUSED(fgt_workspace_set_stateful(own, 1), FGT_E_STATE, "no layers");
    REFUSED(fgt_workspace_begin_series(own, 1), FGT_E_STATE, "no stream");
    REFUSED(fgt_workspace_get_value(own, "0", &v), FGT_E_NAME, "no layer");
    ADD(m, LAYER(linear, .out = 2));
    REFUSED(fgt_workspace_get_value(own, "0", NULL), FGT_E_ARG, "value is NULL");
    REFUSED(fgt_workspace_get_value(own, "0", &v), FGT_E_STATE, "no pass");
    ADD(m, LAYER(linear, .out = 3)); /* nothing was set, so the model takes more layers */
    OK(fgt_workspace_set_mask(own, FGT_MASK_KEY_PADDING, &mask));
    REFUSED(fgt_model_add(m, LAYER(linear, .out = 3)), FGT_E_STATE, "after the first pass");
    fgt_model_destroy(&m);
}

/* The handle stays when a training needs other memory than a prediction, and with it what was set. */
static void test_one_handle(void **state)
{
    (void)state;
    static host    h;
    float          first[B * T * 2];
    fgt_view       v;
    fgt_model     *m;
    const fgt_view x = *FGT_VIEW(h.x, B, T, D), y = *FGT_VIEW(h.y, B, T, 2);
    draw(&h);
    OK(make_graph(ctx, &m));
    fgt_workspace *own = fgt_model_get_workspace(m), *gone = own;
    OK(give(m, &h));
    OK(fgt_predict(m, &x, &y));
    memcpy(first, h.y, sizeof first);
    OK(learn(m, &h, LOSS_Y));
    assert_ptr_equal(fgt_model_get_workspace(m), own);
    same_bits("training", B * T * 2, h.y, first);
    fgt_workspace_destroy(&gone);
    assert_null(gone);
    memset(h.y, 0, sizeof h.y);
    OK(fgt_workspace_predict(own, &x, &y));
    same_bits("prediction", B * T * 2, h.y, first);
    OK(fgt_workspace_get_value(own, "join", &v));
    assert_int_equal(v.shape[0], B);
    assert_string_equal(fgt_workspace_get_error(own), fgt_context_get_error(ctx));
    fgt_model_destroy(&m);
}

static void test_other_workspace(void **state)
{
    (void)state;
    static host    h;
    fgt_model     *m;
    fgt_workspace *ws;
    const fgt_view known = *FGT_VIEW(h.known, B, KNOWN, 2), gradient = *FGT_VIEW(h.dknown, B, KNOWN, 2);
    draw(&h);
    OK(make_graph(ctx, &m));
    OK(fgt_model_create_workspace(m, NULL, &ws));
    assert_int_equal(fgt_workspace_set_value(ws, "known", &known, &gradient), FGT_E_UNSUPPORTED);
    assert_non_null(strstr(fgt_workspace_get_error(ws), "for predictions has no gradient"));
    OK(fgt_workspace_set_value(ws, "known", &known, NULL));
    assert_int_equal(fgt_workspace_get_value(ws, "known", NULL), FGT_E_ARG);
    assert_int_equal(fgt_workspace_copy_state_gradient(ws, "deep.h", &known), FGT_E_STATE);
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

/* The lent workspace gets its memory on demand: no failure leaves a trace. */
static void test_no_memory(void **state)
{
    (void)state;
    static host h;
    fgt_model  *m;
    draw(&h);
    OK(make_graph(ctx, &m));
    fgt_status s = FGT_E_NOMEM;
    for (int64_t k = 1; s != FGT_OK; k++) {
        memory.countdown = k;
        s                = fgt_workspace_set_stateful(fgt_model_get_workspace(m), 0);
        memory.countdown = 0;
        if (s == FGT_OK) break;
        assert_int_equal(s, FGT_E_NOMEM);
        assert_null(m->own);
    }
    OK(give(m, &h));
    OK(learn(m, &h, LOSS_Y));
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOTH(test_before_layers),
        WITH_BOTH(test_one_handle),
        WITH_BOTH(test_other_workspace),
        WITH_BOTH(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
