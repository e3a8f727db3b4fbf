/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of the walkthrough: one column of a file, standardised, as windows of training and test. */
#include <stdlib.h>

#include "walkthrough.h"

#define TEST_SHARE 0.2

/* Loads only the column "OT" into a table. */
static fgt_status load(task *t, const char *path)
{
    fgt_table *all;
    int64_t    column;
    fgt_status s = fgt_table_load(t->ctx, path, NULL, &all);
    if (s != FGT_OK) return s;
    s = fgt_table_get_column(all, COLUMN, &column);
    if (s == FGT_OK) s = fgt_table_create_subset(all, &column, 1, &t->table);
    fgt_table_destroy(&all);
    return s;
}

/* Mean and standard deviation come from the training rows, so that nothing of the test rows is used. */
static fgt_status prepare(task *t)
{
    const fgt_view   values = fgt_table_get_values(t->table), *series = FGT_VIEW(t->series, t->rows, 1);
    fgt_windows_opts o = {.size = sizeof o, .input_len = LENGTH, .pred_len = 1, .end = t->test};
    fgt_status       s = fgt_scaler_create(t->ctx, 1, &t->scaler);
    if (s == FGT_OK) s = fgt_scaler_fit(t->scaler, &values, 0, t->test);
    if (s == FGT_OK) s = fgt_scaler_transform(t->scaler, &values, series);
    if (s == FGT_OK) s = fgt_windows_create(t->ctx, series, &o, &t->train);
    o.begin      = t->test;
    o.end        = t->rows;
    o.reach_back = 1;
    return s == FGT_OK ? fgt_windows_create(t->ctx, series, &o, &t->held) : s;
}

bool task_open(task *t, const options *o)
{
    const fgt_context_opts opts = {.size = sizeof opts, .threads = (int32_t)o->threads};
    if (fgt_context_create(&opts, &t->ctx) != FGT_OK) return complain("no context");
    if (load(t, o->data) != FGT_OK) return complain("%s: %s", o->data, fgt_context_get_error(t->ctx));
    t->rows   = fgt_table_count_rows(t->table);
    t->test   = t->rows - (int64_t)(TEST_SHARE * (double)t->rows);
    t->series = malloc((size_t)t->rows * sizeof *t->series);
    if (!t->series) return complain("no memory");
    return prepare(t) == FGT_OK || complain("%s: %s", o->data, fgt_context_get_error(t->ctx));
}

/* An fgt_source's get; user: windows. Views are given their full shape, [n,LENGTH,1] and [n,1,1]. */
static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    return fgt_windows_copy_samples(user, index, n, FGT_VIEW(x->data, n, LENGTH, 1),
                                    FGT_VIEW(target->data, n, 1, 1));
}

fgt_source task_source(fgt_windows *w)
{
    return (fgt_source){
        .size = sizeof(fgt_source), .count = fgt_windows_count_samples(w), .get = get, .user = w};
}

void task_close(task *t)
{
    fgt_windows_destroy(&t->held);
    fgt_windows_destroy(&t->train);
    fgt_scaler_destroy(&t->scaler);
    fgt_table_destroy(&t->table);
    free(t->series);
    fgt_context_destroy(&t->ctx);
}
