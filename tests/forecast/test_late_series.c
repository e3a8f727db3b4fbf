/* SPDX-License-Identifier: BSD-3-Clause */
/* Series that begin late: few values of training, and windows that begin before they do. */
#include <fighter/forecast.h>
#include <math.h>

#include "../one_context.h"
#include "../scaler_info.h"
#include "draws.h"

enum { N = 1000, TRAIN = 700, VAL = 800, C = 4, L = 96, H = 12, DAY = 24, LATE = C - 1 };

static double          y[N][C], seen[N][C];
static int64_t         times[N];
static const fgt_split parts = {.train_end = TRAIN, .val_begin = TRAIN, .val_end = VAL, .test_begin = VAL,
                                .test_end = N};

/* Hours with a day, each series at its own level. */
static void fill(void)
{
    uint64_t seed = 9;
    for (int c = 0; c < C; c++) {
        double level = 100 * (c + 1);
        for (int r = 0; r < N; r++) {
            level += draw_normal(&seed);
            y[r][c] = level + 15 * sin(6.283185307179586 * r / DAY + c) + draw_normal(&seed);
        }
    }
}

/* The last series begins in row `begin`. */
static fgt_table *table_from(int begin)
{
    fgt_table *t;
    memcpy(seen, y, sizeof seen);
    for (int r = 0; r < N; r++) times[r] = INT64_C(1577836800000) + r * INT64_C(3600000);
    for (int r = 0; r < begin; r++) seen[r][LATE] = NAN;
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, seen, N, C), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, N), 0));
    return t;
}

static fgt_forecaster *make(const fgt_table *t, int32_t calendar)
{
    const fgt_forecaster_opts o = {.size            = sizeof o,
                                   .input_len       = L,
                                   .pred_len        = H,
                                   .block.kind      = FGT_BLOCK_LINEAR,
                                   .inputs.calendar = calendar};
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    return f;
}

/* Mean squared error of the last series, of forecasts from row `row`. */
static double error_at(fgt_forecaster *f, const fgt_table *t, int64_t row)
{
    double next[H][C], sum = 0;
    OK(fgt_forecaster_predict_table(f, t, row, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, next, H, C)));
    for (int h = 0; h < H; h++) {
        const double e = next[h][LATE] - y[row + h][LATE];
        sum += e * e / H;
    }
    return sum;
}

static double error_of(fgt_forecaster *f, const fgt_table *t)
{
    double sum = 0;
    for (int64_t row = VAL + L; row <= N - H; row++) sum += error_at(f, t, row) / (N - H - VAL - L + 1);
    return sum;
}

static double scale_of(const fgt_forecaster *f)
{
    return ((const double *)scaler_scale(fgt_forecaster_get_scaler(f)).data)[LATE];
}

static void few_values_of_training_do_not_spoil_it(void **state)
{
    static const int     begin[]    = {TRAIN - 10, TRAIN - 1, TRAIN - 60};
    static const int32_t calendar[] = {FGT_CALENDAR_DAY, FGT_CALENDAR_NONE};
    (void)state;
    fill();
    fgt_table      *all  = table_from(0);
    fgt_forecaster *f    = make(all, FGT_CALENDAR_DAY);
    const double    best = error_of(f, all);
    for (int i = 0; i < 6; i++) {
        fgt_table      *t = table_from(begin[i % 3]);
        fgt_forecaster *g = make(t, calendar[i / 3]);
        assert_true(error_of(g, t) < 2 * best);
        assert_true(scale_of(g) > .3 * scale_of(f) && scale_of(g) < 4 * scale_of(f));
        fgt_forecaster_destroy(&g);
        fgt_table_destroy(&t);
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&all);
}

/* Targets that never change do not tell what is usual beside a mean. */
static void constants_say_nothing_of_scales(void **state)
{
    (void)state;
    fill();
    for (int r = 0; r < N; r++) y[r][0] = y[r][1] = y[r][2] = 1e9;
    fgt_table      *t = table_from(TRAIN - 1);
    fgt_forecaster *f = make(t, FGT_CALENDAR_DAY);
    assert_true(scale_of(f) == 1);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    for (int r = 0; r < N; r++) y[r][2] = 1e9 * (1 + .1 * sin(r));
    t = table_from(TRAIN - 1);
    f = make(t, FGT_CALENDAR_DAY);
    assert_true(fabs(scale_of(f) / y[TRAIN - 1][LATE] - .1 * sqrt(.5)) < 1e-3);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* What stands before the beginning in a window is like what follows, not the mean of training. */
static void windows_may_begin_before_a_series(void **state)
{
    (void)state;
    fill();
    fgt_table      *all  = table_from(0);
    fgt_forecaster *f    = make(all, FGT_CALENDAR_DAY);
    double          best = 0, late = 0;
    for (int64_t row = VAL + L; row <= N - H; row += 20) {
        fgt_table *t = table_from((int)row - 30);
        best += error_at(f, all, row);
        late += error_at(f, t, row);
        fgt_table_destroy(&t);
    }
    assert_true(late < 2 * best);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(few_values_of_training_do_not_spoil_it),
        WITH_CONTEXT(constants_say_nothing_of_scales),
        WITH_CONTEXT(windows_may_begin_before_a_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
