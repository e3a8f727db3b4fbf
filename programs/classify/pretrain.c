/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-trains on masked words or patches. */
#include <time.h>

#include <fighter/experimental/pretrain.h>

#include "pictures.h"
#include "pretrain.h"
#include "selector.h"

#include "../common/progress.h"

/* Returns all samples except the test and validation samples. */
static samples all_samples(const run *r)
{
    if (r->more) return (samples){.texts = r->more};
    return samples_are_there(r->unlabelled) ? r->unlabelled : r->train;
}

static bool train_masked(run *r, samples from, const fgt_classifier_fit_opts *fit, fgt_classifier *classifier,
                         fgt_fit_report *report)
{
    const options                   *o    = r->o;
    const fgt_classifier_masked_opts opts = {.size = sizeof opts, .fit = fit, .share = o->mask_share};
    if (of_images(r)) return pictures_pretrain(r, from.images, fit, classifier, report);
    return fgt_classifier_fit_masked(classifier, FGT_TEXTS(from.texts), NULL, &opts, report) == FGT_OK ||
           failed(r, r->more ? o->more_texts : o->train);
}

bool pretrain_masked(run *r, uint64_t seed, bool first, fgt_classifier *classifier)
{
    const options          *o      = r->o;
    const samples           from   = all_samples(r);
    const clock_t           start  = clock();
    progress_label          label  = {"pre-training", samples_called(r)};
    fgt_fit_report          report = {.size = sizeof report};
    fgt_classifier_fit_opts fit    = {.size     = sizeof fit,
                                      .training = {.progress   = progress_show,
                                                   .user       = &label,
                                                   .seed       = seed,
                                                   .epochs     = o->masked,
                                                   .batch      = o->fit.training.batch,
                                                   .collective = cluster_collective(),
                                                   .shards     = o->cluster.shards}};
    if (!o->masked) return true;
    if (selection_pretrains(&o->selection) &&
        !selector_create(r, from, o->masked, seed, &fit.training.selector))
        return false;
    const bool good = train_masked(r, from, &fit, classifier, &report);
    fgt_attent_destroy(&fit.training.selector);
    if (first) r->masked = report;
    r->masked_cpu += (double)(clock() - start) / CLOCKS_PER_SEC;
    return good;
}
