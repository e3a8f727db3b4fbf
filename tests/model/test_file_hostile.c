/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are made to cost memory or time, and files that change while they are loaded. */
#include <time.h>

#include "../model_info.h"
#include "file_kinds.h"

static char  path[64];
static block whole; /* what the file is before it changes */

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/fgt_hostile_%ld.safetensors", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

/* ---- memory ---- */

/* The bound that the header of model.h promises. */
static int64_t bound(int64_t size)
{
    return 32 * size + (1 << 20);
}

static fgt_status load_bounded(const kind *k, const void *data, int64_t size)
{
    void         *p      = NULL;
    const int64_t live   = memory.live;
    const int64_t before = memory.bytes;
    memory.peak          = before;
    const fgt_status s   = k->load_memory(data, size, &p);
    k->destroy(&p);
    assert_int_equal(memory.live, live);
    if (memory.peak - before > bound(size))
        fail_msg("%lld bytes of file took %lld of memory", (long long)size,
                 (long long)(memory.peak - before));
    return s;
}

/* Writes a file of layers without tensors; returns its size. */
static int64_t describe(char *out, size_t room, const char *model, int64_t layers, const char *type,
                        const char *opts)
{
    int n = snprintf(out + 8, room - 8,
                     "{\"__metadata__\":{\"fighter.format\":\"1\",\"fighter.model\":\"%s\","
                     "\"fighter.seed\":\"1\",\"fighter.layers\":\"%lld\"",
                     model, (long long)layers);
    for (int64_t i = 0; i < layers; i++)
        n += snprintf(out + 8 + n, room - 8 - (size_t)n,
                      ",\"fighter.layer.%lld.type\":\"%s\",\"fighter.layer.%lld.name\":\"a%lld\","
                      "\"fighter.layer.%lld.opts\":\"%s\"",
                      (long long)i, type, (long long)i, (long long)i, (long long)i, opts);
    n += snprintf(out + 8 + n, room - 8 - (size_t)n, "}}");
    assert_true((size_t)n + 8 < room);
    for (int i = 0; i < 8; i++) out[i] = (char)((uint64_t)n >> 8 * i);
    return n + 8;
}

/* Processor time: another program that takes the machine for a while is no fault of ours. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Some 230 bytes that describe gigabytes. They are refused before anything is allocated or drawn: this took
 * 173 s and 3.8 GB once. */
static void small_files_stay_cheap(void **state)
{
    static const struct {
        const char *model, *type, *opts;
    } cases[] = {
        {"batch=1 time=1 features=1", "linear", "out=1000000000"},
        {"batch=1 time=1", "embedding", "vocab=1000000 out=1000"},
        {"batch=1 time=8 features=1", "s4", "state=4096"},
        {"batch=1 time=100000000 features=100", "position", "kind=1"},
        {"batch=1 time=8 features=8", "fighter", "hops=60 out=1000000"},
        {"batch=1 time=8 features=1000000", "transformer", "ff=1000000"},
        {"batch=1 time=8 features=1000000", "lstm", "hidden=1000000"},
        {"batch=1 time=8 features=1000000", "gru", "hidden=1000000 layers=2"},
        {"batch=1 time=8 features=1000000", "attention", ""},
    };
    (void)state;
    char         file[512];
    const double start = seconds();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t size = describe(file, sizeof file, cases[i].model, 1, cases[i].type, cases[i].opts);
        assert_in_range(size, 1, 260);
        const fgt_status s = load_bounded(&kinds[0], file, size);
        if (s == FGT_OK) fail_msg("%s: accepted", cases[i].type);
        assert_int_equal(s, FGT_E_FORMAT);
    }
    assert_true(seconds() - start < 2); /* it takes milliseconds */
}

/* A table of sinusoids for more tokens than any pass can have: 465 bytes took 17 GB once. */
static void long_positions_stay_cheap(void **state)
{
    (void)state;
    char file[512];
    for (int form = 0; form < 3; form += 2) {
        char opts[64];
        snprintf(opts, sizeof opts, "max_time=1000000000 kind=%d", form);
        const int64_t size = describe(file, sizeof file, "batch=1 time=6 features=2", 1, "position", opts);
        assert_int_equal(load_bounded(&kinds[0], file, size), FGT_OK);
    }
}

/* Time grows with the number of layers, not with its square. */
static void many_layers_load(void **state)
{
    (void)state;
    const size_t room = 4 << 20;
    char        *file = malloc(room);
    assert_non_null(file);
    const int64_t size  = describe(file, room, "batch=1 time=1 features=1", 30000, "activation", "");
    const double  start = seconds();
    assert_int_equal(load_bounded(&kinds[0], file, size), FGT_OK);
    assert_true(seconds() - start < 4); /* it takes 0.2 s; with its square it took 5 */
    free(file);
}

/* Headers that are nothing but short pairs, or short tensors: the most that a byte of a file can cost. */
static void small_entries_stay_cheap(void **state)
{
    enum { ENTRIES = 60000 };
    static const struct {
        const char *before, *entry, *after;
    } cases[] = {
        {"{\"__metadata__\":{", "\"%05d\":\"\"", "}}"},
        {"{", "\"%05d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", "}"},
    };
    (void)state;
    const size_t room = 6 << 20;
    char        *file = malloc(room);
    assert_non_null(file);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int n = snprintf(file + 8, room - 8, "%s", cases[k].before);
        for (int i = 0; i < ENTRIES; i++) {
            file[8 + n] = ',';
            n += i > 0;
            n += snprintf(file + 8 + n, room - 8 - (size_t)n, cases[k].entry, i);
        }
        n += snprintf(file + 8 + n, room - 8 - (size_t)n, "%s", cases[k].after);
        for (int i = 0; i < 8; i++) file[i] = (char)((uint64_t)n >> 8 * i);
        assert_int_equal(load_bounded(&kinds[0], file, n + 8), FGT_E_FORMAT);
        assert_non_null(strstr(fgt_context_get_error(ctx), "not a fighter model"));
    }
    free(file);
}

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth */
    return (*state >> 33) % below;
}

static void check_damaged(const kind *k, const char *file)
{
    enum { DAMAGES = 400 };
    block    b    = test_read(file);
    uint64_t dice = 1;
    assert_int_equal(load_bounded(k, b.data, b.size), FGT_OK);
    char *copy = malloc((size_t)b.size);
    assert_non_null(copy);
    for (int i = 0; i < DAMAGES; i++) {
        memcpy(copy, b.data, (size_t)b.size);
        for (int n = 0; n <= i % 3; n++) {
            const int64_t at = 8 + (int64_t)draw(&dice, (uint64_t)b.size - 8);
            /* digits grow into larger ones: those are the sizes */
            copy[at] = copy[at] >= '0' && copy[at] <= '9' ? '9' : (char)draw(&dice, 256);
        }
        (void)load_bounded(k, copy, b.size);
    }
    free(copy);
    free(b.data);
}

static void damaged_files_stay_cheap(void **state)
{
    (void)state;
    each_kind(check_damaged);
}

/* ---- files that change ---- */

static int64_t keep_bytes; /* of the file, when the trap springs; -1: other contents of the same length */

/* Called in the middle of a load, by one of its allocations. */
static void change_file(void)
{
    if (keep_bytes >= 0) {
        if (truncate(path, (off_t)keep_bytes)) abort();
        return;
    }
    FILE *f = fopen(path, "r+b");
    if (!f) abort();
    for (int64_t i = 0; i < whole.size; i++) fputc(i < 8 ? whole.data[i] : '7', f);
    fclose(f);
}

/* At each allocation of a load the file is cut, or overwritten in place. */
static void check_changed(const kind *k, const char *file)
{
    const int64_t cuts[] = {-1, 0, 100, 1};
    whole                = test_read(file);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const int64_t live = memory.live;
        int           good = 0, bad = 0;
        keep_bytes = i == 3 ? whole.size - 1 : cuts[i];
        for (long n = 1;; n++) {
            void *p = NULL;
            test_write(path, whole.data, (size_t)whole.size);
            memory.trap             = change_file;
            memory.countdown        = n;
            const fgt_status s      = k->load(path, &p);
            const bool       sprung = memory.countdown == 0;
            memory.countdown        = 0;
            memory.trap             = NULL;
            k->destroy(&p);
            assert_int_equal(memory.live, live);
            if (!sprung) break;
            if (s != FGT_OK && s != FGT_E_FORMAT && s != FGT_E_NONFINITE && s != FGT_E_DATA)
                fail_msg("%s: %s", fgt_status_get_name(s), fgt_context_get_error(ctx));
            good += s == FGT_OK;
            bad += s != FGT_OK;
        }
        assert_true(bad > 0 && good + bad > 5);
    }
    free(whole.data);
}

static void changing_files_do_no_harm(void **state)
{
    (void)state;
    each_kind(check_changed);
}

/* Weights from a file that is cut while it is read: all of them, or none. */
static void changing_weights_are_whole(void **state)
{
    (void)state;
    fgt_model *m, *n;
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 3, .seed = 1),
                      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 5)), &m));
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 3, .seed = 2),
                      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 5)), &n));
    const uint64_t new = fgt_model_get_hash(m), old = fgt_model_get_hash(n);
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    whole      = test_read(path);
    keep_bytes = whole.size - 4;
    for (long k = 1;; k++) {
        test_write(path, whole.data, (size_t)whole.size);
        memory.trap             = change_file;
        memory.countdown        = k;
        const fgt_status s      = fgt_model_load_weights(n, FGT_FROM_FILE(path));
        const bool       sprung = memory.countdown == 0;
        memory.countdown        = 0;
        memory.trap             = NULL;
        if (!sprung) break;
        if (s != FGT_OK) REFUSED(s, FGT_E_FORMAT, path);
        assert_true(fgt_model_get_hash(n) == (s == FGT_OK ? new : old));
        if (s == FGT_OK) break;
    }
    free(whole.data);
    fgt_model_destroy(&m);
    fgt_model_destroy(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(small_files_stay_cheap),     WITH_CONTEXT(long_positions_stay_cheap),
        WITH_CONTEXT(many_layers_load),           WITH_CONTEXT(small_entries_stay_cheap),
        WITH_CONTEXT(damaged_files_stay_cheap),   WITH_CONTEXT(changing_files_do_no_harm),
        WITH_CONTEXT(changing_weights_are_whole),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
