/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear map in closed form as a part of forecasters: there from the start, never made worse by training,
 * in the file, and in agreement with the regression of test_linear_map. */
#include "../scaler_info.h"
#include "forecast/build/closed_form.h"
#include "forecast/fit/share.h"
#include "forecast/forecaster.h"
#include "forecast/forecaster_impl.h"
#include "forecast/rows/feed.h"
#include "model/access.h"
#include "model/guard.h"
#include "small_series.h"

enum { N = 600, C = 2, L = 24, H = 6, HOUR = 3600000 };

static double          series[N][C + 1]; /* the last column is known */
static int64_t         times[N];
static const fgt_split parts = {0, 400, 400, 500, 500, N};

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}

/* A memory of the row before, a rhythm of the day, the effect of what is known, and noise. */
static int fill(void **state)
{
    uint64_t seed      = 11;
    double   before[C] = {0};
    for (int r = 0; r < N; r++) {
        times[r]     = (int64_t)r * HOUR;
        series[r][C] = draw(&seed) > 0.2;
        for (int c = 0; c < C; c++) {
            before[c]    = (0.5 + 0.4 * c) * before[c] + draw(&seed);
            series[r][c] = 10 * c + before[c] + 2 * sin(6.2831853 * r / 24) + (3 - c) * series[r][C];
        }
    }
    return set_up(state);
}

static fgt_table *table_of(void)
{
    static const char *const names[] = {"a", "b", "k"};
    fgt_table               *t;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, series, N, C + 1), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, N), 0));
    return t;
}

static const char *const k_name[] = {"k"}, *const b_name[] = {"b"};

static fgt_forecaster_opts opts_of(int32_t block)
{
    return (fgt_forecaster_opts){.size               = sizeof(fgt_forecaster_opts),
                                 .inputs.known       = k_name,
                                 .inputs.known_count = 1,
                                 .input_len          = L,
                                 .pred_len           = H,
                                 .tokens.dim         = 8,
                                 .tokens.patch       = 6,
                                 .seed               = 3,
                                 .block.kind         = block};
}

static fgt_forecaster *create(const fgt_forecaster_opts *o, const fgt_table *t)
{
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &parts, o, &f));
    return f;
}

static double mse_of(fgt_forecaster *f, const fgt_table *t, int64_t begin, int64_t end)
{
    fgt_metric m = {0};
    OK(fgt_forecaster_evaluate(f, t, begin, end, &m));
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

/* The model, through all its layers, beside the map and the effect of what is known, by hand. */
static void layers_are_the_closed_form(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int variant = 0; variant < 4; variant++) {
        fgt_forecaster_opts o = opts_of(variant & 1 ? FGT_BLOCK_FIGHTER : FGT_BLOCK_LINEAR);
        fgti_closed_form    c;
        fgti_frame          frame;
        double              y[H][C];
        o.tokens.revin    = variant >= 2;
        fgt_forecaster *f = create(&o, t);
        OK(fgti_closed_form_fit(f, t, &parts, parts.train_end, &c));
        OK(fgti_frame_init(f, t, &frame));
        OK(fgt_forecaster_predict_table(f, t, 450, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C)));
        const int64_t k     = fgti_forecaster_known(&f->info);
        const double *mean  = scaler_mean(fgt_forecaster_get_scaler(f)).data;
        const double *scale = scaler_scale(fgt_forecaster_get_scaler(f)).data;
        assert_true(c.map.maps > 0 && k > 1); /* the day shows, too */
        for (int i = 0; i < C; i++) {
            const int64_t map = c.map.maps > 1 ? i : 0;
            double        effect[L + H];
            for (int r = 0; r < L + H; r++) {
                effect[r] = c.level[i];
                for (int64_t j = 0; j < k; j++)
                    effect[r] += c.effect[i * k + j] * (double)frame.known[(450 - L + r) * k + j];
            }
            for (int h = 0; h < H; h++) {
                double want = c.map.bias[map * H + h] + effect[L + h];
                for (int r = 0; r < L; r++)
                    want += c.map.weight[(map * H + h) * L + r] *
                            ((double)frame.series[(450 - L + r) * C + i] - effect[r]);
                assert_true(fabs(y[h][i] - (want * scale[i] + mean[i])) < 1e-4);
            }
        }
        fgti_frame_done(f, &frame);
        fgti_closed_form_done(ctx, &c);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static void a_linear_model_needs_no_training(void **state)
{
    (void)state;
    fgt_table                *t      = table_of();
    const fgt_forecaster_opts o      = opts_of(FGT_BLOCK_LINEAR);
    fgt_forecaster           *f      = create(&o, t);
    fgt_forecaster_info       info   = {.size = sizeof info};
    fgt_fit_report            report = {.size = sizeof report};
    const uint64_t            hash   = fgt_model_get_hash(fgt_forecaster_get_model(f));
    const double              val    = mse_of(f, t, 400, 500);
    OK(fgt_forecaster_get_info(f, &info));
    assert_int_equal(info.linear, 1);
    OK(fgt_forecaster_fit(f, t, &parts, NULL, &report));
    assert_true(report.epochs == 0 && report.steps == 0 && fabs(report.best_loss - val) < 1e-6);
    assert_true(report.train_loss > 0);
    assert_true(fgt_model_get_hash(fgt_forecaster_get_model(f)) == hash);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* The start counts as epoch 0: it stays unless training is better. */
static void training_never_loses_to_the_start(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int i = 0; i < 2; i++) {
        const fgt_forecaster_opts     o      = opts_of(FGT_BLOCK_FIGHTER);
        const fgt_forecaster_fit_opts fit    = {.size     = sizeof fit,
                                                .training = {.epochs = 4, .lr = i ? 10 : 1e-3}};
        fgt_forecaster               *f      = create(&o, t);
        fgt_fit_report                report = {.size = sizeof report};
        const double                  start  = mse_of(f, t, 400, 500);
        OK(fgt_forecaster_fit(f, t, &parts, &fit, &report));
        assert_true(mse_of(f, t, 400, 500) <= start + 1e-9);
        if (i) assert_int_equal(report.best_epoch, 0); /* at a learning rate of 10 nothing is learned */
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* x' = 4 x (1 - x), whose next row no linear map foresees: its autocorrelations are 0. */
static fgt_table *chaos(void)
{
    static double     x[N][C + 1];
    const char *const names[] = {"a", "b", "k"};
    fgt_table        *t;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++) x[r][c] = r ? 4 * x[r - 1][c] * (1 - x[r - 1][c]) : 0.3 + 0.01 * c;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, x, N, C + 1), &t));
    return t;
}

static int keep_least(void *user, const fgt_progress *at)
{
    double *least = user;
    if (at->validation < *least) *least = at->validation;
    return 0;
}

/* Of what the layers add a share is kept that is not worse than nothing of it. The horizon goes 33 times
 * and 17 times into the validation rows. */
static void the_share_of_the_layers_is_chosen(void **state)
{
    (void)state;
    static const fgt_split    splits[] = {{0, 300, 300, 500, 500, N}, {0, 400, 400, 500, 500, N}};
    fgt_table                *t        = chaos();
    const fgt_forecaster_opts o        = opts_of(FGT_BLOCK_FIGHTER);
    for (int few = 0; few < 2; few++) {
        const fgt_split              *rows  = &splits[few];
        double                        least = INFINITY;
        const fgt_forecaster_fit_opts fit   = {
              .size     = sizeof fit,
              .training = {.epochs = 30, .lr = 0.01, .progress = keep_least, .user = &least}};
        fgt_fit_report  report = {.size = sizeof report};
        fgt_forecaster *f;
        OK(fgt_forecaster_create(ctx, t, rows, &o, &f));
        const double map = mse_of(f, t, rows->val_begin, rows->val_end);
        OK(fgt_forecaster_fit(f, t, rows, &fit, &report));
        assert_true(report.best_epoch > 0 && report.best_loss < map);
        if (!few) assert_true(report.best_loss <= least + 1e-12);
        assert_true(fabs(report.best_loss - mse_of(f, t, rows->val_begin, rows->val_end)) < 1e-6);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* Sum of the sizes of the weights of the layers' last one. */
static double size_of(const fgti_share *share)
{
    const fgti_param *p;
    double            sum = 0;
    for (int64_t i = 0; (p = fgti_model_param(share->f->model, i)); i++) {
        if (strcmp(p->full_name, "head.weight") != 0) continue;
        const fgti_real *w = fgti_model_slabs(share->f->model).weights + p->offset;
        for (int64_t k = 0; k < p->count; k++) sum += fabs((double)w[k]);
        assert_int_equal(share->count, p->count + H);
    }
    return sum;
}

/* Layers that foretell the next row stay. With the opposite sign they lose to those that were there. */
static void a_share_follows_from_the_gains(void **state)
{
    (void)state;
    fgt_table                    *t   = chaos();
    const fgt_forecaster_opts     o   = opts_of(FGT_BLOCK_FIGHTER);
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training = {.epochs = 30, .lr = 0.01}};
    const fgt_loss_opts           mse = {.size = sizeof mse, .skip_nan = 1};
    fgt_forecaster               *f   = create(&o, t);
    fgti_share                    share;
    fgti_frame                    frame;
    fgti_feed                     feed;
    fgt_source                    val;
    fgt_fit_report                r   = {.size = sizeof r, .best_epoch = 1, .best_loss = 1};
    const double                  map = mse_of(f, t, 400, 500);
    OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
    OK(fgti_frame_init(f, t, &frame));
    OK(fgti_feed_init(&feed, f, &frame, "validation", 400, 500, 1, 1, &val));
    OK(fgti_share_new(f, &val, 1, false, &mse, &share));
    const double all = size_of(&share);
    OK(fgti_share_choose(&share, &r));
    assert_true(r.best_loss < map && size_of(&share) > 0.9 * all);
    for (int64_t i = 0; fgti_model_param(f->model, i); i++) {
        const fgti_param *p = fgti_model_param(f->model, i);
        fgti_real        *w = fgti_model_slabs(f->model).weights + p->offset;
        for (int64_t k = 0; !strncmp(p->full_name, "head.", 5) && k < p->count; k++) w[k] = -w[k];
    }
    fgti_model_changed(f->model);
    OK(fgti_share_choose(&share, &r));
    assert_true(r.best_loss < map && fabs(size_of(&share) / all - 1) < 1e-6);
    fgti_share_done(&share);
    fgti_feed_done(&feed);
    fgti_frame_done(f, &frame);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void files_hold_the_map(void **state)
{
    (void)state;
    fgt_table          *t = table_of();
    fgt_forecaster_opts o = opts_of(FGT_BLOCK_FIGHTER);
    double              y[2][H][1];
    o.inputs.targets         = (const char *const[]){"a"};
    o.inputs.target_count    = 1;
    o.inputs.past            = b_name;
    o.inputs.past_count      = 1;
    fgt_forecaster     *f    = create(&o, t), *g;
    fgt_forecaster_info info = {.size = sizeof info};
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("closed"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("closed")), NULL, &g));
    OK(fgt_forecaster_get_info(g, &info));
    assert_int_equal(info.linear, 1);
    OK(fgt_forecaster_predict_table(f, t, 450, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[0], H, 1)));
    OK(fgt_forecaster_predict_table(g, t, 450, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[1], H, 1)));
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    fgt_forecaster_destroy(&f);
    fgt_forecaster_destroy(&g);
    fgt_table_destroy(&t);
}

/* Without windows, where it is not wanted, and where it does not fit, the layers are alone. */
static void there_may_be_none(void **state)
{
    (void)state;
    static double             gaps[N][1];
    const fgt_forecaster_opts base = {
        .size = sizeof base, .input_len = L, .pred_len = H, .tokens.dim = 8, .block.kind = FGT_BLOCK_LINEAR};
    fgt_table          *t    = table_of(), *holes;
    fgt_forecaster_info info = {.size = sizeof info};
    for (int r = 0; r < N; r++) gaps[r][0] = r < parts.train_end - L ? NAN : (float)(r % 7);
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, gaps, N, 1), &holes));
    for (int i = 0; i < 2; i++) {
        fgt_forecaster_opts o = base;
        o.output.no_linear    = i == 0;
        fgt_forecaster *f = create(&o, i == 1 ? holes : t);
        OK(fgt_forecaster_get_info(f, &info));
        assert_int_equal(info.linear, 0);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&holes);
    fgt_table_destroy(&t);
}

/* What cannot be negative has the map of all others. Only forecasts below 0 become 0. */
static void targets_that_cannot_be_negative_have_one(void **state)
{
    (void)state;
    static double       bounded[N][1];
    double              y[2][H][1], least = INFINITY;
    fgt_forecaster_opts o = {.size = sizeof o, .input_len = L, .pred_len = H, .block.kind = FGT_BLOCK_LINEAR};
    fgt_forecaster     *f[2];
    fgt_table          *t;
    fgt_metric          error[2] = {{0}};
    for (int r = 0; r < N; r++) bounded[r][0] = fmax(0, 3 * sin(r * .26) - .5 + (double)(r * 7919 % 13) / 9);
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, bounded, N, 1), &t));
    for (int i = 0; i < 2; i++) {
        o.output.non_negative = i;
        f[i]           = create(&o, t);
        OK(fgt_forecaster_evaluate(f[i], t, parts.train_end, N, &error[i]));
    }
    for (int row = L; row < N; row++) {
        for (int i = 0; i < 2; i++)
            OK(fgt_forecaster_predict_table(f[i], t, row, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[i], H, 1)));
        for (int h = 0; h < H; h++) {
            least = fmin(least, y[0][h][0]);
            assert_true(y[1][h][0] == fmax(y[0][h][0], 0));
        }
    }
    assert_true(least < 0);
    assert_true(fgt_metric_get(&error[1], FGT_METRIC_MSE) < fgt_metric_get(&error[0], FGT_METRIC_MSE));
    for (int i = 0; i < 2; i++) fgt_forecaster_destroy(&f[i]);
    fgt_table_destroy(&t);
}

/* Makes and trains a forecaster in a context of its own; returns the hash of its weights. */
static uint64_t made_with(int32_t threads, int32_t block, double y[H][C])
{
    const fgt_forecaster_opts     o    = opts_of(block);
    const fgt_forecaster_fit_opts once = {.size = sizeof once, .training.epochs = 1};
    fgt_context                  *keep = ctx;
    test_memory                   own  = {0};
    ctx                                = test_context(&own, threads);
    fgt_table      *t                  = table_of();
    fgt_forecaster *f                  = create(&o, t);
    OK(fgt_forecaster_fit(f, t, &parts, &once, NULL));
    OK(fgt_forecaster_predict_table(f, t, 450, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, H, C)));
    const uint64_t hash = fgt_model_get_hash(fgt_forecaster_get_model(f));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
    fgt_context_destroy(&ctx);
    ctx = keep;
    return hash;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    static const int32_t blocks[] = {FGT_BLOCK_LINEAR, FGT_BLOCK_FIGHTER};
    for (int i = 0; i < 2; i++) {
        double         alone[H][C], y[H][C];
        const uint64_t hash = made_with(1, blocks[i], alone);
        for (int32_t threads = 2; threads <= 5; threads += 3) {
            assert_true(made_with(threads, blocks[i], y) == hash);
            assert_memory_equal(y, alone, sizeof y);
        }
    }
}

static fgt_table *sweep_table;

static fgt_status create_once(void)
{
    const fgt_forecaster_opts o = opts_of(FGT_BLOCK_FIGHTER);
    fgt_forecaster           *f;
    const fgt_status          s = fgt_forecaster_create(ctx, sweep_table, &parts, &o, &f);
    fgt_forecaster_destroy(&f);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    sweep_table = table_of();
    SWEEP(&memory, s, 30, create_once()) NOTHING_LEAKS;
    fgt_table_destroy(&sweep_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_the_closed_form),
        cmocka_unit_test(a_linear_model_needs_no_training),
        cmocka_unit_test(training_never_loses_to_the_start),
        cmocka_unit_test(the_share_of_the_layers_is_chosen),
        cmocka_unit_test(a_share_follows_from_the_gains),
        cmocka_unit_test(files_hold_the_map),
        cmocka_unit_test(there_may_be_none),
        cmocka_unit_test(targets_that_cannot_be_negative_have_one),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
