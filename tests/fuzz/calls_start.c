/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that a world begins with. Most random calls are refused where there is nothing yet. */
#include "calls.h"
#include "core/context.h"

enum { ROWS = 40, SERIES = 2, TEXTS = 6, TIME = 4, WIDTH = 3 };

static void must(fgt_status s)
{
    if (s != FGT_OK) abort();
}

static void start_model(world *w, int i, bool recurrent)
{
    const fgt_model_opts o = {.size = sizeof o, .batch = 2, .time = TIME, .features = WIDTH, .seed = 3};
    must(fgt_model_create(w->ctx, &o, &w->model[i]));
    if (recurrent) {
        must(fgt_model_add(w->model[i], fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = WIDTH))));
    } else {
        must(fgt_model_add(w->model[i], fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 2))));
        must(fgt_model_add(w->model[i], fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.5f))));
    }
    must(fgt_model_add(w->model[i], fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2))));
}

static void start_table(world *w)
{
    static double            values[ROWS * SERIES];
    static const char *const names[SERIES] = {"a", "b"};
    for (int i = 0; i < ROWS * SERIES; i++) values[i] = i * 7 % 11;
    must(fgt_table_create(w->ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, SERIES), &w->table));
    must(fgt_scaler_create(w->ctx, SERIES, &w->scaler));
}

static void start_corpus(world *w)
{
    static const char *const classes[TEXTS] = {"1", "2", "1", "2", "1", "2"};
    static const char *const texts[TEXTS] = {"oil up",    "the goal", "oil and shares", "the match, the goal",
                                             "shares up", "the match"};
    const fgt_vocab_opts     o            = {.size = sizeof o, .min_count = 1};
    must(fgt_corpus_create(w->ctx, texts, classes, TEXTS, NULL, &w->corpus));
    if (fgt_vocab_create(w->corpus, &o, &w->vocab)) w->ctx->error.text[0] = 0; /* a build without texts */
}

void calls_start(world *w, unsigned bits)
{
    const fgt_attent_opts some = {.size = sizeof some, .samples = 4, .epochs = 3};
    for (int i = 0; i < MODELS; i++)
        if (bits >> i & 1) start_model(w, i, (bits >> 2 & 1) ^ (unsigned)i);
    if (bits & 8 && w->model[0]) must(fgt_optim_create(w->model[0], NULL, &w->optim[0]));
    if (bits & 16) must(fgt_attent_create(w->ctx, &some, &w->attent));
    if (bits & 32) start_table(w);
    if (bits & 64) start_corpus(w);
}
