/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANGUAGE_H
#define LANGUAGE_H

/* Small language models. They are trained on the characters or words of a text, and on pairs of prompt and
 * response. */
#include <fighter/fighter.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common/program.h"

/* ---- options.c ---- */

typedef struct options {
    const char *data, *prompt, *after; /* after: text of the token of --after, or NULL */
    const char *init, *adapter, *pairs, *ask, *save;
    int64_t     model; /* 0: all models; otherwise 1 + number of the model */
    int64_t     steps, time, batch, width, layers, heads, hops, vocab, length, top_k, seed, threads;
    int64_t     epochs, lora; /* options for tuning; lora 0: all weights are trained */
    int64_t     attent;       /* 0: all samples; otherwise 1 + an fgt_attent_strategy */
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

/* A text as the numbers of its characters or words, which are its tokens. For a loaded model only the
 * vocabulary is set. */
typedef struct text {
    char    *bytes;
    char   **name;                 /* [vocab]: text of each token; name[0] stands for all rare words */
    int64_t  vocab, tokens, train; /* train: number of tokens before the test tokens */
    int32_t *id;                   /* [tokens]: number of each token */
    int32_t *target;               /* [tokens]: id, or FGT_CLASS_MISSING for a token that does not count */
    bool     words;
} text;

/* Counts the lines of a string. The last line counts too, although it may be empty. */
int64_t count_lines(const char *p);
/* Returns the bytes of a text file, followed by a zero byte. Returns NULL after a message if the file cannot
 * be read or contains a zero byte. */
char *read_file(const char *path);
/* Reads the file of --data. */
bool text_read(const options *o, text *t);
void text_free(text *t);
/* Splits a string into tokens, and writes their numbers to id, which may be NULL. Returns how many there
 * are. */
int64_t text_encode(const text *t, const char *string, int32_t *id);
/* Refuses a string with a token that is not in the vocabulary; the message begins with `part`. Rare words are
 * read as "?". They are refused only in a response, because the model has to write it. */
bool text_knows(const text *t, const char *string, bool response, const char *part);
/* Returns the number of the token for the end of a line; 0: the text has no such token. */
int32_t text_get_end(const text *t);
/* Prints a token. With words a blank follows it. */
void text_print(const text *t, int32_t id);

/* ---- vocabulary.c ---- */

/* Returns the name of the file with a model's vocabulary, MODEL.tokens. The caller frees the name; NULL: no
 * memory. */
char *vocabulary_name(const char *model);
bool  vocabulary_save(const text *t, const char *model);
bool  vocabulary_load(text *t, const char *model);

/* ---- models.c ---- */

enum { MODELS = 4 };
extern const char *const model_words[MODELS + 2]; /* "all", names of the models, NULL */

/* Adds the layers of model number i. The model reads ids and gives a logit for each token of the
 * vocabulary. */
fgt_status model_add(fgt_model *m, int i, const options *o, int64_t vocab);

/* ---- pairs.c ---- */

/* Pairs of prompt and response. The tokens of a pair are the prompt, an end of line, the response and another
 * end of line. */
typedef struct pairs {
    char    *bytes;
    int64_t  count, train; /* train: number of pairs before the held-out pairs */
    int64_t  longest;      /* number of tokens that the model reads of the longest pair */
    int32_t *id;           /* tokens of all pairs, one pair after the other */
    int64_t *begin;        /* [count+1]: position in id at which each pair begins */
    int64_t *response;     /* [count]: position in id at which each response begins */
} pairs;

/* Reads a file whose lines are a prompt, a tab and a response. Lines may end with CR LF. The message of an
 * error names the line. */
bool pairs_read(const options *o, const text *t, pairs *p);
void pairs_free(pairs *p);
/* Writes the tokens of a pair to id [time], and the next token of each to target [time]. Only the response
 * counts in the loss: all other targets are FGT_CLASS_MISSING. */
void pairs_get(const pairs *p, int64_t pair, int64_t time, int64_t *id, int64_t *target);

/* ---- tune.c ---- */

/* Trains a model that has `parameters` parameters, or an adapter of it, on the pairs. Then measures it on the
 * held-out pairs. */
bool tune(fgt_context *ctx, fgt_model *m, const options *o, const pairs *p, int64_t parameters);

/* ---- generate.c ---- */

/* Continues the prompt token by token, and prints the tokens. With --ask it stops at the end of a line. *us
 * is the mean time for a token, in microseconds. */
bool generate(fgt_context *ctx, fgt_model *m, const text *t, const options *o, double *us);
/* Draws one of the top_k tokens with the largest logits, or of all tokens if top_k is 0. The probabilities
 * are softmax(logits / temperature). `random` is a random number in 0 .. 1. */
int32_t choose(const float *logits, int64_t vocab, double temperature, int64_t top_k, double random);

#endif
