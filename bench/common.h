/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_BENCH_COMMON_H
#define FIGHTER_BENCH_COMMON_H

/* Results, times, memory and errors of all benchmark programs. */

#include <fighter/fighter.h>

/* One result: a line of JSON, or a row of a table with a heading before the first row. */
typedef struct bench_field {
    const char *name;
    const char *text; /* NULL: the value */
    double      value;
    int         digits; /* after the decimal point */
} bench_field;
#define BENCH_PRINT(...) \
    bench_print((const bench_field[]){__VA_ARGS__}, sizeof(bench_field[]){__VA_ARGS__} / sizeof(bench_field))
void bench_print(const bench_field *field, size_t fields);

/* Median milliseconds of fn(arg), after a warm-up: at least 5 runs, or 3 if fn is slow. */
double bench_median_ms(void (*fn)(void *arg), void *arg, double seconds);
/* Sizes and shapes of a model. */
fgt_model_info bench_info(const fgt_model *m);

/* Ends the program with a message if status is an error; bench_room() does so if there is no memory. */
void  bench_check(const char *what, fgt_status status, fgt_context *ctx);
void *bench_room(size_t count, size_t size); /* zeros, aligned to 64 bytes */

double bench_now(void);     /* seconds */
double bench_uniform(void); /* -0.5 .. 0.5 */

#endif
