/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AFFINE_PACK_H
#define FGTI_AFFINE_PACK_H

/* The affine map of affine.h for predictions, which use the same weights again and again. */

#include "blas/packed_weight.h"
#include "nn/kept.h"

/* A weight that is packed once for all predictions. In training the weight changes with every step, so each
 * product packs the weight again. */
typedef struct fgti_affine_pack {
    fgti_kept          kept;
    fgti_packed_weight w;    /* W' [D,H] */
    bool               bf16; /* x and W are rounded to bf16 */
} fgti_affine_pack;

/* Cuts a pack from `base`, which is io->packs. io->packs is NULL in training; with NULL the function only
 * counts the elements for need->packs. A small weight takes no memory and is never packed; its products are
 * F32. */
fgti_affine_pack fgti_affine_pack_take(const fgti_layer *l, int64_t d, int64_t h, fgti_real *base,
                                       int64_t *at);
/* Whether products with W' [D,H] read only the pack. */
bool fgti_affine_pack_suffices(const fgti_blas *blas, int64_t d, int64_t h);
/* Packs W if the weight is not small. Returns true if W itself is not read any more. */
bool fgti_affine_pack_prepare(const fgti_run *run, const fgti_affine_pack *pack, const fgti_real *w,
                              int64_t rsw, int64_t csw);
/* Computes y = x W' + b as fgti_affine() does; in F32 with the same bits. Element (h,d) of W is w[h*rsw +
 * d*csw]. b is added to the first `biased` columns; it may be NULL. */
void fgti_affine_packed(const fgti_run *run, const fgti_affine_pack *pack, int64_t rows, const fgti_real *x,
                        const fgti_real *w, int64_t rsw, int64_t csw, const fgti_real *b, int64_t biased,
                        fgti_real *y, int64_t ldy);

#endif
