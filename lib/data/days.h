/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_DAYS_H
#define FGTI_DAYS_H

/* days.c has lists of days. days_load.c reads these lists from files. */

#include <fighter/time.h>

#include "core/strings/list.h"

typedef struct fgti_day_entry {
    int64_t day;  /* days since 1970-01-01 */
    int64_t name; /* number of the day's name; -1: no name */
} fgti_day_entry;

struct fgt_days {
    fgt_context    *ctx;
    int64_t         count;
    fgti_day_entry *entry; /* [count]: ordered by day, then by name; no entry occurs twice */
    fgti_strings    names;
};

/* Copies the days of `from`, which may belong to another context. Only names that `names` contains are kept,
 * and they get the numbers of that list. */
fgt_status fgti_days_copy(fgt_context *ctx, const fgt_days *from, const fgti_strings *names, fgt_days **out);
/* Makes a list of days from the entries of a file. Takes over *names on success. FGT_E_FORMAT: an entry is
 * impossible. */
fgt_status fgti_days_restore(fgt_context *ctx, const int64_t *entries, int64_t count, fgti_strings *names,
                             fgt_days **out);
/* The name of entry i; NULL: no name. */
const char *fgti_days_get_name(const fgt_days *days, int64_t i);
/* Index of the first entry with this day or a later day. */
int64_t fgti_days_find(const fgt_days *days, int64_t day);

#endif
