/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLOCK_H
#define FGTI_CLOCK_H

#include <time.h>

/* Seconds since some time in the past. */
static inline double fgti_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
