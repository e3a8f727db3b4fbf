/* SPDX-License-Identifier: BSD-3-Clause */
/* Products in bf16, in both forms, against a chain of fused multiply-adds in plain C, bit for bit. */
#include "blas/bf16.h"

#include <float.h>
#include <stdlib.h>

#include "../helper.h"
#include "core/half.h"

#define GUARD 64 /* elements behind C that nobody writes */

static uint32_t seed = 1;

static float uniform(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) * 0x1p-23f - 1;
}

/* 8 significant bits, by the definition: nothing of the library. Neither huge nor tiny ones. */
static float rounded(float x)
{
    int         exponent;
    const float part = frexpf(x, &exponent);
    return ldexpf(nearbyintf(ldexpf(part, 8)), exponent - 8);
}

/* ---- the operands ---- */

static void test_rounding(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const float    x    = ldexpf(uniform(), i % 200 - 100);
        const uint32_t bits = fgti_bf16_bits((fgti_real)x);
        float          y;
        memcpy(&y, &bits, sizeof y);
        assert_true(y == rounded(x));
    }
    assert_int_equal(fgti_bf16_bits(FLT_MAX), 0x7f7f0000);
    assert_int_equal(fgti_bf16_bits(-FLT_MAX), 0xff7f0000);
    assert_int_equal(fgti_bf16_bits(INFINITY), 0x7f800000);
    assert_int_equal(fgti_bf16_bits(-INFINITY), 0xff800000);
    assert_int_equal(fgti_bf16_bits(NAN) & 0x7fc00000, 0x7fc00000);
    assert_int_equal(fgti_bf16_bits(FLT_MIN), 0x00800000);
    assert_int_equal(fgti_bf16_bits(FLT_MIN / 2), 0);
    assert_int_equal(fgti_bf16_bits(-FLT_MIN / 2), 0x80000000);
}

/* All lengths, in every table of kernels. */
static void test_tables(void **state)
{
    (void)state;
    static const char *const tables[] = {"baseline", "avx2", "avx512"};
    static const float       edges[] = {0, -0.0F, FLT_MAX, -FLT_MAX, FLT_MIN / 3, INFINITY, NAN, 1.00390625F};
    enum { K = 5, LD = 70 };
    float    x[K * LD], y[LD + 1];
    uint32_t pairs[(K + 1) / 2 * LD + 1];
    for (int i = 0; i < K * LD; i++) x[i] = i % 9 ? uniform() : edges[i / 9 % 8];
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (int64_t n = 0; n < LD; n++)
            for (int64_t k = 1; k <= K; k++) {
                const fgti_vec *vec  = fgti_vec_get(tables[t]);
                const int64_t   rows = (k + 1) / 2;
                y[n] = -7, pairs[rows * n] = 7;
                vec->round(n, x, y);
                vec->pair(k, n, x, LD, pairs);
                for (int64_t i = 0; i < n; i++) {
                    const uint32_t want = fgti_bf16_bits(x[i]);
                    assert_memory_equal(&y[i], &want, sizeof want);
                }
                for (int64_t i = 0; i < rows * n; i++) {
                    const float *from = x + i / n * 2 * LD + i % n;
                    assert_int_equal(pairs[i] & 0xffff0000, fgti_bf16_bits(*from));
                    assert_int_equal(pairs[i] << 16, i / n * 2 + 1 < k ? fgti_bf16_bits(from[LD]) : 0);
                }
                assert_true(y[n] == -7 && pairs[rows * n] == 7);
            }
}

/* ---- the products ---- */

/* The backend with its own kernel alone, and with that for pairs. */
static fgti_kernel kernels[2];
static fgti_blas   forms[2];

static void floats_gemm(void *scratch, const fgti_gemm *g)
{
    fgti_gemm_packed(&kernels[0], scratch, g);
}

static void pairs_gemm(void *scratch, const fgti_gemm *g)
{
    fgti_gemm_packed(&kernels[1], scratch, g);
}

/* Forms that run here; 0: this BLIS has no kernel that we call. */
static int make_forms(void)
{
    const fgti_blas   *blas  = fgti_blas_get(false, true);
    const fgti_kernel *pairs = fgti_bf16_kernel();
    if (!blas->microkernel) return 0;
    for (int i = 0; i < 2; i++) {
        const size_t bytes   = pairs ? FGTI_GEMM_SCRATCH(pairs->u, pairs->v) : 0;
        kernels[i]           = *blas->microkernel;
        kernels[i].pairs     = i ? pairs : NULL;
        forms[i]             = *blas;
        forms[i].microkernel = &kernels[i];
        forms[i].gemm        = i ? pairs_gemm : floats_gemm;
        if (bytes > forms[i].scratch_bytes) forms[i].scratch_bytes = bytes;
    }
    return pairs ? 2 : 1;
}

/* A [m,k] and B [k,n], each as it is or transposed in memory; C at distance ldc. */
typedef struct problem {
    int64_t m, n, k, ldc;
    bool    turn_a, turn_b;
    float   beta;
    float  *a, *b, *c, *want, *bias;
} problem;

static fgti_gemm gemm_of(const problem *p)
{
    fgti_gemm g = fgti_gemm_nn(p->m, p->n, p->k, p->a, p->k, p->b, p->n, 0, p->c, p->ldc);
    if (p->turn_a) g.rsa = 1, g.csa = p->m;
    if (p->turn_b) g.rsb = 1, g.csb = p->k;
    g.beta = p->beta;
    g.vec  = fgti_vec_get(NULL);
    g.bf16 = true;
    return g;
}

/* One chain for each block of k, which begins at 0; of operands that are rounded. */
static float element(const fgti_gemm *g, int64_t i, int64_t j)
{
    const int64_t kc = fgti_block_k(g->k);
    float         c  = g->beta == 0 ? 0 : g->c[i * g->ldc + j];
    for (int64_t p0 = 0; p0 < g->k; p0 += kc) {
        float sum = 0;
        for (int64_t p = p0; p < g->k && p < p0 + kc; p++)
            sum = fmaf(g->a[i * g->rsa + p * g->csa], g->b[p * g->rsb + j * g->csb], sum);
        c = p0 == 0 && g->beta == 0 ? sum : c + sum;
    }
    return c;
}

static float *numbers(int64_t n, bool none)
{
    float *x = malloc((size_t)(n + GUARD) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n + GUARD; i++) x[i] = none ? 0.5F : uniform();
    return x;
}

/* A copy. */
static float *all_rounded(int64_t n, const float *x)
{
    float *y = malloc((size_t)n * sizeof *y);
    assert_non_null(y);
    for (int64_t i = 0; i < n; i++) y[i] = rounded(x[i]);
    return y;
}

static void make_problem(problem *p)
{
    const int64_t size = p->m * p->ldc;
    p->a               = numbers(p->m * p->k, false);
    p->b               = numbers(p->k * p->n, false);
    p->c               = numbers(size, true);
    p->want            = numbers(size, true);
    p->bias            = numbers(p->n, false);
    fgti_gemm g        = gemm_of(p);
    float    *a        = all_rounded(p->m * p->k, p->a), *b = all_rounded(p->k * p->n, p->b);
    g.a                = a;
    g.b                = b;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) p->want[i * p->ldc + j] = element(&g, i, j);
    free(a);
    free(b);
}

static void end_problem(problem *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
    free(p->want);
    free(p->bias);
}

static void reset(const problem *p)
{
    for (int64_t i = 0; i < p->m * p->ldc + GUARD; i++) p->c[i] = 0.5F;
}

static void check_bits(const problem *p)
{
    assert_memory_equal(p->c, p->want, (size_t)(p->m * p->ldc + GUARD) * sizeof *p->c);
}

/* By all workers, with the panels of B packed before or not. */
static void run_parallel(const fgti_blas *blas, int32_t workers, const fgti_gemm *g, fgti_packed packed)
{
    fgt_context *ctx;
    fgti_exec    exec;
    assert_int_equal(fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = workers), &ctx), FGT_OK);
    assert_int_equal(fgti_exec_init(ctx, &exec, workers, NULL, blas->scratch_bytes), FGT_OK);
    assert_int_equal(fgti_exec_share(ctx, &exec, blas->shared_bytes), FGT_OK);
    if (packed.half)
        fgti_gemm_parallel_packed(blas, &exec, g, packed);
    else
        fgti_gemm_parallel(blas, &exec, g);
    fgti_exec_done(ctx, &exec);
    fgt_context_destroy(&ctx);
}

static void check_packed(const fgti_blas *blas, const problem *p, void *scratch)
{
    const fgti_gemm g    = gemm_of(p);
    const int64_t   size = fgti_gemm_pack_size_bf16(blas, p->k, p->n);
    uint16_t       *half = aligned_alloc(64, ((size_t)size * sizeof(float) + 127) / 64 * 64);
    assert_non_null(half);
    uint16_t *end = half + 2 * size;
    *end          = 12345;
    fgti_gemm_pack_bf16(blas, scratch, p->k, p->n, p->b, g.rsb, g.csb, half);
    assert_int_equal(*end, 12345);
    reset(p);
    fgti_gemm_run_packed(blas, scratch, &g, (fgti_packed){NULL, half});
    check_bits(p);
    for (int32_t workers = 1; workers < 4; workers++) {
        reset(p);
        run_parallel(blas, workers, &g, (fgti_packed){NULL, half});
        check_bits(p);
    }
    free(half);
}

static void check_form(const fgti_blas *blas, const problem *p)
{
    const fgti_packed none    = {NULL, NULL};
    const fgti_gemm   g       = gemm_of(p);
    void             *scratch = aligned_alloc(64, (blas->scratch_bytes + 63) / 64 * 64);
    assert_non_null(scratch);
    reset(p);
    fgti_gemm_run(blas, scratch, &g);
    check_bits(p);
    for (int32_t workers = 1; workers < 4; workers++) {
        reset(p);
        run_parallel(blas, workers, &g, none);
        check_bits(p);
    }
    if (fgti_gemm_pack_suffices(blas, p->k, p->n)) check_packed(blas, p, scratch);
    free(scratch);
}

static void test_products(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{1, 1, 1},      {3, 40, 7},     {12, 32, 64},   {13, 33, 65},
                                        {1, 640, 601},  {2, 200, 1500}, {50, 256, 200}, {97, 320, 1030},
                                        {300, 9, 130},  {5, 7, 2},      {25, 47, 513},  {400, 700, 517},
                                        {11, 31, 1025}, {64, 16, 33}};
    const int            count       = make_forms();
    if (!count) skip();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int how = 0; how < 4; how++) {
            problem p = {.m      = shapes[s][0],
                         .n      = shapes[s][1],
                         .k      = shapes[s][2],
                         .ldc    = shapes[s][1] + how,
                         .turn_a = how & 1,
                         .turn_b = how & 2,
                         .beta   = how == 1};
            make_problem(&p);
            for (int i = 0; i < count; i++) check_form(&forms[i], &p);
            end_problem(&p);
        }
}

/* Plain C fuses nothing, and has the same bits: products of two bf16 are not rounded. */
static void test_reference(void **state)
{
    (void)state;
    const fgti_blas *blas    = &fgti_blas_ref;
    problem          p       = {.m = 21, .n = 30, .k = 77, .ldc = 31, .beta = 1};
    void            *scratch = aligned_alloc(64, (blas->scratch_bytes + 63) / 64 * 64);
    assert_non_null(scratch);
    make_problem(&p);
    const fgti_gemm g = gemm_of(&p);
    fgti_gemm_run(blas, scratch, &g);
    check_bits(&p);
    free(scratch);
    end_problem(&p);
}

/* What does not come near a tile reads nothing outside of it, and NaN and infinity stay what they are. */
static void test_special(void **state)
{
    (void)state;
    const int count = make_forms();
    if (!count) skip();
    for (int i = 0; i < count; i++) {
        problem p       = {.m = 14, .n = 35, .k = 9, .ldc = 35};
        void   *scratch = aligned_alloc(64, (forms[i].scratch_bytes + 63) / 64 * 64);
        assert_non_null(scratch);
        make_problem(&p);
        p.a[3 * p.k + 8]  = INFINITY;
        p.a[5 * p.k]      = NAN;
        const fgti_gemm g = gemm_of(&p);
        fgti_gemm_run(&forms[i], scratch, &g);
        for (int64_t r = 0; r < p.m; r++)
            for (int64_t j = 0; j < p.n; j++) {
                const float c = p.c[r * p.ldc + j];
                assert_true(r == 5 ? isnan(c) : r == 3 ? isinf(c) : c == p.want[r * p.ldc + j]);
            }
        free(scratch);
        end_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding),  cmocka_unit_test(test_tables),  cmocka_unit_test(test_products),
        cmocka_unit_test(test_reference), cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
