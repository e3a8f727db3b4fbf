/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "classify.h"

bool complain(const char *format, ...)
{
    va_list args;
    fputs("classify: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

/* ---- the table of options ---- */

/* In the order of the library's enumerators; attents has "none" before them. */
static const char *const kinds[]     = {"fighter", "transformer", "rnn", "gru", "lstm", "s4d", NULL};
static const char *const attents[]   = {"none",         "soft",     "hard",      "random", "class-weight",
                                        "fixed-weight", "gradnorm", "infobatch", NULL};
static const char *const ratios[]    = {"incremental", "cosine", "fixed", "simple", NULL};
static const char *const intervals[] = {"incremental", "fixed", NULL};
static const char *const scores[]    = {"pass", "training", NULL};

const char *kind_name(int64_t kind)
{
    return kinds[kind];
}

const char *attent_name(int64_t attent)
{
    return attents[attent];
}

typedef enum opt_kind { TEXT, COUNT, REAL, FLAG, WORD } opt_kind;

typedef struct opt {
    const char        *name;
    opt_kind           kind;
    size_t             at, given; /* where in options; `given`: a bool to set, 0: none */
    double             min, max;  /* COUNT, REAL */
    const char *const *words;     /* WORD */
    const char        *value, *help;
} opt;

#define AT(field) offsetof(options, field)
#define BIG       1e15

static const opt table[] = {
    {"train", TEXT, AT(train), 0, 0, 0, NULL, "FILE",
     "CSV file of class, title, description ..., or lines of\n"
     "\"__label__x text\"; may be gzip-compressed"},
    {"test", TEXT, AT(test), 0, 0, 0, NULL, "FILE", "texts to be classified and compared, in the same form"},
    {"model", WORD, AT(kind), AT(has_kind), 0, 0, kinds, "NAME",
     "fighter (default), transformer, rnn, gru, lstm or s4d"},
    {"hops", COUNT, AT(hops), 0, 1, 1000, NULL, "K", "fighter: hops of every layer; default: 3"},
    {"dim", COUNT, AT(dim), 0, 1, 1e6, NULL, "D", "width of a token; default: 64"},
    {"heads", COUNT, AT(heads), 0, 1, 1e6, NULL, "H", "fighter, transformer: attention heads; default: 4"},
    {"layers", COUNT, AT(layers), 0, 1, 64, NULL, "L", "default: 1"},
    {"max-tokens", COUNT, AT(tokens), 0, 1, 1e6, NULL, "N",
     "ids of a text that the model looks at; default: 64"},
    {"ngrams", COUNT, AT(ngrams), 0, 1, 8, NULL, "N",
     "runs of up to N words have ids of their own; default: 2, of\nrecurrent models and s4d 1"},
    {"buckets", COUNT, AT(buckets), 0, 1, 1e9, NULL, "N", "ids of such runs; default: 131072"},
    {"dropout", REAL, AT(dropout), AT(has_dropout), 0, 0.95, NULL, "P", "in training; default: 0.6"},
    {"init", REAL, AT(init), 0, 1e-6, 10, NULL, "F", "deviation of the first embeddings; default: 0.03"},
    {"epochs", COUNT, AT(epochs), 0, 1, BIG, NULL, "N", "at most; default: 2"},
    {"patience", COUNT, AT(patience), 0, -1, BIG, NULL, "N",
     "epochs without progress before the end; -1: never; default: 2"},
    {"validation", REAL, AT(validation), AT(has_validation), 0, 0.9, NULL, "SHARE",
     "of the training texts, kept for stopping early; default: 0.05"},
    {"batch", COUNT, AT(batch), 0, 1, 1e6, NULL, "N", "texts in a step; default: 32"},
    {"lr", REAL, AT(lr), 0, 1e-12, 1e3, NULL, "F",
     "learning rate at first, which falls to 0; default: 0.002"},
    {"label-smoothing", REAL, AT(smoothing), AT(has_smoothing), 0, 0.99, NULL, "F", "default: 0.1"},
    {"attent", WORD, AT(attent), 0, 0, 0, attents, "HOW",
     "samples of an epoch: none (default: all), soft, hard, random,\n"
     "class-weight, gradnorm or infobatch"},
    {"ratio", WORD, AT(ratio), 0, 0, 0, ratios, "HOW",
     "how many: incremental (default: 0.2 to 0.8), cosine, fixed (0.7)\nor simple"},
    {"interval", WORD, AT(interval), 0, 0, 0, intervals, "HOW",
     "how long they stay: incremental (default) or fixed (one epoch)"},
    {"scores", WORD, AT(scores), 0, 0, 0, scores, "FROM",
     "pass (default: a forward pass over all) or training (free)"},
    {"seed", COUNT, AT(seed), AT(has_seed), 0, BIG, NULL, "N",
     "of first weights, dropout, order, validation share; default: 1"},
    {"threads", COUNT, AT(threads), 0, 1, 1024, NULL, "N",
     "results do not depend on it; default: one a processor"},
    {"save", TEXT, AT(save), 0, 0, 0, NULL, "FILE", "write the model, with vocabulary and classes"},
    {"load", TEXT, AT(load), 0, 0, 0, NULL, "FILE", "read such a model instead of training one"},
    {"predict", FLAG, AT(predict), 0, 0, 0, NULL, NULL,
     "read lines of text from the standard input, print class and\nprobability of each"},
    {"json", FLAG, AT(json), 0, 0, 0, NULL, NULL, "print one JSON object; all else goes to the error output"},
    {"help", FLAG, AT(help), 0, 0, 0, NULL, NULL, "print this"},
};
#define OPTIONS (sizeof table / sizeof *table)

void options_help(FILE *out)
{
    fputs("usage: classify --train FILE --test FILE [options]\n"
          "       classify --load FILE [--test FILE] [--predict]\n"
          "Trains a classifier on labelled texts, measures it on others, and keeps or uses it.\n\n",
          out);
    for (size_t i = 0; i < OPTIONS; i++) {
        char left[40];
        snprintf(left, sizeof left, "--%s%s%s", table[i].name, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        fprintf(out, "  %-20s  ", left);
        for (const char *p = table[i].help; *p; p++) {
            fputc(*p, out);
            if (*p == '\n') fprintf(out, "%24s", "");
        }
        fputc('\n', out);
    }
}

/* ---- values ---- */

static bool read_count(const opt *t, const char *text, options *o)
{
    char *end;
    errno             = 0;
    const long long n = strtoll(text, &end, 10);
    if (!*text || *text == ' ' || *end || errno || (double)n < t->min || (double)n > t->max)
        return complain("--%s takes a whole number from %.0f to %.0f, not \"%s\"", t->name, t->min, t->max,
                        text);
    *(int64_t *)((char *)o + t->at) = n;
    return true;
}

static bool read_real(const opt *t, const char *text, options *o)
{
    char        *end;
    const double v = strtod(text, &end);
    if (!*text || *text == ' ' || *end || !(v >= t->min && v <= t->max))
        return complain("--%s takes a number from %g to %g, not \"%s\"", t->name, t->min, t->max, text);
    *(double *)((char *)o + t->at) = v;
    return true;
}

static bool read_word(const opt *t, const char *text, options *o)
{
    for (int64_t i = 0; t->words[i]; i++)
        if (!strcmp(t->words[i], text)) {
            *(int64_t *)((char *)o + t->at) = i;
            return true;
        }
    fprintf(stderr, "classify: --%s is \"%s\", must be one of", t->name, text);
    for (int64_t i = 0; t->words[i]; i++) fprintf(stderr, "%s %s", i ? "," : "", t->words[i]);
    fputc('\n', stderr);
    return false;
}

/* ---- the command line ---- */

static bool apply(const opt *t, const char *value, options *o)
{
    char *base = (char *)o;
    if (t->given) *(bool *)(base + t->given) = true;
    switch (t->kind) {
    case FLAG: *(bool *)(base + t->at) = true; return true;
    case TEXT:
        if (!*value) return complain("--%s is empty", t->name);
        *(const char **)(base + t->at) = value;
        return true;
    case WORD: return read_word(t, value, o);
    case REAL: return read_real(t, value, o);
    default: return read_count(t, value, o);
    }
}

/* --name VALUE or --name=VALUE */
static bool read_one(int argc, char **argv, int *at, options *o)
{
    const char *word = argv[(*at)++];
    if (strncmp(word, "--", 2)) return complain("\"%s\" is no option; --help lists them", word);
    const char  *name = word + 2, *equals = strchr(name, '=');
    const size_t n = equals ? (size_t)(equals - name) : strlen(name);
    for (size_t i = 0; i < OPTIONS; i++) {
        const opt *t = &table[i];
        if (strlen(t->name) != n || strncmp(t->name, name, n)) continue;
        if (t->kind == FLAG && equals) return complain("--%s takes no value", t->name);
        if (t->kind == FLAG) return apply(t, NULL, o);
        if (equals) return apply(t, equals + 1, o);
        if (*at >= argc) return complain("--%s %s: the value is missing", t->name, t->value);
        return apply(t, argv[(*at)++], o);
    }
    return complain("there is no option %s; --help lists them", word);
}

/* Before hours of training: whether its directory can be written to. */
static bool check_save(const char *path)
{
    char        directory[4096];
    const char *slash = strrchr(path, '/');
    if (!slash) return true;
    snprintf(directory, sizeof directory, "%.*s", (int)(slash == path ? 1 : slash - path), path);
    return !access(directory, W_OK) || complain("--save %s: %s", path, strerror(errno));
}

static bool check_together(const options *o)
{
    const bool attends = o->kind == FGT_CLASSIFY_FIGHTER || o->kind == FGT_CLASSIFY_TRANSFORMER;
    if (o->save && !check_save(o->save)) return false;
    if (o->load && o->train) return complain("--train trains a model, --load reads a trained one; take one");
    if (o->load && !o->test && !o->predict)
        return complain("--load %s: for what? --test FILE or --predict says it", o->load);
    if (o->load) return true;
    if (!o->train) return complain("--train FILE is missing; --help lists the options");
    if (!o->test && !o->save && !o->predict)
        return complain("--test FILE is missing; without it --save or --predict says what the model is for");
    if (o->hops && o->kind != FGT_CLASSIFY_FIGHTER)
        return complain("--hops is for --model fighter; %s has none", kind_name(o->kind));
    if (o->heads && !attends)
        return complain("--heads is for --model fighter and transformer; %s has none", kind_name(o->kind));
    if (o->attent == 1 + FGT_ATTENT_FIXED_WEIGHT)
        return complain("--attent fixed-weight needs weights of the classes, which this program has no "
                        "option for; class-weight takes them from the numbers of texts");
    return true;
}

bool options_read(int argc, char **argv, options *o)
{
    *o = (options){0};
    for (int i = 1; i < argc;)
        if (!read_one(argc, argv, &i, o)) return false;
    if (o->help) return true;
    if (!o->has_seed) o->seed = 1;
    if (!o->has_validation) o->validation = 0.05;
    if (!o->threads) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        o->threads        = online > 0 ? online : 1;
    }
    return check_together(o);
}
