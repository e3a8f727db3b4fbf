/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_PREDICTOR_H
#define FIGHTER_PREDICTOR_H

/** @file predictor.h
 *  A model made ready for predictions alone. Its weights no longer change, so all that follows from them is
 *  computed when the predictor is made: large weights are packed for the products, and their unpacked copies
 *  are left out. There are no gradients, and nothing is kept for a backward pass.
 *    fgt_predictor_create(model, NULL, &p);       fgt_model_destroy(&model);
 *    fgt_predictor_create_workspace(p, NULL, &ws);                      one for each thread that predicts
 *    fgt_workspace_predict(ws, x, y);
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A predictor: all weights, ready, to be read by any number of threads. */
typedef struct fgt_predictor fgt_predictor;

/** How a predictor stores packed weights and tables of embeddings. */
typedef enum fgt_storage {
    FGT_STORAGE_F32  = 0, /**< as in the model */
    FGT_STORAGE_BF16 = 1  /**< 16 bits: half the memory. Each weight w becomes w (1 + e), |e| <= 2^-8 */
} fgt_storage;

/** How a predictor is made. */
typedef struct fgt_predictor_opts {
    size_t  size;
    int32_t storage; /**< an fgt_storage */
    /** 0: a linear layer of few features, with the positions that are added to it, is folded into the first
     *  maps of a Fighter or encoder layer behind it, if that saves time: products of their weights are
     *  computed once. An encoder layer of which one token is read, the last or that of a slice, computes no
     *  more than that. Results then differ by rounding from those of fgt_workspace_predict() on the model.
     *  1: nothing is left out, and with F32 they have its bits */
    int32_t exact;
    /** NULL: the weights lie in memory of the predictor's own. Else the name of a file that holds them as
     *  this machine reads them: all processes that name it share one copy in memory. It is made if it is not
     *  there, or belongs to other weights, options or another kernel; it can be deleted at any time. The file
     *  is mapped: a process that may write to it can crash those that use it, so keep it where only trusted
     *  ones may. */
    const char *map;
    /** an fgt_precision, for products of rows with weights of 4096 elements or more. FGT_PRECISION_BF16 also
     *  stores these weights in 16 bits. All other products stay F32: with smaller weights, in attention, in
     *  recurrent cells, with folded maps and in Fighter layers on the route "short" (docs/routes.md) */
    int32_t precision;
    int32_t reserved;
} fgt_predictor_opts;

/** Makes a predictor of a finished model. Layers, values, states and outputs have the names and shapes that
 *  they have in the model.
 *  Owner    *predictor is the caller's; it needs the context, but no longer the model. opts and map are
 *           borrowed for the call
 *  Errors   FGT_E_ARG NULL, an unknown storage or precision, exact is not 0 or 1; FGT_E_STATE no layers;
 *           FGT_E_VERSION; FGT_E_NOMEM; with a map FGT_E_IO, FGT_E_FORMAT the file is something else and is
 *           not replaced. *predictor is NULL on error
 *  Threads  one at a time per context, while no thread changes the weights */
FGT_API FGT_MUST fgt_status fgt_predictor_create(const fgt_model *model, const fgt_predictor_opts *opts,
                                                 fgt_predictor **predictor);

/** Destroys a predictor and sets *predictor to NULL. Its workspaces must be gone.
 *  Owner    takes *predictor */
FGT_API void fgt_predictor_destroy(fgt_predictor **predictor);

/** Creates a workspace: all that one prediction changes. The functions of workspaces in model.h use it.
 *  Owner    *ws is the caller's, to be destroyed by fgt_workspace_destroy() before the predictor
 *  Errors   as fgt_workspace_create() */
FGT_API FGT_MUST fgt_status fgt_predictor_create_workspace(const fgt_predictor *predictor,
                                                           const fgt_workspace_opts *opts,
                                                           fgt_workspace **ws);

/** Bytes of the weights, packed and not, that the predictor holds or has mapped.
 *  Units    bytes
 *  Errors   0 for NULL */
FGT_API int64_t fgt_predictor_size(const fgt_predictor *predictor);

#ifdef __cplusplus
}
#endif
#endif
