/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "progress.h"

#define BAR 24

/* Seconds between two updates of the bar. */
#define REDRAW 0.1

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void progress_catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    action.sa_flags         = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool progress_interrupted(void)
{
    return interrupted != 0;
}

int progress_status(bool good)
{
    const bool lost = fflush(stdout) || ferror(stdout);
    if (good && lost) good = complain("the standard output could not be written");
    if (!good) return EXIT_FAILURE;
    return interrupted ? 128 + SIGINT : EXIT_SUCCESS;
}

void progress_stage(const char *what, int64_t count, const char *unit)
{
    enum { MANY = 50 };
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r  %s of %lld %s ...\033[K", what, (long long)count, unit);
    else if (count >= MANY)
        fprintf(stderr, "  %s of %lld %s\n", what, (long long)count, unit);
}

void progress_stage_done(void)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

static void draw_bar(const progress_label *label, const fgt_progress *p, double rate, double left)
{
    static double last;
    char          bar[BAR + 1];
    if (p->seconds >= last && p->seconds < last + REDRAW) return;
    last              = p->seconds;
    const double part = p->samples ? (double)p->sample / (double)p->samples : 1;
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(part * BAR));
    bar[BAR] = 0;
    fprintf(stderr, "\r  %3lld/%lld [%s]  loss %-8.4g %6.0f %s/s  ETA %3.0f s \033[K", (long long)p->epoch,
            (long long)p->epochs, bar, p->loss, rate, label->unit, left);
}

static void print_epoch(const progress_label *label, bool terminal, const fgt_progress *p, double rate)
{
    if (terminal) fputs("\r\033[K", stderr);
    fprintf(stderr, "  %-7s  epoch %2lld/%lld  loss %.4f", label->name, (long long)p->epoch,
            (long long)p->epochs, p->loss);
    if (!isnan(p->validation))
        fprintf(stderr, "  validation %.4f%s", p->validation, p->validation <= p->best ? " *" : "  ");
    fprintf(stderr, "  %6.0f %s/s  %5.1f s\n", rate, label->unit, p->seconds);
}

int progress_show(void *user, const fgt_progress *p)
{
    const bool   terminal = isatty(STDERR_FILENO);
    const double done     = (double)(p->epoch - 1) * (double)p->samples + (double)p->sample;
    const double rate     = p->seconds > 0 ? done / p->seconds : 0;
    const double left     = (double)p->epochs * (double)p->samples - done;
    if (p->epoch_done)
        print_epoch(user, terminal, p, rate);
    else if (terminal)
        draw_bar(user, p, rate, rate > 0 ? left / rate : 0);
    return interrupted;
}
