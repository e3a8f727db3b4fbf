/* SPDX-License-Identifier: BSD-3-Clause */
/* A tracker: when it records, what, the same numbers as those of single calls, and its table. */
#include <math.h>

#include <fighter/experimental/tracker.h>
#include <fighter/fighter.h>

#include "../directory.h"
#include "../model_info.h"
#include "../one_context.h"

enum { B = 3, T = 5, D = 4, HEADS = 2, POWERS = 2, SAMPLES = 12 };
enum { PER_MATRIX = 7, PER_OUTPUT = 5, PER_LAYER = (PER_MATRIX + 1) * HEADS * POWERS + PER_OUTPUT };

static float x[SAMPLES * T * D];

static fgt_model *make(void)
{
    const fgt_fighter_opts o = {.size = sizeof o, .heads = HEADS};
    fgt_model             *m;
    for (int i = 0; i < SAMPLES * T * D; i++) x[i] = (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 3), &m));
    OK(fgt_model_add(m, fgt_named("a", fgt_fighter(&o))));
    OK(fgt_model_add(m, fgt_named("drop", fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.3f)))));
    OK(fgt_model_add(m, fgt_named("b,\"c\"", fgt_fighter(&o))));
    return m;
}

static fgt_tracker *track(fgt_model *m, const fgt_tracker_opts *o)
{
    fgt_tracker *t;
    OK(fgt_tracker_create(m, o, o && o->pass ? NULL : FGT_VIEW(x, B, T, D), &t));
    return t;
}

static fgt_tracker_row row_of(const fgt_tracker *t, int64_t i)
{
    fgt_tracker_row r = {.size = sizeof r};
    OK(fgt_tracker_get_row(t, i, &r));
    return r;
}

/* The number that single calls give, after a prediction. */
static double computed(fgt_model *m, const fgt_tracker_row *r)
{
    fgt_view v;
    double   out[B * HEADS], sum = 0;
    float    power[B * HEADS * T * T];
    if (r->head < 0) {
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), r->layer, &v));
        OK(fgt_statistic_compute(ctx, (int32_t)r->statistic, NULL, &v, out));
        for (int s = 0; s < B; s++) sum += out[s] / B;
        return sum;
    }
    OK(fgt_model_get_adjacency(m, r->layer, &v));
    memcpy(power, v.data, sizeof power);
    for (int k = 0; k < B * HEADS && r->power == 2; k++)
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                const float *a   = (const float *)v.data + k * T * T;
                double       dot = 0;
                for (int l = 0; l < T; l++) dot += (double)a[i * T + l] * (double)a[l * T + j];
                power[(k * T + i) * T + j] = (float)dot;
            }
    v.data = power;
    OK(fgt_statistic_compute(ctx, (int32_t)r->statistic, NULL, &v, out));
    for (int s = 0; s < B; s++) sum += out[s * HEADS + r->head] / B;
    return sum;
}

static void test_numbers(void **state)
{
    (void)state;
    float        y[B * T * D];
    int          seen[FGT_STATISTIC_COUNT] = {0};
    fgt_model   *m                         = make();
    fgt_tracker *t = track(m, &FGT_OPTS(fgt_tracker_opts, .powers = POWERS, .ranks = 1));
    OK(fgt_tracker_record(t, NULL));
    assert_int_equal(fgt_tracker_count_rows(t), 2 * PER_LAYER);
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    for (int64_t i = 0; i < fgt_tracker_count_rows(t); i++) {
        const fgt_tracker_row r = row_of(t, i);
        assert_string_equal(r.layer, i < PER_LAYER ? "a" : "b,\"c\"");
        assert_true(r.epoch == 0 && r.step == 0 && r.power <= POWERS && (r.power == 0) == (r.head < 0));
        seen[r.statistic]++;
        const double want = computed(m, &r);
        if (fabs(r.value - want) > 2e-6)
            fail_msg("%s, head %d, power %d, %s: %g, not %g", r.layer, (int)r.head, (int)r.power,
                     fgt_statistic_get_name((int32_t)r.statistic), r.value, want);
    }
    for (int k = 0; k < FGT_STATISTIC_COUNT; k++) assert_true(seen[k] > 0);
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

/* ---- in a training ---- */

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *in, const fgt_view *target)
{
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        memcpy((float *)in->data + i * T * D, x + index[i] * T * D, T * D * sizeof *x);
        memcpy((float *)target->data + i * T * D, x + (SAMPLES - 1 - index[i]) * T * D, T * D * sizeof *x);
    }
    return FGT_OK;
}

static int progress(void *user, const fgt_progress *p)
{
    return user && fgt_tracker_record(user, p) != FGT_OK;
}

static uint64_t fit(fgt_model *m, fgt_tracker *t)
{
    const fgt_source s = {.size = sizeof s, .count = SAMPLES, .get = get};
    OK(fgt_model_fit(
        m, &FGT_OPTS(fgt_fit_opts, .train = &s, .training = {.epochs = 4, .progress = progress, .user = t}),
        NULL));
    return fgt_model_get_hash(m);
}

/* Epochs and steps of records, which are `each` numbers: "1/4 2/8". */
static void check_times(const fgt_tracker *t, int64_t each, const char *want)
{
    char got[200] = "", *end = got;
    for (int64_t i = 0; i < fgt_tracker_count_rows(t); i += each) {
        const fgt_tracker_row r = row_of(t, i), last = row_of(t, i + each - 1);
        assert_true(r.step == last.step && r.epoch == last.epoch);
        end += sprintf(end, "%d/%d ", (int)r.epoch, (int)r.step);
    }
    assert_string_equal(got, want);
}

/* 12 samples in batches of 3: 4 steps an epoch. Training goes on as if nobody looked. */
static void test_times(void **state)
{
    (void)state;
    static const fgt_tracker_opts opts[]  = {{.size = sizeof opts[0]},
                                             {.size = sizeof opts[0], .epochs = 2},
                                             {.size = sizeof opts[0], .epochs = 3, .steps = 3}};
    static const char *const      times[] = {"1/4 2/8 3/12 4/16 ", "2/8 4/16 ", "1/3 2/6 3/9 3/12 4/15 "};
    fgt_model                    *plain   = make();
    const uint64_t                hash    = fit(plain, NULL);
    for (size_t i = 0; i < sizeof opts / sizeof *opts; i++) {
        fgt_model   *m = make();
        fgt_tracker *t = track(m, &opts[i]);
        assert_true(fit(m, t) == hash);
        check_times(t, 2 * (PER_MATRIX * HEADS + PER_OUTPUT), times[i]);
        fgt_tracker_destroy(&t);
        fgt_model_destroy(&m);
    }
    fgt_model_destroy(&plain);
}

/* Each training is recorded, though the next one has epochs and steps of the same numbers. */
static void test_again(void **state)
{
    (void)state;
    static const fgt_tracker_opts opts[]  = {{.size = sizeof opts[0], .epochs = 4},
                                             {.size = sizeof opts[0], .epochs = 4, .steps = 8}};
    static const char *const      times[] = {"4/16 4/16 ", "2/8 4/16 2/8 4/16 "};
    for (size_t i = 0; i < sizeof opts / sizeof *opts; i++) {
        fgt_model   *m = make();
        fgt_tracker *t = track(m, &opts[i]);
        for (int k = 0; k < 2; k++) fit(m, t);
        check_times(t, 2 * (PER_MATRIX * HEADS + PER_OUTPUT), times[i]);
        fgt_tracker_destroy(&t);
        fgt_model_destroy(&m);
    }
}

static fgt_status get_value(void *user, const int64_t *index, int64_t n, const char *layer, const fgt_view *v)
{
    (void)user;
    (void)layer;
    for (int64_t i = 0; i < n * T * D; i++) ((float *)v->data)[i] = (float)cos((double)(index[0] + i));
    return FGT_OK;
}

/* A training sets values for each of its batches, and removes them at the end. The tracker has its own. */
static void test_values(void **state)
{
    (void)state;
    static const char *const both[] = {"", "v"};
    static float             v[B * T * D];
    const fgt_source         s = {.size = sizeof s, .count = SAMPLES, .get = get, .get_value = get_value};
    fgt_model               *m;
    for (int i = 0; i < SAMPLES * T * D; i++) x[i] = (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("v", fgt_value(&FGT_OPTS(fgt_value_opts, .features = D)))));
    OK(fgt_model_add_from(m, fgt_sum(NULL), both, 2));
    OK(fgt_model_add(m, fgt_attention(NULL)));
    OK(fgt_model_add(m, fgt_named("out", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)))));
    OK(fgt_model_set_frozen(m, "*", 1));
    OK(fgt_model_set_frozen(m, "out.", 0));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "v", FGT_VIEW(v, B, T, D), NULL));
    fgt_tracker *t = track(m, &FGT_OPTS(fgt_tracker_opts, .steps = 1));
    OK(fgt_tracker_record(t, NULL));
    OK(fgt_model_fit(
        m, &FGT_OPTS(fgt_fit_opts, .train = &s, .training = {.epochs = 1, .progress = progress, .user = t}),
        NULL));
    OK(fgt_tracker_record(t, NULL));
    const int64_t each = PER_MATRIX + PER_OUTPUT, n = fgt_tracker_count_rows(t);
    assert_int_equal(n, 6 * each); /* the attention does not learn: all records are the same */
    for (int64_t i = each; i < n; i++) assert_true(row_of(t, i).value == row_of(t, i % each).value);
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

/* Matrices that are computed again from the tracker's pass may not mix its masks with those of the host. */
static void test_masks(void **state)
{
    (void)state;
    static const char *const both[]  = {"", "hidden"};
    int32_t                  hidden[B * T] = {0};
    float                    y[B * T * D];
    fgt_tracker             *t;
    fgt_model               *m;
    fgt_view                 a;
    const fgt_attention_opts o = {.size = sizeof o, .heads = HEADS, .attention.mode = FGT_ATTN_MODE_STREAM};
    for (int i = 0; i < SAMPLES * T * D; i++) x[i] = (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(
        m, fgt_named("hidden", fgt_value(&FGT_OPTS(fgt_value_opts, .kind = FGT_VALUE_KEY_PADDING)))));
    OK(fgt_model_add_from(m, fgt_named("a", fgt_attention(&o)), both, 2));
    t = track(m, NULL);
    OK(fgt_tracker_record(t, NULL));
    OK(fgt_model_get_adjacency(m, "a", &a)); /* no mask, then and now */
    hidden[T - 1] = 1;
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "hidden", FGT_VIEW_OF(FGT_DTYPE_I32, hidden, B, T),
                               NULL));
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    OK(fgt_tracker_record(t, NULL));
    REFUSED(fgt_model_get_adjacency(m, "a", &a), FGT_E_STATE, "mask that its matrices depend on");
    for (int64_t i = 0, n = fgt_tracker_count_rows(t) / 2; i < n; i++)
        assert_true(row_of(t, i).value == row_of(t, i + n).value); /* its own passes have no mask */
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    OK(fgt_model_get_adjacency(m, "a", &a));
    assert_true(((const float *)a.data)[T - 1] == 0);
    OK(fgt_workspace_set_stateful(fgt_model_get_workspace(m),
                                  1)); /* a refusal before the tracker's pass leaves them */
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    REFUSED(fgt_tracker_record(t, NULL), FGT_E_STATE, "states");
    OK(fgt_model_get_adjacency(m, "a", &a));
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

/* Calls after a pass may not take the shapes of the tracker's x for their own. */
static void test_between_passes(void **state)
{
    (void)state;
    float        y[B * T * D];
    fgt_view     v;
    fgt_tracker *t;
    fgt_model   *m = make();
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    OK(fgt_tracker_create(m, NULL, FGT_VIEW(x, 1, T - 2, D), &t));
    REFUSED(fgt_backward(m, FGT_VIEW(y, B, T, D), NULL), FGT_E_STATE, "needs a new fgt_forward");
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "a", &v), FGT_E_STATE, "no pass");
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

/* ---- the host's own passes, other layers ---- */

static fgt_status pass(void *user)
{
    float y[T * D];
    return fgt_predict(user, FGT_VIEW(x, 1, T, D), FGT_VIEW(y, 1, T, D));
}

static fgt_status no_pass(void *user)
{
    (void)user;
    return FGT_E_CANCELLED;
}

static void test_pass(void **state)
{
    (void)state;
    const char *const layer[] = {"b,\"c\""};
    fgt_model        *m       = make();
    fgt_tracker_opts  o = {.size = sizeof o, .layers = layer, .layer_count = 1, .pass = pass, .user = m};
    fgt_tracker      *t = track(m, &o);
    OK(fgt_tracker_record(t, NULL));
    assert_int_equal(fgt_tracker_count_rows(t), PER_MATRIX * HEADS + PER_OUTPUT);
    assert_string_equal(row_of(t, 0).layer, layer[0]);
    fgt_tracker_destroy(&t);
    o.pass = no_pass;
    t      = track(m, &o);
    assert_int_equal(fgt_tracker_record(t, NULL), FGT_E_CANCELLED);
    assert_int_equal(fgt_tracker_count_rows(t), 0);
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

/* ---- the table ---- */

static void test_file(void **state)
{
    (void)state;
    const char       *path     = in_directory("table.csv");
    const char *const second[] = {"b,\"c\""};
    fgt_model        *m        = make();
    fgt_tracker      *t        = track(m, &FGT_OPTS(fgt_tracker_opts, .layers = second, .layer_count = 1));
    OK(fgt_tracker_record(
        t, &(fgt_progress){.size = sizeof(fgt_progress), .epoch = 7, .step = 9, .epoch_done = 1}));
    OK(fgt_tracker_save(t, FGT_TO_FILE(path)));
    test_block b     = test_read(path);
    int        lines = 0;
    for (const char *p = b.data; *p; p++) lines += *p == '\n';
    assert_int_equal(lines, 1 + fgt_tracker_count_rows(t));
    static const char head[] =
        "epoch,step,layer,head,power,statistic,value\n7,9,\"b,\"\"c\"\"\",0,1,diagonal,0.";
    assert_memory_equal(b.data, head, strlen(head));
    assert_non_null(strstr(b.data, "\n7,9,\"b,\"\"c\"\"\",,,cosine,"));
    free(b.data);
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

static void test_refused(void **state)
{
    (void)state;
    const char *const names[] = {"drop", "none", NULL};
    fgt_tracker_row   r = {.size = sizeof r}, unset = {0};
    fgt_model        *m = make(), *plain;
    fgt_tracker      *t = (void *)m;
    const fgt_view   *v = FGT_VIEW(x, B, T, D);
#define BAD(view, status, words, ...) \
    REFUSED(fgt_tracker_create(m, &FGT_OPTS(fgt_tracker_opts, __VA_ARGS__), view, &t), status, words)
    assert_int_equal(fgt_tracker_create(NULL, NULL, v, &t), FGT_E_ARG);
    assert_null(t);
    REFUSED(fgt_tracker_create(m, NULL, v, NULL), FGT_E_ARG, "tracker is NULL");
    REFUSED(fgt_tracker_create(m, NULL, NULL, &t), FGT_E_ARG, "wrong x and pass (need one of them)");
    BAD(v, FGT_E_ARG, "wrong x and pass (need one of them)", .pass = pass);
    BAD(v, FGT_E_UNSUPPORTED, "\"drop\" (dropout)", .layers = names, .layer_count = 1);
    BAD(v, FGT_E_NAME, "\"none\"", .layers = names + 1, .layer_count = 1);
    BAD(v, FGT_E_ARG, "name is NULL", .layers = names + 2, .layer_count = 1);
    BAD(v, FGT_E_ARG, "fit together", .layers = names);
    BAD(v, FGT_E_ARG, "fit together", .layer_count = 1);
    BAD(v, FGT_E_ARG, "epochs", .epochs = -1);
    BAD(v, FGT_E_ARG, "powers", .powers = 1001);
    BAD(FGT_VIEW(x, B, T, 2), FGT_E_SHAPE, "x has the wrong shape", .powers = 1);
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), fgt_dropout(NULL),
                      &plain));
    REFUSED(fgt_tracker_create(plain, NULL, v, &t), FGT_E_UNSUPPORTED, "no layer of the model has attention");
    fgt_model_destroy(&plain);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &plain));
    REFUSED(fgt_tracker_create(plain, NULL, v, &t), FGT_E_STATE, "no layers");
    fgt_model_destroy(&plain);
    t = track(m, NULL);
    REFUSED(fgt_tracker_get_row(t, 0, &r), FGT_E_ARG, "row is out of range (got 0, of 0)");
    REFUSED(fgt_tracker_get_row(t, 0, NULL), FGT_E_ARG, "row is NULL");
    REFUSED(fgt_tracker_save(t, FGT_TO_FILE(NULL)), FGT_E_ARG, "path");
    REFUSED(fgt_tracker_save(t, &FGT_OPTS(fgt_output, .writer = NULL)), FGT_E_ARG, "writer");
    OK(fgt_tracker_record(t, NULL));
    REFUSED(fgt_tracker_get_row(t, 0, &unset), FGT_E_VERSION, "size");
    fgt_tracker_destroy(&t);
    x[0] = NAN;
    t    = track(m, NULL);
    REFUSED(fgt_tracker_record(t, NULL), FGT_E_NONFINITE, "not finite");
    assert_int_equal(fgt_tracker_count_rows(t), 0);
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

static void test_no_memory(void **state)
{
    (void)state;
    float        y[B * T * D];
    fgt_status   s;
    fgt_tracker *t;
    fgt_model   *m = make();
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    const fgt_tracker_opts o = {.size = sizeof o, .powers = POWERS};
    SWEEP(&memory, s, 4, fgt_tracker_create(m, &o, FGT_VIEW(x, B, T, D), &t))
    {
        assert_null(t);
        NOTHING_LEAKS;
    }
    SWEEP(&memory, s, 6, fgt_tracker_record(t, NULL)) assert_int_equal(fgt_tracker_count_rows(t), 0);
    SWEEP(&memory, s, 2, fgt_tracker_save(t, FGT_TO_FILE(in_directory("nomem.csv")))) NOTHING_LEAKS;
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_numbers), WITH_CONTEXT(test_times),   WITH_CONTEXT(test_again),
        WITH_CONTEXT(test_values),  WITH_CONTEXT(test_masks),   WITH_CONTEXT(test_between_passes),
        WITH_CONTEXT(test_pass),    WITH_CONTEXT(test_file),    WITH_CONTEXT(test_refused),
        WITH_CONTEXT(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
