/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/local_members.h"

#include <math.h>
#include <string.h>

#include "forecast/local/lags.h"
#include "forecast/local/rare.h"
#include "forecast/local/season.h"
#include "forecast/local/simple.h"
#include "forecast/local/smooth.h"

enum { THETA = 6 }; /* the member that can always forecast */

/* Writes a forecast; returns false if there are too few rows. */
typedef bool (*member_fn)(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f);

/* ---- rows that are copied or averaged ---- */

static bool last_value(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)maps;
    fgti_last_value(p->y, p->n, h, f);
    return true;
}

static bool last_value_with_drift(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)maps;
    fgti_drift(p->y, p->n, h, f);
    return true;
}

static bool mean_of_all(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)maps;
    fgti_mean(p->y, p->n, h, f);
    return true;
}

static bool rate(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    const double mean = fgti_rare_rate(p->y, p->n);
    (void)maps;
    for (int64_t k = 0; k < h; k++) f[k] = mean;
    return true;
}

static bool local_median(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)maps;
    fgti_recent_median(p->y, p->n, 3 * p->period > 8 ? 3 * p->period : 8, h, p->scratch, f);
    return true;
}

static bool seasonal_value(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)maps;
    return p->period > 1 && fgti_seasonal_value(p->y, p->n, p->period, h, f);
}

static bool phase_means(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)maps;
    return p->period > 1 && fgti_phase_means(p->y, p->n, p->period, h, f);
}

static bool long_phase_means(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)maps;
    return p->longer > 1 && p->n >= 2 * p->longer && fgti_phase_means(p->y, p->n, p->longer, h, f);
}

/* ---- smoothing, on both scales ---- */

static bool smooth(const fgti_history *p, const fgti_flat *flat, fgti_trend trend, int64_t h, double *f)
{
    if (!flat->rest) return false;
    fgti_smooth(flat->rest, p->n, trend, h, f);
    fgti_history_restore(p, flat, h, f);
    return true;
}

#define SMOOTH(name, flat, trend)                                                        \
    static bool name(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f) \
    {                                                                                    \
        (void)maps;                                                                      \
        return smooth(p, &p->flat, trend, h, f);                                         \
    }
SMOOTH(level, values, FGTI_TREND_NONE)
SMOOTH(theta, values, FGTI_TREND_THETA)
SMOOTH(ends, values, FGTI_TREND_ENDS)
SMOOTH(damped, values, FGTI_TREND_DAMPED)
SMOOTH(log_level, logs, FGTI_TREND_NONE)
SMOOTH(log_theta, logs, FGTI_TREND_THETA)
SMOOTH(log_ends, logs, FGTI_TREND_ENDS)
SMOOTH(log_damped, logs, FGTI_TREND_DAMPED)

/* ---- smoothing of blocks ---- */

/* Number of rows of a short block, a quarter of a season; a long block is a season. In weeks of days the
 * blocks are a week and four weeks, because a quarter of a week says little. */
static int64_t short_block(const fgti_history *p)
{
    if (p->period == 7) return 7;
    return p->period >= 8 ? p->period / 4 : 2;
}

static int64_t long_block(const fgti_history *p)
{
    if (p->period == 7) return 28;
    return p->period > 2 ? p->period : 3;
}

static bool blocks(const fgti_history *p, int64_t size, fgti_trend trend, int64_t h, double *f)
{
    if (p->n / size < 4) return false;
    fgti_smooth_blocks(p->values.rest, p->n, size, trend, h, p->scratch, f);
    fgti_history_restore(p, &p->values, h, f);
    return true;
}

#define BLOCKS(name, size, trend)                                                        \
    static bool name(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f) \
    {                                                                                    \
        (void)maps;                                                                      \
        return blocks(p, size(p), trend, h, f);                                          \
    }
BLOCKS(short_damped, short_block, FGTI_TREND_DAMPED)
BLOCKS(short_theta, short_block, FGTI_TREND_THETA)
BLOCKS(long_damped, long_block, FGTI_TREND_DAMPED)
BLOCKS(long_theta, long_block, FGTI_TREND_THETA)

/* ---- linear functions of the past ---- */

static bool lags(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    return fgti_lags(maps->vec, p->y, p->n, p->period, h, p->scratch, f);
}

static bool log_lags(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    double *y = p->scratch;
    if (!p->logs.rest) return false;
    for (int64_t t = 0; t < p->n; t++) y[t] = log(p->y[t]);
    if (!fgti_lags(maps->vec, y, p->n, p->period, h, y + p->n, f)) return false;
    for (int64_t k = 0; k < h; k++) f[k] = exp(f[k]);
    return true;
}

static bool shared(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)h;
    if (!maps->values) return false;
    fgti_shared_forecast(maps->values, p->y, p->n, p->scratch, f);
    return true;
}

static bool shared_flat(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    if (!maps->flat || p->period < 2) return false;
    fgti_shared_forecast(maps->flat, p->values.rest, p->n, p->scratch, f);
    fgti_history_restore(p, &p->values, h, f);
    return true;
}

#define LONG_MAP(name, form)                                                                      \
    static bool name(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)          \
    {                                                                                             \
        return maps->own &&                                                                       \
               fgti_long_maps_forecast(maps->own, form, p->y, p->n, maps->end, h, p->scratch, f); \
    }
LONG_MAP(above_last, FGTI_LONG_ABOVE_LAST)
LONG_MAP(around_mean, FGTI_LONG_AROUND_MEAN)
LONG_MAP(short_map, FGTI_LONG_SHORT)
LONG_MAP(without_season, FGTI_LONG_WITHOUT_SEASON)
LONG_MAP(of_logarithms, FGTI_LONG_OF_LOGARITHMS)
LONG_MAP(logarithms_without_season, FGTI_LONG_LOGARITHMS_WITHOUT_SEASON)

static bool model(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    (void)p;
    if (maps->model) memcpy(f, maps->model, (size_t)h * sizeof *f);
    return maps->model != NULL;
}

static const struct {
    const char *name;
    member_fn   forecast;
} members[FGTI_MEMBERS] = {
    [FGTI_LAST_VALUE] = {"last value", last_value},
    {"recent median", local_median},
    [FGTI_SEASONAL_VALUE] = {"seasonal value", seasonal_value},
    {"phase means", phase_means},
    [FGTI_LONG_PHASE_MEANS] = {"long phase means", long_phase_means},
    {"level", level},
    {"theta", theta},
    {"drift", ends},
    {"damped trend", damped},
    {"level of logarithms", log_level},
    {"theta of logarithms", log_theta},
    {"drift of logarithms", log_ends},
    {"damped trend of logarithms", log_damped},
    {"damped trend of short blocks", short_damped},
    {"theta of short blocks", short_theta},
    {"damped trend of long blocks", long_damped},
    {"theta of long blocks", long_theta},
    {"lags", lags},
    {"lags of logarithms", log_lags},
    {"shared map", shared},
    {"shared map without season", shared_flat},
    [FGTI_DRIFT] = {"last value with drift", last_value_with_drift},
    [FGTI_MEAN]  = {"mean", mean_of_all},
    [FGTI_RATE]  = {"rate", rate},
    {"long map", above_last},
    {"long map around mean", around_mean},
    {"short map around mean", short_map},
    {"long map without season", without_season},
    {"long map of logarithms", of_logarithms},
    {"long map of logarithms without season", logarithms_without_season},
    [FGTI_MODEL] = {"trained model", model},
};

const char *fgti_member_name(int member)
{
    return members[member].name;
}

static void keep_closed(const fgti_history *p, int64_t h, double *f)
{
    for (int64_t phase = 0; phase < p->period && phase < h; phase++) {
        if (!fgti_season_closed(p->y, p->n, p->period, phase)) continue;
        for (int i = 0; i < FGTI_MEMBERS; i++)
            for (int64_t k = phase; k < h; k += p->period) f[i * h + k] = p->y[p->n - p->period + phase];
    }
}

/* The upper bound of a forecast. It is the largest value plus twice the range or, if larger, the largest
 * value times the growth over h rows. Growth is measured from each third of the rows to the next third; the
 * smaller growth counts. */
static double find_high(const fgti_history *p, int64_t h, double range)
{
    enum { LEAST = 3 };
    const double  most     = p->most + 2 * range;
    const int64_t third    = p->n / 3;
    double        level[3] = {0};
    if (third < LEAST || p->least < 0) return most;
    for (int i = 0; i < 3; i++)
        for (int64_t t = 0; t < third; t++) level[i] += p->y[p->n - (3 - i) * third + t];
    if (!(level[0] > 0 && level[1] > 0)) return most;
    const double growth = fmin(level[1] / level[0], level[2] / level[1]);
    return fmax(most, p->most * pow(growth, (double)h / (double)third));
}

/* Whether all rows lie on a straight line, within rounding. */
static bool is_line(const fgti_history *p)
{
    enum { LEAST = 5 };
    const double all = p->y[p->n - 1] - p->y[0], size = fmax(fabs(p->most), fabs(p->least));
    const double near = 1e-9 * (p->most - p->least) + 1e-14 * size;
    bool         is  = p->n >= LEAST || p->least == p->most;
    for (int64_t t = 1; is && t < p->n; t++)
        is = fabs(p->y[t] - p->y[0] - all * (double)t / (double)(p->n - 1)) <= near;
    return is;
}

void fgti_members_forecast(const fgti_history *p, const fgti_maps *maps, int64_t h, double *f)
{
    if (is_line(p)) { /* all members continue the line */
        for (int i = 0; i < FGTI_MEMBERS; i++) fgti_drift(p->y, p->n, h, f + i * h);
        return;
    }
    const double range = fmax(p->most - p->least, 1e-9);
    const double low = p->least >= 0 ? 0 : p->least - 2 * range, high = find_high(p, h, range);
    bool         has[FGTI_MEMBERS];
    for (int i = 0; i < FGTI_MEMBERS; i++) {
        double *g = f + i * h;
        has[i]    = members[i].forecast(p, maps, h, g);
        for (int64_t k = 0; has[i] && k < h; k++)
            g[k] = isnan(g[k]) ? p->y[p->n - 1] : fmin(fmax(g[k], low), high);
    }
    for (int i = 0; i < FGTI_MEMBERS; i++)
        if (!has[i]) memcpy(f + i * h, f + THETA * h, (size_t)h * sizeof *f);
    keep_closed(p, h, f);
}
