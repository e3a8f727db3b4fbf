/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REDUCTION_H
#define FGTI_REDUCTION_H

/* The sum of the gradients of all shards of a batch over all ranks, along the tree of ranks/tree.h.
 *
 * A rank computes its shards one after another. When the gradients of two neighbouring shards, or sums of
 * shards, are the halves of a node of the tree, they are added. Until then, the earlier half is stored as a
 * partial sum. At the end the rank has its pieces: the last piece is in the model's gradients, the others are
 * partial sums.
 *
 * Finished gradients are exchanged while the backward pass of the last shard still runs. They are exchanged
 * in buckets, from the end of the slabs on. Of each bucket a rank gets its segment (segments.h) from all
 * other ranks, and sums the pieces. Rows of a sparse gradient follow at the end, as rows (reduction_rows.c).
 * Each rank then updates the weights whose sums it has, and sends these weights to all ranks. If the host
 * adds the gradients, all ranks have the dense sums at once. */

#include "train/reduction/reduction_impl.h"

/* Prepares a reduction. The model must have its gradients, and takes no more layers. After an error the
 * caller calls fgti_reduction_done(). */
fgt_status fgti_reduction_init(fgt_model *model, fgti_ranks *ranks, int64_t shards, fgti_reduction *r);
void       fgti_reduction_done(fgti_reduction *r);

/* The calls in a step. First comes fgti_reduction_begin(). Then the backward pass of each shard of this rank
 * runs: fgti_reduction_last() is called before the last pass, and fgti_reduction_add() after each other pass.
 * Then comes fgti_reduction_end(). After that the model has the sums of this rank's segments and rows. All
 * ranks make all these calls, even if a pass has failed. */
void       fgti_reduction_begin(fgti_reduction *r);
void       fgti_reduction_add(fgti_reduction *r);
void       fgti_reduction_last(fgti_reduction *r);
fgt_status fgti_reduction_end(fgti_reduction *r);
/* Called during the last backward pass, when the gradients from element `from` of the slabs on are
 * complete. */
void fgti_reduction_ready(void *reduction, int64_t from);
/* Begins to send this rank's segment of a bucket to all other ranks, or only to rank 0. `to` has the layout
 * of the slabs. */
fgt_status fgti_reduction_spread(fgti_reduction *r, int64_t bucket, const fgti_real *from, fgti_real *to,
                                 bool to_all);
/* Waits until all segments are sent. */
fgt_status fgti_reduction_settle(fgti_reduction *r);

#endif
