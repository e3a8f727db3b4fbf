/* SPDX-License-Identifier: BSD-3-Clause */
/* The eigenvalues of HiPPO-LegS need no eigenvalue solver. Let P_n = sqrt(n + 1/2) and S = A + P P', which is
 * a skew matrix minus 1/2. The determinant lemma gives
 *   det(s - S) = det(s - A) (1 - h(s)), h(s) = P'(s - A)^{-1} P.
 * A is triangular, so H = 1 - 2 h has the poles -1 .. -N of A. Because A + A' = -1 - 2 P P', H has modulus 1
 * on the line Re s = -1/2. So the zeros of H are the poles reflected at that line, and
 *   H(-1/2 + i w) = prod_{k=1..N} -(k - 1/2 - i w)/(k - 1/2 + i w).
 * s is an eigenvalue of S where h = 1, so H = -1, which is
 *   theta(w) = sum_{k=1..N} atan(w/(k - 1/2)) = (N - 1) pi/2 - m pi, m = 0 .. N - 1.
 * theta is monotone in w, and concave for w > 0. The weight of an eigenvector v is a residue of
 *   P'(s - S)^{-1} P = h/(1 - h) = (1 - H)/(1 + H): |v^* P|^2 = 2/H'(s) = 1/theta'(w). */
#include "nn/ssm/hippo.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Most steps of Newton's method. From 0 it approaches the root of a concave function from one side. For N =
 * 256 it takes 18 steps, and the last steps double the number of digits. */
#define MOST_STEPS 100

static double theta(int64_t n, double w, double *slope)
{
    double sum = 0;
    *slope     = 0;
    for (int64_t k = n; k >= 1; k--) {
        const double a = (double)k - 0.5;
        sum += atan(w / a);
        *slope += a / (a * a + w * w);
    }
    return sum;
}

void fgti_hippo_legs(int64_t pairs, double *omega, double *p)
{
    const int64_t n = 2 * pairs;
    double        w = 0, slope;
    /* the smallest root is found first, and each search starts from the root before it */
    for (int64_t m = pairs - 1; m >= 0; m--) {
        const double target = PI / 2 * (double)(n - 1 - 2 * m);
        for (int i = 0; i < MOST_STEPS; i++) {
            const double step = (target - theta(n, w, &slope)) / slope;
            w += step;
            if (fabs(step) <= 1e-15 * w) break;
        }
        theta(n, w, &slope);
        omega[m] = w;
        p[m]     = 1 / sqrt(slope);
    }
}
