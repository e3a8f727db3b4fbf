/* SPDX-License-Identifier: BSD-3-Clause */
/* Ratio and interval schedules: how many samples are selected, and for how many epochs. */
#include <math.h>

#include "attent/attent_impl.h"

#define PI 3.14159265358979323846

/* ---- ratios of epoch t; u = (t - 1) / (T - 1) ---- */

static double progress(const fgt_attent_opts *o, int64_t t)
{
    return o->epochs > 1 ? (double)(t - 1) / (double)(o->epochs - 1) : 1;
}

static double incremental(const fgt_attent_opts *o, int64_t t)
{
    return o->ratio_start + (o->ratio_end - o->ratio_start) * progress(o, t);
}

static double cosine(const fgt_attent_opts *o, int64_t t)
{
    return o->ratio_end - (o->ratio_end - o->ratio_start) * (1 + cos(PI * progress(o, t))) / 2;
}

static double fixed(const fgt_attent_opts *o, int64_t t)
{
    (void)t;
    return o->ratio;
}

static double simple(const fgt_attent_opts *o, int64_t t)
{
    return t == 1 ? 1 : o->ratio;
}

static double (*const ratios[])(const fgt_attent_opts *o, int64_t t) = {
    [FGT_ATTENT_RATIO_INCREMENTAL] = incremental,
    [FGT_ATTENT_RATIO_COSINE]      = cosine,
    [FGT_ATTENT_RATIO_FIXED]       = fixed,
    [FGT_ATTENT_RATIO_SIMPLE]      = simple,
};

static int64_t count_of(const fgt_attent_opts *o, int64_t t)
{
    if (o->strategy == FGT_ATTENT_INFOBATCH) return o->samples;
    if (o->count) return o->count;
    const int64_t m = (int64_t)floor(ratios[o->ratio_schedule](o, t) * (double)o->samples + 0.5);
    return m < 1 ? 1 : m > o->samples ? o->samples : m;
}

/* ---- options that depend on others ---- */

fgt_status fgti_attent_check(fgti_error *err, const fgt_attent_opts *o)
{
    const bool moves =
        o->ratio_schedule == FGT_ATTENT_RATIO_INCREMENTAL || o->ratio_schedule == FGT_ATTENT_RATIO_COSINE;
    if (o->strategy == FGT_ATTENT_INFOBATCH && !o->epochs)
        return fgti_fail(err, FGT_E_ARG, "attent: InfoBatch needs epochs");
    if (moves && !o->epochs)
        return fgti_fail(err, FGT_E_ARG, "attent: a ratio that changes with the epochs needs epochs");
    if (o->count && o->ratio_schedule != FGT_ATTENT_RATIO_FIXED)
        return fgti_fail(err, FGT_E_ARG, "attent: count needs the fixed ratio");
    if (o->count > o->samples)
        return fgti_fail(err, FGT_E_ARG, "attent: count is %lld, there are %lld samples", (long long)o->count,
                         (long long)o->samples);
    return FGT_OK;
}

bool fgti_attent_needs_scores(const fgt_attent_opts *o)
{
    return o->strategy == FGT_ATTENT_SOFT || o->strategy == FGT_ATTENT_HARD ||
           o->strategy == FGT_ATTENT_GRADNORM;
}

/* ---- epoch by epoch ---- */

/* The first epoch of the simple ratio has all samples and belongs to no interval. */
static int64_t length_of(const fgt_attent_opts *o, fgti_attent_clock *c)
{
    if (o->ratio_schedule == FGT_ATTENT_RATIO_SIMPLE && c->epoch == 1) return 1;
    const int64_t k = c->intervals++;
    int64_t       more, length;
    if (o->interval_schedule == FGT_ATTENT_INTERVAL_FIXED) return o->interval;
    const bool fits = fgti_size_mul(k, o->growth, &more) && fgti_size_add(o->interval, more, &length);
    return fits ? length : INT64_MAX;
}

void fgti_attent_tick(const fgt_attent_opts *o, fgti_attent_clock *c, bool *fresh, bool *begins)
{
    const bool every = o->redraw || o->strategy == FGT_ATTENT_INFOBATCH;
    *begins          = c->left == 0;
    *fresh           = *begins || every;
    c->epoch++;
    if (*begins) c->left = c->interval = length_of(o, c);
    c->left--;
    if (*fresh) c->count = count_of(o, c->epoch);
}

int32_t fgt_attent_get_due(const fgt_attent *attent)
{
    if (!attent || attent->opts.scores != FGT_ATTENT_SCORES_PASS) return 0;
    const fgt_attent_opts *o = &attent->opts;
    fgti_attent_clock      c = attent->clock;
    bool                   fresh, begins;
    if ((o->epochs && c.epoch >= o->epochs) || fgti_attent_replays_indices(attent)) return 0;
    fgti_attent_tick(o, &c, &fresh, &begins);
    return begins && fgti_attent_needs_scores(o) && c.count < o->samples;
}

int64_t fgti_attent_count_batches(const fgt_attent *a, int64_t epochs, int64_t batch)
{
    const fgt_attent_opts *o     = &a->opts;
    fgti_attent_clock      c     = a->clock;
    int64_t                total = 0;
    bool                   fresh, begins;
    for (int64_t e = 0; e < epochs && !(o->epochs && c.epoch >= o->epochs); e++) {
        fgti_attent_tick(o, &c, &fresh, &begins);
        if (!fgti_size_add(total, (c.count - 1) / batch + 1, &total)) return -1;
    }
    return total;
}
