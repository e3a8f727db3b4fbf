/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TOKENS_H
#define FGTI_TOKENS_H

/* Texts to words, as fgt_vocab in text.h describes it. */

#include "data/list.h"
#include "text/utf8.h"

#define FGTI_PREFIX_MAX 32 /* characters */

/* Used for one text after another, it soon allocates no more. */
typedef struct fgti_tokens {
    fgt_context *ctx;
    bool         punctuation;
    fgti_strings words;  /* of the last text */
    fgti_bytes   joined; /* the same with a blank between two, after fgti_tokens_join() */
    char         prefix[4 * FGTI_PREFIX_MAX + 1]; /* the last one asked for */
    int32_t     *points;                          /* its normalised code points */
    int64_t      capacity;
} fgti_tokens;

/* FGT_E_UNSUPPORTED without libutf8proc. fgti_tokens_done() is due even after an error. */
fgt_status fgti_tokens_init(fgt_context *ctx, bool punctuation, fgti_tokens *t);
/* Replaces t->words by those of a text, n bytes of valid UTF-8 without a NUL. */
fgt_status fgti_tokens_read(fgti_tokens *t, const char *text, int64_t n);
fgt_status fgti_tokens_join(fgti_tokens *t);
/* Words i .. i+n-1 with a blank between two, *size bytes: a piece of t->joined. */
const char *fgti_tokens_run(const fgti_tokens *t, int64_t i, int64_t n, int64_t *size);
/* The first n characters of word i and a star; their bytes, 0 if the word has no more. Valid until the next
 * call. */
int64_t fgti_tokens_prefix(fgti_tokens *t, int64_t i, int64_t n);
void    fgti_tokens_done(fgti_tokens *t);

#endif
