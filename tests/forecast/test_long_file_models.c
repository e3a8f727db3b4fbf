/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of long files: what the columns of these are called goes with the model, and not all series must be
 * there. */
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/absent.h>
#include <fighter/experimental/ensemble.h>

#include "../model_info.h"
#include "small_series.h"

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
                      &FGT_OPTS(fgt_csv_opts, .form = FGT_TABLE_FORM_LONG, .id = id, .time = time,
                                .value = value, .repair = FGT_TABLE_REPAIR_GAPS,
                                .missing = FGT_TABLE_MISSING_MASK),
                      &t));
    return t;
}

static fgt_forecaster_info info_of(const fgt_forecaster *f)
{
    fgt_forecaster_info info = {.size = sizeof info};
    OK(fgt_forecaster_get_info(f, &info));
    return info;
}

static void has_form(const fgt_forecaster *f, const char *id, const char *time, const char *value)
{
    assert_string_equal(info_of(f).id_column, id);
    assert_string_equal(info_of(f).time_column, time);
    assert_string_equal(info_of(f).value_column, value);
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
    assert_null(info_of(plain).id_column);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(model)));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(model), NULL, &g));
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
    OK(fgt_forecaster_save(f, FGT_TO_MEMORY(bytes, 1 << 20, &size)));
    test_forget_hash(bytes, (size_t)size);
    at = strstr(bytes + 8, "forecast.form\"");
    assert_non_null(at);
    memcpy(at, "forecast.farm", 13); /* what no library reads */
    OK(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(bytes, size), NULL, &g));
    assert_null(info_of(g).id_column);
    fgt_forecaster_destroy(&g);
    memcpy(at, "forecast.form", 13);
    at = strstr(bytes + 8, "\\\",\\\"day");
    assert_non_null(at);
    memcpy(at, "_____", 5); /* two names: a file without values */
    OK(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(bytes, size), NULL, &g));
    assert_string_equal(info_of(g).id_column, "store_____day");
    assert_null(info_of(g).value_column);
    fgt_forecaster_destroy(&g);
    memcpy(strstr(at, "\\\",\\\"sold"), "_____", 5);
    REFUSED(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(bytes, size), NULL, &g), FGT_E_FORMAT, "forecast.form");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    free(bytes);
}

/* ---- series that are absent ---- */

/* The table of the fixture without column 1. */
static fgt_table *without_one(const fgt_table *whole)
{
    fgt_table *t;
    OK(fgt_table_create_subset(whole, (const int64_t[]){0, 2}, 2, &t));
    return t;
}

/* As training would leave them: in a new model the last maps are 0, and hide what is before them. */
static fgt_forecaster *with_weights(fgt_forecaster *f)
{
    fgt_model    *m     = fgt_forecaster_get_model(f);
    const int64_t count = model_info(m).parameters;
    float        *w     = malloc((size_t)count * sizeof *w);
    assert_non_null(w);
    for (int64_t i = 0; i < count; i++) w[i] = (float)sin((double)i * 1.7) * 0.2F;
    OK(fgt_model_set_weights(m, FGT_VIEW(w, count)));
    free(w);
    return f;
}

static bool is_same(int i, double some, double all)
{
    return i % COLUMNS == 1 ? isnan(some) : some == all;
}

/* Forecasts of all that are there are those of the whole table. */
static void forecasts_are_the_same(fgt_forecaster *f, const fgt_table *whole, const fgt_table *part)
{
    enum { H = 8, N = 2 };
    const int64_t  rows[N] = {150, 180};
    double         all[N][H][COLUMNS], some[N][H][COLUMNS];
    int64_t        first[COLUMNS];
    const fgt_view a   = *FGT_VIEW_OF(FGT_DTYPE_F64, all, N, H, COLUMNS);
    const fgt_view b   = *FGT_VIEW_OF(FGT_DTYPE_F64, some, N, H, COLUMNS);
    const fgt_view one = *FGT_VIEW_OF(FGT_DTYPE_F64, some, H, COLUMNS);
    OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), whole, rows, N, NULL, &a));
    OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), part, rows, N, NULL, &b));
    for (int i = 0; i < N * H * COLUMNS; i++)
        assert_true(is_same(i, (&some[0][0][0])[i], (&all[0][0][0])[i]));
    OK(fgt_forecaster_predict_table(f, part, 150, NULL, &one));
    for (int i = 0; i < H * COLUMNS; i++)
        assert_true(is_same(i, (&some[0][0][0])[i], (&all[0][0][0])[i]));
    OK(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), part, NULL, &one,
                                             FGT_VIEW_OF(FGT_DTYPE_I64, first, COLUMNS)));
    assert_true(first[0] == ROWS && first[1] == -1 && first[2] == ROWS && isnan(some[0][7][1]));
    assert_int_equal(fgt_forecaster_find_row(f, part), ROWS);
}

/* Of every model it is known whether its series depend on one another; random weights would show it. */
static void each_kind_of_model(void **state)
{
    (void)state;
    fgt_table *whole = new_table();
    int        alone = 0, together = 0;
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int k = 0; k < 2 * FGTI_TOKENS_COUNT; k++) {
            const int32_t       tokens = k / 2, space = k % 2;
            const bool          tokened = fgt_block_get_traits(block) & FGT_BLOCK_TRAIT_TOKENS;
            const bool          own     = tokens == FGT_TOKENS_VARIATE && block == FGT_BLOCK_MLP;
            const bool          depends = tokened && (space || (tokens != FGT_TOKENS_PATCH && !own));
            fgt_forecaster_opts o       = {
                      .block.kind = block, .tokens.kind = tokens, .space.kind = space, .output.no_linear = 1};
            int64_t             count = -1;
            if (!takes(block, tokens) || (space && (!tokened || tokens == FGT_TOKENS_TIME))) continue;
            o.tokens.revin       = block % 2;
            o.inputs.mask        = tokens == FGT_TOKENS_PATCH && !space;
            fgt_forecaster *f    = with_weights(new_forecaster(o, whole));
            fgt_table      *part = without_one(whole);
            if (depends) {
                REFUSED(fgt_forecaster_add_absent(f, part, &count), FGT_E_NAME,
                        "1 of the model's 3 series is absent: a,\"b\"; the model looks at all");
                assert_true(fgt_table_count_columns(part) == 2 && count == -1);
            } else {
                OK(fgt_forecaster_add_absent(f, part, &count));
                assert_true(fgt_table_count_columns(part) == 3 && count == 1);
                forecasts_are_the_same(f, whole, part);
                OK(fgt_forecaster_add_absent(f, part, &count));
                assert_int_equal(count, 0);
            }
            together += depends;
            alone += !depends;
            fgt_table_destroy(&part);
            fgt_forecaster_destroy(&f);
        }
    assert_true(alone > 5 && together > 5);
    fgt_table_destroy(&whole);
}

static void roles_and_errors(void **state)
{
    (void)state;
    fgt_table         *whole = new_table(), *part = without_one(whole), *other = NULL;
    const char *const  known[] = {"load"}, *const third[] = {"other", "others"};
    const double       share[] = {0.1, 0.5};
    fgt_forecaster_opts q2      = {.output.quantiles = share, .output.quantile_count = 2};
    fgt_forecaster_opts past    = {.inputs.past = known, .inputs.past_count = 1},
                        kn      = {.inputs.known = known, .inputs.known_count = 1};
    fgt_forecaster    *f = with_weights(new_forecaster(q2, whole));
    fgt_forecaster    *g = with_weights(new_forecaster(past, whole));
    fgt_forecaster    *k = with_weights(new_forecaster(kn, whole));
    int64_t            count;
    double             q[2][8][COLUMNS];
    fgt_metric         all = {0}, some = {0};
    REFUSED(fgt_forecaster_add_absent(g, part, &count), FGT_E_NAME, "the model looks at all series together");
    REFUSED(fgt_forecaster_add_absent(f, part, NULL), FGT_E_ARG, "count");
    REFUSED(fgt_forecaster_add_absent(f, NULL, &count), FGT_E_ARG, "table");
    OK(fgt_table_create(ctx, third, FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, 2), &other));
    REFUSED(fgt_forecaster_add_absent(f, other, &count), FGT_E_NAME, "there is no column \"load\"");
    OK(fgt_forecaster_evaluate(k, whole, 160, 200, &all));
    OK(fgt_forecaster_add_absent(f, part, &count));
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), part, -1, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q, 2, 8, COLUMNS)));
    assert_true(isnan(q[1][0][1]) && !isnan(q[1][0][0]) && !isnan(q[0][7][2]));
    fgt_table_destroy(&part);
    part = without_one(whole);
    OK(fgt_forecaster_add_absent(k, part, &count));
    OK(fgt_forecaster_evaluate(k, part, 160, 200, &some));
    assert_true(2 * some.count == all.count);
    fgt_table_destroy(&part);
    OK(fgt_table_create_subset(whole, (const int64_t[]){1, 2}, 2, &part)); /* without what is known */
    OK(fgt_forecaster_add_absent(k, part, &count));
    assert_int_equal(count, 0);
    fgt_table_destroy(&other);
    fgt_table_destroy(&part);
    fgt_forecaster_destroy(&k);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&whole);
}

static void failed_allocations_change_nothing(void **state)
{
    (void)state;
    fgt_table      *whole = new_table(), *part = without_one(whole);
    fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){0}, whole);
    int64_t         count = -1;
    fgt_status      s;
    SWEEP(&memory, s, 5, fgt_forecaster_add_absent(f, part, &count))
    {
        assert_true(fgt_table_count_columns(part) == 2 && count == -1);
    }
    assert_int_equal(count, 1);
    forecasts_are_the_same(f, whole, part);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&part);
    fgt_table_destroy(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_with_the_file),
        cmocka_unit_test(files_without_names),
        cmocka_unit_test(each_kind_of_model),
        cmocka_unit_test(roles_and_errors),
        cmocka_unit_test(failed_allocations_change_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
