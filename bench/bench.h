/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_BENCH_H
#define FIGHTER_BENCH_H

#include <stdbool.h>

#include <fighter/fighter.h>
#include <fighter/tasks.h>

/* A model and its sizes, with the letters of docs/notation.md. */
typedef struct bench_case bench_case;
struct bench_case {
    const char *name;
    fgt_model *(*make)(const bench_case *c, fgt_context *ctx);
    int64_t batch, time, features; /* of the input; features 0: the input is ids */
    int64_t vocab;                 /* 0: the input is real numbers */
    int64_t out;                   /* steps to forecast, or classes */
    int64_t dim, heads, hops;
    int64_t ff, layers;
    /* Flops of the matrix products of a forward pass (NULL: not counted), and of the gradient of the input of
     * the first layer, which is not computed (NULL: the first layer has no such gradient). */
    double (*forward_flops)(const bench_case *c);
    double (*unasked_flops)(const bench_case *c);
    int32_t attention; /* an fgt_attn_mode */
    int64_t nodes;     /* N; 0: the input has no axis of nodes */
    int64_t patch;     /* rows and columns of a patch of an image [nodes,time,features]; 0: the input is no
                        * image */
};

extern const bench_case bench_cases[]; /* ends with name NULL */

/* An empty model for a case's input. */
fgt_model *bench_new_model(const bench_case *c, fgt_context *ctx);

/* graph.c: models on a given or a learned graph of the nodes. */
fgt_model *bench_given_graph(const bench_case *c, fgt_context *ctx);
fgt_model *bench_learned_graph(const bench_case *c, fgt_context *ctx);

/* vision.c: classes of images. */
fgt_model *bench_vit(const bench_case *c, fgt_context *ctx);
double     bench_vit_flops(const bench_case *c);
double     bench_vit_flops_entry(const bench_case *c);

/* Whether the targets are classes, not numbers. */
bool bench_has_classes(const bench_case *c);

/* Flops of a forward pass and of the gradients that are computed: every product y = x W has a dW and a dx of
 * its size. */
double bench_train_flops(const bench_case *c);

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

/* Ends the program with a message if status is an error; bench_room() does so if there is no memory. */
void  bench_check(const char *what, fgt_status status, fgt_context *ctx);
void *bench_room(size_t count, size_t size); /* zeros, aligned to 64 bytes */

double bench_now(void);     /* seconds */
double bench_uniform(void); /* -0.5 .. 0.5 */

#endif
