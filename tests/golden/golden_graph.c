/* SPDX-License-Identifier: BSD-3-Clause */
/* Random walks on graphs that are given or learned, and layers along the nodes. */
#include <stdio.h>
#include <string.h>

#include <fighter/blocks.h>
#include <fighter/graph.h>

#include "golden.h"

static int32_t axis_of(golden *g)
{
    const char *text = golden_meta(g, "axis");
    return text && !strcmp(text, "nodes") ? FGT_AXIS_NODES : FGT_AXIS_TIME;
}

void golden_diffusion(golden *g)
{
    const golden_shape    in    = golden_fold(golden_need(g, "input"));
    const fgti_st_tensor *w     = golden_need(g, "param.hop_weight");
    const int32_t         axis  = axis_of(g);
    const int64_t         nodes = axis == FGT_AXIS_NODES ? in.nodes : in.time;
    fgt_graph_destroy(&g->graph);
    if (golden_has(g, "adjacency"))
        golden_ok(g, fgt_graph_create_dense(g->ctx, FGT_VIEW(golden_floats(g, "adjacency"), nodes, nodes),
                                            &g->graph));
    const fgt_gcn_opts o = {.size      = sizeof o,
                            .graph     = g->graph,
                            .out       = w->shape[2],
                            .hops      = w->shape[0],
                            .act       = golden_act(g, golden_meta(g, "activation")),
                            .no_bias   = !golden_has(g, "param.bias"),
                            .diffusion = golden_flag(g, "diffusion"),
                            .learned   = (int64_t)golden_number(g, "learned", 0)};
    fgt_model *m = golden_layer(g, in, fgt_along(axis, fgt_gcn(&o)));
    golden_pass(g, m, in);
    golden_adjacency(g, m, "", "walks");
}

void golden_attention_along_nodes(golden *g)
{
    const golden_shape       in = golden_fold(golden_need(g, "input"));
    const fgt_attention_opts o  = {.size             = sizeof o,
                                   .heads            = (int64_t)golden_number(g, "heads", 1),
                                   .attention.causal = golden_flag(g, "causal")};
    golden_pass(g, golden_layer(g, in, fgt_along(FGT_AXIS_NODES, fgt_attention(&o))), in);
}

void golden_fighter_along_nodes(golden *g)
{
    const golden_shape     in = golden_fold(golden_need(g, "input"));
    const fgti_st_tensor  *w  = golden_need(g, "param.hop_weight");
    const fgt_fighter_opts o  = {.size = sizeof o,
                                 .out  = w->shape[2],
                                 .hops = w->shape[0],
                                 .act  = golden_act(g, golden_meta(g, "activation"))};
    golden_pass(g, golden_layer(g, in, fgt_along(FGT_AXIS_NODES, fgt_fighter(&o))), in);
}

/* Hops 0 and 1 from x to a memory, composed of other layers; the memory may have hops of its own before. */
void golden_fighter_cross(golden *g)
{
    const golden_shape        in     = golden_fold(golden_need(g, "input"));
    const golden_shape        kv     = golden_fold(golden_need(g, "input_kv"));
    const int64_t             h      = golden_need(g, "param.own.weight")->shape[0];
    const fgt_value_opts      value  = {.size = sizeof value, .time = kv.time, .features = kv.width};
    const fgt_linear_opts     own    = {.size = sizeof own, .out = h};
    const fgt_activation_opts act    = {.size = sizeof act,
                                        .kind = golden_act(g, golden_meta(g, "activation"))};
    const fgt_fighter_opts    source = {.size = sizeof source, .act = FGT_ACT_NONE};
    const fgt_attention_opts  cross  = {.size   = sizeof cross,
                                        .heads  = (int64_t)golden_number(g, "heads", 1),
                                        .values = h,
                                        .no_out = 1};
    const bool                hops   = golden_has(g, "param.source.hop_weight");
    const int64_t             n      = kv.batch * kv.time * kv.width;
    float                    *dkv    = golden_memory(g, n, sizeof *dkv);
    fgt_model                *m      = golden_model(g, in);
    golden_ok(g, fgt_model_add(m, fgt_named("memory", fgt_value(&value))));
    if (hops)
        golden_ok(g, fgt_model_add_from(m, fgt_named("source", fgt_fighter(&source)),
                                        (const char *[]){"memory"}, 1));
    golden_ok(g, fgt_model_add_from(m, fgt_named("own", fgt_linear(&own)), (const char *[]){""}, 1));
    golden_ok(g, fgt_model_add_from(m, fgt_named("cross", fgt_attention(&cross)),
                                    (const char *[]){"", hops ? "source" : "memory"}, 2));
    golden_ok(g, fgt_model_add_from(m, fgt_named("sum", fgt_sum(NULL)), (const char *[]){"own", "cross"}, 2));
    golden_ok(g, fgt_model_add(m, fgt_named("act", fgt_activation(&act))));
    golden_ok(g, fgt_workspace_set_value(fgt_model_get_workspace(m), "memory",
                                         FGT_VIEW(golden_floats(g, "input_kv"), kv.batch, kv.time, kv.width),
                                         FGT_VIEW(dkv, kv.batch, kv.time, kv.width)));
    golden_pass(g, m, in);
    golden_gradient_is(g, "grad.input_kv", n, dkv);
}

/* Attention along time and a graph convolution between the nodes, each with its norm behind it. */
static void add_stage(golden *g, fgt_model *m, const char *kind, int64_t layer, fgt_block_opts o)
{
    const int64_t hops = (int64_t)golden_number(g, "hops", 2);
    char          prefix[32];
    snprintf(prefix, sizeof prefix, "%s.%lld.", kind, (long long)layer);
    o.size      = sizeof o;
    o.block.layers           = 1;
    o.block.post_norm        = 1;
    o.prefix    = prefix;
    o.block.layer_hops       = &hops;
    o.block.layer_hops_count = 1;
    golden_ok(g, fgt_block_add(m, &o));
}

void golden_time_space(golden *g)
{
    const golden_shape   in   = golden_fold(golden_need(g, "input"));
    fgt_model           *m    = golden_model(g, in);
    const fgt_block_opts time  = {.block = {.kind         = FGT_BLOCK_ATTENTION,
                                            .heads        = (int64_t)golden_number(g, "heads", 1),
                                            .no_residual  = !golden_flag(g, "residual"),
                                            .diag_penalty = (float)golden_number(g, "diag_penalty", 0)}};
    const fgt_block_opts space = {.block.kind = FGT_BLOCK_GCN,
                                  .axis       = FGT_AXIS_NODES,
                                  .diffusion  = 1,
                                  .learned    = (int64_t)golden_number(g, "learned", 1)};
    for (int64_t i = 0; i < (int64_t)golden_number(g, "layers", 1); i++) {
        add_stage(g, m, "time", i, time);
        add_stage(g, m, "space", i, space);
    }
    golden_pass(g, m, in);
}
