/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/kept.h"

fgti_kept fgti_kept_take(fgti_real *base, int64_t *at)
{
    const int64_t n = (int64_t)(sizeof(uint64_t) / sizeof *base);
    return (fgti_kept){(_Atomic uint64_t *)(void *)fgti_take(base, at, n)};
}

static bool is_fresh(const fgti_kept *kept, const fgti_run *run)
{
    return atomic_load_explicit(kept->version, memory_order_acquire) == run->version;
}

bool fgti_kept_is_stale(const fgti_kept *kept, const fgti_run *run)
{
    if (is_fresh(kept, run)) return false;
    pthread_mutex_lock(run->keeping);
    if (!is_fresh(kept, run)) return true;
    pthread_mutex_unlock(run->keeping);
    return false;
}

void fgti_kept_set_fresh(const fgti_kept *kept, const fgti_run *run)
{
    atomic_store_explicit(kept->version, run->version, memory_order_release);
    pthread_mutex_unlock(run->keeping);
}
