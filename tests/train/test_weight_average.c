/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving averages of the weights: validated, kept and given back in place of those of the last step. */
#include "../model_info.h"
#include "small_models.h"

#include "directory.h"

enum { COUNT = 24, B = 8, EPOCHS = 4, WEIGHTS = 8 };
#define AVERAGE 0.8

static const fgt_optim_opts optim = {.size = sizeof optim, .lr = 0.05};

static fgt_model *new_model(void)
{
    return new_linear(ctx, B, 1, 3, 2);
}

static fgt_fit_opts opts_of(struct samples *train, struct samples *validation)
{
    samples_init(train, COUNT, 0.5);
    samples_init(validation, 10, 0.5);
    return (fgt_fit_opts){.size             = sizeof(fgt_fit_opts),
                          .train            = &train->source,
                          .validation       = &validation->source,
                          .optim            = &optim,
                          .training         = {.epochs = EPOCHS, .patience = -1},
                          .no_shuffle       = 1,
                          .training.average = AVERAGE};
}

static void weights_of(fgt_model *m, float out[WEIGHTS])
{
    OK(fgt_model_copy_parameter(m, "weight", FGT_VIEW(out, 2, 3)));
    OK(fgt_model_copy_parameter(m, "bias", FGT_VIEW(out + 6, 2)));
}

/* Step by step, in a loop of its own. */
static void test_average(void **state)
{
    (void)state;
    struct samples train, validation;
    fgt_fit_opts   o = opts_of(&train, &validation);
    fgt_model     *m = new_model(), *own = new_model();
    fgt_optim     *steps;
    float          x[B][1][3], y[B][1][2], dy[B][1][2], target[B][1][2], average[WEIGHTS], now[WEIGHTS];
    double         loss;
    o.validation = NULL;
    OK(fgt_model_fit(m, &o, NULL));
    OK(fgt_optim_create(own, &optim, &steps));
    weights_of(own, average);
    for (int n = 0; n < EPOCHS * COUNT / B; n++) {
        int64_t index[B];
        for (int i = 0; i < B; i++) index[i] = n * B % COUNT + i;
        OK(train.source.get(&train, index, B, FGT_VIEW(x, B, 1, 3), FGT_VIEW(target, B, 1, 2)));
        OK(fgt_forward(own, FGT_VIEW(x, B, 1, 3), FGT_VIEW(y, B, 1, 2)));
        OK(fgt_loss_mse(ctx, FGT_VIEW(y, B, 1, 2), FGT_VIEW(target, B, 1, 2), &loss, FGT_VIEW(dy, B, 1, 2)));
        OK(fgt_backward(own, FGT_VIEW(dy, B, 1, 2), NULL));
        OK(fgt_step(steps));
        weights_of(own, now);
        const double first = (2.0 + n) / (11.0 + n), d = first < AVERAGE ? first : AVERAGE;
        for (int i = 0; i < WEIGHTS; i++)
            average[i] = (float)(d * (double)average[i] + (1 - d) * (double)now[i]);
    }
    fgt_optim_destroy(&steps);
    float got[WEIGHTS];
    weights_of(m, got);
    for (int i = 0; i < WEIGHTS; i++) {
        near((double)got[i], (double)average[i], 1e-6, "average");
        assert_true(got[i] != now[i]);
    }
    fgt_model_destroy(&own);
    fgt_model_destroy(&m);
}

static void test_validated(void **state)
{
    (void)state;
    struct samples train, validation;
    fgt_fit_opts   o = opts_of(&train, &validation);
    fgt_model     *m = new_model();
    fgt_fit_report r = {.size = sizeof r};
    double         loss;
    OK(fgt_model_fit(m, &o, &r));
    OK(fgt_model_evaluate(m, &validation.source, NULL, FGT_DTYPE_F32, &loss, NULL));
    near(loss, r.best_loss, 1e-12, "validation loss");
    fgt_model_destroy(&m);
}

static int stop_in_third(void *user, const fgt_progress *p)
{
    (void)user;
    return p->epoch == 3 && !p->epoch_done;
}

/* The same bits with an interruption as without, and not on with another average. */
static void test_resumed(void **state)
{
    (void)state;
    struct samples train, validation;
    fgt_fit_opts   o    = opts_of(&train, &validation);
    fgt_model     *m    = new_model();
    const char    *path = in_directory("run");
    OK(fgt_model_fit(m, &o, NULL));
    const uint64_t hash = fgt_model_get_hash(m);
    fgt_model_destroy(&m);
    m            = new_model();
    o.training.checkpoint = path;
    o.training.progress   = stop_in_third;
    OK(fgt_model_fit(m, &o, NULL));
    fgt_model_destroy(&m);
    m          = new_model();
    o.training.progress = NULL;
    o.training.resume   = path;
    o.training.average  = 0;
    REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_FORMAT, "fit.options");
    o.training.average = AVERAGE;
    OK(fgt_model_fit(m, &o, NULL));
    assert_true(fgt_model_get_hash(m) == hash);
    fgt_model_destroy(&m);
}

static void test_refused(void **state)
{
    (void)state;
    struct samples       train, validation;
    fgt_fit_opts         o     = opts_of(&train, &validation);
    fgt_model           *m     = new_model();
    const fgt_model_opts ids   = {.size = sizeof ids, .batch = B, .time = 1};
    const double         bad[] = {1, -1.5, 2, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.training.average = bad[i];
        REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_ARG, "average");
    }
    fgt_model_destroy(&m);
    o.training.average = 0.9;
    OK(model_of_layer(ctx, &ids, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 5, .out = 2)), &m));
    REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_ARG, "embedding");
    fgt_model_destroy(&m);
}

static int open_all(void **state)
{
    return make_directory(state) || test_open(state);
}

static int close_all(void **state)
{
    return remove_directory(state) || test_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average),
        cmocka_unit_test(test_validated),
        cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
