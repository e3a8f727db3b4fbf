/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers of the host's own: registered, checked, trained, saved, loaded, resumed; and what is refused. */
#include <math.h>
#include <unistd.h>

#include <fighter/experimental/layer.h>
#include <fighter/fighter.h>

#include "../one_context.h"

enum { B = 4, T = 5, D = 3, H = 6 };

/* ---- a layer with everything: y = tanh((x + m) W) f, a second input m, options, memory ---- */

typedef struct gate_opts {
    size_t  size;
    int64_t out;
    float   factor;
    int32_t wrong; /* 1: backward forgets the factor; 2: plan fails; 3: forward fails;
                      4: forward multiplies into rows that are too short */
} gate_opts;

static fgt_status gate_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    const gate_opts *o = opts;
    int64_t          s[3], m[3];
    assert_ptr_equal(user, &memory);
    if (o->wrong == 2) return FGT_E_DATA;
    fgt_layer_plan_get_input(plan, 0, s);
    fgt_layer_plan_get_input(plan, 1, m);
    if (fgt_layer_plan_count_inputs(plan) > 1 && memcmp(s, m, sizeof s) != 0)
        return fgt_layer_plan_fail(plan, FGT_E_SHAPE, "both inputs have one shape");
    const fgt_status status = fgt_layer_plan_set_output(plan, s[0], s[1], o->out);
    if (status != FGT_OK) return status;
    return fgt_layer_plan_add_parameter(plan, "weight", 2, (int64_t[]){s[2], o->out}, FGT_LAYER_INIT_NORMAL,
                                        0.5);
}

/* x + m stays in the cache, tanh too; du is scratch. */
static void gate_memory(void *user, const int64_t s[4], const void *opts, int64_t *cache, int64_t *scratch)
{
    const gate_opts *o = opts;
    (void)user;
    *cache   = s[0] * s[1] * s[2] * (s[3] + o->out);
    *scratch = s[0] * s[1] * s[2] * o->out;
}

typedef struct sizes {
    int64_t rows, d, h;
} sizes;

static sizes sizes_of(const fgt_layer_pass *pass, const void *opts)
{
    int64_t s[4];
    fgt_layer_pass_get_shape(pass, 0, s);
    return (sizes){s[0] * s[1] * s[2], s[3], ((const gate_opts *)opts)->out};
}

typedef struct each {
    float       *u, *y;
    float        factor;
    const sizes *n;
} each;

static void tanh_row(void *arg, int64_t row)
{
    const each *e = arg;
    for (int64_t i = row * e->n->h; i < (row + 1) * e->n->h; i++) {
        e->u[i] = tanhf(e->u[i]);
        e->y[i] = e->factor * e->u[i];
    }
}

static fgt_status gate_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    const gate_opts *o = opts;
    const sizes      n = sizes_of(pass, opts);
    const float     *x = fgt_layer_pass_get_input(pass, 0), *m = fgt_layer_pass_get_input(pass, 1);
    float           *s = fgt_layer_pass_get_cache(pass), *u = s + n.rows * n.d;
    (void)user;
    if (o->wrong == 3) return FGT_E_DATA;
    assert_null(fgt_layer_pass_get_output_gradient(pass));
    assert_null(fgt_layer_pass_get_parameter_gradient(pass, 0));
    assert_null(fgt_layer_pass_get_parameter(pass, 1));
    for (int64_t i = 0; i < n.rows * n.d; i++) s[i] = x[i] + (m ? m[i] : 0);
    fgt_status status = fgt_layer_pass_multiply(
        pass, &FGT_OPTS(fgt_layer_product, .m = n.rows, .n = n.h, .k = n.d, .a = s, .a_row = n.d,
                        .a_column = 1, .b = fgt_layer_pass_get_parameter(pass, 0), .b_row = n.h,
                        .b_column = 1, .c = u, .c_row = n.h - (o->wrong == 4)));
    if (status != FGT_OK) return status;
    each e = {u, fgt_layer_pass_get_output(pass), o->factor, &n};
    fgt_layer_pass_run(pass, n.rows, tanh_row, &e);
    return FGT_OK;
}

static fgt_status gate_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    const gate_opts *o = opts;
    const sizes      n = sizes_of(pass, opts);
    const float     *s = fgt_layer_pass_get_cache(pass), *u = s + n.rows * n.d,
                *w  = fgt_layer_pass_get_parameter(pass, 0);
    const float *dy = fgt_layer_pass_get_output_gradient(pass), factor = o->wrong == 1 ? 1 : o->factor;
    float       *du = fgt_layer_pass_get_scratch(pass), *dw = fgt_layer_pass_get_parameter_gradient(pass, 0);
    (void)user;
    for (int64_t i = 0; i < n.rows * n.h; i++) du[i] = factor * dy[i] * (1 - u[i] * u[i]);
    fgt_status status =
        fgt_layer_pass_multiply(pass, &FGT_OPTS(fgt_layer_product, .m = n.d, .n = n.h, .k = n.rows, .a = s,
                                                .a_row = 1, .a_column = n.d, .b = du, .b_row = n.h,
                                                .b_column = 1, .c = dw, .c_row = n.h, .beta = 1));
    for (int32_t k = 0; k < 2 && status == FGT_OK; k++) {
        float *dx = fgt_layer_pass_get_input_gradient(pass, k);
        if (dx)
            status = fgt_layer_pass_multiply(
                pass, &FGT_OPTS(fgt_layer_product, .m = n.rows, .n = n.d, .k = n.h, .a = du, .a_row = n.h,
                                .a_column = 1, .b = w, .b_row = 1, .b_column = n.h, .c = dx, .c_row = n.d));
    }
    return status;
}

static const fgt_layer_field fields[] = {
    {"out", offsetof(gate_opts, out), 1, 1000, 0, FGT_LAYER_FIELD_I64, 1},
    {"factor", offsetof(gate_opts, factor), -10, 10, 2, FGT_LAYER_FIELD_F32, 0},
    {"wrong", offsetof(gate_opts, wrong), 0, 4, 0, FGT_LAYER_FIELD_I32, 0},
};

static fgt_layer_class gate_class(void)
{
    return FGT_OPTS(fgt_layer_class, .type = "test.gate", .opts_size = sizeof(gate_opts), .fields = fields,
                    .field_count = 3, .user = &memory, .more_inputs = 1, .plan = gate_plan,
                    .memory = gate_memory, .forward = gate_forward, .backward = gate_backward);
}

static fgt_status open_threads(int32_t threads)
{
    const fgt_allocator a = test_allocator(&memory);
    const fgt_status    s =
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &a, .threads = threads), &ctx);
    const fgt_layer_class c = gate_class();
    return s == FGT_OK ? fgt_context_add_layer(ctx, &c) : s;
}

static int open_context(void **state)
{
    (void)state;
    memory = (test_memory){0};
    return open_threads(1) != FGT_OK;
}

/* linear "a" -> gate of "a" and x -> linear */
static fgt_status build(int32_t wrong, fgt_model **m)
{
    const gate_opts o = {.size = sizeof o, .out = H, .factor = 0.5f, .wrong = wrong};
    fgt_status      s =
        fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 3), m);
    if (s == FGT_OK) s = fgt_model_add(*m, fgt_named("a", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D))));
    if (s == FGT_OK)
        s = fgt_model_add_from(*m, (fgt_layer){.type = "test.gate", .opts = &o, .name = "gate"},
                               (const char *[]){"a", ""}, 2);
    if (s == FGT_OK) s = fgt_model_add(*m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2)));
    return s;
}

static void draw(int64_t n, float *x)
{
    for (int64_t i = 0; i < n; i++) x[i] = (float)((i * 7919) % 101) / 50 - 1;
}

/* ---- tests ---- */

static void test_gradients(void **state)
{
    (void)state;
    float               x[B * T * D];
    fgt_model          *m;
    fgt_gradient_report r = {.size = sizeof r};
    draw(B * T * D, x);
    for (int32_t wrong = 0; wrong < 2; wrong++) {
        OK(build(wrong, &m));
        const uint64_t hash = fgt_model_get_hash(m);
        OK(fgt_model_check_gradient(m, FGT_VIEW(x, B, T, D), NULL, &r));
        if (wrong ? r.error < 0.1 : !(r.error < 0.01))
            fail_msg("wrong %d: %g of %s", wrong, r.error, r.worst);
        assert_true(r.directions == 4 * 6 && fgt_model_get_hash(m) == hash);
        fgt_model_destroy(&m);
    }
    OK(build(0, &m));
    REFUSED(fgt_model_check_gradient(m, NULL, NULL, &r), FGT_E_ARG, "NULL");
    REFUSED(fgt_model_check_gradient(m, FGT_VIEW(x, B, T, D + 1), NULL, &r), FGT_E_SHAPE,
            "x has the wrong shape");
    fgt_model_destroy(&m);
}

/* The library's own layers, one with ids, pass the same check. */
static void test_own_layers(void **state)
{
    (void)state;
    int64_t             ids[B * T];
    fgt_model          *m;
    fgt_gradient_report r = {.size = sizeof r};
    for (int i = 0; i < B * T; i++) ids[i] = i % 5;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 5, .out = 4))));
    OK(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .act = FGT_ACT_TANH, .dropout = 0.3f))));
    OK(fgt_model_add(m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 3))));
    OK(fgt_model_check_gradient(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T), NULL, &r));
    if (!(r.error < 0.02)) fail_msg("%g of %s", r.error, r.worst);
    fgt_model_destroy(&m);
}

/* Both activations have a kink at 0, and so have all scores of the graph: steps must pass between them. */
static void test_kinks(void **state)
{
    (void)state;
    enum { N = 20 };
    float               x[B * N * T * D];
    fgt_model          *m;
    fgt_gradient_report r = {.size = sizeof r};
    const fgt_gcn_opts  o = {.size = sizeof o, .hops = 2, .learned = 10, .diffusion = 1};
    draw(B * N * T * D, x);
    for (uint64_t seed = 0; seed < 4; seed++) {
        OK(fgt_model_create(
            ctx,
            &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = N, .time = T, .features = D, .seed = seed), &m));
        OK(fgt_model_add(m, fgt_named("g", fgt_along(FGT_AXIS_NODES, fgt_gcn(&o)))));
        OK(fgt_model_check_gradient(m, FGT_VIEW(x, B, N, T, D), NULL, &r));
        if (!(r.error < 0.002)) fail_msg("%g of %s", r.error, r.worst);
        fgt_model_destroy(&m);
    }
}

static void run_steps(fgt_model *m, fgt_optim *optim, int steps)
{
    float  x[B * T * D], y[B * T * 2], target[B * T * 2], dy[B * T * 2];
    double loss;
    draw(B * T * D, x);
    draw(B * T * 2, target);
    for (int i = 0; i < steps; i++) {
        OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, 2)));
        OK(fgt_loss_mse(ctx, FGT_VIEW(y, B, T, 2), FGT_VIEW(target, B, T, 2), &loss, FGT_VIEW(dy, B, T, 2)));
        OK(fgt_backward(m, FGT_VIEW(dy, B, T, 2), NULL));
        OK(fgt_step(optim));
    }
}

/* Saved and loaded in the middle, with the optimiser, the same bits come out; whatever the threads. */
static void test_resume(void **state)
{
    (void)state;
    uint64_t hash[3];
    char     path[64];
    snprintf(path, sizeof path, "/tmp/fgt_host_%ld.safetensors", (long)getpid());
    for (int run = 0; run < 3; run++) {
        fgt_model *m;
        fgt_optim *optim;
        fgt_context_destroy(&ctx);
        OK(open_threads(run == 1 ? 3 : 1));
        OK(build(0, &m));
        OK(fgt_optim_create(m, NULL, &optim));
        fgt_checkpoint c = {.size = sizeof c, .optim = optim};
        run_steps(m, optim, 5);
        if (run == 2) {
            OK(fgt_checkpoint_save(&c, path));
            fgt_optim_destroy(&optim);
            fgt_model_destroy(&m);
            OK(build(0, &m));
            OK(fgt_optim_create(m, NULL, &optim));
            c.optim = optim;
            OK(fgt_checkpoint_load(&c, path));
        }
        run_steps(m, optim, 5);
        hash[run] = fgt_model_get_hash(m);
        fgt_optim_destroy(&optim);
        fgt_model_destroy(&m);
    }
    remove(path);
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void test_files(void **state)
{
    (void)state;
    static char file[20000];
    int64_t     bytes;
    fgt_model  *m, *loaded;
    float       x[B * T * D], y[B * T * 2], z[B * T * 2];
    draw(B * T * D, x);
    OK(build(0, &m));
    OK(fgt_model_save(m, FGT_TO_MEMORY(file, sizeof file, &bytes)));
    OK(fgt_model_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &loaded));
    assert_true(fgt_model_get_hash(m) == fgt_model_get_hash(loaded));
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, 2)));
    OK(fgt_predict(loaded, FGT_VIEW(x, B, T, D), FGT_VIEW(z, B, T, 2)));
    assert_memory_equal(z, y, sizeof y); /* with the options, too */
    fgt_model_destroy(&loaded);
    fgt_model_destroy(&m);
    fgt_context_destroy(&ctx);
    OK(fgt_context_create(NULL, &ctx));
    REFUSED(fgt_model_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &loaded), FGT_E_VERSION,
            "fgt_context_add_layer");
    fgt_context_destroy(&ctx);
    OK(open_threads(1));
}

static void test_refused(void **state)
{
    (void)state;
    fgt_model      *m = NULL;
    fgt_layer_class c = gate_class();
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_NAME, "test.gate");
    c.type = "nodot";
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_ARG, "dot");
    c.type = "test.other", c.forward = NULL;
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_ARG, "forward");
    c = gate_class(), c.type = "test.other", c.more_inputs = 16;
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_ARG, "more_inputs");
    const fgt_layer_field bad = {"x y", 8, 0, 1, 0, FGT_LAYER_FIELD_I32, 0},
                          far = {"x", 4000, 0, 1, 0, FGT_LAYER_FIELD_I32, 0};
    c = gate_class(), c.type = "test.other", c.fields = &bad, c.field_count = 1;
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_ARG, "field");
    c.fields = &far;
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_ARG, "field x");
    REFUSED(build(2, &m), FGT_E_DATA, "plan() failed");
    fgt_model_destroy(&m);
    float x[B * T * D] = {0}, y[B * T * 2];
    OK(build(3, &m));
    REFUSED(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, 2)), FGT_E_DATA,
            "layer 1 (test.gate): forward");
    fgt_model_destroy(&m);
    OK(build(4, &m));
    REFUSED(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, 2)), FGT_E_ARG, "c_row at least n");
    fgt_model_destroy(&m);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    REFUSED(fgt_model_add(m, (fgt_layer){.type = "test.gate"}), FGT_E_ARG, "out is not given");
    OK(fgt_model_add(m, fgt_named("wide", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 7)))));
    const gate_opts o = {.size = sizeof o, .out = 2};
    REFUSED(
        fgt_model_add_from(m, (fgt_layer){.type = "test.gate", .opts = &o}, (const char *[]){"wide", ""}, 2),
        FGT_E_SHAPE, "one shape");
    fgt_model_destroy(&m);
}

/* Saves a model and a checkpoint of it, and reads both. */
static fgt_status keep(fgt_model *m, const char *path)
{
    static char    file[20000];
    int64_t        bytes;
    fgt_model     *loaded;
    fgt_optim     *optim = NULL;
    fgt_checkpoint c     = {.size = sizeof c};
    fgt_status     s     = fgt_model_save(m, FGT_TO_MEMORY(file, sizeof file, &bytes));
    if (s == FGT_OK) s = fgt_model_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &loaded);
    if (s == FGT_OK) assert_true(fgt_model_get_hash(loaded) == fgt_model_get_hash(m));
    if (s == FGT_OK) fgt_model_destroy(&loaded);
    if (s == FGT_OK) s = fgt_optim_create(m, NULL, &optim);
    c.optim = optim;
    if (s == FGT_OK) s = fgt_checkpoint_save(&c, path);
    if (s == FGT_OK) s = fgt_checkpoint_load(&c, path);
    fgt_optim_destroy(&optim);
    return s;
}

/* Every allocation fails once, in registering, building, checking, saving, loading. */
static void test_no_memory(void **state)
{
    (void)state;
    float      x[B * T * D];
    fgt_status s = FGT_E_NOMEM;
    int64_t    k = 0;
    char       path[64];
    snprintf(path, sizeof path, "/tmp/fgt_host_%ld.checkpoint", (long)getpid());
    draw(B * T * D, x);
    while (s == FGT_E_NOMEM) {
        fgt_model          *m = NULL;
        fgt_gradient_report r = {.size = sizeof r};
        fgt_context_destroy(&ctx);
        assert_int_equal(memory.live, 0);
        memory.countdown = ++k;
        s = open_threads(1);
        if (s == FGT_OK) s = build(0, &m);
        if (s == FGT_OK) s = fgt_model_check_gradient(m, FGT_VIEW(x, B, T, D), NULL, &r);
        if (s == FGT_OK) s = keep(m, path);
        memory.countdown = 0;
        fgt_model_destroy(&m);
    }
    remove(path);
    OK(s);
    assert_true(k > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gradients, open_context, test_close),
        cmocka_unit_test_setup_teardown(test_own_layers, open_context, test_close),
        cmocka_unit_test_setup_teardown(test_kinks, open_context, test_close),
        cmocka_unit_test_setup_teardown(test_resume, open_context, test_close),
        cmocka_unit_test_setup_teardown(test_files, open_context, test_close),
        cmocka_unit_test_setup_teardown(test_refused, open_context, test_close),
        cmocka_unit_test_setup_teardown(test_no_memory, open_context, test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
