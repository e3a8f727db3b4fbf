/* SPDX-License-Identifier: BSD-3-Clause */
/* The strongest edges of attention, and what is said of layers that are not there. */
#include <math.h>

#include <fighter/fighter.h>

#include "../one_context.h"

enum { B = 2, T = 5, D = 4, HEADS = 2, ALL = T * T };

static fgt_model *make(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 3), &m));
    OK(fgt_model_add(m, fgt_named("rows", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)))));
    OK(fgt_model_add(m, fgt_named("tokens", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = HEADS)))));
    return m;
}

static void pass(fgt_model *m, float first)
{
    float x[B * T * D], y[B * T * D];
    for (int i = 0; i < B * T * D; i++) x[i] = sinf((float)(7 * i % 31)) * first;
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
}

/* Each edge is an entry of A, in falling order, none twice, and none that was left out is greater. */
static void check_edges(const float *a, const fgt_edge *e, int64_t n, int64_t k, bool diagonal)
{
    bool   taken[ALL] = {false};
    double least      = INFINITY;
    assert_int_equal(n, k < (diagonal ? ALL : ALL - T) ? k : diagonal ? ALL : ALL - T);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = e[i].to * T + e[i].from;
        assert_true(e[i].weight == (double)a[at] && e[i].weight <= least);
        assert_true(!taken[at] && (diagonal || e[i].from != e[i].to));
        taken[at] = true;
        least     = e[i].weight;
    }
    for (int64_t at = 0; at < ALL; at++)
        if (!taken[at] && (diagonal || at % (T + 1))) assert_true((double)a[at] <= least);
}

static void test_edges(void **state)
{
    (void)state;
    fgt_model *m = make();
    fgt_view   all;
    fgt_edge   e[ALL + 1];
    float      a[B * HEADS * ALL];
    int64_t    n;
    pass(m, 2);
    OK(fgt_model_get_adjacency(m, "tokens", &all));
    memcpy(a, all.data, sizeof a);
    for (int64_t k = 1; k <= ALL + 1; k++)
        for (int sample = 0; sample < B; sample++)
            for (int head = 0; head < HEADS; head++)
                for (int without = 0; without < 2; without++) {
                    OK(fgt_model_get_edges(
                        m, "tokens",
                        &FGT_OPTS(fgt_edges_opts, .sample = sample, .head = head, .no_diagonal = without), e,
                        k, &n));
                    check_edges(a + (sample * HEADS + head) * ALL, e, n, k, !without);
                }
    fgt_model_destroy(&m);
}

/* Equal weights: by rows, then by columns. A masked key has no edge. */
static void test_ties(void **state)
{
    (void)state;
    const int32_t padding[B * T] = {0, 0, 0, 0, 1};
    fgt_model    *m              = make();
    fgt_edge      e[ALL];
    int64_t       n;
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING,
                              FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T)));
    pass(m, 0);
    OK(fgt_model_get_edges(m, "tokens", NULL, e, ALL, &n));
    assert_int_equal(n, T * (T - 1));
    for (int64_t i = 0; i < n; i++)
        assert_true(e[i].to == i / (T - 1) && e[i].from == i % (T - 1) && e[i].weight == 0.25);
    OK(fgt_model_get_edges(m, "tokens", NULL, e, 3, &n));
    assert_true(n == 3 && e[2].to == 0 && e[2].from == 2);
    fgt_model_destroy(&m);
}

/* Matrices are those of the pass: with a mask that came or went since, they are refused where they would be
 * others. Removing what is not there changes nothing. */
static void test_masks_after_the_pass(void **state)
{
    (void)state;
    const int32_t padding[B * T]       = {0, 0, 0, 0, 1};
    const float   scale[B * HEADS * T] = {0};
    for (int32_t mode = FGT_ATTN_MODE_KEEP; mode <= FGT_ATTN_MODE_STREAM; mode++) {
        fgt_view   a;
        fgt_model *m;
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
        OK(fgt_model_add(m, fgt_named("a", fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = HEADS,
                                                                   .attention.mode = mode)))));
        for (int with = 0; with < 2; with++) {
            const fgt_view *pad  = FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T),
                           *diag = FGT_VIEW(scale, B, HEADS, T);
            OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, with ? pad : NULL));
            OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_SCALE, with ? diag : NULL));
            pass(m, 2);
            OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, NULL));
            OK(fgt_model_get_adjacency(m, "a", &a));
            OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, with ? NULL : pad));
            if (mode == FGT_ATTN_MODE_STREAM)
                REFUSED(fgt_model_get_adjacency(m, "a", &a), FGT_E_STATE, "set or removed after the pass");
            else
                OK(fgt_model_get_adjacency(m, "a", &a));
            assert_true((((const float *)a.data)[T - 1] == 0) == (with == 1));
            OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_SCALE, with ? NULL : diag));
            REFUSED(fgt_model_get_adjacency(m, "a", &a), FGT_E_STATE, "layer \"a\": a mask");
            pass(m, 2);
            OK(fgt_model_get_adjacency(m, "a", &a));
            assert_true((((const float *)a.data)[0] == 0) == (with == 0));
        }
        fgt_model_destroy(&m);
    }
}

static void test_refused(void **state)
{
    (void)state;
    fgt_model *m    = make();
    fgt_edge   e[2] = {{-1, -1, -1}};
    int64_t    n    = -1;
    REFUSED(fgt_model_get_edges(m, "tokens", NULL, e, 1, &n), FGT_E_STATE, "no pass");
    pass(m, 1);
    REFUSED(fgt_model_get_edges(m, "tokens", NULL, e, 0, &n), FGT_E_ARG, "edge_count is out of range (got 0");
    REFUSED(fgt_model_get_edges(m, "tokens", NULL, NULL, 1, &n), FGT_E_ARG, "NULL");
    REFUSED(fgt_model_get_edges(m, "tokens", NULL, e, 1, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_model_get_edges(m, NULL, NULL, e, 1, &n), FGT_E_ARG, "NULL");
    REFUSED(fgt_model_get_edges(m, "tokens", &FGT_OPTS(fgt_edges_opts, .sample = B), e, 1, &n), FGT_E_ARG,
            "sample");
    REFUSED(fgt_model_get_edges(m, "tokens", &FGT_OPTS(fgt_edges_opts, .head = HEADS), e, 1, &n), FGT_E_ARG,
            "head");
    REFUSED(fgt_model_get_edges(m, "tokens", &FGT_OPTS(fgt_edges_opts, .head = -1), e, 1, &n), FGT_E_ARG,
            "head");
    REFUSED(fgt_model_get_edges(m, "rows", NULL, e, 1, &n), FGT_E_UNSUPPORTED,
            "layer \"rows\" (linear) has neither attention nor a graph; there is \"tokens\"");
    pass(m, NAN);
    REFUSED(fgt_model_get_edges(m, "tokens", NULL, e, 1, &n), FGT_E_NONFINITE, "A[0,0]");
    assert_true(n == -1 && e[0].from == -1);
    fgt_model_destroy(&m);
}

static void refuse_value(fgt_model *m, const char *sentence)
{
    fgt_view v;
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "x", &v), FGT_E_NAME, sentence);
}

/* The sentence names what there is, and has an end however many and however long the names are. */
static void test_lists(void **state)
{
    (void)state;
    char       name[80];
    fgt_view   v;
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    refuse_value(m, "no layer \"x\"; no such layer exists");
    for (int i = 0; i < 12; i++) {
        memset(name, 'a' + i, sizeof name);
        name[i < 6 ? 1 : sizeof name - 1] = 0;
        OK(fgt_model_add(m, fgt_named(name, fgt_activation(NULL))));
        if (i == 0) refuse_value(m, "no layer \"x\"; there is \"a\"");
        if (i == 3) refuse_value(m, "no layer \"x\"; there are \"a\", \"b\", \"c\", \"d\"");
    }
    refuse_value(m, "\"d\" and 8 more");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "a", NULL, NULL), FGT_E_NAME,
            "no fgt_value() layer \"a\"; no such layer exists");
    REFUSED(fgt_model_get_adjacency(m, "a", &v), FGT_E_UNSUPPORTED, "nor a graph; no such layer exists");
    fgt_model_destroy(&m);

    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    for (int i = 0; i < 6; i++) {
        memset(name, 'a' + i, sizeof name);
        name[sizeof name - 1] = 0;
        OK(fgt_model_add(m, fgt_named(name, fgt_activation(NULL))));
    }
    refuse_value(m, "ddd...\" and 2 more");
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_edges), WITH_CONTEXT(test_ties),
                                       WITH_CONTEXT(test_masks_after_the_pass), WITH_CONTEXT(test_refused),
                                       WITH_CONTEXT(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
