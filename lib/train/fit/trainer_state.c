/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries that a run of fgt_model_fit() adds to a checkpoint (checkpoint.h):
 *     fit.options batch=32 no_shuffle=1
 *     fit.loss kind=1
 *     fit.seed, fit.samples whole numbers
 *     fit.data fingerprints of the samples of training and validation; empty if neither has one
 *     fit.best [P]: weights of the best epoch
 *     fit.average [P]: the average of the weights so far; only with the option `average`
 *     fit.counts I64 [5]: epochs, best epoch, steps, samples, samples before the best weights
 *     fit.numbers F64 [4]: training loss, best loss, seconds, loss of the first batch
 *     fit.part F64 [3]: only within an epoch: samples done, sum of their losses, elements of these */
#include "train/fit/trainer_state.h"

#include "attent/attent_impl.h"
#include "attent/attent_selector.h"
#include "core/config.h"
#include "core/hash.h"
#include "model/access.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/pass/own_pass.h"
#include "model/stored/model_file.h"
#include "train/checkpoint.h"
#include "train/fit/shards_ranks.h"
#include "train/loss/loss.h"
#include "train/optim/optim.h"
#include "train/optim/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EPOCHS, BEST_EPOCH, STEPS, SAMPLES, BEST_SAMPLES, COUNTS };
enum { TRAIN_LOSS, BEST_LOSS, SECONDS, FIRST_LOSS, NUMBERS };
enum { DONE, SUM, COUNTED, PART };
enum { OPTIONS, LOSS, SEED, TRAIN_COUNT, DATA, PAIRS };

static const char *const keys[] = {"fit.options", "fit.loss", "fit.seed", "fit.samples", "fit.data"};

/* The options and data that must stay the same when a run is resumed, as texts. */
typedef struct words {
    fgti_text options, loss;
    char      seed[24], samples[128], data[60];
} words;

/* Options that must stay the same. Epochs and patience may change, so this table lacks them. */
static const fgti_opt same_opts[] = {
    {"batch", offsetof(fgt_fit_opts, training.batch), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"no_shuffle", offsetof(fgt_fit_opts, no_shuffle), FGTI_OPT_BOOL, 0, 1, 0},
    {"average", offsetof(fgt_fit_opts, training.average), FGTI_OPT_F64, 0, 1, 0},
    {"shards", offsetof(fgt_fit_opts, training.shards), FGTI_OPT_I64, 0, 8192, 0},
    {0},
};

/* Writes a hash of the class weights and class priors, in at most 18 characters. */
static void describe_classes(const fgt_loss_opts *o, char *to)
{
    const int64_t bytes = o->class_count * (int64_t)sizeof(float);
    uint64_t      hash  = fgti_hash_value(FGTI_HASH_START, o->class_priors != NULL);
    if (!o->class_count) return;
    if (o->class_weights) hash = fgti_hash(hash, o->class_weights, bytes);
    if (o->class_priors) hash = fgti_hash(hash, o->class_priors, bytes);
    snprintf(to, 18, " %016" PRIx64, hash);
}

static fgt_status trainer_state_describe(const fgti_trainer *t, words *w, fgti_st_pair pair[PAIRS])
{
    *w = (words){.options = {.ctx = t->ctx}, .loss = {.ctx = t->ctx}};
    snprintf(w->seed, sizeof w->seed, "%llu", (unsigned long long)t->opts.training.seed);
    snprintf(w->samples, sizeof w->samples, "%lld", (long long)t->train.count);
    if (t->train.chunk)
        snprintf(w->samples, sizeof w->samples, "%lld in chunks of %lld, %lld at a time, one in %lld",
                 (long long)t->train.count, (long long)t->train.chunk, (long long)t->train.pool,
                 (long long)t->opts.thin);
    if (t->train.fingerprint || t->validation.fingerprint)
        snprintf(w->data, sizeof w->data, "%016" PRIx64 " %016" PRIx64, t->train.fingerprint,
                 t->validation.fingerprint);
    describe_classes(&t->loss, w->data + strlen(w->data));
    FGTI_TRY(fgti_config_write(&w->options, same_opts, &t->opts));
    FGTI_TRY(fgti_config_write(&w->loss, fgti_loss_opts, &t->loss));
    const char *const value[] = {w->options.s, w->loss.s, w->seed, w->samples, w->data};
    for (int i = 0; i < PAIRS; i++) pair[i] = (fgti_st_pair){keys[i], value[i] ? value[i] : ""};
    return FGT_OK;
}

static void words_done(words *w)
{
    fgti_text_done(&w->options);
    fgti_text_done(&w->loss);
}

/* ---- the same run on all ranks ---- */

typedef struct rank_words {
    words       run;
    fgti_text   optim, schedule, frozen, selector;
    const char *checkpoint; /* hash of the checkpoint from which the run will be resumed; its state is not
                             * loaded yet */
    char        library[160], course[192], draws[64], model[40], scores[64];
} rank_words;

/* Describes the selector. If a checkpoint will replace the scores, they are left out. */
static fgt_status describe_selector(const fgti_trainer *t, rank_words *w)
{
    const fgt_attent *s = t->opts.training.selector;
    if (!s) return FGT_OK;
    snprintf(w->scores, sizeof w->scores, "seed %llu, hash %016" PRIx64, (unsigned long long)s->opts.seed,
             fgti_attent_hash_all(s, !t->opts.training.resume));
    return fgti_attent_write_opts(s, &w->selector);
}

static fgt_status describe_model(const fgti_trainer *t, rank_words *w)
{
    uint64_t          hash;
    const uint64_t    passes = t->file.st ? 0 : fgti_model_get_passes(t->model);
    const char *const file   = t->file.st ? fgti_st_meta(t->file.st, FGTI_ST_HASH) : NULL;
    FGTI_TRY(fgti_model_hash_all(t->model, !t->opts.training.resume, &hash));
    w->checkpoint = file ? file : "none";
    snprintf(w->model, sizeof w->model, "hash %016" PRIx64, hash);
    snprintf(w->draws, sizeof w->draws, "seed %llu after %llu passes",
             (unsigned long long)fgti_model_options(t->model)->seed, (unsigned long long)passes);
    return FGT_OK;
}

/* Writes the names of the frozen parameters. If an adapter is active, they are the adapter's, otherwise the
 * layers'. */
static fgt_status describe_frozen(const fgti_trainer *t, fgti_text *out)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_param(t->model, i)); i++) {
        if (!p->frozen) continue;
        if (out->length) FGTI_TRY(fgti_text_put(out, " "));
        FGTI_TRY(fgti_text_put(out, p->full_name));
    }
    return FGT_OK;
}

static fgt_status describe_rank(const fgti_trainer *t, rank_words *w, fgti_st_pair pair[PAIRS])
{
    const fgt_fit_opts *o = &t->opts;
    fgt_build_info      info = {.size = sizeof info};
    w->optim    = (fgti_text){.ctx = t->ctx};
    w->schedule = (fgti_text){.ctx = t->ctx};
    w->frozen   = (fgti_text){.ctx = t->ctx};
    w->selector = (fgti_text){.ctx = t->ctx};
    FGTI_TRY(trainer_state_describe(t, &w->run, pair));
    FGTI_TRY(describe_frozen(t, &w->frozen));
    FGTI_TRY(describe_model(t, w));
    FGTI_TRY(describe_selector(t, w));
    FGTI_TRY(fgti_config_write(&w->optim, fgti_optim_opts, &t->optim->opts));
    FGTI_TRY(fgti_config_write(&w->schedule, fgti_schedule_opts, &t->optim->schedule));
    FGTI_TRY(fgt_context_get_info(t->ctx, &info));
    snprintf(w->library, sizeof w->library, "fighter %s, %s %s, kernels %s, %s", info.version, info.blas,
             info.blas_version, info.kernel, info.vector);
    snprintf(w->course, sizeof w->course,
             "epochs=%lld patience=%lld goal_samples=%lld goal=%.17g validation=%lld",
             (long long)o->training.epochs, (long long)o->training.patience, (long long)o->goal_samples,
             o->goal, (long long)t->validation.count);
    return FGT_OK;
}

/* Compares all ranks. A processor with other kernels would round differently, and the weights of the ranks
 * would drift apart. */
static fgt_status trainer_state_compare(fgti_trainer *t, rank_words *w, const fgti_st_pair *pair)
{
    const fgti_word word[] = {{"library and kernels", w->library},
                              {"options", pair[OPTIONS].value},
                              {"the course of training", w->course},
                              {"the loss", pair[LOSS].value},
                              {"the optimiser", w->optim.s ? w->optim.s : ""},
                              {"the schedule", w->schedule.s ? w->schedule.s : ""},
                              {"the seed", pair[SEED].value},
                              {"the number of samples", pair[TRAIN_COUNT].value},
                              {"the data", pair[DATA].value},
                              {"the checkpoint", w->checkpoint},
                              {"the random numbers of dropout", w->draws},
                              {"frozen parameters", w->frozen.s ? w->frozen.s : "none"},
                              {"the model: its layers, options or weights", w->model},
                              {"the selector", w->selector.s ? w->selector.s : "none"},
                              {"the selector's seed, groups, log or scores", w->scores}};
    return fgti_ranks_compare(&t->shards.ranks, word, sizeof word / sizeof *word);
}

fgt_status fgti_trainer_compare(fgti_trainer *t)
{
    fgti_st_pair pair[PAIRS];
    rank_words   w = {0};
    fgt_status   s = fgti_shards_agree(t, describe_rank(t, &w, pair));
    if (s == FGT_OK) s = trainer_state_compare(t, &w, pair);
    words_done(&w.run);
    fgti_text_done(&w.optim);
    fgti_text_done(&w.schedule);
    fgti_text_done(&w.frozen);
    fgti_text_done(&w.selector);
    return s;
}

static fgt_checkpoint checkpoint_of(const fgti_trainer *t)
{
    return (fgt_checkpoint){
        .size = sizeof(fgt_checkpoint), .optim = t->optim, .selector = t->opts.training.selector};
}

/* ---- writing ---- */

static fgti_st_tensor trainer_state_weights_of(const fgti_trainer *t, const char *name,
                                               const fgti_real *weights)
{
    return (fgti_st_tensor){
        .name = name, .dtype = FGTI_ST_REAL, .rank = 1, .shape = {t->slabs.size}, .data = weights};
}

static fgti_st_tensor numbers_of(const char *name, fgti_st_dtype dtype, int64_t count, const void *numbers)
{
    return (fgti_st_tensor){.name = name, .dtype = dtype, .rank = 1, .shape = {count}, .data = numbers};
}

fgt_status fgti_trainer_save(fgti_trainer *t, double seconds, bool within)
{
    const fgt_fit_report *r         = &t->report;
    const int64_t         counts[]  = {r->epochs, r->best_epoch, r->steps, r->samples, t->best_samples};
    const double          numbers[] = {r->train_loss, r->best_loss, seconds, t->first_loss};
    const double          part[]    = {(double)t->sample, t->sum, (double)t->counted};
    fgti_st_tensor        tensor[5] = {trainer_state_weights_of(t, "fit.best", t->best),
                                       numbers_of("fit.counts", FGTI_ST_I64, COUNTS, counts),
                                       numbers_of("fit.numbers", FGTI_ST_F64, NUMBERS, numbers)};
    int64_t               tensors   = 3;
    if (t->average) tensor[tensors++] = trainer_state_weights_of(t, "fit.average", t->average);
    if (within) tensor[tensors++] = numbers_of("fit.part", FGTI_ST_F64, PART, part);
    const fgt_checkpoint c = checkpoint_of(t);
    fgti_st_pair         pair[PAIRS];
    words                w;
    fgt_status           s = trainer_state_describe(t, &w, pair);
    if (s == FGT_OK)
        s = fgti_checkpoint_save(&c, &(fgti_extra){tensors, PAIRS, tensor, pair},
                                 t->opts.training.checkpoint);
    words_done(&w);
    return s;
}

fgt_status fgti_trainer_check_output(const fgti_trainer *t)
{
    fgti_output out;
    if (!t->opts.training.checkpoint) return FGT_OK;
    fgti_output_path(t->opts.training.checkpoint, &out);
    const fgt_status s = fgti_output_open(t->ctx, &out, 0);
    fgti_output_abandon(&out);
    return s;
}

/* ---- reading ---- */

/* Compares the fingerprints of the data. A reader cannot interpret fingerprints, so the error text says which
 * data differ. */
static fgt_status check_data(const fgti_trainer *t, const fgti_st *st, const char *data)
{
    const char *found = fgti_st_meta(st, keys[DATA]);
    if (!strcmp(found ? found : "", data)) return FGT_OK;
    return fgti_fail(&t->ctx->error, FGT_E_FORMAT,
                     "%.120s: was written in a training with other data%s (\"%s\": got \"%.40s\", need "
                     "\"%s\")",
                     st->path, t->train.begin_epoch ? ", or with data that was augmented differently" : "",
                     keys[DATA], found ? found : "", data);
}

static fgt_status check_words(const fgti_trainer *t, const fgti_st *st)
{
    fgti_st_pair pair[PAIRS];
    words        w;
    if (!fgti_st_meta(st, keys[OPTIONS]))
        return fgti_fail(&t->ctx->error, FGT_E_FORMAT, "%.120s: not a checkpoint of fgt_model_fit()",
                         st->path);
    fgt_status s = trainer_state_describe(t, &w, pair);
    for (int i = 0; s == FGT_OK && i < DATA; i++)
        s = fgti_checkpoint_expect(t->ctx, st, pair[i].key, pair[i].value);
    if (s == FGT_OK) s = check_data(t, st, w.data);
    words_done(&w);
    return s;
}

/* The place in the run, as a checkpoint stores it. */
typedef struct place {
    int64_t counts[COUNTS];
    double  numbers[NUMBERS], part[PART]; /* part: all 0 if the checkpoint was written after an epoch */
} place;

/* Whether the numbers of `part` are possible after a batch within an epoch. */
static bool trainer_state_is_part(const fgti_trainer *t, const double *part)
{
    const double batch = (double)t->opts.training.batch, done = part[DONE];
    return !t->opts.training.selector && done > 0 && done < (double)t->order.samples &&
           fmod(done, batch) == 0 && isfinite(part[SUM]) && part[COUNTED] >= 0 && part[COUNTED] < 9e15 &&
           part[COUNTED] == floor(part[COUNTED]);
}

static bool trainer_state_is_count(int64_t n)
{
    return n >= 0 && n <= FGTI_COUNT_MOST;
}

static fgt_status read_place(const fgti_trainer *t, const fgti_st *st, place *p)
{
    const bool within = fgti_st_find(st, "fit.part") != NULL;
    *p                = (place){0};
    FGTI_TRY(fgti_st_read_i64(t->ctx, st, "fit.counts", 1, (int64_t[]){COUNTS}, p->counts));
    FGTI_TRY(fgti_st_read_f64(t->ctx, st, "fit.numbers", 1, (int64_t[]){NUMBERS}, p->numbers));
    if (within) FGTI_TRY(fgti_st_read_f64(t->ctx, st, "fit.part", 1, (int64_t[]){PART}, p->part));
    const int64_t *c    = p->counts;
    const bool     good = trainer_state_is_count(c[EPOCHS]) && c[EPOCHS] + within > 0 && c[BEST_EPOCH] >= 0 &&
                      c[BEST_EPOCH] <= c[EPOCHS] + within && (double)c[EPOCHS] <= FGTI_OPT_SIZE_MAX &&
                      trainer_state_is_count(c[STEPS]) && trainer_state_is_count(c[SAMPLES]) &&
                      c[BEST_SAMPLES] >= 0 && c[BEST_SAMPLES] <= c[SAMPLES] && p->numbers[SECONDS] >= 0;
    if (!good)
        return fgti_fail(&t->ctx->error, FGT_E_FORMAT, "%.120s: \"fit.counts\" or \"fit.numbers\" is damaged",
                         st->path);
    if (!within || trainer_state_is_part(t, p->part)) return FGT_OK;
    return fgti_fail(&t->ctx->error, FGT_E_FORMAT,
                     "%.120s: \"fit.part\" is damaged, or belongs to another run", st->path);
}

static fgt_status check_place(const fgti_trainer *t, const fgti_st *st)
{
    place p;
    FGTI_TRY(check_words(t, st));
    FGTI_TRY(fgti_st_check_real(t->ctx, st, "fit.best", 1, &t->slabs.size));
    if (t->average) FGTI_TRY(fgti_st_check_real(t->ctx, st, "fit.average", 1, &t->slabs.size));
    FGTI_TRY(read_place(t, st, &p));
    if (p.counts[EPOCHS] + (p.part[DONE] > 0) <= t->opts.training.epochs) return FGT_OK;
    return fgti_fail(&t->ctx->error, FGT_E_FORMAT, "%.120s: has %lld epochs, the run has only %lld", st->path,
                     (long long)p.counts[EPOCHS], (long long)t->opts.training.epochs);
}

static fgt_status trainer_state_apply(fgti_trainer *t, const fgti_st *st)
{
    fgt_fit_report *r = &t->report;
    place           p;
    FGTI_TRY(read_place(t, st, &p));
    r->epochs         = p.counts[EPOCHS];
    r->best_epoch     = p.counts[BEST_EPOCH];
    r->steps          = p.counts[STEPS];
    r->samples        = p.counts[SAMPLES];
    t->best_samples   = p.counts[BEST_SAMPLES];
    r->train_loss     = p.numbers[TRAIN_LOSS];
    r->best_loss      = p.numbers[BEST_LOSS];
    t->first_loss     = p.numbers[FIRST_LOSS];
    t->resumed        = (int64_t)p.part[DONE];
    t->sum            = p.part[SUM];
    t->counted        = (int64_t)p.part[COUNTED];
    t->start -= p.numbers[SECONDS];
    if (t->average)
        FGTI_TRY(fgti_st_read_real(t->ctx, st, "fit.average", 1, &t->slabs.size, t->average));
    return fgti_st_read_real(t->ctx, st, "fit.best", 1, &t->slabs.size, t->best);
}

/* ---- the moments of an earlier run ---- */

/* Whether w = s b for a single s in 0 .. 1. *s is negative before the first call, which sets *s. */
static bool is_share(const fgti_real *w, const fgti_real *b, int64_t n, double *s)
{
    int64_t most = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs((double)b[i]) > fabs((double)b[most])) most = i;
    const double largest = fabs((double)b[most]);
    if (*s < 0 && largest > 0) *s = (double)w[most] / (double)b[most];
    if (!(*s >= 0 && *s <= 1)) return false;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)w[i] - *s * (double)b[i]) <= 1e-6 * largest)) return false;
    return true;
}

/* Whether these are the model's weights. A forecaster scales weight and bias of its last layer after the run,
 * so there they may differ by a factor. */
static bool has_weights(const fgti_trainer *t, const fgti_real *best)
{
    const fgti_param *p;
    double            share = -1;
    for (int64_t i = 0; (p = fgti_model_param(t->model, i)); i++) {
        const fgti_real *w = t->slabs.weights + p->offset, *b = best + p->offset;
        if (memcmp(w, b, (size_t)p->count * sizeof *w) != 0 && !is_share(w, b, p->count, &share))
            return false;
    }
    return true;
}

/* Checks that the moments belong to the model's weights. The moments belong to the last weights of the run.
 * The run has left the weights fit.best in the model. */
static fgt_status check_moments(fgti_trainer *t, const fgti_st *st)
{
    fgti_error *err = &t->ctx->error;
    if (fgti_st_find(st, "fit.part"))
        return fgti_fail(err, FGT_E_FORMAT,
                         "%.120s: was written within an epoch; resume and finish its run first", st->path);
    FGTI_TRY(fgti_st_check_real(t->ctx, st, "fit.best", 1, &t->slabs.size));
    FGTI_TRY(fgti_st_read_real(t->ctx, st, "fit.best", 1, &t->slabs.size, t->best));
    if (has_weights(t, t->best)) return FGT_OK;
    return fgti_fail(err, FGT_E_FORMAT,
                     "%.120s: its moments belong to another training: the model does not have the weights "
                     "that this one ended with",
                     st->path);
}

/* ---- opening and resuming ---- */

fgt_status fgti_trainer_open(fgti_trainer *t)
{
    const fgt_checkpoint c = checkpoint_of(t);
    fgti_input           in;
    if (t->opts.training.resume) {
        fgti_input_path(t->opts.training.resume, &in);
        FGTI_TRY(fgti_checkpoint_open(&c, &in, &t->file));
        return check_place(t, t->file.st);
    }
    if (!t->opts.training.moments) return FGT_OK;
    fgti_input_path(t->opts.training.moments, &in);
    FGTI_TRY(fgti_checkpoint_open_moments(t->optim, &in, &t->file));
    return check_moments(t, t->file.st);
}

fgt_status fgti_trainer_resume(fgti_trainer *t)
{
    const fgt_checkpoint c = checkpoint_of(t);
    fgt_status           s = FGT_OK;
    if (t->opts.training.moments) s = fgti_checkpoint_apply_moments(t->optim, &t->file);
    if (t->opts.training.resume) s = fgti_checkpoint_apply(&c, &t->file);
    if (t->opts.training.resume && s == FGT_OK) s = trainer_state_apply(t, t->file.st);
    fgti_checkpoint_close(t->ctx, &t->file);
    return s;
}
