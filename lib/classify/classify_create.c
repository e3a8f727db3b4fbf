/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes classifiers, and reads the samples that hosts pass. */
#include "classify/classify_create.h"

#include <fighter/experimental/labels.h>

#include "classify/classifier.h"
#include "classify/classify_images.h"
#include "classify/classify_passes.h"
#include "classify/classify_pretrain.h"
#include "classify/classify_recipe.h"
#include "text/corpus.h"

/* ---- samples ---- */

static fgt_status read_samples(fgti_error *err, const char *what, const fgt_samples *in, fgt_samples *out)
{
    FGTI_TRY(fgti_opts_read(err, "fgt_samples", in, out, sizeof *out));
    if (!out->texts || !out->images) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "%s: both texts and images (need one of them)", what);
}

fgt_status fgti_samples_check(const fgt_classifier *c, const char *what, bool needed, const fgt_samples *in,
                              fgt_samples *out)
{
    fgti_error *err = &c->ctx->error;
    FGTI_TRY(read_samples(err, what, in, out));
    if (out->texts || out->images) return fgti_classifier_check(c, err, out->images);
    if (!needed) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "%s is NULL, or has neither texts nor images", what);
}

/* ---- classifiers ---- */

static fgt_status make_texts(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus)
{
    fgt_vocab_opts          standard;
    const fgt_corpus *const texts = o->texts ? o->texts : corpus;
    c->batch                      = o->batch;
    c->info.tokens                = o->tokens;
    c->info.seed                  = o->seed;
    c->info.block                 = o->block.kind;

    FGTI_TRY(fgti_classifier_set_classes(c, FGT_TEXTS(corpus)));
    FGTI_TRY(c->labels ? fgti_corpus_of(c->ctx, &c->classes.texts, &corpus->columns, &c->like)
                       : fgti_corpus_like(c->ctx, corpus, &c->like));
    if (!o->vocab) FGTI_TRY(fgti_classify_vocab(c->ctx, texts, o->block.kind, &standard));
    FGTI_TRY(fgti_vocab_new(c->ctx, texts, o->vocab ? o->vocab : &standard, &c->vocab));
    FGTI_TRY(fgti_classify_build(c->ctx, o, c->vocab, c->info.classes, c->member));
    FGTI_TRY(fgti_classifier_finish(c));
    return o->pretrain ? fgti_classify_pretrain(c, o, texts) : FGT_OK;
}

static fgt_status classifier_make(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_samples *samples)
{
    return samples->texts ? make_texts(c, o, samples->texts)
                          : fgti_classify_make_images(c, o, samples->images);
}

/* The width of a token does not depend on the number of labels. */
static fgt_status classify_create_check(fgti_error *err, const fgt_samples *from, bool labels,
                                        fgt_classifier_opts *o)
{
    if (from->images) return fgti_classify_check_images(err, o);
    return fgti_classify_check(err, labels ? INT64_MAX : from->texts->classes.texts.count, o);
}

static fgt_status classifier_create(fgt_context *ctx, const fgt_samples *samples, bool labels,
                                    const fgt_classifier_opts *opts, fgt_classifier **classifier)
{
    fgt_classifier_opts o;
    fgt_samples         from;
    if (classifier) *classifier = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    FGTI_TRY(read_samples(err, "classifier: samples", samples, &from));
    if ((!from.texts && !from.images) || !classifier)
        return fgti_fail(err, FGT_E_ARG, "classifier: samples or result pointer is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_classifier_opts", opts, &o, sizeof o));
    FGTI_TRY(classify_create_check(err, &from, labels, &o));
    FGTI_TRY(fgti_classifier_new(ctx, 1, classifier));
    (*classifier)->labels = labels;
    const fgt_status s    = classifier_make(*classifier, &o, &from);
    if (s != FGT_OK) fgt_classifier_destroy(classifier);
    return s;
}

fgt_status fgt_classifier_create(fgt_context *ctx, const fgt_samples *samples,
                                 const fgt_classifier_opts *opts, fgt_classifier **classifier)
{
    return classifier_create(ctx, samples, false, opts, classifier);
}

fgt_status fgt_classifier_create_labels(fgt_context *ctx, const fgt_corpus *texts,
                                        const fgt_classifier_opts *opts, fgt_classifier **classifier)
{
    return classifier_create(ctx, FGT_TEXTS(texts), true, opts, classifier);
}

fgt_status fgti_classifier_new(fgt_context *ctx, int64_t members, fgt_classifier **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "classifier", out));
    (*out)->ctx       = ctx;
    (*out)->info.size = sizeof(*out)->info;
    fgt_status s      = FGTI_NEW(ctx, members, "members", &(*out)->member);
    if (s == FGT_OK) s = FGTI_NEW(ctx, members, "members", &(*out)->passes);
    if (s == FGT_OK) (*out)->members = members;
    if (s != FGT_OK) fgt_classifier_destroy(out);
    return s;
}

void fgt_classifier_destroy(fgt_classifier **classifier)
{
    if (!classifier || !*classifier) return;
    fgt_classifier *c   = *classifier;
    fgt_context    *ctx = c->ctx;
    fgt_classifier_workspace_destroy(&c->own);
    fgti_classifier_drop_passes(c);
    fgti_free(ctx, c->passes);
    for (int64_t i = 0; i < c->members; i++) fgt_model_destroy(&c->member[i]);
    fgti_free(ctx, c->member);
    fgt_vocab_destroy(&c->vocab);
    fgt_corpus_destroy(&c->like);
    fgti_words_done(ctx, &c->classes);
    fgti_free(ctx, c->x);
    fgti_free(ctx, c->target);
    fgti_free(ctx, c->logits);
    fgti_free(ctx, c);
    *classifier = NULL;
}
