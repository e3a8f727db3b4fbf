/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_SCHEDULE_H
#define FGTI_ATTENT_SCHEDULE_H

#include "attent/attent_impl.h"

/* FGT_E_ARG: two options contradict each other, such as a schedule that needs epochs without `epochs`, or
 * `count` above `samples`. */
fgt_status fgti_attent_check(fgti_error *err, const fgt_attent_opts *o);
/* Advances by one epoch. *fresh: a subset must be selected for this epoch; *begins: an interval begins. */
void fgti_attent_tick(const fgt_attent_opts *o, fgti_attent_clock *c, bool *fresh, bool *begins);
/* Whether each epoch, not only each interval, has its own subset. */
bool fgti_attent_draws_always(const fgt_attent_opts *o);
/* Number of batches in the next `epochs` epochs if nothing stops the training. With InfoBatch it is an upper
 * bound. -1: overflow. */
int64_t fgti_attent_count_batches(const fgt_attent *a, int64_t epochs, int64_t batch);

#endif
