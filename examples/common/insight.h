/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSIGHT_H
#define INSIGHT_H

/* Parts that the pages of --report share. On error the functions print a message and return false. */

#include <fighter/report.h>
#include <fighter/train.h>
#include <stdbool.h>

/* A page "dataset, read by block", for this model: it shows the powers of A that its layers read, at
 * least 3 and at most 8. */
bool insight_open(fgt_context *ctx, const char *dataset, fgt_block block, fgt_model *model,
                  const char *about, fgt_report **page);
/* A line of the table at the top; the value as in printf(). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool insight_fact(fgt_report *page, const char *name, const char *format, ...);
/* How long the training was. */
bool insight_training(fgt_report *page, const fgt_fit_report *fit);
/* At the end of an epoch, its losses. */
bool insight_losses(fgt_report *page, const fgt_progress *p);
/* After a pass: the shares of the hops of each Fighter layer, as points at an epoch, or at epoch 0 in the
 * table at the top. */
bool insight_hops(fgt_report *page, fgt_context *ctx, fgt_model *model, int64_t epoch);
/* After a call that has failed. */
bool insight_failed(const fgt_context *ctx);

#endif
