/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention_core.h"
#include "nn/multihop.h"

#define NORM_EPS 1e-5 /* as the paper's code and PyTorch */

static const fgti_opt fighter_opts[] = {
    {"out", offsetof(fgt_fighter_opts, out), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"attn", offsetof(fgt_fighter_opts, attn), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"heads", offsetof(fgt_fighter_opts, heads), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"hops", offsetof(fgt_fighter_opts, hops), FGTI_OPT_I64, 1, 64, 3},
    {"act", offsetof(fgt_fighter_opts, act), FGTI_OPT_ENUM, FGT_ACT_NONE, FGT_ACT_ELU, FGT_ACT_RELU},
    {"norm", offsetof(fgt_fighter_opts, norm), FGTI_OPT_BOOL, 0, 1, 0},
    {"residual", offsetof(fgt_fighter_opts, residual), FGTI_OPT_BOOL, 0, 1, 0},
    {"no_bias", offsetof(fgt_fighter_opts, no_bias), FGTI_OPT_BOOL, 0, 1, 0},
    {"causal", offsetof(fgt_fighter_opts, causal), FGTI_OPT_BOOL, 0, 1, 0},
    {"diag_mask", offsetof(fgt_fighter_opts, diag_mask), FGTI_OPT_BOOL, 0, 1, 0},
    {"diag_penalty", offsetof(fgt_fighter_opts, diag_penalty), FGTI_OPT_F32, -1e30, 1e30, 0},
    {"diag_dropout", offsetof(fgt_fighter_opts, diag_dropout), FGTI_OPT_F32, 0, 0.999, 0},
    {"diag_when", offsetof(fgt_fighter_opts, diag_when), FGTI_OPT_ENUM, 0, FGT_DIAG_AFTER_SCALED, 0},
    {"attn_dropout", offsetof(fgt_fighter_opts, attn_dropout), FGTI_OPT_F32, 0, 0.999, 0},
    {"dropout", offsetof(fgt_fighter_opts, dropout), FGTI_OPT_F32, 0, 0.999, 0},
    {0},
};

/* Numbers of the parameters; -1 where the options leave one out. */
typedef struct params {
    int wq, bq, wk, bk, hop, bias, norm_w, norm_b;
} params;

static params params_of(const fgt_fighter_opts *o)
{
    int    i = 0;
    params p;
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

static const fgti_real *w_or_null(const fgti_layer *l, const fgti_io *io, int i)
{
    return i < 0 ? NULL : fgti_w(l, io, i);
}

static fgti_real *dw_or_null(const fgti_layer *l, const fgti_io *io, int i)
{
    return i < 0 ? NULL : fgti_dw(l, io, i);
}

static fgt_status fighter_params(fgt_context *ctx, fgti_layer *l)
{
    const fgt_fighter_opts  *o     = l->opts;
    const int64_t            d     = l->in.width;
    const double             range = fgti_fan_in(d);
    static const char *const w[] = {"q_proj.weight", "k_proj.weight"}, *const b[] = {"q_proj.bias",
                                                                                     "k_proj.bias"};
    for (int i = 0; i < 2; i++) {
        FGTI_TRY(fgti_param_add(ctx, l, w[i], 2, (int64_t[]){o->attn, d}, FGTI_INIT_UNIFORM, range));
        if (!o->no_bias) FGTI_TRY(fgti_param_add(ctx, l, b[i], 1, &o->attn, FGTI_INIT_UNIFORM, range));
    }
    FGTI_TRY(
        fgti_param_add(ctx, l, "hop_weight", 3, (int64_t[]){o->hops, d, o->out}, FGTI_INIT_UNIFORM, range));
    if (!o->no_bias) FGTI_TRY(fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_ZERO, 0));
    if (!o->norm) return FGT_OK;
    FGTI_TRY(fgti_param_add(ctx, l, "norm.weight", 1, &d, FGTI_INIT_ONE, 0));
    return fgti_param_add(ctx, l, "norm.bias", 1, &d, FGTI_INIT_ZERO, 0);
}

static fgt_status fighter_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_fighter_opts *o = l->opts;
    if (!o->out) o->out = l->in.width;
    if (!o->attn) o->attn = l->in.width;
    if (o->attn % o->heads || o->out % o->heads)
        return fgti_fail(&ctx->error, FGT_E_ARG, "%lld heads do not divide %s %lld", (long long)o->heads,
                         o->attn % o->heads ? "the width of queries and keys," : "the output width,",
                         (long long)(o->attn % o->heads ? o->attn : o->out));
    l->out.width = o->out;
    return fighter_params(ctx, l);
}

static fgt_status fighter_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    (void)err;
    *out       = in;
    out->width = l->out.width;
    return FGT_OK;
}

static fgti_attention_conf conf_of(const fgt_fighter_opts *o)
{
    return (fgti_attention_conf){.causal       = o->causal,
                                 .diag_mask    = o->diag_mask,
                                 .diag_penalty = o->diag_penalty,
                                 .diag_dropout = o->diag_dropout,
                                 .diag_when    = o->diag_when,
                                 .attn_dropout = o->attn_dropout};
}

/* Kept from forward to backward. */
typedef struct fighter_cache {
    fgti_real *x, *mean, *rstd; /* X' [R,D] and the statistics [R], with norm */
    fgti_real *q, *k;           /* [R,attn] */
    fgti_real *soft, *a;        /* [G,A,T,T] */
    fgti_real *hops;
} fighter_cache;

static int64_t place_cache(const fgti_layer *l, int64_t batch, fgti_shape in, bool two, fgti_real *base,
                           fighter_cache *c)
{
    const fgt_fighter_opts *o    = l->opts;
    const int64_t           rows = fgti_rows(batch, in);
    const int64_t           attn = fgti_mul(fgti_mul(rows, in.time), o->heads);
    int64_t                 at   = 0;
    *c                           = (fighter_cache){0};
    if (o->norm) {
        c->x    = fgti_take(base, &at, fgti_mul(rows, in.width));
        c->mean = fgti_take(base, &at, rows);
        c->rstd = fgti_take(base, &at, rows);
    }
    c->q    = fgti_take(base, &at, fgti_mul(rows, o->attn));
    c->k    = fgti_take(base, &at, fgti_mul(rows, o->attn));
    c->soft = fgti_take(base, &at, attn);
    c->a    = two ? fgti_take(base, &at, attn) : c->soft;
    c->hops = fgti_take(base, &at, fgti_multihop_cache(rows, in.width, o->out, o->heads, o->hops));
    return at;
}

typedef struct fighter_scratch {
    fgti_real *dx, *dq, *dk, *hops; /* dx: of X', with norm */
} fighter_scratch;

static int64_t place_scratch(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_real *base,
                             fighter_scratch *s)
{
    const fgt_fighter_opts *o    = l->opts;
    const int64_t           rows = fgti_rows(batch, in);
    int64_t                 at   = 0;
    s->dx                        = fgti_take(base, &at, fgti_mul(rows, in.width));
    s->dq                        = fgti_take(base, &at, fgti_mul(rows, o->attn));
    s->dk                        = fgti_take(base, &at, fgti_mul(rows, o->attn));
    s->hops = fgti_take(base, &at, fgti_multihop_scratch(rows, in.width, o->out, o->heads, o->hops));
    return at;
}

static void fighter_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    fighter_cache   c;
    fighter_scratch s;
    /* two copies of A: FGT_INPUT_DIAG_SCALE may come with any pass */
    need->cache   = place_cache(l, batch, in, true, NULL, &c);
    need->scratch = place_scratch(l, batch, in, NULL, &s);
    need->lane    = fgti_mul(in.time, in.time);
}

/* Everything a pass and its tasks know. */
typedef struct job {
    const fgti_run *run;
    const fgti_io  *io;
    fighter_cache   c;
    fighter_scratch s;
    fgti_attention  at;
    fgti_multihop   hops;
} job;

static fgt_status job_init(job *j, const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    const fgt_fighter_opts   *o    = l->opts;
    const fgti_attention_conf conf = conf_of(o);
    const bool                two  = fgti_attention_two(&conf) || run->input[FGT_INPUT_DIAG_SCALE];
    *j                             = (job){.run = run, .io = io};
    place_cache(l, run->batch, io->in, two, io->cache, &j->c);
    if (backward) place_scratch(l, run->batch, io->in, io->scratch, &j->s);
    FGTI_TRY(fgti_attention_init(&j->at, run, l, &conf, io->in.nodes, o->heads, io->in.time, io->in.time,
                                 o->attn / o->heads));
    j->at.q   = j->c.q;
    j->at.k   = j->c.k;
    j->at.ldq = j->at.ldk = o->attn;
    j->at.soft            = j->c.soft;
    j->at.a               = j->c.a;
    j->hops               = (fgti_multihop){.run      = run,
                                            .groups   = run->batch * io->in.nodes,
                                            .tokens   = io->in.time,
                                            .d        = io->in.width,
                                            .h        = o->out,
                                            .heads    = o->heads,
                                            .kappa    = o->hops,
                                            .a        = j->c.a,
                                            .a_stride = io->in.time * io->in.time,
                                            .x        = o->norm ? j->c.x : io->x,
                                            .w        = fgti_w(l, io, params_of(o).hop)};
    fgti_multihop_place(&j->hops, j->c.hops, backward ? j->s.hops : NULL);
    return FGT_OK;
}

static void forward_task(void *arg, int64_t gh, int32_t lane)
{
    const job *j       = arg;
    void      *scratch = fgti_lane_scratch(j->run->exec, lane);
    fgti_attention_forward(&j->at, scratch, gh / j->at.heads, gh % j->at.heads);
    fgti_multihop_block(&j->hops, scratch, gh / j->at.heads, gh % j->at.heads);
}

static fgti_tail tail_of(const fgti_run *run, const fgti_layer *l)
{
    const fgt_fighter_opts *o = l->opts;
    return (fgti_tail){.act     = (fgti_act)o->act,
                       .dropout = run->training ? o->dropout : 0,
                       .rng     = fgti_layer_rng(run, l, FGTI_DRAW_OUTPUT)};
}

/* X' = norm(x);  Q = X'Wq' + bq;  K = X'Wk' + bk;  A = softmax(Q K'/sqrt(dh) + masks);
 * u = sum_{i<kappa} A^i X' W_i + b;  y = [x +] dropout(act(u)) */
static fgt_status fighter_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_fighter_opts *o    = l->opts;
    const params            p    = params_of(o);
    const int64_t           rows = fgti_rows(run->batch, io->in), d = io->in.width, h = o->out;
    const fgti_tail         tail = tail_of(run, l);
    job                     j;
    FGTI_TRY(job_init(&j, run, l, io, false));
    if (o->norm)
        fgti_norm(run, rows, d, NORM_EPS, io->x, fgti_w(l, io, p.norm_w), fgti_w(l, io, p.norm_b), j.c.x,
                  j.c.mean, j.c.rstd);
    fgti_affine(run, rows, d, o->attn, j.hops.x, fgti_w(l, io, p.wq), w_or_null(l, io, p.bq), j.c.q, o->attn);
    fgti_affine(run, rows, d, o->attn, j.hops.x, fgti_w(l, io, p.wk), w_or_null(l, io, p.bk), j.c.k, o->attn);
    fgti_multihop_before(&j.hops);
    fgti_parallel(run->exec, j.at.groups * o->heads, forward_task, &j);
    fgti_multihop_after(&j.hops);
    if (p.bias >= 0) fgti_bias(run, rows, h, h, fgti_w(l, io, p.bias), j.hops.u);
    fgti_tail_forward(run, &tail, rows * h, j.hops.u, o->residual && d == h ? io->x : NULL, io->y);
    return FGT_OK;
}

static void backward_task(void *arg, int64_t gh, int32_t lane)
{
    const job *j       = arg;
    void      *scratch = fgti_lane_scratch(j->run->exec, lane);
    fgti_real *da      = j->io->lane + lane * j->io->lane_stride;
    fgti_multihop_grad_block(&j->hops, scratch, gh / j->at.heads, gh % j->at.heads, da);
    fgti_attention_backward(&j->at, scratch, gh / j->at.heads, gh % j->at.heads, da, j->s.dq, j->s.dk);
}

/* The gradients of the equations above, from the last to the first; one hop does not use A. */
static fgt_status fighter_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_fighter_opts *o    = l->opts;
    const params            p    = params_of(o);
    const int64_t           rows = fgti_rows(run->batch, io->in), d = io->in.width, h = o->out;
    const fgti_tail         tail = tail_of(run, l);
    job                     j;
    FGTI_TRY(job_init(&j, run, l, io, true));
    fgti_real *dx = o->norm ? j.s.dx : io->dx;
    fgti_tail_backward(run, &tail, rows * h, j.hops.u, io->dy, j.hops.du);
    if (p.bias >= 0) fgti_column_sum(run, rows, h, h, j.hops.du, fgti_dw(l, io, p.bias));
    fgti_multihop_grad_before(&j.hops);
    if (o->hops > 1) fgti_parallel(run->exec, j.at.groups * o->heads, backward_task, &j);
    fgti_multihop_grad_after(&j.hops, fgti_dw(l, io, p.hop), dx);
    if (o->hops > 1) {
        fgti_affine_grad(run, rows, d, o->attn, j.hops.x, fgti_w(l, io, p.wq), j.s.dq, o->attn,
                         fgti_dw(l, io, p.wq), dw_or_null(l, io, p.bq), dx, true);
        fgti_affine_grad(run, rows, d, o->attn, j.hops.x, fgti_w(l, io, p.wk), j.s.dk, o->attn,
                         fgti_dw(l, io, p.wk), dw_or_null(l, io, p.bk), dx, true);
    }
    if (o->norm)
        fgti_norm_grad(run, rows, d, io->x, fgti_w(l, io, p.norm_w), j.c.mean, j.c.rstd, dx,
                       fgti_dw(l, io, p.norm_w), fgti_dw(l, io, p.norm_b), io->dx);
    if (io->dx && o->residual && d == h) fgti_add(run, rows * d, io->dy, io->dx);
    return FGT_OK;
}

static const fgti_real *fighter_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                          int64_t shape[4])
{
    const fgt_fighter_opts   *o    = l->opts;
    const fgti_attention_conf conf = conf_of(o);
    fighter_cache             c;
    place_cache(l, run->batch, io->in, fgti_attention_two(&conf) || run->input[FGT_INPUT_DIAG_SCALE],
                io->cache, &c);
    shape[0] = run->batch * io->in.nodes;
    shape[1] = o->heads;
    shape[2] = shape[3] = io->in.time;
    return c.a;
}

const fgti_class fgti_class_fighter = {
    .name      = "fighter",
    .opts      = fighter_opts,
    .opts_size = sizeof(fgt_fighter_opts),
    .plan      = fighter_plan,
    .shape     = fighter_shape,
    .size      = fighter_size,
    .forward   = fighter_forward,
    .backward  = fighter_backward,
    .adjacency = fighter_adjacency,
};
