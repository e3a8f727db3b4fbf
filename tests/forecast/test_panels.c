/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of long files: what the columns of these are called goes with the model. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"

enum { DAYS = 200, SHOPS = 3 };

static double sold(int shop, int day)
{
    return 10 * (shop + 1) + (day + 3 * shop) % 7;
}

/* Rows of some shops; a bit of `shops` is that of one. */
static void write_long(const char *path, const char *head, int shops)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", head);
    for (int i = 0; i < SHOPS; i++)
        for (int d = 0; shops >> i & 1 && d < DAYS; d++)
            fprintf(f, "shop %c,2023-%02d-%02d,%g\n", 'a' + i, 1 + d / 28, 1 + d % 28, sold(i, d));
    assert_int_equal(fclose(f), 0);
}

static fgt_table *load_long(const char *path, const char *id, const char *time, const char *value)
{
    fgt_table *t = NULL;
    OK(fgt_table_load(ctx, path,
                      &FGT_OPTS(fgt_csv_opts, .form = FGT_TABLE_LONG, .id = id, .time = time, .value = value,
                                .repair = FGT_REPAIR_GAPS, .missing = FGT_MISSING_MASK),
                      &t));
    return t;
}

static void has_form(const fgt_forecaster *f, const char *id, const char *time, const char *value)
{
    assert_string_equal(fgt_forecaster_get_form(f, 0), id);
    assert_string_equal(fgt_forecaster_get_form(f, 1), time);
    assert_string_equal(fgt_forecaster_get_form(f, 2), value);
    assert_null(fgt_forecaster_get_form(f, 3));
    assert_null(fgt_forecaster_get_form(f, -1));
}

static void names_go_with_the_file(void **state)
{
    (void)state;
    const char *const csv = in_directory("long.csv"), *const model = in_directory("form.safetensors");
    write_long(csv, "store,day,sold", 7);
    fgt_table      *t = load_long(csv, "store", "day", "sold"), *wide = new_table();
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){0}, t), *g = NULL, *mean = NULL;
    fgt_forecaster *plain = new_forecaster((fgt_forecaster_opts){0}, wide);
    has_form(f, "store", "day", "sold");
    assert_null(fgt_forecaster_get_form(NULL, 0));
    assert_null(fgt_forecaster_get_form(plain, 0));
    OK(fgt_forecaster_save(f, model));
    OK(fgt_forecaster_load(ctx, model, NULL, &g));
    has_form(g, "store", "day", "sold");
    OK(fgt_forecaster_create_mean(ctx, (fgt_forecaster *[]){f, g}, 2, &mean));
    has_form(mean, "store", "day", "sold");
    fgt_forecaster_destroy(&mean);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&plain);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&wide);
    fgt_table_destroy(&t);
}

/* Old files have no such names, and are read as before. */
static void files_without_names(void **state)
{
    (void)state;
    const char *const csv = in_directory("long.csv");
    char             *bytes = malloc(1 << 20), *at;
    int64_t           size  = 0;
    write_long(csv, "store,day,sold", 7);
    fgt_table      *t = load_long(csv, "store", "day", "sold");
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){0}, t), *g = NULL;
    assert_non_null(bytes);
    OK(fgt_forecaster_save_memory(f, bytes, 1 << 20, &size));
    test_forget_hash(bytes, (size_t)size);
    at = strstr(bytes + 8, "forecast.form\"");
    assert_non_null(at);
    memcpy(at, "forecast.farm", 13); /* what no library reads */
    OK(fgt_forecaster_load_memory(ctx, bytes, size, NULL, &g));
    assert_null(fgt_forecaster_get_form(g, 0));
    fgt_forecaster_destroy(&g);
    memcpy(at, "forecast.form", 13);
    at = strstr(bytes + 8, "\\\",\\\"day");
    assert_non_null(at);
    memcpy(at, "_____", 5); /* two names: a file without values */
    OK(fgt_forecaster_load_memory(ctx, bytes, size, NULL, &g));
    assert_string_equal(fgt_forecaster_get_form(g, 0), "store_____day");
    assert_null(fgt_forecaster_get_form(g, 2));
    fgt_forecaster_destroy(&g);
    memcpy(strstr(at, "\\\",\\\"sold"), "_____", 5);
    REFUSED(fgt_forecaster_load_memory(ctx, bytes, size, NULL, &g), FGT_E_FORMAT, "forecast.form");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_with_the_file),
        cmocka_unit_test(files_without_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
