/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolution by Fourier transforms of length n >= 2 time - 1, a power of two. Two channels go as one
 * complex sequence z = u1 + i u2, which is how neighbours lie in memory anyway. With Z its transform,
 * Z*_f = conj(Z_{n-f}), and K1, K2 those of the two kernels, that of y1 + i y2 is
 *   Y_f = P_f Z_f + Q_f Z*_f,   P = (K1 + K2)/2,  Q = (K1 - K2)/2
 * and with W the transform of dy1 + i dy2, those of du and dK are
 *   conj(P) W + conj(Q) W*,   [conj(Z + Z*)(W + W*) + i conj(Z - Z*)(W - W*)]/4
 * A second direction's kernel lies at the end, which is before 0 in a circle. kissfft allocates nothing
 * while it runs out of place with factors of 2, and its plans are constant, so that workers share them. */
#include "nn/ssm/ssm.h"

#include <string.h>

#if defined(FGTI_HAVE_KISSFFT) && !defined(FGTI_DOUBLE)
#include <kiss_fft.h>

typedef kiss_fft_cpx cplx;

/* n = 2^0 .. 2^26: kissfft counts in int, and float has lost its digits before that. */
enum { LOGS = 27 };

/* The plans, one behind the other, forward and inverse of each size. */
typedef struct plans {
    int64_t offset[LOGS][2]; /* bytes */
} plans;

static int log_of(int64_t time)
{
    int i = 1;
    while (((int64_t)1 << i) < 2 * time - 1) i++;
    return i;
}

static int64_t aligned(size_t bytes)
{
    return ((int64_t)bytes + FGTI_ALIGN - 1) / FGTI_ALIGN * FGTI_ALIGN;
}

static int64_t plan_bytes(int i)
{
    size_t bytes = 0;
    kiss_fft_alloc(1 << i, 0, NULL, &bytes);
    return aligned(bytes);
}

int64_t fgti_ssm_fft_bytes(int64_t time)
{
    int64_t bytes = aligned(sizeof(plans));
    if (time > (int64_t)1 << (LOGS - 2)) return 0;
    for (int i = 1; i <= log_of(time); i++) bytes += 2 * plan_bytes(i);
    return bytes;
}

void fgti_ssm_fft_plan(int64_t time, void *memory)
{
    plans  *p  = memory;
    int64_t at = aligned(sizeof *p);
    for (int i = 1; i <= log_of(time); i++)
        for (int inverse = 0; inverse < 2; inverse++) {
            size_t bytes          = (size_t)plan_bytes(i);
            p->offset[i][inverse] = at;
            kiss_fft_alloc(1 << i, inverse, (char *)memory + at, &bytes);
            at += plan_bytes(i);
        }
}

/* One pair of channels: sizes, and places in the worker, [n] each. */
typedef struct pair {
    const fgti_ssm_conv *c;
    kiss_fft_cfg         forward, inverse;
    int64_t              n, channel; /* in the block */
    bool                 both;       /* the second one exists */
    cplx                *p, *q, *z, *w, *sum, *raw;
} pair;

int64_t fgti_ssm_fft_arena(int64_t time)
{
    return fgti_mul(6 * 2, (int64_t)1 << log_of(time));
}

static pair pair_of(const fgti_ssm_conv *c, int64_t channel)
{
    const plans *all    = c->p->fft;
    const char  *start  = c->p->fft;
    const int    i      = log_of(c->p->time);
    cplx        *memory = (cplx *)c->arena;
    pair         a      = {.c = c, .n = (int64_t)1 << i, .channel = channel};
    a.both              = channel + 1 < fgti_ssm_count(&c->p->m, c->block);
    a.forward           = (kiss_fft_cfg)(uintptr_t)(start + all->offset[i][0]);
    a.inverse           = (kiss_fft_cfg)(uintptr_t)(start + all->offset[i][1]);
    a.p                 = memory;
    a.q                 = a.p + a.n;
    a.z                 = a.q + a.n;
    a.w                 = a.z + a.n;
    a.sum               = a.w + a.n;
    a.raw               = a.sum + a.n;
    return a;
}

/* conj of the value at the mirrored place; n is a power of two */
static cplx mirrored(const pair *a, const cplx *v, int64_t f)
{
    const cplx m = v[(a->n - f) & (a->n - 1)];
    return (cplx){m.r, -m.i};
}

static cplx times(cplx a, cplx b)
{
    return (cplx){a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
}

static cplx back(cplx a, cplx b)
{
    return (cplx){a.r * b.r + a.i * b.i, a.r * b.i - a.i * b.r};
}

/* P and Q, with the 1/n that the inverse transform leaves out. */
static void kernel_spectra(const pair *a)
{
    const fgti_ssm_conv *c    = a->c;
    const int64_t        time = c->p->time;
    memset(a->raw, 0, (size_t)a->n * sizeof *a->raw);
    for (int64_t t = 0; t < time; t++) {
        const float *k = c->kernel[0] + t * FGTI_SCAN + a->channel;
        a->raw[t]      = (cplx){k[0], k[1]};
    }
    for (int64_t t = 0; t + 1 < time && c->p->m.directions == 2; t++) {
        const float *k       = c->kernel[1] + t * FGTI_SCAN + a->channel;
        a->raw[a->n - 1 - t] = (cplx){k[0], k[1]};
    }
    kiss_fft(a->forward, a->raw, a->z);
    const float part = 0.5f / (float)a->n;
    for (int64_t f = 0; f < a->n; f++) {
        /* K1 = (Z + Z*)/2, i K2 = (Z - Z*)/2 */
        const cplx z = a->z[f], m = mirrored(a, a->z, f);
        const cplx k1 = {(z.r + m.r) / 2, (z.i + m.i) / 2}, k2 = {(z.i - m.i) / 2, (m.r - z.r) / 2};
        a->p[f] = (cplx){part * (k1.r + k2.r), part * (k1.i + k2.i)};
        a->q[f] = (cplx){part * (k1.r - k2.r), part * (k1.i - k2.i)};
    }
}

static void transform(const pair *a, const float *rows, cplx *out)
{
    const int64_t time = a->c->p->time, width = a->c->p->m.width;
    for (int64_t t = 0; t < time; t++) a->raw[t] = (cplx){rows[t * width], a->both ? rows[t * width + 1] : 0};
    memset(a->raw + time, 0, (size_t)(a->n - time) * sizeof *a->raw);
    kiss_fft(a->forward, a->raw, out);
}

static void transform_back(const pair *a, const cplx *in, float *rows)
{
    const int64_t time = a->c->p->time, width = a->c->p->m.width;
    kiss_fft(a->inverse, in, a->raw);
    for (int64_t t = 0; t < time; t++) {
        rows[t * width] = a->raw[t].r;
        if (a->both) rows[t * width + 1] = a->raw[t].i;
    }
}

/* Elements of the pair in sample b of a [samples][time][width] tensor. */
static int64_t offset_of(const pair *a, int64_t b)
{
    return b * a->c->p->time * a->c->p->m.width + a->c->block * FGTI_SCAN + a->channel;
}

void fgti_ssm_fft(const fgti_ssm_conv *c)
{
    for (int64_t channel = 0; channel < fgti_ssm_count(&c->p->m, c->block); channel += 2) {
        const pair a = pair_of(c, channel);
        kernel_spectra(&a);
        for (int64_t b = c->first; b < c->last; b++) {
            transform(&a, c->p->x + offset_of(&a, b), a.z);
            for (int64_t f = 0; f < a.n; f++) {
                const cplx y = times(a.p[f], a.z[f]), m = times(a.q[f], mirrored(&a, a.z, f));
                a.w[f] = (cplx){y.r + m.r, y.i + m.i};
            }
            transform_back(&a, a.w, c->p->y + offset_of(&a, b));
        }
    }
}

/* The sum over samples of the spectrum of dK1 + i dK2. */
static void add_kernel_grad(const pair *a)
{
    const float quarter = 0.25f / (float)a->n;
    for (int64_t f = 0; f < a->n; f++) {
        const cplx z = a->z[f], zm = mirrored(a, a->z, f), w = a->w[f], wm = mirrored(a, a->w, f);
        const cplx g1 = back((cplx){z.r + zm.r, z.i + zm.i}, (cplx){w.r + wm.r, w.i + wm.i});
        const cplx g2 = back((cplx){z.r - zm.r, z.i - zm.i}, (cplx){w.r - wm.r, w.i - wm.i});
        a->sum[f].r += quarter * (g1.r - g2.i);
        a->sum[f].i += quarter * (g1.i + g2.r);
    }
}

static void store_kernel_grad(const pair *a)
{
    const fgti_ssm_conv *c = a->c;
    kiss_fft(a->inverse, a->sum, a->raw);
    for (int64_t t = 0; t < c->p->time; t++)
        for (int64_t direction = 0; direction < c->p->m.directions; direction++) {
            /* step time - 1 backwards is beyond every sample */
            const bool beyond = direction && t + 1 == c->p->time;
            const cplx v      = a->raw[direction ? a->n - 1 - t : t];
            float     *k      = c->dkernel[direction] + t * FGTI_SCAN + a->channel;
            k[0]              = beyond ? 0 : v.r;
            k[1]              = beyond || !a->both ? 0 : v.i;
        }
}

void fgti_ssm_fft_grad(const fgti_ssm_conv *c)
{
    for (int64_t d = 0; d < c->p->m.directions; d++)
        memset(c->dkernel[d], 0, (size_t)(c->p->time * FGTI_SCAN) * sizeof *c->dkernel[d]);
    for (int64_t channel = 0; channel < fgti_ssm_count(&c->p->m, c->block); channel += 2) {
        const pair a = pair_of(c, channel);
        kernel_spectra(&a);
        memset(a.sum, 0, (size_t)a.n * sizeof *a.sum);
        for (int64_t b = c->first; b < c->last; b++) {
            transform(&a, c->p->x + offset_of(&a, b), a.z);
            transform(&a, c->p->dy + offset_of(&a, b), a.w);
            add_kernel_grad(&a);
            if (!c->p->dx) continue;
            for (int64_t f = 0; f < a.n; f++) {
                const cplx x = back(a.p[f], a.w[f]), m = back(a.q[f], mirrored(&a, a.w, f));
                a.z[f] = (cplx){x.r + m.r, x.i + m.i};
            }
            transform_back(&a, a.z, c->p->dx + offset_of(&a, b));
        }
        store_kernel_grad(&a);
    }
}

#else

int64_t fgti_ssm_fft_bytes(int64_t time)
{
    (void)time;
    return 0;
}

void fgti_ssm_fft_plan(int64_t time, void *plans)
{
    (void)time;
    (void)plans;
}

int64_t fgti_ssm_fft_arena(int64_t time)
{
    (void)time;
    return 0;
}

void fgti_ssm_fft(const fgti_ssm_conv *c)
{
    (void)c;
}

void fgti_ssm_fft_grad(const fgti_ssm_conv *c)
{
    (void)c;
}

#endif
