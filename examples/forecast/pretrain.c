/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training by masked patches, and what of it is reported. */
#include "forecast.h"

#include "../common/json_out.h"
#include "../common/progress.h"
#include "report.h"

bool pretrain_run(run *r)
{
    const options *o = r->o;
    if (o->pretrain && !o->checkpoint.resume) { /* the checkpoint has its weights */
        progress_label                   label = {"pre-training", "windows"};
        const fgt_forecaster_fit_opts    fit   = {.size         = sizeof fit,
                                                  .progress     = progress_show,
                                                  .user         = &label,
                                                  .seed         = (uint64_t)o->seed,
                                                  .epochs       = o->pretrain,
                                                  .batch        = o->batch,
                                                  .thin         = o->thin,
                                                  .patience     = -1,
                                                  .weight_decay = o->weight_decay,
                                                  .collective   = cluster_collective(),
                                                  .shards       = o->cluster.shards};
        const fgt_forecaster_masked_opts opts  = {.size = sizeof opts, .fit = &fit, .share = o->mask_share};
        r->masked.size = sizeof r->masked;
        if (fgt_forecaster_fit_masked(r->forecaster, r->table, &r->split, &opts, &r->masked) != FGT_OK)
            return run_failed(r, o->data);
    }
    return !o->probe || fgt_forecaster_freeze(r->forecaster, 1) == FGT_OK || run_failed(r, NULL);
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
                                json_pack("{s:I, s:I, s:f, s:o, s:o, s:b}", "epochs_run",
                                          (json_int_t)m->epochs, "best_epoch", (json_int_t)m->best_epoch,
                                          "seconds", m->seconds, "train_loss",
                                          json_out_real(m->epochs ? m->train_loss : NAN), "val_loss",
                                          json_out_real(m->epochs ? m->best_loss : NAN), "probe",
                                          (int)r->o->probe));
}
