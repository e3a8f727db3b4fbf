/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <string.h>

#include "attent/attent_impl.h"
#include "attent/attent_schedule.h"
#include "attent/attent_selector.h"
#include "core/clock.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/guard.h"
#include "model/params.h"
#include "model/pass/own_pass.h"
#include "train/checkpoint.h"
#include "train/fit/order.h"
#include "train/fit/run.h"
#include "train/fit/shards.h"
#include "train/fit/shards_ranks.h"
#include "train/fit/shards_step.h"
#include "train/fit/standard_fit.h"
#include "train/fit/trainer_due.h"
#include "train/fit/trainer_loss.h"
#include "train/fit/trainer_state.h"
#include "train/loss/loss.h"
#include "train/optim/optim.h"

/* ---- before the first step ---- */

static const fgti_opt fit_opts[] = {
    {"epochs", offsetof(fgt_fit_opts, training.epochs), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 10},
    {"batch", offsetof(fgt_fit_opts, training.batch), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"patience", offsetof(fgt_fit_opts, training.patience), FGTI_OPT_I64, -1, FGTI_OPT_SIZE_MAX, 3},
    {"no_shuffle", offsetof(fgt_fit_opts, no_shuffle), FGTI_OPT_BOOL, 0, 1, 0},
    {"checkpoint_every", offsetof(fgt_fit_opts, training.checkpoint_every), FGTI_OPT_I64, 1,
     FGTI_OPT_SIZE_MAX, 1},
    {"checkpoint_seconds", offsetof(fgt_fit_opts, training.checkpoint_seconds), FGTI_OPT_F64, 0, 1e9, 0},
    {"weight_decay", offsetof(fgt_fit_opts, training.weight_decay), FGTI_OPT_F64, -1, FLT_MAX, 0},
    {"warmup", offsetof(fgt_fit_opts, training.warmup), FGTI_OPT_F64, -1, 1, 0},
    {"average", offsetof(fgt_fit_opts, training.average), FGTI_OPT_F64, -1, 1, 0},
    {"shards", offsetof(fgt_fit_opts, training.shards), FGTI_OPT_I64, 0, 8192, 0},
    {"thin", offsetof(fgt_fit_opts, thin), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"goal_samples", offsetof(fgt_fit_opts, goal_samples), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {0},
};

static fgt_status check_selector(const fgti_trainer *t)
{
    fgti_error *err = &t->ctx->error;
    fgt_attent *s   = t->opts.training.selector;
    if (!s) return FGT_OK;
    if (s->ctx != t->ctx) return fgti_fail(err, FGT_E_ARG, "fit: the selector belongs to another context");
    if (fgti_attent_n(s) != t->train.count)
        return fgti_fail(err, FGT_E_ARG,
                         "fit: the selector has the wrong size (got %lld samples, need %lld as train)",
                         (long long)fgti_attent_n(s), (long long)t->train.count);
    fgt_view y = fgti_model_output_shape(t->model);
    y.shape[0] = 1;
    return fgti_attent_bind(s, t->loss.kind == FGT_LOSS_MSE && !(t->loss.spectral > 0), fgt_view_count(&y));
}

static fgt_status trainer_check_opts(fgti_trainer *t)
{
    fgti_error   *err = &t->ctx->error;
    fgt_fit_opts *o   = &t->opts;
    FGTI_TRY(fgti_training_check(err, &o->training));
    FGTI_TRY(fgti_opts_check(err, "fit", fit_opts, o));
    if (!o->train) return fgti_fail(err, FGT_E_ARG, "fit: train is NULL");
    if (o->optim && (o->training.lr != 0 || o->training.weight_decay != 0 || o->training.warmup != 0))
        return fgti_fail(err, FGT_E_ARG,
                         "fit: lr, weight_decay and warmup of training cannot be combined with optim, which "
                         "has its own");
    if (o->training.resume && o->training.moments)
        return fgti_fail(err, FGT_E_ARG,
                         "fit: resume and moments cannot be combined: a run to resume has its own moments");
    FGTI_TRY(fgti_source_check(err, "train", o->train, &t->train));
    if (o->validation) FGTI_TRY(fgti_source_check(err, "validation", o->validation, &t->validation));
    FGTI_TRY(fgti_loss_read(err, o->loss, &t->loss));
    FGTI_TRY(fgti_target_dtype_check(err, &t->loss, o->target_dtype));
    FGTI_TRY(check_selector(t));
    const int64_t planned = fgti_model_options(t->model)->batch;
    if (!o->training.batch) o->training.batch = planned;
    if (o->training.batch <= planned) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG,
                     "fit: batch is out of range (got %lld, need at most %lld, the batch of the model)",
                     (long long)o->training.batch, (long long)planned);
}

/* Number of steps in the whole run; -1: too many. */
static int64_t trainer_count_steps(const fgti_trainer *t)
{
    int64_t n;
    if (t->opts.training.selector)
        return fgti_attent_count_batches(t->opts.training.selector, t->opts.training.epochs,
                                         t->opts.training.batch);
    return fgti_size_mul(t->opts.training.epochs, (t->order.samples - 1) / t->opts.training.batch + 1, &n)
               ? n
               : -1;
}

/* AdamW with the learning rate and the weight decay of `training`. */
static fgt_optim_opts optim_of(const fgt_training *t, const fgt_schedule_opts *schedule)
{
    return (fgt_optim_opts){.size         = sizeof(fgt_optim_opts),
                            .lr           = t->lr,
                            .weight_decay = t->weight_decay > 0 ? t->weight_decay : 0,
                            .schedule     = t->warmup > 0 ? schedule : NULL};
}

/* Creates the optimiser. A cosine schedule without `total` spans the whole run. So does a warm-up that is a
 * share of the steps. */
static fgt_status create_optim(fgti_trainer *t)
{
    fgti_error             *err      = &t->ctx->error;
    const double            share    = t->opts.training.warmup;
    const fgt_schedule_opts constant = {.size = sizeof constant};
    const fgt_optim_opts    usual    = optim_of(&t->opts.training, &constant);
    fgt_schedule_opts       schedule;
    fgt_optim_opts          o;
    bool                    spans = false;
    FGTI_TRY(fgti_opts_read(err, "optimiser", t->opts.optim ? t->opts.optim : &usual, &o, sizeof o));
    if (o.schedule) {
        FGTI_TRY(fgti_opts_read(err, "schedule", o.schedule, &schedule, sizeof schedule));
        o.schedule = &schedule;
        spans      = share > 0 || (schedule.kind == FGT_SCHEDULE_COSINE && !schedule.total);
        if (spans && (schedule.total = trainer_count_steps(t)) < 0)
            return fgti_fail(err, FGT_E_SIZE, "fit: too many steps");
        if (share > 0) schedule.warmup = (int64_t)(share * (double)schedule.total);
    }
    FGTI_TRY(fgti_optim_create(t->model, &o, t->shards.count ? &t->shards.ranks : NULL, &t->optim));
    t->optim->spans = spans;
    return FGT_OK;
}

/* Begins the average of the weights. A model with an embedding is refused: its rows are updated lazily, so
 * between updates the average would read old rows. */
static fgt_status begin_average(fgti_trainer *t)
{
    const fgti_param *first = fgti_model_param(t->model, 0);
    if (!(t->opts.training.average > 0)) return FGT_OK;
    if (!(t->opts.training.average < 1) || (first && first->sparse))
        return fgti_fail(
            &t->ctx->error, FGT_E_ARG,
            "fit: average is out of range (got %g, need below 1, and the model must not have an embedding)",
            t->opts.training.average);
    FGTI_TRY(FGTI_NEW(t->ctx, t->slabs.size, "average of the weights", &t->average));
    memcpy(t->average, t->slabs.weights, (size_t)t->slabs.size * sizeof *t->average);
    return FGT_OK;
}

/* Creates the order of the samples. It has a stream for each shard of a batch. Without a collective it has
 * one stream. */
static fgt_status create_order(fgti_trainer *t)
{
    const fgti_order_opts o = {.count      = t->train.count,
                               .chunk      = t->train.chunk,
                               .pool       = t->train.pool,
                               .thin       = t->opts.thin,
                               .shards     = t->shards.count,
                               .batch      = t->opts.training.batch,
                               .seed       = t->opts.training.seed,
                               .no_shuffle = t->opts.no_shuffle != 0};
    if (!t->opts.training.selector) return fgti_order_init(t->ctx, &o, &t->order);
    if (t->opts.thin == 1) return FGT_OK;
    return fgti_fail(&t->ctx->error, FGT_E_ARG,
                     "fit: thin cannot be combined with a selector (got thin %lld, need 1)",
                     (long long)t->opts.thin);
}

/* Checks that both sources give values or neither does. Otherwise values of one source would stay set for the
 * samples of the other source. */
static fgt_status trainer_check_values(const fgti_trainer *t)
{
    if (!t->opts.validation || !t->batch.values || !t->train.get_value == !t->validation.get_value)
        return FGT_OK;
    return fgti_fail(&t->ctx->error, FGT_E_ARG,
                     "fit: only the source of %s has get_value, but both need the values of layer \"%.60s\"",
                     t->train.get_value ? "training" : "validation", t->batch.value->layer);
}

static fgt_status prepare_rank(fgti_trainer *t)
{
    FGTI_TRY(trainer_check_opts(t));
    FGTI_TRY(create_order(t));
    FGTI_TRY(create_optim(t));
    FGTI_TRY(fgti_model_prepare(t->model));
    FGTI_TRY(fgti_batch_create(t->model, t->opts.training.batch, t->opts.target_dtype,
                               t->train.get_value || t->validation.get_value, &t->loss, &t->batch));
    FGTI_TRY(trainer_check_values(t));
    FGTI_TRY(FGTI_NEW(t->ctx, t->slabs.size, "best weights", &t->best));
    FGTI_TRY(begin_average(t));
    if (fgti_shards_writes(t)) FGTI_TRY(fgti_trainer_check_output(t));
    FGTI_TRY(fgti_shards_init(t));
    FGTI_TRY(fgti_trainer_open(t));
    return fgt_model_clear_gradients(t->model); /* removes gradients that an earlier fgt_backward() has
                                                 * left */
}

static fgt_status trainer_prepare(fgti_trainer *t, const fgt_fit_opts *opts)
{
    FGTI_TRY(fgti_opts_read(&t->ctx->error, "fit", opts, &t->opts, sizeof t->opts));
    FGTI_TRY(fgti_shards_open(t));
    FGTI_TRY(fgti_shards_agree(t, prepare_rank(t)));
    if (t->shards.count) FGTI_TRY(fgti_trainer_compare(t));
    return fgti_trainer_resume(t);
}

/* ---- the loop ---- */

static void trainer_tell(fgti_trainer *t, double validation, bool epoch_done)
{
    t->report.train_loss = t->counted ? t->sum / (double)t->counted : NAN;
    if (!t->opts.training.progress) return;
    const fgt_progress p = {
        .size       = sizeof p,
        .epoch      = t->epoch,
        .epochs     = t->opts.training.epochs,
        .sample     = t->sample,
        .samples    = t->samples,
        .step       = t->report.steps,
        .loss       = t->report.train_loss,
        .validation = validation,
        .best       = t->report.best_loss,
        .lr         = t->lr,
        .seconds    = fgti_now() - t->start,
        .epoch_done = epoch_done,
    };
    const bool stop = t->opts.training.progress(t->opts.training.user, &p) != 0;
    if (t->shards.ranks.with.ranks > 1)
        t->shards.wish |= stop; /* the ranks stop together after the next exchange */
    else
        t->report.cancelled |= stop;
}

/* a = d a + (1 - d) w. In the first steps d is (1 + n) / (10 + n), where n is the number of the step, so that
 * the initial weights are soon forgotten. The average of a frozen weight is the weight itself. */
static void add_to_average(fgti_trainer *t)
{
    const double    n = (double)t->report.steps, first = (1 + n) / (10 + n);
    const fgti_real share =
        (fgti_real)(1 - (first < t->opts.training.average ? first : t->opts.training.average));
    const fgti_param *p;
    for (int64_t k = 0; t->average && (p = fgti_model_param(t->model, k)); k++) {
        const fgti_real *w = t->slabs.weights + p->offset;
        fgti_real       *a = t->average + p->offset;
        for (int64_t i = 0; !p->frozen && i < p->count; i++) a[i] += share * (w[i] - a[i]);
    }
}

/* Exchanges the weights with their average. */
static void swap_average(fgti_trainer *t)
{
    if (!t->average) return;
    for (int64_t i = 0; i < t->slabs.size; i++) {
        const fgti_real w    = t->slabs.weights[i];
        t->slabs.weights[i] = t->average[i];
        t->average[i]       = w;
    }
    fgti_model_changed(t->model);
}

static fgt_status learn_batch(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *count)
{
    fgti_batch *b = &t->batch;
    FGTI_TRY(fgti_batch_load(t->model, b, &t->train, index, n));
    FGTI_TRY(fgti_batch_blame(t->ctx, index, fgti_model_train_forward(t->model, &b->x, &b->y)));
    FGTI_TRY(fgti_trainer_loss(t, index, n, sum, count));
    if (t->opts.training.selector) FGTI_TRY(fgt_attent_add(t->opts.training.selector, index, n, b->score));
    return *count ? fgti_model_train_backward(t->model, &b->y) : FGT_OK;
}

static fgt_status trainer_learn(fgti_trainer *t, const int64_t *index, int64_t n)
{
    double  sum;
    int64_t count;
    FGTI_TRY((t->shards.count ? fgti_shards_learn : learn_batch)(t, index, n, &sum, &count));
    t->sum += sum;
    t->counted += count;
    if (count && isnan(t->first_loss)) t->first_loss = sum / (double)count;
    if (!count) return FGT_OK; /* all targets are missing, so there is no gradient */
    t->lr = fgt_optim_get_lr(t->optim);
    FGTI_TRY(t->shards.count ? fgti_shards_step(t) : fgti_optim_step(t->optim));
    t->report.steps++;
    add_to_average(t);
    return FGT_OK;
}

/* Whether there is a goal that no epoch so far has reached. */
static bool misses_goal(const fgti_trainer *t)
{
    return t->opts.validation && t->opts.goal_samples && !(t->report.best_loss < t->opts.goal);
}

/* Whether the goal was missed: all samples within which it had to be reached have passed. */
static bool is_hopeless(const fgti_trainer *t)
{
    return misses_goal(t) && t->report.samples >= t->opts.goal_samples;
}

/* A gain over the goal that counts as clear. Runs with such a gain improve for many epochs, though not in
 * each epoch. With a linear map, runs gained 35 % on hourly rentals and 58 % on demand of electricity, and up
 * to two thirds of an epoch gained nothing. On ETTh1 and Weather runs gained less than CLEAR_GAIN, and later
 * samples brought nothing more. */
#define CLEAR_GAIN 0.015

/* Whether there is a goal, and no loss so far is clearly below it. */
static bool is_impatient(const fgti_trainer *t)
{
    const double goal = t->opts.goal;
    return t->opts.validation && t->opts.goal_samples &&
           !(t->report.best_loss < goal - CLEAR_GAIN * fabs(goal));
}

/* Whether the run ends because of the number of samples so far. */
static bool trainer_is_over(const fgti_trainer *t)
{
    return is_hopeless(t) ||
           (is_impatient(t) && t->report.samples - t->best_samples >= t->opts.goal_samples);
}

/* Whether the run is over, or the last `patience` epochs did not improve the best validation loss or did not
 * reach the goal. Always false without validation. */
static bool is_stuck(const fgti_trainer *t)
{
    const fgt_fit_report *r        = &t->report;
    const int64_t         patience = t->opts.training.patience, better = misses_goal(t) ? 0 : r->best_epoch;
    if (trainer_is_over(t)) return true;
    return t->opts.validation && patience > 0 && r->epochs < t->opts.training.epochs &&
           r->epochs - better >= patience;
}

/* Logs a checkpoint that failed. A full disk must not end hours of training. The old checkpoint stays, and
 * the next one is tried when it is due. */
static void count_failure(fgti_trainer *t, fgt_status s)
{
    t->written = fgti_now();
    if (s == FGT_OK) return;
    t->report.failed_checkpoints++;
    fgti_log(t->ctx, FGT_LOG_WARN, "checkpoint after epoch %lld: %s", (long long)t->report.epochs,
             t->ctx->error.text);
}

static fgt_status trainer_keep(fgti_trainer *t)
{
    const bool due = fgti_trainer_due(t);
    FGTI_TRY(fgti_shards_collect(t, due));
    if (due && fgti_shards_writes(t)) count_failure(t, fgti_trainer_save(t, fgti_now() - t->start, false));
    return FGT_OK;
}

static fgt_status write_part(fgti_trainer *t)
{
    FGTI_TRY(fgti_shards_collect(t, true));
    if (fgti_shards_writes(t)) count_failure(t, fgti_trainer_save(t, fgti_now() - t->start, true));
    return FGT_OK;
}

/* Writes a checkpoint within the epoch if it is due. All ranks know from the last exchange whether rank 0
 * writes one. */
static fgt_status keep_part(fgti_trainer *t)
{
    const bool due = t->shards.count ? t->shards.due : fgti_trainer_part_due(t, t->sample);
    return due ? write_part(t) : FGT_OK;
}

/* Whether a validation loss is better than the best. If a run without validation is resumed with validation,
 * its best weights have no validation loss yet. */
static bool is_better(const fgti_trainer *t, double validation)
{
    const double best = t->report.best_loss;
    if (!t->opts.validation || !t->report.best_epoch) return true;
    return validation < best || (isnan(best) && !isnan(validation));
}

static void take_best(fgti_trainer *t, double validation)
{
    memcpy(t->best, t->slabs.weights, (size_t)t->slabs.size * sizeof *t->best);
    t->report.best_epoch = t->epoch;
    t->report.best_loss  = validation;
    t->best_samples      = t->report.samples;
}

static fgt_status trainer_evaluate(fgti_trainer *t, double *validation)
{
    if (t->shards.count) return fgti_shards_validate(t, validation);
    return fgti_evaluate(t->model, &t->batch, &t->validation, &t->loss, validation, NULL);
}

/* Computes the validation loss of the epoch. If it is the best so far, keeps the weights. */
static fgt_status validate(fgti_trainer *t, double *validation)
{
    swap_average(t);
    fgt_status s = FGT_OK;
    if (t->opts.validation) s = trainer_evaluate(t, validation);
    if (s == FGT_OK && is_better(t, *validation)) take_best(t, *validation);
    swap_average(t);
    return s;
}

static fgt_status settle(fgti_trainer *t)
{
    return t->shards.count ? fgti_shards_settle_rows(t) : fgt_optim_settle(t->optim);
}

/* Whether it is time for a validation within the epoch: the last n samples have completed another
 * `goal_samples`. Never with a selector, whose epochs are not interrupted. */
static bool is_time_to_look(const fgti_trainer *t, int64_t n)
{
    const int64_t done = t->report.samples, every = t->opts.goal_samples;
    return is_impatient(t) && !t->opts.training.selector && t->sample < t->samples &&
           done / every != (done - n) / every;
}

/* Validates within an epoch. The result counts as the loss of this epoch, and may end the run. */
static fgt_status look_within(fgti_trainer *t, int64_t n)
{
    double validation;
    if (!is_time_to_look(t, n)) return FGT_OK;
    FGTI_TRY(settle(t));
    FGTI_TRY(validate(t, &validation));
    t->report.stopped_early = trainer_is_over(t);
    return t->report.stopped_early && t->opts.training.checkpoint ? write_part(t) : FGT_OK;
}

static fgt_status no_target(const fgti_trainer *t)
{
    return fgti_fail(&t->ctx->error, FGT_E_DATA, "all targets are missing (need at least one)");
}

static fgt_status finish_epoch(fgti_trainer *t)
{
    double     validation = NAN;
    const bool some = t->opts.training.selector || t->opts.thin > 1; /* the next epoch has other samples */
    if (!t->counted && !some) return no_target(t);
    FGTI_TRY(settle(t));
    if (!fgti_all_finite(t->slabs.size, t->slabs.weights))
        return fgti_fail(&t->ctx->error, FGT_E_NONFINITE, "a weight is NaN or infinite");
    FGTI_TRY(validate(t, &validation));
    t->report.epochs = t->epoch;
    trainer_tell(t, validation, true);
    FGTI_TRY(fgti_shards_settle(t));
    t->report.stopped_early = !t->report.cancelled && is_stuck(t);
    return trainer_keep(t);
}

static fgt_status trainer_score(fgti_trainer *t)
{
    if (!t->opts.training.selector || !fgt_attent_get_due(t->opts.training.selector)) return FGT_OK;
    if (t->shards.count) return fgti_shards_score(t);
    return fgti_score(t->model, &t->batch, &t->train, &t->loss, t->opts.training.selector);
}

/* Sets the samples of the epoch: all samples, or those that the selector chooses. *stop: the selector ends
 * the run. */
static fgt_status take_samples(fgti_trainer *t, bool *stop)
{
    fgt_attent       *s      = t->opts.training.selector;
    fgt_attent_subset subset = {.size = sizeof subset, .count = t->order.samples};
    if (s)
        FGTI_TRY(fgt_attent_begin_epoch(s, &subset));
    else
        fgti_order_begin(&t->order, t->epoch);
    t->index   = subset.index;
    t->samples = subset.count;
    *stop      = subset.stop;
    return FGT_OK;
}

static fgt_status run_epoch(fgti_trainer *t)
{
    bool stop = false;
    if (!t->resumed) t->sum = 0;
    if (!t->resumed) t->counted = 0;
    t->sample  = t->resumed;
    t->resumed = 0;
    if (t->train.begin_epoch) t->train.begin_epoch(t->train.user, t->epoch);
    FGTI_TRY(trainer_score(t)); /* in this call the ranks agree whether all of them have the samples */
    FGTI_TRY(fgti_shards_agree(t, take_samples(t, &stop)));
    if (stop) {
        t->report.stopped_early = 1;
        return trainer_keep(t);
    }
    while (t->sample < t->samples) {
        const int64_t left   = t->samples - t->sample,
                      n      = left < t->opts.training.batch ? left : t->opts.training.batch;
        const int64_t *index = t->index ? t->index + t->sample : fgti_order_take(&t->order, t->sample, n);
        FGTI_TRY(trainer_learn(t, index, n));
        t->sample += n;
        t->report.samples += n;
        trainer_tell(t, NAN, false);
        if (t->report.cancelled) return FGT_OK;
        FGTI_TRY(look_within(t, n));
        if (t->report.stopped_early) return FGT_OK;
        FGTI_TRY(keep_part(t));
    }
    return finish_epoch(t);
}

/* A loss of DIVERGED times the first loss is reported. If the learning rate is too large, losses may grow
 * without ever becoming infinite. DIVERGED is large because the first batch may be an easy one. A model that
 * begins with an exact forecast has a first loss near 0. The noise of the steps exceeds such a loss many
 * times. If values are near 1, this noise is small, so losses below NOISE are not reported. */
#define DIVERGED 100
#define NOISE    1e-3

static void check_course(fgti_trainer *t)
{
    fgt_fit_report *r = &t->report;
    r->diverged       = t->first_loss > 0 && r->train_loss >= fmax(DIVERGED * t->first_loss, NOISE);
    if (r->diverged)
        fgti_log(t->ctx, FGT_LOG_WARN,
                 "training may have diverged: the loss began at %g and is %g; try a smaller learning rate",
                 t->first_loss, r->train_loss);
}

static fgt_status trainer_run(fgti_trainer *t)
{
    fgt_status s            = FGT_OK;
    t->report.stopped_early = is_stuck(t); /* a resumed run may have stopped early before */
    /* The last checkpoint is written, perhaps to another file. It does not replace a checkpoint from within
     * an epoch. */
    if (!t->resumed && (t->report.stopped_early || t->report.epochs == t->opts.training.epochs))
        s = trainer_keep(t);
    for (t->epoch = t->report.epochs + 1; s == FGT_OK && t->epoch <= t->opts.training.epochs; t->epoch++) {
        if (t->report.cancelled || t->report.stopped_early) break;
        s = run_epoch(t);
        if (s == FGT_E_NONFINITE)
            fgti_error_prefix(&t->ctx->error, "epoch %lld, after step %lld", (long long)t->epoch,
                              (long long)t->report.steps);
    }
    if (s == FGT_OK && t->report.epochs && isnan(t->first_loss)) s = no_target(t);
    if (s == FGT_OK) s = settle(t);
    fgti_model_changed(t->model);
    if (t->report.best_epoch) memcpy(t->slabs.weights, t->best, (size_t)t->slabs.size * sizeof *t->best);
    t->report.seconds = fgti_now() - t->start;
    check_course(t);
    return s;
}

fgt_status fgt_model_fit(fgt_model *model, const fgt_fit_opts *opts, fgt_fit_report *report)
{
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = fgti_model_context(model);
    if (report) FGTI_TRY(fgti_result_check(&ctx->error, "fgt_fit_report", report));
    FGTI_TRY(fgti_model_check_idle(model, "fgt_model_fit"));
    fgti_trainer t = {.model      = model,
                      .ctx        = ctx,
                      .slabs      = fgti_model_slabs(model),
                      .start      = fgti_now(),
                      .written    = fgti_now(),
                      .first_loss = NAN,
                      .report     = {.size       = sizeof t.report,
                                     .train_loss = NAN,
                                     .best_loss  = NAN,
                                     .share      = NAN}};
    fgti_model_begin_call(model); /* the run calls functions of the host: sources, progress, logs, a
                                   * collective */
    fgt_status s = trainer_prepare(&t, opts);
    if (s == FGT_OK) {
        s = trainer_run(&t);
        if (report) (void)fgti_result_write(NULL, "", &t.report, sizeof t.report, report); /* checked above */
    }
    fgti_checkpoint_close(ctx, &t.file);
    fgti_shards_done(&t);
    fgti_batch_destroy(ctx, &t.batch);
    fgt_optim_destroy(&t.optim);
    fgti_order_done(&t.order);
    fgti_free(ctx, t.best);
    fgti_free(ctx, t.average);
    fgti_model_end_call(model);
    return s;
}
