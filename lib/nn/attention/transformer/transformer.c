/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/attention/attender/attender_edges.h"
#include "nn/attention/attention_stream.h"
#include "nn/attention/transformer/transformer_blocks.h"
#include "nn/attention/transformer/transformer_forward.h"
#include "nn/attention/transformer/transformer_one.h"
#include "nn/attention/transformer/transformer_pass.h"

static const fgti_opt transformer_opts[] = {
    FGTI_FIELD(fgt_transformer_opts, heads, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_transformer_opts, ff, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_transformer_opts, act, ENUM, 0, FGTI_ACT_COUNT - 1, FGT_ACT_RELU),
    FGTI_FIELD(fgt_transformer_opts, norm_first, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_transformer_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_transformer_opts, dropout, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_transformer_opts, eps, F32, 1e-30, 1, 1e-5),
    FGTI_FIELD(fgt_transformer_opts, drop_path, F32, 0, 0.999, 0),
    FGTI_RULES(fgt_transformer_opts),
    {0},
};

static fgti_real *transformer_bias_gradient(const fgti_layer *l, const fgti_io *io, int which)
{
    const fgt_transformer_opts *o = l->opts;
    return o->no_bias ? NULL : fgti_dw(l, io, which + 1);
}

static fgt_status add_linear(fgt_context *ctx, fgti_layer *l, const char *weight, const char *bias_name,
                             int64_t d, int64_t h)
{
    const fgt_transformer_opts *o     = l->opts;
    const double                range = fgti_fan_in(d);
    FGTI_TRY(fgti_param_add(ctx, l, weight, 2, (int64_t[]){h, d}, FGTI_INIT_UNIFORM, range));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, bias_name, 1, &h, FGTI_INIT_UNIFORM, range);
}

static fgt_status add_norm(fgt_context *ctx, fgti_layer *l, const char *weight, const char *bias_name)
{
    const fgt_transformer_opts *o = l->opts;
    FGTI_TRY(fgti_param_add(ctx, l, weight, 1, &l->in.width, FGTI_INIT_ONE, 0));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, bias_name, 1, &l->in.width, FGTI_INIT_ZERO, 0);
}

static fgti_mha_conf transformer_conf_of(const fgti_layer *l)
{
    const fgt_transformer_opts *o    = l->opts;
    fgt_attention_rule          rule = fgti_attender_rule(&o->attention);
    rule.attn_dropout                = o->dropout;
    return (fgti_mha_conf){.heads     = o->heads,
                           .values    = l->in.width,
                           .no_bias   = o->no_bias,
                           .param     = FGTI_TRANSFORMER_ATTENTION,
                           .attention = rule};
}

static fgt_status check_rule(fgti_error *err, const fgt_attention_rule *rule)
{
    const fgt_attention_rule known = {
        .causal = rule->causal, .mode = rule->mode, .scale = rule->scale, .graph = rule->graph};
    if (!memcmp(&known, rule, sizeof known)) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "attention: only causal, mode, scale and graph can be set");
}

/* Most elements of a weight that is packed, 1 MiB. Such a weight leaves room for other weights in a second
 * cache, or comes from a third cache in time. 16-bit weights are only used in large products, which expand
 * them less often. */
#define PACKED_MOST (INT64_C(1) << 18)

static fgti_route transformer_choose_route(const fgti_layer *l)
{
    const fgt_transformer_opts *o    = l->opts;
    const fgti_mha_conf         conf = transformer_conf_of(l);
    const int64_t               d    = l->in.width;
    const bool                  kept = fgti_mha_matrices(&conf, l) == FGTI_MATRICES_KEPT;
    const bool                  wide = l->half || l->bf16;
    if (!wide && fgti_mul(d, fgti_mul(3, d)) <= PACKED_MOST && fgti_mul(d, o->ff) <= PACKED_MOST)
        return kept ? FGTI_ROUTE_TRANSFORMER_BLOCKS_KEPT : FGTI_ROUTE_TRANSFORMER_BLOCKS_STREAMED;
    return kept ? FGTI_ROUTE_TRANSFORMER_STEPS_KEPT : FGTI_ROUTE_TRANSFORMER_STEPS_STREAMED;
}

static fgt_status transformer_plan(fgt_context *ctx, fgti_layer *l)
{
    static const char *const attention[4] = {"self_attn.in_proj_weight", "self_attn.in_proj_bias",
                                             "self_attn.out_proj.weight", "self_attn.out_proj.bias"};
    fgt_transformer_opts    *o            = l->opts;
    const int64_t            d            = l->in.width;
    const fgti_mha_conf      conf         = transformer_conf_of(l);
    FGTI_TRY(check_rule(&ctx->error, &o->attention));
    FGTI_TRY(fgti_edges_plan(ctx, l, &o->attention.graph));
    if (!o->ff) o->ff = fgti_mul(4, d);
    FGTI_TRY(fgti_mha_plan(ctx, l, &conf, attention));
    FGTI_TRY(add_linear(ctx, l, "linear1.weight", "linear1.bias", d, o->ff));
    FGTI_TRY(add_linear(ctx, l, "linear2.weight", "linear2.bias", o->ff, d));
    FGTI_TRY(add_norm(ctx, l, "norm1.weight", "norm1.bias"));
    FGTI_TRY(add_norm(ctx, l, "norm2.weight", "norm2.bias"));
    fgti_fold_decide(l, 3 * d % FGTI_REGISTER ? 0 : fgti_mul(3, d));
    l->route = transformer_choose_route(l);
    fgti_mha_step_plan(l, &conf);
    return FGT_OK;
}

/* ---- memory ---- */

static void transformer_set_sizes(fgti_transformer_pass *p, const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_transformer_opts *o = l->opts;
    const fgti_route            r = l->route;
    p->l                          = l;
    p->rows                       = fgti_rows(batch, in);
    p->d                          = in.width;
    p->f                          = o->ff;
    p->map[FGTI_MAP_IN]           = (fgti_transformer_map){.d = p->d, .h = fgti_mul(3, p->d)};
    p->map[FGTI_MAP_OUT]          = (fgti_transformer_map){.d = p->d, .h = p->d};
    p->map[FGTI_MAP_UP]           = (fgti_transformer_map){.d = p->d, .h = p->f};
    p->map[FGTI_MAP_DOWN]         = (fgti_transformer_map){.d = p->f, .h = p->d};
    if (fgti_is_folded(l)) fgti_fold_set(&p->fold, l, p->map[FGTI_MAP_IN].h, o->norm_first ? o->eps : 0);
    p->packs = r == FGTI_ROUTE_TRANSFORMER_BLOCKS_KEPT || r == FGTI_ROUTE_TRANSFORMER_BLOCKS_STREAMED;
}

/* Returns the offset of dv. The scratch of the attention begins at this offset too, because dv and this
 * scratch are never in use at the same time. dx is used only if the gradient of x is not wanted, and dz only
 * with dropout. */
static int64_t transformer_place_scratch(fgti_transformer_pass *p, fgti_real *base)
{
    const int64_t rd = fgti_mul(p->rows, p->d);
    int64_t       at = 0;
    p->dx            = fgti_take(base, &at, rd);
    p->dz            = fgti_take(base, &at, rd);
    p->dv            = base ? base + at : NULL;
    return at;
}

static void transformer_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgti_mha_conf   conf = transformer_conf_of(l);
    fgti_transformer_pass p    = {0};
    transformer_set_sizes(&p, l, batch, in);
    need->keep         = fgti_transformer_place_keep(&p, NULL);
    need->packs        = fgti_transformer_place_packs(&p, NULL);
    need->cache        = fgti_transformer_place(&p, NULL);
    need->prepare      = fgti_is_folded(l) ? fgti_fold_scratch(&p.fold) : 0;
    need->backward     = transformer_place_scratch(&p, NULL);
    const int64_t feed = need->backward + fgti_mul(p.rows, p.f);
    fgti_mha_size(&p.mha, &conf, l, batch, in, need);
    const int64_t sums = fgti_transformer_blocks_scratch(&p), arena = fgti_transformer_blocks_arena(&p),
                  one  = fgti_transformer_one_arena(&p, in.time);
    if (feed > need->backward) need->backward = feed;
    if (sums > need->backward) need->backward = sums;
    need->arena += fgti_transformer_arena(&p);
    if (arena > need->arena) need->arena = arena;
    if (one > need->arena) need->arena = one;
}

static fgt_status transformer_open_pass(fgti_transformer_pass *p, const fgti_run *run, const fgti_layer *l,
                                        const fgti_io *io, bool backward)
{
    const fgt_transformer_opts *o    = l->opts;
    const fgti_mha_conf         conf = transformer_conf_of(l);
    *p = (fgti_transformer_pass){.run = run, .io = io, .dropout = run->training ? o->dropout : 0};
    transformer_set_sizes(p, l, run->batch, io->in);
    if (fgti_is_folded(l)) p->z = fgti_fold_z(l, io);
    const int64_t cache   = fgti_transformer_place(p, io->cache);
    const int64_t scratch = backward ? transformer_place_scratch(p, io->scratch) : 0;
    return fgti_mha_init(&p->mha, run, l, io, &conf, io->cache + cache,
                         backward ? io->scratch + scratch : NULL);
}

static void transformer_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    fgti_transformer_pass p = {.run = run, .io = io};
    transformer_set_sizes(&p, l, run->batch, io->in);
    fgti_transformer_prepare(&p, unread);
}

static fgt_status transformer_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_transformer_pass p;
    FGTI_TRY(transformer_open_pass(&p, run, l, io, false));
    if (fgti_transformer_is_one(&p))
        fgti_transformer_one(&p);
    else
        fgti_transformer_run(&p);
    return FGT_OK;
}

/* ---- in a stream ---- */

static void transformer_step_size(const fgti_layer *l, int64_t batch, fgti_shape in, int64_t room,
                                  fgti_need *need)
{
    (void)batch;
    (void)in;
    fgti_mha_step_size(l, room, need);
}

static const char *transformer_step_misfit(const fgti_layer *l, int64_t room)
{
    const fgti_mha_conf conf = transformer_conf_of(l);
    (void)room;
    return fgti_attention_stream_misfit(&conf.attention);
}

static fgt_status transformer_step(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_transformer_pass p;
    FGTI_TRY(transformer_open_pass(&p, run, l, io, false));
    return fgti_transformer_step(&p);
}

/* ---- backward ---- */

/* Returns the gradient of z, computed from dy, the gradient of x + dropout(z). */
static const fgti_real *transformer_dropped_gradient(const fgti_transformer_pass *p, fgti_draw draw,
                                                     const fgti_real *dy)
{
    const fgti_tail tail = fgti_transformer_tail(p, FGT_ACT_NONE, draw);
    if (!fgti_tail_drops(&tail)) return dy;
    fgti_tail_backward(p->run, &tail, p->rows * p->d, dy, dy, p->dz);
    return p->dz;
}

static void transformer_norm_gradient(const fgti_transformer_pass *p, int i, const fgti_real *x,
                                      const fgti_real *dy, fgti_real *dx)
{
    const int which = i ? FGTI_TRANSFORMER_NORM2 : FGTI_TRANSFORMER_NORM1,
              w     = fgti_transformer_weight(p->l, which);
    fgti_norm_grad(p->run, p->rows, p->d, x, fgti_w(p->l, p->io, w), p->mean[i], p->rstd[i], dy,
                   fgti_dw(p->l, p->io, w), transformer_bias_gradient(p->l, p->io, which), dx);
}

static bool transformer_norm_is_trained(const fgti_transformer_pass *p, int which)
{
    return fgti_dw(p->l, p->io, fgti_transformer_weight(p->l, which)) ||
           transformer_bias_gradient(p->l, p->io, which);
}

/* dW2 += dy'v, dv = dy W2,  du = act'(u) dropout(dv),  dW1 += du'x, dx = du W1 */
static void transformer_feed_gradient(const fgti_transformer_pass *p, const fgti_real *x, const fgti_real *dy,
                                      fgti_real *dx)
{
    const fgt_transformer_opts *o    = p->l->opts;
    const fgti_tail             tail = fgti_transformer_tail(p, o->act, FGTI_DRAW_HIDDEN);
    const int                   w1   = fgti_transformer_weight(p->l, FGTI_TRANSFORMER_LINEAR1),
              w2                     = fgti_transformer_weight(p->l, FGTI_TRANSFORMER_LINEAR2);
    /* dv uses the same memory as the attention's gradients, before or after them */
    fgti_red_zone_lift(p->dv, p->rows * p->f * (int64_t)sizeof *p->dv);
    fgti_affine_grad(p->run, p->rows, p->f, p->d, p->v, fgti_w(p->l, p->io, w2), dy, p->d,
                     fgti_dw(p->l, p->io, w2),
                     transformer_bias_gradient(p->l, p->io, FGTI_TRANSFORMER_LINEAR2), p->dv, false);
    fgti_tail_backward(p->run, &tail, p->rows * p->f, p->u, p->dv, p->dv);
    fgti_affine_grad(p->run, p->rows, p->d, p->f, x, fgti_w(p->l, p->io, w1), p->dv, p->f,
                     fgti_dw(p->l, p->io, w1),
                     transformer_bias_gradient(p->l, p->io, FGTI_TRANSFORMER_LINEAR1), dx, false);
}

/* Goes from the last step to the first. The gradients are in two arrays: dy, and dx, or scratch if dx is not
 * wanted. At the end dy holds the part of the gradient that does not pass through the attention. */
static fgt_status transformer_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_transformer_opts *o = l->opts;
    fgti_transformer_pass       p;
    FGTI_TRY(transformer_open_pass(&p, run, l, io, true));
    if (fgti_transformer_has_blocks(&p) && !run->low_ranks) {
        fgti_transformer_blocks_backward(&p);
        return FGT_OK;
    }
    const int64_t n  = p.rows * p.d;
    fgti_real    *dy = io->dy, *dx = io->dx ? io->dx : p.dx;
    if (o->norm_first) {
        transformer_feed_gradient(&p, p.b, transformer_dropped_gradient(&p, FGTI_DRAW_OUTPUT, dy), dx);
        transformer_norm_gradient(&p, 1, p.h, dx, dx);
        fgti_add(run, n, dx, dy);
        const bool read = io->dx || transformer_norm_is_trained(&p, FGTI_TRANSFORMER_NORM1);
        fgti_mha_backward(&p.mha, p.a, transformer_dropped_gradient(&p, FGTI_DRAW_ATTENDED, dy),
                          read ? dx : NULL);
        if (read) transformer_norm_gradient(&p, 0, io->x, dx, io->dx);
    } else {
        transformer_norm_gradient(&p, 1, p.b, dy, dy);
        transformer_feed_gradient(&p, p.h, transformer_dropped_gradient(&p, FGTI_DRAW_OUTPUT, dy), dx);
        fgti_add(run, n, dx, dy);
        transformer_norm_gradient(&p, 0, p.a, dy, dy);
        fgti_mha_backward(&p.mha, io->x, transformer_dropped_gradient(&p, FGTI_DRAW_ATTENDED, dy), io->dx);
    }
    if (io->dx) fgti_add(run, n, dy, io->dx);
    return FGT_OK;
}

static fgt_status transformer_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                        int64_t shape[4], fgti_real *a)
{
    fgti_transformer_pass p;
    FGTI_TRY(transformer_open_pass(&p, run, l, io, false));
    fgti_mha_adjacency(&p.mha, shape, a);
    return FGT_OK;
}

static double transformer_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_transformer_opts *o = l->opts;
    const double                rows = (double)fgti_rows(batch, in), d = (double)in.width;
    const double                t    = fgti_edges_keys(l, in.time);
    return rows * (8 * d * d + 4 * t * d + 4 * d * (double)o->ff);
}

const fgti_class fgti_class_transformer = {
    .name      = "transformer",
    .opts      = transformer_opts,
    .opts_size = sizeof(fgt_transformer_opts),
    .skips     = true,
    .folds     = true,
    .one_row   = true,
    .masks     = FGTI_MASKS_FULL,
    .plan      = transformer_plan,
    .flops     = transformer_flops,
    .shape     = fgti_edges_shape,
    .size      = transformer_size,
    .forward   = transformer_forward,
    .step      = transformer_step,
    .step_size = transformer_step_size,
    .step_misfit = transformer_step_misfit,
    .backward  = transformer_backward,
    .prepare   = transformer_prepare,
    .adjacency = transformer_adjacency,
};
