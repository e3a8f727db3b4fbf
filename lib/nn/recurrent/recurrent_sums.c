/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_sums.h"

#include <string.h>

/* Most chunks. More chunks do not speed up a small machine. */
#define CHUNKS 8

/* Number of rows that stay in the first cache while all products with them are computed. An arena holds h of
 * this many rows. */
#define HELD 128

/* The most inputs for which dW is summed as dW' [width,gates], with the gates as lanes. */
#define FEW 16

/* The sums of the gradients that one chunk contributes. */
typedef struct sums {
    fgti_real *dw, *du, *db; /* [gates,width], or with few inputs [width,gates]; [gates,H]; [slots] */
} sums;

static bool has_few_inputs(const fgti_recurrent_pass *p)
{
    return p->width % FGTI_REGISTER != 0;
}

static int64_t recurrent_sums_size_of(const fgti_recurrent_pass *p)
{
    const int64_t size = fgti_mul(p->gates, p->width + p->h) + p->slots;
    return fgti_round_up(size, FGTI_REGISTER);
}

static sums sums_of(const fgti_recurrent_pass *p, int64_t d, int64_t chunk)
{
    fgti_real *base = p->h_in[d] + chunk * recurrent_sums_size_of(p);
    return (sums){base, base + p->gates * p->width, base + p->gates * (p->width + p->h)};
}

int64_t fgti_recurrent_chunks(const fgti_recurrent_pass *p, int64_t blocks)
{
    const fgti_blas *blas  = p->run->blas;
    const int64_t    apart = p->slots - p->gates;
    const bool       few   = has_few_inputs(p) && p->width <= FEW;
    if (!fgti_gemm_is_small(blas, p->h, p->gates - apart)) return 0;
    if (!few && !fgti_gemm_is_small(blas, p->width, p->gates)) return 0;
    const int64_t chunks = fgti_least(fgti_least(CHUNKS, blocks), p->rows * p->h / recurrent_sums_size_of(p));
    return chunks < fgti_least(blocks, 4) || blocks < 2 ? 0 : chunks;
}

bool fgti_recurrent_sums_dx(const fgti_recurrent_pass *p)
{
    return p->o.dirs == 1 && !has_few_inputs(p);
}

/* Copies h before each step, [rows,H]. `row` is the number of the first row. */
static void copy_states(const fgti_recurrent_pass *p, int64_t d, int64_t first, int64_t row, int64_t rows,
                        const fgti_real *start, fgti_real *to)
{
    const int64_t    ld  = p->o.dirs * p->h, back = d ? 1 : -1;
    const fgti_real *out = fgti_recurrent_out(p, p->layer) + d * p->h;
    for (int64_t r = row; r < row + rows; r++, to += p->h) {
        const bool       begins = r % p->time == (d ? p->time - 1 : 0);
        const fgti_real *from   = begins ? start + (r - first) / p->time * p->h : out + (r + back) * ld;
        memcpy(to, from, (size_t)p->h * sizeof *to);
    }
}

/* dW += da'x,  dU += da'h_in,  db += sum of da, for a few rows */
static void recurrent_sums_add_rows(const fgti_recurrent_pass *p, const sums *s, int64_t rows,
                                    const fgti_real *da, const fgti_real *x, const fgti_real *h)
{
    const fgti_vec        *vec    = p->run->vec;
    const fgti_vec_panels *panels = vec->panels;
    const int64_t          apart = p->slots - p->gates, common = p->gates - apart, ld = p->slots;
    if (has_few_inputs(p))
        panels->multiply(p->width, p->gates, rows, 1, x, 1, p->width, da, ld, 1, s->dw, p->gates);
    else
        panels->multiply(p->gates, p->width, rows, 1, da, 1, ld, x, p->width, 1, s->dw, p->width);
    panels->multiply(common, p->h, rows, 1, da, 1, ld, h, p->h, 1, s->du, p->h);
    if (apart)
        panels->multiply(apart, p->h, rows, 1, da + p->gates, 1, ld, h, p->h, 1, s->du + common * p->h, p->h);
    vec->colsum(rows, p->slots, ld, da, s->db);
}

void fgti_recurrent_sums_add(const fgti_recurrent_pass *p, int64_t d, int64_t chunk, bool fresh,
                             int64_t first, int64_t rows, const fgti_real *start, fgti_real *arena,
                             fgti_real *dx)
{
    const int64_t    width = p->width, ld = p->slots;
    const sums       s     = sums_of(p, d, chunk);
    const fgti_real *da = fgti_recurrent_a(p, d) + first * ld, *x = p->x + first * width;
    const fgti_real *w     = fgti_w(p->l, p->io, fgti_recurrent_param(&p->o, p->layer, d, FGTI_W_IH));
    fgti_red_zone_lift(arena, HELD * p->h * (int64_t)sizeof *arena);
    if (fresh) memset(s.dw, 0, (size_t)recurrent_sums_size_of(p) * sizeof *s.dw);
    for (int64_t r = 0; r < rows; r += HELD) {
        const int64_t n = fgti_least(HELD, rows - r);
        copy_states(p, d, first, first + r, n, start, arena);
        recurrent_sums_add_rows(p, &s, n, da + r * ld, x + r * width, arena);
        if (dx)
            p->run->vec->panels->multiply(n, width, p->gates, 1, da + r * ld, ld, 1, w, width, 0,
                                          dx + (first + r) * width, width);
    }
}

void fgti_recurrent_sums_end(const fgti_recurrent_pass *p, int64_t d, int64_t chunks, fgti_real *db)
{
    const fgti_vec *vec = p->run->vec;
    const sums      all = sums_of(p, d, 0);
    const int       w   = fgti_recurrent_param(&p->o, p->layer, d, FGTI_W_IH);
    fgti_real      *dw  = fgti_dw(p->l, p->io, w);
    for (int64_t c = 1; c < chunks; c++) vec->axpy(recurrent_sums_size_of(p), 1, sums_of(p, d, c).dw, all.dw);
    vec->axpy(p->gates * p->h, 1, all.du,
              fgti_dw(p->l, p->io, fgti_recurrent_param(&p->o, p->layer, d, FGTI_W_HH)));
    memcpy(db, all.db, (size_t)p->slots * sizeof *db);
    if (!has_few_inputs(p)) {
        vec->axpy(p->gates * p->width, 1, all.dw, dw);
        return;
    }
    for (int64_t i = 0; i < p->gates; i++)
        for (int64_t k = 0; k < p->width; k++) dw[i * p->width + k] += all.dw[k * p->gates + i];
}
