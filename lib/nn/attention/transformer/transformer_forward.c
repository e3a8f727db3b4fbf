/* SPDX-License-Identifier: BSD-3-Clause */
/* The forward pass of a transformer layer. Outside the attention each row is independent of the others, so
 * blocks of rows go through all steps while they are in the cache.
 *
 * Route "blocks of rows": the weights fit into the second cache beside a block. They are packed once, and a
 * block also goes through the products. If the pass has many short groups, a block is a number of whole
 * groups, which also go through the attention. Route "step by step": each product is one large product of all
 * rows, and only the steps between two products are computed in blocks. */
#include "nn/attention/transformer/transformer_forward.h"

#include "nn/attention/transformer/transformer_pass.h"

/* ---- the products and their weights ---- */

/* For each product, the number of its weight, which is the argument of fgti_transformer_weight(). */
static const int number_of[FGTI_MAPS] = {FGTI_TRANSFORMER_ATTENTION, FGTI_TRANSFORMER_ATTENTION + 2,
                                         FGTI_TRANSFORMER_LINEAR1, FGTI_TRANSFORMER_LINEAR2};

static int transformer_weight_of(const fgti_transformer_pass *p, int i)
{
    return fgti_transformer_weight(p->l, number_of[i]);
}

static void set_map(fgti_transformer_pass *p, int i, const fgti_real *x, fgti_real *y, int64_t ld)
{
    fgti_transformer_map *m = &p->map[i];
    m->w                    = fgti_w(p->l, p->io, transformer_weight_of(p, i));
    m->b                    = fgti_transformer_bias(p->l, p->io, number_of[i]);
    m->x                    = x;
    m->y                    = y;
    m->ld                   = ld;
}

void fgti_transformer_set_maps(fgti_transformer_pass *p)
{
    const fgt_transformer_opts *o          = p->l->opts;
    const fgti_io              *io         = p->io;
    const bool                  norm_first = o->norm_first;
    set_map(p, FGTI_MAP_IN, norm_first ? p->a : io->x, p->mha.p.q, p->mha.p.ldq);
    set_map(p, FGTI_MAP_OUT, p->mha.c, norm_first ? p->h : p->a, p->d);
    set_map(p, FGTI_MAP_UP, norm_first ? p->b : p->h, p->u, p->f);
    set_map(p, FGTI_MAP_DOWN, p->v, norm_first ? io->y : p->b, p->d);
}

/* Whether a predictor's fold replaces product i. */
static bool folds(const fgti_transformer_pass *p, int i)
{
    return i == FGTI_MAP_IN && fgti_is_folded(p->l);
}

static void pack_weights(fgti_transformer_pass *p)
{
    fgti_transformer_place_keep(p, p->io->keep);
    fgti_transformer_place_packs(p, p->io->packs);
    if (!p->packs || !fgti_kept_is_stale(&p->kept, p->run)) return;
    for (int i = 0; i < FGTI_MAPS; i++)
        if (!folds(p, i))
            fgti_packed_weight_fill(&p->map[i].packed, p->run->blas, NULL, p->map[i].w, 1, p->map[i].d);
    fgti_kept_set_fresh(&p->kept, p->run);
}

static void fill_fold(fgti_transformer_pass *p)
{
    const fgt_transformer_opts *o    = p->l->opts;
    const fgti_transformer_map *m    = &p->map[FGTI_MAP_IN];
    const int                   norm = FGTI_TRANSFORMER_NORM1;
    fgti_fold_weights           w    = {.w = m->w, .rsw = m->d, .csw = 1, .biased = m->h};
    w.b = fgti_transformer_bias(p->l, p->io, number_of[FGTI_MAP_IN]);
    if (o->norm_first) w.g = fgti_w(p->l, p->io, fgti_transformer_weight(p->l, norm));
    if (o->norm_first) w.h = fgti_transformer_bias(p->l, p->io, norm);
    fgti_fold_fill(&p->fold, p->run, p->io, &w, p->io->scratch);
}

void fgti_transformer_prepare(fgti_transformer_pass *p, bool *unread)
{
    for (int i = 0; i < FGTI_MAPS; i++) p->map[i].w = fgti_w(p->l, p->io, transformer_weight_of(p, i));
    pack_weights(p);
    if (folds(p, FGTI_MAP_IN)) fill_fold(p);
    for (int i = 0; i < FGTI_MAPS; i++) {
        const fgti_transformer_map *m = &p->map[i];
        unread[transformer_weight_of(p, i)] =
            p->packs || folds(p, i) || fgti_affine_pack_prepare(p->run, &m->pack, m->w, m->d, 1);
    }
}

/* z = x + drop(z) */
static void transformer_add_rows(const fgti_transformer_pass *p, int64_t row, int64_t n, fgti_draw draw,
                                 const fgti_real *x, fgti_real *z)
{
    const fgti_tail tail  = fgti_transformer_tail(p, FGT_ACT_NONE, draw);
    const int64_t   first = row * p->d;
    fgti_tail_part(p->run->vec, &tail, first, n * p->d, z + first, x + first, z + first);
}

/* v = dropout(act(u)) */
static void activate_rows(const fgti_transformer_pass *p, int64_t row, int64_t n)
{
    const fgt_transformer_opts *o     = p->l->opts;
    const fgti_tail             tail  = fgti_transformer_tail(p, o->act, FGTI_DRAW_HIDDEN);
    const int64_t               first = row * p->f;
    fgti_tail_part(p->run->vec, &tail, first, n * p->f, p->u + first, NULL, p->v + first);
}

static void transformer_norm_rows(const fgti_transformer_pass *p, int i, int64_t row, int64_t n,
                                  const fgti_real *x, fgti_real *y)
{
    const fgt_transformer_opts *o     = p->l->opts;
    const int                   which = i ? FGTI_TRANSFORMER_NORM2 : FGTI_TRANSFORMER_NORM1;
    const int64_t               first = row * p->d;
    p->run->vec->norm(n, p->d, o->eps, x + first, fgti_w(p->l, p->io, fgti_transformer_weight(p->l, which)),
                      fgti_transformer_bias(p->l, p->io, which), y + first, p->mean[i] + row,
                      p->rstd[i] + row);
}

/* Computes the steps on rows after product i, up to the next product. */
static void finish_rows(const fgti_transformer_pass *p, int i, int64_t row, int64_t n)
{
    const fgt_transformer_opts *o = p->l->opts;
    const fgti_transformer_map *m = &p->map[i];
    if (m->b) p->run->vec->bias(n, m->h, m->ld, m->b, m->y + row * m->ld);
    if (i == FGTI_MAP_OUT) {
        transformer_add_rows(p, row, n, FGTI_DRAW_ATTENDED, p->io->x, m->y);
        transformer_norm_rows(p, o->norm_first, row, n, m->y, o->norm_first ? p->b : p->h);
    } else if (i == FGTI_MAP_UP) {
        activate_rows(p, row, n);
    } else if (i == FGTI_MAP_DOWN) {
        transformer_add_rows(p, row, n, FGTI_DRAW_OUTPUT, p->h, m->y);
        if (!o->norm_first) transformer_norm_rows(p, 1, row, n, m->y, p->io->y);
    }
}

/* ---- schedule: blocks of rows ---- */

/* The products `first` to `last`, with the steps after each of them. */
typedef struct stretch {
    const fgti_transformer_pass *p;
    int                          first, last;
} stretch;

/* Returns the rows of a task: whole tiles of a product, and a multiple of the four elements that dropout
 * draws together. */
static int64_t block_rows(const fgti_transformer_pass *p)
{
    return 8 * p->run->blas->tile_rows;
}

static void transformer_run_rows(const fgti_transformer_pass *p, int first, int last, int64_t row, int64_t n,
                                 void *scratch)
{
    for (int i = first; i <= last; i++) {
        const fgti_transformer_map *m = &p->map[i];
        if (folds(p, i)) {
            fgti_fold_rows(&p->fold, p->run->vec, p->io->in.time, row, n, p->z, p->io->x, m->y, m->ld);
            continue;
        }
        if (p->packs)
            fgti_packed_weight_multiply(&m->packed, p->run->blas, p->run->vec, scratch, n,
                                        m->x + row * m->d, m->d, 0, m->y + row * m->ld, m->ld, false);
        finish_rows(p, i, row, n);
    }
}

static void transformer_rows_task(void *arg, int64_t task, int32_t worker)
{
    const stretch               *s   = arg;
    const fgti_transformer_pass *p   = s->p;
    const int64_t                row = task * block_rows(p), n = fgti_least(block_rows(p), p->rows - row);
    transformer_run_rows(p, s->first, s->last, row, n, fgti_worker_scratch(p->run->exec, worker));
}

void fgti_transformer_rows(const fgti_transformer_pass *p, int first, int last)
{
    const int64_t tasks = fgti_parts(p->rows, block_rows(p));
    stretch       s     = {p, first, last};
    if (p->packs) {
        fgti_parallel(p->run->exec, tasks, transformer_rows_task, &s);
        return;
    }
    for (int i = first; i <= last; i++) {
        const fgti_transformer_map *m = &p->map[i];
        if (!folds(p, i))
            fgti_affine_packed(p->run, &m->pack, p->rows, m->x, m->w, m->d, 1, NULL, 0, m->y, m->ld);
        fgti_parallel(p->run->exec, tasks, transformer_rows_task, &(stretch){p, i, i});
    }
}

/* ---- schedule: blocks of whole groups ---- */

/* Number of rows of a block of groups. The intermediate results of these rows stay in the second cache,
 * beside the weights. */
#define GROUP_ROWS     320
#define GROUP_ELEMENTS (INT64_C(1) << 17)

/* Number of blocks that keeps a small machine busy. */
#define GROUP_BLOCKS 8

static int64_t most_rows(const fgti_transformer_pass *p)
{
    const int64_t fit = GROUP_ELEMENTS / (3 * p->d + p->f);
    return fgti_least(p->rows, fgti_least(fit, GROUP_ROWS));
}

int64_t fgti_transformer_arena(const fgti_transformer_pass *p)
{
    fgti_transformer_pass block = *p;
    if (!p->packs) return 0;
    block.rows = most_rows(p);
    return fgti_transformer_place(&block, NULL);
}

/* Returns the groups of a block: the fewest that leave at most a 32nd of their tiles empty. 0: there is no
 * such number, or a block would begin between elements that dropout draws together. */
static int64_t transformer_groups_at_once(const fgti_transformer_pass *p)
{
    const fgti_attention *attention = &p->mha.chain.attention;
    const int64_t         u = p->run->blas->tile_rows, t = attention->tq, rows = most_rows(p);
    for (int64_t n = 1; p->packs && n * t <= rows && n * GROUP_BLOCKS <= attention->groups; n++)
        if (32 * (fgti_round_up(n * t, u) - n * t) <= n * t) return p->dropout > 0 && n * t % 4 ? 0 : n;
    return 0;
}

/* Returns the pass of one block in a prediction. A prediction keeps only queries, keys and values, so the
 * rows of the block begin at 0, in memory of the arena. */
static fgti_transformer_pass block_alone(const fgti_transformer_pass *p, fgti_io *io, int64_t row, int64_t n,
                                         fgti_real *arena)
{
    fgti_transformer_pass block = *p;
    *io                         = *p->io;
    io->x += row * p->d;
    io->y += row * p->d;
    if (fgti_is_folded(p->l)) block.z += row * p->fold.k;
    block.io   = io;
    block.rows = n;
    block.mha.p.q += row * p->mha.p.ldq;
    block.mha.c += row * p->d;
    fgti_transformer_place(&block, arena + p->mha.chain.attender->arena(&p->mha.chain));
    fgti_transformer_set_maps(&block);
    return block;
}

typedef struct groups_pass {
    const fgti_transformer_pass *p;
    int64_t                      each; /* groups of a task */
} groups_pass;

static void groups_task(void *arg, int64_t task, int32_t worker)
{
    const groups_pass           *b     = arg;
    const fgti_transformer_pass *p     = b->p;
    const fgt_transformer_opts  *o     = p->l->opts;
    const fgti_chain            *c     = &p->mha.chain;
    const int64_t                first = task * b->each, t = c->attention.tq;
    const int64_t                last = fgti_least(first + b->each, c->attention.groups);
    const int64_t                n = (last - first) * t, row = p->run->differentiable ? first * t : 0;
    fgti_real                   *arena   = fgti_worker_arena(p->io, worker);
    void                        *scratch = fgti_worker_scratch(p->run->exec, worker);
    fgti_io                      io;
    const fgti_transformer_pass  block =
        p->run->differentiable ? *p : block_alone(p, &io, first * t, n, arena);
    if (o->norm_first && !fgti_is_folded(p->l))
        transformer_norm_rows(&block, 0, row, n, block.io->x, block.a);
    transformer_run_rows(&block, FGTI_MAP_IN, FGTI_MAP_IN, row, n, scratch);
    for (int64_t g = first; g < last; g++)
        for (int64_t h = 0; h < c->attention.heads; h++) c->attender->forward(c, g, h, arena, scratch);
    transformer_run_rows(&block, FGTI_MAP_OUT, FGTI_MAP_DOWN, row, n, scratch);
}

/* ---- the pass ---- */

void fgti_transformer_project(const fgti_transformer_pass *p)
{
    const fgt_transformer_opts *o = p->l->opts;
    if (o->norm_first && !fgti_is_folded(p->l))
        fgti_norm(p->run, p->rows, p->d, o->eps, p->io->x,
                  fgti_w(p->l, p->io, fgti_transformer_weight(p->l, FGTI_TRANSFORMER_NORM1)),
                  fgti_transformer_bias(p->l, p->io, FGTI_TRANSFORMER_NORM1), p->a, p->mean[0], p->rstd[0]);
    fgti_transformer_rows(p, FGTI_MAP_IN, FGTI_MAP_IN);
}

void fgti_transformer_begin(fgti_transformer_pass *p)
{
    fgti_transformer_set_maps(p);
    pack_weights(p);
}

void fgti_transformer_run(fgti_transformer_pass *p)
{
    fgti_transformer_begin(p);
    const groups_pass b = {p, transformer_groups_at_once(p)};
    if (b.each) {
        fgti_attend_prepare(&p->mha.chain, p->io);
        fgti_parallel(p->run->exec, fgti_parts(p->mha.chain.attention.groups, b.each), groups_task,
                      (void *)&b);
        return;
    }
    fgti_transformer_project(p);
    fgti_mha_attend(&p->mha);
    fgti_transformer_rows(p, FGTI_MAP_OUT, FGTI_MAP_DOWN);
}

fgt_status fgti_transformer_step(fgti_transformer_pass *p)
{
    fgti_transformer_begin(p);
    fgti_transformer_project(p);
    FGTI_TRY(fgti_mha_step_attend(&p->mha));
    fgti_transformer_rows(p, FGTI_MAP_OUT, FGTI_MAP_DOWN);
    return FGT_OK;
}
