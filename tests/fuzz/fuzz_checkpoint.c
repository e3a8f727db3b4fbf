/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of a training with all that one can have: what loads must also train, and what is refused
 * changes nothing. */
#include <stdlib.h>

#include <fighter/base.h>
#include <fighter/train.h>

#include "core/context.h"
#include "fuzz.h"
#include "train/checkpoint.h"
#include "training.h"

enum { TRAININGS = 2 };

/* Kept from input to input, until one loads. */
static training kept[TRAININGS];

static void close_kept(void)
{
    for (int i = 0; i < TRAININGS; i++) training_close(&kept[i]);
}

static training *training_of(fgt_context *ctx, int i)
{
    static int known; /* the context is older, so that it is destroyed after the trainings */
    if (!known++) atexit(close_kept);
    if (!kept[i].model && training_open(ctx, i, &kept[i]) != FGT_OK) return NULL;
    return &kept[i];
}

static fgt_status load(fgt_context *ctx, const training *t, const uint8_t *data, size_t size)
{
    fgti_input in;
    if (fgti_input_memory(&ctx->error, data, (int64_t)size, &in)) abort();
    return fgti_checkpoint_load(&t->c, &in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx      = fuzz_context();
    bool         accepted = false;
    for (int i = 0; ctx && i < TRAININGS; i++) {
        training *t = training_of(ctx, i);
        if (!t) continue;
        const uint64_t before = fgt_model_get_hash(t->model);
        fgt_status     s      = load(ctx, t, data, size);
        if (s != FGT_OK && fgt_model_get_hash(t->model) != before) abort();
        if (s != FGT_OK) continue;
        accepted = true;
        s        = training_step(t); /* any answer will do, a crash will not */
        training_close(t);
    }
    fuzz_count(accepted);
    return 0;
}
