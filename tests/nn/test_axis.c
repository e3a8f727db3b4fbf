/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers along the nodes: what they compute is what the same layer computes along time from [B,T,N,D]. */
#include <math.h>
#include <string.h>

#include "../model_info.h"
#include "../one_context.h"
#include "model/model_impl.h"
#include "model/views.h"

enum { B = 2, N = 5, T = 3, D = 6, COUNT = B * N * T * D, ROOM = 2 * COUNT };

#define NODES(word, ...) fgt_along(FGT_AXIS_NODES, fgt_##word(&FGT_OPTS(fgt_##word##_opts, __VA_ARGS__)))

/* [B,rows,columns,width] -> [B,columns,rows,width] */
static void turn(int64_t rows, int64_t columns, int64_t width, const fgti_real *from, fgti_real *to)
{
    for (int64_t b = 0; b < B; b++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                memcpy(to + ((b * columns + j) * rows + i) * width,
                       from + ((b * rows + i) * columns + j) * width, (size_t)width * sizeof *to);
}

static fgti_real draw(uint64_t stream, int64_t i)
{
    return (fgti_real)fgti_rng_normal((fgti_rng){.key = 3, .stream = stream}, (uint64_t)i);
}

static fgt_model *model_of(fgt_layer layer, int64_t nodes, int64_t time)
{
    fgt_model *m = NULL;
    OK(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = nodes, .time = time, .features = D, .seed = 5),
        &m));
    OK(fgt_model_add(m, layer));
    return m;
}

/* One pass there and back. */
typedef struct results {
    fgt_model *m;
    fgti_shape out;
    fgti_real  x[COUNT], dx[COUNT], y[ROOM], dy[ROOM];
} results;

static void run(results *r, int64_t nodes, int64_t time)
{
    const fgt_view x  = *FGT_VIEW_OF(FGTI_REAL, r->x, B, nodes, time, D),
                   dx = *FGT_VIEW_OF(FGTI_REAL, r->dx, B, nodes, time, D);
    const fgt_view y = fgti_view_of(r->y, B, r->out), dy = fgti_view_of(r->dy, B, r->out);
    OK(fgt_forward(r->m, &x, &y));
    OK(fgt_backward(r->m, &dy, &dx));
}

static void near(const char *what, int64_t n, const fgti_real *a, const fgti_real *b)
{
    double top = 1, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        top   = fabs((double)b[i]) > top ? fabs((double)b[i]) : top;
        worst = fabs((double)a[i] - (double)b[i]) > worst ? fabs((double)a[i] - (double)b[i]) : worst;
    }
    if (!(worst <= 1e-5 * top)) fail_msg("%s differs by %g", what, worst);
}

static void compare(fgt_layer layer)
{
    static results   nodes, time;
    static fgti_real turned[ROOM];
    nodes.m   = model_of(layer, N, T);
    layer     = fgt_along(FGT_AXIS_TIME, layer);
    time.m    = model_of(layer, T, N);
    nodes.out = nodes.m->layer[0]->out;
    time.out  = time.m->layer[0]->out;
    assert_int_equal(nodes.out.time, time.out.nodes);
    assert_int_equal(nodes.out.nodes, time.out.time);
    for (int64_t i = 0; i < COUNT; i++) nodes.x[i] = draw(1, i);
    for (int64_t i = 0; i < ROOM; i++) nodes.dy[i] = draw(2, i);
    turn(N, T, D, nodes.x, time.x);
    turn(nodes.out.nodes, nodes.out.time, nodes.out.width, nodes.dy, time.dy);
    run(&nodes, N, T);
    run(&time, T, N);
    turn(time.out.nodes, time.out.time, time.out.width, time.y, turned);
    near("y", fgti_elements(B, nodes.out), nodes.y, turned);
    turn(T, N, D, time.dx, turned);
    near("dx", COUNT, nodes.dx, turned);
    near("the gradient of the parameters", model_info(nodes.m).parameters, nodes.m->gradients,
         time.m->gradients);
    fgt_model_destroy(&nodes.m);
    fgt_model_destroy(&time.m);
}

static void test_is_time_of_the_other_order(void **state)
{
    (void)state;
    compare(NODES(attention, .heads = 2, .attention.causal = 1));
    compare(NODES(attention, .heads = 3, .attention.mode = FGT_ATTN_MODE_STREAM,
                  .attention.diag_penalty = -0.5f));
    compare(NODES(attention, .heads = 2, .attention.attender = FGT_ATTENDER_CORRELATION));
    compare(NODES(attention, .heads = 2, .attention.attender = FGT_ATTENDER_LSH, .attention.bucket_size = 2));
    compare(NODES(fighter, .heads = 2, .hops = 3, .residual = 1));
    compare(NODES(fighter, .out = 8, .norm = 1));
    compare(NODES(transformer, .heads = 3));
    compare(NODES(rnn, .hidden = 4));
    compare(NODES(lstm, .hidden = 4, .layers = 2, .bidirectional = 1));
    compare(NODES(gru, .hidden = 5, .last = 1));
    compare(NODES(s4, .state = 4));
    compare(NODES(conv, .out = 3, .stride = 2));
    compare(NODES(pool, .kind = FGT_POOL_LAST));
    compare(NODES(token_linear, .out = 4));
    compare(NODES(linear, .out = 4));
}

/* Each time has a matrix between the nodes. */
static void test_matrices_are_between_nodes(void **state)
{
    static fgti_real x[COUNT], y[COUNT];
    (void)state;
    fgt_view   a;
    fgt_model *m = model_of(NODES(fighter, .heads = 2), N, T);
    for (int64_t i = 0; i < COUNT; i++) x[i] = draw(1, i);
    OK(fgt_predict(m, FGT_VIEW_OF(FGTI_REAL, x, B, N, T, D), FGT_VIEW_OF(FGTI_REAL, y, B, N, T, D)));
    OK(fgt_model_get_adjacency(m, "0", &a));
    const int64_t shape[] = {B * T, 2, N, N};
    assert_memory_equal(a.shape, shape, sizeof shape);
    fgt_model_destroy(&m);
}

/* The model's padding is of times: a layer along the nodes does not heed it. */
static void test_masks_of_the_model_are_along_time(void **state)
{
    static fgti_real x[COUNT], y[2][COUNT];
    static int32_t   padding[B * T], odd[B * N];
    (void)state;
    fgt_model *m = model_of(NODES(attention, .heads = 2), N, T);
    for (int64_t i = 0; i < COUNT; i++) x[i] = draw(1, i);
    for (int i = 0; i < 2; i++) {
        const fgt_view mask = *FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T);
        padding[0]          = 1;
        if (i) OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, &mask));
        OK(fgt_predict(m, FGT_VIEW_OF(FGTI_REAL, x, B, N, T, D), FGT_VIEW_OF(FGTI_REAL, y[i], B, N, T, D)));
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    fgt_model_destroy(&m);

    const fgt_view own = *FGT_VIEW_OF(FGT_DTYPE_I32, odd, B, N);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = N, .time = T, .features = D),
                        &m));
    OK(fgt_model_add(m, fgt_named("padding", fgt_value(&FGT_OPTS(fgt_value_opts, .time = N,
                                                                 .kind = FGT_VALUE_KEY_PADDING)))));
    OK(fgt_model_add_from(m, NODES(attention, .heads = 2), (const char *[]){"", "padding"}, 2));
    odd[3] = 1;
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "padding", &own, NULL));
    for (int i = 0; i < 2; i++) { /* node 3 of sample 0 is nobody's key */
        for (int64_t k = 0; i && k < T * D; k++) x[3 * T * D + k] += 1;
        OK(fgt_predict(m, FGT_VIEW_OF(FGTI_REAL, x, B, N, T, D), FGT_VIEW_OF(FGTI_REAL, y[i], B, N, T, D)));
    }
    assert_memory_equal(y[0], y[1], 3 * T * D * sizeof(fgti_real));
    assert_memory_not_equal(y[0] + 3 * T * D, y[1] + 3 * T * D, T * D * sizeof(fgti_real));
    fgt_model_destroy(&m);
}

/* Memory that has as many nodes as it likes, but as many times as x in every pass. */
static void test_memory_of_other_times(void **state)
{
    static fgti_real x[COUNT], memory_of[COUNT];
    (void)state;
    fgt_model *m = NULL;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = N, .time = T, .features = D),
                        &m));
    OK(fgt_model_add(m, fgt_named("memory", fgt_value(&FGT_OPTS(fgt_value_opts, .nodes = 2)))));
    OK(fgt_model_add_from(m, NODES(attention, .heads = 2), (const char *[]){"", "memory"}, 2));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory",
                               FGT_VIEW_OF(FGTI_REAL, memory_of, B, 2, T, D), NULL));
    OK(fgt_predict(m, FGT_VIEW_OF(FGTI_REAL, x, B, N, T, D), FGT_VIEW_OF(FGTI_REAL, x, B, N, T, D)));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory",
                               FGT_VIEW_OF(FGTI_REAL, memory_of, B, 2, T - 1, D), NULL));
    REFUSED(fgt_predict(m, FGT_VIEW_OF(FGTI_REAL, x, B, N, T, D), FGT_VIEW_OF(FGTI_REAL, x, B, N, T, D)),
            FGT_E_SHAPE, "input 1 has the wrong number of tokens (got 2, need 3 as the first one)");
    fgt_model_destroy(&m);
}

static void test_what_has_no_axis(void **state)
{
    (void)state;
    fgt_view   h = {0};
    fgt_model *m = model_of(NODES(gru, .hidden = D), N, T);
    REFUSED(fgt_model_add(m, fgt_along(FGT_AXIS_NODES, fgt_sum(NULL))), FGT_E_UNSUPPORTED,
            "fgt_along() cannot be used");
    REFUSED(fgt_model_add(m, fgt_along(FGT_AXIS_NODES, fgt_value(NULL))), FGT_E_UNSUPPORTED,
            "fgt_along() cannot be used");
    REFUSED(fgt_model_add(m, fgt_along((int32_t)7, fgt_activation(NULL))), FGT_E_ARG, "axis is wrong (got 7");
    REFUSED(fgt_workspace_set_stateful(fgt_model_get_workspace(m), 1), FGT_E_UNSUPPORTED,
            "along the nodes, so no state");
    REFUSED(fgt_workspace_get_state_shape(fgt_model_get_workspace(m), "0.h", &h), FGT_E_NAME, "no state");
    fgt_model_destroy(&m);
    for (int64_t nodes = T; nodes <= N; nodes += N - T) {
        m = model_of(NODES(revin, .no_affine = 1), nodes, T);
        REFUSED(fgt_model_add(m, fgt_revin_inverse(NULL)), FGT_E_UNSUPPORTED, "\"0\" is along the nodes");
        fgt_model_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_is_time_of_the_other_order),
        WITH_CONTEXT(test_matrices_are_between_nodes),
        WITH_CONTEXT(test_masks_of_the_model_are_along_time),
        WITH_CONTEXT(test_memory_of_other_times),
        WITH_CONTEXT(test_what_has_no_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
