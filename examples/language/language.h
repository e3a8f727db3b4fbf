/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANGUAGE_H
#define LANGUAGE_H

/* Small language models on the characters or words of a text. */
#include <fighter/fighter.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct options {
    const char *data, *model, *prompt, *after; /* model NULL: all of them; after: the mark, or NULL */
    int64_t     steps, time, batch, width, layers, heads, hops, vocab, length, top_k, seed, threads;
    double      lr, dropout, temperature;
    bool        words, help;
} options;

/* ---- text.c ---- */

/* A text as numbers of its characters or words. */
typedef struct text {
    char    *bytes;
    char   **name;                 /* [vocab]: of each token; name[0] stands for all words that are rare */
    int64_t  vocab, tokens, train; /* train: tokens before those of the test */
    int32_t *id;                   /* [tokens] */
    int32_t *target;               /* [tokens]: id, or FGT_CLASS_MISSING where a token does not count */
    bool     words;
} text;

/* Reads a file. vocab: words that have a number of their own, at most. False, with a sentence: it cannot. */
bool text_read(const options *o, text *t);
void text_free(text *t);
/* Numbers of the tokens of a string, `most` at most. Returns how many. */
int64_t text_encode(const text *t, const char *string, int64_t most, int32_t *id);
/* Prints a token as it would follow the one before. */
void text_print(const text *t, int32_t id);

/* ---- models.c ---- */

enum { MODELS = 4 };
extern const char *const model_names[MODELS];

/* The layers of model i, from ids to a logit for each token of the vocabulary. */
fgt_status model_add(fgt_model *m, int i, const options *o, int64_t vocab);

/* ---- generate.c ---- */

/* Goes on from the prompt, token by token, and prints it. Microseconds of a token go to *us. */
fgt_status generate(fgt_context *ctx, fgt_model *m, const text *t, const options *o, double *us);
/* Draws a token: softmax of logits / temperature over the top_k largest. `random` is in 0 .. 1. */
int32_t choose(const float *logits, int64_t vocab, double temperature, int64_t top_k, double random);

#endif
