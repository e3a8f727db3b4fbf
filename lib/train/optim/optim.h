/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTIM_H
#define FGTI_OPTIM_H

#include "core/opts.h"
#include "train/optim/optim_impl.h"

/* Options, which are also in checkpoints. */
extern const fgti_opt fgti_optim_opts[];

/* An optimiser that updates only the segments of this rank; NULL: everything. */
fgt_status fgti_optim_create(fgt_model *model, const fgt_optim_opts *opts, const fgti_ranks *ranks,
                             fgt_optim **optim);
/* FGT_E_STATE: the optimiser was made for other parameters than the trained ones. */
fgt_status fgti_optim_check(const fgt_optim *o, const char *what);
/* Allocates `whole`. */
fgt_status fgti_optim_need_whole(fgt_optim *o);
/* Number of the optimiser's arrays of state; whether they are parts of arrays for all weights. */
int32_t fgti_optim_states(const fgt_optim *o);
bool    fgti_optim_is_part(const fgt_optim *o);

/* fgt_step() for a training that has called fgti_model_begin_call(). */
fgt_status fgti_optim_step(fgt_optim *o);
/* Parts of fgti_optim_step(). First: computes the squares of the gradients in the parts; frozen gradients
 * become zero. */
void fgti_optim_square(fgt_optim *o);
/* Called when all squares are there, including squares of other ranks, which also call it (NULL: no other
 * ranks). The gradients will be multiplied by `scale`. FGT_E_NONFINITE: a gradient is NaN or infinite; all
 * gradients become zero. */
fgt_status fgti_optim_begin(fgt_optim *o, double scale, fgti_ranks *ranks);
/* Updates a dense part, and the touched rows first .. first+n-1 of the list. `copy`, [n,width], gets the new
 * weights of these rows; NULL: no copy. */
void fgti_optim_update(const fgt_optim *o, int64_t part);
void fgti_optim_update_rows(const fgt_optim *o, int64_t first, int64_t n, fgti_real *copy);
/* Ends the step. The other touched rows were updated by other ranks. */
void fgti_optim_end(fgt_optim *o);

#endif
