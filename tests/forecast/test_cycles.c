/* SPDX-License-Identifier: BSD-3-Clause */
/* The calendar by default has the cycles that show in the training rows, and no others. */
#include "small_series.h"

#include "data/table.h"
#include "data/time/time.h"
#include "forecast/known/calendar.h"
#include "forecast/known/cycles.h"

enum { N = 24 * 365 * 2, C = 3, HOUR = 3600000 };

static double          series[N][C];
static int64_t         times[N];
static const fgt_split whole = {0, N, N, N, N, N};

/* The rhythm of the first column; the others have only noise. */
static const struct {
    const char *what;
    double      day, week, year, walk; /* sizes, beside noise of standard deviation 1 */
    int32_t     parts;
} cases[] = {
    {"noise", 0, 0, 0, 0, 0},
    {"day", 1, 0, 0, 0, FGT_CALENDAR_DAY},
    {"week", 0, 1, 0, 0, FGT_CALENDAR_WEEK},
    {"year", 0, 0, 1, 0, FGT_CALENDAR_YEAR},
    {"all", 1, 1, 1, 0, FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK | FGT_CALENDAR_YEAR},
    {"random walk", 0, 0, 0, 1, 0},
    {"day on a random walk", 20, 0, 0, 1, FGT_CALENDAR_DAY},
};

static double draw(uint64_t *state)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 40) / (1 << 24) - 0.5;
    }
    return sum;
}

static fgt_table *table_of(size_t k, uint64_t seed)
{
    fgt_table *t;
    double     walk = 0;
    for (int r = 0; r < N; r++) {
        const int64_t day = r / 24;
        times[r]          = INT64_C(1451606400000) + (int64_t)r * HOUR; /* 2016 */
        walk += draw(&seed);
        series[r][0] = 5 + cases[k].day * sin(6.283185307 * (r % 24) / 24) + cases[k].week * (day % 7 > 4) +
                       cases[k].year * cos(6.283185307 * (double)day / 365) + cases[k].walk * walk +
                       draw(&seed);
        for (int c = 1; c < C; c++) series[r][c] = draw(&seed);
        if (r % 50 == 7) series[r][0] = NAN;
    }
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, series, N, C), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, N), 0));
    return t;
}

static void cycles_that_show_are_kept(void **state)
{
    (void)state;
    const int32_t all = FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK | FGT_CALENDAR_YEAR;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            fgt_table    *t     = table_of(k, seed);
            const int32_t parts = fgti_calendar_keep_shown(t, &whole, 1, all);
            if (parts != cases[k].parts) fail_msg("%s, seed %d: %d", cases[k].what, (int)seed, parts);
            assert_int_equal(fgti_calendar_keep_shown(t, &whole, 1, FGT_CALENDAR_WEEK),
                             cases[k].parts & FGT_CALENDAR_WEEK);
            fgt_table_destroy(&t);
        }
}

/* All targets count, and nothing but them; constants and columns without values say nothing. */
static void all_targets_are_asked(void **state)
{
    (void)state;
    fgt_table *t = table_of(1, 9);
    for (int r = 0; r < N; r++) {
        t->values[r * C + 1] = NAN;
        t->values[r * C + 2] = 7;
    }
    assert_int_equal(fgti_calendar_keep_shown(t, &whole, C, FGT_CALENDAR_DAY), FGT_CALENDAR_DAY);
    for (int r = 0; r < N; r++) t->values[r * C] = r % 24; /* a cycle without any noise */
    assert_int_equal(fgti_calendar_keep_shown(t, &whole, C, FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK),
                     FGT_CALENDAR_DAY);
    for (int r = 0; r < N; r++) t->values[r * C] = 7;
    assert_int_equal(fgti_calendar_keep_shown(t, &whole, C, FGT_CALENDAR_DAY), 0);
    fgt_table_destroy(&t);
}

/* The sums of 21.3 are rounded; that of a series which changes from day to day alone, too. */
static void rounding_is_no_cycle(void **state)
{
    (void)state;
    fgt_table *t = table_of(0, 9);
    for (int steps = 0; steps < 2; steps++) {
        for (int r = 0; r < N; r++) t->values[r * C + 1] = 21.3 + steps * 0.1 * (r / 24 % 3);
        assert_int_equal(fgti_calendar_keep_shown(t, &whole, C, FGT_CALENDAR_DAY), 0);
    }
    fgt_table_destroy(&t);
}

/* Of a straight line later hours, days and months are above earlier ones; that is no habit. */
static void a_line_has_no_cycle(void **state)
{
    (void)state;
    const int32_t all = FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK | FGT_CALENDAR_YEAR;
    const double  slopes[] = {3, -0.1, 1e-7, 1e9};
    fgt_table    *t        = table_of(0, 9);
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++) {
        for (int r = 0; r < N; r++) t->values[r * C] = r % 50 == 7 ? NAN : 5 + slopes[i] * r;
        assert_int_equal(fgti_calendar_keep_shown(t, &whole, 1, all), 0);
        for (int r = 0; r < N; r++) t->values[r * C] += slopes[i] * (r / 24 % 7 > 4) * 24; /* a habit */
        assert_int_equal(fgti_calendar_keep_shown(t, &whole, 1, all) & FGT_CALENDAR_WEEK, FGT_CALENDAR_WEEK);
    }
    fgt_table_destroy(&t);
}

/* Parts that the user asks for are not questioned. */
static void only_the_default_chooses(void **state)
{
    (void)state;
    static const struct {
        size_t  which;
        int32_t asked, got;
    } calls[] = {{0, FGT_CALENDAR_AUTO, 0},
                 {1, FGT_CALENDAR_AUTO, FGT_CALENDAR_DAY},
                 {0, FGT_CALENDAR_WEEK, FGT_CALENDAR_WEEK},
                 {1, FGT_CALENDAR_NONE, 0}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fgt_table                *t = table_of(calls[i].which, 1);
        const fgt_forecaster_opts o    = {.size            = sizeof o,
                                          .block.kind      = FGT_BLOCK_LINEAR,
                                          .inputs.calendar = calls[i].asked,
                                          .pred_len        = 4};
        fgt_forecaster_info info = {.size = sizeof info};
        fgt_forecaster     *f;
        OK(fgt_forecaster_create(ctx, t, &whole, &o, &f));
        OK(fgt_forecaster_get_info(f, &info));
        assert_int_equal(info.calendar, calls[i].got);
        fgt_forecaster_destroy(&f);
        fgt_table_destroy(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_that_show_are_kept),
        cmocka_unit_test(all_targets_are_asked),
        cmocka_unit_test(rounding_is_no_cycle),
        cmocka_unit_test(a_line_has_no_cycle),
        cmocka_unit_test(only_the_default_chooses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
