/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_only.h"

#include <math.h>

#include "core/opts.h"

/* The struct that the library knows, and those of the release before and of one to come. */
typedef struct opts {
    size_t  size;
    int64_t out;
    int32_t act, no_bias;
    float   eps, dropout;
    double  lr;
} opts;
typedef struct opts_before {
    size_t  size;
    int64_t out;
} opts_before;
typedef struct opts_later {
    opts    known;
    int64_t more;
} opts_later;

static const fgti_opt table[] = {
    {"out", offsetof(opts, out), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED},
    {"act", offsetof(opts, act), FGTI_OPT_ENUM, 1, 8, 3},
    {"no_bias", offsetof(opts, no_bias), FGTI_OPT_BOOL, 0, 1, 0},
    {"eps", offsetof(opts, eps), FGTI_OPT_F32, 1e-5, 0.1, 1e-5},
    {"dropout", offsetof(opts, dropout), FGTI_OPT_F32, 0, 0.9, 0},
    {"lr", offsetof(opts, lr), FGTI_OPT_F64, 1e-300, 1e300, 1e-3},
    {NULL, 0, FGTI_OPT_I64, 0, 0, 0},
};

static fgti_error err;

static void test_read(void **state)
{
    (void)state;
    opts o;
    memset(&o, 0xA5, sizeof o);
    assert_int_equal(fgti_opts_read(&err, "linear", NULL, &o, sizeof o), FGT_OK);
    assert_int_equal(o.size, sizeof o);
    assert_true(o.out == 0 && o.act == 0 && o.eps == 0 && o.lr == 0);

    const opts same = FGT_OPTS(opts, .out = 64, .act = 5);
    assert_int_equal(fgti_opts_read(&err, "linear", &same, &o, sizeof o), FGT_OK);
    assert_memory_equal(&o, &same, sizeof o);

    const opts_before before = FGT_OPTS(opts_before, .out = 7);
    memset(&o, 0xA5, sizeof o);
    assert_int_equal(fgti_opts_read(&err, "linear", &before, &o, sizeof o), FGT_OK);
    assert_true(o.size == sizeof o && o.out == 7 && o.act == 0 && o.lr == 0);

    opts_later later = {.known = {.size = sizeof later, .out = 9}};
    assert_int_equal(fgti_opts_read(&err, "linear", &later, &o, sizeof o), FGT_OK);
    assert_true(o.size == sizeof o && o.out == 9);
    for (size_t i = 0; i < sizeof later.more; i++) {
        later.more = INT64_C(1) << (8 * i);
        assert_int_equal(fgti_opts_read(&err, "linear", &later, &o, sizeof o), FGT_E_VERSION);
    }
}

static void test_size_not_set(void **state)
{
    (void)state;
    opts         o;
    const size_t bad[] = {0, 1, sizeof(size_t) - 1, 5000, SIZE_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const opts in = {.size = bad[i], .out = 1};
        assert_int_equal(fgti_opts_read(&err, "linear", &in, &o, sizeof o), FGT_E_VERSION);
    }
    assert_non_null(strstr(err.text, "linear: size"));
}

static void test_defaults(void **state)
{
    (void)state;
    opts o = FGT_OPTS(opts, .out = 64);
    assert_int_equal(fgti_opts_check(&err, "linear", table, &o), FGT_OK);
    assert_true(o.out == 64 && o.act == 3 && o.no_bias == 0 && o.eps == 1e-5f && o.dropout == 0 &&
                o.lr == 1e-3);
    const opts once = o;
    assert_int_equal(fgti_opts_check(&err, "linear", table, &o), FGT_OK); /* again: nothing changes */
    assert_memory_equal(&o, &once, sizeof o);

    opts missing = FGT_OPTS(opts, .act = 1);
    assert_int_equal(fgti_opts_check(&err, "linear", table, &missing), FGT_E_ARG);
    assert_string_equal(err.text, "linear: out is not given (need 1 .. 1099511627776)");
}

static void test_ranges(void **state)
{
    (void)state;
    const opts good[] = {
        {.out     = 1,
         .act     = 8,
         .no_bias = 1,
         .eps     = 0.1f,
         .dropout = 0.9f,
         .lr      = 1e300},                                                   /* 0.1f > 0.1, 0.9f < 0.9 */
        {.out = INT64_C(1) << 40, .act = 1, .eps = 1e-5f, .lr = 1e-300}, /* 1e-5f < 1e-5 */
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        opts o = good[i];
        assert_int_equal(fgti_opts_check(&err, "linear", table, &o), FGT_OK);
    }
    const struct {
        opts        o;
        const char *name;
    } bad[] = {
        {{.out = -1}, "out"},
        {{.out = INT64_MIN}, "out"},
        {{.out = (INT64_C(1) << 40) + 1}, "out"},
        {{.out = INT64_MAX}, "out"},
        {{.out = 1, .act = 9}, "act"},
        {{.out = 1, .act = -1}, "act"},
        {{.out = 1, .no_bias = 2}, "no_bias"},
        {{.out = 1, .no_bias = -1}, "no_bias"},
        {{.out = 1, .eps = NAN}, "eps"},
        {{.out = 1, .eps = INFINITY}, "eps"},
        {{.out = 1, .eps = -1e-5f}, "eps"},
        {{.out = 1, .dropout = 1}, "dropout"},
        {{.out = 1, .dropout = -NAN}, "dropout"},
        {{.out = 1, .lr = NAN}, "lr"},
        {{.out = 1, .lr = -INFINITY}, "lr"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opts o = bad[i].o;
        assert_int_equal(fgti_opts_check(&err, "linear", table, &o), FGT_E_ARG);
        char want[40] = "linear: ";
        strcat(strcat(want, bad[i].name), " is ");
        assert_int_equal(strncmp(err.text, want, strlen(want)), 0);
    }
}

static void test_range_sentences(void **state)
{
    (void)state;
    const struct {
        opts        o;
        const char *sentence;
    } bad[] = {
        {{.out = (INT64_C(1) << 40) + 1},
         "linear: out is out of range (got 1099511627777, need 1 .. 1099511627776)"},
        {{.out = INT64_C(1) << 53},
         "linear: out is out of range (got 9007199254740992, need 1 .. 1099511627776)"},
        {{.out = INT64_MIN}, "linear: out is out of range (got -9.22337e+18, need 1 .. 1099511627776)"},
        {{.out = 1, .eps = 0.5f},
         "linear: eps is out of range (got 0.5, need 1e-05 .. 0.1, or 0 for the default)"},
        {{.out = 1, .lr = INFINITY},
         "linear: lr is out of range (got inf, need 1e-300 .. 1e+300, or 0 for the default)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opts o = bad[i].o;
        assert_int_equal(fgti_opts_check(&err, "linear", table, &o), FGT_E_ARG);
        assert_string_equal(err.text, bad[i].sentence);
    }
}

static void test_get_set(void **state)
{
    (void)state;
    for (const fgti_opt *f = table; f->name; f++) {
        opts o = {0};
        fgti_opt_set(f, &o, 3);
        assert_true(fgti_opt_get(f, &o) == 3);
        for (const fgti_opt *g = table; g->name; g++) assert_true(g == f || fgti_opt_get(g, &o) == 0);
    }
    opts           o     = {0};
    const fgti_opt graph = {"graph", offsetof(opts, out), FGTI_OPT_GRAPH, 0, 0, 0};
    fgti_opt_set(&graph, &o, 3); /* a pointer is no number */
    assert_true(o.out == 0 && fgti_opt_get(&graph, &o) == 0);
    fgti_opt_set(&table[5], &o, 1e300);
    assert_true(o.lr == 1e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_size_not_set),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_range_sentences),
        cmocka_unit_test(test_get_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
