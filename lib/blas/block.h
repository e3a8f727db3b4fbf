/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_H
#define FGTI_BLOCK_H

/* What gemm.c (one thread) and parallel.c (all workers) share: how a product is cut and its operands packed.
 * */

#include "blas/kernel.h"

/* One operand as a microkernel sees it: element (i,p) at data[i*si + p*sp], i < count. */
typedef struct fgti_side {
    const fgti_real *data;
    int64_t          count, si, sp;
} fgti_side;

static inline fgti_side fgti_side_a(const fgti_gemm *g)
{
    return (fgti_side){g->a, g->m, g->rsa, g->csa};
}

static inline fgti_side fgti_side_b(const fgti_gemm *g)
{
    return (fgti_side){g->b, g->n, g->csb, g->rsb};
}

/* Steps of k in a block, in equal parts: k = 400 is 2 blocks of 200, not 384 and 16. They follow from k
 * alone, because C is rounded once for each of them. */
static inline int64_t fgti_block_k(int64_t k)
{
    return fgti_round_up(fgti_parts(k, fgti_parts(k, FGTI_KC)), 4);
}

/* Is the product better done as C' = B'A', with the wide side of the tiles along m? */
bool fgti_gemm_is_turned(const fgti_kernel *kn, const fgti_gemm *g);

/* Packs rows i0 .. i0+n-1 of a side, steps p0 .. p0+kb-1 of k, into consecutive panels. */
void fgti_pack_block(int64_t width, const fgti_side *s, int64_t i0, int64_t n, int64_t p0, int64_t kb,
                     fgti_real *dst);

#endif
