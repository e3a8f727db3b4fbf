/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFIER_IMPL_H
#define FGTI_CLASSIFIER_IMPL_H

/* The struct of a classifier, which the files of this folder share. */

#include <fighter/classify.h>
#include <fighter/experimental/vit.h>

#include "core/context.h"
#include "core/opts.h"
#include "image/images.h"
#include "model/predictor/passes.h"
#include "text/vocab/vocab.h"
#include "vision/vit.h"

/* A classifier of texts (as ids) or of images (as pixels). Only the input differs. */
struct fgt_classifier {
    fgt_context              *ctx;
    fgt_model               **member; /* [members]: models of the same layers, whose logits are averaged */
    int64_t                   members;
    fgt_vocab                *vocab;   /* NULL: the classifier is for images */
    fgt_corpus               *like;    /* no texts, only classes and columns of the training */
    fgti_words                classes; /* [info.classes]: names of the classes */
    fgt_classifier_info       info;
    fgt_vit_opts              vit; /* images: options of the encoder, defaults filled in */
    double                    mean[FGTI_CHANNELS], deviation[FGTI_CHANNELS]; /* of the training pixels */
    int64_t                   batch;
    void                     *x;      /* [batch]: ids [T] or pixels [H,W,C] of one pass */
    int64_t                  *target; /* [batch] */
    float                    *logits; /* [batch,C] */
    fgt_classifier_workspace *own;    /* made by the first prediction */
    fgti_passes              *passes; /* [members]: workspaces of predictions */
    bool                      labels; /* each class is a decision of its own */
    bool                      exact;  /* predictions use the models' own workspaces, not `passes` */
};

/* The prefix of the names of the encoder's layers. */
#define FGTI_CLASSIFY_ENCODER "encoder."

#endif
