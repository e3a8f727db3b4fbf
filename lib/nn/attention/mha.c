/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/mha.h"

#include <string.h>

#include "nn/affine.h"
#include "nn/attention/attender/attender_table.h"
#include "nn/attention/attender/full_short.h"
#include "nn/attention/attention_stream.h"

/* ---- parameters ---- */

enum { IN_WEIGHT, IN_BIAS, OUT_WEIGHT, OUT_BIAS };

/* Returns the number of parameter `which` in the layer. */
static int mha_param_of(const fgti_mha *m, int which)
{
    return m->conf.param + (m->conf.no_bias ? which / 2 : which);
}

static const fgti_real *weight(const fgti_mha *m, int which)
{
    return fgti_w(m->l, m->io, mha_param_of(m, which));
}

static fgti_real *gradient(const fgti_mha *m, int which)
{
    return fgti_dw(m->l, m->io, mha_param_of(m, which));
}

static const fgti_real *mha_bias(const fgti_mha *m, int which)
{
    return m->conf.no_bias ? NULL : weight(m, which);
}

static fgti_real *mha_bias_gradient(const fgti_mha *m, int which)
{
    return m->conf.no_bias ? NULL : gradient(m, which);
}

static fgt_status check_heads(fgti_error *err, int64_t heads, int64_t width, const char *of)
{
    if (width % heads == 0) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "heads is wrong (got %lld, need a divisor of the width%s, %lld)",
                     (long long)heads, of, (long long)width);
}

fgt_status fgti_mha_plan(fgt_context *ctx, fgti_layer *l, const fgti_mha_conf *conf,
                         const char *const name[4])
{
    const bool    shared = fgti_attender_get(conf->attention.attender)->shared;
    const int64_t d = l->in.width, v = conf->values, n = fgti_mul(shared ? 1 : 2, d) + v;
    FGTI_TRY(check_heads(&ctx->error, conf->heads, d, ""));
    FGTI_TRY(check_heads(&ctx->error, conf->heads, v, " of values"));
    FGTI_TRY(
        fgti_param_add(ctx, l, name[IN_WEIGHT], 2, (int64_t[]){n, d}, FGTI_INIT_UNIFORM, fgti_fan_in(d)));
    if (!conf->no_bias) FGTI_TRY(fgti_param_add(ctx, l, name[IN_BIAS], 1, &n, FGTI_INIT_ZERO, 0));
    if (conf->no_out) return FGT_OK;
    FGTI_TRY(
        fgti_param_add(ctx, l, name[OUT_WEIGHT], 2, (int64_t[]){d, v}, FGTI_INIT_UNIFORM, fgti_fan_in(v)));
    return conf->no_bias ? FGT_OK : fgti_param_add(ctx, l, name[OUT_BIAS], 1, &d, FGTI_INIT_ZERO, 0);
}

/* ---- memory ---- */

static void mha_set_sizes(fgti_mha *m, const fgti_layer *l, const fgti_mha_conf *conf, int64_t batch,
                          fgti_shape in, int64_t tk)
{
    m->l              = l;
    m->conf           = *conf;
    m->d              = in.width;
    m->rows           = fgti_rows(batch, in);
    m->memory_rows    = fgti_mul(fgti_mul(batch, in.nodes), tk);
    m->chain.attender = fgti_attender_get(conf->attention.attender);
    m->chain.constants = l->table;
    fgti_attention_set(&m->chain.attention, &conf->attention, l, batch, in.nodes, conf->heads, in.time, tk,
                       in.width / conf->heads);
    m->chain.products  = 1;
    m->chain.n         = conf->values / conf->heads;
    m->chain.own_loops = fgti_full_short_suits(&m->chain, l->blas, l->in.time,
                                               conf->cross ? conf->memory_time : l->in.time);
}

/* memory_columns() returns the columns of a token's keys and values. columns() returns the number of columns
 * that are computed side by side: Q, K and V; or Q = K and V; or only Q. */
static int64_t memory_columns(const fgti_mha *m)
{
    return m->d + m->conf.values;
}

static int64_t columns(const fgti_mha *m)
{
    if (m->conf.cross) return m->d;
    return m->chain.attender->shared ? memory_columns(m) : m->d + memory_columns(m);
}

static fgti_mha_qkv place_qkv(const fgti_mha *m, fgti_real *base, int64_t *at)
{
    const bool   cross = m->conf.cross;
    fgti_mha_qkv p     = {.ldq  = fgti_spread(columns(m)),
                          .ldkv = fgti_spread(cross ? memory_columns(m) : columns(m))};
    p.q                = fgti_take(base, at, fgti_mul(m->rows, p.ldq));
    p.k                = cross ? fgti_take(base, at, fgti_mul(m->memory_rows, p.ldkv)) : p.q;
    if (!cross && !m->chain.attender->shared && base) p.k += m->d;
    p.v = base ? p.k + m->d : NULL;
    return p;
}

/* Sets up the product c = A V, after sizes and memory are set. */
static void mha_place_chain(fgti_mha *m)
{
    fgti_chain   *c  = &m->chain;
    const int64_t side = c->attention.side, dh = c->attention.dh, n = c->n;
    const int64_t queries = c->attention.tq * m->p.ldq, keys = c->attention.tk * m->p.ldkv;
    const int64_t contexts = c->attention.tq * m->conf.values;
    const int64_t ldq = side * m->p.ldq, ld = side * m->p.ldkv, ldc = side * m->conf.values;
    c->attention.q   = m->p.q;
    c->attention.k   = m->p.k;
    c->attention.ldq = ldq;
    c->attention.ldk = ld;
    c->x             = (fgti_span){m->p.v, ld, keys, n, 0};
    c->o             = (fgti_span){m->c, ldc, contexts, n, 0};
    c->dx            = (fgti_span){m->dp.v, ld, keys, n, 0};
    c->dy            = (fgti_span){m->dc, ldc, contexts, n, 0};
    c->dq            = (fgti_span){m->dp.q, ldq, queries, dh, 0};
    c->dk            = (fgti_span){m->dp.k, ld, keys, dh, 0};
}

static int64_t mha_place_cache(fgti_mha *m, fgti_real *base)
{
    int64_t at = 0;
    m->p       = place_qkv(m, base, &at);
    m->c       = m->conf.no_out ? m->io ? m->io->y : NULL
                                : fgti_take(base, &at, fgti_mul(m->rows, m->conf.values));
    m->chain.attender->place(&m->chain, base, &at);
    return at;
}

/* Takes the packs from base, which is io->packs or NULL. */
static void mha_place_packs(fgti_mha *m, fgti_real *base, int64_t *at)
{
    if (!m->conf.packs) return;
    m->in = fgti_affine_pack_take(m->l, m->d, columns(m), base, at);
    if (!m->conf.no_out) m->out = fgti_affine_pack_take(m->l, m->conf.values, m->d, base, at);
    if (m->conf.cross) m->memory = fgti_affine_pack_take(m->l, m->d, memory_columns(m), base, at);
}

static int64_t mha_place_scratch(fgti_mha *m, fgti_real *base)
{
    int64_t at = 0;
    m->dp      = place_qkv(m, base, &at);
    m->dc      = m->conf.no_out ? m->io ? m->io->dy : NULL
                                : fgti_take(base, &at, fgti_mul(m->rows, m->conf.values));
    return at;
}

fgti_matrices fgti_mha_matrices(const fgti_mha_conf *conf, const fgti_layer *l)
{
    const int64_t keys = conf->cross ? conf->memory_time : l->in.time;
    return fgti_attention_choose(&conf->attention, l->blas, l->in.time, keys, l->in.width / conf->heads, 1);
}

void fgti_mha_size(fgti_mha *m, const fgti_mha_conf *conf, const fgti_layer *l, int64_t batch, fgti_shape in,
                   fgti_need *need)
{
    const int64_t tk = conf->cross ? conf->memory_time : in.time;
    *m               = (fgti_mha){0};
    mha_set_sizes(m, l, conf, batch, in, tk);
    need->cache += mha_place_cache(m, NULL);
    need->backward += mha_place_scratch(m, NULL);
    mha_place_packs(m, NULL, &need->packs);
    mha_place_chain(m);
    need->arena = m->chain.attender->arena(&m->chain);
}

fgt_status fgti_mha_init(fgti_mha *m, const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                         const fgti_mha_conf *conf, fgti_real *cache, fgti_real *scratch)
{
    const int64_t tk = conf->cross ? io->input[1].shape.time : io->in.time;
    *m               = (fgti_mha){.run = run, .l = l, .io = io};
    mha_set_sizes(m, l, conf, run->batch, io->in, tk);
    FGTI_TRY(fgti_attention_init(&m->chain.attention, run, l));
    m->chain.attention.same_tokens = !conf->cross;
    FGTI_TRY(fgti_attend_check(&m->chain));
    mha_place_cache(m, cache);
    mha_place_packs(m, io->packs, &(int64_t){0});
    if (scratch) mha_place_scratch(m, scratch);
    mha_place_chain(m);
    return FGT_OK;
}

void fgti_mha_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, const fgti_mha_conf *conf,
                      bool *unread)
{
    fgti_mha m = {.run = run, .l = l, .io = io};
    mha_set_sizes(&m, l, conf, run->batch, io->in, io->in.time);
    mha_place_packs(&m, io->packs, &(int64_t){0});
    const int64_t    d     = m.d;
    const fgti_real *in    = weight(&m, IN_WEIGHT);
    bool             ready = fgti_affine_pack_prepare(run, &m.in, in, d, 1);
    if (conf->cross) ready &= fgti_affine_pack_prepare(run, &m.memory, in + d * d, d, 1);
    unread[mha_param_of(&m, IN_WEIGHT)] = ready;
    if (conf->no_out) return;
    unread[mha_param_of(&m, OUT_WEIGHT)] =
        fgti_affine_pack_prepare(run, &m.out, weight(&m, OUT_WEIGHT), conf->values, 1);
}

void fgti_mha_adjacency(const fgti_mha *m, int64_t shape[4], fgti_real *a)
{
    shape[0] = m->chain.attention.groups;
    shape[1] = m->chain.attention.heads;
    shape[2] = m->chain.attention.tq;
    shape[3] = m->chain.attention.tk;
    if (a) fgti_attend_matrices(&m->chain, m->io, a);
}

/* ---- passes ---- */

void fgti_mha_attend(const fgti_mha *m)
{
    fgti_attend_forward(&m->chain, m->io);
}

/* Q,K,V = x Win' + bin */
static void mha_project(const fgti_mha *m, const fgti_real *x)
{
    const int64_t    d = m->d;
    const fgti_real *w = weight(m, IN_WEIGHT), *b = mha_bias(m, IN_BIAS);
    fgti_affine_packed(m->run, &m->in, m->rows, x, w, d, 1, b, columns(m), m->p.q, m->p.ldq);
    if (m->conf.cross)
        fgti_affine_packed(m->run, &m->memory, m->memory_rows, m->io->input[1].x, w + d * d, d, 1,
                           b ? b + d : NULL, memory_columns(m), m->p.k, m->p.ldkv);
}

/* y = c Wout' + bout. If the layer has no such map, c is already y. */
static void put_out(const fgti_mha *m, fgti_real *y)
{
    const int64_t d = m->d;
    if (m->conf.no_out) return;
    fgti_affine_packed(m->run, &m->out, m->rows, m->c, weight(m, OUT_WEIGHT), m->conf.values, 1,
                       mha_bias(m, OUT_BIAS), d, y, d);
}

void fgti_mha_forward(const fgti_mha *m, const fgti_real *x, fgti_real *y)
{
    mha_project(m, x);
    fgti_mha_attend(m);
    put_out(m, y);
}

/* ---- in a stream ---- */

void fgti_mha_step_plan(fgti_layer *l, const fgti_mha_conf *conf)
{
    const int64_t heads = conf->heads;
    if (l->axis == FGT_AXIS_TIME)
        fgti_attention_stream_plan(l, heads, l->in.width / heads, heads, conf->values / heads);
}

void fgti_mha_step_size(const fgti_layer *l, int64_t room, fgti_need *need)
{
    const int64_t arena = fgti_attention_stream_arena(room, l->past[FGTI_PAST_ROWS].width);
    if (arena > need->arena) need->arena = arena;
}

/* c_t = sum_{s <= t} A_ts v_s */
static void context(const fgti_attention_stream *s, const void *user, int64_t g, int64_t h, fgti_real *arena)
{
    const fgti_mha  *m  = user;
    const int64_t    n = m->chain.n, time = s->attention->tq;
    fgti_real       *sum = fgti_attention_stream_sum(s, arena);
    for (int64_t i = 0; i < time; i++) {
        const int64_t keys = fgti_attention_stream_row(s, g, h, i, arena);
        fgti_attention_stream_multiply(s, keys, arena, g, h, sum);
        memcpy(m->c + (g * time + i) * m->conf.values + h * n, sum, (size_t)n * sizeof *sum);
    }
}

fgt_status fgti_mha_step_attend(const fgti_mha *m)
{
    fgti_attention_stream s;
    FGTI_TRY(fgti_attention_stream_open(&s, &m->chain.attention, m->l, m->run, m->io));
    fgti_attention_stream_keep(&s, FGTI_PAST_ROWS, m->conf.heads, m->p.v, m->p.ldkv);
    fgti_attention_stream_each(&s, context, m);
    return FGT_OK;
}

fgt_status fgti_mha_step(const fgti_mha *m, const fgti_real *x, fgti_real *y)
{
    mha_project(m, x);
    FGTI_TRY(fgti_mha_step_attend(m));
    put_out(m, y);
    return FGT_OK;
}

/* dWout += dy'c and dc = dy Wout. The attender computes dQ, dK and dV. Then dWin += dQKV'x and dx = dQKV
 * Win */
void fgti_mha_backward(const fgti_mha *m, const fgti_real *x, const fgti_real *dy, fgti_real *dx)
{
    const int64_t    d = m->d, n = columns(m);
    const fgti_real *w  = weight(m, IN_WEIGHT);
    fgti_real       *dw = gradient(m, IN_WEIGHT), *db = mha_bias_gradient(m, IN_BIAS);
    if (!m->conf.no_out)
        fgti_affine_grad(m->run, m->rows, m->conf.values, d, m->c, weight(m, OUT_WEIGHT), dy, d,
                         gradient(m, OUT_WEIGHT), mha_bias_gradient(m, OUT_BIAS), m->dc, false);
    fgti_attend_backward(&m->chain, m->io);
    fgti_affine_grad(m->run, m->rows, d, n, x, w, m->dp.q, m->p.ldq, dw, db, dx, false);
    if (m->conf.cross)
        fgti_affine_grad(m->run, m->memory_rows, d, memory_columns(m), m->io->input[1].x, w + d * d,
                         m->dp.k, m->p.ldkv, dw ? dw + d * d : NULL, db ? db + d : NULL,
                         m->io->input[1].dx, false);
}
