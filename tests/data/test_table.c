/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_files.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>

#ifdef FGTI_HAVE_ZLIB
#include <zlib.h>
#endif

#if UINTPTR_MAX > UINT32_MAX
_Static_assert(sizeof(fgt_csv_opts) == 18 * 8 + 12 * 4, "no padding");
#endif

static void test_plain(void **state)
{
    (void)state;
    fgt_table *t = load_text("date,a,\"b, c\"\r\n2016-07-01 00:00,1.5,-2\r\n2016-07-02,3e2,4\r\n", NULL);
    assert_int_equal(fgt_table_count_rows(t), 2);
    assert_int_equal(fgt_table_count_columns(t), 2);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), "date");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "a");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "b, c");
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 2));
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, -1));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0), "2016-07-01 00:00");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 1), "2016-07-02");
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 2));
    const fgt_view v = fgt_table_get_values(t);
    assert_int_equal(v.rank, 2);
    assert_int_equal(v.dtype, FGT_DTYPE_F64);
    const double want[] = {1.5, -2, 300, 4};
    assert_memory_equal(v.data, want, sizeof want);
    fgt_table_destroy(&t);
    assert_null(t);
    fgt_table_destroy(&t);
}

static void test_nothing(void **state)
{
    (void)state;
    fgt_table *t = NULL;
    assert_int_equal(fgt_table_count_rows(NULL), 0);
    assert_int_equal(fgt_table_count_columns(NULL), 0);
    assert_null(fgt_table_get_name(NULL, FGT_TABLE_NAME_COLUMN, 0));
    assert_null(fgt_table_get_name(NULL, FGT_TABLE_NAME_ROW, 0));
    assert_null(fgt_table_get_name(NULL, FGT_TABLE_NAME_LABELS, 0));
    assert_int_equal(fgt_view_count(&(fgt_view){.rank = 2}), 0);
    assert_int_equal(fgt_table_get_values(NULL).shape[0], 0);
    fgt_table_destroy(NULL);
    expect_status(fgt_table_load(NULL, "x", NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_load(&context, NULL, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_load(&context, "x", NULL, NULL), FGT_E_ARG);
    assert_null(t);
}

static void test_first_column(void **state)
{
    (void)state;
    fgt_table *t = load_text("t,a\n1,2\n3,4\n", NULL); /* numbers: values */
    assert_int_equal(fgt_table_count_columns(t), 2);
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0));
    fgt_table_destroy(&t);

    t = load_text("t,a\n1,2\n3,4\n", &FGT_OPTS(fgt_csv_opts, .date = FGT_TABLE_DATE_LABELS));
    assert_int_equal(fgt_table_count_columns(t), 1);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 1), "3");
    fgt_table_destroy(&t);

    /* names, beside which times are texts; numbers, beside which they are labels */
    t = load_text("name,opened,n\nx,2016-07-01,3\n", &FGT_OPTS(fgt_csv_opts, .date = FGT_TABLE_DATE_LABELS));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0), "x");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "opened");
    fgt_table_destroy(&t);
    t = load_text("n,when\n3,2016-07-01\n", &FGT_OPTS(fgt_csv_opts, .date = FGT_TABLE_DATE_LABELS));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0), "2016-07-01");
    fgt_table_destroy(&t);

    t = load_text(",a,\n x ,2,1\n\"y\",4,1\n", NULL); /* names that are not there */
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), "");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0), "x");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "1");
    fgt_table_destroy(&t);

    t = load_text("1,2\n3,4", &FGT_OPTS(fgt_csv_opts, .no_header = 1));
    assert_int_equal(fgt_table_count_rows(t), 2);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "0");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "1");
    fgt_table_destroy(&t);

    t = load_text("mon,1,2\ntue,3,4", &FGT_OPTS(fgt_csv_opts, .no_header = 1));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), "date");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0), "mon");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 1), "1");
    fgt_table_destroy(&t);
}

static void test_lines(void **state)
{
    (void)state;
    fgt_table *t = load_text("\n\na,b\n1,2\n\n\r\n  \n", NULL); /* blank before and behind */
    assert_int_equal(fgt_table_count_rows(t), 1);
    fgt_table_destroy(&t);

    t = load_text("a\n1\n\n2\n\n",
                  &FGT_OPTS(fgt_csv_opts, .missing = FGT_TABLE_MISSING_MASK)); /* one column: a gap */
    assert_int_equal(fgt_table_count_rows(t), 3);
    assert_true(isnan(value_at(t, 1, 0)));
    assert_true(value_at(t, 2, 0) == 2);
    fgt_table_destroy(&t);

    t = load_text("a;b\n1;2\n3;4\n5;x\n", &FGT_OPTS(fgt_csv_opts, .delimiter = ';', .max_rows = 2));
    assert_int_equal(fgt_table_count_rows(t), 2);
    fgt_table_destroy(&t);

    t = load_text("a\n1\n\n\n2\n", &FGT_OPTS(fgt_csv_opts, .max_rows = 2, .missing = FGT_TABLE_MISSING_MASK));
    assert_int_equal(fgt_table_count_rows(t), 2);
    fgt_table_destroy(&t);
}

static void test_missing(void **state)
{
    (void)state;
    const char *text = "date,a,b\nx,1,0\ny,,0\nz,NaN,5\nw,-9999,6\n";
    fgt_table  *t    = load_text(text, &FGT_OPTS(fgt_csv_opts, .missing = FGT_TABLE_MISSING_MASK));
    assert_true(isnan(value_at(t, 1, 0)) && isnan(value_at(t, 2, 0)));
    assert_true(value_at(t, 3, 0) == -9999 && value_at(t, 0, 1) == 0);
    fgt_table_destroy(&t);

    t = load_text(text, &FGT_OPTS(fgt_csv_opts, .missing = FGT_TABLE_MISSING_FORWARD_FILL, .has_marker = 1,
                                  .marker = -9999));
    for (int r = 0; r < 4; r++) assert_true(value_at(t, r, 0) == 1);
    fgt_table_destroy(&t);

    t = load_text(text,
                  &FGT_OPTS(fgt_csv_opts, .missing = FGT_TABLE_MISSING_MASK, .has_marker = 1)); /* marker 0 */
    assert_true(isnan(value_at(t, 0, 1)) && isnan(value_at(t, 1, 1)) && value_at(t, 2, 1) == 5);
    fgt_table_destroy(&t);

    /* a marker that is not there changes nothing, and without has_marker it is no marker */
    t = load_text("a\n0\n", &FGT_OPTS(fgt_csv_opts, .has_marker = 1, .marker = -9999));
    fgt_table_destroy(&t);
    t = load_text("a\n7\n", &FGT_OPTS(fgt_csv_opts, .marker = 7));
    fgt_table_destroy(&t);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char  *text;
        fgt_csv_opts opts;
        fgt_status   status;
        const char  *sentence;
    } bad[] = {
        {"", {0}, FGT_E_FORMAT, "t.csv: the file is empty"},
        {"\n\r\n  \n", {0}, FGT_E_FORMAT, "t.csv: the file is empty"},
        {"\xef\xbb\xbf", {0}, FGT_E_FORMAT, "t.csv: the file is empty"},
        {"a,b\n", {0}, FGT_E_DATA, "t.csv: the file has a header but no data"},
        {"a,b\n1,2\n3\n", {0}, FGT_E_FORMAT, "t.csv: line 3: wrong number of cells (got 1, need 2)"},
        {"a,b\n1,2,3\n", {0}, FGT_E_FORMAT, "t.csv: line 2: wrong number of cells (got 3, need 2)"},
        {"a\n\n1,2\n", {0}, FGT_E_FORMAT, "t.csv: line 3: wrong number of cells (got 2, need 1)"},
        {"a,b\n1,2\n\n3,4\n", {0}, FGT_E_FORMAT, "t.csv: line 3: the line is blank (got 0 cells, need 2)"},
        {"d,a,b\nx,1,2\ny,3,ab\"c\n",
         {0},
         FGT_E_DATA,
         "t.csv: line 3: column \"b\": \"ab\"c\" is not a number"},
        {"d,a\nx,1\ny,\"p\nq\"\n", {0}, FGT_E_DATA, "t.csv: line 3: column \"a\": \"p?q\" is not a number"},
        {"d,a\nx,1\ny,inf\n", {0}, FGT_E_DATA, "t.csv: line 3: column \"a\": \"inf\" is not finite"},
        {"d,a\nx,1e999\n", {0}, FGT_E_DATA, "t.csv: line 2: column \"a\": \"1e999\" is not finite"},
        {"d,a,b\nx,1,2\ny,,2\n", {0}, FGT_E_DATA, "t.csv: line 3: column \"a\": no value; the option"},
        {"d,a\nx,1\ny,nan\n",
         {0},
         FGT_E_DATA,
         "t.csv: line 3: column \"a\": \"nan\" stands for a missing value; the option"},
        {"d,a\nx,0\n",
         {.has_marker = 1},
         FGT_E_DATA,
         "line 2: column \"a\": \"0\" stands for a missing value; the option"},
        {"a,b\n1,\n",
         {.missing = FGT_TABLE_MISSING_FORWARD_FILL},
         FGT_E_DATA,
         "t.csv: line 2: column \"b\": the first row has no value, and there is no earlier one to fill it "
         "with; the option `missing` can mask it, or make it zero"},
        {"a,b,a\n1,2,3\n", {0}, FGT_E_FORMAT, "t.csv: two columns are named \"a\""},
        {"d,1,\nx,2,3\n", {0}, FGT_E_FORMAT, "t.csv: two columns are named \"1\""},
        {"date\nx\ny\n", {0}, FGT_E_DATA, "t.csv: there is no column of numbers"},
        {"a\n1\n", {.date = FGT_TABLE_DATE_LABELS}, FGT_E_DATA, "t.csv: there is no column of numbers"},
        {"d,a\nx,1\n2,1\n",
         {.date = FGT_TABLE_DATE_NONE},
         FGT_E_DATA,
         "t.csv: line 2: column \"d\" begins with a text, \"x\", but has 1 number"},
        {"a\n1\n", {.missing = 4}, FGT_E_ARG, "missing is out of range (got 4"},
        {"a\n1\n", {.date = -1}, FGT_E_ARG, "date is out of range (got -1"},
        {"a\n1\n", {.no_header = 2}, FGT_E_ARG, "no_header is out of range (got 2"},
        {"a\n1\n", {.max_rows = -1}, FGT_E_ARG, "max_rows is out of range (got -1"},
        {"a\n1\n", {.delimiter = '.'}, FGT_E_ARG, "character 46 cannot be the delimiter"},
        {"a\n1\n", {.delimiter = '"'}, FGT_E_ARG, "character 34 cannot be the delimiter"},
        {"a\n1\n", {.delimiter = '\n'}, FGT_E_ARG, "character 10 cannot be the delimiter"},
        {"a\n1\n", {.delimiter = 0x20ac}, FGT_E_ARG, "character 8364 cannot be the delimiter"},
        {"a\n1\n", {.repair = 8}, FGT_E_ARG, "repair is out of range (got 8"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        fgt_table   *t    = (fgt_table *)&hook; /* must become NULL */
        fgt_csv_opts opts = bad[i].opts;
        opts.size         = sizeof opts;
        expect_status(fgt_table_load(&context, put_text("t.csv", bad[i].text), &opts, &t), bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_null(t);
        assert_int_equal(hook.live, 0);
    }
}

static void test_later_version(void **state)
{
    (void)state;
    fgt_table *t;
    struct {
        fgt_csv_opts opts;
        int64_t      more;
    } later = {.opts = {.size = sizeof later}};
    expect_ok(fgt_table_load(&context, put_text("t.csv", "a\n1\n"), &later.opts, &t));
    fgt_table_destroy(&t);
    later.more = 1;
    expect_status(fgt_table_load(&context, put_text("t.csv", "a\n1\n"), &later.opts, &t), FGT_E_VERSION);
    expect_status(fgt_table_load(&context, "t.csv", &(fgt_csv_opts){0}, &t), FGT_E_VERSION);
}

static void test_no_file(void **state)
{
    (void)state;
    fgt_table *t;
    char       name[5000];
    expect_status(fgt_table_load(&context, in_directory("none.csv"), NULL, &t), FGT_E_IO);
    expect_sentence("none.csv: no such file");
    expect_status(fgt_table_load(&context, directory, NULL, &t), FGT_E_IO);
    expect_sentence("is a directory, not a file");
    put_text("file", "");
    expect_status(fgt_table_load(&context, in_directory("file/none.csv"), NULL, &t), FGT_E_IO);
    expect_sentence("no such directory");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    expect_status(fgt_table_load(&context, name, NULL, &t), FGT_E_IO);
    expect_sentence("xxx: the name is too long");
    const char *path = put_text("secret.csv", "a\n1\n");
    chmod(path, 0);
    if (access(path, R_OK)) { /* root may read everything */
        expect_status(fgt_table_load(&context, path, NULL, &t), FGT_E_IO);
        expect_sentence("secret.csv: permission denied");
    }
    chmod(path, 0600);
}

enum { PIPED = 20000, SET_PIPE_SIZE = 1031 }; /* F_SETPIPE_SZ, which POSIX does not have */

/* Writes the header, waits until it has been read, and writes the rows. A pipe of one page is writable only
 * when it is empty. */
static void *feed(void *path)
{
    const int     fd   = open(path, O_WRONLY);
    FILE         *f    = fdopen(fd, "w");
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    fcntl(fd, SET_PIPE_SIZE, 4096);
    fputs("a\n", f);
    fflush(f);
    poll(&room, 1, -1);
    for (int i = 1; i <= PIPED; i++) fprintf(f, "%d\n", i);
    fclose(f);
    return NULL;
}

/* A pipe has no size and gives its bytes in pieces. */
static void test_pipe(void **state)
{
    (void)state;
    char       path[400];
    pthread_t  writer;
    fgt_table *t;
    snprintf(path, sizeof path, "%s", in_directory("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&writer, NULL, feed, path), 0);
    expect_ok(fgt_table_load(&context, path, NULL, &t));
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(fgt_table_count_rows(t), PIPED);
    assert_true(value_at(t, PIPED - 1, 0) == PIPED);
    fgt_table_destroy(&t);
}

static void test_names(void **state)
{
    (void)state;
    fgt_table *t      = load_text("date,HUFL,OT\nx,1,2\n", NULL);
    int64_t    column = 7;
    expect_ok(fgt_table_get_column(t, "OT", &column));
    assert_int_equal(column, 1);
    expect_status(fgt_table_get_column(t, "date", &column), FGT_E_NAME);
    expect_sentence("there is no column \"date\"; the columns are HUFL, OT");
    expect_status(fgt_table_get_column(t, NULL, &column), FGT_E_ARG);
    expect_status(fgt_table_get_column(NULL, "OT", &column), FGT_E_ARG);
    assert_int_equal(column, 1);
    fgt_table_destroy(&t);

    enum { MANY = 1000 };
    static double zeros[MANY];
    expect_ok(fgt_table_create(&context, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, zeros, 1, MANY), &t));
    expect_status(fgt_table_get_column(t, "x", &column), FGT_E_NAME);
    expect_sentence("the columns are 0, 1, 2, 3");
    expect_sentence(", ...");
    fgt_table_destroy(&t);
}

static void test_create(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"}, *const twice[] = {"a", "a"}, *const none[] = {"a", NULL};
    const float  f[] = {1, 2, NAN, 4};
    const double d[] = {1, 2, 3, -INFINITY};
    fgt_table   *t;
    expect_ok(fgt_table_create(&context, names, FGT_VIEW(f, 2, 2), &t));
    assert_true(value_at(t, 0, 1) == 2 && isnan(value_at(t, 1, 0)));
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0));
    fgt_table_destroy(&t);
    expect_status(fgt_table_create(&context, twice, FGT_VIEW(f, 2, 2), &t), FGT_E_FORMAT);
    expect_sentence("two columns are named \"a\"");
    expect_status(fgt_table_create(&context, none, FGT_VIEW(f, 2, 2), &t), FGT_E_ARG);
    expect_sentence("the name of column 1 is NULL");
    expect_status(fgt_table_create(&context, names, FGT_VIEW_OF(FGT_DTYPE_F64, d, 2, 2), &t), FGT_E_DATA);
    expect_sentence("row 1, column 1 is not finite");
    expect_status(fgt_table_create(&context, names, FGT_VIEW(f, 4), &t), FGT_E_SHAPE);
    expect_status(fgt_table_create(&context, names, FGT_VIEW(f, 0, 2), &t), FGT_E_SHAPE);
    expect_status(fgt_table_create(&context, names, FGT_VIEW_OF(FGT_DTYPE_I32, f, 2, 2), &t), FGT_E_SHAPE);
    expect_status(fgt_table_create(&context, names, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_create(&context, names, FGT_VIEW(f, 2, 2), NULL), FGT_E_ARG);
    assert_null(t);
}

static void test_subset(void **state)
{
    (void)state;
    fgt_table *t = load_text("date,a,b,c\nx,1,2,3\ny,4,5,6\n", NULL), *u;
    expect_ok(fgt_table_create_subset(t, (const int64_t[]){2, 0}, 2, &u));
    assert_int_equal(fgt_table_count_columns(u), 2);
    assert_string_equal(fgt_table_get_name(u, FGT_TABLE_NAME_COLUMN, 0), "c");
    assert_string_equal(fgt_table_get_name(u, FGT_TABLE_NAME_COLUMN, 1), "a");
    assert_string_equal(fgt_table_get_name(u, FGT_TABLE_NAME_LABELS, 0), "date");
    assert_string_equal(fgt_table_get_name(u, FGT_TABLE_NAME_ROW, 1), "y");
    assert_true(value_at(u, 1, 0) == 6 && value_at(u, 1, 1) == 4);
    fgt_table_destroy(&u);
    expect_status(fgt_table_create_subset(t, (const int64_t[]){3}, 1, &u), FGT_E_ARG);
    expect_sentence("column is out of range (got 3, need 0 .. 2)");
    expect_status(fgt_table_create_subset(t, (const int64_t[]){1, 1}, 2, &u), FGT_E_ARG);
    expect_sentence("column 1 is listed twice");
    expect_status(fgt_table_create_subset(t, (const int64_t[]){1}, 0, &u), FGT_E_ARG);
    assert_null(u);
    fgt_table_destroy(&t);
}

/* More rows than the first guesses of their number, and more than the file's size foretells. */
static void test_growth(void **state)
{
    (void)state;
    const char *path = in_directory("grow.csv");
    FILE       *f    = fopen(path, "w");
    fgt_table  *t;
    assert_non_null(f);
    fputs("a,b\n", f);
    for (int i = 0; i < 2000; i++) fprintf(f, "%040d,%d\n", i, 2 * i);
    for (int i = 2000; i < 60000; i++) fprintf(f, "%d,1\n", i);
    fclose(f);
    expect_ok(fgt_table_load(&context, path, NULL, &t));
    assert_int_equal(fgt_table_count_rows(t), 60000);
    for (int i = 0; i < 60000; i++) assert_true(value_at(t, i, 0) == i);
    fgt_table_destroy(&t);
}

#ifdef FGTI_HAVE_ZLIB
/* Appends a gzip stream of the text to the file. */
static void put_gzip(const char *path, const char *mode, const char *text, size_t size)
{
    gzFile f = gzopen(path, mode);
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)size), size);
    assert_int_equal(gzclose(f), Z_OK);
}

static void test_gzip(void **state)
{
    (void)state;
    static char zeros[400001], bytes[4096];
    const char *path = in_directory("t.csv.gz");
    fgt_table  *t;
    put_gzip(path, "wb", "\xef\xbb\xbf" "a,b\n1,2", 10);
    put_gzip(path, "ab", "5\n4,5\n", 6); /* two streams: one text */
    expect_ok(fgt_table_load(&context, path, NULL, &t));
    assert_int_equal(fgt_table_count_rows(t), 2);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "a");
    assert_true(value_at(t, 0, 1) == 25 && value_at(t, 1, 1) == 5);
    fgt_table_destroy(&t);

    /* far more text than bytes */
    for (size_t i = 0; i < sizeof zeros - 1; i += 2) memcpy(zeros + i, "0\n", 2);
    put_gzip(path, "wb", zeros, sizeof zeros - 1);
    expect_ok(fgt_table_load(&context, path, NULL, &t));
    assert_int_equal(fgt_table_count_rows(t), (sizeof zeros - 1) / 2 - 1);
    fgt_table_destroy(&t);

    const size_t size = get_file(path, bytes, sizeof bytes);
    for (size_t n = 2; n < size; n += 1 + n / 16) { /* cut anywhere */
        test_write(path, bytes, n);
        expect_status(fgt_table_load(&context, path, NULL, &t), FGT_E_FORMAT);
        expect_sentence("t.csv.gz: the gzip data end too early");
    }
    bytes[size / 2] ^= 0x55;
    test_write(path, bytes, size);
    expect_status(fgt_table_load(&context, path, NULL, &t), FGT_E_FORMAT);
    expect_sentence("t.csv.gz: the gzip data are damaged");
    test_write(path, "\x1f\x8bno gzip at all", 16);
    expect_status(fgt_table_load(&context, path, NULL, &t), FGT_E_FORMAT);
    expect_sentence("t.csv.gz: the gzip data are damaged");
}
#else
static void test_gzip(void **state)
{
    (void)state;
    fgt_table *t;
    expect_status(fgt_table_load(&context, put_text("t.csv.gz", "\x1f\x8b\x08"), NULL, &t),
                  FGT_E_UNSUPPORTED);
    expect_sentence("t.csv.gz: is compressed by gzip, and this library was built without zlib");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_plain, expect_no_leak),
        cmocka_unit_test_teardown(test_nothing, expect_no_leak),
        cmocka_unit_test_teardown(test_first_column, expect_no_leak),
        cmocka_unit_test_teardown(test_lines, expect_no_leak),
        cmocka_unit_test_teardown(test_missing, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_later_version, expect_no_leak),
        cmocka_unit_test_teardown(test_no_file, expect_no_leak),
        cmocka_unit_test_teardown(test_pipe, expect_no_leak),
        cmocka_unit_test_teardown(test_names, expect_no_leak),
        cmocka_unit_test_teardown(test_create, expect_no_leak),
        cmocka_unit_test_teardown(test_subset, expect_no_leak),
        cmocka_unit_test_teardown(test_growth, expect_no_leak),
        cmocka_unit_test_teardown(test_gzip, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
