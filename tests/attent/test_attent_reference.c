/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores less a reference, and the norm that stops: which options go together, what is chosen, states, what
 * fgt_model_fit() makes of its loss. */
#include <stdlib.h>

#include <fighter/attent.h>

#include "../attent/attent_state.h"
#include "../train/small_models.h"
#include "attent/attent_impl.h"
#include "attent/attent_selector.h"

enum { N = 200, M = 60, EPOCHS = 6 };

static float reference[N], score[N], excess[N];

static int set_up(void **state)
{
    for (int i = 0; i < N; i++) {
        reference[i] = (float)fabs((double)noise(1, i));
        score[i]     = (float)fabs((double)noise(2, i));
        excess[i]    = score[i] - reference[i];
    }
    return open_two(state);
}

static fgt_attent_opts opts(int32_t strategy)
{
    return (fgt_attent_opts){.size = sizeof(fgt_attent_opts), .samples = N, .epochs = EPOCHS, .seed = 5,
                             .ratio             = (double)M / N,
                             .strategy          = strategy,
                             .ratio_schedule    = FGT_ATTENT_RATIO_FIXED,
                             .interval_schedule = FGT_ATTENT_INTERVAL_FIXED,
                             .reference         = reference};
}

static fgt_attent *create(const fgt_attent_opts *o, const float *given)
{
    fgt_attent *a;
    OK(fgt_attent_create(ctx, o, &a));
    for (int64_t i = 0; i < N; i++) OK(fgt_attent_add(a, &i, 1, &given[i]));
    return a;
}

static fgt_attent_subset step(fgt_attent *a)
{
    fgt_attent_subset s = {.size = sizeof s};
    OK(fgt_attent_begin_epoch(a, &s));
    return s;
}

/* ---- references ---- */

/* Samples are those that scores of the excess choose without references; what is reported is the loss. */
static void chosen_by_excess(void **state)
{
    (void)state;
    static const int32_t strategies[] = {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_STRATEGY_HARD,
                                         FGT_ATTENT_STRATEGY_INFOBATCH};
    for (size_t each = 0; each < 3; each++)
        for (int32_t sigmoid = 0; sigmoid <= (strategies[each] == FGT_ATTENT_STRATEGY_SOFT); sigmoid++) {
            fgt_attent_opts o = opts(strategies[each]);
            o.weights         = sigmoid ? FGT_ATTENT_WEIGHTS_SIGMOID : FGT_ATTENT_WEIGHTS_SOFTMAX;
            fgt_attent *a     = create(&o, score);
            o.reference       = NULL;
            fgt_attent *b = create(&o, excess), *plain = create(&o, score);
            int         differ = 0;
            for (int t = 0; t < EPOCHS - 1; t++) {
                const fgt_attent_subset s = step(a), r = step(b), q = step(plain);
                double                  sum = 0;
                assert_true(s.hash == r.hash);
                differ += s.hash != q.hash;
                for (int64_t i = 0; i < s.count; i++) sum += (double)score[s.index[i]];
                near(s.score, sum / (double)s.count, 1e-12, "mean score");
                near(s.residual, q.residual, 0, "residual");
            }
            assert_true(differ > 0);
            fgt_attent_destroy(&a), fgt_attent_destroy(&b), fgt_attent_destroy(&plain);
        }
}

/* The array is copied, and a selector that takes over a state goes on as the first one does. */
static void copied_and_restored(void **state)
{
    (void)state;
    static float          own[N];
    const fgt_attent_opts from = opts(FGT_ATTENT_STRATEGY_SOFT);
    fgt_attent_opts       o    = from;
    memcpy(own, reference, sizeof own);
    o.reference   = own;
    fgt_attent *a = create(&from, score), *b = create(&o, score);
    memset(own, 0, sizeof own);
    const int64_t size = attent_state_bytes(a);
    void         *data = malloc((size_t)size);
    assert_non_null(data);
    assert_true(step(a).hash == step(b).hash);
    OK(attent_state(a, data, size));
    fgt_attent *c = create(&from, reference); /* other scores, which the state replaces */
    OK(fgt_attent_set_state(c, data, size));
    for (int t = 1; t < EPOCHS; t++) {
        const uint64_t hash = step(a).hash;
        assert_true(hash == step(b).hash && hash == step(c).hash);
    }
    free(data);
    fgt_attent_destroy(&a), fgt_attent_destroy(&b), fgt_attent_destroy(&c);
}

/* What the processes of a training compare tells references apart. */
static void hashed(void **state)
{
    (void)state;
    fgt_attent_opts o = opts(FGT_ATTENT_STRATEGY_HARD);
    fgt_attent     *a = create(&o, score), *same = create(&o, score);
    o.reference       = excess;
    fgt_attent *other = create(&o, score);
    o.reference       = NULL;
    fgt_attent    *none = create(&o, score);
    const uint64_t hash = fgti_attent_hash_all(a, false);
    assert_true(hash == fgti_attent_hash_all(same, false));
    assert_true(hash != fgti_attent_hash_all(other, false) && hash != fgti_attent_hash_all(none, false));
    fgt_attent_destroy(&a), fgt_attent_destroy(&same), fgt_attent_destroy(&other), fgt_attent_destroy(&none);
}

static void refused(const fgt_attent_opts *o, fgt_status status, const char *words)
{
    fgt_attent *a;
    REFUSED(fgt_attent_create(ctx, o, &a), status, words);
    assert_null(a);
}

static void refusals(void **state)
{
    (void)state;
    static float broken[N];
    static const int32_t others[] = {FGT_ATTENT_STRATEGY_RANDOM, FGT_ATTENT_STRATEGY_GRADNORM};
    for (size_t each = 0; each < 2; each++) {
        const fgt_attent_opts o = opts(others[each]);
        refused(&o, FGT_E_ARG, "reference is for strategies by losses");
    }
    fgt_attent_opts o = opts(FGT_ATTENT_STRATEGY_SOFT);
    o.weights         = FGT_ATTENT_WEIGHTS_PROPORTIONAL;
    refused(&o, FGT_E_ARG, "not with proportional weights");
    o           = opts(FGT_ATTENT_STRATEGY_SOFT);
    o.reference = broken;
    broken[17]  = NAN;
    refused(&o, FGT_E_DATA, "the reference of sample 17 is NaN");
    broken[17] = INFINITY;
    refused(&o, FGT_E_DATA, "the reference of sample 17 is infinite");
    o            = opts(FGT_ATTENT_STRATEGY_SOFT);
    o.stop_below = 1;
    o.residual   = FGT_ATTENT_RESIDUAL_NONE;
    refused(&o, FGT_E_ARG, "stop_below needs scores that are mean squares or norms");
    o.residual = FGT_ATTENT_RESIDUAL_NONE + 1;
    refused(&o, FGT_E_ARG, "residual");
    o          = opts(FGT_ATTENT_STRATEGY_SOFT);
    o.elements = -1;
    refused(&o, FGT_E_ARG, "elements");
}

static void allocations(void **state)
{
    (void)state;
    const fgt_attent_opts o = opts(FGT_ATTENT_STRATEGY_SOFT);
    fgt_attent           *a;
    fgt_status            s;
    SWEEP(&memory, s, 5, fgt_attent_create(ctx, &o, &a)) assert_null(a);
    fgt_attent_destroy(&a);
}

/* Scores below 0 weigh nothing: those samples come after all others. */
static void negative_scores(void **state)
{
    (void)state;
    static float given[N];
    for (int i = 0; i < N; i++) given[i] = i < M ? 1.0f : -(float)i;
    for (int32_t norms = 0; norms <= 1; norms++) {
        fgt_attent_opts o         = opts(norms ? FGT_ATTENT_STRATEGY_GRADNORM : FGT_ATTENT_STRATEGY_SOFT);
        o.weights         = FGT_ATTENT_WEIGHTS_PROPORTIONAL;
        o.reference       = NULL;
        fgt_attent             *a = create(&o, given);
        const fgt_attent_subset s = step(a);
        assert_int_equal(s.count, M);
        for (int64_t i = 0; i < s.count; i++) assert_true(s.index[i] < M);
        fgt_attent_destroy(&a);
    }
}

/* ---- the norm ---- */

/* By the elements themselves: n samples of E, |f - f*| is the root of the sum of all their squares. */
static void frobenius(void **state)
{
    (void)state;
    enum { E = 7 };
    static float mean[N], norm[N];
    double       all = 0;
    for (int i = 0; i < N; i++) {
        double square = 0;
        for (int e = 0; e < E; e++) square += pow((double)noise(3, i * E + e), 2);
        mean[i] = (float)(square / E);
        norm[i] = (float)sqrt(square);
        all += square;
    }
    for (int32_t kind = FGT_ATTENT_RESIDUAL_SQUARES; kind <= FGT_ATTENT_RESIDUAL_NONE; kind++) {
        fgt_attent_opts o         = opts(FGT_ATTENT_STRATEGY_HARD);
        o.residual        = kind;
        o.elements        = E;
        fgt_attent             *a = create(&o, kind == FGT_ATTENT_RESIDUAL_NORMS ? norm : mean);
        const fgt_attent_subset s = step(a);
        if (kind == FGT_ATTENT_RESIDUAL_NONE)
            assert_true(isnan(s.residual));
        else
            near(s.residual / sqrt(all), 1, 1e-6, "residual");
        fgt_attent_destroy(&a);
    }
}

/* ---- in a training ---- */

typedef struct trial {
    int32_t     strategy, residual, loss;
    float       spectral;
    int64_t     elements;
    double      stop_below;
    const char *words; /* NULL: it is trained */
    bool        known; /* then: whether there is a residual */
} trial;

static void fit(const trial *r)
{
    fgt_model      *m = new_linear(ctx, 8, 2, 3, 4);
    struct samples  train;
    fgt_attent     *a;
    fgt_attent_opts o = opts(r->strategy);
    o.reference  = NULL;
    o.residual   = r->residual;
    o.elements   = r->elements;
    o.stop_below = r->stop_below;
    OK(fgt_attent_create(ctx, &o, &a));
    samples_init(&train, N, 1);
    const fgt_loss_opts loss = {.size = sizeof loss, .kind = r->loss, .spectral = r->spectral};
    const fgt_fit_opts  f    = {.size     = sizeof f,
                                .train    = &train.source,
                                .loss     = &loss,
                                .training = {.epochs = EPOCHS, .selector = a}};
    fgt_attent_subset   s    = {.size = sizeof s};
    if (r->words) {
        REFUSED(fgt_model_fit(m, &f, NULL), FGT_E_ARG, r->words);
    } else {
        OK(fgt_model_fit(m, &f, NULL));
        OK(fgt_attent_get_subset(a, &s));
        assert_int_equal(isfinite(s.residual), r->known);
    }
    fgt_attent_destroy(&a);
    fgt_model_destroy(&m);
}

static void trained(void **state)
{
    (void)state;
    enum {
        SQUARES = FGT_ATTENT_RESIDUAL_SQUARES,
        NORMS   = FGT_ATTENT_RESIDUAL_NORMS,
        NONE    = FGT_ATTENT_RESIDUAL_NONE,
        SOFT    = FGT_ATTENT_STRATEGY_SOFT,
        MSE     = FGT_LOSS_MSE
    };
    static const trial trials[] = {
        {SOFT, SQUARES, MSE, 0, 0, 1e-9, NULL, true},
        {SOFT, SQUARES, MSE, 0, 2 * 4, 0, NULL, true},
        {SOFT, NONE, MSE, 0, 0, 0, NULL, false},
        {SOFT, SQUARES, FGT_LOSS_L1, 0, 0, 0, NULL, false},
        {SOFT, SQUARES, MSE, 0.5f, 0, 0, NULL, false},
        {FGT_ATTENT_STRATEGY_GRADNORM, SQUARES, MSE, 0, 0, 0, NULL, false},
        {SOFT, SQUARES, MSE, 0, 9, 0, "elements is wrong (got 9, need 8, the size of the output)", false},
        {SOFT, NORMS, MSE, 0, 0, 0, "residual expects norms as scores", false},
        {SOFT, SQUARES, FGT_LOSS_L1, 0, 0, 1, "losses of another kind than mse", false},
        {SOFT, SQUARES, MSE, 0.5f, 0, 1, "losses of another kind than mse", false},
        {FGT_ATTENT_STRATEGY_GRADNORM, SQUARES, MSE, 0, 0, 1, "norms of gradients", false},
    };
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) fit(&trials[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_by_excess), cmocka_unit_test(copied_and_restored),
        cmocka_unit_test(hashed),           cmocka_unit_test(refusals),
        cmocka_unit_test(allocations),      cmocka_unit_test(negative_scores),
        cmocka_unit_test(frobenius),        cmocka_unit_test(trained),
    };
    return cmocka_run_group_tests(tests, set_up, test_close);
}
