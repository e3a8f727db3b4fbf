/* SPDX-License-Identifier: BSD-3-Clause */
/* The backward pass of a transformer layer in blocks of whole groups. Each block goes from the last norm to
 * the first product while its rows are in the second cache. This pass is for weights and series for which our
 * own loops compute the products. The groups are split into chunks, whose number depends only on the sizes.
 * Each chunk sums up its own gradients, and the sums are added in the order of the chunks. */
#include "nn/attention/transformer/transformer_blocks.h"

#include <string.h>

#include "nn/attention/attender/full_short.h"
#include "nn/attention/transformer/transformer_pass.h"

/* Number of rows of a block, if a group has fewer rows. This is enough for sums over rows to stay in
 * registers most of the time, and few enough for all data of the rows to stay in the second cache. */
#define ROWS 128

#define CHUNKS 8 /* enough chunks to keep a small machine busy */

/* A block of groups in its chunk, with memory from the worker's arena. */
typedef struct block {
    const fgti_transformer_pass *p;
    int64_t                      first, groups, row, rows;
    fgti_real                   *sums;     /* gradients of the chunk, in the order of the parameters */
    fgti_real                   *dx, *dz;  /* [rows,D] */
    fgti_real                   *dv;       /* [rows,F] */
    fgti_real                   *dc, *dq;  /* dc is [rows,D]; dq, together with dK and dV, is [rows,ldq] */
    fgti_real                   *attender; /* the attender's arena */
} block;

bool fgti_transformer_has_blocks(const fgti_transformer_pass *p)
{
    bool small = p->mha.chain.own_loops;
    for (int i = 0; i < FGTI_MAPS; i++) small &= fgti_gemm_is_small(p->l->blas, p->map[i].d, p->map[i].h);
    return small && p->packs;
}

static int64_t transformer_blocks_groups_at_once(const fgti_transformer_pass *p)
{
    const int64_t t = p->mha.chain.attention.tq;
    return t < ROWS ? ROWS / t : 1;
}

/* Takes memory for the rows of any block of this pass. A block has two groups of 64 tokens, but one group of
 * 65. The size must nevertheless not become smaller when groups get longer. */
static int64_t place_block(const fgti_transformer_pass *p, block *b, fgti_real *base)
{
    const int64_t t = p->mha.chain.attention.tq, most = t > ROWS ? t : ROWS;
    const int64_t rows = fgti_least(most, p->rows), rd = fgti_mul(rows, p->d);
    int64_t       at = p->mha.chain.attender->arena(&p->mha.chain);
    b->attender      = base;
    b->dx            = fgti_take(base, &at, rd);
    b->dz            = fgti_take(base, &at, rd);
    b->dv            = fgti_take(base, &at, fgti_mul(rows, p->f));
    b->dc            = fgti_take(base, &at, rd);
    b->dq            = fgti_take(base, &at, fgti_mul(rows, p->mha.p.ldq));
    return at;
}

int64_t fgti_transformer_blocks_arena(const fgti_transformer_pass *p)
{
    block b;
    return fgti_transformer_has_blocks(p) ? place_block(p, &b, NULL) : 0;
}

/* Returns the offset of parameter i in a chunk's sums. */
static int64_t transformer_blocks_place_of(const fgti_layer *l, int32_t i)
{
    int64_t at = 0;
    while (i > 0) at += fgti_round_up(l->param[--i].count, FGTI_REGISTER);
    return at;
}

int64_t fgti_transformer_blocks_scratch(const fgti_transformer_pass *p)
{
    return fgti_transformer_has_blocks(p) ? fgti_mul(CHUNKS, transformer_blocks_place_of(p->l, p->l->params))
                                          : 0;
}

/* ---- one block ---- */

/* Returns the memory in which the chunk sums up the gradient of parameter i. NULL: this gradient is not
 * wanted, or i is -1. */
static fgti_real *transformer_blocks_sum_of(const block *b, int32_t i)
{
    return i >= 0 && fgti_dw(b->p->l, b->p->io, i) ? b->sums + transformer_blocks_place_of(b->p->l, i) : NULL;
}

static int32_t bias_of(const block *b, int which)
{
    const fgt_transformer_opts *o = b->p->l->opts;
    return o->no_bias ? -1 : which + 1;
}

/* dW += dy'x,  db += sum_r dy,  dx = dy W (NULL: not wanted) */
static void map_gradient(const block *b, int which, int64_t d, int64_t h, const fgti_real *x,
                         const fgti_real *dy, int64_t lddy, fgti_real *dx)
{
    const fgti_transformer_pass *p   = b->p;
    const fgti_vec              *vec = p->run->vec;
    const int32_t                i   = fgti_transformer_weight(p->l, which);
    fgti_real *dw = transformer_blocks_sum_of(b, i), *db = transformer_blocks_sum_of(b, bias_of(b, which));
    if (dw) vec->panels->multiply(h, d, b->rows, 1, dy, 1, lddy, x, d, 1, dw, d);
    if (db) vec->colsum(b->rows, h, lddy, dy, db);
    if (dx) vec->panels->multiply(b->rows, d, h, 1, dy, lddy, 1, fgti_w(p->l, p->io, i), d, 0, dx, d);
}

/* x has all rows of the pass, the other arrays have the rows of the block. dx may be dy. */
static void transformer_blocks_norm_gradient(const block *b, int number, const fgti_real *x,
                                             const fgti_real *dy, fgti_real *dx)
{
    const fgti_transformer_pass *p     = b->p;
    const fgti_vec              *vec   = p->run->vec;
    const int                    which = number ? FGTI_TRANSFORMER_NORM2 : FGTI_TRANSFORMER_NORM1;
    const int32_t                i     = fgti_transformer_weight(p->l, which);
    const fgti_real             *mean = p->mean[number] + b->row, *rstd = p->rstd[number] + b->row;
    fgti_real *dw = transformer_blocks_sum_of(b, i), *db = transformer_blocks_sum_of(b, bias_of(b, which));
    x += b->row * p->d;
    if (dw) vec->norm_grad_param(b->rows, p->d, 0, p->d, x, mean, rstd, dy, dw, db);
    if (!dw && db) vec->colsum(b->rows, p->d, p->d, dy, db);
    if (dx) vec->norm_grad(b->rows, p->d, x, fgti_w(p->l, p->io, i), mean, rstd, dy, dx);
}

static bool transformer_blocks_norm_is_trained(const block *b, int which)
{
    return transformer_blocks_sum_of(b, fgti_transformer_weight(b->p->l, which)) ||
           transformer_blocks_sum_of(b, bias_of(b, which));
}

/* Returns the gradient of z, computed from dy, the gradient of x + dropout(z). */
static const fgti_real *transformer_blocks_dropped_gradient(const block *b, fgti_draw draw,
                                                            const fgti_real *dy)
{
    const fgti_tail tail = fgti_transformer_tail(b->p, FGT_ACT_NONE, draw);
    if (!fgti_tail_drops(&tail)) return dy;
    fgti_tail_drop_part(b->p->run->vec, &tail, b->row * b->p->d, b->rows * b->p->d, dy, b->dz);
    return b->dz;
}

/* dW2 += dy'v, dv = dy W2,  du = act'(u) dropout(dv),  dW1 += du'x, dx = du W1 */
static void transformer_blocks_feed_gradient(const block *b, const fgti_real *x, const fgti_real *dy,
                                             fgti_real *dx)
{
    const fgti_transformer_pass *p    = b->p;
    const fgt_transformer_opts  *o    = p->l->opts;
    const fgti_tail              tail = fgti_transformer_tail(p, o->act, FGTI_DRAW_HIDDEN);
    const int64_t                at   = b->row * p->f;
    map_gradient(b, FGTI_TRANSFORMER_LINEAR2, p->f, p->d, p->v + at, dy, p->d, b->dv);
    fgti_tail_grad_part(p->run->vec, &tail, at, b->rows * p->f, p->u + at, b->dv, b->dv);
    map_gradient(b, FGTI_TRANSFORMER_LINEAR1, p->d, p->f, x + b->row * p->d, b->dv, p->f, dx);
}

/* dWout += dy'c and dc = dy Wout. The attender computes dQ, dK and dV. Then dWin += dQKV'x and dx = dQKV
 * Win */
static void attention_gradient(const block *b, const fgti_real *x, const fgti_real *dy, fgti_real *dx)
{
    const fgti_transformer_pass *p = b->p;
    const int64_t                d = p->d;
    fgti_chain                   c = p->mha.chain;
    c.first                        = b->first;
    c.dy.p                         = b->dc;
    c.dq.p                         = b->dq;
    c.dk.p                         = b->dq + d;
    c.dx.p                         = b->dq + 2 * d;
    map_gradient(b, FGTI_TRANSFORMER_ATTENTION + 2, d, d, p->mha.c + b->row * d, dy, d, b->dc);
    for (int64_t g = b->first; g < b->first + b->groups; g++)
        for (int64_t h = 0; h < c.attention.heads; h++) fgti_full_short_backward(&c, g, h, b->attender);
    map_gradient(b, FGTI_TRANSFORMER_ATTENTION, d, 3 * d, x + b->row * d, b->dq, p->mha.p.ldq, dx);
}

/* The steps, and their use of dy and dx, are in the order of transformer_backward() in transformer.c. */
static void block_gradient(const block *b)
{
    const fgti_transformer_pass *p   = b->p;
    const fgti_io               *io  = p->io;
    const fgt_transformer_opts  *o   = p->l->opts;
    const fgti_vec              *vec = p->run->vec;
    const int64_t                at = b->row * p->d, n = b->rows * p->d;
    fgti_real *dy = io->dy + at, *out = io->dx ? io->dx + at : NULL, *dx = out ? out : b->dx;
    if (o->norm_first) {
        transformer_blocks_feed_gradient(b, p->b,
                                         transformer_blocks_dropped_gradient(b, FGTI_DRAW_OUTPUT, dy), dx);
        transformer_blocks_norm_gradient(b, 1, p->h, dx, dx);
        vec->axpy(n, 1, dx, dy);
        const bool read = out || transformer_blocks_norm_is_trained(b, FGTI_TRANSFORMER_NORM1);
        attention_gradient(b, p->a, transformer_blocks_dropped_gradient(b, FGTI_DRAW_ATTENDED, dy),
                           read ? dx : NULL);
        if (read) transformer_blocks_norm_gradient(b, 0, io->x, dx, out);
    } else {
        transformer_blocks_norm_gradient(b, 1, p->b, dy, dy);
        transformer_blocks_feed_gradient(b, p->h,
                                         transformer_blocks_dropped_gradient(b, FGTI_DRAW_OUTPUT, dy), dx);
        vec->axpy(n, 1, dx, dy);
        transformer_blocks_norm_gradient(b, 0, p->a, dy, dy);
        attention_gradient(b, io->x, transformer_blocks_dropped_gradient(b, FGTI_DRAW_ATTENDED, dy), out);
    }
    if (out) vec->axpy(n, 1, dy, out);
}

/* ---- all blocks ---- */

static int64_t transformer_blocks_chunks_of(const fgti_transformer_pass *p)
{
    return fgti_least(CHUNKS, p->mha.chain.attention.groups);
}

static void transformer_blocks_chunk_task(void *arg, int64_t chunk, int32_t worker)
{
    const fgti_transformer_pass *p    = arg;
    const int64_t size = transformer_blocks_place_of(p->l, p->l->params), t = p->mha.chain.attention.tq;
    const int64_t groups = p->mha.chain.attention.groups, chunks = transformer_blocks_chunks_of(p);
    const int64_t                end = groups * (chunk + 1) / chunks;
    block                        b   = {.p = p, .sums = p->io->scratch + chunk * size};
    place_block(p, &b, fgti_worker_arena(p->io, worker));
    memset(b.sums, 0, (size_t)size * sizeof *b.sums);
    for (b.first = groups * chunk / chunks; b.first < end; b.first += b.groups) {
        b.groups = fgti_least(transformer_blocks_groups_at_once(p), end - b.first);
        b.row    = b.first * t;
        b.rows   = b.groups * t;
        block_gradient(&b);
    }
}

/* Adds the sums of parameter i to its gradient. */
static void transformer_blocks_sum_task(void *arg, int64_t i, int32_t worker)
{
    const fgti_transformer_pass *p    = arg;
    const int64_t                size = transformer_blocks_place_of(p->l, p->l->params);
    const fgti_real             *sums = p->io->scratch + transformer_blocks_place_of(p->l, (int32_t)i);
    fgti_real                   *dw   = fgti_dw(p->l, p->io, (int32_t)i);
    (void)worker;
    for (int64_t c = 0; dw && c < transformer_blocks_chunks_of(p); c++)
        p->run->vec->axpy(p->l->param[i].count, 1, sums + c * size, dw);
}

void fgti_transformer_blocks_backward(fgti_transformer_pass *p)
{
    fgti_red_zone_lift(p->io->scratch, fgti_transformer_blocks_scratch(p) * (int64_t)sizeof *p->io->scratch);
    fgti_parallel(p->run->exec, transformer_blocks_chunks_of(p), transformer_blocks_chunk_task, p);
    fgti_parallel(p->run->exec, p->l->params, transformer_blocks_sum_task, p);
}
