/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that are interrupted and resumed: the same bits as without. */
#include "checkpoint.h"
#include "core/clock.h"

static const fgt_optim_opts optims[] = {
    {.lr = 0.02, .weight_decay = 0.1, .clip = 0.5},
    {.lr = 0.02, .kind = FGT_OPTIM_ADAM},
    {.lr = 0.05, .kind = FGT_OPTIM_SGD, .momentum = 0.9},
    {.lr = 0.05, .kind = FGT_OPTIM_SGD},
};

static const struct {
    int32_t strategy, scores;
} selectors[] = {{-1, 0},
                 {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_SCORES_PASS},
                 {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_SCORES_TRAINING},
                 {FGT_ATTENT_STRATEGY_INFOBATCH, FGT_ATTENT_SCORES_TRAINING}};

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void same_report(const fgt_fit_report *a, const fgt_fit_report *b)
{
    assert_int_equal(a->epochs, b->epochs);
    assert_int_equal(a->best_epoch, b->best_epoch);
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->samples, b->samples);
    assert_true(same(a->train_loss, b->train_loss) && same(a->best_loss, b->best_loss));
    assert_int_equal(a->cancelled, b->cancelled);
    assert_int_equal(a->stopped_early, b->stopped_early);
    assert_int_equal(a->diverged, b->diverged);
}

static void test_resumed_as_uninterrupted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++)
        for (size_t k = 0; k < sizeof selectors / sizeof *selectors; k++)
            for (int validation = 0; validation < 2; validation++) {
                const setting set = {.optim = optims[i], .strategy = selectors[k].strategy,
                                     .scores = selectors[k].scores, .validation = validation};
                scene whole, s;
                scene_init(&whole, &set);
                const uint64_t hash = run(&whole);
                for (int64_t epoch = 2; epoch <= EPOCHS; epoch += 2) {
                    interrupt(&set, epoch, &s);
                    assert_true(fgt_model_get_hash(s.model) != hash && run(&s) == hash);
                    same_report(&s.report, &whole.report);
                    scene_done(&s);
                }
                scene_done(&whole);
            }
}

/* The same of a model with branches; lazy rows of a shared embedding wait as those of one that is not. */
static void test_branches(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++) {
        const setting set = {.optim = optims[i], .strategy = -1, .validation = true, .branches = true};
        scene         whole, s;
        scene_init(&whole, &set);
        const uint64_t hash = run(&whole);
        interrupt(&set, 3, &s);
        assert_true(fgt_model_get_hash(s.model) != hash && run(&s) == hash);
        same_report(&s.report, &whole.report);
        scene_done(&s);
        scene_done(&whole);
    }
}

/* The samples of the first batch are easy ones. */
static fgt_status get_apart(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    OK(get(user, index, n, x, target));
    for (int64_t i = 0; i < n * TIME * OUT; i++)
        if (index[i / (TIME * OUT)] >= BATCH) ((float *)target->data)[i] *= 30;
    return FGT_OK;
}

static void init_apart(scene *s)
{
    const setting set = {.optim = {.lr = 0.1}, .strategy = -1, .constant = true};
    scene_init(s, &set);
    s->train.get       = get_apart;
    s->opts.no_shuffle = 1;
}

/* A loss is compared with that of the run's first batch, not of the first one after the checkpoint. */
static void test_diverged(void **state)
{
    (void)state;
    scene whole, s;
    init_apart(&whole);
    run(&whole);
    assert_int_equal(whole.report.diverged, 1);
    init_apart(&s);
    s.stop_epoch      = EPOCHS;
    s.opts.training.checkpoint = path;
    run(&s);
    scene_done(&s);
    init_apart(&s);
    s.opts.training.resume = path;
    run(&s);
    same_report(&s.report, &whole.report);
    scene_done(&s);
    scene_done(&whole);
}

/* The file after the last epoch, whether it was resumed on the way or not, is of a run that is over. */
static void test_finished_and_prolonged(void **state)
{
    (void)state;
    setting set = {.optim = optims[0], .strategy = -1, .validation = true, .constant = true};
    scene   whole, s;
    scene_init(&whole, &set);
    const uint64_t hash = run(&whole);
    set.epochs          = 3;
    scene_init(&s, &set);
    s.opts.training.checkpoint       = path;
    s.opts.training.checkpoint_every = 2; /* epoch 2, and 3 because it is the last */
    const uint64_t third    = run(&s);
    scene_done(&s);
    scene_init(&s, &set);
    s.opts.training.resume     = path;
    s.opts.training.checkpoint = other; /* written, although there is nothing left to do */
    assert_true(run(&s) == third && s.report.epochs == 3);
    assert_int_equal(s.report.failed_checkpoints, 0);
    scene_done(&s);
    scene_init(&s, &set);
    s.opts.training.resume = other;
    assert_true(run(&s) == third && s.report.epochs == 3);
    scene_done(&s);
    set.epochs = EPOCHS;
    scene_init(&s, &set);
    s.opts.training.resume = path;
    assert_true(run(&s) == hash);
    same_report(&s.report, &whole.report);
    scene_done(&s);
    scene_done(&whole);
}

static int stop_after(void *user, const fgt_progress *p)
{
    return p->step >= *(const int64_t *)user;
}

/* A run that stops after some steps, with a checkpoint behind each of them. */
static void interrupt_within(const setting *set, int64_t stop)
{
    scene s;
    scene_init(&s, set);
    s.opts.training.checkpoint         = path;
    s.opts.training.checkpoint_seconds = 1e-12;
    s.opts.training.progress           = stop_after;
    s.opts.training.user               = &stop;
    run(&s);
    assert_true(s.report.cancelled);
    scene_done(&s);
}

static void test_within_an_epoch(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++)
        for (int64_t stop = 2; stop < 13; stop++) { /* an epoch has five steps */
            const setting set = {.optim = optims[i], .strategy = -1, .validation = true};
            scene         whole, s;
            scene_init(&whole, &set);
            const uint64_t hash = run(&whole);
            interrupt_within(&set, stop);
            scene_init(&s, &set);
            s.opts.training.resume = path;
            assert_true(run(&s) == hash);
            same_report(&s.report, &whole.report);
            scene_done(&s);
            scene_done(&whole);
        }
}

/* A moment for each batch. */
static fgt_status get_slowly(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                             const fgt_view *target)
{
    for (const double end = fgti_now() + 0.002; fgti_now() < end;) continue;
    return get(user, index, n, x, target);
}

static int look_for_file(void *user, const fgt_progress *p)
{
    if (p->epoch < EPOCHS && !access(path, F_OK)) *(bool *)user = true;
    return 0;
}

/* Epochs that are shorter than the time between two checkpoints add up. */
static void test_short_epochs(void **state)
{
    (void)state;
    const setting set  = {.optim = optims[0], .strategy = -1};
    bool          seen = false;
    scene         s;
    unlink(path);
    scene_init(&s, &set);
    s.train.get               = get_slowly;
    s.opts.training.checkpoint         = path;
    s.opts.training.checkpoint_every   = EPOCHS;
    s.opts.training.checkpoint_seconds = 0.002 * 12; /* an epoch has five steps */
    s.opts.training.progress           = look_for_file;
    s.opts.training.user               = &seen;
    run(&s);
    assert_true(seen);
    scene_done(&s);
}

/* With a selector a checkpoint is of whole epochs, however often one is due. */
static void test_selectors_have_whole_epochs(void **state)
{
    (void)state;
    const setting set = {.optim = optims[0], .strategy = FGT_ATTENT_STRATEGY_SOFT};
    scene         whole, s;
    scene_init(&whole, &set);
    whole.opts.training.checkpoint_seconds = 1e-12;
    const uint64_t hash           = run(&whole);
    scene_init(&s, &set);
    s.stop_epoch              = 3;
    s.opts.training.checkpoint         = path;
    s.opts.training.checkpoint_seconds = 1e-12;
    run(&s);
    scene_done(&s);
    scene_init(&s, &set);
    s.opts.training.resume = path;
    assert_true(run(&s) == hash);
    same_report(&s.report, &whole.report);
    scene_done(&s);
    scene_done(&whole);
}

/* A run that is prolonged goes on with the learning rate of its new length. */
static void test_prolonged_schedule(void **state)
{
    (void)state;
    setting set = {.optim = optims[0], .strategy = -1, .validation = true, .epochs = 3};
    scene   s;
    scene_init(&s, &set);
    s.opts.training.checkpoint = path;
    const uint64_t third = run(&s);
    scene_done(&s);
    set.epochs = EPOCHS;
    scene_init(&s, &set);
    s.opts.training.resume = path;
    assert_true(run(&s) != third && s.report.epochs == EPOCHS);
    scene_done(&s);
}

/* A warm-up that is a share of the run grows with it; one of another share is of another run. */
static void test_prolonged_warmup(void **state)
{
    (void)state;
    setting set = {.optim = optims[0], .strategy = -1, .epochs = 3}; /* 15 steps */
    scene   s;
    scene_init(&s, &set);
    s.schedule.warmup = 4; /* 0.3 of them */
    s.opts.training.checkpoint = path;
    run(&s);
    scene_done(&s);
    set.epochs = EPOCHS;
    for (int64_t warmup = 3; warmup <= 15; warmup++) {
        const bool fits = warmup == 4 || (warmup >= 7 && warmup <= 10);
        scene_init(&s, &set);
        s.schedule.warmup = warmup;
        s.opts.training.resume = path;
        if (fits)
            run(&s);
        else
            REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_FORMAT, "train.schedule");
        scene_done(&s);
    }
    set.epochs = 3; /* the same length: the same warm-up */
    scene_init(&s, &set);
    s.schedule.warmup = 5;
    s.opts.training.resume = path;
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_FORMAT, "train.schedule");
    scene_done(&s);
}

/* Weights without a validation loss are worse than any that have one, and without validation no run ends
 * early. */
static void test_validation_from_here_on(void **state)
{
    (void)state;
    setting set = {.optim = optims[0], .strategy = -1, .epochs = 2};
    scene   s;
    scene_init(&s, &set);
    s.opts.training.checkpoint = path;
    run(&s);
    scene_done(&s);
    set.epochs     = EPOCHS;
    set.validation = true;
    set.worse      = true; /* each epoch is worse than the one before */
    scene_init(&s, &set);
    s.opts.training.resume     = path;
    s.opts.training.checkpoint = other;
    s.opts.training.patience   = 2;
    run(&s);
    assert_true(s.report.stopped_early && s.report.best_epoch == 3 && s.report.epochs == 5);
    assert_true(!isnan(s.report.best_loss));
    scene_done(&s);
    set.validation = false;
    scene_init(&s, &set);
    s.opts.training.resume   = other;
    s.opts.training.patience = 2;
    run(&s);
    assert_true(!s.report.stopped_early && s.report.epochs == EPOCHS && s.report.best_epoch == EPOCHS);
    scene_done(&s);
}

/* Early stopping goes on counting where it was. */
static void test_patience(void **state)
{
    (void)state;
    const setting set = {.optim = optims[0], .strategy = -1, .validation = true, .worse = true};
    scene         whole, s;
    scene_init(&whole, &set);
    whole.opts.training.patience = 3;
    const uint64_t hash = run(&whole);
    assert_true(whole.report.stopped_early && whole.report.epochs < EPOCHS && whole.report.epochs > 2);
    interrupt(&set, 2, &s);
    s.opts.training.patience   = 3;
    s.opts.training.checkpoint = path;
    assert_true(run(&s) == hash);
    same_report(&s.report, &whole.report);
    scene_done(&s);
    scene_init(&s, &set); /* and a run that had stopped stops again */
    s.opts.training.patience = 3;
    s.opts.training.resume   = path;
    assert_true(run(&s) == hash);
    same_report(&s.report, &whole.report);
    scene_done(&s);
    scene_done(&whole);
}

/* A smaller patience ends a run within an epoch, and leaves its file to one that goes on. */
static void test_patience_within_an_epoch(void **state)
{
    (void)state;
    const setting set = {.optim = optims[0], .strategy = -1, .validation = true, .worse = true};
    scene         whole, s;
    scene_init(&whole, &set);
    const uint64_t hash = run(&whole);
    interrupt_within(&set, 17); /* an epoch has five steps */
    scene_init(&s, &set);
    s.opts.training.patience = 1;
    s.opts.training.resume = s.opts.training.checkpoint = path;
    run(&s);
    assert_true(s.report.stopped_early && s.report.epochs == 3);
    scene_done(&s);
    scene_init(&s, &set);
    s.opts.training.resume = path;
    assert_true(run(&s) == hash);
    same_report(&s.report, &whole.report);
    scene_done(&s);
    scene_done(&whole);
}

static void test_own_loop(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++) {
        const setting set = {.optim = optims[i], .strategy = FGT_ATTENT_STRATEGY_RANDOM};
        loop          a, b;
        loop_init(&a, &set);
        loop_init(&b, &set);
        steps(&a, 7); /* some rows have missed steps */
        fgt_checkpoint c = checkpoint_of(&a);
        OK(fgt_checkpoint_save(&c, path));
        steps(&a, 16);
        steps(&b, 2);
        c = checkpoint_of(&b);
        OK(fgt_checkpoint_load(&c, path));
        assert_int_equal(b.done, 7);
        steps(&b, 16);
        OK(fgt_optim_settle(a.optim));
        OK(fgt_optim_settle(b.optim));
        assert_true(fgt_model_get_hash(a.s.model) == fgt_model_get_hash(b.s.model));
        loop_done(&a);
        loop_done(&b);
    }
}

/* A rate that the host has set goes with the checkpoint. */
static void test_set_rate(void **state)
{
    (void)state;
    const setting set = {.optim = optims[0], .strategy = -1};
    loop          a, b;
    loop_init(&a, &set);
    loop_init(&b, &set);
    steps(&a, 4);
    OK(fgt_optim_set_lr(a.optim, 7e-3));
    steps(&a, 7);
    fgt_checkpoint c = checkpoint_of(&a);
    OK(fgt_checkpoint_save(&c, path));
    steps(&a, 16);
    c = checkpoint_of(&b);
    OK(fgt_checkpoint_load(&c, path));
    steps(&b, 16);
    assert_true(fgt_optim_get_lr(a.optim) == fgt_optim_get_lr(b.optim));
    OK(fgt_optim_settle(a.optim));
    OK(fgt_optim_settle(b.optim));
    assert_true(fgt_model_get_hash(a.s.model) == fgt_model_get_hash(b.s.model));
    loop_done(&a);
    loop_done(&b);
}

/* A warm-up that is a share of the steps grows with a run that is prolonged. */
static void test_share_of_warmup(void **state)
{
    (void)state;
    const setting set = {.optim = optims[0], .strategy = -1, .epochs = 3};
    scene         s;
    for (int64_t epochs = 3; epochs <= 6; epochs += 3) {
        scene_init(&s, &set);
        s.opts.optim               = NULL;
        s.opts.training.lr         = 1e-2;
        s.opts.training.warmup     = 0.3;
        s.opts.training.epochs     = epochs;
        s.opts.training.checkpoint = path;
        s.opts.training.resume     = epochs > 3 ? path : NULL;
        run(&s);
        assert_int_equal(s.report.epochs, epochs);
        scene_done(&s);
    }
}

/* The file is a model's, too: the weights after the epoch. */
static void test_as_a_model(void **state)
{
    (void)state;
    scene      s;
    fgt_model *m;
    const setting set = {.optim = optims[0], .strategy = FGT_ATTENT_STRATEGY_SOFT};
    scene_init(&s, &set);
    s.opts.training.checkpoint = path;
    const uint64_t hash = run(&s);
    OK(fgt_model_load(ctx, FGT_FROM_FILE(path), NULL, &m));
    assert_true(fgt_model_get_hash(m) == hash);
    fgt_model_destroy(&m);
    scene_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resumed_as_uninterrupted),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_finished_and_prolonged),
        cmocka_unit_test(test_within_an_epoch),
        cmocka_unit_test(test_short_epochs),
        cmocka_unit_test(test_selectors_have_whole_epochs),
        cmocka_unit_test(test_prolonged_schedule),
        cmocka_unit_test(test_prolonged_warmup),
        cmocka_unit_test(test_validation_from_here_on),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_patience_within_an_epoch),
        cmocka_unit_test(test_own_loop),
        cmocka_unit_test(test_set_rate),
        cmocka_unit_test(test_share_of_warmup),
        cmocka_unit_test(test_as_a_model),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
