/* SPDX-License-Identifier: BSD-3-Clause */
/* Selectors of training windows. */
#include <stdlib.h>

#include <fighter/experimental/defaults.h>

#include "groups.h"
#include "reference.h"
#include "selector.h"
#include "train_opts.h"

bool selector_create_for(run *r, int64_t epochs, fgt_attent **selector)
{
    const selection *how       = &r->o->selection;
    selection_data   data      = {.count = r->train_windows, .epochs = epochs, .seed = (uint64_t)r->o->seed};
    int64_t         *group     = NULL;
    float           *reference = NULL;
    bool             good      = !selection_needs_groups(how) || (group = groups_of_windows(r, &data.groups));
    if (good && how->excess) good = (reference = reference_of_windows(r));
    if (reference) r->reference_loss = selection_mean(reference, data.count);
    data.group     = group;
    data.reference = reference;
    if (good) good = selection_create(how, r->ctx, &data, selector);
    free(group);
    free(reference);
    return good;
}

bool selector_create(run *r)
{
    const fgt_forecaster_fit_opts opts = train_fit_opts(r);
    fgt_forecaster_fit_opts       full = {.size = sizeof full};
    if (!selection_trains(&r->o->selection)) return true;
    if (fgt_forecaster_fit_opts_init(r->forecaster, r->train_windows, &opts, &full) != FGT_OK)
        return run_failed(r, r->o->data);
    return selector_create_for(r, full.training.epochs, &r->selector);
}
