/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of Jacobians of models: against differences of predictions, between layers, by random probes; what a
 * model has stays as it is. tests/golden compares them with automatic differentiation. */
#include <math.h>

#include <fighter/experimental/sensitivity.h>
#include <fighter/fighter.h>

#include "../one_context.h"

enum { B = 2, T = 5, D = 4, H = 3 };

static float x[B * T * D];

/* A chain with dropout; its output has other tokens' widths than its input. */
static fgt_model *make(void)
{
    fgt_model *m;
    for (int i = 0; i < B * T * D; i++) x[i] = (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 3), &m));
    OK(fgt_model_add(m, fgt_named("in", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 6)))));
    OK(fgt_model_add(m, fgt_named("drop", fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.5f)))));
    OK(fgt_model_add(m, fgt_named("mix", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .norm = 1)))));
    OK(fgt_model_add(m, fgt_named("out", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H)))));
    return m;
}

static void predict(fgt_model *m, float *y)
{
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
}

/* Entry [b,i,j,o,n] by a central difference. */
static double difference(fgt_model *m, int b, int i, int j, int o, int n)
{
    const float h = 0.01f, was = x[(b * T + j) * D + n];
    float       y[2][B * T * H];
    x[(b * T + j) * D + n] = was + h;
    predict(m, y[0]);
    x[(b * T + j) * D + n] = was - h;
    predict(m, y[1]);
    x[(b * T + j) * D + n] = was;
    return (double)(y[0][(b * T + i) * H + o] - y[1][(b * T + i) * H + o]) / (2 * (double)h);
}

static float blocks[B][T][T][H][D];

static void fill_blocks(fgt_model *m)
{
    fgt_view v;
    OK(fgt_jacobian_get_shape(m, FGT_VIEW(x, B, T, D), NULL, &v));
    assert_int_equal(v.rank, 5);
    assert_int_equal(fgt_view_count(&v), B * T * T * H * D);
    v.data = blocks;
    OK(fgt_jacobian_compute(m, FGT_VIEW(x, B, T, D), NULL, &v));
}

static void fill_norms(fgt_model *m, const fgt_sensitivity_opts *o, double *norms, double *errors)
{
    fgt_view v;
    OK(fgt_sensitivity_get_shape(m, FGT_VIEW(x, B, T, D), o, &v));
    fgt_view e = v;
    v.data     = norms;
    e.data     = errors;
    OK(fgt_sensitivity_compute(m, FGT_VIEW(x, B, T, D), o, &v, errors ? &e : NULL));
}

static double frobenius(int b, int i, int j)
{
    double sum = 0;
    for (int o = 0; o < H; o++)
        for (int n = 0; n < D; n++) sum += (double)blocks[b][i][j][o][n] * (double)blocks[b][i][j][o][n];
    return sqrt(sum);
}

static void test_differences(void **state)
{
    (void)state;
    double     norms[B][T][T], errors[B][T][T], two[B][2][T];
    fgt_model *m = make();
    fill_blocks(m);
    fill_norms(m, NULL, &norms[0][0][0], &errors[0][0][0]);
    fill_norms(m, &FGT_OPTS(fgt_sensitivity_opts, .first = 1, .count = 2), &two[0][0][0], NULL);
    for (int b = 0; b < B; b++)
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                const double d = difference(m, b, i, j, 1, 2);
                if (fabs((double)blocks[b][i][j][1][2] - d) > 3e-3)
                    fail_msg("%d,%d,%d: %g, by differences %g", b, i, j, (double)blocks[b][i][j][1][2], d);
                assert_true(fabs(norms[b][i][j] - frobenius(b, i, j)) < 1e-6);
                assert_true(errors[b][i][j] == 0);
                if (i == 1 || i == 2) assert_true(two[b][i - 1][j] == norms[b][i][j]);
            }
    fgt_model_destroy(&m);
}

/* One element of y_i: its row of every block, and the norm of that row. */
static void test_element(void **state)
{
    (void)state;
    static float row[B][2][T][1][D];
    double       norms[2][B][2][T];
    fgt_view     v = {0};
    fgt_model   *m = make();
    fill_blocks(m);
    const fgt_sensitivity_opts o        = {.size = sizeof o, .first = 3, .element = 2};
    fgt_sensitivity_opts       spectral = o;
    spectral.norm                       = FGT_SENSITIVITY_NORM_SPECTRAL;
    OK(fgt_jacobian_get_shape(m, FGT_VIEW(x, B, T, D), &o, &v));
    assert_int_equal(fgt_view_count(&v), B * 2 * T * D);
    v.data = row;
    OK(fgt_jacobian_compute(m, FGT_VIEW(x, B, T, D), &o, &v));
    fill_norms(m, &o, &norms[0][0][0][0], NULL);
    fill_norms(m, &spectral, &norms[1][0][0][0], NULL);
    for (int b = 0; b < B; b++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < T; j++) {
                double sum = 0;
                for (int n = 0; n < D; n++) {
                    const double e = (double)row[b][i][j][0][n];
                    assert_true(row[b][i][j][0][n] == blocks[b][3 + i][j][1][n]);
                    sum += e * e;
                }
                for (int k = 0; k < 2; k++) assert_true(fabs(norms[k][b][i][j] - sqrt(sum)) < 1e-6);
            }
    fgt_model_destroy(&m);
}

/* The chain rule: the Jacobian of the whole is that of its parts, and a linear layer's is its weight. */
static void test_layers(void **state)
{
    (void)state;
    static float in[B][T][T][6][D], mix[B][T][T][6][6], out[B][T][T][H][6];
    fgt_model   *m = make();
    fill_blocks(m);
    const fgt_sensitivity_opts parts[] = {{.size = sizeof parts[0], .to = "in"},
                                          {.size = sizeof parts[0], .from = "in", .to = "mix"},
                                          {.size = sizeof parts[0], .from = "mix"}};
    fgt_view                   v[]     = {*FGT_VIEW(in, B, T, T, 6, D), *FGT_VIEW(mix, B, T, T, 6, 6),
                                          *FGT_VIEW(out, B, T, T, H, 6)};
    for (int k = 0; k < 3; k++) OK(fgt_jacobian_compute(m, FGT_VIEW(x, B, T, D), &parts[k], &v[k]));
    float w[6 * D];
    OK(fgt_model_copy_parameter(m, "in.weight", FGT_VIEW(w, 6, D)));
    for (int k = 0; k < 6 * D; k++) assert_true(fabsf((&in[1][2][2][0][0])[k] - w[k]) < 1e-6f);
    for (int k = 0; k < 6 * D; k++) assert_true((&in[1][2][3][0][0])[k] == 0);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            for (int o = 0; o < H; o++)
                for (int n = 0; n < D; n++) {
                    double sum = 0;
                    for (int p = 0; p < 6; p++)
                        for (int q = 0; q < 6; q++)
                            sum += (double)out[1][i][i][o][p] * (double)mix[1][i][j][p][q] *
                                   (double)in[1][j][j][q][n];
                    assert_true(fabs(sum - (double)blocks[1][i][j][o][n]) < 1e-5);
                }
    fgt_model_destroy(&m);
}

/* Estimates lie within a few standard errors, and these shrink with the number of probes. */
static void test_probes(void **state)
{
    (void)state;
    double     exact[B * T * T], norms[B * T * T], errors[B * T * T], again[B * T * T], mean[2] = {0};
    fgt_model *m = make();
    fill_norms(m, NULL, exact, NULL);
    for (int k = 0; k < 2; k++) {
        const fgt_sensitivity_opts o   = {.size = sizeof o, .probes = k ? 256 : 16, .seed = 5};
        int                        far = 0;
        fill_norms(m, &o, norms, errors);
        for (int i = 0; i < B * T * T; i++) {
            far += fabs(norms[i] - exact[i]) > 3 * errors[i] + 1e-7;
            mean[k] += errors[i];
        }
        if (far > 4) fail_msg("%d of %d norms are far off", far, B * T * T);
        fill_norms(m, &o, again, NULL);
        assert_memory_equal(norms, again, sizeof norms);
    }
    if (!(mean[0] / mean[1] > 3 && mean[0] / mean[1] < 5)) fail_msg("errors shrink by %g", mean[0] / mean[1]);
    fgt_model_destroy(&m);
}

/* A training goes on with the same bits, whatever is looked at between its steps. */
static void test_nothing_changes(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int look = 0; look < 2; look++) {
        double     norms[B * T * T];
        float      y[B * T * H], dy[B * T * H];
        fgt_model *m = make();
        fgt_optim *o;
        for (int i = 0; i < B * T * H; i++) dy[i] = (float)cos(i);
        OK(fgt_optim_create(m, NULL, &o));
        for (int step = 0; step < 3; step++) {
            OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
            OK(fgt_backward(m, FGT_VIEW(dy, B, T, H), NULL));
            if (look) fill_norms(m, &FGT_OPTS(fgt_sensitivity_opts, .from = "in"), norms, NULL);
            OK(fgt_step(o));
        }
        hash[look] = fgt_model_get_hash(m);
        fgt_optim_destroy(&o);
        fgt_model_destroy(&m);
    }
    assert_true(hash[0] == hash[1]);
}

/* A classifier of ids: one token of output, and the embedding's tokens as x. */
/* Its passes are not the host's: no backward pass follows them, whether it ended or only said the shape. */
static void test_backward_follows_forward(void **state)
{
    (void)state;
    float      y[B * T * H] = {0};
    double     norms[B * T * T];
    fgt_view   v;
    fgt_model *m = make();
    for (int i = 0; i < 2; i++) {
        if (i)
            OK(fgt_sensitivity_compute(m, FGT_VIEW(x, B, T, D), NULL, &v, NULL));
        else
            OK(fgt_sensitivity_get_shape(m, FGT_VIEW(x, B, T, D), NULL, &v));
        REFUSED(fgt_backward(m, FGT_VIEW(y, B, T, H), NULL), FGT_E_STATE, "needs a new fgt_forward()");
        v.data = norms;
    }
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
    OK(fgt_backward(m, FGT_VIEW(y, B, T, H), NULL));
    fgt_model_destroy(&m);
}

static void test_embedding(void **state)
{
    (void)state;
    const int32_t  ids[B * T] = {1, 2, 3, 4, 0, 3, 3, 1, 0, 2};
    const fgt_view id         = *FGT_VIEW_OF(FGT_DTYPE_I32, ids, B, T);
    double         norms[B * T];
    fgt_view       v = {0};
    fgt_model     *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T), &m));
    OK(fgt_model_add(m,
                     fgt_named("words", fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 5, .out = D)))));
    OK(fgt_model_add(m, fgt_pool(NULL)));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H))));
    REFUSED(fgt_sensitivity_compute(m, &id, NULL, &v, NULL), FGT_E_UNSUPPORTED, "name the embedding");
    const fgt_sensitivity_opts o = {.size = sizeof o, .from = "words", .norm = FGT_SENSITIVITY_NORM_SPECTRAL};
    OK(fgt_sensitivity_get_shape(m, &id, &o, &v));
    assert_int_equal(v.shape[0] * 100 + v.shape[1] * 10 + v.shape[2], B * 100 + 10 + T);
    v.data = norms;
    OK(fgt_sensitivity_compute(m, &id, &o, &v, NULL));
    for (int i = 1; i < B * T; i++) assert_true(norms[0] > 0 && fabs(norms[i] - norms[0]) < 1e-6);
    fgt_model_destroy(&m);
}

/* x + v + words: the model was never trained, and the host has a gradient of v. */
static void test_values(void **state)
{
    (void)state;
    static const char *const from_ids[] = {"ids"}, *const from_all[] = {"", "v", "words"};
    const int64_t ids[B * T] = {1, 2, 3, 4, 0, 3, 3, 1, 0, 2};
    double        norms[B][T][T];
    float         v[B * T * D] = {0}, dv[B * T * D] = {7, 7, 7};
    fgt_model    *m;
    for (int i = 0; i < B * T * D; i++) x[i] = (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("ids", fgt_value(&FGT_OPTS(fgt_value_opts, .kind = FGT_VALUE_IDS)))));
    const fgt_layer words = fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 5, .out = D));
    OK(fgt_model_add_from(m, fgt_named("words", words), from_ids, 1));
    OK(fgt_model_add(m, fgt_named("v", fgt_value(&FGT_OPTS(fgt_value_opts, .features = D)))));
    OK(fgt_model_add_from(m, fgt_sum(NULL), from_all, 3));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "ids", FGT_VIEW_OF(FGT_DTYPE_I64, ids, B, T),
                               NULL));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "v", FGT_VIEW(v, B, T, D), FGT_VIEW(dv, B, T, D)));
    for (int k = 0; k < 2; k++) { /* both Jacobians are the identity */
        fill_norms(m, &FGT_OPTS(fgt_sensitivity_opts, .from = k ? "v" : NULL), &norms[0][0][0], NULL);
        for (int i = 0; i < B * T * T; i++)
            assert_true(fabs((&norms[0][0][0])[i] - (i / T % T == i % T ? 2 : 0)) < 1e-6);
    }
    assert_true(dv[0] == 7 && dv[2] == 7 && dv[3] == 0);
    fgt_model_destroy(&m);
}

/* A pass of its own would take the state that was set for the next one. */
static void test_state(void **state)
{
    (void)state;
    float      y[2][B * T * H], set[B * H] = {3, -3, 2, -2, 1, -1};
    fgt_view   v = {0};
    fgt_model *m;
    for (int i = 0; i < B * T * D; i++) x[i] = (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("g", fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = H)))));
    for (int look = 0; look < 2; look++) {
        OK(fgt_workspace_set_state(fgt_model_get_workspace(m), "g.h", FGT_VIEW(set, 1, B, H)));
        if (look)
            REFUSED(fgt_sensitivity_get_shape(m, FGT_VIEW(x, B, T, D), NULL, &v), FGT_E_STATE,
                    "sensitivity: a state was set");
        predict(m, y[look]);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    OK(fgt_sensitivity_get_shape(m, FGT_VIEW(x, B, T, D), NULL, &v));
    fgt_model_destroy(&m);
}

/* Nodes of one feature, which x may leave out. */
static void test_nodes(void **state)
{
    (void)state;
    double     norms[2][B][T][T];
    fgt_view   in[] = {*FGT_VIEW(x, B, T, 1), *FGT_VIEW(x, B, T)};
    fgt_model *m;
    for (int i = 0; i < B * T; i++) x[i] = (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = T, .features = 1), &m));
    OK(fgt_model_add(m, fgt_along(FGT_AXIS_NODES, fgt_attention(NULL))));
    for (int k = 0; k < 2; k++)
        OK(fgt_sensitivity_compute(m, &in[k], NULL, FGT_VIEW_OF(FGT_DTYPE_F64, norms[k], B, T, T), NULL));
    assert_memory_equal(norms[0], norms[1], sizeof norms[0]);
    fgt_model_destroy(&m);
}

static void test_refused(void **state)
{
    (void)state;
    double          norms[B * T * T];
    float           y[B * T * H];
    fgt_view        v  = *FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, T, T),
             small     = *FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, T, 1);
    const fgt_view *in = FGT_VIEW(x, B, T, D);
    fgt_model      *m  = make();
#define BAD(options, status, words) REFUSED(fgt_sensitivity_compute(m, in, options, &v, NULL), status, words)
    assert_int_equal(fgt_sensitivity_compute(NULL, in, NULL, &v, NULL), FGT_E_ARG);
    REFUSED(fgt_sensitivity_compute(m, NULL, NULL, &v, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_sensitivity_compute(m, in, NULL, NULL, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_sensitivity_compute(m, in, NULL, &small, NULL), FGT_E_SHAPE, "norms");
    REFUSED(fgt_sensitivity_compute(m, in, NULL, &v, &small), FGT_E_SHAPE, "errors");
    REFUSED(fgt_sensitivity_compute(m, FGT_VIEW(x, B, T, 2), NULL, &v, NULL), FGT_E_SHAPE,
            "x has the wrong shape");
    REFUSED(fgt_jacobian_compute(m, in, &FGT_OPTS(fgt_sensitivity_opts, .norm = 1), &v), FGT_E_ARG,
            "need 0 for blocks");
    REFUSED(fgt_jacobian_compute(m, in, NULL, &v), FGT_E_SHAPE, "jacobian");
    REFUSED(fgt_jacobian_compute(m, in, NULL, FGT_VIEW((float *)NULL, B, T, T, H, D)), FGT_E_ARG,
            "jacobian has no data");
    REFUSED(fgt_sensitivity_compute(m, in, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, (double *)NULL, B, T, T), NULL),
            FGT_E_ARG, "norms has no data");
    REFUSED(fgt_sensitivity_get_shape(m, in, NULL, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_jacobian_get_shape(m, in, &FGT_OPTS(fgt_sensitivity_opts, .norm = 1), &small), FGT_E_ARG,
            "need 0 for blocks");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .from = "nothing"), FGT_E_NAME, "\"nothing\"");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .to = "nothing"), FGT_E_NAME, "\"nothing\"");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .first = T), FGT_E_ARG, "of 5");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .first = 1, .count = T), FGT_E_ARG,
        "tokens are out of range (got 1 .. 5, of 5)");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .probes = 1), FGT_E_ARG, "at least 2 for a standard error");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .probes = 2, .norm = 1), FGT_E_ARG, "Frobenius");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .norm = 2), FGT_E_ARG, "norm");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .element = H + 1), FGT_E_ARG,
        "element is out of range (got 4, of 3)");
    BAD(&FGT_OPTS(fgt_sensitivity_opts, .element = 1, .probes = 2), FGT_E_ARG, "one element");
    x[0] = NAN;
    BAD(NULL, FGT_E_NONFINITE, "not finite");
    predict(m, y); /* the model is as good as before */
    fgt_model_destroy(&m);
}

static void test_no_memory(void **state)
{
    (void)state;
    double     norms[B * T * T];
    float      y[B * T * H];
    fgt_view   v = *FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, T, T), j = *FGT_VIEW(blocks, B, T, T, H, D);
    fgt_status s;
    fgt_model *m = make();
    predict(m, y);
    OK(fgt_sensitivity_compute(m, FGT_VIEW(x, B, T, D), NULL, &v, NULL)); /* the memory of backward passes */
    const fgt_sensitivity_opts o[] = {{.size = sizeof o[0], .norm = 1}, {.size = sizeof o[0], .probes = 2}};
    for (int i = 0; i < 2; i++)
        SWEEP(&memory, s, 5, fgt_sensitivity_compute(m, FGT_VIEW(x, B, T, D), &o[i], &v, NULL)) NOTHING_LEAKS;
    SWEEP(&memory, s, 5, fgt_jacobian_compute(m, FGT_VIEW(x, B, T, D), NULL, &j)) NOTHING_LEAKS;
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_differences), WITH_CONTEXT(test_element),         WITH_CONTEXT(test_layers),
        WITH_CONTEXT(test_probes),      WITH_CONTEXT(test_nothing_changes), WITH_CONTEXT(test_embedding),
        WITH_CONTEXT(test_values),      WITH_CONTEXT(test_state),           WITH_CONTEXT(test_nodes),
        WITH_CONTEXT(test_refused),     WITH_CONTEXT(test_no_memory),
        WITH_CONTEXT(test_backward_follows_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
