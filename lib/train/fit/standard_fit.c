/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that forecasters and classifiers have in common in their calls of fgt_model_fit(). */
#include "train/fit/standard_fit.h"

#include <math.h>

#include "attent/attent_impl.h"
#include "attent/attent_schedule.h"
#include "core/opts.h"

/* Gradients are clipped to this norm, which is a usual value. */
#define CLIP 1.0

fgt_status fgti_training_check(fgti_error *err, const fgt_training *training)
{
    const int64_t *reserved = training->reserved;
    for (size_t i = 0; i < sizeof training->reserved / sizeof *reserved; i++)
        FGTI_TRY(fgti_reserved_check(err, "fit", reserved[i]));
    return FGT_OK;
}

fgt_status fgti_fit_check(fgti_error *err, const char *what, int64_t most, double standard_lr,
                          fgt_training *training)
{
    fgt_training *t = training;
    FGTI_TRY(fgti_training_check(err, t));
    if (!t->batch) t->batch = most;
    if (t->batch > most)
        return fgti_fail(err, FGT_E_ARG,
                         "fit: batch is out of range (got %lld, need at most %lld, the batch of the %s)",
                         (long long)t->batch, (long long)most, what);
    if (t->lr == 0) t->lr = standard_lr;
    if (t->lr > 0 && isfinite(t->lr)) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "fit: lr is out of range (got %g, need above 0)", t->lr);
}

/* Number of steps of the warm-up. A selector may leave out samples, so it counts its batches itself. */
static int64_t count_warmup(const fgt_fit_opts *opts)
{
    const fgt_training *t = &opts->training;
    int64_t             n;
    if (t->selector)
        n = fgti_attent_count_batches(t->selector, t->epochs, t->batch);
    else if (!fgti_size_mul(t->epochs, (opts->train->count - 1) / t->batch + 1, &n))
        n = 0; /* there are too many steps; fgt_model_fit() refuses them */
    return n > 0 && t->warmup > 0 ? (int64_t)(t->warmup * (double)n) : 0;
}

void fgti_fit_optim(fgt_fit_opts *opts, fgt_schedule_opts *schedule, fgt_optim_opts *optim)
{
    fgt_training *t = &opts->training;
    *schedule       = (fgt_schedule_opts){
              .size = sizeof *schedule, .kind = FGT_SCHEDULE_COSINE, .warmup = count_warmup(opts)};
    *optim      = (fgt_optim_opts){.size         = sizeof *optim,
                                   .schedule     = schedule,
                                   .lr           = t->lr,
                                   .weight_decay = t->weight_decay > 0 ? t->weight_decay : 0,
                                   .clip         = CLIP};
    opts->optim = optim;
    t->lr = t->weight_decay = t->warmup = 0;
}

fgt_status fgti_fit(fgt_model *model, const fgt_fit_opts *opts, fgt_fit_report *report)
{
    fgt_schedule_opts schedule;
    fgt_optim_opts    optim;
    fgt_fit_opts      all = *opts;
    fgti_fit_optim(&all, &schedule, &optim);
    return fgt_model_fit(model, &all, report);
}
