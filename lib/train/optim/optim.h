/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTIM_H
#define FGTI_OPTIM_H

#include "core/opts.h"
#include "train/optim/optim_impl.h"

/* The options of an optimiser, which checkpoints also contain. */
extern const fgti_opt fgti_optim_opts[];

/* Creates an optimiser that updates only the segments of this rank. ranks NULL: it updates everything. */
fgt_status fgti_optim_create(fgt_model *model, const fgt_optim_opts *opts, const fgti_ranks *ranks,
                             fgt_optim **optim);
/* FGT_E_STATE: the parameters that are trained now are not those for which the optimiser was made. */
fgt_status fgti_optim_check(const fgt_optim *o, const char *what);
/* Allocates the array `whole`. */
fgt_status fgti_optim_need_whole(fgt_optim *o);
/* The number of arrays of state. The next function: whether each array has only the state for a part of the
 * weights. */
int32_t fgti_optim_states(const fgt_optim *o);
bool    fgti_optim_is_part(const fgt_optim *o);

/* fgt_step() for a training that has called fgti_model_begin_call(). */
fgt_status fgti_optim_step(fgt_optim *o);
/* The next functions are the parts of fgti_optim_step(), in order. This one computes the squares of the
 * gradients in the parts. Frozen gradients become zero. */
void fgti_optim_square(fgt_optim *o);
/* Called when all squares are there, including the squares of other ranks. These ranks also call it; ranks
 * NULL: there are no other ranks. All gradients will be multiplied by `scale`. FGT_E_NONFINITE: a gradient is
 * NaN or infinite; then all gradients become zero. */
fgt_status fgti_optim_begin(fgt_optim *o, double scale, fgti_ranks *ranks);
/* The first function updates a dense part. The second updates the touched rows first .. first+n-1 of the
 * list; `copy` [n,width] gets the new weights of these rows; NULL: not needed. */
void fgti_optim_update(const fgt_optim *o, int64_t part);
void fgti_optim_update_rows(const fgt_optim *o, int64_t first, int64_t n, fgti_real *copy);
/* Ends the step. Other ranks have updated the other touched rows. */
void fgti_optim_end(fgt_optim *o);

#endif
