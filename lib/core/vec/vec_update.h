/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_UPDATE_H
#define FGTI_VEC_UPDATE_H

/* Updates of one parameter tensor by its gradient. The functions are members of the tables of vec.h. */

#include "core/tensor.h"

/* t counts steps from 1. */
typedef struct fgti_sgd {
    double lr, momentum, weight_decay;
    int    nesterov, first; /* first: at the first step the velocity becomes the gradient */
} fgti_sgd;
typedef struct fgti_adam {
    double  lr, beta1, beta2, eps, weight_decay;
    int     decoupled; /* AdamW: the decay acts on the weight, not on the gradient */
    int64_t t;
} fgti_adam;
/* Several steps with gradient 0, which are taken at once. */
typedef struct fgti_adam_lazy {
    double move, eps, keep; /* w = keep w - move m / (sqrt(v) + eps) */
    double decay1, decay2;  /* then m *= decay1, v *= decay2 */
} fgti_adam_lazy;

typedef struct fgti_updates {
    /* Updates w by the gradient g * gscale; g is not changed. m and v are the optimiser's state, of the same
     * length. Without momentum sgd does not use v, which may be NULL. */
    void (*sgd)(const fgti_sgd *o, int64_t n, double gscale, const fgti_real *g, fgti_real *v, fgti_real *w);
    void (*adam)(const fgti_adam *o, int64_t n, double gscale, const fgti_real *g, fgti_real *m, fgti_real *v,
                 fgti_real *w);
    void (*adam_lazy)(const fgti_adam_lazy *o, int64_t n, fgti_real *m, fgti_real *v, fgti_real *w);
} fgti_updates;

#endif
