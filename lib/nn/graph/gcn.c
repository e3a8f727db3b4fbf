/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/affine.h"
#include "nn/axis.h"
#include "nn/graph/learned.h"
#include "nn/graph/multihop.h"
#include "nn/rows.h"

static const fgti_opt gcn_opts[] = {
    FGTI_FIELD(fgt_gcn_opts, graph, GRAPH, 0, 0, 0),
    FGTI_FIELD(fgt_gcn_opts, out, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_gcn_opts, hops, I64, 0, 64, 0),
    FGTI_FIELD(fgt_gcn_opts, act, ENUM, 0, FGTI_ACT_COUNT - 1, FGT_ACT_RELU),
    FGTI_FIELD(fgt_gcn_opts, plain, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gcn_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gcn_opts, residual, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gcn_opts, dropout, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_gcn_opts, diffusion, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gcn_opts, learned, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    {0},
};

/* ---- the plan ---- */

/* Numbers of the parameters: first the weights of each walk, then the bias, E_1 and E_2. */
static int bias_at(const fgt_gcn_opts *o)
{
    return 1 + o->diffusion;
}

static int vectors_at(const fgt_gcn_opts *o)
{
    return bias_at(o) + !o->no_bias;
}

static bool is_dense(const fgti_layer *l)
{
    return !l->graph || l->graph->dense;
}

/* Chooses whether A multiplies the inputs or the outputs: those with fewer features. If both have the same
 * width, the plain form, which has one W for all powers, takes the inputs, because the products of A with
 * the inputs need no product with W before. */
static fgti_route gcn_choose_route(const fgti_layer *l)
{
    const fgt_gcn_opts *o = l->opts;
    if (o->plain ? l->in.width <= o->out : fgti_multihop_prefers_inputs(1, l->in.width, o->out))
        return is_dense(l) ? FGTI_ROUTE_GCN_INPUTS_DENSE : FGTI_ROUTE_GCN_INPUTS_EDGES;
    return is_dense(l) ? FGTI_ROUTE_GCN_OUTPUTS_DENSE : FGTI_ROUTE_GCN_OUTPUTS_EDGES;
}

static bool over_inputs(const fgti_layer *l)
{
    return l->route == FGTI_ROUTE_GCN_INPUTS_DENSE || l->route == FGTI_ROUTE_GCN_INPUTS_EDGES;
}

static fgt_status gcn_check_opts(fgt_context *ctx, const fgti_layer *l)
{
    const fgt_gcn_opts *o = l->opts;
    if (!o->graph == !o->learned)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         o->graph ? "graph and learned cannot be combined"
                                  : "graph and learned are not given (need one of them)");
    if (o->plain && (o->diffusion || o->learned))
        return fgti_fail(&ctx->error, FGT_E_ARG, "plain needs a fixed graph, and cannot be combined with %s",
                         o->diffusion ? "diffusion" : "learned");
    if (!o->graph || o->graph->n == l->in.time) return FGT_OK;
    return fgti_fail(
        &ctx->error, FGT_E_SHAPE, "the graph has the wrong size (got %lld nodes, need %lld, the input's %s)",
        (long long)o->graph->n, (long long)l->in.time, l->axis == FGT_AXIS_TIME ? "tokens" : "nodes");
}

static fgt_status gcn_add_params(fgt_context *ctx, fgti_layer *l)
{
    const fgt_gcn_opts *o = l->opts;
    const int64_t       d = l->in.width, hops[] = {o->hops, d, o->out}, vectors[] = {l->in.time, o->learned};
    const double        range = fgti_fan_in(d);
    if (o->plain)
        FGTI_TRY(fgti_param_add(ctx, l, "weight", 2, hops + 1, FGTI_INIT_UNIFORM, range));
    else
        FGTI_TRY(fgti_param_add(ctx, l, "hop_weight", 3, hops, FGTI_INIT_UNIFORM, range));
    if (o->diffusion) FGTI_TRY(fgti_param_add(ctx, l, "back_weight", 3, hops, FGTI_INIT_UNIFORM, range));
    if (!o->no_bias) FGTI_TRY(fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_ZERO, 0));
    if (!o->learned) return FGT_OK;
    FGTI_TRY(fgti_param_add(ctx, l, "source", 2, vectors, FGTI_INIT_NORMAL, 1));
    return fgti_param_add(ctx, l, "target", 2, vectors, FGTI_INIT_NORMAL, 1);
}

static fgt_status gcn_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_gcn_opts *o = l->opts;
    FGTI_TRY(gcn_check_opts(ctx, l));
    if (!o->out) o->out = l->in.width;
    if (!o->hops) o->hops = o->plain ? 1 : 3;
    if (l->shares)
        l->graph = l->shares->graph;
    else if (o->graph)
        FGTI_TRY(fgti_graph_copy(ctx, o->graph, &l->graph));
    o->graph     = l->graph;
    l->out.width = o->out;
    l->route     = gcn_choose_route(l);
    FGTI_TRY(gcn_add_params(ctx, l));
    return o->diffusion && l->graph ? fgti_walks_plan(ctx, l) : FGT_OK;
}

static fgt_status gcn_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    if (in.time == l->in.time) return fgti_shape_width(err, l, in, out);
    return fgti_fail(err, FGT_E_SHAPE,
                     "the graph has the wrong size (got %lld nodes, need %lld, the input's tokens)",
                     (long long)l->in.time, (long long)in.time);
}

/* ---- one walk on the graph ---- */

static int32_t walks_of(const fgti_layer *l)
{
    return ((const fgt_gcn_opts *)l->opts)->diffusion ? 2 : 1;
}

/* For a layer along time, a group is a node of a sample. For a layer along the nodes, a group is a sample,
 * whose time steps are adjacent columns. */
static fgti_multihop gcn_sum_of(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_gcn_opts *o    = l->opts;
    const bool          time = l->axis == FGT_AXIS_TIME;
    return (fgti_multihop){.groups      = time ? fgti_mul(batch, in.nodes) : batch,
                           .tokens      = in.time,
                           .side        = time ? 1 : in.nodes,
                           .d           = in.width,
                           .h           = o->out,
                           .heads       = 1,
                           .kappa       = o->hops,
                           .over_inputs = over_inputs(l)};
}

static fgti_learned learned_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gcn_opts *o  = l->opts;
    const int           at = vectors_at(o);
    int64_t             n  = 0;
    fgti_learned        a  = {.run = run, .n = l->in.time, .r = o->learned, .walks = walks_of(l)};
    if (!io || !o->learned) return a;
    a.e[0] = fgti_w(l, io, at);
    a.e[1] = fgti_w(l, io, at + 1);
    fgti_learned_place(&a, io->keep, &n);
    return a;
}

static fgti_graph_matrix matrix_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int32_t walk)
{
    const fgt_gcn_opts *o = l->opts;
    if (!o->learned) return o->diffusion ? fgti_walk_of(l, walk) : fgti_graph_matrix_of(l->graph);
    const fgti_learned a = learned_of(run, l, io);
    return (fgti_graph_matrix){.dense = a.p + walk * a.n * a.n};
}

static fgti_multihop sum_of_pass(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int32_t walk)
{
    fgti_multihop m = gcn_sum_of(l, run->batch, io->in);
    m.run           = run;
    m.a             = matrix_of(run, l, io, walk);
    m.adds          = walk > 0;
    m.x             = io->x;
    m.w             = fgti_w(l, io, walk);
    return m;
}

static void gcn_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_gcn_opts *o    = l->opts;
    const int64_t       rows = fgti_rows(batch, in), d = in.width, matrix = fgti_mul(in.time, in.time);
    fgti_multihop       m = gcn_sum_of(l, batch, in);
    fgti_learned        a = learned_of(NULL, l, NULL);
    if (o->plain) {
        /* u, and (A + I)^kappa x; the gradients of both; and scratch for the products */
        need->cache   = fgti_mul(rows, o->out) + fgti_mul(rows, d);
        need->scratch = fgti_mul(2, fgti_mul(rows, o->out) + fgti_mul(rows, d));
        return;
    }
    for (int32_t walk = 0; walk < walks_of(l); walk++) {
        fgti_multihop_place(&m, rows, NULL, &need->cache);
        fgti_multihop_place_gradients(&m, rows, NULL, &need->backward);
    }
    if (!o->learned) return;
    fgti_learned_place(&a, NULL, &need->keep);
    for (int i = 0; i < 2; i++) fgti_take(NULL, &need->backward, matrix);
}

static void gcn_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    const fgt_gcn_opts *o  = l->opts;
    const fgti_learned  a  = learned_of(run, l, io);
    const int           at = vectors_at(o);
    if (!o->learned) return;
    fgti_learned_update(&a);
    unread[at] = unread[at + 1] = true;
}

static fgti_tail gcn_tail_of(const fgti_run *run, const fgti_layer *l)
{
    const fgt_gcn_opts *o = l->opts;
    return fgti_tail_of(run, l, o->act, o->dropout, FGTI_DRAW_OUTPUT);
}

/* ---- the flexible form: one sum over powers (multihop.c) for each walk ---- */

/* Returns u, the sum over the walks, which is in the memory of the first walk, at the start of the cache. */
static fgti_real *flexible_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gcn_opts *o    = l->opts;
    const int64_t       rows = fgti_rows(run->batch, io->in);
    const fgti_learned  a    = learned_of(run, l, io);
    int64_t             at   = 0;
    fgti_real          *u    = NULL;
    if (o->learned) fgti_learned_update(&a);
    for (int32_t walk = 0; walk < walks_of(l); walk++) {
        fgti_multihop m = sum_of_pass(run, l, io, walk);
        fgti_multihop_place(&m, rows, io->cache, &at);
        fgti_multihop_before(&m);
        fgti_multihop_hops(&m);
        fgti_multihop_after(&m);
        if (walk)
            fgti_add(run, rows * m.h, m.u, u);
        else
            u = m.u;
    }
    return u;
}

/* Computes the gradient of A, and of E_1 and E_2. */
static void learned_backward(const fgti_multihop *m, const fgti_layer *l, const fgti_io *io, int32_t walk,
                             fgti_real *da, fgti_real *s)
{
    const int          at = vectors_at(l->opts);
    const fgti_learned a  = learned_of(m->run, l, io);
    memset(da, 0, (size_t)(a.n * a.n) * sizeof *da);
    fgti_multihop_grad_adjacency(m, da);
    fgti_learned_grad(&a, walk, da, s, (fgti_real *[]){fgti_dw(l, io, at), fgti_dw(l, io, at + 1)});
}

/* The gradient du is at the start of io->scratch, in the memory of walk 0. This function copies it to the
 * memory of the other walk. */
static void flexible_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gcn_opts *o = l->opts;
    const int64_t rows = fgti_rows(run->batch, io->in), matrix = l->in.time * l->in.time;
    fgti_multihop m[2];
    int64_t       cache = 0, scratch = 0;
    for (int32_t walk = 0; walk < walks_of(l); walk++) {
        m[walk] = sum_of_pass(run, l, io, walk);
        fgti_multihop_place(&m[walk], rows, io->cache, &cache);
        fgti_multihop_place_gradients(&m[walk], rows, io->scratch, &scratch);
        if (walk) fgti_copy(run, rows * o->out, m->du, m[walk].du);
    }
    fgti_real *da = o->learned ? fgti_take(io->scratch, &scratch, matrix) : NULL;
    fgti_real *s  = o->learned ? fgti_take(io->scratch, &scratch, matrix) : NULL;
    for (int32_t walk = 0; walk < walks_of(l); walk++) {
        fgti_multihop_grad_before(&m[walk]);
        fgti_multihop_grad_hops(&m[walk]);
        fgti_multihop_grad_after(&m[walk], fgti_dw(l, io, walk), io->dx);
        if (o->learned) learned_backward(&m[walk], l, io, walk, da, s);
    }
}

/* ---- the plain form ---- */

/* Computes (A + I)^kappa v, or with A' if `transposed`. The result is in v, t0 or t1, each [R,n]. */
static const fgti_real *plain_products(const fgti_multihop *m, bool transposed, int64_t n,
                                       const fgti_real *v, fgti_real *t0, fgti_real *t1)
{
    const int64_t    all  = m->groups * m->tokens * m->side * n;
    const fgti_real *from = v;
    fgti_real       *to   = t0;
    for (int64_t i = 0; i < m->kappa; i++) {
        fgti_multihop_multiply(m, transposed, n, from, to);
        fgti_add(m->run, all, from, to);
        from = to;
        to   = from == t0 ? t1 : t0;
    }
    return from;
}

/* u = (A + I)^kappa x W. The cache holds u [R,H], then (A + I)^kappa x [R,D] */
static fgti_real *plain_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_multihop m    = sum_of_pass(run, l, io, 0);
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

/* With the products with A on the side of the outputs: dP = (A + I)'^kappa du, dW += x'dP, dx = dP W'. On the
 * side of the inputs, with z = (A + I)^kappa x: dW += z'du, dz = du W', dx = (A + I)'^kappa dz. */
static void plain_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_multihop m    = sum_of_pass(run, l, io, 0);
    const int64_t       rows = fgti_rows(run->batch, io->in), d = m.d, h = m.h;
    fgti_real          *du = io->scratch, *t0 = du + rows * h, *t1 = t0 + rows * (h < d ? h : d);
    if (!over_inputs(l)) {
        const fgti_real *dp = plain_products(&m, true, h, du, t0, t1);
        fgti_affine_in_out_grad(run, rows, d, h, io->x, m.w, dp, fgti_dw(l, io, 0), io->dx, false);
        return;
    }
    fgti_affine_in_out_grad(run, rows, d, h, io->cache + rows * h, m.w, du, fgti_dw(l, io, 0),
                            io->dx ? t0 : NULL, false);
    if (!io->dx) return;
    const fgti_real *last = plain_products(&m, true, d, t0, io->dx, t1);
    if (last != io->dx) fgti_copy(run, rows * d, last, io->dx);
}

/* ---- both forms ---- */

/* u = sum_{i<kappa} A^i x W_i + b, or (A + I)^kappa x W + b;  y = [x +] dropout(act(u)) */
static fgt_status gcn_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gcn_opts *o    = l->opts;
    const fgti_tail     tail = gcn_tail_of(run, l);
    const int64_t       rows = fgti_rows(run->batch, io->in), h = o->out;
    fgti_real          *u = o->plain ? plain_forward(run, l, io) : flexible_forward(run, l, io);
    if (!o->no_bias) fgti_bias(run, rows, h, h, fgti_w(l, io, bias_at(o)), u);
    fgti_tail_forward(run, &tail, rows * h, u, o->residual && io->in.width == h ? io->x : NULL, io->y);
    return FGT_OK;
}

static fgt_status gcn_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gcn_opts *o    = l->opts;
    const fgti_tail     tail = gcn_tail_of(run, l);
    const int64_t       rows = fgti_rows(run->batch, io->in), h = o->out;
    fgti_tail_backward(run, &tail, rows * h, io->cache, io->dy, io->scratch);
    if (!o->no_bias) fgti_column_sum(run, rows, h, h, io->scratch, fgti_dw(l, io, bias_at(o)));
    if (o->plain)
        plain_backward(run, l, io);
    else
        flexible_backward(run, l, io);
    if (io->dx && o->residual && io->in.width == h) fgti_add(run, rows * h, io->dy, io->dx);
    return FGT_OK;
}

/* ---- the matrices of the layer: A, or the matrices of both walks, as heads ---- */

static fgt_status gcn_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t shape[4],
                                fgti_real *a)
{
    const fgt_gcn_opts *o = l->opts;
    const int64_t       t = l->in.time;
    memcpy(shape, (int64_t[]){1, walks_of(l), t, t}, 4 * sizeof *shape);
    if (!a) return FGT_OK;
    if (o->learned) {
        const fgti_learned learned = learned_of(run, l, io);
        fgti_learned_update(&learned);
    }
    for (int32_t walk = 0; walk < walks_of(l); walk++) {
        const fgti_graph_matrix m = matrix_of(run, l, io, walk);
        fgti_graph_matrix_write(&m, t, a + walk * t * t);
    }
    return FGT_OK;
}

static bool gcn_edges(const fgti_layer *l, int64_t head, fgti_csr *a)
{
    if (is_dense(l)) return false;
    *a = matrix_of(NULL, l, NULL, (int32_t)head).rows;
    return true;
}

/* Counts the products with the weights, and kappa products with A on the side with fewer features; the
 * flexible form has one product with A less. */
static double gcn_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_gcn_opts *o    = l->opts;
    const double        rows = (double)fgti_rows(batch, in), d = (double)in.width, h = (double)o->out;
    const double        t = (double)in.time, edges = is_dense(l) ? t : (double)l->graph->rows.edges / t;
    const double        weights = o->plain ? 1 : (double)o->hops, powers = (double)o->hops - !o->plain;
    return walks_of(l) * 2 *
           (rows * (weights * d * h + powers * edges * fmin(d, h)) + t * t * (double)o->learned);
}

const fgti_class fgti_class_gcn = {
    .name      = "gcn",
    .opts      = gcn_opts,
    .opts_size = sizeof(fgt_gcn_opts),
    .strided   = true,
    .plan      = gcn_plan,
    .flops     = gcn_flops,
    .shape     = gcn_shape,
    .size      = gcn_size,
    .forward   = gcn_forward,
    .backward  = gcn_backward,
    .prepare   = gcn_prepare,
    .adjacency = gcn_adjacency,
    .edges     = gcn_edges,
};
