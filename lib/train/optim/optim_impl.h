/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTIM_IMPL_H
#define FGTI_OPTIM_IMPL_H

/* The optimiser, and the rows of an embedding that it updates lazily. */

#include <fighter/train.h>

#include "model/access.h"
#include "train/optim/segments.h"

/* Number of steps for which factors are stored. A row that has missed at most this many steps needs no sum of
 * its own. In a set of 30,000 texts and batches of 32, this is about an epoch. */
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
    int64_t *last;              /* [rows]: the last step that each row includes; NULL: no row can miss a
                                 * step */
    double  *decayed;           /* [rows]: value of `decay` at that step; NULL: without a gradient there is no
                                 * weight decay */
    double   decay, next_decay; /* decay: sum of log k over the steps done; next_decay: the same sum including
                                 * the next step */
    double   rho;
    double  *factor, *keep; /* [FGTI_LAZY_STEPS]: f(s) and k(s) of step s, at s % FGTI_LAZY_STEPS */
    double  *move;          /* [FGTI_LAZY_STEPS]: move[g] is for a row that has missed the last g steps */
} fgti_lazy;

/* Elements begin .. end-1 of the slabs. Their moments begin at element `at` of the state. */
typedef struct fgti_optim_part {
    int64_t begin, end, at;
} fgti_optim_part;

struct fgt_optim {
    fgt_model         *model;
    fgti_slabs         slabs; /* the model's slabs, which do not move while the model has an optimiser */
    fgt_optim_opts     opts;  /* defaults are filled in */
    fgt_schedule_opts  schedule;
    double             base;  /* learning rate from which the schedule computes: opts.lr, or set by
                               * fgt_optim_set_lr() */
    bool               spans; /* schedule.total follows from the epochs of fgt_model_fit() */
    fgti_optim_part   *part;  /* [parts]: what this optimiser updates; first the sparse rows, then dense
                               * parts */
    int64_t            parts;
    fgti_real         *state;      /* at most two arrays, each as long as all parts together */
    int64_t            stride;     /* distance from the first array of `state` to the second */
    fgti_real         *whole;      /* [states,size]: the moments of all ranks, for a checkpoint; NULL: not
                                    * allocated */
    int64_t            t;          /* number of steps done */
    int64_t            begin;      /* number of steps of earlier runs, after which the schedule begins */
    double             norm;       /* norm of the gradients in the last step; NaN before the first step */
    double            *square;     /* [grains]: sum of the squares of the dense gradients in each grain, in
                                    * this step */
    double            *row_square; /* [rows]: sum of the squares of the gradient of each touched row, in the
                                    * order of the list */
    double             lr, gscale; /* lr: learning rate of this step; gscale: factor for the gradients of this
                                    * step */
    fgti_lazy          lazy;
    const fgti_param **param; /* [params]: parameters of the model, in the order of the slabs */
    int64_t            params;
    fgti_slab_range   *frozen; /* [params], of which the first `ranges` are used: dense ranges that this step
                                * skips */
    int64_t            ranges;
};

#endif
