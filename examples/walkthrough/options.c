/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of the walkthrough. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "walkthrough.h"

bool complain(const char *format, ...)
{
    va_list args;
    fputs("walkthrough: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

static void print_help(void)
{
    puts("usage: walkthrough --data ETTh2.csv [options]\n"
         "Trains an RNN, a Transformer, an S4 and a Fighter to say the next hour of the column OT from the\n"
         "50 hours before, and compares them on the last 20 % of the rows.\n\n"
         "  --data FILE      CSV file with a column OT, dates in the first one\n"
         "  --epochs N       default: 10\n"
         "  --threads N      results do not depend on it; default: one a processor\n"
         "  --seed N         of first weights, dropout, order; default: 1\n"
         "  --plot FILE      draw a week of the test, truth and forecasts, as .svg or .png\n"
         "  --help           print this");
}

static bool read_count(const char *name, const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    errno             = 0;
    const long long n = strtoll(text, &end, 10);
    if (!*text || *end || errno || n < least || n > most)
        return complain("%s takes a whole number from %lld to %lld, not \"%s\"", name, (long long)least,
                        (long long)most, text);
    *out = n;
    return true;
}

bool options_read(int argc, char **argv, options *o)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    *o                = (options){.epochs = 10, .seed = 1, .threads = online > 0 ? online : 1};
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool        good = true;
        if (!strcmp(name, "--help")) {
            print_help();
            return o->help = true;
        }
        const bool known = !strcmp(name, "--data") || !strcmp(name, "--plot") || !strcmp(name, "--epochs") ||
                           !strcmp(name, "--threads") || !strcmp(name, "--seed");
        if (!known) return complain("there is no option %s; --help lists them", name);
        if (!value) return complain("%s: the value is missing", name);
        if (!strcmp(name, "--data")) o->data = value;
        if (!strcmp(name, "--plot")) o->plot = value;
        if (!strcmp(name, "--epochs")) good = read_count(name, value, 1, INT_MAX, &o->epochs);
        if (!strcmp(name, "--threads")) good = read_count(name, value, 1, 1024, &o->threads);
        if (!strcmp(name, "--seed")) good = read_count(name, value, 0, INT_MAX, &o->seed);
        if (!good) return false;
    }
    if (!o->data) return complain("--data FILE.csv is missing; --help lists the options");
    return !o->plot || plot_check(o->plot);
}
