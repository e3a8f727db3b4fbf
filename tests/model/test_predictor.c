/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictors: the bits of their models, one copy of each weight, any number of threads. */
#include "../model_info.h"
#include "packed_models.h"

#include "../directory.h"
#include "blas/blas.h"
#include "core/half.h"

static const fgt_predictor_opts exact = {.size = sizeof exact, .exact = 1};

static fgt_predictor *make(fgt_model *m, const fgt_predictor_opts *o)
{
    fgt_predictor *p;
    OK(fgt_predictor_create(m, o, &p));
    return p;
}

/* ---- threads ---- */

/* Its prediction. */
static void run(fgt_predictor *p, float *y)
{
    const fgt_view in = input(), out = output(y);
    fgt_workspace *ws;
    OK(fgt_predictor_create_workspace(p, NULL, &ws));
    OK(fgt_workspace_predict(ws, &in, &out));
    fgt_workspace_destroy(&ws);
}

static void check_threads(fgt_predictor *p, const float *want, size_t size, const char *what)
{
    for (int i = 0; i < THREADS; i++) OK(fgt_predictor_create_workspace(p, NULL, &lanes[i].ws));
    for (int r = 0; r < ROUNDS; r++) predict_together();
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(lanes[i].status, FGT_OK);
        if (memcmp(lanes[i].y, want, size) != 0) fail_msg("%s: thread %d has other bits", what, i);
        fgt_workspace_destroy(&lanes[i].ws);
    }
    fgt_predictor_destroy(&p);
}

/* The model is gone when the threads predict, and they find everything packed. */
static void check(fgt_model *m, const char *what)
{
    static float   want[B * T * OUT];
    const fgt_view in = input(), out = output(want);
    OK(fgt_predict(m, &in, &out));
    fgt_predictor *p = make(m, &exact), *folded = make(m, NULL);
    fgt_model_destroy(&m);
    check_threads(p, want, sizeof want, what);
    run(folded, want);
    check_threads(folded, want, sizeof want, what);
}

static void test_threads(void **state)
{
    (void)state;
    char what[40];
    draw_input();
    for (int32_t k = 0; fgt_block_get_name(k); k++) check(with_block(k), fgt_block_get_name(k));
    for (int32_t k = 0; k < LAYERS; k++) {
        snprintf(what, sizeof what, "layer %d", k);
        check(with_layer(k), what);
    }
    for (int32_t k = 0; k < WIDE; k++) {
        snprintf(what, sizeof what, "wide layer %d", k);
        check(with_wide_layer(k), what);
    }
}

/* ---- memory ---- */

/* A predictor of wide layers is little more than one copy of the weights, and a workspace adds none. */
static void test_one_copy(void **state)
{
    (void)state;
    for (int32_t k = 0; k < WIDE; k++) {
        fgt_model     *m       = with_wide_layer(k);
        const int64_t  weights = model_info(m).parameters * (int64_t)sizeof(float);
        const int64_t  before  = memory.bytes;
        fgt_predictor *p       = make(m, &exact);
        const int64_t  size = fgt_predictor_get_bytes(p), took = memory.bytes - before;
        fgt_workspace *a, *b;
        assert_true(size >= weights);
        assert_true(took >= size && took < size + (32 << 10));
        /* columns are rounded up to 64, and each packed weight has room for a tile behind it */
        assert_true(size < weights * 5 / 4 + (64 << 10));
        const int64_t first = memory.bytes;
        OK(fgt_predictor_create_workspace(p, NULL, &a));
        const int64_t one = memory.bytes - first;
        OK(fgt_predictor_create_workspace(p, NULL, &b));
        assert_int_equal(memory.bytes - first, 2 * one);
        fgt_workspace_destroy(&a);
        fgt_workspace_destroy(&b);
        fgt_predictor_destroy(&p);
        assert_int_equal(memory.bytes, before);
        fgt_model_destroy(&m);
    }
}

/* ---- 16 bits ---- */

static void round_weights(fgt_model *m)
{
    for (int64_t i = 0; i < model_info(m).tensors; i++) {
        const char *name = parameter_name(m, i);
        fgt_view    v    = {0};
        OK(parameter_shape(m, name, &v));
        if (v.rank < 2 || fgt_view_count(&v) < 4096) continue;
        float *w = v.data = calloc((size_t)fgt_view_count(&v), sizeof *w);
        OK(fgt_model_copy_parameter(m, name, &v));
        for (int64_t k = 0; k < fgt_view_count(&v); k++) {
            const uint16_t half = fgti_half_of(w[k]);
            ctx->vec->expand(1, &half, &w[k]);
        }
        OK(fgt_model_set_parameter(m, name, &v));
        free(w);
    }
}

static void check_half(fgt_model *m, const fgt_view *in, const char *what)
{
    static float             want[B * T * OUT], y[B * T * OUT];
    const fgt_predictor_opts o   = {.size = sizeof o, .storage = FGT_STORAGE_BF16, .exact = 1};
    const fgt_view           out = output(want), again = output(y);
    fgt_workspace           *ws;
    fgt_predictor           *p = make(m, &exact), *half = make(m, &o);
    if (fgt_predictor_get_bytes(half) >= fgt_predictor_get_bytes(p)) fail_msg("%s: no smaller", what);
    round_weights(m);
    OK(fgt_predict(m, in, &out));
    OK(fgt_predictor_create_workspace(half, NULL, &ws));
    OK(fgt_workspace_predict(ws, in, &again));
    if (memcmp(want, y, sizeof y) != 0) fail_msg("%s: other bits", what);
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&half);
    fgt_predictor_destroy(&p);
    fgt_model_destroy(&m);
}

/* The bits of a model whose large weights were rounded; a table of embeddings too. */
static void test_half(void **state)
{
    (void)state;
    enum { VOCAB = 700 };
    static int64_t ids[B * T];
    const fgt_view in = input();
    fgt_model     *m;
    draw_input();
    check_half(with_wide_layer(1), &in, "attention");
    check_half(with_wide_layer(2), &in, "transformer");
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 384))));
    OK(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 3, .heads = 2))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    check_half(m, &in, "fighter");
    for (int i = 0; i < B * T; i++) ids[i] = i * 37 % VOCAB;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = VOCAB, .out = 16))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    check_half(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T), "embedding");
}

/* ---- files ---- */

static fgt_predictor *map(fgt_model *m, const char *path, int32_t storage)
{
    return make(m, &FGT_OPTS(fgt_predictor_opts, .storage = storage, .map = path));
}

static ino_t file_number(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

/* Predicts with the file; whether it was written anew. */
static bool replaces(fgt_model *m, const char *path, int32_t storage)
{
    static float   want[B * T * OUT], y[B * T * OUT];
    const ino_t    before = file_number(path);
    fgt_predictor *alone  = make(m, &FGT_OPTS(fgt_predictor_opts, .storage = storage));
    run(alone, want);
    fgt_predictor_destroy(&alone);
    fgt_predictor *p = map(m, path, storage);
    run(p, y);
    assert_memory_equal(y, want, sizeof y);
    fgt_predictor_destroy(&p);
    return file_number(path) != before;
}

static void damage(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    const int c = fgetc(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_true(fputc(c ^ 1, f) != EOF && !fclose(f));
}

/* It is made, then used as it is, until something else is asked for, or it is not as it was written. */
static void check_file(fgt_model *m, const char *path)
{
    fgt_predictor *p      = map(m, path, FGT_STORAGE_F32), *q;
    const int64_t  before = memory.bytes, size = fgt_predictor_get_bytes(p);
    q = map(m, path, FGT_STORAGE_F32);
    assert_true(memory.bytes - before < 64 << 10 && fgt_predictor_get_bytes(q) == size);
    fgt_predictor_destroy(&q);
    assert_false(replaces(m, path, FGT_STORAGE_F32));
    damage(path, 200);
    assert_true(replaces(m, path, FGT_STORAGE_F32));
    damage(path, 40);
    assert_true(replaces(m, path, FGT_STORAGE_F32));
    assert_int_equal(truncate(path, 100), 0);
    assert_true(replaces(m, path, FGT_STORAGE_F32));
    assert_true(replaces(m, path, FGT_STORAGE_BF16));
    halve_weights(m);
    assert_true(replaces(m, path, FGT_STORAGE_BF16));
    assert_false(replaces(m, path, FGT_STORAGE_BF16));
    fgt_predictor_destroy(&p); /* the file that it has mapped is long gone */
    assert_int_equal(unlink(path), 0);
    fgt_model_destroy(&m);
}

static void test_files(void **state)
{
    (void)state;
    const char *path = in_directory("map");
    draw_input();
    check_file(with_wide_layer(1), path);
    check_file(with_wide_layer(2), path);
    for (int32_t k = 0; k < LAYERS; k++) check_file(with_layer(k), path);
}

/* Nothing else is replaced, and a failure leaves what was there. */
static void test_other_files(void **state)
{
    (void)state;
    const char    *path = in_directory("model.safetensors");
    fgt_predictor *p;
    fgt_status     s;
    fgt_model     *m = with_wide_layer(1);
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    const ino_t before = file_number(path);
    REFUSED(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .map = path), &p), FGT_E_FORMAT,
            "model.safetensors: not a file of a predictor's weights, so it is not replaced");
    assert_null(p);
    assert_int_equal(file_number(path), before);
    assert_int_equal(unlink(path), 0);
    REFUSED(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .map = "/nowhere/at/all"), &p), FGT_E_IO,
            "/nowhere/at/all: cannot");
    REFUSED(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .map = "/"), &p), FGT_E_FORMAT,
            "not a file of a predictor's weights");
    path = in_directory("map");
    SWEEP(&memory, s, 8, fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .map = path), &p))
    {
        assert_null(p);
        assert_int_equal(access(path, F_OK), -1);
    }
    fgt_predictor_destroy(&p);
    assert_int_equal(unlink(path), 0);
    fgt_model_destroy(&m);
}

/* ---- what a model may be ---- */

/* Layers of one name's parameters; one of them takes another route, on which they are read as they are. */
static void test_shared(void **state)
{
    (void)state;
    enum { WIDTH = 80, Y = B * T * WIDTH };
    static float   a[Y], b[Y];
    fgt_model     *m;
    fgt_workspace *ws;
    const fgt_view in = input(), out = {.data = a, .rank = 3, .shape = {B, T, WIDTH}};
    const fgt_view again = {.data = b, .rank = 3, .shape = {B, T, WIDTH}};
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = WIDTH))));
    OK(fgt_model_add(m, fgt_named("first", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = WIDTH)))));
    OK(fgt_model_add(m, fgt_shared("first")));
    OK(fgt_model_add(m, fgt_named("att", fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 2)))));
    OK(fgt_model_add(m, fgt_shared("att")));
    OK(fgt_predict(m, &in, &out));
    fgt_predictor *p = make(m, NULL);
    fgt_model_destroy(&m);
    OK(fgt_predictor_create_workspace(p, NULL, &ws));
    OK(fgt_workspace_predict(ws, &in, &again));
    assert_memory_equal(a, b, sizeof a);
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
}

/* The model may go on: later weights are none of the predictor's. */
static void test_apart(void **state)
{
    (void)state;
    static float   a[B * T * OUT], b[B * T * OUT];
    const fgt_view in = input(), out = output(a), again = output(b);
    fgt_workspace *ws;
    draw_input();
    fgt_model *m = with_wide_layer(0);
    OK(fgt_predict(m, &in, &out));
    fgt_predictor *p = make(m, NULL);
    fgt_view       w;
    OK(fgt_model_get_weights(m, &w));
    float *zero = calloc((size_t)w.shape[0], sizeof *zero);
    w.data      = zero;
    OK(fgt_model_set_weights(m, &w));
    free(zero);
    OK(fgt_predictor_create_workspace(p, NULL, &ws));
    OK(fgt_workspace_predict(ws, &in, &again));
    assert_memory_equal(a, b, sizeof a);
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
    fgt_model_destroy(&m);
}

static void test_refused(void **state)
{
    (void)state;
    fgt_model     *m;
    fgt_predictor *p  = (void *)state;
    fgt_workspace *ws = (void *)state;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .features = D), &m));
    REFUSED(fgt_predictor_create(m, NULL, &p), FGT_E_STATE, "the model has no layers");
    assert_null(p);
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    REFUSED(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .storage = 7), &p), FGT_E_ARG,
            "storage is wrong (got 7, need an fgt_storage)");
    REFUSED(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .exact = 2), &p), FGT_E_ARG,
            "exact is wrong (got 2, need 0 or 1)");
    assert_int_equal(fgt_predictor_create(NULL, NULL, &p), FGT_E_ARG);
    assert_int_equal(fgt_predictor_create(m, NULL, NULL), FGT_E_ARG);
    assert_int_equal(fgt_predictor_create_workspace(NULL, NULL, &ws), FGT_E_ARG);
    assert_null(ws);
    assert_int_equal(fgt_predictor_get_bytes(NULL), 0);
    p = make(m, NULL);
    REFUSED(fgt_predictor_create_workspace(p, &FGT_OPTS(fgt_workspace_opts, .threads = -1), &ws), FGT_E_ARG,
            "workspace: threads is out of range (got -1, need 0 .. 1024)");
    REFUSED(fgt_predictor_create_workspace(p, &FGT_OPTS(fgt_workspace_opts, .reserved = 3), &ws),
            FGT_E_VERSION, "workspace: reserved is wrong (got 3, need 0)");
    fgt_predictor_destroy(&p);
    fgt_predictor_destroy(&p);
    fgt_predictor_destroy(NULL);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_threads), WITH_CONTEXT(test_one_copy),    WITH_CONTEXT(test_half),
        WITH_CONTEXT(test_files),   WITH_CONTEXT(test_other_files), WITH_CONTEXT(test_shared),
        WITH_CONTEXT(test_apart),   WITH_CONTEXT(test_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
