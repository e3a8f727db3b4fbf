/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_SCAN_H
#define FGTI_VEC_SCAN_H

/* Linear recurrences of state-space layers, for FGTI_SCAN channels side by side. Each channel has `pairs`
 * complex states; each stands for itself and its conjugate. They are computed in double, because float would
 * lose the phase over thousands of steps. The functions are members of the tables of vec.h. */

#include <stdbool.h>

#include "core/tensor.h"

/* The doubles of one AVX-512 register. */
#define FGTI_SCAN 8

/* The coefficients of one pair of states, each with a number for every channel. W and V exist only with
 * low_rank. */
enum {
    FGTI_SCAN_E = 0, /* the real part, then the imaginary part; the others in the same way */
    FGTI_SCAN_B = 2,
    FGTI_SCAN_C = 4,
    FGTI_SCAN_W = 6,
    FGTI_SCAN_V = 8
};

/* Number of coefficients of a pair; of a block of FGTI_SCAN channels (the coefficients of all pairs, then D);
 * number of numbers in the states of a block at one step. */
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
 * Rows of u and y have `count` channels; their distance may be negative. The coefficients of the other
 * channels are 0. */
typedef struct fgti_scan {
    int64_t          pairs, time, count;
    bool             low_rank;
    bool             keep; /* x and s have time + 1 steps; false: x has one step, which is overwritten */
    bool             add;  /* y += */
    const double    *coef; /* [pairs][components][FGTI_SCAN], then D */
    double          *x;    /* [steps][pairs][2][FGTI_SCAN]; the first step is given */
    double          *s;    /* with keep and low_rank: [time + 1][FGTI_SCAN] */
    const fgti_real *u;    /* NULL: zeros */
    fgti_real       *y;    /* NULL: not wanted */
    int64_t          ldu, ldy;
} fgti_scan;

/* The adjoint, from dy and from the x and s of a forward scan with `keep`. It adds to dcoef. A long series is
 * processed in runs of steps: lambda and sigma carry the gradient from each run to the run before it. The
 * gradient of V through s_{-1} belongs to the run before. */
typedef struct fgti_scan_grad {
    fgti_scan        of; /* y is not used */
    const fgti_real *dy;
    fgti_real       *du; /* NULL: not wanted */
    int64_t          lddy, lddu;
    bool             add;    /* du += */
    double          *lambda; /* [pairs][2][FGTI_SCAN]: gradient of x at the step after; 0 at the end */
    double          *sigma;  /* [FGTI_SCAN]: twice the gradient of s at the last step; 0 at the end */
    double          *dcoef;  /* gradient of coef, in the same layout */
} fgti_scan_grad;

/* Numbers that decay are set to 0 before they become denormal, because denormal arithmetic is a hundred times
 * slower: adding and subtracting `small` rounds to a multiple of 2^-53 small. FGTI_SCAN_SMALL is for numbers
 * that are stored as float; it leaves multiples of 1e-36. */
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
