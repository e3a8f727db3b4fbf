/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_DAYS_H
#define FGTI_DAYS_H

/* days.c: lists of days. days_load.c reads them from files. */

#include <fighter/time.h>

#include "core/strings/list.h"

typedef struct fgti_day_entry {
    int64_t day;  /* since 1970-01-01 */
    int64_t name; /* -1: none */
} fgti_day_entry;

struct fgt_days {
    fgt_context    *ctx;
    int64_t         count;
    fgti_day_entry *entry; /* [count], by day and then by name, without repeats */
    fgti_strings    names;
};

/* Copies the days of `from`, which may belong to another context. Only names in the list are kept; they are
 * numbered in the list's order. */
fgt_status fgti_days_copy(fgt_context *ctx, const fgt_days *from, const fgti_strings *names, fgt_days **out);
/* A list of entries from a file; takes *names on success. FGT_E_FORMAT: impossible entries. */
fgt_status fgti_days_restore(fgt_context *ctx, const int64_t *entries, int64_t count, fgti_strings *names,
                             fgt_days **out);
/* The name of entry i; NULL: no name. */
const char *fgti_days_get_name(const fgt_days *days, int64_t i);
/* Index of the first entry with this day or a later one. */
int64_t fgti_days_find(const fgt_days *days, int64_t day);

#endif
