/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENDER_H
#define FGTI_ATTENDER_H

/* The computation of a layer from queries, keys and values, once their projections are done: one or more
 * products with the attention matrix A of a head,
 *     O_i = A X_i,   X_{i+1} = O_i,  or  Y_i += O_i and X_{i+1} = Y_i            i = 0 .. products-1
 * With one product that is the context A V of multi-head attention. With kappa-1 of them it is the sum over
 * the powers of A of a Fighter layer: by Horner's rule (Y_i = X W_m before), or over the input
 * (Z_i = A Z_{i-1}).
 *
 * An attender is one way to define A. A further one is a file with an fgti_attender and a line in attender.c.
 * Layers use the three functions at the end of this header and know nothing else about it. */

#include "nn/attention/attention_core.h"

/* The rows of one product, group and head, at distance ld; p is those of the first. A group has `group`
 * elements: if several lie side by side, ld is that of all of them. See fgti_span_rows(). */
typedef struct fgti_span {
    fgti_real *p;
    int64_t    ld, group, head, product;
} fgti_span;

/* Options of FGT_ATTENDER_PROB alone; attender_prob.c says what the letters are. */
typedef struct fgti_prob {
    int64_t        sampled, count, lanes; /* U; n; n as whole registers */
    const int32_t *given;                 /* [tq,U] by the host, or NULL */
    int32_t       *keys;                  /* [tq,U] drawn */
    int32_t       *chosen;                /* [groups,heads,n] */
    fgti_real     *a;                     /* [groups,heads,tk,lanes]: the chosen rows of A as columns */
} fgti_prob;

/* Options of FGT_ATTENDER_LSH alone; attender_lsh.c says what the letters are. */
typedef struct fgti_lsh {
    int64_t          bucket, rounds, padded; /* m; rounds; L */
    int64_t          digits, last;           /* of a bucket's number: before the last one; of that one */
    int64_t          columns;                /* of the rotations of a round */
    const fgti_real *given, *rotations;      /* [dh,rounds,columns]: by the host, or NULL; those that count */
    fgti_real       *drawn;
    int32_t         *order;          /* [groups,heads,rounds,L] */
    fgti_real       *shift, *factor; /* [groups,heads,tq]: A = exp(s - shift) factor */
} fgti_lsh;

/* Options of FGT_ATTENDER_CORRELATION alone; attender_correlation.c says what the letters are. */
typedef struct fgti_correlation {
    int64_t    count;  /* k */
    int32_t   *delays; /* [groups,k] */
    fgti_real *r;      /* [groups,tq] */
    fgti_real *w, *dr; /* [groups,k] */
} fgti_correlation;

/* Attention along the edges of a graph. */
typedef struct fgti_edges {
    fgti_real *soft; /* [groups,heads,edges]: A after the softmax */
} fgti_edges;

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
    /* of single attenders */
    bool             own_loops; /* full attention by full_short.c */
    int64_t          first;     /* with it: the group that dx, dy, dq and dk begin with */
    fgti_prob        prob;
    fgti_correlation correlation;
    fgti_lsh         lsh;
    fgti_edges       edges;
    const void      *constants; /* what `plan` made, or NULL */
} fgti_chain;

/* Of the first product. */
static inline fgti_real *fgti_span_rows(const fgti_chain *c, fgti_span s, int64_t g, int64_t h)
{
    const int64_t side = c->attention.side, beside = g % side;
    return s.p + (g - beside) * s.group + beside * (s.ld / side) + h * s.head;
}

/* Rows of product i. */
static inline fgti_real *fgti_span_rows_of(const fgti_chain *c, fgti_span s, int64_t g, int64_t h, int64_t i)
{
    return fgti_span_rows(c, s, g, h) + s.product * i;
}

/* Y_i, or O_i when there is no Y. */
static inline fgti_span fgti_chain_results(const fgti_chain *c)
{
    return c->y.p ? c->y : c->o;
}

/* X_i and its gradient, with their distances of rows. */
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

/* Y_i += O_i, if there is a Y: some rows, or all. */
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
    fgti_route  kept, streamed; /* of the layer "attention": with all matrices kept, and otherwise */
    bool        shared; /* K = Q, by one projection: dQ holds both gradients, dK is not used */
    bool        adds;   /* Y_i += A X_i at once: where there is a Y, O needs no memory */
    /* An option or mask which it cannot heed, in words, or NULL. Those of other attenders are refused before.
     * NULL: there is none. */
    const char *(*misfit)(const fgti_attention_conf *conf, const fgti_layer *l);
    /* Makes l->table, once the layer has its parameters. NULL: there are no constants. */
    fgt_status (*plan)(fgt_context *ctx, fgti_layer *l);
    /* As how many of n queries with a row of scores all of them cost. NULL: as all. */
    int64_t (*attending)(const fgti_attention_conf *conf, int64_t n);
    /* Takes from a cache what the forward pass leaves for the others; base == NULL only counts. See
     * fgti_attention_place(). */
    void (*place)(fgti_chain *c, fgti_real *base, int64_t *at);
    /* Elements of a worker's arena for any of the functions below. */
    int64_t (*arena)(const fgti_chain *c);
    /* Reads the masks that are its own, and refuses those it does not use. NULL: nothing to do. */
    fgt_status (*check)(fgti_chain *c);
    /* Once before the heads of a forward pass, or of a backward pass. NULL: nothing to do. */
    void (*prepare)(const fgti_chain *c, const fgti_io *io);
    void (*prepare_grad)(const fgti_chain *c, const fgti_io *io);
    /* One group and head. Forward: all O_i and Y_i. Backward: dX_0, dQ and dK; the rows of dy may be changed
     * if there is one product. With n = 0 columns, forward only prepares what `matrices` needs. scratch: the
     * worker's, for fgti_gemm_run(). */
    void (*forward)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch);
    void (*backward)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch);
    /* A of one group and head, [tq,tk]. */
    void (*matrix)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch, fgti_real *a);
} fgti_attender;

enum { FGTI_ATTENDERS = FGT_ATTENDER_LSH + 1, FGTI_ATTENDER_EDGES = FGTI_ATTENDERS };

/* The attenders by fgt_attender, or FGTI_ATTENDER_EDGES; NULL: no attender has that number. */
const fgti_attender *fgti_attender_get(int32_t number);

extern const fgti_attender fgti_attender_full; /* each query sees all keys that no mask hides */
extern const fgti_attender fgti_attender_prob; /* a few queries do, the others take a mean */
extern const fgti_attender fgti_attender_correlation; /* all see the keys at the same few distances */
extern const fgti_attender fgti_attender_lsh; /* each sees keys that are hashed like itself */
extern const fgti_attender fgti_attender_edges; /* each sees itself and its neighbours in a graph */

/* For the layers that may have a graph. plan: makes l->graph of the graph in the options, *graph, which
 * becomes the same: its edges, and one from each token to itself, all weights 1. NULL: nothing to do. shape:
 * for fgti_class.shape. keys: how many a query sees, in the mean of all queries. */
fgt_status fgti_edges_plan(fgt_context *ctx, fgti_layer *l, const fgt_graph **graph);
fgt_status fgti_edges_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out);
double     fgti_edges_keys(const fgti_layer *l, int64_t keys);

/* FGT_E_ARG an option or mask that does not go with the attender. misfit: one that the layer has found, in
 * words, or NULL. */
fgt_status fgti_attender_check_layer(fgti_error *err, const fgti_attention_conf *conf, const fgti_layer *l,
                                     const char *misfit);

/* For attenders that do not compute the scores of all pairs. fgti_attender_misfit: the first of the options
 * and masks that act on them, in words, or NULL. fgti_attender_check_masks: FGT_E_UNSUPPORTED if the model
 * has such a mask for all its layers; `heeds`: the masks that the attender reads, in words. */
const char *fgti_attender_misfit(const fgti_attention_conf *conf, const fgti_layer *l);
fgt_status  fgti_attender_check_masks(const fgti_chain *c, const char *heeds);

/* Checks what the attender reads, once c->attention is filled. */
fgt_status fgti_attend_check(fgti_chain *c);
/* Begins a forward pass; fgti_attend_forward() does so itself. */
void fgti_attend_prepare(const fgti_chain *c, const fgti_io *io);
/* All groups and heads, shared among the workers. fgti_attend_matrices: a is [groups,heads,tq,tk]. */
void fgti_attend_forward(const fgti_chain *c, const fgti_io *io);
void fgti_attend_backward(const fgti_chain *c, const fgti_io *io);
void fgti_attend_matrices(const fgti_chain *c, const fgti_io *io, fgti_real *a);

/* Integers lie in memory for numbers, which are no smaller. */
static inline int32_t *fgti_take_integers(fgti_real *base, int64_t *at, int64_t n)
{
    return (int32_t *)(void *)fgti_take(base, at, n);
}

#endif
