/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection logs that are replayed, and states of selectors. The first two bytes choose options, the rest is
 * the log, or changes the bytes of a state. Whatever is accepted selects samples that exist, each once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/attent.h>

#include "../attent/attent_state.h"
#include "core/context.h"
#include "fuzz.h"

enum { SAMPLES = 9, EPOCHS = 5, STATE = 1024, LOG = 1 << 14 };
enum { STRATEGIES = 7, RATIOS = 4, INTERVALS = 3, RESIDUALS = 3 };

static fgt_context ctx = {.allocator = {sizeof ctx.allocator, NULL, fgti_libc_alloc, fgti_libc_release}};

/* The log of the selector that runs. */
static char   text[LOG];
static size_t length;

static fgt_status take_log(void *user, const char *piece, size_t size)
{
    (void)user;
    if (size > sizeof text - length) return FGT_E_SIZE;
    memcpy(text + length, piece, size);
    length += size;
    return FGT_OK;
}

/* What scores mean: `how` is 0 .. 6, and from 3 on there is a reference, where the strategy takes one. */
static void set_scores(fgt_attent_opts *o, int how)
{
    static const float reference[SAMPLES] = {2, 2, 2, 0.5F, 6, 9, -1, 0, 5};
    const bool         takes =
        o->strategy == FGT_ATTENT_STRATEGY_HARD || o->strategy == FGT_ATTENT_STRATEGY_INFOBATCH ||
        (o->strategy == FGT_ATTENT_STRATEGY_SOFT && o->weights != FGT_ATTENT_WEIGHTS_PROPORTIONAL);
    o->residual  = how % RESIDUALS;
    o->elements  = how;
    o->reference = how >= RESIDUALS && takes ? reference : NULL;
}

static fgt_attent_opts options(const uint8_t *bits)
{
    static const int32_t  group[SAMPLES] = {0, 1, 2, 0, 1, 2, 0, 0, 1};
    static const double   weight[3]      = {1, 0.5, 2};
    static const fgt_view groups         = {
                .data = (void *)(uintptr_t)group, .shape = {SAMPLES}, .rank = 1, .dtype = FGT_DTYPE_I32};
    const int32_t   strategy = bits[0] % STRATEGIES;
    fgt_attent_opts o = {.size = sizeof o, .samples = SAMPLES, .epochs = EPOCHS, .log = take_log, .seed = 3};
    o.strategy        = strategy;
    o.ratio_schedule  = bits[1] % RATIOS;
    o.interval_schedule = bits[0] / STRATEGIES % INTERVALS;
    o.cycles            = 2;
    o.growth            = bits[1] >> 3 & 1;
    o.weights                = strategy == FGT_ATTENT_STRATEGY_SOFT ? bits[1] >> 4 & 1 : 0;
    o.redraw            = bits[1] >> 5 & 1;
    o.rescore           = o.redraw && bits[1] >> 2 & 1;
    o.ordered           = bits[1] >> 6 & 1;
    o.log_indices       = bits[1] >> 7;
    if (strategy == FGT_ATTENT_STRATEGY_CLASS_WEIGHT || strategy == FGT_ATTENT_STRATEGY_FIXED_WEIGHT) {
        o.groups      = &groups;
        o.group_count = 3;
    }
    if (strategy == FGT_ATTENT_STRATEGY_FIXED_WEIGHT) o.group_weight = weight;
    set_scores(&o, bits[0] % 128 / (STRATEGIES * INTERVALS));
    return o;
}

/* The scores of run() are 36 in all, their squares 198, whatever the references. */
static bool is_residual(const fgt_attent_opts *o, double residual)
{
    const int64_t elements = o->elements ? o->elements : 1;
    switch (o->residual) {
    case FGT_ATTENT_RESIDUAL_NONE: return isnan(residual);
    case FGT_ATTENT_RESIDUAL_NORMS: return fabs(residual - sqrt(198)) < 1e-9;
    default: return fabs(residual - sqrt(36.0 * (double)elements)) < 1e-9;
    }
}

static void check(const fgt_attent_subset *s)
{
    bool seen[SAMPLES] = {false};
    if (s->count < 0 || s->count > SAMPLES || (s->stop && s->count)) abort();
    for (int64_t i = 0; i < s->count; i++) {
        if (s->index[i] < 0 || s->index[i] >= SAMPLES || seen[s->index[i]]) abort();
        seen[s->index[i]] = true;
    }
}

/* All epochs, with scores in each; the hash of all subsets. */
static bool run(fgt_attent *a, const fgt_attent_opts *o, uint64_t *hash)
{
    static const int64_t index[SAMPLES] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const float   score[SAMPLES] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
    *hash                               = 0;
    for (int epoch = 0; epoch < 2 * EPOCHS; epoch++) {
        fgt_attent_subset s = {.size = sizeof s};
        if (fgt_attent_add(a, index, SAMPLES, score)) abort();
        ctx.error.text[0] = 0;
        if (fgt_attent_begin_epoch(a, &s)) {
            if (!ctx.error.text[0]) abort();
            return false;
        }
        check(&s);
        if (!s.stop && !is_residual(o, s.residual)) abort();
        *hash = *hash * 31 + s.hash;
        if (s.stop) break;
    }
    return true;
}

/* A replay writes a log that leads to the same subsets, if it has their indices: by hashes alone only what
 * the scores lead to can be replayed. */
static bool replay(const fgt_attent_opts *o, const uint8_t *data, size_t size)
{
    static char     copy[LOG];
    uint64_t        hash, again;
    fgt_attent     *a   = NULL;
    fgt_attent_opts how = *o;
    how.replay          = (const char *)data;
    how.replay_bytes    = (int64_t)size;
    length              = 0;
    if (fgt_attent_create(&ctx, &how, &a)) return false;
    const bool whole = run(a, o, &hash);
    fgt_attent_destroy(&a);
    if (!whole || !o->log_indices) return whole;
    memcpy(copy, text, length);
    how.replay      = copy;
    how.replay_bytes = (int64_t)length;
    length          = 0;
    if (fgt_attent_create(&ctx, &how, &a) || !run(a, o, &again) || hash != again) abort();
    fgt_attent_destroy(&a);
    return true;
}

/* The state after two epochs, each byte changed by one of the input. */
static bool restore(const fgt_attent_opts *o, const uint8_t *data, size_t size)
{
    static char       state[STATE];
    uint64_t          hash;
    fgt_attent       *a = NULL;
    fgt_attent_subset s = {.size = sizeof s};
    length              = 0;
    if (fgt_attent_create(&ctx, o, &a)) return false;
    const int64_t bytes = attent_state_bytes(a);
    if (bytes > STATE) abort();
    bool good = !fgt_attent_begin_epoch(a, &s) && !fgt_attent_begin_epoch(a, &s);
    good      = good && !attent_state(a, state, bytes);
    for (int64_t i = 0; i < bytes && (size_t)i < size; i++) state[i] = (char)(state[i] ^ data[i]);
    good = good && !fgt_attent_set_state(a, state, bytes);
    if (good) good = run(a, o, &hash);
    fgt_attent_destroy(&a);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    const fgt_attent_opts o = options(data);
    fuzz_count(data[0] & 128 ? restore(&o, data + 2, size - 2) : replay(&o, data + 2, size - 2));
    return 0;
}
