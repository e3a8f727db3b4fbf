/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention_core.h"

#include <math.h>
#include <string.h>

#include "nn/masks.h"

bool fgti_attention_two(const fgti_attention_conf *conf)
{
    return conf->attn_dropout > 0 || (conf->diag_dropout > 0 && conf->diag_when != FGT_DIAG_BEFORE);
}

fgt_status fgti_attention_init(fgti_attention *at, const fgti_run *run, const fgti_layer *l,
                               const fgti_attention_conf *conf, int64_t nodes, int64_t heads, int64_t tq,
                               int64_t tk, int64_t dh)
{
    *at          = (fgti_attention){.conf   = *conf,
                                    .run    = run,
                                    .nodes  = nodes,
                                    .groups = run->batch * nodes,
                                    .heads  = heads,
                                    .tq     = tq,
                                    .tk     = tk,
                                    .dh     = dh};
    at->diag_p   = run->training ? conf->diag_dropout : 0;
    at->drop_p   = run->training ? conf->attn_dropout : 0;
    at->diag_rng = fgti_layer_rng(run, l, FGTI_DRAW_DIAGONAL);
    at->drop_rng = fgti_layer_rng(run, l, FGTI_DRAW_ATTENTION);
    FGTI_TRY(fgti_key_padding(run, tk, &at->padding));
    FGTI_TRY(fgti_attn_mask(run, tq, tk, &at->blocked, &at->additive));
    FGTI_TRY(fgti_diag_drop(run, tq, &at->drop));
    return fgti_diag_scale(run, at->groups, heads, tq, &at->diag_scale);
}

/* -inf where a query may not look; the penalty on the diagonal. */
static void mask_scores(const fgti_attention *at, int64_t g, fgti_real *s)
{
    const fgti_real inf     = (fgti_real)INFINITY;
    const int32_t  *padding = at->padding ? at->padding + g / at->nodes * at->tk : NULL;
    for (int64_t i = 0; i < at->tq; i++) {
        fgti_real *row = s + i * at->tk;
        if (at->additive)
            for (int64_t j = 0; j < at->tk; j++) row[j] += at->additive[i * at->tk + j];
        if (at->blocked)
            for (int64_t j = 0; j < at->tk; j++) row[j] = at->blocked[i * at->tk + j] ? -inf : row[j];
        if (padding)
            for (int64_t j = 0; j < at->tk; j++) row[j] = padding[j] ? -inf : row[j];
        if (at->conf.causal)
            for (int64_t j = i + 1; j < at->tk; j++) row[j] = -inf;
        if (i >= at->tk) continue;
        row[i] += at->conf.diag_penalty;
        if (at->conf.diag_mask || (at->drop && at->drop[i])) row[i] = -inf;
        if (at->conf.diag_when == FGT_DIAG_BEFORE && at->diag_p > 0 &&
            fgti_rng_uniform(at->diag_rng, (uint64_t)i) < at->diag_p)
            row[i] = -inf;
    }
}

static bool has_masks(const fgti_attention *at)
{
    return at->padding || at->blocked || at->drop || at->additive || at->conf.causal || at->conf.diag_mask ||
           at->conf.diag_penalty != 0 || (at->diag_p > 0 && at->conf.diag_when == FGT_DIAG_BEFORE);
}

/* Factor on A[i,i] after the softmax. */
static fgti_real diag_factor(const fgti_attention *at, int64_t gh, int64_t i)
{
    fgti_real f = at->diag_scale ? at->diag_scale[gh * at->tq + i] : 1;
    if (at->diag_p > 0 && at->conf.diag_when != FGT_DIAG_BEFORE) {
        const bool drop = fgti_rng_uniform(at->diag_rng, (uint64_t)(gh * at->tq + i)) < at->diag_p;
        if (drop) return 0;
        if (at->conf.diag_when == FGT_DIAG_AFTER_SCALED) f /= (fgti_real)(1 - at->diag_p);
    }
    return f;
}

/* What acts after the softmax is linear in A, so the same code maps A forward and dA backward. */
static void after_softmax(const fgti_attention *at, int64_t g, int64_t h, fgti_real *a)
{
    const int64_t gh = g * at->heads + h, n = at->tq * at->tk;
    if (at->drop_p > 0)
        at->run->vec->dropout(at->drop_rng, at->drop_p, (uint64_t)(gh * ((n + 3) / 4 * 4)), n, a, a);
    if (at->diag_scale || (at->diag_p > 0 && at->conf.diag_when != FGT_DIAG_BEFORE))
        for (int64_t i = 0; i < at->tq && i < at->tk; i++) a[i * at->tk + i] *= diag_factor(at, gh, i);
}

void fgti_attention_forward(const fgti_attention *at, void *scratch, int64_t g, int64_t h)
{
    const int64_t at_block = fgti_attention_block(at, g, h);
    fgti_real    *s        = at->soft + at_block;
    fgti_gemm_run(at->run->blas, scratch,
                  &(fgti_gemm){.m     = at->tq,
                               .n     = at->tk,
                               .k     = at->dh,
                               .alpha = (fgti_real)(1 / sqrt((double)at->dh)),
                               .a     = at->q + g * at->tq * at->ldq + h * at->dh,
                               .rsa   = at->ldq,
                               .csa   = 1,
                               .b     = at->k + g * at->tk * at->ldk + h * at->dh,
                               .rsb   = 1,
                               .csb   = at->ldk,
                               .c     = s,
                               .ldc   = at->tk});
    if (has_masks(at)) mask_scores(at, g, s);
    at->run->vec->softmax(at->tq, at->tk, at->tk, s);
    if (at->a == at->soft) return;
    memcpy(at->a + at_block, s, (size_t)(at->tq * at->tk) * sizeof *s);
    after_softmax(at, g, h, at->a + at_block);
}

void fgti_attention_backward(const fgti_attention *at, void *scratch, int64_t g, int64_t h, fgti_real *da,
                             fgti_real *dq, fgti_real *dk)
{
    const fgti_real scale = (fgti_real)(1 / sqrt((double)at->dh));
    const int64_t   q0 = g * at->tq * at->ldq + h * at->dh, k0 = g * at->tk * at->ldk + h * at->dh;
    if (at->a != at->soft) after_softmax(at, g, h, da);
    at->run->vec->softmax_grad(at->tq, at->tk, at->tk, at->soft + fgti_attention_block(at, g, h), da);
    fgti_gemm_run(at->run->blas, scratch,
                  &(fgti_gemm){.m     = at->tq,
                               .n     = at->dh,
                               .k     = at->tk,
                               .alpha = scale,
                               .a     = da,
                               .rsa   = at->tk,
                               .csa   = 1,
                               .b     = at->k + k0,
                               .rsb   = at->ldk,
                               .csb   = 1,
                               .c     = dq + q0,
                               .ldc   = at->ldq});
    fgti_gemm_run(at->run->blas, scratch,
                  &(fgti_gemm){.m     = at->tk,
                               .n     = at->dh,
                               .k     = at->tq,
                               .alpha = scale,
                               .a     = da,
                               .rsa   = 1,
                               .csa   = at->tk,
                               .b     = at->q + q0,
                               .rsb   = at->ldq,
                               .csb   = 1,
                               .c     = dk + k0,
                               .ldc   = at->ldk});
}
