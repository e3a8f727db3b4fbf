/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_LOG_H
#define FGTI_ATTENT_LOG_H

#include "attent/attent_impl.h"

/* Writes the entry of the epoch that has begun. Call it while `index` is still in ascending order. */
fgt_status fgti_attent_log(fgt_attent *a);
/* Whether the replayed log has the indices. */
bool fgti_attent_replays_indices(const fgt_attent *a);
/* Checks the header of opts.replay. */
fgt_status fgti_attent_replay_open(fgt_attent *a);
/* Reads the entry of epoch c->epoch. *hash: its hash. *fresh: the epoch has its own subset. `choice` gets
 * this subset, unless the log has only hashes. *end: the end of the entry, which is the next replay_at. On
 * error `choice` is as before. */
fgt_status fgti_attent_replay(fgt_attent *a, const fgti_attent_clock *c, bool *fresh, uint64_t *hash,
                              size_t *end);

#endif
