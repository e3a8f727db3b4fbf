/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that the functions of a host's layer may make while it is planned and in a pass: first values,
 * refusals, memory, random numbers, failures. */
#include <math.h>

#include <fighter/experimental/layer.h>
#include <fighter/fighter.h>

#include "../model_info.h"
#include "../one_context.h"

enum { B = 3, T = 4, D = 5, ALL = B * T * D };

/* Calls of the layer "test.trial" when it is planned; each test sets it. */
typedef struct trial {
    int64_t     out[3];  /* handed to fgt_layer_plan_set_output(); all 0: not called */
    const char *name;    /* of a parameter; NULL: none */
    int32_t     rank;
    int64_t     shape[5];
    int32_t     init;
    double      scale;
    bool        twice;   /* the parameter is declared again */
    const char *says;    /* handed to fgt_layer_plan_fail() */
    int64_t     cache, scratch; /* what memory() asks for */
    int         fails;   /* 1: forward, 2: backward, with a sentence; 3: backward without one */
    int         forward_calls, backward_calls, training_calls;
} trial;

static trial now;

static fgt_status trial_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    const trial *t = user;
    (void)opts;
    if (t->says) return fgt_layer_plan_fail(plan, FGT_E_DATA, t->says);
    if (t->out[0] || t->out[1] || t->out[2]) {
        const fgt_status s = fgt_layer_plan_set_output(plan, t->out[0], t->out[1], t->out[2]);
        if (s != FGT_OK) return s;
    }
    if (!t->rank) return FGT_OK;
    fgt_status s = fgt_layer_plan_add_parameter(plan, t->name, t->rank, t->shape, (int32_t)t->init, t->scale);
    if (s == FGT_OK && t->twice)
        s = fgt_layer_plan_add_parameter(plan, t->name, t->rank, t->shape, (int32_t)t->init, t->scale);
    return s;
}

static void trial_memory(void *user, const int64_t s[4], const void *opts, int64_t *cache, int64_t *scratch)
{
    const trial *t = user;
    (void)s, (void)opts;
    *cache   = t->cache;
    *scratch = t->scratch;
}

static int64_t numbers(const fgt_layer_pass *pass)
{
    int64_t s[4];
    fgt_layer_pass_get_shape(pass, 0, s);
    return s[0] * s[1] * s[2] * s[3];
}

/* y = x, and all memory that was asked for is written. */
static fgt_status trial_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    trial *t = user;
    (void)opts;
    t->forward_calls++;
    t->training_calls += fgt_layer_pass_is_training(pass);
    if (t->fails == 1) return fgt_layer_pass_fail(pass, FGT_E_DATA, "x is too blue");
    memcpy(fgt_layer_pass_get_output(pass), fgt_layer_pass_get_input(pass, 0),
           (size_t)numbers(pass) * sizeof(float));
    for (int64_t i = 0; i < t->cache; i++) fgt_layer_pass_get_cache(pass)[i] = (float)i;
    for (int64_t i = 0; i < t->scratch; i++) fgt_layer_pass_get_scratch(pass)[i] = -1;
    return FGT_OK;
}

static fgt_status trial_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    trial *t  = user;
    float *dx = fgt_layer_pass_get_input_gradient(pass, 0);
    (void)opts;
    t->backward_calls++;
    t->training_calls += fgt_layer_pass_is_training(pass);
    if (t->fails == 2) return fgt_layer_pass_fail(pass, FGT_E_DATA, "dy is too red");
    if (t->fails == 3) return FGT_E_UNSUPPORTED;
    for (int64_t i = 0; i < t->scratch; i++) fgt_layer_pass_get_scratch(pass)[i] = -2;
    for (int64_t i = 0; i < t->cache; i++) assert_true(fgt_layer_pass_get_cache(pass)[i] == (float)i);
    if (dx) memcpy(dx, fgt_layer_pass_get_output_gradient(pass), (size_t)numbers(pass) * sizeof(float));
    return FGT_OK;
}

/* ---- dropout of the host's own: y = 2 x where a draw is below 0.5, else 0 ---- */

typedef struct row_task {
    const fgt_layer_pass *pass;
    const float    *from;
    float          *to, *draws;
    int             again; /* draws must be those that stand there */
} row_task;

/* Any thread may draw, in any order: rows are handed out from both ends. A draw that is wrong shows as NaN,
 * because a test cannot end in a thread of the library's. */
static void noise_row(void *arg, int64_t i)
{
    const row_task *r    = arg;
    const int64_t   rows = numbers(r->pass) / D, row = i % 2 ? rows - 1 - i / 2 : i / 2;
    for (int64_t k = row * D; k < (row + 1) * D; k++) {
        const double draw  = fgt_layer_pass_get_random(r->pass, (uint64_t)k);
        const int    wrong = !(draw >= 0 && draw < 1) || (r->again && r->draws[k] != (float)draw);
        r->draws[k]        = (float)draw;
        r->to[k]           = wrong ? NAN : draw < 0.5 ? 2 * r->from[k] : 0;
    }
}

static fgt_status noise_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    (void)plan, (void)opts, (void)user;
    return FGT_OK;
}

static void noise_memory(void *user, const int64_t s[4], const void *opts, int64_t *cache, int64_t *scratch)
{
    (void)opts, (void)user, (void)scratch;
    *cache = s[0] * s[1] * s[2] * s[3];
}

static fgt_status noise_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    row_task r = {pass, fgt_layer_pass_get_input(pass, 0), fgt_layer_pass_get_output(pass),
                  fgt_layer_pass_get_cache(pass), 0};
    (void)opts, (void)user;
    if (fgt_layer_pass_is_training(pass))
        fgt_layer_pass_run(pass, numbers(pass) / D, noise_row, &r);
    else
        memcpy(r.to, r.from, (size_t)numbers(pass) * sizeof(float));
    return FGT_OK;
}

static fgt_status noise_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    row_task r = {pass, fgt_layer_pass_get_output_gradient(pass), fgt_layer_pass_get_input_gradient(pass, 0),
                  fgt_layer_pass_get_cache(pass), 1};
    (void)opts, (void)user;
    assert_int_equal(fgt_layer_pass_is_training(pass), 1);
    if (r.to) fgt_layer_pass_run(pass, numbers(pass) / D, noise_row, &r);
    return FGT_OK;
}

/* ---- tools ---- */

static void open_threads(int32_t threads)
{
    const fgt_layer_class all[] = {
        {.size = sizeof *all, .type = "test.trial", .user = &now, .plan = trial_plan, .memory = trial_memory,
         .forward = trial_forward, .backward = trial_backward},
        {.size = sizeof *all, .type = "test.noise", .plan = noise_plan, .memory = noise_memory,
         .forward = noise_forward, .backward = noise_backward},
        {.size = sizeof *all, .type = "test.bare", .user = &now, .plan = trial_plan, .forward = trial_forward,
         .backward = trial_backward},
    };
    fgt_context_destroy(&ctx);
    now = (trial){.rank = 0};
    test_open_threads(threads);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) OK(fgt_context_add_layer(ctx, &all[i]));
}

static int start(void **state)
{
    (void)state;
    open_threads(1);
    return 0;
}

static fgt_model *new_model(uint64_t seed)
{
    fgt_model *m;
    OK(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = seed), &m));
    return m;
}

static void draw(float x[ALL])
{
    for (int i = 0; i < ALL; i++) x[i] = (float)((i * 7919) % 101) / 50 - 1.003f;
}

static fgt_status add(fgt_model *m, const char *type)
{
    return fgt_model_add(m, (fgt_layer){.type = type, .name = "host"});
}

/* ---- first values ---- */

enum { FIRSTS = 900 };

static void get_first(int32_t first, double scale, uint64_t seed, float w[FIRSTS])
{
    fgt_model *m = new_model(seed);
    now          = (trial){.name = "w", .rank = 3, .shape = {9, 4, 25}, .init = first, .scale = scale};
    OK(add(m, "test.trial"));
    OK(fgt_model_copy_parameter(m, "host.w", FGT_VIEW(w, 9, 4, 25)));
    fgt_model_destroy(&m);
}

static void initial_values_are_as_declared(void **state)
{
    float w[FIRSTS], other[FIRSTS];
    (void)state;
    get_first(FGT_LAYER_INIT_ZERO, 3, 1, w);
    for (int i = 0; i < FIRSTS; i++) assert_true(w[i] == 0);
    get_first(FGT_LAYER_INIT_ONE, 3, 1, w);
    for (int i = 0; i < FIRSTS; i++) assert_true(w[i] == 1);
    get_first(FGT_LAYER_INIT_VALUE, -0.75, 1, w);
    for (int i = 0; i < FIRSTS; i++) assert_true(w[i] == -0.75f);
    static const int32_t drawn[]  = {FGT_LAYER_INIT_UNIFORM, FGT_LAYER_INIT_NORMAL};
    const double         sigma[2] = {3 / sqrt(3), 3};
    for (int k = 0; k < 2; k++) {
        double sum = 0, square = 0, largest = 0;
        get_first(drawn[k], 3, 1, w);
        for (int i = 0; i < FIRSTS; i++) {
            sum += (double)w[i];
            square += (double)w[i] * (double)w[i];
            if (fabs((double)w[i]) > largest) largest = fabs((double)w[i]);
        }
        /* four standard errors of the mean, and of the deviation */
        assert_true(fabs(sum / FIRSTS) < 4 * sigma[k] / 30);
        assert_true(fabs(sqrt(square / FIRSTS) / sigma[k] - 1) < 0.1);
        assert_true(k ? largest > 6 : largest <= 3 && largest > 2.9);
        get_first(drawn[k], 3, 1, other);
        assert_memory_equal(w, other, sizeof w);
        get_first(drawn[k], 3, 2, other);
        assert_memory_not_equal(w, other, sizeof w);
    }
}

/* ---- what plan() may not ask for ---- */

static void bad_plans_are_refused(void **state)
{
    static const char long_name[] = "a name of more than thirty-one bytes";
    static const struct {
        trial       what;
        fgt_status  status;
        const char *words;
    } cases[] = {
        {{.out = {0, 1, 1}}, FGT_E_ARG, "the output has an axis below 1 (got [0,1,1])"},
        {{.out = {1, 0, 1}}, FGT_E_ARG, "[1,0,1]"},
        {{.out = {1, 1, -7}}, FGT_E_ARG, "[1,1,-7]"},
        {{.name = NULL, .rank = 1, .shape = {1}}, FGT_E_ARG, "a name of up to 31 bytes"},
        {{.name = "", .rank = 1, .shape = {1}}, FGT_E_ARG, "a name of up to 31 bytes"},
        {{.name = long_name, .rank = 1, .shape = {1}}, FGT_E_ARG, "a name of up to 31 bytes"},
        {{.name = "w", .rank = -1, .shape = {1}}, FGT_E_ARG, "1 to 4 axes"},
        {{.name = "w", .rank = 5, .shape = {1, 1, 1, 1, 1}}, FGT_E_ARG, "1 to 4 axes"},
        {{.name = "w", .rank = 2, .shape = {3, 0}}, FGT_E_ARG, "parameter w: the shape has an axis below 1"},
        {{.name = "w", .rank = 1, .shape = {-3}}, FGT_E_ARG, "parameter w: the shape has an axis below 1"},
        {{.name = "w", .rank = 1, .shape = {3}, .init = 5},
         FGT_E_ARG,
         "w: init is wrong (got 5, need an fgt_"},
        {{.name = "w", .rank = 1, .shape = {3}, .init = -1},
         FGT_E_ARG,
         "w: init is wrong (got -1, need an fgt_"},
        {{.name = "w", .rank = 1, .shape = {3}, .scale = NAN}, FGT_E_ARG, "w: scale is "},
        {{.name = "w", .rank = 1, .shape = {3}, .scale = 1e39},
         FGT_E_ARG,
         "w: scale is out of range (got 1e+39"},
        {{.name = "w", .rank = 1, .shape = {3}, .init = FGT_LAYER_INIT_NORMAL, .scale = -1},
         FGT_E_ARG,
         "scale is out of range (got -1"},
        {{.name = "w", .rank = 1, .shape = {3}, .twice = true}, FGT_E_NAME, "\"host.w\" is taken"},
        {{.name = "w", .rank = 2, .shape = {INT64_MAX, 2}}, FGT_E_SIZE, "w"},
        {{.says = "the moon is wrong"}, FGT_E_DATA, "the moon is wrong"},
    };
    fgt_model *m = new_model(1);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        now = cases[i].what;
        REFUSED(add(m, "test.trial"), cases[i].status, cases[i].words);
        assert_int_equal(model_info(m).layers, 0);
        assert_int_equal(model_info(m).parameters, 0);
    }
    now = (trial){.rank = 0};
    OK(add(m, "test.trial")); /* the model is as before */
    fgt_model_destroy(&m);
}

/* ---- memory ---- */

static void memory_may_be_missing_or_negative(void **state)
{
    static const struct {
        const char *type;
        int64_t     cache, scratch;
    } cases[] = {{"test.bare", 0, 0}, {"test.trial", 0, 0}, {"test.trial", -5, -1},
                 {"test.trial", INT64_MIN, INT64_MIN}, {"test.trial", 7, -1}, {"test.trial", -1, 7}};
    float x[ALL], y[ALL], dx[ALL];
    (void)state;
    draw(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_model *m = new_model(1);
        now          = (trial){.cache = cases[i].cache, .scratch = cases[i].scratch};
        OK(add(m, cases[i].type));
        OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
        assert_memory_equal(y, x, sizeof x);
        OK(fgt_backward(m, FGT_VIEW(y, B, T, D), FGT_VIEW(dx, B, T, D)));
        assert_memory_equal(dx, x, sizeof x);
        assert_int_equal(now.training_calls, 2);
        OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
        assert_int_equal(now.training_calls, 2);
        fgt_model_destroy(&m);
    }
}

/* More than anybody has is an error, not a crash. */
static void memory_may_be_too_much(void **state)
{
    float x[ALL] = {0}, y[ALL];
    (void)state;
    for (int i = 0; i < 2; i++) {
        fgt_model *m = new_model(1);
        now          = (trial){.rank = 0};
        if (i)
            now.scratch = INT64_MAX;
        else
            now.cache = INT64_MAX;
        OK(add(m, "test.trial"));
        assert_int_equal(fgt_model_get_workspace_bytes(m, NULL), -1);
        const fgt_status s = fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D));
        if (s != FGT_E_SIZE && s != FGT_E_NOMEM) fail_msg("%s", fgt_status_get_name(s));
        assert_int_equal(now.forward_calls, 0);
        fgt_model_destroy(&m);
    }
}

/* ---- failures ---- */

static void passes_may_fail(void **state)
{
    float      x[ALL], y[ALL] = {0}, zero[ALL] = {0}, dx[ALL];
    fgt_model *m = new_model(1);
    (void)state;
    draw(x);
    OK(add(m, "test.trial"));
    now.fails = 1;
    REFUSED(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)), FGT_E_DATA,
            "layer 0 (test.trial): x is too blue");
    assert_memory_equal(y, zero, sizeof y);
    REFUSED(fgt_backward(m, FGT_VIEW(x, B, T, D), NULL), FGT_E_STATE, "needs a new fgt_forward()");
    now.fails = 0;
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    now.fails = 2;
    REFUSED(fgt_backward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(dx, B, T, D)), FGT_E_DATA,
            "layer 0 (test.trial): dy is too red");
    now.fails = 3;
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    REFUSED(fgt_backward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(dx, B, T, D)), FGT_E_UNSUPPORTED,
            "layer 0 (test.trial): backward() failed");
    now.fails = 0;
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    OK(fgt_backward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(dx, B, T, D)));
    assert_memory_equal(dx, x, sizeof x);
    fgt_model_destroy(&m);
}

/* ---- fewer tokens than planned ---- */

/* They are times to a layer along time, nodes to one along the nodes. */
static void passes_may_be_shorter(void **state)
{
    enum { N = 3, SHORT = T - 1 };
    float x[B * N * SHORT * D], y[B * N * SHORT * D];
    (void)state;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)i;
    const fgt_view *given = FGT_VIEW(x, B, N, SHORT, D), *wanted = FGT_VIEW(y, B, N, SHORT, D);
    for (int axis = FGT_AXIS_TIME; axis <= FGT_AXIS_NODES; axis++) {
        const int64_t planned[][3] = {{N, T, D}, {T, N, D}};
        for (int64_t more = 0; more < 2; more++) {
            fgt_model *m;
            memcpy(now.out, planned[axis == FGT_AXIS_NODES], sizeof now.out);
            now.out[axis == FGT_AXIS_TIME] += more;
            memset(y, 0, sizeof y);
            OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = N, .time = T,
                                               .features = D), &m));
            OK(fgt_model_add(m, fgt_along((int32_t)axis, (fgt_layer){.type = "test.trial"})));
            if (more)
                REFUSED(fgt_predict(m, given, wanted), FGT_E_SHAPE,
                        "the input has the wrong number of tokens (got 3, need 4)");
            else
                OK(fgt_predict(m, given, wanted));
            assert_int_equal(memcmp(x, y, sizeof x) != 0, more);
            fgt_model_destroy(&m);
        }
    }
}

/* ---- random numbers ---- */

enum { STEPS = 3, THREADS = 4 };

static void random_numbers_depend_on_nobody(void **state)
{
    static float x[ALL], y[2][STEPS][ALL], dx[2][STEPS][ALL];
    (void)state;
    draw(x);
    for (int32_t threads = 1; threads <= THREADS; threads++) {
        open_threads(threads);
        fgt_model *m = new_model(9);
        fgt_view   inner;
        float      first[ALL];
        OK(fgt_model_add(m, (fgt_layer){.type = "test.noise", .name = "a"}));
        OK(fgt_model_add(m, (fgt_layer){.type = "test.noise", .name = "b"}));
        for (int i = 0; i < STEPS; i++) {
            OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y[1][i], B, T, D)));
            OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "a", &inner));
            memcpy(first, inner.data, sizeof first);
            OK(fgt_backward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(dx[1][i], B, T, D)));
            /* the layers draw for themselves: "b" keeps some of what "a" kept, and drops some */
            int kept = 0, dropped = 0;
            for (int k = 0; k < ALL; k++) {
                assert_false(isnan(y[1][i][k]) || isnan(dx[1][i][k]));
                kept += first[k] != 0 && y[1][i][k] != 0;
                dropped += first[k] != 0 && y[1][i][k] == 0;
            }
            assert_true(kept > 0 && dropped > 0);
            assert_memory_equal(dx[1][i], y[1][i], sizeof x); /* dy is x */
            if (i) assert_memory_not_equal(y[1][i], y[1][i - 1], sizeof x);
        }
        if (threads == 1) memcpy(y[0], y[1], sizeof y[0]);
        if (threads == 1) memcpy(dx[0], dx[1], sizeof dx[0]);
        assert_memory_equal(y[1], y[0], sizeof y[0]);
        assert_memory_equal(dx[1], dx[0], sizeof dx[0]);
        OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(first, B, T, D)));
        assert_memory_equal(first, x, sizeof x);
        fgt_model_destroy(&m);
        m = new_model(10);
        OK(fgt_model_add(m, (fgt_layer){.type = "test.noise", .name = "a"}));
        OK(fgt_model_add(m, (fgt_layer){.type = "test.noise", .name = "b"}));
        OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(first, B, T, D)));
        assert_memory_not_equal(first, y[0][0], sizeof x); /* another seed */
        fgt_model_destroy(&m);
    }
}

int main(void)
{
#define WITH_LAYERS(f) cmocka_unit_test_setup_teardown(f, start, test_close)
    const struct CMUnitTest tests[] = {
        WITH_LAYERS(initial_values_are_as_declared),
        WITH_LAYERS(bad_plans_are_refused),
        WITH_LAYERS(memory_may_be_missing_or_negative),
        WITH_LAYERS(memory_may_be_too_much),
        WITH_LAYERS(passes_may_fail),
        WITH_LAYERS(passes_may_be_shorter),
        WITH_LAYERS(random_numbers_depend_on_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
