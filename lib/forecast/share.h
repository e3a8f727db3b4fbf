/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARE_H
#define FGTI_SHARE_H

/* How much of what trained layers add to the map in closed form is kept. */

#include "forecast/forecaster.h"
#include "train/train_impl.h"

typedef struct fgti_share {
    fgt_forecaster *f;
    int64_t         count;   /* numbers in the last maps of the trained layers; 0: nothing is shared */
    fgti_real      *trained; /* [count]: as they were trained */
    fgti_batch      batch;              /* of the validation rows */
    fgt_source      validation;
    double          horizons; /* n: how often the forecast goes into the validation rows */
    fgt_loss_opts   loss;
} fgti_share;

/* Takes the memory that fgti_share_choose() needs, which allocates nothing. stride: rows from one validation
 * window to the next. fgti_share_done() is due even after an error. */
fgt_status fgti_share_new(fgt_forecaster *f, const fgt_source *validation, int64_t stride,
                          const fgt_loss_opts *loss, fgti_share *s);
void       fgti_share_done(fgti_share *s);

/* Scales what the layers add by s, with E_1 the loss on the validation rows with the layers, E_0 without:
 *
 *     s = 1 / (1 + max(30 / n, 1) exp(-(E_0 / E_1 - 1) 2 n / 3))
 *
 * with n the validation rows over H, in the exponent at most 75: the fewer there are, the less of the
 * layers is taken on trust. Otherwise these are the weights of linear_weights.h for two forms. Where s is
 * worse than 0, or n is at least 30 and s worse than 1, that is taken. On made random walks with three
 * horizons s has 1.03 times the error of the last value, and 1 had 1.15. *loss is E_1, and becomes the loss
 * with s. */
fgt_status fgti_share_choose(fgti_share *s, double *loss);

#endif
