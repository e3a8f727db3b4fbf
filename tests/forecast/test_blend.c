/* SPDX-License-Identifier: BSD-3-Clause */
/* A model beside local forecasters: what it forecasts decides its weight. */
#include <fighter/experimental/local.h>
#include <math.h>

#include "draws.h"
#include "forecast/local/local_members.h"
#include "roles.h"

enum { PAIR = 2, SHOWN = 1200, STEPS = 12, K = FGT_LOCAL_MEMBERS, UNSEEN = 400, LEVELS = 2, BATCH = 3 };

/* Kinds of models. */
enum { KNOWS, NOISE, SAME_AS_LOCAL, NOTHING_KNOWN, FAILS };

static double        series[PAIR][SHOWN + STEPS]; /* the last rows are not shown */
static double        forecast[PAIR * STEPS], quantile[PAIR * STEPS * LEVELS], weight[PAIR * K];
static double        hindcast[PAIR * STEPS];
static double        alone[PAIR * STEPS];
static const double  level[LEVELS] = {.1, .9};
static int64_t       length, least_asked; /* length: rows that are shown */

static void fill_series(void)
{
    uint64_t seed = 7;
    for (int i = 0; i < PAIR; i++) {
        double at = 0;
        for (int t = 0; t < SHOWN + STEPS; t++) {
            at           = .7 * at + draw_normal(&seed);
            series[i][t] = 100 * (i + 1) + 5 * sin(6.283185307179586 * (t % STEPS) / STEPS) + at;
        }
    }
}

/* user: the kind */
static fgt_status model(void *user, int64_t i, int64_t known, double *f)
{
    const int kind = *(const int *)user;
    uint64_t  seed = (uint64_t)(1000 * known + i);
    if (kind == FAILS) return FGT_E_DATA;
    if (known < least_asked) least_asked = known;
    for (int t = 0; t < STEPS; t++)
        f[t] = kind == KNOWS           ? series[i][known + t] + .1 * draw_normal(&seed)
               : kind == NOISE         ? 100 * (double)(i + 1) + 50 * draw_normal(&seed)
               : kind == NOTHING_KNOWN ? NAN
                                       : series[i][known - STEPS + t];
    return FGT_OK;
}

/* Forecasts that judged: their mean errors, and whether the blend lay between its parts. */
static struct told {
    int64_t count[PAIR], oldest;
    double  error[3];
    bool    between;
} told;

/* f [3,STEPS] */
static fgt_status take_judged(void *user, int64_t i, int64_t from, const double *f)
{
    struct told *t = user;
    t->count[i]++;
    if (from < t->oldest) t->oldest = from;
    for (int k = 0; k < 3 * STEPS; k++)
        t->error[k / STEPS] += fabs(f[k] - series[i][from + k % STEPS]) / STEPS;
    for (int k = 0; k < STEPS; k++)
        t->between &= f[2 * STEPS + k] >= fmin(f[k], f[STEPS + k]) - 1e-9 &&
                      f[2 * STEPS + k] <= fmax(f[k], f[STEPS + k]) + 1e-9;
    return FGT_OK;
}

static fgt_status blend(int *kind)
{
    const double *const  both[PAIR] = {series[0], series[1]};
    const int64_t        lengths[PAIR] = {length, length};
    const fgt_local_opts o             = {.size         = sizeof o,
                                          .horizon      = STEPS,
                                          .season       = STEPS,
                                          .levels       = level,
                                          .level_count  = LEVELS,
                                          .forecast     = forecast,
                                          .quantiles    = quantile,
                                          .weights      = weight,
                                          .member_count = K,
                                          .hindcast     = hindcast,
                                          .model        = kind ? model : NULL,
                                          .model_user   = kind,
                                          .model_rows   = UNSEEN,
                                          .judged       = take_judged,
                                          .judged_user  = &told};
    told                           = (struct told){.oldest = length, .between = true};
    least_asked                    = length;
    return fgt_forecast_local(ctx, both, lengths, PAIR, &o);
}

static double error_of(const double *f)
{
    double sum = 0;
    for (int i = 0; i < PAIR; i++)
        for (int t = 0; t < STEPS; t++) sum += fabs(f[i * STEPS + t] - series[i][SHOWN + t]) / (PAIR * STEPS);
    return sum;
}

static void assert_weights(double least, double most)
{
    for (int i = 0; i < PAIR; i++) {
        double sum = 0;
        for (int k = 0; k < K; k++) sum += weight[i * K + k];
        assert_true(fabs(sum - 1) < 1e-9);
        assert_true(weight[i * K + FGTI_MODEL] >= least && weight[i * K + FGTI_MODEL] <= most);
    }
}

static void a_model_that_knows_has_all_weight(void **state)
{
    int kind = KNOWS;
    (void)state;
    OK(blend(NULL));
    assert_weights(0, 0);
    const double without = error_of(forecast);
    OK(blend(&kind));
    assert_weights(.95, 1);
    assert_true(error_of(forecast) < .2 * without);
    assert_true(least_asked >= SHOWN - UNSEEN); /* it is asked for no rows that it was learned from */
    for (int i = 0; i < PAIR * STEPS; i++)
        assert_true(quantile[LEVELS * i] <= forecast[i] && forecast[i] <= quantile[LEVELS * i + 1] &&
                    quantile[LEVELS * i + 1] - quantile[LEVELS * i] < 2);
    for (int i = 0; i < PAIR * STEPS; i++)
        assert_true(fabs(hindcast[i] - series[i / STEPS][SHOWN - STEPS + i % STEPS]) < 1);
}

static void a_model_of_noise_has_little(void **state)
{
    int kind = NOISE;
    (void)state;
    OK(blend(NULL));
    const double without = error_of(forecast);
    memcpy(alone, forecast, sizeof alone);
    OK(blend(&kind));
    assert_weights(0, .3);
    assert_true(error_of(forecast) < error_of(alone) + 5 && without < 3);
}

/* A model that is worse than the others together, but adds to them, has a part. */
static void a_model_adds(void **state)
{
    int kind = SAME_AS_LOCAL;
    (void)state;
    OK(blend(&kind));
    assert_weights(0, .6);
}

static double told_error(int part)
{
    return told.error[part] / (double)(told.count[0] + told.count[1]);
}

/* Of the model, of the others, and of the blend, whose share other rows chose. */
static void the_host_is_told_how_good_the_blend_is(void **state)
{
    int kind = KNOWS;
    (void)state;
    OK(blend(NULL));
    assert_true(!told.count[0] && !told.count[1]);
    OK(blend(&kind));
    assert_true(told.count[0] >= 10 && told.count[0] <= 48 && told.count[1] == told.count[0]);
    assert_true(told.between && told.oldest >= SHOWN - UNSEEN);
    assert_true(told_error(0) < .12 && told_error(1) > .5 && told_error(2) < .2);
    kind = NOISE;
    OK(blend(&kind));
    assert_true(told.between && told_error(0) > 20 && told_error(2) < .3 * told_error(0));
    kind = NOTHING_KNOWN;
    OK(blend(&kind));
    assert_true(!told.count[0] && !told.count[1]);
}

/* Nothing says how good it is; the forecast is there all the same. */
static void a_model_without_forecasts(void **state)
{
    int kind = NOTHING_KNOWN;
    (void)state;
    OK(blend(&kind));
    assert_weights(0, 0);
    for (int i = 0; i < PAIR * STEPS; i++) assert_true(isfinite(forecast[i]));
    assert_true(error_of(forecast) < 5);
}

static void a_status_of_the_model_is_passed_on(void **state)
{
    int kind = FAILS;
    (void)state;
    REFUSED(blend(&kind), FGT_E_DATA, "series 0, row 1200: the model returned status");
}

/* The forecast of rare counts is their rate, whatever a model says. */
static void rare_counts_have_their_rate(void **state)
{
    int kind = NOISE;
    (void)state;
    for (int t = 0; t < SHOWN; t++) series[0][t] = t % 7 == 3 || t % 11 == 5 ? 1 + t % 3 : 0;
    OK(blend(&kind));
    assert_true(weight[FGTI_RATE] == 1 && weight[FGTI_MODEL] == 0);
    for (int t = 0; t < STEPS; t++) assert_true(forecast[t] > .2 && forecast[t] < 1);
    fill_series();
}

static void threads_change_nothing(void **state)
{
    int    kind = SAME_AS_LOCAL;
    double kept[PAIR * K];
    (void)state;
    OK(blend(&kind));
    memcpy(kept, weight, sizeof kept);
    memcpy(alone, forecast, sizeof alone);
    fgt_context *const first_ctx = ctx;
    test_memory        more      = {0};
    ctx                          = test_context(&more, 3);
    OK(blend(&kind));
    fgt_context_destroy(&ctx);
    ctx = first_ctx;
    assert_memory_equal(kept, weight, sizeof kept);
    assert_memory_equal(alone, forecast, sizeof alone);
}

static void each_failed_allocation_is_reported(void **state)
{
    enum { SHORT = 60 }; /* rows */
    int        kind = KNOWS;
    fgt_status s;
    (void)state;
    length = SHORT;
    SWEEP(&memory, s, 40, blend(&kind)) NOTHING_LEAKS;
}

/* ---- a forecaster ---- */

static fgt_table      *table;
static fgt_forecaster *trained;
static double          out[2 * H], share[2 * K];

static fgt_status blend_forecaster(int64_t horizon, int64_t seen, const fgt_table *from)
{
    return fgt_forecaster_predict_blend(trained, NULL, from, seen, NULL,
                                        &FGT_OPTS(fgt_local_opts, .horizon = horizon, .forecast = out,
                                                  .weights = share, .member_count = FGT_LOCAL_MEMBERS));
}

static void a_forecaster_is_a_member(void **state)
{
    static const char *const targets[] = {"a", "b"};
    double                   own[H][2];
    (void)state;
    table   = whole();
    trained = make(
        table, (fgt_forecaster_opts){.inputs.targets = targets, .inputs.target_count = 2, .batch = BATCH});
    OK(fgt_forecaster_fit(trained, table, &parts, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1),
                          NULL));
    OK(fgt_forecaster_predict_table(trained, table, -1, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, own, H, 2)));
    OK(blend_forecaster(H, parts.train_end, table));
    for (int c = 0; c < 2; c++) {
        const double s = share[c * K + FGTI_MODEL];
        assert_true(s >= 0 && s <= 1);
        for (int t = 0; t < H && s == 1; t++) assert_true(fabs(out[c * H + t] - own[t][c]) < 1e-9);
        for (int t = 0; t < H; t++) assert_true(isfinite(out[c * H + t]));
    }
    static const char *const other[] = {"b", "a"};
    fgt_forecaster          *swapped =
        make(table, (fgt_forecaster_opts){.inputs.targets = other, .inputs.target_count = 2});
    REFUSED(fgt_forecaster_predict_blend(trained, swapped, table, 0, NULL,
                                         &FGT_OPTS(fgt_local_opts, .horizon = H, .forecast = out)),
            FGT_E_ARG, "other targets");
    fgt_forecaster_destroy(&swapped);
    REFUSED(blend_forecaster(0, parts.train_end, table), FGT_E_ARG, "horizon");
    REFUSED(blend_forecaster(H, -1, table), FGT_E_DATA, "seen");
    REFUSED(blend_forecaster(H, 0, NULL), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_forecaster_predict_blend(NULL, NULL, table, 0, NULL, NULL), FGT_E_ARG);
    fgt_forecaster_destroy(&trained);
    fgt_table_destroy(&table);
}

/* Known values of the rows ahead may be in the table or beside it, with times or without: forecasts of the
 * past do not read them, and the blend is the same. */
static void known_values_ahead_do_not_change_the_past(void **state)
{
    static const int         order[]   = {0, 2};
    static const char *const targets[] = {"a"};
    double                   kept[H], want[H], low[H], want_low[H], one[] = {.1};
    (void)state;
    fgt_table *past = table_of(order, 2, 0, N - H, true);
    for (int t = 0; t < H; t++) kept[t] = rows[N - H + t][0];
    for (int t = 0; t < H; t++) rows[N - H + t][0] = NAN;
    table = table_of(order, 2, 0, N, true);
    for (int t = 0; t < H; t++) rows[N - H + t][0] = kept[t];
    trained          = make(past, (fgt_forecaster_opts){.inputs.targets      = targets,
                                                        .inputs.target_count = 1,
                                                        .inputs.known        = k_name,
                                                        .inputs.known_count  = 1,
                                                        .batch               = BATCH});
    fgt_local_opts o = {.size        = sizeof o,
                        .horizon     = H,
                        .season      = 24,
                        .levels      = one,
                        .level_count = 1,
                        .forecast    = want,
                        .quantiles   = want_low};
    OK(fgt_forecaster_predict_blend(trained, NULL, table, parts.train_end, NULL, &o));
    o.forecast  = out;
    o.quantiles = low;
    for (int timed = 0; timed < 2; timed++) {
        fgt_table *future = table_of(only_k, 1, N - H, N, timed);
        OK(fgt_forecaster_predict_blend(trained, NULL, past, parts.train_end, future, &o));
        assert_memory_equal(out, want, sizeof want);
        assert_memory_equal(low, want_low, sizeof low);
        fgt_table_destroy(&future);
    }
    for (int t = 0; t < H; t++) assert_true(out[t] - low[t] < 2); /* the noise is .2 wide */
    fgt_forecaster_destroy(&trained);
    fgt_table_destroy(&table);
    fgt_table_destroy(&past);
}

static int begin(void **state)
{
    fill_series();
    length = SHOWN;
    return fill(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_that_knows_has_all_weight),
        cmocka_unit_test(a_model_of_noise_has_little),
        cmocka_unit_test(a_model_adds),
        cmocka_unit_test(the_host_is_told_how_good_the_blend_is),
        cmocka_unit_test(a_model_without_forecasts),
        cmocka_unit_test(a_status_of_the_model_is_passed_on),
        cmocka_unit_test(rare_counts_have_their_rate),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(each_failed_allocation_is_reported),
        cmocka_unit_test(a_forecaster_is_a_member),
        cmocka_unit_test(known_values_ahead_do_not_change_the_past),
    };
    return cmocka_run_group_tests(tests, begin, tear_down);
}
