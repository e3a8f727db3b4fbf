/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHORT_HEAD_H
#define FGTI_SHORT_HEAD_H

/* The arithmetic of a Fighter layer for one group and head of short series, with all matrices in the cache.
 *
 * The data of a head is stored as [feature][token]: its queries, its keys and the P_i = X' W_i below one
 * another. So tokens are the lanes of the registers. A product needs one operand in this form, and takes the
 * other operand in any order (fgti_vec_panels.multiply). So only x, u, dy, K and dQ are transposed. */

#include "nn/attention/attention_core.h"

typedef struct fgti_short {
    const fgti_run       *run;
    const fgti_attention *attention;
    int64_t               d, h, kappa;
    int64_t               n, head, columns; /* n: outputs of a head; head: columns of [Q K P_0 ..] of a head;
                                             * columns: of all heads */
    int64_t               queries, keys;    /* queries and keys of the group: T, or fewer after
                                             * fgti_short_trim() */
    int64_t               padded, ldt, ldd; /* padded: number of queries, rounded up to whole registers;
                                             * ldt, ldd: row distances of [..][token] and of [..][D] */
    int64_t               chunks;           /* number of chunks of groups; each chunk adds to its own
                                             * gradients */
    const fgti_real      *x;                /* input [R,D], before the norm */
    const fgti_real      *norm_w, *norm_b;  /* NULL: no norm */
    fgti_real            *mean, *rstd;      /* cache: [R] */
    fgti_real            *y;                /* cache: [groups][heads][head][ldt] */
    const fgti_real      *added;            /* backward: a further gradient of X' [R,D], which is added; NULL:
                                             * there is no such gradient */
    fgti_real            *w, *b;            /* kept from pass to pass: W' [columns][ldd] and b [columns], head
                                             * by head */
    fgti_real            *dw, *db;          /* scratch: gradients of w and b, for each chunk */
    fgti_real            *dnorm;            /* scratch: [chunks][2][D], gradients of norm_w and norm_b */
    /* If a map is folded into the weights (nn/fold.h), x and d are for the map's input z, and b is q: */
    fgti_real       *table; /* kept from pass to pass: S' [columns][ldtable]; NULL: no map is folded */
    int64_t          tokens, ldtable, width;
    const fgti_real *wide; /* x [R,width], for rstd; NULL: no norm */
} fgti_short;

/* fgti_short_set() sets the sizes. The other two functions return the elements of the cache and of a worker's
 * arena. */
void    fgti_short_set(fgti_short *s, const fgti_attention *attention, int64_t d, int64_t h, int64_t kappa);
int64_t fgti_short_cache(const fgti_short *s);
int64_t fgti_short_arena(const fgti_short *s);

/* Returns the number of tokens of a group up to the last one that is not padding; no query sees the tokens
 * after it. Returns T if all tokens are padding. */
int64_t fgti_short_live(const fgti_short *s, int64_t g);
/* Returns a copy of s for fewer queries and keys, in the same cache. */
fgti_short fgti_short_trim(const fgti_short *s, int64_t queries, int64_t keys);

/* Writes X' = norm(x), transposed, to the arena, for the heads of a group. keep: also stores mean and rstd in
 * the cache. */
void fgti_short_input(const fgti_short *s, int64_t g, bool keep, fgti_real *arena);
/* Computes one head, and writes its columns of u [R,H]. */
void fgti_short_forward(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *u);

/* The backward pass of one group, from dropout(dy). It writes dx (NULL: not wanted) and adds to the gradients
 * of the chunk. fresh: this is the first group of the chunk. A trimmed s must have as many queries as keys,
 * and dy must be 0 for the tokens that are trimmed. */
void fgti_short_backward(const fgti_short *s, fgti_act act, int64_t g, int64_t chunk, bool fresh,
                         const fgti_real *dy, fgti_real *arena, fgti_real *dx);

/* Writes A [T,T] of one group and head, after a pass. */
void fgti_short_matrix(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *a);

#endif
