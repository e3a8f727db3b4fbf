/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOSS_SAMPLES_H
#define FGTI_LOSS_SAMPLES_H

#include "train/loss/loss.h"
#include "train/loss/spectral.h"

/* fgti_loss_run() sample by sample. The weights of the samples must be finite. *bad: the sample of the batch
 * that caused FGT_E_NONFINITE, for the caller's error text; -1: no sample did. */
fgt_status fgti_loss_run_samples(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                                 const fgt_view *target, const fgti_spectral *spectral,
                                 const fgt_loss_samples *samples, double *sum, int64_t *count,
                                 const fgt_view *dy, int64_t *bad);

#endif
