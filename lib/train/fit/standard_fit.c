/* SPDX-License-Identifier: BSD-3-Clause */
/* The common options of forecasters and classifiers in their calls of fgt_model_fit(). */
#include "train/fit/standard_fit.h"

#include <math.h>

#include "attent/attent_impl.h"

/* Gradients are clipped to this norm, a usual value. */
#define CLIP 1.0

fgt_status fgti_fit_check(fgti_error *err, const char *what, int64_t most, int64_t *batch, double standard_lr,
                          double *lr)
{
    if (!*batch) *batch = most;
    if (*batch > most)
        return fgti_fail(err, FGT_E_ARG, "fit: batch is %lld, but the %s was created for at most %lld",
                         (long long)*batch, what, (long long)most);
    if (*lr == 0) *lr = standard_lr;
    if (*lr > 0 && isfinite(*lr)) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "fit: lr is %g, must be above 0", *lr);
}

/* Steps of the warm-up. A selector counts its batches itself, because it may leave out samples. */
static int64_t count_warmup(const fgt_fit_opts *o, double share)
{
    int64_t n;
    if (o->selector)
        n = fgti_attent_count_batches(o->selector, o->epochs, o->batch);
    else if (!fgti_size_mul(o->epochs, (o->train->count - 1) / o->batch + 1, &n))
        n = 0; /* too many steps: fgt_model_fit() refuses them */
    return n > 0 ? (int64_t)(share * (double)n) : 0;
}

void fgti_fit_optim(const fgt_fit_opts *opts, const fgti_fit_rates *rates, fgt_schedule_opts *schedule,
                    fgt_optim_opts *optim)
{
    *schedule = (fgt_schedule_opts){.size   = sizeof *schedule,
                                    .kind   = FGT_SCHEDULE_COSINE,
                                    .warmup = rates->warmup > 0 ? count_warmup(opts, rates->warmup) : 0};
    *optim    = (fgt_optim_opts){.size         = sizeof *optim,
                                 .schedule     = schedule,
                                 .lr           = rates->lr,
                                 .weight_decay = rates->weight_decay,
                                 .clip         = CLIP};
}

fgt_status fgti_fit(fgt_model *model, const fgt_fit_opts *opts, const fgti_fit_rates *rates,
                    fgt_fit_report *report)
{
    fgt_schedule_opts schedule;
    fgt_optim_opts    optim;
    fgt_fit_opts      all = *opts;
    fgti_fit_optim(opts, rates, &schedule, &optim);
    all.optim = &optim;
    return fgt_model_fit(model, &all, report);
}
