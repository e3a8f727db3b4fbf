/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops around a microkernel, and the split of one product over the lanes.
 *
 * The V side is packed in blocks that stay in the L2 cache; for each of them the U side is packed
 * panel by panel just before its use, so that it is read from L1. Every element of C is one chain of
 * multiply-adds over k, cut at fixed places, whatever tile it falls into. */
#include "blas/kernel.h"
#include "blas/pack.h"

/* One operand as a microkernel sees it: element (i,p) at data[i*si + p*sp], i < count. */
struct side {
    const fgti_real *data;
    int64_t          count, si, sp;
};

/* One lane's scratch, cut as FGTI_GEMM_SCRATCH counts. */
struct buffers {
    fgti_real       *block;  /* room for a block of V panels */
    fgti_real       *u;      /* one U panel */
    fgti_real       *strip;  /* a strip of the transposed product */
    fgti_real       *turned; /* the same, turned */
    const fgti_real *v;      /* the block of V panels in use, there or packed before */
};

static int64_t parts_of(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

static int64_t round_up(int64_t n, int64_t step)
{
    return parts_of(n, step) * step;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* C = beta C, for products without a sum. */
static void scale(const fgti_gemm *g)
{
    for (int64_t i = 0; i < g->m; i++) {
        fgti_real *c = g->c + i * g->ldc;
        if (g->beta == 0)
            for (int64_t j = 0; j < g->n; j++) c[j] = 0;
        else if (g->beta != 1)
            for (int64_t j = 0; j < g->n; j++) c[j] *= g->beta;
    }
}

/* With few columns most of a tile as wide as v would be padding, and the transposed product, v along m,
 * needs fewer tiles. Its strips must be turned before they reach C: TURN in steps of k per tile. */
#define TURN 24

static bool turned_is_cheaper(const fgti_kernel *kn, const fgti_gemm *g)
{
    const int64_t straight = parts_of(g->m, kn->u) * parts_of(g->n, kn->v);
    const int64_t turned   = parts_of(g->n, kn->u) * parts_of(g->m, kn->v);
    return straight * g->k > turned * (g->k + TURN);
}

/* C[j][i] = strip[i][j] + beta C[j][i] for i < rows, j < n; strip at distance ld. */
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

/* Up to a quarter of a tile's rows go faster one by one, without padding: for any number of rows up to 12
 * skx takes 2.4 microseconds times [64,256], a row alone 0.5. Columns that it takes at once: */
#define ROW_COLUMNS (16 * FGTI_ROW_BLOCKS)

static bool few_rows(const fgti_kernel *kn, int64_t rows)
{
    return kn->vec && 4 * rows <= kn->u;
}

/* run_block for a few rows, from u0 on. */
static void run_rows(const fgti_kernel *kn, const fgti_real *v, const struct side *us, int64_t u0, int64_t nv,
                     int64_t p0, int64_t kc, fgti_real alpha, fgti_real beta, fgti_real *c, int64_t ldc)
{
    for (int64_t j = 0; j < nv; j += ROW_COLUMNS) {
        const int64_t n = least(ROW_COLUMNS, nv - j);
        for (int64_t i = u0; i < us->count; i++) {
            fgti_real  y[ROW_COLUMNS], *to = c + i * ldc + j;
            kn->vec->row(kc, kn->v, parts_of(n, 16), us->data + i * us->si + p0 * us->sp, us->sp, v + j * kc,
                         y);
            for (int64_t l = 0; l < n; l++) to[l] = beta == 0 ? alpha * y[l] : alpha * y[l] + beta * to[l];
        }
    }
}

/* One block of k against one block of the V side: all rows of the U side. c points to the block. */
static void run_block(const fgti_kernel *kn, const struct buffers *s, const struct side *us, int64_t nv,
                      int64_t p0, int64_t kc, fgti_real alpha, fgti_real beta, fgti_real *c, int64_t ldc,
                      bool turned)
{
    const int64_t padded = round_up(nv, kn->v);
    for (int64_t u0 = 0; u0 < us->count; u0 += kn->u) {
        const int64_t rows = least(kn->u, us->count - u0);
        if (!turned && few_rows(kn, rows)) {
            run_rows(kn, s->v, us, u0, nv, p0, kc, alpha, beta, c, ldc);
            return;
        }
        fgti_pack_panel(kn->u, rows, kc, us->data + u0 * us->si + p0 * us->sp, us->si, us->sp, s->u);
        if (turned) {
            kn->strip(kn->u, padded, kc, alpha, s->u, s->v, 0, s->strip, padded);
            put_turned(s, rows, nv, padded, beta, c + u0, ldc);
        } else {
            kn->strip(rows, nv, kc, alpha, s->u, s->v, beta, c + u0 * ldc, ldc);
        }
    }
}

/* The V side goes in blocks of nc rows times kc steps of k: all of k for the first rows, then the next. */
struct blocking {
    int64_t kc, nc;
};

static struct blocking choose_blocking(const fgti_kernel *kn, int64_t count, int64_t k, bool turned)
{
    /* equal parts: k = 400 is 2 blocks of 200, not 384 and 16 */
    const int64_t kc    = round_up(parts_of(k, parts_of(k, FGTI_KC)), 4);
    const int64_t limit = (turned ? FGTI_PANELS : FGTI_PANELS * FGTI_KC / kc) * kn->v;
    return (struct blocking){kc, round_up(parts_of(count, parts_of(count, limit)), kn->v)};
}

/* Packs one block: nv rows from v0 on, kb steps of k from p0 on. */
static void pack_block(const fgti_kernel *kn, const struct side *vs, int64_t v0, int64_t nv, int64_t p0,
                       int64_t kb, fgti_real *dst)
{
    for (int64_t j = 0; j < nv; j += kn->v)
        fgti_pack_panel(kn->v, least(kn->v, nv - j), kb, vs->data + (v0 + j) * vs->si + p0 * vs->sp, vs->si,
                        vs->sp, dst + j * kb);
}

/* packed: all blocks of the V side; NULL: they are packed on the way. */
static void product(const fgti_kernel *kn, void *scratch, const fgti_gemm *g, bool turned,
                    const fgti_real *packed)
{
    const struct side     a = {g->a, g->m, g->rsa, g->csa}, b = {g->b, g->n, g->csb, g->rsb};
    const struct side     us = turned ? b : a, vs = turned ? a : b;
    struct blocking       bl = choose_blocking(kn, vs.count, g->k, turned);
    struct buffers        s  = {.block = scratch};
    s.u                      = s.block + (FGTI_PANELS * FGTI_KC + FGTI_ALIGN) * (int64_t)kn->v;
    s.strip                  = s.u + FGTI_KC * (int64_t)kn->u;
    s.turned                 = s.strip + FGTI_PANELS * (int64_t)kn->v * kn->u;
    s.v                      = packed ? packed : s.block;
    /* panels that are read once need not reach the second cache */
    if (!packed && !turned && few_rows(kn, g->m)) bl.nc = ROW_COLUMNS;

    for (int64_t v0 = 0; v0 < vs.count; v0 += bl.nc) {
        const int64_t nv = least(bl.nc, vs.count - v0);
        for (int64_t p0 = 0; p0 < g->k; p0 += bl.kc) {
            const int64_t kb = least(bl.kc, g->k - p0);
            if (!packed) pack_block(kn, &vs, v0, nv, p0, kb, s.block);
            run_block(kn, &s, &us, nv, p0, kb, g->alpha, p0 ? 1 : g->beta, g->c + (turned ? v0 * g->ldc : v0),
                      g->ldc, turned);
            if (packed) s.v += round_up(nv, kn->v) * kb;
        }
    }
}

void fgti_gemm_packed(const fgti_kernel *kn, void *scratch, const fgti_gemm *g)
{
    if (g->m <= 0 || g->n <= 0) return;
    if (g->k <= 0 || g->alpha == 0)
        scale(g);
    else
        product(kn, scratch, g, turned_is_cheaper(kn, g), NULL);
}

/* Without a microkernel: the plain matrix, row after row. */
static void pack_rows(int64_t k, int64_t n, const struct side *vs, fgti_real *packed)
{
    for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < n; j++) packed[p * n + j] = vs->data[j * vs->si + p * vs->sp];
}

void fgti_gemm_pack(const fgti_blas *blas, int64_t k, int64_t n, const fgti_real *b, int64_t rsb, int64_t csb,
                    fgti_real *packed)
{
    const fgti_kernel *kn = blas->microkernel;
    const struct side  vs = {b, n, csb, rsb};
    if (k <= 0 || n <= 0) return;
    if (!kn) {
        pack_rows(k, n, &vs, packed);
        return;
    }
    const struct blocking bl = choose_blocking(kn, n, k, false);
    for (int64_t v0 = 0; v0 < n; v0 += bl.nc) {
        const int64_t nv = least(bl.nc, n - v0);
        for (int64_t p0 = 0; p0 < k; p0 += bl.kc) {
            const int64_t kb = least(bl.kc, k - p0);
            pack_block(kn, &vs, v0, nv, p0, kb, packed);
            packed += round_up(nv, kn->v) * kb;
        }
    }
}

void fgti_gemm_run_packed(const fgti_blas *blas, void *scratch, const fgti_gemm *g, const fgti_real *packed)
{
    if (g->m <= 0 || g->n <= 0) return;
    if (g->k <= 0 || g->alpha == 0) {
        scale(g);
    } else if (blas->microkernel) {
        product(blas->microkernel, scratch, g, false, packed);
    } else {
        fgti_gemm plain = *g;
        plain.b         = packed;
        plain.rsb       = g->n;
        plain.csb       = 1;
        blas->gemm(scratch, &plain);
    }
}

/* A product is cut into tasks of about a million multiply-adds or more, 10 microseconds: below that the
 * wake-up of a lane costs more than its work. Every block packs its own operands, [rows,k] and [k,cols],
 * and one element packed costs about 9 multiply-adds: half the harmonic mean of rows and cols, 20 at
 * least, keeps that under half of the work. 16 tasks feed any small machine; more of them only of large
 * blocks. */
#define TASK_FLOPS       2e6
#define TASK_SHAPE       20
#define MANY_TASKS       16
#define LARGE_TASK_FLOPS 64e6
#define MOST_TASKS       64

/* C in a grid of blocks; their borders are multiples of the tile. */
struct split {
    const fgti_blas *blas;
    const fgti_exec *exec;
    const fgti_gemm *g;
    int64_t          rows, cols; /* of the grid */
};

/* Is a finer grid of rows x cols blocks worth its packing? Two tasks always are. */
static bool worth_cutting(const fgti_gemm *g, int64_t rows, int64_t cols)
{
    const int64_t tasks = rows * cols;
    const double  m = (double)g->m / (double)rows, n = (double)g->n / (double)cols;
    const double  flops = 2 * m * n * (double)g->k;
    if (tasks > MOST_TASKS || flops < (tasks > MANY_TASKS ? LARGE_TASK_FLOPS : TASK_FLOPS)) return false;
    return tasks <= 2 || m * n / (m + n) >= TASK_SHAPE;
}

/* Halves the longer side of the blocks, again and again; squares need the least packing. */
static void choose_grid(struct split *s)
{
    const int64_t m_tiles = parts_of(s->g->m, s->blas->tile_rows);
    const int64_t n_tiles = parts_of(s->g->n, s->blas->tile_cols);
    s->rows = s->cols = 1;
    for (;;) {
        const bool can_rows = 2 * s->rows <= m_tiles, can_cols = 2 * s->cols <= n_tiles;
        const bool cut_rows = can_rows && (!can_cols || s->g->m * s->cols >= s->g->n * s->rows);
        if (!can_rows && !can_cols) return;
        if (!worth_cutting(s->g, cut_rows ? 2 * s->rows : s->rows, cut_rows ? s->cols : 2 * s->cols)) return;
        if (cut_rows)
            s->rows *= 2;
        else
            s->cols *= 2;
    }
}

/* Border number i of `parts` equal parts, in whole tiles. */
static int64_t border(int64_t n, int64_t tile, int64_t parts, int64_t i)
{
    return least(n, parts_of(n, tile) * i / parts * tile);
}

static void run_part(void *arg, int64_t task, int32_t lane)
{
    const struct split *s   = arg;
    const int64_t       row = task / s->cols, col = task % s->cols;
    const int64_t       i0  = border(s->g->m, s->blas->tile_rows, s->rows, row);
    const int64_t       j0  = border(s->g->n, s->blas->tile_cols, s->cols, col);

    fgti_gemm part = *s->g;
    part.m = border(s->g->m, s->blas->tile_rows, s->rows, row + 1) - i0;
    part.n = border(s->g->n, s->blas->tile_cols, s->cols, col + 1) - j0;
    part.a += i0 * part.rsa;
    part.b += j0 * part.csb;
    part.c += i0 * part.ldc + j0;
    s->blas->gemm(fgti_lane_scratch(s->exec, lane), &part);
}

void fgti_gemm_parallel(const fgti_blas *blas, const fgti_exec *exec, const fgti_gemm *g)
{
    struct split s = {.blas = blas, .exec = exec, .g = g};
    choose_grid(&s);
    fgti_parallel(exec, s.rows * s.cols, run_part, &s);
}
