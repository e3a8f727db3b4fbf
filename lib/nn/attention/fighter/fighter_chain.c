/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes "over outputs" and "over inputs": A of each head is multiplied with one matrix after the other, by
 * the chain of attender.h. The two routes differ only in these matrices.
 *     over outputs  One product makes [Q K P_0 .. P_{kappa-1}] with P_i = X' W_i. The sum over the powers of
 *                   A is then Horner's rule over the columns of that matrix, in place: P_i += A P_{i+1}, from
 *                   kappa-2 down.
 *     over inputs   If heads D < H, it costs less to multiply A by the D columns of X' for each head,
 *                   Z_i = A Z_{i-1}, and to multiply by the W_i afterwards. multihop.h does the steps before
 *                   and after these products. */
#include "nn/attention/fighter/fighter_step.h"
#include "nn/graph/multihop.h"

typedef struct chain_pass {
    fgti_fighter_pass p;
    bool              over_inputs;
    int64_t           powers; /* number of the P_i, beside Q and K */
    fgti_projection   proj;   /* [Q K P_0 ..] */
    fgti_fold         fold;   /* a predictor's fold, which replaces the products of proj */
    fgti_multihop     sum;    /* over inputs */
    fgti_real        *o;      /* over outputs, cache: A P_i [kappa-1,R,H]. NULL: the attender adds directly to
                               * the P_i */
    fgti_real        *dx;     /* scratch: gradient of X' [R,D] */
} chain_pass;

/* ---- memory ---- */

static void read_route(chain_pass *w, const fgti_layer *l)
{
    w->over_inputs = l->route == FGTI_ROUTE_FIGHTER_INPUTS_KEPT ||
                     l->route == FGTI_ROUTE_FIGHTER_INPUTS_STREAMED ||
                     l->route == FGTI_ROUTE_FIGHTER_INPUTS_HELD;
    w->powers    = w->over_inputs ? 0 : w->p.o->hops;
    w->p.chain.n = w->over_inputs ? w->p.d : w->p.h / w->p.o->heads;
}

/* Takes memory for the results of the products with A. */
static void place_products(chain_pass *w, fgti_real *base, int64_t *at)
{
    const fgti_fighter_pass *p = &w->p;
    if (!w->over_inputs && p->chain.attender->adds) return;
    if (!w->over_inputs) {
        w->o = fgti_take(base, at, fgti_mul(p->o->hops - 1, fgti_mul(p->rows, fgti_spread(p->h))));
        return;
    }
    w->sum = (fgti_multihop){.run         = p->run,
                             .groups      = p->chain.attention.groups,
                             .tokens      = p->chain.attention.tq,
                             .side        = 1,
                             .d           = p->d,
                             .h           = p->h,
                             .heads       = p->o->heads,
                             .kappa       = p->o->hops,
                             .first       = p->o->first_hop,
                             .over_inputs = true,
                             .x           = p->x};
    fgti_multihop_place(&w->sum, p->rows, base, at);
}

static int64_t chain_place_cache(chain_pass *w, fgti_real *base)
{
    const fgti_fighter_pass *p  = &w->p;
    int64_t                  at = 0;
    if (!fgti_is_folded(p->l)) fgti_fighter_place_norm(&w->p, base, &at);
    fgti_fighter_set_projection(p, w->powers, &w->proj);
    w->proj.y = fgti_take(base, &at, fgti_mul(p->rows, w->proj.ld));
    place_products(w, base, &at);
    p->chain.attender->place(&w->p.chain, base, &at);
    fgti_fighter_place_joined(&w->p, base, &at);
    return at;
}

static int64_t chain_place_scratch(chain_pass *w, fgti_real *base)
{
    int64_t at = 0;
    w->dx      = fgti_take(base, &at, fgti_mul(w->p.rows, w->p.d));
    fgti_projection_place_gradients(&w->proj, base, &at);
    if (w->over_inputs) fgti_multihop_place_gradients(&w->sum, w->p.rows, base, &at);
    fgti_fighter_place_joined_gradients(&w->p, base, &at);
    return at;
}

static int64_t chain_place_keep(chain_pass *w, fgti_real *base)
{
    if (!fgti_is_folded(w->p.l)) return fgti_projection_keep(&w->proj, base);
    fgti_fighter_set_fold(&w->p, &w->fold);
    return fgti_fold_keep(&w->fold, base);
}

static int64_t chain_place_packs(chain_pass *w, fgti_real *base)
{
    return fgti_is_folded(w->p.l) ? 0 : fgti_projection_pack(&w->proj, base);
}

/* Takes scratch for W, which only the pack or the fold reads, and the scratch of the fold. */
static int64_t chain_place_prepare(chain_pass *w, fgti_real **rest, fgti_real *base)
{
    const bool folded = fgti_is_folded(w->p.l);
    int64_t    at     = 0;
    if (folded || w->proj.pack_only) w->proj.w = fgti_take(base, &at, fgti_mul(w->proj.d, w->proj.n));
    if (folded) w->proj.b = fgti_take(base, &at, w->proj.n);
    if (folded) *rest = fgti_take(base, &at, fgti_fold_scratch(&w->fold));
    return at;
}

static void chain_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    chain_pass w    = {0};
    fgti_real *rest = NULL;
    fgti_fighter_set(&w.p, l, batch, in);
    read_route(&w, l);
    need->cache    = chain_place_cache(&w, NULL);
    need->backward = chain_place_scratch(&w, NULL);
    need->keep     = chain_place_keep(&w, NULL);
    need->packs    = chain_place_packs(&w, NULL);
    need->arena    = w.p.chain.attender->arena(&w.p.chain);
    need->prepare  = chain_place_prepare(&w, &rest, NULL);
}

/* Sets the matrices of the chain. Over outputs X_0 = P_{kappa-1}, Y_i = P_{kappa-2-i}, and u is P_0 at the
 * end. Over inputs X_0 = X' for all heads, and O_i = Z_{i+1}. */
static void chain_place(chain_pass *w)
{
    fgti_fighter_pass *p = &w->p;
    fgti_chain        *c = &p->chain;
    const int64_t      t = c->attention.tq, ld = w->proj.ld, d = p->d, h = p->h, all = p->rows * d;
    const int64_t      split = fgti_fighter_query_columns(p->o), ldo = fgti_spread(h);
    const int64_t      last = split + (p->o->hops - 1) * h;
    fgti_real         *y = w->proj.y;
    c->attention.q       = y;
    c->attention.k       = y + split - p->o->attn;
    c->attention.ldq = c->attention.ldk = ld;
    p->u                                = w->over_inputs ? w->sum.u : y + split;
    p->ldu                              = w->over_inputs ? h : ld;
    if (w->over_inputs) {
        c->x = (fgti_span){p->x, d, t * d, 0, 0};
        c->o = (fgti_span){w->sum.z, d, t * d, all, p->o->heads * all};
    } else {
        c->x = (fgti_span){y + last, ld, t * ld, c->n, 0};
        c->y = (fgti_span){y + last - h, ld, t * ld, c->n, -h};
        c->o = (fgti_span){w->o, ldo, t * ldo, c->n, p->rows * ldo};
    }
}

/* Sets the gradients of Q, K and the P_i to columns of proj.dy, because the projection expects them there. */
static void place_chain_gradients(chain_pass *w)
{
    fgti_fighter_pass *p = &w->p;
    fgti_chain        *c = &p->chain;
    const int64_t      t = c->attention.tq, ld = w->proj.ld, d = p->d, h = p->h, all = p->rows * d;
    const int64_t      split = fgti_fighter_query_columns(p->o), last = split + (p->o->hops - 1) * h;
    fgti_real         *dy = w->proj.dy;
    p->du                 = w->over_inputs ? w->sum.du : dy + split;
    c->dq                 = (fgti_span){dy, ld, t * ld, c->attention.dh, 0};
    c->dk                 = (fgti_span){dy + split - p->o->attn, ld, t * ld, c->attention.dh, 0};
    c->add                = w->over_inputs;
    if (w->over_inputs) {
        c->dx = (fgti_span){w->sum.dz, d, t * d, all, 0};
        c->dy = (fgti_span){w->sum.dz + p->o->heads * all, d, t * d, all, p->o->heads * all};
    } else {
        c->dx = (fgti_span){dy + last, ld, t * ld, c->n, 0};
        c->dy = (fgti_span){dy + last - h, ld, t * ld, c->n, -h};
    }
}

static fgt_status chain_open_pass(chain_pass *w, const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                  bool backward)
{
    *w = (chain_pass){0};
    FGTI_TRY(fgti_fighter_open(&w->p, run, l, io));
    read_route(w, l);
    chain_place_cache(w, io->cache);
    chain_place_keep(w, io->keep);
    chain_place_packs(w, io->packs);
    if (backward) chain_place_scratch(w, io->scratch);
    w->sum.w = fgti_w(l, io, w->p.param.hop);
    chain_place(w);
    if (backward) place_chain_gradients(w);
    return FGT_OK;
}

/* ---- the passes ---- */

/* Computes [Q K P_0 ..]. */
static void chain_project(const chain_pass *w)
{
    const fgti_fighter_pass *p = &w->p;
    if (fgti_is_folded(p->l)) {
        fgti_fold_forward(&w->fold, p->run, p->io, w->proj.y, w->proj.ld);
        return;
    }
    fgti_fighter_gather(p, w->powers, &w->proj);
    fgti_fighter_norm(p);
    fgti_projection_forward(&w->proj);
}

/* Computes y from the products with A. */
static void chain_finish(const chain_pass *w)
{
    const fgti_fighter_pass *p = &w->p;
    if (w->over_inputs) {
        fgti_multihop_after(&w->sum);
        if (!p->o->no_bias) fgti_bias(p->run, p->rows, p->h, p->h, fgti_w(p->l, p->io, p->param.bias), p->u);
    }
    fgti_fighter_tail(p);
}

/* Over outputs P_i += A P_{i+1}, u = P_0.  Over inputs Z_i = A Z_{i-1}, u = sum_i Z_i W_i + b. */
static fgt_status chain_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    chain_pass w;
    FGTI_TRY(chain_open_pass(&w, run, l, io, false));
    chain_project(&w);
    fgti_attend_forward(&w.p.chain, io);
    chain_finish(&w);
    return FGT_OK;
}

static fgt_status chain_step(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    chain_pass w;
    FGTI_TRY(chain_open_pass(&w, run, l, io, false));
    chain_project(&w);
    if (w.over_inputs)
        FGTI_TRY(fgti_fighter_step_inputs(&w.p, w.sum.z));
    else
        FGTI_TRY(fgti_fighter_step_outputs(&w.p, w.proj.y, w.proj.ld));
    chain_finish(&w);
    return FGT_OK;
}

static fgt_status chain_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    chain_pass w;
    FGTI_TRY(chain_open_pass(&w, run, l, io, true));
    const fgti_fighter_pass *p  = &w.p;
    fgti_real               *dx = p->o->norm ? w.dx : io->dx;
    fgti_fighter_tail_grad(p);
    if (w.over_inputs) {
        if (!p->o->no_bias) fgti_column_sum(run, p->rows, p->h, p->h, p->du, fgti_dw(l, io, p->param.bias));
        fgti_multihop_grad_before(&w.sum);
    }
    fgti_attend_backward(&p->chain, io);
    if (w.over_inputs) fgti_multihop_grad_after(&w.sum, fgti_dw(l, io, p->param.hop), dx);
    if (dx) fgti_projection_backward(&w.proj, w.over_inputs, dx);
    fgti_projection_gradient(&w.proj);
    fgti_fighter_scatter(p, w.powers, &w.proj);
    fgti_fighter_norm_grad(p, dx);
    return FGT_OK;
}

static fgt_status chain_matrices(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_real *a)
{
    chain_pass w;
    FGTI_TRY(chain_open_pass(&w, run, l, io, false));
    fgti_attend_matrices(&w.p.chain, io, a);
    return FGT_OK;
}

static void chain_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    chain_pass       w    = {.p = {.run = run, .io = io}};
    fgti_projection *proj = &w.proj;
    fgti_real       *rest = NULL;
    fgti_fighter_set(&w.p, l, run->batch, io->in);
    read_route(&w, l);
    fgti_fighter_set_projection(&w.p, w.powers, proj);
    chain_place_keep(&w, io->keep);
    chain_place_packs(&w, io->packs);
    chain_place_prepare(&w, &rest, io->scratch);
    if (fgti_is_folded(l)) {
        fgti_fighter_fill_projection(&w.p, w.powers, proj);
        fgti_fighter_fold(&w.p, &w.fold, proj->w, 1, proj->n, proj->b, proj->biased, rest);
    } else {
        fgti_fighter_gather(&w.p, w.powers, proj);
        fgti_affine_pack_prepare(run, &proj->pack, proj->w, 1, proj->n);
    }
    fgti_fighter_set_unread(&w.p, true, w.powers > 0, unread);
}

const fgti_fighter_route fgti_fighter_chain = {
    .size     = chain_size,
    .forward  = chain_forward,
    .backward = chain_backward,
    .matrices = chain_matrices,
    .prepare  = chain_prepare,
    .step     = chain_step,
};
