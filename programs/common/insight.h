/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSIGHT_H
#define INSIGHT_H

/* Functions for the page of --report that all programs share. On error they print a message and return
 * false. */

#include <fighter/experimental/report.h>
#include <fighter/train.h>
#include <stdbool.h>

/* Makes a page with the title "dataset, read by block" for this model. The page shows the powers of A that
 * the model's layers use, at least 3 and at most 8 of them. */
bool insight_open(fgt_context *ctx, const char *dataset, fgt_block block, fgt_model *model,
                  const char *about, fgt_report **page);
/* Adds a line to the table at the top; the value is formatted as by printf(). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool insight_fact(fgt_report *page, const char *name, const char *format, ...);
/* Adds the duration of the training. */
bool insight_training(fgt_report *page, const fgt_fit_report *fit);
/* Adds the losses at the end of an epoch. */
bool insight_losses(fgt_report *page, const fgt_progress *p);
/* Adds the shares of the hops of each Fighter layer in the last pass. At epoch 0 the shares are added to the
 * table at the top, later as points at that epoch. */
bool insight_hops(fgt_report *page, fgt_context *ctx, fgt_model *model, int64_t epoch);
/* Call it after a failed call: prints the library's error and returns false. */
bool insight_failed(const fgt_context *ctx);

#endif
