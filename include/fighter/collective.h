/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_COLLECTIVE_H
#define FIGHTER_COLLECTIVE_H

/** @file collective.h
 *  How processes on one or many machines train one model together. The host tells a training what its
 *  process is among them, and how they exchange bytes: by MPI (mpi.h of the library fighter-mpi), or by
 *  anything else. Nothing is global, so one process can be in several trainings.
 *
 *  Each batch is cut into shards, as many for any number of ranks (fgt_fit_opts.shards). A rank computes the
 *  gradients of its share of the shards, and the gradients of all shards are summed along a binary tree over
 *  the shards that is always the same. So the weights have the same bits for any number of ranks. Each rank
 *  sums the gradients of a part of the weights, updates these, has the optimiser's moments of these alone,
 *  and sends the weights to all others (Rajbhandari, Rasley, Ruwase and He 2020). With R ranks each one sends
 *  and receives 2 (R-1)/R times the size of the gradients in a step, which is the least that is possible
 *  (Thakur, Rabenseifner and Gropp 2005). */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An exchange: bytes for each rank and from each rank, from and to here. All arrays are [ranks]. */
typedef struct fgt_exchange {
    size_t         size;
    int64_t        tag; /**< 0 .. 16383. Messages are matched by tag, and in order within
                             a tag. Exchanges of several tags are under way at a time */
    const void    *send;
    const int64_t *send_at, *send_bytes; /**< where in `send` the bytes for each rank begin; how many. Those
                                              for different ranks may be the same ones */
    void          *receive;
    const int64_t *receive_at, *receive_bytes;
} fgt_exchange;

/** A process among others that train together, and how they talk. The functions are called by the
 *  thread that trains, and return an fgt_status. After an error none of them is called again in that
 *  training, which ends with the error and frees its memory: what is still under way is given up. If no epoch
 *  was done before, some of the weights may then be those of the step that was not finished. */
typedef struct fgt_collective {
    size_t  size;
    int32_t rank, ranks; /**< 0 .. ranks-1; in all */
    void   *user;
    /** Begins an exchange, and may return before it is done. Arrays and memory stay as they are until then. A
     *  rank also sends to itself. *request is for `finish`. */
    fgt_status (*exchange)(void *user, const fgt_exchange *exchange, void **request);
    /** Whether that is done; with `wait`, when it is. It should fail if another rank is gone, or silent for
     *  too long. A request that is done, or has failed, is not used again. */
    fgt_status (*finish)(void *user, void *request, int32_t wait, int32_t *done);
    /** Begins to add `count` elements, FGT_F32 or FGT_F64, over all ranks, in place, in an order of its own:
     *  then the weights may have other bits with another number of ranks, and each rank updates all that is
     *  not a row of an embedding. Tags as for an exchange. NULL, as it should be: the tree over the shards is
     *  used. */
    fgt_status (*sum)(void *user, int64_t tag, void *data, int64_t count, int32_t dtype, void **request);
    /** A sentence on the last error, valid until the next call; NULL: there is none. */
    const char *(*explain)(void *user);
} fgt_collective;

#ifdef __cplusplus
}
#endif
#endif
