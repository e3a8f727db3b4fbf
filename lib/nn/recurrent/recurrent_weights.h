/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_WEIGHTS_H
#define FGTI_RECURRENT_WEIGHTS_H

/* The weights of a recurrent layer in the order in which its products read them. They are packed in the first
 * pass, and again after the weights have changed. */

#include "blas/packed_weight.h"
#include "nn/kept.h"
#include "nn/recurrent/recurrent_plan.h"

/* Weights are large when W and U of one direction have more elements than this: half a megabyte, half of a
 * usual second cache. */
#define FGTI_WEIGHTS_SMALL 131072

/* The weights of one direction of a stacked layer: W' [width,gates]; U' [H,gates] without the columns of a
 * last gate that uses h U' separately (GRU); these columns; and b, one row that is added to the gates. */
typedef struct fgti_direction_weights {
    fgti_packed_weight w, u, apart;
    fgti_real         *b;
} fgti_direction_weights;

/* Blocks of sequences in rows multiply V panels, blocks in panels U panels. Only small weights have both: a
 * block in panels has fewer sequences than one in rows, so large weights would be read from memory more
 * often. Wide inputs have no U panels either: by rows their sums are cut into blocks of k, and the bits would
 * differ. */
typedef struct fgti_recurrent_weights {
    const fgti_layer   *l;
    const fgti_kernel  *kn; /* kernel of the panels */
    fgti_recurrent_conf conf;
    int64_t             h, gates, apart; /* rows of W; of these, rows that use h separately */
    int64_t             first, widest;   /* width of the first layer's x; width of the widest x */
    int64_t             each;            /* elements of the largest direction, reserved for each */
    bool                small;
    fgti_kept           kept[FGTI_WEIGHT_FORMS]; /* this and `packed` are in io->keep */
    fgti_real          *packed[FGTI_WEIGHT_FORMS];
} fgti_recurrent_weights;

/* For inputs of width `first`. */
fgti_recurrent_weights fgti_recurrent_weights_of(const fgti_layer *l, int64_t first);
/* Takes their memory from io->keep; base == NULL only counts. */
void fgti_recurrent_weights_place(fgti_recurrent_weights *w, fgti_real *base, int64_t *at);
/* Packs all weights in this form, unless the packs of the last pass are still valid. */
void fgti_recurrent_weights_pack(const fgti_recurrent_weights *w, const fgti_run *run, const fgti_io *io,
                                 fgti_weight_form form);
fgti_direction_weights fgti_recurrent_weights_at(const fgti_recurrent_weights *w, fgti_weight_form form,
                                                 int64_t layer, int64_t d);

#endif
