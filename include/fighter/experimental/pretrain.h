/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_PRETRAIN_H
#define FIGHTER_EXPERIMENTAL_PRETRAIN_H

/** @file pretrain.h
 *  Pre-training, before fgt_classifier_fit() and fgt_forecaster_fit():
 *  The layers learn to restore hidden parts of samples. Such samples need no classes and no rows to forecast.
 *
 *      fgt_classifier_create(ctx, FGT_IMAGES(train), NULL, &classifier);
 *      fgt_classifier_fit_masked(classifier, FGT_IMAGES(more), NULL, NULL, NULL); // images without classes
 *      fgt_classifier_fit(classifier, FGT_IMAGES(train), NULL, NULL, NULL);
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/classify.h>
#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- classifiers ----------------------------------------------------------------------------- */

typedef struct fgt_classifier_masked_opts {
    size_t                         size;
    const fgt_classifier_fit_opts *fit;     /**< options of the training, without label_smoothing. Its seed
                                                 also determines the hidden parts. For images epochs 0 means
                                                 40. NULL: defaults */
    double                         share;   /**< share of the words of a text, or of the patches of an image,
                                                 that are hidden; 0: 0.15 of the words, 0.75 of the patches */
    int64_t                        words;   /**< texts: only this many of the most frequent words are hidden
                                                 and predicted; 0: 4096 */
    float                          dropout; /**< texts: dropout of all layers in the pre-training; 0: 0.1;
                                                 negative: no dropout. Images have no dropout */
    int32_t                        reserved;
} fgt_classifier_masked_opts;

/** Pre-trains a classifier on samples. They need no classes, so there are usually many more such samples than
 *  samples with a class. A later fgt_classifier_fit() starts with the pre-trained layers.
 *
 *  With texts, the layers learn to predict hidden words. (fgt_classifier_opts.pretrain is something else: it
 *  computes the first embeddings without training.) 80 % of the hidden words are replaced by FGT_ID_UNKNOWN,
 *  10 % by a random word, and 10 % stay. The output of the block at each hidden word goes through
 *      linear(E) - gelu - LayerNorm - linear(words)
 *  and is compared with the hidden word (cross entropy). Which words are hidden is a function of the seed,
 *  the number of the text and the epoch. All layers up to the block are trained and copied to the classifier
 *  at the end; its head does not change. Without validation the last weights stay.
 *
 *  With images, the encoder is trained in a masked autoencoder, which reads the visible patches and has to
 *  reconstruct the hidden ones (vit.h). A selector selects from the images, by losses as in
 *  fgt_masked_autoencoder_fit().
 *  Source   texts: Devlin et al. 2019; the limit on the words is ours; images: He et al. 2022
 *  Cost     texts: as in fgt_classifier_fit(), and 6 share T E words flop more for each text in a step.
 *           Images: in each pass the encoder reads the visible patches, and a decoder of one layer reads all
 *           patches
 *  Owner    everything is borrowed for the call; validation, opts and report (its size set) may be NULL
 *  Errors   as fgt_classifier_fit(); FGT_E_ARG also label_smoothing, and words or dropout with images;
 *           FGT_E_STATE the vocabulary has n-grams or prefixes, whose ids would show the hidden words; the
 *           block is linear or mlp, in which no word reads another, or an informer of several layers; the
 *           classifier has several members; an adapter is active. On error the classifier is as before */
FGT_API FGT_MUST fgt_status fgt_classifier_fit_masked(fgt_classifier *classifier, const fgt_samples *samples,
                                                      const fgt_samples                *validation,
                                                      const fgt_classifier_masked_opts *opts,
                                                      fgt_fit_report                   *report);

/* ---- forecasters ----------------------------------------------------------------------------- */

typedef struct fgt_forecaster_masked_opts {
    size_t                         size;
    const fgt_forecaster_fit_opts *fit;   /**< options of the training, without loss, quantile, dispersion,
                                               spectral and moments. Its seed also determines the hidden
                                               patches. NULL: defaults */
    double                         share; /**< share of hidden patches; at least one patch is hidden, and at
                                               least one visible. 0: 0.4 */
} fgt_forecaster_masked_opts;

/** Pre-trains a forecaster, before fgt_forecaster_fit(): the layers learn to reconstruct hidden patches of
 *  the windows of the training rows. A window needs no rows after it. A learned token replaces each hidden
 *  patch; the same patches are hidden in all series of a window. The block reads this token, and an affine
 *  map of the block's output is compared with the hidden patch (MSE; with `revin` with the normalised patch).
 *  Which patches are hidden is a function of the seed, the number of the window and the epoch. If patches
 *  overlap, neighbours are hidden together. Steps that a visible patch covers, and missing values, are not
 *  compared.
 *
 *  The layers between the patches and the flatten layer are trained. The weights with the lowest loss on the
 *  windows of the validation rows are copied to the forecaster at the end. The last map, the linear part,
 *  the scaler and revin do not change. So forecasts become better only after fgt_forecaster_fit().
 *  Source   Nie et al. 2023, section 3.2; mask token: Devlin et al. 2019; neighbours: ours
 *  Shapes   the table has the forecaster's series, found by their names; tokens are patches
 *  Units    losses in squares of standard deviations: of the training rows, or with `revin` of the window
 *  Owner    everything is borrowed for the call; opts and report (its size set) may be NULL
 *  Errors   as fgt_forecaster_fit(); FGT_E_STATE the tokens are not patches, there is only one patch, or an
 *           informer joins patches; several members; an active adapter. On error the forecaster is as
 *           before */
FGT_API FGT_MUST fgt_status fgt_forecaster_fit_masked(fgt_forecaster *forecaster, const fgt_table *table,
                                                      const fgt_split                  *split,
                                                      const fgt_forecaster_masked_opts *opts,
                                                      fgt_fit_report                   *report);

/** Freezes all layers except the last map, or with frozen == 0 unfreezes them. Then fgt_forecaster_fit()
 *  trains only the last map, a linear probe, which shows how good the frozen layers are. The linear part is
 *  never trained. Files keep which layers are frozen.
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the forecaster is a mean of several, or has only a linear part. On
 *           error nothing changes */
FGT_API FGT_MUST fgt_status fgt_forecaster_set_frozen(fgt_forecaster *forecaster, int32_t frozen);

#ifdef __cplusplus
}
#endif
#endif
