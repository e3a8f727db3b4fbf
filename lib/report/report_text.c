/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds a classified text with the attention between its words. */
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/sensitivity.h>

#include "classify/classifier.h"
#include "classify/classifier_impl.h"
#include "core/size.h"
#include "report/report_data.h"
#include "report/report_importance.h"
#include "report/report_matrix.h"
#include "report/report_names.h"

/* A text with the tokens that a classifier makes of it. */
typedef struct reading {
    fgt_report     *r;
    fgt_classifier *c;
    fgt_report_text o;
    fgti_encoder    e;
    int64_t         count, words; /* number of tokens, and of words among them, which come first */
    fgti_strings    names;
    const char    **name; /* [count] */
} reading;

/* ---- tokens ---- */

/* After the words follow the runs of 2 words, then of 3, and so on. With buckets each run has an id, so their
 * positions follow from counting. */
static fgt_status add_run(reading *t, int64_t *first, int64_t *length)
{
    int64_t size;
    if (*first + *length > t->e.tokens.words.count) {
        *first = 0;
        ++*length;
    }
    if (*first + *length > t->e.tokens.words.count) /* a prefix, which has an id of its own */
        return fgti_strings_add(t->r->ctx, &t->names, "\xe2\x80\xa6", 3);
    const char *run = fgti_tokens_run(&t->e.tokens, (*first)++, *length, &size);
    return fgti_strings_add(t->r->ctx, &t->names, run, size);
}

static fgt_status name_tokens(reading *t)
{
    const fgti_strings *w     = &t->e.tokens.words;
    int64_t             first = 0, length = 2;
    FGTI_TRY(fgti_tokens_join(&t->e.tokens));
    for (int64_t k = 0, i = 0; k < t->e.used; k++) {
        if (t->e.ids[k] < 0) continue; /* letters of the word before */
        const char *name =
            i < t->words ? fgti_strings_get(w, i) : fgt_vocab_get_word(t->c->vocab, t->e.ids[k]);
        i++;
        FGTI_TRY(name ? fgti_strings_add(t->r->ctx, &t->names, name, (int64_t)strlen(name))
                      : add_run(t, &first, &length));
    }
    FGTI_TRY(FGTI_NEW(t->r->ctx, t->count, "names of tokens", &t->name));
    for (int64_t i = 0; i < t->count; i++) t->name[i] = fgti_strings_get(&t->names, i);
    return FGT_OK;
}

/* ---- the result ---- */

static int64_t best_of(const reading *t, const float *p)
{
    int64_t best = 0;
    for (int64_t i = 1; i < t->c->info.classes; i++)
        if (p[i] > p[best]) best = i;
    return best;
}

/* "headline: Business (0.93), then World (0.04); its class is Business" */
static fgt_status describe(const reading *t, const float *p, char *out, size_t size)
{
    fgti_strings names = {0};
    fgt_status   s     = FGT_OK;
    int64_t      best = best_of(t, p), second = -1;
    for (int64_t i = 0; i < t->c->info.classes; i++)
        if (i != best && (second < 0 || p[i] > p[second])) second = i;
    const char *const name[] = {t->o.name ? t->o.name : "", fgt_classifier_get_class_name(t->c, best),
                                fgt_classifier_get_class_name(t->c, second), t->o.truth ? t->o.truth : ""};
    for (int i = 0; i < 4 && s == FGT_OK; i++)
        s = fgti_shown_add(t->r->ctx, &names, name[i], FGTI_NAME_SHOWN);
    if (s == FGT_OK)
        snprintf(out, size, "%s%s%s (%d %%), then %s (%d %%)%s%s", fgti_strings_get(&names, 0),
                 t->o.name ? ": " : "", fgti_strings_get(&names, 1), (int)(100 * p[best] + 0.5f),
                 fgti_strings_get(&names, 2), (int)(100 * p[second] + 0.5f),
                 t->o.truth ? "; its class is " : "", fgti_strings_get(&names, 3));
    fgti_strings_done(t->r->ctx, &names);
    return s;
}

/* The norm of d logits / d embedding of each token: how much the logits change with the word. */
static fgt_status find_sensitivity(const reading *t, double *norm)
{
    const int64_t              tokens = t->c->info.tokens, n = fgti_classifier_ids(t->c);
    const fgt_sensitivity_opts o      = {.size = sizeof o, .from = "embedding"};
    int64_t                   *ids;
    FGTI_TRY(FGTI_NEW(t->r->ctx, n, "ids of a text", &ids));
    const fgt_view *x = FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, n);
    fgti_ids_put_row(x, NULL, n / tokens, 0, t->e.ids, t->e.used);
    const fgt_status s =
        fgt_sensitivity_compute(t->c->member[0], x, &o, FGT_VIEW_OF(FGT_DTYPE_F64, norm, 1, 1, tokens), NULL);
    fgti_free(t->r->ctx, ids);
    return s;
}

static fgt_status add_words(const reading *t, const char *heading)
{
    double *norm;
    FGTI_TRY(FGTI_NEW(t->r->ctx, t->c->info.tokens, "sensitivity", &norm));
    const fgt_report_words words = {.size    = sizeof words,
                                    .name    = heading,
                                    .subject = t->o.name,
                                    .count   = t->words,
                                    .measure = "sensitivity: how much the class depends on a word",
                                    .value   = FGT_VIEW_OF(FGT_DTYPE_F64, norm, t->count)};
    fgt_status             s     = find_sensitivity(t, norm);
    if (s == FGT_OK) s = fgt_report_add_words(t->r, &words);
    fgti_free(t->r->ctx, norm);
    return s;
}

/* Adds the importance of the tokens for the logit of the predicted class. */
static fgt_status add_importance(const reading *t, const fgt_report_pass *pass, const float *p)
{
    float *dy;
    FGTI_TRY(FGTI_NEW(t->r->ctx, t->c->info.classes, "a gradient", &dy));
    dy[best_of(t, p)] = 1;
    const fgt_status s =
        fgti_report_importance(t->r, t->c->member[0], FGT_VIEW(dy, 1, t->c->info.classes), pass, 1);
    fgti_free(t->r->ctx, dy);
    return s;
}

/* A model without attention has no matrices, so its words get a subject here. */
static fgt_status need_subject(const reading *t)
{
    fgt_report *r = t->r;
    int64_t     name, number;
    FGTI_TRY(fgti_report_name(r, &r->text, t->o.name ? t->o.name : "", FGTI_NAME_SHOWN, &name));
    return fgti_report_subject(r, name, t->count, t->name, &number);
}

/* Refuses a second text with the same name: its matrices would replace the ones that colour the first
 * text. */
static fgt_status check_name(const reading *t)
{
    for (int64_t i = 0; !t->o.epoch && i < t->r->texts; i++)
        if (fgti_report_is_subject(t->r, t->r->shown[i].subject, t->o.name))
            return fgti_fail(&t->r->ctx->error, FGT_E_ARG,
                             "report: there is a text \"%.60s\" already; give each text another name",
                             t->o.name ? t->o.name : "");
    return FGT_OK;
}

static fgt_status tell(reading *t, const char *text, float *p)
{
    char heading[4 * (4 * FGTI_NAME_SHOWN + 4) + 64]; /* four names, in UTF-8 */
    FGTI_TRY(fgt_classifier_predict(t->c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                    FGT_VIEW(p, 1, t->c->info.classes), NULL));
    FGTI_TRY(fgti_encoder_init(t->r->ctx, t->c->vocab, t->c->info.tokens, &t->e));
    FGTI_TRY(fgti_encoder_read(&t->e, text, (int64_t)strlen(text), &t->count));
    t->count = t->e.heads;
    FGTI_TRY(describe(t, p, heading, sizeof heading));
    if (!t->count) return FGT_OK;
    FGTI_TRY(check_name(t));
    t->words = fgti_least(t->count, t->e.tokens.words.count);
    FGTI_TRY(name_tokens(t));
    const fgt_report_pass pass = {
        .size = sizeof pass, .subject = t->o.name, .tokens = t->name, .count = t->count, .epoch = t->o.epoch};
    FGTI_TRY(fgt_report_add_model(t->r, t->c->member[0], &pass));
    if (t->o.epoch) return FGT_OK;
    FGTI_TRY(add_importance(t, &pass, p));
    FGTI_TRY(need_subject(t));
    return add_words(t, heading);
}

fgt_status fgt_report_add_text(fgt_report *report, fgt_classifier *classifier, const char *text,
                               const fgt_report_text *opts)
{
    reading t = {.r = report, .c = classifier};
    float  *p;
    if (!report) return FGT_E_ARG;
    fgt_context *ctx = report->ctx;
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_report_text", opts, &t.o, sizeof t.o));
    if (!classifier || !text || t.o.epoch < 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "report: classifier or text is NULL, or epoch is negative");
    if (classifier->ctx != ctx)
        return fgti_fail(&ctx->error, FGT_E_ARG, "report: the classifier is of another context");
    FGTI_TRY(FGTI_NEW(ctx, classifier->info.classes, "probabilities", &p));
    t.e.ctx            = ctx;
    const bool exact   = t.c->exact;
    t.c->exact         = true; /* so that the attention shown is the attention of the prediction */
    const fgt_status s = tell(&t, text, p);
    t.c->exact         = exact;
    fgti_encoder_done(&t.e);
    fgti_strings_done(ctx, &t.names);
    fgti_free(ctx, t.name);
    fgti_free(ctx, p);
    return s;
}
