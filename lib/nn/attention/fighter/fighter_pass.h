/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIGHTER_PASS_H
#define FGTI_FIGHTER_PASS_H

/* Functions that the routes of the Fighter layer share. The layer is
 *     X' = norm(x);  Q = X'Wq' + bq;  K = X'Wk' + bk;  A = softmax(Q K'/sqrt(dh) + masks);
 *     u = sum_{f<=i<kappa} A^i X' W_i + b;  v = u Wo' + bo;  y = [x or X' +] skip(dropout(act(v)))
 * Each route computes u and its gradient in its own way. Without `project` v is u. The routes always multiply
 * with kappa blocks W_i; for i < f the block is zero. */

#include "nn/attention/attender/attender.h"
#include "nn/fold.h"
#include "nn/projection.h"
#include "nn/rows.h"

/* Numbers of the parameters in the layer. A number is -1 if the options leave the parameter out. */
typedef struct fgti_fighter_params {
    int wq, bq, wk, bk, hop, bias, norm_w, norm_b, wo, bo;
} fgti_fighter_params;

/* The state of a pass on any route. */
typedef struct fgti_fighter_pass {
    const fgti_run         *run;
    const fgti_layer       *l;
    const fgti_io          *io;
    const fgt_fighter_opts *o;
    fgti_fighter_params     param;
    int64_t                 rows, d, h;
    fgti_real              *x;           /* X' [R,D]: with a norm in the cache, otherwise the input itself */
    fgti_real              *mean, *rstd; /* in the cache, if there is a norm: [R] */
    fgti_real              *u, *du;      /* the sum over the powers of A, and its gradient: [R,H], with rows
                                          * at distance ldu */
    int64_t                 ldu;
    fgti_real              *joined, *v;   /* in the cache, with `project`: u and v [R,H] */
    fgti_real              *djoined, *dv; /* in scratch: gradients of joined and v */
    fgti_tail               tail;
    fgti_chain              chain;
} fgti_fighter_pass;

/* A route. Its functions do what the functions of fgti_class with these names do; matrices() writes A
 * [groups,heads,T,T] of the last pass. */
typedef struct fgti_fighter_route {
    void (*size)(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need);
    fgt_status (*forward)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    fgt_status (*backward)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    fgt_status (*matrices)(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_real *a);
    void (*prepare)(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread);
    fgt_status (*step)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    /* Adds what a step needs on this route, in addition to fgti_fighter_step_size(). NULL: it needs nothing
     * more. */
    void (*step_size)(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need);
} fgti_fighter_route;

extern const fgti_fighter_route fgti_fighter_affine, fgti_fighter_short, fgti_fighter_chain;

/* Return whether K = Q, from one projection; and the number of columns of Q and K together. */
bool    fgti_fighter_shares_keys(const fgt_fighter_opts *o);
int64_t fgti_fighter_query_columns(const fgt_fighter_opts *o);

/* fgti_fighter_set() sets the sizes, for planning. fgti_fighter_open() opens a pass: it sets everything that
 * does not depend on the route, and checks the masks. */
void       fgti_fighter_set(fgti_fighter_pass *p, const fgti_layer *l, int64_t batch, fgti_shape in);
fgt_status fgti_fighter_open(fgti_fighter_pass *p, const fgti_run *run, const fgti_layer *l,
                             const fgti_io *io);
/* fgti_fighter_columns() returns the number of columns of [Q K P_0 .. P_{powers-1}]. fgti_fighter_set_fold()
 * sets the sizes of a predictor's fold into these columns (nn/fold.h). */
int64_t fgti_fighter_columns(const fgt_fighter_opts *o, int64_t powers);
void    fgti_fighter_set_fold(const fgti_fighter_pass *p, fgti_fold *fold);
/* Fills the fold. Element (n,d) of W is w[n*rsw + d*csw], and b is for the first `biased` columns. */
void fgti_fighter_fold(const fgti_fighter_pass *p, const fgti_fold *fold, const fgti_real *w, int64_t rsw,
                       int64_t csw, const fgti_real *b, int64_t biased, fgti_real *scratch);
/* Takes X' and the statistics of the norm from the cache. */
void fgti_fighter_place_norm(fgti_fighter_pass *p, fgti_real *base, int64_t *at);
/* If `project` is set, fgti_fighter_place_joined() takes the joined heads and v from the cache. Their
 * gradients are taken from a scratch, by fgti_fighter_place_joined_gradients(). */
void fgti_fighter_place_joined(fgti_fighter_pass *p, fgti_real *base, int64_t *at);
void fgti_fighter_place_joined_gradients(fgti_fighter_pass *p, fgti_real *base, int64_t *at);

/* ---- all rows, distributed over the workers ---- */

void fgti_fighter_norm(const fgti_fighter_pass *p);      /* X' = norm(x), if there is a norm */
void fgti_fighter_tail(const fgti_fighter_pass *p);      /* y from u */
void fgti_fighter_tail_grad(const fgti_fighter_pass *p); /* du from dy */
/* Computes dx and the gradients of the norm from dX', which is in `dx`. Without a norm `dx` is io->dx. */
void fgti_fighter_norm_grad(const fgti_fighter_pass *p, fgti_real *dx);

/* ---- some rows, on this thread ---- */

/* Computes y from u, without the map Wo: u takes the place of v. */
void fgti_fighter_tail_rows(const fgti_fighter_pass *p, int64_t row, int64_t rows);
/* Computes skip(dropout(dy)) of some rows. If nothing is dropped, returns a pointer into dy; otherwise writes
 * the rows to `to` and returns `to`. */
const fgti_real *fgti_fighter_drop_rows(const fgti_fighter_pass *p, int64_t row, int64_t rows, fgti_real *to);

static inline bool fgti_fighter_has_residual(const fgti_fighter_pass *p)
{
    return p->o->residual && p->d == p->h;
}
/* Whether the residual is X' and differs from x, for an input of width d. */
static inline bool fgti_fighter_adds_normed(const fgt_fighter_opts *o, int64_t d)
{
    return o->residual && o->norm_residual && o->norm && o->out == d;
}

/* For `prepare`: records with `queries` that no pass reads the weights of queries and keys any more, and with
 * `hops` the same for the W_i and the bias. */
void fgti_fighter_set_unread(const fgti_fighter_pass *p, bool queries, bool hops, bool *unread);

/* ---- Q, K and, if powers > 0, all P_i = X' W_i as one product, [Q K P_0 .. P_{powers-1}] ---- */

/* Sets the sizes of the projection. powers: kappa, or 0. */
void fgti_fighter_set_projection(const fgti_fighter_pass *p, int64_t powers, fgti_projection *proj);
/* Sets W = [Wq' Wk' W_0 ..] and b = [bq bk bias]. fgti_fighter_gather() does this only if the weights have
 * changed. */
void fgti_fighter_fill_projection(const fgti_fighter_pass *p, int64_t powers, const fgti_projection *proj);
void fgti_fighter_gather(const fgti_fighter_pass *p, int64_t powers, const fgti_projection *proj);
/* Adds the gradients of W and b to the gradients of the parameters. */
void fgti_fighter_scatter(const fgti_fighter_pass *p, int64_t powers, const fgti_projection *proj);

#endif
