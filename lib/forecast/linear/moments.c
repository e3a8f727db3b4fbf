/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear/moments.h"

#include <math.h>
#include <string.h>

#include "core/context.h"

fgt_status fgti_moments_new(fgt_context *ctx, int64_t size, fgti_moments *m)
{
    int64_t square;
    *m = (fgti_moments){.size = size};
    if (!fgti_size_mul(size, size, &square))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "windows of %lld rows are too long", (long long)size);
    FGTI_TRY(FGTI_NEW(ctx, size, "moments", &m->sum));
    return FGTI_NEW(ctx, square, "moments", &m->product);
}

void fgti_moments_done(fgt_context *ctx, fgti_moments *m)
{
    fgti_free(ctx, m->sum);
    fgti_free(ctx, m->product);
    *m = (fgti_moments){0};
}

void fgti_moments_clear(fgti_moments *m)
{
    m->count = 0;
    memset(m->sum, 0, (size_t)m->size * sizeof *m->sum);
    memset(m->product, 0, (size_t)(m->size * m->size) * sizeof *m->product);
}

/* Lags whose products are summed side by side: a single sum would wait for each addition. */
enum { TOGETHER = FGTI_MOMENTS_MORE };

/* out[j] = sum over t < n of s[t] s[t + k + j] */
static void sum_products(const double *s, int64_t n, int64_t k, double out[TOGETHER])
{
    double sum[TOGETHER] = {0};
    for (int64_t t = 0; t < n; t++)
        for (int64_t j = 0; j < TOGETHER; j++) sum[j] += s[t] * s[t + k + j];
    for (int64_t j = 0; j < TOGETHER; j++) out[j] = sum[j];
}

/* Adds one diagonal of the products. Neighbouring windows share all elements but one. So the product P of
 * elements i + 1 and i + 1 + k follows from the product of elements i and i + k, in n M + M^2 steps instead
 * of n M^2:
 *   P[i+1,i+1+k] = P[i,i+k] - s[i] s[i+k] + s[n+i] s[n+i+k] */
static void add_diagonal(fgti_moments *m, const double *s, int64_t n, int64_t k, double p)
{
    const int64_t size = m->size;
    for (int64_t i = 0; i + k < size; i++) {
        m->product[i * size + i + k] += p;
        if (k) m->product[(i + k) * size + i] += p;
        if (i + k + 1 < size) p += s[n + i] * s[n + i + k] - s[i] * s[i + k];
    }
}

/* s has TOGETHER elements more than `rows`. The values of these elements do not matter. */
static void moments_add_run(fgti_moments *m, const double *s, int64_t rows)
{
    const int64_t size = m->size, n = rows - size + 1;
    double        sum = 0, p[TOGETHER];
    m->count += (double)n;
    for (int64_t t = 0; t < n; t++) sum += s[t];
    for (int64_t i = 0; i < size; i++) {
        m->sum[i] += sum;
        if (i + 1 < size) sum += s[n + i] - s[i];
    }
    for (int64_t k = 0; k < size; k += TOGETHER) {
        sum_products(s, n, k, p);
        for (int64_t j = 0; j < TOGETHER && k + j < size; j++) add_diagonal(m, s, n, k + j, p[j]);
    }
}

void fgti_moments_add_series(fgti_moments *m, const double *series, int64_t rows)
{
    for (int64_t begin = 0, end; begin < rows; begin = end + 1) {
        for (end = begin; end < rows && !isnan(series[end]); end++) continue;
        if (end - begin >= m->size) moments_add_run(m, series + begin, end - begin);
    }
}

void fgti_moments_add(fgti_moments *m, const fgti_moments *other)
{
    m->count += other->count;
    for (int64_t i = 0; i < m->size; i++) m->sum[i] += other->sum[i];
    for (int64_t i = 0; i < m->size * m->size; i++) m->product[i] += other->product[i];
}

void fgti_moments_take_off(const fgti_moments *m, int64_t base, fgti_moments *out)
{
    const int64_t n = m->size;
    const double *b = m->product + base * n;
    out->count      = m->count;
    for (int64_t i = 0; i < n; i++) {
        out->sum[i] = m->sum[i] - m->sum[base];
        for (int64_t j = 0; j < n; j++)
            out->product[i * n + j] = m->product[i * n + j] - b[i] - b[j] + b[base];
    }
}
