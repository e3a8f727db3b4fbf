/* SPDX-License-Identifier: BSD-3-Clause */
/* A predictor of every layer gives the bits of its model, which is gone by then; so does one in a file that
 * nobody may write to. */
#include <fighter/predictor.h>

#include "../directory.h"
#include "driver.h"

/* On so many threads; the same passes again allocate nothing. */
static void check_workspace(nn_world *w, fgt_predictor *p, int32_t threads, const fgti_real *expected)
{
    const fgt_workspace_opts o = {.size = sizeof o, .threads = threads};
    const fgt_view           x = nn_x(w), y = nn_y(w, w->y);
    fgt_workspace           *ws;
    nn_ok(w, fgt_predictor_create_workspace(p, &o, &ws));
    nn_give(w, NULL, ws);
    const int64_t calls = w->hook.calls;
    for (int i = 0; i < 2; i++) {
        memset(w->y, 0, (size_t)w->y_count * sizeof *w->y);
        if (fgt_workspace_predict(ws, &x, &y)) fail_msg("%s: %s", w->what, fgt_workspace_get_error(ws));
        nn_same(w, "y of the predictor", w->y_count, w->y, expected);
    }
    assert_int_equal(w->hook.calls, calls);
    fgt_workspace_destroy(&ws);
}

static void check_case(const char *cls, const nn_case *c)
{
    nn_world       w = {.more_batch = 1};
    fgt_predictor *p;
    nn_open(&w, cls, c);
    fgti_real *expected = nn_memory(w.y_count, sizeof *expected);
    nn_ok(&w, nn_predict(&w));
    memcpy(expected, w.y, (size_t)w.y_count * sizeof *expected);
    for (int i = 0; i < 2; i++) { /* it makes the file, then it finds it */
        const fgt_predictor_opts o = {.size = sizeof o, .map = in_directory("map")};
        nn_ok(&w, fgt_predictor_create(w.model, &o, &p));
        check_workspace(&w, p, 1, expected);
        fgt_predictor_destroy(&p);
        assert_null(p);
    }
    nn_ok(&w, fgt_predictor_create(w.model, NULL, &p));
    fgt_model_destroy(&w.model);
    for (int32_t threads = 1; threads <= 3; threads += 2) check_workspace(&w, p, threads, expected);
    fgt_predictor_destroy(&p);
    free(expected);
    nn_close(&w);
}

static void test_cases(void **state)
{
    (void)state;
    nn_each(check_case);
}

/* ---- each allocation fails once ---- */

static bool make(nn_world *w, int64_t k)
{
    fgt_predictor *p  = NULL;
    fgt_workspace *ws = NULL;
    w->hook.countdown = k;
    fgt_status s      = fgt_predictor_create(w->model, NULL, &p);
    if (s != FGT_OK) assert_null(p);
    if (s == FGT_OK) {
        s = fgt_predictor_create_workspace(p, NULL, &ws);
        if (s != FGT_OK) assert_null(ws);
    }
    const bool failed = w->hook.countdown <= 0;
    w->hook.countdown = 0;
    if (s != (failed ? FGT_E_NOMEM : FGT_OK))
        fail_msg("%s: allocation %lld: %s", w->what, (long long)k, fgt_status_get_name(s));
    if (failed && !strstr(fgt_context_get_error(w->ctx), "memory"))
        fail_msg("%s: allocation %lld: \"%s\"", w->what, (long long)k, fgt_context_get_error(w->ctx));
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
    return failed;
}

static void sweep(const char *cls, const nn_case *c)
{
    nn_world w = {0};
    int64_t  k = 1;
    nn_open(&w, cls, c);
    while (make(&w, k)) k++;
    assert_true(k > 5);
    nn_close(&w);
}

static void test_alloc_sweep(void **state)
{
    (void)state;
    nn_each(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_alloc_sweep),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
