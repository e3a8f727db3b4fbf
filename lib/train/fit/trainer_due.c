/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/fit/trainer_due.h"

#include "core/clock.h"

bool fgti_trainer_due(const fgti_trainer *t)
{
    const fgt_fit_opts *o    = &t->opts;
    const int64_t       done = t->report.epochs;
    const bool          last = done == o->training.epochs || t->report.stopped_early || t->report.cancelled;
    return o->training.checkpoint && done && (last || done % o->training.checkpoint_every == 0);
}

/* With a selector no checkpoint is written within an epoch, because the state of a selector exists only
 * between epochs. */
bool fgti_trainer_part_due(const fgti_trainer *t, int64_t sample)
{
    const fgt_fit_opts *o = &t->opts;
    return o->training.checkpoint && o->training.checkpoint_seconds > 0 && !o->training.selector &&
           sample != t->samples && fgti_now() - t->written >= o->training.checkpoint_seconds;
}
