/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_CLASSIFY_H
#define FIGHTER_CLASSIFY_H

/** @file classify.h
 *  A classifier: a model with all that leads from a raw text or image to a class: the vocabulary, or how
 *  pixels are standardised, and the names of the classes.
 *
 *      fgt_corpus_load(ctx, "train.csv", NULL, &train);
 *      fgt_classifier_create(ctx, NULL, train, &classifier);
 *      fgt_classifier_fit(classifier, train, validation, NULL, NULL);
 *      fgt_classifier_evaluate(classifier, test, &metric, NULL);
 *      fgt_classifier_save(classifier, "news.safetensors");
 *      ...
 *      fgt_classifier_load(ctx, "news.safetensors", NULL, &classifier);
 *      fgt_classifier_predict(classifier, texts, n, probability, NULL);
 *
 *  The same for images: fgt_classifier_create_images(), _fit_images(), _evaluate_images() and
 *  _predict_images(); everything else is common to both.
 *
 *      fgt_images_load(ctx, "train", NULL, &train);
 *      fgt_classifier_create_images(ctx, NULL, train, &classifier);
 *      fgt_classifier_fit_masked_images(classifier, more, NULL, NULL, NULL); // images without classes
 *      fgt_classifier_fit_images(classifier, train, validation, NULL, NULL);
 *
 *  Several classifiers that differ only in their seeds are together more accurate than one; see
 *  fgt_classifier_add().
 *
 *  Letters: C classes, T ids that the model looks at (tokens); images are [H,W,channels].
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/attent.h>
#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/image.h>
#include <fighter/model.h>
#include <fighter/text.h>
#include <fighter/train.h>
#include <fighter/vit.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_classifier fgt_classifier;

typedef struct fgt_classifier_opts {
    size_t                size;
    const fgt_vocab_opts *vocab;   /**< NULL: those of fgt_classifier_choose_vocab() */
    int64_t               tokens;  /**< T; 0: 64 */
    int64_t               batch;   /**< most texts in a pass; 0: 32 */
    int64_t               dim;     /**< width of a token; 0: 64 */
    int64_t               heads;   /**< fighter, transformer: must divide dim; 0: 4, or 1 if 4 does not */
    int64_t               layers;  /**< 0: 1 */
    int64_t               hops;    /**< fighter, gcn: kappa of every layer, at most 64; 0: 3 */
    uint64_t              seed;    /**< of the initial weights and of dropout */
    int32_t               block;   /**< an fgt_block (blocks.h), between the ids and the classes */
    float                 dropout; /**< 0: 0.6; negative: none */
    float                 init;    /**< standard deviation of the embedding's initial values; 0: 0.03, with
                                        pretrain 0.06 */
    int32_t               diag_mask; /**< this, diag_penalty and diag_dropout as in fgt_block_opts */
    int64_t               pretrain; /**< passes over the texts to find the initial embeddings; 3 are enough.
                                         0: random embeddings */
    float                 diag_penalty;
    float                 diag_dropout;
    const fgt_corpus     *texts;    /**< texts without classes, from which the vocabulary is made, and with
                                         `pretrain` the first embeddings: many, where few have classes. They
                                         should have those of the corpus among them. NULL: the corpus */
    int32_t               act;      /**< as in fgt_block_opts */
    int32_t               reserved;
} fgt_classifier_opts;

/** Makes a classifier with initial weights. Vocabulary and classes are those of the corpus.
 *    embedding(dim) - dropout - [position] - block - mean over the tokens - dropout - linear(C)
 *  fgt_block_add() says what each block consists of; recurrent and state-space blocks read in both
 *  directions. Learned positions are added where neither the ids nor the block know the order of the words;
 *  ids of n-grams do. Padding is masked. Pretrained embeddings are computed from the texts without their
 *  classes: words that occur in the same texts get similar embeddings, and an n-gram gets the mean of its
 *  texts. That helps if there are few texts. Training then needs one more epoch. The cost is a fraction of an
 *  epoch.
 *  Source   pretraining: correspondence analysis, Benzecri 1973, by power iteration, with the
 *           changes described in lib/classify/classify_pretrain.c
 *  Owner    everything is copied; *classifier is the caller's, the context must outlive it
 *  Errors   FGT_E_ARG; errors of fgt_vocab_create(); FGT_E_DATA fewer than two classes; FGT_E_VERSION;
 *           FGT_E_SIZE; FGT_E_NOMEM. On error *classifier is NULL */
FGT_API FGT_MUST fgt_status fgt_classifier_create(fgt_context *ctx, const fgt_classifier_opts *opts,
                                                  const fgt_corpus *corpus, fgt_classifier **classifier);

/** The options of the vocabulary that suits texts: words that occur twice. Unless the block reads its tokens
 *  in order, also pairs of words: those that occur twice or, of 2^19 words or more, all in 2^15 to 2^17
 *  buckets, one for 16 to 32 words; and where more than 4 % of the words occur once, so that many words of
 *  other texts are unknown, letters (3).
 *  Source   Good 1953, "The population frequencies of species"; letters: Bojanowski et al. 2017
 *  Shapes   block: an fgt_block
 *  Cost     one pass over the texts
 *  Owner    *opts, whose size field is set, is filled
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_UNSUPPORTED, FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM as
 *           fgt_vocab_create() */
FGT_API FGT_MUST fgt_status fgt_classifier_choose_vocab(const fgt_corpus *texts, int32_t block,
                                                        fgt_vocab_opts *opts);

typedef struct fgt_image_classifier_opts {
    size_t                size;
    const fgt_vit_opts   *vit;   /**< its pool is FGT_VIT_CLASS_TOKEN or FGT_VIT_MEAN, its prefix not used;
                                      NULL: the defaults of fgt_vit_add(), and dropout 0.1. A patch height of
                                      0 is the least from 4 on that divides H and W and makes 2 to 256
                                      patches */
    const fgt_classifier *encoder; /**< a classifier of images whose encoder this one begins with: its
                                        vit, its standardisation and its weights; NULL: random weights */
    int64_t               batch; /**< most images in a pass; 0: 64 */
    uint64_t              seed;  /**< of the initial weights and of dropout */
    float                 dropout; /**< before the last layer; 0: 0.1; negative: none */
    int32_t               reserved;
} fgt_image_classifier_opts;

/** Makes a classifier of images with initial weights. Size, channels and classes are those of the images.
 *  Pixels are standardised, channel by channel, with the mean and deviation of these images, which should
 *  therefore be the training images: x = (pixel - mean) / deviation. A channel that is the same everywhere
 *  gets the deviation 1.
 *    fgt_vit_add() [B,E] - dropout - linear(C)
 *  info.block is FGT_BLOCK_FIGHTER with Fighter layers, otherwise FGT_BLOCK_TRANSFORMER.
 *  Source   Dosovitskiy et al. 2021
 *  Owner    everything is copied; *classifier is the caller's, the context must outlive it
 *  Errors   FGT_E_ARG also both vit and encoder; errors of fgt_vit_add(); FGT_E_DATA fewer than two classes;
 *           FGT_E_SHAPE no patch size divides the images, or images of another size than those of encoder;
 *           FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error *classifier is NULL */
FGT_API FGT_MUST fgt_status fgt_classifier_create_images(fgt_context *ctx,
                                                         const fgt_image_classifier_opts *opts,
                                                         const fgt_images *images,
                                                         fgt_classifier **classifier);

/** Destroys a classifier and sets *classifier to NULL.
 *  Owner    takes *classifier */
FGT_API void fgt_classifier_destroy(fgt_classifier **classifier);

typedef struct fgt_classifier_fit_opts {
    size_t          size;
    fgt_progress_fn progress; /**< NULL: none; may cancel */
    void           *user;
    fgt_attent     *selector; /**< for as many samples as train has rows; NULL: all samples in each epoch.
                                   Not with texts that stay on disk */
    uint64_t        seed;     /**< of the order of the texts */
    int64_t         epochs;   /**< 0: fgt_classifier_count_epochs() */
    int64_t         batch;    /**< 0: the classifier's, and at most that */
    int64_t         patience; /**< epochs without a better validation loss before the end; 0: 2 or, with
                                   epochs 0, half of the epochs if that is more, images never; -1: never */
    double          lr;       /**< 0: 2e-3 */
    float           label_smoothing; /**< below 1; 0: 0.1; negative: none */
    int32_t         flip; /**< images, 1: in training each is mirrored left to right in half of the epochs */
    const char     *checkpoint; /**< file that the run is written to; NULL: none */
    const char     *resume;     /**< file to continue from, with the same data and options; NULL: none */
    int64_t         checkpoint_every; /**< epochs; 0: 1; see fgt_fit_opts */
    double          checkpoint_seconds; /**< between two writes within an epoch; 0: none; see fgt_fit_opts */
    const fgt_collective *collective; /**< of processes that train together, see fgt_fit_opts; NULL: alone */
    int64_t               shards;     /**< of a batch, see fgt_fit_opts; 0: alone none, else 8 or more */
    double                weight_decay; /**< of AdamW; 0: none, images 0.05; negative: none */
    double                warmup; /**< share of the steps in which the learning rate grows to lr, below 1; 0:
                                       none, images 0.1; negative: none */
    int64_t               shift; /**< images: in training each is moved by up to so many pixels along both
                                      axes, drawn anew in each epoch; what comes from outside is 0, black; 0:
                                      the 14th part of the shorter side; negative: none */
    double balance; /**< b, at most 1: a class with fewer than b times the training samples of the largest
                         class is predicted as if it had so many: the priors of the loss (class_priors of
                         fgt_loss_opts) are min(1, n_c / (b n_max)). 1: all classes count alike; 0: the
                         default, texts 0.1, images none; negative: none */
} fgt_classifier_fit_opts;

/** Trains (AdamW, cosine schedule, cross entropy, gradients clipped to norm 1), stops early by the loss on
 *  the validation texts, and keeps the weights of the best epoch. Without validation the last weights stay;
 *  so do they with fewer than 50 validation texts, because few texts often choose a bad epoch. The training
 *  is then the same as without them, and best_loss of the report is NaN. Their classes must be classes of the
 *  classifier all the same.
 *  Log      warnings: fewer than 50 validation texts
 *  Owner    everything is borrowed for the call; report (its size set) may be NULL
 *  Errors   as fgt_model_fit(); FGT_E_DATA a class that the classifier does not have; FGT_E_STATE
 *           several members; FGT_E_UNSUPPORTED a selector, and texts that stay on disk (corpus_file.h) */
FGT_API FGT_MUST fgt_status fgt_classifier_fit(fgt_classifier *classifier, const fgt_corpus *train,
                                               const fgt_corpus *validation,
                                               const fgt_classifier_fit_opts *opts, fgt_fit_report *report);

/** Number of epochs of a training whose options name none: of texts as many as make 750 steps, but 2 to 20;
 *  of images 30.
 *  Shapes   samples: training texts; batch: that of the options, 0: the classifier's
 *  Units    epochs
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_classifier_count_epochs(const fgt_classifier *classifier, int64_t samples, int64_t batch);

typedef struct fgt_classifier_masked_opts {
    size_t                         size;
    const fgt_classifier_fit_opts *fit;     /**< how it is trained, without label_smoothing; seed is that of
                                                 the masks, too. NULL: defaults */
    double                         share;   /**< of the words of a text that are hidden; 0: 0.15 */
    int64_t                        words;   /**< only so many of the most frequent words are ever hidden, and
                                                 chosen from; 0: 4096 */
    float                          dropout; /**< of all layers in the pre-training; 0: 0.1; negative: none */
    int32_t                        reserved;
} fgt_classifier_masked_opts;

/** Pre-training, before fgt_classifier_fit(): the layers learn which words are hidden in texts that need no
 *  classes, most often many more than have any. fgt_classifier_opts.pretrain is something else, a first guess
 *  of the embeddings without training. Of the hidden words 80 % are replaced by FGT_ID_UNKNOWN, 10 % by any
 *  word, and 10 % stay as they are. At each of their places
 *      linear(E) - gelu - LayerNorm - linear(words)
 *  of what the block makes of the place is compared with the word (cross entropy). Which words are hidden is
 *  a function of the seed, the text's number and the epoch. All layers up to the block are trained and given
 *  to the classifier at the end, its head stays. Without validation the last weights stay.
 *  Source   Devlin et al. 2019; the bound on the words is ours
 *  Cost     a step takes that of fgt_classifier_fit() and 6 share T E words flop a text
 *  Owner    everything is borrowed for the call; validation, opts and report (its size set) may be NULL
 *  Errors   as fgt_model_fit(); FGT_E_STATE ids of n-grams or prefixes, which would tell the hidden
 *           words; a block in which no word sees another (linear, mlp), or an informer of several layers;
 *           several members; an active adapter, as the layers are trained. On error the classifier is as
 *           before */
FGT_API FGT_MUST fgt_status fgt_classifier_fit_masked(fgt_classifier *classifier, const fgt_corpus *texts,
                                                      const fgt_corpus *validation,
                                                      const fgt_classifier_masked_opts *opts,
                                                      fgt_fit_report *report);

/** Trains the encoder on images without looking at their classes, as a masked autoencoder: it sees a
 *  quarter of the patches and has to paint the others (vit.h). A fit then begins with that encoder.
 *  Images may have classes or none, and be more than those that a fit is given. A selector (opts) is one of
 *  these images, and sees their losses as in fgt_masked_autoencoder_fit().
 *  Source   He et al. 2022
 *  Cost     in each pass the encoder sees a quarter of the patches, a decoder of one layer all
 *  Owner    everything is borrowed for the call; opts as for fgt_classifier_fit_images(), but epochs 0: 40,
 *           lr 0: 2e-3; label_smoothing is not used. report may be NULL
 *  Errors   as there; FGT_E_STATE several members, or an active adapter. On error the classifier is as
 *           before */
FGT_API FGT_MUST fgt_status fgt_classifier_fit_masked_images(fgt_classifier *classifier,
                                                             const fgt_images *images,
                                                             const fgt_images *validation,
                                                             const fgt_classifier_fit_opts *opts,
                                                             fgt_fit_report *report);

/** fgt_classifier_fit() of images. To train the last layer alone, a linear probe, freeze the others before:
 *  fgt_model_set_frozen(fgt_classifier_get_model(classifier), "encoder.", 1).
 *  Owner    as there
 *  Errors   as there; FGT_E_SHAPE images of another size */
FGT_API FGT_MUST fgt_status fgt_classifier_fit_images(fgt_classifier *classifier, const fgt_images *train,
                                                      const fgt_images *validation,
                                                      const fgt_classifier_fit_opts *opts,
                                                      fgt_fit_report *report);

/** Adds the members of another classifier. From then on logits are the means over all members, so
 *  probabilities are geometric means, scaled to sum 1; all members are saved and loaded as one classifier.
 *  Train the members before you add them, each with its own seed.
 *  Source   Hansen and Salamon 1990; Lakshminarayanan, Pritzel and Blundell 2017
 *  Cost     predictions then cost the sum over the members
 *  Owner    takes *other and sets it to NULL; on error both are as before
 *  Errors   FGT_E_ARG NULL, itself, another context, or other classes, another vocabulary, another model
 *           (seeds and weights aside); FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_classifier_add(fgt_classifier *classifier, fgt_classifier **other);

/** Classifies all texts of a corpus and compares with their classes, which are found by their names.
 *  Shapes   confusion I64 [C,C]: [true class, predicted class]; or NULL
 *  Units    texts
 *  Owner    borrowed; metric is added to, and so is confusion; on error both are as before
 *  Errors   FGT_E_ARG, FGT_E_SHAPE; FGT_E_DATA a class that the classifier does not have, or none;
 *           FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_classifier_evaluate(fgt_classifier *classifier, const fgt_corpus *corpus,
                                                    fgt_metric *metric, const fgt_view *confusion);

/** fgt_classifier_evaluate() of images.
 *  Shapes   as there
 *  Units    images
 *  Owner    as there
 *  Errors   as there; FGT_E_SHAPE images of another size */
FGT_API FGT_MUST fgt_status fgt_classifier_evaluate_images(fgt_classifier *classifier,
                                                           const fgt_images *images, fgt_metric *metric,
                                                           const fgt_view *confusion);

/** Probabilities of the classes of some texts. A text without words gets those of an empty text.
 *  Shapes   texts: n C strings; probability F32 [n,C]; *replaced: number of U+FFFD that replace invalid
 *           UTF-8, or NULL
 *  Units    rows sum to 1
 *  Cost     a pass for each fgt_classifier_opts.batch texts; after the first one nothing is allocated, unless
 *           a text has more words or bytes than any before
 *  Owner    borrowed
 *  Errors   as fgt_vocab_encode() and fgt_predict(); FGT_E_DATA a score is not finite (text, class). On
 *           error probability is not to be used */
FGT_API FGT_MUST fgt_status fgt_classifier_predict(fgt_classifier *classifier, const char *const *texts,
                                                   int64_t n, const fgt_view *probability,
                                                   int64_t *replaced);

/** Probabilities of the classes of some images. The classifier standardises the pixels.
 *  Shapes   pixels F32 [n,H,W,channels], 0 .. 255, as fgt_images_get() gives them; probability F32 [n,C]
 *  Units    rows sum to 1
 *  Cost     a pass for each batch of images; after the first one nothing is allocated
 *  Owner    borrowed
 *  Errors   FGT_E_ARG, FGT_E_SHAPE; errors of fgt_predict(); on error probability is not to be used */
FGT_API FGT_MUST fgt_status fgt_classifier_predict_images(fgt_classifier *classifier, const fgt_view *pixels,
                                                          const fgt_view *probability);

/** All that a prediction changes: each thread brings one of its own, and they share the classifier. */
typedef struct fgt_classify_workspace fgt_classify_workspace;

/** Creates a workspace of a classifier, of all members that it has now; see fgt_workspace_create().
 *  Shapes   batch of opts: texts in a pass, 0: 1
 *  Owner    *ws is the caller's; the classifier must outlive it
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM; *ws is NULL on error. The sentence is the
 *           context's */
FGT_API FGT_MUST fgt_status fgt_classify_workspace_create(const fgt_classifier *classifier,
                                                          const fgt_workspace_opts *opts,
                                                          fgt_classify_workspace **ws);

/** Destroys a workspace and sets *ws to NULL.
 *  Owner    takes *ws */
FGT_API void fgt_classify_workspace_destroy(fgt_classify_workspace **ws);

/** The last error of this workspace in words.
 *  Owner    the workspace's
 *  Threads  one at a time per workspace */
FGT_API const char *fgt_classify_workspace_error(const fgt_classify_workspace *ws);

/** fgt_classifier_predict() with the workspace's threads and memory, in batches of its size.
 *  Where a text has more words or bytes than any before, this thread calls the allocator.
 *  Shapes   as there
 *  Units    rows sum to 1
 *  Cost     a pass for each batch
 *  Owner    borrowed
 *  Errors   as there; the sentence is fgt_classify_workspace_error()
 *  Threads  as many at once as there are workspaces, while nobody changes the classifier, if several threads
 *           may call the allocator at once */
FGT_API FGT_MUST fgt_status fgt_classify_workspace_predict(fgt_classify_workspace *ws,
                                                           const char *const *texts, int64_t n,
                                                           const fgt_view *probability, int64_t *replaced);

/** fgt_classifier_predict_images() with the workspace's threads, in batches of its size; it
 *  allocates nothing.
 *  Shapes   as there
 *  Units    rows sum to 1
 *  Cost     a pass for each batch
 *  Owner    borrowed
 *  Errors   as there; the sentence is fgt_classify_workspace_error()
 *  Threads  as fgt_classify_workspace_predict() */
FGT_API FGT_MUST fgt_status fgt_classify_workspace_predict_images(fgt_classify_workspace *ws,
                                                                  const fgt_view *pixels,
                                                                  const fgt_view *probability);

/** Writes weights, configuration, vocabulary and names of the classes to one safetensors file; as
 *  fgt_model_save().
 *  Errors   FGT_E_STATE several members, and an adapter of one is active: merge it before; FGT_E_IO (the old
 *           file stays, unless the sentence says that the new one was written); FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_classifier_save(const fgt_classifier *classifier, const char *path);

/** Writes the file of fgt_classifier_save() into memory; as fgt_model_save_memory().
 *  Units    capacity, *bytes: bytes
 *  Owner    buffer is the caller's
 *  Errors   as fgt_classifier_save() but FGT_E_IO; FGT_E_SIZE the buffer is too small */
FGT_API FGT_MUST fgt_status fgt_classifier_save_memory(const fgt_classifier *classifier, void *buffer,
                                                       int64_t capacity, int64_t *bytes);

/** Hands the file of fgt_classifier_save() to the host's function; as fgt_model_save_to().
 *  Owner    the writer is borrowed for the call
 *  Errors   as fgt_classifier_save(); FGT_E_IO the function failed */
FGT_API FGT_MUST fgt_status fgt_classifier_save_to(const fgt_classifier *classifier,
                                                   const fgt_writer *writer);

/** Makes the classifier that a file of fgt_classifier_save() holds. The rules for files in model.h hold here.
 *  Besides, the classifier keeps the ids and the logits of one batch, whatever the file's length, and the
 *  tables that model.h names are made for each member. Members come back with the weights that each had;
 *  the seed, which dropout draws from, and what is frozen are those of member 0.
 *  Owner    opts may be NULL; *classifier is the caller's
 *  Errors   as fgt_model_load(); FGT_E_ARG batch < 0; FGT_E_FORMAT also a file of another kind. On
 *           error *classifier is NULL */
FGT_API FGT_MUST fgt_status fgt_classifier_load(fgt_context *ctx, const char *path,
                                                const fgt_load_opts *opts,
                                                fgt_classifier **classifier);

/** fgt_classifier_load() of a file in memory, which may lie at any address.
 *  Units    bytes: bytes
 *  Owner    data is borrowed for the call, in which it must not change; *classifier is the caller's
 *  Errors   as fgt_classifier_load(); FGT_E_ARG bytes is negative, or data is NULL */
FGT_API FGT_MUST fgt_status fgt_classifier_load_memory(fgt_context *ctx, const void *data, int64_t bytes,
                                                       const fgt_load_opts *opts,
                                                       fgt_classifier **classifier);

/** fgt_classifier_load() of a file that the host reads.
 *  Owner    the reader is borrowed for the call; *classifier is the caller's
 *  Errors   as fgt_classifier_load(); FGT_E_IO the function failed */
FGT_API FGT_MUST fgt_status fgt_classifier_load_from(fgt_context *ctx, const fgt_reader *reader,
                                                     const fgt_load_opts *opts,
                                                     fgt_classifier **classifier);

/** Properties of a classifier. */
typedef struct fgt_classifier_info {
    size_t   size;
    int64_t  classes; /**< C */
    int64_t  tokens;  /**< T; 0: the classifier is for images */
    uint64_t seed;    /**< of the initial weights; of member 0 */
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

/** Whether predictions have the bits of fgt_predict() on the models. Without it some products of weights are
 *  computed once, for all predictions, as fgt_predictor_opts.exact says: they take less time, and differ by
 *  rounding. They do so only while no mask is set for the models themselves. With it, attention and values of
 *  the last prediction can be read from the models. Files do not hold it. Workspaces that are there stay as
 *  they are.
 *  Shapes   exact: 0, as at first, or 1
 *  Errors   FGT_E_ARG
 *  Threads  none may predict meanwhile */
FGT_API FGT_MUST fgt_status fgt_classifier_set_exact(fgt_classifier *classifier, int32_t exact);

/** The model, for access to its parameters, hash and adjacency. It maps ids, or standardised
 *  pixels, to logits. With several members it is that of the first.
 *  Shapes   x I64 [B,T], or F32 [B,H,W,channels] -> y [B,C]
 *  Owner    the classifier's
 *  Errors   none; NULL for NULL */
FGT_API fgt_model *fgt_classifier_get_model(fgt_classifier *classifier);

/** The model of one member. Number 0 is fgt_classifier_get_model(); members that were added follow in order.
 *  Shapes   as fgt_classifier_get_model()
 *  Owner    the classifier's
 *  Errors   none; NULL if there is no such member */
FGT_API fgt_model *fgt_classifier_get_member(fgt_classifier *classifier, int64_t member);

/** A corpus without texts, of the classes and the columns of the training corpus. As fgt_corpus_opts.like it
 *  says how a file is to be read whose texts the classifier is to classify, also with no_classes.
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
