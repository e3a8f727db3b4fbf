/* SPDX-License-Identifier: BSD-3-Clause */
/* One product divided among the workers. Small products become a grid of independent products. Large products
 * are computed block by block, and their operands are packed only once. */
#include "blas/bf16.h"

/* Adds the bias to columns j to j + n of some rows of C. c points to the first of these rows. */
static void add_bias(const fgti_gemm *g, int64_t rows, int64_t j, int64_t n, fgti_real *c)
{
    const int64_t biased = fgti_least(n, g->biased - j);
    if (g->bias && biased > 0) g->vec->bias(rows, biased, g->ldc, g->bias + j, c);
}

/* ---- a grid of independent products ---- */

/* When a product is cut into tasks. A task has at least half a million multiply-adds, which take 5 to 10
 * microseconds: for less work, to wake a worker costs more than it saves. Each task also packs its own
 * operands [m,k] and [k,n] and stores [m,n]. One element of these costs about as much as 9 multiply-adds,
 * which is most of the time if a side has only a few columns. All tasks together may take 1.3 times the work
 * of the undivided product; two tasks are always allowed. 16 tasks are enough for a small machine. There are
 * more tasks only if their blocks are large. */
#define ELEMENT         9
#define TASK_WORK       5e5
#define MOST_WORK       1.3
#define MANY_TASKS      16
#define LARGE_TASK_WORK 32e6
#define MOST_TASKS      64

/* C as a grid of blocks. The borders of blocks are multiples of the tile. */
struct split {
    const fgti_blas   *blas;
    const fgti_kernel *kn; /* NULL: no microkernel */
    const fgti_exec   *exec;
    const fgti_gemm   *g;
    fgti_packed        packed; /* B; if both pointers are NULL, B is not packed */
    int64_t            tile_m, tile_n;
    int64_t            rows, cols; /* blocks of the grid in each direction */
};

/* Work of one block of the grid, in multiply-adds. */
static double block_work(const fgti_gemm *g, int64_t rows, int64_t cols)
{
    const double m = (double)g->m / (double)rows, n = (double)g->n / (double)cols, k = (double)g->k;
    return m * n * k + ELEMENT * (m * k + n * k + m * n);
}

/* Whether a finer grid of rows x cols blocks saves more time than its additional packing costs. */
static bool worth_cutting(const fgti_gemm *g, int64_t rows, int64_t cols)
{
    const int64_t tasks = rows * cols;
    const double  work  = block_work(g, rows, cols);
    if (tasks > MOST_TASKS || work < (tasks > MANY_TASKS ? LARGE_TASK_WORK : TASK_WORK)) return false;
    return tasks <= 2 || (double)tasks * work <= MOST_WORK * block_work(g, 1, 1);
}

/* Halves the longer side of the blocks as long as this saves time. Square blocks need the least packing. */
static void choose_grid(struct split *s)
{
    const bool    turned = s->kn && fgti_gemm_is_turned(s->kn, s->g);
    const int64_t u = s->kn ? s->kn->u : s->blas->tile_rows, v = s->kn ? s->kn->v : s->blas->tile_cols;
    s->tile_m = turned ? v : u;
    s->tile_n = turned ? u : v;
    s->rows = s->cols     = 1;
    const int64_t m_tiles = fgti_parts(s->g->m, s->tile_m), n_tiles = fgti_parts(s->g->n, s->tile_n);
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

/* Returns border i of `parts` equal parts of n. The border is a multiple of the tile. */
static int64_t border(int64_t n, int64_t tile, int64_t parts, int64_t i)
{
    return fgti_least(n, fgti_parts(n, tile) * i / parts * tile);
}

static void parallel_run_part(void *arg, int64_t task, int32_t worker)
{
    const struct split *s   = arg;
    const int64_t       row = task / s->cols, col = task % s->cols;
    const int64_t       i0 = border(s->g->m, s->tile_m, s->rows, row);
    const int64_t       j0 = border(s->g->n, s->tile_n, s->cols, col);

    fgti_gemm part = *s->g;
    part.m         = border(s->g->m, s->tile_m, s->rows, row + 1) - i0;
    part.n         = border(s->g->n, s->tile_n, s->cols, col + 1) - j0;
    part.a += i0 * part.rsa;
    part.b += j0 * part.csb;
    part.c += i0 * part.ldc + j0;
    s->blas->gemm(fgti_worker_scratch(s->exec, worker), &part);
    add_bias(s->g, part.m, j0, part.n, part.c);
}

/* ---- large products ---- */

/* A large product. Each block [kb,nv] of B takes two steps. First all workers pack the block into shared
 * memory. Then each worker packs blocks of A for itself and multiplies them by the block of B. So an element
 * of B is packed once, and an element of A once for every block of columns. */
struct wide {
    const fgti_kernel *kn;
    const fgti_exec   *exec;
    const fgti_gemm   *g;
    fgti_side          a, b;
    int64_t            rows, cols; /* the grid of one block of columns */
    int64_t            v0, nv, p0, kb;
    fgti_real         *shared; /* memory for V panels; NULL: the V panels are packed already */
    fgti_packed        block;  /* V panels of this block */
};

/* For a block with fewer flops, two waits for all workers cost more than to pack operands twice. */
#define WIDE_FLOPS 8e6

/* Number of tasks of a large block: several for each worker of a small machine. A task has at least WIDE_ROWS
 * rows and WIDE_COLS columns. With fewer of them, to read the panels of the other side costs too much. */
#define WIDE_TASKS 16
#define WIDE_ROWS  96
#define WIDE_COLS  256

/* WIDE_PANELS: number of V panels by which a block of U panels is multiplied at a time. These V panels take
 * half of the second cache, and the block of A takes less than half as much. PACK_PANELS: number of V panels
 * that a task packs, enough for prefetches to arrive in time. */
#define WIDE_PANELS 8
#define PACK_PANELS 4

/* Number of panels in bf16 that are expanded at a time. The floats are in the half of a worker's scratch that
 * the U panels leave free. */
#define HALF_PANELS 2

/* Columns of B in a block; 0 if the product is too small. */
static int64_t wide_columns(const struct split *s)
{
    const fgti_kernel *kn = s->kn;
    const fgti_gemm   *g  = s->g;
    if (!kn || g->k < 1 || g->alpha == 0 || fgti_gemm_is_turned(kn, g)) return 0;
    const int64_t kc = fgti_block_k(g->k), all = fgti_parts(g->n, kn->v);
    const int64_t rows = (int64_t)(s->exec->shared_bytes / sizeof(fgti_real)) / kn->v - FGTI_ALIGN;
    const int64_t most = rows / kc; /* panels */
    if (most < 1) return 0;
    const int64_t panels = fgti_parts(all, fgti_parts(all, most));
    const double  flops  = 2 * (double)g->m * (double)(panels * kn->v) * (double)kc;
    return flops < WIDE_FLOPS ? 0 : panels * kn->v;
}

static void pack_task(void *arg, int64_t task, int32_t worker)
{
    (void)worker;
    const struct wide *w = arg;
    const int64_t      j = task * PACK_PANELS * w->kn->v;
    const int64_t      n = fgti_least(PACK_PANELS * w->kn->v, w->nv - j);
    fgti_pack_for(w->kn, w->g, w->kn->v, &w->b, w->v0 + j, n, w->p0, w->kb,
                  w->shared + j * fgti_steps(w->kn, w->kb));
}

static void multiply_task(void *arg, int64_t task, int32_t worker)
{
    const struct wide *w   = arg;
    const fgti_kernel *kn  = w->kn;
    const fgti_gemm   *g   = w->g;
    const int64_t      row = task / w->cols, col = task % w->cols;
    const int64_t      i0 = border(g->m, kn->u, w->rows, row), i1 = border(g->m, kn->u, w->rows, row + 1);
    const int64_t      j0 = border(w->nv, kn->v, w->cols, col), j1 = border(w->nv, kn->v, w->cols, col + 1);
    fgti_real         *up   = fgti_worker_scratch(w->exec, worker);
    fgti_real         *vp   = up + FGTI_PANELS * FGTI_KC * kn->v / 2;
    const int64_t      step = (w->block.half ? HALF_PANELS : WIDE_PANELS) * kn->v;
    const int64_t      steps = fgti_steps(kn, w->kb);
    fgti_pack_for(kn, g, kn->u, &w->a, i0, i1 - i0, w->p0, w->kb, up);
    for (int64_t j = j0; j < j1; j += step) {
        const int64_t    n = fgti_least(step, j1 - j), at = j * steps;
        const fgti_real *v = w->block.half ? vp : w->block.data + at;
        if (w->block.half) g->vec->expand(fgti_round_up(n, kn->v) * w->kb, w->block.half + at, vp);
        for (int64_t i = i0; i < i1; i += kn->u) {
            const int64_t rows = fgti_least(kn->u, i1 - i);
            fgti_real    *c    = g->c + i * g->ldc + w->v0 + j;
            kn->strip(rows, n, steps, g->alpha, up + (i - i0) * steps, v, w->p0 ? 1 : g->beta, c, g->ldc);
            if (w->p0 + w->kb == g->k) add_bias(g, rows, w->v0 + j, n, c);
        }
    }
}

/* Chooses rows and columns of the grid. In a worker's scratch, a block of U panels may take half as much as a
 * block of V panels. */
static void choose_wide_grid(struct wide *w, int64_t nc)
{
    const int64_t kc     = fgti_block_k(w->g->k);
    const int64_t most   = FGTI_PANELS * FGTI_KC * w->kn->v / kc / w->kn->u / 2; /* U panels */
    const int64_t tiles  = fgti_parts(w->g->m, w->kn->u);
    const int64_t wanted = fgti_least(WIDE_TASKS, fgti_parts(w->g->m, WIDE_ROWS));
    w->rows              = fgti_parts(tiles, most);
    if (w->rows < wanted) w->rows = wanted;
    w->cols = fgti_least(fgti_parts(WIDE_TASKS, w->rows), fgti_parts(nc, WIDE_COLS));
}

static fgti_packed parallel_block_of(const struct split *s, int64_t at)
{
    const fgti_packed *p = &s->packed;
    return (fgti_packed){p->data ? p->data + at : NULL, p->half ? p->half + at : NULL};
}

static void run_wide(const struct split *s, int64_t nc)
{
    const fgti_gemm *g  = s->g;
    struct wide      w  = {.kn = s->kn, .exec = s->exec, .g = g};
    const int64_t    kc = fgti_block_k(g->k), pack = PACK_PANELS * w.kn->v;
    w.a      = fgti_side_a(g);
    w.b      = fgti_side_b(g);
    const bool packed = s->packed.data || s->packed.half;
    w.shared          = packed ? NULL : s->exec->shared;
    choose_wide_grid(&w, nc);
    for (w.v0 = 0; w.v0 < g->n; w.v0 += nc)
        for (w.p0 = 0; w.p0 < g->k; w.p0 += kc) {
            w.nv    = fgti_least(nc, g->n - w.v0);
            w.kb    = fgti_least(kc, g->k - w.p0);
            w.block =
                packed ? parallel_block_of(s, fgti_steps(w.kn, w.p0) * nc) : (fgti_packed){w.shared, NULL};
            if (w.shared) fgti_parallel(s->exec, fgti_parts(w.nv, pack), pack_task, &w);
            fgti_parallel(s->exec, w.rows * w.cols, multiply_task, &w);
        }
}

/* Computes some of the rows; B is packed already. */
static void run_rows_packed(void *arg, int64_t task, int32_t worker)
{
    const struct split *s    = arg;
    const int64_t       i0   = border(s->g->m, s->tile_m, s->rows, task);
    fgti_gemm           part = *s->g;
    part.m                   = border(s->g->m, s->tile_m, s->rows, task + 1) - i0;
    part.a += i0 * part.rsa;
    part.c += i0 * part.ldc;
    fgti_gemm_run_packed(s->blas, fgti_worker_scratch(s->exec, worker), &part, s->packed);
    add_bias(s->g, part.m, 0, part.n, part.c);
}

void fgti_gemm_parallel_packed(const fgti_blas *blas, const fgti_exec *exec, const fgti_gemm *g,
                               fgti_packed packed)
{
    const fgti_kernel *kn = fgti_kernel_for(blas->microkernel, g);
    struct split       s  = {.blas = blas, .kn = kn, .exec = exec, .g = g, .packed = packed, .rows = 1};
    if (g->m < 1 || g->n < 1 || g->k < 1 || g->alpha == 0 || !fgti_gemm_pack_suffices(blas, g->k, g->n)) {
        fgti_gemm_parallel(blas, exec, g);
        return;
    }
    const double work = (double)g->m * (double)g->n * (double)g->k;
    if (2 * work >= WIDE_FLOPS && !fgti_gemm_has_few_rows(kn, g->m)) {
        s.packed = fgti_packed_for(kn, packed);
        run_wide(&s, fgti_round_up(g->n, kn->v));
        return;
    }
    s.tile_m = kn->u;
    while (2 * s.rows <= fgti_parts(g->m, kn->u) && work >= 2 * TASK_WORK * (double)s.rows) s.rows *= 2;
    fgti_parallel(exec, s.rows, run_rows_packed, &s);
}

void fgti_gemm_parallel(const fgti_blas *blas, const fgti_exec *exec, const fgti_gemm *g)
{
    struct split  s  = {.blas = blas, .kn = fgti_kernel_for(blas->microkernel, g), .exec = exec, .g = g};
    const int64_t nc = wide_columns(&s);
    if (nc) {
        run_wide(&s, nc);
        return;
    }
    choose_grid(&s);
    fgti_parallel(exec, s.rows * s.cols, parallel_run_part, &s);
}
