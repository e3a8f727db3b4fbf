/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TOKENS_H
#define FGTI_TOKENS_H

/* Splits texts into words, as described at fgt_vocab in text.h. */

#include <fighter/text.h>

#include "data/strings/list.h"
#include "text/utf8.h"

#define FGTI_PREFIX_MAX  32 /* characters */
#define FGTI_LETTERS_MAX 8

/* Can be used for many texts one after another, and then soon allocates no more memory. */
typedef struct fgti_tokens {
    fgt_context *ctx;
    bool         punctuation, symbols; /* are words */
    fgti_strings words;  /* of the last text */
    fgti_bytes   joined; /* the words with blanks between them, after fgti_tokens_join() */
    char         prefix[4 * FGTI_PREFIX_MAX + 1]; /* result of the last fgti_tokens_prefix() */
    char         letters[4 * FGTI_LETTERS_MAX + 1]; /* result of the last fgti_tokens_letters() */
    int32_t     *points;                          /* normalised code points of the last text */
    int64_t      capacity;
    bool         fixed; /* allocates nothing and says nothing, so that a worker can use it */
} fgti_tokens;

/* FGT_E_UNSUPPORTED without libutf8proc. What is a word besides letters and digits is an option of the
 * vocabulary, whose defaults are filled in. fgti_tokens_done() must be called even after an error. */
fgt_status fgti_tokens_init(fgt_context *ctx, const fgt_vocab_opts *opts, fgti_tokens *t);
/* Replaces t->words by those of a text, n bytes of valid UTF-8 without a NUL. With t->fixed FGT_E_NOMEM
 * stands for every error: another t may be able to read it, or say what is wrong. */
fgt_status fgti_tokens_read(fgti_tokens *t, const char *text, int64_t n);
/* Memory for texts of up to n bytes, beforehand; those that normalise to 1.5 times the characters, or more,
 * need more. */
fgt_status fgti_tokens_reserve(fgti_tokens *t, int64_t n);
fgt_status fgti_tokens_join(fgti_tokens *t);
/* Words i .. i+n-1 with blanks between them, *size bytes. The result points into t->joined. */
const char *fgti_tokens_run(const fgti_tokens *t, int64_t i, int64_t n, int64_t *size);
/* Writes the first n characters of word i and a star to t->prefix. Returns their size in bytes, or 0 if the
 * word is not longer than n characters. */
int64_t fgti_tokens_prefix(fgti_tokens *t, int64_t i, int64_t n);
/* A place in a word that has a blank before and behind it: begin .. end-1 are bytes of this. */
typedef struct fgti_letters {
    int64_t begin, end, count; /* count: characters */
} fgti_letters;

/* The next run of 1 .. longest characters of word i, with its blanks, goes to t->letters, behind a further
 * blank: words and their n-grams never begin with one. Runs that begin with the same character follow each
 * other. *at is {0} at first. Returns the run's size in bytes, or 0 at the end. */
int64_t fgti_tokens_letters(fgti_tokens *t, int64_t i, int64_t longest, fgti_letters *at);
void    fgti_tokens_done(fgti_tokens *t);

#endif
