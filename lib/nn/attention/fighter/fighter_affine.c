/* SPDX-License-Identifier: BSD-3-Clause */
/* Route "affine": with kappa = 1 the sum over the powers of A is its first term, u = X' W_0 + b. A is
 * computed only for fgt_model_get_adjacency(), from the input of the last pass and the present weights. */
#include "nn/affine.h"
#include "nn/attention/fighter/fighter_pass.h"

/* Scratch for the matrices: Q and K, then the results of the attender, which other routes keep in the
 * cache. */
typedef struct affine_matrices {
    fgti_real *q, *k;
    int64_t    ld;
} affine_matrices;

static int64_t fighter_affine_place_cache(fgti_fighter_pass *p, fgti_real *base)
{
    int64_t at = 0;
    fgti_fighter_place_norm(p, base, &at);
    p->u   = fgti_take(base, &at, fgti_mul(p->rows, p->h));
    p->ldu = p->h;
    fgti_fighter_place_joined(p, base, &at);
    return at;
}

/* Takes scratch for a backward pass: dX' and du. */
static int64_t fighter_affine_place_scratch(fgti_fighter_pass *p, fgti_real **dx, fgti_real *base)
{
    int64_t at = 0;
    *dx        = fgti_take(base, &at, fgti_mul(p->rows, p->d));
    p->du      = fgti_take(base, &at, fgti_mul(p->rows, p->h));
    fgti_fighter_place_joined_gradients(p, base, &at);
    return at;
}

/* Prepares the matrices: a chain of one product with no columns computes nothing else. */
static int64_t place_matrices(fgti_fighter_pass *p, affine_matrices *m, fgti_real *base)
{
    fgti_attention *attention = &p->chain.attention;
    int64_t         at        = 0;
    m->ld                     = fgti_spread(p->o->attn);
    m->q                      = fgti_take(base, &at, fgti_mul(p->rows, m->ld));
    m->k                      = m->q;
    if (!fgti_fighter_shares_keys(p->o)) m->k = fgti_take(base, &at, fgti_mul(p->rows, m->ld));
    attention->matrices       = FGTI_MATRICES_STREAMED;
    attention->q              = m->q;
    attention->k              = m->k;
    attention->ldq = attention->ldk = m->ld;
    p->chain.products               = 1;
    p->chain.n                      = 0;
    p->chain.x = p->chain.o = (fgti_span){m->q, m->ld, 0, 0, 0};
    p->chain.attender->place(&p->chain, base, &at);
    return at;
}

static void affine_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    fgti_fighter_pass p = {0};
    fgti_real        *dx;
    affine_matrices   m;
    fgti_fighter_set(&p, l, batch, in);
    need->backward = fighter_affine_place_scratch(&p, &dx, NULL);
    need->scratch  = place_matrices(&p, &m, NULL);
    need->cache    = fighter_affine_place_cache(&p, NULL);
    need->arena    = p.chain.attender->arena(&p.chain);
}

static const fgti_real *fighter_affine_bias(const fgti_fighter_pass *p, int which)
{
    return p->o->no_bias ? NULL : fgti_w(p->l, p->io, which);
}

/* u = X' W_0 + b */
static fgt_status affine_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_fighter_pass p;
    FGTI_TRY(fgti_fighter_open(&p, run, l, io));
    fighter_affine_place_cache(&p, io->cache);
    fgti_fighter_norm(&p);
    fgti_affine_in_out(run, p.rows, p.d, p.h, p.x, fgti_w(l, io, p.param.hop), p.u);
    if (!p.o->no_bias) fgti_bias(run, p.rows, p.h, p.h, fighter_affine_bias(&p, p.param.bias), p.u);
    fgti_fighter_tail(&p);
    return FGT_OK;
}

/* With N = X', the input after the norm: dW_0 += N' du, db += sum_r du over the rows r, dN = du W_0'. In N'
 * and W_0' the prime is the transpose. */
static fgt_status affine_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_fighter_pass p;
    fgti_real        *dx;
    FGTI_TRY(fgti_fighter_open(&p, run, l, io));
    fighter_affine_place_cache(&p, io->cache);
    fighter_affine_place_scratch(&p, &dx, io->scratch);
    if (!p.o->norm) dx = io->dx;
    fgti_fighter_tail_grad(&p);
    if (!p.o->no_bias) fgti_column_sum(run, p.rows, p.h, p.h, p.du, fgti_dw(l, io, p.param.bias));
    fgti_affine_in_out_grad(run, p.rows, p.d, p.h, p.x, fgti_w(l, io, p.param.hop), p.du,
                            fgti_dw(l, io, p.param.hop), dx, false);
    fgti_fighter_norm_grad(&p, dx);
    return FGT_OK;
}

/* Computes Q = X' Wq' + bq and K = X' Wk' + bk, and then A from Q and K as on the other routes. */
static fgt_status affine_get_matrices(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                      fgti_real *a)
{
    fgti_fighter_pass p;
    affine_matrices   m;
    FGTI_TRY(fgti_fighter_open(&p, run, l, io));
    const int64_t n = p.o->attn;
    fighter_affine_place_cache(&p, io->cache);
    place_matrices(&p, &m, io->scratch);
    fgti_affine(run, p.rows, p.d, n, p.x, fgti_w(l, io, p.param.wq), fighter_affine_bias(&p, p.param.bq), m.q,
                m.ld);
    if (p.param.wk >= 0)
        fgti_affine(run, p.rows, p.d, n, p.x, fgti_w(l, io, p.param.wk), fighter_affine_bias(&p, p.param.bk),
                    m.k, m.ld);
    fgti_attend_forward(&p.chain, io);
    fgti_attend_matrices(&p.chain, io, a);
    return FGT_OK;
}

/* Keeps nothing. Predictions do not read the weights of queries and keys, because only
 * fgt_model_get_adjacency() needs A. */
static void affine_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    fgti_fighter_pass p = {.run = run, .io = io};
    fgti_fighter_set(&p, l, run->batch, io->in);
    fgti_fighter_set_unread(&p, true, false, unread);
}

const fgti_fighter_route fgti_fighter_affine = {
    .size     = affine_size,
    .forward  = affine_forward,
    .backward = affine_backward,
    .matrices = affine_get_matrices,
    .prepare  = affine_prepare,
    .step     = affine_forward, /* no token reads another token */
};
