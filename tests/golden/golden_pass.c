/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "../model_info.h"
#include "golden.h"
#include "model/files/safetensors.h"
#include "model/model_impl.h"

/* Leading axes beyond four are samples too; two axes are tokens of one sample, one is one token. */
golden_shape golden_fold(const fgti_st_tensor *t)
{
    const int32_t r = t->rank;
    golden_shape  s = {1, 1, 1, 1, 1};
    if (r > 0) s.width = t->shape[r - 1];
    if (r > 1) s.time = t->shape[r - 2];
    if (r > 3) s.nodes = t->shape[r - 3];
    for (int32_t i = 0; i < (r > 3 ? r - 3 : r - 2); i++) s.batch *= t->shape[i];
    return s;
}

int64_t golden_elements(golden_shape s)
{
    return s.batch * s.nodes * s.time * s.width;
}

fgt_view golden_view(golden_shape s, const float *data)
{
    if (s.nodes == 1) return *FGT_VIEW(data, s.batch, s.time, s.width);
    return *FGT_VIEW(data, s.batch, s.nodes, s.time, s.width);
}

fgt_model *golden_model(golden *g, golden_shape in)
{
    const fgt_model_opts opts = {.size = sizeof opts, .batch = in.batch, .time = in.time, .nodes = in.nodes,
                                 .features = in.width, .seed = 1};
    if (g->models == GOLDEN_MODELS) golden_fail(g, "more models than the test has room for");
    golden_ok(g, fgt_model_create(g->ctx, &opts, &g->model[g->models]));
    return g->model[g->models++];
}

fgt_model *golden_layer(golden *g, golden_shape in, fgt_layer layer)
{
    fgt_model *m = golden_model(g, in);
    golden_ok(g, fgt_model_add(m, fgt_named("", layer)));
    return m;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), k = strlen(end);
    return n >= k && !strcmp(name + n - k, end);
}

static int64_t shape_of(golden *g, fgt_model *m, const char *parameter, fgt_view *v)
{
    *v = (fgt_view){0};
    golden_ok(g, parameter_shape(m, parameter, v));
    return fgt_view_count(v);
}

void golden_set(golden *g, fgt_model *m, const char *parameter, const float *values)
{
    fgt_view v;
    shape_of(g, m, parameter, &v);
    v.data = (void *)values;
    golden_ok(g, fgt_model_set_parameter(m, parameter, &v));
}

static void set_from_file(golden *g, fgt_model *m, const char *parameter, const char *tensor)
{
    const fgti_st_tensor *t = golden_need(g, tensor);
    fgt_view              v = {.rank = t->rank, .data = golden_floats(g, tensor)};
    memcpy(v.shape, t->shape, sizeof v.shape);
    fgt_view own;
    shape_of(g, m, parameter, &own);
    /* a map to one number may be a vector in the file */
    if (t->rank == 1 && own.rank == 2 && own.shape[0] == 1) {
        v.rank     = 2;
        v.shape[0] = 1;
        v.shape[1] = t->shape[0];
    }
    golden_ok(g, fgt_model_set_parameter(m, parameter, &v));
}

void golden_parameters(golden *g, fgt_model *m)
{
    for (int64_t i = 0; i < model_info(m).tensors; i++) {
        const char   *name   = parameter_name(m, i);
        const char *tensor = golden_name(g, "param.%s", name);
        fgt_view    v;
        const int64_t n = shape_of(g, m, name, &v);
        if (golden_has(g, tensor))
            set_from_file(g, m, name, tensor);
        else if (ends_with(name, "bias"))
            golden_set(g, m, name, golden_memory(g, n, sizeof(float)));
        else if (v.rank != 1) /* a scale stays 1 */
            golden_fail(g, "the file has no tensor %s", tensor);
    }
}

/* The view and the number of elements of what the model gives. */
static fgt_view output_of(golden *g, fgt_model *m)
{
    fgt_view v;
    v      = model_info(m).output;
    v.data = golden_memory(g, fgt_view_count(&v), sizeof(float));
    return v;
}

/* "input" as floats, or as it stands when it holds ids. */
static fgt_view input_of(golden *g, golden_shape in)
{
    const fgti_st_tensor *t = golden_need(g, "input");
    if (in.width) return golden_view(in, golden_floats(g, "input"));
    int64_t *ids = golden_memory(g, golden_count(t), sizeof *ids);
    golden_ok(g, fgti_st_read_i64(g->ctx, g->st, "input", t->rank, t->shape, ids));
    golden_doubles(g, "input");
    return *FGT_VIEW_OF(FGT_DTYPE_I64, ids, in.batch, in.time);
}

/* The pass begins where the last one of the model began. */
static void give_states(golden *g, const fgt_model *m, fgt_workspace *ws)
{
    char name[2 * FGTI_NAME_MAX];
    for (int64_t i = 0; i < m->layers; i++)
        for (int32_t k = 0; k < m->layer[i]->states; k++) {
            const fgti_layer *l = m->layer[i];
            const fgti_state *s = &l->state[k];
            snprintf(name, sizeof name, "%s%s%s", l->name, *l->name ? "." : "", s->name);
            float            *h = m->own->memory + m->own->slot[i].state[k];
            golden_ok(g, fgt_workspace_set_state(
                             ws, name, FGT_VIEW(h, s->outer, m->own->last.batch, s->inner)));
        }
}

/* Output of a predictor with the values and masks of the model, in memory of the case. */
static const float *predict_again(golden *g, fgt_model *m, bool exact, const fgt_view *x, const fgt_view *y)
{
    fgt_view       again = *y;
    fgt_predictor *p;
    fgt_workspace *ws;
    again.data = golden_memory(g, fgt_view_count(y), sizeof(float));
    golden_ok(g, fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .exact = exact), &p));
    fgt_status s = fgt_predictor_create_workspace(p, NULL, &ws);
    if (s == FGT_OK) {
        memcpy(ws->mask, m->own->mask, sizeof ws->mask);
        for (int64_t i = 0; i < m->layers; i++) ws->slot[i].value = m->own->slot[i].value;
        if (m->own->last.states) give_states(g, m, ws);
        s = fgt_workspace_predict(ws, x, &again);
        fgt_workspace_destroy(&ws);
    }
    fgt_predictor_destroy(&p);
    golden_ok(g, s);
    return again.data;
}

void golden_predict(golden *g, fgt_model *m, golden_shape in)
{
    const fgt_view x = input_of(g, in), y = output_of(g, m);
    const int64_t  n = fgt_view_count(&y);
    if (g->prepare) g->prepare(g, m);
    golden_ok(g, fgt_predict(m, &x, &y));
    golden_forward_is(g, "output", n, y.data);
    /* a predictor that folds maps or leaves rows out rounds otherwise than the model */
    golden_forward_is(g, "output", n, predict_again(g, m, false, &x, &y));
    if (memcmp(predict_again(g, m, true, &x, &y), y.data, (size_t)n * sizeof(float)) != 0)
        golden_fail(g, "the exact predictor differs from the model");
}

const float *golden_train(golden *g, fgt_model *m, golden_shape in)
{
    const fgt_view x = input_of(g, in), y = output_of(g, m);
    if (g->prepare) g->prepare(g, m);
    golden_ok(g, fgt_forward(m, &x, &y));
    golden_forward_is(g, "output", fgt_view_count(&y), y.data);
    return y.data;
}

const float *golden_forward(golden *g, fgt_model *m, golden_shape in)
{
    golden_predict(g, m, in);
    return golden_train(g, m, in);
}

bool golden_backward(golden *g, fgt_model *m, golden_shape in)
{
    if (!golden_has(g, "grad_output")) return false;
    fgt_view       dy = output_of(g, m);
    const int64_t  n = golden_elements(in), k = golden_count(golden_need(g, "grad_output"));
    float         *dx   = golden_memory(g, n, sizeof *dx);
    const fgt_view view = golden_view(in, dx);
    if (k != fgt_view_count(&dy)) golden_fail(g, "grad_output has %lld elements", (long long)k);
    dy.data = golden_floats(g, "grad_output");
    golden_ok(g, fgt_backward(m, &dy, golden_has(g, "grad.input") ? &view : NULL));
    if (golden_has(g, "grad.input")) golden_gradient_is(g, "grad.input", n, dx);
    return true;
}

float *golden_gradient(golden *g, fgt_model *m, const char *parameter)
{
    fgt_view      v;
    const int64_t n = shape_of(g, m, parameter, &v);
    v.data          = golden_memory(g, n, sizeof(float));
    golden_ok(g, fgt_model_copy_gradient(m, parameter, &v));
    return v.data;
}

void golden_gradients(golden *g, fgt_model *m)
{
    for (int64_t i = 0; i < model_info(m).tensors; i++) {
        const char *name   = parameter_name(m, i);
        const char *tensor = golden_name(g, "grad.param.%s", name);
        fgt_view    v;
        if (golden_has(g, tensor))
            golden_gradient_is(g, tensor, shape_of(g, m, name, &v), golden_gradient(g, m, name));
    }
}

void golden_pass(golden *g, fgt_model *m, golden_shape in)
{
    golden_parameters(g, m);
    golden_forward(g, m, in);
    if (golden_backward(g, m, in)) golden_gradients(g, m);
}

void golden_adjacency(golden *g, fgt_model *m, const char *layer, const char *tensor)
{
    fgt_view a;
    if (!golden_has(g, tensor)) return;
    golden_ok(g, fgt_model_get_adjacency(m, layer, &a));
    golden_forward_is(g, tensor, fgt_view_count(&a), a.data);
}
