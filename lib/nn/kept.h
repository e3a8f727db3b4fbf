/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_KEPT_H
#define FGTI_KEPT_H

/* Results that a layer computes only from its weights, such as packed copies or coefficients. The layer keeps
 * them from pass to pass while the weights do not change. In io->keep they follow an fgti_kept, which stores
 * the version of the weights from which they were computed. All workspaces of a model share the results. The
 * first thread that finds them stale computes them, and other threads wait. The waiting threads may be
 * threads of the host's executor. So the first thread does not call the executor, and computes everything
 * itself.
 *
 *     fgti_kept kept = fgti_kept_take(io->keep, &at);     followed by the memory, with the same `at`
 *     if (fgti_kept_is_stale(&kept, run)) {
 *         ... compute all results, and ask for no other fgti_kept meanwhile ...
 *         fgti_kept_set_fresh(&kept, run);
 *     } */

#include <stdatomic.h>

#include "nn/layer.h"

typedef struct fgti_kept {
    _Atomic uint64_t *version; /* 0 at first, which is not the version of any weights */
} fgti_kept;

/* Cuts the memory of the version from io->keep; with base == NULL the function only counts. */
fgti_kept fgti_kept_take(fgti_real *base, int64_t *at);
/* Whether the weights have changed since fgti_kept_set_fresh(), or nothing was computed yet. If the result is
 * true, this thread holds a lock until it calls fgti_kept_set_fresh(). The lock is for everything that the
 * model keeps. */
bool fgti_kept_is_stale(const fgti_kept *kept, const fgti_run *run);
void fgti_kept_set_fresh(const fgti_kept *kept, const fgti_run *run);
/* Take and release the lock, for a thread whose loops are run by exec. */
void fgti_kept_lock(pthread_mutex_t *keeping, fgti_exec *exec);
void fgti_kept_unlock(pthread_mutex_t *keeping, fgti_exec *exec);

#endif
