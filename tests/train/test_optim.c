/* SPDX-License-Identifier: BSD-3-Clause */
/* Optimisers against their formulas in double, clipping, refused gradients. The golden trajectories of
 * torch.optim are tests/golden's. */
#include "../model_info.h"
#include "small_models.h"

enum { IN = 3, OUT = 5, N = IN * OUT + OUT, STEPS = 12 };


static void set_gradients(fgt_model *m, const float *g)
{
    OK(fgt_model_set_gradient(m, "weight", FGT_VIEW(g, OUT, IN)));
    OK(fgt_model_set_gradient(m, "bias", FGT_VIEW(g + OUT * IN, OUT)));
}

static void get_weights(fgt_model *m, float *w)
{
    OK(fgt_model_copy_parameter(m, "weight", FGT_VIEW(w, OUT, IN)));
    OK(fgt_model_copy_parameter(m, "bias", FGT_VIEW(w + OUT * IN, OUT)));
}

static void get_gradients(fgt_model *m, float *g)
{
    OK(fgt_model_copy_gradient(m, "weight", FGT_VIEW(g, OUT, IN)));
    OK(fgt_model_copy_gradient(m, "bias", FGT_VIEW(g + OUT * IN, OUT)));
}

/* torch.optim's update of one weight at step t = 1, 2, ..., as its documentation has it; options complete. */
static double reference(const fgt_optim_opts *o, int t, double g, double w, double s[2])
{
    if (o->kind == FGT_OPTIM_ADAMW) w -= o->lr * o->weight_decay * w;
    if (o->kind != FGT_OPTIM_ADAMW) g += o->weight_decay * w;
    if (o->kind == FGT_OPTIM_SGD) {
        s[0] = t == 1 ? g : o->momentum * s[0] + g;
        const double step = o->momentum == 0 ? g : o->nesterov ? g + o->momentum * s[0] : s[0];
        return w - o->lr * step;
    }
    s[0] = o->beta1 * s[0] + (1 - o->beta1) * g;
    s[1] = o->beta2 * s[1] + (1 - o->beta2) * g * g;
    return w - o->lr * (s[0] / (1 - pow(o->beta1, t))) / (sqrt(s[1] / (1 - pow(o->beta2, t))) + o->eps);
}

static void check_trajectory(const fgt_optim_opts *given, const fgt_optim_opts *complete)
{
    fgt_model *m = new_linear(ctx, 1, 1, IN, OUT);
    fgt_optim *optim;
    float      start[N], g[N], w[N];
    double     want[N], state[N][2] = {{0}};
    get_weights(m, start);
    for (int i = 0; i < N; i++) want[i] = (double)start[i];
    OK(fgt_optim_create(m, given, &optim));
    for (int t = 1; t <= STEPS; t++) {
        double norm = 0;
        for (int i = 0; i < N; i++) {
            g[i] = noise((uint64_t)t, i);
            norm += (double)g[i] * (double)g[i];
        }
        norm = sqrt(norm);
        const double factor = complete->clip > 0 ? fmin(1, complete->clip / (norm + 1e-6)) : 1;
        for (int i = 0; i < N; i++)
            want[i] = reference(complete, t, (double)g[i] * factor, want[i], state[i]);
        set_gradients(m, g);
        OK(fgt_step(optim));
        near(fgt_optim_get_norm(optim), norm, 1e-6, "norm");
        near(fgt_optim_get_lr(optim), complete->lr, 0, "lr");
        get_weights(m, w);
        for (int i = 0; i < N; i++) near((double)w[i], want[i], 3e-6, "weight");
        get_gradients(m, g);
        for (int i = 0; i < N; i++) assert_true(g[i] == 0);
    }
    fgt_optim_destroy(&optim);
    assert_null(optim);
    fgt_model_destroy(&m);
}

static void test_trajectories(void **state)
{
    (void)state;
    const size_t         size = sizeof(fgt_optim_opts);
    const fgt_optim_opts cases[] = {
        {size, .lr = 0.05},
        {size, .lr = 0.05, .beta1 = 0.8, .beta2 = 0.98, .eps = 1e-3, .weight_decay = 0.1},
        {size, .lr = 0.05, .kind = FGT_OPTIM_ADAM},
        {size, .lr = 0.05, .kind = FGT_OPTIM_ADAM, .weight_decay = 0.1, .clip = 0.5},
        {size, .lr = 0.05, .kind = FGT_OPTIM_SGD},
        {size, .lr = 0.05, .kind = FGT_OPTIM_SGD, .weight_decay = 0.1, .clip = 1.5},
        {size, .lr = 0.05, .kind = FGT_OPTIM_SGD, .momentum = 0.9, .clip = 1e6},
        {size, .lr = 0.05, .kind = FGT_OPTIM_SGD, .momentum = 0.9, .weight_decay = 0.1, .nesterov = 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_optim_opts o = cases[i];
        if (o.beta1 == 0) o.beta1 = 0.9, o.beta2 = 0.999;
        if (o.eps == 0) o.eps = 1e-8;
        check_trajectory(&cases[i], &o);
    }
    const fgt_optim_opts standard = {size, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};
    check_trajectory(NULL, &standard);
}

/* With g = 1 a step of plain SGD is the learning rate itself. */
static void test_schedule(void **state)
{
    (void)state;
    fgt_schedule_opts    s = {.size = sizeof s, .kind = FGT_SCHEDULE_COSINE, .warmup = 3, .total = 10};
    const fgt_optim_opts o = {.size = sizeof o, .kind = FGT_OPTIM_SGD, .lr = 0.5, .schedule = &s};
    fgt_model           *m = new_linear(ctx, 1, 1, IN, OUT);
    fgt_optim           *optim;
    float                g[N], before[N], after[N];
    OK(fgt_optim_create(m, &o, &optim));
    const fgt_schedule_opts copy = s;
    s.total                      = 4; /* nobody looks at the caller's any more */
    for (int t = 0; t < 12; t++) {
        double want;
        OK(fgt_schedule_get(ctx, &copy, 0.5, t, &want));
        near(fgt_optim_get_lr(optim), want, 0, "lr");
        for (int i = 0; i < N; i++) g[i] = 1;
        get_weights(m, before);
        set_gradients(m, g);
        OK(fgt_step(optim));
        get_weights(m, after);
        for (int i = 0; i < N; i++) near((double)before[i] - (double)after[i], want, 1e-6, "step");
    }
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
}

/* A refused step leaves no trace: the steps after it are those of an optimiser that never saw it. */
static void check_refused(int32_t kind, float poison)
{
    const fgt_optim_opts o = {.size = sizeof o, .kind = kind, .momentum = 0.9};
    fgt_model *m[2] = {new_linear(ctx, 1, 1, IN, OUT), new_linear(ctx, 1, 1, IN, OUT)};
    fgt_optim *optim[2];
    float      g[N];
    for (int i = 0; i < 2; i++) OK(fgt_optim_create(m[i], &o, &optim[i]));
    for (uint64_t t = 0; t < 4; t++) {
        for (int i = 0; i < N; i++) g[i] = noise(t, i);
        for (int i = 0; i < 2; i++) {
            set_gradients(m[i], g);
            OK(fgt_step(optim[i]));
        }
        const uint64_t hash = fgt_model_get_hash(m[1]);
        const double   norm = fgt_optim_get_norm(optim[1]);
        g[N - 2] = poison;
        set_gradients(m[1], g);
        REFUSED(fgt_step(optim[1]), FGT_E_NONFINITE, "gradient of bias");
        assert_true(fgt_model_get_hash(m[1]) == hash);
        assert_true(fgt_optim_get_norm(optim[1]) == norm);
        get_gradients(m[1], g);
        for (int i = 0; i < N; i++) assert_true(g[i] == 0);
        assert_true(fgt_model_get_hash(m[0]) == hash);
    }
    for (int i = 0; i < 2; i++) {
        fgt_optim_destroy(&optim[i]);
        fgt_model_destroy(&m[i]);
    }
}

static void test_nonfinite(void **state)
{
    (void)state;
    static const int32_t kinds[] = {FGT_OPTIM_ADAMW, FGT_OPTIM_ADAM, FGT_OPTIM_SGD};
    for (size_t each = 0; each < sizeof kinds / sizeof *kinds; each++) {
        const int32_t kind = kinds[each];
        check_refused(kind, NAN);
        check_refused(kind, -INFINITY);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    fgt_model    *m = new_linear(ctx, 1, 1, IN, OUT), *empty, *bare;
    fgt_optim    *optim = (fgt_optim *)m;
    const size_t  size = sizeof(fgt_optim_opts);
    const fgt_schedule_opts endless = {.size = sizeof endless, .kind = FGT_SCHEDULE_STEP};
    const struct {
        fgt_optim_opts opts;
        const char    *word;
    } bad[] = {
        {{size, .kind = 3}, "kind"},
        {{size, .lr = -1}, "lr"},
        {{size, .lr = INFINITY}, "lr"},
        {{size, .beta1 = 1}, "beta1"},
        {{size, .beta2 = NAN}, "beta2"},
        {{size, .eps = -1}, "eps"},
        {{size, .eps = 1e-50}, "eps"}, /* 0 as float */
        {{size, .weight_decay = -1}, "weight_decay"},
        {{size, .momentum = 1.5}, "momentum"},
        {{size, .clip = -1}, "clip"},
        {{size, .kind = FGT_OPTIM_SGD, .nesterov = 1}, "nesterov"},
        {{size, .schedule = &endless}, "every"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSED(fgt_optim_create(m, &bad[i].opts, &optim), FGT_E_ARG, bad[i].word);
        assert_null(optim);
    }
    REFUSED(fgt_optim_create(m, NULL, NULL), FGT_E_ARG, "optim is NULL");
    assert_int_equal(fgt_optim_create(NULL, NULL, &optim), FGT_E_ARG);
    OK(fgt_model_create(ctx, NULL, &empty));
    REFUSED(fgt_optim_create(empty, NULL, &optim), FGT_E_STATE, "parameters");
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 3), fgt_activation(NULL), &bare));
    REFUSED(fgt_optim_create(bare, NULL, &optim), FGT_E_STATE, "parameters");
    assert_int_equal(fgt_step(NULL), FGT_E_ARG);
    assert_int_equal(fgt_optim_set_lr(NULL, 1), FGT_E_ARG);
    assert_true(isnan(fgt_optim_get_lr(NULL)) && isnan(fgt_optim_get_norm(NULL)));
    OK(fgt_optim_create(m, NULL, &optim));
    assert_true(isnan(fgt_optim_get_norm(optim)));
    REFUSED(fgt_model_add(m, fgt_activation(NULL)), FGT_E_STATE, "optimiser");
    fgt_optim_destroy(&optim);
    fgt_optim_destroy(&optim);
    fgt_optim_destroy(NULL);
    fgt_model_destroy(&bare);
    fgt_model_destroy(&empty);
    fgt_model_destroy(&m);
}

/* A schedule goes on at its place with the new rate. */
static void test_set_lr(void **state)
{
    (void)state;
    const fgt_schedule_opts s[] = {
        {.size = sizeof *s, .warmup = 4},
        {.size = sizeof *s, .kind = FGT_SCHEDULE_COSINE, .warmup = 2, .total = 9},
        {.size = sizeof *s, .kind = FGT_SCHEDULE_STEP, .every = 3},
    };
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
        const fgt_optim_opts o = {.size = sizeof o, .kind = FGT_OPTIM_SGD, .lr = 0.5, .schedule = &s[i]};
        fgt_model           *m = new_linear(ctx, 1, 1, IN, OUT);
        fgt_optim           *optim;
        float                g[N], before[N], after[N];
        OK(fgt_optim_create(m, &o, &optim));
        for (int t = 0; t < 10; t++) {
            double want;
            if (t == 3) OK(fgt_optim_set_lr(optim, 0.125));
            REFUSED(fgt_optim_set_lr(optim, t % 2 ? 0 : NAN), FGT_E_ARG, "lr");
            REFUSED(fgt_optim_set_lr(optim, t % 2 ? -1 : INFINITY), FGT_E_ARG, "lr");
            OK(fgt_schedule_get(ctx, &s[i], t < 3 ? 0.5 : 0.125, t, &want));
            near(fgt_optim_get_lr(optim), want, 0, "lr");
            for (int k = 0; k < N; k++) g[k] = 1;
            get_weights(m, before);
            set_gradients(m, g);
            OK(fgt_step(optim));
            get_weights(m, after);
            for (int k = 0; k < N; k++) near((double)before[k] - (double)after[k], want, 1e-6, "step");
        }
        fgt_optim_destroy(&optim);
        fgt_model_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trajectories), cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_nonfinite),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_set_lr),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
