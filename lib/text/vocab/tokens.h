/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TOKENS_H
#define FGTI_TOKENS_H

/* Splits texts into words. text.h has the rules, at fgt_vocab. */

#include <fighter/text.h>

#include "core/strings/list.h"
#include "text/utf8.h"

#define FGTI_PREFIX_MAX  32 /* characters */
#define FGTI_LETTERS_MAX 8

/* Reads many texts one after another. After the first texts it hardly ever allocates memory. */
typedef struct fgti_tokens {
    fgt_context *ctx;
    bool         punctuation, symbols; /* whether punctuation marks, and symbols, are words */
    fgti_strings words;                /* words of the last text */
    fgti_bytes   joined; /* the words of the last text with blanks between them; made by fgti_tokens_join() */
    char         prefix[4 * FGTI_PREFIX_MAX + 1];   /* result of the last fgti_tokens_prefix() */
    char         letters[4 * FGTI_LETTERS_MAX + 1]; /* result of the last fgti_tokens_letters() */
    int32_t     *points;                            /* normalised code points of the last text */
    int64_t      capacity;
    bool         fixed; /* allocates no memory and stores no error text, so that a worker can use it */
} fgti_tokens;

/* Prepares an object. opts: options with defaults filled in; they say which characters besides letters and
 * digits are words. FGT_E_UNSUPPORTED: the build has no libutf8proc. Call fgti_tokens_done() even after an
 * error. */
fgt_status fgti_tokens_init(fgt_context *ctx, const fgt_vocab_opts *opts, fgti_tokens *t);
/* Replaces t->words by the words of a text, n bytes of valid UTF-8 without a NUL. If t->fixed is true, each
 * error is FGT_E_NOMEM. An object without `fixed` may then be able to read the text, or gives the true
 * error. */
fgt_status fgti_tokens_read(fgti_tokens *t, const char *text, int64_t n);
/* Allocates memory for texts of up to n bytes. A text needs more memory later if normalisation makes 1.5
 * times as many characters of it, or more. */
fgt_status fgti_tokens_reserve(fgti_tokens *t, int64_t n);
fgt_status fgti_tokens_join(fgti_tokens *t);
/* Returns words i .. i+n-1 with blanks between them; *size gets the number of bytes. The result points into
 * t->joined. */
const char *fgti_tokens_run(const fgti_tokens *t, int64_t i, int64_t n, int64_t *size);
/* Writes the first n characters of word i, and a star after them, to t->prefix. Returns the number of bytes;
 * 0: the word has n characters or fewer. */
int64_t fgti_tokens_prefix(fgti_tokens *t, int64_t i, int64_t n);
/* A place in the text " word ", which is a word with a blank before and after it: bytes begin .. end-1. */
typedef struct fgti_letters {
    int64_t begin, end, count; /* bytes begin .. end-1; number of characters in them */
} fgti_letters;

/* Writes the next run of letters of word i to t->letters, after a blank. A run has least .. longest
 * characters, and may include the blanks around the word. The blank before it marks letters, because no word
 * and no n-gram begins with a blank. Runs with the same first character follow each other. Before the first
 * call, *at must be {0}. Returns the bytes of the run; 0: there are no more runs. */
int64_t fgti_tokens_letters(fgti_tokens *t, int64_t i, int64_t least, int64_t longest, fgti_letters *at);
void    fgti_tokens_done(fgti_tokens *t);

#endif
