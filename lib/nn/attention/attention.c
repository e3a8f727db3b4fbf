/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/attender_edges.h"
#include "nn/attention/attender/attender_table.h"
#include "nn/attention/attention_stream.h"
#include "nn/attention/mha.h"

static const fgti_opt attention_opts[] = {
    FGTI_FIELD(fgt_attention_opts, heads, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_attention_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_attention_opts, values, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_attention_opts, no_out, BOOL, 0, 1, 0),
    FGTI_RULES(fgt_attention_opts),
    {0},
};

static fgti_mha_conf attention_conf_of(const fgti_layer *l)
{
    const fgt_attention_opts *o = l->opts;
    return (fgti_mha_conf){.heads       = o->heads,
                           .values      = o->values,
                           .no_out      = o->no_out,
                           .memory_time = l->input[1].shape.time,
                           .cross       = l->inputs > 1,
                           .no_bias     = o->no_bias,
                           .packs       = true,
                           .attention   = fgti_attender_rule(&o->attention)};
}

static const fgti_attender *attender_of(const fgti_layer *l)
{
    return fgti_attender_get(attention_conf_of(l).attention.attender);
}

static fgti_route attention_choose(const fgti_layer *l)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    const bool          kept = fgti_mha_matrices(&conf, l) == FGTI_MATRICES_KEPT;
    return kept ? attender_of(l)->kept : attender_of(l)->streamed;
}

/* Returns options that cannot be combined, in words, or NULL. */
static const char *misfit_of(const fgt_attention_opts *o, const fgti_layer *l)
{
    const int32_t a   = o->attention.attender;
    const bool    own = a == FGT_ATTENDER_CORRELATION || a == FGT_ATTENDER_LSH;
    if (o->attention.graph && a) return "another attender";
    return own && o->values && o->values != l->in.width ? "values" : NULL;
}

static fgt_status attention_plan(fgt_context *ctx, fgti_layer *l)
{
    static const char *const  names[4] = {"in_proj_weight", "in_proj_bias", "out_proj.weight",
                                          "out_proj.bias"};
    fgt_attention_opts       *o        = l->opts;
    const fgti_shape         *m        = &l->input[1].shape;
    if (l->inputs > 1 && (m->nodes != l->in.nodes || m->width != l->in.width))
        return fgti_fail(&ctx->error, FGT_E_SHAPE,
                         "the memory has the wrong size (got %lld nodes and %lld features, need %lld and "
                         "%lld as the input)",
                         (long long)m->nodes, (long long)m->width, (long long)l->in.nodes,
                         (long long)l->in.width);
    const fgti_attender      *attender  = attender_of(l);
    const fgt_attention_rule  attention = attention_conf_of(l).attention;
    FGTI_TRY(fgti_attender_check_layer(&ctx->error, &attention, l, misfit_of(o, l)));
    FGTI_TRY(fgti_edges_plan(ctx, l, &o->attention.graph));
    if (!o->values) o->values = l->in.width;
    const fgti_mha_conf conf = attention_conf_of(l);
    FGTI_TRY(fgti_mha_plan(ctx, l, &conf, names));
    if (o->no_out) l->out.width = o->values;
    l->route = attention_choose(l);
    fgti_mha_step_plan(l, &conf);
    return attender->plan ? attender->plan(ctx, l) : FGT_OK;
}

static void attention_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    fgti_mha_size(&(fgti_mha){0}, &conf, l, batch, in, need);
}

static fgt_status attention_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    fgti_mha            m;
    FGTI_TRY(fgti_mha_init(&m, run, l, io, &conf, io->cache, NULL));
    fgti_mha_forward(&m, io->x, io->y);
    return FGT_OK;
}

/* ---- in a stream ---- */

static void attention_step_size(const fgti_layer *l, int64_t batch, fgti_shape in, int64_t room,
                                fgti_need *need)
{
    (void)batch;
    (void)in;
    fgti_mha_step_size(l, room, need);
}

static const char *attention_step_misfit(const fgti_layer *l, int64_t room)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    (void)room;
    if (conf.cross) return "reads a memory as a whole";
    return fgti_attention_stream_misfit(&conf.attention);
}

static fgt_status attention_step(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    fgti_mha            m;
    FGTI_TRY(fgti_mha_init(&m, run, l, io, &conf, io->cache, NULL));
    return fgti_mha_step(&m, io->x, io->y);
}

/* ---- gradients, matrices, costs ---- */

static fgt_status attention_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    fgti_mha            m;
    FGTI_TRY(fgti_mha_init(&m, run, l, io, &conf, io->cache, io->scratch));
    fgti_mha_backward(&m, io->x, io->dy, io->dx);
    return FGT_OK;
}

static fgt_status attention_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                                      int64_t shape[4], fgti_real *a)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    fgti_mha            m;
    FGTI_TRY(fgti_mha_init(&m, run, l, io, &conf, io->cache, NULL));
    fgti_mha_adjacency(&m, shape, a);
    return FGT_OK;
}

static void attention_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    const fgti_mha_conf conf = attention_conf_of(l);
    fgti_mha_prepare(run, l, io, &conf, unread);
}

/* Counts the projections of D by D or V, the scores of the queries that attend, and the product of these
 * scores with the values. Keys and values may come from a memory. */
static double attention_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_attention_opts *o = l->opts;
    const fgti_mha_conf       conf     = attention_conf_of(l);
    const fgti_attender *attender = attender_of(l);
    const int64_t        queries =
        attender->attending ? attender->attending(&conf.attention, in.time) : in.time;
    const double         d = (double)in.width, rows = (double)fgti_rows(batch, in);
    const double         groups = rows / (double)in.time;
    const double         keys   = (double)(l->inputs > 1 ? l->input[1].shape.time : in.time);
    /* maps: columns that are projected for each token of the keys' input: K and V, or only V if K is Q */
    const double v = (double)o->values, maps = attender->shared ? v : d + v;
    return 2 * rows * d * (d + (o->no_out ? 0 : v)) + 2 * groups * keys * d * maps +
           2 * groups * (double)queries * fgti_edges_keys(l, (int64_t)keys) * (d + v);
}

const fgti_class fgti_class_attention = {
    .name        = "attention",
    .opts        = attention_opts,
    .opts_size   = sizeof(fgt_attention_opts),
    .skips       = true,
    .more_inputs = 1,
    .strided     = true,
    .masks       = FGTI_MASKS_ALL,
    .plan        = attention_plan,
    .flops       = attention_flops,
    .shape       = fgti_edges_shape,
    .size        = attention_size,
    .forward     = attention_forward,
    .backward    = attention_backward,
    .step        = attention_step,
    .step_size   = attention_step_size,
    .step_misfit = attention_step_misfit,
    .prepare     = attention_prepare,
    .adjacency   = attention_adjacency,
};
