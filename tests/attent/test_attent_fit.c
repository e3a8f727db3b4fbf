/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection within the training loop: it does what a host would do by hand, bit for bit. */
#include "../model_info.h"
#include "../train/small_models.h"

enum { SAMPLES = 40, EPOCHS = 5 };


static fgt_attent *new_selector(fgt_context *c, int32_t strategy, int32_t scores)
{
    fgt_attent           *a;
    const fgt_attent_opts o = {.size = sizeof o, .samples = SAMPLES, .epochs = EPOCHS, .seed = 8,
                               .strategy = strategy, .scores = scores};
    OK_OF(c, fgt_attent_create(c, &o, &a));
    return a;
}

static fgt_model *new_deep(fgt_context *c)
{
    fgt_model           *m;
    const fgt_model_opts mo = {.size = sizeof mo, .batch = 12, .time = 4, .features = 20, .seed = 9};
    OK_OF(c, fgt_model_create(c, &mo, &m));
    OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 80))));
    OK_OF(c, fgt_model_add(m, fgt_activation(NULL)));
    OK_OF(c, fgt_model_add(m, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.2f))));
    OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 50))));
    return m;
}

static uint64_t fit(int32_t threads, int32_t strategy, int32_t scores, fgt_fit_report *report)
{
    test_memory    mem;
    fgt_context   *c = test_context(&mem, threads);
    fgt_model     *m = new_deep(c);
    fgt_attent    *a = new_selector(c, strategy, scores);
    struct samples train;
    samples_init(&train, SAMPLES, 1);
    const fgt_optim_opts optim = {.size = sizeof optim, .clip = 0.5};
    const fgt_fit_opts   o     = {.size     = sizeof o,
                                  .train    = &train.source,
                                  .optim    = &optim,
                                  .training = {.epochs = EPOCHS, .selector = a}};
    OK_OF(c, fgt_model_fit(m, &o, report));
    const uint64_t hash = fgt_model_get_hash(m);
    fgt_attent_destroy(&a);
    fgt_model_destroy(&m);
    fgt_context_destroy(&c);
    assert_int_equal(mem.live, 0);
    return hash;
}

/* ---- the same by hand, with the public functions alone ---- */

struct hand {
    fgt_context   *c;
    fgt_model     *m;
    fgt_optim     *optim;
    fgt_attent    *a;
    struct samples train;
    float          x[12 * 4 * 20], y[12 * 4 * 50], t[12 * 4 * 50], value[12], weight[12];
    fgt_view       vx, vy, vt;
};

static void load(struct hand *h, const int64_t *index, int64_t n)
{
    h->vx = *FGT_VIEW(h->x, n, 4, 20);
    h->vy = *FGT_VIEW(h->y, n, 4, 50);
    h->vt = *FGT_VIEW(h->t, n, 4, 50);
    OK_OF(h->c, h->train.source.get(&h->train, index, n, &h->vx, &h->vt));
}

static void by_hand(struct hand *h, int64_t *trained, bool norms)
{
    fgt_attent_subset s = {.size = sizeof s};
    double            loss;
    for (*trained = 0;; *trained += s.count) {
        fgt_loss_samples scores = {.size = sizeof scores};
        if (norms)
            scores.norm = h->value;
        else
            scores.loss = h->value;
        for (int64_t at = 0; fgt_attent_get_due(h->a) && at < SAMPLES; at += 12) {
            int64_t       index[12];
            const int64_t n = SAMPLES - at < 12 ? SAMPLES - at : 12;
            for (int64_t i = 0; i < n; i++) index[i] = at + i;
            load(h, index, n);
            OK_OF(h->c, fgt_predict(h->m, &h->vx, &h->vy));
            OK_OF(h->c, fgt_loss_compute(h->c, &h->vy, &h->vt, NULL, &scores, &loss, NULL));
            OK_OF(h->c, fgt_attent_add(h->a, index, n, h->value));
        }
        OK_OF(h->c, fgt_attent_begin_epoch(h->a, &s));
        if (s.stop) return;
        scores.weight = h->weight;
        for (int64_t at = 0; at < s.count; at += 12) {
            const int64_t n = s.count - at < 12 ? s.count - at : 12;
            load(h, s.index + at, n);
            OK_OF(h->c, fgt_attent_get_weights(h->a, s.index + at, n, h->weight));
            OK_OF(h->c, fgt_forward(h->m, &h->vx, &h->vy));
            OK_OF(h->c, fgt_loss_compute(h->c, &h->vy, &h->vt, NULL, &scores, &loss, &h->vy));
            OK_OF(h->c, fgt_attent_add(h->a, s.index + at, n, h->value));
            OK_OF(h->c, fgt_backward(h->m, &h->vy, NULL));
            OK_OF(h->c, fgt_step(h->optim));
        }
    }
}

static void test_by_hand_and_threads(void **state)
{
    (void)state;
    static struct hand h;
    static const int32_t strategies[] = {
        FGT_ATTENT_STRATEGY_SOFT,     FGT_ATTENT_STRATEGY_HARD,      FGT_ATTENT_STRATEGY_RANDOM,
        FGT_ATTENT_STRATEGY_GRADNORM, FGT_ATTENT_STRATEGY_INFOBATCH,
    };
    for (size_t each = 0; each < sizeof strategies / sizeof *strategies; each++) {
        const int32_t strategy = strategies[each];
        static const int32_t sources[] = {FGT_ATTENT_SCORES_PASS, FGT_ATTENT_SCORES_TRAINING};
        for (size_t which = 0; which < sizeof sources / sizeof *sources; which++) {
            const int32_t scores = sources[which];
            test_memory    mem;
            int64_t        trained;
            fgt_fit_report r = {.size = sizeof r};
            const uint64_t hash = fit(1, strategy, scores, &r);
            assert_true(hash == fit(2, strategy, scores, NULL) && hash == fit(3, strategy, scores, NULL));
            h = (struct hand){.c = test_context(&mem, 2)};
            h.m = new_deep(h.c);
            h.a = new_selector(h.c, strategy, scores);
            samples_init(&h.train, SAMPLES, 1);
            OK_OF(h.c, fgt_optim_create(h.m, &FGT_OPTS(fgt_optim_opts, .clip = 0.5), &h.optim));
            by_hand(&h, &trained, strategy == FGT_ATTENT_STRATEGY_GRADNORM);
            assert_true(hash == fgt_model_get_hash(h.m));
            assert_int_equal(r.samples, trained);
            assert_true(r.samples < EPOCHS * SAMPLES && r.epochs == EPOCHS && !r.stopped_early);
            fgt_optim_destroy(&h.optim);
            fgt_attent_destroy(&h.a);
            fgt_model_destroy(&h.m);
            fgt_context_destroy(&h.c);
            assert_int_equal(mem.live, 0);
        }
    }
}

/* ---- what the loop tells ---- */

struct log {
    int64_t sample[64], samples[64], steps;
    double  lr[64];
    int64_t first_calls, last_calls;
};

static int watch(void *user, const fgt_progress *p)
{
    struct log *l = user;
    l->last_calls = memory.calls;
    if (!l->first_calls) l->first_calls = memory.calls;
    if (p->epoch_done) return 0;
    l->sample[l->steps]  = p->sample;
    l->samples[l->steps] = p->samples;
    l->lr[l->steps++]    = p->lr;
    return 0;
}

/* Sizes 8, 11, 17 ... of the incremental defaults; scoring passes ask for all samples in order. */
static void test_progress(void **state)
{
    (void)state;
    fgt_model     *m = new_linear(ctx, 8, 1, 3, 2);
    fgt_attent    *a   = new_selector(ctx, FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_SCORES_PASS);
    struct log     log = {0};
    struct samples train;
    samples_init(&train, SAMPLES, 1);
    fgt_schedule_opts    schedule = {.size = sizeof schedule, .kind = FGT_SCHEDULE_COSINE};
    const fgt_optim_opts optim    = {.size = sizeof optim, .lr = 0.1, .schedule = &schedule};
    fgt_fit_opts         o        = {.size     = sizeof o,
                                     .train    = &train.source,
                                     .optim    = &optim,
                                     .training = {.progress = watch, .user = &log, .selector = a}};
    fgt_fit_report       r        = {.size = sizeof r};
    o.training.epochs             = EPOCHS;
    OK(fgt_model_fit(m, &o, &r));
    /* epochs of 8, 14, 14, 26, 26 samples in batches of 8, scored before the 1st, 2nd and 4th */
    static const int64_t sample[] = {8, 8, 14, 8, 14, 8, 16, 24, 26, 8, 16, 24, 26};
    static const int64_t samples[] = {8, 14, 14, 14, 14, 26, 26, 26, 26, 26, 26, 26, 26};
    assert_int_equal(log.steps, 13);
    assert_memory_equal(log.sample, sample, sizeof sample);
    assert_memory_equal(log.samples, samples, sizeof samples);
    assert_int_equal(r.samples, 8 + 14 + 14 + 26 + 26);
    assert_int_equal(train.given, 3 * SAMPLES + r.samples);
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(train.seen[i], i);
        assert_int_equal(train.seen[SAMPLES + 8 + i], i);
    }
    schedule.total = 13;
    for (int t = 0; t < 13; t++) {
        double want;
        OK(fgt_schedule_get(ctx, &schedule, 0.1, t, &want));
        near(log.lr[t], want, 0, "lr");
    }
    assert_int_equal(log.first_calls, log.last_calls); /* nothing is allocated in the loop */
    fgt_attent_destroy(&a);
    fgt_model_destroy(&m);
}

/* |f - f*| of a model whose mean squared error is this. */
static double distance(const fgt_model *m, double mean)
{
    fgt_view y;
    y = model_info(m).output;
    assert_true(elements_of(&y) > 1);
    return sqrt((double)(SAMPLES * elements_of(&y)) * mean);
}

/* The selector has the losses of the last pass in which a sample was. */
static void test_scores(void **state)
{
    (void)state;
    fgt_model            *m = new_linear(ctx, 8, 1, 3, 2);
    fgt_attent           *a;
    struct samples        train;
    const fgt_attent_opts ao = {.size = sizeof ao, .samples = SAMPLES, .count = SAMPLES,
                                .ratio_schedule = FGT_ATTENT_RATIO_FIXED};
    OK(fgt_attent_create(ctx, &ao, &a));
    samples_init(&train, SAMPLES, 1);
    const fgt_optim_opts optim = {.size = sizeof optim, .lr = 1e-12}; /* the model stays as it is */
    const fgt_training   once  = {.epochs = 1, .selector = a};
    const fgt_fit_opts   o = {.size = sizeof o, .train = &train.source, .optim = &optim, .training = once};
    OK(fgt_model_fit(m, &o, NULL));
    double mean;
    OK(fgt_model_evaluate(m, &train.source, NULL, FGT_DTYPE_F32, &mean, NULL));
    fgt_attent_subset s = {.size = sizeof s};
    OK(fgt_attent_begin_epoch(a, &s));
    near(s.residual, distance(m, mean), 1e-6, "residual");
    near(s.score, mean, 1e-6, "mean score");
    fgt_attent_destroy(&a);
    fgt_model_destroy(&m);
}

static void test_stop(void **state)
{
    (void)state;
    fgt_model      *m = new_linear(ctx, 8, 1, 3, 2);
    fgt_attent     *a;
    struct samples  train;
    fgt_attent_opts ao = {.size              = sizeof ao,
                          .samples           = SAMPLES,
                          .epochs            = 200,
                          .stop_below        = 0.5,
                          .strategy          = FGT_ATTENT_STRATEGY_HARD,
                          .interval_schedule = FGT_ATTENT_INTERVAL_FIXED};
    OK(fgt_attent_create(ctx, &ao, &a));
    samples_init(&train, SAMPLES, 1);
    const fgt_optim_opts optim = {.size = sizeof optim, .lr = 0.05};
    fgt_fit_opts         o     = {.size     = sizeof o,
                                  .train    = &train.source,
                                  .optim    = &optim,
                                  .training = {.epochs = 200, .selector = a}};
    fgt_fit_report r = {.size = sizeof r};
    double         mean;
    OK(fgt_model_fit(m, &o, &r));
    assert_true(r.stopped_early && r.epochs > 0 && r.epochs < 200 && r.best_epoch == r.epochs);
    OK(fgt_model_evaluate(m, &train.source, NULL, FGT_DTYPE_F32, &mean, NULL));
    assert_true(distance(m, mean) < 0.5);
    const uint64_t hash = fgt_model_get_hash(m);
    OK(fgt_model_fit(m, &o, &r)); /* there is nothing left to do */
    assert_true(r.stopped_early && r.epochs == 0 && r.steps == 0 && fgt_model_get_hash(m) == hash);
    fgt_attent_destroy(&a);

    ao.epochs = 3, ao.stop_below = 0; /* its T is over before the run's */
    OK(fgt_attent_create(ctx, &ao, &a));
    o.training.selector = a;
    OK(fgt_model_fit(m, &o, &r));
    assert_true(r.stopped_early && r.epochs == 3);
    fgt_attent_destroy(&a);
    fgt_model_destroy(&m);
}

/* An epoch whose samples all lack targets is no step; a run of such epochs has failed. */
static void test_missing_targets(void **state)
{
    (void)state;
    fgt_model            *m = new_linear(ctx, 8, 1, 3, 2);
    struct samples        train;
    fgt_attent           *a;
    const fgt_loss_opts   loss = {.size = sizeof loss, .skip_nan = 1};
    const fgt_attent_opts ao   = {.size           = sizeof ao,
                                  .samples        = SAMPLES,
                                  .count          = 1,
                                  .seed           = 3,
                                  .strategy       = FGT_ATTENT_STRATEGY_RANDOM,
                                  .ratio_schedule = FGT_ATTENT_RATIO_FIXED};
    fgt_fit_report        r    = {.size = sizeof r};
    OK(fgt_attent_create(ctx, &ao, &a));
    samples_init(&train, SAMPLES, 1);
    train.nan_every      = 2;
    const fgt_fit_opts o = {
        .size = sizeof o, .train = &train.source, .loss = &loss, .training = {.epochs = 20, .selector = a}};
    OK(fgt_model_fit(m, &o, &r));
    assert_true(r.epochs == 20 && r.steps > 0 && r.steps < 20);
    train.nan_every = 1;
    REFUSED(fgt_model_fit(m, &o, &r), FGT_E_DATA, "all targets are missing (need at least one)");
    assert_true(r.epochs == 20 && r.steps == 0);
    fgt_attent_destroy(&a);
    fgt_model_destroy(&m);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
    (void)state;
    test_memory    mem;
    fgt_context   *c = test_context(&mem, 1);
    fgt_model     *m = new_linear(ctx, 8, 1, 3, 2);
    fgt_attent    *a     = new_selector(ctx, FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_SCORES_PASS);
    fgt_attent    *other = new_selector(c, FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_SCORES_PASS);
    struct samples train;
    fgt_fit_report r = {.size = sizeof r};
    samples_init(&train, SAMPLES + 1, 1);
    fgt_fit_opts o = {
        .size = sizeof o, .train = &train.source, .training = {.epochs = EPOCHS, .selector = a}};
    REFUSED(fgt_model_fit(m, &o, &r), FGT_E_ARG,
            "the selector has the wrong size (got 40 samples, need 41 as train)");
    samples_init(&train, SAMPLES, 1);
    o.training.selector = other;
    REFUSED(fgt_model_fit(m, &o, &r), FGT_E_ARG, "another context");
    o.training.selector = a;
    train.nan_from = 13, train.nan_every = 100;
    REFUSED(fgt_model_fit(m, &o, &r), FGT_E_NONFINITE, "sample 13: mse");
    train.nan_every = 0;
    OK(fgt_model_fit(m, &o, &r)); /* the selector is as before */
    assert_int_equal(r.epochs, EPOCHS);
    fgt_attent_destroy(&a);

    a                   = new_selector(ctx, FGT_ATTENT_STRATEGY_INFOBATCH, 0);
    o.training.selector = a;
    train.nan_from = 13, train.nan_every = 100;
    REFUSED(fgt_model_fit(m, &o, &r), FGT_E_NONFINITE, "sample 13: mse");
    fgt_attent_destroy(&a);
    fgt_attent_destroy(&other);
    fgt_context_destroy(&c);
    fgt_model_destroy(&m);
}

static void test_allocations(void **state)
{
    (void)state;
    fgt_model     *m = new_linear(ctx, 8, 1, 3, 2);
    fgt_attent    *a    = new_selector(ctx, FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_SCORES_PASS);
    const uint64_t hash = fgt_model_get_hash(m);
    struct samples train;
    samples_init(&train, SAMPLES, 1);
    const fgt_fit_opts o = {
        .size = sizeof o, .train = &train.source, .training = {.epochs = EPOCHS, .selector = a}};
    fgt_status         s;
    SWEEP(&memory, s, 3, fgt_model_fit(m, &o, NULL)) assert_true(fgt_model_get_hash(m) == hash);
    assert_true(fgt_model_get_hash(m) != hash);
    fgt_attent_destroy(&a);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand_and_threads), cmocka_unit_test(test_progress),
        cmocka_unit_test(test_scores),              cmocka_unit_test(test_stop),
        cmocka_unit_test(test_missing_targets),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
