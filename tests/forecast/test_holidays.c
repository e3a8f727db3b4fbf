/* SPDX-License-Identifier: BSD-3-Clause */
/* Holidays that a forecaster knows: what a row says of them, files, lists that are replaced. */
#include "small_series.h"

#include "data/time/time.h"
#include "forecast/known/holidays.h"

enum { AHEAD = 8 };

/* Daily rows from 1970-01-01 on, unless the step is another one. */
static fgt_table *timed(int64_t step)
{
    static int64_t times[ROWS];
    fgt_table     *t = new_table();
    for (int r = 0; r < ROWS; r++) times[r] = r * step;
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, ROWS), 0));
    return t;
}

static fgt_days *new_days(void)
{
    static const int64_t     day[]   = {10, 11, 20, 30, 130, 500};
    static const char *const names[] = {"x", "x", "y", "x", "late", NULL};
    int64_t                  times[6];
    fgt_days                *days;
    for (int i = 0; i < 6; i++) times[i] = day[i] * FGTI_DAY;
    OK(fgt_days_create(ctx, times, names, 6, &days));
    return days;
}

static void expect_row(const fgt_forecaster *f, int64_t time, const float *expected)
{
    float out[FGTI_HOLIDAYS_MOST];
    fgti_forecaster_write_time(f, time, out);
    for (int64_t i = 0; i < f->info.holidays; i++)
        if (out[i] != expected[i]) fail_msg("number %d is %g", (int)i, (double)out[i]);
}

static void test_rows(void **state)
{
    (void)state;
    static const struct {
        int64_t day;
        float   known[5]; /* today, tomorrow, yesterday, x, y */
    } rows[] = {
        {8, {0}},        {9, {0, 1}},           {10, {1, 1, 0, 1}}, {11, {1, 0, 1, 1}},
        {12, {0, 0, 1}}, {20, {1, 0, 0, 0, 1}}, {130, {1}},         {499, {0, 1}},
        {500, {1}},      {501, {0, 0, 1}},      {502, {0}},
    };
    fgt_days       *days = new_days();
    fgt_table      *t    = timed(FGTI_DAY);
    fgt_forecaster *f    = new_forecaster(
           (fgt_forecaster_opts){.inputs.holidays = days, .inputs.calendar = FGT_CALENDAR_NONE}, t);
    assert_int_equal(f->info.holidays, 5); /* "late" lies after the training rows */
    assert_int_equal(fgt_days_count_entries(fgt_forecaster_get_holidays(f)), 6);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_row(f, rows[i].day * FGTI_DAY, rows[i].known);
    /* a week: day 8 to 14, and the days around it */
    f->info.step = (fgt_time_step){.milliseconds = 7 * FGTI_DAY};
    expect_row(f, 8 * FGTI_DAY, (const float[]){2, 0, 0, 1, 0});
    expect_row(f, 12 * FGTI_DAY, (const float[]){0, 0, 1, 0, 0});
    expect_row(f, 13 * FGTI_DAY, (const float[]){0, 1, 0, 0, 0});
    f->info.step = (fgt_time_step){.milliseconds = FGTI_DAY / 24};
    expect_row(f, 10 * FGTI_DAY - FGTI_DAY / 24, (const float[]){0, 1, 0, 0, 0});
    expect_row(f, 11 * FGTI_DAY + 5, (const float[]){1, 0, 1, 1, 0});
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    fgt_days_destroy(&days);
}

static void forecast(fgt_forecaster *f, const fgt_table *t, double *out)
{
    OK(fgt_forecaster_predict_table(f, t, 190, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, out, AHEAD, COLUMNS)));
}

/* Trained, so that the holidays have an effect; saved and loaded, it forecasts the same. */
static void test_file(void **state)
{
    (void)state;
    fgt_days       *days = new_days(), *others;
    fgt_table      *t    = timed(FGTI_DAY);
    fgt_forecaster *f    = new_forecaster((fgt_forecaster_opts){.inputs.holidays = days}, t), *g;
    double          a[AHEAD * COLUMNS], b[AHEAD * COLUMNS];
    OK(fgt_forecaster_fit(f, t, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 2), NULL));
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("f"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &g));
    forecast(f, t, a);
    forecast(g, t, b);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(g->info.holidays, 5);
    assert_string_equal(fgti_days_get_name(fgt_forecaster_get_holidays(g), 0), "x");
    /* a list that reaches further: only rows near its days change */
    OK(fgt_days_create(ctx, (const int64_t[]){192 * FGTI_DAY}, (const char *const[]){"new"}, 1, &others));
    OK(fgt_forecaster_set_holidays(g, others));
    assert_null(fgti_days_get_name(fgt_forecaster_get_holidays(g), 0));
    forecast(g, t, b);
    assert_true(a[2 * COLUMNS] != b[2 * COLUMNS]);
    fgt_days_destroy(&others);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    fgt_days_destroy(&days);
}

/* Table and holidays of another context, which ends first: everything of the forecaster is a copy in its own
 * one. */
static void test_another_context(void **state)
{
    (void)state;
    fgt_context    *own = ctx;
    test_memory     memory_of_other;
    fgt_context    *other = ctx = test_context(&memory_of_other, 1);
    fgt_days       *days = new_days();
    fgt_table      *t    = timed(FGTI_DAY);
    ctx                  = own;
    const int64_t   live = memory_of_other.live;
    fgt_forecaster *f           = new_forecaster((fgt_forecaster_opts){.inputs.holidays = days}, t);
    OK(fgt_forecaster_set_holidays(f, days));
    REFUSED(
        fgt_forecaster_create(ctx, t, &split,
                              &FGT_OPTS(fgt_forecaster_opts, .inputs.targets = (const char *const[]){"none"},
                                        .inputs.target_count = 1),
                              &(fgt_forecaster *){NULL}),
        FGT_E_NAME, "\"none\"");
    assert_int_equal(memory_of_other.live, live);
    fgt_days_destroy(&days);
    fgt_table_destroy(&t);
    fgt_context_destroy(&other);
    assert_int_equal(memory_of_other.live, 0);
    assert_int_equal(fgt_days_count_entries(fgt_forecaster_get_holidays(f)), 6);
    assert_string_equal(fgt_forecaster_get_name(f, 0), "load");
    fgt_forecaster_destroy(&f);
}

static void test_refused(void **state)
{
    (void)state;
    fgt_days                 *days = new_days();
    fgt_table                *t    = new_table();
    fgt_forecaster           *f    = NULL;
    const fgt_forecaster_opts o = {.size = sizeof o, .input_len = 24, .pred_len = 8, .inputs.holidays = days};
    REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), FGT_E_DATA, "holidays need rows with times");
    assert_null(f);
    f = new_forecaster((fgt_forecaster_opts){0}, t);
    REFUSED(fgt_forecaster_set_holidays(f, days), FGT_E_STATE, "made without holidays");
    REFUSED(fgt_forecaster_set_holidays(f, NULL), FGT_E_ARG, "days is NULL");
    assert_null(fgt_forecaster_get_holidays(f));
    assert_null(fgt_forecaster_get_holidays(NULL));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    fgt_days_destroy(&days);
}

/* Holidays that could not be saved are refused at once. */
static void test_names(void **state)
{
    (void)state;
    static const char *const  names[] = {"Dreik\xf6nig", "x", "\xf6"};
    const int64_t             at[]    = {10 * FGTI_DAY, 20 * FGTI_DAY, 130 * FGTI_DAY};
    fgt_table                *t       = timed(FGTI_DAY);
    fgt_days                 *days, *later;
    fgt_forecaster           *f;
    OK(fgt_days_create(ctx, at, names, 3, &days));
    const fgt_forecaster_opts o = {.size = sizeof o, .input_len = 24, .pred_len = 8, .inputs.holidays = days};
    REFUSED(fgt_forecaster_create(ctx, t, &split, &o, &f), FGT_E_NAME, "holiday, \"Dreik");
    assert_null(f);
    OK(fgt_days_create(ctx, at + 1, names + 1, 2, &later)); /* the last one is not in the training rows */
    f = new_forecaster((fgt_forecaster_opts){.inputs.holidays = later}, t);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("later"))));
    fgt_forecaster_destroy(&f);
    fgt_days_destroy(&later);
    fgt_days_destroy(&days);
    fgt_table_destroy(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    fgt_days                 *days = new_days();
    fgt_table                *t    = timed(FGTI_DAY);
    fgt_forecaster           *f;
    fgt_status                s;
    const fgt_forecaster_opts o = {.size            = sizeof o,
                                   .input_len       = 24,
                                   .pred_len        = 8,
                                   .tokens.dim      = 8,
                                   .tokens.patch    = 8,
                                   .inputs.holidays = days};
    SWEEP(&memory, s, 10, fgt_forecaster_create(ctx, t, &split, &o, &f)) assert_null(f);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("f"))));
    SWEEP(&memory, s, 3, fgt_forecaster_set_holidays(f, days))
    assert_int_equal(fgt_days_count_entries(fgt_forecaster_get_holidays(f)), 6);
    fgt_forecaster_destroy(&f);
    SWEEP(&memory, s, 10, fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("f")), NULL, &f))
    assert_null(f);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    fgt_days_destroy(&days);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_another_context),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
