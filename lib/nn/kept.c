/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/kept.h"

#include <string.h>

fgti_kept fgti_kept_take(fgti_real *base, int64_t *at)
{
    return (fgti_kept){fgti_take(base, at, (int64_t)(sizeof(uint64_t) / sizeof *base))};
}

bool fgti_kept_is_stale(const fgti_kept *kept, const fgti_run *run)
{
    return memcmp(kept->version, &run->version, sizeof run->version) != 0;
}

void fgti_kept_set_fresh(const fgti_kept *kept, const fgti_run *run)
{
    memcpy(kept->version, &run->version, sizeof run->version);
}
