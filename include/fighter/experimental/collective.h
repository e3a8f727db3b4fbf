/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_COLLECTIVE_H
#define FIGHTER_EXPERIMENTAL_COLLECTIVE_H

/** @file collective.h
 *  Training of one model by several processes, on one or many machines. The host tells a training the rank of
 *  its process, and how the processes exchange bytes: by MPI (mpi.h of the library fighter-mpi), or in
 *  another way. There is no global state, so one process can take part in several trainings.
 *
 *  Each batch is cut into shards. Their number does not depend on the number of ranks (fgt_training.shards).
 *  A rank computes the gradients of its shards. The gradients of all shards are summed along a binary tree
 *  over the shards, which is always the same. So the weights have the same bits for any number of ranks. Each
 *  rank sums the gradients of a part of the weights, keeps the optimiser's moments for this part only,
 *  updates it, and sends it to all others (Rajbhandari, Rasley, Ruwase and He 2020). With R ranks each one
 *  sends and receives 2 (R-1)/R times the size of the gradients in a step, which is the least possible
 *  (Thakur, Rabenseifner and Gropp 2005).
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An exchange: this rank sends bytes to each rank, and receives bytes from each. send_at, send_bytes,
 *  receive_at and receive_bytes are arrays [ranks]. */
typedef struct fgt_exchange {
    size_t         size;
    int64_t        tag; /**< 0 .. 16383. Messages are matched by tag, and in order within a tag. Exchanges of
                             several tags may run at the same time */
    const void    *send;
    const int64_t *send_at, *send_bytes; /**< for each rank the first byte in `send` and the number of bytes.
                                              The parts for different ranks may overlap */
    void          *receive;
    const int64_t *receive_at, *receive_bytes;
} fgt_exchange;

/** One of several processes that train together, and how they exchange bytes. The thread that trains calls
 *  the functions, which return an fgt_status. After an error the training calls no function any more, ends
 *  with this error and frees its memory, also while exchanges are running. If no epoch was finished before,
 *  some weights may already have the update of the step that failed. */
typedef struct fgt_collective {
    size_t  size;
    int32_t rank, ranks; /**< this process, 0 .. ranks-1; number of processes */
    void   *user;
    /** Begins an exchange, and may return before the exchange is done. Until then the caller does not change
     *  the arrays and the memory of the exchange. A rank also sends to itself. *request identifies the
     *  exchange in calls of `finish`. */
    fgt_status (*exchange)(void *user, const fgt_exchange *exchange, void **request);
    /** Sets *done to 1 if the request is done, else to 0. With `wait` the function returns when the request
     *  is done. It should fail if another rank is gone, or silent for too long. A request that is done, or
     *  failed, is not used again. */
    fgt_status (*finish)(void *user, void *request, int32_t wait, int32_t *done);
    /** Begins to sum `count` elements, FGT_DTYPE_F32 or FGT_DTYPE_F64, over all ranks, in place. The function
     *  chooses the order of the additions.
     *  With this function the bits of the weights depend on the number of ranks, and each rank updates all
     *  weights except rows of embeddings. Tags are used as for an exchange. `sum` may be NULL, which is the
     *  better choice: gradients are then added along a tree over the shards, with the same bits for any
     *  number of ranks. */
    fgt_status (*sum)(void *user, int64_t tag, void *data, int64_t count, int32_t dtype, void **request);
    /** Text of the last error, valid until the next call; NULL: no text. */
    const char *(*explain)(void *user);
} fgt_collective;

/** Evaluates a model as fgt_model_evaluate() does, in several processes, each with a part of the batches. All
 *  processes call this function with the same model and data, and get the same numbers, which do not depend
 *  on the number of processes.
 *  Shapes   as fgt_model_fit()
 *  Units    the loss's
 *  Owner    borrowed; collective NULL: only this process; loss and metric may be NULL, on all ranks or on no
 *           rank; the results are added to metric
 *  Errors   as fgt_model_fit(), on all ranks; FGT_E_ARG also if the number of samples, the weights or the
 *           data differ between ranks */
FGT_API FGT_MUST fgt_status fgt_model_evaluate_ranks(fgt_model *model, const fgt_source *source,
                                                     const fgt_loss_opts *opts, int32_t target_dtype,
                                                     const fgt_collective *collective, double *loss,
                                                     fgt_metric *metric);

#ifdef __cplusplus
}
#endif
#endif
