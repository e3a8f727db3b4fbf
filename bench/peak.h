/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_PEAK_H
#define FIGHTER_PEAK_H

#include <stddef.h>
#include <stdint.h>

/* Returns the flops of `rounds` rounds of multiply-adds x = x a + b on every chain. Values stay finite if |a|
 * < 1. */
double bench_peak_baseline(int64_t rounds, float a, float b);
double bench_peak_avx2(int64_t rounds, float a, float b);
double bench_peak_avx512(int64_t rounds, float a, float b);

#endif
