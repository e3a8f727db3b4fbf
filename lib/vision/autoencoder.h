/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AUTOENCODER_H
#define FGTI_AUTOENCODER_H

#include "core/context.h"
#include "core/rng.h"
#include "core/tensor.h"
#include "vision/vit.h"

/* Name of the value with the numbers of the visible patches. */
#define FGTI_KEPT "kept"

struct fgt_masked_autoencoder {
    fgt_context *ctx;
    fgt_model   *model;
    int64_t      height, width, channels, batch;
    int64_t      patch_height, patch_width, columns; /* pixels of a patch; number of patches side by side */
    int64_t      patches, kept, pixels;              /* P; K; number of elements of a patch */
    uint64_t     seed;
    bool         normalise;
    int64_t     *order; /* [P]: working memory of a draw */
    uint8_t     *seen;  /* [P]: 1 for each patch that the last draw left visible */
    int64_t     *ids;   /* [batch,K], for reconstructions */
    fgti_real   *y;     /* [batch,P,pixels] */
};

/* Draws the visible patches of a sample into m->seen; epoch 0: validation. */
void fgti_masking_draw(fgt_masked_autoencoder *m, uint64_t seed, int64_t epoch, int64_t sample);
/* Writes the numbers of the patches that are visible in m->seen to ids [K], in rising order. */
void fgti_masking_list(const fgt_masked_autoencoder *m, int64_t *ids);

/* The offset of patch p in an image [H,W,C]. */
int64_t fgti_patch_origin(const fgt_masked_autoencoder *m, int64_t p);
/* Computes the mean of the patch that begins at `patch`, and sqrt(v + 1e-6), where v is the variance of the
 * patch. */
void fgti_patch_scale(const fgt_masked_autoencoder *m, const fgti_real *patch, double *mean,
                      double *deviation);

#endif
