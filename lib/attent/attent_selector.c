/* SPDX-License-Identifier: BSD-3-Clause */
/* A selector: its options, its scores, and the step from one epoch to the next. */
#include "attent/attent_selector.h"

#include <float.h>
#include <math.h>

#include "attent/attent_log.h"
#include "attent/attent_schedule.h"
#include "attent/attent_select.h"
#include "core/config.h"
#include "core/opts.h"
#include "core/tensor.h"

#define MOST_GROUPS    65536 /* because a group number has two bytes */
#define CYCLE_INTERVAL 5
#define MOST_CYCLES    1000000

/* numbers of enumerators */
enum { STRATEGIES = 7, RATIOS = 4, INTERVALS = 3, SCORES = 2, WEIGHTS = 3, RESIDUALS = 3 };
_Static_assert(FGT_ATTENT_STRATEGY_INFOBATCH == STRATEGIES - 1 && FGT_ATTENT_RATIO_SIMPLE == RATIOS - 1 &&
                   FGT_ATTENT_INTERVAL_CYCLES == INTERVALS - 1 && FGT_ATTENT_SCORES_TRAINING == SCORES - 1 &&
                   FGT_ATTENT_WEIGHTS_SIGMOID == WEIGHTS - 1 && FGT_ATTENT_RESIDUAL_NONE == RESIDUALS - 1,
               "counts of enumerators");

static const fgti_opt attent_opts[] = {
    {"samples", offsetof(fgt_attent_opts, samples), FGTI_OPT_I64, 1, 0x1p32, FGTI_OPT_REQUIRED},
    {"epochs", offsetof(fgt_attent_opts, epochs), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"count", offsetof(fgt_attent_opts, count), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"interval", offsetof(fgt_attent_opts, interval), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"growth", offsetof(fgt_attent_opts, growth), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"cycles", offsetof(fgt_attent_opts, cycles), FGTI_OPT_I64, 1, MOST_CYCLES, 10},
    {"interval_end", offsetof(fgt_attent_opts, interval_end), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 10},
    {"ratio", offsetof(fgt_attent_opts, ratio), FGTI_OPT_F64, DBL_MIN, 1, 0.7},
    {"ratio_start", offsetof(fgt_attent_opts, ratio_start), FGTI_OPT_F64, DBL_MIN, 1, 0.2},
    {"ratio_end", offsetof(fgt_attent_opts, ratio_end), FGTI_OPT_F64, DBL_MIN, 1, 0.8},
    {"temperature", offsetof(fgt_attent_opts, temperature), FGTI_OPT_F64, DBL_MIN, DBL_MAX, 1},
    {"prune", offsetof(fgt_attent_opts, prune), FGTI_OPT_F64, DBL_MIN, 0.999, 0.5},
    {"prune_until", offsetof(fgt_attent_opts, prune_until), FGTI_OPT_F64, DBL_MIN, 1, 0.875},
    {"stop_below", offsetof(fgt_attent_opts, stop_below), FGTI_OPT_F64, 0, DBL_MAX, 0},
    {"group_count", offsetof(fgt_attent_opts, group_count), FGTI_OPT_I64, 0, MOST_GROUPS, 0},
    {"replay_bytes", offsetof(fgt_attent_opts, replay_bytes), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"strategy", offsetof(fgt_attent_opts, strategy), FGTI_OPT_ENUM, 0, STRATEGIES - 1, 0},
    {"ratio_schedule", offsetof(fgt_attent_opts, ratio_schedule), FGTI_OPT_ENUM, 0, RATIOS - 1, 0},
    {"interval_schedule", offsetof(fgt_attent_opts, interval_schedule), FGTI_OPT_ENUM, 0, INTERVALS - 1, 0},
    {"scores", offsetof(fgt_attent_opts, scores), FGTI_OPT_ENUM, 0, SCORES - 1, 0},
    {"residual", offsetof(fgt_attent_opts, residual), FGTI_OPT_ENUM, 0, RESIDUALS - 1, 0},
    {"weights", offsetof(fgt_attent_opts, weights), FGTI_OPT_ENUM, 0, WEIGHTS - 1, 0},
    {"redraw", offsetof(fgt_attent_opts, redraw), FGTI_OPT_BOOL, 0, 1, 0},
    {"rescore", offsetof(fgt_attent_opts, rescore), FGTI_OPT_BOOL, 0, 1, 0},
    {"ordered", offsetof(fgt_attent_opts, ordered), FGTI_OPT_BOOL, 0, 1, 0},
    {"log_indices", offsetof(fgt_attent_opts, log_indices), FGTI_OPT_BOOL, 0, 1, 0},
    {"elements", offsetof(fgt_attent_opts, elements), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {0},
};

/* ---- groups ---- */

static fgt_status read_groups(fgt_attent *a, const fgt_view *v)
{
    fgti_error   *err = &a->ctx->error;
    const int64_t n = fgti_attent_n(a), groups = a->opts.group_count;
    if (!v || !groups) return fgti_fail(err, FGT_E_ARG, "attent: the strategy needs groups and group_count");
    const int32_t dtype = v->dtype == FGT_DTYPE_I32 ? FGT_DTYPE_I32 : FGT_DTYPE_I64;
    FGTI_TRY(fgti_view_check(err, "attent: groups", v, dtype, 1, &n));
    FGTI_TRY(FGTI_NEW(a->ctx, n, "groups of the samples", &a->group));
    FGTI_TRY(FGTI_NEW(a->ctx, groups, "groups", &a->groups));
    for (int64_t i = 0; i < n; i++) {
        const int64_t g =
            dtype == FGT_DTYPE_I32 ? ((const int32_t *)v->data)[i] : ((const int64_t *)v->data)[i];
        if (g < 0 || g >= groups)
            return fgti_fail(err, FGT_E_DATA,
                             "attent: the group of sample %lld is out of range (got %lld, need 0 .. %lld)",
                             (long long)i, (long long)g, (long long)groups - 1);
        a->group[i] = (uint16_t)g;
        a->groups[g].count++;
    }
    return FGT_OK;
}

static fgt_status selector_weigh_groups(fgt_attent *a, const double *weight)
{
    const bool  fixed = a->opts.strategy == FGT_ATTENT_STRATEGY_FIXED_WEIGHT;
    fgti_error *err   = &a->ctx->error;
    if (fixed && !weight) return fgti_fail(err, FGT_E_ARG, "attent: fixed weights need group_weight");
    for (int64_t g = 0; g < a->opts.group_count; g++) {
        fgti_attent_group *p = &a->groups[g];
        p->weight            = fixed ? weight[g] : p->count ? 1 / (double)p->count : 1;
        if (!(p->weight > 0 && p->weight <= DBL_MAX))
            return fgti_fail(err, FGT_E_ARG,
                             "attent: the weight of group %lld is out of range (got %g, need above 0)",
                             (long long)g, p->weight);
    }
    return FGT_OK;
}

/* ---- references ---- */

/* Whether the strategy can use reference scores. With references, easy samples have negative scores. A weight
 * in proportion to the score would then be 0. */
static bool takes_reference(const fgt_attent_opts *o)
{
    return o->strategy == FGT_ATTENT_STRATEGY_HARD || o->strategy == FGT_ATTENT_STRATEGY_INFOBATCH ||
           (o->strategy == FGT_ATTENT_STRATEGY_SOFT && o->weights != FGT_ATTENT_WEIGHTS_PROPORTIONAL);
}

static fgt_status read_reference(fgt_attent *a, const float *reference)
{
    fgti_error   *err = &a->ctx->error;
    const int64_t n   = fgti_attent_n(a);
    if (!takes_reference(&a->opts))
        return fgti_fail(err, FGT_E_ARG,
                         "attent: reference is for strategies by losses, soft (not with proportional "
                         "weights), hard and InfoBatch");
    FGTI_TRY(FGTI_NEW(a->ctx, n, "references of the samples", &a->reference));
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(reference[i]))
            return fgti_fail(err, FGT_E_DATA, "attent: the reference of sample %lld is %s", (long long)i,
                             isnan(reference[i]) ? "NaN" : "infinite");
        a->reference[i] = reference[i];
    }
    return FGT_OK;
}

/* ---- creation ---- */

static fgt_status selector_fill(fgt_attent *a, const fgt_attent_opts *opts)
{
    fgt_context     *ctx = a->ctx;
    fgt_attent_opts *o   = &a->opts;
    FGTI_TRY(fgti_opts_read(&ctx->error, "attent", opts, o, sizeof *o));
    if (o->interval_schedule == FGT_ATTENT_INTERVAL_CYCLES && !o->interval) o->interval = CYCLE_INTERVAL;
    FGTI_TRY(fgti_opts_check(&ctx->error, "attent", attent_opts, o));
    FGTI_TRY(fgti_attent_check(&ctx->error, o));
    FGTI_TRY(FGTI_NEW(ctx, o->samples, "selected samples", &a->index));
    FGTI_TRY(FGTI_NEW(ctx, o->samples, "scores", &a->score));
    FGTI_TRY(FGTI_NEW(ctx, o->samples, "choices of the samples", &a->choice));
    for (int64_t i = 0; i < o->samples; i++) a->score[i] = NAN;
    const bool grouped =
        o->strategy == FGT_ATTENT_STRATEGY_CLASS_WEIGHT || o->strategy == FGT_ATTENT_STRATEGY_FIXED_WEIGHT;
    if (grouped || (o->strategy == FGT_ATTENT_STRATEGY_GRADNORM && o->groups))
        FGTI_TRY(read_groups(a, o->groups));
    if (grouped) FGTI_TRY(selector_weigh_groups(a, o->group_weight));
    if (o->reference) FGTI_TRY(read_reference(a, o->reference));
    o->groups       = NULL; /* the array belongs to the caller */
    o->group_weight = NULL;
    o->reference    = NULL;
    a->residual     = o->residual;
    a->elements     = o->elements ? o->elements : 1;
    return o->replay ? fgti_attent_replay_open(a) : FGT_OK;
}

fgt_status fgt_attent_create(fgt_context *ctx, const fgt_attent_opts *opts, fgt_attent **attent)
{
    if (attent) *attent = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!attent) return fgti_fail(&ctx->error, FGT_E_ARG, "attent: attent is NULL");
    FGTI_TRY(FGTI_NEW(ctx, 1, "attent", attent));
    (*attent)->ctx     = ctx;
    const fgt_status s = selector_fill(*attent, opts);
    if (s != FGT_OK) fgt_attent_destroy(attent);
    return s;
}

void fgt_attent_destroy(fgt_attent **attent)
{
    if (!attent || !*attent) return;
    fgt_attent  *a   = *attent;
    fgt_context *ctx = a->ctx;
    fgti_free(ctx, a->index);
    fgti_free(ctx, a->score);
    fgti_free(ctx, a->reference);
    fgti_free(ctx, a->choice);
    fgti_free(ctx, a->group);
    fgti_free(ctx, a->groups);
    fgti_free(ctx, a);
    *attent = NULL;
}

/* ---- agreement with the loss of a training ---- */

fgt_status fgti_attent_bind(fgt_attent *a, bool squares, int64_t elements)
{
    const fgt_attent_opts *o   = &a->opts;
    fgti_error            *err = &a->ctx->error;
    const bool             is  = squares && o->strategy != FGT_ATTENT_STRATEGY_GRADNORM;
    if (o->residual == FGT_ATTENT_RESIDUAL_NORMS)
        return fgti_fail(err, FGT_E_ARG,
                         "fit: the selector's option residual expects norms as scores, but they are "
                         "losses or norms of gradients");
    if (!is && o->stop_below > 0)
        return fgti_fail(err, FGT_E_ARG, "fit: stop_below of the selector needs mean squares as scores, but "
                                         "they are %s",
                         squares ? "norms of gradients" : "losses of another kind than mse");
    if (is && o->elements && o->elements != elements)
        return fgti_fail(
            err, FGT_E_ARG,
            "fit: the selector's option elements is wrong (got %lld, need %lld, the size of the output)",
            (long long)o->elements, (long long)elements);
    a->residual = is ? o->residual : FGT_ATTENT_RESIDUAL_NONE;
    a->elements = elements;
    return FGT_OK;
}

/* ---- comparison of ranks ---- */

fgt_status fgti_attent_write_opts(const fgt_attent *a, fgti_text *t)
{
    fgt_attent_opts o = a->opts;
    o.log_indices     = 0;
    return fgti_config_write(t, attent_opts, &o);
}

uint64_t fgti_attent_hash_all(const fgt_attent *a, bool state)
{
    const fgt_attent_opts *o = &a->opts;
    const int64_t          n = fgti_attent_n(a);
    uint64_t               h = fgti_hash(FGTI_HASH_START, o->replay, o->replay ? o->replay_bytes : 0);
    if (a->group) h = fgti_hash(h, a->group, n * (int64_t)sizeof *a->group);
    if (a->reference) h = fgti_hash(h, a->reference, n * (int64_t)sizeof *a->reference);
    for (int64_t g = 0; o->strategy == FGT_ATTENT_STRATEGY_FIXED_WEIGHT && g < o->group_count; g++)
        h = fgti_hash(h, &a->groups[g].weight, sizeof a->groups[g].weight);
    if (!state) return h;
    h = fgti_hash(h, &a->clock, sizeof a->clock);
    h = fgti_hash(h, a->score, n * (int64_t)sizeof *a->score);
    return a->chosen ? fgti_hash(h, a->choice, n) : h;
}

/* ---- scores and weights ---- */

static fgt_status check_index(const fgt_attent *a, int64_t i)
{
    if (i >= 0 && i < fgti_attent_n(a)) return FGT_OK;
    return fgti_fail(&a->ctx->error, FGT_E_ARG, "attent: sample is out of range (got %lld, need below %lld)",
                     (long long)i, (long long)fgti_attent_n(a));
}

fgt_status fgt_attent_add(fgt_attent *attent, const int64_t *index, int64_t count, const float *score)
{
    if (!attent) return FGT_E_ARG;
    fgti_error *err = &attent->ctx->error;
    if (count < 0 || (count && (!index || !score)))
        return fgti_fail(err, FGT_E_ARG, "attent: index or score is NULL, or count is negative (got %lld)",
                         (long long)count);
    for (int64_t i = 0; i < count; i++) {
        FGTI_TRY(check_index(attent, index[i]));
        if (!isfinite(score[i]))
            return fgti_fail(err, FGT_E_NONFINITE, "attent: the score of sample %lld is %s",
                             (long long)index[i], isnan(score[i]) ? "NaN" : "infinite");
    }
    for (int64_t i = 0; i < count; i++) attent->score[index[i]] = score[i];
    return FGT_OK;
}

fgt_status fgt_attent_get_weights(const fgt_attent *attent, const int64_t *index, int64_t count,
                                  float *weight)
{
    if (!attent) return FGT_E_ARG;
    fgti_error *err = &attent->ctx->error;
    if (count < 0 || (count && (!index || !weight)))
        return fgti_fail(err, FGT_E_ARG, "attent: index or weight is NULL, or count is negative (got %lld)",
                         (long long)count);
    for (int64_t i = 0; i < count; i++) {
        FGTI_TRY(check_index(attent, index[i]));
        if (attent->choice[index[i]] == FGTI_DROPPED)
            return fgti_fail(err, FGT_E_ARG, "attent: sample %lld is not selected in epoch %lld",
                             (long long)index[i], (long long)attent->clock.epoch);
    }
    const float scaled = (float)(1 / (1 - attent->opts.prune));
    for (int64_t i = 0; i < count; i++) weight[i] = attent->choice[index[i]] == FGTI_RESCALED ? scaled : 1;
    return FGT_OK;
}

/* ---- epochs ---- */

static fgt_status selector_check_size(const fgt_attent *a, const fgt_attent_subset *subset)
{
    if (!subset) return fgti_fail(&a->ctx->error, FGT_E_ARG, "attent: subset is NULL");
    return fgti_result_check(&a->ctx->error, "fgt_attent_subset", subset);
}

static fgt_status give(const fgt_attent *a, const fgt_attent_subset *ours, fgt_attent_subset *subset)
{
    return fgti_result_write(&a->ctx->error, "fgt_attent_subset", ours, sizeof *ours, subset);
}

static bool selector_is_over(const fgt_attent *a)
{
    const fgt_attent_opts *o = &a->opts;
    return (o->epochs && a->clock.epoch >= o->epochs) || a->subset.residual < o->stop_below; /* NaN is not */
}

/* Replays the log. If the log has the subset, takes it. Otherwise selects a subset, which must have the hash
 * of the log. */
static fgt_status replay(fgt_attent *a, const fgti_attent_clock *c, bool *fresh)
{
    uint64_t   hash;
    size_t     end;
    const bool ours = !fgti_attent_replays_indices(a);
    FGTI_TRY(fgti_attent_replay(a, c, fresh, &hash, &end));
    if (ours && *fresh) FGTI_TRY(fgti_attent_choose(a, c));
    if (*fresh) fgti_attent_sum_up(a);
    if (a->subset.hash == hash) {
        a->replay_at = end;
        return FGT_OK;
    }
    a->chosen = false;
    return fgti_fail(&a->ctx->error, FGT_E_DATA,
                     "attent: the subset of epoch %lld has hash %016llx, but the log has %016llx",
                     (long long)c->epoch, (unsigned long long)a->subset.hash, (unsigned long long)hash);
}

fgt_status fgt_attent_begin_epoch(fgt_attent *attent, fgt_attent_subset *subset)
{
    if (!attent) return FGT_E_ARG;
    fgt_attent *a = attent;
    FGTI_TRY(selector_check_size(a, subset));
    a->subset.residual = fgti_attent_residual(a);
    if (selector_is_over(a)) {
        const fgt_attent_subset none = {.size     = sizeof none,
                                        .epoch    = a->clock.epoch,
                                        .score    = NAN,
                                        .residual = a->subset.residual,
                                        .stop     = 1};
        return give(a, &none, subset);
    }
    fgti_attent_clock c = a->clock;
    bool              fresh, begins;
    fgti_attent_tick(&a->opts, &c, &fresh, &begins);
    if (a->opts.replay) {
        FGTI_TRY(replay(a, &c, &fresh));
    } else if (fresh) {
        FGTI_TRY(fgti_attent_choose(a, &c));
        fgti_attent_sum_up(a);
    }
    a->clock           = c;
    a->chosen          = true;
    a->subset.size     = sizeof a->subset;
    a->subset.index    = a->index;
    a->subset.epoch    = c.epoch;
    a->subset.interval = c.interval;
    a->subset.fresh    = fresh;
    fgti_attent_list(a);
    const fgt_status s = a->opts.log ? fgti_attent_log(a) : FGT_OK;
    fgti_attent_shuffle(a);
    FGTI_TRY(give(a, &a->subset, subset));
    return s;
}

fgt_status fgt_attent_get_subset(const fgt_attent *attent, fgt_attent_subset *subset)
{
    if (!attent) return FGT_E_ARG;
    FGTI_TRY(selector_check_size(attent, subset));
    if (!attent->chosen) return fgti_fail(&attent->ctx->error, FGT_E_STATE, "attent: no epoch has begun");
    return give(attent, &attent->subset, subset);
}
