/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_only.h"

#include <stdio.h>

static void test_names(void **state)
{
    (void)state;
    /* the numbers are pinned: hosts store them */
    static const char *const names[] = {
        "FGT_OK",        "FGT_E_ARG",       "FGT_E_SHAPE",       "FGT_E_SIZE", "FGT_E_NOMEM",
        "FGT_E_VERSION", "FGT_E_STATE",     "FGT_E_NONFINITE",   "FGT_E_IO",   "FGT_E_FORMAT",
        "FGT_E_DATA",    "FGT_E_CANCELLED", "FGT_E_UNSUPPORTED", "FGT_E_NAME",
    };
    for (int i = 0; i < 14; i++) assert_string_equal(fgt_status_get_name((fgt_status)-i), names[i]);
    assert_string_equal(fgt_status_get_name((fgt_status)-14), "unknown status");
    assert_string_equal(fgt_status_get_name((fgt_status)1), "unknown status");
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(fgt_version(), FGT_VERSION_MAJOR * 10000 + FGT_VERSION_MINOR * 100 + FGT_VERSION_PATCH);
}

static void test_fail(void **state)
{
    (void)state;
    fgti_error err = {.text = "old"};
    assert_int_equal(fgti_fail(&err, FGT_E_SHAPE, "x has the wrong width (got %d, need %d)", 7, 8),
                     FGT_E_SHAPE);
    assert_string_equal(err.text, "x has the wrong width (got 7, need 8)");
    assert_int_equal(fgti_fail(NULL, FGT_E_IO, "nobody %s", "listens"), FGT_E_IO);
    assert_int_equal(fgti_error_at(&err, 0, FGT_E_DATA), FGT_E_DATA);
    assert_int_equal(err.sample, 1);
    assert_int_equal(fgti_error_at(NULL, 0, FGT_E_DATA), FGT_E_DATA);
    char longer[2000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(fgti_fail(&err, FGT_E_IO, "%s", longer), FGT_E_IO);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(err.sample, 0);
}

static void test_prefix(void **state)
{
    (void)state;
    fgti_error err = {.text = "x has 7 features"};
    fgti_error_prefix(&err, "lstm \"%s\"", "enc");
    assert_string_equal(err.text, "lstm \"enc\": x has 7 features");
    fgti_error_prefix(NULL, "nothing");

    /* every combination of lengths around the end of the buffer */
    const size_t room = sizeof err.text;
    char         prefix[600], old[600], want[1400];
    for (size_t p = 0; p < 560; p += p < 8 || p > 500 ? 1 : 31)
        for (size_t o = 0; o < room; o += o < 8 || o > 500 ? 1 : 31) {
            memset(prefix, 'p', p);
            memset(old, 'o', o);
            prefix[p] = old[o] = 0;
            memcpy(err.text, old, o + 1);
            fgti_error_prefix(&err, "%s", prefix);
            snprintf(want, sizeof want, "%s%s%s", prefix, p < room ? ": " : "", p < room ? old : "");
            want[room - 1] = 0;
            assert_string_equal(err.text, want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_fail),
        cmocka_unit_test(test_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
