/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/processor.h"

#include "blas/blas.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Vendor, family and model as CPUID reports them, for AMD and Intel. */
typedef struct identity {
    char     vendor[13];
    unsigned family, model;
} identity;

static identity query(void)
{
    identity p = {0};
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid(0, &a, &b, &c, &d);
    memcpy(p.vendor, &b, 4);
    memcpy(p.vendor + 4, &d, 4);
    memcpy(p.vendor + 8, &c, 4);
    a = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    p.family = a >> 8 & 15;
    p.model  = (a >> 4 & 15) | (a >> 12 & 240);
    if (p.family == 15) p.family += a >> 20 & 255;
    return p;
}

static bool processor_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool processor_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

enum { ICE_LAKE = 106, ICE_LAKE_D = 108, SAPPHIRE_RAPIDS = 143, GRANITE_RAPIDS = 173, EMERALD_RAPIDS = 207 };

static bool is_emerald_rapids(const identity *p)
{
    return p->family == 6 && p->model == EMERALD_RAPIDS;
}

/* Whether the processor has one of Intel's server cores that all have two 512-bit multiply-add units: Ice
 * Lake, and all since Sapphire Rapids. The cores since Sapphire Rapids have AMX, unless a virtual machine
 * hides it. On these cores BLIS chooses well, with one exception: it derives the number of units from the
 * model's name, and takes haswell if a virtual machine hides the name, with 113 instead of 179 GFLOP/s on a
 * Sapphire Rapids. On an Ice Lake the models of bench/ predict 1.0 to 2.5 times as fast with the kernels skx,
 * and no model trains more slowly. */
static bool has_two_units(const identity *p)
{
    static const unsigned known[] = {ICE_LAKE, ICE_LAKE_D, SAPPHIRE_RAPIDS, GRANITE_RAPIDS, EMERALD_RAPIDS};
    unsigned              a, b, c, d;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (p->family == 6 && p->model == known[i]) return true;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 1);
}

/* One row of the table of processors. The first row whose vendor, families and instructions fit is used.
 * docs/routes.md has the measurements. */
typedef struct row {
    const char *vendor;      /* NULL: any */
    unsigned    first, last; /* families */
    bool (*fits)(const identity *p); /* NULL: always */
    bool           avx512;           /* needs AVX-512 */
    fgti_processor choice;
} row;

static const row rows[] = {
    {"GenuineIntel", 0, ~0u, is_emerald_rapids, true,
     {FGTI_FAMILY_AVX512, 8, 32, 64, "avx512", FGTI_OWN_WEIGHT, 0, false}},
    {"GenuineIntel", 0, ~0u, has_two_units, true, {FGTI_FAMILY_AVX512, 0, 0, 0, NULL, 0, 0, false}},
    {"GenuineIntel", 0, ~0u, has_two_units, false, {FGTI_FAMILY_AVX2, 0, 0, 0, NULL, 0, 0, false}},
    {"GenuineIntel", 0, ~0u, NULL, false, {FGTI_FAMILY_BLIS, 0, 0, 0, NULL, 0, 0, false}},
    /* Zen 4 */
    {"AuthenticAMD", 25, 25, NULL, true,
     {FGTI_FAMILY_AVX512, 8, 32, 64, "avx512", FGTI_OWN_WEIGHT, 2048, true}},
    {"AuthenticAMD", 0, 25, NULL, false, {FGTI_FAMILY_BLIS, 0, 0, 0, NULL, 0, 0, false}},
    {NULL, 0, ~0u, NULL, true, {FGTI_FAMILY_AVX512, 0, 0, 0, NULL, 0, 0, false}},
    {NULL, 0, ~0u, NULL, false, {FGTI_FAMILY_AVX2, 0, 0, 0, NULL, 0, 0, false}},
};

fgti_processor fgti_processor_get(void)
{
    const identity       p    = query();
    const fgti_processor none = {FGTI_FAMILY_BLIS, 0, 0, 0, NULL, 0, 0, false};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        if (r->vendor && strcmp(p.vendor, r->vendor) != 0) continue;
        if (p.family < r->first || p.family > r->last || (r->fits && !r->fits(&p))) continue;
        if (r->avx512 && !processor_has_avx512()) continue;
        return r->choice.family == FGTI_FAMILY_AVX2 && !processor_has_avx2() ? none : r->choice;
    }
    return none;
}

#else

fgti_processor fgti_processor_get(void)
{
    return (fgti_processor){FGTI_FAMILY_BLIS, 0, 0, 0, NULL, 0, 0, false};
}

#endif
