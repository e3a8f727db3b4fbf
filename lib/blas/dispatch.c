/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of BLIS's sub-configuration for this processor, and its microkernel.
 *
 * On processors that BLIS does not know, it uses its portable kernels, which are seven times slower. Every
 * release up to 3.0-dev does so on AMD family 26 (flame/blis issue 912). On other processors BLIS takes
 * kernels for AVX2 where kernels for AVX-512 are faster. processor.c says which kernels suit a processor.
 * Therefore:
 *  1. If the user has set BLIS_ARCH_TYPE, or BLIS chooses well for this processor, its choice is kept.
 *  2. BLIS >= 2 has a function that returns another sub-configuration, bli_gks_lookup_id.
 *  3. An older BLIS that is linked statically has this function too, under a hidden name.
 *  4. An older shared BLIS takes another choice only from BLIS_ARCH_TYPE, which it reads when it initialises
 *     itself for the first time. The variable is set during that call, once in the life of the process.
 *     Nothing else in the library changes the environment; fgt_context_opts.keep_environment forbids it.
 * If BLIS would abort because of the value of BLIS_ARCH_TYPE, it is not called at all, and plain C is
 * used. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/bf16.h"
#include "blas/processor.h"

/* NULL if BLIS is a shared library, which hides this function. */
#ifdef __ELF__
#pragma weak bli_gks_lookup_nat_cntx
#pragma weak bli_gks_lookup_id
#endif

#ifdef FGTI_BLIS_SUBDIR
#include <blis/blis.h>
#else
#include <blis.h>
#endif

/* BLIS 1.0 renamed these two functions and added a function that returns its version. */
#ifdef BLIS_VERSION_STRING
#define query_ukr          bli_cntx_get_ukr_dt
#define query_prefers_rows bli_cntx_ukr_prefers_rows_dt
#else
#define query_ukr          bli_cntx_get_l3_nat_ukr_dt
#define query_prefers_rows bli_cntx_l3_nat_ukr_prefers_rows_dt
#endif

/* The type of BLIS's microkernels; every version since 0.9 has this type, except for const. */
typedef void (*gemm_ukr)(dim_t m, dim_t n, dim_t k, const float *alpha, const float *a, const float *b,
                         const float *beta, float *c, inc_t rs_c, inc_t cs_c, auxinfo_t *aux,
                         const cntx_t *cntx);

/* Written once by set_up(), under the lock of fgti_blas_get(). */
static struct {
    gemm_ukr    ukr;
    cntx_t     *cntx;
    rntm_t      rntm; /* one thread: BLIS must not start threads besides our workers */
    fgti_kernel kernel, own;
    fgti_blas   blas, without_own;
    char        kernel_text[32], own_text[64], reason[256];
} state;

/* ---- products ---- */

/* Prefetches columns j .. of the next tile of C while the current tile is computed. C usually comes from
 * memory, and the kernels' own prefetches come too late. */
static void fetch_tile(int64_t rows, int64_t j, int64_t n, const float *c, int64_t ldc)
{
#if defined(__GNUC__)
    const int64_t end = fgti_least(j + state.kernel.v, n), line = 64 / (int64_t)sizeof *c;
    for (; j < end; j += line)
        for (int64_t i = 0; i < rows; i++) __builtin_prefetch(c + i * ldc + j, 1, 3);
    __asm__ volatile(""); /* GCC 12 drops calls of functions that only prefetch, as in fgti_fetch() */
#else
    (void)rows, (void)j, (void)n, (void)c, (void)ldc;
#endif
}

/* A row-preferring kernel computes our tile directly: u = MR, v = NR. */
static void strip_rows(int64_t rows, int64_t n, int64_t k, float alpha, const float *up, const float *vp,
                       float beta, float *c, int64_t ldc)
{
    auxinfo_t     aux = {0};
    const int64_t v   = state.kernel.v;
    for (int64_t j = 0; j < n; j += v, vp += v * k) {
        fetch_tile(rows, j + v, n, c, ldc);
        state.ukr((dim_t)rows, (dim_t)fgti_least(v, n - j), (dim_t)k, &alpha, up, vp, &beta, c + j,
                  (inc_t)ldc, 1, &aux, state.cntx);
    }
}

/* A column-preferring kernel computes the transposed tile: v = MR, u = NR. This kernel takes as long for a
 * few rows as for all rows. So our own loop is faster for up to two thirds of the rows, if its tiles have the
 * same columns. The loop gives the same bits if nothing is scaled. */
static void strip_columns(int64_t rows, int64_t n, int64_t k, float alpha, const float *up, const float *vp,
                          float beta, float *c, int64_t ldc)
{
    auxinfo_t     aux = {0};
    const int64_t v = state.kernel.v, u = state.kernel.u;
    const bool    few = state.own.v == v && 3 * rows <= 2 * u && alpha == 1 && (beta == 0 || beta == 1);
    for (int64_t j = 0; j < n; j += v, vp += v * k) {
        fetch_tile(rows, j + v, n, c, ldc);
        if (few && v <= n - j)
            state.own.vec->panels->multiply(rows, v, k, 1, up, 1, u, vp, v, beta, c + j, ldc);
        else
            state.ukr((dim_t)fgti_least(v, n - j), (dim_t)rows, (dim_t)k, &alpha, vp, up, &beta, c + j, 1,
                      (inc_t)ldc, &aux, state.cntx);
    }
}

static void gemm_packed(void *scratch, const fgti_gemm *g)
{
    fgti_gemm_packed(&state.kernel, scratch, g);
}

/* Whether the strides pass the checks of BLIS, which aborts if they fail. */
static bool plain_strides(int64_t rows, int64_t cols, int64_t rs, int64_t cs)
{
    return (cs == 1 && rs >= cols) || (rs == 1 && cs >= rows);
}

static bool plain_gemm(const fgti_gemm *g)
{
    return g->m > 0 && g->n > 0 && g->k > 0 && g->alpha != 0 && plain_strides(g->m, g->k, g->rsa, g->csa) &&
           plain_strides(g->k, g->n, g->rsb, g->csb);
}

/* Calls the loops of BLIS if there is no usable microkernel. */
static void gemm_typed(void *scratch, const fgti_gemm *g)
{
    float alpha = g->alpha, beta = g->beta;
    if (plain_gemm(g) && !g->bf16)
        bli_sgemm_ex(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, (dim_t)g->m, (dim_t)g->n, (dim_t)g->k, &alpha,
                     (float *)g->a, (inc_t)g->rsa, (inc_t)g->csa, (float *)g->b, (inc_t)g->rsb, (inc_t)g->csb,
                     &beta, g->c, (inc_t)g->ldc, 1, NULL, &state.rntm);
    else
        fgti_blas_ref.gemm(scratch, g);
}

/* Calls BLIS if the loaded library has another version than the header, so that no struct may be passed to
 * it. */
static void gemm_foreign(void *scratch, const fgti_gemm *g)
{
    float alpha = g->alpha, beta = g->beta;
    if (plain_gemm(g) && !g->bf16)
        bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, (dim_t)g->m, (dim_t)g->n, (dim_t)g->k, &alpha,
                  (float *)g->a, (inc_t)g->rsa, (inc_t)g->csa, (float *)g->b, (inc_t)g->rsb, (inc_t)g->csb,
                  &beta, g->c, (inc_t)g->ldc, 1);
    else
        fgti_blas_ref.gemm(scratch, g);
}

/* ---- features of the loaded BLIS ---- */

/* Whether the loaded BLIS has the version of the header. All versions from 0.9 to 3.0-dev have the same
 * soname, but the header's inline functions read structs that changed. */
static bool same_version(void)
{
#ifdef BLIS_VERSION_STRING
    return strcmp(bli_info_get_version_str(), BLIS_VERSION_STRING) == 0;
#else
    return strncmp(bli_info_get_version_str(), "0.9", 3) == 0;
#endif
}

/* blis.h defines BLIS_CONFIG_SKX, empty, when that sub-configuration is compiled in. */
#define TEXT_OF(...)  #__VA_ARGS__
#define IS_EMPTY(...) (sizeof TEXT_OF(__VA_ARGS__) == 1)

static bool is_built(const char *config)
{
    static const struct {
        const char *name;
        bool        built;
    } configs[] = {
        {"skx", IS_EMPTY(BLIS_CONFIG_SKX)},
        {"knl", IS_EMPTY(BLIS_CONFIG_KNL)},
        {"haswell", IS_EMPTY(BLIS_CONFIG_HASWELL)},
        {"sandybridge", IS_EMPTY(BLIS_CONFIG_SANDYBRIDGE)},
        {"penryn", IS_EMPTY(BLIS_CONFIG_PENRYN)},
        {"zen3", IS_EMPTY(BLIS_CONFIG_ZEN3)},
        {"zen2", IS_EMPTY(BLIS_CONFIG_ZEN2)},
        {"zen", IS_EMPTY(BLIS_CONFIG_ZEN)},
        {"excavator", IS_EMPTY(BLIS_CONFIG_EXCAVATOR)},
        {"steamroller", IS_EMPTY(BLIS_CONFIG_STEAMROLLER)},
        {"piledriver", IS_EMPTY(BLIS_CONFIG_PILEDRIVER)},
        {"bulldozer", IS_EMPTY(BLIS_CONFIG_BULLDOZER)},
        {"armsve", IS_EMPTY(BLIS_CONFIG_ARMSVE)},
        {"a64fx", IS_EMPTY(BLIS_CONFIG_A64FX)},
        {"altramax", IS_EMPTY(BLIS_CONFIG_ALTRAMAX)},
        {"altra", IS_EMPTY(BLIS_CONFIG_ALTRA)},
        {"firestorm", IS_EMPTY(BLIS_CONFIG_FIRESTORM)},
        {"thunderx2", IS_EMPTY(BLIS_CONFIG_THUNDERX2)},
        {"cortexa57", IS_EMPTY(BLIS_CONFIG_CORTEXA57)},
        {"cortexa53", IS_EMPTY(BLIS_CONFIG_CORTEXA53)},
        {"cortexa15", IS_EMPTY(BLIS_CONFIG_CORTEXA15)},
        {"cortexa9", IS_EMPTY(BLIS_CONFIG_CORTEXA9)},
        {"power10", IS_EMPTY(BLIS_CONFIG_POWER10)},
        {"power9", IS_EMPTY(BLIS_CONFIG_POWER9)},
        {"power7", IS_EMPTY(BLIS_CONFIG_POWER7)},
        {"rv64iv", IS_EMPTY(BLIS_CONFIG_RV64IV)},
        {"rv64i", IS_EMPTY(BLIS_CONFIG_RV64I)},
        {"sifive_x280", IS_EMPTY(BLIS_CONFIG_SIFIVE_X280)},
        {"generic", IS_EMPTY(BLIS_CONFIG_GENERIC)},
    };
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        if (strcmp(configs[i].name, config) == 0) return configs[i].built;
    return false;
}

/* Whether BLIS accepts this value of BLIS_ARCH_TYPE. Before 2.0 it knows only numbers, and reads every name
 * as 0. */
static bool user_choice_works(const char *value)
{
    if (isdigit((unsigned char)value[0])) {
        char      *end;
        const long id = strtol(value, &end, 10);
        return *end == 0 && id < (long)BLIS_NUM_ARCHS && is_built(bli_arch_string((arch_t)id));
    }
#ifdef BLIS_VERSION_MAJOR
    return is_built(value);
#else
    return false;
#endif
}

/* ---- the best kernels for the processor ---- */

/* Finds the sub-configuration that processor.c prefers to the choice of BLIS. */
static bool find_better(fgti_family wanted, arch_t *want)
{
    if (wanted == FGTI_FAMILY_AVX512 && is_built("skx"))
        *want = BLIS_ARCH_SKX;
    else if (wanted != FGTI_FAMILY_BLIS && is_built("haswell"))
        *want = BLIS_ARCH_HASWELL;
    else
        return false;
    return true;
}

/* Whether the sub-configuration `want` is known to be better than the automatic choice. */
static bool beats(arch_t want, arch_t automatic)
{
    return automatic == BLIS_ARCH_GENERIC ||
           (want == BLIS_ARCH_SKX && (automatic == BLIS_ARCH_HASWELL || automatic == BLIS_ARCH_ZEN3));
}

/* ---- the choice ---- */

/* Returns the context of a sub-configuration that is not the automatic one; NULL if this BLIS cannot provide
 * it. */
static cntx_t *look_up(arch_t id)
{
#ifdef BLIS_VERSION_MAJOR
    return (cntx_t *)bli_gks_lookup_id(id);
#elif defined(__ELF__)
    if (bli_gks_lookup_nat_cntx && bli_gks_lookup_id && bli_gks_lookup_id(id))
        return (cntx_t *)bli_gks_lookup_nat_cntx(id);
#endif
    return NULL;
}

static bool needs_environment(void)
{
#if defined(BLIS_VERSION_MAJOR) || defined(_WIN32)
    return false;
#elif defined(__ELF__)
    return !bli_gks_lookup_nat_cntx || !bli_gks_lookup_id;
#else
    return true;
#endif
}

/* Calls bli_init() with BLIS_ARCH_TYPE set for the time of the call. The variable must not be set before. */
static void init_with(arch_t id)
{
#ifdef _WIN32
    (void)id;
    bli_init();
#else
    char number[16];
    snprintf(number, sizeof number, "%d", (int)id);
    const bool set = setenv("BLIS_ARCH_TYPE", number, 1) == 0;
    bli_init();
    if (set) unsetenv("BLIS_ARCH_TYPE");
#endif
}

/* Initialises BLIS. Returns the sub-configuration and its context. */
static arch_t dispatch_choose(fgti_family wanted, bool keep_environment, cntx_t **cntx)
{
    arch_t     want   = BLIS_ARCH_GENERIC;
    const bool better = find_better(wanted, &want);
    if (better && needs_environment() && !keep_environment)
        init_with(want);
    else
        bli_init();
    const arch_t automatic = bli_arch_query_id();
    *cntx                  = (cntx_t *)bli_gks_query_cntx();
    cntx_t *other          = better && beats(want, automatic) ? look_up(want) : NULL;
    if (!other) return automatic;
    *cntx = other;
    return want;
}

/* Uses the microkernel of the context, unless the order of its panels differs from ours or the kernel is
 * wider than FGTI_TILE_MAX (2048-bit SVE). */
static bool adopt_kernel(cntx_t *cntx, const char *config)
{
    const int64_t mr   = bli_cntx_get_blksz_def_dt(BLIS_FLOAT, BLIS_MR, cntx);
    const int64_t nr   = bli_cntx_get_blksz_def_dt(BLIS_FLOAT, BLIS_NR, cntx);
    const bool    rows = query_prefers_rows(BLIS_FLOAT, BLIS_GEMM_UKR, cntx);
    if (mr > FGTI_TILE_MAX || nr > FGTI_TILE_MAX) return false;
    /* the panels may be wider than the tile, and power9 packs every element of B four times */
    if (mr != bli_cntx_get_blksz_max_dt(BLIS_FLOAT, BLIS_MR, cntx) ||
        nr != bli_cntx_get_blksz_max_dt(BLIS_FLOAT, BLIS_NR, cntx) || strcmp(config, "power9") == 0)
        return false;
    state.ukr          = (gemm_ukr)query_ukr(BLIS_FLOAT, BLIS_GEMM_UKR, cntx);
    state.cntx         = cntx;
    state.kernel.u     = (int32_t)(rows ? mr : nr);
    state.kernel.v     = (int32_t)(rows ? nr : mr);
    state.kernel.strip = rows ? strip_rows : strip_columns;
    /* a row that is computed for itself has the bits of a tile if both fuse multiplication and addition;
     * generic kernels do not fuse them */
    const bool row   = (state.kernel.v == 16 || state.kernel.v == 32) && strcmp(config, "generic") != 0;
    state.kernel.vec = row ? fgti_vec_get(NULL) : NULL;
    snprintf(state.kernel_text, sizeof state.kernel_text, "%dx%d %s", (int)mr, (int)nr,
             rows ? "row" : "column");
    return state.ukr != NULL;
}

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void
set_slow(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(state.reason, sizeof state.reason, format, args);
    va_end(args);
    state.blas.slow        = true;
    state.blas.slow_reason = state.reason;
}

/* Uses our own kernel for panels. Its tiles are two registers wide, and have the number of rows that suits
 * the processor. */
static void adopt_own(const fgti_processor *p)
{
    const fgti_vec *vec = fgti_vec_get(NULL);
    state.without_own   = state.blas;
    if (!p->own_rows || strcmp(vec->name, p->own_vector) != 0) return;
    state.own             = (fgti_kernel){.u = p->own_rows, .v = p->own_columns, .vec = vec};
    state.blas.own        = &state.own;
    state.blas.own_width  = p->own_width;
    state.blas.own_weight = p->own_weight;
    if (p->short_time) state.blas.short_time = p->short_time;
    snprintf(state.own_text, sizeof state.own_text, "%s, %dx%d panels", state.blas.kernel, (int)p->own_rows,
             (int)p->own_columns);
    state.blas.kernel = state.own_text;
}

/* Uses the kernel for pairs of bf16. Its packed operands fit into the memory of the backend's operands. */
static void adopt_pairs(void)
{
    const fgti_kernel *kn    = fgti_bf16_kernel();
    const size_t       bytes = kn ? FGTI_GEMM_SCRATCH(kn->u, kn->v) : 0;
    state.kernel.pairs       = kn;
    state.blas.bf16          = kn != NULL;
    if (bytes > state.blas.scratch_bytes) state.blas.scratch_bytes = bytes;
}

static void set_up_blis(const fgti_processor *p, bool keep_environment)
{
    const char *user   = getenv("BLIS_ARCH_TYPE");
    const char *lib    = bli_info_get_version_str();
    const bool  native = same_version();
    state.blas         = fgti_blas_ref;
    if (user && !(native && user_choice_works(user))) {
        set_slow("BLIS_ARCH_TYPE is \"%s\", which BLIS %s %s: plain C is used instead", user, lib,
                 native ? "does not have (before 2.0 it takes numbers only)" : "may not have");
        return;
    }
    state.blas.name        = "blis";
    state.blas.version     = lib;
    state.blas.kernel      = "none";
    state.blas.microkernel = NULL;
    if (!native) {
        bli_init();
        state.blas.config = bli_arch_string(bli_arch_query_id());
        state.blas.gemm   = gemm_foreign;
        set_slow("fighter was built for another BLIS than the %s it runs with: its kernels are not called "
                 "directly",
                 lib);
        return;
    }
    cntx_t      *cntx = NULL;
    const arch_t id   = dispatch_choose(user ? FGTI_FAMILY_BLIS : p->family, keep_environment, &cntx);

    state.rntm = (rntm_t)BLIS_RNTM_INITIALIZER;
    bli_rntm_set_num_threads(1, &state.rntm);
    state.blas.config = bli_arch_string(id);
    state.blas.gemm   = gemm_typed;
    if (adopt_kernel(cntx, state.blas.config)) {
        state.blas.kernel        = state.kernel_text;
        state.blas.gemm          = gemm_packed;
        state.blas.microkernel   = &state.kernel;
        state.blas.tile_rows     = state.kernel.u;
        state.blas.tile_cols     = state.kernel.v;
        state.blas.scratch_bytes = FGTI_GEMM_SCRATCH(state.kernel.u, state.kernel.v);
        state.blas.shared_bytes  = FGTI_GEMM_SHARED;
    }
    if (p->bf16 && state.blas.microkernel) adopt_pairs();
    if (id == BLIS_ARCH_GENERIC) set_slow("BLIS %s has only its generic kernels for this processor", lib);
}

static void set_up(bool keep_environment)
{
    const fgti_processor p = fgti_processor_get();
    set_up_blis(&p, keep_environment);
    adopt_own(&p);
}

/* Whether BLIS will get its memory: it ends the process if malloc() returns NULL while BLIS initialises
 * itself. BLIS asks for less than half of this size (0.9: 342 blocks of 82 kB in all, and up to 6 MB for the
 * first product if its microkernel cannot be used). So BLIS gets its memory if a block of this size can be
 * allocated. */
static bool has_memory(void)
{
    enum { BYTES = 16 << 20 };
    void *block = fgti_libc_alloc(NULL, BYTES, 64);
    fgti_libc_release(NULL, block, BYTES);
    return block;
}

/* The lock is a mutex and not pthread_once(), which cannot pass an argument. */
const fgti_blas *fgti_blas_get(bool keep_environment, bool own)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool            done;
    pthread_mutex_lock(&lock);
    const bool ready = done || has_memory();
    if (ready && !done) set_up(keep_environment);
    done = ready;
    pthread_mutex_unlock(&lock);
    if (!ready) return NULL;
    return own ? &state.blas : &state.without_own;
}
