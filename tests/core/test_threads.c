/* SPDX-License-Identifier: BSD-3-Clause */
/* Also meant to be run under ThreadSanitizer: the counters of the tasks are plain on purpose. */
#include "allocator_only.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 1000, WORKERS = 9 };

typedef struct tally {
    int       done[TASKS]; /* only the worker that runs a task touches its cell */
    fgti_exec exec;
    bool      wrong;
} tally;

static void count_task(void *arg, int64_t task, int32_t worker)
{
    tally *t = arg;
    t->done[task]++;
    int64_t *scratch = fgti_worker_scratch(&t->exec, worker);
    scratch[0] += 1;
    if (worker < 0 || worker >= t->exec.workers) t->wrong = true;
}

static void run_counts(tally *t)
{
    const int64_t counts[] = {0, 1, 2, 3, 7, 8, 9, 10, 63, 64, 65, TASKS};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        memset(t->done, 0, sizeof t->done);
        fgti_parallel(&t->exec, counts[c], count_task, t);
        for (int64_t i = 0; i < TASKS; i++) assert_int_equal(t->done[i], i < counts[c]);
        assert_false(t->wrong);
    }
}

static void test_pool(void **state)
{
    (void)state;
    static tally t;
    ledger       l   = {0};
    fgt_context  ctx = bare_context(&l);
    for (int32_t workers = 1; workers <= WORKERS; workers++) {
        assert_int_equal(fgti_exec_init(&ctx, &t.exec, workers, NULL, 100), FGT_OK);
        for (int32_t k = 0; k < workers; k++)
            assert_int_equal((uintptr_t)fgti_worker_scratch(&t.exec, k) % FGTI_ALIGN, 0);
        for (int again = 0; again < 20; again++) run_counts(&t);
        fgti_exec_done(&ctx, &t.exec);
        assert_int_equal(l.blocks, 0);
    }
}

/* Threads that come and go, with and without work, and gaps long enough for them to fall asleep. */
static void test_come_and_go(void **state)
{
    (void)state;
    static tally t;
    ledger       l   = {0};
    fgt_context  ctx = bare_context(&l);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(fgti_exec_init(&ctx, &t.exec, 1 + i % 4, NULL, 64), FGT_OK);
        if (i % 3) run_counts(&t);
        if (i % 10 == 0) {
            nanosleep(&(struct timespec){0, 3000000}, NULL);
            run_counts(&t);
        }
        fgti_exec_done(&ctx, &t.exec);
    }
    assert_int_equal(l.blocks, 0);
    fgti_exec_done(&ctx, &t.exec); /* of nothing */
}

/* ---- the host's executor: one thread per worker, or one after the other, last first ---- */

typedef struct lane_call {
    void (*task)(void *arg, int32_t worker);
    void   *arg;
    int32_t worker;
} lane_call;

static void *lane_main(void *arg)
{
    lane_call *c = arg;
    c->task(c->arg, c->worker);
    return NULL;
}

static void run_threads(void *user, int32_t workers, void (*task)(void *arg, int32_t worker), void *arg)
{
    ++*(int *)user;
    pthread_t thread[WORKERS];
    lane_call call[WORKERS];
    for (int32_t i = 0; i < workers; i++) {
        call[i] = (lane_call){task, arg, i};
        if (pthread_create(&thread[i], NULL, lane_main, &call[i])) abort();
    }
    for (int32_t i = 0; i < workers; i++) pthread_join(thread[i], NULL);
}

static void run_backwards(void *user, int32_t workers, void (*task)(void *arg, int32_t worker), void *arg)
{
    ++*(int *)user;
    for (int32_t i = workers - 1; i >= 0; i--) task(arg, i);
}

static void test_host_executor(void **state)
{
    (void)state;
    static tally t;
    ledger       l   = {0};
    fgt_context  ctx = bare_context(&l);
    for (int kind = 0; kind < 2; kind++)
        for (int32_t workers = 1; workers <= WORKERS; workers++) {
            int                calls = 0;
            const fgt_executor host  = {sizeof host, &calls, kind ? run_backwards : run_threads};
            assert_int_equal(fgti_exec_init(&ctx, &t.exec, workers, &host, 64), FGT_OK);
            assert_null(t.exec.pool);
            run_counts(&t);
            assert_true(workers == 1 ? calls == 0 : calls > 0);
            fgti_exec_done(&ctx, &t.exec);
        }
    assert_int_equal(l.blocks, 0);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t k = 1; k <= 2; k++) {
        ledger      l   = {.refuse = k};
        fgt_context ctx = bare_context(&l);
        fgti_exec   exec;
        assert_int_equal(fgti_exec_init(&ctx, &exec, 3, NULL, 64), FGT_E_NOMEM);
        assert_int_equal(l.blocks, 0);
        assert_true(ctx.error.text[0] != 0);
    }
}

/* ---- signals stay with the host ---- */

static pthread_t  main_thread;
static atomic_int on_main, elsewhere;

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(pthread_equal(pthread_self(), main_thread) ? &on_main : &elsewhere, 1);
}

static void test_signals(void **state)
{
    (void)state;
    ledger      l   = {0};
    fgt_context ctx = bare_context(&l);
    fgti_exec   exec;
    sigset_t    usr, before, after;
    main_thread          = pthread_self();
    struct sigaction act = {.sa_handler = on_signal}, old;
    sigaction(SIGUSR1, &act, &old);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(fgti_exec_init(&ctx, &exec, 4, NULL, 64), FGT_OK);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGUSR1), sigismember(&after, SIGUSR1));

    /* with the signal blocked here, a thread of the pool would be the one to take it */
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr, NULL);
    kill(getpid(), SIGUSR1);
    nanosleep(&(struct timespec){0, 5000000}, NULL);
    assert_int_equal(elsewhere, 0);
    pthread_sigmask(SIG_UNBLOCK, &usr, NULL);
    assert_int_equal(on_main, 1);
    fgti_exec_done(&ctx, &exec);
    sigaction(SIGUSR1, &old, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool),          cmocka_unit_test(test_come_and_go),
        cmocka_unit_test(test_host_executor), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
