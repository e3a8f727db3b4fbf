/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CUT_H
#define FGTI_CUT_H

/* Divides an array among workers. */

#include <stdint.h>

/* A division of n elements into at most FGTI_CHUNKS chunks. The borders depend only on n. So if the sums of
 * the chunks are added in order, the result has the same bits for any number of threads. The chunks are few
 * enough for an array on the stack. */
#define FGTI_CHUNKS 64
typedef struct fgti_cut {
    int64_t n, size, count;
} fgti_cut;

/* grain: fewest elements for which a further thread is worth its cost. */
static inline fgti_cut fgti_cut_of(int64_t n, int64_t grain)
{
    const int64_t grains = (n - 1) / grain + 1, each = (grains - 1) / FGTI_CHUNKS + 1;
    return n > 0 ? (fgti_cut){n, each * grain, (grains - 1) / each + 1} : (fgti_cut){0};
}
static inline int64_t fgti_cut_length(const fgti_cut *cut, int64_t chunk)
{
    const int64_t left = cut->n - chunk * cut->size;
    return left < cut->size ? left : cut->size;
}

/* Elements that an update or a loss handles in about ten microseconds. This is twice the time that it takes
 * to wake a thread. */
#define FGTI_GRAIN 8192

#endif
