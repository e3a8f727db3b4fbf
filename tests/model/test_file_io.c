/* SPDX-License-Identifier: BSD-3-Clause */
/* The same file through a path, memory and functions of the host: the same bytes, and an error in words
 * whatever the functions do. */
#include <fighter/experimental/adapter.h>

#include "file_kinds.h"

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/fgt_io_%ld.safetensors", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

/* ---- a host's functions ---- */

/* A reader of a block that misbehaves at call number `when`, counted from 1. */
typedef enum trouble { NONE, FAILS, ENDS, BOASTS } trouble;
typedef struct host {
    block   file;
    int64_t most; /* bytes a call gives; 0: all that were asked for */
    int64_t next; /* of a stream: where the next call must begin; -1: anywhere */
    int64_t length;
    trouble what;
    long    when, calls;
} host;

static fgt_status host_read(void *user, int64_t offset, void *buffer, int64_t bytes, int64_t *count)
{
    host *h = user;
    *count  = 0;
    assert_true(offset >= 0 && bytes > 0);
    if (h->next >= 0) assert_int_equal(offset, h->next);
    if (h->length) assert_true(offset + bytes <= h->length);
    if (++h->calls == h->when && h->what == FAILS) return (fgt_status)-77;
    if (h->calls == h->when && h->what == ENDS) return FGT_OK;
    if (h->calls == h->when && h->what == BOASTS) {
        *count = bytes + 1;
        return FGT_OK;
    }
    int64_t n = offset < h->file.size ? h->file.size - offset : 0;
    if (n > bytes) n = bytes;
    if (h->most && n > h->most) n = h->most;
    if (n) memcpy(buffer, h->file.data + offset, (size_t)n);
    if (h->next >= 0) h->next += n;
    *count = n;
    return FGT_OK;
}

/* The four ways to read: in any order or as a stream, with or without a length. */
enum { WAYS = 4 };
static fgt_reader reader_of(host *h, int way, int64_t length)
{
    h->next   = way & 1 ? 0 : -1;
    h->length = way & 2 ? length : 0;
    h->calls  = 0;
    return (fgt_reader){.size       = sizeof(fgt_reader),
                        .read       = host_read,
                        .user       = h,
                        .length     = h->length,
                        .name       = "the archive",
                        .sequential = way & 1};
}

/* A writer into a block; fails at call number `when`. */
typedef struct taker {
    block file;
    long  when, calls;
} taker;

static fgt_status take(void *user, const void *data, int64_t bytes)
{
    taker *t = user;
    if (++t->calls == t->when) return (fgt_status)55;
    char *bigger = realloc(t->file.data, (size_t)(t->file.size + bytes));
    if (!bigger) return FGT_E_NOMEM;
    memcpy(bigger + t->file.size, data, (size_t)bytes);
    t->file.data = bigger;
    t->file.size += bytes;
    return FGT_OK;
}

static fgt_writer writer_of(taker *t)
{
    return (fgt_writer){.size = sizeof(fgt_writer), .write = take, .user = t, .name = "the archive"};
}

/* ---- the same bytes ---- */

static block saved(const kind *k, void *p)
{
    block   b = {NULL, 0};
    int64_t again;
    OK(k->save_memory(p, NULL, 0, &b.size));
    b.data = malloc((size_t)b.size);
    assert_non_null(b.data);
    OK(k->save_memory(p, b.data, b.size, &again));
    assert_int_equal(again, b.size);
    return b;
}

static void same_block(block a, block b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, (size_t)a.size);
}

/* p, which goes away, saves these bytes. */
static void same(const kind *k, void *p, block want)
{
    block b = saved(k, p);
    same_block(b, want);
    free(b.data);
    k->destroy(&p);
}

static void check_round_trip(const kind *k, const char *file)
{
    void *p;
    taker t = {{NULL, 0}, 0, 0};
    OK(k->load(file, &p));
    block b = saved(k, p);
    OK(k->save(p, path));
    block from_path = test_read(path);
    same_block(from_path, b);
    const fgt_writer w = writer_of(&t);
    OK(k->save_to(p, &w));
    same_block(t.file, b);
    k->destroy(&p);

    char *odd = malloc((size_t)b.size + 1); /* at an odd address */
    assert_non_null(odd);
    memcpy(odd + 1, b.data, (size_t)b.size);
    OK(k->load_memory(odd + 1, b.size, &p));
    same(k, p, b);
    for (int way = 0; way < WAYS; way++)
        for (int64_t most = 0; most < 8; most += 7) {
            host             h = {.file = b, .most = most ? 1 : 0};
            const fgt_reader r = reader_of(&h, way, b.size);
            OK(k->load_from(&r, &p));
            same(k, p, b);
        }
    free(odd);
    free(t.file.data);
    free(from_path.data);
    free(b.data);
}

static void bytes_are_the_same(void **state)
{
    (void)state;
    each_kind(check_round_trip);
}

static void check_too_small(const kind *k, const char *file)
{
    void   *p;
    int64_t bytes = 0;
    OK(k->load(file, &p));
    block b = saved(k, p);
    memset(b.data, 'x', (size_t)b.size);
    for (int64_t room = 0; room < b.size; room += room ? b.size - 1 - room ? b.size - 1 - room : 1 : 1) {
        REFUSED(k->save_memory(p, b.data, room, &bytes), FGT_E_SIZE, "the buffer is too small");
        assert_int_equal(bytes, b.size);
        for (int64_t i = 0; i < b.size; i++) assert_int_equal(b.data[i], 'x');
    }
    REFUSED(k->save_memory(p, b.data, b.size, NULL), FGT_E_ARG, "bytes is NULL");
    REFUSED(k->save_memory(p, NULL, 8, &bytes), FGT_E_ARG, "NULL");
    REFUSED(k->save_memory(p, b.data, -1, &bytes), FGT_E_ARG, "-1");
    free(b.data);
    k->destroy(&p);
}

static void small_buffers_are_refused(void **state)
{
    (void)state;
    each_kind(check_too_small);
}

/* ---- functions that fail ---- */

static const struct {
    trouble     what;
    fgt_status  status;
    const char *words;
} troubles[] = {
    {FAILS, FGT_E_IO, "the reader failed with -77"},
    {BOASTS, FGT_E_IO, "the reader returned a wrong count"},
    {ENDS, FGT_E_FORMAT, "truncated: it ends at byte "},
};

/* A source that ends at its first call is empty. */
static const char *words_of(int i, long when)
{
    return troubles[i].what == ENDS && when == 1 ? "not a safetensors file but an empty file"
                                                 : troubles[i].words;
}

static void check_trouble(const kind *k, const char *file)
{
    block b = test_read(file);
    void *p = NULL;
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < 3; i++) {
            const int64_t live = memory.live;
            host          h    = {.file = b, .what = troubles[i].what};
            long          when = 1;
            for (;; when++) {
                const fgt_reader r = reader_of(&h, way, b.size);
                h.when             = when;
                p                  = &h;
                const fgt_status s = k->load_from(&r, &p);
                if (h.calls < when || (s == FGT_OK && troubles[i].what == ENDS)) break;
                assert_null(p);
                REFUSED(s, troubles[i].status, words_of(i, when));
                assert_ptr_equal(strstr(fgt_context_get_error(ctx), "the archive: "),
                                 fgt_context_get_error(ctx));
                assert_int_equal(memory.live, live);
            }
            assert_true(when > 3);
            assert_non_null(p);
            k->destroy(&p);
        }
    free(b.data);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    each_kind(check_trouble);
}

static void check_length(const kind *k, const char *file)
{
    block         b       = test_read(file);
    const int64_t wrong[] = {1, 7, 8, 9, b.size / 2, b.size - 1, b.size + 1, b.size + 65536, INT64_MAX};
    void         *p       = NULL;
    memory.peak           = memory.bytes;
    const int64_t before  = memory.bytes;
    for (int way = 2; way < WAYS; way++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            host             h = {.file = b};
            const fgt_reader r = reader_of(&h, way, wrong[i]);
            REFUSED(k->load_from(&r, &p), FGT_E_FORMAT, "the archive: ");
            assert_null(p);
        }
    /* without a length the last byte is tried, so where the bytes end is not known */
    block            cut = {.data = b.data, .size = b.size - 4};
    host             all = {.file = cut};
    const fgt_reader any = reader_of(&all, 0, 0);
    REFUSED(k->load_from(&any, &p), FGT_E_FORMAT, " or before, in the middle of ");
    /* nor does a header that claims too much cost memory */
    for (int way = 0; way < WAYS; way++) {
        block lie          = b;
        char  start[16]    = {0, 0, 0, 5, 0, 0, 0, 0, '{'};
        lie.data           = start;
        lie.size           = sizeof start;
        host             h = {.file = lie};
        const fgt_reader r = reader_of(&h, way, INT64_MAX);
        REFUSED(k->load_from(&r, &p), FGT_E_FORMAT, "truncated");
    }
    assert_true(memory.peak - before < 32 * b.size + (1 << 20));
    free(b.data);
}

static void lengths_may_lie(void **state)
{
    (void)state;
    each_kind(check_length);
}

static void check_writer(const kind *k, const char *file)
{
    void         *p;
    const int64_t live = memory.live;
    long          when = 1;
    OK(k->load(file, &p));
    for (;; when++) {
        taker            t = {{NULL, 0}, when, 0};
        const fgt_writer w = writer_of(&t);
        const fgt_status s = k->save_to(p, &w);
        free(t.file.data);
        if (s == FGT_OK) break;
        REFUSED(s, FGT_E_IO, "the archive: byte ");
        REFUSED(s, FGT_E_IO, "the writer failed with 55");
        assert_int_equal(t.calls, when);
    }
    assert_true(when > 1);
    k->destroy(&p);
    assert_int_equal(memory.live, live);
}

static void writers_may_fail(void **state)
{
    (void)state;
    each_kind(check_writer);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    host       h = {.file = {NULL, 0}};
    void      *p = &h;
    fgt_reader r = reader_of(&h, 0, 0);
    for (int i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        REFUSED(k->load_from(NULL, &p), FGT_E_ARG, "reader");
        assert_null(p);
        r.length = -1;
        REFUSED(k->load_from(&r, &p), FGT_E_ARG, "length is out of range (got -1");
        r.length   = 0;
        r.reserved = 7;
        REFUSED(k->load_from(&r, &p), FGT_E_VERSION, "reserved is wrong (got 7");
        r.reserved = 0;
        REFUSED(k->load_from(&r, &p), FGT_E_FORMAT, "but an empty file");
        r.read = NULL;
        REFUSED(k->load_from(&r, &p), FGT_E_ARG, "read is NULL");
        r.read = host_read;
        REFUSED(k->load_memory("", -5, &p), FGT_E_ARG, "-5");
        REFUSED(k->load_memory(NULL, 5, &p), FGT_E_ARG,
                "memory: data or size is wrong (got 5 bytes at NULL)");
        REFUSED(k->load_memory("", 0, &p), FGT_E_FORMAT, "memory: not a safetensors file");
        assert_int_equal(k->save_to(NULL, NULL), FGT_E_ARG);
        assert_int_equal(k->save_memory(NULL, NULL, 0, NULL), FGT_E_ARG);
    }
}

/* ---- allocations ---- */

static void check_allocations(const kind *k, const char *file)
{
    block         b    = test_read(file);
    const int64_t live = memory.live;
    void         *p;
    fgt_status    s;
    for (int way = 0; way < WAYS; way++) {
        host       h = {.file = b};
        fgt_reader r;
        /* the file's header, its tables, the model, its layers */
        SWEEP(&memory, s, 10, (r = reader_of(&h, way, b.size), k->load_from(&r, &p))) NOTHING_LEAKS;
        k->destroy(&p);
    }
    int64_t bytes;
    OK(k->load(file, &p));
    SWEEP(&memory, s, 3, k->save_memory(p, NULL, 0, &bytes)) NOTHING_LEAKS;
    k->destroy(&p);
    assert_int_equal(memory.live, live);
    free(b.data);
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    each_kind(check_allocations);
}

/* ---- weights alone ---- */

static fgt_model *small(uint64_t seed)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .features = 3, .time = 2, .seed = seed), &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 5))));
    OK(fgt_model_add(m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 4))));
    return m;
}

/* The weights are the new ones, or after any failure the old ones. */
static void weights_are_whole(void **state)
{
    (void)state;
    fgt_model *m = small(1), *n = small(2);
    const uint64_t new = fgt_model_get_hash(m), old = fgt_model_get_hash(n);
    block b = saved(&kinds[0], m);
    OK(fgt_model_load_weights(n, FGT_FROM_MEMORY(b.data, b.size)));
    assert_true(fgt_model_get_hash(n) == new);
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < 3; i++) {
            host h = {.file = b, .what = troubles[i].what};
            fgt_model_destroy(&n);
            n = small(2);
            for (h.when = 1;; h.when++) {
                const fgt_reader r = reader_of(&h, way, b.size);
                const fgt_status s = fgt_model_load_weights(n, &FGT_OPTS(fgt_input, .reader = &r));
                if (s == FGT_OK) break;
                REFUSED(s, troubles[i].status, words_of(i, h.when));
                assert_true(fgt_model_get_hash(n) == old);
            }
            assert_true(fgt_model_get_hash(n) == new);
        }
    memset(b.data + b.size - 4, 0xFF, 4);
    test_forget_hash(b.data, (size_t)b.size);
    REFUSED(fgt_model_load_weights(m, FGT_FROM_MEMORY(b.data, b.size)), FGT_E_NONFINITE, "memory: tensor");
    assert_true(fgt_model_get_hash(m) == new);
    REFUSED(fgt_model_load_weights(m, FGT_FROM_MEMORY(b.data, b.size - 1)), FGT_E_FORMAT, "memory: ");
    assert_int_equal(fgt_model_load_weights(NULL, FGT_FROM_MEMORY(b.data, b.size)), FGT_E_ARG);
    assert_int_equal(fgt_model_load_weights(NULL, &FGT_OPTS(fgt_input, .reader = NULL)), FGT_E_ARG);
    free(b.data);
    fgt_model_destroy(&m);
    fgt_model_destroy(&n);
}

/* A seed may be any number of 64 bits, also an adapter's. */
static void seeds_are_whole(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {UINT64_MAX, UINT64_MAX - 5, UINT64_MAX / 10 * 10, 10, 0};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        fgt_model *m = small(seeds[i]), *n;
        OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .seed = seeds[i])));
        OK(fgt_model_set_adapter(m, "a"));
        block b = saved(&kinds[0], m);
        OK(fgt_model_load(ctx, FGT_FROM_MEMORY(b.data, b.size), NULL, &n));
        block again = saved(&kinds[0], n);
        assert_true(again.size == b.size && !memcmp(again.data, b.data, (size_t)b.size));
        free(again.data);
        free(b.data);
        fgt_model_destroy(&n);
        fgt_model_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(bytes_are_the_same),
        WITH_CONTEXT(small_buffers_are_refused),
        WITH_CONTEXT(every_call_may_fail),
        WITH_CONTEXT(lengths_may_lie),
        WITH_CONTEXT(writers_may_fail),
        WITH_CONTEXT(wrong_calls_are_refused),
        WITH_CONTEXT(each_failed_allocation_is_reported),
        WITH_CONTEXT(weights_are_whole),
        WITH_CONTEXT(seeds_are_whole),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
