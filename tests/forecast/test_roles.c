/* SPDX-License-Identifier: BSD-3-Clause */
/* Targets, past and known columns, the calendar: what is learned from them, found by name and time, kept in
 * files, and refused. */
#include <fighter/experimental/absent.h>

#include "roles.h"

#include "data/table.h"
#include "data/time/time.h"
#include "forecast/fit/fit.h"
#include "forecast/known/calendar.h"
#include "forecast/rows/frame.h"

static double error_of(fgt_forecaster *f, const fgt_table *t)
{
    fgt_metric                    m   = {0};
    const fgt_forecaster_fit_opts fit = {.size     = sizeof fit,
                                         .training = {.epochs = 12, .lr = 5e-3, .patience = -1}};
    OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
    OK(fgt_forecaster_evaluate(f, t, parts.test_begin, parts.test_end, &m));
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

/* Known columns take the error down to the part that cannot be known. */
static void known_columns_are_learned(void **state)
{
    (void)state;
    const char *const   a[]   = {"a"};
    fgt_table          *t     = whole();
    fgt_forecaster_opts blind = {.inputs.targets      = a,
                                 .inputs.target_count = 1,
                                 .inputs.calendar     = FGT_CALENDAR_NONE},
                        knows = blind;
    knows.inputs.known        = k_name;
    knows.inputs.known_count  = 1;
    fgt_forecaster *f = make(t, blind), *g = make(t, knows);
    const double    without = error_of(f, t), with = error_of(g, t);
    if (!(with < 0.1 * without)) fail_msg("with k %g, without %g", with, without);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Of b, which the past column p tells H rows before. */
static double past_error(fgt_forecaster *f, const fgt_table *t, int64_t row)
{
    double y[H][2], worst = 0;
    OK(fgt_forecaster_predict_table(f, t, row, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, 2)));
    for (int h = 0; h < H; h++) worst = fmax(worst, fabs(y[h][1] - rows[row + h][1]));
    return worst;
}

static void past_columns_are_in_the_map(void **state)
{
    (void)state;
    const double   share[] = {0.1, 0.5, 0.9};
    double         y[3][H][2];
    fgt_table     *t    = whole();
    fgt_forecaster_opts o    = {.inputs.known       = k_name,
                                .inputs.known_count = 1,
                                .inputs.past        = p_name,
                                .inputs.past_count  = 1,
                                .block.kind         = FGT_BLOCK_LINEAR};
    fgt_forecaster *f = make(t, o), *g, *all_rows;
    assert_true(past_error(f, t, 900) < 0.05 && fgti_forecaster_is_closed(f));
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("past"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("past")), NULL, &g));
    assert_true(past_error(g, t, 900) == past_error(f, t, 900));
    OK(fgt_forecaster_create_refit(g, t, &parts, NULL, NULL, &all_rows));
    assert_true(past_error(all_rows, t, 900) < 0.05 && past_error(all_rows, t, 900) != past_error(g, t, 900));
    fgt_forecaster_destroy(&all_rows);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    o.block.kind       = FGT_BLOCK_FIGHTER;
    o.output.quantiles = share, o.output.quantile_count = 3;
    f           = make(t, o);
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 900, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, y, 3, H, 2)));
    for (int q = 0; q < 3; q++)
        for (int h = 0; h < H; h++) assert_true(fabs(y[q][h][1] - rows[900 + h][1]) < 0.05);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void info_tells_the_roles(void **state)
{
    (void)state;
    fgt_table          *t    = whole();
    fgt_forecaster     *f    = make_full(t);
    fgt_forecaster_info info = {.size = sizeof info};
    OK(fgt_forecaster_get_info(f, &info));
    assert_true(info.columns == 2 && info.past == 1 && info.known == 1 && info.seen_rows == 0);
    assert_int_equal(info.calendar, FGT_CALENDAR_DAY);
    assert_int_equal(info.step.milliseconds, HOUR);
    const char *const order[] = {"a", "b", "p", "k"};
    for (int c = 0; c < WIDE; c++) assert_string_equal(fgt_forecaster_get_name(f, c), order[c]);
    assert_null(fgt_forecaster_get_name(f, WIDE));
    const fgt_forecaster_fit_opts once = {.size = sizeof once, .training.epochs = 1};
    OK(fgt_forecaster_fit(f, t, &parts, &once, NULL));
    OK(fgt_forecaster_get_info(f, &info));
    assert_true(info.seen_rows == 850 && info.seen_first == times[0] && info.seen_last == times[849]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* One forecast in every way: whatever the order of the columns, with known values from here or there, from
 * rows. */
static void columns_are_found_by_name(void **state)
{
    (void)state;
    double          want[H][2], got[H][2], raw[L][3], known[L + H][1];
    const int64_t   row = 900;
    fgt_table      *t = whole(), *other = table_of(mixed, WIDE, 0, N, true);
    fgt_table      *short_one = table_of(all, WIDE, 0, row, true);
    fgt_table      *future    = table_of(only_k, 1, row - 3, row + H, true); /* matched by time */
    fgt_forecaster *f         = make_full(t);
    const fgt_view  first     = *FGT_VIEW_OF(FGT_DTYPE_F64, want, H, 2),
                   second     = *FGT_VIEW_OF(FGT_DTYPE_F64, got, H, 2);
    error_of(f, t);
    OK(fgt_forecaster_predict_table(f, t, row, NULL, &first));
    OK(fgt_forecaster_predict_table(f, other, row, NULL, &second));
    assert_memory_equal(want, got, sizeof want);
    OK(fgt_forecaster_predict_table(f, short_one, -1, future, &second));
    assert_int_equal(fgt_forecaster_find_row(f, short_one), row);
    assert_int_equal(fgt_forecaster_find_row(f, future), -1);
    assert_int_equal(fgt_forecaster_find_row(NULL, t), -1);
    assert_memory_equal(want, got, sizeof want);
    for (int r = 0; r < L + H; r++) {
        known[r][0] = rows[row - L + r][2];
        if (r >= L) continue;
        raw[r][0] = rows[row - L + r][0];
        raw[r][1] = rows[row - L + r][1];
        raw[r][2] = rows[row - L + r][3];
    }
    fgt_forecast_rows in = {.size  = sizeof in,
                            .rows  = FGT_VIEW_OF(FGT_DTYPE_F64, raw, L, 3),
                            .known = FGT_VIEW_OF(FGT_DTYPE_F64, known, L + H, 1),
                            .time  = &times[row - 1]};
    OK(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f), &in, &second));
    assert_memory_equal(want, got, sizeof want);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("roles"))));
    fgt_forecaster *g;
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("roles")), NULL, &g));
    OK(fgt_forecaster_predict_table(g, t, row, NULL, &second));
    assert_memory_equal(want, got, sizeof want);
    fgt_forecaster_info a = {.size = sizeof a}, b = a;
    OK(fgt_forecaster_get_info(f, &a));
    OK(fgt_forecaster_get_info(g, &b));
    assert_memory_equal(&a, &b, sizeof a);
    fgt_forecaster_destroy(&g);

    REFUSED(fgt_forecaster_predict_table(f, short_one, -1, NULL, &second), FGT_E_DATA,
            "where the forecast needs column \"k\"; the forecast takes 8 rows from ");
    REFUSED(fgt_forecaster_predict_table(f, t, L - 1, NULL, &second), FGT_E_DATA,
            "too few rows before the forecast (got 47");
    REFUSED(fgt_forecaster_predict_table(f, t, N + 1, NULL, &second), FGT_E_ARG,
            "row is out of range (got 1009");
    REFUSED(fgt_forecaster_predict_table(f, future, -1, NULL, &second), FGT_E_NAME, "\"a\"");
    REFUSED(fgt_forecaster_predict_table(f, NULL, -1, NULL, &second), FGT_E_ARG, "NULL");
    in.time = NULL;
    REFUSED(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f), &in, &second), FGT_E_ARG,
            "time of the last row");
    in.time = &times[row - 1];
    known[L][0] = NAN;
    REFUSED(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f), &in, &second), FGT_E_DATA,
            "no value 1 row after");
    in.known = NULL;
    REFUSED(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f), &in, &second), FGT_E_ARG,
            "known");
    assert_memory_equal(want, got, sizeof want);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&future);
    fgt_table_destroy(&short_one);
    fgt_table_destroy(&other);
    fgt_table_destroy(&t);
}

/* A model of rows without times does not know their step: known values are those of the right rows, whether
 * the tables of a forecast have times or not. */
static void times_that_training_lacked(void **state)
{
    (void)state;
    enum { ROW = 900 };
    double          want[H][2], got[2][H][2];
    const int64_t   two[] = {ROW, ROW};
    fgt_table      *plain = table_of(all, WIDE, 0, N, false), *timed = whole();
    fgt_table      *some = table_of(all, WIDE, 0, ROW, true);
    fgt_table      *future = table_of(only_k, 1, ROW - 3, ROW + H, true);
    fgt_forecaster *f = make_full(plain);
    const fgt_view  second = *FGT_VIEW_OF(FGT_DTYPE_F64, got[0], H, 2);
    OK(fgt_forecaster_predict_table(f, plain, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, want, H, 2)));
    OK(fgt_forecaster_predict_table(f, timed, ROW, NULL, &second));
    assert_memory_equal(want, got[0], sizeof want);
    OK(fgt_forecaster_predict_table(f, some, -1, future, &second));
    assert_memory_equal(want, got[0], sizeof want);
    OK(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), some, future, &second,
                                             FGT_VIEW_OF(FGT_DTYPE_I64, (int64_t[2]){0}, 2)));
    assert_memory_equal(want, got[0], sizeof want);
    OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), timed, two, 2, NULL,
                                                FGT_VIEW_OF(FGT_DTYPE_F64, got, 2, H, 2)));
    assert_memory_equal(want, got[1], sizeof want);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&future);
    fgt_table_destroy(&some);
    fgt_table_destroy(&timed);
    fgt_table_destroy(&plain);
}

/* A table has what `future` lacks in rows that no target has reached, and not in those that come after a
 * forecast from its midst. */
static void future_is_all_that_is_known(void **state)
{
    (void)state;
    enum { ROW = 900, GIVEN = 3 };
    const double    share = 0.5;
    double          want[H][2], got[H][2];
    fgt_table      *t = whole(), *begun = whole();
    fgt_table      *early = table_of(only_k, 1, ROW, ROW + GIVEN, true);
    fgt_table      *late  = table_of(only_k, 1, ROW + GIVEN, ROW + H, true);
    fgt_forecaster *f        = make(t, (fgt_forecaster_opts){.inputs.known          = k_name,
                                                             .inputs.known_count    = 1,
                                                             .inputs.past           = p_name,
                                                             .inputs.past_count     = 1,
                                                             .output.quantiles      = &share,
                                                             .output.quantile_count = 1});
    const fgt_view  out      = *FGT_VIEW_OF(FGT_DTYPE_F64, got, H, 2);
    const fgt_view  quantile = *FGT_VIEW_OF(FGT_DTYPE_F64, got, 1, H, 2);
    const fgt_view  one      = *FGT_VIEW_OF(FGT_DTYPE_F64, got, 1, H, 2);
    const char     *says = "future: there is no row for 2016-08-07 15:00:00";
    for (int64_t r = ROW; r < N; r++) begun->values[r * WIDE] = begun->values[r * WIDE + 1] = NAN;
    OK(fgt_forecaster_predict_table(f, t, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, want, H, 2)));
    REFUSED(fgt_forecaster_predict_table(f, t, ROW, early, &out), FGT_E_DATA, says);
    REFUSED(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), t,
                                                     (const int64_t[]){ROW}, 1, early, &one),
            FGT_E_DATA, says);
    REFUSED(
        fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, ROW, early, &quantile),
        FGT_E_DATA, says);
    OK(fgt_forecaster_predict_table(f, begun, -1, late, &out));
    assert_memory_equal(want, got, sizeof want);
    for (int64_t r = ROW; r < N; r++) begun->values[r * WIDE] = 1; /* a goes on where b is over */
    REFUSED(fgt_forecaster_predict_table(f, begun, ROW, early, &out), FGT_E_DATA, says);
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), begun, ROW, early,
                                                  &quantile));
    assert_memory_equal(want, got, sizeof want);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&late);
    fgt_table_destroy(&early);
    fgt_table_destroy(&begun);
    fgt_table_destroy(&t);
}

static void rows_are_like_those_of_training(void **state)
{
    (void)state;
    double     got[H][2];
    int64_t    daily[N];
    fgt_table *t = whole(), *untimed = table_of(all, WIDE, 0, N, false),
              *slow   = table_of(all, WIDE, 0, N, false);
    fgt_forecaster *f = make_full(t);
    fgt_metric      m = {0};
    for (int r = 0; r < N; r++) daily[r] = (int64_t)r * 24 * HOUR;
    OK(fgt_table_set_times(slow, FGT_VIEW_OF(FGT_DTYPE_I64, daily, N), 0));
    REFUSED(fgt_forecaster_predict_table(f, slow, 900, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, H, 2)),
            FGT_E_DATA, "wrong step");
    REFUSED(fgt_forecaster_evaluate(f, slow, 850, N, &m), FGT_E_DATA,
            "rows have the wrong step (got 1 day, need 1 hour as in training)");
    REFUSED(fgt_forecaster_evaluate(f, untimed, 850, N, &m), FGT_E_DATA, "the rows have no times");
    fgt_forecaster_destroy(&f);
    f = make(untimed, (fgt_forecaster_opts){.tokens.dim = 0});
    OK(fgt_forecaster_evaluate(f, slow, 850, N, &m)); /* the model knows no times */
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&slow);
    fgt_table_destroy(&untimed);
    fgt_table_destroy(&t);
}

/* Rows of the 28th, the last of which is also the last day of its month. */
static void months_keep_their_day(void **state)
{
    (void)state;
    enum { ROW = 722 };
    const fgt_time_step month = {.months = 1};
    double              want[H][2], got[H][2];
    int64_t             first, monthly[N];
    OK(fgt_time_parse(ctx, "1930-01-28", FGT_TIME_FORM_ISO, &first));
    for (int r = 0; r < N; r++) monthly[r] = fgti_time_add(first, &month, r);
    fgt_table *t = table_of(all, WIDE, 0, N, false), *short_one = table_of(all, WIDE, 0, ROW, false);
    fgt_table *future = table_of(only_k, 1, ROW, ROW + H, false);
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, monthly, N), 0));
    OK(fgt_table_set_times(short_one, FGT_VIEW_OF(FGT_DTYPE_I64, monthly, ROW), 0));
    OK(fgt_table_set_times(future, FGT_VIEW_OF(FGT_DTYPE_I64, monthly + ROW, H), 0));
    fgt_forecaster *f = make_full(t);
    OK(fgt_forecaster_predict_table(f, t, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, want, H, 2)));
    OK(fgt_forecaster_predict_table(f, short_one, -1, future, FGT_VIEW_OF(FGT_DTYPE_F64, got, H, 2)));
    assert_memory_equal(want, got, sizeof want);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&future);
    fgt_table_destroy(&short_one);
    fgt_table_destroy(&t);
}

static void roles_are_checked(void **state)
{
    (void)state;
    fgt_table        *t = whole(), *untimed = table_of(all, WIDE, 0, N, false);
    fgt_forecaster   *f;
    const char *const every[] = {"a", "b", "k", "p"}, *const none[] = {"c"}, *const null[] = {NULL};
    const struct {
        const fgt_table    *table;
        fgt_forecaster_opts o;
        fgt_status          status;
        const char         *words;
    } cases[] = {
        {t,
         {.inputs.targets = every, .inputs.target_count = 4, .inputs.known = k_name, .inputs.known_count = 1},
         FGT_E_ARG,
         "\"k\" is listed"},
        {t,
         {.inputs.past = k_name, .inputs.past_count = 1, .inputs.known = k_name, .inputs.known_count = 1},
         FGT_E_ARG,
         "\"k\" is listed twice"},
        {t, {.inputs.known = every, .inputs.known_count = 4}, FGT_E_ARG, "no column left to forecast"},
        {t, {.inputs.known = none, .inputs.known_count = 1}, FGT_E_NAME, "\"c\""},
        {t, {.inputs.past = null, .inputs.past_count = 1}, FGT_E_ARG, "NULL"},
        {t, {.inputs.past = p_name}, FGT_E_ARG, "do not go together"},
        {t, {.inputs.known_count = 1}, FGT_E_ARG, "do not go together"},
        {t, {.inputs.calendar = 32}, FGT_E_ARG, "calendar is wrong (got 32"},
        {t, {.inputs.calendar = FGT_CALENDAR_NONE | FGT_CALENDAR_DAY}, FGT_E_ARG, "calendar is wrong (got 3"},
        {untimed, {.inputs.calendar = FGT_CALENDAR_DAY}, FGT_E_DATA, "needs rows with times"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_forecaster_opts o = cases[i].o;
        o.size                = sizeof o;
        REFUSED(fgt_forecaster_create(ctx, cases[i].table, &parts, &o, &f), cases[i].status, cases[i].words);
        assert_null(f);
    }
    fgt_table_destroy(&untimed);
    fgt_table_destroy(&t);
}

/* Nothing can be forecast from nothing. */
static void a_window_without_values_is_refused(void **state)
{
    (void)state;
    double          raw[L][WIDE], got[H][WIDE];
    fgt_table      *t = table_of(all, WIDE, 0, N, false);
    fgt_forecaster *f = make(t, (fgt_forecaster_opts){.tokens.dim = 0});
    memcpy(raw, rows[100], sizeof raw);
    for (int r = 0; r < L; r++) raw[r][1] = NAN;
    const fgt_view in  = *FGT_VIEW_OF(FGT_DTYPE_F64, raw, L, WIDE),
                   out = *FGT_VIEW_OF(FGT_DTYPE_F64, got, H, WIDE);
    REFUSED(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f),
                                                  &FGT_OPTS(fgt_forecast_rows, .rows = &in), &out),
            FGT_E_DATA, "\"b\" has no value in the 48 rows");
    raw[3][1] = 10;
    OK(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f),
                                             &FGT_OPTS(fgt_forecast_rows, .rows = &in), &out));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* A gap is filled with the value of a season earlier, or with the last one. */
static void gaps_are_filled(void **state)
{
    (void)state;
    float window[] = {NAN, 1, 2, 3, NAN, NAN, 6, NAN}, twice[] = {NAN, 5, NAN, NAN, 7, NAN};
    fgti_fill(window, 8, 1, 3);
    const float want[] = {0, 1, 2, 3, 1, 2, 6, 1};
    assert_memory_equal(window, want, sizeof want);
    fgti_fill(twice, 3, 2, 10);
    const float other[] = {0, 5, 0, 5, 7, 5};
    assert_memory_equal(twice, other, sizeof other);
}

static void the_calendar_has_what_comes_again(void **state)
{
    (void)state;
    static const struct {
        fgt_time_step step;
        int64_t       days;
        int32_t       parts;
    } cases[] = {
        {{.milliseconds = HOUR}, 1, 0},
        {{.milliseconds = HOUR}, 2, FGT_CALENDAR_DAY},
        {{.milliseconds = HOUR}, 14, FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK},
        {{.milliseconds = HOUR}, 730, FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK | FGT_CALENDAR_YEAR},
        {{.milliseconds = FGTI_DAY}, 100, FGT_CALENDAR_WEEK},
        {{.milliseconds = 7 * FGTI_DAY}, 1000, FGT_CALENDAR_YEAR},
        {{.months = 1}, 1000, FGT_CALENDAR_YEAR},
        {{.months = 12}, 10000, 0},
        {{.milliseconds = 0}, 1000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(fgti_calendar_choose(&cases[i].step, 0, cases[i].days * FGTI_DAY), cases[i].parts);
    float         a[32], b[32];
    const int32_t week = FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK;
    fgti_calendar_write(week, 5 * HOUR, a);
    fgti_calendar_write(week, 5 * HOUR + 7 * FGTI_DAY, b);
    const size_t width = (size_t)fgti_calendar_width(week);
    assert_memory_equal(a, b, width * sizeof *a);
    fgti_calendar_write(week, 5 * HOUR + FGTI_DAY, b);
    assert_true(memcmp(a, b, width * sizeof *a) != 0);
    for (int64_t day = -40000; day < 40000; day++) {
        fgti_calendar_write(FGTI_CALENDAR_ALL, day * FGTI_DAY - 1, a);
        for (int64_t k = 0; k < fgti_calendar_width(FGTI_CALENDAR_ALL); k++)
            assert_true(fabsf(a[k]) <= 1.0001f);
    }
}

static fgt_table *sweep_table;

static fgt_status create_and_use(void)
{
    double                    out[H][2];
    fgt_forecaster           *f, *g = NULL;
    const fgt_forecaster_opts o = {.size               = sizeof o,
                                   .inputs.known       = k_name,
                                   .inputs.known_count = 1,
                                   .inputs.past        = p_name,
                                   .inputs.past_count  = 1,
                                   .input_len          = L,
                                   .pred_len           = H,
                                   .tokens.dim         = 8,
                                   .tokens.patch       = 8};
    fgt_status                s = fgt_forecaster_create(ctx, sweep_table, &parts, &o, &f);
    assert_true((s == FGT_OK) == (f != NULL));
    if (s == FGT_OK) s = fgt_forecaster_save(f, FGT_TO_FILE(in_directory("sweep")));
    if (s == FGT_OK) s = fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("sweep")), NULL, &g);
    if (s == FGT_OK)
        s = fgt_forecaster_predict_table(g, sweep_table, 900, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, out, H, 2));
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    sweep_table = whole();
    SWEEP(&memory, s, 20, create_and_use()) NOTHING_LEAKS;
    fgt_table_destroy(&sweep_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_columns_are_learned),
        cmocka_unit_test(past_columns_are_in_the_map),
        cmocka_unit_test(info_tells_the_roles),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(times_that_training_lacked),
        cmocka_unit_test(future_is_all_that_is_known),
        cmocka_unit_test(rows_are_like_those_of_training),
        cmocka_unit_test(months_keep_their_day),
        cmocka_unit_test(roles_are_checked),
        cmocka_unit_test(a_window_without_values_is_refused),
        cmocka_unit_test(gaps_are_filled),
        cmocka_unit_test(the_calendar_has_what_comes_again),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
