/* SPDX-License-Identifier: BSD-3-Clause */
/* All calls of the table by odd executors, in children of fork(), and with threads that the system refuses:
 * the same bits, or FGT_E_NOMEM. usage: threads ROUNDS [SEED]
 * Each round draws the executor, its number of workers and the order of its tasks. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "entries.h"
#include "wrap.h"

enum { WORKERS = 23, CALLS = 200 };

static uint64_t reference[CALLS];
static int64_t  runs, children, refusals;

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* ---- executors ---- */

typedef enum way { UP, DOWN, SHUFFLED, THREADS, LATE, NESTED, WAYS } way;

typedef struct executor {
    way      how;
    uint64_t state;
} executor;

typedef struct job {
    void (*task)(void *arg, int32_t worker);
    void   *arg;
    int32_t begin, end; /* workers */
    long    wait;       /* nanoseconds */
} job;

static void *do_job(void *arg)
{
    const job *j = arg;
    nanosleep(&(struct timespec){0, j->wait}, NULL);
    for (int32_t i = j->begin; i < j->end; i++) j->task(j->arg, i);
    return NULL;
}

static void start(pthread_t *thread, job *j)
{
    if (pthread_create(thread, NULL, do_job, j)) broken("no thread");
}

/* One half on a thread of its own, and so on with each half. */
static void *do_nested(void *arg)
{
    const job *j = arg;
    pthread_t  thread;
    if (j->end - j->begin < 2) return do_job(arg);
    const int32_t middle = (j->begin + j->end) / 2;
    job           low = *j, high = *j;
    low.end    = middle;
    high.begin = middle;
    if (pthread_create(&thread, NULL, do_nested, &high)) broken("no thread");
    do_nested(&low);
    pthread_join(thread, NULL);
    return NULL;
}

static void in_order(executor *e, int32_t workers, const job *all)
{
    int32_t order[WORKERS];
    for (int32_t i = 0; i < workers; i++) order[i] = e->how == DOWN ? workers - 1 - i : i;
    for (int32_t i = workers - 1; i > 0 && e->how == SHUFFLED; i--) {
        const int32_t k = (int32_t)(draw(&e->state) % (uint64_t)(i + 1)), keep = order[i];
        order[i]        = order[k];
        order[k]        = keep;
    }
    for (int32_t i = 0; i < workers; i++) all->task(all->arg, order[i]);
}

static void on_threads(executor *e, int32_t workers, const job *all)
{
    pthread_t thread[WORKERS];
    job       each[WORKERS];
    for (int32_t i = 0; i < workers; i++) {
        each[i]       = *all;
        each[i].begin = i;
        each[i].end   = i + 1;
        each[i].wait  = e->how == LATE ? (long)(draw(&e->state) % 300000) : 0;
        start(&thread[i], &each[i]);
    }
    for (int32_t i = 0; i < workers; i++) pthread_join(thread[i], NULL);
}

static void execute(void *user, int32_t workers, void (*task)(void *arg, int32_t worker), void *arg)
{
    executor *e   = user;
    job       all = {task, arg, 0, workers, 0};
    if (e->how == NESTED)
        do_nested(&all);
    else if (e->how >= THREADS)
        on_threads(e, workers, &all);
    else
        in_order(e, workers, &all);
}

/* ---- all calls ---- */

static void run_all(world *w, const char *what)
{
    for (int64_t i = 0; entry_at(i); i++) {
        if (i == CALLS) broken("more than %d lines in the table", CALLS);
        entry_now(entry_at(i)->names, 0);
        const uint64_t got = entry_run(w, entry_at(i));
        if (!what)
            reference[i] = got;
        else if (got != reference[i])
            broken("%s: other bits", what);
        runs++;
    }
}

static void with_executor(uint64_t *state)
{
    static const char *const words[WAYS] = {"up", "down", "shuffled", "threads", "late", "nested"};
    executor                 e           = {.how = (way)(draw(state) % WAYS), .state = draw(state)};
    const fgt_executor       hook        = {sizeof hook, &e, execute};
    const int32_t            workers     = 1 + (int32_t)(draw(state) % WORKERS);
    const fgt_context_opts   opts        = {.size = sizeof opts, .executor = &hook, .threads = workers};
    char                     what[64];
    world                    w;
    snprintf(what, sizeof what, "executor \"%s\" of %d workers", words[e.how], workers);
    world_open(&w, &opts);
    run_all(&w, what);
    world_close(&w);
}

/* ---- fork() ---- */

static void wait_for(pid_t child, const char *what)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) broken("no child");
    if (!WIFEXITED(status) || WEXITSTATUS(status)) broken("%s ended with %#x", what, (unsigned)status);
    children++;
}

/* The child makes all calls with its parent's context, and destroys everything. */
static void in_child(world *w)
{
    const pid_t child = fork();
    if (!child) {
        alarm(120); /* a hang ends as a signal */
        run_all(w, "child");
        world_leave(w);
        _exit(0);
    }
    wait_for(child, "a child that calls");
}

typedef struct busy {
    fgt_model  *model;
    atomic_bool stop;
    atomic_int  passes;
} busy;

static void *predict(void *arg)
{
    busy *b = arg;
    float y[B * T * OUT];
    while (!atomic_load(&b->stop)) {
        if (fgt_predict(b->model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)) != FGT_OK)
            broken("a pass beside fork() fails");
        atomic_fetch_add(&b->passes, 1);
    }
    return NULL;
}

/* Forked while another thread is in a call, a child can at least destroy. */
static void beside_a_call(const world *w)
{
    fgt_context *ctx;
    busy         b = {.model = NULL};
    pthread_t    thread;
    if (fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = 3), &ctx) != FGT_OK) broken("no context");
    must(ctx, fgt_model_load(ctx, FGT_FROM_MEMORY(w->chain.data, w->chain.size), NULL, &b.model));
    if (pthread_create(&thread, NULL, predict, &b)) broken("no thread");
    while (!atomic_load(&b.passes)) nanosleep(&(struct timespec){0, 1000}, NULL);
    const pid_t child = fork();
    if (!child) {
        alarm(120);
        fgt_model_destroy(&b.model);
        fgt_context_destroy(&ctx);
        _exit(b.model || ctx);
    }
    wait_for(child, "a child that destroys");
    atomic_store(&b.stop, true);
    pthread_join(thread, NULL);
    fgt_model_destroy(&b.model);
    fgt_context_destroy(&ctx);
}

/* ---- threads that the system refuses ---- */

static void refuse_threads(int32_t threads)
{
    const fgt_context_opts opts = {.size = sizeof opts, .threads = threads};
    fgt_context           *ctx;
    for (int64_t k = 1;; k++) {
        entry_now("fgt_context_create: threads refused", k);
        wrap_arm(k, false);
        const fgt_status s = fgt_context_create(&opts, &ctx);
        wrap_disarm();
        if (!wrap_fired() && s != FGT_OK) broken("%s", fgt_status_get_name(s));
        if (!wrap_fired()) break;
        if (s != FGT_E_NOMEM || ctx) broken("%s", fgt_status_get_name(s));
        refusals++;
    }
    fgt_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 0;
    uint64_t   state  = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    world      w;
    if (rounds < 1 || argc > 3) {
        fprintf(stderr, "usage: threads ROUNDS [SEED]\n");
        return 2;
    }
    fprintf(stderr, "seed %llu\n", (unsigned long long)state);
    world_open(&w, &FGT_OPTS(fgt_context_opts, .threads = 3));
    run_all(&w, NULL);
    for (long i = 0; i < rounds; i++) {
        with_executor(&state);
        in_child(&w);
        beside_a_call(&w);
    }
    refuse_threads(2);
    refuse_threads(17);
    world_close(&w);
    printf("COUNT\tcalls by odd executors\t%lld\n", (long long)runs);
    printf("COUNT\tchildren of fork()\t%lld\n", (long long)children);
    printf("COUNT\tthreads refused\t%lld\n", (long long)refusals);
    return 0;
}
