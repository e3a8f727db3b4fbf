/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/strings/words.h"

#include <string.h>

#include "core/context.h"

/* The slot of the string, or the empty one where it belongs. */
static int64_t words_place(const fgti_words *w, const char *s, int64_t size)
{
    const int64_t mask = w->slots - 1;
    int64_t       at   = (int64_t)(fgti_keyed_hash(&w->key, s, size) & (uint64_t)mask);
    for (; w->slot[at]; at = (at + 1) & mask) {
        const int64_t i = w->slot[at] - 1;
        if (fgti_strings_size(&w->texts, i) == size &&
            !memcmp(fgti_strings_get(&w->texts, i), s, (size_t)size))
            break;
    }
    return at;
}

static fgt_status grow_slots(fgt_context *ctx, fgti_words *w)
{
    if (2 * (w->texts.count + 1) <= w->slots) return FGT_OK;
    fgti_words bigger = *w;
    bigger.slots      = w->slots ? 2 * w->slots : 64;
    if (!w->slots) bigger.key = fgti_hash_key_draw();
    FGTI_TRY(FGTI_NEW(ctx, bigger.slots, "words", &bigger.slot));
    for (int64_t i = 0; i < w->texts.count; i++)
        bigger.slot[words_place(&bigger, fgti_strings_get(&w->texts, i), fgti_strings_size(&w->texts, i))] =
            (int32_t)i + 1;
    fgti_free(ctx, w->slot);
    *w = bigger;
    return FGT_OK;
}

fgt_status fgti_words_add(fgt_context *ctx, fgti_words *w, const char *s, int64_t size, int64_t *number)
{
    if (w->texts.count >= INT64_C(1) << 30)
        return fgti_fail(&ctx->error, FGT_E_SIZE, "more than 2^30 different words");
    FGTI_TRY(grow_slots(ctx, w));
    const int64_t at = words_place(w, s, size);
    if (!w->slot[at]) {
        const int64_t n = w->texts.count;
        FGTI_TRY(fgti_grow(ctx, "counts of words", sizeof *w->count, n, n + 1, 2 * n + 8, &w->count_capacity,
                           (void **)&w->count));
        FGTI_TRY(fgti_strings_add(ctx, &w->texts, s, size));
        w->count[n] = 0;
        w->slot[at] = (int32_t)n + 1;
    }
    *number = w->slot[at] - 1;
    return FGT_OK;
}

/* Adds all strings of a list; their counts stay 0. */
static fgt_status words_add_all(fgt_context *ctx, fgti_words *w, const fgti_strings *list)
{
    int64_t ignored;
    for (int64_t i = 0; i < list->count; i++)
        FGTI_TRY(fgti_words_add(ctx, w, fgti_strings_get(list, i), fgti_strings_size(list, i), &ignored));
    return FGT_OK;
}

fgt_status fgti_strings_add_new(fgt_context *ctx, fgti_strings *list, const fgti_strings *more)
{
    fgti_words all = {0};
    int64_t    number;
    if (!more->count) return FGT_OK;
    fgt_status s = words_add_all(ctx, &all, list);
    for (int64_t i = 0; s == FGT_OK && i < more->count; i++) {
        const char   *text  = fgti_strings_get(more, i);
        const int64_t count = all.texts.count;
        s                   = fgti_words_add(ctx, &all, text, fgti_strings_size(more, i), &number);
        if (s == FGT_OK && number == count)
            s = fgti_strings_add(ctx, list, text, fgti_strings_size(more, i));
    }
    fgti_words_done(ctx, &all);
    return s;
}

int64_t fgti_words_find(const fgti_words *w, const char *s, int64_t size)
{
    return w->slots ? w->slot[words_place(w, s, size)] - 1 : -1;
}

void fgti_words_cut(fgti_words *w, int64_t count)
{
    fgti_strings *t = &w->texts;
    while (t->count > count) { /* the slot of the last string can be emptied, because no string was added
                                * after it */
        const int64_t i = t->count - 1;
        w->slot[words_place(w, fgti_strings_get(t, i), fgti_strings_size(t, i))] = 0;
        t->used = t->begin[i];
        t->count--;
    }
}

void fgti_words_done(fgt_context *ctx, fgti_words *w)
{
    fgti_strings_done(ctx, &w->texts);
    fgti_free(ctx, w->count);
    fgti_free(ctx, w->slot);
    *w = (fgti_words){0};
}
