/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the coefficients of the recurrence from the parameters of a state-space model, and the gradients
 * in the other direction.
 *
 * A = L - P P^* with L = diag(-exp(a_real) + sign i a_imag), g = 2/dt, R = (g - L)^{-1}.
 *   zoh dA = exp(dt L), dB = (exp(dt L) - 1)/L B without P
 *   bilinear dA = (g - A)^{-1}(g + A) = 2g (g - A)^{-1} - 1, dB = 2 (g - A)^{-1} B
 * where (g - A)^{-1} = R - k R P P^* R with k = 1/(1 + P^* R P) (Woodbury), so
 *   dA x = E x - W s, s = 2 Re sum V x, E = 2g R - 1, W = 2g k R P, V = conj(P) R
 *   dB = 2 R B - 2 k t R P, t = 2 Re sum conj(P) R B, P^* R P = 2 Re sum |P|^2 R
 * Sums of conjugate pairs are twice the real part. Everything is in double. */
#include "nn/ssm/ssm_coef.h"

#include <math.h>

#include "nn/ssm/ssm.h"

typedef struct cplx {
    double re, im;
} cplx;

static cplx coef_make(double re, double im)
{
    return (cplx){re, im};
}

static cplx plus(cplx a, cplx b)
{
    return coef_make(a.re + b.re, a.im + b.im);
}

static cplx times(cplx a, cplx b)
{
    return coef_make(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

static cplx conjugate(cplx a)
{
    return coef_make(a.re, -a.im);
}

/* Returns conj(a) b. This is the gradient of z if b is the gradient of a z. */
static cplx back(cplx a, cplx b)
{
    return times(conjugate(a), b);
}

static cplx scaled(double s, cplx a)
{
    return coef_make(s * a.re, s * a.im);
}

static cplx over(cplx a, cplx b)
{
    return scaled(1 / (b.re * b.re + b.im * b.im), back(b, a));
}

static double real_of_product(cplx a, cplx b)
{
    return a.re * b.re - a.im * b.im;
}

/* Returns Re conj(a) b. This is the gradient of a real number r if b is the gradient of a r. */
static double coef_dot(cplx a, cplx b)
{
    return a.re * b.re + a.im * b.im;
}

static cplx exponential(cplx z)
{
    return scaled(exp(z.re), coef_make(cos(z.im), sin(z.im)));
}

/* Returns f(z) = (e^z - 1)/z, and sets *slope to its derivative, (e^z - f)/z. Below |z| = 0.1 both
 * differences cancel. There 10 terms of the series are used, which are exact: 0.1^10/11! < 2^-53. */
static cplx mean_exp(cplx z, cplx e, cplx *slope)
{
    enum { TERMS = 10 };
    if (coef_dot(z, z) >= 0.01) {
        const cplx f = over(coef_make(e.re - 1, e.im), z);
        *slope       = over(coef_make(e.re - f.re, e.im - f.im), z);
        return f;
    }
    double inverse[TERMS + 2] = {1}; /* 1/k! */
    for (int k = 1; k < TERMS + 2; k++) inverse[k] = inverse[k - 1] / k;
    cplx f = {0}, d = {0};
    for (int k = TERMS; k >= 0; k--) {
        d = plus(times(d, z), f);
        f = plus(times(f, z), coef_make(inverse[k + 1], 0));
    }
    *slope = d;
    return f;
}

/* ---- access to parameters and coefficients ---- */

/* One channel: its parameters, and the number of the channel in its block. */
typedef struct channel {
    const fgti_ssm *m;
    int64_t         h, direction, components;
} channel;

static cplx pair_at(const fgti_real *v, int64_t i)
{
    return coef_make((double)v[2 * i], (double)v[2 * i + 1]);
}

/* These functions are inline, because at -O2 GCC would call them, which takes a tenth of the training of
 * small models. */
static inline cplx lambda_of(const channel *c, int64_t n)
{
    const int64_t i = c->h * c->m->pairs + n;
    return coef_make(-exp((double)c->m->a_real[i]), c->m->sign * (double)c->m->a_imag[i]);
}

static cplx b_of(const channel *c, int64_t n)
{
    return c->m->b ? pair_at(c->m->b, c->h * c->m->pairs + n) : coef_make(1, 0);
}

static cplx c_of(const channel *c, int64_t n)
{
    return pair_at(c->m->c, (c->direction * c->m->width + c->h) * c->m->pairs + n);
}

static cplx p_of(const channel *c, int64_t n)
{
    return pair_at(c->m->p, c->h * c->m->pairs + n);
}

static cplx coef_get(const channel *c, const double *coef, int64_t n, int which)
{
    const double *v = coef + (n * c->components + which) * FGTI_SCAN;
    return coef_make(v[0], v[FGTI_SCAN]);
}

static void coef_put(const channel *c, double *coef, int64_t n, int which, cplx v)
{
    double *to    = coef + (n * c->components + which) * FGTI_SCAN;
    to[0]         = v.re;
    to[FGTI_SCAN] = v.im;
}

static void coef_add_pair(fgti_real *v, int64_t i, cplx g)
{
    v[2 * i] += (fgti_real)g.re;
    v[2 * i + 1] += (fgti_real)g.im;
}

/* Adds the gradient d of L_n to the gradients of a_real and a_imag. */
static inline void add_lambda(const channel *c, const fgti_ssm_grad *g, int64_t n, cplx d)
{
    const int64_t i = c->h * c->m->pairs + n;
    g->a_real[i] += (fgti_real)(lambda_of(c, n).re * d.re);
    g->a_imag[i] += (fgti_real)(c->m->sign * d.im);
}

/* ---- zero-order hold ---- */

static void zoh(const channel *c, double dt, double *coef)
{
    cplx slope;
    for (int64_t n = 0; n < c->m->pairs; n++) {
        const cplx z = scaled(dt, lambda_of(c, n)), e = exponential(z);
        coef_put(c, coef, n, FGTI_SCAN_E, e);
        coef_put(c, coef, n, FGTI_SCAN_B, scaled(dt, times(mean_exp(z, e, &slope), b_of(c, n))));
    }
}

/* Adds the gradients of one channel, and returns the gradient with respect to log dt. z = dt L, E = e^z, dB =
 * dt f(z) B. */
static double zoh_grad(const channel *c, double dt, const double *coef, const double *dcoef,
                       const fgti_ssm_grad *g)
{
    double dlog = 0;
    for (int64_t n = 0; n < c->m->pairs; n++) {
        const cplx l = lambda_of(c, n), z = scaled(dt, l), e = coef_get(c, coef, n, FGTI_SCAN_E),
                   b  = b_of(c, n);
        const cplx de = coef_get(c, dcoef, n, FGTI_SCAN_E), db = coef_get(c, dcoef, n, FGTI_SCAN_B);
        cplx       slope;
        const cplx f  = mean_exp(z, e, &slope);
        const cplx dz = plus(back(e, de), scaled(dt, back(times(slope, b), db)));
        if (g->b) coef_add_pair(g->b, c->h * c->m->pairs + n, scaled(dt, back(f, db)));
        add_lambda(c, g, n, scaled(dt, dz));
        dlog += coef_dot(z, dz) + dt * coef_dot(times(f, b), db);
    }
    return dlog;
}

/* ---- bilinear, with or without P ---- */

/* k and t in the equations above. */
typedef struct woodbury {
    double k, t;
} woodbury;

static inline void add_woodbury(const channel *c, int64_t n, cplx r, woodbury *w)
{
    const cplx p = p_of(c, n);
    w->k += 2 * coef_dot(p, p) * r.re;
    w->t += 2 * real_of_product(conjugate(p), times(r, b_of(c, n)));
}

static void bilinear(const channel *c, double dt, double *coef)
{
    const double g   = 2 / dt;
    const bool   low = c->m->low_rank;
    woodbury     w   = {.k = 1};
    for (int64_t n = 0; n < c->m->pairs; n++) {
        const cplx l = lambda_of(c, n), r = over(coef_make(1, 0), coef_make(g - l.re, -l.im));
        coef_put(c, coef, n, FGTI_SCAN_E, plus(scaled(2 * g, r), coef_make(-1, 0)));
        coef_put(c, coef, n, FGTI_SCAN_B, scaled(2, times(r, b_of(c, n))));
        if (!low) continue;
        coef_put(c, coef, n, FGTI_SCAN_W, r);
        add_woodbury(c, n, r, &w);
    }
    w.k = 1 / w.k;
    for (int64_t n = 0; n < c->m->pairs && low; n++) {
        const cplx p = p_of(c, n), r = coef_get(c, coef, n, FGTI_SCAN_W), rp = times(r, p);
        const cplx b = coef_get(c, coef, n, FGTI_SCAN_B);
        coef_put(c, coef, n, FGTI_SCAN_B, plus(b, scaled(-2 * w.k * w.t, rp)));
        coef_put(c, coef, n, FGTI_SCAN_W, scaled(2 * g * w.k, rp));
        coef_put(c, coef, n, FGTI_SCAN_V, times(conjugate(p), r));
    }
}

/* Computes R from E = 2g R - 1. */
static cplx resolvent(const channel *c, const double *coef, double g, int64_t n)
{
    const cplx e = coef_get(c, coef, n, FGTI_SCAN_E);
    return scaled(0.5 / g, coef_make(e.re + 1, e.im));
}

/* Gradients that are sums over pairs: of k (at the end of P^* R P), of t, and of g. */
typedef struct sums {
    double k, t, g;
} sums;

/* With q = R P: what W = 2g k q and dB = 2 R B - 2 k t q contribute to the gradients of k, t and g. */
static sums low_rank_sums(const channel *c, double g, woodbury w, const double *coef, const double *dcoef)
{
    sums s = {0};
    for (int64_t n = 0; n < c->m->pairs; n++) {
        const cplx   q  = times(resolvent(c, coef, g, n), p_of(c, n));
        const double qw = coef_dot(q, coef_get(c, dcoef, n, FGTI_SCAN_W)),
                     qb = coef_dot(q, coef_get(c, dcoef, n, FGTI_SCAN_B));
        s.k += 2 * g * qw - 2 * w.t * qb;
        s.t -= 2 * w.k * qb;
        s.g += 2 * w.k * qw;
    }
    s.k *= -w.k * w.k;
    return s;
}

/* Computes the gradients of R and P through W, V, k and t, and the gradient of B through t. */
static inline cplx low_rank_pair(const channel *c, double g, woodbury w, const sums *s, const double *dcoef,
                                 const fgti_ssm_grad *grad, int64_t n, cplx r, cplx *db)
{
    const cplx p = p_of(c, n), b = b_of(c, n), rb = times(r, b);
    const cplx dv = coef_get(c, dcoef, n, FGTI_SCAN_V);
    const cplx dq = plus(scaled(2 * g * w.k, coef_get(c, dcoef, n, FGTI_SCAN_W)),
                         scaled(-2 * w.k * w.t, coef_get(c, dcoef, n, FGTI_SCAN_B)));
    cplx       dr = plus(back(p, dq), times(p, dv));
    cplx       dp = plus(back(r, dq), times(r, conjugate(dv)));
    dr            = plus(dr, plus(scaled(2 * s->t, back(b, p)), coef_make(2 * s->k * coef_dot(p, p), 0)));
    dp            = plus(dp, plus(scaled(2 * s->t, rb), scaled(4 * s->k * r.re, p)));
    *db           = plus(*db, scaled(2 * s->t, back(r, p)));
    coef_add_pair(grad->p, c->h * c->m->pairs + n, dp);
    return dr;
}

/* Adds the gradients of one channel, and returns the gradient with respect to log dt, which is -g times the
 * gradient of g. */
static double bilinear_grad(const channel *c, double dt, const double *coef, const double *dcoef,
                            const fgti_ssm_grad *grad)
{
    const double g = 2 / dt;
    woodbury     w = {.k = 1};
    sums         s = {0};
    if (c->m->low_rank) {
        for (int64_t n = 0; n < c->m->pairs; n++) add_woodbury(c, n, resolvent(c, coef, g, n), &w);
        w.k = 1 / w.k;
        s   = low_rank_sums(c, g, w, coef, dcoef);
    }
    for (int64_t n = 0; n < c->m->pairs; n++) {
        const cplx r  = resolvent(c, coef, g, n);
        const cplx de = coef_get(c, dcoef, n, FGTI_SCAN_E), db = coef_get(c, dcoef, n, FGTI_SCAN_B);
        cplx       dr = plus(scaled(2 * g, de), scaled(2, back(b_of(c, n), db))), dB = scaled(2, back(r, db));
        if (c->m->low_rank) dr = plus(dr, low_rank_pair(c, g, w, &s, dcoef, grad, n, r, &dB));
        const cplx dl = back(times(r, r), dr); /* dR = R^2 (dL - dg) */
        s.g += 2 * coef_dot(r, de) - dl.re;
        if (grad->b) coef_add_pair(grad->b, c->h * c->m->pairs + n, dB);
        add_lambda(c, grad, n, dl);
    }
    return -g * s.g;
}

/* ---- blocks ---- */

void fgti_ssm_coef(const fgti_ssm *m, int64_t direction, int64_t block, double *coef)
{
    const int64_t components = fgti_scan_components(m->low_rank);
    for (int64_t i = 0; i < fgti_scan_coefficients(m->pairs, m->low_rank); i++) coef[i] = 0;
    for (int64_t k = 0; k < fgti_ssm_count(m, block); k++) {
        const channel c  = {m, block * FGTI_SCAN + k, direction, components};
        const double  dt = exp((double)m->log_dt[c.h]);
        if (m->zoh)
            zoh(&c, dt, coef + k);
        else
            bilinear(&c, dt, coef + k);
        for (int64_t n = 0; n < m->pairs; n++) coef_put(&c, coef + k, n, FGTI_SCAN_C, c_of(&c, n));
        if (direction == 0) coef[m->pairs * components * FGTI_SCAN + k] = (double)m->d[c.h];
    }
}

void fgti_ssm_coef_grad(const fgti_ssm *m, int64_t direction, int64_t block, const double *coef,
                        const double *dcoef, const fgti_ssm_grad *g)
{
    const int64_t components = fgti_scan_components(m->low_rank);
    for (int64_t k = 0; k < fgti_ssm_count(m, block); k++) {
        const channel c  = {m, block * FGTI_SCAN + k, direction, components};
        const double  dt = exp((double)m->log_dt[c.h]);
        const double  dlog =
            m->zoh ? zoh_grad(&c, dt, coef + k, dcoef + k, g) : bilinear_grad(&c, dt, coef + k, dcoef + k, g);
        g->log_dt[c.h] += (fgti_real)dlog;
        for (int64_t n = 0; n < m->pairs; n++)
            coef_add_pair(g->c, (direction * m->width + c.h) * m->pairs + n,
                          coef_get(&c, dcoef + k, n, FGTI_SCAN_C));
        if (direction == 0) g->d[c.h] += (fgti_real)dcoef[m->pairs * components * FGTI_SCAN + k];
    }
}
