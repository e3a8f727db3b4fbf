/* SPDX-License-Identifier: BSD-3-Clause */
/* One trial of a search: train a candidate, measure it and keep it. */
#include "forecast/search/search_trial.h"

#include <math.h>

#include <fighter/experimental/defaults.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/evaluate.h>

#include "core/clock.h"
#include "core/size.h"
#include "forecast/fit/fit.h"
#include "forecast/forecaster_create.h"
#include "forecast/search/search_measure.h"

/* ---- the budget ---- */

double fgti_search_spent(const fgti_search *s)
{
    const double seconds = s->o.seconds > 0 ? (fgti_now() - s->start) / s->o.seconds : s->o.seconds < 0;
    const double epochs  = s->o.epochs ? (double)s->report.epochs / (double)s->o.epochs : 0;
    return seconds > epochs ? seconds : epochs;
}

bool fgti_search_is_over(fgti_search *s)
{
    if (!s->report.cancelled && fgti_search_spent(s) >= 1) s->report.exhausted = 1;
    return s->report.cancelled || s->report.exhausted;
}

/* Limits the epochs to the number that the budget probably allows. The learning rate falls to 0 within this
 * number, so it must be known before. */
static int64_t fit_in(const fgti_search *s, const fgti_candidate *c, int64_t epochs)
{
    const double left = s->o.seconds > 0 ? s->o.seconds - (fgti_now() - s->start) - s->measuring : 0;
    if (s->o.epochs) epochs = fgti_least(epochs, s->o.epochs - s->report.epochs);
    if (s->fit.training.epochs) epochs = fgti_least(epochs, s->fit.training.epochs - c->epochs);
    if (s->o.seconds > 0 && c->epochs && left * (double)c->epochs < c->training * (double)epochs)
        epochs = (int64_t)(left * (double)c->epochs / c->training);
    return epochs > 0 ? epochs : 0;
}

/* ---- one training ---- */

static int watch(void *user, const fgt_progress *p)
{
    fgti_search *s = user;
    if (s->fit.training.progress && s->fit.training.progress(s->fit.training.user, p))
        s->report.cancelled = 1;
    /* the first epoch of the first candidate is always finished, so that the search has a result */
    const double rest = s->o.seconds > 0 ? s->measuring / s->o.seconds : 0;
    s->cut            = fgti_search_spent(s) + rest >= 1 && (s->result.file || p->epoch > 1 || p->epoch_done);
    return s->cut || s->report.cancelled;
}

/* EPOCH_SERIES: number of windows in an epoch times number of inputs. EPOCH_WINDOWS: the fewest windows of an
 * epoch. Neighbouring windows are similar, and a candidate must show its quality before the budget is spent.
 * With 21 series (Weather) an epoch has a twelfth of the windows, with 7 series (ETTh1) all windows. */
enum { EPOCH_SERIES = 65536, EPOCH_WINDOWS = 1024 };

/* Selects random windows for an epoch if there are more windows than these limits. *out stays NULL if there
 * are not more, or if the host has set `thin`. */
static fgt_status trial_draw(const fgti_search *s, const fgt_forecaster *f, const fgt_forecaster_fit_opts *o,
                             fgt_attent **out)
{
    const int64_t         n = fgt_forecaster_count_windows(f, s->split->train_begin, s->split->train_end, 1);
    const int64_t         some = EPOCH_SERIES / s->inputs, most = some > EPOCH_WINDOWS ? some : EPOCH_WINDOWS;
    const fgt_attent_opts a = {.size              = sizeof a,
                               .samples           = n,
                               .epochs            = o->training.epochs,
                               .count             = most,
                               .seed              = o->training.seed,
                               .strategy          = FGT_ATTENT_STRATEGY_RANDOM,
                               .ratio_schedule    = FGT_ATTENT_RATIO_FIXED,
                               .interval_schedule = FGT_ATTENT_INTERVAL_FIXED};
    return n > most && o->thin < 2 ? fgt_attent_create(s->ctx, &a, out) : FGT_OK;
}

/* Trains a candidate. If numbers become non-finite, the candidate keeps the weights of its best epoch and is
 * measured with them. */
static fgt_status trial_train(fgti_search *s, fgti_candidate *c, fgt_forecaster *f, int64_t epochs)
{
    fgt_forecaster_fit_opts o     = c->fit;
    fgt_fit_report          r     = {.size = sizeof r};
    const double            start = fgti_now();
    o.training.epochs             = epochs;
    o.start_patience              = -1; /* off, because a rung is short */
    o.training.seed               = s->fit.training.seed + (uint64_t)c->rung;
    o.training.progress           = watch;
    o.training.user               = s;
    FGTI_TRY(trial_draw(s, f, &o, &o.training.selector));
    const fgt_status status = fgt_forecaster_fit(f, s->table, s->split, &o, &r);
    fgt_attent_destroy(&o.training.selector);
    c->epochs += r.epochs;
    c->training += fgti_now() - start;
    s->report.epochs += r.epochs;
    s->report.samples += r.samples;
    return status == FGT_E_NONFINITE ? FGT_OK : status;
}

/* ---- keeping ---- */

static fgt_status trial_keep(fgti_search *s, fgt_forecaster *f, double loss, fgti_stored_forecaster *kept)
{
    fgti_stored_forecaster next = {.loss = loss};
    FGTI_TRY(fgt_forecaster_save(f, FGT_TO_MEMORY(NULL, 0, &next.bytes)));
    FGTI_TRY(fgti_alloc(s->ctx, next.bytes, 1, "candidate", &next.file));
    const fgt_status status = fgt_forecaster_save(f, FGT_TO_MEMORY(next.file, next.bytes, &next.bytes));
    if (status != FGT_OK) {
        fgti_free(s->ctx, next.file);
        return status;
    }
    fgti_free(s->ctx, kept->file);
    *kept = next;
    return FGT_OK;
}

/* Number of standard errors by which a gain is lowered. With so many candidates, some are better on the
 * validation rows by chance. So the lower bound of the gain over the best map counts, at 97.5 % confidence.
 * docs/results/programs.md, "Searching", shows the effect on ETTh1. */
#define ERRORS 2

static double sure_gain(const fgti_score_of *score)
{
    return score->gain - ERRORS * score->error;
}

/* Whether a candidate is the best map so far. The first map has the default look-back and calendar. Another
 * map must be better by the lower bound of its gain. */
static bool is_best_map(const fgti_search *s, const fgti_candidate *c, const fgti_score_of *score)
{
    return c->is_map && isfinite(score->loss) && (!isfinite(s->map_loss) || sure_gain(score) > 0);
}

static bool is_result(const fgti_search *s, const fgti_candidate *c, const fgti_score_of *score)
{
    if (!c->can_win || !isfinite(score->loss)) return false;
    if (c->is_map) return is_best_map(s, c, score);
    if (!isfinite(s->map_loss)) return score->loss < s->result.loss;
    /* with few windows no gain is sure, but a first result is needed */
    return !s->result.file || sure_gain(score) > s->sure_gain;
}

static fgt_status trial_tell(fgti_search *s, int64_t i, const fgt_forecaster *f, int64_t members,
                             const fgti_score_of *score, bool best)
{
    const fgti_candidate   *c    = &s->candidate[i];
    fgt_forecaster_opts     make = {.size = sizeof make};
    fgt_forecaster_fit_opts fit  = {.size = sizeof fit};
    s->report.trials++;
    if (!s->o.trial) return FGT_OK;
    FGTI_TRY(fgt_forecaster_opts_init(s->ctx, s->table, &c->make, &make));
    FGTI_TRY(fgt_forecaster_fit_opts_init(f, 0, &c->fit, &fit));
    fit.training.epochs      = c->epochs;
    const fgt_search_trial t = {.size      = sizeof t,
                                .opts      = &make,
                                .fit       = &fit,
                                .candidate = i,
                                .rung      = c->rung,
                                .epochs    = c->epochs,
                                .members   = members,
                                .seconds   = c->seconds,
                                .loss      = score->loss,
                                .gain      = score->gain,
                                .error     = score->error,
                                .least     = s->result.loss,
                                .best      = best,
                                .cut       = s->cut || s->report.cancelled};
    if (s->o.trial(s->o.user, &t) != FGT_OK) s->report.cancelled = 1;
    return FGT_OK;
}

/* ---- one trial ---- */

static fgt_status trial_get(fgti_search *s, fgti_candidate *c, fgt_forecaster **f)
{
    if (c->kept.file)
        return fgt_forecaster_load(s->ctx, FGT_FROM_MEMORY(c->kept.file, c->kept.bytes), NULL, f);
    FGTI_TRY(fgti_forecaster_make(s->ctx, &c->make, s->table, s->split, &s->forms, f));
    const fgt_forecaster_info *i = &(*f)->info;
    c->make.input_len            = i->input_len;
    c->make.inputs.calendar      = i->calendar ? i->calendar : FGT_CALENDAR_NONE;
    return FGT_OK;
}

/* Measures candidate i, keeps it if it is the best so far, and reports it to the host. If `members` is above
 * 1, f is the mean of that many candidates, and i is the first of these. */
static fgt_status trial_judge(fgti_search *s, int64_t i, fgt_forecaster *f, int64_t members, double start)
{
    fgti_candidate *c = &s->candidate[i];
    fgti_score_of   score;
    const double    begin = fgti_now();
    FGTI_TRY(fgti_search_measure(s, f, &score));
    s->measuring = fgti_now() - begin;
    if (members == 1 && score.loss < c->kept.loss) FGTI_TRY(trial_keep(s, f, score.loss, &c->kept));
    const bool best = is_result(s, c, &score);
    if (best) {
        FGTI_TRY(trial_keep(s, f, score.loss, &s->result));
        if (!c->is_map) s->sure_gain = sure_gain(&score);
        s->report.best        = i;
        s->report.best_epochs = c->epochs;
        s->report.members     = members;
    }
    if (is_best_map(s, c, &score)) fgti_search_set_map(s, i, score.loss);
    c->seconds += fgti_now() - start;
    return trial_tell(s, i, f, members, &score, best);
}

static fgt_status trial_run(fgti_search *s, int64_t i, fgt_forecaster *f, int64_t epochs, double start)
{
    fgti_candidate *c = &s->candidate[i];
    s->cut            = false;
    FGTI_TRY(epochs ? trial_train(s, c, f, epochs) : fgti_forecaster_start(f, s->table, s->split));
    if (s->cut) s->report.exhausted = 1;
    fgti_forecaster_remember(f, s->table, s->split);
    FGTI_TRY(trial_judge(s, i, f, 1, start));
    c->rung++;
    return FGT_OK;
}

fgt_status fgti_search_try(fgti_search *s, int64_t candidate, int64_t epochs)
{
    fgti_candidate *c     = &s->candidate[candidate];
    fgt_forecaster *f     = NULL;
    const double    start = fgti_now();
    const int64_t   some  = epochs && s->result.file ? fit_in(s, c, epochs) : epochs;
    if (epochs && !some) {
        s->report.exhausted = !s->fit.training.epochs || c->epochs < s->fit.training.epochs;
        return FGT_OK;
    }
    fgt_status status = trial_get(s, c, &f);
    if (status == FGT_OK) status = trial_run(s, candidate, f, some, start);
    fgt_forecaster_destroy(&f);
    return status;
}

fgt_status fgti_search_try_mean(fgti_search *s, const int64_t *members, int64_t count)
{
    fgt_forecaster *f[FGTI_MEMBERS] = {NULL}, *mean = NULL;
    const double    start  = fgti_now();
    fgt_status      status = FGT_OK;
    s->cut                 = false;
    for (int64_t i = 0; status == FGT_OK && i < count; i++)
        status = trial_get(s, &s->candidate[members[i]], &f[i]);
    if (status == FGT_OK) status = fgt_forecaster_create_mean(s->ctx, f, count, &mean);
    if (status == FGT_OK) fgti_forecaster_remember(mean, s->table, s->split);
    if (status == FGT_OK) status = trial_judge(s, members[0], mean, count, start);
    fgt_forecaster_destroy(&mean);
    for (int64_t i = 0; i < count; i++) fgt_forecaster_destroy(&f[i]);
    return status;
}
