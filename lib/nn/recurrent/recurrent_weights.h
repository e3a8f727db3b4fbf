/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_WEIGHTS_H
#define FGTI_RECURRENT_WEIGHTS_H

/* The weights of a recurrent layer as its products read them, kept from pass to pass while they are the
 * same. */

#include "blas/tile.h"
#include "nn/recurrent/recurrent.h"

/* Elements of W and U of one direction beyond which they are large: half a megabyte, half of a usual second
 * cache. */
#define FGTI_WEIGHTS_SMALL 131072

/* V panels, for blocks of rows; U panels, for blocks in panels. Large weights have no U panels: a panel has
 * fewer sequences than a block of rows, for which they would have to come from afar. Nor have those of wide
 * inputs, whose sums are cut into blocks of k by rows. */
typedef enum fgti_form { FGTI_BY_ROWS, FGTI_BY_PANELS, FGTI_FORMS } fgti_form;

/* Of one direction of a stacked layer: W; U; apart: U of a last gate that meets h apart, else nothing; b, one
 * row: what is added to the gates. */
typedef struct fgti_packed {
    fgti_real *w, *u, *apart, *b;
} fgti_packed;

typedef struct fgti_weights {
    const fgti_layer   *l;
    const fgti_kernel  *kn;
    fgti_recurrent_conf o;
    int64_t             h, gates, apart; /* rows of W; those of them that meet h apart */
    int64_t             first, widest;   /* x of the first layer and of any */
    int64_t             each;            /* elements of a direction: of the largest */
    bool                small;
    fgti_real          *version[FGTI_FORMS], *packed[FGTI_FORMS]; /* keep */
} fgti_weights;

/* With inputs of width `first`. */
fgti_weights fgti_weights_of(const fgti_layer *l, int64_t first);
void         fgti_weights_place(fgti_weights *w, fgti_real *base, int64_t *at);
/* Room for those of one direction, W [gates,width], in any order of their two sides. */
fgti_packed fgti_packed_take(const fgti_weights *w, int64_t width, fgti_real *base, int64_t *at);
/* Packs all, when they are not those of the last pass in this form. */
void        fgti_weights_pack(const fgti_weights *w, const fgti_run *run, const fgti_io *io, fgti_form form);
fgti_packed fgti_weights_at(const fgti_weights *w, fgti_form form, int64_t layer, int64_t d);

#endif
