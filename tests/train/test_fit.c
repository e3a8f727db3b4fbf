/* SPDX-License-Identifier: BSD-3-Clause */
/* The training loop where all goes well: it learns, takes every sample once an epoch, keeps the best
 * epoch, tells the truth about it, and depends on seeds alone. */
#include <stdlib.h>

#include <fighter/experimental/collective.h>

#include "../model_info.h"
#include "small_models.h"

/* Values that the callback saw. */
struct log {
    fgt_progress last, epoch_done;
    fgt_model   *model;
    uint64_t     hash[64]; /* of the weights after epoch i + 1 */
    double       validation[64], lr[512];
    int64_t      steps, epochs;
};

static int watch(void *user, const fgt_progress *p)
{
    struct log *l = user;
    assert_int_equal(p->size, sizeof *p);
    assert_int_equal(p->reserved, 0);
    l->last = *p;
    if (!p->epoch_done) {
        assert_true(isnan(p->validation));
        l->lr[l->steps++] = p->lr;
        assert_int_equal(p->step, l->steps);
        return 0;
    }
    l->epoch_done            = *p;
    l->hash[l->epochs]       = l->model ? fgt_model_get_hash(l->model) : 0;
    l->validation[l->epochs] = p->validation;
    l->epochs++;
    assert_int_equal(p->epoch, l->epochs);
    assert_int_equal(p->sample, p->samples);
    return 0;
}

static void test_converges(void **state)
{
    (void)state;
    fgt_model     *m = new_linear(ctx, 16, 1, 3, 2);
    struct samples train, validation;
    struct log     log = {.model = m};
    samples_init(&train, 70, 0.5);
    samples_init(&validation, 9, 0.5);
    const fgt_optim_opts optim = {.size = sizeof optim, .lr = 0.05};
    const fgt_training   until = {.epochs = 60, .patience = -1, .progress = watch, .user = &log};
    const fgt_fit_opts   o     = {.size       = sizeof o,
                                  .train      = &train.source,
                                  .validation = &validation.source,
                                  .optim      = &optim,
                                  .training   = until};
    fgt_fit_report       r     = {.size = sizeof r};
    OK(fgt_model_fit(m, &o, &r));
    assert_int_equal(r.epochs, 60);
    assert_int_equal(r.steps, 60 * 5);
    assert_int_equal(r.samples, 60 * 70);
    assert_true(!r.cancelled && !r.stopped_early && r.seconds > 0);
    assert_true(r.train_loss < 1e-6 && r.best_loss < 1e-6);
    assert_true(log.epoch_done.loss == r.train_loss && log.epoch_done.best == r.best_loss);
    assert_true(log.hash[r.best_epoch - 1] == fgt_model_get_hash(m));
    assert_true(log.validation[r.best_epoch - 1] == r.best_loss);

    float w[2][3], b[2];
    OK(fgt_model_copy_parameter(m, "weight", FGT_VIEW(w, 2, 3)));
    OK(fgt_model_copy_parameter(m, "bias", FGT_VIEW(b, 2)));
    for (int c = 0; c < 2; c++) {
        near((double)w[c][0], 0.5, 1e-2, "weight");
        near((double)w[c][1], 1, 1e-2, "weight");
        near((double)w[c][2], 0, 1e-2, "weight");
        near((double)b[c], 0.5 * c, 1e-2, "bias");
    }
    fgt_metric metric = {0};
    double     loss;
    OK(fgt_model_evaluate(m, &validation.source, NULL, FGT_DTYPE_F32, &loss, &metric));
    assert_true(loss == r.best_loss);
    assert_int_equal(metric.count, 9 * 2);
    near(fgt_metric_get(&metric, FGT_METRIC_MSE), loss, 1e-12, "metric");
    fgt_model_destroy(&m);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_order(void **state)
{
    (void)state;
    fgt_model     *m = new_linear(ctx, 8, 1, 2, 1);
    struct samples train, again;
    samples_init(&train, 50, 1);
    samples_init(&again, 50, 1);
    fgt_fit_opts o = {.size = sizeof o, .train = &train.source, .training = {.epochs = 3, .seed = 5}};
    OK(fgt_model_fit(m, &o, NULL));
    assert_int_equal(train.calls, 3 * 7);
    assert_int_equal(train.given, 3 * 50);
    o.train = &again.source;
    OK(fgt_model_fit(m, &o, NULL));
    assert_memory_equal(train.seen, again.seen, 150 * sizeof train.seen[0]);
    samples_init(&again, 50, 1);
    o.training.seed = 6;
    OK(fgt_model_fit(m, &o, NULL));
    assert_memory_not_equal(train.seen, again.seen, 50 * sizeof train.seen[0]);
    assert_memory_not_equal(train.seen, train.seen + 50, 50 * sizeof train.seen[0]);
    for (int epoch = 0; epoch < 3; epoch++) {
        qsort(train.seen + 50 * epoch, 50, sizeof train.seen[0], by_number);
        for (int i = 0; i < 50; i++) assert_int_equal(train.seen[50 * epoch + i], i);
    }
    samples_init(&again, 50, 1);
    o.no_shuffle = 1;
    o.training.batch = 3;
    OK(fgt_model_fit(m, &o, NULL));
    assert_int_equal(again.calls, 3 * 17);
    for (int i = 0; i < 150; i++) assert_int_equal(again.seen[i], i % 50);
    fgt_model_destroy(&m);
}

/* Enough weights, rows and targets for several chunks of everything. */
static uint64_t hash_with(int32_t threads, double *loss)
{
    test_memory          mem;
    fgt_context         *c = test_context(&mem, threads);
    fgt_model           *m;
    struct samples       train, validation;
    const fgt_model_opts mo = {.size = sizeof mo, .batch = 12, .time = 12, .features = 40, .seed = 9};
    OK_OF(c, fgt_model_create(c, &mo, &m));
    OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 160))));
    OK_OF(c, fgt_model_add(m, fgt_activation(NULL)));
    OK_OF(c, fgt_model_add(m, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.2f))));
    OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 120))));
    samples_init(&train, 40, 1);
    samples_init(&validation, 13, 1);
    const fgt_optim_opts optim = {.size = sizeof optim, .clip = 0.5, .weight_decay = 0.01};
    const fgt_fit_opts   o     = {.size       = sizeof o,
                                  .train      = &train.source,
                                  .validation = &validation.source,
                                  .optim      = &optim,
                                  .training   = {.epochs = 3, .seed = 2}};
    fgt_fit_report       r     = {.size = sizeof r};
    OK_OF(c, fgt_model_fit(m, &o, &r));
    *loss               = r.best_loss;
    const uint64_t hash = fgt_model_get_hash(m);
    fgt_model_destroy(&m);
    fgt_context_destroy(&c);
    assert_int_equal(mem.live, 0);
    return hash;
}

static void test_threads(void **state)
{
    (void)state;
    double         loss[3];
    const uint64_t one = hash_with(1, &loss[0]);
    assert_true(hash_with(1, &loss[1]) == one && loss[1] == loss[0]);
    assert_true(hash_with(2, &loss[1]) == one && loss[1] == loss[0]);
    assert_true(hash_with(3, &loss[2]) == one && loss[2] == loss[0]);
}

/* Training pulls the slope from 0 to 1; validation is best on the way, near 0.3. */
static fgt_model *new_detour(struct samples *train, struct samples *validation)
{
    fgt_model  *m       = new_linear(ctx, 10, 1, 1, 1);
    const float zero[1] = {0};
    OK(fgt_model_set_parameter(m, "weight", FGT_VIEW(zero, 1, 1)));
    OK(fgt_model_set_parameter(m, "bias", FGT_VIEW(zero, 1)));
    samples_init(train, 40, 1);
    samples_init(validation, 40, 0.3);
    return m;
}

static void test_early_stop(void **state)
{
    (void)state;
    struct samples       train, validation;
    fgt_model           *m     = new_detour(&train, &validation);
    struct log           log   = {.model = m};
    const fgt_training   until = {.epochs = 50, .patience = 2, .progress = watch, .user = &log};
    const fgt_optim_opts optim = {.size = sizeof optim, .kind = FGT_OPTIM_SGD, .lr = 0.02};
    fgt_fit_opts         o     = {.size       = sizeof o,
                                  .train      = &train.source,
                                  .validation = &validation.source,
                                  .optim      = &optim,
                                  .training   = until};
    fgt_fit_report       r     = {.size = sizeof r};
    OK(fgt_model_fit(m, &o, &r));
    assert_true(r.stopped_early && !r.cancelled);
    assert_true(r.best_epoch > 1 && r.epochs == r.best_epoch + 2 && log.epochs == r.epochs);
    for (int64_t i = 0; i < log.epochs; i++) assert_true(log.validation[i] >= r.best_loss);
    assert_true(log.validation[r.best_epoch - 1] == r.best_loss);
    assert_true(log.hash[r.best_epoch - 1] == fgt_model_get_hash(m));
    assert_true(log.hash[r.epochs - 1] != fgt_model_get_hash(m));
    assert_true(log.epoch_done.best == r.best_loss);
    double loss;
    OK(fgt_model_evaluate(m, &validation.source, NULL, FGT_DTYPE_F32, &loss, NULL));
    assert_true(loss == r.best_loss);
    fgt_model_destroy(&m);

    m          = new_detour(&train, &validation);
    log        = (struct log){.model = m};
    o.training.patience = -1;
    OK(fgt_model_fit(m, &o, &r));
    assert_true(!r.stopped_early && r.epochs == 50 && r.best_epoch < 20);
    assert_true(log.hash[r.best_epoch - 1] == fgt_model_get_hash(m));
    fgt_model_destroy(&m);

    m            = new_detour(&train, &validation);
    log          = (struct log){.model = m};
    o.validation = NULL;
    o.training.epochs = 5;
    OK(fgt_model_fit(m, &o, &r));
    assert_true(r.best_epoch == 5 && isnan(r.best_loss) && log.hash[4] == fgt_model_get_hash(m));
    fgt_model_destroy(&m);
}

/* As long as no loss is clearly below the goal, as many samples as it had decide. */
static void test_goal_samples(void **state)
{
    (void)state;
    struct samples       train, validation;
    const fgt_optim_opts optim = {.size = sizeof optim, .kind = FGT_OPTIM_SGD, .lr = 0.02};
    fgt_fit_opts         o     = {.size         = sizeof o,
                                  .train        = &train.source,
                                  .validation   = &validation.source,
                                  .optim        = &optim,
                                  .training     = {.epochs = 50, .patience = -1},
                                  .goal_samples = 20};
    fgt_fit_report       whole = {.size = sizeof whole}, r = {.size = sizeof r};
    fgt_model           *m     = new_detour(&train, &validation);
    double               start;
    OK(fgt_model_evaluate(m, &validation.source, NULL, FGT_DTYPE_F32, &start, NULL));
    o.goal = start; /* the best loss is far below */
    OK(fgt_model_fit(m, &o, &whole));
    assert_true(!whole.stopped_early && whole.epochs == 50 && whole.best_loss < 0.9 * start);
    fgt_model_destroy(&m);

    m              = new_detour(&train, &validation);
    o.goal         = 1.005 * whole.best_loss; /* reached, but not clearly */
    o.goal_samples = 40 * (whole.best_epoch + 2);
    OK(fgt_model_fit(m, &o, &r));
    assert_true(r.stopped_early && r.epochs < 50 && r.best_loss <= o.goal);
    assert_true(r.best_epoch == whole.best_epoch && r.best_loss == whole.best_loss);
    assert_true(r.samples - 40 * r.best_epoch == o.goal_samples);
    fgt_model_destroy(&m);
}

/* Without an end of its own the cosine ends with the run. */
static void test_cosine_spans_the_run(void **state)
{
    (void)state;
    fgt_model     *m = new_linear(ctx, 8, 1, 2, 1);
    struct samples train;
    struct log     log = {.model = m};
    samples_init(&train, 20, 1);
    fgt_schedule_opts    s     = {.size = sizeof s, .kind = FGT_SCHEDULE_COSINE, .warmup = 2};
    const fgt_optim_opts optim = {.size = sizeof optim, .lr = 0.1, .schedule = &s};
    const fgt_fit_opts   o     = {.size     = sizeof o,
                                  .train    = &train.source,
                                  .optim    = &optim,
                                  .training = {.epochs = 4, .progress = watch, .user = &log}};
    OK(fgt_model_fit(m, &o, NULL));
    assert_int_equal(s.total, 0);
    s.total = 4 * 3;
    for (int t = 0; t < 12; t++) {
        double want;
        OK(fgt_schedule_get(ctx, &s, 0.1, t, &want));
        near(log.lr[t], want, 0, "lr");
    }
    fgt_model_destroy(&m);
}

/* Samples that are wrong. */
struct flaw {
    int64_t id, class_id; /* numbers of samples; -1: none */
    int64_t class;
};

/* Ids in, classes out: the class is the id's remainder. */
static fgt_status ids_get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *t)
{
    const struct flaw *flaw = user;
    assert_true(x->rank == 2 && x->shape[0] == n && x->shape[1] == 6 && x->dtype == FGT_DTYPE_I64);
    assert_true(t->rank == 2 && t->shape[0] == n && t->shape[1] == 6 && t->dtype == FGT_DTYPE_I64);
    for (int64_t i = 0; i < n * 6; i++) {
        const int64_t id        = (index[i / 6] * 5 + i % 6) % 12;
        ((int64_t *)x->data)[i] = id;
        ((int64_t *)t->data)[i] = id % 3;
        if (flaw && i % 6 == 5 && index[i / 6] == flaw->id) ((int64_t *)x->data)[i] = 77;
        if (flaw && i % 6 == 5 && index[i / 6] == flaw->class_id) ((int64_t *)t->data)[i] = flaw->class;
    }
    return FGT_OK;
}

static void test_classes_of_ids(void **state)
{
    (void)state;
    fgt_model           *m;
    const fgt_model_opts mo = {.size = sizeof mo, .batch = 4, .time = 6, .seed = 1};
    OK(fgt_model_create(ctx, &mo, &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 12, .out = 8))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3))));
    const fgt_source     source = {.size = sizeof source, .count = 30, .get = ids_get};
    const fgt_loss_opts  loss   = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY};
    const fgt_optim_opts optim  = {.size = sizeof optim, .lr = 0.05};
    const fgt_fit_opts   o      = {.size            = sizeof o,
                                   .train           = &source,
                                   .loss            = &loss,
                                   .optim           = &optim,
                                   .training.epochs = 20,
                                   .target_dtype    = FGT_DTYPE_I64};
    OK(fgt_model_fit(m, &o, NULL));
    fgt_metric metric = {0};
    OK(fgt_model_evaluate(m, &source, NULL, FGT_DTYPE_I64, NULL, &metric));
    assert_int_equal(metric.rows, 30 * 6);
    near(fgt_metric_get(&metric, FGT_METRIC_ACCURACY), 1, 0, "accuracy");
    fgt_model_destroy(&m);
}

/* Rows without a class count neither in the loss nor in metrics, and a loss that counts all refuses them. */
static void test_classes_are_missing(void **state)
{
    (void)state;
    struct flaw          flaw   = {-1, 27, FGT_CLASS_MISSING};
    const fgt_source     source = {.size = sizeof source, .count = 30, .get = ids_get, .user = &flaw};
    const fgt_loss_opts  all    = {.size = sizeof all, .kind = FGT_LOSS_CROSS_ENTROPY};
    const fgt_loss_opts  skip = {.size = sizeof skip, .kind = FGT_LOSS_CROSS_ENTROPY, .skip_nan = 1};
    const fgt_model_opts mo     = {.size = sizeof mo, .batch = 20, .time = 6, .seed = 1};
    fgt_metric           metric = {0};
    double               loss;
    fgt_model           *m;
    OK(model_of_layer(ctx, &mo, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 12, .out = 3)), &m));
    OK(fgt_model_evaluate(m, &source, &skip, FGT_DTYPE_I64, &loss, &metric));
    assert_int_equal(metric.rows, 30 * 6 - 1);
    OK(fgt_model_evaluate_ranks(m, &source, &skip, FGT_DTYPE_I64, NULL, &loss, &metric));
    assert_int_equal(metric.rows, 2 * (30 * 6 - 1));
    REFUSED(fgt_model_evaluate(m, &source, &all, FGT_DTYPE_I64, &loss, &metric), FGT_E_DATA,
            "got -1, need 0 .. 2");
    assert_int_equal(metric.rows, 2 * (30 * 6 - 1));
    fgt_model_destroy(&m);
}

/* A fault in a batch is said of the sample, wherever it stands in the batch. */
static void test_names_the_sample(void **state)
{
    (void)state;
    static const struct flaw flaws[]  = {{27, -1, 3}, {-1, 27, 3}};
    static const char *const words[]  = {
         "sample 27: layer 0 (embedding): id is out of range (got 77 at sample ",
         "sample 27: the class of row "};
    static const char *const places[] = {"id is out of range (got 77 at sample 7 of the batch, token 5",
                                         "row 47 of the batch is out of range (got 3"};
    const fgt_loss_opts      loss     = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY};
    const fgt_model_opts     mo       = {.size = sizeof mo, .batch = 20, .time = 6, .seed = 1};
    fgt_model               *m;
    double                   mean;
    OK(fgt_model_create(ctx, &mo, &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 12, .out = 8))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3))));
    for (int i = 0; i < 2; i++) {
        fgt_metric       metric = {0};
        struct flaw      flaw   = flaws[i];
        const fgt_source source = {.size = sizeof source, .count = 30, .get = ids_get, .user = &flaw};
        fgt_fit_opts o = {.size = sizeof o, .train = &source, .loss = &loss, .target_dtype = FGT_DTYPE_I64};
        REFUSED(fgt_model_evaluate(m, &source, &loss, FGT_DTYPE_I64, &mean, NULL), FGT_E_DATA, words[i]);
        REFUSED(fgt_model_evaluate(m, &source, NULL, FGT_DTYPE_I64, NULL, &metric), FGT_E_DATA, places[i]);
        REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_DATA, words[i]);
        o.training.shards = 2;
        REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_DATA, words[i]);
    }
    fgt_model_destroy(&m);
}

/* [n,N,T,D] goes in whatever T is; an output has no axis T of length 1. */
static fgt_status nodes_get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *t)
{
    (void)user;
    (void)index;
    assert_true(x->rank == 4 && x->shape[0] == n && x->shape[1] == 3 && x->shape[2] == 1 && x->shape[3] == 2);
    assert_true(t->rank == 3 && t->shape[0] == n && t->shape[1] == 3 && t->shape[2] == 4);
    for (int64_t i = 0; i < n * 6; i++) ((float *)x->data)[i] = noise(4, i);
    for (int64_t i = 0; i < n * 12; i++) ((float *)t->data)[i] = 0;
    return FGT_OK;
}

static void test_nodes(void **state)
{
    (void)state;
    fgt_model           *m;
    const fgt_model_opts mo = {.size = sizeof mo, .batch = 4, .nodes = 3, .features = 2};
    OK(model_of_layer(ctx, &mo, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)), &m));
    const fgt_source   source = {.size = sizeof source, .count = 6, .get = nodes_get};
    const fgt_fit_opts o      = {.size = sizeof o, .train = &source, .training.epochs = 1};
    OK(fgt_model_fit(m, &o, NULL));
    fgt_model_destroy(&m);
}

/* ---- further inputs ---- */

/* The target of sample i is 2 a + b + (3 where its id is 1), of which only x = a is the model's own input. */
static fgt_status parts_get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *t)
{
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        const float a = noise(1, index[i]), b = noise(2, index[i]);
        ((float *)x->data)[i] = a;
        ((float *)t->data)[i] = 2 * a + b + (index[i] % 2 ? 3 : 0);
    }
    return FGT_OK;
}

static fgt_status parts_value(void *user, const int64_t *index, int64_t n, const char *layer,
                              const fgt_view *value)
{
    int *fail = user;
    if (fail && --*fail == 0) return FGT_E_IO;
    assert_int_equal(value->shape[0], n);
    const bool ids = !strcmp(layer, "ids");
    assert_true(ids || !strcmp(layer, "b"));
    assert_int_equal(value->dtype, ids ? FGT_DTYPE_I64 : FGT_DTYPE_F32);
    for (int64_t i = 0; i < n; i++)
        if (ids)
            ((int64_t *)value->data)[i] = index[i] % 2;
        else
            ((float *)value->data)[i] = noise(2, index[i]);
    return FGT_OK;
}

static fgt_model *new_parts(void)
{
    fgt_model           *m;
    const fgt_model_opts mo = {.size = sizeof mo, .batch = 8, .features = 1, .seed = 2};
    OK(fgt_model_create(ctx, &mo, &m));
    OK(fgt_model_add(m, fgt_named("b", fgt_value(NULL))));
    OK(fgt_model_add(m, fgt_named("ids", fgt_value(&FGT_OPTS(fgt_value_opts, .kind = FGT_VALUE_IDS)))));
    OK(fgt_model_add_from(m,
                          fgt_named("e", fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 2, .out = 1))),
                          (const char *[]){"ids"}, 1));
    OK(fgt_model_add_from(m, fgt_named("all", fgt_concat(NULL)), (const char *[]){"", "b", "e"}, 3));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
    return m;
}

static void test_values(void **state)
{
    (void)state;
    int              fail   = 3;
    const fgt_source source = {
        .size = sizeof source, .count = 100, .get = parts_get, .get_value = parts_value};
    const fgt_source broken = {
        .size = sizeof broken, .count = 100, .get = parts_get, .get_value = parts_value, .user = &fail};
    const fgt_source     none  = {.size = sizeof none, .count = 100, .get = parts_get};
    const fgt_optim_opts optim = {.size = sizeof optim, .lr = 0.05};
    fgt_fit_opts         o     = {.size       = sizeof o,
                                  .train      = &source,
                                  .validation = &source,
                                  .optim      = &optim,
                                  .training   = {.epochs = 30, .patience = -1}};
    fgt_model           *m     = new_parts();
    double               loss;
    fail = 1;
    REFUSED(fgt_model_evaluate(m, &broken, NULL, FGT_DTYPE_F32, &loss, NULL), FGT_E_IO, "the source failed");
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1)))); /* no workspace was made for it */
    fail = 3;
    OK(fgt_model_fit(m, &o, NULL));
    OK(fgt_model_evaluate(m, &source, NULL, FGT_DTYPE_F32, &loss, NULL));
    assert_true(loss < 1e-4);
    o.train = &broken;
    REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_IO, "the source failed");
    /* afterwards the values are not set */
    REFUSED(fgt_model_evaluate(m, &none, NULL, FGT_DTYPE_F32, &loss, NULL), FGT_E_STATE, "\"b\"");
    /* the values of one source are none of the other's */
    o.train = &none;
    REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_ARG, "only the source of validation has get_value");
    o.train      = &source;
    o.validation = &none;
    REFUSED(fgt_model_fit(m, &o, NULL), FGT_E_ARG, "only the source of training has get_value");
    fgt_model_destroy(&m);
}

/* Missing targets: means over what is there, whatever the batches; batches without any are no step. */
static void test_skip_nan(void **state)
{
    (void)state;
    fgt_model          *m = new_linear(ctx, 7, 1, 2, 2);
    struct samples      train;
    const fgt_loss_opts loss = {.size = sizeof loss, .skip_nan = 1};
    double              whole, batches;
    samples_init(&train, 20, 1);
    train.nan_from = 1, train.nan_every = 3;
    fgt_model *big = new_linear(ctx, 20, 1, 2, 2);
    OK(fgt_model_evaluate(big, &train.source, &loss, FGT_DTYPE_F32, &whole, NULL));
    OK(fgt_model_evaluate(m, &train.source, &loss, FGT_DTYPE_F32, &batches, NULL));
    near(batches, whole, 1e-6, "mean");
    REFUSED(fgt_model_evaluate(m, &train.source, NULL, FGT_DTYPE_F32, &whole, NULL), FGT_E_NONFINITE,
            "is NaN");

    const fgt_fit_opts o = {.size       = sizeof o,
                            .train      = &train.source,
                            .loss       = &loss,
                            .training   = {.epochs = 2, .batch = 1},
                            .no_shuffle = 1};
    fgt_fit_report r = {.size = sizeof r};
    OK(fgt_model_fit(m, &o, &r));
    assert_int_equal(r.steps, 2 * 13);
    assert_int_equal(r.samples, 2 * 20);
    train.nan_from = 0, train.nan_every = 1;
    REFUSED(fgt_model_fit(m, &o, &r), FGT_E_DATA, "all targets");
    REFUSED(fgt_model_evaluate(m, &train.source, &loss, FGT_DTYPE_F32, &whole, NULL), FGT_E_DATA,
            "all targets");
    fgt_model_destroy(&big);
    fgt_model_destroy(&m);
}

/* A rate that is far too large does not succeed in silence, even if nothing becomes infinite. */
static void test_divergence(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct samples       train;
        fgt_fit_report       r     = {.size = sizeof r};
        fgt_model           *m     = new_linear(ctx, 8, 1, 4, 2);
        const fgt_optim_opts optim = {.size = sizeof optim, .lr = large ? 100 : 0.01};
        samples_init(&train, 40, 1);
        OK(fgt_model_fit(
            m, &FGT_OPTS(fgt_fit_opts, .train = &train.source, .optim = &optim, .training.epochs = 3), &r));
        assert_int_equal(r.diverged, large);
        assert_true(isfinite(r.train_loss));
        fgt_model_destroy(&m);
    }
}

static fgt_status get_zeros(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    (void)user, (void)index, (void)n;
    memset(x->data, 0, (size_t)fgt_view_count(x) * sizeof(float));
    memset(target->data, 0, (size_t)fgt_view_count(target) * sizeof(float));
    return FGT_OK;
}

/* Without any error from the start there is nothing to grow. */
static void test_no_error(void **state)
{
    (void)state;
    const fgt_source source          = {.size = sizeof source, .count = 8, .get = get_zeros};
    const float      none[2 * 4 + 2] = {0};
    fgt_fit_report   r               = {.size = sizeof r};
    fgt_model       *m               = new_linear(ctx, 8, 1, 4, 2);
    OK(fgt_model_set_weights(m, FGT_VIEW(none, 2 * 4 + 2)));
    OK(fgt_model_fit(m, &FGT_OPTS(fgt_fit_opts, .train = &source, .training.epochs = 2), &r));
    assert_true(r.train_loss == 0);
    assert_int_equal(r.diverged, 0);
    fgt_model_destroy(&m);
}

/* One weight of four, and targets that this weight almost gives. */
static fgt_status get_exact(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    const int64_t features = fgt_view_count(x) / n, outputs = fgt_view_count(target) / n;
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < features; k++)
            ((float *)x->data)[i * features + k] = (float)((index[i] * 7 + k * 3) % 5 - 2);
        for (int64_t k = 0; k < outputs; k++) ((float *)target->data)[i * outputs + k] = 1e-6f;
    }
    return FGT_OK;
}

/* The noise of steps is a large multiple of almost no error, and no divergence. */
static void test_exact_start(void **state)
{
    (void)state;
    const fgt_source source          = {.size = sizeof source, .count = 8, .get = get_exact};
    const float      none[2 * 4 + 2] = {0};
    for (int large = 0; large < 2; large++) {
        const fgt_optim_opts optim = {.size = sizeof optim, .lr = large ? 100 : 1e-3};
        fgt_fit_report       r     = {.size = sizeof r};
        fgt_model           *m     = new_linear(ctx, 8, 1, 4, 2);
        OK(fgt_model_set_weights(m, FGT_VIEW(none, 2 * 4 + 2)));
        OK(fgt_model_fit(
            m,
            &FGT_OPTS(fgt_fit_opts, .train = &source, .optim = &optim, .training = {.epochs = 2, .batch = 4}),
            &r));
        assert_true(r.train_loss > 1e-10);
        assert_int_equal(r.diverged, large);
        fgt_model_destroy(&m);
    }
}

/* Without an optimiser the training options have the rates of AdamW. */
static void test_rates(void **state)
{
    (void)state;
    const fgt_schedule_opts schedule = {.size = sizeof schedule, .warmup = 9};
    const fgt_optim_opts    optim    = {
              .size = sizeof optim, .lr = 0.01, .weight_decay = 0.1, .schedule = &schedule};
    const fgt_training shared = {.epochs = 4, .seed = 2, .patience = -1};
    struct samples     train;
    samples_init(&train, 70, 0.5);
    fgt_fit_opts all[4];
    for (int i = 0; i < 4; i++)
        all[i] = (fgt_fit_opts){.size = sizeof *all, .train = &train.source, .training = shared};
    all[0].optim                 = &optim;
    all[1].training.lr           = 0.01;
    all[1].training.weight_decay = 0.1;
    all[1].training.warmup       = 0.46; /* 9 of 20 steps */
    all[2].training.weight_decay = all[2].training.warmup = all[2].training.average = -1;
    uint64_t hash[4];
    for (int i = 0; i < 4; i++) {
        fgt_model *m = new_linear(ctx, 16, 1, 3, 2);
        OK(fgt_model_fit(m, &all[i], NULL));
        hash[i] = fgt_model_get_hash(m);
        fgt_model_destroy(&m);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[2] == hash[3]);
    assert_true(hash[1] != hash[2]);
    fgt_model   *m    = new_linear(ctx, 16, 1, 3, 2);
    fgt_fit_opts both = all[1];
    both.optim        = &optim;
    REFUSED(fgt_model_fit(m, &both, NULL), FGT_E_ARG, "optim");
    both                      = all[1];
    both.training.reserved[3] = 1;
    REFUSED(fgt_model_fit(m, &both, NULL), FGT_E_VERSION, "reserved");
    both                 = all[1];
    both.training.warmup = 1.5;
    REFUSED(fgt_model_fit(m, &both, NULL), FGT_E_ARG, "warmup");
    both             = all[1];
    both.training.lr = NAN;
    REFUSED(fgt_model_fit(m, &both, NULL), FGT_E_ARG, "lr");
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converges),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_goal_samples),     cmocka_unit_test(test_cosine_spans_the_run),
        cmocka_unit_test(test_classes_of_ids),   cmocka_unit_test(test_classes_are_missing),
        cmocka_unit_test(test_names_the_sample), cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_values),           cmocka_unit_test(test_skip_nan),
        cmocka_unit_test(test_divergence),       cmocka_unit_test(test_no_error),
        cmocka_unit_test(test_exact_start),      cmocka_unit_test(test_rates),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
