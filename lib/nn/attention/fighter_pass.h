/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIGHTER_PASS_H
#define FGTI_FIGHTER_PASS_H

/* What a pass of the fighter layer works on: sizes, memory, and how the parameters stand side by side. */

#include "nn/attention/attention_chain.h"
#include "nn/attention/fighter_short.h"
#include "nn/graph/multihop.h"
#include "nn/projection.h"

/* Numbers of the parameters; -1 where the options leave one out. */
typedef struct fgti_fighter_params {
    int wq, bq, wk, bk, hop, bias, norm_w, norm_b;
} fgti_fighter_params;

fgti_fighter_params fgti_fighter_params_of(const fgt_fighter_opts *o);

/* Everything a pass and its tasks know. One product makes [Q K P_0 .. P_{kappa-1}] with P_i = X' W_i; the
 * hops then run over its columns by Horner's rule. When they propagate there are no P_i and multihop.h makes
 * the ends. */
typedef struct fgti_fighter_pass {
    const fgti_run         *run;
    const fgti_layer       *l;
    const fgti_io          *io;
    const fgt_fighter_opts *o;
    int64_t                 rows, d, h, split; /* split: columns before P_0 */
    bool                    is_short;          /* brief, the norm and the tail are all of it */
    fgti_short              brief;
    fgti_real              *x, *mean, *rstd; /* cache: X' [R,D] and the statistics [R], with norm */
    fgti_real              *hops;            /* cache: O_i [kappa-1,R,H], or that of multihop.h */
    fgti_real              *dx, *dhops;      /* scratch: of X', with norm; of the above */
    fgti_projection         proj;
    fgti_chain              chain;
    fgti_multihop           ends;
    fgti_real              *u, *du; /* before the activation, [R,H] at distance ldu */
    int64_t                 ldu;
    double                  dropout; /* 0 outside training */
    fgti_rng                rng;
} fgti_fighter_pass;

void       fgti_fighter_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need);
fgt_status fgti_fighter_open(fgti_fighter_pass *j, const fgti_run *run, const fgti_layer *l,
                             const fgti_io *io, bool backward);

/* Room for dy of one group past dropout, in a arena's memory, behind that of fgti_short. */
fgti_real *fgti_fighter_dropped(const fgti_fighter_pass *j, fgti_real *arena);

/* W = [Wq' Wk' W_0 .. W_{kappa-1}], b = [bq bk bias] */
void fgti_fighter_gather(const fgti_fighter_pass *j);
/* Adds the gradients of columns `first` and up of W and b to those of the parameters. */
void fgti_fighter_scatter(const fgti_fighter_pass *j, int64_t first);

#endif
