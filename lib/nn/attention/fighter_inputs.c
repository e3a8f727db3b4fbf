/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes "over inputs": with A D < H it costs less to multiply A by the D columns of X' for each head,
 * Z_i = A Z_{i-1}, and to multiply by the W_i afterwards. multihop.h does what stands before and behind these
 * products. */
#include "nn/attention/fighter_pass.h"
#include "nn/graph/multihop.h"

typedef struct inputs_pass {
    fgti_fighter_pass p;
    fgti_projection   proj; /* [Q K] */
    fgti_multihop     sum;
    fgti_real        *dx; /* scratch: of X' [R,D] */
} inputs_pass;

static void set_sum(inputs_pass *w)
{
    const fgti_fighter_pass *p = &w->p;
    w->sum                     = (fgti_multihop){.run         = p->run,
                                                 .groups      = p->chain.attention.groups,
                                                 .tokens      = p->chain.attention.tq,
                                                 .d           = p->d,
                                                 .h           = p->h,
                                                 .heads       = p->o->heads,
                                                 .kappa       = p->o->hops,
                                                 .over_inputs = true,
                                                 .x           = p->x};
}

static int64_t place_cache(inputs_pass *w, bool two, fgti_real *base)
{
    const fgti_fighter_pass *p  = &w->p;
    int64_t                  at = 0;
    fgti_fighter_place_norm(&w->p, base, &at);
    fgti_fighter_set_projection(p, 0, &w->proj);
    w->p.chain.n = p->d;
    w->proj.y    = fgti_take(base, &at, fgti_mul(p->rows, w->proj.ld));
    set_sum(w);
    fgti_multihop_place(&w->sum, p->rows, base, &at);
    p->chain.attender->place(&w->p.chain, two, base, &at);
    return at;
}

static int64_t place_scratch(inputs_pass *w, fgti_real *base)
{
    const fgti_fighter_pass *p  = &w->p;
    int64_t                  at = 0;
    w->dx                       = fgti_take(base, &at, fgti_mul(p->rows, p->d));
    fgti_projection_place_gradients(&w->proj, base, &at);
    fgti_multihop_place_gradients(&w->sum, p->rows, base, &at);
    return at;
}

static void inputs_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    inputs_pass w = {0};
    fgti_fighter_set(&w.p, l, batch, in);
    /* two copies of A: FGT_MASK_DIAG_SCALE may come with any pass */
    need->cache   = place_cache(&w, true, NULL);
    need->scratch = place_scratch(&w, NULL);
    need->keep    = fgti_projection_keep(&w.proj, NULL);
    need->arena   = w.p.chain.attender->arena(&w.p.chain);
}

/* X_0 = X' for all heads, O_i = Z_{i+1}. */
static void place_chain(inputs_pass *w, bool backward)
{
    fgti_fighter_pass *p = &w->p;
    fgti_chain        *c = &p->chain;
    const int64_t      t = c->attention.tq, d = p->d, all = p->rows * d, heads = p->o->heads, ld = w->proj.ld;
    c->attention.q   = w->proj.y;
    c->attention.k   = w->proj.y + p->o->attn;
    c->attention.ldq = c->attention.ldk = ld;
    c->x                                = (fgti_span){p->x, d, t * d, 0, 0};
    c->o                                = (fgti_span){w->sum.z, d, t * d, all, heads * all};
    if (!backward) return;
    c->dq  = (fgti_span){w->proj.dy, ld, t * ld, c->attention.dh, 0};
    c->dk  = (fgti_span){w->proj.dy + p->o->attn, ld, t * ld, c->attention.dh, 0};
    c->dx  = (fgti_span){w->sum.dz, d, t * d, all, 0};
    c->dy  = (fgti_span){w->sum.dz + heads * all, d, t * d, all, heads * all};
    c->add = true;
}

static fgt_status open_pass(inputs_pass *w, const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                            bool backward)
{
    *w = (inputs_pass){0};
    FGTI_TRY(fgti_fighter_open(&w->p, run, l, io));
    const fgti_attention *attention = &w->p.chain.attention;
    place_cache(w, fgti_attention_two(&attention->conf) || attention->diag_scale, io->cache);
    fgti_projection_keep(&w->proj, io->keep);
    if (backward) place_scratch(w, io->scratch);
    w->sum.w = fgti_w(l, io, w->p.param.hop);
    w->p.u   = w->sum.u;
    w->p.du  = w->sum.du;
    w->p.ldu = w->p.h;
    place_chain(w, backward);
    return FGT_OK;
}

/* Z_i = A Z_{i-1};  u = sum_i Z_i W_i + b */
static fgt_status inputs_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    inputs_pass w;
    FGTI_TRY(open_pass(&w, run, l, io, false));
    const fgti_fighter_pass *p = &w.p;
    fgti_fighter_gather(p, 0, &w.proj);
    fgti_fighter_norm(p);
    fgti_projection_forward(&w.proj);
    fgti_attend_forward(&p->chain, io);
    fgti_multihop_after(&w.sum);
    if (!p->o->no_bias) fgti_bias(run, p->rows, p->h, p->h, fgti_w(l, io, p->param.bias), p->u);
    fgti_fighter_tail(p);
    return FGT_OK;
}

static fgt_status inputs_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    inputs_pass w;
    FGTI_TRY(open_pass(&w, run, l, io, true));
    const fgti_fighter_pass *p  = &w.p;
    fgti_real               *dx = p->o->norm ? w.dx : io->dx;
    fgti_fighter_tail_grad(p);
    if (!p->o->no_bias) fgti_column_sum(run, p->rows, p->h, p->h, p->du, fgti_dw(l, io, p->param.bias));
    fgti_multihop_grad_before(&w.sum);
    fgti_attend_backward(&p->chain, io);
    fgti_multihop_grad_after(&w.sum, fgti_dw(l, io, p->param.hop), dx);
    if (dx) fgti_projection_backward(&w.proj, true, dx);
    fgti_projection_gradient(&w.proj);
    fgti_fighter_scatter(p, 0, &w.proj);
    fgti_fighter_norm_grad(p, dx);
    return FGT_OK;
}

static fgt_status inputs_matrices(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_real *a)
{
    inputs_pass w;
    FGTI_TRY(open_pass(&w, run, l, io, false));
    fgti_attend_matrices(&w.p.chain, io, a);
    return FGT_OK;
}

const fgti_fighter_route fgti_fighter_inputs = {
    .size     = inputs_size,
    .forward  = inputs_forward,
    .backward = inputs_backward,
    .matrices = inputs_matrices,
};
