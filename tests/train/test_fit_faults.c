/* SPDX-License-Identifier: BSD-3-Clause */
/* The training loop where something goes wrong: no memory, bad numbers, a failing source, a host that
 * has enough of it. And that nothing is allocated once it runs. */
#include "small_models.h"

/* Stops at a step or at the end of an epoch; notes the weights after each epoch and the allocations. */
struct host {
    fgt_model *model;
    int64_t    stop_step, stop_epoch; /* 0: never */
    uint64_t   after_epoch[32], after_step;
    int64_t    first_calls, last_calls; /* allocations up to the first and the last step */
};

static int watch(void *user, const fgt_progress *p)
{
    struct host *h = user;
    h->after_step = fgt_model_get_hash(h->model);
    h->last_calls = memory.calls;
    if (!h->first_calls) h->first_calls = memory.calls;
    if (p->epoch_done) h->after_epoch[p->epoch] = h->after_step;
    return p->epoch_done ? p->epoch == h->stop_epoch : p->step == h->stop_step;
}

/* 40 samples in batches of 16: 3 steps an epoch. */
struct scene {
    fgt_model     *model;
    struct samples train, validation;
    struct host    host;
    fgt_fit_opts   opts;
    fgt_fit_report report;
    uint64_t       start;
};

static void scene_init(struct scene *s)
{
    *s = (struct scene){.model = new_linear(ctx, 16, 4, 3, 2)};
    samples_init(&s->train, 40, 1);
    samples_init(&s->validation, 20, 1);
    s->host   = (struct host){.model = s->model};
    s->start  = fgt_model_get_hash(s->model);
    s->report = (fgt_fit_report){.size = sizeof s->report};
    s->opts   = (fgt_fit_opts){.size       = sizeof s->opts,
                               .train      = &s->train.source,
                               .validation = &s->validation.source,
                               .training   = {.progress = watch, .user = &s->host, .epochs = 4}};
}

static void test_no_allocation_in_the_loop(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    OK(fgt_model_fit(s.model, &s.opts, &s.report));
    assert_int_equal(s.report.steps, 12);
    assert_int_equal(s.host.first_calls, s.host.last_calls);
    fgt_model_destroy(&s.model);
}

static void test_no_allocation_by_hand(void **state)
{
    (void)state;
    static float x[4][6][3], y[4][6][2], t[4][6][2];
    fgt_model   *m = new_linear(ctx, 4, 6, 3, 2);
    fgt_optim   *optim;
    double       loss;
    int64_t      calls = 0;
    OK(fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .clip = 1), &optim));
    for (int step = 0; step < 5; step++) {
        OK(fgt_forward(m, FGT_VIEW(x, 4, 6, 3), FGT_VIEW(y, 4, 6, 2)));
        OK(fgt_loss_mse(ctx, FGT_VIEW(y, 4, 6, 2), FGT_VIEW(t, 4, 6, 2), &loss, FGT_VIEW(y, 4, 6, 2)));
        OK(fgt_backward(m, FGT_VIEW(y, 4, 6, 2), NULL));
        OK(fgt_step(optim));
        if (step == 0) calls = memory.calls;
    }
    assert_int_equal(memory.calls, calls);
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
}

static void test_cancel(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.host.stop_step = 2; /* in epoch 1: the current weights */
    OK(fgt_model_fit(s.model, &s.opts, &s.report));
    assert_true(s.report.cancelled && !s.report.stopped_early);
    assert_true(s.report.best_epoch == 0 && s.report.epochs == 0 && s.report.steps == 2);
    assert_true(fgt_model_get_hash(s.model) == s.host.after_step && s.host.after_step != s.start);
    fgt_model_destroy(&s.model);

    scene_init(&s);
    s.host.stop_step = 5; /* in epoch 2: those of epoch 1 */
    OK(fgt_model_fit(s.model, &s.opts, &s.report));
    assert_true(s.report.cancelled && s.report.best_epoch == 1 && s.report.epochs == 1);
    assert_true(fgt_model_get_hash(s.model) == s.host.after_epoch[1] && s.report.samples == 40 + 32);
    s.host.stop_step = 0; /* and it trains on */
    OK(fgt_model_fit(s.model, &s.opts, &s.report));
    assert_true(!s.report.cancelled && s.report.epochs == 4);
    fgt_model_destroy(&s.model);

    scene_init(&s);
    s.host.stop_epoch = 2;
    s.opts.validation = NULL;
    OK(fgt_model_fit(s.model, &s.opts, &s.report));
    assert_true(s.report.cancelled && s.report.best_epoch == 2 && s.report.epochs == 2);
    assert_true(fgt_model_get_hash(s.model) == s.host.after_epoch[2]);
    fgt_model_destroy(&s.model);
}

static void test_nan_target(void **state)
{
    (void)state;
    struct scene s;
    char         want[80];
    scene_init(&s);
    s.train.nan_call = 2; /* the second batch */
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_NONFINITE,
            "epoch 1, after step 1: sample ");
    snprintf(want, sizeof want, "sample %d: mse: element 0 of the target is NaN", (int)s.train.seen[16]);
    assert_non_null(strstr(fgt_context_get_error(ctx), want));
    assert_true(fgt_model_get_hash(s.model) == s.host.after_step && s.report.best_epoch == 0);
    fgt_model_destroy(&s.model);

    scene_init(&s);
    s.train.nan_call = 3 + 3; /* the last batch of epoch 2: back to epoch 1 */
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_NONFINITE, "epoch 2, after step 5");
    assert_true(fgt_model_get_hash(s.model) == s.host.after_epoch[1]);
    assert_true(s.report.best_epoch == 1 && s.report.steps == 5 && !s.report.cancelled);
    fgt_model_destroy(&s.model);

    scene_init(&s);
    s.validation.nan_call = 2 + 2; /* in the validation after epoch 2 */
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_NONFINITE, "epoch 2, after step 6");
    assert_true(fgt_model_get_hash(s.model) == s.host.after_epoch[1]);
    fgt_model_destroy(&s.model);
}

/* The learning rate is so large that the second pass leaves the range of float. */
static void test_divergence(void **state)
{
    (void)state;
    struct scene         s;
    const fgt_optim_opts wild = {.size = sizeof wild, .kind = FGT_OPTIM_SGD, .lr = 1e38};
    scene_init(&s);
    s.opts.optim = &wild;
    assert_int_equal(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_NONFINITE);
    says(ctx, "epoch 1");
    assert_int_equal(s.report.best_epoch, 0);
    fgt_model_destroy(&s.model);
}

/* A source with a sentence of its own, as the library's are. */
static fgt_status talking_get(void *user, const int64_t *i, int64_t n, const fgt_view *x, const fgt_view *t)
{
    (void)user, (void)i, (void)n, (void)x, (void)t;
    return fgti_fail(&ctx->error, FGT_E_DATA, "the drawer is empty");
}

/* A source with a status that the library does not know. */
static fgt_status unknown_get(void *user, const int64_t *i, int64_t n, const fgt_view *x, const fgt_view *t)
{
    (void)user, (void)i, (void)n, (void)x, (void)t;
    return (fgt_status)77;
}

static void test_source_fails(void **state)
{
    (void)state;
    struct scene s;
    scene_init(&s);
    s.train.fail_call = 3 + 2;
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_IO, "the source failed with -8 (FGT_E_IO)");
    assert_true(fgt_model_get_hash(s.model) == s.host.after_epoch[1] && s.report.best_epoch == 1);
    s.train.fail_call      = 0;
    s.validation.calls     = 0;
    s.validation.fail_call = 1;
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_IO, "sample 0");
    assert_int_equal(s.report.best_epoch, 0);
    s.train.source.get = talking_get;
    assert_int_equal(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_DATA);
    assert_string_equal(fgt_context_get_error(ctx), "the drawer is empty");
    s.train.source.get = unknown_get;
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), 77, "the source failed with 77 (unknown status)");
    s.train.source.get = talking_get;
    double loss = 7;
    assert_int_equal(fgt_model_evaluate(s.model, &s.train.source, NULL, FGT_DTYPE_F32, &loss, NULL),
                     FGT_E_DATA);
    assert_true(loss == 7);
    fgt_model_destroy(&s.model);
}

static void test_refusals(void **state)
{
    (void)state;
    struct scene        s;
    const fgt_loss_opts ce = {.size = sizeof ce, .kind = FGT_LOSS_CROSS_ENTROPY};
    scene_init(&s);
    fgt_source no_get = s.train.source, no_samples = s.train.source;
    no_get.get       = NULL;
    no_samples.count = 0;
    const fgt_schedule_opts late = {.size = sizeof late, .kind = FGT_SCHEDULE_COSINE, .warmup = 12};
    const fgt_optim_opts    optim = {.size = sizeof optim, .schedule = &late};
#define WITH(...) {.size = sizeof(fgt_fit_opts), .train = &s.train.source, __VA_ARGS__}
    const struct {
        fgt_fit_opts opts;
        const char  *word;
    } bad[] = {
        {{.size = sizeof(fgt_fit_opts)}, "train is NULL"},
        {WITH(.training.epochs = -1), "epochs"},
        {WITH(.training.batch = 17), "batch is out of range (got 17"},
        {WITH(.training.batch = -1), "batch"},
        {WITH(.training.patience = -2), "patience"},
        {WITH(.no_shuffle = 2), "no_shuffle"},
        {WITH(.target_dtype = FGT_DTYPE_F64), "target_dtype is wrong (got F64"},
        {WITH(.target_dtype = FGT_DTYPE_I64), "mse needs target_dtype F32"},
        {WITH(.loss = &ce), "cross entropy needs target_dtype I64"},
        {WITH(.optim = &optim, .training.epochs = 4), "warm-up"},
        {WITH(.validation = &no_get), "validation"},
        {WITH(.validation = &no_samples), "count of the source is out of range (got 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(fgt_model_fit(s.model, &bad[i].opts, &s.report), FGT_E_ARG, bad[i].word);
    assert_int_equal(fgt_model_fit(NULL, &s.opts, NULL), FGT_E_ARG);
    REFUSED(fgt_model_fit(s.model, &s.opts, &(fgt_fit_report){0}), FGT_E_VERSION,
            "fgt_fit_report: size is 0");
    REFUSED(fgt_model_fit(s.model, &(fgt_fit_opts){0}, NULL), FGT_E_VERSION, "size");
    assert_int_equal(fgt_model_evaluate(NULL, &s.train.source, NULL, FGT_DTYPE_F32, NULL, NULL), FGT_E_ARG);
    REFUSED(fgt_model_evaluate(s.model, &no_get, NULL, FGT_DTYPE_F32, NULL, NULL), FGT_E_ARG,
            "get of the source is NULL");
    REFUSED(fgt_model_evaluate(s.model, &s.train.source, NULL, 9, NULL, NULL), FGT_E_ARG, "F32");
    assert_true(fgt_model_get_hash(s.model) == s.start && s.report.size == sizeof s.report);
    fgt_model_destroy(&s.model);
    OK(fgt_model_create(ctx, NULL, &s.model));
    REFUSED(fgt_model_fit(s.model, &s.opts, NULL), FGT_E_STATE, "parameters");
    fgt_model_destroy(&s.model);
}

/* The k-th allocation fails, k = 1, 2, ... until all goes well. */
static void test_no_memory(void **state)
{
    (void)state;
    struct scene s;
    fgt_optim   *optim;
    int64_t      k;
    for (int round = 0; round < 3; round++) {
        scene_init(&s);
        const int64_t live = memory.live;
        fgt_status    status = FGT_E_NOMEM;
        for (k = 1; status == FGT_E_NOMEM; k++) {
            memory.countdown     = k;
            const int64_t before = memory.live;
            if (round == 0) status = fgt_optim_create(s.model, &FGT_OPTS(fgt_optim_opts, .kind = 0), &optim);
            if (round == 1) status = fgt_model_fit(s.model, &s.opts, &s.report);
            if (round == 2)
                status = fgt_model_evaluate(s.model, &s.train.source, NULL, FGT_DTYPE_F32, NULL, NULL);
            memory.countdown = 0;
            if (status == FGT_OK) break;
            says(ctx, "no memory");
            assert_int_equal(status, FGT_E_NOMEM);
            assert_true(memory.live - before <= 4); /* gradients and workspace are the model's and may stay */
            if (round == 0) assert_null(optim);
            assert_true(fgt_model_get_hash(s.model) == s.start && s.report.epochs == 0);
        }
        assert_int_equal(status, FGT_OK);
        assert_true(k > 2 && memory.live >= live);
        if (round == 0) fgt_optim_destroy(&optim);
        OK(fgt_model_fit(s.model, &s.opts, &s.report));
        assert_int_equal(s.report.epochs, 4);
        fgt_model_destroy(&s.model);
        assert_true(memory.live < live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_allocation_in_the_loop),
        cmocka_unit_test(test_no_allocation_by_hand),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_nan_target),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_source_fails),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
