/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VIT_H
#define FGTI_VIT_H

/* The Vision Transformer as a list of layers; the masked autoencoder has two parts of it. */

#include <stdbool.h>

#include <fighter/vit.h>

#include "core/opts.h"
#include "nn/layer.h"

/* As model files have them, all but the prefix. */
extern const fgti_opt fgti_vit_opts[];

/* Reads options, checks them and fills in what is 0. */
fgt_status fgti_vit_read(fgti_error *err, const fgt_vit_opts *opts, fgt_vit_opts *o);

/* Whether the encoder has a class token before the patches. */
bool fgti_vit_has_class_token(const fgt_vit_opts *o);

/* Patches of an image, down and across. FGT_E_SHAPE they do not divide it. */
fgt_status fgti_vit_patches(fgti_error *err, const fgt_vit_opts *o, fgti_shape image, int64_t grid[2]);

/* Adds the encoder up to its norm: [B,H,W,C] -> [B,1 + P,E]. kept: an fgt_value() of the patches that it
 * sees, [B,1 + K,E] then; NULL: all. */
fgt_status fgti_vit_add_encoder(fgt_model *m, const fgt_vit_opts *o, const char *kept);

/* Adds positions of patches in rows of `columns`, and o->layers layers with a norm. */
fgt_status fgti_vit_add_position(fgt_model *m, const fgt_vit_opts *o, int64_t columns);
fgt_status fgti_vit_add_layers(fgt_model *m, const fgt_vit_opts *o);

#endif
