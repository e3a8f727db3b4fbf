/* SPDX-License-Identifier: BSD-3-Clause */

/* Joins several classifiers into one, whose logits are means. */

#include <string.h>

#include <fighter/experimental/ensemble.h>

#include "classify/classifier_impl.h"
#include "classify/classify_passes.h"
#include "core/tensor.h"
#include "model/predictor/passes.h"
#include "model/stored/model_file.h"

static bool same_classes(const fgt_classifier *a, const fgt_classifier *b)
{
    const fgti_strings *x = &a->classes.texts, *y = &b->classes.texts;
    return x->count == y->count && x->used == y->used && !memcmp(x->bytes, y->bytes, (size_t)x->used);
}

/* Whether both classifiers take texts, or both take images of the same size and standardisation. */
static bool same_inputs(const fgt_classifier *a, const fgt_classifier *b)
{
    const fgt_classifier_info *x = &a->info, *y = &b->info;
    return !a->vocab == !b->vocab && a->labels == b->labels && x->height == y->height &&
           x->width == y->width && x->channels == y->channels && !memcmp(a->mean, b->mean, sizeof a->mean) &&
           !memcmp(a->deviation, b->deviation, sizeof a->deviation);
}

static bool same_vocab(const fgt_vocab *a, const fgt_vocab *b)
{
    int64_t     n, m;
    const char *x = fgti_vocab_bytes(a, &n), *y = fgti_vocab_bytes(b, &m);
    return !memcmp(&a->opts, &b->opts, sizeof a->opts) && n == m && !memcmp(x, y, (size_t)n);
}

static fgt_status classifier_members_check(const fgt_classifier *c, const fgt_classifier *other)
{
    fgti_error *err = &c->ctx->error;
    if (c == other) return fgti_fail(err, FGT_E_ARG, "classifier: a classifier cannot be added to itself");
    if (c->ctx != other->ctx)
        return fgti_fail(err, FGT_E_ARG, "classifier: the other classifier belongs to another context");
    if (!same_classes(c, other))
        return fgti_fail(err, FGT_E_ARG, "classifier: the other classifier has other classes");
    if (!same_inputs(c, other))
        return fgti_fail(err, FGT_E_ARG, "classifier: the other classifier takes other inputs");
    if (c->vocab && !same_vocab(c->vocab, other->vocab))
        return fgti_fail(err, FGT_E_ARG, "classifier: the other classifier has another vocabulary");
    return fgti_model_check_same(c->member[0], other->member[0]);
}

fgt_status fgt_classifier_take_members(fgt_classifier *classifier, fgt_classifier **other)
{
    fgt_classifier *c = classifier;
    fgt_model     **all;
    fgti_passes    *passes;
    if (!c) return FGT_E_ARG;
    if (!other || !*other) return fgti_fail(&c->ctx->error, FGT_E_ARG, "classifier: other is NULL");
    FGTI_TRY(classifier_members_check(c, *other));
    const int64_t more = (*other)->members;
    FGTI_TRY(FGTI_NEW(c->ctx, c->members + more, "members", &all));
    const fgt_status s = FGTI_NEW(c->ctx, c->members + more, "members", &passes);
    if (s != FGT_OK) fgti_free(c->ctx, all);
    FGTI_TRY(s);
    fgti_classifier_drop_passes(*other);
    memcpy(passes, c->passes, (size_t)c->members * sizeof *passes);
    memcpy(all, c->member, (size_t)c->members * sizeof *all);
    memcpy(all + c->members, (*other)->member, (size_t)more * sizeof *all);
    fgti_free(c->ctx, c->member);
    fgti_free(c->ctx, c->passes);
    c->member = all;
    c->passes = passes;
    c->members += more;
    (*other)->members = 0; /* `classifier` owns the members now */
    fgt_classifier_destroy(other);
    return FGT_OK;
}

fgt_model *fgt_classifier_get_member(fgt_classifier *classifier, int64_t member)
{
    if (!classifier || member < 0 || member >= classifier->members) return NULL;
    return classifier->member[member];
}

fgt_model *fgt_classifier_get_model(fgt_classifier *classifier)
{
    return fgt_classifier_get_member(classifier, 0);
}
