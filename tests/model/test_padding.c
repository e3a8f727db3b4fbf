/* SPDX-License-Identifier: BSD-3-Clause */
/* Padding that an embedding's ids imply, against the same mask set as a side input. */
#include <fighter/model.h>

#include "../directory.h"
#include "../model_info.h"
#include "../one_context.h"

enum { B = 3, T = 6, V = 11, D = 8, C = 4, PAD = 2 };

static int setup(void **state)
{
    return make_directory(state) || test_open(state);
}

static int teardown(void **state)
{
    return remove_directory(state) || test_close(state);
}

/* Sample 0 whole, 1 padded at its end and inside, 2 padding alone. */
static const int64_t ids[B * T] = {1, 3, 5, 7, 9, 10, 4, PAD, 0, 8, PAD, PAD, PAD, PAD, PAD, PAD, PAD, PAD};

static fgt_model *new_model(int32_t masks, int32_t pool)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .seed = 4), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = V, .out = D, .has_padding = 1,
                                                .padding_idx = PAD, .mask_padding = masks))));
    OK(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .hops = 3))));
    OK(fgt_model_add(m, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 9))));
    OK(fgt_model_add(m, fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = pool))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = C))));
    return m;
}

static void gradient(fgt_model *m, const char *name, float *g, int64_t rows, int64_t columns)
{
    float dy[B * C];
    for (int i = 0; i < B * C; i++) dy[i] = (float)(i % 5) - 2;
    OK(fgt_backward(m, FGT_VIEW(dy, B, C), NULL));
    OK(fgt_model_copy_gradient(m, name, FGT_VIEW(g, rows, columns)));
}

/* The same bits as with the mask set by hand, forward and backward; another workspace too. */
static void check_kind(int32_t pool)
{
    fgt_model     *implied = new_model(1, pool), *given = new_model(0, pool);
    fgt_workspace *ws;
    int32_t        padding[B * T];
    float          a[B * C], b[B * C], none[B * C], ga[V * D], gb[V * D];
    const fgt_view x = *FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T);
    for (int i = 0; i < B * T; i++) padding[i] = ids[i] == PAD;
    OK(fgt_predict(given, &x, FGT_VIEW(none, B, C)));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(given), FGT_MASK_KEY_PADDING,
                              FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T)));
    OK(fgt_forward(implied, &x, FGT_VIEW(a, B, C)));
    OK(fgt_forward(given, &x, FGT_VIEW(b, B, C)));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, none, sizeof a);
    gradient(implied, "0.weight", ga, V, D);
    gradient(given, "0.weight", gb, V, D);
    assert_memory_equal(ga, gb, sizeof ga);
    OK(fgt_model_create_workspace(implied, NULL, &ws));
    const int64_t more =
        fgt_model_get_workspace_bytes(implied, NULL) - fgt_model_get_workspace_bytes(given, NULL);
    assert_true(more >= (int64_t)sizeof padding);
    OK(fgt_workspace_predict(ws, &x, FGT_VIEW(b, B, C)));
    OK(fgt_predict(implied, &x, FGT_VIEW(a, B, C)));
    assert_memory_equal(a, b, sizeof a);
    /* what the host sets counts instead, until it is taken away */
    memset(padding, 0, sizeof padding);
    OK(fgt_workspace_set_mask(ws, FGT_MASK_KEY_PADDING, FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T)));
    OK(fgt_workspace_predict(ws, &x, FGT_VIEW(b, B, C)));
    assert_memory_equal(b, none, sizeof none);
    OK(fgt_workspace_set_mask(ws, FGT_MASK_KEY_PADDING, NULL));
    OK(fgt_workspace_predict(ws, &x, FGT_VIEW(b, B, C)));
    assert_memory_equal(a, b, sizeof a);
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&implied);
    fgt_model_destroy(&given);
}

static void test_same(void **state)
{
    (void)state;
    check_kind(FGT_POOL_MEAN);
    check_kind(FGT_POOL_LAST);
}

/* Padding behind a text changes nothing, however much of it. */
static void test_length(void **state)
{
    (void)state;
    static const int32_t pools[] = {FGT_POOL_MEAN, FGT_POOL_LAST};
    for (size_t each = 0; each < sizeof pools / sizeof *pools; each++) {
        const int32_t pool = pools[each];
        fgt_model    *m     = new_model(1, pool);
        const int64_t all[] = {4, 6, 9, PAD, PAD, PAD};
        float         want[C], y[C];
        OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, all, 1, 3), FGT_VIEW(want, 1, C)));
        for (int64_t t = 4; t <= T; t++) {
            OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, all, 1, t), FGT_VIEW(y, 1, C)));
            for (int i = 0; i < C; i++) assert_float_equal(y[i], want[i], 1e-5);
        }
        fgt_model_destroy(&m);
    }
}

enum { LONG = 40, BRIEF = 18 }; /* more than two registers of tokens, and a little more than one */

/* A Fighter layer after an embedding, for a mean over the tokens or for the last one. */
static fgt_model *new_fighter(int32_t pool)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 2, .time = LONG, .seed = 4), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = V, .out = D, .has_padding = 1,
                                                .padding_idx = PAD, .mask_padding = 1))));
    OK(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .hops = 3, .norm = 1,
                                              .residual = 1))));
    OK(fgt_model_add(m, fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = pool))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = C))));
    return m;
}

/* Logits of two texts of t ids, and the gradients of the table and of the hops. */
static void train_once(int32_t pool, const int64_t *x, int64_t t, float *y, float *table, float *hops)
{
    fgt_model *m = new_fighter(pool);
    float      dy[2 * C];
    for (int i = 0; i < 2 * C; i++) dy[i] = (float)(i % 3) - 1;
    OK(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I64, x, 2, t), FGT_VIEW(y, 2, C)));
    OK(fgt_backward(m, FGT_VIEW(dy, 2, C), NULL));
    OK(fgt_model_copy_gradient(m, "0.weight", FGT_VIEW(table, V, D)));
    OK(fgt_model_copy_gradient(m, "1.hop_weight", FGT_VIEW(hops, 3, D, D)));
    fgt_model_destroy(&m);
}

/* Padding after the texts or within them changes no gradient either. */
static void test_gradients(void **state)
{
    (void)state;
    static const int32_t pools[] = {FGT_POOL_MEAN, FGT_POOL_LAST};
    int64_t              all[2 * LONG], brief[2 * BRIEF];
    float                y[2][2 * C], table[2][V * D], hops[2][3 * D * D];
    for (int i = 0; i < 2 * LONG; i++) {
        const int t = i % LONG;
        all[i]      = t < BRIEF - 5 * (i / LONG) && t != 7 ? (3 + 5 * i) % V : PAD;
        if (t < BRIEF) brief[i / LONG * BRIEF + t] = all[i];
    }
    for (size_t k = 0; k < sizeof pools / sizeof *pools; k++) {
        train_once(pools[k], all, LONG, y[0], table[0], hops[0]);
        train_once(pools[k], brief, BRIEF, y[1], table[1], hops[1]);
        for (int i = 0; i < 2 * C; i++) assert_float_equal(y[0][i], y[1][i], 1e-6);
        for (int i = 0; i < V * D; i++) assert_float_equal(table[0][i], table[1][i], 1e-5);
        for (int i = 0; i < 3 * D * D; i++) assert_float_equal(hops[0][i], hops[1][i], 1e-5);
        for (int i = 0; i < D; i++) assert_true(table[0][3 * D + i] != 0);
    }
}

static fgt_layer recurrent(int kind)
{
    static const fgt_rnn_opts  rnn  = {.size = sizeof rnn, .hidden = D, .layers = 2, .bidirectional = 1,
                                       .last = 1};
    static const fgt_gru_opts  gru  = {.size = sizeof gru, .hidden = D, .layers = 2, .bidirectional = 1,
                                       .last = 1};
    static const fgt_lstm_opts lstm = {.size = sizeof lstm, .hidden = D, .bidirectional = 1, .last = 1};
    return kind == 0 ? fgt_rnn(&rnn) : kind == 1 ? fgt_gru(&gru) : fgt_lstm(&lstm);
}

/* The last state is that of the last token that counts, and so is the first one backwards. */
static void test_last_state(void **state)
{
    (void)state;
    const int64_t all[2 * T] = {4, 6, 9, PAD, PAD, PAD, 7, 3, 5, 1, 8, 10}, brief[] = {4, 6, 9};
    for (int kind = 0; kind < 3; kind++) {
        fgt_model *m;
        float      y[2][2 * D], want[2 * D];
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 2, .time = T, .seed = 4), &m));
        OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = V, .out = D,
                                                    .has_padding = 1, .padding_idx = PAD,
                                                    .mask_padding = 1))));
        OK(fgt_model_add(m, recurrent(kind)));
        OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, brief, 1, 3), FGT_VIEW(want, 1, 2 * D)));
        OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, all, 2, T), FGT_VIEW(y, 2, 2 * D)));
        for (int i = 0; i < 2 * D; i++) assert_float_equal(y[0][i], want[i], 1e-6);
        OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, all + T, 1, T), FGT_VIEW(want, 1, 2 * D)));
        for (int i = 0; i < 2 * D; i++) assert_float_equal(y[1][i], want[i], 1e-6);
        fgt_model_destroy(&m);
    }
}

/* Behind a layer with a stride a token is padding where the one in the middle of its window is: the same as
 * with that mask for each layer. */
static void test_stride(void **state)
{
    (void)state;
    enum { HALF = T / 2 };
    static const char *const weights[] = {"ids.weight", "look.in_proj_weight", "look.out_proj.weight"};
    const fgt_attention_opts look      = {.size = sizeof look, .heads = 2};
    const fgt_view           x         = *FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T);
    fgt_model               *m[2];
    int32_t                  padding[B * HALF];
    float                    y[2][B * D], w[3 * D * D + V * D];
    for (int i = 0; i < B * HALF; i++) padding[i] = ids[2 * i] == PAD;
    for (int32_t given = 0; given < 2; given++) {
        const fgt_embedding_opts e = {.size = sizeof e, .vocab = V, .out = D, .has_padding = 1,
                                      .padding_idx = PAD, .mask_padding = !given};
        const fgt_value_opts     v = {.size = sizeof v, .time = HALF, .kind = FGT_VALUE_KEY_PADDING};
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .seed = 4), &m[given]));
        OK(fgt_model_add(m[given], fgt_named("ids", fgt_embedding(&e))));
        OK(fgt_model_add(m[given], fgt_named("half", fgt_max_pool(NULL))));
        if (given) OK(fgt_model_add(m[given], fgt_named("padding", fgt_value(&v))));
        OK(fgt_model_add_from(m[given], fgt_named("look", fgt_attention(&look)),
                              (const char *[]){"half", "padding"}, 1 + given));
        OK(fgt_model_add_from(m[given], fgt_named("mean", fgt_pool(NULL)),
                              (const char *[]){"look", "padding"}, 1 + given));
    }
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        fgt_view v = {0};
        OK(parameter_shape(m[0], weights[i], &v));
        v.data = w;
        OK(fgt_model_copy_parameter(m[0], weights[i], &v));
        OK(fgt_model_set_parameter(m[1], weights[i], &v));
    }
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m[1]), "padding",
                               FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, HALF), NULL));
    for (int i = 0; i < 2; i++) OK(fgt_predict(m[i], &x, FGT_VIEW(y[i], B, D)));
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    for (int i = 0; i < D; i++) assert_true(y[0][2 * D + i] == 0); /* all of it is padding */
    /* shorter texts */
    OK(fgt_predict(m[0], FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, 5), FGT_VIEW(y[0], B, D)));
    fgt_model_destroy(&m[0]);
    fgt_model_destroy(&m[1]);
}

/* Whether a layer looks at token t, in the row of the first one. */
static bool looks_at(fgt_model *m, const char *layer, int64_t t)
{
    fgt_view a;
    OK(fgt_model_get_adjacency(m, layer, &a));
    return ((const float *)a.data)[t] > 0;
}

/* Layers before the embedding have no padding. Those behind it have that of this pass, also where the layer
 * with a stride that they read stands before the embedding. */
static void test_before(void **state)
{
    (void)state;
    enum { HALF = T / 2 };
    const fgt_embedding_opts e = {.size = sizeof e, .vocab = V, .out = D, .has_padding = 1,
                                  .padding_idx = PAD, .mask_padding = 1};
    const fgt_value_opts     v = {.size = sizeof v, .features = D};
    const int64_t            texts[3][T] = {{4, 6, 9, 1, 1, 1}, {4, 6, 9, 1, PAD, PAD}, {1, 1, 1, 1, 1, 1}};
    fgt_model               *m;
    float                    value[T * D], y[T * D];
    for (int i = 0; i < T * D; i++) value[i] = (float)(i % 7) - 3;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .time = T), &m));
    OK(fgt_model_add(m, fgt_named("value", fgt_value(&v))));
    OK(fgt_model_add_from(m, fgt_named("half", fgt_max_pool(NULL)), (const char *[]){"value"}, 1));
    OK(fgt_model_add_from(m, fgt_named("before", fgt_attention(NULL)), (const char *[]){"value"}, 1));
    OK(fgt_model_add_from(m, fgt_named("half before", fgt_attention(NULL)), (const char *[]){"half"}, 1));
    OK(fgt_model_add_from(m, fgt_named("ids", fgt_embedding(&e)), (const char *[]){""}, 1));
    OK(fgt_model_add_from(m, fgt_named("half behind", fgt_attention(NULL)), (const char *[]){"half"}, 1));
    OK(fgt_model_add_from(m, fgt_named("behind", fgt_attention(NULL)), (const char *[]){"ids"}, 1));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "value", FGT_VIEW(value, 1, T, D), NULL));
    for (size_t i = 0; i < 3; i++) {
        OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, texts[i], 1, T), FGT_VIEW(y, 1, T, D)));
        for (int64_t t = 0; t < T; t++) {
            assert_true(looks_at(m, "before", t));
            assert_int_equal(looks_at(m, "behind", t), texts[i][t] != PAD);
        }
        for (int64_t t = 0; t < HALF; t++) {
            assert_true(looks_at(m, "half before", t));
            assert_int_equal(looks_at(m, "half behind", t), texts[i][2 * t] != PAD);
        }
    }
    fgt_model_destroy(&m);
}

/* A model that is read from its file masks as before. */
static void test_file(void **state)
{
    (void)state;
    fgt_model *m = new_model(1, FGT_POOL_MEAN), *n;
    float      a[B * C], b[B * C];
    OK(fgt_model_save(m, FGT_TO_FILE(in_directory("m.safetensors"))));
    OK(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("m.safetensors")), NULL, &n));
    OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T), FGT_VIEW(a, B, C)));
    OK(fgt_predict(n, FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T), FGT_VIEW(b, B, C)));
    assert_memory_equal(a, b, sizeof a);
    fgt_model_destroy(&n);
    fgt_model_destroy(&m);
    OK(fgt_model_create(ctx, NULL, &m));
    assert_int_equal(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = V, .out = D,
                                                              .mask_padding = 1))), FGT_E_ARG);
    assert_non_null(strstr(fgt_context_get_error(ctx), "mask_padding needs has_padding"));
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_last_state),
        cmocka_unit_test(test_stride),
        cmocka_unit_test(test_before),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
