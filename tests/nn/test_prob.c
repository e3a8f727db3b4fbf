/* SPDX-License-Identifier: BSD-3-Clause */
/* ProbSparse attention against its definition in plain double arithmetic, and what holds for the draw, for
 * padding and for memory. Gradients are checked with those of all layers, by the cases of attention.c. */
#include <float.h>
#include <math.h>

#include "../model_info.h"
#include "attender.h"

enum { MOST = 48 };


/* One pass of one layer: what goes in. */
typedef struct setting {
    int64_t time, factor;
    bool    causal, padded;
    int64_t before; /* padded: so many tokens at the beginning of each sample are */
    float   x[B * MOST * D];
    int32_t padding[B * MOST], keys[MOST * MOST];
} setting;

static int64_t few(const setting *s)
{
    int64_t rounds = 0; /* ceil(ln T) */
    while (exp((double)rounds) < (double)s->time) rounds++;
    return s->factor * rounds < s->time ? s->factor * rounds : s->time;
}

static int64_t sampled(const setting *s)
{
    return few(s) ? few(s) : 1;
}

static void draw_setting(setting *s)
{
    for (int64_t i = 0; i < B * s->time * D; i++) s->x[i] = (float)draw() * 3;
    for (int64_t i = 0; i < B * s->time; i++) s->padding[i] = i >= s->time && draw() < -0.4;
    for (int64_t i = 0; i < s->time * sampled(s); i++)
        s->keys[i] = (int32_t)((draw() + 1) / 2 * (double)s->time);
    if (s->padded && s->time > 4) /* the last sample has no key */
        for (int64_t i = 2 * s->time; i < B * s->time; i++) s->padding[i] = 1;
    for (int64_t i = 0; i < B * s->time; i++) s->padding[i] |= i % s->time < s->before;
}

static fgt_model *new_model(const setting *s, bool given)
{
    fgt_model               *m;
    const fgt_model_opts     mo = {.size = sizeof mo, .batch = B, .time = s->time, .features = D, .seed = 3};
    const fgt_attention_opts o  = {.size               = sizeof o,
                                   .heads              = HEADS,
                                   .attention.causal   = s->causal,
                                   .attention.attender = FGT_ATTENDER_PROB,
                                   .attention.factor   = (int32_t)s->factor};
    OK(model_of_layer(ctx, &mo, fgt_attention(&o), &m));
    if (given)
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_SAMPLED_KEYS,
                                  FGT_VIEW_OF(FGT_DTYPE_I32, s->keys, s->time, sampled(s))));
    if (s->padded)
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING,
                                  FGT_VIEW_OF(FGT_DTYPE_I32, s->padding, B, s->time)));
    return m;
}

/* ---- the definition ---- */

/* x W' + b for part 0, 1, 2 of in_proj: queries, keys, values of one head, [T,WIDTH] */
static void project(const setting *s, const float *w, const float *b, int64_t sample, int head, int which,
                    double *out)
{
    for (int64_t t = 0; t < s->time; t++)
        for (int64_t c = 0; c < WIDTH; c++) {
            const int64_t row = which * D + head * WIDTH + c;
            double        sum = b[row];
            for (int64_t k = 0; k < D; k++)
                sum += (double)s->x[(sample * s->time + t) * D + k] * (double)w[row * D + k];
            out[t * WIDTH + c] = sum;
        }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int64_t c = 0; c < WIDTH; c++) sum += a[c] * b[c];
    return sum;
}

static bool hides(const setting *s, int64_t sample, int64_t key)
{
    return s->padded && s->padding[sample * s->time + key];
}

static double measure(const setting *s, int64_t sample, const double *q, const double *k, int64_t i)
{
    double top = -INFINITY, sum = 0, keys = 0;
    for (int64_t j = 0; j < s->time; j++) keys += !hides(s, sample, j);
    for (int64_t u = 0; u < sampled(s); u++) {
        const int64_t j = s->keys[i * sampled(s) + u];
        if (hides(s, sample, j)) continue;
        top = fmax(top, dot(q + i * WIDTH, k + j * WIDTH));
        sum += dot(q + i * WIDTH, k + j * WIDTH);
    }
    if (hides(s, sample, i)) return -INFINITY; /* the last to be chosen */
    return isinf(top) ? -(double)FLT_MAX : top - sum / keys;
}

/* A of one head [T,T] */
static void define(const setting *s, int64_t sample, const double *q, const double *k, double *a)
{
    double  m[MOST];
    int64_t t = s->time;
    for (int64_t i = 0; i < t; i++) m[i] = measure(s, sample, q, k, i);
    for (int64_t i = 0; i < t; i++) {
        int64_t before = 0;
        double  sum    = 0;
        for (int64_t o = 0; o < t; o++) before += m[o] > m[i] || (m[o] == m[i] && o < i);
        const bool chosen = before < few(s);
        for (int64_t j = 0; j < t; j++) {
            const bool   sees = !hides(s, sample, j) && (!s->causal || j <= i);
            const double e    = chosen ? exp(dot(q + i * WIDTH, k + j * WIDTH) / sqrt(WIDTH)) : 1;
            a[i * t + j]      = sees ? e : 0;
            sum += a[i * t + j];
        }
        if (!chosen && s->causal) sum = 1;
        for (int64_t j = 0; j < t && sum > 0; j++) a[i * t + j] /= sum;
    }
}

/* A of the layer is that of the definition, and y = [A V] Wout' + bout. */
static void check_sample(const setting *s, int64_t sample, const float *w, const fgt_view *a, const float *y)
{
    static double q[MOST * WIDTH], k[MOST * WIDTH], v[MOST * WIDTH], want[MOST * MOST], c[MOST * D];
    const int64_t t    = s->time;
    const float  *bias = w + 3 * D * D, *out = bias + 3 * D;
    for (int h = 0; h < HEADS; h++) {
        const float *got = (const float *)a->data + (sample * HEADS + h) * t * t;
        project(s, w, bias, sample, h, 0, q);
        project(s, w, bias, sample, h, 1, k);
        project(s, w, bias, sample, h, 2, v);
        define(s, sample, q, k, want);
        for (int64_t i = 0; i < t * t; i++)
            if (!(fabs((double)got[i] - want[i]) < 1e-5))
                fail_msg("T %lld, factor %lld, causal %d, padded %d: A[%lld] is %g, expected %g",
                         (long long)t, (long long)s->factor, s->causal, s->padded, (long long)i,
                         (double)got[i], want[i]);
        weigh_values(t, want, v, h, c);
    }
    check_output(t, c, out, y + sample * t * D);
}

static void check(setting *s)
{
    static float y[B * MOST * D], w[4 * D * D + 4 * D];
    fgt_view     a;
    draw_setting(s);
    fgt_model *m = new_model(s, true);
    assert_int_equal(model_info(m).parameters, 4 * D * D + 4 * D);
    draw_all(4 * D * D + 4 * D, w);
    OK(fgt_model_set_weights(m, FGT_VIEW(w, 4 * D * D + 4 * D)));
    OK(fgt_predict(m, FGT_VIEW(s->x, B, s->time, D), FGT_VIEW(y, B, s->time, D)));
    OK(fgt_model_get_adjacency(m, "", &a));
    for (int64_t b = 0; b < B; b++) check_sample(s, b, w, &a, y);
    fgt_model_destroy(&m);
}

static void test_definition(void **state)
{
    static setting s;
    const int64_t  times[] = {1, 2, 3, 7, 20, 21, MOST};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        for (int k = 0; k < 12; k++) {
            s = (setting){.time = times[i], .factor = 1 + k / 4, .causal = k & 1, .padded = k & 2};
            check(&s);
        }
    /* few tokens behind much padding: hardly any sampled key counts */
    s = (setting){.time = 40, .factor = 2, .padded = true, .before = 36};
    check(&s);
}

/* ---- the draw ---- */

static void test_draw(void **state)
{
    static setting s = {.time = 40, .factor = 1};
    (void)state;
    draw_setting(&s);
    fgt_model *m = new_model(&s, false), *again = new_model(&s, false);
    check_draw(m, again, s.time, s.x);
    fgt_model_destroy(&again);
    fgt_model_destroy(&m);
}

/* ---- padded tokens reach no other token ---- */

static void test_padding(void **state)
{
    static setting s = {.time = 30, .factor = 2, .padded = true};
    static float   y[2][B * MOST * D];
    (void)state;
    draw_setting(&s);
    fgt_model *m = new_model(&s, false);
    for (int k = 0; k < 2; k++) {
        OK(fgt_predict(m, FGT_VIEW(s.x, B, s.time, D), FGT_VIEW(y[k], B, s.time, D)));
        for (int64_t i = 0; i < B * s.time * D; i++)
            if (s.padding[i / D]) s.x[i] = 100 * (float)draw();
    }
    for (int64_t i = 0; i < B * s.time * D; i++)
        if (!s.padding[i / D] && y[0][i] != y[1][i]) fail_msg("token %lld has changed", (long long)(i / D));
    fgt_model_destroy(&m);
}

/* ---- refusals of the pass and of edges ---- */

static void test_refused(void **state)
{
    static setting s = {.time = 7, .factor = 1};
    static float   y[B * MOST * D];
    (void)state;
    draw_setting(&s);
    fgt_model      *m = new_model(&s, true);
    const fgt_view *x = FGT_VIEW(s.x, B, s.time, D), *out = FGT_VIEW(y, B, s.time, D);
    OK(fgt_predict(m, x, out));
    s.keys[3] = 7;
    REFUSED(fgt_predict(m, x, out), FGT_E_DATA,
            "sampled key is out of range (got 7 of query 1, need 0 .. 6)");
    s.keys[3] = -1;
    REFUSED(fgt_forward(m, x, out), FGT_E_DATA, "sampled key is out of range (got -1");
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_SAMPLED_KEYS,
                              FGT_VIEW_OF(FGT_DTYPE_I32, s.keys, 7, 3)));
    REFUSED(fgt_predict(m, x, out), FGT_E_SHAPE,
            "the mask of sampled keys has the wrong shape (got [7,3], need [7,2])");
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_SAMPLED_KEYS, NULL));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, FGT_VIEW(y, 7, 7)));
    REFUSED(fgt_predict(m, x, out), FGT_E_UNSUPPORTED, "attender prob");
    fgt_model_destroy(&m);
}

static void test_edges(void **state)
{
    const fgt_model_opts     mo   = {.size = sizeof mo, .batch = B, .time = 7, .features = D};
    const fgt_attention_opts prob = {.size = sizeof prob, .attention.attender = FGT_ATTENDER_PROB};
    const fgt_attention_opts late = {
        .size = sizeof late, .attention.attender = FGT_ATTENDER_PROB, .attention.causal = 1};
    fgt_model               *m;
    (void)state;
    OK(fgt_model_create(ctx, &mo, &m));
    for (int32_t kind = FGT_VALUE_ATTN_MASK; kind <= FGT_VALUE_SAMPLED_KEYS; kind++) {
        const fgt_value_opts v      = {.size = sizeof v, .kind = kind};
        char                 name[] = "mask0";
        name[4]                     = (char)('0' + kind);
        OK(fgt_model_add(m, fgt_named(name, fgt_value(&v))));
        const bool keys = kind == FGT_VALUE_SAMPLED_KEYS;
        REFUSED(fgt_model_add_from(m, fgt_attention(keys ? NULL : &prob), (const char *[]){"", name}, 2),
                FGT_E_ARG,
                keys ? "sampled keys does not go with attender full" : "not go with attender prob");
    }
    OK(fgt_model_add_from(m, fgt_attention(&prob), (const char *[]){"", "mask6"}, 2));
    REFUSED(fgt_model_add_from(m, fgt_attention(&late), (const char *[]){"", ""}, 2), FGT_E_ARG,
            "causal attention to a memory does not go with attender prob");
    fgt_model_destroy(&m);
}

/* ---- memory: a few rows of A, not T T ---- */

static void test_little_memory(void **state)
{
    const int64_t            time = 4096;
    const fgt_model_opts     mo   = {.size = sizeof mo, .batch = 1, .time = time, .features = 4};
    const fgt_attention_opts o    = {.size = sizeof o, .attention.attender = FGT_ATTENDER_PROB};
    fgt_layer_info           info = {.size = sizeof info};
    fgt_model               *m;
    (void)state;
    OK(model_of_layer(ctx, &mo, fgt_attention(&o), &m));
    OK(fgt_model_get_layer(m, 0, &info));
    assert_string_equal(info.route, "selected queries");
    assert_true(info.cache_bytes < time * time * (int64_t)sizeof(float) / 16);
    assert_true(fgt_model_get_workspace_bytes(m, NULL) < time * time * (int64_t)sizeof(float) / 8);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition), cmocka_unit_test(test_draw),  cmocka_unit_test(test_padding),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_edges), cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, start, test_close);
}
