/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes "over outputs": one product makes [Q K P_0 .. P_{kappa-1}] with P_i = X' W_i. The sum over the
 * powers of A is then Horner's rule over the columns of that matrix, in place: P_i += A P_{i+1}, from kappa-2
 * down. */
#include "nn/attention/fighter_pass.h"

typedef struct outputs_pass {
    fgti_fighter_pass p;
    fgti_projection   proj;
    fgti_real        *o;  /* cache: A P_i [kappa-1,R,H] */
    fgti_real        *dx; /* scratch: of X' [R,D] */
} outputs_pass;

static int64_t place_cache(outputs_pass *w, bool two, fgti_real *base)
{
    const fgti_fighter_pass *p  = &w->p;
    int64_t                  at = 0;
    fgti_fighter_place_norm(&w->p, base, &at);
    fgti_fighter_set_projection(p, p->o->hops, &w->proj);
    w->p.chain.n = p->h / p->o->heads;
    w->proj.y    = fgti_take(base, &at, fgti_mul(p->rows, w->proj.ld));
    w->o         = fgti_take(base, &at, fgti_mul(p->o->hops - 1, fgti_mul(p->rows, fgti_spread(p->h))));
    p->chain.attender->place(&w->p.chain, two, base, &at);
    return at;
}

static int64_t place_scratch(outputs_pass *w, fgti_real *base)
{
    int64_t at = 0;
    w->dx      = fgti_take(base, &at, fgti_mul(w->p.rows, w->p.d));
    fgti_projection_place_gradients(&w->proj, base, &at);
    return at;
}

static void outputs_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    outputs_pass w = {0};
    fgti_fighter_set(&w.p, l, batch, in);
    /* two copies of A: FGT_MASK_DIAG_SCALE may come with any pass */
    need->cache   = place_cache(&w, true, NULL);
    need->scratch = place_scratch(&w, NULL);
    need->keep    = fgti_projection_keep(&w.proj, NULL);
    need->arena   = w.p.chain.attender->arena(&w.p.chain);
}

/* X_0 = P_{kappa-1}, Y_i = P_{kappa-2-i}; u is P_0 in the end. */
static void place_chain(outputs_pass *w)
{
    fgti_fighter_pass *p = &w->p;
    fgti_chain        *c = &p->chain;
    const int64_t      t = c->attention.tq, ld = w->proj.ld, h = p->h, head = c->n, ldo = fgti_spread(h);
    const int64_t      split = 2 * p->o->attn, last = split + (p->o->hops - 1) * h;
    fgti_real         *y = w->proj.y;
    c->attention.q       = y;
    c->attention.k       = y + p->o->attn;
    c->attention.ldq = c->attention.ldk = ld;
    p->u                                = y + split;
    p->ldu                              = ld;
    c->x                                = (fgti_span){y + last, ld, t * ld, head, 0};
    c->y                                = (fgti_span){y + last - h, ld, t * ld, head, -h};
    c->o                                = (fgti_span){w->o, ldo, t * ldo, head, p->rows * ldo};
}

/* All gradients are columns of dy, as the projection expects them. */
static void place_chain_gradients(outputs_pass *w)
{
    fgti_fighter_pass *p  = &w->p;
    fgti_chain        *c  = &p->chain;
    const int64_t      ld = w->proj.ld, h = p->h, head = c->n, group = c->attention.tq * ld;
    const int64_t      split = 2 * p->o->attn, last = split + (p->o->hops - 1) * h;
    fgti_real         *dy = w->proj.dy;
    p->du                 = dy + split;
    c->dq                 = (fgti_span){dy, ld, group, c->attention.dh, 0};
    c->dk                 = (fgti_span){dy + p->o->attn, ld, group, c->attention.dh, 0};
    c->dx                 = (fgti_span){dy + last, ld, group, head, 0};
    c->dy                 = (fgti_span){dy + last - h, ld, group, head, -h};
}

static fgt_status open_pass(outputs_pass *w, const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                            bool backward)
{
    *w = (outputs_pass){0};
    FGTI_TRY(fgti_fighter_open(&w->p, run, l, io));
    const fgti_attention *attention = &w->p.chain.attention;
    place_cache(w, fgti_attention_two(&attention->conf) || attention->diag_scale, io->cache);
    fgti_projection_keep(&w->proj, io->keep);
    if (backward) place_scratch(w, io->scratch);
    place_chain(w);
    if (backward) place_chain_gradients(w);
    return FGT_OK;
}

static fgt_status outputs_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    outputs_pass w;
    FGTI_TRY(open_pass(&w, run, l, io, false));
    fgti_fighter_gather(&w.p, w.p.o->hops, &w.proj);
    fgti_fighter_norm(&w.p);
    fgti_projection_forward(&w.proj);
    fgti_attend_forward(&w.p.chain, io);
    fgti_fighter_tail(&w.p);
    return FGT_OK;
}

static fgt_status outputs_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    outputs_pass w;
    FGTI_TRY(open_pass(&w, run, l, io, true));
    fgti_real *dx = w.p.o->norm ? w.dx : io->dx;
    fgti_fighter_tail_grad(&w.p);
    fgti_attend_backward(&w.p.chain, io);
    if (dx) fgti_projection_backward(&w.proj, false, dx);
    fgti_projection_gradient(&w.proj);
    fgti_fighter_scatter(&w.p, w.p.o->hops, &w.proj);
    fgti_fighter_norm_grad(&w.p, dx);
    return FGT_OK;
}

static fgt_status outputs_matrices(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_real *a)
{
    outputs_pass w;
    FGTI_TRY(open_pass(&w, run, l, io, false));
    fgti_attend_matrices(&w.p.chain, io, a);
    return FGT_OK;
}

const fgti_fighter_route fgti_fighter_outputs = {
    .size     = outputs_size,
    .forward  = outputs_forward,
    .backward = outputs_backward,
    .matrices = outputs_matrices,
};
