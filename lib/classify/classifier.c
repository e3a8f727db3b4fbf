/* SPDX-License-Identifier: BSD-3-Clause */

/* Parts that all uses of a classifier share: the input of a pass, the names of the classes, information. */

#include "classify/classifier.h"

#include <fighter/experimental/labels.h>

#include "text/corpus.h"

#include <string.h>

/* ---- making ---- */

fgt_status fgti_classifier_finish(fgt_classifier *c)
{
    int64_t logits;
    FGTI_TRY(fgti_classifier_new_inputs(c, c->batch, &c->x));
    if (!fgti_size_mul(c->batch, c->info.classes, &logits))
        return fgti_fail(&c->ctx->error, FGT_E_SIZE, "classifier: a batch of %lld samples is too large",
                         (long long)c->batch);
    FGTI_TRY(FGTI_NEW(c->ctx, c->batch, "classes", &c->target));
    return FGTI_NEW(c->ctx, logits, "logits", &c->logits);
}

/* ---- what it takes ---- */

int64_t fgti_classifier_ids(const fgt_classifier *c)
{
    return c->info.tokens * fgti_vocab_bag(c->vocab); /* length of the model's input along T */
}

fgt_status fgti_classifier_new_inputs(const fgt_classifier *c, int64_t n, void **x)
{
    const fgt_classifier_info *i    = &c->info;
    const int64_t              size = c->vocab ? fgti_classifier_ids(c) : i->height * i->width * i->channels;
    int64_t                    all;
    if (!fgti_size_mul(n, size, &all))
        return fgti_fail(&c->ctx->error, FGT_E_SIZE, "classifier: a batch of %lld samples is too large",
                         (long long)n);
    return fgti_alloc(c->ctx, all, c->vocab ? sizeof(int64_t) : sizeof(float), "inputs", x);
}

fgt_view fgti_classifier_inputs(const fgt_classifier *c, void *x, int64_t n)
{
    const fgt_classifier_info *i = &c->info;
    if (c->vocab) return (fgt_view){x, {n, fgti_classifier_ids(c)}, 2, FGT_DTYPE_I64};
    return (fgt_view){x, {n, i->height, i->width, i->channels}, 4, FGT_DTYPE_F32};
}

fgt_status fgti_classifier_check(const fgt_classifier *c, fgti_error *err, bool images)
{
    if (images == !c->vocab) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "the classifier is for %s", c->vocab ? "texts" : "images");
}

static const char *class_name(const fgt_samples *d, int64_t i)
{
    return d->texts ? fgt_corpus_get_class_name(d->texts, i) : fgt_images_get_class_name(d->images, i);
}

/* Adds a class or, from the list "x y", the labels x and y. */
static fgt_status classifier_add_class(fgt_classifier *c, const char *name)
{
    int64_t number;
    if (!c->labels) return fgti_words_add(c->ctx, &c->classes, name, (int64_t)strlen(name), &number);
    for (int64_t n; (n = fgti_label_next(&name)) > 0; name += n)
        FGTI_TRY(fgti_words_add(c->ctx, &c->classes, name, n, &number));
    return FGT_OK;
}

int64_t fgti_label_next(const char **at)
{
    *at += strspn(*at, " ");
    return (int64_t)strcspn(*at, " ");
}

fgt_status fgti_classifier_set_classes(fgt_classifier *c, const fgt_samples *data)
{
    const int64_t count = data->texts ? data->texts->classes.texts.count : data->images->info.classes;
    if (!count)
        return fgti_fail(&c->ctx->error, FGT_E_DATA, "classifier: the %s have no classes",
                         data->texts ? "texts" : "images");
    for (int64_t i = 0; i < count; i++) FGTI_TRY(classifier_add_class(c, class_name(data, i)));
    c->info.classes = c->classes.texts.count;
    if (c->info.classes > 1) return FGT_OK;
    return fgti_fail(&c->ctx->error, FGT_E_DATA,
                     "classifier: all %s are of class \"%s\" (need two or more classes)",
                     data->texts ? "texts" : "images", class_name(data, 0));
}

/* ---- what it is ---- */

fgt_status fgt_classifier_get_info(const fgt_classifier *classifier, fgt_classifier_info *info)
{
    if (!classifier) return FGT_E_ARG;
    fgti_error *err = &classifier->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "classifier: info is NULL");
    return fgti_result_write(err, "fgt_classifier_info", &classifier->info, sizeof *info, info);
}

const char *fgt_classifier_get_class_name(const fgt_classifier *classifier, int64_t class_id)
{
    if (!classifier || class_id < 0 || class_id >= classifier->info.classes) return NULL;
    return fgti_strings_get(&classifier->classes.texts, class_id);
}

int32_t fgt_classifier_has_labels(const fgt_classifier *classifier)
{
    return classifier && classifier->labels;
}

const fgt_corpus *fgt_classifier_get_corpus(const fgt_classifier *classifier)
{
    return classifier ? classifier->like : NULL;
}

const fgt_vocab *fgt_classifier_get_vocab(const fgt_classifier *classifier)
{
    return classifier ? classifier->vocab : NULL;
}
