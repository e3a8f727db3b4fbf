/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FORECAST_DRAWS_H
#define TESTS_FORECAST_DRAWS_H

/* Random numbers of made series. */

#include <stdint.h>

/* Evenly in 0 .. 1. */
static inline double draw_even(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (1 << 24);
}

/* Nearly normal: mean 0, variance 1. */
static inline double draw_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += draw_even(state);
    return sum;
}

#endif
