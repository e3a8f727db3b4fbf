/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NN_ATTENDER_H
#define TESTS_NN_ATTENDER_H

/* Parts that the tests of attenders share: samples of D features in HEADS heads, and properties of all
 * attenders. */

#include <math.h>

#include <fighter/model.h>

#include "../one_context.h"

enum { B = 3, D = 6, HEADS = 2, WIDTH = D / HEADS };

static int start(void **state)
{
    (void)state;
    return test_open_threads(2);
}

static double draw(void)
{
    static uint32_t seed = 1;
    seed                 = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 24) * 2 - 1;
}

static void draw_all(int64_t n, float *x)
{
    for (int64_t i = 0; i < n; i++) x[i] = (float)draw();
}

/* The columns of one head of c [T,D] = A V, A [T,T], V [T,WIDTH] */
static inline void weigh_values(int64_t time, const double *a, const double *v, int head, double *c)
{
    for (int64_t i = 0; i < time; i++)
        for (int64_t n = 0; n < WIDTH; n++) {
            c[i * D + head * WIDTH + n] = 0;
            for (int64_t j = 0; j < time; j++)
                c[i * D + head * WIDTH + n] += a[i * time + j] * v[j * WIDTH + n];
        }
}

/* y [T,D] = c Wout' + bout; out: the D D weights, and the biases behind them */
static void check_output(int64_t time, const double *c, const float *out, const float *y)
{
    for (int64_t i = 0; i < time * D; i++) {
        double sum = (double)out[D * D + i % D], size = 1;
        for (int64_t n = 0; n < D; n++) {
            sum += c[i / D * D + n] * (double)out[i % D * D + n];
            size += fabs(c[i / D * D + n]);
        }
        if (!(fabs(sum - (double)y[i]) < 1e-5 * size)) fail_msg("y is not A V");
    }
}

/* Predictions always have the same random draw, each pass of training another; `again` is a second model. */
static inline void check_draw(fgt_model *m, fgt_model *again, int64_t time, const float *samples)
{
    enum { MOST_TIME = 100 };
    static float    y[5][B * MOST_TIME * D];
    const fgt_view *x = FGT_VIEW(samples, B, time, D);
    const size_t    n = (size_t)(B * time * D) * sizeof(float);
    assert_true(time <= MOST_TIME);
    OK(fgt_predict(m, x, FGT_VIEW(y[0], B, time, D)));
    OK(fgt_forward(m, x, FGT_VIEW(y[1], B, time, D)));
    OK(fgt_forward(m, x, FGT_VIEW(y[2], B, time, D)));
    OK(fgt_predict(m, x, FGT_VIEW(y[3], B, time, D)));
    assert_memory_equal(y[0], y[3], n);
    assert_memory_not_equal(y[0], y[1], n);
    assert_memory_not_equal(y[1], y[2], n);
    OK(fgt_forward(again, x, FGT_VIEW(y[4], B, time, D)));
    assert_memory_equal(y[4], y[1], n);
}

#endif
