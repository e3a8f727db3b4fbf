/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"
#include "model/params.h"

#include <fighter/graph.h>

/* The tables, by the registry: a class without one does not link. */
#define FGTI_CLASS(word) extern const nn_case nn_cases_##word[];
#include "nn/registry_list.h"
#undef FGTI_CLASS

static const struct {
    const char    *cls;
    const nn_case *cases;
} tables[] = {
#define FGTI_CLASS(word) {#word, nn_cases_##word},
#include "nn/registry_list.h"
#undef FGTI_CLASS
};

void nn_each(void (*fn)(const char *cls, const nn_case *c))
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const nn_case *c = tables[i].cases; c->name; c++) fn(tables[i].cls, c);
}

/* ---- memory, verdicts ---- */

void *nn_memory(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    if (!p) exit(99);
    return p;
}

void nn_ok(const nn_world *w, fgt_status s)
{
    if (s != FGT_OK) fail_msg("%s: %s: %s", w->what, fgt_status_get_name(s), fgt_context_get_error(w->ctx));
}

void nn_close_to(const nn_world *w, const char *what, int64_t n, const fgti_real *a, const fgti_real *b,
                 double tolerance)
{
    double top = 1, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        const double e = fabs((double)a[i] - (double)b[i]);
        top            = fmax(top, fabs((double)b[i]));
        worst          = e > worst || isnan(e) ? e : worst;
    }
    if (!(worst <= tolerance * top)) fail_msg("%s: %s differs by %g of %g", w->what, what, worst, top);
}

void nn_same(const nn_world *w, const char *what, int64_t n, const fgti_real *a, const fgti_real *b)
{
    for (int64_t i = 0; i < n; i++)
        if (!(a[i] == b[i]))
            fail_msg("%s: %s: element %lld is %.9g, not %.9g", w->what, what, (long long)i, (double)a[i],
                     (double)b[i]);
}

/* ---- data ---- */

enum { OF_X, OF_DY, OF_MEMORY, OF_MASKS, OF_EDGES, OF_WEIGHTS, OF_STATES = 1000, OF_LOSSES = 2000 };

static fgti_rng draws(int purpose)
{
    return (fgti_rng){.key = 11, .stream = (uint64_t)purpose};
}

static fgti_real *normals(int purpose, int64_t n)
{
    fgti_real *v = nn_memory(n, sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = (fgti_real)fgti_rng_normal(draws(purpose), (uint64_t)i);
    return v;
}

static int32_t *flags(int purpose, int64_t n, double p)
{
    int32_t *v = nn_memory(n, sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = fgti_rng_uniform(draws(purpose), (uint64_t)i) < p;
    return v;
}

static int64_t nodes_of(const nn_case *c)
{
    return c->nodes ? c->nodes : 1;
}

/* Of the graph of every layer that takes one; at most as many as tokens. */
static int64_t graph_nodes(const nn_case *c)
{
    return c->layer[0].axis == FGT_AXIS_NODES ? c->nodes : c->time;
}

static int64_t keys_of(const nn_case *c)
{
    return c->memory ? c->memory : c->time;
}

/* Whether the value "ids" is there. */
static bool has_ids(const nn_case *c)
{
    return c->vocab && c->features;
}

/* Width of the tokens that meet the memory: of the first attention layer, or of the model's input. */
static int64_t memory_width(const nn_case *c)
{
    int64_t width = c->features;
    for (int i = 0; i < NN_LAYERS && c->layer[i].type; i++) {
        if (!strcmp(c->layer[i].type, "attention")) return width;
        if (!strcmp(c->layer[i].type, "linear")) width = ((const fgt_linear_opts *)c->layer[i].opts)->out;
    }
    return c->features;
}

static fgti_shape memory_shape(const nn_case *c)
{
    return (fgti_shape){c->memory_nodes ? c->memory_nodes : 1, c->memory, memory_width(c)};
}

/* Options of the first layer's attender, 0 where it has none. */
typedef struct attender_opts {
    int64_t width, heads, factor, bucket, hashes; /* width: of the queries */
} attender_opts;

static attender_opts attender_of(const nn_case *c)
{
    if (!strcmp(c->layer[0].type, "fighter")) {
        const fgt_fighter_opts *o = c->layer[0].opts;
        return (attender_opts){o->attn ? o->attn : c->features, o->heads ? o->heads : 1, o->attention.factor,
                               o->attention.bucket_size, o->attention.n_hashes};
    }
    const fgt_attention_opts *o = c->layer[0].opts;
    if (!o) return (attender_opts){.width = c->features, .heads = 1};
    return (attender_opts){c->features, o->heads ? o->heads : 1, o->attention.factor,
                           o->attention.bucket_size, o->attention.n_hashes};
}

/* Keys that the first layer samples for each query. */
static int64_t sampled_keys(const nn_case *c)
{
    const attender_opts o      = attender_of(c);
    const double        rounds = ceil(log((double)keys_of(c)));
    const double        n      = rounds * (double)(o.factor ? o.factor : 5);
    return n < 1 ? 1 : n > (double)keys_of(c) ? keys_of(c) : (int64_t)n;
}

/* Of the rotations by which the first layer hashes: features of a head, rounds, columns. */
static void rotations_shape(const nn_case *c, int64_t shape[3])
{
    const attender_opts o    = attender_of(c);
    const int64_t       pair = 2 * (o.bucket ? o.bucket : 64);
    shape[0]                 = o.width / o.heads;
    shape[1]                 = o.hashes ? o.hashes : 8;
    shape[2]                 = (c->time + pair - 1) / pair;
}

static void draw_rotations(nn_world *w)
{
    int64_t s[3];
    if (!(w->c.inputs & NN_ROTATIONS)) return;
    rotations_shape(&w->c, s);
    w->d.rotations = normals(OF_MASKS, s[0] * s[1] * s[2]);
}

static void draw_keys(nn_world *w)
{
    const nn_case *c = &w->c;
    if (!(c->inputs & NN_SAMPLED)) return;
    const int64_t n = c->time * sampled_keys(c);
    w->d.sampled    = nn_memory(n, sizeof *w->d.sampled);
    for (int64_t i = 0; i < n; i++)
        w->d.sampled[i] = (int32_t)fgti_rng_below(draws(OF_MASKS), (uint64_t)i, (uint64_t)keys_of(c));
}

/* Ids in a sample: one for each token, or `kept` different ones. */
static int64_t ids_of(const nn_case *c)
{
    return c->kept ? c->kept : c->time;
}

static void draw_ids(nn_world *w)
{
    const nn_case *c = &w->c;
    const int64_t  n = ids_of(c), most = n > c->vocab ? n : c->vocab;
    int64_t       *order = nn_memory(most, sizeof *order);
    w->d.ids             = nn_memory(c->batch * n, sizeof *w->d.ids);
    for (int64_t b = 0; b < c->batch && c->kept; b++) {
        fgti_rng_shuffle((fgti_rng){.key = 11, .stream = (uint64_t)b}, c->vocab, order);
        memcpy(w->d.ids + b * n, order, (size_t)n * sizeof *order);
    }
    for (int64_t i = 0; i < c->batch * n && c->vocab && !c->kept; i++)
        w->d.ids[i] = (int64_t)fgti_rng_below(draws(OF_X), (uint64_t)i, (uint64_t)c->vocab);
    free(order);
}

static void draw_data(nn_world *w)
{
    const nn_case *c = &w->c;
    nn_data       *d = &w->d;
    const int64_t  t = c->time, n = nodes_of(c), b = c->batch;
    d->x        = normals(OF_X, b * n * t * (c->features ? c->features : 1));
    d->memory   = normals(OF_MEMORY, fgti_elements(b, memory_shape(c)));
    d->additive = normals(OF_MASKS, t * keys_of(c));
    d->scale    = normals(OF_MASKS, b * n * c->heads * t);
    d->blocked  = flags(OF_MASKS, t * keys_of(c), 0.3);
    d->drop     = flags(OF_MASKS, t, 0.5);
    d->padding  = nn_memory(b * keys_of(c), sizeof *d->padding);
    d->edges    = normals(OF_EDGES, t * t);
    /* sample 0 whole, then ever more at the end, sample 2 without any token */
    for (int64_t i = 0; i < b; i++)
        for (int64_t j = 0; j < keys_of(c); j++)
            d->padding[i * keys_of(c) + j] = i == 2 || j >= keys_of(c) - i || (i > 0 && j == 1);
    for (int64_t i = 0; i < t * t; i++)
        if (fgti_rng_uniform(draws(OF_EDGES), (uint64_t)i) > 0.4) d->edges[i] = 0;
    for (int64_t i = 0; i < t * t && c->graph >= NN_GRAPH_WALKS; i++)
        if (d->edges[i] < 0) d->edges[i] = -d->edges[i];
    draw_ids(w);
    draw_keys(w);
    draw_rotations(w);
}

static void free_data(nn_data *d)
{
    void *const all[] = {d->x, d->dy, d->memory, d->additive, d->scale, d->edges, d->ids, d->padding,
                         d->blocked, d->drop, d->sampled, d->rotations, d->loss[0], d->loss[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *d = (nn_data){0};
}

void nn_prepare(nn_world *w, const char *cls, const nn_case *c)
{
    snprintf(w->what, sizeof w->what, "%s, %s", cls, c->name);
    w->c = *c;
    draw_data(w);
}

void nn_borrow(nn_world *w, const nn_world *from, const nn_case *c, const nn_data *d)
{
    memcpy(w->what, from->what, sizeof w->what);
    w->c        = *c;
    w->d        = *d;
    w->borrowed = true;
}

/* ---- building ---- */

static fgt_status make_context(nn_world *w)
{
    const fgt_allocator a = test_allocator(&w->hook);
    return fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &a, .threads = w->threads,
                                        .products = w->c.products),
                              &w->ctx);
}

static fgt_status make_sparse(nn_world *w)
{
    const int64_t n = graph_nodes(&w->c);
    int64_t      *indptr = nn_memory(n + 1, sizeof *indptr), edges = 0;
    int32_t      *indices = nn_memory(n * n, sizeof *indices);
    fgti_real    *values  = nn_memory(n * n, sizeof *values);
    for (int64_t i = 0; i < n * n; i++) {
        if (w->d.edges[i] != 0) {
            values[edges]    = w->d.edges[i];
            indices[edges++] = (int32_t)(i % n);
        }
        indptr[i / n + 1] = edges;
    }
    const fgt_status s = fgt_graph_create_csr(w->ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, n + 1),
                                              FGT_VIEW_OF(FGT_DTYPE_I32, indices, edges),
                                              FGT_VIEW_OF(FGTI_REAL, values, edges), &w->graph);
    free(indptr);
    free(indices);
    free(values);
    return s;
}

static fgt_status make_graph(nn_world *w)
{
    const int64_t n = graph_nodes(&w->c);
    if (w->c.graph == NN_GRAPH_NONE) return FGT_OK;
    if (w->c.graph == NN_GRAPH_CSR || w->c.graph == NN_GRAPH_WALKS_CSR) return make_sparse(w);
    return fgt_graph_create_dense(w->ctx, FGT_VIEW_OF(FGTI_REAL, w->d.edges, n, n), &w->graph);
}

static fgt_status make_model(nn_world *w)
{
    const fgt_model_opts o = {.size     = sizeof o,
                              .batch    = w->c.batch + w->more_batch,
                              .time     = w->c.time + w->more_time,
                              .features = w->c.features,
                              .nodes    = w->c.nodes,
                              .seed     = 5};
    return fgt_model_create(w->ctx, &o, &w->model);
}

/* The values come first; what attention reads may have fewer tokens than planned. */
static int64_t planned_memory(const nn_case *c)
{
    int64_t more = 0;
    for (int i = 0; i < NN_LAYERS && c->layer[i].type; i++)
        if (!strcmp(c->layer[i].type, "attention")) more = 2;
    return c->memory ? c->memory + more : 0;
}

static fgt_status add_value(nn_world *w, const char *name, fgt_value_opts o)
{
    o.size = sizeof o;
    return fgt_model_add(w->model, fgt_named(name, fgt_value(&o)));
}

static fgt_status add_memory(nn_world *w)
{
    const fgti_shape s = memory_shape(&w->c);
    if (!w->c.memory) return FGT_OK;
    return add_value(w, "memory", (fgt_value_opts){.time     = planned_memory(&w->c),
                                                   .features = s.width,
                                                   .nodes    = s.nodes});
}

static fgt_status add_ids(nn_world *w)
{
    return has_ids(&w->c) ? add_value(w, "ids", (fgt_value_opts){.kind = FGT_VALUE_IDS,
                                                                .time = w->c.kept})
                          : FGT_OK;
}

/* By fgt_mask. */
static const struct {
    const char *name; /* of the value */
    unsigned    inputs;
} masks[FGT_MASK_COUNT] = {{"padding", NN_PADDING},
                           {"blocked", NN_BLOCKED | NN_ADDITIVE},
                           {"drop", NN_DROP},
                           {"scale", NN_SCALE},
                           {"sampled", NN_SAMPLED},
                           {"rotations", NN_ROTATIONS}};

static fgt_status add_mask(nn_world *w, int which)
{
    if (!(w->c.own & masks[which].inputs)) return FGT_OK;
    return add_value(w, masks[which].name, (fgt_value_opts){.kind = FGT_VALUE_KEY_PADDING + which,
                                                            .time = planned_memory(&w->c)});
}

/* Options of the classes that take a graph. */
typedef union graph_opts {
    fgt_gcn_opts         gcn;
    fgt_attention_opts   attention;
    fgt_fighter_opts     fighter;
    fgt_transformer_opts transformer;
} graph_opts;

/* A copy of a layer's options with the graph, or the options themselves. */
static const void *with_graph(const nn_world *w, const fgt_layer *l, graph_opts *to)
{
    static const struct {
        const char *type;
        size_t      size, at;
    } takes[] = {{"gcn", sizeof to->gcn, offsetof(fgt_gcn_opts, graph)},
                 {"attention", sizeof to->attention, offsetof(fgt_attention_opts, attention.graph)},
                 {"fighter", sizeof to->fighter, offsetof(fgt_fighter_opts, attention.graph)},
                 {"transformer", sizeof to->transformer, offsetof(fgt_transformer_opts, attention.graph)}};
    for (size_t k = 0; k < sizeof takes / sizeof *takes; k++) {
        if (strcmp(l->type, takes[k].type) != 0) continue;
        *to = (graph_opts){0};
        if (l->opts) memcpy(to, l->opts, takes[k].size);
        memcpy(to, &takes[k].size, sizeof takes[k].size);
        memcpy((char *)to + takes[k].at, &w->graph, sizeof w->graph);
        return to;
    }
    return l->opts;
}

static fgt_status add_layer(nn_world *w, int i)
{
    const char *const *from = w->c.from[i];
    fgt_layer          l    = w->c.layer[i];
    graph_opts         opts;
    int32_t            count = 0;
    if (w->graph) l.opts = with_graph(w, &l, &opts);
    while (count < NN_FROM && from[count]) count++;
    if (count) return fgt_model_add_from(w->model, l, from, count);
    if (!w->c.memory || strcmp(l.type, "attention") != 0) return fgt_model_add(w->model, l);
    const char *const before = w->model->last < 0 ? "" : w->model->layer[w->model->last]->name;
    return fgt_model_add_from(w->model, l, (const char *[]){before, "memory"}, 2);
}

/* Biases that are not 0 and scales that are not 1; the same ones in every model with these parameters. */
static void stir_weights(nn_world *w)
{
    const fgti_layer *l;
    const fgti_param *p;
    w->model->version++;
    for (int64_t i = 0; (p = fgti_param_at(w->model, i, &l)); i++)
        for (int64_t j = 0; j < p->count; j++)
            w->model->weights[p->offset + j] +=
                (fgti_real)(0.2 * fgti_rng_normal(draws(OF_WEIGHTS + (int)i), (uint64_t)j));
}

static void draw_losses(nn_world *w, const char *layer, fgti_shape s)
{
    for (int k = 0; k < NN_LOSSES; k++)
        if (w->c.loss[k] && !strcmp(w->c.loss[k], layer) && !w->d.loss[k])
            w->d.loss[k] = normals(OF_LOSSES + k, fgti_elements(w->c.batch, s));
}

/* Shapes of a pass, and room for its results. */
static void make_room(nn_world *w)
{
    fgti_shape shape[NN_ALL_LAYERS] = {{0}};
    w->in = (fgti_shape){nodes_of(&w->c), w->c.time, w->c.features};
    for (int64_t i = 0; i < w->model->layers; i++) {
        const fgti_layer *l = w->model->layer[i];
        if (l->cls->is_value) {
            shape[i] = l->kind == FGT_VALUE_REAL ? memory_shape(&w->c) : (fgti_shape){1, w->c.time, 0};
            continue;
        }
        const fgti_shape in = l->input[0].from < 0 ? w->in : shape[l->input[0].from];
        shape[i]            = in;
        if (l->cls->shape) {
            nn_ok(w, l->cls->shape(&w->ctx->error, l, fgti_along(l, in), &shape[i]));
            shape[i] = fgti_along(l, shape[i]);
        }
        draw_losses(w, l->name, shape[i]);
    }
    w->out     = shape[w->model->last];
    w->x_count = fgti_elements(w->c.batch, w->in);
    w->y_count = fgti_elements(w->c.batch, w->out);
    w->y       = nn_memory(w->y_count, sizeof *w->y);
    w->dx      = nn_memory(w->x_count, sizeof *w->dx);
    w->memory_count = fgti_elements(w->c.batch, memory_shape(&w->c));
    w->dmemory      = nn_memory(w->memory_count, sizeof *w->dmemory);
    if (!w->d.dy) w->d.dy = normals(OF_DY, w->y_count);
}

static fgt_view memory_view(const nn_world *w, fgti_real *data);
static fgt_view mask_view(const nn_world *w, int32_t which);

static fgt_status give_value(fgt_model *m, fgt_workspace *ws, const char *name, const fgt_view *v,
                             const fgt_view *gradient)
{
    return ws ? fgt_workspace_set_value(ws, name, v, NULL)
              : fgt_workspace_set_value(fgt_model_get_workspace(m), name, v, gradient);
}

static fgt_status give_mask(const nn_world *w, fgt_model *m, fgt_workspace *ws, int32_t which)
{
    const fgt_view v = mask_view(w, which);
    if (!v.data) return FGT_OK;
    if (w->c.own & masks[which].inputs) return give_value(m, ws, masks[which].name, &v, NULL);
    return ws ? fgt_workspace_set_mask(ws, which, &v)
              : fgt_workspace_set_mask(fgt_model_get_workspace(m), which, &v);
}

static fgt_status give_ids(const nn_world *w, fgt_model *m, fgt_workspace *ws)
{
    const fgt_view ids = *FGT_VIEW_OF(FGT_DTYPE_I64, w->d.ids, w->c.batch, ids_of(&w->c));
    return has_ids(&w->c) ? give_value(m, ws, "ids", &ids, NULL) : FGT_OK;
}

static fgt_status give_memory(const nn_world *w, fgt_model *m, fgt_workspace *ws, fgti_real *gradient)
{
    const fgt_view v = memory_view(w, w->d.memory), g = memory_view(w, gradient);
    return w->c.memory ? give_value(m, ws, "memory", &v, gradient ? &g : NULL) : FGT_OK;
}

void nn_give(const nn_world *w, fgt_model *m, fgt_workspace *ws)
{
    nn_ok(w, give_memory(w, m, ws, NULL));
    nn_ok(w, give_ids(w, m, ws));
    for (int i = 0; i < FGT_MASK_COUNT; i++) nn_ok(w, give_mask(w, m, ws, (int32_t)i));
}

static int layers_of(const nn_case *c)
{
    int n = 0;
    while (n < NN_LAYERS && c->layer[n].type) n++;
    return n;
}

/* Context, graph, model, two values, the masks that are values; then the layers, and the same inputs again:
 * what they hold. */
enum { MASK_VALUES = 5, BEFORE_LAYERS = MASK_VALUES + FGT_MASK_COUNT };

int nn_build_steps(const nn_world *w)
{
    return BEFORE_LAYERS + layers_of(&w->c) + 2 + FGT_MASK_COUNT;
}

fgt_status nn_build_step(nn_world *w, int step)
{
    const int first_input = BEFORE_LAYERS + layers_of(&w->c);
    if (step == 0) return make_context(w);
    if (step == 1) return make_graph(w);
    if (step == 2) return make_model(w);
    if (step == 3) return add_memory(w);
    if (step == 4) return add_ids(w);
    if (step < BEFORE_LAYERS) return add_mask(w, step - MASK_VALUES);
    if (step < first_input) return add_layer(w, step - BEFORE_LAYERS);
    if (!w->y) {
        stir_weights(w);
        make_room(w);
        if (w->c.frozen) nn_ok(w, fgt_model_set_frozen(w->model, w->c.frozen, 1));
    }
    if (step == first_input) return give_memory(w, w->model, NULL, w->dmemory);
    if (step == first_input + 1) return give_ids(w, w->model, NULL);
    return give_mask(w, w->model, NULL, (int32_t)(step - first_input - 2));
}

void nn_build(nn_world *w)
{
    for (int i = 0; i < nn_build_steps(w); i++) nn_ok(w, nn_build_step(w, i));
}

void nn_open(nn_world *w, const char *cls, const nn_case *c)
{
    nn_prepare(w, cls, c);
    nn_build(w);
}

void nn_close(nn_world *w)
{
    fgt_graph_destroy(&w->graph);
    fgt_model_destroy(&w->model);
    fgt_context_destroy(&w->ctx);
    if (w->hook.live != 0) fail_msg("%s: %lld blocks were not released", w->what, (long long)w->hook.live);
    free(w->y);
    free(w->dx);
    free(w->dmemory);
    for (int i = 0; i < NN_ALL_LAYERS; i++)
        for (int k = 0; k < FGTI_MAX_STATES; k++) free(w->start[i][k]);
    if (!w->borrowed) free_data(&w->d);
}

/* ---- passes ---- */

static fgt_view real_view(const fgti_real *data, int64_t batch, fgti_shape s)
{
    fgt_view v = *FGT_VIEW_OF(FGTI_REAL, data, batch, s.nodes, s.time, s.width);
    if (s.nodes == 1) v = *FGT_VIEW_OF(FGTI_REAL, data, batch, s.time, s.width);
    return v;
}

fgt_view nn_x(const nn_world *w)
{
    if (w->c.features) return real_view(w->d.x, w->c.batch, w->in);
    return *FGT_VIEW_OF(FGT_DTYPE_I64, w->d.ids, w->c.batch, w->c.time);
}

fgt_view nn_y(const nn_world *w, fgti_real *y)
{
    return real_view(y, w->c.batch, w->out);
}

fgt_view nn_dx(const nn_world *w)
{
    return real_view(w->dx, w->c.batch, w->in);
}

static fgt_view mask_view(const nn_world *w, int32_t which)
{
    const nn_case *c = &w->c;
    const nn_data *d = &w->d;
    const int64_t  t = c->time, k = keys_of(c), rows = c->batch * nodes_of(c);
    switch (which) {
    case FGT_MASK_KEY_PADDING:
        return *FGT_VIEW_OF(FGT_DTYPE_I32, c->inputs & NN_PADDING ? d->padding : NULL, c->batch, k);
    case FGT_MASK_ATTENTION:
        if (c->inputs & NN_BLOCKED) return *FGT_VIEW_OF(FGT_DTYPE_I32, d->blocked, t, k);
        return *FGT_VIEW_OF(FGTI_REAL, c->inputs & NN_ADDITIVE ? d->additive : NULL, t, k);
    case FGT_MASK_DIAG_DROP: return *FGT_VIEW_OF(FGT_DTYPE_I32, c->inputs & NN_DROP ? d->drop : NULL, t);
    case FGT_MASK_DIAG_SCALE:
        return *FGT_VIEW_OF(FGTI_REAL, c->inputs & NN_SCALE ? d->scale : NULL, rows, c->heads, t);
    case FGT_MASK_ROTATIONS: {
        int64_t s[3];
        if (!(c->inputs & NN_ROTATIONS)) return (fgt_view){0};
        rotations_shape(c, s);
        return *FGT_VIEW_OF(FGTI_REAL, d->rotations, s[0], s[1], s[2]);
    }
    default:
        if (!(c->inputs & NN_SAMPLED)) return (fgt_view){0};
        return *FGT_VIEW_OF(FGT_DTYPE_I32, d->sampled, t, sampled_keys(c));
    }
}

static fgt_view memory_view(const nn_world *w, fgti_real *data)
{
    return real_view(data, w->c.batch, memory_shape(&w->c));
}

fgt_view nn_loss(const nn_world *w, int k, const fgti_real **value)
{
    fgt_view v = {0};
    if (!w->c.loss[k]) return v;
    nn_ok(w, fgt_workspace_get_value(fgt_model_get_workspace(w->model), w->c.loss[k], &v));
    *value = v.data;
    v.data = w->d.loss[k];
    assert_non_null(v.data);
    return v;
}

fgt_view nn_state(const nn_world *w, int64_t i, int32_t k, fgti_real *data, char name[FGTI_NAME_MAX])
{
    const fgti_state *s = &w->model->layer[i]->state[k];
    snprintf(name, FGTI_NAME_MAX, "%s.%s", w->model->layer[i]->name, s->name);
    return *FGT_VIEW_OF(FGTI_REAL, data, s->outer, w->c.batch, s->inner);
}

void nn_draw_states(nn_world *w)
{
    char name[FGTI_NAME_MAX];
    for (int64_t i = 0; i < w->model->layers; i++)
        for (int32_t k = 0; k < w->model->layer[i]->states; k++) {
            const fgt_view v = nn_state(w, i, k, NULL, name);
            w->start[i][k]   = normals(OF_STATES + FGTI_MAX_STATES * (int)i + k, fgt_view_count(&v));
        }
}

static void set_states(nn_world *w)
{
    char name[FGTI_NAME_MAX];
    for (int64_t i = 0; i < w->model->layers; i++)
        for (int32_t k = 0; k < w->model->layer[i]->states && w->start[i][k]; k++) {
            const fgt_view v = nn_state(w, i, k, w->start[i][k], name);
            nn_ok(w, fgt_workspace_set_state(fgt_model_get_workspace(w->model), name, &v));
        }
}

fgt_status nn_forward(nn_world *w)
{
    const fgt_view x = nn_x(w), y = nn_y(w, w->y);
    set_states(w);
    if (w->model->own) w->model->own->step = 0;
    return fgt_forward(w->model, &x, &y);
}

fgt_status nn_backward(nn_world *w)
{
    const fgt_view   dy = nn_y(w, w->d.dy), dx = nn_dx(w);
    const fgti_real *value;
    for (int k = 0; k < NN_LOSSES; k++) {
        const fgt_view g = nn_loss(w, k, &value);
        if (g.data) nn_ok(w, fgt_model_add_gradient(w->model, w->c.loss[k], &g));
    }
    return fgt_backward(w->model, &dy, w->c.features ? &dx : NULL);
}

fgt_status nn_predict(nn_world *w)
{
    const fgt_view x = nn_x(w), y = nn_y(w, w->y);
    set_states(w);
    return fgt_predict(w->model, &x, &y);
}
