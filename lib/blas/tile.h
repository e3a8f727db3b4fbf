/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TILE_H
#define FGTI_TILE_H

/* Products of operands that the caller keeps in the microkernel's own order, for layers whose matrices are
 * made, used and forgotten in the cache (nn/attention/attender_full.c).
 *
 * A panel is [k][width]: element (i,p) of an operand with rows of length k at p*width + i%width of panel
 * i/width, short ones padded with zeros. U panels have width u, V panels v. A product of U panels (X, n rows)
 * and one V panel (Y, v rows) over k is the block [n][v] of X Y', rounded up to whole tiles: that is again
 * the layout of a V panel, whose k is n. So a chain of products needs no copies between them. */

#include "blas/kernel.h"
#include "blas/pack.h"

/* The kernel of the backend, or the plain one where BLIS gives none. */
const fgti_kernel *fgti_tile_kernel(const fgti_blas *blas);

/* Elements that must be readable behind the last V panel: kernels load one column ahead. */
#define FGTI_TILE_AHEAD FGTI_TILE_MAX

/* All panels of n rows of length k, element (i,p) at x[i*si + p*sp]; ld: from panel to panel. */
void fgti_tile_pack(int64_t width, int64_t n, int64_t k, const fgti_real *x, int64_t si, int64_t sp,
                    fgti_real *dst, int64_t ld);

/* c [n][v] = alpha X Y' + beta c for the U panels of X at distance ld and one V panel; c has room for n
 * rounded up to u. beta == 0 never reads c. */
void fgti_tile_product(const fgti_kernel *kn, int64_t n, int64_t k, fgti_real alpha, const fgti_real *up,
                       int64_t ld, const fgti_real *vp, fgti_real beta, fgti_real *c);

#endif
