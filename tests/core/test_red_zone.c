/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts that fgti_take() cuts: counting agrees with placing, and under AddressSanitizer the gaps between
 * them are closed until the block is cut anew or freed. */
#include "allocator_only.h"

#include <fighter/base.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/size.h"

enum { ELEMENTS = 1000 };

/* 37 elements end in the middle of an aligned unit, 16 at its border, 0 have a place too. */
static const int64_t lengths[] = {37, 16, 0, 1, 100};
enum { PARTS = sizeof lengths / sizeof *lengths };

static int64_t cut(fgti_real *base, int64_t shift, fgti_real *part[PARTS])
{
    int64_t at = 0;
    fgti_take(base, &at, shift);
    for (int i = 0; i < PARTS; i++) {
        fgti_real *p = fgti_take(base, &at, lengths[i]);
        if (part) part[i] = p;
    }
    return at;
}

static bool closed(const void *p)
{
#ifdef FGTI_HAVE_ASAN
    return __asan_address_is_poisoned(p);
#else
    (void)p;
    return false;
#endif
}

static void *take(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    return posix_memalign(&p, align, size) ? NULL : p;
}

/* The host may read what it gets back. */
static void give_back(void *user, void *ptr, size_t size)
{
    for (size_t i = 0; i < size; i++) assert_false(closed((char *)ptr + i));
    ++*(int *)user;
    free(ptr);
}

static void test_parts(void **state)
{
    fgti_real *part[PARTS];
    (void)state;
    assert_true(cut(NULL, 5, part) < ELEMENTS);
    for (int i = 0; i < PARTS; i++) assert_null(part[i]);
    fgti_real *base = NULL;
    assert_int_equal(posix_memalign((void **)&base, FGTI_ALIGN, ELEMENTS * sizeof *base), 0);
    assert_int_equal(cut(base, 5, part), cut(NULL, 5, NULL));
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal((uintptr_t)part[i] % FGTI_ALIGN, 0);
        memset(part[i], 0, (size_t)lengths[i] * sizeof *base);
    }
    fgti_red_zone_lift(base, ELEMENTS * (int64_t)sizeof *base);
    free(base);
}

static void test_zones(void **state)
{
    int                 released = 0;
    const fgt_allocator hook     = {sizeof hook, &released, take, give_back};
    fgt_context        *ctx;
    fgti_real          *base, *part[PARTS];
    (void)state;
    if (!FGTI_RED_ZONE) skip();
    assert_int_equal(fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &hook), &ctx), FGT_OK);
    assert_int_equal(FGTI_NEW(ctx, ELEMENTS, "block", &base), FGT_OK);
    for (int64_t shift = 0; shift < 40; shift += 13) {
        const int64_t end = cut(base, shift, part);
        for (int i = 0; i < PARTS; i++) {
            const fgti_real *behind = i + 1 < PARTS ? part[i + 1] : base + end;
            for (int64_t k = 0; k < lengths[i]; k++) assert_false(closed(part[i] + k));
            assert_true((behind - part[i] - lengths[i]) * (int64_t)sizeof *base >= FGTI_RED_ZONE);
            for (const fgti_real *p = part[i] + lengths[i]; p < behind; p++) assert_true(closed(p));
        }
    }
    const int before = released;
    fgti_free(ctx, base);
    assert_int_equal(released, before + 1);
    fgt_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
