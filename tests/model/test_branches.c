/* SPDX-License-Identifier: BSD-3-Clause */
/* Models with branches: several losses, values, masks for single layers, threads, workspaces, files. That
 * gradients are right is for tests/nn/test_gradient.c, which has such models too. */
#include "../model_info.h"
#include "branches.h"
#include "model/params.h"
#include "model/stored/model_file.h"

static fgt_model *graph(void)
{
    fgt_model *m;
    OK(make_graph(ctx, &m));
    return m;
}

/* ---- several losses ---- */

static void losses_add_up(void **state)
{
    host       h = {0};
    fgt_model *m = graph();
    float     *part[3], *all, dx[B * T * D] = {0}, dknown[B * KNOWN * 2] = {0};
    (void)state;
    draw(&h);
    OK(give(m, &h));
    for (int k = 0; k < 3; k++) {
        OK(learn(m, &h, 1u << k));
        part[k] = gradients_of(m);
        OK(fgt_model_clear_gradients(m));
        for (int i = 0; i < B * T * D; i++) dx[i] += h.dx[i];
        for (int i = 0; i < B * KNOWN * 2; i++) dknown[i] += h.dknown[i];
    }
    for (int64_t i = 0; i < model_info(m).parameters; i++) part[0][i] += part[1][i] + part[2][i];
    OK(learn(m, &h, LOSS_Y | LOSS_CLASS | LOSS_PRICE));
    all = gradients_of(m);
    close_to("gradients", model_info(m).parameters, all, part[0]);
    close_to("dx", B * T * D, h.dx, dx);
    close_to("gradient of the value", B * KNOWN * 2, h.dknown, dknown);
    fgt_model_destroy(&m);
}

/* Whether a parameter lies between x and "class". */
static bool leads_to_class(const fgti_param *p)
{
    return !strncmp(p->full_name, "trunk.", 6) || !strncmp(p->full_name, "class.", 6);
}

/* The gradient of a branch that has no part in the losses is zero, and what is there is added to. */
static void one_loss_alone(void **state)
{
    host              h = {0};
    fgt_model        *m = graph();
    const fgti_layer *l;
    const fgti_param *p;
    float            *once, *twice;
    (void)state;
    draw(&h);
    OK(give(m, &h));
    fill(h.dknown, B * KNOWN * 2, 9);
    OK(learn(m, &h, LOSS_CLASS));
    for (int i = 0; i < B * KNOWN * 2; i++) assert_true(h.dknown[i] == 0);
    once = gradients_of(m);
    OK(learn(m, &h, LOSS_CLASS));
    twice = gradients_of(m);
    for (int64_t i = 0; (p = fgti_param_at(m, i, &l)); i++)
        for (int64_t k = p->offset; k < p->offset + p->count; k++) {
            if ((once[k] != 0) != leads_to_class(p)) fail_msg("%s: %g", p->full_name, (double)once[k]);
            if (twice[k] != 2 * once[k]) fail_msg("%s, twice: %g", p->full_name, (double)twice[k]);
        }
    fgt_model_destroy(&m);
}

/* A gradient given at a layer is that of a model which ends there. */
static void gradient_within(void **state)
{
    float      x[B * T * D], y[B * T * 4], dy[B * T * 4], dx[2][B * T * D], *g[2];
    fgt_model *m[2];
    (void)state;
    fill(x, B * T * D, 1);
    fill(dy, B * T * 4, 2);
    for (int i = 0; i < 2; i++) {
        m[i] = new_model(1, D);
        ADD(m[i], NAMED("a", linear, .out = 4));
        ADD(m[i], NAMED("b", fighter, .heads = 2, .hops = 2, .act = FGT_ACT_TANH));
        if (i) ADD(m[i], NAMED("c", linear, .out = 4));
        if (i) FROM(m[i], NAMED("d", linear, .out = 2), "b");
        OK(fgt_forward(m[i], FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, i ? 2 : 4)));
        if (i) OK(fgt_model_add_gradient(m[i], "b", FGT_VIEW(dy, B, T, 4)));
        OK(fgt_backward(m[i], i ? NULL : FGT_VIEW(dy, B, T, 4), FGT_VIEW(dx[i], B, T, D)));
        g[i] = gradients_of(m[i]);
    }
    same_bits("dx", B * T * D, dx[1], dx[0]);
    same_bits("gradients", model_info(m[0]).parameters, g[1], g[0]);
    fgt_model_destroy(&m[0]);
    fgt_model_destroy(&m[1]);
}

/* The model's output may get its gradient in two shares, a value too. */
static void shares_of_a_gradient(void **state)
{
    host       h = {0};
    fgt_model *m = graph();
    float      doubled[B * T * 2], *a, *b, extra[B * KNOWN * 2], before[B * KNOWN * 2];
    (void)state;
    draw(&h);
    OK(give(m, &h));
    for (int i = 0; i < B * T * 2; i++) doubled[i] = 2 * h.dy[i];
    OK(fgt_forward(m, FGT_VIEW(h.x, B, T, D), FGT_VIEW(h.y, B, T, 2)));
    OK(fgt_backward(m, FGT_VIEW(doubled, B, T, 2), NULL));
    a = gradients_of(m);
    memcpy(before, h.dknown, sizeof before);
    OK(fgt_model_clear_gradients(m));
    fill(extra, B * KNOWN * 2, 8);
    OK(fgt_forward(m, FGT_VIEW(h.x, B, T, D), FGT_VIEW(h.y, B, T, 2)));
    OK(fgt_model_add_gradient(m, "12", FGT_VIEW(h.dy, B, T, 2)));
    OK(fgt_model_add_gradient(m, "known", FGT_VIEW(extra, B, KNOWN, 2)));
    OK(fgt_backward(m, FGT_VIEW(h.dy, B, T, 2), NULL));
    b = gradients_of(m);
    close_to("gradients", model_info(m).parameters, b, a);
    for (int i = 0; i < B * KNOWN * 2; i++) before[i] += extra[i];
    close_to("gradient of the value", B * KNOWN * 2, h.dknown, before);
    fgt_model_destroy(&m);
}

/* ---- threads, workspaces, files ---- */

/* y and the two other outputs, and with a workspace its own. */
static void predict(fgt_model *m, fgt_workspace *ws, host *h, float *out)
{
    fgt_view v;
    if (ws) {
        OK(fgt_workspace_set_value(ws, "blocked", FGT_VIEW_OF(FGT_DTYPE_I32, h->blocked, T, KNOWN), NULL));
        OK(fgt_workspace_set_value(ws, "known", FGT_VIEW(h->known, B, KNOWN, 2), NULL));
        OK(fgt_workspace_predict(ws, FGT_VIEW(h->x, B, T, D), FGT_VIEW(out, B, T, 2)));
    } else {
        OK(give(m, h));
        OK(fgt_predict(m, FGT_VIEW(h->x, B, T, D), FGT_VIEW(out, B, T, 2)));
    }
    OK(ws ? fgt_workspace_get_value(ws, "class", &v)
          : fgt_workspace_get_value(fgt_model_get_workspace(m), "class", &v));
    assert_true(v.rank == 2 && v.shape[0] == B && v.shape[1] == 3 && v.dtype == FGT_DTYPE_F32);
    memcpy(out + B * T * 2, v.data, B * 3 * sizeof *out);
    OK(ws ? fgt_workspace_get_value(ws, "price", &v)
          : fgt_workspace_get_value(fgt_model_get_workspace(m), "price", &v));
    assert_true(v.rank == 3 && v.shape[0] == B && v.shape[1] == T && v.shape[2] == 1);
    memcpy(out + B * T * 2 + B * 3, v.data, B * T * sizeof *out);
}

enum { OUTPUTS = B * T * 2 + B * 3 + B * T };

static void same_whoever_computes(void **state)
{
    host           h = {0};
    fgt_model     *m, *loaded;
    fgt_workspace *ws;
    float          want[OUTPUTS], got[OUTPUTS], *g = NULL, first[MOST];
    host           alone = {0};
    (void)state;
    draw(&h);
    fgt_context_destroy(&ctx);
    for (int32_t threads = 1; threads <= 4; threads++) {
        ctx = test_context(&memory, threads);
        m   = graph();
        predict(m, NULL, &h, got);
        if (threads == 1) memcpy(want, got, sizeof want);
        same_bits("outputs", OUTPUTS, got, want);
        OK(fgt_model_create_workspace(m, NULL, &ws));
        for (int i = 0; i < 2; i++) {
            memset(got, 0, sizeof got);
            predict(m, ws, &h, got);
            same_bits("outputs of a workspace", OUTPUTS, got, want);
        }
        fgt_workspace_destroy(&ws);
        OK(learn(m, &h, LOSS_Y | LOSS_CLASS | LOSS_PRICE));
        g = gradients_of(m);
        if (threads == 1) memcpy(first, g, (size_t)model_info(m).parameters * sizeof *g);
        if (threads == 1) alone = h;
        same_bits("gradients", model_info(m).parameters, g, first);
        same_bits("dx", B * T * D, h.dx, alone.dx);
        same_bits("gradient of the value", B * KNOWN * 2, h.dknown, alone.dknown);
        OK(fgt_model_save(m, FGT_TO_FILE(in_directory("graph"))));
        OK(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("graph")), NULL, &loaded));
        predict(loaded, NULL, &h, got);
        same_bits("outputs of a loaded model", OUTPUTS, got, want);
        OK(fgti_model_check_same(m, loaded));
        fgt_model_destroy(&loaded);
        fgt_model_destroy(&m);
        if (threads < 4) fgt_context_destroy(&ctx);
    }
}

enum { FEW = 2, SHORT = 3, LESS = 4 }; /* samples, tokens of x, of "known" */

typedef struct small {
    float y[FEW * SHORT * 2], price[FEW * SHORT], class[FEW * 3], dx[FEW * SHORT * D], dknown[FEW * LESS * 2];
} small;

static void small_pass(fgt_model *m, const host *h, small *s)
{
    fgt_view v;
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "known", FGT_VIEW(h->known, FEW, LESS, 2),
                               FGT_VIEW(s->dknown, FEW, LESS, 2)));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "blocked", NULL, NULL));
    OK(fgt_forward(m, FGT_VIEW(h->x, FEW, SHORT, D), FGT_VIEW(s->y, FEW, SHORT, 2)));
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "price", &v));
    memcpy(s->price, v.data, sizeof s->price);
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "class", &v));
    memcpy(s->class, v.data, sizeof s->class);
    OK(fgt_model_add_gradient(m, "class", FGT_VIEW(h->dclass, FEW, 3)));
    OK(fgt_backward(m, FGT_VIEW(h->dy, FEW, SHORT, 2), FGT_VIEW(s->dx, FEW, SHORT, D)));
}

/* Fewer samples and tokens than planned give what a model gives that is planned for them; the largest pass
 * afterwards finds nothing of it. */
static void smaller_passes(void **state)
{
    host       h = {0};
    fgt_model *m = graph(), *exact;
    fgt_view   v;
    float      want[OUTPUTS], *g, *g_exact;
    small      s, s_exact;
    (void)state;
    draw(&h);
    predict(m, NULL, &h, want);
    OK(make_graph_of(ctx, FEW, SHORT, LESS, &exact));
    small_pass(m, &h, &s);
    small_pass(exact, &h, &s_exact);
    same_bits("all of a smaller pass", sizeof s / sizeof(float), (float *)&s, (float *)&s_exact);
    g       = gradients_of(m);
    g_exact = gradients_of(exact);
    assert_int_equal(model_info(m).parameters, model_info(exact).parameters);
    same_bits("gradients of a smaller pass", model_info(m).parameters, g, g_exact);
    fgt_model_destroy(&exact);
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "cross", &v));
    assert_true(v.rank == 3 && v.shape[0] == 2 && v.shape[1] == 3 && v.shape[2] == 4);
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "known", &v));
    assert_true(v.rank == 3 && v.shape[0] == 2 && v.shape[1] == 4 && v.shape[2] == 2);
    same_bits("the value itself", 2 * 4 * 2, v.data, h.known);
    float again[OUTPUTS];
    predict(m, NULL, &h, again);
    same_bits("outputs", OUTPUTS, again, want);
    fgt_model_destroy(&m);
}

/* A pass reads only values that it has written before: with NaN in all that is not kept from pass to pass,
 * nothing changes. */
static void poison(fgt_workspace *ws)
{
    fgti_red_zone_lift(ws->memory, ws->plan.total * (int64_t)sizeof *ws->memory);
    for (int64_t i = ws->plan.zeroed; i < ws->plan.total; i++) ws->memory[i] = NAN;
}

static void reads_what_it_wrote(void **state)
{
    host           h = {0};
    fgt_model     *m = graph();
    fgt_workspace *ws;
    float          want[OUTPUTS], got[OUTPUTS], *g, *again, dknown[B * KNOWN * 2];
    (void)state;
    draw(&h);
    predict(m, NULL, &h, want);
    OK(learn(m, &h, LOSS_Y | LOSS_PRICE));
    memcpy(dknown, h.dknown, sizeof dknown);
    g = gradients_of(m);
    OK(fgt_model_clear_gradients(m));
    OK(fgt_model_create_workspace(m, NULL, &ws));
    poison(ws);
    poison(m->own);
    predict(m, ws, &h, got);
    same_bits("outputs", OUTPUTS, got, want);
    OK(give(m, &h));
    OK(learn(m, &h, LOSS_Y | LOSS_PRICE));
    again = gradients_of(m);
    same_bits("gradients", model_info(m).parameters, again, g);
    same_bits("gradient of the value", B * KNOWN * 2, h.dknown, dknown);
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

/* ---- masks for single layers ---- */

enum { SAMPLED = 2 }; /* ceil(ln T) */

static fgt_view mask_of(int kind)
{
    static int32_t padding[B * T], blocked[T * T], drop[T], keys[T * SAMPLED];
    static float   scale[B * 2 * T], rotations[D / 2 * ((T + 1) / 2)];
    for (int i = 0; i < B * T; i++) padding[i] = i % T > 3 - i / T;
    for (int i = 0; i < T * T; i++) blocked[i] = i % 3 == 1;
    for (int i = 0; i < T; i++) drop[i] = i % 2;
    for (int i = 0; i < T * SAMPLED; i++) keys[i] = i % 2;
    fill(scale, B * 2 * T, 6);
    fill(rotations, D / 2 * ((T + 1) / 2), 7);
    switch (kind) {
    case FGT_MASK_KEY_PADDING: return *FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T);
    case FGT_MASK_ATTENTION: return *FGT_VIEW_OF(FGT_DTYPE_I32, blocked, T, T);
    case FGT_MASK_DIAG_DROP: return *FGT_VIEW_OF(FGT_DTYPE_I32, drop, T);
    case FGT_MASK_DIAG_SCALE: return *FGT_VIEW(scale, B, 2, T);
    case FGT_MASK_ROTATIONS: return *FGT_VIEW(rotations, D / 2, 1, (T + 1) / 2);
    default: return *FGT_VIEW_OF(FGT_DTYPE_I32, keys, T, SAMPLED);
    }
}

/* One layer that has a mask of its own, against the same layer with the mask of the whole model. */
static void check_mask(fgt_layer layer, int kind)
{
    const fgt_view mask = mask_of(kind);
    fgt_model     *m[2];
    float          x[B * T * D], y[2][B * T * D] = {0}, dy[B * T * D], plain[B * T * D] = {0}, *g[2];
    fgt_view       out;
    fill(x, B * T * D, 1);
    fill(dy, B * T * D, 2);
    for (int i = 0; i < 2; i++) {
        m[i] = new_model(1, D);
        if (i) ADD(m[i], VALUE("mask", .kind = FGT_VALUE_KEY_PADDING + kind));
        ADD(m[i], NAMED("in", linear, .out = D));
        if (i)
            FROM(m[i], fgt_named("layer", layer), "in", "mask");
        else
            ADD(m[i], fgt_named("layer", layer));
        for (int64_t k = 0; k < model_info(m[i]).parameters; k++)
            m[i]->weights[k] = 0.1f * (float)(k % 13) - 0.5f;
        out      = model_info(m[i]).output; /* [B,T,D], or [B,D] behind a pool */
        out.data = plain;
        OK(fgt_predict(m[i], FGT_VIEW(x, B, T, D), &out));
        OK(i ? fgt_workspace_set_value(fgt_model_get_workspace(m[i]), "mask", &mask, NULL)
             : fgt_workspace_set_mask(fgt_model_get_workspace(m[i]), (int32_t)kind, &mask));
        out.data = y[i];
        OK(fgt_forward(m[i], FGT_VIEW(x, B, T, D), &out));
        out.data = dy;
        OK(fgt_backward(m[i], &out, NULL));
        g[i] = gradients_of(m[i]);
    }
    same_bits("y", B * T * D, y[1], y[0]);
    same_bits("gradients", model_info(m[0]).parameters, g[1], g[0]);
    assert_memory_not_equal(y[0], plain, sizeof plain);
    fgt_model_destroy(&m[0]);
    fgt_model_destroy(&m[1]);
}

static void masks_of_single_layers(void **state)
{
    (void)state;
    for (int kind = 0; kind < FGT_MASK_SAMPLED_KEYS; kind++) {
        check_mask(LAYER(attention, .heads = 2), kind);
        check_mask(LAYER(fighter, .heads = 2, .hops = 2, .act = FGT_ACT_TANH), kind);
        check_mask(LAYER(transformer, .heads = 2), kind);
    }
    check_mask(LAYER(attention, .heads = 2, .attention.attender = FGT_ATTENDER_PROB, .attention.factor = 1),
               FGT_MASK_SAMPLED_KEYS);
    check_mask(LAYER(attention, .heads = 2, .attention.attender = FGT_ATTENDER_PROB, .attention.factor = 1),
               FGT_MASK_KEY_PADDING);
    check_mask(LAYER(attention, .heads = 2, .attention.attender = FGT_ATTENDER_LSH,
                     .attention.bucket_size = 1, .attention.n_hashes = 1),
               FGT_MASK_ROTATIONS);
    check_mask(LAYER(rnn, .hidden = D), FGT_MASK_KEY_PADDING);
    check_mask(LAYER(gru, .hidden = D), FGT_MASK_KEY_PADDING);
    check_mask(LAYER(lstm, .hidden = D), FGT_MASK_KEY_PADDING);
    check_mask(LAYER(pool, .kind = FGT_POOL_MEAN), FGT_MASK_KEY_PADDING);
}

/* The model's mask holds for the layer beside, and not for one with a mask of its own, not even unset. */
static void masks_side_by_side(void **state)
{
    const fgt_view padding = mask_of(FGT_MASK_KEY_PADDING);
    fgt_model     *m       = new_model(1, D);
    fgt_view       v;
    float          x[B * T * D], plain[B * T * D], masked[B * T * D], y[B * T * D];
    (void)state;
    fill(x, B * T * D, 1);
    ADD(m, VALUE("own", .kind = FGT_VALUE_KEY_PADDING));
    ADD(m, NAMED("a", attention, .heads = 2));
    FROM(m, fgt_named("b", fgt_shared("a")), "own", "");
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(plain, B, T, D)));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, &padding));
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    same_bits("own mask, not set", B * T * D, y, plain);
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "a", &v));
    memcpy(masked, v.data, sizeof masked);
    assert_memory_not_equal(masked, plain, sizeof plain);
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, NULL));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "own", &padding, NULL));
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    same_bits("own mask", B * T * D, y, masked);
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "a", &v));
    same_bits("no mask", B * T * D, v.data, plain);
    fgt_model_destroy(&m);
}

/* ---- ids ---- */

/* Two embeddings of other ids are as two models are; I32 and I64 are as good. */
static void ids_beside_ids(void **state)
{
    static const int64_t ids[2][B * T] = {{1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6},
                                          {3, 3, 0, 1, 2, 2, 1, 0, 3}};
    int32_t              narrow[B * T];
    fgt_model           *m = new_model(1, 0), *alone;
    fgt_view             v;
    float                y[B * T * 5], by_i32[B * T * 5], one[2][B * T * 3];
    (void)state;
    for (int i = 0; i < B * T; i++) narrow[i] = (int32_t)ids[1][i];
    ADD(m, NAMED("words", embedding, .vocab = 9, .out = 3));
    ADD(m, VALUE("ids", .kind = FGT_VALUE_IDS));
    FROM(m, NAMED("tags", embedding, .vocab = 4, .out = 2), "ids");
    FROM(m, fgt_concat(NULL), "words", "tags");
    for (int wide = 0; wide < 2; wide++) {
        v = wide ? *FGT_VIEW_OF(FGT_DTYPE_I64, ids[1], B, T) : *FGT_VIEW_OF(FGT_DTYPE_I32, narrow, B, T);
        OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "ids", &v, NULL));
        OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids[0], B, T), FGT_VIEW(y, B, T, 5)));
        if (!wide) memcpy(by_i32, y, sizeof y);
    }
    same_bits("I32 ids", B * T * 5, by_i32, y);
    for (int i = 0; i < 2; i++) {
        alone = new_model(1, 0);
        ADD(alone, LAYER(embedding, .vocab = i ? 4 : 9, .out = i ? 2 : 3));
        memcpy(alone->weights, m->weights + (i ? 27 : 0),
               (size_t)model_info(alone).parameters * sizeof(float));
        OK(fgt_predict(alone, FGT_VIEW_OF(FGT_DTYPE_I64, ids[i], B, T), FGT_VIEW(one[i], B, T, i ? 2 : 3)));
        fgt_model_destroy(&alone);
    }
    for (int r = 0; r < B * T; r++) {
        same_bits("words", 3, y + 5 * r, one[0] + 3 * r);
        same_bits("tags", 2, y + 5 * r + 3, one[1] + 2 * r);
    }
    narrow[7] = 4;
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "ids", FGT_VIEW_OF(FGT_DTYPE_I32, narrow, B, T),
                               NULL));
    REFUSED(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids[0], B, T), FGT_VIEW(y, B, T, 5)), FGT_E_DATA,
            "layer 2");
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOTH(losses_add_up),         WITH_BOTH(one_loss_alone),
        WITH_BOTH(gradient_within),       WITH_BOTH(shares_of_a_gradient),
        WITH_BOTH(same_whoever_computes), WITH_BOTH(smaller_passes),
        WITH_BOTH(reads_what_it_wrote),   WITH_BOTH(masks_of_single_layers),
        WITH_BOTH(masks_side_by_side),    WITH_BOTH(ids_beside_ids),
    };
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
