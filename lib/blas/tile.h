/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TILE_H
#define FGTI_TILE_H

/* Products of operands that are already in panels, which is the order that the microkernel reads. They are
 * for layers whose intermediate matrices never leave the cache (nn/attention/attender/attender_full.c,
 * nn/recurrent/recurrent_panels.c).
 *
 * A panel is [k][width]. Element (i,p) of an operand with rows of length k is at p*width + i%width of panel
 * i/width; short panels are padded with zeros. U panels have width u, V panels width v. Let X have n rows and
 * Y have v rows, all of length k. The product of the U panels of X with the one V panel of Y is the block
 * [n][v] of X Y', with n rounded up to whole tiles. This block has the layout of a V panel with k = n, so a
 * chain of products needs no copies between the products. */

#include "blas/kernel.h"
#include "blas/pack.h"

/* Returns the backend's microkernel, or the kernel in plain C if BLIS does not provide one. */
const fgti_kernel *fgti_tile_kernel(const fgti_blas *blas);
/* Returns the kernel for products with sums of this length, for example for heads of this width: the
 * library's own kernel where processor.c says so. */
const fgti_kernel *fgti_tile_kernel_for(const fgti_blas *blas, int64_t width);

/* Elements that must be readable after the last V panel, because kernels load one column ahead. */
#define FGTI_TILE_AHEAD FGTI_TILE_MAX

/* Packs n rows of length k, whose element (i,p) is x[i*si + p*sp], into panels at distance ld. */
void fgti_tile_pack(int64_t width, int64_t n, int64_t k, const fgti_real *x, int64_t si, int64_t sp,
                    fgti_real *dst, int64_t ld);

/* c [n][v] = alpha X Y' + beta c, for the U panels of X at distance ld and one V panel. c has memory for n
 * rounded up to a multiple of u. If beta is 0, c is not read. */
void fgti_tile_product(const fgti_kernel *kn, int64_t n, int64_t k, fgti_real alpha, const fgti_real *up,
                       int64_t ld, const fgti_real *vp, fgti_real beta, fgti_real *c);

#endif
