/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_BENCH_MEASURES_H
#define FIGHTER_BENCH_MEASURES_H

/* The measurements of the program bench. */

#include "cases.h"

/* Kernels by name, without a model. The name "kernels" stands for all of them. */
#define BENCH_KERNELS "kernels"
int  bench_is_kernel(const char *name);
void bench_list_kernels(void);
void bench_kernels(const char *name, int32_t threads, double seconds);

/* One selection from 10 million samples, with each strategy. */
#define BENCH_ATTENT "attent-select"
void bench_attent(int32_t threads);

/* Whole jobs by name; the name "jobs" stands for all of them. Their files are kept in `folder`; NULL: not
 * kept. */
#define BENCH_JOBS "jobs"
int  bench_is_job(const char *name);
void bench_list_jobs(void);
void bench_jobs(const char *name, const char *folder, int32_t threads);

/* products: an fgt_products; storage: an fgt_storage of predictors; precision: an fgt_precision. */
void bench_model(const bench_case *c, int32_t products, int32_t storage, int32_t precision, int32_t threads,
                 double seconds);

/* The rate of fused multiply-adds that the processor sustains on `threads` threads, in GFLOP/s. */
double bench_peak(int32_t threads);

#endif
