/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_BRANCHES_H
#define TESTS_MODEL_BRANCHES_H

/* Parts that the tests of models with branches share: a context that counts its memory, a model with all
 * kinds of edges, and its data. */

#include <math.h>

#include <fighter/train.h>

#include "../directory.h"
#include "../model_info.h"
#include "../one_context.h"
#include "core/rng.h"
#include "model/model_impl.h"

enum { B = 3, T = 5, D = 4, MOST = 4096 };

static inline int open_both(void **state)
{
    return (!*directory && make_directory(state)) || test_open(state);
}
#define WITH_BOTH(test) cmocka_unit_test_setup_teardown(test, open_both, test_close)


/* Layers as in a table of tests/nn: NAMED("a", linear, .out = 3). */
#define LAYER(word, ...)       fgt_##word(&FGT_OPTS(fgt_##word##_opts, __VA_ARGS__))
#define NAMED(name, word, ...) fgt_named(name, LAYER(word, __VA_ARGS__))
#define LIST(...)         \
    (const char *const[]) \
    {                     \
        __VA_ARGS__       \
    }
#define ADD(m, layer)       OK(fgt_model_add(m, layer))
#define FROM(m, layer, ...) OK(TRY_FROM(m, layer, __VA_ARGS__))
#define TRY_FROM(m, layer, ...) \
    fgt_model_add_from(m, layer, LIST(__VA_ARGS__), sizeof(LIST(__VA_ARGS__)) / sizeof(char *))
#define VALUE(name, ...) NAMED(name, value, __VA_ARGS__)

static inline void fill(float *v, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) v[i] = (float)fgti_rng_normal((fgti_rng){.key = seed}, (uint64_t)i);
}

static inline fgt_model *new_model(int64_t nodes, int64_t features)
{
    fgt_model *m;
    OK(fgt_model_create(
        ctx,
        &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = features, .nodes = nodes, .seed = 5),
        &m));
    return m;
}

static inline void same_bits(const char *what, int64_t n, const float *a, const float *b)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a))
            fail_msg("%s: element %lld is %.9g, not %.9g", what, (long long)i, (double)a[i], (double)b[i]);
}

static inline void close_to(const char *what, int64_t n, const float *a, const float *b)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(b[i]))))
            fail_msg("%s: element %lld is %.9g, not %.9g", what, (long long)i, (double)a[i], (double)b[i]);
}

/* All gradients, as they stand. */
static inline float *gradients_of(fgt_model *m)
{
    static float copies[8][MOST];
    static int   next;
    float       *copy = copies[next++ % 8];
    assert_in_range(model_info(m).parameters, 0, MOST);
    memcpy(copy, m->gradients, (size_t)model_info(m).parameters * sizeof *copy);
    return copy;
}

/* ---- a model with every kind of edge ---- */

/*  x -- trunk --+-- deep (gru) --+-- sum "join" -- attention "cross" <- known -- concat "all" -- y [B,T,2]
 *               |  +- again = deep's weights      |
 *               +-- mean (pool) -- class [B,3]    +-- price [B,T,1]          blocked: mask of "cross"
 *  Outputs: y, "class", "price"; values: "known" [B,T,2], "blocked" I32 [T,6] */
enum { KNOWN = 6 };

typedef struct host {
    float x[B * T * D], known[B * KNOWN * 2], dknown[B * KNOWN * 2], y[B * T * 2], dy[B * T * 2],
        dx[B * T * D];
    float   dclass[B * 3], dprice[B * T];
    int32_t blocked[T * KNOWN];
} host;

static inline fgt_status add_trunk(fgt_model *m, int64_t known)
{
    FGTI_TRY(fgt_model_add(m, VALUE("known", .time = known, .features = 2)));
    FGTI_TRY(fgt_model_add(m, NAMED("trunk", linear, .out = 4)));
    FGTI_TRY(fgt_model_add(m, NAMED("deep", gru, .hidden = 4)));
    FGTI_TRY(fgt_model_add(m, fgt_named("again", fgt_shared("deep"))));
    FGTI_TRY(TRY_FROM(m, NAMED("join", sum, .weight = {1, 0.5f, -1}), "trunk", "again", "deep"));
    FGTI_TRY(TRY_FROM(m, NAMED("mean", pool, .kind = FGT_POOL_MEAN), "trunk"));
    return TRY_FROM(m, NAMED("class", linear, .out = 3), "mean");
}

static inline fgt_status add_heads(fgt_model *m)
{
    FGTI_TRY(TRY_FROM(m, NAMED("price", linear, .out = 1), "join"));
    FGTI_TRY(fgt_model_add(m, VALUE("blocked", .kind = FGT_VALUE_ATTN_MASK)));
    FGTI_TRY(TRY_FROM(m, NAMED("wide", linear, .out = 4), "known"));
    FGTI_TRY(TRY_FROM(m, NAMED("cross", attention, .heads = 2), "join", "blocked", "wide"));
    FGTI_TRY(TRY_FROM(m, fgt_named("all", fgt_concat(NULL)), "cross", "", "join", "mean"));
    return fgt_model_add(m, LAYER(linear, .out = 2));
}

static inline fgt_status make_graph_of(fgt_context *c, int64_t batch, int64_t time, int64_t known,
                                       fgt_model **m)
{
    const fgt_model_opts o = {.size = sizeof o, .batch = batch, .time = time, .features = D, .seed = 7};
    FGTI_TRY(fgt_model_create(c, &o, m));
    fgt_status s = add_trunk(*m, known);
    if (s == FGT_OK) s = add_heads(*m);
    if (s != FGT_OK) fgt_model_destroy(m);
    return s;
}

static inline fgt_status make_graph(fgt_context *c, fgt_model **m)
{
    return make_graph_of(c, B, T, KNOWN, m);
}

static inline void draw(host *h)
{
    fill(h->x, B * T * D, 1);
    fill(h->known, B * KNOWN * 2, 2);
    fill(h->dy, B * T * 2, 3);
    fill(h->dclass, B * 3, 4);
    fill(h->dprice, B * T, 5);
    for (int i = 0; i < T * KNOWN; i++) h->blocked[i] = i % 5 == 2;
}

static inline fgt_status give(fgt_model *m, host *h)
{
    FGTI_TRY(fgt_workspace_set_value(fgt_model_get_workspace(m), "blocked",
                                     FGT_VIEW_OF(FGT_DTYPE_I32, h->blocked, T, KNOWN), NULL));
    return fgt_workspace_set_value(fgt_model_get_workspace(m), "known", FGT_VIEW(h->known, B, KNOWN, 2),
                                   FGT_VIEW(h->dknown, B, KNOWN, 2));
}

enum { LOSS_Y = 1, LOSS_CLASS = 2, LOSS_PRICE = 4 };

/* A training pass with some of the losses. */
static inline fgt_status learn(fgt_model *m, host *h, unsigned losses)
{
    FGTI_TRY(fgt_forward(m, FGT_VIEW(h->x, B, T, D), FGT_VIEW(h->y, B, T, 2)));
    if (losses & LOSS_CLASS) FGTI_TRY(fgt_model_add_gradient(m, "class", FGT_VIEW(h->dclass, B, 3)));
    if (losses & LOSS_PRICE) FGTI_TRY(fgt_model_add_gradient(m, "price", FGT_VIEW(h->dprice, B, T, 1)));
    return fgt_backward(m, losses & LOSS_Y ? FGT_VIEW(h->dy, B, T, 2) : NULL, FGT_VIEW(h->dx, B, T, D));
}

#endif
