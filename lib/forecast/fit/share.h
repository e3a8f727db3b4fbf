/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARE_H
#define FGTI_SHARE_H

/* The share of the trained layers that is kept beside the map in closed form. */

#include "forecast/forecaster_impl.h"
#include "train/evaluate.h"

enum { FGTI_HELD = 8 }; /* most parameters that are not trained if layers are trained apart */

typedef struct fgti_share {
    fgt_forecaster *f;
    int64_t         count;   /* number of weights in the last maps of the trained layers; 0: no layers */
    fgti_real      *start;   /* all weights before the training; NULL: the share is not chosen */
    fgti_real      *trained; /* [count]: last maps after the training; before that, at its start */
    fgti_real      *map;     /* the map in closed form while the last value replaces it; otherwise NULL */
    int64_t         stride;  /* rows from one window to the next */
    int64_t         step;    /* windows from one compared window to the next */
    int64_t         tested;  /* number of compared windows */
    float          *before;  /* [tested,H,C]: forecasts of the compared windows without the layers */
    int64_t         blocks;  /* horizons in the validation rows */
    double         *gain, *spare; /* [blocks]: linear/gain.h */
    bool            held[FGTI_HELD];
    bool            chosen;
    double          start_loss; /* loss with the weights of the start; NaN: not known yet */
    fgti_batch      batch; /* of the validation rows */
    fgt_source      validation;
    fgt_loss_opts   loss;
} fgti_share;

/* Whether there are layers and a map in closed form that can be blended. */
bool fgti_share_can_be_apart(const fgt_forecaster *f);

/* Takes the memory that fgti_share_choose() needs, so that this function allocates nothing. Without
 * validation rows, or without a map in closed form, no share is chosen. stride: rows from one validation
 * window to the next. apart: the last value replaces the map until the share is chosen. Call
 * fgti_share_done() even after an error. If the layers were trained apart, an error makes it restore all
 * weights from before the training. */
fgt_status fgti_share_new(fgt_forecaster *f, const fgt_source *validation, int64_t stride, bool apart,
                          const fgt_loss_opts *loss, fgti_share *s);
void       fgti_share_done(fgti_share *s);

/* The validation loss of the initial weights, at the start of training. */
fgt_status fgti_share_start_loss(fgti_share *s, double *loss);

/* Scales the layers by the share s p:
 *
 *     s = sum (y - f_0) d / sum d^2, limited to 0 .. 1
 *
 * f_0 are the forecasts of the validation rows without the layers, and f_0 + d the forecasts with all of the
 * layers. p is the probability of linear/gain.h that d gains more than chance.
 *
 * Layers that were trained apart get this share, and the map gets the rest. Sorted quantiles are not a linear
 * function of the layers' output, so with quantiles the layers are not scaled. If the loss is not lower than
 * before the training, the old weights are restored, and best_epoch is 0. best_loss becomes the loss of the
 * result. After an error, layers beside the map have their trained weights. */
fgt_status fgti_share_choose(fgti_share *s, fgt_fit_report *report);

#endif
