/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOSS_RUN_H
#define FGTI_LOSS_RUN_H

#include "train/loss/loss.h"
#include "train/loss/spectral.h"

/* Sums the losses of the elements that count; for classes, of the rows. *count: their number. dy is as in
 * fgt_loss_compute(). If nothing counts, *count is 0 and dy is not written, which is no error. opts must come
 * from fgti_loss_read(). `spectral` must have been made for these opts and for outputs of this size. */
fgt_status fgti_loss_run(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                         const fgt_view *target, const fgti_spectral *spectral, double *sum, int64_t *count,
                         const fgt_view *dy);

#endif
