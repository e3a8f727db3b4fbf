/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/attention_chain.h"
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
    {"mode", offsetof(fgt_fighter_opts, mode), FGTI_OPT_ENUM, FGT_ATTN_AUTO, FGT_ATTN_STREAM, 0},
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
                                 .attn_dropout = o->attn_dropout,
                                 .mode         = o->mode};
}

/* Everything a pass and its tasks know. All that X' is multiplied by stands side by side, so that one product
 * makes [Q K P_0 .. P_{kappa-1}] = X' W + b, [R,N], with P_i = X' W_i. The hops then run over its columns by
 * Horner's rule; when they propagate there are no P_i and multihop.h makes the ends. */
typedef struct job {
    const fgti_run         *run;
    const fgti_layer       *l;
    const fgti_io          *io;
    const fgt_fighter_opts *o;
    int64_t                 rows, d, h, n, split; /* split: columns before P_0 */
    fgti_real              *x, *mean, *rstd;      /* cache: X' [R,D] and the statistics [R], with norm */
    fgti_real              *w, *b, *proj;         /* cache: W [D,N], b [N], [R,N] */
    fgti_real              *hops;                 /* cache: O_i [kappa-1,R,H], or that of multihop.h */
    fgti_real              *dx, *dproj, *dw, *db, *dhops; /* scratch: of X', with norm; of the above */
    fgti_chain              chain;
    fgti_multihop           ends;
    fgti_real              *u, *du; /* before the activation, [R,H] at distance ldu */
    int64_t                 ldu;
} job;

static void set_sizes(job *j, const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_fighter_opts *o = l->opts;
    j->l                      = l;
    j->o                      = o;
    j->rows                   = fgti_rows(batch, in);
    j->d                      = in.width;
    j->h                      = o->out;
    j->split                  = fgti_mul(2, o->attn);
    j->ends.propagate         = fgti_multihop_propagates(o->heads, in.width, o->out);
    j->n                      = j->split + (j->ends.propagate ? 0 : fgti_mul(o->hops, o->out));
    fgti_attention *at        = &j->chain.at;
    at->groups                = fgti_mul(batch, in.nodes);
    at->heads                 = o->heads;
    at->tq = at->tk = in.time;
    at->dh          = o->attn / o->heads;
    j->chain.hops   = o->hops - 1;
    j->chain.n      = j->ends.propagate ? in.width : o->out / o->heads;
}

/* two: a second copy of A is kept. Whether A is kept follows from the planned sizes, in every pass alike; a
 * single hop needs no A, so it is made for those who ask alone. */
static int64_t place_cache(job *j, bool two, fgti_real *base)
{
    const fgt_fighter_opts   *o    = j->o;
    const fgti_attention_conf conf = conf_of(o);
    const bool streams = o->hops > 1 && fgti_attention_streams(&conf, j->l->in.time, j->l->in.time);
    int64_t    at      = 0;
    if (o->norm) {
        j->x    = fgti_take(base, &at, fgti_mul(j->rows, j->d));
        j->mean = fgti_take(base, &at, j->rows);
        j->rstd = fgti_take(base, &at, j->rows);
    }
    j->w    = fgti_take(base, &at, fgti_mul(j->d, j->n));
    j->b    = fgti_take(base, &at, j->n);
    j->proj = fgti_take(base, &at, fgti_mul(j->rows, j->n));
    j->hops = fgti_take(base, &at,
                        j->ends.propagate ? fgti_multihop_cache(j->rows, j->d, j->h, o->heads, o->hops)
                                          : fgti_mul(o->hops - 1, fgti_mul(j->rows, j->h)));
    fgti_attention_place(&j->chain.at, j->l, streams, two, base, &at);
    return at;
}

static int64_t place_scratch(job *j, fgti_real *base)
{
    int64_t at = 0;
    j->dx      = fgti_take(base, &at, fgti_mul(j->rows, j->d));
    j->dproj   = fgti_take(base, &at, fgti_mul(j->rows, j->n));
    j->dw      = fgti_take(base, &at, fgti_mul(j->d, j->n));
    j->db      = fgti_take(base, &at, j->n);
    if (j->ends.propagate)
        j->dhops = fgti_take(base, &at, fgti_multihop_scratch(j->rows, j->d, j->h, j->o->heads, j->o->hops));
    return at;
}

static void fighter_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    job j = {0};
    set_sizes(&j, l, batch, in);
    /* two copies of A: FGT_INPUT_DIAG_SCALE may come with any pass */
    need->cache   = place_cache(&j, true, NULL);
    need->scratch = place_scratch(&j, NULL);
    need->lane    = fgti_chain_lane(&j.chain);
}

/* Hops over the projected rows: X_0 = U_{kappa-1}, Y_i = U_{kappa-2-i}, in place of the P_i. */
static void chain_horner(job *j)
{
    const int64_t t = j->chain.at.tq, n = j->n, h = j->h, head = j->chain.n,
                  last = j->split + (j->o->hops - 1) * h;
    fgti_real *dp      = j->dproj;
    j->u               = j->proj + j->split;
    j->du              = dp ? dp + j->split : NULL;
    j->ldu             = n;
    j->chain.x         = (fgti_span){j->proj + last, n, t * n, head, 0};
    j->chain.y         = (fgti_span){j->proj + last - h, n, t * n, head, -h};
    j->chain.o         = (fgti_span){j->hops, h, t * h, head, j->rows * h};
    if (!dp) return;
    j->chain.dx = (fgti_span){dp + last, n, t * n, head, 0};
    j->chain.dy = (fgti_span){dp + last - h, n, t * n, head, -h};
}

/* Hops over the input: X_0 = X' for all heads, O_i = Z_{i+1}. */
static void chain_propagate(job *j)
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
    m->x             = j->o->norm ? j->x : j->io->x;
    m->w             = fgti_w(j->l, j->io, params_of(j->o).hop);
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

static fgt_status job_init(job *j, const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    const fgt_fighter_opts   *o    = l->opts;
    const fgti_attention_conf conf = conf_of(o);
    fgti_attention           *at   = &j->chain.at;
    *j                             = (job){.run = run, .io = io};
    FGTI_TRY(fgti_attention_init(at, run, l, &conf, io->in.nodes, o->heads, io->in.time, io->in.time,
                                 o->attn / o->heads));
    set_sizes(j, l, run->batch, io->in);
    place_cache(j, fgti_attention_two(&conf) || at->diag_scale, io->cache);
    if (backward) place_scratch(j, io->scratch);
    at->q   = j->proj;
    at->k   = j->proj + o->attn;
    at->ldq = at->ldk   = j->n;
    const int64_t group = io->in.time * j->n;
    j->chain.dq         = (fgti_span){j->dproj, j->n, group, at->dh, 0};
    j->chain.dk         = (fgti_span){j->dproj ? j->dproj + o->attn : NULL, j->n, group, at->dh, 0};
    if (j->ends.propagate)
        chain_propagate(j);
    else
        chain_horner(j);
    return FGT_OK;
}

/* ---- the parameters, side by side ---- */

/* W = [Wq' Wk' W_0 .. W_{kappa-1}], b = [bq bk bias 0 ..] */
static void gather_weights(const job *j)
{
    const fgt_fighter_opts *o = j->o;
    const params            p = params_of(o);
    const int64_t           d = j->d, n = j->n, h = j->h, a = o->attn;
    const fgti_vec         *vec = j->run->vec;
    vec->transpose(a, d, fgti_w(j->l, j->io, p.wq), d, j->w, n);
    vec->transpose(a, d, fgti_w(j->l, j->io, p.wk), d, j->w + a, n);
    for (int64_t i = 0; i * h < n - j->split; i++)
        for (int64_t r = 0; r < d; r++)
            memcpy(j->w + r * n + j->split + i * h, fgti_w(j->l, j->io, p.hop) + (i * d + r) * h,
                   (size_t)h * sizeof *j->w);
    memset(j->b, 0, (size_t)n * sizeof *j->b);
    if (o->no_bias) return;
    memcpy(j->b, fgti_w(j->l, j->io, p.bq), (size_t)a * sizeof *j->b);
    memcpy(j->b + a, fgti_w(j->l, j->io, p.bk), (size_t)a * sizeof *j->b);
    if (!j->ends.propagate) memcpy(j->b + j->split, fgti_w(j->l, j->io, p.bias), (size_t)h * sizeof *j->b);
}

/* Adds the gradients of columns `first` and up of W and b to those of the parameters. */
static void scatter_gradients(const job *j, int64_t first)
{
    const fgt_fighter_opts *o = j->o;
    const params            p = params_of(o);
    const int64_t           d = j->d, n = j->n, h = j->h, a = o->attn;
    const fgti_lanes       *rows = j->run->vec->lanes;
    for (int which = 0; first == 0 && which < 2; which++) {
        fgti_real *dw = fgti_dw(j->l, j->io, which ? p.wk : p.wq);
        for (int64_t r = 0; r < a; r++)
            for (int64_t i = 0; i < d; i++) dw[r * d + i] += j->dw[i * n + which * a + r];
        if (!o->no_bias)
            rows->add_rows(1, a, j->db + which * a, a, fgti_dw(j->l, j->io, which ? p.bk : p.bq), a);
    }
    for (int64_t i = 0; i * h < n - j->split; i++)
        rows->add_rows(d, h, j->dw + j->split + i * h, n, fgti_dw(j->l, j->io, p.hop) + i * d * h, h);
    if (!o->no_bias && !j->ends.propagate)
        rows->add_rows(1, h, j->db + j->split, h, fgti_dw(j->l, j->io, p.bias), h);
}

/* ---- the end of the layer, row by row: y = [x +] dropout(act(u)) ---- */

#define ROWS_AT_ONCE 64

typedef struct tail_job {
    const job *j;
    double     p;
    fgti_rng   rng;
} tail_job;

static tail_job tail_of(const job *j)
{
    return (tail_job){.j   = j,
                      .p   = j->run->training ? j->o->dropout : 0,
                      .rng = fgti_layer_rng(j->run, j->l, FGTI_DRAW_OUTPUT)};
}

static void tail_task(void *arg, int64_t task, int32_t lane)
{
    const tail_job *t   = arg;
    const job      *j   = t->j;
    const fgti_vec *vec = j->run->vec;
    const int64_t   h = j->h, end = (task + 1) * ROWS_AT_ONCE;
    (void)lane;
    for (int64_t r = task * ROWS_AT_ONCE; r < end && r < j->rows; r++) {
        fgti_real *y = j->io->y + r * h;
        vec->act((fgti_act)j->o->act, h, j->u + r * j->ldu, y);
        if (t->p > 0) vec->dropout(t->rng, t->p, (uint64_t)(r * fgti_round_up(h, 4)), h, y, y);
        if (j->o->residual && j->d == h) vec->axpy(h, 1, j->io->x + r * h, y);
    }
}

static void tail_grad_task(void *arg, int64_t task, int32_t lane)
{
    const tail_job *t   = arg;
    const job      *j   = t->j;
    const fgti_vec *vec = j->run->vec;
    const int64_t   h = j->h, end = (task + 1) * ROWS_AT_ONCE;
    (void)lane;
    for (int64_t r = task * ROWS_AT_ONCE; r < end && r < j->rows; r++) {
        const fgti_real *dy = j->io->dy + r * h;
        fgti_real       *du = j->du + r * j->ldu;
        if (t->p > 0) {
            vec->dropout(t->rng, t->p, (uint64_t)(r * fgti_round_up(h, 4)), h, dy, du);
            dy = du;
        }
        vec->act_grad((fgti_act)j->o->act, h, j->u + r * j->ldu, dy, du);
    }
}

/* ---- passes ---- */

static void forward_task(void *arg, int64_t gh, int32_t lane)
{
    const job *j = arg;
    fgti_chain_forward(&j->chain, gh / j->o->heads, gh % j->o->heads,
                       j->io->lane + lane * j->io->lane_stride);
}

/* X' = norm(x);  Q = X'Wq' + bq;  K = X'Wk' + bk;  A = softmax(Q K'/sqrt(dh) + masks);
 * u = sum_{i<kappa} A^i X' W_i + b;  y = [x +] dropout(act(u)) */
static fgt_status fighter_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_fighter_opts *o = l->opts;
    const params            p = params_of(o);
    job                     j;
    FGTI_TRY(job_init(&j, run, l, io, false));
    const fgti_real *x = o->norm ? j.x : io->x;
    if (o->norm)
        fgti_norm(run, j.rows, j.d, NORM_EPS, io->x, fgti_w(l, io, p.norm_w), fgti_w(l, io, p.norm_b), j.x,
                  j.mean, j.rstd);
    gather_weights(&j);
    fgti_affine_in_out(run, j.rows, j.d, j.n, x, j.w, j.proj);
    if (!o->no_bias) fgti_bias(run, j.rows, fgti_least(j.n, j.split + j.h), j.n, j.b, j.proj);
    fgti_parallel(run->exec, j.chain.at.groups * o->heads, forward_task, &j);
    if (j.ends.propagate) {
        fgti_multihop_after(&j.ends);
        if (!o->no_bias) fgti_bias(run, j.rows, j.h, j.h, fgti_w(l, io, p.bias), j.u);
    }
    tail_job tail = tail_of(&j);
    fgti_parallel(run->exec, (j.rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, tail_task, &tail);
    return FGT_OK;
}

static void backward_task(void *arg, int64_t gh, int32_t lane)
{
    const job *j = arg;
    fgti_chain_backward(&j->chain, gh / j->o->heads, gh % j->o->heads,
                        j->io->lane + lane * j->io->lane_stride);
}

/* W += X' dproj, b += column sums, dX' = dproj W', in columns `first` and up; added to dX' where the ends of
 * the hops have left a part there. */
static void projection_gradient(const job *j, int64_t first, const fgti_real *x, fgti_real *dx)
{
    const int64_t n      = j->n - first;
    const int64_t biased = fgti_least(n, j->split + j->h - first);
    fgti_gemm     g      = {.m     = j->d,
                            .n     = n,
                            .k     = j->rows,
                            .alpha = 1,
                            .a     = x,
                            .rsa   = 1,
                            .csa   = j->d,
                            .b     = j->dproj + first,
                            .rsb   = j->n,
                            .csb   = 1,
                            .c     = j->dw + first,
                            .ldc   = j->n};
    fgti_gemm_parallel(j->run->blas, j->run->exec, &g);
    if (!j->o->no_bias) {
        memset(j->db, 0, (size_t)j->n * sizeof *j->db);
        fgti_column_sum(j->run, j->rows, biased, j->n, j->dproj + first, j->db + first);
    }
    scatter_gradients(j, first);
    if (!dx) return;
    g = (fgti_gemm){.m     = j->rows,
                    .n     = j->d,
                    .k     = n,
                    .alpha = 1,
                    .beta  = j->ends.propagate,
                    .a     = j->dproj + first,
                    .rsa   = j->n,
                    .csa   = 1,
                    .b     = j->w + first,
                    .rsb   = 1,
                    .csb   = j->n,
                    .c     = dx,
                    .ldc   = j->d};
    fgti_gemm_parallel(j->run->blas, j->run->exec, &g);
}

/* The gradients of the equations above, from the last to the first; one hop does not use A. */
static fgt_status fighter_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_fighter_opts *o = l->opts;
    const params            p = params_of(o);
    job                     j;
    FGTI_TRY(job_init(&j, run, l, io, true));
    const fgti_real *x    = o->norm ? j.x : io->x;
    fgti_real       *dx   = o->norm ? j.dx : io->dx;
    tail_job         tail = tail_of(&j);
    fgti_parallel(run->exec, (j.rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, tail_grad_task, &tail);
    if (j.ends.propagate) {
        if (!o->no_bias) fgti_column_sum(run, j.rows, j.h, j.h, j.du, fgti_dw(l, io, p.bias));
        fgti_multihop_grad_before(&j.ends);
    }
    if (o->hops > 1) fgti_parallel(run->exec, j.chain.at.groups * o->heads, backward_task, &j);
    if (j.ends.propagate) fgti_multihop_grad_after(&j.ends, fgti_dw(l, io, p.hop), dx);
    if (o->hops > 1 || !j.ends.propagate) projection_gradient(&j, o->hops > 1 ? 0 : j.split, x, dx);
    if (o->norm)
        fgti_norm_grad(run, j.rows, j.d, io->x, fgti_w(l, io, p.norm_w), j.mean, j.rstd, dx,
                       fgti_dw(l, io, p.norm_w), fgti_dw(l, io, p.norm_b), io->dx);
    if (io->dx && o->residual && j.d == j.h) fgti_add(run, j.rows * j.d, io->dy, io->dx);
    return FGT_OK;
}

static fgt_status fighter_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                    int64_t shape[4], fgti_real *a)
{
    job j;
    FGTI_TRY(job_init(&j, run, l, io, false));
    shape[0] = j.chain.at.groups;
    shape[1] = j.chain.at.heads;
    shape[2] = shape[3] = io->in.time;
    if (a) fgti_chain_matrices(&j.chain, a, io);
    return FGT_OK;
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
