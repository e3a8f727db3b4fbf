/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts have no forecast below 0, and errors are measured with the forecasts as they are written. */
#include "small_series.h"

#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/evaluate.h>

enum { L = 24, H = 8 }; /* of new_forecaster() */

/* Column 0 falls to 0 and stays there, column 1 is below 0, column 2 has whole numbers far above it. */
static fgt_table *new_counts(void)
{
    for (int r = 0; r < ROWS; r++) values[r][0] = (r < 150 ? 150 - r : 0) + 9 * (r % 3 == 0);
    fgt_table *table = new_table();
    fill_values();
    return table;
}

typedef struct sums {
    double least[COLUMNS], end, absolute;
    int    values;
} sums;

static fgt_status add_window(void *user, const fgt_forecast_window *w)
{
    sums         *s = user;
    const double *y = w->forecast.data, *truth = w->truth.data, *low = w->low.data;
    for (int i = 0; i < H * COLUMNS; i++) {
        s->least[i % COLUMNS] = fmin(s->least[i % COLUMNS], y[i]);
        if (i % COLUMNS == 0) s->end = fmin(s->end, low[i]);
        if (i % COLUMNS == 0) s->absolute += fabs(y[i] - truth[i]);
        s->values += i % COLUMNS == 0;
    }
    return FGT_OK;
}

static sums visit(fgt_forecaster *f, const fgt_table *table)
{
    sums s = {.least = {INFINITY, INFINITY, INFINITY}, .end = INFINITY};
    OK(fgt_forecaster_visit(
        f, table,
        &FGT_OPTS(fgt_forecast_visit_opts, .begin = 160, .levels = (const double[]){0.8}, .level_count = 1),
        add_window, &s));
    return s;
}

static int64_t counts_of(const fgt_forecaster *f)
{
    fgt_forecaster_info info = {.size = sizeof info};
    OK(fgt_forecaster_get_info(f, &info));
    return info.counts;
}

static void never_below(void **state)
{
    (void)state;
    fgt_table      *table = new_counts();
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, table), *g;
    double          next[H][COLUMNS], same[H][COLUMNS];
    const sums      free  = visit(f, table);
    assert_true(free.least[0] < 0 && free.least[1] < 0 && free.end < 0);
    OK(fgt_forecaster_set_counts(f, table));
    assert_int_equal(counts_of(f), 2);
    const sums raised = visit(f, table);
    assert_true(raised.least[0] == 0 && raised.end == 0);
    assert_true(raised.least[1] == free.least[1] && raised.least[2] == free.least[2]);
    assert_true(raised.absolute < free.absolute);
    OK(fgt_forecaster_predict_table(f, table, -1, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, next, H, COLUMNS)));
    for (int h = 0; h < H; h++) assert_true(next[h][0] >= 0);
    /* files and means keep it */
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("counts.st"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("counts.st")), NULL, &g));
    assert_int_equal(counts_of(g), 2);
    OK(fgt_forecaster_predict_table(g, table, -1, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, same, H, COLUMNS)));
    assert_memory_equal(next, same, sizeof next);
    fgt_forecaster_destroy(&g);
    OK(fgt_forecaster_create_mean(ctx, &f, 1, &g));
    assert_int_equal(counts_of(g), 2);
    fgt_forecaster_destroy(&g);
    /* and it can be taken back */
    OK(fgt_forecaster_set_counts(f, NULL));
    assert_int_equal(counts_of(f), 0);
    assert_true(visit(f, table).least[0] == free.least[0]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* One count among three targets is a measurement. */
static void few(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, table);
    OK(fgt_forecaster_set_counts(f, table));
    assert_int_equal(counts_of(f), 0);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Rows that have such values are no counts, whatever the table of training had. */
static void window_below(void **state)
{
    (void)state;
    fgt_table      *table = new_counts();
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, table);
    double          rows[L][COLUMNS], next[H][COLUMNS];
    OK(fgt_forecaster_set_counts(f, table));
    memcpy(rows, values, sizeof rows);
    for (int r = 0; r < L; r++) rows[r][0] = -40 - r;
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f),
        &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, rows, L, COLUMNS)),
        FGT_VIEW_OF(FGT_DTYPE_F64, next, H, COLUMNS)));
    assert_true(next[0][0] < -10);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static void refused(void **state)
{
    (void)state;
    fgt_table      *table = new_counts(), *other;
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, table);
    fgt_status      s;
    assert_int_equal(fgt_forecaster_set_counts(NULL, table), FGT_E_ARG);
    SWEEP(&memory, s, 1, fgt_forecaster_set_counts(f, table)) assert_int_equal(counts_of(f), 0);
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, COLUMNS), &other));
    REFUSED(fgt_forecaster_set_counts(f, other), FGT_E_NAME, "there is no column \"load\"");
    assert_int_equal(counts_of(f), 2);
    fgt_table_destroy(&other);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Marks of a file are 0 or 1, of the type and the number of the targets. */
static void damaged(void **state)
{
    (void)state;
    static char          file[1 << 20];
    static const int64_t marks[] = {1, 0, 1}, bad[] = {1, 0, 2};
    fgt_table           *table = new_counts();
    fgt_forecaster      *f = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, table), *g;
    int64_t              bytes, at = 0;
    OK(fgt_forecaster_set_counts(f, table));
    OK(fgt_forecaster_save(f, FGT_TO_MEMORY(file, sizeof file, &bytes)));
    test_forget_hash(file, (size_t)bytes);
    while (at + (int64_t)sizeof marks < bytes && memcmp(file + at, marks, sizeof marks) != 0) at++;
    assert_true(at + (int64_t)sizeof marks < bytes);
    memcpy(file + at, bad, sizeof bad);
    REFUSED(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &g), FGT_E_FORMAT,
            "element 2 is not 0 or 1");
    memcpy(file + at, marks, sizeof marks);
    char *name = file;
    while (name < file + bytes && memcmp(name, "forecast.counts", 15) != 0) name++;
    memcpy(strstr(name, "I64"), "F64", 3);
    REFUSED(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &g), FGT_E_FORMAT,
            "wrong type (got F64");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_below), cmocka_unit_test(few),
                                       cmocka_unit_test(window_below), cmocka_unit_test(refused),
                                       cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
