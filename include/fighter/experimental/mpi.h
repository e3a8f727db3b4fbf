/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_MPI_H
#define FIGHTER_EXPERIMENTAL_MPI_H

/** @file mpi.h
 *  A collective over MPI, in a library of its own: fighter-mpi (`pkg-config fighter-mpi`). The library
 *  fighter itself does not need MPI, and this header is not part of fighter.h.
 *    MPI_Init(&argc, &argv);
 *    fgt_mpi_create(MPI_COMM_WORLD, NULL, &mpi, why, sizeof why);
 *    opts.training.collective = fgt_mpi_get_collective(mpi);   fgt_fit_opts, or fit options of a forecaster
 *    fgt_model_fit(model, &opts, &report);               by all ranks
 *    fgt_mpi_destroy(&mpi);
 *    MPI_Finalize();
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; the thread that called MPI_Init() must call all
 *  of them, and all calls that train; the function is available since 0.9. */

#include <mpi.h>

#include <fighter/experimental/collective.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_mpi fgt_mpi;

typedef struct fgt_mpi_opts {
    size_t  size;
    double  timeout;   /**< seconds to wait for a message of another rank, before the training ends with
                            FGT_E_IO; 0: 600; negative: no limit */
    int32_t allreduce; /**< 1: MPI_Iallreduce() sums the gradients, in an order that MPI chooses */
    int32_t reserved;
    const fgt_allocator *allocator; /**< copied; NULL: malloc() */
} fgt_mpi_opts;

/** Makes a collective of the processes of a communicator. All these processes must make this call.
 *  Owner    *mpi is the caller's; comm is duplicated, and may be freed. `why` gets the error text; NULL: not
 *           needed
 *  Errors   FGT_E_STATE MPI is not initialised, or finalised; FGT_E_ARG; FGT_E_VERSION; FGT_E_NOMEM; FGT_E_IO
 *           MPI reports an error; *mpi is NULL on error */
FGT_API FGT_MUST fgt_status fgt_mpi_create(MPI_Comm comm, const fgt_mpi_opts *opts, fgt_mpi **mpi, char *why,
                                           size_t capacity);

/** Destroys a collective, before MPI_Finalize(), and sets *mpi to NULL. All processes must make this call.
 *  After a training that ended with FGT_E_IO other processes may be gone: then call MPI_Abort() instead.
 *  Owner    takes *mpi */
FGT_API void fgt_mpi_destroy(fgt_mpi **mpi);

/** The collective, for the options of a training.
 *  Owner    the fgt_mpi's
 *  Errors   NULL for NULL */
FGT_API const fgt_collective *fgt_mpi_get_collective(const fgt_mpi *mpi);

#ifdef __cplusplus
}
#endif
#endif
