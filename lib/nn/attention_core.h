/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENTION_CORE_H
#define FGTI_ATTENTION_CORE_H

/* From queries and keys to attention matrices and back, one (group, head) at a time. A group is one
 * node of one sample. Shared by the layers that attend. */

#include "nn/layer.h"

/* The options that the attending layers have in common. */
typedef struct fgti_attention_conf {
    bool    causal, diag_mask;
    float   diag_penalty, diag_dropout, attn_dropout;
    int32_t diag_when;
} fgti_attention_conf;

/* One layer's attention in one pass. */
typedef struct fgti_attention {
    fgti_attention_conf conf;
    const fgti_run     *run;
    int64_t             nodes, groups, heads, tq, tk, dh; /* dh: width of one head */
    const fgti_real    *q, *k; /* [groups,tq,ldq], [groups,tk,ldk], a head's columns together */
    int64_t             ldq, ldk;
    const int32_t      *padding, *blocked, *drop; /* masks, NULL where not set */
    const fgti_real    *additive, *diag_scale;
    double              diag_p, drop_p; /* dropout in this pass: 0 outside training */
    fgti_rng            diag_rng, drop_rng;
    fgti_real          *soft; /* [groups,heads,tq,tk]: after the softmax */
    fgti_real          *a;    /* after dropout on A; the same array when there is none */
} fgti_attention;

/* Whether a second copy of A is kept: something acts after the softmax. */
bool fgti_attention_two(const fgti_attention_conf *conf);

/* Checks masks and fills everything but q, k, soft, a. */
fgt_status fgti_attention_init(fgti_attention *at, const fgti_run *run, const fgti_layer *l,
                               const fgti_attention_conf *conf, int64_t nodes, int64_t heads, int64_t tq,
                               int64_t tk, int64_t dh);

static inline int64_t fgti_attention_block(const fgti_attention *at, int64_t g, int64_t h)
{
    return (g * at->heads + h) * at->tq * at->tk;
}

/* A = dropout(softmax(Q K' / sqrt(dh) + masks)) of one group and head */
void fgti_attention_forward(const fgti_attention *at, void *scratch, int64_t g, int64_t h);
/* dQ = dS K / sqrt(dh), dK = dS'Q / sqrt(dh); da [tq,tk] is dL/dA and is overwritten.
 * dq, dk are laid out as q, k. */
void fgti_attention_backward(const fgti_attention *at, void *scratch, int64_t g, int64_t h, fgti_real *da,
                             fgti_real *dq, fgti_real *dk);

#endif
