/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_BENCH_H
#define FIGHTER_BENCH_H

#include <fighter/fighter.h>

/* A model and its sizes, with the letters of docs/notation.md. */
typedef struct bench_case bench_case;
struct bench_case {
    const char *name;
    fgt_model *(*make)(const bench_case *c, fgt_context *ctx);
    int64_t batch, time, features; /* of the input; ids: features 0 */
    int64_t vocab;                 /* 0: the input is real */
    int64_t out;                   /* steps to forecast, or classes */
    int64_t dim, heads, hops;
    int64_t ff, layers;
    double (*flops)(const bench_case *c); /* of the matrix products of one forward pass; NULL: not counted */
};

extern const bench_case bench_cases[]; /* ends with name NULL */

/* Ends the program with a sentence when status is an error. */
void bench_check(const char *what, fgt_status status, fgt_context *ctx);

/* Seconds. */
double bench_now(void);

/* The case of that name, which has no model. */
#define BENCH_ATTENT "attent-select"
void bench_attent(int32_t threads);

#endif
