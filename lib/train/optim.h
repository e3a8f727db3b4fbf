/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTIM_H
#define FGTI_OPTIM_H

/* The optimiser, and the rows of a sparse gradient that wait for their updates. */

#include "model/access.h"
#include "train/train_impl.h"

/* Steps that are remembered, so that a row which waited through some of them needs no sum of its own: about
 * an epoch of a set of 30,000 texts in batches of 32. */
#define FGTI_WAIT 1024

/* Rows that a step does not touch wait, and make up for it when they are touched, or when all are wanted up
 * to date. With a gradient of zero in step s, j steps after the row's last one,
 *     adam:  w = k(s) w - f(s) rho^j m / (sqrt(v) + eps'),   rho = beta1 / sqrt(beta2),
 *            f(s) = lr(s) sqrt(1 - beta2^s) / (1 - beta1^s),  k(s) = 1 - lr(s) weight_decay (adamw; else 1),
 *            m and v those of the row's last step, eps' = eps sqrt(1 - beta2^s) as in that step
 *     sgd:   w = w - f(s) rho^j v,   rho = momentum,  f(s) = lr(s), with Nesterov lr(s) momentum
 * so that g such steps, up to step t, take one factor each for the row's w and its direction:
 *     K = prod_{j=1..g} k(t-g+j),   move = sum_{j=1..g} rho^j f(t-g+j) prod_{i>j} k(t-g+i) */
typedef struct fgti_lazy {
    int64_t *last;              /* [rows]: the step that a row is up to date with; NULL: nothing waits */
    double  *decayed;           /* [rows]: `decay` at that step; NULL: weights do not decay on their own */
    double   decay, next_decay; /* sum of log k of the steps done; with the next one */
    double   rho;
    double  *factor, *keep; /* [FGTI_WAIT]: f and k of step s at s % FGTI_WAIT */
    double  *move;          /* [FGTI_WAIT]: move of a row that waited through the last g steps */
} fgti_lazy;

/* Elements begin .. end-1 of the slabs. */
typedef struct fgti_range {
    int64_t begin, end;
} fgti_range;

struct fgt_optim {
    fgt_model        *model;
    fgti_slabs        slabs; /* the model's, which stay in place as long as it has an optimiser */
    fgt_optim_opts    opts; /* defaults filled in */
    fgt_schedule_opts schedule;
    fgti_real        *state;  /* up to two arrays as long as the weights */
    int64_t           stride; /* from one to the other */
    int64_t           t;      /* steps done */
    double            norm;   /* of the gradients in the last step */
    fgti_lazy         waiting;
    const fgti_param **param;  /* [params]: those of the model, in the order of the slabs */
    int64_t            params;
    fgti_range        *frozen; /* [params]: dense ranges that this step leaves out: the first `ranges` */
    int64_t            ranges;
};

/* ---- optim.c ---- */

/* Arrays of state that it has. */
int32_t fgti_optim_states(const fgt_optim *o);

/* ---- waiting.c ---- */

fgt_status fgti_lazy_init(fgt_optim *o);
void       fgti_lazy_done(fgt_optim *o);
/* Before rows are settled, and before a step with this learning rate. */
void fgti_lazy_prepare(fgt_optim *o, double lr);
/* Brings a row up to date with the steps done. From any thread, for different rows, like the next. */
void fgti_lazy_settle(const fgt_optim *o, int64_t row);
/* The row is up to date with the step that is being done. */
void fgti_lazy_touch(const fgt_optim *o, int64_t row);
/* The step is done: o->t counts it. */
void fgti_lazy_advance(fgt_optim *o, double lr);
/* After it, when the step has left out all rows because they are frozen: it is none that they miss. */
void fgti_lazy_skip(const fgt_optim *o, double decay);

#endif
