/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/fighter_pass.h"

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

/* ---- the ends of the layer, some rows at a time ---- */

static void norm_rows(const fgti_fighter_pass *j, int64_t row, int64_t rows)
{
    const fgti_fighter_params p  = fgti_fighter_params_of(j->o);
    const int64_t             at = row * j->d;
    if (j->o->norm)
        j->run->vec->norm(rows, j->d, NORM_EPS, j->io->x + at, fgti_w(j->l, j->io, p.norm_w),
                          fgti_w(j->l, j->io, p.norm_b), j->x + at, j->mean + row, j->rstd + row);
}

/* y = [x +] dropout(act(u)) */
static void tail_rows(const fgti_fighter_pass *j, int64_t row, int64_t rows)
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
static void tail_grad_rows(const fgti_fighter_pass *j, int64_t row, int64_t rows)
{
    const fgti_vec *vec = j->run->vec;
    const int64_t   h   = j->h;
    for (int64_t r = row; r < row + rows; r++) {
        const fgti_real *dy = j->io->dy + r * h;
        fgti_real       *du = j->du + r * j->ldu;
        if (j->dropout > 0) {
            vec->dropout(j->rng, j->dropout, (uint64_t)(r * fgti_round_up(h, 4)), h, dy, du);
            dy = du;
        }
        vec->act_grad((fgti_act)j->o->act, h, j->u + r * j->ldu, dy, du);
    }
}

/* dx from that of X', which norm left in j->dx: through the norm, and past the layer */
static void head_grad_rows(const fgti_fighter_pass *j, int64_t row, int64_t rows)
{
    const fgti_fighter_params p   = fgti_fighter_params_of(j->o);
    const fgti_vec           *vec = j->run->vec;
    const int64_t             at = row * j->d, n = rows * j->d;
    if (!j->io->dx) return;
    if (j->o->norm)
        vec->norm_grad(rows, j->d, j->io->x + at, fgti_w(j->l, j->io, p.norm_w), j->mean + row, j->rstd + row,
                       j->dx + at, j->io->dx + at);
    if (j->o->residual && j->d == j->h) vec->axpy(n, 1, j->io->dy + at, j->io->dx + at);
}

#define ROWS_AT_ONCE 64

/* Runs one of the above over all rows. */
typedef struct rows_job {
    const fgti_fighter_pass *j;
    void (*fn)(const fgti_fighter_pass *j, int64_t row, int64_t rows);
} rows_job;

static void rows_task(void *arg, int64_t task, int32_t worker)
{
    const rows_job *r = arg;
    (void)worker;
    r->fn(r->j, task * ROWS_AT_ONCE, fgti_least(ROWS_AT_ONCE, r->j->rows - task * ROWS_AT_ONCE));
}

static void each_row(const fgti_fighter_pass *j,
                     void (*fn)(const fgti_fighter_pass *j, int64_t row, int64_t rows))
{
    rows_job r = {j, fn};
    fgti_parallel(j->run->exec, (j->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, rows_task, &r);
}

static fgti_real *arena_of(const fgti_fighter_pass *j, int32_t worker)
{
    return j->io->arena + worker * j->io->arena_stride;
}

/* ---- passes over short series, group by group ---- */

static void short_group(void *arg, int64_t g, int32_t worker)
{
    const fgti_fighter_pass *j = arg;
    const int64_t            t = j->chain.at.tq;
    fgti_short_input(&j->brief, g, true, arena_of(j, worker));
    for (int64_t h = 0; h < j->o->heads; h++)
        fgti_short_forward(&j->brief, g, h, arena_of(j, worker), j->io->y);
    tail_rows(j, g * t, t);
}

static void short_head(void *arg, int64_t gh, int32_t worker)
{
    const fgti_fighter_pass *j = arg;
    const int64_t            g = gh / j->o->heads, h = gh % j->o->heads;
    fgti_short_input(&j->brief, g, h == 0, arena_of(j, worker));
    fgti_short_forward(&j->brief, g, h, arena_of(j, worker), j->io->y);
}

static void short_forward(fgti_fighter_pass *j)
{
    const fgti_exec *exec = j->run->exec;
    fgti_short_gather(&j->brief, j->io->weights);
    if (j->chain.at.groups >= exec->workers) {
        fgti_parallel(exec, j->chain.at.groups, short_group, j);
        return;
    }
    fgti_parallel(exec, j->chain.at.groups * j->o->heads, short_head, j);
    each_row(j, tail_rows);
}

static int64_t first_group(const fgti_fighter_pass *j, int64_t chunk)
{
    return j->chain.at.groups * chunk / j->brief.chunks;
}

/* dy of a group past dropout */
static const fgti_real *dropped_rows(const fgti_fighter_pass *j, int64_t g, fgti_real *to)
{
    const int64_t    t = j->chain.at.tq, h = j->h;
    const fgti_real *dy = j->io->dy + g * t * h;
    if (j->dropout == 0) return dy;
    for (int64_t r = 0; r < t; r++)
        j->run->vec->dropout(j->rng, j->dropout, (uint64_t)((g * t + r) * fgti_round_up(h, 4)), h, dy + r * h,
                             to + r * h);
    return to;
}

static void short_chunk(void *arg, int64_t chunk, int32_t worker)
{
    const fgti_fighter_pass *j = arg;
    const int64_t            t = j->chain.at.tq, n = t * j->d, first = first_group(j, chunk);
    fgti_real               *dx = j->io->dx, *room = arena_of(j, worker);
    for (int64_t g = first; g < first_group(j, chunk + 1); g++) {
        fgti_short_backward(&j->brief, (fgti_act)j->o->act, g, chunk, g == first,
                            dropped_rows(j, g, fgti_fighter_dropped(j, room)), room, dx ? dx + g * n : NULL);
        if (dx && j->o->residual && j->d == j->h) j->run->vec->axpy(n, 1, j->io->dy + g * n, dx + g * n);
    }
}

static void short_backward(fgti_fighter_pass *j)
{
    const fgti_fighter_params p    = fgti_fighter_params_of(j->o);
    const bool                norm = j->o->norm;
    fgti_parallel(j->run->exec, j->brief.chunks, short_chunk, j);
    fgti_short_scatter(&j->brief, j->io->gradients, norm ? fgti_dw(j->l, j->io, p.norm_w) : NULL,
                       norm ? fgti_dw(j->l, j->io, p.norm_b) : NULL, j->io->arena, j->io->arena_stride);
}

typedef struct matrices {
    const fgti_fighter_pass *j;
    fgti_real               *a;
} matrices;

static void matrix_task(void *arg, int64_t gh, int32_t worker)
{
    const matrices          *m = arg;
    const fgti_fighter_pass *j = m->j;
    const int64_t            t = j->chain.at.tq;
    fgti_short_matrix(&j->brief, gh / j->o->heads, gh % j->o->heads, arena_of(j, worker), m->a + gh * t * t);
}

static void short_matrices(const fgti_fighter_pass *j, fgti_real *a)
{
    matrices m = {j, a};
    fgti_parallel(j->run->exec, j->chain.at.groups * j->o->heads, matrix_task, &m);
}

/* ---- passes over all rows ---- */

static void forward_head(void *arg, int64_t gh, int32_t worker)
{
    const fgti_fighter_pass *j = arg;
    fgti_chain_forward(&j->chain, gh / j->o->heads, gh % j->o->heads, arena_of(j, worker));
}

/* X' = norm(x);  Q = X'Wq' + bq;  K = X'Wk' + bk;  A = softmax(Q K'/sqrt(dh) + masks);
 * u = sum_{i<kappa} A^i X' W_i + b;  y = [x +] dropout(act(u)) */
static fgt_status fighter_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_fighter_opts *o = l->opts;
    fgti_fighter_pass       j;
    FGTI_TRY(fgti_fighter_open(&j, run, l, io, false));
    if (j.is_short) {
        short_forward(&j);
        return FGT_OK;
    }
    if (fgti_projection_stale(&j.proj)) fgti_fighter_gather(&j);
    each_row(&j, norm_rows);
    fgti_projection_forward(&j.proj);
    fgti_parallel(run->exec, j.chain.at.groups * o->heads, forward_head, &j);
    if (j.ends.propagate) {
        fgti_multihop_after(&j.ends);
        if (!o->no_bias) fgti_bias(run, j.rows, j.h, j.h, fgti_w(l, io, fgti_fighter_params_of(o).bias), j.u);
    }
    each_row(&j, tail_rows);
    return FGT_OK;
}

/* The gradients of the equations above, from the last to the first; one hop does not use A. */
static void backward_head(void *arg, int64_t gh, int32_t worker)
{
    const fgti_fighter_pass *j = arg;
    fgti_chain_backward(&j->chain, gh / j->o->heads, gh % j->o->heads, arena_of(j, worker));
}

/* first: the columns before it have no gradient */
static void backward_whole(const fgti_fighter_pass *j, int64_t first)
{
    const fgti_run           *run  = j->run;
    const fgti_fighter_params p    = fgti_fighter_params_of(j->o);
    fgti_real                *dx   = j->o->norm ? j->dx : j->io->dx;
    const bool                ends = j->ends.propagate;
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
    const fgt_fighter_opts   *o = l->opts;
    const fgti_fighter_params p = fgti_fighter_params_of(o);
    fgti_fighter_pass         j;
    FGTI_TRY(fgti_fighter_open(&j, run, l, io, true));
    const int64_t first = o->hops > 1 ? 0 : j.split;
    if (j.is_short) {
        short_backward(&j);
        return FGT_OK;
    }
    backward_whole(&j, first);
    if (first < j.proj.n) fgti_projection_gradient(&j.proj, first);
    if (first < j.proj.n) fgti_fighter_scatter(&j, first);
    if (o->norm)
        fgti_norm_grad(run, j.rows, j.d, io->x, fgti_w(l, io, p.norm_w), j.mean, j.rstd, j.dx,
                       fgti_dw(l, io, p.norm_w), fgti_dw(l, io, p.norm_b), NULL);
    return FGT_OK;
}

static fgt_status fighter_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                    int64_t shape[4], fgti_real *a)
{
    fgti_fighter_pass j;
    FGTI_TRY(fgti_fighter_open(&j, run, l, io, false));
    shape[0] = j.chain.at.groups;
    shape[1] = j.chain.at.heads;
    shape[2] = shape[3] = io->in.time;
    if (a && j.is_short)
        short_matrices(&j, a);
    else if (a)
        fgti_chain_matrices(&j.chain, a, io);
    return FGT_OK;
}

const fgti_class fgti_class_fighter = {
    .name      = "fighter",
    .opts      = fighter_opts,
    .opts_size = sizeof(fgt_fighter_opts),
    .masks     = FGTI_MASKS_ALL,
    .plan      = fighter_plan,
    .shape     = fighter_shape,
    .size      = fgti_fighter_size,
    .forward   = fighter_forward,
    .backward  = fighter_backward,
    .adjacency = fighter_adjacency,
};
