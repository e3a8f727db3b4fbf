/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BF16_H
#define FGTI_BF16_H

/* Products whose operands are rounded to bf16 (g->bf16), in one of two forms.
 *  floats  The backend's microkernel reads panels of floats that are rounded when they are packed.
 *  pairs   A microkernel uses the instruction vdpbf16ps (bf16_kernel.c). Each 32-bit element of a panel has
 *          two steps of k, the first one in the upper half. The instruction adds first the product of the
 *          upper halves, then the product of the lower halves. A panel of kb steps has (kb + 1)/2 rows.
 * In both forms an element of C is the same chain of additions over k, cut at the same places. The product of
 * two bf16 has 16 significant bits, so it is exact in float, and only sums are rounded. So it makes no
 * difference whether a kernel fuses multiplication and addition, and both forms give the same bits with any
 * tiles. There is one exception: vdpbf16ps takes denormal numbers for zero. So for sums below 1.2e-38 one
 * form may give the sum where the other form gives zero. */

#include "blas/block.h"

/* The kernel for pairs; NULL: this processor, or the compiler, does not have the instruction. */
const fgti_kernel *fgti_bf16_kernel(void);

/* The kernel that computes g. */
static inline const fgti_kernel *fgti_kernel_for(const fgti_kernel *kn, const fgti_gemm *g)
{
    return g->bf16 && kn && kn->pairs ? kn->pairs : kn;
}

/* Number of rows of a panel of kb steps. */
static inline int64_t fgti_steps(const fgti_kernel *kn, int64_t kb)
{
    return kn->paired ? (kb + 1) / 2 : kb;
}

/* Returns packed B in the form that fgti_kernel_for() reads. A B packed as pairs is passed as floats, because
 * it has the same layout in memory. */
static inline fgti_packed fgti_packed_for(const fgti_kernel *kn, fgti_packed packed)
{
    return kn->paired && packed.half ? (fgti_packed){(const fgti_real *)packed.half, NULL} : packed;
}

/* fgti_pack_block() with rounding, for the panels of kn; dst has fgti_steps() rows for each panel. */
void fgti_pack_block_bf16(const fgti_kernel *kn, const fgti_vec *vec, int64_t width, const fgti_side *s,
                          int64_t i0, int64_t n, int64_t p0, int64_t kb, fgti_real *dst);

/* Packs an operand, with rounding if g->bf16. */
static inline void fgti_pack_for(const fgti_kernel *kn, const fgti_gemm *g, int64_t width, const fgti_side *s,
                                 int64_t i0, int64_t n, int64_t p0, int64_t kb, fgti_real *dst)
{
    if (g->bf16)
        fgti_pack_block_bf16(kn, g->vec, width, s, i0, n, p0, kb, dst);
    else
        fgti_pack_block(width, s, i0, n, p0, kb, dst);
}

#endif
