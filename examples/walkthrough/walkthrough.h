/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_WALKTHROUGH_H
#define EXAMPLES_WALKTHROUGH_H

/* Shared by the files of the walkthrough, which include only public headers of fighter. */

#include <stdbool.h>
#include <stdio.h>

#include <fighter/fighter.h>
#include <fighter/tasks.h>

#define COLUMN "OT"
#define LENGTH 50  /* hours that a model reads; it forecasts the next hour */
#define BATCH  64
#define MODELS 4
#define SHOWN  168 /* hours in the plot: a week */

/* ---- options.c ---- */

typedef struct options {
    const char *data, *plot;
    int64_t     epochs, threads, seed;
    bool        help;
} options;

/* Reads the options; --help prints the list of them. On error prints a message and returns false. */
bool options_read(int argc, char **argv, options *o);

/* Prints "walkthrough: " and a message to standard error; returns false. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool complain(const char *format, ...);

/* ---- task.c ---- */

typedef struct task {
    fgt_context *ctx;
    fgt_table   *table; /* table with only this column */
    fgt_scaler  *scaler;
    float       *series;       /* [rows,1], standardised */
    int64_t      rows, test;   /* test: the first test row */
    fgt_windows *train, *held; /* held: the test windows */
} task;

/* Loads the file of the options. On error prints a message and returns false. */
bool task_open(task *t, const options *o);
void task_close(task *t);

/* Windows as a source of samples. */
fgt_source task_source(fgt_windows *w);

/* ---- models.c ---- */

extern const char *const model_names[MODELS];

/* Adds the layers of model i to an empty model with the input [B,LENGTH,1]; its output is [B,1]. */
fgt_status model_build(fgt_model *m, int i);

/* ---- plot.c, or no_plot.c without cairo ---- */

typedef struct curves {
    const char   *title;
    const char   *from; /* label of the first hour; NULL: no label */
    const double *truth, *guess[MODELS]; /* [count] each */
    int64_t       count;
} curves;

/* Checks that a plot can be written to this path. On error prints a message and returns false. */
bool plot_check(const char *path);
bool plot_write(const curves *c, const char *path);

#endif
