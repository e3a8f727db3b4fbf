/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in long form from Arrow arrays. */
#include <fighter/experimental/arrow.h>

#include "arrow_frame.h"
#include "small_files.h"

#define OPTS(...) FGT_OPTS(fgt_arrow_opts, __VA_ARGS__)

static const char text[] = "shop,day,sold,price\n"
                           "north,2024-01-01,1,10\n"
                           "south,2024-01-01,5,10\n"
                           "north,2024-01-02,2,11\n"
                           "south,2024-01-02,6,11\n"
                           "north,2024-01-03,3,12\n"
                           "south,2024-01-03,,12\n"
                           "north,2024-01-04,4,13\n";

static const int64_t days[]    = {19723, 19723, 19724, 19724, 19725, 19725, 19726};
static const double  sold[]    = {1, 5, 2, 6, 3, NAN, 4};
static const double  price[]   = {10, 10, 11, 11, 12, 12, 13};
static const int32_t offsets[] = {0, 5, 10, 15, 20, 25, 30, 35};
static const char    bytes[]   = "northsouthnorthsouthnorthsouthnorth";
static const int8_t  numbers[] = {7, -3, 7, -3, 7, -3, 7};
static int32_t       dates[7];
static frame         f;

static void start(bool texts)
{
    for (int i = 0; i < 7; i++) dates[i] = (int32_t)days[i];
    frame_begin(&f, 7);
    frame_add(&f, "price", "g", NULL, price, NULL);
    frame_add(&f, "day", "tdD", NULL, dates, NULL);
    frame_add(&f, "shop", texts ? "u" : "c", NULL, texts ? (const void *)offsets : numbers,
              texts ? bytes : NULL);
    frame_add(&f, "sold", "g", NULL, sold, NULL);
}

static void refuse(const fgt_arrow_opts *opts, fgt_status status, const char *sentence)
{
    fgt_table *t = (fgt_table *)&f;
    expect_status(fgt_table_create_arrow(&context, &f.schema, &f.array, opts, &t), status);
    expect_sentence(sentence);
    assert_null(t);
    assert_int_equal(hook.live, 0);
}

static void expect_same(const fgt_table *got, const fgt_table *want)
{
    const int64_t rows = fgt_table_count_rows(want), columns = fgt_table_count_columns(want);
    assert_int_equal(fgt_table_count_rows(got), rows);
    assert_int_equal(fgt_table_count_columns(got), columns);
    const int64_t *a = fgt_table_get_times(got).data, *b = fgt_table_get_times(want).data;
    for (int64_t r = 0; r < rows; r++) {
        assert_int_equal(a[r], b[r]);
        for (int64_t c = 0; c < columns; c++) {
            const double x = value_at(got, r, c), y = value_at(want, r, c);
            assert_true(x == y || (isnan(x) && isnan(y)));
        }
    }
    assert_int_equal(info_of(got).series, info_of(want).series);
    assert_int_equal(info_of(got).outside, info_of(want).outside);
}

static void test_as_from_a_file(void **state)
{
    (void)state;
    const fgt_arrow_opts shop = OPTS(.id = "shop", .value = "sold");
    fgt_table           *got, *want = load_text(text, &CSV(.id = "shop", .value = "sold"));
    start(true);
    expect_ok(fgt_table_create_arrow(&context, &f.schema, &f.array, &shop, &got));
    expect_same(got, want);
    static const char *const names[] = {"north", "south", "price"};
    for (int c = 0; c < 3; c++)
        assert_string_equal(fgt_table_get_name(got, FGT_TABLE_NAME_COLUMN, c), names[c]);
    assert_string_equal(fgt_table_get_name(got, FGT_TABLE_NAME_ID, 0), "shop");
    assert_string_equal(fgt_table_get_name(got, FGT_TABLE_NAME_VALUE, 0), "sold");
    assert_string_equal(fgt_table_get_name(got, FGT_TABLE_NAME_LABELS, 0), "day");
    fgt_table_destroy(&got);
    start(false);
    expect_ok(fgt_table_create_arrow(&context, &f.schema, &f.array, &shop, &got));
    expect_same(got, want);
    assert_string_equal(fgt_table_get_name(got, FGT_TABLE_NAME_COLUMN, 0), "7");
    assert_string_equal(fgt_table_get_name(got, FGT_TABLE_NAME_COLUMN, 1), "-3");
    fgt_table_destroy(&got);
    fgt_table_destroy(&want);
}

/* Unsigned integers of 64 bits, as hashes are. */
static void test_large_integers(void **state)
{
    static const uint64_t hashes[] = {UINT64_MAX, 1, UINT64_MAX, 1, UINT64_MAX, 1, UINT64_MAX};
    fgt_table            *t;
    (void)state;
    start(false);
    f.column_schema[2].format = "L";
    f.buffer[2][1]            = hashes;
    expect_ok(
        fgt_table_create_arrow(&context, &f.schema, &f.array, &OPTS(.id = "shop", .value = "sold"), &t));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "18446744073709551615");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "1");
    fgt_table_destroy(&t);
}

/* Without a column of values all columns are covariates, as in a file of future rows. */
static void test_covariates_alone(void **state)
{
    (void)state;
    fgt_table *t;
    start(true);
    f.schema.n_children = f.array.n_children = 3; /* without `sold` */
    expect_ok(fgt_table_create_arrow(&context, &f.schema, &f.array, &OPTS(.id = "shop"), &t));
    assert_int_equal(fgt_table_count_columns(t), 1);
    assert_int_equal(info_of(t).series, 0);
    assert_true(value_at(t, 3, 0) == 13);
    fgt_table_destroy(&t);
}

static void test_refused(void **state)
{
    (void)state;
    const fgt_arrow_opts shop = OPTS(.id = "shop", .value = "sold");
    start(true);
    refuse(&OPTS(.value = "sold"), FGT_E_ARG, "value names a column, but id does not");
    refuse(&OPTS(.id = "no"), FGT_E_NAME, "there is no column \"no\"");
    refuse(&OPTS(.id = "shop", .value = "no"), FGT_E_NAME, "there is no column \"no\"");
    refuse(&OPTS(.id = "price", .value = "sold"), FGT_E_DATA,
           "column \"price\" has no names of series (need texts or integers)");
    refuse(&OPTS(.id = "shop", .value = "sold", .no_times = 1), FGT_E_DATA, "needs a column of timestamps");
    static const uint8_t four[] = {0xef};
    f.buffer[2][0]              = four;
    f.column[2].null_count      = 1;
    refuse(&shop, FGT_E_DATA, "row 4, column \"shop\": the row has no series");
    start(true);
    static const int32_t none[] = {0, 5, 5, 15, 20, 25, 30, 35};
    f.buffer[2][1]              = none;
    refuse(&shop, FGT_E_DATA, "row 1, column \"shop\": the row has no series");
    start(true);
    dates[2] = dates[0];
    refuse(&shop, FGT_E_DATA, "row 2 is of \"north\" at 2024-01-01 00:00:00, and so is row 0");
    start(true);
    dates[4] = dates[6] + 1;
    refuse(&shop, FGT_E_DATA, "\"north\" has no row at");
}

static void test_no_memory(void **state)
{
    fgt_context *const ctx = &context;
    fgt_table         *t;
    fgt_status         s;
    (void)state;
    start(true);
    SWEEP(&hook, s, 20,
          fgt_table_create_arrow(ctx, &f.schema, &f.array, &OPTS(.id = "shop", .value = "sold"), &t))
    {
        assert_null(t);
        assert_int_equal(hook.live, 0);
    }
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_as_from_a_file, expect_no_leak),
        cmocka_unit_test_teardown(test_large_integers, expect_no_leak),
        cmocka_unit_test_teardown(test_covariates_alone, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
