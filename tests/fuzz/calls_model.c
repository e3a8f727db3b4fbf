/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on models and workspaces. */
#include <string.h>

#include <fighter/experimental/convert.h>
#include <fighter/experimental/layer.h>
#include <fighter/experimental/vit.h>

#include "../model_info.h"
#include "calls.h"

static fgt_model *a_model(world *w)
{
    return w->model[place(w)];
}

static fgt_workspace *a_workspace(world *w)
{
    return w->ws[place(w)];
}

/* The model's input or output, as a pass takes it. */
static fgt_view pass_view(world *w, const fgt_model *m, bool output)
{
    fgt_view   shape;
    const bool known = output ? model_shapes(m, NULL, &shape) : model_shapes(m, &shape, NULL);
    return draw_view(w, known ? &shape : NULL, output);
}

/* ---- making ---- */

static fgt_model_opts draw_shape(world *w)
{
    fgt_model_opts o = {.size     = sizeof o,
                        .batch    = draw_size(w),
                        .time     = draw_size(w),
                        .features = draw_size(w),
                        .seed     = take(w)};
    if (pick(w, 8) == 0) o.nodes = draw_size(w);
    if (pick(w, 64) == 0) o.size = (size_t)pick(w, sizeof o);
    return o;
}

static void model_create(world *w)
{
    const int            i = place(w);
    const fgt_model_opts o = draw_shape(w);
    calls_drop_model(w, i);
    SAY(w->ctx, fgt_model_create(w->ctx, &o, &w->model[i]));
}

static void layer_create(world *w)
{
    const int            i = place(w);
    const fgt_model_opts o = draw_shape(w);
    calls_drop_model(w, i); /* first, for the layer may have a name from there */
    SAY(w->ctx, model_of_layer(w->ctx, &o, draw_layer(w), &w->model[i]));
}

static void model_load(world *w)
{
    const int           i = place(w);
    const fgt_load_opts o = {.size = sizeof o, .batch = pick(w, 4), .time = pick(w, 8)};
    calls_drop_model(w, i);
    SAY(w->ctx,
        fgt_model_load(w->ctx, FGT_FROM_MEMORY(w->file, w->bytes), pick(w, 2) ? &o : NULL, &w->model[i]));
}

static void model_destroy(world *w)
{
    calls_drop_model(w, place(w));
}

static void fighter_folded(world *w)
{
    const int            i      = place(w);
    const int64_t        d      = 1 + pick(w, 4);
    const fgt_model_opts o      = draw_shape(w);
    const fgt_view       square = {.rank = 2, .shape = {d, d}};
    fgt_view             v[4];
    for (int k = 0; k < 4; k++) v[k] = draw_view(w, &square, false);
    calls_drop_model(w, i);
    SAY(w->ctx, fgt_fighter_create_folded(w->ctx, &o, draw_null(w, &v[0]), &v[1], &v[2], &v[3],
                                          (int32_t)pick(w, 12), &w->model[i]));
}

static void model_add(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_model_add(m, draw_layer(w)));
}

/* ---- a layer whose plan() and memory() call on ---- */

static world *asked; /* while such a layer is added */

/* The refusal of a call in it leaves a sentence, and the call around it may succeed. */
static void ask(void)
{
    fgt_model *m = asked ? a_model(asked) : NULL;
    if (m && pick(asked, 2) && fgt_model_add(m, fgt_activation(NULL)) == FGT_OK && m == asked->model[0] &&
        !asked->model[1])
        abort(); /* it is the only model, and plan() was called for it */
    if (asked) calls_nested(asked);
    if (asked) calls_clear(asked);
}

static fgt_status asking_plan(void *user, fgt_layer_plan *p, const void *opts)
{
    (void)opts;
    (void)user;
    ask();
    return fgt_layer_plan_add_parameter(p, "w", 1, (int64_t[]){3}, FGT_LAYER_INIT_ONE, 1);
}

static void asking_memory(void *user, const int64_t shape[4], const void *opts, int64_t *cache,
                          int64_t *scratch)
{
    (void)shape;
    (void)opts;
    (void)user;
    *cache = *scratch = 1;
    ask();
}

static fgt_status asking_pass(void *user, fgt_layer_pass *p, const void *opts)
{
    (void)opts;
    (void)user;
    return fgt_layer_pass_fail(p, FGT_E_UNSUPPORTED, "it has no pass");
}

fgt_status calls_add_class(fgt_context *ctx)
{
    return fgt_context_add_layer(ctx, &FGT_OPTS(fgt_layer_class, .type = "fuzz.asks", .plan = asking_plan,
                                                .memory = asking_memory, .forward = asking_pass,
                                                .backward = asking_pass));
}

static void model_add_asking(world *w)
{
    fgt_model *m = a_model(w);
    asked        = w;
    SAY(m, fgt_model_add(m, (fgt_layer){.type = "fuzz.asks"}));
    asked = NULL;
}

static void model_add_from(world *w)
{
    fgt_model      *m = a_model(w);
    const fgt_layer l = draw_layer(w);
    const char     *from[4];
    for (int i = 0; i < 4; i++) from[i] = draw_name(w, NULL);
    SAY(m, fgt_model_add_from(m, l, from, pick(w, 6) - 1));
}

static void block_add(world *w)
{
    fgt_model           *m    = a_model(w);
    const int64_t        hops = draw_size(w);
    const fgt_block_opts o    = {.size          = sizeof o,
                                 .block         = {.kind             = pick(w, 16) - 1,
                                                   .layers           = pick(w, 4),
                                                   .heads            = pick(w, 4),
                                                   .ff               = draw_size(w),
                                                   .layer_hops       = &hops,
                                                   .layer_hops_count = pick(w, 2),
                                                   .dropout          = (float)draw_real(w),
                                                   .diag_mask        = pick(w, 3),
                                                   .diag_penalty     = (float)draw_real(w),
                                                   .diag_dropout     = pick(w, 2) ? (float)draw_real(w) : 0,
                                                   .act              = (int32_t)pick(w, 11)},
                                 .dim           = draw_size(w),
                                 .graph         = pick(w, 2) ? w->graph : NULL,
                                 .bidirectional = pick(w, 3)};
    SAY(m, fgt_block_add(m, &o));
}

static void vit_add(world *w)
{
    fgt_model         *m = a_model(w);
    const fgt_vit_opts o = {.size             = sizeof o,
                            .patch_height     = draw_size(w),
                            .patch_width      = draw_size(w),
                            .dim              = draw_size(w),
                            .layers           = pick(w, 4),
                            .heads            = pick(w, 4),
                            .ff               = draw_size(w),
                            .hops             = pick(w, 4),
                            .fighter          = pick(w, 3),
                            .pool             = pick(w, 5) - 1,
                            .learned_position = pick(w, 3),
                            .dropout          = (float)draw_real(w),
                            .drop_path        = pick(w, 2) ? (float)draw_real(w) : 0};
    SAY(m, fgt_vit_add(m, &o));
}

static void copy_parameters(world *w)
{
    fgt_model *m = a_model(w), *from = a_model(w);
    SAY(m, fgt_model_copy_parameters(m, from, pick(w, 4) ? "*" : draw_name(w, from)));
}

static fgt_status get_image(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    const int64_t pixels = fgt_view_count(x) / n;
    (void)user, (void)target;
    for (int64_t i = 0; i < n * pixels; i++) ((float *)x->data)[i] = (float)(index[i / pixels] + i % 7);
    return FGT_OK;
}

static void masked_autoencoder(world *w)
{
    const fgt_vit_opts vit = {.size = sizeof vit, .patch_height = draw_size(w), .dim = draw_size(w),
                              .layers = pick(w, 3), .pool = pick(w, 3), .fighter = pick(w, 2)};
    const fgt_masked_autoencoder_opts o = {.size       = sizeof o,
                                           .encoder    = pick(w, 4) ? &vit : NULL,
                                           .height     = draw_size(w),
                                           .width      = draw_size(w),
                                           .channels   = draw_size(w),
                                           .batch      = draw_size(w),
                                           .dim        = draw_size(w),
                                           .layers     = pick(w, 3),
                                           .heads      = pick(w, 4),
                                           .mask_ratio = (float)draw_real(w),
                                           .normalise  = pick(w, 3)};
    const fgt_source                  s = {.size = sizeof s, .count = 1 + pick(w, 4), .get = get_image};
    fgt_masked_autoencoder           *a;
    fgt_view                          v[3];
    SAY(w->ctx, fgt_masked_autoencoder_create(w->ctx, &o, &a));
    if (!a) return;
    SAY(w->ctx,
        fgt_masked_autoencoder_fit(a, &FGT_OPTS(fgt_fit_opts, .train = &s, .training.epochs = 1), NULL));
    for (int i = 0; i < 3; i++)
        v[i] = pass_view(w, fgt_masked_autoencoder_get_model(a), false);
    SAY(w->ctx, fgt_masked_autoencoder_reconstruct(a, &v[0], take(w), &v[1], draw_null(w, &v[2])));
    fgt_masked_autoencoder_destroy(&a);
}

/* ---- passes ---- */

static void forward(world *w)
{
    fgt_model *m = a_model(w);
    fgt_view   x = pass_view(w, m, false), y = pass_view(w, m, true);
    SAY(m, fgt_forward(m, draw_null(w, &x), draw_null(w, &y)));
}

static void backward(world *w)
{
    fgt_model *m  = a_model(w);
    fgt_view   dy = pass_view(w, m, true), dx = pass_view(w, m, false);
    SAY(m, fgt_backward(m, draw_null(w, &dy), pick(w, 2) ? NULL : &dx));
}

static void predict(world *w)
{
    fgt_model *m = a_model(w);
    fgt_view   x = pass_view(w, m, false), y = pass_view(w, m, true);
    SAY(m, fgt_predict(m, draw_null(w, &x), draw_null(w, &y)));
}

static fgt_view mask_view(world *w, const fgt_model *m, int32_t mask)
{
    fgt_view x = {.rank = 2, .shape = {1, 1}};
    if (!model_shapes(m, &x, NULL)) return draw_view(w, NULL, false);
    const int64_t  b = x.shape[0], t = x.shape[x.rank == 2 ? 1 : x.rank - 2];
    const fgt_view like[] = {
        {.rank = 2, .shape = {b, t}, .dtype = FGT_DTYPE_I32},
        {.rank = 2, .shape = {t, t}, .dtype = pick(w, 2) ? FGT_DTYPE_I32 : FGT_DTYPE_F32},
        {.rank = 1, .shape = {t}, .dtype = FGT_DTYPE_I32},
        {.rank = 3, .shape = {b, 1, t}, .dtype = FGT_DTYPE_F32},
        {.rank = 2, .shape = {t, 3}, .dtype = FGT_DTYPE_I32}};
    return draw_view(w, &like[mask % 5], false);
}

static void set_mask(world *w)
{
    fgt_model    *m = a_model(w);
    const int32_t k = pick(w, 7);
    fgt_view      v = mask_view(w, m, k);
    SAY(m, fgt_workspace_set_mask(fgt_model_get_workspace(m), (int32_t)(k - 1), draw_null(w, &v)));
}

/* The name of a layer and, roughly, its output. */
static fgt_view layer_view(world *w, const fgt_model *m, const char **name, bool out)
{
    fgt_layer_info info = {.size = sizeof info};
    *name               = draw_name(w, NULL);
    if (fgt_model_get_layer(m, pick(w, 4), &info) != FGT_OK) return draw_view(w, NULL, out);
    if (pick(w, 8)) *name = info.name;
    return draw_view(w, &info.output, out);
}

static void set_value(world *w)
{
    fgt_model  *m = a_model(w);
    const char *name;
    fgt_view    v = layer_view(w, m, &name, false), dv = layer_view(w, m, &name, true);
    SAY(m,
        fgt_workspace_set_value(fgt_model_get_workspace(m), name, draw_null(w, &v), pick(w, 2) ? NULL : &dv));
}

static void get_value(world *w)
{
    fgt_model       *m = a_model(w);
    const char      *name;
    fgt_view         v = layer_view(w, m, &name, false);
    const fgt_status s = CALL(fgt_workspace_get_value(fgt_model_get_workspace(m), name, &v));
    if (s == FGT_OK) touch(&v);
    calls_say(w, m != NULL, s);
}

static void add_gradient(world *w)
{
    fgt_model  *m = a_model(w);
    const char *name;
    fgt_view    v = layer_view(w, m, &name, false);
    SAY(m, fgt_model_add_gradient(m, name, draw_null(w, &v)));
}

static void get_adjacency(world *w)
{
    fgt_model       *m = a_model(w);
    const char      *name;
    fgt_view         v = layer_view(w, m, &name, false);
    const fgt_status s = CALL(fgt_model_get_adjacency(m, name, &v));
    if (s == FGT_OK) touch(&v);
    calls_say(w, m != NULL, s);
}

static void get_edges(world *w)
{
    fgt_model           *m = a_model(w);
    const char          *name;
    layer_view(w, m, &name, false);
    const fgt_edges_opts o = {sizeof o, (int64_t)pick(w, 4), (int64_t)pick(w, 4), (int32_t)pick(w, 3), 0};
    fgt_edge             edges[5];
    int64_t              count = 0;
    const fgt_status     s     = CALL(fgt_model_get_edges(m, name, &o, edges, (int64_t)pick(w, 6), &count));
    for (int64_t i = 1; s == FGT_OK && i < count; i++)
        if (!(edges[i - 1].weight >= edges[i].weight)) abort();
    calls_say(w, m != NULL, s);
}

static void describe(world *w)
{
    fgt_model       *m = a_model(w);
    char             text[4000];
    int64_t          bytes = 0;
    const fgt_status s     = CALL(fgt_model_describe(m, text, pick(w, 2) ? sizeof text : take(w), &bytes));
    if (s == FGT_OK && strlen(text) + 1 != (size_t)bytes) abort();
    calls_say(w, m != NULL, s);
    if (fgt_model_get_training_bytes(m) < -1) abort(); /* may say why it is -1 */
}

/* ---- states ---- */

static void set_carry(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_workspace_set_stateful(fgt_model_get_workspace(m), pick(w, 2)));
}

static void init_state(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_workspace_begin_series(fgt_model_get_workspace(m), 0));
}

static const char *state_name(world *w)
{
    static const char *const names[] = {"0.h", "0.c", "1.h", "1.c", "0.x", "h", "2.h", ""};
    return names[pick(w, 8)];
}

/* The state's own shape where the model tells it. */
static fgt_view state_view(world *w, fgt_model *m, const char *name, bool out)
{
    fgt_view   shape = {.data = NULL};
    const bool known = fgt_workspace_get_state_shape(fgt_model_get_workspace(m), name, &shape) == FGT_OK;
    if (!known) shape = (fgt_view){.rank = 3, .shape = {1, 1 + pick(w, 3), 1 + pick(w, 4)}};
    return draw_view(w, &shape, out);
}

static void get_state(world *w)
{
    fgt_model  *m    = a_model(w);
    const char *name = state_name(w);
    fgt_view    v    = state_view(w, m, name, true);
    SAY(m, pick(w, 2) ? fgt_workspace_copy_state(fgt_model_get_workspace(m), name, &v)
                      : fgt_workspace_copy_state_gradient(fgt_model_get_workspace(m), name, &v));
}

static void set_state(world *w)
{
    fgt_model  *m    = a_model(w);
    const char *name = state_name(w);
    fgt_view    v    = state_view(w, m, name, false);
    SAY(m, fgt_workspace_set_state(fgt_model_get_workspace(m), name, draw_null(w, &v)));
}

/* ---- workspaces ---- */

static void workspace_create(world *w)
{
    const int                i = place(w);
    const fgt_workspace_opts o = {
        .size = sizeof o, .batch = draw_size(w), .tokens = pick(w, 2) ? draw_size(w) : 0};
    fgt_workspace_destroy(&w->ws[i]);
    SAY(w->model[i], fgt_model_create_workspace(w->model[i], pick(w, 2) ? &o : NULL, &w->ws[i]));
}

static void workspace_destroy(world *w)
{
    fgt_workspace_destroy(&w->ws[place(w)]);
}

/* A failure in a workspace has its sentence there. */
static void say_workspace(world *w, const fgt_workspace *ws, fgt_status s)
{
    if (ws && s != FGT_OK && !fgt_workspace_get_error(ws)[0]) abort();
    calls_say(w, ws && s == FGT_OK, s);
}

static void workspace_predict(world *w)
{
    const int      i  = place(w);
    fgt_workspace *ws = w->ws[i];
    fgt_view       x = pass_view(w, w->model[i], false), y = pass_view(w, w->model[i], true);
    say_workspace(w, ws, CALL(fgt_workspace_predict(ws, draw_null(w, &x), draw_null(w, &y))));
}

static void workspace_set(world *w)
{
    const int      i  = place(w);
    fgt_workspace *ws = w->ws[i];
    const char    *name;
    fgt_view       v = layer_view(w, w->model[i], &name, false);
    say_workspace(w, ws, CALL(fgt_workspace_set_value(ws, name, draw_null(w, &v), NULL)));
}

static void workspace_mask(world *w)
{
    const int      i  = place(w);
    const int32_t  k  = pick(w, 7);
    fgt_workspace *ws = w->ws[i];
    fgt_view       v  = mask_view(w, w->model[i], k);
    say_workspace(w, ws, CALL(fgt_workspace_set_mask(ws, (int32_t)(k - 1), draw_null(w, &v))));
}

static void workspace_get(world *w)
{
    const int        i = place(w);
    const char      *name;
    fgt_view         v = layer_view(w, w->model[i], &name, false);
    const fgt_status s = CALL(fgt_workspace_get_value(w->ws[i], name, &v));
    if (s == FGT_OK) touch(&v);
    say_workspace(w, w->ws[i], s);
}

static void workspace_state(world *w)
{
    fgt_workspace *ws = a_workspace(w);
    say_workspace(
        w, ws,
        CALL(pick(w, 2) ? fgt_workspace_set_stateful(ws, pick(w, 2)) : fgt_workspace_begin_series(ws, 0)));
}

static void workspace_tokens(world *w)
{
    fgt_workspace *ws = a_workspace(w);
    if (fgt_workspace_get_tokens(ws) < 0) abort();
    say_workspace(w, ws, CALL(fgt_workspace_begin_series(ws, draw_size(w))));
}

static void workspace_one_state(world *w)
{
    const int        i    = place(w);
    const char      *name = state_name(w);
    const bool       set  = pick(w, 2);
    fgt_view         v    = state_view(w, w->model[i], name, !set);
    const fgt_status s    = set ? CALL(fgt_workspace_set_state(w->ws[i], name, draw_null(w, &v)))
                                : CALL(fgt_workspace_copy_state(w->ws[i], name, draw_null(w, &v)));
    say_workspace(w, w->ws[i], s);
}

/* One that predicts and goes. */
static void predictor(world *w)
{
    fgt_model               *m = a_model(w);
    const fgt_predictor_opts o = {.size = sizeof o, .storage = (int32_t)pick(w, 3),
                                  .precision = (int32_t)pick(w, 3)};
    fgt_view                 x = pass_view(w, m, false), y = pass_view(w, m, true);
    fgt_predictor           *p;
    fgt_workspace           *ws = NULL;
    SAY(m, fgt_predictor_create(m, pick(w, 2) ? &o : NULL, &p));
    if (!p) return;
    SAY(m, fgt_predictor_create_workspace(p, NULL, &ws));
    if (ws) say_workspace(w, ws, CALL(fgt_workspace_predict(ws, draw_null(w, &x), draw_null(w, &y))));
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
}

/* ---- parameters ---- */

static fgt_view parameter_view(world *w, fgt_model *m, const char *name, bool out)
{
    fgt_view   shape = {.data = NULL};
    const bool known = name && parameter_shape(m, name, &shape) == FGT_OK;
    return draw_view(w, known ? &shape : NULL, out);
}

static void parameter(world *w)
{
    fgt_model  *m    = a_model(w);
    const char *name = draw_name(w, m);
    const bool  out  = pick(w, 2);
    fgt_view    v = parameter_view(w, m, name, out), *p = draw_null(w, &v);
    if (pick(w, 2))
        SAY(m, out ? fgt_model_copy_parameter(m, name, p) : fgt_model_set_parameter(m, name, p));
    else
        SAY(m, out ? fgt_model_copy_gradient(m, name, p) : fgt_model_set_gradient(m, name, p));
}

static void all_weights(world *w)
{
    fgt_model       *m         = a_model(w);
    const bool       gradients = pick(w, 2);
    fgt_view         v;
    const fgt_status s = CALL(gradients ? fgt_model_get_gradients(m, &v) : fgt_model_get_weights(m, &v));
    if (s != FGT_OK) {
        calls_say(w, m != NULL, s);
        return;
    }
    touch(&v);
    if (!pick(w, 2)) v = draw_view(w, &v, false);
    SAY(m, gradients ? fgt_model_set_gradients(m, &v) : fgt_model_set_weights(m, &v));
}

static void init_gradients(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_model_clear_gradients(m));
}

static void set_frozen(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_model_set_frozen(m, draw_name(w, m), pick(w, 3)));
}

static void convert_length(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_s4_convert_length(m, draw_name(w, NULL), draw_size(w)));
}

/* ---- files ---- */

static void save_memory(world *w)
{
    fgt_model       *m     = a_model(w);
    int64_t          bytes = 0;
    const int64_t    most  = pick(w, 8) ? FILE_MAX : take(w);
    const fgt_status s = CALL(fgt_model_save(m, FGT_TO_MEMORY(w->file, most, pick(w, 32) ? &bytes : NULL)));
    if (s == FGT_OK) w->bytes = bytes;
    calls_say(w, m != NULL, s);
}

static void load_weights(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_model_load_weights(m, FGT_FROM_MEMORY(w->file, w->bytes)));
}

/* Someone else writes to the file. */
static void damage_file(world *w)
{
    uint64_t state = take(w);
    w->bytes       = (int64_t)fuzz_damage_model(w->file, (size_t)w->bytes, FILE_MAX, &state);
}

static void fail_allocation(world *w)
{
    calls_fail_allocation(1 + pick(w, 16));
}

static const operation list[] = {
    {"fgt_model_create", model_create, false, false},
    {"fgt_model_add of a layer without a prefix", layer_create, false, false},
    {"fgt_model_load", model_load, false, false},
    {"fgt_model_destroy", model_destroy, false, false},
    {"fgt_fighter_create_folded", fighter_folded, false, false},
    {"fgt_model_add", model_add, false, false},
    {"fgt_model_add, again", model_add, false, false}, /* twice as likely: a model needs several */
    {"fgt_model_add_from", model_add_from, false, false},
    {"fgt_block_add", block_add, false, true},
    {"fgt_model_add of a layer that calls on", model_add_asking, false, false},
    {"fgt_forward", forward, true, false},
    {"fgt_backward", backward, true, false},
    {"fgt_predict", predict, true, false},
    {"fgt_workspace_set_mask", set_mask, true, false},
    {"fgt_workspace_set_value", set_value, true, false},
    {"fgt_workspace_get_value", get_value, true, false},
    {"fgt_model_add_gradient", add_gradient, true, false},
    {"fgt_model_get_adjacency", get_adjacency, true, false},
    {"fgt_model_get_edges", get_edges, true, false},
    {"fgt_model_describe, fgt_model_get_training_bytes", describe, true, false},
    {"fgt_workspace_set_stateful", set_carry, true, false},
    {"fgt_workspace_begin_series", init_state, true, false},
    {"fgt_workspace_copy_state", get_state, true, false},
    {"fgt_workspace_set_state", set_state, true, false},
    {"fgt_model_create_workspace", workspace_create, false, false},
    {"fgt_workspace_destroy", workspace_destroy, false, false},
    {"fgt_workspace_predict", workspace_predict, true, false},
    {"fgt_workspace_set_value", workspace_set, true, false},
    {"fgt_workspace_set_mask", workspace_mask, true, false},
    {"fgt_workspace_get_value", workspace_get, true, false},
    {"fgt_workspace_set_stateful", workspace_state, true, false},
    {"fgt_workspace_begin_series, of streams", workspace_tokens, true, false},
    {"fgt_model_set_parameter", parameter, true, false},
    {"fgt_model_set_weights", all_weights, true, false},
    {"fgt_model_clear_gradients", init_gradients, true, false},
    {"fgt_model_set_frozen", set_frozen, true, false},
    {"fgt_s4_convert_length", convert_length, true, false},
    {"fgt_model_save", save_memory, true, false},
    {"fgt_model_load_weights", load_weights, true, false},
    {"fgt_workspace_set_state", workspace_one_state, true, false},
    {"fgt_predictor_create", predictor, true, false},
    {"fgt_vit_add", vit_add, false, true},
    {"fgt_model_copy_parameters", copy_parameters, true, false},
    {"fgt_masked_autoencoder_create", masked_autoencoder, false, true},
    {"a damaged file", damage_file, true, false},
    {"a failing allocation", fail_allocation, true, false},
};
const operations calls_of_models = {list, sizeof list / sizeof *list};
