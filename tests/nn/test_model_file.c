/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files: every layer of the registry comes back with the same bits; what is damaged, foreign or
 * misshapen is refused with a sentence, and nothing is lost. */
#include <unistd.h>

#include "../model_info.h"
#include "../one_context.h"
#include "driver.h"

static char path[64], other[64];

static int make_paths(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/fgt_model_%ld.safetensors", (long)getpid());
    snprintf(other, sizeof other, "/tmp/fgt_other_%ld.safetensors", (long)getpid());
    return 0;
}

static int remove_paths(void **state)
{
    (void)state;
    remove(path);
    remove(other);
    return 0;
}

/* The same inputs, but the model is the one from the file. */
static void predict_again(nn_world *w, const fgti_real *want)
{
    fgt_model *loaded;
    nn_ok(w, fgt_model_load(w->ctx, FGT_FROM_FILE(path), NULL, &loaded));
    assert_int_equal(fgt_model_get_hash(loaded), fgt_model_get_hash(w->model));
    nn_give(w, loaded, NULL);
    const fgt_view x = nn_x(w), y = nn_y(w, w->y);
    memset(w->y, 0, (size_t)w->y_count * sizeof *w->y);
    nn_ok(w, fgt_predict(loaded, &x, &y));
    nn_same(w, "y of the loaded model", w->y_count, w->y, want);
    fgt_model_destroy(&loaded);
}

static void round_trip(const char *cls, const nn_case *c)
{
    nn_world w = {0};
    nn_open(&w, cls, c);
    nn_ok(&w, nn_predict(&w));
    fgti_real *want = nn_memory(w.y_count, sizeof *want);
    memcpy(want, w.y, (size_t)w.y_count * sizeof *want);
    nn_ok(&w, fgt_model_save(w.model, FGT_TO_FILE(path)));
    predict_again(&w, want);
    free(want);
    nn_close(&w);
}

static void every_layer_comes_back(void **state)
{
    (void)state;
    nn_each(round_trip);
}

/* ---- a small model for the rest ---- */

static fgt_model *small(int64_t out, uint64_t seed)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 2, .time = 5, .features = 3, .seed = seed),
                        &m));
    OK(fgt_model_add(
        m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 2, .dropout = 0.1f, .act = FGT_ACT_GELU))));
    OK(fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = out)))));
    return m;
}

static char  *bytes;
static size_t size;

static void read_file(void)
{
    const test_block b = test_read(path);
    bytes              = b.data;
    size               = (size_t)b.size;
}

static void write_other(size_t n)
{
    test_write(other, bytes, n);
}

static void options_are_kept(void **state)
{
    (void)state;
    fgt_model *m = small(4, 7), *loaded;
    fgt_view   out;
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    OK(fgt_model_load(ctx, FGT_FROM_FILE(path), &FGT_OPTS(fgt_load_opts, .batch = 9), &loaded));
    const fgt_fighter_opts *o = loaded->layer[0]->opts;
    assert_int_equal(o->hops, 2);
    assert_int_equal(o->act, FGT_ACT_GELU);
    assert_true(o->dropout == 0.1f);
    assert_int_equal(loaded->opts.seed, 7);
    out = model_info(loaded).output;
    assert_int_equal(out.shape[0], 9);
    fgt_model_destroy(&loaded);
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(path), &FGT_OPTS(fgt_load_opts, .batch = -1), &loaded),
            FGT_E_ARG, "batch");
    assert_null(loaded);
    fgt_model_destroy(&m);
}

/* Cut anywhere, a file is refused; the model asked for is NULL. */
static void truncated(void **state)
{
    (void)state;
    fgt_model *m = small(4, 1);
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    fgt_model_destroy(&m);
    read_file();
    for (size_t n = 0; n < size; n += n < 64 ? 1 : 37) {
        write_other(n);
        const fgt_status s = fgt_model_load(ctx, FGT_FROM_FILE(other), NULL, &m);
        assert_int_equal(s, FGT_E_FORMAT);
        assert_null(m);
        assert_non_null(strstr(fgt_context_get_error(ctx), other));
    }
    free(bytes);
}

static void put(const char *old, const char *new)
{
    char *at = NULL;
    for (size_t i = 0; !at && i + strlen(old) <= size; i++)
        if (!memcmp(bytes + i, old, strlen(old))) at = bytes + i;
    assert_non_null(at);
    assert_int_equal(strlen(old), strlen(new));
    memcpy(at, new, strlen(new));
}

static void changed(void **state)
{
    static const struct {
        const char *old, *new;
        fgt_status  status;
        const char *words;
    } changes[] = {
        {"\"fighter.format\":\"1\"", "\"fighter.format\":\"3\"", FGT_E_VERSION, "model format (got 3"},
        {"fighter.format", "fighter.formal", FGT_E_FORMAT, "not a fighter model"},
        {"\"fighter.layers\":\"2\"", "\"fighter.layers\":\"3\"", FGT_E_FORMAT, "layer 2"},
        {"\":\"fighter\"", "\":\"fightes\"", FGT_E_VERSION, "fightes"},
        {"hops=2", "hops=0", FGT_E_FORMAT, "hop_weight"},
        {"hops=2", "hopz=2", FGT_E_VERSION, "hopz"},
        {"hops=2", "hops=x", FGT_E_FORMAT, "hops=x"},
        {"dropout=0.1", "dropout=9.1", FGT_E_FORMAT, "dropout"},
        {"head.weight", "tail.weight", FGT_E_FORMAT, "head.weight"},
    };
    (void)state;
    fgt_model *m = small(4, 1);
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    fgt_model_destroy(&m);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        read_file();
        test_forget_hash(bytes, size);
        put(changes[i].old, changes[i].new);
        write_other(size);
        REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(other), NULL, &m), changes[i].status, changes[i].words);
        assert_null(m);
        free(bytes);
    }
}

static void not_finite(void **state)
{
    (void)state;
    static const unsigned char nan[] = {0, 0, 0xC0, 0x7F}; /* files are little-endian */
    fgt_model *m = small(4, 1), *loaded;
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    read_file();
    memcpy(bytes + size - sizeof nan, &nan, sizeof nan);
    test_forget_hash(bytes, size);
    write_other(size);
    free(bytes);
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(other), NULL, &loaded), FGT_E_NONFINITE, "NaN");
    const uint64_t hash = fgt_model_get_hash(m);
    REFUSED(fgt_model_load_weights(m, FGT_FROM_FILE(other)), FGT_E_NONFINITE, "NaN");
    assert_int_equal(fgt_model_get_hash(m), hash);
    fgt_model_destroy(&m);
}

/* Weights into a model that stands: by name and shape, or not at all. */
static void weights_by_name(void **state)
{
    (void)state;
    fgt_model *m = small(4, 1), *same = small(4, 2), *wider = small(6, 2), *layer;
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    OK(fgt_model_load_weights(same, FGT_FROM_FILE(path)));
    assert_int_equal(fgt_model_get_hash(same), fgt_model_get_hash(m));
    const uint64_t hash = fgt_model_get_hash(wider);
    REFUSED(fgt_model_load_weights(wider, FGT_FROM_FILE(path)), FGT_E_SHAPE, "head.weight");
    assert_int_equal(fgt_model_get_hash(wider), hash);
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 3),
                      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)), &layer));
    REFUSED(fgt_model_load_weights(layer, FGT_FROM_FILE(path)), FGT_E_NAME, "is not in the model");
    fgt_model_destroy(&m);
    fgt_model_destroy(&same);
    fgt_model_destroy(&wider);
    fgt_model_destroy(&layer);
}

static void unwritable(void **state)
{
    (void)state;
    fgt_model *m = small(4, 1), *loaded;
    REFUSED(fgt_model_save(m, FGT_TO_FILE("/nowhere/at/all.safetensors")), FGT_E_IO,
            "/nowhere/at/all.safetensors");
    REFUSED(fgt_model_save(m, FGT_TO_FILE("/tmp")), FGT_E_IO, "/tmp");
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE("/nowhere/at/all"), NULL, &loaded), FGT_E_IO, "/nowhere");
    assert_null(loaded);
    fgt_model_destroy(&m);
}

/* The k-th allocation fails, k = 1, 2, ...: FGT_E_NOMEM, nothing left behind, the model as before. */
static void failing_allocations(void **state)
{
    (void)state;
    fgt_model     *m = small(4, 1), *loaded = NULL;
    const uint64_t hash = fgt_model_get_hash(m);
    const int64_t  live = memory.live;
    fgt_status     s;
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    SWEEP(&memory, s, 3, fgt_model_save(m, FGT_TO_FILE(other))) NOTHING_LEAKS;
    assert_int_equal(memory.live, live);
    SWEEP(&memory, s, 10, fgt_model_load(ctx, FGT_FROM_FILE(path), NULL, &loaded))
    {
        assert_null(loaded);
        NOTHING_LEAKS;
    }
    assert_int_equal(fgt_model_get_hash(loaded), hash);
    fgt_model_destroy(&loaded);
    assert_int_equal(memory.live, live);
    SWEEP(&memory, s, 2, fgt_model_load_weights(m, FGT_FROM_FILE(path)))
    assert_int_equal(fgt_model_get_hash(m), hash);
    assert_int_equal(fgt_model_get_hash(m), hash);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_comes_back),
        WITH_CONTEXT(options_are_kept),
        WITH_CONTEXT(truncated),
        WITH_CONTEXT(changed),
        WITH_CONTEXT(not_finite),
        WITH_CONTEXT(weights_by_name),
        WITH_CONTEXT(unwritable),
        WITH_CONTEXT(failing_allocations),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_paths);
}
