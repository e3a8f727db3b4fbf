/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAYER_RUN_H
#define FGTI_LAYER_RUN_H

/* The settings of a pass. All layers of the pass get them. */

#include <pthread.h>

#include <fighter/model.h>

#include "blas/blas.h"
#include "core/rng.h"
#include "core/vec/vec.h"

/* A stream that a workspace runs, one call after another. A group is one node of one sample. Each past holds
 * the tokens of a group part by part, and the tokens of a part in the order in which they are read. So token
 * t of part p of group g is at ((g parts + p) room + t) width. */
typedef struct fgti_stream {
    int64_t tokens; /* tokens before this call */
    int64_t room;   /* most tokens of the stream */
} fgti_stream;

/* Settings that do not change from layer to layer in a pass. */
typedef struct fgti_run {
    const fgti_blas            *blas;
    const fgti_vec             *vec;
    fgti_exec                  *exec;
    fgti_error                 *error;
    int32_t                     products; /* an fgt_products: what the context allows */
    bool                        bf16;     /* products of large weights are in bf16, by fgti_multiply_map() */
    bool                        training; /* dropout is on */
    bool                        differentiable; /* a backward pass may follow, so its inputs are kept */
    uint64_t                    seed, step;
    int64_t                     batch;
    uint64_t                    version;  /* version of the weights; it changes when they change, and is never
                                           * 0 */
    pthread_mutex_t            *keeping;  /* held while a layer fills its io->keep: nn/kept.h */
    bool                        states;   /* states are carried over or given by the host, so layers read
                                           * their start and write their end */
    const fgti_stream          *stream;   /* NULL: no stream */
    const struct fgti_low_rank *low_rank; /* maps that an adapter trains (nn/low_rank.h) */
    int64_t                     low_ranks;
    const fgt_view             *mask[FGT_MASK_COUNT]; /* masks of the layer that is called; NULL: not set */
} fgti_run;

/* Computes one product on all workers, as in fgti_multiply(run, fgti_gemm_nt(...)). */
static inline void fgti_multiply(const fgti_run *run, fgti_gemm g)
{
    fgti_gemm_parallel(run->blas, run->exec, &g);
}

/* Whether a product with a weight [D,H] is in bf16. It is not for a weight of at most FGTI_OWN_WEIGHT
 * elements where our own loops are in use, because these loops are faster in F32. */
static inline bool fgti_is_bf16(const fgti_run *run, int64_t d, int64_t h)
{
    return run->bf16 && d * h > FGTI_OWN_WEIGHT;
}
/* Computes a product of rows with a weight [D,H], or a product for the gradients of this map; in bf16 if
 * fgti_is_bf16(). */
static inline void fgti_multiply_map(const fgti_run *run, int64_t d, int64_t h, fgti_gemm g)
{
    g.bf16 = fgti_is_bf16(run, d, h);
    g.vec  = run->vec;
    fgti_gemm_parallel(run->blas, run->exec, &g);
}

#endif
