/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables from Arrow arrays that are made by hand. */
#include <fighter/experimental/arrow.h>

#include "arrow_frame.h"
#include "small_files.h"

#define OPTS(...) FGT_OPTS(fgt_arrow_opts, __VA_ARGS__)

static frame f;

static fgt_table *import(const fgt_arrow_opts *opts)
{
    fgt_table *t;
    expect_ok(fgt_table_create_arrow(&context, &f.schema, &f.array, opts, &t));
    return t;
}

static void refuse(const fgt_arrow_opts *opts, fgt_status status, const char *sentence)
{
    fgt_table *t = (fgt_table *)&f;
    expect_status(fgt_table_create_arrow(&context, &f.schema, &f.array, opts, &t), status);
    expect_sentence(sentence);
    assert_null(t);
    assert_int_equal(hook.live, 0);
}

static const double  two[]  = {1.5, -2};
static const int64_t days[] = {0, 86400};

static void test_numbers(void **state)
{
    (void)state;
    static const int8_t   i8[] = {-128, 127};
    static const uint8_t  u8[] = {0, 255}, bits[] = {2};
    static const int16_t  i16[] = {-32768, 3};
    static const uint16_t u16[] = {65535, 3}, half[] = {0xc100, 0x0001}; /* -2.5, the least above 0 */
    static const int32_t  i32[] = {INT32_MIN, 3};
    static const uint32_t u32[] = {UINT32_MAX, 3};
    static const int64_t  i64[] = {INT64_C(-9007199254740992), 3};
    static const uint64_t u64[] = {UINT64_MAX, 3};
    static const float    f32[] = {0.5f, NAN};
    const struct {
        const char *format;
        const void *data;
        double      first, second;
    } all[] = {
        {"c", i8, -128, 127},       {"C", u8, 0, 255},         {"s", i16, -32768, 3},  {"S", u16, 65535, 3},
        {"i", i32, INT32_MIN, 3},   {"I", u32, UINT32_MAX, 3}, {"l", i64, -0x1p53, 3}, {"L", u64, 0x1p64, 3},
        {"e", half, -2.5, 0x1p-24}, {"g", two, 1.5, -2},       {"b", bits, 0, 1},
    };
    frame_begin(&f, 2);
    for (size_t i = 0; i < COUNT(all); i++) frame_add(&f, NULL, all[i].format, NULL, all[i].data, NULL);
    frame_add(&f, "f", "f", NULL, f32, NULL);
    frame_add(&f, "none", "n", NULL, NULL, NULL);
    fgt_table    *t = import(&OPTS(.missing = FGT_TABLE_MISSING_MASK));
    const int64_t n = COUNT(all);
    assert_int_equal(fgt_table_count_columns(t), n + 2);
    for (int64_t i = 0; i < n; i++) {
        assert_true(value_at(t, 0, i) == all[i].first);
        assert_true(value_at(t, 1, i) == all[i].second);
    }
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 3), "3");
    assert_true(value_at(t, 0, n) == 0.5 && isnan(value_at(t, 1, n)));
    assert_true(isnan(value_at(t, 0, n + 1)));
    assert_int_equal(info_of(t).missing, 3);
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0));
    fgt_table_destroy(&t);
    f.array.release(&f.array); /* they are still the caller's */
    f.schema.release(&f.schema);
}

/* Offsets of the table, of its columns, and both; elements at an odd address. */
static void test_offsets(void **state)
{
    (void)state;
    static const int32_t values[] = {10, 11, 12, 13, 14, 15};
    static const uint8_t valid[]  = {0x37}; /* 3 is missing */
    static const uint8_t rows[]   = {0x1f}; /* row 5 of the table is missing */
    static char          odd[25];
    memcpy(odd + 1, values, sizeof values);
    frame_begin(&f, 3);
    f.array.offset                                       = 1;
    frame_add(&f, "a", "i", valid, values, NULL)->length = 4;
    struct ArrowArray *b                                 = frame_add(&f, "b", "i", valid, odd + 1, NULL);
    b->offset                                            = 2;
    b->length                                            = 4;
    b->null_count                                        = 1;
    fgt_table *t                                         = import(&OPTS(.missing = FGT_TABLE_MISSING_MASK));
    assert_true(value_at(t, 0, 0) == 11 && value_at(t, 1, 0) == 12 && isnan(value_at(t, 2, 0)));
    assert_true(isnan(value_at(t, 0, 1)) && value_at(t, 1, 1) == 14 && value_at(t, 2, 1) == 15);
    fgt_table_destroy(&t);

    t = import(&OPTS(.missing = FGT_TABLE_MISSING_FORWARD_FILL, .columns = (const char *[]){"a"},
                     .column_count = 1));
    assert_true(value_at(t, 2, 0) == 12);
    fgt_table_destroy(&t);
    refuse(NULL, FGT_E_DATA, "arrow: row 2, column \"a\": no value; the option `missing`");

    b->length          = 6;
    b->offset          = 0;
    f.column[0].length = 6;
    f.array.offset     = 3;
    f.root_buffer[0]   = rows;
    f.array.null_count = -1;
    t                  = import(&OPTS(.missing = FGT_TABLE_MISSING_MASK));
    assert_true(isnan(value_at(t, 0, 0)) && value_at(t, 1, 0) == 14 && isnan(value_at(t, 2, 0)));
    fgt_table_destroy(&t);
}

static void test_times(void **state)
{
    (void)state;
    static const int64_t ms[] = {-1, 86399999}, us[] = {-1, 86399999999}, ns[] = {-1000000, 86399000000};
    static const int32_t d32[] = {-1, 0};
    const struct {
        const char *format;
        const void *data;
        int64_t     first;
    } all[] = {{"tss:", days, 0},      {"tss:Europe/Berlin", days, 0},
               {"tsm:UTC", ms, -1},    {"tdm", ms, -1},
               {"tsu:", us, -1},       {"tsn:", ns, -1},
               {"tdD", d32, -86400000}};
    for (size_t i = 0; i < COUNT(all); i++) {
        frame_begin(&f, 2);
        frame_add(&f, "a", "g", NULL, two, NULL);
        frame_add(&f, "t", all[i].format, NULL, all[i].data, NULL);
        fgt_table     *t     = import(NULL);
        const fgt_view times = fgt_table_get_times(t);
        assert_int_equal(times.shape[0], 2);
        assert_int_equal(((const int64_t *)times.data)[0], all[i].first);
        assert_int_equal(fgt_table_count_columns(t), 1);
        fgt_table_destroy(&t);
    }
    static const int64_t back[] = {86400, 0};
    frame_begin(&f, 2);
    frame_add(&f, "until", "tss:", NULL, days, NULL);
    frame_add(&f, "t", "tss:", NULL, back, NULL);
    frame_add(&f, "a", "g", NULL, two, NULL);
    fgt_table *t = import(&OPTS(.time = "t", .repair = FGT_TABLE_REPAIR_ORDER));
    assert_true(value_at(t, 0, 0) == -2 && info_of(t).reordered == 1);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "until");
    fgt_table_destroy(&t);
    t = import(&OPTS(.no_times = 1));
    assert_int_equal(info_of(t).ignored, 2);
    assert_int_equal(fgt_table_get_times(t).shape[0], 0);
    fgt_table_destroy(&t);
    refuse(&OPTS(.time = "t"), FGT_E_DATA, "arrow: \"t\": the newest row comes first");
    static const int64_t late[] = {7, 86390};
    f.buffer[1][1]              = late;
    t                           = import(&OPTS(.time = "t", .round = 86400000));
    assert_int_equal(((const int64_t *)fgt_table_get_times(t).data)[1], 86400000);
    fgt_table_destroy(&t);
    refuse(&OPTS(.round = 7 * 86400000), FGT_E_ARG, "fgt_arrow_opts: round does not divide a day");
    refuse(&OPTS(.time = "a"), FGT_E_DATA, "column \"a\" has no timestamps or dates");
    static const int64_t far[] = {0, INT64_MAX};
    f.buffer[1][1]             = far;
    refuse(&OPTS(.time = "t"), FGT_E_DATA, "\"t\": row 1: 9223372036854775807 is no time in the years");
    static const uint8_t first[] = {1};
    f.buffer[1][0]               = first;
    f.column[1].null_count       = 1;
    refuse(&OPTS(.time = "t"), FGT_E_DATA, "row 1, column \"t\": no time");
}

static const int32_t offsets[] = {0, 3, 7, 7, 10};
static const int64_t large[]   = {0, 3, 7, 7, 10};
static const char    bytes[]   = "sunrainsun";

static void expect_sky(const fgt_table *t)
{
    assert_int_equal(fgt_table_count_columns(t), 3);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "sky=rain");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 2), "sky=sun");
    const double want[3][2] = {{1, 0}, {NAN, NAN}, {0, 1}};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 2; c++)
            assert_true(isnan(want[r][c]) ? isnan(value_at(t, r, 1 + c))
                                          : value_at(t, r, 1 + c) == want[r][c]);
}

static void test_texts(void **state)
{
    (void)state;
    static const char *const sky[] = {"sky", "a"}, *const sun[] = {"sky=sun", "sky=fog"};
    static const int16_t codes[] = {2, 1, 0, 2}; /* of "", rain, sun: the first is missing */
    static const int32_t words[] = {0, 0, 4, 7};
    static const uint8_t valid[] = {0x0b}, six[] = {0x06};
    static const double  three[] = {1, 2, 3};
    const fgt_arrow_opts mask =
        OPTS(.categories = sky, .category_count = 2, .missing = FGT_TABLE_MISSING_MASK);
    for (int kind = 0; kind < 3; kind++) {
        frame_begin(&f, 3);
        frame_add(&f, "a", "g", NULL, three, NULL);
        struct ArrowArray *c = kind == 2 ? frame_add(&f, "sky", "s", NULL, codes, NULL)
                                         : frame_add(&f, "sky", kind ? "U" : "u", valid,
                                                     kind ? (const void *)large : offsets, bytes);
        if (kind == 2) frame_dictionary(&f, "u", 3, six, words, "rainsun");
        c->offset    = 1;
        fgt_table *t = import(&mask);
        expect_sky(t);
        fgt_table_destroy(&t);
        t = import(NULL);
        assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "sky");
        assert_int_equal(fgt_table_count_columns(t), 1);
        fgt_table_destroy(&t);
        t = import(&OPTS(.categories = sun, .category_count = 2, .missing = FGT_TABLE_MISSING_MASK));
        assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "sky=sun");
        assert_true(value_at(t, 0, 1) == 0 && value_at(t, 2, 1) == 1);
        assert_int_equal(info_of(t).unseen, 1);
        fgt_table_destroy(&t);
        refuse(&OPTS(.categories = sky, .category_count = 1), FGT_E_DATA, "row 1, column \"sky\": no value");
    }
}

/* A view is 16 bytes: the length, and the text or where it is. */
static void test_views(void **state)
{
    (void)state;
    static const char *const sky[] = {"sky"};
    static const char        far[] = "--very much rain";
    static const int64_t     lengths[] = {16};
    static const void       *buffers[] = {NULL, NULL, far, lengths};
    int32_t                  views[2][4] = {{3, 0, 0, 0}, {14, 0, 0, 2}};
    const fgt_arrow_opts     opts        = OPTS(.categories = sky, .category_count = 1);
    memcpy(&views[0][1], "sun", 3);
    buffers[1] = views;
    frame_begin(&f, 2);
    struct ArrowArray *c = frame_add(&f, "sky", "vu", NULL, NULL, far);
    c->buffers           = buffers;
    c->n_buffers         = 4;
    fgt_table *t         = import(&opts);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "sky=sun");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "sky=very much rain");
    fgt_table_destroy(&t);
    views[1][3] = 3;
    refuse(&opts, FGT_E_FORMAT, "\"sky\": a text reaches beyond its buffer (3)");
    views[1][3] = -1;
    refuse(&opts, FGT_E_FORMAT, "a text reaches beyond its buffer (-1)");
    views[1][2] = 1;
    refuse(&opts, FGT_E_FORMAT, "there is no such buffer of texts (1)");
    views[1][0] = -2;
    refuse(&opts, FGT_E_FORMAT, "the length of a text is negative (-2)");
    c->n_buffers = 2;
    refuse(&opts, FGT_E_FORMAT, "wrong number of buffers for its type (2)");
}

static void start_two(void)
{
    frame_begin(&f, 2);
    frame_add(&f, "a", "g", NULL, two, NULL);
    frame_add(&f, "b", "u", NULL, offsets, bytes);
}

static void test_opts(void **state)
{
    (void)state;
    static const char *const a[] = {"a", "a"}, *const b[] = {"b"}, *const no[] = {"no"},
                             *const null[] = {NULL};
    const struct {
        fgt_arrow_opts opts;
        fgt_status     status;
        const char    *sentence;
    } bad[] = {
        {OPTS(.columns = a, .column_count = 2), FGT_E_ARG, "\"a\" is listed twice"},
        {OPTS(.columns = b, .column_count = 1), FGT_E_DATA, "column \"b\" holds no numbers"},
        {OPTS(.columns = no, .column_count = 1), FGT_E_NAME, "there is no column \"no\""},
        {OPTS(.categories = no, .category_count = 1), FGT_E_NAME, "there is no column \"no\""},
        {OPTS(.columns = null, .column_count = 1), FGT_E_ARG, "name 0 of columns is NULL"},
        {OPTS(.categories = null, .category_count = 1), FGT_E_ARG, "name 0 of categories is NULL"},
        {OPTS(.columns = a), FGT_E_ARG, "a list and its count do not go together"},
        {OPTS(.time = "no"), FGT_E_NAME, "there is no column \"no\""},
        {OPTS(.time = "a", .no_times = 1), FGT_E_ARG, "no_times is set"},
        {OPTS(.repair = 8), FGT_E_ARG, "repair is out of range (got 8"},
        {OPTS(.missing = 4), FGT_E_ARG, "missing is out of range (got 4"},
        {OPTS(.skip = 2), FGT_E_ARG, "skip is out of range (got 2"},
    };
    start_two();
    for (size_t i = 0; i < COUNT(bad); i++) refuse(&bad[i].opts, bad[i].status, bad[i].sentence);
    fgt_table *t;
    expect_status(fgt_table_create_arrow(NULL, &f.schema, &f.array, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_create_arrow(&context, NULL, &f.array, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_create_arrow(&context, &f.schema, NULL, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_create_arrow(&context, &f.schema, &f.array, NULL, NULL), FGT_E_ARG);
    f.schemas[1]->format = "z";
    refuse(NULL, FGT_E_UNSUPPORTED, "column \"b\" has format \"z\", which is not read; `skip`");
    t = import(&OPTS(.skip = 1));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "b");
    fgt_table_destroy(&t);
}

/* Each case changes one thing of a good table. */
static void test_damaged(void **state)
{
    (void)state;
    static const char *const b[]        = {"b"};
    static const double      infinite[] = {1, INFINITY};
    static const int32_t     down[] = {0, 3, 2}, minus[] = {-1, 3, 7};
    const fgt_arrow_opts     category = OPTS(.categories = b, .category_count = 1);
#define DAMAGED(change, status, sentence) \
    start_two();                          \
    change;                               \
    refuse(&category, status, sentence)
    DAMAGED(f.schema.format = "g", FGT_E_UNSUPPORTED, "the format is \"g\", not a struct");
    DAMAGED(f.schema.format = NULL, FGT_E_UNSUPPORTED, "not a struct");
    DAMAGED(f.schema.release = NULL, FGT_E_ARG, "the schema was released");
    DAMAGED(f.array.release = NULL, FGT_E_ARG, "the array \"table\" was released");
    DAMAGED(f.column[0].release = NULL, FGT_E_ARG, "the array \"a\" was released");
    DAMAGED(f.schemas[0]->release = NULL, FGT_E_ARG, "the schema of column 0 was released");
    DAMAGED(f.array.length = 0, FGT_E_DATA, "no rows");
    DAMAGED(f.array.length = -1, FGT_E_FORMAT, "the length is negative (-1)");
    DAMAGED(f.array.length = INT64_MAX, FGT_E_FORMAT, "\"a\": the column is shorter than the table (2)");
    DAMAGED(f.array.offset = 1, FGT_E_FORMAT, "\"a\": the column is shorter");
    DAMAGED(f.array.offset = INT64_MAX, FGT_E_FORMAT, "offset and length are too large");
    DAMAGED(f.array.null_count = 1, FGT_E_FORMAT, "no validity bitmap");
    DAMAGED(f.array.n_buffers = 0, FGT_E_FORMAT, "wrong number of buffers");
    DAMAGED(f.array.buffers = NULL, FGT_E_FORMAT, "buffers is NULL");
    DAMAGED(f.array.n_children = 1, FGT_E_FORMAT, "wrong numbers of columns (got 2 and 1");
    DAMAGED((f.array.n_children = f.schema.n_children = -1), FGT_E_FORMAT,
            "wrong numbers of columns (got -1");
    DAMAGED((f.array.n_children = f.schema.n_children = 0), FGT_E_NAME, "no column \"b\"");
    DAMAGED(f.array.children = NULL, FGT_E_FORMAT, "the list of columns is NULL");
    DAMAGED(f.columns[1] = NULL, FGT_E_FORMAT, "\"b\": schema or array is NULL");
    DAMAGED(f.schemas[1] = NULL, FGT_E_FORMAT, "\"1\": schema or array is NULL");
    DAMAGED(f.schemas[0]->format = NULL, FGT_E_FORMAT, "the format is NULL");
    DAMAGED(f.column[0].length = -5, FGT_E_FORMAT, "\"a\": the length is negative (-5)");
    DAMAGED(f.column[0].offset = -1, FGT_E_FORMAT, "\"a\": the offset is negative");
    DAMAGED(f.column[0].null_count = 3, FGT_E_FORMAT, "no such number of missing elements is possible (3)");
    DAMAGED(f.column[0].null_count = -2, FGT_E_FORMAT, "no such number of missing");
    DAMAGED(f.column[0].n_buffers = 3, FGT_E_FORMAT, "wrong number of buffers for its type (3)");
    DAMAGED(f.column[0].buffers = NULL, FGT_E_FORMAT, "buffers is NULL");
    DAMAGED(f.buffer[0][1] = NULL, FGT_E_FORMAT, "\"a\": a buffer is NULL (1)");
    DAMAGED(f.buffer[1][2] = NULL, FGT_E_FORMAT, "\"b\": the buffer of texts is NULL");
    DAMAGED(f.buffer[0][1] = infinite, FGT_E_DATA, "row 1, column \"a\" is not finite");
    DAMAGED(f.buffer[1][1] = down, FGT_E_FORMAT, "an offset of a text is out of order (2)");
    DAMAGED(f.buffer[1][1] = minus, FGT_E_FORMAT, "an offset of a text is out of order");
    DAMAGED(f.buffer[1][2] = "s\0nrain", FGT_E_DATA, "row 0, column \"b\": 3 bytes with a zero are no name");
    DAMAGED(f.schemas[0]->name = "b=sun", FGT_E_FORMAT, "two columns are named \"b=sun\"");
}

static void test_dictionaries(void **state)
{
    (void)state;
    static const char *const b[]    = {"b"};
    static const uint64_t    far[]  = {0, UINT64_MAX};
    static const int8_t      near[] = {0, 1}, minus[] = {0, -1};
    const fgt_arrow_opts     category = OPTS(.categories = b, .category_count = 1);
#define DICTIONARY(format, data, change, status, sentence) \
    frame_begin(&f, 2);                                    \
    frame_add(&f, "b", format, NULL, data, NULL);          \
    frame_dictionary(&f, "u", 2, NULL, offsets, bytes);    \
    change;                                                \
    refuse(&category, status, sentence)
    DICTIONARY("L", far, (void)0, FGT_E_FORMAT, "an index is outside of the dictionary (-1)");
    DICTIONARY("c", minus, (void)0, FGT_E_FORMAT, "an index is outside of the dictionary (-1)");
    DICTIONARY("c", near, f.dictionary.length = 1, FGT_E_FORMAT, "an index is outside of the dictionary (1)");
    DICTIONARY("c", near, f.columns[0]->dictionary = NULL, FGT_E_FORMAT, "the dictionary is NULL");
    DICTIONARY("c", near, f.dictionary.offset = -1, FGT_E_FORMAT, "the offset is negative");
    DICTIONARY("c", near, f.dictionary_schema.format = "g", FGT_E_UNSUPPORTED,
               "\"c\", which is not read with a");
    DICTIONARY("c", near, f.dictionary_schema.format = NULL, FGT_E_UNSUPPORTED, "which is not read with a");
    DICTIONARY("g", two, (void)0, FGT_E_UNSUPPORTED, "\"g\", which is not read with a dictionary");
}

static fgt_status import_all(void)
{
    static const char *const b[] = {"b"};
    fgt_table               *t;
    const fgt_status         s = fgt_table_create_arrow(
                &context, &f.schema, &f.array,
                &OPTS(.categories = b, .category_count = 1, .repair = FGT_TABLE_REPAIR_ALL), &t);
    assert_true(!t == (s != FGT_OK));
    fgt_table_destroy(&t);
    return s;
}

static void test_no_memory(void **state)
{
    fgt_context *const   ctx    = &context;
    static const int64_t back[] = {86400, 0};
    fgt_status           s;
    (void)state;
    start_two();
    frame_add(&f, "t", "tss:", NULL, back, NULL);
    frame_add(&f, "note", "u", NULL, offsets, bytes);
    SWEEP(&hook, s, 20, (context.error.text[0] = 0, import_all()))
    {
        expect_sentence("no memory for");
        assert_int_equal(hook.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_numbers, expect_no_leak),
        cmocka_unit_test_teardown(test_offsets, expect_no_leak),
        cmocka_unit_test_teardown(test_times, expect_no_leak),
        cmocka_unit_test_teardown(test_texts, expect_no_leak),
        cmocka_unit_test_teardown(test_views, expect_no_leak),
        cmocka_unit_test_teardown(test_opts, expect_no_leak),
        cmocka_unit_test_teardown(test_damaged, expect_no_leak),
        cmocka_unit_test_teardown(test_dictionaries, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
