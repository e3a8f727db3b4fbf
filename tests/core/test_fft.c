/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_only.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fft.h"
#include "core/rng.h"

#define PI 3.14159265358979323846

enum { MOST = 256 };

static void *plans_for(int64_t n)
{
    const size_t bytes = (size_t)fgti_fft_plan_bytes(n);
    void        *plans = NULL;
    if (!bytes) return NULL;
    assert_int_equal(posix_memalign(&plans, FGTI_ALIGN, bytes), 0);
    fgti_fft_plan(n, plans);
    return plans;
}

static void fill(int64_t n, uint64_t seed, fgti_complex *x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i].re = (fgti_real)(fgti_rng_uniform((fgti_rng){seed, 1}, (uint64_t)(2 * i)) - 0.5);
        x[i].im = (fgti_real)(fgti_rng_uniform((fgti_rng){seed, 1}, (uint64_t)(2 * i + 1)) - 0.5);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(fgti_fft_size(1), 2);
    assert_int_equal(fgti_fft_size(2), 2);
    assert_int_equal(fgti_fft_size(3), 4);
    assert_int_equal(fgti_fft_size(1025), 2048);
    assert_int_equal(fgti_fft_plan_bytes(INT64_C(1) << 27), 0);
    assert_int_equal(fgti_fft_plan_bytes(fgti_fft_size(INT64_MAX / 128)), 0);
}

/* The sums of the definition, in double; every size by the plans of the largest. */
static void test_definition(void **state)
{
    (void)state;
    void        *plans = plans_for(MOST);
    fgti_complex x[MOST], forward[MOST], back[MOST];
    if (!plans) skip();
    for (int64_t n = 2; n <= MOST; n *= 2) {
        fill(n, (uint64_t)n, x);
        fgti_fft_forward(plans, n, x, forward);
        fgti_fft_inverse(plans, n, forward, back);
        for (int64_t f = 0; f < n; f++) {
            double re = 0, im = 0;
            for (int64_t t = 0; t < n; t++) {
                const double angle = -2 * PI * (double)(f * t % n) / (double)n, c = cos(angle),
                             s = sin(angle);
                re += (double)x[t].re * c - (double)x[t].im * s;
                im += (double)x[t].re * s + (double)x[t].im * c;
            }
            assert_true(fabs((double)forward[f].re - re) < 1e-5 && fabs((double)forward[f].im - im) < 1e-5);
            assert_true(fabs((double)back[f].re / (double)n - (double)x[f].re) < 1e-6);
            assert_true(fabs((double)back[f].im / (double)n - (double)x[f].im) < 1e-6);
        }
    }
    free(plans);
}

/* The transforms of two real sequences out of one; the plans are the same bytes after it. */
static void test_pair(void **state)
{
    (void)state;
    enum { N = 32 };
    void        *plans = plans_for(N), *before;
    fgti_complex z[N], a[N], b[N], spectrum[N], one[N], other[N];
    if (!plans) skip();
    const size_t bytes = (size_t)fgti_fft_plan_bytes(N);
    before             = malloc(bytes);
    assert_non_null(before);
    memcpy(before, plans, bytes);
    fill(N, 5, z);
    for (int i = 0; i < N; i++) {
        a[i] = (fgti_complex){z[i].re, 0};
        b[i] = (fgti_complex){z[i].im, 0};
    }
    fgti_fft_forward(plans, N, z, spectrum);
    fgti_fft_forward(plans, N, a, one);
    fgti_fft_forward(plans, N, b, other);
    for (int f = 0; f < N; f++) {
        const fgti_complex m   = fgti_fft_mirrored(N, spectrum, f);
        const fgti_complex sum = fgti_complex_add(spectrum[f], m), rest = fgti_complex_sub(spectrum[f], m);
        assert_true(fabs((double)(sum.re / 2 - one[f].re)) < 1e-5);
        assert_true(fabs((double)(sum.im / 2 - one[f].im)) < 1e-5);
        assert_true(fabs((double)(rest.im / 2 - other[f].re)) < 1e-5);
        assert_true(fabs((double)(-rest.re / 2 - other[f].im)) < 1e-5);
    }
    assert_memory_equal(before, plans, bytes);
    free(before);
    free(plans);
}

static void test_arithmetic(void **state)
{
    (void)state;
    const fgti_complex a = {1, 2}, b = {3, -5}, ab = fgti_complex_mul(a, b), cb = fgti_complex_mul_conj(a, b);
    assert_true(ab.re == 13 && ab.im == 1);
    assert_true(cb.re == -7 && cb.im == -11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
