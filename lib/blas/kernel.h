/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_KERNEL_H
#define FGTI_KERNEL_H

/* The interface of a microkernel. It computes tiles of C of u rows by v columns. The v columns are contiguous
 * in C and are held in vector registers. Both operands are packed in panels:
 *     U panel [k][u]  from u rows of A          V panel [k][v]  from v columns of B
 * An operand's first panel starts at a multiple of 64 bytes; the other panels follow without gaps. Short
 * panels are padded with zeros. After the last V panel v more elements must be readable, because BLIS's
 * kernels load one column ahead. */

#include "blas/blas.h"
#include "core/size.h"
#include "core/vec/vec.h"

typedef struct fgti_kernel {
    int32_t u, v;
    /* Computes C = alpha A B + beta C for a strip of C with n columns. up: A, one U panel of 1 .. u rows. vp:
     * B, the consecutive V panels of the n columns. k is at least 1. If beta is 0, C is not read. NULL: the
     * kernel is only for panels (tile.h), whose products `product` of vec->panels computes */
    void (*strip)(int64_t rows, int64_t n, int64_t k, fgti_real alpha, const fgti_real *up,
                  const fgti_real *vp, fgti_real beta, fgti_real *c, int64_t ldc);
    /* `row` and `product` of this table compute products of few rows, for which most of a tile would be
     * padding. NULL: there are no such functions for this v */
    const fgti_vec *vec;
    /* the kernel for products in bf16 (bf16.h); NULL: this kernel computes them. paired: this kernel is the
     * kernel for pairs of bf16 */
    const struct fgti_kernel *pairs;
    bool                      paired;
} fgti_kernel;

/* The longest k of a block. A U panel of 12 floats by 512 is 24 KiB, half of the first cache of processors
 * with 512-bit registers. Shorter blocks would read and write C more often. */
#define FGTI_KC 512

/* Number of V panels of length FGTI_KC in one block. For kernels with 512-bit registers a block has 6 * 32 *
 * 512 floats, 384 KiB; their processors have a second cache of 1 MiB or more. For the other kernels a block
 * has half of this size, and their processors have a second cache of 256 KiB or more. */
#define FGTI_PANELS 6

/* Bytes of scratch for fgti_gemm_packed(): one block of V panels, the elements after it that kernels may
 * read, one U panel, and two strips of u rows by FGTI_PANELS v columns. The strips are for transposed
 * products: one holds a strip of the product, the other the same strip transposed back. Every part is a
 * multiple of 64 bytes. */
#define FGTI_GEMM_SCRATCH(u, v)                                                                    \
    (sizeof(fgti_real) *                                                                           \
     ((size_t)(FGTI_PANELS * FGTI_KC + FGTI_ALIGN) * (size_t)(v) + (size_t)FGTI_KC * (size_t)(u) + \
      2 * (size_t)FGTI_PANELS * (size_t)(v) * (size_t)(u)))

/* Bytes that all workers share in large products, for V panels of 3000 columns or more. So B is usually one
 * block of columns, and A is packed only once. The block fits in the third cache. */
#define FGTI_GEMM_SHARED ((size_t)6 << 20)

/* Computes the product on this thread, with this kernel or with its `pairs`. */
void fgti_gemm_packed(const fgti_kernel *backend, void *scratch, const fgti_gemm *g);

/* The backend in plain C, which is in every build. */
extern const fgti_blas fgti_blas_ref;

#endif
