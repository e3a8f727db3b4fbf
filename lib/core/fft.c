/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/fft.h"

#include "core/size.h"

int64_t fgti_fft_size(int64_t length)
{
    int64_t n = 2;
    while (n < length && n < FGTI_HUGE) n *= 2;
    return n;
}

#if defined(FGTI_HAVE_KISSFFT) && !defined(FGTI_DOUBLE)
#include <kiss_fft.h>

/* n = 2^1 .. 2^26: kissfft counts in int, and the error of float is too large beyond. */
enum { LOGS = 27 };

/* The head of `plans`: where each plan begins, in bytes, for the forward and the inverse transform. Plans of
 * kissfft hold no pointers and are only read. kissfft's transforms allocate nothing if they are out of place
 * and n is a power of 2. */
typedef struct directory {
    int64_t offset[LOGS][2];
} directory;

static int log_of(int64_t n)
{
    int i = 0;
    while (((int64_t)1 << i) < n) i++;
    return i;
}

static int64_t aligned(size_t bytes)
{
    return fgti_round_up((int64_t)bytes, FGTI_ALIGN);
}

static int64_t one_plan_bytes(int i)
{
    size_t bytes = 0;
    kiss_fft_alloc(1 << i, 0, NULL, &bytes);
    return aligned(bytes);
}

int64_t fgti_fft_plan_bytes(int64_t n)
{
    int64_t bytes = aligned(sizeof(directory));
    if (n >= (int64_t)1 << LOGS) return 0;
    for (int i = 1; i <= log_of(n); i++) bytes += 2 * one_plan_bytes(i);
    return bytes;
}

void fgti_fft_plan(int64_t n, void *plans)
{
    directory *d  = plans;
    int64_t    at = aligned(sizeof *d);
    for (int i = 1; i <= log_of(n); i++)
        for (int inverse = 0; inverse < 2; inverse++) {
            size_t bytes          = (size_t)one_plan_bytes(i);
            d->offset[i][inverse] = at;
            kiss_fft_alloc(1 << i, inverse, (char *)plans + at, &bytes);
            at += one_plan_bytes(i);
        }
}

static void fft_run(const void *plans, int64_t n, int inverse, const fgti_complex *in, fgti_complex *out)
{
    const directory *d    = plans;
    const char      *plan = (const char *)plans + d->offset[log_of(n)][inverse];
    /* the parameters of kissfft's functions are not const */
    kiss_fft((kiss_fft_cfg)(uintptr_t)plan, (const kiss_fft_cpx *)in, (kiss_fft_cpx *)out);
}

void fgti_fft_forward(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out)
{
    fft_run(plans, n, 0, in, out);
}

void fgti_fft_inverse(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out)
{
    fft_run(plans, n, 1, in, out);
}

#else

int64_t fgti_fft_plan_bytes(int64_t n)
{
    (void)n;
    return 0;
}

void fgti_fft_plan(int64_t n, void *plans)
{
    (void)n;
    (void)plans;
}

void fgti_fft_forward(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out)
{
    (void)plans;
    (void)n;
    (void)in;
    (void)out;
}

void fgti_fft_inverse(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out)
{
    (void)plans;
    (void)n;
    (void)in;
    (void)out;
}

#endif
