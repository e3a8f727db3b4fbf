/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/full_backward.h"

#include <string.h>

#include "nn/attention/attender/full_head.h"

/* The gradient of full attention, from the last product to the first:
 *     dX_i = A'dO_i (+ its previous value),   dA = sum_i dO_i X_i',   dS = A * (dA - sum_i <dO_i, O_i>),
 *     dQ = dS K / sqrt(dh),   dK = dS'Q / sqrt(dh)
 * The row sums of A * dA are computed from O_i, without a pass over A. No T x T matrix besides A is ever in
 * memory. Unless the matrices are kept, A is not in memory either: its blocks are computed again.
 *
 * A sweep goes over blocks of keys. For each of these blocks it goes over blocks of as many queries, in the
 * form of columns. Sums over the queries are finished for one block of keys after another; dQ is collected
 * for all queries. For a chain of products see full_head.h. dS of a block is computed with product 0, which
 * is the last product in the backward pass, because all dO_i of the block's queries are known only then. */
#define BLOCK 128

/* The sizes and the parts of a worker's arena. */
typedef struct work {
    int64_t    block, depth;     /* block: number of queries or keys in a block; depth: columns of all
                                  * products together */
    bool       lies;             /* dQ is computed in its final place, from dS and from K without copies */
    fgti_real *dy[2];            /* U panels [query][n] of dO_i and of dO_{i-1} */
    fgti_real *dy_rows;          /* U panels [depth][query] */
    fgti_real *q_cols, *q_rows;  /* U panels [query][dh] and [dh][query] of Q/sqrt(dh) */
    fgti_real *x_rows, *key;     /* V panels of the block's keys: [depth][v], [dh][v] */
    fgti_real *soft, *a;         /* blocks [query][v] of one panel of keys, or of all panels if A is held */
    fgti_real *da;               /* block [query][v] of dA, then of dS, for one panel of keys */
    fgti_real *factor;           /* the factors of dropout as rows, [v][v] */
    fgti_real *dx[2], *dk;       /* sums of each panel: dx [n][v], dk [dh][v] */
    fgti_real *delta;            /* [query]: the sum over i of <dO_i, O_i> */
    fgti_real *k_cols;           /* unless `lies`: U panels [key][dh] of K/sqrt(dh) */
    fgti_real *transposed;       /* dS of the block as rows [key][v] */
    fgti_real *dq;               /* sums of all queries, [dh][v] */
} work;

static void place_dq(const fgti_full_head *hd, work *w, fgti_real *base, int64_t *at)
{
    const int64_t du = fgti_round_up(hd->dh, hd->u);
    w->lies          = !hd->c->attention.kn->strip && hd->dh % FGTI_REGISTER == 0;
    if (w->lies) return;
    w->k_cols     = fgti_take(base, at, fgti_mul(du, hd->tk));
    w->transposed = fgti_take(base, at, w->block * w->block + FGTI_TILE_AHEAD);
    w->dq         = fgti_take(base, at, fgti_mul(fgti_round_up(hd->tq, hd->v), du));
}

static int64_t full_backward_layout(const fgti_full_head *hd, work *w, fgti_real *base)
{
    const int64_t u = hd->u, v = hd->v, nu = fgti_round_up(hd->n, u), du = fgti_round_up(hd->dh, u);
    const int64_t tq    = fgti_round_up(hd->tq, u);
    const int64_t block = fgti_round_up(BLOCK, fgti_attention_step(hd->c->attention.kn));
    const int64_t held = fgti_full_held(hd), columns = held > block * v ? held : block * v;
    int64_t       at = 0;
    w->block         = block;
    w->depth         = fgti_mul(hd->c->products, hd->n);
    for (int i = 0; i < 2; i++) w->dy[i] = fgti_take(base, &at, fgti_mul(nu, hd->tq));
    for (int i = 0; i < 2; i++) w->dx[i] = fgti_take(base, &at, fgti_mul(block, nu));
    w->dk      = fgti_take(base, &at, fgti_mul(block, du));
    w->dy_rows = fgti_take(base, &at, fgti_mul(tq, w->depth));
    w->q_cols  = fgti_take(base, &at, fgti_mul(du, hd->tq));
    w->q_rows  = fgti_take(base, &at, fgti_mul(tq, hd->dh));
    w->x_rows  = fgti_take(base, &at, fgti_mul(block, w->depth) + FGTI_TILE_AHEAD);
    w->key     = fgti_take(base, &at, fgti_mul(block, hd->dh) + FGTI_TILE_AHEAD);
    w->soft    = fgti_take(base, &at, columns + FGTI_TILE_AHEAD);
    w->a       = fgti_take(base, &at, columns + FGTI_TILE_AHEAD);
    w->da      = fgti_take(base, &at, block * v + FGTI_TILE_AHEAD);
    w->factor  = fgti_take(base, &at, v * v);
    w->delta   = fgti_take(base, &at, fgti_round_up(hd->tq, v));
    place_dq(hd, w, base, &at);
    return at;
}

int64_t fgti_full_backward_arena(const fgti_chain *c)
{
    const fgti_full_head hd = fgti_full_head_of(c, 0, 0);
    work                 w;
    return full_backward_layout(&hd, &w, NULL);
}

/* ---- A in the form of columns ---- */

/* A block of columns of A, after the softmax and after dropout. */
typedef struct columns {
    fgti_real *soft, *a;
} columns;

/* Transposes a block of kept rows to columns. Lanes of keys that do not exist become zeros. */
static void transpose_kept(const fgti_full_head *hd, const fgti_real *kept, int64_t i0, int64_t ni,
                           int64_t j0, fgti_real *dst)
{
    const int64_t keys = fgti_least(hd->v, hd->tk - j0);
    if (keys < hd->v) memset(dst, 0, (size_t)(fgti_round_up(ni, hd->v) * hd->v) * sizeof *dst);
    for (int64_t i = 0; i < ni; i += hd->v)
        fgti_pack_transpose(keys, hd->v, kept + (i0 + i) / hd->v * hd->panel + j0 * hd->v, hd->v,
                            dst + i * hd->v, hd->v);
}

/* Computes the columns of A again, if A is not kept. */
static void full_backward_make_columns(const fgti_full_head *hd, const work *w, int64_t i0, int64_t ni,
                                       int64_t j0, const fgti_real *key, columns to)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         v = hd->v, keys = fgti_least(v, hd->tk - j0);
    fgti_attention_scores_columns(attention, hd->g, i0, ni, j0, w->q_rows + i0 * hd->dh, key, to.soft);
    hd->panels->exp_rows(ni, v, v, hd->shift + i0, hd->factor + i0, to.soft);
    for (int64_t i = 0; attention->drops && i < ni; i += v)
        fgti_attention_drop_columns(attention, hd->g, hd->h, i0 + i, v, fgti_least(v, ni - i), j0, keys,
                                    w->factor, to.soft + i * v, v, to.a + i * v);
}

/* Returns the columns of A for queries i0 .. i0+ni-1 and panel number `panel` of a block of keys that begins
 * at j0. If blocks are held, the first sweep computes them. */
static columns columns_of(const fgti_full_head *hd, const work *w, int64_t sweep, int64_t i0, int64_t ni,
                          int64_t j0, int64_t panel)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         key       = j0 + panel * hd->v;
    const int64_t         rows      = fgti_round_up(hd->tq, fgti_attention_step(attention->kn));
    const int64_t         from      = hd->held ? key * rows + i0 * hd->v : 0;
    columns               c         = {w->soft + from, attention->drops ? w->a + from : w->soft + from};
    if (hd->held && sweep > 0) return c;
    if (attention->matrices != FGTI_MATRICES_KEPT) {
        full_backward_make_columns(hd, w, i0, ni, key, w->key + panel * hd->v * hd->dh, c);
    } else {
        transpose_kept(hd, hd->soft, i0, ni, key, c.soft);
        if (attention->drops) transpose_kept(hd, hd->a, i0, ni, key, c.a);
    }
    return c;
}

/* ---- operands ---- */

/* Packs the queries and keys that the whole pass reads. */
static void pack_head(const fgti_full_head *hd, const work *w)
{
    const fgti_attention *attention = &hd->c->attention;
    const fgti_vec       *vec       = attention->run->vec;
    const fgti_real       scale     = fgti_attention_scale(attention);
    const fgti_real      *q         = fgti_attention_q(attention, hd->g, hd->h),
                    *k              = fgti_attention_k(attention, hd->g, hd->h);
    const int64_t         du        = fgti_round_up(hd->dh, hd->u);
    if (attention->matrices != FGTI_MATRICES_KEPT) {
        fgti_tile_pack(hd->u, hd->tq, hd->dh, q, attention->ldq, 1, w->q_rows, hd->u * hd->dh);
        vec->scale(fgti_round_up(hd->tq, hd->u) * hd->dh, scale, w->q_rows);
    }
    fgti_tile_pack(hd->u, hd->dh, hd->tq, q, 1, attention->ldq, w->q_cols, hd->tq * hd->u);
    vec->scale(du * hd->tq, scale, w->q_cols);
    if (w->lies) return;
    fgti_tile_pack(hd->u, hd->dh, hd->tk, k, 1, attention->ldk, w->k_cols, hd->tk * hd->u);
    vec->scale(du * hd->tk, scale, w->k_cols);
}

/* Packs dO_i of some queries, when all parts have been added to it, and adds <dO_i, O_i> to delta. */
static void pack_gradients(const fgti_full_head *hd, const work *w, int64_t product, int64_t i0, int64_t ni,
                           fgti_real *dy_cols)
{
    const fgti_chain *c  = hd->c;
    const int64_t     ld = c->dy.ld;
    const fgti_real  *dy = fgti_full_rows(hd, c->dy, product, i0);
    fgti_tile_pack(hd->u, hd->n, ni, dy, 1, ld, dy_cols + i0 * hd->u, hd->tq * hd->u);
    fgti_tile_pack(hd->u, ni, hd->n, dy, ld, 1, w->dy_rows + i0 * w->depth + product * hd->n * hd->u,
                   hd->u * w->depth);
    hd->panels->dot_rows(ni, hd->n, dy, ld, fgti_full_rows(hd, c->o, product, i0), c->o.ld, w->delta + i0);
}

/* Packs the keys of a block as V panels. */
static void full_backward_pack_keys(const fgti_full_head *hd, const work *w, int64_t j0, int64_t nj)
{
    const fgti_attention *attention = &hd->c->attention;
    if (attention->matrices != FGTI_MATRICES_KEPT)
        fgti_tile_pack(hd->v, nj, hd->dh, fgti_attention_k(attention, hd->g, hd->h) + j0 * attention->ldk,
                       attention->ldk, 1, w->key, hd->v * hd->dh);
    for (int64_t m = 0; m < hd->c->products; m++) {
        int64_t          ldx;
        const fgti_real *x = fgti_chain_input(hd->c, hd->g, hd->h, m, &ldx);
        fgti_tile_pack(hd->v, nj, hd->n, x + j0 * ldx, ldx, 1, w->x_rows + m * hd->n * hd->v,
                       hd->v * w->depth);
    }
}

/* The sums of a block of keys are panels [n][v]. full_backward_load() sets them to rows of src (`some`) or to
 * zeros. full_backward_store() stores them to rows. */
static void full_backward_load(const fgti_full_head *hd, int64_t n, int64_t rows, bool some,
                               const fgti_real *src, int64_t ld, fgti_real *dst)
{
    const int64_t nu = fgti_round_up(n, hd->u);
    if (!some || n < nu) memset(dst, 0, (size_t)(fgti_round_up(rows, hd->v) * nu) * sizeof *dst);
    for (int64_t r = 0; some && r < rows; r += hd->v)
        fgti_pack_panel(hd->v, fgti_least(hd->v, rows - r), n, src + r * ld, ld, 1, dst + r * nu);
}

static void full_backward_store(const fgti_full_head *hd, int64_t n, int64_t rows, const fgti_real *src,
                                fgti_real *dst, int64_t ld)
{
    const int64_t nu = fgti_round_up(n, hd->u);
    for (int64_t r = 0; r < rows; r += hd->v)
        fgti_pack_transpose(n, fgti_least(hd->v, rows - r), src + r * nu, hd->v, dst + r * ld, ld);
}

/* ---- the sweeps ---- */

/* Computes what a panel of dS [query][key in v lanes] adds to dQ. Either adds dS times K to dQ in place, or
 * transposes the panel for block_queries(), which computes panels of dQ. */
static void panel_queries(const fgti_full_head *hd, const work *w, int64_t i0, int64_t ni, int64_t j0,
                          int64_t panel, int64_t keys)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         v         = hd->v;
    const fgti_real      *k = fgti_attention_k(attention, hd->g, hd->h) + (j0 + panel * v) * attention->ldk;
    if (w->lies)
        hd->panels->multiply(ni, hd->dh, keys, fgti_attention_scale(attention), w->da, v, 1, k,
                             attention->ldk, 1, fgti_full_rows(hd, hd->c->dq, 0, i0), hd->c->dq.ld);
    for (int64_t i = 0; !w->lies && i < ni; i += v)
        fgti_pack_transpose(fgti_least(v, ni - i), keys, w->da + i * v, v,
                            w->transposed + i * w->block + panel * v * v, v);
}

static void block_queries(const fgti_full_head *hd, const work *w, int64_t i0, int64_t ni, int64_t j0,
                          int64_t nj)
{
    for (int64_t i = 0; !w->lies && i < ni; i += hd->v)
        fgti_tile_product(hd->c->attention.kn, hd->dh, nj, 1, w->k_cols + j0 * hd->u, hd->tk * hd->u,
                          w->transposed + i * w->block, 1, w->dq + (i0 + i) * fgti_round_up(hd->dh, hd->u));
}

static void clear_queries(const fgti_full_head *hd, const work *w)
{
    const int64_t   rows = fgti_round_up(hd->tq, hd->v), du = fgti_round_up(hd->dh, hd->u);
    const fgti_span dq   = hd->c->dq;
    if (!w->lies) memset(w->dq, 0, (size_t)(rows * du) * sizeof *w->dq);
    for (int64_t i = 0; w->lies && i < hd->tq; i++)
        memset(fgti_full_rows(hd, dq, 0, i), 0, (size_t)hd->dh * sizeof *dq.p);
}

/* Computes dS of one panel of keys, and adds its contribution to dK and dQ. */
static void panel_gradient(const fgti_full_head *hd, const work *w, columns a, int64_t i0, int64_t ni,
                           int64_t j0, int64_t panel, int64_t nj)
{
    const fgti_kernel *kn = hd->c->attention.kn;
    const int64_t      v  = hd->v;
    fgti_tile_product(kn, ni, w->depth, 1, w->dy_rows + i0 * w->depth, hd->u * w->depth,
                      w->x_rows + panel * v * w->depth, 0, w->da);
    hd->panels->softmax_grad(ni, v, a.soft, a.a, w->delta + i0, w->da);
    fgti_tile_product(kn, hd->dh, ni, 1, w->q_cols + i0 * hd->u, hd->tq * hd->u, w->da, 1,
                      w->dk + panel * v * fgti_round_up(hd->dh, hd->u));
    panel_queries(hd, w, i0, ni, j0, panel, fgti_least(v, nj - panel * v));
}

/* Computes all products with the blocks of A of some keys: dX_i for i = product, the part of dX_{i-1} from
 * the queries whose dO_{i-1} is known, and dS of the queries whose dO_0 is known. */
static void sweep_keys(const fgti_full_head *hd, const work *w, int64_t sweep, int64_t j0, int64_t nj)
{
    const fgti_kernel *kn = hd->c->attention.kn;
    const int64_t      v = hd->v, nu = fgti_round_up(hd->n, hd->u), product = hd->c->products - 1 - sweep;
    const fgti_token_range keys = {j0, j0 + nj};
    const fgti_token_range left = fgti_unswept(sweep, keys, hd->tq), known = fgti_swept(sweep, keys, hd->tq);
    for (int64_t i0 = left.from; i0 < left.to; i0 += w->block) {
        const int64_t ni    = fgti_least(w->block, left.to - i0);
        const bool    ahead = product > 0 && i0 >= known.from && i0 < known.to;
        const bool    ends  = product == 0 || (product == 1 && ahead);
        for (int64_t p = 0; p * v < nj; p++) {
            const columns a = columns_of(hd, w, sweep, i0, ni, j0, p);
            for (int i = 0; i <= ahead; i++)
                fgti_tile_product(kn, hd->n, ni, 1, w->dy[i] + i0 * hd->u, hd->tq * hd->u, a.a, 1,
                                  w->dx[i] + p * v * nu);
            if (ends) panel_gradient(hd, w, a, i0, ni, j0, p, nj);
        }
        if (ends) block_queries(hd, w, i0, ni, j0, nj);
    }
}

/* Runs a sweep for one block of keys. The sweep adds to sums that may already have a value: the part of the
 * sum that the previous sweep computed, or the part of dX_i that the layer computed itself. */
static void sweep_block(const fgti_full_head *hd, const work *w, int64_t sweep, int64_t j0, int64_t nj)
{
    const fgti_chain *c       = hd->c;
    const int64_t     product = c->products - 1 - sweep;
    const bool        ends    = product <= 1;
    int64_t           ld[2]   = {0};
    fgti_real        *dx[2]   = {NULL}, *dk = fgti_full_rows(hd, c->dk, 0, j0);
    for (int i = 0; i < 2 && i <= product; i++) {
        const bool second = i == 0 && sweep > 0;
        dx[i]             = fgti_chain_input_gradient(c, hd->g, hd->h, product - i, &ld[i]);
        dx[i] += j0 * ld[i];
        full_backward_load(hd, hd->n, nj, second || (product > i && c->add), dx[i], ld[i], w->dx[i]);
    }
    if (ends) full_backward_load(hd, hd->dh, nj, product == 0 && sweep > 0, dk, c->dk.ld, w->dk);
    full_backward_pack_keys(hd, w, j0, nj);
    sweep_keys(hd, w, sweep, j0, nj);
    for (int i = 0; i < 2 && i <= product; i++) full_backward_store(hd, hd->n, nj, w->dx[i], dx[i], ld[i]);
    if (ends) full_backward_store(hd, hd->dh, nj, w->dk, dk, c->dk.ld);
    if (product > 0) pack_gradients(hd, w, product - 1, j0, nj, w->dy[1]);
}

void fgti_full_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena)
{
    const fgti_full_head hd = fgti_full_head_of(c, g, h);
    work                 w;
    full_backward_layout(&hd, &w, arena);
    const int64_t blocks = fgti_parts(hd.tk, w.block);
    memset(w.delta, 0, (size_t)hd.tq * sizeof *w.delta);
    clear_queries(&hd, &w);
    pack_head(&hd, &w);
    pack_gradients(&hd, &w, c->products - 1, 0, hd.tq, w.dy[0]);
    for (int64_t sweep = 0; sweep < c->products; sweep++) {
        fgti_real *dy = w.dy[0];
        for (int64_t i = 0; i < blocks; i++) {
            const int64_t j0 = (sweep % 2 ? blocks - 1 - i : i) * w.block;
            sweep_block(&hd, &w, sweep, j0, fgti_least(w.block, hd.tk - j0));
        }
        w.dy[0] = w.dy[1];
        w.dy[1] = dy;
    }
    if (!w.lies) full_backward_store(&hd, hd.dh, hd.tq, w.dq, fgti_full_rows(&hd, c->dq, 0, 0), c->dq.ld);
}
