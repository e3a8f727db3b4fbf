/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_WEIGHTS_H
#define FGTI_RECURRENT_WEIGHTS_H

/* The weights of a recurrent layer in the order in which its products read them. They are packed in the first
 * pass, and again after the weights have changed. */

#include "blas/packed_weight.h"
#include "nn/kept.h"
#include "nn/recurrent/recurrent_plan.h"

/* Most elements of W and U of one direction for which the weights are small. Larger weights take more than
 * half a megabyte, half of a usual second cache. */
#define FGTI_WEIGHTS_SMALL 131072

/* The weights of one direction of a stacked layer: W' [width,gates]; U' [H,gates]; and b, one row that is
 * added to the gates. In the GRU the last gate uses h U' separately, so U' is in two parts: the columns of
 * the other gates, and the columns of the last gate. */
typedef struct fgti_direction_weights {
    fgti_packed_weight w, u, apart;
    fgti_real         *b;
} fgti_direction_weights;

/* The packed weights of a recurrent layer. Blocks of sequences in rows multiply V panels of the weights, and
 * blocks in panels multiply U panels. Only small weights have both forms: a block in panels has fewer
 * sequences than a block in rows, so large weights would be read from memory more often. Wide inputs have no
 * U panels either: with blocks in rows their sums are cut into blocks of k, so the bits would differ. */
typedef struct fgti_recurrent_weights {
    const fgti_layer   *l;
    const fgti_kernel  *kn; /* kernel of the panels */
    fgti_recurrent_conf conf;
    int64_t             h, gates, apart; /* gates: rows of W; apart: how many of these rows use h U'
                                          * separately */
    int64_t             first, widest;   /* first: width of the first stacked layer's x; widest: width of the
                                          * widest x */
    int64_t             each;            /* elements of the largest direction; every direction has this
                                          * many */
    bool                small;
    fgti_kept           kept[FGTI_WEIGHT_FORMS]; /* this and `packed` are in io->keep */
    fgti_real          *packed[FGTI_WEIGHT_FORMS];
} fgti_recurrent_weights;

/* Returns the weights, not yet placed, for inputs of width `first`. */
fgti_recurrent_weights fgti_recurrent_weights_of(const fgti_layer *l, int64_t first);
/* Takes the memory of the weights from io->keep; with base == NULL the function only counts. */
void fgti_recurrent_weights_place(fgti_recurrent_weights *w, fgti_real *base, int64_t *at);
/* Packs all weights in this form, unless the packs of an earlier pass are still valid. */
void fgti_recurrent_weights_pack(const fgti_recurrent_weights *w, const fgti_run *run, const fgti_io *io,
                                 fgti_weight_form form);
fgti_direction_weights fgti_recurrent_weights_at(const fgti_recurrent_weights *w, fgti_weight_form form,
                                                 int64_t layer, int64_t d);

#endif
