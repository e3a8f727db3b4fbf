/* SPDX-License-Identifier: BSD-3-Clause */
/* Branches, values and gradients used wrongly: a sentence, and all as before. And without memory. */
#include "branches.h"
#include "model/stored/model_file.h"

/* ---- layers that cannot be added ---- */

/* x [B,T,4], "a" [B,T,3], "short" one token of 3, values of every kind. */
static fgt_model *some_layers(void)
{
    fgt_model *m = new_model(1, D);
    ADD(m, VALUE("real", .time = 2, .features = 3));
    ADD(m, VALUE("ids", .kind = FGT_VALUE_IDS));
    ADD(m, VALUE("padding", .kind = FGT_VALUE_KEY_PADDING));
    ADD(m, VALUE("padding too", .kind = FGT_VALUE_KEY_PADDING));
    ADD(m, VALUE("blocked", .kind = FGT_VALUE_ATTN_MASK));
    ADD(m, VALUE("nodes", .nodes = 2, .features = 3));
    ADD(m, NAMED("r", revin, .no_affine = 1));
    ADD(m, NAMED("a", linear, .out = 3));
    ADD(m, fgt_named("short", fgt_pool(NULL)));
    return m;
}

#define L(word, ...)                                                     \
    {                                                                    \
        .type = #word, .opts = &FGT_OPTS(fgt_##word##_opts, __VA_ARGS__) \
    }
#define SUM           \
    {                 \
        .type = "sum" \
    }
#define JOIN             \
    {                    \
        .type = "concat" \
    }
#define CROSS               \
    {                       \
        .type = "attention" \
    }

static const struct {
    fgt_layer   layer;
    const char *from[4];
    fgt_status  status;
    const char *words;
} refusals[] = {
    {SUM, {"a", "nobody"}, FGT_E_NAME, "no layer \"nobody\""},
    {SUM, {"9"}, FGT_E_NAME, "no layer \"9\""}, /* itself */
    {SUM, {"a", "x"}, FGT_E_NAME, "\"x\""},
    {SUM, {"a", ""}, FGT_E_SHAPE, "input 1 has the wrong width (got 4 features, need 3 as the first one)"},
    {SUM,
     {"short", "a"},
     FGT_E_SHAPE,
     "\"a\" has the wrong size (got 1 nodes and 5 tokens, need 1 and 1 as \"short\")"},
    {SUM, {"a", "real"}, FGT_E_SHAPE, "2 tokens"},
    {SUM, {"a", "nodes"}, FGT_E_SHAPE, "2 nodes"},
    {SUM, {"a", "ids"}, FGT_E_SHAPE, "\"ids\" holds ids, need numbers"},
    {SUM, {"a", "padding"}, FGT_E_ARG, "does not use a mask such as \"padding\""},
    {SUM, {"ids"}, FGT_E_SHAPE, "layer 9 (sum)"},
    {L(sum, .weight = {NAN}), {"a"}, FGT_E_ARG, "w0"},
    {JOIN, {"short", "a"}, FGT_E_SHAPE, "tokens"},
    {JOIN, {"", "real"}, FGT_E_SHAPE, "tokens"},
    {L(concat, .reserved = 1), {"a"}, FGT_E_VERSION, "reserved"},
    {L(linear, .out = 2), {"a", "r"}, FGT_E_ARG, "at most 1"},
    {L(linear, .out = 2), {"padding"}, FGT_E_ARG, "does not use a mask"},
    {L(linear, .out = 2), {"ids"}, FGT_E_SHAPE, "ids"},
    {L(fighter, .heads = 2), {"", "a"}, FGT_E_ARG, "at most 1"},
    {L(gru, .hidden = 2), {"a", "blocked"}, FGT_E_ARG, "does not use a mask such as \"blocked\""},
    {CROSS, {"padding"}, FGT_E_ARG, "only masks"},
    {CROSS,
     {"a", "padding", "padding too"},
     FGT_E_ARG,
     "\"padding\" and \"padding too\" are masks of one kind"},
    {CROSS, {"a", "real", "r"}, FGT_E_ARG, "at most 2"},
    {CROSS,
     {"a", "r"},
     FGT_E_SHAPE,
     "the memory has the wrong size (got 1 nodes and 4 features, need 1 and 3 as the input)"},
    {CROSS, {"a", "nodes"}, FGT_E_SHAPE, "2 nodes"},
    {L(embedding, .vocab = 3, .out = 2), {"a"}, FGT_E_SHAPE, "\"a\" holds numbers, need ids"},
    {L(embedding, .vocab = 3, .out = 2), {""}, FGT_E_STATE, "the layer needs ids"},
    {L(embedding, .vocab = 3, .out = 2, .has_padding = 1, .mask_padding = 1),
     {"ids"},
     FGT_E_UNSUPPORTED,
     "not \"ids\"; set a padding mask instead"},
    {{.type = "revin_inverse"}, {"a", "a"}, FGT_E_ARG, "\"a\" is not a revin layer"},
    {{.type = "revin_inverse"}, {"a", ""}, FGT_E_ARG, "the model's input\" is not a revin layer"},
    {{.type = "revin_inverse"}, {"a", "r"}, FGT_E_SHAPE, "3 features, need 1 and 4 as revin"},
    {{.type = "value"}, {"a"}, FGT_E_ARG, "a value cannot read a layer"},
    {{.type = "shared", .opts = "nobody"}, {"a"}, FGT_E_NAME, "nobody"},
    {{.type = "shared"}, {"a"}, FGT_E_NAME, "NULL"},
    {{.type = "shared", .opts = "a"}, {"short"}, FGT_E_SHAPE, "the shape of \"a.weight\""},
    {{.type = "shared", .opts = "a", .name = "a"}, {""}, FGT_E_NAME, "taken"},
};

static void layers(void **state)
{
    fgt_model     *m    = some_layers();
    const uint64_t hash = fgt_model_get_hash(m);
    const int64_t  live = memory.live;
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int32_t n = 0;
        while (n < 4 && refusals[i].from[n]) n++;
        REFUSED(fgt_model_add_from(m, refusals[i].layer, refusals[i].from, n), refusals[i].status,
                refusals[i].words);
        assert_true(m->layers == 9 && memory.live <= live + 1); /* the list of layers may have grown once */
        assert_int_equal(fgt_model_get_hash(m), hash);
    }
    REFUSED(fgt_model_add_from(m, fgt_sum(NULL), LIST("a"), 0), FGT_E_ARG, "at least one");
    REFUSED(fgt_model_add_from(m, fgt_sum(NULL), LIST("a"), -1), FGT_E_ARG, "at least one");
    REFUSED(fgt_model_add_from(m, fgt_sum(NULL), NULL, 1), FGT_E_ARG, "at least one");
    REFUSED(fgt_model_add_from(m, fgt_sum(NULL), LIST(NULL), 1), FGT_E_NAME, "NULL");
    assert_int_equal(fgt_model_add_from(NULL, fgt_sum(NULL), LIST("a"), 1), FGT_E_ARG);
    fgt_model_destroy(&m);
}

static void too_many_inputs(void **state)
{
    fgt_model  *m = some_layers();
    const char *from[30];
    (void)state;
    for (int i = 0; i < 30; i++) from[i] = "a";
    REFUSED(fgt_model_add_from(m, fgt_sum(NULL), from, 17), FGT_E_ARG, "at most 16");
    REFUSED(fgt_model_add_from(m, fgt_concat(NULL), from, 20), FGT_E_ARG, "at most 16");
    REFUSED(fgt_model_add_from(m, fgt_concat(NULL), from, 30), FGT_E_ARG,
            "fgt_model_add_from: too many inputs (got 30, at most 16)");
    OK(fgt_model_add_from(m, fgt_sum(NULL), from, 16));
    fgt_model_destroy(&m);
}

static void values_that_cannot_be(void **state)
{
    fgt_model *m = new_model(1, 0);
    (void)state;
    REFUSED(fgt_model_add(m, LAYER(value, .time = 3)), FGT_E_STATE, "features is not given");
    REFUSED(fgt_model_add(m, LAYER(value, .time = -1)), FGT_E_ARG, "time");
    REFUSED(fgt_model_add(m, LAYER(value, .kind = 8)), FGT_E_ARG, "kind");
    REFUSED(fgt_model_add(m, LAYER(value, .kind = FGT_VALUE_IDS, .features = 2)), FGT_E_ARG,
            "only for FGT_VALUE_REAL");
    REFUSED(fgt_model_add(m, LAYER(value, .kind = FGT_VALUE_DIAG_DROP, .nodes = 2)), FGT_E_ARG,
            "only for FGT_VALUE_REAL");
    ADD(m, VALUE("v", .features = 2));
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "v", NULL, NULL), FGT_E_STATE, "no layers");
    assert_true(fgt_model_get_workspace_bytes(m, NULL) == -1);
    REFUSED(fgt_model_add(m, fgt_sum(NULL)), FGT_E_STATE, "ids");
    FROM(m, fgt_sum(NULL), "v"); /* a failed call does not make the model final */
    fgt_model_destroy(&m);
}

/* ---- passes ---- */

static fgt_status forward(fgt_model *m, host *h)
{
    return fgt_forward(m, FGT_VIEW(h->x, B, T, D), FGT_VIEW(h->y, B, T, 2));
}

static void values(void **state)
{
    host            h = {0};
    fgt_model      *m;
    fgt_workspace  *ws;
    const fgt_view *known = FGT_VIEW(h.known, B, KNOWN, 2);
    (void)state;
    OK(make_graph(ctx, &m));
    draw(&h);
    REFUSED(forward(m, &h), FGT_E_STATE, "layer 0 (value): \"known\" was not set");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "nobody", known, NULL), FGT_E_NAME, "nobody");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "trunk", known, NULL), FGT_E_NAME, "trunk");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), NULL, known, NULL), FGT_E_NAME, "NULL");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "known", FGT_VIEW(NULL, B, KNOWN, 2), NULL),
            FGT_E_ARG, "no data");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "known", known, FGT_VIEW(h.dknown, B, T, 2)),
            FGT_E_SHAPE, "gradient");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "blocked",
                                    FGT_VIEW_OF(FGT_DTYPE_I32, h.blocked, T, KNOWN), known),
            FGT_E_ARG, "no gradient");
    assert_int_equal(fgt_workspace_set_value(NULL, "known", known, NULL), FGT_E_ARG);
    REFUSED(forward(m, &h), FGT_E_STATE, "was not set"); /* none of those has set anything */
    static const struct {
        fgt_view    v;
        fgt_status  status;
        const char *words;
    } bad[] = {
        {{.shape = {2, KNOWN, 2}, .rank = 3},
         FGT_E_SHAPE,
         "\"known\" has the wrong batch (got 2 samples, need 3 as x)"},
        {{.shape = {B + 1, KNOWN, 2}, .rank = 3}, FGT_E_SHAPE, "known has the wrong size (got 4 samples"},
        {{.shape = {B, KNOWN + 1, 2}, .rank = 3}, FGT_E_SHAPE, "of 7 tokens"},
        {{.shape = {B, KNOWN, 3}, .rank = 3}, FGT_E_SHAPE, "known has the wrong shape"},
        {{.shape = {B, KNOWN}, .rank = 2}, FGT_E_SHAPE, "known has the wrong rank (got 2"},
        {{.shape = {B, KNOWN, 2}, .rank = 3, .dtype = FGT_DTYPE_I32},
         FGT_E_SHAPE,
         "known has the wrong type"},
        {{.shape = {B, KNOWN, 2}, .rank = 77}, FGT_E_SHAPE, "wrong rank (got 77"},
        {{.shape = {0, KNOWN, 2}, .rank = 3}, FGT_E_SHAPE, "0 samples"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fgt_view v = bad[i].v;
        v.data     = h.known;
        OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "known", &v, NULL));
        REFUSED(forward(m, &h), bad[i].status, bad[i].words);
    }
    OK(give(m, &h));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "blocked",
                               FGT_VIEW_OF(FGT_DTYPE_I32, h.blocked, T, T), NULL));
    REFUSED(forward(m, &h), FGT_E_SHAPE, "layer 10 (attention)");
    OK(give(m, &h));
    OK(forward(m, &h));
    OK(fgt_model_create_workspace(m, NULL, &ws));
    assert_int_equal(fgt_workspace_predict(ws, FGT_VIEW(h.x, B, T, D), FGT_VIEW(h.y, B, T, 2)), FGT_E_STATE);
    assert_non_null(strstr(fgt_workspace_get_error(ws), "\"known\" was not set"));
    assert_int_equal(fgt_workspace_set_value(ws, "wide", known, NULL), FGT_E_NAME);
    assert_int_equal(fgt_workspace_set_value(NULL, "known", known, NULL), FGT_E_ARG);
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

static void taken_values(void **state)
{
    host           h = {0};
    fgt_model     *m;
    fgt_workspace *ws;
    fgt_view       v;
    (void)state;
    OK(make_graph(ctx, &m));
    draw(&h);
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "class", &v), FGT_E_STATE,
            "no pass was run yet");
    OK(give(m, &h));
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "class", &v), FGT_E_STATE,
            "no pass was run yet");
    OK(forward(m, &h));
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "nobody", &v), FGT_E_NAME, "nobody");
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "class", NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "blocked", &v), FGT_E_UNSUPPORTED,
            "ids or a mask");
    assert_int_equal(fgt_workspace_get_value(NULL, "class", &v), FGT_E_ARG);
    OK(fgt_model_create_workspace(m, NULL, &ws));
    assert_int_equal(fgt_workspace_get_value(ws, "class", &v), FGT_E_STATE);
    OK(fgt_workspace_set_value(ws, "known", FGT_VIEW(h.known, B, KNOWN, 2), NULL));
    OK(fgt_workspace_predict(ws, FGT_VIEW(h.x, B, T, D), FGT_VIEW(h.y, B, T, 2)));
    assert_int_equal(fgt_workspace_get_value(ws, "join", &v), FGT_E_UNSUPPORTED);
    assert_non_null(strstr(fgt_workspace_get_error(ws),
                           "\"join\" was overwritten: a workspace keeps only values that no layer reads"));
    assert_int_equal(fgt_workspace_get_value(ws, "nobody", &v), FGT_E_NAME);
    assert_int_equal(fgt_workspace_get_value(ws, "class", NULL), FGT_E_ARG);
    OK(fgt_workspace_get_value(ws, "12", &v));
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

/* A refused pass leaves nothing to go back from: its shapes have replaced those of the pass before. */
static void gradients(void **state)
{
    host            h = {0};
    fgt_model      *m;
    fgt_view        v;
    const fgt_view *dy = FGT_VIEW(h.dy, B, T, 2), *dclass = FGT_VIEW(h.dclass, B, 3);
    (void)state;
    OK(make_graph(ctx, &m));
    draw(&h);
    REFUSED(fgt_model_add_gradient(m, "class", dclass), FGT_E_STATE, "must be called between");
    OK(give(m, &h));
    OK(forward(m, &h));
    REFUSED(fgt_model_add_gradient(m, "nobody", dclass), FGT_E_NAME, "nobody");
    REFUSED(fgt_model_add_gradient(m, "class", NULL), FGT_E_ARG, "class is NULL");
    REFUSED(fgt_model_add_gradient(m, "class", FGT_VIEW(NULL, B, 3)), FGT_E_ARG, "no data");
    REFUSED(fgt_model_add_gradient(m, "class", FGT_VIEW(h.dclass, B, 2)), FGT_E_SHAPE, "class");
    REFUSED(fgt_model_add_gradient(m, "blocked", dclass), FGT_E_UNSUPPORTED, "no gradient");
    assert_int_equal(fgt_model_add_gradient(NULL, "class", dclass), FGT_E_ARG);
    REFUSED(fgt_backward(m, NULL, NULL), FGT_E_ARG, "dy is NULL");
    OK(fgt_model_add_gradient(m, "class", dclass));
    REFUSED(fgt_model_add_gradient(m, "class", dclass), FGT_E_STATE, "already");
    REFUSED(fgt_backward(m, FGT_VIEW(h.dy, B, T, 3), NULL), FGT_E_SHAPE, "dy");
    OK(fgt_backward(m, NULL, NULL));
    REFUSED(fgt_model_add_gradient(m, "class", dclass), FGT_E_STATE, "must be called between");
    REFUSED(fgt_backward(m, dy, NULL), FGT_E_STATE, "needs a new fgt_forward()");
    OK(forward(m, &h));
    OK(fgt_model_add_gradient(m, "class", dclass)); /* that of the pass before is forgotten */
    OK(forward(m, &h));
    REFUSED(fgt_backward(m, NULL, NULL), FGT_E_ARG, "dy is NULL");
    OK(give(m, &h));
    REFUSED(fgt_backward(m, dy, NULL), FGT_E_STATE, "needs a new fgt_forward()");
    OK(forward(m, &h));
    REFUSED(fgt_forward(m, FGT_VIEW(h.x, B, 2, D), FGT_VIEW(h.y, B, T, 2)), FGT_E_SHAPE,
            "y has the wrong shape");
    REFUSED(fgt_backward(m, dy, NULL), FGT_E_STATE, "needs a new fgt_forward()");
    REFUSED(fgt_workspace_get_value(fgt_model_get_workspace(m), "class", &v), FGT_E_STATE,
            "no pass was run yet");
    OK(fgt_predict(m, FGT_VIEW(h.x, B, T, D), FGT_VIEW(h.y, B, T, 2)));
    REFUSED(fgt_model_add_gradient(m, "class", dclass), FGT_E_STATE, "must be called between");
    fgt_model_destroy(&m);
}

/* Whatever has made a workspace or an optimiser has fixed the model. */
static void too_late(void **state)
{
    host           h = {0};
    fgt_model     *m;
    fgt_workspace *ws;
    fgt_optim     *optim;
    (void)state;
    draw(&h);
    for (int i = 0; i < 4; i++) {
        OK(make_graph(ctx, &m));
        ADD(m, LAYER(linear, .out = 2));
        if (i == 0) OK(give(m, &h));
        if (i == 1) OK(fgt_model_create_workspace(m, NULL, &ws));
        if (i == 1) fgt_workspace_destroy(&ws);
        if (i == 2) OK(fgt_optim_create(m, NULL, &optim));
        if (i == 2) fgt_optim_destroy(&optim);
        if (i == 3) OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, NULL));
        REFUSED(TRY_FROM(m, fgt_sum(NULL), "trunk", "join"), FGT_E_STATE, "after the first pass");
        REFUSED(fgt_model_add(m, fgt_shared("class")), FGT_E_STATE, "after the first pass");
        fgt_model_destroy(&m);
    }
}

/* A mask that is refused leaves the one before. */
static void masks(void **state)
{
    float      y[B * T * D], want[B * T * D], x[B * T * D];
    int32_t    blocked[T * T] = {0, 1};
    fgt_model *m              = new_model(1, D);
    (void)state;
    fill(x, B * T * D, 1);
    ADD(m, fgt_attention(NULL));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION,
                              FGT_VIEW_OF(FGT_DTYPE_I32, blocked, T, T)));
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(want, B, T, D)));
    REFUSED(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION,
                                   FGT_VIEW_OF(FGT_DTYPE_I32, NULL, T, T)),
            FGT_E_ARG, "no data");
    REFUSED(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_COUNT, NULL), FGT_E_ARG,
            "unknown mask (got 6");
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    same_bits("y", B * T * D, y, want);
    fgt_model_destroy(&m);
}

/* ---- without memory ---- */

/* Everything there is for a model with branches, from the first call to the last. */
static fgt_status live(fgt_context *c, host *h, fgt_model **m, fgt_model **loaded, fgt_workspace **ws)
{
    fgt_view v;
    FGTI_TRY(make_graph(c, m));
    FGTI_TRY(give(*m, h));
    FGTI_TRY(learn(*m, h, LOSS_Y | LOSS_CLASS | LOSS_PRICE));
    FGTI_TRY(fgt_workspace_get_value(fgt_model_get_workspace(*m), "join", &v));
    FGTI_TRY(fgt_model_create_workspace(*m, NULL, ws));
    FGTI_TRY(fgt_workspace_set_value(*ws, "known", FGT_VIEW(h->known, B, KNOWN, 2), NULL));
    FGTI_TRY(fgt_workspace_predict(*ws, FGT_VIEW(h->x, B, T, D), FGT_VIEW(h->y, B, T, 2)));
    FGTI_TRY(fgt_workspace_get_value(*ws, "price", &v));
    FGTI_TRY(fgt_model_save(*m, FGT_TO_FILE(in_directory("swept"))));
    FGTI_TRY(fgt_model_load(c, FGT_FROM_FILE(in_directory("swept")), NULL, loaded));
    return fgti_model_check_same(*m, *loaded);
}

static void failing_allocations(void **state)
{
    host           h  = {0};
    fgt_model     *m  = NULL, *loaded = NULL;
    fgt_workspace *ws = NULL;
    fgt_status     s;
    (void)state;
    draw(&h);
    SWEEP(&memory, s, 60, live(ctx, &h, &m, &loaded, &ws))
    {
        fgt_workspace_destroy(&ws);
        fgt_model_destroy(&loaded);
        fgt_model_destroy(&m);
        NOTHING_LEAKS;
    }
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&loaded);
    fgt_model_destroy(&m);
}

/* Values, passes, outputs and steps: nothing is allocated once there was one of each. */
static void no_allocation_in_steps(void **state)
{
    host       h = {0};
    fgt_model *m;
    fgt_optim *optim;
    fgt_view   v;
    (void)state;
    draw(&h);
    OK(make_graph(ctx, &m));
    OK(fgt_optim_create(m, NULL, &optim));
    for (int step = 0; step < 4; step++) {
        if (step == 1) memory.countdown = 1; /* the next one would fail */
        OK(give(m, &h));
        OK(learn(m, &h, LOSS_Y | LOSS_CLASS));
        OK(fgt_step(optim));
        OK(fgt_predict(m, FGT_VIEW(h.x, B, T, D), FGT_VIEW(h.y, B, T, 2)));
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "price", &v));
    }
    assert_int_equal(memory.countdown, 1);
    memory.countdown = 0;
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOTH(layers),
        WITH_BOTH(too_many_inputs),
        WITH_BOTH(values_that_cannot_be),
        WITH_BOTH(values),
        WITH_BOTH(taken_values),
        WITH_BOTH(gradients),
        WITH_BOTH(too_late),
        WITH_BOTH(masks),
        WITH_BOTH(failing_allocations),
        WITH_BOTH(no_allocation_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
