/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse gradients: lazily updated rows of an embedding, against the dense rule. A linear layer whose weight
 * has the same shape is the dense twin; both are given the same gradients. */
#include "../model_info.h"
#include "small_models.h"

#include "model/model_impl.h"
#include "train/optim/optim.h"

enum { V = 9, H = 5, N = V * H };


static fgt_model *new_embedding(fgt_context *c, int64_t batch, int64_t time, int64_t vocab, int64_t out)
{
    const fgt_model_opts     o = {.size = sizeof o, .batch = batch, .time = time, .seed = 5};
    const fgt_embedding_opts e = {.size = sizeof e, .vocab = vocab, .out = out, .has_padding = 1,
                                  .mask_padding = 1};
    fgt_model *m;
    OK_OF(c, fgt_model_create(c, &o, &m));
    OK_OF(c, fgt_model_add(m, fgt_named("table", fgt_embedding(&e))));
    return m;
}

typedef struct twins {
    fgt_model *model[2]; /* sparse, dense */
    fgt_optim *optim[2];
} twins;

static const char *const weight_of[] = {"table.weight", "weight"};

static twins new_twins(const fgt_optim_opts *o)
{
    const fgt_model_opts mo = {.size = sizeof mo, .features = H};
    const fgt_linear_opts lo = {.size = sizeof lo, .out = V, .no_bias = 1};
    float w[N];
    twins t = {.model = {new_embedding(ctx, 1, 1, V, H)}};
    OK(model_of_layer(ctx, &mo, fgt_linear(&lo), &t.model[1]));
    OK(fgt_model_copy_parameter(t.model[0], weight_of[0], FGT_VIEW(w, V, H)));
    OK(fgt_model_set_parameter(t.model[1], weight_of[1], FGT_VIEW(w, V, H)));
    for (int i = 0; i < 2; i++) OK(fgt_optim_create(t.model[i], o, &t.optim[i]));
    return t;
}

static void end_twins(twins *t)
{
    for (int i = 0; i < 2; i++) {
        fgt_optim_destroy(&t->optim[i]);
        fgt_model_destroy(&t->model[i]);
    }
}

static void get_weights(const twins *t, int i, float w[N])
{
    OK(fgt_model_copy_parameter(t->model[i], weight_of[i], FGT_VIEW(w, V, H)));
}

/* One step of both; rows without a bit in `rows` have no gradient. */
static void step_twins(const twins *t, uint64_t s, unsigned rows)
{
    float g[N];
    for (int i = 0; i < N; i++) g[i] = rows >> (i / H) & 1 ? noise(s, i) : 0;
    for (int i = 0; i < 2; i++) {
        OK(fgt_model_set_gradient(t->model[i], weight_of[i], FGT_VIEW(g, V, H)));
        OK(fgt_step(t->optim[i]));
    }
}

/* Largest difference of the twins' weights. */
static double differ(const twins *t)
{
    float  a[N], b[N];
    double worst = 0;
    get_weights(t, 0, a);
    get_weights(t, 1, b);
    for (int i = 0; i < N; i++) {
        const double apart = fabs((double)a[i] - (double)b[i]);
        if (apart > worst) worst = apart;
    }
    return worst;
}

static const fgt_schedule_opts cosine = {.size = sizeof cosine, .kind = FGT_SCHEDULE_COSINE, .warmup = 5,
                                         .total = 70};

/* Rules with lazy updates; `exact`: no norm, whose sum has another order, enters the updates. */
static const struct rule {
    const char    *name;
    fgt_optim_opts opts;
    bool           exact;
} rules[] = {
    {"adamw", {.size = sizeof(fgt_optim_opts), .lr = 0.05}, true},
    {"adamw, decay", {.size = sizeof(fgt_optim_opts), .lr = 0.05, .weight_decay = 0.1}, true},
    {"adamw, schedule",
     {.size = sizeof(fgt_optim_opts), .lr = 0.05, .weight_decay = 0.05, .schedule = &cosine}, true},
    {"adam, betas", {.size = sizeof(fgt_optim_opts), .lr = 0.05, .kind = FGT_OPTIM_ADAM, .beta1 = 0.8,
                     .beta2 = 0.95}, true},
    {"adam, clip", {.size = sizeof(fgt_optim_opts), .lr = 0.05, .kind = FGT_OPTIM_ADAM, .clip = 1}, false},
    {"sgd", {.size = sizeof(fgt_optim_opts), .lr = 0.05, .kind = FGT_OPTIM_SGD}, true},
    {"momentum", {.size = sizeof(fgt_optim_opts), .lr = 0.02, .kind = FGT_OPTIM_SGD, .momentum = 0.9}, true},
    {"nesterov", {.size = sizeof(fgt_optim_opts), .lr = 0.02, .kind = FGT_OPTIM_SGD, .momentum = 0.9,
                  .nesterov = 1, .schedule = &cosine}, true},
};
#define RULES (sizeof rules / sizeof *rules)

/* All rows in every step: none is missed, and the bits are those of the dense rule; so are they in the first
 * step for the rows that it touches. */
static void test_dense(void **state)
{
    (void)state;
    for (size_t r = 0; r < RULES; r++) {
        twins t = new_twins(&rules[r].opts);
        for (uint64_t s = 0; s < 30; s++) {
            step_twins(&t, s, (1u << V) - 1);
            if (!(differ(&t) <= (rules[r].exact ? 0 : 1e-6)))
                fail_msg("%s: step %d differs by %g", rules[r].name, (int)s, differ(&t));
        }
        const double before = differ(&t);
        OK(fgt_optim_settle(t.optim[0]));
        assert_true(differ(&t) == before);
        end_twins(&t);
        t = new_twins(&rules[r].opts);
        float a[N], b[N], start[N];
        get_weights(&t, 0, start);
        step_twins(&t, 1, 0x15);
        get_weights(&t, 0, a);
        get_weights(&t, 1, b);
        for (int i = 0; i < N; i++) {
            const bool touched = 0x15 >> (i / H) & 1;
            if (touched && rules[r].exact) assert_true(a[i] == b[i]);
            if (!touched) assert_true(a[i] == start[i]);
        }
        end_twins(&t);
    }
}

/* Row r in every (r+1)-th step. Brought up to date, at the end and halfway, it is where the dense rule is. */
static void test_waiting(void **state)
{
    (void)state;
    for (size_t r = 0; r < RULES; r++) {
        twins t = new_twins(&rules[r].opts);
        for (uint64_t s = 0; s < 60; s++) {
            unsigned rows = 0;
            for (unsigned v = 0; v < V; v++) rows |= (unsigned)(s % (v + 1) == v % 3) << v;
            step_twins(&t, s, rows);
            if (s % 29 != 0 && s != 59) continue;
            OK(fgt_optim_settle(t.optim[0]));
            if (!(differ(&t) < 3e-6)) fail_msg("%s: step %d: %g", rules[r].name, (int)s, differ(&t));
        }
        end_twins(&t);
    }
}

/* As with the moments of a run of so many steps, all of them zero: the schedule begins anew. */
static void begin_at(twins *t, int64_t steps)
{
    for (int i = 0; i < 2; i++) t->optim[i]->t = t->optim[i]->begin = steps;
    for (int row = 0; row < V && t->optim[0]->lazy.last; row++) t->optim[0]->lazy.last[row] = steps;
}

/* Rows that miss more steps than are remembered: after an early step, until touched; after a late one. */
static void check_long(int64_t begin)
{
    for (size_t r = 0; r < RULES; r++) {
        static const fgt_schedule_opts slow = {.size = sizeof slow, .kind = FGT_SCHEDULE_COSINE, .warmup = 30,
                                               .total = 3 * FGTI_LAZY_STEPS};
        fgt_optim_opts o = rules[r].opts;
        if (o.schedule) o.schedule = &slow;
        twins t = new_twins(&o);
        begin_at(&t, begin);
        const uint64_t end = FGTI_LAZY_STEPS;
        for (uint64_t s = 0; s < 2 * end + 9; s++)
            step_twins(&t, s, s == 20 ? 3 : s == end + 50 ? 7 : s == end + 200 ? 5 : 1);
        OK(fgt_optim_settle(t.optim[0]));
        if (!(differ(&t) < 1e-5)) fail_msg("%s, begun at %d: %g", rules[r].name, (int)begin, differ(&t));
        end_twins(&t);
    }
}

static void test_long(void **state)
{
    (void)state;
    check_long(0);
    check_long(2 * FGTI_LAZY_STEPS);
}

/* The moves that a row has missed are left out where they would grow without end. */
static void test_endless_moves(void **state)
{
    (void)state;
    static const fgt_optim_opts endless[] = {
        {.size = sizeof *endless, .lr = 0.02, .kind = FGT_OPTIM_SGD, .momentum = 1},
        {.size = sizeof *endless, .lr = 0.02, .kind = FGT_OPTIM_ADAM, .beta1 = 0.98, .beta2 = 0.95}};
    for (int k = 0; k < 2; k++) {
        float before[N], after[N];
        twins t = new_twins(&endless[k]);
        step_twins(&t, 1, 3);
        assert_true(differ(&t) == 0);
        get_weights(&t, 0, before);
        step_twins(&t, 2, 1);
        OK(fgt_optim_settle(t.optim[0]));
        get_weights(&t, 0, after);
        for (int i = 0; i < N; i++) assert_true((after[i] != before[i]) == (i < H));
        assert_true(differ(&t) > 0.001);
        end_twins(&t);
    }
}

/* ---- what a step touches ---- */

static const int64_t batch_ids[3][4] = {{3, 1, 3, 0}, {1, 2, 0, 0}, {7, 7, 7, 7}};

static void backward_of(fgt_model *m, const int64_t ids[4])
{
    float y[4 * H], dy[4 * H];
    for (int i = 0; i < 4 * H; i++) dy[i] = noise(9, i);
    OK(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, 4), FGT_VIEW(y, 1, 4, H)));
    OK(fgt_backward(m, FGT_VIEW(dy, 1, 4, H), NULL));
}

static bool has(const int64_t ids[4], int64_t id)
{
    for (int i = 0; i < 4; i++)
        if (ids[i] == id) return true;
    return false;
}

/* Rows of other ids keep their bits; the padding row is never touched, and is 0 for ever. */
static void test_rows(void **state)
{
    (void)state;
    const fgt_optim_opts o = {.size = sizeof o, .weight_decay = 0.1};
    fgt_model           *m = new_embedding(ctx, 1, 4, V, H);
    fgt_optim           *optim;
    float                before[N], after[N];
    OK(fgt_optim_create(m, &o, &optim));
    for (int s = 0; s < 6; s++) {
        const int64_t *ids = batch_ids[s % 3];
        OK(fgt_model_copy_parameter(m, "table.weight", FGT_VIEW(before, V, H)));
        backward_of(m, ids);
        const int64_t calls = memory.calls;
        OK(fgt_step(optim));
        assert_int_equal(memory.calls, calls); /* a step allocates nothing */
        OK(fgt_model_copy_parameter(m, "table.weight", FGT_VIEW(after, V, H)));
        for (int64_t v = 0; v < V; v++) {
            const bool same = !memcmp(before + v * H, after + v * H, H * sizeof(float));
            assert_true(same == (v == 0 || !has(ids, v)));
        }
    }
    OK(fgt_optim_settle(optim));
    OK(fgt_model_copy_parameter(m, "table.weight", FGT_VIEW(after, V, H)));
    for (int i = 0; i < H; i++) assert_true(after[i] == 0);
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
    assert_int_equal(fgt_optim_settle(NULL), FGT_E_ARG);
}

static void expect_gradient(fgt_model *m, const float *want)
{
    float g[N];
    OK(fgt_model_copy_gradient(m, "table.weight", FGT_VIEW(g, V, H)));
    for (int i = 0; i < N; i++) assert_true(g[i] == (want ? want[i] : 0));
}

/* Several backward passes add up; a step, a refused one and fgt_model_clear_gradients() leave zeros; a
 * gradient that the host sets replaces what was there. */
static void test_gradients(void **state)
{
    (void)state;
    fgt_model *m = new_embedding(ctx, 1, 4, V, H);
    fgt_optim *optim;
    float      want[N] = {0}, start[N], w[N];
    OK(fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .kind = FGT_OPTIM_SGD), &optim));
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 4 * H; i++)
            if (batch_ids[b][i / H]) want[batch_ids[b][i / H] * H + i % H] += noise(9, i);
    backward_of(m, batch_ids[0]);
    backward_of(m, batch_ids[1]);
    expect_gradient(m, want);
    OK(fgt_model_clear_gradients(m));
    expect_gradient(m, NULL);
    backward_of(m, batch_ids[2]);
    memset(want, 0, sizeof want);
    want[2 * H + 1] = 2;
    OK(fgt_model_set_gradient(m, "table.weight", FGT_VIEW(want, V, H)));
    assert_int_equal(m->touched.count, 1);
    OK(fgt_model_copy_parameter(m, "table.weight", FGT_VIEW(start, V, H)));
    OK(fgt_step(optim));
    OK(fgt_model_copy_parameter(m, "table.weight", FGT_VIEW(w, V, H)));
    for (int i = 0; i < N; i++) near((double)w[i], (double)(start[i] - 1e-3f * want[i]), 1e-7, "weight");
    expect_gradient(m, NULL);
    assert_int_equal(m->touched.count, 0);
    const uint64_t hash = fgt_model_get_hash(m);
    want[3 * H]         = NAN;
    OK(fgt_model_set_gradient(m, "table.weight", FGT_VIEW(want, V, H)));
    REFUSED(fgt_step(optim), FGT_E_NONFINITE, "the gradient of table.weight is NaN");
    expect_gradient(m, NULL);
    assert_true(fgt_model_get_hash(m) == hash);
    OK(fgt_step(optim)); /* without any gradient: nothing moves */
    assert_true(fgt_model_get_hash(m) == hash);
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
}

/* ---- training ---- */

enum { WORDS = 2500, T = 64, B = 24, WIDE = 24, SAMPLES = 96 };

static fgt_status random_texts(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                               const fgt_view *target)
{
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        const fgti_rng rng = {.key = 3, .stream = (uint64_t)index[i]};
        for (int64_t t = 0; t < T; t++) {
            const int64_t id = (int64_t)fgti_rng_below(rng, (uint64_t)t, WORDS);
            ((int64_t *)x->data)[i * T + t] = t >= T - index[i] % 9 ? 0 : id;
        }
        ((int64_t *)target->data)[i] = index[i] % 3;
    }
    return FGT_OK;
}

static fgt_model *new_classifier(fgt_context *c)
{
    fgt_model *m = new_embedding(c, B, T, WORDS, WIDE);
    OK_OF(c, fgt_model_add(m, fgt_pool(NULL)));
    OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3))));
    return m;
}

static const fgt_loss_opts   loss = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY};
static const fgt_source      texts = {.size = sizeof texts, .count = SAMPLES, .get = random_texts};
static const fgt_optim_opts  clipped = {.size = sizeof clipped, .lr = 0.01, .clip = 0.05};

static uint64_t fit_hash(int32_t threads)
{
    test_memory        mem;
    fgt_context       *c = test_context(&mem, threads);
    fgt_model         *m = new_classifier(c);
    const fgt_fit_opts o = {.size            = sizeof o,
                            .train           = &texts,
                            .loss            = &loss,
                            .optim           = &clipped,
                            .training.epochs = 2,
                            .target_dtype    = FGT_DTYPE_I64,
                            .no_shuffle      = 1};
    OK_OF(c, fgt_model_fit(m, &o, NULL));
    const uint64_t hash = fgt_model_get_hash(m);
    fgt_model_destroy(&m);
    fgt_context_destroy(&c);
    assert_int_equal(mem.live, 0);
    return hash;
}

/* A host's own loop that brings the rows up to date after each epoch, as fgt_model_fit() does. */
static uint64_t loop_hash(bool apply)
{
    fgt_model *m = new_classifier(ctx);
    fgt_optim *optim;
    float      y[B * 3];
    double     l;
    static int64_t ids[B * T], classes[B];
    OK(fgt_optim_create(m, &clipped, &optim));
    for (int epoch = 0; epoch < 2; epoch++) {
        for (int64_t at = 0; at < SAMPLES; at += B) {
            int64_t index[B];
            for (int64_t i = 0; i < B; i++) index[i] = at + i;
            const fgt_view *x = FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T),
                           *c = FGT_VIEW_OF(FGT_DTYPE_I64, classes, B);
            OK(random_texts(NULL, index, B, x, c));
            OK(fgt_forward(m, x, FGT_VIEW(y, B, 3)));
            OK(fgt_loss_compute(ctx, FGT_VIEW(y, B, 3), c, &loss, NULL, &l, FGT_VIEW(y, B, 3)));
            OK(fgt_backward(m, FGT_VIEW(y, B, 3), NULL));
            OK(fgt_step(optim));
        }
        if (apply) OK(fgt_optim_settle(optim));
    }
    const uint64_t hash = fgt_model_get_hash(m);
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
    return hash;
}

static void test_training(void **state)
{
    (void)state;
    const uint64_t hash = fit_hash(1);
    assert_true(fit_hash(2) == hash && fit_hash(5) == hash);
    assert_true(loop_hash(true) == hash);
    assert_true(loop_hash(false) != hash);
}

static void test_nomem(void **state)
{
    (void)state;
    const fgt_optim_opts o = {.size = sizeof o, .weight_decay = 0.1};
    fgt_model           *m = new_embedding(ctx, 1, 4, V, H);
    fgt_status           s;
    fgt_optim           *optim;
    SWEEP(&memory, s, 3, fgt_optim_create(m, &o, &optim))
    {
        assert_null(optim);
        /* what stays are the model's: list and marks of the touched rows, gradients */
        assert_true(memory.live <= w_.live + 3 && w_.k < 11);
    }
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_long), cmocka_unit_test(test_endless_moves),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_training),
        cmocka_unit_test(test_nomem),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
