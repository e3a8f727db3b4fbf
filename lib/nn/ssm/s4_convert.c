/* SPDX-License-Identifier: BSD-3-Clause */
/* The authors' DPLR layer does not store C, but C~ = C (I - dA^L), where L is the length of its kernel. With
 * C~ the kernel of length L has a closed form in frequency. Our layer stores C, which does not depend on a
 * length. The recurrence needs C. */
#include "nn/ssm/s4_convert.h"

#include <math.h>
#include <string.h>

#include "nn/ssm/s4_param.h"
#include "nn/ssm/ssm.h"
#include "nn/ssm/ssm_coef.h"

/* Matrices [S][S] that act on a channel's state, seen as S real numbers. */
typedef struct matrices {
    int64_t n;
    double *power, *square, *product;
} matrices;

/* b = a c, all [n][n]; b must not be a or c. */
static void s4_convert_multiply(int64_t n, const double *a, const double *c, double *b)
{
    memset(b, 0, (size_t)(n * n) * sizeof *b);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++) b[i * n + j] += a[i * n + k] * c[k * n + j];
}

static void s4_convert_swap(double **a, double **b)
{
    double *t = *a;
    *a        = *b;
    *b        = t;
}

/* Computes dA column by column. Column j is the product of dA with unit vector j: x' = E x - W s, s = 2 Re
 * sum V x. lane: the channel's index in the block of coefficients. */
static void s4_convert_fill(matrices *m, const double *coef, int64_t lane)
{
    const int64_t n = m->n, step = fgti_scan_components(true) * FGTI_SCAN;
    const double *c = coef + lane;
    for (int64_t j = 0; j < n; j++) {
        const double *v = c + j / 2 * step + (FGTI_SCAN_V + j % 2) * FGTI_SCAN;
        const double  s = j % 2 ? -2 * *v : 2 * *v;
        for (int64_t i = 0; i < n; i++)
            m->square[i * n + j] = -s * c[i / 2 * step + (FGTI_SCAN_W + i % 2) * FGTI_SCAN];
        const double *e = c + j / 2 * step;
        double       *d = m->square + j / 2 * 2 * n + j;
        d[0] += j % 2 ? -e[FGTI_SCAN] : e[0];
        d[n] += j % 2 ? e[0] : e[FGTI_SCAN];
    }
}

/* power = square^exponent */
static void raise_to(matrices *m, int64_t exponent)
{
    const int64_t n = m->n;
    memset(m->power, 0, (size_t)(n * n) * sizeof *m->power);
    for (int64_t i = 0; i < n; i++) m->power[i * n + i] = 1;
    for (; exponent; exponent /= 2) {
        if (exponent % 2) {
            s4_convert_multiply(n, m->power, m->square, m->product);
            s4_convert_swap(&m->power, &m->product);
        }
        s4_convert_multiply(n, m->square, m->square, m->product);
        s4_convert_swap(&m->square, &m->product);
    }
}

/* Sets r to r (I - power)^{-1}, in place, by elimination with pivots on the transpose. Returns false if I -
 * power is singular. */
static bool s4_convert_solve(matrices *m, double *r)
{
    const int64_t n = m->n;
    double       *a = m->product;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) a[i * n + j] = (i == j) - m->power[j * n + i];
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (!(fabs(a[best * n + k]) > 0)) return false;
        for (int64_t j = 0; j < n; j++) {
            const double t  = a[k * n + j];
            a[k * n + j]    = a[best * n + j];
            a[best * n + j] = t;
        }
        const double t = r[k];
        r[k]           = r[best];
        r[best]        = t;
        for (int64_t i = k + 1; i < n; i++) {
            const double f = a[i * n + k] / a[k * n + k];
            for (int64_t j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            r[i] -= f * r[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < n; j++) r[k] -= a[k * n + j] * r[j];
        r[k] /= a[k * n + k];
    }
    return true;
}

/* Converts C of one channel. y = 2 Re sum C x multiplies the real numbers (re, im) of a pair of states by (2
 * Re C, -2 Im C). The factor 2 is left out here. */
static fgt_status convert(fgt_context *ctx, matrices *m, double *r, const fgti_real *c, fgti_real *out)
{
    for (int64_t i = 0; i < m->n; i++) r[i] = (double)(i % 2 ? -c[i] : c[i]);
    bool fine = s4_convert_solve(m, r);
    for (int64_t i = 0; i < m->n; i++) {
        out[i] = (fgti_real)(i % 2 ? -r[i] : r[i]);
        fine   = fine && isfinite(out[i]);
    }
    return fine ? FGT_OK : fgti_fail(&ctx->error, FGT_E_NONFINITE, "I - dA^length has no inverse");
}

static fgt_status convert_all(fgt_context *ctx, const fgti_ssm *m, int64_t length, matrices *work,
                              double *coef, double *r, fgti_real *out)
{
    for (int64_t h = 0; h < m->width; h++) {
        if (h % FGTI_SCAN == 0) fgti_ssm_coef(m, 0, h / FGTI_SCAN, coef);
        s4_convert_fill(work, coef, h % FGTI_SCAN);
        raise_to(work, length);
        for (int64_t direction = 0; direction < m->directions; direction++) {
            const int64_t at = (direction * m->width + h) * work->n;
            FGTI_TRY(convert(ctx, work, r, m->c + at, out + at));
        }
    }
    return FGT_OK;
}

fgt_status fgti_s4_convert(fgt_context *ctx, const fgti_layer *l, int64_t length, fgti_real *weights)
{
    const fgti_ssm    m = fgti_s4_model(l, weights);
    const int64_t     n = 2 * m.pairs, coefficients = fgti_scan_coefficients(m.pairs, true);
    const fgti_param *c      = &l->param[fgti_s4_number(l, FGTI_S4_C)];
    double           *memory = NULL;
    fgti_real        *out    = NULL;
    fgt_status        s      = FGTI_NEW(ctx, 3 * n * n + n + coefficients, "matrices", &memory);
    if (s == FGT_OK) s = FGTI_NEW(ctx, c->count, "C", &out);
    if (s == FGT_OK) {
        matrices work = {n, memory, memory + n * n, memory + 2 * n * n};
        double  *r    = memory + 3 * n * n;
        s             = convert_all(ctx, &m, length, &work, r + n, r, out);
    }
    if (s == FGT_OK) memcpy(weights + c->offset, out, (size_t)c->count * sizeof *out);
    fgti_free(ctx, memory);
    fgti_free(ctx, out);
    return s;
}
