/* SPDX-License-Identifier: BSD-3-Clause */
/* The series of a table: seasons and horizons by the step, times after the rows, own ends and steps, and
 * forecasts that equal those of the series passed one by one. */
#include <fighter/experimental/series.h>
#include <stdio.h>
#include <string.h>

#include "small_series.h"

enum { AHEAD = 6, LEVELS = 2, LONG_ROWS = 140 };
#define HOUR INT64_C(3600000)
#define DAY  (24 * HOUR)

static const double level[LEVELS] = {.1, .9};

/* ---- by the step ---- */

static fgt_table *with_times(const int64_t *times, int64_t rows)
{
    fgt_table *t;
    OK(fgt_table_create(ctx, (const char *const[]){"a", "b", "c"},
                        FGT_VIEW_OF(FGT_DTYPE_F64, values, rows, COLUMNS), &t));
    if (times) OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, (void *)times, rows), 0));
    return t;
}

static fgt_table *every(int64_t step, int64_t rows)
{
    int64_t times[ROWS];
    for (int r = 0; r < ROWS; r++) times[r] = r * step;
    return with_times(times, rows);
}

static void expect_step(fgt_table *t, const int64_t seasons[FGT_SEASONS], int64_t horizon, int64_t share)
{
    int64_t found[FGT_SEASONS] = {-1, -1, -1}, count = 0;
    while (count < FGT_SEASONS && seasons[count]) count++;
    assert_int_equal(fgt_table_find_seasons(t, found), count);
    assert_memory_equal(found, seasons, sizeof found);
    assert_int_equal(fgt_table_find_horizon(t, share), horizon);
    fgt_table_destroy(&t);
}

static void test_step(void **state)
{
    (void)state;
    int64_t week_days[ROWS], hours[ROWS], months[ROWS];
    for (int r = 0; r < ROWS; r++) week_days[r] = (r / 5 * 7 + r % 5 + 4) * DAY; /* from a Monday on */
    for (int r = 0; r < ROWS; r++) hours[r] = r / 9 * DAY + (8 + r % 9) * HOUR;
    for (int r = 0; r < ROWS; r++) {
        char text[32];
        snprintf(text, sizeof text, "%04d-%02d-28", 1990 + r / 12, r % 12 + 1);
        OK(fgt_time_parse(ctx, text, FGT_TIME_FORM_ISO, &months[r]));
    }
    expect_step(every(HOUR, ROWS), (const int64_t[]){24, 168, 8736}, 48, 1);
    expect_step(every(HOUR, ROWS), (const int64_t[]){24, 168, 8736}, 20, 10);
    expect_step(every(DAY, ROWS), (const int64_t[]){7, 364, 0}, 14, 1);
    expect_step(every(7 * DAY, ROWS), (const int64_t[]){52, 0, 0}, 8, 1);
    expect_step(every(5 * DAY, ROWS), (const int64_t[]){0, 0, 0}, 4,
                1); /* 14 days are 2 rows, fewer than 4 */
    expect_step(every(HOUR / 60, ROWS), (const int64_t[]){1440, 10080, 524160}, 0, 1);
    expect_step(with_times(week_days, ROWS), (const int64_t[]){5, 260, 0}, 10, 1);
    expect_step(with_times(hours, ROWS), (const int64_t[]){9, 63, 3276}, 18, 1);
    expect_step(with_times(months, ROWS), (const int64_t[]){12, 0, 0}, 12, 1);
    expect_step(with_times(NULL, ROWS), (const int64_t[]){0, 0, 0}, 0, 1);
    expect_step(every(DAY, 5), (const int64_t[]){7, 364, 0}, 1, 10);
    assert_int_equal(fgt_table_find_seasons(NULL, week_days), 0);
    assert_int_equal(fgt_table_find_horizon(NULL, 1), 0);
}

static void test_times(void **state)
{
    (void)state;
    static const char *const days[] = {"2023-11-30", "2023-12-30", "2024-01-30", "2024-02-29"};
    int64_t                  times[4], want, time = 7;
    for (int r = 0; r < 4; r++) OK(fgt_time_parse(ctx, days[r], FGT_TIME_FORM_ISO, &times[r]));
    fgt_table *t = with_times(times, 4), *plain = with_times(NULL, 4);
    REFUSED(fgt_table_compute_time(plain, 0, 1, &time), FGT_E_STATE, "no times");
    REFUSED(fgt_table_compute_time(t, 4, 1, &time), FGT_E_ARG, "row is out of range");
    REFUSED(fgt_table_compute_time(t, 0, 1, NULL), FGT_E_ARG, "time is NULL");
    REFUSED(fgt_table_compute_time(t, 3, 100000, &time), FGT_E_DATA, "not in the years");
    REFUSED(fgt_table_compute_time(t, 3, -100000, &time), FGT_E_DATA, "not in the years");
    REFUSED(fgt_table_compute_time(t, 3, INT64_MAX, &time), FGT_E_DATA, "not in the years");
    assert_int_equal(fgt_table_compute_time(NULL, 0, 1, &time), FGT_E_ARG);
    assert_int_equal(time, 7);
    OK(fgt_table_compute_time(t, 3, 1, &time)); /* the 30th, not the 29th */
    OK(fgt_time_parse(ctx, "2024-03-30", FGT_TIME_FORM_ISO, &want));
    assert_int_equal(time, want);
    for (int r = 0; r < 4; r++) {
        OK(fgt_table_compute_time(t, 3, r - 3, &time));
        assert_int_equal(time, times[r]);
    }
    fgt_table_destroy(&plain);
    fgt_table_destroy(&t);
}

static void test_keys(void **state)
{
    (void)state;
    static const char *const names[] = {"store_nbr", "shopId", "paid", "ID", "code x", "item", "y", "nr"};
    static const int32_t     want[]  = {1, 1, 0, 1, 0, 0, 0, 0};
    static const double      row[]   = {3, 7, 1, 0, 1, 1.5, 1, 4};
    double                   v[3][8];
    fgt_table               *t;
    for (int i = 0; i < 24; i++) v[i / 8][i % 8] = row[i % 8] + (i % 8 == 6 ? i : 0); /* only "y" changes */
    v[1][3] = v[1][7] = v[2][7] = NAN;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, 3, 8), &t));
    for (int c = 0; c < 8; c++) assert_int_equal(fgt_table_is_key(t, c), want[c]);
    assert_int_equal(fgt_table_is_key(t, -1) + fgt_table_is_key(t, 8) + fgt_table_is_key(NULL, 0), 0);
    fgt_table_destroy(&t);
}

/* ---- series ---- */

/* A long file of days: "a" has all of them, "b" ends 10 days earlier and begins late, "m" has one in 7, "e"
 * has none. Values are those of the fixture. */
static fgt_table *long_table(void)
{
    const char *const path = in_directory("long.csv");
    FILE             *file = fopen(path, "w");
    fgt_table        *t;
    assert_non_null(file);
    fputs("id,time,y\n", file);
    for (int r = 0; r < LONG_ROWS; r++) {
        char      day[24];
        const int late = r >= 5 && r < LONG_ROWS - 10;
        OK(fgt_time_format((20000 + r) * DAY, day, sizeof day));
        fprintf(file, "a,%.10s,%.17g\n", day, values[r][0]);
        if (late) fprintf(file, "b,%.10s,", day);
        if (late && r == 20) fputs("\n", file); /* a hole */
        if (late && r != 20) fprintf(file, "%.17g\n", values[r][1]);
        if (r % 7 == 3) fprintf(file, "m,%.10s,%.17g\n", day, values[r][2]);
        fprintf(file, "e,%.10s,\n", day);
    }
    fclose(file);
    OK(fgt_table_load(ctx, path,
                      &FGT_OPTS(fgt_csv_opts, .form = FGT_TABLE_FORM_LONG, .missing = FGT_TABLE_MISSING_MASK),
                      &t));
    return t;
}

static int64_t column_of(const fgt_table *t, const char *name)
{
    int64_t column = -1;
    OK(fgt_table_get_column(t, name, &column));
    return column;
}

static fgt_series_info info_of(const fgt_series *s, int64_t i)
{
    fgt_series_info info = {.size = sizeof info};
    OK(fgt_series_get_info(s, i, &info));
    return info;
}

static fgt_series *long_series(const fgt_table *t)
{
    const int64_t columns[] = {column_of(t, "e"), column_of(t, "m"), column_of(t, "a"), column_of(t, "b")};
    fgt_series   *s;
    OK(fgt_series_create(t, columns, 4, &s));
    return s;
}

static void test_long(void **state)
{
    (void)state;
    fgt_table            *t = long_table();
    fgt_series           *s = long_series(t);
    const fgt_series_info m = info_of(s, 0), a = info_of(s, 1), b = info_of(s, 2);
    fgt_series_group      most = {.size = sizeof most}, first = {.size = sizeof first};
    assert_int_equal(fgt_series_count(s), 3);
    assert_string_equal(m.name, "m");
    assert_ptr_not_equal(m.axis, t);
    assert_int_equal(m.rows, LONG_ROWS / 7);
    assert_int_equal(m.end, m.rows);
    assert_true(m.values[1] == values[10][2]);
    assert_ptr_equal(a.axis, t);
    assert_int_equal(a.rows, LONG_ROWS);
    assert_int_equal(b.end, LONG_ROWS - 10);
    assert_int_equal(b.rows, LONG_ROWS - 15);
    assert_int_equal(b.holes, 1);
    assert_int_equal(b.late, 0);
    assert_true(isnan(b.values[15]) && b.values[16] == values[21][1]);
    assert_int_equal(fgt_series_count_groups(s), 2);
    OK(fgt_series_get_group(s, -1, &most));
    OK(fgt_series_get_group(s, 0, &first));
    assert_int_equal(most.index, a.group);
    assert_int_equal(most.count, 2);
    assert_int_equal(most.seasons[0], 7);
    assert_int_equal(first.index, m.group);
    assert_ptr_equal(first.axis, m.axis);
    assert_int_equal(first.seasons[0], 52);
    fgt_series_destroy(&s);
    assert_null(s);
    fgt_table_destroy(&t);
}

/* In wide form all series end in the same row. */
static void test_wide(void **state)
{
    (void)state;
    static double v[ROWS][COLUMNS];
    fgt_table    *t;
    fgt_series   *s;
    memcpy(v, values, sizeof v);
    for (int r = 0; r < ROWS; r++) {
        if (r < 20) v[r][1] = NAN;
        if (r >= 150) v[r][1] = NAN;
        if (r >= 180) v[r][0] = v[r][2] = NAN;
    }
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, v, ROWS, COLUMNS), &t));
    OK(fgt_series_create(t, (const int64_t[]){0, 1}, 2, &s));
    assert_int_equal(info_of(s, 0).end, 180);
    assert_int_equal(info_of(s, 1).end, 180);
    assert_int_equal(info_of(s, 1).rows, 160);
    assert_int_equal(info_of(s, 1).late, 30);
    assert_int_equal(info_of(s, 1).holes, 0);
    fgt_series_destroy(&s);
    fgt_table_destroy(&t);
}

/* ---- forecasts ---- */

/* The results of one call. */
typedef struct results {
    double  mean[3][AHEAD], quantile[3][AHEAD][LEVELS], last[3][AHEAD], weight[3][FGT_LOCAL_MEMBERS];
    int64_t left_out[3][FGT_LEFT_OUT], begin[3], shifted[3], stuck[3];
} results;

static fgt_local_opts opts_of(results *r)
{
    return (fgt_local_opts){.size         = sizeof(fgt_local_opts),
                            .horizon      = AHEAD,
                            .levels       = level,
                            .level_count  = LEVELS,
                            .forecast     = r->mean[0],
                            .quantiles    = r->quantile[0][0],
                            .hindcast     = r->last[0],
                            .weights      = r->weight[0],
                            .member_count = FGT_LOCAL_MEMBERS,
                            .left_out     = r->left_out[0],
                            .begin        = r->begin,
                            .shifted      = r->shifted,
                            .stuck        = r->stuck};
}

static void test_forecast(void **state)
{
    (void)state;
    fgt_table      *t = long_table();
    fgt_series     *s = long_series(t);
    static results  all, days, weeks;
    fgt_local_opts  o = opts_of(&all), d = opts_of(&days), w = opts_of(&weeks);
    fgt_series_info one[3];
    for (int i = 0; i < 3; i++) one[i] = info_of(s, i);
    OK(fgt_series_forecast(s, 0, &o));
    d.season      = 7;
    d.long_season = 364;
    w.season      = 52;
    OK(fgt_forecast_local(ctx, (const double *const[]){one[1].values, one[2].values},
                          (const int64_t[]){one[1].rows, one[2].rows}, 2, &d));
    OK(fgt_forecast_local(ctx, (const double *const[]){one[0].values}, (const int64_t[]){one[0].rows}, 1,
                          &w));
    assert_memory_equal(all.mean[1], days.mean, sizeof all.mean[1] * 2);
    assert_memory_equal(all.quantile[1], days.quantile, sizeof all.quantile[1] * 2);
    assert_memory_equal(all.weight[1], days.weight, sizeof all.weight[1] * 2);
    assert_memory_equal(all.last[1], days.last, sizeof all.last[1] * 2);
    assert_memory_equal(all.left_out[1], days.left_out, sizeof all.left_out[1] * 2);
    assert_memory_equal(all.mean[0], weeks.mean, sizeof all.mean[0]);
    assert_memory_equal(all.quantile[0], weeks.quantile, sizeof all.quantile[0]);
    assert_int_equal(all.stuck[0], weeks.stuck[0]);

    OK(fgt_series_forecast(s, AHEAD, &o)); /* from rows before the end */
    OK(fgt_forecast_local(ctx, (const double *const[]){one[1].values, one[2].values},
                          (const int64_t[]){one[1].rows - AHEAD, one[2].rows - AHEAD}, 2, &d));
    assert_memory_equal(all.mean[1], days.mean, sizeof all.mean[1] * 2);

    OK(fgt_series_forecast(s, 17, &o)); /* 3 rows of weeks are too few */
    assert_true(isnan(all.mean[0][0]) && isnan(all.quantile[0][0][0]) && isnan(all.last[0][0]));
    assert_int_equal(all.stuck[0], -1);
    assert_int_equal(all.left_out[0][0], -1);
    assert_true(all.weight[0][0] == 0 && isfinite(all.mean[1][0]));

    o.season = d.season = 5;
    d.long_season       = 0;
    OK(fgt_series_forecast(s, 0, &o));
    OK(fgt_forecast_local(ctx, (const double *const[]){one[1].values, one[2].values},
                          (const int64_t[]){one[1].rows, one[2].rows}, 2, &d));
    assert_memory_equal(all.mean[1], days.mean, sizeof all.mean[1] * 2);
    fgt_series_destroy(&s);
    fgt_table_destroy(&t);
}

/* ---- errors ---- */

static fgt_status refuse_model(void *user, int64_t series, int64_t rows, double *forecast)
{
    (void)user, (void)series, (void)rows, (void)forecast;
    return FGT_OK;
}

static void test_refused(void **state)
{
    (void)state;
    static results   all;
    fgt_table       *t = long_table(), *empty, *own = (fgt_table *)t;
    fgt_series      *s = long_series(t), *none = s;
    fgt_local_opts   o     = opts_of(&all);
    fgt_series_info  info  = {.size = sizeof info};
    fgt_series_group group = {.size = sizeof group};
    fgt_status       status;
    double           nothing[4] = {NAN, NAN, NAN, NAN};
    const int64_t    e = column_of(t, "e"), wrong = COLUMNS + 9;
    REFUSED(fgt_series_forecast(s, -1, &o), FGT_E_ARG, "back is negative");
    o.long_season = 7;
    REFUSED(fgt_series_forecast(s, 0, &o), FGT_E_ARG, "long_season is given without season");
    o.long_season = 0;
    o.model       = refuse_model;
    REFUSED(fgt_series_forecast(s, 0, &o), FGT_E_UNSUPPORTED, "model of the host");
    o.model   = NULL;
    o.horizon = 0;
    REFUSED(fgt_series_forecast(s, 0, &o), FGT_E_ARG, "horizon");
    assert_int_equal(fgt_series_forecast(NULL, 0, &o), FGT_E_ARG);
    REFUSED(fgt_series_get_info(s, 3, &info), FGT_E_ARG, "index is out of range");
    REFUSED(fgt_series_get_group(s, -2, &group), FGT_E_ARG, "index is out of range");
    REFUSED(fgt_series_create(t, &e, 1, &none), FGT_E_DATA, "no series has a value");
    assert_null(none);
    REFUSED(fgt_series_create(t, &wrong, 1, &none), FGT_E_ARG, "column is out of range");
    REFUSED(fgt_series_create(t, &e, 0, &none), FGT_E_ARG, "count is out of range");
    REFUSED(fgt_table_create_own_step(t, wrong, &own), FGT_E_ARG, "column is out of range");
    assert_null(own);
    assert_int_equal(fgt_series_count(NULL) + fgt_series_count_groups(NULL), 0);
    nothing[2] = 1e200;
    OK(fgt_table_create(ctx, (const char *const[]){"y"}, FGT_VIEW_OF(FGT_DTYPE_F64, nothing, 4, 1), &empty));
    REFUSED(fgt_series_create(empty, (const int64_t[]){0}, 1, &none), FGT_E_DATA,
            "\"y\": 1e+200 in row 2 is too large");
    fgt_table_destroy(&empty);
    fgt_series_destroy(&s);
    SWEEP(&memory, status, 10, fgt_series_create(t, (const int64_t[]){0, 1, 2}, 3, &s)) NOTHING_LEAKS;
    fgt_series_destroy(&s);
    s         = long_series(t);
    o.horizon = AHEAD;
    SWEEP(&memory, status, 20, fgt_series_forecast(s, 0, &o)) NOTHING_LEAKS;
    fgt_series_destroy(&s);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),    cmocka_unit_test(test_times), cmocka_unit_test(test_long),
        cmocka_unit_test(test_keys),    cmocka_unit_test(test_wide),  cmocka_unit_test(test_forecast),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
