/* SPDX-License-Identifier: BSD-3-Clause */
/* Every layer's backward pass against central differences, in double; and again with an adapter of all its
 * linear maps, which trains the biases as a whole. */
#include <fighter/experimental/adapter.h>

#include "../model_info.h"
#include "driver.h"
#include "model/access.h"

/* Truncation is about h^2/6 = 2e-11 of the third derivative, rounding 1e-16 |L|/h = 1e-10: the sum is lowest
 * near this h, far below the bound. */
#define H     1e-5
#define BOUND 1e-7

/* Entries of a tensor that are tried, spread over it. */
enum { TRIED = 24 };

static double loss_of(nn_world *w)
{
    double sum = 0;
    nn_ok(w, nn_forward(w));
    for (int64_t i = 0; i < w->y_count; i++) sum += (double)w->y[i] * (double)w->d.dy[i];
    for (int k = 0; k < NN_LOSSES; k++) {
        const fgti_real *value;
        const fgt_view   g  = nn_loss(w, k, &value);
        const fgti_real *dy = g.data;
        for (int64_t i = 0; dy && i < fgt_view_count(&g); i++) sum += (double)value[i] * (double)dy[i];
    }
    return sum;
}

static double difference(nn_world *w, fgti_real *entry)
{
    const fgti_real keep = *entry;
    *entry               = (fgti_real)((double)keep + H);
    w->model->version++; /* it may be a weight */
    const double up      = loss_of(w);
    *entry               = (fgti_real)((double)keep - H);
    w->model->version++;
    const double down = loss_of(w);
    *entry            = keep;
    w->model->version++;
    return (up - down) / (2 * H);
}

/* ||numeric - analytic|| / ||analytic|| over the entries tried; a tensor whose gradient is (nearly) zero is
 * measured by the largest gradient of the case. */
static void check(nn_world *w, const char *name, int64_t n, fgti_real *values, const fgti_real *gradient,
                  double scale)
{
    const int64_t stride = n > TRIED ? n / TRIED + (n / TRIED % 2 == 0) : 1;
    double        error = 0, norm = 0;
    int64_t       tried = 0;
    for (int64_t i = n > 1 ? stride / 2 : 0; i < n; i += stride, tried++) {
        const double d = difference(w, &values[i]), g = (double)gradient[i];
        error += (d - g) * (d - g);
        norm += g * g > d * d ? g * g : d * d;
    }
    const double floor = 1e-2 * scale * sqrt((double)tried);
    const double e     = sqrt(error) / fmax(fmax(sqrt(norm), floor), 1e-30);
    if (!(e < BOUND)) fail_msg("%s: gradient of %s: error %.2g (norm %.2g)", w->what, name, e, sqrt(norm));
}

static double largest(int64_t n, const fgti_real *v, double so_far)
{
    for (int64_t i = 0; i < n; i++) so_far = fmax(so_far, fabs((double)v[i]));
    return so_far;
}

/* The padding row of the table of which p is the factor A, or -1. */
static int64_t padding_of(const nn_world *w, const fgti_param *p)
{
    if (!strstr(p->full_name, "lora_embedding_A")) return -1;
    for (int64_t i = 0; i < w->model->layers; i++)
        if (!strcmp(w->model->layer[i]->cls->name, "embedding")) return w->model->layer[i]->param->zero_row;
    return -1;
}

/* In such a factor, [r,ids], the padding is a column. */
static void check_factor(nn_world *w, const fgti_param *p, int64_t padding, const fgti_real *gradient,
                         double scale)
{
    fgti_real    *values = fgti_model_slabs(w->model).weights + p->offset;
    const int64_t width = p->shape[1], after = padding + 1;
    for (int64_t at = 0; at < p->count; at += width) {
        check(w, p->full_name, padding, values + at, gradient + at, scale);
        check(w, p->full_name, width - after, values + at + after, gradient + at + after, scale);
        if (gradient[at + padding] != 0) fail_msg("%s: the padding has a gradient", w->what);
    }
}

/* A padding row of an embedding has no gradient, though y depends on it: only the rows before and after. */
static void check_parameter(nn_world *w, const fgti_param *p, const fgti_real *gradient, double scale)
{
    fgti_real    *values = fgti_model_slabs(w->model).weights + p->offset;
    const int64_t width  = p->count / p->shape[0], before = p->zero_row < 0 ? p->count : p->zero_row * width;
    const int64_t padding = padding_of(w, p);
    if (padding >= 0) {
        check_factor(w, p, padding, gradient, scale);
        return;
    }
    check(w, p->full_name, before, values, gradient, scale);
    if (p->zero_row < 0) return;
    const int64_t after = before + width;
    check(w, p->full_name, p->count - after, values + after, gradient + after, scale);
    if (largest(width, gradient + before, 0) != 0) fail_msg("%s: the padding row has a gradient", w->what);
}

/* Where the passes started from; the gradients must be taken before the first difference. */
static void check_states(nn_world *w, double scale)
{
    char     name[NN_ALL_LAYERS][FGTI_MAX_STATES][FGTI_NAME_MAX];
    fgt_view v[NN_ALL_LAYERS][FGTI_MAX_STATES];
    for (int64_t i = 0; i < w->model->layers; i++)
        for (int32_t k = 0; k < w->model->layer[i]->states; k++) {
            v[i][k]      = nn_state(w, i, k, NULL, name[i][k]);
            v[i][k].data = nn_memory(fgt_view_count(&v[i][k]), sizeof(fgti_real));
            nn_ok(w,
                  fgt_workspace_copy_state_gradient(fgt_model_get_workspace(w->model), name[i][k], &v[i][k]));
        }
    for (int64_t i = 0; i < w->model->layers; i++)
        for (int32_t k = 0; k < w->model->layer[i]->states; k++) {
            check(w, name[i][k], fgt_view_count(&v[i][k]), w->start[i][k], v[i][k].data, scale);
            free(v[i][k].data);
        }
}

/* Which routes the cases have taken. */
static bool seen[FGTI_ROUTES];

/* Whether there is anything to adapt. B starts as zero, which would hide errors. alpha is small, because the
 * third derivative by B, which is what truncation makes of it, grows with its cube. */
static bool adapt(nn_world *w)
{
    fgt_adapter_opts o = {.size = sizeof o, .name = "adapter", .pattern = "*", .whole = "*bias*",
                              .rank = 2, .alpha = 1};
    fgt_status       s = fgt_model_add_adapter(w->model, &o);
    o.whole            = NULL;
    if (s == FGT_E_NAME) s = fgt_model_add_adapter(w->model, &o);
    if (s == FGT_E_NAME) return false;
    nn_ok(w, s);
    nn_ok(w, fgt_model_set_adapter(w->model, "adapter"));
    const fgti_slabs slabs = fgti_model_slabs(w->model);
    for (int64_t i = 0; i < slabs.size; i++) slabs.weights[i] += (fgti_real)(0.1 * sin((double)(7 * i)));
    return true;
}

static void check_from(const char *cls, const nn_case *c, bool elsewhere, bool adapted)
{
    nn_world          w = {0};
    const fgti_param *p;
    nn_open(&w, cls, c);
    if (adapted && !adapt(&w)) {
        nn_close(&w);
        return;
    }
    for (int64_t i = 0; i < w.model->layers; i++) seen[w.model->layer[i]->route] = true;
    if (elsewhere) nn_draw_states(&w);
    nn_ok(&w, nn_forward(&w));
    nn_ok(&w, nn_backward(&w));
    const int64_t size  = model_info(w.model).parameters;
    fgti_real    *grads = nn_memory(size, sizeof *grads);
    memcpy(grads, fgti_model_slabs(w.model).gradients, (size_t)size * sizeof *grads);
    const double scale = largest(w.x_count, w.dx, largest(size, grads, 0));
    if (elsewhere) check_states(&w, scale);
    for (int64_t i = 0; (p = fgti_model_param(w.model, i)); i++)
        if (!p->frozen) check_parameter(&w, p, grads + p->offset, scale);
    if (c->features) check(&w, "x", w.x_count, w.d.x, w.dx, scale);
    if (c->memory) check(&w, "memory", w.memory_count, w.d.memory, w.dmemory, scale);
    free(grads);
    nn_close(&w);
}

static void check_case(const char *cls, const nn_case *c)
{
    check_from(cls, c, false, false);
    check_from(cls, c, false, true);
    if (c->holds & NN_CHUNKS) check_from(cls, c, true, false);
}

static void test_gradients(void **state)
{
    (void)state;
    nn_each(check_case);
    for (int i = 0; i < FGTI_ROUTES; i++)
        if (!seen[i]) fail_msg("no case takes route %d, \"%s\"", i, fgti_routes[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
