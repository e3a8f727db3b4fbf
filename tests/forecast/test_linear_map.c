/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear maps in closed form, beside sums over all windows and an elimination with pivots. */
#include "small_series.h"

#include "blas/cholesky.h"
#include "core/context.h"
#include "forecast/linear/gain.h"
#include "forecast/linear/linear_forms.h"
#include "forecast/linear/linear_map.h"
#include "forecast/linear/moments.h"
#include "forecast/linear/ridge.h"

enum { N = 400, C = 3, L = 12, H = 5, M = L + H, TRAIN = 280 };

static float series[N][C];

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}

/* A rhythm of 4 rows, a memory of the row before, noise; the columns differ. */
static int fill(void **state)
{
    uint64_t seed      = 3;
    double   before[C] = {0};
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++) {
            before[c]    = 0.3 * (c + 1) * before[c] + sin(1.5707963 * r + c) + draw(&seed) + 0.1 * c;
            series[r][c] = (float)before[c];
        }
    return set_up(state);
}

/* Solves a [n,n] x = b [n,k] with pivots; b becomes x. */
static void eliminate(double *a, int n, double *b, int k)
{
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            if (fabs(a[i * n + p]) > fabs(a[best * n + p])) best = i;
        for (int j = 0; j < n + k; j++) {
            double *x         = j < n ? &a[p * n + j] : &b[p * k + j - n],
                   *y         = j < n ? &a[best * n + j] : &b[best * k + j - n];
            const double keep = *x;
            *x                = *y;
            *y                = keep;
        }
        for (int i = 0; i < n; i++) {
            const double f = i == p ? 0 : a[i * n + p] / a[p * n + p];
            for (int j = 0; j < n; j++) a[i * n + j] -= f * a[p * n + j];
            for (int j = 0; j < k; j++) b[i * k + j] -= f * b[p * k + j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) b[i * k + j] /= a[i * n + i];
}

/* ---- parts ---- */

static void cholesky_solves(void **state)
{
    (void)state;
    enum { K = 3 };
    uint64_t seed = 5;
    double   x[L * L], a[L * L], plain[L * L], b[L * K], want[L * K];
    for (int i = 0; i < L * L; i++) x[i] = draw(&seed);
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L; j++) {
            a[i * L + j] = i == j ? 0.01 : 0;
            for (int k = 0; k < L; k++) a[i * L + j] += x[k * L + i] * x[k * L + j];
            plain[i * L + j] = a[i * L + j];
        }
    for (int i = 0; i < L * K; i++) want[i] = b[i] = draw(&seed);
    eliminate(plain, L, want, K);
    assert_true(fgti_cholesky(ctx->vec, a, L));
    fgti_cholesky_solve(ctx->vec, a, L, b, K);
    for (int i = 0; i < L * K; i++) assert_true(fabs(b[i] - want[i]) < 1e-9 * (1 + fabs(want[i])));
    double no[4] = {1, 2, 2, 1}, none[1] = {NAN};
    assert_false(fgti_cholesky(ctx->vec, no, 2));
    assert_false(fgti_cholesky(ctx->vec, none, 1));
}

static void moments_are_sums_over_windows(void **state)
{
    (void)state;
    double       s[60 + FGTI_MOMENTS_MORE] = {0}, sum[M] = {0}, product[M][M] = {{0}};
    int          windows = 0;
    fgti_moments m, twice, above;
    for (int r = 0; r < 60; r++) s[r] = r == 0 || r == 30 ? NAN : (double)series[r][1];
    for (int t = 0; t + M <= 60; t++) {
        bool gap = false;
        for (int i = 0; i < M; i++) gap |= isnan(s[t + i]);
        for (int i = 0; !gap && i < M; i++) {
            sum[i] += s[t + i];
            for (int j = 0; j < M; j++) product[i][j] += s[t + i] * s[t + j];
        }
        windows += !gap;
    }
    OK(fgti_moments_new(ctx, M, &m));
    OK(fgti_moments_new(ctx, M, &twice));
    OK(fgti_moments_new(ctx, M, &above));
    fgti_moments_add_series(&m, s, 60);
    fgti_moments_add(&twice, &m);
    fgti_moments_add(&twice, &m);
    fgti_moments_take_off(&m, L - 1, &above);
    assert_true(windows == 13 + 13 && m.count == windows && twice.count == 2 * windows);
    for (int i = 0; i < M; i++) {
        assert_true(fabs(m.sum[i] - sum[i]) < 1e-9 && fabs(above.sum[i] - sum[i] + sum[L - 1]) < 1e-9);
        for (int j = 0; j < M; j++) {
            const double want = product[i][j] - product[i][L - 1] - product[L - 1][j] + product[L - 1][L - 1];
            assert_true(fabs(m.product[i * M + j] - product[i][j]) < 1e-9);
            assert_true(fabs(twice.product[i * M + j] - 2 * product[i][j]) < 1e-9);
            assert_true(fabs(above.product[i * M + j] - want) < 1e-9);
        }
    }
    fgti_moments_clear(&m);
    fgti_moments_add_series(&m, s, 16);
    assert_true(m.count == 0 && m.sum[0] == 0 && m.product[1] == 0);
    fgti_moments_done(ctx, &m);
    fgti_moments_done(ctx, &twice);
    fgti_moments_done(ctx, &above);
}

/* ---- one regression ---- */

/* The windows of column c, of which the last l rows of input count, and the same without the last value or
 * the means: the map [H,L] of the rows themselves. */
static void plain_ridge(int c, const fgti_linear_choice *o, double weight[H * L], double bias[H])
{
    enum { WINDOWS = TRAIN - M + 1 };
    static double v[WINDOWS][M], a[L * L], w[L * H];
    const int     l = (int)o->lags, first = L - l;
    double        mean[M] = {0}, trace = 0;
    memset(a, 0, sizeof a);
    memset(w, 0, sizeof w);
    for (int t = 0; t < WINDOWS; t++)
        for (int i = 0; i < M; i++) {
            v[t][i] = (double)series[t + i][c] - (o->last ? (double)series[t + L - 1][c] : 0);
            mean[i] += o->last ? 0 : v[t][i] / WINDOWS;
        }
    for (int t = 0; t < WINDOWS; t++)
        for (int i = 0; i < l; i++) {
            const double x = v[t][first + i] - mean[first + i];
            for (int j = 0; j < l; j++) a[i * l + j] += x * (v[t][first + j] - mean[first + j]);
            for (int h = 0; h < H; h++) w[i * H + h] += x * (v[t][L + h] - mean[L + h]);
        }
    for (int i = 0; i < l; i++) trace += a[i * l + i];
    for (int i = 0; i < l; i++) a[i * l + i] += o->penalty * trace / l;
    eliminate(a, l, w, H);
    memset(weight, 0, H * L * sizeof *weight);
    for (int h = 0; h < H; h++) {
        double rest = 1;
        bias[h]     = mean[L + h];
        for (int i = 0; i < l; i++) {
            weight[h * L + first + i] = w[i * H + h];
            bias[h] -= w[i * H + h] * mean[first + i];
            rest -= i + 1 < l ? w[i * H + h] : 0;
        }
        if (o->last) weight[h * L + L - 1] = rest;
    }
}

/* The sum of squared errors of the map [H,L] on the windows of column c from row `begin` on. */
static double plain_error(int c, int begin, int end, const double *weight, const double *bias)
{
    double sum = 0;
    for (int t = begin; t + M <= end; t++)
        for (int h = 0; h < H; h++) {
            double y = bias[h];
            for (int i = 0; i < L; i++) y += weight[h * L + i] * (double)series[t + i][c];
            y -= (double)series[t + L + h][c];
            sum += y * y;
        }
    return sum;
}

static void moments_of_column(int c, int begin, int end, fgti_moments *m)
{
    double s[N + FGTI_MOMENTS_MORE] = {0};
    for (int r = begin; r < end; r++) s[r - begin] = (double)series[r][c];
    OK(fgti_moments_new(ctx, M, m));
    fgti_moments_add_series(m, s, end - begin);
}

static void ridge_is_that_of_the_windows(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const fgti_linear_choice o = {.lags = k & 4 ? 7 : L, .last = k & 1, .penalty = k & 2 ? 0.5 : 1e-3};
        double                   want[H * L], want_bias[H], weight[H * L], bias[H];
        fgti_ridge               r;
        fgti_moments             train;
        moments_of_column(k % C, 0, TRAIN, &train);
        plain_ridge(k % C, &o, want, want_bias);
        OK(fgti_ridge_new(ctx, L, H, &r));
        assert_true(fgti_ridge_solve(&r, &train, &o));
        fgti_ridge_write(&r, weight, bias);
        for (int i = 0; i < H * L; i++) assert_true(fabs(weight[i] - want[i]) < 1e-8);
        for (int h = 0; h < H; h++) assert_true(fabs(bias[h] - want_bias[h]) < 1e-8);
        fgti_moments_done(ctx, &train);
        fgti_ridge_done(ctx, &r);
    }
}

/* Between periods: the same weights for all phases, and nothing between phases. */
static void periods_have_one_map_for_all_phases(void **state)
{
    (void)state;
    enum { P = 4 };
    const fgti_linear_choice o = {.lags = L, .period = P, .penalty = INFINITY};
    double                   weight[H * L], bias[H];
    fgti_ridge               r;
    fgti_moments             train;
    moments_of_column(0, 0, TRAIN, &train);
    OK(fgti_ridge_new(ctx, L, H, &r));
    assert_true(fgti_ridge_solve(&r, &train, &o));
    fgti_ridge_write(&r, weight, bias);
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i++) {
            const double w = weight[h * L + i];
            if (h % P != i % P)
                assert_true(w == 0);
            else if (h < P)
                assert_true(w == weight[0 * L + i - h]);
        }
    /* no other map of this kind is better on these windows */
    const double least = plain_error(0, 0, TRAIN, weight, bias);
    double       slack = 1e-3 * least; /* of the small penalty that keeps the equations solvable */
    for (int d = 0; d < L / P; d++)
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int p = 0; p < P; p++) weight[p * L + d * P + p] += 0.1 * sign;
            assert_true(plain_error(0, 0, TRAIN, weight, bias) > least - slack);
            for (int p = 0; p < P; p++) weight[p * L + d * P + p] -= 0.1 * sign;
        }
    fgti_moments_done(ctx, &train);
    fgti_ridge_done(ctx, &r);
}

/* Without weights the forecast is the last value, or the mean. */
static void infinite_penalties_leave_the_level(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        const fgti_linear_choice o = {.lags = 1, .last = last, .penalty = INFINITY};
        double                   weight[H * L], bias[H];
        fgti_ridge               r;
        fgti_moments             train;
        moments_of_column(1, 0, TRAIN, &train);
        OK(fgti_ridge_new(ctx, L, H, &r));
        assert_true(fgti_ridge_solve(&r, &train, &o));
        fgti_ridge_write(&r, weight, bias);
        for (int i = 0; i < H * L; i++) assert_true(weight[i] == (last && i % L == L - 1));
        for (int h = 0; h < H; h++)
            assert_true(fabs(bias[h] - (last ? 0 : train.sum[L + h] / train.count)) < 1e-12);
        fgti_moments_done(ctx, &train);
        fgti_ridge_done(ctx, &r);
    }
}

/* ---- several regressions ---- */

static void assert_errors(const fgti_forms *f, const fgti_moments *val, fgti_ridge *scratch, int64_t unsolved)
{
    double error[FGTI_FORMS];
    fgti_forms_test(f, val, scratch, error);
    for (int64_t i = 0; i < f->count; i++) {
        double weight[H * L] = {0}, bias[H] = {0};
        fgti_form_add(f, i, 1, weight, bias);
        const double want = plain_error(2, TRAIN - L, N, weight, bias);
        if (i == unsolved)
            assert_true(isinf(error[i]));
        else
            assert_true(fabs(error[i] - want) < 1e-8 * want);
    }
}

static void errors_are_those_of_the_windows(void **state)
{
    (void)state;
    fgti_forms   shared, own;
    fgti_ridge   scratch;
    fgti_moments train, val;
    moments_of_column(2, 0, TRAIN, &train);
    moments_of_column(2, TRAIN - L, N, &val);
    OK(fgti_ridge_new(ctx, L, H, &scratch));
    OK(fgti_forms_new(ctx, L, H, 4, false, &shared));
    OK(fgti_forms_new(ctx, L, H, 4, true, &own));
    assert_true(shared.count == 4 + 2 + 2 * 3 && own.count == 4); /* rows 12, 6; periods 12, 6, 4 */
    fgti_forms_solve(&shared, &train, &scratch);
    fgti_forms_solve(&own, &train, &scratch);
    own.form[1].solved = false;
    assert_errors(&shared, &val, &scratch, -1);
    assert_errors(&own, &val, &scratch, 1);
    fgti_forms_done(ctx, &shared);
    fgti_forms_done(ctx, &own);
    fgti_moments_done(ctx, &train);
    fgti_moments_done(ctx, &val);
    fgti_ridge_done(ctx, &scratch);
}

/* ---- what more than chance gains ---- */

enum { BLOCKS = 40 };

static double probability_of(double *gain, int64_t blocks)
{
    double spare[BLOCKS], p = fgti_odds_of_gain(gain, spare, blocks);
    fgti_probabilities_of_gain(&p, 1);
    return p;
}

static double probability(double mean, double size, uint64_t seed)
{
    double gain[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) gain[b] = mean + size * draw(&seed);
    return probability_of(gain, BLOCKS);
}

static void gains_by_chance_are_unlikely_to_be_more(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        assert_true(probability(0, 1, seed) < 0.5);
        assert_true(probability(1, 1, seed) > 0.999);
        assert_true(probability(-1, 1, seed) < 1e-100);
    }
    double       two[] = {2, -1}, spare[2];
    const double z2    = 1.0 / (2 * 2 - 1 * (2 - 1));
    assert_true(fabs(fgti_odds_of_gain(two, spare, 2) - (z2 - log(2)) / 2) < 1e-12);
}

static void one_wild_gain_does_not_decide(void **state)
{
    (void)state;
    double gain[BLOCKS], none[BLOCKS] = {0};
    for (int b = 0; b < BLOCKS; b++) gain[b] = 1 + 0.1 * (b % 3);
    gain[7] = 1e6;
    assert_true(probability_of(gain, BLOCKS) > 0.999);
    for (int b = 0; b < BLOCKS; b++) gain[b] = b % 2 ? 1 : -1;
    gain[7] = 1e6;
    assert_true(probability_of(gain, BLOCKS) < 0.1);
    assert_true(probability_of(none, BLOCKS) < 1e-100);
}

/* Odds that are even for one series speak for it where all others gain, and against it where none does. */
static void series_tell_of_each_other(void **state)
{
    (void)state;
    double many[50], few[50];
    for (int i = 0; i < 50; i++) {
        many[i] = i ? 30 : 1;
        few[i]  = i ? -30 : 1;
    }
    fgti_probabilities_of_gain(many, 50);
    fgti_probabilities_of_gain(few, 50);
    assert_true(many[0] > 0.6 && many[1] > 0.999 && few[0] < 0.1 && few[1] < 1e-12);
}

/* ---- the map ---- */

static fgti_linear_task task_of(const float *rows)
{
    return (fgti_linear_task){.series    = rows,
                              .rows      = N,
                              .columns   = C,
                              .wide      = C,
                              .season    = 4,
                              .lags      = L,
                              .steps     = H,
                              .train_end = TRAIN,
                              .val_begin = TRAIN,
                              .val_end   = N,
                              .end       = TRAIN};
}

static double error_of(const fgti_linear_map *map)
{
    double sum = 0;
    for (int c = 0; c < C; c++) {
        const int64_t k = map->maps > 1 ? c : 0;
        sum += plain_error(c, TRAIN - L, N, map->weight + k * H * L, map->bias + k * H);
    }
    return sum / (C * (N - TRAIN - H + 1) * H);
}

static double error_of_last_value(void)
{
    double last[H * L] = {0}, bias[H] = {0}, sum = 0;
    for (int h = 0; h < H; h++) last[h * L + L - 1] = 1;
    for (int c = 0; c < C; c++) sum += plain_error(c, TRAIN - L, N, last, bias);
    return sum / (C * (N - TRAIN - H + 1) * H);
}

static void the_mean_is_better_than_the_last_value(void **state)
{
    (void)state;
    fgti_linear_task task = task_of(series[0]);
    fgti_linear_map  map;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    assert_int_equal(map.maps, C); /* the columns have other memories */
    assert_true(error_of(&map) < 0.5 * error_of_last_value());
    for (int c = 0; c < C; c++) assert_true(map.share[c] == 1);
    fgti_linear_map_done(ctx, &map);

    /* one series */
    task.columns = 1;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    assert_int_equal(map.maps, 1);
    fgti_linear_map_done(ctx, &map);
}

/* The last third of the training rows tests the forms, which all of them solve then. */
static void training_rows_test_where_validation_rows_do_not(void **state)
{
    (void)state;
    fgti_linear_task task = task_of(series[0]);
    fgti_linear_map  map;
    task.val_end = task.val_begin;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    assert_int_equal(map.maps, C);
    assert_true(error_of(&map) < 0.5 * error_of_last_value());
    fgti_linear_map_done(ctx, &map);
}

/* Rows after the validation rows change the map where it is solved on them, and not its choice. */
static void a_chosen_mean_is_solved_again_on_more_rows(void **state)
{
    (void)state;
    fgti_linear_task task = task_of(series[0]);
    fgti_linear_map  few, all;
    OK(fgti_linear_map_fit(ctx, &task, &few));
    task.end = N;
    OK(fgti_linear_map_fit(ctx, &task, &all));
    assert_true(memcmp(few.weight, all.weight, sizeof(double[C * H * L])) != 0);
    assert_true(error_of(&all) < error_of(&few)); /* which are its own rows */
    fgti_linear_map_done(ctx, &few);
    fgti_linear_map_done(ctx, &all);
}

/* Of an effect that holds in the training rows only, little is taken off; of one that holds on, most. */
static void an_effect_that_ends_is_taken_off_in_part(void **state)
{
    (void)state;
    static float     rows[N][C], effect[N][C];
    fgti_linear_task task = task_of(rows[0]);
    fgti_linear_map  map;
    uint64_t         seed = 9;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++) {
            effect[r][c] = (float)(2 * sin(1.5707963 * r));
            rows[r][c]   = (float)draw(&seed) + (r < TRAIN || c ? effect[r][c] : 0);
        }
    task.effect = task.effect_of_all = effect[0];
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int c = 0; c < C; c++) assert_true(map.share[c] == 1); /* it is not divisible */
    fgti_linear_map_done(ctx, &map);
    task.divisible = true;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    assert_true(map.share[0] < 0.5 && map.share[1] > 0.9 && map.share[2] > 0.9);
    fgti_linear_map_done(ctx, &map);
}

/* Series of zeros. */
static void without_anything_to_solve_the_last_value_remains(void **state)
{
    (void)state;
    static const float constant[N][C] = {{0}};
    const fgti_linear_task task = task_of(constant[0]);
    fgti_linear_map        map;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int k = 0; k < map.maps * H * L; k++) assert_true(map.weight[k] == (k % L == L - 1 ? 1 : 0));
    for (int h = 0; h < map.maps * H; h++) assert_true(map.bias[h] == 0);
    fgti_linear_map_done(ctx, &map);
}

/* x' = a x + noise, with one a in the training rows and another one behind them. */
static void draw_memory(uint64_t seed, double a, double later, float rows[N][C])
{
    for (int c = 0; c < C; c++)
        for (int r = 0; r < N; r++)
            rows[r][c] = (float)((r ? (r < TRAIN ? a : later) * (double)rows[r - 1][c] : 0) + draw(&seed));
}

/* Where the last value is the best forecast, it is the forecast. */
static void a_random_walk_goes_on_from_its_last_value(void **state)
{
    (void)state;
    static float     rows[N][C];
    fgti_linear_task task = task_of(rows[0]);
    fgti_linear_map  map;
    double           last = 0, mean = 0;
    draw_memory(11, 1, 1, rows);
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int c = 0; c < C; c++)
        for (int t = TRAIN - L; t + M <= N; t++)
            for (int h = 0; h < H; h++) {
                const double y = (double)rows[t + L + h][c], x = (double)rows[t + L - 1][c];
                double       f = map.bias[c * H + h];
                for (int i = 0; i < L; i++) f += map.weight[(c * H + h) * L + i] * (double)rows[t + i][c];
                last += (y - x) * (y - x);
                mean += (y - f) * (y - f);
            }
    assert_true(mean <= last);
    fgti_linear_map_done(ctx, &map);
}

/* With many horizons in the validation rows, too, the maps of walks are nearly the last value. */
static void no_map_leaves_a_walk(void **state)
{
    (void)state;
    static float           rows[N][C];
    const fgti_linear_task task = task_of(rows[0]);
    int                    left = 0;
    assert_true(N - TRAIN >= 12 * H);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        fgti_linear_map map;
        draw_memory(seed, 1, 1, rows);
        OK(fgti_linear_map_fit(ctx, &task, &map));
        for (int c = 0; c < C; c++) {
            double off = 0; /* from a window that stays at 1 */
            for (int i = 0; i < L - 1; i++) off += fabs(map.weight[(c * H + H - 1) * L + i]);
            left += off > 0.1;
        }
        fgti_linear_map_done(ctx, &map);
    }
    assert_true(left <= 1);
}

/* In the validation rows, two horizons, the series happens to return to its mean slowly. The training rows
 * tell that it returns soon. */
static void few_validation_rows_do_not_decide_alone(void **state)
{
    (void)state;
    static float     rows[N][C];
    fgti_linear_task task = task_of(rows[0]);
    fgti_linear_map  map;
    task.val_end = TRAIN + 2 * H;
    draw_memory(5, 0.5, 0.9, rows);
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int c = 0; c < C; c++) {
        double kept = 0; /* of a window that stays at 1, after H rows */
        for (int i = 0; i < L; i++) kept += map.weight[(c * H + H - 1) * L + i];
        assert_true(kept < 0.7);
    }
    fgti_linear_map_done(ctx, &map);
}

static void gaps_are_filled_or_left_out(void **state)
{
    (void)state;
    static float     rows[N][C];
    fgti_linear_task task = task_of(rows[0]);
    fgti_linear_map  map;
    memcpy(rows, series, sizeof rows);
    for (int r = 0; r < N; r += 50) rows[r][0] = NAN;
    for (int r = 100; r < 150; r++) rows[r][1] = NAN;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    for (int64_t i = 0; i < map.maps * H * L; i++) assert_true(isfinite(map.weight[i]));
    assert_true(error_of(&map) < 0.6 * error_of_last_value());
    fgti_linear_map_done(ctx, &map);
    for (int season = 0; season < 10; season += 3) { /* in every window */
        task.season = season;
        for (int r = 0; r < N; r++)
            for (int c = 0; c < C; c++) rows[r][c] = r % 9 < 5 ? series[r][c] : NAN;
        OK(fgti_linear_map_fit(ctx, &task, &map));
        assert_int_equal(map.maps, C);
        assert_true(error_of(&map) < error_of_last_value());
        fgti_linear_map_done(ctx, &map);
    }
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++) rows[r][c] = r < TRAIN - 5 ? NAN : 1;
    OK(fgti_linear_map_fit(ctx, &task, &map));
    assert_int_equal(map.maps, 0);
    fgti_linear_map_done(ctx, &map);
}

static fgt_status fit_once(void)
{
    const fgti_linear_task task = task_of(series[0]);
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
        cmocka_unit_test(cholesky_solves),
        cmocka_unit_test(moments_are_sums_over_windows),
        cmocka_unit_test(ridge_is_that_of_the_windows),
        cmocka_unit_test(periods_have_one_map_for_all_phases),
        cmocka_unit_test(infinite_penalties_leave_the_level),
        cmocka_unit_test(errors_are_those_of_the_windows),
        cmocka_unit_test(gains_by_chance_are_unlikely_to_be_more),
        cmocka_unit_test(one_wild_gain_does_not_decide),
        cmocka_unit_test(series_tell_of_each_other),
        cmocka_unit_test(the_mean_is_better_than_the_last_value),
        cmocka_unit_test(training_rows_test_where_validation_rows_do_not),
        cmocka_unit_test(a_chosen_mean_is_solved_again_on_more_rows),
        cmocka_unit_test(an_effect_that_ends_is_taken_off_in_part),
        cmocka_unit_test(without_anything_to_solve_the_last_value_remains),
        cmocka_unit_test(a_random_walk_goes_on_from_its_last_value),
        cmocka_unit_test(no_map_leaves_a_walk),
        cmocka_unit_test(few_validation_rows_do_not_decide_alone),
        cmocka_unit_test(gaps_are_filled_or_left_out),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
