/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a layer of the host's: which fields a class may declare. */
#include <fighter/experimental/layer.h>

#include <math.h>

#include "../one_context.h"

struct opts {
    size_t  size;
    int64_t wide;
    float   narrow; /* the last four bytes: no place for a field of eight */
    int32_t whole;
};

static fgt_status plan(void *user, fgt_layer_plan *p, const void *opts)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

static fgt_status run(void *user, fgt_layer_pass *p, const void *opts)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

static fgt_status add(const char *type, fgt_layer_field field)
{
    const fgt_layer_class cls = {.size = sizeof cls, .type = type, .opts_size = sizeof(struct opts),
                                 .fields = &field, .field_count = 1, .plan = plan, .forward = run,
                                 .backward = run};
    return fgt_context_add_layer(ctx, &cls);
}

static void every_kind_is_taken(void **state)
{
    (void)state;
    static const char *const types[] = {"t.i64", "t.i32", "t.f32", "t.f64"};
    static const int32_t     kinds[] = {FGT_LAYER_FIELD_I64, FGT_LAYER_FIELD_I32, FGT_LAYER_FIELD_F32,
                                        FGT_LAYER_FIELD_F64};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const fgt_layer_field f = {
            .name = "f", .offset = offsetof(struct opts, wide), .max = 1, .kind = kinds[i]};
        assert_int_equal(add(types[i], f), FGT_OK);
        assert_int_equal(add(types[i], f), FGT_E_NAME);
    }
}

static void bad_fields_are_refused(void **state)
{
    (void)state;
    const size_t    first = offsetof(struct opts, wide), last = offsetof(struct opts, whole);
    const fgt_layer_field bad[] = {
        {.name = "f", .offset = first, .kind = -1},
        {.name = "f", .offset = first, .kind = 4},
        {.name = "f", .offset = first, .kind = INT32_MAX},
        {.name = "f", .offset = first, .kind = INT32_MIN},
        {.name = "f", .offset = 0, .kind = FGT_LAYER_FIELD_I32},
        {.name = "f", .offset = last, .kind = FGT_LAYER_FIELD_I64},
        {.name = "f", .offset = last, .kind = FGT_LAYER_FIELD_F64},
        {.name = "f", .offset = last + 4, .kind = FGT_LAYER_FIELD_I32},
        {.name = "f", .offset = SIZE_MAX, .kind = FGT_LAYER_FIELD_I32},
        {.name = "f", .offset = first, .kind = FGT_LAYER_FIELD_I64, .min = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(add("t.bad", bad[i]), FGT_E_ARG);
        assert_non_null(strstr(fgt_context_get_error(ctx), "kind, offset or range of field f is wrong"));
    }
    const fgt_layer_field standards[] = {
        {.name = "f", .offset = first, .max = 1, .kind = FGT_LAYER_FIELD_F64, .standard = NAN},
        {.name = "f", .offset = first, .max = 1, .kind = FGT_LAYER_FIELD_I64, .standard = 0.5},
        {.name = "f", .offset = first, .max = 1, .kind = FGT_LAYER_FIELD_I64, .standard = 1e300},
        {.name = "f", .offset = first, .max = 1, .kind = FGT_LAYER_FIELD_I32, .standard = 3e9},
    };
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++) {
        assert_int_equal(add("t.bad", standards[i]), FGT_E_ARG);
        assert_non_null(strstr(fgt_context_get_error(ctx), "standard of field f is not a value of its type"));
    }
    assert_int_equal(
        add("t.last", (fgt_layer_field){.name = "f", .offset = last, .kind = FGT_LAYER_FIELD_F32}), FGT_OK);
}

struct exact {
    size_t  size;
    double  share;
    int64_t whole;
};
static struct exact seen;

static fgt_status keep(void *user, fgt_layer_plan *p, const void *opts)
{
    (void)p, (void)user;
    memcpy(&seen, opts, sizeof seen);
    return FGT_OK;
}

static fgt_model *new_model(void)
{
    fgt_model *m;
    assert_int_equal(
        fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 1, .features = 1), &m), FGT_OK);
    return m;
}

/* Options that a float, or 9 digits, would not hold come back from a file as they were. */
static void files_keep_every_bit(void **state)
{
    enum { SIZE = sizeof(struct exact) };
    static const struct exact options[] = {
        {SIZE, 1 / 3.0, INT64_C(1) << 40}, {SIZE, 1e-70, -(INT64_C(1) << 40)},
        {SIZE, -1e300, 12345678901},       {SIZE, 0.1, 1},
        {SIZE, 5e-324, 0},                 {SIZE, 0.5, 3},
    };
    const fgt_layer_field fields[] = {
        {"share", offsetof(struct exact, share), -1e308, 1e308, 0, FGT_LAYER_FIELD_F64, 0},
        {"whole", offsetof(struct exact, whole), -9e18, 9e18, 0, FGT_LAYER_FIELD_I64, 0},
    };
    const fgt_layer_class cls = {.size = sizeof cls, .type = "t.exact", .opts_size = sizeof(struct exact),
                                 .fields = fields, .field_count = 2, .plan = keep, .forward = run,
                                 .backward = run};
    (void)state;
    assert_int_equal(fgt_context_add_layer(ctx, &cls), FGT_OK);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        fgt_model *m = new_model(), *again;
        char       file[4096];
        int64_t    size;
        assert_int_equal(fgt_model_add(m, (fgt_layer){.type = "t.exact", .opts = &options[i]}), FGT_OK);
        assert_int_equal(fgt_model_save(m, FGT_TO_MEMORY(file, sizeof file, &size)), FGT_OK);
        memset(&seen, 0, sizeof seen);
        assert_int_equal(fgt_model_load(ctx, FGT_FROM_MEMORY(file, size), NULL, &again), FGT_OK);
        assert_memory_equal(&seen, &options[i], sizeof seen);
        fgt_model_destroy(&again);
        fgt_model_destroy(&m);
    }
    const struct exact wide = {sizeof wide, 0, INT64_C(1) << 41};
    fgt_model         *m    = new_model();
    assert_int_equal(fgt_model_add(m, (fgt_layer){.type = "t.exact", .opts = &wide}), FGT_E_ARG);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_taken),
        cmocka_unit_test(bad_fields_are_refused),
        cmocka_unit_test(files_keep_every_bit),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
