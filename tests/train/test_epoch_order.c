/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of an epoch: every sample at most once, and of a source in chunks few at a time. */
#include "small_models.h"
#include "train/fit/order.h"

enum { MOST = 5000 };

/* Takes an epoch in batches into out, and returns how many samples it had. */
static int64_t take_all(fgti_order *o, int64_t epoch, int64_t *out)
{
    fgti_order_begin(o, epoch);
    for (int64_t at = 0, n; at < o->samples; at += n) {
        n = o->samples - at < o->opts.batch ? o->samples - at : o->opts.batch;
        memcpy(out + at, fgti_order_take(o, at, n), (size_t)n * sizeof *out);
    }
    return o->samples;
}

/* Every number at most once; returns how many of them stayed out. */
static int64_t check_once(const int64_t *index, int64_t n, int64_t count)
{
    static bool seen[MOST];
    memset(seen, 0, sizeof seen);
    for (int64_t i = 0; i < n; i++) {
        assert_true(index[i] >= 0 && index[i] < count && !seen[index[i]]);
        seen[index[i]] = true;
    }
    return count - n;
}

static void test_complete(void **state)
{
    (void)state;
    static const fgti_order_opts cases[] = {
        {.count = 1000, .thin = 1, .batch = 32},
        {.count = 1000, .chunk = 1000, .pool = 1, .thin = 1, .batch = 32},
        {.count = 1000, .chunk = 64, .pool = 4, .thin = 1, .batch = 32},
        {.count = 1003, .chunk = 10, .pool = 3, .thin = 1, .batch = 7},
        {.count = 4999, .chunk = 100, .pool = 8, .thin = 1, .batch = 32, .shards = 8},
        {.count = 4999, .chunk = 100, .pool = 8, .thin = 3, .batch = 64, .shards = 4},
        {.count = 5, .chunk = 100, .pool = 8, .thin = 1, .batch = 4, .shards = 4},
        {.count = 300, .chunk = 7, .pool = 2, .thin = 1, .batch = 4, .no_shuffle = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static int64_t first[MOST], second[MOST];
        fgti_order     o, again;
        OK(fgti_order_init(ctx, &cases[i], &o));
        OK(fgti_order_init(ctx, &cases[i], &again));
        const int64_t n = take_all(&o, 1, first), out = check_once(first, n, cases[i].count);
        if (cases[i].thin == 1) assert_true(out < (cases[i].chunk ? o.streams * o.parts : 1));
        if (cases[i].thin > 1) assert_true(n <= cases[i].count / cases[i].thin);
        take_all(&again, 2, second);
        if (n > 100) assert_true(!memcmp(first, second, (size_t)n * sizeof *first) == cases[i].no_shuffle);
        take_all(&o, 2, first);
        assert_memory_equal(first, second, (size_t)n * sizeof *first); /* whatever came before */
        fgti_order_done(&o);
        fgti_order_done(&again);
    }
}

/* A thinned epoch draws its chunks, also when they come in their order. */
static void test_thin_in_order(void **state)
{
    (void)state;
    enum { COUNT = 64, EPOCHS = 30 };
    const fgti_order_opts opts = {
        .count = COUNT, .chunk = 4, .pool = 2, .thin = 4, .batch = 8, .shards = 2, .no_shuffle = true};
    int64_t    index[COUNT], uses[COUNT] = {0};
    fgti_order o;
    OK(fgti_order_init(ctx, &opts, &o));
    for (int64_t epoch = 1; epoch <= EPOCHS; epoch++) {
        assert_int_equal(take_all(&o, epoch, index), COUNT / 4);
        for (int64_t i = 0; i < COUNT / 4; i++) {
            if (i % 4) assert_int_equal(index[i], index[i - 1] + 1);
            if (i >= 8) assert_true(index[i] > index[i - 8]); /* the same shard's of the batch before */
            uses[index[i]]++;
        }
    }
    for (int64_t i = 0; i < COUNT; i++) assert_in_range(uses[i], 1, EPOCHS / 2);
    fgti_order_done(&o);
}

/* Part k of each batch comes from part k of the samples, and of a pool of chunks at a time. */
static void test_local(void **state)
{
    (void)state;
    enum { SHARDS = 4, BATCH = 32, CHUNK = 50 };
    const fgti_order_opts opts = {
        .count = 4000, .chunk = CHUNK, .pool = 8, .thin = 1, .batch = BATCH, .shards = SHARDS, .seed = 3};
    static int64_t index[MOST];
    fgti_order     o;
    OK(fgti_order_init(ctx, &opts, &o));
    const int64_t n = take_all(&o, 5, index), each = BATCH / SHARDS, size = o.pool * CHUNK;
    assert_int_equal(n, 4000);
    assert_int_equal(o.pool, 2);
    for (int64_t i = 0; i < n; i++) assert_int_equal(index[i] / (4000 / SHARDS), i % BATCH / each);
    for (int64_t s = 0; s < SHARDS; s++) {
        int64_t chunk[2] = {-1, -1}, changes = 0;
        for (int64_t i = 0; i < n / SHARDS; i++) {
            const int64_t of = index[i / each * BATCH + s * each + i % each] / CHUNK;
            if (i % size == 0) chunk[0] = chunk[1] = -1; /* the next pool */
            if (of != chunk[0] && of != chunk[1]) chunk[chunk[0] >= 0] = of, changes++;
        }
        assert_int_equal(changes, 4000 / SHARDS / CHUNK);
    }
    fgti_order_done(&o);
}

/* A run that is resumed begins anywhere in an epoch. */
static void test_resume(void **state)
{
    (void)state;
    const fgti_order_opts opts = {.count = 3000, .chunk = 40, .pool = 6, .thin = 1, .batch = 16, .shards = 2};
    static int64_t        index[MOST];
    fgti_order            o;
    OK(fgti_order_init(ctx, &opts, &o));
    take_all(&o, 3, index);
    for (int64_t at = 2000 / 16 * 16; at >= 0; at -= 400) {
        fgti_order_begin(&o, 3);
        assert_memory_equal(fgti_order_take(&o, at, 16), index + at, 16 * sizeof *index);
    }
    fgti_order_done(&o);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        fgti_order_opts opts;
        const char     *sentence;
    } cases[] = {
        {{.count = 10, .thin = 2, .batch = 4},
         "thin is wrong (got 2, need 1 for a source without chunks); use a selector instead"},
        {{.count = 10, .chunk = 2, .pool = 1, .thin = 1, .batch = 6, .shards = 4},
         "need a multiple of the 4 shards"},
        {{.count = 3, .chunk = 2, .pool = 1, .thin = 1, .batch = 8, .shards = 4}, "3 samples are too few"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgti_order o;
        assert_true(fgti_order_init(ctx, &cases[i].opts, &o) != FGT_OK);
        assert_non_null(strstr(fgt_context_get_error(ctx), cases[i].sentence));
        fgti_order_done(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_thin_in_order),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
