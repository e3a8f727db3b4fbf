/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MULTIHOP_H
#define FGTI_MULTIHOP_H

/* Y[:, columns of head a] = sum_{f<=i<kappa} A_a^i X W_i[:, columns of a], computed without a power of A.
 * There are two orders. The last column is the flops of a product with A for one group:
 *     over outputs:  U_i = X W_i + A U_{i+1} from i = kappa-1 down (Horner), Y = U_0       2 T^2 H
 *     over inputs:   Z_i = A_a Z_{i-1}, Z_0 = X, Y = sum_i Z_i W_i                         2 T^2 heads D
 * The layer decides once which order it uses: over inputs if heads D < H. The graph layer uses all functions
 * below, with one head and a fixed A. The Fighter layer has its products with A in attender.h. With the order
 * over inputs it uses the functions "before" and "after" of this file, and no others.
 *
 * Rows are [groups,tokens,side]: `side` rows of a token are next to each other, as the times of a node are in
 * [B,N,T,D]. A multiplies all of these rows at once, as one wide row. */

#include "nn/graph/graph_matrix.h"
#include "nn/layer.h"

typedef struct fgti_multihop {
    const fgti_run  *run;
    int64_t          groups, tokens, side, d, h, heads, kappa;
    int64_t             first; /* f, the first power in the sum; 0 if the order is over outputs */
    bool             over_inputs;
    bool                adds; /* backward adds the gradient of x to dx; false: it overwrites dx */
    fgti_graph_matrix   a;
    const fgti_real *x, *w; /* [R,D], [kappa-f,D,H] */
    fgti_real          *u;     /* over outputs [kappa,R,H], over inputs [R,H]. The first [R,H] is Y */
    fgti_real          *z;     /* over inputs: Z_1, Z_2 .., [kappa-1,heads,R,D] */
    fgti_real          *du;    /* gradient of u, in the layout of u. The caller fills the first [R,H] */
    fgti_real          *dz;    /* over inputs: gradients of Z_0, Z_1 .., [kappa,heads,R,D] */
} fgti_multihop;

static inline bool fgti_multihop_prefers_inputs(int64_t heads, int64_t d, int64_t h)
{
    return fgti_mul(heads, d) < h;
}

/* Place u and z, which are valid from forward to backward, and du and dz. The caller has set the sizes in m.
 * With base == NULL the functions only count. */
void fgti_multihop_place(fgti_multihop *m, int64_t rows, fgti_real *base, int64_t *at);
void fgti_multihop_place_gradients(fgti_multihop *m, int64_t rows, fgti_real *base, int64_t *at);

/* Forward calls the functions "before", "hops" and "after", in this order. Backward calls its functions in
 * the order in which they are declared. */
void fgti_multihop_before(const fgti_multihop *m);
void fgti_multihop_hops(const fgti_multihop *m);
void fgti_multihop_after(const fgti_multihop *m);

void fgti_multihop_grad_before(const fgti_multihop *m);
void fgti_multihop_grad_hops(const fgti_multihop *m);
/* dA [tokens,tokens] += the gradient from the products: the sum over groups of dU_i U_{i+1}', or of dZ_i
 * Z_{i-1}' */
void fgti_multihop_grad_adjacency(const fgti_multihop *m, fgti_real *da);
/* Adds to dw, and sets dx, or adds to dx with `adds`. dx NULL: not wanted. */
void fgti_multihop_grad_after(const fgti_multihop *m, fgti_real *dw, fgti_real *dx);

/* y = A x or A'x, each [R,n] */
void fgti_multihop_multiply(const fgti_multihop *m, bool transposed, int64_t n, const fgti_real *x,
                            fgti_real *y);

#endif
