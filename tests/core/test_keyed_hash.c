/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/keyed_hash.h"

/* Bytes 0, 1, .. under a key of zeros, as hash() of CPython 3.11 gives them with PYTHONHASHSEED=0. */
static void test_vectors(void **state)
{
    static const struct {
        int64_t  size;
        uint64_t hash;
    } cases[] = {
        {1, 0x68a914128e01e473},  {2, 0x010bac45c41e3669},  {7, 0x2f098ab0c751325a},
        {8, 0xead411e67ebe2eea},  {9, 0x75927f9d95124362},  {15, 0xf30eb725bb91c9ea},
        {16, 0x8972188433a5c5b7}, {33, 0x7fb71d24dfa4c9f6},
    };
    const fgti_hash_key zero = {{0, 0}};
    unsigned char       bytes[34];
    (void)state;
    for (int i = 0; i < 34; i++) bytes[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(fgti_keyed_hash(&zero, bytes, cases[i].size) == cases[i].hash);
}

/* Both halves of the key count, and no two draws are the same. */
static void test_keys(void **state)
{
    enum { KEYS = 100 };
    uint64_t seen[KEYS + 3];
    (void)state;
    for (int i = 0; i < KEYS + 3; i++) {
        const fgti_hash_key fixed[] = {{{0, 0}}, {{1, 0}}, {{0, 1}}};
        const fgti_hash_key key     = i < 3 ? fixed[i] : fgti_hash_key_draw();
        seen[i]                     = fgti_keyed_hash(&key, "word", 4);
        for (int k = 0; k < i; k++) assert_true(seen[k] != seen[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
