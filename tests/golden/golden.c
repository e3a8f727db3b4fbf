/* SPDX-License-Identifier: BSD-3-Clause */
/* golden [--products auto|blis] [--complete] FILE...: builds the layer that each golden file describes and
 * compares everything in the file with what the library computes. Prints PASS, FAIL or SKIP for each; exits 1
 * when one failed, with --complete also when one was skipped: our own files hold nothing that we cannot
 * check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/graph.h>

#include "golden.h"
#include "model/files/safetensors_read.h"

static const struct {
    const char *layer;
    void (*run)(golden *g);
} runners[] = {
    {"linear", golden_linear},
    {"lora", golden_lora},
    {"layer_norm", golden_layer_norm},
    {"conv", golden_conv},
    {"max_pool", golden_max_pool},
    {"activation", golden_activation},
    {"quantiles", golden_quantiles},
    {"token_linear", golden_token_linear},
    {"slice", golden_slice},
    {"embedding", golden_embedding},
    {"embedding_meanpool", golden_embedding_meanpool},
    {"bag", golden_bag},
    {"positional_encoding", golden_positional_encoding},
    {"multihead_attention", golden_multihead_attention},
    {"prob_attention", golden_prob_attention},
    {"lsh_attention", golden_lsh_attention},
    {"autocorrelation", golden_autocorrelation},
    {"series_decomp", golden_series_decomp},
    {"autoformer_layernorm", golden_seasonal_norm},
    {"autoformer_encoder_layer", golden_autoformer_encoder_layer},
    {"decoder", golden_block_decoder},
    {"fighter", golden_fighter},
    {"transformer_encoder_layer", golden_transformer_encoder_layer},
    {"transformer_encoder", golden_transformer_encoder},
    {"equivalence", golden_equivalence},
    {"fighter_cross", golden_fighter_cross},
    {"flexible_gcn", golden_flexible_gcn},
    {"plain_gcn", golden_plain_gcn},
    {"diffusion_gcn", golden_diffusion},
    {"time_space", golden_time_space},
    {"attention_along_nodes", golden_attention_along_nodes},
    {"fighter_along_nodes", golden_fighter_along_nodes},
    {"rnn", golden_recurrent},
    {"gru", golden_recurrent},
    {"lstm", golden_recurrent},
    {"ssm_conv", golden_s4},
    {"s4_block", golden_s4},
    {"s4d_block", golden_s4},
    {"conv_2d", golden_conv_2d},
    {"patch_2d", golden_patch_2d},
    {"gather", golden_gather},
    {"scatter", golden_scatter},
    {"vit", golden_vit},
    {"masked_autoencoder", golden_masked_autoencoder},
    {"ridge", golden_ridge},
    {"course", golden_course},
    {"optimiser", golden_optimiser},
    {"lr_schedule", golden_lr_schedule},
    {"clip_grad_norm", golden_clip_grad_norm},
    {"empirical_ntk", golden_empirical_ntk},
    {"statistics", golden_statistics},
    {"sensitivity", golden_sensitivity},
    {"hops", golden_hops},
};

/* max |grad.*|: what a gradient that should be zero is measured by */
static double largest_gradient(golden *g)
{
    double largest = 0;
    for (int64_t i = 0; i < g->st->count; i++) {
        const char *name = g->st->tensors[i].name;
        if (strncmp(name, "grad.", 5) != 0) continue;
        const double *v = golden_doubles(g, name);
        for (int64_t j = 0; j < golden_count(&g->st->tensors[i]); j++) {
            const double a = v[j] < 0 ? -v[j] : v[j];
            largest        = a > largest ? a : largest;
        }
    }
    memset(g->used, 0, (size_t)g->st->count * sizeof *g->used);
    return largest;
}

typedef void (*runner)(golden *g);

static runner find_runner(const char *layer)
{
    for (size_t i = 0; i < sizeof runners / sizeof *runners; i++)
        if (!strcmp(runners[i].layer, layer)) return runners[i].run;
    return golden_is_loss(layer) ? golden_loss : NULL;
}

static void run_case(golden *g)
{
    const char *layer = golden_meta(g, "layer");
    if (!layer) golden_fail(g, "the metadata name no layer");
    const runner run = find_runner(layer);
    if (!run) golden_skip(g, "layer not built yet (%s)", layer);
    g->used    = golden_memory(g, g->st->count, sizeof *g->used);
    g->largest = largest_gradient(g);
    run(g);
    /* what nothing looked at is no pass */
    for (int64_t t = 0; !g->mismatches && t < g->st->count; t++)
        if (!g->used[t]) golden_skip(g, "tensor %s is not checked", g->st->tensors[t].name);
}

static void clean_up(golden *g)
{
    fgt_optim_destroy(&g->optim);
    for (int i = 0; i < g->models; i++) fgt_model_destroy(&g->model[i]);
    fgt_graph_destroy(&g->graph);
    for (int i = 0; i < g->blocks; i++) free(g->block[i]);
    fgti_st_close(g->ctx, &g->st);
}

static const char *case_name(const golden *g, const char *path)
{
    const char *name  = g->st ? golden_meta(g, "case") : NULL;
    const char *slash = strrchr(path, '/');
    return name ? name : slash ? slash + 1 : path;
}

static golden_verdict run_file(fgt_context *ctx, const char *path)
{
    static const char *const words[] = {"PASS", "FAIL", "SKIP"};
    static golden            g;
    g = (golden){.ctx = ctx};
    if (!setjmp(g.leave)) {
        golden_ok(&g, fgti_st_open(ctx, path, &g.st));
        run_case(&g);
    }
    printf("%s %s", words[g.verdict], case_name(&g, path));
    if (g.verdict != GOLDEN_PASS) printf(": %s", g.text);
    if (g.mismatches > 1) printf(" (and %d more)", g.mismatches - 1);
    printf("\n");
    clean_up(&g);
    return g.verdict;
}

typedef struct options {
    int32_t products;
    bool    complete;
} options;

/* Returns the number of the first file; 0: something else stands there. */
static int read_options(int argc, char **argv, options *o)
{
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        const char *products = !strcmp(argv[i], "--products") && i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--complete"))
            o->complete = true;
        else if (!strcmp(products, "auto") || !strcmp(products, "blis"))
            o->products = strcmp(argv[++i], "blis") ? FGT_PRODUCTS_AUTO : FGT_PRODUCTS_BLIS;
        else
            return 0;
    }
    return i < argc ? i : 0;
}

int main(int argc, char **argv)
{
    fgt_context *ctx;
    options      o        = {.products = FGT_PRODUCTS_AUTO};
    int          count[3] = {0}, first = read_options(argc, argv, &o);
    if (!first) {
        fprintf(stderr, "usage: golden [--products auto|blis] [--complete] FILE...\n");
        return 2;
    }
    const fgt_context_opts opts = FGT_OPTS(fgt_context_opts, .threads = 2, .products = o.products);
    if (fgt_context_create(&opts, &ctx) != FGT_OK) {
        fprintf(stderr, "golden: no context\n");
        return 2;
    }
    for (int i = first; i < argc; i++) count[run_file(ctx, argv[i])]++;
    fgt_context_destroy(&ctx);
    if (argc > first + 1)
        printf("%d passed, %d failed, %d skipped\n", count[GOLDEN_PASS], count[GOLDEN_FAIL],
               count[GOLDEN_SKIP]);
    return count[GOLDEN_FAIL] > 0 || (o.complete && count[GOLDEN_SKIP] > 0);
}
