/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_H
#define FGTI_ADAPTER_H

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

#include "model/access.h"
#include "nn/low_rank.h"

/* A parameter of the base that an adapter changes. */
typedef struct fgti_graft {
    fgti_param       *base;
    const fgti_layer *layer;         /* the layer that owns it */
    bool              whole;         /* the adapter has a copy of it */
    bool              flipped;       /* W is stored (in,out), and passes read W + s (B A)' */
    bool              table;         /* of embeddings: W [ids,width] is flipped, and looked up */
    int64_t           maps, out, in; /* matrices, and the size of each */
    int64_t           a, b;          /* places of A [maps,r,in] and B [maps,out,r] in the slabs; whole: a */
    int64_t           param; /* number of A, or of the copy, among the adapter's parameters; B follows */
    int64_t           effective;     /* place of W + s B A; 0 for whole */
    int64_t           column;        /* place of dropout's factors of its columns */
    int64_t           map; /* number of its fgti_low_rank, for a class that skips gradients; -1: none */
} fgti_graft;

typedef struct fgti_adapter fgti_adapter;
struct fgti_adapter {
    fgti_adapter    *next;
    fgt_context     *ctx;
    fgt_adapter_opts opts; /* defaults filled in; the patterns are the caller's, NULL after the adapter is
                              made */
    char            *name;
    uint64_t         serial; /* different for all adapters that the model ever had */
    double           scale;  /* s */
    int64_t          grafts, params, size;
    fgti_graft      *graft; /* in the order of their layers */
    fgti_param      *param; /* offsets in the slabs of `size` */
    fgti_real       *weights, *gradients;
    fgti_touched     touched; /* no rows: its gradients are dense */
    int64_t          effective, columns, adapted, maps; /* elements of the arrays below; fgti_low_ranks */
};

/* Memory of the active adapter besides its slabs. */
typedef struct fgti_tuning {
    fgti_adapter  *adapter; /* NULL: no adapter is active, and all members below are NULL */
    fgti_real     *effective, *sink;
    fgti_real     *scratch;              /* of the low-rank gradients */
    fgti_real *column, *masked, *raw; /* with dropout: factors of columns; A times them; its gradient so
                                         far */
    fgti_low_rank *map;
    uint64_t       version; /* of the weights that `effective` was made from */
    uint64_t       draw;    /* dropout: number of this training pass, from 1; 0: without dropout */
} fgti_tuning;

/* ---- adapter.c ---- */

#define FGTI_ALPHA_MOST 1e9
extern const fgti_opt fgti_adapter_opts[]; /* alpha, dropout, rank */

void fgti_adapter_free_all(fgt_model *model);
/* For a file's adapter: `of` tells for each parameter of the base whether the adapter has it. */
typedef enum fgti_graft_kind { FGTI_GRAFT_NONE, FGTI_GRAFT_ADAPTED, FGTI_GRAFT_WHOLE } fgti_graft_kind;
typedef struct fgti_graft_choice {
    fgt_status (*of)(void *user, const fgti_layer *l, const fgti_param *p, fgti_graft_kind *kind);
    void *user;
} fgti_graft_choice;
/* Makes an adapter that the model does not have yet; A is drawn. NULL on error. opts are checked. choice
 * NULL: the parameters that the patterns name. FGT_E_FORMAT if it has more than `most` parameters, before
 * memory is taken for them. */
fgt_status fgti_adapter_make(fgt_model *model, const fgt_adapter_opts *opts, const fgti_graft_choice *choice,
                             int64_t most, fgti_adapter **adapter);
void       fgti_adapter_free(fgti_adapter **adapter);
/* Reads and checks options; alpha and rank are filled in. */
fgt_status fgti_adapter_read_opts(fgt_model *model, const fgt_adapter_opts *in, fgt_adapter_opts *out);
void       fgti_adapter_append(fgt_model *model, fgti_adapter *adapter);
fgt_status fgti_adapter_find(const fgt_model *model, const char *name, fgti_adapter **adapter);

/* ---- adapter_choose.c ---- */

/* Whether a parameter can be adapted, and whether it is then a table of embeddings. */
bool fgti_adapter_fits(const fgti_layer *l, const fgti_param *p);
bool fgti_adapter_is_table(const fgti_layer *l);
/* An fgti_graft_choice by the adapter's patterns; user is the adapter. */
fgt_status fgti_adapter_choose(void *user, const fgti_layer *l, const fgti_param *p, fgti_graft_kind *kind);
/* FGT_E_NAME unless each pattern has matched a parameter. */
fgt_status fgti_adapter_check_patterns(const fgti_adapter *a);
/* For a model file: the names of the parameters that it adapts, or trains as a whole, as a list
 * (fgti_names_put()); without any, to->s stays NULL. */
fgt_status fgti_adapter_write_names(const fgti_adapter *a, bool whole, fgti_text *to);
/* Kinds of the parameters in such lists, NULL for no list; fgti_adapter_choose_named() takes the array as
 * user. FGT_E_FORMAT. */
fgt_status fgti_adapter_read_names(const fgt_model *model, const char *adapted, const char *whole,
                                   fgti_graft_kind **kind);
fgt_status fgti_adapter_choose_named(void *user, const fgti_layer *l, const fgti_param *p,
                                     fgti_graft_kind *kind);
/* maps, out, in, flipped */
void fgti_adapter_set_sizes(fgti_graft *g);
/* The part of the name before ".lora_A.weight". */
void fgti_adapter_module(const fgti_param *p, char module[FGTI_NAME_MAX]);

/* ---- adapter_pass.c ---- */

/* Tells the layers where to read weights and where to write gradients. */
void fgti_adapter_place(fgt_model *model);
/* Only tells them where to write gradients of the adapter, which have moved: predictions in other threads
 * read no data that this writes. */
void fgti_adapter_place_gradients(fgt_model *model);
/* Before a pass with the weights of m: computes `effective` if it is out of date. training: with dropout. */
void fgti_adapter_refresh(fgt_model *m, const fgt_workspace *ws, bool training);
/* After a pass: the same for weights that have changed since, with the present draw of dropout. */
void fgti_adapter_update(fgt_workspace *ws);
/* Before a backward pass: FGT_E_STATE unless the weights have the draw of the last pass. */
fgt_status fgti_adapter_check_draw(const fgt_workspace *ws);
/* Around the backward pass of a layer. */
void fgti_adapter_begin(const fgt_model *model, const fgti_layer *l);
void fgti_adapter_collect(const fgt_model *model, const fgti_layer *l, const fgti_run *run);
/* Writes W + s B A of a graft, of all its matrices, to `to`, which may be W; factor: its A. */
void fgti_adapter_add(const fgt_context *ctx, const fgti_exec *exec, const fgti_adapter *a,
                      const fgti_graft *g, const fgti_real *factor, const fgti_real *w, fgti_real *to);
/* All weights of the base with the active adapter, in a slab of the caller's; NULL: no adapter is active. */
fgt_status fgti_adapter_slab(fgt_model *model, fgti_real **slab);
/* The element of the adapter's slabs from which on gradients are complete when layer l's are. */
int64_t fgti_adapter_from(const fgt_model *model, const fgti_layer *l);

#endif
