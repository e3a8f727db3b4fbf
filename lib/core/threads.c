/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/context.h"
#include "core/float_env.h"

#define LINE 64 /* bytes of a cache line */

/* A pool of workers - 1 threads; the calling thread is worker 0.
 *
 * The tasks of a loop are divided into granules, which are runs of consecutive tasks, and every worker has a
 * share of the granules. A worker takes the granules of its own share first, so that usually the same part of
 * an array stays in the same caches. Then it takes granules of other shares. So a thread that the system runs
 * too late does not delay the loop: the others do its part.
 *
 * A worker's `ticket` announces a loop and hands out the granules of its share. It is one atomic word, so
 * that a late thread cannot take a granule of a finished loop:
 *     round (24 bits) | end of the share (20 bits) | next granule (20 bits)
 * Workers spin before they sleep: a layer takes tens of microseconds, and to sleep and wake up costs about
 * five. */
struct fgti_pool {
    pthread_mutex_t mutex;
    pthread_cond_t  start, finish;
    atomic_int      left; /* granules that are not finished */
    atomic_bool     stop;
    struct loop {
        fgti_task_fn fn;
        void        *arg;
        int64_t      tasks;
        int32_t      parts;   /* number of granules; with a host's executor one part for each worker */
    } loop;                   /* constant while granules are left */
    int32_t  workers, threads; /* threads: number of threads that were started; workers - 1 in a complete
                                * pool */
    unsigned forks;            /* value of the counter `forks` when the threads were started */
    struct fgti_worker {
        atomic_uint_fast64_t
                   ticket; /* in a cache line of its own: other workers read it only after their own share is
                            * done */
        fgti_pool *pool;
        pthread_t  thread; /* unused for worker 0 */
        int32_t    number;
        char       rest[LINE];
    } worker[];
};

#define FIELD         20
#define MASK          ((UINT64_C(1) << FIELD) - 1)
#define ROUND(ticket) ((ticket) >> (2 * FIELD))
#define END(ticket)   ((int32_t)((ticket) >> FIELD & MASK))
#define NEXT(ticket)  ((int32_t)((ticket)&MASK))

/* Granules in a worker's share. At the end of a loop a worker waits half as long as a granule takes, on
 * average. So a granule is at most about a hundredth of the loop. */
#define GRANULES_A_WORKER 32

/* Number of pause instructions that a waiting thread runs before it sleeps. They take 20 to 100 microseconds,
 * depending on the processor. The pauses between the parallel loops of a few layers add up to about the
 * same. */
#define SPINS 2000

/* Number of calls of fork() that led to this process since its first pool was created. A child of fork() does
 * not have the threads of a pool that was created before the fork(). */
static atomic_uint forks;
static atomic_bool counting;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static fgt_status count_forks(fgt_context *ctx)
{
    if (atomic_load(&counting)) return FGT_OK; /* a race may add two handlers, which is harmless */
    if (pthread_atfork(NULL, NULL, count_fork))
        return fgti_fail(&ctx->error, FGT_E_NOMEM, "thread pool: no memory for a handler of fork()");
    atomic_store(&counting, true);
    return FGT_OK;
}

static bool has_threads(const fgti_pool *p)
{
    return p->forks == atomic_load_explicit(&forks, memory_order_relaxed);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void threads_run_part(const struct loop *loop, int32_t part, int32_t worker)
{
    const int64_t begin = loop->tasks * part / loop->parts;
    const int64_t end   = loop->tasks * (part + 1) / loop->parts;
    for (int64_t i = begin; i < end; i++) loop->fn(loop->arg, i, worker);
}

/* Runs granules of one share until all are taken. Returns the round of the loop to which the share
 * belonged. */
static uint64_t take_granules(fgti_pool *p, atomic_uint_fast64_t *ticket, int32_t worker)
{
    for (;;) {
        const uint64_t t = atomic_fetch_add_explicit(ticket, 1, memory_order_acq_rel);
        if (NEXT(t) >= END(t)) return ROUND(t);
        threads_run_part(&p->loop, NEXT(t), worker);
        if (atomic_fetch_sub_explicit(&p->left, 1, memory_order_acq_rel) > 1) continue;
        pthread_mutex_lock(&p->mutex);
        pthread_cond_signal(&p->finish);
        pthread_mutex_unlock(&p->mutex);
    }
}

/* Works until all granules of all shares are taken. Returns the round of the worker's own share. */
static uint64_t work(fgti_pool *p, int32_t worker)
{
    const uint64_t round = take_granules(p, &p->worker[worker].ticket, worker);
    for (int32_t i = 1; i < p->workers && atomic_load(&p->left) > 0; i++)
        take_granules(p, &p->worker[(worker + i) % p->workers].ticket, worker);
    return round;
}

static bool idle(const struct fgti_worker *w, uint64_t seen)
{
    return ROUND(atomic_load(&w->ticket)) == seen && !atomic_load(&w->pool->stop);
}

static void wait_round(struct fgti_worker *w, uint64_t seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (!idle(w, seen)) return;
        relax();
    }
    pthread_mutex_lock(&w->pool->mutex);
    while (idle(w, seen)) pthread_cond_wait(&w->pool->start, &w->pool->mutex);
    pthread_mutex_unlock(&w->pool->mutex);
}

static void *worker_main(void *arg)
{
    struct fgti_worker *w     = arg;
    uint64_t            round = 0;
    (void)fgti_float_env_enter(); /* the thread started with the host's floating-point environment */
    for (;;) {
        wait_round(w, round);
        if (atomic_load(&w->pool->stop)) return NULL;
        round = work(w->pool, w->number);
    }
}

static void announce(fgti_pool *p, int64_t granules)
{
    pthread_mutex_lock(&p->mutex);
    const uint64_t round = ROUND(atomic_load(&p->worker[0].ticket)) + 1;
    for (int32_t i = 0; i < p->workers; i++) {
        const uint64_t next = (uint64_t)(granules * i / p->workers);
        const uint64_t end  = (uint64_t)(granules * (i + 1) / p->workers);
        atomic_store_explicit(&p->worker[i].ticket, round << (2 * FIELD) | end << FIELD | next,
                              memory_order_release);
    }
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->mutex);
}

static void pool_run(fgti_pool *p, const struct loop *loop)
{
    p->loop = *loop;
    atomic_store(&p->left, loop->parts);
    announce(p, loop->parts);
    work(p, 0);
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&p->left, memory_order_acquire) == 0) return;
        relax();
    }
    pthread_mutex_lock(&p->mutex);
    while (atomic_load(&p->left) > 0) pthread_cond_wait(&p->finish, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

static void pool_destroy(fgt_context *ctx, fgti_pool *p)
{
    if (!p) return;
    if (has_threads(p)) { /* false after a fork(): the threads are gone, and may have left the mutex locked */
        atomic_store(&p->stop, true);
        announce(p, 0);
        for (int32_t i = 1; i <= p->threads; i++) pthread_join(p->worker[i].thread, NULL);
        pthread_cond_destroy(&p->finish);
        pthread_cond_destroy(&p->start);
        pthread_mutex_destroy(&p->mutex);
    }
    fgti_free(ctx, p);
}

/* Signal handlers of the host must run on threads of the host. So our threads block all signals but those
 * that a fault of the thread itself raises. */
static fgt_status start_threads(fgt_context *ctx, fgti_pool *p)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int32_t worker = 1; worker < p->workers; worker++, p->threads++) {
        struct fgti_worker *w = &p->worker[worker];
        w->pool               = p;
        w->number             = worker;
        if (pthread_create(&w->thread, NULL, worker_main, w)) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (p->threads == p->workers - 1) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_NOMEM, "thread pool: the system started only %d of %d threads",
                     p->threads, p->workers - 1);
}

static fgt_status pool_create(fgt_context *ctx, int32_t workers, fgti_pool **out)
{
    void *block;
    *out = NULL;
    FGTI_TRY(count_forks(ctx));
    const size_t size = sizeof(fgti_pool) + (size_t)workers * sizeof(struct fgti_worker);
    FGTI_TRY(fgti_alloc(ctx, 1, size, "thread pool", &block));
    fgti_pool *p = block;
    p->workers   = workers;
    p->forks     = atomic_load(&forks);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->finish, NULL);
    const fgt_status s = start_threads(ctx, p);
    if (s != FGT_OK)
        pool_destroy(ctx, p);
    else
        *out = p;
    return s;
}

fgt_status fgti_exec_init(fgt_context *ctx, fgti_exec *exec, int32_t workers, const fgt_executor *host,
                          size_t worker_bytes)
{
    *exec              = (fgti_exec){.workers = workers};
    exec->worker_bytes = (worker_bytes + FGTI_ALIGN - 1) / FGTI_ALIGN * FGTI_ALIGN;
    if (host) exec->host = *host;
    FGTI_TRY(fgti_alloc(ctx, workers, exec->worker_bytes, "scratch of the threads", &exec->worker_scratch));
    const fgt_status s = workers > 1 && !host ? pool_create(ctx, workers, &exec->pool) : FGT_OK;
    if (s != FGT_OK) fgti_exec_done(ctx, exec);
    return s;
}

fgt_status fgti_exec_share(fgt_context *ctx, fgti_exec *exec, size_t bytes)
{
    void *block;
    if (bytes <= exec->shared_bytes) return FGT_OK;
    FGTI_TRY(fgti_alloc_dirty(ctx, 1, bytes, "shared scratch of the threads", &block));
    fgti_free(ctx, exec->shared);
    exec->shared       = block;
    exec->shared_bytes = bytes;
    return FGT_OK;
}

void fgti_exec_done(fgt_context *ctx, fgti_exec *exec)
{
    pool_destroy(ctx, exec->pool);
    fgti_free(ctx, exec->shared);
    fgti_free(ctx, exec->worker_scratch);
    *exec = (fgti_exec){0};
}

/* Runs all tasks of one loop, on this thread or with the threads of the pool. */
static void run_here(const fgti_exec *exec, struct loop *loop)
{
    const fgti_float_env env  = fgti_float_env_enter();
    const int32_t        most = GRANULES_A_WORKER * exec->workers;
    if (loop->tasks > 1 && exec->pool && has_threads(exec->pool)) {
        loop->parts = loop->tasks < most ? (int32_t)loop->tasks : most;
        pool_run(exec->pool, loop);
    } else {
        threads_run_part(loop, 0, 0);
    }
    fgti_float_env_leave(env);
}

static void run_worker(void *arg, int32_t worker)
{
    const fgti_float_env env = fgti_float_env_enter();
    threads_run_part(arg, worker, worker);
    fgti_float_env_leave(env);
}

void fgti_parallel(const fgti_exec *exec, int64_t tasks, fgti_task_fn fn, void *arg)
{
    struct loop loop = {.fn = fn, .arg = arg, .tasks = tasks, .parts = 1};
    if (tasks < 2 || exec->workers < 2 || !exec->host.run || exec->locks) {
        run_here(exec, &loop);
    } else {
        loop.parts = exec->workers;
        exec->host.run(exec->host.user, exec->workers, run_worker, &loop);
    }
}
