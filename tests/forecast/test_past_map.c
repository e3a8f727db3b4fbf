/* SPDX-License-Identifier: BSD-3-Clause */
/* What past columns add to linear maps in closed form. */
#include "small_series.h"

#include "forecast/linear/linear_map.h"

enum { N = 1600, C = 4, L = 24, H = 6, TRAIN = 1000, VAL = 1300, TARGETS = 2 };

static float rows[N][C];

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}

/* Past columns: the last two, noise. Target 0: what column 2 was `delay` rows ago, times `cause`, and noise;
 * target 1: noise with a memory. */
static void fill_rows(uint64_t seed, int delay, double cause)
{
    double level = 0;
    for (int r = 0; r < N; r++) {
        level      = 0.8 * level + draw(&seed);
        rows[r][2] = (float)(2 * draw(&seed));
        rows[r][3] = (float)(2 * draw(&seed));
        rows[r][0] = (float)(0.2 * draw(&seed) + (r < delay ? 0 : cause * (double)rows[r - delay][2]));
        rows[r][1] = (float)level;
    }
}

static fgti_linear_task task_of(int64_t targets)
{
    return (fgti_linear_task){.series    = rows[0],
                              .rows      = N,
                              .columns   = C,
                              .targets   = targets,
                              .wide      = C,
                              .lags      = L,
                              .steps     = H,
                              .train_end = TRAIN,
                              .val_begin = TRAIN,
                              .val_end   = VAL,
                              .end       = TRAIN};
}

static double forecast(const fgti_linear_map *map, int c, int r, int k)
{
    double        y = map->bias[c * H + k];
    const double *w = map->weight + (c * H + k) * L;
    for (int i = 0; i < L; i++) y += w[i] * (double)rows[r - L + i][c];
    if (!map->past.lags) return y;
    w = map->past.weight + (k * TARGETS + c) * map->past.lags * C;
    y += map->past.bias[k * TARGETS + c];
    for (int64_t i = 0; i < map->past.lags * C; i++)
        y += w[i] * (double)rows[r - map->past.lags + i / C][i % C];
    return y;
}

/* Of steps begin .. end-1 of a target, on rows that nothing was fitted to. */
static double error_of(const fgti_linear_map *map, int c, int begin, int end)
{
    double sum = 0;
    for (int r = VAL; r + H <= N; r++)
        for (int k = begin; k < end; k++) {
            const double e = (double)rows[r + k][c] - forecast(map, c, r, k);
            sum += e * e;
        }
    return sum / ((N - VAL - H + 1) * (end - begin));
}

/* Steps that the delay covers follow from what is known. */
static void a_delayed_cause_is_found(void **state)
{
    (void)state;
    const fgti_linear_task task = task_of(TARGETS), without = task_of(0);
    for (int delay = 1; delay <= H; delay++) {
        fgti_linear_map map, plain;
        fill_rows((uint64_t)delay, delay, 1);
        OK(fgti_linear_map_fit(ctx, &task, &map));
        OK(fgti_linear_map_fit(ctx, &without, &plain));
        assert_int_equal(map.past.lags, L);
        assert_int_equal(plain.past.lags, 0);
        assert_true(error_of(&plain, 0, 0, delay) > 0.3);
        assert_true(error_of(&map, 0, 0, delay) < 2 * 0.04 / 12);
        if (delay < H) assert_true(error_of(&map, 0, delay, H) < 1.03 * error_of(&plain, 0, delay, H));
        assert_true(error_of(&map, 1, 0, H) < 1.01 * error_of(&plain, 1, 0, H));
        fgti_linear_map_done(ctx, &plain);
        fgti_linear_map_done(ctx, &map);
    }
}

/* A target is told nothing of the others. */
static void targets_do_not_read_each_other(void **state)
{
    (void)state;
    const fgti_linear_task task = task_of(TARGETS);
    fgti_linear_map        map;
    fill_rows(1, 3, 1);
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int64_t i = 0; i < H * TARGETS * L * C; i++) {
        const int64_t target = i / (L * C) % TARGETS, column = i % C;
        if (column != target && column < TARGETS) assert_true(map.past.weight[i] == 0);
    }
    fgti_linear_map_done(ctx, &map);
}

static void useless_columns_cost_little(void **state)
{
    (void)state;
    const fgti_linear_task task = task_of(TARGETS), without = task_of(0);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fgti_linear_map map, plain;
        fill_rows(seed, 1, 0);
        OK(fgti_linear_map_fit(ctx, &task, &map));
        OK(fgti_linear_map_fit(ctx, &without, &plain));
        for (int c = 0; c < TARGETS; c++)
            assert_true(error_of(&map, c, 0, H) < 1.01 * error_of(&plain, c, 0, H));
        fgti_linear_map_done(ctx, &plain);
        fgti_linear_map_done(ctx, &map);
    }
}

/* With few validation rows, training rows test as well; then all rows are solved again. */
static void few_validation_rows_are_enough(void **state)
{
    (void)state;
    fgti_linear_task task = task_of(TARGETS);
    task.end              = VAL;
    fill_rows(7, 4, 1);
    for (int64_t horizons = 0; horizons < 3; horizons += 2) {
        fgti_linear_map map;
        task.val_end = TRAIN + horizons * H;
        OK(fgti_linear_map_fit(ctx, &task, &map));
        assert_true(error_of(&map, 0, 0, 4) < 2 * 0.04 / 12);
        fgti_linear_map_done(ctx, &map);
    }
}

/* They are filled, as forecasts fill them. */
static void past_columns_may_have_gaps(void **state)
{
    (void)state;
    const fgti_linear_task task = task_of(TARGETS);
    fgti_linear_map        map;
    fill_rows(7, 4, 1);
    for (int r = 0; r < N; r++) rows[r][3] = r % 16 < 8 ? 1 : NAN; /* no window is whole */
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int r = 1; r < N; r++)
        if (isnan(rows[r][3])) rows[r][3] = rows[r - 1][3];
    assert_true(error_of(&map, 0, 0, 4) < 2 * 0.04 / 12);
    fgti_linear_map_done(ctx, &map);
    for (int r = 0; r < N; r++) rows[r][3] = NAN;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int64_t i = 0; i < H * TARGETS * map.past.lags * C; i++) assert_true(map.past.weight[i] == 0);
    fgti_linear_map_done(ctx, &map);
}

enum { WIDE_ROWS = 300, MOST = 1100 };

static float wide[WIDE_ROWS][MOST];

/* Weights of all targets: the more there are, the fewer rows are read. */
static void weights_are_bounded(void **state)
{
    (void)state;
    static const int64_t targets[] = {300, 600, MOST - 1}, lags[] = {11, 2, 0};
    uint64_t             seed = 1;
    for (int r = 0; r < WIDE_ROWS; r++)
        for (int c = 0; c < MOST; c++) wide[r][c] = (float)draw(&seed);
    for (int i = 0; i < 3; i++) {
        const fgti_linear_task task = {.series    = wide[0],
                                       .rows      = WIDE_ROWS,
                                       .columns   = targets[i] + 1,
                                       .targets   = targets[i],
                                       .wide      = MOST,
                                       .lags      = 20,
                                       .steps     = 16,
                                       .train_end = 200,
                                       .val_begin = 200,
                                       .val_end   = WIDE_ROWS,
                                       .end       = 200};
        fgti_linear_map        map;
        OK(fgti_linear_map_fit(ctx, &task, &map));
        assert_int_equal(map.past.lags, lags[i]);
        assert_true(map.maps == targets[i] + 1);
        fgti_linear_map_done(ctx, &map);
    }
}

/* 64 rows of few columns, fewer rows of many; none of too many. */
static void numbers_are_bounded(void **state)
{
    (void)state;
    static const int64_t columns[] = {2, 21, 513, 1024, 1025}, lags[] = {64, 48, 1, 1, 0};
    uint64_t             seed = 1;
    for (int r = 0; r < WIDE_ROWS; r++)
        for (int c = 0; c < MOST; c++) wide[r][c] = (float)draw(&seed);
    for (int i = 0; i < 5; i++) {
        const fgti_linear_task task = {.series    = wide[0],
                                       .rows      = WIDE_ROWS,
                                       .columns   = columns[i],
                                       .targets   = 1,
                                       .wide      = MOST,
                                       .lags      = 80,
                                       .steps     = 2,
                                       .train_end = 200,
                                       .val_begin = 200,
                                       .val_end   = WIDE_ROWS,
                                       .end       = 200};
        fgti_linear_map        map;
        OK(fgti_linear_map_fit(ctx, &task, &map));
        assert_int_equal(map.past.lags, lags[i]);
        for (int64_t k = 0; k < 2 * lags[i] * columns[i]; k++) assert_true(isfinite(map.past.weight[k]));
        fgti_linear_map_done(ctx, &map);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static double          before[H * TARGETS * L * C];
    const fgti_linear_task task = task_of(TARGETS);
    fill_rows(3, 2, 1);
    fgt_context *keep = ctx;
    for (int32_t threads = 1; threads <= 2; threads++) {
        test_memory     own = {0};
        fgti_linear_map map;
        ctx = test_context(&own, threads);
        OK(fgti_linear_map_fit(ctx, &task, &map));
        if (threads == 1) memcpy(before, map.past.weight, sizeof before);
        assert_memory_equal(before, map.past.weight, sizeof before);
        fgti_linear_map_done(ctx, &map);
        fgt_context_destroy(&ctx);
    }
    ctx = keep;
}

static fgt_status fit_once(void)
{
    const fgti_linear_task task = task_of(TARGETS);
    fgti_linear_map        map;
    const fgt_status       s = fgti_linear_map_fit(ctx, &task, &map);
    fgti_linear_map_done(ctx, &map);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    SWEEP(&memory, s, 10, fit_once()) NOTHING_LEAKS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delayed_cause_is_found),
        cmocka_unit_test(targets_do_not_read_each_other),
        cmocka_unit_test(useless_columns_cost_little),
        cmocka_unit_test(few_validation_rows_are_enough),
        cmocka_unit_test(past_columns_may_have_gaps),
        cmocka_unit_test(numbers_are_bounded),
        cmocka_unit_test(weights_are_bounded),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
