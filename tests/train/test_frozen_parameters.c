/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters that no step may change. The model of checkpoint.h has an embedding "0.weight", whose rows are
 * updated lazily, dropout, and a linear layer "2.weight", "2.bias". */
#include "../model_info.h"
#include "checkpoint.h"

enum { EMBEDDING = VOCAB * 6, WEIGHT = 6 * OUT, BIAS = OUT, ALL = EMBEDDING + WEIGHT + BIAS, TENSORS = 3 };

static const struct {
    const char *name;
    int64_t     begin, count, rank, shape[2];
} tensors[TENSORS] = {
    {"0.weight", 0, EMBEDDING, 2, {VOCAB, 6}},
    {"2.weight", EMBEDDING, WEIGHT, 2, {OUT, 6}},
    {"2.bias", EMBEDDING + WEIGHT, BIAS, 1, {OUT}},
};

static const fgt_optim_opts optims[] = {
    {.lr = 0.02, .weight_decay = 0.1},
    {.lr = 0.02, .weight_decay = 0.1, .clip = 0.05},
    {.lr = 0.02, .kind = FGT_OPTIM_ADAM, .weight_decay = 0.1, .clip = 0.05},
    {.lr = 0.05, .kind = FGT_OPTIM_SGD, .momentum = 0.9, .weight_decay = 0.1},
    {.lr = 0.05, .kind = FGT_OPTIM_SGD, .momentum = 0.9, .nesterov = 1},
    {.lr = 0.05, .kind = FGT_OPTIM_SGD, .clip = 0.05},
};

static const char *const patterns[] = {"0.weight", "2.", "*.bias", "2.weight", "*weight", "*"};

static fgt_view view_of(int i, float *data)
{
    return (fgt_view){
        data, {tensors[i].shape[0], tensors[i].shape[1]}, (int32_t)tensors[i].rank, FGT_DTYPE_F32};
}

static void get_weights(fgt_model *m, float w[ALL])
{
    for (int i = 0; i < TENSORS; i++) {
        fgt_view v = view_of(i, w + tensors[i].begin);
        OK(fgt_model_copy_parameter(m, tensors[i].name, &v));
    }
}

/* ---- which ---- */

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        int         frozen[TENSORS];
    } cases[] = {
        {"0.weight", {1, 0, 0}}, {"2.", {0, 1, 1}},     {"*.bias", {0, 0, 1}}, {"*", {1, 1, 1}},
        {"*weight", {1, 1, 0}},  {"2*i*s", {0, 0, 1}}, {"2.*", {0, 1, 1}},    {"**.w*t", {1, 1, 0}},
    };
    const setting set = {.strategy = -1};
    scene         s;
    scene_init(&s, &set);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        OK(fgt_model_set_frozen(s.model, cases[k].pattern, 1));
        for (int i = 0; i < TENSORS; i++)
            assert_int_equal(parameter_frozen(s.model, parameter_name(s.model, i)), cases[k].frozen[i]);
        OK(fgt_model_set_frozen(s.model, cases[k].pattern, 0));
        for (int i = 0; i < TENSORS; i++)
            assert_int_equal(parameter_frozen(s.model, parameter_name(s.model, i)), 0);
    }
    static const char *const nothing[] = {"", "0", "weight", "1.", "*.w", "0.weight*x", "2.bia", "2.bias."};
    for (size_t k = 0; k < sizeof nothing / sizeof *nothing; k++)
        REFUSED(fgt_model_set_frozen(s.model, nothing[k], 1), FGT_E_NAME, "no parameter matches");
    REFUSED(fgt_model_set_frozen(s.model, "0", 1), FGT_E_NAME,
            "\"0\"; this layer's parameters begin with \"0.\"");
    REFUSED(fgt_model_set_frozen(s.model, NULL, 1), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_model_set_frozen(NULL, "*", 1), FGT_E_ARG);
    for (int i = -1; i <= TENSORS; i++)
        assert_int_equal(parameter_frozen(s.model, parameter_name(s.model, i)), 0);
    assert_int_equal(parameter_frozen(NULL, "x"), 0);
    scene_done(&s);
}

/* ---- steps ---- */

/* One step of a host's loop; frozen[]: what stays, made so by hand: its gradient is set to zero before the
 * step, and its weights are put back after it. NULL: the model does so itself. */
static void step(loop *l, const int *frozen)
{
    static float zeros[ALL];
    float        w[ALL];
    if (!frozen) {
        steps(l, l->done + 1);
        return;
    }
    get_weights(l->s.model, w);
    fgt_optim *const optim = l->optim;
    int64_t          index[BATCH], x[BATCH * TIME];
    float            y[BATCH * TIME * OUT], t[BATCH * TIME * OUT];
    const fgt_view   vx = {x, {BATCH, TIME}, 2, FGT_DTYPE_I64};
    double           loss;
    for (int64_t i = 0; i < BATCH; i++) index[i] = (l->done * 5 + i * i) % SAMPLES;
    OK(get(NULL, index, BATCH, &vx, FGT_VIEW(t, BATCH, TIME, OUT)));
    OK(fgt_forward(l->s.model, &vx, FGT_VIEW(y, BATCH, TIME, OUT)));
    OK(fgt_loss_mse(ctx, FGT_VIEW(y, BATCH, TIME, OUT), FGT_VIEW(t, BATCH, TIME, OUT), &loss,
                    FGT_VIEW(y, BATCH, TIME, OUT)));
    OK(fgt_backward(l->s.model, FGT_VIEW(y, BATCH, TIME, OUT), NULL));
    for (int i = 0; i < TENSORS; i++) {
        const fgt_view v = view_of(i, zeros);
        if (frozen[i]) OK(fgt_model_set_gradient(l->s.model, tensors[i].name, &v));
    }
    OK(fgt_step(optim));
    for (int i = 0; i < TENSORS; i++) {
        const fgt_view v = view_of(i, w + tensors[i].begin);
        if (frozen[i]) OK(fgt_model_set_parameter(l->s.model, tensors[i].name, &v));
    }
    l->done++;
}

/* Frozen weights keep their bits; the others get those of a run in which a host does the same by hand. */
static void test_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++)
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            const setting set = {.optim = optims[i], .strategy = -1, .constant = k % 2};
            int           frozen[TENSORS];
            float         before[ALL], a[ALL], b[ALL];
            loop          own, hand;
            loop_init(&own, &set);
            loop_init(&hand, &set);
            get_weights(own.s.model, before);
            OK(fgt_model_set_frozen(own.s.model, patterns[k], 1)); /* after the optimiser was made */
            for (int t = 0; t < TENSORS; t++)
                frozen[t] = parameter_frozen(own.s.model, parameter_name(own.s.model, t));
            for (int n = 0; n < 8; n++) {
                step(&own, NULL);
                step(&hand, frozen);
                assert_true(fgt_optim_get_norm(own.optim) == fgt_optim_get_norm(hand.optim));
            }
            OK(fgt_optim_settle(own.optim));
            if (!frozen[0]) OK(fgt_optim_settle(hand.optim));
            get_weights(own.s.model, a);
            get_weights(hand.s.model, b);
            assert_memory_equal(a, b, sizeof a);
            for (int t = 0; t < TENSORS; t++) {
                const size_t at = (size_t)tensors[t].begin, n = (size_t)tensors[t].count * sizeof *a;
                assert_int_equal(memcmp(a + at, before + at, n) == 0, frozen[t]);
            }
            loop_done(&own);
            loop_done(&hand);
        }
}

/* A gradient that nobody uses may be anything, and is zeroed. */
static void test_gradients(void **state)
{
    (void)state;
    for (int i = 0; i < TENSORS; i++) {
        const setting set = {.optim = optims[1], .strategy = -1};
        loop          l;
        float         nan[ALL], g[ALL], before[ALL], after[ALL];
        fgt_view      v = view_of(i, g);
        loop_init(&l, &set);
        for (int j = 0; j < ALL; j++) nan[j] = (float)NAN;
        const fgt_view bad = view_of(i, nan);
        steps(&l, 2);
        OK(fgt_model_set_gradient(l.s.model, tensors[i].name, &bad));
        REFUSED(fgt_step(l.optim), FGT_E_NONFINITE, tensors[i].name);
        OK(fgt_model_set_frozen(l.s.model, tensors[i].name, 1));
        OK(fgt_model_set_gradient(l.s.model, tensors[i].name, &bad));
        get_weights(l.s.model, before);
        OK(fgt_step(l.optim));
        get_weights(l.s.model, after);
        assert_memory_equal(before + tensors[i].begin, after + tensors[i].begin,
                            (size_t)tensors[i].count * sizeof *after);
        OK(fgt_model_copy_gradient(l.s.model, tensors[i].name, &v));
        for (int64_t j = 0; j < tensors[i].count; j++) assert_true(g[j] == 0);
        loop_done(&l);
    }
}

/* Maps leave out the gradients of what is frozen, and others have the same bits as before. */
static void test_left_out(void **state)
{
    (void)state;
    const fgt_token_linear_opts each = {.size = sizeof each, .out = 3};
    const fgt_linear_opts       one  = {.size = sizeof one, .out = 2};
    fgt_model *m = NULL;
    float      x[2 * 4 * 5], dy[2 * 4 * 2], y[2 * 4 * 2], dx[2][2 * 4 * 5], g[2][4 * 3 * 5], w[2][2 * 3];
    for (int i = 0; i < 2 * 4 * 5; i++) x[i] = (float)(i % 7) - 3;
    for (int i = 0; i < 2 * 4 * 2; i++) dy[i] = (float)(i % 5) - 2;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 2, .time = 4, .features = 5), &m));
    OK(fgt_model_add(m, fgt_named("each", fgt_token_linear(&each))));
    OK(fgt_model_add(m, fgt_named("one", fgt_linear(&one))));
    for (int frozen = 0; frozen < 2; frozen++) {
        if (frozen) OK(fgt_model_clear_gradients(m));
        OK(fgt_model_set_frozen(m, "each.", frozen));
        OK(fgt_forward(m, FGT_VIEW(x, 2, 4, 5), FGT_VIEW(y, 2, 4, 2)));
        OK(fgt_backward(m, FGT_VIEW(dy, 2, 4, 2), FGT_VIEW(dx[frozen], 2, 4, 5)));
        OK(fgt_model_copy_gradient(m, "each.weight", FGT_VIEW(g[frozen], 4, 3, 5)));
        OK(fgt_model_copy_gradient(m, "one.weight", FGT_VIEW(w[frozen], 2, 3)));
    }
    float size = 0;
    for (int i = 0; i < 4 * 3 * 5; i++) size += fabsf(g[0][i]);
    assert_true(size > 0);
    for (int i = 0; i < 4 * 3 * 5; i++) assert_true(g[1][i] == 0);
    assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
    assert_memory_equal(w[0], w[1], sizeof w[0]);
    fgt_model_destroy(&m);
}

/* Steps in which an embedding was frozen are none that its rows have to make up for. */
static void test_released(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++) {
        const setting set = {.optim = optims[i], .strategy = -1};
        float         before[ALL], after[ALL];
        loop          l;
        loop_init(&l, &set);
        steps(&l, 5);
        OK(fgt_optim_settle(l.optim));
        get_weights(l.s.model, before);
        OK(fgt_model_set_frozen(l.s.model, "0.", 1));
        steps(&l, 12);
        OK(fgt_optim_settle(l.optim));
        OK(fgt_model_set_frozen(l.s.model, "0.", 0));
        OK(fgt_optim_settle(l.optim));
        get_weights(l.s.model, after);
        assert_memory_equal(before, after, EMBEDDING * sizeof *after);
        assert_true(memcmp(before + EMBEDDING, after + EMBEDDING, (WEIGHT + BIAS) * sizeof *after) != 0);
        steps(&l, 13);
        get_weights(l.s.model, after);
        assert_true(memcmp(before, after, EMBEDDING * sizeof *after) != 0);
        loop_done(&l);
    }
}

/* ---- whole runs ---- */

/* A run keeps what is frozen, and one that is resumed has the bits of one that was not interrupted. */
static void test_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof optims / sizeof *optims; i++)
        for (int t = 0; t < TENSORS; t++) {
            const setting set = {.optim = optims[i], .strategy = -1, .validation = t & 1};
            const size_t  at = (size_t)tensors[t].begin, n = (size_t)tensors[t].count * sizeof(float);
            float         before[ALL], after[ALL];
            scene         whole, s;
            scene_init(&whole, &set);
            get_weights(whole.model, before);
            OK(fgt_model_set_frozen(whole.model, tensors[t].name, 1));
            const uint64_t hash = run(&whole);
            get_weights(whole.model, after);
            assert_memory_equal(before + at, after + at, n);
            assert_memory_not_equal(before, after, sizeof after);
            scene_done(&whole);

            scene_init(&s, &set);
            OK(fgt_model_set_frozen(s.model, tensors[t].name, 1));
            s.stop_epoch      = 3;
            s.opts.training.checkpoint = path;
            run(&s);
            scene_done(&s);
            scene_init(&s, &set);
            s.opts.training.resume = path;
            REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_FORMAT, "the model none");
            OK(fgt_model_set_frozen(s.model, "*", 1));
            REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_FORMAT,
                    "frozen parameters: the file has [\"");
            OK(fgt_model_set_frozen(s.model, "*", 0));
            OK(fgt_model_set_frozen(s.model, tensors[t].name, 1));
            assert_true(run(&s) == hash);
            scene_done(&s);
        }
}

/* A checkpoint without frozen parameters does not go on with some. */
static void test_none_in_the_file(void **state)
{
    (void)state;
    const setting set = {.optim = optims[0], .strategy = -1};
    scene         s;
    interrupt(&set, 3, &s);
    OK(fgt_model_set_frozen(s.model, "2.bias", 1));
    REFUSED(fgt_model_fit(s.model, &s.opts, &s.report), FGT_E_FORMAT,
            "the file has none, the model [\"2.bias\"]");
    scene_done(&s);
}

/* ---- files ---- */

static void test_file(void **state)
{
    (void)state;
    const setting set = {.strategy = -1};
    for (unsigned mask = 0; mask < 1 << TENSORS; mask++) {
        scene      s;
        fgt_model *m;
        scene_init(&s, &set);
        for (int i = 0; i < TENSORS; i++)
            if (mask >> i & 1) OK(fgt_model_set_frozen(s.model, tensors[i].name, 1));
        fgt_status status;
        SWEEP(&memory, status, 3, fgt_model_save(s.model, FGT_TO_FILE(path))) NOTHING_LEAKS;
        SWEEP(&memory, status, 10, fgt_model_load(ctx, FGT_FROM_FILE(path), NULL, &m)) NOTHING_LEAKS;
        for (int i = 0; i < TENSORS; i++)
            assert_int_equal(parameter_frozen(m, parameter_name(m, i)), mask >> i & 1);
        fgt_model_destroy(&m);
        scene_done(&s);
    }
}

/* The list in the file with one byte changed. */
static void test_damaged_file(void **state)
{
    (void)state;
    static const struct {
        char from, to;
    } damage[] = {{'0', '7'}, {'w', 'x'}, {'[', '{'}, {']', ','}};
    const setting set = {.strategy = -1};
    static char   bytes[1 << 16];
    for (size_t k = 0; k < sizeof damage / sizeof *damage; k++) {
        scene      s;
        fgt_model *m;
        scene_init(&s, &set);
        OK(fgt_model_set_frozen(s.model, "0.weight", 1));
        OK(fgt_model_save(s.model, FGT_TO_FILE(path)));
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        const size_t size = fread(bytes, 1, sizeof bytes - 1, f);
        fclose(f);
        assert_in_range(size, 9, sizeof bytes - 2);
        bytes[size] = 0;
        test_forget_hash(bytes, size);
        char *p     = strstr(bytes + 8, "fighter.frozen\":"); /* the length of the header has zeros */
        assert_non_null(p);
        p = strchr(p + 16, damage[k].from);
        assert_non_null(p);
        *p = damage[k].to;
        f  = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(bytes, 1, size, f), size);
        assert_int_equal(fclose(f), 0);
        REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(path), NULL, &m), FGT_E_FORMAT, "fighter.frozen");
        assert_null(m);
        scene_done(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_steps),
        cmocka_unit_test(test_gradients), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_released),
        cmocka_unit_test(test_runs), cmocka_unit_test(test_none_in_the_file),
        cmocka_unit_test(test_file), cmocka_unit_test(test_damaged_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
