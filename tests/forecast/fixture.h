/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FORECAST_FIXTURE_H
#define TESTS_FORECAST_FIXTURE_H

/* For the tests of lib/forecast: a context that counts what is live and fails on demand, a small series,
 * files in a directory of its own. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <fighter/forecast.h>

#include "core/context.h"
#include "forecast/forecaster.h"

#define ROWS    200
#define COLUMNS 3

static struct memory {
    long live, countdown; /* the allocation that brings it to 0 fails; 0: none */
} memory;
static fgt_context    *ctx;
static char            directory[64];
static double          values[ROWS][COLUMNS];
static const fgt_split split = {0, 120, 120, 160, 160, 200};

static inline void *memory_alloc(void *user, size_t size, size_t align)
{
    struct memory *m = user;
    if (m->countdown > 0 && --m->countdown == 0) return NULL;
    void *p = fgti_libc_alloc(NULL, size, align);
    m->live += p != NULL;
    return p;
}

static inline void memory_release(void *user, void *ptr, size_t size)
{
    ((struct memory *)user)->live--;
    fgti_libc_release(NULL, ptr, size);
}

/* Two rhythms, a trend after the training rows, a step: no column is like another. */
static inline void fill_values(void)
{
    for (int r = 0; r < ROWS; r++) {
        values[r][0] = 10 + 3 * sin(r * 0.5) + (r > 120 ? 0.2 * r : 0);
        values[r][1] = -2 + cos(r * 0.25);
        values[r][2] = 1e4 + 100 * (r % 7);
    }
}

static inline int set_up(void **state)
{
    (void)state;
    const fgt_allocator    hook = {sizeof hook, memory_alloc, memory_release, &memory};
    const fgt_context_opts o    = {.size = sizeof o, .allocator = &hook, .threads = 2};
    fill_values();
    snprintf(directory, sizeof directory, "/tmp/fgt_forecast_%ld", (long)getpid());
    return mkdir(directory, 0700) || fgt_context_create(&o, &ctx) != FGT_OK;
}

static inline int tear_down(void **state)
{
    (void)state;
    char command[128];
    fgt_context_destroy(&ctx);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command) || memory.live != 0;
}

static inline void expect(fgt_status got, fgt_status want, const char *words)
{
    const char *said = fgt_context_error(ctx);
    if (got != want)
        fail_msg("%s instead of %s: %s", fgt_status_get_name(got), fgt_status_get_name(want), said);
    if (words && !strstr(said, words)) fail_msg("\"%s\" lacks \"%s\"", said, words);
}
#define OK(call) expect(call, FGT_OK, NULL)

static inline fgt_table *new_table(void)
{
    static const char *const names[] = {"load", "a,\"b\"", "\xc3\xb6l"};
    fgt_table               *table;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_F64, values, ROWS, COLUMNS), &table));
    return table;
}

/* Variates have no order, so blocks that read their tokens in order do not take them. */
static inline bool takes(int32_t block, int32_t tokens)
{
    return tokens != FGT_TOKENS_VARIATE || !(fgt_block_get_traits(block) & FGT_BLOCK_HAS_ORDER);
}

/* Small windows; the other options as given. */
static inline fgt_forecaster *new_forecaster(fgt_forecaster_opts o, const fgt_table *table)
{
    fgt_forecaster *f;
    o.size      = sizeof o;
    o.input_len = 24;
    o.pred_len  = 8;
    o.dim       = 8;
    o.patch     = 8;
    o.stride    = 4;
    o.seed      = 3;
    OK(fgt_forecaster_create(ctx, &o, table, &split, &f));
    return f;
}

static inline const char *in_directory(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

#endif
