/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTIM_H
#define FGTI_OPTIM_H

/* The optimiser, and the rows of a sparse gradient that wait for their updates. */

#include "model/model_impl.h"
#include "train/train_impl.h"

/* Steps of which a row that waited knows each learning rate: beta1 = 0.9 has decayed to 2e-12 by then. */
#define FGTI_WAIT 256

/* Rows that a step does not touch wait, and make up for it when they are touched, or when all are wanted up
 * to date. With a gradient of zero in step s, j steps after the row's last one,
 *     adam:  w -= f(s) rho^j m / (sqrt(v) + eps'),   rho = beta1 / sqrt(beta2),
 *            f(s) = lr(s) sqrt(1 - beta2^s) / (1 - beta1^s),  m and v those of the last step
 *     sgd:   w -= f(s) rho^j v,   rho = momentum,  f(s) = lr(s), with Nesterov's lr(s) momentum
 * so that the sum of all these steps takes one factor for the row. eps' = eps sqrt(1 - beta2^s) as it was in
 * the row's last step. */
typedef struct fgti_waiting {
    int64_t *last;              /* [rows]: the step that a row is up to date with; NULL: nothing waits */
    double  *decayed;           /* [rows]: `decay` at that step; NULL: weights do not decay on their own */
    double   decay, next_decay; /* sum of log(1 - lr weight_decay) of the steps done; with the next one */
    double   rho;
    double   factor[FGTI_WAIT]; /* f of step s at s % FGTI_WAIT */
    double   move[FGTI_WAIT];   /* move[g]: the sum for a row that waited through the last g steps */
} fgti_waiting;

struct fgt_optim {
    fgt_model        *model;
    fgt_optim_opts    opts; /* defaults filled in */
    fgt_schedule_opts schedule;
    fgti_real        *state;  /* up to two arrays as long as the weights */
    int64_t           stride; /* from one to the other */
    int64_t           t;      /* steps done */
    double            norm;   /* of the gradients in the last step */
    fgti_waiting      waiting;
};

/* ---- waiting.c ---- */

fgt_status fgti_waiting_init(fgt_optim *o);
void       fgti_waiting_done(fgt_optim *o);
/* Before rows are settled, and before a step with this learning rate. */
void fgti_waiting_prepare(fgt_optim *o, double lr);
/* Brings a row up to date with the steps done. From any thread, for different rows, like the next. */
void fgti_waiting_settle(const fgt_optim *o, int64_t row);
/* The row is up to date with the step that is being done. */
void fgti_waiting_touch(const fgt_optim *o, int64_t row);
/* The step is done: o->t counts it. */
void fgti_waiting_advance(fgt_optim *o, double lr);

#endif
