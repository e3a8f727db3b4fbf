/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REDUCTION_ROWS_H
#define FGTI_REDUCTION_ROWS_H

#include "train/reduction/reduction_impl.h"

fgt_status fgti_row_sum_init(fgti_reduction *r);
void       fgti_row_sum_done(fgti_reduction *r);
/* fgti_row_sum_add() adds the rows of a partial sum to the model's gradient; fgti_row_sum_keep() stores
 * them. */
void fgti_row_sum_add(fgti_reduction *r, const fgti_partial *p);
void fgti_row_sum_keep(fgti_reduction *r, fgti_partial *p);
/* Sums this rank's rows over the pieces of all ranks, in ascending order of the rows. */
fgt_status fgti_row_sum_run(fgti_reduction *r);
/* If all ranks know how many rows each has (r->rows.count), they get the numbers of all rows, in ascending
 * order, and the squares of their gradients. */
fgt_status fgti_row_sum_list(fgti_reduction *r, double *square);
/* The range of the list that is part number `part` of this rank's rows. */
fgti_slab_range fgti_row_sum_part(const fgti_reduction *r, int64_t part);
/* Memory of the weights of all listed rows, one after another, when they are sent. */
fgti_real *fgti_row_sum_weights(const fgti_reduction *r);
/* Begins to send a part to all others. fgti_row_sum_settle() waits for the parts of all ranks. */
fgt_status fgti_row_sum_spread(fgti_reduction *r, int64_t part);
fgt_status fgti_row_sum_settle(fgti_reduction *r);
/* Sends all of this rank's rows to all others, or only to rank 0. `to` has the layout of the slabs. */
fgt_status fgti_row_sum_share(fgti_reduction *r, const fgti_real *from, fgti_real *to, bool to_all);

#endif
