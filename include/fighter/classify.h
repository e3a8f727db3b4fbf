/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_CLASSIFY_H
#define FIGHTER_CLASSIFY_H

/** @file classify.h
 *  A classifier: a model, together with everything else that turns a raw text or image into a class. For
 *  texts this is the vocabulary, for images the mean and deviation of the pixels, for both the names of the
 *  classes.
 *
 *      fgt_corpus_load(ctx, "train.csv", NULL, &train);
 *      fgt_classifier_create(ctx, FGT_TEXTS(train), NULL, &classifier);
 *      fgt_classifier_fit(classifier, FGT_TEXTS(train), FGT_TEXTS(validation), NULL, NULL);
 *      fgt_classifier_evaluate(classifier, FGT_TEXTS(test), &metric, NULL);
 *      fgt_classifier_save(classifier, FGT_TO_FILE("news.safetensors"));
 *      ...
 *      fgt_classifier_load(ctx, FGT_FROM_FILE("news.safetensors"), NULL, &classifier);
 *      fgt_classifier_predict(classifier,
 *                             &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = count),
 *                             probability, NULL);
 *
 *  The calls are the same for images:
 *
 *      fgt_images_load(ctx, "train", NULL, &train);
 *      fgt_classifier_create(ctx, FGT_IMAGES(train), NULL, &classifier);
 *      fgt_classifier_fit(classifier, FGT_IMAGES(train), FGT_IMAGES(validation), NULL, NULL);
 *
 *  Several classifiers that differ only in their seeds are together more accurate than one; see
 *  fgt_classifier_take_members() of ensemble.h.
 *
 *  Letters: C classes; T tokens, which are the ids of a text that the model reads; images are [H,W,channels].
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/attent.h>
#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/image.h>
#include <fighter/model.h>
#include <fighter/text.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_classifier fgt_classifier;
struct fgt_vit_opts;

/** Texts or images with their classes: exactly one of the two fields is set. As validation samples both may
 *  be NULL, which means no validation. */
typedef struct fgt_samples {
    size_t            size;
    const fgt_corpus *texts;
    const fgt_images *images;
} fgt_samples;

/** Samples in place: they live as long as the enclosing block, in C++ until the end of the statement. */
#ifdef __cplusplus
#define FGT_TEXTS(corpus) fgt_samples_of_texts(corpus)
#define FGT_IMAGES(set)   fgt_samples_of_images(set)
extern "C++" {
inline fgt_in_place<fgt_samples> fgt_samples_of_texts(const fgt_corpus *texts)
{
    fgt_in_place<fgt_samples> s = fgt_in_place<fgt_samples>();
    s.size                      = sizeof(fgt_samples);
    s.texts                     = texts;
    return s;
}

inline fgt_in_place<fgt_samples> fgt_samples_of_images(const fgt_images *images)
{
    fgt_in_place<fgt_samples> s = fgt_in_place<fgt_samples>();
    s.size                      = sizeof(fgt_samples);
    s.images                    = images;
    return s;
}
}
#else
#define FGT_TEXTS(corpus) (&(const fgt_samples){.size = sizeof(fgt_samples), .texts = (corpus)})
#define FGT_IMAGES(set)   (&(const fgt_samples){.size = sizeof(fgt_samples), .images = (set)})
#endif

/** Options of a classifier. Fields that are only for texts must be 0 for images, and the other way round. */
typedef struct fgt_classifier_opts {
    size_t                     size;
    int64_t                    batch;    /**< most samples in a pass; 0: 32 texts, or 64 images */
    uint64_t                   seed;     /**< seed of the initial weights and of dropout */
    const fgt_vocab_opts      *vocab;    /**< texts; NULL: chosen by the texts (defaults.h) */
    int64_t                    tokens;   /**< texts: T; 0: 64 */
    int64_t                    dim;      /**< texts: width of a token; 0: 64; fighter, up to 4 classes: 32 */
    fgt_block_layers           block;    /**< texts: the layers between the ids and the classes; hops at most
                                              64. Images use only `dropout`, before the last layer. dropout 0:
                                              0.6 for texts, 0.1 for images; negative: no dropout */
    int64_t                    pretrain; /**< texts: passes over the texts to find the initial embeddings; 3
                                              are enough. 0: random embeddings */
    float                      init;     /**< texts: standard deviation of the embedding's initial values; 0:
                                              0.03, with pretrain 0.06 */
    int32_t                    reserved;
    const fgt_corpus          *texts;   /**< texts from which the vocabulary and, with `pretrain`, the first
                                             embeddings are made; useful if many texts have no class. They
                                             should include the texts of the samples. NULL: the texts of the
                                             samples */
    const struct fgt_vit_opts *vit;     /**< images: options of the encoder (vit.h). pool must be
                                             FGT_VIT_POOL_CLASS_TOKEN or FGT_VIT_POOL_MEAN; the prefix is not
                                             used. NULL: the defaults of fgt_vit_add(), with dropout 0.1. If
                                             the patch height is 0, it is the least number from 4 on that
                                             divides H and W and makes 2 to 256 patches */
    const fgt_classifier      *encoder; /**< images: a classifier of images whose encoder is copied, with vit,
                                             standardisation and weights; NULL: random weights */
} fgt_classifier_opts;

/** Makes a classifier with initial weights. Its classes are the classes of the samples.
 *
 *  A classifier of texts gets the vocabulary of the samples, and has these layers:
 *    embedding(dim) - dropout - [position] - block - mean over the tokens - dropout - linear(C)
 *  fgt_block_add() says what each block consists of; recurrent and state-space blocks read in both
 *  directions. Learned positions are added if neither the ids nor the block know the order of words (ids of
 *  n-grams know it). Padding is masked.
 *  Pretrained embeddings are computed from the texts without their classes: words that occur in the same
 *  texts get similar embeddings, and an n-gram gets the mean of its texts. This helps if there are few texts.
 *  The training then needs one more epoch; the embeddings cost a fraction of an epoch.
 *
 *  A classifier of images is for images of the size and channels of the samples, and has these layers:
 *    fgt_vit_add() [B,E] - dropout - linear(C)
 *  Pixels are standardised, channel by channel, with the mean and deviation of the samples: x = (pixel -
 *  mean) / deviation. So the samples should be the training images. A constant channel gets deviation 1.
 *  info.block is FGT_BLOCK_FIGHTER with Fighter layers, otherwise FGT_BLOCK_TRANSFORMER.
 *  Source   pretraining: correspondence analysis, Benzecri 1973, by power iteration, with the
 *           changes described in lib/classify/classify_pretrain.c; images: Dosovitskiy et al. 2021
 *  Owner    everything is copied; *classifier is the caller's, the context must outlive it
 *  Errors   FGT_E_ARG, also both vit and encoder; errors of fgt_vocab_create() and fgt_vit_add(); FGT_E_DATA
 *           fewer than two classes; FGT_E_SHAPE no patch size divides the images, or their size differs from
 *           the encoder's; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error *classifier is NULL */
FGT_API FGT_MUST fgt_status fgt_classifier_create(fgt_context *ctx, const fgt_samples *samples,
                                                  const fgt_classifier_opts *opts,
                                                  fgt_classifier           **classifier);

/** Destroys a classifier and sets *classifier to NULL.
 *  Owner    takes *classifier */
FGT_API void fgt_classifier_destroy(fgt_classifier **classifier);

typedef struct fgt_classifier_fit_opts {
    size_t       size;
    fgt_training training; /**< samples are texts or images. epochs 0: fgt_classifier_count_epochs(). batch:
                                at most the classifier's batch. patience 0: for texts 2 (with epochs 0: half
                                of the epochs, if that is more), for images no early stop. lr 0: 2e-3.
                                weight_decay 0: none for texts, 0.05 for images. warmup 0: none for texts, 0.1
                                for images. average: only for images. selector: not with texts on disk */
    float        label_smoothing; /**< below 1; 0: 0.1; negative: no smoothing */
    int32_t      flip;    /**< images, 1: in training each image is mirrored left to right in half of the
                               epochs */
    int64_t      shift;   /**< images: most pixels by which an image is moved along each axis in training. The
                               shift is drawn anew in each epoch, and pixels from outside are 0, black. 0:
                               1/14 of the shorter side; negative: no shift */
    double       balance; /**< b, at most 1: balance of the classes. A rare class is predicted as if it had b
                               n_max training samples, where n_max is the size of the largest class. So
                               class_priors of fgt_loss_opts are min(1, n_c / (b n_max)) for a class of n_c
                               samples, and 1 for a class without samples. 1: all classes count alike; 0: 0.1
                               for texts, no balance for images; negative: no balance */
} fgt_classifier_fit_opts;

/** Trains a classifier (AdamW, cosine schedule, cross entropy, gradients clipped to norm 1). The training
 *  stops early by the loss on the validation samples, and keeps the weights of the best epoch. Without
 *  validation it keeps the last weights. Fewer than 50 validation samples are not used, because few samples
 *  often choose a bad epoch; best_loss of the report is then NaN. Even so, the classifier must have all their
 *  classes. To train only the last layer of a classifier of images (a linear probe), first freeze the other
 *  layers: fgt_model_set_frozen(fgt_classifier_get_model(classifier), "encoder.", 1).
 *  Log      warnings: fewer than 50 validation samples
 *  Owner    everything is borrowed for the call; validation, opts and report (its size set) may be NULL
 *  Errors   as fgt_model_fit(); FGT_E_DATA a class that the classifier does not have; FGT_E_SHAPE images of
 *           another size; FGT_E_STATE several members; FGT_E_UNSUPPORTED a selector with texts on disk
 *           (corpus_file.h) */
FGT_API FGT_MUST fgt_status fgt_classifier_fit(fgt_classifier *classifier, const fgt_samples *train,
                                               const fgt_samples             *validation,
                                               const fgt_classifier_fit_opts *opts, fgt_fit_report *report);

/** Classifies all samples and compares the results with the classes of the samples, which are matched by
 *  name.
 *  Shapes   confusion I64 [C,C]: [true class, predicted class]; or NULL
 *  Units    samples
 *  Owner    borrowed; the results are added to metric and confusion; on error both are as before
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_SHAPE, also images of another size; FGT_E_DATA a class that the
 *           classifier does not have, or a sample without a class; FGT_E_IO, FGT_E_FORMAT with texts on disk;
 *           FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_classifier_evaluate(fgt_classifier *classifier, const fgt_samples *samples,
                                                    fgt_metric *metric, const fgt_view *confusion);

/** Texts or images that the host passes as arrays: exactly one of texts and pixels is set. */
typedef struct fgt_classifier_rows {
    size_t             size;
    const char *const *texts; /**< [text_count] C strings; a text without words counts as an empty text */
    int64_t            text_count; /**< number of texts; 0 with texts NULL */
    const fgt_view    *pixels;     /**< F32 [n,H,W,channels], 0 .. 255, as fgt_images_copy_pixels() gives
                                        them; the classifier standardises them */
} fgt_classifier_rows;

/** Probabilities of the classes of some texts or images.
 *  Shapes   n rows; probability F32 [n,C]; *replaced: number of U+FFFD characters that replace invalid UTF-8
 *           in texts; may be NULL
 *  Units    the probabilities of a row sum to 1
 *  Cost     a pass for each batch; after the first one nothing is allocated, unless a text has more words or
 *           bytes than any before
 *  Owner    borrowed
 *  Errors   FGT_E_ARG; FGT_E_SHAPE; FGT_E_VERSION; as fgt_vocab_encode() and fgt_predict(); FGT_E_DATA a
 *           score is not finite (the error text has row and class). On error do not use probability */
FGT_API FGT_MUST fgt_status fgt_classifier_predict(fgt_classifier            *classifier,
                                                   const fgt_classifier_rows *rows,
                                                   const fgt_view *probability, int64_t *replaced);

/** Memory that predictions write to. Each thread has a workspace of its own, and all share the classifier. */
typedef struct fgt_classifier_workspace fgt_classifier_workspace;

/** Creates a workspace of a classifier, for its present members; see fgt_model_create_workspace().
 *  Shapes   batch of opts: samples in a pass, 0: 1
 *  Owner    *ws is the caller's; the classifier must outlive it
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM; *ws is NULL on error. The context has the
 *           error text */
FGT_API FGT_MUST fgt_status fgt_classifier_create_workspace(const fgt_classifier      *classifier,
                                                            const fgt_workspace_opts  *opts,
                                                            fgt_classifier_workspace **ws);

/** Destroys a workspace and sets *ws to NULL.
 *  Owner    takes *ws */
FGT_API void fgt_classifier_workspace_destroy(fgt_classifier_workspace **ws);

/** The last error of this workspace in words.
 *  Owner    the workspace's
 *  Threads  one at a time per workspace */
FGT_API const char *fgt_classifier_workspace_get_error(const fgt_classifier_workspace *ws);

/** The same prediction as fgt_classifier_predict(), with the threads and the memory of a workspace, in
 *  batches of the workspace's size. If a text has more words or bytes than any before, the calling thread
 *  calls the allocator.
 *  Shapes   as fgt_classifier_predict()
 *  Units    rows sum to 1
 *  Cost     a pass for each batch
 *  Owner    borrowed
 *  Errors   as fgt_classifier_predict(); fgt_classifier_workspace_get_error() has the error text
 *  Threads  one thread for each workspace, all at the same time, while no thread changes the classifier. Then
 *           the allocator must allow calls from several threads at once */
FGT_API FGT_MUST fgt_status fgt_classifier_workspace_predict(fgt_classifier_workspace  *ws,
                                                             const fgt_classifier_rows *rows,
                                                             const fgt_view *probability, int64_t *replaced);

/** Writes weights, configuration, vocabulary and names of the classes to one safetensors file, as
 *  fgt_model_save() does for a model.
 *  Owner    to: borrowed for the call
 *  Errors   as fgt_output says; FGT_E_STATE the classifier has several members, and an adapter of one of them
 *           is active: merge this adapter first; FGT_E_IO (the old file stays, unless the error text says
 *           that the new one was written); FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_classifier_save(const fgt_classifier *classifier, const fgt_output *to);

/** Makes the classifier that a file of fgt_classifier_save() holds. The rules for files in model.h hold here.
 *  In addition the classifier keeps the ids and the logits of one batch, and each member gets the tables that
 *  model.h describes. Each member gets its own weights, but the seed of dropout and the frozen flags come
 *  from member 0.
 *  Owner    from is borrowed for the call; opts may be NULL; *classifier is the caller's
 *  Errors   as fgt_model_load(); FGT_E_ARG batch < 0; FGT_E_FORMAT also a file of another kind. On
 *           error *classifier is NULL */
FGT_API FGT_MUST fgt_status fgt_classifier_load(fgt_context *ctx, const fgt_input *from,
                                                const fgt_load_opts *opts, fgt_classifier **classifier);

/** Properties of a classifier. */
typedef struct fgt_classifier_info {
    size_t   size;
    int64_t  classes; /**< C */
    int64_t  tokens;  /**< T; 0: the classifier is for images */
    uint64_t seed;    /**< seed of the initial weights; with several members the seed of member 0 */
    int32_t  block;   /**< an fgt_block */
    int32_t  reserved;
    int64_t  height;  /**< H of the images; 0: the classifier is for texts */
    int64_t  width;
    int64_t  channels;
} fgt_classifier_info;

/** Fills *info, whose size field the caller has set.
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_classifier_get_info(const fgt_classifier *classifier,
                                                    fgt_classifier_info *info);

/** Name of a class.
 *  Shapes   class_id in 0 .. C-1
 *  Owner    the classifier's
 *  Errors   none; NULL if there is no such class
 *  Threads  any */
FGT_API const char *fgt_classifier_get_class_name(const fgt_classifier *classifier, int64_t class_id);

/** The model of a classifier, for access to parameters, hash and adjacency. The model maps ids, or
 *  standardised pixels, to logits. With several members this is the model of the first member.
 *  Shapes   x I64 [B,T], or F32 [B,H,W,channels] -> y [B,C]
 *  Owner    the classifier's
 *  Errors   none; NULL for NULL */
FGT_API fgt_model *fgt_classifier_get_model(fgt_classifier *classifier);

/** A corpus without texts, which has the classes and the columns of the training corpus. Set
 *  fgt_corpus_opts.like to this corpus to read texts for the classifier, with or without classes.
 *  Owner    the classifier's
 *  Errors   none; NULL for NULL, and for a classifier of images
 *  Threads  any */
FGT_API const fgt_corpus *fgt_classifier_get_corpus(const fgt_classifier *classifier);

/** The vocabulary.
 *  Owner    the classifier's
 *  Errors   none; NULL for NULL, and for a classifier of images
 *  Threads  any */
FGT_API const fgt_vocab *fgt_classifier_get_vocab(const fgt_classifier *classifier);

#ifdef __cplusplus
}
#endif
#endif
