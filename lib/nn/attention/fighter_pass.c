/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/fighter_pass.h"

#include <string.h>

fgti_fighter_params fgti_fighter_params_of(const fgt_fighter_opts *o)
{
    int                 i = 0;
    fgti_fighter_params p;
    p.wq     = i++;
    p.bq     = o->no_bias ? -1 : i++;
    p.wk     = i++;
    p.bk     = o->no_bias ? -1 : i++;
    p.hop    = i++;
    p.bias   = o->no_bias ? -1 : i++;
    p.norm_w = o->norm ? i++ : -1;
    p.norm_b = o->norm ? i++ : -1;
    return p;
}

static fgti_attention_conf conf_of(const fgt_fighter_opts *o)
{
    return (fgti_attention_conf){.causal       = o->causal,
                                 .diag_mask    = o->diag_mask,
                                 .diag_penalty = o->diag_penalty,
                                 .diag_dropout = o->diag_dropout,
                                 .diag_when    = o->diag_when,
                                 .attn_dropout = o->attn_dropout,
                                 .mode         = o->mode};
}

/* Up to so many tokens a head's A takes 4 MiB of a worker's arena. With more weights (2 MiB) products are
 * large enough for BLIS's kernels, and packing is small beside them. */
#define SHORT_TIME    1024
#define SHORT_WEIGHTS (INT64_C(1) << 19)

/* By the planned sizes, in every pass alike. */
static bool is_short(const fgti_fighter_pass *j)
{
    const fgt_fighter_opts   *o    = j->o;
    const fgti_attention_conf conf = conf_of(o);
    const int64_t             time = j->l->in.time;
    return o->hops > 1 && !j->ends.propagate && time <= SHORT_TIME &&
           fgti_mul(j->d, j->proj.n) <= SHORT_WEIGHTS &&
           fgti_attention_streams(&conf, time, time, o->attn / o->heads);
}

static void set_sizes(fgti_fighter_pass *j, const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_fighter_opts *o  = l->opts;
    fgti_attention         *at = &j->chain.at;
    j->l                       = l;
    j->o                       = o;
    j->rows                    = fgti_rows(batch, in);
    j->d                       = in.width;
    j->h                       = o->out;
    j->split                   = fgti_mul(2, o->attn);
    j->ends.propagate          = fgti_multihop_propagates(o->heads, in.width, o->out);
    j->proj.rows               = j->rows;
    j->proj.d                  = in.width;
    j->proj.n                  = j->split + (j->ends.propagate ? 0 : fgti_mul(o->hops, o->out));
    j->proj.ld                 = fgti_spread(j->proj.n);
    j->proj.biased             = o->no_bias ? 0 : fgti_least(j->proj.n, j->split + j->h);
    at->groups                 = fgti_mul(batch, in.nodes);
    at->heads                  = o->heads;
    at->tq = at->tk = in.time;
    at->dh          = o->attn / o->heads;
    j->chain.hops   = o->hops - 1;
    j->chain.n      = j->ends.propagate ? in.width : o->out / o->heads;
    j->is_short     = is_short(j);
    if (j->is_short) fgti_short_set(&j->brief, at, in.width, o->out, o->hops);
}

/* two: a second copy of A is kept. Whether A is kept follows from the planned sizes, in every pass alike; a
 * single hop needs no A, so it is made for those who ask alone. */
static int64_t place_cache(fgti_fighter_pass *j, bool two, fgti_real *base)
{
    const fgt_fighter_opts   *o    = j->o;
    const fgti_attention_conf conf = conf_of(o);
    const int64_t             time = j->l->in.time;
    const bool streams = o->hops > 1 && fgti_attention_streams(&conf, time, time, o->attn / o->heads);
    int64_t    at      = 0;
    if (o->norm) {
        if (!j->is_short) j->x = fgti_take(base, &at, fgti_mul(j->rows, j->d));
        j->mean = fgti_take(base, &at, j->rows);
        j->rstd = fgti_take(base, &at, j->rows);
    }
    if (j->is_short) {
        j->brief.y = fgti_take(base, &at, fgti_short_cache(&j->brief));
        fgti_attention_place(&j->chain.at, j->l, true, false, base, &at);
        return at;
    }
    j->proj.y = fgti_take(base, &at, fgti_mul(j->rows, j->proj.ld));
    j->hops   = fgti_take(base, &at,
                        j->ends.propagate ? fgti_multihop_cache(j->rows, j->d, j->h, o->heads, o->hops)
                                            : fgti_mul(o->hops - 1, fgti_mul(j->rows, fgti_spread(j->h))));
    fgti_attention_place(&j->chain.at, j->l, streams, two, base, &at);
    return at;
}

static int64_t place_scratch(fgti_fighter_pass *j, fgti_real *base)
{
    int64_t at = 0;
    if (j->is_short) return fgti_short_scratch(&j->brief, base);
    j->dx      = fgti_take(base, &at, fgti_mul(j->rows, j->d));
    j->proj.dy = fgti_take(base, &at, fgti_mul(j->rows, j->proj.ld));
    j->proj.dw = fgti_take(base, &at, fgti_mul(j->d, j->proj.n));
    j->proj.db = fgti_take(base, &at, j->proj.n);
    if (j->ends.propagate)
        j->dhops = fgti_take(base, &at, fgti_multihop_scratch(j->rows, j->d, j->h, j->o->heads, j->o->hops));
    return at;
}

static int64_t place_keep(fgti_fighter_pass *j, fgti_real *base)
{
    return j->is_short ? fgti_short_keep(&j->brief, base) : fgti_projection_keep(&j->proj, base);
}

/* Dropout leaves a group's dy behind the rest. */
fgti_real *fgti_fighter_dropped(const fgti_fighter_pass *j, fgti_real *arena)
{
    return arena + fgti_short_arena(&j->brief);
}

void fgti_fighter_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    fgti_fighter_pass j = {0};
    set_sizes(&j, l, batch, in);
    /* two copies of A: FGT_MASK_DIAG_SCALE may come with any pass */
    need->cache   = place_cache(&j, true, NULL);
    need->scratch = place_scratch(&j, NULL);
    need->keep    = place_keep(&j, NULL);
    if (j.is_short)
        need->arena = fgti_short_arena(&j.brief) + (j.o->dropout > 0 ? fgti_mul(in.time, j.h) : 0);
    else
        need->arena = fgti_chain_arena(&j.chain);
}

/* Hops over the projected rows: X_0 = U_{kappa-1}, Y_i = U_{kappa-2-i}, in place of the P_i. */
static void chain_horner(fgti_fighter_pass *j)
{
    const int64_t t = j->chain.at.tq, n = j->proj.ld, h = j->h, head = j->chain.n, ldo = fgti_spread(h);
    const int64_t last = j->split + (j->o->hops - 1) * h;
    fgti_real    *y    = j->proj.y;
    j->u               = y + j->split;
    j->ldu             = n;
    j->chain.x         = (fgti_span){y + last, n, t * n, head, 0};
    j->chain.y         = (fgti_span){y + last - h, n, t * n, head, -h};
    j->chain.o         = (fgti_span){j->hops, ldo, t * ldo, head, j->rows * ldo};
}

/* All that is a column of dy. */
static void place_dy(fgti_fighter_pass *j)
{
    const int64_t n = j->proj.ld, h = j->h, head = j->chain.n, last = j->split + (j->o->hops - 1) * h;
    const int64_t group = j->chain.at.tq * n;
    fgti_real    *dy    = j->proj.dy;
    j->chain.dq         = (fgti_span){dy, n, group, j->chain.at.dh, 0};
    j->chain.dk         = (fgti_span){dy + j->o->attn, n, group, j->chain.at.dh, 0};
    if (j->ends.propagate) return;
    j->du       = dy + j->split;
    j->chain.dx = (fgti_span){dy + last, n, group, head, 0};
    j->chain.dy = (fgti_span){dy + last - h, n, group, head, -h};
}

/* Hops over the input: X_0 = X' for all heads, O_i = Z_{i+1}. */
static void chain_propagate(fgti_fighter_pass *j)
{
    const int64_t  t = j->chain.at.tq, d = j->d, all = j->rows * d;
    fgti_multihop *m = &j->ends;
    m->run           = j->run;
    m->groups        = j->chain.at.groups;
    m->tokens        = t;
    m->d             = d;
    m->h             = j->h;
    m->heads         = j->o->heads;
    m->kappa         = j->o->hops;
    m->x             = j->proj.x;
    m->w             = fgti_w(j->l, j->io, fgti_fighter_params_of(j->o).hop);
    fgti_multihop_place(m, j->hops, j->dhops);
    j->u         = m->u;
    j->du        = m->du;
    j->ldu       = j->h;
    j->chain.x   = (fgti_span){(fgti_real *)m->x, d, t * d, 0, 0};
    j->chain.o   = (fgti_span){m->z, d, t * d, all, m->heads * all};
    j->chain.dx  = (fgti_span){m->dz, d, t * d, all, 0};
    j->chain.dy  = (fgti_span){m->dz + m->heads * all, d, t * d, all, m->heads * all};
    j->chain.add = true;
}

static void place_attention(fgti_fighter_pass *j)
{
    fgti_attention *at = &j->chain.at;
    at->q              = j->proj.y;
    at->k              = j->proj.y + j->o->attn;
    at->ldq = at->ldk = j->proj.ld;
}

static void place_short(fgti_fighter_pass *j)
{
    const fgti_fighter_params p     = fgti_fighter_params_of(j->o);
    const fgti_param         *param = j->l->param;
    j->brief.x                      = j->io->x;
    if (j->o->norm) {
        j->brief.norm_w = fgti_w(j->l, j->io, p.norm_w);
        j->brief.norm_b = fgti_w(j->l, j->io, p.norm_b);
        j->brief.mean   = j->mean;
        j->brief.rstd   = j->rstd;
    }
    j->brief.p.wq  = param[p.wq].offset;
    j->brief.p.wk  = param[p.wk].offset;
    j->brief.p.hop = param[p.hop].offset;
    j->brief.p.bq  = -1;
    if (!j->o->no_bias) {
        j->brief.p.bq   = param[p.bq].offset;
        j->brief.p.bk   = param[p.bk].offset;
        j->brief.p.bias = param[p.bias].offset;
    }
    j->u   = j->io->y;
    j->ldu = j->h;
}

fgt_status fgti_fighter_open(fgti_fighter_pass *j, const fgti_run *run, const fgti_layer *l,
                             const fgti_io *io, bool backward)
{
    const fgt_fighter_opts   *o    = l->opts;
    const fgti_attention_conf conf = conf_of(o);
    fgti_attention           *at   = &j->chain.at;
    *j                             = (fgti_fighter_pass){.run = run, .io = io, .proj.run = run};
    FGTI_TRY(fgti_attention_init(at, run, l, &conf, io->in.nodes, o->heads, io->in.time, io->in.time,
                                 o->attn / o->heads));
    set_sizes(j, l, run->batch, io->in);
    place_cache(j, fgti_attention_two(&conf) || at->diag_scale, io->cache);
    place_keep(j, io->keep);
    if (backward) place_scratch(j, io->scratch);
    j->proj.x  = o->norm ? j->x : io->x;
    j->dropout = run->training ? o->dropout : 0;
    j->rng     = fgti_layer_rng(run, l, FGTI_DRAW_OUTPUT);
    if (j->is_short) {
        place_short(j);
        return FGT_OK;
    }
    place_attention(j);
    if (j->ends.propagate)
        chain_propagate(j);
    else
        chain_horner(j);
    if (backward) place_dy(j);
    return FGT_OK;
}

/* ---- the parameters, side by side ---- */

void fgti_fighter_gather(const fgti_fighter_pass *j)
{
    const fgt_fighter_opts   *o = j->o;
    const fgti_fighter_params p = fgti_fighter_params_of(o);
    const int64_t             h = j->h, a = o->attn, hops = j->ends.propagate ? 0 : o->hops;
    fgti_real                *b = j->proj.b;
    fgti_projection_set(&j->proj, 0, a, true, fgti_w(j->l, j->io, p.wq));
    fgti_projection_set(&j->proj, a, a, true, fgti_w(j->l, j->io, p.wk));
    for (int64_t i = 0; i < hops; i++)
        fgti_projection_set(&j->proj, j->split + i * h, h, false, fgti_w(j->l, j->io, p.hop) + i * j->d * h);
    if (!o->no_bias) {
        memcpy(b, fgti_w(j->l, j->io, p.bq), (size_t)a * sizeof *b);
        memcpy(b + a, fgti_w(j->l, j->io, p.bk), (size_t)a * sizeof *b);
        if (hops) memcpy(b + j->split, fgti_w(j->l, j->io, p.bias), (size_t)h * sizeof *b);
    }
}

void fgti_fighter_scatter(const fgti_fighter_pass *j, int64_t first)
{
    const fgt_fighter_opts   *o = j->o;
    const fgti_fighter_params p = fgti_fighter_params_of(o);
    const int64_t             h = j->h, a = o->attn, hops = j->ends.propagate ? 0 : o->hops;
    const fgti_real          *db  = j->proj.db;
    const fgti_vec           *vec = j->run->vec;
    if (first == 0) {
        fgti_projection_add(&j->proj, 0, a, true, fgti_dw(j->l, j->io, p.wq));
        fgti_projection_add(&j->proj, a, a, true, fgti_dw(j->l, j->io, p.wk));
    }
    for (int64_t i = 0; i < hops; i++)
        fgti_projection_add(&j->proj, j->split + i * h, h, false, fgti_dw(j->l, j->io, p.hop) + i * j->d * h);
    if (o->no_bias) return;
    if (first == 0) {
        vec->axpy(a, 1, db, fgti_dw(j->l, j->io, p.bq));
        vec->axpy(a, 1, db + a, fgti_dw(j->l, j->io, p.bk));
    }
    if (hops) vec->axpy(h, 1, db + j->split, fgti_dw(j->l, j->io, p.bias));
}
