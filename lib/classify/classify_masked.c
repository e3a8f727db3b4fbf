/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training: the layers of a classifier learn to predict hidden words of texts without classes. This file
 * also has the public function, which takes texts or images. */
#include <string.h>

#include <fighter/experimental/corpus_file.h>
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/vision.h>

#include "blocks/blocks.h"
#include "classify/classify_create.h"
#include "classify/classify_fit.h"
#include "classify/classify_masked_images.h"
#include "classify/masked_texts.h"
#include "model/access.h"
#include "model/build/append.h"
#include "text/corpus.h"
#include "text/corpus_reader.h"
#include "train/fit/standard_fit.h"

/* Devlin et al. 2019, section 3.1 and appendix A.2. */
#define SHARE   0.15
#define DROPOUT 0.1

/* The most words that can be predicted. A softmax over all words of a large vocabulary would take most of the
 * time, and most of these words are rare. */
#define WORDS 4096

/* Prefix of the layers that only pre-training has. */
#define OWN "masked."

static fgt_status classify_masked_check_texts(const fgt_classifier *c)
{
    fgti_error *err = &c->ctx->error;
    const char *const last = fgti_model_input_of(c->member[0], "pool");
    const bool        sees = fgt_block_get_traits(c->info.block) & FGT_BLOCK_TRAIT_TOKENS;
    if (c->vocab->opts.ngrams > 1 || c->vocab->opts.prefix || c->vocab->opts.letters)
        return fgti_fail(err, FGT_E_STATE,
                         "masked: ids of n-grams, prefixes and letters would reveal the hidden words; the "
                         "classifier must be made with words only (ngrams 1, prefix 0, letters 0)");
    if (!sees || c->info.block == FGT_BLOCK_MLP)
        return fgti_fail(err, FGT_E_STATE, "masked: with %s no word sees the others, from which it could be "
                                           "found out",
                         fgt_block_get_name(c->info.block));
    if (last && fgti_model_shape_of(c->member[0], last).time == c->info.tokens) return FGT_OK;
    return fgti_fail(err, FGT_E_STATE, "masked: %s with several layers joins words to fewer tokens",
                     fgt_block_get_name(c->info.block));
}

/* ---- the model ---- */

/* [B,T,E] -> [B,M,W]: linear - gelu - norm - linear at the hidden places. */
static fgt_status add_words(fgt_model *m, const fgti_masked_texts *t)
{
    const fgt_value_opts      places = {.size = sizeof places, .time = t->places, .kind = FGT_VALUE_IDS};
    const fgt_activation_opts gelu   = {.size = sizeof gelu, .kind = FGT_ACT_GELU};
    const char *const         tokens = fgti_model_last_name(m);
    const int64_t             width  = fgti_model_last_shape(m).width;
    FGTI_TRY(fgt_model_add(m, fgt_named(FGTI_PLACES, fgt_value(&places))));
    FGTI_TRY(fgt_model_add_from(m, fgt_named(OWN "tokens", fgt_gather(NULL)),
                                (const char *[]){tokens, FGTI_PLACES}, 2));
    FGTI_TRY(fgt_model_add(m, fgt_named(OWN "map", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = width)))));
    FGTI_TRY(fgt_model_add(m, fgt_named(OWN "gelu", fgt_activation(&gelu))));
    FGTI_TRY(fgt_model_add(m, fgt_named(OWN "norm", fgt_layer_norm(NULL))));
    return fgt_model_add(m, fgt_named(OWN "head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = t->words))));
}

static fgt_status classify_masked_build(const fgt_classifier *c, const fgti_masked_texts *t, float dropout,
                                        fgt_model **model)
{
    const fgti_model_part part = {.last = fgti_model_input_of(c->member[0], "pool"), .dropout = dropout};
    FGTI_TRY(fgt_model_create(c->ctx, fgti_model_options(c->member[0]), model));
    FGTI_TRY(fgti_model_append_part(*model, c->member[0], &part));
    return add_words(*model, t);
}

/* Copies all weights to the classifier by name, except the weights of the layers that only pre-training
 * has. */
static fgt_status classify_masked_take_weights(fgt_classifier *c, const fgt_model *model)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_param(model, i)); i++)
        if (strncmp(p->full_name, OWN, strlen(OWN)) != 0)
            FGTI_TRY(fgt_model_copy_parameters(c->member[0], model, p->full_name));
    return FGT_OK;
}

/* ---- training ---- */

static fgt_status classify_masked_read_opts(const fgt_classifier *c, const fgt_classifier_masked_opts *opts,
                                            fgt_classifier_masked_opts *o, fgt_classifier_fit_opts *fit)
{
    const fgti_opt table[] = {
        FGTI_FIELD(fgt_classifier_masked_opts, share, F64, 0, 0.99, c->vocab ? SHARE : 0),
        FGTI_FIELD(fgt_classifier_masked_opts, words, I64, 1, FGTI_OPT_SIZE_MAX, WORDS),
        FGTI_FIELD(fgt_classifier_masked_opts, dropout, F32, -1, 0.95, DROPOUT),
        FGTI_FIELD(fgt_classifier_masked_opts, reserved, BOOL, 0, 0, 0),
        {0},
    };
    fgti_error *err = &c->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_classifier_masked_opts", opts, o, sizeof *o));
    if (!c->vocab && (o->words || o->dropout != 0))
        return fgti_fail(err, FGT_E_ARG, "masked: words and dropout are for texts");
    FGTI_TRY(fgti_opts_check(err, "masked", table, o));
    if (o->dropout < 0) o->dropout = 0;
    FGTI_TRY(fgti_opts_read(err, "fgt_classifier_fit_opts", o->fit, fit, sizeof *fit));
    if (fit->label_smoothing != 0 || fit->balance != 0)
        return fgti_fail(err, FGT_E_ARG, "masked: label_smoothing and balance are for fgt_classifier_fit()");
    return fgti_classifier_fit_check(c, true, fit);
}

static fgt_status classify_masked_train(fgt_classifier *c, const fgti_masked_texts *t,
                                        const fgt_classifier_fit_opts *o, float dropout,
                                        const fgt_source *from, const fgt_source *check,
                                        fgt_fit_report *report)
{
    const fgt_loss_opts loss  = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY, .skip_nan = 1};
    const fgt_fit_opts  all   = {.size         = sizeof all,
                                 .training     = o->training,
                                 .train        = from,
                                 .validation   = check,
                                 .loss         = &loss,
                                 .target_dtype = FGT_DTYPE_I64};
    fgt_model          *model = NULL;
    fgt_status          s     = classify_masked_build(c, t, dropout, &model);
    if (s == FGT_OK) s = fgti_fit(model, &all, report);
    if (s == FGT_E_DATA)
        fgti_error_prefix(&c->ctx->error, "masked (a text without a word to hide has no target)");
    if (s == FGT_OK) s = classify_masked_take_weights(c, model);
    fgt_model_destroy(&model);
    return s;
}

static fgt_status mask_texts(fgt_classifier *c, const fgt_corpus *texts, const fgt_corpus *validation,
                             const fgt_classifier_masked_opts *o, const fgt_classifier_fit_opts *fit,
                             fgt_fit_report *report)
{
    fgt_source from, check;
    if (fit->training.selector && texts->store)
        return fgti_fail(&c->ctx->error, FGT_E_UNSUPPORTED,
                         "masked: a selector needs a corpus in memory; this corpus stays on disk");
    fgti_masked_texts a = {.c      = c,
                           .words  = fgti_least(o->words, fgti_vocab_words(c->vocab)),
                           .places = (int64_t)(o->share * (double)c->info.tokens + 0.5),
                           .share  = o->share,
                           .seed   = fit->training.seed};
    if (a.places < 1) a.places = 1;
    fgti_masked_texts b = a;
    fgt_status        s = fgti_masked_texts_init(&a, texts, fgti_corpus_get_resident(texts), &from);
    if (s == FGT_OK && validation) s = fgti_masked_texts_init(&b, validation, 0, &check);
    if (s == FGT_OK)
        s = classify_masked_train(c, &a, fit, o->dropout, &from, validation ? &check : NULL, report);
    fgti_masked_texts_done(&a);
    fgti_masked_texts_done(&b);
    return s;
}

/* ---- for hosts ---- */

fgt_status fgt_classifier_fit_masked(fgt_classifier *classifier, const fgt_samples *samples,
                                     const fgt_samples *validation, const fgt_classifier_masked_opts *opts,
                                     fgt_fit_report *report)
{
    fgt_classifier            *c = classifier;
    fgt_classifier_masked_opts o;
    fgt_classifier_fit_opts    fit;
    fgt_samples                from, check;
    if (!c) return FGT_E_ARG;
    FGTI_TRY(fgti_samples_check(c, "masked: samples", true, samples, &from));
    FGTI_TRY(fgti_samples_check(c, "masked: validation", false, validation, &check));
    FGTI_TRY(fgti_classifier_check_base(c, "masked"));
    if (c->vocab) FGTI_TRY(classify_masked_check_texts(c));
    FGTI_TRY(classify_masked_read_opts(c, opts, &o, &fit));
    if (report) FGTI_TRY(fgti_result_check(&c->ctx->error, "fgt_fit_report", report));
    return c->vocab ? mask_texts(c, from.texts, check.texts, &o, &fit, report)
                    : fgti_classifier_mask_images(c, &from, &check, &fit, o.share, report);
}
