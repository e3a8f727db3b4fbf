/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_TRAINING_H
#define FUZZ_TRAINING_H

/* The two trainings whose checkpoints fuzz_checkpoint reads and seeds.c writes: of an embedding alone, and of
 * a model with branches. */

#include <stdbool.h>

#include <fighter/train.h>

enum { VOCAB = 6, WIDTH = 2, TIME = 3, SAMPLES = 5 };

typedef struct training {
    fgt_model     *model;
    fgt_checkpoint c;
    int64_t        place; /* the host's own state */
} training;

/* ids -> embedding -+------- gru ---------+-- sum
 *                   +-- shared embedding -+                 */
static inline fgt_status training_layers(fgt_model *m, bool branches)
{
    const fgt_embedding_opts table = {.size = sizeof table, .vocab = VOCAB, .out = WIDTH};
    const fgt_gru_opts       gru   = {.size = sizeof gru, .hidden = WIDTH};
    fgt_status               s     = fgt_model_add(m, fgt_named("words", fgt_embedding(&table)));
    if (!branches || s != FGT_OK) return s;
    s = fgt_model_add(m, fgt_named("deep", fgt_gru(&gru)));
    if (s == FGT_OK)
        s = fgt_model_add_from(m, fgt_named("again", fgt_shared("words")), (const char *[]){""}, 1);
    if (s == FGT_OK) s = fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"words", "deep", "again"}, 3);
    return s == FGT_OK ? fgt_model_set_frozen(m, "*bias*", 1) : s;
}

static inline void training_close(training *t)
{
    fgt_attent_destroy(&t->c.selector);
    fgt_optim_destroy(&t->c.optim);
    fgt_model_destroy(&t->model);
}

static inline fgt_status training_open(fgt_context *ctx, bool branches, training *t)
{
    const fgt_model_opts  shape = {.size = sizeof shape, .batch = 1, .time = TIME, .seed = 5};
    const fgt_optim_opts  optim = {.size = sizeof optim, .weight_decay = 0.1};
    const fgt_attent_opts few   = {.size = sizeof few, .samples = SAMPLES, .epochs = 4,
                                   .scores = FGT_ATTENT_SCORES_TRAINING};
    *t           = (training){.model = NULL};
    t->c         = (fgt_checkpoint){.size = sizeof t->c, .data = &t->place, .data_size = sizeof t->place};
    fgt_status s = fgt_model_create(ctx, &shape, &t->model);
    if (s == FGT_OK) s = training_layers(t->model, branches);
    if (s == FGT_OK) s = fgt_optim_create(t->model, &optim, &t->c.optim);
    if (s == FGT_OK) s = fgt_attent_create(ctx, &few, &t->c.selector);
    if (s != FGT_OK) training_close(t);
    return s;
}

/* One step; an epoch of the selector begins. */
static inline fgt_status training_step(training *t)
{
    static int64_t    x[TIME] = {1, 2, 1};
    static float      y[TIME * WIDTH];
    const fgt_view    ids    = {.data = x, .rank = 2, .shape = {1, TIME}, .dtype = FGT_DTYPE_I64};
    fgt_attent_subset subset = {.size = sizeof subset};
    fgt_status        s      = fgt_forward(t->model, &ids, FGT_VIEW(y, 1, TIME, WIDTH));
    if (s == FGT_OK) s = fgt_backward(t->model, FGT_VIEW(y, 1, TIME, WIDTH), NULL);
    if (s == FGT_OK) s = fgt_step(t->c.optim);
    if (s == FGT_OK) s = fgt_attent_begin_epoch(t->c.selector, &subset);
    return s;
}

#endif
