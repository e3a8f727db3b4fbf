/* SPDX-License-Identifier: BSD-3-Clause */
/* The time to read a table is linear in the number of its columns: comparisons of strings are counted. */
#include <fighter/experimental/arrow.h>
#include <fighter/experimental/table_file.h>

#include "data/table.h"
#include "small_files.h"

enum { COLUMNS = 20000, SORTS = 500 /* comparisons for each column; those of all pairs would be 10000 */ };

static int64_t steps;

/* In place of that of the C library, for the library too. */
int strcmp(const char *a, const char *b)
{
    steps++;
    for (; *a && *a == *b; a++) b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    steps++;
    for (; n && *a && *a == *b; a++, b++) n--;
    return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

static char        names[COLUMNS][16];
static const char *list[COLUMNS];
static char        text[COLUMNS * 48];

/* "date,c0,c1,..." and two rows. */
static const char *write_wide(const char *file, const char *letter, int day)
{
    size_t at = (size_t)sprintf(text, "date");
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(names[i], sizeof names[i], "%s%d", letter, i);
        list[i] = names[i];
        at += (size_t)sprintf(text + at, ",%s", names[i]);
    }
    for (int row = 0; row < 2; row++) {
        at += (size_t)sprintf(text + at, "\n2020-01-0%d", day + row);
        for (int i = 0; i < COLUMNS; i++) at += (size_t)sprintf(text + at, ",%d", (i + row) % 7);
    }
    return put_text(file, text);
}

static void expect_linear(const char *what)
{
    assert_true(steps > 0); /* it is our strcmp() that the library calls */
    if (steps > (int64_t)SORTS * COLUMNS) fail_msg("%s: %lld comparisons", what, (long long)steps);
    steps = 0;
}

static void test_csv(void **state)
{
    (void)state;
    const char        *path  = write_wide("a.csv", "c", 1);
    const fgt_csv_opts all   = FGT_OPTS(fgt_csv_opts, .columns = list, .column_count = COLUMNS);
    const fgt_csv_opts roles = FGT_OPTS(fgt_csv_opts, .categories = list, .category_count = COLUMNS);
    fgt_table         *t, *u;
    int64_t            column, order[2] = {COLUMNS - 1, 0};
    steps = 0;
    expect_ok(fgt_table_load(&context, path, NULL, &t));
    expect_linear("load");
    for (int i = 0; i < COLUMNS; i++) {
        expect_ok(fgt_table_get_column(t, list[i], &column));
        assert_int_equal(column, i);
    }
    steps++; /* by hashes alone */
    expect_linear("get_column");
    expect_ok(fgt_table_create_subset(t, order, 2, &u));
    expect_linear("subset");
    fgt_table_destroy(&u);
    fgt_table_destroy(&t);
    expect_ok(fgt_table_load(&context, path, &all, &t));
    expect_linear("columns");
    fgt_table_destroy(&t);
    expect_ok(fgt_table_load(&context, path, &roles, &t));
    expect_linear("categories");
    fgt_table_destroy(&t);
}

static void test_files(void **state)
{
    (void)state;
    char b[1024], a[1024], more[1024];
    snprintf(a, sizeof a, "%s", write_wide("a.csv", "c", 1));
    snprintf(more, sizeof more, "%s", write_wide("m.csv", "c", 3));
    snprintf(b, sizeof b, "%s", write_wide("b.csv", "d", 1));
    const char        *paths[] = {a, b}, *after[] = {a, more};
    const fgt_csv_opts mask =
        FGT_OPTS(fgt_csv_opts, .missing = FGT_TABLE_MISSING_MASK, .repair = FGT_TABLE_REPAIR_GAPS);
    fgt_table         *t;
    steps = 0;
    expect_ok(fgt_table_load_files(&context, paths, 2, NULL, &t));
    expect_linear("join");
    fgt_table_destroy(&t);
    expect_ok(fgt_table_convert(&context, after, 2, &FGT_OPTS(fgt_convert_opts, .csv = &mask),
                                in_directory("w.fgt"), NULL));
    expect_linear("convert");
}

/* Each column has texts, another one in each file, and some file none: all get the columns of the others. */
static const char *write_texts(const char *file, const char *head, char value, int day)
{
    size_t at = (size_t)sprintf(text, "%s", head);
    for (int i = 0; i < COLUMNS; i++) at += (size_t)sprintf(text + at, ",c%d", i);
    for (int row = 0; row < 2; row++) {
        at += (size_t)sprintf(text + at, head[0] == 'd' ? "\n2020-01-0%d" : "\ns,2020-01-0%d,1", day + row);
        for (int i = 0; i < COLUMNS; i++)
            at += (size_t)sprintf(text + at, value ? ",%c" : ",", i % 2 ? value : 'x');
    }
    return put_text(file, text);
}

static void test_categories(void **state)
{
    (void)state;
    static const char *const heads[] = {"date", "unique_id,ds,y"};
    write_wide("n.csv", "c", 1); /* the names */
    for (int long_form = 0; long_form < 2; long_form++) {
        char        path[3][1024];
        const char *paths[3];
        fgt_table  *t;
        for (int i = 0; i < 3; i++) {
            const char value = (char)(i < 2 ? 'u' + i : 0);
            snprintf(path[i], sizeof path[i], "%s",
                     write_texts((const char *[]){"u.csv", "v.csv", "w.csv"}[i], heads[long_form], value,
                                 2 * i + 1));
            paths[i] = path[i];
        }
        const fgt_csv_opts opts = FGT_OPTS(fgt_csv_opts, .categories = list, .category_count = COLUMNS,
                                           .missing = FGT_TABLE_MISSING_MASK);
        steps = 0;
        expect_ok(fgt_table_load_files(&context, paths, 3, &opts, &t));
        steps++;
        expect_linear("categories of files");
        assert_int_equal(fgt_table_count_columns(t), long_form + COLUMNS / 2 * 3);
        int64_t column;
        expect_ok(fgt_table_get_column(t, "c19999=v", &column));
        assert_true(value_at(t, 0, column) == 0 && value_at(t, 2, column) == 1);
        assert_true(isnan(value_at(t, 4, column)));
        fgt_table_destroy(&t);
    }
}

/* As many columns of texts are left out of each file. */
static void test_ignored(void **state)
{
    (void)state;
    char a[1024];
    snprintf(a, sizeof a, "%s", write_texts("a.csv", "unique_id,ds,y", 'x', 1));
    const char *paths[] = {a, write_texts("b.csv", "unique_id,ds,y", 'x', 3)};
    fgt_table  *t;
    steps = 0;
    expect_ok(fgt_table_load_files(&context, paths, 2, NULL, &t));
    steps++;
    expect_linear("ignored");
    assert_int_equal(info_of(t).ignored, COLUMNS);
    fgt_table_destroy(&t);
}

/* A covariate of each series of a long file, looked for by the name of a series that is not there. */
static void test_parts(void **state)
{
    (void)state;
    size_t at = (size_t)sprintf(text, "unique_id,ds,y");
    for (int i = 0; i < COLUMNS; i++) at += (size_t)sprintf(text + at, ",p%d", i);
    for (int s = 0; s < 2; s++) {
        at += (size_t)sprintf(text + at, "\n%c,2020-01-01,1", 'a' + s);
        for (int i = 0; i < COLUMNS; i++) at += (size_t)sprintf(text + at, ",1");
    }
    fgt_table *t = load_text(text, NULL);
    int64_t    column;
    steps = 0;
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(names[i], sizeof names[i], "p%d[new]", i);
        expect_ok(fgti_table_find_part(&context.error, t, names[i], &column));
        assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, column) + 1,
                            strtok(names[i] + 1, "["));
    }
    steps++;
    expect_linear("parts");
    fgt_table_destroy(&t);
}

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
    a->release = NULL;
}

static void test_arrow(void **state)
{
    (void)state;
    static struct ArrowSchema schema[COLUMNS], *schemas[COLUMNS];
    static struct ArrowArray  array[COLUMNS], *arrays[COLUMNS];
    static const double       values[2] = {1, 2};
    static const void        *buffers[] = {NULL, values}, *none[] = {NULL};
    write_wide("a.csv", "c", 1); /* the names */
    for (int i = 0; i < COLUMNS; i++) {
        schema[i] = (struct ArrowSchema){.format = "g", .name = names[i], .release = release_schema};
        array[i] =
            (struct ArrowArray){.length = 2, .n_buffers = 2, .buffers = buffers, .release = release_array};
        schemas[i] = &schema[i];
        arrays[i]  = &array[i];
    }
    const struct ArrowSchema s = {
        .format = "+s", .name = "", .n_children = COLUMNS, .children = schemas, .release = release_schema};
    const struct ArrowArray a    = {.length     = 2,
                                    .n_buffers  = 1,
                                    .buffers    = none,
                                    .n_children = COLUMNS,
                                    .children   = arrays,
                                    .release    = release_array};
    const fgt_arrow_opts    opts = FGT_OPTS(fgt_arrow_opts, .columns = list, .column_count = COLUMNS);
    fgt_table              *t;
    steps = 0;
    expect_ok(fgt_table_create_arrow(&context, &s, &a, &opts, &t));
    expect_linear("arrow");
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_csv, expect_no_leak),
        cmocka_unit_test_teardown(test_files, expect_no_leak),
        cmocka_unit_test_teardown(test_categories, expect_no_leak),
        cmocka_unit_test_teardown(test_ignored, expect_no_leak),
        cmocka_unit_test_teardown(test_parts, expect_no_leak),
        cmocka_unit_test_teardown(test_arrow, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
