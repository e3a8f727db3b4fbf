/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/vec/vec.h"

#include <stdbool.h>
#include <string.h>

/* The tables of vec.c, one per instruction set. lib/meson.build defines FGTI_VEC_X86 where it builds all
 * three tables. The double build has only the baseline. */
extern const fgti_vec fgti_vec_baseline;
#if defined(FGTI_VEC_X86)
extern const fgti_vec fgti_vec_avx2, fgti_vec_avx512;
#endif

static bool always(void)
{
    return true;
}

#if defined(FGTI_VEC_X86)
/* The builtin also checks that the operating system saves the wide registers. */
static bool vec_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool vec_has_avx512(void)
{
    return vec_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const struct {
    const fgti_vec *vec;
    bool (*runs_here)(void);
} tables[] = {
#if defined(FGTI_VEC_X86)
    {&fgti_vec_avx512, vec_has_avx512},
    {&fgti_vec_avx2, vec_has_avx2},
#endif
    {&fgti_vec_baseline, always},
};

const fgti_vec *fgti_vec_get(const char *limit)
{
    const size_t n     = sizeof tables / sizeof *tables;
    size_t       first = 0;
    if (limit)
        while (first < n && strcmp(tables[first].vec->name, limit) != 0) first++;
    for (size_t i = first < n ? first : 0; i < n; i++)
        if (tables[i].runs_here()) return tables[i].vec;
    return &fgti_vec_baseline;
}
