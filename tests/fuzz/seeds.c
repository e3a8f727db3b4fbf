/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_model, fuzz_weights and fuzz_forecaster. usage: fuzz_seeds CORPUS_FOLDER */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fighter/forecast.h>

static fgt_context *ctx;
static const char  *corpus;

static void must(fgt_status s)
{
    if (s == FGT_OK) return;
    fprintf(stderr, "%s: %s\n", fgt_status_get_name(s), fgt_context_error(ctx));
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

/* Saves a model of up to three layers that takes x [1,6,features]. */
static void model(const char *folder, const char *name, int64_t features, fgt_layer a, fgt_layer b,
                  fgt_layer c)
{
    const fgt_layer layers[] = {a, b, c};
    fgt_model      *m;
    must(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 6, .features = features, .seed = 7), &m));
    for (int i = 0; i < 3; i++)
        if (layers[i].type) must(fgt_model_add(m, layers[i]));
    must(fgt_model_save(m, place(folder, name)));
    fgt_model_destroy(&m);
}

#define NEW(type, ...) fgt_##type(&FGT_OPTS(fgt_##type##_opts, __VA_ARGS__))

static void models(void)
{
    const fgt_layer none = {0};
    model("fuzz_model", "lstm", 3, NEW(lstm, .hidden = 2, .bidirectional = 1), NEW(linear, .out = 2), none);
    model("fuzz_model", "gru", 3, NEW(gru, .hidden = 2, .layers = 2), none, none);
    model("fuzz_model", "rnn", 3, NEW(rnn, .hidden = 2, .last = 1), none, none);
    model("fuzz_model", "transformer", 3, NEW(layer_norm, .eps = 0), NEW(linear, .out = 4),
          NEW(transformer, .heads = 2, .ff = 4));
    model("fuzz_model", "attention", 3, NEW(attention, .causal = 1), NEW(dropout, .p = 0.5f),
          NEW(activation, .kind = FGT_ACT_GELU));
    model("fuzz_model", "s4", 3, NEW(s4, .state = 4), NEW(pool, .kind = 0), none);
    model("fuzz_model", "revin", 3, NEW(revin, .eps = 0), NEW(position, .kind = FGT_POSITION_LEARNED),
          NEW(revin_inverse, .layer = 0));
    model("fuzz_model", "embedding", 0, NEW(embedding, .vocab = 5, .out = 2), NEW(position, .kind = 0), none);
    model("fuzz_weights", "linear_gru", 3, NEW(linear, .out = 4), NEW(gru, .hidden = 3), none);
}

static void forecaster(const char *name, int32_t kind, int32_t tokens)
{
    enum { ROWS = 80, SERIES = 2 };
    static const char *const  names[] = {"a", "\xc3\xb6l"};
    static double             values[ROWS][SERIES];
    const fgt_split           split = {0, 40, 40, 60, 60, 80};
    const fgt_forecaster_opts o     = {.size = sizeof o, .input_len = 24, .pred_len = 6, .kind = kind,
                                       .tokens = tokens, .dim = 4, .patch = 8, .stride = 8, .seed = 3};
    fgt_table                *table;
    fgt_forecaster           *f;
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < SERIES; s++) values[r][s] = sin(r * (s + 1) * 0.5);
    must(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_F64, values, ROWS, SERIES), &table));
    must(fgt_forecaster_create(ctx, &o, table, &split, &f));
    must(fgt_forecaster_save(f, place("fuzz_forecaster", name)));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    corpus = argv[1];
    if (fgt_context_create(NULL, &ctx)) return 1;
    models();
    forecaster("transformer", FGT_FORECAST_TRANSFORMER, FGT_TOKENS_PATCH);
    forecaster("lstm", FGT_FORECAST_LSTM, FGT_TOKENS_PATCH);
    forecaster("s4d", FGT_FORECAST_S4D, FGT_TOKENS_TIME);
    fgt_context_destroy(&ctx);
    return 0;
}
