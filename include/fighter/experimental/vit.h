/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_VIT_H
#define FIGHTER_EXPERIMENTAL_VIT_H

/** @file vit.h
 *  Models of images: the Vision Transformer, and the masked autoencoder, which trains a Vision Transformer on
 *  images without classes. Images are [B,H,W,C], so a model has nodes = H, time = W and features = C.
 *
 *      fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 64, .nodes = 28, .time = 28,
 *                                      .features = 1), &m);
 *      fgt_vit_add(m, &FGT_OPTS(fgt_vit_opts, .patch_height = 4, .dim = 64, .layers = 4));   // -> [B,64]
 *      fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 10))));
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/model.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the Vision Transformer ------------------------------------------------------------------ */

/** Outputs of the encoder of a Vision Transformer. */
typedef enum fgt_vit_pool {
    FGT_VIT_POOL_CLASS_TOKEN = 0, /**< [B,E]: a learned token that attends to the patches */
    FGT_VIT_POOL_MEAN        = 1, /**< [B,E]: the mean of the patches; there is no class token */
    FGT_VIT_POOL_TOKENS      = 2  /**< [B,P,E]: all patches; there is no class token */
} fgt_vit_pool;

/** Where a Vision Transformer has Fighter layers. */
typedef enum fgt_vit_fighter {
    FGT_VIT_FIGHTER_NONE  = 0, /**< no Fighter layers, only Transformer encoder layers */
    FGT_VIT_FIGHTER_MIXES = 1, /**< a Fighter layer replaces the attention of each encoder layer; the
                                    feed-forward part stays */
    FGT_VIT_FIGHTER_WHOLE = 2  /**< a Fighter layer replaces each whole encoder layer, including the
                                    feed-forward part, as in the Fighter paper */
} fgt_vit_fighter;

typedef struct fgt_vit_opts {
    size_t      size;
    int64_t     patch_height;     /**< rows of a patch; 0: 4. Must divide the image's rows */
    int64_t     patch_width;      /**< columns of a patch; 0: patch_height */
    int64_t     dim;              /**< E, width of a token; 0: 64 */
    int64_t     layers;           /**< number of layers, at most 64; 0: 4 */
    int64_t     heads;            /**< must divide dim; 0: 4, or 1 if 4 does not divide dim */
    int64_t     ff;               /**< width of the feed-forward blocks; 0: 4 dim */
    int64_t     hops;             /**< fighter: kappa; 0: 3 */
    int32_t     fighter;          /**< an fgt_vit_fighter */
    int32_t     pool;             /**< an fgt_vit_pool */
    int32_t     learned_position; /**< 1: learned positions; 0: sinusoids of rows and columns, which need dim
                                       to be a multiple of 4 */
    float       dropout;          /**< probability of dropout in training, after the positions and in all
                                       layers; 0: no dropout */
    float       drop_path;        /**< stochastic depth: the probability that the last layer is skipped in
                                       training. It falls in equal steps to 0 in the first layer. 0: no layer
                                       is skipped */
    int32_t     act;              /**< only FGT_VIT_FIGHTER_WHOLE: an fgt_act of all layers; 0: gelu in all
                                       layers but the last */
    const char *prefix;           /**< text before the names of the layers; NULL: "encoder." */
} fgt_vit_opts;

/** Adds the layers of a Vision Transformer's encoder to the end of a model whose present output is images:
 *    z = [class token; patches W' + b] + positions, then `layers` pre-norm encoder layers with gelu,
 *    then a LayerNorm, then `pool`.
 *  With FGT_VIT_FIGHTER_MIXES a layer is h = x + fighter(norm(x)), y = h + linear2(gelu(linear1(norm2(h)))),
 *  where the Fighter layer has no activation. With FGT_VIT_FIGHTER_WHOLE a layer is only y = x +
 *  fighter(norm(x)). With an fgt_linear() after the encoder the model is a classifier.
 *  Source   Dosovitskiy et al. 2021; FGT_VIT_FIGHTER_WHOLE: Zhang et al., "Fighter", algorithm 1; positions
 *           and names: He et al. 2022; drop path: Huang et al. 2016
 *  Shapes   x [B,H,W,C] -> see fgt_vit_pool; P = H W / (patch_height patch_width)
 *  Params   with the prefix before them: embedding.weight [E,kh kw C], embedding.bias; class_token.weight
 *           [1,E]; position.table [1 + P,E]; layers.0 ... as fgt_transformer() or, with
 *           FGT_VIT_FIGHTER_WHOLE, as fgt_fighter(), with _MIXES layers.0.fighter as fgt_fighter(),
 *           layers.0.norm, layers.0.up, layers.0.down; norm.weight, norm.bias
 *  Owner    everything is copied
 *  Errors   FGT_E_ARG; FGT_E_SHAPE patches do not divide the image; FGT_E_NAME the model already has layers
 *           with these names; FGT_E_VERSION; errors of fgt_model_add(). On error, layers that were added
 *           before the failure stay */
FGT_API FGT_MUST fgt_status fgt_vit_add(fgt_model *model, const fgt_vit_opts *opts);

/* ---- the masked autoencoder ------------------------------------------------------------------ */

/** A model that learns from images without classes: it reads a few patches and has to reconstruct the others.
 *  The encoder of a Vision Transformer reads only the visible patches; a small decoder reconstructs the rest.
 *
 *      fgt_masked_autoencoder *mae;
 *      fgt_masked_autoencoder_create(ctx, &FGT_OPTS(fgt_masked_autoencoder_opts, .encoder = &vit,
 *                                                   .height = 28, .width = 28), &mae);
 *      fgt_masked_autoencoder_fit(mae, &FGT_OPTS(fgt_fit_opts, .train = &images,
 *                                                .training.epochs = 50), NULL);
 *      fgt_vit_add(classifier, &vit);                                  // the same encoder, and a head ...
 *      fgt_model_copy_parameters(classifier, fgt_masked_autoencoder_get_model(mae), "encoder.");
 *
 *  Fine-tuning trains all of the classifier; a linear probe trains only the head, after
 *  fgt_model_set_frozen(classifier, "encoder.", 1). */
typedef struct fgt_masked_autoencoder fgt_masked_autoencoder;

typedef struct fgt_masked_autoencoder_opts {
    size_t              size;
    const fgt_vit_opts *encoder;    /**< options of the encoder; copied. pool only decides whether there is a
                                         class token; prefix must be NULL. NULL: the defaults of
                                         fgt_vit_add() */
    int64_t             height;     /**< H, rows of an image; no default */
    int64_t             width;      /**< W, columns; 0: height */
    int64_t             channels;   /**< C; 0: 1 */
    int64_t             batch;      /**< largest batch; 0: 64 */
    int64_t             dim;        /**< width of a token in the decoder; 0: half of the width in the encoder,
                                         or the whole width if it is not a multiple of 8 */
    int64_t             layers;     /**< number of layers of the decoder; 0: 1 */
    int64_t             heads;      /**< heads of the decoder; 0: 4, or 1 if 4 does not divide dim */
    uint64_t            seed;       /**< seed of the weights, of the hidden patches and of dropout */
    float               mask_ratio; /**< share of hidden patches, 0 < r < 1; 0: 0.75. At least one patch is
                                         visible, and at least one hidden */
    int32_t             normalise;  /**< 1: targets are the pixels of a patch minus their mean, divided by
                                         sqrt(v + 1e-6), where v is their unbiased variance */
} fgt_masked_autoencoder_opts;

/** Creates a masked autoencoder, a model of these layers:
 *    the encoder of fgt_vit_add() up to its norm; after the positions fgt_gather() keeps only the visible
 *    patches, whose ids are the value "kept" [B,K], K = floor(P (1 - mask_ratio))
 *    the decoder: an affine map, fgt_scatter() with a mask token, positions, layers, norm, an affine map to
 *    the pixels of each patch, in the order of fgt_patch_2d()
 *  Source   He et al. 2022; github facebookresearch/mae, models_mae.py
 *  Shapes   x [B,H,W,C] -> y [B,P,kh kw C]
 *  Params   as fgt_vit_add() with "encoder."; decoder.embedding.weight [F,E], decoder.embedding.bias,
 *           decoder.mask.weight [F], decoder.layers.0 ..., decoder.norm.weight, decoder.norm.bias,
 *           decoder.pixels.weight [kh kw C,F], decoder.pixels.bias; F is `dim`
 *  Owner    *autoencoder is the caller's; ctx must outlive it
 *  Errors   FGT_E_ARG; FGT_E_SHAPE patches do not divide the image; FGT_E_VERSION; FGT_E_NOMEM; errors of
 *           fgt_model_add(); *autoencoder is NULL on error */
FGT_API FGT_MUST fgt_status fgt_masked_autoencoder_create(fgt_context *ctx,
                                                          const fgt_masked_autoencoder_opts *opts,
                                                          fgt_masked_autoencoder **autoencoder);

/** Destroys a masked autoencoder with its model, and sets *autoencoder to NULL.
 *  Owner    takes *autoencoder */
FGT_API void fgt_masked_autoencoder_destroy(fgt_masked_autoencoder **autoencoder);

/** The model of an autoencoder, for example to save it, to load weights, or to copy the parameters of the
 *  encoder.
 *  Owner    the autoencoder's; valid until the autoencoder is destroyed
 *  Errors   NULL for NULL */
FGT_API fgt_model *fgt_masked_autoencoder_get_model(fgt_masked_autoencoder *autoencoder);

/** Trains an autoencoder with fgt_model_fit(). Sources give images [n,H,W,C]; their get() is called with
 *  target NULL. Only the hidden patches count in the loss. Which patches of a sample are hidden is a function
 *  of the seed, the number of the sample and the epoch; in validation it is a function of the seed and the
 *  number.
 *  A selector gets the loss of each image over its hidden patches. Scores from a pass before an epoch are
 *  computed with the hidden patches of this epoch. Scores from training passes, and older scores, were
 *  computed with other hidden patches.
 *  Units    the unit of the loss; pixels as the source gives them
 *  Owner    everything is borrowed for the call; opts as for fgt_model_fit(), with a loss for numbers, which
 *           always skips targets that are NaN; report may be NULL
 *  Errors   as fgt_model_fit(); FGT_E_ARG target_dtype is not FGT_DTYPE_F32, a source has values of its own;
 *           FGT_E_DATA a pixel is NaN or infinite (the error text has the sample) */
FGT_API FGT_MUST fgt_status fgt_masked_autoencoder_fit(fgt_masked_autoencoder *autoencoder,
                                                       const fgt_fit_opts *opts, fgt_fit_report *report);

/** Hides patches of images and reconstructs them. Which patches are hidden is a function of the seed and of
 *  an image's number in the call.
 *  Shapes   images, masked and reconstruction F32 [n,H,W,C] with any n, H, W and C as created
 *  Units    as the pixels
 *  Owner    borrowed. masked gets the images with NaN in the hidden patches, and reconstruction gets the
 *           images with the model's pixels in the hidden patches. Either may be NULL, and neither may overlap
 *           the images. With `normalise` the model's pixels get the mean and the deviation of the true patch
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_DATA a pixel is NaN or infinite (the error text has the
 *           image); FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_masked_autoencoder_reconstruct(fgt_masked_autoencoder *autoencoder,
                                                               const fgt_view *images, uint64_t seed,
                                                               const fgt_view *masked,
                                                               const fgt_view *reconstruction);

#ifdef __cplusplus
}
#endif
#endif
