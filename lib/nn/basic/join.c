/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/basic/join.h"

#include <string.h>

/* Visits all rows of input k in one sample, in the order of the rows of y. */
static void join_each_row(const fgti_join *j, int32_t k, int64_t sample, fgti_real *x, fgti_real *y)
{
    const fgti_shape in = j->io->input[k].shape, out = j->io->out;
    x += sample * fgti_elements(1, in);
    y += sample * fgti_elements(1, out);
    for (int64_t n = 0; n < out.nodes; n++)
        for (int64_t t = 0; t < out.time; t++, y += out.width) {
            const int64_t row = n % in.nodes * in.time + t % in.time;
            j->row(j, k, x + row * in.width, y);
        }
}

static void join_forward_task(void *arg, int64_t sample, int32_t worker)
{
    const fgti_join *j = arg;
    (void)worker;
    for (int32_t k = 0; k < j->l->inputs; k++)
        join_each_row(j, k, sample, (fgti_real *)j->io->input[k].x, j->io->y);
}

void fgti_join_forward(const fgti_join *j)
{
    fgti_parallel(j->run->exec, j->run->batch, join_forward_task, (void *)j);
}

static void join_backward_task(void *arg, int64_t sample, int32_t worker)
{
    const fgti_join *j = arg;
    (void)worker;
    for (int32_t k = 0; k < j->l->inputs; k++) {
        const int64_t n  = fgti_elements(1, j->io->input[k].shape);
        fgti_real    *dx = j->io->input[k].dx;
        if (!dx) continue;
        memset(dx + sample * n, 0, (size_t)n * sizeof *dx);
        join_each_row(j, k, sample, dx, j->io->dy);
    }
}

void fgti_join_backward(const fgti_join *j)
{
    fgti_parallel(j->run->exec, j->run->batch, join_backward_task, (void *)j);
}
