/* SPDX-License-Identifier: BSD-3-Clause */

/* walkthrough: an RNN, a Transformer, an S4 and a Fighter on one task: forecast the next hour of the oil
 * temperature of ETTh2 from the 50 hours before. A tutorial uses the task for the first three; see
 * docs/walkthrough.md. */

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "walkthrough.h"

#define COLUMN     "OT"
#define TEST_SHARE 0.2

typedef struct options {
    const char *data, *plot;
    int64_t     epochs, threads, seed;
    bool        help;
} options;

typedef struct task {
    fgt_context *ctx;
    fgt_table   *table; /* table with only this column */
    fgt_scaler  *scaler;
    float       *series; /* [rows,1], standardised */
    int64_t      rows, test; /* test: the first test row */
    fgt_windows *train, *held; /* held: the test windows */
} task;

typedef struct result {
    int64_t parameters;
    double  mse, mae, seconds;
    double  shown[SHOWN]; /* forecasts in units of the file */
} result;

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

/* ---- the command line ---- */

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

static bool read_options(int argc, char **argv, options *o)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    *o                = (options){.epochs = 10, .seed = 1, .threads = online > 0 ? online : 1};
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool        good = true;
        if (!strcmp(name, "--help")) return o->help = true;
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

/* ---- data ---- */

/* Loads only the column "OT" into a table. */
static fgt_status load(task *t, const char *path)
{
    fgt_table *all;
    int64_t    column;
    fgt_status s = fgt_table_load(t->ctx, path, NULL, &all);
    if (s != FGT_OK) return s;
    s = fgt_table_get_column(all, COLUMN, &column);
    if (s == FGT_OK) s = fgt_table_create_subset(all, 1, &column, &t->table);
    fgt_table_destroy(&all);
    return s;
}

/* Mean and standard deviation come from the training rows, so that nothing of the test rows is used. */
static fgt_status prepare(task *t)
{
    const fgt_view   values = fgt_table_get_values(t->table), *series = FGT_VIEW(t->series, t->rows, 1);
    fgt_windows_opts o = {.size = sizeof o, .input_len = LENGTH, .pred_len = 1, .end = t->test};
    fgt_status       s = fgt_scaler_create(t->ctx, 1, &t->scaler);
    if (s == FGT_OK) s = fgt_scaler_fit(t->scaler, &values, 0, t->test);
    if (s == FGT_OK) s = fgt_scaler_transform(t->scaler, &values, series);
    if (s == FGT_OK) s = fgt_windows_create(t->ctx, series, &o, &t->train);
    o.begin      = t->test;
    o.end        = t->rows;
    o.reach_back = 1;
    return s == FGT_OK ? fgt_windows_create(t->ctx, series, &o, &t->held) : s;
}

static bool open_task(task *t, const options *o)
{
    const fgt_context_opts opts = {.size = sizeof opts, .threads = (int32_t)o->threads};
    if (fgt_context_create(&opts, &t->ctx) != FGT_OK) return complain("no context");
    if (load(t, o->data) != FGT_OK) return complain("%s: %s", o->data, fgt_context_error(t->ctx));
    t->rows   = fgt_table_count_rows(t->table);
    t->test   = t->rows - (int64_t)(TEST_SHARE * (double)t->rows);
    t->series = malloc((size_t)t->rows * sizeof *t->series);
    if (!t->series) return complain("no memory");
    return prepare(t) == FGT_OK || complain("%s: %s", o->data, fgt_context_error(t->ctx));
}

/* An fgt_source's get; user: windows. Views are given their full shape, [n,LENGTH,1] and [n,1,1]. */
static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    return fgt_windows_get(user, index, n, FGT_VIEW(x->data, n, LENGTH, 1), FGT_VIEW(target->data, n, 1, 1));
}

static fgt_source source_of(fgt_windows *w)
{
    return (fgt_source){.size = sizeof(fgt_source), .count = fgt_windows_count(w), .get = get, .user = w};
}

/* ---- training and testing ---- */

static int show(void *user, const fgt_progress *p)
{
    if (p->epoch_done)
        fprintf(stderr, "  %-12s epoch %2lld/%lld  loss %.5f\n", (const char *)user, (long long)p->epoch,
                (long long)p->epochs, p->loss);
    return 0;
}

/* The week in the middle of the test, or the whole test if it is shorter. */
static int64_t first_shown(const task *t, int64_t *count)
{
    const int64_t all = fgt_windows_count(t->held);
    *count            = all < SHOWN ? all : SHOWN;
    return (all - *count) / 2;
}

static fgt_status predict_shown(const task *t, fgt_model *m, double *out)
{
    float         x[LENGTH], y;
    int64_t       count;
    const int64_t first = first_shown(t, &count);
    fgt_status    s     = FGT_OK;
    for (int64_t i = 0; s == FGT_OK && i < count; i++) {
        const int64_t k = first + i;
        s               = fgt_windows_get(t->held, &k, 1, FGT_VIEW(x, 1, LENGTH, 1), NULL);
        if (s == FGT_OK) s = fgt_predict(m, FGT_VIEW(x, 1, LENGTH, 1), FGT_VIEW(&y, 1, 1));
        out[i] = y;
    }
    const fgt_view *all = FGT_VIEW_OF(FGT_F64, out, count, 1);
    return s == FGT_OK ? fgt_scaler_inverse_transform(t->scaler, all, all) : s;
}

/* Adam, learning rate 0.001, mean squared error: the same for all models. */
static fgt_status fit(const task *t, const options *o, int i, fgt_model *m, result *r)
{
    const fgt_source     train = source_of(t->train), test = source_of(t->held);
    const fgt_optim_opts optim = {.size = sizeof optim, .kind = FGT_OPTIM_ADAM, .clip = 1};
    const fgt_fit_opts   opts  = {.size = sizeof opts, .train = &train, .optim = &optim, .progress = show,
                                  .user = (void *)model_names[i], .seed = (uint64_t)o->seed,
                                  .epochs = o->epochs};
    fgt_fit_report       report = {.size = sizeof report};
    fgt_metric           metric = {0};
    fgt_status           s      = model_build(m, i);
    if (s == FGT_OK) s = fgt_model_fit(m, &opts, &report);
    if (s == FGT_OK) s = fgt_model_evaluate(m, &test, NULL, FGT_F32, NULL, &metric);
    if (s == FGT_OK) s = predict_shown(t, m, r->shown);
    r->parameters = fgt_model_count_parameters(m);
    r->mse        = fgt_metric_get(&metric, FGT_METRIC_MSE);
    r->mae        = fgt_metric_get(&metric, FGT_METRIC_MAE);
    r->seconds    = report.seconds / (double)o->epochs;
    return s;
}

static bool run_model(const task *t, const options *o, int i, result *r)
{
    const fgt_model_opts opts = {.size = sizeof opts, .batch = BATCH, .time = LENGTH, .features = 1,
                                 .seed = (uint64_t)o->seed};
    fgt_model           *m;
    fgt_status           s = fgt_model_create(t->ctx, &opts, &m);
    if (s == FGT_OK) s = fit(t, o, i, m, r);
    fgt_model_destroy(&m);
    return s == FGT_OK || complain("%s: %s", model_names[i], fgt_context_error(t->ctx));
}

/* ---- results ---- */

static void print_row(const char *name, const result *r)
{
    printf("%-12s %10.5f %10.5f %12lld %12.2f\n", name, r->mse, r->mae, (long long)r->parameters, r->seconds);
    fflush(stdout);
}

/* The naive forecast: the value one hour before. */
static result last_value(const task *t)
{
    result r = {0};
    for (int64_t i = t->test; i < t->rows; i++) {
        const double e = (double)t->series[i] - (double)t->series[i - 1];
        r.mse += e * e / (double)(t->rows - t->test);
        r.mae += fabs(e) / (double)(t->rows - t->test);
    }
    return r;
}

static bool plot(const task *t, const options *o, const result *r)
{
    int64_t       count;
    const int64_t row    = t->test + first_shown(t, &count);
    const double *values = fgt_table_get_values(t->table).data;
    curves        c = {.title = "The next hour of " COLUMN ", units of the file", .count = count,
                       .truth = values + row, .from = fgt_table_get_date(t->table, row)};
    for (int i = 0; i < MODELS; i++) c.guess[i] = r[i].shown;
    return plot_write(&c, o->plot);
}

static bool run(task *t, const options *o)
{
    static result r[MODELS];
    if (!open_task(t, o)) return false;
    printf("%s: %lld training windows, %lld test windows; errors on the test, in standard deviations of the\n"
           "training rows; %lld epochs, seed %lld\n\n%-12s %10s %10s %12s %12s\n",
           COLUMN, (long long)fgt_windows_count(t->train), (long long)fgt_windows_count(t->held),
           (long long)o->epochs, (long long)o->seed, "", "MSE", "MAE", "parameters", "s per epoch");
    const result last = last_value(t);
    print_row("last value", &last);
    for (int i = 0; i < MODELS; i++) {
        if (!run_model(t, o, i, &r[i])) return false;
        print_row(model_names[i], &r[i]);
    }
    return !o->plot || plot(t, o, r);
}

int main(int argc, char **argv)
{
    options o;
    task    t = {0};
    if (!read_options(argc, argv, &o)) return EXIT_FAILURE;
    if (o.help) {
        print_help();
        return EXIT_SUCCESS;
    }
    const bool good = run(&t, &o);
    fgt_windows_destroy(&t.held);
    fgt_windows_destroy(&t.train);
    fgt_scaler_destroy(&t.scaler);
    fgt_table_destroy(&t.table);
    free(t.series);
    fgt_context_destroy(&t.ctx);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
