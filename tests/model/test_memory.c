/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes that a model says it takes are the bytes that its passes take from the allocator. */
#include <math.h>

#include <fighter/fighter.h>

#include "../model_info.h"
#include "../one_context.h"

/* Bytes that a block of the library may have besides its contents. */
enum { HEADER = 100 };

typedef struct taken {
    int64_t bytes, blocks;
} taken;

static taken now(void)
{
    return (taken){memory.bytes, memory.live};
}

/* So many bytes as were said, in the blocks since `before`. */
static void check_bytes(const char *what, taken before, int64_t said)
{
    const int64_t bytes = memory.bytes - before.bytes, blocks = memory.live - before.blocks;
    if (bytes < said || bytes > said + blocks * HEADER)
        fail_msg("%s: %lld bytes in %lld blocks, said were %lld", what, (long long)bytes, (long long)blocks,
                 (long long)said);
}

static void step(fgt_model *m, const fgt_view *x, const fgt_view *y)
{
    OK(fgt_forward(m, x, y));
    OK(fgt_backward(m, y, NULL));
}

/* Destroys the model. */
static void check_model(const char *what, fgt_model *m)
{
    fgt_view       x, y;
    fgt_workspace *ws;
    x                   = model_info(m).input;
    y                   = model_info(m).output;
    x.data              = calloc((size_t)fgt_view_count(&x), sizeof(int64_t)); /* enough for ids, too */
    y.data              = calloc((size_t)fgt_view_count(&y), sizeof(float));
    const int64_t train = fgt_model_get_training_bytes(m), predict = fgt_model_get_workspace_bytes(m, NULL);
    taken         before = now();
    OK(fgt_model_create_workspace(m, NULL, &ws));
    check_bytes(what, before, predict);
    fgt_workspace_destroy(&ws);
    before      = now();
    memory.peak = memory.bytes;
    step(m, &x, &y);
    check_bytes(what, before, train);
    assert_true(memory.peak - memory.bytes < 10000 + train / 1000); /* the plan */
    const int64_t calls = memory.calls;
    step(m, &x, &y);
    assert_int_equal(memory.calls, calls);
    assert_int_equal(fgt_model_get_training_bytes(m), train);
    free(x.data);
    free(y.data);
    fgt_model_destroy(&m);
}

static void each(int32_t threads, void (*check)(void))
{
    test_open_threads(threads);
    check();
    assert_int_equal(test_close(NULL), 0);
}

/* ---- all blocks, and a table of words ---- */

static int32_t block;

static void check_block(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 3, .time = 24, .features = 8), &m));
    OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = {.kind = block, .layers = 2})));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2)))); /* the block may have no layers */
    check_model(fgt_block_get_name(block), m);
}

static void check_words(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 3, .time = 24), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 500, .out = 8, .has_padding = 1,
                                                .mask_padding = 1))));
    OK(fgt_model_add(m, fgt_fighter(NULL)));
    check_model("words", m);
}

static void test_blocks(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        for (block = 0; fgt_block_get_name(block); block++) each(threads, check_block);
        each(threads, check_words);
    }
}

/* ---- series on a graph ---- */

/* A ring of n nodes, each of which reads the next three; none: a learned graph. */
static fgt_model *on_graph(int64_t n, bool learned)
{
    enum { EACH = 3, D = 16 };
    const fgt_model_opts o       = {.size = sizeof o, .batch = 1, .nodes = n, .time = 12, .features = 1};
    int64_t             *indptr  = calloc((size_t)n + 1, sizeof *indptr);
    int64_t             *indices = calloc((size_t)(n * EACH), sizeof *indices);
    fgt_graph           *g;
    fgt_model           *m;
    for (int64_t e = 0; e < n * EACH; e++) {
        indices[e]           = (e / EACH + e % EACH + 1) % n;
        indptr[e / EACH + 1] = e + 1;
    }
    OK(fgt_graph_create_csr(ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, n + 1),
                            FGT_VIEW_OF(FGT_DTYPE_I64, indices, n * EACH), NULL, &g));
    const fgt_gcn_opts gcn = {.size      = sizeof gcn,
                              .graph     = learned ? NULL : g,
                              .learned   = learned ? 10 : 0,
                              .diffusion = 1,
                              .residual  = 1};
    OK(fgt_model_create(ctx, &o, &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D))));
    OK(fgt_model_add(m,
                     fgt_named("x", fgt_position(&FGT_OPTS(fgt_position_opts, .kind = FGT_POSITION_TAPE)))));
    OK(fgt_model_add(m, fgt_named("a", fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 8)))));
    OK(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"x", "a"}, 2));
    OK(fgt_model_add(m, fgt_along(FGT_AXIS_NODES, fgt_gcn(&gcn))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
    fgt_graph_destroy(&g);
    free(indptr);
    free(indices);
    return m;
}

static void check_graphs(void)
{
    check_model("given graph", on_graph(300, false));
}

static void check_learned(void)
{
    check_model("learned graph", on_graph(100, true));
}

/* Linear in the nodes of a sparse graph. Of a learned one only matrices between the nodes grow faster. */
static void check_growth(void)
{
    enum { N = 4000 };
    int64_t bytes[2][2];
    for (int i = 0; i < 2; i++)
        for (int learned = 0; learned < 2; learned++) {
            fgt_model *m      = on_graph((i + 1) * N, learned);
            bytes[i][learned] = fgt_model_get_training_bytes(m);
            fgt_model_destroy(&m);
        }
    assert_true((double)bytes[1][0] < 2.01 * (double)bytes[0][0]);
    const double matrices = 4.0 * N * N * sizeof(float); /* two walks; gradients of A and of scores */
    assert_true(fabs((double)(bytes[0][1] - bytes[0][0]) - matrices) < 0.01 * matrices);
    assert_true(fabs((double)(bytes[1][1] - bytes[1][0]) - 4 * matrices) < 0.01 * matrices);
}

static void test_graphs(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 2; threads++) {
        each(threads, check_graphs);
        each(threads, check_learned);
    }
    each(1, check_growth);
}

static void test_nothing(void **state)
{
    (void)state;
    fgt_model *m;
    assert_int_equal(fgt_model_get_training_bytes(NULL), -1);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 1, .features = 1), &m));
    assert_int_equal(fgt_model_get_training_bytes(m), -1);
    fgt_model_destroy(&m);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = INT32_MAX, .time = INT32_MAX, .features = 64),
                        &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 64))));
    assert_int_equal(fgt_model_get_training_bytes(m), -1);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks), cmocka_unit_test(test_graphs),
                                       WITH_CONTEXT(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
