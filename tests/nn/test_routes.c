/* SPDX-License-Identifier: BSD-3-Clause */
/* Which route a layer takes: a table of options and sizes for every route that there is. A changed condition
 * or constant shows here, and cannot leave a route without tests. */
#include "core/sparse.h"
#include "driver.h"
#include "model/params.h"

enum { T = FGT_ACT_TANH, KEEP = FGT_ATTN_MODE_KEEP, STREAM = FGT_ATTN_MODE_STREAM, BLIS = FGT_PRODUCTS_BLIS };

static const struct {
    fgti_route route;
    nn_case    c; /* the first layer counts */
} routes[] = {
    /* kappa = 1 never needs A, whatever else is asked for */
    {FGTI_ROUTE_FIGHTER_AFFINE, {"one power", 1, 0, 8, 4, .layer = {NN(fighter, .hops = 1)}}},
    {FGTI_ROUTE_FIGHTER_AFFINE,
     {"kept", 1, 0, 8, 4, .layer = {NN(fighter, .hops = 1, .attention.mode = KEEP)}}},
    {FGTI_ROUTE_FIGHTER_AFFINE, {"wide", 1, 0, 8, 4, .layer = {NN(fighter, .hops = 1, .out = 9)}}},

    {FGTI_ROUTE_FIGHTER_SHORT, {"default", 1, 0, 96, 64, .layer = {NN(fighter, .heads = 4)}}},
    {FGTI_ROUTE_FIGHTER_SHORT, {"long", 1, 0, 1024, 4, .layer = {NN(fighter, .hops = 2)}}},
    {FGTI_ROUTE_FIGHTER_SHORT, {"widest", 1, 0, 8, 323, .layer = {NN(fighter, .heads = 19)}}},

    {FGTI_ROUTE_FIGHTER_SHORT,
     {"X' as residual, without A^0", 1, 0, 96, 64,
      .layer = {NN(fighter, .heads = 4, .norm = 1, .residual = 1, .norm_residual = 1, .first_hop = 1)}}},

    /* what is not short: too long, too many weights, not streamed, not allowed, or a map of joined heads */
    {FGTI_ROUTE_FIGHTER_OUTPUTS_STREAMED, {"too long", 1, 0, 2049, 4, .layer = {NN(fighter, .hops = 2)}}},
    {FGTI_ROUTE_FIGHTER_OUTPUTS_HELD,
     {"joined", 1, 0, 96, 64, .layer = {NN(fighter, .heads = 4, .project = 1)}}},
    {FGTI_ROUTE_FIGHTER_OUTPUTS_HELD, {"wide", 1, 0, 8, 384, .layer = {NN(fighter, .heads = 8)}}},
    {FGTI_ROUTE_FIGHTER_OUTPUTS_KEPT, {"kept", 1, 0, 96, 64, .layer = {NN(fighter, .attention.mode = KEEP)}}},
    {FGTI_ROUTE_FIGHTER_OUTPUTS_KEPT, {"wide heads", 1, 0, 96, 65, .layer = {NN(fighter, .out = 8)}}},
    {FGTI_ROUTE_FIGHTER_SHORT,
     {"wide heads, streamed", 1, 0, 96, 65, .layer = {NN(fighter, .out = 65, .attention.mode = STREAM)}}},
    {FGTI_ROUTE_FIGHTER_OUTPUTS_HELD,
     {"blis", 1, 0, 96, 64, .products = BLIS, .layer = {NN(fighter, .heads = 4)}}},
    {FGTI_ROUTE_FIGHTER_OUTPUTS_STREAMED,
     {"blis, long", 1, 0, 512, 64, .products = BLIS, .layer = {NN(fighter, .heads = 4)}}},
    {FGTI_ROUTE_FIGHTER_OUTPUTS_KEPT,
     {"blis, kept", 1, 0, 96, 64, .products = BLIS,
      .layer = {NN(fighter, .heads = 4, .attention.mode = KEEP)}}},

    /* heads times inputs are less than the outputs */
    {FGTI_ROUTE_FIGHTER_INPUTS_HELD, {"inputs", 1, 0, 96, 4, .layer = {NN(fighter, .out = 5)}}},
    {FGTI_ROUTE_FIGHTER_SHORT, {"as many", 1, 0, 96, 4, .layer = {NN(fighter, .heads = 2, .out = 8)}}},
    {FGTI_ROUTE_FIGHTER_INPUTS_STREAMED, {"inputs", 1, 0, 512, 4, .layer = {NN(fighter, .out = 5)}}},
    {FGTI_ROUTE_FIGHTER_INPUTS_KEPT,
     {"inputs", 1, 0, 96, 4, .layer = {NN(fighter, .out = 5, .attention.mode = KEEP)}}},

    {FGTI_ROUTE_FIGHTER_ATTENDER,
     {"prob", 1, 0, 96, 64, .layer = {NN(fighter, .attention.attender = FGT_ATTENDER_PROB)}}},
    {FGTI_ROUTE_FIGHTER_ATTENDER,
     {"lsh, wide", 1, 0, 96, 4, .layer = {NN(fighter, .out = 5, .attention.attender = FGT_ATTENDER_LSH)}}},

    /* a graph */
    {FGTI_ROUTE_FIGHTER_EDGES,
     {"edges", 1, 0, 96, 64, .graph = NN_GRAPH_CSR,
      .layer = {NN(fighter, .heads = 4, .attention.mode = KEEP)}}},
    {FGTI_ROUTE_FIGHTER_EDGES,
     {"edges, wide", 1, 0, 6, 4, .graph = NN_GRAPH_DENSE, .layer = {NN(fighter, .out = 5)}}},
    {FGTI_ROUTE_FIGHTER_AFFINE,
     {"edges, one power", 1, 0, 6, 4, .graph = NN_GRAPH_CSR, .layer = {NN(fighter, .hops = 1)}}},
    {FGTI_ROUTE_ATTENTION_EDGES,
     {"edges", 1, 0, 96, 64, .graph = NN_GRAPH_CSR, .layer = {NN(attention, .attention.mode = KEEP)}}},
    {FGTI_ROUTE_ATTENTION_EDGES,
     {"edges, wide", 1, 0, 6, 65, .graph = NN_GRAPH_DENSE,
      .layer = {NN(attention, .attention.mode = STREAM)}}},

    {FGTI_ROUTE_ATTENTION_PROB,
     {"prob", 1, 0, 96, 64, .layer = {NN(attention, .attention.attender = FGT_ATTENDER_PROB)}}},
    {FGTI_ROUTE_ATTENTION_PROB,
     {"prob, wide", 1, 0, 96, 65,
      .layer = {NN(attention, .attention.attender = FGT_ATTENDER_PROB, .attention.mode = KEEP)}}},
    {FGTI_ROUTE_ATTENTION_CORRELATION,
     {"correlation", 1, 0, 96, 64, .layer = {NN(attention, .attention.attender = FGT_ATTENDER_CORRELATION)}}},
    {FGTI_ROUTE_ATTENTION_LSH,
     {"lsh", 1, 0, 96, 64, .layer = {NN(attention, .attention.attender = FGT_ATTENDER_LSH)}}},
    {FGTI_ROUTE_ATTENTION_STREAMED, {"default", 1, 0, 96, 64, .layer = {NN(attention, .heads = 1)}}},
    {FGTI_ROUTE_ATTENTION_KEPT, {"wide heads", 1, 0, 96, 65, .layer = {NN(attention, .heads = 1)}}},
    {FGTI_ROUTE_ATTENTION_STREAMED, {"wide, long", 1, 0, 2049, 65, .layer = {NN(attention, .heads = 1)}}},
    {FGTI_ROUTE_ATTENTION_KEPT,
     {"asked for", 1, 0, 96, 64, .layer = {NN(attention, .attention.mode = KEEP)}}},
    {FGTI_ROUTE_ATTENTION_STREAMED,
     {"asked for", 1, 0, 8, 65, .layer = {NN(attention, .attention.mode = STREAM)}}},

    {FGTI_ROUTE_TRANSFORMER_BLOCKS_STREAMED,
     {"default", 1, 0, 50, 64, .layer = {NN(transformer, .heads = 8)}}},
    {FGTI_ROUTE_TRANSFORMER_BLOCKS_STREAMED,
     {"blis", 1, 0, 50, 64, .products = BLIS, .layer = {NN(transformer, .heads = 8)}}},
    {FGTI_ROUTE_TRANSFORMER_BLOCKS_KEPT,
     {"wide heads", 1, 0, 50, 128, .layer = {NN(transformer, .heads = 1)}}},
    {FGTI_ROUTE_TRANSFORMER_STEPS_STREAMED, {"wide", 1, 0, 8, 296, .layer = {NN(transformer, .heads = 8)}}},
    {FGTI_ROUTE_TRANSFORMER_STEPS_STREAMED, {"ff", 1, 0, 8, 8, .layer = {NN(transformer, .ff = 32769)}}},
    {FGTI_ROUTE_TRANSFORMER_STEPS_KEPT, {"wide heads", 1, 0, 8, 296, .layer = {NN(transformer, .heads = 2)}}},

    {FGTI_ROUTE_GCN_OUTPUTS_DENSE,
     {"dense", 1, 0, 6, 4, .graph = NN_GRAPH_DENSE, .layer = {NN(gcn, .out = 4)}}},
    {FGTI_ROUTE_GCN_INPUTS_DENSE,
     {"dense", 1, 0, 6, 4, .graph = NN_GRAPH_DENSE, .layer = {NN(gcn, .out = 5)}}},
    {FGTI_ROUTE_GCN_OUTPUTS_EDGES,
     {"edges", 1, 0, 6, 4, .graph = NN_GRAPH_CSR, .layer = {NN(gcn, .out = 4)}}},
    {FGTI_ROUTE_GCN_INPUTS_EDGES, {"edges", 1, 0, 6, 4, .graph = NN_GRAPH_CSR, .layer = {NN(gcn, .out = 5)}}},
    {FGTI_ROUTE_GCN_INPUTS_DENSE,
     {"plain", 1, 0, 6, 4, .graph = NN_GRAPH_DENSE, .layer = {NN(gcn, .out = 4, .plain = 1)}}},
    {FGTI_ROUTE_GCN_OUTPUTS_EDGES,
     {"plain", 1, 0, 6, 4, .graph = NN_GRAPH_CSR, .layer = {NN(gcn, .out = 3, .plain = 1)}}},

    {FGTI_ROUTE_ONLY, {"no choice", 1, 0, 6, 4, .layer = {NN(linear, .out = 4)}}},
};

/* Each case leads to its route, and each route has a case. */
static void test_choice(void **state)
{
    bool seen[FGTI_ROUTES] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        nn_world w = {0};
        nn_open(&w, routes[i].c.layer[0].type, &routes[i].c);
        const fgti_route got = w.model->layer[0]->route, want = routes[i].route;
        if (got != want)
            fail_msg("%s: the route is \"%s\", expected \"%s\"", w.what, fgti_routes[got].name,
                     fgti_routes[want].name);
        seen[got] = true;
        nn_close(&w);
    }
    for (int i = 0; i < FGTI_ROUTES; i++)
        if (!seen[i]) fail_msg("no case for route %d, \"%s\"", i, fgti_routes[i].name);
}

/* With fgt_context_opts.products only sparse graphs are multiplied by other loops than BLIS's. */
static void one_by_blis(const char *cls, const nn_case *c)
{
    nn_world w     = {0};
    nn_case  other = *c;
    other.products = BLIS;
    nn_open(&w, cls, &other);
    for (int64_t i = 0; i < w.model->layers; i++) {
        const fgti_layer *l = w.model->layer[i];
        if (!fgti_routes[l->route].blis && !(l->graph && !l->graph->dense))
            fail_msg("%s: route \"%s\" with products by BLIS", w.what, fgti_routes[l->route].name);
    }
    nn_close(&w);
}

static void test_blis(void **state)
{
    (void)state;
    nn_each(one_by_blis);
}

/* All cases hold by both kinds of products, which differ by rounding only. */
static void compare_products(const char *cls, const nn_case *c)
{
    nn_world a = {.threads = 1}, b = {.threads = 2};
    nn_case  other = *c;
    if (c->products) return;
    other.products = BLIS;
    nn_open(&a, cls, c);
    nn_borrow(&b, &a, &other, &a.d);
    nn_build(&b);
    nn_ok(&a, nn_forward(&a));
    nn_ok(&b, nn_forward(&b));
    nn_close_to(&b, "y", a.y_count, b.y, a.y, 1e-5);
    nn_ok(&a, nn_backward(&a));
    nn_ok(&b, nn_backward(&b));
    if (c->features) nn_close_to(&b, "dx", a.x_count, b.dx, a.dx, 1e-4);
    nn_close_to(&b, "dmemory", a.memory_count, b.dmemory, a.dmemory, 1e-4);
    nn_close_to(&b, "gradients", a.model->size, b.model->gradients, a.model->gradients, 1e-4);
    nn_close(&b);
    nn_close(&a);
}

/* Series so long that A is taken in blocks, of whole and of half height, with and without dropout on A. */
static void test_products(void **state)
{
    const nn_case longs[] = {
        {"blocks", 2, 0, 301, 8, .layer = {NN(fighter, .heads = 2, .hops = 4, .act = T)}},
        {"half blocks", 1, 0, 1101, 8, .layer = {NN(fighter, .heads = 2, .act = T, .attention.causal = 1)}},
        {"dropped", 1, 0, 1030, 4, .layer = {NN(fighter, .act = T, .attention.attn_dropout = 0.2F)}},
    };
    (void)state;
    nn_each(compare_products);
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++) compare_products("fighter", &longs[i]);
}

static fgti_real *parameter(const nn_world *w, const char *name)
{
    const fgti_layer *l;
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_param_at(w->model, i, &l)); i++)
        if (!strcmp(p->full_name, name)) return w->model->weights + p->offset;
    fail_msg("no parameter %s", name);
    return NULL;
}

/* Row i of x W' + b, one number of it. */
static double affine(const nn_world *w, const char *weight, const char *bias, int64_t row, int64_t column)
{
    const int64_t    d   = w->in.width;
    const fgti_real *x   = w->d.x + row * d, *v = parameter(w, weight) + column * d;
    double           sum = (double)parameter(w, bias)[column];
    for (int64_t k = 0; k < d; k++) sum += (double)x[k] * (double)v[k];
    return sum;
}

/* kappa = 1: A is computed only when it is asked for, and is softmax(Q K'/sqrt(dh)) all the same. */
static void test_matrix_of_affine(void **state)
{
    const nn_case c = {"one power", 1, 0,
                       7,           5, .layer = {NN(fighter, .hops = 1, .act = T, .attention.diag_mask = 1)}};
    nn_world      w = {0};
    fgt_view      a;
    (void)state;
    nn_open(&w, "fighter", &c);
    nn_ok(&w, nn_predict(&w));
    nn_ok(&w, fgt_model_get_adjacency(w.model, "0", &a));
    for (int64_t i = 0; i < c.time; i++) {
        double p[7], sum = 0;
        for (int64_t j = 0; j < c.time; j++) {
            double s = 0;
            for (int64_t k = 0; k < c.features; k++)
                s += affine(&w, "0.q_proj.weight", "0.q_proj.bias", i, k) *
                     affine(&w, "0.k_proj.weight", "0.k_proj.bias", j, k);
            p[j] = i == j ? 0 : exp(s / sqrt((double)c.features));
            sum += p[j];
        }
        for (int64_t j = 0; j < c.time; j++) {
            const fgti_real want = (fgti_real)(p[j] / sum), *got = (fgti_real *)a.data + i * c.time + j;
            nn_close_to(&w, "A", 1, got, &want, 1e-5);
        }
    }
    nn_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_blis),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_matrix_of_affine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
