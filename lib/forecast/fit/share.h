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
    fgti_real      *trained; /* [count]: as they were trained, at first as they were before */
    fgti_real      *map;     /* that in closed form, which the last value stands in for; NULL: it is there */
    fgti_real      *plain;   /* the last value in the form of the map; NULL, as all below: many horizons */
    int64_t         tested;  /* S: steps 1, 2, 4, ..., unit_root.h */
    float          *last;    /* [windows,S,C]: forecasts by it, of the validation windows */
    double         *gain;    /* [S,C,windows]: over these */
    double         *odds;    /* [S] */
    int64_t         stride;  /* rows from one window to the next */
    bool            held[FGTI_HELD];
    bool            began; /* the training; fit.c says so */
    bool            chosen;
    fgti_batch      batch; /* of the validation rows */
    fgt_source      validation;
    double          horizons; /* n: how often the forecast goes into the validation rows */
    fgt_loss_opts   loss;
} fgti_share;

/* Whether there are layers and a map in closed form of which shares can be taken. */
bool fgti_share_can_be_apart(const fgt_forecaster *f);

/* Takes the memory that fgti_share_choose() needs, which allocates nothing. stride: rows from one validation
 * window to the next. apart: until then the last value stands in for the map. fgti_share_done() is due even
 * after an error, and then leaves the map alone where the layers were trained apart, or all as it was where
 * the training did not begin. */
fgt_status fgti_share_new(fgt_forecaster *f, const fgt_source *validation, int64_t stride, bool apart,
                          const fgt_loss_opts *loss, fgti_share *s);
void       fgti_share_done(fgti_share *s);

/* Scales what the layers add by s, with E_1 the loss on the validation rows with the layers, E_0 without:
 *
 *     s = 1 / (1 + max(30 / n, 1) exp(-(E_0 / E_1 - 1) 2 n / 3))
 *
 * with n the validation rows over H, in the exponent at most 75: the fewer there are, the less of the
 * layers is taken on trust. Otherwise these are the weights of linear_weights.h for two forms.
 * Layers that were trained apart have the share s, and the map 1 - s: min(n / 30, 1) times the lowest point
 * of the parabola through the losses with the shares 0, 1/2 and 1.
 * Where s is worse than 0, or n is at least 30 and s worse than 1, that is taken. With n below 30 it
 * is at last multiplied by the probability that forecasts with all of the layers beat the last value,
 * beside what is known of the rows, by more than chance (unit_root.h): of a random walk layers learn
 * what happened to follow, and by chance that goes on for some horizons. The odds of that are those of
 * the layers times those of the map alone, if these are below 1. *loss is E_1, and becomes the
 * loss with the share that is kept. */
fgt_status fgti_share_choose(fgti_share *s, double *loss);

#endif
