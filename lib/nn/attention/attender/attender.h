/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENDER_H
#define FGTI_ATTENDER_H

/* How a layer computes from queries, keys and values, after their projections. It computes one or more
 * products with the attention matrix A of a head,
 *     O_i = A X_i,   X_{i+1} = O_i,  or  Y_i += O_i and X_{i+1} = Y_i            i = 0 .. products-1
 * One product gives the context A V of multi-head attention. A Fighter layer takes kappa-1 products, which
 * give the sum over the powers of A: by Horner's rule (Y_i = X W_m at the start), or over the input (Z_i = A
 * Z_{i-1}).
 *
 * An attender is one definition of A. A new attender is a file with an fgti_attender, and a line in
 * attender_table.c. Layers call the functions of attender_table.c. */

#include "nn/attention/attention_core.h"

/* The rows of one matrix for all products, groups and heads. p is the first row, and rows are at distance ld.
 * A group has `group` elements. If several groups lie side by side, a row of ld elements holds one row of
 * each of them. See fgti_span_rows(). */
typedef struct fgti_span {
    fgti_real *p;
    int64_t    ld, group, head, product;
} fgti_span;

/* Only for FGT_ATTENDER_PROB; attender_prob.c defines the letters. */
typedef struct fgti_prob {
    int64_t        sampled, count, lanes; /* U; n; n rounded up to whole registers */
    const int32_t *given;                 /* the mask [tq,U] that the host has set, or NULL */
    int32_t       *keys;                  /* [tq,U], drawn if the host has set no mask */
    int32_t       *chosen;                /* [groups,heads,n] */
    fgti_real     *a;                     /* [groups,heads,tk,lanes]: the chosen rows of A as columns */
} fgti_prob;

/* Only for FGT_ATTENDER_LSH; attender_lsh.c defines the letters. */
typedef struct fgti_lsh {
    int64_t          bucket, rounds, padded; /* m; rounds; L */
    int64_t          digits, last;           /* the number of a bucket has `digits` digits, and one more of
                                              * size `last` */
    int64_t          columns;                /* columns of the rotations of a round */
    const fgti_real *given, *rotations;      /* [dh,rounds,columns]. given: from the host, or NULL; rotations:
                                              * those that are used */
    fgti_real       *drawn;
    int32_t         *order;          /* [groups,heads,rounds,L] */
    fgti_real       *shift, *factor; /* [groups,heads,tq]: A = exp(s - shift) factor */
} fgti_lsh;

/* Only for FGT_ATTENDER_CORRELATION; attender_correlation.c defines the letters. */
typedef struct fgti_correlation {
    int64_t    count;  /* k */
    int32_t   *delays; /* [groups,k] */
    fgti_real *r;      /* [groups,tq] */
    fgti_real *w, *dr; /* [groups,k] */
} fgti_correlation;

/* Only for attention along the edges of a graph. */
typedef struct fgti_edges {
    fgti_real *soft; /* [groups,heads,edges]: A after the softmax */
} fgti_edges;

typedef struct fgti_chain {
    const struct fgti_attender *attender;
    fgti_attention              attention;
    int64_t                     products, n; /* n: columns of one head */
    fgti_span                   x;           /* X_0 */
    fgti_span                   y;           /* if p is NULL, there is no Y */
    fgti_span                   o;
    /* backward */
    fgti_span dx;  /* gradient of X_0; overwritten */
    fgti_span dy;  /* gradient of Y_i, or of O_i if there is no Y */
    bool      add; /* for i > 0, dX_i already holds a part of its sum, to which backward adds */
    fgti_span dq, dk;
    /* for some attenders only */
    bool             own_loops; /* the loops of full_short.c compute full attention */
    int64_t          first;     /* if own_loops: dx, dy, dq and dk begin with this group */
    fgti_prob        prob;
    fgti_correlation correlation;
    fgti_lsh         lsh;
    fgti_edges       edges;
    const void      *constants; /* made by `plan`, or NULL */
} fgti_chain;

/* Returns the rows of the first product. */
static inline fgti_real *fgti_span_rows(const fgti_chain *c, fgti_span s, int64_t g, int64_t h)
{
    const int64_t side = c->attention.side, beside = g % side;
    return s.p + (g - beside) * s.group + beside * (s.ld / side) + h * s.head;
}

/* Returns the rows of product i. */
static inline fgti_real *fgti_span_rows_of(const fgti_chain *c, fgti_span s, int64_t g, int64_t h, int64_t i)
{
    return fgti_span_rows(c, s, g, h) + s.product * i;
}

/* Returns the matrices Y_i, or O_i if there is no Y. */
static inline fgti_span fgti_chain_results(const fgti_chain *c)
{
    return c->y.p ? c->y : c->o;
}

/* Return the rows of X_i, and of its gradient, and set *ld to their distance. */
static inline fgti_real *fgti_chain_input(const fgti_chain *c, int64_t g, int64_t h, int64_t i, int64_t *ld)
{
    const fgti_span s = i == 0 ? c->x : fgti_chain_results(c);
    *ld               = s.ld;
    return fgti_span_rows_of(c, s, g, h, i ? i - 1 : 0);
}
static inline fgti_real *fgti_chain_input_gradient(const fgti_chain *c, int64_t g, int64_t h, int64_t i,
                                                   int64_t *ld)
{
    const fgti_span s = i == 0 ? c->dx : c->dy;
    *ld               = s.ld;
    return fgti_span_rows_of(c, s, g, h, i ? i - 1 : 0);
}

/* Y_i += O_i for some rows (fgti_chain_add_rows) or for all rows (fgti_chain_add). Without Y they do
 * nothing. */
static inline void fgti_chain_add_rows(const fgti_chain *c, int64_t g, int64_t h, int64_t i, int64_t row,
                                       int64_t rows)
{
    if (c->y.p)
        c->attention.run->vec->panels->add_rows(
            rows, c->n, fgti_span_rows_of(c, c->o, g, h, i) + row * c->o.ld, c->o.ld,
            fgti_span_rows_of(c, c->y, g, h, i) + row * c->y.ld, c->y.ld);
}
static inline void fgti_chain_add(const fgti_chain *c, int64_t g, int64_t h, int64_t i)
{
    fgti_chain_add_rows(c, g, h, i, 0, c->attention.tq);
}

typedef struct fgti_attender {
    const char *name;
    fgti_route  kept, streamed; /* routes that the layer "attention" reports: `kept` if all matrices A are
                                 * kept, otherwise `streamed` */
    bool        shared; /* K is Q, from one projection: dQ holds the gradients of both, and dK is not used */
    bool        adds;   /* Y_i += A X_i is computed directly, so if there is a Y, O needs no memory */
    /* Returns an option or mask that the attender does not support, in words, or NULL. The options that
     * belong to other attenders were refused before. NULL: the attender supports all others. */
    const char *(*misfit)(const fgt_attention_rule *conf, const fgti_layer *l);
    /* Makes l->table, the constants, after the layer has its parameters. NULL: no constants. */
    fgt_status (*plan)(fgt_context *ctx, fgti_layer *l);
    /* Returns the cost of all n queries of this attender, as a number of queries that each see all keys.
     * NULL: n. */
    int64_t (*attending)(const fgt_attention_rule *conf, int64_t n);
    /* Takes memory from a cache for the results of the forward pass that the other functions read. With base
     * == NULL the function only counts. See fgti_attention_place(). */
    void (*place)(fgti_chain *c, fgti_real *base, int64_t *at);
    /* Returns the elements of a worker's arena, enough for each of the functions below. */
    int64_t (*arena)(const fgti_chain *c);
    /* Reads the masks of this attender, and refuses masks that it does not use. NULL: nothing to do. */
    fgt_status (*check)(fgti_chain *c);
    /* Called once before the heads of a forward or a backward pass. NULL: nothing to do. */
    void (*prepare)(const fgti_chain *c, const fgti_io *io);
    void (*prepare_grad)(const fgti_chain *c, const fgti_io *io);
    /* Each call computes one group g and head h. forward() computes all O_i and Y_i; with n = 0 columns it
     * only prepares for matrix(). backward() computes dX_0, dQ and dK. If there is one product, backward()
     * may change the rows of dy. scratch: the worker's scratch, for fgti_gemm_run(). */
    void (*forward)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch);
    void (*backward)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch);
    /* Writes A [tq,tk] of one group and head. */
    void (*matrix)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch, fgti_real *a);
} fgti_attender;

enum { FGTI_ATTENDERS = FGT_ATTENDER_LSH + 1, FGTI_ATTENDER_EDGES = FGTI_ATTENDERS };

/* Returns a copy of a layer's rule. If the rule has a graph, the copy's attender is FGTI_ATTENDER_EDGES. */
static inline fgt_attention_rule fgti_attender_rule(const fgt_attention_rule *rule)
{
    fgt_attention_rule r = *rule;
    if (r.graph) r.attender = FGTI_ATTENDER_EDGES;
    return r;
}

extern const fgti_attender fgti_attender_full; /* each query sees all keys that no mask hides */
extern const fgti_attender fgti_attender_prob; /* a few queries see all keys, the other queries take a mean */
extern const fgti_attender fgti_attender_correlation; /* all queries see the keys at the same few distances */
extern const fgti_attender fgti_attender_lsh; /* a query sees the keys with hashes like its own */
extern const fgti_attender fgti_attender_edges; /* a query sees itself and its neighbours in a graph */

/* For attenders that do not compute the scores of all pairs. fgti_attender_misfit() returns the first option
 * or mask that acts on such scores, in words, or NULL. fgti_attender_check_masks() returns FGT_E_UNSUPPORTED
 * if the model has such a mask for all its layers. `heeds`: the masks that the attender reads, in words. */
const char *fgti_attender_misfit(const fgt_attention_rule *conf, const fgti_layer *l);
fgt_status  fgti_attender_check_masks(const fgti_chain *c, const char *heeds);

/* Checks the masks of the attender, after c->attention is filled. */
fgt_status fgti_attend_check(fgti_chain *c);
/* Begins a forward pass; fgti_attend_forward() calls it itself. */
void fgti_attend_prepare(const fgti_chain *c, const fgti_io *io);
/* The passes over all groups and heads, distributed over the workers. fgti_attend_matrices() writes a
 * [groups,heads,tq,tk]. */
void fgti_attend_forward(const fgti_chain *c, const fgti_io *io);
void fgti_attend_backward(const fgti_chain *c, const fgti_io *io);
void fgti_attend_matrices(const fgti_chain *c, const fgti_io *io, fgti_real *a);

/* Takes memory for n integers from an array of fgti_real, whose elements are at least as large as
 * integers. */
static inline int32_t *fgti_take_integers(fgti_real *base, int64_t *at, int64_t n)
{
    return (int32_t *)(void *)fgti_take(base, at, n);
}

#endif
