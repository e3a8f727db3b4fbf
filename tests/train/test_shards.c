/* SPDX-License-Identifier: BSD-3-Clause */
/* Training on shards: the weights have the same bits for any number of ranks, and are those of ordinary
 * training up to rounding; what goes wrong on one rank ends all of them, with a sentence. */
#include "team.h"

enum kind { FIGHTER, LSTM, TEXTS, WIDE };

/* Task of a rank, and its result. */
struct job {
    struct member member;
    enum kind     kind;
    int32_t       threads;
    bool          select, scored, skip_nan, missing, own_sum, alone, evaluate;
    int64_t       shards, epochs, stop_at, fail_call, fail_alloc, batch, chunk;
    double        lr, temperature;
    uint64_t      seed;
    float         dropout;
    const char   *checkpoint, *resume, *frozen;

    fgt_status     status;
    uint64_t       first, hash; /* of the weights before and after */
    char           sentence[512];
    fgt_fit_report report;
    double         loss; /* with evaluate */
    fgt_metric     metric;
    int64_t        given, left; /* samples that were read; blocks that were not released */
};

static fgt_model *new_model(fgt_context *c, const struct job *j)
{
    const enum kind      kind    = j->kind;
    const float          dropout = j->dropout > 0 ? j->dropout : 0.1f;
    const fgt_model_opts o       = {.size     = sizeof o,
                                    .batch    = 16,
                                    .time     = 6,
                                    .features = kind == TEXTS ? 0 : 3,
                                    .seed     = j->seed ? j->seed : 5};
    fgt_model           *m;
    OK_OF(c, fgt_model_create(c, &o, &m));
    if (kind == TEXTS)
        OK_OF(c, fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 300, .out = 8))));
    if (kind == WIDE) /* gradients of several buckets */
        for (int64_t out = 500; out <= 600; out += 100)
            OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = out))));
    else if (kind == LSTM)
        OK_OF(c, fgt_model_add(m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 7))));
    else
        OK_OF(c, fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 3, .heads = 2, .attn = 8,
                                                        .out = 8, .dropout = dropout))));
    OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2))));
    return m;
}

static fgt_status texts_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    struct samples *s = user;
    if (++s->calls == s->fail_call) return FGT_E_IO;
    s->given += n;
    const int64_t tokens = elements_of(x), out = elements_of(target);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < tokens; t++)
            ((int64_t *)x->data)[i * tokens + t] =
                (int64_t)(150 + 149 * (double)noise(33, index[i] * tokens + t));
        for (int64_t t = 0; t < out; t++)
            ((fgti_real *)target->data)[i * out + t] = noise(34, index[i] * out + t);
    }
    return FGT_OK;
}

static int stop_at(void *user, const fgt_progress *p)
{
    const struct job *j = user;
    return j->stop_at && p->step >= j->stop_at;
}

static fgt_fit_opts options_of(struct job *j, const fgt_source *train, const fgt_source *validation,
                               const fgt_loss_opts *loss, const fgt_optim_opts *optim, fgt_attent *selector)
{
    return (fgt_fit_opts){.size       = sizeof(fgt_fit_opts),
                          .train      = train,
                          .validation = validation,
                          .loss       = loss,
                          .optim      = optim,
                          .training   = {.selector   = selector,
                                         .seed       = 9,
                                         .epochs     = j->epochs ? j->epochs : 3,
                                         .batch      = j->batch ? j->batch : 16,
                                         .patience   = -1,
                                         .progress   = j->stop_at ? stop_at : NULL,
                                         .user       = j,
                                         .checkpoint = j->checkpoint,
                                         .resume     = j->resume,
                                         .collective = j->alone ? NULL : &j->member.with,
                                         .shards     = j->shards}};
}

/* A process that has failed is gone for the others. */
static void leave(struct team *t)
{
    pthread_mutex_lock(&t->lock);
    t->dead = true;
    pthread_cond_broadcast(&t->come);
    pthread_mutex_unlock(&t->lock);
}

static void work(struct job *j, fgt_context *c, test_memory *own)
{
    fgt_model            *m = new_model(c, j);
    struct samples        train, validation;
    const fgt_loss_opts   loss  = {.size = sizeof loss, .skip_nan = j->skip_nan};
    const fgt_optim_opts  optim = {.size = sizeof optim, .lr = j->lr > 0 ? j->lr : 0.01, .clip = 1};
    const fgt_attent_opts a        = {.size        = sizeof a,
                                      .samples     = 70,
                                      .strategy    = FGT_ATTENT_STRATEGY_SOFT,
                                      .epochs      = 4,
                                      .seed        = 4,
                                      .temperature = j->temperature};
    fgt_attent *selector = NULL;
    if (j->frozen) OK_OF(c, fgt_model_set_frozen(m, j->frozen, 1));
    samples_init(&train, 70, 0.5);
    samples_init(&validation, 37, 0.5);
    train.fail_call = j->fail_call;
    if (j->chunk) {
        train.source.chunk = j->chunk;
        train.source.pool  = 16;
    }
    if (j->missing) {
        train.nan_from  = 1;
        train.nan_every = 3;
    }
    if (j->kind == TEXTS) train.source.get = validation.source.get = texts_get;
    if (j->select) OK_OF(c, fgt_attent_create(c, &a, &selector));
    if (j->scored) OK_OF(c, fgt_attent_add(selector, &(int64_t){3}, 1, &(float){0.5f}));
    const fgt_fit_opts o = options_of(j, &train.source, &validation.source, &loss, &optim, selector);
    j->report.size       = sizeof j->report;
    own->countdown       = j->fail_alloc;
    j->first             = fgt_model_get_hash(m);
    j->status            = fgt_model_fit(m, &o, &j->report);
    j->fail_alloc        = own->countdown; /* 0: it has failed */
    own->countdown       = 0;
    if (j->status != FGT_OK) leave(j->member.team);
    snprintf(j->sentence, sizeof j->sentence, "%s", fgt_context_get_error(c));
    j->hash  = fgt_model_get_hash(m);
    if (j->evaluate && j->status == FGT_OK)
        OK_OF(c, fgt_model_evaluate_ranks(m, &validation.source, &loss, FGT_DTYPE_F32,
                                          j->alone ? NULL : &j->member.with, &j->loss, &j->metric));
    j->given = train.given;
    fgt_attent_destroy(&selector);
    fgt_model_destroy(&m);
}

static void *thread_of(void *arg)
{
    struct job  *j = arg;
    test_memory  own;
    fgt_context *c = test_context(&own, j->threads ? j->threads : 1);
    work(j, c, &own);
    fgt_context_destroy(&c);
    j->left = own.live;
    return NULL;
}

/* All ranks do the same job, but for what `differ` changes. job[0] becomes that of rank 0. */
static void run_ranks(struct job *job, int32_t ranks, struct team *t,
                      void (*differ)(struct job *, int32_t rank))
{
    pthread_t thread[RANKS_MAX];
    for (int32_t q = ranks - 1; q >= 0; q--) {
        job[q] = job[0];
        team_join(t, q, ranks, &job[q].member);
        if (job[q].own_sum) job[q].member.with.sum = team_sum;
        if (differ) differ(&job[q], q);
    }
    for (int32_t q = 0; q < ranks; q++)
        assert_int_equal(pthread_create(&thread[q], NULL, thread_of, &job[q]), 0);
    for (int32_t q = 0; q < ranks; q++) pthread_join(thread[q], NULL);
    for (int32_t q = 0; q < ranks; q++) assert_int_equal(job[q].left, 0);
}

/* The hash that all ranks end with. */
static uint64_t train(struct job job, int32_t ranks, bool lazy, fgt_fit_report *report)
{
    struct job  all[RANKS_MAX] = {job};
    struct team t;
    team_open(&t);
    t.lazy = lazy;
    run_ranks(all, ranks, &t, NULL);
    for (int32_t q = 0; q < ranks; q++) {
        if (all[q].status != FGT_OK) fail_msg("rank %d of %d: %s", q, ranks, all[q].sentence);
        assert_true(all[q].hash == all[0].hash);
        assert_true(all[q].report.best_loss == all[0].report.best_loss);
        assert_int_equal(all[q].report.samples, all[0].report.samples);
    }
    assert_int_equal(team_close(&t), 0);
    if (report) *report = all[0].report;
    return all[0].hash;
}

static void test_any_ranks(void **state)
{
    (void)state;
    static const struct job jobs[] = {
        {.kind = FIGHTER},
        {.kind = LSTM},
        {.kind = TEXTS},
        {.kind = FIGHTER, .select = true},
        {.kind = TEXTS, .select = true},
        {.kind = FIGHTER, .skip_nan = true, .missing = true},
        {.kind = WIDE, .epochs = 1},
        {.kind = TEXTS, .batch = 5}, /* some shards have no sample */
        {.kind = FIGHTER, .chunk = 3},
        {.kind = TEXTS, .epochs = 1, .frozen = "0.*"},
        {.kind = WIDE, .epochs = 1, .frozen = "1.*"},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        fgt_fit_report one, many;
        const uint64_t want  = train(jobs[i], 1, false, &one);
        struct job     alone = jobs[i];
        alone.alone          = true;
        alone.shards         = 8;
        assert_true(train(alone, 1, false, NULL) == want);
        for (int32_t ranks = 2; ranks <= RANKS_MAX; ranks++) {
            struct job job = jobs[i];
            job.threads    = 1 + ranks % 2;
            if (train(job, ranks, ranks % 2, &many) != want)
                fail_msg("job %zu: other bits with %d ranks", i, ranks);
            assert_true(many.train_loss == one.train_loss && many.best_loss == one.best_loss);
        }
    }
}

/* Losses and metrics of a source are the same for any number of ranks. */
static void test_evaluate(void **state)
{
    (void)state;
    struct job        one[1] = {{.kind = FIGHTER, .epochs = 1, .evaluate = true, .alone = true, .shards = 8}};
    struct team       t;
    team_open(&t);
    run_ranks(one, 1, &t, NULL);
    assert_int_equal(team_close(&t), 0);
    assert_true(one->metric.count == 37 * 12 && one->loss > 0);
    near(one->loss, one->metric.square / (double)one->metric.count, 1e-6 * one->loss, "loss and metric");
    for (int32_t ranks = 2; ranks <= RANKS_MAX; ranks += 3) {
        struct job many[RANKS_MAX] = {{.kind = FIGHTER, .epochs = 1, .evaluate = true}};
        team_open(&t);
        run_ranks(many, ranks, &t, NULL);
        assert_int_equal(team_close(&t), 0);
        for (int32_t q = 0; q < ranks; q++) {
            assert_int_equal(many[q].status, FGT_OK);
            assert_true(many[q].loss == one->loss);
            assert_memory_equal(&many[q].metric, &one->metric, sizeof one->metric);
        }
    }
}

/* One shard is ordinary training; more of them add in another order. Dropout draws other numbers. */
static void test_ordinary(void **state)
{
    (void)state;
    fgt_fit_report   plain, cut;
    const struct job alone = {.kind = LSTM, .alone = true};
    struct job       one = alone, eight = alone;
    one.shards          = 1;
    eight.shards        = 8;
    const uint64_t hash = train(alone, 1, false, &plain);
    assert_true(train(one, 1, false, NULL) == hash);
    (void)train(eight, 1, false, &cut);
    near(cut.best_loss, plain.best_loss, 1e-4 * plain.best_loss, "loss with shards");
    near(cut.train_loss, plain.train_loss, 1e-4 * plain.train_loss, "loss with shards");
}

static void test_own_sum(void **state)
{
    (void)state;
    for (int kind = LSTM; kind <= TEXTS; kind++) {
        fgt_fit_report   tree, own;
        const struct job job = {.kind = (enum kind)kind};
        struct job       sum = job;
        sum.own_sum          = true;
        (void)train(job, 3, false, &tree);
        (void)train(sum, 3, false, &own);
        near(own.best_loss, tree.best_loss, 1e-4 * tree.best_loss, "loss with a sum of the host's");
    }
}

/* Each rank reads its own part, and sends 2 (R-1)/R of the gradients. */
static void test_volume(void **state)
{
    (void)state;
    struct job  job[RANKS_MAX] = {{.kind = LSTM, .epochs = 1}};
    struct team t;
    team_open(&t);
    run_ranks(job, 4, &t, NULL);
    for (int q = 0; q < 4; q++) assert_in_range(job[q].given, 16, 20);
    const int64_t weights = 4 * 7 * (3 + 7) + 8 * 7 + 7 * 2 + 2, steps = 5;
    const int64_t gradients = weights * (int64_t)sizeof(fgti_real) * steps * 2 * 3 / 4;
    assert_in_range(t.sent, gradients * 9 / 10, gradients * 2);
    assert_int_equal(team_close(&t), 0);
}

/* All ranks end with the status and the sentence. */
static void expect_all(const struct job *job, int32_t ranks, fgt_status status, const char *words)
{
    for (int32_t q = 0; q < ranks; q++) {
        const bool twice = strstr(job[q].sentence, "rank 0: rank ") != NULL;
        if (job[q].status == status && strstr(job[q].sentence, words) && !twice) continue;
        fail_msg("rank %d: %s \"%s\", expected %s with \"%s\"", q, fgt_status_get_name(job[q].status),
                 job[q].sentence, fgt_status_get_name(status), words);
    }
}

static void fail_source(struct job *j, int32_t rank)
{
    if (rank == 2) j->fail_call = 4;
}
static void fail_scores(struct job *j, int32_t rank)
{
    j->select = true;
    if (rank == 2) j->fail_call = 1;
}
static void other_lr(struct job *j, int32_t rank)
{
    if (rank == 1) j->lr = 0.02;
}
static void other_model(struct job *j, int32_t rank)
{
    if (rank == 3) j->kind = LSTM;
}
static void other_shards(struct job *j, int32_t rank)
{
    if (rank == 1) j->batch = 8;
}
static void other_seed(struct job *j, int32_t rank)
{
    if (rank == 1) j->seed = 6;
}
static void other_dropout(struct job *j, int32_t rank)
{
    if (rank == 1) j->dropout = 0.3f;
}
static void other_frozen(struct job *j, int32_t rank)
{
    if (rank == 1) j->frozen = "1.*";
}
static void other_temperature(struct job *j, int32_t rank)
{
    j->select = true;
    if (rank == 1) j->temperature = 3;
}
static void other_scores(struct job *j, int32_t rank)
{
    j->select = true;
    if (rank == 1) j->scored = true;
}
static void no_selector(struct job *j, int32_t rank)
{
    j->select = rank != 1;
}
static void bad_shards(struct job *j, int32_t rank)
{
    if (rank == 1) j->shards = 3;
}
static void bad_epochs(struct job *j, int32_t rank)
{
    if (rank == 1) j->epochs = -4;
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        void (*differ)(struct job *, int32_t);
        fgt_status  status;
        const char *words;
    } cases[] = {
        {fail_source, FGT_E_IO, "rank 2: the source failed"},
        {fail_scores, FGT_E_IO, "rank 2: the source failed"},
        {other_lr, FGT_E_ARG, "the ranks differ in the optimiser: rank 0 has"},
        {other_model, FGT_E_ARG, "the ranks differ in the model"},
        {other_shards, FGT_E_ARG, "the ranks differ in options: rank 0 has \"batch=16"},
        {other_seed, FGT_E_ARG, "the ranks differ in the random numbers of dropout: rank 0 has \"seed 5"},
        {other_dropout, FGT_E_ARG, "the ranks differ in the model: its layers, options or weights"},
        {other_frozen, FGT_E_ARG, "frozen parameters: rank 0 has \"none\", rank 1 has \"1.weight 1.bias\""},
        {other_temperature, FGT_E_ARG, "the ranks differ in the selector: rank 0 has \"samples=70 epochs=4"},
        {other_scores, FGT_E_ARG, "the ranks differ in the selector's seed, groups, log or scores"},
        {no_selector, FGT_E_ARG, "rank 1 has \"none\""},
        {bad_shards, FGT_E_ARG, "rank 1: fit: shards is wrong (got 3"},
        {bad_epochs, FGT_E_ARG, "rank 1: fit: epochs is out of range (got -4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct job  job[RANKS_MAX] = {{.kind = FIGHTER}};
        struct team t;
        team_open(&t);
        run_ranks(job, 4, &t, cases[i].differ);
        expect_all(job, 4, cases[i].status, cases[i].words);
        assert_int_equal(team_close(&t), 0);
    }
}

/* Whichever exchange fails, nobody hangs, and all say so. */
static void test_broken(void **state)
{
    (void)state;
    for (int64_t k = 1; k < 2000; k += 1 + k / 3) {
        struct job  job[RANKS_MAX] = {{.kind = TEXTS, .epochs = 1}};
        struct team t;
        team_open(&t);
        t.fail_at = k;
        run_ranks(job, 3, &t, NULL);
        const bool failed = t.dead;
        (void)team_close(&t);
        if (!failed) {
            assert_true(k > 20);
            return;
        }
        expect_all(job, 3, FGT_E_IO, "the exchange with the other ranks failed: a thread is gone");
    }
    fail_msg("there is no end");
}

static int64_t failing;
static void    fail_alloc(struct job *j, int32_t rank)
{
    if (rank == 1) j->fail_alloc = failing;
}

/* Whichever allocation fails on one rank, no rank trains on. */
static void test_nomem(void **state)
{
    (void)state;
    for (failing = 1; failing < 1000; failing++) {
        struct job  job[RANKS_MAX] = {{.kind = TEXTS, .epochs = 1, .select = true}};
        struct team t;
        team_open(&t);
        run_ranks(job, 3, &t, fail_alloc);
        (void)team_close(&t);
        if (job[1].fail_alloc) {
            assert_int_equal(job[0].status, FGT_OK);
            assert_true(failing > 30);
            return;
        }
        assert_int_equal(job[1].status, FGT_E_NOMEM);
        for (int q = 0; q < 3; q += 2) assert_true(job[q].status == FGT_E_NOMEM || job[q].status == FGT_E_IO);
    }
    fail_msg("there is no end");
}

static void stop_one(struct job *j, int32_t rank)
{
    if (rank == 1) j->stop_at = 7;
}

/* Rank 0 writes; a run that was stopped goes on, on another number of ranks. Each rank has moments of its own
 * part. */
static void test_resume(void **state)
{
    (void)state;
    const char *path = "shards_checkpoint.safetensors";
    for (int kind = FIGHTER; kind <= WIDE; kind++) {
        struct job     job = {.kind = (enum kind)kind, .epochs = kind == WIDE ? 2 : 4}, part[RANKS_MAX];
        struct team    t;
        const uint64_t want = train(job, 2, false, NULL);
        job.checkpoint      = path;
        part[0]             = job;
        team_open(&t);
        run_ranks(part, 4, &t, stop_one);
        assert_int_equal(team_close(&t), 0);
        for (int q = 0; q < 4; q++) {
            assert_int_equal(part[q].status, FGT_OK);
            assert_int_equal(part[q].report.cancelled, 1);
            assert_int_equal(part[q].report.steps, part[0].report.steps);
        }
        job.resume = path;
        assert_true(train(job, 3, false, NULL) == want);
    }
    remove(path);
}

static const char *const files[] = {"shards_one.safetensors", "shards_two.safetensors", "shards_none"};
static const char       *file_of_two;
static void              other_file(struct job *j, int32_t rank)
{
    j->resume = rank == 2 ? file_of_two : files[0];
}

/* One rank has another checkpoint, or none: no rank takes anything from its own. */
static void test_resume_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        (void)train((struct job){.kind = TEXTS, .select = true, .epochs = 1 + i, .checkpoint = files[i]}, 1,
                    false, NULL);
    for (int i = 1; i < 3; i++) {
        struct job  job[RANKS_MAX] = {{.kind = TEXTS, .select = true}};
        struct team t;
        file_of_two = files[i];
        team_open(&t);
        run_ranks(job, 3, &t, other_file);
        assert_int_equal(team_close(&t), 0);
        expect_all(job, 3, i == 1 ? FGT_E_ARG : FGT_E_IO,
                   i == 1 ? "the ranks differ in the checkpoint" : "rank 2: shards_none");
        for (int q = 0; q < 3; q++) assert_true(job[q].hash == job[q].first);
    }
    remove(files[0]);
    remove(files[1]);
}

/* One process alone stops after the step that its host says, also after the last one of an epoch. */
static void test_stop(void **state)
{
    (void)state;
    for (int64_t step = 3; step <= 5; step += 2) { /* 70 samples in batches of 16: an epoch has 5 steps */
        struct job  job = {.kind = LSTM, .alone = true, .shards = 8, .stop_at = step};
        struct team t;
        team_open(&t);
        run_ranks(&job, 1, &t, NULL);
        assert_int_equal(team_close(&t), 0);
        assert_int_equal(job.status, FGT_OK);
        assert_int_equal(job.report.cancelled, 1);
        assert_int_equal(job.report.steps, step);
        assert_int_equal(job.report.epochs, 0);
    }
}

/* A gradient that is too large for a float is one rank's, and ends all before any weight changes. */
static void test_nonfinite(void **state)
{
    (void)state;
    for (int32_t ranks = 1; ranks <= RANKS_MAX; ranks += 3) {
        struct job  job[RANKS_MAX] = {{.kind = LSTM, .lr = 1e20}};
        struct team t;
        team_open(&t);
        run_ranks(job, ranks, &t, NULL);
        expect_all(job, ranks, FGT_E_NONFINITE, "the gradient of 0.weight_ih_l0 is NaN or infinite");
        for (int32_t q = 1; q < ranks; q++) assert_true(job[q].hash == job[0].hash);
        assert_int_equal(team_close(&t), 0);
    }
}

static void test_options(void **state)
{
    (void)state;
    struct job  job = {.kind = FIGHTER, .alone = true, .shards = 6};
    struct team t;
    team_open(&t);
    run_ranks(&job, 1, &t, NULL);
    expect_all(&job, 1, FGT_E_ARG, "shards is wrong (got 6, need a power of two");
    assert_int_equal(team_close(&t), 0);
    struct job many[RANKS_MAX] = {{.kind = FIGHTER, .shards = 2}};
    team_open(&t); /* the first one has been left */
    run_ranks(many, 3, &t, NULL);
    expect_all(many, 3, FGT_E_ARG, "a batch of 2 shards is too small for 3 ranks");
    assert_int_equal(team_close(&t), 0);
}

static fgt_status get_classes(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                              const fgt_view *target)
{
    (void)user;
    memset(x->data, 0, (size_t)fgt_view_count(x) * sizeof(float));
    for (int64_t i = 0, each = elements_of(target); i < n * each; i++)
        ((int64_t *)target->data)[i] = index[i / each] == 21 ? 9 : 1;
    return FGT_OK;
}

/* An evaluation names the sample, as one of a single process does. */
static void test_blames(void **state)
{
    (void)state;
    const fgt_source    source = {.size = sizeof source, .count = 40, .get = get_classes};
    const fgt_loss_opts loss   = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY};
    test_memory         own;
    fgt_context        *c = test_context(&own, 1);
    fgt_model          *m = new_model(c, &(struct job){.kind = LSTM});
    for (int metric = 0; metric < 2; metric++) {
        fgt_metric sums = {0};
        double     mean;
        assert_int_equal(
            fgt_model_evaluate_ranks(m, &source, &loss, FGT_DTYPE_I64, NULL, &mean, metric ? &sums : NULL),
            FGT_E_DATA);
        says(c, "sample 21: ");
    }
    fgt_model_destroy(&m);
    fgt_context_destroy(&c);
    assert_int_equal(own.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_ranks), cmocka_unit_test(test_evaluate),
        cmocka_unit_test(test_ordinary), cmocka_unit_test(test_own_sum),
        cmocka_unit_test(test_volume),    cmocka_unit_test(test_refused),  cmocka_unit_test(test_broken),
        cmocka_unit_test(test_nomem),     cmocka_unit_test(test_resume),   cmocka_unit_test(test_options),
        cmocka_unit_test(test_nonfinite), cmocka_unit_test(test_stop),
        cmocka_unit_test(test_resume_refused), cmocka_unit_test(test_blames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
