/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PLACEMENT_H
#define FGTI_PLACEMENT_H

/* Tensors that are not needed at the same time share memory. A chain of layers of any length needs two
 * buffers for its values in prediction and two for its gradients in training; a residual path needs one
 * more. */

#include <stdbool.h>

#include "core/size.h"

/* A tensor is needed from step `first` to step `last`, both included. */
typedef struct fgti_life {
    int64_t  first, last, size;
    int64_t  buffer; /* out */
    int64_t *place;  /* where the tensor's offset is stored; may be NULL */
} fgti_life;

/* Gives each of n tensors, sorted by `first`, one of a few buffers; tensors that overlap in time get
 * different ones. size becomes the buffers' sizes; returns their number, at most n. busy is scratch; both
 * have n elements. */
int64_t fgti_place(int64_t n, fgti_life *life, int64_t *size, int64_t *busy);

#endif
