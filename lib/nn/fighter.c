/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/attention_chain.h"
#include "nn/multihop.h"
#include "nn/projection.h"

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

/* Everything a pass and its tasks know. One product makes [Q K P_0 .. P_{kappa-1}] with P_i = X' W_i; the
 * hops then run over its columns by Horner's rule. When they propagate there are no P_i and multihop.h makes
 * the ends. */
typedef struct job {
    const fgti_run         *run;
    const fgti_layer       *l;
    const fgti_io          *io;
    const fgt_fighter_opts *o;
    int64_t                 rows, d, h, split; /* split: columns before P_0 */
    bool                    sliced;            /* a task takes a group through the whole layer */
    fgti_real              *x, *mean, *rstd;   /* cache: X' [R,D] and the statistics [R], with norm */
    fgti_real              *hops;              /* cache: O_i [kappa-1,R,H], or that of multihop.h */
    fgti_real              *dx, *dhops;        /* scratch: of X', with norm; of the above */
    fgti_projection         proj;
    fgti_chain              chain;
    fgti_multihop           ends;
    fgti_real              *u, *du; /* before the activation, [R,H] at distance ldu */
    int64_t                 ldu;
    double                  dropout; /* 0 outside training */
    fgti_rng                rng;
} job;

static void set_sizes(job *j, const fgti_layer *l, int64_t batch, fgti_shape in)
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
    j->proj.chunks             = 1;
    j->proj.biased             = o->no_bias ? 0 : fgti_least(j->proj.n, j->split + j->h);
    at->groups                 = fgti_mul(batch, in.nodes);
    at->heads                  = o->heads;
    at->tq = at->tk = in.time;
    at->dh          = o->attn / o->heads;
    if (o->hops > 1) j->proj.chunks = fgti_projection_chunks(&j->proj, at->groups);
    j->chain.hops   = o->hops - 1;
    j->chain.n      = j->ends.propagate ? in.width : o->out / o->heads;
}

/* two: a second copy of A is kept. Whether A is kept follows from the planned sizes, in every pass alike; a
 * single hop needs no A, so it is made for those who ask alone. */
static int64_t place_cache(job *j, bool two, fgti_real *base)
{
    const fgt_fighter_opts   *o    = j->o;
    const fgti_attention_conf conf = conf_of(o);
    const int64_t             time = j->l->in.time;
    const bool streams = o->hops > 1 && fgti_attention_streams(&conf, time, time, o->attn / o->heads);
    int64_t    at      = 0;
    if (o->norm) {
        j->x    = fgti_take(base, &at, fgti_mul(j->rows, j->d));
        j->mean = fgti_take(base, &at, j->rows);
        j->rstd = fgti_take(base, &at, j->rows);
    }
    j->proj.y = fgti_take(base, &at, fgti_mul(j->rows, j->proj.ld));
    j->hops   = fgti_take(base, &at,
                        j->ends.propagate ? fgti_multihop_cache(j->rows, j->d, j->h, o->heads, o->hops)
                                            : fgti_mul(o->hops - 1, fgti_mul(j->rows, fgti_spread(j->h))));
    fgti_attention_place(&j->chain.at, j->l, streams, two, base, &at);
    return at;
}

static int64_t place_scratch(job *j, fgti_real *base)
{
    int64_t at = 0;
    j->dx      = fgti_take(base, &at, fgti_mul(j->rows, j->d));
    j->proj.dy = fgti_take(base, &at, fgti_mul(j->rows, j->proj.ld));
    j->proj.dw = fgti_take(base, &at, fgti_mul(j->proj.chunks, fgti_mul(j->d, j->proj.n)));
    j->proj.db = fgti_take(base, &at, fgti_mul(j->proj.chunks, j->proj.n));
    if (j->ends.propagate)
        j->dhops = fgti_take(base, &at, fgti_multihop_scratch(j->rows, j->d, j->h, j->o->heads, j->o->hops));
    return at;
}

/* A lane's dy of one group, before its memory for the hops. */
static int64_t slice_lane(const job *j)
{
    return j->ends.propagate ? 0 : fgti_round_up(fgti_mul(j->chain.at.tq, j->proj.ld), FGTI_ALIGN);
}

static void fighter_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    job j = {0};
    set_sizes(&j, l, batch, in);
    /* two copies of A: FGT_INPUT_DIAG_SCALE may come with any pass */
    need->cache   = place_cache(&j, true, NULL);
    need->scratch = place_scratch(&j, NULL);
    need->keep    = fgti_projection_keep(&j.proj, NULL);
    need->lane    = fgti_chain_lane(&j.chain) + slice_lane(&j);
}

/* Hops over the projected rows: X_0 = U_{kappa-1}, Y_i = U_{kappa-2-i}, in place of the P_i. */
static void chain_horner(job *j)
{
    const int64_t t = j->chain.at.tq, n = j->proj.ld, h = j->h, head = j->chain.n, ldo = fgti_spread(h);
    const int64_t last = j->split + (j->o->hops - 1) * h;
    fgti_real    *y    = j->proj.y;
    j->u       = y + j->split;
    j->ldu     = n;
    j->chain.x = (fgti_span){y + last, n, t * n, head, 0};
    j->chain.y = (fgti_span){y + last - h, n, t * n, head, -h};
    j->chain.o = (fgti_span){j->hops, ldo, t * ldo, head, j->rows * ldo};
}

/* All that is a column of dy [.., T, ldy], at a distance `group` from group to group. */
static void place_dy(job *j, fgti_real *dy, int64_t group)
{
    const int64_t n = j->proj.ld, h = j->h, head = j->chain.n, last = j->split + (j->o->hops - 1) * h;
    j->proj.dy  = dy;
    j->chain.dq = (fgti_span){dy, n, group, j->chain.at.dh, 0};
    j->chain.dk = (fgti_span){dy + j->o->attn, n, group, j->chain.at.dh, 0};
    if (j->ends.propagate) return;
    j->du       = dy + j->split;
    j->chain.dx = (fgti_span){dy + last, n, group, head, 0};
    j->chain.dy = (fgti_span){dy + last - h, n, group, head, -h};
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
    m->x             = j->proj.x;
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

static void place_attention(job *j)
{
    fgti_attention *at = &j->chain.at;
    at->q              = j->proj.y;
    at->k              = j->proj.y + j->o->attn;
    at->ldq = at->ldk = j->proj.ld;
}

static fgt_status job_init(job *j, const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    const fgt_fighter_opts   *o    = l->opts;
    const fgti_attention_conf conf = conf_of(o);
    fgti_attention           *at   = &j->chain.at;
    *j                             = (job){.run = run, .io = io, .proj.run = run};
    FGTI_TRY(fgti_attention_init(at, run, l, &conf, io->in.nodes, o->heads, io->in.time, io->in.time,
                                 o->attn / o->heads));
    set_sizes(j, l, run->batch, io->in);
    place_cache(j, fgti_attention_two(&conf) || at->diag_scale, io->cache);
    fgti_projection_keep(&j->proj, io->keep);
    if (backward) place_scratch(j, io->scratch);
    j->proj.x  = o->norm ? j->x : io->x;
    j->dropout = run->training ? o->dropout : 0;
    j->rng     = fgti_layer_rng(run, l, FGTI_DRAW_OUTPUT);
    j->sliced  = !j->ends.propagate && fgti_projection_slices(j->d, j->proj.n) &&
                (run->exec->lanes == 1 || at->groups >= 4 * run->exec->lanes);
    place_attention(j);
    if (j->ends.propagate)
        chain_propagate(j);
    else
        chain_horner(j);
    if (backward) place_dy(j, j->proj.dy, at->tq * j->proj.ld);
    return FGT_OK;
}

/* ---- the parameters, side by side ---- */

/* W = [Wq' Wk' W_0 .. W_{kappa-1}], b = [bq bk bias] */
static void gather_weights(const job *j)
{
    const fgt_fighter_opts *o = j->o;
    const params            p = params_of(o);
    const int64_t           h = j->h, a = o->attn, hops = j->ends.propagate ? 0 : o->hops;
    fgti_real              *b = j->proj.b;
    fgti_projection_set(&j->proj, 0, a, true, fgti_w(j->l, j->io, p.wq));
    fgti_projection_set(&j->proj, a, a, true, fgti_w(j->l, j->io, p.wk));
    for (int64_t i = 0; i < hops; i++)
        fgti_projection_set(&j->proj, j->split + i * h, h, false, fgti_w(j->l, j->io, p.hop) + i * j->d * h);
    if (!o->no_bias) {
        memcpy(b, fgti_w(j->l, j->io, p.bq), (size_t)a * sizeof *b);
        memcpy(b + a, fgti_w(j->l, j->io, p.bk), (size_t)a * sizeof *b);
        if (hops) memcpy(b + j->split, fgti_w(j->l, j->io, p.bias), (size_t)h * sizeof *b);
    }
    fgti_projection_pack(&j->proj);
}

/* Adds the gradients of columns `first` and up of W and b to those of the parameters. */
static void scatter_gradients(const job *j, int64_t first)
{
    const fgt_fighter_opts *o = j->o;
    const params            p = params_of(o);
    const int64_t           h = j->h, a = o->attn, hops = j->ends.propagate ? 0 : o->hops;
    const fgti_real        *db  = j->proj.db;
    const fgti_vec         *vec = j->run->vec;
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

/* ---- the ends of the layer, some rows at a time ---- */

static void norm_rows(const job *j, int64_t row, int64_t rows)
{
    const params  p  = params_of(j->o);
    const int64_t at = row * j->d;
    if (j->o->norm)
        j->run->vec->norm(rows, j->d, NORM_EPS, j->io->x + at, fgti_w(j->l, j->io, p.norm_w),
                          fgti_w(j->l, j->io, p.norm_b), j->x + at, j->mean + row, j->rstd + row);
}

/* y = [x +] dropout(act(u)) */
static void tail_rows(const job *j, int64_t row, int64_t rows)
{
    const fgti_vec *vec = j->run->vec;
    const int64_t   h   = j->h;
    for (int64_t r = row; r < row + rows; r++) {
        fgti_real *y = j->io->y + r * h;
        vec->act((fgti_act)j->o->act, h, j->u + r * j->ldu, y);
        if (j->dropout > 0) vec->dropout(j->rng, j->dropout, (uint64_t)(r * fgti_round_up(h, 4)), h, y, y);
    }
    if (j->o->residual && j->d == h) vec->axpy(rows * h, 1, j->io->x + row * h, j->io->y + row * h);
}

/* du from dy */
static void tail_grad_rows(const job *j, int64_t row, int64_t rows)
{
    const fgti_vec *vec = j->run->vec;
    const int64_t   h   = j->h;
    for (int64_t r = row; r < row + rows; r++) {
        const fgti_real *dy = j->io->dy + r * h;
        fgti_real       *du = j->du + (r - j->proj.dy_first) * j->ldu;
        if (j->dropout > 0) {
            vec->dropout(j->rng, j->dropout, (uint64_t)(r * fgti_round_up(h, 4)), h, dy, du);
            dy = du;
        }
        vec->act_grad((fgti_act)j->o->act, h, j->u + r * j->ldu, dy, du);
    }
}

/* dx from that of X', which norm left in j->dx: through the norm, and past the layer */
static void head_grad_rows(const job *j, int64_t row, int64_t rows)
{
    const params    p   = params_of(j->o);
    const fgti_vec *vec = j->run->vec;
    const int64_t   at = row * j->d, n = rows * j->d;
    if (!j->io->dx) return;
    if (j->o->norm)
        vec->norm_grad(rows, j->d, j->io->x + at, fgti_w(j->l, j->io, p.norm_w), j->mean + row, j->rstd + row,
                       j->dx + at, j->io->dx + at);
    if (j->o->residual && j->d == j->h) vec->axpy(n, 1, j->io->dy + at, j->io->dx + at);
}

#define ROWS_AT_ONCE 64

/* Runs one of the above over all rows. */
typedef struct rows_job {
    const job *j;
    void (*fn)(const job *j, int64_t row, int64_t rows);
} rows_job;

static void rows_task(void *arg, int64_t task, int32_t lane)
{
    const rows_job *r = arg;
    (void)lane;
    r->fn(r->j, task * ROWS_AT_ONCE, fgti_least(ROWS_AT_ONCE, r->j->rows - task * ROWS_AT_ONCE));
}

static void each_row(const job *j, void (*fn)(const job *j, int64_t row, int64_t rows))
{
    rows_job r = {j, fn};
    fgti_parallel(j->run->exec, (j->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, rows_task, &r);
}

/* ---- passes ---- */

static fgti_real *lane_of(const job *j, int32_t lane)
{
    return j->io->lane + lane * j->io->lane_stride;
}

/* A group from the first equation to the last: its rows stay in the cache. */
static void forward_group(void *arg, int64_t g, int32_t lane)
{
    const job    *j = arg;
    const int64_t t = j->chain.at.tq;
    norm_rows(j, g * t, t);
    fgti_projection_forward_slice(&j->proj, fgti_lane_scratch(j->run->exec, lane), g * t, t);
    for (int64_t h = 0; h < j->o->heads; h++) fgti_chain_forward(&j->chain, g, h, lane_of(j, lane));
    tail_rows(j, g * t, t);
}

static void forward_head(void *arg, int64_t gh, int32_t lane)
{
    const job *j = arg;
    fgti_chain_forward(&j->chain, gh / j->o->heads, gh % j->o->heads, lane_of(j, lane));
}

/* X' = norm(x);  Q = X'Wq' + bq;  K = X'Wk' + bk;  A = softmax(Q K'/sqrt(dh) + masks);
 * u = sum_{i<kappa} A^i X' W_i + b;  y = [x +] dropout(act(u)) */
static fgt_status fighter_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_fighter_opts *o = l->opts;
    job                     j;
    FGTI_TRY(job_init(&j, run, l, io, false));
    if (fgti_projection_stale(&j.proj)) gather_weights(&j);
    if (j.sliced) {
        fgti_parallel(run->exec, j.chain.at.groups, forward_group, &j);
        return FGT_OK;
    }
    each_row(&j, norm_rows);
    fgti_projection_forward(&j.proj);
    fgti_parallel(run->exec, j.chain.at.groups * o->heads, forward_head, &j);
    if (j.ends.propagate) {
        fgti_multihop_after(&j.ends);
        if (!o->no_bias) fgti_bias(run, j.rows, j.h, j.h, fgti_w(l, io, params_of(o).bias), j.u);
    }
    each_row(&j, tail_rows);
    return FGT_OK;
}

/* The rows of the forward pass, in their order: that is faster than when each head asks for its line of every
 * row. */
static void fetch_group(const job *j, int64_t g)
{
    const fgti_span o = j->chain.o;
    const int64_t   n = j->chain.at.tq * j->proj.ld;
    fgti_fetch(n, j->proj.y + g * n);
    for (int64_t i = 0; i < j->chain.hops; i++) fgti_fetch(o.group, o.p + i * o.hop + g * o.group);
}

/* The gradients of the equations above, from the last to the first; one hop does not use A. */
static void backward_group(const job *j, int64_t g, int32_t lane)
{
    const int64_t t = j->chain.at.tq;
    fetch_group(j, g);
    tail_grad_rows(j, g * t, t);
    for (int64_t h = 0; h < j->o->heads; h++)
        fgti_chain_backward(&j->chain, g, h, lane_of(j, lane) + slice_lane(j));
    if (j->o->norm || j->io->dx)
        fgti_projection_backward_slice(&j->proj, fgti_lane_scratch(j->run->exec, lane), g * t, t,
                                       j->o->norm ? j->dx : j->io->dx);
    head_grad_rows(j, g * t, t);
}

/* The groups of a chunk, in their order. */
static int64_t first_group(const job *j, int64_t chunk)
{
    return j->chain.at.groups * chunk / j->proj.chunks;
}

static void gradient_group(const job *j, int64_t g, int64_t chunk, int32_t lane)
{
    const int64_t t = j->chain.at.tq;
    fgti_projection_gradient_slice(&j->proj, fgti_lane_scratch(j->run->exec, lane), g * t, t, chunk,
                                   g == first_group(j, chunk));
}

/* dy stays with the lane: nobody else reads it. */
static void backward_chunk(void *arg, int64_t chunk, int32_t lane)
{
    job mine = *(const job *)arg;
    place_dy(&mine, lane_of(&mine, lane), 0);
    for (int64_t g = first_group(&mine, chunk); g < first_group(&mine, chunk + 1); g++) {
        mine.proj.dy_first = g * mine.chain.at.tq;
        backward_group(&mine, g, lane);
        gradient_group(&mine, g, chunk, lane);
    }
}

static void gradient_chunk(void *arg, int64_t chunk, int32_t lane)
{
    const job *j = arg;
    for (int64_t g = first_group(j, chunk); g < first_group(j, chunk + 1); g++)
        gradient_group(j, g, chunk, lane);
}

static void slice_task(void *arg, int64_t g, int32_t lane)
{
    backward_group(arg, g, lane);
}

static void backward_head(void *arg, int64_t gh, int32_t lane)
{
    const job *j = arg;
    fgti_chain_backward(&j->chain, gh / j->o->heads, gh % j->o->heads, lane_of(j, lane));
}

/* first: the columns before it have no gradient */
static void backward_whole(const job *j, int64_t first)
{
    const fgti_run *run  = j->run;
    const params    p    = params_of(j->o);
    fgti_real      *dx   = j->o->norm ? j->dx : j->io->dx;
    const bool      ends = j->ends.propagate;
    each_row(j, tail_grad_rows);
    if (ends) {
        if (!j->o->no_bias) fgti_column_sum(run, j->rows, j->h, j->h, j->du, fgti_dw(j->l, j->io, p.bias));
        fgti_multihop_grad_before(&j->ends);
    }
    if (j->chain.hops) fgti_parallel(run->exec, j->chain.at.groups * j->o->heads, backward_head, (void *)j);
    if (ends) fgti_multihop_grad_after(&j->ends, fgti_dw(j->l, j->io, p.hop), dx);
    if (dx && first < j->proj.n) fgti_projection_backward(&j->proj, first, ends, dx);
    each_row(j, head_grad_rows);
}

static fgt_status fighter_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_fighter_opts *o = l->opts;
    const params            p = params_of(o);
    job                     j;
    FGTI_TRY(job_init(&j, run, l, io, true));
    const int64_t first = o->hops > 1 ? 0 : j.split;
    const bool chunked = j.proj.chunks > 1, sliced = j.sliced && first == 0;
    const bool local   = sliced && chunked && j.proj.chunks >= 4 * run->exec->lanes;
    if (local)
        fgti_parallel(run->exec, j.proj.chunks, backward_chunk, &j);
    else if (sliced)
        fgti_parallel(run->exec, j.chain.at.groups, slice_task, &j);
    else
        backward_whole(&j, first);
    if (chunked && !local) fgti_parallel(run->exec, j.proj.chunks, gradient_chunk, &j);
    if (chunked)
        fgti_projection_gradient_sum(&j.proj);
    else if (first < j.proj.n)
        fgti_projection_gradient(&j.proj, first);
    if (first < j.proj.n) scatter_gradients(&j, first);
    if (o->norm)
        fgti_norm_grad(run, j.rows, j.d, io->x, fgti_w(l, io, p.norm_w), j.mean, j.rstd, j.dx,
                       fgti_dw(l, io, p.norm_w), fgti_dw(l, io, p.norm_b), NULL);
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
