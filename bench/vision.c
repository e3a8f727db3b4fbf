/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of images. */
#include <fighter/experimental/vit.h>

#include "cases.h"
#include "common.h"

/* A Vision Transformer with a class token, followed by a linear layer. */
fgt_model *bench_vit(const bench_case *c, fgt_context *ctx)
{
    const fgt_vit_opts    vit  = {.size = sizeof vit, .patch_height = c->patch, .dim = c->dim,
                                  .layers = c->layers, .heads = c->heads, .ff = c->ff};
    const fgt_linear_opts head = {.size = sizeof head, .out = c->out};
    fgt_model            *m    = bench_new_model(c, ctx);
    bench_check("encoder", fgt_vit_add(m, &vit), ctx);
    bench_check("head", fgt_model_add(m, fgt_linear(&head)), ctx);
    return m;
}

static double patches_of(const bench_case *c)
{
    return (double)(c->nodes / c->patch * (c->time / c->patch));
}

/* Patches to dim. The gradient of the pixels is not computed. */
double bench_vit_flops_entry(const bench_case *c)
{
    return 2 * (double)c->batch * patches_of(c) * (double)(c->patch * c->patch * c->features * c->dim);
}

double bench_vit_flops(const bench_case *c)
{
    const double t = 1 + patches_of(c), d = (double)c->dim, f = (double)c->ff, b = (double)c->batch;
    return bench_vit_flops_entry(c) + (double)c->layers * b * t * (8 * d * d + 4 * t * d + 4 * d * f) +
           2 * b * d * (double)c->out;
}
