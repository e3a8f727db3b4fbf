/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training by masked words or patches. */
#include "classify.h"

#include "../common/progress.h"

bool pretrain_masked(run *r, uint64_t seed, bool first, fgt_classifier *classifier)
{
    const options                   *o      = r->o;
    progress_label                   label  = {"pre-training", samples_called(r)};
    fgt_fit_report                   report = {.size = sizeof report};
    const fgt_classifier_fit_opts    fit    = {.size       = sizeof fit,
                                               .progress   = progress_show,
                                               .user       = &label,
                                               .seed       = seed,
                                               .epochs     = o->masked,
                                               .batch      = o->batch,
                                               .collective = cluster_collective(),
                                               .shards     = o->cluster.shards};
    const fgt_classifier_masked_opts opts   = {.size = sizeof opts, .fit = &fit, .share = o->mask_share};
    if (!o->masked) return true;
    const fgt_corpus *texts = r->more ? r->more : r->train.texts;
    if (of_images(r)) {
        if (!pictures_pretrain(r, &fit, classifier, &report)) return false;
    } else if (fgt_classifier_fit_masked(classifier, texts, NULL, &opts, &report) != FGT_OK) {
        return failed(r, r->more ? o->more_texts : o->train);
    }
    if (first) r->masked = report;
    return true;
}
