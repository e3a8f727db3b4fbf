/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products of every backend there is against a sum in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blas/block.h"
#include "blas/pack.h"
#include "core/half.h"
#include "blas/tile.h"

#define CANARY   1234.5f
#define GUARD    64           /* elements before and behind C */
#define BEHIND   (1 << 16)    /* bytes behind a worker's scratch */
#define EPS      5.9604645e-8 /* 2^-24 */
#define BACKENDS 2

static const fgti_blas *backend(int i)
{
    return i == 0 ? fgti_blas_get(false, true) : &fgti_blas_ref;
}

static uint32_t seed = 1;

static int small_int(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 24) % 7 - 3;
}

static float uniform(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) * 0x1p-23f - 1;
}

/* How an operand lies in memory. */
enum layout { ROWS, COLUMNS, WIDE_ROWS, SCATTERED, BACKWARDS, REPEATED, LAYOUTS };

struct operand {
    float  *memory;
    float  *data; /* element (0,0) */
    int64_t rs, cs;
};

static struct operand make_operand(enum layout layout, int64_t rows, int64_t cols, bool integers)
{
    struct operand o    = {0};
    int64_t        size = rows * cols;
    switch (layout) {
    case ROWS: o.rs = cols, o.cs = 1; break;
    case COLUMNS: o.rs = 1, o.cs = rows; break;
    case WIDE_ROWS: o.rs = cols + 5, o.cs = 1, size = rows * (cols + 5); break;
    case SCATTERED: o.rs = 2 * cols + 3, o.cs = 2, size = rows * (2 * cols + 3); break;
    case BACKWARDS: o.rs = -cols, o.cs = -1; break;
    default: o.rs = 0, o.cs = 1, size = cols; /* every row the same */
    }
    o.memory = malloc((size_t)size * sizeof *o.memory);
    assert_non_null(o.memory);
    for (int64_t i = 0; i < size; i++) o.memory[i] = integers ? (float)small_int() : uniform();
    o.data = o.memory + (layout == BACKWARDS ? size - 1 : 0);
    return o;
}

struct problem {
    int64_t     m, n, k, gap; /* ldc = n + gap */
    float       alpha, beta;
    enum layout a, b;
    bool        integers;
};

/* Nothing was written behind a worker's scratch, all of which was 0x7f. */
static void check_behind(const char *end)
{
    assert_int_equal(end[0], 0x7f);
    assert_memory_equal(end, end + 1, BEHIND - 1);
}

static void run(const fgti_blas *blas, const fgti_gemm *g)
{
    const size_t bytes   = (blas->scratch_bytes + BEHIND + 63) / 64 * 64;
    char        *scratch = aligned_alloc(64, bytes);
    assert_non_null(scratch);
    memset(scratch, 0x7f, bytes); /* huge numbers, so that a read of what was not packed shows */
    blas->gemm(scratch, g);
    check_behind(scratch + blas->scratch_bytes);
    free(scratch);
}

/* The same with B packed before, in memory of just the promised size. */
static void run_packed(const fgti_blas *blas, const fgti_gemm *g)
{
    const size_t bytes  = ((size_t)fgti_gemm_pack_size(blas, g->k, g->n) * sizeof(float) + 63) / 64 * 64;
    char        *packed = aligned_alloc(64, bytes + GUARD);
    assert_non_null(packed);
    memset(packed, 0x7f, bytes + GUARD);
    fgti_gemm_pack(blas, g->k, g->n, g->b, g->rsb, g->csb, (float *)packed);
    for (size_t i = bytes; i < bytes + GUARD; i++) assert_int_equal(packed[i], 0x7f);
    const size_t room    = (blas->scratch_bytes + 63) / 64 * 64;
    char        *scratch = aligned_alloc(64, room);
    assert_non_null(scratch);
    fgti_gemm without = *g;
    without.b         = NULL;
    fgti_gemm_run_packed(blas, scratch, &without, (fgti_packed){(float *)packed, NULL});
    free(scratch);
    free(packed);
}

/* Every element within (k + 4) roundings of the sum of magnitudes; integers exactly. */
static void compare(const struct problem *p, const struct operand *a, const struct operand *b,
                    const float *before, const float *c)
{
    const int64_t ldc = p->n + p->gap;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < ldc; j++) {
            if (j >= p->n) {
                assert_true(c[i * ldc + j] == CANARY);
                continue;
            }
            double sum = 0, size = 0;
            for (int64_t q = 0; p->alpha != 0 && q < p->k; q++) {
                const double t =
                    (double)a->data[i * a->rs + q * a->cs] * (double)b->data[q * b->rs + j * b->cs];
                sum += t;
                size += fabs(t);
            }
            const double old = p->beta == 0 ? 0 : (double)p->beta * (double)before[i * ldc + j];
            const double err = fabs((double)c[i * ldc + j] - (p->alpha * sum + old));
            const double max =
                p->integers ? 0 : EPS * (double)(p->k + 4) * (fabs(p->alpha * size) + fabs(old));
            if (!(err <= max))
                fail_msg("m %d n %d k %d layouts %d %d alpha %g beta %g at %d,%d: error %g, allowed %g",
                         (int)p->m, (int)p->n, (int)p->k, p->a, p->b, (double)p->alpha, (double)p->beta,
                         (int)i, (int)j, err, max);
        }
}

/* The bits of the product that stands in C, with and without a microkernel. Other factors than 0 and 1 may be
 * rounded elsewhere at the edges. */
static void compare_packed(const fgti_blas *blas, const struct problem *p, const fgti_gemm *g,
                           const float *before)
{
    const size_t bytes = (size_t)(p->m * g->ldc) * sizeof(float);
    const bool   exact = p->integers || ((p->beta == 0 || p->beta == 1) && p->alpha == 1);
    fgti_blas    plain = *blas;
    float       *c     = malloc(bytes);
    assert_non_null(c);
    plain.microkernel = NULL;
    for (int i = 0; i < 2; i++) {
        fgti_gemm again = *g;
        again.c         = memcpy(c, before, bytes);
        again.reversed  = p->k % 2;
        run_packed(i ? &plain : blas, &again);
        for (int64_t j = 0; j < p->m * g->ldc; j++)
            assert_true(fabs((double)c[j] - (double)g->c[j]) <=
                        (exact ? 0 : EPS * 4 * (double)(p->k + 4) * (1 + fabs((double)g->c[j]))));
    }
    free(c);
}

static void check(const fgti_blas *blas, const struct problem *p)
{
    const int64_t  ldc  = p->n + p->gap;
    const size_t   size = (size_t)(p->m * ldc);
    struct operand a    = make_operand(p->a, p->m, p->k, p->integers);
    struct operand b    = make_operand(p->b, p->k, p->n, p->integers);
    float         *buf = malloc((size + 2 * GUARD) * sizeof *buf), *before = malloc(size * sizeof *before);
    assert_true(buf && before);
    float *c = buf + GUARD;
    for (size_t i = 0; i < size + 2 * GUARD; i++) buf[i] = CANARY;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++)
            c[i * ldc + j] = p->beta == 0 ? NAN : p->integers ? (float)small_int() : uniform();
    memcpy(before, c, size * sizeof *c);
    const fgti_gemm g = {p->m, p->n,   p->k, p->alpha, p->beta, a.data, a.rs,
                         a.cs, b.data, b.rs, b.cs,     c,       ldc,    false,  NULL, 0, NULL, false};
    run(blas, &g);
    for (size_t i = 0; i < GUARD; i++) assert_true(buf[i] == CANARY && c[size + i] == CANARY);
    compare(p, &a, &b, before, c);
    compare_packed(blas, p, &g, before);
    free(a.memory);
    free(b.memory);
    free(buf);
    free(before);
}

/* ---- the tests ---- */

static void test_edges(void **unused)
{
    (void)unused;
    static const int64_t some[] = {1, 5, 12, 13, 32, 33, 67};
    for (int i = 0; i < BACKENDS; i++) {
        for (int64_t m = 1; m <= 67; m++)
            for (int64_t n = 1; n <= 67; n++)
                check(backend(i), &(struct problem){.m = m, .n = n, .k = 1 + (m + n) % 9, .alpha = 1});
        for (int64_t k = 1; k <= 67; k++)
            for (int64_t j = 0; j < 49; j++)
                check(backend(i),
                      &(struct problem){some[j / 7], some[j % 7], k, 3, 1, 1, ROWS, COLUMNS, false});
    }
}

static void test_large(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{500, 3, 20},    {3, 500, 20},   {5, 70, 1500},  {100, 700, 400},
                                        {33, 1000, 700}, {700, 7, 1000}, {64, 64, 3072}, {1, 1, 5000},
                                        {1, 3000, 8},    {3000, 1, 8},   {96, 96, 385},  {40, 2500, 13},
                                        {2500, 9, 13},   {130, 40, 769}};
    for (int i = 0; i < BACKENDS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            check(backend(i), &(struct problem){shapes[s][0], shapes[s][1], shapes[s][2], 2, 1, 1,
                                                s % 2 ? COLUMNS : ROWS, ROWS, false});
}

static void test_layouts_and_factors(void **unused)
{
    (void)unused;
    static const float   alphas[] = {1, -0.5f, 0}, betas[] = {0, 1, 0.75f};
    static const int64_t shapes[][3] = {{13, 35, 18}, {45, 6, 17}, {3, 2, 5}, {24, 64, 400}};
    for (int i = 0; i < BACKENDS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int f = 0; f < 9; f++)
                for (int l = 0; l < LAYOUTS * LAYOUTS; l++)
                    check(backend(i),
                          &(struct problem){shapes[s][0], shapes[s][1], shapes[s][2], 1, alphas[f / 3],
                                            betas[f % 3], (enum layout)(l / LAYOUTS),
                                            (enum layout)(l % LAYOUTS), false});
}

/* Sums of small integers are exact in float, in any order. */
static void test_integers(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{67, 67, 67}, {50, 100, 800}, {100, 5, 300}, {7, 7, 7}};
    for (int i = 0; i < BACKENDS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int f = 0; f < 4; f++)
                check(backend(i),
                      &(struct problem){shapes[s][0], shapes[s][1], shapes[s][2], 0, f & 1 ? -2.0f : 1.0f,
                                        f & 2 ? 4.0f : 0.0f, ROWS, ROWS, true});
}

static void test_empty(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2 * BACKENDS; i++) {
        void (*product)(const fgti_blas *blas, const fgti_gemm *g) = i % 2 ? run_packed : run;
        float     c[6] = {1, 2, CANARY, 3, 4, CANARY}, x[1] = {NAN};
        fgti_gemm g = {.m = 2, .n = 2, .alpha = 1, .beta = 2, .a = x, .b = x, .c = c, .ldc = 3};
        product(backend(i / 2), &g);
        assert_true(c[0] == 2 && c[1] == 4 && c[2] == CANARY && c[3] == 6 && c[4] == 8 && c[5] == CANARY);
        g.m = 0;
        product(backend(i / 2), &g);
        g.m = 2, g.n = 0;
        product(backend(i / 2), &g);
        assert_true(c[0] == 2 && c[4] == 8);
        c[0] = NAN, g.n = 2, g.beta = 0;
        product(backend(i / 2), &g);
        assert_true(c[0] == 0 && c[4] == 0 && c[5] == CANARY);
    }
}

/* NaN and infinity reach exactly the elements whose sums hold them; inf * 0 is NaN. */
static void test_nonfinite(void **unused)
{
    (void)unused;
    enum { M = 37, N = 41, K = 19 };
    for (int i = 0; i < BACKENDS; i++) {
        static float a[M * K], b[K * N], c[M * N];
        for (int j = 0; j < M * K; j++) a[j] = 1 + fabsf(uniform());
        for (int j = 0; j < K * N; j++) b[j] = 1 + fabsf(uniform());
        a[5 * K + 3]      = NAN;
        a[36 * K + 7]     = INFINITY;
        b[7 * N + 11]     = 0;
        b[2 * N + 40]     = -INFINITY;
        const fgti_gemm g = {M, N, K, 1, 0, a, K, 1, b, N, 1, c, N, false, NULL, 0, NULL, false};
        run(backend(i), &g);
        for (int r = 0; r < M; r++)
            for (int j = 0; j < N; j++) {
                const float v       = c[r * N + j];
                const bool  nan     = r == 5 || (r == 36 && (j == 11 || j == 40));
                const bool  infinit = !nan && (r == 36 || j == 40);
                assert_int_equal(isnan(v) != 0, nan);
                assert_int_equal(isinf(v) != 0, infinit);
            }
    }
}

static int runs;

static void count_runs(void *user, int32_t workers, void (*task)(void *arg, int32_t worker), void *arg)
{
    (void)user;
    runs++;
    for (int32_t i = workers - 1; i >= 0; i--) task(arg, i);
}

/* shared: bytes for all workers together; 0: none. packed: B, or NULL. */
static const fgti_packed unpacked = {NULL, NULL};

static void parallel_product(int32_t workers, bool host, size_t shared, const fgti_blas *blas,
                             const fgti_gemm *g, fgti_packed packed)
{
    const fgt_executor executor = {.size = sizeof executor, .run = count_runs};
    fgt_context       *ctx;
    assert_int_equal(
        fgt_context_create(
            &FGT_OPTS(fgt_context_opts, .threads = workers, .executor = host ? &executor : NULL), &ctx),
        FGT_OK);
    fgti_exec exec;
    assert_int_equal(
        fgti_exec_init(ctx, &exec, workers, host ? &executor : NULL, blas->scratch_bytes + BEHIND), FGT_OK);
    if (shared) assert_int_equal(fgti_exec_share(ctx, &exec, shared), FGT_OK);
    memset(exec.worker_scratch, 0x7f, exec.worker_bytes * (size_t)workers);
    if (shared) memset(exec.shared, 0x7f, shared);
    if (packed.data || packed.half)
        fgti_gemm_parallel_packed(blas, &exec, g, packed);
    else
        fgti_gemm_parallel(blas, &exec, g);
    for (int32_t i = 0; i < workers; i++)
        check_behind((char *)fgti_worker_scratch(&exec, i) + blas->scratch_bytes);
    fgti_exec_done(ctx, &exec);
    fgt_context_destroy(&ctx);
}

/* The same bits from any number of workers, in any order; weight gradients are split too. */
static void test_workers(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {
        {64, 64, 3072}, {300, 200, 150}, {7, 500, 900}, {1500, 10, 200}, {700, 700, 300}};
    for (int i = 0; i < BACKENDS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const int64_t  m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
            const size_t   bytes = (size_t)(m * n) * sizeof(float);
            struct operand a = make_operand(COLUMNS, m, k, false), b = make_operand(ROWS, k, n, false);
            float         *c[5];
            for (int l = 0; l < 5; l++) {
                static const int32_t workers[] = {1, 2, 3, 5, 2};

                c[l] = calloc(1, bytes);
                assert_non_null(c[l]);
                const fgti_gemm g = {m,    n,      k,    1,    0.5f, a.data, a.rs,
                                     a.cs, b.data, b.rs, b.cs, c[l], n,      false, NULL, 0,    NULL, false};
                runs              = 0;
                parallel_product(workers[l], l == 4, 0, backend(i), &g, unpacked);
                assert_memory_equal(c[l], c[0], bytes);
            }
            assert_int_equal(runs, 1);
            for (int64_t j = 0; j < m * n; j += 97) {
                double sum = 0, size = 0;
                for (int64_t q = 0; q < k; q++) {
                    const double t = (double)a.data[j / n + q * m] * (double)b.data[q * n + j % n];
                    sum += t;
                    size += fabs(t);
                }
                assert_true(fabs((double)c[0][j] - sum) <= EPS * (double)(k + 4) * size);
            }
            for (int l = 0; l < 5; l++) free(c[l]);
            free(a.memory);
            free(b.memory);
        }
}

/* Large products, packed together: the bits of one thread alone, whatever the memory. */
static void check_shared(const fgti_blas *blas, const fgti_gemm *g)
{
    static const int32_t workers[] = {1, 2, 3, 2};
    const size_t         bytes     = (size_t)(g->m * g->ldc) * sizeof(float);
    float               *before = malloc(bytes), *alone = malloc(bytes), *c = malloc(bytes);
    fgti_gemm            other = *g;
    assert_true(before && alone && c);
    for (int64_t j = 0; j < g->m * g->ldc; j++) before[j] = uniform();
    other.c = memcpy(alone, before, bytes);
    run(blas, &other);
    for (int l = 0; l < 4; l++) {
        other.c = memcpy(c, before, bytes);
        runs    = 0;
        parallel_product(workers[l], l == 3, l == 2 ? 300000 : blas->shared_bytes, blas, &other, unpacked);
        assert_memory_equal(c, alone, bytes);
    }
    if (blas->microkernel && !fgti_gemm_is_turned(blas->microkernel, g))
        assert_true(runs > 1); /* one to pack, one to multiply */
    free(before);
    free(alone);
    free(c);
}

static void test_shared(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{300, 1500, 800}, {97, 2100, 520}, {1001, 131, 900}, {60, 270, 3000}};
    for (int i = 0; i < BACKENDS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int l = 0; l < 4; l++) {
                const int64_t  m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
                struct operand a = make_operand(l & 1 ? COLUMNS : ROWS, m, k, false);
                struct operand b = make_operand(l & 2 ? COLUMNS : WIDE_ROWS, k, n, false);
                check_shared(backend(i), &(fgti_gemm){m, n, k, 1, 1, a.data, a.rs, a.cs, b.data, b.rs, b.cs,
                                                      NULL, n + 3, false, NULL, 0, NULL, false});
                free(a.memory);
                free(b.memory);
            }
}

/* The same bits when B was packed before: few rows, one step of k and several, turned products. */
static void test_packed_before(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{1, 700, 600},   {3, 1800, 900},  {4, 2100, 1100}, {50, 300, 200},
                                        {96, 1280, 512}, {97, 333, 1030}, {900, 20, 800},  {5, 5, 0}};
    for (int i = 0; i < BACKENDS; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int l = 0; l < 6; l++) {
                const fgti_blas *blas = backend(i);
                const int64_t    m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
                const size_t     bytes = (size_t)(m * (n + 3)) * sizeof(float);
                struct operand   a     = make_operand(ROWS, m, k, false);
                struct operand   b     = make_operand(l & 1 ? COLUMNS : ROWS, k, n, false);
                float           *alone = calloc(1, bytes), *c = calloc(1, bytes);
                const size_t     room   = (size_t)fgti_gemm_pack_size(blas, k, n) * sizeof(float);
                float           *packed = aligned_alloc(64, (room + 63) / 64 * 64);
                assert_true(alone && c && packed);
                fgti_gemm g = {m,    n,    k,     1,     0,     a.data, a.rs, a.cs, b.data,
                               b.rs, b.cs, alone, n + 3, false, NULL,   0,    NULL, false};
                run(blas, &g);
                fgti_gemm_pack(blas, k, n, b.data, b.rs, b.cs, packed);
                g.c = c;
                parallel_product(1 + l / 2, l == 5, 0, blas, &g, (fgti_packed){packed, NULL});
                assert_memory_equal(c, alone, bytes);
                free(packed);
                free(c);
                free(alone);
                free(a.memory);
                free(b.memory);
            }
}

/* ---- bf16, and bias ---- */

static void check_half(const fgti_blas *blas, bool integers, int64_t m, int64_t n, int64_t k, int32_t workers)
{
    struct operand a = make_operand(ROWS, m, k, integers), b = make_operand(COLUMNS, k, n, integers);
    const size_t   bytes = (size_t)(m * n) * sizeof(float);
    float         *c = calloc(1, bytes), *want = calloc(1, bytes), *bias = calloc((size_t)n, sizeof *bias);
    const int64_t  room    = fgti_gemm_pack_size(blas, k, n);
    uint16_t      *half    = calloc((size_t)room, sizeof *half);
    void          *scratch = aligned_alloc(64, (blas->scratch_bytes + 63) / 64 * 64);
    assert_true(c && want && bias && half && scratch);
    for (int64_t j = 0; j < n; j++) bias[j] = uniform();
    fgti_gemm g = {m,    n, k, 1,     0,    a.data, a.rs,              a.cs,  b.data, b.rs,
                   b.cs, c, n, false, bias, n - 1,  fgti_vec_get(NULL), false};
    fgti_gemm_pack_half(blas, scratch, k, n, b.data, b.rs, b.cs, half);
    parallel_product(workers, false, 0, blas, &g, (fgti_packed){NULL, half});
    for (int64_t i = 0; i < k * n; i++) {
        const uint16_t h = fgti_half_of(b.memory[i]);
        g.vec->expand(1, &h, &b.memory[i]);
    }
    g.c    = want;
    g.bias = NULL;
    run(blas, &g);
    for (int64_t i = 0; i < m * n; i++)
        if (i % n < n - 1) want[i] += bias[i % n];
    assert_memory_equal(c, want, bytes);
    free(scratch);
    free(half);
    free(bias);
    free(want);
    free(c);
    free(a.memory);
    free(b.memory);
}

/* The products of the rounded matrix, and a bias that is added as if it came afterwards. */
static void test_half(void **unused)
{
    (void)unused;
    static const int64_t shapes[][3] = {{1, 640, 600}, {3, 1792, 900},  {50, 256, 200},
                                        {96, 1280, 512}, {97, 320, 1030}, {400, 1600, 700}};
    const fgti_blas     *blas        = backend(0);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int32_t workers = 1; workers < 4; workers++)
            if (fgti_gemm_pack_suffices(blas, shapes[s][2], shapes[s][1]))
                check_half(blas, false, shapes[s][0], shapes[s][1], shapes[s][2], workers);
}

/* A product of no element, or without a sum, reads neither of them. */
static void test_suffices(void **unused)
{
    (void)unused;
    const fgti_blas *blas = backend(0);
    float            c[6] = {1, 2, 3, 4, 5, 6};
    fgti_gemm        g    = {.m = 2, .n = 3, .alpha = 1, .beta = 1, .a = c, .b = c, .c = c, .ldc = 3};
    assert_true(fgti_gemm_pack_suffices(blas, 512, 512));
    parallel_product(2, false, 0, blas, &g, (fgti_packed){c, NULL});
    assert_true(c[0] == 1 && c[5] == 6);
    g.n = 0;
    parallel_product(2, false, 0, blas, &g, (fgti_packed){c, NULL});
}

static void test_panels(void **unused)
{
    (void)unused;
    enum { ROOM = 33 * 150 };
    static float src[33 * 160], dst[ROOM + 1];
    for (int i = 0; i < 33 * 160; i++) src[i] = (float)i;
    for (int64_t width = 1; width <= 33; width++)
        for (int64_t k = 1; k <= 150; k += k < 20 ? 1 : 43)
            for (int64_t count = width; count >= 1; count -= 3)
                for (int way = 0; way < 3; way++) {
                    static const int64_t ways[3][2] = {{1, 34}, {151, 1}, {2, 31}};
                    const int64_t        si = ways[way][0], sp = ways[way][1];
                    dst[width * k] = CANARY;
                    fgti_pack_panel(width, count, k, src, si, sp, dst);
                    for (int64_t p = 0; p < k; p++)
                        for (int64_t i = 0; i < width; i++)
                            assert_true(dst[p * width + i] == (i < count ? src[i * si + p * sp] : 0));
                    assert_true(dst[width * k] == CANARY);
                }
}

enum { TILE_V = 16, TILE_ROOM = 64 };
static int64_t tile_u, tile_v = TILE_V;

static void plain_strip(int64_t rows, int64_t n, int64_t k, float alpha, const float *up, const float *vp,
                        float beta, float *c, int64_t ldc)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            const float *panel = vp + j / tile_v * tile_v * k + j % tile_v;
            float        sum   = 0;
            for (int64_t p = 0; p < k; p++) sum += up[p * tile_u + i] * panel[p * tile_v];
            c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];
        }
}

/* Rows that whole tiles leave over, of tiles with few rows too: nothing behind the last tile is touched. */
static void check_rows_left(bool has_strip)
{
    enum { K = 5 };
    static const int32_t heights[] = {2, 3, 4, 6, 8, 12, 14};
    float                x[TILE_ROOM * K], up[TILE_ROOM * K], vp[K * TILE_V], c[(TILE_ROOM + 1) * TILE_V];
    for (int i = 0; i < TILE_ROOM * K; i++) x[i] = (float)small_int();
    for (int i = 0; i < K * TILE_V; i++) vp[i] = (float)small_int();
    for (size_t h = 0; h < sizeof heights / sizeof *heights; h++)
        for (int64_t n = 1; n <= 2 * heights[h]; n++) {
            const int64_t     u = tile_u = heights[h], whole = fgti_round_up(n, u);
            const fgti_kernel kn = {.u     = (int32_t)u,
                                    .v     = TILE_V,
                                    .strip = has_strip ? plain_strip : NULL,
                                    .vec   = fgti_vec_get(NULL)};
            if (!has_strip && u % 4) continue;
            fgti_tile_pack(u, n, K, x, K, 1, up, u * K);
            for (int64_t i = whole * TILE_V; i < (TILE_ROOM + 1) * TILE_V; i++) c[i] = CANARY;
            fgti_tile_product(&kn, n, K, 1, up, u * K, vp, 0, c);
            for (int64_t i = 0; i < n * TILE_V; i++) {
                float want = 0;
                for (int64_t p = 0; p < K; p++) want += x[i / TILE_V * K + p] * vp[p * TILE_V + i % TILE_V];
                assert_true(c[i] == want);
            }
            for (int64_t i = whole * TILE_V; i < (TILE_ROOM + 1) * TILE_V; i++) assert_true(c[i] == CANARY);
        }
}

static void test_rows_left(void **unused)
{
    (void)unused;
    check_rows_left(true);
    check_rows_left(false); /* our own kernel: `product` does all */
}

static fgti_kernel shaped;

static void shaped_gemm(void *scratch, const fgti_gemm *g)
{
    fgti_gemm_packed(&shaped, scratch, g);
}

/* Every way through a worker's scratch, with tiles of the shapes that BLIS has on any processor: no block is
 * larger than its place. Sums of small integers do not depend on who adds them up. */
static void test_shapes_of_tiles(void **unused)
{
    (void)unused;
    static const int32_t tiles[][2]  = {{4, 8},  {12, 8},  {3, 16},  {4, 16},  {6, 16},
                                        {8, 16}, {24, 16}, {12, 32}, {10, 64}, {64, 64}};
    static const int64_t shapes[][3] = {{1, 128, 512}, {1, 600, 426}, {1, 113, 1000}, {3, 200, 512},
                                        {6, 130, 950}, {13, 97, 64},  {300, 2, 512},  {70, 300, 512}};
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
        tile_u = tiles[t][0], tile_v = tiles[t][1];
        const bool      row  = tile_v == 16 || tile_v == 32;
        const fgti_blas blas = {.tile_rows     = tiles[t][0],
                                .tile_cols     = tiles[t][1],
                                .scratch_bytes = FGTI_GEMM_SCRATCH(tile_u, tile_v),
                                .shared_bytes  = FGTI_GEMM_SHARED,
                                .gemm          = shaped_gemm,
                                .microkernel   = &shaped};
        shaped = (fgti_kernel){.u = tiles[t][0], .v = tiles[t][1], .strip = plain_strip};
        if (row) shaped.vec = fgti_vec_get(NULL);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const int64_t  m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
            struct operand a = make_operand(ROWS, m, k, true), b = make_operand(COLUMNS, k, n, true);
            check(&blas, &(struct problem){m, n, k, 1, 1, 1, ROWS, COLUMNS, true});
            if (m * n > 20000)
                check_shared(&blas, &(fgti_gemm){m, n, k, 1, 1, a.data, a.rs, a.cs, b.data, b.rs, b.cs, NULL,
                                                 n, false, NULL, 0, NULL, false});
            if (fgti_gemm_pack_suffices(&blas, k, n)) check_half(&blas, true, m, n, k, 2);
            free(a.memory);
            free(b.memory);
        }
    }
    tile_v = TILE_V;
}

/* A row has the same bits in a product of m rows, at the edge of which it may fall, and in one of many. */
static void test_rows_alone(void **unused)
{
    (void)unused;
    enum { MOST = 48, N = 70 };
    static const int64_t depths[] = {1, 16, 64, 600};
    for (int i = 0; i < BACKENDS; i++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            for (int beta = 0; beta < 2; beta++) {
                const int64_t  k = depths[d];
                struct operand a = make_operand(ROWS, MOST, k, false), b = make_operand(ROWS, k, N, false);
                float          all[MOST * N], few[MOST * N];
                for (int j = 0; j < MOST * N; j++) all[j] = 1;
                fgti_gemm g = fgti_gemm_nn(MOST, N, k, a.data, a.rs, b.data, b.rs, beta, all, N);
                run(backend(i), &g);
                for (g.m = 1, g.c = few; g.m < MOST; g.m++) {
                    for (int j = 0; j < MOST * N; j++) few[j] = 1;
                    run(backend(i), &g);
                    assert_memory_equal(few, all, (size_t)(g.m * N) * sizeof *few);
                }
                free(a.memory);
                free(b.memory);
            }
}

/* The kernels of a context depend on the processor and on its `products` alone. */
static void test_own_kernel(void **unused)
{
    (void)unused;
    const fgti_blas *with = fgti_blas_get(false, true), *without = fgti_blas_get(false, false);
    assert_ptr_equal(with, fgti_blas_get(true, true));
    assert_ptr_equal(with->microkernel, without->microkernel);
    assert_null(without->own);
    assert_ptr_equal(fgti_tile_kernel_for(without, 1), fgti_tile_kernel(without));
    assert_ptr_equal(fgti_tile_kernel_for(with, 1), with->own ? with->own : fgti_tile_kernel(with));
    assert_ptr_equal(fgti_tile_kernel_for(with, with->own_width + 1), fgti_tile_kernel(with));
    assert_int_equal(strcmp(with->kernel, without->kernel) != 0, with->own != NULL);
    if (!with->own) return;
    assert_int_equal(with->own->u % 4 + with->own->v % 16, 0);
    for (int64_t n = 1; n < 200; n++) /* packed weights have room for its U panels, too */
        assert_true(fgti_gemm_pack_size(with, 1, n) >= fgti_round_up(n, with->own->u) + FGTI_TILE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panels),    cmocka_unit_test(test_edges),
        cmocka_unit_test(test_large),     cmocka_unit_test(test_layouts_and_factors),
        cmocka_unit_test(test_integers),  cmocka_unit_test(test_empty),
        cmocka_unit_test(test_nonfinite), cmocka_unit_test(test_workers),
        cmocka_unit_test(test_shared),    cmocka_unit_test(test_packed_before),
        cmocka_unit_test(test_rows_left), cmocka_unit_test(test_half),
        cmocka_unit_test(test_suffices),  cmocka_unit_test(test_rows_alone),
        cmocka_unit_test(test_own_kernel), cmocka_unit_test(test_shapes_of_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
