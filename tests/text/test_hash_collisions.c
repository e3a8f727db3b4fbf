/* SPDX-License-Identifier: BSD-3-Clause */
/* Words and column names that all have one FNV-1a hash in its low 22 bits: a table without a key would
 * compare each with all before it. */
#include <time.h>

#include "core/hash.h"
#include "core/strings/words.h"

#include "../one_context.h"

enum { BITS = 22, BLOCK = 4, BLOCKS = 16, WORDS = 1 << BLOCKS, SIZE = BLOCK * BLOCKS };

/* For each place in a word two blocks that lead from the state before it to one state behind it. */
static char pairs[BLOCKS][2][BLOCK + 1];

static uint64_t step(uint64_t h, const char *block)
{
    return fgti_hash(h, block, BLOCK) & ((1 << BITS) - 1);
}

static void write_block(uint32_t n, char *block)
{
    for (int i = 0; i < BLOCK; i++, n /= 26) block[i] = (char)('a' + n % 26);
    block[BLOCK] = 0;
}

static void find_pairs(void)
{
    uint32_t *seen = malloc(sizeof *seen << BITS);
    uint64_t  h    = FGTI_HASH_START & ((1 << BITS) - 1);
    assert_non_null(seen);
    for (int k = 0; k < BLOCKS; k++) {
        memset(seen, 0, sizeof *seen << BITS);
        for (uint32_t n = 0;; n++) {
            write_block(n, pairs[k][1]);
            const uint64_t next = step(h, pairs[k][1]);
            if (seen[next]) {
                write_block(seen[next] - 1, pairs[k][0]);
                h = next;
                break;
            }
            seen[next] = n + 1;
        }
    }
    free(seen);
}

static void write_word(int number, char word[SIZE + 1])
{
    for (int k = 0; k < BLOCKS; k++) memcpy(word + k * BLOCK, pairs[k][number >> k & 1], BLOCK);
    word[SIZE] = 0;
}

static double since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void words_do_not_collide(void **state)
{
    (void)state;
    fgti_words    w     = {0};
    const clock_t start = clock();
    char          word[SIZE + 1];
    int64_t       number;
    for (int i = 0; i < WORDS; i++) {
        write_word(i, word);
        OK(fgti_words_add(ctx, &w, word, SIZE, &number));
        assert_int_equal(number, i);
    }
    fgti_words_done(ctx, &w);
    assert_true(since(start) < 3); /* it takes 0.02 s; it took 20 */
}

static void names_do_not_collide(void **state)
{
    (void)state;
    fgti_strings  t     = {0};
    const clock_t start = clock();
    char          word[SIZE + 1];
    int64_t       found;
    for (int i = 0; i < WORDS; i++) {
        write_word(i, word);
        OK(fgti_strings_add(ctx, &t, word, SIZE));
    }
    OK(fgti_strings_find_double(ctx, &t, 0, &found));
    assert_int_equal(found, -1);
    assert_true(since(start) < 3); /* it takes 0.05 s; it took 20 */
    fgti_strings_done(ctx, &t);
}

/* The first name, in the order of the file, that was there before. */
static void first_double_is_found(void **state)
{
    static const char *const names[] = {"z", "a", "c", "b", "c", "a", "z", "b"};
    fgti_strings             t       = {0};
    int64_t                  found;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        OK(fgti_strings_add(ctx, &t, names[i], 1));
    OK(fgti_strings_find_double(ctx, &t, 0, &found));
    assert_int_equal(found, 4);
    OK(fgti_strings_find_double(ctx, &t, 3, &found));
    assert_int_equal(found, 7);
    OK(fgti_strings_find_double(ctx, &t, 5, &found));
    assert_int_equal(found, -1);
    fgti_strings_done(ctx, &t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_do_not_collide),
        cmocka_unit_test(names_do_not_collide),
        cmocka_unit_test(first_double_is_found),
    };
    find_pairs();
    return cmocka_run_group_tests(tests, test_open, test_close);
}
