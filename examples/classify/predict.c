/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "classify.h"

/* One line without its end; NULL at the end of the input, or without memory. *line and its *capacity grow. */
static char *read_line(char **line, size_t *capacity)
{
    size_t used = 0;
    for (;;) {
        if (*capacity - used < 2) {
            const size_t more   = *capacity ? 2 * *capacity : 256;
            char        *larger = realloc(*line, more);
            if (!larger) return NULL;
            *line = larger;
            *capacity = more;
        }
        if (!fgets(*line + used, (int)(*capacity - used), stdin)) return used ? *line : NULL;
        used += strlen(*line + used);
        if (used && (*line)[used - 1] == '\n') break;
    }
    for (; used && ((*line)[used - 1] == '\n' || (*line)[used - 1] == '\r'); used--) (*line)[used - 1] = 0;
    return *line;
}

static bool keep(run *r, prediction found)
{
    const size_t n = r->prediction_count;
    if (n == 0 || (n & (n - 1)) == 0) { /* the room doubles */
        prediction *larger = realloc(r->predictions, (n ? 2 * n : 1) * sizeof *larger);
        if (!larger) return complain("no memory");
        r->predictions = larger;
    }
    r->predictions[r->prediction_count++] = found;
    return true;
}

bool predict_say(run *r, const float *p)
{
    int64_t best = 0;
    for (int64_t i = 1; i < r->info.classes; i++)
        if (p[i] > p[best]) best = i;
    if (r->o->json) return keep(r, (prediction){best, (double)p[best]});
    printf("%s %.4f\n", fgt_classifier_get_class_name(r->classifier, best), (double)p[best]);
    fflush(stdout); /* whoever writes line by line reads line by line */
    return true;
}

static bool predict_one(run *r, const char *text, float *p)
{
    if (fgt_classifier_predict(r->classifier, &text, 1, FGT_VIEW(p, 1, r->info.classes), NULL) != FGT_OK)
        return failed(r, NULL);
    return predict_say(r, p);
}

static bool predict_lines(run *r, float *p)
{
    char  *line = NULL;
    size_t capacity = 0;
    bool   good     = true;
    while (good && read_line(&line, &capacity)) good = predict_one(r, line, p);
    free(line);
    return good && (feof(stdin) ||
                    complain("the standard input cannot be read, or a line is too long for the memory"));
}

#define TEXTS 1024 /* in memory at a time */

typedef struct reading {
    run   *r;
    float *p;
    bool   good;
} reading;

static int take_texts(void *user, const fgt_corpus *texts, int64_t first)
{
    reading *x = user;
    (void)first;
    for (int64_t i = 0; x->good && i < fgt_corpus_count_rows(texts); i++)
        x->good = predict_one(x->r, fgt_corpus_get_text(texts, i), x->p);
    return !x->good;
}

static bool predict_file(run *r, float *p)
{
    reading x = {r, p, true};
    return texts_visit(r, r->o->predict_file, TEXTS, take_texts, &x) && x.good;
}

bool predict_texts(run *r)
{
    float     *p    = malloc((size_t)r->info.classes * sizeof *p);
    const bool good = p ? (r->o->predict_file ? predict_file : predict_lines)(r, p) : complain("no memory");
    free(p);
    return good;
}
