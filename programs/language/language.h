/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANGUAGE_H
#define LANGUAGE_H

/* Small language models on the characters or words of a text, and on prompts with responses. */
#include <fighter/fighter.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common/program.h"

/* ---- options.c ---- */

typedef struct options {
    const char *data, *prompt, *after; /* after: the end mark, or NULL */
    const char *init, *adapter, *pairs, *ask, *save;
    int64_t     model; /* 0: all models, else 1 + its number */
    int64_t     steps, time, batch, width, layers, heads, hops, vocab, length, top_k, seed, threads;
    int64_t     epochs, lora; /* for tuning; lora 0: all weights are trained */
    int64_t     attent;       /* 0: all samples, else 1 + an fgt_attent_strategy */
    int64_t     ratio, interval, scores, interval_epochs, interval_end, cycles;
    double      lr, dropout, temperature, share;
    bool        words, redraw, rescore, help;
} options;

/* Reads the command line. On error prints a message and returns false, as most functions here do. */
bool read_options(int argc, char **argv, options *o);
void print_help(void);

/* ---- errors.c ---- */

/* Prints a message of the library about a file or a model. Returns false. */
bool failed(const fgt_context *ctx, fgt_status s, const char *object, const options *o);
/* Prints that there is not enough memory. Returns false. */
bool lacks_memory(const char *object, const options *o);

/* ---- text.c ---- */

/* A text as numbers of its characters or words; for a loaded model only the vocabulary. */
typedef struct text {
    char    *bytes;
    char   **name;                 /* [vocab]: text of each token; name[0] stands for all rare words */
    int64_t  vocab, tokens, train; /* train: tokens before the test tokens */
    int32_t *id;                   /* [tokens] */
    int32_t *target;               /* [tokens]: id, or FGT_CLASS_MISSING if a token does not count */
    bool     words;
} text;

/* Number of lines of a string, including the last one, which may be empty. */
int64_t count_lines(const char *p);
/* The bytes of a text file, followed by a zero. NULL after a message: it cannot be read, or contains a zero
 * byte. */
char *read_file(const char *path);
/* Reads the file of --data. */
bool text_read(const options *o, text *t);
void text_free(text *t);
/* Writes the numbers of the tokens of a string to id, which may be NULL. Returns the number of tokens. */
int64_t text_encode(const text *t, const char *string, int32_t *id);
/* Refuses a string with a token that is not in the vocabulary; the message begins with `part`. Rare words are
 * read as "?", so they are only refused in a response, which the model has to write. */
bool text_knows(const text *t, const char *string, bool response, const char *part);
/* The number of the token for the end of a line; 0: the text has no such token. */
int32_t text_get_end(const text *t);
/* Prints a token as it follows the previous one. */
void text_print(const text *t, int32_t id);

/* ---- vocabulary.c ---- */

/* The vocabulary of a model is in the file MODEL.tokens. The caller frees this name; NULL: no memory. */
char *vocabulary_name(const char *model);
bool  vocabulary_save(const text *t, const char *model);
bool  vocabulary_load(text *t, const char *model);

/* ---- models.c ---- */

enum { MODELS = 4 };
extern const char *const model_words[MODELS + 2]; /* "all", the models, NULL */

/* The layers of model i, from ids to a logit for each token of the vocabulary. */
fgt_status model_add(fgt_model *m, int i, const options *o, int64_t vocab);

/* ---- pairs.c ---- */

/* Prompts and responses. The tokens of a pair are its prompt, the end of a line, its response and another end
 * of a line. */
typedef struct pairs {
    char    *bytes;
    int64_t  count, train; /* train: pairs before the held-out pairs */
    int64_t  longest;      /* tokens of the longest pair in the model's input */
    int32_t *id;           /* all tokens, one pair after the other */
    int64_t *begin;        /* [count+1]: where a pair begins in id */
    int64_t *response;     /* [count]: where its response begins in id */
} pairs;

/* Reads a file of lines: prompt, tab, response. Lines may end with CR LF. A message names the line. */
bool pairs_read(const options *o, const text *t, pairs *p);
void pairs_free(pairs *p);
/* Writes the tokens of a pair to id, and to target the token that follows each of them, `time` numbers each.
 * Only the response counts: all other targets are FGT_CLASS_MISSING. */
void pairs_get(const pairs *p, int64_t pair, int64_t time, int64_t *id, int64_t *target);

/* ---- tune.c ---- */

/* Trains a model with `parameters` parameters, or an adapter of it, on the pairs, and measures it on the
 * held-out pairs. */
bool tune(fgt_context *ctx, fgt_model *m, const options *o, const pairs *p, int64_t parameters);

/* ---- generate.c ---- */

/* Continues the prompt token by token, and prints the tokens; with --ask until the end of a line. *us: the
 * time for a token, in microseconds. */
bool generate(fgt_context *ctx, fgt_model *m, const text *t, const options *o, double *us);
/* Draws a token: softmax of logits / temperature over the top_k largest. `random` is in 0 .. 1. */
int32_t choose(const float *logits, int64_t vocab, double temperature, int64_t top_k, double random);

#endif
