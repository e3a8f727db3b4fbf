/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARE_H
#define FGTI_SHARE_H

/* How much of what trained layers add to the map in closed form is kept. */

#include "forecast/forecaster.h"
#include "train/train_impl.h"

enum { FGTI_HELD = 8 }; /* parameters that are not trained where layers are trained apart */

typedef struct fgti_share {
    fgt_forecaster *f;
    int64_t         count;   /* numbers in the last maps of the trained layers; 0: nothing is shared */
    fgti_real      *start;   /* all weights, as they were before the training; NULL: no choice */
    fgti_real      *trained; /* [count]: as they were trained, at first as they were before */
    fgti_real      *map;     /* in closed form, which the last value stands in for; NULL: it is there */
    int64_t         stride;  /* rows from one window to the next */
    int64_t         step;    /* windows from one that is compared to the next */
    int64_t         tested;  /* that are compared */
    float          *before;  /* [tested,H,C]: their forecasts without the layers */
    int64_t         blocks;  /* horizons in the validation rows */
    double         *gain, *spare; /* [blocks]: linear/gain.h */
    bool            held[FGTI_HELD];
    bool            chosen;
    double          start_loss; /* with the weights of the start; NaN: not known yet */
    fgti_batch      batch; /* of the validation rows */
    fgt_source      validation;
    fgt_loss_opts   loss;
} fgti_share;

/* Whether there are layers and a map in closed form of which shares can be taken. */
bool fgti_share_can_be_apart(const fgt_forecaster *f);

/* Takes the memory that fgti_share_choose() needs, which allocates nothing. Without validation rows, or
 * without a map in closed form, there is no choice. stride: rows from one validation window to the next.
 * apart: until then the last value stands in for the map. fgti_share_done() is due even after an error, and
 * then leaves all as it was where the layers were trained apart. */
fgt_status fgti_share_new(fgt_forecaster *f, const fgt_source *validation, int64_t stride, bool apart,
                          const fgt_loss_opts *loss, fgti_share *s);
void       fgti_share_done(fgti_share *s);

/* The validation loss of the weights that training begins with, when it begins. */
fgt_status fgti_share_start_loss(fgti_share *s, double *loss);

/* Scales what the layers add by the share s p, with f_0 the forecasts of the validation rows without the
 * layers, f_1 = f_0 + d with all of them, and p the probability of linear/gain.h that d gains more than
 * chance:
 *
 *     s = sum (y - f_0) d / sum d^2, within 0 .. 1
 *
 * Layers that were trained apart have this share, and the map the rest. Quantiles in their order are no
 * linear function of what the layers add: their layers stay whole. Where the loss is no lower than before the
 * training, all is as it was then, and best_epoch is 0. best_loss becomes the one of what is kept. After an
 * error layers beside the map are as they were trained. */
fgt_status fgti_share_choose(fgti_share *s, fgt_fit_report *report);

#endif
