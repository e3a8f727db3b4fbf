/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_SUMS_H
#define FGTI_RECURRENT_SUMS_H

/* Gradients of small weights, computed block by block. When a block of sequences has gone back through all
 * its steps, da is still in the second cache. There it is multiplied with x and h, the operands of W and U.
 * Products of all rows would read da four times from the third cache.
 *
 * The blocks of a direction are split into chunks, whose number depends only on the sizes. Each chunk sums up
 * its own gradients, in the memory of h_in. Then the sums are added in the order of the chunks. */

#include "nn/recurrent/recurrent_pass.h"

/* Returns the number of chunks of a direction of the current layer. 0: the gradients of this layer are
 * products of all rows. */
int64_t fgti_recurrent_chunks(const fgti_recurrent_pass *p, int64_t blocks);
/* Returns whether a block also computes dx. */
bool fgti_recurrent_sums_dx(const fgti_recurrent_pass *p);

/* Adds the contribution of `rows` rows of da to the sums of a chunk. `first` is the number of the first of
 * these rows; fresh: they are the first rows of the chunk. start [..,H] has the states before the first step
 * of the sequences of these rows. dx [R,width]; NULL: not wanted. arena: a worker's whole arena. */
void fgti_recurrent_sums_add(const fgti_recurrent_pass *p, int64_t d, int64_t chunk, bool fresh,
                             int64_t first, int64_t rows, const fgti_real *start, fgti_real *arena,
                             fgti_real *dx);

/* Adds the sums of all chunks of a direction to the gradients of W and U; writes the sum for db, [slots]. */
void fgti_recurrent_sums_end(const fgti_recurrent_pass *p, int64_t d, int64_t chunks, fgti_real *db);

#endif
