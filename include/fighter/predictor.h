/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_PREDICTOR_H
#define FIGHTER_PREDICTOR_H

/** @file predictor.h
 *  A predictor: a model that only predicts. Its weights do not change, so everything that depends only on the
 *  weights is computed when the predictor is made. Large weights are packed for products, and only the packed
 *  copies are kept. There are no gradients, and nothing is kept for a backward pass.
 *    fgt_predictor_create(model, NULL, &p);       fgt_model_destroy(&model);
 *    fgt_predictor_create_workspace(p, NULL, &ws);                      one for each thread that predicts
 *    fgt_workspace_predict(ws, x, y);
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A predictor. Any number of threads may read it. */
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
    /** 0: the predictor takes two shortcuts, so its results differ by rounding from fgt_workspace_predict()
     *  on the model. First, a linear layer of few features, with the positions that are added to its output,
     *  is folded into the first maps of the Fighter or encoder layer after it, if that saves time. Second, if
     *  only one token of an encoder layer is read (the last one, or the token of a slice), the layer computes
     *  only this token. 1: no shortcuts; with F32 the bits are the same as the model's */
    int32_t exact;
    /** NULL: the weights are in memory of the predictor. Otherwise the name of a file with the packed
     *  weights, in the form for this machine. All processes that name the same file share one copy in memory.
     *  The file is written if it does not exist, or belongs to other weights, options or another kernel; it
     *  can be deleted at any time. The file is mapped into memory: a process that writes to it can crash the
     *  processes that use it, so keep it where only trusted processes may write. */
    const char *map;
    /** an fgt_precision, for products of rows with weights of 4096 elements or more. FGT_PRECISION_BF16 also
     *  stores these weights in 16 bits. All other products stay F32: products with smaller weights or with
     *  folded maps, in attention, in recurrent cells, and in Fighter layers on the route "short"
     *  (docs/routes.md) */
    int32_t precision;
    int32_t reserved;
} fgt_predictor_opts;

/** Makes a predictor of a finished model. Layers, values, states and outputs have the same names and shapes
 *  as in the model.
 *  Owner    *predictor is the caller's; it needs the context, but no longer the model. opts and map are
 *           borrowed for the call
 *  Errors   FGT_E_ARG NULL, an unknown storage or precision, exact is not 0 or 1; FGT_E_STATE no layers;
 *           FGT_E_VERSION; FGT_E_NOMEM; with a map FGT_E_IO; FGT_E_FORMAT the file is no file of a predictor,
 *           and is not replaced. *predictor is NULL on error
 *  Threads  one at a time per context, while no thread changes the weights */
FGT_API FGT_MUST fgt_status fgt_predictor_create(const fgt_model *model, const fgt_predictor_opts *opts,
                                                 fgt_predictor **predictor);

/** Destroys a predictor and sets *predictor to NULL. Its workspaces must be gone.
 *  Owner    takes *predictor */
FGT_API void fgt_predictor_destroy(fgt_predictor **predictor);

/** Creates a workspace: the memory that predictions write to. The functions for workspaces in model.h use it.
 *  Owner    *ws is the caller's, to be destroyed by fgt_workspace_destroy() before the predictor
 *  Errors   as fgt_model_create_workspace() */
FGT_API FGT_MUST fgt_status fgt_predictor_create_workspace(const fgt_predictor *predictor,
                                                           const fgt_workspace_opts *opts,
                                                           fgt_workspace **ws);

/** Bytes of the weights, packed or not, that the predictor keeps or has mapped.
 *  Units    bytes
 *  Errors   0 for NULL */
FGT_API int64_t fgt_predictor_get_bytes(const fgt_predictor *predictor);

#ifdef __cplusplus
}
#endif
#endif
