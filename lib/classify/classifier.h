/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFIER_H
#define FGTI_CLASSIFIER_H

#include <fighter/classify.h>

#include "core/context.h"
#include "core/opts.h"
#include "image/images.h"
#include "model/passes.h"
#include "text/vocab.h"
#include "vision/vit.h"

/* A classifier of ids of texts, or of pixels. Everything but the input is the same for both. */
struct fgt_classifier {
    fgt_context            *ctx;
    fgt_model             **member; /* [members]: models of the same layers, whose logits are averaged */
    int64_t                 members;
    fgt_vocab              *vocab;   /* NULL: the classifier is for images */
    fgt_corpus             *like;    /* of no texts: classes and columns of those that were trained on */
    fgti_words              classes; /* their names, [info.classes] */
    fgt_classifier_info     info;
    fgt_vit_opts            vit; /* of images: the encoder, defaults filled in */
    double                  mean[FGTI_CHANNELS], deviation[FGTI_CHANNELS]; /* of the pixels */
    int64_t                 batch;
    void                   *x;      /* [batch]: ids [T] or pixels [H,W,C] of one pass */
    int64_t                *target; /* [batch] */
    float                  *logits; /* [batch,C] */
    fgt_classify_workspace *own;    /* made by the first prediction */
    fgti_passes            *passes; /* [members], of predictions */
    bool                    exact;  /* they take the models' own workspaces instead */
};

/* Texts or images; the other one is NULL. */
typedef struct fgti_labelled {
    const fgt_corpus *texts;
    const fgt_images *images;
} fgti_labelled;

/* ---- classifier.c ---- */

/* Makes an empty classifier for so many models. The caller fills it and then calls
 * fgti_classifier_finish(). */
fgt_status fgti_classifier_new(fgt_context *ctx, int64_t members, fgt_classifier **out);
/* Takes the names of the classes. */
fgt_status fgti_classifier_set_classes(fgt_classifier *c, fgti_labelled data);
/* Allocates the memory of predictions. Models, classes and info must be set. */
fgt_status fgti_classifier_finish(fgt_classifier *c);
/* Memory for the inputs of n samples, and the view of it that a pass takes. */
fgt_status fgti_classifier_new_inputs(const fgt_classifier *c, int64_t n, void **x);
fgt_view   fgti_classifier_inputs(const fgt_classifier *c, void *x, int64_t n);
/* Ids of a text, T K. */
int64_t fgti_classifier_ids(const fgt_classifier *c);
/* FGT_E_ARG: the classifier takes the other kind of samples. */
fgt_status fgti_classifier_check(const fgt_classifier *c, fgti_error *err, bool images);

/* ---- classify_feed.c ---- */

/* Samples as an fgt_source. Classes get the numbers that the classifier uses. */
typedef struct fgti_classify_feed {
    const fgt_classifier *c;
    fgt_encoding         *encoding; /* of texts */
    const fgt_corpus     *texts;
    const fgt_images     *images;
    int64_t              *class_of; /* [classes of the data] */
    bool                  masked;   /* for a masked autoencoder, which asks for no targets */
    uint64_t              seed;
    int64_t               epoch; /* of the images' changes; 0: they are as they are */
    int64_t               shift;
    bool                  flip;
} fgti_classify_feed;

/* bytes: of memory for texts that stay on disk; 0: few, they are taken in their order.
 * fgti_classify_feed_done() must be called even after an error. */
fgt_status fgti_classify_feed_init(const fgt_classifier *c, fgti_labelled data, int64_t bytes,
                                   fgti_classify_feed *d, fgt_source *source);
/* Samples of one of the classifier's classes. */
int64_t    fgti_classify_feed_count(const fgti_classify_feed *d, int64_t class_id);
void       fgti_classify_feed_done(fgti_classify_feed *d);

/* ---- classify_images.c ---- */

/* Its layers' names begin with it. */
#define FGTI_CLASSIFY_ENCODER "encoder."
/* Standardises n pixels of whole images in place. */
void fgti_classify_standardise(const fgt_classifier *c, float *x, int64_t n);

/* ---- classify_passes.c ---- */

/* Makes what is lacking for the classifier's own predictions. */
fgt_status fgti_classifier_need_passes(fgt_classifier *c);
/* The workspace of a member's own passes, after fgti_classifier_need_passes(); NULL: the model's own, because
 * the classifier is exact, or somebody has set masks or states there. */
fgt_workspace *fgti_classifier_get_passes(const fgt_classifier *c, int64_t member);
/* A workspace of a member for a thread of the host's, and its end. */
fgt_status fgti_classifier_new_passes(const fgt_classifier *c, int64_t member, const fgt_workspace_opts *opts,
                                      fgt_workspace **passes);
void       fgti_classifier_end_passes(const fgt_classifier *c, int64_t member, fgt_workspace **passes);
/* Frees the workspaces of the classifier's own predictions: training takes one that is larger. */
void fgti_classifier_drop_passes(fgt_classifier *c);

/* ---- classify_predict.c ---- */

/* Inputs of b samples -> y [b,C]: the mean of the members' logits. Its softmax is the geometric mean of the
 * members' probabilities, scaled to sum 1. FGT_E_DATA: a logit is not finite; `first` is the number of the
 * first sample, for the sentence. */
fgt_status fgti_classifier_run(fgt_classifier *c, const fgt_view *x, const fgt_view *y, int64_t first);

/* ---- classify_fit.c ---- */

/* Checks the options of a training and fills in the defaults. */
fgt_status fgti_classifier_fit_check(const fgt_classifier *c, fgt_classifier_fit_opts *o);
/* For what trains the layers themselves. FGT_E_STATE: several members, or an adapter is active. */
fgt_status fgti_classifier_check_base(const fgt_classifier *c, const char *what);

/* ---- classify_recipe.c ---- */

/* Checks the options and fills in the defaults. */
fgt_status fgti_classify_check(fgti_error *err, fgt_classifier_opts *o);
/* fgt_classifier_choose_vocab() in a context that need not be the corpus's. */
fgt_status fgti_classify_vocab(fgt_context *ctx, const fgt_corpus *texts, int32_t block, fgt_vocab_opts *o);
/* Makes the model: ids [B,T] -> [B,classes]. */
fgt_status fgti_classify_build(fgt_context *ctx, const fgt_classifier_opts *o, const fgt_vocab *vocab,
                               int64_t classes, fgt_model **model);

/* ---- classify_pretrain.c ---- */

/* Sets the first embeddings from the corpus. Everything else of the classifier must be there. */
fgt_status fgti_classify_pretrain(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus);

#endif
