/* SPDX-License-Identifier: BSD-3-Clause */
/* The class of the Fighter layer: options, parameters and the choice of a route. fighter_pass.h has the
 * equation; fighter_affine.c, fighter_short.c and fighter_chain.c are the routes. */
#include "nn/attention/attender/attender_edges.h"
#include "nn/attention/attender/attender_table.h"
#include "nn/attention/attention_stream.h"
#include "nn/attention/fighter/fighter_step.h"
#include "nn/graph/multihop.h"

static const fgti_opt fighter_opts[] = {
    FGTI_FIELD(fgt_fighter_opts, out, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_fighter_opts, attn, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_fighter_opts, heads, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_fighter_opts, hops, I64, 1, 64, 3),
    FGTI_FIELD(fgt_fighter_opts, act, ENUM, 0, FGTI_ACT_COUNT - 1, FGT_ACT_RELU),
    FGTI_FIELD(fgt_fighter_opts, norm, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_fighter_opts, residual, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_fighter_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_fighter_opts, dropout, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_fighter_opts, drop_path, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_fighter_opts, first_hop, I64, 0, 63, 0),
    FGTI_FIELD(fgt_fighter_opts, norm_residual, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_fighter_opts, project, BOOL, 0, 1, 0),
    FGTI_RULES(fgt_fighter_opts),
    {0},
};

static fgt_status output_params(fgt_context *ctx, fgti_layer *l)
{
    const fgt_fighter_opts *o       = l->opts;
    const int64_t           pair[2] = {o->out, o->out};
    FGTI_TRY(fgti_param_add(ctx, l, "out_proj.weight", 2, pair, FGTI_INIT_UNIFORM, fgti_fan_in(o->out)));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, "out_proj.bias", 1, &o->out, FGTI_INIT_ZERO, 0);
}

static fgt_status fighter_params(fgt_context *ctx, fgti_layer *l)
{
    const fgt_fighter_opts  *o     = l->opts;
    const int64_t            d     = l->in.width;
    const double             range = fgti_fan_in(d);
    static const char *const w[] = {"q_proj.weight", "k_proj.weight"}, *const b[] = {"q_proj.bias",
                                                                                     "k_proj.bias"};
    for (int i = 0; i < (fgti_fighter_shares_keys(o) ? 1 : 2); i++) {
        FGTI_TRY(fgti_param_add(ctx, l, w[i], 2, (int64_t[]){o->attn, d}, FGTI_INIT_UNIFORM, range));
        if (!o->no_bias) FGTI_TRY(fgti_param_add(ctx, l, b[i], 1, &o->attn, FGTI_INIT_UNIFORM, range));
    }
    FGTI_TRY(fgti_param_add(ctx, l, "hop_weight", 3, (int64_t[]){o->hops - o->first_hop, d, o->out},
                            FGTI_INIT_UNIFORM, range));
    if (!o->no_bias) FGTI_TRY(fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_ZERO, 0));
    if (o->norm) FGTI_TRY(fgti_param_add(ctx, l, "norm.weight", 1, &d, FGTI_INIT_ONE, 0));
    if (o->norm) FGTI_TRY(fgti_param_add(ctx, l, "norm.bias", 1, &d, FGTI_INIT_ZERO, 0));
    return o->project ? output_params(ctx, l) : FGT_OK;
}

/* ---- routes ---- */

/* Most weights of the route "short". With more weights (2 MiB), packing costs little beside the products, and
 * the kernels of BLIS are faster. If a map is folded into the products, only the weights of the folded
 * products count. There is also a limit on tokens, because A of one head lies in a worker's arena: 4 MiB for
 * 1024 tokens. */
#define SHORT_WEIGHTS (INT64_C(1) << 19)

static bool fighter_is_short(const fgt_context *ctx, const fgti_layer *l)
{
    const fgt_fighter_opts *o       = l->opts;
    const int64_t           columns = fgti_fighter_columns(o, o->hops);
    const int64_t           d       = fgti_is_folded(l) ? l->fold_map->in.width : l->in.width;
    return ctx->products == FGT_PRODUCTS_AUTO && !o->project && l->in.time <= ctx->blas->short_time &&
           fgti_mul(d, columns) <= SHORT_WEIGHTS;
}

/* route.c lists the conditions as a table. */
static fgti_route fighter_choose_route(const fgt_context *ctx, const fgti_layer *l)
{
    static const fgti_route   inputs[]  = {[FGTI_MATRICES_KEPT]     = FGTI_ROUTE_FIGHTER_INPUTS_KEPT,
                                           [FGTI_MATRICES_STREAMED] = FGTI_ROUTE_FIGHTER_INPUTS_STREAMED,
                                           [FGTI_MATRICES_HELD]     = FGTI_ROUTE_FIGHTER_INPUTS_HELD};
    static const fgti_route   outputs[] = {[FGTI_MATRICES_KEPT]     = FGTI_ROUTE_FIGHTER_OUTPUTS_KEPT,
                                           [FGTI_MATRICES_STREAMED] = FGTI_ROUTE_FIGHTER_OUTPUTS_STREAMED,
                                           [FGTI_MATRICES_HELD]     = FGTI_ROUTE_FIGHTER_OUTPUTS_HELD};
    const fgt_fighter_opts   *o         = l->opts;
    const fgt_attention_rule  conf      = fgti_attender_rule(&o->attention);
    const int64_t             t         = l->in.time;
    if (o->hops == 1) return FGTI_ROUTE_FIGHTER_AFFINE;
    if (o->attention.graph) return FGTI_ROUTE_FIGHTER_EDGES;
    if (o->attention.attender) return FGTI_ROUTE_FIGHTER_ATTENDER;
    const fgti_matrices matrices =
        fgti_attention_choose(&conf, l->blas, t, t, o->attn / o->heads, o->hops - 1);
    if (fgti_multihop_prefers_inputs(o->heads, l->in.width, o->out)) return inputs[matrices];
    if (matrices != FGTI_MATRICES_KEPT && fighter_is_short(ctx, l)) return FGTI_ROUTE_FIGHTER_SHORT;
    return outputs[matrices];
}

/* Returns the number of columns of the product into which the map before the layer can be folded on this
 * route. 0: no map can be folded. Over inputs A is multiplied with X' itself, and X' may be the residual, so
 * nothing is folded. */
static int64_t columns_to_fold(const fgti_layer *l)
{
    const fgt_fighter_opts *o = l->opts;
    const int64_t           n = fgti_fighter_columns(o, o->hops);
    if (fgti_fighter_adds_normed(o, l->in.width)) return 0;
    switch (l->route) {
    case FGTI_ROUTE_FIGHTER_SHORT: return n;
    case FGTI_ROUTE_FIGHTER_OUTPUTS_KEPT:
    case FGTI_ROUTE_FIGHTER_OUTPUTS_STREAMED:
    case FGTI_ROUTE_FIGHTER_OUTPUTS_HELD:
    case FGTI_ROUTE_FIGHTER_EDGES:
    case FGTI_ROUTE_FIGHTER_ATTENDER: return n % FGTI_REGISTER ? 0 : n;
    default: return 0;
    }
}

static const fgti_fighter_route *route_of(const fgti_layer *l)
{
    switch (l->route) {
    case FGTI_ROUTE_FIGHTER_AFFINE: return &fgti_fighter_affine;
    case FGTI_ROUTE_FIGHTER_SHORT: return &fgti_fighter_short;
    default: return &fgti_fighter_chain;
    }
}

/* ---- the class ---- */

static fgt_status check_residual(fgti_error *err, const fgti_layer *l)
{
    const fgt_fighter_opts *o = l->opts;
    if (o->residual && o->out == l->in.width) return FGT_OK;
    if (o->drop_path > 0)
        return fgti_fail(err, FGT_E_ARG, "drop_path needs a residual path: without one it drops y");
    if (o->norm_residual)
        return fgti_fail(err, FGT_E_ARG,
                         "norm_residual needs a residual path: residual is %d, the widths are %lld and %lld",
                         (int)o->residual, (long long)l->in.width, (long long)o->out);
    return FGT_OK;
}

static fgt_status check_attender(fgti_error *err, const fgti_layer *l)
{
    const fgt_fighter_opts   *o      = l->opts;
    const fgt_attention_rule  conf   = fgti_attender_rule(&o->attention);
    const char               *misfit = NULL;
    if (o->attention.causal && o->attention.attender == FGT_ATTENDER_PROB) misfit = "causal";
    if (o->attention.graph && o->attention.attender) misfit = "another attender";
    return fgti_attender_check_layer(err, &conf, l, misfit);
}

static fgt_status fighter_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_fighter_opts *o = l->opts;
    if (!o->out) o->out = l->in.width;
    if (!o->attn) o->attn = l->in.width;
    if (o->attn % o->heads || o->out % o->heads)
        return fgti_fail(&ctx->error, FGT_E_ARG, "heads is wrong (got %lld, need a divisor of %s %lld)",
                         (long long)o->heads,
                         o->attn % o->heads ? "the width of queries and keys," : "the output width,",
                         (long long)(o->attn % o->heads ? o->attn : o->out));
    FGTI_TRY(check_residual(&ctx->error, l));
    FGTI_TRY(check_attender(&ctx->error, l));
    if (o->first_hop >= o->hops)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "first_hop is out of range (got %lld, need below hops, %lld)",
                         (long long)o->first_hop, (long long)o->hops);
    FGTI_TRY(fgti_edges_plan(ctx, l, &o->attention.graph));
    l->out.width = o->out;
    l->route     = fighter_choose_route(ctx, l);
    fgti_fold_decide(l, columns_to_fold(l));
    l->route = fighter_choose_route(ctx, l); /* if no map is folded after all, another route may be better */
    if (l->axis == FGT_AXIS_TIME) fgti_fighter_step_plan(l);
    FGTI_TRY(fighter_params(ctx, l));
    const fgti_attender *attender = fgti_attender_get(fgti_attender_rule(&o->attention).attender);
    return attender->plan ? attender->plan(ctx, l) : FGT_OK;
}

static void fighter_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    route_of(l)->size(l, batch, in, need);
}

static fgt_status fighter_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return route_of(l)->forward(run, l, io);
}

static fgt_status fighter_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return route_of(l)->backward(run, l, io);
}

static fgt_status fighter_step(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return route_of(l)->step(run, l, io);
}

static void fighter_step_size(const fgti_layer *l, int64_t batch, fgti_shape in, int64_t room,
                              fgti_need *need)
{
    fgti_fighter_step_size(l, room, need);
    if (route_of(l)->step_size) route_of(l)->step_size(l, batch, in, need);
}

static const char *fighter_step_misfit(const fgti_layer *l, int64_t room)
{
    const fgt_fighter_opts   *o    = l->opts;
    const fgt_attention_rule  conf = fgti_attender_rule(&o->attention);
    (void)room;
    return o->hops > 1 ? fgti_attention_stream_misfit(&conf) : NULL;
}

static void fighter_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    route_of(l)->prepare(run, l, io, unread);
}

static fgt_status fighter_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                    int64_t shape[4], fgti_real *a)
{
    const fgt_fighter_opts *o = l->opts;
    shape[0]                  = run->batch * io->in.nodes;
    shape[1]                  = o->heads;
    shape[2] = shape[3] = io->in.time;
    return a ? route_of(l)->matrices(run, l, io, a) : FGT_OK;
}

/* Counts the products X W_i; if kappa > 1 also queries, keys, scores and kappa - 1 products with A; and the
 * map of the joined heads. */
static double fighter_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_fighter_opts *o = l->opts;
    const double            rows = (double)fgti_rows(batch, in), d = (double)in.width;
    const fgt_attention_rule conf     = fgti_attender_rule(&o->attention);
    const fgti_attender    *attender = fgti_attender_get(conf.attender);
    const double            t = attender->attending ? (double)attender->attending(&conf, in.time)
                                                    : fgti_edges_keys(l, in.time);
    const double            h = (double)o->out, attn = (double)o->attn, hops = (double)o->hops;
    const double width = o->attention.graph || o->attention.attender ? h : fmin(h, (double)o->heads * d);
    const double            maps  = fgti_fighter_shares_keys(o) ? 1 : 2;
    const double            graph = o->hops > 1 ? maps * d * attn + t * attn + (hops - 1) * t * width : 0;
    return 2 * rows * (hops * d * h + graph + (o->project ? h * h : 0));
}

const fgti_class fgti_class_fighter = {
    .name      = "fighter",
    .opts      = fighter_opts,
    .opts_size = sizeof(fgt_fighter_opts),
    .folds     = true,
    .masks     = FGTI_MASKS_ALL,
    .plan      = fighter_plan,
    .flops     = fighter_flops,
    .shape     = fgti_edges_shape,
    .size      = fighter_size,
    .forward   = fighter_forward,
    .backward  = fighter_backward,
    .step        = fighter_step,
    .step_size   = fighter_step_size,
    .step_misfit = fighter_step_misfit,
    .prepare   = fighter_prepare,
    .adjacency = fighter_adjacency,
};
