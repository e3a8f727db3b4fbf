/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds a classified text with the attention between its words. */
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/sensitivity.h>

#include "classify/classifier.h"
#include "classify/classifier_impl.h"
#include "core/size.h"
#include "report/report_data.h"
#include "text/vocab/encoder.h"

/* A text, with the tokens that a classifier makes from it. */
typedef struct reading {
    fgt_report     *r;
    fgt_classifier *c;
    fgt_report_text o;
    fgti_encoder    e;
    float          *p, *dy;       /* [classes]: p are probabilities, dy is 1 for the best class */
    double         *norm;         /* [tokens of the classifier]: sensitivities */
    int64_t         best, second; /* the two most probable classes */
    int64_t         count, words; /* number of tokens, and number of words, which are the first tokens */
    fgti_strings    names;
    const char    **name; /* [count] */
} reading;

/* ---- tokens ---- */

/* Adds the name of a run of words. The runs of 2 words come after the words, then the runs of 3 words, and so
 * on. With buckets each run has an id, so the words of a run follow from counting. */
static fgt_status report_text_add_run(reading *t, int64_t *first, int64_t *length)
{
    int64_t size;
    if (*first + *length > t->e.tokens.words.count) {
        *first = 0;
        ++*length;
    }
    if (*first + *length > t->e.tokens.words.count) /* the token is a prefix, which has its own id */
        return fgti_strings_add(t->r->ctx, &t->names, "\xe2\x80\xa6", 3);
    const char *run = fgti_tokens_run(&t->e.tokens, (*first)++, *length, &size);
    return fgti_strings_add(t->r->ctx, &t->names, run, size);
}

static fgt_status report_text_name_tokens(reading *t)
{
    const fgti_strings *w     = &t->e.tokens.words;
    int64_t             first = 0, length = 2;
    FGTI_TRY(fgti_tokens_join(&t->e.tokens));
    for (int64_t k = 0; k < t->e.used; k++) {
        if (t->e.ids[k] < 0) continue; /* a negative id is for letters of the word before */
        const char *name = t->names.count < t->words ? fgti_strings_get(w, t->names.count)
                                                     : fgt_vocab_get_word(t->c->vocab, t->e.ids[k]);
        FGTI_TRY(name ? fgti_strings_add(t->r->ctx, &t->names, name, (int64_t)strlen(name))
                      : report_text_add_run(t, &first, &length));
    }
    FGTI_TRY(FGTI_NEW(t->r->ctx, t->count, "names of tokens", &t->name));
    for (int64_t i = 0; i < t->count; i++) t->name[i] = fgti_strings_get(&t->names, i);
    return FGT_OK;
}

/* ---- the result ---- */

static void report_text_find_best(reading *t)
{
    t->second = -1;
    for (int64_t i = 1; i < t->c->info.classes; i++)
        if (t->p[i] > t->p[t->best]) t->best = i;
    for (int64_t i = 0; i < t->c->info.classes; i++)
        if (i != t->best && (t->second < 0 || t->p[i] > t->p[t->second])) t->second = i;
}

/* "headline: Business (93 %), then World (4 %); its class is Business" */
static void report_text_describe(const reading *t, char *out, size_t size)
{
    char              shown[4][FGTI_SHOWN_BYTES(FGTI_SHOWN_NAME)];
    const char *const name[] = {t->o.name, fgt_classifier_get_class_name(t->c, t->best),
                                fgt_classifier_get_class_name(t->c, t->second), t->o.truth};
    for (int i = 0; i < 4; i++) fgti_shown(name[i], FGTI_SHOWN_NAME, shown[i]);
    snprintf(out, size, "%s%s%s (%d %%), then %s (%d %%)%s%s", shown[0], t->o.name ? ": " : "", shown[1],
             (int)(100 * t->p[t->best] + 0.5f), shown[2], (int)(100 * t->p[t->second] + 0.5f),
             t->o.truth ? "; its class is " : "", shown[3]);
}

/* Computes the norm of d logits / d embedding of each token, which tells how much the logits change with the
 * word. */
static fgt_status report_text_find_sensitivity(const reading *t)
{
    const int64_t              tokens = t->c->info.tokens, n = fgti_classifier_ids(t->c);
    const fgt_sensitivity_opts o = {.size = sizeof o, .from = "embedding"};
    int64_t                   *ids;
    FGTI_TRY(FGTI_NEW(t->r->ctx, n, "ids of a text", &ids));
    const fgt_view *x = FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, n);
    fgti_ids_put_row(x, NULL, n / tokens, 0, t->e.ids, t->e.used);
    const fgt_status s = fgt_sensitivity_compute(t->c->member[0], x, &o,
                                                 FGT_VIEW_OF(FGT_DTYPE_F64, t->norm, 1, 1, tokens), NULL);
    fgti_free(t->r->ctx, ids);
    return s;
}

/* Refuses a second text with the same name. Its matrices would replace the matrices that colour the first
 * text. */
static fgt_status report_text_check_name(const reading *t)
{
    const fgti_figures *texts = &t->r->figures[FGTI_FIGURE_TEXT];
    const char         *name  = t->o.name ? t->o.name : "";
    for (int64_t i = 0; !t->o.epoch && i < texts->count; i++)
        if (!strcmp(fgti_report_get_name(t->r, texts->item[i].subject), name))
            return fgti_fail(&t->r->ctx->error, FGT_E_ARG,
                             "report: there is a text \"%.60s\" already (need another name for each text)",
                             name);
    return FGT_OK;
}

/* Adds the text. Importance is for the logit of the predicted class. A model without attention has no
 * matrices, so the subject of its words is made here. */
static fgt_status report_text_add(reading *t, const char *text)
{
    const int64_t classes = t->c->info.classes;
    char          heading[4 * FGTI_SHOWN_BYTES(FGTI_SHOWN_NAME) + 64]; /* space for four names in UTF-8 */
    int64_t       number;
    FGTI_TRY(FGTI_NEW(t->r->ctx, 2 * classes, "probabilities", &t->p));
    FGTI_TRY(fgt_classifier_predict(t->c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                    FGT_VIEW(t->p, 1, classes), NULL));
    report_text_find_best(t);
    t->dy          = t->p + classes;
    t->dy[t->best] = 1;
    FGTI_TRY(fgti_encoder_init(t->r->ctx, t->c->vocab, t->c->info.tokens, &t->e));
    FGTI_TRY(fgti_encoder_read(&t->e, text, (int64_t)strlen(text), &t->count));
    t->count = t->e.heads;
    if (!t->count) return FGT_OK;
    FGTI_TRY(report_text_check_name(t));
    t->words = fgti_least(t->count, t->e.tokens.words.count);
    FGTI_TRY(report_text_name_tokens(t));
    const fgt_report_pass pass = {
        .size = sizeof pass, .subject = t->o.name, .tokens = t->name, .count = t->count, .epoch = t->o.epoch};
    FGTI_TRY(fgt_report_add_model(t->r, t->c->member[0], &pass));
    if (t->o.epoch) return FGT_OK;
    FGTI_TRY(fgti_report_importance(t->r, t->c->member[0], FGT_VIEW(t->dy, 1, classes), &pass, 1));
    FGTI_TRY(fgti_subject_add(t->r, t->o.name, t->count, t->name, &number));
    FGTI_TRY(FGTI_NEW(t->r->ctx, t->c->info.tokens, "sensitivity", &t->norm));
    FGTI_TRY(report_text_find_sensitivity(t));
    report_text_describe(t, heading, sizeof heading);
    const fgt_report_words words = {.size    = sizeof words,
                                    .name    = heading,
                                    .subject = t->o.name,
                                    .count   = t->words,
                                    .measure = "sensitivity: how much the class depends on a word",
                                    .value   = FGT_VIEW_OF(FGT_DTYPE_F64, t->norm, t->count)};
    return fgt_report_add_words(t->r, &words);
}

fgt_status fgt_report_add_text(fgt_report *report, fgt_classifier *classifier, const char *text,
                               const fgt_report_text *opts)
{
    reading t = {.r = report, .c = classifier};
    FGTI_TRY(fgti_report_read(report, "text", false, opts, &t.o, sizeof t.o));
    fgt_context *ctx = report->ctx;
    if (!classifier || !text) return fgti_fail(&ctx->error, FGT_E_ARG, "report: classifier or text is NULL");
    if (t.o.epoch < 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "report: epoch is negative (got %lld)",
                         (long long)t.o.epoch);
    if (classifier->ctx != ctx)
        return fgti_fail(&ctx->error, FGT_E_ARG, "report: the classifier is of another context");
    const bool exact   = classifier->exact;
    t.e.ctx            = ctx;
    classifier->exact  = true; /* so that the attention shown is the attention of the prediction */
    const fgt_status s = report_text_add(&t, text);
    classifier->exact  = exact;
    fgti_encoder_done(&t.e);
    fgti_strings_done(ctx, &t.names);
    fgti_free(ctx, t.name);
    fgti_free(ctx, t.norm);
    fgti_free(ctx, t.p);
    return s;
}
