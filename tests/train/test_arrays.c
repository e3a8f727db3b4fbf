/* SPDX-License-Identifier: BSD-3-Clause */
/* A source over arrays: its rows, their order, bad batches, and trainings with the bits of another source. */
#include "small_models.h"

#include <fighter/experimental/arrays.h>

enum { COUNT = 40, IN = 3, TIME = 4, OUT = 2, BATCH = 16 };

/* Arrays with the samples of small_models.h. */
struct scene {
    struct samples rule;
    fgti_real      x[COUNT * TIME * IN], y[COUNT * TIME * OUT];
    fgt_arrays    *arrays;
    fgt_source     source;
};

static void scene_init(struct scene *s)
{
    int64_t every[COUNT];
    for (int64_t i = 0; i < COUNT; i++) every[i] = i;
    samples_init(&s->rule, COUNT, 1);
    const fgt_view x = *FGT_VIEW_OF(FGTI_REAL, s->x, COUNT, TIME, IN),
                   y = *FGT_VIEW_OF(FGTI_REAL, s->y, COUNT, TIME, OUT);
    OK(samples_get(&s->rule, every, COUNT, &x, &y));
    OK(fgt_arrays_create(ctx, &x, &y, &s->arrays));
    s->source = (fgt_source){
        .size = sizeof s->source, .count = COUNT, .get = fgt_arrays_copy_samples, .user = s->arrays};
}

static void test_rows(void **state)
{
    (void)state;
    const float   x[4][2] = {{0, 1}, {10, 11}, {20, 21}, {30, 31}};
    const int64_t y[4] = {5, 6, 7, 8}, index[] = {3, 0, 3};
    const int32_t padding[4][1][2] = {{{0, 1}}, {{2, 3}}, {{4, 5}}, {{6, 7}}};
    float         to[3][2];
    int64_t       label[3], wide[3][2];
    int32_t       value[3][2];
    char          name[] = "mask";
    fgt_arrays   *a;
    OK(fgt_arrays_create(ctx, FGT_VIEW(x, 4, 2), FGT_VIEW_OF(FGT_DTYPE_I64, y, 4), &a));
    OK(fgt_arrays_add_value(a, "other", FGT_VIEW(x, 4, 2)));
    OK(fgt_arrays_add_value(a, name, FGT_VIEW_OF(FGT_DTYPE_I32, padding, 4, 1, 2)));
    name[0] = 'b'; /* was copied */
    OK(fgt_arrays_copy_samples(a, index, 3, FGT_VIEW(to, 3, 1, 2, 1),
                               FGT_VIEW_OF(FGT_DTYPE_I64, label, 3, 1)));
    OK(fgt_arrays_copy_value(a, index, 3, "mask", FGT_VIEW_OF(FGT_DTYPE_I32, value, 3, 2)));
    for (int b = 0; b < 3; b++) {
        assert_memory_equal(to[b], x[index[b]], sizeof to[b]);
        assert_memory_equal(value[b], padding[index[b]][0], sizeof value[b]);
        assert_int_equal(label[b], y[index[b]]);
    }
    OK(fgt_arrays_copy_samples(a, index + 1, 1, FGT_VIEW(to, 1, 2), NULL)); /* inputs alone */
    assert_true(to[0][1] == 1);
    OK(fgt_arrays_copy_samples(a, index, 0, FGT_VIEW(to, 0, 2), NULL));
    OK(fgt_arrays_copy_value(a, index, 3, "mask", FGT_VIEW_OF(FGT_DTYPE_I64, wide, 3, 2)));
    for (int i = 0; i < 6; i++) assert_int_equal(wide[i / 2][i % 2], value[i / 2][i % 2]);
    fgt_arrays_destroy(&a);
    assert_null(a);
}

/* The same rows in the same order, so the same weights; nothing is allocated between the steps. */
struct watch {
    int64_t first, last;
};

static int count_allocations(void *user, const fgt_progress *p)
{
    struct watch *w = user;
    w->last         = memory.calls;
    if (p->step == 1) w->first = memory.calls;
    return 0;
}

static uint64_t train(const fgt_source *source, double *loss)
{
    struct watch w = {0};
    fgt_model   *m = new_linear(ctx, BATCH, TIME, IN, OUT);
    OK(fgt_model_fit(
        m,
        &FGT_OPTS(fgt_fit_opts, .train = source, .validation = source,
                  .training = {.epochs = 3, .seed = 4, .progress = count_allocations, .user = &w}),
        NULL));
    assert_true(w.first == w.last);
    OK(fgt_model_evaluate(m, source, NULL, FGT_DTYPE_F32, loss, NULL));
    const uint64_t hash = fgt_model_get_hash(m);
    fgt_model_destroy(&m);
    return hash;
}

static void test_same_bits(void **state)
{
    (void)state;
    struct scene s;
    double       by_rule, by_arrays;
    scene_init(&s);
    const uint64_t hash = train(&s.rule.source, &by_rule);
    assert_true(train(&s.source, &by_arrays) == hash && by_arrays == by_rule);
    fgt_arrays_destroy(&s.arrays);
}

/* A value for each sample: y = x + value. */
static void test_values(void **state)
{
    (void)state;
    struct scene s;
    fgt_model   *m;
    double       before, after;
    scene_init(&s);
    const fgt_value_opts value = {.size = sizeof value, .features = OUT, .time = TIME};
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = TIME, .features = IN), &m));
    OK(fgt_model_add(m, fgt_named("line", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT)))));
    OK(fgt_model_add(m, fgt_named("known", fgt_value(&value))));
    OK(fgt_model_add_from(m, fgt_sum(NULL), (const char *const[]){"line", "known"}, 2));
    s.source.get_value      = fgt_arrays_copy_value;
    const fgt_fit_opts opts = {
        .size = sizeof opts, .train = &s.source, .training = {.epochs = 20, .lr = .05}};
    REFUSED(fgt_model_fit(m, &opts, NULL), FGT_E_NAME, "arrays: the layer \"known\" has no values");
    OK(fgt_arrays_add_value(s.arrays, "known", FGT_VIEW_OF(FGTI_REAL, s.y, COUNT, TIME, OUT)));
    REFUSED(fgt_arrays_add_value(s.arrays, "known", FGT_VIEW(s.y, COUNT, TIME, OUT)), FGT_E_NAME,
            "arrays: the layer \"known\" already has values");
    OK(fgt_model_evaluate(m, &s.source, NULL, FGT_DTYPE_F32, &before, NULL));
    OK(fgt_model_fit(m, &opts, NULL)); /* the line learns 0 */
    OK(fgt_model_evaluate(m, &s.source, NULL, FGT_DTYPE_F32, &after, NULL));
    assert_true(after < .01 * before);
    fgt_model_destroy(&m);
    fgt_arrays_destroy(&s.arrays);
}

static void test_bad_arrays(void **state)
{
    (void)state;
    static const float x[8] = {0};
    fgt_arrays        *a    = NULL;
    const fgt_view     good = *FGT_VIEW(x, 4, 2);
    const fgt_view     none = {.data = NULL, .rank = 1, .dtype = FGT_DTYPE_F32, .shape = {4}};
    const struct {
        const fgt_view *x, *y;
        fgt_status      status;
        const char     *words;
    } bad[] = {
        {NULL, &good, FGT_E_ARG, "arrays: x is NULL"},
        {&good, NULL, FGT_E_ARG, "arrays: target is NULL"},
        {&none, &good, FGT_E_ARG, "arrays: x has no data"},
        {&good, FGT_VIEW(x, 3), FGT_E_SHAPE,
         "arrays: target has another number of samples than x (got 3, need 4)"},
        {&good, FGT_VIEW(x, -4), FGT_E_SHAPE, "arrays: target has a malformed shape"},
        {&(fgt_view){.dtype = FGT_DTYPE_F32}, &good, FGT_E_SHAPE, "or no axis of samples"},
        {FGT_VIEW_OF(17, x, 4), &good, FGT_E_SHAPE, "arrays: x has an unknown type (got 17)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSED(fgt_arrays_create(ctx, bad[i].x, bad[i].y, &a), bad[i].status, bad[i].words);
        assert_null(a);
    }
    REFUSED(fgt_arrays_create(ctx, &good, &good, NULL), FGT_E_ARG, "the result pointer is NULL");
    assert_int_equal(fgt_arrays_create(NULL, &good, &good, &a), FGT_E_ARG);
    OK(fgt_arrays_create(ctx, &good, &good, &a));
    REFUSED(fgt_arrays_add_value(a, NULL, &good), FGT_E_ARG, "arrays: layer is NULL");
    REFUSED(fgt_arrays_add_value(a, "v", NULL), FGT_E_ARG, "arrays: v is NULL");
    REFUSED(fgt_arrays_add_value(a, "v", FGT_VIEW(x, 5)), FGT_E_SHAPE, "arrays: v has another number");
    assert_int_equal(fgt_arrays_add_value(NULL, "v", &good), FGT_E_ARG);
    fgt_arrays_destroy(&a);
    fgt_arrays_destroy(&a);
    fgt_arrays_destroy(NULL);
}

static void test_bad_batches(void **state)
{
    (void)state;
    static const float x[8]  = {0};
    float              to[8] = {7}, y[8] = {7};
    const int64_t      index[] = {3, 4, -1};
    fgt_arrays        *a;
    OK(fgt_arrays_create(ctx, FGT_VIEW(x, 4, 2), FGT_VIEW(x, 4), &a));
    OK(fgt_arrays_add_value(a, "v", FGT_VIEW(x, 4)));
    const fgt_view good = *FGT_VIEW(to, 1, 2), target = *FGT_VIEW(y, 1);
    REFUSED(fgt_arrays_copy_samples(a, index + 1, 1, &good, &target), FGT_E_ARG,
            "arrays: sample is out of range (got 4, need 0 .. 3)");
    REFUSED(fgt_arrays_copy_samples(a, index + 2, 1, &good, &target), FGT_E_ARG, "got -1");
    REFUSED(fgt_arrays_copy_samples(a, NULL, 1, &good, &target), FGT_E_ARG, "index is NULL");
    REFUSED(fgt_arrays_copy_samples(a, index, -1, &good, &target), FGT_E_ARG, "count is negative");
    REFUSED(fgt_arrays_copy_samples(a, index, 1, NULL, &target), FGT_E_ARG, "arrays: x is NULL");
    REFUSED(fgt_arrays_copy_samples(a, index, 1, FGT_VIEW(to, 2, 2), &target), FGT_E_SHAPE,
            "arrays: the batch of x has another size (got 2, need 1)");
    REFUSED(fgt_arrays_copy_samples(a, index, 1, FGT_VIEW(to, 1, 3), &target), FGT_E_SHAPE,
            "arrays: samples of x do not fit the batch (got F32 [4,2], need F32 [1,3])");
    REFUSED(fgt_arrays_copy_samples(a, index, 1, &good, FGT_VIEW_OF(FGT_DTYPE_I32, y, 1)), FGT_E_SHAPE,
            "samples of target do not fit the batch (got F32 [4], need I32 [1])");
    REFUSED(fgt_arrays_copy_value(a, index, 1, "w", &target), FGT_E_NAME, "the layer \"w\" has no values");
    REFUSED(fgt_arrays_copy_value(a, index, 1, NULL, &target), FGT_E_ARG, "arrays: layer is NULL");
    REFUSED(fgt_arrays_copy_value(a, index + 1, 1, "v", &target), FGT_E_ARG, "sample is out of range");
    REFUSED(fgt_arrays_copy_value(a, index, 1, "v", &good), FGT_E_SHAPE, "samples of v do not fit the batch");
    assert_int_equal(fgt_arrays_copy_samples(NULL, index, 1, &good, &target), FGT_E_ARG);
    assert_int_equal(fgt_arrays_copy_value(NULL, index, 1, "v", &target), FGT_E_ARG);
    assert_true(to[0] == 7 && y[0] == 7);
    fgt_arrays_destroy(&a);
}

static void test_no_memory(void **state)
{
    (void)state;
    static const float x[4] = {0};
    fgt_arrays        *a;
    fgt_status         s;
    SWEEP(&memory, s, 1, fgt_arrays_create(ctx, FGT_VIEW(x, 4), FGT_VIEW(x, 4), &a)) assert_null(a);
    SWEEP(&memory, s, 1, fgt_arrays_add_value(a, "v", FGT_VIEW(x, 4))) NOTHING_LEAKS;
    fgt_arrays_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_rows),       WITH_CONTEXT(test_same_bits),   WITH_CONTEXT(test_values),
        WITH_CONTEXT(test_bad_arrays), WITH_CONTEXT(test_bad_batches), WITH_CONTEXT(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
