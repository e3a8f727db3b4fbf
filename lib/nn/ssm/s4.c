/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "core/fft.h"
#include "nn/affine.h"
#include "nn/kept.h"
#include "nn/rows.h"
#include "nn/ssm/hippo.h"
#include "nn/ssm/s4_param.h"
#include "nn/ssm/ssm.h"
#include "nn/ssm/ssm_coef.h"
#include "nn/ssm/ssm_fft.h"
#include "nn/ssm/ssm_pass.h"

enum { BLOCKS = 3, KINDS = 3, INITS = 4, DISCS = 3, WAYS = 4 }; /* numbers of enumerators */
_Static_assert(FGT_S4_BLOCK_MINIMAL == BLOCKS - 1 && FGT_S4_DIAGONAL == KINDS - 1 &&
                   FGT_S4_INIT_INV == INITS - 1 && FGT_S4_DISC_BILINEAR == DISCS - 1 &&
                   FGT_S4_WAY_RECURRENCE == WAYS - 1,
               "counts of enumerators");

static const fgti_opt s4_opts[] = {
    /* the limit is there because initial values for more states would take minutes */
    FGTI_FIELD(fgt_s4_opts, state, I64, 2, 4096, 64),
    FGTI_FIELD(fgt_s4_opts, block, ENUM, 0, BLOCKS - 1, 0),
    FGTI_FIELD(fgt_s4_opts, kind, ENUM, 0, KINDS - 1, 0),
    FGTI_FIELD(fgt_s4_opts, init, ENUM, 0, INITS - 1, 0),
    FGTI_FIELD(fgt_s4_opts, disc, ENUM, 0, DISCS - 1, 0),
    FGTI_FIELD(fgt_s4_opts, bidirectional, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_s4_opts, way, ENUM, 0, WAYS - 1, 0),
    FGTI_FIELD(fgt_s4_opts, dt_min, F32, 1e-9, 1e9, 0.001),
    FGTI_FIELD(fgt_s4_opts, dt_max, F32, 1e-9, 1e9, 0.1),
    FGTI_FIELD(fgt_s4_opts, dropout, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_s4_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

/* ---- plan ---- */

static fgt_status s4_check_opts(fgt_context *ctx, fgt_s4_opts *o)
{
    fgti_error *err     = &ctx->error;
    const bool  minimal = o->block == FGT_S4_BLOCK_MINIMAL;
    if (o->kind == FGT_S4_KIND_DEFAULT) o->kind = minimal ? FGT_S4_DIAGONAL : FGT_S4_DPLR;
    const bool dplr = o->kind == FGT_S4_DPLR;
    if (o->init == FGT_S4_INIT_DEFAULT) o->init = dplr ? FGT_S4_INIT_LEGS : FGT_S4_INIT_LIN;
    if (o->disc == FGT_S4_DISC_DEFAULT) o->disc = dplr ? FGT_S4_DISC_BILINEAR : FGT_S4_DISC_ZOH;
    if (o->state % 2)
        return fgti_fail(err, FGT_E_ARG, "state is wrong (got %lld, need an even number)",
                         (long long)o->state);
    if (o->dt_min > o->dt_max)
        return fgti_fail(err, FGT_E_ARG, "dt_min (%g) is above dt_max (%g)", (double)o->dt_min,
                         (double)o->dt_max);
    if (dplr && (minimal || o->init != FGT_S4_INIT_LEGS || o->disc != FGT_S4_DISC_BILINEAR))
        return fgti_fail(err, FGT_E_ARG,
                         "FGT_S4_DPLR needs FGT_S4_INIT_LEGS, FGT_S4_DISC_BILINEAR and another block than "
                         "FGT_S4_BLOCK_MINIMAL");
    if (minimal && o->bidirectional)
        return fgti_fail(err, FGT_E_ARG, "FGT_S4_BLOCK_MINIMAL cannot be bidirectional");
    return FGT_OK;
}

/* Returns the bytes of the FFT plans for sequences of any length up to the planned length; 0 if there is no
 * FFT of the planned length. */
static int64_t fft_bytes(const fgti_layer *l)
{
    return fgti_fft_plan_bytes(fgti_ssm_fft_size(l->in.time));
}

/* Whether a pass of any length may choose the FFT. The test is for training, which gains more from the FFT
 * than a prediction. It tries powers of two and the full length. This is enough, because of all lengths with
 * the same size of transform the longest length gains most. */
static bool wants_fft(const fgti_layer *l)
{
    const fgt_s4_opts *o       = l->opts;
    const fgti_ssm     m       = fgti_s4_model(l, NULL);
    const int64_t      samples = INT64_C(1) << 40; /* upper bound of the number of samples */
    if (!fft_bytes(l)) return false;
    if (o->way != FGT_S4_WAY_AUTO) return o->way == FGT_S4_WAY_FFT;
    for (int64_t t = 1; t < l->in.time; t *= 2)
        if (fgti_ssm_choose(&m, samples, t, true, true) == FGTI_SSM_FFT) return true;
    return fgti_ssm_choose(&m, samples, l->in.time, true, true) == FGTI_SSM_FFT;
}

/* Returns the offset of the FFT plans in the layer's table. Before them are a flag that says whether there
 * are plans, and omega and P of HiPPO. */
static int64_t plans_at(const fgti_layer *l)
{
    const fgt_s4_opts *o  = l->opts;
    int64_t            at = FGTI_ALIGN / sizeof(fgti_real);
    fgti_take(NULL, &at, fgti_doubles(o->state));
    return at;
}

static bool has_fft(const fgti_layer *l)
{
    return l->table[0] == 1;
}

static fgt_status make_table(fgt_context *ctx, fgti_layer *l)
{
    const fgt_s4_opts *o     = l->opts;
    const bool         fft   = wants_fft(l);
    const int64_t      bytes = fft ? fft_bytes(l) : 0, at = plans_at(l);
    FGTI_TRY(FGTI_NEW(ctx, at + bytes / (int64_t)sizeof *l->table, "tables", &l->table));
    l->table[0]         = fft;
    double *const hippo = fgti_s4_hippo(l);
    if (o->init == FGT_S4_INIT_LEGS) fgti_hippo_legs(o->state / 2, hippo, hippo + o->state / 2);
    if (fft) fgti_fft_plan(fgti_ssm_fft_size(l->in.time), l->table + at);
    return FGT_OK;
}

static fgt_status s4_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_s4_opts *o = l->opts;
    FGTI_TRY(s4_check_opts(ctx, o));
    if (o->way == FGT_S4_WAY_FFT && !fgti_fft_plan_bytes(2))
        return fgti_fail(&ctx->error, FGT_E_UNSUPPORTED,
                         "FGT_S4_WAY_FFT needs a library that was built with kissfft");
    if (o->way == FGT_S4_WAY_FFT && !fft_bytes(l))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "%lld steps are too many for an FFT in float",
                         (long long)l->in.time);
    FGTI_TRY(fgti_s4_params(ctx, l));
    FGTI_TRY(make_table(ctx, l));
    l->both_ways = o->bidirectional;
    if (!o->bidirectional)
        fgti_state_add(l, "state", 1, fgti_mul(fgti_mul(l->in.nodes, o->state), l->in.width));
    return FGT_OK;
}

/* ---- memory ---- */

/* The cache. v = conv(x) + D x, g = dropout(gelu(v)), u = g W' + b; if the layer has no block, the output is
 * v. */
typedef struct s4_cache {
    fgti_real *v, *g, *u, *conv;
} s4_cache;

static int64_t s4_place_cache(const fgti_layer *l, int64_t rows, fgti_real *base, s4_cache *c)
{
    const fgt_s4_opts *o  = l->opts;
    const int64_t      n  = fgti_mul(rows, l->in.width);
    int64_t            at = 0;
    *c                    = (s4_cache){0};
    if (o->block != FGT_S4_BLOCK_NONE) {
        c->v = fgti_take(base, &at, n);
        c->g = fgti_take(base, &at, n);
        c->u = fgti_take(base, &at, fgti_mul(2, n));
    }
    c->conv = base ? base + at : NULL;
    return at;
}

typedef struct s4_scratch {
    fgti_real *du, *dv, *conv;
} s4_scratch;

static int64_t s4_place_scratch(const fgti_layer *l, int64_t rows, fgti_real *base, s4_scratch *s)
{
    const fgt_s4_opts *o  = l->opts;
    const int64_t      n  = fgti_mul(rows, l->in.width);
    int64_t            at = 0;
    *s                    = (s4_scratch){0};
    if (o->block != FGT_S4_BLOCK_NONE) {
        s->du = fgti_take(base, &at, fgti_mul(2, n));
        s->dv = fgti_take(base, &at, n);
    }
    s->conv = base ? base + at : NULL;
    return at;
}

/* The coefficients, which are valid until the weights change. They are kept, because to compute them takes
 * most of the time of a streaming step. */
typedef struct s4_keep {
    fgti_kept kept;
    double   *coef;
} s4_keep;

static int64_t s4_place_keep(const fgti_layer *l, fgti_real *base, s4_keep *k)
{
    const fgti_ssm m      = fgti_s4_model(l, NULL);
    const int64_t  blocks = fgti_mul(m.directions, fgti_ssm_blocks(&m));
    int64_t        at     = 0;
    k->kept               = fgti_kept_take(base, &at);
    k->coef = fgti_take_doubles(base, &at, fgti_mul(blocks, fgti_scan_coefficients(m.pairs, m.low_rank)));
    return at;
}

static void s4_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_s4_opts *o    = l->opts;
    const fgti_ssm     m    = fgti_s4_model(l, NULL);
    const int64_t      rows = fgti_rows(batch, in);
    s4_cache           c;
    s4_scratch         s;
    s4_keep            k;
    need->cache    = s4_place_cache(l, rows, NULL, &c);
    need->backward = s4_place_scratch(l, rows, NULL, &s);
    need->keep     = s4_place_keep(l, NULL, &k);
    fgti_ssm_size(&m, fgti_mul(batch, in.nodes), in.time, (fgti_ssm_way)o->way, has_fft(l), need);
}

/* ---- passes ---- */

typedef struct coefs {
    const fgti_ssm *m;
    double         *coef;
} coefs;

static void coef_task(void *arg, int64_t task, int32_t worker)
{
    const coefs  *p      = arg;
    const int64_t blocks = fgti_ssm_blocks(p->m);
    (void)worker;
    fgti_ssm_coef(p->m, task / blocks, task % blocks,
                  p->coef + task * fgti_scan_coefficients(p->m->pairs, p->m->low_rank));
}

/* Returns the coefficients: computes them if the weights have changed, otherwise takes the kept ones. */
static const double *s4_coefficients(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                     const fgti_ssm *m)
{
    s4_keep k;
    s4_place_keep(l, io->keep, &k);
    if (fgti_kept_is_stale(&k.kept, run)) {
        fgti_parallel(run->exec, m->directions * fgti_ssm_blocks(m), coef_task, &(coefs){m, k.coef});
        fgti_kept_set_fresh(&k.kept, run);
    }
    return k.coef;
}

static void s4_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    const fgti_ssm m = fgti_s4_model(l, io->weights);
    (void)unread;
    s4_coefficients(run, l, io, &m);
}

static fgti_ssm_pass s4_pass_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_s4_opts *o = l->opts;
    fgti_ssm_pass      p = {.run     = run,
                            .m       = fgti_s4_model(l, io->weights),
                            .way     = (fgti_ssm_way)o->way,
                            .samples = run->batch * io->in.nodes,
                            .time    = io->in.time,
                            .fft     = has_fft(l) ? l->table + plans_at(l) : NULL,
                            .x       = io->x,
                            .io      = io};
    p.coef               = s4_coefficients(run, l, io, &p.m);
    if (p.way == FGTI_SSM_AUTO)
        p.way = fgti_ssm_choose(&p.m, p.samples, p.time, run->differentiable, has_fft(l));
    if (run->states && l->states) {
        p.way    = FGTI_SSM_RECURRENCE;
        p.start  = io->state[0];
        p.end    = io->state_end[0];
        p.dstart = io->dstate[0];
    }
    return p;
}

static fgti_tail s4_tail_of(const fgti_run *run, const fgti_layer *l)
{
    const fgt_s4_opts *o = l->opts;
    return fgti_tail_of(run, l, FGT_ACT_GELU, o->dropout, FGTI_DRAW_OUTPUT);
}

/* v = K * x + D x. Then y = v, or with a block g = dropout(gelu(v)), [u_1 u_2] = g W' + b, y = u_1
 * sigmoid(u_2) */
static fgt_status s4_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_s4_opts *o    = l->opts;
    const int64_t      rows = fgti_rows(run->batch, io->in), d = io->in.width;
    const fgti_tail    tail = s4_tail_of(run, l);
    fgti_ssm_pass      p    = s4_pass_of(run, l, io);
    s4_cache           c;
    s4_place_cache(l, rows, io->cache, &c);
    p.cache = c.conv;
    p.y     = o->block == FGT_S4_BLOCK_NONE ? io->y : c.v;
    fgti_ssm_forward(&p);
    if (o->block == FGT_S4_BLOCK_NONE) return FGT_OK;
    fgti_tail_forward(run, &tail, rows * d, c.v, NULL, c.g);
    fgti_affine(run, rows, d, 2 * d, c.g, fgti_w(l, io, fgti_s4_number(l, FGTI_S4_WEIGHT)),
                fgti_w(l, io, fgti_s4_number(l, FGTI_S4_BIAS)), c.u, 2 * d);
    fgti_glu(run, rows, d, c.u, io->y);
    return FGT_OK;
}

/* The adjoints of the equations of s4_forward(), in reverse order. */
static fgt_status s4_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_s4_opts  *o    = l->opts;
    const int64_t       rows = fgti_rows(run->batch, io->in), d = io->in.width;
    const fgti_tail     tail = s4_tail_of(run, l);
    const fgti_ssm_grad g    = fgti_s4_gradients(l, io->gradients);
    fgti_ssm_pass       p    = s4_pass_of(run, l, io);
    s4_cache            c;
    s4_scratch          s;
    s4_place_cache(l, rows, io->cache, &c);
    s4_place_scratch(l, rows, io->scratch, &s);
    if (o->block != FGT_S4_BLOCK_NONE) {
        const int weight = fgti_s4_number(l, FGTI_S4_WEIGHT), bias = fgti_s4_number(l, FGTI_S4_BIAS);
        fgti_glu_grad(run, rows, d, c.u, io->dy, s.du);
        fgti_affine_grad(run, rows, d, 2 * d, c.g, fgti_w(l, io, weight), s.du, 2 * d, fgti_dw(l, io, weight),
                         fgti_dw(l, io, bias), s.dv, false);
        fgti_tail_backward(run, &tail, rows * d, c.v, s.dv, s.dv);
    }
    if (l->states && !run->states)
        memset(io->dstate[0], 0, (size_t)(l->state[0].inner * run->batch) * sizeof *io->dstate[0]);
    p.dy      = o->block == FGT_S4_BLOCK_NONE ? io->dy : s.dv;
    p.dx      = io->dx;
    p.cache   = c.conv;
    p.scratch = s.conv;
    fgti_ssm_backward(&p, &g);
    return FGT_OK;
}

/* Counts only the products of matrices, not the convolution. */
static double s4_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    (void)l;
    (void)batch;
    (void)in;
    return -1;
}

const fgti_class fgti_class_s4 = {
    .name      = "s4",
    .opts      = s4_opts,
    .opts_size = sizeof(fgt_s4_opts),
    .streams   = true,
    .plan      = s4_plan,
    .flops     = s4_flops,
    .init      = fgti_s4_init,
    .size      = s4_size,
    .forward   = s4_forward,
    .backward  = s4_backward,
    .prepare   = s4_prepare,
};
