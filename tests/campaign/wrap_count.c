/* SPDX-License-Identifier: BSD-3-Clause */
/* Which call is to fail. Atomic, because threads of the library may call, too. */
#include <stdatomic.h>

#include "wrap_count.h"

static atomic_bool  armed, fired, all_after;
static atomic_llong calls, target;

bool wrap_hit(void)
{
    if (!atomic_load(&armed)) return false;
    const int64_t call = atomic_fetch_add(&calls, 1) + 1, k = atomic_load(&target);
    if (!k || call < k || (call > k && !atomic_load(&all_after))) return false;
    atomic_store(&fired, true);
    return true;
}

void wrap_arm(int64_t k, bool rest)
{
    atomic_store(&all_after, rest);
    atomic_store(&calls, 0);
    atomic_store(&target, k);
    atomic_store(&fired, false);
    atomic_store(&armed, true);
}

int64_t wrap_disarm(void)
{
    atomic_store(&armed, false);
    return atomic_load(&calls);
}

bool wrap_fired(void)
{
    return atomic_load(&fired);
}
