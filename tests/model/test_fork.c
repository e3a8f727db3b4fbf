/* SPDX-License-Identifier: BSD-3-Clause */
/* After fork() only one thread of the process runs in the child: passes have the same bits there, and
 * everything can be destroyed. */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <fighter/fighter.h>

#include "model/model_impl.h"

enum { B = 8, T = 24, D = 6, N = B * T * D, FORKS = 20 };

static float x[N], y[N], dy[N];

static void must(fgt_context *ctx, fgt_status s)
{
    if (s != FGT_OK) fail_msg("%s: %s", fgt_status_get_name(s), fgt_context_get_error(ctx));
}

static fgt_context *new_context(int32_t threads, fgt_model **m)
{
    fgt_context *ctx;
    assert_int_equal(fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = threads), &ctx), FGT_OK);
    must(ctx, fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), m));
    must(ctx, fgt_model_add(*m, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2))));
    must(ctx, fgt_predict(*m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    return ctx;
}

typedef struct meeting {
    atomic_int here;
    int32_t    all;
} meeting;

static void meet(void *arg, int64_t task, int32_t worker)
{
    meeting *m = arg;
    (void)task, (void)worker;
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < m->all) sched_yield();
}

/* Returns when all threads of the context run. A thread that begins takes memory, under locks of a sanitizer
 * that a child of fork() would find taken for ever. */
static void wait_for_threads(const fgt_context *ctx)
{
    meeting m = {.all = ctx->exec.workers};
    fgti_parallel(&ctx->exec, m.all, meet, &m);
}

/* The exit status of the child: 0 if all went well. */
static int child(fgt_context *ctx, fgt_model *m)
{
    float        z[N];
    fgt_context *other;
    fgt_model   *fresh;
    alarm(20); /* a hang ends as a signal */
    if (fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(z, B, T, D)) || memcmp(y, z, sizeof z)) return 1;
    if (fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(z, B, T, D))) return 2;
    if (fgt_backward(m, FGT_VIEW(dy, B, T, D), NULL)) return 3;
    other = new_context(3, &fresh); /* with threads of the child's own */
    fgt_model_destroy(&fresh);
    fgt_context_destroy(&other);
    fgt_model_destroy(&m);
    fgt_context_destroy(&ctx);
    return 0;
}

static void test_fork(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) x[i] = (float)sin(i), dy[i] = (float)cos(i);
    for (int32_t threads = 1; threads < 5; threads += 3) {
        fgt_model   *m;
        fgt_context *ctx = new_context(threads, &m);
        wait_for_threads(ctx);
        for (int i = 0; i < FORKS; i++) {
            int         status = 0;
            const pid_t pid    = fork();
            assert_true(pid >= 0);
            if (!pid) _exit(child(ctx, m));
            assert_true(waitpid(pid, &status, 0) == pid);
            if (!WIFEXITED(status) || WEXITSTATUS(status))
                fail_msg("%d threads: child %d ended with %#x", threads, i, status);
        }
        must(ctx, fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(dy, B, T, D)));
        assert_memory_equal(y, dy, sizeof y);
        fgt_model_destroy(&m);
        fgt_context_destroy(&ctx);
    }
}

/* The thread that fills what the model keeps does not run in the child, which takes everything apart. */
static void test_fork_in_a_pass(void **state)
{
    (void)state;
    fgt_model     *m;
    fgt_workspace *ws;
    fgt_context   *ctx    = new_context(1, &m);
    int            status = 0;
    must(ctx, fgt_model_create_workspace(m, NULL, &ws));
    pthread_mutex_lock(&m->keep.lock);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        alarm(20);
        fgt_workspace_destroy(&ws);
        fgt_model_destroy(&m);
        fgt_context_destroy(&ctx);
        _exit(0);
    }
    pthread_mutex_unlock(&m->keep.lock);
    assert_true(waitpid(pid, &status, 0) == pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) fail_msg("the child ended with %#x", status);
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
    fgt_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fork), cmocka_unit_test(test_fork_in_a_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
