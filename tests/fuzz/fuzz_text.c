/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts to words. The first byte chooses options, the rest is the text. Words are what the header says, and
 * the same when they are read again. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "fuzz.h"
#include "text/vocab/tokens.h"

static void check_word(fgti_tokens *again, const char *word, int64_t size)
{
    bool valid = size > 0;
    for (int64_t i = 0, n; i < size && valid; i += n) n = fgti_utf8_next(word + i, size - i, &valid);
    if (!valid || strlen(word) != (size_t)size) abort();
    if (fgti_tokens_read(again, word, size) != FGT_OK) abort();
    if (again->words.count != 1 || strcmp(fgti_strings_get(&again->words, 0), word) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fgt_context ctx = {.allocator = {sizeof ctx.allocator, NULL, fgti_libc_alloc, fgti_libc_release}};
    fgti_tokens        t, again;
    fgti_bytes         clean    = {0};
    int64_t            replaced = 0;
    if (size < 1 || memchr(data, 0, size)) return 0;
    const fgt_vocab_opts o = {.size = sizeof o, .punctuation = data[0] & 1,
                              .symbols = 1 + (data[0] >> 1 & 1)};
    const fgt_status     s = fgti_tokens_init(&ctx, &o, &t), r = fgti_tokens_init(&ctx, &o, &again);
    if (s == FGT_OK && r == FGT_OK && size > 1) {
        if (fgti_utf8_add(&ctx, &clean, (const char *)data + 1, (int64_t)size - 1, &replaced)) abort();
        if (replaced > (int64_t)size - 1 || fgti_tokens_read(&t, clean.s, clean.used)) abort();
        for (int64_t i = 0; i < t.words.count; i++)
            check_word(&again, fgti_strings_get(&t.words, i), fgti_strings_size(&t.words, i));
    }
    fgti_bytes_done(&ctx, &clean);
    fgti_tokens_done(&again);
    fgti_tokens_done(&t);
    return 0;
}
