/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers that pick tokens by ids, and put them back. */
#include <string.h>

#include <fighter/experimental/vision.h>
#include <fighter/model.h>

#include "../one_context.h"

#define B 2
#define T 5
#define D 3
#define K 3

static fgt_model *new_model(int64_t time)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = time, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("ids", fgt_value(&FGT_OPTS(fgt_value_opts, .time = K,
                                                             .kind = FGT_VALUE_IDS)))));
    return m;
}

static void set_ids(fgt_model *m, const int64_t ids[B][K])
{
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "ids",
                               FGT_VIEW_OF(FGT_DTYPE_I64, (void *)ids, B, K), NULL));
}

static void fill(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = (float)(i + 1);
}

static fgt_model *gatherer(int64_t prefix)
{
    fgt_model *m = new_model(T);
    OK(fgt_model_add_from(m, fgt_gather(&FGT_OPTS(fgt_gather_opts, .prefix = prefix)),
                          (const char *[]){"", "ids"}, 2));
    return m;
}

static void tokens_are_picked_in_the_order_of_the_ids(void **state)
{
    (void)state;
    float      x[B][T][D], y[B][1 + K][D];
    fgt_model *m = gatherer(1);
    fill(x[0][0], B * T * D);
    set_ids(m, (const int64_t[B][K]){{3, 0, 3}, {1, 2, 0}});
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, 1 + K, D)));
    for (int b = 0; b < B; b++) assert_memory_equal(y[b][0], x[b][0], sizeof y[b][0]);
    assert_memory_equal(y[0][1], x[0][4], sizeof y[0][1]);
    assert_memory_equal(y[0][3], x[0][4], sizeof y[0][1]);
    assert_memory_equal(y[1][2], x[1][3], sizeof y[0][1]);
    fgt_model_destroy(&m);
}

static void gradients_of_a_token_that_is_picked_twice_add_up(void **state)
{
    (void)state;
    float      x[B][T][D], y[B][K][D], dx[B][T][D];
    fgt_model *m = gatherer(0);
    fill(x[0][0], B * T * D);
    set_ids(m, (const int64_t[B][K]){{4, 0, 4}, {1, 2, 0}});
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, K, D)));
    fill(y[0][0], B * K * D);
    OK(fgt_backward(m, FGT_VIEW(y, B, K, D), FGT_VIEW(dx, B, T, D)));
    for (int d = 0; d < D; d++) {
        assert_true(dx[0][4][d] == y[0][0][d] + y[0][2][d]);
        assert_true(dx[0][0][d] == y[0][1][d]);
        assert_true(dx[0][1][d] == 0);
        assert_true(dx[1][2][d] == y[1][1][d]);
    }
    fgt_model_destroy(&m);
}

static void wrong_ids_are_named(void **state)
{
    (void)state;
    float      x[B][T][D], y[B][1 + T][D];
    fgt_model *m = gatherer(1);
    fill(x[0][0], B * T * D);
    set_ids(m, (const int64_t[B][K]){{3, 0, 3}, {1, 4, 0}});
    REFUSED(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, 1 + K, D)), FGT_E_DATA,
            "id is out of range (got 4 at sample 1 of the batch, position 1, need 0 .. 3)");
    set_ids(m, (const int64_t[B][K]){{3, 0, INT64_C(1) << 40}, {1, 4, 0}});
    REFUSED(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, 1 + K, D)), FGT_E_DATA,
            "id is out of range (got -1 at sample 0 of the batch, position 2");
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "ids",
                               FGT_VIEW_OF(FGT_DTYPE_I64, ((int64_t[B][2]){{0}}), B, 2), NULL));
    REFUSED(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, 1 + K, D)), FGT_E_SHAPE,
            "a sample has 2 ids, need 3");
    fgt_model_destroy(&m);

    m = new_model(K);
    OK(fgt_model_add_from(m, fgt_scatter(&FGT_OPTS(fgt_scatter_opts, .time = T)), (const char *[]){"", "ids"},
                          2));
    set_ids(m, (const int64_t[B][K]){{3, 0, 1}, {2, 4, 2}});
    REFUSED(fgt_predict(m, FGT_VIEW(x, B, K, D), FGT_VIEW(y, B, T, D)), FGT_E_DATA,
            "id 2 of sample 1 of the batch is at positions 0 and 2");
    set_ids(m, (const int64_t[B][K]){{3, 0, 5}, {2, 4, 1}});
    REFUSED(fgt_predict(m, FGT_VIEW(x, B, K, D), FGT_VIEW(y, B, T, D)), FGT_E_DATA,
            "id is out of range (got 5 at sample 0 of the batch, position 2, need 0 .. 4)");
    fgt_model_destroy(&m);
}

static void what_cannot_fit_is_refused(void **state)
{
    (void)state;
    fgt_model *m = new_model(T);
    REFUSED(fgt_model_add_from(m, fgt_scatter(&FGT_OPTS(fgt_scatter_opts, .time = T)),
                               (const char *[]){"", "ids"}, 2),
            FGT_E_SHAPE,
            "the input has the wrong number of tokens (got 5, need 3: prefix (0) and one for each id)");
    REFUSED(fgt_model_add_from(m, fgt_scatter(&FGT_OPTS(fgt_scatter_opts, .time = 2, .prefix = 2)),
                               (const char *[]){"", "ids"}, 2),
            FGT_E_SHAPE, "time is too small: 3 tokens do not fit into 2 positions");
    REFUSED(fgt_model_add_from(m, fgt_gather(&FGT_OPTS(fgt_gather_opts, .prefix = T)),
                               (const char *[]){"", "ids"}, 2),
            FGT_E_SHAPE, "the input has only 5 tokens, need more than prefix (5)");
    REFUSED(fgt_model_add_from(m, fgt_gather(NULL), (const char *[]){"ids", ""}, 2), FGT_E_SHAPE, "ids");
    REFUSED(
        fgt_model_add_from(m, fgt_along(FGT_AXIS_NODES, fgt_gather(NULL)), (const char *[]){"", "ids"}, 2),
        FGT_E_UNSUPPORTED, "fgt_along() cannot be used");
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_picked_in_the_order_of_the_ids),
        cmocka_unit_test(gradients_of_a_token_that_is_picked_twice_add_up),
        cmocka_unit_test(wrong_ids_are_named),
        cmocka_unit_test(what_cannot_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
