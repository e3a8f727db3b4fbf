/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects samples. Every sample gets a key of 64 bits. The key depends only on the sample's score and on
 * (seed, epoch, number). The samples with the largest keys are selected; among equal keys, lower numbers come
 * first. Radix selection finds the m-th largest key, and is fast for any input. */
#include "attent/attent_select.h"

#include <math.h>

#include "core/rng.h"

/* Ids of the random streams of an epoch. */
enum { DRAW_KEYS = 0, DRAW_ORDER = 1 };

static fgti_rng attent_select_rng_of(const fgt_attent *a, uint64_t draw, int64_t epoch)
{
    return fgti_rng_of(a->opts.seed, FGTI_STREAM_ATTENT, draw, (uint64_t)epoch);
}

/* ---- keys ---- */

/* Samples in one task of the key computation. It is a multiple of 4, because samples 4 i .. 4 i + 3 share a
 * block of random words. */
#define CHUNK 65536

typedef struct keys {
    const fgt_attent *a;
    uint64_t         *key;
    fgti_rng          rng;
} keys;

#define SIGN (UINT64_C(1) << 63)

/* Maps a double to an unsigned number with the same order. */
static uint64_t ordered(double v)
{
    union {
        double   f;
        uint64_t u;
    } bits = {v + 0.0}; /* -0 becomes +0, because the two are equal */
    return bits.u & SIGN ? ~bits.u : bits.u | SIGN;
}

/* A key for a sample without a score, above the key of every number: one of 2^23 values in random order. */
static uint64_t unknown(uint32_t draw)
{
    return UINT64_C(0xfff8) << 48 | draw >> 9;
}

/* Gumbel noise -log E, where E = -log U and U = (draw + 1/2) / 2^32. U is inside (0,1), so both logarithms
 * are finite. */
static double gumbel(uint32_t draw)
{
    return -log(-log(((double)draw + 0.5) * 0x1p-32));
}

/* The last bits of a key are the draw itself. Without them, with scores near 1e12, the noise would be rounded
 * away, and of equal scores the lower numbers would always win. The other bits still hold 32 bits of the
 * number's fraction. */
#define LAST UINT64_C(0xfffff)

static uint64_t noisy(double log_weight, uint32_t draw)
{
    return (ordered(log_weight + gumbel(draw)) & ~LAST) | draw >> 12;
}

/* log sigmoid(s), without overflow. */
static double log_sigmoid(double s)
{
    return fmin(s, 0) - log1p(exp(-fabs(s)));
}

/* A key for the weight w^(1 / temperature). Samples of weight 0 come after all others, but they can be
 * selected. */
static uint64_t weighted(double w, double temperature, uint32_t draw)
{
    return w > 0 ? noisy(log(w) / temperature, draw) : draw; /* `draw` is below the key of every number */
}

static uint64_t soft_key(const fgt_attent_opts *o, double s, uint32_t draw)
{
    switch (o->weights) {
    case FGT_ATTENT_WEIGHTS_PROPORTIONAL: return weighted(s, o->temperature, draw);
    case FGT_ATTENT_WEIGHTS_SIGMOID: return noisy(log_sigmoid(s) / o->temperature, draw);
    default: return noisy(s / o->temperature, draw);
    }
}

static uint64_t key_of(const fgt_attent *a, int64_t i, uint32_t draw)
{
    const fgt_attent_opts *o = &a->opts;
    const double           s = fgti_attent_score(a, i);
    switch (o->strategy) {
    case FGT_ATTENT_STRATEGY_HARD: return isnan(s) ? unknown(draw) : ordered(s);
    case FGT_ATTENT_STRATEGY_SOFT: return isnan(s) ? unknown(draw) : soft_key(o, s, draw);
    case FGT_ATTENT_STRATEGY_GRADNORM:
        if (a->group) break;
        return isnan(s) ? unknown(draw) : weighted(s, 1, draw);
    case FGT_ATTENT_STRATEGY_RANDOM: return draw;
    default: break;
    }
    return weighted(a->groups[a->group[i]].weight, 1, draw);
}

static void attent_select_run_chunk(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    const keys   *k     = arg;
    const int64_t begin = chunk * CHUNK, n = fgti_attent_n(k->a), end = n - begin < CHUNK ? n : begin + CHUNK;
    for (int64_t i = begin; i < end; i += 4) {
        uint32_t draw[4];
        fgti_rng_block(k->rng, (uint64_t)i / 4, draw);
        for (int64_t j = i; j < i + 4 && j < end; j++) k->key[j] = key_of(k->a, j, draw[j - i]);
    }
}

/* The weight of a group is the mean of its known gradient norms. A group without a known norm gets the mean
 * of all groups. */
static void attent_select_weigh_groups(fgt_attent *a)
{
    const int64_t groups = a->opts.group_count;
    double        sum    = 0;
    int64_t       known  = 0;
    for (int64_t g = 0; g < groups; g++) a->groups[g].sum = 0, a->groups[g].count = 0;
    for (int64_t i = 0; i < fgti_attent_n(a); i++) {
        if (isnan(a->score[i])) continue;
        fgti_attent_group *g = &a->groups[a->group[i]];
        g->sum += (double)a->score[i];
        g->count++;
        sum += (double)a->score[i];
        known++;
    }
    for (int64_t g = 0; g < groups; g++) {
        fgti_attent_group *p = &a->groups[g];
        p->weight            = p->count ? p->sum / (double)p->count : known ? sum / (double)known : 1;
    }
}

/* ---- the m largest keys ---- */

/* Finds the m-th largest key. Each pass looks at 11 bits, from the highest bits on, and the last pass at 9
 * bits. *ties: how many of the m largest keys equal the m-th. */
static uint64_t find_last(int64_t n, const uint64_t *key, int64_t m, int64_t *ties)
{
    uint64_t found = 0, mask = 0;
    for (int left = 64; left > 0; left -= 11) {
        int64_t        count[2048] = {0};
        const int      shift       = left > 11 ? left - 11 : 0;
        const uint64_t bits        = (UINT64_C(1) << (left - shift)) - 1;
        for (int64_t i = 0; i < n; i++)
            if ((key[i] & mask) == found) count[key[i] >> shift & bits]++;
        uint64_t digit = bits;
        for (; count[digit] < m; digit--) m -= count[digit];
        found |= digit << shift;
        mask |= bits << shift;
    }
    *ties = m;
    return found;
}

static void take_largest(fgt_attent *a, const uint64_t *key, int64_t m)
{
    const int64_t  n = fgti_attent_n(a);
    int64_t        ties;
    const uint64_t last = find_last(n, key, m, &ties);
    for (int64_t i = 0; i < n; i++) {
        const bool tie = key[i] == last && ties > 0;
        a->choice[i]   = key[i] > last || tie ? FGTI_SELECTED : FGTI_DROPPED;
        ties -= tie;
    }
}

/* ---- InfoBatch ---- */

/* The mean of the known scores, but at most the largest score. If all scores are equal, rounding could make
 * the mean larger than all of them. With this limit at least one sample is kept. */
static double mean_score(const fgt_attent *a)
{
    double  sum = 0, top = -INFINITY;
    int64_t known = 0;
    for (int64_t i = 0; i < fgti_attent_n(a); i++) {
        const double s = fgti_attent_score(a, i);
        if (isnan(s)) continue;
        sum += s;
        top = s > top ? s : top;
        known++;
    }
    const double mean = known ? sum / (double)known : -INFINITY;
    return mean < top ? mean : top;
}

/* Samples without a score are kept unchanged. */
static void prune(fgt_attent *a, int64_t epoch)
{
    const fgt_attent_opts *o    = &a->opts;
    const bool             all  = (double)epoch > floor(o->prune_until * (double)o->epochs);
    const double           mean = all ? -INFINITY : mean_score(a);
    const fgti_rng         rng  = attent_select_rng_of(a, DRAW_KEYS, epoch);
    for (int64_t i = 0; i < o->samples; i++) {
        const bool below = fgti_attent_score(a, i) < mean; /* false if the score is NaN */
        a->choice[i]     = FGTI_SELECTED;
        if (below)
            a->choice[i] = fgti_rng_uniform(rng, (uint64_t)i) < o->prune ? FGTI_DROPPED : FGTI_RESCALED;
    }
}

/* ---- functions for attent_selector.c ---- */

bool fgti_attent_needs_scores(const fgt_attent_opts *o)
{
    return o->strategy == FGT_ATTENT_STRATEGY_SOFT || o->strategy == FGT_ATTENT_STRATEGY_HARD ||
           o->strategy == FGT_ATTENT_STRATEGY_GRADNORM;
}

int64_t fgti_attent_find_unknown(const fgt_attent *a)
{
    for (int64_t i = 0; i < fgti_attent_n(a); i++)
        if (isnan(a->score[i])) return i;
    return -1;
}

static fgt_status check_scores(const fgt_attent *a, const fgti_attent_clock *c)
{
    const fgt_attent_opts *o = &a->opts;
    if (!fgti_attent_needs_scores(o) || o->scores != FGT_ATTENT_SCORES_PASS || c->count == o->samples)
        return FGT_OK;
    const int64_t i = fgti_attent_find_unknown(a);
    if (i < 0) return FGT_OK;
    return fgti_fail(&a->ctx->error, FGT_E_STATE,
                     "attent: sample %lld has no score yet; a scoring pass is needed before epoch %lld",
                     (long long)i, (long long)c->epoch);
}

fgt_status fgti_attent_choose(fgt_attent *a, const fgti_attent_clock *c)
{
    const int64_t n = fgti_attent_n(a);
    FGTI_TRY(check_scores(a, c));
    if (a->opts.strategy == FGT_ATTENT_STRATEGY_INFOBATCH) {
        prune(a, c->epoch);
    } else if (c->count == n) {
        for (int64_t i = 0; i < n; i++) a->choice[i] = FGTI_SELECTED;
    } else {
        keys k = {.a = a, .key = (uint64_t *)a->index, .rng = attent_select_rng_of(a, DRAW_KEYS, c->epoch)};
        if (a->opts.strategy == FGT_ATTENT_STRATEGY_GRADNORM && a->group) attent_select_weigh_groups(a);
        fgti_parallel(&a->ctx->exec, (n - 1) / CHUNK + 1, attent_select_run_chunk, &k);
        take_largest(a, k.key, c->count);
    }
    return FGT_OK;
}

void fgti_attent_sum_up(fgt_attent *a)
{
    uint64_t hash  = FGTI_HASH_START;
    double   sum   = 0;
    int64_t  count = 0, known = 0;
    for (int64_t i = 0; i < fgti_attent_n(a); i++) {
        if (a->choice[i] == FGTI_DROPPED) continue;
        hash = fgti_attent_hash(hash, i, a->choice[i] == FGTI_RESCALED);
        count++;
        if (isnan(a->score[i])) continue;
        sum += (double)a->score[i];
        known++;
    }
    a->subset.count = count;
    a->subset.hash  = hash;
    a->subset.ratio = (double)count / (double)fgti_attent_n(a);
    a->subset.score = known ? sum / (double)known : NAN;
}

void fgti_attent_list(fgt_attent *a)
{
    int64_t at = 0;
    for (int64_t i = 0; i < fgti_attent_n(a); i++)
        if (a->choice[i] != FGTI_DROPPED) a->index[at++] = i;
}

/* floor(n U) for n <= 2^32, where U in [0,1) has 64 bits. Needs no division, unlike fgti_rng_below(). */
static int64_t below(const uint32_t draw[2], uint64_t n)
{
    return (int64_t)((draw[0] * n + (draw[1] * n >> 32)) >> 32);
}

/* Fisher-Yates shuffle. Two positions share a block of random words. */
void fgti_attent_shuffle(fgt_attent *a)
{
    const fgti_rng rng = attent_select_rng_of(a, DRAW_ORDER, a->clock.epoch);
    if (a->opts.ordered) return;
    for (int64_t i = 0; i < a->subset.count; i += 2) {
        uint32_t draw[4];
        fgti_rng_block(rng, (uint64_t)i / 2, draw);
        for (int64_t k = i; k < i + 2 && k < a->subset.count; k++) {
            const int64_t j    = below(draw + 2 * (k - i), (uint64_t)k + 1);
            const int64_t here = a->index[k];
            a->index[k]        = a->index[j];
            a->index[j]        = here;
        }
    }
}

double fgti_attent_residual(const fgt_attent *a)
{
    const bool norms = a->residual == FGT_ATTENT_RESIDUAL_NORMS;
    double     sum   = 0;
    if (a->residual == FGT_ATTENT_RESIDUAL_NONE) return NAN;
    for (int64_t i = 0; i < fgti_attent_n(a); i++) {
        const double s = (double)a->score[i];
        if (isnan(s)) return NAN;
        sum += norms ? s * s : (double)a->elements * s;
    }
    return sqrt(sum > 0 ? sum : 0);
}
