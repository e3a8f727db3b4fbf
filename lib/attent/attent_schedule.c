/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of ratio and interval: how many samples are selected, and for how many epochs. */
#include "attent/attent_schedule.h"

#include <math.h>

#include "attent/attent_log.h"
#include "attent/attent_select.h"
#include "core/size.h"

#define PI 3.14159265358979323846

/* ---- cycles: epoch 1, then C parts of the other T - 1 epochs ---- */

static bool is_cyclic(const fgt_attent_opts *o)
{
    return o->interval_schedule == FGT_ATTENT_INTERVAL_CYCLES;
}

/* floor(n c / parts) for n >= 0 and c = 0 .. parts. It cannot overflow, because parts is at most a
 * million. */
static int64_t attent_share_of(int64_t n, int64_t c, int64_t parts)
{
    return n / parts * c + n % parts * c / parts;
}

/* The first epoch of part c; for c = C, the epoch after the last part. */
static int64_t first_of(const fgt_attent_opts *o, int64_t c)
{
    return 2 + attent_share_of(o->epochs - 1, c, o->cycles);
}

/* The part that contains epoch t >= 2. */
static int64_t attent_part_of(const fgt_attent_opts *o, int64_t t)
{
    int64_t low = 0, high = o->cycles - 1;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (first_of(o, middle) <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static double progress_of_part(const fgt_attent_opts *o, int64_t c)
{
    return o->cycles > 1 ? (double)c / (double)(o->cycles - 1) : 1;
}

/* Number of epochs of part c that have a subset. They are at its beginning. */
static int64_t chosen_of(const fgt_attent_opts *o, int64_t c)
{
    const int64_t parts = o->cycles > 1 ? o->cycles - 1 : 1, growth = o->interval_end - o->interval;
    const int64_t length = growth < 0 ? o->interval_end + attent_share_of(-growth, parts - c, parts)
                                      : o->interval + attent_share_of(growth, c, parts);
    return fgti_least(length, first_of(o, c + 1) - first_of(o, c));
}

/* Whether epoch t uses all samples. */
static bool has_all(const fgt_attent_opts *o, int64_t t)
{
    if (t == 1) return is_cyclic(o);
    const int64_t c = is_cyclic(o) ? attent_part_of(o, t) : 0;
    return is_cyclic(o) && t >= first_of(o, c) + chosen_of(o, c);
}

/* Number of epochs, from epoch t on, that use the same samples. */
static int64_t length_in_cycle(const fgt_attent_opts *o, int64_t t)
{
    if (t == 1) return 1;
    const int64_t c = attent_part_of(o, t), begin = first_of(o, c);
    return t == begin ? chosen_of(o, c) : first_of(o, c + 1) - t;
}

/* ---- ratio in epoch t; u = (t - 1) / (T - 1), in cycles c / (C - 1) ---- */

static double progress(const fgt_attent_opts *o, int64_t t)
{
    if (is_cyclic(o)) return progress_of_part(o, attent_part_of(o, t));
    return o->epochs > 1 ? (double)(t - 1) / (double)(o->epochs - 1) : 1;
}

static double incremental(const fgt_attent_opts *o, int64_t t)
{
    return o->ratio_start + (o->ratio_end - o->ratio_start) * progress(o, t);
}

static double attent_cosine(const fgt_attent_opts *o, int64_t t)
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
    [FGT_ATTENT_RATIO_COSINE]      = attent_cosine,
    [FGT_ATTENT_RATIO_FIXED]       = fixed,
    [FGT_ATTENT_RATIO_SIMPLE]      = simple,
};

static int64_t attent_count_of(const fgt_attent_opts *o, int64_t t)
{
    if (o->strategy == FGT_ATTENT_STRATEGY_INFOBATCH || has_all(o, t)) return o->samples;
    if (o->count) return o->count;
    const int64_t m = (int64_t)floor(ratios[o->ratio_schedule](o, t) * (double)o->samples + 0.5);
    return m < 1 ? 1 : m > o->samples ? o->samples : m;
}

/* ---- checks of combined options ---- */

fgt_status fgti_attent_check(fgti_error *err, const fgt_attent_opts *o)
{
    const bool moves =
        o->ratio_schedule == FGT_ATTENT_RATIO_INCREMENTAL || o->ratio_schedule == FGT_ATTENT_RATIO_COSINE;
    if (o->strategy == FGT_ATTENT_STRATEGY_INFOBATCH && !o->epochs)
        return fgti_fail(err, FGT_E_ARG, "attent: InfoBatch needs epochs");
    if (moves && !o->epochs)
        return fgti_fail(err, FGT_E_ARG, "attent: a ratio that changes with the epochs needs epochs");
    if (o->count && o->ratio_schedule != FGT_ATTENT_RATIO_FIXED)
        return fgti_fail(err, FGT_E_ARG, "attent: count needs the fixed ratio");
    if (o->count > o->samples)
        return fgti_fail(err, FGT_E_ARG,
                         "attent: count is out of range (got %lld, need at most the %lld samples)",
                         (long long)o->count, (long long)o->samples);
    if (o->stop_below > 0 && o->residual == FGT_ATTENT_RESIDUAL_NONE)
        return fgti_fail(err, FGT_E_ARG, "attent: stop_below needs scores that are mean squares or norms "
                                         "(residual)");
    if (o->rescore && !o->redraw)
        return fgti_fail(err, FGT_E_ARG, "attent: new scores every epoch (rescore) need redraw");
    if (!is_cyclic(o) || o->cycles < o->epochs) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "attent: %lld cycles need more epochs (got %lld, need %lld at least)",
                     (long long)o->cycles, (long long)o->epochs, (long long)o->cycles + 1);
}

/* ---- epoch by epoch ---- */

/* Number of epochs of an interval. With the simple ratio, the first epoch uses all samples and is an interval
 * of its own. */
static int64_t attent_length_of(const fgt_attent_opts *o, fgti_attent_clock *c)
{
    if (o->ratio_schedule == FGT_ATTENT_RATIO_SIMPLE && c->epoch == 1) return 1;
    const int64_t k = c->intervals++;
    if (is_cyclic(o)) return length_in_cycle(o, c->epoch);
    int64_t       more, length;
    if (o->interval_schedule == FGT_ATTENT_INTERVAL_FIXED) return o->interval;
    const bool fits = fgti_size_mul(k, o->growth, &more) && fgti_size_add(o->interval, more, &length);
    return fits ? length : INT64_MAX;
}

bool fgti_attent_draws_always(const fgt_attent_opts *o)
{
    return o->redraw || o->strategy == FGT_ATTENT_STRATEGY_INFOBATCH;
}

void fgti_attent_tick(const fgt_attent_opts *o, fgti_attent_clock *c, bool *fresh, bool *begins)
{
    *begins = c->left == 0;
    *fresh  = *begins || fgti_attent_draws_always(o);
    c->epoch++;
    if (*begins) c->left = c->interval = attent_length_of(o, c);
    c->left--;
    if (*fresh) c->count = attent_count_of(o, c->epoch);
}

int32_t fgt_attent_get_due(const fgt_attent *attent)
{
    if (!attent || attent->opts.scores != FGT_ATTENT_SCORES_PASS) return 0;
    const fgt_attent_opts *o = &attent->opts;
    fgti_attent_clock      c = attent->clock;
    bool                   fresh, begins;
    if ((o->epochs && c.epoch >= o->epochs) || fgti_attent_replays_indices(attent)) return 0;
    fgti_attent_tick(o, &c, &fresh, &begins);
    if (!fgti_attent_needs_scores(o) || c.count == o->samples) return 0;
    /* the interval may have begun with all samples, for which no scores were needed */
    return begins || (fresh && (o->rescore || fgti_attent_find_unknown(attent) >= 0));
}

/* ---- all epochs ---- */

static int64_t count_batches(int64_t count, int64_t batch)
{
    return (count - 1) / batch + 1;
}

/* Number of the next intervals, from epoch t on, that have this number of batches. There may be too many
 * intervals to look at each one. The ratio only rises or only falls, so a binary search finds the number. */
static int64_t attent_count_alike(const fgt_attent_opts *o, int64_t t, int64_t length, int64_t most,
                                  int64_t batch, int64_t batches)
{
    int64_t low = 0, high = most;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (count_batches(attent_count_of(o, t + (middle - 1) * length), batch) == batches)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t fgti_attent_count_batches(const fgt_attent *a, int64_t epochs, int64_t batch)
{
    const fgt_attent_opts *o      = &a->opts;
    fgti_attent_clock      c      = a->clock;
    const bool             always = fgti_attent_draws_always(o);
    const bool             cyclic = is_cyclic(o), fixed = o->interval_schedule == FGT_ATTENT_INTERVAL_FIXED;
    const bool             even   = !cyclic && (always || fixed);
    const int64_t          length = always ? 1 : o->interval; /* epochs in each interval */
    int64_t                total = 0, more;
    bool                   fresh, begins;
    if (o->epochs) epochs = fgti_least(epochs, o->epochs - c.epoch);
    while (epochs > 0) {
        fgti_attent_tick(o, &c, &fresh, &begins);
        const int64_t batches = count_batches(c.count, batch);
        int64_t       n       = always && !cyclic ? 1 : fgti_least(1 + c.left, epochs);
        if (even)
            n += length * attent_count_alike(o, c.epoch + n, length, (epochs - n) / length, batch, batches);
        if (!fgti_size_mul(n, batches, &more) || !fgti_size_add(total, more, &total)) return -1;
        epochs -= n;
        c.epoch += n - 1;
        c.left = 0;
    }
    return total;
}
