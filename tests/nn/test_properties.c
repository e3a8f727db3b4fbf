/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties that must hold for every layer whatever its numbers are. */
#include "../model_info.h"
#include "driver.h"

/* Rounding of a few dozen sums in float; where the same sums run, bits are compared. */
#define NEAR 1e-5

/* ---- a batch is its samples one by one ---- */

static void check_rows(const char *cls, const nn_case *c)
{
    nn_world w = {0};
    nn_open(&w, cls, c);
    nn_ok(&w, nn_predict(&w));
    const int64_t y = w.y_count / c->batch, nodes = c->nodes ? c->nodes : 1;
    const int64_t keys = c->memory ? c->memory : c->time;
    for (int64_t b = 0; b < c->batch; b++) {
        nn_world one = {0};
        nn_case  row = *c;
        nn_data  d   = w.d;
        row.batch    = 1;
        d.x += b * (w.x_count / c->batch);
        d.ids += b * (c->kept ? c->kept : c->time);
        d.dy += b * y;
        d.memory += b * (w.memory_count / c->batch);
        d.scale += b * nodes * c->heads * c->time;
        d.padding += b * keys;
        nn_borrow(&one, &w, &row, &d);
        nn_build(&one);
        nn_ok(&one, nn_predict(&one));
        nn_close_to(&one, "y of one sample", y, one.y, w.y + b * y, NEAR);
        nn_close(&one);
    }
    nn_close(&w);
}

static void test_rows(void **state)
{
    (void)state;
    nn_each(check_rows);
}

/* ---- causal layers ignore the future ---- */

/* Calls fn for every row of token t of a tensor of this shape. */
static void each_row(int64_t batch, fgti_shape s, int64_t t, fgti_real *v,
                     void (*fn)(fgti_real *row, int64_t width, void *arg), void *arg)
{
    for (int64_t g = 0; g < batch * s.nodes; g++) fn(v + (g * s.time + t) * s.width, s.width, arg);
}

static void disturb(fgti_real *row, int64_t width, void *arg)
{
    (void)arg;
    for (int64_t i = 0; i < width; i++) row[i] = 3 - 2 * row[i];
}

static void forget(fgti_real *row, int64_t width, void *arg)
{
    (void)arg;
    memset(row, 0, (size_t)width * sizeof *row);
}

static void check_causal(const char *cls, const nn_case *c)
{
    nn_world w = {0};
    if (!(c->holds & NN_CAUSAL)) return;
    nn_open(&w, cls, c);
    fgti_real *before = nn_memory(w.y_count, sizeof *before);
    assert_int_equal(w.out.time, c->time);
    for (int64_t t = c->time - 1; t > 0; t--) {
        nn_ok(&w, nn_predict(&w));
        memcpy(before, w.y, (size_t)w.y_count * sizeof *before);
        if (c->features)
            each_row(c->batch, w.in, t, w.d.x, disturb, NULL);
        else
            for (int64_t b = 0; b < c->batch; b++) w.d.ids[b * c->time + t] = c->vocab - 1;
        nn_ok(&w, nn_predict(&w));
        for (int64_t k = t; k < c->time; k++) {
            each_row(c->batch, w.out, k, before, forget, NULL);
            each_row(c->batch, w.out, k, w.y, forget, NULL);
        }
        nn_same(&w, "y before the change", w.y_count, w.y, before);
    }
    free(before);
    nn_close(&w);
}

static void test_causal(void **state)
{
    (void)state;
    nn_each(check_causal);
}

/* ---- chunks of a series, with states carried over, are the series ---- */

/* Tokens first .. first+n-1 of every group, from src to dst, which have different numbers of tokens. */
static void copy_tokens(int64_t groups, int64_t width, int64_t n, const fgti_real *src, int64_t src_time,
                        int64_t src_first, fgti_real *dst, int64_t dst_time, int64_t dst_first)
{
    for (int64_t g = 0; g < groups; g++)
        memcpy(dst + (g * dst_time + dst_first) * width, src + (g * src_time + src_first) * width,
               (size_t)(n * width) * sizeof *dst);
}

/* The case's x in chunks of `size` tokens; y gets all of them, or the last one of a layer that has no more.
 * ws NULL: the model's own passes. */
static void run_chunks(nn_world *w, fgt_workspace *ws, int64_t size, fgti_real *y)
{
    const int64_t batch = w->c.batch, groups = batch * w->in.nodes, time = w->in.time;
    fgti_real    *xs = nn_memory(w->x_count, sizeof *xs), *ys = nn_memory(w->y_count, sizeof *ys);
    for (int64_t t = 0; t < time; t += size) {
        const int64_t  n = time - t < size ? time - t : size, m = w->out.time == 1 ? 1 : n;
        const fgt_view x = *FGT_VIEW_OF(FGTI_REAL, xs, batch, w->in.nodes, n, w->in.width);
        const fgt_view y_view = *FGT_VIEW_OF(FGTI_REAL, ys, batch, w->out.nodes, m, w->out.width);
        const fgt_view x3     = *FGT_VIEW_OF(FGTI_REAL, xs, batch, n, w->in.width);
        const fgt_view *in    = w->in.nodes > 1 ? &x : &x3;
        copy_tokens(groups, w->in.width, n, w->d.x, time, t, xs, n, 0);
        nn_ok(w, ws ? fgt_workspace_predict(ws, in, &y_view) : fgt_predict(w->model, in, &y_view));
        copy_tokens(groups, w->out.width, m, ys, m, 0, y, w->out.time, w->out.time == 1 ? 0 : t);
    }
    free(xs);
    free(ys);
}

static void check_chunks(const char *cls, const nn_case *c)
{
    nn_world       w  = {.threads = 2};
    fgt_workspace *ws = NULL;
    if (!(c->holds & NN_CHUNKS)) return;
    nn_open(&w, cls, c);
    nn_ok(&w, nn_predict(&w));
    nn_ok(&w, fgt_model_create_workspace(w.model, NULL, &ws));
    nn_ok(&w, fgt_workspace_set_stateful(fgt_model_get_workspace(w.model), 1));
    nn_ok(&w, fgt_workspace_set_stateful(ws, 1));
    fgti_real *y = nn_memory(w.y_count, sizeof *y);
    for (int64_t size = 1; size <= c->time; size += 1 + size / 2)
        for (int i = 0; i < 2; i++) {
            nn_ok(&w, i ? fgt_workspace_begin_series(ws, 0)
                        : fgt_workspace_begin_series(fgt_model_get_workspace(w.model), 0));
            memset(y, 0, (size_t)w.y_count * sizeof *y);
            run_chunks(&w, i ? ws : NULL, size, y);
            nn_close_to(&w, "y in chunks", w.y_count, y, w.y, NEAR);
        }
    free(y);
    fgt_workspace_destroy(&ws);
    nn_close(&w);
}

static void test_chunks(void **state)
{
    (void)state;
    nn_each(check_chunks);
}

/* ---- masked tokens are as good as absent ---- */

enum { REMOVED = 2 };

/* The first `time` tokens of every group. */
static fgti_real *shortened(int64_t groups, fgti_shape s, int64_t time, const fgti_real *v)
{
    fgti_real *out = nn_memory(groups * time * s.width, sizeof *out);
    for (int64_t g = 0; g < groups; g++)
        memcpy(out + g * time * s.width, v + g * s.time * s.width, (size_t)(time * s.width) * sizeof *out);
    return out;
}

static void check_remove(const char *cls, const nn_case *c)
{
    nn_world w = {0}, less = {.more_time = REMOVED};
    if (!(c->holds & NN_REMOVE)) return;
    nn_open(&w, cls, c);
    const int64_t time = c->time - REMOVED, groups = c->batch * w.in.nodes;
    for (int64_t i = 0; i < c->batch * c->time; i++) w.d.padding[i] = i % c->time >= time;
    nn_ok(&w, nn_predict(&w));

    nn_case short_case = *c;
    nn_data d          = w.d;
    short_case.time    = time;
    short_case.inputs &= ~(unsigned)NN_PADDING;
    d.dy  = NULL;
    d.x   = shortened(groups, w.in, time, w.d.x);
    d.ids = nn_memory(c->batch * time, sizeof *d.ids);
    for (int64_t i = 0; i < c->batch * time; i++) d.ids[i] = w.d.ids[i / time * c->time + i % time];
    nn_borrow(&less, &w, &short_case, &d);
    nn_build(&less);
    nn_ok(&less, nn_predict(&less));
    fgti_real *y = shortened(c->batch * w.out.nodes, w.out, less.out.time, w.y);
    nn_close_to(&w, "y without the masked tokens", less.y_count, y, less.y, NEAR);
    free(y);
    free(d.x);
    free(d.ids);
    free(less.d.dy);
    nn_close(&less);
    nn_close(&w);
}

static void test_remove(void **state)
{
    (void)state;
    nn_each(check_remove);
}

/* ---- relabelled tokens give relabelled rows ---- */

/* Where token t goes: turned round, then shifted. */
static int64_t place(int64_t t, int64_t time)
{
    return (time + 1 - t) % time;
}

static void relabel(int64_t groups, fgti_shape s, const fgti_real *v, fgti_real *out)
{
    for (int64_t g = 0; g < groups; g++)
        for (int64_t t = 0; t < s.time; t++)
            memcpy(out + (g * s.time + place(t, s.time)) * s.width, v + (g * s.time + t) * s.width,
                   (size_t)s.width * sizeof *v);
}

static void check_relabel(const char *cls, const nn_case *c)
{
    nn_world w = {0}, other = {0};
    if (!(c->holds & NN_RELABEL)) return;
    nn_open(&w, cls, c);
    nn_ok(&w, nn_predict(&w));
    nn_prepare(&other, cls, c);
    const int64_t n = c->time;
    if (c->features) relabel(c->batch * w.in.nodes, w.in, w.d.x, other.d.x);
    for (int64_t i = 0; i < c->batch * n; i++) other.d.ids[i / n * n + place(i % n, n)] = w.d.ids[i];
    for (int64_t i = 0; i < n * n; i++) other.d.edges[place(i / n, n) * n + place(i % n, n)] = w.d.edges[i];
    nn_build(&other);
    nn_ok(&other, nn_predict(&other));
    fgti_real *y = nn_memory(w.y_count, sizeof *y);
    relabel(c->batch * w.out.nodes, w.out, w.y, y);
    nn_close_to(&w, "y of relabelled tokens", w.y_count, other.y, y, NEAR);
    free(y);
    nn_close(&other);
    nn_close(&w);
}

static void test_relabel(void **state)
{
    (void)state;
    nn_each(check_relabel);
}

/* ---- any number of threads gives the same bits ---- */

static void check_threads(const char *cls, const nn_case *c)
{
    nn_world one = {.threads = 1};
    nn_open(&one, cls, c);
    nn_ok(&one, nn_forward(&one));
    nn_ok(&one, nn_backward(&one));
    for (int32_t threads = 2; threads <= 5; threads += threads == 3 ? 2 : 1) {
        nn_world many = {.threads = threads};
        nn_open(&many, cls, c);
        nn_ok(&many, nn_forward(&many));
        nn_ok(&many, nn_backward(&many));
        nn_same(&many, "y", one.y_count, many.y, one.y);
        nn_same(&many, "dx", one.x_count, many.dx, one.dx);
        nn_same(&many, "dmemory", one.memory_count, many.dmemory, one.dmemory);
        nn_same(&many, "gradients", model_info(one.model).parameters, many.model->gradients,
                one.model->gradients);
        nn_close(&many);
    }
    nn_close(&one);
}

static void test_threads(void **state)
{
    (void)state;
    nn_each(check_threads);
}

/* ---- a workspace of its own, which shares memory between layers, predicts the same bits ---- */

static void check_lean(const char *cls, const nn_case *c)
{
    nn_world       w  = {.threads = 2};
    fgt_workspace *ws = NULL;
    nn_open(&w, cls, c);
    nn_ok(&w, nn_predict(&w));
    const int64_t before = w.hook.calls;
    nn_ok(&w, fgt_model_create_workspace(w.model, NULL, &ws));
    assert_true(w.hook.calls > before);
    nn_give(&w, NULL, ws);
    fgti_real     *y = nn_memory(w.y_count, sizeof *y);
    const fgt_view x = nn_x(&w), out = nn_y(&w, y);
    for (int twice = 0; twice < 2; twice++) {
        if (fgt_workspace_predict(ws, &x, &out) != FGT_OK)
            fail_msg("%s: %s", w.what, fgt_workspace_get_error(ws));
        nn_same(&w, "y of a workspace", w.y_count, y, w.y);
        memset(y, 0, (size_t)w.y_count * sizeof *y);
    }
    free(y);
    fgt_workspace_destroy(&ws);
    nn_close(&w);
}

static void test_lean(void **state)
{
    (void)state;
    nn_each(check_lean);
}

/* The same of products that are large enough to be cut block by block. */
static void test_large(void **state)
{
    (void)state;
    const nn_case large = {.name     = "large",
                           .batch    = 5,
                           .time     = 96,
                           .features = 256,
                           .layer    = {NN(transformer, .heads = 4, .ff = 2000, .dropout = 0.1f)}};
    check_threads("transformer", &large);
    check_lean("transformer", &large);
}

/* ---- a smaller pass than planned ---- */

static void check_smaller(const char *cls, const nn_case *c)
{
    nn_world exact = {0}, large = {.more_batch = 3, .more_time = c->holds & NN_SHORTER ? 4 : 0};
    nn_open(&exact, cls, c);
    nn_ok(&exact, nn_forward(&exact));
    nn_ok(&exact, nn_backward(&exact));
    nn_prepare(&large, cls, c);
    nn_build(&large);
    nn_ok(&large, nn_forward(&large));
    nn_ok(&large, nn_backward(&large));
    nn_same(&large, "y", exact.y_count, large.y, exact.y);
    nn_same(&large, "dx", exact.x_count, large.dx, exact.dx);
    nn_same(&large, "dmemory", exact.memory_count, large.dmemory, exact.dmemory);
    if (model_info(large.model).parameters == model_info(exact.model).parameters)
        nn_same(&large, "gradients", model_info(exact.model).parameters, large.model->gradients,
                exact.model->gradients);
    nn_close(&large);
    nn_close(&exact);
}

static void test_smaller(void **state)
{
    (void)state;
    nn_each(check_smaller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_causal),  cmocka_unit_test(test_remove),
        cmocka_unit_test(test_relabel), cmocka_unit_test(test_threads), cmocka_unit_test(test_lean),
        cmocka_unit_test(test_smaller), cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
