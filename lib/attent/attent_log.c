/* SPDX-License-Identifier: BSD-3-Clause */
/* The selection log. It is written piece by piece to the host, and read from a text in memory. Lines:
 *     fighter attent log 1 samples 1000 strategy 0 seed 42 indices 1
 *     epoch 1 ratio 0.2 interval 1 count 200 hash 0123456789abcdef score 1.25
 *     select 0 2 5-9
 *     rescale 3
 *     same
 * The first line is written again after a restart; if an epoch occurs twice, the last entry is used. An
 * unknown number is "-". The line of an epoch is followed by "same" if the epoch has the subset of the epoch
 * before. Otherwise its samples are listed if indices is 1 (InfoBatch has two lists), and nothing follows if
 * indices is 0. */
#include "attent/attent_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/config.h"

/* ---- writing ---- */

typedef struct sink {
    const fgt_attent_opts *o;
    char                   text[4096];
    size_t                 used;
    fgt_status             status;
} sink;

static void flush(sink *k)
{
    if (k->used && k->status == FGT_OK) k->status = k->o->log(k->o->log_user, k->text, k->used);
    k->used = 0;
}

static void attent_log_put(sink *k, const char *s)
{
    const size_t n = strlen(s);
    if (n > sizeof k->text - k->used) flush(k);
    memcpy(k->text + k->used, s, n);
    k->used += n;
}

static void put_whole(sink *k, const char *before, int64_t v)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)v);
    attent_log_put(k, before);
    attent_log_put(k, number);
}

static void put_real(sink *k, const char *before, double v)
{
    char number[FGTI_NUMBER_TEXT_MAX];
    attent_log_put(k, before);
    attent_log_put(k, isnan(v) ? "-" : fgti_number_text(v, number));
}

static void put_hex(sink *k, const char *before, uint64_t v)
{
    char number[24];
    snprintf(number, sizeof number, "%016llx", (unsigned long long)v);
    attent_log_put(k, before);
    attent_log_put(k, number);
}

/* Writes the samples with one choice, as ranges of numbers. */
static void put_list(sink *k, const fgt_attent *a, const char *word, uint8_t choice)
{
    const int64_t n = fgti_attent_n(a);
    attent_log_put(k, word);
    for (int64_t i = 0; i < n; i++) {
        if (a->choice[i] != choice) continue;
        const int64_t first = i;
        while (i + 1 < n && a->choice[i + 1] == choice) i++;
        put_whole(k, " ", first);
        if (i > first) put_whole(k, "-", i);
    }
    attent_log_put(k, "\n");
}

static void attent_log_put_header(sink *k)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)k->o->seed);
    put_whole(k, "fighter attent log 1 samples ", k->o->samples);
    put_whole(k, " strategy ", k->o->strategy);
    attent_log_put(k, " seed ");
    attent_log_put(k, seed);
    put_whole(k, " indices ", k->o->log_indices);
    attent_log_put(k, "\n");
}

fgt_status fgti_attent_log(fgt_attent *a)
{
    sink k = {.o = &a->opts};
    if (!a->logged) attent_log_put_header(&k);
    a->logged = true;
    put_whole(&k, "epoch ", a->subset.epoch);
    put_real(&k, " ratio ", a->subset.ratio);
    put_whole(&k, " interval ", a->subset.interval);
    put_whole(&k, " count ", a->subset.count);
    put_hex(&k, " hash ", a->subset.hash);
    put_real(&k, " score ", a->subset.score);
    attent_log_put(&k, "\n");
    if (!a->subset.fresh) {
        attent_log_put(&k, "same\n");
    } else if (a->opts.log_indices) {
        put_list(&k, a, "select", FGTI_SELECTED);
        if (a->opts.strategy == FGT_ATTENT_STRATEGY_INFOBATCH) put_list(&k, a, "rescale", FGTI_RESCALED);
    }
    flush(&k);
    if (k.status == FGT_OK) return FGT_OK;
    return fgti_fail(&a->ctx->error, k.status, "attent: the log failed in epoch %lld",
                     (long long)a->subset.epoch);
}

/* ---- reading ---- */

typedef struct cursor {
    const char *start, *p, *end;
} cursor;

static cursor cursor_of(const fgt_attent *a, size_t at)
{
    const char *text = a->opts.replay;
    return (cursor){text, text + at, text + a->opts.replay_bytes};
}

static fgt_status attent_log_refuse(const fgt_attent *a, const cursor *c, const char *what)
{
    long long line = 1;
    for (const char *p = c->start; p < c->p; p++) line += *p == '\n';
    return fgti_fail(&a->ctx->error, FGT_E_FORMAT, "attent: line %lld of the log: %s", line, what);
}

/* Skips `word` if it comes next. Returns whether it did. */
static bool attent_log_take(cursor *c, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return false;
    c->p += n;
    return true;
}

/* Reads a whole number below 2^60, without a sign. */
static bool take_whole(cursor *c, int64_t *v)
{
    const char *begin = c->p;
    for (*v = 0; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
        if (*v >= INT64_C(1) << 56) return false;
        *v = 10 * *v + (*c->p - '0');
    }
    return c->p > begin;
}

static bool take_hex(cursor *c, uint64_t *v)
{
    const char *begin = c->p;
    for (*v = 0; c->p < c->end && c->p < begin + 16; c->p++) {
        const char *digits = "0123456789abcdef", *d = *c->p ? strchr(digits, *c->p) : NULL;
        if (!d) break;
        *v = 16 * *v + (uint64_t)(d - digits);
    }
    return c->p == begin + 16;
}

/* Skips a number that has no use in a replay. */
static bool skip_real(cursor *c)
{
    const char *begin = c->p;
    while (c->p < c->end && *c->p != ' ' && *c->p != '\n') c->p++;
    return c->p > begin;
}

static void attent_log_skip_line(cursor *c)
{
    while (c->p < c->end && *c->p != '\n') c->p++;
    c->p += c->p < c->end;
}

#define HEADER "fighter attent log 1 samples "

bool fgti_attent_replays_indices(const fgt_attent *a)
{
    return a->opts.replay && a->replay_indices;
}

fgt_status fgti_attent_replay_open(fgt_attent *a)
{
    cursor  c = cursor_of(a, 0);
    int64_t samples, strategy, indices;
    if (!attent_log_take(&c, HEADER) || !take_whole(&c, &samples) || !attent_log_take(&c, " strategy ") ||
        !take_whole(&c, &strategy) || !attent_log_take(&c, " seed ") || !skip_real(&c) ||
        !attent_log_take(&c, " indices ") || !take_whole(&c, &indices) || indices > 1 ||
        !attent_log_take(&c, "\n"))
        return attent_log_refuse(a, &c, "this is not a selection log");
    if (samples != fgti_attent_n(a) || strategy != a->opts.strategy)
        return fgti_fail(
            &a->ctx->error, FGT_E_FORMAT,
            "attent: the log is of another selector (got %lld samples and strategy %lld, need %lld and %d)",
            (long long)samples, (long long)strategy, (long long)fgti_attent_n(a), a->opts.strategy);
    a->replay_indices = indices;
    for (; c.p < c.end && !a->replay_restarts; attent_log_skip_line(&c))
        a->replay_restarts = attent_log_take(&c, HEADER);
    return FGT_OK;
}

/* Reads the rest of a line of ranges, which must ascend, and sets choice[] of their samples to `value`.
 * choice NULL: the ranges are only checked and counted. */
static bool attent_log_take_list(cursor *c, int64_t n, uint8_t *choice, uint8_t value, int64_t *count)
{
    int64_t last = -1;
    while (attent_log_take(c, " ")) {
        int64_t from, to;
        if (!take_whole(c, &from)) return false;
        to = from;
        if (attent_log_take(c, "-") && !take_whole(c, &to)) return false;
        if (from <= last || to < from || to >= n) return false;
        for (int64_t i = from; choice && i <= to; i++) choice[i] = value;
        *count += to - from + 1;
        last = to;
    }
    return attent_log_take(c, "\n");
}

/* Reads both lists; only InfoBatch has the second one. If a sample is in both lists, fewer samples are
 * selected than the log says, and the hash differs. */
static bool take_lists(const fgt_attent *a, cursor *c, uint8_t *choice, int64_t *count)
{
    const int64_t n = fgti_attent_n(a);
    *count          = 0;
    if (choice) memset(choice, FGTI_DROPPED, (size_t)n);
    if (!attent_log_take(c, "select") || !attent_log_take_list(c, n, choice, FGTI_SELECTED, count))
        return false;
    if (a->opts.strategy != FGT_ATTENT_STRATEGY_INFOBATCH || !attent_log_take(c, "rescale")) return true;
    return attent_log_take_list(c, n, choice, FGTI_RESCALED, count);
}

/* Skips all lines up to the line of this epoch, and also skips this line. */
static fgt_status find_entry(const fgt_attent *a, cursor *c, int64_t epoch, int64_t *count, uint64_t *hash)
{
    while (c->p < c->end) {
        int64_t t, interval;
        if (!attent_log_take(c, "epoch ")) {
            attent_log_skip_line(c);
            continue;
        }
        if (!take_whole(c, &t) || !attent_log_take(c, " ratio ") || !skip_real(c) ||
            !attent_log_take(c, " interval ") || !take_whole(c, &interval) ||
            !attent_log_take(c, " count ") || !take_whole(c, count) || !attent_log_take(c, " hash ") ||
            !take_hex(c, hash) || !attent_log_take(c, " score ") || !skip_real(c) ||
            !attent_log_take(c, "\n"))
            return attent_log_refuse(a, c, "malformed epoch");
        if (t == epoch) return FGT_OK;
    }
    return fgti_fail(&a->ctx->error, FGT_E_DATA, "attent: the log has no epoch %lld", (long long)epoch);
}

/* After a restart the log has another header, perhaps followed by epochs that it already has. The earlier
 * entries of these epochs are not used. Finds the first epoch after such a header that is not later than
 * `epoch`. */
static bool find_restart(cursor *c, int64_t epoch)
{
    for (; c->p < c->end; attent_log_skip_line(c)) {
        int64_t t;
        if (!attent_log_take(c, HEADER)) continue;
        attent_log_skip_line(c);
        cursor entry = *c;
        if (attent_log_take(&entry, "epoch ") && take_whole(&entry, &t) && t <= epoch) return true;
    }
    return false;
}

/* Finds the last entry of the epoch. If a run was resumed, this entry is the valid one. */
static fgt_status find_last_entry(const fgt_attent *a, cursor *c, int64_t epoch, int64_t *count,
                                  uint64_t *hash)
{
    FGTI_TRY(find_entry(a, c, epoch, count, hash));
    for (cursor next = *c; a->replay_restarts && find_restart(&next, epoch); next = *c) {
        *c = next;
        FGTI_TRY(find_entry(a, c, epoch, count, hash));
    }
    return FGT_OK;
}

fgt_status fgti_attent_replay(fgt_attent *a, const fgti_attent_clock *c, bool *fresh, uint64_t *hash,
                              size_t *end)
{
    cursor  at    = cursor_of(a, a->replay_at);
    int64_t count = 0, listed;
    FGTI_TRY(find_last_entry(a, &at, c->epoch, &count, hash));
    *fresh = !attent_log_take(&at, "same\n");
    if (!*fresh && !a->subset.count) return attent_log_refuse(a, &at, "\"same\" without an epoch before");
    if (*fresh && a->replay_indices) {
        const cursor lists = at;
        if (!take_lists(a, &at, NULL, &listed) || listed != count)
            return attent_log_refuse(
                a, &at, "malformed list of samples, or another number of them than the epoch says");
        at = lists;
        take_lists(a, &at, a->choice, &listed);
    }
    *end = (size_t)(at.p - at.start);
    return FGT_OK;
}
