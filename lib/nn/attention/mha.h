/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MHA_H
#define FGTI_MHA_H

/* Multi-head attention with its projections into and out of the heads:
 *     Q,K,V = x Win' + bin;   c = A V, by an attender;   y = c Wout' + bout, or c.
 * The layers "attention" and "transformer" share this code. */

#include "nn/affine_pack.h"
#include "nn/attention/attender/attender.h"

/* The options of multi-head attention that a layer sets. */
typedef struct fgti_mha_conf {
    int64_t             heads;       /* number of heads, which divides D and V */
    int64_t             values;      /* V, the width of the values and of c */
    int64_t             memory_time; /* in cross attention: largest number of tokens of the memory */
    bool                cross, no_bias;
    bool                no_out; /* y is c, in the same memory */
    bool                packs;  /* predictions pack the weights */
    int                 param; /* number of the first parameter in the layer */
    fgt_attention_rule  attention;
} fgti_mha_conf;

/* Q, K and V of a pass. In self attention they are one matrix [R,2D+V], or [R,D+V] if K = Q. In cross
 * attention there are two, [R,D] and [M,D+V]. */
typedef struct fgti_mha_qkv {
    fgti_real *q, *k, *v;
    int64_t    ldq, ldkv;
} fgti_mha_qkv;

/* One layer's multi-head attention in one pass. */
typedef struct fgti_mha {
    const fgti_run   *run;
    const fgti_layer *l;
    const fgti_io    *io;
    fgti_mha_conf     conf;
    int64_t           d, rows, memory_rows; /* rows: R, rows of queries; memory_rows: M, rows of keys and
                                             * values */
    fgti_mha_qkv      p, dp;
    fgti_real        *c, *dc; /* the context [R,V], and its gradient */
    fgti_chain        chain;  /* c = A V */
    fgti_affine_pack  in, memory, out; /* the packed weights, if conf.packs */
} fgti_mha;

/* Declares the parameters in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias under the names
 * name[0] .. name[3], except parameters that the options leave out. FGT_E_ARG: the number of heads does not
 * divide a width. */
fgt_status fgti_mha_plan(fgt_context *ctx, fgti_layer *l, const fgti_mha_conf *conf,
                         const char *const name[4]);
/* Decides from the planned sizes where the attention matrices are stored. The choice of the route depends on
 * this. */
fgti_matrices fgti_mha_matrices(const fgti_mha_conf *conf, const fgti_layer *l);
/* Sets the sizes of m. Adds the memory of a pass to need->cache, need->backward and need->packs, and sets
 * need->arena. */
void fgti_mha_size(fgti_mha *m, const fgti_mha_conf *conf, const fgti_layer *l, int64_t batch, fgti_shape in,
                   fgti_need *need);

/* Checks the masks and sets all pointers; scratch is NULL for a forward pass. */
fgt_status fgti_mha_init(fgti_mha *m, const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                         const fgti_mha_conf *conf, fgti_real *cache, fgti_real *scratch);
/* Computes c from Q, K and V, without the projections. */
void fgti_mha_attend(const fgti_mha *m);
/* Computes y [R,D] from x [R,D]. With no_out, y must be io->y, and in the backward pass dy must be io->dy. */
void fgti_mha_forward(const fgti_mha *m, const fgti_real *x, fgti_real *y);
/* Adds to the gradients of the parameters. Overwrites dx (NULL: not wanted) and the gradient of the memory of
 * cross attention. */
void fgti_mha_backward(const fgti_mha *m, const fgti_real *x, const fgti_real *dy, fgti_real *dx);
/* Functions for a stream. plan: declares the pasts; call it after fgti_mha_plan(). size: adds to *need the
 * memory that a step takes in addition to a forward pass. attend: computes c from Q, K and V of the new
 * tokens. step: computes y [R,D] from x [R,D]. */
void       fgti_mha_step_plan(fgti_layer *l, const fgti_mha_conf *conf);
void       fgti_mha_step_size(const fgti_layer *l, int64_t room, fgti_need *need);
fgt_status fgti_mha_step_attend(const fgti_mha *m);
fgt_status fgti_mha_step(const fgti_mha *m, const fgti_real *x, fgti_real *y);
/* For fgti_class.prepare, with conf->packs */
void fgti_mha_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, const fgti_mha_conf *conf,
                      bool *unread);
/* For fgti_class.adjacency */
void fgti_mha_adjacency(const fgti_mha *m, int64_t shape[4], fgti_real *a);

#endif
