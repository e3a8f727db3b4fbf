/* SPDX-License-Identifier: BSD-3-Clause */

/* Labels of texts, a line each. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/corpus_file.h>

#include "model.h"

#include "../common/program.h"

typedef struct labels {
    const session *s;
    scored        *rank;        /* [classes] */
    float         *probability; /* [classes] */
    bool           good;
} labels;

static bool print_labels(labels *l)
{
    const session *s = l->s;
    const int64_t  n = model_rank(s, l->probability, l->rank);
    for (int64_t i = 0; i < n; i++) {
        printf("%s__label__%s", i ? " " : "", fgt_classifier_get_class_name(s->classifier, l->rank[i].label));
        if (s->o->probabilities) printf(" %g", (double)l->rank[i].probability);
    }
    putchar('\n');
    /* the other program may wait for the answer to its line */
    return fflush(stdout) == 0 || complain("the standard output cannot be written: %s", strerror(errno));
}

static bool predict_text(labels *l, const char *text)
{
    const session *s = l->s;
    if (fgt_classifier_predict(s->classifier, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                               FGT_VIEW(l->probability, 1, s->info.classes), NULL) != FGT_OK)
        return failed(s, NULL);
    return print_labels(l);
}

static fgt_status take_texts(void *user, const fgt_corpus *texts, int64_t row)
{
    labels         *l    = user;
    fgt_corpus_info info = {.size = sizeof info};
    (void)row;
    l->good = fgt_corpus_get_info(texts, &info) == FGT_OK || failed(l->s, NULL);
    for (int64_t i = 0; l->good && i < info.rows; i++)
        l->good = predict_text(l, fgt_corpus_get_text(texts, i));
    return l->good ? FGT_OK : FGT_E_CANCELLED;
}

#define TEXTS 1024 /* number of texts in memory at a time */

static bool predict_file(labels *l)
{
    const session        *s    = l->s;
    const fgt_corpus_opts opts = model_corpus_opts(true, true);
    const fgt_status      did  = fgt_corpus_visit(s->ctx, s->o->texts, &opts, TEXTS, take_texts, l);
    return did == FGT_OK || (did != FGT_E_CANCELLED && failed(s, NULL));
}

/* Skips the labels at the beginning of a line. */
static const char *skip_labels(const char *line)
{
    static const char label[] = "__label__";
    while (!strncmp(line, label, strlen(label))) {
        line += strcspn(line, " \t");
        line += strspn(line, " \t");
    }
    return line;
}

static bool predict_input(labels *l)
{
    char  *line     = NULL;
    size_t capacity = 0;
    bool   good     = true;
    for (ssize_t n; good && (n = getline(&line, &capacity, stdin)) >= 0;) {
        if (n && line[n - 1] == '\n') line[n - 1] = 0;
        good = predict_text(l, skip_labels(line));
    }
    free(line);
    return good && (feof(stdin) || errno == EINTR ||
                    complain("the standard input cannot be read: %s", strerror(errno)));
}

bool predict(session *s)
{
    const size_t n = (size_t)s->info.classes;
    labels l = {.s = s, .rank = calloc(n, sizeof *l.rank), .probability = calloc(n, sizeof *l.probability)};
    const bool good = !l.rank || !l.probability  ? complain("no memory")
                      : strcmp(s->o->texts, "-") ? predict_file(&l)
                                                 : predict_input(&l);
    free(l.rank);
    free(l.probability);
    return good;
}
