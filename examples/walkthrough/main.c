/* SPDX-License-Identifier: BSD-3-Clause */

/* walkthrough: an RNN, a Transformer, an S4 and a Fighter on one task: forecast the next hour of the oil
 * temperature of ETTh2 from the 50 hours before. A tutorial uses the task for the first three; see
 * docs/walkthrough.md. */

#include <math.h>
#include <stdlib.h>

#include "walkthrough.h"

typedef struct result {
    int64_t parameters;
    double  mse, mae, seconds;
    double  shown[SHOWN]; /* forecasts in units of the file */
} result;

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
    const int64_t all = fgt_windows_count_samples(t->held);
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
        s               = fgt_windows_copy_samples(t->held, &k, 1, FGT_VIEW(x, 1, LENGTH, 1), NULL);
        if (s == FGT_OK) s = fgt_predict(m, FGT_VIEW(x, 1, LENGTH, 1), FGT_VIEW(&y, 1, 1));
        out[i] = y;
    }
    const fgt_view *all = FGT_VIEW_OF(FGT_DTYPE_F64, out, count, 1);
    return s == FGT_OK ? fgt_scaler_inverse_transform(t->scaler, all, all) : s;
}

/* Adam, learning rate 0.001, mean squared error: the same for all models. */
static fgt_status fit(const task *t, const options *o, int i, fgt_model *m, result *r)
{
    const fgt_source     train = task_source(t->train), test = task_source(t->held);
    const fgt_optim_opts optim = {.size = sizeof optim, .kind = FGT_OPTIM_ADAM, .clip = 1};
    const fgt_fit_opts   opts   = {.size     = sizeof opts,
                                   .train    = &train,
                                   .optim    = &optim,
                                   .training = {.progress = show,
                                                .user     = (void *)model_names[i],
                                                .seed     = (uint64_t)o->seed,
                                                .epochs   = o->epochs}};
    fgt_fit_report       report = {.size = sizeof report};
    fgt_model_info       info   = {.size = sizeof info};
    fgt_metric           metric = {0};
    fgt_status           s      = model_build(m, i);
    if (s == FGT_OK) s = fgt_model_fit(m, &opts, &report);
    if (s == FGT_OK) s = fgt_model_evaluate(m, &test, NULL, FGT_DTYPE_F32, NULL, &metric);
    if (s == FGT_OK) s = predict_shown(t, m, r->shown);
    if (s == FGT_OK) s = fgt_model_get_info(m, &info);
    r->parameters = info.parameters;
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
    return s == FGT_OK || complain("%s: %s", model_names[i], fgt_context_get_error(t->ctx));
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
    curves        c      = {.title = "The next hour of " COLUMN ", units of the file",
                            .count = count,
                            .truth = values + row,
                            .from  = fgt_table_get_name(t->table, FGT_TABLE_NAME_ROW, row)};
    for (int i = 0; i < MODELS; i++) c.guess[i] = r[i].shown;
    return plot_write(&c, o->plot);
}

static bool run(task *t, const options *o)
{
    static result r[MODELS];
    if (!task_open(t, o)) return false;
    printf("%s: %lld training windows, %lld test windows; errors on the test, in standard deviations of the\n"
           "training rows; %lld epochs, seed %lld\n\n%-12s %10s %10s %12s %12s\n",
           COLUMN, (long long)fgt_windows_count_samples(t->train),
           (long long)fgt_windows_count_samples(t->held), (long long)o->epochs, (long long)o->seed, "", "MSE",
           "MAE", "parameters", "s per epoch");
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
    if (!options_read(argc, argv, &o)) return EXIT_FAILURE;
    if (o.help) return EXIT_SUCCESS;
    const bool good = run(&t, &o);
    task_close(&t);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
