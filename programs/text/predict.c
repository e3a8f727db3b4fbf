/* SPDX-License-Identifier: BSD-3-Clause */

/* Labels of texts, a line each. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fighter/experimental/corpus_file.h>

#include "model.h"

#include "../common/program.h"

typedef struct labels {
    const session *s;
    scored        *rank;        /* [classes] */
    float         *probability; /* [MODEL_TEXTS,classes] */
    bool           good;
} labels;

static void print_labels(labels *l, const float *probability)
{
    const session *s = l->s;
    const int64_t  n = model_rank(s, probability, l->rank);
    for (int64_t i = 0; i < n; i++) {
        printf("%s__label__%s", i ? " " : "", fgt_classifier_get_class_name(s->classifier, l->rank[i].label));
        if (s->o->probabilities) printf(" %g", (double)l->rank[i].probability);
    }
    putchar('\n');
}

/* Predicts at most MODEL_TEXTS texts. */
static bool predict_texts(labels *l, const char *const *texts, int64_t count)
{
    if (!model_predict(l->s, texts, count, l->probability)) return false;
    for (int64_t i = 0; i < count; i++) print_labels(l, l->probability + i * l->s->info.classes);
    /* the other program may wait for the answer to its lines */
    return fflush(stdout) == 0 || complain("the standard output cannot be written: %s", strerror(errno));
}

static fgt_status take_texts(void *user, const fgt_corpus *texts, int64_t row)
{
    labels         *l    = user;
    fgt_corpus_info info = {.size = sizeof info};
    const char     *text[MODEL_TEXTS];
    (void)row;
    l->good = fgt_corpus_get_info(texts, &info) == FGT_OK || failed(l->s, NULL);
    for (int64_t i = 0; l->good && i < info.rows; i++) text[i] = fgt_corpus_get_text(texts, i);
    l->good = l->good && predict_texts(l, text, info.rows);
    return l->good ? FGT_OK : FGT_E_CANCELLED;
}

static bool predict_file(labels *l)
{
    const session        *s    = l->s;
    const fgt_corpus_opts opts = model_corpus_opts(true, true);
    const fgt_status      did  = fgt_corpus_visit(s->ctx, s->o->texts, &opts, MODEL_TEXTS, take_texts, l);
    return did == FGT_OK || (did != FGT_E_CANCELLED && failed(s, NULL));
}

/* Skips the labels at the beginning of a line. */
static const char *skip_labels(const char *line)
{
    static const char label[] = "__label__";
    line += strspn(line, " \t");
    while (!strncmp(line, label, strlen(label))) {
        line += strcspn(line, " \t");
        line += strspn(line, " \t");
    }
    return line;
}

/* Bytes of the standard input that have no labels yet. */
typedef struct input {
    char  *bytes;
    size_t used, capacity;
} input;

/* Predicts the whole lines, and moves the bytes after them to the front. */
static bool predict_lines(labels *l, input *in)
{
    const char *text[MODEL_TEXTS];
    size_t      begin = 0;
    bool        good  = true;
    for (char *end; good && (end = memchr(in->bytes + begin, '\n', in->used - begin));) {
        int64_t count = 0;
        for (; end && count < MODEL_TEXTS; end = memchr(in->bytes + begin, '\n', in->used - begin)) {
            *end          = 0;
            text[count++] = skip_labels(in->bytes + begin);
            begin         = (size_t)(end - in->bytes) + 1;
        }
        good = predict_texts(l, text, count);
    }
    in->used -= begin;
    memmove(in->bytes, in->bytes + begin, in->used);
    return good;
}

/* Reads the bytes that are there, or waits for some. Returns their number; -1: an error. */
static ssize_t read_input(input *in)
{
    if (in->used + 1 >= in->capacity) {
        const size_t capacity = 2 * in->capacity + (1 << 16);
        char        *more     = realloc(in->bytes, capacity);
        if (!more) return -1;
        in->bytes    = more;
        in->capacity = capacity;
    }
    const ssize_t n = read(STDIN_FILENO, in->bytes + in->used, in->capacity - in->used - 1);
    if (n > 0) in->used += (size_t)n;
    return n;
}

static bool predict_input(labels *l)
{
    input   in   = {0};
    bool    good = true;
    ssize_t n    = 0;
    while (good && (n = read_input(&in)) > 0)
        if (memchr(in.bytes + in.used - n, '\n', (size_t)n)) good = predict_lines(l, &in);
    if (good && in.used) { /* the last line has no end */
        in.bytes[in.used++] = '\n';
        good                = predict_lines(l, &in);
    }
    free(in.bytes);
    return good &&
           (n == 0 || errno == EINTR || complain("the standard input cannot be read: %s", strerror(errno)));
}

bool predict(session *s)
{
    const size_t n    = (size_t)s->info.classes;
    labels       l    = {.s           = s,
                         .rank        = calloc(n, sizeof *l.rank),
                         .probability = calloc(n, MODEL_TEXTS * sizeof *l.probability)};
    const bool   good = !l.rank || !l.probability  ? complain("no memory")
                        : strcmp(s->o->texts, "-") ? predict_file(&l)
                                                   : predict_input(&l);
    free(l.rank);
    free(l.probability);
    return good;
}
