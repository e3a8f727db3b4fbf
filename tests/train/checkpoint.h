/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TRAIN_CHECKPOINT_H
#define TESTS_TRAIN_CHECKPOINT_H

/* Parts that the tests of checkpoints share: runs with all that has a state. */

#include <stdio.h>
#include <unistd.h>

#include "small_models.h"

enum { SAMPLES = 36, BATCH = 8, TIME = 4, VOCAB = 30, OUT = 3, EPOCHS = 6 };

static char          path[64], other[64];

static inline int setup(void **state)
{
    (void)state;
    test_open_threads(2);
    snprintf(path, sizeof path, "/tmp/fgt_checkpoint_%ld", (long)getpid());
    snprintf(other, sizeof other, "/tmp/fgt_checkpoint_%ld_b", (long)getpid());
    return 0;
}

static inline int teardown(void **state)
{
    unlink(path);
    unlink(other);
    return test_close(state);
}

/* ---- a run: lazily updated rows, dropout, a schedule, a selector ---- */

/* Ids by number; most rows of the embedding are rare. user: the sign of the targets; NULL: 1. */
static inline fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                             const fgt_view *target)
{
    const fgti_real sign = user ? *(const fgti_real *)user : 1;
    for (int64_t i = 0; i < n * TIME; i++) {
        const int64_t k         = index[i / TIME] * TIME + i % TIME;
        fgti_real    *t         = (fgti_real *)target->data + i * OUT;
        ((int64_t *)x->data)[i] = k * k % 7 * (k % 4) % VOCAB;
        for (int64_t c = 0; c < OUT; c++) t[c] = sign * (1 + noise(5, k * OUT + c));
    }
    return FGT_OK;
}

typedef struct setting {
    fgt_optim_opts optim;
    int64_t        epochs;
    int32_t        strategy; /* -1: no selector */
    int32_t        scores;
    bool           validation, constant, worse; /* worse: what is learned is wrong for validation */
    bool           branches;                    /* a residual path, and the embedding shared */
} setting;

typedef struct scene {
    fgt_model        *model;
    fgt_attent       *selector;
    fgt_source        train, validation;
    fgt_optim_opts    optim;
    fgt_schedule_opts schedule;
    fgt_fit_opts      opts;
    fgt_fit_report    report;
    int64_t           stop_epoch; /* in its middle; 0: never */
} scene;

static inline int stop(void *user, const fgt_progress *p)
{
    const scene *s = user;
    return !p->epoch_done && p->epoch == s->stop_epoch && p->sample >= p->samples / 2;
}

static inline void add_branches(fgt_model *m)
{
    OK(fgt_model_add_from(m, fgt_named("again", fgt_shared("0")), (const char *[]){""}, 1));
    OK(fgt_model_add(m, fgt_named("deep", fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 6)))));
    OK(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"1", "deep", "again"}, 3));
}

static inline void scene_init(scene *s, const setting *set)
{
    static fgti_real     minus = -1;
    const fgt_model_opts mo    = {.size = sizeof mo, .batch = BATCH, .time = TIME, .seed = 5};
    *s            = (scene){.optim = set->optim, .report = {.size = sizeof s->report}};
    s->train      = (fgt_source){.size = sizeof s->train, .count = SAMPLES, .get = get};
    s->validation = (fgt_source){.size = sizeof s->validation, .count = 10, .get = get,
                                 .user = set->worse ? &minus : NULL};
    s->schedule   = (fgt_schedule_opts){.size = sizeof s->schedule, .warmup = 2,
                                        .kind = set->constant ? FGT_SCHEDULE_CONSTANT : FGT_SCHEDULE_COSINE};
    s->optim.size     = sizeof s->optim;
    s->optim.schedule = &s->schedule;
    OK(fgt_model_create(ctx, &mo, &s->model));
    OK(fgt_model_add(s->model, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = VOCAB, .out = 6))));
    OK(fgt_model_add(s->model, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.3f))));
    if (set->branches) add_branches(s->model);
    OK(fgt_model_add(s->model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    if (set->strategy >= 0) {
        const fgt_attent_opts o = {.size = sizeof o, .samples = SAMPLES, .epochs = EPOCHS, .seed = 8,
                                   .strategy = set->strategy, .scores = set->scores};
        OK(fgt_attent_create(ctx, &o, &s->selector));
    }
    s->opts = (fgt_fit_opts){.size       = sizeof s->opts,
                             .train      = &s->train,
                             .optim      = &s->optim,
                             .validation = set->validation ? &s->validation : NULL,
                             .training   = {.progress = stop,
                                            .user     = s,
                                            .seed     = 3,
                                            .epochs   = set->epochs ? set->epochs : EPOCHS,
                                            .patience = -1,
                                            .selector = s->selector}};
}

static inline void scene_done(scene *s)
{
    fgt_attent_destroy(&s->selector);
    fgt_model_destroy(&s->model);
}

static inline uint64_t run(scene *s)
{
    OK(fgt_model_fit(s->model, &s->opts, &s->report));
    return fgt_model_get_hash(s->model);
}

/* A scene of a run that was stopped within an epoch and is to be resumed. */
static inline void interrupt(const setting *set, int64_t epoch, scene *s)
{
    scene_init(s, set);
    s->stop_epoch      = epoch;
    s->opts.training.checkpoint = path;
    run(s);
    assert_true(s->report.cancelled && s->report.epochs == epoch - 1);
    scene_done(s);
    scene_init(s, set);
    s->opts.training.resume = path;
}

/* ---- a host's own loop ---- */

typedef struct loop {
    scene      s;
    fgt_optim *optim;
    int64_t    done;
} loop;

static inline void loop_init(loop *l, const setting *set)
{
    *l = (loop){.optim = NULL};
    scene_init(&l->s, set);
    l->s.schedule.total = 40;
    OK(fgt_optim_create(l->s.model, &l->s.optim, &l->optim));
}

static inline void loop_done(loop *l)
{
    fgt_optim_destroy(&l->optim);
    scene_done(&l->s);
}

static inline fgt_checkpoint checkpoint_of(loop *l)
{
    return (fgt_checkpoint){sizeof(fgt_checkpoint), l->optim, l->s.selector, &l->done, sizeof l->done};
}

static inline void steps(loop *l, int64_t until)
{
    static int64_t x[BATCH * TIME], index[BATCH];
    static float   y[BATCH * TIME * OUT], t[BATCH * TIME * OUT];
    const fgt_view vx = {x, {BATCH, TIME}, 2, FGT_DTYPE_I64};
    double         loss;
    for (; l->done < until; l->done++) {
        for (int64_t i = 0; i < BATCH; i++) index[i] = (l->done * 5 + i * i) % SAMPLES;
        OK(get(NULL, index, BATCH, &vx, FGT_VIEW(t, BATCH, TIME, OUT)));
        OK(fgt_forward(l->s.model, &vx, FGT_VIEW(y, BATCH, TIME, OUT)));
        OK(fgt_loss_mse(ctx, FGT_VIEW(y, BATCH, TIME, OUT), FGT_VIEW(t, BATCH, TIME, OUT), &loss,
                        FGT_VIEW(y, BATCH, TIME, OUT)));
        OK(fgt_backward(l->s.model, FGT_VIEW(y, BATCH, TIME, OUT), NULL));
        OK(fgt_step(l->optim));
    }
}

#endif
