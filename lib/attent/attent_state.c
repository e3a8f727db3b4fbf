/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a selector as bytes: a header, n scores (float), n choices (one byte each). */
#include <math.h>
#include <string.h>

#include "attent/attent_impl.h"
#include "attent/attent_schedule.h"
#include "attent/attent_select.h"

/* "fgtatte1" on a little-endian machine. With the other byte order the number is different, so the state is
 * refused. */
#define MAGIC UINT64_C(0x3165747461746766)

typedef struct saved {
    uint64_t          magic;
    int64_t           samples, strategy;
    uint64_t          seed, hash;
    fgti_attent_clock clock;
    int64_t           fresh, count; /* count: samples in the subset; 0: there is no subset */
    double            score, residual;
} saved;

_Static_assert(sizeof(saved) == 14 * 8, "padding would be indeterminate bytes in checkpoints");

int64_t fgti_attent_state_bytes(const fgt_attent *attent)
{
    if (!attent) return 0;
    return (int64_t)sizeof(saved) + fgti_attent_n(attent) * (int64_t)(sizeof(float) + 1);
}

static fgt_status attent_state_check_size(const fgt_attent *a, const void *data, int64_t size)
{
    if (!data) return fgti_fail(&a->ctx->error, FGT_E_ARG, "attent: the state is NULL");
    if (size == fgti_attent_state_bytes(a)) return FGT_OK;
    return fgti_fail(&a->ctx->error, FGT_E_SIZE,
                     "attent: the state has the wrong size (got %lld bytes, need %lld)", (long long)size,
                     (long long)fgti_attent_state_bytes(a));
}

fgt_status fgt_attent_get_state(const fgt_attent *attent, void *buffer, int64_t capacity, int64_t *bytes)
{
    if (!attent) return FGT_E_ARG;
    if (!bytes) return fgti_fail(&attent->ctx->error, FGT_E_ARG, "attent: bytes is NULL");
    *bytes = fgti_attent_state_bytes(attent);
    if (!buffer) return FGT_OK;
    if (capacity < *bytes)
        return fgti_fail(&attent->ctx->error, FGT_E_SIZE,
                         "attent: the buffer is too small (got %lld bytes, need %lld)", (long long)capacity,
                         (long long)*bytes);
    const fgt_attent *a = attent;
    const int64_t     n = fgti_attent_n(a);
    const saved       s = {.magic    = MAGIC,
                           .samples  = n,
                           .strategy = a->opts.strategy,
                           .seed     = a->opts.seed,
                           .hash     = a->subset.hash,
                           .clock    = a->clock,
                           .fresh    = a->subset.fresh,
                           .count    = a->chosen ? a->subset.count : 0,
                           .score    = a->subset.score,
                           .residual = a->subset.residual};
    char             *p = buffer;
    memcpy(p, &s, sizeof s);
    memcpy(p + sizeof s, a->score, (size_t)n * sizeof(float));
    p += sizeof s + (size_t)n * sizeof(float);
    if (s.count)
        memcpy(p, a->choice, (size_t)n);
    else
        memset(p, FGTI_DROPPED, (size_t)n);
    return FGT_OK;
}

/* Whether the schedules can lead to this state, and whether the subset has this hash and count. */
static bool is_sound(const fgt_attent *a, const saved *s, const char *scores, const char *choices)
{
    const fgti_attent_clock *c = &s->clock;
    if (c->epoch < 0 || c->epoch == INT64_MAX || c->intervals < 0 || c->intervals > c->epoch ||
        c->interval < 0 || c->left < 0 || c->left > c->interval || c->count < 0 || c->count > s->samples ||
        s->fresh < 0 || s->fresh > 1)
        return false;
    if (!s->count && c->left && !fgti_attent_draws_always(&a->opts)) return false; /* a subset is needed */
    int64_t  count = 0;
    uint64_t hash  = FGTI_HASH_START;
    for (int64_t i = 0; i < fgti_attent_n(a); i++) {
        float score;
        memcpy(&score, scores + i * (int64_t)sizeof score, sizeof score);
        if (isinf(score) || (uint8_t)choices[i] >= FGTI_CHOICES) return false;
        if (choices[i] == FGTI_RESCALED && a->opts.strategy != FGT_ATTENT_STRATEGY_INFOBATCH) return false;
        if (choices[i] == FGTI_DROPPED) continue;
        hash = fgti_attent_hash(hash, i, choices[i] == FGTI_RESCALED);
        count++;
    }
    return count == s->count && (!count || hash == s->hash);
}

fgt_status fgt_attent_set_state(fgt_attent *attent, const void *data, int64_t size)
{
    if (!attent) return FGT_E_ARG;
    FGTI_TRY(attent_state_check_size(attent, data, size));
    fgt_attent   *a      = attent;
    fgti_error   *err    = &a->ctx->error;
    const int64_t n      = fgti_attent_n(a);
    const char   *scores = (const char *)data + sizeof(saved), *choices = scores + (size_t)n * sizeof(float);
    saved         s;
    memcpy(&s, data, sizeof s);
    if (s.magic != MAGIC)
        return fgti_fail(err, FGT_E_FORMAT, "attent: not a state of this byte order and version");
    if (s.samples != n || s.strategy != a->opts.strategy || s.seed != a->opts.seed)
        return fgti_fail(
            err, FGT_E_FORMAT,
            "attent: the state is of another selector (got %lld samples, strategy %lld and seed %llu, need "
            "%lld, %d and %llu)",
            (long long)s.samples, (long long)s.strategy, (unsigned long long)s.seed, (long long)n,
            a->opts.strategy, (unsigned long long)a->opts.seed);
    if (!is_sound(a, &s, scores, choices))
        return fgti_fail(err, FGT_E_FORMAT, "attent: the state is damaged");
    memcpy(a->score, scores, (size_t)n * sizeof(float));
    memcpy(a->choice, choices, (size_t)n);
    a->clock     = s.clock;
    a->chosen    = s.count > 0;
    a->replay_at = 0;
    a->subset    = (fgt_attent_subset){.size     = sizeof a->subset,
                                       .index    = a->index,
                                       .count    = s.count,
                                       .epoch    = s.clock.epoch,
                                       .interval = s.clock.interval,
                                       .hash     = s.hash,
                                       .ratio    = (double)s.count / (double)n,
                                       .score    = s.score,
                                       .residual = s.residual,
                                       .fresh    = (int32_t)s.fresh};
    fgti_attent_list(a);
    fgti_attent_shuffle(a);
    return FGT_OK;
}
