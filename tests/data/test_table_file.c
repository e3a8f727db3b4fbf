/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that stay on disk: what is written is read, and what is damaged is refused. */
#include <fighter/experimental/table_file.h>

#include <time.h>

#include "../fuzz/block_file.h"
#include "data/store/block_slots.h"
#include "data/store/store.h"
#include "small_files.h"

enum { ROWS = 10000, COLUMNS = 3 };

/* Hours from 2016 on, a text column that is left out, some missing values. The numbers are floats. */
static const char *write_csv(const char *name, int64_t first, int64_t rows)
{
    const char *path = in_directory(name);
    FILE       *f    = fopen(path, "w");
    char        time[24];
    fprintf(f, "t,a,note,b,c\n");
    for (int64_t r = first; r < first + rows; r++) {
        fgti_time_format(INT64_C(1451606400000) + r * 3600000, time, sizeof time);
        fprintf(f, "%s,%g,x,%g,", time, (double)(r % 977) / 8, (double)(r % 13) - 6);
        if (r % 50) fprintf(f, "%g", (double)r);
        fprintf(f, "\n");
    }
    fclose(f);
    return path;
}

#define CONVERT(path, to, info, ...) \
    fgt_table_convert(&context, (const char *[]){path}, 1, &FGT_OPTS(fgt_convert_opts, __VA_ARGS__), to, info)

static const fgt_csv_opts masked = {.size = sizeof masked, .missing = FGT_TABLE_MISSING_MASK};

static void expect_rows(const fgt_table *stored, const fgt_table *loaded, int64_t begin, int64_t end)
{
    fgt_table *part;
    expect_ok(fgt_table_create_range(stored, begin, end, &part));
    assert_int_equal(fgt_table_count_rows(part), end - begin);
    const int64_t *time = fgt_table_get_times(part).data;
    for (int64_t r = begin; r < end; r++) {
        assert_true(time[r - begin] == ((const int64_t *)fgt_table_get_times(loaded).data)[r]);
        assert_string_equal(fgt_table_get_name(part, FGT_TABLE_NAME_ROW, r - begin),
                            fgt_table_get_name(loaded, FGT_TABLE_NAME_ROW, r));
        for (int64_t c = 0; c < COLUMNS; c++) {
            const double v = value_at(loaded, r, c), w = value_at(part, r - begin, c);
            assert_true(v == w || (isnan(v) && isnan(w)));
        }
    }
    fgt_table_destroy(&part);
}

/* Range of each column, and what is refused. */
static void expect_range(const fgt_table *stored, const fgt_table *loaded)
{
    fgt_table_column_info there = {.size = sizeof there}, here = {.size = sizeof here};
    const double         *v = fgt_table_get_values(loaded).data;
    for (int64_t c = 0; c < COLUMNS; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t r = 0; r < ROWS; r++) {
            low  = fmin(low, v[r * COLUMNS + c]);
            high = fmax(high, v[r * COLUMNS + c]);
        }
        expect_ok(fgt_table_get_column_info(stored, c, &there));
        assert_true(there.least == (double)(float)low && there.most == (double)(float)high);
        expect_ok(fgt_table_get_column_info(loaded, c, &here));
        assert_true(here.least == low && here.most == high);
        assert_int_equal(here.first_filled, -1);
    }
    expect_status(fgt_table_get_column_info(stored, COLUMNS, &there), FGT_E_ARG);
    expect_status(fgt_table_get_column_info(stored, -1, &there), FGT_E_ARG);
    expect_status(fgt_table_get_column_info(stored, 0, NULL), FGT_E_ARG);
    expect_status(fgt_table_get_column_info(loaded, 0, &(fgt_table_column_info){0}), FGT_E_VERSION);
    assert_int_equal(fgt_table_get_column_info(NULL, 0, &there), FGT_E_ARG);
}

/* Rows are read through a cache of two blocks, back and forth. */
static void test_round(void **state)
{
    (void)state;
    const char    *csv = write_csv("t.csv", 0, ROWS), *to = in_directory("t.fgt");
    fgt_table     *stored, *loaded;
    fgt_table_info info = {.size = sizeof info};
    expect_ok(CONVERT(csv, to, &info, .csv = &masked));
    expect_ok(fgt_table_load(&context, csv, &masked, &loaded));
    assert_true(fgt_file_get_kind(to) == FGT_FILE_KIND_TABLE &&
                fgt_file_get_kind(csv) != FGT_FILE_KIND_TABLE &&
                fgt_file_get_kind(NULL) != FGT_FILE_KIND_TABLE);
    expect_ok(fgt_table_open(&context, to, &FGT_OPTS(fgt_table_open_opts, .resident = 1 << 20), &stored));
    const fgt_table_info there = info_of(stored), here = info_of(loaded);
    assert_true(there.stored && !here.stored);
    assert_int_equal(info.rows, ROWS);
    assert_int_equal(there.rows, ROWS);
    assert_int_equal(there.columns, COLUMNS);
    assert_int_equal(there.missing, here.missing);
    assert_int_equal(info.missing, here.missing);
    assert_int_equal(there.step.milliseconds, 3600000);
    assert_string_equal(fgt_table_get_name(stored, FGT_TABLE_NAME_LABELS, 0), "t");
    assert_string_equal(fgt_table_get_name(stored, FGT_TABLE_NAME_COLUMN, 1), "b");
    assert_null(fgt_table_get_name(stored, FGT_TABLE_NAME_ROW, 0));
    fgt_table_row_info row = {.size = sizeof row};
    expect_ok(fgt_table_get_row_info(stored, 7, &row));
    assert_true(row.has_time && !row.line && row.time == INT64_C(1451606400000) + 7 * 3600000);
    expect_status(fgt_table_get_row_info(stored, ROWS, &row), FGT_E_ARG);
    assert_null(fgt_table_get_values(stored).data);
    expect_range(stored, loaded);
    static const int64_t ranges[][2] = {{0, 1}, {4000, 4200}, {ROWS - 1, ROWS}, {0, ROWS}, {4095, 4097}};
    for (size_t i = 0; i < COUNT(ranges); i++) expect_rows(stored, loaded, ranges[i][0], ranges[i][1]);
    fgt_table_destroy(&stored);
    fgt_table_destroy(&loaded);
}

static size_t read_file(const char *path, char *data, size_t most)
{
    FILE        *f = fopen(path, "rb");
    const size_t n = fread(data, 1, most, f);
    fclose(f);
    return n;
}

/* A table that is saved gives the bytes of one that is converted, from one file or from several. */
static void test_same_bytes(void **state)
{
    (void)state;
    static char data[3][1 << 18];
    size_t      size[3];
    fgt_table  *loaded;
    const char *one = write_csv("one.csv", 0, ROWS), *a = write_csv("a.csv", 0, 5000);
    const char *b = write_csv("b.csv", 5000, ROWS - 5000);
    char        to[3][256];
    for (int i = 0; i < 3; i++) snprintf(to[i], sizeof to[i], "%s/%d.fgt", directory, i);
    expect_ok(CONVERT(one, to[0], NULL, .csv = &masked));
    expect_ok(fgt_table_convert(&context, (const char *[]){a, b}, 2,
                                &FGT_OPTS(fgt_convert_opts, .csv = &masked), to[1], NULL));
    expect_ok(fgt_table_load(&context, one, &masked, &loaded));
    expect_ok(fgt_table_save(loaded, to[2]));
    fgt_table_destroy(&loaded);
    for (int i = 0; i < 3; i++) size[i] = read_file(to[i], data[i], sizeof data[i]);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(size[i], size[0]);
        assert_memory_equal(data[i], data[0], size[0]);
    }
}

/* Moments of a range in an index are the moments of its rows. */
static void test_moments(void **state)
{
    (void)state;
    static const int64_t ranges[][2] = {{0, ROWS}, {17, 4096}, {4096, 8192}, {100, 9000}, {50, 51}};
    fgti_store          *store;
    fgti_chunk_moments   got;
    expect_ok(CONVERT(write_csv("t.csv", 0, ROWS), in_directory("m.fgt"), NULL, .csv = &masked));
    expect_ok(fgti_store_open(&context, in_directory("m.fgt"), 1 << 20, &store));
    for (size_t i = 0; i < COUNT(ranges); i++) {
        double  sum = 0, square = 0;
        int64_t n = 0;
        for (int64_t r = ranges[i][0]; r < ranges[i][1]; r++)
            if (r % 50) sum += (double)r, n++;
        for (int64_t r = ranges[i][0]; r < ranges[i][1]; r++)
            if (r % 50) square += ((double)r - sum / (double)n) * ((double)r - sum / (double)n);
        expect_ok(fgti_store_moments(store, 2, ranges[i][0], ranges[i][1], &got));
        assert_int_equal(got.count, n);
        if (!n) continue;
        assert_true(fabs(got.mean - sum / (double)n) < 1e-9 * (double)ROWS);
        assert_true(fabs(got.square - square) <= 1e-9 * square);
        assert_true((double)got.least <= (double)ranges[i][0] + 1 &&
                    (double)got.most >= (double)ranges[i][1] - 2);
    }
    fgti_store_close(&context, &store);
}

/* ---- rows as they come ---- */

static fgt_status convert_text(const char *text, const fgt_csv_opts *csv, fgt_table **rows)
{
    fgt_table *stored = NULL;
    *rows             = NULL;
    fgt_status s      = CONVERT(put_text("x.csv", text), in_directory("x.fgt"), NULL, .csv = csv);
    if (s == FGT_OK) s = fgt_table_open(&context, in_directory("x.fgt"), NULL, &stored);
    if (s == FGT_OK) s = fgt_table_create_range(stored, 0, fgt_table_count_rows(stored), rows);
    fgt_table_destroy(&stored);
    return s;
}


static void test_rows(void **state)
{
    (void)state;
    static const char *const  yx[]   = {"y", "x"};
    static const fgt_csv_opts gaps   = {.size   = sizeof gaps,
                                        .repair = FGT_TABLE_REPAIR_GAPS | FGT_TABLE_REPAIR_REPEATS};
    static const fgt_csv_opts filled = {
        .size = sizeof filled, .repair = FGT_TABLE_REPAIR_GAPS, .missing = FGT_TABLE_MISSING_FORWARD_FILL};
    static const fgt_csv_opts picked = {
        .size = sizeof picked, .columns = yx, .column_count = 2, .max_rows = 2};
    static const fgt_csv_opts last = {
        .size = sizeof last, .repair = FGT_TABLE_REPAIR_REPEATS, .missing = FGT_TABLE_MISSING_FORWARD_FILL};
    static const struct {
        const char         *text, *expected;
        const fgt_csv_opts *opts;
    } cases[] = {
        {"x,y\n1,2\n3,4\n", "x y: 1 2; 3 4", NULL},
        {"t,x\n2016-07-01,1\n2016-07-02,2\n2016-07-02,3\n2016-07-04,4\n", "x: 1; 3; nan; 4", &gaps},
        {"t,x\n2016-07-01,1\n2016-07-02,2\n2016-07-04,4\n", "x: 1; 2; 2; 4", &filled},
        {"t,x,y\n2016-07-01,1,5\n2016-07-02,2,6\n2016-07-03,3,7\n", "y x: 5 1; 6 2", &picked},
        {"t,x\n2016-01-31,1\n2016-02-29,2\n2016-03-31,3\n", "x: 1; 2; 3", NULL},
        {"t,x\n2016-01-30,1\n2016-02-29,2\n2016-03-30,3\n", "x: 1; 2; 3", NULL},
        {"t,x\n2016-07-01,1\n", "x: 1", NULL},
        {"x\n1\n\n3\n", "x: 1; nan; 3", &masked},
        /* the row that goes fills nothing, and need not be filled */
        {"t,x\n2016-07-01,\n2016-07-01,5\n2016-07-02,\n", "x: 5; 5", &last},
        {"t,x\n2016-07-01,5\n2016-07-02,7\n2016-07-02,\n2016-07-03,\n", "x: 5; 5; 5", &last},
        {"t,x\n2016-07-01,5\n2016-07-02,7\n2016-07-02,8\n2016-07-02,\n2016-07-03,9\n", "x: 5; 5; 9", &last},
        /* a gap that is wider than what comes before it */
        {"t,x\n2016-07-01,1\n2016-07-08,2\n2016-07-09,3\n", "x: 1; nan; nan; nan; nan; nan; nan; 2; 3",
         &gaps},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table *rows;
        expect_ok(convert_text(cases[i].text, cases[i].opts, &rows));
        assert_string_equal(table_of(rows), cases[i].expected);
        fgt_table_destroy(&rows);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const fgt_csv_opts fill  = {.size = sizeof fill, .missing = FGT_TABLE_MISSING_FORWARD_FILL};
    static const fgt_csv_opts order = {.size = sizeof order, .repair = FGT_TABLE_REPAIR_ORDER};
    static const fgt_csv_opts gaps  = {.size = sizeof gaps, .repair = FGT_TABLE_REPAIR_GAPS};
    static const char *const  xy[]  = {"x", "y"};
    static const fgt_csv_opts named = {.size = sizeof named, .columns = xy, .column_count = 2};
    static const struct {
        const char         *text, *sentence;
        const fgt_csv_opts *opts;
        fgt_status          status;
    } cases[] = {
        {"x\n1\n\n3\n", "line 3: column \"x\": no value", NULL, FGT_E_DATA},
        {"x,y\n1,2\n3,z\n", "column \"y\": \"z\" is not a number", NULL, FGT_E_DATA},
        {"x\n1e39\n", "line 2: column \"x\": 1e+39 is too large for float32", NULL, FGT_E_DATA},
        {"x,y\n,1\n3,2\n", "column \"x\": the first row has no value, and there is no earlier one", &fill,
         FGT_E_DATA},
        {"x,y\n1,\n", "column \"y\": the first row has no value, and there is no earlier one", &fill,
         FGT_E_DATA},
        {"t,x\n2016-07-01,1\n2016-07-02,2\n2016-07-04,4\n", "add rows of missing values", NULL, FGT_E_DATA},
        {"t,x\n2016-07-01,1\n2016-07-02,2\n2016-07-02,4\n", "remove repeated rows", NULL, FGT_E_DATA},
        {"t,x\n2016-07-02,1\n2016-07-03,2\n2016-07-01,4\n", "in the order of their times", NULL, FGT_E_DATA},
        {"t,x\n2016-07-02,1\n2016-07-01,2\n",
         "line 3 (2016-07-01) follows the row of 2016-07-02 00:00:00: the rows must be in", NULL, FGT_E_DATA},
        {"t,x\n2016-07-01,1\n2016-07-02,2\n2016-07-03 05:00,4\n", "whole number of steps", NULL, FGT_E_DATA},
        {"t,x\n2015-02-28,1\n2015-03-28,2\n2015-04-28,3\n",
         "its day of the month does not follow from the first row", NULL, FGT_E_DATA},
        {"t,x\n2016-07-01,1\n2016-07-02,2\n2916-07-03,4\n",
         "x.csv: 328718 rows would be missing, several times as many as the 3 that are there, at steps of 1 "
         "day; 328718 of them between 2016-07-02 00:00:00 and 2916-07-03 00:00:00",
         &gaps, FGT_E_DATA},
        /* each gap alone would pass, against the rows and gaps before it */
        {"t,x\n1000000000,1\n1000000001,2\n1000000002,3\n1000000017,4\n1000000093,5\n",
         "89 rows would be missing, several times as many as the 5 that are there", &gaps, FGT_E_DATA},
        {"x,y\n1,\n2,\n", "line 2: column \"y\": no value; the option `missing`", &named, FGT_E_DATA},
        {"x\n1\n", "cannot be put in order", &order, FGT_E_UNSUPPORTED},
        {"unique_id,ds,y\na,2016-07-01,1\n", "long form", NULL, FGT_E_UNSUPPORTED},
        {"x\n", "has a header but no data", NULL, FGT_E_DATA},
        {"", "is empty", NULL, FGT_E_FORMAT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table *rows;
        test_write(in_directory("x.fgt"), "old", 3);
        expect_status(convert_text(cases[i].text, cases[i].opts, &rows), cases[i].status);
        expect_sentence(cases[i].sentence);
        char old[8] = "";
        assert_int_equal(read_file(in_directory("x.fgt"), old, 8), 3); /* the old file stays */
    }
    fgt_table *t;
    char       a[256];
    snprintf(a, sizeof a, "%s", put_text("a.csv", "t,x\n2016-07-01,1\n2016-07-02,2\n"));
    const char *b = put_text("b.csv", "t,z\n2016-07-03,1\n");
    expect_status(fgt_table_convert(&context, (const char *[]){a, b}, 2, NULL, in_directory("x.fgt"), NULL),
                  FGT_E_NAME);
    expect_sentence("column \"x\" is missing, but the first file has it");
    b = put_text("b.csv", "t,x\n2016-07-03,\n2016-07-04,\n");
    expect_status(fgt_table_convert(&context, (const char *[]){a, b}, 2, NULL, in_directory("x.fgt"), NULL),
                  FGT_E_DATA);
    expect_sentence("b.csv: line 2: column \"x\": no value");
    expect_ok(CONVERT(a, in_directory("y.fgt"), NULL));
    t = load_text("t,x\n2015-02-28,1\n2015-03-28,2\n2015-04-28,3\n", NULL);
    expect_status(fgt_table_save(t, in_directory("z.fgt")), FGT_E_DATA);
    expect_sentence("save: line 3 (2015-03-28): not the last day of a month, as line 2 (2015-02-28) is");
    assert_false(fgt_file_get_kind(in_directory("z.fgt")) == FGT_FILE_KIND_TABLE);
    fgt_table_destroy(&t);
    expect_status(fgt_table_load(&context, in_directory("y.fgt"), NULL, &t), FGT_E_FORMAT);
    expect_sentence("it is a table file (fgt_table_open() opens it)");
    expect_status(fgt_table_open(&context, a, NULL, &t), FGT_E_FORMAT);
    expect_status(fgt_table_open(&context, directory, NULL, &t), FGT_E_IO);
    expect_status(fgt_table_open(&context, in_directory("none"), NULL, &t), FGT_E_IO);
}

static fgt_status stop(void *user, double share, int64_t rows)
{
    assert_true(share > 0 && share <= 1 && rows > 0);
    return ++*(int *)user == 2 ? FGT_E_STATE : FGT_OK;
}

static void test_cancel(void **state)
{
    (void)state;
    int         calls = 0;
    const char *to    = in_directory("c.fgt");
    expect_status(
        CONVERT(write_csv("t.csv", 0, ROWS), to, NULL, .csv = &masked, .progress = stop, .user = &calls),
        FGT_E_CANCELLED);
    assert_int_equal(calls, 2);
    assert_false(fgt_file_get_kind(to) == FGT_FILE_KIND_TABLE);
}

/* ---- damage ---- */

static fgt_status open_and_read(const char *path)
{
    fgt_table *t, *rows;
    FGTI_TRY(fgt_table_open(&context, path, NULL, &t));
    const fgt_status s = fgt_table_create_range(t, 0, fgt_table_count_rows(t), &rows);
    fgt_table_destroy(&rows);
    fgt_table_destroy(&t);
    return s;
}

/* Any byte that is another one, and any part of a file. */
static void test_damage(void **state)
{
    (void)state;
    static char data[4096];
    const char *path = in_directory("d.fgt"), *bad = in_directory("bad.fgt");
    expect_ok(
        CONVERT(put_text("d.csv", "t,x,y\n2016-07-01,1,5\n2016-07-02,2,6\n2016-07-03,3,7\n"), path, NULL));
    const size_t size = read_file(path, data, sizeof data);
    for (size_t i = 0; i < size; i++) {
        data[i] ^= (char)(1 << i % 8);
        test_write(bad, data, size);
        data[i] ^= (char)(1 << i % 8);
        expect_status(open_and_read(bad), FGT_E_FORMAT);
    }
    expect_sentence("d.fgt: damaged: it has no end mark, so it was cut off");
    for (size_t n = 0; n < size; n++) {
        test_write(bad, data, n);
        expect_status(open_and_read(bad), FGT_E_FORMAT);
    }
    data[8] ^= 1;
    test_write(bad, data, size);
    expect_status(open_and_read(bad), FGT_E_FORMAT);
    expect_sentence("damaged: rows 0..2 of column \"x\" are not what was written");
}

/* A file whose hashes fit, made to hide a value from those who ask the index for the ends of a column. */
static void test_hidden(void **state)
{
    (void)state;
    static uint8_t     data[4096];
    static const float  hidden[] = {INFINITY, -5, NAN};
    const char        *path = in_directory("h.fgt"), *bad = in_directory("hidden.fgt");
    expect_ok(
        CONVERT(put_text("h.csv", "t,x,y\n2016-07-01,1,5\n2016-07-02,2,6\n2016-07-03,3,7\n"), path, NULL));
    const size_t size = read_file(path, (char *)data, sizeof data);
    for (int i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, &hidden[i], sizeof bits);
        for (int k = 0; k < 4; k++) data[12 + k] = (uint8_t)(bits >> 8 * k); /* the second row of x */
        fuzz_sign_chunks(data, size);
        fuzz_sign_index(data, size);
        test_write(bad, data, size);
        expect_status(open_and_read(bad), FGT_E_FORMAT);
        expect_sentence("damaged: rows 0..2 of column \"x\" are not what was written");
    }
}

/* ---- slots ---- */

/* The slot that was not used for longest is the next one, in any order of calls. */
static void test_slots(void **state)
{
    enum { SLOTS = 5, BLOCKS = 12 };
    (void)state;
    fgti_slots s;
    int64_t    last[BLOCKS] = {0}, kept = 0;
    bool       in[BLOCKS] = {false}, there;
    expect_ok(fgti_slots_init(&context, SLOTS, BLOCKS, &s));
    for (int64_t i = 1, block = 0; i < 3000; i++) {
        block            = (block * 5 + i * i / 7 + 3) % BLOCKS;
        const int64_t at = fgti_slots_take(&s, block, &there);
        assert_true(there == in[block]);
        if (!there) {
            int64_t old = -1;
            for (int64_t b = 0; b < BLOCKS; b++)
                if (in[b] && (old < 0 || last[b] < last[old])) old = b;
            if (kept == SLOTS) in[old] = false;
            kept += kept < SLOTS;
            fgti_slots_fill(&s, at, block);
        }
        in[block]   = true;
        last[block] = i;
    }
    fgti_slots_done(&context, &s);
}

/* A made-up file may have blocks of one row: a walk over all slots at each of them took minutes. */
static void test_many_slots(void **state)
{
    enum { MANY = 200000 };
    (void)state;
    fgti_slots    s;
    bool          there;
    const clock_t start = clock();
    expect_ok(fgti_slots_init(&context, MANY, MANY, &s));
    for (int64_t b = 0; b < MANY; b++) {
        fgti_slots_fill(&s, fgti_slots_take(&s, b, &there), b);
        assert_false(there);
        if ((double)(clock() - start) / CLOCKS_PER_SEC > 4) fail_msg("slow at block %lld", (long long)b);
    }
    fgti_slots_done(&context, &s);
}

/* A whole file whose months lead beyond the year 9999. */
static void test_last_time(void **state)
{
    (void)state;
    const char *const path = in_directory("late.fgt");
    for (int64_t rows = 2; rows < 4; rows++) {
        fgti_store_writer w;
        fgti_store_head   head = {.has_times = 1, .columns = 1, .step.months = 1};
        expect_ok(fgt_time_parse(&context, "9999-11-01", FGT_TIME_FORM_ISO, &head.first));
        expect_ok(fgti_strings_add(&context, &head.names, "t", 1));
        expect_ok(fgti_strings_add(&context, &head.names, "x", 1));
        expect_ok(fgti_store_begin(&context, path, &head, &w));
        for (int64_t r = 0; r < rows; r++) expect_ok(fgti_store_add(&w, (const double[]){1}, false));
        expect_ok(fgti_store_end(&w));
        fgti_store_abandon(&w);
        expect_status(open_and_read(path), rows == 2 ? FGT_OK : FGT_E_FORMAT);
    }
    expect_sentence("its times");
}

/* A pipe is refused, though nobody has it open for writing. */
static void test_pipe(void **state)
{
    (void)state;
    const char *path = in_directory("pipe");
    fgt_table  *t;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(fgt_file_get_kind(path) == FGT_FILE_KIND_TABLE);
    expect_status(fgt_table_open(&context, path, NULL, &t), FGT_E_IO);
    expect_sentence("pipe: not an ordinary file");
    unlink(path);
}

/* A file that is shortened while it is open ends in a sentence, not in a signal. */
static void test_shortened(void **state)
{
    (void)state;
    fgt_table  *t, *rows;
    const char *path = in_directory("s.fgt");
    expect_ok(CONVERT(write_csv("t.csv", 0, ROWS), path, NULL, .csv = &masked));
    expect_ok(fgt_table_open(&context, path, NULL, &t));
    assert_int_equal(truncate(path, 100), 0);
    expect_status(fgt_table_create_range(t, 0, 10, &rows), FGT_E_FORMAT);
    expect_sentence("it has become shorter");
    fgt_table_destroy(&t);
}

/* ---- what needs all values ---- */

static void test_unsupported(void **state)
{
    (void)state;
    static const int64_t zero, times[3] = {0};
    fgt_table           *t, *u, *v;
    expect_ok(CONVERT(put_text("u.csv", "x,y\n1,2\n3,4\n5,6\n"), in_directory("u.fgt"), NULL));
    expect_ok(fgt_table_open(&context, in_directory("u.fgt"), NULL, &t));
    expect_status(fgt_table_create_subset(t, &zero, 1, &u), FGT_E_UNSUPPORTED);
    expect_sentence("the table stays on disk; fgt_table_create_range() reads the rows that are needed");
    expect_status(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, (void *)times, 3), 0), FGT_E_UNSUPPORTED);
    expect_status(fgt_table_save(t, in_directory("v.fgt")), FGT_E_UNSUPPORTED);
    expect_status(fgt_table_create_range(t, 2, 4, &u), FGT_E_ARG);
    expect_status(fgt_table_create_range(t, 1, 1, &u), FGT_E_ARG);
    assert_null(u);
    expect_ok(fgt_table_create_range(t, 1, 3, &u));
    expect_status(fgt_table_create_range(u, 0, 1, &v), FGT_E_ARG);
    fgt_table_destroy(&u);
    fgt_table_destroy(&t);
}

/* ---- memory ---- */

static fgt_status whole_life(void)
{
    fgt_table *loaded = NULL;
    fgt_status s      = CONVERT(in_directory("n.csv"), in_directory("n.fgt"), NULL, .csv = &masked);
    if (s == FGT_OK) s = fgt_table_load(&context, in_directory("n.csv"), &masked, &loaded);
    if (s == FGT_OK) s = fgt_table_save(loaded, in_directory("n2.fgt"));
    if (s == FGT_OK) s = open_and_read(in_directory("n2.fgt"));
    fgt_table_destroy(&loaded);
    return s;
}

static void test_nomem(void **state)
{
    (void)state;
    fgt_context *const ctx = &context;
    fgt_status         s;
    write_csv("n.csv", 0, 5000);
    SWEEP(&hook, s, 40, whole_life()) NOTHING_LEAKS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_round, expect_no_leak),
        cmocka_unit_test_teardown(test_same_bytes, expect_no_leak),
        cmocka_unit_test_teardown(test_moments, expect_no_leak),
        cmocka_unit_test_teardown(test_rows, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_cancel, expect_no_leak),
        cmocka_unit_test_teardown(test_damage, expect_no_leak),
        cmocka_unit_test_teardown(test_hidden, expect_no_leak),
        cmocka_unit_test_teardown(test_slots, expect_no_leak),
        cmocka_unit_test_teardown(test_many_slots, expect_no_leak),
        cmocka_unit_test_teardown(test_last_time, expect_no_leak),
        cmocka_unit_test_teardown(test_pipe, expect_no_leak),
        cmocka_unit_test_teardown(test_shortened, expect_no_leak),
        cmocka_unit_test_teardown(test_unsupported, expect_no_leak),
        cmocka_unit_test_teardown(test_nomem, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
