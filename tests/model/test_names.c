/* SPDX-License-Identifier: BSD-3-Clause */
/* Names go into files, which are UTF-8. So others are refused when they are given, not when hours of training
 * are to be saved. */
#include <fighter/experimental/layer.h>
#include <fighter/forecast.h>

#include "../model_info.h"
#include "../one_context.h"

#include "core/text.h"

#define LATIN1 "gr\xf6\xdf" "e"

static void test_layers(void **state)
{
    (void)state;
    int64_t    size;
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 2, .features = 3), &m));
    const fgt_layer linear = fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1));
    REFUSED(fgt_model_add(m, fgt_named(LATIN1, linear)), FGT_E_NAME, "is not UTF-8");
    assert_int_equal(model_info(m).layers, 0);
    OK(fgt_model_add(m, fgt_named("gr\xc3\xb6\xc3\x9f" "e", linear)));
    OK(fgt_model_save(m, FGT_TO_MEMORY(NULL, 0, &size)));
    fgt_model_destroy(&m);
}

static void test_columns(void **state)
{
    (void)state;
    static double            values[60][2];
    static const char *const names[] = {"load", LATIN1}, *const one[] = {"load"};
    const fgt_split          split   = {0, 40, 40, 50, 50, 60};
    fgt_forecaster_opts o = {.size = sizeof o, .input_len = 8, .pred_len = 2, .block.kind = FGT_BLOCK_LINEAR};
    fgt_forecaster          *f;
    fgt_table               *table;
    for (int r = 0; r < 60; r++) values[r][0] = values[r][1] = r % 7;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, values, 60, 2), &table));
    REFUSED(fgt_forecaster_create(ctx, table, &split, &o, &f), FGT_E_NAME, "the name of a column, ");
    assert_null(f);
    o.inputs.targets      = one;
    o.inputs.target_count = 1;
    OK(fgt_forecaster_create(ctx, table, &split, &o, &f)); /* it is not among those that are forecast */
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static fgt_status plan(void *user, fgt_layer_plan *p, const void *opts)
{
    (void)opts;
    return fgt_layer_plan_add_parameter(p, user, 1, (const int64_t[]){1}, FGT_LAYER_INIT_ZERO, 0);
}

static fgt_status pass(void *user, fgt_layer_pass *p, const void *opts)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

static void test_host_layers(void **state)
{
    (void)state;
    char            parameter[] = LATIN1;
    const fgt_layer_field field       = {LATIN1, sizeof(size_t), 0, 1, 0, FGT_LAYER_FIELD_F64, 0};
    fgt_layer_class c = {
        .size = sizeof c, .plan = plan, .forward = pass, .backward = pass, .user = parameter};
    fgt_model      *m;
    c.type = "t." LATIN1;
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_ARG, "UTF-8");
    c.type        = "t.fields";
    c.fields      = &field;
    c.field_count = 1;
    c.opts_size   = 16;
    REFUSED(fgt_context_add_layer(ctx, &c), FGT_E_ARG, "UTF-8");
    c.type        = "t.name";
    c.fields      = NULL;
    c.field_count = 0;
    c.opts_size   = 0;
    OK(fgt_context_add_layer(ctx, &c));
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 2, .features = 3), &m));
    REFUSED(fgt_model_add(m, (fgt_layer){.type = "t.name"}), FGT_E_ARG, "UTF-8");
    fgt_model_destroy(&m);
}

/* RFC 3629: neither overlong forms, nor surrogates, nor what ends too early. */
static void test_utf8(void **state)
{
    static const char *const good[] = {
        "", "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {
        "\x80",         "\xc0\x80",         "\xc1\xbf",         "\xe0\x9f\xbf",     "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\xff"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(fgti_is_utf8(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(fgti_is_utf8(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_layers),
        WITH_CONTEXT(test_columns),
        WITH_CONTEXT(test_host_layers),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
