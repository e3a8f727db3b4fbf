/* SPDX-License-Identifier: BSD-3-Clause */
/* Route "short": one group after the other goes from the norm to the output, and back to the gradients of the
 * weights, while all data of the group stays in the cache. The products are the loops of short_head.c. */
#include <string.h>

#include "blas/pack.h"
#include "nn/attention/fighter/fighter_step.h"
#include "nn/attention/fighter/short_head.h"

typedef struct short_pass {
    fgti_fighter_pass p;
    fgti_short        s;
    fgti_kept         kept; /* version of the copied weights */
    fgti_fold         fold; /* a predictor's fold, from which s.w, s.b and s.table are made */
} short_pass;

/* Sets the sizes of s from p. */
static void fighter_short_set_sizes(short_pass *w)
{
    const fgti_fighter_pass *p      = &w->p;
    const bool               folded = fgti_is_folded(p->l);
    fgti_short_set(&w->s, &p->chain.attention, folded ? p->l->fold_map->in.width : p->d, p->h, p->o->hops);
    if (folded) fgti_fighter_set_fold(p, &w->fold);
}

/* ---- memory ---- */

static int64_t fighter_short_place_cache(short_pass *w, fgti_real *base)
{
    fgti_fighter_pass *p  = &w->p;
    int64_t            at = 0;
    if (fgti_fighter_adds_normed(p->o, p->d)) {
        fgti_fighter_place_norm(p, base, &at);
        w->s.mean = p->mean;
        w->s.rstd = p->rstd;
    } else if (p->o->norm && !fgti_is_folded(p->l)) {
        w->s.mean = fgti_take(base, &at, p->rows);
        w->s.rstd = fgti_take(base, &at, p->rows);
    }
    w->s.y = fgti_take(base, &at, fgti_short_cache(&w->s));
    fgti_attention_place(&p->chain.attention, base, &at);
    return at;
}

static int64_t fighter_short_place_keep(short_pass *w, fgti_real *base)
{
    fgti_short *s  = &w->s;
    int64_t     at = 0;
    w->kept        = fgti_kept_take(base, &at);
    s->w           = fgti_take(base, &at, fgti_mul(s->columns, s->ldd));
    s->b           = fgti_take(base, &at, s->columns);
    if (!fgti_is_folded(w->p.l)) return at;
    s->tokens  = w->fold.tokens;
    s->ldtable = fgti_round_up(s->tokens, FGTI_REGISTER);
    s->table   = fgti_take(base, &at, fgti_mul(s->columns, s->ldtable));
    return at;
}

/* Takes memory for the weights before a map was folded into them, [columns][round_up(D)], and for the scratch
 * of the fold. */
static int64_t fighter_short_place_prepare(short_pass *w, fgti_real **from, fgti_real **rest, fgti_real *base)
{
    const int64_t all = w->s.columns;
    int64_t       at  = 0;
    *from = *rest = NULL;
    if (!fgti_is_folded(w->p.l)) return 0;
    *from = fgti_take(base, &at, fgti_mul(all, fgti_round_up(w->p.d, FGTI_REGISTER)));
    fgti_fold_keep(&w->fold, fgti_take(base, &at, fgti_fold_keep(&w->fold, NULL)));
    *rest = fgti_take(base, &at, fgti_fold_scratch(&w->fold));
    return at;
}

static int64_t fighter_short_place_scratch(short_pass *w, fgti_real *base)
{
    fgti_short *s  = &w->s;
    int64_t     at = 0;
    s->dw          = fgti_take(base, &at, fgti_mul(s->chunks, fgti_mul(s->columns, s->ldd)));
    s->db          = fgti_take(base, &at, fgti_mul(s->chunks, s->columns));
    s->dnorm       = fgti_take(base, &at, fgti_mul(s->chunks, fgti_mul(2, s->d)));
    return at;
}

/* Returns the memory for skip(dropout(dy)) of a group, in the arena after the memory of a head. */
static fgti_real *dropped(const short_pass *w, fgti_real *arena)
{
    return arena + fgti_short_arena(&w->s);
}

static void short_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_fighter_opts *o = l->opts;
    short_pass              w = {0};
    fgti_real              *from, *rest;
    fgti_fighter_set(&w.p, l, batch, in);
    fighter_short_set_sizes(&w);
    need->cache    = fighter_short_place_cache(&w, NULL);
    need->backward = fighter_short_place_scratch(&w, NULL);
    need->keep     = fighter_short_place_keep(&w, NULL);
    need->prepare  = fighter_short_place_prepare(&w, &from, &rest, NULL);
    need->arena    = fgti_short_arena(&w.s);
    if (o->dropout > 0 || o->drop_path > 0) need->arena += fgti_mul(in.time, o->out);
}

static fgt_status fighter_short_open_pass(short_pass *w, const fgti_run *run, const fgti_layer *l,
                                          const fgti_io *io, bool backward)
{
    fgti_fighter_pass *p = &w->p;
    *w                   = (short_pass){0};
    FGTI_TRY(fgti_fighter_open(p, run, l, io));
    fighter_short_set_sizes(w);
    fighter_short_place_cache(w, io->cache);
    fighter_short_place_keep(w, io->keep);
    if (backward) fighter_short_place_scratch(w, io->scratch);
    w->s.x = io->x;
    if (fgti_is_folded(l)) {
        w->s.x     = fgti_fold_z(l, io);
        w->s.wide  = p->o->norm ? io->x : NULL;
        w->s.width = p->d;
    } else if (p->o->norm) {
        w->s.norm_w = fgti_w(l, io, p->param.norm_w);
        w->s.norm_b = fgti_w(l, io, p->param.norm_b);
    }
    if (fgti_fighter_adds_normed(p->o, p->d)) w->s.added = io->dy;
    p->u   = io->y; /* forward: y is used in place of u */
    p->ldu = p->h;
    return FGT_OK;
}

static fgti_real *fighter_short_arena_of(const short_pass *w, int32_t worker)
{
    return fgti_worker_arena(w->p.io, worker);
}

/* ---- the parameters, head by head ---- */

/* Collects the weights W' [columns][ld], head by head, and s.b. */
typedef struct gather_pass {
    const short_pass *w;
    fgti_real        *to;
    int64_t           ld;
} gather_pass;

/* Returns the offset of a head's columns in the parameter of all W_i. */
static int64_t hop_at(const short_pass *w, int64_t power, int64_t h)
{
    return (power - w->p.o->first_hop) * w->p.d * w->s.h + h * w->s.n;
}

/* One task for each head and part. The first part is queries, keys and biases; each further part is a W_i. */
static void fighter_short_gather_task(void *arg, int64_t task, int32_t worker)
{
    const gather_pass       *g = arg;
    const fgti_fighter_pass *p = &g->w->p;
    const fgti_short        *s = &g->w->s;
    const int64_t            h = task / (s->kappa + 1), power = task % (s->kappa + 1) - 1;
    const int64_t            dh = s->attention->dh, d = p->d, n = s->n, ld = g->ld;
    const size_t             each = sizeof *s->w;
    fgti_real               *to = g->to + h * s->head * ld, *b = s->b + h * s->head;
    (void)worker;
    if (power >= p->o->first_hop) {
        fgti_pack_transpose(d, n, fgti_w(p->l, p->io, p->param.hop) + hop_at(g->w, power, h), s->h,
                            to + (2 * dh + power * n) * ld, ld);
        return;
    }
    if (power >= 0) {
        memset(to + (2 * dh + power * n) * ld, 0, (size_t)(n * ld) * each);
        return;
    }
    for (int64_t c = 0; c < dh; c++) {
        memcpy(to + c * ld, fgti_w(p->l, p->io, p->param.wq) + (h * dh + c) * d, (size_t)d * each);
        memcpy(to + (dh + c) * ld, fgti_w(p->l, p->io, p->param.wk) + (h * dh + c) * d, (size_t)d * each);
    }
    if (p->o->no_bias) return;
    memcpy(b, fgti_w(p->l, p->io, p->param.bq) + h * dh, (size_t)dh * each);
    memcpy(b + dh, fgti_w(p->l, p->io, p->param.bk) + h * dh, (size_t)dh * each);
    memcpy(b + 2 * dh, fgti_w(p->l, p->io, p->param.bias) + h * n, (size_t)n * each);
}

static void gather_into(const short_pass *w, fgti_real *to, int64_t ld)
{
    const fgti_short *s = &w->s;
    fgti_parallel(s->run->exec, s->attention->heads * (s->kappa + 1), fighter_short_gather_task,
                  &(gather_pass){w, to, ld});
}

static void fighter_short_gather(const short_pass *w)
{
    if (!fgti_kept_is_stale(&w->kept, w->p.run)) return;
    gather_into(w, w->s.w, w->s.ldd);
    fgti_kept_set_fresh(&w->kept, w->p.run);
}

/* Fills s.w [columns][K], s.table [columns][tokens] and s.b from the folded weights. */
static void gather_folded(short_pass *w)
{
    const fgti_fold *f = &w->fold;
    fgti_short      *s = &w->s;
    const int64_t    n = s->columns, ld = fgti_round_up(f->d, FGTI_REGISTER);
    fgti_real       *from, *rest;
    if (!fgti_kept_is_stale(&w->kept, w->p.run)) return;
    fighter_short_place_prepare(w, &from, &rest, w->p.io->scratch);
    memset(s->b, 0, (size_t)n * sizeof *s->b);
    gather_into(w, from, ld);
    fgti_fighter_fold(&w->p, f, from, ld, 1, s->b, n, rest);
    fgti_pack_transpose(f->k, n, f->p, n, s->w, s->ldd);
    fgti_pack_transpose(f->tokens, n, f->s, n, s->table, s->ldtable);
    memcpy(s->b, f->q, (size_t)n * sizeof *s->b);
    fgti_kept_set_fresh(&w->kept, w->p.run);
}

static void short_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    short_pass w = {.p = {.run = run, .io = io}};
    fgti_fighter_set(&w.p, l, run->batch, io->in);
    fighter_short_set_sizes(&w);
    w.s.run = run;
    fighter_short_place_keep(&w, io->keep);
    if (fgti_is_folded(l))
        gather_folded(&w);
    else
        fighter_short_gather(&w);
    fgti_fighter_set_unread(&w.p, true, true, unread);
}

/* For one row of dw: adds the sums of all other chunks to the sum of the first chunk. */
static void fighter_short_sum_task(void *arg, int64_t row, int32_t worker)
{
    const fgti_short *s = &((const short_pass *)arg)->s;
    (void)worker;
    for (int64_t c = 1; c < s->chunks; c++)
        s->run->vec->axpy(s->d, 1, s->dw + (c * s->columns + row) * s->ldd, s->dw + row * s->ldd);
}

static void fighter_short_scatter_task(void *arg, int64_t task, int32_t worker)
{
    const short_pass        *w   = arg;
    const fgti_fighter_pass *p   = &w->p;
    const fgti_short        *s   = &w->s;
    const fgti_vec          *vec = s->run->vec;
    const int64_t            h = task / (s->kappa + 1), power = task % (s->kappa + 1) - 1;
    const int64_t            dh = s->attention->dh, d = s->d, n = s->n;
    const fgti_real         *from = s->dw + h * s->head * s->ldd, *b = s->db + h * s->head;
    fgti_real               *transposed = fighter_short_arena_of(w, worker);
    if (power >= p->o->first_hop) {
        fgti_pack_transpose(n, d, from + (2 * dh + power * n) * s->ldd, s->ldd, transposed, n);
        vec->panels->add_rows(d, n, transposed, n,
                              fgti_dw(p->l, p->io, p->param.hop) + hop_at(w, power, h), s->h);
        return;
    }
    if (power >= 0) return; /* for i < first_hop, W_i is not a parameter */
    vec->panels->add_rows(dh, d, from, s->ldd, fgti_dw(p->l, p->io, p->param.wq) + h * dh * d, d);
    vec->panels->add_rows(dh, d, from + dh * s->ldd, s->ldd, fgti_dw(p->l, p->io, p->param.wk) + h * dh * d,
                          d);
    if (p->o->no_bias) return;
    vec->axpy(dh, 1, b, fgti_dw(p->l, p->io, p->param.bq) + h * dh);
    vec->axpy(dh, 1, b + dh, fgti_dw(p->l, p->io, p->param.bk) + h * dh);
    vec->axpy(n, 1, b + 2 * dh, fgti_dw(p->l, p->io, p->param.bias) + h * n);
}

static void fighter_short_scatter(const short_pass *w)
{
    const fgti_fighter_pass *p   = &w->p;
    const fgti_short        *s   = &w->s;
    const fgti_vec          *vec = s->run->vec;
    const int64_t            d   = s->d;
    fgti_parallel(s->run->exec, s->columns, fighter_short_sum_task, (void *)w);
    for (int64_t c = 1; c < s->chunks; c++) vec->axpy(s->columns, 1, s->db + c * s->columns, s->db);
    fgti_parallel(s->run->exec, s->attention->heads * (s->kappa + 1), fighter_short_scatter_task, (void *)w);
    for (int64_t c = 0; s->norm_w && c < s->chunks; c++) {
        vec->axpy(d, 1, s->dnorm + 2 * c * d, fgti_dw(p->l, p->io, p->param.norm_w));
        vec->axpy(d, 1, s->dnorm + (2 * c + 1) * d, fgti_dw(p->l, p->io, p->param.norm_b));
    }
}

/* ---- forward ---- */

/* Returns s without the padding after the last token of the group, which no query sees. */
static fgti_short trim_keys(const fgti_short *s, int64_t g)
{
    return fgti_short_trim(s, s->queries, fgti_short_live(s, g));
}

static void fighter_short_group_task(void *arg, int64_t g, int32_t worker)
{
    const short_pass *w = arg;
    const int64_t     t = w->s.attention->tq;
    const fgti_short  s = trim_keys(&w->s, g);
    fgti_short_input(&s, g, true, fighter_short_arena_of(w, worker));
    for (int64_t h = 0; h < w->p.o->heads; h++)
        fgti_short_forward(&s, g, h, fighter_short_arena_of(w, worker), w->p.io->y);
    fgti_fighter_tail_rows(&w->p, g * t, t);
}

/* Returns the number of heads in a task: the heads of a group are divided among all workers. */
static int64_t heads_at_once(const short_pass *w)
{
    return fgti_parts(w->p.o->heads, w->p.run->exec->workers);
}

static void heads_task(void *arg, int64_t task, int32_t worker)
{
    const short_pass *w     = arg;
    const int64_t     heads = w->p.o->heads, each = heads_at_once(w), parts = fgti_parts(heads, each);
    const int64_t     g = task / parts, first = task % parts * each;
    const fgti_short s = trim_keys(&w->s, g);
    fgti_short_input(&s, g, first == 0, fighter_short_arena_of(w, worker));
    for (int64_t h = first; h < fgti_least(first + each, heads); h++)
        fgti_short_forward(&s, g, h, fighter_short_arena_of(w, worker), w->p.io->y);
}

/* A task computes whole groups, or some heads of a group if there are fewer groups than workers. */
static fgt_status short_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    short_pass w;
    FGTI_TRY(fighter_short_open_pass(&w, run, l, io, false));
    const int64_t groups = w.s.attention->groups;
    fighter_short_gather(&w);
    if (fgti_fighter_adds_normed(w.p.o, w.p.d)) fgti_fighter_norm(&w.p);
    if (groups >= run->exec->workers) {
        fgti_parallel(run->exec, groups, fighter_short_group_task, &w);
        return FGT_OK;
    }
    fgti_parallel(run->exec, groups * fgti_parts(w.p.o->heads, heads_at_once(&w)), heads_task, &w);
    fgti_fighter_tail(&w.p);
    return FGT_OK;
}

/* ---- in a stream ---- */

/* Takes memory for X' and the statistics of the norm. */
static int64_t place_step(short_pass *w, fgti_real *base)
{
    int64_t at = 0;
    fgti_fighter_place_norm(&w->p, base, &at);
    return at;
}

static void short_step_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    short_pass w = {0};
    fgti_fighter_set(&w.p, l, batch, in);
    const int64_t scratch = place_step(&w, NULL);
    if (scratch > need->scratch) need->scratch = scratch;
}

/* Computes n columns of a row of the product with W, from row `at` of W' on. */
static void fighter_short_multiply_row(const short_pass *w, int64_t at, int64_t n, const fgti_real *x,
                                       fgti_real *y)
{
    const fgti_short *s = &w->s;
    memcpy(y, s->b + at, (size_t)n * sizeof *y);
    s->run->vec->panels->dot_rows(n, s->d, s->w + at * s->ldd, s->ldd, x, 0, y);
}

/* Computes one head of one row of [Q K P_0 ..]. For a few rows, a product that packs W would take longer. */
static void project_task(void *arg, int64_t task, int32_t worker)
{
    const short_pass        *w = arg;
    const fgti_fighter_pass *p = &w->p;
    const fgti_short        *s = &w->s;
    const int64_t            row = task / p->o->heads, h = task % p->o->heads, dh = s->attention->dh;
    const int64_t            a = p->o->attn, first = h * s->head;
    const fgti_real         *x = p->x + row * p->d;
    fgti_real               *y = s->y + row * s->columns;
    (void)worker;
    fighter_short_multiply_row(w, first, dh, x, y + h * dh);
    fighter_short_multiply_row(w, first + dh, dh, x, y + a + h * dh);
    for (int64_t i = 0; i < s->kappa; i++)
        fighter_short_multiply_row(w, first + 2 * dh + i * s->n, s->n, x, y + 2 * a + i * s->h + h * s->n);
}

static fgt_status short_step(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    short_pass w;
    FGTI_TRY(fighter_short_open_pass(&w, run, l, io, false));
    fighter_short_gather(&w);
    place_step(&w, io->scratch);
    fgti_fighter_norm(&w.p);
    fgti_parallel(run->exec, w.p.rows * w.p.o->heads, project_task, &w);
    FGTI_TRY(fgti_fighter_step_outputs(&w.p, w.s.y, w.s.columns));
    fgti_fighter_tail(&w.p);
    return FGT_OK;
}

/* ---- backward ---- */

static int64_t first_group(const short_pass *w, int64_t chunk)
{
    return w->s.attention->groups * chunk / w->s.chunks;
}

/* Returns s without the padding after the last token of the group, if nobody reads its rows, as with a mean
 * over the tokens. This padding has no gradient. */
static fgti_short trim_rows(const short_pass *w, int64_t g)
{
    const int64_t    t = w->s.attention->tq, h = w->p.h, live = fgti_short_live(&w->s, g);
    const fgti_real *dy = w->p.io->dy + g * t * h;
    for (int64_t i = live * h; i < t * h; i++)
        if (dy[i] != 0) return w->s;
    return fgti_short_trim(&w->s, live, live);
}

static void fighter_short_chunk_task(void *arg, int64_t chunk, int32_t worker)
{
    const short_pass        *w = arg;
    const fgti_fighter_pass *p = &w->p;
    const int64_t            t = w->s.attention->tq, n = t * p->d, first = first_group(w, chunk);
    fgti_real               *arena = fighter_short_arena_of(w, worker);
    for (int64_t g = first; g < first_group(w, chunk + 1); g++) {
        const fgti_short s  = trim_rows(w, g);
        const fgti_real *dy = fgti_fighter_drop_rows(p, g * t, s.queries, dropped(w, arena));
        fgti_real       *dx = p->io->dx ? p->io->dx + g * n : NULL;
        fgti_short_backward(&s, p->tail.act, g, chunk, g == first, dy, arena, dx);
        if (dx && fgti_fighter_has_residual(p) && !w->s.added)
            p->run->vec->axpy(n, 1, p->io->dy + g * n, dx);
    }
}

static fgt_status short_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    short_pass w;
    FGTI_TRY(fighter_short_open_pass(&w, run, l, io, true));
    fgti_parallel(run->exec, w.s.chunks, fighter_short_chunk_task, &w);
    fighter_short_scatter(&w);
    return FGT_OK;
}

/* ---- the matrices ---- */

typedef struct matrices_pass {
    const short_pass *w;
    fgti_real        *a;
} matrices_pass;

static void fighter_short_matrix_task(void *arg, int64_t gh, int32_t worker)
{
    const matrices_pass *m     = arg;
    const fgti_short    *s     = &m->w->s;
    const int64_t        heads = s->attention->heads, t = s->attention->tq;
    fgti_short_matrix(s, gh / heads, gh % heads, fighter_short_arena_of(m->w, worker), m->a + gh * t * t);
}

static fgt_status short_matrices(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_real *a)
{
    short_pass w;
    FGTI_TRY(fighter_short_open_pass(&w, run, l, io, false));
    matrices_pass m = {&w, a};
    fgti_parallel(run->exec, w.s.attention->groups * w.s.attention->heads, fighter_short_matrix_task, &m);
    return FGT_OK;
}

const fgti_fighter_route fgti_fighter_short = {
    .size     = short_size,
    .forward  = short_forward,
    .backward = short_backward,
    .matrices = short_matrices,
    .prepare  = short_prepare,
    .step      = short_step,
    .step_size = short_step_size,
};
