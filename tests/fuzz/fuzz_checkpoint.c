/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of a training with all that one can have: what loads must also train, and what is refused
 * changes nothing. */
#include <stdlib.h>
#include <string.h>

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

/* A stranger can compute train.hash, too. Where it alone is wrong, the sentence says which is expected: puts
 * that into a copy of the file and loads again. */
static fgt_status load_with_hash(fgt_context *ctx, const training *t, const uint8_t *data, size_t size)
{
    static const char before[] = "\"train.hash\": file has \"", after[] = "\", expected \"";
    enum { HASH = 16 };
    const char *found = strstr(fgt_context_error(ctx), before);
    const char *right = found ? strstr(found += sizeof before - 1, after) : NULL;
    char        wrong[HASH], expected[HASH];
    if (!right || right - found != HASH) return FGT_E_FORMAT;
    memcpy(wrong, found, HASH);
    memcpy(expected, right + sizeof after - 1, HASH);
    uint8_t *copy = malloc(size);
    if (!copy) return FGT_E_NOMEM;
    memcpy(copy, data, size);
    for (size_t i = 0; i + HASH <= size; i++)
        if (!memcmp(copy + i, wrong, HASH)) memcpy(copy + i, expected, HASH);
    const fgt_status s = load(ctx, t, copy, size);
    free(copy);
    return s;
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
        if (s == FGT_E_FORMAT) s = load_with_hash(ctx, t, data, size);
        if (s != FGT_OK && fgt_model_get_hash(t->model) != before) abort();
        if (s != FGT_OK) continue;
        accepted = true;
        s        = training_step(t); /* any answer will do, a crash will not */
        training_close(t);
    }
    fuzz_count(accepted);
    return 0;
}
