/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLAS_H
#define FGTI_BLAS_H

/* The few matrix products that layers need, with the library's own types. Only this folder includes BLIS. */

#include <stdbool.h>

#include "core/context.h"
#include "core/size.h"
#include "core/vec/vec.h"

/* C = alpha A B + beta C with A [m,k], B [k,n], C [m,n]. Element (i,p) of A is a[i*rsa + p*csa]; B has the
 * strides rsb and csb. To transpose a matrix, exchange its strides. C is row-major with ldc >= n. If beta is
 * 0, C is not read. If k or alpha is 0, A and B are not read and C is only scaled, as in BLAS. */
typedef struct fgti_gemm {
    int64_t          m, n, k;
    fgti_real        alpha, beta;
    const fgti_real *a;
    int64_t          rsa, csa;
    const fgti_real *b;
    int64_t          rsb, csb;
    fgti_real       *c;
    int64_t          ldc;
    bool             reversed; /* with a packed B and few rows: begin with the last columns */
    /* fgti_gemm_parallel() adds bias [biased] to the first columns of each row of C, by functions of vec. It
     * does this as soon as a block of C is finished, while the block is still in the cache. NULL: no bias */
    const fgti_real *bias;
    int64_t          biased;
    const fgti_vec  *vec;
    bool             bf16; /* A and B are rounded to bf16, by functions of vec (bf16.h); alpha must be 1 */
} fgti_gemm;

/* The three products of row-major matrices that layers need. lda, ldb and ldc are the distances of rows. beta
 * is 0 (C is overwritten) or 1 (the product is added to C).
 *     nn   C = A B  + beta C     A [m,k], B [k,n]
 *     nt   C = A B' + beta C     A [m,k], B [n,k]
 *     tn   C = A' B + beta C     A [k,m], B [k,n] */
static inline fgti_gemm fgti_gemm_nn(int64_t m, int64_t n, int64_t k, const fgti_real *a, int64_t lda,
                                     const fgti_real *b, int64_t ldb, int beta, fgti_real *c, int64_t ldc)
{
    return (fgti_gemm){m, n, k, 1, (fgti_real)beta, a, lda, 1, b, ldb, 1, c, ldc,
                       false, NULL, 0, NULL, false};
}
static inline fgti_gemm fgti_gemm_nt(int64_t m, int64_t n, int64_t k, const fgti_real *a, int64_t lda,
                                     const fgti_real *b, int64_t ldb, int beta, fgti_real *c, int64_t ldc)
{
    return (fgti_gemm){m, n, k, 1, (fgti_real)beta, a, lda, 1, b, 1, ldb, c, ldc,
                       false, NULL, 0, NULL, false};
}
static inline fgti_gemm fgti_gemm_tn(int64_t m, int64_t n, int64_t k, const fgti_real *a, int64_t lda,
                                     const fgti_real *b, int64_t ldb, int beta, fgti_real *c, int64_t ldc)
{
    return (fgti_gemm){m, n, k, 1, (fgti_real)beta, a, 1, lda, b, ldb, 1, c, ldc,
                       false, NULL, 0, NULL, false};
}

/* Adds the bias b [n] to the product; b may be NULL. */
static inline void fgti_gemm_set_bias(fgti_gemm *g, const fgti_vec *vec, int64_t n, const fgti_real *b)
{
    g->bias   = b;
    g->biased = n;
    g->vec    = vec;
}

/* The default of fgti_blas.short_time. */
#define FGTI_SHORT_TIME 1024

/* Most elements of a weight for which our own loops are faster, on processors where they are in use. A weight
 * of this size has 128 KiB of floats. */
#define FGTI_OWN_WEIGHT (INT64_C(1) << 15)
/* Longest side of a weight for our own loops. It is FGTI_KC, so sums are not cut and have the same bits as in
 * other products. */
#define FGTI_OWN_SIDE 512

/* A backend: BLIS with the kernels chosen for this processor, or plain C. It never changes. */
struct fgti_blas {
    const char *name; /* "blis" or "reference" */
    const char *version;
    const char *config;      /* sub-configuration */
    const char *kernel;      /* "32x12 column", or "none" */
    const char *slow_reason; /* a sentence, if `slow` */
    bool        slow;        /* only BLIS's generic kernels or plain C can be used; the log says so */
    int32_t     tile_rows;   /* rows of C that one call of the kernel computes; C is cut into blocks at
                              * multiples of this number */
    int32_t     tile_cols;
    size_t      scratch_bytes; /* memory that one worker needs for packed operands */
    size_t      shared_bytes;  /* memory for all workers together, used by large products if it is given */
    void (*gemm)(void *scratch, const fgti_gemm *g);
    const struct fgti_kernel *microkernel; /* see kernel.h; NULL: BLIS does not provide it */
    /* the library's own kernel for panels of attention and of recurrent layers, with heads and widths of up
     * to own_width (processor.c); NULL: not in use */
    const struct fgti_kernel *own;
    int64_t                   own_width;
    int64_t                   own_weight; /* elements of the largest weight for our own loops; 0: not in
                                             use */
    bool                      bf16; /* the processor has an instruction for products in bf16 (bf16.h) */
    int64_t                   short_time; /* tokens of the longest series for fighter's route "short" */
};

/* Returns the backend of this process, which the first call makes; NULL: too little memory. keep_environment:
 * see fgt_context_opts. own false: the backend without the library's own kernel. */
const fgti_blas *fgti_blas_get(bool keep_environment, bool own);

/* One product on this thread, with a worker's scratch. */
static inline void fgti_gemm_run(const fgti_blas *blas, void *scratch, const fgti_gemm *g)
{
    blas->gemm(scratch, g);
}

/* A matrix B that many products share is packed once, into `packed`. Then any thread can multiply with it.
 * `packed` has fgti_gemm_pack_size() elements, aligned as memory of fgti_alloc(). Such a product takes
 * everything except B from g, and has the same bits as fgti_gemm_run(). Layers use fgti_packed_weight
 * (packed_weight.h). */
#define FGTI_TILE_MAX 64 /* no microkernel in use has wider tiles */
static inline int64_t fgti_gemm_pack_size(const fgti_blas *blas, int64_t k, int64_t n)
{
    const int64_t u = fgti_round_up(n, blas->tile_rows), v = fgti_round_up(n, blas->tile_cols);
    return fgti_mul(u > v ? u : v, k) + FGTI_TILE_MAX;
}
void fgti_gemm_pack(const fgti_blas *blas, int64_t k, int64_t n, const fgti_real *b, int64_t rsb, int64_t csb,
                    fgti_real *packed);
/* Packs B in bf16 (core/half.h), for a backend with a microkernel. `packed` has fgti_gemm_pack_size() numbers
 * in bf16. Products expand these numbers block by block with g->vec. */
void fgti_gemm_pack_half(const fgti_blas *blas, void *scratch, int64_t k, int64_t n, const fgti_real *b,
                         int64_t rsb, int64_t csb, uint16_t *packed);

/* Packs B for products in which both operands are rounded to bf16 (g->bf16), in the form that these products
 * read. `packed` has fgti_gemm_pack_size_bf16() elements. */
int64_t fgti_gemm_pack_size_bf16(const fgti_blas *blas, int64_t k, int64_t n);
void    fgti_gemm_pack_bf16(const fgti_blas *blas, void *scratch, int64_t k, int64_t n, const fgti_real *b,
                            int64_t rsb, int64_t csb, uint16_t *packed);

/* A packed B in one of two forms. The pointer of the other form is NULL. */
typedef struct fgti_packed {
    const fgti_real *data;
    const uint16_t  *half;
} fgti_packed;

void fgti_gemm_run_packed(const fgti_blas *blas, void *scratch, const fgti_gemm *g, fgti_packed packed);

/* Whether products with a matrix [k,n], and with its transpose, are faster with our own loops (`multiply` of
 * vec_panels.h), which pack no operand. */
static inline bool fgti_gemm_is_small(const fgti_blas *blas, int64_t k, int64_t n)
{
    return k <= FGTI_OWN_SIDE && n <= FGTI_OWN_SIDE && k * n <= blas->own_weight && k % FGTI_REGISTER == 0 &&
           n % FGTI_REGISTER == 0;
}

/* Whether fgti_gemm_parallel_packed() reads only a packed B [k,n]; false: it reads B itself, which is faster
 * with few columns. */
bool fgti_gemm_pack_suffices(const fgti_blas *blas, int64_t k, int64_t n);

/* One product; C is split into blocks for all workers. The blocks depend only on m, n and k. Only this
 * function and the next one add g->bias. */
void fgti_gemm_parallel(const fgti_blas *blas, const fgti_exec *exec, const fgti_gemm *g);
/* fgti_gemm_parallel() for a packed B, with the same bits. It reads `packed`, or B where this is faster. */
void fgti_gemm_parallel_packed(const fgti_blas *blas, const fgti_exec *exec, const fgti_gemm *g,
                               fgti_packed packed);

#endif
