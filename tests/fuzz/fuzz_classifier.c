/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifier files, model, vocabulary and classes: what loads must also classify. */
#include <fighter/classify.h>

#include "fuzz.h"

/* The classifiers of the corpus have two or three classes. Damaged sizes may describe models that are large
 * and legal: those are not worth the time. */
enum { TEXTS = 3, CLASSES = 8, MAX_BYTES = 1 << 22 };

static void classify(fgt_context *ctx, const uint8_t *data, size_t size)
{
    static const char *const texts[TEXTS] = {"Oil up, shares down!", "the goal \xff the match", ""};
    float                    p[TEXTS * CLASSES];
    fgt_classifier          *c    = NULL;
    fgt_classifier_info      info = {.size = sizeof info};
    const fgt_status loaded       = fgt_classifier_load(ctx, FGT_FROM_MEMORY(data, (int64_t)size), NULL, &c);
    fuzz_count(loaded == FGT_OK);
    if (loaded != FGT_OK) return;
    const int64_t bytes = fgt_model_get_workspace_bytes(fgt_classifier_get_model(c), NULL);
    if (bytes >= 0 && bytes <= MAX_BYTES && !fgt_classifier_get_info(c, &info) && info.classes <= CLASSES) {
        const fgt_status s =
            fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS),
                                   FGT_VIEW(p, TEXTS, info.classes), NULL);
        (void)s; /* any answer will do, a crash will not */
    }
    fgt_classifier_destroy(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx = fuzz_context();
    if (ctx) classify(ctx, data, size);
    return 0;
}
