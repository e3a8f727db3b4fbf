/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/fit/trainer_due.h"

#include "core/clock.h"

bool fgti_trainer_due(const fgti_trainer *t)
{
    const fgt_fit_opts *o    = &t->opts;
    const int64_t       done = t->report.epochs;
    const bool          last = done == o->epochs || t->report.stopped_early || t->report.cancelled;
    return o->checkpoint && done && (last || done % o->checkpoint_every == 0);
}

/* Checkpoints within an epoch are not written with a selector, whose state exists only between epochs. */
bool fgti_trainer_part_due(const fgti_trainer *t, int64_t sample)
{
    const fgt_fit_opts *o = &t->opts;
    return o->checkpoint && o->checkpoint_seconds > 0 && !o->selector && sample != t->samples &&
           fgti_now() - t->written >= o->checkpoint_seconds;
}
