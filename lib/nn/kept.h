/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_KEPT_H
#define FGTI_KEPT_H

/* What a layer computes from its weights alone, and keeps from pass to pass while the weights are the same:
 * packed copies, coefficients. It stands in io->keep behind an fgti_kept, which remembers the version of the
 * weights that it was computed from:
 *
 *     fgti_kept kept = fgti_kept_take(io->keep, &at);     and behind it, with the same `at`, the memory
 *     if (fgti_kept_is_stale(&kept, run)) {
 *         ... compute ...
 *         fgti_kept_set_fresh(&kept, run);
 *     } */

#include "nn/layer.h"

typedef struct fgti_kept {
    fgti_real *version; /* the bytes of an uint64_t; zero in a new workspace, which no version is */
} fgti_kept;

/* Cuts the memory of the version from io->keep; base == NULL only counts. */
fgti_kept fgti_kept_take(fgti_real *base, int64_t *at);
/* Whether the weights have changed since fgti_kept_set_fresh(), or nothing was computed yet. */
bool fgti_kept_is_stale(const fgti_kept *kept, const fgti_run *run);
void fgti_kept_set_fresh(const fgti_kept *kept, const fgti_run *run);

#endif
