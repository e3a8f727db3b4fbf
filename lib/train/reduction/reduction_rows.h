/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REDUCTION_ROWS_H
#define FGTI_REDUCTION_ROWS_H

#include "train/reduction/reduction_impl.h"

fgt_status fgti_row_sum_init(fgti_reduction *r);
void       fgti_row_sum_done(fgti_reduction *r);
/* fgti_row_sum_add() adds the rows of a partial sum to the model's gradient. fgti_row_sum_keep() stores the
 * rows of the model's gradient in a partial sum. */
void fgti_row_sum_add(fgti_reduction *r, const fgti_partial *p);
void fgti_row_sum_keep(fgti_reduction *r, fgti_partial *p);
/* Sums the gradients of the rows that this rank updates, over the pieces (partial sums) of all ranks, in
 * ascending order of the rows. */
fgt_status fgti_row_sum_run(fgti_reduction *r);
/* Gives all ranks the numbers of all rows, in ascending order, and the squares of the gradients of these
 * rows. Before, all ranks must know how many rows each rank has (r->rows.count). */
fgt_status fgti_row_sum_list(fgti_reduction *r, double *square);
/* The range of the list that is part number `part` of this rank's rows. */
fgti_slab_range fgti_row_sum_part(const fgti_reduction *r, int64_t part);
/* Memory for the weights of all listed rows, one after another, while they are sent. */
fgti_real *fgti_row_sum_weights(const fgti_reduction *r);
/* Begins to send a part to all other ranks. fgti_row_sum_settle() waits for the parts of all ranks. */
fgt_status fgti_row_sum_spread(fgti_reduction *r, int64_t part);
fgt_status fgti_row_sum_settle(fgti_reduction *r);
/* Sends all of this rank's rows to all other ranks, or only to rank 0. `to` has the layout of the slabs. */
fgt_status fgti_row_sum_share(fgti_reduction *r, const fgti_real *from, fgti_real *to, bool to_all);

#endif
