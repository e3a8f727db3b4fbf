/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend in plain C, for builds without BLIS and for the double build. Tests compare BLIS with it. */
#include "blas/kernel.h"

/* Tiles of 4 x 8. Their 8 accumulators of four floats leave half of the 16 SSE registers (and most of NEON's)
 * to the operands. */
#define U 4
#define V 8

/* One row of a tile, in two SSE registers of float. The code uses vector types, because GCC does not
 * vectorise plain loops at -O2. */
typedef fgti_real row
    __attribute__((vector_size(V * sizeof(fgti_real)), aligned(sizeof(fgti_real)), may_alias));

static void tile(int64_t k, const fgti_real *up, const fgti_real *vp, row acc[U])
{
    row c0 = {0}, c1 = {0}, c2 = {0}, c3 = {0};
    for (int64_t p = 0; p < k; p++, up += U, vp += V) {
        const row b = *(const row *)vp;
        c0 += up[0] * b;
        c1 += up[1] * b;
        c2 += up[2] * b;
        c3 += up[3] * b;
    }
    acc[0] = c0, acc[1] = c1, acc[2] = c2, acc[3] = c3;
}

static void ref_strip(int64_t rows, int64_t n, int64_t k, fgti_real alpha, const fgti_real *up,
                      const fgti_real *vp, fgti_real beta, fgti_real *c, int64_t ldc)
{
    row acc[U];
    for (int64_t j0 = 0; j0 < n; j0 += V, vp += V * k) {
        const int64_t cols = fgti_least(V, n - j0);
        tile(k, up, vp, acc);
        for (int64_t i = 0; i < rows; i++) {
            fgti_real *out = c + i * ldc + j0;
            if (beta == 0)
                for (int64_t j = 0; j < cols; j++) out[j] = alpha * acc[i][j];
            else
                for (int64_t j = 0; j < cols; j++) out[j] = alpha * acc[i][j] + beta * out[j];
        }
    }
}

static const fgti_kernel kernel = {.u = U, .v = V, .strip = ref_strip};

static void gemm(void *scratch, const fgti_gemm *g)
{
    fgti_gemm_packed(&kernel, scratch, g);
}

#define REFERENCE                                                                            \
    .name = "reference", .version = "", .config = "plain C", .kernel = "4x8 row",            \
    .scratch_bytes = FGTI_GEMM_SCRATCH(U, V), .shared_bytes = FGTI_GEMM_SHARED,              \
    .tile_rows = U, .tile_cols = V, .gemm = gemm, .microkernel = &kernel,                    \
    .short_time = FGTI_SHORT_TIME

const fgti_blas fgti_blas_ref = {REFERENCE};

/* Builds with BLIS define fgti_blas_get() in dispatch.c. */
#if defined(FGTI_DOUBLE) || !defined(FGTI_HAVE_BLIS)
static const fgti_blas own_loops = {REFERENCE, .own_weight = FGTI_OWN_WEIGHT};

const fgti_blas *fgti_blas_get(bool keep_environment, bool own)
{
    (void)keep_environment;
    return own ? &own_loops : &fgti_blas_ref;
}
#endif
