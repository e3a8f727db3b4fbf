/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of a training with all that one can have: what loads must also train. */
#include <fighter/base.h>
#include <fighter/train.h>

#include "core/context.h"
#include "fuzz.h"
#include "train/checkpoint.h"
#include "training.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx = fuzz_context();
    for (int branches = 0; ctx && branches < 2; branches++) {
        training t;
        if (training_open(ctx, branches, &t) != FGT_OK) continue;
        if (load(ctx, &t.c, data, size) == FGT_OK) {
            const fgt_status s = training_step(&t);
            (void)s; /* any answer will do, a crash will not */
        }
        training_close(&t);
    }
    return 0;
}
