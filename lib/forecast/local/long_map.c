/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/long_map.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 672, SHARE = 8, AT_A_TIME = 96, LEARNED = 100000 };
#define PENALTY .01

/* Properties of the forms. A form with `mean` or `brief` uses the moments of the form before it, which reads
 * the same rows. */
static const struct {
    bool logs, flat; /* flat: without season */
    bool mean, brief;
} forms[FGTI_LONG_FORMS] = {
    [FGTI_LONG_AROUND_MEAN]               = {.mean = true},
    [FGTI_LONG_SHORT]                     = {.mean = true, .brief = true},
    [FGTI_LONG_WITHOUT_SEASON]            = {.flat = true},
    [FGTI_LONG_OF_LOGARITHMS]             = {.logs = true},
    [FGTI_LONG_LOGARITHMS_WITHOUT_SEASON] = {.logs = true, .flat = true},
};

/* ---- sizes ---- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t lags_of(const fgti_long_maps *m, int64_t n)
{
    enum { WITHOUT_SEASON = 128 };
    const int64_t seasons = m->period > 1 ? 14 * smaller(m->period, LONGEST) : WITHOUT_SEASON;
    const int64_t wanted  = m->longer > m->period ? 2 * smaller(m->longer, LONGEST) : seasons;
    const int64_t most    = smaller(smaller(wanted, LONGEST), n / SHARE);
    return most > m->period ? most - most % m->period : most;
}

static int64_t short_lags(const fgti_long_maps *m)
{
    enum { WITHOUT_SEASON = 32 };
    return smaller(m->period > 1 ? 7 * smaller(m->period, LONGEST) : WITHOUT_SEASON, m->lags / 2);
}

fgt_status fgti_long_maps_new(fgt_context *ctx, int64_t most, int64_t period, int64_t longer, int64_t h,
                              fgti_long_maps *maps)
{
    *maps = (fgti_long_maps){.period = period > 1 ? period : 1, .longer = longer};
    if (most < FGTI_LONG_LEAST) return FGT_OK;
    const int64_t lags = smaller(most / SHARE, LONGEST), steps = smaller(h, AT_A_TIME);
    const int64_t phases = smaller(longer > period ? longer : maps->period, most);
    maps->steps          = steps;
    FGTI_TRY(FGTI_NEW(ctx, FGTI_LONG_FORMS * lags * steps, "maps", &maps->weight));
    FGTI_TRY(FGTI_NEW(ctx, FGTI_LONG_FORMS * steps, "maps", &maps->bias));
    FGTI_TRY(FGTI_NEW(ctx, phases, "maps", &maps->count));
    for (int i = 0; i < 2; i++) FGTI_TRY(FGTI_NEW(ctx, phases, "maps", &maps->scale[i].profile));
    FGTI_TRY(FGTI_NEW(ctx, smaller(most, LEARNED) + FGTI_MOMENTS_MORE, "maps", &maps->rows));
    FGTI_TRY(fgti_moments_new(ctx, lags + steps, &maps->moments));
    return fgti_ridge_new(ctx, lags, steps, &maps->ridge);
}

void fgti_long_maps_done(fgt_context *ctx, fgti_long_maps *maps)
{
    fgti_free(ctx, maps->weight);
    fgti_free(ctx, maps->bias);
    fgti_free(ctx, maps->count);
    for (int i = 0; i < 2; i++) fgti_free(ctx, maps->scale[i].profile);
    fgti_free(ctx, maps->rows);
    fgti_moments_done(ctx, &maps->moments);
    fgti_ridge_done(ctx, &maps->ridge);
}

/* ---- what maps read ---- */

/* Finds the mean and the seasonal profile of rows `begin` to n. Returns false if the rows have no
 * logarithms. */
static bool find_scale(fgti_long_maps *m, bool logs, const double *y, int64_t begin, int64_t n)
{
    enum { SEASONS = 3 };
    fgti_long_scale *s      = &m->scale[logs];
    const bool       longer = m->longer > m->period && (n - begin) / SEASONS >= m->longer;
    double           sum = 0, *count = m->count;
    m->phases = longer ? m->longer : (n - begin) / SEASONS >= m->period ? m->period : 1;
    memset(count, 0, (size_t)m->phases * sizeof *count);
    memset(s->profile, 0, (size_t)m->phases * sizeof *s->profile);
    for (int64_t t = begin; t < n; t++) {
        if (logs && !(y[t] > 0)) return false;
        const double v = logs ? log(y[t]) : y[t];
        sum += v;
        s->profile[t % m->phases] += v;
        count[t % m->phases]++;
    }
    s->mean = sum / (double)(n - begin);
    for (int64_t p = 0; p < m->phases; p++) s->profile[p] = s->profile[p] / count[p] - s->mean;
    return true;
}

/* Transforms values to small numbers around 0, so that sums of products keep their digits. Returns false if a
 * value has no logarithm. */
static bool long_map_transform(const fgti_long_maps *m, fgti_long_form form, const double *y, int64_t n,
                               int64_t end, double *out)
{
    const bool             logs = forms[form].logs;
    const fgti_long_scale *s    = &m->scale[logs];
    for (int64_t i = 0; i < n; i++) {
        if (logs && !(y[i] > 0)) return false;
        out[i] = (logs ? log(y[i]) : y[i]) - s->mean;
        if (forms[form].flat) out[i] -= s->profile[(end - n + i) % m->phases];
    }
    return true;
}

static void long_map_restore(const fgti_long_maps *m, fgti_long_form form, int64_t end, int64_t h, double *f)
{
    const bool             logs = forms[form].logs;
    const fgti_long_scale *s    = &m->scale[logs];
    for (int64_t k = 0; k < h; k++) {
        f[k] += s->mean;
        if (forms[form].flat) f[k] += s->profile[(end + k) % m->phases];
        if (logs) f[k] = exp(f[k]);
    }
}

/* ---- learning ---- */

/* Sums the moments of the rows that a map reads. */
static void long_map_collect(fgti_long_maps *m, fgti_long_form form, const double *y, int64_t n, int64_t end)
{
    long_map_transform(m, form, y, n, end, m->rows);
    for (int64_t i = 0; i < FGTI_MOMENTS_MORE; i++) m->rows[n + i] = 0;
    fgti_moments_clear(&m->moments);
    fgti_moments_add_series(&m->moments, m->rows, n);
}

static void long_map_learn(fgti_long_maps *m, fgti_long_form form)
{
    const int64_t            l = forms[form].brief ? short_lags(m) : m->lags, h = m->steps;
    const fgti_linear_choice choice = {.lags = l, .last = !forms[form].mean, .penalty = PENALTY};
    if (!fgti_ridge_solve(&m->ridge, &m->moments, &choice)) return;
    m->window[form] = l;
    memcpy(m->weight + form * m->lags * h, m->ridge.weight + (m->lags - l) * h,
           (size_t)(l * h) * sizeof *m->weight);
    memcpy(m->bias + form * h, m->ridge.bias, (size_t)h * sizeof *m->bias);
}

/* Takes the part of the memory that n rows need. The memory is large enough for the longest series. */
static void long_map_take_room(fgti_long_maps *m, int64_t n)
{
    m->lags               = lags_of(m, n);
    m->ridge.lags         = m->lags;
    m->moments.size       = m->lags + m->steps;
    m->ridge.above.size   = m->moments.size;
    for (int i = 0; i < FGTI_LONG_FORMS; i++) m->window[i] = 0;
}

void fgti_long_maps_fit(fgti_long_maps *maps, const double *y, int64_t n)
{
    fgti_long_maps *m     = maps;
    const int64_t   begin = n > LEARNED ? n - LEARNED : 0;
    long_map_take_room(m, n);
    find_scale(m, false, y, begin, n);
    const bool positive = find_scale(m, true, y, begin, n);
    for (int i = 0; i < FGTI_LONG_FORMS; i++) {
        const fgti_long_form form = (fgti_long_form)i;
        if (forms[form].logs && !positive) continue;
        if (!forms[form].mean) long_map_collect(m, form, y + begin, n - begin, n);
        long_map_learn(m, form);
    }
}

/* ---- forecasting ---- */

int64_t fgti_long_maps_scratch(int64_t h)
{
    return LONGEST + h + AT_A_TIME;
}

bool fgti_long_maps_forecast(const fgti_long_maps *maps, fgti_long_form form, const double *y, int64_t n,
                             int64_t end, int64_t h, double *scratch, double *f)
{
    const fgti_long_maps *m = maps;
    const int64_t    l = m->window[form], steps = m->steps;
    const double    *weight = m->weight + form * m->lags * steps, *bias = m->bias + form * steps;
    if (!l || n < l || !long_map_transform(m, form, y + n - l, l, end, scratch)) return false;
    for (int64_t k = 0; k < h; k += steps) {
        double *x = scratch + k, *g = x + l;
        memcpy(g, bias, (size_t)steps * sizeof *g);
        for (int64_t i = 0; i < l; i++)
            for (int64_t j = 0; j < steps; j++) g[j] += x[i] * weight[i * steps + j];
    }
    memcpy(f, scratch + l, (size_t)h * sizeof *f);
    long_map_restore(m, form, end, h, f);
    return true;
}
