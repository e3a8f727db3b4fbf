/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties that only recurrent layers have: their parameters' names, streaming, states and truncated
 * back-propagation, dropout between stacked layers, options. */
#include <fighter/experimental/layer.h>

#include "../model_info.h"
#include "driver.h"
#include "model/params.h"

static const char *const types[] = {"rnn", "gru", "lstm"};
enum { TYPES = sizeof types / sizeof *types };

static nn_case case_of(int type, const fgt_rnn_opts *o, fgt_rnn_opts *room, int64_t batch, int64_t time,
                       int64_t features)
{
    *room      = *o;
    room->size = sizeof *room;
    return (nn_case){.name     = "recurrent",
                     .batch    = batch,
                     .time     = time,
                     .features = features,
                     .layer    = {{.type = types[type], .opts = room}}};
}

static void open_any(nn_world *w, int type, const fgt_rnn_opts *o, int64_t batch, int64_t time,
                     int64_t features)
{
    static fgt_rnn_opts room;
    const nn_case   c = case_of(type, o, &room, batch, time, features);
    nn_open(w, types[type], &c);
}

/* ---- parameters ---- */

static void parameter_is(nn_world *w, int64_t i, const char *name, int64_t rows, int64_t cols, double most)
{
    fgt_view         v = {0};
    const fgti_layer *l;
    assert_string_equal(parameter_name(w->model, i), name);
    nn_ok(w, parameter_shape(w->model, name, &v));
    assert_int_equal(v.rank, cols ? 2 : 1);
    assert_int_equal(v.shape[0], rows);
    if (cols) assert_int_equal(v.shape[1], cols);
    assert_true(fabs(fgti_param_at(w->model, i, &l)->scale - most) < 1e-12);
}

/* As torch.nn.LSTM(4, 3, 2, bidirectional=True) lists them, with the layer's name before. */
static void test_parameters(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"l0", "l0_reverse", "l1", "l1_reverse"};
    static const int64_t     gates[]    = {1, 3, 4};
    for (int type = 0; type < TYPES; type++) {
        nn_world w = {0};
        open_any(&w, type, &(fgt_rnn_opts){.hidden = 3, .layers = 2, .bidirectional = 1}, 2, 5, 4);
        assert_int_equal(model_info(w.model).tensors, 16);
        for (int i = 0; i < 4; i++) {
            static const char *const parts[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
            const int64_t            cols[]  = {i < 2 ? 4 : 6, 3, 0, 0};
            for (int k = 0; k < 4; k++) {
                char name[64];
                snprintf(name, sizeof name, "0.%s_%s", parts[k], suffixes[i]);
                parameter_is(&w, 4 * i + k, name, 3 * gates[type], cols[k], 1 / sqrt(3));
            }
        }
        nn_close(&w);
    }
}

/* ---- streaming ---- */

/* Kernels whose sums are known to be one chain whatever the number of rows. */
static bool chains(nn_world *w)
{
    fgt_build_info info = {.size = sizeof info};
    nn_ok(w, fgt_context_get_info(w->ctx, &info));
    return !strcmp(info.kernel, "32x12 column") || !strcmp(info.kernel, "6x16 row") ||
           !strcmp(info.kernel, "4x8 row");
}

/* One token at a time, from a workspace: what the whole sequence gives, to the bit with these kernels. */
static void stream(int type, const fgt_rnn_opts *o, int64_t batch, int64_t features)
{
    enum { T = 9 };
    nn_world       w  = {0};
    fgt_workspace *ws = NULL;
    open_any(&w, type, o, batch, T, features);
    const int64_t h = o->hidden;
    fgti_real    *x = nn_memory(batch * features, sizeof *x), *y = nn_memory(batch * h, sizeof *y);
    fgti_real    *all = nn_memory(w.y_count, sizeof *all);
    nn_ok(&w, nn_predict(&w));
    nn_ok(&w, fgt_model_create_workspace(w.model, NULL, &ws));
    nn_ok(&w, fgt_workspace_set_stateful(ws, 1));
    for (int64_t t = 0; t < T; t++) {
        for (int64_t b = 0; b < batch; b++)
            memcpy(x + b * features, w.d.x + (b * T + t) * features, (size_t)features * sizeof *x);
        nn_ok(&w, fgt_workspace_predict(ws, FGT_VIEW_OF(FGTI_REAL, x, batch, 1, features),
                                        FGT_VIEW_OF(FGTI_REAL, y, batch, h)));
        for (int64_t b = 0; b < batch; b++)
            memcpy(all + (b * T + t) * h, y + b * h, (size_t)h * sizeof *y);
    }
    if (chains(&w))
        nn_same(&w, "streamed y", w.y_count, all, w.y);
    else
        nn_close_to(&w, "streamed y", w.y_count, all, w.y, 1e-5);
    fgt_workspace_destroy(&ws);
    free(x);
    free(y);
    free(all);
    nn_close(&w);
}

static void test_streaming(void **state)
{
    (void)state;
    static const int64_t batches[] = {1, 2, 5, 40};
    for (int type = 0; type < TYPES; type++)
        for (int i = 0; i < 4; i++) {
            stream(type, &(fgt_rnn_opts){.hidden = 5}, batches[i], 1);
            stream(type, &(fgt_rnn_opts){.hidden = 33, .layers = 2}, batches[i], 7);
            stream(type, &(fgt_rnn_opts){.hidden = 70, .no_bias = 1}, batches[i], 3);
        }
}

/* ---- many sequences ---- */

/* All at once, most of them in panels, give what each gives alone: to the bit with these kernels. */
static void together(int type, const fgt_rnn_opts *o, int64_t batch, int64_t features)
{
    enum { T = 6 };
    nn_world w = {0};
    open_any(&w, type, o, batch, T, features);
    const int64_t wide = o->hidden * (o->bidirectional ? 2 : 1), time = o->last ? 1 : T;
    fgti_real    *y    = nn_memory(w.y_count, sizeof *y);
    nn_ok(&w, nn_predict(&w));
    for (int64_t b = 0; b < batch; b++)
        nn_ok(&w, fgt_predict(w.model, FGT_VIEW_OF(FGTI_REAL, w.d.x + b * T * features, 1, T, features),
                              FGT_VIEW_OF(FGTI_REAL, y + b * time * wide, 1, time, wide)));
    if (chains(&w))
        nn_same(&w, "y", w.y_count, w.y, y);
    else
        nn_close_to(&w, "y", w.y_count, w.y, y, 1e-5);
    free(y);
    nn_close(&w);
}

static void test_together(void **state)
{
    (void)state;
    static const int64_t batches[] = {12, 28, 64, 70};
    for (int type = 0; type < TYPES; type++)
        for (int i = 0; i < 4; i++) {
            together(type, &(fgt_rnn_opts){.hidden = 5, .last = 1}, batches[i], 3);
            together(type, &(fgt_rnn_opts){.hidden = 13, .layers = 3, .bidirectional = 1}, batches[i], 2);
            together(type, &(fgt_rnn_opts){.hidden = 9, .layers = 2, .bidirectional = 1, .last = 1},
                     batches[i], 7);
        }
}

/* ---- states ---- */

static void get_state(nn_world *w, const char *name, fgti_real *to, int64_t count)
{
    fgt_view v = {0};
    nn_ok(w, fgt_workspace_get_state_shape(fgt_model_get_workspace(w->model), name, &v));
    assert_int_equal(fgt_view_count(&v), count);
    v.data = to;
    nn_ok(w, fgt_workspace_copy_state(fgt_model_get_workspace(w->model), name, &v));
}

/* The second part of a series with carried states has the gradients of a series that starts from them: those
 * of the first part stay out. */
static void test_truncated(void **state)
{
    (void)state;
    enum { B = 3, T = 4, H = 6, L = 2, N = L * B * H };
    for (int type = 0; type < TYPES; type++) {
        nn_world  carried = {0}, given = {0};
        fgti_real y[B * T * H];
        open_any(&carried, type, &(fgt_rnn_opts){.hidden = H, .layers = L}, B, T, 5);
        open_any(&given, type, &(fgt_rnn_opts){.hidden = H, .layers = L}, B, T, 5);
        nn_ok(&carried, fgt_workspace_set_stateful(fgt_model_get_workspace(carried.model), 1));
        nn_ok(&carried, nn_forward(&carried));
        memcpy(y, carried.y, sizeof y);
        given.start[0][0] = nn_memory(N, sizeof(fgti_real));
        get_state(&carried, "0.h", given.start[0][0], N);
        if (!strcmp(types[type], "lstm")) {
            given.start[0][1] = nn_memory(N, sizeof(fgti_real));
            get_state(&carried, "0.c", given.start[0][1], N);
        }
        nn_ok(&carried, nn_forward(&carried));
        nn_ok(&carried, nn_backward(&carried));
        nn_ok(&given, nn_forward(&given));
        nn_ok(&given, nn_backward(&given));
        nn_same(&given, "y", given.y_count, given.y, carried.y);
        assert_memory_not_equal(y, carried.y, sizeof y);
        nn_same(&given, "dx", given.x_count, given.dx, carried.dx);
        nn_same(&given, "gradients", model_info(given.model).parameters, given.model->gradients,
                carried.model->gradients);
        nn_close(&carried);
        nn_close(&given);
    }
}

static void test_states(void **state)
{
    (void)state;
    enum { B = 2, T = 3, H = 4, N = B * H };
    nn_world  w = {.more_batch = 2};
    fgti_real first[B * T * H], h[3 * H], c[N];
    fgt_view  v = {0};
    open_any(&w, 2, &(fgt_rnn_opts){.hidden = H}, B, T, 5);
    assert_int_equal(fgt_workspace_get_state_shape(fgt_model_get_workspace(w.model), "0.h", &v), FGT_E_STATE);
    nn_ok(&w, nn_predict(&w));
    memcpy(first, w.y, sizeof first);
    get_state(&w, "0.h", h, N);
    get_state(&w, "0.c", c, N);
    for (int b = 0; b < B; b++) assert_memory_equal(h + b * H, first + (b * T + T - 1) * H, H * sizeof *h);
    assert_int_equal(fgt_workspace_get_state_shape(fgt_model_get_workspace(w.model), "0.z", &v), FGT_E_NAME);
    assert_int_equal(fgt_workspace_copy_state_gradient(fgt_model_get_workspace(w.model), "0.h", &v),
                     FGT_E_STATE);
    nn_ok(&w, nn_predict(&w)); /* nothing is carried over */
    nn_same(&w, "y", w.y_count, w.y, first);

    /* one state given counts once; the other is zero then */
    nn_ok(&w, fgt_workspace_set_state(fgt_model_get_workspace(w.model), "0.h",
                                      FGT_VIEW_OF(FGTI_REAL, h, 1, B, H)));
    nn_ok(&w, nn_predict(&w));
    assert_memory_not_equal(w.y, first, sizeof first);
    nn_ok(&w, nn_predict(&w));
    nn_same(&w, "y", w.y_count, w.y, first);

    /* a given batch must be the pass's; nothing has happened then, and a new series may begin */
    v = *FGT_VIEW_OF(FGTI_REAL, h, 1, B, H + 1);
    assert_int_equal(fgt_workspace_set_state(fgt_model_get_workspace(w.model), "0.h", &v), FGT_E_SHAPE);
    nn_ok(&w, fgt_workspace_set_state(fgt_model_get_workspace(w.model), "0.h",
                                      FGT_VIEW_OF(FGTI_REAL, h, 1, B + 1, H)));
    assert_int_equal(nn_predict(&w), FGT_E_STATE);
    assert_int_equal(
        fgt_workspace_set_state(fgt_model_get_workspace(w.model), "0.c", FGT_VIEW_OF(FGTI_REAL, c, 1, B, H)),
        FGT_E_STATE);
    nn_ok(&w, fgt_workspace_begin_series(fgt_model_get_workspace(w.model), 0));
    nn_ok(&w, nn_predict(&w));
    nn_same(&w, "y", w.y_count, w.y, first);
    nn_close(&w);
}

static void test_both_ways(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++) {
        nn_world       w  = {0};
        fgt_workspace *ws = NULL;
        open_any(&w, type, &(fgt_rnn_opts){.hidden = 4, .bidirectional = 1}, 2, 3, 5);
        assert_int_equal(fgt_workspace_set_stateful(fgt_model_get_workspace(w.model), 1), FGT_E_UNSUPPORTED);
        assert_non_null(strstr(fgt_context_get_error(w.ctx), "both directions"));
        assert_non_null(strstr(fgt_context_get_error(w.ctx), types[type]));
        nn_ok(&w, fgt_workspace_set_stateful(fgt_model_get_workspace(w.model), 0));
        nn_ok(&w, fgt_model_create_workspace(w.model, NULL, &ws));
        assert_int_equal(fgt_workspace_set_stateful(ws, 1), FGT_E_UNSUPPORTED);
        fgt_workspace_destroy(&ws);
        nn_close(&w);
    }
}

/* ---- dropout ---- */

/* Between stacked layers alone, in training alone. */
static void test_dropout(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++)
        for (int64_t layers = 1; layers <= 2; layers++) {
            nn_world w = {0}, dry = {0};
            open_any(&w, type, &(fgt_rnn_opts){.hidden = 6, .layers = layers, .dropout = 0.5f}, 2, 5, 4);
            open_any(&dry, type, &(fgt_rnn_opts){.hidden = 6, .layers = layers}, 2, 5, 4);
            nn_ok(&dry, nn_predict(&dry));
            nn_ok(&w, nn_predict(&w));
            nn_same(&w, "y", w.y_count, w.y, dry.y);
            nn_ok(&w, nn_forward(&w));
            assert_int_equal(memcmp(w.y, dry.y, (size_t)w.y_count * sizeof *w.y) == 0, layers == 1);
            nn_close(&w);
            nn_close(&dry);
        }
}

/* A backward pass after a forward pass without dropout has none. */
static void test_no_dropout(void **state)
{
    (void)state;
    for (int type = 0; type < TYPES; type++) {
        nn_world            w = {0};
        fgt_gradient_report r = {.size = sizeof r};
        open_any(&w, type, &(fgt_rnn_opts){.hidden = 4, .layers = 3, .dropout = 0.5f}, 3, 6, 5);
        const fgt_view x = nn_x(&w);
        nn_ok(&w, fgt_model_check_gradient(w.model, &x, NULL, &r));
        if (!(r.error < 1e-2)) fail_msg("%s: gradient of %s: error %g", w.what, r.worst, r.error);
        nn_close(&w);
    }
}

/* ---- options ---- */

static void refused(fgt_context *ctx, fgt_layer layer, fgt_status want, const char *word)
{
    fgt_model         *m = NULL;
    const fgt_status   s = model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 3), layer, &m);
    assert_int_equal(s, want);
    assert_null(m);
    if (!strstr(fgt_context_get_error(ctx), word))
        fail_msg("\"%s\" lacks %s", fgt_context_get_error(ctx), word);
}

static void test_options(void **state)
{
    (void)state;
    fgt_context *ctx;
    assert_int_equal(fgt_context_create(NULL, &ctx), FGT_OK);
    refused(ctx, fgt_rnn(NULL), FGT_E_ARG, "hidden");
    refused(ctx, fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = -1)), FGT_E_ARG, "hidden");
    refused(ctx, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 2, .layers = 65)), FGT_E_ARG, "layers");
    refused(ctx, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 2, .dropout = 1)), FGT_E_ARG, "dropout");
    refused(ctx, fgt_rnn(&FGT_OPTS(fgt_rnn_opts, .hidden = 2, .nonlinearity = 2)), FGT_E_ARG, "nonlinearity");
    refused(ctx, fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 2, .bidirectional = 2)), FGT_E_ARG,
            "bidirectional");
    refused(ctx, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = INT64_C(1) << 39)), FGT_E_SIZE, "too large");
    fgt_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_streaming), cmocka_unit_test(test_together),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_states),     cmocka_unit_test(test_both_ways), cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_no_dropout), cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
