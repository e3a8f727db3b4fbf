/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DATA_SMALL_FILES_H
#define TESTS_DATA_SMALL_FILES_H

/* For the tests of lib/data: cmocka, the counting context, small files and what is said about bad ones. */

#include <math.h>

#include <fighter/table.h>

#include "../model/counting_allocator.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define CSV(...) FGT_OPTS(fgt_csv_opts, __VA_ARGS__)

/* The last error, or a test fails that shows what it was instead. */
static inline void expect_sentence(const char *part)
{
    if (!strstr(context.error.text, part)) fail_msg("\"%s\" is not in \"%s\"", part, context.error.text);
}

static inline void expect_status(fgt_status got, fgt_status want)
{
    if (got != want)
        fail_msg("%s instead of %s: %s", fgt_status_get_name(got), fgt_status_get_name(want),
                 context.error.text);
}

static inline void expect_ok(fgt_status got)
{
    expect_status(got, FGT_OK);
}

static inline const char *put_text(const char *name, const char *text)
{
    const char *path = in_directory(name);
    test_write(path, text, strlen(text));
    return path;
}

static inline fgt_table *load_text(const char *text, const fgt_csv_opts *opts)
{
    fgt_table *table;
    expect_ok(fgt_table_load(&context, put_text("t.csv", text), opts, &table));
    return table;
}

static inline double value_at(const fgt_table *table, int64_t row, int64_t column)
{
    const fgt_view v = fgt_table_get_values(table);
    return ((const double *)v.data)[row * v.shape[1] + column];
}

static inline fgt_table_info info_of(const fgt_table *t)
{
    fgt_table_info info = {.size = sizeof info};
    expect_ok(fgt_table_get_info(t, &info));
    return info;
}

/* "a b: 1 nan; 2 20": the names of all columns and then the rows. */
static inline const char *table_of(const fgt_table *t)
{
    static char   out[1024];
    size_t        at      = 0;
    const int64_t columns = fgt_table_count_columns(t), rows = fgt_table_count_rows(t);
    for (int64_t c = 0; c < columns; c++)
        at += (size_t)snprintf(out + at, sizeof out - at, c ? " %s" : "%s",
                               fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, c));
    for (int64_t r = 0; r < rows; r++) {
        at += (size_t)snprintf(out + at, sizeof out - at, r ? ";" : ":");
        for (int64_t c = 0; c < columns; c++)
            at += (size_t)snprintf(out + at, sizeof out - at, " %g", value_at(t, r, c));
    }
    return out;
}

/* For context.log: how many warnings came, and the last line. */
static int  warnings;
static char warned[512];

static inline void keep_warning(void *user, int32_t level, const char *message)
{
    (void)user;
    warnings += level == FGT_LOG_WARN;
    snprintf(warned, sizeof warned, "%s", message);
}

static inline int expect_no_leak(void **state)
{
    (void)state;
    const int64_t live = hook.live;
    hook               = (test_memory){0};
    if (live) print_error("%lld blocks are still live\n", (long long)live);
    return live != 0;
}

/* A file of the real data, NULL (and a line that says so) where they are not. */
static inline const char *real_file(const char *name)
{
    static char path[1024];
    const char *folder = getenv("FGT_DATA");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : TESTS_DIR "/../../shared/data", name);
    if (access(path, R_OK) == 0) return path;
    print_message("SKIP: no %s (FGT_DATA names the folder)\n", path);
    return NULL;
}

#endif
