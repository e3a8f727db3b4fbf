/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REVIN_H
#define FGTI_REVIN_H

#include "nn/layer.h"

/* Cache of a revin layer, each part [B N, D]: the statistics, and the gradients that the inverses
 * send back to them (zero when nobody does). */
typedef struct fgti_revin_cache {
    fgti_real *mean, *std, *dmean, *dstd;
} fgti_revin_cache;

static inline fgti_revin_cache fgti_revin_cache_of(fgti_real *cache, int64_t groups, int64_t d)
{
    const int64_t n = groups * d;
    return (fgti_revin_cache){cache, cache + n, cache + 2 * n, cache + 3 * n};
}

/* Smallest |weight| that the inverse divides by. */
#define FGTI_REVIN_MIN 1e-5

extern const fgti_class fgti_class_revin;

enum { FGTI_REVIN_WEIGHT, FGTI_REVIN_BIAS };

#endif
