/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANGUAGE_H
#define LANGUAGE_H

/* Small language models on the characters or words of a text, and on prompts with responses. */
#include <fighter/fighter.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- options.c ---- */

typedef struct options {
    const char *data, *model, *prompt, *after; /* model NULL: all of them; after: the mark, or NULL */
    const char *init, *adapter, *pairs, *ask, *save;
    int64_t     steps, time, batch, width, layers, heads, hops, vocab, length, top_k, seed, threads;
    int64_t     epochs, lora; /* of tuning; lora 0: all weights */
    int64_t     attent;       /* 0: all samples, else 1 + an fgt_attent_strategy */
    int64_t     ratio, interval, scores, interval_epochs, interval_end, cycles;
    double      lr, dropout, temperature, share;
    bool        words, redraw, rescore, help;
} options;

/* Reads the command line. False, with a sentence: it cannot. */
bool read_options(int argc, char **argv, options *o);
void print_help(void);
/* Says what is wrong. Returns false. */
bool complain(const char *what, const char *why);

/* ---- text.c ---- */

/* A text as numbers of its characters or words; of a model that was loaded only the vocabulary. */
typedef struct text {
    char    *bytes;
    char   **name;                 /* [vocab]: of each token; name[0] stands for all words that are rare */
    int64_t  vocab, tokens, train; /* train: tokens before those of the test */
    int32_t *id;                   /* [tokens] */
    int32_t *target;               /* [tokens]: id, or FGT_CLASS_MISSING where a token does not count */
    bool     words;
} text;

/* The bytes of a file, with a zero behind them; NULL, with a sentence: it cannot be read. */
char *read_file(const char *path);
/* Reads a file. vocab: words that have a number of their own, at most. False, with a sentence: it cannot. */
bool text_read(const options *o, text *t);
void text_free(text *t);
/* Numbers of the tokens of a string, `most` at most. Returns how many. */
int64_t text_encode(const text *t, const char *string, int64_t most, int32_t *id);
/* The end of a line; 0: it is no token. */
int32_t text_get_end(const text *t);
/* Prints a token as it would follow the one before. */
void text_print(const text *t, int32_t id);

/* ---- vocabulary.c ---- */

/* The vocabulary of a model, in a file beside it: MODEL.tokens. False, with a sentence: it cannot. */
bool vocabulary_save(const text *t, const char *model);
bool vocabulary_load(text *t, const char *model);

/* ---- models.c ---- */

enum { MODELS = 4 };
extern const char *const model_names[MODELS];

/* The layers of model i, from ids to a logit for each token of the vocabulary. */
fgt_status model_add(fgt_model *m, int i, const options *o, int64_t vocab);

/* ---- pairs.c ---- */

/* Prompts and responses. The tokens of a pair are the prompt, the end of a line, the response, the end. */
typedef struct pairs {
    char    *bytes;
    int64_t  count, train; /* train: those before the ones that are held out */
    int64_t  longest;      /* tokens that a model sees of a pair, at most */
    int32_t *id;           /* all tokens, one pair after the other */
    int64_t *begin;        /* [count+1]: where a pair begins in id */
    int64_t *response;     /* [count]: where its response begins in id */
} pairs;

/* Reads a file of lines: prompt, tab, response. False, with a sentence that has the line: it cannot. */
bool pairs_read(const options *o, const text *t, pairs *p);
void pairs_free(pairs *p);
/* Writes the tokens of a pair and those that follow them, `time` each. Only the response counts: all other
 * targets are FGT_CLASS_MISSING. */
void pairs_get(const pairs *p, int64_t pair, int64_t time, int64_t *id, int64_t *target);

/* ---- tune.c ---- */

/* Trains a model of so many parameters, or an adapter of it, on the pairs, and measures it on those that are
 * held out. False, with a sentence: it cannot. */
bool tune(fgt_context *ctx, fgt_model *m, const options *o, const pairs *p, int64_t parameters);

/* ---- generate.c ---- */

/* Goes on from the prompt, token by token, and prints it; with --ask until the line ends. Microseconds of a
 * token go to *us. */
fgt_status generate(fgt_context *ctx, fgt_model *m, const text *t, const options *o, double *us);
/* Draws a token: softmax of logits / temperature over the top_k largest. `random` is in 0 .. 1. */
int32_t choose(const float *logits, int64_t vocab, double temperature, int64_t top_k, double random);
/* Seconds since some moment. */
double now(void);

#endif
