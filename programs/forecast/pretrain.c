/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training by masked patches, and its report. */
#include <math.h>

#include <fighter/experimental/pretrain.h>

#include "pretrain.h"
#include "selector.h"

#include "../common/progress.h"

static bool train_masked(run *r)
{
    const options                   *o     = r->o;
    progress_label                   label = {"pre-training", "windows"};
    fgt_forecaster_fit_opts          fit   = {.size     = sizeof fit,
                                              .training = {.progress     = progress_show,
                                                           .user         = &label,
                                                           .seed         = (uint64_t)o->seed,
                                                           .epochs       = o->pretrain,
                                                           .batch        = o->fit.training.batch,
                                                           .patience     = -1,
                                                           .weight_decay = o->fit.training.weight_decay,
                                                           .collective   = cluster_collective(),
                                                           .shards       = o->cluster.shards},
                                              .thin     = o->fit.thin};
    const fgt_forecaster_masked_opts opts  = {.size = sizeof opts, .fit = &fit, .share = o->mask_share};
    if (selection_pretrains(&o->selection) && !selector_create_for(r, o->pretrain, &fit.training.selector))
        return false;
    r->masked.size = sizeof r->masked;
    const fgt_status s = fgt_forecaster_fit_masked(r->forecaster, r->table, &r->split, &opts, &r->masked);
    fgt_attent_destroy(&fit.training.selector);
    return s == FGT_OK || run_failed(r, o->data);
}

bool pretrain_run(run *r)
{
    const options *o = r->o;
    /* a checkpoint contains the weights from the pre-training */
    if (o->pretrain && !o->checkpoint.resume && !train_masked(r)) return false;
    return !o->probe || fgt_forecaster_set_frozen(r->forecaster, 1) == FGT_OK || run_failed(r, NULL);
}

void report_masked(const run *r, FILE *out)
{
    if (r->masked.epochs)
        fprintf(out, "pre-trained by masked patches for %lld epoch%s in %.1f s; the best was number %lld\n",
                (long long)r->masked.epochs, r->masked.epochs == 1 ? "" : "s", r->masked.seconds,
                (long long)r->masked.best_epoch);
}

bool report_set_masked(json_t *all, const run *r)
{
    const fgt_fit_report *m = &r->masked;
    if (!r->o->pretrain) return true;
    return !json_object_set_new(all, "pretraining",
                                json_pack("{s:I, s:I, s:f, s:I, s:o, s:o, s:b}", "epochs_run",
                                          (json_int_t)m->epochs, "best_epoch", (json_int_t)m->best_epoch,
                                          "seconds", m->seconds, "samples_backpropagated",
                                          (json_int_t)m->samples, "train_loss",
                                          json_out_real(m->epochs ? m->train_loss : NAN), "val_loss",
                                          json_out_real(m->epochs ? m->best_loss : NAN), "probe",
                                          (int)r->o->probe));
}
