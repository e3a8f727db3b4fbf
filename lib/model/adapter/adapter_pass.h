/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_PASS_H
#define FGTI_ADAPTER_PASS_H

#include "model/adapter_types.h"

/* Tells the layers where to read weights and where to write gradients. */
void fgti_adapter_place(fgt_model *model);
/* Tells the layers only where to write gradients of the adapter, which have moved. It writes no data that
 * predictions in other threads read. */
void fgti_adapter_place_gradients(fgt_model *model);
/* Computes `effective` if it is out of date. Call it before a pass with the weights of m; training: with
 * dropout. */
void fgti_adapter_refresh(fgt_model *m, const fgt_workspace *ws, bool training);
/* Call it after a pass. If the weights have changed since `effective` was computed, it computes `effective`
 * again, with the same draw of dropout. */
void fgti_adapter_update(fgt_workspace *ws);
/* FGT_E_STATE: `effective` has another draw of dropout than the last pass. Call it before a backward pass. */
fgt_status fgti_adapter_check_draw(const fgt_workspace *ws);
/* Called before and after the backward pass of a layer: moves the gradients of its weights to A and B. */
void fgti_adapter_begin(const fgt_model *model, const fgti_layer *l);
void fgti_adapter_collect(const fgt_model *model, const fgti_layer *l, const fgti_run *run);
/* Writes W + s B A of all matrices of a graft to `to`, which may be W. factor: A of the graft. */
void fgti_adapter_add(const fgt_context *ctx, const fgti_exec *exec, const fgti_adapter *a,
                      const fgti_graft *g, const fgti_real *factor, const fgti_real *w, fgti_real *to);
/* All weights of the base with the active adapter, in a slab of the caller's; NULL: no adapter is active. */
fgt_status fgti_adapter_slab(fgt_model *model, fgti_real **slab);
/* The first element of the adapter's slabs from which on all gradients are complete when the gradients of
 * layer l are complete. */
int64_t fgti_adapter_from(const fgt_model *model, const fgti_layer *l);

#endif
