/* SPDX-License-Identifier: BSD-3-Clause */
/* Several members instead of one forecaster: trained one after another, each with its own seed, and combined
 * to their mean. */
#include <fighter/experimental/ensemble.h>

#include "members.h"
#include "train.h"
#include "train_create.h"

/* Adds up times and windows; losses and epochs are reported for the first member. */
static void add_report(fgt_fit_report *sum, const fgt_fit_report *one)
{
    sum->seconds += one->seconds;
    sum->samples += one->samples;
    sum->steps += one->steps;
    sum->cancelled |= one->cancelled;
    sum->diverged |= one->diverged;
}

/* Trains a member like r, with another seed. The caller destroys *forecaster even after an error. NULL: it
 * was interrupted; a barely trained member would harm the mean. */
static bool train_member(run *r, int64_t number, fgt_forecaster **forecaster)
{
    options o  = *r->o;
    run     at = *r;
    o.seed += number;
    at.o          = &o;
    at.forecaster = NULL;
    at.page       = NULL; /* the page records the first member */
    at.curve      = (curve){0};
    bool good     = train_create(&at, false, &at.forecaster);
    if (good) good = train_run(&at);
    curve_done(&at.curve);
    if (good) add_report(&r->report, &at.report);
    if (good && at.report.cancelled) fgt_forecaster_destroy(&at.forecaster);
    *forecaster = at.forecaster;
    return good;
}

/* Replaces the first member by the mean. */
static bool join(run *r, fgt_forecaster *const *members, int64_t count)
{
    fgt_forecaster *mean;
    if (fgt_forecaster_create_mean(r->ctx, members, count, &mean) != FGT_OK) return run_failed(r, NULL);
    fgt_forecaster_destroy(&r->forecaster);
    r->forecaster = mean;
    return train_get_info(r);
}

bool members_run(run *r)
{
    fgt_forecaster *members[MEMBERS_MAX] = {r->forecaster};
    int64_t         count                = 1;
    bool            good                 = train_run(r);
    while (good && count < r->o->members && !r->report.cancelled) {
        good = train_member(r, count, &members[count]);
        count += members[count] != NULL;
    }
    if (good && r->report.cancelled)
        fprintf(stderr, "  interrupted; the model is the best one so far%s\n",
                count > 1 ? ", the mean of the members before" : "");
    if (good && count > 1) good = join(r, members, count);
    for (int64_t i = 1; i < count; i++) fgt_forecaster_destroy(&members[i]);
    return good;
}
