/* SPDX-License-Identifier: BSD-3-Clause */
/* Results that layers keep of the weights are the model's: workspaces share them, in as many threads as
 * there are, and after every change of the weights. */
#include <fighter/experimental/adapter.h>
#include <fighter/experimental/sensitivity.h>

#include "../model_info.h"
#include "model/model_impl.h"
#include "packed_models.h"

/* A second model with the same weights packs them once, on this thread alone. */
static void check_round(fgt_model *m, fgt_model *alone, const char *what)
{
    static float   want[B * T * OUT];
    const fgt_view in = input(), out = output(want);
    OK(fgt_predict(alone, &in, &out));
    predict_together();
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(lanes[i].status, FGT_OK);
        if (memcmp(lanes[i].y, want, sizeof want) != 0) fail_msg("%s: thread %d has other bits", what, i);
    }
    halve_weights(m);
    halve_weights(alone);
}

static void check(fgt_model *m, fgt_model *alone, const char *what)
{
    for (int i = 0; i < THREADS; i++) OK(fgt_model_create_workspace(m, NULL, &lanes[i].ws));
    for (int r = 0; r < ROUNDS; r++) check_round(m, alone, what);
    for (int i = 0; i < THREADS; i++) fgt_workspace_destroy(&lanes[i].ws);
    fgt_model_destroy(&m);
    fgt_model_destroy(&alone);
}

static void test_threads(void **state)
{
    (void)state;
    char what[40];
    draw_input();
    for (int32_t k = 0; fgt_block_get_name(k); k++)
        check(with_block(k), with_block(k), fgt_block_get_name(k));
    for (int32_t k = 0; k < LAYERS; k++) {
        snprintf(what, sizeof what, "layer %d", k);
        check(with_layer(k), with_layer(k), what);
    }
    for (int32_t k = 0; k < WIDE; k++) {
        snprintf(what, sizeof what, "wide layer %d", k);
        check(with_wide_layer(k), with_wide_layer(k), what);
    }
}

/* ---- beside other calls that change no weight ---- */

/* For one token, so that passes take no longer than what stands between them. */
static fgt_model *deep_with_adapter(void)
{
    enum { DEPTH = 40 };
    fgt_model *m;
    fgt_view   w;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .features = D), &m));
    for (int i = 0; i < DEPTH; i++) OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    OK(fgt_model_add_adapter(
        m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .pattern = "*weight", .whole = "*bias", .rank = 2)));
    OK(fgt_model_set_adapter(m, "a"));
    OK(fgt_model_get_weights(m, &w)); /* B is zero at first */
    float *other = w.data = calloc((size_t)w.shape[0], sizeof *other);
    for (int64_t i = 0; i < w.shape[0]; i++) other[i] = (float)((i * 29) % 23) / 23;
    OK(fgt_model_set_weights(m, &w));
    free(other);
    return m;
}

/* Until `waiting` is zero. */
static void *predict_on(void *arg)
{
    lane          *l  = arg;
    float y[OUT];
    while (atomic_load(&waiting) > 0 && l->status == FGT_OK) {
        l->status = fgt_workspace_predict(l->ws, FGT_VIEW(tokens, 1, D), FGT_VIEW(y, 1, OUT));
        if (l->status == FGT_OK && memcmp(y, l->y, sizeof y) != 0) l->status = FGT_E_DATA;
    }
    return NULL;
}

/* Gradients of an adapter that go elsewhere do not take its weights from a prediction. */
static void test_beside_sensitivity(void **state)
{
    (void)state;
    lane      *l = &lanes[0];
    fgt_model *m = deep_with_adapter();
    double     norm;
    pthread_t  thread;
    draw_input();
    OK(fgt_model_create_workspace(m, NULL, &l->ws));
    OK(fgt_workspace_predict(l->ws, FGT_VIEW(tokens, 1, D), FGT_VIEW(l->y, 1, OUT)));
    l->status = FGT_OK;
    atomic_store(&waiting, 1);
    if (pthread_create(&thread, NULL, predict_on, l)) abort();
    for (int i = 0; i < 2000; i++)
        OK(fgt_sensitivity_compute(m, FGT_VIEW(tokens, 1, 1, D), NULL,
                                   FGT_VIEW_OF(FGT_DTYPE_F64, &norm, 1, 1, 1), NULL));
    atomic_store(&waiting, 0);
    pthread_join(thread, NULL);
    assert_int_equal(l->status, FGT_OK);
    fgt_workspace_destroy(&l->ws);
    fgt_model_destroy(&m);
}

/* With the gaps between its parts, which ASan would guard; volatile, so that no memcpy() comes of it. */
__attribute__((no_sanitize("address"))) static void copy_kept(const fgt_model *m, fgti_real *to)
{
    const volatile fgti_real *from = m->keep.all.memory;
    for (int64_t i = 0; i < m->keep.all.size; i++) to[i] = from[i];
}

/* Results that are kept of the weights are as another thread's predictions have left them: it may be
 * reading them. */
static void check_kept(fgt_model *m, bool backward)
{
    float          y[B * T * OUT];
    fgt_workspace *ws;
    fgt_view       a;
    const fgt_view in = input(), out = output(y);
    OK(fgt_model_create_workspace(m, NULL, &ws));
    OK(backward ? fgt_forward(m, &in, &out) : fgt_predict(m, &in, &out));
    halve_weights(m);
    OK(fgt_workspace_predict(ws, &in, &out));
    const size_t bytes = (size_t)m->keep.all.size * sizeof(fgti_real);
    fgti_real   *kept = malloc(bytes), *after = malloc(bytes);
    copy_kept(m, kept);
    OK(backward ? fgt_backward(m, &out, NULL) : fgt_model_get_adjacency(m, "0", &a));
    copy_kept(m, after);
    assert_memory_equal(after, kept, bytes);
    free(kept);
    free(after);
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

static void test_never_older(void **state)
{
    (void)state;
    draw_input();
    check_kept(with_layer(5), false);
    for (int32_t k = 0; k < LAYERS; k++) check_kept(with_layer(k), true);
}

/* ---- memory ---- */

static int64_t bytes_of(fgt_model *m, fgt_workspace **ws)
{
    const int64_t before = memory.bytes;
    OK(fgt_model_create_workspace(m, NULL, ws));
    return memory.bytes - before;
}

/* The first workspace brings the packed weights, the last one that goes takes them with it. */
static void test_shared_once(void **state)
{
    (void)state;
    fgt_workspace *a, *b;
    fgt_model     *m;
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 64),
                      fgt_transformer(NULL), &m));
    const int64_t empty = memory.bytes, first = bytes_of(m, &a), second = bytes_of(m, &b);
    const int64_t weights = (int64_t)sizeof(float) * model_info(m).parameters;
    assert_true(first - second > weights / 2 && first - second < 2 * weights);
    assert_true(fgt_model_get_workspace_bytes(m, NULL) <= first &&
                fgt_model_get_workspace_bytes(m, NULL) > second);
    fgt_workspace_destroy(&a);
    assert_int_equal(memory.bytes, empty + first);
    assert_int_equal(bytes_of(m, &a), second);
    fgt_workspace_destroy(&a);
    fgt_workspace_destroy(&b);
    assert_int_equal(memory.bytes, empty);
    fgt_model_destroy(&m);
}

/* Passes of training have no packed copy, and the same bits. */
static void test_training(void **state)
{
    (void)state;
    enum { FROM = 64, TO = 4096 };
    static float   a[B * T * OUT], b[B * T * OUT], y[TO], predicted[TO];
    const fgt_view in = input(), out = output(a), again = output(b);
    for (int32_t k = 0; k < WIDE; k++) {
        fgt_model *m = with_wide_layer(k);
        OK(fgt_predict(m, &in, &out));
        OK(fgt_forward(m, &in, &again));
        assert_memory_equal(a, b, sizeof a);
        const int64_t calls = memory.calls;
        OK(fgt_predict(m, &in, &again)); /* in the memory of the training pass, and the copies of the first */
        assert_int_equal(memory.calls, calls);
        assert_memory_equal(a, b, sizeof a);
        fgt_model_destroy(&m);
    }
    fgt_model     *m;
    fgt_workspace *ws;
    const fgt_view one  = {.data = tokens, .rank = 3, .shape = {1, 1, FROM}};
    const fgt_view wide = {.data = y, .rank = 3, .shape = {1, 1, TO}};
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = FROM),
                      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = TO)), &m));
    OK(fgt_forward(m, &one, &wide));
    const int64_t weights = FROM * TO * (int64_t)sizeof(float);
    assert_true(bytes_of(m, &ws) > weights);
    fgt_workspace_destroy(&ws);
    const int64_t before = memory.bytes;
    OK(fgt_predict(m, &one, &wide));
    assert_true(memory.bytes - before > weights);
    memcpy(predicted, y, sizeof y);
    OK(fgt_forward(m, &one, &wide));
    assert_memory_equal(predicted, y, sizeof y);
    fgt_model_destroy(&m);
}

/* ---- an executor whose thread predicts, too ---- */

typedef struct job {
    void (*task)(void *arg, int32_t worker);
    void   *arg;
    int32_t workers;
} job;

static void *work(void *arg)
{
    const job     *j  = arg;
    const fgt_view in = input(), out = output(lanes[0].y);
    lanes[0].status   = fgt_workspace_predict(lanes[0].ws, &in, &out);
    for (int32_t i = 0; i < j->workers; i++) j->task(j->arg, i);
    return NULL;
}

/* The host's one thread has a prediction to finish before it comes to this job. */
static void run_behind_prediction(void *user, int32_t workers, void (*task)(void *arg, int32_t worker),
                                  void *arg)
{
    job       j = {task, arg, workers};
    pthread_t thread;
    ++*(int *)user;
    if (pthread_create(&thread, NULL, work, &j)) abort();
    pthread_join(thread, NULL);
}

static fgt_model *with_wide_s4(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 128))));
    OK(fgt_model_add(m, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 4))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    return m;
}

static fgt_model *with_adapter(void)
{
    fgt_model *m = with_wide_layer(2);
    OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .pattern = "*weight")));
    OK(fgt_model_set_adapter(m, "a"));
    return m;
}

static void check_host(fgt_model *m)
{
    float          y[B * T * OUT];
    const fgt_view in = input(), out = output(y);
    OK(fgt_model_create_workspace(m, NULL, &lanes[0].ws));
    for (int r = 0; r < 2; r++) {
        const fgt_view again = output(lanes[0].y);
        OK(fgt_predict(m, &in, &out));
        assert_int_equal(lanes[0].status, FGT_OK);
        OK(fgt_workspace_predict(lanes[0].ws, &in, &again));
        assert_memory_equal(y, lanes[0].y, sizeof y);
        halve_weights(m);
    }
    fgt_workspace_destroy(&lanes[0].ws);
    fgt_model_destroy(&m);
}

/* A result that the calling thread computes for all is not left to a thread that waits for it. */
static void test_host_executor(void **state)
{
    (void)state;
    int                 runs = 0;
    const fgt_executor  host = {sizeof host, &runs, run_behind_prediction};
    const fgt_allocator a    = test_allocator(&memory);
    draw_input();
    OK_OF(NULL, fgt_context_create(
                    &FGT_OPTS(fgt_context_opts, .allocator = &a, .threads = 3, .executor = &host), &ctx));
    for (int32_t k = 0; k < LAYERS; k++) check_host(with_layer(k));
    for (int32_t k = 0; k < WIDE; k++) check_host(with_wide_layer(k));
    check_host(with_wide_s4());
    check_host(with_adapter());
    assert_true(runs > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_threads),
        WITH_CONTEXT(test_beside_sensitivity),
        WITH_CONTEXT(test_never_older),
        WITH_CONTEXT(test_shared_once),
        WITH_CONTEXT(test_training),
        cmocka_unit_test_teardown(test_host_executor, test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
