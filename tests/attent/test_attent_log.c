/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a selector: its log, which replays, and its state, from which it goes on. And everything it
 * refuses. */
#include <stdlib.h>

#include <fighter/attent.h>

#include "../attent/attent_state.h"
#include "../train/small_models.h"
#include "attent/attent_impl.h"

enum { N = 60, EPOCHS = 9, SCORES_FROM = 1000 };


struct text {
    char    bytes[20000];
    size_t  size;
    int64_t fail_call, calls;
};

static fgt_status note(void *user, const char *bytes, size_t size)
{
    struct text *t = user;
    if (++t->calls == t->fail_call) return FGT_E_IO;
    assert_true(t->size + size < sizeof t->bytes);
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return FGT_OK;
}

/* The loss of a sample in an epoch. */
static float loss_of(int64_t epoch, int64_t i)
{
    return (float)(1.5 + (double)noise((uint64_t)epoch, i));
}

static void score_all(fgt_attent *a, int64_t epoch)
{
    for (int64_t i = 0; i < N; i++) {
        const float s = loss_of(SCORES_FROM + epoch, i);
        OK(fgt_attent_add(a, &i, 1, &s));
    }
}

/* Epochs from .. to as a host runs them; the subsets go to *out. */
struct history {
    int64_t  index[EPOCHS + 1][N], count[EPOCHS + 1];
    uint64_t hash[EPOCHS + 1];
};

static void run(fgt_attent *a, int64_t from, int64_t to, struct history *out)
{
    for (int64_t t = from; t <= to; t++) {
        fgt_attent_subset s = {.size = sizeof s};
        if (fgt_attent_get_due(a)) score_all(a, t);
        OK(fgt_attent_begin_epoch(a, &s));
        assert_int_equal(s.epoch, t);
        memcpy(out->index[t], s.index, (size_t)s.count * sizeof *s.index);
        out->count[t] = s.count;
        out->hash[t]  = s.hash;
        for (int64_t i = 0; i < s.count; i++) {
            const float loss = loss_of(t, s.index[i]);
            OK(fgt_attent_add(a, &s.index[i], 1, &loss));
        }
    }
}

static fgt_attent *create(const fgt_attent_opts *o)
{
    fgt_attent *a;
    OK(fgt_attent_create(ctx, o, &a));
    return a;
}

static fgt_attent_opts opts_of(int32_t strategy)
{
    return (fgt_attent_opts){.size = sizeof(fgt_attent_opts), .samples = N, .epochs = EPOCHS, .seed = 11,
                             .strategy = strategy};
}

/* ---- log and replay ---- */

static const int32_t strategies[] = {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_STRATEGY_HARD,
                                     FGT_ATTENT_STRATEGY_RANDOM, FGT_ATTENT_STRATEGY_INFOBATCH};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

static void test_replay_of_indices(void **state)
{
    (void)state;
    for (int c = 0; c < STRATEGIES; c++) {
        static struct history first, second;
        static struct text    log, again;
        float                 w[N], v[N];
        log.size = again.size = 0;
        fgt_attent_opts o = opts_of(strategies[c]);
        o.log = note, o.log_user = &log, o.log_indices = 1;
        fgt_attent *a = create(&o);
        run(a, 1, EPOCHS, &first);
        log.bytes[log.size] = 0;
        assert_true(strstr(log.bytes, "same\n") != NULL || strategies[c] == FGT_ATTENT_STRATEGY_INFOBATCH);

        o.replay = log.bytes, o.replay_bytes = (int64_t)log.size, o.log_user = &again;
        fgt_attent       *b = create(&o);
        fgt_attent_subset s = {.size = sizeof s};
        for (int64_t t = 1; t <= EPOCHS; t++) { /* without any score */
            assert_false(fgt_attent_get_due(b));
            OK(fgt_attent_begin_epoch(b, &s));
            assert_int_equal(s.count, first.count[t]);
            assert_memory_equal(s.index, first.index[t], (size_t)s.count * sizeof *s.index);
        }
        OK(fgt_attent_get_weights(a, s.index, s.count, w));
        OK(fgt_attent_get_weights(b, s.index, s.count, v));
        assert_memory_equal(w, v, (size_t)s.count * sizeof *w);
        OK(fgt_attent_begin_epoch(b, &s));
        assert_true(s.stop);
        fgt_attent_destroy(&b);

        again.size = 0; /* with scores it writes the same log */
        b          = create(&o);
        for (int64_t t = 1; t <= EPOCHS; t++) {
            if (strategies[c] != FGT_ATTENT_STRATEGY_RANDOM &&
                strategies[c] != FGT_ATTENT_STRATEGY_INFOBATCH && (t == 1 || t == 2 || t == 4 || t == 7))
                score_all(b, t);
            run(b, t, t, &second);
        }
        assert_int_equal(again.size, log.size);
        assert_memory_equal(again.bytes, log.bytes, log.size);
        fgt_attent_destroy(&b);
        fgt_attent_destroy(&a);
    }
}

static void test_replay_of_hashes(void **state)
{
    (void)state;
    static struct history first, second;
    static struct text    log;
    log.size          = 0;
    fgt_attent_opts o = opts_of(FGT_ATTENT_STRATEGY_SOFT);
    o.log = note, o.log_user = &log;
    fgt_attent *a = create(&o);
    run(a, 1, EPOCHS, &first);
    o.log = NULL, o.replay = log.bytes, o.replay_bytes = (int64_t)log.size;
    fgt_attent *b = create(&o);
    run(b, 1, EPOCHS, &second);
    assert_memory_equal(first.hash, second.hash, sizeof first.hash);
    fgt_attent_destroy(&b);

    fgt_attent_subset s = {.size = sizeof s};
    b                   = create(&o); /* a step that has failed can be made again */
    REFUSED(fgt_attent_begin_epoch(b, &s), FGT_E_STATE, "has no score");
    run(b, 1, EPOCHS, &second);
    assert_memory_equal(first.hash, second.hash, sizeof first.hash);
    fgt_attent_destroy(&b);

    b = create(&o); /* other scores, other subset */
    for (int64_t i = 0; i < N; i++) OK(fgt_attent_add(b, &i, 1, &(float){(float)(N - i)}));
    for (int again = 0; again < 2; again++)
        REFUSED(fgt_attent_begin_epoch(b, &s), FGT_E_DATA, "the subset of epoch 1 has hash");
    REFUSED(fgt_attent_get_subset(b, &s), FGT_E_STATE, "no epoch");
    fgt_attent_destroy(&b);
    fgt_attent_destroy(&a);
}

/* Any damage is told, or does not matter; nothing is read or written outside. */
static void test_damaged_logs(void **state)
{
    (void)state;
    static struct history first;
    static struct text    log;
    log.size          = 0;
    fgt_attent_opts o = opts_of(FGT_ATTENT_STRATEGY_INFOBATCH);
    o.log = note, o.log_user = &log, o.log_indices = 1;
    fgt_attent *a = create(&o);
    run(a, 1, EPOCHS, &first);
    fgt_attent_destroy(&a);
    o.log         = NULL;
    char *damaged = malloc(log.size);
    for (size_t at = 0; at < log.size; at++) {
        const char kinds[] = {'0', '9', ' ', '\n', '-', (char)(log.bytes[at] ^ 0x80)};
        for (size_t k = 0; k <= sizeof kinds; k++) {
            memcpy(damaged, log.bytes, log.size);
            o.replay      = damaged;
            o.replay_bytes = (int64_t)(k < sizeof kinds ? log.size : at); /* or cut off */
            if (k < sizeof kinds) damaged[at] = kinds[k];
            if (fgt_attent_create(ctx, &o, &a) != FGT_OK) continue;
            for (int64_t t = 1; t <= EPOCHS; t++) {
                fgt_attent_subset s = {.size = sizeof s};
                const fgt_status  status = fgt_attent_begin_epoch(a, &s);
                if (status == FGT_OK) assert_true(s.hash == first.hash[t]);
                if (status != FGT_OK) assert_true(status == FGT_E_FORMAT || status == FGT_E_DATA);
                if (status != FGT_OK) break;
            }
            fgt_attent_destroy(&a);
        }
    }
    free(damaged);
}

/* Epochs 2 and 3 were given up by a run that ended within the 3rd, and epoch 2 once more. */
static void test_resumed_log(void **state)
{
    enum { FEW = 3 };
    static const struct {
        int epoch, left_out;
    } entries[] = {{1, 0}, {2, 0}, {3, 0}, {0, 0}, {2, 1}, {0, 0}, {2, 2}, {3, 1}, {0, 0}, {4, 2}};
    static const int last[] = {0, 2, 1, 2};
    char             text[1500];
    size_t           used = 0;
    fgt_attent      *a;
    (void)state;
    for (int i = -1; i < (int)(sizeof entries / sizeof *entries); i++) {
        uint64_t hash = FGTI_HASH_START;
        int      in[2], n = 0;
        if (i < 0 || !entries[i].epoch) {
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "fighter attent log 1 samples 3 strategy 2 seed 0 indices 1\n");
            continue;
        }
        for (int k = 0; k < FEW; k++)
            if (k != entries[i].left_out) hash = fgti_attent_hash(hash, in[n++] = k, false);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "epoch %d ratio 0.666666667 interval 1 count 2 hash %016llx score -\n"
                                 "select %d %d\n",
                                 entries[i].epoch, (unsigned long long)hash, in[0], in[1]);
    }
    const fgt_attent_opts o = {.size           = sizeof o,
                               .samples        = FEW,
                               .epochs         = 4,
                               .count          = 2,
                               .strategy       = FGT_ATTENT_STRATEGY_RANDOM,
                               .ratio_schedule = FGT_ATTENT_RATIO_FIXED,
                               .replay         = text,
                               .replay_bytes   = (int64_t)used};
    OK(fgt_attent_create(ctx, &o, &a));
    for (int t = 0; t < 4; t++) {
        fgt_attent_subset s = {.size = sizeof s};
        OK(fgt_attent_begin_epoch(a, &s));
        assert_int_equal(s.index[0] + s.index[1], 3 - last[t]);
    }
    fgt_attent_destroy(&a);
}

/* Only InfoBatch rescales: a log or a state of another strategy that says so is damaged, its hash or not. */
static void test_rescaled_by_others(void **state)
{
    enum { FEW = 3 };
    char                  text[300], bytes[300];
    uint64_t              hash = fgti_attent_hash(FGTI_HASH_START, 0, true);
    const fgt_attent_opts o     = {.size           = sizeof o,
                                   .samples        = FEW,
                                   .epochs         = 2,
                                   .count          = 2,
                                   .strategy       = FGT_ATTENT_STRATEGY_RANDOM,
                                   .ratio_schedule = FGT_ATTENT_RATIO_FIXED};
    fgt_attent_opts       again = o;
    fgt_attent_subset     s     = {.size = sizeof s};
    fgt_attent           *a;
    (void)state;
    snprintf(text, sizeof text,
             "fighter attent log 1 samples 3 strategy 2 seed 0 indices 1\n"
             "epoch 1 ratio 0.666666667 interval 1 count 2 hash %016llx score -\nselect 2\nrescale 0\n",
             (unsigned long long)fgti_attent_hash(hash, 2, false));
    again.replay      = text;
    again.replay_bytes = (int64_t)strlen(text);
    OK(fgt_attent_create(ctx, &again, &a));
    REFUSED(fgt_attent_begin_epoch(a, &s), FGT_E_FORMAT, "malformed list of samples");
    fgt_attent_destroy(&a);

    OK(fgt_attent_create(ctx, &o, &a));
    OK(fgt_attent_begin_epoch(a, &s));
    const int64_t size = attent_state_bytes(a);
    assert_true(size <= (int64_t)sizeof bytes);
    OK(attent_state(a, bytes, size));
    OK(fgt_attent_set_state(a, bytes, size));
    char *choice = bytes + size - FEW;
    hash         = FGTI_HASH_START;
    for (int i = 0; i < FEW; i++)
        if (choice[i] != FGTI_DROPPED) {
            choice[i] = FGTI_RESCALED;
            hash      = fgti_attent_hash(hash, i, true);
        }
    memcpy(bytes + 4 * sizeof hash, &hash, sizeof hash); /* behind magic, samples, strategy and seed */
    REFUSED(fgt_attent_set_state(a, bytes, size), FGT_E_FORMAT, "damaged");
    fgt_attent_destroy(&a);
}

static void test_log_errors(void **state)
{
    (void)state;
    static struct text log;
    fgt_attent_subset  s = {.size = sizeof s};
    fgt_attent        *a;
    log                  = (struct text){.fail_call = 1};
    fgt_attent_opts o    = opts_of(FGT_ATTENT_STRATEGY_RANDOM);
    o.log = note, o.log_user = &log;
    a = create(&o);
    REFUSED(fgt_attent_begin_epoch(a, &s), FGT_E_IO, "the log failed in epoch 1");
    OK(fgt_attent_get_subset(a, &s));
    assert_true(s.epoch == 1 && s.count == 12);
    fgt_attent_destroy(&a);

    static const struct {
        const char *text, *says;
        fgt_status  create, step;
    } logs[] = {
        {"no log at all\n", "line 1 of the log: this is not a selection log", FGT_E_FORMAT, 0},
        {"fighter attent log 1 samples 61 strategy 2 seed 1 indices 1\n", "got 61 samples", FGT_E_FORMAT, 0},
        {"fighter attent log 1 samples 60 strategy 1 seed 1 indices 1\n", "strategy 1", FGT_E_FORMAT, 0},
        {"fighter attent log 1 samples 60 strategy 2 seed 1 indices 1\n", "has no epoch 1", 0, FGT_E_DATA},
        {"fighter attent log 1 samples 60 strategy 2 seed 1 indices 1\n\nepoch x\n", "line 3", 0,
         FGT_E_FORMAT},
        {"fighter attent log 1 samples 60 strategy 2 seed 1 indices 1\n"
         "epoch 1 ratio 1 interval 1 count 2 hash 0123456789abcdef score -\nselect 5-3\n",
         "line 3 of the log: malformed list", 0, FGT_E_FORMAT},
        {"fighter attent log 1 samples 60 strategy 2 seed 1 indices 1\n"
         "epoch 1 ratio 1 interval 1 count 2 hash 0123456789abcdef score -\nselect 58-60\n",
         "malformed list", 0, FGT_E_FORMAT},
        {"fighter attent log 1 samples 60 strategy 2 seed 1 indices 1\n"
         "epoch 1 ratio 1 interval 1 count 2 hash 0123456789abcdef score -\nselect 5-6\n",
         "but the log has 0123456789abcdef", 0, FGT_E_DATA},
        {"fighter attent log 1 samples 60 strategy 2 seed 1 indices 1\n"
         "epoch 1 ratio 1 interval 1 count 2 hash 0123456789abcdef score -\nsame\n",
         "without an epoch before", 0, FGT_E_FORMAT},
    };
    o.log = NULL;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        o.replay      = logs[i].text;
        o.replay_bytes = (int64_t)strlen(logs[i].text);
        assert_int_equal(fgt_attent_create(ctx, &o, &a), logs[i].create);
        if (logs[i].create == FGT_OK) assert_int_equal(fgt_attent_begin_epoch(a, &s), logs[i].step);
        says(ctx, logs[i].says);
        fgt_attent_destroy(&a);
    }
}

/* ---- state ---- */

static void test_state(void **state)
{
    (void)state;
    for (int c = 0; c < STRATEGIES; c++)
        for (int64_t stop = 0; stop <= EPOCHS; stop++) {
            static struct history one, two;
            const fgt_attent_opts o = opts_of(strategies[c]);
            fgt_attent           *a = create(&o), *b = create(&o);
            const int64_t         size  = attent_state_bytes(a);
            char                 *bytes = malloc((size_t)size), *again = malloc((size_t)size);
            run(a, 1, stop, &one);
            OK(attent_state(a, bytes, size));
            OK(fgt_attent_set_state(b, bytes, size));
            OK(attent_state(b, again, size));
            assert_memory_equal(bytes, again, (size_t)size);
            if (stop > 0) { /* within the epoch too */
                fgt_attent_subset s = {.size = sizeof s}, r = {.size = sizeof r};
                OK(fgt_attent_get_subset(a, &s));
                OK(fgt_attent_get_subset(b, &r));
                assert_memory_equal(s.index, r.index, (size_t)s.count * sizeof *s.index);
                s.index = r.index = NULL;
                assert_memory_equal(&s, &r, sizeof s);
            }
            run(a, stop + 1, EPOCHS, &one);
            run(b, stop + 1, EPOCHS, &two);
            for (int64_t t = stop + 1; t <= EPOCHS; t++) {
                assert_true(one.hash[t] == two.hash[t]);
                assert_memory_equal(one.index[t], two.index[t], (size_t)one.count[t] * sizeof(int64_t));
            }
            free(bytes), free(again);
            fgt_attent_destroy(&a), fgt_attent_destroy(&b);
        }
}

/* A replay that fails within an interval: the subset is still there, unless the log contradicts it. A state
 * without it is not gone on from. */
static void test_lost_subset(void **state)
{
    (void)state;
    static struct history h;
    static struct text    log;
    fgt_attent_subset     s = {.size = sizeof s};
    fgt_attent_opts       o = opts_of(FGT_ATTENT_STRATEGY_RANDOM);
    log                     = (struct text){0};
    o.log = note, o.log_user = &log, o.log_indices = 1;
    fgt_attent   *a     = create(&o);
    const int64_t size  = attent_state_bytes(a);
    char         *bytes = malloc((size_t)size);
    run(a, 1, 2, &h); /* and the interval goes on */
    fgt_attent_destroy(&a);
    o.log         = NULL;
    fgt_attent *b = create(&o);
    for (int wrong = 0; wrong < 2; wrong++) {
        const char *third = "epoch 3 ratio 0.2 interval 2 count 12 hash 0123456789abcdef score -\nsame\n";
        if (wrong) OK(note(&log, third, strlen(third)));
        o.replay      = log.bytes;
        o.replay_bytes = (int64_t)log.size;
        a             = create(&o);
        for (int t = 1; t <= 2; t++) OK(fgt_attent_begin_epoch(a, &s));
        REFUSED(fgt_attent_begin_epoch(a, &s), FGT_E_DATA,
                wrong ? "the log has 0123456789abcdef" : "no epoch 3");
        OK(attent_state(a, bytes, size));
        if (wrong) REFUSED(fgt_attent_set_state(b, bytes, size), FGT_E_FORMAT, "damaged");
        if (!wrong) OK(fgt_attent_set_state(b, bytes, size));
        fgt_attent_destroy(&a);
    }
    OK(fgt_attent_begin_epoch(b, &s));
    assert_true(s.epoch == 3 && !s.fresh && s.hash == h.hash[2] && s.count == h.count[2]);
    fgt_attent_destroy(&b);
    free(bytes);
}

static void test_state_errors(void **state)
{
    (void)state;
    static struct history h;
    fgt_attent_opts       o     = opts_of(FGT_ATTENT_STRATEGY_SOFT);
    fgt_attent           *a     = create(&o);
    const int64_t         size  = attent_state_bytes(a);
    char                 *bytes = malloc((size_t)size), *before = malloc((size_t)size);
    run(a, 1, 3, &h);
    OK(attent_state(a, before, size));
    memcpy(bytes, before, (size_t)size);
    REFUSED(attent_state(a, bytes, size - 1), FGT_E_SIZE, "the buffer is too small");
    REFUSED(fgt_attent_set_state(a, bytes, size + 1), FGT_E_SIZE, "wrong size");
    REFUSED(fgt_attent_set_state(a, NULL, size), FGT_E_ARG, "NULL");
    REFUSED(fgt_attent_get_state(a, bytes, size, NULL), FGT_E_ARG, "NULL");
    bytes[0] ^= 1;
    REFUSED(fgt_attent_set_state(a, bytes, size), FGT_E_FORMAT, "byte order");
    o.seed        = 12;
    fgt_attent *b = create(&o);
    REFUSED(fgt_attent_set_state(b, before, size), FGT_E_FORMAT, "seed 11");
    fgt_attent_destroy(&b);
    /* every bit of the header and of the subset */
    for (int64_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bytes, before, (size_t)size);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            if (fgt_attent_set_state(a, bytes, size) == FGT_OK) continue; /* a score; a place in schedules */
            OK(attent_state(a, bytes, size));
            OK(fgt_attent_set_state(a, before, size));
        }
    OK(fgt_attent_set_state(a, before, size));
    run(a, 4, EPOCHS, &h);
    fgt_attent_destroy(&a);
    free(bytes), free(before);
}

/* ---- refusals ---- */

static void test_options(void **state)
{
    (void)state;
    const int32_t   group[4] = {0, 1, 2, 1};
    const double    weight[3] = {1, 0, 1};
    const fgt_view  good      = *FGT_VIEW_OF(FGT_DTYPE_I32, group, 4),
                   flat       = *FGT_VIEW_OF(FGT_DTYPE_I32, group, 2, 2);
    fgt_attent     *a;
#define BAD(status, words, ...)                                                                      \
    REFUSED(fgt_attent_create(ctx, &FGT_OPTS(fgt_attent_opts, __VA_ARGS__), &a), status, words); \
    assert_null(a)
    BAD(FGT_E_ARG, "samples is not given", .epochs = 3);
    BAD(FGT_E_ARG, "samples is out of range (got -1", .samples = -1);
    BAD(FGT_E_ARG, "needs epochs", .samples = 4);
    BAD(FGT_E_ARG, "InfoBatch needs epochs", .samples = 4, .strategy = FGT_ATTENT_STRATEGY_INFOBATCH);
    BAD(FGT_E_ARG, "ratio is out of range (got 1.5", .samples = 4, .epochs = 3, .ratio = 1.5);
    BAD(FGT_E_ARG, "temperature is out of range (got -1", .samples = 4, .epochs = 3, .temperature = -1);
    BAD(FGT_E_ARG, "strategy is out of range (got 7", .samples = 4, .epochs = 3, .strategy = 7);
    BAD(FGT_E_ARG, "count needs the fixed ratio", .samples = 4, .epochs = 3, .count = 2);
    BAD(FGT_E_ARG, "count is out of range (got 5, need at most the 4 samples)", .samples = 4, .count = 5,
        .ratio_schedule = FGT_ATTENT_RATIO_FIXED);
    BAD(FGT_E_ARG, "needs groups", .samples = 4, .epochs = 3, .strategy = FGT_ATTENT_STRATEGY_CLASS_WEIGHT);
    BAD(FGT_E_ARG, "group_count", .samples = 4, .epochs = 3, .strategy = FGT_ATTENT_STRATEGY_GRADNORM,
        .groups = &good);
    BAD(FGT_E_SHAPE, "groups", .samples = 4, .epochs = 3, .strategy = FGT_ATTENT_STRATEGY_CLASS_WEIGHT,
        .groups = &flat, .group_count = 3);
    BAD(FGT_E_DATA, "the group of sample 2 is out of range (got 2, need 0 .. 1)", .samples = 4, .epochs = 3,
        .strategy = FGT_ATTENT_STRATEGY_CLASS_WEIGHT, .groups = &good, .group_count = 2);
    BAD(FGT_E_ARG, "need group_weight", .samples = 4, .epochs = 3,
        .strategy = FGT_ATTENT_STRATEGY_FIXED_WEIGHT, .groups = &good, .group_count = 3);
    BAD(FGT_E_ARG, "the weight of group 1 is out of range (got 0", .samples = 4, .epochs = 3,
        .strategy = FGT_ATTENT_STRATEGY_FIXED_WEIGHT, .groups = &good, .group_count = 3,
        .group_weight = weight);
#undef BAD
    REFUSED(fgt_attent_create(ctx, NULL, NULL), FGT_E_ARG, "attent is NULL");
    assert_int_equal(fgt_attent_create(NULL, NULL, &a), FGT_E_ARG);
}

static void test_calls(void **state)
{
    (void)state;
    fgt_attent_opts   o = opts_of(FGT_ATTENT_STRATEGY_SOFT);
    fgt_attent       *a = create(&o);
    fgt_attent_subset s = {.size = sizeof s}, wrong = {.size = 3};
    const int64_t     index[3] = {0, 1, 2}, beyond[3] = {0, 1, N}, below[1] = {-1};
    const float       score[3] = {1, 2, 3}, nan[3] = {5, (float)NAN, 1}, inf[3] = {5, 5, (float)INFINITY};
    float             weight[3] = {7, 7, 7};
    REFUSED(fgt_attent_begin_epoch(a, &s), FGT_E_STATE, "sample 0 has no score yet");
    score_all(a, 0);
    OK(fgt_attent_add(a, index, 3, score));
    REFUSED(fgt_attent_add(a, index, 3, nan), FGT_E_NONFINITE, "the score of sample 1 is NaN");
    REFUSED(fgt_attent_add(a, index, 3, inf), FGT_E_NONFINITE, "the score of sample 2 is infinite");
    REFUSED(fgt_attent_add(a, beyond, 3, score), FGT_E_ARG, "sample is out of range (got 60");
    REFUSED(fgt_attent_add(a, below, 1, score), FGT_E_ARG, "sample is out of range (got -1");
    REFUSED(fgt_attent_add(a, NULL, 3, score), FGT_E_ARG, "NULL");
    REFUSED(fgt_attent_get_subset(a, &s), FGT_E_STATE, "no epoch has begun");
    REFUSED(fgt_attent_get_weights(a, index, 1, weight), FGT_E_ARG, "not selected");
    REFUSED(fgt_attent_begin_epoch(a, &wrong), FGT_E_VERSION, "size is 3");
    REFUSED(fgt_attent_begin_epoch(a, NULL), FGT_E_ARG, "subset is NULL");
    OK(fgt_attent_begin_epoch(a, &s));
    double residual = 0; /* none of the refused scores was taken */
    for (int64_t i = 0; i < N; i++) residual += i < 3 ? (double)score[i] : (double)loss_of(SCORES_FROM, i);
    near(s.residual, sqrt(residual), 1e-9, "residual");
    REFUSED(fgt_attent_get_weights(a, beyond + 2, 1, weight), FGT_E_ARG, "sample is out of range (got 60");
    assert_true(weight[0] == 7);
    fgt_attent_destroy(&a);
    assert_null(a);
    fgt_attent_destroy(&a);
    fgt_attent_destroy(NULL);
    assert_int_equal(fgt_attent_begin_epoch(NULL, &s), FGT_E_ARG);
    assert_int_equal(attent_state_bytes(NULL) + fgt_attent_get_due(NULL), 0);
}

static void test_allocations(void **state)
{
    (void)state;
    static struct history h;
    const int32_t         group[N] = {0};
    const fgt_view        groups   = *FGT_VIEW_OF(FGT_DTYPE_I32, group, N);
    fgt_attent_opts       o        = opts_of(FGT_ATTENT_STRATEGY_GRADNORM);
    fgt_attent           *a        = NULL;
    o.groups = &groups, o.group_count = 1;
    fgt_status s;
    /* the handle, four arrays by sample, the groups */
    SWEEP(&memory, s, 6, fgt_attent_create(ctx, &o, &a))
    {
        assert_null(a);
        NOTHING_LEAKS;
        assert_true(w_.k <= 6);
    }
    const int64_t calls = memory.calls;
    run(a, 1, EPOCHS, &h);
    assert_int_equal(memory.calls, calls);
    fgt_attent_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_of_indices),
        cmocka_unit_test(test_replay_of_hashes),
        cmocka_unit_test(test_lost_subset),
        cmocka_unit_test(test_damaged_logs),
        cmocka_unit_test(test_resumed_log),
        cmocka_unit_test(test_rescaled_by_others),
        cmocka_unit_test(test_log_errors),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_state_errors),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
