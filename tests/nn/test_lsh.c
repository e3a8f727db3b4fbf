/* SPDX-License-Identifier: BSD-3-Clause */
/* LSH attention against its definition, as the source writes it: a softmax for each round, rounds weighted by
 * the logarithms of their sums; and what holds for the draw, for padding and for memory. Gradients are
 * checked with those of all layers, by the cases of attention.c. */
#include <math.h>
#include <string.h>

#include "../model_info.h"
#include "attender.h"

enum { MOST = 48, PADDED = 64, ROUNDS = 3 };

/* One pass of one layer: what goes in. */
typedef struct setting {
    int64_t time, bucket, rounds;
    bool    causal, hides;
    float   x[B * MOST * D], rotations[WIDTH * ROUNDS * PADDED / 2];
    int32_t padding[B * MOST];
} setting;

static int64_t padded(const setting *s)
{
    const int64_t pair = 2 * s->bucket;
    return (s->time + pair - 1) / pair * pair;
}

static int64_t columns(const setting *s)
{
    return padded(s) / s->bucket / 2;
}

static void draw_setting(setting *s)
{
    for (int64_t i = 0; i < B * s->time * D; i++) s->x[i] = (float)draw() * 3;
    for (int64_t i = 0; i < B * s->time; i++) s->padding[i] = i >= s->time && draw() < -0.4;
    for (int64_t i = 0; i < WIDTH * s->rounds * columns(s); i++) s->rotations[i] = (float)draw();
    for (int64_t i = 2 * s->time; i < B * s->time; i++) s->padding[i] = 1; /* all of the last sample */
}

static fgt_model *new_model(const setting *s, bool given)
{
    fgt_model               *m;
    const fgt_model_opts     mo = {.size = sizeof mo, .batch = B, .time = s->time, .features = D, .seed = 3};
    const fgt_attention_opts o  = {.size                  = sizeof o,
                                   .heads                 = HEADS,
                                   .attention.causal      = s->causal,
                                   .attention.attender    = FGT_ATTENDER_LSH,
                                   .attention.bucket_size = (int32_t)s->bucket,
                                   .attention.n_hashes    = (int32_t)s->rounds};
    OK(model_of_layer(ctx, &mo, fgt_attention(&o), &m));
    if (given)
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ROTATIONS,
                                  FGT_VIEW(s->rotations, WIDTH, s->rounds, columns(s))));
    if (s->hides)
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING,
                                  FGT_VIEW_OF(FGT_DTYPE_I32, s->padding, B, s->time)));
    return m;
}

/* ---- the definition ---- */

/* x W' + b of one part of in_proj and one head, [L,WIDTH]; zeros behind the tokens */
static void project(const setting *s, const float *w, const float *b, int64_t sample, int head, int which,
                    double *out)
{
    memset(out, 0, (size_t)(padded(s) * WIDTH) * sizeof *out);
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

static int64_t bucket_of(const setting *s, const double *q, int64_t round)
{
    const int64_t n    = columns(s);
    int64_t       best = 0;
    double        most = -INFINITY;
    for (int64_t k = 0; k < 2 * n; k++) {
        double sum = 0;
        for (int64_t c = 0; c < WIDTH; c++)
            sum += q[c] * (double)s->rotations[(c * s->rounds + round) * n + k % n];
        if (k >= n) sum = -sum;
        if (sum > most) most = sum, best = k;
    }
    return best;
}

/* Positions of all rounds, each round sorted by bucket. */
static void sort(const setting *s, const double *q, int64_t *order)
{
    for (int64_t r = 0; r < s->rounds; r++)
        for (int64_t i = 0; i < padded(s); i++) {
            const int64_t mine = bucket_of(s, q + i * WIDTH, r);
            int64_t       rank = 0;
            for (int64_t j = 0; j < padded(s); j++) {
                const int64_t its = bucket_of(s, q + j * WIDTH, r);
                rank += its < mine || (its == mine && j < i);
            }
            order[r * padded(s) + rank] = i;
        }
}

static double score(const setting *s, int64_t sample, const double *q, int64_t i, int64_t j)
{
    const double length = sqrt(dot(q + j * WIDTH, q + j * WIDTH));
    if (i == j) return -5e4;
    if (s->causal && j > i) return -INFINITY;
    if (s->hides && j < s->time && s->padding[sample * s->time + j]) return -INFINITY;
    return length > 0 ? dot(q + i * WIDTH, q + j * WIDTH) / length / sqrt(WIDTH) : 0;
}

/* Row i of A, of one round [L], and the logarithm of its sum. */
static double round_row(const setting *s, int64_t sample, const double *q, const int64_t *order, int64_t at,
                        double *row)
{
    const int64_t i = order[at], m = s->bucket, all = s->rounds * padded(s);
    const int64_t first[2] = {at / m * m, (at / m * m + all - m) % all};
    double        top = -INFINITY, sum = 0;
    memset(row, 0, (size_t)padded(s) * sizeof *row);
    for (int64_t k = 0; k < 2 * m; k++) {
        const double e = score(s, sample, q, i, order[first[k / m] + k % m]);
        top            = e > top ? e : top;
    }
    for (int64_t k = 0; k < 2 * m; k++) {
        const int64_t j = order[first[k / m] + k % m];
        row[j] += exp(score(s, sample, q, i, j) - top);
        sum += exp(score(s, sample, q, i, j) - top);
    }
    for (int64_t j = 0; j < padded(s); j++) row[j] /= sum;
    return top + log(sum);
}

/* A of one head [T,T] */
static void define(const setting *s, int64_t sample, const double *q, double *a)
{
    static int64_t order[ROUNDS * PADDED];
    static double  row[ROUNDS][PADDED];
    sort(s, q, order);
    for (int64_t i = 0; i < s->time; i++) {
        double weight[ROUNDS], top = -INFINITY, sum = 0;
        for (int64_t r = 0; r < s->rounds; r++) {
            int64_t at = r * padded(s);
            while (order[at] != i) at++;
            weight[r] = round_row(s, sample, q, order, at, row[r]);
            top       = weight[r] > top ? weight[r] : top;
        }
        for (int64_t r = 0; r < s->rounds; r++) sum += exp(weight[r] - top);
        for (int64_t j = 0; j < s->time; j++) {
            a[i * s->time + j] = 0;
            for (int64_t r = 0; r < s->rounds; r++)
                a[i * s->time + j] += exp(weight[r] - top) / sum * row[r][j];
        }
    }
}

/* A of the layer is that of the definition, and y = [A V] Wout' + bout. */
static void check_sample(const setting *s, int64_t sample, const float *w, const fgt_view *a, const float *y)
{
    static double q[PADDED * WIDTH], v[PADDED * WIDTH], want[MOST * MOST], c[MOST * D];
    const int64_t t    = s->time;
    const float  *bias = w + 2 * D * D, *out = bias + 2 * D;
    for (int h = 0; h < HEADS; h++) {
        const float *got = (const float *)a->data + (sample * HEADS + h) * t * t;
        project(s, w, bias, sample, h, 0, q);
        project(s, w, bias, sample, h, 1, v);
        define(s, sample, q, want);
        for (int64_t i = 0; i < t * t; i++)
            if (!(fabs((double)got[i] - want[i]) < 1e-5))
                fail_msg("T %lld, m %lld, %lld rounds, causal %d, padding %d: A[%lld,%lld] is %g, not %g",
                         (long long)t, (long long)s->bucket, (long long)s->rounds, s->causal, s->hides,
                         (long long)(i / t), (long long)(i % t), (double)got[i], want[i]);
        weigh_values(t, want, v, h, c);
    }
    check_output(t, c, out, y + sample * t * D);
}

static void check(setting *s)
{
    static float y[B * MOST * D], w[3 * D * D + 3 * D];
    fgt_view     a;
    draw_setting(s);
    fgt_model *m = new_model(s, true);
    assert_int_equal(model_info(m).parameters, 3 * D * D + 3 * D);
    draw_all(3 * D * D + 3 * D, w);
    OK(fgt_model_set_weights(m, FGT_VIEW(w, 3 * D * D + 3 * D)));
    OK(fgt_predict(m, FGT_VIEW(s->x, B, s->time, D), FGT_VIEW(y, B, s->time, D)));
    OK(fgt_model_get_adjacency(m, "", &a));
    for (int64_t b = 0; b < B; b++) check_sample(s, b, w, &a, y);
    fgt_model_destroy(&m);
}

static void test_definition(void **state)
{
    static setting s;
    const int64_t  times[] = {1, 2, 3, 7, 12, 20, 21, MOST};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        for (int k = 0; k < 24; k++) {
            const int64_t buckets[] = {1, 2, 3, 8};
            s = (setting){.time = times[i], .bucket = buckets[k / 6], .rounds = k % 3 + 1, .causal = k & 1};
            s.hides = k % 6 > 3;
            check(&s);
        }
}

/* ---- the draw ---- */

static void test_draw(void **state)
{
    static setting s = {.time = 40, .bucket = 2, .rounds = 2};
    (void)state;
    draw_setting(&s);
    fgt_model *m = new_model(&s, false), *again = new_model(&s, false);
    check_draw(m, again, s.time, s.x);
    fgt_model_destroy(&again);
    fgt_model_destroy(&m);
}

/* ---- padded tokens reach no other token by their values; where they are hashed to is theirs alone ---- */

static void test_padding(void **state)
{
    static setting s = {.time = 30, .bucket = 15, .rounds = 1, .hides = true};
    static float   y[2][B * MOST * D];
    (void)state;
    draw_setting(&s);
    fgt_model *m = new_model(&s, false);
    for (int k = 0; k < 2; k++) { /* two chunks: all see all, however they are sorted */
        OK(fgt_predict(m, FGT_VIEW(s.x, B, s.time, D), FGT_VIEW(y[k], B, s.time, D)));
        for (int64_t i = 0; i < B * s.time * D; i++)
            if (s.padding[i / D]) s.x[i] = 100 * (float)draw();
    }
    for (int64_t i = 0; i < B * s.time * D; i++)
        if (!s.padding[i / D] && fabsf(y[0][i] - y[1][i]) > 1e-5f)
            fail_msg("token %lld has changed", (long long)(i / D));
    fgt_model_destroy(&m);
}

/* ---- a query of zeros has the zero key and no gradient of infinity ---- */

static void test_zero(void **state)
{
    static setting s = {.time = 8, .bucket = 2, .rounds = 2};
    static float   y[B * 8 * D], dx[B * 8 * D];
    (void)state;
    draw_setting(&s);
    for (int64_t i = 0; i < D; i++) s.x[3 * D + i] = 0; /* biases are 0 at first */
    fgt_model      *m = new_model(&s, false);
    const fgt_view *x = FGT_VIEW(s.x, B, 8, D);
    OK(fgt_forward(m, x, FGT_VIEW(y, B, 8, D)));
    OK(fgt_backward(m, FGT_VIEW(y, B, 8, D), FGT_VIEW(dx, B, 8, D)));
    for (int64_t i = 0; i < B * 8 * D; i++) assert_true(fabsf(dx[i]) < 1e3f);
    fgt_model_destroy(&m);
}

/* ---- refusals of the pass and of edges ---- */

static void test_refused(void **state)
{
    static setting s = {.time = 7, .bucket = 2, .rounds = 2};
    static float   y[B * MOST * D];
    (void)state;
    draw_setting(&s);
    fgt_model      *m = new_model(&s, true);
    const fgt_view *x = FGT_VIEW(s.x, B, s.time, D), *out = FGT_VIEW(y, B, s.time, D);
    OK(fgt_predict(m, x, out));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ROTATIONS,
                              FGT_VIEW(s.rotations, 3, 2, 3)));
    REFUSED(fgt_predict(m, x, out), FGT_E_SHAPE,
            "the value of rotations has the wrong shape (got [3,2,3], need [3,2,2])");
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ROTATIONS, NULL));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, FGT_VIEW(y, 7, 7)));
    REFUSED(fgt_predict(m, x, out), FGT_E_UNSUPPORTED,
            "attender lsh supports only key padding and rotations");
    fgt_model_destroy(&m);
}

static void test_edges(void **state)
{
    const fgt_model_opts     mo  = {.size = sizeof mo, .batch = B, .time = 7, .features = D};
    const fgt_attention_opts lsh = {.size = sizeof lsh, .attention.attender = FGT_ATTENDER_LSH};
    const fgt_value_opts     v   = {.size = sizeof v, .kind = FGT_VALUE_ROTATIONS};
    fgt_model               *m;
    (void)state;
    OK(fgt_model_create(ctx, &mo, &m));
    OK(fgt_model_add(m, fgt_named("r", fgt_value(&v))));
    REFUSED(fgt_model_add_from(m, fgt_attention(NULL), (const char *[]){"", "r"}, 2), FGT_E_ARG,
            "a value of rotations does not go with attender full");
    REFUSED(fgt_model_add_from(m, fgt_attention(&lsh), (const char *[]){"", ""}, 2), FGT_E_ARG,
            "a memory does not go with attender lsh");
    OK(fgt_model_add_from(m, fgt_attention(&lsh), (const char *[]){"", "r"}, 2));
    fgt_model_destroy(&m);
}

/* ---- memory: it grows with T, not with T T ---- */

static int64_t workspace_of(int64_t time)
{
    const fgt_model_opts     mo   = {.size = sizeof mo, .batch = 1, .time = time, .features = 4};
    const fgt_attention_opts o    = {
           .size = sizeof o, .attention.attender = FGT_ATTENDER_LSH, .attention.bucket_size = 16};
    fgt_layer_info           info = {.size = sizeof info};
    fgt_model               *m;
    OK(model_of_layer(ctx, &mo, fgt_attention(&o), &m));
    OK(fgt_model_get_layer(m, 0, &info));
    assert_string_equal(info.route, "hashed keys");
    const int64_t bytes = fgt_model_get_workspace_bytes(m, NULL);
    fgt_model_destroy(&m);
    return bytes;
}

static void test_little_memory(void **state)
{
    (void)state;
    assert_true(workspace_of(16384) < 5 * workspace_of(4096));
    assert_true(workspace_of(16384) < INT64_C(16384) * 16384 / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),    cmocka_unit_test(test_draw),    cmocka_unit_test(test_padding),
        cmocka_unit_test(test_zero),          cmocka_unit_test(test_refused), cmocka_unit_test(test_edges),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, start, test_close);
}
