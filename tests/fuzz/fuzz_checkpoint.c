/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of a training with all that one can have: what loads must also train. */
#include <fighter/base.h>
#include <fighter/train.h>

#include "core/context.h"
#include "fuzz.h"
#include "train/checkpoint.h"

/* Those of the corpus; other files are refused. */
enum { VOCAB = 6, WIDTH = 2, TIME = 3, SAMPLES = 5 };

static void go_on(const fgt_checkpoint *c, fgt_model *model)
{
    static int64_t x[TIME] = {1, 2, 1};
    static float   y[TIME * WIDTH];
    const fgt_view ids = {.data = x, .rank = 2, .shape = {1, TIME}, .dtype = FGT_I64};
    fgt_attent_subset subset = {.size = sizeof subset};
    fgt_status        s      = fgt_forward(model, &ids, FGT_VIEW(y, 1, TIME, WIDTH));
    if (s == FGT_OK) s = fgt_backward(model, FGT_VIEW(y, 1, TIME, WIDTH), NULL);
    if (s == FGT_OK) s = fgt_step(c->optim);
    s = fgt_attent_step(c->selector, &subset);
    (void)s; /* any answer will do, a crash will not */
}

/* fgt_checkpoint_load() takes a path; this is what it does with the file. */
static fgt_status load(fgt_context *ctx, const fgt_checkpoint *c, const uint8_t *data, size_t size)
{
    fgti_checkpoint file;
    fgti_input      in;
    fgt_status      s = fgti_input_memory(&ctx->error, data, (int64_t)size, &in);
    if (s != FGT_OK) return s;
    s = fgti_checkpoint_open(c, &in, &file);
    if (s == FGT_OK) s = fgti_checkpoint_apply(c, &file);
    fgti_checkpoint_close(ctx, &file);
    return s;
}

static void resume(fgt_context *ctx, const uint8_t *data, size_t size)
{
    const fgt_model_opts     shape = {.size = sizeof shape, .batch = 1, .time = TIME, .seed = 5};
    const fgt_embedding_opts table = {.size = sizeof table, .vocab = VOCAB, .out = WIDTH};
    const fgt_optim_opts     optim = {.size = sizeof optim, .weight_decay = 0.1};
    const fgt_attent_opts    few   = {.size = sizeof few, .samples = SAMPLES, .epochs = 4,
                                      .scores = FGT_ATTENT_SCORES_TRAINING};
    int64_t        place = 0;
    fgt_model     *model = NULL;
    fgt_checkpoint c     = {.size = sizeof c, .data = &place, .data_size = sizeof place};
    if (!fgt_layer_create(ctx, &shape, fgt_embedding(&table), &model) &&
        !fgt_optim_create(model, &optim, &c.optim) && !fgt_attent_create(ctx, &few, &c.selector) &&
        load(ctx, &c, data, size) == FGT_OK)
        go_on(&c, model);
    fgt_attent_destroy(&c.selector);
    fgt_optim_destroy(&c.optim);
    fgt_model_destroy(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx = fuzz_context();
    if (ctx) resume(ctx, data, size);
    return 0;
}
