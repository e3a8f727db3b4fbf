/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRANSFORMER_PASS_H
#define FGTI_TRANSFORMER_PASS_H

/* One pass of a transformer layer:
 *     norm first:  a = norm1(x),  h = x + drop(attn(a)),  b = norm2(h),  y = h + drop(feed(b))
 *     otherwise:   a = x + drop(attn(x)),  h = norm1(a),  b = h + drop(feed(h)),  y = norm2(b)
 * where feed(x) = v W2' + b2,  v = dropout(act(u)),  u = x W1' + b1. drop is dropout of single elements,
 * followed by dropout of whole samples (drop_path). */

#include "nn/affine_pack.h"
#include "nn/attention/mha.h"
#include "nn/fold.h"
#include "nn/rows.h"

/* The parameters in PyTorch's order. Without biases every second parameter is missing. */
enum {
    FGTI_TRANSFORMER_ATTENTION = 0,
    FGTI_TRANSFORMER_LINEAR1   = 4,
    FGTI_TRANSFORMER_LINEAR2   = 6,
    FGTI_TRANSFORMER_NORM1     = 8,
    FGTI_TRANSFORMER_NORM2     = 10
};

/* The products with weights, in their order: Q, K and V; the map after the context; the feed-forward
 * block. */
enum { FGTI_MAP_IN, FGTI_MAP_OUT, FGTI_MAP_UP, FGTI_MAP_DOWN, FGTI_MAPS };

/* A product with a weight: y = x W' + b        x [R,D], W [H,D], y [R,ld] */
typedef struct fgti_transformer_map {
    int64_t            d, h, ld;
    const fgti_real   *w, *b, *x;
    fgti_real         *y;
    fgti_packed_weight packed; /* W', on the route "blocks of rows" */
    fgti_affine_pack   pack;   /* on the route "step by step" */
} fgti_transformer_map;

typedef struct fgti_transformer_pass {
    const fgti_run      *run;
    const fgti_layer    *l;
    const fgti_io       *io;
    int64_t              rows, d, f;
    double               dropout; /* 0 outside training */
    bool                 packs;   /* the weights are packed, because the route is "blocks of rows" */
    fgti_mha             mha;
    fgti_real           *a, *h, *b, *mean[2], *rstd[2]; /* cache: [R,D], [R] */
    fgti_real           *u, *v;                         /* cache: [R,F] */
    fgti_real           *dx, *dz, *dv;                  /* scratch: [R,D], dv [R,F] */
    fgti_kept            kept;                          /* version of the packed weights */
    fgti_transformer_map map[FGTI_MAPS];                /* forward */
    fgti_fold            fold;                          /* a predictor's fold of z into the weights, which
                                                         * replaces FGTI_MAP_IN */
    const fgti_real     *z;
} fgti_transformer_pass;

/* `which` is the number of a weight in the first enum above. fgti_transformer_weight() returns the weight's
 * number in this layer. fgti_transformer_bias() returns its bias, or NULL. */
int              fgti_transformer_weight(const fgti_layer *l, int which);
const fgti_real *fgti_transformer_bias(const fgti_layer *l, const fgti_io *io, int which);
fgti_tail        fgti_transformer_tail(const fgti_transformer_pass *p, int32_t act, fgti_draw draw);

/* Takes memory for the results that the backward pass reads, for p->rows rows. Returns the elements of this
 * memory. With base == NULL the function only counts. */
int64_t fgti_transformer_place(fgti_transformer_pass *p, fgti_real *base);
/* fgti_transformer_place() for the data kept from pass to pass. */
int64_t fgti_transformer_place_keep(fgti_transformer_pass *p, fgti_real *base);
/* fgti_transformer_place() for the data kept for predictions. */
int64_t fgti_transformer_place_packs(fgti_transformer_pass *p, fgti_real *base);

#endif
