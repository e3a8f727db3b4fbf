/* SPDX-License-Identifier: BSD-3-Clause */
/* The public tables of options describe the structs. */
#include "small_series.h"

#include <fighter/classify.h>
#include <fighter/experimental/defaults.h>
#include <fighter/experimental/options.h>

typedef const fgt_option *(*table)(int64_t i);

static double get(const fgt_option *t, const void *opts)
{
    const char *at = (const char *)opts + t->offset;
    switch (t->kind) {
    case FGT_OPTION_I64: return (double)*(const int64_t *)at;
    case FGT_OPTION_F32: return *(const float *)at;
    case FGT_OPTION_F64: return *(const double *)at;
    default: return *(const int32_t *)at;
    }
}

static void set(const fgt_option *t, void *opts, double value)
{
    char *at = (char *)opts + t->offset;
    switch (t->kind) {
    case FGT_OPTION_I64: *(int64_t *)at = (int64_t)value; break;
    case FGT_OPTION_F32: *(float *)at = (float)value; break;
    case FGT_OPTION_F64: *(double *)at = value; break;
    default: *(int32_t *)at = (int32_t)value;
    }
}

static void check_row(const fgt_option *t, size_t size)
{
    assert_non_null(t->name);
    assert_true(t->offset >= sizeof(size_t) && t->offset < size && t->min <= t->max);
    assert_true(!t->word == !t->help);
    assert_true(!t->word || !t->value == (t->kind == FGT_OPTION_BOOL));
    assert_true(t->standard == 0 || (t->standard >= t->min && t->standard <= t->max));
    assert_true((t->kind == FGT_OPTION_WORD) == (t->words != NULL));
    for (int64_t i = 0; t->kind == FGT_OPTION_WORD && i <= (int64_t)t->max; i++) assert_non_null(t->words[i]);
}

static void check_table(table list, size_t size)
{
    const fgt_option *a, *b;
    assert_null(list(-1));
    for (int64_t i = 0; (a = list(i)); i++) {
        check_row(a, size);
        for (int64_t k = 0; k < i; k++) {
            b = list(k);
            assert_true(strcmp(a->name, b->name) != 0 && a->offset != b->offset);
            assert_true(!a->word || !b->word || strcmp(a->word, b->word) != 0);
        }
    }
    assert_true(list(0) && list(9));
}

static void rows_are_whole_and_differ(void **state)
{
    (void)state;
    check_table(fgt_forecaster_get_option, sizeof(fgt_forecaster_opts));
    check_table(fgt_forecaster_get_fit_option, sizeof(fgt_forecaster_fit_opts));
    check_table(fgt_classifier_get_option, sizeof(fgt_classifier_opts));
    check_table(fgt_classifier_get_fit_option, sizeof(fgt_classifier_fit_opts));
}

static void a_default_is_the_one_of_the_table(void **state)
{
    (void)state;
    fgt_table              *t    = new_table();
    fgt_forecaster         *f    = NULL;
    fgt_forecaster_opts     full = {.size = sizeof full};
    fgt_forecaster_fit_opts fit  = {.size = sizeof fit};
    const fgt_option       *row;
    OK(fgt_forecaster_create(ctx, t, &split, &FGT_OPTS(fgt_forecaster_opts, .input_len = 24, .pred_len = 8),
                             &f));
    OK(fgt_forecaster_opts_init(ctx, NULL, NULL, &full));
    OK(fgt_forecaster_fit_opts_init(f, 100, NULL, &fit));
    for (int64_t i = 0; (row = fgt_forecaster_get_option(i)); i++)
        if (row->standard != 0) assert_true(fabs(get(row, &full) - row->standard) < 1e-6);
    for (int64_t i = 0; (row = fgt_forecaster_get_fit_option(i)); i++)
        if (row->standard != 0 && strcmp(row->name, "quantile"))
            assert_true(fabs(get(row, &fit) - row->standard) < 1e-6);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

/* A number above the range is refused with the name of the option; -1 switches off where has_off says so. */
static void a_range_is_the_one_of_the_table(void **state)
{
    (void)state;
    const fgt_option *row;
    int               refused = 0;
    for (int64_t i = 0; (row = fgt_forecaster_get_option(i)); i++) {
        fgt_forecaster_opts o    = {.size = sizeof o, .input_len = 24, .pred_len = 8};
        fgt_forecaster_opts full = {.size = sizeof full};
        if (row->has_off) {
            set(row, &o, -1);
            OK(fgt_forecaster_opts_init(ctx, NULL, &o, &full));
            assert_true(get(row, &full) < 0);
        }
        if (row->max > 1e6 || row->kind == FGT_OPTION_BLOCK || !strcmp(row->name, "layers")) continue;
        set(row, &o, row->max + 1);
        assert_int_equal(fgt_forecaster_opts_init(ctx, NULL, &o, &full), FGT_E_ARG);
        assert_non_null(strstr(fgt_context_get_error(ctx), row->name));
        refused++;
    }
    assert_true(refused > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole_and_differ),
        cmocka_unit_test(a_default_is_the_one_of_the_table),
        cmocka_unit_test(a_range_is_the_one_of_the_table),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
