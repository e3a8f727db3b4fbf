/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SSM_H
#define FGTI_SSM_H

/* State-space models, one for each channel:  x_t = dA x_{t-1} + dB u_t,  y_t = 2 Re C x_t + D u_t. Channels
 * are processed in blocks of FGTI_SCAN. There are three ways to compute the same y:
 *   recurrence  the two equations above, step by step (ssm_line.c)
 *   Toeplitz    y = K * u with K_l = 2 Re C dA^l dB, as products of matrices (ssm_toeplitz.c)
 *   FFT         the convolution K * u by Fourier transforms (ssm_fft.c) */

#include "core/vec/vec_scan.h"
#include "nn/layer.h"

/* The parameters, with A = diag(-exp(a_real) + sign i a_imag), or this minus P P^*, and dt = exp(log_dt). */
typedef struct fgti_ssm {
    int64_t width, pairs;
    int64_t directions; /* 2: the second one reads time in reverse, with a C of its own */
    bool    low_rank;   /* A has the term P P^*; only bilinear */
    bool    zoh;        /* zero-order hold; false: bilinear */
    double  sign;
    /* d and log_dt are [width], a_real and a_imag [width][pairs], b and p [width][pairs][2], and c is
     * [directions][width][pairs][2]. b NULL: ones */
    const fgti_real *d, *log_dt, *a_real, *a_imag, *b, *c, *p;
} fgti_ssm;

/* The gradients of the parameters in fgti_ssm. Backward adds to these arrays. */
typedef struct fgti_ssm_grad {
    fgti_real *d, *log_dt, *a_real, *a_imag, *b, *c, *p;
} fgti_ssm_grad;

static inline int64_t fgti_ssm_blocks(const fgti_ssm *m)
{
    return (m->width + FGTI_SCAN - 1) / FGTI_SCAN;
}
/* Number of channels in a block; the last block may be partly empty. */
static inline int64_t fgti_ssm_count(const fgti_ssm *m, int64_t block)
{
    const int64_t left = m->width - block * FGTI_SCAN;
    return left < FGTI_SCAN ? left : FGTI_SCAN;
}

/* The ways to compute y, with the numbers of fgt_s4_way (recurrent.h). */
typedef enum fgti_ssm_way {
    FGTI_SSM_AUTO,
    FGTI_SSM_FFT,
    FGTI_SSM_TOEPLITZ,
    FGTI_SSM_RECURRENCE
} fgti_ssm_way;

typedef struct fgti_ssm_pass {
    const fgti_run  *run;
    fgti_ssm         m;
    fgti_ssm_way     way;
    int64_t          samples, time;
    const double    *coef; /* [directions][blocks][coefficients] */
    const void      *fft;  /* plans of fgti_fft_plan(), or NULL */
    const fgti_real *x, *dy;
    fgti_real       *y, *dx;          /* [samples][time][width]; dx NULL: not wanted */
    const fgti_real *start;           /* [samples][pairs][2][width], or NULL: zeros */
    fgti_real       *end, *dstart;    /* [samples][pairs][2][width], or NULL */
    fgti_real       *cache, *scratch; /* fgti_ssm_size() gives the sizes of both */
    const fgti_io   *io;              /* has the workers' arenas, whose sizes fgti_ssm_size() gives too */
} fgti_ssm_pass;

/* A convolution for samples first .. last-1 and one block of channels. kernel and dkernel are
 * [directions][time][FGTI_SCAN]. */
typedef struct fgti_ssm_conv {
    const fgti_ssm_pass *p;
    int64_t              block, first, last;
    const fgti_real     *kernel[2];
    fgti_real           *dkernel[2]; /* overwritten */
    void                *gemm;       /* the worker's scratch for products */
    fgti_real           *arena;
} fgti_ssm_conv;

#endif
