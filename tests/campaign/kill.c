/* SPDX-License-Identifier: BSD-3-Clause */
/* Training with checkpoints is killed at random moments and resumed until it is done: its weights are those
 * of a run that nobody killed, no checkpoint is torn, and temporary files do not pile up. Runs of
 * fgt_model_fit() and of a host's own loop take turns. usage: kill KILLS */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fighter/fighter.h>

enum { VOCAB = 40, WIDTH = 8, OUT = 3, BATCH = 8, TIME = 6, SAMPLES = 64 };
enum { EPOCHS = 30, STEPS = 200, EVERY = 5 /* steps between checkpoints */ };

static char folder[] = "/tmp/fighter-kill-XXXXXX";
static char checkpoint[64], result[64];

static _Noreturn void broken(const char *what, int64_t number)
{
    fprintf(stderr, "%s: %lld (%s)\n", what, (long long)number, folder);
    exit(1);
}

/* ---- the child: trains from the checkpoint, if there is one, and leaves the hash of its weights ---- */

typedef struct run {
    fgt_context *ctx;
    fgt_model   *model;
    fgt_attent  *selector;
    fgt_optim   *optim;
} run;

static void must(const run *r, fgt_status s)
{
    if (s == FGT_OK) return;
    fprintf(stderr, "%s: %s\n", fgt_status_get_name(s), fgt_context_get_error(r->ctx));
    _exit(3);
}

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    (void)user;
    for (int64_t i = 0; i < n * TIME; i++) {
        const int64_t k         = index[i / TIME] * TIME + i % TIME;
        ((int64_t *)x->data)[i] = k * k % 11 * (k % 4) % VOCAB;
        for (int64_t c = 0; c < OUT; c++) ((float *)target->data)[i * OUT + c] = (float)sin((double)(k + c));
    }
    return FGT_OK;
}

static void open_run(run *r)
{
    const fgt_model_opts     shape = {.size = sizeof shape, .batch = BATCH, .time = TIME, .seed = 5};
    const fgt_embedding_opts table = {.size = sizeof table, .vocab = VOCAB, .out = WIDTH};
    const fgt_attent_opts    some  = {.size = sizeof some, .samples = SAMPLES, .epochs = EPOCHS, .seed = 8};
    *r = (run){.ctx = NULL};
    must(r, fgt_context_create(NULL, &r->ctx));
    must(r, fgt_model_create(r->ctx, &shape, &r->model));
    must(r, fgt_model_add(r->model, fgt_embedding(&table)));
    must(r, fgt_model_add(r->model, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.2f))));
    must(r, fgt_model_add(r->model, fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = WIDTH))));
    must(r, fgt_model_add(r->model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    must(r, fgt_attent_create(r->ctx, &some, &r->selector));
}

static bool has_checkpoint(void)
{
    return access(checkpoint, F_OK) == 0;
}

static void fit(run *r)
{
    const fgt_source   source = {.size = sizeof source, .count = SAMPLES, .get = get};
    fgt_fit_report     report = {.size = sizeof report};
    const fgt_fit_opts opts   = {.size       = sizeof opts,
                                 .train      = &source,
                                 .validation = &source,
                                 .training   = {.epochs     = EPOCHS,
                                                .patience   = -1,
                                                .selector   = r->selector,
                                                .checkpoint = checkpoint,
                                                .resume     = has_checkpoint() ? checkpoint : NULL}};
    must(r, fgt_model_fit(r->model, &opts, &report));
    if (report.failed_checkpoints) broken("checkpoints that could not be written", report.failed_checkpoints);
}

static void loop_step(run *r, int64_t step)
{
    int64_t        x[BATCH * TIME], index[BATCH];
    float          y[BATCH * TIME * OUT], t[BATCH * TIME * OUT];
    double         loss;
    const fgt_view vx = {x, {BATCH, TIME}, 2, FGT_DTYPE_I64}, vy = *FGT_VIEW(y, BATCH, TIME, OUT);
    for (int64_t i = 0; i < BATCH; i++) index[i] = (step * 5 + i * i) % SAMPLES;
    must(r, get(NULL, index, BATCH, &vx, FGT_VIEW(t, BATCH, TIME, OUT)));
    must(r, fgt_forward(r->model, &vx, &vy));
    must(r, fgt_loss_mse(r->ctx, &vy, FGT_VIEW(t, BATCH, TIME, OUT), &loss, &vy));
    must(r, fgt_backward(r->model, &vy, NULL));
    must(r, fgt_step(r->optim));
}

static void loop(run *r)
{
    int64_t        step = 0;
    fgt_checkpoint c    = {.size = sizeof c, .data = &step, .data_size = sizeof step};
    must(r, fgt_optim_create(r->model, &FGT_OPTS(fgt_optim_opts, .clip = 1), &r->optim));
    c.optim = r->optim;
    if (has_checkpoint()) must(r, fgt_checkpoint_load(&c, checkpoint));
    while (step < STEPS) {
        loop_step(r, step++);
        if (step % EVERY == 0) must(r, fgt_checkpoint_save(&c, checkpoint));
    }
    must(r, fgt_optim_settle(r->optim));
}

static void train(bool own_loop)
{
    run r;
    open_run(&r);
    (own_loop ? loop : fit)(&r);
    FILE *f = fopen(result, "w");
    if (!f || fprintf(f, "%llx", (unsigned long long)fgt_model_get_hash(r.model)) < 0 || fclose(f))
        broken("the result cannot be written", errno);
    fgt_optim_destroy(&r.optim);
    fgt_attent_destroy(&r.selector);
    fgt_model_destroy(&r.model);
    fgt_context_destroy(&r.ctx);
}

/* ---- the parent ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* True if the child was killed `wait` seconds after its start; false if it was done. */
static bool start_and_kill(bool own_loop, double wait)
{
    const struct timespec t      = {(time_t)wait, (long)(1e9 * fmod(wait, 1))};
    int                   status = 0;
    const pid_t           child  = fork();
    if (child < 0) broken("fork", errno);
    if (!child) {
        train(own_loop);
        _exit(0);
    }
    if (wait > 0) {
        nanosleep(&t, NULL);
        kill(child, SIGKILL);
    }
    if (waitpid(child, &status, 0) != child) broken("waitpid", errno);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return true;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) broken("a run ended with", status);
    return false;
}

static int temporaries(void)
{
    int  n = 0;
    DIR *d = opendir(folder);
    if (!d) broken("cannot list", errno);
    for (struct dirent *e; (e = readdir(d));) n += strstr(e->d_name, "fgt-tmp") != NULL;
    closedir(d);
    return n;
}

static unsigned long long read_result(void)
{
    unsigned long long hash = 0;
    FILE              *f    = fopen(result, "r");
    if (!f || fscanf(f, "%llx", &hash) != 1) broken("no result", errno);
    fclose(f);
    return hash;
}

/* The moments are drawn from the time that a run takes as it is. */
static void run_reference(bool own_loop, unsigned long long *hash, double *seconds)
{
    const double begin = now();
    unlink(checkpoint);
    start_and_kill(own_loop, 0);
    *hash    = read_result();
    *seconds = now() - begin;
}

int main(int argc, char **argv)
{
    const long         kills = argc == 2 ? atol(argv[1]) : 0;
    long               done = 0, runs = 0, left = 0;
    unsigned long long hash[2];
    double             seconds[2];
    if (kills < 1) {
        fprintf(stderr, "usage: kill KILLS\n");
        return 2;
    }
    if (!mkdtemp(folder)) broken("mkdtemp", errno);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", folder);
    snprintf(result, sizeof result, "%s/result", folder);
    srand((unsigned)time(NULL));
    for (int i = 0; i < 2; i++) run_reference(i, &hash[i], &seconds[i]);
    for (bool own_loop = false; done < kills; own_loop = !own_loop, runs++) {
        unlink(checkpoint);
        unlink(result);
        while (start_and_kill(own_loop, (1e-6 + rand() / (double)RAND_MAX) * seconds[own_loop])) {
            done++;
            left += temporaries();
            if (temporaries() > 1) broken("temporary files", temporaries());
        }
        if (read_result() != hash[own_loop]) broken("other weights after so many kills", done);
        if (temporaries()) broken("temporary files after the end", temporaries());
    }
    unlink(checkpoint);
    unlink(result);
    if (rmdir(folder)) broken("rmdir", errno);
    printf("COUNT\tkills of a training\t%ld\nCOUNT\truns resumed after kills\t%ld\n", done, runs);
    fprintf(stderr, "%ld kills left a temporary file, which the next checkpoint removed\n", left);
    return 0;
}
