/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIGHTER_SHORT_H
#define FGTI_FIGHTER_SHORT_H

/* A Fighter layer on short series: one group after the other goes from the norm to the output, and back to
 * the gradients of the weights, while what belongs to it stays in the cache.
 *
 * What a head works on stands as [feature][token]: its queries, keys and the P_i below one another, so that
 * tokens are the lanes of the registers. In a product one operand must be so (fgti_vec_panels.multiply), the
 * other may stand as it likes: of all matrices of a layer only x, u, dy, K and dQ are ever turned. */

#include "nn/attention/attention_core.h"

/* Where the parameters stand in the slabs; without biases: bq -1. */
typedef struct fgti_short_params {
    int64_t wq, wk, hop, bq, bk, bias;
} fgti_short_params;

typedef struct fgti_short {
    const fgti_run       *run;
    const fgti_attention *at;
    int64_t               d, h, kappa;
    int64_t               n, head, columns; /* of a head: outputs, all of [Q K P_0 ..]; those of all heads */
    int64_t               padded, ldt, ldd; /* T in whole registers; distances of rows of T and of D */
    fgti_short_params     p;
    const fgti_real      *x;               /* [R,D], before the norm */
    const fgti_real      *norm_w, *norm_b; /* NULL: there is no norm */
    fgti_real            *mean, *rstd;     /* cache: [R] */
    fgti_real            *y;               /* cache: [groups][heads][head][ldt] */
    fgti_real            *version, *w, *b; /* kept: W' [columns][ldd], [columns], head by head */
    int64_t               chunks;          /* of dw and db; the sum goes to the first */
    fgti_real            *dw, *db;         /* scratch: as w and b */
    fgti_real            *dnorm;           /* scratch: [chunks][2][D], of w and b */
} fgti_short;

/* Sizes of the cache, of what is kept, of scratch and of a worker's arena; `base` places them. */
void    fgti_short_set(fgti_short *s, const fgti_attention *at, int64_t d, int64_t h, int64_t kappa);
int64_t fgti_short_cache(const fgti_short *s);
int64_t fgti_short_keep(fgti_short *s, fgti_real *base);
int64_t fgti_short_scratch(fgti_short *s, fgti_real *base);
int64_t fgti_short_arena(const fgti_short *s);

/* Puts W and b together, from the slab, if the weights have changed. */
void fgti_short_gather(const fgti_short *s, const fgti_real *weights);
/* Sums up the chunks and adds them to the slab, those of the norm to dnorm_w and dnorm_b; the workers' arenas
 * begins at `arena`. */
void fgti_short_scatter(const fgti_short *s, fgti_real *gradients, fgti_real *dnorm_w, fgti_real *dnorm_b,
                        fgti_real *arena, int64_t stride);

/* X' = norm(x) turned, which the heads of a group read (keep: mean and rstd too); then a head: its columns of
 * u into y [R,H]. */
void fgti_short_input(const fgti_short *s, int64_t g, bool keep, fgti_real *arena);
void fgti_short_forward(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *u);

/* From dy of a group, past dropout: dx (NULL: nobody asks) and what the group adds to the chunk's gradients.
 * fresh: it is the first group of the chunk. */
void fgti_short_backward(const fgti_short *s, fgti_act act, int64_t g, int64_t chunk, bool fresh,
                         const fgti_real *dy, fgti_real *arena, fgti_real *dx);

/* A of one group and head, [tq,tk], after a pass. */
void fgti_short_matrix(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *a);

#endif
