/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_TYPES_H
#define FGTI_ADAPTER_TYPES_H

/* Adapters: W + s B A in place of W, with A and B trained. adapter.c makes and removes them, adapter_pass.c
 * is their part in passes, adapter_file.c reads and writes them.
 *
 * An adapter has its own slabs, so that an optimiser made while it is active has state only for it.
 * `effective` has the matrices that passes read in place of W. Layers find them by fgti_w(), and fgti_dw()
 * says where their gradients go:
 *     whole     to the adapter's gradients
 *     adapted   if the class can skip gradients: to the place in `effective`, by which fgti_affine_grad()
 *               finds the map in run->low_rank; dW is not computed. In other classes: to `sink`, from which
 *               fgti_adapter_collect() computes dA and dB
 *     tables    to their own place among the base's weights, by which the lookup finds the map, also forward:
 *               a pass that reads few rows does not compute W + s (B A)' for all rows
 *     others    not computed if the class can skip gradients; otherwise written to `sink` and ignored */

#include <fighter/experimental/adapter.h>

#include "nn/layer.h"
#include "nn/low_rank.h"

/* A parameter of the base model that an adapter changes. */
typedef struct fgti_graft {
    fgti_param       *base;
    const fgti_layer *layer;         /* the layer that owns the parameter */
    bool              whole;         /* the adapter has a copy of the whole parameter */
    bool              flipped;       /* W is stored (in,out), so passes read W + s (B A)' */
    bool              table;         /* W is a table of embeddings [ids,width], which is looked up; it is also
                                      * flipped */
    int64_t           maps, out, in; /* number of matrices in W, and the size of each */
    int64_t           a, b;          /* places of A [maps,r,in] and B [maps,out,r] in the slabs; with `whole`,
                                      * a is the place of the copy */
    int64_t           param;     /* number of A among the adapter's parameters, B is the next; with `whole`,
                                  * number of the copy */
    int64_t           effective; /* place of W + s B A in fgti_tuning.effective; 0 with `whole` */
    int64_t           column;    /* place of the dropout factors for the columns of A */
    int64_t           map;       /* number of its fgti_low_rank, if the class of the layer skips gradients;
                                  * otherwise -1 */
} fgti_graft;

typedef struct fgti_adapter fgti_adapter;

struct fgti_adapter {
    fgti_adapter    *next;
    fgt_context     *ctx;
    fgt_adapter_opts opts; /* with defaults; the patterns belong to the caller and become NULL once the
                            * adapter is made */
    char            *name;
    uint64_t         serial; /* number that no other adapter of this model ever had */
    double           scale;  /* s in W + s B A */
    int64_t          grafts, params, size;
    fgti_graft      *graft; /* parameters that the adapter changes, in the order of their layers */
    fgti_param      *param; /* the adapter's own parameters; their offsets are in its slabs of `size`
                             * elements */
    fgti_real       *weights, *gradients;
    fgti_touched     touched;                           /* has no rows, because the adapter's gradients are
                                                         * dense */
    int64_t          effective, columns, adapted, maps; /* lengths of the arrays of fgti_tuning; maps: number
                                                         * of fgti_low_rank */
};

/* Memory of the active adapter, in addition to its slabs. */
typedef struct fgti_tuning {
    fgti_adapter  *adapter; /* NULL: no adapter is active, and all fields below are NULL */
    fgti_real     *effective, *sink;
    fgti_real     *scratch;               /* scratch for low-rank gradients */
    fgti_real     *column, *masked, *raw; /* for dropout: factors of A's columns; A times these factors;
                                           * gradient of this product so far */
    fgti_low_rank *map;
    uint64_t       version; /* version of the weights from which `effective` was computed */
    uint64_t       draw;    /* number of the training pass whose dropout `effective` has, from 1; 0: it has no
                             * dropout */
} fgti_tuning;

#endif
