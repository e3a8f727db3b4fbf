/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasters with several quantiles, and those that know no negative values. */
#include <fighter/experimental/evaluate.h>

#include "intervals.h"
#include "small_series.h"

enum { N = 6000, L = 24, H = 4, C = 2, Q = 3 };

static double          series[N][C];
static const double    shares[Q] = {0.1, 0.5, 0.9};
static const fgt_split parts     = {0, 2000, 2000, 2300, 2300, N};

static double noise(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*s >> 40) / (1 << 24);
}

/* A rhythm whose upper half is noisy and whose lower half is calm. */
static void fill(void)
{
    uint64_t s = 7;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++) {
            const double wave = sin(r * 0.2618 + c);
            series[r][c]      = 20 + 4 * wave + (wave > 0 ? 6 : 0.5) * (noise(&s) + noise(&s) - 1);
        }
}

static int set_up_series(void **state)
{
    fill();
    return set_up(state);
}

static fgt_table *table_of(void)
{
    static const char *const names[] = {"a", "b"};
    fgt_table               *t;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, series, N, C), &t));
    return t;
}

static fgt_forecaster_opts opts_of(int64_t quantiles)
{
    return (fgt_forecaster_opts){.size                  = sizeof(fgt_forecaster_opts),
                                 .input_len             = L,
                                 .pred_len              = H,
                                 .seed                  = 1,
                                 .tokens.dim            = 8,
                                 .tokens.patch          = 8,
                                 .output.no_linear      = 1, /* so that all is learned by the layers */
                                 .output.quantiles      = quantiles ? shares : NULL,
                                 .output.quantile_count = quantiles};
}

static fgt_forecaster *create(fgt_forecaster_opts o, const fgt_table *t)
{
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    return f;
}

static fgt_forecaster *trained(fgt_forecaster_opts o, const fgt_table *t)
{
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 5, .lr = 0.005}};
    fgt_forecaster               *f   = create(o, t);
    OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
    return f;
}

/* ---- what they are ---- */

static void quantiles_hold_their_share(void **state)
{
    (void)state;
    fgt_table          *t = table_of();
    fgt_forecaster     *f = trained(opts_of(Q), t);
    fgt_quantile_metric m[Q * H], sums[Q];
    fgt_metric          errors = {0};
    OK(fgt_forecaster_evaluate_quantiles(f, t, parts.test_begin, N, m));
    for (int q = 0; q < Q; q++) {
        fgt_quantile_metric_sum(m + q * H, H, 1, &sums[q]);
        const double share = (double)sums[q].below / (double)sums[q].count;
        if (fabs(share - shares[q]) > 0.06) fail_msg("quantile %g holds %g", shares[q], share);
        assert_int_equal(sums[q].count, (N - parts.test_begin - H + 1) * H * C);
    }
    OK(fgt_forecaster_evaluate(f, t, parts.test_begin, N, &errors));
    /* the forecast is the median, whose pinball loss is half of the absolute error */
    const double mae = fgt_metric_get(&errors, FGT_METRIC_MAE);
    assert_true(fabs(2 * sums[1].loss / (double)sums[1].count - mae) < 1e-6);
    const double crps = fgt_quantile_metric_get_crps(sums, shares, Q);
    assert_true(crps > 0 && crps < mae);
    assert_true(fabs(fgt_quantile_metric_get_crps(sums + 1, shares + 1, 1) - mae) < 1e-6);
    assert_true(isnan(fgt_quantile_metric_get_crps(NULL, shares, Q)));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void check_order(fgt_forecaster *f, const fgt_table *t, int64_t row)
{
    double q[Q][H][C], point[H][C];
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, row, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q, Q, H, C)));
    OK(fgt_forecaster_predict_table(f, t, row, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, point, H, C)));
    assert_memory_equal(point, q[1], sizeof point);
    for (int h = 0; h < H; h++)
        for (int c = 0; c < C; c++) assert_true(q[0][h][c] <= q[1][h][c] && q[1][h][c] <= q[2][h][c]);
}

/* Whatever the model consists of, and untrained. */
static void quantiles_never_cross(void **state)
{
    (void)state;
    fgt_table               *t   = table_of();
    static const char *const a[] = {"a"};
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int32_t tokens = 0; tokens < FGTI_TOKENS_COUNT; tokens++) {
            fgt_forecaster_opts o = opts_of(Q);
            o.block.kind          = block;
            o.tokens.kind         = tokens;
            o.tokens.revin        = block % 2;
            o.output.non_negative = tokens == 1;
            if (!takes(block, tokens)) continue;
            fgt_forecaster *f = create(o, t);
            for (int64_t row = L; row < N; row += 517) check_order(f, t, row);
            fgt_forecaster_destroy(&f);
        }
    fgt_forecaster_opts o = opts_of(Q);
    double              q[Q][H];
    o.inputs.targets = a, o.inputs.target_count = 1;
    o.inputs.known = (const char *const[]){"b"}, o.inputs.known_count = 1;
    for (int past = 0; past < 2; past++) {
        fgt_forecaster *f = trained(o, t);
        OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 2500, NULL,
                                                      FGT_VIEW_OF(FGT_DTYPE_F64, q, Q, H, 1)));
        for (int h = 0; h < H; h++) assert_true(q[0][h] <= q[1][h] && q[1][h] <= q[2][h]);
        fgt_forecaster_destroy(&f);
        o.inputs.past = o.inputs.known, o.inputs.past_count = 1;
        o.inputs.known = NULL, o.inputs.known_count = 0;
    }
    fgt_table_destroy(&t);
}

/* Beside the map, quantiles begin with its errors on the validation rows, so that they differ without any
 * training. With revin, errors count by the scale of their window. */
static void first_quantiles_hold_their_share(void **state)
{
    (void)state;
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 1, .lr = 1e-12}};
    fgt_table                    *t   = table_of();
    for (int variant = 0; variant < 4; variant++) {
        fgt_quantile_metric m[Q * H];
        fgt_forecaster_opts o = opts_of(variant == 3 ? 1 : Q);
        o.output.no_linear    = 0;
        o.tokens.revin        = variant == 1;
        if (variant == 2) o.block.kind = FGT_BLOCK_LINEAR;
        if (variant == 3) o.output.quantiles = &shares[2];
        fgt_forecaster *f = create(o, t);
        OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
        OK(fgt_forecaster_evaluate_quantiles(f, t, parts.val_begin, parts.val_end, m));
        for (int64_t i = 0; i < o.output.quantile_count * H; i++) {
            const double n = (double)m[i].count, share = (double)m[i].below / n;
            const double wrong = fabs(share - o.output.quantiles[i / H]);
            if (wrong > (variant == 1 ? 0.05 : 1.5 / n)) fail_msg("variant %d: %g", variant, share);
        }
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static fgt_forecaster *fitted(const fgt_table *t, const fgt_split *s, double lr, fgt_fit_report *r)
{
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 1, .lr = lr}};
    fgt_forecaster_opts           o   = opts_of(Q);
    fgt_forecaster               *f;
    o.output.no_linear = 0;
    OK(fgt_forecaster_create(ctx, t, s, &o, &f));
    OK(fgt_forecaster_fit(f, t, s, &fit, r));
    return f;
}

/* Few validation windows cannot show quantiles, and the first quantiles are no layers to train again. */
static void maps_have_quantiles(void **state)
{
    (void)state;
    const fgt_split few = {0, 2000, 2000, 2000 + H, 2000 + H, 2300};
    fgt_table      *t   = table_of();
    fgt_fit_report  r   = {.size = sizeof r};
    double          q[2][Q][H][C];
    fgt_forecaster *f = fitted(t, &few, 1e-12, NULL), *all;
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 2500, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q[0], Q, H, C)));
    for (int h = 0; h < H; h++) assert_true(q[0][0][h][0] + 1 < q[0][2][h][0]);
    fgt_forecaster_destroy(&f);
    f = fitted(t, &parts, 100, &r);
    assert_int_equal(r.best_epoch, 0); /* the map */
    OK(fgt_forecaster_create_refit(f, t, &parts, NULL, &r, &all));
    assert_int_equal(r.epochs, 0);
    for (int i = 0; i < 2; i++)
        OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(i ? all : f), t, 2500,
                                                      NULL, FGT_VIEW_OF(FGT_DTYPE_F64, q[i], Q, H, C)));
    for (int i = 0; i < Q * H * C; i++) assert_true(fabs((&q[0][0][0][0])[i] - (&q[1][0][0][0])[i]) < 2);
    fgt_forecaster_destroy(&all);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* A series that is over has no quantiles; those of the others are the same. */
static void series_may_be_over(void **state)
{
    (void)state;
    double          q[2][Q][H][C];
    fgt_table      *t = table_of();
    fgt_forecaster *f = trained(opts_of(Q), t);
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 2500, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q[0], Q, H, C)));
    fgt_table_destroy(&t);
    for (int r = 2400; r < N; r++) series[r][1] = NAN;
    t = table_of();
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 2500, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q[1], Q, H, C)));
    for (int i = 0; i < Q; i++)
        for (int h = 0; h < H; h++) assert_true(q[1][i][h][0] == q[0][i][h][0] && isnan(q[1][i][h][1]));
    for (int r = 2400; r < N; r++) series[r][0] = NAN;
    fgt_table_destroy(&t);
    t = table_of();
    REFUSED(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 2500, NULL,
                                                       FGT_VIEW_OF(FGT_DTYPE_F64, q[1], Q, H, C)),
            FGT_E_DATA, "no target has a value");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    fill();
}

/* A single quantile is the forecast. */
static void one_quantile_is_the_forecast(void **state)
{
    (void)state;
    fgt_table              *t = table_of();
    fgt_forecaster         *f = create(opts_of(1), t);
    fgt_forecaster_workspace *ws;
    double                  point[H][C], q[2][H][C];
    OK(fgt_forecaster_predict_table(f, t, 100, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, point, H, C)));
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 100, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q[0], 1, H, C)));
    OK(fgt_forecaster_create_workspace(f, NULL, &ws));
    OK(fgt_forecaster_workspace_predict_quantiles(ws, t, 100, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q[1], 1, H, C)));
    assert_memory_equal(q[0], point, sizeof point);
    assert_memory_equal(q[1], point, sizeof point);
    fgt_forecaster_workspace_destroy(&ws);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void files_keep_quantiles(void **state)
{
    (void)state;
    static unsigned char file[200000];
    fgt_table           *t = table_of();
    fgt_forecaster_opts  o = opts_of(Q);
    fgt_forecaster      *f, *g;
    fgt_forecaster_info  info = {.size = sizeof info};
    double               q[2][Q][H][C];
    int64_t              bytes;
    o.output.non_negative = 1;
    f              = create(o, t);
    OK(fgt_forecaster_save(f, FGT_TO_MEMORY(file, sizeof file, &bytes)));
    OK(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &g));
    OK(fgt_forecaster_get_info(g, &info));
    assert_int_equal(info.quantile_count, Q);
    assert_int_equal(info.non_negative, 1);
    for (int i = 0; i < Q; i++) assert_true(info.quantiles[i] == shares[i]);
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 100, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q[0], Q, H, C)));
    OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(g), t, 100, NULL,
                                                  FGT_VIEW_OF(FGT_DTYPE_F64, q[1], Q, H, C)));
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    fgt_forecaster_destroy(&g);
    test_forget_hash((char *)file, (size_t)bytes);
    /* quantiles that do not rise, and fewer than the model has */
    static const char *const damage[][2] = {{" q1=0.5 ", " q1=0.0 "}, {" quantiles=3 ", " quantiles=2 "}};
    for (int i = 0; i < 2; i++) {
        const size_t n    = strlen(damage[i][0]);
        int64_t      here = 0;
        while (here + (int64_t)n < bytes && memcmp(file + here, damage[i][0], n) != 0) here++;
        assert_true(here + (int64_t)n < bytes);
        memcpy(file + here, damage[i][1], n);
        REFUSED(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &g), FGT_E_FORMAT,
                i ? "does not map" : "quantiles do not rise");
        memcpy(file + here, damage[i][0], n);
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- conformal quantiles ---- */

static const double levels[] = {0.8, 0.95};

static void width_follows_the_noise(void **state)
{
    (void)state;
    fgt_table       *t = table_of();
    fgt_forecaster  *f = trained(opts_of(Q), t), *plain = trained(opts_of(0), t);
    fgt_calibration *c;
    double           q[Q][H][C], low[H][C], high[H][C], calm = 0, lively = 0;
    OK(fgt_calibration_create(f, t, 2600, &c));
    for (int64_t row = 2600; row < 2700; row += H) {
        OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, row, NULL,
                                                      FGT_VIEW_OF(FGT_DTYPE_F64, q, Q, H, C)));
        const fgt_view *all = FGT_VIEW_OF(FGT_DTYPE_F64, q, Q, H, C);
        OK(fgt_calibration_compute_quantile(c, all, 0.1, FGT_VIEW_OF(FGT_DTYPE_F64, low, H, C)));
        OK(fgt_calibration_compute_quantile(c, all, 0.9, FGT_VIEW_OF(FGT_DTYPE_F64, high, H, C)));
        for (int h = 0; h < H; h++) {
            const double wave = sin((double)(row + h) * 0.2618);
            if (wave > 0.5) lively += high[h][0] - low[h][0];
            if (wave < -0.5) calm += high[h][0] - low[h][0];
        }
    }
    assert_true(lively > 2 * calm && calm > 0);
    REFUSED(fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, low, H, C), 0.1,
                                             FGT_VIEW_OF(FGT_DTYPE_F64, low, H, C)),
            FGT_E_SHAPE, "forecast");
    fgt_calibration_destroy(&c);
    fgt_interval_metric m[2][2];
    OK(judge_intervals(f, t, 2500, N, levels, 2, m[0], NULL));
    OK(judge_intervals(plain, t, 2500, N, levels, 2, m[1], NULL));
    for (int k = 0; k < 2; k++) {
        const double share = (double)m[0][k].inside / (double)m[0][k].count;
        if (fabs(share - levels[k]) > 0.03) fail_msg("%g holds %g", levels[k], share);
        assert_true(m[0][k].score < m[1][k].score); /* both hold their share, these are sharper */
    }
    fgt_forecaster_destroy(&f);
    fgt_forecaster_destroy(&plain);
    fgt_table_destroy(&t);
}

/* ---- no negative values ---- */

static void forecasts_are_not_negative(void **state)
{
    (void)state;
    uint64_t s = 3;
    for (int r = 0; r < N; r++) /* mostly 0 */
        for (int c = 0; c < C; c++) series[r][c] = noise(&s) < 0.7 ? 0 : floor(10 * noise(&s));
    fgt_table *t = table_of();
    for (int variant = 0; variant < 4; variant++) {
        const int32_t       losses[] = {FGT_LOSS_MSE, FGT_LOSS_POISSON, FGT_LOSS_NEGATIVE_BINOMIAL, 0};
        fgt_forecaster_opts o        = opts_of(variant == 3 ? Q : 0);
        fgt_calibration    *c;
        double              low[H][C], q[Q][H][C];
        fgt_interval_metric m;
        o.output.non_negative             = 1;
        fgt_forecaster               *f   = create(o, t);
        const fgt_forecaster_fit_opts fit = {
            .size = sizeof fit, .training.epochs = 2, .loss = losses[variant], .training.lr = 0.005};
        OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
        OK(fgt_calibration_create(f, t, 2800, &c));
        const fgt_view *all =
            variant == 3 ? FGT_VIEW_OF(FGT_DTYPE_F64, q, Q, H, C) : FGT_VIEW_OF(FGT_DTYPE_F64, q, H, C);
        if (variant == 3)
            OK(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 2800, NULL,
                                                          all));
        else
            OK(fgt_forecaster_predict_table(f, t, 2800, NULL, all));
        for (int i = 0; i < (variant == 3 ? Q : 1) * H * C; i++) assert_true((&q[0][0][0])[i] >= 0);
        OK(fgt_calibration_compute_quantile(c, all, 0.025, FGT_VIEW_OF(FGT_DTYPE_F64, low, H, C)));
        for (int i = 0; i < H * C; i++) assert_true(low[i / C][i % C] == 0);
        OK(judge_intervals(f, t, 2500, N, levels, 1, &m, NULL));
        assert_true((double)m.inside / (double)m.count > 0.75);
        fgt_calibration_destroy(&c);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
    fill();
}

/* ---- what is refused ---- */

static void wrong_options_are_refused(void **state)
{
    (void)state;
    fgt_table          *t = table_of();
    fgt_forecaster     *f;
    fgt_forecaster_opts o         = opts_of(Q);
    const double        bad[3][2] = {{0.5, 0.5}, {0, 0.5}, {0.5, 1}};
    for (int i = 0; i < 3; i++) {
        o.output.quantiles = bad[i], o.output.quantile_count = 2;
        REFUSED(fgt_forecaster_create(ctx, t, &parts, &o, &f), FGT_E_ARG, "quantile");
        assert_null(f);
    }
    o.output.quantile_count = FGT_QUANTILES_MAX + 1;
    REFUSED(fgt_forecaster_create(ctx, t, &parts, &o, &f), FGT_E_ARG, "quantile_count");
    o.output.quantile_count = 0;
    REFUSED(fgt_forecaster_create(ctx, t, &parts, &o, &f), FGT_E_ARG, "its count do not go together");
    fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training.epochs = 1, .loss = FGT_LOSS_L1};
    double                  y[Q][H][C];
    f = create(opts_of(Q), t);
    REFUSED(fgt_forecaster_fit(f, t, &parts, &fit, NULL), FGT_E_ARG, "l1");
    fgt_forecaster_destroy(&f);
    f        = create(opts_of(0), t);
    fit.loss = FGT_LOSS_POISSON;
    REFUSED(fgt_forecaster_fit(f, t, &parts, &fit, NULL), FGT_E_ARG, "non_negative");
    REFUSED(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 100, NULL,
                                                       FGT_VIEW_OF(FGT_DTYPE_F64, y, Q, H, C)),
            FGT_E_STATE, "no quantiles");
    REFUSED(fgt_forecaster_evaluate_quantiles(f, t, 2300, N, (fgt_quantile_metric[H]){{0}}), FGT_E_STATE,
            "no quantiles");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void negative_values_are_refused(void **state)
{
    (void)state;
    fgt_forecaster     *f;
    fgt_forecaster_opts o   = opts_of(0);
    const double        was = series[17][1];
    o.output.non_negative   = 1;
    series[17][1]           = -0.5;
    fgt_table *t            = table_of();
    REFUSED(fgt_forecaster_create(ctx, t, &parts, &o, &f), FGT_E_DATA, "row 17, column \"b\": -0.5");
    fgt_table_destroy(&t);
    series[17][1]   = was;
    series[2100][0] = -1; /* validation */
    t               = table_of();
    f               = create(o, t);
    REFUSED(fgt_forecaster_fit(f, t, &parts, NULL, NULL), FGT_E_DATA, "row 2100, column \"a\": -1");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    fill();
}

/* ---- memory ---- */

static fgt_status predict_anew(const fgt_table *t)
{
    fgt_forecaster_opts           o   = opts_of(Q);
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training.epochs = 1};
    const fgt_split               few = {0, 200, 200, 260, 260, 260};
    fgt_forecaster               *f;
    fgt_quantile_metric           m[Q * H];
    double                        q[Q][H][C];
    o.output.no_linear = 0;
    fgt_status s       = fgt_forecaster_create(ctx, t, &few, &o, &f);
    if (s == FGT_OK) s = fgt_forecaster_fit(f, t, &few, &fit, NULL);
    if (s == FGT_OK)
        s = fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), t, 100, NULL,
                                                       FGT_VIEW_OF(FGT_DTYPE_F64, q, Q, H, C));
    if (s == FGT_OK) s = fgt_forecaster_evaluate_quantiles(f, t, 2900, N, m);
    fgt_forecaster_destroy(&f);
    return s;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    fgt_status s;
    SWEEP(&memory, s, 10, predict_anew(t)) NOTHING_LEAKS;
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_hold_their_share),
        cmocka_unit_test(quantiles_never_cross),
        cmocka_unit_test(series_may_be_over),
        cmocka_unit_test(files_keep_quantiles),
        cmocka_unit_test(width_follows_the_noise),
        cmocka_unit_test(forecasts_are_not_negative),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(negative_values_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(one_quantile_is_the_forecast),
        cmocka_unit_test(first_quantiles_hold_their_share),
        cmocka_unit_test(maps_have_quantiles),
    };
    return cmocka_run_group_tests(tests, set_up_series, tear_down);
}
