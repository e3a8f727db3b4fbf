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

/* A parameter of the base that an adapter changes. */
typedef struct fgti_graft {
    fgti_param       *base;
    const fgti_layer *layer;         /* the layer that owns the parameter */
    bool              whole;         /* the adapter has a copy of the parameter */
    bool              flipped;       /* W is stored (in,out), and passes read W + s (B A)' */
    bool              table;         /* W is a table of embeddings [ids,width]: flipped, and looked up */
    int64_t           maps, out, in; /* number of matrices, and the size of each */
    int64_t           a, b;          /* places of A [maps,r,in] and B [maps,out,r] in the slabs; whole: a */
    int64_t           param;     /* number of A, or of the copy, among the adapter's parameters; B follows */
    int64_t           effective; /* place of W + s B A; 0 for whole */
    int64_t           column;    /* place of the factors of dropout for the columns of A */
    int64_t           map;       /* number of its fgti_low_rank, for a class that skips gradients; -1: none */
} fgti_graft;

typedef struct fgti_adapter fgti_adapter;

struct fgti_adapter {
    fgti_adapter    *next;
    fgt_context     *ctx;
    fgt_adapter_opts opts; /* defaults filled in; the patterns are the caller's, NULL after the adapter is
                              made */
    char            *name;
    uint64_t         serial; /* unique among all adapters that the model ever had */
    double           scale;  /* s */
    int64_t          grafts, params, size;
    fgti_graft      *graft; /* parameters that it changes, in the order of their layers */
    fgti_param      *param; /* their offsets are in the slabs of `size` elements */
    fgti_real       *weights, *gradients;
    fgti_touched     touched;                           /* no rows: its gradients are dense */
    int64_t          effective, columns, adapted, maps; /* elements of the arrays of fgti_tuning; maps: number
                                                           of fgti_low_rank */
};

/* Memory of the active adapter besides its slabs. */
typedef struct fgti_tuning {
    fgti_adapter  *adapter; /* NULL: no adapter is active, and all members below are NULL */
    fgti_real     *effective, *sink;
    fgti_real     *scratch;               /* scratch of the low-rank gradients */
    fgti_real     *column, *masked, *raw; /* with dropout: factors of the columns of A; A times these factors;
                                           * gradient of that product, so far */
    fgti_low_rank *map;
    uint64_t       version; /* version of the weights from which `effective` was computed */
    uint64_t       draw;    /* dropout: number of this training pass, from 1; 0: without dropout */
} fgti_tuning;

#endif
