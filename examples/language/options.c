/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "language.h"

typedef struct row {
    const char        *name;
    char               kind; /* 's' text, 'i' integer, 'd' number, 'b' flag, 'w' one of the words */
    size_t             at;
    double             least, most;
    const char        *help;
    const char *const *words; /* ends with NULL */
} row;
#define ROW(field, name, kind, least, most, help)                     \
    {                                                                 \
        name, kind, offsetof(options, field), least, most, help, NULL \
    }
#define CHOICE(field, name, words, help)                       \
    {                                                          \
        name, 'w', offsetof(options, field), 0, 0, help, words \
    }

/* By the library's enumerators; attents has "none" before them. */
static const char *const attents[] = {"none",
                                      [1 + FGT_ATTENT_SOFT]   = "soft",
                                      [1 + FGT_ATTENT_HARD]   = "hard",
                                      [1 + FGT_ATTENT_RANDOM] = "random",
                                      NULL};
static const char *const ratios[]  = {[FGT_ATTENT_RATIO_INCREMENTAL] = "incremental",
                                      [FGT_ATTENT_RATIO_COSINE]      = "cosine",
                                      [FGT_ATTENT_RATIO_FIXED]       = "fixed",
                                      [FGT_ATTENT_RATIO_SIMPLE]      = "simple",
                                      NULL};
static const char *const intervals[] = {[FGT_ATTENT_INTERVAL_INCREMENTAL] = "incremental",
                                        [FGT_ATTENT_INTERVAL_FIXED]       = "fixed",
                                        [FGT_ATTENT_INTERVAL_CYCLES]      = "cycles",
                                        NULL};
static const char *const scores[]    = {
    [FGT_ATTENT_SCORES_PASS] = "pass", [FGT_ATTENT_SCORES_TRAINING] = "training", NULL};

static const row rows[] = {
    ROW(data, "--data", 's', 0, 0, "FILE: the text to learn"),
    ROW(init, "--init", 's', 0, 0, "MODEL: a file of --save, in place of a text"),
    ROW(save, "--save", 's', 0, 0, "FILE: what was trained; of an adapter the folder"),
    ROW(model, "--model", 's', 0, 0, "fighter, transformer, lstm or s4; without it all of them, in turn"),
    ROW(words, "--words", 'b', 0, 0, "tokens are words and signs, not bytes"),
    ROW(vocab, "--vocab", 'i', 2, 1e6, "words with a number of their own, at most (5000)"),
    ROW(after, "--after", 's', 0, 0, "TOKEN: only tokens behind it count, up to the end of the line"),
    ROW(pairs, "--pairs", 's', 0, 0, "FILE: with --init: lines of prompt, tab, response, to tune it on"),
    ROW(lora, "--lora", 'i', 0, 1e5, "rank of an adapter that is tuned; 0: all weights are (0)"),
    ROW(adapter, "--adapter", 's', 0, 0, "FOLDER: an adapter of the model; with --pairs it is tuned"),
    ROW(epochs, "--epochs", 'i', 0, 1e6, "of tuning; 0: the pairs are only measured (5)"),
    CHOICE(attent, "--attent", attents, "pairs of an epoch: none (all), soft, hard or random (none)"),
    CHOICE(ratio, "--ratio", ratios, "how many: incremental, cosine, fixed or simple (incremental)"),
    ROW(share, "--share", 'd', 1e-6, 1, "of fixed and, after the first epoch, simple (0.7)"),
    CHOICE(interval, "--interval", intervals,
           "how long they stay: incremental, fixed or cycles (incremental)"),
    ROW(interval_epochs, "--interval-epochs", 'i', 1, 1e9, "of the first interval (1, of cycles 5)"),
    ROW(interval_end, "--interval-end", 'i', 1, 1e9, "of the last interval of cycles (10)"),
    ROW(cycles, "--cycles", 'i', 1, 1e6, "of --interval cycles (10)"),
    CHOICE(scores, "--scores", scores, "pass (over all pairs) or training (their last losses) (pass)"),
    ROW(redraw, "--redraw", 'b', 0, 0, "new pairs in each epoch of an interval"),
    ROW(rescore, "--rescore", 'b', 0, 0, "with --redraw: by new scores"),
    ROW(steps, "--steps", 'i', 0, 1e9, "of training on the text (1000)"),
    ROW(time, "--time", 'i', 2, 1e5, "tokens that a model sees (128, of --init the file's)"),
    ROW(batch, "--batch", 'i', 1, 1e5, "pieces of the text, or pairs, in a step (16)"),
    ROW(width, "--width", 'i', 1, 1e5, "features of a token (64)"),
    ROW(layers, "--layers", 'i', 1, 100, "encoder or LSTM layers; Fighter and S4 have twice as many (2)"),
    ROW(heads, "--heads", 'i', 1, 1000, "of Fighter and Transformer (4)"),
    ROW(hops, "--hops", 'i', 1, 64, "of Fighter (3)"),
    ROW(lr, "--lr", 'd', 0, 10, "learning rate (0.003)"),
    ROW(dropout, "--dropout", 'd', 0, 0.99, "(0)"),
    ROW(prompt, "--prompt", 's', 0, 0, "TEXT: what the models go on from"),
    ROW(ask, "--ask", 's', 0, 0, "PROMPT: a prompt like those of the pairs; the response is written"),
    ROW(length, "--length", 'i', 0, 1e9, "tokens that each model writes (200)"),
    ROW(temperature, "--temperature", 'd', 0, 100, "of the draws; 0: the likeliest token (0.8)"),
    ROW(top_k, "--top-k", 'i', 0, 1e6, "draws among so many tokens; 0: all (20)"),
    ROW(seed, "--seed", 'i', 0, 1e9, "(1)"),
    ROW(threads, "--threads", 'i', 1, 1024, "(1)"),
    ROW(help, "--help", 'b', 0, 0, "this text"),
};
enum { ROWS = sizeof rows / sizeof *rows };

bool complain(const char *what, const char *why)
{
    fprintf(stderr, "language: %s: %s\n", what, why);
    return false;
}

static bool set_word(int64_t *at, const row *r, const char *value)
{
    for (*at = 0; r->words[*at]; ++*at)
        if (!strcmp(r->words[*at], value)) return true;
    return complain(r->name, "there is no such choice; see --help");
}

static bool set(options *o, const row *r, const char *value)
{
    char        *end;
    void        *at = (char *)o + r->at;
    const double x  = strtod(value, &end);
    if (r->kind == 's') {
        *(const char **)at = value;
        return true;
    }
    if (r->kind == 'w') return set_word(at, r, value);
    if (!*value || *end || !(x >= r->least && x <= r->most) || (r->kind == 'i' && x != floor(x)))
        return complain(r->name, "is out of range, or no number");
    if (r->kind == 'i')
        *(int64_t *)at = (int64_t)x;
    else
        *(double *)at = x;
    return true;
}

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    return a && b && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What is read stays, and a folder that is not there is known before the training. */
static bool check_save(const options *o)
{
    const char *slash = o->save ? strrchr(o->save, '/') : NULL;
    char        folder[4096];
    struct stat at;
    if (is_same(o->save, o->data) || is_same(o->save, o->init) || is_same(o->save, o->pairs))
        return complain("--save", "names a file that is read, and would be overwritten");
    if (!slash || slash == o->save || slash - o->save >= (ptrdiff_t)sizeof folder) return true;
    memcpy(folder, o->save, (size_t)(slash - o->save));
    folder[slash - o->save] = 0;
    return stat(folder, &at) == 0 || complain(o->save, "cannot be written: its folder is not there");
}

/* Options that depend on each other. */
static bool check(options *o)
{
    if (!o->data && !o->init) return complain("--data", "is needed: a text file; or --init");
    if (o->data && o->init) return complain("--init", "has learned a text; leave out --data");
    if (o->data && (o->pairs || o->adapter || o->ask))
        return complain("--pairs, --adapter and --ask", "need --init");
    if (o->lora && !o->pairs) return complain("--lora", "needs --pairs");
    if (o->lora && o->adapter) return complain("--lora", "is for a new adapter; leave out --adapter");
    if (o->attent && !o->pairs) return complain("--attent", "needs --pairs");
    if (o->save && o->data && !o->model) return complain("--save", "needs --model: one of the models");
    if (o->save && o->init && !o->pairs) return complain("--save", "needs something to train: --pairs");
    if (o->data && !o->time) o->time = 128;
    return check_save(o);
}

bool read_options(int argc, char **argv, options *o)
{
    *o = (options){.steps       = 1000,
                   .epochs      = 5,
                   .batch       = 16,
                   .width       = 64,
                   .layers      = 2,
                   .heads       = 4,
                   .hops        = 3,
                   .vocab       = 5000,
                   .length      = 200,
                   .top_k       = 20,
                   .seed        = 1,
                   .threads     = 1,
                   .lr          = 3e-3,
                   .temperature = 0.8,
                   .prompt      = ""};
    for (int i = 1; i < argc; i++) {
        const row *r = rows;
        while (r < rows + ROWS && strcmp(r->name, argv[i])) r++;
        if (r == rows + ROWS) return complain(argv[i], "unknown option; see --help");
        if (r->kind == 'b')
            *(bool *)((char *)o + r->at) = true;
        else if (i + 1 == argc)
            return complain(argv[i], "needs a value");
        else if (!set(o, r, argv[++i]))
            return false;
    }
    return o->help || check(o);
}

void print_help(void)
{
    printf("language --data FILE [OPTION ...]: small language models on a text\n"
           "language --init MODEL [OPTION ...]: one of them, tuned on prompts and responses\n");
    for (int i = 0; i < ROWS; i++) printf("  %-18s %s\n", rows[i].name, rows[i].help);
}
