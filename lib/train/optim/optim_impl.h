/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTIM_IMPL_H
#define FGTI_OPTIM_IMPL_H

/* The optimiser, and the rows of an embedding that it updates lazily. */

#include <fighter/train.h>

#include "model/access.h"
#include "train/optim/segments.h"

/* Number of steps whose factors are stored. A row that has missed at most this many steps needs no sum of its
 * own. It is about an epoch of a set of 30,000 texts in batches of 32. */
#define FGTI_LAZY_STEPS 1024

/* Embedding rows are updated lazily: a step changes only the rows that it touches. Missed updates of a row
 * are made together, when it is touched again or when all rows are brought up to date. A missed update has
 * the gradient zero. In step s, which is j steps after the row's last update, it is
 *     adam:  w = k(s) w - f(s) rho^j m / (sqrt(v) + eps'),   rho = beta1 / sqrt(beta2),
 *            f(s) = lr(s) sqrt(1 - beta2^s) / (1 - beta1^s),  k(s) = 1 - lr(s) weight_decay (adamw; else 1),
 *            m and v as in the row's last step, eps' = eps sqrt(1 - beta2^s) as in that step
 *     sgd:   w = w - f(s) rho^j v,   rho = momentum,  f(s) = lr(s), with Nesterov lr(s) momentum
 * so g missed updates, up to step t, are together w = K w - move m / (sqrt(v) + eps'); sgd: w = w - move v:
 *     K = prod_{j=1..g} k(t-g+j),   move = sum_{j=1..g} rho^j f(t-g+j) prod_{i>j} k(t-g+i) */
typedef struct fgti_lazy {
    int64_t *last;              /* [rows]: the step that a row is up to date with; NULL: no row can miss a
                                   step */
    double  *decayed;           /* [rows]: `decay` at that step; NULL: no weight decay without a gradient */
    double   decay, next_decay; /* sum of log k over the steps done; with the next one */
    double   rho;
    double  *factor, *keep; /* [FGTI_LAZY_STEPS]: f and k of step s at s % FGTI_LAZY_STEPS */
    double  *move;          /* [FGTI_LAZY_STEPS]: move of a row that has missed the last g steps */
} fgti_lazy;

/* Elements begin .. end-1 of the slabs, whose moments begin at `at` of the state. */
typedef struct fgti_optim_part {
    int64_t begin, end, at;
} fgti_optim_part;

struct fgt_optim {
    fgt_model         *model;
    fgti_slabs         slabs; /* the model's slabs, which do not move while it has an optimiser */
    fgt_optim_opts     opts;  /* defaults filled in */
    fgt_schedule_opts  schedule;
    double             base;  /* learning rate of the schedule: opts.lr, or of fgt_optim_set_lr() */
    bool               spans; /* schedule.total comes from the epochs of fgt_model_fit() */
    fgti_optim_part   *part;  /* [parts] that the optimiser updates: first the sparse rows, then dense
                               * parts */
    int64_t            parts;
    fgti_real         *state;      /* up to two arrays as long as all parts */
    int64_t            stride;     /* distance between the two arrays */
    fgti_real         *whole;      /* [states,size]: all ranks' moments, for a checkpoint; or NULL */
    int64_t            t;          /* steps done */
    int64_t            begin;      /* steps of earlier runs: the schedule begins after them */
    double             norm;       /* norm of the gradients in the last step; NaN before the first step */
    double            *square;     /* [grains]: sum of squares of each grain's dense gradients in this step */
    double            *row_square; /* [rows]: sum of squares of each touched row's gradient, in the order of
                                    * the list */
    double             lr, gscale; /* learning rate of this step; factor of its gradients */
    fgti_lazy          lazy;
    const fgti_param **param; /* [params]: the model's parameters, in the order of the slabs */
    int64_t            params;
    fgti_slab_range   *frozen; /* [params]: dense ranges that this step skips: the first `ranges` */
    int64_t            ranges;
};

#endif
