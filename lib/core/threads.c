/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/context.h"

/* A pool of lanes - 1 threads; the caller is lane 0. A job is cut into granules of consecutive tasks, and
 * whoever is awake takes the next one: on a busy machine a thread that the system does not let run in time
 * costs nothing but its help. `ticket` announces a job and hands its granules out, in one word, so that
 * a thread that comes late cannot take one of a job that is over:
 *     round (24 bits) | granules (20 bits) | next granule (20 bits)
 * Both sides spin briefly before they sleep: a layer is tens of microseconds of work, a sleep and wake-up
 * costs about five. */
struct fgti_pool {
    pthread_mutex_t      mutex;
    pthread_cond_t       start, finish;
    atomic_uint_fast64_t ticket;
    atomic_int           left; /* granules not finished */
    atomic_bool          stop;
    struct job {
        fgti_task_fn fn;
        void        *arg;
        int64_t      tasks;
        int32_t      shares; /* granules, or lanes of a host's executor */
    } job;                   /* stays as it is while granules are left */
    int32_t threads;
    struct fgti_worker {
        fgti_pool *pool;
        pthread_t  thread;
        int32_t    lane;
    } worker[];
};

#define FIELD            20
#define MASK             ((UINT64_C(1) << FIELD) - 1)
#define ROUND(ticket)    ((ticket) >> (2 * FIELD))
#define GRANULES(ticket) ((int32_t)((ticket) >> FIELD & MASK))
#define GRANULE(ticket)  ((int32_t)((ticket)&MASK))

/* Granules a lane gets if all are equally fast: enough to even out those that are not. */
#define GRANULES_A_LANE 8

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

static void run_share(const struct job *job, int32_t share, int32_t lane)
{
    const int64_t begin = job->tasks * share / job->shares;
    const int64_t end   = job->tasks * (share + 1) / job->shares;
    for (int64_t i = begin; i < end; i++) job->fn(job->arg, i, lane);
}

/* Works until the granules are gone; the round that they were of. */
static uint64_t take_granules(fgti_pool *p, int32_t lane)
{
    for (;;) {
        const uint64_t t = atomic_fetch_add_explicit(&p->ticket, 1, memory_order_acq_rel);
        if (GRANULE(t) >= GRANULES(t)) return ROUND(t);
        run_share(&p->job, GRANULE(t), lane);
        if (atomic_fetch_sub_explicit(&p->left, 1, memory_order_acq_rel) > 1) continue;
        pthread_mutex_lock(&p->mutex);
        pthread_cond_signal(&p->finish);
        pthread_mutex_unlock(&p->mutex);
    }
}

static bool idle(fgti_pool *p, uint64_t seen)
{
    return ROUND(atomic_load(&p->ticket)) == seen && !atomic_load(&p->stop);
}

static void wait_round(fgti_pool *p, uint64_t seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (!idle(p, seen)) return;
        relax();
    }
    pthread_mutex_lock(&p->mutex);
    while (idle(p, seen)) pthread_cond_wait(&p->start, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

static void *worker_main(void *arg)
{
    struct fgti_worker *w     = arg;
    uint64_t            round = 0;
    for (;;) {
        wait_round(w->pool, round);
        if (atomic_load(&w->pool->stop)) return NULL;
        round = take_granules(w->pool, w->lane);
    }
}

static void announce(fgti_pool *p, int32_t granules)
{
    pthread_mutex_lock(&p->mutex);
    const uint64_t round = ROUND(atomic_load(&p->ticket)) + 1;
    atomic_store_explicit(&p->ticket, round << (2 * FIELD) | (uint64_t)granules << FIELD,
                          memory_order_release);
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->mutex);
}

static void pool_run(fgti_pool *p, const struct job *job)
{
    p->job = *job;
    atomic_store(&p->left, job->shares);
    announce(p, job->shares);
    take_granules(p, 0);
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
    atomic_store(&p->stop, true);
    announce(p, 0);
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
    *out              = NULL;
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

fgt_status fgti_exec_share(fgt_context *ctx, fgti_exec *exec, size_t bytes)
{
    FGTI_TRY(fgti_alloc(ctx, 1, bytes, "shared scratch of the threads", &exec->shared));
    exec->shared_bytes = bytes;
    return FGT_OK;
}

void fgti_exec_done(fgt_context *ctx, fgti_exec *exec)
{
    pool_destroy(ctx, exec->pool);
    fgti_free(ctx, exec->shared);
    fgti_free(ctx, exec->lane_scratch);
    *exec = (fgti_exec){0};
}

static void run_lane(void *arg, int32_t lane)
{
    run_share(arg, lane, lane);
}

void fgti_parallel(const fgti_exec *exec, int64_t tasks, fgti_task_fn fn, void *arg)
{
    struct job job = {.fn = fn, .arg = arg, .tasks = tasks, .shares = 1};
    if (tasks < 2 || exec->lanes < 2) {
        run_share(&job, 0, 0);
    } else if (exec->host.run) {
        job.shares = exec->lanes;
        exec->host.run(exec->host.user, exec->lanes, run_lane, &job);
    } else {
        const int32_t most = GRANULES_A_LANE * exec->lanes;
        job.shares         = tasks < most ? (int32_t)tasks : most;
        pool_run(exec->pool, &job);
    }
}
