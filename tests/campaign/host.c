/* SPDX-License-Identifier: BSD-3-Clause */
/* All calls of the table in a process that must stay as it is: they change neither locale, environment,
 * folder, permissions of new files, signals nor descriptors, print nothing and need little stack; and they
 * give the same bits in another locale and while signals interrupt them. usage: host [--no-stack] */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "../comma_locale.h"
#include "../model_info.h"
#include "entries.h"

extern char **environ;

enum { CALLS = 200, ANY_ERRNO = 12345 };

static uint64_t reference[CALLS];

/* ---- what a call may not change ---- */

typedef struct state {
    char              locale[256], folder[256];
    char            **environment;
    uint64_t          variables;
    int               rounding, traps, descriptors;
    mode_t            mask;
    sigset_t          blocked;
    struct sigaction  action[65];
    struct stat       printed;
} state;

static int open_descriptors(void)
{
    int  n = 0;
    DIR *d = opendir("/proc/self/fd");
    if (!d) broken("no /proc/self/fd");
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

static uint64_t hash_environment(void)
{
    uint64_t h = 1;
    for (char **v = environ; *v; v++)
        for (const char *p = *v; *p; p++) h = h * 31 + (unsigned char)*p;
    return h;
}

static void observe(state *s)
{
    memset(s, 0, sizeof *s);
    snprintf(s->locale, sizeof s->locale, "%s", setlocale(LC_ALL, NULL));
    if (!getcwd(s->folder, sizeof s->folder)) broken("no folder");
    s->environment = environ;
    s->variables   = hash_environment();
    s->rounding    = fegetround();
    s->traps       = fegetexcept();
    s->descriptors = open_descriptors();
    s->mask        = umask(022);
    umask(s->mask);
    pthread_sigmask(SIG_SETMASK, NULL, &s->blocked);
    for (int i = 1; i < 65; i++) sigaction(i, NULL, &s->action[i]);
    fflush(NULL);
    if (fstat(1, &s->printed)) broken("no output");
}

static void compare(const state *a, const state *b)
{
    if (strcmp(a->locale, b->locale) != 0) broken("the locale has changed");
    if (strcmp(a->folder, b->folder) != 0) broken("the current folder has changed");
    if (a->environment != b->environment || a->variables != b->variables)
        broken("the environment has changed");
    if (a->rounding != b->rounding || a->traps != b->traps)
        broken("the floating-point environment has changed");
    if (a->descriptors != b->descriptors) broken("%d descriptors leak", b->descriptors - a->descriptors);
    if (a->mask != b->mask) broken("the mask of new files has changed");
    for (int i = 1; i < 65; i++) {
        if (sigismember(&a->blocked, i) != sigismember(&b->blocked, i)) broken("signal %d is blocked", i);
        if (a->action[i].sa_handler != b->action[i].sa_handler ||
            a->action[i].sa_flags != b->action[i].sa_flags)
            broken("signal %d has another handler", i);
    }
    if (a->printed.st_size != b->printed.st_size) broken("it prints");
}

/* Standard output and standard error, both in one file for as long as calls are made. */
static void observe_all(world *w)
{
    state      before, after;
    const int  out = dup(1), err = dup(2), file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    if (out < 0 || err < 0 || file < 0) broken("no file for what is printed");
    for (int64_t i = 0; entry_at(i); i++) {
        entry_now(entry_at(i)->names, 0);
        entry_before(w, entry_at(i));
        fflush(NULL);
        dup2(file, 1);
        dup2(file, 2);
        observe(&before);
        errno              = ANY_ERRNO;
        const fgt_status s = entry_call(w, entry_at(i));
        const int        e = errno;
        entry_undo(w);
        observe(&after);
        dup2(out, 1);
        dup2(err, 2);
        compare(&before, &after);
        if (s != FGT_OK || w->digest != reference[i]) broken("%s", fgt_status_get_name(s));
        if (e == 0) broken("errno becomes 0");
        entry_after(w);
    }
    close(file);
    close(out);
    close(err);
}

static void run_all(world *w)
{
    for (int64_t i = 0; entry_at(i); i++) {
        entry_now(entry_at(i)->names, 0);
        const uint64_t got = entry_run(w, entry_at(i));
        if (i == CALLS) broken("more than %d lines in the table", CALLS);
        if (!reference[i]) reference[i] = got;
        if (reference[i] != got) broken("other bits");
    }
}

/* ---- other bits? ---- */

static void in_another_locale(world *w)
{
    char folder[] = "/tmp/fighter-locale-XXXXXX", command[64];
    if (!mkdtemp(folder)) broken("no folder");
    if (set_comma_locale(folder))
        observe_all(w);
    else
        printf("SKIP calls in another locale: there is none with a decimal comma\n");
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) broken("%s cannot be removed", folder);
}

static atomic_int  interrupts, strangers;
static pthread_t   host_thread;

static void interrupt(int number)
{
    (void)number;
    atomic_fetch_add(&interrupts, 1);
    if (!pthread_equal(pthread_self(), host_thread)) atomic_fetch_add(&strangers, 1);
}

/* Every 200 microseconds, and without SA_RESTART: system calls may be interrupted anywhere. */
static void while_interrupted(world *w)
{
    const struct sigaction action = {.sa_handler = interrupt};
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    host_thread = pthread_self();
    if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL)) broken("no timer");
    run_all(w);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_DFL);
    if (!atomic_load(&interrupts)) broken("no signal came");
    if (atomic_load(&strangers)) broken("a thread of the library runs the host's signal handlers");
    printf("COUNT\tsignals that interrupted calls\t%d\n", atomic_load(&interrupts));
}

/* ---- stack ---- */

enum { STACK = 256 * 1024, PAINT = 0xa5 };

typedef struct run {
    world       *w;
    const entry *e;
    uint64_t     digest;
} run;

static void *call_one(void *arg)
{
    run             *r = arg;
    const fgt_status s = entry_call(r->w, r->e);
    if (s != FGT_OK) broken("%s: %s", fgt_status_get_name(s), entry_error(r->w));
    r->digest = r->w->digest;
    return NULL;
}

/* An empty thread, which shows what the system itself takes. */
static void *call_none(void *arg)
{
    return arg;
}

/* Bytes of a painted stack that a thread has written to. */
static size_t stack_of(unsigned char *stack, void *(*start)(void *), void *arg)
{
    pthread_t      thread;
    pthread_attr_t attr;
    size_t         clean = 0;
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attr);
    if (pthread_attr_setstack(&attr, stack, STACK) || pthread_create(&thread, &attr, start, arg))
        broken("no thread with a stack of its own");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    while (clean < STACK && stack[clean] == PAINT) clean++;
    return STACK - clean;
}

/* Larger than those of the table: other loops take them, with other needs. */
static void *call_large(void *arg)
{
    enum { BATCH = 4, TIME = 96, WIDTH = 64, ALL = BATCH * TIME * WIDTH };
    static float         x[ALL], y[ALL];
    world               *w     = ((run *)arg)->w;
    const fgt_model_opts shape = {.size = sizeof shape, .batch = BATCH, .time = TIME, .features = WIDTH};
    const fgt_layer      all[] = {
             fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 4)),
             fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 4)),
             fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.attender = FGT_ATTENDER_PROB)),
             fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.attender = FGT_ATTENDER_CORRELATION)),
             fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.attender = FGT_ATTENDER_LSH,
                                     .attention.bucket_size = 2)),
             fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = WIDTH)),
             fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = WIDTH)),
             fgt_rnn(&FGT_OPTS(fgt_rnn_opts, .hidden = WIDTH)),
             fgt_s4(NULL),
             fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = WIDTH)),
    };
    for (int64_t i = 0; i < LENGTH(all); i++) {
        fgt_model *m;
        must(w->ctx, model_of_layer(w->ctx, &shape, all[i], &m));
        must(w->ctx, fgt_forward(m, FGT_VIEW(x, BATCH, TIME, WIDTH), FGT_VIEW(y, BATCH, TIME, WIDTH)));
        must(w->ctx, fgt_backward(m, FGT_VIEW(x, BATCH, TIME, WIDTH), FGT_VIEW(y, BATCH, TIME, WIDTH)));
        fgt_model_destroy(&m);
    }
    return NULL;
}

/* Whole calls in a thread of the host's with 256 KiB; below it lies a page that nobody may touch. */
static void on_a_small_stack(world *w)
{
    const size_t   page = (size_t)sysconf(_SC_PAGESIZE);
    const int      kind = MAP_PRIVATE | MAP_ANONYMOUS;
    unsigned char *map  = mmap(NULL, STACK + page, PROT_READ | PROT_WRITE, kind, -1, 0);
    size_t         most = 0;
    const char    *who  = "";
    if (map == MAP_FAILED || mprotect(map, page, PROT_NONE)) broken("no stack");
    const size_t empty = stack_of(map + page, call_none, NULL);
    for (int64_t i = 0; entry_at(i); i++) {
        run r = {w, entry_at(i), 0};
        entry_now(r.e->names, 0);
        entry_before(w, r.e);
        const size_t used = stack_of(map + page, call_one, &r) - empty;
        entry_after(w);
        if (r.digest != reference[i]) broken("other bits on a small stack");
        if (used > most) {
            most = used;
            who  = r.e->names;
        }
    }
    run          large = {.w = w};
    const size_t used  = stack_of(map + page, call_large, &large) - empty;
    fprintf(stderr, "%6zu bytes of stack at most, for %.80s; %zu for larger layers\n", most, who, used);
    munmap(map, STACK + page);
}

int main(int argc, char **argv)
{
    const bool no_stack = argc == 2 && !strcmp(argv[1], "--no-stack");
    world      w;
    if (argc > 1 && !no_stack) {
        fprintf(stderr, "usage: host [--no-stack]\n");
        return 2;
    }
    world_open(&w, &FGT_OPTS(fgt_context_opts, .threads = 2));
    run_all(&w);
    observe_all(&w);
    in_another_locale(&w);
    while_interrupted(&w);
    world_close(&w);
    if (no_stack) return 0;
    world_open(&w, &FGT_OPTS(fgt_context_opts, .threads = 1)); /* all tasks on this thread */
    on_a_small_stack(&w);
    world_close(&w);
    return 0;
}
