/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/bf16.h"

#include "blas/pack.h"
#include "core/half.h"

/* Number of steps of k that are rounded at a time; an even number. With the widest panel these steps take 16
 * KiB, which stay in the first cache. */
#define PART 64

/* Number of rows of memory that are packed for all panels before the next rows. Meanwhile the next rows are
 * prefetched. */
#define ROWS 16

/* Packs kb steps of one panel from src on; the panel has `count` rows. */
static void pack_part(const fgti_kernel *kn, const fgti_vec *vec, int64_t width, int64_t count,
                      const fgti_side *s, const fgti_real *src, int64_t kb, fgti_real *dst)
{
    fgti_real  part[PART * FGTI_TILE_MAX];
    const bool in_place = s->si == 1 && count == width;
    if (kn->paired && in_place) {
        vec->pair(kb, width, src, s->sp, (uint32_t *)dst);
    } else if (kn->paired) {
        fgti_pack_panel(width, count, kb, src, s->si, s->sp, part);
        vec->pair(kb, width, part, width, (uint32_t *)dst);
    } else {
        fgti_pack_panel(width, count, kb, src, s->si, s->sp, dst);
        vec->round(kb * width, dst, dst);
    }
}

/* Packs an operand whose rows in memory are steps of k. */
static void bf16_pack_rows(const fgti_kernel *kn, const fgti_vec *vec, int64_t width, const fgti_side *s,
                           int64_t n, const fgti_real *src, int64_t kb, fgti_real *dst)
{
    const int64_t steps = fgti_steps(kn, kb);
    for (int64_t p = 0; p < kb; p += ROWS) {
        const int64_t part = fgti_least(ROWS, kb - p), next = p + 2 * ROWS;
        for (int64_t r = next; r < fgti_least(next + ROWS, kb); r++) fgti_fetch(n, src + r * s->sp);
        for (int64_t i = 0; i < n; i += width)
            pack_part(kn, vec, width, fgti_least(width, n - i), s, src + p * s->sp + i, part,
                      dst + i * steps + fgti_steps(kn, p) * width);
    }
}

/* Packs an operand whose rows in memory are rows of panels. */
static void pack_columns(const fgti_kernel *kn, const fgti_vec *vec, int64_t width, const fgti_side *s,
                         int64_t n, const fgti_real *src, int64_t kb, fgti_real *dst)
{
    const int64_t steps = fgti_steps(kn, kb);
    for (int64_t i = 0; i < n; i += width) {
        for (int64_t r = i + width; r < fgti_least(i + 2 * width, n); r++) fgti_fetch(kb, src + r * s->si);
        for (int64_t p = 0; p < kb; p += PART)
            pack_part(kn, vec, width, fgti_least(width, n - i), s, src + i * s->si + p * s->sp,
                      fgti_least(PART, kb - p), dst + i * steps + fgti_steps(kn, p) * width);
    }
}

void fgti_pack_block_bf16(const fgti_kernel *kn, const fgti_vec *vec, int64_t width, const fgti_side *s,
                          int64_t i0, int64_t n, int64_t p0, int64_t kb, fgti_real *dst)
{
    const fgti_real *src = s->data + i0 * s->si + p0 * s->sp;
    (s->si == 1 ? bf16_pack_rows : pack_columns)(kn, vec, width, s, n, src, kb, dst);
}

/* ---- a matrix that is packed once ---- */

static const fgti_kernel *kernel_of(const fgti_blas *blas)
{
    const fgti_kernel *kn = blas->microkernel;
    return kn && kn->pairs ? kn->pairs : kn;
}

int64_t fgti_gemm_pack_size_bf16(const fgti_blas *blas, int64_t k, int64_t n)
{
    const fgti_kernel *kn = kernel_of(blas);
    if (!kn || !kn->paired) return fgti_halves(fgti_gemm_pack_size(blas, k, n));
    return fgti_mul(fgti_round_up(n, kn->v), (k + 1) / 2) + FGTI_TILE_MAX;
}

void fgti_gemm_pack_bf16(const fgti_blas *blas, void *scratch, int64_t k, int64_t n, const fgti_real *b,
                         int64_t rsb, int64_t csb, uint16_t *packed)
{
    const fgti_kernel *kn    = kernel_of(blas);
    const fgti_vec    *vec   = fgti_vec_get(NULL);
    const fgti_side    vs    = {b, n, csb, rsb};
    const int64_t      kc    = fgti_block_k(k);
    fgti_real         *panel = scratch;
    for (int64_t p0 = 0; p0 < k; p0 += kc) {
        const int64_t kb = fgti_least(kc, k - p0), size = kn->v * fgti_steps(kn, kb);
        for (int64_t j = 0; j < n; j += kn->v, packed += kn->paired ? 2 * size : size) {
            fgti_real *dst = kn->paired ? (fgti_real *)packed : panel;
            fgti_pack_block_bf16(kn, vec, kn->v, &vs, j, fgti_least(kn->v, n - j), p0, kb, dst);
            for (int64_t i = 0; !kn->paired && i < size; i++) packed[i] = fgti_half_of(panel[i]);
        }
    }
}
