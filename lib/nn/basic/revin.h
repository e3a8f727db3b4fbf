/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REVIN_H
#define FGTI_REVIN_H

#include "nn/layer.h"

/* The cache of a revin layer: the statistics and their gradients, each [B N, D]. In the backward pass the
 * inverse layers write the gradients. Without an inverse layer they are 0. */
typedef struct fgti_revin_cache {
    fgti_real *mean, *std, *dmean, *dstd;
} fgti_revin_cache;

static inline int64_t fgti_revin_place(int64_t groups, int64_t d, fgti_real *base, fgti_revin_cache *c)
{
    const int64_t n  = fgti_mul(groups, d);
    int64_t       at = 0;
    c->mean          = fgti_take(base, &at, n);
    c->std           = fgti_take(base, &at, n);
    c->dmean         = fgti_take(base, &at, n);
    c->dstd          = fgti_take(base, &at, n);
    return at;
}

static inline fgti_revin_cache fgti_revin_cache_of(fgti_real *cache, int64_t groups, int64_t d)
{
    fgti_revin_cache c;
    fgti_revin_place(groups, d, cache, &c);
    return c;
}

/* The smallest |weight| by which the inverse divides. */
#define FGTI_REVIN_MIN 1e-5

extern const fgti_class fgti_class_revin;

enum { FGTI_REVIN_WEIGHT, FGTI_REVIN_BIAS };

#endif
