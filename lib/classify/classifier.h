/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFIER_H
#define FGTI_CLASSIFIER_H

#include <fighter/classify.h>

#include "core/context.h"
#include "core/opts.h"
#include "text/vocab.h"

struct fgt_classifier {
    fgt_context            *ctx;
    fgt_model             **member; /* [members]: models of the same layers, whose logits are averaged */
    int64_t                 members;
    fgt_vocab              *vocab;
    fgti_words              classes; /* their names, [info.classes] */
    fgt_classifier_info     info;
    int64_t                 batch;
    int64_t                *ids;    /* [batch,T], ids of the texts of one pass */
    int64_t                *target; /* [batch] */
    float                  *logits; /* [batch,C] */
    fgt_classify_workspace *own;    /* made by the first prediction */
};

/* ---- classifier.c ---- */

/* Makes an empty classifier for so many models. The caller fills it and then calls
 * fgti_classifier_finish(). */
fgt_status fgti_classifier_new(fgt_context *ctx, int64_t members, fgt_classifier **out);
/* Allocates the memory of predictions. Models, classes and info must be set. */
fgt_status fgti_classifier_finish(fgt_classifier *c);

/* ---- classify_predict.c ---- */

/* ids x [b,T] -> y [b,C]: the mean of the members' logits. Its softmax is the geometric mean of the members'
 * probabilities, scaled to sum 1. */
fgt_status fgti_classifier_run(fgt_classifier *c, const fgt_view *x, const fgt_view *y);

/* ---- classify_fit.c ---- */

/* Checks the options of a training and fills in the defaults. */
fgt_status fgti_classifier_fit_check(const fgt_classifier *c, fgt_classifier_fit_opts *o);

/* ---- classify_recipe.c ---- */

/* Checks the options and fills in the defaults. */
fgt_status fgti_classify_check(fgti_error *err, fgt_classifier_opts *o);
/* The options of the vocabulary: those that o names, or the defaults. */
fgt_vocab_opts fgti_classify_vocab(const fgt_classifier_opts *o);
/* Makes the model: ids [B,T] -> [B,classes]. */
fgt_status fgti_classify_build(fgt_context *ctx, const fgt_classifier_opts *o, const fgt_vocab *vocab,
                               int64_t classes, fgt_model **model);

/* ---- classify_pretrain.c ---- */

/* Sets the first embeddings from the corpus. Everything else of the classifier must be there. */
fgt_status fgti_classify_pretrain(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus);

#endif
