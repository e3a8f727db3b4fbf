/* SPDX-License-Identifier: BSD-3-Clause */
/* The recurrences of vec_scan.h. The file is built in the same way as vec.c. Channels are the lanes of a
 * vector, so no sum goes across lanes. */
#include "core/vec/vec_scan.h"

#include "core/vec/vec_build.h"

#define LANES FGTI_SCAN

/* Goes before a loop over the lanes. Otherwise compilers unroll the loop early and then vectorise only half
 * of it, or nothing. */
#if defined(__clang__)
#define ROLLED _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#define ROLLED _Pragma("GCC unroll 1")
#else
#define ROLLED
#endif

/* Number of steps by which rows are prefetched. Rows are far apart in memory, and a step is too long for the
 * processor to see the next step coming. Without this prefetch every row waits for memory, which doubles the
 * time of long sequences. */
#define AHEAD 16
#if defined(__GNUC__)
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void)(p))
#endif

/* Lane k of component i's real part, and of its imaginary part. */
#define RE(c, i) ((c)[(i)*LANES + k])
#define IM(c, i) ((c)[((i) + 1) * LANES + k])

/* Loads a row of `count` channels; the other lanes become 0. */
INLINE void load(int64_t count, const fgti_real *row, double *v)
{
    if (row && count == LANES) {
        ROLLED
        for (int k = 0; k < LANES; k++) v[k] = (double)row[k];
    } else {
        for (int k = 0; k < LANES; k++) v[k] = row && k < count ? (double)row[k] : 0;
    }
}

/* States are doubles, and states of usual size are far from the denormal numbers. So it is enough to set
 * small states to 0 now and then. */
#define SMALL_STATE 1e-200
#define FLUSH_EVERY 16

static void flush_states(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) x[i] = fgti_scan_flush(x[i], SMALL_STATE);
}

INLINE void store(int64_t count, double *v, bool add, fgti_real *row)
{
    ROLLED
    for (int k = 0; k < LANES; k++) v[k] = fgti_scan_flush(v[k], FGTI_SCAN_SMALL);
    if (count == LANES) {
        ROLLED
        for (int k = 0; k < LANES; k++) row[k] = (fgti_real)(add ? (double)row[k] + v[k] : v[k]);
    } else {
        for (int k = 0; k < count; k++) row[k] = (fgti_real)(add ? (double)row[k] + v[k] : v[k]);
    }
}

/* s = 2 Re sum V x, summed over the pairs */
INLINE void read_out(const fgti_scan *a, const double *restrict x, double *s)
{
    const double *restrict c = a->coef;
    double re[LANES] = {0}, im[LANES] = {0};
    for (int64_t n = 0; n < a->pairs; n++, c += fgti_scan_components(true) * LANES, x += 2 * LANES) {
        ROLLED
        INDEPENDENT
        for (int k = 0; k < LANES; k++) {
            re[k] += RE(c, FGTI_SCAN_V) * RE(x, 0);
            im[k] += IM(c, FGTI_SCAN_V) * IM(x, 0);
        }
    }
    ROLLED
    for (int k = 0; k < LANES; k++) s[k] = 2 * (re[k] - im[k]);
}

/* Computes one step from x to next, which may be the same array as x. */
INLINE void step(const fgti_scan *a, bool low, const double *x, double *next, const double *u, double *s,
                 double *y)
{
    const double *restrict c = a->coef;
    double yr[LANES] = {0}, yi[LANES] = {0}, sr[LANES] = {0}, si[LANES] = {0};
    for (int64_t n = 0; n < a->pairs; n++, x += 2 * LANES, next += 2 * LANES) {
        ROLLED
        INDEPENDENT
        for (int k = 0; k < LANES; k++) {
            const double re = RE(x, 0), im = IM(x, 0);
            double       xr = RE(c, FGTI_SCAN_E) * re - IM(c, FGTI_SCAN_E) * im + RE(c, FGTI_SCAN_B) * u[k];
            double       xi = RE(c, FGTI_SCAN_E) * im + IM(c, FGTI_SCAN_E) * re + IM(c, FGTI_SCAN_B) * u[k];
            if (low) {
                xr -= RE(c, FGTI_SCAN_W) * s[k];
                xi -= IM(c, FGTI_SCAN_W) * s[k];
                sr[k] += RE(c, FGTI_SCAN_V) * xr;
                si[k] += IM(c, FGTI_SCAN_V) * xi;
            }
            yr[k] += RE(c, FGTI_SCAN_C) * xr;
            yi[k] += IM(c, FGTI_SCAN_C) * xi;
            RE(next, 0) = xr;
            IM(next, 0) = xi;
        }
        c += fgti_scan_components(low) * LANES;
    }
    ROLLED
    for (int k = 0; k < LANES; k++) y[k] = 2 * (yr[k] - yi[k]) + c[k] * u[k];
    if (!low) return;
    ROLLED
    for (int k = 0; k < LANES; k++) s[k] = 2 * (sr[k] - si[k]);
}

INLINE void run(const fgti_scan *a, bool low)
{
    const int64_t size = a->keep ? fgti_scan_states(a->pairs) : 0;
    double        s[LANES], u[LANES], y[LANES];
    if (low) read_out(a, a->x, s);
    for (int64_t t = 0; t < a->time; t++) {
        for (int k = 0; k < LANES && low && a->keep; k++) a->s[t * LANES + k] = s[k];
        if (t + AHEAD < a->time) {
            if (a->u) PREFETCH(a->u + (t + AHEAD) * a->ldu);
            if (a->y) PREFETCH(a->y + (t + AHEAD) * a->ldy);
        }
        load(a->count, a->u ? a->u + t * a->ldu : NULL, u);
        step(a, low, a->x + t * size, a->x + (t + 1) * size, u, s, y);
        if (t % FLUSH_EVERY == FLUSH_EVERY - 1)
            flush_states(fgti_scan_states(a->pairs), a->x + (t + 1) * size);
        if (a->y) store(a->count, y, a->add, a->y + t * a->ldy);
    }
}

static void vec_scan_forward(const fgti_scan *a)
{
    if (a->low_rank)
        run(a, true);
    else
        run(a, false);
}

/* The gradient of the loss by a complex z is d/dRe z + i d/dIm z. For z = ab, the gradient of a is conj(b)
 * times the gradient of z. Let lambda_t be the gradient of x_t, and sigma_t twice the gradient of s_t:
 *     lambda_t = conj(E) lambda_{t+1} + 2 dy_t conj(C) + sigma_t conj(V)
 *     sigma_{t-1} = -2 Re sum conj(W) lambda_t,  du_t = Re sum conj(B) lambda_t + D dy_t
 *     dE += conj(x_{t-1}) lambda_t,  dW -= s_{t-1} lambda_t,  dB += u_t lambda_t
 *     dC += 2 dy_t conj(x_t),  dV += sigma_t conj(x_t),  dD += dy_t u_t */
INLINE void step_back(const fgti_scan_grad *a, bool low, const double *restrict before, const double *u,
                      const double *dy, const double *s, double *sigma, double *du)
{
    const double *restrict x = before + fgti_scan_states(a->of.pairs), *restrict c = a->of.coef;
    double *restrict d = a->dcoef, *restrict l = a->lambda;
    double ur[LANES] = {0}, ui[LANES] = {0}, sr[LANES] = {0}, si[LANES] = {0};
    for (int64_t n = 0; n < a->of.pairs; n++, before += 2 * LANES, x += 2 * LANES, l += 2 * LANES) {
        ROLLED
        INDEPENDENT
        for (int k = 0; k < LANES; k++) {
            const double er = RE(c, FGTI_SCAN_E), ei = IM(c, FGTI_SCAN_E), re = RE(l, 0), im = IM(l, 0);
            const double g  = 2 * dy[k];
            double       lr = er * re + ei * im + g * RE(c, FGTI_SCAN_C);
            double       li = er * im - ei * re - g * IM(c, FGTI_SCAN_C);
            if (low) {
                lr += sigma[k] * RE(c, FGTI_SCAN_V);
                li -= sigma[k] * IM(c, FGTI_SCAN_V);
                sr[k] += RE(c, FGTI_SCAN_W) * lr;
                si[k] += IM(c, FGTI_SCAN_W) * li;
                RE(d, FGTI_SCAN_W) -= s[k] * lr;
                IM(d, FGTI_SCAN_W) -= s[k] * li;
                RE(d, FGTI_SCAN_V) += sigma[k] * RE(x, 0);
                IM(d, FGTI_SCAN_V) -= sigma[k] * IM(x, 0);
            }
            ur[k] += RE(c, FGTI_SCAN_B) * lr;
            ui[k] += IM(c, FGTI_SCAN_B) * li;
            RE(d, FGTI_SCAN_E) += RE(before, 0) * lr + IM(before, 0) * li;
            IM(d, FGTI_SCAN_E) += RE(before, 0) * li - IM(before, 0) * lr;
            RE(d, FGTI_SCAN_B) += u[k] * lr;
            IM(d, FGTI_SCAN_B) += u[k] * li;
            RE(d, FGTI_SCAN_C) += g * RE(x, 0);
            IM(d, FGTI_SCAN_C) -= g * IM(x, 0);
            RE(l, 0) = lr;
            IM(l, 0) = li;
        }
        c += fgti_scan_components(low) * LANES;
        d += fgti_scan_components(low) * LANES;
    }
    ROLLED
    for (int k = 0; k < LANES; k++) {
        du[k] = ur[k] + ui[k] + c[k] * dy[k];
        d[k] += dy[k] * u[k];
        if (low) sigma[k] = -2 * (sr[k] + si[k]);
    }
}

INLINE void run_back(const fgti_scan_grad *a, bool low)
{
    const fgti_scan *f            = &a->of;
    const int64_t    size         = fgti_scan_states(f->pairs);
    double           sigma[LANES] = {0}, s[LANES] = {0}, u[LANES], dy[LANES], du[LANES];
    for (int k = 0; k < LANES && low; k++) sigma[k] = a->sigma[k];
    for (int64_t t = f->time - 1; t >= 0; t--) {
        if (t >= AHEAD) {
            if (f->u) PREFETCH(f->u + (t - AHEAD) * f->ldu);
            if (a->du) PREFETCH(a->du + (t - AHEAD) * a->lddu);
            PREFETCH(a->dy + (t - AHEAD) * a->lddy);
        }
        for (int k = 0; k < LANES && low; k++) s[k] = f->s[t * LANES + k];
        load(f->count, f->u ? f->u + t * f->ldu : NULL, u);
        load(f->count, a->dy + t * a->lddy, dy);
        step_back(a, low, f->x + t * size, u, dy, s, sigma, du);
        if (t % FLUSH_EVERY == 0) flush_states(size, a->lambda);
        if (a->du) store(f->count, du, a->add, a->du + t * a->lddu);
    }
    for (int k = 0; k < LANES && low; k++) a->sigma[k] = sigma[k];
}

static void vec_scan_backward(const fgti_scan_grad *a)
{
    if (a->of.low_rank)
        run_back(a, true);
    else
        run_back(a, false);
}

extern const fgti_scans THIS_TABLE(fgti_scans_);
const fgti_scans THIS_TABLE(fgti_scans_) = {.forward = vec_scan_forward, .backward = vec_scan_backward};
