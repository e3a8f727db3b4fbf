/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops around a microkernel, on one thread.
 *
 * The V side is packed in blocks that stay in the second cache. For each block, the U side is packed panel by
 * panel just before its use, so that a panel is read from the first cache. Every element of C is one chain of
 * multiply-adds over k, which is divided at fixed steps. So the bits of an element do not depend on the tile
 * that computes it. */
#include <assert.h>
#include <string.h>

#include "blas/bf16.h"
#include "blas/pack.h"
#include "core/half.h"

/* The scratch of one worker; FGTI_GEMM_SCRATCH gives its size. */
struct buffers {
    fgti_real       *block;  /* memory for a block of V panels */
    fgti_real       *u;      /* one U panel */
    fgti_real       *strip;  /* a strip of the transposed product C' = B'A' */
    fgti_real       *turned; /* the strip, transposed again */
    const fgti_real *v;      /* the current block of V panels: `block`, or one that was packed before */
    bool             reversed;
    const fgti_vec  *round; /* rounds operands to bf16; NULL: operands are not rounded */
};

/* C = beta C, for products with k = 0 or alpha = 0. */
static void gemm_scale(const fgti_gemm *g)
{
    for (int64_t i = 0; i < g->m; i++) {
        fgti_real *c = g->c + i * g->ldc;
        if (g->beta == 0)
            for (int64_t j = 0; j < g->n; j++) c[j] = 0;
        else if (g->beta != 1)
            for (int64_t j = 0; j < g->n; j++) c[j] *= g->beta;
    }
}

/* Steps of k that take as long as the additional work for one tile of a transposed product. With few columns,
 * most of a tile of width v would be padding. The transposed product C' = B'A' has v along m and needs fewer
 * tiles, but its strips must be transposed before they are stored. */
#define TURN 24

bool fgti_gemm_is_turned(const fgti_kernel *kn, const fgti_gemm *g)
{
    const int64_t straight = fgti_parts(g->m, kn->u) * fgti_parts(g->n, kn->v);
    const int64_t turned   = fgti_parts(g->n, kn->u) * fgti_parts(g->m, kn->v);
    return straight * g->k > turned * (g->k + TURN);
}

/* Whether a product of many rows would not be transposed, so that it reads the packed B. A product of few
 * rows reads the packed B in the same cases: to pack B again would cost more than the tiles that it saves. */
bool fgti_gemm_pack_suffices(const fgti_blas *blas, int64_t k, int64_t n)
{
    const fgti_kernel *kn = blas->microkernel;
    return kn && fgti_round_up(n, kn->v) * k <= fgti_round_up(n, kn->u) * (k + TURN);
}

/* C[j][i] = strip[i][j] + beta C[j][i] for i < rows, j < n; ld is the distance between rows of the strip. */
static void put_turned(const struct buffers *s, int64_t rows, int64_t n, int64_t ld, fgti_real beta,
                       fgti_real *c, int64_t ldc)
{
    if (beta == 0) {
        fgti_pack_transpose(rows, n, s->strip, ld, c, ldc);
        return;
    }
    fgti_pack_transpose(rows, n, s->strip, ld, s->turned, rows);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i++) c[j * ldc + i] = s->turned[j * rows + i] + beta * c[j * ldc + i];
}

/* Up to a quarter of a tile's rows are computed one by one, without padding, because this is faster. The
 * kernel skx takes 2.4 microseconds for any number of rows up to 12 times [64,256], and a single row takes
 * 0.5. ROW_COLUMNS columns are computed at once. */
#define ROW_COLUMNS (16 * FGTI_ROW_BLOCKS)

bool fgti_gemm_has_few_rows(const fgti_kernel *kn, int64_t rows)
{
    return kn->vec && 4 * rows <= kn->u;
}

/* Returns the few rows from u0 on, steps p0 to p0 + kc. For bf16 the rows are a rounded copy. */
static fgti_side gemm_few_rows(const struct buffers *s, const fgti_side *us, int64_t u0, int64_t p0,
                               int64_t kc)
{
    const fgti_side few = {us->data + u0 * us->si + p0 * us->sp, us->count - u0, us->si, us->sp};
    if (!s->round) return few;
    for (int64_t i = 0; i < few.count; i++)
        for (int64_t p = 0; p < kc; p++) s->u[i * kc + p] = few.data[i * few.si + p * few.sp];
    s->round->round(few.count * kc, s->u, s->u);
    return (fgti_side){s->u, few.count, kc, 1};
}

/* run_block() for few rows. */
static void gemm_run_rows(const fgti_kernel *kn, const struct buffers *s, const fgti_side *us, int64_t u0,
                          int64_t nv, int64_t p0, int64_t kc, fgti_real alpha, fgti_real beta, fgti_real *c,
                          int64_t ldc)
{
    const fgti_side few   = gemm_few_rows(s, us, u0, p0, kc);
    const int64_t   parts = fgti_parts(nv, ROW_COLUMNS);
    for (int64_t part = 0; part < parts; part++) {
        const int64_t j = ROW_COLUMNS * (s->reversed ? parts - 1 - part : part);
        const int64_t n = fgti_least(ROW_COLUMNS, nv - j);
        for (int64_t i = 0; i < few.count; i++) {
            fgti_real y[ROW_COLUMNS], *to = c + (u0 + i) * ldc + j;
            if (n % 16 && beta != 0) memcpy(y, to, (size_t)n * sizeof *y);
            kn->vec->row(kc, kn->v, fgti_parts(n, 16), alpha, few.data + i * few.si, few.sp, s->v + j * kc,
                         beta, n % 16 ? y : to);
            if (n % 16) memcpy(to, y, (size_t)n * sizeof *y);
        }
    }
}

/* Multiplies all rows of the U side by one block of the V side, for one block of k. c points to the block of
 * C. */
static void run_block(const fgti_kernel *kn, const struct buffers *s, const fgti_side *us, int64_t nv,
                      int64_t p0, int64_t kc, fgti_real alpha, fgti_real beta, fgti_real *c, int64_t ldc,
                      bool turned)
{
    const int64_t padded = fgti_round_up(nv, kn->v), steps = fgti_steps(kn, kc);
    for (int64_t u0 = 0; u0 < us->count; u0 += kn->u) {
        const int64_t rows = fgti_least(kn->u, us->count - u0);
        if (!turned && fgti_gemm_has_few_rows(kn, rows)) {
            gemm_run_rows(kn, s, us, u0, nv, p0, kc, alpha, beta, c, ldc);
            return;
        }
        if (s->round)
            fgti_pack_block_bf16(kn, s->round, kn->u, us, u0, rows, p0, kc, s->u);
        else
            fgti_pack_panel(kn->u, rows, kc, us->data + u0 * us->si + p0 * us->sp, us->si, us->sp, s->u);
        if (turned) {
            kn->strip(rows, padded, steps, alpha, s->u, s->v, 0, s->strip, padded);
            put_turned(s, rows, nv, padded, beta, c + u0, ldc);
        } else {
            kn->strip(rows, nv, steps, alpha, s->u, s->v, beta, c + u0 * ldc, ldc);
        }
    }
}

/* Returns the rows of the V side in a block of kc steps of k. Blocks have equal sizes, and as many rows as
 * fit. */
static int64_t choose_rows(const fgti_kernel *kn, int64_t count, int64_t kc, bool turned)
{
    const int64_t limit = (turned ? FGTI_PANELS : FGTI_PANELS * FGTI_KC / kc) * kn->v;
    return fgti_round_up(fgti_parts(count, fgti_parts(count, limit)), kn->v);
}

/* Number of steps of k that pack_steps() packs for all panels before it packs the next ones. Each row of
 * memory is a step of k, and memory delivers more numbers of a row at a time than one panel needs. So the
 * next panels use the rest of these numbers while they are still in the cache. */
#define PACK_STEPS 16

/* Prefetches the pieces of rows that are packed next. The pieces are too short for the processor to
 * predict. */
static void fetch_rows(int64_t first, int64_t end, int64_t n, const fgti_real *x, int64_t ld)
{
    for (int64_t r = first; r < end; r++) fgti_fetch(n, x + r * ld);
}

/* Packs an operand whose rows in memory are steps of k. */
static void pack_steps(int64_t width, const fgti_real *src, int64_t ld, int64_t n, int64_t kb, fgti_real *dst)
{
    for (int64_t p = 0; p < kb; p += PACK_STEPS) {
        const int64_t steps = fgti_least(PACK_STEPS, kb - p), next = p + 2 * PACK_STEPS;
        fetch_rows(next, fgti_least(next + PACK_STEPS, kb), n, src, ld);
        for (int64_t i = 0; i < n; i += width)
            fgti_pack_panel(width, fgti_least(width, n - i), steps, src + p * ld + i, 1, ld,
                            dst + i * kb + p * width);
    }
}

void fgti_pack_block(int64_t width, const fgti_side *s, int64_t i0, int64_t n, int64_t p0, int64_t kb,
                     fgti_real *dst)
{
    const fgti_real *src = s->data + i0 * s->si + p0 * s->sp;
    if (s->si == 1 && n > width) {
        pack_steps(width, src, s->sp, n, kb, dst);
        return;
    }
    for (int64_t i = 0; i < n; i += width) {
        if (s->sp == 1) fetch_rows(i + width, fgti_least(i + 2 * width, n), kb, src, s->si);
        fgti_pack_panel(width, fgti_least(width, n - i), kb, src + i * s->si, s->si, s->sp, dst + i * kb);
    }
}

/* Computes the product. packed: the whole V side; if both pointers are NULL, the V side is packed here, block
 * by block. */
static void gemm_product(const fgti_kernel *kn, void *scratch, const fgti_gemm *g, bool turned,
                         fgti_packed packed)
{
    const fgti_side a = fgti_side_a(g), b = fgti_side_b(g), us = turned ? b : a, vs = turned ? a : b;
    const int64_t   kc = fgti_block_k(g->k), all = fgti_round_up(vs.count, kn->v);
    int64_t         nc = choose_rows(kn, vs.count, kc, turned);
    struct buffers  s  = {.block = scratch, .reversed = g->reversed, .round = g->bf16 ? g->vec : NULL};
    s.u                = s.block + (FGTI_PANELS * FGTI_KC + FGTI_ALIGN) * (int64_t)kn->v;
    s.strip            = s.u + FGTI_KC * (int64_t)kn->u;
    s.turned           = s.strip + FGTI_PANELS * (int64_t)kn->v * kn->u;
    /* V panels that are read only once need not stay in the second cache; where panels are narrow,
     * ROW_COLUMNS columns may exceed a block */
    if (!packed.data && !packed.half && !turned && fgti_gemm_has_few_rows(kn, g->m))
        nc = fgti_least(nc, ROW_COLUMNS);

    for (int64_t v0 = 0; v0 < vs.count; v0 += nc) {
        const int64_t nv = fgti_least(nc, vs.count - v0);
        for (int64_t p0 = 0; p0 < g->k; p0 += kc) {
            const int64_t kb = fgti_least(kc, g->k - p0);
            const int64_t at = fgti_steps(kn, p0) * all + v0 * fgti_steps(kn, kb);
            s.v              = packed.data ? packed.data + at : s.block;
            assert(packed.data || fgti_round_up(nv, kn->v) * kb <= FGTI_PANELS * FGTI_KC * (int64_t)kn->v);
            if (packed.half)
                g->vec->expand(fgti_round_up(nv, kn->v) * kb, packed.half + at, s.block);
            else if (!packed.data)
                fgti_pack_for(kn, g, kn->v, &vs, v0, nv, p0, kb, s.block);
            run_block(kn, &s, &us, nv, p0, kb, g->alpha, p0 ? 1 : g->beta, g->c + (turned ? v0 * g->ldc : v0),
                      g->ldc, turned);
        }
    }
}

void fgti_gemm_packed(const fgti_kernel *backend, void *scratch, const fgti_gemm *g)
{
    const fgti_kernel *kn = fgti_kernel_for(backend, g);
    if (g->m <= 0 || g->n <= 0) return;
    if (g->k <= 0 || g->alpha == 0)
        gemm_scale(g);
    else
        gemm_product(kn, scratch, g, fgti_gemm_is_turned(kn, g), (fgti_packed){NULL, NULL});
}

/* Without a microkernel B is copied as a plain matrix, row after row. */
static void gemm_pack_rows(int64_t k, int64_t n, const fgti_side *vs, fgti_real *packed)
{
    for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < n; j++) packed[p * n + j] = vs->data[j * vs->si + p * vs->sp];
}

void fgti_gemm_pack(const fgti_blas *blas, int64_t k, int64_t n, const fgti_real *b, int64_t rsb, int64_t csb,
                    fgti_real *packed)
{
    const fgti_kernel *kn = blas->microkernel;
    const fgti_side    vs = {b, n, csb, rsb};
    if (k <= 0 || n <= 0) return;
    if (!kn) {
        gemm_pack_rows(k, n, &vs, packed);
        return;
    }
    const int64_t kc = fgti_block_k(k);
    for (int64_t p0 = 0; p0 < k; p0 += kc) {
        const int64_t kb = fgti_least(kc, k - p0);
        fgti_pack_block(kn->v, &vs, 0, n, p0, kb, packed);
        packed += fgti_round_up(n, kn->v) * kb;
    }
}

/* Each panel is packed in scratch first. */
void fgti_gemm_pack_half(const fgti_blas *blas, void *scratch, int64_t k, int64_t n, const fgti_real *b,
                         int64_t rsb, int64_t csb, uint16_t *packed)
{
    const fgti_kernel *kn    = blas->microkernel;
    const fgti_side    vs    = {b, n, csb, rsb};
    const int64_t      kc    = fgti_block_k(k);
    fgti_real         *panel = scratch;
    for (int64_t p0 = 0; p0 < k; p0 += kc) {
        const int64_t kb = fgti_least(kc, k - p0), size = kn->v * kb;
        for (int64_t j = 0; j < n; j += kn->v, packed += size) {
            fgti_pack_block(kn->v, &vs, j, fgti_least(kn->v, n - j), p0, kb, panel);
            for (int64_t i = 0; i < size; i++) packed[i] = fgti_half_of(panel[i]);
        }
    }
}

void fgti_gemm_run_packed(const fgti_blas *blas, void *scratch, const fgti_gemm *g, fgti_packed packed)
{
    if (g->m <= 0 || g->n <= 0) return;
    if (g->k <= 0 || g->alpha == 0) {
        gemm_scale(g);
    } else if (blas->microkernel) {
        const fgti_kernel *kn = fgti_kernel_for(blas->microkernel, g);
        gemm_product(kn, scratch, g, false, fgti_packed_for(kn, packed));
    } else {
        fgti_gemm plain = *g;
        plain.b         = packed.data;
        plain.rsb       = g->n;
        plain.csb       = 1;
        blas->gemm(scratch, &plain);
    }
}
