/* SPDX-License-Identifier: BSD-3-Clause */

/* The loss of a batch in training. It includes the selector's weights. */

#include "train/fit/trainer_loss.h"

#include "train/loss/loss_run.h"

fgt_status fgti_trainer_loss(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *count)
{
    fgti_batch *b = &t->batch;
    fgt_attent *s = t->opts.training.selector;
    if (!s)
        return fgti_batch_blame(
            t->ctx, index,
            fgti_loss_run(t->ctx, &t->loss, &b->y, &b->target, &b->spectral, sum, count, &b->y));
    fgt_loss_samples samples = fgti_batch_scores(b, s);
    samples.weight           = b->weight;
    FGTI_TRY(fgt_attent_get_weights(s, index, n, b->weight));
    return fgti_batch_loss(t->ctx, b, &t->loss, index, &samples, sum, count, &b->y);
}
