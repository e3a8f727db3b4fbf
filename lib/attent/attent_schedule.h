/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_SCHEDULE_H
#define FGTI_ATTENT_SCHEDULE_H

#include "attent/attent_impl.h"

/* FGT_E_ARG: two options contradict each other, such as a schedule without epochs, or m above n. */
fgt_status fgti_attent_check(fgti_error *err, const fgt_attent_opts *o);
/* Advances by one epoch. *fresh: its subset must be selected; *begins: an interval begins. */
void fgti_attent_tick(const fgt_attent_opts *o, fgti_attent_clock *c, bool *fresh, bool *begins);
/* Whether each epoch has its own subset, not each interval. */
bool fgti_attent_draws_always(const fgt_attent_opts *o);
/* Batches in the coming `epochs` epochs if nothing stops them; InfoBatch: at most. -1: overflow. */
int64_t fgti_attent_count_batches(const fgt_attent *a, int64_t epochs, int64_t batch);

#endif
