/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables from Arrow arrays in long form. */
#include "data/arrow/arrow_long.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "data/join/table_long.h"

enum { LABEL = 24, NUMBER = 24 };

/* Writes an integer in digits. An unsigned one of 64 bits may be too large for `index`. */
static int64_t write_integer(const fgti_arrow_column *c, int64_t row, char number[NUMBER])
{
    const int64_t v = c->index(c->array->buffers[1], c->first + row);
    return v < 0 && fgti_arrow_number(c, row) > 0 ? snprintf(number, NUMBER, "%" PRIu64, (uint64_t)v)
                                                  : snprintf(number, NUMBER, "%" PRId64, v);
}

static fgt_status arrow_add_series(fgti_long *l, const fgti_arrow_column *series, const bool *missing,
                                   int64_t rows)
{
    const bool texts = series->holds == FGTI_ARROW_TEXTS;
    char       show[FGTI_SHOW], number[NUMBER];
    for (int64_t r = 0; r < rows; r++) {
        const char *name = texts ? NULL : number;
        int64_t     size = 0;
        if (!missing[r] && texts) FGTI_TRY(fgti_arrow_text(&l->ctx->error, series, r, &name, &size));
        if (!missing[r] && !texts) size = write_integer(series, r, number);
        if (!name || !size || memchr(name, 0, (size_t)size))
            return fgti_fail(&l->ctx->error, FGT_E_DATA,
                             "arrow: row %lld, column \"%s\": the row has no series", (long long)r,
                             fgti_show(series->name, show));
        FGTI_TRY(fgti_long_add(l, name, size));
    }
    return FGT_OK;
}

/* Labels the rows by their times, as the rows of a file are. */
static fgt_status arrow_add_labels(fgt_table *t, const int64_t *times)
{
    char label[LABEL];
    for (int64_t r = 0; r < t->rows; r++) {
        FGTI_TRY(fgt_time_format(times[r], label, LABEL));
        FGTI_TRY(fgti_strings_add(t->ctx, &t->dates, label, (int64_t)strlen(label)));
    }
    return FGT_OK;
}

fgt_status fgti_arrow_pivot(const fgti_arrow_column *series, const bool *missing, const int64_t *times,
                            const fgt_arrow_opts *opts, fgt_table **rows)
{
    fgt_table         *t   = *rows;
    fgt_context       *ctx = t->ctx;
    const fgt_csv_opts csv = {.size           = sizeof csv,
                              .categories     = opts->categories,
                              .category_count = opts->category_count,
                              .repair         = opts->repair,
                              .missing        = opts->missing,
                              .round          = opts->round,
                              .form           = FGT_TABLE_FORM_LONG};
    const fgti_zone    utc = {0};
    fgti_long          l;
    fgt_status         s = fgti_long_init(ctx, &l, 1);
    l.zone               = &utc;
    if (s == FGT_OK) s = fgti_strings_add(ctx, &t->form, series->name, (int64_t)strlen(series->name));
    if (s == FGT_OK && opts->value)
        s = fgti_strings_add(ctx, &t->form, opts->value, (int64_t)strlen(opts->value));
    if (s == FGT_OK) s = arrow_add_labels(t, times);
    if (s == FGT_OK) s = arrow_add_series(&l, series, missing, t->rows);
    if (s == FGT_OK) s = fgti_long_append(&l, &csv, "arrow", rows);
    if (s == FGT_OK) s = fgti_long_pivot(&l, &csv, rows);
    fgti_long_done(&l);
    return s;
}
