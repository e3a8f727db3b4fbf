/* SPDX-License-Identifier: BSD-3-Clause */
/* AtteNT in your own training loop, with a model that does not come from this library: cubic regression on
 * data in which one sample in twenty is hard. It trains until the mean loss is about 1e-4, with all samples
 * and with the samples that selectors choose, and counts the samples.
 *     cc 13_own_loop.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/attent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2000, EPOCHS = 100, TERMS = 4, BATCH = 20 };

static fgt_context *ctx;
static double       xs[N], ts[N];

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "own_loop: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* ---- the model: y = w_0 + w_1 x + w_2 x^2 + w_3 x^3, plain gradient descent ---- */

static double predict(const double *w, double x)
{
    return w[0] + x * (w[1] + x * (w[2] + x * w[3]));
}

static double loss_of(const double *w, int64_t i)
{
    const double e = predict(w, xs[i]) - ts[i];
    return e * e;
}

/* One step on n samples, each with its weight. loss: receives the losses before the step. */
static void train(double *w, const int64_t *index, int64_t n, const float *weight, float *loss)
{
    double gradient[TERMS] = {0};
    for (int64_t b = 0; b < n; b++) {
        const double x = xs[index[b]], e = predict(w, x) - ts[index[b]];
        double       d = 2 * e * (double)weight[b] / (double)n;
        for (int k = 0; k < TERMS; k++, d *= x) gradient[k] += d;
        loss[b] = (float)(e * e);
    }
    for (int k = 0; k < TERMS; k++) w[k] -= 0.2 * gradient[k];
}

static double mean_loss(const double *w)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++) sum += loss_of(w, i);
    return sum / N;
}

/* ---- the loop ---- */

/* Computes the losses of all samples, which the selector asks for at the start of an interval. */
static int64_t score(fgt_attent *selector, const double *w)
{
    for (int64_t i = 0; i < N; i++) {
        const float loss = (float)loss_of(w, i);
        check(fgt_attent_add(selector, &i, 1, &loss));
    }
    return N;
}

/* Trains until the selector tells it to stop. Returns the number of samples in training steps; *scored: the
 * number of samples of which only the loss was computed. */
static int64_t run(const fgt_attent_opts *opts, double *w, int64_t *scored)
{
    fgt_attent *selector;
    int64_t     trained = 0;
    float       loss[BATCH], weight[BATCH];
    memset(w, 0, TERMS * sizeof *w);
    *scored = 0;
    check(fgt_attent_create(ctx, opts, &selector));
    for (;;) {
        fgt_attent_subset subset = {.size = sizeof subset};
        if (fgt_attent_get_due(selector)) *scored += score(selector, w);
        check(fgt_attent_begin_epoch(selector, &subset));
        if (subset.stop) break;
        for (int64_t at = 0; at < subset.count; at += BATCH) {
            const int64_t  left = subset.count - at, n = left < BATCH ? left : BATCH;
            const int64_t *index = subset.index + at;
            check(fgt_attent_get_weights(selector, index, n, weight));
            train(w, index, n, weight, loss);
            check(fgt_attent_add(selector, index, n, loss)); /* the losses are known already */
            trained += n;
        }
    }
    fgt_attent_destroy(&selector);
    return trained;
}

int main(void)
{
    static const struct {
        const char     *name;
        fgt_attent_opts opts;
    } runs[] = {
        {"all",
         {.strategy = FGT_ATTENT_STRATEGY_RANDOM, .ratio_schedule = FGT_ATTENT_RATIO_FIXED, .ratio = 1}},
        {"AtteNT", {.weights = FGT_ATTENT_WEIGHTS_PROPORTIONAL}},
        {"AtteNT, simple",
         {.weights           = FGT_ATTENT_WEIGHTS_PROPORTIONAL,
          .ratio_schedule    = FGT_ATTENT_RATIO_SIMPLE,
          .ratio             = 0.3,
          .interval_schedule = FGT_ATTENT_INTERVAL_FIXED,
          .scores            = FGT_ATTENT_SCORES_TRAINING}},
        {"InfoBatch", {.strategy = FGT_ATTENT_STRATEGY_INFOBATCH}},
    };
    double  w[TERMS];
    int64_t scored, all = 0;
    check(fgt_context_create(NULL, &ctx));
    for (int i = 0; i < N; i++) { /* most x are near 0, where the cubic is almost linear */
        xs[i] = (i % 20 ? 0.3 : 1.0) * (2.0 * rand() / RAND_MAX - 1);
        ts[i] = 0.5 - xs[i] + 2 * xs[i] * xs[i] * xs[i];
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        fgt_attent_opts opts  = runs[i].opts;
        opts.size             = sizeof opts;
        opts.samples          = N;
        opts.epochs           = EPOCHS;
        opts.seed             = 1;
        opts.stop_below       = sqrt(N * 1e-4);
        const int64_t trained = run(&opts, w, &scored);
        if (i == 0) all = trained;
        printf("%-14s trained on %5d samples, scored %5d, loss %.1e\n", runs[i].name, (int)trained,
               (int)scored, mean_loss(w));
        if (mean_loss(w) > 2e-4 || (i > 0 && trained > all * 8 / 10)) return 1;
    }
    fgt_context_destroy(&ctx);
    return 0;
}
