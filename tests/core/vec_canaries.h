/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_CORE_VEC_CANARIES_H
#define TEST_CORE_VEC_CANARIES_H

/* Parts that the tests of the vec tables share: arrays between canaries, every table in turn. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/vec/vec.h"

#define LENGTHS 68
#define CELLS   (80 * 80)
#define CANARY  ((fgti_real)-12345.5)
#define EPS     (sizeof(fgti_real) == 4 ? 0x1p-23 : 0x1p-52)
#define INF     ((fgti_real)INFINITY)

static const char *const names[] = {"baseline", "avx2", "avx512"};
static const fgti_vec   *vec; /* the table under test */

/* Calls check once for every table. */
static inline void each_table(void (*check)(void))
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        vec = fgti_vec_get(names[i]);
        if (strcmp(vec->name, names[i]) != 0) {
            print_message("skipped: %s\n", names[i]);
            continue;
        }
        check();
    }
}

/* An array one element off any alignment, with canaries on both sides. */
typedef struct guarded {
    fgti_real cell[CELLS + 17];
} guarded;

static inline fgti_real *at(guarded *g)
{
    return g->cell + 9;
}

static inline fgti_real *fresh(guarded *g)
{
    for (size_t i = 0; i < sizeof g->cell / sizeof *g->cell; i++) g->cell[i] = CANARY;
    return at(g);
}

static inline void intact(const guarded *g, int64_t n)
{
    for (int64_t i = 0; i < CELLS + 17; i++)
        if (i < 9 || i >= 9 + n) assert_true(g->cell[i] == CANARY);
}

/* Values in -range .. range that differ from array to array. */
static inline fgti_real *filled(guarded *g, int64_t n, double range, uint64_t stream)
{
    fgti_real *p = fresh(g);
    for (int64_t i = 0; i < n; i++)
        p[i] = (fgti_real)(range * (2 * fgti_rng_uniform((fgti_rng){7, stream}, (uint64_t)i) - 1));
    return p;
}

/* Integers in -8 .. 8: sums and products of a few are exact. */
static inline fgti_real *integers(guarded *g, int64_t n, uint64_t stream)
{
    fgti_real *p = fresh(g);
    for (int64_t i = 0; i < n; i++)
        p[i] = (fgti_real)((int)fgti_rng_below((fgti_rng){8, stream}, (uint64_t)i, 17) - 8);
    return p;
}

static inline void near(double got, double want, double bound, const char *what, double x)
{
    if (!(fabs(got - want) <= bound) && !(isnan(got) && isnan(want)) && got != want)
        fail_msg("%s %s(%.9g): got %.9g, expected %.9g, off by %.3g, allowed %.3g", vec ? vec->name : "",
                 what, x, got, want, fabs(got - want), bound);
}

static inline bool same_bits(const fgti_real *a, const fgti_real *b, int64_t n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

#endif
