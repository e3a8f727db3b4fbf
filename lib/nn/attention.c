/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention_core.h"

enum { IN_WEIGHT, OUT_WEIGHT, IN_BIAS, OUT_BIAS };

static const fgti_opt attention_opts[] = {
    {"heads", offsetof(fgt_attention_opts, heads), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"memory_time", offsetof(fgt_attention_opts, memory_time), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"no_bias", offsetof(fgt_attention_opts, no_bias), FGTI_OPT_BOOL, 0, 1, 0},
    {"cross", offsetof(fgt_attention_opts, cross), FGTI_OPT_BOOL, 0, 1, 0},
    {"causal", offsetof(fgt_attention_opts, causal), FGTI_OPT_BOOL, 0, 1, 0},
    {"diag_mask", offsetof(fgt_attention_opts, diag_mask), FGTI_OPT_BOOL, 0, 1, 0},
    {"diag_penalty", offsetof(fgt_attention_opts, diag_penalty), FGTI_OPT_F32, -1e30, 1e30, 0},
    {"diag_dropout", offsetof(fgt_attention_opts, diag_dropout), FGTI_OPT_F32, 0, 0.999, 0},
    {"diag_when", offsetof(fgt_attention_opts, diag_when), FGTI_OPT_ENUM, 0, FGT_DIAG_AFTER_SCALED, 0},
    {"attn_dropout", offsetof(fgt_attention_opts, attn_dropout), FGTI_OPT_F32, 0, 0.999, 0},
    {0},
};

static fgt_status attention_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_attention_opts *o = l->opts;
    const int64_t       d = l->in.width;
    if (d % o->heads)
        return fgti_fail(&ctx->error, FGT_E_ARG, "%lld heads do not divide the width, %lld",
                         (long long)o->heads, (long long)d);
    if (o->cross && l->in.nodes > 1)
        return fgti_fail(&ctx->error, FGT_E_SHAPE, "cross attention takes one node, the input has %lld",
                         (long long)l->in.nodes);
    if (!o->memory_time) o->memory_time = l->in.time;
    const double range = fgti_fan_in(d);
    FGTI_TRY(fgti_param_add(ctx, l, "in_proj_weight", 2, (int64_t[]){3 * d, d}, FGTI_INIT_UNIFORM, range));
    FGTI_TRY(fgti_param_add(ctx, l, "out_proj.weight", 2, (int64_t[]){d, d}, FGTI_INIT_UNIFORM, range));
    if (o->no_bias) return FGT_OK;
    FGTI_TRY(fgti_param_add(ctx, l, "in_proj_bias", 1, (int64_t[]){3 * d}, FGTI_INIT_ZERO, 0));
    return fgti_param_add(ctx, l, "out_proj.bias", 1, &d, FGTI_INIT_ZERO, 0);
}

/* Sizes of one pass: R query rows, M rows of keys and values. */
typedef struct sizes {
    int64_t groups, heads, d, tq, tk, rows, memory_rows;
    bool    cross, two;
} sizes;

static fgti_attention_conf conf_of(const fgt_attention_opts *o)
{
    return (fgti_attention_conf){.causal       = o->causal,
                                 .diag_mask    = o->diag_mask,
                                 .diag_penalty = o->diag_penalty,
                                 .diag_dropout = o->diag_dropout,
                                 .diag_when    = o->diag_when,
                                 .attn_dropout = o->attn_dropout};
}

static sizes sizes_of(const fgti_layer *l, int64_t batch, fgti_shape in, int64_t tk, bool two)
{
    const fgt_attention_opts *o      = l->opts;
    const int64_t             groups = fgti_mul(batch, in.nodes);
    return (sizes){.groups      = groups,
                   .heads       = o->heads,
                   .d           = in.width,
                   .tq          = in.time,
                   .tk          = tk,
                   .rows        = fgti_mul(groups, in.time),
                   .memory_rows = fgti_mul(groups, tk),
                   .cross       = o->cross,
                   .two         = two};
}

/* Q, K and V of a pass. Self: one matrix [R,3D]. Cross: [R,D] and [M,2D]. */
typedef struct projections {
    fgti_real *q, *k, *v;
    int64_t    ldq, ldkv;
} projections;

static projections place_projections(const sizes *s, fgti_real *base, int64_t *at)
{
    projections p = {.ldq = s->cross ? s->d : 3 * s->d, .ldkv = s->cross ? 2 * s->d : 3 * s->d};
    p.q           = fgti_take(base, at, fgti_mul(s->rows, p.ldq));
    p.k = s->cross ? fgti_take(base, at, fgti_mul(s->memory_rows, p.ldkv)) : base ? p.q + s->d : NULL;
    p.v = base ? p.k + s->d : NULL;
    return p;
}

typedef struct job {
    const fgti_run *run;
    const fgti_io  *io;
    sizes           s;
    fgti_attention  at;
    projections     p, dp;
    fgti_real      *c, *dc; /* what the heads read [R,D], and its gradient */
} job;

static int64_t place_cache(const sizes *s, fgti_real *base, job *j)
{
    const int64_t a  = fgti_mul(fgti_mul(s->rows, s->tk), s->heads);
    int64_t       at = 0;
    j->p             = place_projections(s, base, &at);
    j->at.soft       = fgti_take(base, &at, a);
    j->at.a          = s->two ? fgti_take(base, &at, a) : j->at.soft;
    j->c             = fgti_take(base, &at, fgti_mul(s->rows, s->d));
    return at;
}

static int64_t place_scratch(const sizes *s, fgti_real *base, job *j)
{
    int64_t at = 0;
    j->dp      = place_projections(s, base, &at);
    j->dc      = fgti_take(base, &at, fgti_mul(s->rows, s->d));
    return at;
}

static void attention_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_attention_opts *o = l->opts;
    /* two copies of A: FGT_INPUT_DIAG_SCALE may come with any pass */
    const sizes s = sizes_of(l, batch, in, o->cross ? o->memory_time : in.time, true);
    job         j;
    need->cache   = place_cache(&s, NULL, &j);
    need->scratch = place_scratch(&s, NULL, &j);
    need->lane    = fgti_mul(s.tq, s.tk);
}

/* Number of keys in this pass, after a look at the memory. */
static fgt_status count_keys(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t *tk)
{
    const fgt_attention_opts *o = l->opts;
    const fgt_view           *m = run->input[FGT_INPUT_MEMORY];
    *tk                         = io->in.time;
    if (!o->cross) return FGT_OK;
    if (!m) return fgti_fail(run->error, FGT_E_STATE, "cross attention needs FGT_INPUT_MEMORY");
    FGTI_TRY(fgti_view_check(run->error, "the memory", m, FGTI_REAL, 3,
                             (int64_t[]){run->batch, -1, io->in.width}));
    *tk = m->shape[1];
    if (*tk < 1 || *tk > o->memory_time)
        return fgti_fail(run->error, FGT_E_SHAPE, "the memory has %lld tokens, planned are 1 .. %lld",
                         (long long)*tk, (long long)o->memory_time);
    return FGT_OK;
}

static fgt_status job_init(job *j, const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    const fgt_attention_opts *o    = l->opts;
    const fgti_attention_conf conf = conf_of(o);
    int64_t                   tk;
    *j = (job){.run = run, .io = io};
    FGTI_TRY(count_keys(run, l, io, &tk));
    FGTI_TRY(fgti_attention_init(&j->at, run, l, &conf, io->in.nodes, o->heads, io->in.time, tk,
                                 io->in.width / o->heads));
    j->s = sizes_of(l, run->batch, io->in, tk, fgti_attention_two(&conf) || j->at.diag_scale);
    place_cache(&j->s, io->cache, j);
    if (backward) place_scratch(&j->s, io->scratch, j);
    j->at.q   = j->p.q;
    j->at.k   = j->p.k;
    j->at.ldq = j->p.ldq;
    j->at.ldk = j->p.ldkv;
    return FGT_OK;
}

/* One head's columns of the rows of group g. */
static int64_t head_at(const job *j, int64_t g, int64_t h, int64_t t, int64_t ld)
{
    return g * t * ld + h * j->at.dh;
}

static void forward_task(void *arg, int64_t gh, int32_t lane)
{
    const job    *j = arg;
    const int64_t g = gh / j->at.heads, h = gh % j->at.heads;
    void         *scratch = fgti_lane_scratch(j->run->exec, lane);
    fgti_attention_forward(&j->at, scratch, g, h);
    fgti_gemm_run(j->run->blas, scratch,
                  &(fgti_gemm){.m     = j->at.tq,
                               .n     = j->at.dh,
                               .k     = j->at.tk,
                               .alpha = 1,
                               .a     = j->at.a + fgti_attention_block(&j->at, g, h),
                               .rsa   = j->at.tk,
                               .csa   = 1,
                               .b     = j->p.v + head_at(j, g, h, j->at.tk, j->p.ldkv),
                               .rsb   = j->p.ldkv,
                               .csb   = 1,
                               .c     = j->c + head_at(j, g, h, j->at.tq, j->s.d),
                               .ldc   = j->s.d});
}

/* Q,K,V = x Win' + b;  A = softmax(Q K'/sqrt(dh) + masks);  c = A V;  y = c Wout' + b */
static fgt_status attention_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    job j;
    FGTI_TRY(job_init(&j, run, l, io, false));
    const int64_t    d = j.s.d;
    const fgti_real *w = fgti_w(l, io, IN_WEIGHT), *b = l->params > IN_BIAS ? fgti_w(l, io, IN_BIAS) : NULL;
    fgti_affine(run, j.s.rows, d, j.p.ldq, io->x, w, b, j.p.q, j.p.ldq);
    if (j.s.cross)
        fgti_affine(run, j.s.memory_rows, d, 2 * d, run->input[FGT_INPUT_MEMORY]->data, w + d * d,
                    b ? b + d : NULL, j.p.k, 2 * d);
    fgti_parallel(run->exec, j.s.groups * j.s.heads, forward_task, &j);
    fgti_affine(run, j.s.rows, d, d, j.c, fgti_w(l, io, OUT_WEIGHT),
                l->params > OUT_BIAS ? fgti_w(l, io, OUT_BIAS) : NULL, io->y, d);
    return FGT_OK;
}

/* dA = dc V',  dV = A'dc,  then dQ, dK */
static void backward_task(void *arg, int64_t gh, int32_t lane)
{
    const job       *j = arg;
    const int64_t    g = gh / j->at.heads, h = gh % j->at.heads, tq = j->at.tq, tk = j->at.tk, ld = j->p.ldkv;
    void            *scratch = fgti_lane_scratch(j->run->exec, lane);
    fgti_real       *da      = j->io->lane + lane * j->io->lane_stride;
    const fgti_real *dc      = j->dc + head_at(j, g, h, tq, j->s.d);
    fgti_gemm_run(j->run->blas, scratch,
                  &(fgti_gemm){.m     = tq,
                               .n     = tk,
                               .k     = j->at.dh,
                               .alpha = 1,
                               .a     = dc,
                               .rsa   = j->s.d,
                               .csa   = 1,
                               .b     = j->p.v + head_at(j, g, h, tk, ld),
                               .rsb   = 1,
                               .csb   = ld,
                               .c     = da,
                               .ldc   = tk});
    fgti_gemm_run(j->run->blas, scratch,
                  &(fgti_gemm){.m     = tk,
                               .n     = j->at.dh,
                               .k     = tq,
                               .alpha = 1,
                               .a     = j->at.a + fgti_attention_block(&j->at, g, h),
                               .rsa   = 1,
                               .csa   = tk,
                               .b     = dc,
                               .rsb   = j->s.d,
                               .csb   = 1,
                               .c     = j->dp.v + head_at(j, g, h, tk, ld),
                               .ldc   = ld});
    fgti_attention_backward(&j->at, scratch, g, h, da, j->dp.q, j->dp.k);
}

static fgt_status attention_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    job j;
    FGTI_TRY(job_init(&j, run, l, io, true));
    const int64_t    d = j.s.d;
    const fgti_real *w = fgti_w(l, io, IN_WEIGHT);
    fgti_real *dw = fgti_dw(l, io, IN_WEIGHT), *db = l->params > IN_BIAS ? fgti_dw(l, io, IN_BIAS) : NULL;
    const fgt_view *dm = run->input_gradient[FGT_INPUT_MEMORY];
    fgti_affine_grad(run, j.s.rows, d, d, j.c, fgti_w(l, io, OUT_WEIGHT), io->dy, d,
                     fgti_dw(l, io, OUT_WEIGHT), l->params > OUT_BIAS ? fgti_dw(l, io, OUT_BIAS) : NULL, j.dc,
                     false);
    fgti_parallel(run->exec, j.s.groups * j.s.heads, backward_task, &j);
    fgti_affine_grad(run, j.s.rows, d, j.p.ldq, io->x, w, j.dp.q, j.p.ldq, dw, db, io->dx, false);
    if (j.s.cross)
        fgti_affine_grad(run, j.s.memory_rows, d, 2 * d, run->input[FGT_INPUT_MEMORY]->data, w + d * d,
                         j.dp.k, 2 * d, dw + d * d, db ? db + d : NULL, dm ? dm->data : NULL, false);
    return FGT_OK;
}

static const fgti_real *attention_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                            int64_t shape[4])
{
    job j;
    if (job_init(&j, run, l, io, false) != FGT_OK) return NULL;
    shape[0] = j.s.groups;
    shape[1] = j.s.heads;
    shape[2] = j.s.tq;
    shape[3] = j.s.tk;
    return j.at.a;
}

const fgti_class fgti_class_attention = {
    .name      = "attention",
    .opts      = attention_opts,
    .opts_size = sizeof(fgt_attention_opts),
    .plan      = attention_plan,
    .size      = attention_size,
    .forward   = attention_forward,
    .backward  = attention_backward,
    .adjacency = attention_adjacency,
};
