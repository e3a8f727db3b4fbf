/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFIER_H
#define FGTI_CLASSIFIER_H

#include <fighter/classify.h>

#include "core/context.h"
#include "core/opts.h"
#include "text/vocab.h"

struct fgt_classifier {
    fgt_context        *ctx;
    fgt_model         **member; /* [members]: like models, which answer together */
    int64_t             members;
    fgt_vocab          *vocab;
    fgti_words          classes; /* names; [info.classes] */
    fgt_classifier_info info;
    int64_t             batch;
    int64_t            *ids;    /* [batch,T], of predictions */
    int64_t            *target; /* [batch] */
    float              *logits; /* [batch,C] */
    float              *part;   /* [batch,C], of one member */
};

/* ---- classifier.c ---- */

/* An empty classifier with places for its models; the rest follows, fgti_classifier_finish() last. */
fgt_status fgti_classifier_new(fgt_context *ctx, int64_t members, fgt_classifier **out);
/* Room for predictions, when models, classes and info are there. */
fgt_status fgti_classifier_finish(fgt_classifier *c);
/* y[r] becomes the softmax of its row, [rows,C]. */
void fgti_classifier_softmax(float *y, int64_t rows, int64_t classes);

/* ---- classify_members.c ---- */

/* ids x [b,T] -> y [b,C]: the mean of the members' logits, so that its softmax is the geometric mean of their
 * probabilities, but for a factor that makes the sum 1. */
fgt_status fgti_classifier_run(fgt_classifier *c, const fgt_view *x, const fgt_view *y);

/* ---- classify_recipe.c ---- */

/* Fills the defaults in. */
fgt_status fgti_classify_check(fgti_error *err, fgt_classifier_opts *o);
/* Of the vocabulary, where the options name none. */
fgt_vocab_opts fgti_classify_vocab(const fgt_classifier_opts *o);
/* The layers: ids [B,T] -> [B,classes]. */
fgt_status fgti_classify_build(fgt_context *ctx, const fgt_classifier_opts *o, const fgt_vocab *vocab,
                               int64_t classes, fgt_model **model);

/* ---- classify_pretrain.c ---- */

/* The first embeddings, from the corpus, when all else is there. */
fgt_status fgti_classify_pretrain(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus);

#endif
