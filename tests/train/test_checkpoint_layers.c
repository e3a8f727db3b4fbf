/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints and the layers of their models: who reads whom, names that look like a checkpoint's own. */
#include "checkpoint.h"

#include <fighter/graph.h>

static fgt_model *new_model(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 2, .time = 2, .features = 2), &m));
    return m;
}

static fgt_status save(fgt_model *m)
{
    fgt_optim *optim;
    OK(fgt_optim_create(m, NULL, &optim));
    const fgt_status s = fgt_checkpoint_save(&FGT_OPTS(fgt_checkpoint, .optim = optim), path);
    fgt_optim_destroy(&optim);
    return s;
}

static fgt_status load(fgt_model *m)
{
    fgt_optim *optim;
    OK(fgt_optim_create(m, NULL, &optim));
    const fgt_status s = fgt_checkpoint_load(&FGT_OPTS(fgt_checkpoint, .optim = optim), path);
    fgt_optim_destroy(&optim);
    return s;
}

/* Four linear maps a, b, c, d of one size; c reads a, and d reads what `from` says. */
static fgt_model *wired(const char *from)
{
    fgt_model      *m      = new_model();
    const fgt_layer linear = fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2));
    OK(fgt_model_add(m, fgt_named("a", linear)));
    OK(fgt_model_add(m, fgt_named("b", linear)));
    OK(fgt_model_add_from(m, fgt_named("c", linear), (const char *[]){"a"}, 1));
    OK(fgt_model_add_from(m, fgt_named("d", linear), &from, 1));
    return m;
}

/* The weights would fit. */
static void test_other_wiring(void **state)
{
    (void)state;
    static const char *const from[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        fgt_model *m = wired(from[i]);
        OK(save(m));
        for (int k = 0; k < 3; k++) {
            fgt_model *n = wired(from[k]);
            if (i == k)
                OK(load(n));
            else
                assert_int_equal(load(n), FGT_E_FORMAT);
            fgt_model_destroy(&n);
        }
        fgt_model_destroy(&m);
    }
}

/* Tensors of the checkpoint's own begin with "train." and "fit."; so do those of these layers. */
static void test_names(void **state)
{
    (void)state;
    static const float       full[4] = {0.5f, 0.5f, 0.25f, 0.75f};
    static const char *const names[] = {"train", "fit.x", "fit"};
    for (int i = 0; i < 3; i++) {
        fgt_model *m[2];
        fgt_graph *g;
        OK(fgt_graph_create_dense(ctx, FGT_VIEW(full, 2, 2), &g));
        for (int k = 0; k < 2; k++) {
            m[k] = new_model();
            OK(fgt_model_add(m[k], fgt_named(names[i], fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = g)))));
        }
        OK(save(m[0]));
        OK(load(m[1]));
        assert_true(fgt_model_get_hash(m[0]) == fgt_model_get_hash(m[1]));
        for (int k = 0; k < 2; k++) fgt_model_destroy(&m[k]);
        fgt_graph_destroy(&g);
    }
}

/* A graph is no weight, but what is learned belongs to it. */
static void test_other_graph(void **state)
{
    (void)state;
    static const float   values[2][4] = {{0.5f, 0.5f, 0.25f, 0.75f}, {0.5f, 0.5f, 0.75f, 0.25f}};
    static const int64_t indptr[] = {0, 2, 4}, indices[] = {0, 1, 0, 1};
    for (int dense = 0; dense < 2; dense++) {
        fgt_model *m[2];
        fgt_graph *g;
        for (int k = 0; k < 2; k++) {
            if (dense)
                OK(fgt_graph_create_dense(ctx, FGT_VIEW(values[k], 2, 2), &g));
            else
                OK(fgt_graph_create_csr(ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, 3),
                                        FGT_VIEW_OF(FGT_DTYPE_I64, indices, 4), FGT_VIEW(values[k], 4), &g));
            m[k] = new_model();
            OK(fgt_model_add(m[k], fgt_named("a", fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = g)))));
            fgt_graph_destroy(&g);
        }
        OK(save(m[0]));
        const uint64_t before = fgt_model_get_hash(m[1]);
        REFUSED(load(m[1]), FGT_E_FORMAT, "the model has another graph");
        assert_true(fgt_model_get_hash(m[1]) == before);
        OK(load(m[0]));
        for (int k = 0; k < 2; k++) fgt_model_destroy(&m[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_wiring), cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_other_graph)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
