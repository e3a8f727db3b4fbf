/* SPDX-License-Identifier: BSD-3-Clause */
/* The library as a guest: loaded at run time into a process that must look the same afterwards.
 * usage: test_host_unchanged LIBRARY keep|borrow|reload
 * keep: with keep_environment, nothing may touch the environment; borrow: it must be put back.
 * reload: loaded and closed many times, it takes no more memory than once. */
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fighter/base.h>

#if defined(__x86_64__)
#include <immintrin.h>
/* Bits 6-15: denormals, masks, rounding, flush to zero. The six below record what happened. */
#define FP_CONTROL() (_mm_getcsr() & 0xFFC0u)
#else
#define FP_CONTROL() ((unsigned)fegetround())
#endif

extern char **environ;

typedef struct state {
    unsigned         fp;
    int              rounding;
    char             locale[256];
    char           **environment;
    char            *variables[256];
    size_t           count;
    struct sigaction signals[32];
} state;

static void observe(state *s)
{
    memset(s, 0, sizeof *s);
    s->fp       = FP_CONTROL();
    s->rounding = fegetround();
    snprintf(s->locale, sizeof s->locale, "%s", setlocale(LC_ALL, NULL));
    s->environment = environ;
    while (environ[s->count] && s->count < 256) {
        s->variables[s->count] = strdup(environ[s->count]);
        s->count++;
    }
    for (int i = 1; i < 32; i++) sigaction(i, NULL, &s->signals[i]);
}

static void forget(state *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->variables[i]);
}

static int complain(int wrong, const char *what)
{
    if (wrong) fprintf(stderr, "the library changed %s\n", what);
    return wrong != 0;
}

/* Variables are compared as a set: taking one away and putting it back may move it. */
static int same_environment(const state *a, const state *b)
{
    if (a->count != b->count) return 0;
    for (size_t i = 0; i < a->count; i++) {
        size_t j = 0;
        while (j < b->count && strcmp(a->variables[i], b->variables[j]) != 0) j++;
        if (j == b->count) return 0;
    }
    return 1;
}

static int compare(const state *a, const state *b, int keep)
{
    int bad = complain(a->fp != b->fp, "the floating-point control bits");
    bad += complain(a->rounding != b->rounding, "the rounding mode");
    bad += complain(strcmp(a->locale, b->locale) != 0, "the locale");
    bad += complain(!same_environment(a, b), "the environment");
    if (keep) bad += complain(a->environment != b->environment, "the environment for a while");
    for (int i = 1; i < 32; i++)
        bad += complain(a->signals[i].sa_handler != b->signals[i].sa_handler, "a signal handler");
    return bad;
}

/* One context's life; more is not needed to start BLIS, threads and processor detection. */
static int visit(void *lib, int keep)
{
    fgt_status (*create)(const fgt_context_opts *, fgt_context **);
    fgt_status (*info)(fgt_context *, fgt_build_info *);
    void (*destroy)(fgt_context **);
    *(void **)&create  = dlsym(lib, "fgt_context_create");
    *(void **)&info    = dlsym(lib, "fgt_context_get_info");
    *(void **)&destroy = dlsym(lib, "fgt_context_destroy");
    if (!create || !info || !destroy) return 1;

    fgt_context   *ctx = NULL;
    fgt_build_info b   = {.size = sizeof b};
    if (create(&FGT_OPTS(fgt_context_opts, .threads = 2, .keep_environment = keep), &ctx)) return 1;
    const fgt_status s = info(ctx, &b);
    destroy(&ctx);
    return s || ctx;
}

/* Pages in memory. */
static long resident(void)
{
    long  all = 0, pages = 0;
    FILE *f   = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%ld %ld", &all, &pages) != 2) pages = 0;
    fclose(f);
    return pages;
}

/* The first times may differ, as caches of the allocator fill. */
static int reload(const char *path)
{
    enum { TIMES = 200, WARM = 20, PAGES = 64 };
    long first = 0;
    for (int i = 0; i < TIMES; i++) {
        void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!lib || visit(lib, 0) || dlclose(lib)) {
            fprintf(stderr, "load %d failed\n", i);
            return 1;
        }
        if (i == WARM) first = resident();
    }
    if (resident() - first <= PAGES) return 0;
    fprintf(stderr, "%d loads took %ld pages\n", TIMES - WARM, resident() - first);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    if (!strcmp(argv[2], "reload")) return reload(argv[1]);
    const int keep = !strcmp(argv[2], "keep");
    char      path[] = "/tmp/fighter-guest-XXXXXX";
    const int out = dup(1), err = dup(2), file = mkstemp(path);
    if (out < 0 || err < 0 || file < 0 || unlink(path)) return 2;

    state before, after;
    observe(&before);
    dup2(file, 1);
    dup2(file, 2);
    void     *lib    = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    const int failed = !lib || visit(lib, keep);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    observe(&after);

    struct stat printed;
    int         bad = compare(&before, &after, keep);
    if (fstat(file, &printed) || printed.st_size > 0) bad += complain(1, "what the process prints");
    if (failed) fprintf(stderr, "the library did not load or run: %s\n", lib ? "a call failed" : dlerror());
    forget(&before);
    forget(&after);
    return failed || bad;
}
