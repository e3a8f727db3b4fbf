/* SPDX-License-Identifier: BSD-3-Clause */
/* The s4 layer beyond its cases: the ways to evaluate it agree, chunks are the whole, what is kept
 * follows the weights, first values, long sequences. */
#include <fighter/experimental/convert.h>

#include "../model_info.h"
#include "core/fft.h"
#include "driver.h"
#include "model/params.h"
#include "nn/ssm/hippo.h"
#include "nn/ssm/ssm.h"
#include "nn/ssm/ssm_pass.h"

/* A layer without block, so that nothing hides an error. */
static nn_case plain_case(fgt_s4_opts *o, int64_t batch, int64_t time, int64_t features)
{
    o->size = sizeof *o;
    return (nn_case){"plain", batch, 0, time, features, .layer = {{.type = "s4", .opts = o}}};
}

/* ---- ways ---- */

static bool has_fft(void)
{
    return fgti_fft_plan_bytes(2) > 0;
}

static double largest(int64_t n, const fgti_real *v)
{
    double top = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs((double)v[i]) > top) top = fabs((double)v[i]);
    return top;
}

static void close_to(const nn_world *w, const char *what, int64_t n, const fgti_real *a, const fgti_real *b)
{
    const double top = largest(n, b);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= 1e-5 * top))
            fail_msg("%s: %s: element %lld is %g, not %g, of %g", w->what, what, (long long)i, (double)a[i],
                     (double)b[i], top);
}

/* One parameter at a time: their gradients differ by orders of magnitude. */
static void compare_gradients(const nn_world *w, const fgti_real *a, const fgti_real *b)
{
    const fgti_layer *l;
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_param_at(w->model, i, &l)); i++)
        close_to(w, p->full_name, p->count, a + p->offset, b + p->offset);
}

/* Opens, and goes there and back. */
static void pass(nn_world *w, fgt_s4_opts *o, int64_t batch, int64_t time, int64_t features)
{
    const nn_case c = plain_case(o, batch, time, features);
    nn_open(w, "s4", &c);
    nn_ok(w, nn_forward(w));
    nn_ok(w, nn_backward(w));
}

static void check_ways(fgt_s4_opts o, int64_t batch, int64_t time, int64_t features)
{
    nn_world base = {0};
    o.way         = FGT_S4_WAY_RECURRENCE;
    pass(&base, &o, batch, time, features);
    static const int32_t ways[] = {FGT_S4_WAY_AUTO, FGT_S4_WAY_FFT, FGT_S4_WAY_TOEPLITZ};
    for (size_t each = 0; each < sizeof ways / sizeof *ways; each++) {
        const int32_t way = ways[each];
        nn_world w = {0};
        if (way == FGT_S4_WAY_FFT && !has_fft()) continue;
        o.way = way;
        pass(&w, &o, batch, time, features);
        snprintf(w.what, sizeof w.what, "way %d, kind %d, both %d, B %lld, T %lld, D %lld, S %lld", way,
                 o.kind, o.bidirectional, (long long)batch, (long long)time, (long long)features,
                 (long long)o.state);
        close_to(&w, "y", w.y_count, w.y, base.y);
        close_to(&w, "dx", w.x_count, w.dx, base.dx);
        compare_gradients(&w, w.model->gradients, base.model->gradients);
        nn_close(&w);
    }
    nn_close(&base);
}

static void test_ways(void **state)
{
    static const int64_t times[] = {1, 2, 3, 63, 64, 65, 129, 300}, widths[] = {1, 8, 11}, batches[] = {1, 3};
    (void)state;
    for (int i = 0; i < 8 * 3 * 2 * 4; i++) {
        const int64_t time = times[i % 8], width = widths[i / 8 % 3], batch = batches[i / 24 % 2];
        const int     kind = i / 48;
        check_ways((fgt_s4_opts){.size          = sizeof(fgt_s4_opts),
                                 .state         = 8,
                                 .block         = FGT_S4_BLOCK_NONE,
                                 .kind          = kind % 2 ? FGT_S4_DPLR : FGT_S4_DIAGONAL,
                                 .bidirectional = kind / 2},
                   batch, time, width);
    }
    check_ways((fgt_s4_opts){.size = sizeof(fgt_s4_opts), .block = FGT_S4_BLOCK_NONE}, 2, 1100, 3);
    check_ways((fgt_s4_opts){.size = sizeof(fgt_s4_opts), .bidirectional = 1}, 40, 20, 9);
}

/* The choice of AUTO, by the formulas of recurrent.h. */
static void test_choice(void **state)
{
    static const struct {
        int64_t samples, time, pairs;
        bool    training, fft;
        int     way;
    } cases[] = {
        {64, 50, 32, false, true, FGTI_SSM_TOEPLITZ},     {64, 50, 32, true, true, FGTI_SSM_TOEPLITZ},
        {1, 16384, 32, false, true, FGTI_SSM_RECURRENCE}, {8, 4096, 32, false, true, FGTI_SSM_RECURRENCE},
        {8, 4096, 256, false, true, FGTI_SSM_FFT},        {8, 4096, 256, false, false, FGTI_SSM_TOEPLITZ},
        {1000, 1, 32, true, true, FGTI_SSM_RECURRENCE},   {100, 1500, 32, true, true, FGTI_SSM_TOEPLITZ},
        {100, 1500, 2, true, true, FGTI_SSM_RECURRENCE},  {100, 33, 32, false, true, FGTI_SSM_TOEPLITZ},
        {100, 8192, 64, true, true, FGTI_SSM_FFT},        {8, 4096, 32, false, false, FGTI_SSM_RECURRENCE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const fgti_ssm m = {.width = 8, .pairs = cases[i].pairs, .directions = 1};
        assert_int_equal(
            fgti_ssm_choose(&m, cases[i].samples, cases[i].time, cases[i].training, cases[i].fft),
            cases[i].way);
    }
}

/* ---- states ---- */

/* Rows t0 .. t0 + n - 1 of every sample, from one tensor to the other. */
static void copy_rows(int64_t batch, int64_t time, int64_t width, int64_t t0, int64_t n, fgti_real *whole,
                      fgti_real *part, bool back)
{
    for (int64_t b = 0; b < batch; b++) {
        fgti_real *from = whole + (b * time + t0) * width, *to = part + b * n * width;
        memcpy(back ? from : to, back ? to : from, (size_t)(n * width) * sizeof *to);
    }
}

static void check_chunks(fgt_s4_opts o, int64_t batch, int64_t time, int64_t width, int64_t chunk)
{
    nn_world   w   = {0};
    nn_case    c   = plain_case(&o, batch, time, width);
    fgt_view   end = {0}, got = {0};
    fgti_real *x   = nn_memory(batch * time * width, sizeof *x),
              *y   = nn_memory(batch * time * width, sizeof *y);
    fgti_real *all = nn_memory(batch * time * width, sizeof *all);
    nn_open(&w, "s4", &c);
    nn_ok(&w, nn_predict(&w));
    nn_ok(&w, fgt_workspace_get_state_shape(fgt_model_get_workspace(w.model), "0.state", &end));
    got      = end;
    end.data = nn_memory(fgt_view_count(&end), sizeof(fgti_real));
    got.data = nn_memory(fgt_view_count(&got), sizeof(fgti_real));
    assert_int_equal(end.shape[2], width * o.state);
    nn_ok(&w, fgt_workspace_copy_state(fgt_model_get_workspace(w.model), "0.state",
                                       &end)); /* nobody carries it: zero */
    assert_true(largest(fgt_view_count(&end), end.data) == 0);
    nn_ok(&w, fgt_workspace_set_stateful(fgt_model_get_workspace(w.model), 1));
    nn_ok(&w, fgt_workspace_begin_series(fgt_model_get_workspace(w.model), 0));
    for (int64_t t = 0; t < time; t += chunk) {
        const int64_t n = time - t < chunk ? time - t : chunk;
        copy_rows(batch, time, width, t, n, w.d.x, x, false);
        nn_ok(&w, fgt_predict(w.model, FGT_VIEW_OF(FGTI_REAL, x, batch, n, width),
                              FGT_VIEW_OF(FGTI_REAL, y, batch, n, width)));
        copy_rows(batch, time, width, t, n, all, y, true);
    }
    close_to(&w, "y in chunks", w.y_count, all, w.y);
    nn_ok(&w, fgt_workspace_copy_state(fgt_model_get_workspace(w.model), "0.state", &got));
    nn_ok(&w, fgt_workspace_begin_series(fgt_model_get_workspace(w.model), 0));
    nn_ok(&w, nn_predict(&w)); /* at once, with its end */
    close_to(&w, "y with states", w.y_count, all, w.y);
    nn_ok(&w, fgt_workspace_copy_state(fgt_model_get_workspace(w.model), "0.state", &end));
    close_to(&w, "state", fgt_view_count(&end), got.data, end.data);
    free(end.data);
    free(got.data);
    free(x);
    free(y);
    free(all);
    nn_close(&w);
}

static void test_chunks(void **state)
{
    static const int64_t chunks[] = {1, 7, 16, 50};
    (void)state;
    for (int i = 0; i < 4 * 2 * 2; i++) {
        const fgt_s4_opts o = {.state = 8,
                               .kind  = i / 4 % 2 ? FGT_S4_DPLR : FGT_S4_DIAGONAL,
                               .block = i / 8 ? FGT_S4_BLOCK_NONE : FGT_S4_BLOCK_FULL,
                               .way   = FGT_S4_WAY_TOEPLITZ};
        check_chunks(o, 1 + i % 3, 50, 10, chunks[i % 4]);
    }
    check_chunks((fgt_s4_opts){.state = 4, .block = FGT_S4_BLOCK_MINIMAL}, 2, 20, 3, 1);
}

/* ---- what is kept ---- */

static void test_new_weights(void **state)
{
    fgt_s4_opts o = {.state = 8};
    nn_case     c = plain_case(&o, 2, 12, 9);
    nn_world    w = {0}, fresh = {0};
    (void)state;
    nn_open(&w, "s4", &c);
    nn_open(&fresh, "s4", &c);
    nn_ok(&w, nn_predict(&w));
    for (int64_t i = 0; i < model_info(w.model).tensors; i++) {
        fgt_view v = {0};
        nn_ok(&w, parameter_shape(w.model, parameter_name(w.model, i), &v));
        const int64_t n = fgt_view_count(&v);
        fgti_real    *p = nn_memory(n, sizeof *p);
        v.data          = p;
        nn_ok(&w, fgt_model_copy_parameter(w.model, parameter_name(w.model, i), &v));
        p[n - 1] *= (fgti_real)1.1;
        p[0] += (fgti_real)0.01;
        nn_ok(&w, fgt_model_set_parameter(w.model, parameter_name(w.model, i), &v));
        nn_ok(&w, nn_predict(&w)); /* sees this change alone */
        nn_ok(&fresh, fgt_model_set_parameter(fresh.model, parameter_name(w.model, i), &v));
        free(p);
    }
    nn_ok(&fresh, nn_predict(&fresh));
    nn_same(&w, "y with new weights", w.y_count, w.y, fresh.y);
    nn_close(&fresh);
    nn_close(&w);
}

/* ---- first values ---- */

/* The matrix S = A + P P' + 1/2 is skew with +-sqrt((2i+1)(2j+1))/2, and the moments P' S^2k P are
 * 2 sum p^2 (-omega^2)^k. */
static void test_hippo(void **state)
{
    enum { MOST = 64 };
    (void)state;
    for (int64_t pairs = 1; pairs <= MOST / 2; pairs++) {
        double        omega[MOST], p[MOST], v[MOST], next[MOST];
        const int64_t n = 2 * pairs;
        fgti_hippo_legs(pairs, omega, p);
        for (int64_t i = 0; i < n; i++) v[i] = sqrt((double)i + 0.5);
        for (int k = 0; k < 4; k++) {
            double moment = 0, sum = 0;
            for (int64_t i = 0; i < n; i++) moment += v[i] * v[i];
            for (int64_t i = 0; i < pairs; i++) sum += 2 * p[i] * p[i] * pow(omega[i], 2 * k);
            assert_true(fabs(moment - sum) <= 1e-11 * moment);
            for (int64_t i = 0; i < n; i++) {
                next[i] = 0;
                for (int64_t j = 0; j < n; j++) {
                    const double a = sqrt(((double)i + 0.5) * ((double)j + 0.5));
                    next[i] += i == j ? 0 : (i > j ? -a : a) * v[j];
                }
            }
            memcpy(v, next, sizeof v);
        }
        for (int64_t i = 1; i < pairs; i++) assert_true(omega[i] < omega[i - 1] && omega[i] > 0);
    }
}

static void check_values(fgt_model *m, const char *name, double (*want)(int32_t init, int64_t i),
                         int32_t init, double tolerance)
{
    fgt_view v = {0};
    assert_int_equal(parameter_shape(m, name, &v), FGT_OK);
    const int64_t n = fgt_view_count(&v);
    fgti_real    *p = v.data = nn_memory(n, sizeof *p);
    assert_int_equal(fgt_model_copy_parameter(m, name, &v), FGT_OK);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)p[i] - want(init, i)) <= tolerance))
            fail_msg("%s[%lld], init %d: %.9g, not %.9g", name, (long long)i, init, (double)p[i],
                     want(init, i));
    free(p);
}

/* Those of the authors for S = 8, from their files; the first B is clipped at 2. */
static double first_imag(int32_t init, int64_t i)
{
    static const double imag[3][4] = {{19.8574104, 5.35420851, 1.95779415, 0.427488712},
                                      {1e-4, 3.14159265, 6.28318531, 9.42477796},
                                      {17.8253536, 4.24413182, 1.52788745, 0.363782727}};
    return imag[init - FGT_S4_INIT_LEGS][i % 4];
}

static double first_real(int32_t init, int64_t i)
{
    (void)init;
    (void)i;
    return log(0.5);
}

static double first_b(int32_t init, int64_t i)
{
    static const double b[4] = {2, 1.84386891, 1.17495994, 0.799463588};
    return i % 2 ? 0 : init == FGT_S4_INIT_LEGS ? b[i / 2 % 4] : 1;
}

static double first_p(int32_t init, int64_t i)
{
    static const double p[4] = {3.64557777, 1.30381225, 0.830822146, 0.565306124};
    (void)init;
    return i % 2 ? 0 : p[i / 2 % 4];
}

/* The middle of what log dt is drawn from. */
static double first_dt(int32_t init, int64_t i)
{
    (void)init;
    (void)i;
    return (log(0.01) + log(0.3)) / 2;
}

static void test_first_values(void **state)
{
    fgt_context *ctx;
    (void)state;
    assert_int_equal(fgt_context_create(NULL, &ctx), FGT_OK);
    for (int32_t i = 0; i < 4; i++) {
        const int32_t     init = i ? i : FGT_S4_INIT_LEGS;
        const fgt_s4_opts o    = {.size   = sizeof o,
                                  .state  = 8,
                                  .kind   = i ? FGT_S4_DIAGONAL : FGT_S4_DPLR,
                                  .init   = init,
                                  .block  = FGT_S4_BLOCK_NONE,
                                  .dt_min = 0.01f,
                                  .dt_max = 0.3f};
        fgt_model        *m;
        assert_int_equal(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 40), fgt_s4(&o), &m),
                         FGT_OK);
        check_values(m, "kernel.A_imag", first_imag, init, 2e-6);
        check_values(m, "kernel.A_real", first_real, init, 1e-7);
        check_values(m, "kernel.B", first_b, init, 1e-6);
        check_values(m, "kernel.inv_dt", first_dt, init, (log(0.3) - log(0.01)) / 2 + 1e-6);
        if (!i) check_values(m, "kernel.P", first_p, init, 1e-6);
        fgt_model_destroy(&m);
    }
    fgt_context_destroy(&ctx);
}

/* ---- C~ ---- */

static void test_length(void **state)
{
    fgt_s4_opts o = {.state = 8}, diagonal = {.state = 8, .kind = FGT_S4_DIAGONAL};
    nn_case     c = plain_case(&o, 1, 4, 9), other = plain_case(&diagonal, 1, 4, 2);
    nn_world    w = {0}, d = {0};
    (void)state;
    nn_open(&w, "s4", &c);
    nn_open(&d, "s4", &other);
    assert_int_equal(fgt_s4_convert_length(NULL, "", 4), FGT_E_ARG);
    assert_int_equal(fgt_s4_convert_length(w.model, NULL, 4), FGT_E_ARG);
    assert_int_equal(fgt_s4_convert_length(w.model, "", 0), FGT_E_ARG);
    assert_int_equal(fgt_s4_convert_length(w.model, "no", 4), FGT_E_NAME);
    assert_int_equal(fgt_s4_convert_length(d.model, w.model->layer[0]->name, 4), FGT_E_UNSUPPORTED);
    const uint64_t before = fgt_model_get_hash(w.model);
    const char    *name   = w.model->layer[0]->name;
    for (int k = 1; k <= 2; k++) {
        w.hook.countdown = k;
        assert_int_equal(fgt_s4_convert_length(w.model, name, 4), FGT_E_NOMEM);
        assert_true(fgt_model_get_hash(w.model) == before);
    }
    w.hook.countdown = 0;
    nn_ok(&w, fgt_s4_convert_length(w.model, name, 4));
    assert_true(fgt_model_get_hash(w.model) != before);
    /* after very many steps dA^L is nothing, and C~ is C */
    const uint64_t now = fgt_model_get_hash(w.model);
    nn_ok(&w, fgt_s4_convert_length(w.model, name, INT64_C(1) << 40));
    assert_true(fgt_model_get_hash(w.model) == now);
    nn_close(&d);
    nn_close(&w);
}

/* ---- 16,384 steps ---- */

typedef struct meter {
    int64_t now, top;
} meter;

static void *meter_alloc(void *user, size_t size, size_t align)
{
    meter *m = user;
    m->now += (int64_t)size;
    m->top = m->now > m->top ? m->now : m->top;
    return fgti_libc_alloc(NULL, size, align);
}

static void meter_release(void *user, void *p, size_t size)
{
    ((meter *)user)->now -= (int64_t)size;
    fgti_libc_release(NULL, p, size);
}

static void test_long(void **state)
{
    enum { TIME = 16384, WIDTH = 64 };
    meter               m = {0};
    const fgt_allocator a = {sizeof a, &m, meter_alloc, meter_release};
    fgt_context        *ctx;
    fgt_model          *model;
    fgti_real          *x = nn_memory(TIME * WIDTH, sizeof *x), *y = nn_memory(TIME * WIDTH, sizeof *y);
    (void)state;
    for (int64_t i = 0; i < TIME * WIDTH; i++)
        x[i] = (fgti_real)fgti_rng_normal((fgti_rng){1, 1}, (uint64_t)i);
    assert_int_equal(fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &a, .threads = 2), &ctx),
                     FGT_OK);
    static const int32_t ways[] = {
        FGT_S4_WAY_AUTO, FGT_S4_WAY_FFT, FGT_S4_WAY_TOEPLITZ, FGT_S4_WAY_RECURRENCE,
    };
    for (size_t each = 0; each < sizeof ways / sizeof *ways; each++) {
        const int32_t way = ways[each];
        if (way == FGT_S4_WAY_FFT && !has_fft()) continue;
        assert_int_equal(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .time = TIME, .features = WIDTH),
                                        fgt_s4(&FGT_OPTS(fgt_s4_opts, .way = way)), &model),
                         FGT_OK);
        const fgt_view vx = *FGT_VIEW_OF(FGTI_REAL, x, 1, TIME, WIDTH),
                       vy = *FGT_VIEW_OF(FGTI_REAL, y, 1, TIME, WIDTH);
        assert_int_equal(fgt_forward(model, &vx, &vy), FGT_OK);
        assert_int_equal(fgt_backward(model, &vy, &vy), FGT_OK);
        assert_true(fgti_all_finite(TIME * WIDTH, y));
        assert_true(fgti_all_finite(model_info(model).parameters, model->gradients));
        fgt_model_destroy(&model);
    }
    fgt_context_destroy(&ctx);
    assert_true(m.top < INT64_C(1) << 30);
    print_message("at most %lld MiB\n", (long long)(m.top >> 20));
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),   cmocka_unit_test(test_choice),
        cmocka_unit_test(test_chunks), cmocka_unit_test(test_new_weights),
        cmocka_unit_test(test_hippo),  cmocka_unit_test(test_first_values),
        cmocka_unit_test(test_length), cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
