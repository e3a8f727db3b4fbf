/* SPDX-License-Identifier: BSD-3-Clause */
/* Times whole models (model.c, cases.c), single kernels (kernels.c), selection (attent.c) and whole jobs
 * (jobs.c). Each case runs in a separate process, so that its peak memory is measured separately.
 * docs/performance.md explains the figures. */
#include "common.h"
#include "measures.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int as_json, with_head;

/* ---- results ---- */

static int width_of(const bench_field *f)
{
    const int name = (int)strlen(f->name), least = f->text ? 22 : 8;
    return name > least ? name : least;
}

static void print_json(const bench_field *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        printf("%s\"%s\": ", i ? ", " : "{", f[i].name);
        if (f[i].text)
            printf("\"%s\"", f[i].text);
        else
            printf("%.*f", f[i].digits, isfinite(f[i].value) ? f[i].value : 0);
    }
    puts("}");
}

static void print_row(const bench_field *f, size_t n)
{
    for (size_t i = 0; with_head && i < n; i++)
        printf(f[i].text ? "%-*s  " : "%*s  ", width_of(&f[i]), f[i].name);
    if (with_head) putchar('\n');
    with_head = 0;
    for (size_t i = 0; i < n; i++)
        if (f[i].text)
            printf("%-*s  ", width_of(&f[i]), f[i].text);
        else
            printf("%*.*f  ", width_of(&f[i]), f[i].digits, f[i].value);
    putchar('\n');
}

void bench_print(const bench_field *field, size_t fields)
{
    if (as_json)
        print_json(field, fields);
    else
        print_row(field, fields);
    fflush(stdout);
}

/* ---- command line ---- */

enum { MOST_SETS = 16, MOST_THREADS = 8 };

typedef struct options {
    const char *name;
    double      seconds;
    const char *set[MOST_SETS];
    int         sets;
    int32_t     attention;
    int32_t     products;
    int32_t     storage;
    int32_t     precision;
    const char *folder; /* folder for the files of jobs; NULL: they are removed afterwards */
    int         threads[MOST_THREADS];
    int         counts;
} options;

static const char usage_text[] =
    "usage: bench [--case NAME|all|" BENCH_KERNELS "|" BENCH_JOBS "] [--threads N[,N...]] [--seconds S]\n"
    "             [--set SIZE=N]...\n"
    "             [--attention auto|kept|streamed] [--products auto|blis] [--storage f32|bf16]\n"
    "             [--precision f32|bf16] [--json] [--folder DIR] [--list]\n"
    "Times training and prediction of whole models, single kernels, and selection.\n"
    "  --case       one of --list; all: every model, then every kernel and selection (default);\n"
    "               jobs: whole jobs, which are not among all, and take minutes and 25 GB of disk\n"
    "  --threads    one run for each number (default 1)\n"
    "  --seconds    for the training steps of a case, half of it for each kind of prediction (default 2)\n"
    "  --set        another size for the models:\n"
    "               batch, time, features, vocab, out, dim, heads, hops, ff, layers, nodes, patch\n"
    "  --attention  whether its matrices are kept from forward to backward (default auto: by their size)\n"
    "  --products   blis: none of the loops of this library for small products (default auto)\n"
    "  --storage    how predictors hold large weights (default f32)\n"
    "  --precision  bf16: products with large weights round both operands, in training and in predictors\n"
    "               (default f32)\n"
    "  --folder     where jobs keep their files (default: nowhere); FGT_DATA names that of public sets\n"
    "  --json       one object a line instead of a table\n";

static int wrong(const char *sentence, const char *word)
{
    fprintf(stderr, "bench: %s: %s\n%s", word, sentence, usage_text);
    return -1;
}

static int read_threads(options *o, const char *text)
{
    for (o->counts = 0; o->counts < MOST_THREADS;) {
        char      *end;
        const long n = strtol(text, &end, 10);
        if (end == text || n < 1 || n > 1024) break;
        o->threads[o->counts++] = (int)n;
        if (!*end) return 0;
        if (*end != ',') break;
        text = end + 1;
    }
    return wrong("numbers from 1 to 1024 with commas between them, 8 at most, are expected", "--threads");
}

/* The size in c with the name of `set`; NULL: there is no such size. */
static int64_t *size_of(bench_case *c, const char *set)
{
    const struct {
        const char *name;
        int64_t    *size;
    } sizes[] = {
        {"batch", &c->batch}, {"time", &c->time},   {"features", &c->features}, {"vocab", &c->vocab},
        {"out", &c->out},     {"dim", &c->dim},     {"heads", &c->heads},       {"hops", &c->hops},
        {"ff", &c->ff},       {"layers", &c->layers}, {"nodes", &c->nodes}, {"patch", &c->patch},
    };
    const size_t n = strcspn(set, "=");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strlen(sizes[i].name) == n && !strncmp(sizes[i].name, set, n)) return sizes[i].size;
    return NULL;
}

static int read_attention(options *o, const char *word)
{
    static const char *const names[] = {"auto", "kept", "streamed"}; /* indexed by fgt_attn_mode */
    for (o->attention = 0; o->attention < 3; o->attention++)
        if (!strcmp(word, names[o->attention])) return 0;
    return wrong("auto, kept or streamed is expected", word);
}

static int read_products(options *o, const char *word)
{
    static const char *const names[] = {"auto", "blis"}; /* indexed by fgt_products */
    for (o->products = 0; o->products < 2; o->products++)
        if (!strcmp(word, names[o->products])) return 0;
    return wrong("auto or blis is expected", word);
}

/* Reads a word for fgt_storage or fgt_precision. */
static int read_width(int32_t *width, const char *word)
{
    static const char *const names[] = {"f32", "bf16"}; /* indexed by both enums */
    for (*width = 0; *width < 2; ++*width)
        if (!strcmp(word, names[*width])) return 0;
    return wrong("f32 or bf16 is expected", word);
}

/* Applies "time=192". */
static int apply_set(bench_case *c, const char *set)
{
    int64_t    *size  = size_of(c, set);
    const char *digit = strchr(set, '=');
    char       *end;
    if (!size || !digit) return wrong("not SIZE=N with a size that --help names", set);
    errno             = 0;
    const long long n = strtoll(digit + 1, &end, 10);
    if (end == digit + 1 || *end || errno || n < 1) return wrong("the size is not a positive number", set);
    *size = n;
    return 0;
}

/* 0: continue, 1: done, -1: wrong option */
static int read_options(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(word, "--list")) {
            for (const bench_case *c = bench_cases; c->name; c++) puts(c->name);
            bench_list_kernels();
            puts(BENCH_ATTENT);
            bench_list_jobs();
            return 1;
        }
        if (!strcmp(word, "--help")) {
            fputs(usage_text, stdout);
            return 1;
        }
        if (!strcmp(word, "--json")) {
            as_json = 1;
            continue;
        }
        if (!value) return wrong("unknown, or it lacks its value", word);
        i++;
        if (!strcmp(word, "--case")) {
            o->name = value;
        } else if (!strcmp(word, "--threads")) {
            if (read_threads(o, value)) return -1;
        } else if (!strcmp(word, "--attention")) {
            if (read_attention(o, value)) return -1;
        } else if (!strcmp(word, "--products")) {
            if (read_products(o, value)) return -1;
        } else if (!strcmp(word, "--storage")) {
            if (read_width(&o->storage, value)) return -1;
        } else if (!strcmp(word, "--precision")) {
            if (read_width(&o->precision, value)) return -1;
        } else if (!strcmp(word, "--folder")) {
            o->folder = value;
        } else if (!strcmp(word, "--seconds")) {
            o->seconds = atof(value);
        } else if (!strcmp(word, "--set")) {
            bench_case any;
            if (o->sets == MOST_SETS || apply_set(&any, value)) return -1;
            o->set[o->sets++] = value;
        } else {
            return wrong("unknown", word);
        }
    }
    return 0;
}

/* ---- one process for each case ---- */

typedef struct job {
    const options    *o;
    const bench_case *model; /* NULL: kernels, selection or jobs */
    const char       *name;
} job;

static void run_job(const job *j, int32_t threads)
{
    if (j->model) {
        bench_case c = *j->model;
        c.attention  = j->o->attention;
        for (int i = 0; i < j->o->sets; i++)
            if (apply_set(&c, j->o->set[i])) exit(1);
        bench_model(&c, j->o->products, j->o->storage, j->o->precision, threads, j->o->seconds);
    } else if (!strcmp(j->name, BENCH_ATTENT)) {
        bench_attent(threads);
    } else if (bench_is_job(j->name)) {
        bench_jobs(j->name, j->o->folder, threads);
    } else {
        bench_kernels(j->name, threads, j->o->seconds);
    }
}

/* Returns 0, or 1 after a failure. */
static int run(const job *j)
{
    int failed = 0;
    for (int i = 0; i < j->o->counts; i++) {
        int         status = 1;
        const pid_t child  = fork();
        if (child == 0) {
            run_job(j, j->o->threads[i]);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0 || status) {
            fprintf(stderr, "bench: %s failed\n", j->name);
            failed = 1;
        }
        with_head = 0;
    }
    return failed;
}

int main(int argc, char **argv)
{
    options   o     = {.name = "all", .seconds = 2, .threads = {1}, .counts = 1};
    const int error = read_options(&o, argc, argv);
    if (error) return error < 0;
    const int all = !strcmp(o.name, "all");
    int       found = all, failed = 0;
    with_head = 1;
    for (const bench_case *c = bench_cases; c->name; c++) {
        if (!all && strcmp(o.name, c->name)) continue;
        failed |= run(&(job){&o, c, c->name});
        found = 1;
    }
    with_head = 1;
    if (all || bench_is_kernel(o.name)) {
        failed |= run(&(job){&o, NULL, all ? BENCH_KERNELS : o.name});
        found = 1;
    }
    with_head = 1;
    if (all || !strcmp(o.name, BENCH_ATTENT)) {
        failed |= run(&(job){&o, NULL, BENCH_ATTENT});
        found = 1;
    }
    if (bench_is_job(o.name)) {
        failed |= run(&(job){&o, NULL, o.name});
        found = 1;
    }
    if (!found) fprintf(stderr, "bench: no case \"%s\"; --list names them\n", o.name);
    return !found || failed;
}
