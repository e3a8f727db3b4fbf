/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_H
#define FGTI_BLOCK_H

/* Cuts a product into blocks and packs its operands, for gemm.c (one thread) and parallel.c (all workers). */

#include "blas/kernel.h"

/* One operand as a microkernel sees it: element (i,p) is data[i*si + p*sp], i < count. */
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

/* Returns the steps of k in a block. Blocks are equal: k = 600 is cut into 2 blocks of 300, not into 512 and
 * 88. The length of a block depends only on k, because C is rounded once for each block. */
static inline int64_t fgti_block_k(int64_t k)
{
    return fgti_round_up(fgti_parts(k, fgti_parts(k, FGTI_KC)), 4);
}

/* Whether the product is faster as C' = B'A', with the wide side of the tiles along m. */
bool fgti_gemm_is_turned(const fgti_kernel *kn, const fgti_gemm *g);

/* Whether the product has so few rows that it is faster to compute each row for itself, without padding. */
bool fgti_gemm_has_few_rows(const fgti_kernel *kn, int64_t rows);

/* Packs rows i0 .. i0+n-1 and steps p0 .. p0+kb-1 of an operand into consecutive panels. */
void fgti_pack_block(int64_t width, const fgti_side *s, int64_t i0, int64_t n, int64_t p0, int64_t kb,
                     fgti_real *dst);

#endif
