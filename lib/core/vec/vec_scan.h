/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_SCAN_H
#define FGTI_VEC_SCAN_H

/* Linear recurrences of state-space layers, for FGTI_SCAN channels side by side. Each channel has `pairs`
 * complex states. A complex state stands for itself and for its conjugate. States are computed in double,
 * because float would lose the phase over thousands of steps. The functions are members of the tables of
 * vec.h. */

#include <stdbool.h>

#include "core/tensor.h"

/* The doubles of one AVX-512 register. */
#define FGTI_SCAN 8

/* The coefficients of one pair of states: where each coefficient begins, in rows of one number for every
 * channel. W and V exist only with low_rank. */
enum {
    FGTI_SCAN_E = 0, /* row 0 is the real part, and row 1 the imaginary part; the other coefficients have two
                      * rows in the same way */
    FGTI_SCAN_B = 2,
    FGTI_SCAN_C = 4,
    FGTI_SCAN_W = 6,
    FGTI_SCAN_V = 8
};

/* The three functions return: the number of coefficients of one pair; the number of coefficients of a block
 * of FGTI_SCAN channels, which are the coefficients of all pairs, then D; and how many numbers the states of
 * a block have at one step. */
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

/* A recurrence with diagonal E:
 *     x_t = E x_{t-1} - W s_{t-1} + B u_t,  s_t = 2 Re sum V x_t,  y_t (+)= 2 Re sum C x_t + D u_t
 * Rows of u and y have `count` channels, and their distance may be negative. A block has FGTI_SCAN channels;
 * the coefficients of channels from `count` on are 0. */
typedef struct fgti_scan {
    int64_t          pairs, time, count;
    bool             low_rank;
    bool             keep; /* x and s have time + 1 steps; false: x has one step, which is overwritten */
    bool             add;  /* y is added to, not overwritten */
    const double    *coef; /* [pairs][components][FGTI_SCAN], then D */
    double          *x;    /* [steps][pairs][2][FGTI_SCAN]; the first step is given */
    double          *s;    /* with keep and low_rank: [time + 1][FGTI_SCAN] */
    const fgti_real *u;    /* NULL: zeros */
    fgti_real       *y;    /* NULL: not wanted */
    int64_t          ldu, ldy;
} fgti_scan;

/* The adjoint of a scan: it computes du, and adds to dcoef, from dy and from the x and s of a forward scan
 * with `keep`. A long series is processed in runs of steps, the last run first: lambda and sigma carry the
 * gradient from each run to the run before it. The gradient of V through s_{-1} belongs to the run before. */
typedef struct fgti_scan_grad {
    fgti_scan        of; /* y is not used */
    const fgti_real *dy;
    fgti_real       *du; /* NULL: not wanted */
    int64_t          lddy, lddu;
    bool             add;    /* du is added to, not overwritten */
    double          *lambda; /* [pairs][2][FGTI_SCAN]: gradient of x at the step after the run; 0 at the end
                              * of the series */
    double          *sigma;  /* [FGTI_SCAN]: twice the gradient of s at the last step; 0 at the end of the
                              * series */
    double          *dcoef;  /* gradient of coef, in the same layout */
} fgti_scan_grad;

/* Sets a number that decays to 0 before it becomes denormal, because arithmetic with denormal numbers is a
 * hundred times slower. To add and subtract `small` rounds v to a multiple of 2^-53 small. FGTI_SCAN_SMALL is
 * for numbers that are stored as float; with it, v becomes a multiple of 1e-36. */
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
