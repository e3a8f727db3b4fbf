/* SPDX-License-Identifier: BSD-3-Clause */

/* Precision and recall of the labels, all together and of each label, in the form of fastText. */

#include <stdlib.h>
#include <string.h>

#include "model.h"

#include "../common/program.h"

/* Numbers of labels. */
typedef struct counts {
    int64_t given, predicted, right;
} counts;

typedef struct measures {
    const session *s;
    counts         all, *of; /* of [classes] */
    int64_t        texts, unknown;
    scored        *rank;        /* [classes] */
    float         *probability; /* [MODEL_TEXTS,classes] */
    bool          *has;         /* [classes]: the text has this label */
} measures;

static bool is_label(const session *s, int64_t i, const char *name, size_t size)
{
    const char *own = fgt_classifier_get_class_name(s->classifier, i);
    return strlen(own) == size && !memcmp(own, name, size);
}

/* Sets the labels of a text from their list, which has blanks between them. Returns their number without
 * labels that the model does not have. */
static int64_t read_labels(measures *m, const char *list)
{
    int64_t count = 0;
    memset(m->has, 0, (size_t)m->s->info.classes * sizeof *m->has);
    for (size_t n; (n = strcspn(list, " ")) > 0; list += n + (list[n] == ' '))
        for (int64_t i = 0; i < m->s->info.classes; i++)
            if (!m->has[i] && is_label(m->s, i, list, n)) {
                m->has[i] = true;
                count++;
            }
    return count;
}

static void count_labels(measures *m, int64_t given, const float *probability)
{
    const int64_t predicted = model_rank(m->s, probability, m->rank);
    m->texts++;
    m->all.given += given;
    m->all.predicted += predicted;
    for (int64_t i = 0; i < m->s->info.classes; i++) m->of[i].given += m->has[i];
    for (int64_t i = 0; i < predicted; i++) {
        const int64_t label = m->rank[i].label;
        m->of[label].predicted++;
        m->of[label].right += m->has[label];
        m->all.right += m->has[label];
    }
}

/* Measures texts first .. first+n-1. */
static bool measure_some(measures *m, const fgt_corpus *test, const int32_t *class_of, int64_t first,
                         int64_t n)
{
    const char *texts[MODEL_TEXTS];
    for (int64_t i = 0; i < n; i++) texts[i] = fgt_corpus_get_text(test, first + i);
    if (!model_predict(m->s, texts, n, m->probability)) return false;
    for (int64_t i = 0; i < n; i++) {
        const int64_t given = read_labels(m, fgt_corpus_get_class_name(test, class_of[first + i]));
        if (given) count_labels(m, given, m->probability + i * m->s->info.classes);
        m->unknown += !given;
    }
    return true;
}

static bool measure_texts(measures *m)
{
    const session        *s    = m->s;
    const fgt_corpus_opts opts = model_corpus_opts(true, false);
    fgt_corpus_info       info = {.size = sizeof info};
    fgt_corpus           *test;
    if (fgt_corpus_load(s->ctx, s->o->texts, &opts, &test) != FGT_OK ||
        fgt_corpus_get_info(test, &info) != FGT_OK)
        return failed(s, NULL);
    bool good = true;
    for (int64_t i = 0; good && i < info.rows; i += MODEL_TEXTS) {
        const int64_t left = info.rows - i;
        good = measure_some(m, test, info.row_classes, i, left < MODEL_TEXTS ? left : MODEL_TEXTS);
    }
    fgt_corpus_destroy(&test);
    return good;
}

/* ---- output ---- */

static double ratio(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void print_share(const char *name, int64_t part, int64_t whole)
{
    if (whole)
        printf("%s : %.6f  ", name, ratio(part, whole));
    else
        printf("%s : --------  ", name);
}

static void print_label(const session *s, int64_t label, counts n)
{
    print_share("F1-Score", 2 * n.right, n.given + n.predicted);
    print_share("Precision", n.right, n.predicted);
    print_share("Recall", n.right, n.given);
    printf(" __label__%s\n", fgt_classifier_get_class_name(s->classifier, label));
}

static bool print_measures(const measures *m)
{
    const session *s = m->s;
    if (m->unknown)
        warn("%s: %lld text%s not counted, because the model has none of their labels", s->o->texts,
             (long long)m->unknown, m->unknown == 1 ? " is" : "s are");
    if (!m->texts) return complain("%s: no text has a label of the model", s->o->texts);
    for (int64_t i = 0; s->o->by_label && i < s->info.classes; i++) print_label(s, i, m->of[i]);
    printf(s->o->by_label ? "N\t%lld\nP@%lld\t%.3f\nR@%lld\t%.3f\n" : "N\t%lld\nP@%lld\t%.3g\nR@%lld\t%.3g\n",
           (long long)m->texts, (long long)s->o->k, ratio(m->all.right, m->all.predicted), (long long)s->o->k,
           ratio(m->all.right, m->all.given));
    return true;
}

bool measure(session *s)
{
    const size_t n    = (size_t)s->info.classes;
    measures     m    = {.s           = s,
                         .of          = calloc(n, sizeof *m.of),
                         .rank        = calloc(n, sizeof *m.rank),
                         .probability = calloc(n, MODEL_TEXTS * sizeof *m.probability),
                         .has         = calloc(n, sizeof *m.has)};
    const bool   good = m.of && m.rank && m.probability && m.has ? measure_texts(&m) && print_measures(&m)
                                                                 : complain("no memory");
    free(m.of);
    free(m.rank);
    free(m.probability);
    free(m.has);
    return good;
}
