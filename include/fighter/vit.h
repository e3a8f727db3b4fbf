/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_VIT_H
#define FIGHTER_VIT_H

/** @file vit.h
 *  Models of images: the Vision Transformer, and the masked autoencoder, by which one learns from images that
 *  have no classes. Images are [B,H,W,C]: a model with nodes = H, time = W and features = C.
 *
 *      fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 64, .nodes = 28, .time = 28, .features = 1), &m);
 *      fgt_vit_add(m, &FGT_OPTS(fgt_vit_opts, .patch_height = 4, .dim = 64, .layers = 4));   // -> [B,64]
 *      fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 10))));
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/base.h>
#include <fighter/model.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the Vision Transformer ------------------------------------------------------------------ */

/** What the encoder of a Vision Transformer gives. */
typedef enum fgt_vit_pool {
    FGT_VIT_CLASS_TOKEN = 0, /**< [B,E]: a learned token that attends to the patches */
    FGT_VIT_MEAN        = 1, /**< [B,E]: the mean of the patches; there is no class token */
    FGT_VIT_TOKENS      = 2  /**< [B,P,E]: all patches; there is no class token */
} fgt_vit_pool;

typedef struct fgt_vit_opts {
    size_t      size;
    int64_t     patch_height;     /**< rows of a patch; 0: 4. They divide those of the image */
    int64_t     patch_width;      /**< columns of a patch; 0: patch_height */
    int64_t     dim;              /**< E, width of a token; 0: 64 */
    int64_t     layers;           /**< at most 64; 0: 4 */
    int64_t     heads;            /**< must divide dim; 0: 4, or 1 if 4 does not */
    int64_t     ff;               /**< width of the feed-forward blocks; 0: 4 dim */
    int64_t     hops;             /**< fighter: kappa; 0: 3 */
    int32_t     fighter;          /**< 1: Fighter layers in place of attention */
    int32_t     pool;             /**< an fgt_vit_pool */
    int32_t     learned_position; /**< 1: learned positions; 0: sinusoids of rows and columns, for which 4 must
                                       divide dim */
    float       dropout;          /**< in training, behind the positions and in all layers; 0: none */
    float       drop_path;        /**< stochastic depth: the probability of the last layer; those before have
                                       less, the first one 0, by equal steps; 0: none */
    int32_t     reserved;
    const char *prefix;           /**< goes before the names of the layers; NULL: "encoder." */
} fgt_vit_opts;

/** Adds the layers of a Vision Transformer's encoder to the end of a model, which reads images there:
 *    z = [class token; patches W' + b] + positions, then `layers` pre-norm encoder layers with gelu,
 *    then a LayerNorm, then what `pool` says.
 *  With fighter, a layer is h = x + fighter(norm(x)), y = h + linear2(gelu(linear1(norm2(h)))), the Fighter
 *  layer without an activation. An fgt_linear() behind it makes a classifier.
 *  Source   Dosovitskiy et al. 2021; positions and names: He et al. 2022; drop path: Huang et al. 2016
 *  Shapes   x [B,H,W,C] -> see fgt_vit_pool; P = H W / (patch_height patch_width)
 *  Params   with the prefix before them: embedding.weight [E,kh kw C], embedding.bias; class_token.weight
 *           [1,E]; position.table [1 + P,E]; layers.0 ... as fgt_transformer(), or with fighter
 *           layers.0.fighter as fgt_fighter(), layers.0.norm, layers.0.up, layers.0.down; norm.weight,
 *           norm.bias
 *  Owner    everything is copied
 *  Errors   FGT_E_ARG; FGT_E_SHAPE patches do not divide the image; FGT_E_NAME the model has layers of these
 *           names already; FGT_E_VERSION; those of fgt_model_add(). On error layers that were added before the
 *           failure stay */
FGT_API FGT_MUST fgt_status fgt_vit_add(fgt_model *model, const fgt_vit_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
