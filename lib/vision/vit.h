/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VIT_H
#define FGTI_VIT_H

/* The Vision Transformer as a list of layers. The masked autoencoder uses this list for its two parts. */

#include <stdbool.h>

#include <fighter/experimental/vision.h>
#include <fighter/experimental/vit.h>

#include "core/opts.h"
#include "nn/layer.h"

/* The options that model files have. Their keys in files also have a prefix. */
extern const fgti_opt fgti_vit_opts[];

/* Reads the options, checks them and fills in the fields that are 0. */
fgt_status fgti_vit_read(fgti_error *err, const fgt_vit_opts *opts, fgt_vit_opts *o);

/* Whether the encoder has a class token before the patches. */
bool fgti_vit_has_class_token(const fgt_vit_opts *o);

/* Computes the number of patches of an image, down and across. FGT_E_SHAPE: the patches do not divide the
 * image. */
fgt_status fgti_vit_patches(fgti_error *err, const fgt_vit_opts *o, fgti_shape image, int64_t grid[2]);

/* Adds the encoder up to its norm: [B,H,W,C] -> [B,1 + P,E]. kept: name of an fgt_value() with the numbers of
 * the visible patches, with which the output is [B,1 + K,E]; NULL: all patches are visible. */
fgt_status fgti_vit_add_encoder(fgt_model *m, const fgt_vit_opts *o, const char *kept);

/* fgti_vit_add_position() adds positions of patches, `columns` side by side. fgti_vit_add_layers() adds
 * o->layers layers with a norm. */
fgt_status fgti_vit_add_position(fgt_model *m, const fgt_vit_opts *o, int64_t columns);
fgt_status fgti_vit_add_layers(fgt_model *m, const fgt_vit_opts *o);

#endif
