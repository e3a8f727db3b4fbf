/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that go on with the optimiser of an earlier run: the same bits as one run that has kept it. */
#include "../model_info.h"
#include "checkpoint.h"

static const fgt_optim_opts optims[] = {
    {.lr = 0.02, .weight_decay = 0.1, .clip = 0.5},
    {.lr = 0.02, .kind = FGT_OPTIM_ADAM},
    {.lr = 0.05, .kind = FGT_OPTIM_SGD, .momentum = 0.9},
};

/* Samples in their order, without validation, so that the last weights stay. */
static void init(scene *s, const fgt_optim_opts *optim, int64_t epochs)
{
    const setting set = {.optim = *optim, .strategy = -1, .epochs = epochs, .constant = true};
    scene_init(s, &set);
    s->schedule.warmup = 0;
    s->opts.no_shuffle = 1;
}

/* A scene with the weights of another one. */
static void init_after(scene *s, const scene *before, const fgt_optim_opts *optim, int64_t epochs)
{
    init(s, optim, epochs);
    fgt_view weights;
    OK(fgt_model_get_weights(before->model, &weights));
    OK(fgt_model_set_weights(s->model, &weights));
}

/* Trains for some epochs and writes `path`. */
static void train(scene *s, const fgt_optim_opts *optim, int64_t epochs)
{
    init(s, optim, epochs);
    s->opts.training.checkpoint = path;
    run(s);
}

static void test_as_one_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++) {
        scene whole, first, next, fresh;
        init(&whole, &optims[i], 5);
        const uint64_t hash = run(&whole);
        train(&first, &optims[i], 3);
        init_after(&next, &first, &optims[i], 2);
        next.opts.training.moments = path;
        assert_true(run(&next) == hash);
        assert_int_equal(next.report.epochs, 2);
        init_after(&fresh, &first, &optims[i], 2);
        assert_true(run(&fresh) != hash);
        scene_done(&fresh);
        scene_done(&next);
        scene_done(&first);
        scene_done(&whole);
    }
}

/* Three runs, each with the moments of the one before. */
static void test_chain(void **state)
{
    (void)state;
    scene whole, s, next;
    init(&whole, &optims[0], 4);
    const uint64_t hash = run(&whole);
    train(&s, &optims[0], 2);
    for (int i = 0; i < 2; i++) {
        init_after(&next, &s, &optims[0], 1);
        next.opts.training.moments = next.opts.training.checkpoint = path;
        run(&next);
        scene_done(&s);
        s = next;
    }
    assert_true(fgt_model_get_hash(s.model) == hash);
    scene_done(&s);
    scene_done(&whole);
}

typedef struct rates {
    double lr[64];
    int    count;
} rates;

static int note_rate(void *user, const fgt_progress *p)
{
    rates *r = user;
    if (!p->epoch_done && r->count < 64) r->lr[r->count++] = p->lr;
    return 0;
}

/* The new run has a learning rate and a schedule of its own, from its first step on. */
static void test_schedule_begins_anew(void **state)
{
    (void)state;
    fgt_optim_opts slow = optims[0];
    rates          with = {.count = 0}, without = {.count = 0};
    scene          first, next;
    slow.lr = 0.004;
    train(&first, &optims[0], 3);
    for (int moments = 0; moments < 2; moments++) {
        init_after(&next, &first, &slow, 2);
        next.schedule.kind = FGT_SCHEDULE_COSINE;
        next.opts.training.progress = note_rate;
        next.opts.training.user     = moments ? &with : &without;
        if (moments) next.opts.training.moments = path;
        run(&next);
        scene_done(&next);
    }
    assert_true(without.lr[0] == 0.004 && without.lr[9] < 0.0002);
    assert_int_equal(with.count, without.count);
    assert_memory_equal(with.lr, without.lr, sizeof with.lr);
    scene_done(&first);
}

/* The checkpoint of a run with moments knows where its schedule began. */
static void test_interrupted(void **state)
{
    (void)state;
    scene first, next;
    train(&first, &optims[0], 2);
    uint64_t hash[2];
    for (int stops = 0; stops < 2; stops++) {
        init_after(&next, &first, &optims[0], 4);
        next.schedule.kind = FGT_SCHEDULE_COSINE;
        next.opts.training.moments = path;
        next.opts.training.user    = &next;
        if (stops) {
            next.stop_epoch      = 3;
            next.opts.training.checkpoint = other;
            run(&next);
            assert_int_equal(next.report.epochs, 2);
            scene_done(&next);
            init(&next, &optims[0], 4);
            next.schedule.kind = FGT_SCHEDULE_COSINE;
            next.opts.training.resume = other;
        }
        hash[stops] = run(&next);
        scene_done(&next);
    }
    assert_true(hash[0] == hash[1]);
    scene_done(&first);
}

static void refused(scene *s, fgt_status status, const char *words)
{
    const uint64_t hash = fgt_model_get_hash(s->model);
    REFUSED(fgt_model_fit(s->model, &s->opts, &s->report), status, words);
    assert_true(fgt_model_get_hash(s->model) == hash);
    scene_done(s);
}

static void test_foreign(void **state)
{
    (void)state;
    scene          first, s;
    fgt_optim_opts changed = optims[0];
    train(&first, &optims[0], 2);
#define MOMENTS(optim, change, status, words) \
    init_after(&s, &first, optim, 2);         \
    s.opts.training.moments = path;           \
    change;                                   \
    refused(&s, status, words)
    MOMENTS(&optims[0], s.opts.training.resume = path, FGT_E_ARG, "resume and moments cannot be combined");
    MOMENTS(&optims[0], s.opts.training.moments = "/tmp/fgt_no_such_file", FGT_E_IO, "No such file");
    MOMENTS(&optims[1], (void)0, FGT_E_FORMAT, "\"train.optim\"");
    changed.beta1 = 0.8;
    MOMENTS(&changed, (void)0, FGT_E_FORMAT, "beta1=0.8");
    OK(fgt_model_save(first.model, FGT_TO_FILE(other)));
    MOMENTS(&optims[0], s.opts.training.moments = other, FGT_E_FORMAT, "not a checkpoint");
#undef MOMENTS
    init(&s, &optims[0], 2);
    s.opts.training.moments = path;
    refused(&s, FGT_E_FORMAT, "its moments belong to another training");
    scene_done(&first);
    /* written within an epoch */
    init(&first, &optims[0], 2);
    first.stop_epoch              = 2;
    first.opts.training.checkpoint         = path;
    first.opts.training.checkpoint_seconds = 1e-12;
    run(&first);
    init_after(&s, &first, &optims[0], 2);
    s.opts.training.moments = path;
    refused(&s, FGT_E_FORMAT, "was written within an epoch");
    scene_done(&first);
}

/* w = factor w + offset at its first element, for the k-th last parameter of a model. */
static void change(fgt_model *m, int k, float factor, float offset)
{
    static float w[1000];
    const char  *name = parameter_name(m, model_info(m).tensors - k);
    fgt_view     v    = {0};
    OK(parameter_shape(m, name, &v));
    assert_true(fgt_view_count(&v) <= 1000);
    v.data  = w;
    v.dtype = FGT_DTYPE_F32;
    OK(fgt_model_copy_parameter(m, name, &v));
    for (int64_t i = 0; i < fgt_view_count(&v); i++) w[i] *= factor;
    w[0] += offset;
    OK(fgt_model_set_parameter(m, name, &v));
}

/* A forecaster keeps a share of its last layer. */
static void test_share(void **state)
{
    (void)state;
    scene first, s;
    train(&first, &optims[0], 2);
    change(first.model, 1, 0.3F, 0);
    change(first.model, 2, 0.3F, 0);
    init_after(&s, &first, &optims[0], 2);
    s.opts.training.moments = path;
    run(&s);
    scene_done(&s);
    change(first.model, 1, 0.5F, 0); /* another share than the other one */
    init_after(&s, &first, &optims[0], 2);
    s.opts.training.moments = path;
    refused(&s, FGT_E_FORMAT, "its moments belong to another training");
    change(first.model, 1, 2, 0.5F);
    init_after(&s, &first, &optims[0], 2);
    s.opts.training.moments = path;
    refused(&s, FGT_E_FORMAT, "its moments belong to another training");
    scene_done(&first);
}

static void test_failed_allocations(void **state)
{
    (void)state;
    scene      first, s;
    fgt_status r;
    train(&first, &optims[0], 2);
    init_after(&s, &first, &optims[0], 1);
    s.opts.training.moments = path;
    const uint64_t hash = fgt_model_get_hash(s.model);
    SWEEP(&memory, r, 4, fgt_model_fit(s.model, &s.opts, &s.report))
    assert_true(fgt_model_get_hash(s.model) == hash);
    assert_true(fgt_model_get_hash(s.model) != hash);
    scene_done(&s);
    scene_done(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_one_run),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_schedule_begins_anew),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
