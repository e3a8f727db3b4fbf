/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/kept.h"

fgti_kept fgti_kept_take(fgti_real *base, int64_t *at)
{
    const int64_t n = (int64_t)(sizeof(uint64_t) / sizeof *base);
    return (fgti_kept){(_Atomic uint64_t *)(void *)fgti_take(base, at, n)};
}

/* Whether the kept results may be used. They may be newer than the weights of a backward pass. The pass uses
 * them as they are, because other threads may be reading them. */
static bool is_fresh(const fgti_kept *kept, const fgti_run *run)
{
    return atomic_load_explicit(kept->version, memory_order_acquire) >= run->version;
}

void fgti_kept_lock(pthread_mutex_t *keeping, fgti_exec *exec)
{
    pthread_mutex_lock(keeping);
    exec->locks++;
}

void fgti_kept_unlock(pthread_mutex_t *keeping, fgti_exec *exec)
{
    exec->locks--;
    pthread_mutex_unlock(keeping);
}

bool fgti_kept_is_stale(const fgti_kept *kept, const fgti_run *run)
{
    if (is_fresh(kept, run)) return false;
    fgti_kept_lock(run->keeping, run->exec);
    if (!is_fresh(kept, run)) return true;
    fgti_kept_unlock(run->keeping, run->exec);
    return false;
}

void fgti_kept_set_fresh(const fgti_kept *kept, const fgti_run *run)
{
    atomic_store_explicit(kept->version, run->version, memory_order_release);
    fgti_kept_unlock(run->keeping, run->exec);
}
