/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses of a simple rule, for --excess. */
#include <math.h>
#include <stdlib.h>

#include "moments.h"
#include "reference.h"
#include "train_create.h"

#include "../common/program.h"

typedef struct losses {
    float        *value; /* [windows] */
    int64_t       windows, columns;
    const double *scale; /* scale of each series: errors are standardised as in training */
} losses;

/* The mean squared error over the existing values, as in the training. */
static fgt_status take(void *user, const fgt_forecast_window *w)
{
    const losses *l        = user;
    const double *forecast = w->forecast.data, *truth = w->truth.data;
    double        sum      = 0;
    int64_t       count    = 0;
    if (w->window >= l->windows) return FGT_E_CANCELLED;
    for (int64_t i = 0; i < fgt_view_count(&w->truth); i++) {
        const double e = (forecast[i] - truth[i]) / l->scale[i % l->columns];
        if (isnan(e)) continue;
        sum += e * e;
        count++;
    }
    l->value[w->window] = count ? (float)(sum / (double)count) : 0;
    return FGT_OK;
}

/* Visits the windows whose inputs are also in the training rows. */
static bool visit(const run *r, fgt_forecaster *linear, losses *l)
{
    const int64_t        begin = r->split.train_begin + r->info.input_len, end = r->split.train_end;
    const fgt_forecast_visit_opts opts  = {.size = sizeof opts, .begin = begin, .end = end};
    fgt_forecaster_info  info  = {.size = sizeof info};
    if (fgt_forecaster_get_info(linear, &info) != FGT_OK) return run_failed(r, NULL);
    if (!info.linear || info.input_len != r->info.input_len || info.columns != r->info.columns)
        return complain("--excess: there is no linear map in closed form of these rows");
    return fgt_forecaster_visit(linear, r->table, &opts, take, l) == FGT_OK || run_failed(r, r->o->data);
}

float *reference_of_windows(run *r)
{
    losses          l      = {.value   = calloc((size_t)r->train_windows, sizeof *l.value),
                              .windows = r->train_windows,
                              .columns = r->info.columns,
                              .scale   = moments_of(r->forecaster).scale};
    fgt_forecaster *linear = NULL;
    const bool      good   = (l.value || complain("no memory")) && train_create(r, true, &linear) &&
                      visit(r, linear, &l);
    fgt_forecaster_destroy(&linear);
    if (good) return l.value;
    free(l.value);
    return NULL;
}
