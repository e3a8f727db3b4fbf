/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_VISION_H
#define FIGHTER_EXPERIMENTAL_VISION_H

/** @file vision.h
 *  Layers for images, and for models that read only some of an image's patches. Letters and shapes are as in
 *  nn.h, except that an image is [H,W,C]: height, width, channels. To read images [B,H,W,C], a model has
 *  nodes = H, time = W and features = C: this is [B,N,T,D] with other letters. An option that is 0 has the
 *  default in its comment. vit.h has whole models.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.9. */

#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_patch_2d_opts {
    size_t  size;
    int64_t height;         /**< kh, rows of a patch; no default */
    int64_t width;          /**< kw, columns of a patch; 0: height */
    int64_t stride_height;  /**< sh, rows from patch to patch; 0: height */
    int64_t stride_width;   /**< sw; 0: width */
    int64_t padding_height; /**< ph, rows of zeros above the image, and below it */
    int64_t padding_width;  /**< pw, columns of zeros at its left, and at its right */
} fgt_patch_2d_opts;

/** Cuts images into patches, which become tokens. With the default strides no two patches share a pixel. With
 *  an fgt_linear() after it, this layer is the patch embedding of the Vision Transformer. Both together equal
 *  an fgt_conv_2d() whose weight has the axes in another order.
 *    y[b, r W' + c, (i kw + j) C + d] = x[b, r sh + i - ph, c sw + j - pw, d], and 0 outside the image
 *  Rows and columns that remain at the end belong to no patch.
 *  Source   Dosovitskiy et al. 2021; order of a patch's pixels: github facebookresearch/mae, patchify()
 *  Shapes   x [B,H,W,C] -> y [B,P,kh kw C], P = H' W', H' = floor((H + 2 ph - kh)/sh) + 1, W' likewise
 *  Params   none
 *  Units    pixels
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_SHAPE no patch fits */
FGT_API fgt_layer fgt_patch_2d(const fgt_patch_2d_opts *opts);

typedef struct fgt_conv_2d_opts {
    size_t  size;
    int64_t out;            /**< number of features of y; 0: as many as x */
    int64_t height;         /**< kh, rows of a window; 0: 3 */
    int64_t width;          /**< kw, columns of a window; 0: height */
    int64_t stride_height;  /**< sh, rows from window to window; 0: 1 */
    int64_t stride_width;   /**< sw; 0: stride_height */
    int64_t padding_height; /**< ph, rows of zeros above the image, and below it */
    int64_t padding_width;  /**< pw, columns of zeros at its left, and at its right */
    int32_t no_bias;        /**< 1: without b */
    int32_t reserved;
} fgt_conv_2d_opts;

/** Convolution over images (a cross-correlation, as in other libraries):
 *    y[r,c] = b + sum_{i<kh, j<kw} W_ij x[r sh + i - ph, c sw + j - pw],  W_ij = weight[:,:,i,j]
 *  where x = 0 outside the image. fgt_layout() with FGT_LAYOUT_TOKENS makes a token of each position of y.
 *  Source   as torch.nn.Conv2d with padding_mode "zeros", dilation 1 and groups 1
 *  Shapes   x [B,H,W,C] -> y [B,H',W',out], H' = floor((H + 2 ph - kh)/sh) + 1, W' likewise
 *  Params   weight [out,C,kh,kw], bias [out]; both uniform in +-1/sqrt(C kh kw) at first
 *  Cost     2 R' C kh kw out flop forward, R' = B H' W'; twice that backward; R' C kh kw floats while it runs
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_SHAPE no window fits */
FGT_API fgt_layer fgt_conv_2d(const fgt_conv_2d_opts *opts);

typedef struct fgt_class_token_opts {
    size_t  size;
    int64_t count; /**< tokens; 0: 1 */
    float   init;  /**< standard deviation of the initial values; 0: 0.02 */
    int32_t reserved;
} fgt_class_token_opts;

/** Adds learned tokens before the tokens of x. They are the same for all samples:
 *    y_i = weight_i for i < count,  y_{count+t} = x_t
 *  With count = 1 this is the class token of the Vision Transformer: attention collects in this token the
 *  features that a classifier reads. fgt_slice() with count = 1 takes the token out again.
 *  Source   Devlin et al. 2019; Dosovitskiy et al. 2021
 *  Shapes   x [B,N,T,D] -> y [B,N,count + T,D]
 *  Params   weight [count,D], normal
 *  Cost     a copy
 *  Errors   by fgt_model_add(): FGT_E_ARG */
FGT_API fgt_layer fgt_class_token(const fgt_class_token_opts *opts);

typedef struct fgt_gather_opts {
    size_t  size;
    int64_t prefix; /**< first tokens that are copied unchanged, such as a class token */
} fgt_gather_opts;

/** Picks tokens by ids. Each sample has its own ids, which come from an fgt_value() of FGT_VALUE_IDS, the
 *  second input in fgt_model_add_from().
 *    y_t = x_t for t < prefix,  y_{prefix+i} = x_{prefix+id_i} for i < K
 *  An id may occur several times; gradients add up. All nodes of a sample have the same ids.
 *  Source   as torch.gather along the tokens; He et al. 2022 (the patches that the encoder sees)
 *  Shapes   x [B,N,T,D], ids [B,K] in 0 .. T - prefix - 1 -> y [B,N,prefix + K,D]
 *  Params   none
 *  Cost     a copy
 *  Errors   by fgt_model_add(): FGT_E_ARG no ids; FGT_E_SHAPE no token after the prefix. By
 *           fgt_forward(): FGT_E_DATA an id out of range (the error text has sample and position);
 *           FGT_E_SHAPE another K than planned */
FGT_API fgt_layer fgt_gather(const fgt_gather_opts *opts);

typedef struct fgt_scatter_opts {
    size_t  size;
    int64_t time;   /**< T', number of positions; no default */
    int64_t prefix; /**< first tokens that are copied unchanged, such as a class token */
    int32_t zeros;  /**< 1: positions without an id get zeros instead of the learned token */
    float   init;   /**< standard deviation of the learned token's initial values; 0: 0.02 */
} fgt_scatter_opts;

/** Puts tokens at the positions given by ids: the reverse of fgt_gather() with the same ids. All other
 *  positions get a learned token, the mask token.
 *    y_t = x_t for t < prefix,  y_{prefix+id_i} = x_{prefix+i} for i < K,
 *    y_{prefix+t} = weight where no id is t
 *  Source   as torch.scatter along the tokens; mask token: Devlin et al. 2019, He et al. 2022
 *  Shapes   x [B,N,prefix + K,D], ids [B,K] in 0 .. T' - 1, all different in a sample
 *           -> y [B,N,prefix + T',D]
 *  Params   weight [D], normal; with zeros none
 *  Cost     a copy; caches B T' numbers
 *  Errors   by fgt_model_add(): FGT_E_ARG no ids; FGT_E_SHAPE x does not have prefix + K tokens, or K > T'.
 *           By fgt_forward(): FGT_E_DATA an id out of range, or twice in a sample (the error text has sample
 *           and positions); FGT_E_SHAPE another K than planned */
FGT_API fgt_layer fgt_scatter(const fgt_scatter_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
