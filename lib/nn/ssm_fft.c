/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolution by Fourier transforms of length n >= 2 time - 1, a power of two. The channels of a block are
 * side by side in every transform, and two samples go as one complex sequence z = u + i u': the kernel is
 * real and theirs both, so that with K its transform and Z that of z
 *   y + i y' = F^{-1}(K Z),   du + i du' = F^{-1}(conj(K) W),   dK = Re F^{-1}(conj(Z) W)
 * with W the transform of dy + i dy'. The last sum runs over all pairs before it goes back. A second
 * direction's kernel lies at the end, which is before 0 in a circle. */
#include "nn/ssm.h"

#include <math.h>
#include <string.h>

/* n = 2 .. 2^26: float has lost its digits before that. */
enum { MOST_LOG = 26 };

/* Numbers of one place: real and imaginary parts of all lanes. */
#define PLACE (2 * FGTI_SCAN)

static int64_t length_of(int64_t time)
{
    int64_t n = 2;
    while (n < 2 * time - 1) n *= 2;
    return n;
}

/* The factors of a length after the longest would begin behind theirs. */
int64_t fgti_ssm_fft_bytes(int64_t time)
{
    if (time > (int64_t)1 << (MOST_LOG - 1)) return 0;
    const int64_t n = length_of(time) > 4 ? length_of(time) : 4;
    return fgti_fourier_at(2 * n) * (int64_t)sizeof(fgti_real);
}

void fgti_ssm_fft_plan(int64_t time, void *factors)
{
    fgti_real *w = factors;
    for (int64_t m = 4; m <= length_of(time); m *= 2)
        for (int64_t k = 0; k < m / 4; k++)
            for (int power = 1; power <= 3; power++) {
                const double angle = -2 * 3.14159265358979323846 * (double)(power * k) / (double)m;
                *w++               = (fgti_real)cos(angle);
                *w++               = (fgti_real)sin(angle);
            }
}

/* Sizes, and places in the lane, [n][2][FGTI_SCAN] each. */
typedef struct parts {
    const fgti_ssm_conv *c;
    const fgti_fouriers *f;
    const fgti_real     *w;
    int64_t              n, time, count; /* channels that there are */
    size_t               row;            /* bytes of them */
    fgti_real           *k, *z, *dy, *dk;
} parts;

int64_t fgti_ssm_fft_lane(int64_t time)
{
    return fgti_mul(4 * PLACE, length_of(time));
}

static parts parts_of(const fgti_ssm_conv *c)
{
    parts a = {.c = c, .f = c->p->run->vec->scans->fourier, .w = c->p->fft, .n = length_of(c->p->time)};
    a.time  = c->p->time;
    a.count = fgti_ssm_count(&c->p->m, c->block);
    a.row   = (size_t)a.count * sizeof(fgti_real);
    a.k     = c->lane;
    a.z     = a.k + a.n * PLACE;
    a.dy    = a.z + a.n * PLACE;
    a.dk    = a.dy + a.n * PLACE;
    return a;
}

/* K, with the 1/n that the way back leaves out. */
static void kernel_spectrum(const parts *a)
{
    const fgti_real part = 1 / (fgti_real)a->n;
    memset(a->k, 0, (size_t)(a->n * PLACE) * sizeof *a->k);
    for (int64_t t = 0; t < a->time; t++)
        for (int64_t i = 0; i < FGTI_SCAN; i++) {
            a->k[t * PLACE + i] = part * a->c->kernel[0][t * FGTI_SCAN + i];
            if (a->c->p->m.directions == 2 && t + 1 < a->time)
                a->k[(a->n - 1 - t) * PLACE + i] = part * a->c->kernel[1][t * FGTI_SCAN + i];
        }
    a->f->forward(a->n, a->w, a->k);
}

/* The first element of the block in sample b of a [samples][time][width] tensor. */
static int64_t offset_of(const parts *a, int64_t b)
{
    return b * a->time * a->c->p->m.width + a->c->block * FGTI_SCAN;
}

/* Two samples from b on, or the last one alone, in the frequencies. */
static void transform(const parts *a, int64_t b, const fgti_real *x, fgti_real *v)
{
    const int64_t    width = a->c->p->m.width;
    const fgti_real *one = x + offset_of(a, b), *two = b + 1 < a->c->last ? x + offset_of(a, b + 1) : NULL;
    memset(v, 0, (size_t)(a->n * PLACE) * sizeof *v);
    for (int64_t t = 0; t < a->time; t++) {
        memcpy(v + t * PLACE, one + t * width, a->row);
        if (two) memcpy(v + t * PLACE + FGTI_SCAN, two + t * width, a->row);
    }
    a->f->forward(a->n, a->w, v);
}

static void transform_back(const parts *a, int64_t b, fgti_real *v, fgti_real *y)
{
    const int64_t width = a->c->p->m.width;
    fgti_real    *one = y + offset_of(a, b), *two = b + 1 < a->c->last ? y + offset_of(a, b + 1) : NULL;
    a->f->back(a->n, a->w, v);
    for (int64_t t = 0; t < a->time; t++) {
        memcpy(one + t * width, v + t * PLACE, a->row);
        if (two) memcpy(two + t * width, v + t * PLACE + FGTI_SCAN, a->row);
    }
}

void fgti_ssm_fft(const fgti_ssm_conv *c)
{
    const parts a = parts_of(c);
    kernel_spectrum(&a);
    for (int64_t b = c->first; b < c->last; b += 2) {
        transform(&a, b, c->p->x, a.z);
        a.f->product(a.n, a.k, a.z);
        transform_back(&a, b, a.z, c->p->y);
    }
}

static void store_kernel_grad(const parts *a)
{
    const fgti_ssm_conv *c    = a->c;
    const fgti_real      part = 1 / (fgti_real)a->n;
    a->f->back(a->n, a->w, a->dk);
    for (int64_t t = 0; t < a->time; t++)
        for (int64_t i = 0; i < FGTI_SCAN; i++) {
            c->dkernel[0][t * FGTI_SCAN + i] = part * a->dk[t * PLACE + i];
            if (c->p->m.directions == 1) continue;
            /* step time - 1 backwards is beyond every sample */
            c->dkernel[1][t * FGTI_SCAN + i] =
                t + 1 < a->time ? part * a->dk[(a->n - 1 - t) * PLACE + i] : 0;
        }
}

void fgti_ssm_fft_grad(const fgti_ssm_conv *c)
{
    const parts a = parts_of(c);
    kernel_spectrum(&a);
    memset(a.dk, 0, (size_t)(a.n * PLACE) * sizeof *a.dk);
    for (int64_t b = c->first; b < c->last; b += 2) {
        transform(&a, b, c->p->x, a.z);
        transform(&a, b, c->p->dy, a.dy);
        a.f->product_grad(a.n, a.k, a.z, a.dy, a.dk);
        if (c->p->dx) transform_back(&a, b, a.dy, c->p->dx);
    }
    store_kernel_grad(&a);
}
