/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOW_RANK_H
#define FGTI_LOW_RANK_H

/* Maps W + s B A of which only the factors B [out,r] and A [r,in] are trained (adapters, model/adapter.h).
 * Passes read the sum, so that no layer knows. Backward does not need dW [out,in] either:
 *     u = s x A',  dB += dy'u,   v = s dy B,  dA += v'x
 * which for r well below `in` and `out` are far fewer flops than dW = dy'x.
 *     Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.1 */

#include "nn/layer.h"

/* Rows that are multiplied at a time: u and v have as many, and take 512 KiB at most, whatever the rank. */
static inline int64_t fgti_low_rank_rows(int64_t rank)
{
    const int64_t rows = 65536 / rank;
    return rows > 1024 ? 1024 : rows;
}

typedef struct fgti_low_rank {
    /* What the layer is handed as dW. It is recognised by its place and never written: dW [out,in] is not
     * made. A layer may ask for some of the rows of W only. */
    const fgti_real *dw;
    int64_t          out, in, rank;
    double           scale;
    const fgti_real *a, *b;
    fgti_real       *da, *db;
    fgti_real       *u, *v; /* scratch, [fgti_low_rank_rows(r), r] each */
} fgti_low_rank;

/* The map whose dW holds dw, or NULL. */
const fgti_low_rank *fgti_low_rank_find(const fgti_run *run, const fgti_real *dw);
/* dA and dB of h rows of W, from dw on: x [rows,in], dy [rows, lddy >= h] */
void fgti_low_rank_grad(const fgti_run *run, const fgti_low_rank *map, int64_t rows, int64_t h,
                        const fgti_real *x, const fgti_real *dy, int64_t lddy, const fgti_real *dw);

#endif
