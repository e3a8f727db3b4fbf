/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a layer of the host's: which fields a class may declare. */
#include <fighter/layer.h>

#include "../one_context.h"

struct opts {
    size_t  size;
    int64_t wide;
    float   narrow; /* the last four bytes: no place for a field of eight */
    int32_t whole;
};

static fgt_status plan(fgt_plan *p, const void *opts, void *user)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

static fgt_status run(fgt_pass *p, const void *opts, void *user)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

static fgt_status add(const char *type, fgt_field field)
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
    static const int32_t     kinds[] = {FGT_FIELD_I64, FGT_FIELD_I32, FGT_FIELD_F32, FGT_FIELD_F64};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const fgt_field f = {.name = "f", .offset = offsetof(struct opts, wide), .max = 1, .kind = kinds[i]};
        assert_int_equal(add(types[i], f), FGT_OK);
        assert_int_equal(add(types[i], f), FGT_E_NAME);
    }
}

static void bad_fields_are_refused(void **state)
{
    (void)state;
    const size_t    first = offsetof(struct opts, wide), last = offsetof(struct opts, whole);
    const fgt_field bad[] = {
        {.name = "f", .offset = first, .kind = -1},
        {.name = "f", .offset = first, .kind = 4},
        {.name = "f", .offset = first, .kind = INT32_MAX},
        {.name = "f", .offset = first, .kind = INT32_MIN},
        {.name = "f", .offset = 0, .kind = FGT_FIELD_I32},
        {.name = "f", .offset = last, .kind = FGT_FIELD_I64},
        {.name = "f", .offset = last, .kind = FGT_FIELD_F64},
        {.name = "f", .offset = last + 4, .kind = FGT_FIELD_I32},
        {.name = "f", .offset = SIZE_MAX, .kind = FGT_FIELD_I32},
        {.name = "f", .offset = first, .kind = FGT_FIELD_I64, .min = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(add("t.bad", bad[i]), FGT_E_ARG);
        assert_non_null(strstr(fgt_context_error(ctx), "field f has no such kind, place or range"));
    }
    assert_int_equal(add("t.last", (fgt_field){.name = "f", .offset = last, .kind = FGT_FIELD_F32}), FGT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_taken),
        cmocka_unit_test(bad_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
