/* SPDX-License-Identifier: BSD-3-Clause */
/* The backward pass of layers of attention along time and graph convolutions between the nodes, with norms
 * before or behind them, against central differences in double. The layers have such a test each
 * (nn/test_gradient.c); this one is of the sums and norms between them. */
#include <math.h>

#include <fighter/blocks.h>

#include "../one_context.h"
#include "core/rng.h"
#include "model/access.h"
#include "model/guard.h"

enum { B = 2, N = 3, T = 4, D = 4, COUNT = B * N * T * D };

/* As in nn/test_gradient.c. */
#define H     1e-5
#define BOUND 1e-7

static fgti_real draw(uint64_t stream, int64_t i)
{
    return (fgti_real)fgti_rng_normal((fgti_rng){.key = 7, .stream = stream}, (uint64_t)i);
}

typedef struct world {
    fgt_model *m;
    fgti_real  x[COUNT], dx[COUNT], y[COUNT], dy[COUNT];
} world;

static fgt_view view_of(fgti_real *v)
{
    return *FGT_VIEW_OF(FGTI_REAL, v, B, N, T, D);
}

static double loss_of(world *w)
{
    const fgt_view x = view_of(w->x), y = view_of(w->y);
    double         sum = 0;
    OK(fgt_forward(w->m, &x, &y));
    for (int i = 0; i < COUNT; i++) sum += (double)w->y[i] * (double)w->dy[i];
    return sum;
}

static double difference(world *w, fgti_real *entry)
{
    const fgti_real keep = *entry;
    double          loss[2];
    for (int up = 0; up < 2; up++) {
        *entry = (fgti_real)((double)keep + (up ? H : -H));
        fgti_model_changed(w->m);
        loss[up] = loss_of(w);
    }
    *entry = keep;
    fgti_model_changed(w->m);
    return (loss[1] - loss[0]) / (2 * H);
}

static void check(world *w, const char *what, int64_t n, fgti_real *values, const fgti_real *gradient)
{
    double error = 0, norm = 0;
    for (int64_t i = 0; i < n; i++) {
        const double d = difference(w, &values[i]), g = (double)gradient[i];
        error += (d - g) * (d - g);
        norm += g * g;
    }
    if (!(norm > 0 && sqrt(error) < BOUND * sqrt(norm)))
        fail_msg("%s: error %.2g of %.2g", what, sqrt(error), sqrt(norm));
}

static void open_world(world *w, fgt_block_opts time)
{
    const fgt_block_opts space = {.size            = sizeof space,
                                  .block.kind      = FGT_BLOCK_GCN,
                                  .axis            = FGT_AXIS_NODES,
                                  .prefix          = "space.",
                                  .diffusion       = 1,
                                  .learned         = 2,
                                  .block.post_norm = time.block.post_norm};
    time.size                  = sizeof time;
    time.block.kind            = FGT_BLOCK_ATTENTION;
    time.block.layers          = 2;
    OK(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = N, .time = T, .features = D, .seed = 5), &w->m));
    OK(fgt_block_add(w->m, &time));
    OK(fgt_block_add(w->m, &space));
    for (int i = 0; i < COUNT; i++) {
        w->x[i]  = draw(1, i);
        w->dy[i] = draw(2, i);
    }
}

static void gradients_are_those_of_differences(void **state)
{
    (void)state;
    static const fgt_block_opts cases[] = {
        {0},
        {.block.post_norm = 1},
        {.block.post_norm = 1, .block.no_residual = 1},
        {.block.post_norm = 1, .block.diag_mask = 1},
        {.block.post_norm = 1, .block.diag_penalty = -0.5f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static world w;
        open_world(&w, cases[i]);
        (void)loss_of(&w);
        const fgt_view dy = view_of(w.dy), dx = view_of(w.dx);
        OK(fgt_backward(w.m, &dy, &dx));
        const fgti_slabs slabs = fgti_model_slabs(w.m);
        check(&w, "x", COUNT, w.x, w.dx);
        check(&w, "weights", slabs.size, slabs.weights, slabs.gradients);
        fgt_model_destroy(&w.m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_are_those_of_differences)};
    return cmocka_run_group_tests(tests, test_open, test_close);
}
