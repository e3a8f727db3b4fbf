/* SPDX-License-Identifier: BSD-3-Clause */
/* Auto-correlation against its definition in plain double arithmetic, by products and by Fourier transforms;
 * what holds for batches, padding and memory. Gradients are checked with those of all layers, by the cases of
 * attention.c. */
#include <math.h>
#include <string.h>

#include "../model_info.h"
#include "core/context.h"
#include "core/fft.h"
#include "nn/attention/attender/correlate.h"

#include "attender.h"
#include "nn/attention/attender/correlate_fft.h"
#include "nn/attention/attender/correlate_products.h"

enum { MOST = 100 };

static bool has_fft(void)
{
    return fgti_fft_plan_bytes(2) > 0;
}

/* Aligned as the library's own memory. */
static void *block(size_t bytes)
{
    const size_t align = FGTI_ALIGN;
    void        *p     = aligned_alloc(align, (bytes + align - 1) / align * align);
    if (!p) exit(99);
    return p;
}

/* ---- the sums alone ---- */

/* r_d = sum_j q_{(j+d) mod L} k_j', by definition */
static double define(const fgti_correlate *c, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < c->keys; j++)
        for (int64_t i = 0; i < c->width; i++)
            sum += (double)c->q[(j + d) % c->time * c->ldq + i] * (double)c->k[j * c->ldk + i];
    return sum;
}

static void check_sums(const fgti_correlate *c, const char *what)
{
    for (int64_t d = 0; d < c->time; d++) {
        const double want = define(c, d), bound = 1e-6 * (double)(c->width * c->time + 10);
        if (!(fabs((double)c->r[d] - want) < bound))
            fail_msg("%s, L %lld, S %lld: r[%lld] is %g, expected %g", what, (long long)c->time,
                     (long long)c->keys, (long long)d, (double)c->r[d], want);
    }
}

static void sums_of(int64_t time, int64_t keys, void *plans)
{
    enum { ROW = 5, LD = 7 };
    const int64_t  products = fgti_correlate_products_arena(time), fft = fgti_correlate_fft_arena(time);
    const int64_t  arena   = products > fft ? products : fft;
    float         *q       = block((size_t)(time * LD) * sizeof *q);
    float         *k       = block((size_t)(time * LD) * sizeof *k);
    float         *r       = block((size_t)time * sizeof *r);
    void          *scratch = block(ctx->blas->scratch_bytes);
    fgti_correlate c       = {time, keys, ROW, q, k, LD, LD, r, NULL, ctx->blas, ctx->vec, scratch, plans};
    c.arena                = block((size_t)arena * sizeof(float));
    draw_all(time * LD, q);
    draw_all(time * LD, k);
    fgti_correlate_products(&c);
    check_sums(&c, "products");
    if (plans) {
        fgti_correlate_fft(&c);
        check_sums(&c, "transforms");
    }
    free(c.arena);
    free(scratch);
    free(r);
    free(k);
    free(q);
}

static void test_sums(void **state)
{
    const int64_t times[] = {1, 2, 3, 4, 5, 8, 13, 31, 32, 33, 64, 96, 97, 128, 333};
    const int64_t bytes   = fgti_fft_plan_bytes(fgti_correlate_fft_size(333));
    void         *plans   = NULL;
    (void)state;
    if (has_fft()) {
        plans = block((size_t)bytes);
        fgti_fft_plan(fgti_correlate_fft_size(333), plans);
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        sums_of(times[i], times[i], plans);
        sums_of(times[i], times[i] / 3 + 1, plans);
    }
    free(plans);
}

/* ---- the layer ---- */

/* One pass of one layer: what goes in. */
typedef struct setting {
    int64_t time, keys, planned; /* keys 0: self attention */
    int32_t factor;
    bool    training, own, padded;
    float   x[B * MOST * D], memory[B * MOST * D];
    int32_t padding[B * MOST];
} setting;

static int64_t keys_of(const setting *s)
{
    return s->keys ? s->keys : s->time;
}

static int64_t delays_of(const setting *s)
{
    const int64_t n = (int64_t)floor(s->factor * log((double)s->time));
    return n < 1 ? 1 : n > s->time ? s->time : n;
}

static fgt_model *new_model(const setting *s)
{
    fgt_model           *m;
    const fgt_model_opts mo  = {.size = sizeof mo, .batch = B, .time = s->planned, .features = D, .seed = 3};
    const fgt_value_opts mem = {.size = sizeof mem, .time = MOST};
    const fgt_attention_opts o   = {.size                 = sizeof o,
                                    .heads                = HEADS,
                                    .attention.attender   = FGT_ATTENDER_CORRELATION,
                                    .attention.factor     = s->factor,
                                    .attention.own_delays = s->own};
    OK(fgt_model_create(ctx, &mo, &m));
    if (s->keys) {
        OK(fgt_model_add(m, fgt_named("memory", fgt_value(&mem))));
        OK(fgt_model_add_from(m, fgt_named("a", fgt_attention(&o)), (const char *[]){"", "memory"}, 2));
        OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", FGT_VIEW(s->memory, B, s->keys, D),
                                   NULL));
    } else
        OK(fgt_model_add(m, fgt_named("a", fgt_attention(&o))));
    if (s->padded)
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING,
                                  FGT_VIEW_OF(FGT_DTYPE_I32, s->padding, B, keys_of(s))));
    return m;
}

static void run(fgt_model *m, const setting *s, float *y)
{
    const fgt_view *x = FGT_VIEW(s->x, B, s->time, D), *out = FGT_VIEW(y, B, s->time, D);
    if (s->training)
        OK(fgt_forward(m, x, out));
    else
        OK(fgt_predict(m, x, out));
}

/* Queries, keys or values (0, 1, 2) of a sample, [L,D]: cut, padded or masked rows are zeros. */
static void project(const setting *s, const float *w, int64_t b, int which, double *out)
{
    const bool    mem  = which > 0 && s->keys;
    const int64_t rows = mem ? s->keys : s->time, masked = which > 0 || !s->keys;
    const float  *x = mem ? s->memory : s->x, *bias = w + 3 * D * D;
    memset(out, 0, (size_t)(s->time * D) * sizeof *out);
    for (int64_t t = 0; t < rows && t < s->time; t++)
        for (int64_t c = 0; c < D && !(s->padded && masked && s->padding[b * rows + t]); c++) {
            out[t * D + c] = (double)bias[which * D + c];
            for (int64_t k = 0; k < D; k++)
                out[t * D + c] += (double)x[(b * rows + t) * D + k] * (double)w[(which * D + c) * D + k];
        }
}

typedef struct sample {
    double  q[MOST * D], k[MOST * D], v[MOST * D], r[MOST], w[MOST];
    int64_t delay[MOST];
} sample;

static void correlate(const setting *s, sample *a)
{
    for (int64_t d = 0; d < s->time; d++) {
        a->r[d] = 0;
        for (int64_t i = 0; i < s->time * D; i++)
            a->r[d] += a->q[(i / D + d) % s->time * D + i % D] * a->k[i] / D;
    }
}

/* The delays with the largest r, by counting those before; and their weights. */
static void choose(const setting *s, const double *r, sample *a)
{
    double sum = 0;
    for (int64_t d = 0; d < s->time; d++) {
        int64_t before = 0;
        for (int64_t o = 0; o < s->time; o++) before += r[o] > r[d] || (r[o] == r[d] && o < d);
        if (before < delays_of(s)) a->delay[before] = d;
    }
    for (int64_t i = 0; i < delays_of(s); i++) sum += a->w[i] = exp(a->r[a->delay[i]] - a->r[a->delay[0]]);
    for (int64_t i = 0; i < delays_of(s); i++) a->w[i] /= sum;
}

/* A of the layer is that of the definition, and y = A V Wout' + bout. */
static void check_sample(const setting *s, const sample *a, int64_t b, const float *w, const fgt_view *m,
                         const float *y)
{
    static double c[MOST * D], want[MOST * MOST];
    const int64_t time = s->time, keys = keys_of(s);
    const float  *out = w + 3 * D * D + 3 * D;
    memset(c, 0, sizeof c);
    memset(want, 0, sizeof want);
    for (int64_t t = 0; t < time; t++)
        for (int64_t i = 0; i < delays_of(s); i++) {
            const int64_t j = (t + a->delay[i]) % time;
            for (int64_t n = 0; n < D; n++) c[t * D + n] += a->w[i] * a->v[j * D + n];
            if (j < keys && !(s->padded && s->padding[b * keys + j])) want[t * keys + j] = a->w[i];
        }
    for (int64_t i = 0; i < HEADS * time * keys; i++)
        if (!(fabs((double)((const float *)m->data)[b * HEADS * time * keys + i] - want[i % (time * keys)]) <
              2e-5))
            fail_msg("T %lld, T' %lld, factor %d: A is another one", (long long)time, (long long)keys,
                     s->factor);
    check_output(time, c, out, y + b * time * D);
}

static void check(setting *s)
{
    static float  y[B * MOST * D], w[4 * D * D + 4 * D];
    static sample a[B];
    double        mean[MOST] = {0};
    fgt_view      m_view;
    draw_all(B * MOST * D, s->x);
    draw_all(B * MOST * D, s->memory);
    for (int64_t i = 0; i < B * MOST; i++) s->padding[i] = draw() < -0.4;
    draw_all(4 * D * D + 4 * D, w);
    fgt_model *m = new_model(s);
    OK(fgt_model_set_weights(m, FGT_VIEW(w, 4 * D * D + 4 * D)));
    run(m, s, y);
    OK(fgt_model_get_adjacency(m, "a", &m_view));
    for (int64_t b = 0; b < B; b++) {
        project(s, w, b, 0, a[b].q);
        project(s, w, b, 1, a[b].k);
        project(s, w, b, 2, a[b].v);
        correlate(s, &a[b]);
        for (int64_t d = 0; d < s->time; d++) mean[d] += a[b].r[d];
    }
    for (int64_t b = 0; b < B; b++) {
        choose(s, s->training && !s->own ? mean : a[b].r, &a[b]);
        check_sample(s, &a[b], b, w, &m_view, y);
    }
    fgt_model_destroy(&m);
}

/* Planned for MOST or for many tokens: the longer takes transforms. */
static void test_definition(void **state)
{
    static setting s;
    const int64_t  times[][2] = {{1, 0},  {2, 0},   {3, 0},   {13, 0}, {64, 0},
                                 {97, 0}, {31, 12}, {31, 31}, {31, 40}};
    (void)state;
    assert_true(!has_fft() || fgti_correlate_fft_pays(8192));
    assert_false(fgti_correlate_fft_pays(MOST));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        for (int k = 0; k < 24; k++) {
            s = (setting){.time     = times[i][0],
                          .keys     = times[i][1],
                          .planned  = k & 1 ? 8192 : MOST,
                          .factor   = 1 + k / 8,
                          .training = k & 2,
                          .own      = k % 3 == 0,
                          .padded   = k & 4};
            check(&s);
        }
}

/* ---- which samples a sample depends on ---- */

static void test_batch(void **state)
{
    static setting s;
    static float   y[2][B * MOST * D];
    const int64_t  one = 40 * D;
    (void)state;
    for (int k = 0; k < 4; k++) {
        s            = (setting){.time = 40, .planned = 40, .factor = 1, .training = k & 1, .own = k & 2};
        fgt_model *m = new_model(&s);
        draw_all(B * s.time * D, s.x);
        for (int again = 0; again < 2; again++) {
            run(m, &s, y[again]);
            for (int64_t i = one; i < B * one; i++) s.x[i] = (float)sin(0.7 * (double)(i / D));
        }
        const bool same = !memcmp(y[0], y[1], (size_t)one * sizeof(float));
        assert_int_equal(same, !s.training || s.own);
        fgt_model_destroy(&m);
    }
}

static void test_padding(void **state)
{
    static setting s = {.time = 30, .planned = 30, .factor = 2, .padded = true, .training = true};
    static float   y[2][B * MOST * D];
    (void)state;
    draw_all(B * s.time * D, s.x);
    for (int64_t i = 0; i < B * s.time; i++) s.padding[i] = i >= s.time && i % 3 == 0;
    fgt_model *m = new_model(&s);
    for (int k = 0; k < 2; k++) {
        run(m, &s, y[k]);
        for (int64_t i = 0; i < B * s.time * D; i++)
            if (s.padding[i / D]) s.x[i] = 100 * (float)draw();
    }
    assert_memory_equal(y[0], y[1], (size_t)(B * s.time * D) * sizeof(float));
    fgt_model_destroy(&m);
}

/* NaN chooses some delays all the same, and spreads. */
static void test_nan(void **state)
{
    static setting s = {.time = 20, .planned = 20, .factor = 2};
    static float   y[B * MOST * D];
    (void)state;
    draw_all(B * s.time * D, s.x);
    s.x[3]       = NAN;
    fgt_model *m = new_model(&s);
    run(m, &s, y);
    assert_true(isnan(y[0]) && !isnan(y[s.time * D]));
    fgt_model_destroy(&m);
}

/* ---- long sequences, which take transforms ---- */

enum { LONG = 1100 };

static fgt_status new_long(fgt_context *c, fgt_model **m)
{
    const fgt_model_opts     mo = {.size = sizeof mo, .batch = B, .time = LONG, .features = D, .seed = 5};
    const fgt_attention_opts o  = {
         .size = sizeof o, .heads = HEADS, .attention.attender = FGT_ATTENDER_CORRELATION};
    return model_of_layer(c, &mo, fgt_attention(&o), m);
}

/* One pass forward and backward: y, dx and the gradient of the weights. */
static void run_long(fgt_model *m, const float *x, float *y, float *dx, float *dw)
{
    const fgt_view *in = FGT_VIEW(x, B, LONG, D), *out = FGT_VIEW(y, B, LONG, D);
    assert_int_equal(fgt_forward(m, in, out), FGT_OK);
    assert_int_equal(fgt_backward(m, in, FGT_VIEW(dx, B, LONG, D)), FGT_OK);
    assert_int_equal(fgt_model_copy_gradient(m, "in_proj_weight", FGT_VIEW(dw, 3 * D, D)), FGT_OK);
}

/* Any number of threads gives the same bits, and a second pass allocates nothing. */
static void test_threads(void **state)
{
    static float x[B * LONG * D], y[2][B * LONG * D], dx[2][B * LONG * D], dw[2][3 * D * D];
    (void)state;
    draw_all(B * LONG * D, x);
    for (int k = 0; k < 2; k++) {
        test_memory  hook;
        fgt_context *own = test_context(&hook, k ? 3 : 1);
        fgt_model   *m;
        assert_int_equal(new_long(own, &m), FGT_OK);
        run_long(m, x, y[k], dx[k], dw[k]);
        const int64_t calls = hook.calls;
        run_long(m, x, y[k], dx[k], dw[k]);
        assert_int_equal(hook.calls, calls);
        fgt_model_destroy(&m);
        fgt_context_destroy(&own);
        assert_int_equal(hook.live, 0);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
    assert_memory_equal(dw[0], dw[1], sizeof dw[0]);
}

/* Each allocation fails once, that of the plans too. */
static void test_no_memory(void **state)
{
    fgt_model *m = NULL;
    fgt_status s;
    (void)state;
    SWEEP(&memory, s, 3, new_long(ctx, &m)) assert_null(m);
    fgt_model_destroy(&m);
}

/* ---- refusals, memory ---- */

static void test_refused(void **state)
{
    static setting s = {.time = 7, .planned = 7, .factor = 1};
    static float   y[B * MOST * D];
    fgt_model     *m = new_model(&s);
    (void)state;
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, FGT_VIEW(y, 7, 7)));
    REFUSED(fgt_predict(m, FGT_VIEW(s.x, B, 7, D), FGT_VIEW(y, B, 7, D)), FGT_E_UNSUPPORTED,
            "attender correlation supports only key padding");
    fgt_model_destroy(&m);
}

static void test_edges(void **state)
{
    const fgt_model_opts     mo = {.size = sizeof mo, .batch = B, .time = 7, .features = D};
    const fgt_attention_opts o  = {.size = sizeof o, .attention.attender = FGT_ATTENDER_CORRELATION};
    fgt_model               *m;
    (void)state;
    OK(fgt_model_create(ctx, &mo, &m));
    for (int32_t kind = FGT_VALUE_ATTN_MASK; kind <= FGT_VALUE_SAMPLED_KEYS; kind++) {
        const fgt_value_opts v      = {.size = sizeof v, .kind = kind};
        char                 name[] = "mask0";
        name[4]                     = (char)('0' + kind);
        OK(fgt_model_add(m, fgt_named(name, fgt_value(&v))));
        REFUSED(fgt_model_add_from(m, fgt_attention(&o), (const char *[]){"", name}, 2), FGT_E_ARG,
                "not go with attender correlation");
    }
    fgt_model_destroy(&m);
}

static void test_little_memory(void **state)
{
    const int64_t            time = 4096;
    const fgt_model_opts     mo   = {.size = sizeof mo, .batch = 1, .time = time, .features = 4};
    const fgt_attention_opts o    = {.size = sizeof o, .attention.attender = FGT_ATTENDER_CORRELATION};
    fgt_layer_info           info = {.size = sizeof info};
    fgt_model               *m;
    (void)state;
    OK(model_of_layer(ctx, &mo, fgt_attention(&o), &m));
    OK(fgt_model_get_layer(m, 0, &info));
    assert_string_equal(info.route, "delays");
    assert_true(info.cache_bytes < 40 * time * (int64_t)sizeof(float));
    assert_true(fgt_model_get_workspace_bytes(m, NULL) < 400 * time * (int64_t)sizeof(float));
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),      cmocka_unit_test(test_definition),
        cmocka_unit_test(test_batch),     cmocka_unit_test(test_padding),
        cmocka_unit_test(test_nan),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_edges),     cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, start, test_close);
}
