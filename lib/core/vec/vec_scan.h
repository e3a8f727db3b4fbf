/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_SCAN_H
#define FGTI_VEC_SCAN_H

/* Linear recurrences of state-space layers, for FGTI_SCAN channels side by side. Each channel has `pairs`
 * complex states, each of which stands for itself and its conjugate. They are computed in double, because
 * float would lose the phase over thousands of steps. The functions are members of the tables that vec.h
 * chooses from. */

#include <stdbool.h>

#include "core/tensor.h"

/* One AVX-512 register of double. */
#define FGTI_SCAN 8

/* The coefficients of one pair of states, each a number for every channel. W and V exist only with
 * low_rank. */
enum {
    FGTI_SCAN_E = 0, /* the real part, then the imaginary part; the others alike */
    FGTI_SCAN_B = 2,
    FGTI_SCAN_C = 4,
    FGTI_SCAN_W = 6,
    FGTI_SCAN_V = 8
};

/* Coefficients of a pair; coefficients of a block of FGTI_SCAN channels: those of the pairs, then D; numbers
 * that make the states of a block at one step. */
static inline int64_t fgti_scan_components(bool low_rank)
{
    return low_rank ? 10 : 6;
}
static inline int64_t fgti_scan_coefficients(int64_t pairs, bool low_rank)
{
    return (pairs * fgti_scan_components(low_rank) + 1) * FGTI_SCAN;
}
static inline int64_t fgti_scan_states(int64_t pairs)
{
    return pairs * 2 * FGTI_SCAN;
}

/* x_t = E x_{t-1} - W s_{t-1} + B u_t,  s_t = 2 Re sum V x_t,  y_t (+)= 2 Re sum C x_t + D u_t, E diagonal.
 * Rows of u and y hold `count` channels, at a distance of either sign; the
 * coefficients of the other channels are 0. */
typedef struct fgti_scan {
    int64_t          pairs, time, count;
    bool             low_rank;
    bool             keep; /* x and s hold time + 1 steps; else x holds one, which is overwritten */
    bool             add;  /* y += */
    const double    *coef; /* [pairs][components][FGTI_SCAN], then D */
    double          *x;    /* [steps][pairs][2][FGTI_SCAN]; the first one is given */
    double          *s;    /* with keep and low_rank: [time + 1][FGTI_SCAN] */
    const fgti_real *u;    /* NULL: zeros */
    fgti_real       *y;    /* NULL: not wanted */
    int64_t          ldu, ldy;
} fgti_scan;

/* The adjoint, from dy and from the x and s that the forward scan has kept. It adds to dcoef. lambda and
 * sigma carry the gradient from the steps after these to the steps before; the gradient of V through s_{-1}
 * belongs to the latter. */
typedef struct fgti_scan_grad {
    fgti_scan        of; /* y is not used */
    const fgti_real *dy;
    fgti_real       *du; /* NULL: not wanted */
    int64_t          lddy, lddu;
    bool             add;    /* du += */
    double          *lambda; /* [pairs][2][FGTI_SCAN]: gradient of x at the step after; 0 at the end */
    double          *sigma;  /* [FGTI_SCAN]: twice the gradient of s at the last step; 0 at the end */
    double          *dcoef;  /* as coef */
} fgti_scan_grad;

/* Numbers that decay are set to 0 before they become denormal, where arithmetic is a hundred times slower:
 * adding and subtracting a small number rounds to a multiple of 2^-53 times that number. FGTI_SCAN_SMALL is
 * for what is stored as float: it leaves multiples of 1e-36. */
#define FGTI_SCAN_SMALL 1e-20

static inline double fgti_scan_flush(double v, double small)
{
    return (v + small) - small;
}

typedef struct fgti_scans {
    void (*forward)(const fgti_scan *a);
    void (*backward)(const fgti_scan_grad *a);
} fgti_scans;

#endif
