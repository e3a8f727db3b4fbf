/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers that are trained without the map in closed form, and mixed with it. */
#include "../model_info.h"
#include "small_series.h"

#include <string.h>

enum { L = 24, H = 8 };

static const fgt_forecaster_fit_opts apart = {
    .size = sizeof apart, .training = {.epochs = 60, .lr = 0.02, .patience = -1}, .apart = 1};

/* The next value depends on the last one, but by no line. */
static fgt_table *chaos(void)
{
    for (int c = 0; c < COLUMNS; c++) values[0][c] = 0.3 + 0.1 * c;
    for (int r = 1; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            values[r][c] = 1 - fabs(1 - 1.9 * values[r - 1][c]) * (c == 1 ? 0.9 : 1);
    return new_table();
}

static double mse_of(fgt_forecaster *f, const fgt_table *t)
{
    fgt_metric m = {0};
    OK(fgt_forecaster_evaluate(f, t, split.val_begin, split.val_end, &m));
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

enum { MOST = 2 * COLUMNS * H * L };

static int64_t copy_weights(fgt_forecaster *f, const char *name, float *out)
{
    fgt_view v = {0};
    OK(parameter_shape(fgt_forecaster_get_model(f), name, &v));
    assert_true(v.dtype == FGT_DTYPE_F32 && fgt_view_count(&v) <= MOST);
    v.data = out;
    OK(fgt_model_copy_parameter(fgt_forecaster_get_model(f), name, &v));
    return fgt_view_count(&v);
}

/* The map of `mixed` is s of the last value and 1 - s of that of `alone`, whose weights are m: the least
 * squares of a - m = s (last - m) leave nothing. Returns s. */
static double share_in(fgt_forecaster *mixed, fgt_forecaster *alone, bool past)
{
    static const char *const names[] = {"skip.weight", "skip.bias", "past_linear.weight", "past_linear.bias"};
    float                    a[MOST], m[MOST];
    double                   s = 0;
    for (int n = 0; n < (past ? 4 : 2); n++) {
        const int64_t count = copy_weights(alone, names[n], m);
        double        up = 0, down = 0;
        assert_true(copy_weights(mixed, names[n], a) == count);
        for (int64_t i = 0; i < count && !n; i++) {
            const double toward = (i % L == L - 1) - (double)m[i];
            up += ((double)a[i] - (double)m[i]) * toward;
            down += toward * toward;
        }
        if (!n) s = up / down;
        for (int64_t i = 0; i < count; i++) {
            const double last = !n && i % L == L - 1;
            assert_true(fabs((double)a[i] - (s * last + (1 - s) * (double)m[i])) < 1e-5);
        }
    }
    return s;
}

/* With and without numbers of revin, and with columns that are looked at alone. */
static void a_mix_is_no_worse_than_the_map(void **state)
{
    (void)state;
    static const char *const names[] = {"load", "\xc3\xb6l"}, *const past[] = {"a,\"b\""};
    fgt_table *t      = chaos();
    double     shares = 0;
    for (int variant = 0; variant < 3; variant++) {
        fgt_forecaster_opts o      = {.tokens.revin = variant == 1};
        fgt_fit_report      report = {.size = sizeof report};
        if (variant == 2) {
            o.inputs.targets      = names;
            o.inputs.target_count = 2;
            o.inputs.past         = past;
            o.inputs.past_count   = 1;
        }
        fgt_forecaster *f = new_forecaster(o, t), *alone = new_forecaster(o, t);
        const double    map = mse_of(alone, t);
        OK(fgt_forecaster_fit(f, t, &split, &apart, &report));
        const double s = share_in(f, alone, o.inputs.past);
        assert_true(s >= 0 && s <= 1 && report.best_loss <= map * (1 + 1e-6));
        assert_true(fabs(report.best_loss - mse_of(f, t)) < 1e-6);
        shares += s;
        /* the next training is an ordinary one, which nothing is kept from */
        OK(fgt_forecaster_fit(f, t, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1),
                              &report));
        fgt_forecaster_destroy(&alone);
        fgt_forecaster_destroy(&f);
    }
    assert_true(shares > 0.01);
    fgt_table_destroy(&t);
}

static int stop(void *user, const fgt_progress *p)
{
    (void)user;
    return !p->epoch_done;
}

static fgt_table *sweep_table;

static fgt_status fit_once(void)
{
    fgt_forecaster  *f = NULL;
    const fgt_status s = fgt_forecaster_create(
        ctx, sweep_table, &split,
        &FGT_OPTS(fgt_forecaster_opts, .input_len = L, .pred_len = H, .tokens.dim = 8, .tokens.patch = 8),
        &f);
    if (s != FGT_OK) return s;
    fgt_forecaster_fit_opts o = apart;
    o.training.epochs         = 1;
    const fgt_status fitted   = fgt_forecaster_fit(f, sweep_table, &split, &o, NULL);
    fgt_forecaster_destroy(&f);
    return fitted;
}

/* Training that ends before it has found anything leaves the map. */
static void an_early_end_leaves_the_map(void **state)
{
    (void)state;
    fgt_table              *t = chaos();
    fgt_forecaster         *f = new_forecaster((fgt_forecaster_opts){0}, t);
    fgt_fit_report          report = {.size = sizeof report};
    fgt_forecaster_fit_opts o      = apart;
    const double            map    = mse_of(f, t);
    o.training.progress            = stop;
    OK(fgt_forecaster_fit(f, t, &split, &o, &report));
    assert_true(report.cancelled && fabs(mse_of(f, t) - map) < 1e-9);
    o.training.progress = NULL;
    o.training.resume   = in_directory("nothing");
    assert_true(fgt_forecaster_fit(f, t, &split, &o, NULL) != FGT_OK);
    assert_true(fabs(mse_of(f, t) - map) < 1e-9);
    fgt_forecaster_destroy(&f);
    sweep_table = t;
    fgt_status s;
    SWEEP(&memory, s, 30, fit_once()) NOTHING_LEAKS;
    fgt_table_destroy(&t);
}

typedef struct nested {
    fgt_forecaster *f;
    fgt_table      *t;
    bool            done;
} nested;

static float *weights_of(fgt_forecaster *f, int64_t *count)
{
    fgt_view v;
    OK(fgt_model_get_weights(fgt_forecaster_get_model(f), &v));
    *count      = fgt_view_count(&v);
    float *copy = malloc((size_t)*count * sizeof *copy);
    assert_non_null(copy);
    return memcpy(copy, v.data, (size_t)*count * sizeof *copy);
}

/* Weights that a refused training must leave alone, whatever it is refused for. */
static void is_refused(fgt_forecaster *f, const fgt_table *t, const fgt_forecaster_fit_opts *o,
                       fgt_status status, const char *sentence)
{
    int64_t count;
    float  *before = weights_of(f, &count);
    REFUSED(fgt_forecaster_fit(f, t, &split, o, NULL), status, sentence);
    float *after = weights_of(f, &count);
    for (int64_t i = 0; i < count; i++) assert_true(before[i] == after[i]);
    free(after);
    free(before);
}

static int fit_again(void *user, const fgt_progress *p)
{
    nested *n = user;
    if (p->epoch < 2 || n->done) return 0;
    n->done = true;
    is_refused(n->f, n->t, &apart, FGT_E_STATE, "the training of this model");
    return 0;
}

static void a_refusal_leaves_trained_layers(void **state)
{
    (void)state;
    fgt_table              *t = chaos();
    fgt_forecaster         *f = new_forecaster((fgt_forecaster_opts){0}, t);
    fgt_forecaster_fit_opts o = apart;
    nested                  n = {f, t, false};
    const fgt_split training  = {.train_end = 120}; /* the last weights stay */
    OK(fgt_forecaster_fit(
        f, t, &training,
        &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 2, .progress = fit_again, .user = &n}),
        NULL));
    assert_true(n.done);
    o.training.resume = in_directory("nothing");
    is_refused(f, t, &o, FGT_E_IO, "nothing");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

static void it_needs_a_map_and_validation_rows(void **state)
{
    (void)state;
    static const double       quantiles[] = {0.1, 0.5, 0.9};
    const fgt_forecaster_opts without[]   = {{.output.no_linear = 1},
                                             {.output.quantiles = quantiles, .output.quantile_count = 3}};
    const fgt_split           no_rows     = {0, 160, 160, 160, 160, 200};
    fgt_table                *t           = chaos();
    for (int i = 0; i < 2; i++) {
        fgt_forecaster *f = new_forecaster(without[i], t);
        REFUSED(fgt_forecaster_fit(f, t, &split, &apart, NULL), FGT_E_ARG, "apart");
        fgt_forecaster_destroy(&f);
    }
    fgt_forecaster         *f = new_forecaster((fgt_forecaster_opts){0}, t);
    fgt_forecaster_fit_opts o = apart;
    REFUSED(fgt_forecaster_fit(f, t, &no_rows, &apart, NULL), FGT_E_ARG, "validation rows");
    OK(fgt_forecaster_update(f, t, 190, &apart, NULL)); /* goes on with what is there */
    o.apart = 2;
    REFUSED(fgt_forecaster_fit(f, t, &split, &o, NULL), FGT_E_ARG, "apart");
    o.apart    = 1;
    o.reserved = 1;
    REFUSED(fgt_forecaster_fit(f, t, &split, &o, NULL), FGT_E_VERSION, "reserved");
    fgt_forecaster_destroy(&f);
    f = new_forecaster((fgt_forecaster_opts){.block.kind = FGT_BLOCK_LINEAR}, t); /* nothing is trained */
    OK(fgt_forecaster_fit(f, t, &split, &apart, NULL));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mix_is_no_worse_than_the_map),
        cmocka_unit_test(an_early_end_leaves_the_map),
        cmocka_unit_test(a_refusal_leaves_trained_layers),
        cmocka_unit_test(it_needs_a_map_and_validation_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
