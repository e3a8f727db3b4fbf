/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFIER_H
#define FGTI_CLASSIFIER_H

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
    fgt_context            *ctx;
    fgt_model             **member; /* [members]: models of the same layers, whose logits are averaged */
    int64_t                 members;
    fgt_vocab              *vocab;   /* NULL: the classifier is for images */
    fgt_corpus             *like;    /* a corpus without texts: the classes and columns of the training */
    fgti_words              classes; /* their names, [info.classes] */
    fgt_classifier_info     info;
    fgt_vit_opts            vit; /* images: options of the encoder, defaults filled in */
    double                  mean[FGTI_CHANNELS], deviation[FGTI_CHANNELS]; /* of the training's pixels */
    int64_t                 batch;
    void                   *x;      /* [batch]: ids [T] or pixels [H,W,C] of one pass */
    int64_t                *target; /* [batch] */
    float                  *logits; /* [batch,C] */
    fgt_classifier_workspace *own;    /* made by the first prediction */
    fgti_passes            *passes; /* [members]: workspaces of predictions */
    bool                    exact;  /* predictions use the models' own workspaces, not `passes` */
};

/* ---- classify_create.c ---- */

/* Reads samples that a host passes. FGT_E_ARG: both texts and images. NULL has neither. */
/* The same for samples of a classifier, which must be of its kind. With `needed` they must not be missing. */
fgt_status fgti_samples_check(const fgt_classifier *c, const char *what, bool needed, const fgt_samples *in,
                              fgt_samples *out);

/* ---- classifier.c ---- */

/* Makes an empty classifier with `members` models. The caller fills it, then calls
 * fgti_classifier_finish(). */
fgt_status fgti_classifier_new(fgt_context *ctx, int64_t members, fgt_classifier **out);
/* Copies the names of the classes from the data. */
fgt_status fgti_classifier_set_classes(fgt_classifier *c, const fgt_samples *data);
/* Allocates the memory of predictions. Set the models, the classes and info before. */
fgt_status fgti_classifier_finish(fgt_classifier *c);
/* The first allocates memory for the inputs of n samples. The second is the view of this memory for a
 * pass. */
fgt_status fgti_classifier_new_inputs(const fgt_classifier *c, int64_t n, void **x);
fgt_view   fgti_classifier_inputs(const fgt_classifier *c, void *x, int64_t n);
/* Number of ids of a text: T K. */
int64_t fgti_classifier_ids(const fgt_classifier *c);
/* FGT_E_ARG: the classifier takes texts but `images` is true, or the opposite. */
fgt_status fgti_classifier_check(const fgt_classifier *c, fgti_error *err, bool images);

/* ---- classify_feed.c ---- */

/* An fgt_source of samples. The classes have the classifier's numbers. */
typedef struct fgti_classify_feed {
    const fgt_classifier *c;
    fgt_encoding         *encoding; /* of the texts */
    const fgt_corpus     *texts;
    const fgt_images     *images;
    int64_t              *class_of; /* [classes of the data]: the classifier's numbers */
    bool                  masked;   /* for a masked autoencoder, which takes no targets */
    uint64_t              seed;
    int64_t               epoch; /* decides the images' random changes; 0: images are not changed */
    int64_t               shift;
    bool                  flip;
} fgti_classify_feed;

/* bytes: memory for texts that stay on disk; 0: little, enough for samples in their order. Call
 * fgti_classify_feed_done() even after an error. */
fgt_status fgti_classify_feed_init(const fgt_classifier *c, const fgt_samples *data, int64_t bytes,
                                   fgti_classify_feed *d, fgt_source *source);
/* Number of samples that have this class of the classifier. */
int64_t    fgti_classify_feed_count(const fgti_classify_feed *d, int64_t class_id);
void       fgti_classify_feed_done(fgti_classify_feed *d);

/* ---- classify_images.c ---- */

/* Checks the options of a classifier of images and fills in the defaults. */
fgt_status fgti_classify_check_images(fgti_error *err, fgt_classifier_opts *o);
/* Fills a new classifier of images. */
fgt_status fgti_classify_make_images(fgt_classifier *c, const fgt_classifier_opts *o,
                                     const fgt_images *images);

/* The prefix of the names of the encoder's layers. */
#define FGTI_CLASSIFY_ENCODER "encoder."
/* Standardises n pixels of whole images in place. */
void fgti_classify_standardise(const fgt_classifier *c, float *x, int64_t n);

/* ---- classify_passes.c ---- */

/* Makes the workspaces that the classifier's own predictions still need. */
fgt_status fgti_classifier_need_passes(fgt_classifier *c);
/* A member's workspace for the classifier's own predictions; call fgti_classifier_need_passes() before. NULL:
 * the predictions use the model's own workspace, because the classifier is exact or because the host has set
 * masks or states there. */
fgt_workspace *fgti_classifier_get_passes(const fgt_classifier *c, int64_t member);
/* Make and free a member's workspace for a thread of the host. */
fgt_status fgti_classifier_new_passes(const fgt_classifier *c, int64_t member, const fgt_workspace_opts *opts,
                                      fgt_workspace **passes);
void       fgti_classifier_end_passes(const fgt_classifier *c, int64_t member, fgt_workspace **passes);
/* Frees the workspaces of the classifier's own predictions, because training uses a larger workspace. */
void fgti_classifier_drop_passes(fgt_classifier *c);

/* ---- classify_predict.c ---- */

/* Inputs of b samples -> y [b,C], the mean of the members' logits. The softmax of y is the geometric mean of
 * the members' probabilities, scaled to sum 1. `first`: number of the first sample, for the error sentence.
 * FGT_E_DATA: a logit is not finite. */
fgt_status fgti_classifier_run(fgt_classifier *c, const fgt_view *x, const fgt_view *y, int64_t first);

/* ---- classify_fit.c ---- */

/* Checks the options of a training and fills in the defaults. masked: pre-training. */
fgt_status fgti_classifier_fit_check(const fgt_classifier *c, bool masked, fgt_classifier_fit_opts *o);
/* Sets the random changes of images. */
void fgti_classifier_set_changes(const fgt_classifier_fit_opts *o, fgti_classify_feed *d, fgt_source *source);
/* Call it before the model's own layers are trained. FGT_E_STATE: several members, or an adapter is
 * active. */
fgt_status fgti_classifier_check_base(const fgt_classifier *c, const char *what);

/* ---- classify_masked_images.c ---- */

/* Pre-trains the encoder of a classifier of images; the options are read and checked. share 0: default. */
fgt_status fgti_classifier_mask_images(fgt_classifier *c, const fgt_samples *samples,
                                       const fgt_samples *validation, const fgt_classifier_fit_opts *o,
                                       double share, fgt_fit_report *report);

/* ---- classify_recipe.c ---- */

/* Checks the options of a classifier of texts and fills in the defaults. */
fgt_status fgti_classify_check(fgti_error *err, int64_t classes, fgt_classifier_opts *o);
/* fgt_classifier_choose_vocab() in any context, not only the corpus's. */
fgt_status fgti_classify_vocab(fgt_context *ctx, const fgt_corpus *texts, int32_t block, fgt_vocab_opts *o);
/* Makes the model: ids [B,T] -> [B,classes]. */
fgt_status fgti_classify_build(fgt_context *ctx, const fgt_classifier_opts *o, const fgt_vocab *vocab,
                               int64_t classes, fgt_model **model);

/* ---- classify_pretrain.c ---- */

/* Trains the first embeddings on the corpus. Set everything else of the classifier before. */
fgt_status fgti_classify_pretrain(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus);

#endif
