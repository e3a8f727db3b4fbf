/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HOP_LAYER_H
#define FGTI_HOP_LAYER_H

/* Computes the equation of a Fighter layer (attention.h) for the last pass, group by group in double. */

#include <fighter/attention.h>

#include "core/context.h"
#include "nn/layer.h"

typedef struct fgti_hop_layer {
    fgt_context     *ctx;
    int64_t          groups, heads, t, d, h, k; /* groups = B N, heads = A, t = T, d = D, h = H; k: width of
                                                 * queries and keys */
    int64_t          hops, first;               /* hops = kappa; first = f, the lowest power in the sum */
    int32_t          attender;                  /* an fgt_attender */
    fgti_act         act;
    double           scale; /* factor of the scores */
    bool             along_nodes;
    fgt_view         x;                         /* the layer's input */
    const fgti_real *a;                         /* [groups,heads,T,T] */
    const fgti_real *wk, *bk, *hop, *bias;      /* bias, bk NULL: no bias; wk and bk NULL: the attender is
                                                 * FGT_ATTENDER_LSH */
    const fgti_real *norm_w, *norm_b, *wo, *bo; /* norm_w, norm_b NULL: no norm; wo, bo NULL: the joined heads
                                                 * are not mapped */
} fgti_hop_layer;

/* Errors: FGT_E_NAME; FGT_E_UNSUPPORTED if it is not a Fighter layer; all errors of
 * fgt_model_get_adjacency(). */
fgt_status fgti_hop_layer_open(fgt_model *model, const char *layer, fgti_hop_layer *l);

/* Row number of token t of a group in a tensor [..,width] of the model. */
int64_t fgti_hop_layer_row(const fgti_hop_layer *l, int64_t group, int64_t t);

/* Copies X' [T,D], the normalised input of a group, to x. */
void fgti_hop_layer_input(const fgti_hop_layer *l, int64_t group, double *x);
/* c [T,H] = X' W_i, where i is the power; zeros if i < f. */
void fgti_hop_layer_project(const fgti_hop_layer *l, int64_t power, const double *x, double *c);
/* c [T,H] = A_a b, for the columns of each head a. */
void fgti_hop_layer_spread(const fgti_hop_layer *l, int64_t group, const double *b, double *c);

#endif
