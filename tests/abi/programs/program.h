/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts that the programs here share. They stand for programs of others: they see the public headers
 * alone, and print all they got, so that two builds of one source can be compared by their output. Numbers
 * are exact. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <fighter/fighter.h>
#include <fighter/tasks.h>
#include <stdio.h>
#include <stdlib.h>

static fgt_context *ctx;

static inline void check(fgt_status status)
{
    if (status == FGT_OK) return;
    printf("%s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static inline void print_numbers(const char *what, const float *x, int64_t count)
{
    printf("%s", what);
    for (int64_t i = 0; i < count; i++) printf(" %a", (double)x[i]);
    printf("\n");
}

/* Numbers in -1 .. 1, the same for ever. */
static inline void fill(float *x, int64_t count, unsigned seed)
{
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
}

static inline void print_report(const fgt_fit_report *report)
{
    printf("epochs %d, best %d, steps %d, samples %d\n", (int)report->epochs, (int)report->best_epoch,
           (int)report->steps, (int)report->samples);
    printf("loss %a %a\n", report->train_loss, report->best_loss);
    printf("cancelled %d, stopped %d, failed %d, diverged %d\n", (int)report->cancelled,
           (int)report->stopped_early, (int)report->failed_checkpoints, (int)report->diverged);
}

#endif
