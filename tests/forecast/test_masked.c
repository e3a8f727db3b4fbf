/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training by masked patches. */
#include <fighter/experimental/adapter.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/pretrain.h>

#include "../model_info.h"
#include "small_series.h"

#include "forecast/fit/masked_windows.h"
#include "forecast/rows/frame.h"
#include "model/access.h"

static const fgt_forecaster_fit_opts    brief  = {.size     = sizeof brief,
                                                  .training = {.epochs = 2, .seed = 1, .patience = -1}};
static const fgt_forecaster_masked_opts masked = {.size = sizeof masked, .fit = &brief};

/* Layers alone, whose first weights are random. */
static fgt_forecaster *new_layers(fgt_forecaster_opts o, const fgt_table *table)
{
    o.output.no_linear = 1;
    return new_forecaster(o, table);
}

static float first_weight(fgt_forecaster *f, const char *name)
{
    fgt_view v     = {0};
    float    w[96 * 96];
    OK(parameter_shape(fgt_forecaster_get_model(f), name, &v));
    assert_true(fgt_view_count(&v) <= (int64_t)(sizeof w / sizeof *w));
    v.data  = w;
    v.dtype = FGT_DTYPE_F32;
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(f), name, &v));
    return w[0];
}

/* ---- the windows ---- */

typedef struct drawn {
    int64_t visible[8], hidden[8];
    float   target[8 * 8 * COLUMNS];
} drawn;

static drawn draw(const fgt_source *source, int64_t window, int64_t epoch, int64_t hidden, int64_t length)
{
    drawn d;
    float x[24 * COLUMNS];
    source->begin_epoch(source->user, epoch);
    OK(source->get(source->user, &window, 1, FGT_VIEW(x, 1, 24, COLUMNS),
                   FGT_VIEW(d.target, 1, COLUMNS, hidden, length)));
    OK(source->get_value(source->user, &window, 1, FGTI_VISIBLE,
                         FGT_VIEW_OF(FGT_DTYPE_I64, d.visible, 1, 6 - hidden)));
    OK(source->get_value(source->user, &window, 1, FGTI_HIDDEN,
                         FGT_VIEW_OF(FGT_DTYPE_I64, d.hidden, 1, hidden)));
    return d;
}

/* 6 patches of 8 steps, 4 apart, of which the last one repeats the last step: a step counts where no visible
 * patch has it and the table has a value. */
static void check_targets(const drawn *d, int64_t patches, int64_t hidden, int64_t length, int64_t stride,
                          bool missing)
{
    int64_t seen = 0, counted = 0;
    bool    shown[24] = {false};
    for (int64_t i = 0; i < patches - hidden; i++) {
        seen |= INT64_C(1) << d->visible[i];
        for (int64_t k = 0; k < length; k++) shown[fgti_least(d->visible[i] * stride + k, 23)] = true;
    }
    for (int64_t i = 0; i < hidden; i++) {
        assert_false(seen >> d->hidden[i] & 1);
        seen |= INT64_C(1) << d->hidden[i];
    }
    assert_int_equal(seen, (INT64_C(1) << patches) - 1);
    for (int64_t c = 0; c < COLUMNS; c++)
        for (int64_t i = 0; i < hidden * length; i++) {
            const int64_t t = fgti_least(d->hidden[i / length] * stride + i % length, 23);
            const float   v = d->target[c * hidden * length + i];
            assert_true(shown[t] || (missing && !c) ? isnan(v) : v == 0);
            counted += v == 0;
        }
    assert_true(counted > 0);
}

static void open_windows(const fgt_table *t, fgt_forecaster *f, fgti_frame *frame, fgti_masked *m,
                         fgt_source *source)
{
    *m = (fgti_masked){.seed = 1};
    OK(fgti_masked_plan(f, 0.4, m));
    OK(fgti_frame_init(f, t, frame));
    OK(fgti_masked_init(m, f, frame, "training", 0, 120, 1, 0, source));
}

static void hidden_steps_are_the_targets(void **state)
{
    (void)state;
    for (int missing = 0; missing < 2; missing++) {
        for (int r = 0; missing && r < 60; r++) values[r][0] = NAN;
        fgt_table      *t = new_table();
        fgt_forecaster *f = new_layers((fgt_forecaster_opts){0}, t);
        fgti_masked     m;
        fgti_frame      frame;
        fgt_source      source;
        open_windows(t, f, &frame, &m, &source);
        assert_true(m.patches == 6 && m.hidden == 2 && m.length == 8 && m.stride == 4 && m.rows == 24);
        int64_t different = 0;
        for (int64_t w = 0; w < 10; w++) {
            const drawn a = draw(&source, w, 1, 2, 8), b = draw(&source, w, 2, 2, 8),
                        c = draw(&source, w, 1, 2, 8);
            check_targets(&a, 6, 2, 8, 4, missing);
            check_targets(&b, 6, 2, 8, 4, missing);
            assert_memory_equal(a.hidden, c.hidden, 2 * sizeof *a.hidden);
            different += memcmp(a.hidden, b.hidden, 2 * sizeof *a.hidden) != 0;
        }
        assert_true(different > 3);
        fgti_masked_done(&m);
        fgti_frame_done(f, &frame);
        fgt_forecaster_destroy(&f);
        fgt_table_destroy(&t);
        fill_values();
    }
}

/* ---- training ---- */

/* It trains all parameters but the last map; the scaler is no part of it either. */
static void it_trains_all_but_the_last_map(void **state)
{
    (void)state;
    fgt_table      *t = new_table();
    fgt_forecaster *f      = new_layers((fgt_forecaster_opts){.tokens.revin = 1}, t), *g;
    fgt_fit_report  report = {.size = sizeof report};
    g                      = new_layers((fgt_forecaster_opts){.tokens.revin = 1}, t);
    OK(fgt_forecaster_fit_masked(f, t, &split, &masked, &report));
    assert_int_equal(report.epochs, 2);
    assert_true(report.best_loss > 0 && report.samples == 2 * fgt_forecaster_count_windows(f, 0, 120, 1));
    static const char *const trained[] = {"embed.weight", "position.table", "blocks.0.norm.weight"};
    static const char *const left[]    = {"head.weight", "revin.weight"};
    for (size_t i = 0; i < 3; i++) assert_true(first_weight(f, trained[i]) != first_weight(g, trained[i]));
    for (size_t i = 0; i < 2; i++) assert_true(first_weight(f, left[i]) == first_weight(g, left[i]));
    for (int64_t i = 0; i < model_info(fgt_forecaster_get_model(f)).tensors; i++)
        assert_false(
            parameter_frozen(fgt_forecaster_get_model(f), parameter_name(fgt_forecaster_get_model(f), i)));
    OK(fgt_forecaster_fit(f, t, &split, &brief, NULL));
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* Patches of a sine are known from those around them: the error falls far below that of the mean, which is 1
 * where windows are normalised. */
static void hidden_patches_are_made_out(void **state)
{
    (void)state;
    fgt_forecaster_fit_opts long_run = brief;
    long_run.training.epochs         = 60;
    long_run.training.lr             = 5e-3;
    fgt_table      *t                = new_table();
    fgt_forecaster *f = new_layers((fgt_forecaster_opts){.tokens.revin = 1, .block.dropout = -1}, t);
    fgt_fit_report  report           = {.size = sizeof report};
    OK(fgt_forecaster_fit_masked(f, t, &split, &FGT_OPTS(fgt_forecaster_masked_opts, .fit = &long_run),
                                 &report));
    assert_true(report.train_loss < 0.5);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void every_recipe_is_pre_trained(void **state)
{
    (void)state;
    fgt_table           *t      = new_table();
    static const int64_t hops[] = {2};
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        const fgt_forecaster_opts o     = {.block.kind             = block,
                                           .block.layer_hops       = hops,
                                           .block.layer_hops_count = 1,
                                           .inputs.mask            = 1,
                                           .tokens.identity        = 1};
        const bool                sees = block != FGT_BLOCK_MLP && block != FGT_BLOCK_LINEAR;
        const fgt_forecaster_opts blind = {.block.kind = block, .output.no_linear = 1};
        fgt_forecaster           *f     = new_forecaster(sees ? o : blind, t);
        if (sees)
            OK(fgt_forecaster_fit_masked(f, t, &split, &masked, NULL));
        else
            REFUSED(fgt_forecaster_fit_masked(f, t, &split, &masked, NULL), FGT_E_STATE, "masked");
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static void others_are_refused(void **state)
{
    (void)state;
    fgt_table              *t = new_table();
    fgt_forecaster *f = new_layers((fgt_forecaster_opts){.tokens.kind = FGT_TOKENS_VARIATE}, t), *mean;
    fgt_forecaster_fit_opts fit = brief;
    REFUSED(fgt_forecaster_fit_masked(f, t, &split, &masked, NULL), FGT_E_STATE, "tokens are patches");
    fgt_forecaster_destroy(&f);
    f = new_layers((fgt_forecaster_opts){.block.kind = FGT_BLOCK_INFORMER, .block.layers = 2}, t);
    REFUSED(fgt_forecaster_fit_masked(f, t, &split, &masked, NULL), FGT_E_STATE, "informer");
    fgt_forecaster_destroy(&f);
    f = new_layers((fgt_forecaster_opts){0}, t);
    OK(fgt_forecaster_create_mean(ctx, &f, 1, &mean));
    REFUSED(fgt_forecaster_fit_masked(mean, t, &split, &masked, NULL), FGT_E_STATE, "mean");
    REFUSED(fgt_forecaster_set_frozen(mean, 1), FGT_E_STATE, "mean");
    fgt_forecaster_destroy(&mean);
    OK(fgt_model_add_adapter(fgt_forecaster_get_model(f), &FGT_OPTS(fgt_adapter_opts, .name = "a")));
    OK(fgt_model_set_adapter(fgt_forecaster_get_model(f), "a"));
    REFUSED(fgt_forecaster_fit_masked(f, t, &split, &masked, NULL), FGT_E_STATE, "adapter");
    OK(fgt_model_remove_adapter(fgt_forecaster_get_model(f), "a"));
    fit.loss = FGT_LOSS_L1;
    REFUSED(fgt_forecaster_fit_masked(f, t, &split, &FGT_OPTS(fgt_forecaster_masked_opts, .fit = &fit), NULL),
            FGT_E_ARG, "loss");
    REFUSED(fgt_forecaster_fit_masked(f, t, &split, &FGT_OPTS(fgt_forecaster_masked_opts, .share = 1), NULL),
            FGT_E_ARG, "share");
    REFUSED(fgt_forecaster_fit_masked(f, NULL, &split, NULL, NULL), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_forecaster_fit_masked(NULL, t, &split, NULL, NULL), FGT_E_ARG);
    assert_int_equal(fgt_forecaster_set_frozen(NULL, 1), FGT_E_ARG);
    fgt_forecaster_destroy(&f);
    f = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, t);
    REFUSED(fgt_forecaster_set_frozen(f, 1), FGT_E_STATE, "closed form");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- the same bits ---- */

static const fgt_split training = {.train_end = 120}; /* the weights of the last epoch stay */

static uint64_t hash_after(const fgt_table *t, const fgt_forecaster_fit_opts *fit, fgt_fit_report *report)
{
    fgt_forecaster *f = new_layers((fgt_forecaster_opts){.block.dropout = 0.1f}, t);
    OK(fgt_forecaster_fit_masked(f, t, &training, &FGT_OPTS(fgt_forecaster_masked_opts, .fit = fit), report));
    const uint64_t hash = fgt_model_get_hash(fgt_forecaster_get_model(f));
    fgt_forecaster_destroy(&f);
    return hash;
}

static int stop_after_first(void *user, const fgt_progress *p)
{
    (void)user;
    return p->epoch_done;
}

static void interruptions_change_nothing(void **state)
{
    (void)state;
    fgt_table              *t     = new_table();
    fgt_forecaster_fit_opts whole = brief, part = brief;
    whole.training.epochs = part.training.epochs = 3;
    fgt_fit_report report      = {.size = sizeof report};
    const uint64_t hash        = hash_after(t, &whole, NULL);
    part.training.checkpoint                     = in_directory("masked.checkpoint");
    part.training.progress                       = stop_after_first;
    assert_true(hash_after(t, &part, &report) != hash);
    assert_true(report.cancelled && report.epochs == 1);
    part.training.progress = NULL;
    part.training.resume   = part.training.checkpoint;
    assert_true(hash_after(t, &part, &report) == hash);
    assert_int_equal(report.epochs, 3);
    whole.training.seed = 9;
    assert_true(hash_after(t, &whole, NULL) != hash);
    unlink(part.training.resume);
    fgt_table_destroy(&t);
}

static void a_selector_chooses_the_windows(void **state)
{
    (void)state;
    fgt_table              *t      = new_table();
    fgt_forecaster         *f      = new_layers((fgt_forecaster_opts){0}, t);
    fgt_fit_report          report = {.size = sizeof report};
    fgt_forecaster_fit_opts fit    = brief;
    fgt_attent_opts         o      = {.size           = sizeof o,
                                      .samples        = fgt_forecaster_count_windows(f, 0, 120, 1),
                                      .count          = 10,
                                      .ratio_schedule = FGT_ATTENT_RATIO_FIXED};
    OK(fgt_attent_create(ctx, &o, &fit.training.selector));
    OK(fgt_forecaster_fit_masked(f, t, &split, &FGT_OPTS(fgt_forecaster_masked_opts, .fit = &fit), &report));
    assert_int_equal(report.samples, 2 * 10);
    fgt_attent_destroy(&fit.training.selector);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* ---- a linear probe ---- */

static void a_probe_trains_the_last_map_alone(void **state)
{
    (void)state;
    fgt_table      *t = new_table();
    for (int32_t no_linear = 0; no_linear < 2; no_linear++) {
        fgt_forecaster *f     = new_forecaster((fgt_forecaster_opts){.output.no_linear = no_linear}, t);
        const float     embed = first_weight(f, "embed.weight"), head = first_weight(f, "head.weight");
        OK(fgt_forecaster_set_frozen(f, 1));
        OK(fgt_forecaster_fit(f, t, &split, &brief, NULL));
        assert_true(first_weight(f, "embed.weight") == embed);
        if (no_linear) assert_true(first_weight(f, "head.weight") != head);
        OK(fgt_forecaster_set_frozen(f, 0));
        OK(fgt_model_set_frozen(fgt_forecaster_get_model(f), "*", 1)); /* by the host, and freed again */
        OK(fgt_forecaster_set_frozen(f, 0));
        OK(fgt_model_set_frozen(fgt_forecaster_get_model(f), "head.*", 0));
        for (int64_t i = 0; fgti_model_param(fgt_forecaster_get_model(f), i); i++) {
            const fgti_param *p = fgti_model_param(fgt_forecaster_get_model(f), i);
            assert_int_equal(p->frozen, !strncmp(p->full_name, "skip.", 5));
        }
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static void allocations_fail(void **state)
{
    (void)state;
    fgt_status              s;
    fgt_table              *t   = new_table();
    fgt_forecaster         *f   = new_layers((fgt_forecaster_opts){.block.kind = FGT_BLOCK_GCN}, t);
    fgt_forecaster_fit_opts one = brief;
    one.training.epochs         = 1;
    one.training.batch          = 32;
    const fgt_split few         = {.train_end = 40};
    const uint64_t  hash        = fgt_model_get_hash(fgt_forecaster_get_model(f));
    SWEEP(&memory, s, 30,
          fgt_forecaster_fit_masked(f, t, &few, &FGT_OPTS(fgt_forecaster_masked_opts, .fit = &one), NULL))
    {
        assert_true(fgt_model_get_hash(fgt_forecaster_get_model(f)) == hash);
        NOTHING_LEAKS;
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_steps_are_the_targets),
        cmocka_unit_test(it_trains_all_but_the_last_map),
        cmocka_unit_test(hidden_patches_are_made_out),
        cmocka_unit_test(every_recipe_is_pre_trained),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(interruptions_change_nothing),
        cmocka_unit_test(a_selector_chooses_the_windows),
        cmocka_unit_test(a_probe_trains_the_last_map_alone),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
