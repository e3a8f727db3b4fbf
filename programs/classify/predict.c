/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predict.h"
#include "texts.h"

#include "../common/program.h"

static bool keep(run *r, prediction found)
{
    const size_t n = r->prediction_count;
    if (n == 0 || (n & (n - 1)) == 0) { /* the array is full if n is 0 or a power of two */
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
    /* flush after each line: the other program may wait for the answer to its line */
    if (printf("%s %.4f\n", fgt_classifier_get_class_name(r->classifier, best), (double)p[best]) < 0 ||
        fflush(stdout))
        return complain("the standard output cannot be written: %s", strerror(errno));
    return true;
}

static bool predict_one(run *r, const char *text, float *p)
{
    if (fgt_classifier_predict(r->classifier, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                               FGT_VIEW(p, 1, r->info.classes), NULL) != FGT_OK)
        return failed(r, NULL);
    return predict_say(r, p);
}

/* Predicts the class of a line. The line is read as in a file of --predict: without its label, and with
 * blanks for escaped line breaks. *replaced is the number of characters that are not UTF-8. */
static bool predict_line(run *r, const char *line, float *p, int64_t *replaced)
{
    static const char           label[] = "__label__";
    static const fgt_corpus_opts plain  = {.size = sizeof plain, .no_classes = 1};
    fgt_corpus                  *text;
    if (!strncmp(line, label, strlen(label))) line += strcspn(line, " \t\v\f\r");
    if (fgt_corpus_create(r->ctx, &line, NULL, 1, &plain, &text) != FGT_OK) return failed(r, NULL);
    const bool good = predict_one(r, fgt_corpus_get_text(text, 0), p);
    *replaced       = texts_info(text).replaced;
    fgt_corpus_destroy(&text);
    return good;
}

/* Warns once, after the last line, of characters that are not UTF-8; files give the same warning. */
static void warn_of_replaced(int64_t replaced, int64_t lines, int64_t bad_lines, int64_t first)
{
    if (replaced)
        warn("the standard input: %lld character%s not UTF-8 and %s replaced by U+FFFD, in %lld of %lld "
             "line%s; the first is in line %lld",
             (long long)replaced, replaced == 1 ? " is" : "s are", replaced == 1 ? "was" : "were",
             (long long)bad_lines, (long long)lines, plural(lines), (long long)first);
}

static bool predict_lines(run *r, float *p)
{
    char     *line = NULL;
    size_t    capacity = 0;
    bool      good     = true;
    int64_t   all = 0, bad_lines = 0, first = 0;
    long long number = 1;
    for (ssize_t n; good && (n = getline(&line, &capacity, stdin)) >= 0; number++) {
        if ((ssize_t)strlen(line) < n) {
            good = complain("line %lld of the standard input contains a zero byte, so it is not text in "
                            "UTF-8",
                            number);
            break;
        }
        for (; n && (line[n - 1] == '\n' || line[n - 1] == '\r'); n--) line[n - 1] = 0;
        int64_t replaced = 0;
        good             = predict_line(r, line, p, &replaced);
        if (replaced && !bad_lines++) first = number;
        all += replaced;
    }
    const int why = errno;
    free(line);
    warn_of_replaced(all, number - 1, bad_lines, first);
    if (!good || feof(stdin) || why == EINTR) return good;
    if (why == ENOMEM || why == EOVERFLOW)
        return complain("line %lld of the standard input is too long for the memory", number);
    return complain("the standard input cannot be read: %s", strerror(why));
}

#define TEXTS 1024 /* number of texts in memory at a time */

typedef struct reading {
    run   *r;
    float *p;
    bool   good;
} reading;

static fgt_status take_texts(void *user, const fgt_corpus *texts, int64_t first)
{
    reading *x = user;
    (void)first;
    for (int64_t i = 0; x->good && i < texts_info(texts).rows; i++)
        x->good = predict_one(x->r, fgt_corpus_get_text(texts, i), x->p);
    return x->good ? FGT_OK : FGT_E_CANCELLED;
}

static bool predict_file(run *r, float *p)
{
    reading x = {r, p, true};
    const fgt_status s = texts_visit(r, r->o->predict_file, TEXTS, take_texts, &x);
    return (s == FGT_OK || s == FGT_E_CANCELLED) && x.good;
}

bool predict_texts(run *r)
{
    float     *p    = malloc((size_t)r->info.classes * sizeof *p);
    const bool good = p ? (r->o->predict_file ? predict_file : predict_lines)(r, p) : complain("no memory");
    free(p);
    return good;
}
