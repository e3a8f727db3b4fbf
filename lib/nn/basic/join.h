/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_JOIN_H
#define FGTI_JOIN_H

/* Layers that read several inputs row by row. Row (b,n,t) of the output is computed from row (b,n,t) of each
 * input. An input with fewer nodes or tokens is repeated. */

#include "nn/layer.h"

typedef struct fgti_join fgti_join;

/* Computes one row: in forward y = f(x_k) or y += f(x_k), in backward dx_k += f'(dy). */
typedef void (*fgti_join_fn)(const fgti_join *j, int32_t k, fgti_real *x, fgti_real *y);

struct fgti_join {
    const fgti_run   *run;
    const fgti_layer *l;
    const fgti_io    *io;
    fgti_join_fn      row;
};

/* Calls row() for every input k and every row of y, in the order of the inputs. The workers share the
 * samples. */
void fgti_join_forward(const fgti_join *j);
/* Calls row() for the gradient of each input whose gradient is wanted. The gradient is zero before the first
 * call. */
void fgti_join_backward(const fgti_join *j);

#endif
