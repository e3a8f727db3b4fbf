/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PLACEMENT_H
#define FGTI_PLACEMENT_H

/* Tensors that are not needed at the same time share memory. In prediction a chain of layers of any length
 * needs two buffers for its values. In training it needs two more for its gradients. A residual path needs
 * one more buffer. */

#include <stdbool.h>

#include "core/size.h"

/* The time in which a tensor is needed: from step `first` to step `last`, both included. */
typedef struct fgti_life {
    int64_t  first, last, size;
    int64_t  buffer; /* result: number of the buffer */
    int64_t *place;  /* where the offset of the tensor is stored; NULL: not stored */
} fgti_life;

/* Gives a buffer to each of n tensors, which are sorted by `first`. Tensors that are needed at the same time
 * get different buffers. `size` becomes the sizes of the buffers. Returns the number of buffers, at most n.
 * busy is scratch. size and busy have n elements. */
int64_t fgti_place(int64_t n, fgti_life *life, int64_t *size, int64_t *busy);

#endif
