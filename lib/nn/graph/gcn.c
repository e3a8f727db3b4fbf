/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sparse.h"
#include "nn/affine.h"
#include "nn/graph/multihop.h"
#include "nn/rows.h"

enum { WEIGHT, BIAS };

static const fgti_opt gcn_opts[] = {
    FGTI_FIELD(fgt_gcn_opts, graph, GRAPH, 0, 0, 0),
    FGTI_FIELD(fgt_gcn_opts, out, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_gcn_opts, hops, I64, 0, 64, 0),
    FGTI_FIELD(fgt_gcn_opts, act, ENUM, 0, FGTI_ACT_COUNT - 1, FGT_ACT_RELU),
    FGTI_FIELD(fgt_gcn_opts, plain, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gcn_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gcn_opts, residual, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gcn_opts, dropout, F32, 0, 0.999, 0),
    {0},
};

/* The products with A are applied to the narrower rows. With equal widths the plain form, which has one W for
 * all of them, begins with the inputs, which are there already. */
static fgti_route choose_route(const fgti_layer *l)
{
    const fgt_gcn_opts *o     = l->opts;
    const bool          dense = l->graph->dense != NULL;
    if (o->plain ? l->in.width <= o->out : fgti_multihop_prefers_inputs(1, l->in.width, o->out))
        return dense ? FGTI_ROUTE_GCN_INPUTS_DENSE : FGTI_ROUTE_GCN_INPUTS_EDGES;
    return dense ? FGTI_ROUTE_GCN_OUTPUTS_DENSE : FGTI_ROUTE_GCN_OUTPUTS_EDGES;
}

static bool over_inputs(const fgti_layer *l)
{
    return l->route == FGTI_ROUTE_GCN_INPUTS_DENSE || l->route == FGTI_ROUTE_GCN_INPUTS_EDGES;
}

static fgt_status gcn_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_gcn_opts *o = l->opts;
    const int64_t d = l->in.width;
    if (!o->graph) return fgti_fail(&ctx->error, FGT_E_ARG, "graph must be given");
    if (o->graph->n != l->in.time)
        return fgti_fail(&ctx->error, FGT_E_SHAPE, "the graph has %lld nodes, the input %lld tokens",
                         (long long)o->graph->n, (long long)l->in.time);
    if (!o->out) o->out = d;
    if (!o->hops) o->hops = o->plain ? 1 : 3;
    if (l->shares)
        l->graph = l->shares->graph;
    else
        FGTI_TRY(fgti_graph_copy(ctx, o->graph, &l->graph));
    o->graph     = l->graph;
    l->out.width = o->out;
    l->route     = choose_route(l);
    if (o->plain)
        FGTI_TRY(
            fgti_param_add(ctx, l, "weight", 2, (int64_t[]){d, o->out}, FGTI_INIT_UNIFORM, fgti_fan_in(d)));
    else
        FGTI_TRY(fgti_param_add(ctx, l, "hop_weight", 3, (int64_t[]){o->hops, d, o->out}, FGTI_INIT_UNIFORM,
                                fgti_fan_in(d)));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_ZERO, 0);
}

static fgt_status gcn_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    if (in.time == l->graph->n) return fgti_shape_width(err, l, in, out);
    return fgti_fail(err, FGT_E_SHAPE, "the graph has %lld nodes, the input %lld tokens",
                     (long long)l->graph->n, (long long)in.time);
}

static fgti_multihop sum_of(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_gcn_opts *o = l->opts;
    return (fgti_multihop){.groups      = fgti_mul(batch, in.nodes),
                           .tokens      = in.time,
                           .d           = in.width,
                           .h           = o->out,
                           .heads       = 1,
                           .kappa       = o->hops,
                           .over_inputs = over_inputs(l),
                           .graph       = l->graph};
}

static fgti_multihop sum_of_pass(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_multihop m = sum_of(l, run->batch, io->in);
    m.run           = run;
    m.x             = io->x;
    m.w             = fgti_w(l, io, WEIGHT);
    return m;
}

static void gcn_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_gcn_opts *o    = l->opts;
    const int64_t       rows = fgti_rows(batch, in), d = in.width;
    fgti_multihop       m = sum_of(l, batch, in);
    if (!o->plain) {
        fgti_multihop_place(&m, rows, NULL, &need->cache);
        fgti_multihop_place_gradients(&m, rows, NULL, &need->scratch);
        return;
    }
    /* u, and the last product with x that W is applied to; their gradients; as much again for the products */
    need->cache   = fgti_mul(rows, o->out) + fgti_mul(rows, d);
    need->scratch = fgti_mul(2, fgti_mul(rows, o->out) + fgti_mul(rows, d));
}

static fgti_tail tail_of(const fgti_run *run, const fgti_layer *l)
{
    const fgt_gcn_opts *o = l->opts;
    return fgti_tail_of(run, l, o->act, o->dropout, FGTI_DRAW_OUTPUT);
}

/* ---- the flexible form: multihop.c with a fixed A ---- */

static void forward_task(void *arg, int64_t g, int32_t worker)
{
    const fgti_multihop *m = arg;
    fgti_multihop_group(m, fgti_worker_scratch(m->run->exec, worker), g);
}

static void backward_task(void *arg, int64_t g, int32_t worker)
{
    const fgti_multihop *m = arg;
    fgti_multihop_grad_group(m, fgti_worker_scratch(m->run->exec, worker), g);
}

static fgti_real *flexible_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_multihop m  = sum_of_pass(run, l, io);
    int64_t       at = 0;
    fgti_multihop_place(&m, fgti_rows(run->batch, io->in), io->cache, &at);
    fgti_multihop_before(&m);
    fgti_parallel(run->exec, m.groups, forward_task, &m);
    fgti_multihop_after(&m);
    return m.u;
}

/* du is the start of io->scratch. */
static void flexible_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t rows  = fgti_rows(run->batch, io->in);
    fgti_multihop m     = sum_of_pass(run, l, io);
    int64_t       cache = 0, scratch = 0;
    fgti_multihop_place(&m, rows, io->cache, &cache);
    fgti_multihop_place_gradients(&m, rows, io->scratch, &scratch);
    fgti_multihop_grad_before(&m);
    fgti_parallel(run->exec, m.groups, backward_task, &m);
    fgti_multihop_grad_after(&m, fgti_dw(l, io, WEIGHT), io->dx);
}

/* ---- the plain form ---- */

/* One product of v [R,n] with A + I or its transpose. */
typedef struct plain_product {
    fgti_multihop m;
    int64_t       n;
    bool          transposed;
    fgti_real    *from, *to;
} plain_product;

static void plain_group(void *arg, int64_t g, int32_t worker)
{
    const plain_product *p  = arg;
    const int64_t        at = g * p->m.tokens * p->n;
    fgti_multihop_apply(&p->m, fgti_worker_scratch(p->m.run->exec, worker), p->transposed, p->n, p->from + at,
                        p->n, false, p->to + at, p->n);
    p->m.run->vec->axpy(p->m.tokens * p->n, 1, p->from + at, p->to + at);
}

/* (A + I)^kappa v, or with the transpose, in v, t0 or t1, each [R,n]. */
static fgti_real *plain_products(const fgti_multihop *m, bool transposed, int64_t n, const fgti_real *v,
                                 fgti_real *t0, fgti_real *t1)
{
    plain_product p = {.m = *m, .n = n, .transposed = transposed, .from = (fgti_real *)v, .to = t0};
    for (int64_t i = 0; i < m->kappa; i++) {
        fgti_parallel(m->run->exec, m->groups, plain_group, &p);
        p.from = p.to;
        p.to   = p.from == t0 ? t1 : t0;
    }
    return p.from;
}

/* u = (A + I)^kappa x W: the cache has u [R,H], then (A + I)^kappa x [R,D] */
static fgti_real *plain_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_multihop m    = sum_of_pass(run, l, io);
    const int64_t       rows = fgti_rows(run->batch, io->in), d = m.d, h = m.h;
    fgti_real          *u = io->cache, *z = io->cache + rows * h;
    if (!over_inputs(l)) {
        fgti_affine_in_out(run, rows, d, h, io->x, m.w, io->scratch);
        const fgti_real *last = plain_products(&m, false, h, io->scratch, u, io->scratch + rows * h);
        if (last != u) fgti_copy(run, rows * h, last, u);
        return u;
    }
    const fgti_real *last = plain_products(&m, false, d, io->x, z, io->scratch);
    if (last != z) fgti_copy(run, rows * d, last, z);
    fgti_affine_in_out(run, rows, d, h, z, m.w, u);
    return u;
}

/* Over outputs: dP = (A + I)'^kappa du, dW += x'dP, dx = dP W'.
 * Over inputs, with z = (A + I)^kappa x: dW += z'du, dz = du W', dx = (A + I)'^kappa dz. */
static void plain_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_multihop m    = sum_of_pass(run, l, io);
    const int64_t       rows = fgti_rows(run->batch, io->in), d = m.d, h = m.h;
    fgti_real          *du = io->scratch, *t0 = du + rows * h, *t1 = t0 + rows * (h < d ? h : d);
    if (!over_inputs(l)) {
        const fgti_real *dp = plain_products(&m, true, h, du, t0, t1);
        fgti_affine_in_out_grad(run, rows, d, h, io->x, m.w, dp, fgti_dw(l, io, WEIGHT), io->dx, false);
        return;
    }
    fgti_affine_in_out_grad(run, rows, d, h, io->cache + rows * h, m.w, du, fgti_dw(l, io, WEIGHT),
                            io->dx ? t0 : NULL, false);
    if (!io->dx) return;
    const fgti_real *last = plain_products(&m, true, d, t0, io->dx, t1);
    if (last != io->dx) fgti_copy(run, rows * d, last, io->dx);
}

/* ---- both ---- */

/* u = sum_{i<kappa} A^i x W_i + b, or (A + I)^kappa x W + b;  y = [x +] dropout(act(u)) */
static fgt_status gcn_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gcn_opts *o    = l->opts;
    const fgti_tail     tail = tail_of(run, l);
    const int64_t       rows = fgti_rows(run->batch, io->in), h = o->out;
    fgti_real          *u = o->plain ? plain_forward(run, l, io) : flexible_forward(run, l, io);
    if (!o->no_bias) fgti_bias(run, rows, h, h, fgti_w(l, io, BIAS), u);
    fgti_tail_forward(run, &tail, rows * h, u, o->residual && io->in.width == h ? io->x : NULL, io->y);
    return FGT_OK;
}

static fgt_status gcn_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gcn_opts *o    = l->opts;
    const fgti_tail     tail = tail_of(run, l);
    const int64_t       rows = fgti_rows(run->batch, io->in), h = o->out;
    fgti_tail_backward(run, &tail, rows * h, io->cache, io->dy, io->scratch);
    if (!o->no_bias) fgti_column_sum(run, rows, h, h, io->scratch, fgti_dw(l, io, BIAS));
    if (o->plain)
        plain_backward(run, l, io);
    else
        flexible_backward(run, l, io);
    if (io->dx && o->residual && io->in.width == h) fgti_add(run, rows * h, io->dy, io->dx);
    return FGT_OK;
}

/* kappa products with A, one less in the flexible form, over the narrower rows; and with the weights. */
static double gcn_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_gcn_opts *o     = l->opts;
    const double        rows  = (double)fgti_rows(batch, in), d = (double)in.width, h = (double)o->out;
    const double        t = (double)in.time, edges = l->graph->dense ? t : (double)l->graph->rows.edges / t;
    const double        weights = o->plain ? 1 : (double)o->hops, powers = (double)o->hops - !o->plain;
    return 2 * rows * (weights * d * h + powers * edges * fmin(d, h));
}

const fgti_class fgti_class_gcn = {
    .name      = "gcn",
    .opts      = gcn_opts,
    .opts_size = sizeof(fgt_gcn_opts),
    .plan      = gcn_plan,
    .flops     = gcn_flops,
    .shape     = gcn_shape,
    .size      = gcn_size,
    .forward   = gcn_forward,
    .backward  = gcn_backward,
};
