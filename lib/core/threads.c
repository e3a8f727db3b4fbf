/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/context.h"

/* A pool of lanes - 1 threads; the caller is lane 0. A job is announced by raising
 * `round` and reported by lowering `busy`. Both sides spin briefly before they sleep:
 * a layer is tens of microseconds of work, a sleep and wake-up costs about five. */
struct fgti_pool {
    pthread_mutex_t mutex;
    pthread_cond_t  start, finish;
    atomic_uint     round;
    atomic_int      busy;
    atomic_bool     stop;
    void (*fn)(void *arg, int32_t lane);
    void   *arg;
    int32_t threads;
    struct fgti_worker {
        fgti_pool *pool;
        pthread_t  thread;
        int32_t    lane;
    } worker[];
};

/* 20 to 100 microseconds of pause instructions, as the processor has it: several layers' gaps, no more. */
#define SPINS 2000

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static unsigned wait_round(fgti_pool *p, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&p->round, memory_order_acquire) != seen)
            return atomic_load_explicit(&p->round, memory_order_acquire);
        relax();
    }
    pthread_mutex_lock(&p->mutex);
    while (atomic_load(&p->round) == seen) pthread_cond_wait(&p->start, &p->mutex);
    const unsigned now = atomic_load(&p->round);
    pthread_mutex_unlock(&p->mutex);
    return now;
}

static void *worker_main(void *arg)
{
    struct fgti_worker *w    = arg;
    fgti_pool          *p    = w->pool;
    unsigned            seen = 0;
    for (;;) {
        seen = wait_round(p, seen);
        if (atomic_load(&p->stop)) return NULL;
        p->fn(p->arg, w->lane);
        if (atomic_fetch_sub_explicit(&p->busy, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&p->mutex);
            pthread_cond_signal(&p->finish);
            pthread_mutex_unlock(&p->mutex);
        }
    }
}

static void pool_announce(fgti_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    atomic_fetch_add_explicit(&p->round, 1, memory_order_release);
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->mutex);
}

static void pool_run(fgti_pool *p, void (*fn)(void *arg, int32_t lane), void *arg)
{
    p->fn  = fn;
    p->arg = arg;
    atomic_store(&p->busy, p->threads);
    pool_announce(p);
    fn(arg, 0);
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&p->busy, memory_order_acquire) == 0) return;
        relax();
    }
    pthread_mutex_lock(&p->mutex);
    while (atomic_load(&p->busy) > 0) pthread_cond_wait(&p->finish, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

static void pool_destroy(fgt_context *ctx, fgti_pool *p)
{
    if (!p) return;
    atomic_store(&p->stop, true);
    pool_announce(p);
    for (int32_t i = 0; i < p->threads; i++) pthread_join(p->worker[i].thread, NULL);
    pthread_cond_destroy(&p->finish);
    pthread_cond_destroy(&p->start);
    pthread_mutex_destroy(&p->mutex);
    fgti_free(ctx, p);
}

/* The host's signal handlers shall run on the host's threads: ours block what is not their own fault. */
static fgt_status start_threads(fgt_context *ctx, fgti_pool *p, int32_t threads)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; p->threads < threads; p->threads++) {
        struct fgti_worker *w = &p->worker[p->threads];
        w->pool               = p;
        w->lane               = p->threads + 1;
        if (pthread_create(&w->thread, NULL, worker_main, w)) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (p->threads == threads) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_NOMEM, "the system gave %d of %d threads", p->threads, threads);
}

static fgt_status pool_create(fgt_context *ctx, int32_t threads, fgti_pool **out)
{
    void *block;
    *out = NULL;
    const size_t size = sizeof(fgti_pool) + (size_t)threads * sizeof(struct fgti_worker);
    FGTI_TRY(fgti_alloc(ctx, 1, size, "thread pool", &block));
    fgti_pool *p = block;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->finish, NULL);
    const fgt_status s = start_threads(ctx, p, threads);
    if (s != FGT_OK)
        pool_destroy(ctx, p);
    else
        *out = p;
    return s;
}

fgt_status fgti_exec_init(fgt_context *ctx, fgti_exec *exec, int32_t lanes, const fgt_executor *host,
                          size_t lane_bytes)
{
    *exec            = (fgti_exec){.lanes = lanes};
    exec->lane_bytes = (lane_bytes + FGTI_ALIGN - 1) / FGTI_ALIGN * FGTI_ALIGN;
    if (host) exec->host = *host;
    FGTI_TRY(fgti_alloc(ctx, lanes, exec->lane_bytes, "scratch of the threads", &exec->lane_scratch));
    const fgt_status s = lanes > 1 && !host ? pool_create(ctx, lanes - 1, &exec->pool) : FGT_OK;
    if (s != FGT_OK) fgti_exec_done(ctx, exec);
    return s;
}

void fgti_exec_done(fgt_context *ctx, fgti_exec *exec)
{
    pool_destroy(ctx, exec->pool);
    fgti_free(ctx, exec->lane_scratch);
    *exec = (fgti_exec){0};
}

struct share {
    fgti_task_fn fn;
    void        *arg;
    int64_t      tasks;
    int32_t      lanes;
};

static void run_share(void *arg, int32_t lane)
{
    const struct share *s     = arg;
    const int64_t       begin = s->tasks * lane / s->lanes;
    const int64_t       end   = s->tasks * (lane + 1) / s->lanes;
    for (int64_t i = begin; i < end; i++) s->fn(s->arg, i, lane);
}

void fgti_parallel(const fgti_exec *exec, int64_t tasks, fgti_task_fn fn, void *arg)
{
    struct share s = {.fn = fn, .arg = arg, .tasks = tasks, .lanes = exec->lanes};
    if (tasks < 2 || exec->lanes < 2) {
        s.lanes = 1;
        run_share(&s, 0);
    } else if (exec->host.run) {
        exec->host.run(exec->host.user, exec->lanes, run_share, &s);
    } else {
        pool_run(exec->pool, run_share, &s);
    }
}
