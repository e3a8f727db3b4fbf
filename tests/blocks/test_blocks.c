/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <fighter/blocks.h>
#include <fighter/graph.h>

#include "../model_info.h"
#include "../one_context.h"

#define B 2
#define T 5
#define D 8

static fgt_model *new_model(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 7), &m));
    return m;
}

/* ---- the table ---- */

static void names_are_found_again(void **state)
{
    (void)state;
    int32_t count = 0, found = -1;
    for (; fgt_block_get_name(count); count++) {
        assert_int_equal(fgt_block_find(fgt_block_get_name(count), &found), FGT_OK);
        assert_int_equal(found, count);
    }
    assert_int_equal(fgt_block_find("lstms", &found), FGT_E_NAME);
    assert_int_equal(found, count - 1);
    assert_int_equal(fgt_block_find(NULL, &found), FGT_E_ARG);
    assert_int_equal(fgt_block_find("lstm", NULL), FGT_E_ARG);
    assert_null(fgt_block_get_name(-1));
    assert_int_equal(fgt_block_get_traits(-1), 0);
    assert_int_equal(fgt_block_get_traits(count), 0);
}

/* The numbers are part of the ABI. */
static void numbers_are_pinned(void **state)
{
    (void)state;
    static const char *const names[] = {"fighter", "gcn", "linear", "transformer", "rnn",
                                        "gru",     "lstm", "s4",    "s4d",         "mlp",
                                        "autoformer", "informer", "reformer", "attention"};
    const int32_t count = sizeof names / sizeof *names;
    for (int32_t i = 0; i < count; i++) assert_string_equal(fgt_block_get_name(i), names[i]);
    assert_null(fgt_block_get_name(count));
    assert_string_equal(names[FGT_BLOCK_TRANSFORMER], "transformer");
    assert_string_equal(names[FGT_BLOCK_LSTM], "lstm");
    assert_string_equal(names[FGT_BLOCK_S4D], "s4d");
}

static void traits_say_what_a_block_takes(void **state)
{
    (void)state;
    static const struct {
        int32_t  block;
        uint32_t traits;
    } cases[] = {
        {FGT_BLOCK_FIGHTER, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_HEADS | FGT_BLOCK_TRAIT_HOPS |
                                FGT_BLOCK_TRAIT_DIAG | FGT_BLOCK_TRAIT_AXIS | FGT_BLOCK_TRAIT_ACT |
                                FGT_BLOCK_TRAIT_GRAPH},
        {FGT_BLOCK_GCN, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_HOPS | FGT_BLOCK_TRAIT_GRAPH |
                            FGT_BLOCK_TRAIT_AXIS | FGT_BLOCK_TRAIT_ACT | FGT_BLOCK_TRAIT_LEARNED},
        {FGT_BLOCK_LINEAR, 0},
        {FGT_BLOCK_TRANSFORMER, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_HEADS | FGT_BLOCK_TRAIT_FF |
                                    FGT_BLOCK_TRAIT_DECODER | FGT_BLOCK_TRAIT_AXIS | FGT_BLOCK_TRAIT_GRAPH},
        {FGT_BLOCK_RNN, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_ORDER},
        {FGT_BLOCK_GRU, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_ORDER},
        {FGT_BLOCK_LSTM, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_ORDER},
        {FGT_BLOCK_S4, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_ORDER},
        {FGT_BLOCK_S4D, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_ORDER},
        {FGT_BLOCK_MLP, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_FF},
        {FGT_BLOCK_AUTOFORMER,
         FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_ORDER | FGT_BLOCK_TRAIT_FF | FGT_BLOCK_TRAIT_DECODER},
        {FGT_BLOCK_INFORMER,
         FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_HEADS | FGT_BLOCK_TRAIT_FF | FGT_BLOCK_TRAIT_DECODER},
        {FGT_BLOCK_REFORMER, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_HEADS | FGT_BLOCK_TRAIT_FF},
        {FGT_BLOCK_ATTENTION, FGT_BLOCK_TRAIT_TOKENS | FGT_BLOCK_TRAIT_HEADS | FGT_BLOCK_TRAIT_DIAG |
                                  FGT_BLOCK_TRAIT_AXIS | FGT_BLOCK_TRAIT_GRAPH},
    };
    for (int32_t i = 0; fgt_block_get_name(i); i++) {
        assert_true((size_t)i < sizeof cases / sizeof *cases);
        assert_int_equal(cases[i].block, i);
        assert_int_equal(fgt_block_get_traits(i), cases[i].traits);
    }
}

/* ---- adding ---- */

static void draw(float x[B * T * D])
{
    for (int i = 0; i < B * T * D; i++) x[i] = (float)(i * 7 % 11) / 11 - 0.4f;
}

static fgt_status run(fgt_model *m, int64_t width, float *y)
{
    float x[B * T * D];
    draw(x);
    return fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, width));
}

/* One of each: shapes stay, values are finite and not those of the input. */
static void every_block_keeps_the_shape(void **state)
{
    (void)state;
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int64_t layers = 1; layers < 3; layers++) {
            fgt_model *m = new_model();
            fgt_view   out;
            float      x[B * T * D], y[B * T * D] = {0}, sum = 0;
            OK(fgt_block_add(
                m, &FGT_OPTS(fgt_block_opts, .block = {.kind = block, .layers = layers, .dropout = 0.5f})));
            out = model_info(m).output;
            assert_true(out.rank == 3 && out.shape[1] == T && out.shape[2] == D);
            if (block != FGT_BLOCK_LINEAR) {
                OK(run(m, D, y));
                draw(x);
                assert_memory_not_equal(y, x, sizeof y);
                for (int i = 0; i < B * T * D; i++) sum += y[i] * y[i];
                if (!(sum > 0 && sum < 1e6f)) fail_msg("%s: %g", fgt_block_get_name(block), (double)sum);
            }
            fgt_model_destroy(&m);
        }
}

static void both_directions_are_twice_as_wide(void **state)
{
    (void)state;
    static const int32_t recurrent[] = {FGT_BLOCK_RNN, FGT_BLOCK_GRU, FGT_BLOCK_LSTM};
    for (size_t i = 0; i < sizeof recurrent / sizeof *recurrent; i++) {
        fgt_model *m = new_model();
        fgt_view   out;
        OK(fgt_block_add(
            m, &FGT_OPTS(fgt_block_opts, .block.kind = recurrent[i], .dim = 3, .bidirectional = 1)));
        out = model_info(m).output;
        assert_int_equal(out.shape[2], 6);
        fgt_model_destroy(&m);
    }
}

/* Without a graph gcn reads the mean of each token and its neighbours. */
static void gcn_joins_neighbours(void **state)
{
    (void)state;
    float      y[B * T * D], z[B * T * D], weights[T][T] = {0};
    fgt_graph *graph;
    fgt_model *m = new_model(), *n = new_model();
    for (int i = 0; i < T; i++) {
        const int first = i > 0 ? i - 1 : 0, last = i < T - 1 ? i + 1 : i;
        for (int k = first; k <= last; k++) weights[i][k] = 1 / (float)(last - first + 1);
    }
    OK(fgt_graph_create_dense(ctx, FGT_VIEW(weights, T, T), &graph));
    OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block.kind = FGT_BLOCK_GCN)));
    OK(fgt_block_add(n, &FGT_OPTS(fgt_block_opts, .block.kind = FGT_BLOCK_GCN, .graph = graph)));
    OK(run(m, D, y));
    OK(run(n, D, z));
    for (int i = 0; i < B * T * D; i++) assert_true(y[i] - z[i] < 1e-5f && z[i] - y[i] < 1e-5f);
    fgt_graph_destroy(&graph);
    fgt_model_destroy(&n);
    fgt_model_destroy(&m);
}

/* y = x + layer(norm(x)), twice */
static void state_space_blocks_have_a_residual_path(void **state)
{
    (void)state;
    static const int32_t blocks[] = {FGT_BLOCK_S4, FGT_BLOCK_S4D};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        fgt_model *m = new_model();
        fgt_view   first, branch;
        float      x[B * T * D], y[B * T * D];
        draw(x);
        OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = {.kind = blocks[i], .layers = 2})));
        OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "blocks.0", &branch));
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "sums.0", &first));
        for (int k = 0; k < B * T * D; k++)
            assert_true(((float *)first.data)[k] == x[k] + ((float *)branch.data)[k]);
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "blocks.1", &branch));
        for (int k = 0; k < B * T * D; k++)
            assert_true(y[k] == ((float *)first.data)[k] + ((float *)branch.data)[k]);
        fgt_model_destroy(&m);
    }
}

/* y = x + attention(norm(x)); without the residual path, y = attention(norm(x)) */
static void attention_may_lack_its_residual_path(void **state)
{
    (void)state;
    for (int32_t bare = 0; bare < 2; bare++) {
        fgt_model *m = new_model();
        fgt_view   branch;
        float      x[B * T * D], y[B * T * D];
        draw(x);
        OK(fgt_block_add(
            m, &FGT_OPTS(fgt_block_opts, .block = {.kind = FGT_BLOCK_ATTENTION, .no_residual = bare})));
        OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "blocks.0", &branch));
        for (int k = 0; k < B * T * D; k++)
            assert_true(y[k] == (bare ? 0 : x[k]) + ((float *)branch.data)[k]);
        fgt_model_destroy(&m);
    }
}

/* y = norm(x + layer(x)), without the residual path norm(layer(x)); a gcn always has one. A fresh norm makes
 * the mean 0 and the variance 1. */
static void norms_may_stand_behind_layers(void **state)
{
    (void)state;
    static const fgt_block_opts cases[] = {{.block.kind = FGT_BLOCK_ATTENTION},
                                           {.block = {.kind = FGT_BLOCK_ATTENTION, .no_residual = 1}},
                                           {.block.kind = FGT_BLOCK_GCN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_model     *m = new_model();
        fgt_block_opts o = cases[i];
        fgt_view       branch;
        float          x[B * T * D], y[B * T * D];
        const bool     added =
            o.block.kind == FGT_BLOCK_ATTENTION && !o.block.no_residual; /* a gcn adds x itself */
        draw(x);
        o.size      = sizeof o;
        o.block.post_norm = 1;
        OK(fgt_block_add(m, &o));
        OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "blocks.0", &branch));
        for (int r = 0; r < B * T; r++) {
            double z[D], mean = 0, square = 0;
            for (int d = 0; d < D; d++) {
                z[d] = (double)((float *)branch.data)[r * D + d] + (added ? (double)x[r * D + d] : 0);
                mean += z[d] / D;
            }
            for (int d = 0; d < D; d++) square += (z[d] - mean) * (z[d] - mean) / D;
            for (int d = 0; d < D; d++)
                assert_true(fabs((double)y[r * D + d] - (z[d] - mean) / sqrt(square + 1e-5)) < 1e-4);
        }
        fgt_model_destroy(&m);
    }
}

/* ---- between nodes ---- */

enum { NODES = 3 };

/* Two models of [B,NODES,T,D]: the block along the nodes of one is that along time of the other, whose input
 * has the axes in the other order. */
static void blocks_work_along_the_nodes(void **state)
{
    (void)state;
    enum { COUNT = B * NODES * T * D };
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        fgt_model     *m, *n;
        float          x[COUNT], turned[COUNT], y[COUNT], z[COUNT];
        fgt_block_opts o    = {.size = sizeof o, .block.kind = block, .axis = FGT_AXIS_NODES, .learned = 2};
        const bool     able = fgt_block_get_traits(block) & FGT_BLOCK_TRAIT_AXIS;
        fgt_model_opts of   = {
              .size = sizeof of, .batch = B, .nodes = NODES, .time = T, .features = D, .seed = 3};
        OK(fgt_model_create(ctx, &of, &m));
        of.nodes = T;
        of.time  = NODES;
        OK(fgt_model_create(ctx, &of, &n));
        if (!able) {
            REFUSED(fgt_block_add(m, &o), FGT_E_ARG, "works only along time");
        } else {
            OK(fgt_block_add(m, &o));
            o.axis = FGT_AXIS_TIME;
            OK(fgt_block_add(n, &o));
            for (int i = 0; i < COUNT; i++) x[i] = (float)(i * 7 % 11) / 11 - 0.4f;
            for (int r = 0; r < B * NODES * T; r++) {
                const int b = r / (NODES * T), node = r / T % NODES, t = r % T;
                for (int d = 0; d < D; d++) turned[((b * T + t) * NODES + node) * D + d] = x[r * D + d];
            }
            OK(fgt_predict(m, FGT_VIEW(x, B, NODES, T, D), FGT_VIEW(y, B, NODES, T, D)));
            OK(fgt_predict(n, FGT_VIEW(turned, B, T, NODES, D), FGT_VIEW(z, B, T, NODES, D)));
            for (int r = 0; r < B * NODES * T; r++) {
                const int b = r / (NODES * T), node = r / T % NODES, t = r % T;
                for (int d = 0; d < D; d++)
                    assert_true(fabsf(z[((b * T + t) * NODES + node) * D + d] - y[r * D + d]) < 1e-5f);
            }
        }
        fgt_model_destroy(&n);
        fgt_model_destroy(&m);
    }
}

static void prefixes_tell_blocks_apart(void **state)
{
    (void)state;
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        fgt_block_opts o = {.size = sizeof o, .block = {.kind = block, .layers = 2}, .prefix = "first."};
        fgt_model     *m = new_model();
        if (block == FGT_BLOCK_LINEAR) o.prefix = NULL;
        OK(fgt_block_add(m, &o));
        if (o.prefix) REFUSED(fgt_block_add(m, &o), FGT_E_NAME, "first.");
        o.prefix = "second.";
        OK(fgt_block_add(m, &o));
        o.prefix = NULL;
        OK(fgt_block_add(m, &o)); /* and nothing of a prefix stays */
        fgt_model_destroy(&m);
    }
}

/* The edge is named, of a dense graph and of one that is stored by its edges. */
static void walks_need_weights_above_zero(void **state)
{
    (void)state;
    enum { MANY = 40 };
    static float weights[MANY][MANY];
    int64_t      indptr[MANY + 1], indices[] = {3, 1};
    float        values[] = {1, -2};
    weights[2][1] = -2;
    weights[1][3] = 1;
    for (int64_t i = 0; i <= MANY; i++) indptr[i] = i < 2 ? 0 : i == 2 ? 1 : 2;
    for (int64_t n = T; n <= MANY; n += MANY - T) {
        fgt_graph *graph;
        fgt_model *m;
        float      own[MANY * MANY];
        for (int64_t i = 0; i < n * n; i++) own[i] = weights[i / n][i % n];
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .time = n, .features = D), &m));
        if (n == T)
            OK(fgt_graph_create_dense(ctx, FGT_VIEW(own, n, n), &graph));
        else
            OK(fgt_graph_create_csr(ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, MANY + 1),
                                    FGT_VIEW_OF(FGT_DTYPE_I64, indices, 2), FGT_VIEW(values, 2), &graph));
        REFUSED(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block.kind = FGT_BLOCK_GCN, .graph = graph,
                                           .diffusion = 1)),
                FGT_E_DATA, "row 2, column 1 is -2");
        fgt_graph_destroy(&graph);
        fgt_model_destroy(&m);
    }
}

/* x + gelu(given(x) + learned(x)): the graph that is given counts, and so does the learned one. */
static void gcn_takes_two_graphs(void **state)
{
    (void)state;
    float      weights[T][T] = {{0, 1}, {0, 0, 1}}, y[B * T * D], z[B * T * D];
    fgt_graph *graph;
    fgt_model *m = new_model();
    OK(fgt_graph_create_dense(ctx, FGT_VIEW(weights, T, T), &graph));
    OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block.kind = FGT_BLOCK_GCN, .graph = graph, .learned = 2,
                                  .diffusion = 1)));
    static const char *const parts[] = {"blocks.0.given.hop_weight", "blocks.0.learned.hop_weight",
                                        "blocks.0.given.back_weight", "blocks.0.learned.back_weight"};
    OK(run(m, D, y));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        static float zeros[3 * D * D];
        fgt_view     v = {0};
        OK(parameter_shape(m, parts[i], &v));
        assert_int_equal(fgt_view_count(&v), 3 * D * D);
        v = *FGT_VIEW(zeros, 3, D, D);
        OK(fgt_model_set_parameter(m, parts[i], &v));
        OK(run(m, D, z));
        assert_memory_not_equal(z, y, sizeof y);
        memcpy(y, z, sizeof y);
    }
    fgt_graph_destroy(&graph);
    fgt_model_destroy(&m);
}

/* A token's result depends on that token alone, and ff is the width of "up". */
static void mlp_reads_each_token_alone(void **state)
{
    (void)state;
    float      x[B * T * D], y[B * T * D], z[B * T * D];
    fgt_view   up = {0};
    fgt_model *m = new_model();
    draw(x);
    OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = {.kind = FGT_BLOCK_MLP, .layers = 2, .ff = 5})));
    OK(parameter_shape(m, "blocks.0.up.weight", &up));
    assert_true(up.shape[0] == 5 && up.shape[1] == D);
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    for (int i = 0; i < D; i++) x[D + i] = (float)(i % 3);
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(z, B, T, D)));
    assert_memory_equal(z, y, D * sizeof *y);
    assert_memory_not_equal(z + D, y + D, D * sizeof *y);
    assert_memory_equal(z + 2 * D, y + 2 * D, (B * T - 2) * D * sizeof *y);
    fgt_model_destroy(&m);
}

/* The parts that the decompositions take off are the parts that the norm's output lacks of y. */
static void autoformer_adds_trends(void **state)
{
    (void)state;
    float      x[B * T * D], y[B * T * D];
    fgt_view   whole, rest, norm;
    fgt_model *m = new_model();
    draw(x);
    OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = {.kind = FGT_BLOCK_AUTOFORMER, .layers = 2})));
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "blocks.norm", &norm));
    for (int k = 0; k < B * T * D; k++) {
        float sum = ((float *)norm.data)[k];
        for (int i = 0; i < 4; i++) {
            char name[] = "blocks.0.seasonal1";
            name[7]     = (char)('0' + i / 2);
            name[17]    = (char)('1' + i % 2);
            OK(fgt_workspace_get_value(fgt_model_get_workspace(m), name, &rest));
            memcpy(name + 9, "sum1", 5);
            name[12] = (char)('1' + i % 2);
            OK(fgt_workspace_get_value(fgt_model_get_workspace(m), name, &whole));
            sum += ((float *)whole.data)[k] - ((float *)rest.data)[k];
        }
        assert_true(fabsf(sum - y[k]) < 1e-5f);
    }
    fgt_model_destroy(&m);
}

/* Distilling halves the tokens between layers; only the informer does it. */
static void informer_distils(void **state)
{
    (void)state;
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int32_t distil = 0; distil < 2; distil++) {
            fgt_model *m = new_model();
            fgt_view   out;
            OK(fgt_block_add(
                m, &FGT_OPTS(fgt_block_opts, .block = {.kind = block, .layers = 3}, .distil = distil)));
            out = model_info(m).output;
            assert_int_equal(out.shape[1], distil && block == FGT_BLOCK_INFORMER ? 2 : T); /* 5, 3, 2 */
            fgt_model_destroy(&m);
        }
}

/* Output of a block of two layers with these options; in training with its dropout. */
static void result_of(fgt_block_opts o, int training, float y[B * T * D])
{
    fgt_model *m = new_model();
    float      x[B * T * D];
    o.size   = sizeof o;
    o.block.layers = 2;
    draw(x);
    OK(fgt_model_add(m, fgt_named("in", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)))));
    OK(fgt_block_add(m, &o));
    OK(training ? fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D))
                : fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    fgt_model_destroy(&m);
}

/* Passes may take other ways in training (s4 does), and differ by rounding. */
static float farthest(const float *a, const float *b)
{
    float most = 0;
    for (int i = 0; i < B * T * D; i++) most = fmaxf(most, fabsf(a[i] - b[i]));
    return most;
}

/* An option acts where the traits name it, and nowhere else; dropout in every block with layers. Without it
 * training gives what a prediction gives, but for the autoformer, whose delays are those of the batch, and
 * the reformer, whose rotations are drawn anew. */
static void options_act_where_the_traits_say(void **state)
{
    (void)state;
    static const int64_t one[] = {1};
    float                ring[T][T] = {0};
    fgt_graph           *graph;
    for (int i = 0; i < T; i++) ring[i][(i + 1) % T] = 1;
    OK(fgt_graph_create_dense(ctx, FGT_VIEW(ring, T, T), &graph));
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        const struct {
            uint32_t       trait;
            fgt_block_opts opts;
        } cases[] = {
            {FGT_BLOCK_TRAIT_HEADS, {.block = {.kind = block, .heads = 2}}},
            {FGT_BLOCK_TRAIT_FF, {.block = {.kind = block, .ff = 5}}},
            {FGT_BLOCK_TRAIT_HOPS, {.block = {.kind = block, .layer_hops = one, .layer_hops_count = 1}}},
            {FGT_BLOCK_TRAIT_HOPS, {.block = {.kind = block, .hops = 1}}},
            {FGT_BLOCK_TRAIT_GRAPH, {.block.kind = block, .graph = graph}},
            {FGT_BLOCK_TRAIT_LEARNED, {.block.kind = block, .learned = 2}},
            {FGT_BLOCK_TRAIT_DIAG, {.block = {.kind = block, .diag_mask = 1}}},
            {FGT_BLOCK_TRAIT_DIAG, {.block = {.kind = block, .diag_penalty = -1}}},
            {FGT_BLOCK_TRAIT_ACT, {.block = {.kind = block, .act = FGT_ACT_RELU}}},
            {FGT_BLOCK_TRAIT_ACT, {.block = {.kind = block, .act = FGT_ACT_NONE}}},
        };
        const uint32_t traits = fgt_block_get_traits(block);
        float          plain[B * T * D], trained[B * T * D], y[B * T * D];
        result_of((fgt_block_opts){.block.kind = block}, 0, plain);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            result_of(cases[i].opts, 0, y);
            if ((memcmp(y, plain, sizeof y) != 0) != ((traits & cases[i].trait) != 0))
                fail_msg("%s: trait %u", fgt_block_get_name(block), cases[i].trait);
        }
        result_of((fgt_block_opts){.block.kind = block}, 1, trained);
        const bool differs = block == FGT_BLOCK_AUTOFORMER || block == FGT_BLOCK_REFORMER;
        if (!differs && farthest(trained, plain) > 1e-5f)
            fail_msg("%s: no dropout", fgt_block_get_name(block));
        result_of((fgt_block_opts){.block = {.kind = block, .diag_dropout = 0.9f}}, 1, y);
        if (!differs && (farthest(y, trained) > 1e-5f) != ((traits & FGT_BLOCK_TRAIT_DIAG) != 0))
            fail_msg("%s: dropout of the diagonal", fgt_block_get_name(block));
        result_of((fgt_block_opts){.block = {.kind = block, .dropout = 0.5f}}, 0, plain);
        result_of((fgt_block_opts){.block = {.kind = block, .dropout = 0.5f}}, 1, trained);
        if ((farthest(trained, plain) > 1e-2f) != (traits != 0))
            fail_msg("%s: dropout", fgt_block_get_name(block));
    }
    fgt_graph_destroy(&graph);
}

/* What the only layer of a block adds to x: anything without `act`, nothing below 0 with relu. */
static void act_is_of_the_last_layer_too(void **state)
{
    (void)state;
    static const int32_t blocks[] = {FGT_BLOCK_FIGHTER, FGT_BLOCK_GCN};
    static const int32_t acts[]   = {FGT_ACT_DEFAULT, FGT_ACT_RELU};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            fgt_model *m = new_model();
            float      x[B * T * D], y[B * T * D];
            int        below = 0;
            draw(x);
            OK(fgt_block_add(
                m, &FGT_OPTS(fgt_block_opts, .block = {.kind = blocks[i], .layers = 1, .act = acts[k]})));
            OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
            for (int j = 0; j < B * T * D; j++) below += y[j] < x[j];
            assert_true((below > 0) == (acts[k] == FGT_ACT_DEFAULT));
            fgt_model_destroy(&m);
        }
}

static void parameters_have_the_names_of_the_header(void **state)
{
    (void)state;
    static const struct {
        int32_t     block;
        const char *name;
    } cases[] = {
        {FGT_BLOCK_FIGHTER, "blocks.1.hop_weight"},
        {FGT_BLOCK_GCN, "blocks.1.hop_weight"},
        {FGT_BLOCK_TRANSFORMER, "blocks.layers.1.linear1.weight"},
        {FGT_BLOCK_TRANSFORMER, "blocks.norm.weight"},
        {FGT_BLOCK_RNN, "blocks.weight_ih_l1"},
        {FGT_BLOCK_GRU, "blocks.weight_hh_l1"},
        {FGT_BLOCK_LSTM, "blocks.bias_ih_l1"},
        {FGT_BLOCK_S4, "norms.1.weight"},
        {FGT_BLOCK_S4D, "norms.0.weight"},
        {FGT_BLOCK_MLP, "blocks.1.up.weight"},
        {FGT_BLOCK_MLP, "blocks.0.down.bias"},
        {FGT_BLOCK_AUTOFORMER, "blocks.1.attention.in_proj_weight"},
        {FGT_BLOCK_AUTOFORMER, "blocks.0.down.weight"},
        {FGT_BLOCK_AUTOFORMER, "blocks.norm.weight"},
        {FGT_BLOCK_INFORMER, "blocks.1.attention.in_proj_weight"},
        {FGT_BLOCK_INFORMER, "blocks.0.norm1.weight"},
        {FGT_BLOCK_REFORMER, "blocks.1.down.weight"},
        {FGT_BLOCK_REFORMER, "blocks.norm.bias"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_model *m = new_model();
        fgt_view   v = {0};
        OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = {.kind = cases[i].block, .layers = 2})));
        OK(parameter_shape(m, cases[i].name, &v));
        fgt_model_destroy(&m);
    }
    fgt_model *m = new_model();
    OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = {.kind = FGT_BLOCK_LINEAR, .layers = 2})));
    assert_int_equal(model_info(m).layers, 0);
    assert_int_equal(model_info(m).tensors, 0);
    fgt_model_destroy(&m);
}

static void refuse(fgt_block_opts o, fgt_status status, const char *words)
{
    fgt_model *m = new_model();
    o.size       = sizeof o;
    REFUSED(fgt_block_add(m, &o), status, words);
    fgt_model_destroy(&m);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const int64_t zero[] = {0}, two[] = {3, 2};
    refuse((fgt_block_opts){.block.kind = 1000}, FGT_E_ARG, "unknown block (got 1000");
    refuse((fgt_block_opts){.block.kind = -1}, FGT_E_ARG, "unknown block (got -1");
    refuse((fgt_block_opts){.block = {.layer_hops = zero, .layer_hops_count = 1}}, FGT_E_ARG,
           "hops of layer 0");
    refuse((fgt_block_opts){.block.layer_hops = two}, FGT_E_ARG, "layer_hops_count");
    refuse((fgt_block_opts){.block = {.layer_hops = two, .layer_hops_count = 2, .hops = 2}}, FGT_E_ARG,
           "layer_hops");
    refuse((fgt_block_opts){.block.hops = -1}, FGT_E_ARG, "hops");
    refuse((fgt_block_opts){.block.reserved[2] = 1}, FGT_E_VERSION, "reserved");
    refuse((fgt_block_opts){.block.layer_hops_count = 2}, FGT_E_ARG, "layer_hops_count");
    refuse((fgt_block_opts){.block = {.layer_hops = two, .layer_hops_count = 2, .layers = 3}}, FGT_E_ARG,
           "layer_hops has the wrong count (got 2, need 1 or 3");
    fgt_model *plain = new_model(); /* a block without hops ignores them */
    OK(fgt_block_add(plain, &FGT_OPTS(fgt_block_opts, .block = {.kind             = FGT_BLOCK_TRANSFORMER,
                                                                .layer_hops       = two,
                                                                .layer_hops_count = 2,
                                                                .layers           = 3})));
    fgt_model_destroy(&plain);
    refuse((fgt_block_opts){.block.heads = 3}, FGT_E_ARG, "heads");
    refuse((fgt_block_opts){.block.layers = -1}, FGT_E_ARG, "layers");
    refuse((fgt_block_opts){.block.dropout = 1}, FGT_E_ARG, "dropout");
    refuse((fgt_block_opts){.distil = 2}, FGT_E_ARG, "distil");
    refuse((fgt_block_opts){.block.act = 10}, FGT_E_ARG, "act");
    refuse((fgt_block_opts){.block.post_norm = 2}, FGT_E_ARG, "post_norm");
    assert_int_equal(fgt_block_add(NULL, NULL), FGT_E_ARG);
    fgt_model *m = new_model();
    OK(fgt_block_add(m, NULL));
    REFUSED(fgt_block_add(m, NULL), FGT_E_NAME, "blocks.0");
    fgt_model_destroy(&m);
}

/* The layers that were added before the failure stay, and the model works with them. */
static void check_what_stayed(fgt_model *m, int64_t whole)
{
    float    x[B * T * D], y[B * T * D * 4]; /* "up" of mlp is four times as wide */
    fgt_view out;
    draw(x);
    assert_true(model_info(m).layers < whole);
    if (!model_info(m).layers) OK(fgt_model_add(m, fgt_layer_norm(NULL)));
    out = model_info(m).output;
    assert_in_range(fgt_view_count(&out), 1, B * T * D * 4);
    out.data = y;
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), &out));
    OK(fgt_backward(m, &out, NULL));
    for (int64_t i = 0; i < fgt_view_count(&out); i++) assert_true(y[i] > -1e6f && y[i] < 1e6f);
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    for (int32_t i = 0; fgt_block_get_name(i / 2); i++) {
        const fgt_block_opts o = {.size  = sizeof o,
                                  .block = {.kind = i / 2, .layers = 2, .post_norm = i % 2}};
        fgt_model           *m = new_model();
        fgt_status           s;
        OK(fgt_block_add(m, &o));
        const int64_t whole = model_info(m).layers;
        fgt_model_destroy(&m);
        m = new_model();
        SWEEP(&memory, s, whole ? 2 : 0, fgt_block_add(m, &o))
        {
            check_what_stayed(m, whole);
            fgt_model_destroy(&m);
            m = new_model();
        }
        fgt_model_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(numbers_are_pinned),
        cmocka_unit_test(traits_say_what_a_block_takes),
        cmocka_unit_test(every_block_keeps_the_shape),
        cmocka_unit_test(both_directions_are_twice_as_wide),
        cmocka_unit_test(gcn_joins_neighbours),
        cmocka_unit_test(state_space_blocks_have_a_residual_path),
        cmocka_unit_test(mlp_reads_each_token_alone),
        cmocka_unit_test(attention_may_lack_its_residual_path),
        cmocka_unit_test(norms_may_stand_behind_layers),
        cmocka_unit_test(blocks_work_along_the_nodes),
        cmocka_unit_test(prefixes_tell_blocks_apart),
        cmocka_unit_test(walks_need_weights_above_zero),
        cmocka_unit_test(gcn_takes_two_graphs),
        cmocka_unit_test(autoformer_adds_trends),
        cmocka_unit_test(informer_distils),
        cmocka_unit_test(options_act_where_the_traits_say),
        cmocka_unit_test(act_is_of_the_last_layer_too),
        cmocka_unit_test(parameters_have_the_names_of_the_header),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
