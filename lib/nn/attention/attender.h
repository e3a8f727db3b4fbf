/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENDER_H
#define FGTI_ATTENDER_H

/* What a layer computes from queries, keys and values, once their projections are done: one or more products
 * with the attention matrix A of a head,
 *     O_i = A X_i,   X_{i+1} = O_i,  or  Y_i += O_i and X_{i+1} = Y_i            i = 0 .. products-1
 * With one product that is the context A V of multi-head attention. With kappa-1 of them it is the sum over
 * the powers of A of a Fighter layer: by Horner's rule (Y_i = X W_m before), or over the input
 * (Z_i = A Z_{i-1}).
 *
 * An attender is one way to define A. A further one (attention to selected or hashed keys, auto-correlation)
 * is a file with an fgti_attender and a line in attender.c. Layers use the three functions at the end of this
 * header and know nothing else about it. */

#include "nn/attention/attention_core.h"

/* The rows of one product, group and head: at p + product*i + group*g + head*h, at distance ld. */
typedef struct fgti_span {
    fgti_real *p;
    int64_t    ld, group, head, product;
} fgti_span;

typedef struct fgti_chain {
    const struct fgti_attender *attender;
    fgti_attention              attention;
    int64_t                     products, n; /* n: columns of one head */
    fgti_span                   x;           /* X_0 */
    fgti_span                   y;           /* p NULL: there is none */
    fgti_span                   o;
    /* backward */
    fgti_span dx;  /* of X_0; overwritten */
    fgti_span dy;  /* of Y_i, or of O_i when there is no Y */
    bool      add; /* dX_i for i > 0 holds a part already */
    fgti_span dq, dk;
} fgti_chain;

typedef struct fgti_attender {
    const char *name;
    /* Takes from a cache what the forward pass leaves for the others; base == NULL only counts. c holds the
     * sizes and attention.matrices. two: see fgti_attention_place(). */
    void (*place)(fgti_chain *c, bool two, fgti_real *base, int64_t *at);
    /* Elements of a worker's arena for any of the functions below. */
    int64_t (*arena)(const fgti_chain *c);
    /* One group and head. Forward: all O_i and Y_i. Backward: dX_0, dQ and dK. With n = 0 columns, forward
     * only prepares what `matrices` needs. */
    void (*forward)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);
    void (*backward)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);
    /* A of one group and head, [tq,tk]. */
    void (*matrix)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, fgti_real *a);
} fgti_attender;

/* The attenders by number; NULL: there is none of that number. */
enum { FGTI_ATTENDER_FULL };
const fgti_attender *fgti_attender_get(int32_t number);

extern const fgti_attender fgti_attender_full; /* each query sees all keys that no mask hides */

/* All groups and heads, shared among the workers. fgti_attend_matrices: a is [groups,heads,tq,tk]. */
void fgti_attend_forward(const fgti_chain *c, const fgti_io *io);
void fgti_attend_backward(const fgti_chain *c, const fgti_io *io);
void fgti_attend_matrices(const fgti_chain *c, const fgti_io *io, fgti_real *a);

#endif
