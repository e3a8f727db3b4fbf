/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_SCAN_H
#define FGTI_VEC_SCAN_H

/* Linear recurrences of state-space layers: FGTI_SCAN channels side by side, each with `pairs` complex states
 * that stand for themselves and their conjugates. In double: over thousands of steps float would lose the
 * phase. Members of the tables that vec.h chooses from. */

#include <stdbool.h>

#include "core/tensor.h"

/* One AVX-512 register of double. */
#define FGTI_SCAN 8

/* What one pair of states has, a number for each channel; W and V are there with low_rank alone. */
enum {
    FGTI_SCAN_E = 0, /* real part, imaginary part behind it; so with the others */
    FGTI_SCAN_B = 2,
    FGTI_SCAN_C = 4,
    FGTI_SCAN_W = 6,
    FGTI_SCAN_V = 8
};

/* Numbers of a block of FGTI_SCAN channels: the pairs' coefficients, then D; states of one step. */
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
 * Rows of u and y hold `count` channels, at a distance of either sign; the other channels' coefficients
 * are 0. */
typedef struct fgti_scan {
    int64_t          pairs, time, count;
    bool             low_rank;
    bool             keep; /* x holds time + 1 steps, s too; else one, which is overwritten */
    bool             add;  /* y += */
    const double    *coef; /* [pairs][components][FGTI_SCAN], then D */
    double          *x;    /* [.][pairs][2][FGTI_SCAN], the start given */
    double          *s;    /* with keep and low_rank: [time + 1][FGTI_SCAN] */
    const fgti_real *u;    /* NULL: zeros */
    fgti_real       *y;    /* NULL: nobody asks */
    int64_t          ldu, ldy;
} fgti_scan;

/* The adjoint: from dy and the x and s that fgti_scan kept. Adds to dcoef; du (+)=; lambda and sigma hold
 * what comes from the steps after these, and are left so for those before. That s_{-1} reads V is left to
 * them too. */
typedef struct fgti_scan_grad {
    fgti_scan        of; /* y unused */
    const fgti_real *dy;
    fgti_real       *du; /* NULL: nobody asks */
    int64_t          lddy, lddu;
    bool             add;    /* du += */
    double          *lambda; /* [pairs][2][FGTI_SCAN]: gradient of x at the step after; 0 at the end */
    double          *sigma;  /* [FGTI_SCAN]: twice the gradient of s at the last step; 0 at the end */
    double          *dcoef;  /* as coef */
} fgti_scan_grad;

typedef struct fgti_scans {
    void (*forward)(const fgti_scan *a);
    void (*backward)(const fgti_scan_grad *a);
} fgti_scans;

#endif
