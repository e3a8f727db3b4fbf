/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/mha.h"

/* ---- parameters ---- */

enum { IN_WEIGHT, IN_BIAS, OUT_WEIGHT, OUT_BIAS };

/* Number in the layer of one of the above. */
static int param_of(const fgti_mha *m, int which)
{
    return m->conf.param + (m->conf.no_bias ? which / 2 : which);
}

static const fgti_real *weight(const fgti_mha *m, int which)
{
    return fgti_w(m->l, m->io, param_of(m, which));
}

static fgti_real *gradient(const fgti_mha *m, int which)
{
    return fgti_dw(m->l, m->io, param_of(m, which));
}

static const fgti_real *bias(const fgti_mha *m, int which)
{
    return m->conf.no_bias ? NULL : weight(m, which);
}

static fgti_real *bias_gradient(const fgti_mha *m, int which)
{
    return m->conf.no_bias ? NULL : gradient(m, which);
}

fgt_status fgti_mha_plan(fgt_context *ctx, fgti_layer *l, int64_t heads, bool no_bias,
                         const char *const name[4])
{
    const int64_t d     = l->in.width;
    const double  range = fgti_fan_in(d);
    if (d % heads)
        return fgti_fail(&ctx->error, FGT_E_ARG, "%lld heads do not divide the width, %lld", (long long)heads,
                         (long long)d);
    FGTI_TRY(fgti_param_add(ctx, l, name[IN_WEIGHT], 2, (int64_t[]){3 * d, d}, FGTI_INIT_UNIFORM, range));
    if (!no_bias) FGTI_TRY(fgti_param_add(ctx, l, name[IN_BIAS], 1, (int64_t[]){3 * d}, FGTI_INIT_ZERO, 0));
    FGTI_TRY(fgti_param_add(ctx, l, name[OUT_WEIGHT], 2, (int64_t[]){d, d}, FGTI_INIT_UNIFORM, range));
    return no_bias ? FGT_OK : fgti_param_add(ctx, l, name[OUT_BIAS], 1, &d, FGTI_INIT_ZERO, 0);
}

/* ---- memory ---- */

static void set_sizes(fgti_mha *m, const fgti_mha_conf *conf, int64_t batch, fgti_shape in, int64_t tk)
{
    m->conf        = *conf;
    m->d           = in.width;
    m->rows        = fgti_rows(batch, in);
    m->memory_rows = fgti_mul(fgti_mul(batch, in.nodes), tk);
}

static fgti_mha_qkv place_qkv(const fgti_mha *m, fgti_real *base, int64_t *at)
{
    const bool   cross = m->conf.cross;
    fgti_mha_qkv p     = {.ldq = cross ? m->d : 3 * m->d, .ldkv = cross ? 2 * m->d : 3 * m->d};
    p.q                = fgti_take(base, at, fgti_mul(m->rows, p.ldq));
    p.k = cross ? fgti_take(base, at, fgti_mul(m->memory_rows, p.ldkv)) : base ? p.q + m->d : NULL;
    p.v = base ? p.k + m->d : NULL;
    return p;
}

/* two: a second copy of A is kept */
static int64_t place_cache(fgti_mha *m, int64_t tk, bool two, fgti_real *base)
{
    const int64_t a  = fgti_mul(fgti_mul(m->rows, tk), m->conf.heads);
    int64_t       at = 0;
    m->p             = place_qkv(m, base, &at);
    m->at.soft       = fgti_take(base, &at, a);
    m->at.a          = two ? fgti_take(base, &at, a) : m->at.soft;
    m->c             = fgti_take(base, &at, fgti_mul(m->rows, m->d));
    return at;
}

static int64_t place_scratch(fgti_mha *m, fgti_real *base)
{
    int64_t at = 0;
    m->dp      = place_qkv(m, base, &at);
    m->dc      = fgti_take(base, &at, fgti_mul(m->rows, m->d));
    return at;
}

void fgti_mha_size(const fgti_mha_conf *conf, int64_t batch, fgti_shape in, fgti_need *need)
{
    const int64_t tk = conf->cross ? conf->memory_time : in.time;
    fgti_mha      m  = {0};
    set_sizes(&m, conf, batch, in, tk);
    /* two copies of A: FGT_INPUT_DIAG_SCALE may come with any pass */
    need->cache += place_cache(&m, tk, true, NULL);
    need->scratch += place_scratch(&m, NULL);
    need->lane = fgti_mul(in.time, tk);
}

/* Number of keys in this pass, after a look at the memory. */
static fgt_status count_keys(const fgti_run *run, const fgti_mha_conf *conf, fgti_shape in, int64_t *tk)
{
    const fgt_view *m = run->input[FGT_INPUT_MEMORY];
    *tk               = in.time;
    if (!conf->cross) return FGT_OK;
    if (!m) return fgti_fail(run->error, FGT_E_STATE, "cross attention needs FGT_INPUT_MEMORY");
    FGTI_TRY(fgti_view_check(run->error, "the memory", m, FGTI_REAL, 3,
                             (int64_t[]){run->batch, -1, in.width}));
    *tk = m->shape[1];
    if (*tk < 1 || *tk > conf->memory_time)
        return fgti_fail(run->error, FGT_E_SHAPE, "the memory has %lld tokens, planned are 1 .. %lld",
                         (long long)*tk, (long long)conf->memory_time);
    return FGT_OK;
}

fgt_status fgti_mha_init(fgti_mha *m, const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                         const fgti_mha_conf *conf, fgti_real *cache, fgti_real *scratch)
{
    int64_t tk;
    *m = (fgti_mha){.run = run, .l = l, .io = io};
    FGTI_TRY(count_keys(run, conf, io->in, &tk));
    FGTI_TRY(fgti_attention_init(&m->at, run, l, &conf->attention, io->in.nodes, conf->heads, io->in.time, tk,
                                 io->in.width / conf->heads));
    set_sizes(m, conf, run->batch, io->in, tk);
    place_cache(m, tk, fgti_attention_two(&conf->attention) || m->at.diag_scale, cache);
    if (scratch) place_scratch(m, scratch);
    m->at.q   = m->p.q;
    m->at.k   = m->p.k;
    m->at.ldq = m->p.ldq;
    m->at.ldk = m->p.ldkv;
    return FGT_OK;
}

const fgti_real *fgti_mha_adjacency(const fgti_mha *m, int64_t shape[4])
{
    shape[0] = m->at.groups;
    shape[1] = m->at.heads;
    shape[2] = m->at.tq;
    shape[3] = m->at.tk;
    return m->at.a;
}

/* ---- passes ---- */

/* One head's columns of the rows of group g. */
static int64_t head_at(const fgti_mha *m, int64_t g, int64_t h, int64_t t, int64_t ld)
{
    return g * t * ld + h * m->at.dh;
}

static void forward_task(void *arg, int64_t gh, int32_t lane)
{
    const fgti_mha *m = arg;
    const int64_t   g = gh / m->at.heads, h = gh % m->at.heads;
    void           *scratch = fgti_lane_scratch(m->run->exec, lane);
    fgti_attention_forward(&m->at, scratch, g, h);
    fgti_gemm_run(m->run->blas, scratch,
                  &(fgti_gemm){.m     = m->at.tq,
                               .n     = m->at.dh,
                               .k     = m->at.tk,
                               .alpha = 1,
                               .a     = m->at.a + fgti_attention_block(&m->at, g, h),
                               .rsa   = m->at.tk,
                               .csa   = 1,
                               .b     = m->p.v + head_at(m, g, h, m->at.tk, m->p.ldkv),
                               .rsb   = m->p.ldkv,
                               .csb   = 1,
                               .c     = m->c + head_at(m, g, h, m->at.tq, m->d),
                               .ldc   = m->d});
}

/* Q,K,V = x Win' + bin;  A = softmax(Q K'/sqrt(dh) + masks);  c = A V;  y = c Wout' + bout */
void fgti_mha_forward(const fgti_mha *m, const fgti_real *x, fgti_real *y)
{
    const int64_t    d = m->d;
    const fgti_real *w = weight(m, IN_WEIGHT), *b = bias(m, IN_BIAS);
    fgti_affine(m->run, m->rows, d, m->p.ldq, x, w, b, m->p.q, m->p.ldq);
    if (m->conf.cross)
        fgti_affine(m->run, m->memory_rows, d, 2 * d, m->run->input[FGT_INPUT_MEMORY]->data, w + d * d,
                    b ? b + d : NULL, m->p.k, 2 * d);
    fgti_parallel(m->run->exec, m->at.groups * m->at.heads, forward_task, (void *)m);
    fgti_affine(m->run, m->rows, d, d, m->c, weight(m, OUT_WEIGHT), bias(m, OUT_BIAS), y, d);
}

/* dA = dc V',  dV = A'dc,  then dQ, dK */
static void backward_task(void *arg, int64_t gh, int32_t lane)
{
    const fgti_mha  *m = arg;
    const int64_t    g = gh / m->at.heads, h = gh % m->at.heads;
    const int64_t    tq = m->at.tq, tk = m->at.tk, ld = m->p.ldkv;
    void            *scratch = fgti_lane_scratch(m->run->exec, lane);
    fgti_real       *da      = m->io->lane + lane * m->io->lane_stride;
    const fgti_real *dc      = m->dc + head_at(m, g, h, tq, m->d);
    fgti_gemm_run(m->run->blas, scratch,
                  &(fgti_gemm){.m     = tq,
                               .n     = tk,
                               .k     = m->at.dh,
                               .alpha = 1,
                               .a     = dc,
                               .rsa   = m->d,
                               .csa   = 1,
                               .b     = m->p.v + head_at(m, g, h, tk, ld),
                               .rsb   = 1,
                               .csb   = ld,
                               .c     = da,
                               .ldc   = tk});
    fgti_gemm_run(m->run->blas, scratch,
                  &(fgti_gemm){.m     = tk,
                               .n     = m->at.dh,
                               .k     = tq,
                               .alpha = 1,
                               .a     = m->at.a + fgti_attention_block(&m->at, g, h),
                               .rsa   = 1,
                               .csa   = tk,
                               .b     = dc,
                               .rsb   = m->d,
                               .csb   = 1,
                               .c     = m->dp.v + head_at(m, g, h, tk, ld),
                               .ldc   = ld});
    fgti_attention_backward(&m->at, scratch, g, h, da, m->dp.q, m->dp.k);
}

/* dWout += dy'c, dc = dy Wout;  the task above;  dWin += dQKV'x, dx = dQKV Win */
void fgti_mha_backward(const fgti_mha *m, const fgti_real *x, const fgti_real *dy, fgti_real *dx)
{
    const int64_t    d  = m->d;
    const fgti_real *w  = weight(m, IN_WEIGHT);
    fgti_real       *dw = gradient(m, IN_WEIGHT), *db = bias_gradient(m, IN_BIAS);
    const fgt_view  *dm = m->run->input_gradient[FGT_INPUT_MEMORY];
    fgti_affine_grad(m->run, m->rows, d, d, m->c, weight(m, OUT_WEIGHT), dy, d, gradient(m, OUT_WEIGHT),
                     bias_gradient(m, OUT_BIAS), m->dc, false);
    fgti_parallel(m->run->exec, m->at.groups * m->at.heads, backward_task, (void *)m);
    fgti_affine_grad(m->run, m->rows, d, m->p.ldq, x, w, m->dp.q, m->p.ldq, dw, db, dx, false);
    if (m->conf.cross)
        fgti_affine_grad(m->run, m->memory_rows, d, 2 * d, m->run->input[FGT_INPUT_MEMORY]->data, w + d * d,
                         m->dp.k, 2 * d, dw + d * d, db ? db + d : NULL, dm ? dm->data : NULL, false);
}
