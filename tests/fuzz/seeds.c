/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_adapter, fuzz_model, fuzz_weights, fuzz_forecaster, fuzz_checkpoint and
 * fuzz_attent. usage: fuzz_seeds CORPUS_FOLDER */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fighter/experimental/adapter.h>
#include <fighter/forecast.h>

#include "../model_info.h"
#include "adapted.h"
#include "training.h"

static fgt_context *ctx;
static const char  *corpus;

static void must(fgt_status s)
{
    if (s == FGT_OK) return;
    fprintf(stderr, "%s: %s\n", fgt_status_get_name(s), fgt_context_get_error(ctx));
    exit(1);
}

static const char *place(const char *folder, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", corpus, folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", corpus, folder, name);
    return path;
}

enum { TOKENS = 6 };

/* A model that takes x [1,6,features], or ids. */
static fgt_model *begin(int64_t features)
{
    fgt_model *m;
    must(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = TOKENS, .features = features, .seed = 7), &m));
    return m;
}

static void finish(fgt_model *m, const char *folder, const char *name)
{
    must(fgt_model_save(m, FGT_TO_FILE(place(folder, name))));
    fgt_model_destroy(&m);
}

/* A chain of up to three layers. */
static void model(const char *folder, const char *name, int64_t features, fgt_layer a, fgt_layer b,
                  fgt_layer c)
{
    const fgt_layer layers[] = {a, b, c};
    fgt_model      *m        = begin(features);
    for (int i = 0; i < 3; i++)
        if (layers[i].type) must(fgt_model_add(m, layers[i]));
    finish(m, folder, name);
}

#define NEW(type, ...) fgt_##type(&FGT_OPTS(fgt_##type##_opts, __VA_ARGS__))
#define LIST(...)         \
    (const char *const[]) \
    {                     \
        __VA_ARGS__       \
    }
#define ADD(m, layer) must(fgt_model_add(m, layer))
#define FROM(m, layer, ...) \
    must(fgt_model_add_from(m, layer, LIST(__VA_ARGS__), sizeof(LIST(__VA_ARGS__)) / sizeof(char *)))

static void models(void)
{
    const fgt_layer none = {0};
    model("fuzz_model", "lstm", 3, NEW(lstm, .hidden = 2, .bidirectional = 1), NEW(linear, .out = 2), none);
    model("fuzz_model", "gru", 3, NEW(gru, .hidden = 2, .layers = 2), none, none);
    model("fuzz_model", "rnn", 3, NEW(rnn, .hidden = 2, .last = 1), none, none);
    model("fuzz_model", "transformer", 3, NEW(layer_norm, .eps = 0), NEW(linear, .out = 4),
          NEW(transformer, .heads = 2, .ff = 4));
    model("fuzz_model", "attention", 3, NEW(attention, .attention.causal = 1), NEW(dropout, .p = 0.5f),
          NEW(activation, .kind = FGT_ACT_GELU));
    model("fuzz_model", "s4", 3, NEW(s4, .state = 4), NEW(pool, .kind = 0), none);
    model("fuzz_model", "revin", 3, NEW(revin, .eps = 0), NEW(position, .kind = FGT_POSITION_LEARNED),
          NEW(revin_inverse, .reserved = 0));
    model("fuzz_model", "embedding", 0, NEW(embedding, .vocab = 5, .out = 2), NEW(position, .kind = 0), none);
    model("fuzz_weights", "linear_gru", 3, NEW(linear, .out = 4), NEW(gru, .hidden = 3), none);
}

/* ---- models with more than a chain ---- */

static void branches(void)
{
    fgt_model *m = begin(3);
    ADD(m, fgt_named("r", NEW(revin, .eps = 0)));
    ADD(m, fgt_named("a", NEW(linear, .out = 3)));
    ADD(m, fgt_named("b", fgt_shared("a")));
    FROM(m, fgt_named("s", NEW(sum, .weight = {1, -0.5f})), "a", "b", "r");
    FROM(m, fgt_named("mean", fgt_pool(NULL)), "a");
    FROM(m, fgt_named("c", fgt_concat(NULL)), "s", "mean", "");
    ADD(m, fgt_named("out", NEW(linear, .out = 3)));
    FROM(m, fgt_revin_inverse(NULL), "out", "r");
    finish(m, "fuzz_model", "branches");
}

static void values(void)
{
    fgt_model *m = begin(3);
    ADD(m, fgt_named("known", fgt_value(NULL)));
    ADD(m, fgt_named("mask", NEW(value, .kind = FGT_VALUE_KEY_PADDING)));
    ADD(m, fgt_named("ids", NEW(value, .kind = FGT_VALUE_IDS)));
    FROM(m, fgt_named("words", NEW(embedding, .vocab = 4, .out = 3)), "ids");
    FROM(m, fgt_named("cross", NEW(attention, .heads = 1)), "", "known", "mask");
    FROM(m, fgt_named("again", fgt_shared("cross")), "cross", "words");
    FROM(m, fgt_sum(NULL), "again", "words");
    finish(m, "fuzz_model", "values");
}

static void prob(void)
{
    fgt_model *m = begin(4);
    ADD(m, fgt_named("keys", NEW(value, .kind = FGT_VALUE_SAMPLED_KEYS)));
    FROM(m, NEW(attention, .heads = 2, .attention.attender = FGT_ATTENDER_PROB, .attention.factor = 1), "",
         "keys");
    ADD(m, NEW(attention, .heads = 1, .attention.attender = FGT_ATTENDER_PROB, .attention.factor = 2,
               .attention.causal = 1));
    finish(m, "fuzz_model", "prob");
}

static void correlation(void)
{
    fgt_model *m = begin(4);
    ADD(m, NEW(attention, .heads = 2, .attention.attender = FGT_ATTENDER_CORRELATION,
               .attention.own_delays = 1));
    ADD(m, NEW(moving_average, .window = 3, .remove = 1));
    ADD(m, NEW(layer_norm, .seasonal = 1));
    finish(m, "fuzz_model", "correlation");
}

static void axis(void)
{
    fgt_model *m = begin(3);
    ADD(m, fgt_along(FGT_AXIS_NODES, NEW(fighter, .hops = 2)));
    ADD(m, fgt_along(FGT_AXIS_NODES, NEW(gru, .hidden = 2)));
    ADD(m, NEW(gcn, .learned = 2, .diffusion = 1));
    finish(m, "fuzz_model", "axis");
}

static void conv(void)
{
    fgt_model *m = begin(3);
    ADD(m, NEW(conv, .out = 4, .padding = FGT_CONV_PADDING_CIRCULAR));
    ADD(m, NEW(max_pool, .kernel = 3, .stride = 2));
    ADD(m, NEW(conv, .kernel = 1, .no_bias = 1));
    finish(m, "fuzz_model", "conv");
}

static void lsh(void)
{
    fgt_model *m = begin(4);
    ADD(m, fgt_named("rotations", NEW(value, .kind = FGT_VALUE_ROTATIONS)));
    FROM(m,
         NEW(attention, .heads = 2, .attention.attender = FGT_ATTENDER_LSH, .attention.bucket_size = 2,
             .attention.n_hashes = 2),
         "", "rotations");
    ADD(m, NEW(attention, .heads = 1, .attention.attender = FGT_ATTENDER_LSH, .attention.bucket_size = 3,
               .attention.causal = 1));
    finish(m, "fuzz_model", "lsh");
}

static void frozen(void)
{
    fgt_model *m;
    must(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 2), NEW(linear, .out = 2), &m));
    must(fgt_model_set_frozen(m, "weight", 1));
    finish(m, "fuzz_model", "frozen");
}

/* Each token is joined to itself and the next one; kept as a matrix, or as edges. */
static void gcn(const char *name, bool edges)
{
    float      weight[TOKENS][TOKENS] = {0};
    int64_t    first[TOKENS + 1] = {0}, to[2 * TOKENS], count = 0;
    fgt_graph *graph;
    for (int i = 0; i < TOKENS; i++) {
        for (int k = i; k < TOKENS && k < i + 2; k++) {
            weight[i][k] = 1;
            to[count++]  = k;
        }
        first[i + 1] = count;
    }
    const fgt_view rows = *FGT_VIEW_OF(FGT_DTYPE_I64, first, TOKENS + 1),
                   list = *FGT_VIEW_OF(FGT_DTYPE_I64, to, count);
    must(edges ? fgt_graph_create_csr(ctx, &rows, &list, NULL, &graph)
               : fgt_graph_create_dense(ctx, FGT_VIEW(weight, TOKENS, TOKENS), &graph));
    model("fuzz_model", name, 3, NEW(gcn, .graph = graph, .out = 2, .hops = 2, .no_bias = 1),
          fgt_layer_norm(NULL), NEW(dropout, .p = 0.5f));
    fgt_graph_destroy(&graph);
}

static void patch(void)
{
    fgt_model *m = begin(3);
    ADD(m, fgt_revin(NULL));
    ADD(m, NEW(patch, .length = 3, .stride = 2));
    ADD(m, NEW(linear, .out = 4));
    ADD(m, NEW(attention, .heads = 2));
    ADD(m, NEW(layout, .kind = FGT_LAYOUT_FLATTEN));
    ADD(m, NEW(linear, .out = 2));
    ADD(m, NEW(layout, .kind = FGT_LAYOUT_MERGE));
    ADD(m, fgt_revin_inverse(NULL));
    finish(m, "fuzz_model", "patch");
}

static void fighter(void)
{
    fgt_model *m = begin(3);
    ADD(m, NEW(linear, .out = 4));
    ADD(m, NEW(position, .kind = FGT_POSITION_LEARNED));
    ADD(m, NEW(fighter, .heads = 2, .hops = 2, .norm = 1));
    ADD(m, fgt_pool(NULL));
    finish(m, "fuzz_model", "fighter");
}

static void checkpoint(const char *name, bool with_branches)
{
    training t;
    must(training_open(ctx, with_branches, &t));
    for (int i = 0; i < 2; i++) must(training_step(&t));
    t.place = 2;
    must(fgt_checkpoint_save(&t.c, place("fuzz_checkpoint", name)));
    training_close(&t);
}

static void forecaster(const char *name, int32_t block, int32_t tokens)
{
    enum { ROWS = 80, SERIES = 2 };
    static const char *const  names[] = {"a", "\xc3\xb6l"};
    static double             values[ROWS][SERIES];
    const fgt_split           split = {0, 40, 40, 60, 60, 80};
    const fgt_forecaster_opts o     = {.size          = sizeof o,
                                       .input_len     = 24,
                                       .pred_len      = 6,
                                       .block.kind    = block,
                                       .tokens.kind   = tokens,
                                       .tokens.dim    = 4,
                                       .tokens.patch  = 8,
                                       .tokens.stride = 8,
                                       .seed          = 3};
    fgt_table                *table;
    fgt_forecaster           *f;
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < SERIES; s++) values[r][s] = sin(r * (s + 1) * 0.5);
    must(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, SERIES), &table));
    must(fgt_forecaster_create(ctx, table, &split, &o, &f));
    must(fgt_forecaster_save(f, FGT_TO_FILE(place("fuzz_forecaster", name))));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static fgt_status take_log(void *file, const char *text, size_t size)
{
    return fwrite(text, 1, size, file) == size ? FGT_OK : FGT_E_IO;
}

/* The log of a selector of fuzz_attent.c, behind the two bytes that choose its options. */
static void selection_log(const char *name, int32_t strategy, bool indices, const float *reference)
{
    enum { EXCESS = 63 }; /* of scores with a reference, in the first byte */
    enum { SELECTED_FROM = 9 };
    const float           score[SELECTED_FROM] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
    const int64_t         index[SELECTED_FROM] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const fgt_attent_opts o = {.size = sizeof o, .samples = SELECTED_FROM, .epochs = 5, .seed = 3,
                               .log = take_log, .log_user = fopen(place("fuzz_attent", name), "wb"),
                               .strategy = strategy, .log_indices = indices, .reference = reference,
                               .elements = reference ? 3 : 0};
    fgt_attent_subset     s = {.size = sizeof s};
    fgt_attent           *a;
    if (!o.log_user) exit(1);
    fputc(strategy + (reference ? EXCESS : 0), o.log_user);
    fputc(indices ? 128 : 0, o.log_user);
    must(fgt_attent_create(ctx, &o, &a));
    while (!s.stop) {
        must(fgt_attent_add(a, index, SELECTED_FROM, score));
        must(fgt_attent_begin_epoch(a, &s));
    }
    fgt_attent_destroy(&a);
    if (fclose(o.log_user)) exit(1);
}

/* A target, a past and a known column, the calendar, and holidays if there are some. */
static void forecaster_of_roles(const char *name, const fgt_days *days)
{
    enum { ROWS = 80, COLUMNS = 3 };
    static const char *const  names[] = {"y", "p", "k"};
    static double             values[ROWS][COLUMNS];
    static int64_t            times[ROWS];
    const fgt_split           split = {0, 60, 60, 80, 80, 80};
    const fgt_forecaster_opts o     = {.size               = sizeof o,
                                       .input_len          = 24,
                                       .pred_len           = 6,
                                       .tokens.dim         = 4,
                                       .tokens.patch       = 8,
                                       .tokens.stride      = 8,
                                       .seed               = 3,
                                       .inputs.past        = names + 1,
                                       .inputs.past_count  = 1,
                                       .inputs.known       = names + 2,
                                       .inputs.known_count = 1,
                                       .inputs.holidays    = days};
    fgt_table                *table;
    fgt_forecaster           *f;
    for (int r = 0; r < ROWS; r++) {
        times[r] = (int64_t)r * 3600000;
        for (int c = 0; c < COLUMNS; c++) values[r][c] = sin(r * (c + 1) * 0.5);
    }
    must(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, COLUMNS), &table));
    must(fgt_table_set_times(table, FGT_VIEW_OF(FGT_DTYPE_I64, times, ROWS), 0));
    must(fgt_forecaster_create(ctx, table, &split, &o, &f));
    must(fgt_forecaster_save(f, FGT_TO_FILE(place("fuzz_forecaster", name))));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static void forecaster_of_holidays(void)
{
    static const int64_t     times[] = {86400000, 172800000, 864000000};
    static const char *const names[] = {"a", "b", NULL};
    fgt_days                *days;
    must(fgt_days_create(ctx, times, names, 3, &days));
    forecaster_of_roles("holidays", days);
    fgt_days_destroy(&days);
}

/* It keeps the names of the columns of a long file, in whose place it is saved. */
static void forecaster_of_long(void)
{
    enum { ROWS = 80, SERIES = 2 };
    const char               *path  = place("fuzz_forecaster", "long");
    const fgt_csv_opts        csv   = {.size = sizeof csv, .form = FGT_TABLE_FORM_LONG};
    const fgt_split           split = {0, 60, 60, 80, 80, 80};
    const fgt_forecaster_opts o     = {.size          = sizeof o,
                                       .input_len     = 24,
                                       .pred_len      = 6,
                                       .tokens.dim    = 4,
                                       .tokens.patch  = 8,
                                       .tokens.stride = 8,
                                       .seed          = 3};
    FILE                     *file  = fopen(path, "w");
    fgt_table                *table;
    fgt_forecaster           *f;
    if (!file) exit(1);
    fputs("unique_id,ds,y\n", file);
    for (int i = 0; i < SERIES * ROWS; i++)
        fprintf(file, "%c,%lld,%g\n", 'a' + i / ROWS, INT64_C(1600000000) + i % ROWS * 86400LL, sin(i));
    if (fclose(file)) exit(1);
    must(fgt_table_load(ctx, path, &csv, &table));
    must(fgt_forecaster_create(ctx, table, &split, &o, &f));
    must(fgt_forecaster_save(f, FGT_TO_FILE(path)));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Both files of the folder, which are inputs of their own; and a model file with an adapter. */
static void adapter(void)
{
    fgt_model *m;
    must(adapted_create(ctx, &m));
    (void)place("fuzz_adapter", "");
    must(fgt_model_save_adapter(m, "first", place("fuzz_adapter", "")));
    must(fgt_model_set_adapter(m, "first"));
    finish(m, "fuzz_model", "adapter");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    corpus = argv[1];
    if (fgt_context_create(NULL, &ctx)) return 1;
    adapter();
    models();
    branches();
    values();
    prob();
    correlation();
    axis();
    conv();
    lsh();
    frozen();
    gcn("gcn", false);
    gcn("gcn_edges", true);
    patch();
    fighter();
    checkpoint("embedding.safetensors", false);
    checkpoint("branches.safetensors", true);
    forecaster("transformer", FGT_BLOCK_TRANSFORMER, FGT_TOKENS_PATCH);
    forecaster("lstm", FGT_BLOCK_LSTM, FGT_TOKENS_PATCH);
    forecaster("s4d", FGT_BLOCK_S4D, FGT_TOKENS_TIME);
    forecaster("s4", FGT_BLOCK_S4, FGT_TOKENS_TIME);
    forecaster("rnn", FGT_BLOCK_RNN, FGT_TOKENS_TIME);
    forecaster("gru", FGT_BLOCK_GRU, FGT_TOKENS_PATCH);
    forecaster("mlp", FGT_BLOCK_MLP, FGT_TOKENS_VARIATE);
    selection_log("log_soft", FGT_ATTENT_STRATEGY_SOFT, false, NULL);
    selection_log("log_soft_indices", FGT_ATTENT_STRATEGY_SOFT, true, NULL);
    selection_log("log_infobatch", FGT_ATTENT_STRATEGY_INFOBATCH, true, NULL);
    selection_log("log_excess", FGT_ATTENT_STRATEGY_HARD, true,
                  (const float[]){2, 2, 2, 0.5F, 6, 9, -1, 0, 5}); /* as in fuzz_attent.c */
    forecaster_of_roles("roles", NULL);
    forecaster_of_holidays();
    forecaster_of_long();
    fgt_context_destroy(&ctx);
    return 0;
}
