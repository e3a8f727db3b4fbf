/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams and their states: saved and set elsewhere, begun anew, refused; and who cannot have one. */
#include <math.h>

#include <fighter/fighter.h>

#include "../one_context.h"

enum { B = 2, T = 12, IDS = 5, D = 8, H = 3 };

/* Recurrent layers, attention, a convolution, and a position. */
static fgt_model *new_model(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 0, .seed = 4), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = IDS, .out = D))));
    OK(fgt_model_add(m, fgt_position(NULL)));
    OK(fgt_model_add(m, fgt_named("lstm", fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = D)))));
    OK(fgt_model_add(m, fgt_named("fighter", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .hops = 3,
                                                                   .attention.causal = 1)))));
    OK(fgt_model_add(m, fgt_named("wide", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .out = 3 * D, .hops = 4,
                                                                .attention.causal = 1)))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D))));
    OK(fgt_model_add(m, fgt_named("encoder", fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2,
                                                                       .attention.causal = 1)))));
    OK(fgt_model_add(m, fgt_named("conv", fgt_conv(&FGT_OPTS(fgt_conv_opts, .kernel = 4,
                                                             .padding = FGT_CONV_PADDING_CAUSAL)))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H))));
    return m;
}

static const char *const states[] = {"lstm.h",       "lstm.c",          "fighter.k",    "fighter.padding",
                                     "fighter.rows", "wide.k",          "wide.padding", "wide.rows",
                                     "encoder.k",    "encoder.padding", "encoder.rows",
                                     "conv.x"};
enum { STATES = sizeof states / sizeof *states, RECURRENT = 2 };

static fgt_workspace *new_stream(fgt_model *m, int64_t tokens)
{
    fgt_workspace *ws;
    OK(fgt_model_create_workspace(m, &FGT_OPTS(fgt_workspace_opts, .batch = B, .tokens = tokens), &ws));
    return ws;
}

static fgt_status call(fgt_workspace *ws, int64_t batch, int64_t t, int64_t n, float *y)
{
    int32_t ids[B * T];
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < n; i++) ids[b * n + i] = (int32_t)((3 * b + 2 * (t + i) + (t + i) / 3) % IDS);
    return fgt_workspace_predict(ws, FGT_VIEW_OF(FGT_DTYPE_I32, ids, batch, n), FGT_VIEW(y, batch, n, H));
}

static void run(fgt_workspace *ws, int64_t from, int64_t to, float *y)
{
    for (int64_t t = from; t < to; t++)
        if (call(ws, B, t, 1, y + t * B * H) != FGT_OK) fail_msg("%s", fgt_workspace_get_error(ws));
}

static void refused(fgt_workspace *ws, fgt_status got, fgt_status want, const char *words)
{
    if (got != want || !strstr(fgt_workspace_get_error(ws), words))
        fail_msg("%s \"%s\", expected \"%s\"", fgt_status_get_name(got), fgt_workspace_get_error(ws), words);
}

/* A state of a workspace, copied out into memory of the test's. */
static fgt_view saved(fgt_workspace *ws, const char *name)
{
    fgt_view v = {0};
    if (fgt_workspace_get_state_shape(ws, name, &v) != FGT_OK) fail_msg("%s", fgt_workspace_get_error(ws));
    assert_int_equal(v.rank, 3);
    assert_int_equal(v.shape[1], B);
    v.data = calloc((size_t)fgt_view_count(&v), sizeof(float));
    OK(fgt_workspace_copy_state(ws, name, &v));
    return v;
}

static void set(fgt_workspace *ws, const char *name, const fgt_view *v)
{
    if (fgt_workspace_set_state(ws, name, v) != FGT_OK) fail_msg("%s", fgt_workspace_get_error(ws));
}

/* A stream goes on in another workspace, of another size, with the bits that it would have had. */
static void goes_on_elsewhere(void **state)
{
    enum { CUT = 5 };
    float    whole[T * B * H], rest[T * B * H];
    fgt_view v[STATES];
    (void)state;
    fgt_model     *m = new_model();
    fgt_workspace *a = new_stream(m, T), *b = new_stream(m, T - 1);
    run(b, 0, 3, rest); /* another stream was there */
    run(a, 0, CUT, whole);
    for (int i = 0; i < STATES; i++) v[i] = saved(a, states[i]);
    run(a, CUT, T - 1, whole);
    OK(fgt_workspace_begin_series(b, CUT));
    for (int i = STATES - 1; i >= 0; i--) set(b, states[i], &v[i]);
    assert_int_equal(fgt_workspace_get_tokens(b), CUT);
    run(b, CUT, T - 1, rest);
    assert_memory_equal(whole + CUT * B * H, rest + CUT * B * H, (T - 1 - CUT) * B * H * sizeof *whole);
    for (int i = 0; i < STATES; i++) {
        const int64_t outer = i < RECURRENT ? 1 : CUT;
        assert_int_equal(v[i].shape[0], outer);
        free(v[i].data);
    }
    fgt_workspace_destroy(&a);
    fgt_workspace_destroy(&b);
    fgt_model_destroy(&m);
}

/* A state that is missing, and states that do not fit. */
static void needs_all_states(void **state)
{
    float          y[T * B * H], room[T * B * 3 * D * 3];
    fgt_view       v;
    fgt_model     *m = new_model();
    fgt_workspace *a = new_stream(m, T);
    (void)state;
    refused(a, fgt_workspace_set_state(a, "wide.k", FGT_VIEW(room, 1, B, D)), FGT_E_STATE, "begin_series");
    v = (fgt_view){0};
    refused(a, fgt_workspace_get_state_shape(a, "wide.k", &v), FGT_E_STATE, "no tokens yet");
    run(a, 0, 2, y);
    v = saved(a, "fighter.k");
    OK(fgt_workspace_begin_series(a, 2));
    refused(a, call(a, B, 2, 1, y), FGT_E_STATE, "state fighter.k was not set");
    set(a, "fighter.k", &v);
    refused(a, call(a, B, 2, 1, y), FGT_E_STATE, "state fighter.padding was not set");
    refused(a, fgt_workspace_set_state(a, "wide.k", FGT_VIEW(room, 3, B, D)), FGT_E_SHAPE, "need [2,*,8]");
    refused(a, fgt_workspace_set_state(a, "wide.k", FGT_VIEW(room, 2, 1, D)), FGT_E_STATE,
            "got 1 samples, need 2 as the other states");
    refused(a, fgt_workspace_set_state(a, "nobody.k", FGT_VIEW(room, 2, B, D)), FGT_E_NAME, "nobody.k");
    refused(a, fgt_workspace_begin_series(a, T + 1), FGT_E_SIZE, "need 0 .. 12");
    refused(a, fgt_workspace_begin_series(a, -1), FGT_E_SIZE, "tokens is out of range (got -1");
    assert_int_equal(fgt_workspace_begin_series(NULL, 1), FGT_E_ARG);
    assert_int_equal(fgt_workspace_get_tokens(NULL), 0);
    free(v.data);
    fgt_workspace_destroy(&a);
    fgt_model_destroy(&m);
}

/* Beyond its room, with another batch, or with a bad id a call fails and leaves the stream as it was. */
static void refuses_and_goes_on(void **state)
{
    float          want[T * B * H], got[T * B * H];
    int32_t        bad[B] = {0, IDS};
    fgt_model     *m      = new_model();
    fgt_workspace *a = new_stream(m, T), *b = new_stream(m, 6);
    (void)state;
    run(a, 0, 6, want);
    run(b, 0, 4, got);
    refused(b, call(b, B, 4, 3, got), FGT_E_SIZE,
            "the stream is full (got 3 more tokens, need at most 2 after 4)");
    refused(b, call(b, 1, 4, 1, got), FGT_E_STATE, "got 2 samples, need 1 as x");
    refused(b, fgt_workspace_predict(b, FGT_VIEW_OF(FGT_DTYPE_I32, bad, B, 1), FGT_VIEW(got, B, 1, H)),
            FGT_E_DATA, "id is out of range (got 5");
    refused(b, fgt_workspace_set_stateful(b, 0), FGT_E_STATE, "always carries its states over");
    run(b, 4, 6, got);
    assert_memory_equal(want, got, 6 * B * H * sizeof *want);
    refused(b, call(b, B, 6, 1, got), FGT_E_SIZE, "(got 1 more tokens, need at most 0 after 6)");
    OK(fgt_workspace_begin_series(b, 0));
    assert_int_equal(fgt_workspace_get_tokens(b), 0);
    assert_int_equal(call(b, 1, 0, 1, got), FGT_OK); /* of fewer samples */
    assert_int_equal(fgt_workspace_get_tokens(b), 1);
    fgt_workspace_destroy(&a);
    fgt_workspace_destroy(&b);
    fgt_model_destroy(&m);
}

/* Workspaces without tokens have no stream: their passes stand alone, and no state of attention is there. */
static void passes_stand_alone(void **state)
{
    float          y[B * H], again[B * H];
    fgt_view       v = {0};
    fgt_model     *m = new_model();
    fgt_workspace *ws;
    (void)state;
    OK(fgt_model_create_workspace(m, NULL, &ws));
    OK(call(ws, B, 0, 1, y));
    OK(call(ws, B, 0, 1, again));
    assert_memory_equal(y, again, sizeof y);
    refused(ws, fgt_workspace_get_state_shape(ws, "fighter.k", &v), FGT_E_NAME, "fighter.k");
    refused(ws, fgt_workspace_begin_series(ws, 1), FGT_E_STATE, "tokens 0");
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

/* The predictor of a model has its bits, if nothing is left out. */
static void predictors_stream(void **state)
{
    float          want[T * B * H], got[T * B * H];
    fgt_model     *m = new_model();
    fgt_predictor *p;
    fgt_workspace *a = new_stream(m, T), *b;
    (void)state;
    OK(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .exact = 1), &p));
    OK(fgt_predictor_create_workspace(p, &FGT_OPTS(fgt_workspace_opts, .batch = B, .tokens = T), &b));
    run(a, 0, T, want);
    run(b, 0, T, got);
    assert_memory_equal(want, got, sizeof want);
    fgt_workspace_destroy(&a);
    fgt_workspace_destroy(&b);
    fgt_predictor_destroy(&p);
    fgt_model_destroy(&m);
}

/* ---- who cannot ---- */

static fgt_model *model_of(int64_t nodes, fgt_layer layer)
{
    fgt_model *m;
    OK(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .nodes = nodes, .features = D, .seed = 4), &m));
    OK(fgt_model_add(m, fgt_named("it", layer)));
    return m;
}

static void cannot(fgt_layer layer, const char *words)
{
    const fgt_workspace_opts o = {.size = sizeof o, .tokens = T};
    fgt_workspace           *ws;
    fgt_model               *m = model_of(2, layer);
    REFUSED(fgt_model_create_workspace(m, &o, &ws), FGT_E_UNSUPPORTED, words);
    REFUSED(fgt_model_create_workspace(m, &o, &ws), FGT_E_UNSUPPORTED, "\"it\") cannot be part of a stream");
    assert_null(ws);
    assert_int_equal(fgt_model_get_workspace_bytes(m, &o), -1);
    fgt_model_destroy(&m);
}

static void names_the_layer(void **state)
{
    (void)state;
    cannot(fgt_attention(NULL), "attention, \"it\") cannot be part of a stream: it is not causal");
    cannot(fgt_fighter(NULL), "not causal");
    cannot(fgt_transformer(NULL), "not causal");
    cannot(fgt_attention(
               &FGT_OPTS(fgt_attention_opts, .attention.causal = 1, .attention.attender = FGT_ATTENDER_PROB)),
           "chooses");
    cannot(fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 2, .bidirectional = 1)), "both directions");
    cannot(fgt_s4(&FGT_OPTS(fgt_s4_opts, .bidirectional = 1)), "both directions");
    cannot(fgt_along(FGT_AXIS_NODES, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 2))), "along the nodes");
    cannot(fgt_conv(NULL), "is not FGT_CONV_PADDING_CAUSAL with stride 1");
    cannot(fgt_conv(&FGT_OPTS(fgt_conv_opts, .padding = FGT_CONV_PADDING_CAUSAL, .stride = 2)),
           "is not FGT_CONV_PADDING_CAUSAL with stride 1");
    cannot(fgt_moving_average(NULL), "mixes tokens");
    cannot(fgt_revin(NULL), "mixes tokens");
    cannot(fgt_pool(NULL), "mixes tokens");
    cannot(fgt_token_linear(&FGT_OPTS(fgt_token_linear_opts, .out = 2)), "mixes tokens");
    cannot(fgt_layer_norm(&FGT_OPTS(fgt_layer_norm_opts, .seasonal = 1)), "mean over all tokens");
    cannot(fgt_position(&FGT_OPTS(fgt_position_opts, .kind = FGT_POSITION_GRID, .columns = 4)), "grid");
}

/* A pass may have as many tokens as are planned; a stream more, unless positions end. */
static void positions_end(void **state)
{
    const fgt_workspace_opts o = {.size = sizeof o, .tokens = T + 1};
    fgt_workspace           *ws;
    (void)state;
    fgt_model *m = model_of(1, fgt_position(NULL));
    REFUSED(fgt_model_create_workspace(m, &o, &ws), FGT_E_UNSUPPORTED, "fewer positions");
    fgt_model_destroy(&m);
    m = model_of(1,
                 fgt_position(&FGT_OPTS(fgt_position_opts, .kind = FGT_POSITION_LEARNED, .max_time = T + 1)));
    OK(fgt_model_create_workspace(m, &o, &ws));
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
    m = model_of(1, fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.causal = 1)));
    OK(fgt_model_create_workspace(m, &o, &ws));
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

/* A final state that is added to all tokens makes them depend on later ones. */
static void repeated_tokens(void **state)
{
    const fgt_workspace_opts o = {.size = sizeof o, .tokens = T};
    fgt_workspace           *ws;
    (void)state;
    fgt_model *m = model_of(1, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = D, .last = 1)));
    OK(fgt_model_create_workspace(m, &o, &ws)); /* the last state so far is what a pass would give */
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
    m = model_of(1, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)));
    OK(fgt_model_add(m, fgt_named("end", fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = D, .last = 1)))));
    OK(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"it", "end"}, 2));
    REFUSED(fgt_model_create_workspace(m, &o, &ws), FGT_E_UNSUPPORTED, "repeats the tokens");
    fgt_model_destroy(&m);
    m = model_of(1, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = D, .last = 1)));
    OK(fgt_model_add(m, fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.causal = 1))));
    REFUSED(fgt_model_create_workspace(m, &o, &ws), FGT_E_UNSUPPORTED, "another number of tokens");
    fgt_model_destroy(&m);
}

static void options(void **state)
{
    fgt_workspace *ws;
    fgt_model     *m = new_model();
    (void)state;
    REFUSED(fgt_model_create_workspace(m, &FGT_OPTS(fgt_workspace_opts, .tokens = -1), &ws), FGT_E_ARG,
            "tokens is out of range (got -1");
    REFUSED(fgt_model_create_workspace(m, &FGT_OPTS(fgt_workspace_opts, .tokens = INT64_MAX), &ws), FGT_E_ARG,
            "tokens is out of range (got 9223372036854775807");
    /* keys, padding and rows of "fighter", "wide" and "encoder" */
    const int64_t each = 3 * (D + 1) + 2 * D + 3 * D + D;
    assert_true(fgt_model_get_workspace_bytes(m, &FGT_OPTS(fgt_workspace_opts, .tokens = T)) >=
                fgt_model_get_workspace_bytes(m, NULL) + B * T * each * (int64_t)sizeof(float));
    fgt_model_destroy(&m);
}

static void sweep(void **state)
{
    fgt_workspace *ws;
    fgt_status     s;
    float          y[B * H];
    (void)state;
    fgt_model *m = new_model();
    SWEEP(&memory, s, 4,
          fgt_model_create_workspace(m, &FGT_OPTS(fgt_workspace_opts, .batch = B, .tokens = T), &ws))
    {
        assert_null(ws);
        NOTHING_LEAKS;
    }
    const int64_t bytes = memory.bytes, calls = memory.calls;
    OK(call(ws, B, 0, 1, y));
    assert_int_equal(memory.bytes, bytes);
    assert_int_equal(memory.calls, calls);
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(goes_on_elsewhere),
        WITH_CONTEXT(needs_all_states),
        WITH_CONTEXT(refuses_and_goes_on),
        WITH_CONTEXT(passes_stand_alone),
        WITH_CONTEXT(predictors_stream),
        WITH_CONTEXT(names_the_layer),
        WITH_CONTEXT(positions_end),
        WITH_CONTEXT(repeated_tokens),
        WITH_CONTEXT(options),
        WITH_CONTEXT(sweep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
