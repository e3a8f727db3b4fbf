/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dft.h"

#include <math.h>
#include <string.h>

enum { LANES = FGTI_DFT_LANES };

#define PI 3.14159265358979323846

void fgti_dft_plan(int64_t n, fgti_complex *turn)
{
    for (int64_t k = 0; k < n; k++) {
        const double angle = -2 * PI * (double)k / (double)n;
        turn[k]            = (fgti_complex){(fgti_real)cos(angle), (fgti_real)sin(angle)};
    }
}

typedef struct plan {
    int64_t             n; /* length of the whole transform */
    const fgti_complex *turn;
    fgti_planes         spare;
} plan;

static fgti_planes rows_from(fgti_planes p, int64_t row)
{
    return (fgti_planes){p.re + row * LANES, p.im + row * LANES};
}

static void dft_copy_row(fgti_planes to, fgti_planes from)
{
    memcpy(to.re, from.re, LANES * sizeof *to.re);
    memcpy(to.im, from.im, LANES * sizeof *to.im);
}

static int64_t least_factor(int64_t n)
{
    for (int64_t r = 2; r * r <= n; r++)
        if (n % r == 0) return r;
    return n;
}

/* out += w x */
static void add_turned(fgti_planes out, fgti_complex w, fgti_planes x)
{
    for (int i = 0; i < LANES; i++) {
        out.re[i] += w.re * x.re[i] - w.im * x.im[i];
        out.im[i] += w.re * x.im[i] + w.im * x.re[i];
    }
}

/* Combines r transforms X^0 .. X^(r-1) of m elements into one transform X of n = r m elements. The function
 * reads row j of each X^k, and computes rows j, j + m, .. of X:
 *     X_{j + q m} = sum_{k < r} exp(-2 pi i (j + q m) k/n) X^k_j, q = 0 .. r-1 */
static void dft_combine(const plan *p, int64_t r, int64_t m, int64_t j, fgti_planes out)
{
    const int64_t apart = p->n / (r * m); /* turn[apart] is exp(-2 pi i/(r m)) */
    for (int64_t k = 0; k < r; k++) dft_copy_row(rows_from(p->spare, k), rows_from(out, k * m + j));
    for (int64_t q = 0; q < r; q++) {
        const fgti_planes row  = rows_from(out, q * m + j);
        const int64_t     step = (j + q * m) * apart;
        dft_copy_row(row, p->spare);
        for (int64_t k = 1, at = step; k < r; k++) {
            add_turned(row, p->turn[at], rows_from(p->spare, k));
            at += step;
            if (at >= p->n) at -= p->n;
        }
    }
}

/* Transforms the n elements in rows 0, apart, 2 apart, .. of `in` (Cooley and Tukey 1965). */
static void dft_transform(const plan *p, int64_t n, int64_t apart, fgti_planes in, fgti_planes out)
{
    if (n == 1) {
        dft_copy_row(out, in);
        return;
    }
    const int64_t r = least_factor(n), m = n / r;
    for (int64_t k = 0; k < r; k++)
        dft_transform(p, m, apart * r, rows_from(in, k * apart), rows_from(out, k * m));
    for (int64_t j = 0; j < m; j++) dft_combine(p, r, m, j, out);
}

void fgti_dft_run(int64_t n, const fgti_complex *turn, fgti_planes in, fgti_planes out, fgti_planes spare)
{
    const plan p = {n, turn, spare};
    dft_transform(&p, n, 1, in, out);
}
