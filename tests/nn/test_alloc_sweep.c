/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation of every layer's life fails once: the call says so, leaves all as it was, and works when
 * it is repeated. And a model that has settled allocates no more. */
#include "../model_info.h"
#include "driver.h"

enum { FORWARD, BACKWARD, WORKSPACE, ADJACENCY, AFTER };

/* Calls after nn_build(): the passes, a workspace, a look at the attention. */
static fgt_status use(nn_world *w, int step, fgt_workspace **ws)
{
    fgt_view a;
    switch (step) {
    case FORWARD: return nn_forward(w);
    case BACKWARD: return nn_backward(w);
    case WORKSPACE: return fgt_model_create_workspace(w->model, NULL, ws);
    default:
        /* layers without attention say so, which is no failure here */
        return fgt_model_get_adjacency(w->model, "0", &a) == FGT_E_NOMEM ? FGT_E_NOMEM : FGT_OK;
    }
}

/* One life with the k-th allocation failing; false when k was beyond the last one. */
static bool live(const char *cls, const nn_case *c, int64_t k, const nn_world *ref)
{
    nn_world       w      = {0};
    fgt_workspace *ws     = NULL;
    bool           failed = false;
    nn_prepare(&w, cls, c);
    w.hook.countdown = k;
    for (int i = 0; i < nn_build_steps(&w) + AFTER; i++) {
        const int        later = i - nn_build_steps(&w);
        const fgt_status s     = later < 0 ? nn_build_step(&w, i) : use(&w, later, &ws);
        if (s == FGT_OK) continue;
        if (s != FGT_E_NOMEM || failed)
            fail_msg("%s: allocation %lld, step %d: %s: %s", w.what, (long long)k, i, fgt_status_get_name(s),
                     fgt_context_get_error(w.ctx));
        if (w.ctx && !strstr(fgt_context_get_error(w.ctx), "memory"))
            fail_msg("%s: allocation %lld: \"%s\"", w.what, (long long)k, fgt_context_get_error(w.ctx));
        failed = true;
        i--; /* again, with memory */
    }
    nn_same(&w, "y", ref->y_count, w.y, ref->y);
    nn_same(&w, "dx", ref->x_count, w.dx, ref->dx);
    nn_same(&w, "dmemory", ref->memory_count, w.dmemory, ref->dmemory);
    nn_same(&w, "gradients", model_info(ref->model).parameters, w.model->gradients, ref->model->gradients);
    if (!failed && w.hook.countdown <= 0 && k <= w.hook.calls)
        fail_msg("%s: allocation %lld failed without a word", w.what, (long long)k);
    fgt_workspace_destroy(&ws);
    nn_close(&w);
    return failed;
}

static void sweep(const char *cls, const nn_case *c)
{
    nn_world ref = {0};
    int64_t  k   = 1;
    nn_open(&ref, cls, c);
    nn_ok(&ref, nn_forward(&ref));
    nn_ok(&ref, nn_backward(&ref));
    while (live(cls, c, k, &ref)) k++;
    assert_true(k > 5); /* context, its scratch, the model, a layer, the passes */
    nn_close(&ref);
}

static void test_alloc_sweep(void **state)
{
    (void)state;
    nn_each(sweep);
}

/* ---- no allocation after the first pass ---- */

/* fgt_model_get_workspace_bytes() plans a workspace and throws the plan away, so it allocates each time: it
 * stands before the count, and tests/model/test_model_sweeps.c has its failures. */
static void count(const char *cls, const nn_case *c)
{
    nn_world       w = {.threads = 2, .more_batch = 1};
    fgt_workspace *ws;
    fgt_view       a;
    nn_open(&w, cls, c);
    nn_ok(&w, nn_forward(&w));
    nn_ok(&w, nn_backward(&w));
    if (fgt_model_get_adjacency(w.model, "0", &a) == FGT_OK) assert_non_null(a.data); /* makes room once */
    nn_ok(&w, fgt_model_get_workspace_bytes(w.model, NULL) > 0 ? FGT_OK : FGT_E_SIZE);
    nn_ok(&w, fgt_model_create_workspace(w.model, NULL, &ws));
    nn_give(&w, NULL, ws);
    const fgt_view x = nn_x(&w), y = nn_y(&w, w.y);
    const int64_t  calls = w.hook.calls;
    for (int i = 0; i < 3; i++) {
        nn_ok(&w, nn_forward(&w));
        nn_ok(&w, nn_backward(&w));
        nn_ok(&w, nn_predict(&w));
        nn_ok(&w, fgt_workspace_predict(ws, &x, &y));
        if (fgt_model_get_adjacency(w.model, "0", &a) == FGT_OK) assert_non_null(a.data);
    }
    if (w.hook.calls != calls)
        fail_msg("%s: %lld allocations after the first pass", w.what, (long long)(w.hook.calls - calls));
    fgt_workspace_destroy(&ws);
    nn_close(&w);
}

static void test_alloc_count(void **state)
{
    (void)state;
    nn_each(count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_sweep),
        cmocka_unit_test(test_alloc_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
