/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ADAPTER_PASS_H
#define FGTI_ADAPTER_PASS_H

#include "model/adapter_types.h"

/* Tells the layers from where they read weights and to where they write gradients. */
void fgti_adapter_place(fgt_model *model);
/* Tells the layers only to where they write the adapter's gradients, after these have moved. It writes no
 * data that predictions in other threads read. */
void fgti_adapter_place_gradients(fgt_model *model);
/* Computes `effective` if it is out of date. Call it before a pass that reads the weights of m. training:
 * with dropout. */
void fgti_adapter_refresh(fgt_model *m, const fgt_workspace *ws, bool training);
/* Call it after a pass. If the weights have changed since `effective` was computed, computes `effective`
 * again, with the same draw of dropout. */
void fgti_adapter_update(fgt_workspace *ws);
/* Call it before a backward pass. FGT_E_STATE: `effective` has another draw of dropout than the last pass. */
fgt_status fgti_adapter_check_draw(const fgt_workspace *ws);
/* Called before and after the backward pass of a layer. Together they turn the gradients of the layer's
 * weights into gradients of A and B. */
void fgti_adapter_begin(const fgt_model *model, const fgti_layer *l);
void fgti_adapter_collect(const fgt_model *model, const fgti_layer *l, const fgti_run *run);
/* Writes W + s B A, for all matrices of a graft, to `to`, which may be W itself. factor: A of the graft. */
void fgti_adapter_add(const fgt_context *ctx, const fgti_exec *exec, const fgti_adapter *a,
                      const fgti_graft *g, const fgti_real *factor, const fgti_real *w, fgti_real *to);
/* Allocates a slab for the caller, with all weights of the base and the active adapter applied. *slab is NULL
 * if no adapter is active. */
fgt_status fgti_adapter_slab(fgt_model *model, fgti_real **slab);
/* A position in the adapter's slabs. When the gradients of layer l are complete, all gradients from this
 * element on are complete. */
int64_t fgti_adapter_from(const fgt_model *model, const fgti_layer *l);

#endif
