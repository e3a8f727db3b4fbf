/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolution by Fourier transforms of length n >= 2 time - 1, a power of two. Two channels make one complex
 * sequence z = u1 + i u2, because neighbours are stored like this anyway. Let Z be the transform of z, Z*_f =
 * conj(Z_{n-f}), and K1, K2 the transforms of the two kernels. The transform of y1 + i y2 is
 *   Y_f = P_f Z_f + Q_f Z*_f, P = (K1 + K2)/2, Q = (K1 - K2)/2.
 * Let W be the transform of dy1 + i dy2. The transforms of du and dK are
 *   conj(P) W + conj(Q) W*, [conj(Z + Z*)(W + W*) + i conj(Z - Z*)(W - W*)]/4.
 * The kernel of a second direction is at the end of the sequence of K. A convolution by transforms is
 * circular, so these places are before step 0. */
#include "nn/ssm/ssm_fft.h"

#include <string.h>

#include "core/fft.h"
#include "nn/ssm/ssm.h"

int64_t fgti_ssm_fft_size(int64_t time)
{
    return fgti_fft_size(fgti_mul(2, time) - 1);
}

/* One pair of channels, and its arrays [n] in the worker's arena. */
typedef struct pair {
    const fgti_ssm_conv *c;
    int64_t              n, channel; /* channel: number of the first channel in the block */
    bool                 both;       /* the second channel exists */
    fgti_complex        *p, *q, *z, *w, *sum, *raw;
} pair;

static int64_t ssm_fft_layout(int64_t n, fgti_real *base, pair *a)
{
    fgti_complex **parts[] = {&a->p, &a->q, &a->z, &a->w, &a->sum, &a->raw};
    int64_t        at      = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = (fgti_complex *)fgti_take(base, &at, fgti_mul(2, n));
    return at;
}

int64_t fgti_ssm_fft_arena(int64_t time)
{
    pair any;
    return ssm_fft_layout(fgti_ssm_fft_size(time), NULL, &any);
}

static pair pair_of(const fgti_ssm_conv *c, int64_t channel)
{
    pair a = {.c = c, .n = fgti_ssm_fft_size(c->p->time), .channel = channel};
    a.both = channel + 1 < fgti_ssm_count(&c->p->m, c->block);
    ssm_fft_layout(a.n, c->arena, &a);
    return a;
}

/* Computes P and Q, and divides them by n, because the inverse transform does not divide by n. */
static void kernel_spectra(const pair *a)
{
    const fgti_ssm_conv *c    = a->c;
    const int64_t        time = c->p->time;
    memset(a->raw, 0, (size_t)a->n * sizeof *a->raw);
    for (int64_t t = 0; t < time; t++) {
        const fgti_real *k = c->kernel[0] + t * FGTI_SCAN + a->channel;
        a->raw[t]          = (fgti_complex){k[0], k[1]};
    }
    for (int64_t t = 0; t + 1 < time && c->p->m.directions == 2; t++) {
        const fgti_real *k   = c->kernel[1] + t * FGTI_SCAN + a->channel;
        a->raw[a->n - 1 - t] = (fgti_complex){k[0], k[1]};
    }
    fgti_fft_forward(c->p->fft, a->n, a->raw, a->z);
    const fgti_real part = (fgti_real)0.5 / (fgti_real)a->n;
    for (int64_t f = 0; f < a->n; f++) {
        /* K1 = (Z + Z*)/2, i K2 = (Z - Z*)/2 */
        const fgti_complex z = a->z[f], m = fgti_fft_mirrored(a->n, a->z, f);
        const fgti_complex k1 = {(z.re + m.re) / 2, (z.im + m.im) / 2};
        const fgti_complex k2 = {(z.im - m.im) / 2, (m.re - z.re) / 2};
        a->p[f]               = (fgti_complex){part * (k1.re + k2.re), part * (k1.im + k2.im)};
        a->q[f]               = (fgti_complex){part * (k1.re - k2.re), part * (k1.im - k2.im)};
    }
}

/* Transforms both channels of rows [time][width], padded with zeros. */
static void ssm_fft_transform(const pair *a, const fgti_real *rows, fgti_complex *out)
{
    const int64_t time = a->c->p->time, width = a->c->p->m.width;
    for (int64_t t = 0; t < time; t++)
        a->raw[t] = (fgti_complex){rows[t * width], a->both ? rows[t * width + 1] : 0};
    memset(a->raw + time, 0, (size_t)(a->n - time) * sizeof *a->raw);
    fgti_fft_forward(a->c->p->fft, a->n, a->raw, out);
}

static void transform_back(const pair *a, const fgti_complex *in, fgti_real *rows)
{
    const int64_t time = a->c->p->time, width = a->c->p->m.width;
    fgti_fft_inverse(a->c->p->fft, a->n, in, a->raw);
    for (int64_t t = 0; t < time; t++) {
        rows[t * width] = a->raw[t].re;
        if (a->both) rows[t * width + 1] = a->raw[t].im;
    }
}

/* Returns the offset of the pair in sample b of a tensor [samples][time][width]. */
static int64_t offset_of(const pair *a, int64_t b)
{
    return b * a->c->p->time * a->c->p->m.width + a->c->block * FGTI_SCAN + a->channel;
}

/* Y = P Z + Q Z* */
void fgti_ssm_fft(const fgti_ssm_conv *c)
{
    for (int64_t channel = 0; channel < fgti_ssm_count(&c->p->m, c->block); channel += 2) {
        const pair a = pair_of(c, channel);
        kernel_spectra(&a);
        for (int64_t b = c->first; b < c->last; b++) {
            ssm_fft_transform(&a, c->p->x + offset_of(&a, b), a.z);
            for (int64_t f = 0; f < a.n; f++)
                a.w[f] = fgti_complex_add(fgti_complex_mul(a.p[f], a.z[f]),
                                          fgti_complex_mul(a.q[f], fgti_fft_mirrored(a.n, a.z, f)));
            transform_back(&a, a.w, c->p->y + offset_of(&a, b));
        }
    }
}

/* Adds [conj(Z + Z*)(W + W*) + i conj(Z - Z*)(W - W*)]/4 to sum. Over all samples, the sum is the spectrum of
 * dK1 + i dK2. */
static void add_kernel_grad(const pair *a)
{
    const fgti_real quarter = (fgti_real)0.25 / (fgti_real)a->n;
    for (int64_t f = 0; f < a->n; f++) {
        const fgti_complex z = a->z[f], zm = fgti_fft_mirrored(a->n, a->z, f);
        const fgti_complex w = a->w[f], wm = fgti_fft_mirrored(a->n, a->w, f);
        const fgti_complex g1 = fgti_complex_mul_conj(fgti_complex_add(z, zm), fgti_complex_add(w, wm));
        const fgti_complex g2 = fgti_complex_mul_conj(fgti_complex_sub(z, zm), fgti_complex_sub(w, wm));
        a->sum[f].re += quarter * (g1.re - g2.im);
        a->sum[f].im += quarter * (g1.im + g2.re);
    }
}

static void store_kernel_grad(const pair *a)
{
    const fgti_ssm_conv *c = a->c;
    fgti_fft_inverse(c->p->fft, a->n, a->sum, a->raw);
    for (int64_t t = 0; t < c->p->time; t++)
        for (int64_t direction = 0; direction < c->p->m.directions; direction++) {
            /* step time - 1 of the backward kernel reaches before the start of every sample */
            const bool         beyond = direction && t + 1 == c->p->time;
            const fgti_complex v      = a->raw[direction ? a->n - 1 - t : t];
            fgti_real         *k      = c->dkernel[direction] + t * FGTI_SCAN + a->channel;
            k[0]                      = beyond ? 0 : v.re;
            k[1]                      = beyond || !a->both ? 0 : v.im;
        }
}

/* dU = conj(P) W + conj(Q) W*, and the gradients of the kernels */
void fgti_ssm_fft_grad(const fgti_ssm_conv *c)
{
    for (int64_t d = 0; d < c->p->m.directions; d++)
        memset(c->dkernel[d], 0, (size_t)(c->p->time * FGTI_SCAN) * sizeof *c->dkernel[d]);
    for (int64_t channel = 0; channel < fgti_ssm_count(&c->p->m, c->block); channel += 2) {
        const pair a = pair_of(c, channel);
        kernel_spectra(&a);
        memset(a.sum, 0, (size_t)a.n * sizeof *a.sum);
        for (int64_t b = c->first; b < c->last; b++) {
            ssm_fft_transform(&a, c->p->x + offset_of(&a, b), a.z);
            ssm_fft_transform(&a, c->p->dy + offset_of(&a, b), a.w);
            add_kernel_grad(&a);
            if (!c->p->dx) continue;
            for (int64_t f = 0; f < a.n; f++)
                a.z[f] = fgti_complex_add(fgti_complex_mul_conj(a.p[f], a.w[f]),
                                          fgti_complex_mul_conj(a.q[f], fgti_fft_mirrored(a.n, a.w, f)));
            transform_back(&a, a.z, c->p->dx + offset_of(&a, b));
        }
        store_kernel_grad(&a);
    }
}
